// SPDX-License-Identifier: Apache-2.0
/*
 * The card back end with a fake driver: ioctl() is replaced, and /dev/zero is the device node (its mappings are plain memory).
 * tests/vm tests the real driver; this tests its failures.
 */
#include <errno.h>
#include <linux/dma-buf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include <gpulink.h>
#include <gpulink_regs.h>
#include <temporary.h>

#include "../../kmod/uapi/gpulink.h"

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
	struct gpulink_ioctl_wait wait;
	struct gpulink_ioctl_release release;
	uint64_t released_ns;
	unsigned release_after; /* calls until a release succeeds */
	uint32_t errors, counters;
	uint64_t tags[256];
	unsigned submitted, completed, ready;
} driver;

enum { QUERY, ENDPOINT, WINDOW_MAP, WINDOW_UNMAP, REGISTER, UNREGISTER, SUBMIT, WAIT, RELEASE, COUNTERS };

static int on_submit(struct gpulink_ioctl_submit *s)
{
	assert_int_equal(s->size, sizeof(*s));
	driver.tags[driver.submitted++ % 256] = ((const uint64_t *)(uintptr_t)s->entries)[1];
	s->submitted = 1;
	return 0;
}

static int on_wait(struct gpulink_ioctl_wait *w)
{
	uint64_t *out = (uint64_t *)(uintptr_t)w->completions;

	driver.wait = *w;
	for (w->completed = 0; w->completed < w->count && driver.completed < driver.ready; w->completed++) {
		*out++ = driver.tags[driver.completed++ % 256];
		*out++ = UINT64_C(0x00ff000000000000); /* a generation */
	}
	errno = ETIMEDOUT;
	return w->completed < w->least ? -1 : 0;
}

static int on_release(struct gpulink_ioctl_release *r)
{
	assert_true(r->timeout_ns >= 1 && r->timeout_ns <= 60 * SECOND);
	driver.release = *r;
	driver.released_ns += r->timeout_ns;
	errno = ETIMEDOUT;
	if (driver.release_after && driver.release_after--)
		return -1;
	r->errors = driver.errors;
	errno = driver.error[RELEASE];
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
	case SUBMIT:
		return on_submit(argument);
	case WAIT:
		return on_wait(argument);
	case RELEASE:
		return on_release(argument);
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
	assert_true(fd >= 0 && number <= COUNTERS + 1);
	if (number > COUNTERS) { /* no mapped rings; card_ring_test.c tests these */
		errno = ENOTTY;
		return -1;
	}
	assert_true(head[0] >= 16 && (head[1] == 0 || number == WINDOW_MAP || number == REGISTER)); /* size, flags */
	driver.calls[number]++;
	if (driver.error[number] && number != RELEASE) {
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
		.subheader_widths = 0x7c, .queue_entries = 64 };
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
	driver.query.ring_entries = 512; /* more than the library supports */
	assert_int_equal(gpulink_open("/dev/zero", &other), -GPULINK_EABI);
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
	} cases[] = { { ENXIO, GPULINK_ENOENDPOINT }, { ERANGE, GPULINK_ERANGE }, { ENOSPC, GPULINK_ENOSPC },
		      { EINVAL, GPULINK_EINVAL },     { ENODEV, GPULINK_ENODEV }, { ESTALE, GPULINK_ERESET },
		      { EACCES, GPULINK_EACCES },     { EINTR, GPULINK_EINTR },	  { EOPNOTSUPP, GPULINK_ENOTSUP },
		      { EBADF, GPULINK_EIO } };
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

	(void)state;
	for (unsigned i = 0; i < LENGTH(cases); i++) {
		driver.dmabuf_error = cases[i].system;
		assert_int_equal(gpulink_window_open_dmabuf(device, 9, 4096, 8192, BOTH, &window), -cases[i].code);
		assert_int_equal(gpulink_memory_register_dmabuf(device, 9, 1, 2, BOTH, &memory), -cases[i].code);
	}
	driver.dmabuf_error = ENXIO;
	assert_int_equal(gpulink_window_open_dmabuf(device, 9, 4096, 8192, BOTH, &window), -GPULINK_ENOENDPOINT);
	driver.dmabuf_error = EOPNOTSUPP;
	assert_int_equal(gpulink_window_open_dmabuf(device, 9, 4096, 8192, BOTH, &window), -GPULINK_ENOTSUP);
	assert_true(!memory && !window);
	driver.dmabuf_error = 0;
	assert_int_equal(gpulink_window_open_dmabuf(device, 9, 4096, 8192, GPULINK_WRITE, &window), 0);
	assert_true(driver.window_dmabuf.fd == 9 && driver.window_dmabuf.offset == 4096 && driver.window_dmabuf.bytes == 8192 &&
		    driver.window_dmabuf.flags == GPULINK_ALLOW_WRITE && gpulink_window_address(window));
	assert_int_equal(gpulink_put(window, 8192, "x", 1, GPULINK_NO_TAG), -GPULINK_ERANGE);
	gpulink_window_close(window);
	assert_int_equal(driver.unmapped.handle, 66);
	assert_int_equal(gpulink_memory_register_dmabuf(device, 9, 4100, 50, GPULINK_WRITE, &memory), 0);
	assert_true(driver.dmabuf.fd == 9 && driver.dmabuf.offset == 4100 && driver.dmabuf.bytes == 50 &&
		    driver.dmabuf.flags == GPULINK_ALLOW_WRITE);
	gpulink_memory_unregister(memory);
	assert_int_equal(driver.unregistered.handle, 55);
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
	driver.ready = 2;
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
	driver.ready = 4;
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
	assert_int_equal(gpulink_wait(device, done, 10, 3, 1000), 2); /* timeout after two */
	assert_true(driver.wait.timeout_ns <= 1000);
	assert_int_equal(done[1].tag, 101);
	assert_int_equal(done[1].error, 0);
	assert_int_equal(gpulink_wait(device, done, 10, 1, 1000), -GPULINK_ETIMEDOUT);
	driver.error[WAIT] = EINTR;
	assert_int_equal(gpulink_wait(device, done, 10, 1, 60 * SECOND), -GPULINK_EINTR);
	driver.error[WAIT] = 0;
	driver.ready = 5;
	assert_int_equal(gpulink_wait(device, done, 10, 3, UINT64_MAX), 3);
	assert_true(driver.wait.timeout_ns <= 60 * SECOND); /* the kernel allows no more at once */
	driver.error[SUBMIT] = EAGAIN; /* full, and nothing in flight */
	assert_int_equal(gpulink_put(window, 0, "x", 1, 0), -GPULINK_EPROTO);
	driver.error[SUBMIT] = ENODEV;
	assert_int_equal(gpulink_put(window, 0, "x", 1, 0), -GPULINK_ENODEV);
	driver.error[SUBMIT] = ESTALE;
	assert_int_equal(gpulink_put(window, 0, "x", 1, 0), -GPULINK_ERESET);
}

