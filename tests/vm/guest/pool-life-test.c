// SPDX-License-Identifier: Apache-2.0
/*
 * pool-life-test WHAT DEVICE SYSFS [SEED]: what pool objects outlive. TAP. Requires root and a card with leases and no other
 * user.
 *
 * reset     resets of the card
 * remove    the driver is unbound from the card and bound again: SYSFS is read for the card's PCI address
 * drain     drains that fail; requires gpulink-test-gpu
 * endless   a reset whose end the driver is not told of; requires gpulink-test-gpu
 * processes descriptors between processes, and processes that are killed
 * random    objects of random sizes and grains, by SEED
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include <chance.h>
#include <tap.h>

#include "pool.h"
#include "test-gpu/gpulink-test-gpu.h"

enum { BYTES = 8 * PAGE, OBJECTS = 24, ROUNDS = 160 };

static const char *path, *folder;
static int card;
static uint64_t pool;

static int open_card(void)
{
	for (unsigned i = 0; i < 100; i++) {
		int fd = open(path, O_RDWR);

		if (fd >= 0 || (errno != ENOENT && errno != ESTALE && errno != ENODEV))
			return fd;
		usleep(100000);
	}
	return -1;
}

static bool holds(volatile uint64_t *words, uint64_t value)
{
	for (unsigned i = 0; i < BYTES / 8; i += 17)
		if (words[i] != value + i)
			return false;
	return true;
}

static void fill(volatile uint64_t *words, uint64_t value)
{
	for (unsigned i = 0; i < BYTES / 8; i += 17)
		words[i] = value + i;
}

/* --- resets --- */

/* Grain and leases, by the ring: reads a line at once and says how long its lease is, or an error. */
static long lease_of(int fd, int object, unsigned grain)
{
	static uint64_t buffer[1024] __attribute__((aligned(PAGE)));
	int registration = card_register(fd, buffer, sizeof(buffer), RIGHT_RW), window, status;
	struct gpulink_ioctl_pool_attach a;
	uint64_t record[4];

	window = pool_attach(fd, object, RIGHT_RW, &a);
	status = window < 0 ? window : pool_read(fd, (unsigned)window, 4 * PAGE, grain, registration, buffer, record);
	card_unregister(fd, (unsigned)registration);
	card_unmap(fd, (unsigned)window);
	return status < 0 ? status : status ? -1000 - status : (long)(record[1] - record[0]);
}

