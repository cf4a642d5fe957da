// SPDX-License-Identifier: Apache-2.0
/* The two-sided simulation gives LogGOPSim's numbers: schedules of tests/data/loggop and its results for them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../simulate.h"

static const char *folder;

static void read_text(const char *text, struct goal *goal)
{
	struct failure error;
	FILE *from = fmemopen((void *)(uintptr_t)text, strlen(text), "r");

	assert_non_null(from);
	if (goal_read(from, goal, &error))
		fail_msg("%s", error.text);
	fclose(from);
}

static void read_vector(const char *name, struct goal *goal)
{
	char path[512];
	struct failure error;
	FILE *from;

	snprintf(path, sizeof(path), "%s/%s.goal", folder, name);
	from = fopen(path, "r");
	assert_non_null(from);
	if (goal_read(from, goal, &error))
		fail_msg("%s: %s", name, error.text);
	fclose(from);
}

static struct loggops parameters(uint64_t o)
{
	return (struct loggops){ .L = 530000, .o = o, .g = 5000, .G = 80, .S = 1000000000 };
}

static void gives(const struct goal *goal, uint64_t o, uint64_t first, uint64_t second)
{
	const struct loggops p = parameters(o);
	uint64_t times[2];

	assert_int_equal(goal->rank_count, 2);
	assert_int_equal(simulate(goal, &p, times), 0);
	assert_int_equal(times[0], first);
	assert_int_equal(times[1], second);
}

static void vectors(void **state)
{
	static const struct {
		const char *name;
		uint64_t o, first, second;
	} vector[] = {
		{ "one", 229000, 229000, 1315600 },	{ "ping", 229000, 1977120, 1217560 },
		{ "batch", 229000, 5218000, 9664600 },	{ "quiet", 0, 1616600, 1086600 },
		{ "region", 0, 80000000, 85772800 },	{ "bulk", 0, 80000000, 122472960 },
		{ "onesided-wirebound", 0, 6095800, 6953400 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(vector) / sizeof(vector[0]); i++) {
		struct goal goal;

		read_vector(vector[i].name, &goal);
		gives(&goal, vector[i].o, vector[i].first, vector[i].second);
		goal_free(&goal);
	}
}

/* 1000 small messages, each after 229 ns of calculation: one-sided puts as LogGOPSim can show them. */
static void many_small(void **state)
{
	struct goal goal;

	(void)state;
	assert_int_equal(goal_init(&goal, 2), 0);
	for (uint32_t i = 0; i < 1000; i++) {
		struct goal_rank *from = &goal.ranks[0];

		assert_int_equal(goal_add(from, &(struct goal_op){ .kind = GOAL_CALC, .size = 229000 }), 0);
		assert_int_equal(goal_add(from, &(struct goal_op){ .kind = GOAL_SEND, .size = 8, .peer = 1 }), 0);
		assert_int_equal(goal_require(from, &(struct goal_edge){ .before = 2 * i, .after = 2 * i + 1 }), 0);
		if (i)
			assert_int_equal(goal_require(from, &(struct goal_edge){ .before = 2 * i - 2, .after = 2 * i }), 0);
		assert_int_equal(goal_add(&goal.ranks[1], &(struct goal_op){ .kind = GOAL_RECV, .size = 8, .peer = 0 }), 0);
	}
	gives(&goal, 0, 229000000, 229530560);
	goal_free(&goal);
}

/* Rules that the vectors leave out. The expected times are those rules, by hand. */
static void rendezvous(void **state)
{
	struct loggops p = parameters(1000);
	struct goal goal;
	uint64_t times[2];

	(void)state;
	p.S = 100;
	read_text("num_ranks 2\nrank 0 {\na: send 101b to 1\nb: calc 7\nb requires a\n}\n"
		  "rank 1 {\nc: calc 2000000\nr: recv 101b from 0\nr requires c\n}\n",
		  &goal);
	assert_int_equal(simulate(&goal, &p, times), 0);
	/* The message arrives while c computes and is taken behind it; the sender, with b, goes on at that time. */
	assert_int_equal(times[1], 2000000 + 1000 + 100 * 80);
	assert_int_equal(times[0], 2000000 + 7);
	goal_free(&goal);
}

