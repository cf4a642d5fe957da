// SPDX-License-Identifier: Apache-2.0
/*
 * Two cards connected by a link, each with an endpoint and a client of its own: traffic over a lossy link, restart of a card,
 * unexpected connections.
 */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "machine.h"

#define ALL_ONES     UINT64_MAX
#define PATIENCE_MS  20000
#define MODE_OPEN    (GLK_PARTITION_MODE_RESET | GLK_PARTITION_MODE_OPEN_MASK)
#define UP(m)	     (machine_get(m, GLK_LINK_STATUS) & GLK_LINK_STATUS_UP_MASK)
#define REMOTE_ERRORS   (machine_partition(TO_REMOTE, GLK_PARTITION_ERR_ENDPOINT))
#define SEED	     "20240817"

enum { TO_REMOTE = 4 }; /* partition, and slice: the other card's TO_GPU */

struct cards {
	struct machine side[2];
	int events[2];
	char link[PROCESS_PATH_MAX + 8];
};

static struct cards cards;
static const char *second; /* logic of the second card, if different */

static int setup(void **state)
{
	struct cards *c = &cards;

	*state = c;
	c->events[0] = c->events[1] = -1;
	if (machine_create(&c->side[0]) || machine_create(&c->side[1]))
		return -1;
	snprintf(c->link, sizeof(c->link), "unix:%.80s.link", c->side[0].card_path);
	return 0;
}

static int teardown(void **state)
{
	struct cards *c = *state;
	int failed = 0;

	for (unsigned i = 0; i < 2; i++) {
		if (c->events[i] >= 0)
			close(c->events[i]);
		failed |= machine_destroy(&c->side[i]);
	}
	return failed;
}

/* Number of event interrupts; 0 after the timeout. */
static uint64_t events(struct cards *c, unsigned side, int milliseconds)
{
	struct pollfd wait = { .fd = c->events[side], .events = POLLIN };
	uint64_t count = 0;

	if (poll(&wait, 1, milliseconds) == 1)
		assert_int_equal(read(wait.fd, &count, sizeof(count)), sizeof(count));
	return count;
}

static void wait_until(struct machine *m, bool up)
{
	for (unsigned i = 0; i < PATIENCE_MS && !!UP(m) != up; i++)
		wait_a_millisecond();
	assert_int_equal(!!UP(m), up);
}

/* Configures the card: TO_GPU is open, TO_REMOTE is the other card's TO_GPU. */
static void configure(struct cards *c, unsigned side)
{
	struct machine *m = &c->side[side];

	machine_set(m, GLK_CARD_ERROR_CAUSE, ALL_ONES);
	machine_enable(m);
	machine_set(m, machine_partition(TO_GPU, GLK_PARTITION_MODE), MODE_OPEN);
	machine_set_partition(m, TO_REMOTE, GLK_EP_LINK, TO_GPU << GLK_PARTITION_EP_BASE_REMOTE_PARTITION_SHIFT,
			      MACHINE_GPU_BYTES);
	machine_set_window(m, TO_REMOTE, TO_REMOTE);
	machine_set(m, GLK_LINK_TIMEOUT_NS, GLK_LINK_TIMEOUT_MAX_NS); /* the other process may wait for a CPU */
	c->events[side] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	assert_true(c->events[side] >= 0);
	assert_int_equal(client_set_vectors(&m->card, GLK_EVENT_VECTOR, 1, &c->events[side], 1), 0);
}

static void start_one(struct cards *c, unsigned side, const char *const more[])
{
	struct machine *m = &c->side[side];
	const char *options[MACHINE_OPTIONS_MAX] = { "--link", c->link, "--cluster", side ? "2" : "1", "--serial",
						     side ? "102" : "101", "--link-seed", side ? SEED "2" : SEED };
	unsigned count = 8;
	void *state = m;

	for (unsigned i = 0; more && more[i]; i++)
		options[count++] = more[i];
	if (side && second) {
		options[count++] = "--logic";
		options[count++] = second;
	}
	machine_options(m, options);
	machine_start(&state);
	configure(c, side);
}

