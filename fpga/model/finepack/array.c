// SPDX-License-Identifier: Apache-2.0
#include "finepack/array.h"

#include <string.h>

#define TAG_WIDTH_SHIFT 2u
#define TAG_DISTINCT	0x10u
#define TAG_RESERVED	0xe0u

unsigned glk_array_tag(const struct glk_array *array)
{
	unsigned unit = array->unit == 4 ? 0 : array->unit == 8 ? 1 : 2;

	return unit | (array->width - 2) << TAG_WIDTH_SHIFT | (array->distinct ? TAG_DISTINCT : 0);
}

bool glk_array_of(const uint8_t *header, struct glk_array *array)
{
	unsigned tag = header[6], unit = tag & 3, width = tag >> TAG_WIDTH_SHIFT & 3;

	*array = (struct glk_array){
		.count = (unsigned)header[GLK_ARRAY_COUNT] << 8 | header[GLK_ARRAY_COUNT + 1],
		.unit = 4u << unit,
		.width = 2 + width,
		.distinct = tag & TAG_DISTINCT,
	};
	return array->count && unit < 3 && width < 3 && !(tag & TAG_RESERVED);
}

static size_t padded(size_t bytes)
{
	return (bytes + GLK_ARRAY_ALIGNMENT - 1) & ~(size_t)(GLK_ARRAY_ALIGNMENT - 1);
}

/* The first part: offsets of 2 or 4 bytes, or the lower 2 bytes of 3. */
static size_t low_bytes(const struct glk_array *array)
{
	return (size_t)array->count * (array->width == 4 ? 4 : 2);
}

size_t glk_array_values_at(const struct glk_array *array)
{
	return padded(low_bytes(array)) + (array->width == 3 ? padded(array->count) : 0);
}

size_t glk_array_bytes(const struct glk_array *array)
{
	return glk_array_values_at(array) + (size_t)array->count * array->unit;
}

unsigned glk_array_most(const struct glk_array *array, size_t bytes)
{
	struct glk_array most = *array;

	for (most.count = (unsigned)(bytes / (array->width + array->unit)); most.count; most.count--)
		if (glk_array_bytes(&most) <= bytes)
			break;
	return most.count;
}

uint64_t glk_array_offset(const struct glk_array *array, const uint8_t *payload, unsigned record)
{
	unsigned lows = array->width == 4 ? 4 : 2;
	const uint8_t *low = payload + (size_t)record * lows;
	uint64_t offset = low[0] | (uint64_t)low[1] << 8;

	if (array->width == 4)
		offset |= (uint64_t)low[2] << 16 | (uint64_t)low[3] << 24;
	else if (array->width == 3)
		offset |= (uint64_t)payload[padded(low_bytes(array)) + record] << 16;
	return offset * array->unit;
}

void glk_array_set_offset(const struct glk_array *array, uint8_t *payload, unsigned record, uint64_t offset)
{
	unsigned lows = array->width == 4 ? 4 : 2;
	uint64_t units = offset / array->unit;

	for (unsigned i = 0; i < lows; i++)
		payload[(size_t)record * lows + i] = (uint8_t)(units >> (8 * i));
	if (array->width == 3)
		payload[padded(low_bytes(array)) + record] = (uint8_t)(units >> 16);
}

void glk_array_clear_padding(const struct glk_array *array, uint8_t *payload)
{
	size_t high = padded(low_bytes(array));

	memset(payload + low_bytes(array), 0, high - low_bytes(array));
	if (array->width == 3)
		memset(payload + high + array->count, 0, padded(array->count) - array->count);
}

static bool is_zero(const uint8_t *from, const uint8_t *end)
{
	while (from < end && !*from)
		from++;
	return from == end;
}

bool glk_array_padding_is_zero(const struct glk_array *array, const uint8_t *payload)
{
	const uint8_t *high = payload + padded(low_bytes(array));

	return is_zero(payload + low_bytes(array), high) &&
	       (array->width != 3 || is_zero(high + array->count, high + padded(array->count)));
}
