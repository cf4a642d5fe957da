// SPDX-License-Identifier: Apache-2.0
/*
 * region-test DEVICE SYSFS: regions by the kernel interface (PROACT III-B): what is refused, limits, epochs, hostile contexts.
 * TAP. Requires an endpoint of at least 1 MiB in partition 0, no other user of the card, and a writable SYSFS folder of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <tap.h>

#include "card.h"

enum { CHUNK = 4096, CHUNKS = 4, BYTES = CHUNK * CHUNKS, WINDOW = 65536, SIGNALS = 32768 };

static const char *path, *folder;

/* A file with a source and a window. */
static struct party {
	int fd;
	unsigned window, registration;
	uint8_t *source;
	volatile uint8_t *target;
	volatile uint64_t *doorbell;
	const volatile uint64_t *records;
	uint64_t records_offset;
} owner, other;

static long call(int fd, unsigned long request, void *argument) { return ioctl(fd, request, argument) ? -errno : 0; }

static void open_party(struct party *p, uint64_t offset)
{
	struct gpulink_ioctl_query q = { .size = sizeof(q) };
	uint64_t mmap_offset = 0;

	*p = (struct party){ .fd = open(path, O_RDWR) };
	p->source = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (unsigned i = 0; i < BYTES; i++)
		p->source[i] = (uint8_t)(i * 7 % 251);
	p->window = (unsigned)card_window(p->fd, 0, offset, WINDOW, &mmap_offset);
	p->registration = (unsigned)card_register(p->fd, p->source, BYTES, GPULINK_ALLOW_READ);
	ioctl(p->fd, GPULINK_IOCTL_QUERY, &q);
	p->target = mmap(NULL, WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED, p->fd, (off_t)mmap_offset);
	p->doorbell = mmap(NULL, GLK_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, p->fd, (off_t)q.doorbell_offset);
	p->records = mmap(NULL, GLK_PAGE_SIZE, PROT_READ, MAP_SHARED, p->fd, (off_t)q.record_offset);
	p->records_offset = q.record_offset;
	check(p->target != MAP_FAILED && p->doorbell != MAP_FAILED && p->records != MAP_FAILED, "a file with source and window");
}

static void close_party(struct party *p)
{
	munmap((void *)p->records, GLK_PAGE_SIZE);
	munmap((void *)p->doorbell, GLK_PAGE_SIZE);
	munmap((void *)p->target, WINDOW);
	munmap(p->source, BYTES);
	close(p->fd);
}

static struct gpulink_ioctl_region_create region_of(const struct party *p, const struct gpulink_ioctl_region_target *target)
{
	return (struct gpulink_ioctl_region_create){
		.size = sizeof(struct gpulink_ioctl_region_create),
		.flags = GPULINK_REGION_INTERRUPT,
		.registration = p->registration,
		.chunk_order = 12,
		.target_count = 1,
		.initial = 2,
		.bytes = BYTES,
		.targets = (uintptr_t)target,
	};
}

/* Returns the handle, or an error. */
static long create(const struct party *p, const struct gpulink_ioctl_region_create *c)
{
	struct gpulink_ioctl_region_create copy = *c;
	long error = call(p->fd, GPULINK_IOCTL_REGION_CREATE, &copy);

	return error ? error : (long)copy.handle;
}

static long destroy(const struct party *p, long handle)
{
	struct gpulink_ioctl_handle h = { .size = sizeof(h), .handle = (uint32_t)handle };

	return call(p->fd, GPULINK_IOCTL_REGION_DESTROY, &h);
}

static long await(const struct party *p, long handle, unsigned level, uint64_t epoch, uint64_t timeout,
		  struct gpulink_ioctl_region_wait *w)
{
	*w = (struct gpulink_ioctl_region_wait){
		.size = sizeof(*w), .handle = (uint32_t)handle, .level = level, .epoch = epoch, .timeout_ns = timeout,
	};
	return call(p->fd, GPULINK_IOCTL_REGION_WAIT, w);
}

static void start(const struct party *p, long handle) { p->doorbell[GLK_DOORBELL_START / 8] = (uint64_t)handle; }

static void arrive(const struct party *p, long handle, uint64_t chunk, uint64_t count)
{
	p->doorbell[GLK_DOORBELL_ARRIVE / 8] = (uint64_t)handle | chunk << GLK_DOORBELL_ARRIVE_CHUNK_SHIFT |
					       count << GLK_DOORBELL_ARRIVE_COUNT_SHIFT;
}

