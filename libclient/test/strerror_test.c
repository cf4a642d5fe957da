// SPDX-License-Identifier: Apache-2.0
/* Texts of error codes, and the version. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <gpulink.h>

enum { LAST = GPULINK_EFORK };

static void every_code_has_its_own_text(void **state)
{
	(void)state;
	for (int code = 0; code <= LAST; code++) {
		const char *text = gpulink_strerror(code);

		assert_non_null(text);
		assert_true(strlen(text) >= 7);
		assert_null(strchr(text, '\n'));
		for (int other = 0; other < code; other++)
			assert_string_not_equal(text, gpulink_strerror(other));
	}
}

static void sign_is_ignored(void **state)
{
	(void)state;
	for (int code = 1; code <= LAST; code++)
		assert_ptr_equal(gpulink_strerror(-code), gpulink_strerror(code));
}

static void unknown_codes(void **state)
{
	static const int codes[] = { LAST + 1, -LAST - 1, 1000, -1000, INT_MAX, -INT_MAX, INT_MIN };
	const char *text = gpulink_strerror(LAST + 1);

	(void)state;
	assert_non_null(strstr(text, "unknown"));
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		assert_string_equal(gpulink_strerror(codes[i]), text);
	for (int code = 0; code <= LAST; code++)
		assert_string_not_equal(gpulink_strerror(code), text);
}

static void texts(void **state)
{
	(void)state;
	assert_string_equal(gpulink_strerror(0), "success");
	assert_non_null(strstr(gpulink_strerror(-GPULINK_EACCES), "permission"));
	assert_non_null(strstr(gpulink_strerror(-GPULINK_ENODEV), "no such device"));
	assert_non_null(strstr(gpulink_strerror(-GPULINK_ERESET), "reset"));
	assert_non_null(strstr(gpulink_strerror(-GPULINK_EBUSY), "busy"));
}

static void version(void **state)
{
	(void)state;
	assert_string_equal(gpulink_version(), PROJECT_VERSION);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_code_has_its_own_text),
		cmocka_unit_test(sign_is_ignored),
		cmocka_unit_test(unknown_codes),
		cmocka_unit_test(texts),
		cmocka_unit_test(version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
