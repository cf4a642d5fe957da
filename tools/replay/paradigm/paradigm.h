/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A paradigm: one way of bringing a source's stores to a destination. Each pair of GPUs has its own state, so pairs may be
 * played by different threads; one pair only by one at a time.
 */
#ifndef REPLAY_PARADIGM_H
#define REPLAY_PARADIGM_H

#include <stdbool.h>
#include <stdint.h>

#include "link.h"
#include "topology.h"

/** Who transfers a region's chunks (PROACT III-C, III-D). */
enum agent_kind {
	AGENT_POLLING, /**< threads that look for ready chunks in a bitmap */
	AGENT_LAUNCH,  /**< a kernel, launched for each ready chunk, one after the other */
	AGENT_CARD,    /**< counters and an engine in hardware: as fast as the link (PROACT's), or where there is a card, its */
	AGENT_THIS_CARD, /**< this card's, whatever the topology */
};

/** What agents cost. Values. */
struct agent_cost {
	uint64_t polling_ps, scan_ps; /**< to find a ready chunk: polling + scan * chunks / threads */
	uint64_t launch_ps;
	uint64_t card_ps;
	double tracking; /**< by which software's counting slows computing down: 0.12 is 12 % */
};

/** What the card, or its like, is set to. Values. */
struct setting {
	struct link link;
	unsigned queue_entries;	  /**< 16, 32 or 64 lines of 128 bytes for each destination */
	unsigned subheader_bytes; /**< H, 2 .. 6 */
	unsigned packing_subheader_bytes; /**< H where packing is on; 0: the same */
	uint64_t chunk_bytes;	  /**< of regions */
	unsigned threads;	  /**< of a region's agent */
	struct agent_cost cost;
	enum topology topology;
	bool flits;			 /**< the link between cards carries flits (docs/link-format.md), not transactions */
	double between_bytes_per_second; /**< of that link, in each direction */
};

static inline unsigned setting_packing_subheader(const struct setting *setting)
{
	return setting->packing_subheader_bytes ? setting->packing_subheader_bytes : setting->subheader_bytes;
}

/** Flush reasons: those of the card (GLK_FLUSH_...). */
enum { TALLY_REASONS = 10 };

/** What a paradigm put on the wire. wire = data + protocol. */
struct tally {
	uint64_t wire_bytes;
	uint64_t data_bytes; /**< of the destination's memory, whether anybody needed them or not */
	uint64_t packets;
	uint64_t sub_packets; /**< runs in packets; 0 where there are none */
	uint64_t left[TALLY_REASONS]; /**< packets that left the write queue, by flush reason; all 0 without one */
	struct hop_load writes; /**< the runs of packets as a card writes them; with a card only */
	struct hop_load asked;	/**< a card's read requests for packets */
	uint64_t written_beats; /**< beats of 64 bytes of `writes` */
	uint64_t packed_bytes;	/**< of packets with their headers, as the card's logic makes them */
	uint64_t flit_bytes;	/**< what was sent as flits; with setting.flits only */
};

/** Adds what of another. */
void tally_add(struct tally *sum, const struct tally *other);

/** Who packs, or combines. */
enum packer {
	PACKER_NONE,
	PACKER_LOGIC, /**< of the GPU or the card, by topology */
	PACKER_PROGRAM,
};

/**
 * The functions of a paradigm, for one pair. `state` is what create() made.
 *
 * create() returns NULL without memory. store() takes a store inside a line; load() is told of a load before it is sent, and an
 * atomic likewise; copy() of a REPLAY_COPY. release() sends what is kept.
 */
struct paradigm {
	const char *name;  /**< on the command line, in JSON and CSV */
	const char *label; /**< in tables and reports */
	const char *alias; /**< a former name, still accepted; or NULL */
	bool model_only;   /**< no card sends this */
	bool by_region;	   /**< chunks are transferred by `agent` (agents.h); the functions do nothing */
	enum agent_kind agent;
	enum packer packer;
	enum card_form form; /**< of PACKER_LOGIC */
	const char *summary;
	void *(*create)(const struct setting *setting);
	void (*free)(void *state);
	void (*store)(void *state, uint64_t address, uint32_t size);
	void (*load)(void *state, uint64_t address, uint32_t size);
	void (*copy)(void *state, uint64_t address, uint32_t size);
	void (*release)(void *state);
	const struct tally *(*tally)(const void *state);
};

/** The number of default paradigms: p2p, write-combining, dma, finepack, packing-compact, compact, config-packet. */
enum { PARADIGM_DEFAULTS = 7 };

/** The number of all paradigms, and of what may be compared at once. */
enum { PARADIGM_COUNT = 14 };

/** All paradigms, the defaults first; NULL past the last. */
const struct paradigm *paradigm_at(unsigned index);
/** By name or alias; NULL: unknown. */
const struct paradigm *paradigm_named(const char *name);

extern const struct paradigm paradigm_p2p, paradigm_write_combining, paradigm_dma, paradigm_finepack, paradigm_compact,
	paradigm_config_packet, paradigm_narrow, paradigm_packing, paradigm_packing_compact, paradigm_lanes,
	paradigm_proact_inline, paradigm_proact_polling, paradigm_proact_launch, paradigm_proact_hw;

#endif /* REPLAY_PARADIGM_H */
