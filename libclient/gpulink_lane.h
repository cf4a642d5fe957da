/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libgpulink, lanes: the fastest way to store on devices without a card ("local:"). A lane packs one thread's stores to one
 * window in the process, in FinePack packets (docs/wire-format.md), without a lock and without a call.
 *
 * A store is appended to the lane's packet; bytes behind those of the store before join its run. Where stores hit words that
 * the packet has already, they overwrite them there (FinePack, IV-B): the lane notices whether that happens often enough to
 * look. The packet is applied when it is full, by a release of the queue, and by the queue's operations and loads.
 *
 * Semantics are those of gpulink_queue_store(): stores to one address arrive in order, others in any order until a release.
 *
 * What is inline here works on the library's own memory, so it has a version, GPULINK_LANE_VERSION, which the program passes
 * on. With a library that has another one gpulink_lane_open() fails with EABI: compile the program again, or store by
 * gpulink_queue_store().
 *
 * Threads: a lane belongs to its queue, and with it to one thread at a time. A child of fork() must not store by lanes of its
 * parent: a store does not look whose lane it is.
 */
#ifndef GPULINK_LANE_H
#define GPULINK_LANE_H

#include <gpulink.h>

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Version of the structures and inline functions of this header. */
#define GPULINK_LANE_VERSION 1u

/** Maximum bytes of a store that is appended without a call. */
#define GPULINK_LANE_SMALL 128u

/** The packet that a lane fills. The library's; programs do not touch it. */
struct gpulink_lane_packet {
	uint8_t *at;	  /**< where the next byte of the last run belongs, or the next sub-header */
	uint8_t *limit;	  /**< the run may grow to here; NULL: it has not grown, and is far from the address window's end */
	uint64_t next;	  /**< offset in the endpoint of the run's next byte */
	uint8_t *run;	  /**< the last run's sub-header */
	uint8_t *end;	  /**< of the payload */
	uint64_t low, span; /**< offsets at which a run may begin without a look; span 0: none */
	uint64_t runs, joined; /**< since the lane was opened: stores that began a run, and that went on with one */
	uint64_t extra;	  /**< bytes that the stores would cost as plain writes, beyond theirs and one header each */
	uint8_t *memory;  /**< of the endpoint, or NULL: another process's */
	uint8_t *payload; /**< its first byte */
	uint64_t *words;  /**< 1 << GPULINK_LANE_WORDS: what the packet has of aligned words of 8 bytes */
	uint64_t stamp;	  /**< of this packet's entries there */
	uint64_t hits;	  /**< words of 8 bytes that were overwritten, since the lane was opened */
	uint16_t mixed;	  /**< not 0: the packet may have runs of other than 8 bytes */
	uint16_t order;	  /**< log2 of the most that a plain write has */
	uint16_t width;	  /**< bytes of a sub-header */
	uint16_t looks;	  /**< not 0: stores look for words that the packet has */
};

#define GPULINK_LANE_WORDS 10u /* log2 of the number of entries */
#define GPULINK_LANE_PLACE 12u /* their low bits: place in the payload */
#define GPULINK_LANE_WORD  28u /* from here on: the word's number; between, 0 if the packet has it whole, and the stamp */

/** Where a word's entry is. The library's. */
static inline uint64_t *gpulink_lane_word(const struct gpulink_lane_packet *p, uint64_t word)
{
	return &p->words[word * UINT64_C(0x9e3779b97f4a7c15) >> (64 - GPULINK_LANE_WORDS)];
}

/** Overwrites a word of 8 bytes that the packet has whole, if it does. The library's. */
static inline int gpulink_lane_hit(struct gpulink_lane_packet *p, uint64_t to, const void *data)
{
	uint64_t place = *gpulink_lane_word(p, to / 8) ^ (to / 8 << GPULINK_LANE_WORD | p->stamp);

	if (place >> GPULINK_LANE_PLACE)
		return 0;
	memcpy(p->payload + place, data, 8);
	p->hits++;
	return 1;
}

/** A lane: filled in by gpulink_lane_open(). */
struct gpulink_lane {
	struct gpulink_lane_packet *packet;
	uint64_t origin, bytes; /**< of the window in the endpoint */
	uint64_t safe;		/**< offsets at which GPULINK_LANE_SMALL bytes are in the window */
	void *home;		/**< the library's */
};

/** gpulink_lane_open() of a program that was compiled with a version of this header, and with a lane of `size` bytes. */
int gpulink_lane_open_version(struct gpulink_queue *queue, struct gpulink_window *window, struct gpulink_lane *lane,
			      size_t size, unsigned version);

/**
 * Opens a lane of a queue to a window with GPULINK_WRITE. It is valid until the queue or the window is closed; there is nothing
 * to close.
 *
 * Errors: EINVAL (the default queue, which several threads may use), ENOTSUP (a card, where stores go to
 * gpulink_queue_window_address(), or "soft:"), EACCES, ENOMEM, EABI (the program was compiled with another version of this
 * header).
 */
