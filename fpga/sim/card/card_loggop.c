// SPDX-License-Identifier: Apache-2.0
/*
 * card-loggop: times of operations on the Verilated card, in clocks, as samples for gpulink-model fit.
 * card-loggop TRACE GPU: clocks of each phase of a trace, as CSV of gpulink-replay convert: the stores of a GPU with a card of its own,
 * as fast as the card takes them, and the release behind them.
 *
 * Reports, not tests.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "card_rig.h"

enum { GPUS_MAX = 16, LINE = 128, STRIDE = 256, TOTAL_BYTES = RIG_DATA_BYTES };

/* --- samples --- */

static const unsigned counts[] = { 1, 16, 256, 4096 };

static void print(const char *way, const char *path, unsigned bytes, unsigned count, uint64_t clocks)
{
	printf("verilog,clocks,%s,%s,%u,%u,0,%" PRIu64 ",0,0\n", way, path, bytes, count, clocks);
}

/* Powers of two; scattered stores in steps of a word, as a store takes a clock per beat of 64 bytes. */
static unsigned next_size(unsigned bytes, bool dense)
{
	return bytes < 8 || !dense ? 2 * bytes : bytes + 8;
}

/* Stores to places in a row, or `stride` bytes apart. */
static void measure_stores(struct rig *rig, const char *way, unsigned stride, unsigned most)
{
	for (unsigned bytes = 1; bytes <= most; bytes = next_size(bytes, stride))
		for (unsigned c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
			uint64_t begin = card_dut_clocks(rig->dut), step = stride > bytes ? stride : bytes;

			if ((uint64_t)bytes * counts[c] > TOTAL_BYTES)
				continue;
			for (unsigned i = 0; i < counts[c]; i++)
				rig_store(rig, 0, i * step % rig->window_bytes, bytes);
			rig_release(rig);
			print(way, "doorbell", bytes, counts[c], card_dut_clocks(rig->dut) - begin);
			rig_settle(rig);
		}
}

/* Entries of a ring, and a release behind them. */
static void measure_entries(struct rig *rig, const char *way, unsigned opcode, unsigned most)
{
	for (unsigned bytes = 1; bytes <= most; bytes *= 2)
		for (unsigned c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
			uint64_t begin = card_dut_clocks(rig->dut);

			if (counts[c] >= RIG_ENTRIES || (uint64_t)bytes * counts[c] > TOTAL_BYTES)
				continue;
			for (unsigned i = 0; i < counts[c]; i++)
				rig_entry(rig, opcode, (uint64_t)i * bytes, bytes);
			rig_entry(rig, GLK_OP_RELEASE, 0, 0);
			rig_submit(rig);
			print(way, "ring", bytes, counts[c], card_dut_clocks(rig->dut) - begin);
			rig_settle(rig);
		}
}

static void measure(void)
{
	static struct rig rig;

	puts("device,unit,way,path,bytes,count,delay,time,spread,cpu");
	rig_start(&rig, 1, RIG_READ_CLOCKS);
	rig_release(&rig); /* the first one takes longer */
	measure_stores(&rig, "window", 0, GLK_PAGE_SIZE);
	measure_stores(&rig, "scatter", STRIDE, 128);
	measure_entries(&rig, "inline", GLK_OP_PUT_INLINE, 32);
	measure_entries(&rig, "put", GLK_OP_PUT, 65536);
	measure_entries(&rig, "get", GLK_OP_GET, 65536);
	rig_stop(&rig);
}

/* --- traces --- */

static void end_phase(struct rig *rig, unsigned phase, uint64_t *begin)
{
	rig_release(rig);
	printf("%u,%" PRIu64 "\n", phase, card_dut_clocks(rig->dut) - *begin);
	*begin = card_dut_clocks(rig->dut);
}

/* Rows: time_ps,operation,source,destination,address,size. Lines that begin with # are comments. */
static int play(FILE *from, unsigned gpu)
{
	static struct rig rig;
	unsigned phase = 0, source, destination, bytes;
	uint64_t begin, address;
	char line[256], kind[16];

	rig_start(&rig, GPUS_MAX, RIG_READ_CLOCKS);
	rig_release(&rig); /* the first one takes longer */
	begin = card_dut_clocks(rig.dut);
	puts("phase,time");
	while (fgets(line, sizeof(line), from)) {
		if (sscanf(line, "%*u,%15[a-z],%u,%u,%" SCNx64 ",%u", kind, &source, &destination, &address, &bytes) != 5)
			continue;
		if (!strcmp(kind, "barrier"))
			end_phase(&rig, phase++, &begin);
		else if (!strcmp(kind, "store") && source == gpu)
			rig_store(&rig, destination % GPUS_MAX, address % rig.window_bytes, bytes);
	}
	rig_stop(&rig);
	return phase ? 0 : -EINVAL;
}

int main(int argc, char **argv)
{
	FILE *from;

	if (argc == 1) {
		measure();
		return 0;
	}
	from = argc == 3 ? fopen(argv[1], "r") : NULL;
	if (!from || play(from, (unsigned)atoi(argv[2]))) {
		fprintf(stderr, "card-loggop: %s: must be a trace with barriers, as CSV; usage: card-loggop [TRACE GPU]\n",
			argc > 1 ? argv[1] : "");
		return 1;
	}
	fclose(from);
	return 0;
}
