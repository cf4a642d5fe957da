// SPDX-License-Identifier: Apache-2.0
/* Fault injection into two linked cards under load: link cuts, session ends, failing endpoints. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <gpulink_regs.h>

#include "linked_places.h"

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
				linked_fail(&w->pair, "card %u: link does not come up", side);
			linked_pair_clock(&w->pair);
		}
}

static void expect(struct work *w, unsigned side, unsigned reg, uint64_t mask, uint64_t expected)
{
	uint64_t value = linked_get(&w->pair, side, reg) & mask;

	if (value != expected)
		linked_fail(&w->pair, "card %u: register %#x is %#" PRIx64 ", expected %#" PRIx64, side, reg, value, expected);
}

void work_identity(struct work *w)
{
	for (unsigned side = 0; side < 2; side++) {
		const struct linked_config *own = &w->pair.card[side].config, *other = &w->pair.card[1 - side].config;

		expect(w, side, GLK_CARD_FEATURES, GLK_CARD_FEATURES_LINK_MASK, GLK_CARD_FEATURES_LINK_MASK);
		expect(w, side, GLK_CARD_STATUS, GLK_CARD_STATUS_LINK_UP_MASK, GLK_CARD_STATUS_LINK_UP_MASK);
		expect(w, side, GLK_BLOCK_DOORBELL, UINT64_C(0xffffffff00000000), (uint64_t)GLK_BLOCK_LINK << 32);
		expect(w, side, GLK_LINK_CLUSTER, UINT64_MAX, own->cluster);
		expect(w, side, GLK_LINK_PEER_SERIAL, UINT64_MAX, other->serial);
		expect(w, side, GLK_LINK_STATUS, 0xffffff,
		       GLK_LINK_STATUS_UP_MASK | GLK_LINK_STATUS_SESSION_MASK |
			       (uint64_t)other->cluster << GLK_LINK_STATUS_PEER_CLUSTER_SHIFT |
			       (other->packing ? GLK_LINK_STATUS_PEER_COMPACT_MASK : 0) |
			       (uint64_t)GLK_LINK_VERSION << GLK_LINK_STATUS_PEER_VERSION_SHIFT);
	}
}

void work_cut(struct work *w)
{
	unsigned who = below(&w->chance, 3);

	say(w, "link cut, detected by %s", who == 2 ? "both cards" : who == 1 ? "card 1" : "card 0");
	linked_cut(&w->pair, who);
	work_run(w, 1 + below(&w->chance, 3000));
	work_wait_until_up(w);
}

/* Waits until all operations in flight have ended, and everything works again. */
static void recover(struct work *w)
{
	work_wait_until_up(w);
	for (unsigned side = 0; side < 2; side++)
		work_remote_bytes(w, side);
	work_settle(w);
	w->deaf = false;
	say(w, "recovered");
}

static bool in_time(struct work *w, uint64_t since, unsigned side, const char *what)
{
	if (w->pair.now - since > LINKED_PATIENCE)
		linked_fail(&w->pair, "card %u: %s does not end", side, what);
	linked_pair_clock(&w->pair);
	return !linked_bad(w);
}

static void reset_function(struct work *w, unsigned side)
{
	struct linked_card *card = &w->pair.card[side];
	uint64_t since = w->pair.now;

	while (!linked_card_taken(card) && in_time(w, since, side, "write")) {
	}
	linked_card_flr(card);
	while (!linked_card_flr_done(card) && in_time(w, since, side, "function-level reset")) {
	}
}

static void reset(struct work *w, unsigned side)
{
	struct linked_card *card = &w->pair.card[side];
	uint64_t since = w->pair.now;
	bool function = below(&w->chance, 2);
	uint8_t data[4096];

	say(w, "card %u reset%s", side, function ? " (FLR)" : "");
	w->side[side].away = true;
	while (card->reading && !linked_card_answer(card, data) && in_time(w, since, side, "load")) {
	}
	work_forget(w, side);
	if (function)
		reset_function(w, side);
	else
		linked_set(&w->pair, side, GLK_CARD_CONTROL, GLK_CARD_CONTROL_RESET_MASK);
	while (!(linked_get(&w->pair, side, GLK_CARD_STATUS) & GLK_CARD_STATUS_READY_MASK) && !linked_bad(w))
		linked_pair_clock(&w->pair);
	work_run(w, below(&w->chance, 8000));
	work_set_up(w, side);
	w->side[side].away = false;
}

