// SPDX-License-Identifier: Apache-2.0
/* Pool objects over a fake back end: what happens while a line is read or stored, and errors of the card. */
#include <string.h>

#include "front_setup.h"
#include "gpulink_pool.h"

static struct gpulink_pool *pool;

static void open_pool(unsigned mode, uint64_t cache)
{
	const struct gpulink_pool_options options = { .size = sizeof(options), .mode = mode, .cache_bytes = cache };

	assert_int_equal(gpulink_pool_create(device, FAKE_POOL, 64, &options, &pool), 0);
}

/* The answer of the next reads. */
static void lease(uint64_t wts, uint64_t rts, bool same)
{
	fake.lease = (struct glk_pool_lease){ .wts = wts, .rts = rts, .same = same };
}

static uint64_t load(uint64_t offset)
{
	uint64_t value;

	assert_int_equal(gpulink_pool_load(pool, offset, &value, sizeof(value)), 0);
	return value;
}

static void store(uint64_t offset, uint64_t value)
{
	assert_int_equal(gpulink_pool_store(pool, offset, &value, sizeof(value)), 0);
}

static void other_stores(void)
{
	store(0, 7);
}

static void other_releases(void)
{
	assert_int_equal(gpulink_release(device, LONG), 0);
}

static void other_stores_and_releases(void)
{
	store(0, 7);
	other_releases();
}

static void other_reads_newer(void)
{
	fake.pool[0] = 9; /* of another process */
	lease(20, 30, false);
	assert_int_equal(load(0), 9);
}

/* A line that was read before a store of this process is not kept behind it, nor behind its release. */
static void store_during_read(void **state)
{
	(void)state;
	open_pool(GPULINK_POOL_RC, 0);
	lease(1, 1000, false);
	fake.during = other_stores_and_releases;
	load(0); /* either */
	assert_int_equal(load(0), 7);
	fake.during = other_stores;
	load(64);
	assert_int_equal(load(0), 7);
}

/* Of two copies the newer one stays. */
static void newer_copy(void **state)
{
	(void)state;
	open_pool(GPULINK_POOL_RC, 0);
	lease(1, 10, false);
	fake.during = other_reads_newer;
	load(0);
	fake.pool_reads = 0;
	assert_int_equal(load(0), 9);
	assert_int_equal(fake.pool_reads, 0);
}

static void eight(void)
{
	for (uint64_t line = 1; line <= 8; line++) {
		lease(1, 200 + line, false);
		load(64 * line);
	}
	lease(1, 200, true);
}

/* A copy that is still the line's bytes, but has made room meanwhile, is read again. */
static void renewed_and_gone(void **state)
{
	(void)state;
	open_pool(GPULINK_POOL_RC, 256); /* four copies */
	fake.pool[0] = 5;
	lease(1, 10, false);
	assert_int_equal(load(0), 5);
	fake.clock = 100;
	assert_int_equal(gpulink_acquire(device), 0);
	lease(1, 200, true);
	fake.during = eight;
	fake.pool[0] = 6; /* so that a copy would show */
	fake.pool_reads = 0;
	load(0);
	assert_int_equal(fake.pool_reads, 10);
	assert_int_equal(fake.read_wts, UINT64_MAX);
	lease(1, 300, false);
	assert_int_equal(load(0), 6);
}

/* Only a copy of the wts that was asked about is renewed. */
static void renewed_another(void **state)
{
	(void)state;
	open_pool(GPULINK_POOL_RC, 0);
	lease(1, 10, false);
	load(0);
	fake.clock = 50;
	assert_int_equal(gpulink_acquire(device), 0);
	lease(1, 90, true);
	fake.during = other_reads_newer; /* its copy of wts 20 ends at 30, before the time */
	load(0);
	fake.pool_reads = 0;
	lease(60, 90, false);
	load(0);
	assert_int_equal(fake.pool_reads, 1);
}

