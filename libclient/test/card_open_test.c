// SPDX-License-Identifier: Apache-2.0
/* Opening other files than cards, of every kind. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include <gpulink.h>
#include <temporary.h>

static char folder[TEMPORARY_ROOM];

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(temporary_template(folder, "gpulink-open-test")) && !chmod(folder, 0755) && !chdir(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	return chdir("/") || rmdir(folder);
}

static void expect(const char *name, int error)
{
	struct gpulink *device = NULL;

	print_message("# %s\n", name);
	assert_int_equal(gpulink_open(name, &device), -error);
	assert_null(device);
}

static void other_devices(void **state)
{
	(void)state;
	expect("/dev/null", GPULINK_ENODEV);
	expect("null", GPULINK_ENODEV); /* names without a slash are in /dev */
	expect("/dev/zero", GPULINK_ENODEV);
	expect("/dev/full", GPULINK_ENODEV);
}

static void missing(void **state)
{
	(void)state;
	expect("/dev/gpulink4711", GPULINK_ENODEV);
	expect("gpulink4711", GPULINK_ENODEV);
	expect("./gpulink0", GPULINK_ENODEV);
	expect("/no/such/folder", GPULINK_ENODEV);
	expect("/dev/null/gpulink0", GPULINK_ENODEV);
	expect("", GPULINK_ENODEV);
	expect("soft", GPULINK_ENODEV); /* without its colon a node in /dev */
	expect("Soft:", GPULINK_ENODEV);
}

static void other_files(void **state)
{
	const struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "socket" };
	int fd;

	(void)state;
	fd = open("file", O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0 && write(fd, "gpulink", 7) == 7);
	close(fd);
	expect("./file", GPULINK_ENODEV);
	assert_int_equal(unlink("file"), 0);

	assert_int_equal(mkdir("folder", 0700), 0);
	expect("./folder", GPULINK_ENODEV);
	expect("/", GPULINK_ENODEV);
	assert_int_equal(rmdir("folder"), 0);

	assert_int_equal(mkfifo("fifo", 0600), 0);
	expect("./fifo", GPULINK_ENODEV); /* without blocking for a writer */
	assert_int_equal(unlink("fifo"), 0);

	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_true(fd >= 0 && !bind(fd, (const struct sockaddr *)&address, sizeof(address)));
	expect("./socket", GPULINK_ENODEV);
	close(fd);
	assert_int_equal(unlink("socket"), 0);

	assert_int_equal(symlink("nowhere", "link"), 0);
	expect("./link", GPULINK_ENODEV);
	assert_int_equal(unlink("link"), 0);
	assert_int_equal(symlink("/dev/null", "link"), 0);
	expect("./link", GPULINK_ENODEV);
	assert_int_equal(unlink("link"), 0);
}

static void without_permission(void **state)
{
	struct gpulink *device = NULL;
	uid_t me = geteuid();
	int code, fd;

	(void)state;
	fd = open("file", O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	assert_int_equal(fchmod(fd, 0444), 0);
	close(fd);
	if (me == 0) /* root may open anything */
		assert_int_equal(seteuid(65534), 0);
	code = gpulink_open("./file", &device);
	assert_int_equal(seteuid(me), 0);
	assert_int_equal(code, -GPULINK_EACCES);
	assert_int_equal(unlink("file"), 0);
}

/* A system error without a code of its own: EIO and errno. */
static void no_descriptors(void **state)
{
	struct gpulink *device = NULL;
	struct rlimit limit, none;
	int code, error;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = (struct rlimit){ 0, limit.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	errno = 0;
	code = gpulink_open("/dev/null", &device);
	error = errno;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(code, -GPULINK_EIO);
	assert_int_equal(error, EMFILE);
}

static void long_names(void **state)
{
	char name[5000];

	(void)state;
	memset(name, 'a', sizeof(name));
	name[127] = '\0';
	expect(name, GPULINK_ENODEV); /* as long as info.name holds */
	name[127] = 'a';
	for (size_t length = 128; length < sizeof(name); length = length * 2 + 1) {
		struct gpulink *device = NULL;

		name[length] = '\0';
		errno = 0;
		assert_int_equal(gpulink_open(name, &device), -GPULINK_EINVAL);
		assert_int_equal(errno, EINVAL);
		assert_null(device);
		name[length] = 'a';
	}
	assert_int_equal(gpulink_open("/dev/null", NULL), -GPULINK_EINVAL);
}

/* Failures leave no descriptor open. */
static void no_descriptor_leak(void **state)
{
	int before = dup(0), after;

	(void)state;
	close(before);
	other_devices(state);
	missing(state);
	other_files(state);
	after = dup(0);
	close(after);
	assert_int_equal(after, before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(other_devices),
		cmocka_unit_test(missing),
		cmocka_unit_test_setup_teardown(other_files, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(without_permission, make_folder, remove_folder),
		cmocka_unit_test(no_descriptors),
		cmocka_unit_test(long_names),
		cmocka_unit_test_setup_teardown(no_descriptor_leak, make_folder, remove_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
