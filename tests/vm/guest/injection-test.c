// SPDX-License-Identifier: Apache-2.0
/*
 * injection-test DEVICE SYSFS PCI: fault injection: every driver call, with each of its allocations and user copies failing in
 * turn. TAP.
 * Requires the debug kernel with fault injection set up (tests/vm/suites/injection.sh), a bus endpoint of at least 64 KiB in
 * partition 0, and no other user of the card.
 *
 * For each call, fail-nth counts up from 1 until the call completes without an injected failure. Until then it may fail with
 * ENOMEM or EFAULT, or succeed. Afterwards as many contexts, windows, registrations and bytes of the pool must be free as
 * before, with no page pinned. Leaks are left to kmemleak.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/gpulink.h>
#include <tap.h>

enum { NTH_MAX = 20000, BYTES = 65536, BIG_BYTES = 8 << 20, ENTRIES = 100, HANDLES_MAX = 4096 };

#define SECOND 1000000000ULL

static const char *device, *sysfs, *pci;
static int fail_nth;

/* --- objects the calls use --- */

static struct {
	int fd;
	unsigned char *memory;
	struct gpulink_ioctl_window_map window;
	struct gpulink_ioctl_register registration;
	struct gpulink_ioctl_region_create region;
	int object; /* a pool object, or -1: the card has none */
	void *mapping;
} now;

static int window_map(void)
{
	now.window = (struct gpulink_ioctl_window_map){
		.size = sizeof(now.window), .flags = GPULINK_ALLOW_READ | GPULINK_ALLOW_WRITE, .bytes = BYTES,
	};
	return ioctl(now.fd, GPULINK_IOCTL_WINDOW_MAP, &now.window);
}

static int window_unmap(void)
{
	struct gpulink_ioctl_handle h = { .size = sizeof(h), .handle = now.window.handle };

	return ioctl(now.fd, GPULINK_IOCTL_WINDOW_UNMAP, &h);
}

static int register_at(unsigned long offset, unsigned long bytes)
{
	now.registration = (struct gpulink_ioctl_register){
		.size = sizeof(now.registration), .flags = GPULINK_ALLOW_READ | GPULINK_ALLOW_WRITE,
		.address = (unsigned long)now.memory + offset, .bytes = bytes,
	};
	return ioctl(now.fd, GPULINK_IOCTL_REGISTER, &now.registration);
}

static int register_few(void) { return register_at(0, BYTES); }
static int register_many(void) { return register_at(0, BIG_BYTES); }

static int unregister(void)
{
	struct gpulink_ioctl_handle h = { .size = sizeof(h), .handle = now.registration.handle };

	return ioctl(now.fd, GPULINK_IOCTL_UNREGISTER, &h);
}

/* The call may have failed after doing everything except copying out its result. */
static int if_there(int ret) { return ret && errno == ENOENT ? 0 : ret; }
static int window_unmap_if_there(void) { return if_there(window_unmap()); }
static int unregister_if_there(void) { return if_there(unregister()); }

/* A card without regions: nothing to try. */
static int if_possible(int ret) { return ret && errno == EOPNOTSUPP ? 0 : ret; }

static int region_create(void)
{
	static unsigned short arrivals[BYTES / 4096];
	struct gpulink_ioctl_region_target target = { .window = now.window.handle };

	now.region = (struct gpulink_ioctl_region_create){
		.size = sizeof(now.region), .registration = now.registration.handle, .chunk_order = 12, .target_count = 1,
		.bytes = BYTES, .targets = (unsigned long)&target, .arrivals = (unsigned long)arrivals,
	};
	return if_possible(ioctl(now.fd, GPULINK_IOCTL_REGION_CREATE, &now.region));
}

static int region_destroy(void)
{
	struct gpulink_ioctl_handle h = { .size = sizeof(h), .handle = now.region.handle };

	return if_there(ioctl(now.fd, GPULINK_IOCTL_REGION_DESTROY, &h));
}

