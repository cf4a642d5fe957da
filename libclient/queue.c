// SPDX-License-Identifier: Apache-2.0
/*
 * Queues: entries in flight, their completions, waits and releases. Completions arrive in the order of entries, so that one
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
#define CHECK_EVERY  64u  /* empty polls per check of the card's state by the kernel */
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

static bool is_shared(const struct gpulink_queue *queue)
{
	return queue->number == 0;
}

void glk_queue_lock(struct gpulink_queue *queue)
{
	if (is_shared(queue))
		glk_mutex_lock(&queue->lock);
}

void glk_queue_unlock(struct gpulink_queue *queue)
{
	if (is_shared(queue))
		glk_mutex_unlock(&queue->lock);
}

static struct glk_flight *flight_of(struct gpulink_queue *queue, uint64_t entry)
{
	return &queue->flight[entry % GLK_RING_MAX];
}

static unsigned in_flight(const struct gpulink_queue *queue)
{
	return (unsigned)(queue->submitted - queue->completed);
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
		if (flight_of(queue, entry)->region == region)
			flight_of(queue, entry)->region = NULL;
}

/* Completes the oldest entry in flight. `done` has room: glk_queue_submit() limits the operations with a tag. */
static void complete(struct gpulink_queue *queue, const uint64_t word[GLK_CQE_WORDS])
{
	const struct glk_flight *flight = flight_of(queue, queue->completed);
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
		if (count > (int)in_flight(queue))
			return glk_error(-GPULINK_EPROTO, "%d completions of %u operations: protocol violation by the card",
					 count, in_flight(queue));
		for (int i = 0; i < count; i++)
			complete(queue, words[i]);
		taken += count > 0 ? count : 0;
	} while (count == (int)CHUNK);
	return taken || count >= 0 ? taken : count;
}

/* --- waits --- */

static int add(struct gpulink_queue *queue, const uint64_t entry[GLK_SQE_WORDS], const struct glk_flight *flight, bool wake)
{
	uint64_t words[GLK_SQE_WORDS];
	int taken;

	memcpy(words, entry, sizeof(words));
	wake |= (queue->submitted + 1) % WAKE_EVERY == 0;
	if (wake)
		words[GLK_SQE_FLAGS_Q] |= (uint64_t)GLK_FLAG_INTERRUPT << GLK_SQE_FLAGS_SHIFT;
	/* Before the entry is on the ring: its completion may follow at once. */
	*flight_of(queue, queue->submitted) = *flight;
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

	if (queue->woken > entry || in_flight(queue) == GLK_RING_MAX)
		return 0; /* a full ring has such an entry, and the driver polls */
	taken = add(queue, nop, &wakeup, true);
	return taken < 0 ? taken : 0;
}

