// SPDX-License-Identifier: Apache-2.0
/* Decoding, the tree, paths and the form of dumps, on trees made here. */
#include "../dump.h"
#include "../findings.h"
#include "../path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ACS_AT = 0x100, REBAR_AT = 0x140, EXPRESS_AT = 0x40 };

static void put(struct function *f, unsigned at, unsigned bytes, uint64_t value)
{
	for (unsigned i = 0; i < bytes; i++)
		f->config[at + i] = (uint8_t)(value >> 8 * i);
}

static struct function *add(struct tree *tree, unsigned bus, unsigned slot, unsigned class_code, enum port_type port)
{
	struct function *f = tree_add(tree, 0, bus, slot, 0);

	assert_non_null(f);
	f->config_bytes = CONFIG_BYTES;
	put(f, 0x00, 4, 0x00018086);
	put(f, 0x04, 4, 0x00100006);
	put(f, 0x0a, 2, class_code);
	put(f, 0x34, 1, EXPRESS_AT);
	put(f, EXPRESS_AT, 4, 0x00020010u | (unsigned)port << 20);
	put(f, EXPRESS_AT + 0x0c, 4, 16 << 4 | 4);
	put(f, EXPRESS_AT + 0x12, 2, 16 << 4 | 4);
	put(f, EXPRESS_AT + 0x04, 4, 1);
	put(f, EXPRESS_AT + 0x08, 2, 1 << 5);
	return f;
}

static void add_bridge(struct tree *tree, unsigned bus, unsigned slot, enum port_type port, unsigned secondary,
		       unsigned subordinate)
{
	struct function *f = add(tree, bus, slot, 0x0604, port);

	put(f, 0x0e, 1, 1);
	put(f, 0x19, 2, subordinate << 8 | secondary);
	put(f, 0x20, 4, 0xfff00000);
	put(f, 0x24, 4, 0xfff10001); /* all prefetchable addresses below 4 GiB, and more */
	put(f, 0x2c, 4, 0xff);
	put(f, ACS_AT, 4, 0x1000d);
}

static struct function *add_endpoint(struct tree *tree, unsigned bus)
{
	struct function *f = add(tree, bus, 0, 0x0302, PORT_ENDPOINT);

	put(f, 0x10, 8, 0x8000000cu | (uint64_t)bus << 32);
	return f;
}

static void add_card(struct tree *tree, unsigned bus)
{
	struct function *f = add(tree, bus, 0, 0x1200, PORT_ENDPOINT);

	put(f, 0x00, 4, 0x6c6b1234);
}

/* A host bridge; root port 1 with a switch: the card on bus 4, an endpoint on bus 5; root port 2 with one on bus 6. */
static struct tree make_tree(void)
{
	struct tree tree = {0};

	add(&tree, 0, 0, 0x0600, PORT_ROOT);
	add_bridge(&tree, 0, 1, PORT_ROOT, 1, 5);
	add_bridge(&tree, 0, 2, PORT_ROOT, 6, 6);
	add_bridge(&tree, 1, 0, PORT_UPSTREAM, 2, 5);
	add_bridge(&tree, 2, 0, PORT_DOWNSTREAM, 4, 4);
	add_bridge(&tree, 2, 1, PORT_DOWNSTREAM, 5, 5);
	add_card(&tree, 4);
	add_endpoint(&tree, 5);
	add_endpoint(&tree, 6);
	return tree;
}

static struct path judge(struct tree *tree, unsigned bus)
{
	struct path path;

	tree_complete(tree);
	path = path_judge(tree, tree_find(tree, 0, 4, 0, 0), tree_find(tree, 0, bus, 0, 0));
	path.narrowest = path.shared = NULL; /* the tree is gone */
	tree_free(tree);
	return path;
}

static void test_direct(void **state)
{
	struct tree tree = make_tree();
	struct path path = judge(&tree, 5);

	(void)state;
	assert_int_equal(path.verdict, PATH_DIRECT);
	assert_int_equal(path.distance, 4);
	assert_int_equal(path.payload, 256);
	assert_int_equal(path.mbytes, 31507 * 256 / 280);
	assert_int_equal(path.percent, 100);
}

static void test_narrow_link(void **state)
{
	struct tree tree = make_tree();

	(void)state;
	put(tree_find(&tree, 0, 5, 0, 0), EXPRESS_AT + 0x12, 2, 8 << 4 | 3);
	assert_int_equal(judge(&tree, 5).mbytes, 7876 * 256 / 280);
}

/* Requests and completions that are redirected, and egress control, lead to the root complex; other ACS bits do not. */
static void test_acs(void **state)
{
	(void)state;
	for (unsigned bit = 0; bit < 7; bit++) {
		for (unsigned bus = 1; bus < 3; bus++) {
			struct tree tree = make_tree();
			bool redirects = bit == 2 || bit == 3 || bit == 5;

			tree.machine.p2pdma = YES;
			put(tree_find(&tree, 0, bus, bus - 1, 0), ACS_AT + 6, 2, 1u << bit);
			assert_int_equal(judge(&tree, 5).verdict, redirects ? PATH_BLOCKED : PATH_DIRECT);
		}
	}
}

