// SPDX-License-Identifier: Apache-2.0
/* Calls that wait for a queue as long as their caller says: for completions, and for releases. */
#include <gpulink_regs.h>

#include "device.h"
#include "probes.h"

#define CHECK_EVERY 64u /* empty polls per check of the card's state by the kernel */
#define NO_STAGE    (-1)

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

/* --- completions --- */

/* The count of completed entries at which `tagged` more ones with a tag are complete, or all of those if there are fewer. */
static uint64_t count_with(struct gpulink_queue *queue, unsigned tagged)
{
	uint64_t count = queue->completed;

	for (uint64_t entry = queue->completed; entry < queue->submitted && tagged; entry++)
		if (glk_queue_flight(queue, entry)->tagged) {
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
static int queue_wait_look(struct gpulink_queue *queue)
{
	int taken = glk_queue_take(queue), error;

	if (taken || (!queue->polled && (!glk_queue_in_flight(queue) || ++queue->looks % CHECK_EVERY)))
		return taken;
	error = queue->device->ops->sleep(queue->backend, queue->completed, 0);
	return error == -GPULINK_ETIMEDOUT ? 0 : error;
}

/* Takes completions until `least` are available. `state`: for cancellation points. */
static int await_tagged(struct gpulink_queue *queue, unsigned room, unsigned least, uint64_t timeout_ns, int state)
{
	const struct glk_done *done = &queue->done;
	uint64_t deadline = least ? glk_deadline(timeout_ns) : 0, end;
	int error = done->count < room ? queue_wait_look(queue) : 0;

	while (error >= 0 && done->count < least) {
		end = next_end(deadline);
		if (queue->owed > done->count)
			error = glk_queue_await(queue, count_with(queue, least - done->count), end);
		else if (glk_queue_is_shared(queue))
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
		glk_queue_flight(pending->queue, pending->entry)->result = NULL;
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
	number = glk_queue_is_shared(queue) ? glk_release_begin(queue->device) : 0;
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
	if (!error && glk_queue_is_shared(queue))
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