static void two_cpus(void **state)
{
	const struct loggops p = parameters(1000);
	struct goal goal;
	uint64_t times[1];

	(void)state;
	read_text("num_ranks 1\nrank 0 {\na: calc 500\nb: calc 10 cpu 1\nb requires a\nc: calc 20 cpu 1\nc irequires b\n}\n",
		  &goal);
	assert_int_equal(simulate(&goal, &p, times), 0);
	assert_int_equal(times[0], 500); /* no time passes from cpu 0 to cpu 1 */
	goal_free(&goal);
}

static void never_ends(void **state)
{
	static const char *const texts[] = {
		"num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb requires a\n}\n",
		"num_ranks 2\nrank 0 {\na: send 1b to 1 tag 1\n}\nrank 1 {\nb: recv 1b from 0 tag 2\n}\n",
		"num_ranks 2\nrank 0 {\na: send 1b to 1 tag 1\n}\n",
	};
	const struct loggops p = parameters(1);
	uint64_t times[2];

	(void)state;
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct goal goal;

		read_text(texts[i], &goal);
		assert_int_equal(simulate(&goal, &p, times), -EPROTO);
		goal_free(&goal);
	}
}

static void written_as_read(void **state)
{
	static const char text[] = "num_ranks 2\n\nrank 0 {\na: calc 5 cpu 2\nb: send 9b to 1 tag 3 nic 1\nb irequires a\n}\n"
				   "\nrank 1 {\nc: recv 9b from 0 tag 3\n}\n";
	char *written = NULL;
	size_t bytes;
	FILE *to = open_memstream(&written, &bytes);
	struct goal goal;

	(void)state;
	assert_non_null(to);
	read_text(text, &goal);
	goal_write(to, &goal);
	assert_int_equal(fclose(to), 0);
	assert_string_equal(written, text);
	free(written);
	goal_free(&goal);
}

static void refused(void **state)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{ "", "no num_ranks" },
		{ "num_ranks 0\n", "line 1" },
		{ "num_ranks 2\nrank 2 {\n", "line 2" },
		{ "num_ranks 1\nrank 0 {\na: calc 1\n", "does not end" },
		{ "num_ranks 1\nrank 0 {\na: calc 1\na: calc 1\n}\n", "line 4: this label is in use" },
		{ "num_ranks 1\nrank 0 {\na: calc 1\na requires b\n}\n", "line 4: this label is not defined" },
		{ "num_ranks 1\nrank 0 {\na: send 1b to 1\n}\n", "line 3" },
		{ "num_ranks 1\nrank 0 {\na: send 0b to 0\n}\n", "line 3" },
		{ "num_ranks 1\nrank 0 {\na: calc 1 cpu 16\n}\n", "line 3" },
		{ "num_ranks 1\nrank 0 {\na: wait 1\n}\n", "line 3" },
		{ "num_ranks 4294967297\n", "line 1" }, /* larger than their type: not what is left of them */
		{ "num_ranks 2\nrank 4294967296 {\n", "line 2" },
		{ "num_ranks 1\nrank 0 {\na: calc 99999999999999999999\n}\n", "line 3" },
		{ "num_ranks 2\nrank 0 {\na: send 1b to 4294967297\n}\n", "line 3" },
		{ "num_ranks 2\nrank 0 {\na: send 1b to 1 tag 4294967296\n}\n", "line 3" },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct failure error = { 0 };
		FILE *from = fmemopen((void *)(uintptr_t)bad[i].text, strlen(bad[i].text) + 1, "r");
		struct goal goal;

		assert_non_null(from);
		assert_int_equal(goal_read(from, &goal, &error), -EINVAL);
		fclose(from);
		if (!strstr(error.text, bad[i].says))
			fail_msg("'%s' does not contain '%s'", error.text, bad[i].says);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vectors),  cmocka_unit_test(many_small), cmocka_unit_test(rendezvous),
		cmocka_unit_test(two_cpus), cmocka_unit_test(never_ends), cmocka_unit_test(written_as_read),
		cmocka_unit_test(refused),
	};

	if (argc != 2)
		return 2;
	folder = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
