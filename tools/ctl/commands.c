// SPDX-License-Identifier: Apache-2.0
#include "commands.h"

#include "arguments.h"
#include "capture.h"
#include "ctl_link.h"
#include "load.h"
#include "monitor.h"
#include "print.h"
#include "ranges.h"
#include "request.h"
#include "topo/topo.h"
#include "trace/latency.h"
#include "trace/record.h"
#include "trace/top.h"
#include "tune.h"

#include <endpoint_name.h>
#include <gpulink_admin.h>
#include <gpulink_tables.h>

#include <json-c/json.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

/* --- show --- */

static bool print_list(struct json_object *cards)
{
	static const char *const columns[] = {"name", "pci_address", "serial", "state", "link_state", "partitions", NULL};

	return print_rows(cards, columns);
}

static enum exit_code run_list(struct invocation *invocation)
{
	return ask_and_print(invocation, new_request("list", NULL), print_list);
}

static enum exit_code run_info(struct invocation *invocation)
{
	return show_of_card(invocation, "info");
}

static bool print_partitions(struct json_object *partitions)
{
	const char *columns[3 + GPULINK_SETTINGS + 1] = {"partition", "endpoint", "endpoint_bytes"};

	_Static_assert(3 + GPULINK_SETTINGS <= PRINT_COLUMNS, "all have room");
	for (unsigned s = 0; s < GPULINK_SETTINGS; s++)
		columns[3 + s] = gpulink_setting_name((enum gpulink_setting)s);
	return print_rows(partitions, columns);
}

static enum exit_code run_partitions(struct invocation *invocation)
{
	enum exit_code code = find_card(invocation);

	if (code != EXIT_OK)
		return code;
	return ask_and_print(invocation, with_partition(new_request("partitions", invocation->card), invocation->partition),
			     print_partitions);
}

/* --- counters --- */

static bool counted_anything(struct json_object *counters)
{
	json_object_object_foreach(counters, key, value) {
		if (strcmp(key, "partition") && json_object_get_uint64(value))
			return true;
	}
	return false;
}

/* Selects partitions with an endpoint or a counter above 0. NULL: failed and reported. */
static struct json_object *select_counters(struct json_object *counters, struct json_object *partitions)
{
	struct json_object *selected = json_object_new_array();

	for (size_t k = 0; selected && k < json_object_array_length(counters); k++) {
		struct json_object *one = json_object_array_get_idx(counters, k);
		struct json_object *endpoint;
		bool has_endpoint = json_object_object_get_ex(json_object_array_get_idx(partitions, k), "endpoint", &endpoint) &&
				    strcmp(json_object_get_string(endpoint), "none");

		if (!has_endpoint && !counted_anything(one))
			continue;
		if (json_object_array_add(selected, json_object_get(one))) {
			json_object_put(one);
			json_object_put(selected);
			selected = NULL;
		}
	}
	if (!selected)
		complain("out of memory");
	return selected;
}

/* Reads all counters, and selects those that a table shows. The caller owns both on EXIT_OK. */
static enum exit_code read_counters(struct invocation *invocation, struct json_object **all, struct json_object **shown)
{
	struct json_object *partitions = NULL;
	enum exit_code code =
		send_request(invocation, with_partition(new_request("counters", invocation->card), invocation->partition), all);

	if (code != EXIT_OK)
		return code;
	if (invocation->partition != ALL_PARTITIONS || invocation->json) {
		*shown = json_object_get(*all);
	} else {
		code = send_request(invocation, new_request("partitions", invocation->card), &partitions);
		if (code == EXIT_OK && (!json_object_is_type(*all, json_type_array) ||
					!json_object_is_type(partitions, json_type_array)))
			code = unexpected();
		*shown = code == EXIT_OK ? select_counters(*all, partitions) : NULL;
		if (code == EXIT_OK && !*shown)
			code = EXIT_FAILED;
		json_object_put(partitions);
	}
	if (code != EXIT_OK)
		json_object_put(*all);
	return code;
}

static enum exit_code print_counter_table(struct invocation *invocation, struct json_object *shown)
{
	if (json_object_is_type(shown, json_type_array) && !json_object_array_length(shown)) {
		printf("%s: no partition has an endpoint or a counter above 0\n", invocation->card);
		return EXIT_OK;
	}
	return print_counters(shown) ? EXIT_OK : unexpected();
}

