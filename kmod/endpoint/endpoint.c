// SPDX-License-Identifier: GPL-2.0-only
/*
 * Endpoints: the memory behind a partition. The administrator names a PCI device and one of its
 * BARs, or a part of it (endpoint_bus.c); the address is read from the device, never supplied by a
 * user. The card lets nothing leave the endpoint's bytes: no window, no ring entry, and no packet
 * from the link. The last is why parts exist: a partition that is open to the remote card is open
 * as a whole.
 */
#include "core/card.h"
#include "core/part.h"
#include "link/link.h"
#include "endpoint/partition.h"

/*
 * Releases a device that the card may still write to. EBUSY: it still may. A card that is not
 * live is not bus master and drops its queues when it is started again.
 */
int glk_endpoint_release_held(struct glk_card *card, unsigned int partition)
{
	struct glk_partition *p = &card->partitions[partition];

	if (!p->held)
		return 0;
	if (card->state == GLK_LIVE && glk_card_drain(card, GLK_DRAIN_PARTITION, partition) &&
	    card->state == GLK_LIVE)
		return -EBUSY;
	/* A card lost just now may still be bus master: only its registers are known to be dead. */
	if (card->state == GLK_LOST)
		pci_clear_master(card->pdev);
	if (p->pdev)
		glk_endpoint_bus_close(card, p);
	p->held = false;
	return 0;
}

/* The card rejects what is queued for the endpoint, and what comes later. */
void glk_endpoint_reject(struct glk_card *card, unsigned int partition)
{
	glk_write(card, glk_partition_reg(partition, GLK_PARTITION_EP_KIND), GLK_EP_NONE);
	glk_read(card, GLK_CARD_STATUS);	/* flush the posted write */
}

/*
 * Stores queued for the endpoint must not arrive, and do not drain: cuts it off at once. A work
 * removes it, whatever becomes of the window that led here. Takes no lock of the driver.
 */
void glk_endpoint_cut(struct glk_card *card, unsigned int partition)
{
	glk_err(card, GLK_ERROR_DMABUF,
		"stores to a dma-buf do not drain: partition %u loses its endpoint\n", partition);
	glk_endpoint_reject(card, partition);
	WRITE_ONCE(card->partitions[partition].cut, true);
	queue_work(glk_wq, &card->cut_work);
}

/* Removes the endpoints that were cut off. */
void glk_endpoints_clear_cut(struct glk_card *card)
{
	unsigned int i;

	lockdep_assert_held(&card->lock);
	for (i = 0; i < card->partition_count; i++)
		if (READ_ONCE(card->partitions[i].cut))
			glk_endpoint_clear(card, i);
}

/*
 * Removes the endpoint, after the card has flushed the stores queued for it. EBUSY: the drain did
 * not complete. The partition then has no endpoint, and gets none, but the mapping and the device
 * stay reserved until a later call finds the queue empty, or the card is reset.
 */
int glk_endpoint_clear(struct glk_card *card, unsigned int partition)
{
	struct glk_partition *p = &card->partitions[partition];
	char name[GLK_ENDPOINT_NAME_BYTES];
	int err = 0;

	lockdep_assert_held(&card->lock);
	WRITE_ONCE(p->cut, false);
	if (p->kind == GPULINK_ENDPOINT_NONE)
		return glk_endpoint_release_held(card, partition);
	glk_endpoint_describe(card, partition, name, sizeof(name));
	glk_parts_call(revoke, card, partition, U64_MAX);
	glk_ranges_clear(card, partition);
	if (card->state == GLK_LIVE) {
		err = glk_card_drain(card, GLK_DRAIN_PARTITION, partition);
		glk_endpoint_reject(card, partition);
	}
	/* What objects leave in the queue has a quarantine of its own. */
	p->held = p->kind == GPULINK_ENDPOINT_BUS ||
		  (p->kind == GPULINK_ENDPOINT_POOL && err &&
		   !glk_pool_has_partition(card, partition));
	p->kind = GPULINK_ENDPOINT_NONE;
	p->base = 0;
	p->bytes = 0;
	p->bar_offset = 0;
	if (!p->held)
		return 0;
	if (err && card->state == GLK_LIVE) {
		glk_err(card, GLK_ERROR_DRAIN,
			"endpoint %s: stores of partition %u may still be under way: reserved until they are drained or the card is reset\n",
			name, partition);
		return -EBUSY;
	}
	return glk_endpoint_release_held(card, partition);
}