static int region_wait(void)
{
	struct gpulink_ioctl_region_wait w = { .size = sizeof(w), .handle = now.region.handle };

	return if_there(ioctl(now.fd, GPULINK_IOCTL_REGION_WAIT, &w));
}

static int region_prepare(void) { return window_map() ?: register_few(); }
static int region_prepare_all(void) { return region_prepare() ?: region_create(); }

/* --- pool objects --- */

static int touch(void)
{
	volatile unsigned long *words = now.mapping;

	for (unsigned i = 0; i < BYTES / 4096; i++)
		words[i * 512] = i;
	return 0;
}

static int pool_create(void)
{
	struct gpulink_ioctl_pool_create c = {
		.size = sizeof(c), .flags = GPULINK_ALLOW_READ | GPULINK_ALLOW_WRITE, .bytes = BYTES,
	};

	now.object = -1;
	if (ioctl(now.fd, GPULINK_IOCTL_POOL_CREATE, &c))
		return if_possible(-1);
	now.object = c.fd;
	return 0;
}

static int pool_share(void)
{
	struct gpulink_ioctl_pool_share s = { .size = sizeof(s), .flags = GPULINK_ALLOW_READ, .fd = now.object };

	if (ioctl(now.fd, GPULINK_IOCTL_POOL_SHARE, &s))
		return now.object < 0 ? 0 : -1;
	return close(s.shared);
}

/* Its window is closed with the file. */
static int pool_attach(void)
{
	struct gpulink_ioctl_pool_attach a = { .size = sizeof(a), .flags = GPULINK_ALLOW_READ, .fd = now.object };
	int ret = ioctl(now.fd, GPULINK_IOCTL_POOL_ATTACH, &a);

	return now.object < 0 ? 0 : ret;
}

static int pool_query(void)
{
	struct gpulink_ioctl_pool_query q = { .size = sizeof(q), .fd = now.object };

	return if_possible(ioctl(now.fd, GPULINK_IOCTL_POOL_QUERY, &q));
}

static int map_object(void)
{
	now.mapping = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, now.object, 0);
	return now.mapping == MAP_FAILED && now.object >= 0 ? -1 : 0;
}

static int touch_object(void) { return now.object < 0 ? 0 : touch(); }
static int unmap_object(void) { return now.object < 0 ? 0 : munmap(now.mapping, BYTES); }
static int drop_object(void) { return now.object < 0 ? 0 : close(now.object); }
static int prepare_object(void) { return pool_create() ?: map_object(); }
static int drop_mapped(void) { return unmap_object() ?: drop_object(); }

static int query(void)
{
	struct gpulink_ioctl_query q = { .size = sizeof(q) };

	return ioctl(now.fd, GPULINK_IOCTL_QUERY, &q);
}

static int endpoint(void)
{
	struct gpulink_ioctl_endpoint e = { .size = sizeof(e) };

	return ioctl(now.fd, GPULINK_IOCTL_ENDPOINT, &e);
}

static int counters(void)
{
	__u64 values[64];
	struct gpulink_ioctl_counters c = { .size = sizeof(c), .count = 64, .values = (unsigned long)values };

	return ioctl(now.fd, GPULINK_IOCTL_COUNTERS, &c);
}

static int link_counters(void)
{
	__u64 values[64];
	struct gpulink_ioctl_counters c = {
		.size = sizeof(c), .partition = GPULINK_COUNTERS_LINK, .count = 64, .values = (unsigned long)values,
	};

	return ioctl(now.fd, GPULINK_IOCTL_COUNTERS, &c);
}

static int submit(void)
{
	static unsigned long entries[ENTRIES][8]; /* all nop */
	struct gpulink_ioctl_submit s = { .size = sizeof(s), .entries = (unsigned long)entries, .count = ENTRIES };

	return ioctl(now.fd, GPULINK_IOCTL_SUBMIT, &s);
}

static int take(void)
{
	static unsigned long done[256][2];
	struct gpulink_ioctl_wait w = {
		.size = sizeof(w), .completions = (unsigned long)done, .count = 256, .least = 256, .timeout_ns = 5 * SECOND,
	};

	return ioctl(now.fd, GPULINK_IOCTL_WAIT, &w);
}

