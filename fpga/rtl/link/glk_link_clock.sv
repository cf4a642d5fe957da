// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// The link's blocks between the card's clock and that of the transceivers.
//
// Transmit: ready/valid. link_out_go stops the link layer while there is room for all blocks that it may still send: it looks
// at the room of the clock before, so up to seven come, and no block is lost while both sides run. Receive: a block
// for which there is no room is lost, as on a lossy wire; the link layer has it sent again. That does not happen when the
// transceivers deliver less than a block per clock of the card.
module glk_link_clock #(
  parameter int DEPTH = 32 // blocks per direction; a power of two, at least 16
) (
  input  logic         clk,
  input  logic         rst,
  input  logic [127:0] link_out_data, // glk_card
  input  logic         link_out_control,
  input  logic         link_out_valid,
  output logic         link_out_go,
  output logic [127:0] link_in_data,
  output logic         link_in_control,
  output logic         link_in_valid,
  output logic         link_in_cut,
  output logic         e_lost, // received blocks were lost

  // Transceivers
  input  logic         wire_clk,
  input  logic         wire_rst,
  output logic [127:0] tx_data,
  output logic         tx_control,
  output logic         tx_valid,
  input  logic         tx_ready,
  input  logic [127:0] rx_data,
  input  logic         rx_control,
  input  logic         rx_valid,
  input  logic         rx_up   // the lanes are aligned: blocks are received; its end is a loss of signal
);
  localparam int A      = $clog2(DEPTH);
  localparam int BEHIND = 7; // blocks that may still come when the room is looked at

  // --- transmit ---
  logic [A:0] room;
  logic       tx_runs, s_ready, unused_up;
  glk_async_fifo #(.W(129), .DEPTH(DEPTH)) transmit (
    .s_clk(clk), .s_rst(rst), .s_data({link_out_control, link_out_data}), .s_valid(link_out_valid), .s_ready, .s_room(room),
    .s_up(tx_runs),
    .m_clk(wire_clk), .m_rst(wire_rst), .m_data({tx_control, tx_data}), .m_valid(tx_valid), .m_ready(tx_ready),
    .m_up(unused_up));
  always_ff @(posedge clk)
    link_out_go <= !rst && room > (A+1)'(BEHIND);
`ifndef SYNTHESIS
  wire  checks;
  logic ready_before; // when both sides have run for a clock
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk) begin
    ready_before <= !rst && tx_runs;
    if (checks && tx_runs && ready_before)
      begin : output_has_room assert (!link_out_valid || s_ready); end
  end
`endif

  // --- receive ---
  logic [127:0] a_data, b_data;
  logic         a_control, a_valid, a_up, cut, lost, b_control, b_valid, b_cut, b_lost, m_valid, rx_runs, ran, rx_ready;
  wire          offer = a_valid || cut;
  logic [A:0]   unused_room;
  logic         unused_s_up;
  always_ff @(posedge wire_clk) begin
    a_data    <= rx_data;
    a_control <= rx_control;
    a_valid   <= rx_valid && rx_up;
    a_up      <= rx_up;
    if (offer && rx_ready) begin
      cut  <= 1'b0;
      lost <= 1'b0;
    end
    if (a_valid && !rx_ready)
      lost <= 1'b1;
    if (a_up && !rx_up)
      cut <= 1'b1;
    if (wire_rst) begin
      a_valid <= 1'b0;
      a_up    <= 1'b0;
      cut     <= 1'b1;
      lost    <= 1'b0;
    end
  end

  glk_async_fifo #(.W(132), .DEPTH(DEPTH)) receive (
    .s_clk(wire_clk), .s_rst(wire_rst), .s_data({lost, cut, a_valid, a_control, a_data}), .s_valid(offer), .s_ready(rx_ready),
    .s_room(unused_room), .s_up(unused_s_up), .m_clk(clk), .m_rst(rst), .m_data({b_lost, b_cut, b_valid, b_control, b_data}),
    .m_valid, .m_ready(1'b1), .m_up(rx_runs));
  always_ff @(posedge clk) begin
    link_in_data    <= b_data;
    link_in_control <= b_control;
    link_in_valid   <= m_valid && b_valid;
    link_in_cut     <= (m_valid && b_cut) || (ran && !rx_runs);
    e_lost          <= m_valid && b_lost;
    ran             <= rx_runs;
    if (rst) begin
      link_in_valid <= 1'b0;
      link_in_cut   <= 1'b0;
      e_lost        <= 1'b0;
      ran           <= 1'b0;
    end
  end
  wire unused = &{1'b0, unused_room, unused_s_up, unused_up, s_ready};
endmodule
`default_nettype wire
