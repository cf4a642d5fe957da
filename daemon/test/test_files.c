// SPDX-License-Identifier: Apache-2.0
/*
 * Descriptors that come with requests on the control socket: one connection, whose ends are both here. Many of them block
 * whoever closes or reads them; a server that did would hang, until the alarm ends the test.
 */
#include "../client.h"
#include "../peer.h"
#include "../protocol/program.h"
#include "card_folder.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define PROGRAM "{\"op\":\"program\",\"card\":\"gpulink0\"}\n"
#define HANG_SECONDS 100

static struct {
	sd_event *event;
	struct client *client;
	int end;
	enum request_right right;
	unsigned files_before;
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

static unsigned open_files(void)
{
	unsigned count = 0;

	for (int fd = 0; fd < 1024; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static void connect_client(void)
{
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
	now.end = ends[0];
	assert_int_equal(client_open(&now.client, now.event, ends[1], right_of, ended, NULL), 0);
}

static int set_up(void **state)
{
	(void)state;
	alarm(HANG_SECONDS);
	card_folder_make();
	card_make("gpulink0", "a0", 2);
	now.right = REQUEST_ALL;
	assert_true(sd_event_new(&now.event) >= 0);
	connect_client();
	now.files_before = open_files();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	close(now.end);
	client_close(now.client);
	sd_event_unref(now.event);
	card_folder_remove();
	alarm(0);
	return 0;
}

/* Sends bytes with descriptors. */
static void send_with(const char *text, const int *files, unsigned count)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(10 * sizeof(int))];
	} control = { .bytes = { 0 } };
	struct iovec from = { .iov_base = (void *)(uintptr_t)text, .iov_len = strlen(text) };
	struct msghdr message = { .msg_iov = &from, .msg_iovlen = 1 };

	message.msg_control = &control;
	message.msg_controllen = CMSG_SPACE(count * sizeof(int));
	control.align.cmsg_level = SOL_SOCKET;
	control.align.cmsg_type = SCM_RIGHTS;
	control.align.cmsg_len = CMSG_LEN(count * sizeof(int));
	memcpy(CMSG_DATA(&control.align), files, count * sizeof(int));
	assert_int_equal(sendmsg(now.end, &message, MSG_NOSIGNAL), (ssize_t)strlen(text));
}

static void send_with_nulls(const char *text, unsigned count)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC), files[10];

	for (unsigned i = 0; i < count; i++)
		files[i] = null;
	send_with(text, files, count);
	close(null);
}

/* A connection with data that its peer does not read: whoever closes it last waits for that. The peer stays open. */
static int lingering(int *peer)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct linger linger = {1, 10 * HANG_SECONDS};
	int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	socklen_t length = sizeof(address);
	static char data[1 << 16];

	assert_int_equal(bind(server, (struct sockaddr *)&address, length), 0);
	assert_int_equal(listen(server, 1), 0);
	assert_int_equal(getsockname(server, (struct sockaddr *)&address, &length), 0);
	assert_true(!connect(fd, (struct sockaddr *)&address, length) || errno == EINPROGRESS);
	*peer = accept(server, NULL, NULL);
	assert_true(*peer >= 0);
	close(server);
	while (send(fd, data, sizeof(data), MSG_DONTWAIT) > 0)
		;
	assert_int_equal(fcntl(fd, F_SETFL, 0), 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)), 0);
	return fd;
}

/* Sends the only descriptor of a connection that lingers. Returns its peer. */
static int send_with_lingering(const char *text)
{
	int peer, fd = lingering(&peer);

	send_with(text, &fd, 1);
	close(fd);
	now.files_before++;
	return peer;
}

static void close_peer(int peer)
{
	close(peer);
	now.files_before--;
}

static void run_until(bool (*done)(void))
{
	while (!done())
		assert_true(sd_event_run(now.event, UINT64_MAX) >= 0);
}

