// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Interface of Aurora 64B/66B as ip/aurora.tcl configures it (two lanes, framing, little endian, shared logic in the core),
// without its function: for elaboration only. Written from PG074 (Aurora 64B/66B, v12.0). Not compared with a generated
// instantiation template.
/* verilator lint_off UNUSEDSIGNAL */
module aurora_64b66b_0 (
  input  logic [127:0] s_axi_tx_tdata,
  input  logic [15:0]  s_axi_tx_tkeep,
  input  logic         s_axi_tx_tlast,
  input  logic         s_axi_tx_tvalid,
  output logic         s_axi_tx_tready,
  output logic [127:0] m_axi_rx_tdata,
  output logic [15:0]  m_axi_rx_tkeep,
  output logic         m_axi_rx_tlast,
  output logic         m_axi_rx_tvalid,
  input  logic [1:0]   rxp,
  input  logic [1:0]   rxn,
  output logic [1:0]   txp,
  output logic [1:0]   txn,
  output logic         hard_err,
  output logic         soft_err,
  output logic         channel_up,
  output logic [1:0]   lane_up,
  output logic         user_clk_out,
  output logic         sync_clk_out,
  output logic         gt_refclk1_out,
  input  logic         gt_refclk1_p,
  input  logic         gt_refclk1_n,
  input  logic         init_clk,
  input  logic         reset_pb,
  input  logic         pma_init,
  output logic         sys_reset_out,
  output logic         gt_reset_out,
  output logic         link_reset_out,
  output logic         mmcm_not_locked_out,
  output logic [1:0]   gt_powergood,
  output logic         gt_pll_lock,
  output logic         tx_out_clk,
  input  logic         power_down,
  input  logic         gt_rxcdrovrden_in,
  input  logic [2:0]   loopback // 000 none, 001 near-end PCS, 010 near-end PMA
);
  assign {s_axi_tx_tready, m_axi_rx_tdata, m_axi_rx_tkeep, m_axi_rx_tlast, m_axi_rx_tvalid, txp, txn, hard_err, soft_err} = '0;
  assign {channel_up, lane_up, user_clk_out, sync_clk_out, gt_refclk1_out, sys_reset_out, gt_reset_out, link_reset_out} = '0;
  assign {mmcm_not_locked_out, gt_powergood, gt_pll_lock, tx_out_clk} = '0;
endmodule
`default_nettype wire
