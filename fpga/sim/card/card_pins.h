/* SPDX-License-Identifier: Apache-2.0 */
/* Cycle-by-cycle interface to the pins of the Verilated glk_card. card_dut.h has the transaction level. */
#ifndef GLK_CARD_PINS_H
#define GLK_CARD_PINS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CARD_BEAT_MAX 64u /* bytes */

struct card_parameters {
	unsigned lanes; /* bytes per beat */
	unsigned partitions, entries, contexts, slices, slice_shift, registrations, vectors;
	unsigned regions, chunks;
	unsigned tsu_sets, tsu_ways, tsu_ts_bits; /* timestamps of the pool's lines; 0 sets: none */
	unsigned read_bytes, write_bytes; /* maximum size of one read and one write by the card */
};

/* A block on the link in a clock. */
struct card_block {
	bool valid, control;
	uint8_t data[16];
};

struct card_in {
	bool flr, link;
	uint64_t now_ns, serial, pool_bytes;
	unsigned cluster, link_session;
	struct {
		bool valid, write, poisoned, last;
		unsigned bar, length;
		uint64_t offset;
		uint32_t id;
		uint8_t data[CARD_BEAT_MAX];
	} req;
	struct {
		bool valid, error, last;
		unsigned tag;
		uint8_t data[CARD_BEAT_MAX];
	} rd;
	struct {
		bool valid, last;
		uint8_t data[CARD_BEAT_MAX];
	} pool_q;
	struct {
		bool valid, last;
		unsigned bytes;
		uint8_t data[CARD_BEAT_MAX];
	} inject;
	struct card_block link_in;
	bool link_in_cut;
	bool cpl_ready, mem_ready, pool_ready, tap_ready;
};

struct card_out {
	bool req_ready, rd_ready, pool_q_ready, inject_ready;
	/* For the next clock; the rest is for this one. */
	bool flr_done, busy, holding, req_read_ready;
	struct {
		bool valid, last;
		uint32_t id;
		unsigned offset, length;
		uint8_t data[CARD_BEAT_MAX];
	} cpl;
	struct {
		bool valid, last;
		unsigned kind, tag, length;
		uint64_t address;
		uint8_t data[CARD_BEAT_MAX];
	} mem;
	struct {
		bool valid, write, last;
		unsigned length;
		uint64_t offset;
		uint8_t data[CARD_BEAT_MAX];
	} pool;
	struct {
		bool valid, last;
		unsigned bytes;
		uint8_t data[CARD_BEAT_MAX];
	} tap;
	struct card_block link_out;
};

struct card_pins;

/* Creates a card and resets it. `wave`: waveform file, or NULL. Returns NULL if out of memory. */
struct card_pins *card_pins_create(const struct card_in *in, const char *wave);
/* Asserts `rst` in whatever goes on. */
void card_pins_reset(struct card_pins *pins, const struct card_in *in);
void card_pins_destroy(struct card_pins *pins);

void card_pins_parameters(struct card_parameters *parameters);

/* Applies `in`, samples the outputs before the clock edge, and clocks. */
void card_pins_clock(struct card_pins *pins, const struct card_in *in, struct card_out *out);

#ifdef __cplusplus
}
#endif

#endif /* GLK_CARD_PINS_H */
