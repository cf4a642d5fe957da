// SPDX-License-Identifier: GPL-2.0-only
/* Contexts: one per open file; a context owns everything that the file set up on the card. */
#include <linux/cred.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>

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

#define CLOSED_RETRY	(2 * HZ)

/* Under card->lock, with the memory of the record and the rings. */
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
	err = glk_card_read_context_counters(card, id, ctx->counters_base);
	if (err)
		return err;
	card->contexts[id] = ctx;
	ctx->attached = true;
	glk_ring_attach(ctx);
	return 0;
}

/* Allocates what the card uses, without locks, and attaches the context. Under a binding. */
static int context_set_up(struct glk_context *ctx)
{
	struct glk_card *card = ctx->card;
	int err;

	err = glk_card_error(card) ?: glk_memory_alloc(card, &ctx->record, PAGE_SIZE);
	if (err)
		return err;
	err = glk_ring_alloc(ctx);
	if (err)
		goto free_record;
	down_read(&card->state_lock);
	err = glk_card_error(card);
	if (!err) {
		mutex_lock(&card->lock);
		err = context_attach(ctx);
		mutex_unlock(&card->lock);
	}
	up_read(&card->state_lock);
	if (!err)
		return 0;
	glk_ring_free(ctx);
free_record:
	glk_memory_free(card, &ctx->record);
	return err;
}

/* It is detached, or never was attached. */
static void context_free(struct glk_context *ctx)
{
	/* Mappings hold the file: none is left that could show these pages. */
	free_page((unsigned long)ctx->reset_cq);
	free_page((unsigned long)ctx->dummy_doorbell);
	free_page((unsigned long)ctx->dummy_page);
	put_pid(ctx->owner);
	glk_submit_exit(ctx);
	kvfree(ctx);
}

int glk_context_open(struct glk_card *card, struct address_space *mapping, struct glk_context **out)
{
	struct glk_context *ctx;
	int err = -ENOMEM;

	ctx = kvzalloc(sizeof(*ctx), GFP_KERNEL_ACCOUNT);
	if (!ctx)
		return err;
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

	glk_binding_get(card);
	err = context_set_up(ctx);
	glk_binding_put(card);
	if (err)
		goto free;
	*out = ctx;
	return 0;
free:
	context_free(ctx);
	return err;
}

void glk_revoked_init(struct glk_revoked *revoked)
{
	INIT_LIST_HEAD(&revoked->registrations);
	INIT_LIST_HEAD(&revoked->proofs);
	INIT_LIST_HEAD(&revoked->contexts);
}

void glk_revoked_free(struct glk_card *card, struct glk_revoked *revoked)
{
	struct glk_context *ctx, *next;

	glk_registrations_unmap(card, &revoked->registrations);
	glk_registrations_free(&revoked->registrations);
	glk_proofs_free(&revoked->proofs);
	/* Until here works of the others have used them. */
	list_for_each_entry_safe(ctx, next, &revoked->contexts, closed_list)
		context_free(ctx);
}

/* What others delay, given back for the administrator, who does not wait for them. */
struct revoked_work {
	struct work_struct work;
	struct glk_card *card;		/* holds its binding */
	struct glk_revoked revoked;
};

static void revoked_work(struct work_struct *work)
{
	struct revoked_work *w = container_of(work, struct revoked_work, work);

	glk_revoked_free(w->card, &w->revoked);
	glk_binding_put(w->card);
	kfree(w);
}

/*
 * The same while the device is locked: waits for exporters of dma-bufs for two seconds at most. It
 * goes on then, and the removal of the card waits for its end.
 */
void glk_revoked_release(struct glk_card *card, struct glk_revoked *revoked)
{
	struct revoked_work *w;

	if (list_empty(&revoked->registrations) && list_empty(&revoked->proofs) &&
	    list_empty(&revoked->contexts))
		return;
	w = kzalloc(sizeof(*w), GFP_KERNEL);
	if (!w) {
		glk_revoked_free(card, revoked);
		return;
	}
	INIT_WORK(&w->work, revoked_work);
	w->card = card;
	glk_revoked_init(&w->revoked);
	list_splice(&revoked->registrations, &w->revoked.registrations);
	list_splice(&revoked->proofs, &w->revoked.proofs);
	list_splice(&revoked->contexts, &w->revoked.contexts);
	glk_binding_get(card);
	queue_work(glk_wq, &w->work);
	wait_var_event_timeout(&card->binding_users, !atomic_read(&card->binding_users), 2 * HZ);
}

