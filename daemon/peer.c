// SPDX-License-Identifier: Apache-2.0
/*
 * A process that ends does not linger: the kernel closes what it still has without waiting. So the child that drops a socket
 * only waits until this process has closed it, and exits. Descriptors in a socket's queue are in no table of descriptors
 * either, so that nothing is flushed. The child that copies files may wait for them; it has nothing else open.
 */
#include "peer.h"

#include "protocol/program.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILES_MOST   253 /* of a message: the kernel's SCM_MAX_FD */
#define COPIES	     2
#define EXIT_ERROR   (COPIES + 1) /* exit status: the number of files, or this and an errno */

struct peer_child {
	pid_t pid;
	int process; /* pidfd */
	sd_event_source *io;
	peer_ended *ended;
	void *user;
	bool copies;
	struct program_files files;
};

/* One at a time, because they take memory. */
static const struct peer_child *copying;

/* --- reading --- */

ssize_t peer_read(int socket, void *into, size_t room, bool *files)
{
	struct cmsghdr no_room;
	struct iovec part = {.iov_base = into, .iov_len = room};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &no_room, .msg_controllen = sizeof(no_room)};
	ssize_t got = recvmsg(socket, &message, MSG_PEEK | MSG_DONTWAIT);

	*files = got > 0 && message.msg_flags & MSG_CTRUNC;
	if (*files || got <= 0)
		return got;
	/* No more than what was looked at: descriptors may have come meanwhile. */
	return recv(socket, into, (size_t)got, MSG_DONTWAIT);
}

/* --- children --- */

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* In a child: closes all but standard descriptors and these. */
static void keep_only(int *files, size_t count)
{
	unsigned next = STDERR_FILENO + 1;

	qsort(files, count, sizeof(*files), by_number);
	for (size_t i = 0; i < count; i++) {
		if ((unsigned)files[i] > next)
			close_range(next, (unsigned)files[i] - 1, 0);
		next = (unsigned)files[i] + 1;
	}
	close_range(next, UINT_MAX, 0);
}

static void close_copies(struct peer_child *child)
{
	if (child->files.image >= 0)
		close(child->files.image);
	if (child->files.fallback >= 0)
		close(child->files.fallback);
}

static void forget(struct peer_child *child)
{
	if (copying == child)
		copying = NULL;
	sd_event_source_disable_unref(child->io);
	if (child->process >= 0)
		close(child->process);
	close_copies(child);
	free(child);
}

void peer_child_kill(struct peer_child *child)
{
	kill(child->pid, SIGKILL);
	if (copying == child)
		copying = NULL;
}

void peer_child_free(struct peer_child *child)
{
	if (!child)
		return;
	peer_child_kill(child);
	waitpid(child->pid, NULL, WNOHANG);
	forget(child);
}

/* Gives the copies to `ended`, and closes those that the child left empty because they were not sent. */
static int on_end(sd_event_source *source, int fd, uint32_t events, void *user)
{
	struct peer_child *child = user;
	struct program_files files;
	int status = 0, error = 0;

	(void)source;
	(void)fd;
	(void)events;
	if (waitpid(child->pid, &status, WNOHANG) != child->pid)
		return 0;
	if (!WIFEXITED(status))
		error = -ETIMEDOUT; /* killed */
	else if (WEXITSTATUS(status) >= EXIT_ERROR)
		error = -(WEXITSTATUS(status) - EXIT_ERROR);
	files = child->files;
	if (!error && child->copies) {
		child->files.image = -1;
		if (WEXITSTATUS(status) < 2)
			files.fallback = -1;
		else
			child->files.fallback = -1;
	}
	child->ended(child->user, error, !error && child->copies ? &files : NULL);
	forget(child);
	return 0;
}

/* Returns 0 in the child, 1 in this process, with *child, or a negative errno. */
static int peer_start(struct peer_child **out, sd_event *event, const struct peer_child *as)
{
	struct peer_child *child = malloc(sizeof(*child));
	int error = 0;

	if (!child)
		return -ENOMEM;
	*child = *as;
	child->pid = fork();
	if (!child->pid) {
		/* Killed with its parent: what it waits for may never come. */
		if (prctl(PR_SET_PDEATHSIG, SIGKILL))
			_exit(EXIT_ERROR + errno);
		return 0;
	}
	child->process = child->pid < 0 ? -1 : pidfd_open(child->pid, 0);
	if (child->process < 0)
		error = -errno;
	else
		error = sd_event_add_io(event, &child->io, child->process, EPOLLIN, on_end, child);
	if (error >= 0) {
		*out = child;
		return 1;
	}
	if (child->pid > 0)
		peer_child_kill(child);
	child->files = (struct program_files){-1, -1}; /* still the caller's */
	forget(child);
	return error;
}

