// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// AXI4 of glk_pool_axi between the card's clock and the memory controller's, a FIFO per channel. Reset both sides only together
// with the memory.
module glk_axi_clock #(
  parameter int DATA_W = 512,
  parameter int DEPTH  = 32, // words per channel
  parameter int LANES  = DATA_W / 8
) (
  input  logic              clk,
  input  logic              rst,
  input  logic [47:0]       s_awaddr,
  input  logic [7:0]        s_awlen,
  input  logic              s_awvalid,
  output logic              s_awready,
  input  logic [DATA_W-1:0] s_wdata,
  input  logic [LANES-1:0]  s_wstrb,
  input  logic              s_wlast,
  input  logic              s_wvalid,
  output logic              s_wready,
  output logic [1:0]        s_bresp,
  output logic              s_bvalid,
  input  logic              s_bready,
  input  logic [47:0]       s_araddr,
  input  logic [7:0]        s_arlen,
  input  logic              s_arvalid,
  output logic              s_arready,
  output logic [DATA_W-1:0] s_rdata,
  output logic [1:0]        s_rresp,
  output logic              s_rlast,
  output logic              s_rvalid,
  input  logic              s_rready,

  input  logic              m_clk,
  input  logic              m_rst,
  output logic [47:0]       m_awaddr,
  output logic [7:0]        m_awlen,
  output logic              m_awvalid,
  input  logic              m_awready,
  output logic [DATA_W-1:0] m_wdata,
  output logic [LANES-1:0]  m_wstrb,
  output logic              m_wlast,
  output logic              m_wvalid,
  input  logic              m_wready,
  input  logic [1:0]        m_bresp,
  input  logic              m_bvalid,
  output logic              m_bready,
  output logic [47:0]       m_araddr,
  output logic [7:0]        m_arlen,
  output logic              m_arvalid,
  input  logic              m_arready,
  input  logic [DATA_W-1:0] m_rdata,
  input  logic [1:0]        m_rresp,
  input  logic              m_rlast,
  input  logic              m_rvalid,
  output logic              m_rready
);
  localparam int A = $clog2(DEPTH);
  logic [5*(A+1)-1:0] unused_room;
  logic [9:0]         unused_up;

  glk_async_fifo #(.W(56), .DEPTH(DEPTH)) aw (
    .s_clk(clk), .s_rst(rst), .s_data({s_awaddr, s_awlen}), .s_valid(s_awvalid), .s_ready(s_awready),
    .s_room(unused_room[0 +: A+1]), .s_up(unused_up[0]), .m_clk, .m_rst, .m_data({m_awaddr, m_awlen}), .m_valid(m_awvalid),
    .m_ready(m_awready), .m_up(unused_up[5]));
  glk_async_fifo #(.W(DATA_W + LANES + 1), .DEPTH(DEPTH)) w (
    .s_clk(clk), .s_rst(rst), .s_data({s_wdata, s_wstrb, s_wlast}), .s_valid(s_wvalid), .s_ready(s_wready),
    .s_room(unused_room[A+1 +: A+1]), .s_up(unused_up[1]), .m_clk, .m_rst, .m_data({m_wdata, m_wstrb, m_wlast}),
    .m_valid(m_wvalid), .m_ready(m_wready), .m_up(unused_up[6]));
  glk_async_fifo #(.W(2), .DEPTH(DEPTH)) b (
    .s_clk(m_clk), .s_rst(m_rst), .s_data(m_bresp), .s_valid(m_bvalid), .s_ready(m_bready),
    .s_room(unused_room[2*(A+1) +: A+1]), .s_up(unused_up[2]), .m_clk(clk), .m_rst(rst), .m_data(s_bresp), .m_valid(s_bvalid),
    .m_ready(s_bready), .m_up(unused_up[7]));
  glk_async_fifo #(.W(56), .DEPTH(DEPTH)) ar (
    .s_clk(clk), .s_rst(rst), .s_data({s_araddr, s_arlen}), .s_valid(s_arvalid), .s_ready(s_arready),
    .s_room(unused_room[3*(A+1) +: A+1]), .s_up(unused_up[3]), .m_clk, .m_rst, .m_data({m_araddr, m_arlen}),
    .m_valid(m_arvalid), .m_ready(m_arready), .m_up(unused_up[8]));
  glk_async_fifo #(.W(DATA_W + 3), .DEPTH(DEPTH)) r (
    .s_clk(m_clk), .s_rst(m_rst), .s_data({m_rdata, m_rresp, m_rlast}), .s_valid(m_rvalid), .s_ready(m_rready),
    .s_room(unused_room[4*(A+1) +: A+1]), .s_up(unused_up[4]), .m_clk(clk), .m_rst(rst), .m_data({s_rdata, s_rresp, s_rlast}),
    .m_valid(s_rvalid), .m_ready(s_rready), .m_up(unused_up[9]));
  wire unused = &{1'b0, unused_room, unused_up};
endmodule
`default_nettype wire
