// SPDX-License-Identifier: Apache-2.0
/* How the processes of a "ucx:" device meet, and do not: options, counts, ranks, versions, strangers, times. TAP. */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gpulink.h>
#include <tap.h>

#include "port.h"

enum { TIMEOUT = 2 };

/* Opens and closes; the child's status is the error, or 0. */
__attribute__((format(printf, 1, 0))) static pid_t open_in_child(const char *format, unsigned port, int should, int cause)
{
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		struct gpulink *device = NULL;
		char name[128];
		int error;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(name, sizeof(name), format, port);
#pragma GCC diagnostic pop
		alarm(600);
		error = gpulink_open(name, &device);
		if (error != should || (cause && errno != cause))
			fprintf(stderr, "# %s: %s, errno %s\n", name, gpulink_strerror(error), strerror(errno));
		usleep(error ? 0 : 200000); /* others may not have finished */
		_exit(error != should || (cause && errno != cause));
	}
	return child;
}

static bool went_well(pid_t child)
{
	int status;

	return waitpid(child, &status, 0) == child && !status;
}

static int connect_to(unsigned port)
{
	const struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	for (unsigned i = 0; i < 2000 && connect(fd, (const struct sockaddr *)&to, sizeof(to)); i++)
		usleep(1000);
	return fd;
}

static void test_options(void)
{
	static const char *const wrong[] = {
		"ucx:rank=0", "ucx:processes=2", "ucx:rank=2,processes=2,at=localhost:4000", "ucx:rank=0,processes=2",
		"ucx:rank=0,processes=0", "ucx:rank=0,processes=65537,at=localhost:4000", "ucx:rank=-1,processes=2,at=localhost:4000",
		"ucx:rank=0,processes=2,at=localhost", "ucx:rank=0,processes=2,at=localhost:0", "ucx:rank=0,processes=2,at=localhost:65536",
		"ucx:rank=0,processes=2,at=:4000", "ucx:rank=0,processes=2,at=[::1:4000", "ucx:rank=0,processes=2,at=[]:4000",
		"ucx:rank=0,processes=1,memory=5", "ucx:rank=0,processes=1,payload=100", "ucx:rank=0,processes=1,timeout=0",
		"ucx:rank=0,processes=1,progress=never", "ucx:rank=0,processes=1,route=maybe", "ucx:rank=0,processes=1,color=red", "ucx:rank=0,processes=1,rank", "ucx:at=localhost:4000",
	};
	struct gpulink *device;

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		errno = 0;
		is(gpulink_open(wrong[i], &device) == -GPULINK_EINVAL && errno == EINVAL, true, wrong[i]);
	}
	errno = 0;
	is(gpulink_open("ucx:rank=1,processes=2,at=no.such.host.invalid:4000", &device), -GPULINK_EINVAL, "no such host");
	is(errno, EADDRNOTAVAIL, "errno says so");
}

/* --- what UCX would abort the process for --- */

static const char one_process[] = "ucx:rank=0,processes=1,memory=1M";

/* Before UCX is loaded. */
static void test_host_name(void)
{
	struct gpulink *device;
	char name[65];
	int status = 0;
	pid_t child;

	memset(name, 'a', 64);
	name[64] = '\0';
	fflush(stdout);
	child = fork();
	if (child == 0) {
		if (unshare(CLONE_NEWUTS) || sethostname(name, 64))
			_exit(2);
		errno = 0;
		_exit(gpulink_open(one_process, &device) != -GPULINK_EIO || errno != ENAMETOOLONG);
	}
	if (waitpid(child, &status, 0) != child || (WIFEXITED(status) && WEXITSTATUS(status) == 2))
		tap_skip("", "the name of the host cannot be changed");
	else
		is(status, 0, "a host name of 64 characters");
}

