// SPDX-License-Identifier: Apache-2.0
/*
 * The card back end with a fake driver: ioctl() is replaced, and /dev/zero is the device node (its mappings are plain memory).
 * tests/vm tests the real driver; this tests its failures.
 */
#include <errno.h>
#include <linux/dma-buf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include <gpulink.h>
#include <gpulink_regs.h>
#include <temporary.h>

#include <linux/gpulink.h>
#include "../backend.h"

#define BOTH	  (GPULINK_READ | GPULINK_WRITE)
#define SECOND	  UINT64_C(1000000000)
#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

/* The driver's answers, and the requests it received. */
static struct {
	int error[10]; /* errno by the number of the ioctl, or 0 */
	unsigned calls[10];
	struct gpulink_ioctl_query query;
	struct gpulink_ioctl_endpoint endpoint;
	struct gpulink_ioctl_window_map window;
	struct gpulink_ioctl_register memory;
	struct gpulink_ioctl_register_dmabuf dmabuf;
	struct gpulink_ioctl_window_dmabuf window_dmabuf;
	int dmabuf_error;
	int sync_error;	      /* of a dma-buf's driver */
	unsigned sync_fails;  /* the number of the failing call, from 1 */
	uint64_t syncs[16];   /* received */
	unsigned sync_count;
	struct gpulink_ioctl_handle unmapped, unregistered;
	uint32_t errors, counters;
	struct rings {
		uint64_t sq[GLK_RING_MAX][GLK_SQE_WORDS], cq[GLK_RING_MAX][GLK_CQE_WORDS], bell[GLK_PAGE_SIZE / 8];
		uint16_t head;
	} rings;
	int map_error, wait_error;
	unsigned query_succeeds; /* times, before its error */
	unsigned ready;
} driver;

enum { QUERY, ENDPOINT, WINDOW_MAP, WINDOW_UNMAP, REGISTER, UNREGISTER, COUNTERS = 9 };

/* Executes up to `ready` entries in all. */
static int on_ring_wait(struct gpulink_ioctl_ring_wait *w)
{
	struct rings *r = &driver.rings;

	w->errors = driver.errors;
	for (; r->head != (uint16_t)r->bell[GLK_DOORBELL_SQ_TAIL / 8] && r->head < driver.ready; r->head++) {
		uint64_t *cqe = r->cq[r->head % GLK_RING_MAX];

		cqe[0] = r->sq[r->head % GLK_RING_MAX][GLK_SQE_TAG_Q];
		cqe[1] = UINT64_C(0x00fe000000000000) | (r->head & GLK_RING_MAX ? 0 : GLK_CQE_PHASE_MASK); /* a generation */
	}
	errno = driver.wait_error ? driver.wait_error : w->index >= r->head ? ETIMEDOUT : 0;
	if (errno == ETIMEDOUT && w->timeout_ns)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	assert_true(w->timeout_ns <= 60 * SECOND);
	return errno ? -1 : 0;
}

enum { SQ_OFFSET = 1 << 20, CQ_OFFSET = 2 << 20, BELL_OFFSET = 3 << 20 };

static int on_ring_map(struct gpulink_ioctl_ring_map *m)
{
	m->sq_offset = SQ_OFFSET;
	m->cq_offset = CQ_OFFSET;
	m->sq_bytes = sizeof(driver.rings.sq);
	m->cq_bytes = sizeof(driver.rings.cq);
	errno = driver.map_error;
	return errno ? -1 : 0;
}

static int on_counters(struct gpulink_ioctl_counters *c)
{
	for (unsigned i = 0; i < c->count && i < driver.counters; i++)
		((uint64_t *)(uintptr_t)c->values)[i] = 1000 * c->partition + i;
	c->count = driver.counters;
	return 0;
}