static long usage(const char *name)
{
	char file[256];

	snprintf(file, sizeof(file), "%s/usage", folder);
	return card_file(file, name);
}

static void set(const char *name, long value)
{
	char file[300];
	FILE *out;

	snprintf(file, sizeof(file), "%s/%s", folder, name);
	out = fopen(file, "w");
	if (out)
		fprintf(out, "%ld\n", value);
	check(out && !fclose(out), name);
}

/* One field of a valid call at a time. */
static void test_refused(void)
{
	struct gpulink_ioctl_region_target target = { .window = owner.window }, many[GLK_REGION_TARGETS + 9];
	const struct gpulink_ioctl_region_create good = region_of(&owner, &target);
	struct gpulink_ioctl_region_create c;
	struct {
		struct gpulink_ioctl_region_create c;
		uint64_t tail;
	} longer = { .c = good, .tail = 1 };
	uint64_t mmap_offset;
	struct gpulink_ioctl_window_map read_only = {
		.size = sizeof(read_only), .flags = GPULINK_ALLOW_READ, .bytes = WINDOW,
	};
	long handle;

#define REFUSED(field, value, error, name) \
	do { \
		c = good; \
		c.field = (value); \
		is(create(&owner, &c), -(error), name); \
	} while (0)
	for (unsigned i = 0; i < sizeof(many) / sizeof(many[0]); i++)
		many[i] = target;
	REFUSED(chunk_order, 11, EINVAL, "chunks of 2 KiB");
	REFUSED(chunk_order, 25, EINVAL, "chunks of 32 MiB");
	REFUSED(chunk_order, 12 + 64, EINVAL, "an order that wraps");
	REFUSED(bytes, 0, EINVAL, "no bytes");
	REFUSED(target_count, 0, EINVAL, "no targets");
	c = good;
	c.targets = (uintptr_t)many;
	c.target_count = GLK_REGION_TARGETS + 9;
	is(create(&owner, &c), -EINVAL, "17 targets");
	REFUSED(flags, 1u << 3, EINVAL, "an unknown flag");
	REFUSED(initial, 65536, EINVAL, "65536 arrivals");
	REFUSED(arrivals, (uintptr_t)many, EINVAL, "arrivals of each chunk and of all");
	c = good;
	c.flags = GPULINK_REGION_REARM;
	c.initial = 0;
	is(create(&owner, &c), -EINVAL, "rearm without arrivals");
	REFUSED(bytes, BYTES + 1, ERANGE, "more than the source");
	REFUSED(offset, 1, ERANGE, "beyond the source");
	REFUSED(offset, UINT64_MAX, ERANGE, "an offset that wraps");
	REFUSED(bytes, UINT64_MAX, ERANGE, "a length that wraps");
	REFUSED(registration, 999, ENOENT, "no such source");
	REFUSED(registration, other.registration, ENOENT, "another file's source");
	REFUSED(targets, 8, EFAULT, "targets that cannot be read");
	c = good;
	c.initial = 0;
	c.arrivals = 8;
	is(create(&owner, &c), -EFAULT, "arrivals that cannot be read");
	target.window = other.window;
	is(create(&owner, &good), -ENOENT, "another file's window");
	target = (struct gpulink_ioctl_region_target){ .window = owner.window, .flags = 2 };
	is(create(&owner, &good), -EINVAL, "an unknown flag of a target");
	target = (struct gpulink_ioctl_region_target){ .window = owner.window, .flags_offset = 8 };
	is(create(&owner, &good), -EINVAL, "an offset of signals without them");
	target = (struct gpulink_ioctl_region_target){ .window = owner.window,
						       .flags = GPULINK_REGION_TARGET_SIGNAL,
						       .flags_offset = 4 };
	is(create(&owner, &good), -EINVAL, "signals that are not aligned");
	target.flags_offset = WINDOW - 8 * CHUNKS + 8;
	is(create(&owner, &good), -ERANGE, "signals beyond the window");
	target = (struct gpulink_ioctl_region_target){ .window = owner.window, .offset = WINDOW - BYTES + 1 };
	is(create(&owner, &good), -ERANGE, "a target beyond the window");
	target.offset = UINT64_MAX - 100;
	is(create(&owner, &good), -ERANGE, "a target's offset that wraps");
	target.offset = 0;
	set("partitions/0/subheader_bytes", 2);
	is(create(&owner, &good), -EINVAL, "sub-headers of 2 bytes");
	set("partitions/0/subheader_bytes", 6);
	ioctl(owner.fd, GPULINK_IOCTL_WINDOW_MAP, &read_only);
	target = (struct gpulink_ioctl_region_target){ .window = read_only.handle };
	is(create(&owner, &good), -EACCES, "a read-only window");
	card_unmap(owner.fd, read_only.handle);
	handle = card_register(owner.fd, owner.source, BYTES, GPULINK_ALLOW_WRITE);
	target.window = owner.window;
	REFUSED(registration, (unsigned)handle, EACCES, "a write-only source");
	card_unregister(owner.fd, (unsigned)handle);
	longer.c.size = sizeof(longer);
	is(call(owner.fd, GPULINK_IOCTL_REGION_CREATE, &longer), -E2BIG, "an unknown tail");
	is(usage("regions") + usage("region_chunks"), 0, "nothing of it is left");
	/* What a region names is held. */
	handle = create(&owner, &good);
	check(handle >= 0, "a region");
	is(usage("region_chunks"), CHUNKS, "its chunks are counted");
	is(card_unmap(owner.fd, owner.window), -EBUSY, "its window is not unmapped");
	is(card_unregister(owner.fd, owner.registration), -EBUSY, "its source is not unregistered");
	is(destroy(&other, handle), -ENOENT, "another file does not destroy it");
	is(destroy(&owner, handle), 0, "it is destroyed");
	is(destroy(&owner, handle), -ENOENT, "once");
	handle = card_window(owner.fd, 0, 0, 4096, &mmap_offset);
	is(card_unmap(owner.fd, (unsigned)handle), 0, "windows are unmapped again");
}

