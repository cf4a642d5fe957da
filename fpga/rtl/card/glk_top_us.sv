// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Top level for UltraScale+ parts, between the integrated block for PCI Express (configuration and pins: glk_pcie_us) and a
// memory controller for the pool. Single clock domain: the hard block's user clock. A board adds the other domains: the link's
// (glk_link_clock), the memory's (glk_pool_axi, glk_axi_clock) and time (glk_time); fpga/board has one.
module glk_top_us #(
  parameter int DATA_W        = 512, // 256 or 512, see glk_pcie_us
  parameter int PARTITIONS    = 16,
  parameter int ENTRIES       = 64,
  parameter int BANKS         = 4,
  parameter int CONTEXTS      = 32,
  parameter int SLICES        = 1024,
  parameter int SLICE_SHIFT   = 20,
  parameter int REGISTRATIONS = 1024,
  parameter int VECTORS       = 8, // limited by the hard block's MSI-X table
  parameter int REGIONS       = 64,
  parameter int CHUNKS        = 16384,
  parameter int TSU_SETS      = 1024,
  parameter int TSU_WAYS      = 8,
  parameter int TSU_TS_BITS   = 32,
  parameter int READ_BYTES    = 512,
  parameter int WRITE_BYTES   = 256,
  parameter int LOST          = 1 << 22, // in clocks, see glk_pcie_reads
  parameter int QUARANTINE    = 1 << 24,
  parameter int COMPLETIONS   = 128, // for which the PCIe block has room
  parameter int DWORDS        = DATA_W / 32,
  parameter int CQ_W          = DATA_W == 512 ? 183 : 88, // of tuser, see glk_pcie_user
  parameter int CC_W          = DATA_W == 512 ? 81 : 33,
  parameter int RQ_W          = DATA_W == 512 ? 137 : 62,
  parameter int RC_W          = DATA_W == 512 ? 161 : 75,
  parameter int KW            = $clog2(DATA_W / 8 + 1)
) (
  input  logic              clk,    // user_clk
  input  logic              rst,    // user_reset
  input  logic [63:0]       now_ns, // monotonic, also while user_clk stops
  input  logic [63:0]       serial,
  input  logic [63:0]       pool_bytes,

  // Link to another card (glk_card), synchronous to this clock
  input  logic              link,
  input  logic [7:0]        cluster,
  input  logic [15:0]       link_session,
  input  logic [127:0]      link_in_data,
  input  logic              link_in_control,
  input  logic              link_in_valid,
  input  logic              link_in_cut,
  output logic [127:0]      link_out_data,
  output logic              link_out_control,
  output logic              link_out_valid,
  input  logic              link_out_go,

  // Pool memory: writes and reads in order, responses in order. Not across a 4 KiB boundary; data in address lanes
  // (glk_card)
  output logic              pool_write,
  output logic [47:0]       pool_offset,
  output logic [12:0]       pool_length,
  output logic [DATA_W-1:0] pool_data,
  output logic              pool_last,
  output logic              pool_valid,
  input  logic              pool_ready,
  input  logic [DATA_W-1:0] pool_q_data,
  input  logic              pool_q_last,
  input  logic              pool_q_valid,
  output logic              pool_q_ready,

  // PCIe hard block
  input  logic [DATA_W-1:0] m_axis_cq_tdata,
  input  logic [CQ_W-1:0]   m_axis_cq_tuser,
  input  logic              m_axis_cq_tlast,
  input  logic              m_axis_cq_tvalid,
  output logic              m_axis_cq_tready,
  output logic [1:0]        pcie_cq_np_req,
  output logic [DATA_W-1:0] s_axis_cc_tdata,
  output logic [DWORDS-1:0] s_axis_cc_tkeep,
  output logic [CC_W-1:0]   s_axis_cc_tuser,
  output logic              s_axis_cc_tlast,
  output logic              s_axis_cc_tvalid,
  input  logic              s_axis_cc_tready,
  output logic [DATA_W-1:0] s_axis_rq_tdata,
  output logic [DWORDS-1:0] s_axis_rq_tkeep,
  output logic [RQ_W-1:0]   s_axis_rq_tuser,
  output logic              s_axis_rq_tlast,
  output logic              s_axis_rq_tvalid,
  input  logic              s_axis_rq_tready,
  input  logic [DATA_W-1:0] m_axis_rc_tdata,
  input  logic [RC_W-1:0]   m_axis_rc_tuser,
  input  logic              m_axis_rc_tlast,
  input  logic              m_axis_rc_tvalid,
  output logic              m_axis_rc_tready,
  input  logic [5:0]        pcie_rq_seq_num0,
  input  logic              pcie_rq_seq_num_vld0,
  input  logic [5:0]        pcie_rq_seq_num1,
  input  logic              pcie_rq_seq_num_vld1,
  input  logic [3:0]        pcie_tfc_nph_av,
  input  logic [1:0]        cfg_max_payload,
  input  logic [2:0]        cfg_max_read_req,
  input  logic              cfg_ext_tag, // see glk_pcie_us
  input  logic              cfg_bus_master,
  input  logic              cfg_flr_in_process,
  output logic              cfg_flr_done,
  input  logic              cfg_interrupt_msix_enable,
  output logic [31:0]       cfg_interrupt_msi_int,
  output logic              cfg_interrupt_msix_int,
  output logic [1:0]        cfg_interrupt_msix_vec_pending,
  input  logic              cfg_interrupt_msi_sent,
  input  logic              cfg_interrupt_msi_fail
);
  logic              req_write, req_poisoned, req_last, req_valid, req_ready, req_read_ready;
  logic [1:0]        req_bar, mem_kind;
  logic [47:0]       req_offset;
  logic [12:0]       req_length, cpl_length, mem_length;
  logic [31:0]       req_id, cpl_id;
  logic [11:0]       cpl_offset;
  logic [DATA_W-1:0] req_data, cpl_data, mem_data, rd_data;
  logic              cpl_last, cpl_valid, cpl_ready, mem_last, mem_valid, mem_ready, rd_error, rd_last, rd_valid, rd_ready, flr,
                     flr_done;
  logic [63:0]       mem_address;
  logic [5:0]        mem_tag, rd_tag;

  glk_pcie_us #(.DATA_W(DATA_W), .VECTORS(VECTORS), .LOST(LOST), .QUARANTINE(QUARANTINE), .COMPLETIONS(COMPLETIONS)) pcie (
    .clk, .rst,
    .req_write, .req_bar, .req_offset, .req_length, .req_id, .req_poisoned, .req_data, .req_last, .req_valid, .req_ready,
    .req_read_ready, .cpl_id, .cpl_offset, .cpl_length, .cpl_data, .cpl_last, .cpl_valid, .cpl_ready, .mem_kind, .mem_address,
    .mem_length, .mem_tag, .mem_data, .mem_last, .mem_valid, .mem_ready, .rd_tag, .rd_error, .rd_data, .rd_last, .rd_valid,
    .rd_ready, .flr, .flr_done,
    .m_axis_cq_tdata, .m_axis_cq_tuser, .m_axis_cq_tlast, .m_axis_cq_tvalid, .m_axis_cq_tready, .pcie_cq_np_req,
    .s_axis_cc_tdata, .s_axis_cc_tkeep, .s_axis_cc_tuser, .s_axis_cc_tlast, .s_axis_cc_tvalid, .s_axis_cc_tready,
    .s_axis_rq_tdata, .s_axis_rq_tkeep, .s_axis_rq_tuser, .s_axis_rq_tlast, .s_axis_rq_tvalid, .s_axis_rq_tready,
    .m_axis_rc_tdata, .m_axis_rc_tuser, .m_axis_rc_tlast, .m_axis_rc_tvalid, .m_axis_rc_tready, .pcie_rq_seq_num0,
    .pcie_rq_seq_num_vld0, .pcie_rq_seq_num1, .pcie_rq_seq_num_vld1, .pcie_tfc_nph_av, .cfg_max_payload, .cfg_max_read_req,
    .cfg_ext_tag, .cfg_bus_master, .cfg_flr_in_process, .cfg_flr_done, .cfg_interrupt_msix_enable, .cfg_interrupt_msi_int,
    .cfg_interrupt_msix_int, .cfg_interrupt_msix_vec_pending, .cfg_interrupt_msi_sent, .cfg_interrupt_msi_fail);

  logic              unused_busy, unused_holding, unused_last, unused_valid, unused_ready; // loop-back observation
  logic [DATA_W-1:0] unused_data;
  logic [KW-1:0]     unused_bytes;
  glk_card #(
    .DATA_W(DATA_W), .PARTITIONS(PARTITIONS), .ENTRIES(ENTRIES), .BANKS(BANKS), .CONTEXTS(CONTEXTS), .SLICES(SLICES),
    .SLICE_SHIFT(SLICE_SHIFT), .REGISTRATIONS(REGISTRATIONS), .VECTORS(VECTORS), .REGIONS(REGIONS), .CHUNKS(CHUNKS),
    .TSU_SETS(TSU_SETS), .TSU_WAYS(TSU_WAYS), .TSU_TS_BITS(TSU_TS_BITS), .READ_BYTES(READ_BYTES), .WRITE_BYTES(WRITE_BYTES)
  ) card (
    .clk, .rst, .now_ns, .serial, .pool_bytes, .link, .cluster, .link_session, .link_in_data, .link_in_control, .link_in_valid,
    .link_in_cut, .link_out_data, .link_out_control, .link_out_valid, .link_out_go, .busy(unused_busy),
    .holding(unused_holding), .req_write, .req_bar, .req_offset, .req_length, .req_id, .req_poisoned, .req_data, .req_last,
    .req_valid, .req_ready, .req_read_ready, .cpl_id, .cpl_offset, .cpl_length, .cpl_data, .cpl_last, .cpl_valid, .cpl_ready,
    .mem_kind, .mem_address, .mem_length, .mem_tag, .mem_data, .mem_last, .mem_valid, .mem_ready, .rd_tag, .rd_error, .rd_data,
    .rd_last, .rd_valid, .rd_ready, .flr, .flr_done,
    .pool_write, .pool_offset, .pool_length, .pool_data, .pool_last, .pool_valid, .pool_ready, .pool_q_data, .pool_q_last,
    .pool_q_valid, .pool_q_ready,
    .tap_data(unused_data), .tap_bytes(unused_bytes), .tap_last(unused_last), .tap_valid(unused_valid), .tap_ready(1'b1),
    .inject_data(DATA_W'(0)), .inject_bytes(KW'(0)), .inject_last(1'b0), .inject_valid(1'b0), .inject_ready(unused_ready));
endmodule
`default_nettype wire