static void test_root_complex(void **state)
{
	static const struct {
		unsigned device;
		const char *cpu;
		unsigned family;
		enum answer p2pdma;
		enum verdict verdict;
	} cases[] = {
		{0x0001, "AuthenticAMD", 0x17, YES, PATH_ROOT_COMPLEX},
		{0x0001, "AuthenticAMD", 0x16, YES, PATH_BLOCKED},
		{0x0001, "GenuineIntel", 0x17, YES, PATH_BLOCKED},
		{0x2f00, "GenuineIntel", 6, YES, PATH_ROOT_COMPLEX},
		{0x2030, "GenuineIntel", 6, NO, PATH_ROOT_COMPLEX},
		{0x0001, "GenuineIntel", 6, NO, PATH_UNKNOWN},
		{0x0001, "", 0, NOT_KNOWN, PATH_UNKNOWN},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tree tree = make_tree();
		struct path path;

		put(tree_find(&tree, 0, 0, 0, 0), 2, 2, cases[i].device);
		strcpy(tree.machine.cpu_vendor, cases[i].cpu);
		tree.machine.cpu_family = cases[i].family;
		tree.machine.p2pdma = cases[i].p2pdma;
		path = judge(&tree, 6);
		if (path.verdict != cases[i].verdict || path.distance != 6)
			fail_msg("case %zu: %s, distance %d", i, verdict_name(path.verdict), path.distance);
	}
}

static void test_two_host_bridges(void **state)
{
	static const unsigned devices[] = {0x2f00, 0x2030};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct tree tree = make_tree();

		put(tree_find(&tree, 0, 0, 0, 0), 2, 2, devices[i]);
		put(add(&tree, 0x40, 0, 0x0600, PORT_ROOT), 2, 2, devices[i]);
		add_bridge(&tree, 0x40, 1, PORT_ROOT, 0x41, 0x41);
		add_endpoint(&tree, 0x41);
		assert_int_equal(judge(&tree, 0x41).verdict, i ? PATH_ROOT_COMPLEX : PATH_UNKNOWN);
	}
}

static void test_override(void **state)
{
	struct tree tree = make_tree();

	(void)state;
	tree.machine.p2pdma = YES;
	tree_find(&tree, 0, 4, 0, 0)->system.unchecked_peers = YES;
	assert_int_equal(judge(&tree, 6).verdict, PATH_UNKNOWN);
}

static void test_blocked(void **state)
{
	struct tree tree = make_tree();

	(void)state;
	put(tree_find(&tree, 0, 5, 0, 0), 0x04, 2, 4);
	assert_int_equal(judge(&tree, 5).verdict, PATH_BLOCKED);
	tree = make_tree();
	put(tree_find(&tree, 0, 2, 1, 0), 0x2c, 4, 1);
	assert_int_equal(judge(&tree, 5).verdict, PATH_BLOCKED);
	tree = make_tree();
	tree_find(&tree, 0, 2, 1, 0)->config_bytes = 64;
	assert_int_equal(judge(&tree, 5).verdict, PATH_UNKNOWN);
}

/* Lists of capabilities that lead in a circle or beyond the end, and bridges that contain themselves. */
static void test_circles(void **state)
{
	struct tree tree = make_tree();
	struct function *f;

	(void)state;
	f = tree_find(&tree, 0, 5, 0, 0);
	put(f, EXPRESS_AT, 2, EXPRESS_AT << 8 | 0x01);
	put(f, ACS_AT, 4, (unsigned)ACS_AT << 20 | 0x0001);
	f = tree_find(&tree, 0, 6, 0, 0);
	put(f, ACS_AT, 4, 0xffc00001);
	put(f, 0xffc, 4, 0xffc0000d);
	f = tree_find(&tree, 0, 2, 1, 0);
	put(f, 0x19, 2, 0x0202); /* secondary 2, its own bus */
	put(tree_find(&tree, 0, 0, 2, 0), 0x19, 2, 0x0600);
	tree_complete(&tree);
	assert_int_equal(tree_find(&tree, 0, 5, 0, 0)->port, PORT_NONE);
	f = tree_find(&tree, 0, 6, 0, 0);
	assert_true(f->has_acs && !f->acs_capable && !f->acs_enabled); /* its registers are beyond the end */
	assert_null(function_above(&tree, tree_find(&tree, 0, 0, 2, 0)));
	assert_string_equal(function_above(&tree, tree_find(&tree, 0, 2, 1, 0))->address, "0000:01:00.0");
	assert_string_equal(function_above(&tree, tree_find(&tree, 0, 5, 0, 0))->address, "0000:01:00.0");
	tree_free(&tree);
}

