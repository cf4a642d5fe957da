// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits of a card's resources per context and per user. Lowering a limit does not reclaim
 * resources. Memory: account.c. Their files: monitor/limits_sysfs.c.
 */
#include <linux/cred.h>

#include "core/card.h"
#include "core/context.h"
#include "core/limits.h"
#include "pool/pool.h"

/* Of a user, by default; glk_limit_pool() looks at all objects. */
#define POOL_OBJECTS	4096UL

void glk_limits_init(struct glk_card *card)
{
	card->limits[GLK_LIMIT_WINDOWS] = card->slices;
	card->limits[GLK_LIMIT_SLICES] = card->slices;
	card->limits[GLK_LIMIT_REGISTRATIONS] = card->registration_count;
	card->limits[GLK_LIMIT_REGIONS] = card->region_count;
	card->limits[GLK_LIMIT_CHUNKS] = card->chunk_count;
	card->limits[GLK_LIMIT_USER_CONTEXTS] = glk_contexts_usable(card);
	card->limits[GLK_LIMIT_USER_POOL_BYTES] = (u64)card->pool.pages * GLK_PAGE_SIZE;
	card->limits[GLK_LIMIT_USER_POOL_OBJECTS] = min(card->pool.pages, POOL_OBJECTS);
}

u64 glk_limit_get(struct glk_card *card, enum glk_limit which)
{
	return READ_ONCE(card->limits[which]);
}

/* Whether the calling user may open one more context. */
bool glk_limit_context(struct glk_card *card)
{
	unsigned int i, count = 0;

	lockdep_assert_held(&card->lock);
	for (i = 0; i < GLK_CONTEXT_COUNT; i++)
		if (card->contexts[i] && uid_eq(card->contexts[i]->uid, current_uid()))
			count++;
	return count < glk_limit_get(card, GLK_LIMIT_USER_CONTEXTS);
}

bool glk_limit_window(struct glk_context *ctx, u64 slices)
{
	lockdep_assert_held(&ctx->card->lock);
	return ctx->window_count < glk_limit_get(ctx->card, GLK_LIMIT_WINDOWS) &&
	       ctx->slice_count + slices <= glk_limit_get(ctx->card, GLK_LIMIT_SLICES);
}

bool glk_limit_registration(struct glk_context *ctx)
{
	lockdep_assert_held(&ctx->card->lock);
	return ctx->registration_count < glk_limit_get(ctx->card, GLK_LIMIT_REGISTRATIONS);
}

bool glk_limit_region(struct glk_context *ctx, u64 chunks)
{
	lockdep_assert_held(&ctx->card->lock);
	return ctx->region_count < glk_limit_get(ctx->card, GLK_LIMIT_REGIONS) &&
	       ctx->chunk_count + chunks <= glk_limit_get(ctx->card, GLK_LIMIT_CHUNKS);
}

/* Whether the calling user may create an object of pool memory. */
bool glk_limit_pool(struct glk_card *card, u64 bytes)
{
	const struct glk_pool_object *object;
	u64 total, objects = 0;

	lockdep_assert_held(&card->lock);
	total = bytes;
	list_for_each_entry(object, &card->pool.objects, list)
		if (uid_eq(object->uid, current_uid()) &&
		    (++objects, check_add_overflow(total, object->bytes, &total)))
			return false;
	return total <= glk_limit_get(card, GLK_LIMIT_USER_POOL_BYTES) &&
	       objects < glk_limit_get(card, GLK_LIMIT_USER_POOL_OBJECTS);
}
