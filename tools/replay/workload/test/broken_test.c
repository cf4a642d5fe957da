// SPDX-License-Identifier: Apache-2.0
/*
 * A coalescer that loses stores, or shifts them: every workload that stores must notice that its result is wrong. The
 * linker puts the functions here before the real ones (--wrap).
 */
#include "small.h"

#include "../coalesce.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { OFTEN = 5 }; /* every fifth store instruction goes wrong */

unsigned __real_replay_coalesce(uint32_t lanes, const uint64_t *address, unsigned size, struct replay_run *runs);
unsigned __real_replay_coalesce_row(uint32_t lanes, uint64_t address, unsigned size, struct replay_run *runs);
unsigned __wrap_replay_coalesce(uint32_t lanes, const uint64_t *address, unsigned size, struct replay_run *runs);
unsigned __wrap_replay_coalesce_row(uint32_t lanes, uint64_t address, unsigned size, struct replay_run *runs);

static enum { RIGHT, LOSES_LAST, LOSES_BYTE } how;
static const char *data;
static unsigned calls;

static unsigned spoil(struct replay_run *runs, unsigned count)
{
	if (how == RIGHT || !count || calls++ % OFTEN)
		return count;
	if (how == LOSES_LAST)
		return count - 1;
	runs[0].address++; /* and nothing is stored behind the end */
	runs[0].size--;
	return count;
}

unsigned __wrap_replay_coalesce(uint32_t lanes, const uint64_t *address, unsigned size, struct replay_run *runs)
{
	return spoil(runs, __real_replay_coalesce(lanes, address, size, runs));
}

unsigned __wrap_replay_coalesce_row(uint32_t lanes, uint64_t address, unsigned size, struct replay_run *runs)
{
	return spoil(runs, __real_replay_coalesce_row(lanes, address, size, runs));
}

static int take(void *user, const struct replay_op *ops, size_t count)
{
	(void)user;
	(void)ops;
	(void)count;
	return 0;
}

static int run(const struct small *s, struct failure *error)
{
	struct replay_workload_info info;
	char path[512];
	struct replay_workload_options options = small_options(s, data, path, 4);

	calls = 0;
	return replay_workload_run(replay_workload_find(s->name), &options, (struct replay_sink){take, NULL}, &info, error);
}

static void test_broken(void **state)
{
	struct failure error;

	(void)state;
	for (unsigned i = 0; i < SMALL; i++) {
		bool stores = strcmp(small[i].name, "gups") != 0; /* whose atomic operations do not go through here */

		for (how = RIGHT; how <= LOSES_BYTE; how++) {
			int expected = how == RIGHT || !stores ? 0 : -EILSEQ, result = run(&small[i], &error);

			if (result != expected)
				fail_msg("%s, broken %d: %d, not %d: %s", small[i].name, (int)how, result, expected,
					 error.text);
			if (result)
				printf("# %s: %s\n", small[i].name, error.text);
		}
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_broken)};

	if (argc != 2)
		return 2;
	data = argv[1];
	return cmocka_run_group_tests_name("replay-broken", tests, NULL, NULL);
}
