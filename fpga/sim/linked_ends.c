// SPDX-License-Identifier: Apache-2.0
/* What happens to two linked cards in the midst of work: cuts, sessions that end, endpoints that fail. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include <gpulink_regs.h>

#include "linked_work.h"

#define SHORT_NS 100000u /* 25000 clocks */

static void say(struct work *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct work *w, const char *format, ...)
{
	va_list arguments;
	int length = snprintf(w->said, sizeof(w->said), "clock %" PRIu64 ": ", w->pair.now);

	va_start(arguments, format);
	vsnprintf(w->said + length, sizeof(w->said) - (size_t)length, format, arguments);
	va_end(arguments);
	if (w->verbose)
		printf("# %s\n", w->said);
}

static uint64_t status(struct work *w, unsigned side)
{
	return linked_get(&w->pair, side, GLK_LINK_STATUS);
}

void work_wait_until_up(struct work *w)
{
	uint64_t since = w->pair.now;

	for (unsigned side = 0; side < 2; side++)
		while (!(status(w, side) & GLK_LINK_STATUS_UP_MASK) && !linked_bad(w)) {
			if (w->pair.now - since > LINKED_PATIENCE)
				linked_fail(&w->pair, "card %u: the link does not come up", side);
			linked_pair_clock(&w->pair);
		}
}

void work_cut(struct work *w)
{
	unsigned who = below(&w->chance, 3);

	say(w, "a cut that %s", who == 2 ? "both see" : who == 1 ? "card 1 sees" : "card 0 sees");
	linked_cut(&w->pair, who);
	work_run(w, 1 + below(&w->chance, 3000));
	work_wait_until_up(w);
}

/* Everything under way has ended when this is over, and works again. */
static void recover(struct work *w)
{
	work_wait_until_up(w);
	for (unsigned side = 0; side < 2; side++)
		work_far_bytes(w, side);
	work_settle(w);
	w->deaf = false;
	say(w, "all is well again");
}

static void reset(struct work *w, unsigned side)
{
	struct linked_card *card = &w->pair.card[side];
	uint64_t since = w->pair.now, word = GLK_CARD_CONTROL_RESET_MASK;
	uint8_t data[4096];

	say(w, "card %u is reset", side);
	w->side[side].away = true;
	while (card->reading && !linked_card_answer(card, data) && !linked_bad(w)) {
		if (w->pair.now - since > LINKED_PATIENCE)
			linked_fail(&w->pair, "card %u: a load without an end", side);
		linked_pair_clock(&w->pair);
	}
	work_forget(w, side);
	linked_set(&w->pair, side, GLK_CARD_CONTROL, word);
	while (!(linked_get(&w->pair, side, GLK_CARD_STATUS) & GLK_CARD_STATUS_READY_MASK) && !linked_bad(w))
		linked_pair_clock(&w->pair);
	work_run(w, below(&w->chance, 8000));
	work_set_up(w, side);
	w->side[side].away = false;
}

/* The other card may wait for this one, until its link is there again. */
static bool enable(void *user)
{
	struct work *w = user;
	uint64_t all = GLK_LINK_CONTROL_RESET;

	return linked_card_ready(&w->pair.card[w->disabled]) &&
	       !linked_card_post(&w->pair.card[w->disabled], 0, GLK_LINK_CONTROL, &all, sizeof(all));
}

static void disable(struct work *w, unsigned side)
{
	unsigned clocks = 100 + below(&w->chance, 8000);

	say(w, "the link of card %u is disabled", side);
	linked_set(&w->pair, side, GLK_LINK_CONTROL, GLK_LINK_CONTROL_RESET & ~GLK_LINK_CONTROL_ENABLE_MASK);
	w->pair.later_at = w->pair.now + clocks;
	w->pair.later = enable;
	w->disabled = side;
	work_run(w, clocks);
}

static bool speak(void *user)
{
	struct work *w = user;

	w->pair.dead = false;
	return true;
}

/* Nothing comes through any more, and nobody says so. */
static void silence(struct work *w)
{
	unsigned clocks = 2 * SHORT_NS / 4 + below(&w->chance, 30000);

	say(w, "silence");
	for (unsigned side = 0; side < 2; side++)
		linked_set(&w->pair, side, GLK_LINK_TIMEOUT_NS, SHORT_NS);
	w->pair.dead = true;
	w->pair.later_at = w->pair.now + clocks;
	w->pair.later = speak;
	work_run(w, clocks);
	work_wait_until_up(w);
	for (unsigned side = 0; side < 2; side++)
		linked_set(&w->pair, side, GLK_LINK_TIMEOUT_NS, GLK_LINK_TIMEOUT_NS_RESET);
}

void work_end(struct work *w)
{
	unsigned side = below(&w->chance, 2);

	w->trouble = true;
	switch (below(&w->chance, 3)) {
	case 0:
		reset(w, side);
		break;
	case 1:
		disable(w, side);
		break;
	default:
		silence(w);
		break;
	}
	recover(w);
}

void work_deaf(struct work *w)
{
	struct linked_card *card = &w->pair.card[below(&w->chance, 2)];

	say(w, "endpoints fail");
	w->trouble = w->deaf = true;
	card->deaf = UINT32_MAX;
	work_run(w, 200 + below(&w->chance, 3000));
	card->deaf = 0;
	recover(w);
}
