// SPDX-License-Identifier: Apache-2.0
/*
 * The sending side selects the block of each clock. Flits are sent as they are accepted; a copy of the frame stays in the
 * replay memory until it is acknowledged. The selection depends on the registers at the begin of the clock, in this order:
 *
 *  1. continue what has begun: the blocks of a hello, a frame being replayed, the open frame with the flit accepted at this
 *     clock; the open frame is closed by its word when it is full or no flit was accepted
 *  2. a pending ready, or a hello that is due
 *  3. the first block of the next frame to be replayed
 *  4. a word that is due, without flits
 */
#include <string.h>

#include "link/link_state.h"

bool glk_link_layer_ready(const struct glk_link_layer *link)
{
	const struct glk_link_sender *sender = &link->sender;

	if (!link->session.up || link->session.answer || sender->hello_block || sender->replaying || sender->replay_wanted)
		return false;
	return sender->open ? sender->open < GLK_FRAME_FLITS : glk_link_outstanding(link) < link->config.replay_frames;
}

void glk_link_layer_send(struct glk_link_layer *link, const struct glk_flit *flit)
{
	struct glk_link_sender *sender = &link->sender;
	struct glk_link_frame *frame = glk_link_frame_of(link, sender->next);

	if (sender->open == 0)
		frame->types = 0;
	memcpy(frame->flits[sender->open], flit->bytes, GLK_FLIT_BYTES);
	frame->types |= (uint64_t)flit->type << (GLK_TYPE_BITS * sender->open);
	sender->open++;
	sender->taken = true;
	link->counters.flits_sent++;
}

static bool put_data(struct glk_link_layer *link, struct glk_block *block, const uint8_t bytes[GLK_FLIT_BYTES])
{
	block->control = false;
	memcpy(block->bytes, bytes, GLK_FLIT_BYTES);
	link->sender.crc = glk_crc32c_update(&link->crc, link->sender.crc, bytes, GLK_FLIT_BYTES);
	link->sender.broken = true;
	return true;
}

static bool put_control(struct glk_link_layer *link, struct glk_block *block, const struct glk_link_word *word)
{
	uint32_t pair = word->wanted == GLK_WANTED_SESSION ? 0 : glk_link_pair(link->session.own, link->session.other);

	block->control = true;
	glk_link_word_put(block->bytes, word);
	glk_link_word_put_crc(block->bytes, glk_link_word_crc(&link->crc, link->sender.crc, block->bytes, pair));
	link->sender.crc = GLK_CRC32C_BEGIN;
	link->sender.broken = false;
	link->counters.words_sent++;
	return true;
}

/* Sends the word of frame `number`, with acknowledgement, credit and replay request. */
static bool put_word(struct glk_link_layer *link, struct glk_block *block, uint16_t number, unsigned flits, uint64_t types)
{
	struct glk_link_sender *sender = &link->sender;
	struct glk_link_receiver *receiver = &link->receiver;
	struct glk_link_word word = { .flits = (uint8_t)flits, .types = types, .sequence = number };

	sender->credit_class = (sender->credit_class + 1) % GLK_CLASS_COUNT;
	receiver->news &= ~(1u << sender->credit_class);
	word.credit_class = (uint8_t)sender->credit_class;
	word.credit = receiver->freed[sender->credit_class];
	word.acknowledge = receiver->expected;
	word.pass = sender->pass;
	if (receiver->gap)
		word.wanted = receiver->gap_pass ? GLK_WANTED_PASS_1 : GLK_WANTED_PASS_0;
	/* Other credits follow soon; without any, periodic words make up for lost ones. */
	sender->word_at = link->now + (receiver->news ? link->config.ack_cycles : link->config.hello_cycles);
	return put_control(link, block, &word);
}

static bool put_hello(struct glk_link_layer *link, struct glk_block *block)
{
	const struct glk_link_word word = { .flits = GLK_HELLO_FLITS, .credit_class = GLK_CLASS_COUNT,
					    .pass = link->sender.hello_ready, .wanted = GLK_WANTED_SESSION };
	uint8_t flits[GLK_HELLO_FLITS][GLK_FLIT_BYTES];
	struct glk_link_hello self = link->config.self;

	if (link->sender.hello_block == GLK_HELLO_FLITS) {
		link->sender.hello_block = 0;
		return put_control(link, block, &word);
	}
	self.session = link->session.own;
	self.version = link->session.version;
	glk_link_hello_put(flits, &self, link->session.other);
	return put_data(link, block, flits[link->sender.hello_block++]);
}

