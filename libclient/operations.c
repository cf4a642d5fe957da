// SPDX-License-Identifier: Apache-2.0
/* Ring operations: entries, submission, completions. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gpulink_regs.h>

#include "device.h"
#include "probes.h"
#include "staging.h"

#define ROOM_TIMEOUT_NS UINT64_C(1000000000) /* for room on the ring */
#define CHUNK		64u
#define NO_STAGE	(-1)

static const struct glk_flight nothing_to_do = { .stage = NO_STAGE };

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* --- completions --- */

static int code_of(uint32_t status)
{
	switch (status) {
	case GLK_ST_OK:
		return 0;
	case GLK_ST_WINDOW_BOUNDS:
	case GLK_ST_REGISTRATION_BOUNDS:
		return -GPULINK_ERANGE;
	case GLK_ST_PERMISSION:
		return -GPULINK_EACCES;
	case GLK_ST_LENGTH:
	case GLK_ST_ALIGNMENT:
	case GLK_ST_WINDOW:
	case GLK_ST_REGISTRATION:
		return -GPULINK_EINVAL;
	case GLK_ST_ENDPOINT:
		return -GPULINK_EENDPOINT;
	case GLK_ST_RESET:
		return -GPULINK_ERESET;
	case GLK_ST_DMA:
		return -GPULINK_EIO;
	default:
		return -GPULINK_EPROTO;
	}
}

/* The number of oldest entries in flight that include `tagged` ones with a tag, or all of those if there are fewer. */
static unsigned entries_with(const struct gpulink *device, unsigned tagged)
{
	unsigned entries = 0;

	for (unsigned i = 0; i < device->flight_count && tagged; i++)
		if (device->flight[(device->flight_head + i) % GLK_RING_MAX].tagged) {
			entries = i + 1;
			tagged--;
		}
	return entries;
}

/* Completes the oldest entry in flight. `done` has room: put_on_ring() limits the operations with a tag. */
static void complete(struct gpulink *device, const uint64_t word[GLK_CQE_WORDS])
{
	struct glk_done *done = &device->done;
	uint32_t status = (uint32_t)((word[GLK_CQE_STATUS_Q] & GLK_CQE_STATUS_MASK) >> GLK_CQE_STATUS_SHIFT);
	const struct glk_flight *flight = &device->flight[device->flight_head];
	int error = code_of(status);

	if (flight->stage != NO_STAGE)
		device->stage_busy[flight->stage] = false;
	if (flight->staged && !error)
		error = glk_staging_bring(flight->staged->staging, flight->offset, flight->bytes);
	device->flight_head = (device->flight_head + 1) % GLK_RING_MAX;
	device->flight_count--;
	if (error)
		GLK_PROBE2(failed, device, status);
	if (!flight->tagged) {
		if (!device->failed)
			device->failed = error;
		return;
	}
	done->items[(done->head + done->count++) % GPULINK_COMPLETIONS_MAX] = (struct gpulink_completion){
		.tag = word[GLK_CQE_TAG_Q],
		.error = error,
		.status = status,
		.bytes = (uint32_t)((word[GLK_CQE_LENGTH_Q] & GLK_CQE_LENGTH_MASK) >> GLK_CQE_LENGTH_SHIFT),
	};
}

/* Takes completions from the ring until those of `least` entries have arrived. Returns 0, or why there are fewer. */
static int collect(struct gpulink *device, unsigned least, uint64_t timeout_ns)
{
	uint64_t words[CHUNK][GLK_CQE_WORDS];
	uint64_t start = now_ns(), passed = 0;

	if (least > device->flight_count)
		least = device->flight_count;
	do {
		unsigned want = least < CHUNK ? least : CHUNK;
		int count = device->ops->wait(device->backend, words, CHUNK, want, timeout_ns - passed);

		if (count < 0)
			return count;
		if ((unsigned)count > device->flight_count)
			return -GPULINK_EPROTO;
		for (int i = 0; i < count; i++)
			complete(device, words[i]);
		least -= (unsigned)count < least ? (unsigned)count : least;
		passed = now_ns() - start;
	} while (least && passed < timeout_ns);
	return least ? -GPULINK_ETIMEDOUT : 0;
}

