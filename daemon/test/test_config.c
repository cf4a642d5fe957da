// SPDX-License-Identifier: Apache-2.0
/* Configuration files: valid ones, and the report of every kind of invalid line with the allowed values. */
#include "../config.h"
#include "card_folder.h"

#include <gpulink_admin.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

/* Any certificate. */
static const char certificate[] =
	"-----BEGIN CERTIFICATE-----\n"
	"MIIBhjCCASugAwIBAgIUZ2x8cuF8iU/bg/XCgney5c8fwJkwCgYIKoZIzj0EAwIw\n"
	"FzEVMBMGA1UEAwwMZ3B1bGluay10ZXN0MCAXDTI2MTEyODE0MTUyOFoYDzIxMjYx\n"
	"MTA0MTQxNTI4WjAXMRUwEwYDVQQDDAxncHVsaW5rLXRlc3QwWTATBgcqhkjOPQIB\n"
	"BggqhkjOPQMBBwNCAASFDD2u9g/ewNLdl/rHGJzrJe1yQCjarUFv6fOM/8qhR0QX\n"
	"R5G77CawpQrb7H0c5Tmis0xjJXveI1wQISAG48K8o1MwUTAdBgNVHQ4EFgQUbNZ9\n"
	"w/GZNcCF9Na3yhIRcDBxBtEwHwYDVR0jBBgwFoAUbNZ9w/GZNcCF9Na3yhIRcDBx\n"
	"BtEwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEAwK/vpWfziprw\n"
	"25yjK0uNSsonlFLvYl/3nV99osgkj04CIQDjINchPgKE1HvwUx6/2DPT1OfW20sV\n"
	"3KKdRKopSJO36A==\n"
	"-----END CERTIFICATE-----\n";

/* All reports of one reading, one a line. */
struct reports {
	char text[8192];
};

static void collect(void *user, const char *file, unsigned line, const char *text)
{
	struct reports *reports = user;
	size_t used = strlen(reports->text);

	snprintf(reports->text + used, sizeof(reports->text) - used, "%s:%u: %s\n", strrchr(file, '/') + 1, line, text);
}

static unsigned read_text(struct config *config, const char *text, struct reports *reports)
{
	const char *path = card_folder_path("test.conf");

	file_write(path, text);
	memset(reports, 0, sizeof(*reports));
	return config_read(config, path, false, collect, reports);
}

static uint64_t value_of(const struct config *config, const char *card, unsigned partition, unsigned key)
{
	const struct config_rule *rule = config_find(config, card, "00ab", partition, key);

	assert_non_null(rule);
	return rule->value;
}