static int release(void)
{
	struct gpulink_ioctl_release r = { .size = sizeof(r), .timeout_ns = 5 * SECOND };

	return ioctl(now.fd, GPULINK_IOCTL_RELEASE, &r);
}

static int open_another(void)
{
	now.fd = open(device, O_RDWR);
	return now.fd < 0 ? -1 : 0;
}

static int open_capture(void)
{
	now.fd = open("/sys/kernel/debug/gpulink/gpulink0/link_capture", O_RDONLY);
	return now.fd < 0 ? -1 : 0;
}

static int read_capture(void)
{
	char record[256];

	return read(now.fd, record, sizeof(record)) == sizeof(record) ? 0 : -1;
}

static int close_it(void)
{
	int fd = now.fd;

	now.fd = -1;
	return close(fd);
}

static int map_offset(unsigned long offset, size_t bytes, int protection)
{
	now.mapping = mmap(NULL, bytes, protection, MAP_SHARED, now.fd, (off_t)offset);
	return now.mapping == MAP_FAILED ? -1 : 0;
}

static int map_window(void) { return map_offset(now.window.mmap_offset, BYTES, PROT_READ | PROT_WRITE); }

static int map_record(void)
{
	struct gpulink_ioctl_query q = { .size = sizeof(q) };

	return ioctl(now.fd, GPULINK_IOCTL_QUERY, &q) ?: map_offset(q.record_offset, 4096, PROT_READ);
}

static int unmap_window(void) { return munmap(now.mapping, BYTES); }
static int unmap_record(void) { return munmap(now.mapping, 4096); }

static int nothing(void) { return 0; }
static int prepare_touch(void) { return window_map() ?: map_window(); }
static int after_touch(void) { return unmap_window() ?: window_unmap(); }

static int write_text(const char *folder, const char *file, const char *text)
{
	char path[256];
	ssize_t count;
	int fd, err;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		return -1;
	count = write(fd, text, strlen(text));
	err = errno;
	close(fd);
	errno = err;
	return count < 0 ? -1 : 0;
}

static int set_endpoint(void) { return write_text(sysfs, "partitions/1/endpoint", "0000:00:09.0 0"); }
static int add_range(void) { return write_text(sysfs, "partitions/1/ranges/add", "x 0 4096 1000 - rw"); }
static int remove_range(void) { return write_text(sysfs, "partitions/1/ranges/remove", "x"); }
static int set_far_endpoint(void) { return write_text(sysfs, "partitions/2/endpoint", "link 2"); }
static int set_open(void) { return write_text(sysfs, "partitions/1/open", "1"); }
static int set_link(void) { return write_text(sysfs, "link/pool_cycles", "64"); }
static int reset(void) { return write_text(sysfs, "reset", "1"); }
static int bind(void) { return write_text("/sys/bus/pci/drivers/gpulink", "bind", pci); }
static int name_endpoint(void) { return write_text(sysfs, "partitions/0/endpoint", "0000:00:08.0 0"); }
static int bind_after_all(void) { return bind() ?: name_endpoint(); }
static int unbind(void) { return write_text("/sys/bus/pci/drivers/gpulink", "unbind", pci); }

