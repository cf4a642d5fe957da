// SPDX-License-Identifier: Apache-2.0
/*
 * The control socket with real connections: operations, invalid requests, permissions, and clients that are slow, silent,
 * many, or hostile. Server and clients run in one process: pump() runs the server's event loop until it is idle.
 */
#include "../../common/failure.h"
#include "../client.h"
#include "../protocol/endpoint_name.h"
#include "../server.h"
#include "card_folder.h"

#include <gpulink_admin.h>
#include <json-c/json.h>

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* What requests to the one card have in common. */
#define OF_CARD "\"card\":\"gpulink0\""
#define SET(op, setting, value) "{\"op\":\"" op "\"," OF_CARD ",\"setting\":\"" setting "\",\"value\":" value "}"
#define SET_ENDPOINT(endpoint) "{\"op\":\"set_endpoint\"," OF_CARD ",\"partition\":0,\"endpoint\":\"" endpoint "\"}"

#define NOBODY 65534
#define SOME_GROUP (geteuid() ? getegid() : 54321) /* root may give away a socket, others not */

struct fixture {
	sd_event *event;
	struct server *server;
	char path[100];
};

static void pump(struct fixture *f)
{
	int turns = 0;

	while (sd_event_run(f->event, 0) > 0)
		assert_true(++turns < 100000);
}

static int connect_to(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strcpy(address.sun_path, path);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address))) {
		close(fd);
		return -1;
	}
	return fd;
}

static int open_client(struct fixture *f)
{
	int fd = connect_to(f->path);

	assert_true(fd >= 0);
	pump(f);
	return fd;
}

static void send_bytes(int fd, const void *data, size_t bytes)
{
	assert_int_equal(send(fd, data, bytes, MSG_NOSIGNAL), (ssize_t)bytes);
}

/* Received data as text; "" if none, NULL at the end of the connection. */
static const char *received(int fd)
{
	static char text[200000];
	ssize_t got = recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT);

	if (got < 0 && errno == EAGAIN)
		got = 0;
	else if (got <= 0)
		return NULL;
	text[got] = 0;
	return text;
}

static const char *ask(struct fixture *f, int fd, const char *line)
{
	send_bytes(fd, line, strlen(line));
	send_bytes(fd, "\n", 1);
	pump(f);
	return received(fd);
}

static void expect(struct fixture *f, int fd, const char *request, const char *answer)
{
	const char *got = ask(f, fd, request);

	if (!got || strncmp(got, answer, strlen(answer)) || strcmp(got + strlen(answer), "\n"))
		fail_msg("\"%s\" was answered \"%s\", not \"%s\"", request, got ? got : "(end)", answer);
}

static void expect_error(struct fixture *f, int fd, const char *request, const char *code, const char *part)
{
	const char *got = ask(f, fd, request);
	char begin[100];

	snprintf(begin, sizeof(begin), "\"ok\":false,\"error\":{\"code\":\"%s\",\"message\":", code);
	if (!got || !strstr(got, begin) || !strstr(got, part) || strchr(got, '\n') != got + strlen(got) - 1)
		fail_msg("\"%s\" was answered \"%s\", not %s ... %s", request, got ? got : "(end)", code, part);
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	card_folder_make();
	card_make("gpulink0", "a0", 2);
	snprintf(f->path, sizeof(f->path), "%s", card_folder_path("run/socket"));
	assert_true(sd_event_new(&f->event) >= 0);
	assert_int_equal(server_open(&f->server, f->event, f->path, 0666, SOME_GROUP), 0);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	server_close(f->server);
	sd_event_unref(f->event);
	assert_int_not_equal(access(f->path, F_OK), 0);
	card_folder_remove();
	free(f);
	return 0;
}

/* --- operations --- */

