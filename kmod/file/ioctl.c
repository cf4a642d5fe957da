// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ioctls of /dev/gpulinkN (kmod/uapi/linux/gpulink.h). User memory is read once, and never
 * under a lock.
 */
#include <linux/nospec.h>
#include <linux/uaccess.h>
#include <linux/uio.h>

#include "core/card.h"
#include "core/context.h"
#include "core/counters.h"
#include "file/file.h"
#include "link/link.h"
#include "endpoint/partition.h"
#include "object/object.h"
#include "region/region.h"
#include "registration/registration.h"
#include "ring/ring.h"
#include "window/window.h"

#define WAIT_CHUNK	16
#define TIMEOUT_MAX_NS	(60ULL * NSEC_PER_SEC)

/* Any ioctl argument; all structures start with size and flags. */
union glk_arg {
	struct {
		u32 size, flags;
	};
	struct gpulink_ioctl_query query;
	struct gpulink_ioctl_endpoint endpoint;
	struct gpulink_ioctl_window_map window_map;
	struct gpulink_ioctl_window_dmabuf window_dmabuf;
	struct gpulink_ioctl_handle handle;
	struct gpulink_ioctl_register reg;
	struct gpulink_ioctl_register_dmabuf reg_dmabuf;
	struct gpulink_ioctl_submit submit;
	struct gpulink_ioctl_wait wait;
	struct gpulink_ioctl_release release;
	struct gpulink_ioctl_counters counters;
	struct gpulink_ioctl_ring_map ring_map;
	struct gpulink_ioctl_ring_unmap ring_unmap;
	struct gpulink_ioctl_ring_wait ring_wait;
	struct gpulink_ioctl_region_create region_create;
	struct gpulink_ioctl_region_wait region_wait;
	struct gpulink_ioctl_pool_create pool_create;
	struct gpulink_ioctl_pool_share pool_share;
	struct gpulink_ioctl_pool_attach pool_attach;
	struct gpulink_ioctl_pool_query pool_query;
};

static int glk_ioctl_query(struct glk_context *ctx, union glk_arg *arg)
{
	struct glk_card *card = ctx->card;
	u32 size = arg->size;
	int err;

	err = glk_context_enter(ctx);
	if (err)
		return err;
	arg->query = (struct gpulink_ioctl_query){
		.size = size,
		.abi_version = GPULINK_ABI_VERSION,
		.context = ctx->id,
		.generation = ctx->generation,
		.features = card->features,
		.partitions = card->partition_count,
		.ring_entries = GLK_USER_ENTRIES,
		.slice_shift = card->slice_shift,
		.subheader_widths = card->widths,
		.queue_entries = card->queue_entries,
		.doorbell_offset = GLK_MMAP_DOORBELLS + (u64)ctx->id * GLK_PAGE_SIZE,
		.record_offset = GLK_MMAP_RECORDS + (u64)ctx->id * GLK_PAGE_SIZE,
	};
	glk_context_leave(ctx);
	return 0;
}

static int glk_ioctl_endpoint(struct glk_context *ctx, union glk_arg *arg)
{
	struct gpulink_ioctl_endpoint *e = &arg->endpoint;
	const struct glk_partition *p;
	int err;

	err = glk_context_enter(ctx);
	if (err)
		return err;
	if (e->partition < ctx->card->partition_count) {
		mutex_lock(&ctx->card->lock);
		e->partition = array_index_nospec(e->partition, GLK_PARTITION_COUNT);
		p = &ctx->card->partitions[e->partition];
		e->kind = p->kind;
		e->bytes = p->bytes;
		e->offset = p->bar_offset;
		memset(e->name, 0, sizeof(e->name));
		if (p->kind != GPULINK_ENDPOINT_NONE)
			glk_endpoint_describe(ctx->card, e->partition, (char *)e->name,
					      sizeof(e->name));
		mutex_unlock(&ctx->card->lock);
	} else {
		err = -EINVAL;
	}
	glk_context_leave(ctx);
	return err;
}

/* Of a window: ring entries have no rights but the window's. */
static int context_check_rights(const struct glk_context *ctx, u32 rights)
{
	if (!rights)
		return -EINVAL;
	return ((rights & GPULINK_ALLOW_READ) && !(ctx->mode & FMODE_READ)) ||
	       ((rights & GPULINK_ALLOW_WRITE) && !(ctx->mode & FMODE_WRITE)) ? -EACCES : 0;
}

