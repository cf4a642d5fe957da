// SPDX-License-Identifier: Apache-2.0
/* Soft devices: names and options, properties, endpoints, close. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gpulink_regs.h>

#include <cmocka.h>

#include "soft_bench.h"

static void good_names(void **state)
{
	static const char *const names[] = {
		"soft:", "soft:endpoints=1", "soft:endpoints=16", "soft:memory=4k", "soft:memory=4096", "soft:memory=1M",
		"soft:memory=1G", "soft:subheader=2", "soft:subheader=6", "soft:payload=128", "soft:payload=4096",
		"soft:timeout=0", "soft:timeout=1000000000", "soft:coalesce=0", "soft:coalesce=1", "soft:packing=1",
		"soft:packing=1,compact=1",
		"soft:endpoints=16,memory=64M,subheader=4,payload=256,coalesce=1", "soft:endpoints=1,memory=64G",
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(names); i++) {
		struct gpulink *device = NULL;
		struct gpulink_info info;

		print_message("# %s\n", names[i]);
		assert_int_equal(gpulink_open(names[i], &device), 0);
		assert_int_equal(gpulink_get_info(device, &info, sizeof(info)), 0);
		assert_string_equal(info.name, names[i]);
		gpulink_close(device);
	}
}

static void bad_names(void **state)
{
	static const char *const names[] = {
		"soft:endpoints=0",
		"soft:endpoints=17",
		"soft:endpoints=",
		"soft:endpoints",
		"soft:endpoints=-1",
		"soft:endpoints=+1",
		"soft:endpoints= 1",
		"soft:endpoints=1x",
		"soft:endpoints=1k",
		"soft:endpoints=18446744073709551617",
		"soft:memory=0",
		"soft:memory=4095",
		"soft:memory=4097",
		"soft:memory=1",
		"soft:memory=65G",
		"soft:memory=1T",
		"soft:memory=4K",
		"soft:memory=1MM",
		"soft:memory=1MB",
		"soft:memory=18446744073709551615",
		"soft:memory=17179869185G",
		"soft:memory=18014398509481985k",
		"soft:subheader=1",
		"soft:subheader=7",
		"soft:payload=64",
		"soft:payload=129",
		"soft:payload=8192",
		"soft:payload=0",
		"soft:payload=4k",
		"soft:timeout=1000000001",
		"soft:coalesce=2",
		"soft:packing=2",
		"soft:compact=2",
		"soft:keep=0",
		"soft:colour=1",
		"soft:=1",
		"soft:=",
		"soft:Endpoints=1",
		"soft:endpoint=1",
		"soft:endpoints=1;memory=4k",
		"soft:endpoints=1,memory=0",
		"soft:memory=0,memory=4k",
		"soft:1",
		"soft:endpoints==1",
		"soft:endpoints=1 ,memory=4k",
		/* 16 times 64 GiB are more than the model's aperture can show */
		"soft:endpoints=16,memory=64G",
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(names); i++) {
		struct gpulink *device = NULL;

		print_message("# %s\n", names[i]);
		errno = 0;
		assert_int_equal(gpulink_open(names[i], &device), -GPULINK_EINVAL);
		assert_int_equal(errno, EINVAL);
		assert_null(device);
	}
}

static void long_names(void **state)
{
	struct gpulink *device = NULL;
	struct gpulink_info info;
	char name[160];

	(void)state;
	strcpy(name, "soft:endpoints=");
	memset(name + 15, '0', 128 - 15);
	name[126] = '2';
	name[127] = '\0';
	assert_int_equal(gpulink_open(name, &device), 0); /* 127 characters, as many as info.name holds */
	assert_int_equal(gpulink_get_info(device, &info, sizeof(info)), 0);
	assert_string_equal(info.name, name);
	gpulink_close(device);
	device = NULL;
	name[126] = '0';
	name[127] = '2';
	name[128] = '\0';
	assert_int_equal(gpulink_open(name, &device), -GPULINK_EINVAL);
	assert_null(device);
	assert_int_equal(gpulink_open(NULL, &device), -GPULINK_EINVAL);
	assert_int_equal(gpulink_open("soft:", NULL), -GPULINK_EINVAL);
}

static void info(void **state)
{
	struct gpulink_info info;
	struct soft soft;

	(void)state;
	soft_open(&soft, "soft:endpoints=3,memory=2M");
	memset(&info, 0xa5, sizeof(info));
	assert_int_equal(gpulink_get_info(soft.device, &info, sizeof(info)), 0);
	assert_string_equal(info.name, "soft:endpoints=3,memory=2M");
	assert_string_equal(info.kind, "soft");
	assert_int_equal(info.partitions, 16);
	assert_int_equal(info.queue_entries, 64);
	assert_int_equal(info.subheader_widths, 0x7c);
	assert_int_equal(info.context, 0);
	assert_int_equal(info.generation, 0);
	assert_true(info.features & GLK_CARD_FEATURES_FINEPACK_MASK);
	assert_true(info.features & GLK_CARD_FEATURES_ATOMICS_MASK);
	assert_int_equal(gpulink_get_info(soft.device, NULL, 1), -GPULINK_EINVAL);
	assert_int_equal(gpulink_get_info(NULL, &info, sizeof(info)), -GPULINK_EINVAL);
	soft_close(&soft);
}

