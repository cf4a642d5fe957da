// SPDX-License-Identifier: Apache-2.0
/*
 * Fuzzes the receiving side: noise, modified and reordered blocks of a valid session, and forged words with a valid CRC. The
 * link layer may reset itself but must not crash, and delivers only flits of the frame that a word closes. Afterwards it must
 * work with a correct card at the other end.
 *
 *	link-fuzz [ROUNDS [FIRST]]		GPULINK_SEED in the environment
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tap.h>

#include "link/link_state.h"
#include "link/test/link_wire.h"

#define CLOCKS	   4000u
#define KEPT	   64u
#define ROUND_TRIP 40u

struct card {
	struct glk_link_layer *link;
	struct fuzz *fuzz;
	bool in_session, lost, good;
	uint64_t delivered;
};

struct fuzz {
	struct chance chance;
	struct card card[2];	     /* under test, and a correct one */
	struct glk_block kept[KEPT]; /* blocks sent by the correct card */
	struct glk_block fed[GLK_FRAME_FLITS];
	unsigned fed_count; /* data blocks since the last word */
	uint32_t crc;	    /* of them */
	uint64_t right;	    /* words with a valid CRC */
	const char *wrong;
};

static int on_flit(void *user, const struct glk_flit *flit)
{
	struct card *card = user;
	struct fuzz *f = card->fuzz;

	card->delivered++;
	if (!card->in_session || card->lost)
		f->wrong = "a flit while down";
	if (card->good || card == &f->card[1])
		return 0;
	for (unsigned at = 0; at < f->fed_count && at < GLK_FRAME_FLITS; at++)
		if (memcmp(f->fed[at].bytes, flit->bytes, GLK_FLIT_BYTES) == 0)
			return below(&f->chance, 50) == 0 ? -1 : 0;
	f->wrong = "a flit that has not come";
	return 0;
}

static void on_event(void *user, enum glk_link_event event)
{
	struct card *card = user;

	if ((event == GLK_LINK_UP) == card->in_session || (event == GLK_LINK_RESUMED && !card->lost) ||
	    (event == GLK_LINK_LOST && card->lost))
		card->fuzz->wrong = "an event that does not follow the one before";
	card->in_session = event != GLK_LINK_ENDED;
	card->lost = event == GLK_LINK_LOST;
}

static const struct glk_link_layer_ops ops = { on_flit, on_event };

static void start(struct fuzz *f, uint64_t seed, uint64_t round)
{
	struct glk_link_layer_config config;

	memset(f, 0, sizeof(*f));
	chance_start(&f->chance, seed, round);
	f->crc = GLK_CRC32C_BEGIN;
	for (unsigned i = 0; i < 2; i++) {
		glk_link_layer_config_default(&config);
		config.self.session = (uint16_t)(1 + below(&f->chance, 40000));
		config.replay_frames = 2u << below(&f->chance, 9);
		config.replay_cycles = ROUND_TRIP + below(&f->chance, 200);
		config.hello_cycles = ROUND_TRIP + below(&f->chance, 400);
		config.ops = &ops;
		config.user = &f->card[i];
		f->card[i].fuzz = f;
		if (glk_link_layer_create(&config, &f->card[i].link) != 0)
			f->wrong = "refused";
	}
}

/* Fields near valid values. */
static void draw_word(struct fuzz *f, struct glk_link_word *word)
{
	const struct glk_link_layer *link = f->card[0].link;
	struct chance *c = &f->chance;

	word->flits = (uint8_t)(f->fed_count < 15 ? f->fed_count : 15);
	word->types = draw(c) & (word->flits >= GLK_FRAME_FLITS ? (1ULL << 55) - 1 : (1ULL << (5 * word->flits)) - 1);
	word->credit_class = (uint8_t)below(c, 4);
	word->credit =
		word->credit_class < 3 ? (uint16_t)((link->receiver.credit[word->credit_class] + below(c, 3)) % 4096) : 0;
	word->sequence = (uint16_t)((link->receiver.expected + below(c, 4) / 3 * (draw(c) % 1024)) % 1024);
	word->acknowledge = (uint16_t)((link->sender.acked + below(c, glk_link_outstanding(link) + 1)) % 1024);
	word->pass = below(c, 2);
	word->wanted = (enum glk_link_wanted)below(c, 3);
	switch (below(c, 40)) {
	case 0: word->flits = (uint8_t)below(c, 16); break;
	case 1: word->types = draw(c) & ((1ULL << 55) - 1); break;
	case 2: word->credit = (uint16_t)below(c, 4096); break;
	case 3: word->acknowledge = (uint16_t)below(c, 1024); break;
	case 4: word->wanted = GLK_WANTED_SESSION; break;
	default: break;
	}
}

