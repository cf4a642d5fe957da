// SPDX-License-Identifier: Apache-2.0
/* "ucx:": processes on one or several machines, each of which gives the others its memory. The module that gpulink_open()
 * loads. */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "../error_text.h"
#include "ucx.h"
#include "ucx_hop.h"
#include "ucx_lane.h"
#include "ucx_launcher.h"
#include "ucx_limits.h"
#include "ucx_message.h"
#include "ucx_module.h"
#include "ucx_peer.h"
#include "ucx_progress.h"
#include "ucx_queue.h"
#include "ucx_receive.h"
#include "ucx_request.h"

#define HANDLES	   65536u /* of ring entries */
#define CLOSE_NS   UINT64_C(2000000000)

static struct ucx *device_of(void *backend)
{
	return ((struct ucx_queue *)backend)->ucx;
}

/* --- properties --- */

static void get_info(void *backend, struct gpulink_info *info)
{
	const struct ucx *u = device_of(backend);

	strcpy(info->kind, "ucx");
	info->partitions = u->processes;
	info->subheader_widths = 1u << 5;
	info->context = ((const struct ucx_queue *)backend)->number;
	info->process = u->process;
	info->processes = u->processes;
}

static int get_endpoint(void *backend, unsigned partition, struct gpulink_endpoint_info *info)
{
	const struct ucx *u = device_of(backend);

	snprintf(info->name, sizeof(info->name), "ucx %u", partition);
	info->present = 1;
	info->bytes = u->peers[partition].bytes;
	return 0;
}

static int get_counters(void *backend, unsigned partition, struct gpulink_counters *counters)
{
	struct ucx *u = device_of(backend);

	memset(counters, 0, sizeof(*counters));
	ucx_lock(u);
	glk_ucx_lanes_count(u, partition, counters);
	counters->err_endpoint += partition == u->process ? u->malformed : 0;
	ucx_unlock(u);
	return 0;
}

static int endpoint_memory(void *backend, unsigned partition, void **memory, size_t *bytes)
{
	const struct ucx *u = device_of(backend);

	if (partition != u->process)
		return -GPULINK_ENOTSUP;
	*memory = u->memory;
	*bytes = u->options.memory;
	return 0;
}

/* --- windows and memories: handles of the device --- */

/* A free item of an array that grows. Returns its index, or HANDLES. */
static uint32_t free_item(void **items, uint32_t *count, size_t size, bool (*is_free)(const void *item))
{
	uint32_t more = *count ? 2 * *count : 64, i;
	uint8_t *grown;

	for (i = 0; i < *count; i++)
		if (is_free((const uint8_t *)*items + i * size))
			return i;
	if (*count >= HANDLES - 1)
		return HANDLES;
	grown = realloc(*items, more * size);
	if (!grown)
		return HANDLES;
	memset(grown + *count * size, 0, (more - *count) * size);
	*items = grown;
	*count = more;
	return i;
}

static bool is_free_window(const void *item)
{
	return !((const struct ucx_window *)item)->open;
}

static bool is_free_memory(const void *item)
{
	return !((const struct ucx_memory *)item)->address;
}

static int window_open(void *backend, unsigned partition, uint64_t offset, uint64_t bytes, unsigned rights,
		       struct glk_backend_window *window)
{
	struct ucx *u = device_of(backend);
	uint32_t handle;

	if (bytes > u->peers[partition].bytes || offset > u->peers[partition].bytes - bytes)
		return -GPULINK_ERANGE;
	ucx_lock(u);
	handle = free_item((void **)&u->windows, &u->windows_max, sizeof(*u->windows), is_free_window);
	if (handle < HANDLES)
		u->windows[handle] = (struct ucx_window){ true, partition, rights, offset, bytes };
	ucx_unlock(u);
	*window = (struct glk_backend_window){ .handle = handle, .partition = partition, .origin = offset };
	return handle < HANDLES ? 0 : -GPULINK_ENOSPC;
}

static void window_close(void *backend, const struct glk_backend_window *window, uint64_t bytes)
{
	struct ucx *u = device_of(backend);

	(void)bytes;
	ucx_lock(u);
	u->windows[window->handle].open = false;
	ucx_unlock(u);
}

static int memory_open(void *backend, void *address, size_t bytes, unsigned rights, uint32_t *handle)
{
	struct ucx *u = device_of(backend);

	ucx_lock(u);
	*handle = free_item((void **)&u->memories, &u->memories_max, sizeof(*u->memories), is_free_memory);
	if (*handle < HANDLES)
		u->memories[*handle] = (struct ucx_memory){ address, bytes, rights };
	ucx_unlock(u);
	return *handle < HANDLES ? 0 : -GPULINK_ENOSPC;
}

static void memory_close(void *backend, uint32_t handle)
{
	struct ucx *u = device_of(backend);

	ucx_lock(u);
	glk_requests_discard(u, u->memories[handle].address, u->memories[handle].bytes);
	u->memories[handle].address = NULL;
	ucx_unlock(u);
}