static int glk_ioctl_window_map(struct glk_context *ctx, union glk_arg *arg)
{
	return context_check_rights(ctx, arg->flags) ?: glk_window_map(ctx, &arg->window_map);
}

static int glk_ioctl_window_unmap(struct glk_context *ctx, union glk_arg *arg)
{
	LIST_HEAD(proofs);
	int err;

	if (arg->handle.reserved)
		return -EINVAL;
	err = glk_context_error(ctx);
	if (err)
		return err;
	glk_window_export_settle(ctx, arg->handle.handle);
	glk_binding_get(ctx->card);
	err = glk_context_enter(ctx);
	if (!err) {
		mutex_lock(&ctx->card->lock);
		err = glk_window_unmap(ctx, arg->handle.handle, &proofs);
		mutex_unlock(&ctx->card->lock);
		glk_context_leave(ctx);
	}
	glk_proofs_free(&proofs);
	glk_binding_put(ctx->card);
	return err;
}

static int glk_ioctl_window_dmabuf(struct glk_context *ctx, union glk_arg *arg)
{
	return context_check_rights(ctx, arg->flags) ?: glk_proof_open(ctx, &arg->window_dmabuf);
}

/* Takes ownership of reg, which may be an error pointer. While the card is bound. */
static int context_add_registration(struct glk_context *ctx, struct glk_registration *reg,
				    u32 *handle)
{
	int err;

	if (IS_ERR(reg))
		return PTR_ERR(reg);
	err = glk_context_error(ctx) ?: glk_registration_open(ctx, reg, handle);
	if (err)
		glk_registration_free(reg);
	return err == -EINTR ? -ERESTARTNOHAND : err;	/* as in glk_ioctl_wait() */
}

static int glk_ioctl_register(struct glk_context *ctx, union glk_arg *arg)
{
	struct gpulink_ioctl_register *r = &arg->reg;
	struct glk_registration *reg;
	int err;

	if (r->reserved || !r->flags)
		return -EINVAL;
	reg = glk_registration_pin(r->address, r->bytes, r->flags);
	glk_binding_get(ctx->card);
	err = context_add_registration(ctx, reg, &r->handle);
	glk_binding_put(ctx->card);
	return err;
}

static int glk_ioctl_register_dmabuf(struct glk_context *ctx, union glk_arg *arg)
{
	struct gpulink_ioctl_register_dmabuf *r = &arg->reg_dmabuf;
	struct glk_card *card = ctx->card;
	struct glk_registration *reg;
	int err;

	if (!r->flags)
		return -EINVAL;
	glk_binding_get(card);
	err = glk_context_error(ctx);
	if (!err) {
		reg = glk_import_attach(card, r->fd, r->offset, r->bytes, r->flags);
		err = context_add_registration(ctx, reg, &r->handle);
	}
	glk_binding_put(card);
	return err;
}

static int glk_ioctl_window_export(struct glk_context *ctx, union glk_arg *arg)
{
	return arg->handle.reserved ? -EINVAL : glk_window_export(ctx, arg->handle.handle);
}

static int glk_ioctl_unregister(struct glk_context *ctx, union glk_arg *arg)
{
	struct glk_registration *reg;
	struct glk_revoked revoked;
	int err;

	if (arg->handle.reserved)
		return -EINVAL;
	glk_revoked_init(&revoked);
	glk_binding_get(ctx->card);
	err = glk_context_enter(ctx);
	if (!err) {
		mutex_lock(&ctx->card->lock);
		reg = glk_registration_find(ctx, arg->handle.handle);
		err = !reg ? -ENOENT : reg->regions ? -EBUSY : 0;
		if (!err)
			glk_registration_revoke(ctx, reg, &revoked.registrations);
		mutex_unlock(&ctx->card->lock);
		glk_context_leave(ctx);
	}
	glk_revoked_free(ctx->card, &revoked);
	glk_binding_put(ctx->card);
	return err;
}