static int answer(unsigned number, void *argument)
{
	switch (number) {
	case QUERY:
		memcpy(argument, &driver.query, sizeof(driver.query));
		return 0;
	case ENDPOINT:
		memcpy(argument, &driver.endpoint, sizeof(driver.endpoint));
		return 0;
	case WINDOW_MAP:
		driver.window = *(struct gpulink_ioctl_window_map *)argument;
		((struct gpulink_ioctl_window_map *)argument)->handle = 33;
		((struct gpulink_ioctl_window_map *)argument)->mmap_offset = driver.calls[WINDOW_MAP] > 100;
		return 0;
	case WINDOW_UNMAP:
		driver.unmapped = *(struct gpulink_ioctl_handle *)argument;
		return 0;
	case REGISTER:
		driver.memory = *(struct gpulink_ioctl_register *)argument;
		((struct gpulink_ioctl_register *)argument)->handle = 44;
		return 0;
	case UNREGISTER:
		driver.unregistered = *(struct gpulink_ioctl_handle *)argument;
		return 0;
	default:
		return on_counters(argument);
	}
}

static int on_register_dmabuf(struct gpulink_ioctl_register_dmabuf *r)
{
	assert_int_equal(r->size, sizeof(*r));
	driver.dmabuf = *r;
	r->handle = 55;
	errno = driver.dmabuf_error;
	return errno ? -1 : 0;
}

static int on_window_dmabuf(struct gpulink_ioctl_window_dmabuf *w)
{
	assert_int_equal(w->size, sizeof(*w));
	driver.window_dmabuf = *w;
	w->handle = 66;
	errno = driver.dmabuf_error;
	return errno ? -1 : 0;
}

static int on_sync(const struct dma_buf_sync *sync)
{
	driver.syncs[driver.sync_count++ % 16] = sync->flags;
	errno = driver.sync_error;
	return driver.sync_count == driver.sync_fails ? -1 : 0;
}

int __wrap_ioctl(int fd, unsigned long request, void *argument);
void *__wrap_mmap64(void *at, size_t bytes, int protection, int flags, int fd, off_t offset);
void *__real_mmap64(void *at, size_t bytes, int protection, int flags, int fd, off_t offset);
int __wrap_munmap(void *at, size_t bytes);
int __real_munmap(void *at, size_t bytes);

static bool in_rings(const void *at)
{
	return (uintptr_t)at >= (uintptr_t)&driver.rings && (uintptr_t)at < (uintptr_t)(&driver.rings + 1);
}

void *__wrap_mmap64(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	switch (fd < 0 ? 0 : offset) {
	case SQ_OFFSET:
		return driver.rings.sq;
	case CQ_OFFSET:
		return driver.rings.cq;
	case BELL_OFFSET:
		return driver.rings.bell;
	default:
		return __real_mmap64(at, bytes, protection, flags, fd, offset);
	}
}

int __wrap_munmap(void *at, size_t bytes)
{
	return in_rings(at) ? 0 : __real_munmap(at, bytes);
}

int __wrap_ioctl(int fd, unsigned long request, void *argument)
{
	unsigned number = (unsigned)(request - GPULINK_IOCTL_QUERY);
	const uint32_t *head = argument;

	if (request == GPULINK_IOCTL_REGISTER_DMABUF)
		return on_register_dmabuf(argument);
	if (request == GPULINK_IOCTL_WINDOW_DMABUF)
		return on_window_dmabuf(argument);
	if (request == DMA_BUF_IOCTL_SYNC)
		return on_sync(argument);
	if (request == GPULINK_IOCTL_RING_WAIT)
		return on_ring_wait(argument);
	if (request == GPULINK_IOCTL_RING_MAP)
		return on_ring_map(argument);
	assert_true(fd >= 0 && number <= COUNTERS);
	assert_true(head[0] >= 16 && (head[1] == 0 || number == WINDOW_MAP || number == REGISTER)); /* size, flags */
	driver.calls[number]++;
	if (number == QUERY && driver.query_succeeds) {
		driver.query_succeeds--;
		return answer(number, argument);
	}
	if (driver.error[number]) {
		errno = driver.error[number];
		return -1;
	}
	return answer(number, argument);
}