/* --- events of the wire --- */

static void on_received(void *owner, const uint8_t *message, size_t bytes)
{
	struct ucx *u = owner;

	u->receiving = true;
	glk_receive(u, message, bytes);
	u->receiving = false;
}

static void on_sent(void *owner, void *cookie)
{
	glk_peer_sent(owner, cookie);
}

static void on_lost(void *owner, unsigned process)
{
	glk_peer_lose(owner, process);
}

static const struct glk_wire_events wire_events = { on_received, on_sent, on_lost };

/* --- meeting --- */

/* What a process brings; its worker's address follows. */
struct card {
	uint64_t job; /* at random; that of process 0 is everybody's */
	uint64_t bytes;
	uint64_t routes; /* 0 or 1; the same in all */
	struct glk_ucx_machine machine;
};

static int make_card(struct ucx *u, struct glk_meet_item *item)
{
	size_t address_bytes;
	const void *address = glk_wire_address(u->wire, &address_bytes);
	struct card card = {
		.bytes = htole64(u->options.memory),
		.routes = htole64(glk_ucx_routes(&u->options, u->processes)),
		.machine = u->machine,
	};

	if (getrandom(&card.job, sizeof(card.job), 0) != (ssize_t)sizeof(card.job) ||
	    address_bytes > GLK_MEET_MAX - sizeof(card))
		return -GPULINK_EIO;
	item->bytes = (uint32_t)(sizeof(card) + address_bytes);
	item->data = malloc(item->bytes);
	if (!item->data)
		return -GPULINK_ENOMEM;
	memcpy(item->data, &card, sizeof(card));
	memcpy(item->data + sizeof(card), address, address_bytes);
	return 0;
}

static int take_card(struct ucx *u, uint32_t process, const struct glk_meet_item *item)
{
	struct ucx_peer *peer = &u->peers[process];
	struct card card;

	if (item->bytes <= sizeof(card))
		return -GPULINK_EPROTO;
	memcpy(&card, item->data, sizeof(card));
	if (le64toh(card.routes) != glk_ucx_routes(&u->options, u->processes)) {
		errno = EINVAL;
		return glk_error(-GPULINK_EINVAL, "option route: must be the same in all processes, is another in process %u",
				 process);
	}
	peer->bytes = le64toh(card.bytes);
	peer->address = malloc(item->bytes - sizeof(card));
	if (!peer->address)
		return -GPULINK_ENOMEM;
	memcpy(peer->address, item->data + sizeof(card), item->bytes - sizeof(card));
	if (process == 0)
		u->job = le64toh(card.job);
	if (process != u->process)
		peer->watch = glk_ucx_machine_watch(&u->machine, &card.machine);
	return 0;
}

static int meet(struct ucx *u)
{
	struct glk_meet_item *items = calloc(u->processes, sizeof(*items)), own = { 0 };
	int error = items ? make_card(u, &own) : -GPULINK_ENOMEM;

	if (!error && u->processes == 1)
		error = take_card(u, 0, &own);
	else if (!error)
		error = u->options.by_launcher ? glk_launcher_meet(&u->options, &own, items) :
						 glk_meet_tcp(&u->options, &own, items);
	for (uint32_t p = 0; p < u->processes && u->processes > 1 && !error; p++)
		error = take_card(u, p, &items[p]);
	if (items)
		glk_meet_free(items, u->processes);
	free(items);
	free(own.data);
	return error;
}

/* --- open and close --- */

/* `own`: not in a child of fork(), where UCX belongs to the parent. */
static void ucx_destroy(struct ucx *u, bool own)
{
	int cause = errno;

	if (own && u->wire) {
		glk_progress_stop(u);
		glk_wire_close(u->wire);
	}
	if (own && u->options.by_launcher)
		glk_launcher_close();
	if (u->poll >= 0)
		close(u->poll);
	if (u->wake >= 0)
		close(u->wake);
	if (u->memory)
		munmap(u->memory, u->options.memory);
	glk_hop_close(u);
	glk_peers_free(u);
	free(u->closed);
	free(u->windows);
	free(u->memories);
	if (own) {
		pthread_cond_destroy(&u->changed);
		pthread_mutex_destroy(&u->lock.lock);
	}
	free(u);
	errno = cause;
}

static void abandon(void *backend)
{
	struct ucx *u = device_of(backend);

	glk_ucx_queue_close(backend, true);
	if (!u->queues)
		ucx_destroy(u, false);
}

static bool all_acknowledged(const void *what)
{
	const struct ucx *u = what;

	for (uint32_t p = 0; p < u->processes; p++)
		if (!u->peers[p].lost && u->peers[p].acked < u->peers[p].sent)
			return false;
	return true;
}

static bool all_left(const void *what)
{
	return glk_hop_all_left(what);
}

/*
 * The last stores arrive, and others learn that nothing comes any more. With routing a process stays until those that it is a
 * relay for have nothing to be passed on.
 */
