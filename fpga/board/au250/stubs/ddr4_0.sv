// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Interface of the DDR4 controller as ip/ddr4.tcl configures it, without its function: for elaboration only. Written from PG150
// (UltraScale architecture-based FPGAs memory IP, v1.4). Not compared with a generated instantiation template.
/* verilator lint_off UNUSEDSIGNAL */
module ddr4_0 (
  input  logic         sys_rst,
  input  logic         c0_sys_clk_p,
  input  logic         c0_sys_clk_n,
  output logic         c0_init_calib_complete,
  output logic         c0_ddr4_interrupt,
  output logic         dbg_clk,
  output logic [511:0] dbg_bus,
  output logic [16:0]  c0_ddr4_adr,
  output logic [1:0]   c0_ddr4_ba,
  output logic [1:0]   c0_ddr4_bg,
  output logic [0:0]   c0_ddr4_cke,
  output logic [0:0]   c0_ddr4_cs_n,
  output logic [0:0]   c0_ddr4_odt,
  output logic [0:0]   c0_ddr4_ck_t,
  output logic [0:0]   c0_ddr4_ck_c,
  output logic         c0_ddr4_act_n,
  output logic         c0_ddr4_parity,
  output logic         c0_ddr4_reset_n,
  inout  wire  [71:0]  c0_ddr4_dq,
  inout  wire  [17:0]  c0_ddr4_dqs_t,
  inout  wire  [17:0]  c0_ddr4_dqs_c,
  output logic         c0_ddr4_ui_clk,
  output logic         c0_ddr4_ui_clk_sync_rst,
  input  logic         c0_ddr4_aresetn,

  // Registers of the error correction
  input  logic         c0_ddr4_s_axi_ctrl_awvalid,
  output logic         c0_ddr4_s_axi_ctrl_awready,
  input  logic [31:0]  c0_ddr4_s_axi_ctrl_awaddr,
  input  logic         c0_ddr4_s_axi_ctrl_wvalid,
  output logic         c0_ddr4_s_axi_ctrl_wready,
  input  logic [31:0]  c0_ddr4_s_axi_ctrl_wdata,
  output logic         c0_ddr4_s_axi_ctrl_bvalid,
  input  logic         c0_ddr4_s_axi_ctrl_bready,
  output logic [1:0]   c0_ddr4_s_axi_ctrl_bresp,
  input  logic         c0_ddr4_s_axi_ctrl_arvalid,
  output logic         c0_ddr4_s_axi_ctrl_arready,
  input  logic [31:0]  c0_ddr4_s_axi_ctrl_araddr,
  output logic         c0_ddr4_s_axi_ctrl_rvalid,
  input  logic         c0_ddr4_s_axi_ctrl_rready,
  output logic [31:0]  c0_ddr4_s_axi_ctrl_rdata,
  output logic [1:0]   c0_ddr4_s_axi_ctrl_rresp,

  input  logic [0:0]   c0_ddr4_s_axi_awid,
  input  logic [33:0]  c0_ddr4_s_axi_awaddr,
  input  logic [7:0]   c0_ddr4_s_axi_awlen,
  input  logic [2:0]   c0_ddr4_s_axi_awsize,
  input  logic [1:0]   c0_ddr4_s_axi_awburst,
  input  logic [0:0]   c0_ddr4_s_axi_awlock,
  input  logic [3:0]   c0_ddr4_s_axi_awcache,
  input  logic [2:0]   c0_ddr4_s_axi_awprot,
  input  logic [3:0]   c0_ddr4_s_axi_awqos,
  input  logic         c0_ddr4_s_axi_awvalid,
  output logic         c0_ddr4_s_axi_awready,
  input  logic [511:0] c0_ddr4_s_axi_wdata,
  input  logic [63:0]  c0_ddr4_s_axi_wstrb,
  input  logic         c0_ddr4_s_axi_wlast,
  input  logic         c0_ddr4_s_axi_wvalid,
  output logic         c0_ddr4_s_axi_wready,
  output logic [0:0]   c0_ddr4_s_axi_bid,
  output logic [1:0]   c0_ddr4_s_axi_bresp,
  output logic         c0_ddr4_s_axi_bvalid,
  input  logic         c0_ddr4_s_axi_bready,
  input  logic [0:0]   c0_ddr4_s_axi_arid,
  input  logic [33:0]  c0_ddr4_s_axi_araddr,
  input  logic [7:0]   c0_ddr4_s_axi_arlen,
  input  logic [2:0]   c0_ddr4_s_axi_arsize,
  input  logic [1:0]   c0_ddr4_s_axi_arburst,
  input  logic [0:0]   c0_ddr4_s_axi_arlock,
  input  logic [3:0]   c0_ddr4_s_axi_arcache,
  input  logic [2:0]   c0_ddr4_s_axi_arprot,
  input  logic [3:0]   c0_ddr4_s_axi_arqos,
  input  logic         c0_ddr4_s_axi_arvalid,
  output logic         c0_ddr4_s_axi_arready,
  output logic [0:0]   c0_ddr4_s_axi_rid,
  output logic [511:0] c0_ddr4_s_axi_rdata,
  output logic [1:0]   c0_ddr4_s_axi_rresp,
  output logic         c0_ddr4_s_axi_rlast,
  output logic         c0_ddr4_s_axi_rvalid,
  input  logic         c0_ddr4_s_axi_rready
);
  assign {c0_init_calib_complete, c0_ddr4_interrupt, dbg_clk, dbg_bus, c0_ddr4_ui_clk, c0_ddr4_ui_clk_sync_rst} = '0;
  assign {c0_ddr4_adr, c0_ddr4_ba, c0_ddr4_bg, c0_ddr4_cke, c0_ddr4_cs_n, c0_ddr4_odt, c0_ddr4_ck_t, c0_ddr4_ck_c} = '0;
  assign {c0_ddr4_act_n, c0_ddr4_parity, c0_ddr4_reset_n} = '0;
  assign {c0_ddr4_dq, c0_ddr4_dqs_t, c0_ddr4_dqs_c} = 'z;
  assign {c0_ddr4_s_axi_ctrl_awready, c0_ddr4_s_axi_ctrl_wready, c0_ddr4_s_axi_ctrl_bvalid, c0_ddr4_s_axi_ctrl_bresp} = '0;
  assign {c0_ddr4_s_axi_ctrl_arready, c0_ddr4_s_axi_ctrl_rvalid, c0_ddr4_s_axi_ctrl_rdata, c0_ddr4_s_axi_ctrl_rresp} = '0;
  assign {c0_ddr4_s_axi_awready, c0_ddr4_s_axi_wready, c0_ddr4_s_axi_bid, c0_ddr4_s_axi_bresp, c0_ddr4_s_axi_bvalid} = '0;
  assign {c0_ddr4_s_axi_arready, c0_ddr4_s_axi_rid, c0_ddr4_s_axi_rdata, c0_ddr4_s_axi_rresp, c0_ddr4_s_axi_rlast} = '0;
  assign c0_ddr4_s_axi_rvalid = 1'b0;
endmodule
`default_nettype wire
