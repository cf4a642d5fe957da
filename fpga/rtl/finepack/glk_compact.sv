// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Finds the form of packets (docs/wire-format.md, "The compact form"): takes the runs of a packet and then the packet, and
// returns the packet with its form, and the words of its description if it leaves in the compact form. Packets keep their
// order.
module glk_compact #(
  parameter int RUNS   = 256, // most of a packet
  parameter int TAIL_W = 3    // bits that are passed on with a packet
) (
  input  logic         clk,
  input  logic         rst,

  // A run, or a packet behind its runs; packets with `s_coded` 0 come without
  input  logic         s_run,
  input  logic         s_packet,
  input  logic         s_begins,  // the packet
  input  logic [37:0]  s_at,
  input  logic [10:0]  s_length,
  input  logic         s_coded,
  input  logic [10:0]  s_headers, // bytes of its sub-headers
  input  logic [12:0]  s_payload,
  input  logic [10:0]  s_runs,
  input  logic [TAIL_W-1:0] s_tail,
  output logic         s_ready,

  output logic         m_compact,
  output logic [8:0]   m_code,    // bits 2:0 of First BE, bits 5:0 of Tag
  output logic [12:0]  m_payload, // in its form
  output logic [10:0]  m_runs,
  output logic [TAIL_W-1:0] m_tail,
  output logic         m_valid,
  input  logic         m_ready,
  output logic         idle,      // no packet is inside

  output logic [127:0] desc_data,
  output logic [3:0]   desc_bytes, // of the word, less one
  output logic         desc_last,  // of the packet
  output logic         desc_valid,
  input  logic         desc_ready
);
  localparam int RECORD_W = 1 + 11 + 13 + 11 + TAIL_W;

  logic [37:0] f_gap, t_gap;
  logic [10:0] f_length, t_length;
  logic        f_like, f_other, f_first, f_valid, f_ready, t_like, t_other, t_first, t_valid, t_ready;
  logic [1:0]  choice_unit, choice_length_order;
  logic        choice_repeats, choice_adjoins, choice_coded, choice_valid, c_ready, choice_takes;
  logic [3:0]  choice_gap_order;
  logic [10:0] choice_headers, choice_runs;
  logic [12:0] choice_payload;
  logic [TAIL_W-1:0] choice_tail;

  // No combinational path from desc_ready or m_ready to s_ready.
  logic [RECORD_W-1:0] i_record;
  logic        i_run, i_packet, i_begins, i_valid;
  logic [37:0] i_at;
  logic [10:0] i_length;
  glk_skid #(.W(3 + 38 + 11 + RECORD_W)) in (
    .clk, .rst, .s_data({s_run, s_packet, s_begins, s_at, s_length, s_coded, s_headers, s_payload, s_runs, s_tail}),
    .s_valid(s_run || s_packet), .s_ready, .m_data({i_run, i_packet, i_begins, i_at, i_length, i_record}), .m_valid(i_valid),
    .m_ready(choice_takes));

  glk_compact_choice #(.RECORD_W(RECORD_W)) choice (
    .clk, .rst, .s_run(i_valid && i_run), .s_packet(i_valid && i_packet), .s_begins(i_begins), .s_at(i_at), .s_length(i_length),
    .s_coded(i_record[RECORD_W-1]), .s_record(i_record), .s_ready(choice_takes),
    .m_gap(f_gap), .m_length(f_length), .m_like(f_like), .m_other(f_other), .m_first(f_first), .m_valid(f_valid),
    .m_ready(f_ready), .choice_unit, .choice_repeats, .choice_gap_order, .choice_length_order, .choice_adjoins,
    .choice_record({choice_coded, choice_headers, choice_payload, choice_runs, choice_tail}), .choice_valid,
    .choice_ready(c_ready));

  // The runs of a packet wait until its last one has come, while those of the previous packet leave.
  glk_block_fifo #(.W(38 + 11 + 3), .DEPTH(2 * RUNS)) shapes (
    .clk, .rst, .s_data({f_gap, f_length, f_like, f_other, f_first}), .s_valid(f_valid), .s_ready(f_ready),
    .m_data({t_gap, t_length, t_like, t_other, t_first}), .m_valid(t_valid), .m_ready(t_ready));

  logic [127:0] d_data;
  logic [3:0]   d_bytes;
  logic         d_last, d_valid, d_commit, d_drop, d_room;
  logic         o_compact, o_valid, o_ready;
  logic [8:0]   o_code;
  logic [12:0]  o_payload;
  logic [10:0]  o_runs;
  logic [TAIL_W-1:0] o_tail;
  glk_compact_writer #(.TAIL_W(TAIL_W)) writer (
    .clk, .rst, .choice_unit, .choice_repeats, .choice_gap_order, .choice_length_order, .choice_adjoins, .choice_coded,
    .choice_headers, .choice_payload, .choice_runs, .choice_tail, .choice_valid, .choice_ready(c_ready), .s_gap(t_gap),
    .s_length(t_length), .s_like(t_like), .s_other(t_other), .s_first(t_first), .s_valid(t_valid), .s_ready(t_ready),
    .desc_data(d_data), .desc_bytes(d_bytes), .desc_last(d_last), .desc_valid(d_valid), .desc_commit(d_commit),
    .desc_drop(d_drop), .desc_room(d_room), .m_compact(o_compact), .m_code(o_code), .m_payload(o_payload), .m_runs(o_runs),
    .m_tail(o_tail), .m_valid(o_valid), .m_ready(o_ready));

  glk_commit_fifo #(.W(128 + 5), .DEPTH(512)) words (
    .clk, .rst, .s_data({d_last, d_bytes, d_data}), .s_valid(d_valid), .s_commit(d_commit), .s_drop(d_drop), .s_room(d_room),
    .m_data({desc_last, desc_bytes, desc_data}), .m_valid(desc_valid), .m_ready(desc_ready));

  glk_skid #(.W(1 + 9 + 13 + 11 + TAIL_W)) out (
    .clk, .rst, .s_data({o_compact, o_code, o_payload, o_runs, o_tail}), .s_valid(o_valid), .s_ready(o_ready),
    .m_data({m_compact, m_code, m_payload, m_runs, m_tail}), .m_valid, .m_ready);

  // --- packets inside: counted a clock later, since inputs are late ---
  localparam int INSIDE_W = 6;
  logic [INSIDE_W-1:0] inside_count;
  logic                entered, left, none;
  wire  [INSIDE_W-1:0] inside_next = inside_count + INSIDE_W'(entered) - INSIDE_W'(left);
  assign idle = none && !entered;
  always_ff @(posedge clk) begin
    entered      <= s_packet && s_ready;
    left         <= m_valid && m_ready;
    inside_count <= inside_next;
    none         <= inside_next == '0;
    if (rst) begin
      entered      <= 1'b0;
      left         <= 1'b0;
      inside_count <= '0;
      none         <= 1'b1;
    end
  end
endmodule
`default_nettype wire
