// SPDX-License-Identifier: Apache-2.0
// glk_pcie_us behind a C interface.
#include "pcie_us_dut.h"

#include <cstring>

#include "Vglk_pcie_us.h"
#include "dut.h"

struct us_dut : glk_dut<Vglk_pcie_us> {
	using glk_dut::glk_dut;
};

struct us_dut *us_dut_create(const char *wave)
{
	struct us_dut *dut = new us_dut(wave);

	dut->reset();
	return dut;
}

void us_dut_destroy(struct us_dut *dut) { delete dut; }

void us_dut_clock(struct us_dut *dut, const struct us_in *in, struct us_out *out)
{
	Vglk_pcie_us *top = dut->top;

	top->m_axis_cq_tvalid = in->cq.valid;
	top->m_axis_cq_tlast = in->cq.last;
	std::memcpy(&top->m_axis_cq_tdata, in->cq.data, US_BEAT);
	std::memcpy(&top->m_axis_cq_tuser, in->cq.user, sizeof(top->m_axis_cq_tuser));
	top->m_axis_rc_tvalid = in->rc.valid;
	top->m_axis_rc_tlast = in->rc.last;
	std::memcpy(&top->m_axis_rc_tdata, in->rc.data, US_BEAT);
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
	top->cfg_bus_master = in->bus_master;
	top->cfg_flr_in_process = in->flr_in_process;
	top->cfg_interrupt_msix_enable = in->msix_enable;
	top->cfg_interrupt_msi_sent = in->msi_sent;
	top->cfg_interrupt_msi_fail = in->msi_fail;

	top->m_valid = in->m.valid;
	top->m_kind = static_cast<uint8_t>(in->m.kind);
	top->m_address = in->m.address;
	top->m_length = static_cast<uint16_t>(in->m.length);
	top->m_tag = static_cast<uint8_t>(in->m.tag);
	top->m_last = in->m.last;
	std::memcpy(&top->m_data, in->m.data, US_BEAT);
	top->c_valid = in->c.valid;
	top->c_id = in->c.id;
	top->c_offset = static_cast<uint16_t>(in->c.offset);
	top->c_length = static_cast<uint16_t>(in->c.length);
	top->c_last = in->c.last;
	std::memcpy(&top->c_data, in->c.data, US_BEAT);
	top->r_ready = in->r_ready;
	top->r_read_ready = in->r_read_ready;
	top->d_ready = in->d_ready;
	top->flr_done = in->flr_done;
	top->eval();

	out->cc.valid = top->s_axis_cc_tvalid;
	out->cc.last = top->s_axis_cc_tlast;
	out->cc.keep = top->s_axis_cc_tkeep;
	std::memcpy(out->cc.data, &top->s_axis_cc_tdata, US_BEAT);
	std::memcpy(out->cc.user, &top->s_axis_cc_tuser, sizeof(top->s_axis_cc_tuser));
	out->rq.valid = top->s_axis_rq_tvalid;
	out->rq.last = top->s_axis_rq_tlast;
	out->rq.keep = top->s_axis_rq_tkeep;
	std::memcpy(out->rq.data, &top->s_axis_rq_tdata, US_BEAT);
	std::memcpy(out->rq.user, &top->s_axis_rq_tuser, sizeof(top->s_axis_rq_tuser));
	out->cq_ready = top->m_axis_cq_tready;
	out->rc_ready = top->m_axis_rc_tready;
	out->np_req = top->pcie_cq_np_req;
	out->msix_int = top->cfg_interrupt_msix_int;
	out->msi_int = top->cfg_interrupt_msi_int;
	out->flr_done = top->cfg_flr_done;
	out->flr = top->flr;

	out->r.valid = top->r_valid;
	out->r.write = top->r_write;
	out->r.bar = top->r_bar;
	out->r.address = top->r_offset;
	out->r.length = top->r_length;
	out->r.id = top->r_id;
	out->r.poisoned = top->r_poisoned;
	out->r.last = top->r_last;
	std::memcpy(out->r.data, &top->r_data, US_BEAT);
	out->d.valid = top->d_valid;
	out->d.tag = top->d_tag;
	out->d.error = top->d_error;
	out->d.last = top->d_last;
	std::memcpy(out->d.data, &top->d_data, US_BEAT);
	out->m_ready = top->m_ready;
	out->c_ready = top->c_ready;
	dut->edge();
}
