// SPDX-License-Identifier: Apache-2.0
/*
 * The model of scale against what it models: many processes with lanes and relays in one program, which store at random to each
 * other. Memory is what was stored, and the packets and bytes are those of the model. TAP.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <chance.h>
#include <gpulink_regs.h>
#include <lane/lane.h>
#include <lane/packet.h>
#include <route/relay.h>
#include <scale.h>
#include <tap.h>

enum { OWNERS = 64 }; /* with more processes words have no owner, and memories are small */

/* A store of the number of its entry, from 1 on. */
struct stored {
	unsigned from, to;
	uint64_t at;
};

/* One process: lanes to all processes, or to all columns. */
struct process {
	struct world *world;
	unsigned number;
	uint8_t *memory;
	struct glk_lane **lanes;
	struct glk_relay *relay;
};

struct link {
	struct world *world;
	unsigned from, to;
};

struct world {
	unsigned processes, payload, lanes;
	size_t bytes; /* of each memory */
	bool routed;
	struct glk_route route;
	struct process *process;
	struct link *links; /* of lanes: from x lane */
	struct stored *stored;
	uint64_t stores;
	uint64_t packets, wire, refused;
};

/* Over the link, unless it is to the sender itself. */
static void arrive(struct world *w, unsigned from, unsigned to, const uint8_t *packet, size_t bytes, bool first)
{
	uint8_t copy[GLK_PACKET_MAX + GLK_PACKET_SLACK] = { 0 };
	struct process *p = &w->process[to];
	int64_t count;

	memcpy(copy, packet, bytes);
	if (from != to || !w->routed) {
		w->packets++;
		w->wire += bytes - GLK_PACKET_HEADER + GLK_TLP_OVERHEAD_BYTES;
	}
	count = first && w->routed ? glk_relay_receive(p->relay, from, copy, bytes) :
				     glk_packet_receive(copy, bytes, 0, p->memory, w->bytes);
	w->refused += count < 0;
}

static void send_first(void *to, const uint8_t *packet, size_t bytes)
{
	const struct link *link = to;

	arrive(link->world, link->from, link->to, packet, bytes, true);
}

static uint64_t bytes_of(void *to, unsigned process)
{
	const struct process *p = to;

	(void)process;
	return p->world->bytes;
}

static void send_second(void *to, unsigned process, const uint8_t *packet, size_t bytes)
{
	const struct process *p = to;

	arrive(p->world, p->number, process, packet, bytes, false);
}

static bool open_process(struct world *w, unsigned number)
{
	struct process *p = &w->process[number];

	*p = (struct process){ .world = w, .number = number, .memory = calloc(1, w->bytes) };
	p->lanes = calloc(w->lanes, sizeof(struct glk_lane *));
	p->relay = glk_relay_new(&(struct glk_relay_shape){ .route = w->route,
							    .process = number,
							    .payload = w->payload,
							    .memory = p->memory,
							    .bytes = bytes_of,
							    .send = send_second,
							    .to = p });
	if (!p->memory || !p->lanes || !p->relay)
		return false;
	for (unsigned i = 0; i < w->lanes; i++) {
		struct link *link = &w->links[number * w->lanes + i];

		*link = (struct link){ w, number, w->routed ? glk_route_relay(&w->route, number, i) : i };
		p->lanes[i] = glk_lane_new(&(struct glk_lane_shape){
			.partition = w->routed ? GLK_ROUTE_PARTITION : 0, .width = w->routed ? GLK_ROUTE_WIDTH : 5,
			.payload = w->payload, .send = send_first, .to = link });
		if (!p->lanes[i])
			return false;
	}
	return true;
}

static void close_process(struct world *w, struct process *p)
{
	for (unsigned i = 0; p->lanes && i < w->lanes; i++)
		glk_lane_free(p->lanes[i]);
	free(p->lanes);
	glk_relay_free(p->relay);
	free(p->memory);
}

/* Words of 8 bytes, each process to its own ones in all memories, so that the order of processes does not matter. */
static void store(struct world *w, struct chance *chance, unsigned from, unsigned own)
{
	unsigned to = below(chance, w->processes), words = (unsigned)(w->bytes / 8 / own);
	uint64_t value = w->stores + 1, at = 8 * ((uint64_t)below(chance, words) * own + from % own);
	struct process *p = &w->process[from];

	w->stored[w->stores++] = (struct stored){ from, to, at };
	if (w->routed)
		glk_lane_store(p->lanes[glk_route_column(&w->route, to)], glk_route_place(&w->route, to) + at, &value, 8);
	else
		glk_lane_store(p->lanes[to], at, &value, 8);
}