static void test_valid(void **state)
{
	const struct gpulink_admin_range *range;
	struct config config;
	struct reports reports;
	const char *pem = card_folder_path("c.pem");
	char text[2000];
	unsigned errors;

	file_write(pem, certificate);
#ifndef SIGNATURES
	pem = "";
#endif
	snprintf(text, sizeof(text), "[daemon]\nmode = 0600\ngroup = 0\n%s%s\n%s", *pem ? "logic_certificate = " : "", pem,
				    "# comment\n; comment\n\n"
				    "[defaults]\nsubheader_bytes = 5\nmax_payload_bytes=256 ; with a reason\n"
				    "[card gpulink1]\nsubheader_bytes = 6\nflush_timeout_ns = 1000000000\n"
				    "  [card gpulink1 partition 3]  ; indented\n  subheader_bytes = 2\n"
				    "  endpoint = 0000:00:0A.0 0\n\tcoalesce = 0\n packing = 1\n compact = 1\n"
				    "range a = 0x1000 1M rw user=1000\nrange b.c-d_9 =  4096 all r group=0 user=root ; whole\n"
				    "[card serial:AB partition 4]\r\nendpoint = pool\r\n"
				    "[card gpulink1 partition 5]\nendpoint = 0000:00:0A.0 0  4096 9223372036854771712\n");
	errors = read_text(&config, text, &reports);

	(void)state;
	assert_string_equal(reports.text, "");
	assert_int_equal(errors, 0);
	assert_int_equal(config.socket_mode, 0600);
	assert_string_equal(config.logic_certificate, pem);
	assert_int_equal(config.socket_group, 0);
	assert_int_equal(value_of(&config, "gpulink0", 0, GPULINK_SUBHEADER_BYTES), 5);
	assert_int_equal(value_of(&config, "gpulink1", 0, GPULINK_SUBHEADER_BYTES), 6);
	assert_int_equal(value_of(&config, "gpulink1", 3, GPULINK_SUBHEADER_BYTES), 2);
	assert_int_equal(value_of(&config, "gpulink1", 3, GPULINK_MAX_PAYLOAD_BYTES), 256);
	assert_int_equal(value_of(&config, "gpulink1", 3, GPULINK_FLUSH_TIMEOUT_NS), 1000000000);
	assert_int_equal(value_of(&config, "gpulink1", 3, GPULINK_COALESCE), 0);
	assert_int_equal(value_of(&config, "gpulink1", 3, GPULINK_PACKING), 1);
	assert_int_equal(value_of(&config, "gpulink1", 3, GPULINK_COMPACT), 1);
	assert_string_equal(config_find(&config, "gpulink1", "1", 3, CONFIG_ENDPOINT)->endpoint, "0000:00:0a.0 0");
	assert_string_equal(config_find(&config, "gpulink9", "00ab", 4, CONFIG_ENDPOINT)->endpoint, "pool");
	assert_string_equal(config_find(&config, "gpulink1", "1", 5, CONFIG_ENDPOINT)->endpoint,
			    "0000:00:0a.0 0 4096 9223372036854771712");
	range = &config_find_range(&config, "gpulink1", "1", 3, "a")->range;
	assert_true(range->offset == 4096 && range->bytes == 1 << 20 && range->rights == (GPULINK_READ | GPULINK_WRITE));
	assert_true(range->user == 1000 && range->group == GPULINK_NO_OWNER);
	range = &config_find_range(&config, "gpulink1", "1", 3, "b.c-d_9")->range;
	assert_true(range->bytes == GPULINK_RANGE_ALL && range->rights == GPULINK_READ && range->user == 0 &&
		    range->group == 0);
	assert_null(config_find_range(&config, "gpulink1", "1", 2, NULL));
	assert_null(config_find_range(&config, "gpulink1", "1", 3, "b"));
	assert_null(config_find(&config, "gpulink9", "00ac", 4, CONFIG_ENDPOINT));
	assert_null(config_find(&config, "gpulink0", "1", 0, GPULINK_FLUSH_TIMEOUT_NS));
	config_free(&config);
}

static void test_empty(void **state)
{
	struct config config;
	struct reports reports;

	(void)state;
	assert_int_equal(read_text(&config, "", &reports), 0);
	assert_int_equal(config.rule_count, 0);
	assert_int_equal(config.socket_mode, 0660);
	assert_true(config.socket_group == (gid_t)-1);
	config_free(&config);
}

