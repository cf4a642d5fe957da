// SPDX-License-Identifier: Apache-2.0
/* The administration functions over a fake sysfs: what they read and write. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <gpulink_admin.h>

#include "admin_folder.h"

#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))
#define SETTINGS  ((unsigned)GPULINK_SETTINGS)

/* --- settings --- */

static void settings(void **state)
{
	static const struct {
		const char *name;
		uint64_t good[8], bad[8];
		unsigned good_count, bad_count;
	} cases[] = {
		[GPULINK_SUBHEADER_BYTES] = { "subheader_bytes", { 2, 3, 4, 5, 6 }, { 0, 1, 7, 8, UINT64_MAX }, 5, 5 },
		[GPULINK_MAX_PAYLOAD_BYTES] = { "max_payload_bytes", { 128, 256, 512, 1024, 2048, 4096 },
						{ 0, 1, 64, 127, 384, 8192, 4097, UINT64_C(1) << 63 }, 6, 8 },
		[GPULINK_FLUSH_TIMEOUT_NS] = { "flush_timeout_ns", { 0, 1, 999999999, 1000000000 },
					       { 1000000001, UINT64_MAX }, 4, 2 },
		[GPULINK_COALESCE] = { "coalesce", { 0, 1 }, { 2, UINT64_MAX }, 2, 2 },
	};
	char file[64], number[32];

	(void)state;
	folder_add_card(0, 2);
	folder_add_settings("gpulink0/partitions/1");
	for (unsigned s = 0; s < SETTINGS; s++) {
		unsigned of = s < LENGTH(cases) ? s : GPULINK_COALESCE; /* the others have one bit, too */

		assert_true(of != s || !strcmp(gpulink_setting_name(s), cases[s].name));
		assert_true(strlen(gpulink_setting_allowed(s)) > 3);
		snprintf(file, sizeof(file), "gpulink0/partitions/1/%s", gpulink_setting_name(s));
		for (unsigned i = 0; i < cases[of].good_count; i++) {
			assert_int_equal(gpulink_setting_valid(s, cases[of].good[i]), 1);
			assert_int_equal(gpulink_admin_set("gpulink0", 1, s, cases[of].good[i]), 0);
			snprintf(number, sizeof(number), "%llu", (unsigned long long)cases[of].good[i]);
			assert_string_equal(folder_read(file), number);
		}
		folder_write(file, "untouched\n");
		for (unsigned i = 0; i < cases[of].bad_count; i++) {
			assert_int_equal(gpulink_setting_valid(s, cases[of].bad[i]), 0);
			assert_int_equal(gpulink_admin_set("gpulink0", 1, s, cases[of].bad[i]), -GPULINK_EINVAL);
			assert_string_equal(folder_read(file), "untouched");
		}
	}
	assert_string_equal(folder_read("gpulink0/partitions/0/subheader_bytes"), "2"); /* the other partition */
}

static void unknown_settings(void **state)
{
	static const int numbers[] = { -1, SETTINGS, 1000 };

	(void)state;
	folder_add_card(0, 1);
	for (unsigned i = 0; i < LENGTH(numbers); i++) {
		enum gpulink_setting setting;

		memcpy(&setting, &numbers[i], sizeof(setting));
		assert_null(gpulink_setting_name(setting));
		assert_null(gpulink_setting_allowed(setting));
		assert_int_equal(gpulink_setting_valid(setting, 0), 0);
		assert_int_equal(gpulink_admin_set("gpulink0", 0, setting, 1), -GPULINK_EINVAL);
	}
}

/* --- the link --- */

