/* SPDX-License-Identifier: GPL-2.0-only */
/* Pool objects: descriptors, windows, life. What they are: pool.h. */
#ifndef GLK_OBJECT_H
#define GLK_OBJECT_H

#include <linux/types.h>

#include <linux/gpulink.h>

struct file;
struct glk_card;
struct glk_context;
struct glk_pool_object;

/* A descriptor that is not installed yet: see glk_file_ioctl(). */
struct glk_new_file {
	struct file *file;
	int fd;
};

/* object.c: callers of the first two hold card->lock */
extern const struct glk_part glk_object_part;
int glk_pool_object_add(struct glk_context *ctx, struct glk_pool_object *object);
void glk_pool_put(struct glk_pool_object *object);
void glk_pool_drop(struct glk_pool_object *object);
struct glk_pool_object *glk_pool_object_alloc(struct glk_card *card, u64 bytes, u32 grain);
void glk_pool_object_free(struct glk_pool_object *object);

/* object_file.c */
int glk_pool_file_make(struct glk_pool_object *object, u32 rights, struct glk_new_file *new);
void glk_pool_file_finish(struct glk_new_file *new, bool install);
u32 glk_pool_file_rights(const struct file *file);
struct glk_pool_object *glk_pool_file_object(const struct file *file);

/* object_calls.c */
int glk_pool_create(struct glk_context *ctx, struct gpulink_ioctl_pool_create *arg,
		    struct glk_new_file *new);
int glk_pool_share(struct glk_context *ctx, struct gpulink_ioctl_pool_share *arg,
		   struct glk_new_file *new);
int glk_pool_attach(struct glk_context *ctx, struct gpulink_ioctl_pool_attach *arg);
int glk_pool_query(struct glk_context *ctx, struct gpulink_ioctl_pool_query *arg);

#endif /* GLK_OBJECT_H */
