// SPDX-License-Identifier: Apache-2.0
/* A card through its driver: ioctls and mappings of /dev/gpulinkN, and BARs of endpoints in sysfs. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "../error_text.h"
#include "card_context.h"

static int call(const struct card *card, unsigned long request, void *argument)
{
	return ioctl(card->fd, request, argument) ? glk_card_code_of(errno) : 0;
}

static void get_info(void *backend, struct gpulink_info *info)
{
	const struct card *card = backend;

	strcpy(info->kind, "card");
	info->partitions = card->query.partitions;
	info->queue_entries = card->query.queue_entries;
	info->subheader_widths = card->query.subheader_widths;
	info->context = card->query.context;
	info->generation = card->query.generation;
	info->features = card->query.features;
}

static int get_endpoint(void *backend, unsigned partition, struct gpulink_endpoint_info *info)
{
	struct gpulink_ioctl_endpoint e = { .size = sizeof(e), .partition = partition };
	int error = call(backend, GPULINK_IOCTL_ENDPOINT, &e);

	if (error)
		return error;
	_Static_assert(sizeof(info->name) == sizeof(e.name), "the kernel's name fits");
	memcpy(info->name, e.name, sizeof(info->name));
	info->name[sizeof(info->name) - 1] = '\0';
	info->present = e.kind != GPULINK_ENDPOINT_NONE;
	info->bytes = e.bytes;
	return 0;
}

/* The structure has the counters in register order. */
static int get_counters(void *backend, unsigned partition, struct gpulink_counters *counters)
{
	enum { KNOWN = sizeof(*counters) / sizeof(uint64_t) };
	struct gpulink_ioctl_counters c = {
		.size = sizeof(c), .partition = partition, .count = KNOWN, .values = (uintptr_t)counters,
	};
	int error = call(backend, GPULINK_IOCTL_COUNTERS, &c);

	return error ? error : c.count < KNOWN ? -GPULINK_EPROTO : 0;
}

/* The sysfs file that maps the endpoint's memory. */
static int resource_path(const struct card *card, const char *endpoint, char *path, size_t room)
{
	unsigned domain, bus, slot, function, bar;

	if (!strcmp(endpoint, "pool"))
		snprintf(path, room, "/sys/dev/char/%u:%u/device/resource4", major(card->number), minor(card->number));
	else if (sscanf(endpoint, "%8x:%2x:%2x.%1x %1u", &domain, &bus, &slot, &function, &bar) == 5)
		snprintf(path, room, "/sys/bus/pci/devices/%04x:%02x:%02x.%x/resource%u", domain, bus, slot, function, bar);
	else
		return strncmp(endpoint, "link ", 5) ? -GPULINK_EPROTO : -GPULINK_ENOTSUP;
	return 0;
}

/*
 * Opens it. x86 allows any access to uncached memory; elsewhere it must be aligned, which neither memcpy() nor a compiler
 * guarantees, so a prefetchable BAR is mapped as write-combining, where access is free.
 */
static int resource_open(char *path, size_t room)
{
#ifndef __x86_64__
	size_t length = strlen(path);
	int fd;

	snprintf(path + length, room - length, "_wc");
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	path[length] = '\0';
#else
	(void)room;
#endif
	return open(path, O_RDWR | O_CLOEXEC);
}

static int map_endpoint(struct card *card, unsigned partition)
{
	struct gpulink_ioctl_endpoint e = { .size = sizeof(e), .partition = partition };
	char path[PATH_MAX];
	void *memory;
	int error = call(card, GPULINK_IOCTL_ENDPOINT, &e), fd;

	if (error)
		return error;
	if (e.kind == GPULINK_ENDPOINT_NONE)
		return -GPULINK_ENOENDPOINT;
	e.name[sizeof(e.name) - 1] = '\0';
	error = resource_path(card, (const char *)e.name, path, sizeof(path));
	if (error)
		return error;
	fd = resource_open(path, sizeof(path));
	if (fd < 0)
		return glk_error_errno(glk_card_code_of(errno), "%s", path);
	memory = glk_card_map(e.bytes, PROT_READ | PROT_WRITE, fd, e.offset);
	error = memory ? 0 : glk_card_code_of(errno);
	close(fd);
	if (error)
		return error;
	card->endpoints[partition].memory = memory;
	card->endpoints[partition].bytes = e.bytes;
	return 0;
}