static void link_settings(void **state)
{
	static const uint64_t most[GPULINK_LINK_SETTINGS] = { 1, 1, 1, 1, 1, 1, 1, 128, 255, 32, 10000000000 };
	static const uint64_t least[GPULINK_LINK_SETTINGS] = { 0, 0, 0, 0, 0, 0, 0, 0, 1, 4, 1000 };
	char file[64], number[32];

	(void)state;
	folder_add_card(0, 1);
	folder_add_link(0);
	for (unsigned s = 0; s < GPULINK_LINK_SETTINGS; s++) {
		const uint64_t values[] = { least[s], most[s] };

		snprintf(file, sizeof(file), "gpulink0/link/%s", gpulink_link_setting_name(s));
		assert_true(strlen(gpulink_link_setting_allowed(s)) > 3);
		for (unsigned i = 0; i < LENGTH(values); i++) {
			assert_int_equal(gpulink_admin_set_link("gpulink0", s, values[i]), 0);
			snprintf(number, sizeof(number), "%llu", (unsigned long long)values[i]);
			assert_string_equal(folder_read(file), number);
		}
		assert_int_equal(gpulink_admin_set_link("gpulink0", s, most[s] + 1), -GPULINK_EINVAL);
		assert_int_equal(gpulink_admin_set_link("gpulink0", s, least[s] - 1), -GPULINK_EINVAL);
		assert_string_equal(folder_read(file), number);
	}
	assert_int_equal(gpulink_link_setting_valid(GPULINK_LINK_TRIM_BYTES, 12), 0);
	assert_null(gpulink_link_setting_name(GPULINK_LINK_SETTINGS));
	assert_null(gpulink_link_setting_allowed(GPULINK_LINK_SETTINGS));
	assert_int_equal(gpulink_admin_set_link("gpulink0", GPULINK_LINK_SETTINGS, 0), -GPULINK_EINVAL);
	assert_int_equal(gpulink_admin_set_link(NULL, GPULINK_LINK_ENABLE, 0), -GPULINK_EINVAL);
}

static void link_state(void **state)
{
	uint64_t counters[GPULINK_LINK_COUNTERS];
	struct gpulink_admin_link link;

	(void)state;
	folder_add_card(2, 1);
	folder_add_link(2);
	assert_int_equal(gpulink_admin_get_link("gpulink2", &link, sizeof(link)), 0);
	assert_string_equal(link.state, "down");
	assert_string_equal(link.peer_cluster, "none");
	assert_string_equal(link.peer_serial, "none");
	assert_int_equal(link.cluster, 3);
	assert_int_equal(link.peer_compact, 1);
	assert_int_equal(link.queue_flits, 1024);
	assert_int_equal(link.queued_flits, 17);
	for (unsigned s = 0; s < GPULINK_LINK_SETTINGS; s++)
		assert_int_equal(link.settings[s], s + 1);
	assert_int_equal(gpulink_admin_get_link_counters("gpulink2", counters, GPULINK_LINK_COUNTERS), 0);
	for (unsigned i = 0; i < GPULINK_LINK_COUNTERS; i++)
		assert_int_equal(counters[i], 7000 + i);
	assert_string_equal(gpulink_link_counter_name(0), "flits_in");
	assert_string_equal(gpulink_link_counter_name(GPULINK_LINK_COUNTERS - 1), "waited_atomic_response");
	assert_null(gpulink_link_counter_name(GPULINK_LINK_COUNTERS));
	folder_remove_file("gpulink2/link/peer_compact");
	assert_int_equal(gpulink_admin_get_link("gpulink2", &link, sizeof(link)), 0);
	assert_int_equal(link.peer_compact, 0);
	folder_write("gpulink2/link/queue_flits", "4294967296\n");
	assert_int_equal(gpulink_admin_get_link("gpulink2", &link, sizeof(link)), -GPULINK_EPROTO);
	assert_int_equal(gpulink_admin_get_link("gpulink2", NULL, 8), -GPULINK_EINVAL);
	assert_int_equal(gpulink_admin_get_link_counters("gpulink2", NULL, GPULINK_LINK_COUNTERS), -GPULINK_EINVAL);
}

