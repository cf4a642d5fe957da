// SPDX-License-Identifier: Apache-2.0
#include "link_socket.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define RETRY_NS  UINT64_C(200000000)
#define SILENT_NS UINT64_C(10000000000) /* a card sends at least every 100 ms, but may wait for a processor */
#define ACTIVE_NS UINT64_C(500000000)

/* --- addresses --- */

static int parse_path(struct link_socket *s, const char *path)
{
	if (!*path)
		return -EINVAL;
	if (strlen(path) >= sizeof(s->address.path.sun_path))
		return -ENAMETOOLONG;
	s->address.path.sun_family = AF_UNIX;
	strcpy(s->address.path.sun_path, path);
	s->address_bytes = sizeof(s->address.path);
	return 0;
}

/* HOST:PORT, or [HOST]:PORT for a host that has colons. */
static int parse_host(struct link_socket *s, const char *text)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV };
	const char *colon = strrchr(text, ':');
	struct addrinfo *found;
	char host[256];
	size_t length;

	if (!colon || colon == text || !colon[1])
		return -EINVAL;
	length = (size_t)(colon - text);
	if (text[0] == '[' && text[length - 1] == ']') {
		text++;
		length -= 2;
	}
	if (!length || length >= sizeof(host))
		return -EINVAL;
	snprintf(host, sizeof(host), "%.*s", (int)length, text);
	if (getaddrinfo(host, colon + 1, &hints, &found))
		return -EADDRNOTAVAIL;
	if (found->ai_addrlen > sizeof(s->address)) {
		freeaddrinfo(found);
		return -EADDRNOTAVAIL;
	}
	memcpy(&s->address, found->ai_addr, found->ai_addrlen);
	s->address_bytes = found->ai_addrlen;
	freeaddrinfo(found);
	return 0;
}

int link_socket_init(struct link_socket *s, const char *address)
{
	memset(s, 0, sizeof(*s));
	s->listener = s->fd = -1;
	if (!strncmp(address, "unix:", 5))
		return parse_path(s, address + 5);
	if (!strncmp(address, "tcp:", 4))
		return parse_host(s, address + 4);
	return -EINVAL;
}

static bool is_path(const struct link_socket *s)
{
	return s->address.any.sa_family == AF_UNIX;
}

/* --- listening and connecting --- */

