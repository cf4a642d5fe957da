// SPDX-License-Identifier: Apache-2.0
/* Texts of error codes, and the version. */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <gpulink.h>

static const int codes[] = {
	0,
	GPULINK_EINVAL,
	GPULINK_ENOMEM,
	GPULINK_ENODEV,
	GPULINK_EACCES,
	GPULINK_ERANGE,
	GPULINK_ENOSPC,
	GPULINK_ETIMEDOUT,
	GPULINK_ENOTSUP,
	GPULINK_EPROTO,
	GPULINK_EINTR,
	GPULINK_EIO,
	GPULINK_EFAULT,
	GPULINK_EBUSY,
	GPULINK_ECANCELED,
	GPULINK_ENOENDPOINT,
	GPULINK_ERESET,
	GPULINK_EENDPOINT,
	GPULINK_EABI,
	GPULINK_EUNREACHABLE,
	GPULINK_EFORK,
};
enum { COUNT = sizeof(codes) / sizeof(codes[0]), LAST = GPULINK_EFORK };

/* Codes with a name of errno have its value; the others are larger than any errno. */
static void values(void **state)
{
	(void)state;
	assert_int_equal(GPULINK_EINVAL, EINVAL);
	assert_int_equal(GPULINK_EBUSY, EBUSY);
	assert_int_equal(GPULINK_ETIMEDOUT, ETIMEDOUT);
	assert_int_equal(GPULINK_ENOTSUP, ENOTSUP);
	for (int i = 0; i < COUNT; i++)
		assert_true(codes[i] < 134 || codes[i] > 4095);
	assert_true(GPULINK_ENOENDPOINT > 4095);
}

static void every_code_has_its_own_text(void **state)
{
	(void)state;
	for (int i = 0; i < COUNT; i++) {
		const char *text = gpulink_strerror(codes[i]);

		assert_non_null(text);
		assert_true(strlen(text) >= 7);
		assert_null(strchr(text, '\n'));
		for (int other = 0; other < i; other++)
			assert_string_not_equal(text, gpulink_strerror(codes[other]));
	}
}

static void sign_is_ignored(void **state)
{
	(void)state;
	for (int i = 0; i < COUNT; i++)
		assert_ptr_equal(gpulink_strerror(-codes[i]), gpulink_strerror(codes[i]));
}

static void unknown_codes(void **state)
{
	static const int unknown[] = { LAST + 1, -LAST - 1, 1, ENXIO, 4095, 1000, -1000, INT_MAX, -INT_MAX, INT_MIN };
	const char *text = gpulink_strerror(LAST + 1);

	(void)state;
	assert_non_null(strstr(text, "unknown"));
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		assert_string_equal(gpulink_strerror(unknown[i]), text);
	for (int i = 0; i < COUNT; i++)
		assert_string_not_equal(gpulink_strerror(codes[i]), text);
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
		cmocka_unit_test(values),
		cmocka_unit_test(every_code_has_its_own_text),
		cmocka_unit_test(sign_is_ignored),
		cmocka_unit_test(unknown_codes),
		cmocka_unit_test(texts),
		cmocka_unit_test(version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
