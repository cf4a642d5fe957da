// SPDX-License-Identifier: Apache-2.0
/*
 * Lock-step co-simulation of the whole card: the model and the Verilated glk_card get the same register writes, stores, loads,
 * ring entries, doorbells, packets and resets, valid and invalid. Constrained random: each round draws settings and
 * back-pressure from the seed.
 *
 * Strict rounds do one operation at a time and compare everything visible after it. Loose rounds run the contexts concurrently,
 * each with separate memory, and compare what does not depend on timing. Away rounds do the same, and remove resources in use.
 * Rounds of regions do both with regions.
 *
 * lockstep-card* [--seed N] [--rounds N] [--round N] [--steps N] [--wave FILE] [--verbose]
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <card/state.h>
#include <gpulink_regs.h>
#include <tap.h>

#include "card_bench.h"

static struct bench b;

struct kind {
	const char *name;
	unsigned weight;
	void (*step)(struct bench *b);
};

/* In the middle of stores and ring entries. */
static void power(struct bench *to)
{
	to->pair.deaf = 0;
	bench_stores(to, 10);
	bench_ring(to);
	bench_stores(to, 4);
	pair_card_clock(&to->pair, below(&to->chance, 300));
	pair_power(&to->pair);
	bench_settle(to);
	pair_check_registers(&to->pair, true);
	bench_configure(to);
}

static const struct kind kinds[] = {
	{ "stores and settings", 30, bench_burst },
	{ "ring entries", 30, bench_ring },
	{ "region", 30, bench_region },
	{ "release by doorbell", 8, bench_release },
	{ "drain", 4, bench_drain },
	{ "time", 4, bench_time },
	{ "injected packets", 6, bench_packets },
	{ "pool", 8, bench_pool },
	{ "timestamps", 6, bench_stamps },
	{ "leases", 30, bench_leases },
	{ "register writes", 8, bench_registers },
	{ "window", 3, bench_window },
	{ "registration", 3, bench_registration },
	{ "partition", 3, bench_partition },
	{ "context", 3, bench_context },
	{ "completions consumed", 3, bench_take_completions },
	{ "end", 4, bench_owner },
	{ "endpoint changed", 3, bench_moved },
	{ "late failure", 3, bench_late },
	{ "completion visible", 2, bench_seen },
	{ "stores visible", 2, bench_visible },
	{ "disabled", 1, bench_disabled },
	{ "reset", 1, bench_reset },
	{ "power-on reset", 1, power },
};

static const struct kind *draw_kind(void)
{
	unsigned all = 0, at;

	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		all += kinds[i].weight;
	at = below(&b.chance, all);
	for (unsigned i = 0;; i++) {
		if (at < kinds[i].weight)
			return &kinds[i];
		at -= kinds[i].weight;
	}
}

static void strict_round(unsigned steps, bool verbose)
{
	bench_configure(&b);
	pair_check_registers(&b.pair, true);
	for (b.step = 0; b.step < steps && !b.pair.failure[0]; b.step++) {
		const struct kind *kind = draw_kind();

		bench_say(&b, "%s:", kind->name);
		kind->step(&b);
		bench_settle(&b);
		if (b.step % 16 == 15)
			pair_check_sample(&b.pair, b.step / 16);
		else
			pair_check_registers(&b.pair, false);
		if (verbose)
			printf("# step %u, clock %" PRIu64 ", %s\n", b.step, card_dut_clocks(b.pair.dut), b.said);
	}
	if (!b.pair.failure[0])
		pair_check_registers(&b.pair, true);
	if (!b.pair.failure[0] && b.pair.p.tsu_sets)
		bench_lease_cut(&b);
}

static bool run_round(uint64_t seed, uint64_t round, unsigned steps, const char *wave, bool verbose)
{
	int error = bench_start(&b, seed, round, wave);

	if (error) {
		printf("Bail out! %s\n", strerror(-error));
		exit(1);
	}
	if (round % 4 == 3)
		bench_loose(&b);
	else if (round % 8 == 4)
		bench_away(&b);
	else if (round % 8 == 1 && b.pair.p.regions)
		bench_region_loose(&b);
	else
		strict_round(steps, verbose);
	if (b.pair.failure[0])
		printf("# round %" PRIu64 ", step %u, clock %" PRIu64 " (%s): %s\n# reproduce: --seed %" PRIu64 " --round %" PRIu64
		       " --wave FILE\n",
		       round, b.step, card_dut_clocks(b.pair.dut), b.said, b.pair.failure, seed, round);
	return !b.pair.failure[0];
}