static void test_limits(void)
{
	struct gpulink_ioctl_region_target target = { .window = owner.window };
	struct gpulink_ioctl_region_create c = region_of(&owner, &target);
	long handles[GLK_REGION_COUNT + 1], count = 0, error = 0, most = card_file(folder, "limits/regions_per_context"),
	     chunks = card_file(folder, "limits/region_chunks_per_context");
	bool all = true;

	set("limits/regions_per_context", 1);
	handles[0] = create(&owner, &c);
	is(create(&owner, &c), -EDQUOT, "a region above the limit");
	set("limits/regions_per_context", most);
	set("limits/region_chunks_per_context", 2 * CHUNKS - 1);
	is(create(&owner, &c), -EDQUOT, "chunks above the limit");
	set("limits/region_chunks_per_context", chunks);
	is(destroy(&owner, handles[0]), 0, "the region is destroyed");
	while (count <= GLK_REGION_COUNT && (error = create(&owner, &c)) >= 0)
		handles[count++] = error;
	is(count, most, "as many regions as the card has");
	check(error == -EDQUOT || error == -ENOSPC, "and no more");
	target.window = other.window;
	c.registration = other.registration;
	is(create(&other, &c), -ENOSPC, "also for others");
	target.window = owner.window;
	c.registration = owner.registration;
	while (count)
		all &= !destroy(&owner, handles[--count]);
	for (unsigned i = 0; i < 100; i++)
		all &= (handles[0] = create(&owner, &c)) >= 0 && !destroy(&owner, handles[0]);
	check(all, "100 regions, one after the other");
	is(usage("regions") + usage("region_chunks"), 0, "nothing is left");
}

static bool arrived_right(const struct party *p, unsigned chunk)
{
	for (unsigned i = chunk * CHUNK; i < (chunk + 1) * CHUNK; i++)
		if (p->target[i] != p->source[i])
			return false;
	return true;
}