/* All store, in turns; then all release, and then all relays. */
static void run(struct world *w, unsigned stores, uint64_t seed)
{
	struct chance chance;

	chance_start(&chance, seed, w->processes);
	for (unsigned i = 0; i < stores; i++)
		for (unsigned from = 0; from < w->processes; from++)
			store(w, &chance, from, w->processes > OWNERS ? 1 : w->processes);
	for (unsigned from = 0; from < w->processes; from++)
		for (unsigned i = 0; i < w->lanes; i++)
			glk_lane_flush(w->process[from].lanes[i], GLK_FLUSH_RELEASE);
	for (unsigned from = 0; from < w->processes; from++)
		glk_relay_flush(w->process[from].relay, GLK_FLUSH_RELEASE);
}

static bool near(double found, double expected)
{
	printf("#   %.1f, predicted %.1f\n", found, expected);
	return fabs(found - expected) <= 0.02 * expected;
}

static uint64_t word(const struct world *w, unsigned process, uint64_t at)
{
	uint64_t value;

	memcpy(&value, w->process[process].memory + at, 8);
	return value;
}

/* A word that was stored has a value that was stored there, and not one that its sender stored over; other words are 0. */
static bool all_is_there(const struct world *w)
{
	for (unsigned i = 0; i < w->processes; i++) {
		for (uint64_t at = 0; at < w->bytes; at += 8) {
			uint64_t value = word(w, i, at);

			if (value > w->stores || (value && (w->stored[value - 1].to != i || w->stored[value - 1].at != at)))
				return false;
		}
	}
	for (uint64_t n = 0; n < w->stores; n++) {
		const struct stored *s = &w->stored[n];
		uint64_t value = word(w, s->to, s->at);

		if (!value || (w->stored[value - 1].from == s->from && value - 1 < n))
			return false;
	}
	return true;
}

static void check_scale(unsigned processes, unsigned stores, unsigned payload, bool routed)
{
	struct world w = { .processes = processes, .payload = payload, .routed = routed,
			   .bytes = processes > OWNERS ? 1 << 18 : 1 << 22 };
	const struct scale_shape shape = { .processes = processes, .stores = stores, .node = 1, .payload = payload };
	struct scale_found found = scale_predict(routed ? SCALE_ROUTED : SCALE_DIRECT, &shape, &(struct scale_costs){ 0 });
	bool opened;
	char name[128];

	glk_route_init(&w.route, processes, w.bytes);
	w.lanes = routed ? w.route.columns : processes;
	w.process = calloc(processes, sizeof(*w.process));
	w.links = calloc((size_t)processes * w.lanes, sizeof(*w.links));
	w.stored = calloc((size_t)processes * stores, sizeof(*w.stored));
	opened = w.process && w.links && w.stored;
	for (unsigned i = 0; i < processes && opened; i++)
		opened = open_process(&w, i);
	if (opened)
		run(&w, stores, 1);
	snprintf(name, sizeof(name), "%u processes, %u stores each, packets of %u, %s:", processes, stores, payload,
		 routed ? "routed" : "direct");
	printf("# %s\n", name);
	check(opened && !w.refused && all_is_there(&w), "all is there");
	check(near((double)w.packets / processes, found.packets), "as many packets as predicted");
	check(near((double)w.wire / processes, found.wire_bytes), "as many bytes");
	for (unsigned i = 0; w.process && i < processes; i++)
		close_process(&w, &w.process[i]);
	free(w.process);
	free(w.links);
	free(w.stored);
}

/* Each process reaches each column by a process that is there and in that column, and no slot overlaps another. */
static void test_routes(void)
{
	unsigned wrong = 0, most = 0;

	for (unsigned n = 1; n <= 300; n++) {
		struct glk_route route;

		glk_route_init(&route, n, 4096);
		for (unsigned c = 0, sum = 0; c < route.columns; c++) {
			sum += glk_route_members(&route, c);
			wrong += c + 1 == route.columns && sum != n;
		}
		for (unsigned p = 0; p < n; p++) {
			for (unsigned c = 0; c < route.columns; c++) {
				unsigned relay = glk_route_relay(&route, p, c);

				wrong += relay >= n || glk_route_column(&route, relay) != c;
			}
			wrong += glk_route_row(&route, p) >= glk_route_members(&route, glk_route_column(&route, p));
		}
		most = route.columns + route.rows > most ? route.columns + route.rows : most;
		wrong += (UINT64_C(1) << route.slot) <= 4096;
	}
	check(!wrong, "each process has a relay to each column");
	check(most <= 36, "and few of them");
}

int main(void)
{
	test_routes();
	check_scale(16, 20000, 4096, false);
	check_scale(16, 20000, 4096, true);
	check_scale(37, 5000, 512, false);
	check_scale(37, 5000, 512, true);
	check_scale(100, 2000, 4096, false);
	check_scale(100, 2000, 4096, true);
	check_scale(400, 500, 4096, true);
	return tap_end();
}