static bool has_answer(void)
{
	char byte;

	return recv(now.end, &byte, 1, MSG_DONTWAIT | MSG_PEEK) > 0;
}

static bool has_ended(void)
{
	return !now.client;
}

static void answered(const char *part)
{
	char text[4096];
	ssize_t got;

	run_until(has_answer);
	got = recv(now.end, text, sizeof(text) - 1, MSG_DONTWAIT);
	assert_true(got > 0);
	text[got] = '\0';
	if (!strstr(text, part))
		fail_msg("'%s' does not contain '%s'", text, part);
}

/* The connection ends, all that came over it is closed, and no child is left. */
static void refused(const char *part)
{
	answered(part);
	run_until(has_ended);
	assert_int_equal(open_files(), now.files_before - 1);
	assert_true(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
	close(now.end);
	connect_client();
}

/* Only the operation that takes some, from whom may use it, in one message. */
static void refused_early(void **state)
{
	(void)state;
	send_with_nulls("{\"op\":\"list\"}\n", 1);
	refused("operation list: no files must come with it");
	send_with_nulls("{\"id\":7,\"op\":\"list\"}\n", 10);
	refused("\"id\":7");
	send_with_nulls("nonsense\n", 2);
	refused("EPROTO");
	send_with_nulls("{\"op\":", 2);
	refused("must come with one request");
	send_with_nulls(PROGRAM PROGRAM, 1);
	refused("must come with one request");
	assert_int_equal(send(now.end, "{\"op\":\"list\"}\n", 14, 0), 14);
	send_with_nulls(PROGRAM, 1);
	refused("must come with one request");
	assert_int_equal(send(now.end, "{\"op\":", 6, 0), 6);
	while (sd_event_run(now.event, 0) > 0)
		;
	send_with_nulls("\"program\"}\n", 1);
	refused("must come with one request");
	send_with_nulls(PROGRAM, 3);
	refused("more than two files");
	now.right = REQUEST_CHANGE;
	send_with_nulls(PROGRAM, 1);
	refused("only root may load logic that is not signed");
	now.right = REQUEST_QUERY;
	send_with_nulls(PROGRAM, 1);
	refused("requires root or membership");
}

static void not_waited_for(void **state)
{
	int peer;

	(void)state;
	now.right = REQUEST_QUERY;
	peer = send_with_lingering("{\"op\":\"list\"}\n");
	refused("operation list: no files must come with it");
	close_peer(peer);
	peer = send_with_lingering(PROGRAM);
	refused("requires root or membership");
	close_peer(peer);
	/* From whom may program: what is no file is none. */
	now.right = REQUEST_ALL;
	peer = send_with_lingering(PROGRAM);
	answered("\"message\":\"gpulink0: "); /* the card is made up */
	close(peer);
	/* Nor when it is left in the socket by a client that hangs up, or by a server that ends. */
	peer = send_with_lingering("{\"op\":");
	assert_int_equal(shutdown(now.end, SHUT_RDWR), 0);
	run_until(has_ended);
	close(now.end);
	close(peer);
	connect_client();
	peer = send_with_lingering("{\"op\":\"list\"}\n");
	client_close(now.client);
	now.client = NULL;
	close(peer);
}

/* A file whose readers wait until the test answers, as those of a file on FUSE do. -1: not permitted here. */
static int slow_file(int *answers)
{
	FILE *file = tmpfile();
	char path[40];
	int fd = -1;

	assert_non_null(file);
	assert_true(fputs("an image", file) >= 0 && !fflush(file));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(file));
	*answers = fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC, O_RDONLY | O_CLOEXEC);
	/* Opened after it is marked: files that were open before are not watched. */
	if (*answers >= 0 && !fanotify_mark(*answers, FAN_MARK_ADD, FAN_ACCESS_PERM, AT_FDCWD, path))
		fd = open(path, O_RDONLY | O_CLOEXEC);
	fclose(file);
	return fd;
}

static bool served;

