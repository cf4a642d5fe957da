// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Arbiter for the pool's single port: BAR 4 accesses, endpoint writes that target the pool, loads from the pool (local and
// remote), accesses with a time, and zeros. Whole transactions, in grant order: a write that was accepted here is ordered
// before every read accepted later. What glk_pool_stamps has to stamp is reported in the same order: every write, and accesses
// with a time.
//
// The grant is a register, so no ready depends on a valid. It parks at the last user: a single user, or users that
// alternate, move one beat per clock; only the first beat after an idle period waits one clock.
module glk_pool_mux #(
  parameter int DATA_W = 512,
  parameter int LANES  = DATA_W / 8
) (
  input  logic              clk,
  input  logic              rst,

  // BAR 4 accesses; do not cross a 4 KiB boundary
  input  logic              bar4_write,
  input  logic [47:0]       bar4_offset,
  input  logic [12:0]       bar4_length,
  input  logic [DATA_W-1:0] bar4_data,
  input  logic              bar4_last,
  input  logic              bar4_valid,
  output logic              bar4_ready,
  output logic [DATA_W-1:0] bar4_q_data,
  output logic              bar4_q_last,
  output logic              bar4_q_valid,
  input  logic              bar4_q_ready,

  // Endpoint writes; may cross one 4 KiB boundary
  input  logic [47:0]       write_offset,
  input  logic [12:0]       write_length,
  input  logic [DATA_W-1:0] write_data,
  input  logic              write_last,
  input  logic              write_valid,
  output logic              write_ready,

  // Loads of this card; do not cross a 4 KiB boundary
  input  logic [47:0]       load_offset,
  input  logic [12:0]       load_length,
  input  logic              load_valid,
  output logic              load_ready,
  output logic [DATA_W-1:0] load_q_data,
  output logic              load_q_last,
  output logic              load_q_valid,
  input  logic              load_q_ready,
  // Loads of the other card, whose data are always accepted; do not cross a 4 KiB boundary
  input  logic [47:0]       serve_offset,
  input  logic [12:0]       serve_length,
  input  logic              serve_valid,
  output logic              serve_ready,
  output logic [DATA_W-1:0] serve_q_data,
  output logic              serve_q_last,
  output logic              serve_q_valid,

  // Accesses with a time, within a line: its lease alone, a read (whose data is always accepted), a write, a mark
  input  logic [1:0]        timed_kind, // 0, 1, 2, 3
  input  logic [47:0]       timed_offset,
  input  logic [12:0]       timed_length,
  input  logic [DATA_W-1:0] timed_data,
  input  logic              timed_last,
  input  logic              timed_valid,
  output logic              timed_ready,
  output logic [DATA_W-1:0] timed_q_data,
  output logic              timed_q_last,
  output logic              timed_q_valid,
  // Zeros, for a page; a beat each
  input  logic [35:0]       zero_page,
  input  logic              zero_last,
  input  logic              zero_valid,
  output logic              zero_ready,

  // To be stamped; `stamp_room` 0: for at most some clocks more
  output logic              stamp_valid,
  output logic [1:0]        stamp_kind, // 0 write without a time, 1 write, 2 lease, 3 mark
  output logic [47:0]       stamp_offset,
  output logic [12:0]       stamp_length,
  input  logic              stamp_room,

  output logic              pool_write,
  output logic [47:0]       pool_offset,
  output logic [12:0]       pool_length,
  output logic [DATA_W-1:0] pool_data,
  output logic              pool_last,
  output logic              pool_valid,
  input  logic              pool_ready,
  input  logic [DATA_W-1:0] pool_q_data,
  input  logic              pool_q_last,
  input  logic              pool_q_valid,
  output logic              pool_q_ready
);
  localparam int LB = $clog2(LANES);

  // --- round-robin arbiter ---
  logic [5:0] turn;         // one-hot
  logic       begun;        // inside a transaction
  logic       o_ready;      // from the output stage
  logic       may_begin;    // there is room to stamp what begins
  wire        go     = o_ready && (begun || may_begin);
  wire  [5:0] valids = {zero_valid, timed_valid, serve_valid, load_valid, write_valid, bar4_valid};
  assign {zero_ready, timed_ready, serve_ready, load_ready, write_ready, bar4_ready} = turn & {6{go}};
  wire        gb = turn[0], ge = turn[1], gl = turn[2], gk = turn[3], gt = turn[4], gz = turn[5];

  wire now_valid = |(turn & valids);
  wire now_last  = (gb && bar4_last) || (ge && write_last) || gl || gk || (gt && timed_last) || (gz && zero_last);
  wire beat      = now_valid && go;
  wire over      = (beat && now_last) || (!now_valid && !begun);

  // Search order: the users after the current one, then the current one itself.
  logic [11:0] order;
  always_comb begin
    order = {valids, valids & ~((turn - 6'd1) | turn)};
    order = order & (~order + 12'd1);
  end
  always_ff @(posedge clk) begin
    may_begin <= stamp_room;
    if (beat)
      begun <= !now_last;
    if (over && valids != 6'd0)
      turn <= order[5:0] | order[11:6];
    if (rst) begin
      turn  <= 6'd1;
      may_begin <= 1'b0;
      begun <= 1'b0;
    end
  end

  // --- endpoint writes are split at a 4 KiB boundary; the remainder is a second transaction ---
  logic           e_second;
  logic [11-LB:0] e_line; // beat address within the page, after the first beat
  wire [11-LB:0]  line = begun ? e_line : write_offset[11:LB];
  wire            cut  = (&line) && !write_last;
  wire [12:0]     sum  = {1'b0, write_offset[11:0]} + write_length; // end, relative to the page of the first byte
  wire            crosses = sum[12]; // also set when it ends exactly at the boundary; then no remainder exists
  wire [12:0]     room = 13'd4096 - {1'b0, write_offset[11:0]};
  wire [35:0]     next_page = write_offset[47:12] + 36'd1;

  always_ff @(posedge clk) begin
    if (write_valid && write_ready) begin
      e_line   <= line + (12-LB)'(1);
      e_second <= !write_last && (e_second || cut);
    end
    if (rst)
      e_second <= 1'b0;
  end

  // --- output stage ---
  wire          o_write = ge || (gb && bar4_write) || (gt && timed_kind == 2'd2) || gz;
  wire          o_none  = gt && (timed_kind == 2'd0 || timed_kind == 2'd3);
  wire          o_last  = now_last || (ge && cut);
  wire [47:0]   o_offset = gb ? bar4_offset : gl ? load_offset : gk ? serve_offset : gt ? timed_offset :
                          gz ? {zero_page, 12'b0} : e_second ? {next_page, 12'b0} : write_offset;
  wire [12:0]   o_length = gb ? bar4_length : gl ? load_length : gk ? serve_length : gt ? timed_length : gz ? 13'd4096 :
                          e_second ? {1'b0, sum[11:0]} : crosses ? room : write_length;
  wire [DATA_W-1:0] o_data = ge ? write_data : gt ? timed_data : gz ? '0 : bar4_data;

  glk_skid #(.W(1 + 48 + 13 + DATA_W + 1)) out (
    .clk, .rst, .s_data({o_write, o_offset, o_length, o_data, o_last}), .s_valid(now_valid && !o_none && (begun || may_begin)),
    .s_ready(o_ready), .m_data({pool_write, pool_offset, pool_length, pool_data, pool_last}), .m_valid(pool_valid),
    .m_ready(pool_ready));

  // --- stamps, of the first beat of each transaction ---
  logic after_cut;
  always_ff @(posedge clk) begin
    stamp_valid  <= beat && (!begun || after_cut) && (o_write || gt);
    stamp_kind   <= !gt ? 2'd0 : (timed_kind == 2'd2) ? 2'd1 : (timed_kind == 2'd3) ? 2'd3 : 2'd2;
    stamp_offset <= o_offset;
    stamp_length <= o_length;
    if (beat)
      after_cut <= ge && cut;
    if (rst) begin
      stamp_valid <= 1'b0;
      after_cut   <= 1'b0;
    end
  end

  // --- read responses, routed to the requester ---
  // Loads of the other card have up to 7 requests outstanding, the others one each: the FIFO never fills.
  logic       asks_ready, asker_valid;
  logic [1:0] asker; // 0: BAR 4, 1: load, 2: load of the other card, 3: with a time
  wire  asks = beat && !o_write && !o_none;
  glk_fifo #(.W(2), .DEPTH(16)) askers (
    .clk, .rst, .s_data({gk || gt, gl || gt}), .s_valid(asks), .s_ready(asks_ready),
    .m_data(asker), .m_valid(asker_valid), .m_ready(pool_q_valid && pool_q_ready && pool_q_last));

  logic q_in_ready, q_valid, q_last;
  logic [1:0] q_asker;
  logic [DATA_W-1:0] q_data;
  assign pool_q_ready = asker_valid && q_in_ready;
  glk_skid #(.W(2 + DATA_W + 1)) back (
    .clk, .rst, .s_data({asker, pool_q_data, pool_q_last}), .s_valid(pool_q_valid && asker_valid), .s_ready(q_in_ready),
    .m_data({q_asker, q_data, q_last}), .m_valid(q_valid), .m_ready(q_asker[1] || (q_asker[0] ? load_q_ready : bar4_q_ready)));
  assign bar4_q_data   = q_data;
  assign bar4_q_last   = q_last;
  assign bar4_q_valid  = q_valid && q_asker == 2'd0;
  assign load_q_data   = q_data;
  assign load_q_last   = q_last;
  assign load_q_valid  = q_valid && q_asker == 2'd1;
  assign serve_q_data  = q_data;
  assign serve_q_last  = q_last;
  assign serve_q_valid = q_valid && q_asker == 2'd2;
  assign timed_q_data  = q_data;
  assign timed_q_last  = q_last;
  assign timed_q_valid = q_valid && q_asker == 2'd3;

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk)
    if (checks)
      begin : asked_when_ready assert (!asks || asks_ready); end
`endif
endmodule
`default_nettype wire