static void test_reset(void)
{
	int fd = pool_create(card, BYTES, 1024, RIGHT_RW), held = pool_create(card, BYTES, 64, RIGHT_RW), again;
	struct gpulink_ioctl_query query = { .size = sizeof(query) };
	struct gpulink_ioctl_pool_attach a, b;
	struct gpulink_ioctl_pool_query q;
	volatile uint64_t *direct, *window, *doorbell;
	long epoch = card_file(folder, "pool/epoch");

	ioctl(card, GPULINK_IOCTL_QUERY, &query);
	direct = pool_map(fd, BYTES, PROT_READ | PROT_WRITE, 0);
	doorbell = pool_map(card, PAGE, PROT_READ | PROT_WRITE, query.doorbell_offset);
	pool_attach(card, fd, RIGHT_RW, &a);
	pool_attach(card, held, RIGHT_RW, &b);
	window = pool_map(card, BYTES, PROT_READ | PROT_WRITE, a.mmap_offset);
	check(direct && window && doorbell, "an object and its mappings");
	if (!direct || !window || !doorbell)
		return;
	close(held); /* only a window is left of it */
	fill(window, 1000);
	is(card_release(card, &(uint32_t){ 0 }), 0, "stores are released");
	is(put_file(folder, "pool/read_lease", "77"), 0, "the length of leases is set");
	is(put_file(folder, "pool/write_lease", "33"), 0, "and of those of writes");
	is(put_file(folder, "pool/adapt", "1"), 0, "and adapted");
	is(put_file(folder, "pool/read_lease", "0"), -EINVAL, "but not to 0");
	is(put_file(folder, "pool/write_lease", "40000"), -EINVAL, "nor to 40000");
	is(put_file(folder, "pool/adapt", "2"), -EINVAL, "nor is 2 a switch");
	is(lease_of(card, fd, 1024), 77, "a lease has its length and grain");
	check(doorbell[GLK_DOORBELL_CLOCK / 8] != 0, "the clock runs");

	is(put_file(folder, "reset", "1"), 0, "a reset");
	check(holds(direct, 1000), "the descriptor's mapping shows what was released");
	fill(direct, 2000);
	check(holds(direct, 2000), "and can be written");
	window[GLK_DOORBELL_CLOCK / 8] = 7;
	check(doorbell[GLK_DOORBELL_CLOCK / 8] == 0, "the clock of a stale file reads 0");
	is(pool_query(card, fd, &q), -ESTALE, "its calls are stale");
	is(pool_attach(card, fd, RIGHT_RW, &a), -ESTALE, "all of them");
	is(pool_share(card, fd, RIGHT_R), -ESTALE, "really");
	is(pool_create(card, PAGE, 0, RIGHT_RW), -ESTALE, "also create");

	again = open_card();
	check(!pool_query(again, fd, &q) && q.bytes == BYTES && q.grain == 1024 && q.rights == RIGHT_RW, "the object is there");
	is((long)q.pool_free, (long)(pool - BYTES), "the one that only a stale window held is not");
	is(lease_of(again, fd, 1024), 77, "grain and length of leases are those from before the reset");
	is(card_file(folder, "pool/write_lease") * 10 + card_file(folder, "pool/adapt"), 331, "as sysfs says");
	check(card_file(folder, "pool/epoch") > epoch, "the epoch is a later one");
	check(pool_attach(again, fd, RIGHT_RW, &b) >= 0, "it is attached again");
	munmap((void *)window, BYTES);
	window = pool_map(again, BYTES, PROT_READ | PROT_WRITE, b.mmap_offset);
	check(window && holds(window, 2000), "and shows its bytes");
	munmap((void *)window, BYTES);
	close(card);
	card = again;
	card_unmap(card, b.handle);
	close(fd);
	munmap((void *)doorbell, PAGE);
	check(holds(direct, 2000), "its mapping holds it");
	is(put_file(folder, "reset", "1"), 0, "a reset, with only a mapping");
	check(holds(direct, 2000), "still does");
	munmap((void *)direct, BYTES);
	put_file(folder, "pool/read_lease", "10");
	put_file(folder, "pool/write_lease", "5");
	put_file(folder, "pool/adapt", "0");
	close(card);
	card = open_card();
	/* An object whose last use ends with the reset. */
	fd = pool_create(card, BYTES, 64, RIGHT_RW);
	pool_attach(card, fd, RIGHT_RW, &a);
	close(fd);
	is(put_file(folder, "reset", "1"), 0, "a reset that ends the last object");
	check(!strcmp(text_of(folder, "pool/partition"), "none"), "the partition is given back");
	is(put_file(folder, "partitions/4/endpoint", "pool"), 0, "and the pool can be an endpoint");
	put_file(folder, "partitions/4/endpoint", "none");
	close(card);
	card = open_card();
}

/* --- removal --- */

static int rebind(const char *what, const char *address)
{
	return put_file("/sys/bus/pci/drivers/gpulink", what, address);
}