static void test_invalid_lines(void **state)
{
	static const struct {
		const char *text;
		const char *report; /* how it begins */
		const char *allowed; /* what it also has */
	} cases[] = {
		{ "subheader_bytes = 5\n", "test.conf:1: key 'subheader_bytes' before any section", "[defaults]" },
		{ "[defaults]\nsubheader_bytes = 7\n", "test.conf:2: subheader_bytes '7': must be", "must be 2 to 6" },
		{ "[defaults]\nsubheader_bytes = 5x\n", "test.conf:2: subheader_bytes '5x'", "must be 2 to 6" },
		{ "[defaults]\nsubheader_bytes = -5\n", "test.conf:2: subheader_bytes '-5'", "must be 2 to 6" },
		{ "[defaults]\nsubheader_bytes = 4294967301\n", "test.conf:2: subheader_bytes '4294967301'", "must be 2 to 6" },
		{ "[defaults]\nsubheader_bytes = 18446744073709551621\n", "test.conf:2: subheader_bytes '18446",
		  "must be 2 to 6" },
		{ "[defaults]\nsubheader_bytes =\n", "test.conf:2: subheader_bytes ''", "must be 2 to 6" },
		{ "[defaults]\n\nmax_payload_bytes = 4095\n", "test.conf:3: max_payload_bytes '4095'", ": must be " },
		{ "[defaults]\nflush_timeout_ns = 1000000001\n", "test.conf:2: flush_timeout_ns '1000000001'", ": must be " },
		{ "[defaults]\ncoalesce = yes\n", "test.conf:2: coalesce 'yes'", ": must be " },
		{ "[defaults]\nlink_timeout_ns = 10000000001\n", "test.conf:2: link_timeout_ns '10000000001'",
		  "must be 1000 to 10000000000" },
		{ "[defaults]\nsubheader = 5\n", "test.conf:2: unknown key 'subheader'", "subheader_bytes, " },
		{ "[defaults]\nsubheader_bytes 5\n", "test.conf:2: malformed line", "KEY = VALUE" },
		{ "[defaults]\nsubheader_bytes 5", "test.conf:2: malformed line", "KEY = VALUE" },
		{ "[defaults]\n= 5\n", "test.conf:2: unknown key ''", "subheader_bytes, " },
		{ "[defaults]\nendpoint = pool\n", "test.conf:2: key 'endpoint': must be in", "partition K" },
		{ "[card gpulink0]\nendpoint = pool\n", "test.conf:2: key 'endpoint': must be in", "partition K" },
		{ "[card gpulink0 partition 0]\nendpoint = 0x80000000\n", "test.conf:2: endpoint '0x80000000'",
		  "0000:00:08.0 0" },
		{ "[card gpulink0 partition 0]\nendpoint = 0000:00:08.0\n", "test.conf:2: endpoint '0000:00:08.0'",
		  "\"pool\"" },
		{ "[card gpulink0 partition 0]\nendpoint = 0000:00:08.0 6\n", "test.conf:2: endpoint", "\"none\"" },
		{ "[card gpulink0 partition 0]\nendpoint = 0000:00:08.8 0\n", "test.conf:2: endpoint", "\"none\"" },
		{ "[card gpulink0 partition 0]\nendpoint = 0000:00:20.0 0\n", "test.conf:2: endpoint", "\"none\"" },
		{ "[card gpulink0 partition 0]\nendpoint = 0000:00:08.0  0 1\n", "test.conf:2: endpoint", "\"none\"" },
		{ "[card gpulink0 partition 0]\nrange x = 0 4K rw\n", "test.conf:2: range '0 4K rw': must be", "user=alice" },
		{ "[card gpulink0 partition 0]\nrange x = 0 4K user=7 rw\n", "test.conf:2: range '0 4K user=7 rw'",
		  "user=alice" },
		{ "[card gpulink0 partition 0]\nrange x = 0 4K rw user=7 user=8\n", "test.conf:2: range '", "user=alice" },
		{ "[card gpulink0 partition 0]\nrange x = 0 4K rw user=7 group=8 group=9\n", "test.conf:2: range '",
		  "user=alice" },
		{ "[card gpulink0 partition 0]\nrange x = 1 4K rw user=7\n", "test.conf:2: range '", "user=alice" },
		{ "[card gpulink0 partition 0]\nrange x = 0 0 rw user=7\n", "test.conf:2: range '", "user=alice" },
		{ "[card gpulink0 partition 0]\nrange x = 0 18014398509481985K rw user=7\n", "test.conf:2: range '",
		  "user=alice" },
		{ "[card gpulink0 partition 0]\nrange x = 0 4T rw user=7\n", "test.conf:2: range '", "user=alice" },
		{ "[card gpulink0 partition 0]\nrange x = 0 4KK rw user=7\n", "test.conf:2: range '", "user=alice" },
		{ "[card gpulink0 partition 0]\nrange x = 0 4K rwx user=7\n", "test.conf:2: range '", "user=alice" },
		{ "[card gpulink0 partition 0]\nrange x = 0 4K wr user=7\n", "test.conf:2: range '", "user=alice" },
		{ "[card gpulink0 partition 0]\nrange x = 0 4K rw user=7 group=\n", "test.conf:2: range '", "user=alice" },
		{ "[card gpulink0 partition 0]\nrange x = 0 4K rw user=7x\n", "test.conf:2: range '", "user=alice" },
		{ "[card gpulink0 partition 0]\nrange x = 0 4K rw user=4294967295\n", "test.conf:2: range '", "user=alice" },
		{ "[card gpulink0 partition 0]\nrange x = 0 4K rw owner=7\n", "test.conf:2: range '", "user=alice" },
		{ "[card gpulink0 partition 0]\nrange .x = 0 4K rw user=7\n", "test.conf:2: range name '.x': must be 1 to 31",
		  "letters" },
		{ "[card gpulink0 partition 0]\nrange add = 0 4K rw user=7\n", "test.conf:2: range name 'add'", "letters" },
		{ "[card gpulink0 partition 0]\nrange = 0 4K rw user=7\n", "test.conf:2: range name ''", "letters" },
		{ "[card gpulink0 partition 0]\nrange x y = 0 4K rw user=7\n", "test.conf:2: range name 'x y'", "letters" },
		{ "[card gpulink0 partition 0]\nrange a234567890123456789012345678901x = 0 4K rw user=7\n",
		  "test.conf:2: range name 'a2", "letters" },
		{ "[card gpulink0]\nrange x = 0 4K rw user=7\n", "test.conf:2: key 'range x': must be in", "partition K" },
		{ "[card gpulink0 partition 0]\nrange x = 0 4K r user=7\nrange x = 0 4K rw user=7\n",
		  "test.conf:3: duplicate key 'range x'", "line 2" },
		{ "[card gpulink0 partition 0]\nendpoint = 0000:00:08.0 0 4096\n", "test.conf:2: endpoint '0000:00:08.0 0 ",
		  "OFFSET and BYTES" },
		{ "[card gpulink0 partition 0]\nendpoint = 0000:00:08.0 0 4096 0\n", "test.conf:2: endpoint '0000:00:08.0 0 ",
		  "OFFSET and BYTES" },
		{ "[card gpulink0 partition 0]\nendpoint = 0000:00:08.0 0 1 4096\n", "test.conf:2: endpoint '0000:00:08.0 0 ",
		  "OFFSET and BYTES" },
		{ "[card gpulink0 partition 0]\nendpoint = 0000:00:08.0 0 4096 4097\n",
		  "test.conf:2: endpoint '0000:00:08.0 0 ", "OFFSET and BYTES" },
		{ "[card gpulink0 partition 0]\nendpoint = 0000:00:08.0 0 4096 4096 1\n",
		  "test.conf:2: endpoint '0000:00:08.0 0 ", "OFFSET and BYTES" },
		{ "[card gpulink0 partition 0]\nendpoint = 0000:00:08.0 0 -4096 4096\n",
		  "test.conf:2: endpoint '0000:00:08.0 0 ", "OFFSET and BYTES" },
		{ "[card gpulink0 partition 0]\nendpoint = 0000:00:08.0 0 4096 0x1000\n",
		  "test.conf:2: endpoint '0000:00:08.0 0 ", "OFFSET and BYTES" },
		{ "[card gpulink0 partition 0]\nendpoint = 0000:00:08.0 0 4096 99999999999999999999\n",
		  "test.conf:2: endpoint '0000:00:08.0 0 ", "OFFSET and BYTES" },
		{ "[crd gpulink0]\n", "test.conf:1: unknown section [crd gpulink0]:", "[card gpulinkN]" },
		{ "[card gpulink0\n", "test.conf:1: unknown section [card gpulink0:", "[card gpulinkN]" },
		{ "[card gpulink0] 5\n", "test.conf:1: unknown section", "[card gpulinkN]" },
		{ "[card gpu0]\n", "test.conf:1: unknown section", "[card gpulinkN]" },
		{ "[card gpulink]\n", "test.conf:1: unknown section", "[card gpulinkN]" },
		{ "[card serial:xyz]\n", "test.conf:1: unknown section", "serial:HEX" },
		{ "[card gpulink0 partition]\n", "test.conf:1: unknown section", "partition K" },
		{ "[card gpulink0 partition x]\n", "test.conf:1: unknown section", "partition K" },
		{ "[card gpulink0 partition 65536]\n", "test.conf:1: unknown section", "partition K" },
		{ "[card gpulink0 partition 1 2]\n", "test.conf:1: unknown section", "partition K" },
		{ "[]\n", "test.conf:1: unknown section", "[daemon]" },
		{ "[daemon]\nmode = 0777\n", "test.conf:2: mode '0777'", "0600 to 0666" },
		{ "[daemon]\nmode = 0066\n", "test.conf:2: mode '0066'", "0600 to 0666" },
		{ "[daemon]\nmode = rw\n", "test.conf:2: mode 'rw'", "0600 to 0666" },
		{ "[daemon]\ngroup = 4294967295\n", "test.conf:2: group '4294967295'", "by name or number" },
		{ "[daemon]\ngroup = 7x\n", "test.conf:2: group '7x'", "by name or number" },
		{ "[daemon]\ngroup =\n", "test.conf:2: group ''", "by name or number" },
		{ "[daemon]\ngroup = daemon\n", "test.conf:2: group 'daemon': must not be daemon, whose members may open cards",
		  "gpulink-admin" },
		{ "[daemon]\ngroup = 1\n", "test.conf:2: group '1': must not be daemon, whose members may open cards",
		  "gpulink-admin" },
		{ "[daemon]\nlogic_certificate = logic.pem\n", "test.conf:2: logic_certificate 'logic.pem'", "absolute path" },
#ifdef SIGNATURES
		{ "[daemon]\nlogic_certificate = /none/c.pem\n",
		  "test.conf:2: logic_certificate '/none/c.pem': cannot read a certificate", "PEM" },
		{ "[daemon]\nlogic_certificate = /dev/null\n",
		  "test.conf:2: logic_certificate '/dev/null': cannot read a certificate", "PEM" },
#else
		{ "[daemon]\nlogic_certificate = /dev/null\n",
		  "test.conf:2: logic_certificate '/dev/null': this build cannot check", "" },
#endif
		{ "[daemon]\nmetrics = /a\nmetrics = /b\n", "test.conf:3: duplicate key 'metrics'", "" },
		/* Lines that are valid each by itself. */
		{ "[defaults]\ncompact = 1\npacking = 0\n", "test.conf:2: compact '1': no effect", "packing = 0" },
		{ "[defaults]\npacking = 0\n[card gpulink0]\ncompact = 1\n[card gpulink1]\npacking = 1\n",
		  "test.conf:4: compact '1': no effect", "packing = 0" },
		{ "[defaults]\npolicy = paper\n[card gpulink0 partition 1]\ncompact = 1\n",
		  "test.conf:4: compact '1': no effect", "packing = 0" },
		{ "[defaults]\npolicy = good\n", "test.conf:2: policy 'good'", "must be paper or best" },
		{ "[defaults]\npolicy = paper\npolicy = best\n", "test.conf:3: duplicate key 'policy': first set in line 2",
		  "" },
		{ "[card gpulink0]\npacking = 1\n[card gpulink0 partition 2]\npacking = 0\ncompact = 1\n",
		  "test.conf:5: compact '1': no", "" },
		{ "[card gpulink0]\npacking = 0\n[card gpulink0 partition 2]\npacking = 1\n[card gpulink0 partition 3]\ncompact = 1\n",
		  "test.conf:6: compact '1': no", "" },
		{ "[defaults]\npacking = 1\n[card gpulink0]\npacking = 0\n[card gpulink0 partition 3]\ncompact = 1\n",
		  "test.conf:6: compact", "" },
		{ "[card serial:a0 partition 0]\nendpoint = link 3\n[card serial:a0 partition 1]\nendpoint = link 03\n",
		  "test.conf:4: endpoint 'link 3': partition 0 of the card has it, too (line 2)", "" },
		{ "[card gpulink0 partition 0]\nrange a = 0 8K rw user=1\nrange b = 4K 8K r user=2\n",
		  "test.conf:3: range b overlaps range a (line 2)", "" },
		{ "[card gpulink0 partition 0]\nrange a = 0 8K rw user=1\nrange b = 4K 4K w user=2\n",
		  "test.conf:3: range b overlaps range a", "" },
		{ "[card gpulink0 partition 0]\nrange a = 0 8K rw user=1\n[card gpulink0]\n[card gpulink0 partition 0]\nrange b = 0 all rw group=2\n",
		  "test.conf:5: range b overlaps range a (line 2)", "" },
		{ "[card gpulink0 partition 0]\nrange a = 4K 4K rw user=1\nrange b = 0 8K rw user=1 group=7\n",
		  "test.conf:3: range b overlaps", "" },
		/* A setting of earlier versions, whatever its value. */
		{ "[defaults]\nkeep = 0\n", "test.conf:2: key 'keep': removed, because kept lines", "delete this line" },
		{ "[daemon]\nmod = 0600\n", "test.conf:2: unknown key 'mod' in [daemon]", "group, mode" },
		{ "[daemon]\nmode = 0600\nmode = 0660\n", "test.conf:3: duplicate key 'mode': first set in line 2", "" },
		{ "[card gpulink0]\ncoalesce = 0\n[defaults]\n[card gpulink0]\ncoalesce = 1\n",
		  "test.conf:5: duplicate key 'coalesce': first set in line 2", "" },
	};
	struct config config;
	struct reports reports;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		unsigned errors = read_text(&config, cases[i].text, &reports);

		if (errors != 1 || strncmp(reports.text, cases[i].report, strlen(cases[i].report)) ||
		    !strstr(reports.text, cases[i].allowed))
			fail_msg("\"%s\" gave %u errors: %s", cases[i].text, errors, reports.text);
		config_free(&config);
	}
}