static int new_socket(const struct link_socket *s)
{
	return socket(s->address.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

/* Identifies the socket at the path, to detect one of another process. 0: none. */
static uint64_t inode_of(const struct link_socket *s)
{
	struct stat status;

	return lstat(s->address.path.sun_path, &status) || !S_ISSOCK(status.st_mode) ? 0 : (uint64_t)status.st_ino;
}

static void stop_listening(struct link_socket *s)
{
	if (s->listener >= 0 && is_path(s) && s->inode && inode_of(s) == s->inode)
		unlink(s->address.path.sun_path);
	if (s->listener >= 0)
		close(s->listener);
	s->listener = -1;
}

static void link_socket_leave(struct link_socket *s, uint64_t now_ns)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	s->joined = false;
	s->retry_at = now_ns + RETRY_NS;
}

void link_socket_close(struct link_socket *s)
{
	link_socket_leave(s, 0);
	stop_listening(s);
}

/* Replaces a stale socket. */
static void start_listening(struct link_socket *s)
{
	const int yes = 1;

	s->listener = new_socket(s);
	if (s->listener < 0)
		return;
	if (is_path(s) && inode_of(s))
		unlink(s->address.path.sun_path);
	if (!is_path(s))
		setsockopt(s->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (bind(s->listener, &s->address.any, s->address_bytes) || listen(s->listener, 4)) {
		close(s->listener);
		s->listener = -1;
		return;
	}
	s->inode = is_path(s) ? inode_of(s) : 0;
}

static void link_socket_join(struct link_socket *s, int fd, uint64_t now_ns)
{
	const int yes = 1;

	if (!is_path(s))
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
	s->fd = fd;
	s->joined = true;
	s->heard_at = now_ns;
	s->in.begin = s->in.end = s->out.begin = s->out.end = 0;
}

/* TCP can connect a port to itself if no process listens there. */
static bool to_itself(int fd)
{
	struct sockaddr_storage own = { 0 }, other = { 0 };
	socklen_t own_bytes = sizeof(own), other_bytes = sizeof(other);

	return !getsockname(fd, (struct sockaddr *)&own, &own_bytes) &&
	       !getpeername(fd, (struct sockaddr *)&other, &other_bytes) && own_bytes == other_bytes &&
	       own.ss_family != AF_UNIX && !memcmp(&own, &other, own_bytes);
}

static void try_to_connect(struct link_socket *s, uint64_t now_ns)
{
	int error;

	s->fd = new_socket(s);
	if (s->fd < 0)
		return;
	error = connect(s->fd, &s->address.any, s->address_bytes) ? errno : 0;
	if (!error && !to_itself(s->fd)) {
		link_socket_join(s, s->fd, now_ns);
		return;
	}
	if (error == EINPROGRESS)
		return;
	link_socket_leave(s, now_ns);
	if (error == ECONNREFUSED || error == ENOENT)
		start_listening(s);
}

static void finish_connecting(struct link_socket *s, uint64_t now_ns)
{
	struct pollfd wait = { .fd = s->fd, .events = POLLOUT };
	socklen_t bytes = sizeof(int);
	int error = 0;

	if (poll(&wait, 1, 0) != 1)
		return;
	if (getsockopt(s->fd, SOL_SOCKET, SO_ERROR, &error, &bytes))
		error = errno;
	if (!error && !to_itself(s->fd)) {
		link_socket_join(s, s->fd, now_ns);
		return;
	}
	link_socket_leave(s, now_ns);
	if (error == ECONNREFUSED)
		start_listening(s);
}

/* A second connection is rejected while the first is active. */
static const char *take_caller(struct link_socket *s, uint64_t now_ns)
{
	int fd = accept4(s->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	const char *why = NULL;

	if (fd < 0)
		return NULL;
	if (s->joined && now_ns - s->heard_at < ACTIVE_NS) {
		close(fd);
		return NULL;
	}
	if (s->fd >= 0) {
		link_socket_leave(s, now_ns);
		why = "replaced by a new connection";
	}
	link_socket_join(s, fd, now_ns);
	return why;
}

static void try_again(struct link_socket *s, uint64_t now_ns)
{
	s->retry_at = now_ns + RETRY_NS;
	if (s->listener >= 0 && is_path(s) && inode_of(s) != s->inode)
		stop_listening(s); /* both started at once, and the path is now the other's socket */
	if (s->listener < 0)
		try_to_connect(s, now_ns);
}

/* --- the stream --- */

static void link_socket_make_room(struct link_buffer *b)
{
	memmove(b->bytes, b->bytes + b->begin, b->end - b->begin);
	b->end -= b->begin;
	b->begin = 0;
}

static const char *link_socket_receive(struct link_socket *s, uint64_t now_ns)
{
	ssize_t got;

	link_socket_make_room(&s->in);
	if (s->in.end == sizeof(s->in.bytes))
		return NULL;
	got = recv(s->fd, s->in.bytes + s->in.end, sizeof(s->in.bytes) - s->in.end, 0);
	if (got == 0)
		return "closed by peer";
	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? NULL : strerror(errno);
	/* Check the sync headers of the new blocks. */
	for (size_t at = (s->in.end + LINK_SOCKET_BLOCK - 1) / LINK_SOCKET_BLOCK * LINK_SOCKET_BLOCK;
	     at < s->in.end + (size_t)got; at += LINK_SOCKET_BLOCK)
		if (s->in.bytes[at] > 1)
			return "invalid block";
	s->in.end += (size_t)got;
	s->heard_at = now_ns;
	return NULL;
}

const char *link_socket_send(struct link_socket *s, uint64_t now_ns)
{
	struct link_buffer *b = &s->out;
	const char *why;
	ssize_t put;

	if (!s->joined || b->begin == b->end)
		return NULL;
	put = send(s->fd, b->bytes + b->begin, b->end - b->begin, MSG_NOSIGNAL);
	if (put >= 0) {
		b->begin += (size_t)put;
		link_socket_make_room(b);
		return NULL;
	}
	if (errno == EAGAIN || errno == EINTR)
		return NULL;
	why = strerror(errno);
	link_socket_leave(s, now_ns);
	return why;
}

/* The old stream first: its peer may have restarted and be connecting again. */
const char *link_socket_serve(struct link_socket *s, uint64_t now_ns)
{
	const char *why = s->joined ? link_socket_receive(s, now_ns) : NULL;

	if (s->joined && !why && now_ns - s->heard_at >= SILENT_NS)
		why = "no data from peer";
	if (why)
		link_socket_leave(s, now_ns);
	if (s->listener >= 0 && !why)
		why = take_caller(s, now_ns);
	if (s->fd >= 0 && !s->joined)
		finish_connecting(s, now_ns);
	if (s->fd < 0 && now_ns >= s->retry_at)
		try_again(s, now_ns);
	return why;
}

uint64_t link_socket_deadline(const struct link_socket *s)
{
	if (s->joined)
		return s->heard_at + SILENT_NS;
	return s->fd < 0 ? s->retry_at : UINT64_MAX;
}

void link_socket_pollfds(const struct link_socket *s, struct pollfd fds[LINK_SOCKET_FDS])
{
	bool out = !s->joined || s->out.begin != s->out.end;

	fds[0] = (struct pollfd){ .fd = s->listener, .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = s->fd, .events = (short)(POLLIN | (out ? POLLOUT : 0)) };
}

bool link_socket_get(struct link_socket *s, struct glk_block *block)
{
	const uint8_t *from = s->in.bytes + s->in.begin;

	if (!s->joined || s->in.end - s->in.begin < LINK_SOCKET_BLOCK)
		return false;
	block->control = from[0];
	memcpy(block->bytes, from + 1, GLK_FLIT_BYTES);
	s->in.begin += LINK_SOCKET_BLOCK;
	return true;
}

bool link_socket_room(const struct link_socket *s)
{
	return s->joined && sizeof(s->out.bytes) - s->out.end >= LINK_SOCKET_BLOCK;
}

void link_socket_put(struct link_socket *s, const struct glk_block *block)
{
	uint8_t *to = s->out.bytes + s->out.end;

	to[0] = block->control;
	memcpy(to + 1, block->bytes, GLK_FLIT_BYTES);
	s->out.end += LINK_SOCKET_BLOCK;
}
