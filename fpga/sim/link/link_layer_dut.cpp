// SPDX-License-Identifier: Apache-2.0
// C interface to glk_link_layer.
#include "link_layer_dut.h"

#include <cstring>

#include "Vglk_link_layer.h"
#include <base/dut.h>

struct link_layer_dut : glk_dut<Vglk_link_layer> {
	using glk_dut::glk_dut;
};

unsigned link_layer_frames(void) { return DUT_FRAMES; }

unsigned link_layer_buffer(void) { return DUT_BUFFER; }

struct link_layer_dut *link_layer_create(const char *wave) { return new link_layer_dut(wave); }

void link_layer_destroy(struct link_layer_dut *dut) { delete dut; }

void link_layer_reset(struct link_layer_dut *dut, const struct link_layer_settings *s)
{
	Vglk_link_layer *top = dut->top;

	top->cfg_serial = s->serial;
	top->cfg_compact = s->compact;
	top->cfg_cluster = static_cast<uint8_t>(s->cluster);
	top->cfg_session = static_cast<uint16_t>(s->session);
	for (unsigned c = 0; c < LINK_LAYER_CLASSES; c++)
		put_bits(top->cfg_room, 12 * c, 12, s->room[c]);
	top->cfg_replay = s->replay_cycles;
	top->cfg_ack = s->ack_cycles;
	top->cfg_hello = s->hello_cycles;
	top->s_valid = 0;
	top->link_in_valid = 0;
	top->link_in_cut = 0;
	top->link_in_reset = 0;
	top->link_out_go = 1;
	top->m_ready = 0;
	top->m_refused = 0;
	top->m_freed = 0;
	dut->reset(0);
}

void link_layer_clock(struct link_layer_dut *dut, const struct link_layer_in *in, struct link_layer_out *out)
{
	Vglk_link_layer *top = dut->top;
	struct link_layer_events *e = &out->events;

	top->s_valid = in->flit.valid;
	top->s_type = static_cast<uint8_t>(in->flit.type);
	std::memcpy(&top->s_data, in->flit.data, 16);
	top->s_pieces = static_cast<uint16_t>(in->pieces[0] | in->pieces[1] << 3 | in->pieces[2] << 6);
	top->link_in_valid = in->block.valid;
	top->link_in_control = in->block.control;
	std::memcpy(&top->link_in_data, in->block.data, 16);
	top->link_in_cut = in->cut;
	top->link_in_reset = in->reset;
	top->link_out_go = !in->full;
	top->m_ready = in->out_ready;
	top->m_refused = in->refused;
	for (unsigned c = 0; c < LINK_LAYER_CLASSES; c++)
		put_bits(top->m_freed, 12 * c, 12, in->freed[c]);
	top->eval();

	out->ready = top->s_ready;
	out->credit = top->credit_valid;
	out->credit_class = top->credit_class;
	out->credit_pieces = top->credit_pieces;
	out->flit.valid = top->m_valid;
	out->flit.type = top->m_type;
	std::memcpy(out->flit.data, &top->m_data, 16);
	out->block.valid = top->link_out_valid;
	out->block.control = top->link_out_control;
	std::memcpy(out->block.data, &top->link_out_data, 16);
	out->up = top->up;
	out->peer_serial = top->peer_serial;
	out->peer_cluster = top->peer_cluster;
	out->peer_compact = top->peer_compact;
	e->up = top->e_up;
	e->resumed = top->e_resumed;
	e->lost = top->e_lost;
	e->ended = top->e_ended;
	e->down = top->e_down;
	e->frame_sent = top->e_frame_sent;
	e->frame_received = top->e_frame_received;
	e->word_sent = top->e_word_sent;
	e->replay = top->e_replay;
	e->frame_replayed = top->e_frame_replayed;
	e->frame_repeated = top->e_frame_repeated;
	e->crc = top->e_crc;
	e->sequence = top->e_sequence;
	e->protocol = top->e_protocol;
	e->version = top->e_version;
	dut->edge();
}