/* What resembles lines without effect, or that conflict. */
static void test_lines_together(void **state)
{
	static const char *const texts[] = {
		"[defaults]\ncompact = 0\npacking = 0\n",
		"[defaults]\ncompact = 1\n",
		"[card gpulink0]\ncompact = 1\n[defaults]\npacking = 1\n",
		"[defaults]\npacking = 0\ncompact = 1\n[card gpulink0 partition 3]\npacking = 1\n",
		"[card gpulink0]\ncompact = 1\n[card serial:a0]\npacking = 0\n",
		"[defaults]\npacking = 1\n[card gpulink0]\npacking = 0\n[card gpulink0 partition 3]\ncompact = 1\npacking = 1\n",
		"[defaults]\npolicy = paper\n[card gpulink0 partition 3]\npolicy = best\ncompact = 0\n",
		"[defaults]\npolicy = paper\nsubheader_bytes = 6\n",
		"[card gpulink0 partition 0]\nendpoint = link 3\n[card gpulink1 partition 1]\nendpoint = link 3\n",
		"[card gpulink0 partition 0]\nendpoint = pool\n[card gpulink0 partition 1]\nendpoint = pool\n",
		"[card gpulink0 partition 0]\nrange a = 0 4K rw user=1\nrange b = 4K 4K rw user=2\nrange c = 8K all rw user=3\n",
		"[card gpulink0 partition 0]\nrange a = 0 all r user=1\nrange b = 4K 4K rw user=2\nrange c = 4K 4K r user=3\n",
		"[card gpulink0 partition 0]\nrange a = 0 8K rw user=1\n[card gpulink0 partition 1]\nrange b = 4K 8K rw user=2\n",
	};
	struct config config;
	struct reports reports;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		if (read_text(&config, texts[i], &reports))
			fail_msg("\"%s\": %s", texts[i], reports.text);
		config_free(&config);
	}
}