static struct gpulink *device;

static int setup(void **state)
{
	(void)state;
	memset(&driver, 0, sizeof(driver));
	driver.query = (struct gpulink_ioctl_query){ .size = sizeof(driver.query), .abi_version = GPULINK_ABI_VERSION,
		.context = 5, .generation = 6, .features = 15, .partitions = 16, .ring_entries = 256,
		.subheader_widths = 0x7c, .queue_entries = 64, .doorbell_offset = BELL_OFFSET };
	driver.endpoint = (struct gpulink_ioctl_endpoint){ .kind = GPULINK_ENDPOINT_BUS, .bytes = 1 << 20 };
	memcpy(driver.endpoint.name, "0000:00:03.0 0", 15);
	driver.counters = sizeof(struct gpulink_counters) / 8;
	driver.ready = UINT32_MAX;
	return gpulink_open("/dev/zero", &device);
}

static int teardown(void **state)
{
	(void)state;
	gpulink_close(device);
	return driver.calls[QUERY] == 0;
}

static void opening(void **state)
{
	static const struct {
		int system, code;
	} cases[] = { { ENOTTY, GPULINK_ENODEV }, { EINVAL, GPULINK_EABI },   { E2BIG, GPULINK_EABI },
		      { ENODEV, GPULINK_ENODEV }, { ENOSPC, GPULINK_ENOSPC }, { ESTALE, GPULINK_ERESET },
		      { ENOMEM, GPULINK_ENOMEM }, { EPERM, GPULINK_EACCES },  { EIO, GPULINK_EIO } };
	char file[TEMPORARY_ROOM];
	struct gpulink *other = NULL;
	int fd;

	(void)state;
	for (unsigned i = 0; i < LENGTH(cases); i++) {
		driver.error[QUERY] = cases[i].system;
		assert_int_equal(gpulink_open("/dev/zero", &other), -cases[i].code);
	}
	driver.error[QUERY] = 0;
	fd = mkstemp(temporary_template(file, "gpulink-card-test"));
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(gpulink_open(file, &other), -GPULINK_ENODEV); /* not a device */
	assert_int_equal(unlink(file), 0);
	driver.query.abi_version = GPULINK_ABI_VERSION + 1;
	assert_int_equal(gpulink_open("/dev/zero", &other), -GPULINK_EABI);
	driver.query.abi_version = 0;
	assert_int_equal(gpulink_open("/dev/zero", &other), -GPULINK_EABI);
	driver.query.abi_version = GPULINK_ABI_VERSION;
	driver.map_error = ENOTTY;
	assert_int_equal(gpulink_open("/dev/zero", &other), -GPULINK_EABI);
	driver.map_error = ENOMEM;
	assert_int_equal(gpulink_open("/dev/zero", &other), -GPULINK_ENOMEM);
	assert_null(other);
}

static void info(void **state)
{
	struct gpulink_info info;
	struct gpulink_endpoint_info endpoint;

	(void)state;
	assert_int_equal(gpulink_get_info(device, &info, sizeof(info)), 0);
	assert_string_equal(info.name, "/dev/zero");
	assert_string_equal(info.kind, "card");
	assert_true(info.context == 5 && info.generation == 6 && info.features == 15 && info.partitions == 16);
	assert_true(info.subheader_widths == 0x7c && info.queue_entries == 64);
	assert_int_equal(gpulink_get_endpoint(device, 3, &endpoint, sizeof(endpoint)), 0);
	assert_string_equal(endpoint.name, "0000:00:03.0 0");
	assert_true(endpoint.partition == 3 && endpoint.present == 1 && endpoint.bytes == 1 << 20);
	driver.endpoint = (struct gpulink_ioctl_endpoint){ .kind = GPULINK_ENDPOINT_NONE };
	assert_int_equal(gpulink_get_endpoint(device, 3, &endpoint, sizeof(endpoint)), 0);
	assert_true(endpoint.present == 0 && endpoint.bytes == 0 && endpoint.name[0] == '\0');
	memset(driver.endpoint.name, 'x', sizeof(driver.endpoint.name)); /* not terminated */
	assert_int_equal(gpulink_get_endpoint(device, 3, &endpoint, sizeof(endpoint)), 0);
	assert_int_equal(strlen(endpoint.name), sizeof(endpoint.name) - 1);
	driver.error[ENDPOINT] = ESTALE;
	assert_int_equal(gpulink_get_endpoint(device, 3, &endpoint, sizeof(endpoint)), -GPULINK_ERESET);
}

