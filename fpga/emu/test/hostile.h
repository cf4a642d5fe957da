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
	unsigned connection, message; /* of the failure */
};

/** Sends this many messages over many connections, determined by the seed. Returns NULL, or the server's error: it must answer
 *  well-formed messages, and disconnect otherwise. */
const char *hostile_run(const struct hostile_target *target, uint64_t seed, unsigned messages,
			struct hostile_report *report);

#endif /* GPULINK_EMU_TEST_HOSTILE_H */