/* The other card may block until the link of this one is up again. */
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

	say(w, "link of card %u disabled", side);
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
	for (unsigned side = 0; side < 2; side++)
		w->pair.card[side].stalled = false;
	return true;
}

/* The link silently drops everything, or one card's bus does not respond, for longer than the other card's timeout. */
static void silence(struct work *w, bool stall)
{
	unsigned clocks = 2 * SHORT_NS / 4 + below(&w->chance, 30000), side = below(&w->chance, 2);

	if (stall)
		say(w, "bus of card %u stalled", side);
	else
		say(w, "link silent");
	for (unsigned i = 0; i < 2; i++)
		linked_set(&w->pair, i, GLK_LINK_TIMEOUT_NS, SHORT_NS);
	w->pair.later_at = w->pair.now + clocks;
	w->pair.later = speak;
	w->pair.dead = !stall;
	w->pair.card[side].stalled = stall;
	work_run(w, clocks);
	work_wait_until_up(w);
	for (unsigned i = 0; i < 2; i++)
		linked_set(&w->pair, i, GLK_LINK_TIMEOUT_NS, GLK_LINK_TIMEOUT_NS_RESET);
}

void work_end(struct work *w)
{
	unsigned side = below(&w->chance, 2);

	w->trouble = true;
	switch (below(&w->chance, 4)) {
	case 0:
		reset(w, side);
		break;
	case 1:
		disable(w, side);
		break;
	default:
		silence(w, below(&w->chance, 2));
		break;
	}
	recover(w);
}

/* --- partition management by software under load --- */

static void wait_for(struct work *w, unsigned side, unsigned reg, uint64_t mask, const char *what)
{
	uint64_t since = w->pair.now;

	while (linked_get(&w->pair, side, reg) & mask && in_time(w, since, side, what)) {
	}
}

static void drain(struct work *w, unsigned side, uint64_t what)
{
	linked_set(&w->pair, side, GLK_CARD_DRAIN, what);
	wait_for(w, side, GLK_CARD_DRAIN, GLK_CARD_DRAIN_BUSY_MASK, "drain");
}

void work_drain(struct work *w)
{
	unsigned side = below(&w->chance, 2), role = below(&w->chance, WORK_ROLES + 1);

	drain(w, side,
	      role == WORK_ROLES ? GLK_DRAIN_CARD
				 : GLK_DRAIN_PARTITION | (uint64_t)w->side[side].partition[role] << GLK_CARD_DRAIN_ID_SHIFT);
}

/* Unbinds and rebinds a remote partition with stores to it in flight. */
void work_bind_again(struct work *w)
{
	unsigned side = below(&w->chance, 2), p = w->side[side].partition[WORK_FAR_A];
	unsigned kind = linked_partition(p, GLK_PARTITION_EP_KIND);
	bool paused = w->pause;

	say(w, "card %u rebinds partition %u", side, p);
	w->pause = true;
	work_stop_loads(w, side);
	linked_set(&w->pair, side, kind, GLK_EP_NONE);
	drain(w, side, GLK_DRAIN_PARTITION | (uint64_t)p << GLK_CARD_DRAIN_ID_SHIFT);
	expect(w, side, linked_partition(p, GLK_PARTITION_STATUS), GLK_PARTITION_STATUS_UNACKNOWLEDGED_MASK, 0);
	linked_set(&w->pair, side, kind, GLK_EP_LINK);
	if (linked_get(&w->pair, side, kind) != GLK_EP_LINK)
		linked_fail(&w->pair, "card %u, partition %u: EP_KIND is not link after rebinding", side, p);
	work_remote_bytes(w, side);
	w->pause = paused;
}

void work_deaf(struct work *w)
{
	unsigned side = below(&w->chance, 2);
	struct linked_card *card = &w->pair.card[side];

	say(w, "endpoints fail");
	w->trouble = w->deaf = true;
	for (unsigned p = 0; p < MEMORY_PARTITIONS; p++)
		if (card->late[p].count) /* posted by an atomic that is done, perhaps, and fails now */
			memset(w->side[side].unsure, true, sizeof(w->side[side].unsure));
	card->deaf = UINT32_MAX;
	work_run(w, 200 + below(&w->chance, 3000));
	card->deaf = 0;
	recover(w);
}
