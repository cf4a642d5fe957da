// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Loads of the other card, each within a line: up to LOADS are in flight, and are answered in their order. It does not wait for
// loads of this card (glk_load), so two cards that load from each other cannot deadlock.
//
// A load takes a slot of the line buffer, whose number is its tag on the bus; so answers are always accepted. Reads of the bus
// and of the pool are not in flight together.
module glk_serve_load #(
  parameter int DATA_W     = 512,
  parameter int PARTITIONS = 16,
  parameter int LOADS      = 7, // slots 1 to LOADS
  parameter int PW         = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1
) (
  input  logic              clk,
  input  logic              rst,

  input  logic [PARTITIONS*2-1:0]  ep_kind,
  input  logic [PARTITIONS*52-1:0] ep_base,  // bits 63:12
  input  logic [PARTITIONS*37-1:0] ep_bytes, // in units of 4 KiB

  // Loads, and their answers: bytes are at their place in the line
  input  logic [PW-1:0]     load_partition,
  input  logic [47:0]       load_offset,
  input  logic [6:0]        load_length,
  input  logic              load_valid,
  output logic              load_ready,
  output logic              load_q_error,
  output logic [511:0]      load_q_line,
  output logic              load_q_valid,
  input  logic              load_q_ready,

  // Reads on the bus
  output logic [63:0]       mem_address,
  output logic [12:0]       mem_length,
  output logic [2:0]        mem_slot,
  output logic              mem_valid,
  input  logic              mem_ready,
  input  logic [2:0]        rd_slot,
  input  logic              rd_error,
  input  logic [DATA_W-1:0] rd_data,
  input  logic              rd_last,
  input  logic              rd_valid,

  // Reads of the pool, answered in order
  output logic [47:0]       pool_offset,
  output logic [12:0]       pool_length,
  output logic              pool_valid,
  input  logic              pool_ready,
  input  logic [DATA_W-1:0] pool_q_data,
  input  logic              pool_q_last,
  input  logic              pool_q_valid,

  // A load failed. Reported before its answer
  output logic [PW-1:0]     load_failed_partition,
  output logic              load_failed_valid,
  input  logic              load_failed_ready,
  output logic              idle
);
  localparam int LANES = DATA_W / 8;
  localparam int LB    = $clog2(LANES);
  localparam int BEATS = 64 / LANES; // of a line
  localparam int AW    = (BEATS > 1) ? $clog2(BEATS) : 1;

  function automatic logic [2:0] after(input logic [2:0] slot);
    after = (slot == 3'(LOADS)) ? 3'd1 : slot + 3'd1;
  endfunction

  typedef enum logic [1:0] {IDLE, LOOK, SUM, ASK} state_t;
  state_t        state;
  logic [2:0]    slot, oldest, filling; // of the next load; of the next answer; of the pool's next data
  logic [7:0]    used, done, failed;
  logic [2:0]    flying;  // reads in flight
  logic          of_pool; // all of them
  logic [8*PW-1:0] partitions;
  logic [8*AW-1:0] places; // by slot: beat of the line that comes next
  logic          told;

  // --- reads ---
  logic [PW-1:0] partition;
  logic [47:0]   offset;
  logic [6:0]    length;
  logic [1:0]    kind;
  logic [51:0]   base;
  logic [36:0]   bytes;
  logic [90:0]   endpoint; // of the partition: {bytes, base, kind}
  logic [63:0]   address;
  wire           pool  = kind == 2'(glk_regs::EP_POOL);
  wire           same  = flying == 3'd0 || of_pool == pool;
  wire           asked = (mem_valid && mem_ready) || (pool_valid && pool_ready);
  // Checked by the requester, but the endpoint may have changed since.
  wire           gone  = (kind != 2'(glk_regs::EP_BUS) && !pool) || {1'b0, offset[47:12]} >= bytes;

  assign load_ready  = state == IDLE && !used[slot];
  assign mem_address = address;
  assign mem_length  = {6'b0, length};
  assign mem_slot    = slot;
  assign mem_valid   = state == ASK && !pool && same;
  assign pool_offset = address[47:0];
  assign pool_length = {6'b0, length};
  assign pool_valid  = state == ASK && pool && same;

  always_comb begin
    endpoint = '0;
    for (int p = 0; p < PARTITIONS; p = p + 1)
      if (partition == PW'(p))
        endpoint = endpoint | {ep_bytes[p*37 +: 37], ep_base[p*52 +: 52], ep_kind[p*2 +: 2]};
  end

  // --- data of the bus or of the pool: never of both in a clock ---
  wire               w_valid = of_pool ? pool_q_valid : rd_valid;
  wire               w_error = !of_pool && rd_error;
  wire               w_last  = of_pool ? pool_q_last : rd_last || rd_error;
  wire  [2:0]        w_slot  = of_pool ? filling : rd_slot;
  wire  [AW-1:0]     w_place = places[AW*w_slot +: AW];
  wire  [DATA_W-1:0] w_data  = of_pool ? pool_q_data : rd_data;
  wire               lands   = w_valid && w_last;

  // --- answers ---
  logic [511:0] line;
  wire          there  = used[oldest] && done[oldest];
  wire          gives  = there && (!failed[oldest] || told) && (!load_q_valid || load_q_ready);
  assign load_failed_partition = partitions[PW*oldest +: PW];
  assign load_failed_valid     = there && failed[oldest] && !told;

  always_ff @(posedge clk) begin
    unique case (state)
      IDLE: begin
        partition <= load_partition;
        offset    <= load_offset;
        length    <= load_length;
        if (load_valid && load_ready) begin
          used[slot]                 <= 1'b1;
          done[slot]                 <= 1'b0;
          failed[slot]               <= 1'b0;
          partitions[PW*slot +: PW] <= load_partition;
          places[AW*slot +: AW]     <= AW'(load_offset[5:0] >> LB);
          state                      <= LOOK;
        end
      end
      LOOK: begin
        {bytes, base, kind} <= endpoint;
        state               <= SUM;
      end
      SUM: begin
        address <= {base, 12'b0} + 64'(offset);
        if (!gone) begin
          state <= ASK;
        end else if (flying == 3'd0) begin // so the slots in flight are consecutive
          done[slot]   <= 1'b1;
          failed[slot] <= 1'b1;
          slot         <= after(slot);
          state        <= IDLE;
        end
      end
      default: begin // ASK
        of_pool <= same ? pool : of_pool;
        if (flying == 3'd0)
          filling <= slot;
        if (asked) begin
          slot  <= after(slot);
          state <= IDLE;
        end
      end
    endcase

    if (w_valid)
      places[AW*w_slot +: AW] <= w_place + AW'(1);
    if (lands) begin
      done[w_slot]   <= 1'b1;
      failed[w_slot] <= w_error;
      filling        <= after(filling);
    end
    flying <= flying + 3'(asked) - 3'(lands);

    if (load_failed_valid && load_failed_ready)
      told <= 1'b1;
    if (load_q_ready)
      load_q_valid <= 1'b0;
    if (gives) begin
      load_q_valid <= 1'b1;
      load_q_error <= failed[oldest];
      load_q_line  <= line;
      used[oldest] <= 1'b0;
      oldest       <= after(oldest);
      told         <= 1'b0;
    end
    idle <= used == 8'd0 && !load_q_valid && state == IDLE && !load_valid;
    if (rst) begin
      state        <= IDLE;
      slot         <= 3'd1;
      oldest       <= 3'd1;
      used         <= '0;
      flying       <= '0;
      told         <= 1'b0;
      load_q_valid <= 1'b0;
      idle         <= 1'b0;
    end
  end

  // --- line buffer ---
  generate
    for (genvar b = 0; b < BEATS; b = b + 1) begin : bank
      logic [DATA_W-1:0] memory [0:7];
      assign line[DATA_W*b +: DATA_W] = memory[oldest];
      always_ff @(posedge clk)
        if (w_valid && w_place == AW'(b))
          memory[w_slot] <= w_data;
    end
  endgenerate

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk)
    if (checks) begin
      begin : pool_answers_pool assert (!pool_q_valid || (of_pool && flying != 3'd0)); end
      begin : bus_answers_bus assert (!rd_valid || (!of_pool && flying != 3'd0 && used[rd_slot] && !done[rd_slot])); end
    end
`endif

  initial
    if (LANES > 64 || LOADS > 7)
      $fatal(1, "a beat has at most a line; slots have numbers of three bits");
endmodule
`default_nettype wire