static struct cards *start(void **state, const char *const more[])
{
	struct cards *c = *state;

	for (unsigned side = 0; side < 2; side++)
		start_one(c, side, more);
	for (unsigned side = 0; side < 2; side++)
		wait_until(&c->side[side], true);
	return c;
}

/* Waits until earlier stores have arrived or failed. */
static void drain(struct machine *m)
{
	machine_set(m, GLK_CARD_DRAIN, GLK_DRAIN_CARD);
	for (unsigned i = 0; i < PATIENCE_MS && machine_get(m, GLK_CARD_DRAIN) & GLK_CARD_DRAIN_BUSY_MASK; i++)
		wait_a_millisecond();
	assert_false(machine_get(m, GLK_CARD_DRAIN) & GLK_CARD_DRAIN_BUSY_MASK);
}

static uint64_t milliseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* A load that the card or the link answers by ones because the machine is busy is repeated. */
static uint64_t load(struct machine *m, uint64_t offset)
{
	uint64_t value = ALL_ONES;

	for (unsigned tries = 0; tries < 10 && value == ALL_ONES; tries++)
		value = machine_load(m, TO_REMOTE, offset);
	return value;
}

static void check_traffic(struct cards *c, uint64_t offset)
{
	for (unsigned i = 0; i < 2; i++) {
		struct machine *m = &c->side[i], *other = &c->side[1 - i];

		machine_store(m, TO_REMOTE, offset, offset + i);
		machine_store(m, TO_REMOTE, offset + 8, 7);
		drain(m);
		assert_int_equal(machine_at(other->gpu, offset), offset + i);
		assert_int_equal(machine_at(other->gpu, offset + 8), 7);
		assert_int_equal(load(m, offset), offset + i);
	}
}

static void joined(void **state)
{
	struct cards *c = start(state, NULL);

	for (unsigned i = 0; i < 2; i++) {
		struct machine *m = &c->side[i];

		assert_int_equal(machine_get(m, GLK_LINK_CLUSTER), 1 + i);
		assert_int_equal(machine_get(m, GLK_LINK_PEER_SERIAL), i ? 101 : 102);
		assert_int_equal(machine_get(m, GLK_LINK_STATUS) >> 8 & 0xff, 2 - i);
		assert_int_equal(machine_counter(m, GLK_LINK_UPS), 1);
	}
	assert_true(events(c, 0, PATIENCE_MS) > 0); /* only the first had arrived */
	assert_int_equal(machine_get(&c->side[0], GLK_CARD_ERROR_CAUSE), GLK_CARD_ERROR_CAUSE_LINK_MASK);
	check_traffic(c, 0x1000);
}

static void by_tcp(void **state)
{
	struct cards *c = *state;
	unsigned port = 20000 + (unsigned)getpid() % 20000;

	snprintf(c->link, sizeof(c->link), "tcp:127.0.0.1:%u", port);
	start(state, NULL);
	check_traffic(c, 0x1000);
}

/* Bytes that differ from round to round and from side to side. */
static void fill(uint8_t block[4096], unsigned round, unsigned side)
{
	for (unsigned k = 0; k < 4096; k++)
		block[k] = (uint8_t)(k * 13 + round * 7 + side);
}

/* The link's longest timeout is 10 s, which a busy machine may take: such stores fail and are counted, and are repeated.
 * Whether any did since `before`, which is updated. */
static bool timed_out(struct cards *c, unsigned side, uint64_t *before)
{
	uint64_t now = machine_counter(&c->side[side], GLK_LINK_TIMEOUTS);
	bool more = now != *before;

	*before = now;
	return more;
}