int glk_operations_settle(struct gpulink *device, uint64_t timeout_ns)
{
	unsigned tagged = device->owed - device->done.count;

	return device->flight_count > tagged ? collect(device, device->flight_count, timeout_ns) : 0;
}

/* Sleeps until another thread submits an operation with a tag. Under the lock, which is released meanwhile. */
static void sleep_for_submission(struct gpulink *device, uint64_t deadline)
{
	const struct timespec t = { .tv_sec = (time_t)(deadline / 1000000000u), .tv_nsec = (long)(deadline % 1000000000u) };

	device->sleepers++;
	pthread_cond_timedwait(&device->submitted, &device->lock, &t);
	device->sleepers--;
}

/* Takes completions until `least` are available, and any others if there is room. Under the lock. */
static int await(struct gpulink *device, unsigned room, unsigned least, uint64_t timeout_ns)
{
	const struct glk_done *done = &device->done;
	uint64_t start = now_ns(), passed = 0;

	for (;;) {
		int error = 0;

		if (done->count < room && device->flight_count)
			error = collect(device, done->count < least ? entries_with(device, least - done->count) : 0,
					timeout_ns - passed);
		if (error || done->count >= least)
			return error;
		passed = now_ns() - start;
		if (passed >= timeout_ns)
			return -GPULINK_ETIMEDOUT;
		sleep_for_submission(device, timeout_ns > UINT64_MAX - start ? UINT64_MAX : start + timeout_ns);
	}
}

int gpulink_wait(struct gpulink *device, struct gpulink_completion *completions, unsigned room, unsigned least,
		 uint64_t timeout_ns)
{
	struct glk_done *done;
	unsigned taken = 0;
	int error = glk_device_check(device), result;

	if (error)
		return error;
	if (!completions || room == 0 || least > room)
		return -GPULINK_EINVAL;
	done = &device->done;
	GLK_PROBE2(wait_begin, device, least);
	pthread_mutex_lock(&device->lock);
	error = await(device, room, least, timeout_ns);
	for (; taken < room && done->count; taken++) {
		completions[taken] = done->items[done->head];
		done->head = (done->head + 1) % GPULINK_COMPLETIONS_MAX;
		done->count--;
		device->owed--;
	}
	pthread_mutex_unlock(&device->lock);
	result = taken || !error ? (int)taken : error;
	GLK_PROBE2(wait_end, device, result);
	return result;
}

/* --- entries --- */

struct entry {
	uint64_t words[GLK_SQE_WORDS];
};

static struct entry make_entry(unsigned operation, const struct gpulink_window *window, uint64_t offset, size_t bytes,
			       uint64_t tag)
{
	struct entry e = { 0 };

	e.words[GLK_SQE_OPCODE_Q] = (uint64_t)operation << GLK_SQE_OPCODE_SHIFT |
				    (uint64_t)window->backend.handle << GLK_SQE_WINDOW_SHIFT |
				    (uint64_t)bytes << GLK_SQE_LENGTH_SHIFT;
	e.words[GLK_SQE_TAG_Q] = tag;
	e.words[GLK_SQE_WINDOW_OFFSET_Q] = offset;
	return e;
}

static void name_memory(struct entry *e, uint32_t handle, uint64_t offset)
{
	e->words[GLK_SQE_REGISTRATION_Q] = (uint64_t)handle << GLK_SQE_REGISTRATION_SHIFT |
					   offset << GLK_SQE_REGISTRATION_OFFSET_SHIFT;
}

