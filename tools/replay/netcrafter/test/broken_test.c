// SPDX-License-Identifier: Apache-2.0
/* A link that changes, loses or repeats one flit: the run ends and says so, whichever flit it is. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "netcrafter/unstitch.h"
#include "netcrafter.h"

enum fault { NONE, CHANGED, LOST, TWICE };

static enum fault fault;
static unsigned at, flits;

int __real_glk_unstitch_flit(struct glk_unstitch *unstitch, const struct glk_flit *flit);
int __wrap_glk_unstitch_flit(struct glk_unstitch *unstitch, const struct glk_flit *flit);

int __wrap_glk_unstitch_flit(struct glk_unstitch *unstitch, const struct glk_flit *flit)
{
	struct glk_flit changed = *flit;

	if (flits++ != at || fault == NONE)
		return __real_glk_unstitch_flit(unstitch, flit);
	if (fault == LOST)
		return 0;
	if (fault == TWICE)
		return __real_glk_unstitch_flit(unstitch, flit) | __real_glk_unstitch_flit(unstitch, flit);
	changed.bytes[3] ^= 1; /* of a tag, of data, of what is behind the last piece */
	return __real_glk_unstitch_flit(unstitch, &changed);
}

static int play(const struct requests *requests, enum fault which, unsigned flit)
{
	struct netcrafter_setting setting;
	struct netcrafter_result result;
	int rc;

	netcrafter_setting_default(&setting);
	fault = which;
	at = flit;
	flits = 0;
	rc = netcrafter_run(requests, &setting, &result);
	if (!rc)
		netcrafter_result_free(&result);
	return rc;
}

static void every_flit_counts(void **state)
{
	struct requests requests = { .gpus = 2 };
	uint32_t last[2] = { NO_REQUEST, NO_REQUEST };
	unsigned count;

	(void)state;
	assert_int_equal(requests_add_phase(&requests, 0), 0);
	assert_int_equal(requests_add_unit(&requests, 0) | requests_add_unit(&requests, 1), 0);
	for (uint32_t i = 0; i < 12; i++) {
		const struct request request = { .mask = i % 3 ? UINT64_MAX : 0xff, .line = i, .unit = i % 2,
						 .kind = i / 2 % 2 ? REQUEST_WRITE : REQUEST_READ, .destination = 1 - i % 2 };

		assert_int_equal(requests_add(&requests, &request, last[i % 2]), 0);
		last[i % 2] = i;
	}
	assert_int_equal(play(&requests, NONE, 0), 0);
	count = flits;
	assert_in_range(count, 40, 80);
	for (unsigned flit = 0; flit < count; flit++)
		for (enum fault which = CHANGED; which <= TWICE; which++)
			assert_int_equal(play(&requests, which, flit), -EBADMSG);
	requests_free(&requests);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(every_flit_counts) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