static void store_all(struct cards *c, unsigned round, unsigned side)
{
	uint64_t to = (uint64_t)TO_REMOTE * MACHINE_SLICE + 0x10000 * round;
	uint8_t block[4096];

	fill(block, round, side);
	for (unsigned at = 0; at < 8; at++) /* a packet of the maximum size, and short ones */
		assert_int_equal(client_write(&c->side[side].card, APERTURE, to + 5000 * at, block, at ? 256 : sizeof(block)),
				 0);
}

static void check_all(struct cards *c, unsigned round, unsigned side)
{
	const uint8_t *gpu = c->side[1 - side].gpu + 0x10000 * round;
	uint8_t block[4096];

	fill(block, round, side);
	for (unsigned at = 0; at < 8; at++)
		assert_memory_equal(gpu + 5000 * at, block, at ? 256 : sizeof(block));
	for (unsigned at = 0; at < 20; at++)
		assert_int_equal(load(&c->side[side], 0x10000 * round + 8 * at), machine_at(block, 8 * at));
}

/* Loss, corruption, duplication and reordering, with low bandwidth and high latency. */
static void lossy_link(void **state)
{
	static const char *const harm[] = {
		"--link-loss", "0.01", "--link-corrupt", "0.01", "--link-duplicate", "0.01", "--link-reorder", "0.01",
		"--link-latency", "20000", "--link-bandwidth", "20000000", NULL,
	};
	struct cards *c = start(state, harm);
	uint64_t timeouts[2] = { 0 }, add = 0;

	for (unsigned round = 0; round < 4; round++) {
		for (unsigned i = 0; i < 2; i++)
			store_all(c, round, i);
		for (unsigned i = 0; i < 2; i++) {
			drain(&c->side[i]);
			for (unsigned tries = 0; tries < 10 && timed_out(c, i, &timeouts[i]); tries++) {
				store_all(c, round, i);
				drain(&c->side[i]);
			}
			check_all(c, round, i);
			timed_out(c, i, &timeouts[i]);
		}
	}
	for (unsigned i = 0; i < 2; i++) {
		if (!timeouts[i])
			assert_int_equal(machine_counter(&c->side[i], REMOTE_ERRORS), 0);
		assert_int_equal(machine_counter(&c->side[i], GLK_LINK_PROTOCOL_ERRORS), 0);
		add += machine_counter(&c->side[i], GLK_LINK_CRC_ERRORS) + machine_counter(&c->side[i], GLK_LINK_REPLAYS);
	}
	assert_true(add > 20); /* faults occurred */
}

/* Killed under traffic, and restarted. */
static void killed_and_restarted(void **state)
{
	struct cards *c = start(state, NULL);
	struct machine *m = &c->side[0], *other = &c->side[1];

	check_traffic(c, 0x1000);
	assert_true(events(c, 0, PATIENCE_MS) > 0);
	machine_set(m, GLK_CARD_ERROR_CAUSE, ALL_ONES);
	machine_set(m, GLK_LINK_TIMEOUT_NS, 300000000);
	kill(other->card_process.pid, SIGKILL);
	process_end(&other->card_process, 0);
	client_close(&other->card);
	machine_store(m, TO_REMOTE, 0x2000, 1);
	assert_int_equal(events(c, 0, PATIENCE_MS), 1);
	assert_int_equal(machine_get(m, GLK_CARD_ERROR_CAUSE) & GLK_CARD_ERROR_CAUSE_LINK_MASK, GLK_CARD_ERROR_CAUSE_LINK_MASK);
	assert_false(UP(m));
	assert_int_equal(machine_load(m, TO_REMOTE, 0x1000), ALL_ONES);
	drain(m);
	assert_in_range(machine_counter(m, REMOTE_ERRORS), 1, 2); /* the load, and the store if it left before */
	machine_store(m, TO_GPU, 0x10, 5); /* its own cluster is not affected */
	drain(m);
	assert_int_equal(machine_at(m->gpu, 0x10), 5);
	machine_set(m, GLK_CARD_ERROR_CAUSE, ALL_ONES);
	events(c, 0, 0);
	/* After a restart, partitions are closed until opened again. */
	machine_restart_card(other);
	wait_until(m, true);
	assert_int_equal(events(c, 0, PATIENCE_MS), 1);
	machine_store(m, TO_REMOTE, 0x3000, 2);
	drain(m);
	assert_int_equal(machine_at(other->gpu, 0x3000), 0);
	close(c->events[1]);
	configure(c, 1);
	check_traffic(c, 0x4000);
	assert_int_equal(machine_counter(m, GLK_LINK_UPS), 2);
	/* The first card, which listened. */
	machine_set(other, GLK_LINK_TIMEOUT_NS, 300000000);
	kill(m->card_process.pid, SIGKILL);
	process_end(&m->card_process, 0);
	client_close(&m->card);
	wait_until(other, false);
	machine_restart_card(m);
	close(c->events[0]);
	configure(c, 0);
	wait_until(other, true);
	check_traffic(c, 0x5000);
}

