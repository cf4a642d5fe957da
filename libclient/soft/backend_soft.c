// SPDX-License-Identifier: Apache-2.0
/* The soft device: the model in the process, programmed through its registers as the driver programs a card. */
#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../error_text.h"
#include "soft.h"

#define SHIFT_MIN    20u
#define SHIFT_MAX    30u
/* How often the aperture holds every endpoint: queues have windows of their own. */
#define COPIES_MIN   2u
#define COPIES	     32u
#define MEMORY_BYTES (UINT64_C(1) << 40) /* maximum of one registration, as on a card */

/* --- registers --- */

static unsigned partition_register(unsigned partition, unsigned reg)
{
	return GLK_PARTITION_ARRAY + partition * GLK_PARTITION_STRIDE + reg;
}

static struct soft *soft_lock(const struct soft_queue *queue)
{
	pthread_mutex_lock(&queue->soft->lock);
	return queue->soft;
}

static void get_info(void *backend, struct gpulink_info *info)
{
	struct soft_queue *queue = backend;
	struct soft *soft = soft_lock(queue);
	uint64_t caps = glk_soft_get(soft, GLK_CARD_CAPS0);

	strcpy(info->kind, soft->shared ? "local" : "soft");
	info->partitions = (uint32_t)((caps & GLK_CARD_CAPS0_PARTITIONS_MASK) >> GLK_CARD_CAPS0_PARTITIONS_SHIFT);
	info->queue_entries = (uint32_t)((caps & GLK_CARD_CAPS0_QUEUE_ENTRIES_MASK) >> GLK_CARD_CAPS0_QUEUE_ENTRIES_SHIFT);
	info->subheader_widths =
		(uint32_t)((caps & GLK_CARD_CAPS0_SUBHEADER_WIDTHS_MASK) >> GLK_CARD_CAPS0_SUBHEADER_WIDTHS_SHIFT);
	info->context = queue->context;
	info->generation = glk_soft_get(soft, GLK_CARD_GENERATION);
	info->features = glk_soft_get(soft, GLK_CARD_FEATURES);
	info->process = (uint32_t)soft->options.rank;
	info->processes = soft->options.processes ? (uint32_t)soft->options.processes : 1;
	pthread_mutex_unlock(&soft->lock);
}

static int get_endpoint(void *backend, unsigned partition, struct gpulink_endpoint_info *info)
{
	const struct soft *soft = ((const struct soft_queue *)backend)->soft;

	if (partition >= soft->options.endpoints)
		return 0;
	snprintf(info->name, sizeof(info->name), "%s %u", soft->shared ? "local" : "soft", partition);
	info->present = 1;
	info->bytes = soft->options.memory;
	return 0;
}

static int get_counters(void *backend, unsigned partition, struct gpulink_counters *counters)
{
	struct soft *soft = soft_lock(backend);
	uint64_t values[sizeof(*counters) / sizeof(uint64_t)];

	glk_soft_update_time(soft);
	glk_soft_set(soft, GLK_CARD_SNAPSHOT, 1);
	for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		values[i] = glk_soft_get(soft, partition_register(partition, GLK_PARTITION_COUNTER_FIRST + 8 * i));
	memcpy(counters, values, sizeof(values));
	glk_soft_lanes_count(soft, partition, counters);
	pthread_mutex_unlock(&soft->lock);
	return 0;
}

static int endpoint_memory(void *backend, unsigned partition, void **memory, size_t *bytes)
{
	const struct soft *soft = ((const struct soft_queue *)backend)->soft;

	if (partition >= soft->options.endpoints)
		return -GPULINK_ENOENDPOINT;
	*memory = soft->endpoints[partition];
	*bytes = soft->options.memory;
	return 0;
}

/* --- windows --- */

/* The first of `count` free adjacent slices, or SOFT_SLICES. */
static unsigned find_slices(const struct soft *soft, unsigned count)
{
	unsigned run = 0;

	for (unsigned s = 0; s < SOFT_SLICES; s++) {
		run = soft->slice_used[s] ? 0 : run + 1;
		if (run == count)
			return s + 1 - count;
	}
	return SOFT_SLICES;
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
	glk_soft_set(soft, slice_register(slice, GLK_WINDOW_Q1), offset + start);
	glk_soft_set(soft, slice_register(slice, GLK_WINDOW_Q2), bytes - start < most ? bytes - start : most);
	glk_soft_set(soft, slice_register(slice, GLK_WINDOW_Q0), q0 | (uint64_t)first << GLK_WINDOW_Q0_FIRST_SHIFT);
}

