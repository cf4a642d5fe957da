// SPDX-License-Identifier: Apache-2.0
#include "ask.h"

#include "code_name.h"

#include <gpulink.h>
#include <json-c/json.h>

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* Far above any answer. */
#define ANSWER_BYTES   (1 << 20)
#define ANSWER_SECONDS 30

static time_t patience_of(const struct asker *asker)
{
	return asker->seconds ? (time_t)asker->seconds : ANSWER_SECONDS;
}

static int connect_daemon(struct asker *asker, struct failure *failure)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct timeval patience = { .tv_sec = patience_of(asker) };
	int error;

	if (!*asker->socket_path || strlen(asker->socket_path) >= sizeof(address.sun_path))
		return failure_set(failure, -GPULINK_EINVAL, "socket path '%s': must be 1 to %zu characters",
				   asker->socket_path, sizeof(address.sun_path) - 1);
	strcpy(address.sun_path, asker->socket_path);
	asker->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (asker->socket < 0)
		return failure_set(failure, -GPULINK_EIO, "cannot create socket: %s", strerror(errno));
	if (setsockopt(asker->socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) ||
	    setsockopt(asker->socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)))
		return failure_set(failure, -GPULINK_EIO, "cannot set socket timeout: %s", strerror(errno));
	if (!connect(asker->socket, (const struct sockaddr *)&address, sizeof(address)))
		return 0;
	error = errno;
	asker_close(asker);
	if (error == EACCES || error == EPERM)
		return failure_set(failure, -GPULINK_EACCES, "cannot connect to gpulinkd at %s: permission denied",
				   asker->socket_path);
	return failure_set(failure, -ECONNREFUSED,
			   "cannot connect to gpulinkd at %s: %s; start it, or use --direct to access sysfs without it",
			   asker->socket_path, strerror(error));
}

/* As send(), with the files of the request, if there are any, beside its first byte. */
static ssize_t send_with_files(struct asker *asker, const char *data, size_t bytes)
{
	size_t count = asker->file_count;
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(asker->files))];
	} control = { .bytes = { 0 } };
	struct iovec from = { .iov_base = (void *)(uintptr_t)data, .iov_len = bytes };
	struct msghdr message = { .msg_iov = &from, .msg_iovlen = 1 };

	if (count) {
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(count * sizeof(int));
		control.align.cmsg_level = SOL_SOCKET;
		control.align.cmsg_type = SCM_RIGHTS;
		control.align.cmsg_len = CMSG_LEN(count * sizeof(int));
		memcpy(CMSG_DATA(&control.align), asker->files, count * sizeof(int));
	}
	return sendmsg(asker->socket, &message, MSG_NOSIGNAL);
}

static int send_line(struct asker *asker, struct json_object *request, struct failure *failure)
{
	size_t length;
	const char *text = json_object_to_json_string_length(request, JSON_C_TO_STRING_PLAIN, &length);
	char *line = text ? malloc(length + 1) : NULL;
	size_t done = 0;
	int error = 0;

	if (!line)
		return failure_set(failure, -GPULINK_ENOMEM, "out of memory");
	memcpy(line, text, length);
	line[length] = '\n';
	while (done < length + 1 && !error) {
		ssize_t sent = done ? send(asker->socket, line + done, length + 1 - done, MSG_NOSIGNAL) :
				      send_with_files(asker, line, length + 1);

		if (sent >= 0)
			done += (size_t)sent;
		else if (errno != EINTR)
			error = errno;
	}
	free(line);
	/* A daemon that closed the connection may have sent an error first: read it. */
	if (error && error != EPIPE && error != ECONNRESET)
		return failure_set(failure, -GPULINK_EIO, "gpulinkd at %s: %s", asker->socket_path, strerror(error));
	return 0;
}

/* Receives a line into `line`, of ANSWER_BYTES, without its newline. */
static int receive_line(struct asker *asker, char *line, struct failure *failure)
{
	size_t used = 0;
	ssize_t got;

	while (used < ANSWER_BYTES) {
		got = recv(asker->socket, line + used, ANSWER_BYTES - used, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == EAGAIN)
			return failure_set(failure, -GPULINK_ETIMEDOUT, "gpulinkd at %s: no answer within %ld s",
					   asker->socket_path, (long)patience_of(asker));
		if (got <= 0)
			return failure_set(failure, -GPULINK_EIO, "gpulinkd at %s: %s", asker->socket_path,
					   got ? strerror(errno) : "connection closed");
		used += (size_t)got;
		/* One answer per request: its newline is the last byte. */
		if (line[used - 1] == '\n') {
			line[used - 1] = 0;
			return 0;
		}
	}
	return failure_set(failure, -GPULINK_EPROTO, "gpulinkd at %s: answer too long", asker->socket_path);
}

/* Extracts the result of an answer, or its error. */
static int open_answer(struct asker *asker, struct json_object *answer, struct json_object **result, struct failure *failure)
{
	struct json_object *ok, *error, *code, *message;

	if (json_object_object_get_ex(answer, "ok", &ok) && json_object_is_type(ok, json_type_boolean)) {
		if (json_object_get_boolean(ok) && json_object_object_get_ex(answer, "result", result)) {
			json_object_get(*result);
			return 0;
		}
		if (!json_object_get_boolean(ok) && json_object_object_get_ex(answer, "error", &error) &&
		    json_object_object_get_ex(error, "code", &code) && json_object_is_type(code, json_type_string) &&
		    json_object_object_get_ex(error, "message", &message)) {
			asker->refused = true;
			return failure_set(failure, code_named(json_object_get_string(code)), "%s",
					   json_object_get_string(message));
		}
	}
	return failure_set(failure, -GPULINK_EPROTO, "malformed answer from gpulinkd");
}

static int ask_daemon(struct asker *asker, struct json_object *request, struct json_object **answer, struct failure *failure)
{
	int error = asker->socket < 0 ? connect_daemon(asker, failure) : 0;
	char *line;

	if (!error)
		error = send_line(asker, request, failure);
	if (error)
		return error;
	line = malloc(ANSWER_BYTES);
	error = line ? receive_line(asker, line, failure) : failure_set(failure, -GPULINK_ENOMEM, "out of memory");
	if (!error)
		*answer = json_tokener_parse(line);
	free(line);
	return error;
}

int ask(struct asker *asker, struct json_object *request, struct json_object **result, struct failure *failure)
{
	struct json_object *answer = NULL;
	int error = 0;

	asker->refused = false;
	if (!request)
		return failure_set(failure, -GPULINK_ENOMEM, "out of memory");
	if (asker->direct)
		answer = asker->direct(request, asker);
	else
		error = ask_daemon(asker, request, &answer, failure);
	json_object_put(request);
	if (!error)
		error = open_answer(asker, answer, result, failure);
	json_object_put(answer);
	return error;
}

void asker_close(struct asker *asker)
{
	if (asker->socket >= 0)
		close(asker->socket);
	asker->socket = -1;
}
