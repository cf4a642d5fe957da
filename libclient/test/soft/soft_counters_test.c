// SPDX-License-Identifier: Apache-2.0
/* Counters of a soft device, by the rules of docs/wire-format.md, and the settings in its name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "soft_bench.h"

/* All counters that are not given must be 0. */
#define expect(soft, partition, ...) expect_counters(soft, partition, &(struct gpulink_counters){ __VA_ARGS__ })

static void expect_counters(const struct soft *soft, unsigned partition, const struct gpulink_counters *wanted)
{
	const struct gpulink_counters got = soft_counters(soft, partition);
	uint64_t a[sizeof(got) / 8], b[sizeof(got) / 8];

	memcpy(a, &got, sizeof(got));
	memcpy(b, wanted, sizeof(got));
	for (unsigned i = 0; i < LENGTH(a); i++) {
		if (a[i] != b[i])
			print_message("# counter %u of partition %u\n", i, partition);
		assert_int_equal(a[i], b[i]);
	}
}

static void store(struct gpulink_window *window, uint64_t offset, size_t bytes)
{
	uint8_t data[4096];

	soft_fill(data, bytes, (unsigned)offset);
	assert_int_equal(gpulink_store(window, offset, data, bytes), 0);
}

static void one_store(void **state)
{
	struct gpulink_window *window;
	struct soft soft;

	(void)state;
	soft_open(&soft, "soft:endpoints=2,memory=1M");
	window = soft_window(&soft, 1, 0, SOFT_SLICE);
	expect(&soft, 0, .stores = 0);
	expect(&soft, 1, .stores = 0);
	store(window, 1000, 8);
	expect(&soft, 1, .stores = 1, .store_bytes = 8, .raw_wire_bytes = 32); /* queued */
	soft_release(&soft);
	/* alone it has no sub-header, and costs what a plain write does */
	expect(&soft, 1, .stores = 1, .store_bytes = 8, .raw_wire_bytes = 32, .packets = 1, .sub_packets = 1,
	       .payload_bytes = 8, .wire_bytes = 32, .flush_release = 1, .endpoint_writes = 1, .endpoint_bytes = 8);
	soft_release(&soft); /* an empty queue sends nothing and counts nothing */
	assert_int_equal(soft_counters(&soft, 1).flush_release, 1);
	expect(&soft, 0, .stores = 0);
	soft_close(&soft);
}

/* FinePack as published: two adjacent stores form one sub-packet, a third one another; a fourth that overwrites the first is
 * free. */
static void finepack(void **state)
{
	struct gpulink_window *window;
	struct soft soft;

	(void)state;
	soft_open(&soft, "soft:endpoints=1,memory=1M,subheader=4,packing=0,compact=0");
	window = soft_window(&soft, 0, 0, SOFT_SLICE);
	store(window, 0, 8);
	store(window, 8, 8);
	store(window, 100, 4);
	store(window, 2, 4);
	soft_release(&soft);
	/* raw: 24 + 8, 24 + 8, 24 + 4, 24 + 8 (bytes 2..5 touch two DWs) */
	expect(&soft, 0, .stores = 4, .store_bytes = 24, .raw_wire_bytes = 32 + 32 + 28 + 32, .overwritten_bytes = 4,
	       .packets = 1, .sub_packets = 2, .payload_bytes = 4 + 16 + 4 + 4, .wire_bytes = 24 + 28, .flush_release = 1,
	       .endpoint_writes = 2, .endpoint_bytes = 20);
	soft_check_accounts(&soft, 0, 4, 0);
	soft_close(&soft);
}

/*
 * Three stores of 4 bytes, 100 bytes apart: in units of 4 bytes a length of 1 (1 bit), then a new shape with a gap of 24 (2
 * bits, 7 in order 4, and 1 for the length), then its repetition (1 bit). These 12 bits take 2 bytes, sub-headers would
 * take 18.
 */