static int endpoint_memory(void *backend, unsigned partition, void **memory, size_t *bytes)
{
	struct card *card = backend;
	int error = 0;

	if (partition >= GLK_PARTITION_COUNT)
		return -GPULINK_EINVAL;
	if (!card->endpoints[partition].memory)
		error = map_endpoint(card, partition);
	if (error)
		return error;
	*memory = card->endpoints[partition].memory;
	*bytes = card->endpoints[partition].bytes;
	return 0;
}

_Static_assert(GPULINK_READ == GPULINK_ALLOW_READ && GPULINK_WRITE == GPULINK_ALLOW_WRITE, "rights are passed on");

static int unmap(const struct card *card, uint32_t handle)
{
	struct gpulink_ioctl_handle h = { .size = sizeof(h), .handle = handle };

	return call(card, GPULINK_IOCTL_WINDOW_UNMAP, &h);
}

/* The mapping of a window that the driver has just opened; closes it again if that fails. */
static int map_window(const struct card *card, uint32_t handle, uint64_t mmap_offset, uint64_t bytes, unsigned rights,
		      struct glk_backend_window *window)
{
	int protection = (rights & GPULINK_READ ? PROT_READ : 0) | (rights & GPULINK_WRITE ? PROT_WRITE : 0), error;
	void *address = glk_card_map(bytes, protection, card->fd, mmap_offset);

	if (!address) {
		error = glk_card_code_of(errno);
		unmap(card, handle);
		return error;
	}
	*window = (struct glk_backend_window){ .handle = handle, .address = address };
	return 0;
}

static int window_open(void *backend, unsigned partition, uint64_t offset, uint64_t bytes, unsigned rights,
		       struct glk_backend_window *window)
{
	struct gpulink_ioctl_window_map w = {
		.size = sizeof(w), .flags = rights, .partition = partition, .offset = offset, .bytes = bytes,
	};
	int error = call(backend, GPULINK_IOCTL_WINDOW_MAP, &w);

	return error ? error : map_window(backend, w.handle, w.mmap_offset, bytes, rights, window);
}

static int window_import(void *backend, int dmabuf, uint64_t offset, uint64_t bytes, unsigned rights,
			 struct glk_backend_window *window)
{
	const struct card *card = backend;
	struct gpulink_ioctl_window_dmabuf w = {
		.size = sizeof(w), .flags = rights, .fd = dmabuf, .offset = offset, .bytes = bytes,
	};
	int error;

	if (ioctl(card->fd, GPULINK_IOCTL_WINDOW_DMABUF, &w))
		return errno == EBADF || errno == ELOOP ? -GPULINK_EINVAL : glk_card_code_of(errno);
	error = map_window(card, w.handle, w.mmap_offset, bytes, rights, window);
	if (!error)
		window->partition = w.partition;
	return error;
}

static int window_export(void *backend, const struct glk_backend_window *window)
{
	struct gpulink_ioctl_handle h = { .size = sizeof(h), .handle = window->handle };
	const struct card *card = backend;
	int dmabuf = ioctl(card->fd, GPULINK_IOCTL_WINDOW_EXPORT, &h);

	return dmabuf < 0 ? glk_card_code_of(errno) : dmabuf;
}

static void window_close(void *backend, const struct glk_backend_window *window, uint64_t bytes)
{
	munmap(window->address, bytes);
	unmap(backend, window->handle); /* fails after removal or reset, which closed the window */
}

static int memory_open(void *backend, void *address, size_t bytes, unsigned rights, uint32_t *handle)
{
	struct gpulink_ioctl_register r = {
		.size = sizeof(r), .flags = rights, .address = (uintptr_t)address, .bytes = bytes,
	};
	int error = call(backend, GPULINK_IOCTL_REGISTER, &r);

	*handle = r.handle;
	return error;
}

