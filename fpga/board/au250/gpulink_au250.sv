// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// The card on an Alveo U250: PCIe Gen3 x16, one DDR4 channel as pool, a link over two lanes of QSFP0. Four clocks: the PCIe
// block's user clock (the card), the memory controller's, the transceivers', and 100 MHz that never stop (time, serial number,
// start of the transceivers). See fpga/board/README.md: nothing of this has run on a board.
module gpulink_au250 #(
  parameter logic [63:0] POOL_BYTES = 64'h4_0000_0000, // BAR 4, and the DIMM
  parameter logic [7:0]  CLUSTER    = 8'd0,            // the other card has another
  parameter logic        LINK       = 1'b1             // a card is connected to QSFP0
) (
  input  logic        clk_300mhz_1_p, // always runs
  input  logic        clk_300mhz_1_n,
  input  logic        pcie_refclk_p,
  input  logic        pcie_refclk_n,
  input  logic        pcie_reset_n,
  output logic [15:0] pcie_tx_p,
  output logic [15:0] pcie_tx_n,
  input  logic [15:0] pcie_rx_p,
  input  logic [15:0] pcie_rx_n,
  input  logic        clk_300mhz_0_p,
  input  logic        clk_300mhz_0_n,
  output logic [16:0] ddr4_c0_adr,
  output logic [1:0]  ddr4_c0_ba,
  output logic [1:0]  ddr4_c0_bg,
  output logic [0:0]  ddr4_c0_cke,
  output logic [0:0]  ddr4_c0_cs_n,
  output logic [0:0]  ddr4_c0_odt,
  output logic [0:0]  ddr4_c0_ck_t,
  output logic [0:0]  ddr4_c0_ck_c,
  output logic        ddr4_c0_act_n,
  output logic        ddr4_c0_par,
  output logic        ddr4_c0_reset_n,
  inout  wire  [71:0] ddr4_c0_dq,
  inout  wire  [17:0] ddr4_c0_dqs_t,
  inout  wire  [17:0] ddr4_c0_dqs_c,
  input  logic        qsfp0_refclk_p,
  input  logic        qsfp0_refclk_n,
  output logic [1:0]  qsfp0_tx_p,
  output logic [1:0]  qsfp0_tx_n,
  input  logic [1:0]  qsfp0_rx_p,
  input  logic [1:0]  qsfp0_rx_n,
  output logic        qsfp0_modsell,
  output logic        qsfp0_resetl,
  output logic        qsfp0_lpmode,
  output logic [1:0]  qsfp0_fs,
  output logic        qsfp0_refclk_reset,
  output logic [2:0]  led
);
  // --- 100 MHz, and a reset after configuration ---
  logic        clk_300, clk_100;
  logic [19:0] started = 20'd0; // 10 ms
  logic        rst_100 = 1'b1, pma_init = 1'b1, reset_pb = 1'b1;
  IBUFDS clock_in (.I(clk_300mhz_1_p), .IB(clk_300mhz_1_n), .O(clk_300));
  BUFGCE_DIV #(.BUFGCE_DIVIDE(3)) clock_100 (.I(clk_300), .CE(1'b1), .CLR(1'b0), .O(clk_100));
  always_ff @(posedge clk_100) begin
    if (started != '1)
      started <= started + 20'd1;
    rst_100  <= started < 20'd64;
    pma_init <= started < 20'h80000;
    reset_pb <= started != '1;
  end

  logic [63:0] serial, now_ns;
  logic        clk, rst;
  glk_board_serial serial_number (.dna_clk(clk_100), .dna_rst(rst_100), .clk, .serial);
  glk_time #(.TICK_NS(10)) time_ns (.time_clk(clk_100), .time_rst(rst_100), .clk, .now_ns);

  // --- PCIe ---
  logic         sys_clk, sys_clk_gt, pcie_up;
  IBUFDS_GTE4 pcie_clock (.I(pcie_refclk_p), .IB(pcie_refclk_n), .CEB(1'b0), .O(sys_clk_gt), .ODIV2(sys_clk));

  (* mark_debug = "true" *) logic m_axis_cq_tvalid, m_axis_cq_tready, s_axis_cc_tvalid, s_axis_rq_tvalid, m_axis_rc_tvalid,
      m_axis_rc_tready;
  (* mark_debug = "true" *) logic [3:0] s_axis_cc_tready, s_axis_rq_tready;
  (* mark_debug = "true" *) logic m_axis_cq_tlast, s_axis_cc_tlast, s_axis_rq_tlast, m_axis_rc_tlast;
  (* mark_debug = "true" *) logic [511:0] m_axis_cq_tdata, s_axis_rq_tdata;
  logic [511:0] s_axis_cc_tdata, m_axis_rc_tdata;
  logic [15:0]  m_axis_cq_tkeep, s_axis_cc_tkeep, s_axis_rq_tkeep, m_axis_rc_tkeep, cfg_function_status;
  logic [182:0] m_axis_cq_tuser;
  logic [80:0]  s_axis_cc_tuser;
  logic [136:0] s_axis_rq_tuser;
  logic [160:0] m_axis_rc_tuser;
  logic [1:0]   pcie_cq_np_req, cfg_max_payload, cfg_interrupt_msix_vec_pending, cfg_current_speed;
  logic [5:0]   pcie_rq_seq_num0, pcie_rq_seq_num1, pcie_cq_np_req_count;
  (* mark_debug = "true" *) logic [5:0] cfg_ltssm_state;
  logic         pcie_rq_seq_num_vld0, pcie_rq_seq_num_vld1, cfg_ext_tag, cfg_interrupt_msix_int, cfg_interrupt_msi_sent;
  logic         cfg_interrupt_msi_fail, cfg_flr_done, cfg_mgmt_read, cfg_mgmt_read_write_done;
  logic [3:0]   pcie_tfc_nph_av, pcie_tfc_npd_av, cfg_flr_in_process, cfg_interrupt_msix_enable, cfg_interrupt_msix_mask;
  logic [2:0]   cfg_max_read_req, cfg_negotiated_width;
  logic [31:0]  cfg_interrupt_msi_int, cfg_mgmt_read_data;
  logic [9:0]   cfg_mgmt_addr;
  logic         err_cor, err_nonfatal, err_fatal, link_down, phy_rdy, int_sent, vec_status;
  pcie4_uscale_plus_0 pcie (
    .pci_exp_txn(pcie_tx_n), .pci_exp_txp(pcie_tx_p), .pci_exp_rxn(pcie_rx_n), .pci_exp_rxp(pcie_rx_p), .sys_clk, .sys_clk_gt,
    .sys_reset(pcie_reset_n), .user_clk(clk), .user_reset(rst), .user_lnk_up(pcie_up), .phy_rdy_out(phy_rdy),
    .m_axis_cq_tdata, .m_axis_cq_tkeep, .m_axis_cq_tuser, .m_axis_cq_tlast, .m_axis_cq_tvalid, .m_axis_cq_tready,
    .pcie_cq_np_req, .pcie_cq_np_req_count, .s_axis_cc_tdata, .s_axis_cc_tkeep, .s_axis_cc_tuser, .s_axis_cc_tlast,
    .s_axis_cc_tvalid, .s_axis_cc_tready, .s_axis_rq_tdata, .s_axis_rq_tkeep, .s_axis_rq_tuser, .s_axis_rq_tlast,
    .s_axis_rq_tvalid, .s_axis_rq_tready, .m_axis_rc_tdata, .m_axis_rc_tkeep, .m_axis_rc_tuser, .m_axis_rc_tlast,
    .m_axis_rc_tvalid, .m_axis_rc_tready, .pcie_rq_seq_num0, .pcie_rq_seq_num_vld0, .pcie_rq_seq_num1, .pcie_rq_seq_num_vld1,
    .pcie_tfc_nph_av, .pcie_tfc_npd_av, .cfg_phy_link_down(link_down), .cfg_negotiated_width, .cfg_current_speed,
    .cfg_max_payload, .cfg_max_read_req, .cfg_function_status, .cfg_ltssm_state, .cfg_err_cor_out(err_cor),
    .cfg_err_nonfatal_out(err_nonfatal), .cfg_err_fatal_out(err_fatal), .cfg_mgmt_addr, .cfg_mgmt_function_number(8'd0),
    .cfg_mgmt_write(1'b0), .cfg_mgmt_write_data(32'd0), .cfg_mgmt_byte_enable(4'd0), .cfg_mgmt_read, .cfg_mgmt_read_data,
    .cfg_mgmt_read_write_done, .cfg_mgmt_debug_access(1'b0), .cfg_msg_transmit(1'b0), .cfg_msg_transmit_type(3'd0),
    .cfg_msg_transmit_data(32'd0), .cfg_fc_sel(3'd0), .cfg_dsn(serial), .cfg_power_state_change_ack(1'b1),
    .cfg_err_cor_in(1'b0), .cfg_err_uncor_in(1'b0), .cfg_flr_in_process, .cfg_flr_done({3'd0, cfg_flr_done}),
    .cfg_vf_flr_func_num(8'd0), .cfg_vf_flr_done(1'b0), .cfg_link_training_enable(1'b1), .cfg_config_space_enable(1'b1),
    .cfg_req_pm_transition_l23_ready(1'b0), .cfg_hot_reset_in(1'b0), .cfg_pm_aspm_l1_entry_reject(1'b0),
    .cfg_pm_aspm_tx_l0s_entry_disable(1'b0), .cfg_ds_port_number(8'd0), .cfg_ds_bus_number(8'd0), .cfg_ds_device_number(5'd0),
    .cfg_interrupt_int(4'd0), .cfg_interrupt_pending(4'd0), .cfg_interrupt_sent(int_sent), .cfg_interrupt_msix_enable,
    .cfg_interrupt_msix_mask, .cfg_interrupt_msix_int, .cfg_interrupt_msix_vec_pending,
    .cfg_interrupt_msix_vec_pending_status(vec_status), .cfg_interrupt_msi_int, .cfg_interrupt_msi_function_number(8'd0),
    .cfg_interrupt_msi_attr(3'd0), .cfg_interrupt_msi_tph_present(1'b0), .cfg_interrupt_msi_tph_type(2'd0),
    .cfg_interrupt_msi_tph_st_tag(8'd0), .cfg_interrupt_msi_sent, .cfg_interrupt_msi_fail);

  glk_pcie_ext_tag extended_tags (
    .clk, .rst, .cfg_mgmt_addr, .cfg_mgmt_read, .cfg_mgmt_read_data, .cfg_mgmt_read_write_done, .cfg_ext_tag);

  // --- session number of the link: the time of the reset's end, in units of 128 ns, and not 0 ---
  logic [15:0] link_session;
  always_ff @(posedge clk)
    if (rst)
      link_session <= (now_ns[22:7] == '0) ? 16'd1 : now_ns[22:7];

  // --- the card ---
  logic [127:0] link_in_data, link_out_data;
  logic         link_in_control, link_in_valid, link_in_cut, link_out_control, link_out_valid, link_out_go;
  (* mark_debug = "true" *) logic pool_write, pool_valid, pool_ready, pool_last, pool_q_last, pool_q_valid, pool_q_ready;
  (* mark_debug = "true" *) logic [47:0] pool_offset;
  (* mark_debug = "true" *) logic [12:0] pool_length;
  logic [511:0] pool_data, pool_q_data;
  glk_top_us card (
    .clk, .rst, .now_ns, .serial, .pool_bytes(POOL_BYTES), .link(LINK), .cluster(CLUSTER), .link_session, .link_in_data,
    .link_in_control, .link_in_valid, .link_in_cut, .link_out_data, .link_out_control, .link_out_valid, .link_out_go,
    .pool_write, .pool_offset, .pool_length, .pool_data, .pool_last, .pool_valid, .pool_ready, .pool_q_data, .pool_q_last,
    .pool_q_valid, .pool_q_ready,
    .m_axis_cq_tdata, .m_axis_cq_tuser, .m_axis_cq_tlast, .m_axis_cq_tvalid, .m_axis_cq_tready, .pcie_cq_np_req,
    .s_axis_cc_tdata, .s_axis_cc_tkeep, .s_axis_cc_tuser, .s_axis_cc_tlast, .s_axis_cc_tvalid,
    .s_axis_cc_tready(s_axis_cc_tready[0]), .s_axis_rq_tdata, .s_axis_rq_tkeep, .s_axis_rq_tuser, .s_axis_rq_tlast,
    .s_axis_rq_tvalid, .s_axis_rq_tready(s_axis_rq_tready[0]), .m_axis_rc_tdata, .m_axis_rc_tuser, .m_axis_rc_tlast,
    .m_axis_rc_tvalid, .m_axis_rc_tready, .pcie_rq_seq_num0, .pcie_rq_seq_num_vld0, .pcie_rq_seq_num1, .pcie_rq_seq_num_vld1,
    .pcie_tfc_nph_av, .cfg_max_payload, .cfg_max_read_req, .cfg_ext_tag, .cfg_bus_master(cfg_function_status[2]),
    .cfg_flr_in_process(cfg_flr_in_process[0]), .cfg_flr_done, .cfg_interrupt_msix_enable(cfg_interrupt_msix_enable[0]),
    .cfg_interrupt_msi_int, .cfg_interrupt_msix_int, .cfg_interrupt_msix_vec_pending, .cfg_interrupt_msi_sent,
    .cfg_interrupt_msi_fail);

  // --- pool memory ---
  logic         ddr_clk, ddr_rst, ddr_calibrated, ddr_closed, mem_rst, e_write, e_read;
  logic [35:0]  error_write_page, error_read_page;
  logic [47:0]  p_awaddr, p_araddr, awaddr, araddr;
  logic [7:0]   p_awlen, p_arlen, awlen, arlen;
  logic [511:0] p_wdata, p_rdata, wdata, rdata;
  logic [63:0]  p_wstrb, wstrb;
  logic [1:0]   p_bresp, p_rresp, bresp, rresp;
  logic         p_awvalid, p_awready, p_wlast, p_wvalid, p_wready, p_bvalid, p_bready, p_arvalid, p_arready, p_rlast, p_rvalid,
                p_rready;
  logic         awvalid, awready, wlast, wvalid, wready, bvalid, bready, arvalid, arready, rlast, rvalid, rready;
  always_ff @(posedge ddr_clk)
    ddr_closed <= ddr_rst || !ddr_calibrated;
  glk_synchronizer #(.W(1)) memory_reset (.clk, .d(ddr_closed), .q(mem_rst));
  glk_pool_axi pool (
    .clk, .rst, .mem_rst, .pool_write, .pool_offset, .pool_length, .pool_data,
    .pool_last, .pool_valid, .pool_ready, .pool_q_data, .pool_q_last,
    .pool_q_valid, .pool_q_ready, .e_write, .e_read, .error_write_page, .error_read_page,
    .awaddr(p_awaddr), .awlen(p_awlen), .awvalid(p_awvalid), .awready(p_awready), .wdata(p_wdata), .wstrb(p_wstrb),
    .wlast(p_wlast), .wvalid(p_wvalid), .wready(p_wready), .bresp(p_bresp), .bvalid(p_bvalid), .bready(p_bready),
    .araddr(p_araddr), .arlen(p_arlen), .arvalid(p_arvalid), .arready(p_arready), .rdata(p_rdata), .rresp(p_rresp),
    .rlast(p_rlast), .rvalid(p_rvalid), .rready(p_rready));
  glk_axi_clock pool_clock (
    .clk, .rst(mem_rst), .s_awaddr(p_awaddr), .s_awlen(p_awlen), .s_awvalid(p_awvalid), .s_awready(p_awready),
    .s_wdata(p_wdata), .s_wstrb(p_wstrb), .s_wlast(p_wlast), .s_wvalid(p_wvalid), .s_wready(p_wready), .s_bresp(p_bresp),
    .s_bvalid(p_bvalid), .s_bready(p_bready), .s_araddr(p_araddr), .s_arlen(p_arlen), .s_arvalid(p_arvalid),
    .s_arready(p_arready), .s_rdata(p_rdata), .s_rresp(p_rresp), .s_rlast(p_rlast), .s_rvalid(p_rvalid), .s_rready(p_rready),
    .m_clk(ddr_clk), .m_rst(ddr_closed), .m_awaddr(awaddr), .m_awlen(awlen), .m_awvalid(awvalid), .m_awready(awready),
    .m_wdata(wdata), .m_wstrb(wstrb), .m_wlast(wlast), .m_wvalid(wvalid), .m_wready(wready), .m_bresp(bresp), .m_bvalid(bvalid),
    .m_bready(bready), .m_araddr(araddr), .m_arlen(arlen), .m_arvalid(arvalid), .m_arready(arready), .m_rdata(rdata),
    .m_rresp(rresp), .m_rlast(rlast), .m_rvalid(rvalid), .m_rready(rready));

  logic         ecc_interrupt, dbg_clk, c_awready, c_wready, c_bvalid, c_arready, c_rvalid;
  logic [511:0] dbg_bus;
  logic [1:0]   c_bresp, c_rresp;
  logic [31:0]  c_rdata;
  logic [0:0]   bid, rid;
  ddr4_0 ddr4 (
    .sys_rst(1'b0), // not the host's reset: it would clear the memory
    .c0_sys_clk_p(clk_300mhz_0_p), .c0_sys_clk_n(clk_300mhz_0_n), .c0_init_calib_complete(ddr_calibrated),
    .c0_ddr4_interrupt(ecc_interrupt), .dbg_clk, .dbg_bus, .c0_ddr4_adr(ddr4_c0_adr), .c0_ddr4_ba(ddr4_c0_ba),
    .c0_ddr4_bg(ddr4_c0_bg), .c0_ddr4_cke(ddr4_c0_cke), .c0_ddr4_cs_n(ddr4_c0_cs_n), .c0_ddr4_odt(ddr4_c0_odt),
    .c0_ddr4_ck_t(ddr4_c0_ck_t), .c0_ddr4_ck_c(ddr4_c0_ck_c), .c0_ddr4_act_n(ddr4_c0_act_n), .c0_ddr4_parity(ddr4_c0_par),
    .c0_ddr4_reset_n(ddr4_c0_reset_n), .c0_ddr4_dq(ddr4_c0_dq), .c0_ddr4_dqs_t(ddr4_c0_dqs_t), .c0_ddr4_dqs_c(ddr4_c0_dqs_c),
    .c0_ddr4_ui_clk(ddr_clk), .c0_ddr4_ui_clk_sync_rst(ddr_rst), .c0_ddr4_aresetn(!ddr_rst),
    .c0_ddr4_s_axi_ctrl_awvalid(1'b0), .c0_ddr4_s_axi_ctrl_awready(c_awready), .c0_ddr4_s_axi_ctrl_awaddr(32'd0),
    .c0_ddr4_s_axi_ctrl_wvalid(1'b0), .c0_ddr4_s_axi_ctrl_wready(c_wready), .c0_ddr4_s_axi_ctrl_wdata(32'd0),
    .c0_ddr4_s_axi_ctrl_bvalid(c_bvalid), .c0_ddr4_s_axi_ctrl_bready(1'b1), .c0_ddr4_s_axi_ctrl_bresp(c_bresp),
    .c0_ddr4_s_axi_ctrl_arvalid(1'b0), .c0_ddr4_s_axi_ctrl_arready(c_arready), .c0_ddr4_s_axi_ctrl_araddr(32'd0),
    .c0_ddr4_s_axi_ctrl_rvalid(c_rvalid), .c0_ddr4_s_axi_ctrl_rready(1'b1), .c0_ddr4_s_axi_ctrl_rdata(c_rdata),
    .c0_ddr4_s_axi_ctrl_rresp(c_rresp),
    .c0_ddr4_s_axi_awid(1'b0), .c0_ddr4_s_axi_awaddr(awaddr[33:0]), .c0_ddr4_s_axi_awlen(awlen), .c0_ddr4_s_axi_awsize(3'd6),
    .c0_ddr4_s_axi_awburst(2'b01), .c0_ddr4_s_axi_awlock(1'b0), .c0_ddr4_s_axi_awcache(4'd3), .c0_ddr4_s_axi_awprot(3'd0),
    .c0_ddr4_s_axi_awqos(4'd0), .c0_ddr4_s_axi_awvalid(awvalid), .c0_ddr4_s_axi_awready(awready), .c0_ddr4_s_axi_wdata(wdata),
    .c0_ddr4_s_axi_wstrb(wstrb), .c0_ddr4_s_axi_wlast(wlast), .c0_ddr4_s_axi_wvalid(wvalid), .c0_ddr4_s_axi_wready(wready),
    .c0_ddr4_s_axi_bid(bid), .c0_ddr4_s_axi_bresp(bresp), .c0_ddr4_s_axi_bvalid(bvalid), .c0_ddr4_s_axi_bready(bready),
    .c0_ddr4_s_axi_arid(1'b0), .c0_ddr4_s_axi_araddr(araddr[33:0]), .c0_ddr4_s_axi_arlen(arlen), .c0_ddr4_s_axi_arsize(3'd6),
    .c0_ddr4_s_axi_arburst(2'b01), .c0_ddr4_s_axi_arlock(1'b0), .c0_ddr4_s_axi_arcache(4'd3), .c0_ddr4_s_axi_arprot(3'd0),
    .c0_ddr4_s_axi_arqos(4'd0), .c0_ddr4_s_axi_arvalid(arvalid), .c0_ddr4_s_axi_arready(arready), .c0_ddr4_s_axi_rid(rid),
    .c0_ddr4_s_axi_rdata(rdata), .c0_ddr4_s_axi_rresp(rresp), .c0_ddr4_s_axi_rlast(rlast), .c0_ddr4_s_axi_rvalid(rvalid),
    .c0_ddr4_s_axi_rready(rready));

  // --- link: a frame of Aurora's ends with each control block ---
  logic         wire_clk, wire_rst, tx_control, tx_valid, tx_ready, rx_control, rx_valid, channel_up, e_lost, hard_err,
                soft_err;
  logic [127:0] tx_data, rx_data;
  logic [15:0]  rx_keep;
  logic [1:0]   lane_up, gt_powergood;
  logic [2:0]   loopback;
  logic         sync_clk, gt_refclk, gt_reset, link_reset, mmcm_not_locked, gt_pll_lock, tx_out_clk;
  glk_link_clock link_clock (
    .clk, .rst, .link_out_data, .link_out_control, .link_out_valid, .link_out_go, .link_in_data, .link_in_control,
    .link_in_valid, .link_in_cut, .e_lost,
    .wire_clk, .wire_rst, .tx_data, .tx_control, .tx_valid, .tx_ready, .rx_data, .rx_control, .rx_valid, .rx_up(channel_up));
  aurora_64b66b_0 aurora (
    .s_axi_tx_tdata(tx_data), .s_axi_tx_tkeep(16'hffff), .s_axi_tx_tlast(tx_control), .s_axi_tx_tvalid(tx_valid),
    .s_axi_tx_tready(tx_ready), .m_axi_rx_tdata(rx_data), .m_axi_rx_tkeep(rx_keep), .m_axi_rx_tlast(rx_control),
    .m_axi_rx_tvalid(rx_valid), .rxp(qsfp0_rx_p), .rxn(qsfp0_rx_n), .txp(qsfp0_tx_p), .txn(qsfp0_tx_n), .hard_err, .soft_err,
    .channel_up, .lane_up, .user_clk_out(wire_clk), .sync_clk_out(sync_clk), .gt_refclk1_out(gt_refclk),
    .gt_refclk1_p(qsfp0_refclk_p), .gt_refclk1_n(qsfp0_refclk_n), .init_clk(clk_100), .reset_pb, .pma_init,
    .sys_reset_out(wire_rst), .gt_reset_out(gt_reset),
    .link_reset_out(link_reset), .mmcm_not_locked_out(mmcm_not_locked), .gt_powergood, .gt_pll_lock, .tx_out_clk,
    .power_down(1'b0), .gt_rxcdrovrden_in(1'b0), .loopback);
  assign {qsfp0_modsell, qsfp0_resetl, qsfp0_lpmode} = 3'b010;
  assign {qsfp0_refclk_reset, qsfp0_fs} = 3'b010; // 161.1328125 MHz

  // --- counters for the virtual input/output core: what moved and what waited, on each stream ---
  localparam int STREAMS = 7;
  logic [STREAMS*32-1:0] moved, waited;
  (* mark_debug = "true" *) logic [31:0] link_lost, write_errors, read_errors;
  logic                  clear;
  glk_stalls #(.N(STREAMS)) stalls (
    .clk, .rst, .clear, .moved, .waited,
    .valid({link_out_valid || !link_out_go, pool_q_valid, pool_valid, m_axis_rc_tvalid, s_axis_rq_tvalid, s_axis_cc_tvalid,
    m_axis_cq_tvalid}),
    .ready({link_out_go, pool_q_ready, pool_ready, m_axis_rc_tready, s_axis_rq_tready[0], s_axis_cc_tready[0],
    m_axis_cq_tready}));
  always_ff @(posedge clk) begin
    link_lost    <= link_lost + 32'(e_lost);
    write_errors <= write_errors + 32'(e_write);
    read_errors  <= read_errors + 32'(e_read);
    if (rst || clear) begin
      link_lost    <= '0;
      write_errors <= '0;
      read_errors  <= '0;
    end
  end

  logic [3:0] transceiver, transceiver_seen; // of other clocks
  logic [2:0] err_seen; // since the last clear
  logic       soft_err_seen, soft_err_held;
  assign transceiver = {lane_up, channel_up, hard_err};
  glk_synchronizer #(.W(4)) show_transceiver (.clk, .d(transceiver), .q(transceiver_seen));
  vio_0 panel (
    .clk, .probe_in0({32'd0, moved}), .probe_in1({32'd0, waited}),
    .probe_in2({link_lost, write_errors, read_errors, 5'd0, cfg_current_speed, cfg_negotiated_width, cfg_ltssm_state,
    cfg_ext_tag,
                cfg_max_payload, cfg_max_read_req, mem_rst, pcie_up, transceiver_seen, soft_err_seen, err_seen}),
    .probe_out0(clear), .probe_out1(loopback));
  glk_synchronizer #(.W(1)) show_soft_error (.clk, .d(soft_err_held), .q(soft_err_seen));
  always_ff @(posedge wire_clk)
    soft_err_held <= (soft_err_held || soft_err) && !wire_rst;
  always_ff @(posedge clk)
    err_seen <= (rst || clear) ? 3'd0 : err_seen | {err_fatal, err_nonfatal, err_cor};

  assign led = {transceiver_seen[1], !mem_rst, pcie_up};

  wire unused = &{1'b0, m_axis_cq_tkeep, m_axis_rc_tkeep, pcie_cq_np_req_count, pcie_tfc_npd_av, s_axis_cc_tready[3:1],
                  s_axis_rq_tready[3:1], cfg_function_status, cfg_flr_in_process[3:1], cfg_interrupt_msix_enable[3:1],
                  cfg_interrupt_msix_mask, link_down, phy_rdy, int_sent, vec_status, error_write_page, error_read_page,
                      awaddr[47:34],
                  araddr[47:34], ecc_interrupt, dbg_clk, dbg_bus, c_awready, c_wready, c_bvalid, c_arready, c_rvalid, c_bresp,
                  c_rresp, c_rdata, bid, rid, rx_keep, sync_clk, gt_refclk, gt_reset, link_reset, mmcm_not_locked, gt_powergood,
                  gt_pll_lock, tx_out_clk, now_ns};
endmodule
`default_nettype wire