static int glk_ioctl_submit(struct glk_context *ctx, union glk_arg *arg)
{
	struct gpulink_ioctl_submit *s = &arg->submit;
	struct iov_iter from;
	int ret, err;

	if (!s->count || s->count > GLK_USER_ENTRIES)
		return -EINVAL;
	iov_iter_ubuf(&from, ITER_SOURCE, u64_to_user_ptr(s->entries),
		      (size_t)s->count * GLK_SQE_BYTES);
	s->submitted = 0;
	ret = glk_submit(ctx, &from, 1, s->count, NULL, false);
	if (ret == -EAGAIN) {
		/* Completions whose interrupt is still pending may free room. */
		err = glk_ring_poll(ctx, false);
		ret = err ?: glk_submit(ctx, &from, 1, s->count, NULL, false);
	}
	if (ret < 0)
		return ret;
	s->submitted = ret;
	return 0;
}

static int glk_ioctl_wait(struct glk_context *ctx, union glk_arg *arg)
{
	struct gpulink_ioctl_wait *w = &arg->wait;
	u8 __user *to = u64_to_user_ptr(w->completions);
	__le64 chunk[WAIT_CHUNK][2];
	int err, part;

	if (!w->count || w->least > w->count || w->timeout_ns > TIMEOUT_MAX_NS || w->reserved)
		return -EINVAL;
	err = glk_ring_wait(ctx, w->least, ktime_get_ns() + w->timeout_ns);
	w->completed = 0;
	if (err && err != -ETIMEDOUT && err != -EINTR)
		return err;
	while (w->completed < w->count) {
		part = glk_ring_take_completions(ctx, chunk,
						 min_t(u32, w->count - w->completed, WAIT_CHUNK));
		if (!part)
			break;
		if (copy_to_user(to + (size_t)w->completed * GLK_CQE_BYTES, chunk,
				 (size_t)part * GLK_CQE_BYTES))
			return -EFAULT;
		w->completed += part;
	}
	/* Restart if no handler runs: system sleep interrupts the wait without a real signal. */
	if (err == -EINTR)
		err = w->completed ? 0 : -ERESTARTNOHAND;
	return err;
}

static int glk_ioctl_release(struct glk_context *ctx, union glk_arg *arg)
{
	struct gpulink_ioctl_release *r = &arg->release;
	int err, late;

	if (!r->timeout_ns || r->timeout_ns > TIMEOUT_MAX_NS || r->reserved)
		return -EINVAL;
	err = glk_ring_release(ctx, r->timeout_ns);
	if (err && err != -EIO)
		return err;
	late = glk_context_error_count(ctx, &r->errors);
	return late ?: err;
}

static int glk_ioctl_ring_map(struct glk_context *ctx, union glk_arg *arg)
{
	int err;

	glk_binding_get(ctx->card);
	err = glk_context_error(ctx) ?: glk_user_ring_map(ctx, &arg->ring_map);
	glk_binding_put(ctx->card);
	return err;
}

static int glk_ioctl_ring_unmap(struct glk_context *ctx, union glk_arg *arg)
{
	int err;

	err = glk_context_enter(ctx);
	if (err)
		return err;
	mutex_lock(&ctx->card->lock);
	err = glk_user_ring_unmap(ctx);
	mutex_unlock(&ctx->card->lock);
	glk_context_leave(ctx);
	return err;
}

static int glk_ioctl_ring_wait(struct glk_context *ctx, union glk_arg *arg)
{
	struct gpulink_ioctl_ring_wait *w = &arg->ring_wait;
	int err;

	if (w->index > U16_MAX || w->timeout_ns > TIMEOUT_MAX_NS)
		return -EINVAL;
	w->errors = 0;
	err = glk_user_ring_wait(ctx, w->index, ktime_get_ns() + w->timeout_ns);
	if (err == -EINTR)
		err = -ERESTARTNOHAND;	/* as in glk_ioctl_wait() */
	if (!err && (w->flags & GPULINK_RING_WAIT_RELEASE))
		err = glk_context_error_count(ctx, &w->errors);
	return err;
}

