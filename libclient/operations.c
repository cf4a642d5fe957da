// SPDX-License-Identifier: Apache-2.0
/* Operations of queues: their entries on the ring. */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include <gpulink_regs.h>

#include "device.h"
#include "probes.h"

#define NO_STAGE (-1)

static const struct glk_flight nothing_to_do = { .stage = NO_STAGE };

struct entry {
	uint64_t words[GLK_SQE_WORDS];
};

static struct entry make_entry(unsigned operation, uint64_t offset, size_t bytes, uint64_t tag)
{
	struct entry e = { 0 };

	e.words[GLK_SQE_OPCODE_Q] = (uint64_t)operation << GLK_SQE_OPCODE_SHIFT | (uint64_t)bytes << GLK_SQE_LENGTH_SHIFT;
	e.words[GLK_SQE_TAG_Q] = tag;
	e.words[GLK_SQE_WINDOW_OFFSET_Q] = offset;
	return e;
}

/* Names the window as the queue's context has it. */
static int name_window(struct entry *e, struct gpulink_queue *queue, struct gpulink_window *window)
{
	const struct glk_view *view;
	int error = glk_window_view(window, queue, &view);

	if (!error)
		e->words[GLK_SQE_WINDOW_Q] |= (uint64_t)view->backend.handle << GLK_SQE_WINDOW_SHIFT;
	return error;
}

static void name_registration(struct entry *e, uint32_t handle, uint64_t offset)
{
	e->words[GLK_SQE_REGISTRATION_Q] = (uint64_t)handle << GLK_SQE_REGISTRATION_SHIFT |
					   offset << GLK_SQE_REGISTRATION_OFFSET_SHIFT;
}

static int name_memory(struct entry *e, struct gpulink_queue *queue, struct gpulink_memory *memory, uint64_t offset)
{
	uint32_t handle;
	int error = glk_memory_handle(memory, queue, &handle);

	if (!error)
		name_registration(e, handle, offset);
	return error;
}

static int check_window(const struct gpulink_queue *queue, const struct gpulink_window *window, uint64_t offset, uint64_t bytes,
			unsigned rights)
{
	if (!queue || !window || queue->device != window->device)
		return glk_error_object("window");
	if (bytes == 0)
		return glk_error_null("bytes");
	if (!*window->own)
		return glk_error_device(queue->device);
	if (bytes > window->bytes || offset > window->bytes - bytes)
		return glk_error_range("window", offset, bytes, window->bytes);
	return (window->rights & rights) == rights ? 0 : glk_error_rights("window", window->rights, rights);
}

static int check_memory(const struct gpulink_window *window, const struct gpulink_memory *memory, uint64_t offset,
			uint64_t bytes, unsigned right)
{
	if (!memory || memory->device != window->device)
		return glk_error_object("memory");
	if (bytes > memory->bytes || offset > memory->bytes - bytes)
		return glk_error_range("memory", offset, bytes, memory->bytes);
	return memory->rights & right ? 0 : glk_error_rights("memory", memory->rights, right);
}

/* Names window and memory, unless it is NULL, and submits. */
static int submit(struct gpulink_queue *queue, struct gpulink_window *window, struct entry *e, struct gpulink_memory *memory,
		  uint64_t memory_offset, const struct glk_flight *flight)
{
	int error;

	glk_queue_lock(queue);
	error = name_window(e, queue, window);
	if (!error && memory)
		error = name_memory(e, queue, memory, memory_offset);
	if (!error)
		error = glk_queue_submit(queue, e->words, flight, false);
	glk_queue_unlock(queue);
	if (error)
		glk_staging_close(flight->staging);
	return error;
}

int glk_put_inline(struct gpulink_queue *queue, struct gpulink_window *window, uint64_t offset, const void *data, size_t bytes,
		   uint64_t tag, const struct glk_flight *flight)
{
	int error = check_window(queue, window, offset, bytes, GPULINK_WRITE);
	struct entry e;

	if (!data || bytes > GLK_INLINE_MAX_BYTES)
		return glk_error(-GPULINK_EINVAL, "put of %zu bytes%s: must be 1 to %u, not at NULL", bytes,
				 data ? "" : " at NULL", GLK_INLINE_MAX_BYTES);
	if (error)
		return error;
	e = make_entry(GLK_OP_PUT_INLINE, offset, bytes, tag);
	memcpy(&e.words[GLK_SQE_DATA_Q], data, bytes);
	for (unsigned i = GLK_SQE_DATA_Q; i < GLK_SQE_WORDS; i++)
		e.words[i] = le64toh(e.words[i]); /* bytes, in entries of words */
	GLK_PROBE4(put, queue, window->endpoint.partition, window->offset + offset, bytes);
	return submit(queue, window, &e, NULL, 0, flight);
}

