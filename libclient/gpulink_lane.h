/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libgpulink, lanes: the fastest way to store on devices without a card ("local:"). A lane packs one thread's stores to one window in
 * the process, in FinePack packets (docs/wire-format.md), without a lock and without a call.
 *
 * A store is appended to the lane's packet; bytes behind those of the store before join its run. Where stores hit words that the packet
 * has already, they overwrite them there (FinePack, IV-B): the lane notices whether that happens often enough to look. The packet is
 * applied when it is full, by a release of the queue, and by the queue's operations and loads.
 *
 * Semantics are those of gpulink_queue_store(): stores to one address arrive in order, others in any order until a release.
 *
 * Threads: a lane belongs to its queue, and with it to one thread at a time. A child of fork() must not store by lanes of its parent:
 * a store does not look whose lane it is.
 */
#ifndef GPULINK_LANE_H
#define GPULINK_LANE_H

#include <gpulink.h>

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Maximum bytes of a store that is appended without a call. */
#define GPULINK_LANE_SMALL 128u

/** The packet that a lane fills. The library's; programs do not touch it. */
struct gpulink_lane_packet {
	uint8_t *at, *end;   /**< of the payload: where the next sub-packet begins, and where no byte may lie */
	uint8_t *last;	     /**< sub-header of the last sub-packet */
	uint64_t next;	     /**< offset in the endpoint behind its bytes */
	uint64_t low, span;  /**< the packet's address window, without its last GPULINK_LANE_SMALL bytes; span 0: none */
	uint64_t stores, store_bytes, dwords; /**< since the lane was opened; dwords: touched by each store */
	uint16_t run;	     /**< bytes of the last sub-packet */
	uint16_t looks;	     /**< not 0: stores look for words that the packet has */
};

/** A lane: filled in by gpulink_lane_open(). */
struct gpulink_lane {
	struct gpulink_lane_packet *packet;
	uint64_t origin, bytes; /**< of the window in the endpoint */
	void *home;		/**< the library's */
};

/**
 * Opens a lane of a queue to a window with GPULINK_WRITE. It is valid until the queue or the window is closed; there is nothing to
 * close.
 *
 * Errors: EINVAL (the default queue, which several threads may use), ENOTSUP (a card, where stores go to
 * gpulink_queue_window_address(), or "soft:"), EACCES, ENOMEM.
 */
int gpulink_lane_open(struct gpulink_queue *queue, struct gpulink_window *window, struct gpulink_lane *lane);

/** Any store; what gpulink_lane_store() calls when it is more than an append. */
int gpulink_lane_store_any(struct gpulink_lane *lane, uint64_t offset, const void *data, size_t bytes);

/** Copies a few bytes: compilers make of memcpy() a string instruction, which takes some 30 clocks to begin. The library's. */
static inline void gpulink_lane_copy(uint8_t *to, const void *data, size_t bytes)
{
	const uint8_t *from = (const uint8_t *)data;

	for (; bytes >= 8; bytes -= 8, to += 8, from += 8)
		memcpy(to, from, 8);
	if (bytes & 4) {
		memcpy(to, from, 4);
		to += 4;
		from += 4;
	}
	if (bytes & 2) {
		memcpy(to, from, 2);
		to += 2;
		from += 2;
	}
	if (bytes & 1)
		*to = *from;
}

/** Stores 1 to 4096 bytes at an offset of the window. Errors: EINVAL (length), ERANGE. */
static inline int gpulink_lane_store(struct gpulink_lane *lane, uint64_t offset, const void *data, size_t bytes)
{
	struct gpulink_lane_packet *p = lane->packet;
	uint64_t to = lane->origin + offset;

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	if (__builtin_expect(bytes - 1 < GPULINK_LANE_SMALL && lane->bytes >= bytes && offset <= lane->bytes - bytes && !p->looks &&
			     (size_t)(p->end - p->at) > bytes + 5 && to - p->low < p->span, 1)) {
		if (to == p->next && p->run + bytes < 1024) {
			uint16_t length;

			memcpy(&length, p->last, 2);
			length = (uint16_t)(length + bytes);
			memcpy(p->last, &length, 2);
			p->run = (uint16_t)(p->run + bytes);
		} else {
			uint64_t header = (to - p->low) << 10 | bytes;

			memcpy(p->at, &header, 8);
			p->last = p->at;
			p->at += 5;
			p->run = (uint16_t)bytes;
		}
		if (__builtin_constant_p(bytes))
			memcpy(p->at, data, bytes);
		else
			gpulink_lane_copy(p->at, data, bytes);
		p->at += bytes;
		p->next = to + bytes;
		p->stores++;
		p->store_bytes += bytes;
		p->dwords += ((to & 3) + bytes + 3) >> 2;
		return 0;
	}
#endif
	return gpulink_lane_store_any(lane, offset, data, bytes);
}

#ifdef __cplusplus
}
#endif

#endif /* GPULINK_LANE_H */
