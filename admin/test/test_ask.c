// SPDX-License-Identifier: Apache-2.0
/* What ask() returns for each way in which a request can fail, from daemons that answer as the test says. */
#include "../../tests/temporary.h"

#include <ask.h>
#include <code_name.h>

#include <gpulink.h>
#include <json-c/json.h>

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

enum { LONG_ANSWER = (1 << 20) + 1 };

static char folder[TEMPORARY_ROOM], path[TEMPORARY_ROOM + 8];

/* A daemon for one connection. */
struct daemon {
	const char *answer; /* NULL: closes without one; "": never answers */
	bool endless;	    /* an answer without an end */
	int listener;
	unsigned files; /* out: that came with the request */
	char request[256];
	pthread_t thread;
};

static void read_request(struct daemon *daemon, int socket)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(8 * sizeof(int))];
	} control;
	struct iovec to = { daemon->request, sizeof(daemon->request) - 1 };
	struct msghdr message = { .msg_iov = &to, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control) };
	ssize_t got = recvmsg(socket, &message, 0);
	struct cmsghdr *header = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;

	if (header) {
		int fds[8];

		daemon->files = (unsigned)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
		memcpy(fds, CMSG_DATA(header), daemon->files * sizeof(int));
		for (unsigned i = 0; i < daemon->files; i++)
			close(fds[i]);
	}
}

static void *serve(void *user)
{
	static const char part[4096] = { [0 ... 4095] = 'x' };
	struct daemon *daemon = user;
	int socket = accept(daemon->listener, NULL, NULL);
	char end;

	read_request(daemon, socket);
	for (size_t sent = 0; daemon->endless && sent < LONG_ANSWER; sent += sizeof(part))
		if (send(socket, part, sizeof(part), MSG_NOSIGNAL) < 0)
			break;
	if (daemon->answer)
		send(socket, daemon->answer, strlen(daemon->answer), MSG_NOSIGNAL);
	if (daemon->answer && !*daemon->answer)
		while (recv(socket, &end, 1, 0) > 0)
			;
	close(socket);
	return NULL;
}

static void daemon_start(struct daemon *daemon)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	unlink(path);
	snprintf(address.sun_path, sizeof(address.sun_path), "%.100s", path);
	daemon->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(daemon->listener, (const struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(daemon->listener, 1), 0);
	assert_int_equal(pthread_create(&daemon->thread, NULL, serve, daemon), 0);
}

static void daemon_end(struct daemon *daemon)
{
	pthread_join(daemon->thread, NULL);
	close(daemon->listener);
}

static struct json_object *list_request(void)
{
	return json_tokener_parse("{\"op\":\"list\"}");
}

static int ask_once(struct asker *asker, struct failure *failure)
{
	struct json_object *result = NULL;
	int error = ask(asker, list_request(), &result, failure);

	if (!error)
		assert_string_equal(json_object_to_json_string_ext(result, JSON_C_TO_STRING_PLAIN), "[7]");
	json_object_put(result);
	asker_close(asker);
	return error;
}