static void test_operations(void **state)
{
	struct fixture *f = *state;
	int fd = open_client(f);
	const char *partition;

	expect(f, fd, "{\"id\":1,\"op\":\"list\"}",
	       "{\"id\":1,\"ok\":true,\"result\":[{\"name\":\"gpulink0\",\"pci_address\":\"0000:00:04.0\",\"serial\":\"a0\",\"state\":\"live\","
	       "\"hw_version\":\"1.0.0\",\"driver_version\":\"0.1.0\",\"link_state\":\"loopback\",\"generation\":0,"
	       "\"partitions\":2,\"queue_entries\":64,\"contexts\":8}]}");
	partition = ask(f, fd, "{\"id\":\"x\",\"op\":\"partitions\",\"card\":\"gpulink0\",\"partition\":1}");
	assert_non_null(strstr(partition, "{\"id\":\"x\",\"ok\":true,\"result\":[{\"partition\":1,\"subheader_bytes\":4,"
				"\"max_payload_bytes\":1024,\"flush_timeout_ns\":0,\"coalesce\":1,\"open\":0,\"packing\":0,"));
	assert_non_null(strstr(partition, "0,\"endpoint\":\"none\",\"endpoint_bytes\":67108864}]}"));
	expect(f, fd, "{\"op\":\"set\",\"card\":\"gpulink0\",\"value\":5,\"setting\":\"subheader_bytes\"}",
	       "{\"id\":null,\"ok\":true,\"result\":{\"card\":\"gpulink0\",\"setting\":\"subheader_bytes\",\"value\":5,"
	       "\"first\":0,\"count\":2}}");
	assert_string_equal(card_read("gpulink0", 0, "subheader_bytes"), "5");
	assert_string_equal(card_read("gpulink0", 1, "subheader_bytes"), "5");
	expect(f, fd, "{\"id\":-2,\"op\":\"set_endpoint\",\"card\":\"gpulink0\",\"partition\":1,\"endpoint\":\"0:0:A.0 0\"}",
	       "{\"id\":-2,\"ok\":true,\"result\":{\"card\":\"gpulink0\",\"partition\":1,\"endpoint\":\"0000:00:0a.0 0\","
	       "\"endpoint_bytes\":67108864}}");
	expect(f, fd, "{\"id\":3,\"op\":\"reset\",\"card\":\"gpulink0\"}",
	       "{\"id\":3,\"ok\":true,\"result\":{\"card\":\"gpulink0\",\"generation\":1}}");
	assert_non_null(strstr(ask(f, fd, "{\"op\":\"info\",\"card\":\"gpulink0\"}"), "\"generation\":1"));
	assert_non_null(strstr(ask(f, fd, "{\"op\":\"counters\",\"card\":\"gpulink0\",\"partition\":0}"),
			       "[{\"partition\":0,\"stores\":42,"));
	assert_non_null(strstr(ask(f, fd, "{\"op\":\"counters\",\"card\":\"gpulink0\"}"),
			       "\"err_endpoint\":18446744073709551614,\"flush_region\":0,\"region_bytes\":5},{\"partition\":1,"));
	close(fd);
}