static int map_slices(struct soft *soft, uint64_t q0, uint64_t offset, uint64_t bytes, unsigned *first)
{
	uint64_t most = UINT64_C(1) << soft->slice_shift, count = (bytes + most - 1) >> soft->slice_shift;

	*first = count <= SOFT_SLICES ? find_slices(soft, (unsigned)count) : SOFT_SLICES;
	if (*first == SOFT_SLICES)
		return -GPULINK_ENOSPC;
	for (unsigned i = 0; i < count; i++)
		set_slice(soft, *first + i, *first, q0, offset, bytes);
	return 0;
}

static int window_open(void *backend, unsigned partition, uint64_t offset, uint64_t bytes, unsigned rights,
		       struct glk_backend_window *window)
{
	struct soft_queue *queue = backend;
	struct soft *soft = queue->soft;
	uint64_t q0 = GLK_WINDOW_Q0_VALID_MASK | (uint64_t)partition << GLK_WINDOW_Q0_PARTITION_SHIFT |
		      (uint64_t)queue->context << GLK_WINDOW_Q0_CONTEXT_SHIFT;
	unsigned first;
	int error;

	if (partition >= soft->options.endpoints)
		return -GPULINK_ENOENDPOINT;
	if (bytes > soft->options.memory || offset > soft->options.memory - bytes)
		return -GPULINK_ERANGE;
	q0 |= (rights & GPULINK_READ ? GLK_WINDOW_Q0_READ_MASK : 0) | (rights & GPULINK_WRITE ? GLK_WINDOW_Q0_WRITE_MASK : 0);
	soft_lock(queue);
	error = map_slices(soft, q0, offset, bytes, &first);
	pthread_mutex_unlock(&soft->lock);
	if (error)
		return error;
	*window = (struct glk_backend_window){
		.handle = first, .place = (uint64_t)first << soft->slice_shift, .partition = partition, .origin = offset,
	};
	return 0;
}

static void window_close(void *backend, const struct glk_backend_window *window, uint64_t bytes)
{
	struct soft *soft = soft_lock(backend);
	uint64_t most = UINT64_C(1) << soft->slice_shift, count = (bytes + most - 1) >> soft->slice_shift;

	for (unsigned i = 0; i < count; i++) {
		glk_soft_set(soft, slice_register(window->handle + i, GLK_WINDOW_Q0), 0); /* drains */
		soft->slice_used[window->handle + i] = false;
	}
	pthread_mutex_unlock(&soft->lock);
}

/* The part of an access in one slice: the model's limit of one access. */
static size_t part_of(const struct soft *soft, uint64_t place, size_t bytes)
{
	uint64_t most = UINT64_C(1) << soft->slice_shift, left = most - (place & (most - 1));

	return bytes < left ? bytes : (size_t)left;
}

static int soft_code_of(int error)
{
	return error == -EACCES ? -GPULINK_EACCES : error == -EIO ? -GPULINK_EENDPOINT : -GPULINK_EFAULT;
}

static int soft_store(void *backend, const struct glk_backend_window *window, uint64_t offset, const void *data, size_t bytes)
{
	struct soft *soft = ((const struct soft_queue *)backend)->soft;
	const uint8_t *from = data;
	uint64_t place = window->place + offset;
	int error = 0;

	if (soft->shared)
		return glk_soft_lane_store(backend, window->partition, window->origin + offset, data, bytes);
	soft_lock(backend);
	glk_soft_update_time(soft);
	for (size_t part; bytes && !error; bytes -= part, place += part, from += part) {
		part = part_of(soft, place, bytes);
		error = glk_card_aperture_store(soft->card, place, from, part);
	}
	pthread_mutex_unlock(&soft->lock);
	return error ? soft_code_of(error) : 0;
}

