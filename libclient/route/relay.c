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
	struct gpulink_lane lane; /* its home is NULL before the first store */
};

struct glk_relay {
	struct glk_relay_shape shape;
	unsigned own, count; /* rows of the column */
	struct member members[];
};

static void send_packet(void *to, const uint8_t *packet, size_t bytes)
{
	const struct member *member = to;
	const struct glk_relay *relay = member->relay;

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
	}
	return relay;
}

void glk_relay_free(struct glk_relay *relay)
{
	if (!relay)
		return;
	for (unsigned row = 0; row < relay->count; row++)
		glk_lane_free(relay->members[row].lane.home);
	free(relay);
}

static bool open_lane(struct glk_relay *relay, struct member *member)
{
	struct glk_lane *lane = glk_lane_new(&(struct glk_lane_shape){
		.width = 5, .payload = relay->shape.payload, .send = send_packet, .to = member,
	});

	if (lane)
		member->lane = glk_lane_door(lane, 0, relay->shape.bytes);
	return lane;
}

/* Whether each sub-packet is in the memory of one member. */
static bool check(const struct glk_relay *relay, struct glk_packet packet)
{
	const uint8_t *data;
	uint64_t at;
	size_t bytes;

	while (glk_packet_next(&packet, &at, &data, &bytes)) {
		uint64_t offset = at & ((UINT64_C(1) << relay->shape.route.slot) - 1);

		if (at >> relay->shape.route.slot >= relay->count || bytes > relay->shape.bytes || offset > relay->shape.bytes - bytes)
			return false;
	}
	return true;
}

int64_t glk_relay_receive(struct glk_relay *relay, const uint8_t *packet, size_t length)
{
	const unsigned slot = relay->shape.route.slot;
	struct glk_packet opened;
	const uint8_t *data;
	int64_t count = 0;
	uint64_t at;
	size_t bytes;

	if (!glk_packet_open(packet, length, GLK_ROUTE_PARTITION, (uint64_t)relay->count << slot, &opened) || !check(relay, opened))
		return -1;
	for (; glk_packet_next(&opened, &at, &data, &bytes); count++) {
		uint64_t offset = at & ((UINT64_C(1) << slot) - 1);
		struct member *member = &relay->members[at >> slot];

		if (at >> slot == relay->own) {
			glk_packet_write(relay->shape.memory + offset, data, bytes);
			continue;
		}
		if (!member->lane.home && !open_lane(relay, member))
			return -2;
		if (bytes == 8) /* most are */
			gpulink_lane_store(&member->lane, offset, data, 8);
		else
			gpulink_lane_store(&member->lane, offset, data, bytes);
	}
	return count;
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
}