static enum request_right other_right(void *user, const struct client *client)
{
	(void)user;
	(void)client;
	served = true;
	return REQUEST_QUERY;
}

static bool was_served(void)
{
	return served;
}

/* Others are served meanwhile, and the wait has a bound. */
static void slow_files(void **state)
{
	struct client *other;
	int answers, fd = slow_file(&answers), ends[2];

	(void)state;
	if (fd < 0)
		skip();
	send_with(PROGRAM, &fd, 1);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
	assert_int_equal(client_open(&other, now.event, ends[1], other_right, ended, NULL), 0);
	assert_int_equal(send(ends[0], "{\"op\":\"list\"}\n", 14, 0), 14);
	run_until(was_served);
	client_close(other);
	close(ends[0]);
	answered("ETIMEDOUT");
	run_until(has_ended);
	close(answers);
	close(fd);
}

static void of_program(void **state)
{
	(void)state;
	send_with_nulls(PROGRAM, 1);
	answered("\"message\":\"gpulink0: "); /* the card is made up */
	assert_int_equal(send(now.end, PROGRAM, strlen(PROGRAM), 0), (ssize_t)strlen(PROGRAM));
	answered("no file came with the request");
	now.right = REQUEST_CHANGE;
	program_demand_signature("/nowhere");
	send_with_nulls(PROGRAM, 2);
	answered("\"message\":\"gpulink0: ");
	program_demand_signature("");
	assert_int_equal(open_files(), now.files_before);
}

static struct {
	int error;
	char image[20], fallback[20];
	bool done;
} copied;

static void on_copied(void *user, int error, const struct program_files *files)
{
	(void)user;
	memset(&copied, 0, sizeof(copied));
	copied.done = true;
	copied.error = error;
	if (!files)
		return;
	assert_true(pread(files->image, copied.image, sizeof(copied.image) - 1, 0) >= 0);
	close(files->image);
	if (files->fallback < 0)
		return;
	assert_true(pread(files->fallback, copied.fallback, sizeof(copied.fallback) - 1, 0) >= 0);
	close(files->fallback);
}

static bool copy_is_done(void)
{
	return copied.done;
}

/* Copies have what the files have, and none is made of what is no regular file. */
static void copies(void **state)
{
	struct peer_child *child, *second;
	FILE *files[2] = {tmpfile(), tmpfile()};
	int fds[2], ends[2], saved;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	saved = now.end;
	now.end = ends[0];
	for (int i = 0; i < 2; i++) {
		assert_non_null(files[i]);
		assert_true(fputs(i ? "the other" : "the image", files[i]) >= 0 && !fflush(files[i]));
		fds[i] = fileno(files[i]);
	}
	for (unsigned count = 1; count <= 2; count++) {
		copied.done = false;
		send_with("line\n", fds, count);
		assert_int_equal(peer_copy_files(&child, now.event, ends[1], 5, on_copied, NULL), 0);
		assert_int_equal(peer_copy_files(&second, now.event, ends[1], 5, on_copied, NULL), -EBUSY);
		run_until(copy_is_done);
		assert_int_equal(copied.error, 0);
		assert_string_equal(copied.image, "the image");
		assert_string_equal(copied.fallback, count == 2 ? "the other" : "");
	}
	copied.done = false;
	send_with_nulls("line\n", 1);
	assert_int_equal(peer_copy_files(&child, now.event, ends[1], 5, on_copied, NULL), 0);
	run_until(copy_is_done);
	assert_true(!copied.error && !*copied.image);
	now.end = saved;
	close(ends[0]);
	close(ends[1]);
	fclose(files[0]);
	fclose(files[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(refused_early, set_up, tear_down),
		cmocka_unit_test_setup_teardown(not_waited_for, set_up, tear_down),
		cmocka_unit_test_setup_teardown(slow_files, set_up, tear_down),
		cmocka_unit_test_setup_teardown(of_program, set_up, tear_down),
		cmocka_unit_test_setup_teardown(copies, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