static int soft_load(void *backend, const struct glk_backend_window *window, uint64_t offset, void *data, size_t bytes)
{
	struct soft *soft = ((const struct soft_queue *)backend)->soft;
	uint8_t *to = data;
	uint64_t place = window->place + offset;
	int error = 0;

	if (soft->shared)
		glk_soft_lane_flush(backend, window->partition, GLK_FLUSH_LOAD_HIT);
	soft_lock(backend);
	glk_soft_update_time(soft);
	for (size_t part; bytes && !error; bytes -= part, place += part, to += part) {
		part = part_of(soft, place, bytes);
		error = glk_card_aperture_load(soft->card, place, to, part);
	}
	pthread_mutex_unlock(&soft->lock);
	return error ? soft_code_of(error) : 0;
}

/* --- registrations --- */

static unsigned registration_register(uint32_t handle, unsigned word)
{
	return GLK_REGISTRATION_ARRAY + handle * GLK_REGISTRATION_STRIDE + word;
}

/* Takes the list of pages. */
static int register_pages(struct soft *soft, uint64_t q0, uint64_t bytes, uint64_t *list, uint64_t offset, uint32_t *handle)
{
	unsigned h;

	for (h = 0; h < SOFT_REGISTRATIONS && soft->registrations[h]; h++)
		;
	if (h == SOFT_REGISTRATIONS) {
		free(list);
		return -GPULINK_ENOSPC;
	}
	glk_soft_set(soft, registration_register(h, GLK_REGISTRATION_Q1), bytes);
	glk_soft_set(soft, registration_register(h, GLK_REGISTRATION_Q2), (uintptr_t)list);
	glk_soft_set(soft, registration_register(h, GLK_REGISTRATION_Q3), offset);
	glk_soft_set(soft, registration_register(h, GLK_REGISTRATION_Q0), q0);
	soft->registrations[h] = list;
	*handle = h;
	return 0;
}

static int memory_open(void *backend, void *address, size_t bytes, unsigned rights, uint32_t *handle)
{
	struct soft_queue *queue = backend;
	uintptr_t first = (uintptr_t)address & ~(uintptr_t)(GLK_PAGE_SIZE - 1);
	uint64_t pages = ((uintptr_t)address - first + bytes + GLK_PAGE_SIZE - 1) / GLK_PAGE_SIZE, *list;
	uint64_t q0 = GLK_REGISTRATION_Q0_VALID_MASK | (uint64_t)queue->context << GLK_REGISTRATION_Q0_CONTEXT_SHIFT;
	int error;

	if (bytes > MEMORY_BYTES)
		return -GPULINK_EINVAL;
	list = calloc(pages, sizeof(*list));
	if (!list)
		return -GPULINK_ENOMEM;
	for (uint64_t i = 0; i < pages; i++)
		list[i] = htole64(first + i * GLK_PAGE_SIZE);
	q0 |= (rights & GPULINK_READ ? GLK_REGISTRATION_Q0_READ_MASK : 0) |
	      (rights & GPULINK_WRITE ? GLK_REGISTRATION_Q0_WRITE_MASK : 0);
	soft_lock(queue);
	error = register_pages(queue->soft, q0, bytes, list, (uintptr_t)address - first, handle);
	pthread_mutex_unlock(&queue->soft->lock);
	return error;
}

static void memory_close(void *backend, uint32_t handle)
{
	struct soft *soft = soft_lock(backend);

	glk_soft_set(soft, registration_register(handle, GLK_REGISTRATION_Q0), 0);
	free(soft->registrations[handle]);
	soft->registrations[handle] = NULL;
	pthread_mutex_unlock(&soft->lock);
}

/* --- open and close --- */

/* `shares`: this process has the memory of a "local:" device. */
static void soft_destroy(struct soft *soft, bool shares)
{
	if (soft->card)
		glk_card_destroy(soft->card);
	for (unsigned p = 0; p < soft->options.endpoints; p++)
		if (soft->endpoints[p] && !soft->shared)
			munmap(soft->endpoints[p], soft->options.memory);
	if (shares)
		glk_soft_shared_close(soft->shared);
	for (unsigned h = 0; h < SOFT_REGISTRATIONS; h++)
		free(soft->registrations[h]);
	free(soft->records);
	pthread_mutex_destroy(&soft->lock);
	free(soft);
}

/* In a child of fork(): another thread of the parent may hold the lock, and there are no others here. */
static void soft_abandon(void *backend)
{
	struct soft_queue *queue = backend;
	struct soft *soft = queue->soft;

	glk_soft_queue_destroy(queue, true);
	if (!soft->contexts)
		soft_destroy(soft, false);
}

