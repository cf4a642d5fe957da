// SPDX-License-Identifier: Apache-2.0
#include "ask.h"

#include "requests.h"

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
#define ANSWER_BYTES (1 << 20)
#define ANSWER_SECONDS 30

static time_t patience_of(const struct asker *asker)
{
	return asker->seconds ? (time_t)asker->seconds : ANSWER_SECONDS;
}

static enum exit_code connect_daemon(struct asker *asker)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct timeval patience = {.tv_sec = patience_of(asker)};
	int error;

	if (!*asker->socket_path || strlen(asker->socket_path) >= sizeof(address.sun_path)) {
		complain("socket path '%s': must be 1 to %zu characters", asker->socket_path,
			 sizeof(address.sun_path) - 1);
		return EXIT_USAGE;
	}
	strcpy(address.sun_path, asker->socket_path);
	asker->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (asker->socket < 0) {
		complain("cannot create socket: %s", strerror(errno));
		return EXIT_FAILED;
	}
	if (setsockopt(asker->socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) ||
	    setsockopt(asker->socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience))) {
		complain("cannot set socket timeout: %s", strerror(errno));
		return EXIT_FAILED;
	}
	if (!connect(asker->socket, (const struct sockaddr *)&address, sizeof(address)))
		return EXIT_OK;
	error = errno;
	asker_close(asker);
	if (error == EACCES || error == EPERM) {
		complain("cannot connect to gpulinkd at %s: permission denied", asker->socket_path);
		return EXIT_NOT_PERMITTED;
	}
	complain("cannot connect to gpulinkd at %s: %s; start it, or use --direct to access sysfs without it", asker->socket_path,
		 strerror(error));
	return EXIT_NO_DAEMON;
}

/* As send(), with the files of the request, if there are any, beside its first byte. */
static ssize_t send_with_files(struct asker *asker, const char *data, size_t bytes)
{
	int fds[2] = {asker->files.image, asker->files.fallback};
	size_t count = !asker->has_files ? 0 : asker->files.fallback < 0 ? 1 : 2;
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(fds))];
	} control = {.bytes = {0}};
	struct iovec from = {.iov_base = (void *)(uintptr_t)data, .iov_len = bytes};
	struct msghdr message = {.msg_iov = &from, .msg_iovlen = 1};

	if (count) {
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(count * sizeof(int));
		control.align.cmsg_level = SOL_SOCKET;
		control.align.cmsg_type = SCM_RIGHTS;
		control.align.cmsg_len = CMSG_LEN(count * sizeof(int));
		memcpy(CMSG_DATA(&control.align), fds, count * sizeof(int));
	}
	return sendmsg(asker->socket, &message, MSG_NOSIGNAL);
}

static enum exit_code send_line(struct asker *asker, struct json_object *request)
{
	size_t length;
	const char *text = json_object_to_json_string_length(request, JSON_C_TO_STRING_PLAIN, &length);
	char *line = text ? malloc(length + 1) : NULL;
	size_t done = 0;
	int error = 0;

	if (!line) {
		complain("out of memory");
		return EXIT_FAILED;
	}
	memcpy(line, text, length);
	line[length] = '\n';
	while (done < length + 1 && !error) {
		ssize_t sent = done ? send(asker->socket, line + done, length + 1 - done, MSG_NOSIGNAL) : send_with_files(asker, line, length + 1);

		if (sent >= 0)
			done += (size_t)sent;
		else if (errno != EINTR)
			error = errno;
	}
	free(line);
	/* A daemon that closed the connection may have sent an error first: read it. */
	if (error && error != EPIPE && error != ECONNRESET) {
		complain("gpulinkd at %s: %s", asker->socket_path, strerror(error));
		return EXIT_FAILED;
	}
	return EXIT_OK;
}

/* Receives a line, without its newline; the caller frees it. NULL: failed and reported. */
static char *receive_line(struct asker *asker)
{
	char *line = malloc(ANSWER_BYTES);
	size_t used = 0;
	ssize_t got;

	if (!line) {
		complain("out of memory");
		return NULL;
	}
	while (used < ANSWER_BYTES) {
		got = recv(asker->socket, line + used, ANSWER_BYTES - used, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == EAGAIN)
			complain("gpulinkd at %s: no answer within %ld s", asker->socket_path, (long)patience_of(asker));
		else if (got < 0)
			complain("gpulinkd at %s: %s", asker->socket_path, strerror(errno));
		else if (!got)
			complain("gpulinkd at %s: connection closed", asker->socket_path);
		if (got <= 0) {
			free(line);
			return NULL;
		}
		used += (size_t)got;
		/* One answer per request: its newline is the last byte. */
		if (line[used - 1] == '\n') {
			line[used - 1] = 0;
			return line;
		}
	}
	complain("gpulinkd at %s: answer too long", asker->socket_path);
	free(line);
	return NULL;
}

static enum exit_code exit_code_of(const char *code)
{
	if (!strcmp(code, "EINVAL"))
		return EXIT_USAGE;
	if (!strcmp(code, "ENODEV"))
		return EXIT_NO_CARD;
	if (!strcmp(code, "EACCES"))
		return EXIT_NOT_PERMITTED;
	return EXIT_FAILED;
}

/* Extracts the result of an answer, or reports its error. */
static enum exit_code open_answer(const struct asker *asker, struct json_object *answer, struct json_object **result)
{
	struct json_object *ok, *error, *code, *message;

	if (json_object_object_get_ex(answer, "ok", &ok) && json_object_is_type(ok, json_type_boolean)) {
		if (json_object_get_boolean(ok) && json_object_object_get_ex(answer, "result", result)) {
			json_object_get(*result);
			return EXIT_OK;
		}
		if (!json_object_get_boolean(ok) && json_object_object_get_ex(answer, "error", &error) &&
		    json_object_object_get_ex(error, "code", &code) && json_object_is_type(code, json_type_string) &&
		    json_object_object_get_ex(error, "message", &message)) {
			if (!asker->quiet)
				complain("%s", json_object_get_string(message));
			return exit_code_of(json_object_get_string(code));
		}
	}
	complain("malformed answer from gpulinkd");
	return EXIT_FAILED;
}

static enum exit_code ask_daemon(struct asker *asker, struct json_object *request, struct json_object **answer)
{
	enum exit_code code = asker->socket < 0 ? connect_daemon(asker) : EXIT_OK;
	char *line;

	if (code == EXIT_OK)
		code = send_line(asker, request);
	if (code != EXIT_OK)
		return code;
	line = receive_line(asker);
	if (!line)
		return EXIT_FAILED;
	*answer = json_tokener_parse(line);
	free(line);
	return EXIT_OK;
}

enum exit_code ask(struct asker *asker, struct json_object *request, struct json_object **result)
{
	struct json_object *answer = NULL;
	enum exit_code code = EXIT_OK;

	if (!request) {
		complain("out of memory");
		return EXIT_FAILED;
	}
	if (asker->direct)
		answer = request_run(request, REQUEST_ALL, asker->has_files ? &asker->files : NULL);
	else
		code = ask_daemon(asker, request, &answer);
	json_object_put(request);
	if (code == EXIT_OK)
		code = open_answer(asker, answer, result);
	json_object_put(answer);
	return code;
}

void asker_close(struct asker *asker)
{
	if (asker->socket >= 0)
		close(asker->socket);
	asker->socket = -1;
}
