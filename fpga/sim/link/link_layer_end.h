/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One end of a link for lock-step co-simulation: the Verilated glk_link_layer, and the model with the same inputs delayed by
 * the latency of the RTL pipelines. Any difference is a failure.
 */
#ifndef GLK_LINK_LAYER_END_H
#define GLK_LINK_LAYER_END_H

#include <chance.h>
#include <link/link_layer.h>

#include "link_layer_dut.h"

#define LINK_LAYER_DELAYED  8u	  /* clocks of history; a power of two */
#define LINK_LAYER_COMING   4096u /* flits delivered by the model and not yet by the RTL; a power of two */
#define LINK_LAYER_COUNTERS 13u

struct link_layer_bench {
	struct chance chance;
	uint64_t now;
	uint64_t totals[LINK_LAYER_COUNTERS]; /* over all ends */
	bool forged; /* flits may exceed the credit */
	char failure[256];
};

/* Flits received, with their session. */
struct coming {
	struct glk_flit flit;
	uint64_t session, clock;
	unsigned held[LINK_LAYER_CLASSES]; /* pieces */
};

/* Results of the model for a clock, until the RTL's are due. */
struct said {
	struct link_layer_block in, out;
	bool cut, reset, refused; /* seen by the RTL, not yet by the model */
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
	uint64_t made, given;		/* flits delivered by the model, by the RTL */
	uint64_t session, dut_session;	/* number of begins and ends: odd during a session */
	uint64_t up_at, strange_at;	/* last clock of an up, and of an event whose timing may differ */
	uint64_t refusals;
	uint64_t counters[LINK_LAYER_COUNTERS];
	unsigned credits[LINK_LAYER_CLASSES]; /* reported by the RTL */
	unsigned held[LINK_LAYER_CLASSES];    /* delivered by both and not consumed */
	struct glk_flit offered;
	bool refused; /* one clock ago */
	bool offering, takes_all; /* for the whole round */
	uint64_t sent, enough;
	unsigned offer_rate, take_rate, free_rate, full_rate; /* in 1/256 */
	bool full; /* since one clock ago: no block is sent */
};

/* Injected events of a clock. */
struct link_layer_acts {
	bool cut, reset, refused;
};

extern const char *const link_layer_counter_names[LINK_LAYER_COUNTERS];

void link_layer_fail(const struct link_layer_end *e, const char *what, uint64_t expected, uint64_t got);
/* Power-on, with its settings. */
void link_layer_end_make(struct link_layer_end *e);
void link_layer_end_replace(struct link_layer_end *e);
/* Clocks with `came` as input, or NULL; returns the RTL's output. */
struct link_layer_block link_layer_end_clock(struct link_layer_end *e, const struct glk_block *came,
					     const struct link_layer_acts *acts);

#endif /* GLK_LINK_LAYER_END_H */
