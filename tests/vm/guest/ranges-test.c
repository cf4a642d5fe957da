// SPDX-License-Identifier: Apache-2.0
/*
 * ranges-test CARD SYSFS PARTITION MEMORY OFFSET: named ranges of an endpoint. TAP. Runs as root.
 *
 * PARTITION has an endpoint of at least 4 MiB whose memory is file MEMORY (a PCI device's resource0), from OFFSET on. User 1000
 * owns a range with canaries; user 1001 and members of other groups try every way to these bytes. Each attack must fail, and
 * root looks at the memory itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tap.h>

#include "card.h"
#include "uring.h"

enum { ALICE = 1000, BOB = 1001, WRITERS = 2000, READERS = 2001, NOBODY = 2002 };
enum { KIB = 1024, BYTES = 64 * KIB, WORDS = BYTES / 8, ORDER = 6, RW = GPULINK_ALLOW_READ | GPULINK_ALLOW_WRITE };
/* Places in the endpoint. */
enum { OF_ALICE = 128 * KIB, OF_BOB = 256 * KIB, OF_GROUPS = 512 * KIB, OF_NEXT = 768 * KIB };

static const char *path, *folder;
static unsigned partition;
static volatile uint64_t *memory; /* the endpoint's, as the CPU sees it */

static uint64_t canary(unsigned i)
{
	return 0xa11ce00000000000u + i * UINT64_C(0x9e3779b9);
}

static volatile uint64_t *word(unsigned place)
{
	return memory + place / 8;
}

static bool untouched(void)
{
	for (unsigned i = 0; i < WORDS; i++)
		if (word(OF_ALICE)[i] != canary(i)) {
			printf("# word %u is %lx\n", i, (unsigned long)word(OF_ALICE)[i]);
			return false;
		}
	return true;
}

/* --- sysfs --- */

static int change(const char *file, const char *text)
{
	char name[256];
	int fd, error;

	snprintf(name, sizeof(name), "%s/partitions/%u/ranges/%s", folder, partition, file);
	fd = open(name, O_WRONLY);
	if (fd < 0)
		return -errno;
	error = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return error;
}

static int add(const char *name, unsigned offset, unsigned bytes, const char *owner, const char *rights)
{
	char text[128];

	snprintf(text, sizeof(text), "%s %u %u %s %s\n", name, offset, bytes, owner, rights);
	return change("add", text);
}

static bool holds(const char *range, const char *file, const char *should)
{
	char name[256], text[64] = "";
	FILE *stream;

	snprintf(name, sizeof(name), "%s/partitions/%u/ranges/%s/%s", folder, partition, range, file);
	stream = fopen(name, "r");
	if (!stream || !fgets(text, sizeof(text), stream))
		text[0] = '\0';
	if (stream)
		fclose(stream);
	text[strcspn(text, "\n")] = '\0';
	if (strcmp(text, should))
		printf("# %s of %s is '%s', should be '%s'\n", file, range, text, should);
	return !strcmp(text, should);
}

static bool exists(const char *range)
{
	char name[256];

	snprintf(name, sizeof(name), "%s/partitions/%u/ranges/%s", folder, partition, range);
	return !access(name, F_OK);
}

/* --- users --- */

