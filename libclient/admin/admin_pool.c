// SPDX-License-Identifier: Apache-2.0
/* The pool of a card, with leases: /sys/class/gpulink/gpulinkN/pool and pool_counters. */
#include "../gpulink_admin.h"

#include "../copy_struct.h"
#include "admin_files.h"

static const struct glk_counter_row counters[] = { GLK_POOL_COUNTER_ROWS };
_Static_assert(sizeof(counters) / sizeof(counters[0]) == GPULINK_POOL_COUNTERS, "a name for every counter");

static int read_pool(const char *card, struct gpulink_admin_pool *pool)
{
	const struct {
		const char *file;
		uint64_t *value;
	} numbers[] = {
		{ "pool/bytes", &pool->bytes },		  { "pool/free", &pool->free },	  { "usage/pool_objects", &pool->objects },
		{ "pool/read_lease", &pool->read_lease }, { "pool/write_lease", &pool->write_lease },
		{ "pool/adapt", &pool->adapt },		  { "pool/epoch", &pool->epoch }, { "pool/clock", &pool->clock },
	};
	int error = glk_admin_read_text(card, "pool/partition", pool->partition, sizeof(pool->partition));

	for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]) && !error; i++)
		error = glk_admin_show_number(card, numbers[i].file, numbers[i].value);
	return error;
}

int gpulink_admin_get_pool(const char *card, struct gpulink_admin_pool *pool, size_t size)
{
	struct gpulink_admin_pool own = { 0 };
	int error = card && pool && size ? read_pool(card, &own) : -GPULINK_EINVAL;

	if (!error)
		glk_copy_out(pool, size, &own, sizeof(own));
	return error;
}

const char *gpulink_pool_counter_name(unsigned index)
{
	return index < GPULINK_POOL_COUNTERS ? counters[index].name : NULL;
}

int gpulink_admin_get_pool_counters(const char *card, uint64_t *values, unsigned count)
{
	uint64_t own[GPULINK_POOL_COUNTERS];
	int error;

	if (!card || !values)
		return -GPULINK_EINVAL;
	error = glk_admin_read_values(card, "pool_counters", counters, GPULINK_POOL_COUNTERS, own);
	if (!error)
		glk_copy_out(values, count * sizeof(*values), own, sizeof(own));
	return error;
}
