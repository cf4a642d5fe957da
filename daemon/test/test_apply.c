// SPDX-License-Identifier: Apache-2.0
/* Applying the configuration: changes are written, unchanged settings are not, failures do not affect other rules. */
#include "../apply.h"
#include "card_folder.h"

#include <gpulink_admin.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void no_report(void *user, const char *file, unsigned line, const char *text)
{
	(void)user;
	fail_msg("%s:%u: %s", file, line, text);
}

static void read_text(struct config *config, const char *text)
{
	const char *path = card_folder_path("test.conf");

	file_write(path, text);
	assert_int_equal(config_read(config, path, false, no_report, NULL), 0);
}

static void test_applied(void **state)
{
	struct config config;
	unsigned failures;

	(void)state;
	card_make("gpulink0", "a0", 2);
	card_make("gpulink1", "a1", 2);
	read_text(&config, "[defaults]\nsubheader_bytes = 5\n[card serial:0a1]\nmax_payload_bytes = 256\n"
			   "[card gpulink1 partition 1]\nendpoint = 0000:00:09.0 0\nflush_timeout_ns = 7\ncoalesce = 0\n");
	assert_int_equal(apply_to_all(&config, false, &failures), 2);
	assert_int_equal(failures, 0);
	assert_string_equal(card_read("gpulink0", 0, "subheader_bytes"), "5");
	assert_string_equal(card_read("gpulink0", 1, "max_payload_bytes"), "1024");
	assert_string_equal(card_read("gpulink1", 0, "max_payload_bytes"), "256");
	assert_string_equal(card_read("gpulink1", 0, "endpoint"), "none");
	assert_string_equal(card_read("gpulink1", 1, "endpoint"), "0000:00:09.0 0");
	assert_string_equal(card_read("gpulink1", 1, "flush_timeout_ns"), "7");
	assert_string_equal(card_read("gpulink1", 1, "coalesce"), "0");
	config_free(&config);
}

/* One failure, whatever is configured; others are not affected. */
static void test_lost_card(void **state)
{
	struct config config;
	unsigned failures;

	(void)state;
	card_make("gpulink0", "a0", 2);
	card_make("gpulink1", "a1", 1);
	file_write(card_folder_path("gpulink0/state"), "lost\n");
	read_text(&config, "[defaults]\nsubheader_bytes = 5\nmax_payload_bytes = 256\n");
	assert_int_equal(apply_to_all(&config, false, &failures), 2);
	assert_int_equal(failures, 1);
	assert_string_equal(card_read("gpulink0", 0, "subheader_bytes"), "4");
	assert_string_equal(card_read("gpulink1", 0, "subheader_bytes"), "5");
	config_free(&config);
}

static void test_unchanged_settings(void **state)
{
	struct config config;
	unsigned failures;

	(void)state;
	card_make("gpulink0", "a0", 1);
	/* A write would take the rest of the line away. */
	card_write("gpulink0", 0, "subheader_bytes", "5 untouched\n");
	read_text(&config, "[defaults]\nsubheader_bytes = 5\n");
	assert_int_equal(apply_to_all(&config, false, &failures), 1);
	assert_int_equal(failures, 0);
	assert_string_equal(card_read("gpulink0", 0, "subheader_bytes"), "5 untouched");
	config_free(&config);
}

static void test_failures(void **state)
{
	struct config config;
	unsigned failures;

	(void)state;
	card_make("gpulink0", "a0", 3);
	card_write("gpulink0", 1, "broken", "");
	read_text(&config, "[defaults]\nsubheader_bytes = 5\n[card gpulink0 partition 7]\ncoalesce = 0\n"
			   "[card gpulink0 partition 0]\nendpoint = 0000:00:1e.0 0\n");
	assert_int_equal(apply_to_all(&config, false, &failures), 1);
	assert_int_equal(failures, 3);
	assert_string_equal(card_read("gpulink0", 0, "subheader_bytes"), "5");
	assert_string_equal(card_read("gpulink0", 1, "subheader_bytes"), "4");
	assert_string_equal(card_read("gpulink0", 2, "subheader_bytes"), "5");
	assert_string_equal(card_read("gpulink0", 0, "endpoint"), "none");
	assert_int_equal(apply_to_card(&config, "gpulink5", true), 1);
	config_free(&config);
}

