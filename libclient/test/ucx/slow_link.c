// SPDX-License-Identifier: Apache-2.0
/*
 * slow_link NAME NAME DELAY_US LOSS_PER_MILLION MBIT [SEED]: two network interfaces on a link that delays, loses and limits
 * packets, for kernels without netem. The caller moves the interfaces to their network namespaces. Prints "ready" and the seed;
 * at SIGTERM, what passed.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <linux/if.h>
#include <linux/if_tun.h>

#include <chance.h>

enum { QUEUE = 256, PACKET = 2048 }; /* what does not fit into the queue is lost, as in a switch */

struct packet {
	uint64_t due; /* ns */
	size_t bytes;
	uint8_t data[PACKET];
};

/* One direction. */
struct way {
	int from, to;
	uint64_t free_at; /* ns: the last packet has left */
	unsigned first, count;
	unsigned long passed, lost, full;
	struct packet queue[QUEUE];
};

static volatile sig_atomic_t ended;
static uint64_t delay_ns, loss, mbit;

static void end(int signal)
{
	(void)signal;
	ended = 1;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int open_interface(const char *name)
{
	int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	struct ifreq request = { .ifr_flags = IFF_TUN | IFF_NO_PI };

	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
	if (fd < 0 || ioctl(fd, TUNSETIFF, &request)) {
		perror(name);
		exit(1);
	}
	return fd;
}

static void take(struct way *w, struct chance *c)
{
	struct packet *p = &w->queue[(w->first + w->count) % QUEUE];
	static uint8_t rest[PACKET];
	ssize_t n;

	while ((n = read(w->from, w->count < QUEUE ? p->data : rest, PACKET)) > 0) {
		uint64_t now = now_ns();

		if (draw(c) % 1000000 < loss) {
			w->lost++;
		} else if (w->count == QUEUE) {
			w->full++;
		} else {
			w->free_at = (w->free_at > now ? w->free_at : now) + (uint64_t)n * 8000 / mbit;
			p->due = w->free_at + delay_ns;
			p->bytes = (size_t)n;
			w->count++;
			p = &w->queue[(w->first + w->count) % QUEUE];
		}
	}
}

/* Returns when the next one is due. */
static uint64_t give(struct way *w)
{
	for (; w->count; w->first = (w->first + 1) % QUEUE, w->count--) {
		const struct packet *p = &w->queue[w->first];

		if (p->due > now_ns())
			return p->due;
		w->passed += write(w->to, p->data, p->bytes) > 0; /* fails while the other interface is down */
	}
	return UINT64_MAX;
}

static void run(struct way *ways, struct chance *c)
{
	struct pollfd fds[2] = {{ .fd = ways[0].from, .events = POLLIN }, { .fd = ways[1].from, .events = POLLIN }};

	while (!ended) {
		uint64_t due = UINT64_MAX, now;
		struct timespec wait = { .tv_sec = 1 };

		for (unsigned i = 0; i < 2; i++) {
			uint64_t next = give(&ways[i]);

			due = next < due ? next : due;
		}
		now = now_ns();
		if (due < now + 1000000000u)
			wait = (struct timespec){ .tv_nsec = due > now ? (long)(due - now) : 0 };
		ppoll(fds, 2, &wait, NULL);
		for (unsigned i = 0; i < 2; i++)
			take(&ways[i], c);
	}
}

int main(int argc, char **argv)
{
	static struct way ways[2];
	uint64_t seed = argc > 6 ? strtoull(argv[6], NULL, 0) : (uint64_t)time(NULL);
	struct chance c;

	if (argc < 6 || !(mbit = strtoull(argv[5], NULL, 0)))
		return 2;
	delay_ns = strtoull(argv[3], NULL, 0) * 1000;
	loss = strtoull(argv[4], NULL, 0);
	chance_start(&c, seed, 0);
	signal(SIGTERM, end);
	ways[0].from = ways[1].to = open_interface(argv[1]);
	ways[1].from = ways[0].to = open_interface(argv[2]);
	printf("ready, seed %llu\n", (unsigned long long)seed);
	fflush(stdout);
	run(ways, &c);
	for (unsigned i = 0; i < 2; i++)
		printf("from %s: %lu packets passed, %lu lost at random, %lu for want of room\n", argv[1 + i], ways[i].passed,
		       ways[i].lost, ways[i].full);
	return 0;
}
