// SPDX-License-Identifier: Apache-2.0
#include "print.h"

#include <json-c/json.h>

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int width_of(const char *text)
{
	return (int)strlen(text);
}

static int digits_of(uint64_t number)
{
	return snprintf(NULL, 0, "%" PRIu64, number);
}

bool print_json(struct json_object *object, int flags)
{
	const char *text = json_object_to_json_string_ext(object, flags | JSON_C_TO_STRING_NOSLASHESCAPE);

	if (text)
		puts(text);
	return text;
}

/* What the driver does not have is null. */
static const char *text_of(struct json_object *value)
{
	return value ? json_object_get_string(value) : "-";
}

bool print_object(struct json_object *object)
{
	int width = 0;

	if (!json_object_is_type(object, json_type_object))
		return false;
	json_object_object_foreach(object, key, unused) {
		(void)unused;
		width = width_of(key) > width ? width_of(key) : width;
	}
	json_object_object_foreach(object, name, value)
		printf("%-*s  %s\n", width, name, text_of(value));
	return true;
}

static const char *cell(struct json_object *row, const char *column)
{
	struct json_object *value;

	return json_object_object_get_ex(row, column, &value) ? text_of(value) : "-";
}

bool print_rows(struct json_object *array, const char *const *columns)
{
	int widths[PRINT_COLUMNS] = {0};
	size_t rows;

	if (!json_object_is_type(array, json_type_array))
		return false;
	rows = json_object_array_length(array);
	for (size_t c = 0; columns[c]; c++) {
		widths[c] = width_of(columns[c]);
		for (size_t r = 0; r < rows; r++) {
			int width = width_of(cell(json_object_array_get_idx(array, r), columns[c]));

			widths[c] = width > widths[c] ? width : widths[c];
		}
	}
	for (size_t c = 0; columns[c]; c++)
		printf("%-*s%s", columns[c + 1] ? widths[c] : 0, columns[c], columns[c + 1] ? "  " : "\n");
	for (size_t r = 0; r < rows; r++) {
		for (size_t c = 0; columns[c]; c++)
			printf("%-*s%s", columns[c + 1] ? widths[c] : 0, cell(json_object_array_get_idx(array, r), columns[c]),
			       columns[c + 1] ? "  " : "\n");
	}
	return true;
}

static uint64_t number_of(struct json_object *row, const char *name)
{
	struct json_object *value;

	return json_object_object_get_ex(row, name, &value) ? json_object_get_uint64(value) : 0;
}

/* Ratios of two counters, of a partition or of sums. */
enum ratio { STORES_PER_PACKET, WIRE_BYTES_SAVED, SAVED_PERCENT, RATIOS };

struct cost {
	uint64_t stores, packets, wire, raw;
};

static const char *const ratio_names[RATIOS] = {"stores_per_packet", "wire_bytes_saved", "saved_percent"};

static struct cost cost_of(struct json_object *row)
{
	return (struct cost){number_of(row, "stores"), number_of(row, "packets"), number_of(row, "wire_bytes"),
			     number_of(row, "raw_wire_bytes")};
}

/* What `row` has more than `before`. */
static struct cost cost_gain(struct json_object *before, struct json_object *row)
{
	struct cost was = cost_of(before), is = cost_of(row);

	return (struct cost){is.stores - was.stores, is.packets - was.packets, is.wire - was.wire, is.raw - was.raw};
}

/* Negative savings are possible: settings may suit the traffic badly. */
static void print_ratio(enum ratio ratio, const struct cost *cost, int width)
{
	int64_t saved = (int64_t)(cost->raw - cost->wire);

	if (ratio == WIRE_BYTES_SAVED)
		printf(" %*" PRId64, width, saved);
	else if (ratio == STORES_PER_PACKET ? !cost->packets : !cost->raw)
		printf(" %*s", width, "-");
	else if (ratio == STORES_PER_PACKET)
		printf(" %*.1f", width, (double)cost->stores / (double)cost->packets);
	else
		printf(" %*.1f", width, 100 * (double)saved / (double)cost->raw);
}

static void print_ratios(struct json_object *array, int width)
{
	size_t count = json_object_array_length(array);

	for (unsigned ratio = 0; ratio < RATIOS; ratio++) {
		struct cost sum = {0};

		printf("%-18s", ratio_names[ratio]);
		for (size_t k = 0; k < count; k++) {
			struct cost one = cost_of(json_object_array_get_idx(array, k));

			print_ratio(ratio, &one, width);
			sum.stores += one.stores;
			sum.packets += one.packets;
			sum.wire += one.wire;
			sum.raw += one.raw;
		}
		print_ratio(ratio, &sum, width);
		printf("\n");
	}
}

bool print_counters(struct json_object *array)
{
	struct json_object *first;
	size_t count;
	int width = 12;

	if (!json_object_is_type(array, json_type_array))
		return false;
	count = json_object_array_length(array);
	first = count ? json_object_array_get_idx(array, 0) : NULL;
	if (!json_object_is_type(first, json_type_object))
		return false;
	for (size_t k = 0; k < count; k++) {
		json_object_object_foreach(json_object_array_get_idx(array, k), key, value) {
			int digits = digits_of(json_object_get_uint64(value));

			(void)key;
			width = digits > width ? digits : width;
		}
	}
	json_object_object_foreach(first, name, unused) {
		bool heading = !strcmp(name, "partition");
		uint64_t sum = 0;

		(void)unused;
		printf("%-18s", name);
		for (size_t k = 0; k < count; k++) {
			struct json_object *row = json_object_array_get_idx(array, k);

			printf(" %*s", width, cell(row, name));
			sum += number_of(row, name);
		}
		if (heading) {
			printf(" %*s\n", width, "all");
			print_ratios(array, width);
		} else {
			printf(" %*" PRIu64 "\n", width, sum);
		}
	}
	return true;
}

/* The row of a partition, or NULL. */
static struct json_object *find_row(struct json_object *array, uint64_t partition)
{
	for (size_t k = 0; k < json_object_array_length(array); k++) {
		if (number_of(json_object_array_get_idx(array, k), "partition") == partition)
			return json_object_array_get_idx(array, k);
	}
	return NULL;
}

bool print_gains(struct json_object *before, struct json_object *after, bool header)
{
	static const char *const names[] = {"stores", "packets", "payload_bytes", "wire_bytes", "raw_wire_bytes"};

	if (!json_object_is_type(before, json_type_array) || !json_object_is_type(after, json_type_array))
		return false;
	if (header) {
		printf("partition stores/packet    saved %%");
		for (size_t n = 0; n < sizeof(names) / sizeof(*names); n++)
			printf(" %14s", names[n]);
		printf("\n");
	}
	for (size_t k = 0; k < json_object_array_length(after); k++) {
		struct json_object *is = json_object_array_get_idx(after, k);
		struct json_object *was = find_row(before, number_of(is, "partition"));

		struct cost gain = cost_gain(was, is);

		printf("%9" PRIu64, number_of(is, "partition"));
		print_ratio(STORES_PER_PACKET, &gain, 13);
		print_ratio(SAVED_PERCENT, &gain, 10);
		for (size_t n = 0; n < sizeof(names) / sizeof(*names); n++)
			printf(" %14" PRIu64, number_of(is, names[n]) - number_of(was, names[n]));
		printf("\n");
	}
	return true;
}
