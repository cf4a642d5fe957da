// SPDX-License-Identifier: Apache-2.0
/* Heads of HTTP requests: what is answered, and that every shorter piece is waited for. */
#include "../http_head.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define ROOM 100

static void test_heads(void **state)
{
	static const struct {
		const char *text;
		unsigned status;
		bool body;
	} cases[] = {
		{"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", 200, true},
		{"GET /metrics HTTP/1.0\n\n", 200, true},
		{"HEAD /metrics HTTP/1.1\r\n\r\n", 200, false},
		{"GET /metrics?name[]=x HTTP/1.1\r\n\r\n", 200, true},
		{"GET / HTTP/1.1\r\n\r\n", 404, true},
		{"GET /metric HTTP/1.1\r\n\r\n", 404, true},
		{"GET /metricsx HTTP/1.1\r\n\r\n", 404, true},
		{"HEAD /x HTTP/1.1\r\n\r\n", 404, false},
		{"POST /metrics HTTP/1.1\r\nContent-Length: 3\r\n\r\n", 405, true},
		{"get /metrics HTTP/1.1\r\n\r\n", 405, true},
		{"GET /metrics HTTP/2.0\r\n\r\n", 400, true},
		{"GET /metrics HTTP/1.1 \r\n\r\n", 400, true},
		{"GET /metrics HTTP/1.\r\n\r\n", 400, true},
		{"GET  HTTP/1.1\r\n\r\n", 400, true},
		{"GET /metrics\r\n\r\n", 400, true},
		{"GET\r\n\r\n", 400, true},
		{" \r\n\r\n", 400, true},
		{"\r\n", 400, true},
		{"\n", 400, true},
		{"GET /0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456", 431, true},
	};
	struct http_head head;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t length = strlen(cases[i].text);

		for (size_t bytes = 0; bytes < length && bytes < ROOM; bytes++) {
			if (http_head_read(cases[i].text, bytes, ROOM, "/metrics", &head))
				fail_msg("\"%s\": complete after %zu bytes", cases[i].text, bytes);
		}
		if (!http_head_read(cases[i].text, length, ROOM, "/metrics", &head))
			fail_msg("\"%s\": not complete", cases[i].text);
		if (head.status != cases[i].status || head.body != cases[i].body)
			fail_msg("\"%s\": status %u, body %d", cases[i].text, head.status, head.body);
	}
	/* What follows the head is not looked at. */
	assert_true(http_head_read("HEAD /metrics HTTP/1.1\n\nGET / HTTP/1.1\n\n", 41, ROOM, "/metrics", &head));
	assert_true(head.status == 200 && !head.body);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_heads)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