static int memory_import(void *backend, int dmabuf, uint64_t offset, size_t bytes, unsigned rights, uint32_t *handle)
{
	const struct card *card = backend;
	struct gpulink_ioctl_register_dmabuf r = {
		.size = sizeof(r), .flags = rights, .fd = dmabuf, .offset = offset, .bytes = bytes,
	};

	if (ioctl(card->fd, GPULINK_IOCTL_REGISTER_DMABUF, &r))
		return errno == EBADF || errno == ELOOP ? -GPULINK_EINVAL : glk_card_code_of(errno);
	*handle = r.handle;
	return 0;
}

static void memory_close(void *backend, uint32_t handle)
{
	struct gpulink_ioctl_handle h = { .size = sizeof(h), .handle = handle };

	call(backend, GPULINK_IOCTL_UNREGISTER, &h);
}

static int submit(void *backend, const uint64_t entry[GLK_SQE_WORDS])
{
	const struct card *card = backend;

	return glk_card_ring_submit(card->ring, entry);
}

static int card_take(void *backend, uint64_t (*completions)[GLK_CQE_WORDS], unsigned room)
{
	const struct card *card = backend;

	return glk_card_ring_take(card->ring, completions, room);
}

/* A ring that stopped is not an error of the system. */
static int ring_code_of(int error)
{
	return error == EIO ? -GPULINK_EPROTO : error ? glk_card_code_of(error) : 0;
}

static int sleep_for(void *backend, uint64_t entry, uint64_t timeout_ns)
{
	const struct card *card = backend;

	return ring_code_of(-glk_card_ring_sleep(card->ring, entry, timeout_ns, NULL));
}

static int count_errors(void *backend, uint64_t entry, uint32_t *errors)
{
	const struct card *card = backend;

	return ring_code_of(-glk_card_ring_sleep(card->ring, entry, 0, errors));
}

static int descriptor(void *backend)
{
	const struct card *card = backend;

	if (card->ring)
		glk_card_ring_poll(card->ring);
	return card->fd;
}

static int doorbell(void *backend, struct gpulink_doorbell *pages)
{
	struct card *card = backend;
	int error = glk_card_map_record(card);

	if (error)
		return error;
	*pages = (struct gpulink_doorbell){ .page = glk_card_ring_doorbell(card->ring), .record = card->record };
	return 0;
}

static void card_close(void *backend)
{
	struct card *card = backend;

	if (card->pools)
		card_close(glk_card_pools_close(card->pools, false));
	if (card->record)
		munmap(card->record, GLK_PAGE_SIZE);
	if (card->ring)
		glk_card_ring_close(card->ring);
	for (unsigned p = 0; p < GLK_PARTITION_COUNT; p++)
		if (card->endpoints[p].memory)
			munmap(card->endpoints[p].memory, card->endpoints[p].bytes);
	close(card->fd);
	free(card);
}

/* Mappings stay: the driver and glk_card_map() keep them from children. Until the descriptor is closed, it keeps the context.
 */
static void card_abandon(void *backend)
{
	struct card *card = backend;

	if (card->pools)
		card_abandon(glk_card_pools_close(card->pools, true));
	close(card->fd);
	free(card->ring);
	free(card);
}

static int card_open_queue(void *backend, bool rings, void **queue);

/* The first one opens another context, for operations on all of them. */
static int pool_open(void *backend, int fd, struct glk_backend_pool *pool)
{
	struct card *card = backend;
	void *queue;
	int error;

	if (!card->pools) {
		error = card_open_queue(card, true, &queue);
		if (error)
			return error;
		error = glk_card_pools_open(queue, &card->pools);
		if (error) {
			card_close(queue);
			return error;
		}
	}
	return glk_card_object_open(card, fd, pool);
}