/* Runs `play` in a process of the user, with one supplementary group; returns its exit status. */
static int as(uid_t uid, gid_t group, int (*play)(void))
{
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		if (setgroups(1, &group) || setgid(NOBODY) || setuid(uid))
			_exit(98);
		_exit(play());
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

static int map(int fd, uint64_t offset, uint64_t bytes, unsigned rights, uint64_t *mmap_offset)
{
	struct gpulink_ioctl_window_map w = {
		.size = sizeof(w), .flags = rights, .partition = partition, .offset = offset, .bytes = bytes,
	};
	int error = ioctl(fd, GPULINK_IOCTL_WINDOW_MAP, &w) ? -errno : 0;

	if (mmap_offset)
		*mmap_offset = w.mmap_offset;
	return error ? error : (int)w.handle;
}

static int try_any(void)
{
	int fd = open(path, O_RDWR);

	for (unsigned rights = GPULINK_ALLOW_READ; rights <= RW; rights++)
		if (map(fd, 0, 4096, rights, NULL) != -EACCES || map(fd, OF_ALICE, BYTES, rights, NULL) != -EACCES)
			return 1;
	return 0;
}

static int map_whole(void)
{
	return map(open(path, O_RDWR), 0, 4 << 20, RW, NULL) >= 0 ? 0 : 1;
}

/* --- attacks on the bytes of user 1000 --- */

static int attack_windows(void)
{
	static const struct {
		uint64_t offset, bytes;
	} places[] = {
		{ OF_ALICE, BYTES }, { OF_ALICE, 4096 }, { OF_ALICE + BYTES - 4096, 4096 }, { 0, 4 << 20 },
		{ OF_BOB - 4096, BYTES + 4096 }, { OF_BOB, BYTES + 4096 }, { OF_ALICE, OF_BOB + BYTES - OF_ALICE },
		{ OF_ALICE + BYTES, 4096 }, { OF_BOB + BYTES, 4096 }, { OF_BOB - 4096, 4096 },
	};
	int fd = open(path, O_RDWR);

	for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		for (unsigned rights = GPULINK_ALLOW_READ; rights <= RW; rights++) {
			int got = map(fd, places[i].offset, places[i].bytes, rights, NULL);

			if (got != -EACCES) {
				printf("# %#lx+%#lx, rights %u: %d\n", (long)places[i].offset, (long)places[i].bytes, rights, got);
				return 1;
			}
		}
	return map(fd, OF_BOB, BYTES, RW, NULL) >= 0 ? 0 : 2;
}

/* Overwrites user 1000's bytes through a window, if it can be had. */
static int attack_store(void)
{
	int fd = open(path, O_RDWR);
	uint64_t at;
	volatile uint64_t *words;

	if (map(fd, OF_ALICE, BYTES, RW, &at) < 0)
		return 0;
	words = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)at);
	words[0] = 666;
	card_release(fd, NULL);
	return 1;
}

/* Beyond the end of one's own window by every operation, with every handle; `run` submits and returns the status. */
static int attack_entries(int fd, int (*run)(int fd, const struct sqe *entry))
{
	static const unsigned operations[] = { GLK_OP_PUT_INLINE, GLK_OP_PUT, GLK_OP_GET, GLK_OP_FETCH_ADD, GLK_OP_SWAP,
					       GLK_OP_CAS };
	const uint64_t offsets[] = { (uint64_t)OF_ALICE - OF_BOB, BYTES, BYTES - 4, UINT64_C(1) << 47,
				     ((uint64_t)OF_ALICE - OF_BOB) & ((UINT64_C(1) << 48) - 1) };
	uint64_t *own = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int window = map(fd, OF_BOB, BYTES, RW, NULL), registration = card_register(fd, own, 4096, RW);
	struct sqe e;

	if (window < 0 || registration < 0)
		return 1;
	for (unsigned o = 0; o < sizeof(operations) / sizeof(operations[0]); o++) {
		for (unsigned i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
			e = move(operations[o], (unsigned)window, offsets[i], 8, (unsigned)registration, 0);
			if (run(fd, &e) == GLK_ST_OK)
				return 2;
		}
		for (unsigned handle = 0; handle < 64; handle++) {
			e = move(operations[o], handle, 0, 8, (unsigned)registration, 0);
			if ((run(fd, &e) == GLK_ST_OK) != (handle == (unsigned)window))
				return 3;
		}
	}
	return 0;
}

static int run_by_ioctl(int fd, const struct sqe *entry)
{
	struct cqe done;

	return card_run(fd, entry, 1, &done) ? -1 : (int)status_of(&done);
}

static struct ring ring;

static int run_by_ring(int fd, const struct sqe *entry)
{
	struct cqe done;

	(void)fd;
	ring_put(&ring, entry);
	ring_tell(&ring);
	for (unsigned i = 0; i < 20000; i++)
		if (ring_take(&ring, &done))
			return (int)status_of(&done);
	return ring_await(&ring, &done, 5 * SECOND, NULL) ? -1 : (int)status_of(&done);
}

static struct io_uring io;