/* They are no errors of the configuration: the name service may start later. */
static void test_unknown_names(void **state)
{
	struct config config;
	struct reports reports;

	(void)state;
	assert_int_equal(
		read_text(&config,
			  "[daemon]\ngroup = no-such-group-here\n[card gpulink0 partition 0]\nrange a = 0 4K rw user=1\n"
			  "range b = 4K 4K rw user=nobody-has-this-name\nrange c = 8K 4K r user=root group=nor-this-one\n",
			  &reports),
		0);
	assert_true(config.socket_group == (gid_t)-1);
	assert_string_equal(config.unknown_group, "no-such-group-here");
	assert_null(config_find_range(&config, "gpulink0", "", 0, "a")->unknown_range);
	assert_non_null(config_find_range(&config, "gpulink0", "", 0, "b")->unknown_range);
	assert_int_equal(config_check_names(&config, collect, &reports), 3);
	assert_non_null(strstr(reports.text, "test.conf:5: range b: user=nobody-has-this-name does not exist"));
	assert_non_null(strstr(reports.text, "test.conf:6: range c: group=nor-this-one does not exist"));
	assert_non_null(strstr(reports.text, "group 'no-such-group-here' does not exist"));
	config_find_names(&config);
	assert_non_null(config.unknown_group);
	/* Names that appear later. */
	strcpy(config.unknown_group, "root");
	strcpy(config.rules[1].unknown_range, "4K 4K rw user=root");
	config_find_names(&config);
	assert_null(config.unknown_group);
	assert_int_equal(config.socket_group, 0);
	assert_null(config.rules[1].unknown_range);
	assert_int_equal(config.rules[1].range.user, 0);
	assert_non_null(config.rules[2].unknown_range);
	config_free(&config);
}