static void test_resizable(void **state)
{
	struct tree tree = make_tree();
	struct function *f = tree_find(&tree, 0, 5, 0, 0);
	struct findings findings;
	bool found = false;

	(void)state;
	put(f, REBAR_AT, 4, 0x10015);
	put(f, ACS_AT, 4, (unsigned)REBAR_AT << 20 | 0x10001);
	put(f, REBAR_AT + 4, 4, 0x7f00 << 4);	  /* 256 MiB to 16 GiB */
	put(f, REBAR_AT + 8, 4, 8 << 8 | 1 << 5); /* BAR 0 is 256 MiB */
	tree_complete(&tree);
	f = tree_find(&tree, 0, 5, 0, 0);
	assert_int_equal(f->bars[0].bytes, 256 << 20);
	assert_int_equal(f->bars[0].sizes, UINT64_C(0x7f) << 28);
	assert_int_equal(function_endpoint_bar(f), 0);
	findings = findings_make(&tree);
	for (size_t i = 0; i < findings.count; i++) {
		if (!strcmp(findings.list[i].check, "small-bar")) {
			found = true;
			assert_non_null(strstr(findings.list[i].what, "256 MiB of 16384 MiB"));
			assert_non_null(
				strstr(findings.list[i].fix, "echo 14 > /sys/bus/pci/devices/0000:05:00.0/resource0_resize"));
		}
	}
	assert_true(found);
	findings_free(&findings);
	tree_free(&tree);
}

#define ROW	 "00: 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f\n"
#define LAST_ROW "30: 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f\n"

static void test_form(void **state)
{
	static const struct {
		const char *text;
		unsigned line; /* of the error */
		const char *says;
	} wrong[] = {
		{ "", 0, "no PCI function" },
		{ "hello\nworld\n", 0, "no PCI function" },
		{ "gpulink-dump: 2\n", 1, "unknown version" },
		{ "00:01.0 x\n", 1, "no configuration space" },
		{ "00:01.0 x\n" ROW, 2, "has 16 bytes" },
		{ "00:01.0 x\n" ROW LAST_ROW "\nhello\n", 5, "not a line" },
		{ "00:01.0 x\n00: 00 01 02\n", 2, "cut or damaged" },
		{ "00:01.0 x\n00: 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e xx\n", 2, "cut or damaged" },
		{ "00:01.0 x\n08: 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f\n", 2, "cut or damaged" },
		{ "00:01.0 x\n00: 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10\n", 2, "cut or damaged" },
		{ "\n" ROW, 2, "data without a function" },
		{ "00:21.0 x\n" LAST_ROW, 1, "device must be" },
		{ "00:01.0 x\n" LAST_ROW "\n0000:00:01.0 x\n" LAST_ROW, 4, "described twice" },
		{ "00:01.0 x\n\tgpulink: config: 80 of 256\n" ROW LAST_ROW, 4,
		  "has 64 bytes of configuration space instead of 80" },
		{ "gpulink-dump: 1\nfunctions: 2\n00:01.0 x\n" LAST_ROW, 4, "1 PCI functions of 2" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		FILE *plain = fopen("/dev/null", "w");
		char *text = strdup(wrong[i].text);
		struct failure error = { 0 };
		unsigned line;
		struct tree tree = {0};

		assert_non_null(plain);
		assert_non_null(text);
		if (!dump_scan(text, strlen(text), &tree, plain, &line, &error) || line != wrong[i].line ||
		    !strstr(error.text, wrong[i].says))
			fail_msg("case %zu: line %u: %s", i, line, error.text);
		free(text);
		fclose(plain);
		tree_free(&tree);
	}
}

static void test_facts(void **state)
{
	static char text[] =
		"10000:e1:00.0 x\r\n\tNUMA node: 1\n\tIOMMU group: 7\n\tRegion 2: Memory at 38 (64-bit) [size=16G]\n"
		"\t\tRegion 0: Memory at 0 [size=1G]\n\tRegion 9: Memory at 0 [size=1G]\n\tKernel driver in use: a\033[31m\n"
		"\tgpulink: name: ../../etc\n\tgpulink: errors: 3 4 5\n" LAST_ROW;
	FILE *plain = fopen("/dev/null", "w");
	struct failure error = { 0 };
	unsigned line;
	struct tree tree = {0};
	struct function *f;

	(void)state;
	assert_non_null(plain);
	assert_int_equal(dump_scan(text, strlen(text), &tree, plain, &line, &error), 0);
	f = tree_find(&tree, 0x10000, 0xe1, 0, 0);
	assert_non_null(f);
	assert_string_equal(f->address, "10000:e1:00.0");
	assert_int_equal(f->system.numa_node, 1);
	assert_int_equal(f->system.iommu_group, 7);
	assert_int_equal(f->bars[2].bytes, UINT64_C(16) << 30);
	assert_int_equal(f->bars[0].bytes, 0);
	assert_string_equal(f->system.driver, "a?[31m");
	assert_string_equal(f->system.card_name, "");
	assert_int_equal(f->aer.nonfatal_count, 4);
	fclose(plain);
	tree_free(&tree);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_direct),
		cmocka_unit_test(test_narrow_link),
		cmocka_unit_test(test_acs),
		cmocka_unit_test(test_root_complex),
		cmocka_unit_test(test_two_host_bridges),
		cmocka_unit_test(test_override),
		cmocka_unit_test(test_blocked),
		cmocka_unit_test(test_circles),
		cmocka_unit_test(test_resizable),
		cmocka_unit_test(test_form),
		cmocka_unit_test(test_facts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
