// SPDX-License-Identifier: Apache-2.0
/*
 * The soft device: the model in the process, programmed through its registers as the driver programs a card. Virtual
 * addresses of the process serve as bus addresses, and the link is a loopback.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include <card/card.h>
#include <gpulink_regs.h>

#include "../backend.h"
#include "soft_options.h"

#define SLICES	      1024u
#define SHIFT_MIN     20u
#define RING_ORDER    8u
#define RING_ENTRIES  (1u << RING_ORDER)
#define REGISTRATIONS 1024u
#define MEMORY_BYTES  (UINT64_C(1) << 40) /* maximum of one registration, as on a card */

_Static_assert(RING_ENTRIES == GLK_RING_MAX, "the rings have one size");

struct registration {
	uint64_t *pages; /* NULL: free */
};

struct soft {
	struct glk_card *card;
	struct glk_soft_options options;
	unsigned slice_shift;
	uint8_t *endpoints[GLK_PARTITION_COUNT];
	bool slice_used[SLICES];
	struct registration registrations[REGISTRATIONS];
	uint64_t (*sq)[GLK_SQE_WORDS];
	uint64_t (*cq)[GLK_CQE_WORDS];
	uint64_t *record; /* GLK_COMPLETION_RECORD_BYTES */
	uint16_t sq_tail, cq_head; /* free running */
	uint64_t releases;
};

/* --- the model's platform --- */

static int on_dma_read(void *platform, uint64_t address, void *data, size_t len)
{
	(void)platform;
	memcpy(data, (const void *)(uintptr_t)address, len);
	return 0;
}

static int on_dma_write(void *platform, uint64_t address, const void *data, size_t len)
{
	(void)platform;
	memcpy((void *)(uintptr_t)address, data, len);
	return 0;
}

static void on_endpoint_write(void *platform, unsigned partition, uint64_t address, const void *data, size_t len)
{
	struct soft *soft = platform;

	memcpy((void *)(uintptr_t)address, data, len);
	glk_card_endpoint_acknowledge(soft->card, partition, 1, 0);
}

static int on_endpoint_read(void *platform, unsigned partition, uint64_t address, void *data, size_t len)
{
	(void)platform;
	(void)partition;
	memcpy(data, (const void *)(uintptr_t)address, len);
	return 0;
}

static void on_link_send(void *platform, const uint8_t *packet, size_t len)
{
	struct soft *soft = platform;

	glk_card_link_receive(soft->card, packet, len);
}

static void on_interrupt(void *platform, unsigned vector)
{
	(void)platform; /* operations complete within the call: no thread sleeps */
	(void)vector;
}

static const struct glk_card_ops model_ops = {
	.dma_read = on_dma_read,
	.dma_write = on_dma_write,
	.endpoint_write = on_endpoint_write,
	.endpoint_read = on_endpoint_read,
	.link_send = on_link_send,
	.interrupt = on_interrupt,
};

/* --- registers --- */

static uint64_t get(const struct soft *soft, unsigned reg)
{
	uint64_t value = 0;

	glk_card_register_read(soft->card, reg, 8, &value);
	return value;
}

static void set(const struct soft *soft, unsigned reg, uint64_t value)
{
	glk_card_register_write(soft->card, reg, 8, value);
}

static unsigned partition_register(unsigned partition, unsigned reg)
{
	return GLK_PARTITION_ARRAY + partition * GLK_PARTITION_STRIDE + reg;
}

