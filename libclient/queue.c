// SPDX-License-Identifier: Apache-2.0
/*
 * Queues: entries in flight and their completions. Completions arrive in the order of entries, so that one
 * count tells what is complete.
 *
 * A sleeping thread is woken by an entry that requests an interrupt. Interrupts cost more than puts: only every
 * WAKE_EVERY-th entry requests one, and a NOP is added if the last entries do not.
 *
 * Threads share the default queue. Its lock is not held while a thread sleeps, so that others submit and wait meanwhile.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gpulink_regs.h>

#include "device.h"
#include "probes.h"

#define CHUNK	     64u
#define POLLS	     500u /* before sleeping */
#define WAKE_EVERY   32u
#define NO_STAGE     (-1)
#define SLEEP_MAX_NS UINT64_C(10000000000) /* of one call; the kernel allows 60 s */
/* Other threads may lap the ring before the sleeper of an entry looks: its completion is then no longer visible. */
#define SHARED_SLEEP_MAX_NS UINT64_C(50000000)

uint64_t glk_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t glk_deadline(uint64_t timeout_ns)
{
	uint64_t now = glk_now_ns();

	return timeout_ns < UINT64_MAX - now ? now + timeout_ns : UINT64_MAX;
}

void glk_queue_lock(struct gpulink_queue *queue)
{
	if (glk_queue_is_shared(queue))
		glk_mutex_lock(&queue->lock);
}

void glk_queue_unlock(struct gpulink_queue *queue)
{
	if (glk_queue_is_shared(queue))
		glk_mutex_unlock(&queue->lock);
}

/* --- completions --- */

/* The result of the oldest entry, a release: its own error, or the first of what it covers. */
static int settle_release(struct gpulink_queue *queue, int error)
{
	uint32_t errors = queue->errors;
	int counted = queue->device->ops->count_errors(queue->backend, queue->completed, &errors);

	if (!error)
		error = counted;
	if (!error && queue->failed) {
		error = queue->failed;
		queue->failed = 0;
	} else if (!error && errors != queue->errors) {
		error = -GPULINK_EFAULT;
	}
	queue->errors = errors;
	return error;
}

static int settle(struct gpulink_queue *queue, const struct glk_flight *flight, int error)
{
	if (flight->kind == GLK_KIND_RELEASE || flight->kind == GLK_KIND_SIGNAL_RELEASE)
		error = settle_release(queue, error);
	if (flight->stage != NO_STAGE)
		queue->stage_busy[flight->stage] = false;
	if (flight->staging) {
		if (!error)
			error = glk_staging_bring(flight->staging, flight->offset, flight->bytes);
		glk_staging_close(flight->staging);
	}
	if (flight->signal) {
		error = queue->carried ? queue->carried : error;
		queue->carried = 0;
	}
	return error;
}

/* An operation of a region. Its release may have failed by stores of others, whose release has to report that as well. */
static void complete_region(struct gpulink_queue *queue, const struct glk_flight *flight, int error)
{
	flight->completed(flight, error);
	if (flight->kind == GLK_KIND_REGION_RELEASE && !queue->failed)
		queue->failed = error;
}

void glk_queue_forget(struct gpulink_queue *queue, const struct gpulink_region *region)
{
	for (uint64_t entry = queue->completed; entry < queue->submitted; entry++)
		if (glk_queue_flight(queue, entry)->region == region)
			glk_queue_flight(queue, entry)->region = NULL;
}

/* Completes the oldest entry in flight. `done` has room: glk_queue_submit() limits the operations with a tag. */
static void complete(struct gpulink_queue *queue, const uint64_t word[GLK_CQE_WORDS])
{
	const struct glk_flight *flight = glk_queue_flight(queue, queue->completed);
	struct gpulink_completion completion = glk_completion(word);
	struct glk_done *done = &queue->done;
	int error = settle(queue, flight, completion.error);

	completion.error = error;
	queue->completed++;
	if (error)
		GLK_PROBE2(failed, queue, completion.status);
	if (flight->result)
		*flight->result = (struct glk_result){ .complete = true, .error = error };
	else if (flight->region)
		complete_region(queue, flight, error);
	else if (flight->kind == GLK_KIND_SIGNAL_RELEASE)
		queue->carried = error;
	else if (flight->tagged)
		done->items[(done->head + done->count++) % GPULINK_COMPLETIONS_MAX] = completion;
	else if (!queue->failed)
		queue->failed = error;
}