static enum exit_code run_counters(struct invocation *invocation)
{
	struct timespec pause = {.tv_sec = (time_t)invocation->watch_seconds};
	struct json_object *all = NULL, *shown = NULL, *before = NULL;
	enum exit_code code = find_card(invocation);

	for (unsigned round = 0; code == EXIT_OK; round++) {
		code = read_counters(invocation, &all, &shown);
		if (code != EXIT_OK)
			break;
		if (invocation->json)
			code = show_json(all, invocation->watch_seconds ? JSON_C_TO_STRING_PLAIN
									 : JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED);
		else if (!before)
			code = print_counter_table(invocation, shown);
		else if (!print_gains(before, shown, round % 16 == 1))
			code = unexpected();
		json_object_put(shown);
		json_object_put(before);
		before = all;
		if (code != EXIT_OK || !invocation->watch_seconds)
			break;
		if (fflush(stdout))
			break;
		nanosleep(&pause, NULL);
	}
	json_object_put(before);
	return code;
}

/* --- configure --- */

static bool print_set(struct json_object *result)
{
	struct json_object *card, *setting, *value, *first, *count;
	unsigned from, many;
	bool form;

	if (!json_object_object_get_ex(result, "card", &card) || !json_object_object_get_ex(result, "setting", &setting) ||
	    !json_object_object_get_ex(result, "value", &value) || !json_object_object_get_ex(result, "first", &first) ||
	    !json_object_object_get_ex(result, "count", &count) || !json_object_is_type(card, json_type_string) ||
	    !json_object_is_type(setting, json_type_string) || !json_object_is_type(value, json_type_int))
		return false;
	from = (unsigned)json_object_get_int(first);
	many = (unsigned)json_object_get_int(count);
	form = !strcmp(json_object_get_string(setting), gpulink_setting_name(GPULINK_COMPACT));
	printf("%s: %s is now %s on ", json_object_get_string(card), form ? "format" : json_object_get_string(setting),
	       !form ? json_object_get_string(value) : json_object_get_int(value) ? "compact" : "subheader");
	if (!many)
		printf("no partition\n");
	else if (many == 1)
		printf("partition %u\n", from);
	else
		printf("partitions %u to %u\n", from, from + many - 1);
	return true;
}

/* The form of packets, as the setting "compact". */
static bool parse_format(const char *text, uint64_t *value)
{
	*value = !strcmp(text, "compact");
	return *value || !strcmp(text, "subheader");
}

/* Parses and checks a value, and reports it if invalid. */
static bool check_setting(const char *text, enum gpulink_setting setting, bool (*parse)(const char *, uint64_t *),
			  uint64_t *value)
{
	if (parse(text, value) && gpulink_setting_valid(setting, *value))
		return true;
	if (parse == parse_format)
		complain("format '%s': must be subheader or compact", text);
	else
		complain("%s '%s': must be %s%s", gpulink_setting_name(setting), text, gpulink_setting_allowed(setting),
			 parse == parse_duration ? " nanoseconds, with a unit: 500ns, 10us, 2ms, 1s" : "");
	return false;
}

static struct json_object *set_request(const struct invocation *invocation, enum gpulink_setting setting, uint64_t value)
{
	struct json_object *request = with_partition(new_request("set", invocation->card), invocation->partition);

	request = with(request, "setting", json_object_new_string(gpulink_setting_name(setting)));
	return with(request, "value", json_object_new_uint64(value));
}

static enum exit_code commands_set_to(struct invocation *invocation, enum gpulink_setting setting, const char *text,
				      bool (*parse)(const char *, uint64_t *))
{
	enum exit_code code;
	uint64_t value;

	if (!check_setting(text, setting, parse, &value))
		return EXIT_USAGE;
	code = find_card(invocation);
	return code == EXIT_OK ? ask_and_print(invocation, set_request(invocation, setting, value), print_set) : code;
}

static enum exit_code commands_set(struct invocation *invocation, enum gpulink_setting setting,
				   bool (*parse)(const char *, uint64_t *))
{
	return commands_set_to(invocation, setting, invocation->arguments[0], parse);
}

static const char *name_of_setting(unsigned setting)
{
	return gpulink_setting_name((enum gpulink_setting)setting);
}

static enum exit_code run_set(struct invocation *invocation)
{
	unsigned setting = find_setting(invocation->arguments[0], name_of_setting, GPULINK_SETTINGS);

	return setting == GPULINK_SETTINGS ?
		       EXIT_USAGE :
		       commands_set_to(invocation, (enum gpulink_setting)setting, invocation->arguments[1], parse_number);
}