/* What a card lacks of a policy is no failure; as a key of its own it is. */
static void test_policy(void **state)
{
	struct config config;
	unsigned failures;

	(void)state;
	card_make("gpulink0", "a0", 2);
	card_make("gpulink1", "a1", 1);
	card_write("gpulink0", 0, "packing", "1");
	card_write("gpulink0", 0, "compact", "1");
	card_write("gpulink0", 1, "packing", "0");
	card_write("gpulink0", 1, "compact", "0");
	read_text(&config, "[defaults]\npolicy = paper\n[card gpulink0 partition 1]\npolicy = best\ncompact = 0\n");
	assert_int_equal(apply_to_all(&config, false, &failures), 2);
	assert_int_equal(failures, 0);
	assert_string_equal(card_read("gpulink0", 0, "subheader_bytes"), "5");
	assert_string_equal(card_read("gpulink0", 0, "packing"), "0");
	assert_string_equal(card_read("gpulink0", 0, "compact"), "0");
	assert_string_equal(card_read("gpulink0", 1, "subheader_bytes"), "6");
	assert_string_equal(card_read("gpulink0", 1, "packing"), "1");
	assert_string_equal(card_read("gpulink0", 1, "compact"), "0");
	assert_string_equal(card_read("gpulink1", 0, "subheader_bytes"), "5");
	config_free(&config);
	read_text(&config, "[defaults]\npolicy = best\npacking = 1\n");
	assert_int_equal(apply_to_all(&config, false, &failures), 2);
	assert_int_equal(failures, 1);
	config_free(&config);
}

/* Link settings in [defaults] skip cards without a link; in a card's section they are an error. */
static void test_link(void **state)
{
	struct config config;
	unsigned failures;

	(void)state;
	card_make("gpulink0", "a0", 2);
	card_make("gpulink1", "b1", 1);
	card_make_link("gpulink1");
	card_write("gpulink1", 0, "open", "0\n");
	read_text(&config, "[defaults]\nlink_trim_bytes = 8\nlink_stitching = 0\n"
			   "[card gpulink1]\nlink_stitching = 1\nlink_pool_cycles = 64\nlink_timeout_ns = 10000000000\n"
			   "[card gpulink1 partition 0]\nopen = 1\nendpoint = link 7\n");
	assert_int_equal(apply_to_all(&config, false, &failures), 2);
	assert_int_equal(failures, 0);
	assert_string_equal(card_read_link("gpulink1", "trim_bytes"), "8");
	assert_string_equal(card_read_link("gpulink1", "stitching"), "1");
	assert_string_equal(card_read_link("gpulink1", "pool_cycles"), "64");
	assert_string_equal(card_read_link("gpulink1", "timeout_ns"), "10000000000");
	assert_string_equal(card_read_link("gpulink1", "burst"), "1");
	assert_string_equal(card_read("gpulink1", 0, "open"), "1");
	assert_string_equal(card_read("gpulink1", 0, "endpoint"), "link 7");
	config_free(&config);
	read_text(&config, "[card gpulink0]\nlink_burst = 3\nlink_enable = 0\n");
	apply_to_all(&config, false, &failures);
	assert_int_equal(failures, 2);
	config_free(&config);
}

