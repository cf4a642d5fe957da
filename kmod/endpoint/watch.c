// SPDX-License-Identifier: GPL-2.0-only
/*
 * What happens to endpoints by itself: resets of the card, and events and moves of the devices
 * behind endpoints of kind bus.
 *
 * A driver that binds to the device may resize or move the BAR. The card does not write to it
 * meanwhile: stores in between fail and are counted, and the next release reports them. Nothing
 * tells of a BAR that moves at another time (resourceN_resize, or a driver that resizes it later):
 * such an endpoint is found within BUS_POLL.
 */
#include "core/card.h"
#include "core/part.h"
#include "endpoint/partition.h"

/*
 * Removes an endpoint of kind bus if its BAR was moved. What is queued for it is dropped: the
 * address may be another device's.
 */
static bool bus_clear_moved(struct glk_card *card, unsigned int partition)
{
	struct glk_partition *p = &card->partitions[partition];

	lockdep_assert_held(&card->lock);
	if (!glk_endpoint_bus_moved(p))
		return false;
	glk_warn(card, GLK_ERROR_ENDPOINT_GONE,
		 "endpoint %s of partition %u: BAR %d was moved or resized; set the endpoint again\n",
		 pci_name(p->pdev), partition, p->bar);
	if (card->state == GLK_LIVE)
		glk_endpoint_reject(card, partition);
	glk_endpoint_clear(card, partition);
	return true;
}

/* The device leaves the bus: nothing may reach its addresses, which others may get. */
static void bus_device_left(struct glk_card *card, unsigned int partition)
{
	glk_warn(card, GLK_ERROR_ENDPOINT_GONE, "endpoint %s of partition %u was removed\n",
		 pci_name(card->partitions[partition].pdev), partition);
	if (glk_endpoint_clear(card, partition)) {
		glk_card_mark_lost(card);
		glk_endpoint_clear(card, partition);
	}
}

static void bus_driver_binds(struct glk_card *card, unsigned int partition)
{
	struct glk_partition *p = &card->partitions[partition];

	if (p->kind != GPULINK_ENDPOINT_BUS)
		return;
	if (card->state == GLK_LIVE) {
		if (glk_card_drain(card, GLK_DRAIN_PARTITION, partition)) {
			glk_endpoint_clear(card, partition);
			return;
		}
		glk_endpoint_reject(card, partition);
	}
	p->paused = true;
}

/* A driver has bound, failed to, or has unbound. */
static void bus_driver_changed(struct glk_card *card, unsigned int partition)
{
	struct glk_partition *p = &card->partitions[partition];

	if (p->kind != GPULINK_ENDPOINT_BUS)
		return;
	p->paused = false;
	if (!bus_clear_moved(card, partition) && card->state == GLK_LIVE)
		glk_partition_restore(card, partition);
}

static void bus_event(struct glk_card *card, unsigned long event, unsigned int partition)
{
	switch (event) {
	/* The first stops traffic in time, the second catches an endpoint set in between. */
	case BUS_NOTIFY_DEL_DEVICE:
	case BUS_NOTIFY_REMOVED_DEVICE:
		bus_device_left(card, partition);
		break;
	case BUS_NOTIFY_BIND_DRIVER:
		bus_driver_binds(card, partition);
		break;
	case BUS_NOTIFY_BOUND_DRIVER:
	case BUS_NOTIFY_DRIVER_NOT_BOUND:
	case BUS_NOTIFY_UNBOUND_DRIVER:
		bus_driver_changed(card, partition);
		break;
	}
}

static bool bus_is_endpoint(struct glk_card *card, const struct pci_dev *pdev)
{
	unsigned int p;

	for (p = 0; p < card->partition_count; p++)
		if (READ_ONCE(card->partitions[p].pdev) == pdev)
			return true;
	return false;
}