static inline int gpulink_lane_open(struct gpulink_queue *queue, struct gpulink_window *window, struct gpulink_lane *lane)
{
	return gpulink_lane_open_version(queue, window, lane, sizeof(*lane), GPULINK_LANE_VERSION);
}

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

/** Counts what a plain write of a store costs beyond its bytes: whole words of 4 bytes, and a header of 24 at each cut. The
 * library's. */
static inline void gpulink_lane_count_extra(struct gpulink_lane_packet *p, uint64_t to, size_t bytes)
{
	p->extra += (((to & 3) + bytes + 3) & ~UINT64_C(3)) - bytes;
	p->extra += 24 * (((to + bytes - 1) >> p->order) - (to >> p->order));
}

/** Sets the length of the last run. Returns whether it has grown. The library's. */
static inline int gpulink_lane_end_run(struct gpulink_lane_packet *p)
{
	uint16_t length = (uint16_t)(p->at - p->run - p->width), before, after;

	memcpy(&before, p->run, 2);
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
	after = __builtin_bswap16((uint16_t)((__builtin_bswap16(before) & ~1023u) | length));
#else
	after = (uint16_t)((before & ~1023u) | length);
#endif
	memcpy(p->run, &after, 2);
	return before != after;
}

/** Lets a run grow, which is or will be the last one. The library's. */
static inline void gpulink_lane_let_grow(struct gpulink_lane_packet *p, uint8_t *run)
{
	uint8_t *most = run + p->width + 1023;

	p->limit = most < p->end ? most : p->end;
	p->mixed = 1;
}

/** Lets the last run grow for the first time. Returns whether there is room for so many bytes. The library's. */
static inline int gpulink_lane_grow(struct gpulink_lane_packet *p, size_t bytes)
{
	if (p->limit)
		return 0;
	gpulink_lane_let_grow(p, p->run);
	return bytes <= (size_t)(p->limit - p->at);
}

/** Begins a run at an offset in the endpoint; it has room for its sub-header. The library's. */
static inline void gpulink_lane_begin_run(struct gpulink_lane_packet *p, uint64_t to, size_t bytes)
{
	uint64_t header = (to - p->low) << 10 | bytes;
	uint8_t *at = p->at;

	if (p->limit) {
		p->limit = NULL;
		if (gpulink_lane_end_run(p)) /* expected of the next one too */
			gpulink_lane_let_grow(p, at);
	}
	if (bytes != 8)
		p->mixed = 1;
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
	header = __builtin_bswap64(header);
#endif
	p->run = at;
	p->runs++;
	if (p->memory)
		__builtin_prefetch(p->memory + to, 1); /* the packet is applied by the time it has come */
	memcpy(at, &header, 8);
}

/** Appends a store of at most GPULINK_LANE_SMALL bytes. Returns 0 if it takes more than that. The library's. */
static inline int gpulink_lane_append(struct gpulink_lane_packet *p, uint64_t to, const void *data, size_t bytes)
{
	uint8_t *end = p->at + bytes; /* there is so much behind the payload */

	if (to == p->next && ((uintptr_t)end <= (uintptr_t)p->limit || gpulink_lane_grow(p, bytes))) {
		p->joined++;
	} else {
		if (__builtin_expect(to - p->low >= p->span, 0))
			return 0;
		end += p->width;
		if (__builtin_expect(end > p->end, 0))
			return 0;
		gpulink_lane_begin_run(p, to, bytes);
	}
	if (__builtin_constant_p(bytes))
		memcpy(end - bytes, data, bytes);
	else
		gpulink_lane_copy(end - bytes, data, bytes);
	p->at = end;
	p->next = to + bytes;
	if (bytes < 4 || bytes & (bytes - 1) || to & (bytes - 1))
		gpulink_lane_count_extra(p, to, bytes);
	return 1;
}

/** Stores 1 to 4096 bytes at an offset of the window. Errors: EINVAL (length), ERANGE. */
static inline int gpulink_lane_store(struct gpulink_lane *lane, uint64_t offset, const void *data, size_t bytes)
{
	struct gpulink_lane_packet *p = lane->packet;
	uint64_t to = lane->origin + offset;

	if (__builtin_expect(bytes - 1 >= GPULINK_LANE_SMALL || offset >= lane->safe, 0))
		return gpulink_lane_store_any(lane, offset, data, bytes);
	if (gpulink_lane_append(p, to, data, bytes) ||
	    (p->looks && bytes == 8 && to % 8 == 0 && gpulink_lane_hit(p, to, data)))
		return 0;
	return gpulink_lane_store_any(lane, offset, data, bytes);
}

#ifdef __cplusplus
}
#endif

#endif /* GPULINK_LANE_H */