static int glk_ioctl_counters(struct glk_context *ctx, union glk_arg *arg)
{
	struct gpulink_ioctl_counters *c = &arg->counters;
	u32 known = glk_counter_count(c->partition);
	u64 values[GLK_LINK_COUNTERS];
	int err;

	BUILD_BUG_ON(ARRAY_SIZE(values) < GLK_CARD_COUNTERS);
	BUILD_BUG_ON(ARRAY_SIZE(values) < GLK_PARTITION_COUNTERS);
	BUILD_BUG_ON(ARRAY_SIZE(values) < GLK_TSU_COUNTERS);
	if (c->partition == GPULINK_COUNTERS_LINK) {
		if (!glk_link_present(ctx->card))
			return -EOPNOTSUPP;
	} else if (c->partition == GPULINK_COUNTERS_TSU) {
		if (!ctx->card->pool.pages)
			return -EOPNOTSUPP;
	} else if (c->partition != GPULINK_COUNTERS_CARD &&
		   c->partition >= ctx->card->partition_count) {
		return -EINVAL;
	}
	err = glk_context_enter(ctx);
	if (err)
		return err;
	mutex_lock(&ctx->card->lock);
	err = glk_card_read_counters(ctx->card, c->partition, values);
	mutex_unlock(&ctx->card->lock);
	glk_context_leave(ctx);
	if (err)
		return err;
	if (copy_to_user(u64_to_user_ptr(c->values), values, sizeof(u64) * min(c->count, known)))
		return -EFAULT;
	c->count = known;
	return 0;
}

static int glk_ioctl_region_create(struct glk_context *ctx, union glk_arg *arg)
{
	return glk_region_create(ctx, &arg->region_create);
}

static int glk_ioctl_region_destroy(struct glk_context *ctx, union glk_arg *arg)
{
	return arg->handle.reserved ? -EINVAL : glk_region_destroy(ctx, arg->handle.handle);
}

static int glk_ioctl_region_wait(struct glk_context *ctx, union glk_arg *arg)
{
	struct gpulink_ioctl_region_wait *w = &arg->region_wait;
	int err;

	if (w->level > GPULINK_REGION_VISIBLE || w->timeout_ns > TIMEOUT_MAX_NS || w->reserved)
		return -EINVAL;
	err = glk_region_wait(ctx, w, ktime_get_ns() + w->timeout_ns);
	return err == -EINTR ? -ERESTARTNOHAND : err;	/* as in glk_ioctl_wait() */
}

static int glk_ioctl_pool_create(struct glk_context *ctx, union glk_arg *arg,
				 struct glk_new_file *new)
{
	return context_check_rights(ctx, arg->flags) ?:
	       glk_pool_create(ctx, &arg->pool_create, new);
}

static int glk_ioctl_pool_share(struct glk_context *ctx, union glk_arg *arg,
				struct glk_new_file *new)
{
	return arg->flags ? glk_pool_share(ctx, &arg->pool_share, new) : -EINVAL;
}

static int glk_ioctl_pool_attach(struct glk_context *ctx, union glk_arg *arg)
{
	return context_check_rights(ctx, arg->flags) ?: glk_pool_attach(ctx, &arg->pool_attach);
}

static int glk_ioctl_pool_query(struct glk_context *ctx, union glk_arg *arg)
{
	return glk_pool_query(ctx, &arg->pool_query);
}

#define REGION_FLAGS	(GPULINK_REGION_FLUSH_ON_RELEASE | GPULINK_REGION_REARM | \
			 GPULINK_REGION_INTERRUPT)
#define ALLOW_MASK (GPULINK_ALLOW_READ | GPULINK_ALLOW_WRITE)