int glk_queue_take(struct gpulink_queue *queue)
{
	uint64_t words[CHUNK][GLK_CQE_WORDS];
	int count, taken = 0;

	do {
		count = queue->device->ops->take(queue->backend, words, CHUNK);
		if (count > (int)glk_queue_in_flight(queue))
			return glk_error(-GPULINK_EPROTO, "%d completions of %u operations: protocol violation by the card",
					 count, glk_queue_in_flight(queue));
		for (int i = 0; i < count; i++)
			complete(queue, words[i]);
		taken += count > 0 ? count : 0;
	} while (count == (int)CHUNK);
	return taken || count >= 0 ? taken : count;
}

/* --- waits --- */

static int queue_add(struct gpulink_queue *queue, const uint64_t entry[GLK_SQE_WORDS], const struct glk_flight *flight,
		     bool wake)
{
	uint64_t words[GLK_SQE_WORDS];
	int taken;

	memcpy(words, entry, sizeof(words));
	wake |= (queue->submitted + 1) % WAKE_EVERY == 0;
	if (wake)
		words[GLK_SQE_FLAGS_Q] |= (uint64_t)GLK_FLAG_INTERRUPT << GLK_SQE_FLAGS_SHIFT;
	/* Before the entry is on the ring: its completion may follow at once. */
	*glk_queue_flight(queue, queue->submitted) = *flight;
	taken = queue->device->ops->submit(queue->backend, words);
	if (taken == 1) {
		queue->submitted++;
		queue->woken = wake ? queue->submitted : queue->woken;
	}
	return taken;
}

/* Makes sure that the completion of the entry, or of a later one, raises an interrupt. */
static int request_wakeup(struct gpulink_queue *queue, uint64_t entry)
{
	static const uint64_t nop[GLK_SQE_WORDS] = { GLK_OP_NOP };
	const struct glk_flight wakeup = { .kind = GLK_KIND_WAKEUP, .stage = NO_STAGE };
	int taken;

	if (queue->woken > entry || glk_queue_in_flight(queue) == GLK_RING_MAX)
		return 0; /* a full ring has such an entry, and the driver polls */
	taken = queue_add(queue, nop, &wakeup, true);
	return taken < 0 ? taken : 0;
}

/* Sleeps until the entry has completed, or for a while. */
static int sleep_for(struct gpulink_queue *queue, uint64_t entry, uint64_t deadline)
{
	uint64_t most = glk_queue_is_shared(queue) ? SHARED_SLEEP_MAX_NS : SLEEP_MAX_NS, now;
	int error = request_wakeup(queue, entry);

	if (error)
		return error;
	glk_queue_unlock(queue);
	now = glk_now_ns();
	error = now >= deadline ? -GPULINK_ETIMEDOUT :
		queue->device->ops->sleep(queue->backend, entry, deadline - now < most ? deadline - now : most);
	glk_queue_lock(queue);
	return error == -GPULINK_ETIMEDOUT ? 0 : error;
}

int glk_queue_check_card(const struct gpulink_queue *queue)
{
	int error = queue->device->ops->sleep(queue->backend, queue->submitted, 0);

	return error == -GPULINK_ETIMEDOUT ? 0 : error;
}

int glk_queue_await(struct gpulink_queue *queue, uint64_t count, uint64_t deadline)
{
	int error = 0, taken;

	for (unsigned look = 0;; look++) {
		taken = glk_queue_take(queue);
		if (queue->completed >= count)
			return 0;
		if (taken < 0 || error)
			return error ? error : taken;
		if (look < POLLS)
			continue;
		if (glk_now_ns() >= deadline)
			return -GPULINK_ETIMEDOUT;
		error = sleep_for(queue, count - 1, deadline);
	}
}

