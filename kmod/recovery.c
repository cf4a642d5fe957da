// SPDX-License-Identifier: GPL-2.0-only
/*
 * Device life cycle: resets, bus errors, system sleep, shutdown and loss of the card
 * (docs/recovery.md). All of them take the card down by card_quiesce() and back up by
 * card_bring_up(). Files opened before then are stale.
 *
 * All callbacks except the work run with the device locked: never concurrently with probe, removal
 * or each other.
 */
#include <linux/pm.h>
#include <linux/slab.h>

#include "core/card.h"
#include "core/part.h"
#include "device.h"
#include "file/file.h"
#include "monitor/dump.h"

/*
 * Quiesces the card. On return all waiters have been woken, no mapping reaches the card, and the
 * card cannot access memory. Queued stores are drained first; the card drops and counts those that
 * cannot be sent.
 */
static void card_quiesce(struct glk_card *card, enum glk_state to, bool reachable)
{
	struct glk_coredump core = { };
	bool live;

	down_write(&card->state_lock);
	mutex_lock(&card->lock);
	live = card->state == GLK_LIVE;
	/* Only resume ends the suspended state. */
	if (card->state != GLK_SUSPENDED || to == GLK_REMOVED)
		glk_card_set_state(card, to);
	glk_parts_call(wake, card);
	if (to == GLK_LOST)
		core = glk_coredump_make(card, "a bus error");
	glk_parts_call(zap, card);
	reachable = live && reachable && glk_card_responds(card);
	if (reachable) {
		glk_card_drain(card, GLK_DRAIN_CARD, 0);
		glk_write(card, GLK_CARD_CONTROL, 0);
		glk_read(card, GLK_CARD_STATUS);	/* flush the posted write */
	}
	glk_parts_call(stop, card, reachable);
	pci_clear_master(card->pdev);
	/* Only now: until here a dma-buf may move, and its notification must revoke the access. */
	glk_parts_call(disarm, card);
	mutex_unlock(&card->lock);
	up_write(&card->state_lock);
	glk_coredump_publish(card, core);
}

/*
 * Resumes operation from the quiesced state `from`, with the previous settings and endpoints. Only
 * now, with the card's tables and queues cleared, is what stale files held given back.
 */
static void card_bring_up(struct glk_card *card, enum glk_state from, const char *why)
{
	struct pci_dev *pdev = card->pdev;
	struct glk_coredump core = { };
	struct glk_revoked revoked;
	int err;

	glk_revoked_init(&revoked);
	down_write(&card->state_lock);
	mutex_lock(&card->lock);
	if (card->state != from)
		goto unlock;
	/* Not every event that leads here resets the card's logic. */
	if (glk_card_responds(card) && glk_read(card, GLK_CARD_GENERATION) == card->hw_generation)
		glk_card_stop(card);
	pci_set_master(pdev);
	err = glk_card_start(card);
	if (err) {
		core = glk_coredump_make(card, why);
		pci_clear_master(pdev);
		if (err != -ENXIO)
			glk_err(card, GLK_ERROR_RESET, "card does not become ready after %s\n",
				why);
	} else {
		glk_recovery_save_config(card);
		glk_parts_call(detach, card, &revoked);
		dev_info(&pdev->dev, "recovered from %s, generation %llu\n", why, card->generation);
	}
	glk_card_set_state(card, err ? GLK_LOST : GLK_LIVE);
	glk_parts_call(settle, card);
unlock:
	mutex_unlock(&card->lock);
	up_write(&card->state_lock);
	glk_coredump_publish(card, core);
	/* The device is locked, hence the card stays bound. */
	glk_revoked_release(card, &revoked);
	glk_parts_call(sweep, card);
}

/* The part of glk_card_mark_lost() that needs to sleep. */
static void card_lost_work(struct work_struct *work)
{
	struct glk_card *card = container_of(work, struct glk_card, lost_work);
	struct glk_coredump core = { };

	down_write(&card->state_lock);
	mutex_lock(&card->lock);
	if (card->state == GLK_LOST) {
		core = glk_coredump_make(card, "the card stopped responding");
		glk_parts_call(zap, card);
		pci_clear_master(card->pdev);
		glk_parts_call(disarm, card);
		glk_parts_call(stop, card, false);
	}
	mutex_unlock(&card->lock);
	up_write(&card->state_lock);
	glk_coredump_publish(card, core);
}

