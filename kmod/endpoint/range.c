// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ranges: the parts of an endpoint's memory that the administrator granted to users and groups
 * (docs/sysfs.md, "Ranges"). A window must lie in ranges that its opener may use, without a gap; an
 * endpoint without ranges admits no window, except from CAP_SYS_ADMIN, which can map the endpoint's
 * BAR without the card, too.
 *
 * A window records the ranges through which it was opened. Removing one of them revokes the window,
 * as the removal of the endpoint does. Removing the endpoint removes its ranges.
 *
 * Lists and windows are under card->lock. The directories of ranges are created and removed outside
 * it, under card->range_lock (range_sysfs.c).
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/ctype.h>
#include <linux/slab.h>

#include "core/card.h"
#include "core/part.h"
#include "endpoint/partition.h"

/* Whether the calling process is the user, or in the group, that owns the range. */
static bool range_owned(const struct glk_range *range)
{
	return (uid_valid(range->uid) && uid_eq(range->uid, current_fsuid())) ||
	       (gid_valid(range->gid) && in_group_p(range->gid));
}

/* The range that reaches farthest of those that contain `at` and grant the caller the rights. */
static struct glk_range *range_find(const struct glk_partition *p, u64 at, u32 rights)
{
	struct glk_range *best = NULL;
	unsigned int i;

	for (i = 0; i < GLK_RANGE_COUNT; i++) {
		struct glk_range *range = p->ranges[i];

		if (!range || range->held || (range->rights & rights) != rights ||
		    at < range->offset || at - range->offset >= range->bytes || !range_owned(range))
			continue;
		if (!best || range->offset + range->bytes > best->offset + best->bytes)
			best = range;
	}
	return best;
}

/*
 * Whether the caller may open a window on these bytes, which lie in the endpoint. Returns the
 * ranges that allow it in *used; none if only the caller's capability does.
 */
int glk_range_check(struct glk_card *card, unsigned int partition, u64 offset, u64 bytes,
		    u32 rights, u64 *used)
{
	u64 at = offset, end = offset + bytes;

	lockdep_assert_held(&card->lock);
	*used = 0;
	while (at < end) {
		struct glk_range *range = range_find(&card->partitions[partition], at, rights);

		if (!range) {
			*used = 0;
			return capable(CAP_SYS_ADMIN) ? 0 : -EACCES;
		}
		*used |= BIT_ULL(range->index);
		at = range->offset + range->bytes;
	}
	return 0;
}

static bool range_name_valid(const char *name)
{
	const char *c;

	/* The names of the files beside the ranges' directories. */
	if (!strcmp(name, "add") || !strcmp(name, "remove"))
		return false;
	for (c = name; *c; c++)
		if (!isascii(*c) || (!isalnum(*c) && (c == name || !strchr("_-.", *c))))
			return false;
	return c > name && c - name < GLK_RANGE_NAME_BYTES;
}

static int range_parse_user(const char *text, kuid_t *uid)
{
	u32 number;

	*uid = INVALID_UID;
	if (!strcmp(text, "-"))
		return 0;
	if (kstrtou32(text, 10, &number))
		return -EINVAL;
	*uid = make_kuid(current_user_ns(), number);
	return uid_valid(*uid) ? 0 : -EINVAL;
}

static int range_parse_group(const char *text, kgid_t *gid)
{
	u32 number;

	*gid = INVALID_GID;
	if (!strcmp(text, "-"))
		return 0;
	if (kstrtou32(text, 10, &number))
		return -EINVAL;
	*gid = make_kgid(current_user_ns(), number);
	return gid_valid(*gid) ? 0 : -EINVAL;
}

static int range_parse_rights(const char *text, u32 *rights)
{
	if (!strcmp(text, "r"))
		*rights = GPULINK_ALLOW_READ;
	else if (!strcmp(text, "w"))
		*rights = GPULINK_ALLOW_WRITE;
	else if (!strcmp(text, "rw"))
		*rights = GPULINK_ALLOW_READ | GPULINK_ALLOW_WRITE;
	else
		return -EINVAL;
	return 0;
}

/* "NAME OFFSET BYTES USER GROUP RIGHTS"; modifies the text. */
static int range_parse(char *text, struct glk_range *range)
{
	char *words[6], *word;
	unsigned int count = 0;

	while ((word = strsep(&text, " "))) {
		if (count == ARRAY_SIZE(words))
			return -EINVAL;
		words[count++] = word;
	}
	if (count != ARRAY_SIZE(words) || !range_name_valid(words[0]))
		return -EINVAL;
	strscpy(range->name, words[0], sizeof(range->name));
	if (kstrtou64(words[1], 0, &range->offset) || kstrtou64(words[2], 0, &range->bytes) ||
	    range_parse_user(words[3], &range->uid) || range_parse_group(words[4], &range->gid) ||
	    range_parse_rights(words[5], &range->rights))
		return -EINVAL;
	if (!range->bytes || (range->offset | range->bytes) % GLK_PAGE_SIZE ||
	    (!uid_valid(range->uid) && !gid_valid(range->gid)))
		return -EINVAL;
	return 0;
}

/* The slot of the range of this name, or a free one for NULL; GLK_RANGE_COUNT: none. */
static unsigned int range_slot(const struct glk_partition *p, const char *name)
{
	unsigned int i;

	for (i = 0; i < GLK_RANGE_COUNT; i++)
		if (name ? p->ranges[i] && !strcmp(p->ranges[i]->name, name) : !p->ranges[i])
			break;
	return i;
}