/* A virtual machine disconnects: its card is reset, and closed. */
static void client_disconnects(void **state)
{
	struct cards *c = start(state, NULL);
	struct machine *m = &c->side[0], *other = &c->side[1];

	check_traffic(c, 0x1000);
	client_close(&other->card);
	assert_int_equal(client_open(&other->card, other->card_path), 0);
	for (unsigned i = 0; i < PATIENCE_MS && machine_counter(m, GLK_LINK_UPS) < 2; i++)
		wait_a_millisecond();
	wait_until(m, true);
	machine_store(m, TO_REMOTE, 0x3000, 2);
	drain(m);
	assert_int_equal(machine_at(other->gpu, 0x3000), 0);
	assert_int_equal(machine_load(m, TO_REMOTE, 0x1000), ALL_ONES);
}

/* --- unexpected connections --- */

static int call(const struct cards *c)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	strcpy(address.sun_path, c->link + 5);
	for (unsigned i = 0; i < PATIENCE_MS && connect(fd, (const struct sockaddr *)&address, sizeof(address)); i++)
		wait_a_millisecond();
	return fd;
}

/* Whether the card disconnects. */
static bool hung_up(int fd)
{
	uint64_t until = milliseconds() + PATIENCE_MS;
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	uint8_t bytes[4096];
	ssize_t got = 1;

	while (got > 0 && milliseconds() < until)
		got = poll(&wait, 1, 100) == 1 ? recv(fd, bytes, sizeof(bytes), 0) : 1;
	return got == 0 || (got < 0 && errno == ECONNRESET);
}

/* Why the card ended its next connection, by the log from `*from` on, which is updated. */
static bool ended(const struct machine *m, const char *why, long *from)
{
	char line[512];

	for (unsigned i = 0; i < PATIENCE_MS; i++) {
		FILE *file = fopen(m->card_process.log, "re");
		bool found = false;

		assert_non_null(file);
		fseek(file, *from, SEEK_SET);
		while (!found && fgets(line, sizeof(line), file))
			found = strchr(line, '\n') && strstr(line, "disconnected: ");
		if (found)
			*from = ftell(file);
		fclose(file);
		if (found)
			return strstr(line, why);
		wait_a_millisecond();
	}
	return false;
}

