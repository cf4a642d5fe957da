/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How lanes scale with the number of processes: memory, packets and time of stores of 8 bytes at random to all processes, with
 * a release behind them. Directly; over one relay in a grid of processes (libclient/route); or over one process of each node.
 */
#ifndef LOGGOP_SCALE_H
#define LOGGOP_SCALE_H

enum scale_way { SCALE_DIRECT, SCALE_ROUTED, SCALE_NODE, SCALE_WAYS };
extern const char *const scale_way_names[SCALE_WAYS];

struct scale_shape {
	double processes, stores; /* stores: of each process between two releases */
	double node;		  /* processes of a node, for SCALE_NODE */
	double payload;		  /* limit of a packet, bytes */
};

/* Times in ns. */
struct scale_costs {
	double store;	/* to append a store and to apply it */
	double pass;	/* to pass one on at a relay */
	double packet;	/* overheads of sender and receiver, for a packet */
	double byte;	/* of a packet on the link */
	double latency; /* of a packet */
};

/* Of each process, for one release. */
struct scale_found {
	double lanes, memory; /* of a thread, and of the relay; bytes */
	double packets, stores_per_packet, wire_bytes; /* that it sends, as source and as relay */
	double ns;	      /* a store */
};

/** What a lane takes: payload, header and table of words. */
double scale_lane_bytes(double payload);

/** Expected packets of a lane that gets each of `stores` stores with probability 1 / `lanes`, of which a packet holds `room`.
 */
double scale_packets(double stores, double lanes, double room);

struct scale_found scale_predict(enum scale_way way, const struct scale_shape *shape, const struct scale_costs *costs);

#endif /* LOGGOP_SCALE_H */
