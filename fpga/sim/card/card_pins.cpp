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
	top->r_valid = in->r.valid;
	top->r_write = in->r.write;
	top->r_poisoned = in->r.poisoned;
	top->r_last = in->r.last;
	number(top->r_bar, in->r.bar);
	number(top->r_length, in->r.length);
	top->r_offset = in->r.offset;
	top->r_id = in->r.id;
	std::memcpy(&top->r_data, in->r.data, lanes);
	top->d_valid = in->d.valid;
	top->d_error = in->d.error;
	top->d_last = in->d.last;
	number(top->d_tag, in->d.tag);
	std::memcpy(&top->d_data, in->d.data, lanes);
	top->pool_q_valid = in->q.valid;
	top->pool_q_last = in->q.last;
	std::memcpy(&top->pool_q_data, in->q.data, lanes);
	top->lr_valid = in->lr.valid;
	top->lr_last = in->lr.last;
	number(top->lr_bytes, in->lr.bytes);
	std::memcpy(&top->lr_data, in->lr.data, lanes);
	top->li_valid = in->li.valid;
	top->li_control = in->li.control;
	std::memcpy(&top->li_data, in->li.data, sizeof(in->li.data));
	top->li_cut = in->li_cut;
	top->lo_go = 1; /* the benches' wire takes a block in every clock */
	top->c_ready = in->c_ready;
	top->m_ready = in->m_ready;
	top->pool_ready = in->pool_ready;
	top->lt_ready = in->lt_ready;
}

static void report(const Vglk_card *top, struct card_out *out)
{
	out->r_ready = top->r_ready;
	out->d_ready = top->d_ready;
	out->q_ready = top->pool_q_ready;
	out->lr_ready = top->lr_ready;
	out->c.valid = top->c_valid;
	out->c.last = top->c_last;
	out->c.id = top->c_id;
	out->c.offset = top->c_offset;
	out->c.length = top->c_length;
	std::memcpy(out->c.data, &top->c_data, lanes);
	out->m.valid = top->m_valid;
	out->m.last = top->m_last;
	out->m.kind = top->m_kind;
	out->m.tag = top->m_tag;
	out->m.length = top->m_length;
	out->m.address = top->m_address;
	std::memcpy(out->m.data, &top->m_data, lanes);
	out->pool.valid = top->pool_valid;
	out->pool.write = top->pool_write;
	out->pool.last = top->pool_last;
	out->pool.length = top->pool_length;
	out->pool.offset = top->pool_offset;
	std::memcpy(out->pool.data, &top->pool_data, lanes);
	out->lt.valid = top->lt_valid;
	out->lt.last = top->lt_last;
	out->lt.bytes = top->lt_bytes;
	std::memcpy(out->lt.data, &top->lt_data, lanes);
	out->lo.valid = top->lo_valid;
	out->lo.control = top->lo_control;
	std::memcpy(out->lo.data, &top->lo_data, sizeof(out->lo.data));
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
	out->r_read_ready = pins->top->r_read_ready;
}
