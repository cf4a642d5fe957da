// SPDX-License-Identifier: Apache-2.0
/*
 * replay-bench [STORES]: what a store costs on its way through FinePack's model, stage by stage, and with two threads. The
 * stream is like PageRank's: 4 GPUs, 8 bytes, rows ascending with gaps, a release now and then. Between machines only the
 * ratios mean something.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gpulink_regs.h>

#include "../../common/number.h"

#include "paradigm/parallel.h"
#include "finepack/partition.h"

enum { GPUS = 4, OPS = 1 << 18 };

static struct replay_op ops[OPS];

/* CLOCK_THREAD_CPUTIME_ID for one thread's work, whatever else the machine does; CLOCK_MONOTONIC for several. */
static double seconds_now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void make_stream(void)
{
	uint64_t at[GPUS][GPUS] = { { 0 } }, state = 88172645463325252u;

	for (unsigned i = 0; i < OPS; i++) {
		unsigned from = i / 64 % GPUS, to = (from + 1 + i / 16 % (GPUS - 1)) % GPUS;

		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		at[from][to] += 8 + 8 * (state % 6);
		ops[i] = (struct replay_op){
			.kind = REPLAY_STORE,
			.source = (uint8_t)from,
			.destination = (uint8_t)to,
			.address = at[from][to],
			.size = 8,
		};
	}
	ops[OPS - 1] = (struct replay_op){ .kind = REPLAY_BARRIER };
}

static uint64_t sink_bytes;

static void bench_packet_out(void *user, const uint8_t *packet, size_t length, unsigned reason)
{
	(void)user;
	(void)reason;
	sink_bytes += length + packet[length - 1];
}

static void stage_walk(const struct replay_op *op, struct glk_partition *partition)
{
	(void)partition;
	sink_bytes += op->address;
}

static void stage_queue(const struct replay_op *op, struct glk_partition *partition)
{
	static const uint8_t data[GLK_LINE_BYTES];
	struct glk_write_queue *queue = &partition->queue;
	size_t piece = glk_write_queue_piece(queue, op->address, op->size);

	if (glk_write_queue_put(queue, op->address, data, piece, 1, &sink_bytes) == GLK_QUEUE_TAKEN)
		return;
	glk_write_queue_clear(queue);
	glk_write_queue_put(queue, op->address, data, piece, 1, &sink_bytes);
}

static void stage_all(const struct replay_op *op, struct glk_partition *partition)
{
	static const uint8_t data[GLK_LINE_BYTES];

	glk_partition_store(partition, op->address, data, op->size, 0, 0);
}

/* Seconds for all stores by one stage and what comes before it. */
static double run_stage(void (*stage)(const struct replay_op *, struct glk_partition *), enum glk_packet_form form,
			uint64_t rounds)
{
	static struct glk_partition partitions[GPUS * GPUS];
	double begin;

	for (unsigned p = 0; p < GPUS * GPUS; p++) {
		glk_partition_init(&partitions[p], 64, bench_packet_out, NULL);
		glk_partition_set(&partitions[p], GLK_PARTITION_SUBHEADER_BYTES, 5);
		glk_partition_set_form(&partitions[p], form);
	}
	begin = seconds_now(CLOCK_THREAD_CPUTIME_ID);
	for (uint64_t round = 0; round < rounds; round++)
		for (unsigned i = 0; i < OPS - 1; i++)
			stage(&ops[i], &partitions[ops[i].source * GPUS + ops[i].destination]);
	return seconds_now(CLOCK_THREAD_CPUTIME_ID) - begin;
}

/* The same by a comparison, which counts unique bytes too. */
static double run_comparison(unsigned jobs, const struct paradigm *paradigm, uint64_t rounds)
{
	struct setting setting = { .link = *link_preset("pcie4"), .queue_entries = 64, .subheader_bytes = 5 };
	const struct paradigm *list[] = { paradigm, NULL };
	struct parallel *p = parallel_create(jobs, GPUS, &setting, list);
	struct comparison *c = NULL;
	double begin = seconds_now(CLOCK_MONOTONIC);

	if (!p)
		return -1;
	for (uint64_t round = 0; round < rounds; round++) {
		struct replay_sink sink = parallel_sink(p);

		if (sink.take(sink.user, ops, OPS))
			break;
	}
	if (parallel_end(p, &c))
		return -1;
	comparison_free(c);
	return seconds_now(CLOCK_MONOTONIC) - begin;
}

static void replay_bench_tell(const char *what, double seconds, double before, uint64_t stores)
{
	printf("%-44s %8.1f %8.1f %10.1f\n", what, seconds * 1e9 / (double)stores, (seconds - before) * 1e9 / (double)stores,
	       (double)stores / seconds / 1e6);
}

int main(int argc, char **argv)
{
	uint64_t rounds = 50000000, stores;
	double walk, queue, all, one, two;

	if (argc > 1 && !glk_number(argv[1], 10, UINT64_MAX / 2, &rounds))
		return 2;
	rounds = rounds / OPS + 1;
	stores = rounds * (OPS - 1);
	make_stream();
	run_stage(stage_all, GLK_FORM_PLAIN, 1 + rounds / 20); /* warm */
	walk = run_stage(stage_walk, GLK_FORM_PLAIN, rounds);
	queue = run_stage(stage_queue, GLK_FORM_PLAIN, rounds);
	all = run_stage(stage_all, GLK_FORM_PLAIN, rounds);
	printf("%-44s %8s %8s %10s\n", "stage", "ns/store", "itself", "million/s");
	replay_bench_tell("reading the stream", walk, 0, stores);
	replay_bench_tell("write queue", queue, walk, stores);
	replay_bench_tell("counting, packetizer, packets out", all, queue, stores);
	replay_bench_tell("the same, compact form", run_stage(stage_all, GLK_FORM_COMPACT, rounds), queue, stores);
	one = run_comparison(1, &paradigm_finepack, rounds);
	two = run_comparison(2, &paradigm_finepack, rounds);
	if (one < 0 || two < 0)
		return EXIT_FAILURE;
	replay_bench_tell("finepack with unique bytes, 1 thread", one, all, stores);
	replay_bench_tell("finepack with unique bytes, 2 threads", two, all, stores);
	printf("2 threads: %.2f times as fast as 1   (%" PRIx64 ")\n", one / two, sink_bytes);
	return fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