static void endpoint_memory(void **state)
{
	static const char *const names[] = { "garbage", "", "0000:00:03.0", "zz:zz:zz.z 0" };
	void *memory = NULL;
	size_t bytes;

	(void)state;
	driver.endpoint.kind = GPULINK_ENDPOINT_NONE;
	assert_int_equal(gpulink_endpoint_memory(device, 0, &memory, &bytes), -GPULINK_ENOENDPOINT);
	driver.endpoint.kind = GPULINK_ENDPOINT_BUS;
	for (unsigned i = 0; i < LENGTH(names); i++) {
		memset(driver.endpoint.name, 0, sizeof(driver.endpoint.name));
		memcpy(driver.endpoint.name, names[i], strlen(names[i]));
		assert_int_equal(gpulink_endpoint_memory(device, 0, &memory, &bytes), -GPULINK_EPROTO);
	}
	memcpy(driver.endpoint.name, "ffff:ff:1f.7 5", 15); /* no such device in sysfs */
	assert_int_equal(gpulink_endpoint_memory(device, 0, &memory, &bytes), -GPULINK_ENODEV);
	memcpy(driver.endpoint.name, "pool", 5); /* /dev/zero is no PCI device */
	assert_int_equal(gpulink_endpoint_memory(device, 0, &memory, &bytes), -GPULINK_ENODEV);
	driver.error[ENDPOINT] = ENODEV;
	assert_int_equal(gpulink_endpoint_memory(device, 0, &memory, &bytes), -GPULINK_ENODEV);
	assert_null(memory);
}

static void windows(void **state)
{
	static const struct {
		int system, code;
	} cases[] = { { ENXIO, GPULINK_ENOENDPOINT },  { ERANGE, GPULINK_ERANGE }, { ENOSPC, GPULINK_ENOSPC },
		      { EDQUOT, GPULINK_ENOSPC },      { EINVAL, GPULINK_EINVAL }, { ENODEV, GPULINK_ENODEV },
		      { ESTALE, GPULINK_ERESET },      { EACCES, GPULINK_EACCES }, { EINTR, GPULINK_EINTR },
		      { EOPNOTSUPP, GPULINK_ENOTSUP }, { EBADF, GPULINK_EIO } };
	struct gpulink_window *window = NULL;
	char back[10];

	(void)state;
	for (unsigned i = 0; i < LENGTH(cases); i++) {
		driver.error[WINDOW_MAP] = cases[i].system;
		assert_int_equal(gpulink_window_open(device, 1, 4096, 8192, BOTH, &window), -cases[i].code);
	}
	driver.error[WINDOW_MAP] = 0;
	assert_null(window);
	assert_int_equal(gpulink_window_open(device, 7, 4096, 8192, BOTH, &window), 0);
	assert_true(driver.window.partition == 7 && driver.window.offset == 4096 && driver.window.bytes == 8192 &&
		    driver.window.flags == (GPULINK_ALLOW_READ | GPULINK_ALLOW_WRITE));
	assert_non_null(gpulink_window_address(window));
	assert_int_equal(gpulink_store(window, 8185, "at its end", 7), 0);
	assert_int_equal(gpulink_load(window, 8185, back, 7), 0);
	assert_memory_equal(back, "at its ", 7);
	assert_memory_equal((char *)gpulink_window_address(window) + 8185, "at its ", 7);
	gpulink_window_close(window);
	assert_int_equal(driver.unmapped.handle, 33);
	/* the mapping fails: the window is closed */
	window = NULL;
	driver.calls[WINDOW_MAP] = 100;
	driver.calls[WINDOW_UNMAP] = 0;
	assert_int_equal(gpulink_window_open(device, 7, 4096, 8192, BOTH, &window), -GPULINK_EINVAL);
	assert_int_equal(driver.calls[WINDOW_UNMAP], 1);
	assert_null(window);
}