static void compact(void **state)
{
	struct gpulink_window *window;
	struct soft soft;

	(void)state;
	soft_open(&soft, "soft:endpoints=1,memory=1M");
	window = soft_window(&soft, 0, 0, SOFT_SLICE);
	for (unsigned i = 0; i < 3; i++)
		store(window, 200 + i * 100, 4);
	soft_release(&soft);
	expect(&soft, 0, .stores = 3, .store_bytes = 12, .raw_wire_bytes = 3 * 28, .packets = 1, .sub_packets = 3,
	       .payload_bytes = 2 + 12, .wire_bytes = 24 + 16, .flush_release = 1, .endpoint_writes = 3, .endpoint_bytes = 12);
	soft_close(&soft);
}

static void raw_wire_bytes(void **state)
{
	static const struct {
		uint64_t offset, raw;
		size_t bytes;
	} cases[] = {
		{ 3, 28, 1 },	     { 3, 32, 2 },	  { 124, 28, 4 },
		{ 124, 28 + 28, 8 }, { 126, 28 + 28, 4 }, { 1, 24 + 128 + 28, 128 },
		{ 0, 32 * (24 + 128), 4096 },
	};
	struct gpulink_window *window;
	struct soft soft;
	uint64_t raw = 0;

	(void)state;
	soft_open(&soft, "soft:endpoints=1,memory=1M,payload=128");
	window = soft_window(&soft, 0, 0, SOFT_SLICE);
	for (unsigned i = 0; i < LENGTH(cases); i++) {
		store(window, cases[i].offset, cases[i].bytes);
		raw += cases[i].raw;
		assert_int_equal(soft_counters(&soft, 0).raw_wire_bytes, raw);
	}
	soft_close(&soft);
}

static void flush_reasons(void **state)
{
	struct gpulink_window *window, *second;
	struct soft soft;
	uint64_t value;

	(void)state;
	soft_open(&soft, "soft:endpoints=1,memory=32M,subheader=4,payload=1024,packing=0"); /* address windows of 4 MiB */
	window = soft_window(&soft, 0, 0, soft.bytes);
	second = soft_window(&soft, 0, 0, 4096);
	store(window, (4u << 20) - 4, 4);
	store(window, 4u << 20, 4);
	assert_int_equal(soft_counters(&soft, 0).flush_window_miss, 1);
	assert_false(soft_is_zero(soft.memory[0] + (4u << 20) - 4, 4));
	assert_true(soft_is_zero(soft.memory[0] + (4u << 20), 4));
	soft_release(&soft);
	for (unsigned i = 0; i < 7; i++) /* 7 * 132 are 924, one more 1056 */
		store(window, i * 128, 128);
	assert_int_equal(soft_counters(&soft, 0).flush_payload_full, 0);
	store(window, 7 * 128, 96); /* 924 + 100 just fits */
	assert_int_equal(soft_counters(&soft, 0).flush_payload_full, 0);
	store(window, 7 * 128 + 96, 1);
	assert_int_equal(soft_counters(&soft, 0).flush_payload_full, 1);
	soft_release(&soft);
	for (unsigned i = 0; i < 64; i++)
		store(window, i * 128, 1);
	assert_int_equal(soft_counters(&soft, 0).flush_entries_full, 0);
	store(window, 64 * 128, 1);
	assert_int_equal(soft_counters(&soft, 0).flush_entries_full, 1);
	assert_int_equal(gpulink_load(window, 64 * 128 + 1, &value, 1), 0); /* beside it: no need to flush */
	assert_int_equal(soft_counters(&soft, 0).flush_load_hit, 0);
	assert_int_equal(gpulink_load(window, 64 * 128 - 1, &value, 2), 0);
	assert_int_equal(soft_counters(&soft, 0).flush_load_hit, 1);
	store(window, 0, 8);
	assert_int_equal(gpulink_fetch_add(window, 8, 8, 1, NULL, 0, 0), 0);
	assert_int_equal(soft_counters(&soft, 0).flush_atomic, 0);
	assert_int_equal(gpulink_fetch_add(window, 0, 8, 1, NULL, 0, 0), 0);
	assert_int_equal(soft_counters(&soft, 0).flush_atomic, 1);
	store(window, 0, 8);
	gpulink_window_close(second);
	assert_int_equal(soft_counters(&soft, 0).flush_drain, 1);
	assert_int_equal(soft_counters(&soft, 0).flush_release, 2);
	assert_int_equal(soft_counters(&soft, 0).flush_config, 0);
	assert_int_equal(soft_counters(&soft, 0).flush_timeout, 0);
	soft_check_accounts(&soft, 0, 4, 16);
	soft_close(&soft);
}