/* Under the lock. */
static int put_on_ring(struct gpulink *device, const struct entry *e, const struct glk_flight *flight)
{
	bool tagged = e->words[GLK_SQE_TAG_Q] != GPULINK_NO_TAG;
	struct glk_flight *last;
	int taken = 0;

	if (tagged && device->owed == GPULINK_COMPLETIONS_MAX)
		return -GPULINK_EBUSY;
	while (device->flight_count == GLK_RING_MAX || !(taken = device->ops->submit(device->backend, e->words))) {
		int error = device->flight_count ? collect(device, 1, ROOM_TIMEOUT_NS) : -GPULINK_EPROTO;

		if (error)
			return error;
	}
	if (taken < 0)
		return taken;
	last = &device->flight[(device->flight_head + device->flight_count++) % GLK_RING_MAX];
	*last = *flight;
	last->tagged = tagged;
	device->owed += tagged;
	if (tagged && device->sleepers)
		pthread_cond_broadcast(&device->submitted);
	return 0;
}

static int submit(struct gpulink *device, const struct entry *e, const struct glk_flight *flight)
{
	int error;

	pthread_mutex_lock(&device->lock);
	error = put_on_ring(device, e, flight);
	pthread_mutex_unlock(&device->lock);
	return error;
}

static int check_window(const struct gpulink_window *window, uint64_t offset, uint64_t bytes, unsigned rights)
{
	if (!window || bytes == 0)
		return -GPULINK_EINVAL;
	if (!*window->own)
		return -GPULINK_EFORK;
	if (bytes > window->bytes || offset > window->bytes - bytes)
		return -GPULINK_ERANGE;
	return (window->rights & rights) == rights ? 0 : -GPULINK_EACCES;
}

static int check_memory(const struct gpulink_window *window, const struct gpulink_memory *memory, uint64_t offset,
			uint64_t bytes, unsigned right)
{
	if (!memory || memory->device != window->device)
		return -GPULINK_EINVAL;
	if (bytes > memory->bytes || offset > memory->bytes - bytes)
		return -GPULINK_ERANGE;
	return memory->rights & right ? 0 : -GPULINK_EACCES;
}

int gpulink_put(struct gpulink_window *window, uint64_t offset, const void *data, size_t bytes, uint64_t tag)
{
	int error = check_window(window, offset, bytes, GPULINK_WRITE);
	struct entry e;

	if (!data || bytes > GLK_INLINE_MAX_BYTES)
		return -GPULINK_EINVAL;
	if (error)
		return error;
	e = make_entry(GLK_OP_PUT_INLINE, window, offset, bytes, tag);
	memcpy(&e.words[GLK_SQE_DATA_Q], data, bytes);
	GLK_PROBE4(put, window->device, window->partition, window->offset + offset, bytes);
	return submit(window->device, &e, &nothing_to_do);
}

/* The flight of an entry that writes to a memory. */
static struct glk_flight flight_to(struct gpulink_memory *memory, uint64_t offset, size_t bytes)
{
	struct glk_flight flight = nothing_to_do;

	if (memory && memory->staging)
		flight = (struct glk_flight){ .stage = NO_STAGE, .staged = memory, .offset = offset, .bytes = bytes };
	return flight;
}

static int move(unsigned operation, struct gpulink_window *window, uint64_t offset, struct gpulink_memory *memory,
		uint64_t memory_offset, size_t bytes, uint64_t tag)
{
	bool put = operation == GLK_OP_PUT;
	int error = check_window(window, offset, bytes, put ? GPULINK_WRITE : GPULINK_READ);
	struct glk_flight flight;
	struct entry e;

	if (!error)
		error = check_memory(window, memory, memory_offset, bytes, put ? GPULINK_READ : GPULINK_WRITE);
	if (!error && bytes > GLK_PUT_MAX_BYTES)
		error = -GPULINK_EINVAL;
	/* Not under the lock: CPU reads of GPU memory are slow. */
	if (!error && put && memory->staging)
		error = glk_staging_fetch(memory->staging, memory_offset, bytes);
	if (error)
		return error;
	e = make_entry(operation, window, offset, bytes, tag);
	name_memory(&e, memory->handle, memory_offset);
	flight = put ? nothing_to_do : flight_to(memory, memory_offset, bytes);
	if (put)
		GLK_PROBE4(put, window->device, window->partition, window->offset + offset, bytes);
	else
		GLK_PROBE4(get, window->device, window->partition, window->offset + offset, bytes);
	return submit(window->device, &e, &flight);
}