static void memories(void **state)
{
	struct gpulink_memory *memory = NULL;
	char host[100];

	(void)state;
	driver.error[REGISTER] = ENOMEM;
	assert_int_equal(gpulink_memory_register(device, host, sizeof(host), GPULINK_READ, &memory), -GPULINK_ENOMEM);
	assert_null(memory);
	driver.error[REGISTER] = 0;
	assert_int_equal(gpulink_memory_register(device, host, sizeof(host), GPULINK_READ, &memory), 0);
	assert_true(driver.memory.address == (uintptr_t)host && driver.memory.bytes == 100 &&
		    driver.memory.flags == GPULINK_ALLOW_READ);
	gpulink_memory_unregister(memory);
	assert_int_equal(driver.unregistered.handle, 44);
}

static void dmabufs(void **state)
{
	static const struct {
		int system, code;
	} cases[] = { { EHOSTUNREACH, GPULINK_EUNREACHABLE }, { EBADF, GPULINK_EINVAL },   { EINVAL, GPULINK_EINVAL },
		      { ELOOP, GPULINK_EINVAL },	      { ERANGE, GPULINK_ERANGE },  { EACCES, GPULINK_EACCES },
		      { ENOMEM, GPULINK_ENOMEM },	      { ENOSPC, GPULINK_ENOSPC },  { ENODEV, GPULINK_ENODEV } };
	struct gpulink_window *window = NULL;
	struct gpulink_memory *memory = NULL;
	int fd = memfd_create("gpu", 0);
	struct stat given, passed;

	(void)state;
	assert_true(fd >= 0);
	for (unsigned i = 0; i < LENGTH(cases); i++) {
		driver.dmabuf_error = cases[i].system;
		assert_int_equal(gpulink_window_open_dmabuf(device, fd, 4096, 8192, BOTH, &window), -cases[i].code);
		assert_int_equal(gpulink_memory_register_dmabuf(device, fd, 1, 2, BOTH, &memory), -cases[i].code);
	}
	driver.dmabuf_error = ENXIO;
	assert_int_equal(gpulink_window_open_dmabuf(device, fd, 4096, 8192, BOTH, &window), -GPULINK_ENOENDPOINT);
	driver.dmabuf_error = EOPNOTSUPP;
	assert_int_equal(gpulink_window_open_dmabuf(device, fd, 4096, 8192, BOTH, &window), -GPULINK_ENOTSUP);
	assert_true(!memory && !window);
	driver.dmabuf_error = 0;
	assert_int_equal(gpulink_window_open_dmabuf(device, fd, 4096, 8192, GPULINK_WRITE, &window), 0);
	assert_true(driver.window_dmabuf.offset == 4096 && driver.window_dmabuf.bytes == 8192 &&
		    driver.window_dmabuf.flags == GPULINK_ALLOW_WRITE && gpulink_window_address(window));
	assert_int_equal(gpulink_put(window, 8192, "x", 1, GPULINK_NO_TAG), -GPULINK_ERANGE);
	gpulink_window_close(window);
	assert_int_equal(driver.unmapped.handle, 66);
	assert_int_equal(gpulink_memory_register_dmabuf(device, fd, 4100, 50, GPULINK_WRITE, &memory), 0);
	assert_true(!fstat(fd, &given) && !fstat(driver.dmabuf.fd, &passed) && given.st_ino == passed.st_ino);
	assert_true(driver.dmabuf.offset == 4100 && driver.dmabuf.bytes == 50 &&
		    driver.dmabuf.flags == GPULINK_ALLOW_WRITE);
	gpulink_memory_unregister(memory);
	assert_int_equal(driver.unregistered.handle, 55);
	close(fd);
}