static void feed(struct fuzz *f, uint64_t now, const struct glk_block *block)
{
	glk_link_layer_receive(f->card[0].link, now, block);
	if (block->control) {
		f->fed_count = 0;
		f->crc = GLK_CRC32C_BEGIN;
		return;
	}
	if (f->fed_count < GLK_FRAME_FLITS) {
		f->fed[f->fed_count] = *block;
		f->crc = glk_crc32c_update(&f->card[0].link->crc, f->crc, block->bytes, GLK_FLIT_BYTES);
	}
	f->fed_count++;
}

/* A word with a valid CRC for the blocks fed. */
static void feed_word(struct fuzz *f, uint64_t now)
{
	const struct glk_link_session *session = &f->card[0].link->session;
	struct glk_block block = { .control = true };
	struct glk_link_word word;
	uint32_t pair = glk_link_pair(session->other, session->own);

	draw_word(f, &word);
	if (word.wanted == GLK_WANTED_SESSION)
		pair = 0;
	glk_link_word_put(block.bytes, &word);
	glk_link_word_put_crc(block.bytes, glk_link_word_crc(&f->card[0].link->crc, f->crc, block.bytes, pair));
	f->right++;
	feed(f, now, &block);
}

static void feed_hello(struct fuzz *f, uint64_t now)
{
	const struct glk_link_session *session = &f->card[0].link->session;
	struct chance *c = &f->chance;
	struct glk_link_hello hello = { .version = (uint8_t)(below(c, 30) != 0), .credits = { 600, 600, 600 } };
	struct glk_link_word word = { .flits = 2, .credit_class = 3, .pass = below(c, 2), .wanted = GLK_WANTED_SESSION };
	struct glk_block block = { .control = false };
	uint8_t flits[GLK_HELLO_FLITS][GLK_FLIT_BYTES];

	hello.session = (uint16_t)(below(c, 8) ? session->other : draw(c));
	glk_link_hello_put(flits, &hello, (uint16_t)(below(c, 8) ? session->own : draw(c)));
	if (below(c, 30) == 0)
		flits[below(c, 2)][below(c, 16)] ^= (uint8_t)draw(c);
	block.control = true;
	feed(f, now, &block); /* ends the current frame */
	block.control = false;
	for (unsigned i = 0; i < GLK_HELLO_FLITS; i++) {
		memcpy(block.bytes, flits[i], GLK_FLIT_BYTES);
		feed(f, now, &block);
	}
	block.control = true;
	glk_link_word_put(block.bytes, &word);
	glk_link_word_put_crc(block.bytes, glk_link_word_crc(&f->card[0].link->crc, f->crc, block.bytes, 0));
	feed(f, now, &block);
}

static void feed_something(struct fuzz *f, uint64_t now)
{
	struct glk_block block = f->kept[below(&f->chance, KEPT)];
	unsigned what = below(&f->chance, 100);

	if (what == 0) {
		feed_hello(f, now);
		return;
	}
	if (what < 20) {
		feed_word(f, now);
		return;
	}
	if (what < 60) {
		for (unsigned i = 0; i < GLK_FLIT_BYTES; i++)
			block.bytes[i] = (uint8_t)draw(&f->chance);
		block.control = what < 23;
	} else if (what < 63) {
		block.bytes[below(&f->chance, GLK_FLIT_BYTES)] ^= (uint8_t)(1u << below(&f->chance, 8));
	} else if (what < 65) {
		block.control = !block.control;
	}
	feed(f, now, &block);
}