static void test_remove(void)
{
	int fd = pool_create(card, BYTES, 64, RIGHT_RW), again, fresh;
	volatile uint64_t *direct = pool_map(fd, BYTES, PROT_READ | PROT_WRITE, 0), *words;
	struct gpulink_ioctl_pool_attach a;
	struct gpulink_ioctl_pool_query q;
	char link[300], address[300];
	ssize_t length;
	bool zero = true;

	snprintf(link, sizeof(link), "%s/device", folder);
	length = readlink(link, address, sizeof(address) - 1);
	address[length < 0 ? 0 : length] = '\0';
	pool_attach(card, fd, RIGHT_RW, &a);
	words = pool_map(card, BYTES, PROT_READ | PROT_WRITE, a.mmap_offset);
	check(direct && words, "an object and its mappings");
	fill(direct, 3000);
	is(rebind("unbind", strrchr(address, '/') ? strrchr(address, '/') + 1 : address), 0, "the card is removed");
	direct[5] = 12345;
	check(direct[5] == 12345 && direct[0] != 3000, "the mapping shows a dummy page");
	words[5] = 1;
	is(pool_query(card, fd, &q), -ENODEV, "query: no such card");
	is(pool_attach(card, fd, RIGHT_RW, &a), -ENODEV, "attach: no such card");
	is(pool_share(card, fd, RIGHT_R), -ENODEV, "share: no such card");
	is(pool_create(card, PAGE, 0, RIGHT_RW), -ENODEV, "create: no such card");
	check(!pool_map(fd, BYTES, PROT_READ, 0) && errno == ENODEV, "mmap: no such card");
	is(rebind("bind", strrchr(address, '/') ? strrchr(address, '/') + 1 : address), 0, "the card is back");
	again = open_card();
	is(pool_query(again, fd, &q), -EXDEV, "the object is not of the new card");
	is(pool_attach(again, fd, RIGHT_RW, &a), -EXDEV, "nor can it be attached there");
	munmap((void *)words, BYTES);
	is(put_file(folder, "partitions/4/endpoint", "pool"), 0, "the pool as a whole is an endpoint");
	words = pool_window(again, 4, pool);
	check(words && zeros(words, pool), "it has nothing from before");
	put_file(folder, "partitions/4/endpoint", "none");
	fresh = pool_create(again, BYTES, 64, RIGHT_RW);
	munmap((void *)words, pool);
	words = pool_map(fresh, BYTES, PROT_READ | PROT_WRITE, 0);
	for (unsigned i = 0; words && i < BYTES / 8; i++)
		zero = zero && !words[i];
	check(words && zero, "a new object reads 0");
	direct[6] = 6;
	check(words && words[6] == 0, "the old mapping does not reach it");
	close(fd);
	munmap((void *)direct, BYTES);
	check(words && !words[7], "closing the old one leaves it alone");
	munmap((void *)words, BYTES);
	close(fresh);
	close(card);
	card = again;
}

/* --- processes --- */

