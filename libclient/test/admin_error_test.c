// SPDX-License-Identifier: Apache-2.0
/* The administration functions over a fake sysfs: missing and invalid names, files, values and rights; errors of the kernel. */
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

/* --- missing cards, partitions and files --- */

/* Every call about partition `k` of a card gives this. */
static void all_give(const char *card, unsigned k, int error)
{
	struct gpulink_admin_partition partition;
	struct gpulink_counters counters;

	assert_int_equal(gpulink_admin_get_partition(card, k, &partition, sizeof(partition)), -error);
	assert_int_equal(gpulink_admin_get_counters(card, k, &counters, sizeof(counters)), -error);
	assert_int_equal(gpulink_admin_set(card, k, GPULINK_COALESCE, 1), -error);
	assert_int_equal(gpulink_admin_set_endpoint(card, k, "pool"), -error);
}

static void missing(void **state)
{
	struct gpulink_admin_info info;

	(void)state;
	folder_add_card(0, 2);
	all_give("gpulink1", 0, GPULINK_ENODEV);
	all_give("gpulink0", 2, GPULINK_EINVAL);
	all_give("gpulink0", 1000, GPULINK_EINVAL);
	all_give("gpulink0", UINT32_MAX, GPULINK_EINVAL);
	assert_int_equal(gpulink_admin_get_info("gpulink1", &info, sizeof(info)), -GPULINK_ENODEV);
	assert_int_equal(gpulink_admin_reset("gpulink1"), -GPULINK_ENODEV);
}

/* Names that are paths to existing files elsewhere. */
static void names(void **state)
{
	static const char *const bad[] = {
		"", ".", "..", "/", "gpulink", "gpulink0/", "gpulink0/.", "gpulink0/../gpulink0", "../sysfs/gpulink0",
		"./gpulink0", "gpulink0/partitions", "other", "gpulinkx", "gpulink0x", "gpulink0 ", " gpulink0", "gpulink0\n",
		"Gpulink0", "gpulink+0", "gpulink-0", "gpulink 0", "gpulink0x0", "gpulink000000000", "gpulink0\\", NULL,
	};
	struct gpulink_admin_info info;
	char path[64];

	(void)state;
	folder_add_card(0, 1);
	snprintf(path, sizeof(path), "%s/other", GLK_SYSFS);
	assert_int_equal(symlink("gpulink0", path), 0);
	snprintf(path, sizeof(path), "%s/gpulinkx", GLK_SYSFS);
	assert_int_equal(symlink("gpulink0", path), 0);
	snprintf(path, sizeof(path), "%s/gpulink000000000", GLK_SYSFS);
	assert_int_equal(symlink("gpulink0", path), 0);
	for (unsigned i = 0; i < LENGTH(bad); i++) {
		all_give(bad[i], 0, GPULINK_ENODEV);
		if (bad[i])
			assert_int_equal(gpulink_admin_get_info(bad[i], &info, sizeof(info)), -GPULINK_ENODEV);
		assert_int_equal(gpulink_admin_reset(bad[i]), -GPULINK_ENODEV);
	}
	assert_string_equal(folder_read("gpulink0/reset"), "");
	assert_string_equal(folder_read("gpulink0/partitions/0/endpoint"), "0000:00:08.0 0");
}

