/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An end of a link for the lock step: the Verilated glk_link_layer and the model, which has what the logic has, as many clocks
 * later as the logic's pipelines take. What the one does and the other does not is a failure of the bench.
 */
#ifndef GLK_LINK_LAYER_END_H
#define GLK_LINK_LAYER_END_H

#include <chance.h>
#include <link/link_layer.h>

#include "link_layer_dut.h"

#define LINK_LAYER_DELAYED  8u	  /* clocks that are remembered; a power of two */
#define LINK_LAYER_COMING   4096u /* flits that the model gave and the logic has not; a power of two */
#define LINK_LAYER_COUNTERS 13u

struct link_layer_bench {
	struct chance chance;
	uint64_t now;
	uint64_t totals[LINK_LAYER_COUNTERS]; /* of all ends */
	bool forged; /* there may be flits for which there is no room */
	char failure[256];
};

/* Flits that came, of a session each. */
struct coming {
	struct glk_flit flit;
	uint64_t session, clock;
	unsigned held[LINK_LAYER_CLASSES]; /* pieces */
};

/* What the model says of a clock, until the logic does. */
struct said {
	struct link_layer_block in, out;
	bool cut, reset, refused; /* shown to the logic, not yet to the model */
	struct link_layer_events events;
	uint64_t counters[LINK_LAYER_COUNTERS];
};

struct link_layer_end {
	struct link_layer_bench *bench;
	unsigned number;
	struct link_layer_dut *dut;
	struct glk_link_layer *model;
	struct link_layer_settings settings;
	struct said said[LINK_LAYER_DELAYED];
	struct coming coming[LINK_LAYER_COMING];
	uint64_t made, given;		/* flits that the model, the logic have given */
	uint64_t session, dut_session;	/* how many have begun, or ended: odd while there is one */
	uint64_t up_at, strange_at;	/* the last clocks of an up, of something that comes at another clock */
	uint64_t refusals;
	uint64_t counters[LINK_LAYER_COUNTERS];
	unsigned credits[LINK_LAYER_CLASSES]; /* as the logic told */
	unsigned held[LINK_LAYER_CLASSES];    /* given by both and not dealt with */
	struct glk_flit offered;
	bool refused; /* a clock ago */
	bool offering, takes_all; /* from the begin of the round */
	uint64_t sent, enough;
	unsigned offer_rate, take_rate, free_rate; /* of 256 */
};

/* What befalls it at a clock. */
struct link_layer_acts {
	bool cut, reset, refused;
};

extern const char *const link_layer_counter_names[LINK_LAYER_COUNTERS];

void link_layer_fail(const struct link_layer_end *e, const char *what, uint64_t expected, uint64_t got);
/* With its settings, as after power-on. */
void link_layer_end_make(struct link_layer_end *e);
void link_layer_end_replace(struct link_layer_end *e);
/* A clock at which `came` comes, or NULL; returns what the logic gives. */
struct link_layer_block link_layer_end_clock(struct link_layer_end *e, const struct glk_block *came, const struct link_layer_acts *acts);

#endif /* GLK_LINK_LAYER_END_H */
