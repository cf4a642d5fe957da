// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Interface of the PCIE4 block as ip/pcie.tcl configures it, without its function: for elaboration only. Written from PG213
// (UltraScale+ integrated block for PCI Express, v1.3). Not compared with a generated instantiation template.
/* verilator lint_off UNUSEDSIGNAL */
module pcie4_uscale_plus_0 (
  output logic [15:0]  pci_exp_txn,
  output logic [15:0]  pci_exp_txp,
  input  logic [15:0]  pci_exp_rxn,
  input  logic [15:0]  pci_exp_rxp,
  input  logic         sys_clk,
  input  logic         sys_clk_gt,
  input  logic         sys_reset, // active low
  output logic         user_clk,
  output logic         user_reset,
  output logic         user_lnk_up,
  output logic         phy_rdy_out,

  output logic [511:0] m_axis_cq_tdata,
  output logic [15:0]  m_axis_cq_tkeep,
  output logic [182:0] m_axis_cq_tuser,
  output logic         m_axis_cq_tlast,
  output logic         m_axis_cq_tvalid,
  input  logic         m_axis_cq_tready,
  input  logic [1:0]   pcie_cq_np_req,
  output logic [5:0]   pcie_cq_np_req_count,
  input  logic [511:0] s_axis_cc_tdata,
  input  logic [15:0]  s_axis_cc_tkeep,
  input  logic [80:0]  s_axis_cc_tuser,
  input  logic         s_axis_cc_tlast,
  input  logic         s_axis_cc_tvalid,
  output logic [3:0]   s_axis_cc_tready,
  input  logic [511:0] s_axis_rq_tdata,
  input  logic [15:0]  s_axis_rq_tkeep,
  input  logic [136:0] s_axis_rq_tuser,
  input  logic         s_axis_rq_tlast,
  input  logic         s_axis_rq_tvalid,
  output logic [3:0]   s_axis_rq_tready,
  output logic [511:0] m_axis_rc_tdata,
  output logic [15:0]  m_axis_rc_tkeep,
  output logic [160:0] m_axis_rc_tuser,
  output logic         m_axis_rc_tlast,
  output logic         m_axis_rc_tvalid,
  input  logic         m_axis_rc_tready,
  output logic [5:0]   pcie_rq_seq_num0,
  output logic         pcie_rq_seq_num_vld0,
  output logic [5:0]   pcie_rq_seq_num1,
  output logic         pcie_rq_seq_num_vld1,
  output logic [3:0]   pcie_tfc_nph_av,
  output logic [3:0]   pcie_tfc_npd_av,

  output logic         cfg_phy_link_down,
  output logic [2:0]   cfg_negotiated_width,
  output logic [1:0]   cfg_current_speed,
  output logic [1:0]   cfg_max_payload,
  output logic [2:0]   cfg_max_read_req,
  output logic [15:0]  cfg_function_status, // bit 2: bus master enable of function 0
  output logic [5:0]   cfg_ltssm_state,
  output logic         cfg_err_cor_out,
  output logic         cfg_err_nonfatal_out,
  output logic         cfg_err_fatal_out,
  input  logic [9:0]   cfg_mgmt_addr,
  input  logic [7:0]   cfg_mgmt_function_number,
  input  logic         cfg_mgmt_write,
  input  logic [31:0]  cfg_mgmt_write_data,
  input  logic [3:0]   cfg_mgmt_byte_enable,
  input  logic         cfg_mgmt_read,
  output logic [31:0]  cfg_mgmt_read_data,
  output logic         cfg_mgmt_read_write_done,
  input  logic         cfg_mgmt_debug_access,
  input  logic         cfg_msg_transmit,
  input  logic [2:0]   cfg_msg_transmit_type,
  input  logic [31:0]  cfg_msg_transmit_data,
  input  logic [2:0]   cfg_fc_sel,
  input  logic [63:0]  cfg_dsn,
  input  logic         cfg_power_state_change_ack,
  input  logic         cfg_err_cor_in,
  input  logic         cfg_err_uncor_in,
  output logic [3:0]   cfg_flr_in_process,
  input  logic [3:0]   cfg_flr_done,
  input  logic [7:0]   cfg_vf_flr_func_num,
  input  logic         cfg_vf_flr_done,
  input  logic         cfg_link_training_enable,
  input  logic         cfg_config_space_enable,
  input  logic         cfg_req_pm_transition_l23_ready,
  input  logic         cfg_hot_reset_in,
  input  logic         cfg_pm_aspm_l1_entry_reject,
  input  logic         cfg_pm_aspm_tx_l0s_entry_disable,
  input  logic [7:0]   cfg_ds_port_number,
  input  logic [7:0]   cfg_ds_bus_number,
  input  logic [4:0]   cfg_ds_device_number,

  // Interrupts: the block's own MSI-X table; the vector is one-hot on cfg_interrupt_msi_int
  input  logic [3:0]   cfg_interrupt_int,
  input  logic [3:0]   cfg_interrupt_pending,
  output logic         cfg_interrupt_sent,
  output logic [3:0]   cfg_interrupt_msix_enable,
  output logic [3:0]   cfg_interrupt_msix_mask,
  input  logic         cfg_interrupt_msix_int,
  input  logic [1:0]   cfg_interrupt_msix_vec_pending,
  output logic         cfg_interrupt_msix_vec_pending_status,
  input  logic [31:0]  cfg_interrupt_msi_int,
  input  logic [7:0]   cfg_interrupt_msi_function_number,
  input  logic [2:0]   cfg_interrupt_msi_attr,
  input  logic         cfg_interrupt_msi_tph_present,
  input  logic [1:0]   cfg_interrupt_msi_tph_type,
  input  logic [7:0]   cfg_interrupt_msi_tph_st_tag,
  output logic         cfg_interrupt_msi_sent,
  output logic         cfg_interrupt_msi_fail
);
  assign {pci_exp_txn, pci_exp_txp, user_clk, user_reset, user_lnk_up, phy_rdy_out} = '0;
  assign {m_axis_cq_tdata, m_axis_cq_tkeep, m_axis_cq_tuser, m_axis_cq_tlast, m_axis_cq_tvalid, pcie_cq_np_req_count} = '0;
  assign {s_axis_cc_tready, s_axis_rq_tready} = '0;
  assign {m_axis_rc_tdata, m_axis_rc_tkeep, m_axis_rc_tuser, m_axis_rc_tlast, m_axis_rc_tvalid} = '0;
  assign {pcie_rq_seq_num0, pcie_rq_seq_num_vld0, pcie_rq_seq_num1, pcie_rq_seq_num_vld1, pcie_tfc_nph_av, pcie_tfc_npd_av} =
          '0;
  assign {cfg_phy_link_down, cfg_negotiated_width, cfg_current_speed, cfg_max_payload, cfg_max_read_req, cfg_function_status} =
          '0;
  assign {cfg_ltssm_state, cfg_err_cor_out, cfg_err_nonfatal_out, cfg_err_fatal_out, cfg_mgmt_read_data,
          cfg_mgmt_read_write_done} = '0;
  assign {cfg_flr_in_process, cfg_interrupt_sent, cfg_interrupt_msix_enable, cfg_interrupt_msix_mask} = '0;
  assign {cfg_interrupt_msix_vec_pending_status, cfg_interrupt_msi_sent, cfg_interrupt_msi_fail} = '0;
endmodule
`default_nettype wire
