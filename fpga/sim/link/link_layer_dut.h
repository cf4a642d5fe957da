/* SPDX-License-Identifier: Apache-2.0 */
/* Cycle-by-cycle C interface to the Verilated glk_link_layer. */
#ifndef GLK_LINK_LAYER_DUT_H
#define GLK_LINK_LAYER_DUT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LINK_LAYER_CLASSES 3u
/*
 * Pipeline latencies in clocks: from an input block to the decision about it, and from a decision to the output block. A
 * decision affects the flit input at once; flits it delivers come out later, and events and counters follow after the latencies
 * below.
 */
#define LINK_LAYER_IN	  3u
#define LINK_LAYER_OUT	  4u
#define LINK_LAYER_EVENT  2u
#define LINK_LAYER_COUNT  1u /* except ups and downs, which follow the events */

struct link_layer_settings {
	uint64_t serial;
	bool compact;
	unsigned cluster, session, room[LINK_LAYER_CLASSES];
	uint32_t replay_cycles, ack_cycles, hello_cycles;
};

struct link_layer_block {
	bool valid, control;
	uint8_t data[16];
};

struct link_layer_flit {
	bool valid;
	unsigned type;
	uint8_t data[16];
};

struct link_layer_in {
	struct link_layer_flit flit;
	unsigned pieces[LINK_LAYER_CLASSES]; /* of the flit, by class */
	struct link_layer_block block;
	bool cut, reset;
	bool full; /* the wire takes no block from the next clock on */
	bool out_ready, refused;
	unsigned freed[LINK_LAYER_CLASSES];
};

/* Events, each at most once per clock. */
struct link_layer_events {
	bool up, resumed, lost, ended;
	bool down, frame_sent, frame_received, word_sent, replay, frame_replayed, frame_repeated, crc, sequence, protocol,
		version;
};

struct link_layer_out {
	bool ready; /* in.flit.valid is accepted in this clock */
	bool credit;
	unsigned credit_class, credit_pieces;
	struct link_layer_flit flit;
	struct link_layer_block block;
	bool up;
	uint64_t peer_serial;
	unsigned peer_cluster;
	bool peer_compact;
	struct link_layer_events events;
};

struct link_layer_dut;

unsigned link_layer_frames(void);
unsigned link_layer_buffer(void);
struct link_layer_dut *link_layer_create(const char *wave);
void link_layer_destroy(struct link_layer_dut *dut);
/* Power-on reset: the next clock is the card's first. */
void link_layer_reset(struct link_layer_dut *dut, const struct link_layer_settings *settings);
/* Applies `in`, samples the outputs before the clock edge, and clocks. */
void link_layer_clock(struct link_layer_dut *dut, const struct link_layer_in *in, struct link_layer_out *out);

#ifdef __cplusplus
}
#endif

#endif /* GLK_LINK_LAYER_DUT_H */
