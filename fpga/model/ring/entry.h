/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a ring entry. Internal to the model. */
#ifndef GLK_ENTRY_H
#define GLK_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

struct glk_ring_entry {
	unsigned opcode, flags, window, registration;
	uint32_t length;
	uint64_t window_offset, registration_offset;
	const uint64_t *sqe;
};

struct glk_ring_entry glk_entry_decode(const uint64_t sqe[8]);
/* Whether flags but FLAG_INTERRUPT, and the words and fields that the operation does not use, are 0. */
bool glk_entry_rest_is_zero(const struct glk_ring_entry *entry, bool window, bool window_offset, bool registration,
			    unsigned data_words);

#endif /* GLK_ENTRY_H */
