// SPDX-License-Identifier: Apache-2.0
// The hard block's pins on a Verilated top; the same names in glk_pcie_us and glk_top_us.
#ifndef GLK_PCIE_PINS_HPP
#define GLK_PCIE_PINS_HPP

#include <cstring>

#include "pcie_pins.h"

template <typename TOP> static void show_block(TOP *top, const struct pcie_pins_in *in)
{
	top->m_axis_cq_tvalid = in->cq.valid;
	top->m_axis_cq_tlast = in->cq.last;
	std::memcpy(&top->m_axis_cq_tdata, in->cq.data, sizeof(top->m_axis_cq_tdata));
	std::memcpy(&top->m_axis_cq_tuser, in->cq.user, sizeof(top->m_axis_cq_tuser));
	top->m_axis_rc_tvalid = in->rc.valid;
	top->m_axis_rc_tlast = in->rc.last;
	std::memcpy(&top->m_axis_rc_tdata, in->rc.data, sizeof(top->m_axis_rc_tdata));
	std::memcpy(&top->m_axis_rc_tuser, in->rc.user, sizeof(top->m_axis_rc_tuser));
	top->s_axis_cc_tready = in->cc_ready;
	top->s_axis_rq_tready = in->rq_ready;
	top->pcie_rq_seq_num0 = static_cast<uint8_t>(in->seq[0]);
	top->pcie_rq_seq_num_vld0 = in->seq_valid[0];
	top->pcie_rq_seq_num1 = static_cast<uint8_t>(in->seq[1]);
	top->pcie_rq_seq_num_vld1 = in->seq_valid[1];
	top->pcie_tfc_nph_av = static_cast<uint8_t>(in->nph_av);
	top->cfg_max_payload = static_cast<uint8_t>(in->max_payload);
	top->cfg_max_read_req = static_cast<uint8_t>(in->max_read_req);
	top->cfg_ext_tag = in->ext_tag;
	top->cfg_bus_master = in->bus_master;
	top->cfg_flr_in_process = in->flr_in_process;
	top->cfg_interrupt_msix_enable = in->msix_enable;
	top->cfg_interrupt_msi_sent = in->msi_sent;
	top->cfg_interrupt_msi_fail = in->msi_fail;
}

template <typename TOP> static void report_block(const TOP *top, struct pcie_pins_out *out)
{
	out->cc.valid = top->s_axis_cc_tvalid;
	out->cc.last = top->s_axis_cc_tlast;
	out->cc.keep = top->s_axis_cc_tkeep;
	std::memcpy(out->cc.data, &top->s_axis_cc_tdata, sizeof(top->s_axis_cc_tdata));
	std::memcpy(out->cc.user, &top->s_axis_cc_tuser, sizeof(top->s_axis_cc_tuser));
	out->rq.valid = top->s_axis_rq_tvalid;
	out->rq.last = top->s_axis_rq_tlast;
	out->rq.keep = top->s_axis_rq_tkeep;
	std::memcpy(out->rq.data, &top->s_axis_rq_tdata, sizeof(top->s_axis_rq_tdata));
	std::memcpy(out->rq.user, &top->s_axis_rq_tuser, sizeof(top->s_axis_rq_tuser));
	out->cq_ready = top->m_axis_cq_tready;
	out->rc_ready = top->m_axis_rc_tready;
	out->np_req = top->pcie_cq_np_req;
	out->msix_int = top->cfg_interrupt_msix_int;
	out->msi_int = top->cfg_interrupt_msi_int;
	out->flr_done = top->cfg_flr_done;
}

#endif /* GLK_PCIE_PINS_HPP */
