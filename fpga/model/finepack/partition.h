/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A partition: the sending side of FinePack for one destination (FinePack IV-B). It merges stores in its write queue,
 * sends packets by the rules of docs/wire-format.md, and counts. It can be used without a card.
 */
#ifndef GLK_PARTITION_H
#define GLK_PARTITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/counters.h"
#include "finepack/packetizer.h"
#include "finepack/write_queue.h"

/** Sends a packet of `length` bytes, flushed for `reason` (GLK_FLUSH_...). `packet` is valid only during the call. The function
 *  must not store to the same partition. */
typedef void (*glk_packet_out)(void *user, const uint8_t *packet, size_t length, unsigned reason);

/** How the queue collects and leaves. No register selects it: cards have PLAIN, whose packets may be in the compact form too
 * with MODE.COMPACT; gpulink-replay measures the others, which are model only. */
enum glk_packet_form {
	GLK_FORM_PLAIN,	  /**< sub-headers of the configured H */
	GLK_FORM_NARROW,  /**< the smallest sufficient H for each packet, carried in First BE */
	GLK_FORM_COMPACT, /**< runs in address order, encoded by their gaps (compact.h); a flush may take two packets */
};

/** Members may be read; only the functions below change them, except `remote`, which the endpoint sets. */
struct glk_partition {
	struct glk_write_queue queue;
	uint64_t modes; /**< bits of MODE that the card has */
	uint64_t mode;	/**< register MODE; the next ones are its fields */
	bool coalesce;
	bool self_describe;
	bool open; /**< the other card may access it; checked for its requests */
	bool packing; /**< MODE.PACKING; other forms than PLAIN ignore it */
	bool compact; /**< MODE.COMPACT, in effect with `packing` */
	bool peer_compact; /**< if `remote`: the other card accepts the compact form */
	bool remote; /**< of kind link: stores that are not coalesced leave as write requests, which their sender counts */
	enum glk_packet_form form;
	uint64_t flush_timeout_ns;
	uint64_t last_store_ns;
	struct glk_partition_counters counters;
	glk_packet_out out;
	void *user;
};

/** Initializes an empty partition: registers at their reset values, counters 0. `queue_entries`: 16, 32, 64 or 128. `out` gets
 *  its packets, with `user`. */
void glk_partition_init(struct glk_partition *partition, unsigned queue_entries, glk_packet_out out, void *user);

/** From now on the partition lacks these bits of MODE: they are 0 at a reset, and cannot be set. For one that is empty and
 *  at its reset values. */
void glk_partition_lack(struct glk_partition *partition, uint64_t modes);

/** Drops all queued stores and sets the reset values; keeps the counters. Returns the number of dropped stores. */
uint64_t glk_partition_reset(struct glk_partition *partition);

/** Stores `length` (at least 1) bytes at a link address, for context 0..31, at time now_ns in nanoseconds. */
void glk_partition_store(struct glk_partition *partition, uint64_t address, const void *data, size_t length,
			 unsigned context, uint64_t now_ns);

/** Sends all queued stores, if any, counted under `reason`. */
void glk_partition_flush(struct glk_partition *partition, unsigned reason);

/** The same if a store of the context is queued. */
void glk_partition_flush_owned(struct glk_partition *partition, unsigned context, unsigned reason);

/** The same if a byte of [address, address + length) (link addresses) is queued. */
void glk_partition_flush_hit(struct glk_partition *partition, uint64_t address, uint64_t length, unsigned reason);

/** Counts a packet sent for `reason`: payload bytes without padding, and bytes on the wire. */
void glk_partition_count_packet(struct glk_partition *partition, unsigned sub_packets, uint64_t payload, uint64_t wire,
				unsigned reason);

/** The time in nanoseconds at which the inactivity timeout expires; UINT64_MAX: no timeout is running. */
uint64_t glk_partition_deadline(const struct glk_partition *partition);

/** Sets the packet format; flushes first, with reason config. */
void glk_partition_set_form(struct glk_partition *partition, enum glk_packet_form form);

/** Access registers SUBHEADER_BYTES .. MODE (GLK_PARTITION_...). A change flushes first, with reason config. set returns 0, or
 *  -EINVAL and changes nothing if the value is invalid. */
uint64_t glk_partition_get(const struct glk_partition *partition, unsigned reg);
int glk_partition_set(struct glk_partition *partition, unsigned reg, uint64_t value);

#endif /* GLK_PARTITION_H */
