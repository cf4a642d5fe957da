// SPDX-License-Identifier: Apache-2.0
/* gpulinkctl: shows and configures gpulink cards. This file parses the command line. */
#include "../../common/close_output.h"
#include "../../common/removed.h"
#include "arguments.h"
#include "commands.h"

#include <gpulink.h>

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_SOCKET "/run/gpulink/gpulinkd.sock"
#define WATCH_LIMIT 86400
#define LIMIT_MOST 1000000000

#define COMMON_OPTIONS                                                                   \
	"  -o, --output FORMAT  table (default) or json\n"                              \
	"  -d, --direct         access sysfs directly, without gpulinkd\n"              \
	"  -s, --socket PATH    control socket of gpulinkd (default " DEFAULT_SOCKET ")\n" \
	"  -h, --help           show this help and exit\n"

static void print_help(void)
{
	printf("Usage: gpulinkctl [OPTION...] COMMAND [ARGUMENT...]\n\n"
	       "Show and configure gpulink cards.\n");
	for (const struct command_group *group = command_groups; group->title; group++) {
		printf("\n%s:\n", group->title);
		for (const struct command *c = group->commands; c->name; c++)
			printf("  %-13s %-20s  %s\n", c->name, c->usage, c->summary);
	}
	printf("\nOptions:\n"
	       "  -c, --card CARD      card, such as gpulink0 (default: the only one)\n"
	       "  -p, --partition K    partition (default: all)\n"
	       "  -w, --watch[=SECONDS]\n"
	       "                       counters, monitor, top: repeat every SECONDS (default 1)\n"
	       "      --count N        capture, monitor: end after N frames or events\n"
	       "      --seconds N      capture, latency, monitor, record: end after N seconds\n"
	       "      --once           latency: end after one second; top: after one table\n"
	       "      --from FILE      doctor, topo, tune: read FILE instead of this machine\n"
	       "      --dump FILE      doctor, topo, tune: also write what was read to FILE\n" COMMON_OPTIONS
	       "  -V, --version        show version and exit\n\n"
	       "Run 'gpulinkctl COMMAND --help' for help on a command; see also gpulinkctl(1).\n"
	       "Exit status: 0 success, 1 failure, 2 invalid arguments, 3 gpulinkd not running, 4 no such card or device,\n"
	       "5 permission denied; doctor: 6 warnings, 7 errors.\n");
}

static void print_command_help(const struct command *command)
{
	printf("Usage: gpulinkctl [OPTION...] %s%s%s\n\n", command->name, *command->usage ? " " : "", command->usage);
	printf("%c%s.\n%s\nOptions:\n", toupper((unsigned char)*command->summary), command->summary + 1, command->details);
	if (command->takes_card)
		printf("  -c, --card CARD      card, such as gpulink0 (default: the only one)\n");
	if (command->takes_partition)
		printf("  -p, --partition K    partition (default: all)\n");
	if (command->takes_watch)
		printf("  -w, --watch[=SECONDS]\n"
		       "                       repeat every SECONDS (default 1)\n");
	if (command->takes_count)
		printf("      --count N        end after N %s\n", command->takes_watch ? "events" : "frames");
	if (command->takes_seconds)
		printf("      --seconds N      end after N seconds\n");
	if (command->takes_once)
		printf("      --once           end after one %s\n", command->takes_watch ? "table" : "second");
	if (command->takes_from && command->from_help)
		printf("%s", command->from_help);
	else if (command->takes_from)
		printf("      --from FILE      read FILE instead of this machine: a dump, or the output of lspci -Dvvxxxx\n"
		       "      --dump FILE      also write the machine to FILE, for a bug report\n");
	printf(COMMON_OPTIONS);
}

/* Options that only some commands take. */
struct given {
	bool help, partition, watch, count, seconds, from;
};

static bool take_partition(struct invocation *invocation, const char *text)
{
	uint64_t number;

	if (!parse_number(text, &number) || number > PARTITION_LIMIT) {
		complain("partition '%s': must be 0 to %d", text, PARTITION_LIMIT);
		return false;
	}
	invocation->partition = (int)number;
	return true;
}

static bool take_watch(struct invocation *invocation, const char *text)
{
	uint64_t seconds = 1;

	if (text && (!parse_number(text, &seconds) || !seconds || seconds > WATCH_LIMIT)) {
		complain("--watch '%s': must be 1 to %d seconds", text, WATCH_LIMIT);
		return false;
	}
	invocation->watch_seconds = (unsigned)seconds;
	return true;
}

/* `option` is the name, for the message. */
static bool take_limit(uint64_t *limit, const char *option, const char *text)
{
	if (parse_number(text, limit) && *limit && *limit <= LIMIT_MOST)
		return true;
	complain("%s '%s': must be 1 to %d", option, text, LIMIT_MOST);
	return false;
}

static bool take_format(struct invocation *invocation, const char *text)
{
	invocation->json = !strcmp(text, "json");
	if (invocation->json || !strcmp(text, "table"))
		return true;
	complain("output format '%s': must be table or json", text);
	return false;
}