static void send_descriptor(int to, int fd)
{
	char byte = 0, control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec io = { &byte, 1 };
	struct msghdr m = { .msg_iov = &io, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	sendmsg(to, &m, 0);
}

static int receive_descriptor(int from)
{
	char byte, control[CMSG_SPACE(sizeof(int))];
	struct iovec io = { &byte, 1 };
	struct msghdr m = { .msg_iov = &io, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control) };
	struct cmsghdr *c;
	int fd = -1;

	if (recvmsg(from, &m, 0) != 1)
		return -1;
	c = CMSG_FIRSTHDR(&m);
	if (c)
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

/* Another user, with nothing but the descriptor and a card of its own. */
static int stranger(int from)
{
	struct gpulink_ioctl_pool_attach a;
	volatile uint64_t *words, *direct;
	int own = open(path, O_RDWR), fd, window;

	if (setresuid(1234, 1234, 1234))
		return 1;
	fd = receive_descriptor(from);
	window = pool_attach(own, fd, RIGHT_R, &a);
	if (window < 0 || pool_attach(own, fd, RIGHT_RW, &a) != -EACCES)
		return 2;
	direct = pool_map(fd, BYTES, PROT_READ, 0);
	if (!direct || direct[0] != 4000 || pool_map(fd, BYTES, PROT_READ | PROT_WRITE, 0))
		return 3;
	pool_attach(own, fd, RIGHT_R, &a);
	words = pool_map(own, BYTES, PROT_READ, a.mmap_offset);
	return words && words[17] == 4017 ? 0 : 4;
}

static void hold_everything(int fd)
{
	int own = open(path, O_RDWR), more = pool_create(own, BYTES, 128, RIGHT_RW);
	struct gpulink_ioctl_pool_attach a;

	pool_attach(own, fd, RIGHT_RW, &a);
	pool_map(own, BYTES, PROT_READ | PROT_WRITE, a.mmap_offset);
	pool_attach(own, more, RIGHT_RW, &a);
	pool_map(own, BYTES, PROT_READ | PROT_WRITE, a.mmap_offset);
	pool_map(more, BYTES, PROT_READ | PROT_WRITE, 0);
	pool_share(own, more, RIGHT_R);
}

static void test_processes(void)
{
	int fd = pool_create(card, BYTES, 64, RIGHT_RW), reader = pool_share(card, fd, RIGHT_R), pair[2], status, ready[2];
	volatile uint64_t *direct = pool_map(fd, BYTES, PROT_READ | PROT_WRITE, 0);
	char byte;
	pid_t child;

	fill(direct, 4000);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || pipe(ready))
		return;
	child = fork();
	if (!child)
		_exit(stranger(pair[1]));
	send_descriptor(pair[0], reader);
	waitpid(child, &status, 0);
	is(status, 0, "a stranger reads by a descriptor that it was sent, and no more");

	/* A descriptor that nobody receives. */
	send_descriptor(pair[0], fd);
	close(pair[0]);
	close(pair[1]);
	child = fork();
	if (!child) {
		hold_everything(fd);
		byte = (char)write(ready[1], "x", 1);
		pause();
		_exit(byte);
	}
	check(read(ready[0], &byte, 1) == 1 && pool_free(card) == pool - 2 * BYTES, "a process holds objects, mappings and windows");
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	is((long)pool_free(card), (long)(pool - BYTES), "when it is killed they are free");
	check(holds(direct, 4000), "others' are not");
	close(fd);
	close(reader);
	munmap((void *)direct, BYTES);
	is((long)pool_free(card), (long)pool, "nothing is left");
}

/* --- drains that fail --- */

static void fail_drains(unsigned count)
{
	int gpu = open("/dev/gpulink-test-gpu-0000:00:0a.0", O_RDWR);

	is(ioctl(gpu, TEST_GPU_FAIL_DRAINS, count) ? -errno : 0, 0, count ? "drains fail" : "drains succeed");
	close(gpu);
}

/* An object whose window is not drained when it goes. */
static void leave_undrained(void)
{
	int fd = pool_create(card, BYTES, 64, RIGHT_RW), window;
	struct gpulink_ioctl_pool_attach a;

	window = pool_attach(card, fd, RIGHT_RW, &a);
	check(window >= 0, "an object with a window");
	fail_drains(1000);
	card_unmap(card, a.handle);
	close(fd);
	is((long)pool_free(card), (long)(pool - BYTES), "its memory is not free: the card may still write to it");
}

/* The pool was the endpoint of a partition whose stores to it do not drain. */
static void leave_endpoint_undrained(void)
{
	is(put_file(folder, "partitions/4/endpoint", "pool"), 0, "the pool as a whole is an endpoint");
	fail_drains(1000);
	is(put_file(folder, "partitions/4/endpoint", "none"), -EBUSY, "it is none, and stores to it may be queued");
	is(put_file(folder, "partitions/5/endpoint", "pool"), -EBUSY, "it is nobody else's");
	is(pool_create(card, PAGE, 64, RIGHT_RW), -EBUSY, "and has no objects");
}

