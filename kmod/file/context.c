// SPDX-License-Identifier: GPL-2.0-only
/* Contexts: one per open file; a context owns everything that the file set up on the card. */
#include <linux/cred.h>
#include <linux/slab.h>

#include "core/card.h"
#include "core/context.h"
#include "core/part.h"
#include "file/file.h"
#include "core/counters.h"
#include "core/limits.h"
#include "core/memory.h"
#include "region/region.h"
#include "registration/registration.h"
#include "ring/ring.h"
#include "window/window.h"

static int context_attach(struct glk_context *ctx)
{
	struct glk_card *card = ctx->card;
	unsigned int id;
	int err;

	lockdep_assert_held(&card->lock);
	BUILD_BUG_ON(GLK_DOORBELL_ARRAY % PAGE_SIZE || GLK_DOORBELL_STRIDE != GLK_PAGE_SIZE);
	for (id = 0; id < card->context_count && card->contexts[id]; id += GLK_CONTEXT_STEP)
		;
	if (id >= card->context_count)
		return -ENOSPC;
	if (!glk_limit_context(card))
		return -EDQUOT;
	ctx->id = id;
	ctx->generation = card->generation;
	err = glk_card_read_context_counters(card, id, ctx->counters_base) ?:
	      glk_memory_alloc(card, &ctx->record, PAGE_SIZE);
	if (err)
		return err;
	err = glk_ring_create(ctx);
	if (err) {
		glk_memory_free(card, &ctx->record);
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

	ctx = kvzalloc(sizeof(*ctx), GFP_KERNEL_ACCOUNT);
	if (!ctx)
		return -ENOMEM;
	err = -ENOMEM;
	ctx->dummy_page = (void *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
	ctx->dummy_doorbell = (void *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
	if (!ctx->dummy_page || !ctx->dummy_doorbell || glk_submit_init(ctx))
		goto free;
	glk_uring_init(ctx);
	ctx->card = card;
	ctx->mapping = mapping;
	ctx->owner = get_pid(task_tgid(current));
	get_task_comm(ctx->comm, current);
	ctx->uid = current_uid();
	mutex_init(&ctx->map_lock);
	INIT_LIST_HEAD(&ctx->windows);
	INIT_LIST_HEAD(&ctx->registrations);
	INIT_LIST_HEAD(&ctx->regions);

	down_read(&card->state_lock);
	err = glk_card_error(card);
	if (!err) {
		mutex_lock(&card->lock);
		err = context_attach(ctx);
		mutex_unlock(&card->lock);
	}
	up_read(&card->state_lock);
	if (err)
		goto free;
	*out = ctx;
	return 0;
free:
	put_pid(ctx->owner);
	glk_submit_exit(ctx);
	free_page((unsigned long)ctx->dummy_doorbell);
	free_page((unsigned long)ctx->dummy_page);
	kvfree(ctx);
	return err;
}

void glk_revoked_init(struct glk_revoked *revoked)
{
	INIT_LIST_HEAD(&revoked->registrations);
	INIT_LIST_HEAD(&revoked->proofs);
}

void glk_revoked_free(struct glk_card *card, struct glk_revoked *revoked)
{
	glk_registrations_unmap(card, &revoked->registrations);
	glk_registrations_free(&revoked->registrations);
	glk_proofs_free(&revoked->proofs);
}

/*
 * Removes the context from the card and frees the memory that the card could access. Moves its
 * registrations and dma-bufs to `revoked`. Under card->lock and state_lock (for reading or
 * writing).
 */
static void context_detach(struct glk_context *ctx, struct glk_revoked *revoked)
{
	struct glk_card *card = ctx->card;
	bool live = card->state == GLK_LIVE && card->generation == ctx->generation;
	struct glk_registration *reg, *next;

	lockdep_assert_held(&card->lock);
	if (!ctx->attached)
		return;
	if (live) {
		glk_write(card, glk_context_reg(ctx->id, GLK_CONTEXT_CONTROL), 0);
		glk_regions_stop(ctx);
		/*
		 * The ring may still have operations in flight: the read completes after they are
		 * queued, so the drain covers them.
		 */
		glk_read(card, GLK_CARD_STATUS);
		glk_card_drain(card, GLK_DRAIN_CONTEXT, ctx->id);
	}
	/* A card lost just now may still be bus master: only its registers are known to be dead. */
	if (card->state == GLK_LOST)
		pci_clear_master(card->pdev);
	glk_regions_free_all(ctx);
	glk_window_free_all(ctx, &revoked->proofs);
	list_for_each_entry_safe(reg, next, &ctx->registrations, list)
		glk_registration_revoke(ctx, reg, &revoked->registrations);
	glk_ring_destroy(ctx);
	glk_user_ring_free(ctx);
	glk_memory_free(card, &ctx->record);
	card->contexts[ctx->id] = NULL;
	ctx->attached = false;
}

/*
 * Detaches the contexts of all open files, which are stale: after a reset, while the card is not
 * live yet, or on removal.
 */
static void contexts_detach(struct glk_card *card, struct glk_revoked *revoked)
{
	unsigned int i;

	lockdep_assert_held_write(&card->state_lock);
	for (i = 0; i < GLK_CONTEXT_COUNT; i++)
		if (card->contexts[i])
			context_detach(card->contexts[i], revoked);
}

void glk_context_close(struct glk_context *ctx)
{
	struct glk_card *card = ctx->card;
	struct glk_revoked revoked;

	glk_revoked_init(&revoked);
	glk_binding_get(card);
	down_read(&card->state_lock);
	mutex_lock(&card->lock);
	context_detach(ctx, &revoked);
	mutex_unlock(&card->lock);
	up_read(&card->state_lock);
	glk_revoked_free(card, &revoked);
	glk_binding_put(card);
	/* io_uring commands hold the file: none is left, and nothing requeues the watchdog. */
	cancel_delayed_work_sync(&ctx->watchdog);
	/* Mappings hold the file: none is left that could show these pages. */
	free_page((unsigned long)ctx->reset_cq);
	free_page((unsigned long)ctx->dummy_doorbell);
	free_page((unsigned long)ctx->dummy_page);
	put_pid(ctx->owner);
	glk_submit_exit(ctx);
	kvfree(ctx);
}

/* Wakes all waiters, so that they check the state of the card. */
static void contexts_wake(struct glk_card *card)
{
	unsigned long flags;
	unsigned int i;

	spin_lock_irqsave(&card->vector_lock, flags);
	for (i = 0; i < GLK_CONTEXT_COUNT; i++)
		if (card->wake[i])
			glk_ring_wake(card->wake[i]);
	spin_unlock_irqrestore(&card->vector_lock, flags);
}

/*
 * Revokes all user mappings of windows, doorbells, records and rings, and other devices' mappings
 * of windows.
 */
static void contexts_zap(struct glk_card *card)
{
	struct glk_window *window;
	unsigned int i;

	lockdep_assert_held(&card->lock);
	for (i = 0; i < GLK_CONTEXT_COUNT; i++) {
		if (!card->contexts[i])
			continue;
		unmap_mapping_range(card->contexts[i]->mapping, 0, 0, 1);
		list_for_each_entry(window, &card->contexts[i]->windows, list)
			glk_window_export_revoke(window);
	}
}

/*
 * The card can no longer access memory, and the next reset clears its table: do not write the
 * entries later, when they may belong to other registrations.
 */
static void contexts_mark_disarmed(struct glk_card *card)
{
	unsigned int i;

	lockdep_assert_held(&card->lock);
	for (i = 0; i < GLK_CONTEXT_COUNT; i++)
		if (card->contexts[i]) {
			glk_registrations_mark_disarmed(card->contexts[i]);
			glk_proofs_mark_disarmed(card->contexts[i]);
		}
}

const struct glk_part glk_context_part = {
	.wake = contexts_wake,
	.zap = contexts_zap,
	.disarm = contexts_mark_disarmed,
	.detach = contexts_detach,
};
