// SPDX-License-Identifier: Apache-2.0
#include "scale.h"

#include <math.h>

#define WORD	 8.0
#define NEAR	 5.0 /* bytes of a sub-header to one memory, */
#define FAR	 6.0 /* and to those of a column */
#define OVERHEAD 24.0 /* of a packet on the wire */
#define TABLE	 8192.0 /* bytes of a lane's table of words */
#define SIGMAS	 12.0

const char *const scale_way_names[SCALE_WAYS] = { "direct", "routed", "node" };

double scale_lane_bytes(double payload)
{
	return payload + TABLE + 512;
}

/* Sum over the binomial distribution, around its mean. */
double scale_packets(double stores, double lanes, double room)
{
	double p = 1 / lanes, mean = stores * p, spread = SIGMAS * sqrt(mean) + SIGMAS, sum = 0;
	double low = floor(fmax(0, mean - spread)), high = ceil(fmin(stores, mean + spread));

	if (lanes <= 1)
		return ceil(stores / room);
	for (double n = low; n <= high; n++) {
		double log_ways = lgamma(stores + 1) - lgamma(n + 1) - lgamma(stores - n + 1);

		sum += exp(log_ways + n * log(p) + (stores - n) * log1p(-p)) * ceil(n / room);
	}
	return sum;
}

static double room_of(const struct scale_shape *shape, double header)
{
	return floor(shape->payload / (WORD + header));
}

/* `hops` times each store crosses the link, as one of a packet, and `passes` times a relay. */
static void add_time(struct scale_found *f, const struct scale_shape *shape, const struct scale_costs *c, double hops,
		     double passes)
{
	f->stores_per_packet = shape->stores * hops / f->packets;
	f->ns = c->store + passes * c->pass +
		(f->packets * c->packet + f->wire_bytes * c->byte + 2 * hops * c->latency) / shape->stores;
}

struct scale_found scale_predict(enum scale_way way, const struct scale_shape *shape, const struct scale_costs *costs)
{
	double columns = ceil(sqrt(shape->processes)), rows = ceil(shape->processes / columns), s = shape->stores;
	double nodes = ceil(shape->processes / shape->node), near = room_of(shape, NEAR), far = room_of(shape, FAR);
	struct scale_found f = { 0 };
	double first, second;

	switch (way) {
	case SCALE_DIRECT:
		f.lanes = shape->processes;
		f.packets = shape->processes * scale_packets(s, shape->processes, near);
		f.wire_bytes = s * (WORD + NEAR) + f.packets * OVERHEAD;
		add_time(&f, shape, costs, 1, 0);
		break;
	case SCALE_ROUTED:
		/* Own column and own row: one of `columns` stores stays at the first hop, one of `rows` at the second. */
		f.lanes = columns + rows;
		first = (columns - 1) * scale_packets(s, columns, far);
		second = (rows - 1) * scale_packets(s, rows, near);
		f.packets = first + second;
		f.wire_bytes = s * (1 - 1 / columns) * (WORD + FAR) + s * (1 - 1 / rows) * (WORD + NEAR) + f.packets * OVERHEAD;
		add_time(&f, shape, costs, (1 - 1 / columns) + (1 - 1 / rows), 1 - 1 / rows);
		break;
	default:
		/* One process of each node collects for all of it, in shared memory; its work is shared among them here. */
		f.lanes = nodes;
		f.packets = (nodes - 1) * scale_packets(s * shape->node, nodes, far) / shape->node;
		f.wire_bytes = s * (1 - 1 / nodes) * (WORD + FAR) + f.packets * OVERHEAD;
		add_time(&f, shape, costs, 1 - 1 / nodes, 2);
		break;
	}
	f.memory = f.lanes * scale_lane_bytes(shape->payload);
	return f;
}