static enum exit_code run_set_subheader(struct invocation *invocation)
{
	return commands_set(invocation, GPULINK_SUBHEADER_BYTES, parse_number);
}

static enum exit_code run_set_payload(struct invocation *invocation)
{
	return commands_set(invocation, GPULINK_MAX_PAYLOAD_BYTES, parse_number);
}

static enum exit_code run_set_timeout(struct invocation *invocation)
{
	return commands_set(invocation, GPULINK_FLUSH_TIMEOUT_NS, parse_duration);
}

static enum exit_code run_set_coalesce(struct invocation *invocation)
{
	return commands_set(invocation, GPULINK_COALESCE, parse_number);
}

static enum exit_code run_set_packing(struct invocation *invocation)
{
	return commands_set(invocation, GPULINK_PACKING, parse_number);
}

static enum exit_code run_set_format(struct invocation *invocation)
{
	return commands_set(invocation, GPULINK_COMPACT, parse_format);
}

/* Sets what the card has of a policy; an older one lacks settings. */
static enum exit_code run_set_policy(struct invocation *invocation)
{
	static const struct glk_policy_row rows[] = { GLK_POLICY_ROWS };
	const char *policy = invocation->arguments[0];
	enum exit_code code;

	if (strcmp(policy, "paper") && strcmp(policy, "best")) {
		complain("policy '%s': must be paper or best", policy);
		return EXIT_USAGE;
	}
	code = find_card(invocation);
	for (size_t i = 0; code == EXIT_OK && i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(rows[i].policy, policy))
			code = ask_if_supported(invocation,
						set_request(invocation, (enum gpulink_setting)rows[i].setting, rows[i].value),
						print_set);
	return code;
}

static bool print_set_endpoint(struct json_object *result)
{
	struct json_object *card, *partition, *endpoint, *bytes;

	if (!json_object_object_get_ex(result, "card", &card) ||
	    !json_object_object_get_ex(result, "partition", &partition) ||
	    !json_object_object_get_ex(result, "endpoint", &endpoint) ||
	    !json_object_object_get_ex(result, "endpoint_bytes", &bytes))
		return false;
	printf("%s: endpoint of partition %s is now %s, %s bytes\n", json_object_get_string(card),
	       json_object_get_string(partition), json_object_get_string(endpoint), json_object_get_string(bytes));
	return true;
}

static enum exit_code run_set_endpoint(struct invocation *invocation)
{
	struct json_object *request;
	uint64_t partition;
	char endpoint[72];
	enum exit_code code;

	if (!parse_number(invocation->arguments[0], &partition) || partition > PARTITION_LIMIT) {
		complain("partition '%s': must be 0 to %d", invocation->arguments[0], PARTITION_LIMIT);
		return EXIT_USAGE;
	}
	if (!endpoint_name_parse(invocation->arguments[1], endpoint)) {
		complain("endpoint '%s': must be " ENDPOINT_NAME_ALLOWED, invocation->arguments[1]);
		return EXIT_USAGE;
	}
	code = find_card(invocation);
	if (code != EXIT_OK)
		return code;
	request = with_partition(new_request("set_endpoint", invocation->card), (int)partition);
	return ask_and_print(invocation, with(request, "endpoint", json_object_new_string(endpoint)), print_set_endpoint);
}

static enum exit_code run_card_counters(struct invocation *invocation)
{
	return show_of_card(invocation, "card_counters");
}

static enum exit_code run_pool(struct invocation *invocation)
{
	return show_of_card(invocation, "pool");
}

static enum exit_code run_pool_counters(struct invocation *invocation)
{
	return show_of_card(invocation, "pool_counters");
}

static enum exit_code run_set_open(struct invocation *invocation)
{
	return commands_set(invocation, GPULINK_OPEN, parse_number);
}

static bool print_reset(struct json_object *result)
{
	struct json_object *card, *generation;

	if (!json_object_object_get_ex(result, "card", &card) ||
	    !json_object_object_get_ex(result, "generation", &generation))
		return false;
	printf("%s: reset, generation is now %s\n", json_object_get_string(card), json_object_get_string(generation));
	return true;
}

static enum exit_code run_reset(struct invocation *invocation)
{
	enum exit_code code = find_card(invocation);

	return code == EXIT_OK ? ask_and_print(invocation, new_request("reset", invocation->card), print_reset) : code;
}

/* --- the table --- */