/* --- closing --- */

static bool is(int socket, int option, int value)
{
	socklen_t bytes = sizeof(int);
	int has;

	return !getsockopt(socket, SOL_SOCKET, option, &has, &bytes) && has == value;
}

/* Whether nothing is in the queue that may carry descriptors; nothing can be added any more. */
static bool is_empty(int socket)
{
	ssize_t got;
	char byte;

	if (!is(socket, SO_DOMAIN, AF_UNIX))
		return true;
	shutdown(socket, SHUT_RD);
	got = recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
	return !got || (got < 0 && (errno == EAGAIN || errno == ECONNRESET));
}

int peer_close(struct peer_child **child, sd_event *event, int socket, peer_ended *ended, void *user)
{
	const struct peer_child as = {.io = NULL, .ended = ended, .user = user, .files = {-1, -1}};
	int closed[2], result;

	if (is_empty(socket)) {
		close(socket);
		return 0;
	}
	if (pipe2(closed, O_CLOEXEC))
		return -errno;
	result = peer_start(child, event, &as);
	if (!result) {
		char byte;

		close(closed[1]);
		while (read(closed[0], &byte, 1) < 0 && errno == EINTR)
			;
		_exit(0);
	}
	if (result > 0)
		close(socket);
	close(closed[0]);
	close(closed[1]);
	return result;
}

void peer_abandon(int socket)
{
	bool listens = socket >= 0 && is(socket, SO_ACCEPTCONN, 1);
	int waiting;

	if (listens)
		shutdown(socket, SHUT_RD);
	while (listens && (waiting = accept4(socket, NULL, NULL, SOCK_CLOEXEC)) >= 0)
		peer_abandon(waiting);
	if (listens || (socket >= 0 && is_empty(socket)))
		close(socket);
}

/* --- files --- */

static int copy_file(int from, int to)
{
	static char buffer[1 << 16];
	struct stat about;
	off_t done = 0;

	if (fstat(from, &about))
		return errno;
	if (!S_ISREG(about.st_mode) || about.st_size > (off_t)PROGRAM_FILE_BYTES)
		return 0;
	while (done < about.st_size) {
		ssize_t got = pread(from, buffer, sizeof(buffer), done);

		if (got <= 0)
			return got ? errno : 0;
		for (ssize_t put = 0; put < got;) {
			ssize_t wrote = write(to, buffer + put, (size_t)(got - put));

			if (wrote < 0)
				return errno;
			put += wrote;
		}
		done += got;
	}
	return 0;
}

/* The child. There is room for all descriptors, so that none is closed by receiving it. */
_Noreturn static void copy_files(int socket, size_t bytes, const struct program_files *to)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(FILES_MOST * sizeof(int))];
	} control;
	int kept[] = {socket, to->image, to->fallback}, count = 0, error = 0;
	char *data = malloc(bytes);
	struct iovec into = {.iov_base = data, .iov_len = bytes};
	struct msghdr message = {.msg_iov = &into, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};

	keep_only(kept, sizeof(kept) / sizeof(*kept));
	if (!data || recvmsg(socket, &message, MSG_DONTWAIT) != (ssize_t)bytes)
		_exit(EXIT_ERROR + EPROTO);
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t at = CMSG_LEN(0); at + sizeof(int) <= c->cmsg_len && !error; at += sizeof(int), count++) {
			int file;

			memcpy(&file, (unsigned char *)c + at, sizeof(file));
			error = count == COPIES ? E2BIG : copy_file(file, count ? to->fallback : to->image);
		}
	}
	_exit(error ? EXIT_ERROR + error : count);
}

int peer_copy_files(struct peer_child **child, sd_event *event, int socket, size_t bytes, peer_ended *ended, void *user)
{
	struct peer_child as = {.io = NULL, .ended = ended, .user = user, .copies = true};
	int result = -EBUSY;

	if (copying)
		return result;
	as.files.image = memfd_create("gpulink-image", MFD_CLOEXEC);
	as.files.fallback = memfd_create("gpulink-fallback", MFD_CLOEXEC);
	result = as.files.image < 0 || as.files.fallback < 0 ? -errno : peer_start(child, event, &as);
	if (!result)
		copy_files(socket, bytes, &as.files);
	if (result < 0) {
		close_copies(&as);
		return result;
	}
	copying = *child;
	return 0;
}
