// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Chunks of all regions: their counters and the lists of those that are ready, with the operations on them. An arrival is taken
// in any clock; takes, accesses of the registers and walks over a region's counters use the clocks between.
//
// Per region it counts the dirty chunks, those listed and those finished: a release waits until `finished` has reached what
// `listed` was.
module glk_region_chunks #(
  parameter int REGIONS = 64,
  parameter int CHUNKS  = 16384,
  parameter int RW      = (REGIONS > 1) ? $clog2(REGIONS) : 1,
  parameter int KW      = (CHUNKS > 1) ? $clog2(CHUNKS) : 1
) (
  input  logic               clk,
  input  logic               rst,
  input  logic               clear,   // sets all counters to 0; what is under way is forgotten
  output logic               swept,   // that is done

  // Arrivals; answers in order
  input  logic               arrival_valid,
  input  logic [RW-1:0]      arrival_region,
  input  logic [KW-1:0]      arrival_chunk, // its counter
  input  logic [1:0]         arrival_epoch,
  input  logic [15:0]        arrival_count,
  output logic               arrival_done,
  output logic               arrival_ok,
  output logic               arrival_listed,

  // Take of a region's first ready chunk; not while one is under way
  input  logic               take_valid,
  input  logic [RW-1:0]      take_region,
  input  logic [1:0]         take_epoch,
  output logic               take_done,
  output logic [KW-1:0]      take_chunk,
  output logic               take_complete,
  output logic [REGIONS-1:0] some,    // regions with ready chunks

  // Its transfer is finished; drop: the list is dropped, and what waited for its chunks need not
  input  logic               finish,
  input  logic               drop,
  input  logic [RW-1:0]      finish_region,

  // Walk over the counters of a region: list dirty ones, or restart all; until busy falls
  input  logic               walk_start,
  input  logic               walk_restart,
  input  logic [RW-1:0]      walk_region,
  input  logic [1:0]         walk_epoch,
  input  logic [KW-1:0]      walk_first,
  input  logic [KW:0]        walk_chunks, // at least 1
  output logic               walk_busy,

  // Registers; stable until done
  input  logic               chunk_reg_valid,
  input  logic               chunk_reg_write,
  input  logic [KW-1:0]      chunk_reg_chunk,
  input  logic [15:0]        chunk_reg_initial,
  output logic               chunk_reg_done,
  output logic [35:0]        chunk_reg_counter,

  // Counts of a region, one clock later; `fresh`: a region becomes valid
  input  logic               fresh,
  input  logic [RW-1:0]      fresh_region,
  input  logic [RW-1:0]      look_region,
  output logic               look_dirty,
  output logic [KW:0]        look_listed,   // modulo twice the chunks
  output logic [KW:0]        look_finished
);
  localparam logic [2:0] ARRIVE = 3'd0, TAKE = 3'd1, LIST = 3'd2, RESTART = 3'd3, SET = 3'd4, LOOK = 3'd5, CLEAR = 3'd6;
  localparam int PIPE = 4; // clocks from op to op_q

  wire reset = rst || clear;

  // --- operations: arrivals, sweep after a reset, takes, registers, walks ---
  logic [2:0]    op_kind, op_q_kind;
  logic [KW-1:0] op_chunk, op_q_chunk;
  logic [1:0]    op_epoch;
  logic [15:0]   op_count;
  logic [RW-1:0] u_region, q_region;
  logic          op_valid, op_q_ok, op_q_listed, op_q_dirtied, op_q_undirtied, op_q_complete, op_q_valid;
  logic [35:0]   op_q_counter;
  glk_region_count #(.CHUNKS(CHUNKS), .TW(RW)) count (
    .clk, .rst(reset), .op_kind, .op_chunk, .op_epoch, .op_count, .op_tag(u_region), .op_valid,
    .op_q_kind, .op_q_chunk, .op_q_tag(q_region), .op_q_ok, .op_q_listed, .op_q_dirtied, .op_q_undirtied, .op_q_complete,
    .op_q_counter, .op_q_valid);

  logic          taken, take_asked, k_asked, k_waits, walks;
  logic [KW-1:0] taken_chunk, sweep, w_at;
  logic [KW:0]   w_left;
  logic [RW-1:0] of_walk, of_take;
  logic [1:0]    walked_epoch, taken_epoch;
  logic          walk_restarts;
  logic [2:0]    draining; // operations of the walk that may be under way
  wire           takes = take_asked && !arrival_valid && swept;
  wire           looks = k_asked && !arrival_valid && !take_asked && swept;
  wire           steps = walks && !arrival_valid && !take_asked && !k_asked;

  logic take_ready_unused;
  glk_region_ready #(.REGIONS(REGIONS), .CHUNKS(CHUNKS)) ready (
    .clk, .rst(reset), .some, .put(op_q_valid && op_q_listed), .put_region(q_region), .put_chunk(op_q_chunk),
    .take(take_valid), .take_region, .take_ready(take_ready_unused), .taken, .taken_chunk, .drop, .drop_region(finish_region));

  always_ff @(posedge clk) begin
    op_valid <= arrival_valid || !swept || takes || looks || steps;
    op_count <= arrival_valid ? arrival_count : chunk_reg_initial;
    if (arrival_valid) begin
      op_kind  <= ARRIVE;
      op_chunk <= arrival_chunk;
      u_region <= arrival_region;
      op_epoch <= arrival_epoch;
    end else if (!swept) begin
      op_kind  <= CLEAR;
      op_chunk <= sweep;
      u_region <= '0;
      op_epoch <= '0;
    end else if (take_asked) begin
      op_kind  <= TAKE;
      op_chunk <= take_chunk;
      u_region <= of_take;
      op_epoch <= taken_epoch;
    end else if (k_asked) begin
      op_kind  <= chunk_reg_write ? SET : LOOK;
      op_chunk <= chunk_reg_chunk;
      u_region <= '0;
      op_epoch <= '0;
    end else begin
      op_kind  <= walk_restarts ? RESTART : LIST;
      op_chunk <= w_at;
      u_region <= of_walk;
      op_epoch <= walked_epoch;
    end

    // Takes.
    if (take_valid) begin
      of_take     <= take_region;
      taken_epoch <= take_epoch;
    end
    if (taken) begin
      take_asked <= 1'b1;
      take_chunk <= taken_chunk;
    end else if (takes) begin
      take_asked <= 1'b0;
    end
    take_done     <= op_q_valid && op_q_kind == TAKE;
    take_complete <= op_q_complete;

    // Answers to arrivals and registers.
    arrival_done      <= op_q_valid && op_q_kind == ARRIVE;
    arrival_ok        <= op_q_ok;
    arrival_listed    <= op_q_listed;
    k_asked           <= chunk_reg_valid && !chunk_reg_done && (k_asked ? !looks : !k_waits);
    k_waits           <= chunk_reg_valid && !chunk_reg_done && (k_waits || looks);
    chunk_reg_done    <= k_waits && op_q_valid && (op_q_kind == LOOK || op_q_kind == SET);
    chunk_reg_counter <= op_q_counter;

    // Walks.
    if (steps) begin
      w_at     <= w_at + KW'(1);
      w_left   <= w_left - (KW+1)'(1);
      walks    <= w_left != (KW+1)'(1);
      draining <= 3'(PIPE + 1);
    end else if (draining != 3'd0) begin
      draining <= draining - 3'd1;
    end
    walk_busy <= walk_start || walks || draining != 3'd0;
    if (walk_start) begin
      walks         <= 1'b1;
      of_walk       <= walk_region;
      walked_epoch  <= walk_epoch;
      walk_restarts <= walk_restart;
      w_at          <= walk_first;
      w_left        <= walk_chunks;
    end

    // Sweep.
    if (!swept && !arrival_valid) begin
      sweep <= sweep + KW'(1);
      swept <= sweep == KW'(CHUNKS - 1);
    end
    if (reset) begin
      op_valid       <= 1'b0;
      swept          <= 1'b0;
      sweep          <= '0;
      take_asked     <= 1'b0;
      take_done      <= 1'b0;
      arrival_done   <= 1'b0;
      k_asked        <= 1'b0;
      k_waits        <= 1'b0;
      chunk_reg_done <= 1'b0;
      walks          <= 1'b0;
      draining       <= '0;
      walk_busy      <= 1'b0;
    end
  end

  // --- counts per region ---
  (* ram_style = "distributed" *) logic [KW:0] dirty    [0:(1<<RW)-1];
  (* ram_style = "distributed" *) logic [KW:0] listed   [0:(1<<RW)-1];
  (* ram_style = "distributed" *) logic [KW:0] finished [0:(1<<RW)-1];
  logic [REGIONS-1:0] some_dirty, some_listed, some_finished; // otherwise the count is 0, whatever the RAM holds

  function some_of(input [REGIONS-1:0] bits, input [RW-1:0] which);
    integer i;
    some_of = 1'b0;
    for (i = 0; i < REGIONS; i = i + 1)
      if (which == RW'(i))
        some_of = bits[i];
  endfunction

  wire [KW:0] q_dirty  = some_of(some_dirty, q_region) ? dirty[q_region] : '0;
  wire [KW:0] q_before = some_of(some_listed, q_region) ? listed[q_region] : '0;
  wire [KW:0] f_before = some_of(some_finished, finish_region) ? finished[finish_region] : '0;
  wire [KW:0] f_listed = some_of(some_listed, finish_region) ? listed[finish_region] : '0;
  always_ff @(posedge clk) begin
    if (op_q_valid && (op_q_dirtied || op_q_undirtied))
      dirty[q_region] <= op_q_dirtied ? q_dirty + (KW+1)'(1) : q_dirty - (KW+1)'(1);
    if (op_q_valid && op_q_listed)
      listed[q_region] <= q_before + (KW+1)'(1);
    if (finish || drop)
      finished[finish_region] <= drop ? f_listed : f_before + (KW+1)'(1);
    look_dirty    <= some_of(some_dirty, look_region) && dirty[look_region] != '0;
    look_listed   <= some_of(some_listed, look_region) ? listed[look_region] : '0;
    look_finished <= some_of(some_finished, look_region) ? finished[look_region] : '0;
    for (int r = 0; r < REGIONS; r = r + 1) begin
      if (op_q_valid && (op_q_dirtied || op_q_undirtied) && q_region == RW'(r))
        some_dirty[r] <= 1'b1;
      if (op_q_valid && op_q_listed && q_region == RW'(r))
        some_listed[r] <= 1'b1;
      if ((finish || drop) && finish_region == RW'(r))
        some_finished[r] <= 1'b1;
      if (fresh && fresh_region == RW'(r))
        {some_dirty[r], some_listed[r], some_finished[r]} <= 3'b000;
    end
    if (reset) begin
      some_dirty    <= '0;
      some_listed   <= '0;
      some_finished <= '0;
    end
  end
endmodule
`default_nettype wire