/* A card without a link, and a missing card. */
static void no_link(void **state)
{
	uint64_t counters[GPULINK_LINK_COUNTERS];
	struct gpulink_admin_partition partition;
	struct gpulink_admin_link link;

	(void)state;
	folder_add_card(0, 1);
	assert_int_equal(gpulink_admin_get_link("gpulink0", &link, sizeof(link)), -GPULINK_ENOTSUP);
	assert_int_equal(gpulink_admin_get_link_counters("gpulink0", counters, GPULINK_LINK_COUNTERS), -GPULINK_ENOTSUP);
	assert_int_equal(gpulink_admin_set_link("gpulink0", GPULINK_LINK_ENABLE, 0), -GPULINK_ENOTSUP);
	assert_int_equal(gpulink_admin_get_partition("gpulink0", 0, &partition, sizeof(partition)), 0);
	for (enum gpulink_setting s = GPULINK_OPEN; s < GPULINK_SETTINGS; s++) {
		assert_int_equal(partition.settings[s], 0);
		assert_int_equal(gpulink_admin_set("gpulink0", 0, s, 1), -GPULINK_ENOTSUP);
	}
	assert_int_equal(gpulink_admin_get_link("gpulink1", &link, sizeof(link)), -GPULINK_ENODEV);
	assert_int_equal(gpulink_admin_get_link_counters("gpulink1", counters, GPULINK_LINK_COUNTERS), -GPULINK_ENODEV);
	assert_int_equal(gpulink_admin_set_link("gpulink1", GPULINK_LINK_ENABLE, 0), -GPULINK_ENODEV);
}

/* --- cards --- */

static void list(void **state)
{
	static const unsigned numbers[] = { 10, 2, 100, 0, 9, 11 };
	static const char *const wanted[] = { "gpulink0", "gpulink2", "gpulink9", "gpulink10", "gpulink11", "gpulink100" };
	static const char *const others[] = { "version", "gpulink", "gpulinkx", "gpulink1x", "gpulink-1", "Gpulink1",
					      "xgpulink1", "gpulink 1", "gpulink000000001", ".gpulink1" };
	char names[LENGTH(numbers) + 1][16];

	(void)state;
	assert_int_equal(gpulink_admin_list(names, 6), 0);
	for (unsigned i = 0; i < LENGTH(others); i++)
		folder_write(others[i], "");
	assert_int_equal(gpulink_admin_list(names, 6), 0);
	for (unsigned i = 0; i < LENGTH(numbers); i++)
		folder_add_card(numbers[i], 1);
	memset(names, 'x', sizeof(names));
	assert_int_equal(gpulink_admin_list(names, 7), 6);
	for (unsigned i = 0; i < 6; i++)
		assert_string_equal(names[i], wanted[i]);
	assert_int_equal(names[6][0], 'x');
	memset(names, 'x', sizeof(names));
	assert_int_equal(gpulink_admin_list(names, 2), 6); /* the first two, and the total */
	assert_string_equal(names[1], wanted[1]);
	assert_int_equal(names[2][0], 'x');
	assert_int_equal(gpulink_admin_list(NULL, 0), 6);
}

static void list_without_driver(void **state)
{
	char names[1][16];
	FILE *file;

	(void)state;
	assert_int_equal(rmdir(GLK_SYSFS), 0);
	assert_int_equal(gpulink_admin_list(names, 1), 0);
	file = fopen(GLK_SYSFS, "we");
	assert_non_null(file);
	fclose(file);
	assert_int_equal(gpulink_admin_list(names, 1), -GPULINK_ENODEV);
}

