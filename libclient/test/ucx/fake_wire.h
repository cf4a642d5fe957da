/* SPDX-License-Identifier: Apache-2.0 */
/* Instead of ucx_wire.c: keeps the last message. */
#ifndef GPULINK_TEST_UCX_FAKE_WIRE_H
#define GPULINK_TEST_UCX_FAKE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../ucx/ucx_message.h"

extern struct fake_wire {
	uint8_t sent[GLK_MESSAGE_MAX];
	size_t bytes;
	unsigned count;
	bool busy; /* keeps messages */
} fake_wire;

#endif /* GPULINK_TEST_UCX_FAKE_WIRE_H */
