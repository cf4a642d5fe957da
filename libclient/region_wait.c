// SPDX-License-Identifier: Apache-2.0
/* How far epochs have got: waits, tests, and consumers' looks at signals. */
#include <endian.h>

#include "client_region.h"

#define CHECK_EVERY  64u		   /* looks per check of the card's state by the kernel */

/* 0: reached; ETIMEDOUT: not yet; or the epoch's first error. Sleeps up to `timeout_ns` if the back end can. */
static int look_card(const struct gpulink_region *region, unsigned level, uint64_t epoch, uint64_t timeout_ns)
{
	const struct gpulink *device = region->device;
	struct glk_region_state state = { 0 };
	int error = device->ops->region_wait(device->backend, &region->card, level, epoch, timeout_ns, &state);

	return error ? error : glk_status_error(state.status);
}

static bool reached(const struct gpulink_region *region, unsigned level, uint64_t epoch)
{
	if (level == GPULINK_LEVEL_SENT)
		return glk_region_all_sent(region);
	return __atomic_load_n(&region->visible, __ATOMIC_ACQUIRE) >= epoch;
}

/* Under the queue's lock: the release behind all chunks, once. */
static int release_once(struct gpulink_region *region, uint64_t epoch)
{
	int error;

	if (region->released >= epoch || !glk_region_all_sent(region))
		return 0;
	error = glk_region_release(region, epoch);
	if (!error)
		region->released = epoch;
	return error;
}

/* While others arrive, nothing may be in flight whose completion would fail. */
static int check_card(struct gpulink_region *region, unsigned round)
{
	struct gpulink_queue *queue = &region->device->queue;
	int error;

	if (region->agent == GPULINK_AGENT_CARD || round % CHECK_EVERY)
		return 0;
	glk_queue_lock(queue);
	error = glk_queue_check_card(queue);
	glk_queue_unlock(queue);
	return error;
}

/* As look_card(). All entries that are in flight now are waited for, if there is nothing else to do. */
static int look_own(struct gpulink_region *region, unsigned level, uint64_t epoch, uint64_t timeout_ns)
{
	struct gpulink_queue *queue = &region->device->queue;
	int error = gpulink_region_poll(region, UINT32_MAX);

	glk_queue_lock(queue);
	if (error >= 0)
		error = glk_queue_take(queue);
	if (error >= 0 && level == GPULINK_LEVEL_VISIBLE)
		error = release_once(region, epoch);
	if (error >= 0)
		error = glk_queue_take(queue);
	if (error >= 0 && !reached(region, level, epoch))
		error = -GPULINK_ETIMEDOUT;
	if (error == -GPULINK_ETIMEDOUT && timeout_ns && !__atomic_load_n(&region->left, __ATOMIC_SEQ_CST)) {
		error = glk_queue_await(queue, queue->submitted, glk_deadline(timeout_ns));
		error = error ? error : reached(region, level, epoch) ? 0 : -GPULINK_ETIMEDOUT;
	}
	glk_queue_unlock(queue);
	return error < 0 ? error : __atomic_load_n(&region->error, __ATOMIC_ACQUIRE);
}

static int region_wait_look(struct gpulink_region *region, unsigned level, uint64_t timeout_ns)
{
	uint64_t epoch = glk_region_epoch(region);

	if (!epoch)
		return 0;
	return region->agent == GPULINK_AGENT_CARD ? look_card(region, level, epoch, timeout_ns) :
						     look_own(region, level, epoch, timeout_ns);
}

static int region_wait_check(const struct gpulink_region *region, unsigned level)
{
	int error = glk_region_check(region);

	if (!error && level > GPULINK_LEVEL_VISIBLE)
		error = glk_error(-GPULINK_EINVAL, "level %u: must be GPULINK_LEVEL_SENT or _VISIBLE", level);
	return error;
}

int gpulink_region_wait(struct gpulink_region *region, unsigned level, uint64_t timeout_ns)
{
	int error = region_wait_check(region, level);
	uint64_t deadline, now, left;
	GLK_UNCANCELLABLE(state);
	int lost;

	if (error)
		return error;
	error = region_wait_look(region, level, 0);
	if (error != -GPULINK_ETIMEDOUT || !timeout_ns)
		return error ? glk_error_plain(error) : 0;
	deadline = glk_deadline(timeout_ns);
	for (unsigned round = 0;; round += round < UINT32_MAX) {
		now = glk_now_ns();
		left = now < deadline ? deadline - now : 0;
		error = region_wait_look(region, level, left < GLK_CANCEL_NS ? left : GLK_CANCEL_NS);
		if (error != -GPULINK_ETIMEDOUT || !left)
			return error ? glk_error_plain(error) : 0;
		lost = check_card(region, round);
		if (lost)
			return lost;
		glk_cancel_point(state);
		glk_pause(round, left);
	}
}

int gpulink_region_test(struct gpulink_region *region, unsigned level)
{
	int error = region_wait_check(region, level);

	if (error)
		return error;
	error = region_wait_look(region, level, 0);
	return error == -GPULINK_ETIMEDOUT ? 0 : error ? glk_error_plain(error) : 1;
}

int gpulink_region_arrived(const volatile uint64_t *flags, uint32_t chunk, uint64_t epoch)
{
	if (!flags)
		return glk_error_null("flags");
	return le64toh(__atomic_load_n(&flags[chunk], __ATOMIC_ACQUIRE)) >= epoch;
}