/*
 * Removes the context from the card and frees the memory that the card could access. Moves its
 * registrations and dma-bufs to `revoked`. Under card->lock and state_lock (for reading or
 * writing).
 *
 * False: the card may still have stores of the context, for a drain did not end. Its number, its
 * record and rings, and the slices of its windows must not be another's yet: the context stays, and
 * nothing else of it.
 */
static bool context_detach(struct glk_context *ctx, struct glk_revoked *revoked)
{
	struct glk_card *card = ctx->card;
	bool live = card->state == GLK_LIVE && card->generation == ctx->generation;
	struct glk_registration *reg, *next;
	int err = 0;

	lockdep_assert_held(&card->lock);
	if (!ctx->attached)
		return true;
	if (live) {
		glk_write(card, glk_context_reg(ctx->id, GLK_CONTEXT_CONTROL), 0);
		glk_regions_stop(ctx);
	}
	glk_windows_revoke(ctx);
	if (live)
		err = glk_context_drain(ctx);
	/* A card lost just now may still be bus master: only its registers are known to be dead. */
	if (card->state == GLK_LOST)
		pci_clear_master(card->pdev);
	glk_regions_free_all(ctx);
	glk_windows_close(ctx, &revoked->proofs);
	list_for_each_entry_safe(reg, next, &ctx->registrations, list)
		glk_registration_revoke(ctx, reg, &revoked->registrations);
	if (err && card->state == GLK_LIVE)
		return false;
	glk_windows_free(ctx, &revoked->proofs);
	glk_ring_destroy(ctx);
	glk_user_ring_free(ctx);
	glk_memory_free(card, &ctx->record);
	card->contexts[ctx->id] = NULL;
	ctx->attached = false;
	if (ctx->closed)
		list_add_tail(&ctx->closed_list, &revoked->contexts);
	return true;
}

/* Detaches what closed files have left, once the card has sent their stores. */
static void contexts_closed_work(struct work_struct *work)
{
	struct glk_card *card = container_of(to_delayed_work(work), struct glk_card, closed_work);
	struct glk_revoked revoked;
	bool again = false;
	unsigned int i;

	glk_revoked_init(&revoked);
	glk_binding_get(card);
	down_read(&card->state_lock);
	mutex_lock(&card->lock);
	for (i = 0; i < GLK_CONTEXT_COUNT; i++)
		if (card->contexts[i] && card->contexts[i]->closed)
			again |= !context_detach(card->contexts[i], &revoked);
	if (again)
		queue_delayed_work(glk_wq, &card->closed_work, CLOSED_RETRY);
	mutex_unlock(&card->lock);
	up_read(&card->state_lock);
	glk_revoked_free(card, &revoked);
	glk_binding_put(card);
}

static void contexts_init(struct glk_card *card)
{
	INIT_DELAYED_WORK(&card->closed_work, contexts_closed_work);
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
	bool detached;

	glk_revoked_init(&revoked);
	/* io_uring commands hold the file: none is left, and nothing requeues the watchdog. */
	cancel_delayed_work_sync(&ctx->watchdog);
	glk_window_exports_notify(ctx);
	glk_binding_get(card);
	down_read(&card->state_lock);
	mutex_lock(&card->lock);
	detached = context_detach(ctx, &revoked);
	if (!detached) {
		ctx->closed = true;
		ctx->mapping = NULL;	/* may be gone with the file */
		glk_err(card, GLK_ERROR_DRAIN,
			"context %u: stores may still be under way: reserved until they are drained or the card is reset\n",
			ctx->id);
		queue_delayed_work(glk_wq, &card->closed_work, CLOSED_RETRY);
	}
	mutex_unlock(&card->lock);
	up_read(&card->state_lock);
	glk_revoked_free(card, &revoked);
	glk_binding_put(card);
	if (detached)
		context_free(ctx);
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
		if (card->contexts[i]->mapping)
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

/* All contexts are detached. */
static void contexts_flush(struct glk_card *card)
{
	cancel_delayed_work_sync(&card->closed_work);
}

const struct glk_part glk_context_part = {
	.init = contexts_init,
	.flush = contexts_flush,
	.wake = contexts_wake,
	.zap = contexts_zap,
	.disarm = contexts_mark_disarmed,
	.detach = contexts_detach,
};
