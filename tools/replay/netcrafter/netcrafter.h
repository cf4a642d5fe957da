/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two clusters of GPUs and the narrow link between them, clock by clock: what GPUs ask of each other goes through switches and,
 * where it crosses, through the model's cluster queue and un-stitching (fpga/model/netcrafter). docs/netcrafter.md says how the
 * system is; its sizes are those of NetCrafter's Table 2 (ISCA'25).
 */
#ifndef REPLAY_NETCRAFTER_NETCRAFTER_H
#define REPLAY_NETCRAFTER_NETCRAFTER_H

#include "latency.h"
#include "netcrafter/cluster_queue.h"
#include "requests.h"

struct netcrafter_setting {
	unsigned within, between; /**< GB/s of a GPU's port and of the link, in each direction: powers of two, 1 to 512 */
	unsigned flit_bytes;	  /**< 8 or 16 */
	unsigned queue_entries;	  /**< flits of a cluster queue */
	unsigned clocks;	  /**< of a cluster queue in the time of a flit on the link, 1 to 8 */
	unsigned card_mhz; /**< clock of a card's logic, where a flit or a piece takes one, and a flit on the link no less time
			    *  than the Verilog's; 0: logic as the paper has it, by `clocks` */
	unsigned pool_ns;	  /**< 0 to 128 */
	unsigned burst;
	unsigned trim_bytes;	  /**< 4, 8, 16 or 32; 0: off */
	unsigned tlb_entries;	  /**< of a GPU, a multiple of 8 */
	unsigned unit_tlb_entries; /**< of a compute unit, fully associative */
	bool stitching, pooling, selective, sequencing, yielding; /**< as in link/cluster_queue.h */
	bool packed; /**< stores that cross go as FinePack packets */
	bool tuned;  /**< the pooling time follows the counters */
	/** So many accesses that cross, chosen by chance, go first as page walks do with `sequencing`, there and back; 0: none.
	 */
	unsigned data_first;
	uint64_t seed; /**< of that choice */
};

/** The paper's: 128 and 16 GB/s, flits of 16 bytes, 1024 entries, 32 ns, 16 bytes, 512 entries; all is on but the last two.
 *  What it does not say, ours: 4 clocks, 16 in a row, and yielding. */
void netcrafter_setting_default(struct netcrafter_setting *setting);
/** Whether the pooling time is no more than a cluster queue can count, in its clocks. */
bool netcrafter_pool_valid(const struct netcrafter_setting *setting);
/** The time of a flit on the link, in ticks. */
uint64_t netcrafter_slot(const struct netcrafter_setting *setting);
/** Clocks of a cluster queue in that time. */
unsigned netcrafter_slot_clocks(const struct netcrafter_setting *setting);
/** Clocks of a cluster queue in a nanosecond. */
double netcrafter_clocks_ns(const struct netcrafter_setting *setting);

enum { PADDINGS = GLK_FLIT_BYTES };

/** Of both directions of the link together. */
struct netcrafter_result {
	uint64_t time_ns;
	struct glk_cluster_queue_counters link;
	uint64_t padded[PADDINGS];   /**< flits by bytes of padding, as packets are cut, before stitching */
	uint64_t crossing[REQUEST_KINDS]; /**< requests that crossed */
	uint64_t trimmed, trimmed_bytes;  /**< answers, and what they did not carry */
	struct latency access;	     /**< of crossing requests: from leaving the GPU to the answer's arrival there */
	struct latency translation;  /**< of crossing translation requests: likewise */
	struct latency first;	     /**< of accesses that went first: likewise */
	uint64_t walks, walk_accesses, walk_crossings; /**< page walks, their accesses, those that crossed */
	uint64_t stores_packed;	     /**< requests to write that went in FinePack packets */
	double utilisation;	     /**< of the link's time, the direction that is used more */
	double pool_ns_mean;	     /**< over time and both directions */
};

/**
 * Plays the requests. Returns 0: netcrafter_result_free() gives back what *result holds; or a negative errno value: -EBADMSG
 * when the link's other end got anything else than was sent, which no setting may do.
 */
int netcrafter_run(const struct requests *requests, const struct netcrafter_setting *setting,
		   struct netcrafter_result *result);
void netcrafter_result_free(struct netcrafter_result *result);

/** Fig. 7: requests to read that cross, by bytes that they need: 1-16, 17-32, 33-48, 49-64; and those that lie in one sector of
 *  4, 8, 16 and 32 bytes. */
struct netcrafter_reads {
	uint64_t by_bytes[4], in_sector[4];
};
void netcrafter_reads(const struct requests *requests, struct netcrafter_reads *reads);

/** The cluster of a GPU: the first half of them, rounded up, is cluster 0. */
static inline unsigned cluster_of(unsigned gpus, unsigned gpu)
{
	return gpu >= (gpus + 1) / 2;
}

#endif /* REPLAY_NETCRAFTER_NETCRAFTER_H */
