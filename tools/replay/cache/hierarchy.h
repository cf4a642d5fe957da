/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The caches of several GPUs over one memory (MGPU-TSM, Table 3.1), with and without coherence by leases (MGCC, chapter 4): an
 * L1 for each compute unit, an L2 of banks for each GPU, and the timestamps of memory. One access at a time, without times:
 * what it finds does not depend on latencies.
 */
#ifndef REPLAY_HIERARCHY_H
#define REPLAY_HIERARCHY_H

#include <stdbool.h>
#include <stdint.h>

enum {
	HIERARCHY_LINE = 64,
	HIERARCHY_PAGE = 4096,
	HIERARCHY_WORDS = HIERARCHY_LINE / 4,
	HIERARCHY_ALL = (1 << HIERARCHY_WORDS) - 1
};

enum hierarchy_protocol {
	HIERARCHY_WB,	   /**< no coherence, L2 writes back (TSM-WB-NC) */
	HIERARCHY_WT,	   /**< no coherence, L2 writes through (TSM-WT-NC) */
	HIERARCHY_PRINTED, /**< MGCC's algorithms 1 to 5 as printed */
	HIERARCHY_SC,	   /**< fpga/model/pool/tsu.h, a time for loads and stores */
	HIERARCHY_RC,	   /**< the same, with times for loads and for stores; a barrier acquires */
	HIERARCHY_RDMA,	   /**< memory of each GPU's own, in pages dealt round; others' is read through their L2 */
	HIERARCHY_PROTOCOLS
};

extern const char *const hierarchy_names[HIERARCHY_PROTOCOLS];

/** What an L1's miss brings. Not WHOLE: of HIERARCHY_RDMA only, because leases are of lines, and clusters need memories of
 * their own. */
enum hierarchy_fill {
	HIERARCHY_WHOLE,    /**< the line */
	HIERARCHY_TRIMMED,  /**< the same, but from the other cluster only the sector, if one has all that is asked for
			       (NetCrafter 4.3) */
	HIERARCHY_SECTORED, /**< the sectors that are asked for */
	HIERARCHY_FILLS
};

extern const char *const hierarchy_fill_names[HIERARCHY_FILLS];

struct hierarchy_setting {
	enum hierarchy_protocol protocol;
	unsigned gpus, units;		  /**< compute units, that is L1s, of a GPU */
	unsigned l1_bytes, l1_ways;	  /**< of each */
	unsigned l2_bytes, l2_ways, banks; /**< of each bank; banks of a GPU */
	unsigned tsu_sets, tsu_ways;	  /**< of memory's timestamps; powers of two */
	uint32_t read_lease, write_lease;
	bool adapt; /**< leases of lines that are renewed unchanged grow */
	enum hierarchy_fill fill;
	unsigned sector_bytes; /**< 4, 8, 16 or 32 */
};

/** The thesis's system: Table 3.1, 4 GPUs, RdLease 10, WrLease 5 (S4.4.1). */
extern const struct hierarchy_setting hierarchy_thesis;

struct hierarchy_level {
	uint64_t reads, read_misses; /* misses: not there, or the lease has ended */
	uint64_t ended;		     /* of these, the line was there */
	uint64_t writes, write_misses;
};

struct hierarchy_count {
	struct hierarchy_level l1, l2;
	uint64_t dram_reads, dram_writes; /* of lines */
	uint64_t same;			  /* leases renewed without the line */
	uint64_t remote;		  /* requests to another GPU's L2 */
	uint64_t partial;		  /* misses of L1s that had the line, without the words */
	uint64_t old;			  /* loads of what had been overwritten before the last barrier */
	uint64_t barriers;
	/* Between L2 and memory: bytes of all messages, and of their timestamps (S4.2.7: 8 B address, 4 B metadata, 4 B ack, 64
	 * B line). */
	uint64_t bytes, timestamp_bytes;
	uint64_t epochs, evictions; /* of timestamps */
};

struct hierarchy;

/** `lines`: of memory. Returns 0, -EINVAL or -ENOMEM. */
int hierarchy_new(const struct hierarchy_setting *setting, uint64_t lines, struct hierarchy **hierarchy);
void hierarchy_free(struct hierarchy *hierarchy);

/** A compute unit reads or writes some of a line's words of 4 bytes, a bit each, at least one. A write that misses fills as a
 * read. */
void hierarchy_access(struct hierarchy *hierarchy, unsigned gpu, unsigned unit, uint64_t line, uint16_t words, bool write);

/** All units have arrived: what they wrote is in memory, and later loads should see it. */
void hierarchy_barrier(struct hierarchy *hierarchy);

/** Writes back what is dirty, and returns the counts. */
const struct hierarchy_count *hierarchy_finish(struct hierarchy *hierarchy);

#endif /* REPLAY_HIERARCHY_H */
