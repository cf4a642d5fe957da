// SPDX-License-Identifier: GPL-2.0-only
/*
 * Resource limits per context, per user and per card: limits/ in sysfs, and usage/ with the current
 * usage (docs/sysfs.md). Lowering a limit does not reclaim resources.
 */
#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/sysfs.h>

#include "gpulink_drv.h"

void glk_limits_init(struct glk_card *card)
{
	card->limits[GLK_LIMIT_WINDOWS] = card->slices;
	card->limits[GLK_LIMIT_SLICES] = card->slices;
	card->limits[GLK_LIMIT_REGISTRATIONS] = card->registration_count;
	card->limits[GLK_LIMIT_USER_CONTEXTS] = card->context_count;
	card->limits[GLK_LIMIT_PINNED_PAGES] = totalram_pages() / 2;
}

static u64 card_limit(struct glk_card *card, enum glk_limit which)
{
	return READ_ONCE(card->limits[which]);
}

/* Whether the calling user may open one more context. */
bool glk_limit_context(struct glk_card *card)
{
	unsigned int i, count = 0;

	lockdep_assert_held(&card->lock);
	for (i = 0; i < GLK_CONTEXT_COUNT; i++)
		if (card->contexts[i] && uid_eq(card->contexts[i]->uid, current_uid()))
			count++;
	return count < card_limit(card, GLK_LIMIT_USER_CONTEXTS);
}

/*
 * Slices that importers still reach count for every context of the user who exported them: closing
 * a file does not get rid of them.
 */
bool glk_limit_window(struct glk_context *ctx, u64 slices)
{
	slices += glk_quarantined_slices(ctx->card, ctx->uid);
	lockdep_assert_held(&ctx->card->lock);
	return ctx->window_count < card_limit(ctx->card, GLK_LIMIT_WINDOWS) &&
	       ctx->slice_count + slices <= card_limit(ctx->card, GLK_LIMIT_SLICES);
}

bool glk_limit_registration(struct glk_context *ctx)
{
	lockdep_assert_held(&ctx->card->lock);
	return ctx->registration_count < card_limit(ctx->card, GLK_LIMIT_REGISTRATIONS);
}

/* Atomic, because pages are pinned without any lock of the card. */
bool glk_limit_pin(struct glk_card *card, unsigned long pages)
{
	if (atomic_long_add_return(pages, &card->pinned_pages) <=
	    card_limit(card, GLK_LIMIT_PINNED_PAGES))
		return true;
	glk_limit_unpin(card, pages);
	return false;
}

void glk_limit_unpin(struct glk_card *card, unsigned long pages)
{
	atomic_long_sub(pages, &card->pinned_pages);
}

/* --- sysfs --- */

struct glk_limit_attr {
	struct device_attribute dev_attr;
	enum glk_limit which;
};

static ssize_t limit_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct glk_limit_attr *a = container_of(attr, struct glk_limit_attr, dev_attr);

	return sysfs_emit(buf, "%llu\n", card_limit(glk_to_card(dev), a->which));
}

static ssize_t limit_store(struct device *dev, struct device_attribute *attr, const char *buf,
			   size_t count)
{
	const struct glk_limit_attr *a = container_of(attr, struct glk_limit_attr, dev_attr);
	u64 value;
	int err;

	err = kstrtou64(buf, 0, &value);
	if (err)
		return err;
	if (value > LONG_MAX)
		return -EINVAL;
	WRITE_ONCE(glk_to_card(dev)->limits[a->which], value);
	return count;
}

static ssize_t usage_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct glk_limit_attr *a = container_of(attr, struct glk_limit_attr, dev_attr);
	struct glk_card *card = glk_to_card(dev);
	u64 count = 0;
	unsigned int i;

	if (a->which == GLK_LIMIT_PINNED_PAGES)
		return sysfs_emit(buf, "%lu\n", atomic_long_read(&card->pinned_pages));
	if (a->which == GLK_LIMIT_SLICES)
		count = glk_quarantined_slices(card, INVALID_UID);
	mutex_lock(&card->lock);
	for (i = 0; i < GLK_CONTEXT_COUNT; i++) {
		const struct glk_context *ctx = card->contexts[i];

		if (ctx)
			count += a->which == GLK_LIMIT_WINDOWS ? ctx->window_count :
				 a->which == GLK_LIMIT_SLICES ? ctx->slice_count :
				 a->which == GLK_LIMIT_REGISTRATIONS ? ctx->registration_count : 1;
	}
	mutex_unlock(&card->lock);
	return sysfs_emit(buf, "%llu\n", count);
}

#define LIMIT(_name, _which)							\
	static struct glk_limit_attr limit_##_name = {				\
		.dev_attr = __ATTR(_name, 0644, limit_show, limit_store),	\
		.which = _which,						\
	}
#define USAGE(_name, _which)							\
	static struct glk_limit_attr usage_##_name = {				\
		.dev_attr = __ATTR(_name, 0444, usage_show, NULL),		\
		.which = _which,						\
	}
LIMIT(windows_per_context, GLK_LIMIT_WINDOWS);
LIMIT(slices_per_context, GLK_LIMIT_SLICES);
LIMIT(registrations_per_context, GLK_LIMIT_REGISTRATIONS);
LIMIT(contexts_per_user, GLK_LIMIT_USER_CONTEXTS);
LIMIT(pinned_pages, GLK_LIMIT_PINNED_PAGES);
USAGE(windows, GLK_LIMIT_WINDOWS);
USAGE(slices, GLK_LIMIT_SLICES);
USAGE(registrations, GLK_LIMIT_REGISTRATIONS);
USAGE(contexts, GLK_LIMIT_USER_CONTEXTS);
USAGE(pinned_pages, GLK_LIMIT_PINNED_PAGES);

static struct attribute *limit_attrs[] = {
	&limit_windows_per_context.dev_attr.attr,
	&limit_slices_per_context.dev_attr.attr,
	&limit_registrations_per_context.dev_attr.attr,
	&limit_contexts_per_user.dev_attr.attr,
	&limit_pinned_pages.dev_attr.attr,
	NULL
};

static struct attribute *usage_attrs[] = {
	&usage_windows.dev_attr.attr,
	&usage_slices.dev_attr.attr,
	&usage_registrations.dev_attr.attr,
	&usage_contexts.dev_attr.attr,
	&usage_pinned_pages.dev_attr.attr,
	NULL
};

const struct attribute_group glk_limit_group = {
	.name = "limits",
	.attrs = limit_attrs,
};

const struct attribute_group glk_usage_group = {
	.name = "usage",
	.attrs = usage_attrs,
};