static int run_by_uring(int fd, const struct sqe *entry)
{
	struct sqe copy = *entry;

	uring_submit(&io, fd, &copy, 1, 0, 1);
	return uring_result(&io) == 1 ? (int)GLK_ST_OK : -1;
}

static int attack_by_ioctl(void)
{
	return attack_entries(open(path, O_RDWR), run_by_ioctl);
}

static int attack_by_ring(void)
{
	int fd = open(path, O_RDWR);

	return ring_map(fd, ORDER, ORDER, &ring) ? 9 : attack_entries(fd, run_by_ring);
}

static int attack_by_uring(void)
{
	return io_uring_queue_init(4, &io, 0) ? 9 : attack_entries(open(path, O_RDWR), run_by_uring);
}

static int use_own(void)
{
	int fd = open(path, O_RDWR), window = map(fd, OF_ALICE, BYTES, RW, NULL);
	struct cqe done;
	struct sqe e = put_inline((unsigned)window, 0, canary(0), 0);

	return window < 0 || card_run(fd, &e, 1, &done) || status_of(&done) || card_release(fd, NULL) ? 1 : 0;
}

static void attack(int (*play)(void), const char *name)
{
	is(as(BOB, NOBODY, play), 0, name);
	check(untouched(), "the bytes are untouched");
}

static void test_users(void)
{
	is(as(ALICE, WRITERS, try_any), 0, "without ranges no window is granted");
	is(map_whole(), 0, "the administrator opens windows without ranges");
	is(add("alice", OF_ALICE, BYTES, "1000 -", "rw"), 0, "a range for user 1000");
	is(add("bob", OF_BOB, BYTES, "1001 -", "rw"), 0, "a range for user 1001");
	check(holds("alice", "offset", "131072") && holds("alice", "bytes", "65536") && holds("alice", "user", "1000") &&
		      holds("alice", "group", "-") && holds("alice", "rights", "rw"), "its files");
	for (unsigned i = 0; i < WORDS; i++)
		word(OF_ALICE)[i] = canary(i);
	is(as(ALICE, NOBODY, use_own), 0, "user 1000 stores into the range");
	attack(attack_store, "user 1001 cannot store there through a window");
	attack(attack_windows, "windows not wholly in one's ranges are refused");
	attack(attack_by_ioctl, "entries beyond one's window are refused, by ioctl");
	attack(attack_by_ring, "by a mapped ring");
	attack(attack_by_uring, "by io_uring");
}

/* --- groups --- */

static int write_group(void)
{
	int fd = open(path, O_RDWR), window = map(fd, OF_GROUPS, BYTES, RW, NULL);
	struct sqe e = put_inline((unsigned)window, 0, 7777, 0);
	struct cqe done;

	return window < 0 || card_run(fd, &e, 1, &done) || status_of(&done) || card_release(fd, NULL) ? 1 : 0;
}

/* Loads, and tries to change the bytes through a window for reading. */
static int read_group(void)
{
	int fd = open(path, O_RDWR), window = map(fd, OF_GROUPS, BYTES, GPULINK_ALLOW_READ, NULL);
	struct sqe entries[2] = { put_inline((unsigned)window, 0, 666, 0), { { 0 } } };
	uint64_t at, got;
	volatile uint64_t *words;
	struct cqe done;

	if (window < 0 || map(fd, OF_GROUPS, BYTES, GPULINK_ALLOW_WRITE, NULL) != -EACCES ||
	    map(fd, OF_GROUPS, BYTES, RW, NULL) != -EACCES || map(fd, OF_GROUPS, 4096, GPULINK_ALLOW_READ, &at) < 0)
		return 1;
	words = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)at);
	if (words == MAP_FAILED)
		return 2;
	got = words[0];
	words[0] = 666;
	if (card_run(fd, entries, 1, &done) || status_of(&done) != GLK_ST_PERMISSION)
		return 3;
	entries[0] = move(GLK_OP_FETCH_ADD, (unsigned)window, 0, 8, 0, 0);
	if (card_run(fd, entries, 1, &done) || status_of(&done) == GLK_ST_OK)
		return 4;
	card_release(fd, NULL);
	return got == 7777 ? 0 : 5;
}