/*
 * A whole BAR contains what the GPU's driver keeps there: the memory of all of its users, and page
 * tables, through which its engines reach the memory of the machine.
 */
static void range_warn_whole(struct glk_card *card, unsigned int partition,
			     const struct glk_range *range)
{
	const struct glk_partition *p = &card->partitions[partition];
	char name[32];

	if (range->bytes != p->bytes ||
	    (p->kind != GPULINK_ENDPOINT_LINK && !glk_endpoint_is_whole(p)))
		return;
	glk_endpoint_describe(card, partition, name, sizeof(name));
	dev_warn(&card->pdev->dev,
		 "range %s grants ALL %llu bytes of endpoint %s to user %d, group %d: on a GPU, the memory of all of its users and its page tables\n",
		 range->name, range->bytes, name,
		 uid_valid(range->uid) ? (int)from_kuid(&init_user_ns, range->uid) : -1,
		 gid_valid(range->gid) ? (int)from_kgid(&init_user_ns, range->gid) : -1);
}

/* Its directory may still exist: glk_ranges_sweep() frees it. */
static void range_drop(struct glk_card *card, struct glk_range **slot)
{
	list_add_tail(&(*slot)->list, &card->dead_ranges);
	*slot = NULL;
}

/* Whether a removed range has the memory or the name of a new one. */
static bool range_meets_held(const struct glk_partition *p, const struct glk_range *range)
{
	unsigned int i;

	for (i = 0; i < GLK_RANGE_COUNT; i++) {
		const struct glk_range *held = p->ranges[i];

		if (held && held->held &&
		    (!strcmp(held->name, range->name) ||
		     (range->offset < held->offset + held->bytes &&
		      held->offset < range->offset + range->bytes)))
			return true;
	}
	return false;
}

/* The card was reset, or has sent the stores: nothing of the removed ranges' users arrives. */
void glk_ranges_clear_held(struct glk_card *card, unsigned int partition)
{
	struct glk_partition *p = &card->partitions[partition];
	unsigned int i;

	lockdep_assert_held(&card->lock);
	for (i = 0; i < GLK_RANGE_COUNT; i++)
		if (p->ranges[i] && p->ranges[i]->held)
			range_drop(card, &p->ranges[i]);
}

/*
 * Sends what is queued for the partition. A card that is not live drops it when it is started
 * again.
 */
static int range_drain(struct glk_card *card, unsigned int partition)
{
	if (card->state == GLK_LIVE && glk_card_drain(card, GLK_DRAIN_PARTITION, partition) &&
	    card->state == GLK_LIVE)
		return -EBUSY;
	glk_ranges_clear_held(card, partition);
	return 0;
}

/*
 * Under card->lock. Returns the range. ENXIO: no endpoint; EBUSY: it is that of pool objects, or
 * stores of a removed range may still arrive; EAGAIN: that range is gone now, after a sweep.
 */
struct glk_range *glk_range_add(struct glk_card *card, unsigned int partition, char *text)
{
	struct glk_partition *p = &card->partitions[partition];
	struct glk_range *range;
	int err;

	lockdep_assert_held(&card->lock);
	range = kzalloc(sizeof(*range), GFP_KERNEL);
	if (!range)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&range->list);
	err = range_parse(text, range);
	if (err)
		goto free;
	err = -ENXIO;
	if (p->kind == GPULINK_ENDPOINT_NONE)
		goto free;
	err = -EBUSY;
	if (glk_pool_has_partition(card, partition))
		goto free;
	err = -ERANGE;
	if (range->bytes > p->bytes || range->offset > p->bytes - range->bytes)
		goto free;
	if (range_meets_held(p, range)) {
		err = range_drain(card, partition) ?: -EAGAIN;
		goto free;
	}
	err = -EEXIST;
	if (range_slot(p, range->name) < GLK_RANGE_COUNT)
		goto free;
	err = -ENOSPC;
	range->index = range_slot(p, NULL);
	if (range->index == GLK_RANGE_COUNT)
		goto free;
	p->ranges[range->index] = range;
	range_warn_whole(card, partition, range);
	return range;
free:
	kfree(range);
	return ERR_PTR(err);
}

/*
 * Under card->lock. Revokes the windows that were opened through the range. EBUSY: their stores may
 * still arrive. The range then grants nothing, but stays until a drain succeeds or the card is
 * reset, so that nobody else gets the memory.
 */
int glk_range_remove(struct glk_card *card, unsigned int partition, const char *name)
{
	struct glk_partition *p = &card->partitions[partition];
	unsigned int slot = range_slot(p, name);
	int err;

	lockdep_assert_held(&card->lock);
	if (slot == GLK_RANGE_COUNT)
		return -ENOENT;
	p->ranges[slot]->held = true;
	glk_parts_call(revoke, card, partition, BIT_ULL(slot));
	err = range_drain(card, partition);
	if (err)
		glk_err(card, GLK_ERROR_DRAIN,
			"range %s of partition %u: stores may still be under way: reserved until they are drained or the card is reset\n",
			name, partition);
	return err;
}

/* The endpoint is removed, and its windows are revoked. */
void glk_ranges_clear(struct glk_card *card, unsigned int partition)
{
	struct glk_partition *p = &card->partitions[partition];
	unsigned int i;

	lockdep_assert_held(&card->lock);
	for (i = 0; i < GLK_RANGE_COUNT; i++)
		if (p->ranges[i])
			range_drop(card, &p->ranges[i]);
}
