// SPDX-License-Identifier: Apache-2.0
/* gpulink_error_text(): the cause of each error, with the value and the allowed values; of the thread that failed. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <gpulink_lane.h>
#include <gpulink_pool.h>
#include <gpulink_region.h>
#include <gpulink_uring.h>

#define SECOND UINT64_C(1000000000)

static bool has_ucx;

#define assert_text(error, text)                                                                                               \
	do {                                                                                                                   \
		if (strcmp(gpulink_error_text(error), text))                                                                   \
			fail_msg("text is '%s', should be '%s'", gpulink_error_text(error), text);                             \
	} while (0)

static const char *long_name(void)
{
	static char name[200] = "soft:";

	memset(name + 5, ',', 130);
	return name;
}

static void names(void **state)
{
	static const struct {
		const char *name;
		int error;
		const char *text;
	} cases[] = {
		{ "soft:subheader=7", GPULINK_EINVAL, "option subheader=7: must be 2 to 6" },
		{ "soft:memory=5", GPULINK_EINVAL,
		  "option memory=5: must be a multiple of 4096 bytes, up to 64G, with suffix k, M or G or none" },
		{ "soft:memory=x", GPULINK_EINVAL,
		  "option memory=x: must be a multiple of 4096 bytes, up to 64G, with suffix k, M or G or none" },
		{ "soft:endpoints=17", GPULINK_EINVAL, "option endpoints=17: must be 1 to 16" },
		{ "soft:endpoints", GPULINK_EINVAL, "option endpoints: must be endpoints=VALUE" },
		{ "soft:colour=1", GPULINK_EINVAL,
		  "option colour: unknown, must be endpoints, memory, rank, processes, subheader, payload, timeout, coalesce, packing or compact" },
		{ "soft:keep=0", GPULINK_EINVAL,
		  "option keep: removed, because kept lines saved less than 1 % in real programs" },
		{ "soft:endpoints=16,memory=64G", GPULINK_EINVAL,
		  "options endpoints=16, memory=68719476736: must be at most 549755813888 bytes together" },
		{ "local:", GPULINK_EINVAL, "name '': must be 1 to 64 letters, digits, '.', '_' or '-', then the end or ','" },
		{ "local:a/b", GPULINK_EINVAL,
		  "name 'a/b': must be 1 to 64 letters, digits, '.', '_' or '-', then the end or ','" },
		{ "local:x,timeout=5", GPULINK_EINVAL, "option timeout=5: must be 0 on a local device" },
		{ "local:x,rank=1", GPULINK_EINVAL, "option rank: must come with processes" },
		{ "local:x,rank=2,processes=2", GPULINK_EINVAL, "option rank=2: must be 0 to 1" },
		{ "local:x,rank=0,processes=17", GPULINK_EINVAL, "option processes=17: must be 1 to 16" },
		{ "local:x,rank=0,processes=3,endpoints=2", GPULINK_EINVAL,
		  "option endpoints=2: must be at least processes=3" },
		{ "soft:rank=0,processes=1", GPULINK_EINVAL,
		  "options rank and processes: must be those of a local device; a soft device is the process's own" },
		{ "gpulink999", GPULINK_ENODEV, "/dev/gpulink999: No such file or directory" },
		{ "/dev/null", GPULINK_ENODEV, "/dev/null is not a gpulink card" },
		{ "/etc/passwd", GPULINK_ENODEV, "/etc/passwd is not a device" },
	};
	static const struct {
		const char *name;
		int error;
		const char *text;
	} of_ucx[] = {
		{ "ucx:rank=0", GPULINK_EINVAL, "options rank and processes: must be given together" },
		{ "ucx:at=h:1", GPULINK_EINVAL, "option at: must come with rank and processes" },
		{ "ucx:at=h", GPULINK_EINVAL, "option at=h: must be HOST:PORT, with port 1 to 65535, IPv6 as [HOST]:PORT" },
		{ "ucx:rank=2,processes=2,at=h:1", GPULINK_EINVAL, "option rank=2: must be 0 to 1" },
		{ "ucx:rank=0,processes=2", GPULINK_EINVAL, "option at=HOST:PORT of process 0: must be given for 2 processes" },
		{ "ucx:route=maybe", GPULINK_EINVAL, "option route=maybe: must be on, off or auto" },
		{ "ucx:timeout=0", GPULINK_EINVAL, "option timeout=0: must be 1 to 86400 seconds" },
		{ "ucx:rank=1,processes=2,at=127.0.0.1:9,timeout=1", GPULINK_ETIMEDOUT,
		  "process 0 at 127.0.0.1:9: not all processes came within 1 s" },
	};
	struct gpulink *device = NULL;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(gpulink_open(cases[i].name, &device), -cases[i].error);
		assert_text(-cases[i].error, cases[i].text);
	}
	for (size_t i = 0; has_ucx && i < sizeof(of_ucx) / sizeof(of_ucx[0]); i++) {
		assert_int_equal(gpulink_open(of_ucx[i].name, &device), -of_ucx[i].error);
		assert_text(-of_ucx[i].error, of_ucx[i].text);
	}
	assert_int_equal(gpulink_open(NULL, &device), -GPULINK_EINVAL);
	assert_text(GPULINK_EINVAL, "name and device: must not be NULL");
	assert_int_equal(gpulink_open(long_name(), &device), -GPULINK_EINVAL);
	assert_text(GPULINK_EINVAL, "device name of 135 characters: must be at most 127");
	assert_null(device);
}

static void other_sizes(void **state)
{
	char name[64], other[80];
	struct gpulink *first, *second;

	(void)state;
	snprintf(name, sizeof(name), "local:text-%d,memory=1M", (int)getpid());
	snprintf(other, sizeof(other), "%s,endpoints=2", name);
	assert_int_equal(gpulink_open(name, &first), 0);
	assert_int_equal(gpulink_open(other, &second), -GPULINK_EINVAL);
	assert_text(GPULINK_EINVAL, "options endpoints=2, memory=1048576: must be those of the processes that have it open");
	gpulink_close(first);
}

static uint8_t data[8192];

/* Of a device with 2 endpoints of 64 KiB. */
static void objects(void **state)
{
	struct gpulink_region_options options = { .size = sizeof(options), .chunk_bytes = 5000 };
	struct gpulink_region_target target = { 0 };
	struct gpulink_window *window, *other;
	struct gpulink_memory *memory;
	struct gpulink_region *region;
	struct gpulink_queue *queue;
	struct gpulink *device;
	struct gpulink_counters counters;
	struct gpulink_pool *pool;
	struct gpulink_lane lane;
	int invalid = -GPULINK_EINVAL, sealed = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_int_equal(gpulink_open("soft:endpoints=2,memory=64k", &device), 0);
	assert_int_equal(gpulink_window_open(device, 16, 0, 4096, GPULINK_WRITE, &other), invalid);
	assert_text(invalid, "partition 16: must be 0 to 15");
	assert_int_equal(gpulink_window_open(device, 0, 5, 4096, GPULINK_WRITE, &other), invalid);
	assert_text(invalid, "offset 5: must be a multiple of 4096");
	assert_int_equal(gpulink_window_open(device, 0, 0, 0, GPULINK_WRITE, &other), invalid);
	assert_text(invalid, "0 bytes: must be a multiple of 4096, not 0");
	assert_int_equal(gpulink_window_open(device, 0, 0, 4096, 4, &other), invalid);
	assert_text(invalid, "rights 4: must be GPULINK_READ, GPULINK_WRITE or both");
	assert_int_equal(gpulink_window_open(device, 0, 0, 69632, GPULINK_WRITE, &other), -GPULINK_ERANGE);
	assert_text(-GPULINK_ERANGE, "offset 0, 69632 bytes: must be within the 65536 bytes of the endpoint");
	assert_int_equal(gpulink_window_open(device, 3, 0, 4096, GPULINK_WRITE, &other), -GPULINK_ENOENDPOINT);
	assert_text(-GPULINK_ENOENDPOINT, "partition 3: partition has no endpoint");
	assert_int_equal(gpulink_window_open_dmabuf(device, sealed, 0, 4096, GPULINK_WRITE, &other), -GPULINK_EUNREACHABLE);
	assert_text(-GPULINK_EUNREACHABLE, "a soft device has no bus to a dma-buf");
	assert_int_equal(gpulink_memory_register(device, data, 0, GPULINK_READ, &memory), invalid);
	assert_text(invalid, "0 bytes: must be 1 or more");
	assert_int_equal(gpulink_memory_register_dmabuf(device, -1, 0, 4096, GPULINK_READ, &memory), invalid);
	assert_text(invalid, "dma-buf descriptor -1: Bad file descriptor");
	assert_int_equal(gpulink_endpoint_memory(device, 99, (void *[1]){ NULL }, (size_t[1]){ 0 }), invalid);
	assert_text(invalid, "partition 99: must be 0 to 15");
	assert_int_equal(gpulink_get_counters(device, 99, &counters, sizeof(counters)), invalid);
	assert_text(invalid, "partition 99: must be 0 to 15");

	assert_int_equal(gpulink_window_open(device, 0, 0, 8192, GPULINK_WRITE, &window), 0);
	assert_int_equal(gpulink_store(window, 8190, data, 8), -GPULINK_ERANGE);
	assert_text(-GPULINK_ERANGE, "offset 8190, 8 bytes: must be within the 8192 bytes of the window");
	assert_int_equal(gpulink_store(window, 0, data, 4097), invalid);
	assert_text(invalid, "4097 bytes: must be 1 to 4096, not at NULL");
	assert_int_equal(gpulink_load(window, 0, data, 8), -GPULINK_EACCES);
	assert_text(-GPULINK_EACCES, "rights of the window are WRITE: must contain READ");
	assert_int_equal(gpulink_put(window, 0, data, 33, GPULINK_NO_TAG), invalid);
	assert_text(invalid, "put of 33 bytes: must be 1 to 32, not at NULL");
	assert_int_equal(gpulink_release(device, 0), invalid);
	assert_text(invalid, "timeout: must not be NULL or 0");

	assert_int_equal(gpulink_queue_open(device, &queue), 0);
	assert_int_equal(gpulink_lane_open(gpulink_default_queue(device), window, &lane), invalid);
	assert_text(invalid, "lane of the default queue: must be of one from gpulink_queue_open(), which has one thread");
	assert_int_equal(gpulink_lane_open(queue, window, &lane), -GPULINK_ENOTSUP);
	assert_text(-GPULINK_ENOTSUP, "a soft device has no lanes: store to gpulink_queue_store()");

	assert_int_equal(gpulink_memory_register(device, data, sizeof(data), GPULINK_READ, &memory), 0);
	target.window = window;
	assert_int_equal(gpulink_region_open(device, memory, 0, sizeof(data), &target, 0, NULL, &region), invalid);
	assert_text(invalid, "0 targets: must be 1 to 8, targets and region not NULL");
	assert_int_equal(gpulink_region_open(device, memory, 0, sizeof(data), &target, 1, &options, &region), invalid);
	assert_text(invalid, "chunk of 5000 bytes: must be a power of two, 4096 to 16777216");
	options = (struct gpulink_region_options){ .size = sizeof(options), .profile = "/nowhere" };
	assert_int_equal(gpulink_region_open(device, memory, 0, sizeof(data), &target, 1, &options, &region), -GPULINK_EIO);
	assert_text(-GPULINK_EIO, "profile /nowhere: No such file or directory");
	assert_int_equal(gpulink_region_open(device, memory, 4096, sizeof(data), &target, 1, NULL, &region), -GPULINK_ERANGE);
	assert_text(-GPULINK_ERANGE, "offset 4096, 8192 bytes: must be within the 8192 bytes of the source");

	assert_int_equal(gpulink_pool_create(device, 100, 0, NULL, &pool), invalid);
	assert_text(invalid, "pool object of 100 bytes: must be a multiple of 4096, not 0");
	assert_int_equal(gpulink_pool_create(device, 4096, 100, NULL, &pool), invalid);
	assert_text(invalid, "grain 100: must be a power of two, 64 to 4096");
	assert_int_equal(gpulink_pool_open(device, sealed, NULL, &pool), invalid);
	assert_non_null(strstr(gpulink_error_text(invalid), "pool object of descriptor"));
	close(sealed);
	gpulink_close(device);
}

