// SPDX-License-Identifier: GPL-2.0-only
/* Entries of the card's table of registrations: what grants the card access to memory. */
#include "core/card.h"
#include "core/context.h"
#include "core/limits.h"
#include "core/trace.h"
#include "registration/registration.h"

static u32 registration_entry_reg(const struct glk_registration *reg)
{
	return GLK_REGISTRATION_ARRAY + reg->handle * GLK_REGISTRATION_STRIDE;
}

static u64 registration_rights(const struct glk_context *ctx, const struct glk_registration *reg)
{
	u64 q0 = GLK_REGISTRATION_Q0_VALID_MASK | (u64)ctx->id << GLK_REGISTRATION_Q0_CONTEXT_SHIFT;

	if (reg->flags & GPULINK_ALLOW_READ)
		q0 |= GLK_REGISTRATION_Q0_READ_MASK;
	if (reg->flags & GPULINK_ALLOW_WRITE)
		q0 |= GLK_REGISTRATION_Q0_WRITE_MASK;
	return q0;
}

/*
 * Grants the card access, unless the registration was revoked, after which the context may be gone,
 * or the context is stale. Takes only entry_lock: see dmabuf_import.c.
 */
void glk_registration_arm(struct glk_card *card, struct glk_context *ctx,
			  struct glk_registration *reg)
{
	spin_lock(&card->entry_lock);
	/* Both change before others take entry_lock to disarm it. */
	if (READ_ONCE(reg->mapped) && !glk_context_error(ctx)) {
		u32 entry = registration_entry_reg(reg);

		glk_write(card, entry + GLK_REGISTRATION_Q1, reg->bytes);
		glk_write(card, entry + GLK_REGISTRATION_Q2, reg->page_list.dma);
		glk_write(card, entry + GLK_REGISTRATION_Q3, reg->page_list.shape);
		glk_write(card, entry + GLK_REGISTRATION_Q0, registration_rights(ctx, reg));
		reg->armed = true;
	}
	spin_unlock(&card->entry_lock);
}

/* Revokes the card's access; the read waits until the write took effect. */
void glk_registration_disarm(struct glk_card *card, struct glk_registration *reg)
{
	spin_lock(&card->entry_lock);
	if (reg->armed) {
		glk_write(card, registration_entry_reg(reg) + GLK_REGISTRATION_Q0, 0);
		glk_read(card, GLK_CARD_STATUS);
		reg->armed = false;
	}
	spin_unlock(&card->entry_lock);
}

/* See contexts_mark_disarmed(). */
void glk_registrations_mark_disarmed(struct glk_context *ctx)
{
	struct glk_registration *reg;

	lockdep_assert_held(&ctx->card->lock);
	spin_lock(&ctx->card->entry_lock);
	list_for_each_entry(reg, &ctx->registrations, list)
		reg->armed = false;
	spin_unlock(&ctx->card->entry_lock);
}

/* Under card->lock. */
static int registration_place(struct glk_context *ctx, struct glk_registration *reg)
{
	struct glk_card *card = ctx->card;

	lockdep_assert_held(&card->lock);
	if (!glk_limit_registration(ctx))
		return -EDQUOT;
	reg->handle = find_first_zero_bit(card->registration_map, card->registration_count);
	if (reg->handle >= card->registration_count)
		return -ENOSPC;
	__set_bit(reg->handle, card->registration_map);
	reg->mapped = true;
	ctx->registration_count++;
	ctx->pinned_pages += reg->charge.pinned_pages;
	ctx->dmabuf_bytes += reg->charge.dmabuf_bytes;
	list_add_tail(&reg->list, &ctx->registrations);
	glk_registration_arm(card, ctx, reg);
	trace_gpulink_register(ctx, reg);
	return 0;
}

/* Adds mapped memory to the card's table. From then on others may revoke and free it. */
int glk_registration_add(struct glk_context *ctx, struct glk_registration *reg, u32 *handle)
{
	int err;

	err = glk_context_enter(ctx);
	if (err)
		return err;
	mutex_lock(&ctx->card->lock);
	err = registration_place(ctx, reg);
	*handle = reg->handle;
	mutex_unlock(&ctx->card->lock);
	glk_context_leave(ctx);
	return err;
}
