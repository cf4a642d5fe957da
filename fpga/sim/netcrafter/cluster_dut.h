/* SPDX-License-Identifier: Apache-2.0 */
/* Cycle-by-cycle C interface to the Verilated glk_cluster_tx, or to its glk_cluster_queue only. */
#ifndef GLK_CLUSTER_DUT_H
#define GLK_CLUSTER_DUT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cluster_settings {
	bool stitching, pooling, selective, yielding, sequencing;
	unsigned pool_cycles, burst;
};

/* Events for the counters. */
struct cluster_events {
	bool flit, packet, refused, stitched, partial, parent, left, padded, pooled, pool_timed_out, waited;
	unsigned kind, bytes, stitched_kind, pool_stitched, waited_kind, waited_clocks;
};

struct cluster_tx_in {
	struct cluster_settings settings;
	bool valid;
	unsigned kind;
	uint8_t data[16];
	bool credit;
	unsigned credit_class, credit_pieces;
	bool out_ready;
};

struct cluster_tx_out {
	bool in_ready; /* in.valid is accepted in this clock */
	unsigned places;
	bool valid;
	unsigned type;
	uint8_t data[16];
	unsigned pieces[3]; /* by class */
	struct cluster_events events;
};

struct cluster_tx_dut;

unsigned cluster_tx_flits(void);
struct cluster_tx_dut *cluster_tx_create(const char *wave);
void cluster_tx_destroy(struct cluster_tx_dut *dut);
void cluster_tx_reset(struct cluster_tx_dut *dut);
/* Applies `in`, samples the outputs before the clock edge, and clocks. */
void cluster_tx_clock(struct cluster_tx_dut *dut, const struct cluster_tx_in *in, struct cluster_tx_out *out);

struct cluster_queue_in {
	struct cluster_settings settings;
	bool valid;
	unsigned kind, words;
	uint8_t data[16];
	bool credit[3]; /* by class: credit for another piece */
	bool ready;	/* a flit may leave */
};

struct cluster_queue_out {
	bool in_ready; /* in.valid is accepted in this clock */
	bool taken[3], given_back[3]; /* by class: a credit is consumed, is returned */
	struct cluster_events events; /* of earlier clocks */
	/* After the clock edge. */
	unsigned places;
	bool left; /* a flit has left in it */
	unsigned type;
	uint8_t data[16];
};

struct cluster_queue_dut;

unsigned cluster_queue_flits(void);
struct cluster_queue_dut *cluster_queue_create(const char *wave);
void cluster_queue_destroy(struct cluster_queue_dut *dut);
void cluster_queue_reset(struct cluster_queue_dut *dut);
void cluster_queue_clock(struct cluster_queue_dut *dut, const struct cluster_queue_in *in, struct cluster_queue_out *out);
/* Whether a packet offered now would be accepted, provided none is still coming in. No clock. */
bool cluster_queue_takes(struct cluster_queue_dut *dut, unsigned kind, unsigned words);

#ifdef __cplusplus
}
#endif

#endif /* GLK_CLUSTER_DUT_H */
