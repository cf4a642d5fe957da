// SPDX-License-Identifier: Apache-2.0
// C interface to the pins of glk_card.
#include "card_pins.h"

#include <cstring>
#include <new>

#include "Vglk_card.h"
#include <base/dut.h>

struct card_pins : glk_dut<Vglk_card> {
	using glk_dut::glk_dut;
};

static constexpr unsigned lanes = DUT_DATA_W / 8;

template <typename PORT> static void number(PORT &port, uint64_t value) { port = static_cast<PORT>(value); }

static void show(Vglk_card *top, const struct card_in *in)
{
	top->flr = in->flr;
	top->now_ns = in->now_ns;
	top->serial = in->serial;
	top->pool_bytes = in->pool_bytes;
	top->link = in->link;
	number(top->cluster, in->cluster);
	number(top->link_session, in->link_session);
	top->req_valid = in->r.valid;
	top->req_write = in->r.write;
	top->req_poisoned = in->r.poisoned;
	top->req_last = in->r.last;
	number(top->req_bar, in->r.bar);
	number(top->req_length, in->r.length);
	top->req_offset = in->r.offset;
	top->req_id = in->r.id;
	std::memcpy(&top->req_data, in->r.data, lanes);
	top->rd_valid = in->d.valid;
	top->rd_error = in->d.error;
	top->rd_last = in->d.last;
	number(top->rd_tag, in->d.tag);
	std::memcpy(&top->rd_data, in->d.data, lanes);
	top->pool_q_valid = in->q.valid;
	top->pool_q_last = in->q.last;
	std::memcpy(&top->pool_q_data, in->q.data, lanes);
	top->inject_valid = in->lr.valid;
	top->inject_last = in->lr.last;
	number(top->inject_bytes, in->lr.bytes);
	std::memcpy(&top->inject_data, in->lr.data, lanes);
	top->link_in_valid = in->li.valid;
	top->link_in_control = in->li.control;
	std::memcpy(&top->link_in_data, in->li.data, sizeof(in->li.data));
	top->link_in_cut = in->li_cut;
	top->link_out_go = 1; /* the benches' wire takes a block in every clock */
	top->cpl_ready = in->c_ready;
	top->mem_ready = in->m_ready;
	top->pool_ready = in->pool_ready;
	top->tap_ready = in->lt_ready;
}

static void report(const Vglk_card *top, struct card_out *out)
{
	out->r_ready = top->req_ready;
	out->d_ready = top->rd_ready;
	out->q_ready = top->pool_q_ready;
	out->lr_ready = top->inject_ready;
	out->c.valid = top->cpl_valid;
	out->c.last = top->cpl_last;
	out->c.id = top->cpl_id;
	out->c.offset = top->cpl_offset;
	out->c.length = top->cpl_length;
	std::memcpy(out->c.data, &top->cpl_data, lanes);
	out->m.valid = top->mem_valid;
	out->m.last = top->mem_last;
	out->m.kind = top->mem_kind;
	out->m.tag = top->mem_tag;
	out->m.length = top->mem_length;
	out->m.address = top->mem_address;
	std::memcpy(out->m.data, &top->mem_data, lanes);
	out->pool.valid = top->pool_valid;
	out->pool.write = top->pool_write;
	out->pool.last = top->pool_last;
	out->pool.length = top->pool_length;
	out->pool.offset = top->pool_offset;
	std::memcpy(out->pool.data, &top->pool_data, lanes);
	out->lt.valid = top->tap_valid;
	out->lt.last = top->tap_last;
	out->lt.bytes = top->tap_bytes;
	std::memcpy(out->lt.data, &top->tap_data, lanes);
	out->lo.valid = top->link_out_valid;
	out->lo.control = top->link_out_control;
	std::memcpy(out->lo.data, &top->link_out_data, sizeof(out->lo.data));
}

struct card_pins *card_pins_create(const struct card_in *in, const char *wave)
{
	struct card_pins *pins = new (std::nothrow) card_pins(wave);

	if (!pins)
		return nullptr;
	card_pins_reset(pins, in);
	return pins;
}

void card_pins_reset(struct card_pins *pins, const struct card_in *in)
{
	show(pins->top, in);
	pins->reset();
}

void card_pins_destroy(struct card_pins *pins) { delete pins; }

void card_pins_parameters(struct card_parameters *parameters)
{
	*parameters = card_parameters{ lanes, DUT_PARTITIONS, DUT_ENTRIES, DUT_CONTEXTS, DUT_SLICES, DUT_SLICE_SHIFT,
				       DUT_REGISTRATIONS, DUT_VECTORS, DUT_REGIONS, DUT_CHUNKS, DUT_TSU_SETS, DUT_TSU_WAYS, DUT_TSU_TS_BITS, DUT_READ_BYTES, DUT_WRITE_BYTES };
}

void card_pins_clock(struct card_pins *pins, const struct card_in *in, struct card_out *out)
{
	show(pins->top, in);
	pins->top->eval();
	report(pins->top, out);
	pins->edge();
	out->flr_done = pins->top->flr_done;
	out->busy = pins->top->busy;
	out->holding = pins->top->holding;
	out->r_read_ready = pins->top->req_read_ready;
}
