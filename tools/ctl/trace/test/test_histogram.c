// SPDX-License-Identifier: Apache-2.0
/* Slots, percentiles and differences of latencies. */
#include "../histogram.h"

#include <json-c/json.h>

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* The slot that the BPF program's slot_of() must choose, found the slow way. */
static unsigned slot_with(uint64_t value)
{
	unsigned slot = 0;

	while (slot + 1 < WATCH_SLOTS && histogram_low(slot + 1) <= value)
		slot++;
	return slot;
}

static void add(struct watch_latency *latency, uint64_t ns)
{
	latency->count++;
	latency->sum_ns += ns;
	latency->slots[slot_with(ns)]++;
	if (ns > latency->max_ns)
		latency->max_ns = ns;
}

static void slots_cover_all_values_once(void **state)
{
	(void)state;
	for (unsigned slot = 0; slot < WATCH_SLOTS; slot++)
		assert_true(histogram_low(slot) < histogram_low(slot + 1));
	for (unsigned value = 0; value < 16; value++)
		assert_int_equal(histogram_low(value), value);
	assert_int_equal(histogram_low(WATCH_SLOTS), UINT64_C(1) << WATCH_OCTAVES_MAX);
	/* At most an eighth wide. */
	for (unsigned slot = 16; slot < WATCH_SLOTS; slot++)
		assert_true((histogram_low(slot + 1) - histogram_low(slot)) * 8 <= histogram_low(slot));
}

static void percentiles_are_ends_of_slots(void **state)
{
	struct watch_latency latency = {0};

	(void)state;
	assert_int_equal(histogram_percentile(&latency, 50), 0);
	for (unsigned i = 0; i < 99; i++)
		add(&latency, 1000);
	add(&latency, 1000000);
	assert_int_equal(histogram_percentile(&latency, 50), histogram_low(slot_with(1000) + 1) - 1);
	assert_int_equal(histogram_percentile(&latency, 99), histogram_low(slot_with(1000) + 1) - 1);
	assert_int_equal(histogram_percentile(&latency, 100), 1000000); /* not more than the maximum */
	add(&latency, 1000000);
	assert_int_equal(histogram_percentile(&latency, 99), 1000000);
}

static void very_long_calls_are_in_the_last_slot(void **state)
{
	struct watch_latency latency = {0};

	(void)state;
	add(&latency, UINT64_C(1) << 50);
	assert_int_equal(latency.slots[WATCH_SLOTS - 1], 1);
	assert_int_equal(histogram_percentile(&latency, 50), UINT64_C(1) << 50);
}

static void differences_are_those_of_the_interval(void **state)
{
	struct watch_latency before = {0}, now;

	(void)state;
	add(&before, 5000000);
	now = before;
	histogram_since(&now, &before);
	assert_int_equal(now.count, 0);
	assert_int_equal(now.max_ns, 0);
	now = before;
	add(&now, 1000);
	histogram_since(&now, &before);
	assert_int_equal(now.count, 1);
	assert_int_equal(now.sum_ns, 1000);
	assert_int_equal(now.max_ns, histogram_low(slot_with(1000) + 1) - 1);
	assert_int_equal(histogram_percentile(&now, 99), now.max_ns);
	now = before;
	add(&now, 6000000);
	histogram_since(&now, &before);
	assert_int_equal(now.max_ns, 6000000);
}

static void sums_keep_the_maximum(void **state)
{
	struct watch_latency a = {0}, b = {0};

	(void)state;
	add(&a, 7);
	add(&b, 9);
	b.failed = 1;
	histogram_add(&a, &b);
	assert_int_equal(a.count, 2);
	assert_int_equal(a.failed, 1);
	assert_int_equal(a.max_ns, 9);
	assert_int_equal(a.sum_ns, 16);
	assert_int_equal(a.slots[7] + a.slots[9], 2);
}

static void json_has_the_slots_with_calls(void **state)
{
	struct watch_latency latency = {0};
	struct json_object *json;

	(void)state;
	add(&latency, 3);
	add(&latency, 1024);
	json = histogram_json(&latency);
	assert_string_equal(json_object_to_json_string_ext(json, JSON_C_TO_STRING_PLAIN),
			    "[{\"from_ns\":3,\"to_ns\":4,\"count\":1},{\"from_ns\":1024,\"to_ns\":1152,\"count\":1}]");
	json_object_put(json);
}

static void times_have_three_digits(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {{0, "0 ns"}, {999, "999 ns"}, {1000, "1.00 us"}, {9999, "10.0 us"}, {99999, "100 us"},
		     {1500000, "1.50 ms"}, {UINT64_C(12345678901), "12.3 s"}, {UINT64_C(2000000000000), "2000 s"}};
	char text[16];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(histogram_time(cases[i].ns, text), cases[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slots_cover_all_values_once),
		cmocka_unit_test(percentiles_are_ends_of_slots),
		cmocka_unit_test(very_long_calls_are_in_the_last_slot),
		cmocka_unit_test(differences_are_those_of_the_interval),
		cmocka_unit_test(sums_keep_the_maximum),
		cmocka_unit_test(json_has_the_slots_with_calls),
		cmocka_unit_test(times_have_three_digits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
