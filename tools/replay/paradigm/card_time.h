/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time that cards take for what goes through them, by the clocks of the Verilog (card_clocks.h).
 *
 * A card takes a beat of 64 bytes of stores after the other, packs runs and sends packets, and writes their runs; the next
 * packet is packed while the last one is written. What a packet holds leaves when all of it is packed. When the packets of its
 * banks wait it takes no stores, and a source whose buffer is full stalls. A release waits for the writes, and then for flush
 * reads.
 */
#ifndef REPLAY_CARD_TIME_H
#define REPLAY_CARD_TIME_H

#include <stdint.h>

/** How the card's logic packs, which takes different times. */
enum card_form {
	CARD_PLAIN,
	CARD_PACKING,
	CARD_COMPACT, /**< with packing */
	CARD_FORMS
};

/** Beats of 64 bytes that some bytes, at least one, lie in. */
static inline uint64_t card_beats(uint64_t address, uint64_t size)
{
	return (address + size - 1) / 64 - address / 64 + 1;
}

/** What a pair's stores are to the cards on their way. Values. */
struct card_load {
	uint64_t taken;		/**< beats of the stores that the first card takes */
	uint64_t runs, written; /**< writes of packets' runs, and their beats */
	uint64_t packed;	/**< bytes of packets with their headers, as the card makes them */
};

/** Values. */
struct card_setting {
	double mhz;	  /**< 0: cards take no time. No tool here confirms that the logic reaches any other */
	uint64_t read_ps; /**< until a read of a GPU's or the host's memory is answered */
	unsigned count;	  /**< of cards, each with as many GPUs: 2 have a link between them, others write to all GPUs */
};

struct cards;

/** NULL: no memory. */
struct cards *cards_create(unsigned gpus, const struct card_setting *setting);
void cards_free(struct cards *cards);

/** Bytes a second of flits on the link between two cards, in each direction, by a card's clocks. */
double cards_flit_rate(double mhz);

/** When a load is through. */
struct card_passed {
	double taken;	/**< its stores are in the first card */
	double sent;	/**< packets have left that */
	double written; /**< writes have left the last card */
};

/** A load comes to the source's card at `time`, in picoseconds; `bytes` on the hop before. */
struct card_passed cards_pass(struct cards *cards, unsigned source, unsigned destination, enum card_form form, double time,
			      const struct card_load *load);

/** How long the stores that fill a buffer of a source's hop take, by the bytes and times of those until now. */
double cards_buffer_time(const struct cards *cards, unsigned source, double buffer_bytes);
/** Stores of so many bytes on a source's hop have come. */
void cards_count(struct cards *cards, unsigned source, uint64_t bytes, const struct card_load *load);

/** The engine of the source's card transfers a part of a region's chunk of `bytes` to one of `targets`, from `time` on, after
 *  all that it was given before. Returns when it begins, and in *end when it has ended. */
double cards_transfer(struct cards *cards, unsigned source, double time, uint64_t bytes, unsigned targets, double *end);

/** When a release of all that passed the source's card since the last barrier is complete; 0: nothing did. */
double cards_released(const struct cards *cards, unsigned source);
/** The same of all cards, at a barrier. */
double cards_barrier(struct cards *cards);

#endif /* REPLAY_CARD_TIME_H */