static void test_invalid_requests(void **state)
{
	static const struct {
		const char *request, *code, *part;
	} cases[] = {
		{"", "EPROTO", "one JSON object per line"},
		{"nonsense", "EPROTO", "one JSON object per line"},
		{"{\"op\":\"list\"", "EPROTO", "one JSON object per line"},
		{"{\"op\":\"list\"}}", "EPROTO", "one JSON object per line"},
		{"{\"op\":\"list\"} {\"op\":\"list\"}", "EPROTO", "one JSON object per line"},
		{"[{\"op\":\"list\"}]", "EPROTO", "one JSON object per line"},
		{"null", "EPROTO", "one JSON object per line"},
		{"7", "EPROTO", "one JSON object per line"},
		{"{\"op\":\"\xff\"}", "EPROTO", "one JSON object per line"},
		{"[[[[[[[[[[[[[[[[[[[[[[", "EPROTO", "not nested"},
		{"{}", "EINVAL", "must be one of list, info, partitions"},
		{"{\"op\":5}", "EINVAL", "must be a string"},
		{"{\"op\":\"erase\"}", "EINVAL", "unknown operation 'erase': must be one of list, info"},
		{"{\"op\":\"list\\u0000\"}", "EINVAL", "must be a string"},
		{"{\"op\":\"b\\u00fcrste\\n\"}", "EINVAL", "'b??rste?'"},
		{"{\"id\":{},\"op\":\"list\"}", "EINVAL", "\\\"id\\\""},
		{"{\"id\":1.5,\"op\":\"list\"}", "EINVAL", "\\\"id\\\""},
		{"{\"op\":\"list\"," OF_CARD "}", "EINVAL", "unknown member \\\"card\\\" of operation list"},
		{"{\"op\":\"info\"}", "EINVAL", "requires the members: card"},
		{"{\"op\":\"info\",\"card\":0}", "EINVAL", "\\\"card\\\": must be a string"},
		{"{\"op\":\"info\",\"card\":null}", "EINVAL", "\\\"card\\\": must be a string"},
		{"{\"op\":\"info\",\"card\":\"gpulink1\"}", "ENODEV", "no such card 'gpulink1'"},
		{"{\"op\":\"info\",\"card\":\"../gpulink0\"}", "ENODEV", "no such card"},
		{"{\"op\":\"set\"," OF_CARD "}", "EINVAL", "requires the members: card setting value"},
		{SET("set", "subheader_bytes", "7"), "EINVAL", "subheader_bytes 7: must be 2 to 6"},
		{SET("set", "subheader_bytes", "\"5\""), "EINVAL", "must be an integer"},
		{SET("set", "subheader_bytes", "5.0"), "EINVAL", "must be an integer"},
		{SET("set", "subheader_bytes", "-5"), "EINVAL", "must be an integer"},
		{SET("set", "subheader_bytes", "18446744073709551615"), "EINVAL", "must be 2 to 6"},
		{SET("set", "max_payload_bytes", "4095"), "EINVAL", ": must be "},
		{SET("set", "flush_timeout_ns", "1000000001"), "EINVAL", ": must be "},
		{SET("set", "coalesce", "true"), "EINVAL", "must be an integer"},
		{SET("set", "color", "1"), "EINVAL", "must be one of subheader_bytes, max"},
		{SET("set", "coalesce", "0,\"partition\":2"), "EINVAL", "partition 2: must be 0 to 1"},
		{SET("set", "coalesce", "0,\"partition\":4294967296"), "EINVAL", "partition 4294967296: must be 0 to 1"},
		{SET("set", "coalesce", "0,\"partition\":4294967295"), "EINVAL", "partition 4294967295: must be 0 to 1"},
		{SET("set", "coalesce", "0,\"partition\":18446744073709551614"), "EINVAL", "partition 18446744073709551614: must be"},
		{SET("set", "coalesce", "0,\"all\":true"), "EINVAL", "unknown member \\\"all\\\""},
		{"{\"op\":\"set_endpoint\"," OF_CARD ",\"endpoint\":\"pool\"}", "EINVAL", "requires the members"},
		{SET_ENDPOINT("0x80000000"), "EINVAL", "\\\"pool\\\""},
		{SET_ENDPOINT("pool\\n"), "EINVAL", "\\\"pool\\\""},
		{SET_ENDPOINT("0000:00:08.0 3"), "EINVAL", "\\\"pool\\\""},
		{SET_ENDPOINT("0000:00:1e.0 0"), "ENODEV", "no such device"},
		{"{\"op\":\"reset\"," OF_CARD ",\"partition\":0}", "EINVAL", "unknown member \\\"partition\\\""},
		{SET_ENDPOINT("link 16"), "EINVAL", "\\\"link 15\\\""},
		{SET_ENDPOINT("link -1"), "EINVAL", "\\\"link 15\\\""},
		{"{\"op\":\"link\"," OF_CARD "}", "ENOTSUP", "has no link"},
		{"{\"op\":\"link_counters\"," OF_CARD "}", "ENOTSUP", "has no link"},
		{"{\"op\":\"pool\"," OF_CARD "}", "ENOTSUP", "has no leases"},
		{"{\"op\":\"pool_counters\"," OF_CARD "}", "ENOTSUP", "has no leases"},
		{SET("set_link", "burst", "1"), "ENOTSUP", "has no link"},
		{SET("set_link", "burst", "0"), "EINVAL", "must be 1 to 255"},
		{SET("set_link", "timeout_ns", "10000000001"), "EINVAL", "must be 1000 to 10000000000"},
		{SET("set_link", "coalesce", "0"), "EINVAL", "must be one of enable, stitching"},
		{SET("set", "burst", "1"), "EINVAL", "must be one of subheader_bytes"},
		{"{\"op\":\"set_link\"," OF_CARD ",\"setting\":\"burst\"}", "EINVAL", "requires the members: card setting value"},
	};
	static const char *const large[] = {
		SET("set", "coalesce", "99999999999999999999"), SET("set", "coalesce", "0,\"partition\":99999999999999999999"),
		"{\"id\":99999999999999999999,\"op\":\"list\"}", "{\"id\":18446744073709551616,\"op\":\"list\"}",
		"{\"id\":-99999999999999999999,\"op\":\"list\"}", "{\"id\":-9223372036854775809,\"op\":\"list\"}",
	};
	struct fixture *f = *state;
	int fd = open_client(f);

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		expect_error(f, fd, cases[i].request, cases[i].code, cases[i].part);
	/* More than 64 bits: the error depends on the json-c version. */
	for (size_t i = 0; i < sizeof(large) / sizeof(*large); i++)
		if (!strstr(ask(f, fd, large[i]), "{\"id\":null,\"ok\":false"))
			fail_msg("not refused: %s", large[i]);
	for (unsigned k = 0; k < 2; k++) {
		assert_string_equal(card_read("gpulink0", k, "subheader_bytes"), "4");
		assert_string_equal(card_read("gpulink0", k, "max_payload_bytes"), "1024");
		assert_string_equal(card_read("gpulink0", k, "coalesce"), "1");
		assert_string_equal(card_read("gpulink0", k, "endpoint"), "none");
	}
	close(fd);
}

