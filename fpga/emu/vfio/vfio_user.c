// SPDX-License-Identifier: Apache-2.0
/* The transport of vfio-user: clients, framing, file descriptors. */
#include "vfio_user.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "vfio_user_session.h"

#define SEND_TIMEOUT_S 5

int vfu_listen(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct stat there;
	int fd, error;

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	strcpy(address.sun_path, path);
	if (!lstat(path, &there)) {
		if (!S_ISSOCK(there.st_mode))
			return -EEXIST;
		if (unlink(path))
			return -errno;
	}
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) || listen(fd, 4)) {
		error = -errno;
		close(fd);
		return error;
	}
	return fd;
}

int vfu_accept(int listener, const struct vfu_function *function, struct vfu_session **out)
{
	/* A client that does not read its replies must not block the card indefinitely. */
	const struct timeval patience = { .tv_sec = SEND_TIMEOUT_S };
	struct vfu_session *session;
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		return -errno;
	session = calloc(1, sizeof(*session));
	if (!session || setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience))) {
		free(session);
		close(fd);
		return -ENOMEM;
	}
	session->function = function;
	session->fd = fd;
	*out = session;
	return 0;
}

int vfu_session_fd(const struct vfu_session *session)
{
	return session->fd;
}

static void close_fds(struct vfu_session *session)
{
	for (unsigned i = 0; i < session->fd_count; i++)
		if (session->fds[i] >= 0)
			close(session->fds[i]);
	session->fd_count = 0;
}

void vfu_session_close(struct vfu_session *session)
{
	close_fds(session);
	close(session->fd);
	free(session);
}

/* No message needs a socket. It may be the client's own end: held with an incomplete message, it would keep the connection
 * open after the client exits, and block the next client. */
static bool is_socket(int fd)
{
	struct stat status;

	return fstat(fd, &status) || S_ISSOCK(status.st_mode);
}

/* Keeps received descriptors. False: too many, or a socket among them. */
static bool keep_fds(struct vfu_session *session, struct msghdr *header)
{
	bool fit = !(header->msg_flags & MSG_CTRUNC);

	for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c; c = CMSG_NXTHDR(header, c)) {
		size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		int fds[VFU_FDS_MAX];

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		if (count > VFU_FDS_MAX)
			count = VFU_FDS_MAX; /* limited by the control buffer */
		memcpy(fds, CMSG_DATA(c), count * sizeof(int));
		for (size_t i = 0; i < count; i++) {
			if (session->fd_count < VFU_FDS_MAX && !is_socket(fds[i])) {
				session->fds[session->fd_count++] = fds[i];
			} else {
				close(fds[i]);
				fit = false;
			}
		}
	}
	return fit;
}

static int vfio_user_receive(struct vfu_session *session)
{
	union {
		char bytes[CMSG_SPACE(VFU_FDS_MAX * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec to = { session->buffer + session->used, sizeof(session->buffer) - session->used };
	struct msghdr header = {
		.msg_iov = &to, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control),
	};
	ssize_t got = recvmsg(session->fd, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? -EAGAIN : -errno;
	if (!keep_fds(session, &header))
		return -EMFILE;
	if (got == 0)
		return -ECONNRESET;
	session->used += (size_t)got;
	return 0;
}

static int send_reply(struct vfu_session *session, const struct vfu_header *to, const struct vfu_answer *answer)
{
	struct vfu_header header = {
		.id = to->id,
		.command = to->command,
		.size = (uint32_t)(sizeof(header) + answer->bytes),
		.flags = VFU_FLAG_REPLY | (answer->error ? VFU_FLAG_ERROR : 0),
		.error = (uint32_t)-answer->error,
	};
	struct iovec from[2] = { { &header, sizeof(header) }, { session->reply, answer->bytes } };
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct msghdr message = { .msg_iov = from, .msg_iovlen = 2 };
	ssize_t sent;

	if (answer->fd >= 0) {
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
		memset(&control, 0, sizeof(control));
		CMSG_FIRSTHDR(&message)->cmsg_level = SOL_SOCKET;
		CMSG_FIRSTHDR(&message)->cmsg_type = SCM_RIGHTS;
		CMSG_FIRSTHDR(&message)->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(CMSG_FIRSTHDR(&message)), &answer->fd, sizeof(int));
	}
	do {
		sent = sendmsg(session->fd, &message, MSG_NOSIGNAL);
		if (sent < 0 && errno != EINTR)
			return -errno;
		/* The file descriptor is sent with the first byte: not again with the rest. */
		for (unsigned i = 0; sent > 0 && i < 2; i++) {
			size_t part = (size_t)sent < from[i].iov_len ? (size_t)sent : from[i].iov_len;

			from[i].iov_base = (uint8_t *)from[i].iov_base + part;
			from[i].iov_len -= part;
			sent -= (ssize_t)part;
			message.msg_controllen = 0;
			message.msg_control = NULL;
		}
	} while (from[0].iov_len + from[1].iov_len);
	return 0;
}

/*
 * Serves the complete messages in the buffer. The kernel ends a read after data with file descriptors: they belong to the
 * last message that begins in the buffer, complete or not.
 */
static int serve_buffer(struct vfu_session *session)
{
	size_t at = 0;
	int error = 0;

	while (!error && session->used - at >= sizeof(struct vfu_header)) {
		struct vfu_message message = { .payload = session->buffer + at + sizeof(struct vfu_header) };
		size_t left = session->used - at;
		struct vfu_answer answer;
		bool last;

		memcpy(&message.header, session->buffer + at, sizeof(message.header));
		if (message.header.size < sizeof(message.header) || message.header.size > sizeof(session->buffer))
			return -EMSGSIZE; /* the next message cannot be located */
		if (message.header.size > left)
			break;
		message.bytes = message.header.size - sizeof(message.header);
		last = message.header.size == left;
		if (last) {
			message.fds = session->fds;
			message.fd_count = session->fd_count;
		}
		error = vfu_handle(session, &message, &answer);
		if (!error && !(message.header.flags & VFU_FLAG_NO_REPLY))
			error = send_reply(session, &message.header, &answer);
		if (last)
			close_fds(session);
		at += message.header.size;
	}
	memmove(session->buffer, session->buffer + at, session->used - at);
	session->used -= at;
	return error;
}

int vfu_session_serve(struct vfu_session *session)
{
	int error = vfio_user_receive(session);

	if (error == -EAGAIN)
		return 0;
	return error ? error : serve_buffer(session);
}