static const struct command card_commands[] = {
	{.name = "list", .usage = "", .summary = "list cards", .details = "", .run = run_list},
	{.name = "info",
	 .usage = "",
	 .summary = "show device information",
	 .details = "PCI address, serial number, state (live, resetting, suspended or lost), versions, link state, partitions,\n"
		    "and generation: the number of resets.\n",
	 .takes_card = true,
	 .run = run_info},
	{.name = "reset",
	 .usage = "",
	 .summary = "reset a card",
	 .details = "Open devices of the card return errors and must be reopened. Settings and endpoints are kept. A card that is\n"
		    "lost is tried again.\n",
	 .takes_card = true,
	 .run = run_reset},
	{.name = "program",
	 .usage = "FILE [PREVIOUS]",
	 .summary = "load logic into a card",
	 .details = "FILE is an xclbin2 container. Programs that use the card lose it and must reopen it; the configuration of\n"
		    "gpulinkd is applied again. If the new logic does not answer, the image that was loaded last is put back;\n"
		    "PREVIOUS is that image when none was loaded through gpulink before.\n",
	 .least = 1,
	 .most = 2,
	 .takes_card = true,
	 .run = run_program},
	{.name = "monitor",
	 .usage = "",
	 .summary = "show changes as they happen",
	 .details = "Of all cards, or of one, until interrupted, for --count events or for --seconds: cards added and removed, states,\n"
		    "links up and down, captures on and off, generations (resets), settings, endpoints, ranges, and counters of\n"
		    "errors. States, links and captures are shown at once; the others then, and every --watch SECONDS (default 1).\n",
	 .takes_card = true,
	 .takes_watch = true,
	 .takes_count = true,
	 .takes_seconds = true,
	 .run = run_monitor},
	{0},
};