/* A lost card is listed, says so, and can be reset; what an older driver does not have is null. */
static void test_lost_card(void **state)
{
	static const char *const fail[] = {
		"partitions", "counters", "card_counters", "link", "link_counters", "pool", "pool_counters",
	};
	struct fixture *f = *state;
	int fd = open_client(f);
	char request[100];

	file_write(card_folder_path("gpulink0/state"), "lost\n");
	assert_non_null(strstr(ask(f, fd, "{\"op\":\"list\"}"), "\"serial\":\"a0\",\"state\":\"lost\""));
	assert_non_null(strstr(ask(f, fd, "{\"op\":\"info\"," OF_CARD "}"), "\"link_state\":\"unknown\""));
	for (size_t i = 0; i < sizeof(fail) / sizeof(*fail); i++) {
		snprintf(request, sizeof(request), "{\"op\":\"%s\"," OF_CARD "}", fail[i]);
		expect_error(f, fd, request, "EIO", "gpulink0 is lost: it does not answer; a reset may recover it");
	}
	expect_error(f, fd, SET("set", "coalesce", "0"), "EIO", "gpulink0 is lost");
	expect_error(f, fd, SET_ENDPOINT("pool"), "EIO", "gpulink0 is lost");
	file_write(card_folder_path("gpulink0/dead"), "");
	expect_error(f, fd, "{\"op\":\"reset\"," OF_CARD "}", "EIO", "reset: the card has left the bus");
	assert_int_equal(unlink(card_folder_path("gpulink0/dead")), 0);
	expect(f, fd, "{\"op\":\"reset\"," OF_CARD "}",
	       "{\"id\":null,\"ok\":true,\"result\":{\"card\":\"gpulink0\",\"generation\":1}}");
	assert_non_null(strstr(ask(f, fd, "{\"op\":\"list\"}"), "\"state\":\"live\""));
	file_write(card_folder_path("gpulink0/old"), "1\n");
	card_write("gpulink0", 1, "old", "1\n");
	assert_non_null(strstr(ask(f, fd, "{\"op\":\"card_counters\"," OF_CARD "}"), "\"region_epochs\":2010,\"err_arrive\":null"));
	assert_non_null(strstr(ask(f, fd, "{\"op\":\"counters\"," OF_CARD "}"), "\"flush_region\":null,\"region_bytes\":null"));
	close(fd);
}

/* The table of docs/protocol.md has the operations of the daemon, in their order. */
static void test_documented(void **state)
{
	struct fixture *f = *state;
	int fd = open_client(f);
	FILE *page = fopen(PROTOCOL, "re");
	char line[1000], name[40], names[400] = "must be one of ";
	bool table = false;

	assert_non_null(page);
	while (fgets(line, sizeof(line), page)) {
		table = table || !strncmp(line, "| `op` | members |", 18);
		if (!table || sscanf(line, "| `%39[a-z_]`", name) != 1 || !strcmp(name, "op"))
			continue;
		if (names[strlen(names) - 1] != ' ')
			strcat(names, ", ");
		strcat(names, name);
		if (!strcmp(name, "reload"))
			break;
	}
	fclose(page);
	expect_error(f, fd, "{}", "EINVAL", strcat(names, "\""));
	close(fd);
}

/* Settings without effect are refused, or the answer warns of them. */
static void test_no_effect(void **state)
{
	struct fixture *f = *state;
	int fd = open_client(f);

	for (unsigned k = 0; k < 2; k++) {
		card_write("gpulink0", k, "packing", k ? "0" : "1");
		card_write("gpulink0", k, "compact", "0");
	}
	expect_error(f, fd, SET("set", "compact", "1,\"partition\":1"), "EINVAL", "gpulink0 partition 1: compact 1 has no effect while packing is 0");
	expect_error(f, fd, SET("set", "compact", "1"), "EINVAL", "gpulink0 partition 1: compact 1 has no effect while packing is 0");
	assert_string_equal(card_read("gpulink0", 0, "compact"), "0");
	assert_non_null(strstr(ask(f, fd, SET("set", "compact", "0")), "\"count\":2}"));
	expect(f, fd, SET("set", "compact", "1,\"partition\":0"),
	       "{\"id\":null,\"ok\":true,\"result\":{\"card\":\"gpulink0\",\"setting\":\"compact\",\"value\":1,\"first\":0,\"count\":1}}");
	expect(f, fd, SET("set", "packing", "0"), "{\"id\":null,\"ok\":true,\"result\":{\"card\":\"gpulink0\",\"setting\":\"packing\",\"value\":0,"
	       "\"first\":0,\"count\":2,\"warnings\":[\"partition 0: compact 1: no effect while packing is 0\"]}}");
	assert_string_equal(card_read("gpulink0", 0, "packing"), "0");
	expect_error(f, fd, SET("set", "keep", "0"), "EINVAL",
		     "setting 'keep': removed, because kept lines saved less than 1 %");
	assert_null(strstr(ask(f, fd, SET_ENDPOINT("link 3")), "warnings"));
	assert_non_null(strstr(ask(f, fd, "{\"op\":\"set_endpoint\"," OF_CARD ",\"partition\":1,\"endpoint\":\"link 3\"}"),
			       "\"warnings\":[\"partition 0 has the endpoint link 3, too"));
	close(fd);
}