static void info(void **state)
{
	struct gpulink_admin_info info;

	(void)state;
	folder_add_card(0, 16);
	folder_add_card(12, 3);
	memset(&info, 0xa5, sizeof(info));
	assert_int_equal(gpulink_admin_get_info("gpulink12", &info, sizeof(info)), 0);
	assert_string_equal(info.name, "gpulink12");
	assert_string_equal(info.pci_address, "0000:00:10.0");
	assert_string_equal(info.serial, "0000000000abc00c");
	assert_string_equal(info.hw_version, "1.0.12");
	assert_string_equal(info.driver_version, "0.1.12");
	assert_string_equal(info.link_state, "loopback");
	assert_string_equal(info.state, "live");
	assert_int_equal(info.generation, 19);
	assert_int_equal(info.partitions, 3);
	assert_int_equal(info.queue_entries, 64);
	assert_int_equal(info.contexts, 44);
	assert_int_equal(gpulink_admin_get_info("gpulink0", &info, sizeof(info)), 0);
	assert_int_equal(info.partitions, 16);
	assert_int_equal(info.generation, 7);
	assert_int_equal(gpulink_admin_get_info("gpulink0", NULL, 8), -GPULINK_EINVAL);
	assert_int_equal(gpulink_admin_get_info(NULL, &info, sizeof(info)), -GPULINK_EINVAL);
}

static void partitions_and_counters(void **state)
{
	struct gpulink_admin_partition partition;
	struct gpulink_counters counters;
	uint64_t values[sizeof(counters) / 8];

	(void)state;
	folder_add_card(0, 2);
	folder_add_card(3, 5);
	memset(&partition, 0xa5, sizeof(partition));
	assert_int_equal(gpulink_admin_get_partition("gpulink3", 4, &partition, sizeof(partition)), 0);
	assert_int_equal(partition.settings[GPULINK_SUBHEADER_BYTES], 6);
	assert_int_equal(partition.settings[GPULINK_MAX_PAYLOAD_BYTES], 2048);
	assert_int_equal(partition.settings[GPULINK_FLUSH_TIMEOUT_NS], 4000);
	assert_int_equal(partition.settings[GPULINK_COALESCE], 0);
	assert_string_equal(partition.endpoint, "0000:00:0c.0 3");
	assert_int_equal(partition.endpoint_bytes, 5 * 65536);
	assert_int_equal(gpulink_admin_get_counters("gpulink3", 4, &counters, sizeof(counters)), 0);
	memcpy(values, &counters, sizeof(values));
	for (unsigned i = 0; i < LENGTH(values); i++)
		assert_int_equal(values[i], 3004000 + i);
	assert_int_equal(counters.stores, 3004000);
	assert_int_equal(counters.flush_window_miss, 3004008);
	assert_int_equal(counters.flush_drain, 3004016);
	assert_int_equal(counters.err_endpoint, 3004021);
	assert_int_equal(counters.region_bytes, 3004023);
	assert_int_equal(gpulink_admin_get_card_counters("gpulink3", values, GPULINK_CARD_COUNTERS + 1), 0);
	assert_true(values[0] == 5000 && values[GPULINK_CARD_COUNTERS - 1] == 5011 && !values[GPULINK_CARD_COUNTERS]);
	assert_string_equal(gpulink_card_counter_name(11), "err_arrive");
	assert_null(gpulink_card_counter_name(GPULINK_CARD_COUNTERS));
	assert_int_equal(gpulink_admin_get_card_counters("gpulink9", values, 1), -GPULINK_ENODEV);
	assert_int_equal(gpulink_admin_get_card_counters("gpulink3", NULL, 1), -GPULINK_EINVAL);
	folder_write("gpulink0/partitions/1/counters/loads", "18446744073709551615\n");
	assert_int_equal(gpulink_admin_get_counters("gpulink0", 1, &counters, sizeof(counters)), 0);
	assert_true(counters.loads == UINT64_MAX);
	assert_int_equal(gpulink_admin_get_partition("gpulink0", 0, NULL, 8), -GPULINK_EINVAL);
	assert_int_equal(gpulink_admin_get_counters("gpulink0", 0, NULL, 8), -GPULINK_EINVAL);
}