static const struct command partition_commands[] = {
	{.name = "partitions",
	 .usage = "",
	 .summary = "show endpoints and settings of partitions",
	 .details = "",
	 .takes_card = true,
	 .takes_partition = true,
	 .run = run_partitions},
	{.name = "counters",
	 .usage = "",
	 .summary = "show counters of partitions since power-on",
	 .details = "The table omits partitions without an endpoint whose counters are all 0. With --watch, the totals are\n"
		    "followed every SECONDS (default 1) by the increments of stores, packets and bytes of each partition,\n"
		    "until interrupted; with -o json, by the totals, one line each time.\n",
	 .takes_card = true,
	 .takes_partition = true,
	 .takes_watch = true,
	 .run = run_counters},
	{.name = "card-counters",
	 .usage = "",
	 .summary = "show counters of the card since power-on: errors and regions",
	 .details = "Errors, packets received, and arrivals, chunks and epochs of regions.\n",
	 .takes_card = true,
	 .run = run_card_counters},
	{.name = "pool",
	 .usage = "",
	 .summary = "show size, objects and leases of the pool",
	 .details = "Sizes are in bytes; leases, epoch and clock in the logical time of leases.\n",
	 .takes_card = true,
	 .run = run_pool},
	{.name = "pool-counters",
	 .usage = "",
	 .summary = "show counters of the pool's timestamps since power-on",
	 .details = "Leases, writes, evictions, epochs and errors.\n",
	 .takes_card = true,
	 .run = run_pool_counters},
	{.name = "set-endpoint",
	 .usage = "PARTITION ENDPOINT",
	 .summary = "set the endpoint of a partition",
	 .details = "ENDPOINT is " ENDPOINT_NAME_ALLOWED ".\n"
		    "Windows onto the previous endpoint are revoked, and its ranges removed.\n",
	 .least = 2,
	 .most = 2,
	 .takes_card = true,
	 .run = run_set_endpoint},
	{.name = "ranges",
	 .usage = "",
	 .summary = "show who may open windows on which parts of endpoints",
	 .details = "",
	 .takes_card = true,
	 .takes_partition = true,
	 .run = run_ranges},
	{.name = "add-range",
	 .usage = "PARTITION NAME RANGE",
	 .summary = "let a user or group open windows on a part of an endpoint",
	 .details = "RANGE is OFFSET BYTES RIGHTS and user=NAME, group=NAME or both, as in 1M 64K rw user=alice. OFFSET and BYTES\n"
		    "are multiples of 4096, with K, M or G; BYTES may be all. RIGHTS is r, w or rw.\n",
	 .least = 3,
	 .most = 7,
	 .takes_card = true,
	 .run = run_add_range},
	{.name = "remove-range",
	 .usage = "PARTITION NAME",
	 .summary = "remove a range, and revoke the windows opened through it",
	 .details = "",
	 .least = 2,
	 .most = 2,
	 .takes_card = true,
	 .run = run_remove_range},
	{.name = "set",
	 .usage = "SETTING VALUE",
	 .summary = "set a setting of partitions",
	 .details = GLK_PARTITION_SETTING_HELP,
	 .least = 2,
	 .most = 2,
	 .takes_card = true,
	 .takes_partition = true,
	 .run = run_set},
	{.name = "set-policy",
	 .usage = "paper|best",
	 .summary = "choose FinePack as published, or the best settings",
	 .details = GLK_POLICY_HELP "Settings that the card lacks are left out.\n",
	 .least = 1,
	 .most = 1,
	 .takes_card = true,
	 .takes_partition = true,
	 .run = run_set_policy},
	{.name = "set-subheader",
	 .usage = "BYTES",
	 .summary = "set the sub-header width",
	 .details = "BYTES is 2, 3, 4, 5 or 6: the queue then covers 64 B, 16 KB, 4 MB, 1 GB or 256 GB of addresses, and sub-headers\n"
		    "have this width wherever the compact form does not take fewer bytes.\n",
	 .least = 1,
	 .most = 1,
	 .takes_card = true,
	 .takes_partition = true,
	 .run = run_set_subheader},
	{.name = "set-payload",
	 .usage = "BYTES",
	 .summary = "set the maximum packet payload",
	 .details = "BYTES is 128, 256, 512, 1024, 2048 or 4096.\n",
	 .least = 1,
	 .most = 1,
	 .takes_card = true,
	 .takes_partition = true,
	 .run = run_set_payload},
	{.name = "set-timeout",
	 .usage = "DURATION",
	 .summary = "set the idle flush timeout",
	 .details = "DURATION is an integer with the unit ns, us, ms or s, at most 1s; 0 disables the timeout.\n",
	 .least = 1,
	 .most = 1,
	 .takes_card = true,
	 .takes_partition = true,
	 .run = run_set_timeout},
	{.name = "set-coalesce",
	 .usage = "0|1",
	 .summary = "enable or disable coalescing",
	 .details = "1: merge and pack stores. 0: send each store by itself.\n",
	 .least = 1,
	 .most = 1,
	 .takes_card = true,
	 .takes_partition = true,
	 .run = run_set_coalesce},
	{.name = "set-packing",
	 .usage = "0|1",
	 .summary = "choose when a queue leaves",
	 .details = "0: as one packet, at the latest when its payload is full. 1: when its entries are full, in as many packets as\n"
		    "it takes, with at most 12 bytes more than plain writes for each store that this cuts. Only on cards that can.\n",
	 .least = 1,
	 .most = 1,
	 .takes_card = true,
	 .takes_partition = true,
	 .run = run_set_packing},
	{.name = "set-format",
	 .usage = "subheader|compact",
	 .summary = "choose the form of packets",
	 .details = "subheader: FinePack's. compact: a packet leaves in the compact form where that takes fewer bytes; requires\n"
		    "set-packing 1, and over a link a remote card that accepts it. Only on cards that can.\n",
	 .least = 1,
	 .most = 1,
	 .takes_card = true,
	 .takes_partition = true,
	 .run = run_set_format},
	{.name = "set-open",
	 .usage = "0|1",
	 .summary = "allow or deny the remote card access to the endpoint",
	 .details = "1: the remote card may read and write the endpoint. 0: it may not. Only on cards with a link.\n",
	 .least = 1,
	 .most = 1,
	 .takes_card = true,
	 .takes_partition = true,
	 .run = run_set_open},
	{0},
};

static const struct command link_commands[] = {
	{.name = "link",
	 .usage = "",
	 .summary = "show state, peer and settings of the link",
	 .details = "",
	 .takes_card = true,
	 .run = run_link},
	{.name = "link-counters",
	 .usage = "",
	 .summary = "show counters of the link since power-on",
	 .details = "Flits, stitching, pooling, replays, and packets by kind.\n",
	 .takes_card = true,
	 .run = run_link_counters},
	{.name = "set-link",
	 .usage = "SETTING VALUE",
	 .summary = "set a link setting",
	 .details = GLK_LINK_SETTING_HELP,
	 .least = 2,
	 .most = 2,
	 .takes_card = true,
	 .run = run_set_link},
	{.name = "capture",
	 .usage = "FILE",
	 .summary = "capture the frames of the link to a pcapng file",
	 .details = "FILE may be - for standard output. Captures until interrupted, for --count frames or for --seconds.\n"
		    "Requires root; does not use gpulinkd.\n",
	 .least = 1,
	 .most = 1,
	 .takes_card = true,
	 .takes_count = true,
	 .takes_seconds = true,
	 .run = run_capture},
	{0},
};