/* A driver that is older than the library: what it has is there, the rest is unknown. */
static void missing_files(void **state)
{
	static const char *const of_card[] = { "serial", "hw_version", "driver_version", "link_state", "state", "generation",
					       "contexts", "queue_entries", "device" };
	struct gpulink_admin_partition partition;
	struct gpulink_admin_info info;
	struct gpulink_counters counters;
	uint64_t values[GPULINK_CARD_COUNTERS];
	char file[64];

	(void)state;
	folder_add_card(0, 2);
	for (unsigned i = 0; i < LENGTH(of_card); i++) {
		snprintf(file, sizeof(file), "gpulink0/%s", of_card[i]);
		folder_remove_file(file);
		assert_int_equal(gpulink_admin_get_info("gpulink0", &info, sizeof(info)), 0);
		assert_string_equal(info.serial, "unknown"); /* the first to go */
		assert_string_equal(info.pci_address, i < 8 ? "0000:00:04.0" : "unknown");
		assert_string_equal(info.state, i < 4 ? "live" : "unknown");
		assert_true(info.generation == (i < 5 ? 7 : GPULINK_UNKNOWN));
		assert_int_equal(info.queue_entries, i < 7 ? 64 : UINT32_MAX);
		assert_int_equal(info.partitions, 2);
	}
	folder_remove_file("gpulink0/partitions/1/max_payload_bytes");
	folder_remove_file("gpulink0/partitions/1/endpoint_bytes");
	assert_int_equal(gpulink_admin_get_partition("gpulink0", 1, &partition, sizeof(partition)), 0);
	assert_int_equal(partition.settings[GPULINK_SUBHEADER_BYTES], 3);
	assert_true(partition.settings[GPULINK_MAX_PAYLOAD_BYTES] == GPULINK_UNKNOWN);
	assert_true(partition.endpoint_bytes == GPULINK_UNKNOWN);
	assert_int_equal(partition.settings[GPULINK_COMPACT], 0); /* what some cards lack is off */
	assert_int_equal(gpulink_admin_set("gpulink0", 1, GPULINK_MAX_PAYLOAD_BYTES, 128), -GPULINK_ENOTSUP);
	folder_remove_file("gpulink0/partitions/1/counters/err_endpoint");
	assert_int_equal(gpulink_admin_get_counters("gpulink0", 1, &counters, sizeof(counters)), 0);
	assert_true(counters.err_endpoint == GPULINK_UNKNOWN && counters.region_bytes == 1023);
	folder_remove_file("gpulink0/counters/err_window");
	for (unsigned i = GPULINK_CARD_COUNTERS - 1; i > 0; i--) { /* the newest first, as for older and older drivers */
		snprintf(file, sizeof(file), "gpulink0/counters/%s", gpulink_card_counter_name(i));
		assert_int_equal(gpulink_admin_get_card_counters("gpulink0", values, GPULINK_CARD_COUNTERS), 0);
		assert_true(values[0] == GPULINK_UNKNOWN && values[i] == 5000 + i);
		folder_remove_file(file);
	}
	assert_int_equal(gpulink_admin_get_card_counters("gpulink0", values, GPULINK_CARD_COUNTERS), -GPULINK_ENOTSUP);
}

static void missing_files_of_link_and_pool(void **state)
{
	uint64_t values[GPULINK_LINK_COUNTERS];
	struct gpulink_admin_link link;
	struct gpulink_admin_pool pool;

	(void)state;
	folder_add_card(0, 1);
	folder_add_link(0);
	folder_add_pool(0);
	folder_remove_file("gpulink0/link/yielding");
	folder_remove_file("gpulink0/link/peer_serial");
	folder_remove_file("gpulink0/link/queued_flits");
	assert_int_equal(gpulink_admin_get_link("gpulink0", &link, sizeof(link)), 0);
	assert_true(link.settings[GPULINK_LINK_YIELDING] == GPULINK_UNKNOWN && link.queued_flits == UINT32_MAX);
	assert_string_equal(link.peer_serial, "unknown");
	assert_int_equal(link.settings[GPULINK_LINK_TIMEOUT_NS], GPULINK_LINK_TIMEOUT_NS + 1);
	assert_int_equal(gpulink_admin_set_link("gpulink0", GPULINK_LINK_YIELDING, 1), -GPULINK_ENOTSUP);
	folder_remove_file("gpulink0/link_counters/ups");
	assert_int_equal(gpulink_admin_get_link_counters("gpulink0", values, GPULINK_LINK_COUNTERS), 0);
	assert_true(values[22] == GPULINK_UNKNOWN && values[23] == 7023);
	folder_remove_file("gpulink0/usage/pool_objects");
	assert_int_equal(gpulink_admin_get_pool("gpulink0", &pool, sizeof(pool)), 0);
	assert_true(pool.objects == GPULINK_UNKNOWN && pool.free == 12);
	folder_remove_file("gpulink0/pool_counters/epochs");
	assert_int_equal(gpulink_admin_get_pool_counters("gpulink0", values, GPULINK_POOL_COUNTERS), 0);
	assert_true(values[5] == GPULINK_UNKNOWN && values[6] == 8006);
}