static void pools(void **state)
{
	uint64_t values[GPULINK_POOL_COUNTERS + 1];
	struct gpulink_admin_pool pool;

	(void)state;
	folder_add_card(0, 2);
	assert_int_equal(gpulink_admin_get_pool("gpulink0", &pool, sizeof(pool)), -GPULINK_ENOTSUP);
	assert_int_equal(gpulink_admin_get_pool_counters("gpulink0", values, 1), -GPULINK_ENOTSUP);
	assert_int_equal(gpulink_admin_get_pool("gpulink1", &pool, sizeof(pool)), -GPULINK_ENODEV);
	folder_add_pool(0);
	assert_int_equal(gpulink_admin_get_pool("gpulink0", &pool, sizeof(pool)), 0);
	assert_string_equal(pool.partition, "5");
	assert_true(pool.bytes == 11 && pool.free == 12 && pool.objects == 13 && pool.read_lease == 14 &&
		    pool.write_lease == 15 && pool.adapt == 16 && pool.epoch == 17 && pool.clock == 18);
	assert_int_equal(gpulink_admin_get_pool_counters("gpulink0", values, GPULINK_POOL_COUNTERS + 1), 0);
	assert_true(values[0] == 8000 && values[7] == 8007 && !values[8]);
	assert_string_equal(gpulink_pool_counter_name(7), "errors");
	assert_null(gpulink_pool_counter_name(GPULINK_POOL_COUNTERS));
	assert_int_equal(gpulink_admin_get_pool(NULL, &pool, sizeof(pool)), -GPULINK_EINVAL);
	assert_int_equal(gpulink_admin_get_pool_counters("gpulink0", NULL, 1), -GPULINK_EINVAL);
}

static void endpoint(void **state)
{
	static const char *const good[] = { "0000:00:05.0 0", "pool", "none", "0000:00:1f.7 5" };
	struct gpulink_admin_partition partition;

	(void)state;
	folder_add_card(0, 2);
	for (unsigned i = 0; i < LENGTH(good); i++) {
		assert_int_equal(gpulink_admin_set_endpoint("gpulink0", 1, good[i]), 0);
		assert_string_equal(folder_read("gpulink0/partitions/1/endpoint"), good[i]);
		assert_int_equal(gpulink_admin_get_partition("gpulink0", 1, &partition, sizeof(partition)), 0);
		assert_string_equal(partition.endpoint, good[i]);
	}
	assert_string_equal(folder_read("gpulink0/partitions/0/endpoint"), "0000:00:08.0 0");
	folder_write("gpulink0/partitions/1/endpoint", "untouched\n");
	assert_int_equal(gpulink_admin_set_endpoint("gpulink0", 1, NULL), -GPULINK_EINVAL);
	assert_int_equal(gpulink_admin_set_endpoint("gpulink0", 1, ""), -GPULINK_EINVAL);
	assert_int_equal(gpulink_admin_set_endpoint("gpulink0", 1, "pool\n"), -GPULINK_EINVAL);
	assert_int_equal(gpulink_admin_set_endpoint("gpulink0", 1, "pool\nnone"), -GPULINK_EINVAL);
	assert_int_equal(gpulink_admin_set_endpoint("gpulink0", 1, "71 characters, which are more than fit into what the driver reads at on"),
			 -GPULINK_EINVAL);
	assert_string_equal(folder_read("gpulink0/partitions/1/endpoint"), "untouched");
	assert_int_equal(gpulink_admin_set_endpoint("gpulink0", 1, "70 characters: the driver says no more, since it has no room for more."), 0);
	assert_string_equal(folder_read("gpulink0/partitions/1/endpoint"), "70 characters: the driver says no more, since it has no room for more.");
}

static void reset(void **state)
{
	(void)state;
	folder_add_card(0, 1);
	folder_add_card(1, 1);
	assert_int_equal(gpulink_admin_reset("gpulink1"), 0);
	assert_string_equal(folder_read("gpulink1/reset"), "1");
	assert_string_equal(folder_read("gpulink0/reset"), "");
}

