// SPDX-License-Identifier: Apache-2.0
/*
 * Strangers on the TCP ports that UCX listens on: they send noise, the beginning of a connection, or nothing, and stay
 * connected. Two processes store to each other meanwhile; nothing fails, and no other byte of their memories changes. TAP. A
 * seed is printed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <arpa/inet.h>

#include <chance.h>
#include <tap.h>

#include "all.h"
#include "port.h"

enum { PROCESSES = 2, PORTS = 16, STRANGERS = 48, FIRST = 4096, LAST = 65536, ROUNDS = 20, CONTENT = 4096 };

static struct {
	volatile bool open[PROCESSES], connected;
	volatile unsigned ports, port[PORTS], address[PORTS]; /* of process 1 */
} *shared;

/* The inodes of the process's sockets that listen, in /proc/net/tcp, as ports. */
static void find_ports(void)
{
	char line[512], link[64], path[300], socket[64];
	FILE *file = fopen("/proc/net/tcp", "r");
	unsigned address, port, state, inode;
	struct dirent *entry;

	while (file && fgets(line, sizeof(line), file)) {
		DIR *folder = opendir("/proc/self/fd");

		if (sscanf(line, " %*u: %x:%x %*x:%*x %x %*x:%*x %*x:%*x %*x %*u %*u %u", &address, &port, &state, &inode) != 4 ||
		    state != 10)
			inode = 0;
		snprintf(socket, sizeof(socket), "socket:[%u]", inode);
		while (inode && folder && (entry = readdir(folder))) {
			ssize_t n;

			snprintf(path, sizeof(path), "/proc/self/fd/%s", entry->d_name);
			n = readlink(path, link, sizeof(link) - 1);
			link[n < 0 ? 0 : n] = 0;
			if (!strcmp(link, socket) && shared->ports < PORTS) {
				shared->address[shared->ports] = address; /* as the kernel has it: in network order */
				shared->port[shared->ports++] = port;
			}
		}
		if (folder)
			closedir(folder);
	}
	if (file)
		fclose(file);
}

/* What a stranger says: nothing; noise; what UCX's own connections begin with, or a part of it. With noise behind, UCX aborts.
 */
static size_t say(struct chance *c, unsigned kind, uint8_t *content)
{
	static const uint64_t magic = UINT64_C(0xCAFEBABE12345678); /* UCX 1.13: what a connection begins with */
	size_t bytes = kind == 0 ? 0 : kind == 1 ? 1 + below(c, CONTENT) : 1 + below(c, 8);

	for (size_t i = 0; i < CONTENT; i++)
		content[i] = (uint8_t)draw(c);
	if (kind >= 2)
		memcpy(content, &magic, sizeof(magic));
	return bytes;
}

/* Stays connected until it is killed. */
static void be_strangers(struct chance *c, unsigned kinds)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	uint8_t content[CONTENT];

	signal(SIGPIPE, SIG_IGN);
	for (unsigned s = 0; s < STRANGERS; s++) {
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		size_t bytes = say(c, s % kinds, content);

		address.sin_addr.s_addr = shared->address[s % shared->ports];
		address.sin_port = htons((uint16_t)shared->port[s % shared->ports]);
		if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)))
			_exit(1);
		if (bytes && send(fd, content, bytes, MSG_DONTWAIT) < 0 && errno != EPIPE && errno != ECONNRESET)
			_exit(1);
	}
	shared->connected = true;
	for (;;)
		pause();
}

/* Stores to the other one, to known words only, with loads between. */
static bool traffic(struct all *a, struct chance *c)
{
	uint64_t word, seen;

	for (unsigned round = 0; round < ROUNDS; round++) {
		for (uint64_t at = FIRST; at < LAST; at += 64) {
			word = at + round;
			if (gpulink_store(a->windows[!a->process], at, &word, 8))
				return false;
		}
		word = FIRST + 64 * below(c, (LAST - FIRST) / 64);
		if (gpulink_release(a->device, PATIENCE) || gpulink_load(a->windows[!a->process], word, &seen, 8) ||
		    seen != word + round)
			return false;
	}
	return !meet_all(a);
}

static bool is_untouched(const struct all *a)
{
	for (uint64_t at = 8; at + 8 <= a->bytes; at += 8) {
		uint64_t word, should = at >= FIRST && at < LAST && at % 64 == 0 ? at + ROUNDS - 1 : 0;

		memcpy(&word, a->memory + at, 8);
		if (word != should) {
			fprintf(stderr, "# process %u: %llx at %llx\n", a->process, (unsigned long long)word, (unsigned long long)at);
			return false;
		}
	}
	return true;
}

static long resident(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

static int work(unsigned process, unsigned port, struct chance *c)
{
	struct gpulink_counters counters;
	char name[128];
	struct all a;
	bool well;
	long before;

	alarm(600);
	snprintf(name, sizeof(name), "ucx:rank=%u,processes=%u,at=127.0.0.1:%u,memory=1M", process, PROCESSES, port);
	if (open_all(&a, name) || meet_all(&a))
		return 1;
	before = resident();
	if (process == 1)
		find_ports();
	shared->open[process] = true;
	while (!shared->connected)
		usleep(1000);
	well = traffic(&a, c) && is_untouched(&a) && !gpulink_get_counters(a.device, process, &counters, sizeof(counters)) &&
	       !counters.err_endpoint && resident() - before < 16 << 10 && !meet_all(&a);
	close_all(&a);
	return !well;
}

static void run(const char *what, unsigned kinds, uint64_t seed)
{
	unsigned port = free_port();
	pid_t child[PROCESSES + 1];
	struct chance c;
	bool well = true;
	int status;

	memset(shared, 0, sizeof(*shared));
	fflush(stdout);
	for (unsigned p = 0; p <= PROCESSES; p++) {
		child[p] = fork();
		if (child[p])
			continue;
		chance_start(&c, seed, p);
		if (p < PROCESSES)
			_exit(work(p, port, &c));
		while (!shared->open[0] || !shared->open[1])
			usleep(1000);
		if (!shared->ports)
			_exit(1);
		be_strangers(&c, kinds);
	}
	for (unsigned p = 0; p < PROCESSES; p++) {
		waitpid(child[p], &status, 0);
		if (status)
			fprintf(stderr, "# process %u: status %#x\n", p, (unsigned)status);
		well &= status == 0;
	}
	well &= shared->connected && !kill(child[PROCESSES], SIGKILL);
	waitpid(child[PROCESSES], &status, 0);
	is(well, true, what);
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : (uint64_t)time(NULL);

	printf("# seed %llu\n", (unsigned long long)seed);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED || setenv("UCX_TLS", "tcp,self", 1))
		return 1;
	run("strangers who send nothing, or noise", 2, seed);
	run("strangers who begin as UCX does, and stop", 3, seed);
	return tap_end();
}