static int bus_notify_event(struct notifier_block *nb, unsigned long event, void *data)
{
	struct glk_card *card = container_of(nb, struct glk_card, bus_notifier);
	struct pci_dev *pdev = to_pci_dev(data);
	bool leaves = event == BUS_NOTIFY_DEL_DEVICE || event == BUS_NOTIFY_REMOVED_DEVICE;
	unsigned int p;

	/* Drivers of other devices do not wait for this card's drains. */
	if (pdev == card->pdev || (!leaves && !bus_is_endpoint(card, pdev)))
		return NOTIFY_DONE;
	down_read(&card->state_lock);
	mutex_lock(&card->lock);
	for (p = 0; p < card->partition_count; p++)
		if (card->partitions[p].pdev == pdev)
			bus_event(card, event, p);
	mutex_unlock(&card->lock);
	up_read(&card->state_lock);
	glk_ranges_sweep(card);
	return NOTIFY_OK;
}

static void bus_poll(struct work_struct *work)
{
	struct glk_card *card = container_of(to_delayed_work(work), struct glk_card, bus_poll);
	bool again = false;
	unsigned int i;

	down_read(&card->state_lock);
	mutex_lock(&card->lock);
	for (i = 0; i < card->partition_count; i++) {
		struct glk_partition *p = &card->partitions[i];

		if (p->kind != GPULINK_ENDPOINT_BUS)
			continue;
		if (p->paused || !bus_clear_moved(card, i))
			again = true;
	}
	mutex_unlock(&card->lock);
	up_read(&card->state_lock);
	glk_ranges_sweep(card);
	if (again)
		queue_delayed_work(glk_wq, &card->bus_poll, GLK_BUS_POLL);
}

int glk_endpoint_watch(struct glk_card *card)
{
	INIT_DELAYED_WORK(&card->bus_poll, bus_poll);
	card->bus_notifier.notifier_call = bus_notify_event;
	return bus_register_notifier(&pci_bus_type, &card->bus_notifier);
}

void glk_endpoint_unwatch(struct glk_card *card)
{
	bus_unregister_notifier(&pci_bus_type, &card->bus_notifier);
	cancel_delayed_work_sync(&card->bus_poll);
}

/* Restores settings and endpoint after a reset of the card, which has emptied its queues. */
static void endpoint_restore(struct glk_card *card, unsigned int partition)
{
	struct glk_partition *p = &card->partitions[partition];

	lockdep_assert_held(&card->lock);
	glk_endpoint_release_held(card, partition);
	glk_ranges_clear_held(card, partition);
	if (p->kind == GPULINK_ENDPOINT_BUS)
		bus_clear_moved(card, partition);
	glk_partition_restore(card, partition);
}

static void endpoints_restore(struct glk_card *card, bool lost)
{
	unsigned int i;

	for (i = 0; i < card->partition_count; i++)
		endpoint_restore(card, i);
}

/* On removal. */
static void endpoints_detach(struct glk_card *card, struct glk_revoked *revoked)
{
	unsigned int i;

	if (card->state != GLK_REMOVED)
		return;
	for (i = 0; i < card->partition_count; i++)
		glk_endpoint_clear(card, i);
}

static void endpoints_cut_work(struct work_struct *work)
{
	struct glk_card *card = container_of(work, struct glk_card, cut_work);

	down_read(&card->state_lock);
	mutex_lock(&card->lock);
	glk_endpoints_clear_cut(card);
	mutex_unlock(&card->lock);
	up_read(&card->state_lock);
	glk_ranges_sweep(card);
}

/* Queued by notifications of dma-bufs, which are detached. */
static void endpoints_flush(struct glk_card *card)
{
	cancel_work_sync(&card->cut_work);
}

static void endpoints_init(struct glk_card *card)
{
	mutex_init(&card->range_lock);
	INIT_LIST_HEAD(&card->dead_ranges);
	INIT_WORK(&card->cut_work, endpoints_cut_work);
}

const struct glk_part glk_endpoint_part = {
	.init = endpoints_init,
	.identify = glk_partitions_identify,
	.exit = glk_ranges_free,
	.publish = glk_partitions_sysfs_add,
	.unpublish = glk_partitions_sysfs_remove,
	.restore = endpoints_restore,
	.detach = endpoints_detach,
	.sweep = glk_ranges_sweep,
	.flush = endpoints_flush,
};
