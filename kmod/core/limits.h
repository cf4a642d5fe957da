/* SPDX-License-Identifier: GPL-2.0-only */
/* Limits of a card's resources. */
#ifndef GLK_LIMITS_H
#define GLK_LIMITS_H

#include <linux/types.h>

struct glk_card;
struct glk_context;

/* Indices into card->limits: per context, and from USER_CONTEXTS on per user. */
enum glk_limit {
	GLK_LIMIT_WINDOWS,
	GLK_LIMIT_SLICES,
	GLK_LIMIT_REGISTRATIONS,
	GLK_LIMIT_REGIONS,
	GLK_LIMIT_CHUNKS,
	GLK_LIMIT_USER_CONTEXTS,
	GLK_LIMIT_USER_POOL_BYTES,
	GLK_LIMIT_USER_POOL_OBJECTS,
	GLK_LIMIT_COUNT,
};

/* limits.c: callers of those that return bool hold card->lock */
void glk_limits_init(struct glk_card *card);
u64 glk_limit_get(struct glk_card *card, enum glk_limit which);
bool glk_limit_context(struct glk_card *card);
bool glk_limit_window(struct glk_context *ctx, u64 slices);
bool glk_limit_registration(struct glk_context *ctx);
bool glk_limit_region(struct glk_context *ctx, u64 chunks);
bool glk_limit_pool(struct glk_card *card, u64 bytes);

#endif /* GLK_LIMITS_H */