static void test_drain(void)
{
	int fd;

	leave_undrained();
	is(card_file(folder, "usage/pool_bytes"), BYTES, "it is counted");
	is(card_file(folder, "usage/pool_objects"), 0, "the object is not");
	is(pool_create(card, pool, 64, RIGHT_RW), -ENOSPC, "nobody gets it");
	fail_drains(0);
	fd = pool_create(card, pool, 4096, RIGHT_RW);
	check(fd >= 0, "it is free when the card has drained its stores");
	close(fd);
	is((long)pool_free(card), (long)pool, "all of it");
	leave_undrained();
	is(put_file(folder, "reset", "1"), 0, "a reset");
	fail_drains(0);
	close(card);
	card = open_card();
	is((long)pool_free(card), (long)pool, "frees it, too");
	leave_endpoint_undrained();
	fail_drains(0);
	is(put_file(folder, "partitions/5/endpoint", "pool"), 0, "when they have drained it is an endpoint");
	put_file(folder, "partitions/5/endpoint", "none");
	leave_endpoint_undrained();
	is(put_file(folder, "reset", "1"), 0, "a reset");
	fail_drains(0);
	close(card);
	card = open_card();
	fd = pool_create(card, PAGE, 64, RIGHT_RW);
	check(fd >= 0, "after it there are objects");
	close(fd);
}

/* --- a reset that does not end --- */

static void skip_recoveries(unsigned count)
{
	int gpu = open("/dev/gpulink-test-gpu-0000:00:0a.0", O_RDWR);

	is(ioctl(gpu, TEST_GPU_SKIP_RECOVERIES, count) ? -errno : 0, 0, count ? "the driver does not hear of the reset's end" : "resets end again");
	close(gpu);
}

/* Has the kernel write to the mapping of an object. */
static int read_into(int fd, int ready)
{
	volatile uint64_t *words = pool_map(fd, BYTES, PROT_READ | PROT_WRITE, 0);
	int zero = open("/dev/zero", O_RDONLY);

	return !words || zero < 0 || write(ready, "x", 1) != 1 || read(zero, (void *)words, PAGE) != PAGE;
}

/* Whether the process ends within 20 s; only a failure takes as long. */
static bool ends(pid_t child)
{
	for (unsigned i = 0; i < 200; i++, usleep(100000))
		if (waitpid(child, NULL, WNOHANG) == child)
			return true;
	return false;
}

/* Accesses wait for the end of a reset, and can be killed meanwhile. */
static void test_endless_reset(void)
{
	int fd = pool_create(card, BYTES, 64, RIGHT_RW), ready[2];
	bool ended;
	pid_t child;
	char byte;

	skip_recoveries(1);
	is(put_file(folder, "reset", "1"), 0, "a reset");
	check(!strcmp(text_of(folder, "state"), "resetting"), "it does not end");
	if (pipe(ready))
		return;
	child = fork();
	if (!child)
		_exit(read_into(fd, ready[1]));
	check(read(ready[0], &byte, 1) == 1, "a process has the kernel write to an object");
	usleep(500000);
	check(!waitpid(child, NULL, WNOHANG), "it waits");
	kill(child, SIGKILL);
	ended = ends(child);
	check(ended, "it can be killed");
	skip_recoveries(0);
	is(put_file(folder, "reset", "1"), 0, "the next reset");
	check(!strcmp(text_of(folder, "state"), "live"), "ends");
	if (!ended)
		ends(child);
	close(fd);
	close(card);
	card = open_card();
	is((long)pool_free(card), (long)pool, "nothing is left");
}

/* --- at random --- */

static struct object {
	int fd;
	uint64_t pages, pattern;
	unsigned grain;
	volatile uint64_t *words;
} objects[OBJECTS];

/* Its words, at both ends of each page. */
static void mark(struct object *o, uint64_t pattern)
{
	o->pattern = pattern;
	for (uint64_t p = 0; p < o->pages; p++)
		o->words[p * PAGE / 8] = o->words[(p + 1) * PAGE / 8 - 1] = pattern + p;
}

static bool marked(const struct object *o)
{
	for (uint64_t p = 0; p < o->pages; p++) {
		uint64_t should = o->pattern ? o->pattern + p : 0;

		if (o->words[p * PAGE / 8] != should || o->words[(p + 1) * PAGE / 8 - 1] != should)
			return false;
	}
	return true;
}

static void drop(struct object *o)
{
	munmap((void *)o->words, o->pages * PAGE);
	close(o->fd);
	o->fd = -1;
}