static uint64_t card_counter(unsigned index)
{
	return b.pair.model->common.counters.value[index];
}

static void add_leases(struct glk_tsu *all, const struct glk_tsu *tsu)
{
	all->reads += tsu->reads;
	all->same += tsu->same;
	all->writes += tsu->writes;
	all->untimed += tsu->untimed;
	all->refused += tsu->refused;
	all->evictions += tsu->evictions;
	all->epochs += tsu->epochs;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seed", required_argument, NULL, 's' },  { "rounds", required_argument, NULL, 'n' },
		{ "round", required_argument, NULL, 'r' }, { "steps", required_argument, NULL, 't' },
		{ "wave", required_argument, NULL, 'w' },  { "verbose", no_argument, NULL, 'v' },
		{ 0 },
	};
	uint64_t seed = 1, round = 0, end = 20, clocks = 0, packets = 0, writes = 0, chunks = 0, partial = 0, epochs = 0,
		 rejected = 0;
	struct glk_tsu leases = { 0 };
	unsigned steps = 150, rounds = 0;
	const char *wave = NULL;
	bool verbose = false, good = true;
	struct card_parameters p;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 's')
			seed = strtoull(optarg, NULL, 0);
		else if (option == 'n')
			end = strtoull(optarg, NULL, 0);
		else if (option == 'r')
			round = strtoull(optarg, NULL, 0), end = round + 1;
		else if (option == 't')
			steps = (unsigned)strtoul(optarg, NULL, 0);
		else if (option == 'w')
			wave = optarg;
		else if (option == 'v')
			verbose = true;
		else
			return 2;
	}
	card_pins_parameters(&p);
	printf("# seed %" PRIu64 ", %u partitions, %u contexts, %u bytes per beat\n", seed, p.partitions, p.contexts, p.lanes);
	for (; round < end && good; round++, rounds++) {
		good = run_round(seed, round, steps, wave, verbose);
		clocks += card_dut_clocks(b.pair.dut);
		packets += b.pair.packets;
		writes += b.pair.writes;
		chunks += card_counter(GLK_CARD_COUNTER(REGION_CHUNKS));
		partial += card_counter(GLK_CARD_COUNTER(REGION_PARTIAL));
		epochs += card_counter(GLK_CARD_COUNTER(REGION_EPOCHS));
		rejected += card_counter(GLK_CARD_COUNTER(ERR_ARRIVE));
		add_leases(&leases, &b.pair.model->pool.tsu);
		bench_end(&b);
	}
	printf("# %" PRIu64 " packets, %" PRIu64 " plain writes, %" PRIu64 " clocks\n", packets, writes, clocks);
	printf("# regions: %" PRIu64 " chunks, %" PRIu64 " partial, %" PRIu64 " epochs, %" PRIu64 " rejected\n", chunks, partial, epochs, rejected);
	printf("# leases: %" PRIu64 ", %" PRIu64 " same, %" PRIu64 " writes with a time, %" PRIu64 " without, %" PRIu64 " refused, %" PRIu64
	       " evictions, %" PRIu64 " epochs\n",
	       leases.reads, leases.same, leases.writes, leases.untimed, leases.refused, leases.evictions, leases.epochs);
	if (good && p.tsu_sets && rounds >= 6 &&
	    !(leases.reads && leases.same && leases.writes && leases.untimed && leases.refused)) {
		printf("# an operation on leases was never made\n");
		good = false;
	}
	if (good && (!packets || !writes || (p.regions && rounds >= 6 && !(chunks && partial && epochs && rejected)))) {
		printf("# the card sent nothing of some kind\n");
		good = false;
	}
	check(good, "model and RTL card match");
	return tap_end();
}
