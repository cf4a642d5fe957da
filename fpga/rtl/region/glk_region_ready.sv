// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Lists of ready chunks, one per region: linked lists over the chunks, so that no list overflows. A chunk must be in at most
// one list, once. An append a clock; a chunk is taken in four.
//
// The first chunk of a list was written by an append to an empty list or by a take: each has a memory of its own, and a bit per
// region tells which one holds.
module glk_region_ready #(
  parameter int REGIONS = 64,
  parameter int CHUNKS  = 16384,
  parameter int RW      = (REGIONS > 1) ? $clog2(REGIONS) : 1,
  parameter int KW      = (CHUNKS > 1) ? $clog2(CHUNKS) : 1
) (
  input  logic               clk,
  input  logic               rst,
  output logic [REGIONS-1:0] some,    // nonempty lists

  input  logic               put,
  input  logic [RW-1:0]      put_region,
  input  logic [KW-1:0]      put_chunk,

  // Take the first chunk of a nonempty list
  input  logic               take,
  input  logic [RW-1:0]      take_region,
  output logic               take_ready,
  output logic               taken,
  output logic [KW-1:0]      taken_chunk,

  input  logic               drop,    // empties a list
  input  logic [RW-1:0]      drop_region
);
  (* ram_style = "block" *)       logic [KW-1:0] following [0:(1<<KW)-1];
  (* ram_style = "distributed" *) logic [KW-1:0] put_heads  [0:(1<<RW)-1];
  (* ram_style = "distributed" *) logic [KW-1:0] take_heads [0:(1<<RW)-1];
  (* ram_style = "distributed" *) logic [KW-1:0] tails      [0:(1<<RW)-1];
  logic [REGIONS-1:0] by_take;

  // --- append ---
  logic          p_valid;
  logic [RW-1:0] p_region;
  logic [KW-1:0] p_chunk;
  logic          d_valid;
  logic [RW-1:0] d_region;

  // --- take: head; compared with the tail, and the chunk behind it read; new head written ---
  typedef enum logic [1:0] {IDLE, LOOK, READ, WRITE} state_t;
  state_t        state;
  logic [RW-1:0] region;
  logic [KW-1:0] head, behind, new_head;
  logic          writes, bypass; // there is a new head; it is appended in this very clock
  wire           same = p_valid && p_region == region;
  wire           only = head == tails[region];

  function some_of(input [REGIONS-1:0] bits, input [RW-1:0] which);
    integer i;
    some_of = 1'b0;
    for (i = 0; i < REGIONS; i = i + 1)
      if (which == RW'(i))
        some_of = bits[i];
  endfunction

  assign take_ready = state == IDLE;

  always_ff @(posedge clk) begin
    if (p_valid && some_of(some, p_region))
      following[tails[p_region]] <= p_chunk;
    behind <= following[head];
    if (p_valid)
      tails[p_region] <= p_chunk;
    if (p_valid && !some_of(some, p_region))
      put_heads[p_region] <= p_chunk;
    if (state == WRITE && writes)
      take_heads[region] <= new_head;
  end

  always_ff @(posedge clk) begin
    p_valid  <= put;
    p_region <= put_region;
    p_chunk  <= put_chunk;
    d_valid  <= drop;
    d_region <= drop_region;
    taken    <= 1'b0;
    case (state)
      IDLE: begin
        region <= take_region;
        head   <= some_of(by_take, take_region) ? take_heads[take_region] : put_heads[take_region];
        if (take)
          state <= LOOK;
      end
      LOOK: begin
        taken       <= 1'b1;
        taken_chunk <= head;
        writes      <= !only || same;
        bypass      <= only;
        new_head    <= p_chunk;
        state       <= READ;
      end
      READ: begin
        if (!bypass)
          new_head <= behind;
        state <= WRITE;
      end
      default:
        state <= IDLE;
    endcase
    for (int r = 0; r < REGIONS; r = r + 1) begin
      if (state == WRITE && writes && region == RW'(r))
        by_take[r] <= 1'b1;
      if (state == LOOK && only && region == RW'(r))
        some[r] <= 1'b0;
      if (p_valid && p_region == RW'(r)) begin
        some[r] <= 1'b1;
        if (!some[r])
          by_take[r] <= 1'b0;
      end
      if (d_valid && d_region == RW'(r))
        some[r] <= 1'b0;
    end
    if (d_valid && d_region == region)
      writes <= 1'b0;
    if (rst) begin
      state   <= IDLE;
      p_valid <= 1'b0;
      d_valid <= 1'b0;
      taken   <= 1'b0;
      some    <= '0;
    end
  end
endmodule
`default_nettype wire