int gpulink_queue_put(struct gpulink_queue *queue, struct gpulink_window *window, uint64_t offset, const void *data,
		      size_t bytes, uint64_t tag)
{
	return glk_put_inline(queue, window, offset, data, bytes, tag, &nothing_to_do);
}

/* The flight of an entry that writes to a memory. */
static struct glk_flight flight_to(struct gpulink_memory *memory, uint64_t offset, size_t bytes)
{
	return (struct glk_flight){ .stage = NO_STAGE, .staging = memory ? glk_staging_get(memory->staging) : NULL,
				    .offset = offset, .bytes = (uint32_t)bytes };
}

int glk_put_memory(struct gpulink_queue *queue, struct gpulink_window *window, uint64_t offset, struct gpulink_memory *memory,
		   uint64_t memory_offset, size_t bytes, uint64_t tag, const struct glk_flight *flight)
{
	int error = check_window(queue, window, offset, bytes, GPULINK_WRITE);
	struct entry e;

	if (!error)
		error = check_memory(window, memory, memory_offset, bytes, GPULINK_READ);
	if (!error && bytes > GLK_PUT_MAX_BYTES)
		error = glk_error(-GPULINK_EINVAL, "%zu bytes: must be 1 to %u", bytes, GLK_PUT_MAX_BYTES);
	/* Not under the lock: CPU reads of GPU memory are slow. */
	if (!error && memory->staging)
		error = glk_staging_fetch(memory->staging, memory_offset, bytes);
	if (error)
		return error;
	e = make_entry(GLK_OP_PUT, offset, bytes, tag);
	GLK_PROBE4(put, queue, window->endpoint.partition, window->offset + offset, bytes);
	return submit(queue, window, &e, memory, memory_offset, flight);
}

int gpulink_queue_put_memory(struct gpulink_queue *queue, struct gpulink_window *window, uint64_t offset,
			     struct gpulink_memory *memory, uint64_t memory_offset, size_t bytes, uint64_t tag)
{
	return glk_put_memory(queue, window, offset, memory, memory_offset, bytes, tag, &nothing_to_do);
}

int gpulink_queue_get(struct gpulink_queue *queue, struct gpulink_window *window, uint64_t offset,
		      struct gpulink_memory *memory, uint64_t memory_offset, size_t bytes, uint64_t tag)
{
	int error = check_window(queue, window, offset, bytes, GPULINK_READ);
	struct glk_flight flight;
	struct entry e;

	if (!error)
		error = check_memory(window, memory, memory_offset, bytes, GPULINK_WRITE);
	if (!error && bytes > GLK_PUT_MAX_BYTES)
		error = glk_error(-GPULINK_EINVAL, "%zu bytes: must be 1 to %u", bytes, GLK_PUT_MAX_BYTES);
	if (error)
		return error;
	e = make_entry(GLK_OP_GET, offset, bytes, tag);
	GLK_PROBE4(get, queue, window->endpoint.partition, window->offset + offset, bytes);
	flight = flight_to(memory, memory_offset, bytes);
	return submit(queue, window, &e, memory, memory_offset, &flight);
}

struct atomic {
	unsigned operation;
	uint64_t operand, compare;
};

static int check_atomic(const struct gpulink_queue *queue, const struct gpulink_window *window, uint64_t offset, size_t bytes,
			const struct atomic *atomic)
{
	uint64_t most = bytes == 4 ? UINT32_MAX : UINT64_MAX;
	int error = check_window(queue, window, offset, bytes, GPULINK_READ | GPULINK_WRITE);

	if (!error && ((bytes != 4 && bytes != 8) || offset % bytes || atomic->operand > most || atomic->compare > most))
		error = glk_error_atomic(offset, bytes);
	return error;
}

static struct entry make_atomic(uint64_t offset, size_t bytes, const struct atomic *atomic, uint64_t tag)
{
	struct entry e = make_entry(atomic->operation, offset, bytes, tag);

	name_registration(&e, GLK_NO_REGISTRATION, 0);
	e.words[GLK_SQE_DATA_Q] = atomic->operand;
	e.words[GLK_SQE_DATA_Q + 1] = atomic->compare;
	return e;
}

static int submit_atomic(struct gpulink_queue *queue, struct gpulink_window *window, uint64_t offset, size_t bytes,
			 const struct atomic *atomic, struct gpulink_memory *memory, uint64_t memory_offset, uint64_t tag)
{
	int error = check_atomic(queue, window, offset, bytes, atomic);
	struct glk_flight flight;
	struct entry e;

	if (!error && memory)
		error = check_memory(window, memory, memory_offset, bytes, GPULINK_WRITE);
	if (!error && !memory && memory_offset)
		error = glk_error(-GPULINK_EINVAL, "memory offset %" PRIu64 ": must be 0 without a memory", memory_offset);
	if (error)
		return error;
	e = make_atomic(offset, bytes, atomic, tag);
	GLK_PROBE4(atomic, queue, window->endpoint.partition, window->offset + offset, bytes);
	flight = flight_to(memory, memory_offset, bytes);
	return submit(queue, window, &e, memory, memory_offset, &flight);
}

