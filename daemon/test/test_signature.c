// SPDX-License-Identifier: Apache-2.0
/*
 * test_signature MAKE_IMAGE: signatures of containers, made by make-image with the openssl program and keys of this run. Each
 * byte that is changed in the container breaks its signature.
 */
#include "../protocol/signature.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <temporary.h>

static const char *make_image;
static char folder[TEMPORARY_ROOM];

struct file {
	uint8_t bytes[1 << 14];
	size_t count;
};

static void run(const char *format, ...)
{
	char command[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	assert_int_equal(system(command), 0);
}

static void read_image(const char *name, struct file *file)
{
	char path[128];
	FILE *stream;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	stream = fopen(path, "rb");
	assert_non_null(stream);
	file->count = fread(file->bytes, 1, sizeof(file->bytes), stream);
	fclose(stream);
}

/* The container must be well-formed; whether its signature is good. */
static bool good(const struct file *file, const char *certificate, struct failure *failure)
{
	struct xclbin xclbin;
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, certificate);
	if (xclbin_open(file->bytes, file->count, &xclbin, failure))
		return false;
	return !signature_check(&xclbin, path, failure);
}

static int set_up(void **state)
{
	(void)state;
	for (unsigned k = 1; k <= 2; k++)
		run("cd %s && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout %u.key -out %u.pem -days 2"
		    " -subj /CN=%u 2>/dev/null",
		    folder, k, k, k);
	run("cd %s && %s unsigned && %s --sign 1.pem 1.key signed", folder, make_image, make_image);
	return 0;
}

static void signatures(void **state)
{
	struct failure failure;
	static struct file file;

	(void)state;
	read_image("signed", &file);
	assert_true(good(&file, "1.pem", &failure));
	assert_false(good(&file, "2.pem", &failure));
	assert_non_null(strstr(failure.text, "is not by the key of"));
	assert_false(good(&file, "none.pem", &failure));
	assert_non_null(strstr(failure.text, "no certificate in"));
	assert_false(good(&file, "1.key", &failure));
	assert_non_null(strstr(failure.text, "no certificate in"));
	read_image("unsigned", &file);
	assert_false(good(&file, "1.pem", &failure));
	assert_non_null(strstr(failure.text, "not signed"));
}

/* The file of one with the signature of the other. */
static void of_another_image(void **state)
{
	struct failure failure;
	static struct file file, other;

	(void)state;
	run("cd %s && %s other 'logic rtl ' && %s --sign 2.pem 2.key forged", folder, make_image, make_image);
	read_image("signed", &file);
	read_image("forged", &other);
	assert_true(good(&other, "2.pem", &failure));
	assert_false(good(&other, "1.pem", &failure));
	assert_memory_equal(file.bytes + 12, other.bytes + 12, 1000); /* only signatures differ */
}

static void changed_bytes(void **state)
{
	struct failure failure;
	static struct file file;
	struct xclbin xclbin;

	(void)state;
	read_image("signed", &file);
	assert_int_equal(xclbin_open(file.bytes, file.count, &xclbin, &failure), 0);
	for (size_t i = 0; i < xclbin.length; i += i < 460 ? 1 : 13) {
		file.bytes[i] ^= 1;
		if (good(&file, "1.pem", &failure))
			fail_msg("byte %zu of %zu can be changed", i, file.count);
		file.bytes[i] ^= 1;
	}
	assert_true(good(&file, "1.pem", &failure));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signatures),
		cmocka_unit_test(of_another_image),
		cmocka_unit_test(changed_bytes),
	};
	int result;

	if (argc != 2)
		return 2;
	make_image = argv[1];
	temporary_template(folder, "gpulink-signature");
	if (!mkdtemp(folder))
		return 2;
	result = cmocka_run_group_tests(tests, set_up, NULL);
	run("rm -r %s", folder);
	return result;
}
