// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Loop-back of packets to the card's own endpoints, with an observation port that can stall it; packets from elsewhere are
// merged in, whole packets, round robin.
module glk_link_loop #(
  parameter int DATA_W = 512,
  parameter int KW     = $clog2(DATA_W / 8 + 1)
) (
  input  logic              clk,
  input  logic              rst,
  input  logic              enabled, // low: injected packets that begin are dropped

  // Packets of the card
  input  logic [DATA_W-1:0] packet_data,
  input  logic [KW-1:0]     packet_bytes,
  input  logic              packet_last,
  input  logic              packet_valid,
  output logic              packet_ready,

  // Observation port: shows a beat when it is transferred
  output logic [DATA_W-1:0] tap_data,
  output logic [KW-1:0]     tap_bytes,
  output logic              tap_last,
  output logic              tap_valid,
  input  logic              tap_ready,

  // Injected packets
  input  logic [DATA_W-1:0] inject_data,
  input  logic [KW-1:0]     inject_bytes,
  input  logic              inject_last,
  input  logic              inject_valid,
  output logic              inject_ready,

  // To the receiver
  output logic [DATA_W-1:0] receiver_data,
  output logic [KW-1:0]     receiver_bytes,
  output logic              receiver_last,
  output logic              receiver_own,
  output logic              receiver_valid,
  input  logic              receiver_ready
);
  localparam int W = DATA_W + KW + 1;

  // --- own packets: observation port, then FIFO. A beat is shown only if the FIFO has space ---
  logic         seen_valid, room;
  logic [W-1:0] own;
  logic         own_valid, own_ready;

  glk_skid #(.W(W)) sent (
    .clk, .rst, .s_data({packet_data, packet_bytes, packet_last}), .s_valid(packet_valid), .s_ready(packet_ready),
    .m_data({tap_data, tap_bytes, tap_last}), .m_valid(seen_valid), .m_ready(tap_ready && room));
  assign tap_valid = seen_valid && room;
  glk_fifo #(.W(W), .DEPTH(64)) loop (
    .clk, .rst, .s_data({tap_data, tap_bytes, tap_last}), .s_valid(seen_valid && tap_ready), .s_ready(room),
    .m_data(own), .m_valid(own_valid), .m_ready(own_ready));

  // --- injected packets: dropped as a whole ---
  logic         in_packet, dropping;
  logic [W-1:0] other;
  logic         other_valid, other_ready;
  wire          drop = in_packet ? dropping : !enabled;

  always_ff @(posedge clk) begin
    if (inject_valid && inject_ready) begin
      in_packet <= !inject_last;
      dropping  <= drop;
    end
    if (rst)
      in_packet <= 1'b0;
  end
  glk_skid #(.W(W)) received (
    .clk, .rst, .s_data({inject_data, inject_bytes, inject_last}), .s_valid(inject_valid && !drop), .s_ready(inject_ready),
    .m_data(other), .m_valid(other_valid), .m_ready(other_ready));

  // --- arbiter ---
  logic held;      // inside a packet
  logic other_was; // source of the current or last packet
  logic out_ready;
  wire  others = held ? other_was : other_valid && !(own_valid && other_was);
  wire  valid  = others ? other_valid : own_valid;
  wire  last   = others ? other[0] : own[0];

  assign other_ready = others && out_ready;
  assign own_ready   = !others && out_ready;

  always_ff @(posedge clk) begin
    if (valid && out_ready) begin
      held      <= !last;
      other_was <= others;
    end
    if (rst) begin
      held      <= 1'b0;
      other_was <= 1'b0;
    end
  end
  glk_skid #(.W(W + 1)) out (
    .clk, .rst, .s_data({others ? other : own, !others}), .s_valid(valid), .s_ready(out_ready),
    .m_data({receiver_data, receiver_bytes, receiver_last, receiver_own}), .m_valid(receiver_valid), .m_ready(receiver_ready));
endmodule
`default_nettype wire
