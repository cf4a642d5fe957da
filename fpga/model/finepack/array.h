/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The array form of a packet: stores of one size as an array of offsets and an array of values, each aligned, so that many
 * threads write or read a packet at the same time (docs/wire-format.md, "The array form").
 */
#ifndef GLK_ARRAY_H
#define GLK_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GLK_ARRAY_FIRST_BE  7u
#define GLK_ARRAY_ALIGNMENT 16u /* of the base, and of each part of the payload */
#define GLK_ARRAY_COUNT	    4u	/* the header bytes that hold the number of records, big-endian */

/** The shape of a packet in the array form, from its header. */
struct glk_array {
	unsigned count;	     /**< records */
	unsigned unit;	     /**< bytes of a value, and of what an offset counts: 4, 8 or 16 */
	unsigned width;	     /**< bytes of an offset: 2, 3 or 4 */
};

/** The shape from header bytes 4 to 6; false if they are invalid. */
bool glk_array_of(const uint8_t *header, struct glk_array *array);

/** Where in the payload the values begin, and the size of the payload. The number of records is not limited. */
size_t glk_array_values_at(const struct glk_array *array);
size_t glk_array_bytes(const struct glk_array *array);

/** The offset of a record, in bytes from the base. */
uint64_t glk_array_offset(const struct glk_array *array, const uint8_t *payload, unsigned record);

/** Whether all padding between the parts is zero. */
bool glk_array_padding_is_zero(const struct glk_array *array, const uint8_t *payload);

#endif /* GLK_ARRAY_H */
