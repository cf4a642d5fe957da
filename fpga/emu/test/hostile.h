/* SPDX-License-Identifier: Apache-2.0 */
/* A hostile client: random messages, most of them invalid. */
#ifndef GPULINK_EMU_TEST_HOSTILE_H
#define GPULINK_EMU_TEST_HOSTILE_H

#include <stdbool.h>
#include <stdint.h>

#include "../vfio/vfio_user.h"

struct hostile_target {
	const char *path;
	uint64_t sizes[VFU_REGIONS];
	bool card; /* has registers, an aperture and interrupts, and reaches memory */
};

struct hostile_report {
	unsigned connections, messages, done, refused, hung_up;
	unsigned connection, message; /* where it went wrong */
};

/** Sends that many messages over many connections. What it does depends on the seed alone. Returns NULL, or what the
 *  server did wrong: it must answer what it can tell to be a message, and hang up on the rest. */
const char *hostile_run(const struct hostile_target *target, uint64_t seed, unsigned messages,
			struct hostile_report *report);

#endif /* GPULINK_EMU_TEST_HOSTILE_H */