/* Only for the error that was returned, and only until the next one; calls that succeed change nothing, nor does errno. */
static void which(void **state)
{
	struct gpulink_completion done;
	struct gpulink *device;

	(void)state;
	assert_int_equal(gpulink_open("soft:subheader=9", &device), -GPULINK_EINVAL);
	assert_int_equal(gpulink_open("soft:memory=64k", &device), 0);
	errno = EXDEV;
	assert_text(GPULINK_EINVAL, "option subheader=9: must be 2 to 6");
	assert_text(-GPULINK_EINVAL, "option subheader=9: must be 2 to 6");
	assert_int_equal(errno, EXDEV);
	assert_text(-GPULINK_ERANGE, gpulink_strerror(-GPULINK_ERANGE));
	assert_text(0, "success");
	assert_text(12345, gpulink_strerror(12345));
	assert_int_equal(gpulink_wait(device, &done, 1, 1, 1), -GPULINK_ETIMEDOUT);
	assert_text(-GPULINK_ETIMEDOUT, "timed out");
	assert_text(-GPULINK_EINVAL, "invalid argument");
	assert_int_equal(gpulink_store(NULL, 0, data, 8), -GPULINK_EINVAL);
	assert_text(-GPULINK_EINVAL, "window: must not be NULL, nor of another device");
	gpulink_close(device);
}

