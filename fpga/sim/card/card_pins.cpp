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
	top->req_valid = in->req.valid;
	top->req_write = in->req.write;
	top->req_poisoned = in->req.poisoned;
	top->req_last = in->req.last;
	number(top->req_bar, in->req.bar);
	number(top->req_length, in->req.length);
	top->req_offset = in->req.offset;
	top->req_id = in->req.id;
	std::memcpy(&top->req_data, in->req.data, lanes);
	top->rd_valid = in->rd.valid;
	top->rd_error = in->rd.error;
	top->rd_last = in->rd.last;
	number(top->rd_tag, in->rd.tag);
	std::memcpy(&top->rd_data, in->rd.data, lanes);
	top->pool_q_valid = in->pool_q.valid;
	top->pool_q_last = in->pool_q.last;
	std::memcpy(&top->pool_q_data, in->pool_q.data, lanes);
	top->inject_valid = in->inject.valid;
	top->inject_last = in->inject.last;
	number(top->inject_bytes, in->inject.bytes);
	std::memcpy(&top->inject_data, in->inject.data, lanes);
	top->link_in_valid = in->link_in.valid;
	top->link_in_control = in->link_in.control;
	std::memcpy(&top->link_in_data, in->link_in.data, sizeof(in->link_in.data));
	top->link_in_cut = in->link_in_cut;
	top->link_out_go = 1; /* the benches' wire takes a block in every clock */
	top->cpl_ready = in->cpl_ready;
	top->mem_ready = in->mem_ready;
	top->pool_ready = in->pool_ready;
	top->tap_ready = in->tap_ready;
}

static void report(const Vglk_card *top, struct card_out *out)
{
	out->req_ready = top->req_ready;
	out->rd_ready = top->rd_ready;
	out->pool_q_ready = top->pool_q_ready;
	out->inject_ready = top->inject_ready;
	out->cpl.valid = top->cpl_valid;
	out->cpl.last = top->cpl_last;
	out->cpl.id = top->cpl_id;
	out->cpl.offset = top->cpl_offset;
	out->cpl.length = top->cpl_length;
	std::memcpy(out->cpl.data, &top->cpl_data, lanes);
	out->mem.valid = top->mem_valid;
	out->mem.last = top->mem_last;
	out->mem.kind = top->mem_kind;
	out->mem.tag = top->mem_tag;
	out->mem.length = top->mem_length;
	out->mem.address = top->mem_address;
	std::memcpy(out->mem.data, &top->mem_data, lanes);
	out->pool.valid = top->pool_valid;
	out->pool.write = top->pool_write;
	out->pool.last = top->pool_last;
	out->pool.length = top->pool_length;
	out->pool.offset = top->pool_offset;
	std::memcpy(out->pool.data, &top->pool_data, lanes);
	out->tap.valid = top->tap_valid;
	out->tap.last = top->tap_last;
	out->tap.bytes = top->tap_bytes;
	std::memcpy(out->tap.data, &top->tap_data, lanes);
	out->link_out.valid = top->link_out_valid;
	out->link_out.control = top->link_out_control;
	std::memcpy(out->link_out.data, &top->link_out_data, sizeof(out->link_out.data));
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
	*parameters = card_parameters{ lanes,		DUT_PARTITIONS,	   DUT_ENTRIES,	    DUT_CONTEXTS,   DUT_SLICES,
				       DUT_SLICE_SHIFT, DUT_REGISTRATIONS, DUT_VECTORS,	    DUT_REGIONS,    DUT_CHUNKS,
				       DUT_TSU_SETS,	DUT_TSU_WAYS,	   DUT_TSU_TS_BITS, DUT_READ_BYTES, DUT_WRITE_BYTES };
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
	out->req_read_ready = pins->top->req_read_ready;
}
