// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// A card's link layer behind the crossing to the transceivers' clock. Flits are of class posted, one piece each.
module link_clock_bench #(
  parameter int DEPTH = 32
) (
  input  logic         clk,
  input  logic         rst,
  input  logic [15:0]  session,
  input  logic [127:0] s_data,
  input  logic         s_valid,
  output logic         s_ready,
  output logic         c_valid,
  output logic [1:0]   c_class,
  output logic [11:0]  c_pieces,
  output logic [127:0] m_data,
  output logic         m_valid,
  input  logic         m_freed,
  output logic         up,
  output logic         e_ended,
  output logic         e_replay,
  output logic         e_crc,
  output logic         e_lost,
  input  logic         w_clk,
  input  logic         w_rst,
  output logic [127:0] tx_data,
  output logic         tx_control,
  output logic         tx_valid,
  input  logic         tx_ready,
  input  logic [127:0] rx_data,
  input  logic         rx_control,
  input  logic         rx_valid,
  input  logic         rx_up
);
  logic [127:0] link_in_data, link_out_data;
  logic         link_in_control, link_in_valid, link_in_cut, link_out_control, link_out_valid, link_out_go;
  glk_link_layer #(.FRAMES(64), .BUFFER(2048)) layer (
    .clk, .rst, .cfg_serial(64'(session)), .cfg_compact(1'b1), .cfg_cluster(8'd0), .cfg_session(session),
    .cfg_room({3{12'd600}}), .cfg_replay(32'd3000), .cfg_ack(32'd16), .cfg_hello(32'd2000), .s_type(5'd1), .s_data,
    .s_pieces(9'd1), .s_valid, .s_ready, .credit_valid(c_valid), .credit_class(c_class), .credit_pieces(c_pieces), .m_type(),
    .m_data, .m_valid, .m_ready(1'b1), .m_refused(1'b0), .m_freed(36'(m_freed)),
    .link_in_data, .link_in_control, .link_in_valid, .link_in_cut, .link_in_reset(1'b0), .link_out_data,
    .link_out_control, .link_out_valid, .link_out_go, .up, .peer_serial(), .peer_cluster(), .peer_compact(), .e_up(),
    .e_resumed(), .e_lost(), .e_ended, .e_down(), .e_frame_sent(), .e_frame_received(), .e_word_sent(), .e_replay,
    .e_frame_replayed(), .e_frame_repeated(), .e_crc, .e_sequence(), .e_protocol(), .e_version());
  glk_link_clock #(.DEPTH(DEPTH)) crossing (
    .clk, .rst, .link_out_data, .link_out_control, .link_out_valid, .link_out_go, .link_in_data, .link_in_control,
    .link_in_valid, .link_in_cut, .e_lost,
    .wire_clk(w_clk), .wire_rst(w_rst), .tx_data, .tx_control, .tx_valid, .tx_ready, .rx_data, .rx_control, .rx_valid, .rx_up);
endmodule
`default_nettype wire
