// SPDX-License-Identifier: GPL-2.0-only
/* /dev/gpulinkN: open, ioctl, mmap (kmod/uapi/gpulink.h). User memory is read once, and never under a lock. */
#include <linux/fs.h>
#include <linux/idr.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/wait_bit.h>

#include "gpulink_drv.h"

#define MINORS		64
#define SUBMIT_CHUNK	64	/* entries: a page */
#define WAIT_CHUNK	16
#define TIMEOUT_MAX_NS	(60ULL * NSEC_PER_SEC)

static dev_t first_dev;
static struct class *glk_class;
static DEFINE_IDA(glk_minors);

/* What the kernel frees by a function of this module, at a time that nobody here knows. The module outlives it. */
static atomic_t glk_objects = ATOMIC_INIT(0);

void glk_object_made(void)
{
	atomic_inc(&glk_objects);
}

void glk_object_freed(void)
{
	if (atomic_dec_and_test(&glk_objects))
		wake_up_var(&glk_objects);
}

/* Any of the structures; all begin with size and flags. */
union glk_arg {
	struct {
		u32 size, flags;
	};
	struct gpulink_ioctl_query query;
	struct gpulink_ioctl_endpoint endpoint;
	struct gpulink_ioctl_window_map window_map;
	struct gpulink_ioctl_handle handle;
	struct gpulink_ioctl_register reg;
	struct gpulink_ioctl_submit submit;
	struct gpulink_ioctl_wait wait;
	struct gpulink_ioctl_release release;
	struct gpulink_ioctl_counters counters;
};

static int do_query(struct glk_context *ctx, union glk_arg *arg)
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

static int do_endpoint(struct glk_context *ctx, union glk_arg *arg)
{
	struct gpulink_ioctl_endpoint *e = &arg->endpoint;
	const struct glk_partition *p;
	int err;

	err = glk_context_enter(ctx);
	if (err)
		return err;
	if (e->partition < ctx->card->partition_count) {
		mutex_lock(&ctx->card->lock);
		p = &ctx->card->partitions[e->partition];
		e->kind = p->kind;
		e->bytes = p->bytes;
		memset(e->name, 0, sizeof(e->name));
		if (p->kind != GPULINK_ENDPOINT_NONE)
			glk_endpoint_describe(p, (char *)e->name, sizeof(e->name));
		mutex_unlock(&ctx->card->lock);
	} else {
		err = -EINVAL;
	}
	glk_context_leave(ctx);
	return err;
}

static int do_window_map(struct glk_context *ctx, union glk_arg *arg)
{
	int err;

	if (!arg->flags)
		return -EINVAL;
	err = glk_context_enter(ctx);
	if (err)
		return err;
	mutex_lock(&ctx->card->lock);
	err = glk_window_map(ctx, &arg->window_map);
	mutex_unlock(&ctx->card->lock);
	glk_context_leave(ctx);
	return err;
}

static int do_window_unmap(struct glk_context *ctx, union glk_arg *arg)
{
	int err;

	if (arg->handle.reserved)
		return -EINVAL;
	err = glk_context_enter(ctx);
	if (err)
		return err;
	mutex_lock(&ctx->card->lock);
	err = glk_window_unmap(ctx, arg->handle.handle);
	mutex_unlock(&ctx->card->lock);
	glk_context_leave(ctx);
	return err;
}

static int do_register(struct glk_context *ctx, union glk_arg *arg)
{
	struct gpulink_ioctl_register *r = &arg->reg;
	struct glk_registration *reg;
	int err;

	if (r->reserved || !r->flags)
		return -EINVAL;
	reg = glk_registration_pin(r->address, r->bytes, r->flags);
	if (IS_ERR(reg))
		return PTR_ERR(reg);
	err = glk_context_enter(ctx);
	if (!err) {
		mutex_lock(&ctx->card->lock);
		err = glk_registration_map(ctx, reg, r->address, r->bytes, r->flags);
		mutex_unlock(&ctx->card->lock);
		glk_context_leave(ctx);
	}
	if (err)
		glk_registration_free(reg);
	else
		r->handle = reg->handle;
	return err;
}

