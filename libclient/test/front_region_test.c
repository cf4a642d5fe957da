// SPDX-License-Identifier: Apache-2.0
/* Regions over a fake back end, which has none: failures of the operations that send chunks. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <temporary.h>

#include "front_setup.h"
#include "gpulink_region.h"

enum { CHUNK = 4096, BYTES = 2 * CHUNK };

static uint8_t source[BYTES];
static struct gpulink_memory *memory;
static struct gpulink_region *region;

/* Two chunks to offsets 0 and FAKE_BROKEN of a window. */
static void open_region(unsigned agent, unsigned flags)
{
	const struct gpulink_region_options options = { .size = sizeof(options), .agent = agent, .chunk_bytes = CHUNK };
	struct gpulink_window *wide;
	struct gpulink_region_target targets[2];

	assert_int_equal(gpulink_window_open(device, 0, 0, 4 * BYTES, BOTH, &wide), 0);
	for (unsigned t = 0; t < 2; t++)
		targets[t] = (struct gpulink_region_target){ .window = wide, .offset = t * FAKE_BROKEN, .flags = flags,
							     .flags_offset = flags ? 2 * BYTES + t * 512 : 0 };
	assert_int_equal(gpulink_memory_register(device, source, BYTES, GPULINK_READ, &memory), 0);
	assert_int_equal(gpulink_region_open(device, memory, 0, BYTES, targets, 2, &options, &region), 0);
	assert_int_equal(gpulink_region_start(region), 0);
}

static struct gpulink_region_info info(void)
{
	struct gpulink_region_info i;

	assert_int_equal(gpulink_region_get_info(region, &i, sizeof(i)), 0);
	return i;
}

static unsigned count_entries(unsigned operation)
{
	unsigned count = 0;

	for (unsigned i = 0; i < fake.submitted; i++)
		count += (fake.entries[i % 600][0] & 0xff) == operation;
	return count;
}

static void agents(void **state)
{
	const struct gpulink_region_options options = { .size = sizeof(options), .agent = GPULINK_AGENT_CARD };
	struct gpulink_region_target target = { .window = window };
	struct gpulink_region *other;

	(void)state;
	open_region(GPULINK_AGENT_BEST, 0);
	assert_int_equal(info().agent, GPULINK_AGENT_CALLER);
	assert_int_equal(gpulink_region_open(device, memory, 0, CHUNK, &target, 1, &options, &other), -GPULINK_ENOTSUP);
	/* Left to gpulink_close(): */
	assert_int_equal(gpulink_region_open(device, memory, 0, CHUNK, &target, 1, NULL, &other), 0);
}

/* The first chunk fails at one target: the other has all, and nobody else hears of it. */
static void failed_target(void **state)
{
	(void)state;
	fake.broken_status = GLK_ST_ENDPOINT;
	open_region(GPULINK_AGENT_CALLER, 0);
	put(1);
	assert_int_equal(gpulink_region_ready(region, 0), 0);
	assert_int_equal(gpulink_region_test(region, GPULINK_LEVEL_SENT), 0);
	assert_int_equal(info().failed_targets, 2);
	assert_int_equal(gpulink_wait(device, done, 2, 0, 0), 1);
	assert_int_equal(gpulink_region_ready(region, 1), 0);
	assert_int_equal(count_entries(GLK_OP_PUT), 3);
	assert_int_equal(gpulink_region_wait(region, GPULINK_LEVEL_SENT, LONG), -GPULINK_EENDPOINT);
	assert_int_equal(gpulink_region_test(region, GPULINK_LEVEL_VISIBLE), -GPULINK_EENDPOINT);
	assert_int_equal(info().error, -GPULINK_EENDPOINT);
	assert_int_equal(gpulink_release(device, LONG), 0);
	fake.broken_status = GLK_ST_OK;
	assert_int_equal(gpulink_region_start(region), 0);
	assert_int_equal(gpulink_region_ready_range(region, 0, 1), 0);
	assert_int_equal(gpulink_region_wait(region, GPULINK_LEVEL_VISIBLE, LONG), 0);
	assert_int_equal(info().failed_targets, 0);
}

/* A release that fails concerns others' stores too. */
static void failed_release(void **state)
{
	(void)state;
	open_region(GPULINK_AGENT_CALLER, 0);
	assert_int_equal(gpulink_region_ready_range(region, 0, 1), 0);
	fake.release_status = GLK_ST_ENDPOINT;
	assert_int_equal(gpulink_region_wait(region, GPULINK_LEVEL_VISIBLE, LONG), -GPULINK_EENDPOINT);
	fake.release_status = GLK_ST_OK;
	assert_int_equal(gpulink_release(device, LONG), -GPULINK_EENDPOINT);
	assert_int_equal(gpulink_release(device, LONG), 0);
	/* And the user's own failures are not the region's. */
	assert_int_equal(gpulink_region_start(region), 0);
	fake.broken_status = GLK_ST_PERMISSION;
	assert_int_equal(gpulink_put(window, FAKE_BROKEN, "x", 1, GPULINK_NO_TAG), 0);
	fake.errors = 1;
	assert_int_equal(gpulink_region_wait(region, GPULINK_LEVEL_SENT, 0), -GPULINK_ETIMEDOUT);
	fake.broken_status = GLK_ST_OK;
	assert_int_equal(gpulink_region_ready_range(region, 0, 1), 0);
	assert_int_equal(gpulink_region_wait(region, GPULINK_LEVEL_VISIBLE, LONG), 0);
	assert_int_equal(gpulink_release(device, LONG), -GPULINK_EACCES);
}