static int endpoint_set_bus(struct glk_card *card, unsigned int partition, struct pci_dev *pdev,
			    const struct glk_endpoint_name *name)
{
	struct glk_partition *p = &card->partitions[partition], new = { };
	int err;

	err = glk_endpoint_bus_open(card, &new, pdev, name);
	if (err)
		return err;
	err = glk_endpoint_clear(card, partition);
	if (err) {
		glk_endpoint_bus_close(card, &new);
		return err;
	}
	p->kind = new.kind;
	p->base = new.base;
	p->bytes = new.bytes;
	p->bar = new.bar;
	p->bar_start = new.bar_start;
	p->bar_offset = new.bar_offset;
	p->distance = new.distance;
	p->mapped = new.mapped;
	p->mapped_bytes = new.mapped_bytes;
	p->enabled = new.enabled;
	WRITE_ONCE(p->pdev, new.pdev);
	glk_endpoint_bus_poll(card);
	return 0;
}

static bool endpoint_pool_in_use(const struct glk_card *card)
{
	unsigned int i;

	for (i = 0; i < card->partition_count; i++)
		if (card->partitions[i].kind == GPULINK_ENDPOINT_POOL)
			return true;
	return false;
}

/* EBUSY: stores for the pool may still be queued by a partition that had it before. */
int glk_endpoints_release_pool(struct glk_card *card)
{
	unsigned int i;
	int err = 0;

	lockdep_assert_held(&card->lock);
	for (i = 0; i < card->partition_count && !err; i++)
		if (card->partitions[i].held && !card->partitions[i].pdev)
			err = glk_endpoint_release_held(card, i);
	return err;
}

/* Partitions that have the pool at the same time share it; else it is cleared. */
static int endpoint_set_pool(struct glk_card *card, unsigned int partition)
{
	struct glk_partition *p = &card->partitions[partition];
	int err;

	if (!card->pool_bytes)
		return -ENXIO;
	if (card->pool.partition >= 0)
		return -EBUSY;
	err = glk_endpoint_clear(card, partition) ?: glk_endpoints_release_pool(card);
	if (!err && !endpoint_pool_in_use(card))
		err = glk_pool_clear_all(card);
	if (err)
		return err;
	card->pool.dirty = true;
	p->kind = GPULINK_ENDPOINT_POOL;
	p->base = 0;
	p->bytes = card->pool_bytes;
	return 0;
}

static bool endpoint_remote_taken(struct glk_card *card, unsigned int partition, u64 base)
{
	unsigned int p;

	for (p = 0; p < card->partition_count; p++)
		if (p != partition && card->partitions[p].kind == GPULINK_ENDPOINT_LINK &&
		    card->partitions[p].base == base)
			return true;
	return false;
}

/* Queries the size of the remote partition; the local one has kind link meanwhile. */
static int endpoint_query_remote_bytes(struct glk_card *card, unsigned int partition, u64 *bytes)
{
	u64 remote;
	int err;

	if (card->state != GLK_LIVE)
		return -ENOLINK;
	card->partitions[partition].bytes = GLK_PAGE_SIZE;
	glk_partition_restore(card, partition);
	err = glk_link_query_remote(card, partition, &remote);
	glk_write(card, glk_partition_reg(partition, GLK_PARTITION_EP_KIND), GLK_EP_NONE);
	if (err)
		return err;
	*bytes = ALIGN_DOWN(GLK_FIELD(remote, GLK_PARTITION_REMOTE_BYTES_BYTES), GLK_PAGE_SIZE);
	if (*bytes)
		return 0;
	glk_err(card, GLK_ERROR_ENDPOINT_NAME,
		"remote partition %llu does not exist or is not open to the link\n",
		GLK_FIELD(card->partitions[partition].base,
			  GLK_PARTITION_EP_BASE_REMOTE_PARTITION));
	return -ENXIO;
}

/* "link PARTITION" or "link PARTITION BYTES"; without BYTES *bytes is 0. */
static int endpoint_parse_link(const char *name, u32 *remote, u64 *bytes)
{
	char text[48], *rest = text, *word;

	if (strscpy(text, name, sizeof(text)) < 0)
		return -EINVAL;
	strsep(&rest, " ");
	word = strsep(&rest, " ");
	if (!word || kstrtou32(word, 10, remote) || *remote >= GLK_PARTITION_COUNT)
		return -EINVAL;
	*bytes = 0;
	if (!rest)
		return 0;
	if (kstrtou64(rest, 10, bytes) || !*bytes || *bytes % GLK_PAGE_SIZE ||
	    *bytes > BIT_ULL(48))
		return -EINVAL;
	return 0;
}

