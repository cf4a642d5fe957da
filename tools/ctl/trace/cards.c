// SPDX-License-Identifier: Apache-2.0
#include "cards.h"

#include "result.h"

#include <gpulink_admin.h>
#include <json-c/json.h>

#include <stdio.h>
#include <string.h>

static bool cards_read_card(const char *name, struct gpulink_counters *sum)
{
	struct gpulink_admin_info info;
	struct gpulink_counters one;

	if (gpulink_admin_get_info(name, &info, sizeof(info)))
		return false;
	memset(sum, 0, sizeof(*sum));
	for (unsigned k = 0; k < info.partitions; k++) {
		if (gpulink_admin_get_counters(name, k, &one, sizeof(one)))
			return false;
		sum->stores += one.stores;
		sum->packets += one.packets;
		sum->store_bytes += one.store_bytes;
		sum->wire_bytes += one.wire_bytes;
		sum->raw_wire_bytes += one.raw_wire_bytes;
		sum->err_endpoint += one.err_endpoint;
	}
	return true;
}

void cards_read(struct cards *cards)
{
	char names[CARDS_MAX][16];
	struct cards before = *cards;
	int count = gpulink_admin_list(names, CARDS_MAX);

	cards->count = count < 0 ? 0 : count < CARDS_MAX ? (unsigned)count : CARDS_MAX;
	for (unsigned i = 0; i < cards->count; i++) {
		struct gpulink_counters *now = &cards->cards[i].now;
		bool known = false, read = cards_read_card(names[i], now);

		strcpy(cards->cards[i].name, names[i]);
		for (unsigned k = 0; k < before.count && !known; k++) {
			known = !strcmp(before.cards[k].name, names[i]);
			if (known)
				cards->cards[i].before = before.cards[k].now;
		}
		if (!read)
			*now = cards->cards[i].before;
		/* A card that appears counts from now on, as does one that has taken another's name: its counters are lower. */
		if (!known || now->stores < cards->cards[i].before.stores)
			cards->cards[i].before = *now;
	}
}

static bool put_card(struct json_object *array, const char *name, const struct gpulink_counters *now,
		     const struct gpulink_counters *before)
{
	struct json_object *one = json_object_new_object();
	uint64_t stores = now->stores - before->stores, packets = now->packets - before->packets;
	char ratio[32];

	if (!one || json_object_array_add(array, one)) {
		json_object_put(one);
		return false;
	}
	snprintf(ratio, sizeof(ratio), "%.1f", packets ? (double)stores / (double)packets : 0.0);
	return put_value(one, "card", json_object_new_string(name)) && put_number(one, "stores", stores) &&
	       put_number(one, "packets", packets) &&
	       put_value(one, "stores_a_packet",
			 json_object_new_double_s(packets ? (double)stores / (double)packets : 0, ratio)) &&
	       put_number(one, "store_bytes", now->store_bytes - before->store_bytes) &&
	       put_number(one, "wire_bytes", now->wire_bytes - before->wire_bytes) &&
	       put_number(one, "raw_wire_bytes", now->raw_wire_bytes - before->raw_wire_bytes) &&
	       put_number(one, "errors", now->err_endpoint - before->err_endpoint);
}

struct json_object *cards_json(const struct cards *cards)
{
	struct json_object *array = json_object_new_array();

	for (unsigned i = 0; array && i < cards->count; i++)
		if (!put_card(array, cards->cards[i].name, &cards->cards[i].now, &cards->cards[i].before)) {
			json_object_put(array);
			return NULL;
		}
	return array;
}