static void test_groups(void)
{
	is(add("writers", OF_GROUPS, BYTES, "- 2000", "rw"), 0, "a range that group 2000 may write");
	is(add("readers", OF_GROUPS, BYTES, "- 2001", "r"), 0, "the same bytes for group 2001 to read");
	is(as(BOB, WRITERS, write_group), 0, "a member of the one writes");
	is(as(BOB, READERS, read_group), 0, "a member of the other reads, and cannot write");
	is((long)*word(OF_GROUPS), 7777, "the bytes are those written");
	is(as(BOB, NOBODY, write_group), 1, "a member of neither cannot write");
	is(add("both", OF_NEXT, BYTES, "1000 2001", "w"), 0, "a range of a user and a group");
}

/* --- unions of ranges --- */

static int map_union(void)
{
	int fd = open(path, O_RDWR);

	if (map(fd, OF_ALICE - 8192, BYTES + 8192, RW, NULL) != -EACCES || map(fd, OF_ALICE - 4096, 8192, RW, NULL) != -EACCES)
		return 1;
	if (map(fd, OF_ALICE - 4096, 8192, GPULINK_ALLOW_READ, NULL) < 0 ||
	    map(fd, OF_ALICE - 4096, BYTES + 8192, GPULINK_ALLOW_READ, NULL) < 0)
		return 2;
	return map(fd, OF_ALICE - 4096, BYTES + 12288, GPULINK_ALLOW_READ, NULL) == -EACCES ? 0 : 3;
}

static void test_unions(void)
{
	is(add("before", OF_ALICE - 4096, 4096, "1000 -", "r"), 0, "a range beside another");
	is(add("after", OF_ALICE + BYTES - 4096, 8192, "1000 -", "r"), 0, "a range that overlaps another");
	is(as(ALICE, NOBODY, map_union), 0, "a window may cross ranges without a gap, with rights that all grant");
}

/* --- removal --- */

static int gate[2], report[2];

static void tell(int *pipe_ends)
{
	if (write(pipe_ends[1], "", 1) != 1)
		_exit(97);
}

static void await(int *pipe_ends)
{
	char c;

	if (read(pipe_ends[0], &c, 1) != 1)
		_exit(97);
}

/* Windows on `alice`, on `before` and `alice`, and on `both`; the first two are revoked meanwhile. */
static int survive_removal(void)
{
	int fd = open(path, O_RDWR), first, second, third;
	uint64_t at, other;
	volatile uint64_t *words, *kept;
	struct cqe done;
	struct sqe e;
	uint32_t errors = 0, more = 0;

	first = map(fd, OF_ALICE, BYTES, RW, &at);
	second = map(fd, OF_ALICE - 4096, 8192, GPULINK_ALLOW_READ, NULL);
	third = map(fd, OF_NEXT, BYTES, GPULINK_ALLOW_WRITE, &other);
	words = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)at);
	kept = mmap(NULL, BYTES, PROT_WRITE, MAP_SHARED, fd, (off_t)other);
	if (first < 0 || second < 0 || third < 0 || words == MAP_FAILED || kept == MAP_FAILED)
		return 1;
	words[1] = canary(1);
	if (card_release(fd, &errors) || errors)
		return 2;
	tell(report);
	await(gate);
	words[0] = 666; /* to a dummy page */
	kept[0] = 4444;
	if (card_release(fd, &errors) || !errors)
		return 3;
	e = put_inline((unsigned)first, 0, 666, 0);
	if (card_run(fd, &e, 1, &done) || status_of(&done) != GLK_ST_WINDOW)
		return 4;
	e = move(GLK_OP_FETCH_ADD, (unsigned)second, 4096, 8, 0, 0);
	if (card_run(fd, &e, 1, &done) || status_of(&done) != GLK_ST_WINDOW)
		return 5;
	e = put_inline((unsigned)third, 8, 5555, 0);
	if (card_run(fd, &e, 1, &done) || status_of(&done))
		return 6;
	if (map(fd, OF_ALICE, BYTES, RW, NULL) != -EACCES)
		return 7;
	if (card_unmap(fd, (unsigned)first) || card_unmap(fd, (unsigned)second) || card_release(fd, &errors) ||
	    card_release(fd, &more) || more != errors)
		return 8;
	return 0;
}