static const struct {
	int (*handler)(struct glk_context *ctx, union glk_arg *arg);
	u32 size;	/* of the structure in this kernel */
	u32 least;	/* size of its first version */
	u32 flags;	/* allowed flags */
	/* Instead of the handler: makes a descriptor, too. */
	int (*make)(struct glk_context *ctx, union glk_arg *arg, struct glk_new_file *new);
} glk_ioctls[] = {
	{ glk_ioctl_query, sizeof(struct gpulink_ioctl_query), 72, 0 },
	{ glk_ioctl_endpoint, sizeof(struct gpulink_ioctl_endpoint), 56, 0 },
	{ glk_ioctl_window_map, sizeof(struct gpulink_ioctl_window_map), 40, ALLOW_MASK },
	{ glk_ioctl_window_unmap, sizeof(struct gpulink_ioctl_handle), 16, 0 },
	{ glk_ioctl_register, sizeof(struct gpulink_ioctl_register), 32, ALLOW_MASK },
	{ glk_ioctl_unregister, sizeof(struct gpulink_ioctl_handle), 16, 0 },
	{ glk_ioctl_submit, sizeof(struct gpulink_ioctl_submit), 24, 0 },
	{ glk_ioctl_wait, sizeof(struct gpulink_ioctl_wait), 40, 0 },
	{ glk_ioctl_release, sizeof(struct gpulink_ioctl_release), 24, 0 },
	{ glk_ioctl_counters, sizeof(struct gpulink_ioctl_counters), 24, 0 },
	{ glk_ioctl_ring_map, sizeof(struct gpulink_ioctl_ring_map), 48, 0 },
	{ glk_ioctl_ring_unmap, sizeof(struct gpulink_ioctl_ring_unmap), 8, 0 },
	{ glk_ioctl_ring_wait, sizeof(struct gpulink_ioctl_ring_wait), 24,
	  GPULINK_RING_WAIT_RELEASE },
	[_IOC_NR(GPULINK_IOCTL_REGISTER_DMABUF)] = {
		glk_ioctl_register_dmabuf, sizeof(struct gpulink_ioctl_register_dmabuf), 32,
		ALLOW_MASK
	},
	[_IOC_NR(GPULINK_IOCTL_WINDOW_EXPORT)] = {
		glk_ioctl_window_export, sizeof(struct gpulink_ioctl_handle), 16, 0
	},
	[_IOC_NR(GPULINK_IOCTL_WINDOW_DMABUF)] = {
		glk_ioctl_window_dmabuf, sizeof(struct gpulink_ioctl_window_dmabuf), 48, ALLOW_MASK
	},
	[_IOC_NR(GPULINK_IOCTL_REGION_CREATE)] = {
		glk_ioctl_region_create, sizeof(struct gpulink_ioctl_region_create), 72,
		REGION_FLAGS
	},
	[_IOC_NR(GPULINK_IOCTL_REGION_DESTROY)] = {
		glk_ioctl_region_destroy, sizeof(struct gpulink_ioctl_handle), 16, 0
	},
	[_IOC_NR(GPULINK_IOCTL_REGION_WAIT)] = {
		glk_ioctl_region_wait, sizeof(struct gpulink_ioctl_region_wait), 64, 0
	},
	[_IOC_NR(GPULINK_IOCTL_POOL_CREATE)] = {
		NULL, sizeof(struct gpulink_ioctl_pool_create), 24, ALLOW_MASK,
		glk_ioctl_pool_create
	},
	[_IOC_NR(GPULINK_IOCTL_POOL_SHARE)] = {
		NULL, sizeof(struct gpulink_ioctl_pool_share), 16, ALLOW_MASK, glk_ioctl_pool_share
	},
	[_IOC_NR(GPULINK_IOCTL_POOL_ATTACH)] = {
		glk_ioctl_pool_attach, sizeof(struct gpulink_ioctl_pool_attach), 40, ALLOW_MASK
	},
	[_IOC_NR(GPULINK_IOCTL_POOL_QUERY)] = {
		glk_ioctl_pool_query, sizeof(struct gpulink_ioctl_pool_query), 56, 0
	},
};

long glk_file_ioctl(struct file *file, unsigned int cmd, unsigned long user)
{
	struct glk_context *ctx = file->private_data;
	void __user *from = (void __user *)user;
	unsigned int number = _IOC_NR(cmd);
	struct glk_new_file new = { };
	union glk_arg arg = { };
	u32 size;
	int err, ret;

	if (number >= ARRAY_SIZE(glk_ioctls))
		return -ENOTTY;
	number = array_index_nospec(number, ARRAY_SIZE(glk_ioctls));
	if (!glk_ioctls[number].size || cmd != _IO(GPULINK_IOCTL_BASE, number))
		return -ENOTTY;
	if (get_user(size, (u32 __user *)from))
		return -EFAULT;
	if (size < glk_ioctls[number].least || size > PAGE_SIZE)
		return -EINVAL;
	err = copy_struct_from_user(&arg, glk_ioctls[number].size, from, size);
	if (err)
		return err;
	/* The copy read size a second time: keep the value that was checked. */
	arg.size = size;
	if (arg.flags & ~glk_ioctls[number].flags)
		return -EINVAL;
	ret = glk_ioctls[number].make ? glk_ioctls[number].make(ctx, &arg, &new) :
					glk_ioctls[number].handler(ctx, &arg);
	/* Some handlers return partial results together with an error. */
	if (copy_to_user(from, &arg, min(size, glk_ioctls[number].size)) && !ret)
		ret = -EFAULT;
	glk_pool_file_finish(&new, !ret);
	return ret;
}