static void unexpected_connections(void **state)
{
	struct cards *c = *state;
	struct machine *m = &c->side[0];
	uint8_t rubbish[17 * 64];
	long read = 0;
	int fd;

	start_one(c, 0, NULL);
	/* An invalid block. */
	fd = call(c);
	assert_int_equal(send(fd, "GET / HTTP/1.0\r\n\r\n", 18, MSG_NOSIGNAL), 18);
	assert_true(hung_up(fd));
	assert_true(ended(m, "invalid block", &read)); /* not for its silence */
	close(fd);
	/* Meaningless blocks and an incomplete one, then disconnect. */
	fd = call(c);
	for (unsigned i = 0; i < sizeof(rubbish); i++)
		rubbish[i] = i % 17 ? (uint8_t)(i * 37) : (uint8_t)(i / 17 % 2);
	assert_int_equal(send(fd, rubbish, sizeof(rubbish) - 5, MSG_NOSIGNAL), sizeof(rubbish) - 5);
	for (unsigned i = 0; i < PATIENCE_MS && !machine_counter(m, GLK_LINK_CRC_ERRORS); i++)
		wait_a_millisecond();
	assert_true(machine_counter(m, GLK_LINK_CRC_ERRORS) > 0);
	close(fd);
	assert_true(ended(m, "by peer", &read)); /* closed or reset */
	/* A silent peer is disconnected; meanwhile the card responds. */
	fd = call(c);
	machine_store(m, TO_REMOTE, 0, 1);
	drain(m);
	assert_int_equal(machine_load(m, TO_REMOTE, 0), ALL_ONES);
	assert_true(hung_up(fd));
	assert_true(ended(m, "no data from peer", &read));
	close(fd);
	assert_false(UP(m));
	/* The other card connects; further connections are rejected. */
	start_one(c, 1, NULL);
	wait_until(m, true);
	wait_until(&c->side[1], true);
	fd = call(c);
	assert_true(hung_up(fd));
	close(fd);
	check_traffic(c, 0x1000);
	assert_int_equal(machine_counter(m, GLK_LINK_UPS), 1);
}

/* Stopped, as by a debugger: it neither reads nor exits. */
static void stopped(void **state)
{
	struct cards *c = start(state, NULL);
	struct machine *m = &c->side[0], *other = &c->side[1];
	uint8_t block[4096] = { 1 };

	machine_set(m, GLK_LINK_TIMEOUT_NS, 200000000);
	kill(other->card_process.pid, SIGSTOP);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(client_write(&m->card, APERTURE, (uint64_t)TO_REMOTE * MACHINE_SLICE + 4096 * i, block,
					      sizeof(block)), 0);
	assert_int_equal(machine_load(m, TO_REMOTE, 0), ALL_ONES);
	drain(m);
	assert_int_equal(machine_counter(m, REMOTE_ERRORS),
			 machine_counter(m, machine_partition(TO_REMOTE, GLK_PARTITION_PACKETS)) + 1);
	kill(other->card_process.pid, SIGCONT);
	wait_until(m, true);
	wait_until(other, true);
	check_traffic(c, 0x9000);
}

static void bad_options(void **state)
{
	static const char *const bad[][2] = {
		{ "--link", "here" },	     { "--link", "unix:" },	{ "--link", "tcp:localhost" },
		{ "--link", "tcp::1" },	     { "--cluster", "256" },	{ "--cluster", "-1" },
		{ "--link-loss", "1.5" },    { "--link-loss", "-0.1" }, { "--link-bandwidth", "10x" },
		{ "--link-latency", "1e3" }, { "--link-seed", "0" },	{ "--link-corrupt", "nan" },
	};
	struct cards *c = *state;
	char log[PROCESS_PATH_MAX];

	snprintf(log, sizeof(log), "%.80s/options.log", c->side[0].folder);
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const char *const argv[] = {
			machine_card_program(), "--socket", c->side[0].card_path, bad[i][0], bad[i][1], NULL,
		};
		struct process process = { 0 };
		int status;

		assert_int_equal(process_start(&process, log, argv), 0);
		status = process_end(&process, 0);
		assert_true(status == 2 || (i < 4 && status == 1));
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(joined), TEST(by_tcp), TEST(lossy_link), TEST(killed_and_restarted), TEST(client_disconnects),
		TEST(unexpected_connections), TEST(stopped), TEST(bad_options),
	};

	if (argc < 3)
		return 2;
	signal(SIGPIPE, SIG_IGN);
	machine_programs(argv[1], argv[2], argc > 3 ? argv[3] : NULL);
	second = argc > 4 ? argv[4] : NULL;
	fprintf(stderr, "# --link-seed " SEED "\n");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