static const struct glk_backend_ops card_ops = {
	.close = card_close,
	.abandon = card_abandon,
	.get_info = get_info,
	.get_endpoint = get_endpoint,
	.get_counters = get_counters,
	.endpoint_memory = endpoint_memory,
	.window_open = window_open,
	.window_import = window_import,
	.window_export = window_export,
	.window_close = window_close,
	.memory_open = memory_open,
	.memory_import = memory_import,
	.memory_close = memory_close,
	.submit = submit,
	.take = card_take,
	.sleep = sleep_for,
	.count_errors = count_errors,
	.descriptor = descriptor,
	.doorbell = doorbell,
	.region_open = glk_card_region_open,
	.region_close = glk_card_region_close,
	.region_write = glk_card_region_write,
	.region_wait = glk_card_region_wait,
	.pool_create = glk_card_object_create,
	.pool_share = glk_card_object_share,
	.pool_open = pool_open,
	.pool_close = glk_card_object_close,
	.pool_clock = glk_card_object_clock,
	.pool_read = glk_card_object_read,
	.pool_renew = glk_card_object_renew,
	.pool_write = glk_card_object_write,
	.pool_atomic = glk_card_object_atomic,
	.pool_load = glk_card_object_load,
	.pool_store = glk_card_object_store,
	.open_queue = card_open_queue,
};

static int introduce(struct card *card, const char *path, bool rings)
{
	struct stat status;
	int error;

	if (fstat(card->fd, &status))
		return glk_card_code_of(errno);
	if (!S_ISCHR(status.st_mode))
		return glk_error(-GPULINK_ENODEV, "%s is not a device", path);
	card->number = status.st_rdev;
	card->query.size = sizeof(card->query);
	if (ioctl(card->fd, GPULINK_IOCTL_QUERY, &card->query)) {
		error = errno; /* ENOTTY: another driver's device */
		if (error == ENOTTY)
			return glk_error(-GPULINK_ENODEV, "%s is not a gpulink card", path);
		return glk_error_errno(error == EINVAL || error == E2BIG ? -GPULINK_EABI : glk_card_code_of(error), "%s, query",
				       path);
	}
	if (card->query.abi_version != GPULINK_ABI_VERSION)
		return glk_error(-GPULINK_EABI, "%s: interface version %u of the driver: must be %u", path,
				 card->query.abi_version, GPULINK_ABI_VERSION);
	error = rings ? -glk_card_ring_open(card->fd, card->query.doorbell_offset, &card->ring) : 0;
	if (!error)
		return 0;
	errno = error;
	return glk_error_errno(error == ENOTTY ? -GPULINK_EABI : glk_card_code_of(error), "%s, rings of a context", path);
}

static int open_path(const char *path, bool rings, struct card **out)
{
	struct card *card = calloc(1, sizeof(*card));
	int error;

	if (!card)
		return -GPULINK_ENOMEM;
	card->fd = open(path, O_RDWR | O_CLOEXEC);
	if (card->fd < 0) {
		/* A node without a device, or not a node. */
		error = errno == ENXIO || errno == ENOTDIR || errno == EISDIR ? -GPULINK_ENODEV : glk_card_code_of(errno);
		glk_error_errno(error, "%s", path);
		free(card);
		return error;
	}
	error = introduce(card, path, rings);
	if (error)
		card_close(card);
	else
		*out = card;
	return error;
}

/*
 * Opens the same device again, by the descriptor: the path may name another card by now. If the first context is still usable
 * afterwards, the second is one of the same card since the same reset.
 */
static int card_open_queue(void *backend, bool rings, void **queue)
{
	const struct card *first = backend;
	struct gpulink_ioctl_query query = { .size = sizeof(query) };
	struct card *card;
	char path[32];
	int error;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", first->fd);
	error = open_path(path, rings, &card);
	if (error)
		return error;
	error = call(first, GPULINK_IOCTL_QUERY, &query);
	if (error)
		card_close(card);
	else
		*queue = card;
	return error;
}

int glk_card_open(const char *name, const struct glk_backend_ops **ops, void **backend)
{
	struct card *card;
	char path[PATH_MAX];
	int error;

	snprintf(path, sizeof(path), "%s%s", strchr(name, '/') ? "" : "/dev/", name);
	error = open_path(path, true, &card);
	if (!error) {
		*ops = &card_ops;
		*backend = card;
	}
	return error;
}