/* Sleeps until the entry has completed, or for a while. */
static int sleep_for(struct gpulink_queue *queue, uint64_t entry, uint64_t deadline)
{
	uint64_t most = is_shared(queue) ? SHARED_SLEEP_MAX_NS : SLEEP_MAX_NS, now;
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

/* Of waits as long as the caller says: they end now and then for a cancellation point. */
static uint64_t next_end(uint64_t deadline)
{
	uint64_t end = glk_deadline(GLK_CANCEL_NS);

	return end < deadline ? end : deadline;
}

/* Behind a wait until `end` that may not be the last one: a cancellation point. Returns 0 to go on. */
static int continue_wait(struct gpulink_queue *queue, int error, uint64_t end, uint64_t deadline, int state)
{
	if (error && (error != -GPULINK_ETIMEDOUT || end >= deadline))
		return error;
	glk_queue_unlock(queue);
	glk_cancel_point(state);
	glk_queue_lock(queue);
	return 0;
}

int glk_queue_reserve(struct gpulink_queue *queue, unsigned count)
{
	uint64_t deadline;
	int error = 0;

	if (!queue->has_rings)
		return glk_batch_reserve(queue, count);
	if (in_flight(queue) + count <= GLK_OPERATIONS)
		return 0;
	deadline = glk_deadline(GLK_ROOM_TIMEOUT_NS);
	while (!error && in_flight(queue) + count > GLK_OPERATIONS)
		error = glk_queue_await(queue, queue->submitted + count - GLK_OPERATIONS, deadline);
	return error == -GPULINK_ETIMEDOUT ? glk_error(error, "the ring had no room within 1 s") : error;
}

/* Adds an entry, when the ring has room. */
static int add_in_time(struct gpulink_queue *queue, const uint64_t entry[GLK_SQE_WORDS], const struct glk_flight *flight,
		       bool wake)
{
	uint64_t deadline = 0;
	int taken = 0, error = 0;

	while (!error && (in_flight(queue) == GLK_RING_MAX || !(taken = add(queue, entry, flight, wake)))) {
		deadline = deadline ? deadline : glk_deadline(GLK_ROOM_TIMEOUT_NS);
		error = in_flight(queue) ? glk_queue_await(queue, queue->completed + 1, deadline) : -GPULINK_EPROTO;
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
	if (own.tagged && is_shared(queue) && queue->sleepers)
		pthread_cond_broadcast(&queue->submission);
	return 0;
}

/* The count of completed entries at which `tagged` more ones with a tag are complete, or all of those if there are fewer. */
static uint64_t count_with(struct gpulink_queue *queue, unsigned tagged)
{
	uint64_t count = queue->completed;

	for (uint64_t entry = queue->completed; entry < queue->submitted && tagged; entry++)
		if (flight_of(queue, entry)->tagged) {
			count = entry + 1;
			tagged--;
		}
	return count;
}

/* Sleeps until another thread submits an operation with a tag. */
static int sleep_for_submission(struct gpulink_queue *queue, uint64_t deadline)
{
	const struct timespec t = { .tv_sec = (time_t)(deadline / 1000000000u), .tv_nsec = (long)(deadline % 1000000000u) };

	if (glk_now_ns() >= deadline)
		return -GPULINK_ETIMEDOUT;
	queue->sleepers++;
	glk_mutex_wait(&queue->lock, &queue->submission, &t);
	queue->sleepers--;
	return 0;
}

/* Polls: the card's state too, now and then; if poll() may have returned for that, always. */
static int look(struct gpulink_queue *queue)
{
	int taken = glk_queue_take(queue), error;

	if (taken || (!queue->polled && (!in_flight(queue) || ++queue->looks % CHECK_EVERY)))
		return taken;
	error = queue->device->ops->sleep(queue->backend, queue->completed, 0);
	return error == -GPULINK_ETIMEDOUT ? 0 : error;
}

/* Takes completions until `least` are available. `state`: for cancellation points. */
static int await_tagged(struct gpulink_queue *queue, unsigned room, unsigned least, uint64_t timeout_ns, int state)
{
	const struct glk_done *done = &queue->done;
	uint64_t deadline = least ? glk_deadline(timeout_ns) : 0, end;
	int error = done->count < room ? look(queue) : 0;

	while (error >= 0 && done->count < least) {
		end = next_end(deadline);
		if (queue->owed > done->count)
			error = glk_queue_await(queue, count_with(queue, least - done->count), end);
		else if (is_shared(queue))
			error = sleep_for_submission(queue, end);
		else
			return 0; /* nobody else submits */
		error = continue_wait(queue, error, end, deadline, state);
	}
	return done->count && done->count >= least ? 0 : error;
}

int gpulink_queue_wait(struct gpulink_queue *queue, struct gpulink_completion *completions, unsigned room, unsigned least,
		       uint64_t timeout_ns)
{
	int error = glk_queue_check(queue), result;
	GLK_UNCANCELLABLE(state);
	struct glk_done *done;
	unsigned taken = 0;

	if (error)
		return error;
	if (!completions || room == 0 || least > room)
		return glk_error(-GPULINK_EINVAL,
				 "room for %u completions, least %u: room must be 1 or more and least at most room", room,
				 least);
	if (!queue->has_rings)
		return glk_error(-GPULINK_ENOTSUP, "wait: not by a queue of gpulink_uring_queue_open()");
	done = &queue->done;
	GLK_PROBE2(wait_begin, queue, least);
	glk_queue_lock(queue);
	error = await_tagged(queue, room, least, timeout_ns, state);
	for (; taken < room && done->count; taken++) {
		completions[taken] = done->items[done->head];
		done->head = (done->head + 1) % GPULINK_COMPLETIONS_MAX;
		done->count--;
		queue->owed--;
	}
	glk_queue_unlock(queue);
	result = taken || error >= 0 ? (int)taken : glk_error_plain(error);
	GLK_PROBE2(wait_end, queue, result);
	return result;
}

/* --- releases --- */

static const uint64_t release_entry[GLK_SQE_WORDS] = { GLK_OP_RELEASE };

/* A release that a thread waits for. */
struct pending {
	struct gpulink_queue *queue;
	uint64_t entry;
	struct glk_result result;
};

/* Its error goes to the next release. Under the lock. */
static void pass_on(struct pending *pending)
{
	if (!pending->result.complete)
		flight_of(pending->queue, pending->entry)->result = NULL;
}

static void cancel_release(void *pending)
{
	struct gpulink_queue *queue = ((struct pending *)pending)->queue;

	glk_queue_lock(queue);
	pass_on(pending);
	glk_queue_unlock(queue);
}

static int await_release(struct pending *pending, uint64_t deadline, int state)
{
	int error;

	pthread_cleanup_push(cancel_release, pending);
	do {
		uint64_t end = next_end(deadline);

		error = glk_queue_await(pending->queue, pending->entry + 1, end);
		error = error ? continue_wait(pending->queue, error, end, deadline, state) : 0;
	} while (!error && !pending->result.complete);
	pthread_cleanup_pop(0);
	pass_on(pending);
	return error;
}

static __attribute__((cold)) int release_failed(int error, uint64_t timeout_ns)
{
	if (error == -GPULINK_ETIMEDOUT)
		return glk_error(error, "release: not complete within %" PRIu64 " ns", timeout_ns);
	return glk_error(error, "release, or a store or operation before it: %s", gpulink_strerror(error));
}

int gpulink_queue_release(struct gpulink_queue *queue, uint64_t timeout_ns)
{
	struct pending pending = { .queue = queue };
	const struct glk_flight flight = { .kind = GLK_KIND_RELEASE, .stage = NO_STAGE, .result = &pending.result };
	int error = glk_queue_check(queue);
	uint64_t deadline, number;
	GLK_UNCANCELLABLE(state);

	if (error)
		return error;
	if (timeout_ns == 0)
		return glk_error_null("timeout");
	number = is_shared(queue) ? glk_release_begin(queue->device) : 0;
	deadline = glk_deadline(timeout_ns);
	GLK_PROBE2(release_begin, queue, queue->number);
	glk_queue_lock(queue);
	error = glk_queue_submit(queue, release_entry, &flight, true);
	if (!error) {
		pending.entry = queue->submitted - 1;
		error = await_release(&pending, deadline, state);
	}
	glk_queue_unlock(queue);
	error = pending.result.complete ? pending.result.error : error;
	if (!error && is_shared(queue))
		glk_release_end(queue->device, number);
	GLK_PROBE2(release_end, queue, error);
	return error ? release_failed(error, timeout_ns) : 0;
}

int gpulink_queue_post_release(struct gpulink_queue *queue, uint64_t tag)
{
	struct glk_flight flight = { .kind = GLK_KIND_RELEASE, .tagged = tag != GPULINK_NO_TAG, .stage = NO_STAGE };
	uint64_t entry[GLK_SQE_WORDS] = { GLK_OP_RELEASE };
	int error = glk_queue_check(queue);

	if (error)
		return error;
	entry[GLK_SQE_TAG_Q] = tag;
	GLK_PROBE2(release_post, queue, queue->number);
	glk_queue_lock(queue);
	error = glk_queue_submit(queue, entry, &flight, false);
	glk_queue_unlock(queue);
	return error;
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
	if (is_shared(queue) && init_locks(queue)) {
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
		(own ? glk_staging_close : glk_staging_abandon)(flight_of(queue, queue->completed)->staging);
	free(queue->stages);
	free(queue->done.items);
	if (is_shared(queue) && own) {
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

static int open_queue(struct gpulink *device, bool rings, struct gpulink_queue *queue)
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
	error = open_queue(device, rings, queue);
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

	if (glk_queue_check(queue) || is_shared(queue))
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
	if (is_shared(queue))
		return glk_error(-GPULINK_ENOTSUP,
				 "the default queue has no descriptor: open a queue with gpulink_queue_open()");
	glk_error_begin();
	fd = queue->device->ops->descriptor(queue->backend);
	if (fd < 0)
		return glk_error_else(fd, "descriptor of the queue");
	queue->polled = true;
	/* Operations submitted before may not request an interrupt. */
	error = in_flight(queue) ? request_wakeup(queue, queue->submitted - 1) : 0;
	return error ? error : fd;
}