static void test_all_errors_reported(void **state)
{
	struct config config;
	struct reports reports;
	unsigned errors = read_text(&config,
				    "[defaults]\nsubheader_bytes = 9\nnonsense\nmax_payload_bytes = 512\n[where]\n"
				    "this = is passed over, its section is wrong\n[defaults]\ncoalesce = 2\n",
				    &reports);

	(void)state;
	assert_int_equal(errors, 4);
	assert_non_null(strstr(reports.text, "test.conf:2: "));
	assert_non_null(strstr(reports.text, "test.conf:3: "));
	assert_non_null(strstr(reports.text, "test.conf:5: "));
	assert_non_null(strstr(reports.text, "test.conf:8: "));
	config_free(&config);
}

static void test_long_line_and_zero_byte(void **state)
{
	static const char zero[] = "[defaults]\ncoalesce = 1\0 2\n";
	char text[6000] = "[defaults]\ncoalesce = ";
	struct config config;
	struct reports reports = {0};
	const char *path = card_folder_path("test.conf");
	FILE *file;

	(void)state;
	memset(text + strlen(text), '1', 5000);
	assert_int_equal(read_text(&config, text, &reports), 1);
	assert_non_null(strstr(reports.text, "test.conf:2: line too long"));
	config_free(&config);

	memset(&reports, 0, sizeof(reports));
	file = fopen(path, "we");
	assert_non_null(file);
	assert_int_equal(fwrite(zero, 1, sizeof(zero) - 1, file), sizeof(zero) - 1);
	fclose(file);
	assert_int_equal(config_read(&config, path, false, collect, &reports), 1);
	assert_non_null(strstr(reports.text, "test.conf:2: invalid NUL byte"));
	config_free(&config);
}

