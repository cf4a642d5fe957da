// SPDX-License-Identifier: Apache-2.0
/* Files that come with requests on the control socket: one connection, whose ends are both here. */
#include "../client.h"
#include "../protocol/program.h"
#include "card_folder.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static struct {
	sd_event *event;
	struct client *client;
	int end;
	enum request_right right;
} now;

static enum request_right right_of(void *user, const struct client *client)
{
	(void)user;
	(void)client;
	return now.right;
}

static void ended(void *user, struct client *client)
{
	(void)user;
	(void)client;
	now.client = NULL;
}

static int set_up(void **state)
{
	int ends[2];

	(void)state;
	card_folder_make();
	card_make("gpulink0", "a0", 2);
	now.right = REQUEST_ALL;
	assert_true(sd_event_new(&now.event) >= 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
	now.end = ends[0];
	assert_int_equal(client_open(&now.client, now.event, ends[1], right_of, ended, NULL), 0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	close(now.end);
	client_close(now.client);
	sd_event_unref(now.event);
	card_folder_remove();
	return 0;
}

static unsigned open_files(void)
{
	unsigned count = 0;

	for (int fd = 0; fd < 1024; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

/* Sends bytes beside `files` descriptors, and runs the server. Returns how many descriptors the process has more. */
static int send_with_files(const char *text, unsigned files)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(10 * sizeof(int))];
	} control = { .bytes = { 0 } };
	struct iovec from = { .iov_base = (void *)(uintptr_t)text, .iov_len = strlen(text) };
	struct msghdr message = { .msg_iov = &from, .msg_iovlen = 1 };
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	unsigned before = open_files() - 1;

	if (files) {
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(files * sizeof(int));
		control.align.cmsg_level = SOL_SOCKET;
		control.align.cmsg_type = SCM_RIGHTS;
		control.align.cmsg_len = CMSG_LEN(files * sizeof(int));
	}
	for (unsigned i = 0; i < files; i++)
		memcpy(CMSG_DATA(&control.align) + i * sizeof(int), &null, sizeof(int));
	assert_int_equal(sendmsg(now.end, &message, MSG_NOSIGNAL), (ssize_t)strlen(text));
	close(null);
	while (sd_event_run(now.event, 0) > 0)
		;
	return (int)open_files() - (int)before;
}

static void answered(const char *part)
{
	char text[4096];
	ssize_t got = recv(now.end, text, sizeof(text) - 1, MSG_DONTWAIT);

	assert_true(got > 0);
	text[got] = '\0';
	if (!strstr(text, part))
		fail_msg("'%s' does not contain '%s'", text, part);
}

/* Two are kept until the request has run, and none longer. */
static void kept_for_one_request(void **state)
{
	(void)state;
	assert_int_equal(send_with_files("{\"op\":", 10), 2);
	assert_int_equal(send_with_files("\"info\",", 3), 0);
	assert_int_equal(send_with_files("\"card\":\"gpulink0\"}\n", 0), -2);
	answered("\"ok\":true");
	assert_int_equal(send_with_files("nonsense\n", 2), 0);
	answered("EPROTO");
}

static void closed_with_the_connection(void **state)
{
	(void)state;
	assert_int_equal(send_with_files("{\"op\":", 2), 2);
	assert_int_equal(shutdown(now.end, SHUT_WR), 0);
	while (now.client && sd_event_run(now.event, 0) > 0)
		;
	assert_null(now.client);
}

static void of_program(void **state)
{
	(void)state;
	assert_int_equal(send_with_files("{\"op\":\"program\",\"card\":\"gpulink0\"}\n", 1), 0);
	answered("\"message\":\"gpulink0: "); /* the card is made up */
	assert_int_equal(send_with_files("{\"op\":\"program\",\"card\":\"gpulink0\"}\n", 0), 0);
	answered("no file came with the request");
	now.right = REQUEST_CHANGE;
	assert_int_equal(send_with_files("{\"op\":\"program\",\"card\":\"gpulink0\"}\n", 1), 0);
	answered("only root may load logic that is not signed");
	program_demand_signature("/nowhere");
	assert_int_equal(send_with_files("{\"op\":\"program\",\"card\":\"gpulink0\"}\n", 1), 0);
	answered("\"message\":\"gpulink0: ");
	program_demand_signature("");
	now.right = REQUEST_QUERY;
	assert_int_equal(send_with_files("{\"op\":\"program\",\"card\":\"gpulink0\"}\n", 1), 0);
	answered("requires root or membership");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(kept_for_one_request, set_up, tear_down),
		cmocka_unit_test_setup_teardown(closed_with_the_connection, set_up, tear_down),
		cmocka_unit_test_setup_teardown(of_program, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