/* The last queue closes the device. */
static void soft_close(void *backend)
{
	struct soft_queue *queue = backend;
	struct soft *soft = soft_lock(queue);
	bool last;

	glk_soft_queue_destroy(queue, false);
	last = !soft->contexts;
	pthread_mutex_unlock(&soft->lock);
	if (last)
		soft_destroy(soft, true);
}

static int soft_open_queue(void *backend, bool rings, void **out)
{
	struct soft_queue *queue;
	struct soft *soft;
	int error;

	if (!rings)
		return -GPULINK_ENOTSUP;
	soft = soft_lock(backend);
	error = glk_soft_queue_create(soft, &queue);
	pthread_mutex_unlock(&soft->lock);
	if (!error)
		*out = queue;
	return error;
}

static const struct glk_backend_ops soft_ops = {
	.close = soft_close,
	.abandon = soft_abandon, /* all memory is private */
	.get_info = get_info,
	.get_endpoint = get_endpoint,
	.get_counters = get_counters,
	.endpoint_memory = endpoint_memory,
	.window_open = window_open,
	.window_close = window_close,
	.store = soft_store,
	.load = soft_load,
	.memory_open = memory_open,
	.memory_close = memory_close,
	.submit = glk_soft_submit,
	.take = glk_soft_take,
	.sleep = glk_soft_sleep,
	.count_errors = glk_soft_count_errors,
	.descriptor = glk_soft_descriptor,
	.region_open = glk_soft_region_open,
	.region_close = glk_soft_region_close,
	.region_write = glk_soft_region_write,
	.region_wait = glk_soft_region_wait,
	.lane_open = glk_soft_lane_open,
	.pool_create = glk_soft_pool_create,
	.pool_share = glk_soft_pool_share,
	.pool_open = glk_soft_pool_open,
	.pool_close = glk_soft_pool_close,
	.pool_clock = glk_soft_pool_clock,
	.pool_read = glk_soft_pool_read,
	.pool_renew = glk_soft_pool_renew,
	.pool_write = glk_soft_pool_write,
	.pool_atomic = glk_soft_pool_atomic,
	.pool_load = glk_soft_pool_load,
	.pool_store = glk_soft_pool_store,
	.open_queue = soft_open_queue,
};