void glk_recovery_init(struct glk_card *card)
{
	INIT_WORK(&card->lost_work, card_lost_work);
}

/* Final shutdown on removal: clears the card; nothing above runs afterwards. */
void glk_recovery_remove(struct glk_card *card)
{
	card_quiesce(card, GLK_REMOVED, true);
	cancel_work_sync(&card->lost_work);
	cancel_work_sync(&card->state_work);
	if (glk_card_responds(card))
		glk_card_stop(card);
}

/* The card is live: what a later reset, or the slot's, brings back. */
void glk_recovery_save_config(struct glk_card *card)
{
	pci_save_state(card->pdev);
	kfree(card->config);
	card->config = pci_store_saved_state(card->pdev);
}

/*
 * Function reset, requested by either sysfs file. The PCI core saves the configuration that it
 * finds after this, and restores it in the end. A lost card may have none: another reset, or
 * somebody who turned its memory decoding off, may be why it is lost.
 */
static void card_reset_prepare(struct pci_dev *pdev)
{
	struct glk_card *card = pci_get_drvdata(pdev);
	bool lost = READ_ONCE(card->state) == GLK_LOST;

	card_quiesce(card, GLK_RESETTING, true);
	if (!lost || !card->config || pci_load_saved_state(pdev, card->config))
		return;
	pci_restore_state(pdev);
	pci_clear_master(pdev);
}

static void card_reset_done(struct pci_dev *pdev)
{
	card_bring_up(pci_get_drvdata(pdev), GLK_RESETTING, "a reset");
}

/*
 * Bus error. Even a nonfatal error means that an access was lost, possibly a store, and only a
 * reset reports that to every user. So recovery always resets; there is no mmio_enabled callback.
 */
static pci_ers_result_t card_error_detected(struct pci_dev *pdev, pci_channel_state_t state)
{
	struct glk_card *card = pci_get_drvdata(pdev);

	if (state == pci_channel_io_perm_failure) {
		card_quiesce(card, GLK_LOST, false);
		return PCI_ERS_RESULT_DISCONNECT;
	}
	card_quiesce(card, GLK_RESETTING, state == pci_channel_io_normal);
	return PCI_ERS_RESULT_NEED_RESET;
}

static pci_ers_result_t card_slot_reset(struct pci_dev *pdev)
{
	struct glk_card *card = pci_get_drvdata(pdev);

	pci_restore_state(pdev);
	pci_save_state(pdev);	/* pci_restore_state() invalidated the copy */
	if (glk_card_responds(card))
		return PCI_ERS_RESULT_RECOVERED;
	glk_err(card, GLK_ERROR_RESET, "card does not respond after a slot reset\n");
	card_quiesce(card, GLK_LOST, false);
	return PCI_ERS_RESULT_DISCONNECT;
}

static void card_error_resume(struct pci_dev *pdev)
{
	card_bring_up(pci_get_drvdata(pdev), GLK_RESETTING, "a bus error");
}

const struct pci_error_handlers glk_error_handlers = {
	.reset_prepare = card_reset_prepare,
	.reset_done = card_reset_done,
	.error_detected = card_error_detected,
	.slot_reset = card_slot_reset,
	.resume = card_error_resume,
};

/* The PCI core saves and restores the configuration space and changes the power state. */
static int card_suspend(struct device *dev)
{
	card_quiesce(dev_get_drvdata(dev), GLK_SUSPENDED, true);
	return 0;
}

static int card_resume(struct device *dev)
{
	card_bring_up(dev_get_drvdata(dev), GLK_SUSPENDED, "system sleep");
	return 0;
}

const struct dev_pm_ops glk_pm_ops = {
	SYSTEM_SLEEP_PM_OPS(card_suspend, card_resume)
};

/* Reboot, power-off or kexec: the card must not access the memory of the next kernel. */
void glk_recovery_shutdown(struct pci_dev *pdev)
{
	card_quiesce(pci_get_drvdata(pdev), GLK_SUSPENDED, true);
}
