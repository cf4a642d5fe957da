// SPDX-License-Identifier: Apache-2.0
#include "server.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "guarded_copy.h"

#define QEMU_WAITS_NS UINT64_C(5000000000)

static volatile sig_atomic_t ended;

static void on_end(int number)
{
	(void)number;
	ended = 1;
}

/* Termination signals are unblocked only while polling, so that none is missed between checking `ended` and polling. */
static int catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_end };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	if (sigprocmask(SIG_BLOCK, &set, NULL) || sigaction(SIGTERM, &action, NULL) || sigaction(SIGINT, &action, NULL))
		return -errno;
	return guarded_copy_init();
}

int server_open(struct server *server)
{
	int error = catch_signals();

	if (error)
		return error;
	server->session = NULL;
	server->listener = vfu_listen(server->path);
	return server->listener < 0 ? server->listener : 0;
}

void server_close(struct server *server)
{
	if (server->session)
		vfu_session_close(server->session);
	server->session = NULL;
	close(server->listener);
	unlink(server->path);
}

struct pollfd server_pollfd(const struct server *server)
{
	return (struct pollfd){
		.fd = server->session ? vfu_session_fd(server->session) : server->listener,
		.events = POLLIN,
	};
}

void server_serve(struct server *server)
{
	uint64_t began = server_now_ns(), took;
	int error;

	if (!server->session) {
		error = vfu_accept(server->listener, server->function, &server->session);
		if (error && error != -EAGAIN)
			server_log(server->name, "cannot accept a client: %s", strerror(-error));
		return;
	}
	error = vfu_session_serve(server->session);
	took = server_now_ns() - began;
	if (took >= QEMU_WAITS_NS)
		server_log(server->name, "lost by QEMU: no answer for %u s, machine too slow", (unsigned)(took / 1000000000u));
	if (!error)
		return;
	if (error != -ECONNRESET)
		server_log(server->name, "client disconnected for a protocol error: %s", strerror(-error));
	vfu_session_close(server->session);
	server->session = NULL;
	server->disconnected(server->function->device);
}

bool server_poll(struct pollfd *fds, unsigned count, uint64_t until_ns)
{
	uint64_t now = server_now_ns(), left = until_ns > now ? until_ns - now : 0;
	struct timespec wait = { (time_t)(left / 1000000000u), (long)(left % 1000000000u) };
	sigset_t none;
	int found;

	sigemptyset(&none);
	found = ppoll(fds, count, until_ns == UINT64_MAX ? NULL : &wait, &none);
	if (found <= 0)
		for (unsigned i = 0; i < count; i++)
			fds[i].revents = 0;
	return !ended;
}

uint64_t server_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void server_log(const char *name, const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "%s: ", name);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
}
