// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// The pool port behind its AXI4 master and the crossing to the memory's clock.
module pool_axi_bench #(
  parameter int DATA_W = 512,
  parameter int LANES  = DATA_W / 8
) (
  input  logic              clk,
  input  logic              rst,
  input  logic              mem_rst,
  input  logic              p_write,
  input  logic [47:0]       p_offset,
  input  logic [12:0]       p_length,
  input  logic [DATA_W-1:0] p_data,
  input  logic              p_last,
  input  logic              p_valid,
  output logic              p_ready,
  output logic [DATA_W-1:0] q_data,
  output logic              q_last,
  output logic              q_valid,
  input  logic              q_ready,
  output logic              e_write,
  output logic              e_read,
  output logic [35:0]       error_write_page,
  output logic [35:0]       error_read_page,
  input  logic              m_clk,
  input  logic              m_rst,
  output logic [47:0]       awaddr,
  output logic [7:0]        awlen,
  output logic              awvalid,
  input  logic              awready,
  output logic [DATA_W-1:0] wdata,
  output logic [LANES-1:0]  wstrb,
  output logic              wlast,
  output logic              wvalid,
  input  logic              wready,
  input  logic [1:0]        bresp,
  input  logic              bvalid,
  output logic              bready,
  output logic [47:0]       araddr,
  output logic [7:0]        arlen,
  output logic              arvalid,
  input  logic              arready,
  input  logic [DATA_W-1:0] rdata,
  input  logic [1:0]        rresp,
  input  logic              rlast,
  input  logic              rvalid,
  output logic              rready
);
  logic [47:0]       s_awaddr, s_araddr;
  logic [7:0]        s_awlen, s_arlen;
  logic [DATA_W-1:0] s_wdata, s_rdata;
  logic [LANES-1:0]  s_wstrb;
  logic [1:0]        s_bresp, s_rresp;
  logic              s_awvalid, s_awready, s_wlast, s_wvalid, s_wready, s_bvalid, s_bready, s_arvalid, s_arready, s_rlast,
                     s_rvalid, s_rready;
  glk_pool_axi #(.DATA_W(DATA_W)) master (
    .clk, .rst, .mem_rst, .pool_write(p_write), .pool_offset(p_offset), .pool_length(p_length), .pool_data(p_data),
    .pool_last(p_last), .pool_valid(p_valid), .pool_ready(p_ready), .pool_q_data(q_data), .pool_q_last(q_last),
    .pool_q_valid(q_valid), .pool_q_ready(q_ready),
    .e_write, .e_read, .error_write_page, .error_read_page, .awaddr(s_awaddr), .awlen(s_awlen), .awvalid(s_awvalid),
    .awready(s_awready), .wdata(s_wdata), .wstrb(s_wstrb), .wlast(s_wlast), .wvalid(s_wvalid), .wready(s_wready),
    .bresp(s_bresp), .bvalid(s_bvalid), .bready(s_bready), .araddr(s_araddr), .arlen(s_arlen), .arvalid(s_arvalid),
    .arready(s_arready), .rdata(s_rdata), .rresp(s_rresp), .rlast(s_rlast), .rvalid(s_rvalid), .rready(s_rready));
  glk_axi_clock #(.DATA_W(DATA_W)) crossing (
    .clk, .rst(mem_rst), .s_awaddr, .s_awlen, .s_awvalid, .s_awready, .s_wdata, .s_wstrb, .s_wlast, .s_wvalid, .s_wready,
    .s_bresp, .s_bvalid, .s_bready, .s_araddr, .s_arlen, .s_arvalid, .s_arready, .s_rdata, .s_rresp, .s_rlast, .s_rvalid,
    .s_rready, .m_clk, .m_rst, .m_awaddr(awaddr), .m_awlen(awlen), .m_awvalid(awvalid), .m_awready(awready), .m_wdata(wdata),
    .m_wstrb(wstrb), .m_wlast(wlast), .m_wvalid(wvalid), .m_wready(wready), .m_bresp(bresp), .m_bvalid(bvalid),
    .m_bready(bready), .m_araddr(araddr), .m_arlen(arlen), .m_arvalid(arvalid), .m_arready(arready), .m_rdata(rdata),
    .m_rresp(rresp), .m_rlast(rlast), .m_rvalid(rvalid), .m_rready(rready));
endmodule
`default_nettype wire