int glk_queue_reserve(struct gpulink_queue *queue, unsigned count)
{
	uint64_t deadline;
	int error = 0;

	if (!queue->has_rings)
		return glk_batch_reserve(queue, count);
	if (glk_queue_in_flight(queue) + count <= GLK_OPERATIONS)
		return 0;
	deadline = glk_deadline(GLK_ROOM_TIMEOUT_NS);
	while (!error && glk_queue_in_flight(queue) + count > GLK_OPERATIONS)
		error = glk_queue_await(queue, queue->submitted + count - GLK_OPERATIONS, deadline);
	return error == -GPULINK_ETIMEDOUT ? glk_error(error, "the ring had no room within 1 s") : error;
}

/* Adds an entry, when the ring has room. */
static int add_in_time(struct gpulink_queue *queue, const uint64_t entry[GLK_SQE_WORDS], const struct glk_flight *flight,
		       bool wake)
{
	uint64_t deadline = 0;
	int taken = 0, error = 0;

	while (!error && (glk_queue_in_flight(queue) == GLK_RING_MAX || !(taken = queue_add(queue, entry, flight, wake)))) {
		deadline = deadline ? deadline : glk_deadline(GLK_ROOM_TIMEOUT_NS);
		error = glk_queue_in_flight(queue) ? glk_queue_await(queue, queue->completed + 1, deadline) : -GPULINK_EPROTO;
	}
	if (error == -GPULINK_ETIMEDOUT)
		return glk_error(error, "the ring had no room within 1 s");
	return error ? error : taken < 0 ? taken : 0;
}

int glk_queue_owes(void)
{
	return glk_error(-GPULINK_EBUSY, "%u completions are not taken: take them with gpulink_wait()",
			 GPULINK_COMPLETIONS_MAX);
}

int glk_queue_submit(struct gpulink_queue *queue, const uint64_t entry[GLK_SQE_WORDS], const struct glk_flight *flight,
		     bool wake)
{
	bool tagged = flight->kind == GLK_KIND_OPERATION && entry[GLK_SQE_TAG_Q] != GPULINK_NO_TAG;
	struct glk_flight own = *flight;
	int error;

	if (!queue->has_rings)
		return glk_batch_add(queue, entry, flight);
	own.tagged = tagged || flight->tagged;
	if (own.tagged && queue->owed == GPULINK_COMPLETIONS_MAX)
		return glk_queue_owes();
	wake |= own.tagged && queue->polled;
	/* Releases and the library's entries have the rest of the ring. */
	error = own.kind == GLK_KIND_OPERATION ? glk_queue_reserve(queue, 1) : 0;
	if (!error)
		error = add_in_time(queue, entry, &own, wake);
	if (error)
		return error;
	queue->owed += own.tagged;
	if (own.tagged && glk_queue_is_shared(queue) && queue->sleepers)
		pthread_cond_broadcast(&queue->submission);
	return 0;
}

/* --- open and close --- */

/* Waits measure the time that CLOCK_MONOTONIC does. */
static int init_locks(struct gpulink_queue *queue)
{
	pthread_condattr_t monotonic;
	int error = pthread_condattr_init(&monotonic);

	if (error)
		return error;
	error = pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	if (!error)
		error = pthread_cond_init(&queue->submission, &monotonic);
	pthread_condattr_destroy(&monotonic);
	if (error)
		return error;
	error = pthread_mutex_init(&queue->lock.lock, NULL);
	if (error)
		pthread_cond_destroy(&queue->submission);
	return error;
}

int glk_queue_init(struct gpulink_queue *queue, struct gpulink *device, unsigned number, bool rings, void *backend)
{
	*queue = (struct gpulink_queue){ .device = device, .number = number, .has_rings = rings, .backend = backend };
	queue->done.items = calloc(GPULINK_COMPLETIONS_MAX, sizeof(*queue->done.items));
	if (!queue->done.items)
		return glk_error(-GPULINK_ENOMEM, "queue: out of memory");
	if (glk_queue_is_shared(queue) && init_locks(queue)) {
		free(queue->done.items);
		return glk_error(-GPULINK_ENOMEM, "locks of the queue: out of memory");
	}
	queue->next = device->queues;
	device->queues = queue;
	return 0;
}

