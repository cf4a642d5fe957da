// SPDX-License-Identifier: Apache-2.0
/*
 * Two cards, each the model or the RTL, connected by a lossy link: concurrent stores, loads, ring entries and releases of all
 * contexts of both, to local and remote endpoints. Released bytes must be in the endpoint's memory, and loads must return what
 * was stored. Kinds of rounds: work only; changing settings; link cuts; sessions ended by a reset, by LINK.CONTROL or by a
 * silent link;
 * failing endpoints. Operations in flight must then end and report failures, and everything must work again.
 *
 * test-linked-* [--cards model|rtl,model|rtl] [--seed N] [--rounds N] [--round N] [--clocks N] [--wave FILE] [--verbose]
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tap.h>

#include "linked_work.h"

static struct work w;

enum { CALM, SETTINGS, CUTS, ENDS, DEAF, KINDS };
static const char *const names[KINDS] = { "work", "settings", "cuts", "ends", "failing endpoints" };

static void one_event(unsigned kind)
{
	switch (kind) {
	case SETTINGS:
		switch (below(&w.chance, 8)) {
		case 0:
		case 1:
			work_link_settings(&w, below(&w.chance, 2));
			break;
		case 2:
			work_drain(&w);
			break;
		case 3:
			work_bind_again(&w);
			break;
		default:
			work_settings(&w, below(&w.chance, 2), below(&w.chance, WORK_ROLES));
			break;
		}
		break;
	case CUTS:
		work_cut(&w);
		break;
	case ENDS:
		work_end(&w);
		break;
	case DEAF:
		work_deaf(&w);
		break;
	}
}

static void begin(void)
{
	for (unsigned side = 0; side < 2; side++)
		work_set_up(&w, side);
	work_wait_until_up(&w);
	work_identity(&w);
	for (unsigned side = 0; side < 2; side++)
		work_remote_bytes(&w, side);
	for (unsigned side = 0; side < 2; side++)
		work_closed(&w, side);
	work_check_all(&w);
}

static bool run_round(const enum linked_kind kinds[2], uint64_t seed, uint64_t round, unsigned clocks, const char *wave,
		      bool verbose)
{
	unsigned kind = (unsigned)(round % KINDS), events = kind == CALM ? 1 : kind == SETTINGS ? 20 : 4;
	int error = work_create(&w, kinds, seed, round, wave);

	if (error) {
		printf("Bail out! %s\n", strerror(-error));
		exit(1);
	}
	w.verbose = verbose;
	begin();
	w.pause = false;
	for (unsigned i = 0; i < events && !w.pair.failure[0]; i++) {
		work_run(&w, clocks / events);
		one_event(kind);
	}
	work_rest(&w);
	work_check_all(&w);
	work_check_counters(&w, kind < ENDS);
	if (verbose || w.pair.failure[0])
		printf("# round %" PRIu64 " (%s; %s, %s): %" PRIu64 " clocks, %" PRIu64 " stores of %" PRIu64 " bytes, %" PRIu64
		       " loads (%" PRIu64 " failed), %" PRIu64 " entries (%" PRIu64 "), %" PRIu64 " releases (%" PRIu64 ")\n",
		       round, names[kind], kinds[0] == LINKED_RTL ? "rtl" : "model", kinds[1] == LINKED_RTL ? "rtl" : "model",
		       w.pair.now, w.counts.stores, w.counts.bytes, w.counts.loads, w.counts.failed_loads, w.counts.entries,
		       w.counts.failed_entries, w.counts.releases, w.counts.failed_releases);
	if (w.pair.failure[0])
		printf("# %s (%s)\n# reproduce: --cards %s,%s --seed %" PRIu64 " --round %" PRIu64 " --clocks %u --wave FILE\n", w.pair.failure, w.said,
		       kinds[0] == LINKED_RTL ? "rtl" : "model", kinds[1] == LINKED_RTL ? "rtl" : "model", seed, round, clocks);
	return !w.pair.failure[0];
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "cards", required_argument, NULL, 'c' },  { "seed", required_argument, NULL, 's' },
		{ "rounds", required_argument, NULL, 'n' }, { "round", required_argument, NULL, 'r' },
		{ "clocks", required_argument, NULL, 't' }, { "wave", required_argument, NULL, 'w' },
		{ "verbose", no_argument, NULL, 'v' },	    { 0 },
	};
	uint64_t seed = 1, round = 0, end = 20, clocks = 0;
	enum linked_kind kinds[2] = { LINKED_MODEL, LINKED_MODEL };
	struct work_counts all = { 0 };
	unsigned length = 40000;
	const char *wave = NULL;
	bool verbose = false, good = true;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 's')
			seed = strtoull(optarg, NULL, 0);
		else if (option == 'n')
			end = strtoull(optarg, NULL, 0);
		else if (option == 'r')
			round = strtoull(optarg, NULL, 0), end = round + 1;
		else if (option == 't')
			length = (unsigned)strtoul(optarg, NULL, 0);
		else if (option == 'w')
			wave = optarg;
		else if (option == 'v')
			verbose = true;
		else if (option != 'c' || !linked_kinds(optarg, kinds))
			return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("# seed %" PRIu64 "\n", seed);
	for (; round < end && good; round++) {
		good = run_round(kinds, seed, round, length, wave, verbose);
		clocks += w.pair.now;
		all.stores += w.counts.stores;
		all.loads += w.counts.loads;
		all.releases += w.counts.releases;
		all.entries += w.counts.entries;
		work_destroy(&w);
	}
	printf("# %" PRIu64 " clocks, %" PRIu64 " stores, %" PRIu64 " loads, %" PRIu64 " ring entries, %" PRIu64 " releases\n", clocks,
	       all.stores, all.loads, all.entries, all.releases);
	check(good, "stores, loads, ring entries and releases of two linked cards");
	return tap_end();
}
