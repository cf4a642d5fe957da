// SPDX-License-Identifier: Apache-2.0
#include "ring/entry.h"

#include "base/common.h"

struct glk_ring_entry glk_entry_decode(const uint64_t sqe[8])
{
	return (struct glk_ring_entry){
		.opcode = (unsigned)GLK_FIELD(sqe[GLK_SQE_OPCODE_Q], GLK_SQE_OPCODE),
		.flags = (unsigned)GLK_FIELD(sqe[GLK_SQE_FLAGS_Q], GLK_SQE_FLAGS),
		.window = (unsigned)GLK_FIELD(sqe[GLK_SQE_WINDOW_Q], GLK_SQE_WINDOW),
		.length = (uint32_t)GLK_FIELD(sqe[GLK_SQE_LENGTH_Q], GLK_SQE_LENGTH),
		.window_offset = sqe[GLK_SQE_WINDOW_OFFSET_Q],
		.registration = (unsigned)GLK_FIELD(sqe[GLK_SQE_REGISTRATION_Q], GLK_SQE_REGISTRATION),
		.registration_offset = GLK_FIELD(sqe[GLK_SQE_REGISTRATION_OFFSET_Q], GLK_SQE_REGISTRATION_OFFSET),
		.sqe = sqe,
	};
}

bool glk_entry_rest_is_zero(const struct glk_ring_entry *e, bool window, bool window_offset, bool registration,
			    unsigned data_words)
{
	if (e->flags & ~GLK_FLAG_INTERRUPT)
		return false;
	if ((!window && e->window) || (!window_offset && e->window_offset) ||
	    (!registration && e->sqe[GLK_SQE_REGISTRATION_Q]))
		return false;
	for (unsigned i = GLK_SQE_DATA_Q + data_words; i < GLK_SQE_BYTES / 8; i++)
		if (e->sqe[i])
			return false;
	return true;
}