void glk_queue_exit(struct gpulink_queue *queue)
{
	bool own = *queue->device->own;

	for (; queue->completed < queue->submitted; queue->completed++)
		(own ? glk_staging_close : glk_staging_abandon)(glk_queue_flight(queue, queue->completed)->staging);
	free(queue->stages);
	free(queue->done.items);
	if (glk_queue_is_shared(queue) && own) {
		pthread_mutex_destroy(&queue->lock.lock);
		pthread_cond_destroy(&queue->submission);
	}
}

static unsigned free_number(const struct gpulink *device)
{
	uint64_t used = 0;
	unsigned number = 0;

	for (const struct gpulink_queue *queue = device->queues; queue; queue = queue->next)
		used |= UINT64_C(1) << queue->number;
	while (used >> number & 1)
		number++;
	return number;
}

static int queue_open_queue(struct gpulink *device, bool rings, struct gpulink_queue *queue)
{
	unsigned number = free_number(device);
	void *backend;
	int error;

	if (number == GLK_QUEUES_MAX)
		return glk_error(-GPULINK_ENOSPC, "%u queues are open: at most %u, with the default queue", number,
				 GLK_QUEUES_MAX);
	error = device->ops->open_queue(device->backend, rings, &backend);
	if (error)
		return error;
	error = glk_queue_init(queue, device, number, rings, backend);
	if (error)
		device->ops->close(backend);
	return error;
}

int glk_queue_open(struct gpulink *device, bool rings, struct gpulink_queue **out)
{
	struct gpulink_queue *queue;
	int error = glk_device_check(device);

	if (error || !out)
		return error ? error : glk_error_null("queue");
	queue = malloc(sizeof(*queue));
	if (!queue)
		return glk_error(-GPULINK_ENOMEM, "queue: out of memory");
	glk_error_begin();
	glk_mutex_lock(&device->lock);
	error = queue_open_queue(device, rings, queue);
	glk_mutex_unlock(&device->lock);
	if (error)
		free(queue);
	else
		*out = queue;
	return glk_error_else(error, "queue of a %s device", device->info.kind);
}

static void close_views(struct gpulink_queue *queue)
{
	struct gpulink *device = queue->device;

	for (struct gpulink_window *window = device->windows; window; window = window->next) {
		struct glk_view *view = &window->views[queue->number];

		if (view->open)
			device->ops->window_close(queue->backend, &view->backend, window->bytes);
		view->open = false;
	}
	for (struct gpulink_memory *memory = device->memories; memory; memory = memory->next) {
		struct glk_share *share = &memory->shares[queue->number];

		if (share->open)
			device->ops->memory_close(queue->backend, share->handle);
		share->open = false;
	}
}

void gpulink_queue_close(struct gpulink_queue *queue)
{
	struct gpulink_queue **link;
	struct gpulink *device;

	if (glk_queue_check(queue) || glk_queue_is_shared(queue))
		return;
	device = queue->device;
	glk_mutex_lock(&device->lock);
	for (link = &device->queues; *link != queue; link = &(*link)->next)
		;
	*link = queue->next;
	close_views(queue);
	if (queue->stages)
		device->ops->memory_close(queue->backend, queue->stages_handle);
	device->ops->close(queue->backend);
	glk_mutex_unlock(&device->lock);
	glk_queue_exit(queue);
	free(queue);
}

int gpulink_queue_descriptor(struct gpulink_queue *queue)
{
	int error = glk_queue_check(queue), fd;

	if (error)
		return error;
	if (glk_queue_is_shared(queue))
		return glk_error(-GPULINK_ENOTSUP,
				 "the default queue has no descriptor: open a queue with gpulink_queue_open()");
	glk_error_begin();
	fd = queue->device->ops->descriptor(queue->backend);
	if (fd < 0)
		return glk_error_else(fd, "descriptor of the queue");
	queue->polled = true;
	/* Operations submitted before may not request an interrupt. */
	error = glk_queue_in_flight(queue) ? request_wakeup(queue, queue->submitted - 1) : 0;
	return error ? error : fd;
}