static void test_folder(void **state)
{
	struct config config;
	struct reports reports;

	(void)state;
	assert_int_equal(mkdir(card_folder_path("conf.d"), 0755), 0);
	file_write(card_folder_path("conf.d/20-later.conf"), "[defaults]\nsubheader_bytes = 3\n");
	file_write(card_folder_path("conf.d/10-early.conf"), "[defaults]\nsubheader_bytes = 2\ncoalesce = 0\n");
	file_write(card_folder_path("conf.d/30-other.txt"), "not configuration\n");
	file_write(card_folder_path("conf.d/.hidden.conf"), "not configuration\n");
	assert_int_equal(read_text(&config, "[defaults]\nsubheader_bytes = 6\nmax_payload_bytes = 128\n", &reports), 0);
	assert_int_equal(value_of(&config, "gpulink0", 0, GPULINK_SUBHEADER_BYTES), 3);
	assert_int_equal(value_of(&config, "gpulink0", 0, GPULINK_COALESCE), 0);
	assert_int_equal(value_of(&config, "gpulink0", 0, GPULINK_MAX_PAYLOAD_BYTES), 128);
	config_free(&config);

	file_write(card_folder_path("conf.d/20-later.conf"), "[defaults]\nsubheader_bytes = 1\n");
	assert_int_equal(read_text(&config, "", &reports), 1);
	assert_non_null(strstr(reports.text, "20-later.conf:2: subheader_bytes '1'"));
	config_free(&config);
}

static void test_missing(void **state)
{
	struct config config;
	struct reports reports = {0};

	(void)state;
	assert_int_equal(config_read(&config, card_folder_path("lacking.conf"), false, collect, &reports), 1);
	assert_non_null(strstr(reports.text, "lacking.conf:0: cannot read"));
	config_free(&config);
	assert_int_equal(config_read(&config, card_folder_path("lacking.conf"), true, collect, &reports), 0);
	config_free(&config);
	/* A directory is an error, even if the file may be missing. */
	assert_int_equal(mkdir(card_folder_path("folder.conf"), 0755), 0);
	assert_int_equal(config_read(&config, card_folder_path("folder.conf"), true, collect, &reports), 1);
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
		CASE(test_valid),
		CASE(test_empty),
		CASE(test_invalid_lines),
		CASE(test_lines_together),
		CASE(test_unknown_names),
		CASE(test_all_errors_reported),
		CASE(test_folder),
		CASE(test_long_line_and_zero_byte),
		CASE(test_missing),
	};

	return cmocka_run_group_tests_name("gpulinkd configuration", tests, NULL, NULL);
}