static void loads_and_atomics(void **state)
{
	struct gpulink_window *window;
	struct gpulink_memory *memory;
	struct soft soft;
	uint8_t data[8192];

	(void)state;
	soft_open(&soft, "soft:endpoints=1,memory=2M");
	window = soft_window(&soft, 0, 0, 2 * SOFT_SLICE);
	memory = soft_memory(&soft, data, sizeof(data), SOFT_BOTH);
	assert_int_equal(gpulink_load(window, 0, data, 4096), 0);
	assert_int_equal(gpulink_get(window, SOFT_SLICE - 100, memory, 0, 8192, 0), 0); /* one load, however long */
	assert_int_equal(gpulink_fetch_add(window, 0, 4, 0, NULL, 0, 0), 0);
	assert_int_equal(gpulink_compare_swap(window, 8, 8, 5, 6, memory, 0, 0), 0); /* writes nothing */
	assert_int_equal(gpulink_swap(window, 8, 8, 5, memory, 0, 0), 0);
	expect(&soft, 0, .loads = 2, .atomics = 3, .endpoint_writes = 2, .endpoint_bytes = 12);
	soft_close(&soft);
}

/* Every store is sent at once, split at line boundaries, and visible without a release. */
static void without_coalescing(void **state)
{
	struct gpulink_window *window;
	struct soft soft;
	uint8_t data[300];

	(void)state;
	soft_open(&soft, "soft:endpoints=1,memory=1M,coalesce=0");
	window = soft_window(&soft, 0, 0, SOFT_SLICE);
	soft_fill(data, sizeof(data), 1);
	assert_int_equal(gpulink_store(window, 100, data, 8), 0);
	assert_memory_equal(soft.memory[0] + 100, data, 8);
	assert_int_equal(gpulink_store(window, 104, data, 300), 0); /* 24, 128, 128, 20 bytes */
	assert_memory_equal(soft.memory[0] + 104, data, 300);
	assert_int_equal(gpulink_put(window, 104, "abcd", 4, 0), 0);
	assert_memory_equal(soft.memory[0] + 104, "abcd", 4);
	soft_release(&soft);
	expect(&soft, 0, .stores = 3, .store_bytes = 312, .raw_wire_bytes = 32 + 324 + 28, .packets = 6, .sub_packets = 6,
	       .payload_bytes = 312, .wire_bytes = 6 * 24 + 312, .flush_drain = 6, .endpoint_writes = 6, .endpoint_bytes = 312);
	soft_close(&soft);
}

static void pause_ms(unsigned ms)
{
	nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000l }, NULL);
}

/* Without a thread, a device checks the clock in every call. */
static void timeout(void **state)
{
	static uint8_t host[64];
	struct gpulink_window *window, *other;
	struct gpulink_memory *memory;
	struct gpulink_completion done;
	struct soft soft;
	uint64_t value;

	(void)state;
	soft_open(&soft, "soft:endpoints=2,memory=1M,timeout=1000000");
	window = soft_window(&soft, 0, 0, SOFT_SLICE);
	other = soft_window(&soft, 1, 0, SOFT_SLICE);
	memory = soft_memory(&soft, host, sizeof(host), SOFT_BOTH);
	for (unsigned way = 0; way < 6; way++) {
		store(window, way * 64, 8);
		pause_ms(3);
		switch (way) {
		case 0:
			store(other, 0, 8);
			break;
		case 1:
			assert_int_equal(gpulink_load(other, 8, &value, 8), 0);
			break;
		case 2:
			assert_int_equal(gpulink_put(other, 0, "x", 1, 0), 0);
			break;
		case 3:
			assert_int_equal(gpulink_get(other, 8, memory, 0, 8, 0), 0);
			break;
		case 4:
			assert_int_equal(gpulink_wait(soft.device, &done, 1, 1, 0), 1);
			break;
		default:
			soft_counters(&soft, 1);
			break;
		}
		assert_false(soft_is_zero(soft.memory[0] + way * 64, 8));
		assert_int_equal(soft_counters(&soft, 0).flush_timeout, way + 1);
	}
	soft_release(&soft);
	assert_int_equal(soft_counters(&soft, 0).flush_release, 0);
	soft_check_accounts(&soft, 0, 0, 0);
	soft_close(&soft);
}

