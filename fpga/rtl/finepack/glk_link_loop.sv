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
  input  logic [DATA_W-1:0] t_data,
  input  logic [KW-1:0]     t_bytes,
  input  logic              t_last,
  input  logic              t_valid,
  output logic              t_ready,

  // Observation port: shows a beat when it is transferred
  output logic [DATA_W-1:0] lt_data,
  output logic [KW-1:0]     lt_bytes,
  output logic              lt_last,
  output logic              lt_valid,
  input  logic              lt_ready,

  // Injected packets
  input  logic [DATA_W-1:0] lr_data,
  input  logic [KW-1:0]     lr_bytes,
  input  logic              lr_last,
  input  logic              lr_valid,
  output logic              lr_ready,

  // To the receiver
  output logic [DATA_W-1:0] u_data,
  output logic [KW-1:0]     u_bytes,
  output logic              u_last,
  output logic              u_own,
  output logic              u_valid,
  input  logic              u_ready
);
  localparam int W = DATA_W + KW + 1;

  // --- own packets: observation port, then FIFO. A beat is shown only if the FIFO has space ---
  logic         seen_valid, room;
  logic [W-1:0] own;
  logic         own_valid, own_ready;

  glk_skid #(.W(W)) sent (
    .clk, .rst, .s_data({t_data, t_bytes, t_last}), .s_valid(t_valid), .s_ready(t_ready),
    .m_data({lt_data, lt_bytes, lt_last}), .m_valid(seen_valid), .m_ready(lt_ready && room));
  assign lt_valid = seen_valid && room;
  glk_fifo #(.W(W), .DEPTH(64)) loop (
    .clk, .rst, .s_data({lt_data, lt_bytes, lt_last}), .s_valid(seen_valid && lt_ready), .s_ready(room),
    .m_data(own), .m_valid(own_valid), .m_ready(own_ready));

  // --- injected packets: dropped as a whole ---
  logic         in_packet, dropping;
  logic [W-1:0] other;
  logic         other_valid, other_ready;
  wire          drop = in_packet ? dropping : !enabled;

  always_ff @(posedge clk) begin
    if (lr_valid && lr_ready) begin
      in_packet <= !lr_last;
      dropping  <= drop;
    end
    if (rst)
      in_packet <= 1'b0;
  end
  glk_skid #(.W(W)) received (
    .clk, .rst, .s_data({lr_data, lr_bytes, lr_last}), .s_valid(lr_valid && !drop), .s_ready(lr_ready),
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
    .m_data({u_data, u_bytes, u_last, u_own}), .m_valid(u_valid), .m_ready(u_ready));
endmodule
`default_nettype wire
