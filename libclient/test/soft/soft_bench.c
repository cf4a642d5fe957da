// SPDX-License-Identifier: Apache-2.0
#include "soft_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

void soft_open(struct soft *soft, const char *format, ...)
{
	struct gpulink_endpoint_info info;
	char name[128];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(name, sizeof(name), format, arguments);
	va_end(arguments);
	memset(soft, 0, sizeof(*soft));
	assert_int_equal(gpulink_open(name, &soft->device), 0);
	for (; soft->endpoints < 16; soft->endpoints++) {
		void *memory;

		assert_int_equal(gpulink_get_endpoint(soft->device, soft->endpoints, &info, sizeof(info)), 0);
		if (!info.present)
			break;
		assert_int_equal(gpulink_endpoint_memory(soft->device, soft->endpoints, &memory, &soft->bytes), 0);
		assert_int_equal(soft->bytes, info.bytes);
		soft->memory[soft->endpoints] = memory;
	}
}

void soft_close(struct soft *soft)
{
	gpulink_close(soft->device);
	memset(soft, 0, sizeof(*soft));
}

struct gpulink_window *soft_window(const struct soft *soft, unsigned partition, uint64_t offset, uint64_t bytes)
{
	struct gpulink_window *window = NULL;

	assert_int_equal(gpulink_window_open(soft->device, partition, offset, bytes, SOFT_BOTH, &window), 0);
	assert_non_null(window);
	return window;
}

struct gpulink_memory *soft_memory(const struct soft *soft, void *address, size_t bytes, unsigned rights)
{
	struct gpulink_memory *memory = NULL;

	assert_int_equal(gpulink_memory_register(soft->device, address, bytes, rights, &memory), 0);
	assert_non_null(memory);
	return memory;
}

void soft_release(const struct soft *soft)
{
	assert_int_equal(gpulink_release(soft->device, SOFT_SECOND), 0);
}

struct gpulink_counters soft_counters(const struct soft *soft, unsigned partition)
{
	struct gpulink_counters counters;

	assert_int_equal(gpulink_get_counters(soft->device, partition, &counters, sizeof(counters)), 0);
	return counters;
}

void soft_check_accounts(const struct soft *soft, unsigned partition, unsigned subheader_bytes, uint64_t atomic_bytes)
{
	const struct gpulink_counters c = soft_counters(soft, partition);
	uint64_t sent = c.payload_bytes - subheader_bytes * c.sub_packets, least = c.payload_bytes + 24 * c.packets;

	assert_int_equal(c.flush_window_miss + c.flush_payload_full + c.flush_entries_full + c.flush_release +
				 c.flush_timeout + c.flush_load_hit + c.flush_atomic + c.flush_config + c.flush_drain,
			 c.packets);
	assert_int_equal(c.store_bytes - c.overwritten_bytes, sent);
	assert_int_equal(c.endpoint_bytes, sent + atomic_bytes);
	assert_true(c.wire_bytes % 4 == 0 && c.wire_bytes >= least && c.wire_bytes <= least + 3 * c.packets);
	assert_true(c.raw_wire_bytes >= c.store_bytes + 24 * c.stores);
	assert_true(c.sub_packets >= c.packets && c.endpoint_bytes >= c.endpoint_writes);
	assert_int_equal(c.err_endpoint, 0);
}

struct gpulink_completion soft_completion(const struct soft *soft, uint64_t tag)
{
	struct gpulink_completion done[2];

	assert_int_equal(gpulink_wait(soft->device, done, 2, 1, SOFT_SECOND), 1);
	assert_int_equal(done[0].tag, tag);
	assert_int_equal(done[0].reserved, 0);
	return done[0];
}

void soft_done(const struct soft *soft, uint64_t tag, uint32_t bytes)
{
	struct gpulink_completion done = soft_completion(soft, tag);

	assert_int_equal(done.error, 0);
	assert_int_equal(done.status, 0);
	assert_int_equal(done.bytes, bytes);
}

void soft_fill(void *data, size_t bytes, unsigned seed)
{
	uint8_t *to = data;

	for (size_t i = 0; i < bytes; i++)
		to[i] = (uint8_t)((i + seed * 37 + i / 255) % 255 + 1);
}

int soft_is_zero(const void *data, size_t bytes)
{
	const uint8_t *at = data;

	return bytes == 0 || (at[0] == 0 && !memcmp(at, at + 1, bytes - 1));
}