static bool sane(const struct glk_link_layer *link)
{
	const struct glk_link_sender *sender = &link->sender;

	for (unsigned class = 0; class < GLK_CLASS_COUNT; class++)
		if (link->session.up && sender->credits[class] > link->session.peer.credits[class])
			return false;
	return glk_link_outstanding(link) <= link->config.replay_frames && sender->open <= GLK_FRAME_FLITS &&
	       link->receiver.count <= GLK_FRAME_FLITS + 1 && sender->replays <= GLK_REPLAYS_MAX && link->session.own != 0;
}

static bool send_clock(struct fuzz *f, unsigned i, uint64_t now, struct glk_block *block)
{
	struct glk_link_layer *link = f->card[i].link;
	struct glk_flit flit = { .type = (uint8_t)below(&f->chance, 32) };

	if (glk_link_layer_ready(link) && glk_link_layer_credits(link)[GLK_CLASS_POSTED] && below(&f->chance, 3)) {
		glk_link_layer_credits(link)[GLK_CLASS_POSTED]--;
		memset(flit.bytes, (int)below(&f->chance, 256), sizeof(flit.bytes));
		glk_link_layer_send(link, &flit);
	}
	return glk_link_layer_clock(link, now, block);
}

/* Runs both cards over a wire with delay until each has received the number of flits. */
static void join(struct fuzz *f, uint64_t now)
{
	static struct link_wire wire[2];
	const struct glk_block *came;
	struct glk_block block;
	uint64_t end = now + 20000;

	for (unsigned i = 0; i < 2; i++) {
		link_wire_start(&wire[i], 5, 0);
		f->card[i].good = true;
		f->card[i].delivered = 0;
	}
	for (; now < end && (f->card[0].delivered < 100 || f->card[1].delivered < 100); now++)
		for (unsigned i = 0; i < 2; i++) {
			if (send_clock(f, i, now, &block)) {
				link_wire_put(&wire[i], now, &block);
				f->kept[below(&f->chance, KEPT)] = block;
			}
			came = link_wire_get(&wire[!i], now);
			if (came)
				glk_link_layer_receive(f->card[i].link, now, came);
		}
	if (now == end)
		f->wrong = "no session with a good card";
	f->card[0].good = false;
}

static void run_round(struct fuzz *f, uint64_t seed, uint64_t round)
{
	const struct glk_block zeros = { .control = true };
	struct glk_block block;
	uint64_t now = 1;

	start(f, seed, round);
	for (unsigned part = 0; part < 3; part++) {
		join(f, now);
		now += 20000;
		feed(f, now, &zeros); /* ends the frame in progress */
		for (unsigned i = 0; i < CLOCKS && !f->wrong; i++, now++) {
			send_clock(f, 0, now, &block);
			feed_something(f, now);
			if (!sane(f->card[0].link))
				f->wrong = "a register that cannot be so";
			if (below(&f->chance, 2000) == 0) {
				glk_link_layer_cut(f->card[0].link, now);
				feed(f, now, &zeros);
			}
		}
	}
	join(f, now);
	for (unsigned i = 0; i < 2; i++)
		glk_link_layer_destroy(f->card[i].link);
}

int main(int argc, char **argv)
{
	uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 200;
	uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	const char *given = getenv("GPULINK_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL) * 2654435761u;
	static struct fuzz f;

	printf("# GPULINK_SEED=%" PRIu64 "\n", seed);
	tap_plan((unsigned)rounds);
	for (uint64_t i = 0; i < rounds; i++) {
		run_round(&f, seed, first + i);
		tap_ok(!f.wrong, "round %" PRIu64 ", %" PRIu64 " right words%s%s", first + i, f.right,
		       f.wrong ? ": " : "", f.wrong ? f.wrong : "");
	}
	return tap_end();
}
