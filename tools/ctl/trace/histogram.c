// SPDX-License-Identifier: Apache-2.0
#include "histogram.h"

#include <json-c/json.h>

#include <inttypes.h>
#include <stdio.h>

#define SLOTS_OF_OCTAVE (1u << WATCH_SLOT_BITS)
#define BAR_WIDTH	52u

uint64_t histogram_low(unsigned slot)
{
	unsigned octave = slot >> WATCH_SLOT_BITS, part = slot & (SLOTS_OF_OCTAVE - 1);

	return octave ? (uint64_t)(SLOTS_OF_OCTAVE + part) << (octave - 1) : part;
}

void histogram_add(struct watch_latency *sum, const struct watch_latency *more)
{
	sum->count += more->count;
	sum->failed += more->failed;
	sum->sum_ns += more->sum_ns;
	if (more->max_ns > sum->max_ns)
		sum->max_ns = more->max_ns;
	for (unsigned i = 0; i < WATCH_SLOTS; i++)
		sum->slots[i] += more->slots[i];
}

void histogram_since(struct watch_latency *now, const struct watch_latency *before)
{
	unsigned last = 0;

	now->count -= before->count;
	now->failed -= before->failed;
	now->sum_ns -= before->sum_ns;
	for (unsigned i = 0; i < WATCH_SLOTS; i++) {
		now->slots[i] -= before->slots[i];
		if (now->slots[i])
			last = i;
	}
	if (!now->count)
		now->max_ns = 0;
	else if (histogram_low(last + 1) - 1 < now->max_ns)
		now->max_ns = histogram_low(last + 1) - 1;
}

uint64_t histogram_percentile(const struct watch_latency *latency, unsigned percent)
{
	uint64_t all = 0, below = 0, end;

	/* Not `count`: the programs may run between the two reads. */
	for (unsigned i = 0; i < WATCH_SLOTS; i++)
		all += latency->slots[i];
	for (unsigned i = 0; all && i < WATCH_SLOTS; i++) {
		below += latency->slots[i];
		if (below * 100 < all * percent)
			continue;
		end = histogram_low(i + 1) - 1;
		return i == WATCH_SLOTS - 1 || end > latency->max_ns ? latency->max_ns : end;
	}
	return 0;
}

static uint64_t octave_count(const struct watch_latency *latency, unsigned octave)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < SLOTS_OF_OCTAVE; i++)
		count += latency->slots[(octave << WATCH_SLOT_BITS) + i];
	return count;
}

/* As bpftrace does: 4096 is 4K. */
static const char *short_number(uint64_t value, char text[16])
{
	static const char units[] = {0, 'K', 'M', 'G', 'T'};
	unsigned unit = 0;

	for (; value >= 1024 && unit < 4; value /= 1024)
		unit++;
	snprintf(text, 16, unit ? "%" PRIu64 "%c" : "%" PRIu64, value, units[unit]);
	return text;
}

void histogram_print(const struct watch_latency *latency)
{
	const unsigned octaves = WATCH_SLOTS >> WATCH_SLOT_BITS;
	unsigned first = octaves, last = 0;
	uint64_t most = 0;

	for (unsigned i = 0; i < octaves; i++) {
		uint64_t count = octave_count(latency, i);

		if (!count)
			continue;
		if (first == octaves)
			first = i;
		last = i;
		most = count > most ? count : most;
	}
	for (unsigned i = first; i <= last && first != octaves; i++) {
		char low[16], high[16], range[40], bar[BAR_WIDTH + 1];
		uint64_t count = octave_count(latency, i);
		unsigned length = (unsigned)(count * BAR_WIDTH / most);

		for (unsigned k = 0; k < BAR_WIDTH; k++)
			bar[k] = k < length ? '@' : ' ';
		bar[BAR_WIDTH] = '\0';
		snprintf(range, sizeof(range), "[%s, %s)", short_number(histogram_low(i << WATCH_SLOT_BITS), low),
			 short_number(histogram_low((i + 1) << WATCH_SLOT_BITS), high));
		printf("%-14s %10" PRIu64 " |%s|\n", range, count, bar);
	}
}

struct json_object *histogram_json(const struct watch_latency *latency)
{
	struct json_object *array = json_object_new_array();

	for (unsigned i = 0; array && i < WATCH_SLOTS; i++) {
		struct json_object *slot;

		if (!latency->slots[i])
			continue;
		slot = json_object_new_object();
		if (!slot || json_object_object_add(slot, "from_ns", json_object_new_uint64(histogram_low(i))) ||
		    json_object_object_add(slot, "to_ns", json_object_new_uint64(histogram_low(i + 1))) ||
		    json_object_object_add(slot, "count", json_object_new_uint64(latency->slots[i])) ||
		    json_object_array_add(array, slot)) {
			json_object_put(slot);
			json_object_put(array);
			array = NULL;
		}
	}
	return array;
}

const char *histogram_time(uint64_t ns, char text[16])
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	unsigned unit = 0;
	double value = (double)ns;

	for (; value >= 999.5 && unit < 3; value /= 1000)
		unit++;
	snprintf(text, 16, !unit || value >= 99.95 ? "%.0f %s" : value >= 9.995 ? "%.1f %s" : "%.2f %s", value, units[unit]);
	return text;
}
