/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A partition: the sending half of FinePack for one destination. It takes stores, keeps them in its write queue,
 * and sends packets when the rules of docs/wire-format.md say so; and it counts.
 *
 * It needs no card: give it a function that takes its packets.
 */
#ifndef GLK_PARTITION_H
#define GLK_PARTITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/counters.h"
#include "finepack/packetizer.h"
#include "finepack/write_queue.h"

/** Takes a packet that leaves for `reason` (GLK_FLUSH_...); it is only valid during the call, and the function must
 *  not store to the same partition. */
typedef void (*glk_packet_out)(void *user, const uint8_t *packet, size_t length, unsigned reason);

/** How packets are made. No register chooses: PLAIN is what cards have; the rest is measured by gpulink-replay. */
enum glk_packet_form {
	GLK_FORM_PLAIN,	  /**< every sub-header has the H that is set */
	GLK_FORM_NARROW,  /**< each packet has the smallest H that will do, and says it */
	GLK_FORM_COMPACT, /**< runs by rising address, told by their distances; a flush may take two packets */
};

/** Members are for reading; the functions below change them. */
struct glk_partition {
	struct glk_write_queue queue;
	bool coalesce;
	bool self_describe;
	bool open; /**< to the card beyond the link; it is looked at there */
	bool remote; /**< what is not coalesced goes over the link as write requests: who takes it counts it */
	enum glk_packet_form form;
	uint64_t flush_timeout_ns;
	uint64_t last_store_ns;
	uint64_t queued_stores; /**< stores that a reset now would drop, in whole or part */
	uint32_t owners;	/**< bit N: the queue holds a store of context N */
	struct glk_partition_counters counters;
	glk_packet_out out;
	void *user;
};

/** Makes an empty partition with the reset values of its registers and all counters 0. */
void glk_partition_init(struct glk_partition *partition, unsigned queue_entries, glk_packet_out out, void *user);

/** Drops what is queued and sets the reset values; the counters stay. Returns how many stores were dropped. */
uint64_t glk_partition_reset(struct glk_partition *partition);

/** Stores `length` (1 or more) bytes at a link address, for context 0..31, at the time now_ns. */
void glk_partition_store(struct glk_partition *partition, uint64_t address, const void *data, size_t length,
			 unsigned context, uint64_t now_ns);

/** Sends what is queued, if anything, and counts it under `reason`. */
void glk_partition_flush(struct glk_partition *partition, unsigned reason);

/** Counts a packet that left for `reason`: its bytes without padding, and on the wire. */
void glk_partition_count_packet(struct glk_partition *partition, unsigned sub_packets, uint64_t payload, uint64_t wire,
				unsigned reason);

/** When the inactivity timeout expires; UINT64_MAX: not as things stand. */
uint64_t glk_partition_deadline(const struct glk_partition *partition);

/** Sets the form; flushes first, reason config. */
void glk_partition_set_form(struct glk_partition *partition, enum glk_packet_form form);

/** Registers SUBHEADER_BYTES .. MODE (GLK_PARTITION_...). A change flushes first, reason config. Returns 0, or
 *  -EINVAL when the value is not allowed: nothing has changed then. */
uint64_t glk_partition_get(const struct glk_partition *partition, unsigned reg);
int glk_partition_set(struct glk_partition *partition, unsigned reg, uint64_t value);

#endif /* GLK_PARTITION_H */
