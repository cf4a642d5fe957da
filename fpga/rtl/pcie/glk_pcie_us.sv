// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Adapter from the card's four PCIe streams (glk_card: r, c, m, d) to the user interface of AMD's UltraScale+ integrated
// block for PCI Express (PCIE4, PG213): 512 or 256 bits, DW-aligned, no straddling on any interface (with 256 bits RC can
// straddle, if AXISTEN_IF_RC_STRADDLE is set), no parity, client tags, one function, 64-bit BARs (0 registers, 2 aperture, 4
// pool), MSI-X with the built-in table. Only tdata, tkeep and tuser depend on the width (glk_pcie_user). Connect pins of equal
// names; use bit 0 of s_axis_*_tready, cfg_flr_* and cfg_interrupt_msix_enable, and bit 2 of cfg_function_status (bus master
// enable). cfg_ext_tag is not a pin of the block: it is Extended Tag Field Enable of Device Control, which a board may read
// through cfg_mgmt_*; 0 is always correct, and slower. Completion timeouts are handled by the hard block.
//
// The built-in table has 8 vectors, so glk_card needs VECTORS <= 8.
//
// Packet sizes: the card splits at READ_BYTES and WRITE_BYTES; this adapter splits again at the limits set by the host
// (cfg_max_payload, cfg_max_read_req), whatever they are. The parts of a read follow one another.
//
// Verified by simulation against a model of these interfaces written from PG213 (fpga/sim/pcie). Not verified: on a board,
// with the vendor's simulation model, behind another vendor's switch. Based on PG213 only: that sequence numbers also order
// interrupts; dword and byte count of an Unsupported Request completion (as in the vendor's example); that poisoned
// requests are not delivered.
module glk_pcie_us #(
  parameter int DATA_W     = 512, // 256 or 512: the width of the hard block's interfaces
  parameter int VECTORS    = 8,
  parameter int LOST       = 1 << 22, // of reads in a function-level reset, see glk_pcie_reads
  parameter int QUARANTINE = 1 << 24,
  parameter int COMPLETIONS = 128,
  parameter int DWORDS     = DATA_W / 32,
  parameter int CQ_W       = DATA_W == 512 ? 183 : 88, // of tuser, see glk_pcie_user
  parameter int CC_W       = DATA_W == 512 ? 81 : 33,
  parameter int RQ_W       = DATA_W == 512 ? 137 : 62,
  parameter int RC_W       = DATA_W == 512 ? 161 : 75
) (
  input  logic              clk, // user_clk
  input  logic              rst, // user_reset

  // Card
  output logic              req_write,
  output logic [1:0]        req_bar,
  output logic [47:0]       req_offset,
  output logic [12:0]       req_length,
  output logic [31:0]       req_id,
  output logic              req_poisoned,
  output logic [DATA_W-1:0] req_data,
  output logic              req_last,
  output logic              req_valid,
  input  logic              req_ready,
  input  logic              req_read_ready,
  input  logic [31:0]       cpl_id,
  input  logic [11:0]       cpl_offset,
  input  logic [12:0]       cpl_length,
  input  logic [DATA_W-1:0] cpl_data,
  input  logic              cpl_last,
  input  logic              cpl_valid,
  output logic              cpl_ready,
  input  logic [1:0]        mem_kind,
  input  logic [63:0]       mem_address,
  input  logic [12:0]       mem_length,
  input  logic [5:0]        mem_tag,
  input  logic [DATA_W-1:0] mem_data,
  input  logic              mem_last,
  input  logic              mem_valid,
  output logic              mem_ready,
  output logic [5:0]        rd_tag,
  output logic              rd_error,
  output logic [DATA_W-1:0] rd_data,
  output logic              rd_last,
  output logic              rd_valid,
  input  logic              rd_ready,
  output logic              flr,
  input  logic              flr_done,

  // Hard block
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
  input  logic              cfg_ext_tag,
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
  // --- sideband signals ---
  localparam int LB = $clog2(DWORDS);
  logic          cq_discontinue, rc_discontinue, cc_first, rq_first;
  logic [7:0]    cq_enables, rq_enables;
  logic [10:0]   cq_hint;
  logic [5:0]    rq_seq;
  logic [LB-1:0] cc_end, rq_end;
  glk_pcie_user #(.DATA_W(DATA_W)) user (
    .cq_tuser(m_axis_cq_tuser), .cq_enables, .cq_hint, .cq_discontinue,
    .cc_first, .cc_last(s_axis_cc_tlast), .cc_end, .cc_tuser(s_axis_cc_tuser),
    .rq_first, .rq_last(s_axis_rq_tlast), .rq_end, .rq_enables, .rq_seq, .rq_tuser(s_axis_rq_tuser),
    .rc_tuser(m_axis_rc_tuser), .rc_discontinue);

  // --- completer: requests to the card and their completions ---
  logic [127:0] ur_descriptor;
  logic [18:0]  ur_user;
  logic         ur_valid, ur_ready, np_done, order_ask, order_ok, order_taken;
  glk_pcie_cq #(.DATA_W(DATA_W)) cq (
    .clk, .rst, .cq_tdata(m_axis_cq_tdata), .cq_enables, .cq_hint, .cq_discontinue, .cq_tlast(m_axis_cq_tlast),
    .cq_tvalid(m_axis_cq_tvalid), .cq_tready(m_axis_cq_tready), .np_req(pcie_cq_np_req),
    .req_write, .req_bar, .req_offset, .req_length, .req_id, .req_poisoned, .req_data, .req_last, .req_valid, .req_ready,
    .req_read_ready,
    .ur_descriptor, .ur_user, .ur_valid, .ur_ready, .np_done);
  glk_pcie_cc #(.DATA_W(DATA_W)) cc (
    .clk, .rst, .cfg_max_payload, .cpl_id, .cpl_offset, .cpl_length, .cpl_data, .cpl_last, .cpl_valid, .cpl_ready,
    .ur_descriptor, .ur_user, .ur_valid, .ur_ready, .np_done, .order_ask, .order_ok, .order_taken,
    .cc_tdata(s_axis_cc_tdata), .cc_tkeep(s_axis_cc_tkeep), .cc_first, .cc_end, .cc_tlast(s_axis_cc_tlast),
    .cc_tvalid(s_axis_cc_tvalid), .cc_tready(s_axis_cc_tready));

  // --- requester: requests of the card and their completions ---
  logic [63:0]  read_address, more;
  logic [12:0]  read_length;
  logic [5:0]   read_tag, vector, part_tag, fail_tag, own_tag, own_card;
  logic         read_valid, read_room, packet_valid, packet_ready, raise, part_done, own, own_sent, fail_sure, fail_valid,
                fail_ready;
  logic [127:0] packet_descriptor;
  logic [7:0]   packet_enables, writes_taken, writes_given, packets_given, packets_past;
  glk_pcie_rq #(.DATA_W(DATA_W)) rq (
    .clk, .rst, .cfg_max_payload, .bus_master(cfg_bus_master), .flr(cfg_flr_in_process),
    .mem_kind, .mem_address, .mem_length, .mem_tag, .mem_data, .mem_last, .mem_valid, .mem_ready,
    .read_address, .read_length, .read_tag, .read_valid, .read_room, .packet_descriptor, .packet_enables, .packet_valid,
    .packet_ready,
    .raise, .vector, .writes_taken, .writes_given, .packets_given, .packets_past,
    .rq_tdata(s_axis_rq_tdata), .rq_tkeep(s_axis_rq_tkeep), .rq_enables, .rq_seq, .rq_first, .rq_end,
    .rq_tlast(s_axis_rq_tlast), .rq_tvalid(s_axis_rq_tvalid), .rq_tready(s_axis_rq_tready),
    .seq_num0(pcie_rq_seq_num0), .seq_num_vld0(pcie_rq_seq_num_vld0), .seq_num1(pcie_rq_seq_num1),
    .seq_num_vld1(pcie_rq_seq_num_vld1));
  glk_pcie_reads #(.LOST(LOST), .QUARANTINE(QUARANTINE), .COMPLETIONS(COMPLETIONS)) reads (
    .clk, .rst, .cfg_max_read_req, .ext_tag(cfg_ext_tag), .bus_master(cfg_bus_master), .flr(cfg_flr_in_process),
    .nph_av(pcie_tfc_nph_av), .read_address, .read_length, .read_tag, .read_valid, .read_room, .packet_descriptor,
    .packet_enables, .packet_valid, .packet_ready,
    .stalled(s_axis_rq_tvalid && !s_axis_rq_tready), .fail_tag, .fail_sure, .fail_valid, .fail_ready, .more, .part_tag,
    .part_done, .own, .own_sent, .own_tag, .own_card);
  glk_pcie_rc #(.DATA_W(DATA_W)) rc (
    .clk, .rst, .rc_tdata(m_axis_rc_tdata), .rc_discontinue, .rc_tlast(m_axis_rc_tlast), .rc_tvalid(m_axis_rc_tvalid),
    .rc_tready(m_axis_rc_tready), .more, .part_tag, .part_done, .own, .own_sent, .own_tag, .own_card, .fail_tag, .fail_sure,
    .fail_valid, .fail_ready,
    .rd_tag, .rd_error, .rd_data, .rd_last, .rd_valid, .rd_ready);

  // --- ordering ---
  glk_pcie_order order (
    .clk, .rst, .cpl_valid(mem_valid), .cpl_ready(mem_ready), .cpl_last(mem_last), .writes_taken, .writes_given, .packets_given,
    .packets_past,
    .ask(order_ask), .taken(order_taken), .ok(order_ok));
  glk_pcie_msix #(.VECTORS(VECTORS)) msix (
    .clk, .rst, .raise, .vector, .packets_given, .packets_past, .msix_enable(cfg_interrupt_msix_enable),
    .msi_int(cfg_interrupt_msi_int), .msix_int(cfg_interrupt_msix_int), .msi_sent(cfg_interrupt_msi_sent),
    .msi_fail(cfg_interrupt_msi_fail));
  assign cfg_interrupt_msix_vec_pending = 2'b00; // always send instead of querying the pending bit

  // --- function-level reset: forwarded to the card until done, then acknowledged once to the hard block ---
  logic flr_over;
  always_ff @(posedge clk) begin
    flr          <= cfg_flr_in_process && !flr_over && !(flr && flr_done);
    cfg_flr_done <= flr && flr_done;
    flr_over     <= cfg_flr_in_process && (flr_over || (flr && flr_done));
    if (rst) begin
      flr          <= 1'b0;
      cfg_flr_done <= 1'b0;
      flr_over     <= 1'b0;
    end
  end
endmodule
`default_nettype wire