/* A lost card is there. */
static void lost(void **state)
{
	struct gpulink_admin_range range = { .name = "a", .bytes = 4096, .rights = GPULINK_READ, .user = 7, .group = 7 };
	uint64_t values[GPULINK_LINK_COUNTERS];
	struct gpulink_admin_info info;
	struct gpulink_admin_link link;
	struct gpulink_admin_pool pool;

	(void)state;
	folder_add_card(3, 2);
	folder_add_link(3);
	folder_add_pool(3);
	folder_write("gpulink3/state", "lost\n");
	folder_lost = true;
	assert_int_equal(gpulink_admin_get_info("gpulink3", &info, sizeof(info)), 0);
	assert_string_equal(info.state, "lost");
	assert_string_equal(info.link_state, "unknown");
	assert_string_equal(info.serial, "0000000000abc003");
	assert_int_equal(info.generation, 10);
	assert_int_equal(info.partitions, 2);
	all_give("gpulink3", 1, GPULINK_EIO);
	all_give("gpulink3", 2, GPULINK_EINVAL);
	assert_int_equal(gpulink_admin_get_card_counters("gpulink3", values, 1), -GPULINK_EIO);
	assert_int_equal(gpulink_admin_get_link("gpulink3", &link, sizeof(link)), -GPULINK_EIO);
	assert_int_equal(gpulink_admin_get_link_counters("gpulink3", values, 1), -GPULINK_EIO);
	assert_int_equal(gpulink_admin_set_link("gpulink3", GPULINK_LINK_ENABLE, 1), -GPULINK_EIO);
	assert_int_equal(gpulink_admin_get_pool("gpulink3", &pool, sizeof(pool)), -GPULINK_EIO);
	assert_int_equal(gpulink_admin_get_pool_counters("gpulink3", values, 1), -GPULINK_EIO);
	assert_int_equal(gpulink_admin_add_range("gpulink3", 1, &range), -GPULINK_EIO);
	assert_int_equal(gpulink_admin_remove_range("gpulink3", 1, "a"), -GPULINK_EIO);
	assert_int_equal(gpulink_admin_reset("gpulink3"), 0);
	folder_write("gpulink3/state", "removed\n"); /* about to be no directory: not lost */
	all_give("gpulink3", 1, GPULINK_ENODEV);
	assert_int_equal(gpulink_admin_remove_range("gpulink3", 1, "a"), -GPULINK_ENODEV);
}

/* --- invalid values, unusable files --- */

static void invalid_values(void **state)
{
	static const char *const texts[] = { "", "\n", "x\n", "12x\n", "x12\n", "-1\n", "-0\n", "+1\n", " 1\n", "0x10\n",
					     "1.5\n", "1 2\n", "18446744073709551616\n",
					     "99999999999999999999999999999999999999999\n" };
	struct gpulink_admin_partition partition;
	struct gpulink_admin_info info;
	struct gpulink_counters counters;

	(void)state;
	folder_add_card(0, 2);
	for (unsigned i = 0; i < LENGTH(texts); i++) {
		static const char *const files[] = { "generation", "contexts", "queue_entries", "partitions/1/coalesce",
						     "partitions/1/endpoint_bytes", "partitions/1/counters/wire_bytes" };
		char file[64];

		print_message("# %u\n", i);
		for (unsigned f = 0; f < LENGTH(files); f++) {
			char was[32];

			snprintf(file, sizeof(file), "gpulink0/%s", files[f]);
			strcpy(was, folder_read(file));
			folder_write(file, texts[i]);
			if (f < 3)
				assert_int_equal(gpulink_admin_get_info("gpulink0", &info, sizeof(info)), -GPULINK_EPROTO);
			else if (f < 5)
				assert_int_equal(gpulink_admin_get_partition("gpulink0", 1, &partition, sizeof(partition)),
						 -GPULINK_EPROTO);
			else
				assert_int_equal(gpulink_admin_get_counters("gpulink0", 1, &counters, sizeof(counters)),
						 -GPULINK_EPROTO);
			folder_write(file, was);
		}
	}
	folder_write("gpulink0/contexts", "4294967296\n"); /* too many for 32 bits */
	assert_int_equal(gpulink_admin_get_info("gpulink0", &info, sizeof(info)), -GPULINK_EPROTO);
	folder_write("gpulink0/contexts", "4294967295"); /* the newline is optional */
	assert_int_equal(gpulink_admin_get_info("gpulink0", &info, sizeof(info)), 0);
	assert_int_equal(info.contexts, UINT32_MAX);
}