int gpulink_queue_fetch_add(struct gpulink_queue *queue, struct gpulink_window *window, uint64_t offset, size_t bytes,
			    uint64_t operand, struct gpulink_memory *memory, uint64_t memory_offset, uint64_t tag)
{
	const struct atomic atomic = { GLK_OP_FETCH_ADD, operand, 0 };

	return submit_atomic(queue, window, offset, bytes, &atomic, memory, memory_offset, tag);
}

int gpulink_queue_swap(struct gpulink_queue *queue, struct gpulink_window *window, uint64_t offset, size_t bytes,
		       uint64_t operand, struct gpulink_memory *memory, uint64_t memory_offset, uint64_t tag)
{
	const struct atomic atomic = { GLK_OP_SWAP, operand, 0 };

	return submit_atomic(queue, window, offset, bytes, &atomic, memory, memory_offset, tag);
}

int gpulink_queue_compare_swap(struct gpulink_queue *queue, struct gpulink_window *window, uint64_t offset, size_t bytes,
			       uint64_t compare, uint64_t operand, struct gpulink_memory *memory, uint64_t memory_offset,
			       uint64_t tag)
{
	const struct atomic atomic = { GLK_OP_CAS, operand, compare };

	return submit_atomic(queue, window, offset, bytes, &atomic, memory, memory_offset, tag);
}

/* --- signals --- */

static int check_signal(const struct gpulink_queue *queue, const struct gpulink_signal *signal, struct atomic *atomic)
{
	if (!signal || (signal->operation != GPULINK_SIGNAL_SET && signal->operation != GPULINK_SIGNAL_ADD))
		return glk_error(-GPULINK_EINVAL, "signal: must not be NULL, its operation GPULINK_SIGNAL_SET or _ADD");
	*atomic = (struct atomic){ signal->operation == GPULINK_SIGNAL_SET ? GLK_OP_SWAP : GLK_OP_FETCH_ADD, signal->value, 0 };
	return check_atomic(queue, signal->window, signal->offset, 8, atomic);
}

/* The card executes entries in order, and none behind a release before that is complete. */
static int submit_signal(struct gpulink_queue *queue, const struct gpulink_signal *signal, const struct atomic *atomic,
			 uint64_t tag)
{
	static const uint64_t release[GLK_SQE_WORDS] = { GLK_OP_RELEASE };
	const struct glk_flight before = { .kind = GLK_KIND_SIGNAL_RELEASE, .stage = NO_STAGE };
	const struct glk_flight flight = { .signal = true, .stage = NO_STAGE };
	struct entry e = make_atomic(signal->offset, 8, atomic, tag);
	int error = name_window(&e, queue, signal->window);

	GLK_PROBE2(release_post, queue, queue->number);
	GLK_PROBE4(atomic, queue, signal->window->endpoint.partition, signal->window->offset + signal->offset, 8);
	/* Nothing may separate the two entries, or leave the first without the second. */
	if (!error)
		error = glk_queue_reserve(queue, 2);
	if (!error && tag != GPULINK_NO_TAG && queue->owed == GPULINK_COMPLETIONS_MAX)
		error = glk_queue_owes();
	if (!error)
		error = glk_queue_submit(queue, release, &before, false);
	return error ? error : glk_queue_submit(queue, e.words, &flight, false);
}

int gpulink_queue_signal(struct gpulink_queue *queue, const struct gpulink_signal *signal, uint64_t tag)
{
	struct atomic atomic;
	int error = check_signal(queue, signal, &atomic);

	if (error)
		return error;
	glk_queue_lock(queue);
	error = submit_signal(queue, signal, &atomic, tag);
	glk_queue_unlock(queue);
	return error;
}

int gpulink_queue_put_signal(struct gpulink_queue *queue, struct gpulink_window *window, uint64_t offset,
			     struct gpulink_memory *memory, uint64_t memory_offset, size_t bytes,
			     const struct gpulink_signal *signal, uint64_t tag)
{
	struct atomic atomic;
	int error = check_signal(queue, signal, &atomic);

	if (!error)
		error = gpulink_queue_put_memory(queue, window, offset, memory, memory_offset, bytes, GPULINK_NO_TAG);
	return error ? error : gpulink_queue_signal(queue, signal, tag);
}

/* --- put vectors --- */

static size_t record_bytes(size_t bytes)
{
	return GLK_PUTV_RECORD_BYTES + (bytes + 7) / 8 * 8;
}