/* Chunk, release, signals, release. */
static void signals(void **state)
{
	static const unsigned order[] = { GLK_OP_PUT,	     GLK_OP_PUT,	GLK_OP_RELEASE,
					  GLK_OP_PUT_INLINE, GLK_OP_PUT_INLINE, GLK_OP_RELEASE };

	(void)state;
	open_region(GPULINK_AGENT_POLLING, GPULINK_TARGET_SIGNAL);
	assert_int_equal(gpulink_region_ready(region, 1), 0);
	assert_int_equal(fake.submitted, 0);
	assert_int_equal(gpulink_region_poll(region, 0), 0);
	assert_int_equal(gpulink_region_poll(region, 5), 1);
	assert_int_equal(gpulink_region_poll(region, 5), 0);
	assert_int_equal(fake.submitted, 6);
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(fake.entries[i][0] & 0xff, order[i]);
	assert_int_equal(fake.entries[3][GLK_SQE_WINDOW_OFFSET_Q], 2 * BYTES + 8);
	assert_int_equal(fake.entries[3][GLK_SQE_DATA_Q], 1);
	assert_int_equal(fake.entries[1][GLK_SQE_WINDOW_OFFSET_Q], CHUNK + FAKE_BROKEN);
}

/* Operations that do not complete, or cannot be submitted. */
static void stuck(void **state)
{
	(void)state;
	open_region(GPULINK_AGENT_CALLER, 0);
	fake_ready(0);
	fake.sleep_takes_ns = MS;
	assert_int_equal(gpulink_region_ready_range(region, 0, 1), 0);
	assert_int_equal(gpulink_region_wait(region, GPULINK_LEVEL_VISIBLE, 3 * MS), -GPULINK_ETIMEDOUT);
	assert_true(fake.woken);
	assert_int_equal(gpulink_region_start(region), -GPULINK_EBUSY);
	fake.take_error = -GPULINK_ERESET;
	assert_int_equal(gpulink_region_wait(region, GPULINK_LEVEL_SENT, LONG), -GPULINK_ERESET);
	assert_int_equal(gpulink_region_test(region, GPULINK_LEVEL_SENT), -GPULINK_ERESET);
	assert_int_equal(gpulink_region_start(region), -GPULINK_ERESET);
	fake.take_error = 0;
	fake_ready(UINT32_MAX);
	assert_int_equal(gpulink_region_wait(region, GPULINK_LEVEL_VISIBLE, LONG), 0);
	assert_int_equal(gpulink_region_start(region), 0);
	fake.submit_error = -GPULINK_ENODEV;
	assert_int_equal(gpulink_region_ready(region, 0), -GPULINK_ENODEV);
	assert_int_equal(gpulink_region_ready(region, 1), 0); /* no target is left */
	assert_int_equal(gpulink_region_wait(region, GPULINK_LEVEL_SENT, LONG), -GPULINK_ENODEV);
	assert_int_equal(info().failed_targets, 3);
}

/* One release, behind all chunks. */
static void visible(void **state)
{
	(void)state;
	open_region(GPULINK_AGENT_CALLER, 0);
	assert_int_equal(gpulink_region_ready(region, 0), 0);
	assert_int_equal(gpulink_region_test(region, GPULINK_LEVEL_VISIBLE), 0);
	assert_int_equal(count_entries(GLK_OP_RELEASE), 0);
	assert_int_equal(gpulink_region_ready(region, 1), 0);
	assert_int_equal(gpulink_region_wait(region, GPULINK_LEVEL_SENT, LONG), 0);
	assert_int_equal(count_entries(GLK_OP_RELEASE), 0);
	fake_ready(0);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(gpulink_region_test(region, GPULINK_LEVEL_VISIBLE), 0);
	assert_int_equal(count_entries(GLK_OP_RELEASE), 1);
	assert_int_equal(info().visible, 0);
	fake_ready(UINT32_MAX);
	assert_int_equal(gpulink_region_test(region, GPULINK_LEVEL_VISIBLE), 1);
	assert_int_equal(info().visible, 1);
	assert_int_equal(count_entries(GLK_OP_RELEASE), 1);
}