static void *fail_in_thread(void *argument)
{
	char name[40], text[80];
	struct gpulink *device;

	for (unsigned i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "soft:subheader=%u%03u", *(unsigned *)argument, i);
		snprintf(text, sizeof(text), "option subheader=%u%03u: must be 2 to 6", *(unsigned *)argument, i);
		if (gpulink_open(name, &device) != -GPULINK_EINVAL || strcmp(gpulink_error_text(GPULINK_EINVAL), text))
			return argument;
	}
	return NULL;
}

/* Each has its own; under the leak sanitizer nothing remains of a thread that has ended. */
static void threads(void **state)
{
	enum { THREADS = 4 };
	unsigned numbers[THREADS];
	pthread_t thread[THREADS];
	void *failed;
	struct gpulink *device;

	(void)state;
	assert_int_equal(gpulink_open("soft:payload=5", &device), -GPULINK_EINVAL);
	for (unsigned t = 0; t < THREADS; t++) {
		numbers[t] = t + 10;
		assert_int_equal(pthread_create(&thread[t], NULL, fail_in_thread, &numbers[t]), 0);
	}
	for (unsigned t = 0; t < THREADS; t++) {
		pthread_join(thread[t], &failed);
		assert_null(failed);
	}
	assert_text(-GPULINK_EINVAL, "option payload=5: must be 128, 256, 512, 1024, 2048 or 4096");
}

