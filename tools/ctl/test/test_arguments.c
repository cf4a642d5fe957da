// SPDX-License-Identifier: Apache-2.0
/* Durations and numbers on the command line. */
#include "../../../common/number.h"
#include "../arguments.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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

/* What all parsers of library, daemon and tools are made of. */
static void test_checked_numbers(void **state)
{
	static const struct {
		const char *text;
		unsigned base;
		uint64_t most, value;
		const char *end; /* NULL: refused */
	} cases[] = {
		{"0", 10, 0, 0, ""},
		{"1", 10, 0, 0, NULL},
		{"255z", 10, 255, 255, "z"},
		{"256", 10, 255, 0, NULL},
		{"18446744073709551615", 10, UINT64_MAX, UINT64_MAX, ""},
		{"18446744073709551616", 10, UINT64_MAX, 0, NULL},
		{"18446744073709551620", 10, UINT64_MAX, 0, NULL},
		{"99999999999999999999", 10, UINT64_MAX, 0, NULL},
		{"184467440737095516160", 10, UINT64_MAX, 0, NULL},
		{"000000000000000000000000000007", 10, 7, 7, ""},
		{"0x10", 10, 16, 0, "x10"},
		{"0x10", 0, 16, 16, ""},
		{"0XfF", 0, 255, 255, ""},
		{"010", 0, 10, 10, ""},
		{"0x", 0, 10, 0, "x"},
		{"0x", 16, 10, 0, "x"},
		{"a0", 16, 160, 160, ""},
		{"0xffffffffffffffff", 16, UINT64_MAX, UINT64_MAX, ""},
		{"10000000000000000", 16, UINT64_MAX, 0, NULL},
		{"0668", 8, 0777, 066, "8"},
		{"0x6", 8, 0777, 0, "x6"},
		{"a", 10, 10, 0, NULL},
		{"", 0, 10, 0, NULL},
		{" 1", 0, 10, 0, NULL},
		{"-1", 0, UINT64_MAX, 0, NULL},
		{"+1", 0, UINT64_MAX, 0, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint64_t value = 4711, whole = 4711;
		const char *end = glk_number_take(cases[i].text, cases[i].base, cases[i].most, &value);
		bool good = glk_number(cases[i].text, cases[i].base, cases[i].most, &whole);

		if (!end != !cases[i].end || (end && (strcmp(end, cases[i].end) || value != cases[i].value)) ||
		    good != (end && !*end) || whole != (good ? cases[i].value : 4711))
			fail_msg("'%s' in base %u", cases[i].text, cases[i].base);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_durations),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_checked_numbers),
	};

	return cmocka_run_group_tests_name("gpulinkctl arguments", tests, NULL, NULL);
}