static void backend_ucx_leave(struct ucx *u)
{
	uint64_t deadline = glk_progress_now() + CLOSE_NS;

	ucx_lock(u);
	if (u->hop) {
		glk_hop_leave(u);
		glk_progress_until(u, all_left, u, glk_progress_now() + u->options.timeout * 1000000000u);
		glk_hop_flush(u);
	}
	for (uint32_t p = 0; p < u->processes; p++)
		glk_peer_ask(u, p, u->peers[p].sent);
	glk_progress_until(u, all_acknowledged, u, deadline);
	for (uint32_t p = 0; p < u->processes; p++)
		if (u->peers[p].end.endpoint)
			glk_peer_record(u, p, GLK_RECORD_BYE, 0);
	glk_progress(u);
	ucx_unlock(u);
	glk_progress_stop(u);
	glk_peers_close(u, deadline + CLOSE_NS);
}

/* The last queue closes the device. */
static void ucx_close(void *backend)
{
	struct ucx *u = device_of(backend);

	glk_ucx_queue_close(backend, false);
	if (u->queues)
		return;
	backend_ucx_leave(u);
	ucx_destroy(u, true);
}

static int ucx_open_queue(void *backend, bool rings, void **out)
{
	struct ucx_queue *queue;
	int error = rings ? glk_ucx_queue_open(device_of(backend), &queue) : -GPULINK_ENOTSUP;

	if (!error)
		*out = queue;
	return error;
}

static const struct glk_backend_ops ucx_ops = {
	.close = ucx_close,
	.abandon = abandon,
	.get_info = get_info,
	.get_endpoint = get_endpoint,
	.get_counters = get_counters,
	.endpoint_memory = endpoint_memory,
	.window_open = window_open,
	.window_close = window_close,
	.store = glk_ucx_store,
	.load = glk_ucx_load,
	.memory_open = memory_open,
	.memory_close = memory_close,
	.submit = glk_ucx_submit,
	.take = glk_ucx_take,
	.sleep = glk_ucx_sleep,
	.count_errors = glk_ucx_count_errors,
	.descriptor = glk_ucx_descriptor,
	.lane_open = glk_ucx_lane_open,
	.open_queue = ucx_open_queue,
};

static int open_first(struct ucx *u, struct ucx_queue **queue)
{
	int error = glk_ucx_check_limits(u->options.caller);

	if (!error && u->options.by_launcher)
		error = glk_launcher_open(&u->options);
	if (error) {
		u->options.by_launcher = false; /* nothing to close */
		return error;
	}
	u->process = (uint32_t)u->options.process;
	u->processes = (uint32_t)u->options.processes;
	u->peers = calloc(u->processes, sizeof(*u->peers));
	u->closed = calloc(u->processes, sizeof(*u->closed));
	if (!u->peers || !u->closed)
		return -GPULINK_ENOMEM;
	for (uint32_t p = 0; p < u->processes; p++)
		u->peers[p].watch = -1;
	u->memory = mmap(NULL, u->options.memory, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (u->memory == MAP_FAILED) {
		u->memory = NULL;
		return -GPULINK_ENOMEM;
	}
	glk_ucx_machine_own(&u->machine);
	error = glk_wire_open(&wire_events, u, u->processes, &u->wire);
	if (!error)
		error = meet(u);
	if (!error)
		error = glk_hop_open(u);
	if (!error)
		error = glk_ucx_queue_open(u, queue);
	if (error)
		return error;
	error = glk_progress_start(u);
	if (error)
		glk_ucx_queue_close(*queue, true);
	return error;
}

static bool init_locks(struct ucx *u)
{
	pthread_condattr_t monotonic;
	bool well;

	if (pthread_condattr_init(&monotonic))
		return false;
	well = !pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) && !pthread_cond_init(&u->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	if (well && pthread_mutex_init(&u->lock.lock, NULL)) {
		pthread_cond_destroy(&u->changed);
		return false;
	}
	return well;
}

static int ucx_open(const char *text, const struct glk_backend_ops **ops, void **backend)
{
	struct ucx *u = calloc(1, sizeof(*u));
	struct ucx_queue *queue;
	int error;

	if (!u)
		return -GPULINK_ENOMEM;
	glk_error_plain(0); /* an earlier one is not of this call */
	u->poll = u->wake = -1;
	u->first_dirty = UCX_NO_PROCESS;
	error = glk_ucx_options_parse(text, &u->options);
	if (error || !init_locks(u)) {
		free(u);
		errno = EINVAL;
		return error ? error : -GPULINK_ENOMEM;
	}
	error = open_first(u, &queue);
	if (error) {
		ucx_destroy(u, true);
		return error;
	}
	*ops = &ucx_ops;
	*backend = queue;
	return 0;
}

const struct glk_ucx_module glk_ucx_module = { GLK_UCX_MODULE, GLK_VERSION, sizeof(struct glk_backend_ops), ucx_open,
					       glk_error_last };