/* The dma-buf's driver is notified of every access, and may reject it. */
static void staging(void **state)
{
	const uint64_t expected[] = { DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ, DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ,
				      DMA_BUF_SYNC_START | DMA_BUF_SYNC_WRITE, DMA_BUF_SYNC_END | DMA_BUF_SYNC_WRITE };
	int fd = memfd_create("gpu", 0);
	struct gpulink_completion done;
	struct gpulink_memory *memory;
	struct gpulink_window *window;

	(void)state;
	assert_true(fd >= 0 && !ftruncate(fd, 4096));
	assert_int_equal(gpulink_window_open(device, 0, 0, 4096, BOTH, &window), 0);
	assert_int_equal(gpulink_memory_register_staged(device, fd, 0, 100, BOTH, &memory), 0);
	assert_true(driver.memory.bytes == 100 && driver.memory.flags == BOTH);
	assert_int_equal(gpulink_put_memory(window, 0, memory, 0, 8, 1), 0);
	assert_int_equal(gpulink_get(window, 0, memory, 0, 8, 2), 0);
	assert_true(gpulink_wait(device, &done, 1, 1, SECOND) == 1 && !done.error);
	assert_true(gpulink_wait(device, &done, 1, 1, SECOND) == 1 && !done.error);
	assert_int_equal(driver.sync_count, 4);
	assert_memory_equal(driver.syncs, expected, sizeof(expected));

	driver.sync_fails = 5;
	driver.sync_error = EINTR; /* once: retried */
	assert_int_equal(gpulink_put_memory(window, 0, memory, 0, 8, 3), 0);
	assert_int_equal(driver.sync_count, 7);
	driver.sync_fails = 8;
	driver.sync_error = ENODEV;
	assert_int_equal(gpulink_put_memory(window, 0, memory, 0, 8, 4), -GPULINK_EIO);
	driver.sync_fails = 10;
	assert_int_equal(gpulink_get(window, 0, memory, 0, 8, 5), 0);
	assert_true(gpulink_wait(device, &done, 1, 1, SECOND) == 1 && done.tag == 3 && !done.error);
	assert_true(gpulink_wait(device, &done, 1, 1, SECOND) == 1 && done.tag == 5 && done.error == -GPULINK_EIO);
	assert_int_equal(done.status, GLK_ST_OK); /* the card succeeded */
	close(fd);
}

static void ring(void **state)
{
	struct gpulink_completion done[10];
	struct gpulink_window *window;

	(void)state;
	assert_int_equal(gpulink_window_open(device, 0, 0, 4096, BOTH, &window), 0);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(gpulink_put(window, 0, "x", 1, 100 + i), 0);
	driver.ready = 2;
	assert_int_equal(gpulink_wait(device, done, 10, 3, SECOND / 100), 2); /* timeout after two */
	assert_int_equal(done[1].tag, 101);
	assert_int_equal(done[1].error, 0);
	assert_int_equal(gpulink_wait(device, done, 10, 1, SECOND / 100), -GPULINK_ETIMEDOUT);
	driver.ready = 6; /* with the library's own */
	assert_int_equal(gpulink_wait(device, done, 10, 3, UINT64_MAX), 3);
	assert_int_equal(gpulink_put(window, 0, "x", 1, 0), 0);
	driver.wait_error = EIO; /* the ring stopped */
	assert_int_equal(gpulink_wait(device, done, 10, 1, SECOND), -GPULINK_EPROTO);
	driver.wait_error = ENODEV;
	assert_int_equal(gpulink_wait(device, done, 10, 1, SECOND), -GPULINK_ENODEV);
	driver.wait_error = ESTALE;
	assert_int_equal(gpulink_wait(device, done, 10, 1, SECOND), -GPULINK_ERESET);
}