static void long_texts(void **state)
{
	struct gpulink_admin_partition partition;
	struct gpulink_admin_info info;
	char text[200];

	(void)state;
	folder_add_card(0, 1);
	memset(text, 'z', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	folder_write("gpulink0/serial", text);
	folder_write("gpulink0/link_state", text);
	folder_write("gpulink0/partitions/0/endpoint", text);
	assert_int_equal(gpulink_admin_get_info("gpulink0", &info, sizeof(info)), 0); /* cut to what fits */
	assert_int_equal(strlen(info.serial), sizeof(info.serial) - 1);
	assert_int_equal(strlen(info.link_state), sizeof(info.link_state) - 1);
	assert_int_equal(gpulink_admin_get_partition("gpulink0", 0, &partition, sizeof(partition)), 0);
	assert_int_equal(strlen(partition.endpoint), sizeof(partition.endpoint) - 1);
	folder_remove_file("gpulink0/device");
	assert_int_equal(symlink("../0000:00:04.0.that.is.longer", GLK_SYSFS "/gpulink0/device"), 0);
	assert_int_equal(gpulink_admin_get_info("gpulink0", &info, sizeof(info)), -GPULINK_EPROTO);
	folder_remove_file("gpulink0/device");
	assert_int_equal(symlink("0000:00:04.1", GLK_SYSFS "/gpulink0/device"), 0);
	assert_int_equal(gpulink_admin_get_info("gpulink0", &info, sizeof(info)), 0);
	assert_string_equal(info.pci_address, "0000:00:04.1");
}

static void without_permission(void **state)
{
	const uid_t nobody = 65534;
	uid_t me = geteuid();
	int set, set_endpoint, reset_card;

	(void)state;
	folder_add_card(0, 1);
	assert_int_equal(chmod(GLK_SYSFS "/gpulink0/partitions/0/coalesce", 0444), 0);
	assert_int_equal(chmod(GLK_SYSFS "/gpulink0/partitions/0/endpoint", 0444), 0);
	assert_int_equal(chmod(GLK_SYSFS "/gpulink0/reset", 0444), 0);
	if (me == 0) /* root may write anything */
		assert_int_equal(seteuid(nobody), 0);
	set = gpulink_admin_set("gpulink0", 0, GPULINK_COALESCE, 1);
	set_endpoint = gpulink_admin_set_endpoint("gpulink0", 0, "pool");
	reset_card = gpulink_admin_reset("gpulink0");
	assert_int_equal(seteuid(me), 0);
	assert_int_equal(set, -GPULINK_EACCES);
	assert_int_equal(set_endpoint, -GPULINK_EACCES);
	assert_int_equal(reset_card, -GPULINK_EACCES);
	assert_string_equal(folder_read("gpulink0/partitions/0/coalesce"), "0");
}

/* errno values of kernel attributes, and their codes. */
static void kernel_errors(void **state)
{
	static const struct {
		int system, code;
	} cases[] = { { EINVAL, GPULINK_EINVAL }, { ERANGE, GPULINK_EINVAL },	  { ENODEV, GPULINK_ENODEV },
		      { EACCES, GPULINK_EACCES }, { EPERM, GPULINK_EACCES },	  { EROFS, GPULINK_EACCES },
		      { ESTALE, GPULINK_EBUSY },  { EAGAIN, GPULINK_EBUSY },	  { EBUSY, GPULINK_EBUSY },
		      { EEXIST, GPULINK_EBUSY },  { ENOLINK, GPULINK_ETIMEDOUT }, { EOPNOTSUPP, GPULINK_ENOTSUP },
		      { ENXIO, GPULINK_ENOENDPOINT }, { EIO, GPULINK_EIO },	  { ENOSPC, GPULINK_ENOSPC } };
	uint64_t values[GPULINK_CARD_COUNTERS];

	(void)state;
	folder_add_card(0, 1);
	for (unsigned i = 0; i < LENGTH(cases); i++) {
		folder_write_error = cases[i].system;
		assert_int_equal(gpulink_admin_set("gpulink0", 0, GPULINK_COALESCE, 1), -cases[i].code);
		assert_int_equal(gpulink_admin_set_endpoint("gpulink0", 0, "pool"), -cases[i].code);
		assert_int_equal(gpulink_admin_reset("gpulink0"), -cases[i].code);
		folder_write_error = 0;
		folder_read_error = cases[i].system;
		assert_int_equal(gpulink_admin_get_card_counters("gpulink0", values, GPULINK_CARD_COUNTERS), -cases[i].code);
		folder_read_error = 0;
	}
	folder_write_most = 1;
	assert_int_equal(gpulink_admin_reset("gpulink0"), -GPULINK_EIO); /* a short write is an error */
	folder_write_most = SIZE_MAX;
	folder_remove_file("gpulink0/reset");
	assert_int_equal(mkdir(GLK_SYSFS "/gpulink0/reset", 0755), 0);
	assert_int_equal(gpulink_admin_reset("gpulink0"), -GPULINK_EIO);
	assert_int_equal(errno, EISDIR);
}

/* Programs compiled with an older or a newer header; nothing is written on failure. */
static void sizes(void **state)
{
	struct {
		struct gpulink_admin_info info;
		uint64_t later, end;
	} newer;
	uint64_t counters[GPULINK_LINK_COUNTERS + 2];
	struct gpulink_admin_partition older;
	struct gpulink_admin_link link;

	(void)state;
	folder_add_card(2, 2);
	memset(&newer, 0xee, sizeof(newer));
	assert_int_equal(gpulink_admin_get_info("gpulink2", &newer.info, sizeof(newer.info) + 8), 0);
	assert_true(newer.info.partitions == 2 && newer.later == 0 && newer.end == UINT64_C(0xeeeeeeeeeeeeeeee));
	memset(&older, 0xee, sizeof(older));
	assert_int_equal(gpulink_admin_get_partition("gpulink2", 1, &older, 8), 0);
	assert_true(older.settings[0] >= 2 && older.settings[0] <= 6 && older.settings[1] == UINT64_C(0xeeeeeeeeeeeeeeee));
	memset(&older, 0xee, sizeof(older));
	assert_int_equal(gpulink_admin_get_partition("gpulink2", 7, &older, sizeof(older)), -GPULINK_EINVAL);
	assert_true(older.settings[0] == UINT64_C(0xeeeeeeeeeeeeeeee));
	assert_int_equal(gpulink_admin_get_partition("gpulink2", 1, &older, 0), -GPULINK_EINVAL);
	assert_int_equal(gpulink_admin_get_info("gpulink2", &newer.info, 0), -GPULINK_EINVAL);
	folder_add_link(2);
	memset(&link, 0xee, sizeof(link));
	assert_int_equal(gpulink_admin_get_link("gpulink2", &link, 16), 0);
	assert_true(link.state[0] == 'd' && link.peer_cluster[0] == (char)0xee);
	memset(counters, 0xee, sizeof(counters));
	assert_int_equal(gpulink_admin_get_link_counters("gpulink2", counters, GPULINK_LINK_COUNTERS + 1), 0);
	assert_true(counters[GPULINK_LINK_COUNTERS] == 0 &&
		    counters[GPULINK_LINK_COUNTERS + 1] == UINT64_C(0xeeeeeeeeeeeeeeee));
	memset(counters, 0xee, sizeof(counters));
	assert_int_equal(gpulink_admin_get_link_counters("gpulink2", counters, 1), 0);
	assert_true(counters[1] == UINT64_C(0xeeeeeeeeeeeeeeee));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(missing),	  TEST(names),		    TEST(missing_files), TEST(invalid_values),
		TEST(lost),	  TEST(missing_files_of_link_and_pool),
		TEST(long_texts), TEST(without_permission), TEST(kernel_errors), TEST(sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