static void endpoints(void **state)
{
	struct gpulink_endpoint_info info;
	struct soft soft;
	char name[32];

	(void)state;
	soft_open(&soft, "soft:endpoints=13,memory=8k");
	assert_int_equal(soft.endpoints, 13);
	for (unsigned p = 0; p < 16; p++) {
		memset(&info, 0xa5, sizeof(info));
		assert_int_equal(gpulink_get_endpoint(soft.device, p, &info, sizeof(info)), 0);
		snprintf(name, sizeof(name), "soft %u", p);
		assert_string_equal(info.name, p < 13 ? name : "");
		assert_int_equal(info.partition, p);
		assert_int_equal(info.present, p < 13);
		assert_int_equal(info.bytes, p < 13 ? 8192 : 0);
	}
	assert_int_equal(gpulink_get_endpoint(soft.device, 16, &info, sizeof(info)), -GPULINK_EINVAL);
	assert_int_equal(gpulink_get_endpoint(soft.device, UINT32_MAX, &info, sizeof(info)), -GPULINK_EINVAL);
	assert_int_equal(gpulink_get_endpoint(soft.device, 0, NULL, 1), -GPULINK_EINVAL);
	assert_int_equal(gpulink_get_endpoint(NULL, 0, &info, sizeof(info)), -GPULINK_EINVAL);
	soft_close(&soft);
}

static void defaults(void **state)
{
	struct soft soft;

	(void)state;
	soft_open(&soft, "soft:");
	assert_int_equal(soft.endpoints, 4);
	assert_int_equal(soft.bytes, 64u << 20);
	soft_close(&soft);
	soft_open(&soft, "soft:,endpoints=2,,memory=1M,endpoints=3,"); /* empty options are ignored, the last one wins */
	assert_int_equal(soft.endpoints, 3);
	assert_int_equal(soft.bytes, 1u << 20);
	soft_close(&soft);
}

static void endpoint_memories(void **state)
{
	struct soft soft;
	void *memory = NULL;
	size_t bytes = 0;

	(void)state;
	soft_open(&soft, "soft:endpoints=2,memory=8k");
	assert_true(soft_is_zero(soft.memory[0], 8192) && soft_is_zero(soft.memory[1], 8192));
	soft_fill(soft.memory[0], 8192, 1);
	assert_true(soft_is_zero(soft.memory[1], 8192));
	assert_int_equal(gpulink_endpoint_memory(soft.device, 0, &memory, &bytes), 0);
	assert_ptr_equal(memory, soft.memory[0]);
	assert_int_equal(bytes, 8192);
	assert_int_equal(gpulink_endpoint_memory(soft.device, 2, &memory, &bytes), -GPULINK_ENOENDPOINT);
	assert_int_equal(gpulink_endpoint_memory(soft.device, 15, &memory, &bytes), -GPULINK_ENOENDPOINT);
	assert_int_equal(gpulink_endpoint_memory(soft.device, 16, &memory, &bytes), -GPULINK_EINVAL);
	assert_int_equal(gpulink_endpoint_memory(soft.device, 0, NULL, &bytes), -GPULINK_EINVAL);
	assert_int_equal(gpulink_endpoint_memory(soft.device, 0, &memory, NULL), -GPULINK_EINVAL);
	assert_int_equal(gpulink_endpoint_memory(NULL, 0, &memory, &bytes), -GPULINK_EINVAL);
	soft_close(&soft);
}

/* Close with open windows and memories, queued stores, put vectors and completions (the sanitizer detects leaks). */
static void close_with_everything_open(void **state)
{
	static uint8_t data[3][5000];
	const struct gpulink_vector vector = { .offset = 100, .data = data, .bytes = 1000 };
	struct gpulink_window *windows[4];
	struct gpulink_memory *memories[3];
	struct soft soft;

	(void)state;
	soft_open(&soft, "soft:endpoints=2,memory=4M");
	for (unsigned i = 0; i < 4; i++)
		windows[i] = soft_window(&soft, i % 2, i * 4096ul, 2u << 20);
	for (unsigned i = 0; i < 3; i++)
		memories[i] = soft_memory(&soft, data[i], sizeof(data[i]), SOFT_BOTH);
	for (unsigned n = 0; n < 500; n++) {
		assert_int_equal(gpulink_store(windows[n % 4], n * 8ul, &n, sizeof(n)), 0);
		assert_int_equal(gpulink_put_memory(windows[n % 4], n * 8ul, memories[n % 3], n, 1000, n), 0);
		assert_int_equal(gpulink_put_vector(windows[n % 4], &vector, 1, n), 0);
	}
	gpulink_window_close(windows[1]); /* not all: the list must stay whole */
	gpulink_memory_unregister(memories[0]);
	soft_close(&soft);
	gpulink_close(NULL);
}

/* Devices of the same name share nothing. */
static void two_devices(void **state)
{
	struct soft a, b;
	struct gpulink_window *window;

	(void)state;
	soft_open(&a, "soft:endpoints=1,memory=4k");
	soft_open(&b, "soft:endpoints=1,memory=4k");
	window = soft_window(&a, 0, 0, 4096);
	assert_int_equal(gpulink_store(window, 0, "abc", 3), 0);
	soft_release(&b);
	assert_true(soft_is_zero(a.memory[0], 4096));
	soft_release(&a);
	assert_memory_equal(a.memory[0], "abc", 3);
	assert_true(soft_is_zero(b.memory[0], 4096));
	assert_int_equal(soft_counters(&a, 0).stores, 1);
	assert_int_equal(soft_counters(&b, 0).stores, 0);
	soft_close(&a);
	soft_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_names),
		cmocka_unit_test(bad_names),
		cmocka_unit_test(long_names),
		cmocka_unit_test(info),
		cmocka_unit_test(endpoints),
		cmocka_unit_test(defaults),
		cmocka_unit_test(endpoint_memories),
		cmocka_unit_test(close_with_everything_open),
		cmocka_unit_test(two_devices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
