/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regions (PROACT III-B, III-D): memory of a registration in chunks, each with a readiness counter. When the last writer of a
 * chunk has arrived, the chunk is read once and stored to all targets. Blocks REGION and CHUNK of fpga/regs/gpulink.toml.
 * Internal to the model.
 */
#ifndef GLK_REGION_H
#define GLK_REGION_H

#include "base/common.h"
#include "base/context.h"
#include "registration/registration.h"
#include "remote/mark.h"
#include "window/window_table.h"

#define GLK_NO_CHUNK UINT32_MAX

/* An epoch that is sent, until its writes are acknowledged. */
struct glk_region_wait {
	bool pending;
	uint64_t epoch;
	struct glk_mark mark;
};

struct glk_region {
	uint64_t words[GLK_REGION_STRIDE / 8]; /* the registers that software writes */
	unsigned state;			       /* GLK_REGION_STATE_... */
	uint64_t epoch, sent, visible;
	uint32_t left;	/* chunks to be sent in this epoch */
	uint32_t dirty; /* chunks in state dirty */
	/* The ready list; its links are in glk_regions.link. */
	uint32_t first, last, listed;
	/* The transfer in progress: `moved` bytes of `chunk` are stored; `complete`: all its writers have arrived. */
	bool moving, complete;
	uint32_t chunk, moved;
	uint32_t before; /* chunks, listed or moving, that a release or flush waits for */
	/* The epoch that becomes visible next, and all later ones as one. */
	struct glk_region_wait current, next;
	uint64_t failed_before[GLK_PARTITION_COUNT];
	uint8_t stored_targets;			  /* bit N: target N was stored to, last in partition_of[N] */
	uint8_t partition_of[GLK_REGION_TARGETS];
	/* The record. */
	unsigned code, failed_targets;
	uint32_t chunks_sent, rejected, where;
};

struct glk_regions {
	struct glk_common *common;
	struct glk_endpoints *endpoints;
	struct glk_remote *remote;
	struct glk_windows *windows;
	struct glk_registrations *registrations;
	struct glk_context *contexts; /* GLK_CONTEXT_COUNT */
	struct glk_region of[GLK_REGION_COUNT];
	uint64_t counters[GLK_CHUNK_COUNT]; /* as register CHUNK.COUNTER holds them */
	uint32_t link[GLK_CHUNK_COUNT];	    /* the next chunk of a ready list */
	unsigned next_region;		    /* whose turn it is */
};

struct glk_arrival {
	uint64_t chunk, count;
	unsigned epoch; /* 0: any, otherwise the epoch in the form of ARRIVE.EPOCH */
};

/* A register of a valid region. */
#define GLK_REGION_WORD(region, reg) ((region)->words[GLK_REGION_##reg / 8])

static inline bool glk_region_valid(const struct glk_region *region)
{
	return GLK_REGION_WORD(region, CONTROL) & GLK_REGION_CONTROL_VALID_MASK;
}

/* region_table.c: the registers of blocks REGION and CHUNK. set returns 0, or -EINVAL: nothing has changed. */
int glk_region_set(struct glk_regions *regions, unsigned index, unsigned reg, uint64_t value);
uint64_t glk_region_get(const struct glk_regions *regions, unsigned index, unsigned reg);
int glk_chunk_set(struct glk_regions *regions, unsigned index, uint64_t value);

/* region_count.c: counters and ready lists. `region` is valid. */
/* Subtracts; lists the chunk when nobody is left. False: no such chunk, or more than are left; nothing has changed. */
bool glk_region_count(struct glk_regions *regions, struct glk_region *region, uint64_t chunk, uint64_t count);
/* Lists the chunks in state dirty. */
void glk_region_list_dirty(struct glk_regions *regions, struct glk_region *region);
/* Takes the first chunk of the list as the transfer in progress; false: the list is empty. */
bool glk_region_take(struct glk_regions *regions, struct glk_region *region);
/* Drops the list and the transfer, and resets the counters: for the next epoch nobody has arrived. */
void glk_region_restart(struct glk_regions *regions, struct glk_region *region);

/* region_record.c: writes the record. */
void glk_region_record(struct glk_regions *regions, const struct glk_region *region);
/* The same, then raises the context's vector. */
void glk_region_report(struct glk_regions *regions, const struct glk_region *region);

/* region.c: operations; they return GLK_ST_... and count what they reject. */
unsigned glk_region_start(struct glk_regions *regions, unsigned context, unsigned index);
unsigned glk_region_arrive(struct glk_regions *regions, unsigned context, unsigned index, const struct glk_arrival *arrival);
/* Lists the dirty chunks; glk_regions_passed() returns true when the chunks listed by now are stored. */
unsigned glk_region_flush(struct glk_regions *regions, unsigned context, unsigned index);
/* A write to the doorbell page's ARRIVE or START. */
void glk_region_doorbell(struct glk_regions *regions, unsigned context, unsigned reg, uint64_t value);
/* All chunks of the epoch are stored. */
void glk_region_sent(struct glk_regions *regions, struct glk_region *region);
/* Writes were acknowledged: reports the epochs that have become visible. */
void glk_regions_acknowledged(struct glk_regions *regions);
/* A release of the context begins: lists the dirty chunks of regions with FLUSH_ON_RELEASE, and notes what is ready. */
void glk_regions_fence(struct glk_regions *regions, unsigned context);
/* Whether all chunks that were ready at the context's last fence or flush are stored. */
bool glk_regions_passed(const struct glk_regions *regions, unsigned context);
/* A reset of the card. */
void glk_regions_reset(struct glk_regions *regions);

/* region_engine.c: at most `budget` turns of 4 KiB, round robin over the regions. Returns whether there was one. */
bool glk_regions_service(struct glk_regions *regions, unsigned budget);

#endif /* GLK_REGION_H */