static const struct command process_commands[] = {
	{.name = "top",
	 .usage = "",
	 .summary = "show what each process does",
	 .details = "By process and cgroup, most bytes first: stores, puts and their bytes, loads and gets, atomics, releases with\n"
		    "their durations, and errors, in each interval of --watch (default 1 s) until interrupted or --once; then the\n"
		    "packets that the cards sent. Stores through gpulink_window_address() and those of GPUs are counted by the\n"
		    "cards only. Requires root, or CAP_BPF and CAP_PERFMON; does not use gpulinkd.\n",
	 .takes_watch = true,
	 .takes_once = true,
	 .run = run_top},
	{.name = "latency",
	 .usage = "[PID]",
	 .summary = "show how long releases, waits and drains take",
	 .details = "Histograms of the calls of all processes, or of one, until interrupted, for --seconds or --once. Calls of\n"
		    "libgpulink are seen with USDT probes, releases by ioctl and drains with tracepoints of the driver.\n"
		    "Requires root, or CAP_BPF and CAP_PERFMON; does not use gpulinkd.\n",
	 .most = 1,
	 .takes_seconds = true,
	 .takes_once = true,
	 .run = run_latency},
	{.name = "record",
	 .usage = "FILE [PID]",
	 .summary = "record stores and puts as a trace for gpulink-replay",
	 .details = "Operations of all programs that use libgpulink, or of one, until interrupted or for --seconds. Names ending in\n"
		    ".glt, .glt.zst or .csv choose the format. Processes become GPUs 0, 1, ...; partitions the GPUs after them.\n"
		    "Stores through gpulink_window_address() are not in the trace. Requires root, or CAP_BPF and CAP_PERFMON;\n"
		    "does not use gpulinkd.\n",
	 .least = 1,
	 .most = 2,
	 .takes_seconds = true,
	 .run = run_record},
	{0},
};

static const struct command machine_commands[] = {
	{.name = "topo",
	 .usage = "",
	 .summary = "show the PCI tree, and which card reaches which endpoint",
	 .details = "Bridges, cards, GPUs and NICs with links, payload sizes, ACS, IOMMU groups and NUMA nodes; for each card and\n"
		    "endpoint: direct, root complex, blocked or unknown, with the reason and the bandwidth left. The names of\n"
		    "endpoints are those of set-endpoint. All cards, unless --card selects one. Complete only as root.\n",
	 .takes_card = true,
	 .takes_from = true,
	 .run = run_topo},
	{.name = "doctor",
	 .usage = "",
	 .summary = "find what keeps cards from endpoints, or slows them down",
	 .details = "For each finding: what it costs, and the command or firmware setting that changes it. Complete only as root.\n"
		    "Exit status: 0 only notes, 6 warnings, 7 errors; otherwise as gpulinkctl.\n",
	 .takes_from = true,
	 .run = run_doctor},
	{.name = "tune",
	 .usage = "[FILE] [FILE.html]",
	 .summary = "measure which way to send is the cheapest for which size",
	 .details = "Measures direct stores, inline puts and puts on each path, as gpulink-bench loggop does, in minutes;\n"
		    "overwrites up to 16 MiB of the endpoint of --partition (default 0). For each size: the cheapest way for one\n"
		    "message, and for many; the term that rules it; and from how many messages on a ring is cheaper than direct\n"
		    "stores. Also chunk and agent of regions. FILE: a profile; FILE.html: a page with plots. CARD may be soft:.\n",
	 .most = 2,
	 .takes_card = true,
	 .takes_partition = true,
	 .takes_from = true,
	 .from_help = "      --from FILE      read FILE instead: parameters or samples of gpulink-bench loggop\n"
		      "      --dump FILE      also write the parameters to FILE\n",
	 .run = run_tune},
	{0},
};

const struct command_group command_groups[] = {
	{"Cards", card_commands},
	{"Partitions", partition_commands},
	{"Link", link_commands},
	{"Processes", process_commands},
	{"Machine", machine_commands},
	{0},
};