static void ranges(void **state)
{
	struct gpulink_admin_range all[4], range = {
		.name = "a-b", .offset = 8192, .bytes = 4096, .rights = GPULINK_READ, .user = 7, .group = GPULINK_NO_OWNER
	};

	(void)state;
	folder_add_card(0, 2);
	assert_int_equal(gpulink_admin_list_ranges("gpulink0", 1, all, 4), 0);
	assert_int_equal(gpulink_admin_add_range("gpulink0", 1, &range), 0);
	assert_string_equal(folder_read("gpulink0/partitions/1/ranges/add"), "a-b 8192 4096 7 - r");
	range = (struct gpulink_admin_range){ .name = "w", .offset = 8192, .bytes = GPULINK_RANGE_ALL, .group = 0,
					      .rights = GPULINK_READ | GPULINK_WRITE, .user = GPULINK_NO_OWNER };
	assert_int_equal(gpulink_admin_add_range("gpulink0", 1, &range), 0);
	assert_string_equal(folder_read("gpulink0/partitions/1/ranges/add"), "w 8192 122880 - 0 rw");
	assert_int_equal(gpulink_admin_add_range("gpulink0", 2, &range), -GPULINK_EINVAL);
	assert_int_equal(gpulink_admin_add_range("gpulink1", 0, &range), -GPULINK_ENODEV);
	range.rights = 4;
	assert_int_equal(gpulink_admin_add_range("gpulink0", 1, &range), -GPULINK_EINVAL);
	range.rights = GPULINK_WRITE;
	strcpy(range.name, "x y");
	assert_int_equal(gpulink_admin_add_range("gpulink0", 1, &range), -GPULINK_EINVAL);
	memset(range.name, 'a', sizeof(range.name));
	assert_int_equal(gpulink_admin_add_range("gpulink0", 1, &range), -GPULINK_EINVAL);
	assert_int_equal(gpulink_admin_add_range("gpulink0", 1, NULL), -GPULINK_EINVAL);
	assert_string_equal(folder_read("gpulink0/partitions/1/ranges/add"), "w 8192 122880 - 0 rw");
	folder_add_range("gpulink0/partitions/1/ranges/z", "0", "4096", "4294967294", "-", "w");
	folder_add_range("gpulink0/partitions/1/ranges/a", "4096", "18446744073709547520", "-", "0", "rw");
	assert_int_equal(gpulink_admin_list_ranges("gpulink0", 1, NULL, 0), 2);
	assert_int_equal(gpulink_admin_list_ranges("gpulink0", 1, all, 4), 2);
	assert_string_equal(all[0].name, "a");
	assert_true(all[0].offset == 4096 && all[0].bytes == UINT64_MAX - 4095 && all[0].user == GPULINK_NO_OWNER &&
		    all[0].group == 0 && all[0].rights == (GPULINK_READ | GPULINK_WRITE));
	assert_true(all[1].user == 4294967294 && all[1].group == GPULINK_NO_OWNER && all[1].rights == GPULINK_WRITE);
	folder_write("gpulink0/partitions/1/ranges/a/rights", "x\n");
	assert_int_equal(gpulink_admin_list_ranges("gpulink0", 1, all, 4), -GPULINK_EPROTO);
	assert_int_equal(gpulink_admin_list_ranges("gpulink0", 2, all, 4), -GPULINK_EINVAL);
	assert_int_equal(gpulink_admin_remove_range("gpulink0", 1, "z"), 0);
	assert_string_equal(folder_read("gpulink0/partitions/1/ranges/remove"), "z");
	assert_int_equal(gpulink_admin_remove_range("gpulink0", 1, "../z"), -GPULINK_EINVAL);
	folder_write_error = ENOENT;
	assert_int_equal(gpulink_admin_remove_range("gpulink0", 1, "nothing"), -GPULINK_EINVAL);
	folder_write_error = 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(settings),	     TEST(unknown_settings), TEST(list),  TEST(list_without_driver),
		TEST(info),	     TEST(partitions_and_counters), TEST(pools), TEST(endpoint), TEST(reset),
		TEST(link_settings), TEST(link_state),	     TEST(no_link), TEST(ranges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