static int do_unregister(struct glk_context *ctx, union glk_arg *arg)
{
	struct glk_registration *reg;
	int err;

	if (arg->handle.reserved)
		return -EINVAL;
	err = glk_context_enter(ctx);
	if (err)
		return err;
	mutex_lock(&ctx->card->lock);
	reg = glk_registration_find(ctx, arg->handle.handle);
	if (reg) {
		glk_registration_unmap(ctx, reg);
		list_del(&reg->list);
	}
	mutex_unlock(&ctx->card->lock);
	glk_context_leave(ctx);
	if (!reg)
		return -ENOENT;
	glk_registration_free(reg);
	return 0;
}

static int submit_chunk(struct glk_context *ctx, const __le64 *entries, u32 count)
{
	int ret;

	ret = glk_context_enter(ctx);
	if (ret)
		return ret;
	ret = glk_ring_submit(ctx, entries, count);
	if (ret >= 0 && ret < count) {
		/* Full as far as was known: completions nobody was told of make room. */
		glk_ring_reap(ctx);
		count = glk_ring_submit(ctx, entries + ret * (GLK_SQE_BYTES / 8), count - ret);
		ret += max_t(int, count, 0);
	}
	glk_context_leave(ctx);
	return ret;
}

static int do_submit(struct glk_context *ctx, union glk_arg *arg)
{
	struct gpulink_ioctl_submit *s = &arg->submit;
	const u8 __user *from = u64_to_user_ptr(s->entries);
	u32 done = 0, part;
	__le64 *chunk;
	int ret = 0;

	if (!s->count || s->count > GLK_USER_ENTRIES)
		return -EINVAL;
	chunk = kmalloc_array(min_t(u32, s->count, SUBMIT_CHUNK), GLK_SQE_BYTES, GFP_KERNEL);
	if (!chunk)
		return -ENOMEM;
	while (done < s->count) {
		part = min_t(u32, s->count - done, SUBMIT_CHUNK);
		if (copy_from_user(chunk, from + (size_t)done * GLK_SQE_BYTES, (size_t)part * GLK_SQE_BYTES)) {
			ret = -EFAULT;
			break;
		}
		ret = submit_chunk(ctx, chunk, part);
		if (ret < 0)
			break;
		done += ret;
		if (ret < part)
			break;
	}
	kfree(chunk);
	s->submitted = done;
	if (done)
		return 0;
	return ret < 0 ? ret : -EAGAIN;
}

static int do_wait(struct glk_context *ctx, union glk_arg *arg)
{
	struct gpulink_ioctl_wait *w = &arg->wait;
	u8 __user *to = u64_to_user_ptr(w->completions);
	u64 chunk[WAIT_CHUNK][2];
	int err, part;

	if (!w->count || w->least > w->count || w->timeout_ns > TIMEOUT_MAX_NS || w->reserved)
		return -EINVAL;
	err = glk_ring_wait(ctx, w->least, ktime_get_ns() + w->timeout_ns);
	w->completed = 0;
	if (err && err != -ETIMEDOUT && err != -EINTR)
		return err;
	while (w->completed < w->count) {
		part = glk_ring_take(ctx, chunk, min_t(u32, w->count - w->completed, WAIT_CHUNK));
		if (!part)
			break;
		if (copy_to_user(to + (size_t)w->completed * GLK_CQE_BYTES, chunk, (size_t)part * GLK_CQE_BYTES))
			return -EFAULT;
		w->completed += part;
	}
	return err == -EINTR && w->completed ? 0 : err;
}

static int do_release(struct glk_context *ctx, union glk_arg *arg)
{
	struct gpulink_ioctl_release *r = &arg->release;
	int err, late;
	u64 errors;

	if (!r->timeout_ns || r->timeout_ns > TIMEOUT_MAX_NS || r->reserved)
		return -EINVAL;
	err = glk_ring_release(ctx, r->timeout_ns);
	if (err && err != -EIO)
		return err;
	late = glk_context_enter(ctx);
	if (late)
		return late;
	errors = glk_read(ctx->card, glk_context_reg(ctx->id, GLK_CONTEXT_ERRORS));
	late = glk_card_read_error(ctx->card, errors);
	mutex_lock(&ctx->card->lock);
	/* The window stays lost, and so does what is stored into it: every release says so. */
	ctx->void_releases += glk_window_any_lost(ctx);
	r->errors = errors + ctx->void_releases;
	mutex_unlock(&ctx->card->lock);
	glk_context_leave(ctx);
	return late ?: err;
}