static void releases(void **state)
{
	(void)state;
	assert_int_equal(gpulink_release(device, SECOND), 0);
	driver.errors = 1;
	assert_int_equal(gpulink_release(device, SECOND), -GPULINK_EFAULT);
	assert_int_equal(gpulink_release(device, SECOND), 0);
	driver.ready = 0;
	assert_int_equal(gpulink_release(device, SECOND / 50), -GPULINK_ETIMEDOUT);
	driver.wait_error = EIO;
	assert_int_equal(gpulink_release(device, SECOND), -GPULINK_EPROTO);
	driver.wait_error = ESTALE;
	assert_int_equal(gpulink_release(device, SECOND), -GPULINK_ERESET);
	driver.wait_error = ENODEV;
	assert_int_equal(gpulink_release(device, SECOND), -GPULINK_ENODEV);
	driver.wait_error = 0;
	driver.ready = UINT32_MAX;
	assert_int_equal(gpulink_release(device, SECOND), 0);
}

/* A queue is another open of the device; if that changed meanwhile, it is refused. */
static void queues(void **state)
{
	struct gpulink_queue *queue = NULL;
	struct gpulink_window *window;

	(void)state;
	driver.error[QUERY] = ESTALE;
	assert_int_equal(gpulink_queue_open(device, &queue), -GPULINK_ERESET);
	driver.query_succeeds = 1; /* the second open succeeds, the first one is stale */
	assert_int_equal(gpulink_queue_open(device, &queue), -GPULINK_ERESET);
	assert_null(queue);
	driver.error[QUERY] = 0;
	assert_int_equal(gpulink_queue_open(device, &queue), 0);
	assert_int_equal(gpulink_window_open(device, 0, 0, 4096, BOTH, &window), 0);
	driver.calls[WINDOW_MAP] = driver.calls[WINDOW_UNMAP] = 0;
	/* another endpoint than the program opened the window for */
	memcpy(driver.endpoint.name, "0000:00:04.0 0", 15);
	assert_int_equal(gpulink_queue_put(queue, window, 0, "x", 1, 1), -GPULINK_ENOENDPOINT);
	memcpy(driver.endpoint.name, "0000:00:03.0 0", 15);
	driver.endpoint.bytes /= 2;
	assert_int_equal(gpulink_queue_put(queue, window, 0, "x", 1, 1), -GPULINK_ENOENDPOINT);
	assert_true(driver.calls[WINDOW_MAP] == 2 && driver.calls[WINDOW_UNMAP] == 2);
	driver.endpoint.bytes *= 2;
	assert_int_equal(gpulink_queue_store(queue, window, 0, "x", 1), 0);
	assert_int_equal(gpulink_queue_store(queue, window, 1, "y", 1), 0);
	assert_int_equal(driver.calls[WINDOW_MAP], 3); /* once */
	gpulink_queue_close(queue);
	assert_int_equal(driver.calls[WINDOW_UNMAP], 3);
}

static void counters(void **state)
{
	struct gpulink_counters c;

	(void)state;
	assert_int_equal(gpulink_get_counters(device, 9, &c, sizeof(c)), 0);
	assert_true(c.stores == 9000 && c.store_bytes == 9001 && c.flush_drain == 9016 && c.region_bytes == 9023);
	driver.counters = 100; /* a later kernel has more */
	assert_int_equal(gpulink_get_counters(device, 9, &c, sizeof(c)), 0);
	driver.counters = 21;
	assert_int_equal(gpulink_get_counters(device, 9, &c, sizeof(c)), -GPULINK_EPROTO);
	driver.error[COUNTERS] = ENODEV;
	assert_int_equal(gpulink_get_counters(device, 9, &c, sizeof(c)), -GPULINK_ENODEV);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(opening), TEST(info), TEST(endpoint_memory), TEST(windows), TEST(memories), TEST(dmabufs), TEST(staging),
		TEST(ring),    TEST(releases), TEST(queues), TEST(counters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
