/* SPDX-License-Identifier: Apache-2.0 */
/* Packet records as the simulator writes them, of our own making. */
#ifndef REPLAY_TRACE_TEST_PACKETS_H
#define REPLAY_TRACE_TEST_PACKETS_H

#include <stddef.h>
#include <stdint.h>

#include <chance.h>

enum { PACKET_BYTES = 40 };

/** GPUs count from 1. The address is in the destination's memory; kernels, 'K' and 'E', have `source` alone. */
struct test_packet {
	uint64_t time_ps;
	char type;
	unsigned source, destination;
	uint32_t number;
	uint64_t address, mask;
};

void packet_put(uint8_t to[PACKET_BYTES], const struct test_packet *p);

/** A valid run: in each phase a kernel on each GPU, and `requests` between them with their answers. free() it. */
uint8_t *packets_make(struct chance *chance, unsigned gpus, unsigned requests, unsigned phases, size_t *bytes);

#endif /* REPLAY_TRACE_TEST_PACKETS_H */
