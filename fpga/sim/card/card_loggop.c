// SPDX-License-Identifier: Apache-2.0
/*
 * card-loggop BYTES: times of operations on the Verilated card, in clocks, as samples for gpulink-model fit: of at most
 * BYTES, all operations together. card-loggop BYTES --reads CLOCKS: with that time until a read is answered.
 * card-loggop TRACE GPU FORM: clocks of each phase of a trace, as CSV of gpulink-replay convert: the stores of a GPU with a
 * card of its own, as fast as the card takes them, and the release behind them. Packets are plain, packing or compact.
 *
 * docs/loggop.md has the results; tools/loggop/page writes it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "card_rig.h"

enum { GPUS_MAX = 16, LINE = 128, STRIDE = 256, PUT_MOST = 65536 };

/* --- samples --- */

static const unsigned counts[] = { 1, 16, 256, 4096 };

/* Powers of two; scattered stores in steps of a word, as a store takes a clock per beat of 64 bytes. */
static unsigned next_size(unsigned bytes, bool dense)
{
	return bytes < 8 || !dense ? 2 * bytes : bytes + 8;
}

/* A way to send. Stores go to places in a row, or `stride` bytes apart; entries, with `opcode`, to places in a row. */
struct way {
	const char *name, *path;
	unsigned opcode, stride, most;
};

static const struct way ways[] = {
	{ "window", "doorbell", GLK_OP_NOP, 0, GLK_PAGE_SIZE }, { "scatter", "doorbell", GLK_OP_NOP, STRIDE, LINE },
	{ "inline", "ring", GLK_OP_PUT_INLINE, 0, 32 },		{ "put", "ring", GLK_OP_PUT, 0, PUT_MOST },
	{ "get", "ring", GLK_OP_GET, 0, PUT_MOST },
};

/* Clocks of `count` operations, and of the release behind them. */
static uint64_t run(struct rig *rig, const struct way *way, unsigned bytes, unsigned count)
{
	uint64_t begin = card_dut_clocks(rig->dut), step = way->stride > bytes ? way->stride : bytes;

	for (unsigned i = 0; i < count; i++) {
		if (way->opcode == GLK_OP_NOP)
			rig_store(rig, 0, i * step % rig->window_bytes, bytes);
		else
			rig_entry(rig, way->opcode, i * step, bytes);
	}
	if (way->opcode == GLK_OP_NOP) {
		rig_release(rig);
	} else {
		rig_entry(rig, GLK_OP_RELEASE, 0, 0);
		rig_submit(rig);
	}
	return card_dut_clocks(rig->dut) - begin;
}

/* Each card runs one number of operations in ascending sizes, so that a shorter measurement has the same clocks. */
static void measure_way(const struct way *way, unsigned count, uint64_t total, unsigned reads)
{
	static struct rig rig;

	rig_start(&rig, 1, reads);
	run(&rig, way, 1, 1); /* the first one takes longer */
	for (unsigned bytes = 1; bytes <= way->most && (uint64_t)bytes * count <= total;
	     bytes = next_size(bytes, way->stride)) {
		rig_settle(&rig);
		printf("verilog,clocks,%s,%s,%u,%u,0,%" PRIu64 ",0,0\n", way->name, way->path, bytes, count,
		       run(&rig, way, bytes, count));
	}
	rig_stop(&rig);
}

static void measure(uint64_t total, unsigned reads)
{
	puts("device,unit,way,path,bytes,count,delay,time,spread,cpu");
	for (unsigned w = 0; w < sizeof(ways) / sizeof(ways[0]); w++)
		for (unsigned c = 0; c < sizeof(counts) / sizeof(counts[0]); c++)
			if (counts[c] < RIG_ENTRIES || ways[w].opcode == GLK_OP_NOP)
				measure_way(&ways[w], counts[c], total, reads);
}

/* --- traces --- */

static void end_phase(struct rig *rig, unsigned phase, uint64_t *begin)
{
	rig_release(rig);
	printf("%u,%" PRIu64 "\n", phase, card_dut_clocks(rig->dut) - *begin);
	*begin = card_dut_clocks(rig->dut);
}

/* Rows: time_ps,operation,source,destination,address,size. Lines that begin with # are comments. */
static int play(FILE *from, unsigned gpu, uint64_t mode)
{
	static struct rig rig;
	unsigned phase = 0, source, destination, bytes;
	uint64_t begin, address;
	char line[256], kind[16];

	rig_start(&rig, GPUS_MAX, RIG_READ_CLOCKS);
	rig_mode(&rig, mode);
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

/* MODE of a form; 0: there is none of this name. */
static uint64_t mode_of(const char *form)
{
	uint64_t packing = GLK_PARTITION_MODE_COALESCE_MASK | GLK_PARTITION_MODE_PACKING_MASK;

	if (!strcmp(form, "plain"))
		return GLK_PARTITION_MODE_COALESCE_MASK;
	if (!strcmp(form, "packing"))
		return packing;
	return strcmp(form, "compact") ? 0 : packing | GLK_PARTITION_MODE_COMPACT_MASK;
}

int main(int argc, char **argv)
{
	bool reads = argc == 4 && !strcmp(argv[2], "--reads") && atoi(argv[3]) > 0;
	FILE *from;

	if ((argc == 2 || reads) && atol(argv[1]) > 0 && atol(argv[1]) <= RIG_DATA_BYTES) {
		measure((uint64_t)atol(argv[1]), reads ? (unsigned)atoi(argv[3]) : RIG_READ_CLOCKS);
		return 0;
	}
	from = argc == 4 && mode_of(argv[3]) ? fopen(argv[1], "r") : NULL;
	if (!from || play(from, (unsigned)atoi(argv[2]), mode_of(argv[3]))) {
		fprintf(stderr,
			"card-loggop: %s: must be a trace with barriers, as CSV; usage: card-loggop BYTES (1 to 1048576) "
			"[--reads CLOCKS], or TRACE GPU plain|packing|compact\n",
			argc > 1 ? argv[1] : "");
		return 1;
	}
	fclose(from);
	return 0;
}