/* A store is not covered by a release that began while it was made. */
static void release_during_store(void **state)
{
	struct gpulink_pool_info info;

	(void)state;
	open_pool(GPULINK_POOL_RC, 0);
	lease(1, 1000, false);
	fake.during = other_releases;
	store(0, 7);
	load(0);
	assert_int_equal(gpulink_pool_get_info(pool, &info, sizeof(info)), 0);
	assert_int_equal(info.uncached, 1);
	other_releases();
	load(0);
	assert_int_equal(gpulink_pool_get_info(pool, &info, sizeof(info)), 0);
	assert_int_equal(info.uncached, 1);
	assert_int_equal(info.misses, 1);
}

/* Behind an error of the card nothing is loaded from a copy. */
static void errors(void **state)
{
	uint64_t value;

	(void)state;
	open_pool(GPULINK_POOL_RC, 0);
	lease(1, 1000, false);
	load(0);
	fake.pool_error = -GPULINK_EENDPOINT;
	assert_int_equal(gpulink_pool_load(pool, 8, &value, sizeof(value)), 0);
	assert_int_equal(gpulink_acquire(device), -GPULINK_EENDPOINT);
	assert_int_equal(gpulink_pool_load(pool, 8, &value, sizeof(value)), -GPULINK_EENDPOINT);
	assert_int_equal(gpulink_pool_store(pool, 0, &value, 8), -GPULINK_EENDPOINT);
	assert_int_equal(gpulink_pool_fetch_add(pool, 0, 8, 1, &value), -GPULINK_EENDPOINT);
	assert_int_equal(gpulink_pool_wait(pool, 0, GPULINK_COMPARE_EQ, 0, MS, NULL), -GPULINK_EENDPOINT);
	fake.pool_error = 0;
	assert_int_equal(gpulink_pool_load(pool, 8, &value, sizeof(value)), 0);
}

/* An atomic is behind all stores, and at the card's clock or later. */
static void atomic(void **state)
{
	(void)state;
	open_pool(GPULINK_POOL_RC, 0);
	fake.clock = 40;
	lease(41, 45, false);
	store(0, 1);
	assert_int_equal(gpulink_pool_fetch_add(pool, 8, 8, 1, NULL), 0);
	assert_int_equal(fake.atomic_after, 1);
	assert_int_equal(fake.entries[0][0] & 0xff, GLK_OP_RELEASE);
	assert_int_equal(fake.read_time, 40);
	load(0);
	assert_int_equal(fake.read_time, 41);
}

/* A load of several lines renews those whose leases have ended, and only those, as one. */
static void renew_many(void **state)
{
	uint8_t bytes[640];

	(void)state;
	open_pool(GPULINK_POOL_RC, FAKE_POOL);
	lease(1, 10, false);
	assert_int_equal(gpulink_pool_load(pool, 0, bytes, sizeof(bytes)), 0);
	assert_int_equal(fake.pool_reads, 10);
	lease(1, 100, false);
	load(640);
	fake.clock = 20;
	assert_int_equal(gpulink_acquire(device), 0);
	fake.pool_reads = 0;
	assert_int_equal(gpulink_pool_load(pool, 64, bytes, sizeof(bytes)), 0);
	assert_int_equal(fake.renewed, 9);
	assert_int_equal(fake.pool_reads, 0);
	lease(2, 100, false); /* line 0 has changed */
	assert_int_equal(gpulink_pool_load(pool, 0, bytes, sizeof(bytes)), 0);
	assert_int_equal(fake.pool_reads, 1);
}

static int teardown_pools(void **state)
{
	return teardown(state) || fake.pools;
}

#define POOL_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown_pools)

int main(void)
{
	const struct CMUnitTest tests[] = {
		POOL_TEST(store_during_read), POOL_TEST(newer_copy), POOL_TEST(renewed_and_gone), POOL_TEST(renewed_another),
		POOL_TEST(release_during_store), POOL_TEST(errors), POOL_TEST(atomic), POOL_TEST(renew_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