int gpulink_put_memory(struct gpulink_window *window, uint64_t offset, struct gpulink_memory *memory,
		       uint64_t memory_offset, size_t bytes, uint64_t tag)
{
	return move(GLK_OP_PUT, window, offset, memory, memory_offset, bytes, tag);
}

int gpulink_get(struct gpulink_window *window, uint64_t offset, struct gpulink_memory *memory, uint64_t memory_offset,
		size_t bytes, uint64_t tag)
{
	return move(GLK_OP_GET, window, offset, memory, memory_offset, bytes, tag);
}

struct atomic {
	unsigned operation;
	uint64_t operand, compare;
};

static int submit_atomic(struct gpulink_window *window, uint64_t offset, size_t bytes, const struct atomic *atomic,
			 struct gpulink_memory *memory, uint64_t memory_offset, uint64_t tag)
{
	int error = check_window(window, offset, bytes, GPULINK_READ | GPULINK_WRITE);
	uint64_t most = bytes == 4 ? UINT32_MAX : UINT64_MAX;
	struct glk_flight flight;
	struct entry e;

	if (!error && ((bytes != 4 && bytes != 8) || offset % bytes || atomic->operand > most || atomic->compare > most))
		error = -GPULINK_EINVAL;
	if (!error && memory)
		error = check_memory(window, memory, memory_offset, bytes, GPULINK_WRITE);
	if (!error && !memory && memory_offset)
		error = -GPULINK_EINVAL;
	if (error)
		return error;
	e = make_entry(atomic->operation, window, offset, bytes, tag);
	name_memory(&e, memory ? memory->handle : GLK_NO_REGISTRATION, memory_offset);
	e.words[GLK_SQE_DATA_Q] = atomic->operand;
	e.words[GLK_SQE_DATA_Q + 1] = atomic->compare;
	flight = flight_to(memory, memory_offset, bytes);
	GLK_PROBE4(atomic, window->device, window->partition, window->offset + offset, bytes);
	return submit(window->device, &e, &flight);
}

int gpulink_fetch_add(struct gpulink_window *window, uint64_t offset, size_t bytes, uint64_t operand,
		      struct gpulink_memory *memory, uint64_t memory_offset, uint64_t tag)
{
	const struct atomic atomic = { GLK_OP_FETCH_ADD, operand, 0 };

	return submit_atomic(window, offset, bytes, &atomic, memory, memory_offset, tag);
}

int gpulink_swap(struct gpulink_window *window, uint64_t offset, size_t bytes, uint64_t operand,
		 struct gpulink_memory *memory, uint64_t memory_offset, uint64_t tag)
{
	const struct atomic atomic = { GLK_OP_SWAP, operand, 0 };

	return submit_atomic(window, offset, bytes, &atomic, memory, memory_offset, tag);
}

int gpulink_compare_swap(struct gpulink_window *window, uint64_t offset, size_t bytes, uint64_t compare,
			 uint64_t operand, struct gpulink_memory *memory, uint64_t memory_offset, uint64_t tag)
{
	const struct atomic atomic = { GLK_OP_CAS, operand, compare };

	return submit_atomic(window, offset, bytes, &atomic, memory, memory_offset, tag);
}

/* --- put vectors --- */

static size_t record_bytes(size_t bytes)
{
	return GLK_PUTV_RECORD_BYTES + (bytes + 7) / 8 * 8;
}