/* With the longest timeout, or none, nothing is sent in a short time. */
static void no_timeout_yet(void **state)
{
	static const unsigned timeouts[] = { 0, 1000000000 };
	struct gpulink_window *window;
	struct soft soft;
	uint64_t value;

	(void)state;
	for (unsigned i = 0; i < LENGTH(timeouts); i++) {
		soft_open(&soft, "soft:endpoints=1,memory=1M,timeout=%u", timeouts[i]);
		window = soft_window(&soft, 0, 0, SOFT_SLICE);
		store(window, 0, 8);
		pause_ms(3);
		assert_int_equal(gpulink_load(window, 64, &value, 8), 0);
		expect(&soft, 0, .stores = 1, .store_bytes = 8, .raw_wire_bytes = 32, .loads = 1);
		assert_true(soft_is_zero(soft.memory[0], 8));
		soft_close(&soft);
	}
}

/* Stores of many lengths under every setting: results are the same, costs differ. */
static void every_setting(void **state)
{
	static const unsigned limits[] = { 128, 256, 512, 1024, 2048, 4096 };
	uint8_t *mirror = calloc(1, SOFT_SLICE), data[600];
	struct gpulink_window *window;
	struct soft soft;

	(void)state;
	assert_non_null(mirror);
	for (unsigned run = 0; run < 2 * 5 * LENGTH(limits); run++) {
		unsigned packing = run & 1, width = 2 + run / 2 / LENGTH(limits), limit = limits[run / 2 % LENGTH(limits)];
		uint64_t bytes = 0;

		soft_open(&soft, "soft:endpoints=1,memory=1M,subheader=%u,payload=%u,packing=%u", width, limit, packing);
		window = soft_window(&soft, 0, 0, SOFT_SLICE);
		memset(mirror, 0, SOFT_SLICE);
		for (unsigned n = 0; n < 600; n++) {
			uint32_t offset = n * n * 2654435761u % (SOFT_SLICE - 600) >> n % 10;

			soft_fill(data, n + 1, n);
			memcpy(mirror + offset, data, n + 1);
			assert_int_equal(gpulink_store(window, offset, data, n + 1), 0);
			bytes += n + 1;
		}
		soft_release(&soft);
		assert_memory_equal(soft.memory[0], mirror, SOFT_SLICE);
		assert_int_equal(soft_counters(&soft, 0).stores, 600);
		assert_int_equal(soft_counters(&soft, 0).store_bytes, bytes);
		assert_true(soft_counters(&soft, 0).payload_bytes <= limit * soft_counters(&soft, 0).packets);
		if (!packing)
			soft_check_accounts(&soft, 0, width, 0);
		soft_close(&soft);
	}
	free(mirror);
}

static void refused(void **state)
{
	struct gpulink_counters counters;
	struct soft soft;

	(void)state;
	soft_open(&soft, "soft:endpoints=1,memory=1M");
	assert_int_equal(gpulink_get_counters(soft.device, 15, &counters, sizeof(counters)),
			 0); /* a partition without an endpoint */
	assert_int_equal(gpulink_get_counters(soft.device, 16, &counters, sizeof(counters)), -GPULINK_EINVAL);
	assert_int_equal(gpulink_get_counters(soft.device, UINT32_MAX, &counters, sizeof(counters)), -GPULINK_EINVAL);
	assert_int_equal(gpulink_get_counters(soft.device, 0, NULL, 1), -GPULINK_EINVAL);
	assert_int_equal(gpulink_get_counters(NULL, 0, &counters, sizeof(counters)), -GPULINK_EINVAL);
	soft_close(&soft);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_store),	      cmocka_unit_test(finepack),      cmocka_unit_test(compact),
		cmocka_unit_test(raw_wire_bytes),     cmocka_unit_test(flush_reasons), cmocka_unit_test(loads_and_atomics),
		cmocka_unit_test(without_coalescing), cmocka_unit_test(timeout),       cmocka_unit_test(no_timeout_yet),
		cmocka_unit_test(every_setting),      cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
