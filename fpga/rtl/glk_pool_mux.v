// SPDX-License-Identifier: Apache-2.0
// The pool's users at its one port: BAR 4, the writes of endpoints that lie in the pool, and loads from these. Whole
// transactions, in the order in which they are taken here: who has given a write away may count on it being before every
// read that is taken later.
//
// The grant is a register, so that no ready depends on a valid. It stays where it was last needed: a user that is alone
// moves a beat a clock, and so do users that take turns; only the first beat after a pause waits a clock.
module glk_pool_mux #(
  parameter int DATA_W = 512,
  parameter int LANES  = DATA_W / 8
) (
  input  logic              clk,
  input  logic              rst,

  // BAR 4; not across 4 KiB.
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

  // Writes to endpoints; may cross 4 KiB once.
  input  logic [47:0]       e_offset,
  input  logic [12:0]       e_length,
  input  logic [DATA_W-1:0] e_data,
  input  logic              e_last,
  input  logic              e_valid,
  output logic              e_ready,

  // Loads; not across 4 KiB.
  input  logic [47:0]       l_offset,
  input  logic [12:0]       l_length,
  input  logic              l_valid,
  output logic              l_ready,
  output logic [DATA_W-1:0] l_q_data,
  output logic              l_q_last,
  output logic              l_q_valid,
  input  logic              l_q_ready,

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

  // --- whose turn it is ---
  logic gb, ge, gl; // one of them is set
  logic begun;     // a transaction has begun and not ended
  logic o_ready;    // of the output stage

  assign b_ready = gb && o_ready;
  assign e_ready = ge && o_ready;
  assign l_ready = gl && o_ready;

  wire now_valid = (gb && b_valid) || (ge && e_valid) || (gl && l_valid);
  wire now_last  = (gb && b_last) || (ge && e_last) || gl;
  wire beat      = now_valid && o_ready;
  wire over      = (beat && now_last) || (!now_valid && !begun);

  always_ff @(posedge clk) begin
    if (beat)
      begun <= !now_last;
    if (over && (b_valid || e_valid || l_valid)) begin
      // After the one that had it come the others, in a ring.
      gb <= b_valid && (gl || (ge && !l_valid) || (!e_valid && !l_valid));
      ge <= e_valid && (gb || (gl && !b_valid) || (!l_valid && !b_valid));
      gl <= l_valid && (ge || (gb && !e_valid) || (!b_valid && !e_valid));
    end
    if (rst) begin
      gb     <= 1'b1;
      ge     <= 1'b0;
      gl     <= 1'b0;
      begun <= 1'b0;
    end
  end

  // --- a write to an endpoint ends with its page; what is left is a transaction of its own ---
  logic           e_second;
  logic [11-LB:0] e_line; // of the beats after the first
  wire [11-LB:0]  line = begun ? e_line : e_offset[11:LB];
  wire            cut  = (&line) && !e_last;
  wire [12:0]     sum  = {1'b0, e_offset[11:0]} + e_length; // where it ends, from the page of its first byte
  wire            crosses = sum[12]; // or ends with the page: then all of it is there, too
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

  // --- out ---
  wire          o_write = ge || (gb && b_write);
  wire          o_last  = now_last || (ge && cut);
  wire [47:0]   o_offset = gb ? b_offset : gl ? l_offset : e_second ? {next_page, 12'b0} : e_offset;
  wire [12:0]   o_length = gb ? b_length : gl ? l_length : e_second ? {1'b0, sum[11:0]} : crosses ? room : e_length;
  wire [DATA_W-1:0] o_data = ge ? e_data : b_data;

  glk_skid #(.W(1 + 48 + 13 + DATA_W + 1)) out (
    .clk, .rst, .s_data({o_write, o_offset, o_length, o_data, o_last}), .s_valid(now_valid), .s_ready(o_ready),
    .m_data({pool_write, pool_offset, pool_length, pool_data, pool_last}), .m_valid(pool_valid), .m_ready(pool_ready));

  // --- answers, to who asked; each user asks once and then waits, so this never fills ---
  logic asks_ready, asker_valid, asker; // 1: a load
  wire  asks = beat && !o_write;
  glk_fifo #(.W(1), .DEPTH(16)) askers (
    .clk, .rst, .s_data(gl), .s_valid(asks), .s_ready(asks_ready),
    .m_data(asker), .m_valid(asker_valid), .m_ready(pool_q_valid && pool_q_ready && pool_q_last));

  logic q_in_ready, q_valid, q_asker, q_last;
  logic [DATA_W-1:0] q_data;
  assign pool_q_ready = asker_valid && q_in_ready;
  glk_skid #(.W(1 + DATA_W + 1)) back (
    .clk, .rst, .s_data({asker, pool_q_data, pool_q_last}), .s_valid(pool_q_valid && asker_valid), .s_ready(q_in_ready),
    .m_data({q_asker, q_data, q_last}), .m_valid(q_valid), .m_ready(q_asker ? l_q_ready : b_q_ready));
  assign b_q_data  = q_data;
  assign b_q_last  = q_last;
  assign b_q_valid = q_valid && !q_asker;
  assign l_q_data  = q_data;
  assign l_q_last  = q_last;
  assign l_q_valid = q_valid && q_asker;

  always_ff @(posedge clk)
    if (!rst)
      assert (!asks || asks_ready);
endmodule