#define ADD_RANGE(name, text) \
	"{\"op\":\"add_range\"," OF_CARD ",\"partition\":0,\"name\":\"" name "\",\"range\":\"" text "\"}"

static void test_warnings_of_ranges(void **state)
{
	struct fixture *f = *state;
	int fd = open_client(f);

	card_write("gpulink0", 0, "endpoint", "0000:00:08.0 0");
	assert_null(strstr(ask(f, fd, ADD_RANGE("a", "0 8K rw user=1")), "warnings"));
	assert_null(strstr(ask(f, fd, ADD_RANGE("b", "0 4K r user=2")), "warnings"));
	assert_non_null(strstr(ask(f, fd, ADD_RANGE("c", "4K 8K r user=2")), "\"warnings\":[\"range a has bytes of it, too\"]"));
	assert_non_null(strstr(ask(f, fd, ADD_RANGE("d", "0 all r user=2")), "\"warnings\":[\"these are ALL bytes of the endpoint."));
	expect_error(f, fd, ADD_RANGE("e", "0 4K r user=nobody-has-this-name"), "EINVAL", "user=nobody-has-this-name does not exist");
	card_write("gpulink0", 0, "endpoint", "pool");
	assert_null(strstr(ask(f, fd, ADD_RANGE("f", "0 all r user=2")), "warnings"));
	close(fd);
}

static bool reload_good;

static int on_reload(void *user, struct failure *failure)
{
	return reload_good ? 0 : failure_set(failure, -EINVAL, "line %d is wrong", *(int *)user);
}

static void test_reload(void **state)
{
	struct fixture *f = *state;
	int fd = open_client(f), line = 7;

	expect_error(f, fd, "{\"op\":\"reload\"}", "ENOTSUP", "only gpulinkd");
	request_on_reload(on_reload, &line);
	expect_error(f, fd, "{\"op\":\"reload\"}", "EINVAL", "line 7 is wrong");
	reload_good = true;
	expect(f, fd, "{\"op\":\"reload\"}", "{\"id\":null,\"ok\":true,\"result\":{}}");
	request_on_reload(NULL, NULL);
	close(fd);
}

/* A set of all partitions that fails at one changes none. */
static void test_set_is_all_or_nothing(void **state)
{
	struct fixture *f = *state;
	int fd = open_client(f);

	card_write("gpulink0", 1, "broken", "");
	expect_error(f, fd, SET("set", "subheader_bytes", "5"), "EIO", "partition 1");
	assert_string_equal(card_read("gpulink0", 0, "subheader_bytes"), "4");
	close(fd);
}

/* --- lines --- */

static void test_pieces_and_many(void **state)
{
	struct fixture *f = *state;
	int fd = open_client(f);
	const char *request = "{\"id\":7,\"op\":\"reset\",\"card\":\"gpulink0\"}\r\n";
	const char *got;
	unsigned answers = 0;

	for (const char *c = request; *c; c++) {
		assert_string_equal(received(fd), "");
		send_bytes(fd, c, 1);
		pump(f);
	}
	assert_string_equal(received(fd), "{\"id\":7,\"ok\":true,\"result\":{\"card\":\"gpulink0\",\"generation\":1}}\n");
	for (unsigned i = 0; i < 200; i++)
		send_bytes(fd, request, strlen(request));
	/* A last one that has no end is not run. */
	send_bytes(fd, request, strlen(request) - 2);
	assert_int_equal(shutdown(fd, SHUT_WR), 0);
	pump(f);
	while ((got = received(fd))) {
		for (const char *c = got; *c; c++)
			answers += *c == '\n';
		assert_null(strstr(got, "\"ok\":false"));
		pump(f);
	}
	assert_int_equal(answers, 200);
	close(fd);
	fd = open_client(f);
	assert_non_null(strstr(ask(f, fd, "{\"op\":\"info\"," OF_CARD "}"), "\"generation\":201,"));
	close(fd);
}

static void pump_until_ended(struct fixture *f, int fd)
{
	char byte;

	for (int i = 0; i < 300; i++) {
		ssize_t got;

		assert_true(sd_event_run(f->event, 10000) >= 0);
		got = recv(fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK);
		if (!got || (got < 0 && errno != EAGAIN))
			return;
	}
	fail_msg("the client was not disconnected");
}

