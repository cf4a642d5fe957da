// SPDX-License-Identifier: GPL-2.0-only
/* Contexts: one open file, and all that it owns on the card. */
#include <linux/dma-mapping.h>
#include <linux/slab.h>

#include "gpulink_drv.h"

/* 0, or why this context can do nothing (any more). */
int glk_context_usable(struct glk_context *ctx)
{
	return glk_card_error(ctx->card) ?: (READ_ONCE(ctx->card->generation) == ctx->generation ? 0 : -ESTALE);
}

/* Around everything that touches the card; not around user memory. */
int glk_context_enter(struct glk_context *ctx)
{
	int err;

	down_read(&ctx->card->state_lock);
	err = glk_context_usable(ctx);
	if (err)
		up_read(&ctx->card->state_lock);
	return err;
}

void glk_context_leave(struct glk_context *ctx)
{
	up_read(&ctx->card->state_lock);
}

static int attach(struct glk_context *ctx)
{
	struct glk_card *card = ctx->card;
	unsigned int id;
	int err;

	lockdep_assert_held(&card->lock);
	for (id = 0; id < card->context_count && card->contexts[id]; id++)
		;
	if (id == card->context_count)
		return -ENOSPC;
	ctx->id = id;
	ctx->generation = card->generation;
	ctx->record = dma_alloc_coherent(&card->pdev->dev, PAGE_SIZE, &ctx->record_dma, GFP_KERNEL);
	if (!ctx->record)
		return -ENOMEM;
	err = glk_ring_create(ctx);
	if (err) {
		dma_free_coherent(&card->pdev->dev, PAGE_SIZE, ctx->record, ctx->record_dma);
		return err;
	}
	card->contexts[id] = ctx;
	ctx->attached = true;
	return 0;
}

int glk_context_open(struct glk_card *card, struct address_space *mapping, struct glk_context **out)
{
	struct glk_context *ctx;
	int err;

	ctx = kzalloc(sizeof(*ctx), GFP_KERNEL_ACCOUNT);
	if (!ctx)
		return -ENOMEM;
	ctx->void_page = (void *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
	if (!ctx->void_page) {
		kfree(ctx);
		return -ENOMEM;
	}
	ctx->card = card;
	ctx->mapping = mapping;
	INIT_LIST_HEAD(&ctx->windows);
	INIT_LIST_HEAD(&ctx->registrations);

	down_read(&card->state_lock);
	err = glk_card_error(card);
	if (!err) {
		mutex_lock(&card->lock);
		err = attach(ctx);
		mutex_unlock(&card->lock);
	}
	up_read(&card->state_lock);
	if (err) {
		free_page((unsigned long)ctx->void_page);
		kfree(ctx);
		return err;
	}
	*out = ctx;
	return 0;
}

/*
 * Takes everything of the context off the card and gives back what the card could reach; pinned pages stay for
 * glk_context_close(). Under card->lock, and state_lock held in either way.
 */
void glk_context_detach(struct glk_context *ctx)
{
	struct glk_card *card = ctx->card;
	bool live = card->state == GLK_LIVE && card->generation == ctx->generation;
	struct glk_registration *reg;

	lockdep_assert_held(&card->lock);
	if (!ctx->attached)
		return;
	if (live) {
		glk_write(card, glk_context_reg(ctx->id, GLK_CONTEXT_CONTROL), 0);
		/* What its ring was at may still come: a read is answered when all of it is out, and so drained. */
		glk_read(card, GLK_CARD_STATUS);
		glk_card_drain(card, GLK_DRAIN_CONTEXT, ctx->id);
	}
	glk_window_free_all(ctx);
	list_for_each_entry(reg, &ctx->registrations, list)
		glk_registration_unmap(ctx, reg);
	glk_ring_destroy(ctx);
	dma_free_coherent(&card->pdev->dev, PAGE_SIZE, ctx->record, ctx->record_dma);
	card->contexts[ctx->id] = NULL;
	ctx->attached = false;
}

void glk_context_close(struct glk_context *ctx)
{
	struct glk_card *card = ctx->card;
	struct glk_registration *reg, *next;

	down_read(&card->state_lock);
	mutex_lock(&card->lock);
	glk_context_detach(ctx);
	mutex_unlock(&card->lock);
	up_read(&card->state_lock);
	list_for_each_entry_safe(reg, next, &ctx->registrations, list)
		glk_registration_free(reg);
	/* Mappings hold the file: none is left that could show this page. */
	free_page((unsigned long)ctx->void_page);
	kfree(ctx);
}

/* Wakes all who wait for anything, so that they see the state of the card. */
void glk_contexts_wake(struct glk_card *card)
{
	unsigned long flags;
	unsigned int i;

	spin_lock_irqsave(&card->vector_lock, flags);
	for (i = 0; i < GLK_CONTEXT_COUNT; i++)
		if (card->wake[i])
			wake_up_all(&card->wake[i]->ring.wait);
	spin_unlock_irqrestore(&card->vector_lock, flags);
}

/* Takes away all mappings of windows, doorbells and records. */
void glk_contexts_zap(struct glk_card *card)
{
	unsigned int i;

	lockdep_assert_held(&card->lock);
	for (i = 0; i < GLK_CONTEXT_COUNT; i++)
		if (card->contexts[i])
			unmap_mapping_range(card->contexts[i]->mapping, 0, 0, 1);
}