/* Opens with a limit. Returns the result, or 1 if that is neither success nor a limit, or 2 if the limit cannot be set. */
static int open_with(int what, rlim_t limit, int cause)
{
	const struct rlimit limits = { limit, limit };
	struct gpulink *device;
	int status;
	pid_t child = fork();

	if (child == 0) {
		int error;

		if (setrlimit((__rlimit_resource_t)what, &limits) || (what == RLIMIT_NPROC && setuid(2000000000)))
			_exit(2);
		error = gpulink_open(one_process, &device);
		if (!error)
			gpulink_close(device);
		_exit(!error ? 0 : error == -GPULINK_ENOSPC && errno == cause ? GPULINK_ENOSPC : 1);
	}
	return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static void test_limits(void)
{
	int threads[6], files = 0, result = 0;

	fflush(stdout);
	for (rlim_t n = 0; n < 6; n++)
		threads[n] = open_with(RLIMIT_NPROC, n, EAGAIN);
	if (threads[0] == 2) {
		tap_skip("", "needs a user without processes");
	} else {
		is(threads[1] == GPULINK_ENOSPC && threads[2] == GPULINK_ENOSPC, true, "no thread, or one, is left of the user's limit");
		is(threads[4], 0, "with three it opens");
	}
	for (rlim_t n = 64; n > 2 && (!result || result == GPULINK_ENOSPC); n--) {
		result = open_with(RLIMIT_NOFILE, n, EMFILE);
		files += result == 0;
	}
	is(result, GPULINK_ENOSPC, "any number of open files is an error or suffices");
	is(files > 20, true, "64 suffice");
}

static void test_one(void)
{
	struct gpulink_info info;
	struct gpulink *device;

	is(gpulink_open("ucx:rank=0,processes=1,memory=1M", &device), 0, "one process");
	gpulink_get_info(device, &info, sizeof(info));
	is(info.process == 0 && info.processes == 1 && info.partitions == 1 && !strcmp(info.kind, "ucx"), true, "says what it is");
	gpulink_close(device);
	is(gpulink_open("soft:", &device), 0, "another device");
	gpulink_get_info(device, &info, sizeof(info));
	is(info.process == 0 && info.processes == 1, true, "is of one process");
	gpulink_close(device);
}

static void test_meeting(void)
{
	unsigned port = free_port();
	pid_t a, b, c, d;

	a = open_in_child("ucx:rank=1,processes=2,at=127.0.0.1:%u", port, 0, 0);
	usleep(300000);
	b = open_in_child("ucx:rank=0,processes=2,at=127.0.0.1:%u", port, 0, 0);
	is(went_well(a) & went_well(b), true, "process 0 comes later");
	a = open_in_child("ucx:rank=0,processes=2,at=[::1]:%u", port, 0, 0);
	b = open_in_child("ucx:rank=1,processes=2,at=[::1]:%u", port, 0, 0);
	is(went_well(a) & went_well(b), true, "by IPv6");
	a = open_in_child("ucx:rank=0,processes=3,at=localhost:%u,timeout=10", port, 0, 0);
	b = open_in_child("ucx:rank=1,processes=3,at=localhost:%u,timeout=10", port, 0, 0);
	usleep(300000);
	c = open_in_child("ucx:rank=1,processes=3,at=localhost:%u,timeout=10", port, -GPULINK_EINVAL, EEXIST);
	is(went_well(c), true, "a second process of a rank is refused");
	c = open_in_child("ucx:rank=2,processes=4,at=localhost:%u,timeout=10", port, -GPULINK_EINVAL, EINVAL);
	is(went_well(c), true, "and one that counts otherwise");
	c = open_in_child("ucx:rank=0,processes=3,at=localhost:%u,timeout=10", port, -GPULINK_EIO, EADDRINUSE);
	is(went_well(c), true, "and a second process 0");
	d = open_in_child("ucx:rank=2,processes=3,at=localhost:%u,timeout=10", port, 0, 0);
	is(went_well(a) & went_well(b) & went_well(d), true, "while the others meet");
}

/* All have to route, or none. */
static void test_routes(void)
{
	unsigned port = free_port();
	pid_t a = open_in_child("ucx:rank=0,processes=2,at=127.0.0.1:%u,timeout=8,route=on", port, -GPULINK_EINVAL, EINVAL);
	pid_t b = open_in_child("ucx:rank=1,processes=2,at=127.0.0.1:%u,timeout=8,route=off", port, -GPULINK_EINVAL, EINVAL);

	is(went_well(a) & went_well(b), true, "processes of which one routes and one does not");
}

static void test_times(void)
{
	unsigned port = free_port();
	pid_t a, b;

	a = open_in_child("ucx:rank=0,processes=3,at=127.0.0.1:%u,timeout=2", port, -GPULINK_ETIMEDOUT, 0);
	b = open_in_child("ucx:rank=1,processes=3,at=127.0.0.1:%u,timeout=2", port, -GPULINK_ETIMEDOUT, 0);
	is(went_well(a) & went_well(b), true, "one is missing");
	a = open_in_child("ucx:rank=1,processes=2,at=127.0.0.1:%u,timeout=2", port, -GPULINK_ETIMEDOUT, 0);
	is(went_well(a), true, "process 0 is missing");
	a = open_in_child("ucx:rank=1,processes=3,at=127.0.0.1:%u,timeout=8", port, 0, 0);
	b = open_in_child("ucx:rank=2,processes=3,at=127.0.0.1:%u,timeout=8", port, 0, 0);
	usleep(200000);
	kill(b, SIGKILL);
	went_well(b);
	usleep(100000);
	b = open_in_child("ucx:rank=0,processes=3,at=127.0.0.1:%u,timeout=8", port, 0, 0);
	usleep(200000);
	is(went_well(open_in_child("ucx:rank=2,processes=3,at=127.0.0.1:%u,timeout=8", port, 0, 0)) & went_well(a) & went_well(b), true,
	   "one is started again while the others wait");
}

static void test_strangers(void)
{
	static const char garbage[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", half[] = "gpulink\n\1\0\0";
	static const uint32_t old[] = { 0x6c757067, 0x0a6b6e69, 99, 1, 2, 4, 0 }; /* another version */
	unsigned port = free_port();
	uint8_t answer[24] = { 0 };
	int fds[200], fd;
	pid_t a, b;

	a = open_in_child("ucx:rank=0,processes=2,at=127.0.0.1:%u,timeout=10", port, 0, 0);
	for (unsigned i = 0; i < 200; i++) { /* more than there is room for */
		fds[i] = connect_to(port);
		if (i % 3 && write(fds[i], i % 3 == 1 ? garbage : half, i % 3 == 1 ? sizeof(garbage) : sizeof(half)) < 0)
			continue;
	}
	fd = connect_to(port);
	is(write(fd, old, sizeof(old)) == sizeof(old) && recv(fd, answer, sizeof(answer), MSG_WAITALL) == sizeof(answer) &&
		   answer[12] == 1,
	   true, "another version is told so");
	close(fd);
	b = open_in_child("ucx:rank=1,processes=2,at=127.0.0.1:%u,timeout=10", port, 0, 0);
	is(went_well(a) & went_well(b), true, "strangers at the port do not matter");
	for (unsigned i = 0; i < 200; i++)
		close(fds[i]);
}

/* Someone else listens where process 0 should. */
static void test_other_server(const char *says, size_t bytes, int should, const char *what)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), guest;
	socklen_t size = sizeof(address);
	pid_t child;

	if (bind(fd, (struct sockaddr *)&address, size) || listen(fd, 5) ||
	    getsockname(fd, (struct sockaddr *)&address, &size)) {
		is(0, 1, what);
		return;
	}
	child = open_in_child("ucx:rank=1,processes=2,at=127.0.0.1:%u,timeout=2", ntohs(address.sin_port), should, 0);
	guest = accept(fd, NULL, NULL);
	is(write(guest, says, bytes) == (ssize_t)bytes && went_well(child), true, what);
	close(guest);
	close(fd);
}

int main(void)
{
	static const char other[24] = "HTTP/1.1 400 Bad Request", version[24] = "gpulink\n\2\0\0\0\1", huge[24] = "gpulink\n\1\0\0\0\0\0\0\0\377\377\377\377\377",
			  count[28] = "gpulink\n\1\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0\377\377\377\377";

	test_host_name();
	test_options();
	test_limits();
	test_one();
	test_meeting();
	test_routes();
	test_times();
	test_strangers();
	test_other_server(other, sizeof(other), -GPULINK_EPROTO, "another server");
	test_other_server(version, sizeof(version), -GPULINK_EABI, "process 0 of another version");
	test_other_server(huge, sizeof(huge), -GPULINK_EPROTO, "an answer of any length");
	test_other_server(count, sizeof(count), -GPULINK_EPROTO, "an item of any length");
	test_other_server("", 0, -GPULINK_ETIMEDOUT, "a silent server");
	return tap_end();
}