static int do_counters(struct glk_context *ctx, union glk_arg *arg)
{
	struct gpulink_ioctl_counters *c = &arg->counters;
	bool whole = c->partition == GPULINK_COUNTERS_CARD;
	u32 known = whole ? GLK_CARD_COUNTERS : GLK_PARTITION_COUNTERS;
	u64 values[GLK_PARTITION_COUNTERS];
	int err;

	BUILD_BUG_ON(GLK_CARD_COUNTERS > GLK_PARTITION_COUNTERS);
	if (!whole && c->partition >= ctx->card->partition_count)
		return -EINVAL;
	err = glk_context_enter(ctx);
	if (err)
		return err;
	mutex_lock(&ctx->card->lock);
	err = glk_card_counters(ctx->card, c->partition, values);
	mutex_unlock(&ctx->card->lock);
	glk_context_leave(ctx);
	if (err)
		return err;
	if (copy_to_user(u64_to_user_ptr(c->values), values, sizeof(u64) * min(c->count, known)))
		return -EFAULT;
	c->count = known;
	return 0;
}

#define ALLOW_MASK (GPULINK_ALLOW_READ | GPULINK_ALLOW_WRITE)

static const struct {
	int (*handler)(struct glk_context *ctx, union glk_arg *arg);
	u32 size;	/* of this kernel's structure */
	u32 least;	/* of the first version's */
	u32 flags;	/* that may be set */
} glk_ioctls[] = {
	{ do_query, sizeof(struct gpulink_ioctl_query), 72, 0 },
	{ do_endpoint, sizeof(struct gpulink_ioctl_endpoint), 56, 0 },
	{ do_window_map, sizeof(struct gpulink_ioctl_window_map), 40, ALLOW_MASK },
	{ do_window_unmap, sizeof(struct gpulink_ioctl_handle), 16, 0 },
	{ do_register, sizeof(struct gpulink_ioctl_register), 32, ALLOW_MASK },
	{ do_unregister, sizeof(struct gpulink_ioctl_handle), 16, 0 },
	{ do_submit, sizeof(struct gpulink_ioctl_submit), 24, 0 },
	{ do_wait, sizeof(struct gpulink_ioctl_wait), 40, 0 },
	{ do_release, sizeof(struct gpulink_ioctl_release), 24, 0 },
	{ do_counters, sizeof(struct gpulink_ioctl_counters), 24, 0 },
};

static long glk_ioctl(struct file *file, unsigned int cmd, unsigned long user)
{
	struct glk_context *ctx = file->private_data;
	void __user *from = (void __user *)user;
	unsigned int number = _IOC_NR(cmd);
	union glk_arg arg = { };
	u32 size;
	int err, ret;

	if (number >= ARRAY_SIZE(glk_ioctls) || cmd != _IO(GPULINK_IOCTL_BASE, number))
		return -ENOTTY;
	if (get_user(size, (u32 __user *)from))
		return -EFAULT;
	if (size < glk_ioctls[number].least || size > PAGE_SIZE)
		return -EINVAL;
	err = copy_struct_from_user(&arg, glk_ioctls[number].size, from, size);
	if (err)
		return err;
	/* Read a second time with the rest: what was checked is what counts. */
	arg.size = size;
	if (arg.flags & ~glk_ioctls[number].flags)
		return -EINVAL;
	ret = glk_ioctls[number].handler(ctx, &arg);
	/* Some tell how far they got beside an error. */
	if (copy_to_user(from, &arg, min(size, glk_ioctls[number].size)) && !ret)
		ret = -EFAULT;
	return ret;
}