static void test_removal(void)
{
	int status = -1;
	pid_t child;

	if (pipe(gate) || pipe(report))
		exit(1);
	child = fork();
	if (child == 0)
		_exit(as(ALICE, NOBODY, survive_removal));
	await(report);
	is(change("remove", "alice\n"), 0, "a range is removed under open windows");
	check(!exists("alice") && exists("before"), "its directory is gone, others are not");
	tell(gate);
	waitpid(child, &status, 0);
	is(WEXITSTATUS(status), 0, "windows opened through it are revoked, others are not");
	check(untouched(), "the bytes are untouched");
	check(word(OF_NEXT)[0] == 4444 && word(OF_NEXT)[1] == 5555, "the other window's stores arrive");
}

/* --- what the driver refuses --- */

static void test_refusals(void)
{
	static const struct {
		const char *text;
		int error;
	} lines[] = {
		{ "\n", -EINVAL }, { "x", -EINVAL }, { "x 0 4096 1000 - rw more", -EINVAL }, { "x 0 4096 1000 -", -EINVAL },
		{ "x 0 4096 - - rw", -EINVAL }, { "x 0 4096 1000 - rx", -EINVAL }, { "x 0 4096 1000 - ", -EINVAL },
		{ "x 0 4096 -1 - rw", -EINVAL }, { "x 0 4096 4294967295 - rw", -EINVAL }, { "x 0 0 1000 - rw", -EINVAL },
		{ "x 1 4096 1000 - rw", -EINVAL }, { "x 0 4097 1000 - rw", -EINVAL }, { "x -4096 4096 1000 - rw", -EINVAL },
		{ "x 18446744073709547520 8192 1000 - rw", -ERANGE }, { "x 0 18446744073709547520 1000 - rw", -ERANGE },
		{ "x 4096 67108864 1000 - rw", -ERANGE }, { "add 0 4096 1000 - rw", -EINVAL }, { "remove 0 4096 1000 - rw", -EINVAL },
		{ ".x 0 4096 1000 - rw", -EINVAL }, { "../x 0 4096 1000 - rw", -EINVAL }, { "x/y 0 4096 1000 - rw", -EINVAL },
		{ " 0 4096 1000 - rw", -EINVAL }, { "x23456789012345678901234567890123 0 4096 1000 - rw", -EINVAL },
		{ "bob 0 4096 1000 - rw", -EEXIST }, { "x\n0 4096 1000 - rw", -EINVAL },
	};
	unsigned count = 0, wrong = 0;
	char name[16];

	for (unsigned i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (change("add", lines[i].text) != lines[i].error) {
			printf("# '%s': is %d, should be %d\n", lines[i].text, change("add", lines[i].text), lines[i].error);
			wrong++;
		}
	is(wrong, 0, "malformed ranges are refused");
	is(change("remove", "nothing"), -ENOENT, "a range that does not exist is not removed");
	do
		snprintf(name, sizeof(name), "n%u", count);
	while (!add(name, 0, 4096, "1000 -", "r") && ++count < 1000);
	is(add("n", 0, 4096, "1000 -", "r"), -ENOSPC, "the table has a limit");
	for (unsigned i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		wrong += change("remove", name) != 0;
	}
	is(wrong, 0, "its ranges are removed");
}

int main(int argc, char **argv)
{
	int fd;

	if (argc != 6) {
		fprintf(stderr, "usage: ranges-test CARD SYSFS PARTITION MEMORY OFFSET\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	path = argv[1];
	folder = argv[2];
	partition = (unsigned)atoi(argv[3]);
	fd = open(argv[4], O_RDWR);
	memory = mmap(NULL, 4 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)strtoull(argv[5], NULL, 0));
	check(memory != MAP_FAILED && !chmod(path, 0666), "the endpoint's memory is mapped, and all users may open the card");
	if (tap_bad)
		return 1;
	test_users();
	test_groups();
	test_unions();
	test_removal();
	test_refusals();
	return tap_end();
}