/* A call with its setup and cleanup, on a file of its own. `failed` replaces `after` when the call fails. */
static const struct call {
	const char *name;
	int (*before)(void);
	int (*make)(void);
	int (*after)(void);
	int (*failed)(void);
	bool without_file;
	bool others_errors; /* other kernel code can fail it too, with other errnos */
	unsigned every;	    /* step between tried failures */
} calls[] = {
	{ "query", nothing, query, nothing, nothing, false, false, 1 },
	{ "endpoint", nothing, endpoint, nothing, nothing, false, false, 1 },
	{ "counters", nothing, counters, nothing, nothing, false, false, 1 },
	{ "counters of the link", nothing, link_counters, nothing, nothing, false, false, 1 },
	{ "window_map", nothing, window_map, window_unmap, nothing, false, false, 1 },
	{ "window_unmap", window_map, window_unmap, nothing, window_unmap_if_there, false, false, 1 },
	{ "register", nothing, register_few, unregister, nothing, false, false, 1 },
	{ "register, many pages", nothing, register_many, unregister, nothing, false, false, 1 },
	{ "unregister", register_few, unregister, nothing, unregister_if_there, false, false, 1 },
	{ "region_create", region_prepare, region_create, nothing, nothing, false, false, 1 },
	{ "region_destroy", region_prepare_all, region_destroy, nothing, nothing, false, false, 1 },
	{ "region_wait", region_prepare_all, region_wait, nothing, nothing, false, false, 1 },
	{ "pool_create", nothing, pool_create, drop_object, nothing, false, false, 1 },
	{ "pool_share", pool_create, pool_share, drop_object, drop_object, false, false, 1 },
	{ "pool_attach", pool_create, pool_attach, drop_object, drop_object, false, false, 1 },
	{ "pool_query", pool_create, pool_query, drop_object, drop_object, false, false, 1 },
	{ "mmap of a pool object", pool_create, map_object, drop_mapped, drop_object, false, false, 1 },
	{ "touch of a pool object", prepare_object, touch_object, drop_mapped, drop_mapped, false, false, 1 },
	{ "submit", nothing, submit, take, take, false, false, 1 },
	{ "wait", submit, take, nothing, take, false, false, 1 },
	{ "release", nothing, release, nothing, nothing, false, false, 1 },
	{ "mmap of a window", window_map, map_window, after_touch, window_unmap, false, false, 1 },
	{ "mmap of the record", nothing, map_record, unmap_record, nothing, false, false, 1 },
	{ "touch", prepare_touch, touch, after_touch, after_touch, false, false, 1 },
	{ "open", nothing, open_another, close_it, nothing, true, false, 1 },
	{ "close", open_another, close_it, nothing, nothing, true, false, 1 },
	{ "naming an endpoint", nothing, set_endpoint, nothing, nothing, true, false, 1 },
	{ "adding a range", nothing, add_range, remove_range, nothing, true, false, 1 },
	{ "removing a range", add_range, remove_range, nothing, remove_range, true, false, 1 },
	{ "naming an endpoint beyond the link", nothing, set_far_endpoint, nothing, nothing, true, false, 1 },
	{ "opening a partition to the link", nothing, set_open, nothing, nothing, true, false, 1 },
	{ "a setting of the link", nothing, set_link, nothing, nothing, true, false, 1 },
	{ "opening a capture of the link", nothing, open_capture, close_it, nothing, true, false, 1 },
	{ "reading a record of it", open_capture, read_capture, close_it, close_it, true, false, 1 },
	{ "reset", nothing, reset, nothing, nothing, true, false, 1 },
	/* For example, failing to allocate a BAR's resource returns EBUSY. Most of its thousands of allocations are not the
	   driver's. */
	{ "bind", unbind, bind, name_endpoint, bind_after_all, true, true, 37 },
};

/* --- fault injection --- */

static bool arm(unsigned nth)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", nth);

	return pwrite(fail_nth, text, (size_t)length, 0) == length;
}

/* Returns whether the armed failure was injected. Reading and disarming are system calls too, and can trigger it. */
static bool disarm(void)
{
	char text[16] = "";
	ssize_t count = pread(fail_nth, text, sizeof(text) - 1, 0);
	bool struck = count < 0 || text[0] == '0';

	if (!arm(0)) {
		struck = true;
		arm(0);
	}
	return struck;
}