static int glk_open(struct inode *inode, struct file *file)
{
	struct glk_card *card = container_of(inode->i_cdev, struct glk_card, cdev);
	struct glk_context *ctx;
	int err;

	err = glk_context_open(card, file->f_mapping, &ctx);
	if (err)
		return err;
	file->private_data = ctx;
	return stream_open(inode, file);
}

static int glk_release(struct inode *inode, struct file *file)
{
	glk_context_close(file->private_data);
	return 0;
}

static int glk_file_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct glk_context *ctx = file->private_data;
	int err;

	err = glk_context_enter(ctx);
	if (err)
		return err;
	err = glk_mmap(ctx, vma);
	glk_context_leave(ctx);
	return err;
}

static const struct file_operations glk_fops = {
	.owner = THIS_MODULE,
	.open = glk_open,
	.release = glk_release,
	.unlocked_ioctl = glk_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = glk_file_mmap,
	.llseek = noop_llseek,
};

static void glk_card_free(struct device *dev)
{
	struct glk_card *card = glk_to_card(dev);

	pci_dev_put(card->pdev);
	kfree(card);
	glk_object_freed();
}

/* Not seen by anybody (any more). Files that are still open need no number: the card may come back under the same one. */
void glk_card_drop(struct glk_card *card)
{
	ida_free(&glk_minors, MINOR(card->dev.devt));
	put_device(&card->dev);
}

/* A card that nobody sees yet; glk_card_drop() ends it. */
struct glk_card *glk_card_alloc(struct pci_dev *pdev)
{
	struct glk_card *card;
	int minor;

	card = kzalloc(sizeof(*card), GFP_KERNEL);
	if (!card)
		return ERR_PTR(-ENOMEM);
	minor = ida_alloc_max(&glk_minors, MINORS - 1, GFP_KERNEL);
	if (minor < 0) {
		kfree(card);
		return ERR_PTR(minor);
	}
	card->pdev = pci_dev_get(pdev);
	glk_object_made();
	init_rwsem(&card->state_lock);
	mutex_init(&card->lock);
	spin_lock_init(&card->vector_lock);
	device_initialize(&card->dev);
	card->dev.class = glk_class;
	card->dev.parent = &pdev->dev;
	card->dev.devt = MKDEV(MAJOR(first_dev), minor);
	card->dev.groups = glk_card_groups;
	card->dev.release = glk_card_free;
	cdev_init(&card->cdev, &glk_fops);
	card->cdev.owner = THIS_MODULE;
	if (dev_set_name(&card->dev, "gpulink%d", minor)) {
		glk_card_drop(card);
		return ERR_PTR(-ENOMEM);
	}
	return card;
}

/* The device node and all of sysfs are there before anybody is told. */
int glk_card_publish(struct glk_card *card)
{
	int err;

	dev_set_uevent_suppress(&card->dev, true);
	err = cdev_device_add(&card->cdev, &card->dev);
	if (err)
		return err;
	err = glk_sysfs_add(card);
	if (err) {
		cdev_device_del(&card->cdev, &card->dev);
		return err;
	}
	dev_set_uevent_suppress(&card->dev, false);
	kobject_uevent(&card->dev.kobj, KOBJ_ADD);
	return 0;
}

void glk_card_unpublish(struct glk_card *card)
{
	glk_sysfs_remove(card);
	cdev_device_del(&card->cdev, &card->dev);
}

int glk_chardev_init(void)
{
	int err;

	err = alloc_chrdev_region(&first_dev, 0, MINORS, "gpulink");
	if (err)
		return err;
	glk_class = glk_class_create("gpulink");
	if (IS_ERR(glk_class)) {
		unregister_chrdev_region(first_dev, MINORS);
		return PTR_ERR(glk_class);
	}
	return 0;
}

void glk_chardev_exit(void)
{
	while (!wait_var_event_timeout(&glk_objects, !atomic_read(&glk_objects), 10 * HZ))
		pr_warn("gpulink: somebody still refers to %d objects, unloading waits\n", atomic_read(&glk_objects));
	class_destroy(glk_class);
	unregister_chrdev_region(first_dev, MINORS);
	ida_destroy(&glk_minors);
}