/* In a child, because UCX stays loaded. Returns whether the text contains one of the words; 2: the machine does not allow the
 * case. */
static int open_ucx(bool (*constrain)(void), const char *word, const char *or)
{
	struct gpulink *device;
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		if (!constrain())
			_exit(2);
		status = gpulink_open("ucx:rank=0,processes=1,memory=1M", &device);
		printf("# %s\n", gpulink_error_text(status));
		fflush(stdout);
		_exit(status < 0 && (strstr(gpulink_error_text(status), word) || strstr(gpulink_error_text(status), or)) ? 0 :
															   1);
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool few_files(void)
{
	const struct rlimit limit = { 14, 14 };

	return !setrlimit(RLIMIT_NOFILE, &limit);
}

static bool small_shm(void)
{
	return !unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	       !mount("tmpfs", "/dev/shm", "tmpfs", 0, "size=1M");
}

static void ucx_causes(void **state)
{
	int result;

	(void)state;
	if (!has_ucx)
		skip();
	assert_int_equal(open_ucx(few_files, "open files", "number of files"), 0);
	result = open_ucx(small_shm, "/dev/shm", "No space left");
	if (result == 2)
		printf("# no mount namespace here: /dev/shm is not made small\n");
	else
		assert_int_equal(result, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(other_sizes),
		cmocka_unit_test(objects),
		cmocka_unit_test(which),
		cmocka_unit_test(threads),
		cmocka_unit_test(ucx_causes),
	};

	has_ucx = argc > 1 && !strcmp(argv[1], "ucx");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