static void test_ways(void **state)
{
	static const struct {
		const char *answer;
		bool endless, refused;
		int code;
		const char *text;
	} cases[] = {
		{ "{\"id\":null,\"ok\":true,\"result\":[7]}\n", false, false, 0, "" },
		{ NULL, false, false, -GPULINK_EIO, "connection closed" },
		{ "", false, false, -GPULINK_ETIMEDOUT, "no answer within 1 s" },
		{ NULL, true, false, -GPULINK_EPROTO, "answer too long" },
		{ "no JSON\n", false, false, -GPULINK_EPROTO, "malformed answer" },
		{ "{\"ok\":true}\n", false, false, -GPULINK_EPROTO, "malformed answer" },
		{ "{\"ok\":false,\"error\":{\"code\":7,\"message\":\"x\"}}\n", false, false, -GPULINK_EPROTO,
		  "malformed answer" },
		{ "{\"ok\":false,\"error\":{\"code\":\"EINVAL\",\"message\":\"as I say\"}}\n", false, true, -GPULINK_EINVAL,
		  "as I say" },
		{ "{\"ok\":false,\"error\":{\"code\":\"ERESET\",\"message\":\"%s%n\"}}\n", false, true, -GPULINK_ERESET,
		  "%s%n" },
		{ "{\"ok\":false,\"error\":{\"code\":\"EFUTURE\",\"message\":\"x\"}}\n", false, true, -GPULINK_EIO, "x" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct daemon daemon = { .answer = cases[i].answer, .endless = cases[i].endless };
		struct asker asker = { .socket_path = path,
				       .socket = -1,
				       .seconds = cases[i].answer && !*cases[i].answer ? 1 : 60 };
		struct failure failure = { 0 };

		daemon_start(&daemon);
		assert_int_equal(ask_once(&asker, &failure), cases[i].code);
		daemon_end(&daemon);
		assert_string_equal(daemon.request, "{\"op\":\"list\"}\n");
		assert_int_equal(failure.code, cases[i].code);
		assert_int_equal(asker.refused, cases[i].refused);
		if (!strstr(failure.text, cases[i].text))
			fail_msg("'%s' should contain '%s'", failure.text, cases[i].text);
	}
}

static void test_files(void **state)
{
	(void)state;
	for (unsigned count = 0; count <= 2; count++) {
		struct daemon daemon = { .answer = "{\"ok\":true,\"result\":[7]}\n" };
		struct asker asker = {
			.socket_path = path, .socket = -1, .files = { 1, 2 }, .file_count = count, .seconds = 60
		};
		struct failure failure = { 0 };

		daemon_start(&daemon);
		assert_int_equal(ask_once(&asker, &failure), 0);
		daemon_end(&daemon);
		assert_int_equal(daemon.files, count);
	}
}

static void test_no_daemon(void **state)
{
	char longest[200];
	struct asker asker = { .socket_path = "", .socket = -1 };
	struct failure failure;

	(void)state;
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(ask_once(&asker, &failure), -GPULINK_EINVAL);
	asker.socket_path = longest;
	assert_int_equal(ask_once(&asker, &failure), -GPULINK_EINVAL);
	assert_non_null(strstr(failure.text, "must be 1 to 107 characters"));
	unlink(path);
	asker.socket_path = path;
	assert_int_equal(ask_once(&asker, &failure), -ECONNREFUSED);
	assert_non_null(strstr(failure.text, "use --direct"));
	assert_int_equal(asker.socket, -1);
}

static struct json_object *directly(struct json_object *request, const struct asker *asker)
{
	assert_string_equal(json_object_get_string(json_object_object_get(request, "op")), "list");
	assert_int_equal(asker->file_count, 1);
	return json_tokener_parse("{\"ok\":true,\"result\":[7]}");
}

static struct json_object *out_of_memory(struct json_object *request, const struct asker *asker)
{
	(void)request;
	(void)asker;
	return NULL;
}

static void test_direct(void **state)
{
	struct asker asker = { .socket = -1, .direct = directly, .file_count = 1 };
	struct json_object *result;
	struct failure failure;

	(void)state;
	assert_int_equal(ask_once(&asker, &failure), 0);
	asker.direct = out_of_memory;
	assert_int_equal(ask_once(&asker, &failure), -GPULINK_EPROTO);
	assert_int_equal(ask(&asker, NULL, &result, &failure), -GPULINK_ENOMEM);
	assert_string_equal(failure.text, "out of memory");
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(code_name(-GPULINK_EINVAL), "EINVAL");
	assert_string_equal(code_name(GPULINK_EFORK), "EFORK");
	assert_string_equal(code_name(-ENOENT), "EIO");
	for (int code = 1; code < 5000; code++)
		if (strcmp(code_name(code), "EIO"))
			assert_int_equal(code_named(code_name(code)), -code);
	assert_int_equal(code_named("ENOENDPOINT"), -GPULINK_ENOENDPOINT);
	assert_int_equal(code_named(""), -GPULINK_EIO);
}

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(temporary_template(folder, "ask")))
		return -1;
	snprintf(path, sizeof(path), "%s/socket", folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ways),   cmocka_unit_test(test_files), cmocka_unit_test(test_no_daemon),
		cmocka_unit_test(test_direct), cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
