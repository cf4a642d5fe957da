// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Arbiter for the pool's single port: BAR 4 accesses, endpoint writes that target the pool, loads from the pool (local and
// remote), accesses with a time, and zeros. Whole transactions, in grant order: a write that was accepted here is ordered before
// every read accepted later. What glk_pool_stamps has to stamp is reported in the same order: every write, and accesses with a time.
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
  input  logic              b_write,
  input  logic [47:0]       b_offset,
  input  logic [12:0]       b_length,
  input  logic [DATA_W-1:0] b_data,
  input  logic              b_last,
  input  logic              b_valid,
  output logic              b_ready,
  output logic [DATA_W-1:0] b_q_data,
  output logic              b_q_last,
  output logic              b_q_valid,
  input  logic              b_q_ready,

  // Endpoint writes; may cross one 4 KiB boundary
  input  logic [47:0]       e_offset,
  input  logic [12:0]       e_length,
  input  logic [DATA_W-1:0] e_data,
  input  logic              e_last,
  input  logic              e_valid,
  output logic              e_ready,

  // Loads of this card; do not cross a 4 KiB boundary
  input  logic [47:0]       l_offset,
  input  logic [12:0]       l_length,
  input  logic              l_valid,
  output logic              l_ready,
  output logic [DATA_W-1:0] l_q_data,
  output logic              l_q_last,
  output logic              l_q_valid,
  input  logic              l_q_ready,
  // Loads of the other card, whose data are always accepted; do not cross a 4 KiB boundary
  input  logic [47:0]       k_offset,
  input  logic [12:0]       k_length,
  input  logic              k_valid,
  output logic              k_ready,
  output logic [DATA_W-1:0] k_q_data,
  output logic              k_q_last,
  output logic              k_q_valid,

  // Accesses with a time, within a line: its lease alone, a read (whose data is always accepted), a write, a mark
  input  logic [1:0]        t_kind, // 0, 1, 2, 3
  input  logic [47:0]       t_offset,
  input  logic [12:0]       t_length,
  input  logic [DATA_W-1:0] t_data,
  input  logic              t_last,
  input  logic              t_valid,
  output logic              t_ready,
  output logic [DATA_W-1:0] t_q_data,
  output logic              t_q_last,
  output logic              t_q_valid,
  // Zeros, for a page; a beat each
  input  logic [35:0]       z_page,
  input  logic              z_last,
  input  logic              z_valid,
  output logic              z_ready,

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
  wire  [5:0] valids = {z_valid, t_valid, k_valid, l_valid, e_valid, b_valid};
  assign {z_ready, t_ready, k_ready, l_ready, e_ready, b_ready} = turn & {6{go}};
  wire        gb = turn[0], ge = turn[1], gl = turn[2], gk = turn[3], gt = turn[4], gz = turn[5];

  wire now_valid = |(turn & valids);
  wire now_last  = (gb && b_last) || (ge && e_last) || gl || gk || (gt && t_last) || (gz && z_last);
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
  wire [11-LB:0]  line = begun ? e_line : e_offset[11:LB];
  wire            cut  = (&line) && !e_last;
  wire [12:0]     sum  = {1'b0, e_offset[11:0]} + e_length; // end, relative to the page of the first byte
  wire            crosses = sum[12]; // also set when it ends exactly at the boundary; then no remainder exists
  wire [12:0]     room = 13'd4096 - {1'b0, e_offset[11:0]};
  wire [35:0]     next_page = e_offset[47:12] + 36'd1;

  always_ff @(posedge clk) begin
    if (e_valid && e_ready) begin
      e_line   <= line + (12-LB)'(1);
      e_second <= !e_last && (e_second || cut);
    end
    if (rst)
      e_second <= 1'b0;
  end

  // --- output stage ---
  wire          o_write = ge || (gb && b_write) || (gt && t_kind == 2'd2) || gz;
  wire          o_none  = gt && (t_kind == 2'd0 || t_kind == 2'd3);
  wire          o_last  = now_last || (ge && cut);
  wire [47:0]   o_offset = gb ? b_offset : gl ? l_offset : gk ? k_offset : gt ? t_offset : gz ? {z_page, 12'b0} : e_second ? {next_page, 12'b0} : e_offset;
  wire [12:0]   o_length = gb ? b_length : gl ? l_length : gk ? k_length : gt ? t_length : gz ? 13'd4096 : e_second ? {1'b0, sum[11:0]} : crosses ? room : e_length;
  wire [DATA_W-1:0] o_data = ge ? e_data : gt ? t_data : gz ? '0 : b_data;

  glk_skid #(.W(1 + 48 + 13 + DATA_W + 1)) out (
    .clk, .rst, .s_data({o_write, o_offset, o_length, o_data, o_last}), .s_valid(now_valid && !o_none && (begun || may_begin)), .s_ready(o_ready),
    .m_data({pool_write, pool_offset, pool_length, pool_data, pool_last}), .m_valid(pool_valid), .m_ready(pool_ready));

  // --- stamps, of the first beat of each transaction ---
  logic after_cut;
  always_ff @(posedge clk) begin
    stamp_valid  <= beat && (!begun || after_cut) && (o_write || gt);
    stamp_kind   <= !gt ? 2'd0 : (t_kind == 2'd2) ? 2'd1 : (t_kind == 2'd3) ? 2'd3 : 2'd2;
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
    .m_data({q_asker, q_data, q_last}), .m_valid(q_valid), .m_ready(q_asker[1] || (q_asker[0] ? l_q_ready : b_q_ready)));
  assign b_q_data  = q_data;
  assign b_q_last  = q_last;
  assign b_q_valid = q_valid && q_asker == 2'd0;
  assign l_q_data  = q_data;
  assign l_q_last  = q_last;
  assign l_q_valid = q_valid && q_asker == 2'd1;
  assign k_q_data  = q_data;
  assign k_q_last  = q_last;
  assign k_q_valid = q_valid && q_asker == 2'd2;
  assign t_q_data  = q_data;
  assign t_q_last  = q_last;
  assign t_q_valid = q_valid && q_asker == 2'd3;

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk)
    if (checks)
      assert (!asks || asks_ready);
`endif
endmodule
`default_nettype wire