/* Operations in flight outlive the region. */
static void closed_in_flight(void **state)
{
	(void)state;
	fake.broken_status = GLK_ST_ENDPOINT;
	open_region(GPULINK_AGENT_CALLER, 0);
	fake_ready(0);
	assert_int_equal(gpulink_region_ready(region, 0), 0);
	gpulink_region_close(region);
	fake_ready(UINT32_MAX);
	assert_int_equal(gpulink_release(device, LONG), -GPULINK_EENDPOINT);
}

/* Stores by INLINE: pieces of 4 KiB to each target. */
static void inline_stores(void **state)
{
	static uint8_t data[BYTES];

	(void)state;
	memset(data, 0x77, sizeof(data));
	open_region(GPULINK_AGENT_INLINE, 0);
	assert_int_equal(gpulink_region_store(region, 1, data, BYTES), -GPULINK_ERANGE);
	assert_int_equal(gpulink_region_store(region, 0, data, 0), -GPULINK_EINVAL);
	assert_int_equal(fake.stores, 0);
	assert_int_equal(gpulink_region_store(region, 0, data, CHUNK + 1), 0);
	assert_int_equal(fake.stores, 4);
	assert_memory_equal(source, data, CHUNK + 1);
	assert_int_equal(gpulink_region_ready_range(region, 0, 1), 0);
	assert_int_equal(gpulink_region_wait(region, GPULINK_LEVEL_VISIBLE, LONG), 0);
	assert_int_equal(count_entries(GLK_OP_PUT), 0);
}

/* Opens a region with options that a file completes; returns an error, or the agent and chunk size. */
static long profiled(const char *text, struct gpulink_region_options options)
{
	char path[TEMPORARY_ROOM];
	int fd = mkstemp(temporary_template(path, "gpulink-profile"));
	struct gpulink_region_target target = { .window = window };
	struct gpulink_memory *small;
	long got;

	assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && !close(fd));
	options.size = sizeof(options);
	options.profile = path;
	assert_int_equal(gpulink_memory_register(device, source, CHUNK, GPULINK_READ, &small), 0);
	got = gpulink_region_open(device, small, 0, CHUNK, &target, 1, &options, &region);
	if (!got) {
		got = (long)(info().chunk_bytes + info().agent);
		gpulink_region_close(region);
	}
	gpulink_memory_unregister(small);
	assert_int_equal(unlink(path), 0);
	return got;
}

static void profiles(void **state)
{
	static const char good[] = "# by hand\n[other]\nagent\n[region]\nagent = polling\nchunk_bytes = 65536\nthreads = 128\n";
	struct gpulink_region_options own = { .agent = GPULINK_AGENT_CALLER, .chunk_bytes = 8192 }, none = { .size = 0 };
	struct gpulink_region_options missing = { .size = sizeof(missing), .profile = "/nonexistent/profile" };
	struct gpulink_region_target target = { .window = window };

	(void)state;
	assert_int_equal(profiled(good, none), 65536 + GPULINK_AGENT_POLLING);
	assert_int_equal(profiled(good, own), 8192 + GPULINK_AGENT_CALLER);
	assert_int_equal(profiled("[region]\nagent = inline", none), GPULINK_CHUNK_BYTES_DEFAULT + GPULINK_AGENT_CALLER);
	none.flags = GPULINK_REGION_STORES;
	assert_int_equal(profiled("[region]\nagent = inline", none), GPULINK_CHUNK_BYTES_DEFAULT + GPULINK_AGENT_INLINE);
	assert_int_equal(profiled("", none), GPULINK_CHUNK_BYTES_DEFAULT + GPULINK_AGENT_CALLER);
	assert_int_equal(
		profiled(
			"# gpulinkctl tune: soft:\n[region]\nagent = caller\nchunk_bytes = 16384\n\n[single]\n1 = window polling\n",
			none),
		16384 + GPULINK_AGENT_CALLER);
	assert_int_equal(profiled("[region]\nagent = thread\n", none), -GPULINK_EINVAL);
	assert_int_equal(profiled("[region]\nchunk_bytes = 0\n", none), -GPULINK_EINVAL);
	assert_int_equal(profiled("[region]\nchunk_bytes = -1\n", none), -GPULINK_EINVAL);
	assert_int_equal(profiled("[region]\nchunk_bytes = 5000\n", none), -GPULINK_EINVAL);
	assert_int_equal(profiled("[region]\nchunk_bytes = 18446744073709555712\n", none), -GPULINK_EINVAL);
	assert_int_equal(profiled("[region]\nnonsense\n", none), -GPULINK_EINVAL);
	assert_int_equal(gpulink_memory_register(device, source, CHUNK, GPULINK_READ, &memory), 0);
	assert_int_equal(gpulink_region_open(device, memory, 0, CHUNK, &target, 1, &missing, &region), -GPULINK_EIO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(agents), TEST(failed_target), TEST(failed_release), TEST(signals),
		TEST(stuck),  TEST(visible), TEST(closed_in_flight), TEST(inline_stores), TEST(profiles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
