// SPDX-License-Identifier: Apache-2.0
#include "relay.h"

#include <stdlib.h>
#include <string.h>

#include "../lane/lane.h"
#include "../lane/packet.h"

/* To one member of the column. */
struct member {
	struct glk_relay *relay;
	unsigned process;
	uint64_t bytes;		  /* of its memory */
	struct gpulink_lane lane; /* its home is NULL before the first store */
	uint64_t packets;	  /* sent */
	uint64_t *marks;	  /* by source_of() */
};

struct glk_relay {
	struct glk_relay_shape shape;
	unsigned own, count; /* rows of the column */
	uint64_t parts, bytes; /* that were applied here */
	struct member members[];
};

static void relay_send_packet(void *to, const uint8_t *packet, size_t bytes)
{
	struct member *member = to;
	const struct glk_relay *relay = member->relay;

	member->packets++;
	relay->shape.send(relay->shape.to, member->process, packet, bytes);
}

struct glk_relay *glk_relay_new(const struct glk_relay_shape *shape)
{
	unsigned column = glk_route_column(&shape->route, shape->process), count = glk_route_members(&shape->route, column);
	struct glk_relay *relay = calloc(1, sizeof(*relay) + count * sizeof(relay->members[0]));

	if (!relay)
		return NULL;
	relay->shape = *shape;
	relay->own = glk_route_row(&shape->route, shape->process);
	relay->count = count;
	for (unsigned row = 0; row < count; row++) {
		relay->members[row].relay = relay;
		relay->members[row].process = row * shape->route.columns + column;
		relay->members[row].bytes = shape->bytes(shape->to, relay->members[row].process);
	}
	return relay;
}

void glk_relay_free(struct glk_relay *relay)
{
	if (!relay)
		return;
	for (unsigned row = 0; row < relay->count; row++) {
		glk_lane_free(relay->members[row].lane.home);
		free(relay->members[row].marks);
	}
	free(relay);
}

/* Those of the own row, and those of the last row that have this process as relay: one of each column. */
static unsigned source_of(const struct glk_relay *relay, unsigned from)
{
	const struct glk_route *route = &relay->shape.route;

	return glk_route_column(route, from) + (glk_route_row(route, from) == relay->own ? 0 : route->columns);
}

static bool open_lane(struct glk_relay *relay, struct member *member)
{
	struct glk_lane *lane = glk_lane_new(&(struct glk_lane_shape){
		.width = 5,
		.payload = relay->shape.payload,
		.send = relay_send_packet,
		.to = member,
	});

	member->marks = calloc(2 * relay->shape.route.columns, sizeof(*member->marks));
	if (!lane || !member->marks) {
		glk_lane_free(lane);
		free(member->marks);
		member->marks = NULL;
		return false;
	}
	member->lane = glk_lane_door(lane, 0, member->bytes);
	return true;
}

/* Whether each sub-packet, which is in the slots of the members, is in the memory of one. */
static bool relay_check(const struct glk_relay *relay, struct glk_packet packet)
{
	const uint8_t *data;
	uint64_t at;
	size_t bytes;

	while (glk_packet_next(&packet, &at, &data, &bytes)) {
		uint64_t offset = at & ((UINT64_C(1) << relay->shape.route.slot) - 1), row = at >> relay->shape.route.slot;

		if (bytes > relay->members[row].bytes || offset > relay->members[row].bytes - bytes)
			return false;
	}
	return true;
}

int64_t glk_relay_receive(struct glk_relay *relay, unsigned from, const uint8_t *packet, size_t length)
{
	const unsigned slot = relay->shape.route.slot, source = source_of(relay, from);
	struct glk_packet opened;
	const uint8_t *data;
	int64_t count = 0;
	uint64_t at;
	size_t bytes;

	if (!glk_packet_open(packet, length, GLK_ROUTE_PARTITION, (uint64_t)relay->count << slot, &opened) ||
	    !relay_check(relay, opened))
		return -1;
	for (; glk_packet_next(&opened, &at, &data, &bytes); count++) {
		uint64_t offset = at & ((UINT64_C(1) << slot) - 1);
		struct member *member = &relay->members[at >> slot];

		if (at >> slot == relay->own) {
			glk_packet_write(relay->shape.memory + offset, data, bytes);
			relay->parts++;
			relay->bytes += bytes;
			continue;
		}
		if (!member->lane.home && !open_lane(relay, member))
			return -2;
		if (bytes == 8) /* most are */
			gpulink_lane_store(&member->lane, offset, data, 8);
		else
			gpulink_lane_store(&member->lane, offset, data, bytes);
		member->marks[source] = member->packets + 1;
	}
	return count;
}

unsigned glk_relay_members(const struct glk_relay *relay)
{
	return relay->count;
}

unsigned glk_relay_member(const struct glk_relay *relay, unsigned row)
{
	return relay->members[row].process;
}

uint64_t glk_relay_mark(const struct glk_relay *relay, unsigned row, unsigned from)
{
	const struct member *member = &relay->members[row];

	return member->marks ? member->marks[source_of(relay, from)] : 0;
}

void glk_relay_flush(struct glk_relay *relay, unsigned reason)
{
	for (unsigned row = 0; row < relay->count; row++)
		if (relay->members[row].lane.home)
			glk_lane_flush(relay->members[row].lane.home, reason);
}

void glk_relay_count(const struct glk_relay *relay, struct gpulink_counters *counters)
{
	for (unsigned row = 0; row < relay->count; row++)
		if (relay->members[row].lane.home)
			glk_lane_count(relay->members[row].lane.home, counters);
	counters->endpoint_writes += relay->parts;
	counters->endpoint_bytes += relay->bytes;
}