static void releases(void **state)
{
	(void)state;
	assert_int_equal(gpulink_release(device, 5), 0);
	assert_true(driver.release.timeout_ns == 5);
	driver.released_ns = 0;
	driver.release_after = 3;
	assert_int_equal(gpulink_release(device, 25 * SECOND), -GPULINK_ETIMEDOUT);
	assert_true(driver.released_ns == 25 * SECOND); /* in several calls, not longer in total */
	assert_int_equal(driver.release_after, 0);
	driver.release_after = 7;
	assert_int_equal(gpulink_release(device, UINT64_MAX), 0); /* until it completes */
	driver.errors = 1;
	assert_int_equal(gpulink_release(device, 1), -GPULINK_EFAULT);
	assert_int_equal(gpulink_release(device, 1), 0);
	driver.error[RELEASE] = EIO;
	driver.errors = 2;
	assert_int_equal(gpulink_release(device, 1), -GPULINK_EENDPOINT);
	driver.error[RELEASE] = EBUSY; /* the ring is full of releases that timed out before */
	assert_int_equal(gpulink_release(device, 1), -GPULINK_EBUSY);
	driver.error[RELEASE] = ESTALE;
	assert_int_equal(gpulink_release(device, 1), -GPULINK_ERESET);
	driver.error[RELEASE] = ENODEV;
	assert_int_equal(gpulink_release(device, 1), -GPULINK_ENODEV);
	driver.error[RELEASE] = 0;
	assert_int_equal(gpulink_release(device, 1), 0);
}

static void counters(void **state)
{
	struct gpulink_counters c;

	(void)state;
	assert_int_equal(gpulink_get_counters(device, 9, &c, sizeof(c)), 0);
	assert_true(c.stores == 9000 && c.store_bytes == 9001 && c.flush_drain == 9016 && c.err_endpoint == 9021);
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
		TEST(ring),    TEST(releases), TEST(counters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
