/* SPDX-License-Identifier: Apache-2.0 */
/* The Verilated glk_cluster_queue, a clock at a time, for benches in C. */
#ifndef GLK_CLUSTER_QUEUE_DUT_H
#define GLK_CLUSTER_QUEUE_DUT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct queue_in {
	bool stitching, pooling, selective, sequencing;
	unsigned pool_cycles, burst;
	bool valid;
	unsigned kind;
	uint8_t data[16];
	bool credit;
	unsigned credit_class, credit_pieces;
	bool out_ready;
};

struct queue_out {
	bool in_ready; /* in.valid is taken at this clock */
	unsigned places;
	bool valid;
	unsigned type;
	uint8_t data[16];
	/* What it tells the counters. */
	bool flit, packet, refused, stitched, partial, parent, left, padded, pooled, pool_timed_out, waited;
	unsigned kind, bytes, stitched_kind, pool_stitched, waited_kind, waited_clocks;
};

struct queue_dut;

unsigned queue_dut_flits(void);
struct queue_dut *queue_dut_create(const char *wave);
void queue_dut_destroy(struct queue_dut *dut);
void queue_dut_reset(struct queue_dut *dut);
/* Shows `in`, tells what comes out before the clock's edge, and clocks. */
void queue_dut_clock(struct queue_dut *dut, const struct queue_in *in, struct queue_out *out);

#ifdef __cplusplus
}
#endif

#endif /* GLK_CLUSTER_QUEUE_DUT_H */