static int allocate(struct soft *soft)
{
	for (unsigned p = 0; p < soft->options.endpoints && soft->shared; p++)
		soft->endpoints[p] = glk_soft_shared_memory(soft->shared, p);
	for (unsigned p = 0; p < soft->options.endpoints && !soft->shared; p++) {
		void *memory = mmap(NULL, soft->options.memory, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (memory == MAP_FAILED)
			return -GPULINK_ENOMEM;
		soft->endpoints[p] = memory;
	}
	soft->records = aligned_alloc(GLK_REGION_RECORD_BYTES, GLK_REGION_COUNT * GLK_REGION_RECORD_BYTES);
	return soft->records ? 0 : -GPULINK_ENOMEM;
}

/* How often the aperture holds every endpoint. */
static uint64_t copies(const struct soft *soft)
{
	return ((uint64_t)SOFT_SLICES << soft->slice_shift) / soft->options.endpoints / soft->options.memory;
}

static int create_card(struct soft *soft)
{
	struct glk_card_config config;
	int error;

	soft->slice_shift = SHIFT_MIN;
	while (copies(soft) < COPIES && soft->slice_shift < SHIFT_MAX)
		soft->slice_shift++;
	if (copies(soft) < COPIES_MIN)
		return glk_error(-GPULINK_EINVAL,
				 "options endpoints=%" PRIu64 ", memory=%" PRIu64 ": must be at most %" PRIu64
				 " bytes together",
				 soft->options.endpoints, soft->options.memory,
				 ((uint64_t)SOFT_SLICES << soft->slice_shift) / COPIES_MIN);
	glk_card_config_default(&config);
	config.slices = SOFT_SLICES;
	config.slice_shift = soft->slice_shift;
	config.registrations = SOFT_REGISTRATIONS;
	config.pool_bytes = 0;
	config.ops = soft->shared ? &glk_local_platform : &glk_soft_platform;
	config.platform = soft;
	error = glk_card_create(&config, &soft->card);
	return error ? error == -ENOMEM ? -GPULINK_ENOMEM : -GPULINK_EINVAL : 0;
}

static void configure(struct soft *soft)
{
	const struct glk_soft_options *o = &soft->options;

	for (unsigned p = 0; p < o->endpoints; p++) {
		uint64_t mode = GLK_PARTITION_MODE_SELF_DESCRIBE_MASK | (o->coalesce ? GLK_PARTITION_MODE_COALESCE_MASK : 0) |
				(o->packing ? GLK_PARTITION_MODE_PACKING_MASK : 0) |
				(o->compact ? GLK_PARTITION_MODE_COMPACT_MASK : 0);

		glk_soft_set(soft, partition_register(p, GLK_PARTITION_SUBHEADER_BYTES), o->subheader);
		glk_soft_set(soft, partition_register(p, GLK_PARTITION_MAX_PAYLOAD_BYTES), o->payload);
		glk_soft_set(soft, partition_register(p, GLK_PARTITION_FLUSH_TIMEOUT_NS), o->timeout);
		glk_soft_set(soft, partition_register(p, GLK_PARTITION_MODE), mode);
		glk_soft_set(soft, partition_register(p, GLK_PARTITION_EP_BASE), (uintptr_t)soft->endpoints[p]);
		glk_soft_set(soft, partition_register(p, GLK_PARTITION_EP_BYTES), o->memory);
		glk_soft_set(soft, partition_register(p, GLK_PARTITION_EP_KIND), GLK_EP_BUS);
	}
	glk_soft_set(soft, GLK_CARD_CONTROL, GLK_CARD_CONTROL_ENABLE_MASK);
}

static int open_first(struct soft *soft, struct soft_queue **queue)
{
	int error = allocate(soft);

	if (!error)
		error = create_card(soft);
	if (error)
		return error;
	configure(soft);
	error = glk_soft_queue_create(soft, queue);
	/* Rejected register writes are counted here. */
	if (!error && glk_soft_get(soft, GLK_CARD_ERR_CONFIG)) {
		glk_soft_queue_destroy(*queue, false);
		error = -GPULINK_EPROTO;
	}
	return error;
}

/* `name`: of the shared memory, or NULL. */
static int open_device(const char *text, const char *name, const struct glk_backend_ops **ops, void **backend)
{
	struct soft *soft = calloc(1, sizeof(*soft));
	struct soft_queue *queue;
	int error;

	if (!soft)
		return -GPULINK_ENOMEM;
	error = glk_soft_options_parse(text, name != NULL, &soft->options);
	if (!error && name)
		error = glk_soft_options_local(&soft->options);
	else if (!error && (soft->options.ranked || soft->options.processes))
		error = glk_error(-GPULINK_EINVAL, "options rank and processes: must be those of a local device; a soft device is the process's own");
	if (error || pthread_mutex_init(&soft->lock, NULL)) {
		free(soft);
		errno = EINVAL;
		return error ? error : -GPULINK_ENOMEM;
	}
	if (name) {
		soft->options.coalesce = 0; /* what rings store arrives in the order of the lanes' packets */
		error = glk_soft_shared_open(name, soft->options.endpoints, soft->options.memory, &soft->shared);
	}
	if (!error)
		error = open_first(soft, &queue);
	if (error) {
		soft_destroy(soft, true);
		if (error == -GPULINK_EINVAL) /* valid options whose combination is too large */
			errno = EINVAL;
		return error;
	}
	*ops = &soft_ops;
	*backend = queue;
	return 0;
}

int glk_soft_open(const char *text, const struct glk_backend_ops **ops, void **backend)
{
	return open_device(text, NULL, ops, backend);
}

/* NAME[,OPTION=VALUE...] */
int glk_local_open(const char *text, const struct glk_backend_ops **ops, void **backend)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
	size_t length = strspn(text, letters);
	char name[GLK_LOCAL_NAME_MAX + 1];

	if (!length || length > GLK_LOCAL_NAME_MAX || (text[length] && text[length] != ',')) {
		errno = EINVAL;
		return glk_error(-GPULINK_EINVAL,
				 "name '%.*s': must be 1 to %u letters, digits, '.', '_' or '-', then the end or ','",
				 (int)strcspn(text, ","), text, GLK_LOCAL_NAME_MAX);
	}
	memcpy(name, text, length);
	name[length] = '\0';
	return open_device(text[length] ? text + length + 1 : "", name, ops, backend);
}
