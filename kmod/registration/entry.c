// SPDX-License-Identifier: GPL-2.0-only
/* Entries of the card's table of registrations: what grants the card access to memory. */
#include "core/card.h"
#include "core/context.h"
#include "registration/registration.h"

static u32 registration_entry_reg(const struct glk_registration *reg)
{
	return GLK_REGISTRATION_ARRAY + reg->handle * GLK_REGISTRATION_STRIDE;
}

/* Grants the card access. Under card->lock, with a live card. */
void glk_registration_arm(struct glk_context *ctx, struct glk_registration *reg)
{
	struct glk_card *card = ctx->card;
	u64 q0 = GLK_REGISTRATION_Q0_VALID_MASK | (u64)ctx->id << GLK_REGISTRATION_Q0_CONTEXT_SHIFT;

	lockdep_assert_held(&card->lock);
	if (reg->flags & GPULINK_ALLOW_READ)
		q0 |= GLK_REGISTRATION_Q0_READ_MASK;
	if (reg->flags & GPULINK_ALLOW_WRITE)
		q0 |= GLK_REGISTRATION_Q0_WRITE_MASK;
	spin_lock(&card->entry_lock);
	glk_write(card, registration_entry_reg(reg) + GLK_REGISTRATION_Q1, reg->bytes);
	glk_write(card, registration_entry_reg(reg) + GLK_REGISTRATION_Q2, reg->page_list.dma);
	glk_write(card, registration_entry_reg(reg) + GLK_REGISTRATION_Q3, reg->page_list.shape);
	glk_write(card, registration_entry_reg(reg) + GLK_REGISTRATION_Q0, q0);
	reg->armed = true;
	spin_unlock(&card->entry_lock);
}

/*
 * Revokes the card's access; the read waits until the write took effect. May be called without
 * card->lock: see dmabuf_import.c.
 */
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