/* The partition's ranges become exactly those of the configuration. */
static void test_ranges(void **state)
{
	struct config config;
	unsigned failures;

	(void)state;
	card_make("gpulink0", "a0", 3);
	card_write("gpulink0", 0, "endpoint", "pool\n");
	card_write("gpulink0", 0, "ranges", "same 4096 8192 3 7 4294967295\nother 0 4096 1 7 4294967295\ngone 0 4096 1 7 8\n");
	card_write("gpulink0", 1, "endpoint", "pool\n");
	card_write("gpulink0", 1, "ranges", "kept 0 4096 1 7 8\n");
	card_write("gpulink0", 2, "endpoint", "pool\n");
	card_write("gpulink0", 2, "ranges", "gone 0 4096 1 7 8\n");
	read_text(&config, "[card gpulink0 partition 0]\nrange same = 4K 8K rw user=7\nrange other = 0 4K rw user=7\n"
			   "range whole = 1M all r group=9\nrange beyond = 64M 4K r group=9\n"
			   "[card gpulink0 partition 2]\nendpoint = pool\n");
	assert_int_equal(apply_to_all(&config, false, &failures), 1);
	assert_int_equal(failures, 1);
	assert_string_equal(card_line("gpulink0", 0, "ranges", 0), "same 4096 8192 3 7 4294967295");
	assert_string_equal(card_line("gpulink0", 0, "ranges", 1), "other 0 4096 3 7 4294967295");
	assert_string_equal(card_line("gpulink0", 0, "ranges", 2), "whole 1048576 66060288 1 4294967295 9");
	assert_string_equal(card_line("gpulink0", 0, "ranges", 3), "");
	assert_string_equal(card_line("gpulink0", 1, "ranges", 0), "kept 0 4096 1 7 8");
	assert_string_equal(card_line("gpulink0", 2, "ranges", 0), "");
	config_free(&config);
	/* Not on another endpoint than the configured one. */
	card_write("gpulink0", 1, "broken", "");
	read_text(&config, "[card gpulink0 partition 1]\nendpoint = 0000:00:09.0 0\nrange x = 0 4K rw user=7\n");
	assert_int_equal(apply_to_all(&config, false, &failures), 1);
	assert_int_equal(failures, 1);
	assert_string_equal(card_line("gpulink0", 1, "ranges", 0), "");
	config_free(&config);
}

/* A range whose owner does not exist is not granted; all others are. */
static void test_unknown_owner(void **state)
{
	struct config config;
	unsigned failures;

	(void)state;
	card_make("gpulink0", "a0", 1);
	card_write("gpulink0", 0, "endpoint", "pool\n");
	card_write("gpulink0", 0, "ranges", "a 0 4096 3 4294967295 7\n");
	read_text(&config,
		  "[card gpulink0 partition 0]\nsubheader_bytes = 5\nrange a = 0 4K rw user=nobody-has-this-name group=7\n"
		  "range b = 4K 4K rw user=7\n");
	assert_int_equal(apply_to_all(&config, false, &failures), 1);
	assert_int_equal(failures, 1);
	assert_string_equal(card_read("gpulink0", 0, "subheader_bytes"), "5");
	assert_string_equal(card_line("gpulink0", 0, "ranges", 0), "b 4096 4096 3 7 4294967295");
	assert_string_equal(card_line("gpulink0", 0, "ranges", 1), "");
	config_free(&config);
}

static void test_no_cards(void **state)
{
	struct config config;
	unsigned failures;

	(void)state;
	read_text(&config, "[card gpulink0]\nsubheader_bytes = 5\n");
	assert_int_equal(apply_to_all(&config, false, &failures), 0);
	assert_int_equal(failures, 0);
	config_free(&config);
}

static int set_up(void **state)
{
	(void)state;
	card_folder_make();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	card_folder_remove();
	return 0;
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_applied),   CASE(test_unchanged_settings),
		CASE(test_lost_card), CASE(test_failures),
		CASE(test_policy),    CASE(test_link),
		CASE(test_ranges),    CASE(test_unknown_owner),
		CASE(test_no_cards),
	};

	return cmocka_run_group_tests_name("gpulinkd applying", tests, NULL, NULL);
}
