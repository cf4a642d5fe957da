// SPDX-License-Identifier: Apache-2.0
/*
 * The receiving side. Data blocks are buffered until the link word behind them arrives. A word is processed at the clock at
 * which it arrives; the sending side sees its effects at the next clock.
 */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "link/link_state.h"

#define BEFORE (GLK_SEQUENCE_COUNT / 2) /* a frame this far or farther after the expected one is an earlier one */

/* Requests a replay, at once if this gap is new: each pass is requested once, until the next one begins. */
static void missing(struct glk_link_layer *link, bool pass)
{
	struct glk_link_receiver *receiver = &link->receiver;
	bool news = !receiver->gap || receiver->gap_pass != pass;

	receiver->gap = true;
	receiver->gap_pass = pass;
	glk_link_send_owe(link, news ? 0 : link->config.ack_cycles);
}

static bool take_acknowledge(struct glk_link_layer *link, const struct glk_link_word *word)
{
	unsigned progress = glk_sequence_after(link->sender.acked, word->acknowledge);

	if (progress <= glk_link_outstanding(link))
		glk_link_send_acknowledged(link, word->acknowledge);
	else if (progress < BEFORE)
		return false;
	return true; /* an older word, delayed: nothing new */
}

static bool take_credit(struct glk_link_layer *link, const struct glk_link_word *word)
{
	unsigned class = word->credit_class;
	unsigned news, used;

	if (class == GLK_CLASS_COUNT)
		return word->credit == 0;
	news = (unsigned)(word->credit - link->receiver.credit[class]) % GLK_CREDIT_COUNT;
	used = link->session.peer.credits[class] - link->sender.credits[class];
	if (news > used)
		return news > GLK_CREDIT_COUNT / 2; /* delayed, as above */
	link->receiver.credit[class] = word->credit;
	link->sender.credits[class] += news;
	return true;
}

static bool take_wanted(struct glk_link_layer *link, const struct glk_link_word *word)
{
	if (word->wanted != GLK_WANTED_NOTHING && (word->wanted == GLK_WANTED_PASS_1) == link->sender.pass &&
	    glk_link_outstanding(link))
		link->sender.replay_wanted = true;
	return true;
}

static bool deliver(struct glk_link_layer *link, const struct glk_link_word *word)
{
	struct glk_flit flit;

	for (unsigned i = 0; i < word->flits; i++) {
		memcpy(flit.bytes, link->receiver.flits[i], GLK_FLIT_BYTES);
		flit.type = word->types >> (GLK_TYPE_BITS * i) & ((1u << GLK_TYPE_BITS) - 1);
		link->counters.flits_received++;
		if (link->config.ops->flit(link->config.user, &flit) != 0)
			return false;
	}
	return true;
}

static bool take_flits(struct glk_link_layer *link, const struct glk_link_word *word)
{
	struct glk_link_receiver *receiver = &link->receiver;
	unsigned after = glk_sequence_after(receiver->expected, word->sequence);

	receiver->pass = word->pass;
	if (after == 0) {
		receiver->gap = false;
		if (word->flits == 0)
			return true;
		receiver->expected = (uint16_t)((receiver->expected + 1u) % GLK_SEQUENCE_COUNT);
		link->counters.frames_received++;
		glk_link_send_owe(link, link->config.ack_cycles);
		return deliver(link, word);
	}
	if (after < BEFORE) {
		link->counters.sequence_errors++;
		missing(link, word->pass);
	} else if (word->flits) {
		link->counters.frames_repeated++;
		glk_link_send_owe(link, link->config.ack_cycles);
	}
	return true;
}

static void take_word(struct glk_link_layer *link, const uint8_t bytes[GLK_FLIT_BYTES])
{
	struct glk_link_receiver *receiver = &link->receiver;
	uint32_t pair = glk_link_pair(link->session.other, link->session.own);
	struct glk_link_word word;
	bool session;

	glk_link_word_get(bytes, &word);
	session = word.wanted == GLK_WANTED_SESSION;
	if (!session && !link->session.up)
		return;
	if (word.flits != receiver->count || word.flits > GLK_FRAME_FLITS ||
	    glk_link_word_crc(&link->crc, receiver->crc, bytes, session ? 0 : pair) != glk_link_word_get_crc(bytes)) {
		link->counters.crc_errors++;
		if (link->session.up && receiver->count)
			missing(link, receiver->pass);
		return;
	}
	if (session)
		glk_link_session_hello(link, &word, receiver->flits);
	else if (word.types >> (GLK_TYPE_BITS * word.flits) != 0 || !take_acknowledge(link, &word) ||
		 !take_credit(link, &word) || !take_wanted(link, &word) || !take_flits(link, &word))
		glk_link_session_protocol_error(link);
}

void glk_link_layer_receive(struct glk_link_layer *link, uint64_t now, const struct glk_block *block)
{
	struct glk_link_receiver *receiver = &link->receiver;

	link->now = now;
	if (block->control) {
		take_word(link, block->bytes);
		glk_link_receive_forget(link);
		return;
	}
	if (receiver->count < GLK_FRAME_FLITS) {
		memcpy(receiver->flits[receiver->count], block->bytes, GLK_FLIT_BYTES);
		receiver->crc = glk_crc32c_update(&link->crc, receiver->crc, block->bytes, GLK_FLIT_BYTES);
	}
	if (receiver->count <= GLK_FRAME_FLITS)
		receiver->count++;
}

int glk_link_layer_hold(struct glk_link_layer *link, enum glk_class class, unsigned pieces)
{
	if (pieces > link->config.self.credits[class] - link->receiver.held[class])
		return -ENOBUFS;
	link->receiver.held[class] += pieces;
	return 0;
}

void glk_link_layer_free(struct glk_link_layer *link, enum glk_class class, unsigned pieces)
{
	struct glk_link_receiver *receiver = &link->receiver;

	assert(pieces <= receiver->held[class]);
	receiver->held[class] -= pieces;
	receiver->freed[class] = (uint16_t)((receiver->freed[class] + pieces) % GLK_CREDIT_COUNT);
	receiver->news |= 1u << class;
	glk_link_send_owe(link, link->config.ack_cycles);
}