static int check_vector(const struct gpulink_window *window, const struct gpulink_vector *vector, size_t count,
			size_t *total)
{
	*total = 0;
	if (!window || !vector || count == 0 || count > GPULINK_VECTOR_BYTES / (GLK_PUTV_RECORD_BYTES + 8))
		return -GPULINK_EINVAL;
	for (size_t i = 0; i < count; i++) {
		int error = check_window(window, vector[i].offset, vector[i].bytes, GPULINK_WRITE);

		if (error)
			return error;
		if (!vector[i].data || vector[i].bytes > GLK_PAGE_SIZE)
			return -GPULINK_EINVAL;
		*total += record_bytes(vector[i].bytes);
	}
	return *total <= GPULINK_VECTOR_BYTES ? 0 : -GPULINK_EINVAL;
}

static int open_stages(struct gpulink *device)
{
	const size_t bytes = (size_t)GLK_STAGES * GPULINK_VECTOR_BYTES;
	uint8_t *stages;
	int error;

	if (device->stages)
		return 0;
	stages = aligned_alloc(GLK_PAGE_SIZE, bytes);
	if (!stages)
		return -GPULINK_ENOMEM;
	memset(stages, 0, bytes);
	error = device->ops->memory_open(device->backend, stages, bytes, GPULINK_READ, &device->stages_handle);
	if (error)
		free(stages);
	else
		device->stages = stages;
	return error;
}

/* Takes a free stage; waits for one. */
static int take_stage(struct gpulink *device)
{
	int error = open_stages(device);

	while (!error) {
		for (unsigned i = 0; i < GLK_STAGES; i++)
			if (!device->stage_busy[i])
				return (int)i;
		error = collect(device, 1, ROOM_TIMEOUT_NS);
	}
	return error;
}

static void lay_out(uint8_t *at, const struct gpulink_vector *vector, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t head = vector[i].offset << GLK_PUTV_RECORD_WINDOW_OFFSET_SHIFT |
				(uint64_t)vector[i].bytes << GLK_PUTV_RECORD_LENGTH_SHIFT;

		memcpy(at, &head, sizeof(head));
		memcpy(at + sizeof(head), vector[i].data, vector[i].bytes);
		memset(at + sizeof(head) + vector[i].bytes, 0, record_bytes(vector[i].bytes) - sizeof(head) - vector[i].bytes);
		at += record_bytes(vector[i].bytes);
	}
}

static void probe_vector(const struct gpulink_window *window, const struct gpulink_vector *vector, size_t count)
{
	for (size_t i = 0; i < count; i++)
		GLK_PROBE4(put, window->device, window->partition, window->offset + vector[i].offset, vector[i].bytes);
}

int gpulink_put_vector(struct gpulink_window *window, const struct gpulink_vector *vector, size_t count, uint64_t tag)
{
	struct gpulink *device;
	struct entry e;
	size_t total;
	int error = check_vector(window, vector, count, &total), stage;

	if (error)
		return error;
	device = window->device;
	if (GLK_PROBED(put))
		probe_vector(window, vector, count);
	e = make_entry(GLK_OP_PUTV, window, 0, total, tag);
	pthread_mutex_lock(&device->lock);
	stage = take_stage(device);
	error = stage < 0 ? stage : 0;
	if (!error) {
		lay_out(device->stages + (size_t)stage * GPULINK_VECTOR_BYTES, vector, count);
		name_memory(&e, device->stages_handle, (uint64_t)stage * GPULINK_VECTOR_BYTES);
		error = put_on_ring(device, &e, &(struct glk_flight){ .stage = stage });
		device->stage_busy[stage] = !error;
	}
	pthread_mutex_unlock(&device->lock);
	return error;
}

void glk_operations_forget(struct gpulink *device, const struct gpulink_memory *memory)
{
	for (unsigned i = 0; i < device->flight_count; i++) {
		struct glk_flight *flight = &device->flight[(device->flight_head + i) % GLK_RING_MAX];

		if (flight->staged == memory)
			flight->staged = NULL;
	}
}

void glk_operations_close(struct gpulink *device)
{
	if (device->stages)
		device->ops->memory_close(device->backend, device->stages_handle);
	free(device->stages);
}
