// SPDX-License-Identifier: Apache-2.0
/* Bytes on the wire, against what the specifications' formulas give by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gpulink_regs.h>

#include "link.h"

static uint64_t write_of(const char *name, uint64_t address, uint64_t size, uint64_t expected_transactions)
{
	uint64_t transactions = 0, bytes = link_write(link_preset(name), address, size, &transactions);

	assert_int_equal(transactions, expected_transactions);
	return bytes;
}

static void presets(void **state)
{
	unsigned count = 0;

	(void)state;
	for (; link_preset_at(count); count++)
		assert_ptr_equal(link_preset(link_preset_at(count)->name), link_preset_at(count));
	assert_int_equal(count, 7);
	assert_null(link_preset("pcie7"));
}

static void writes(void **state)
{
	(void)state;
	assert_int_equal(write_of("pcie4", 0x1000, 4, 1), 24 + 4);
	assert_int_equal(write_of("pcie4", 0x1000, 8, 1), GLK_TLP_OVERHEAD_BYTES + 8);
	assert_int_equal(write_of("pcie4", 0x1002, 4, 1), 24 + 8);	/* two DWs touched */
	assert_int_equal(write_of("pcie4", 0x1001, 1, 1), 24 + 4);
	assert_int_equal(write_of("pcie4", 0x1ffe, 4, 2), 2 * (24 + 4)); /* a transaction does not leave its 4096 bytes */
	assert_int_equal(write_of("pcie3", 0, 3 * 4096, 3), 3 * (24 + 4096));
	/* 16 + 4 bytes, and OHC where a DW is not whole: times 256 / 236, rounded up. */
	assert_int_equal(write_of("pcie6", 0x1000, 4, 1), 22);
	assert_int_equal(write_of("pcie6", 0x1001, 1, 1), 27);
	assert_int_equal(write_of("pcie6", 0, 216, 1), 252);
	assert_int_equal(write_of("nvlink", 0, 16, 1), 32);
	assert_int_equal(write_of("nvlink", 0, 8, 1), 48); /* header, enables, data */
	assert_int_equal(write_of("nvlink", 0, 128, 1), 144);
}

static void packets(void **state)
{
	struct link link = *link_preset("pcie4");

	(void)state;
	assert_int_equal(link_packet(&link, 13), 24 + 16);
	assert_int_equal(link_packet(&link, 4096), 24 + 4096);
	link.digest_bytes = 4;
	assert_int_equal(link_packet(&link, 13), 28 + 16);
	assert_int_equal(link_packet(link_preset("nvlink"), 13), 32); /* its padding needs no enables */
}

static void reads(void **state)
{
	(void)state;
	assert_int_equal(link_read_request(link_preset("pcie4")), 24);
	assert_int_equal(link_read_answer(link_preset("pcie4"), 64, 64), 20 + 64);
}

static void assert_gigabytes(const char *name, double expected)
{
	double is = link_bytes_per_second(link_preset(name)) / 1e9;

	assert_true(is > expected - 0.001 && is < expected + 0.001);
}

static void bandwidth(void **state)
{
	(void)state;
	assert_gigabytes("pcie1", 4);
	assert_gigabytes("pcie4", 31.5077);
	assert_gigabytes("pcie6", 128);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(presets), cmocka_unit_test(writes),	cmocka_unit_test(packets),
		cmocka_unit_test(reads),   cmocka_unit_test(bandwidth),
	};

	return cmocka_run_group_tests_name("links", tests, NULL, NULL);
}