static void test_long_line(void **state)
{
	struct fixture *f = *state;
	char line[CLIENT_LINE_BYTES + 1];
	int fd = open_client(f);

	memset(line, ' ', sizeof(line));
	memcpy(line, "{\"op\":\"list\"}", 13);
	/* The longest there is... */
	line[CLIENT_LINE_BYTES - 1] = '\n';
	send_bytes(fd, line, CLIENT_LINE_BYTES);
	pump(f);
	assert_non_null(strstr(received(fd), "\"ok\":true"));
	/* ...and one byte more. */
	line[CLIENT_LINE_BYTES - 1] = ' ';
	line[CLIENT_LINE_BYTES] = '\n';
	send_bytes(fd, line, CLIENT_LINE_BYTES + 1);
	pump(f);
	assert_non_null(strstr(received(fd), "\"code\":\"EPROTO\",\"message\":\"request too long: must be at most 4096 bytes\""));
	pump_until_ended(f, fd);
	assert_null(received(fd));
	close(fd);
}

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* A request, with some bytes of it changed, left out or doubled; no line breaks. */
static size_t fuzzed_line(uint64_t *seed, char *line)
{
	static const char *const requests[] = {
		"{\"id\":1,\"op\":\"list\"}",
		"{\"id\":\"a\\u00e4\",\"op\":\"info\"," OF_CARD "}",
		"{\"op\":\"partitions\"," OF_CARD ",\"partition\":1}",
		SET("set", "subheader_bytes", "12345"),
		SET_ENDPOINT("0000:00:1e.0 0"),
		"{\"op\":\"counters\"," OF_CARD "}",
	};
	static const char pieces[] = "{}[]\",:\\0123456789.-+eEtfn \t/\0\xff\xc3u";
	const char *request = requests[next_random(seed) % (sizeof(requests) / sizeof(*requests))];
	size_t length = strlen(request);

	memcpy(line, request, length);
	for (uint64_t changes = next_random(seed) % 6; changes && length; changes--) {
		size_t at = next_random(seed) % length;
		size_t bytes = 1 + next_random(seed) % 8;

		bytes = bytes > length - at ? length - at : bytes;
		switch (next_random(seed) % 3) {
		case 0:
			line[at] = pieces[next_random(seed) % (sizeof(pieces) - 1)];
			break;
		case 1:
			memmove(line + at, line + at + bytes, length - at - bytes);
			length -= bytes;
			break;
		default:
			memmove(line + at + bytes, line + at, length - at);
			length += bytes;
			break;
		}
	}
	return length;
}

static void test_fuzzed_lines(void **state)
{
	struct fixture *f = *state;
	const char *given = getenv("GPULINK_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL) * 2654435761u + (uint64_t)getpid();
	int fd = open_client(f);
	char endpoint[72];

	printf("# GPULINK_SEED=%llu\n", (unsigned long long)seed);
	seed |= 1;
	for (unsigned i = 0; i < 20000; i++) {
		char line[1024];
		size_t length = fuzzed_line(&seed, line);
		struct json_object *answer, *ok;
		const char *got;

		line[length] = '\n';
		send_bytes(fd, line, length + 1);
		pump(f);
		got = received(fd);
		if (!got || !*got || strchr(got, '\n') != got + strlen(got) - 1)
			fail_msg("line %u \"%.*s\": \"%s\"", i, (int)length, line, got ? got : "(end)");
		answer = json_tokener_parse(got);
		if (!json_object_object_get_ex(answer, "ok", &ok) || !json_object_is_type(ok, json_type_boolean))
			fail_msg("line %u \"%.*s\": \"%s\"", i, (int)length, line, got);
		json_object_put(answer);
	}
	/* Some changed requests are right; whatever they set is allowed. */
	assert_true(gpulink_setting_valid(GPULINK_SUBHEADER_BYTES,
					  strtoull(card_read("gpulink0", 0, "subheader_bytes"), NULL, 10)));
	assert_true(endpoint_name_parse(card_read("gpulink0", 0, "endpoint"), endpoint));
	close(fd);
}

/* --- permissions --- */

/* Runs `act` with a connected socket as another user in a process of its own; returns what `act` returns. */
static int as_user(struct fixture *f, uid_t uid, gid_t gid, const gid_t *more, size_t more_count, int (*act)(const char *))
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (!child) {
		if (setgroups(more_count, more) || setgid(gid) || setuid(uid))
			_exit(99);
		_exit(act(f->path));
	}
	for (int i = 0; i < 5000; i++) {
		pump(f);
		if (waitpid(child, &status, WNOHANG) == child)
			return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
		usleep(1000);
	}
	return 97;
}

/* 0: allowed, 1: EACCES, 2: something else. */
static int act_set(const char *path)
{
	static const char request[] = SET("set", "subheader_bytes", "6") "\n";
	int fd = connect_to(path);
	char text[500] = "";

	if (fd < 0 || send(fd, request, strlen(request), MSG_NOSIGNAL) < 0 || recv(fd, text, sizeof(text) - 1, 0) <= 0)
		return 2;
	if (strstr(text, "\"ok\":true"))
		return 0;
	return strstr(text, "\"EACCES\"") && strstr(text, "requires root or membership") ? 1 : 2;
}

static int act_list(const char *path)
{
	static const char request[] = "{\"op\":\"list\"}\n";
	int fd = connect_to(path);
	char text[500] = "";

	if (fd < 0 || send(fd, request, strlen(request), MSG_NOSIGNAL) < 0 || recv(fd, text, sizeof(text) - 1, 0) <= 0)
		return 2;
	return strstr(text, "\"ok\":true") ? 0 : 1;
}

