// SPDX-License-Identifier: Apache-2.0
#include "finepack/array.h"

#define TAG_WIDTH_SHIFT 2u
#define TAG_RESERVED	0xe0u

bool glk_array_of(const uint8_t *header, struct glk_array *array)
{
	unsigned tag = header[6], unit = tag & 3, width = tag >> TAG_WIDTH_SHIFT & 3;

	*array = (struct glk_array){
		.count = (unsigned)header[GLK_ARRAY_COUNT] << 8 | header[GLK_ARRAY_COUNT + 1],
		.unit = 4u << unit,
		.width = 2 + width,
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