/* Returns false, after reporting it, if an option or its argument is invalid. */
static bool take_option(int option, struct invocation *invocation, struct given *given)
{
	switch (option) {
	case 'c':
		invocation->card = optarg;
		return true;
	case 'p':
		given->partition = true;
		return take_partition(invocation, optarg);
	case 'o':
		return take_format(invocation, optarg);
	case 'w':
		given->watch = true;
		return take_watch(invocation, optarg);
	case 'n':
		given->count = true;
		return take_limit(&invocation->count, "--count", optarg);
	case 'S':
		given->seconds = true;
		return take_limit(&invocation->seconds, "--seconds", optarg);
	case 'O':
		invocation->once = true;
		return true;
	case 'F':
	case 'D':
		given->from = true;
		*(option == 'F' ? &invocation->from : &invocation->dump) = optarg;
		return true;
	case 'd': invocation->asker.direct = answer_directly; return true;
	case 's':
		invocation->asker.socket_path = optarg;
		return true;
	case 'h':
		given->help = true;
		return true;
	default:
		return false;
	}
}

/* Returns EXIT_OK to continue; *ended: done, for example after printing the version. */
static enum exit_code take_options(int argc, char **argv, struct invocation *invocation, struct given *given, bool *ended)
{
	static const struct option options[] = {
		{"card", required_argument, NULL, 'c'},	  {"partition", required_argument, NULL, 'p'},
		{"output", required_argument, NULL, 'o'}, {"watch", optional_argument, NULL, 'w'},
		{"count", required_argument, NULL, 'n'},  {"seconds", required_argument, NULL, 'S'},
		{"once", no_argument, NULL, 'O'},
		{"direct", no_argument, NULL, 'd'},	  {"socket", required_argument, NULL, 's'},
		{"from", required_argument, NULL, 'F'},	  {"dump", required_argument, NULL, 'D'},
		{"help", no_argument, NULL, 'h'},	  {"version", no_argument, NULL, 'V'},
		{0},
	};
	int option;

	while ((option = getopt_long(argc, argv, "c:p:o:w::ds:hV", options, NULL)) != -1) {
		if (option == 'V') {
			printf("gpulinkctl %s\n", gpulink_version());
			*ended = true;
			return EXIT_OK;
		}
		if (!take_option(option, invocation, given))
			return EXIT_USAGE;
	}
	return EXIT_OK;
}

static const struct command *find_command(const char *name)
{
	for (const struct command_group *group = command_groups; group->title; group++) {
		for (const struct command *c = group->commands; c->name; c++) {
			if (!strcmp(c->name, name))
				return c;
		}
	}
	if (!strncmp(name, "set-", 4) && glk_removed(name + 4))
		complain("command '%s': %s", name, glk_removed(name + 4));
	else
		complain("unknown command '%s'; see gpulinkctl --help", name);
	return NULL;
}

/* Returns false, after reporting it, if an option was given that the command does not take. */
static bool supports(const struct command *command, bool given, bool takes, const char *option)
{
	if (given && !takes)
		complain("%s: %s not supported", command->name, option);
	return !given || takes;
}

static bool check_use(const struct command *command, struct invocation *invocation, const struct given *given)
{
	/* Accept "--watch 5" as well as "--watch=5". */
	if (command->takes_watch && given->watch && invocation->argument_count == 1) {
		invocation->argument_count = 0;
		return take_watch(invocation, invocation->arguments[0]);
	}
	if (invocation->argument_count < command->least || invocation->argument_count > command->most) {
		complain("usage: gpulinkctl [OPTION...] %s%s%s", command->name, *command->usage ? " " : "", command->usage);
		return false;
	}
	return supports(command, given->partition, command->takes_partition, "--partition is") &&
	       supports(command, given->watch, command->takes_watch, "--watch is") &&
	       supports(command, given->count, command->takes_count, "--count is") &&
	       supports(command, given->seconds, command->takes_seconds, "--seconds is") &&
	       supports(command, given->from, command->takes_from, "--from and --dump are") &&
	       supports(command, invocation->once, command->takes_once, "--once is") &&
	       supports(command, invocation->card, command->takes_card, "--card is");
}

int main(int argc, char **argv)
{
	struct invocation invocation = {.asker = {.socket_path = DEFAULT_SOCKET, .socket = -1}, .partition = ALL_PARTITIONS};
	const struct command *command;
	struct given given = {0};
	bool ended = false;
	enum exit_code code;

	close_output_at_exit();
	code = take_options(argc, argv, &invocation, &given, &ended);
	if (code != EXIT_OK || ended)
		return (int)code;
	if (optind == argc) {
		if (!given.help)
			complain("missing command; see gpulinkctl --help");
		else
			print_help();
		return given.help ? EXIT_OK : EXIT_USAGE;
	}
	command = find_command(argv[optind]);
	if (!command)
		return EXIT_USAGE;
	invocation.arguments = argv + optind + 1;
	invocation.argument_count = argc - optind - 1;
	if (given.help) {
		print_command_help(command);
		return EXIT_OK;
	}
	if (!check_use(command, &invocation, &given))
		return EXIT_USAGE;
	code = command->run(&invocation);
	asker_close(&invocation.asker);
	return (int)code;
}