static int act_reset(const char *path)
{
	static const char request[] = "{\"op\":\"reset\"," OF_CARD "}\n{\"op\":\"set_endpoint\"," OF_CARD
				      ",\"partition\":0,\"endpoint\":\"pool\"}\n";
	int fd = connect_to(path);
	char text[1000];
	size_t used = 0;

	if (fd < 0 || send(fd, request, strlen(request), MSG_NOSIGNAL) < 0)
		return 2;
	for (int lines = 0; lines < 2;) {
		ssize_t got = recv(fd, text + used, 1, 0);

		if (got <= 0 || used > sizeof(text) - 3)
			return 2;
		lines += text[used++] == '\n';
	}
	text[used] = 0;
	return strstr(text, "\"ok\":true") ? 0 : 1;
}

/* What only root may: 1: EACCES. */
static int act_reload(const char *path)
{
	static const char request[] = "{\"op\":\"reload\"}\n";
	int fd = connect_to(path);
	char text[500] = "";

	if (fd < 0 || send(fd, request, strlen(request), MSG_NOSIGNAL) < 0 || recv(fd, text, sizeof(text) - 1, 0) <= 0)
		return 2;
	return strstr(text, "operation reload requires root\"") ? 1 : 0;
}

static void test_permissions(void **state)
{
	struct fixture *f = *state;
	const gid_t groups[] = {SOME_GROUP + 1, SOME_GROUP};

	assert_int_equal(as_user(f, NOBODY, NOBODY, NULL, 0, act_list), 0);
	assert_int_equal(as_user(f, NOBODY, NOBODY, NULL, 0, act_reset), 1);
	assert_int_equal(as_user(f, NOBODY, NOBODY, NULL, 0, act_set), 1);
	assert_int_equal(as_user(f, NOBODY, NOBODY, groups, 1, act_set), 1);
	assert_string_equal(card_read("gpulink0", 0, "subheader_bytes"), "4");
	assert_string_equal(card_read("gpulink0", 0, "endpoint"), "none");
	assert_int_equal(as_user(f, NOBODY, SOME_GROUP, NULL, 0, act_set), 0);
	assert_string_equal(card_read("gpulink0", 0, "subheader_bytes"), "6");
	assert_int_equal(as_user(f, NOBODY, NOBODY, groups, 2, act_set), 0);
	assert_int_equal(as_user(f, NOBODY, NOBODY, groups, 2, act_reload), 1);
	/* Without a group only root is left, and a socket that only root can open is not opened by others. */
	assert_int_equal(server_set_access(f->server, 0666, (gid_t)-1), 0);
	assert_int_equal(as_user(f, NOBODY, SOME_GROUP, groups, 2, act_set), 1);
	assert_int_equal(server_set_access(f->server, 0600, (gid_t)-1), 0);
	assert_int_equal(as_user(f, NOBODY, SOME_GROUP, groups, 2, act_list), 2);
	assert_int_equal(as_user(f, 0, 0, NULL, 0, act_set), 0);
}

/* --- misbehaving clients --- */

static int act_connect_often(const char *path)
{
	char text[500];
	int fds[SERVER_CLIENTS_USER + 1];
	ssize_t got;

	for (int i = 0; i <= SERVER_CLIENTS_USER; i++) {
		fds[i] = connect_to(path);
		if (fds[i] < 0)
			return 2;
	}
	got = recv(fds[SERVER_CLIENTS_USER], text, sizeof(text) - 1, 0);
	if (got <= 0)
		return 3;
	text[got] = 0;
	if (!strstr(text, "\"EBUSY\""))
		return 4;
	/* The other connections are open and idle. */
	return recv(fds[SERVER_CLIENTS_USER - 1], text, sizeof(text), MSG_DONTWAIT) < 0 && errno == EAGAIN ? 0 : 5;
}

static void test_many_clients(void **state)
{
	struct fixture *f = *state;
	int fds[SERVER_CLIENTS + 1];

	assert_int_equal(as_user(f, NOBODY, NOBODY, NULL, 0, act_connect_often), 0);
	for (unsigned i = 0; i < SERVER_CLIENTS; i++)
		fds[i] = open_client(f);
	fds[SERVER_CLIENTS] = open_client(f);
	assert_non_null(strstr(received(fds[SERVER_CLIENTS]), "\"EBUSY\""));
	assert_null(received(fds[SERVER_CLIENTS]));
	close(fds[SERVER_CLIENTS]);
	expect_error(f, fds[0], "{}", "EINVAL", "must be");
	/* A place that is left is free again. */
	close(fds[5]);
	pump(f);
	fds[5] = open_client(f);
	expect_error(f, fds[5], "{}", "EINVAL", "must be");
	for (unsigned i = 0; i < SERVER_CLIENTS; i++)
		close(fds[i]);
}