/* Runs one call with its nth failure injected. Returns whether it was injected; *good: the result was as expected. */
static bool try_nth(const struct call *call, unsigned nth, unsigned *failures, bool *good)
{
	int ret, err;
	bool struck;

	if (!call->without_file && open_another())
		return *good = false;
	if (call->before()) {
		printf("# %s: setup failed: %s\n", call->name, strerror(errno));
		return *good = false;
	}
	if (!arm(nth))
		return *good = false;
	ret = call->make();
	err = errno;
	struck = disarm();
	if (ret) {
		(*failures)++;
		if (!struck || (err != ENOMEM && err != EFAULT && !call->others_errors)) {
			printf("# %s: %u: %s%s\n", call->name, nth, strerror(err), struck ? "" : ", without an injected failure");
			*good = false;
		}
	}
	if (ret ? call->failed() : call->after()) {
		printf("# %s: %u: cleanup failed: %s\n", call->name, nth, strerror(errno));
		*good = false;
	}
	if (now.fd >= 0)
		close_it();
	return struck;
}

/* --- free resources --- */

struct capacity {
	unsigned contexts, windows, registrations;
	long pinned;
	unsigned long long pool; /* free bytes */
};

static long pages_pinned(void)
{
	long acquired = 0, released = 0;
	char line[128];
	FILE *in;

	write_text("/proc/sys/vm", "stat_refresh", "1"); /* folds the per-CPU counters */
	in = fopen("/proc/vmstat", "re");
	while (in && fgets(line, sizeof(line), in)) {
		sscanf(line, "nr_foll_pin_acquired %ld", &acquired);
		sscanf(line, "nr_foll_pin_released %ld", &released);
	}
	if (in)
		fclose(in);
	return acquired - released;
}

static unsigned count_registrations(void)
{
	unsigned count = 0;

	/* Different pages: DMA API debugging warns about repeated mappings of one page. */
	while (count < BIG_BYTES / 4096 && !register_at(count * 4096UL, 1))
		count++;
	return count;
}

static unsigned count_windows(void)
{
	unsigned count = 0;

	while (count < HANDLES_MAX && !window_map())
		count++;
	return count;
}

static unsigned long long pool_free(void)
{
	struct gpulink_ioctl_pool_query q = { .size = sizeof(q), .fd = -1 };

	return ioctl(now.fd, GPULINK_IOCTL_POOL_QUERY, &q) ? 0 : q.pool_free;
}

static struct capacity measure(void)
{
	struct capacity c = { 0 };
	int fds[256];

	c.pinned = pages_pinned();
	while (c.contexts < 256 && (fds[c.contexts] = open(device, O_RDWR)) >= 0)
		c.contexts++;
	now.fd = c.contexts ? fds[0] : -1;
	c.pool = pool_free();
	c.windows = count_windows();
	c.registrations = count_registrations();
	for (unsigned i = 0; i < c.contexts; i++)
		close(fds[i]);
	now.fd = -1;
	return c;
}

static void test_call(const struct call *call)
{
	struct capacity before = measure(), after;
	unsigned nth = 1, failures = 0, tried = 0;
	bool good = true, struck = true;
	char text[128];

	for (; good && struck && nth < NTH_MAX; nth += call->every) {
		struck = try_nth(call, nth, &failures, &good);
		tried += struck;
	}
	after = measure();
	if (memcmp(&before, &after, sizeof(before)) != 0) {
		printf("# %s: %u contexts, %u windows, %u registrations, %ld pages pinned; before: %u, %u, %u, %ld\n", call->name,
		       after.contexts, after.windows, after.registrations, after.pinned, before.contexts, before.windows,
		       before.registrations, before.pinned);
		good = false;
	}
	snprintf(text, sizeof(text), ": %u failures injected, %u errors, nothing leaked", tried, failures);
	tap_ok(good && !struck, "%s%s", call->name, text);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	if (argc != 4) {
		fprintf(stderr, "usage: injection-test DEVICE SYSFS PCI\n");
		return 2;
	}
	device = argv[1];
	sysfs = argv[2];
	pci = argv[3];
	now.fd = -1;
	fail_nth = open("/proc/self/fail-nth", O_RDWR);
	now.memory = mmap(NULL, BIG_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	check(fail_nth >= 0 && now.memory != MAP_FAILED, "fail-nth is available");
	for (unsigned i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		test_call(&calls[i]);
	return tap_end();
}