static bool begin_hello(struct glk_link_layer *link, struct glk_block *block)
{
	link->sender.hello_ready = link->session.answer;
	link->session.answer = false;
	if (!link->session.up)
		link->session.hello_at = link->now + link->config.hello_cycles;
	return put_hello(link, block);
}

/* Ends an aborted frame with an invalid word, so that the hello starts a frame of its own. */
static bool put_break(struct glk_link_layer *link, struct glk_block *block)
{
	memset(block, 0, sizeof(*block));
	block->control = true;
	link->sender.crc = GLK_CRC32C_BEGIN;
	link->sender.broken = false;
	return true;
}

static bool put_open(struct glk_link_layer *link, struct glk_block *block)
{
	struct glk_link_sender *sender = &link->sender;
	struct glk_link_frame *frame = glk_link_frame_of(link, sender->next);
	uint16_t number = sender->next;
	unsigned count = sender->open;

	if (sender->taken) {
		sender->taken = false;
		return put_data(link, block, frame->flits[count - 1]);
	}
	glk_link_send_close(link);
	return put_word(link, block, number, count, frame->types);
}

static bool put_replay(struct glk_link_layer *link, struct glk_block *block)
{
	struct glk_link_sender *sender = &link->sender;
	struct glk_link_frame *frame = glk_link_frame_of(link, sender->replay);
	uint16_t number = sender->replay;

	if (sender->replay_flit < frame->count)
		return put_data(link, block, frame->flits[sender->replay_flit++]);
	sender->replay = (uint16_t)((number + 1u) % GLK_SEQUENCE_COUNT);
	sender->replay_flit = 0;
	if (sender->replay == sender->next) {
		sender->replaying = false;
		sender->timer = link->now;
	}
	link->counters.frames_replayed++;
	return put_word(link, block, number, frame->count, frame->types);
}

/* Between two frames: selects the next frame of the replay, if any. */
static void step_replay(struct glk_link_layer *link)
{
	struct glk_link_sender *sender = &link->sender;

	if (sender->replay_wanted) {
		sender->replay_wanted = false;
		sender->replaying = true;
		sender->replay = sender->acked;
		sender->pass = !sender->pass;
		link->counters.replays++;
		if (++sender->replays > GLK_REPLAYS_MAX) {
			glk_link_session_lost(link);
			return;
		}
	}
	if (glk_sequence_after(sender->acked, sender->replay) > glk_link_outstanding(link))
		sender->replay = sender->acked; /* earlier frames have been acknowledged meanwhile */
	if (sender->replay == sender->next)
		sender->replaying = false;
}

static bool put_next(struct glk_link_layer *link, struct glk_block *block)
{
	struct glk_link_session *session = &link->session;
	struct glk_link_sender *sender = &link->sender;

	if (sender->hello_block)
		return put_hello(link, block);
	if (sender->replay_flit)
		return put_replay(link, block);
	if (sender->open)
		return put_open(link, block);
	if (session->answer || (!session->up && link->now >= session->hello_at))
		return sender->broken ? put_break(link, block) : begin_hello(link, block);
	if (!session->up)
		return false;
	if (sender->replaying || sender->replay_wanted) {
		step_replay(link);
		if (sender->replaying)
			return put_replay(link, block);
	}
	if (session->up && link->now >= sender->word_at)
		return put_word(link, block, sender->next, 0, 0);
	return false;
}

static bool timer_runs(const struct glk_link_layer *link)
{
	const struct glk_link_sender *sender = &link->sender;

	return link->session.up && glk_link_outstanding(link) && !sender->replaying && !sender->replay_wanted;
}

bool glk_link_layer_clock(struct glk_link_layer *link, uint64_t now, struct glk_block *block)
{
	bool sent;

	link->now = now;
	sent = put_next(link, block);
	glk_link_layer_wait(link, now);
	return sent;
}

void glk_link_layer_wait(struct glk_link_layer *link, uint64_t now)
{
	link->now = now;
	if (timer_runs(link) && now - link->sender.timer >= link->config.replay_cycles)
		link->sender.replay_wanted = true;
}

uint64_t glk_link_layer_next(const struct glk_link_layer *link, uint64_t now)
{
	const struct glk_link_session *session = &link->session;
	const struct glk_link_sender *sender = &link->sender;
	uint64_t at;

	if (session->answer || sender->hello_block || sender->replay_flit || sender->open || sender->replaying ||
	    sender->replay_wanted)
		return now;
	at = session->up ? sender->word_at : session->hello_at;
	if (timer_runs(link) && sender->timer + link->config.replay_cycles < at)
		at = sender->timer + link->config.replay_cycles;
	return at > now ? at : now;
}
