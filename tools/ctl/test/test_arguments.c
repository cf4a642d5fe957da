// SPDX-License-Identifier: Apache-2.0
/* Durations on the command line. */
#include "../arguments.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void test_durations(void **state)
{
	static const struct {
		const char *text;
		uint64_t nanoseconds;
	} right[] = {
		{"0", 0},	  {"0s", 0},	       {"1ns", 1}, {"10us", 10000}, {"2ms", 2000000}, {"1s", 1000000000},
		{"007us", 7000}, {"18446744073s", 18446744073000000000u},
	};
	static const char *const wrong[] = {"", "5", "s", "1 s", "1S", "1m", "-1s", "+1s", " 1s", "1s ", "0x1s", "1.5s",
					    "18446744074s", "18446744073709551616ns", "1ss", "1e3s"};
	uint64_t nanoseconds;

	(void)state;
	for (size_t i = 0; i < sizeof(right) / sizeof(*right); i++) {
		if (!parse_duration(right[i].text, &nanoseconds) || nanoseconds != right[i].nanoseconds)
			fail_msg("'%s'", right[i].text);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		if (parse_duration(wrong[i], &nanoseconds))
			fail_msg("'%s' was taken", wrong[i]);
	}
}

static void test_numbers(void **state)
{
	static const char *const wrong[] = {"", "x", "-1", "+1", " 1", "1 ", "0x1", "1.0", "18446744073709551616"};
	uint64_t number;

	(void)state;
	assert_true(parse_number("18446744073709551615", &number) && number == UINT64_MAX);
	assert_true(parse_number("010", &number) && number == 10);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		if (parse_number(wrong[i], &number))
			fail_msg("'%s' was taken", wrong[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_durations),
		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests_name("gpulinkctl arguments", tests, NULL, NULL);
}
