// SPDX-License-Identifier: Apache-2.0
/*
 * Measures the throughput with loss and corruption: one card sends flits at full rate, the other one receives them and sends
 * only link words. Each received flit is checked: in order, unchanged, none duplicated, none missing.
 *
 *	link-rates [-f FLITS] [-d DELAY] [-w FRAMES] [-s SEED] [-c CLOCKS] [RATE...]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "link/test/link_wire.h"

struct side {
	struct glk_link_layer *link;
	uint64_t taken; /* flits */
	bool wrong, ended;
};

struct rates {
	uint64_t flits, seed;
	unsigned delay, frames, replay_cycles;
	struct side side[2];
	struct link_wire wire[2]; /* from side 0, from side 1 */
};

static void make_flit(struct glk_flit *flit, uint64_t number)
{
	uint64_t words[2] = { number, number * UINT64_C(0x9e3779b97f4a7c15) };

	memcpy(flit->bytes, words, sizeof(words));
	flit->type = (uint8_t)(1 + words[1] % 11);
}

static int on_flit(void *user, const struct glk_flit *flit)
{
	struct side *side = user;
	struct glk_flit wanted;

	make_flit(&wanted, side->taken++);
	if (memcmp(&wanted, flit, sizeof(wanted)) != 0)
		side->wrong = true;
	return 0;
}

static void on_event(void *user, enum glk_link_event event)
{
	struct side *side = user;

	if (event == GLK_LINK_ENDED)
		side->ended = true;
}

static const struct glk_link_layer_ops ops = { on_flit, on_event };

static void start(struct rates *r, enum link_wire_harm harm, double probability)
{
	struct glk_link_layer_config config;

	for (unsigned i = 0; i < 2; i++) {
		memset(&r->side[i], 0, sizeof(r->side[i]));
		glk_link_layer_config_default(&config);
		config.self.session = (uint16_t)(1 + i);
		config.replay_frames = r->frames;
		config.replay_cycles = r->replay_cycles;
		config.ops = &ops;
		config.user = &r->side[i];
		if (glk_link_layer_create(&config, &r->side[i].link) != 0) {
			fprintf(stderr, "link-rates: %u frames, %u clocks: refused\n", r->frames, r->replay_cycles);
			exit(2);
		}
		link_wire_start(&r->wire[i], r->delay, r->seed + i);
		link_wire_harm(&r->wire[i], harm, probability);
	}
}

static void clock_side(struct rates *r, unsigned i, uint64_t now)
{
	struct glk_link_layer *link = r->side[i].link;
	const struct glk_block *came;
	struct glk_block block;

	if (glk_link_layer_clock(link, now, &block))
		link_wire_put(&r->wire[i], now, &block);
	came = link_wire_get(&r->wire[!i], now);
	if (came)
		glk_link_layer_receive(link, now, came);
}

/* Returns the clocks from the first flit sent to the last one received, or 0 on an error. */
static uint64_t run(struct rates *r)
{
	uint64_t sent = 0, begun = 0, now;
	uint64_t end = r->flits * 100 + 10000000; /* timeout */
	struct glk_flit flit;

	for (now = 1; now < end && r->side[1].taken < r->flits; now++) {
		if (sent < r->flits && glk_link_layer_ready(r->side[0].link)) {
			if (!begun)
				begun = now;
			make_flit(&flit, sent++);
			glk_link_layer_send(r->side[0].link, &flit);
		}
		clock_side(r, 0, now);
		clock_side(r, 1, now);
	}
	if (r->side[1].taken != r->flits || r->side[1].wrong || r->side[0].taken || r->side[0].ended || r->side[1].ended)
		return 0;
	return now - begun;
}

static bool report(struct rates *r, enum link_wire_harm harm, double probability)
{
	const struct glk_link_layer_counters *sender, *receiver;
	uint64_t clocks;

	start(r, harm, probability);
	clocks = run(r);
	sender = glk_link_layer_counters(r->side[0].link);
	receiver = glk_link_layer_counters(r->side[1].link);
	printf("| %s | %g | %" PRIu64 " | %.4f | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %s |\n",
	       harm == LINK_LOSS ? "loss" : "corruption", probability, r->wire[0].harmed[harm] + r->wire[1].harmed[harm],
	       clocks ? (double)r->flits / (double)clocks : 0.0, sender->replays, sender->frames_replayed,
	       receiver->frames_repeated, receiver->crc_errors, clocks ? "all, in order" : "WRONG");
	fflush(stdout);
	glk_link_layer_destroy(r->side[0].link);
	glk_link_layer_destroy(r->side[1].link);
	return clocks > 0;
}

static int usage(void)
{
	fputs("link-rates [-f FLITS] [-d DELAY] [-w FRAMES] [-c CLOCKS] [-s SEED] [RATE...]\n"
	      "FLITS each (100000000), DELAY clocks each way (200), FRAMES kept (64), replay after CLOCKS (1024)\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	static const char *const usual[] = { "0", "1e-6", "1e-5", "1e-4", "1e-3", "1e-2" };
	static struct rates r = { .flits = 100000000, .delay = 200, .frames = 64, .replay_cycles = 1024, .seed = 1 };
	unsigned rates = sizeof(usual) / sizeof(usual[0]);
	bool good = true;

	for (int option; (option = getopt(argc, argv, "f:d:w:c:s:")) != -1;) {
		switch (option) {
		case 'f': r.flits = strtoull(optarg, NULL, 0); break;
		case 'd': r.delay = (unsigned)strtoul(optarg, NULL, 0); break;
		case 'w': r.frames = (unsigned)strtoul(optarg, NULL, 0); break;
		case 'c': r.replay_cycles = (unsigned)strtoul(optarg, NULL, 0); break;
		case 's': r.seed = strtoull(optarg, NULL, 0); break;
		default: return usage();
		}
	}
	if (optind < argc)
		rates = (unsigned)(argc - optind);
	printf("%" PRIu64 " flits each, %u clocks each way, %u frames, seed %" PRIu64 "\n\n"
	       "| | a block | blocks harmed | flits a clock | replays | frames sent again | come twice | wrong words | flits |\n"
	       "|---|---|---|---|---|---|---|---|---|\n",
	       r.flits, r.delay, r.frames, r.seed);
	for (enum link_wire_harm harm = LINK_LOSS; harm <= LINK_CORRUPTION; harm++)
		for (unsigned i = 0; i < rates; i++)
			good = report(&r, harm, strtod(optind < argc ? argv[optind + (int)i] : usual[i], NULL)) && good;
	return good ? 0 : 1;
}