/* Whether the card has its grain: a line can be read as a whole. */
static bool lined(const struct object *o)
{
	static uint64_t buffer[1024] __attribute__((aligned(PAGE)));
	static int registration = -1;
	struct gpulink_ioctl_pool_attach a;
	uint64_t record[4];
	int status;

	if (registration < 0)
		registration = card_register(card, buffer, sizeof(buffer), RIGHT_RW);
	if (pool_attach(card, o->fd, RIGHT_RW, &a) < 0)
		return false;
	status = pool_read(card, a.handle, o->pages * PAGE - o->grain, o->grain, registration, buffer, record);
	return !card_unmap(card, a.handle) && status == GLK_ST_OK &&
	       buffer[4 + o->grain / 8 - 1] == o->words[o->pages * PAGE / 8 - 1];
}

static bool make(struct object *o, struct chance *c)
{
	uint64_t most = pool / PAGE / 8;

	o->pages = 1 + below(c, below(c, 4) ? 16 : (unsigned)most);
	o->grain = 64u << below(c, 7);
	o->pattern = 0;
	o->fd = pool_create(card, o->pages * PAGE, o->grain, RIGHT_RW);
	if (o->fd == -ENOSPC)
		return true;
	o->words = o->fd < 0 ? NULL : pool_map(o->fd, o->pages * PAGE, PROT_READ | PROT_WRITE, 0);
	return o->words && marked(o);
}

static void test_random(uint64_t seed)
{
	struct gpulink_ioctl_pool_query q;
	bool right = true;
	unsigned made = 0;
	struct chance c;

	printf("# seed %llu\n", (unsigned long long)seed);
	chance_start(&c, seed, 0);
	for (unsigned i = 0; i < OBJECTS; i++)
		objects[i].fd = -1;
	for (unsigned round = 0; round < ROUNDS && right; round++) {
		struct object *o = &objects[below(&c, OBJECTS)];
		uint64_t used = 0;

		if (o->fd >= 0) {
			right = marked(o) && lined(o) && !pool_query(card, o->fd, &q) && q.grain == o->grain &&
				q.bytes == o->pages * PAGE;
			drop(o);
		} else {
			right = make(o, &c);
			made += o->fd >= 0;
			if (o->fd >= 0)
				mark(o, draw(&c) | 1);
		}
		for (unsigned i = 0; i < OBJECTS; i++)
			used += objects[i].fd >= 0 ? objects[i].pages * PAGE : 0;
		right = right && pool_free(card) == pool - used;
		if (!right)
			printf("# round %u, object %td\n", round, o - objects);
	}
	for (unsigned i = 0; i < OBJECTS; i++)
		if (objects[i].fd >= 0) {
			right = right && marked(&objects[i]);
			drop(&objects[i]);
		}
	check(right && made > ROUNDS / 4, "objects read 0 at first, then what was stored to them");
	is((long)pool_free(card), (long)pool, "nothing is left");
	/* With nothing in it, each slot takes any grain. */
	right = true;
	for (unsigned grain = 64; grain <= 4096; grain *= 2) {
		int fd = pool_create(card, pool, grain, RIGHT_RW);

		right = right && fd >= 0 && pool_create(card, PAGE, grain, RIGHT_RW) == -EDQUOT && !pool_free(card);
		close(fd);
	}
	check(right, "the whole pool is an object, of any grain");
}

int main(int argc, char **argv)
{
	struct gpulink_ioctl_pool_query q;

	if (argc < 4)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0); /* children do not print what their parent has */
	path = argv[2];
	folder = argv[3];
	card = open_card();
	if (pool_query(card, -1, &q))
		return 2;
	pool = q.pool_bytes;
	if (!strcmp(argv[1], "reset"))
		test_reset();
	else if (!strcmp(argv[1], "remove"))
		test_remove();
	else if (!strcmp(argv[1], "drain"))
		test_drain();
	else if (!strcmp(argv[1], "endless"))
		test_endless_reset();
	else if (!strcmp(argv[1], "processes"))
		test_processes();
	else
		test_random(argc > 4 ? strtoull(argv[4], NULL, 0) : (uint64_t)time(NULL));
	return tap_end();
}