/* An incomplete line: the client is disconnected, others are served, an idle client stays connected. */
static void test_stuck_line(void **state)
{
	struct fixture *f = *state;
	int idle = open_client(f);
	int stuck = open_client(f);

	send_bytes(stuck, "{\"op\":", 6);
	pump(f);
	expect_error(f, idle, "{}", "EINVAL", "must be");
	pump_until_ended(f, stuck);
	expect_error(f, idle, "{}", "EINVAL", "must be");
	close(stuck);
	close(idle);
}

/* Requests without reading answers: the server stops reading, then disconnects the client. */
static void test_stuck_answers(void **state)
{
	struct fixture *f = *state;
	int other = open_client(f);
	int stuck = open_client(f);
	const char request[] = "{\"op\":\"counters\"," OF_CARD "}\n";
	char buffer[4096];
	size_t asked = 0;
	ssize_t got;

	while (send(stuck, request, strlen(request), MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)strlen(request)) {
		asked += strlen(request);
		assert_true(asked < 64u << 20);
		pump(f);
	}
	expect_error(f, other, "{}", "EINVAL", "must be");
	/* Answers sent earlier can still be read, then the connection ends. */
	for (int i = 0; i < 100; i++)
		assert_true(sd_event_run(f->event, 10000) >= 0);
	while ((got = recv(stuck, buffer, sizeof(buffer), MSG_DONTWAIT)) > 0)
		;
	assert_true(got == 0 || errno != EAGAIN);
	expect_error(f, other, "{}", "EINVAL", "must be");
	close(stuck);
	close(other);
}

/* Disconnects with an incomplete request, and with unread answers. */
static void test_disconnect(void **state)
{
	struct fixture *f = *state;
	int other = open_client(f);

	for (int i = 0; i < 200; i++) {
		int fd = connect_to(f->path);

		assert_true(fd >= 0);
		if (i % 3)
			send_bytes(fd, "{\"op\":\"list\"}\n{\"op\":\"list\"}\n{\"op", 32);
		if (i % 2)
			pump(f);
		close(fd);
		pump(f);
	}
	expect_error(f, other, "{}", "EINVAL", "must be");
	close(other);
}

/* --- the socket itself --- */

static void test_socket(void **state)
{
	struct fixture *f = *state;
	struct server *second = NULL;
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct stat about;
	char text[200];
	int fd;

	assert_int_equal(lstat(f->path, &about), 0);
	assert_true(S_ISSOCK(about.st_mode));
	assert_int_equal(about.st_mode & 0777, 0666);
	assert_int_equal(about.st_gid, SOME_GROUP);

	/* Served by another: refused, and the other goes on. */
	assert_int_equal(server_open(&second, f->event, f->path, 0600, (gid_t)-1), -EADDRINUSE);
	fd = open_client(f);
	expect_error(f, fd, "{}", "EINVAL", "must be");
	close(fd);

	/* Another file of that name is not removed. */
	snprintf(text, sizeof(text), "%s", card_folder_path("file"));
	file_write(text, "precious");
	assert_int_equal(server_open(&second, f->event, text, 0600, (gid_t)-1), -EEXIST);
	assert_int_equal(access(text, F_OK), 0);

	/* A stale socket is replaced. */
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", card_folder_path("left"));
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	close(fd);
	assert_int_equal(server_open(&second, f->event, address.sun_path, 0600, (gid_t)-1), 0);
	fd = connect_to(address.sun_path);
	assert_true(fd >= 0);
	expect_error(f, fd, "{}", "EINVAL", "must be");
	close(fd);
	server_close(second);

	memset(text, 'a', 150);
	text[150] = 0;
	assert_int_equal(server_open(&second, f->event, text, 0600, (gid_t)-1), -ENAMETOOLONG);
	assert_int_equal(server_open(&second, f->event, "/proc/no/such/place", 0600, (gid_t)-1), -ENOENT);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_operations),
		CASE(test_lost_card),
		CASE(test_invalid_requests),
		CASE(test_set_is_all_or_nothing),
		CASE(test_pieces_and_many),
		CASE(test_long_line),
		CASE(test_fuzzed_lines),
		CASE(test_stuck_line),
		CASE(test_stuck_answers),
		CASE(test_disconnect),
		CASE(test_socket),
		CASE(test_no_effect),
		CASE(test_warnings_of_ranges),
		CASE(test_reload),
		CASE(test_documented),
		/* These two play other users, which only root can. */
		CASE(test_permissions),
		CASE(test_many_clients),
	};
	size_t count = sizeof(tests) / sizeof(*tests) - (geteuid() ? 2 : 0);

	/* The macro around it takes whole arrays only. */
	return _cmocka_run_group_tests("gpulinkd control socket", tests, count, NULL, NULL);
}