static int check_vector(const struct gpulink_queue *queue, const struct gpulink_window *window,
			const struct gpulink_vector *vector, size_t count, size_t *total)
{
	*total = 0;
	if (!window || !vector || count == 0 || count > GPULINK_VECTOR_BYTES / (GLK_PUTV_RECORD_BYTES + 8))
		return glk_error(-GPULINK_EINVAL, "put vector of %zu stores: must be 1 to %u, window and vector not NULL",
				 count, GPULINK_VECTOR_BYTES / (GLK_PUTV_RECORD_BYTES + 8));
	for (size_t i = 0; i < count; i++) {
		int error = check_window(queue, window, vector[i].offset, vector[i].bytes, GPULINK_WRITE);

		if (error)
			return error;
		if (!vector[i].data || vector[i].bytes > GLK_PAGE_SIZE)
			return glk_error(-GPULINK_EINVAL, "store %zu of the vector, %zu bytes%s: must be 1 to %u, not at NULL",
					 i, vector[i].bytes, vector[i].data ? "" : " at NULL", GLK_PAGE_SIZE);
		*total += record_bytes(vector[i].bytes);
	}
	return *total <= GPULINK_VECTOR_BYTES ? 0 :
		glk_error(-GPULINK_EINVAL, "put vector of %zu bytes: must be at most %u", *total, GPULINK_VECTOR_BYTES);
}

static int open_stages(struct gpulink_queue *queue)
{
	const size_t bytes = (size_t)GLK_STAGES * GPULINK_VECTOR_BYTES;
	struct gpulink *device = queue->device;
	uint8_t *stages;
	int error;

	if (queue->stages)
		return 0;
	stages = aligned_alloc(GLK_PAGE_SIZE, bytes);
	if (!stages)
		return glk_error(-GPULINK_ENOMEM, "buffers of put vectors: out of memory");
	memset(stages, 0, bytes);
	glk_mutex_lock(&device->lock);
	error = device->ops->memory_open(queue->backend, stages, bytes, GPULINK_READ, &queue->stages_handle);
	glk_mutex_unlock(&device->lock);
	if (error)
		free(stages);
	else
		queue->stages = stages;
	return error;
}

/* Takes a free stage; waits for one. */
static int take_stage(struct gpulink_queue *queue)
{
	uint64_t deadline = glk_deadline(GLK_ROOM_TIMEOUT_NS);
	int error = open_stages(queue);

	while (!error) {
		for (unsigned i = 0; i < GLK_STAGES; i++)
			if (!queue->stage_busy[i]) {
				queue->stage_busy[i] = true;
				return (int)i;
			}
		error = glk_queue_await(queue, queue->completed + 1, deadline);
	}
	return error;
}

static void lay_out(uint8_t *at, const struct gpulink_vector *vector, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t head = htole64(vector[i].offset << GLK_PUTV_RECORD_WINDOW_OFFSET_SHIFT |
					(uint64_t)vector[i].bytes << GLK_PUTV_RECORD_LENGTH_SHIFT);

		memcpy(at, &head, sizeof(head));
		memcpy(at + sizeof(head), vector[i].data, vector[i].bytes);
		memset(at + sizeof(head) + vector[i].bytes, 0, record_bytes(vector[i].bytes) - sizeof(head) - vector[i].bytes);
		at += record_bytes(vector[i].bytes);
	}
}

static void probe_vector(const struct gpulink_queue *queue, const struct gpulink_window *window,
			 const struct gpulink_vector *vector, size_t count)
{
	for (size_t i = 0; i < count; i++)
		GLK_PROBE4(put, queue, window->endpoint.partition, window->offset + vector[i].offset, vector[i].bytes);
}

int gpulink_queue_put_vector(struct gpulink_queue *queue, struct gpulink_window *window, const struct gpulink_vector *vector,
			     size_t count, uint64_t tag)
{
	struct entry e;
	size_t total;
	int error = check_vector(queue, window, vector, count, &total), stage;

	if (error)
		return error;
	if (GLK_PROBED(put))
		probe_vector(queue, window, vector, count);
	e = make_entry(GLK_OP_PUTV, 0, total, tag);
	glk_queue_lock(queue);
	error = name_window(&e, queue, window);
	stage = error ? error : take_stage(queue);
	if (stage >= 0) {
		lay_out(queue->stages + (size_t)stage * GPULINK_VECTOR_BYTES, vector, count);
		name_registration(&e, queue->stages_handle, (uint64_t)stage * GPULINK_VECTOR_BYTES);
		error = glk_queue_submit(queue, e.words, &(struct glk_flight){ .stage = stage }, false);
		if (error)
			queue->stage_busy[stage] = false;
	}
	glk_queue_unlock(queue);
	return stage < 0 ? stage : error;
}
