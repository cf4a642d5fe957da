// SPDX-License-Identifier: Apache-2.0
/* Regions of a card: created and waited for by ioctl, started and arrived at by the doorbell page. */
#include <endian.h>
#include <errno.h>
#include <sys/ioctl.h>

#include "card_context.h"

_Static_assert((int)GPULINK_LEVEL_SENT == GPULINK_REGION_SENT && (int)GPULINK_LEVEL_VISIBLE == GPULINK_REGION_VISIBLE,
	       "levels are passed on");

static void card_region_destroy(const struct card *card, uint32_t number)
{
	struct gpulink_ioctl_handle h = { .size = sizeof(h), .handle = number };

	ioctl(card->fd, GPULINK_IOCTL_REGION_DESTROY, &h); /* fails after removal or reset, which ended the region */
}

int glk_card_region_open(void *backend, const struct glk_region_shape *shape, struct glk_backend_region *region)
{
	struct card *card = backend;
	struct gpulink_ioctl_region_target targets[GPULINK_REGION_TARGETS_MAX] = { 0 };
	struct gpulink_ioctl_region_create c = {
		.size = sizeof(c),
		.flags = GPULINK_REGION_INTERRUPT | (shape->flush_on_release ? GPULINK_REGION_FLUSH_ON_RELEASE : 0),
		.registration = shape->memory, .chunk_order = shape->chunk_order, .target_count = shape->target_count,
		.offset = shape->offset, .bytes = shape->bytes, .targets = (uintptr_t)targets,
		.arrivals = (uintptr_t)shape->arrivals,
	};
	int error = glk_card_map_record(card);

	if (error)
		return error;
	for (unsigned t = 0; t < shape->target_count; t++)
		targets[t] = (struct gpulink_ioctl_region_target){
			.window = shape->targets[t].window, .offset = shape->targets[t].offset,
			.flags_offset = shape->targets[t].flags_offset,
			.flags = shape->targets[t].signal ? GPULINK_REGION_TARGET_SIGNAL : 0,
		};
	if (ioctl(card->fd, GPULINK_IOCTL_REGION_CREATE, &c)) /* ENOTTY: an older driver */
		return errno == ENOTTY ? -GPULINK_ENOTSUP : errno == ENOENT ? -GPULINK_EINVAL : glk_card_code_of(errno);
	if (c.record_offset < card->query.record_offset ||
	    c.record_offset > card->query.record_offset + GLK_PAGE_SIZE - GLK_REGION_RECORD_BYTES || c.record_offset % 8) {
		card_region_destroy(card, c.handle);
		return -GPULINK_EPROTO;
	}
	region->handle = c.handle;
	region->record = (const uint64_t *)card->record + (c.record_offset - card->query.record_offset) / 8;
	return 0;
}

void glk_card_region_close(void *backend, const struct glk_backend_region *region)
{
	card_region_destroy(backend, region->handle);
}

/* Without a lock: one store, behind the thread's earlier ones. */
void glk_card_region_write(void *backend, unsigned reg, uint64_t value)
{
	const struct card *card = backend;
	volatile uint8_t *page = glk_card_ring_doorbell(card->ring);

	glk_flush_stores();
	*(volatile uint64_t *)(void *)(uintptr_t)(page + reg) = htole64(value);
}

static uint64_t record_word(const struct glk_backend_region *region, unsigned word)
{
	return le64toh(__atomic_load_n(&region->record[word], __ATOMIC_ACQUIRE));
}

/* Success, without the kernel: the card writes the last epoch that is sent behind the rest of the record. */
static bool record_shows(const struct glk_backend_region *region, unsigned level, uint64_t epoch)
{
	uint64_t sent = record_word(region, GLK_REGION_RECORD_SENT_Q);
	uint64_t visible = record_word(region, GLK_REGION_RECORD_VISIBLE_Q);

	return sent >= epoch && (level == GPULINK_LEVEL_SENT || visible >= epoch) &&
	       !(record_word(region, GLK_REGION_RECORD_CODE_Q) & GLK_REGION_RECORD_CODE_MASK);
}

int glk_card_region_wait(void *backend, const struct glk_backend_region *region, unsigned level, uint64_t epoch,
			 uint64_t timeout_ns, struct glk_region_state *state)
{
	const struct card *card = backend;
	struct gpulink_ioctl_region_wait w = {
		.size = sizeof(w), .handle = region->handle, .level = level, .epoch = epoch, .timeout_ns = timeout_ns,
	};
	int error;

	if (epoch && record_shows(region, level, epoch)) {
		state->status = 0;
		return 0;
	}
	error = ioctl(card->fd, GPULINK_IOCTL_REGION_WAIT, &w) ? errno : 0;
	*state = (struct glk_region_state){
		.sent = w.sent, .visible = w.visible, .status = w.status, .failed_targets = w.failed_targets,
		.rejected = w.rejected,
	};
	if (error == EIO && w.status)
		return 0;
	return error == EINTR ? -GPULINK_ETIMEDOUT : error ? glk_card_code_of(error) : 0;
}
