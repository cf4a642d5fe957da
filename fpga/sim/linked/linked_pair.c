// SPDX-License-Identifier: Apache-2.0
#include "linked_pair.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <gpulink_regs.h>

#define FOREVER (UINT64_C(1) << 32)

void linked_fail(struct linked_pair *pair, const char *format, ...)
{
	va_list arguments;
	int length;

	if (pair->failure[0])
		return;
	length = snprintf(pair->failure, sizeof(pair->failure), "clock %" PRIu64 ": ", pair->now);
	va_start(arguments, format);
	vsnprintf(pair->failure + length, sizeof(pair->failure) - (size_t)length, format, arguments);
	va_end(arguments);
}

static uint64_t wait(void *user)
{
	struct linked_pair *pair = user;

	linked_pair_clock(pair);
	if (pair->failure[0]) /* ends all waits */
		pair->now += FOREVER;
	return pair->now;
}

int linked_pair_create(struct linked_pair *pair, const enum linked_kind kinds[2], uint64_t seed, uint64_t round,
		       const char *wave)
{
	memset(pair, 0, sizeof(*pair));
	for (unsigned i = 0; i < 2; i++) {
		const struct linked_config config = {
			.kind = kinds[i],
			.seed = seed,
			.round = round,
			.serial = 100 * (1 + seed) + i,
			.cluster = (uint8_t)(1 + i),
			.session = (uint16_t)(1 + 7 * round + 1000 * i),
			.packing = kinds[i] == LINKED_RTL || round % 2 == 0,
			.wave = kinds[i] == LINKED_RTL ? wave : NULL,
			.wait = wait,
			.user = pair,
		};
		int error = linked_card_create(&pair->card[i], &config);

		if (error)
			return error;
		if (config.wave)
			wave = NULL;
		link_wire_start(&pair->wire[i], 20, 2 * (seed + 977 * round) + i);
	}
	return 0;
}

void linked_pair_destroy(struct linked_pair *pair)
{
	for (unsigned i = 0; i < 2; i++)
		linked_card_destroy(&pair->card[i]);
}

void linked_pair_clock(struct linked_pair *pair)
{
	struct glk_block block;

	pair->now++;
	for (unsigned i = 0; i < 2; i++) {
		const struct glk_block *came = link_wire_get(&pair->wire[1 - i], pair->now);

		if (linked_card_clock(&pair->card[i], pair->now, came, &block) && !pair->dead)
			link_wire_put(&pair->wire[i], pair->now, &block);
		if (pair->card[i].fault)
			linked_fail(pair, "card %u: %s", i, pair->card[i].fault);
	}
	for (unsigned i = 0; i < 2; i++)
		linked_card_work(&pair->card[i]);
	if (pair->later && pair->now >= pair->later_at && pair->later(pair->user))
		pair->later = NULL;
	for (unsigned i = 0; i < 2; i++)
		if (pair->work && !pair->card[i].inside)
			pair->work(pair->user, i);
}

static bool go_on(struct linked_pair *pair, uint64_t since, const char *what, unsigned side, uint64_t offset)
{
	if (pair->failure[0])
		return false;
	if (pair->now - since > LINKED_PATIENCE)
		linked_fail(pair, "%s of register %#" PRIx64 " of card %u does not end", what, offset, side);
	linked_pair_clock(pair);
	return true;
}

void linked_set(struct linked_pair *pair, unsigned side, uint64_t offset, uint64_t value)
{
	uint64_t since = pair->now;

	while (linked_card_post(&pair->card[side], 0, offset, &value, sizeof(value)) &&
	       go_on(pair, since, "write", side, offset)) {
	}
}

uint64_t linked_get(struct linked_pair *pair, unsigned side, uint64_t offset)
{
	uint64_t since = pair->now, value = UINT64_MAX;

	while (linked_card_read(&pair->card[side], 0, offset, sizeof(value)))
		if (!go_on(pair, since, "read", side, offset))
			return value;
	while (!linked_card_answer(&pair->card[side], &value))
		if (!go_on(pair, since, "read", side, offset))
			return value;
	return value;
}

void linked_harm(struct linked_pair *pair, enum link_wire_harm harm, double probability)
{
	for (unsigned i = 0; i < 2; i++)
		link_wire_harm(&pair->wire[i], harm, probability);
}

void linked_cut(struct linked_pair *pair, unsigned who)
{
	for (unsigned i = 0; i < 2; i++) {
		link_wire_cut(&pair->wire[i]);
		if (who == i || who == 2)
			linked_card_cut(&pair->card[i]);
	}
}

bool linked_kinds(const char *text, enum linked_kind kinds[2])
{
	const char *comma = strchr(text, ',');

	if (!comma)
		return false;
	kinds[0] = strncmp(text, "rtl,", 4) == 0 ? LINKED_RTL : LINKED_MODEL;
	kinds[1] = strcmp(comma + 1, "rtl") == 0 ? LINKED_RTL : LINKED_MODEL;
	return true;
}

unsigned linked_partition(unsigned p, unsigned reg)
{
	return GLK_PARTITION_ARRAY + p * GLK_PARTITION_STRIDE + reg;
}

unsigned linked_context(unsigned c, unsigned reg)
{
	return GLK_CONTEXT_ARRAY + c * GLK_CONTEXT_STRIDE + reg;
}

unsigned linked_doorbell(unsigned c, unsigned reg)
{
	return GLK_DOORBELL_ARRAY + c * GLK_DOORBELL_STRIDE + reg;
}