static void test_epochs(void)
{
	struct gpulink_ioctl_region_target target = {
		.window = owner.window, .flags = GPULINK_REGION_TARGET_SIGNAL, .flags_offset = SIGNALS,
	};
	struct gpulink_ioctl_region_create c = region_of(&owner, &target);
	struct pollfd p = { .fd = owner.fd, .events = POLLPRI };
	struct gpulink_ioctl_region_wait w;
	long handle = create(&owner, &c);
	const volatile uint64_t *signals = (const volatile uint64_t *)(owner.target + SIGNALS);

	check(handle >= 0, "a region with signals");
	is(await(&owner, handle, GPULINK_REGION_SENT, 1, 20000000, &w), -ETIMEDOUT, "no epoch before a start");
	is(poll(&p, 1, 0), 0, "poll has no news");
	start(&owner, handle);
	arrive(&owner, handle, 1, 1);
	is(await(&owner, handle, GPULINK_REGION_SENT, 1, 20000000, &w), -ETIMEDOUT, "one of two writers of one chunk");
	arrive(&owner, handle, 1, 1);
	for (unsigned i = 0; i < CHUNKS; i++)
		if (i != 1)
			arrive(&owner, handle, i, 2);
	is(poll(&p, 1, 5000), 1, "poll reports the epoch");
	is(await(&owner, handle, GPULINK_REGION_VISIBLE, 1, 5 * SECOND, &w), 0, "the epoch becomes visible");
	check(w.sent == 1 && w.visible == 1 && !w.status && !w.failed_targets, "what the wait returns");
	is(poll(&p, 1, 0), 0, "once");
	for (unsigned i = 0; i < CHUNKS; i++)
		check(arrived_right(&owner, i) && signals[i] == 1, "a chunk and its signal");
	arrive(&owner, handle, 0, 1); /* not started */
	start(&owner, handle);
	arrive(&owner, handle, 2, 3); /* one too many */
	arrive(&owner, handle, CHUNKS, 1);
	/* Another context's page reaches nothing of it. */
	arrive(&other, handle, 0, 2);
	start(&other, handle);
	is(await(&owner, handle, GPULINK_REGION_SENT, 2, 20000000, &w), -ETIMEDOUT, "the second epoch waits for its writers");
	is(w.rejected, 3, "the owner's wrong arrivals are counted, the other's are not");
	is(await(&other, handle, GPULINK_REGION_SENT, 2, 0, &w), -ENOENT, "another file does not wait for it");
	for (unsigned i = 0; i < CHUNKS; i++)
		arrive(&owner, handle, i, 2);
	is(await(&owner, handle, GPULINK_REGION_VISIBLE, 2, 5 * SECOND, &w), 0, "and ends");
	is(await(&owner, handle, 2, 2, 0, &w), -EINVAL, "an unknown level");
	is(await(&owner, handle, 0, 2, 61 * SECOND, &w), -EINVAL, "a timeout above a minute");
	start(&owner, handle); /* destroyed in the middle of an epoch */
	arrive(&owner, handle, 3, 2);
	is(destroy(&owner, handle), 0, "destroyed in the middle of an epoch");
}

static void *destroys_late(void *handle)
{
	usleep(100000);
	return destroy(&owner, *(long *)handle) ? handle : NULL;
}

static void test_destroyed_wait(void)
{
	struct gpulink_ioctl_region_target target = { .window = owner.window };
	struct gpulink_ioctl_region_create c = region_of(&owner, &target);
	struct gpulink_ioctl_region_wait w;
	long handle = create(&owner, &c);
	void *bad = NULL;
	pthread_t thread;

	pthread_create(&thread, NULL, destroys_late, &handle);
	is(await(&owner, handle, GPULINK_REGION_SENT, 1, 5 * SECOND, &w), -ENOENT, "a wait ends when its region is destroyed");
	pthread_join(thread, &bad);
	check(!bad, "by another thread");
}

int main(int argc, char **argv)
{
	struct gpulink_ioctl_query q = { .size = sizeof(q) };
	struct gpulink_ioctl_region_target target = { 0 };
	struct gpulink_ioctl_region_create c;
	struct gpulink_ioctl_region_wait w;

	if (argc != 3) {
		fprintf(stderr, "usage: region-test DEVICE SYSFS\n");
		return 2;
	}
	path = argv[1];
	folder = argv[2];
	open_party(&owner, 0);
	open_party(&other, 131072);
	check(!ioctl(owner.fd, GPULINK_IOCTL_QUERY, &q), "query");
	target.window = owner.window;
	c = region_of(&owner, &target);
	is(destroy(&owner, 0), -ENOENT, "no region is destroyed");
	is(await(&owner, 0, GPULINK_REGION_SENT, 1, 0, &w), -ENOENT, "no region is waited for");
	if (q.features & GLK_CARD_FEATURES_REGION_MASK) {
		test_refused();
		test_limits();
		test_destroyed_wait();
		test_epochs();
		check(create(&owner, &c) >= 0, "a region that is left to the end of its file");
	} else {
		is(create(&owner, &c), -EOPNOTSUPP, "a card without regions");
	}
	close_party(&owner);
	close_party(&other);
	is(usage("regions") + usage("region_chunks") + usage("contexts") + usage("registrations"), 0, "nothing is left");
	return tap_end();
}