/* Without BYTES the link must be up. */
static int endpoint_set_link(struct glk_card *card, unsigned int partition, const char *name)
{
	struct glk_partition *p = &card->partitions[partition];
	u64 base, bytes;
	u32 remote;
	int err;

	if (!glk_link_present(card))
		return -EOPNOTSUPP;
	err = endpoint_parse_link(name, &remote, &bytes);
	if (err)
		return err;
	base = (u64)remote << GLK_PARTITION_EP_BASE_REMOTE_PARTITION_SHIFT;
	if (endpoint_remote_taken(card, partition, base))
		return -EEXIST;
	err = glk_endpoint_clear(card, partition);
	if (err)
		return err;
	p->kind = GPULINK_ENDPOINT_LINK;
	p->base = base;
	err = bytes ? 0 : endpoint_query_remote_bytes(card, partition, &bytes);
	if (err) {
		p->kind = GPULINK_ENDPOINT_NONE;
		p->base = 0;
		p->bytes = 0;
		return err;
	}
	p->bytes = bytes;
	return 0;
}

/*
 * "DOMAIN:BUS:SLOT.FUNCTION BAR", or that and " OFFSET BYTES" for a part of the BAR. The widths
 * prevent overflow of the numbers.
 */
static struct pci_dev *endpoint_find_device(const char *text, struct glk_endpoint_name *name)
{
	char copy[GLK_ENDPOINT_NAME_BYTES], *rest = copy, *word;
	unsigned int domain, bus, slot, function;
	int end = 0;

	name->offset = 0;
	name->bytes = 0;
	if (sscanf(text, "%8x:%2x:%2x.%1x %1d%n", &domain, &bus, &slot, &function, &name->bar,
		   &end) != 5 || (text[end] && text[end] != ' '))
		return ERR_PTR(-EINVAL);
	if (domain > INT_MAX || slot > 0x1f || function > 7 || name->bar >= PCI_STD_NUM_BARS)
		return ERR_PTR(-EINVAL);
	if (text[end]) {
		if (strscpy(copy, text + end + 1, sizeof(copy)) < 0)
			return ERR_PTR(-EINVAL);
		word = strsep(&rest, " ");
		if (!rest || kstrtou64(word, 0, &name->offset) ||
		    kstrtou64(rest, 0, &name->bytes) || !name->bytes ||
		    (name->offset | name->bytes) % GLK_PAGE_SIZE)
			return ERR_PTR(-EINVAL);
	}
	return pci_get_domain_bus_and_slot(domain, bus, PCI_DEVFN(slot, function)) ?:
	       ERR_PTR(-ENODEV);
}

/* Says what a partition grants that is open to the remote card. */
void glk_endpoint_warn_open(struct glk_card *card, unsigned int partition)
{
	const struct glk_partition *p = &card->partitions[partition];

	if (!(p->settings[GLK_PARTITION_SLOT_MODE] & GLK_PARTITION_MODE_OPEN_MASK) ||
	    !glk_endpoint_is_whole(p))
		return;
	dev_warn(&card->pdev->dev,
		 "partition %u is open: the remote card may read and write ALL %llu bytes of BAR %d of %s: on a GPU, the memory of all of its users and its page tables\n",
		 partition, p->bytes, p->bar, pci_name(p->pdev));
}

/*
 * `name` is trimmed. On error the endpoint is unchanged, except that EBUSY of glk_endpoint_clear(),
 * a failed remote query and a failed clearing of the pool leave the partition without one. EBUSY
 * also: the pool has objects.
 */
int glk_endpoint_set(struct glk_card *card, unsigned int partition, const char *name)
{
	struct glk_endpoint_name bus_name;
	struct pci_dev *pdev;
	u64 kind;
	int err;

	lockdep_assert_held(&card->lock);
	if (glk_pool_has_partition(card, partition))
		return -EBUSY;
	if (!strcmp(name, "none"))
		return glk_endpoint_clear(card, partition);
	if (!strcmp(name, "pool")) {
		err = endpoint_set_pool(card, partition);
	} else if (!strncmp(name, "link ", 5)) {
		err = endpoint_set_link(card, partition, name);
	} else {
		pdev = endpoint_find_device(name, &bus_name);
		if (IS_ERR(pdev))
			return PTR_ERR(pdev);
		err = endpoint_set_bus(card, partition, pdev, &bus_name);
		pci_dev_put(pdev);
	}
	if (err)
		return err;
	glk_partition_restore(card, partition);
	/* The card rejects it if the drain of the previous endpoint did not complete. */
	kind = card->state == GLK_LIVE ?
		       glk_read(card, glk_partition_reg(partition, GLK_PARTITION_EP_KIND)) :
		       card->partitions[partition].kind;
	if (kind != card->partitions[partition].kind) {
		err = glk_card_read_error(card, kind) ?: -EBUSY;
		glk_endpoint_clear(card, partition);
		return err;
	}
	glk_endpoint_warn_open(card, partition);
	return 0;
}