/* Only idle flush timeouts need the time. */
static void update_time(const struct soft *soft)
{
	struct timespec t;

	if (!soft->options.timeout)
		return;
	clock_gettime(CLOCK_MONOTONIC, &t);
	glk_card_advance(soft->card, (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec);
}

static void get_info(void *backend, struct gpulink_info *info)
{
	const struct soft *soft = backend;
	uint64_t caps = get(soft, GLK_CARD_CAPS0);

	strcpy(info->kind, "soft");
	info->partitions = (uint32_t)((caps & GLK_CARD_CAPS0_PARTITIONS_MASK) >> GLK_CARD_CAPS0_PARTITIONS_SHIFT);
	info->queue_entries = (uint32_t)((caps & GLK_CARD_CAPS0_QUEUE_ENTRIES_MASK) >> GLK_CARD_CAPS0_QUEUE_ENTRIES_SHIFT);
	info->subheader_widths =
		(uint32_t)((caps & GLK_CARD_CAPS0_SUBHEADER_WIDTHS_MASK) >> GLK_CARD_CAPS0_SUBHEADER_WIDTHS_SHIFT);
	info->context = 0;
	info->generation = get(soft, GLK_CARD_GENERATION);
	info->features = get(soft, GLK_CARD_FEATURES);
}

static int get_endpoint(void *backend, unsigned partition, struct gpulink_endpoint_info *info)
{
	const struct soft *soft = backend;

	if (partition >= soft->options.endpoints)
		return 0;
	snprintf(info->name, sizeof(info->name), "soft %u", partition);
	info->present = 1;
	info->bytes = soft->options.memory;
	return 0;
}

static int get_counters(void *backend, unsigned partition, struct gpulink_counters *counters)
{
	const struct soft *soft = backend;
	uint64_t values[sizeof(*counters) / sizeof(uint64_t)];

	update_time(soft);
	set(soft, GLK_CARD_SNAPSHOT, 1);
	for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		values[i] = get(soft, partition_register(partition, GLK_PARTITION_STORES + 8 * i));
	memcpy(counters, values, sizeof(values));
	return 0;
}

static int endpoint_memory(void *backend, unsigned partition, void **memory, size_t *bytes)
{
	const struct soft *soft = backend;

	if (partition >= soft->options.endpoints)
		return -GPULINK_ENOENDPOINT;
	*memory = soft->endpoints[partition];
	*bytes = soft->options.memory;
	return 0;
}

/* --- windows --- */

/* The first of `count` free adjacent slices, or SLICES. */
static unsigned find_slices(const struct soft *soft, unsigned count)
{
	unsigned run = 0;

	for (unsigned s = 0; s < SLICES; s++) {
		run = soft->slice_used[s] ? 0 : run + 1;
		if (run == count)
			return s + 1 - count;
	}
	return SLICES;
}

static unsigned slice_register(unsigned slice, unsigned word)
{
	return GLK_WINDOW_ARRAY + slice * GLK_WINDOW_STRIDE + word;
}

static void set_slice(struct soft *soft, unsigned slice, unsigned first, uint64_t q0, uint64_t offset, uint64_t bytes)
{
	uint64_t start = (uint64_t)(slice - first) << soft->slice_shift;
	uint64_t most = UINT64_C(1) << soft->slice_shift;

	soft->slice_used[slice] = true;
	set(soft, slice_register(slice, GLK_WINDOW_Q1), offset + start);
	set(soft, slice_register(slice, GLK_WINDOW_Q2), bytes - start < most ? bytes - start : most);
	set(soft, slice_register(slice, GLK_WINDOW_Q0), q0 | (uint64_t)first << GLK_WINDOW_Q0_FIRST_SHIFT);
}

static int window_open(void *backend, unsigned partition, uint64_t offset, uint64_t bytes, unsigned rights,
		       struct glk_backend_window *window)
{
	struct soft *soft = backend;
	uint64_t most = UINT64_C(1) << soft->slice_shift, count = (bytes + most - 1) >> soft->slice_shift;
	uint64_t q0 = GLK_WINDOW_Q0_VALID_MASK | (uint64_t)partition << GLK_WINDOW_Q0_PARTITION_SHIFT;
	unsigned first;

	if (partition >= soft->options.endpoints)
		return -GPULINK_ENOENDPOINT;
	if (bytes > soft->options.memory || offset > soft->options.memory - bytes)
		return -GPULINK_ERANGE;
	first = count <= SLICES ? find_slices(soft, (unsigned)count) : SLICES;
	if (first == SLICES)
		return -GPULINK_ENOSPC;
	q0 |= (rights & GPULINK_READ ? GLK_WINDOW_Q0_READ_MASK : 0) | (rights & GPULINK_WRITE ? GLK_WINDOW_Q0_WRITE_MASK : 0);
	for (unsigned i = 0; i < count; i++)
		set_slice(soft, first + i, first, q0, offset, bytes);
	*window = (struct glk_backend_window){ .handle = first, .place = (uint64_t)first << soft->slice_shift };
	return 0;
}

static void window_close(void *backend, const struct glk_backend_window *window, uint64_t bytes)
{
	struct soft *soft = backend;
	uint64_t most = UINT64_C(1) << soft->slice_shift, count = (bytes + most - 1) >> soft->slice_shift;

	for (unsigned i = 0; i < count; i++) {
		set(soft, slice_register(window->handle + i, GLK_WINDOW_Q0), 0); /* drains */
		soft->slice_used[window->handle + i] = false;
	}
}

/* The part of an access in one slice: the model's limit of one access. */
static size_t part_of(const struct soft *soft, uint64_t place, size_t bytes)
{
	uint64_t most = UINT64_C(1) << soft->slice_shift, left = most - (place & (most - 1));

	return bytes < left ? bytes : (size_t)left;
}

static int code_of(int error)
{
	return error == -EACCES ? -GPULINK_EACCES : error == -EIO ? -GPULINK_EENDPOINT : -GPULINK_EFAULT;
}

static int store(void *backend, const struct glk_backend_window *window, uint64_t offset, const void *data, size_t bytes)
{
	struct soft *soft = backend;
	const uint8_t *from = data;
	uint64_t place = window->place + offset;
	int error = 0;

	update_time(soft);
	for (size_t part; bytes && !error; bytes -= part, place += part, from += part) {
		part = part_of(soft, place, bytes);
		error = glk_card_aperture_store(soft->card, place, from, part);
	}
	return error ? code_of(error) : 0;
}

static int load(void *backend, const struct glk_backend_window *window, uint64_t offset, void *data, size_t bytes)
{
	struct soft *soft = backend;
	uint8_t *to = data;
	uint64_t place = window->place + offset;
	int error = 0;

	update_time(soft);
	for (size_t part; bytes && !error; bytes -= part, place += part, to += part) {
		part = part_of(soft, place, bytes);
		error = glk_card_aperture_load(soft->card, place, to, part);
	}
	return error ? code_of(error) : 0;
}

/* --- registrations --- */

static unsigned registration_register(uint32_t handle, unsigned word)
{
	return GLK_REGISTRATION_ARRAY + handle * GLK_REGISTRATION_STRIDE + word;
}

static int memory_open(void *backend, void *address, size_t bytes, unsigned rights, uint32_t *handle)
{
	struct soft *soft = backend;
	uintptr_t first = (uintptr_t)address & ~(uintptr_t)(GLK_PAGE_SIZE - 1);
	uint64_t pages = ((uintptr_t)address - first + bytes + GLK_PAGE_SIZE - 1) / GLK_PAGE_SIZE, *list;
	uint64_t q0 = GLK_REGISTRATION_Q0_VALID_MASK;
	unsigned h;

	if (bytes > MEMORY_BYTES)
		return -GPULINK_EINVAL;
	for (h = 0; h < REGISTRATIONS && soft->registrations[h].pages; h++)
		;
	if (h == REGISTRATIONS)
		return -GPULINK_ENOSPC;
	list = calloc(pages, sizeof(*list));
	if (!list)
		return -GPULINK_ENOMEM;
	for (uint64_t i = 0; i < pages; i++)
		list[i] = first + i * GLK_PAGE_SIZE;
	q0 |= (rights & GPULINK_READ ? GLK_REGISTRATION_Q0_READ_MASK : 0) |
	      (rights & GPULINK_WRITE ? GLK_REGISTRATION_Q0_WRITE_MASK : 0);
	set(soft, registration_register(h, GLK_REGISTRATION_Q1), bytes);
	set(soft, registration_register(h, GLK_REGISTRATION_Q2), (uintptr_t)list);
	set(soft, registration_register(h, GLK_REGISTRATION_Q3), (uintptr_t)address - first);
	set(soft, registration_register(h, GLK_REGISTRATION_Q0), q0);
	soft->registrations[h].pages = list;
	*handle = h;
	return 0;
}

/* A soft device has no bus to other devices. */
static int memory_import(void *backend, int dmabuf, uint64_t offset, size_t bytes, unsigned rights, uint32_t *handle)
{
	(void)backend;
	(void)dmabuf;
	(void)offset;
	(void)bytes;
	(void)rights;
	(void)handle;
	return -GPULINK_EUNREACHABLE;
}

static void memory_close(void *backend, uint32_t handle)
{
	struct soft *soft = backend;

	set(soft, registration_register(handle, GLK_REGISTRATION_Q0), 0);
	free(soft->registrations[handle].pages);
	soft->registrations[handle].pages = NULL;
}

/* --- rings --- */

static void serve(const struct soft *soft)
{
	while (glk_card_service(soft->card, RING_ENTRIES))
		;
}

static int submit(void *backend, const uint64_t entry[GLK_SQE_WORDS])
{
	struct soft *soft = backend;

	if ((uint16_t)(soft->sq_tail - soft->cq_head) == RING_ENTRIES)
		return 0;
	memcpy(soft->sq[soft->sq_tail % RING_ENTRIES], entry, GLK_SQE_BYTES);
	soft->sq_tail++;
	update_time(soft);
	set(soft, GLK_CONTEXT_ARRAY + GLK_CONTEXT_SQ_TAIL, soft->sq_tail);
	serve(soft);
	return 1;
}

static int wait_completions(void *backend, uint64_t (*completions)[GLK_CQE_WORDS], unsigned room, unsigned least,
			    uint64_t timeout_ns)
{
	struct soft *soft = backend;
	unsigned taken = 0;

	(void)timeout_ns; /* operations complete on submission */
	update_time(soft);
	for (; taken < room && soft->cq_head != soft->sq_tail; taken++, soft->cq_head++) {
		const uint64_t *cqe = soft->cq[soft->cq_head % RING_ENTRIES];
		bool first_lap = !(soft->cq_head & RING_ENTRIES);

		if (!!(cqe[GLK_CQE_PHASE_Q] & GLK_CQE_PHASE_MASK) != first_lap)
			break;
		memcpy(completions[taken], cqe, GLK_CQE_BYTES);
	}
	set(soft, GLK_CONTEXT_ARRAY + GLK_CONTEXT_CQ_HEAD, soft->cq_head);
	return taken < least ? -GPULINK_EPROTO : (int)taken;
}

static int release(void *backend, uint64_t timeout_ns, uint32_t *errors)
{
	struct soft *soft = backend;

	(void)timeout_ns; /* nothing is asynchronous */
	update_time(soft);
	set(soft, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASE, ++soft->releases);
	serve(soft);
	*errors = (uint32_t)get(soft, GLK_CONTEXT_ARRAY + GLK_CONTEXT_ERRORS);
	return get(soft, GLK_DOORBELL_ARRAY + GLK_DOORBELL_RELEASED) == soft->releases ? 0 : -GPULINK_EPROTO;
}

/* --- open and close --- */

static void soft_close(void *backend)
{
	struct soft *soft = backend;

	glk_card_destroy(soft->card);
	for (unsigned p = 0; p < soft->options.endpoints; p++)
		if (soft->endpoints[p])
			munmap(soft->endpoints[p], soft->options.memory);
	for (unsigned h = 0; h < REGISTRATIONS; h++)
		free(soft->registrations[h].pages);
	free(soft->sq);
	free(soft->cq);
	free(soft->record);
	free(soft);
}

static const struct glk_backend_ops soft_ops = {
	.close = soft_close,
	.abandon = soft_close, /* all memory is private */
	.get_info = get_info,
	.get_endpoint = get_endpoint,
	.get_counters = get_counters,
	.endpoint_memory = endpoint_memory,
	.window_open = window_open,
	.window_close = window_close,
	.store = store,
	.load = load,
	.memory_open = memory_open,
	.memory_import = memory_import,
	.memory_close = memory_close,
	.submit = submit,
	.wait = wait_completions,
	.release = release,
};

static int allocate(struct soft *soft)
{
	const size_t sq = RING_ENTRIES * GLK_SQE_BYTES, cq = RING_ENTRIES * GLK_CQE_BYTES;

	for (unsigned p = 0; p < soft->options.endpoints; p++) {
		void *memory = mmap(NULL, soft->options.memory, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (memory == MAP_FAILED)
			return -GPULINK_ENOMEM;
		soft->endpoints[p] = memory;
	}
	soft->sq = aligned_alloc(64, sq);
	soft->cq = aligned_alloc(64, cq);
	soft->record = aligned_alloc(64, 64);
	if (!soft->sq || !soft->cq || !soft->record)
		return -GPULINK_ENOMEM;
	memset(soft->sq, 0, sq);
	memset(soft->cq, 0, cq);
	memset(soft->record, 0, 64);
	return 0;
}

static int create_card(struct soft *soft)
{
	struct glk_card_config config;
	int error;

	/* The aperture holds every endpoint twice. */
	soft->slice_shift = SHIFT_MIN;
	while (((uint64_t)SLICES << soft->slice_shift) / 2 / soft->options.endpoints < soft->options.memory)
		soft->slice_shift++;
	glk_card_config_default(&config);
	config.slices = SLICES;
	config.slice_shift = soft->slice_shift;
	config.registrations = REGISTRATIONS;
	config.pool_bytes = 0;
	config.ops = &model_ops;
	config.platform = soft;
	error = glk_card_create(&config, &soft->card);
	return error ? error == -ENOMEM ? -GPULINK_ENOMEM : -GPULINK_EINVAL : 0;
}

static void configure(struct soft *soft)
{
	const struct glk_soft_options *o = &soft->options;
	const unsigned context = GLK_CONTEXT_ARRAY;

	for (unsigned p = 0; p < o->endpoints; p++) {
		uint64_t mode = GLK_PARTITION_MODE_SELF_DESCRIBE_MASK | (o->coalesce ? GLK_PARTITION_MODE_COALESCE_MASK : 0);

		set(soft, partition_register(p, GLK_PARTITION_SUBHEADER_BYTES), o->subheader);
		set(soft, partition_register(p, GLK_PARTITION_MAX_PAYLOAD_BYTES), o->payload);
		set(soft, partition_register(p, GLK_PARTITION_FLUSH_TIMEOUT_NS), o->timeout);
		set(soft, partition_register(p, GLK_PARTITION_MODE), mode);
		set(soft, partition_register(p, GLK_PARTITION_EP_BASE), (uintptr_t)soft->endpoints[p]);
		set(soft, partition_register(p, GLK_PARTITION_EP_BYTES), o->memory);
		set(soft, partition_register(p, GLK_PARTITION_EP_KIND), GLK_EP_BUS);
	}
	set(soft, GLK_CARD_CONTROL, GLK_CARD_CONTROL_ENABLE_MASK);
	set(soft, context + GLK_CONTEXT_SQ_BASE, (uintptr_t)soft->sq);
	set(soft, context + GLK_CONTEXT_CQ_BASE, (uintptr_t)soft->cq);
	set(soft, context + GLK_CONTEXT_ORDER,
	    (uint64_t)RING_ORDER << GLK_CONTEXT_ORDER_SQ_SHIFT | (uint64_t)RING_ORDER << GLK_CONTEXT_ORDER_CQ_SHIFT);
	set(soft, context + GLK_CONTEXT_RECORD, (uintptr_t)soft->record);
	set(soft, context + GLK_CONTEXT_CONTROL, GLK_CONTEXT_CONTROL_ENABLE_MASK);
}

int glk_soft_open(const char *text, const struct glk_backend_ops **ops, void **backend)
{
	struct soft *soft = calloc(1, sizeof(*soft));
	int error;

	if (!soft)
		return -GPULINK_ENOMEM;
	error = glk_soft_options_parse(text, &soft->options);
	if (error) {
		free(soft);
		errno = EINVAL;
		return error;
	}
	error = allocate(soft);
	if (!error)
		error = create_card(soft);
	if (error) {
		soft_close(soft);
		if (error == -GPULINK_EINVAL) /* valid options whose combination is too large */
			errno = EINVAL;
		return error;
	}
	configure(soft);
	/* Rejected register writes are counted here. */
	if (get(soft, GLK_CARD_ERR_CONFIG)) {
		soft_close(soft);
		return -GPULINK_EPROTO;
	}
	*ops = &soft_ops;
	*backend = soft;
	return 0;
}
