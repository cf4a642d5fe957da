/* SPDX-License-Identifier: Apache-2.0 */
/* What each hop carries of what a method sends, and which physical link carries the most. */
#ifndef REPLAY_HOPS_H
#define REPLAY_HOPS_H

#include "../stream.h"
#include "paradigm.h"
#include "topology.h"

/** Sums of the pairs, by hop and by physical link: a GPU's link, out of it and into it, and the link between cards, by the
 *  source's cluster. Values. */
struct hops {
	struct crossing all;
	struct hop_load out[REPLAY_GPUS_MAX], in[REPLAY_GPUS_MAX], between[2];
};

/** A hop of a whole run. */
struct hop_result {
	struct hop_load forward, back;
	struct hop_load busiest; /**< of the physical link and direction with the most bytes */
	uint64_t busy_ps;	 /**< the least time that one needs */
};

/** A pair's stores as plain ones, and their beats of 64 bytes. Values. */
struct plain_load {
	struct hop_load load;
	uint64_t beats;
};

/** What a pair has sent by now, by the method's tally and what its stores are as plain ones; with two cards `between` tells
 *  whether it crosses their link. */
struct crossing hops_crossing(const struct setting *setting, const struct paradigm *paradigm, const struct tally *tally,
			      const struct plain_load *plain, bool between);

/** The same load on each hop that the pair crosses; `flit_bytes`: on a link of flits. */
struct crossing hops_alike(const struct setting *setting, struct hop_load load, uint64_t flit_bytes, bool between);

/** What of `now` was not in `before`. */
struct crossing hops_since(const struct crossing *now, const struct crossing *before);

/** Adds what a crossing is more. */
void hops_sum(struct crossing *sum, const struct crossing *more);

void hops_add(struct hops *hops, unsigned gpus, unsigned source, unsigned destination, const struct crossing *crossing);
/** A crossing that goes forward only; `answer`: it is the other way, from the destination back to the source. */
void hops_add_way(struct hops *hops, unsigned gpus, unsigned source, unsigned destination, const struct crossing *crossing,
		  bool answer);
void hops_merge(struct hops *sum, const struct hops *other);

/** Whether a pair crosses the link between the cards. */
bool hops_between(const struct setting *setting, unsigned gpus, unsigned source, unsigned destination);

/** `transaction_ps`, `dllp_bytes`: as struct timing_setting's. */
void hops_results(const struct hops *hops, const struct setting *setting, unsigned gpus, uint64_t transaction_ps,
		  uint64_t dllp_bytes, struct hop_result result[HOPS]);

/** Bytes of a plain write on a link of flits: a write request for each line of 64 bytes (docs/link-format.md, "Packets"). */
uint64_t hops_flits_of_write(uint64_t address, uint64_t size);
/** Bytes of a FinePack packet with its header there. */
uint64_t hops_flits_of_packet(uint64_t bytes);
/** Of a load's requests, one for each line of 64 bytes, of their answers, and of an atomic. */
uint64_t hops_flits_of_request(uint64_t address, uint64_t size);
uint64_t hops_flits_of_answer(uint64_t address, uint64_t size);
uint64_t hops_flits_of_atomic(void);

#endif /* REPLAY_HOPS_H */
