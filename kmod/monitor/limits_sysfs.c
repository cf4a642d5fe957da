// SPDX-License-Identifier: GPL-2.0-only
/* limits/ of a card in sysfs, and usage/ with the current usage (docs/sysfs.md). */
#include <linux/sysfs.h>

#include "core/attribute.h"
#include "core/card.h"
#include "core/context.h"
#include "core/limits.h"
#include "monitor/sysfs.h"
#include "window/window.h"

enum glk_usage {
	GLK_USAGE_WINDOWS,
	GLK_USAGE_SLICES,
	GLK_USAGE_REGISTRATIONS,
	GLK_USAGE_REGIONS,
	GLK_USAGE_CHUNKS,
	GLK_USAGE_CONTEXTS,
	GLK_USAGE_PINNED_PAGES,
	GLK_USAGE_DMABUF_BYTES,
	GLK_USAGE_POOL_BYTES,
	GLK_USAGE_POOL_OBJECTS,
};

static int limit_get(struct glk_card *card, unsigned int partition, const struct glk_attr *attr,
		     u64 *value)
{
	*value = glk_limit_get(card, attr->id);
	return 0;
}

static int limit_set(struct glk_card *card, unsigned int partition, const struct glk_attr *attr,
		     u64 value)
{
	if (value > LONG_MAX)
		return -EINVAL;
	WRITE_ONCE(card->limits[attr->id], value);
	return 0;
}

/* Resources that are not of a context. */
static u64 usage_of_card(struct glk_card *card, enum glk_usage which)
{
	lockdep_assert_held(&card->lock);
	switch (which) {
	case GLK_USAGE_SLICES:
		return glk_quarantined_slices(card, INVALID_UID);
	case GLK_USAGE_POOL_BYTES:
		return (u64)card->pool.used_pages * GLK_PAGE_SIZE;
	case GLK_USAGE_POOL_OBJECTS:
		return card->pool.object_count;
	default:
		return 0;
	}
}

/* Resources of a context, by their file in usage/. */
static u64 usage_of_context(const struct glk_context *ctx, enum glk_usage which)
{
	switch (which) {
	case GLK_USAGE_WINDOWS:
		return ctx->window_count;
	case GLK_USAGE_SLICES:
		return ctx->slice_count;
	case GLK_USAGE_REGISTRATIONS:
		return ctx->registration_count;
	case GLK_USAGE_REGIONS:
		return ctx->region_count;
	case GLK_USAGE_CHUNKS:
		return ctx->chunk_count;
	case GLK_USAGE_PINNED_PAGES:
		return ctx->pinned_pages;
	case GLK_USAGE_DMABUF_BYTES:
		return ctx->dmabuf_bytes;
	case GLK_USAGE_CONTEXTS:
		return 1;
	default:
		return 0;
	}
}

static int usage_get(struct glk_card *card, unsigned int partition, const struct glk_attr *attr,
		     u64 *value)
{
	unsigned int i;

	mutex_lock(&card->lock);
	*value = usage_of_card(card, attr->id);
	for (i = 0; i < GLK_CONTEXT_COUNT; i++)
		if (card->contexts[i])
			*value += usage_of_context(card->contexts[i], attr->id);
	mutex_unlock(&card->lock);
	return 0;
}

#define LIMIT(_name, _which)								\
	static struct glk_attr limit_##_name =						\
		GLK_ATTR(_name, 0644, .get = limit_get, .set = limit_set, .id = _which,	\
			 .anytime = true)
#define USAGE(_name, _which)								\
	static struct glk_attr usage_##_name =						\
		GLK_ATTR(_name, 0444, .get = usage_get, .id = _which)
LIMIT(windows_per_context, GLK_LIMIT_WINDOWS);
LIMIT(slices_per_context, GLK_LIMIT_SLICES);
LIMIT(registrations_per_context, GLK_LIMIT_REGISTRATIONS);
LIMIT(regions_per_context, GLK_LIMIT_REGIONS);
LIMIT(region_chunks_per_context, GLK_LIMIT_CHUNKS);
LIMIT(contexts_per_user, GLK_LIMIT_USER_CONTEXTS);
LIMIT(pool_bytes_per_user, GLK_LIMIT_USER_POOL_BYTES);
LIMIT(pool_objects_per_user, GLK_LIMIT_USER_POOL_OBJECTS);
USAGE(windows, GLK_USAGE_WINDOWS);
USAGE(slices, GLK_USAGE_SLICES);
USAGE(registrations, GLK_USAGE_REGISTRATIONS);
USAGE(regions, GLK_USAGE_REGIONS);
USAGE(region_chunks, GLK_USAGE_CHUNKS);
USAGE(contexts, GLK_USAGE_CONTEXTS);
USAGE(pinned_pages, GLK_USAGE_PINNED_PAGES);
USAGE(dmabuf_bytes, GLK_USAGE_DMABUF_BYTES);
USAGE(pool_bytes, GLK_USAGE_POOL_BYTES);
USAGE(pool_objects, GLK_USAGE_POOL_OBJECTS);

static struct attribute *limit_attrs[] = {
	&limit_windows_per_context.dev_attr.attr,
	&limit_slices_per_context.dev_attr.attr,
	&limit_registrations_per_context.dev_attr.attr,
	&limit_regions_per_context.dev_attr.attr,
	&limit_region_chunks_per_context.dev_attr.attr,
	&limit_contexts_per_user.dev_attr.attr,
	&limit_pool_bytes_per_user.dev_attr.attr,
	&limit_pool_objects_per_user.dev_attr.attr,
	NULL
};

static struct attribute *usage_attrs[] = {
	&usage_windows.dev_attr.attr,
	&usage_slices.dev_attr.attr,
	&usage_registrations.dev_attr.attr,
	&usage_regions.dev_attr.attr,
	&usage_region_chunks.dev_attr.attr,
	&usage_contexts.dev_attr.attr,
	&usage_pinned_pages.dev_attr.attr,
	&usage_dmabuf_bytes.dev_attr.attr,
	&usage_pool_bytes.dev_attr.attr,
	&usage_pool_objects.dev_attr.attr,
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
