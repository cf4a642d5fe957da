// SPDX-License-Identifier: Apache-2.0
/*
 * Every workload on 1 to 4 GPUs, some on 64: its own check holds; its stream keeps the rules of stream.h; what memcpy would
 * copy covers what is stored; and the stream is the same every time.
 */
#include "small.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { STORED = 1, COPIED = 2 };

/* A stream while it is looked at. */
struct watch {
	unsigned gpus;
	bool packed, denser;
	bool halo_copies; /* the option */
	uint64_t copied_bytes;
	uint64_t memory_bytes; /* 0: not known yet */
	uint8_t *marks;	       /* of each source, destination and byte, in this phase */
	uint64_t copied[REPLAY_GPUS_MAX][REPLAY_GPUS_MAX], atomics[REPLAY_GPUS_MAX][REPLAY_GPUS_MAX];
	uint64_t last_ps[REPLAY_GPUS_MAX];
	uint64_t count[REPLAY_BARRIER + 1], hash;
	unsigned last_kind;
};

static const char *data;

static uint8_t *marks_of(struct watch *w, unsigned source, unsigned destination)
{
	return w->marks + ((uint64_t)source * w->gpus + destination) * w->memory_bytes;
}

static void mark(struct watch *w, const struct replay_op *op, uint8_t what)
{
	uint8_t *marks = marks_of(w, op->source, op->destination);

	assert_true(op->address <= w->memory_bytes && op->size <= w->memory_bytes - op->address);
	for (uint64_t i = op->address; i < op->address + op->size; i++)
		marks[i] |= what;
}

/* What a pair of GPUs did in the phase that ends. */
static void end_pair(struct watch *w, unsigned source, unsigned destination)
{
	uint8_t *marks = marks_of(w, source, destination);
	uint64_t stored = 0, beside = 0;

	for (uint64_t i = 0; i < w->memory_bytes; i++) {
		stored += (marks[i] & STORED) != 0;
		beside += marks[i] == STORED;
	}
	assert_true(w->denser || stored + 8 * w->atomics[source][destination] <= w->copied[source][destination]);
	assert_true(w->packed || beside == 0);
	memset(marks, 0, w->memory_bytes);
	w->copied[source][destination] = w->atomics[source][destination] = 0;
}

static void watch_barrier(struct watch *w, const struct replay_op *op)
{
	assert_int_equal(op->size, w->count[REPLAY_BARRIER]);
	assert_true(op->source == 0 && op->destination == 0 && op->address == 0);
	for (unsigned g = 0; g < w->gpus; g++) {
		assert_true(op->time_ps >= w->last_ps[g]);
		w->last_ps[g] = op->time_ps;
	}
	for (unsigned i = 0; i < w->gpus * w->gpus && w->marks; i++)
		end_pair(w, i / w->gpus, i % w->gpus);
}

static void watch_op(struct watch *w, const struct replay_op *op)
{
	if (op->kind == REPLAY_BARRIER) {
		watch_barrier(w, op);
		return;
	}
	assert_true(op->source < w->gpus && op->destination < w->gpus && op->source != op->destination);
	assert_true(op->time_ps >= w->last_ps[op->source]);
	assert_true(op->size != 0 && op->address < REPLAY_ADDRESS_END);
	w->last_ps[op->source] = op->time_ps;
	if (op->kind == REPLAY_COPY) {
		w->copied[op->source][op->destination] += op->size;
		w->copied_bytes += op->size;
	} else {
		assert_true(op->kind == REPLAY_STORE || op->kind == REPLAY_ATOMIC);
		assert_true(op->address / REPLAY_STORE_MAX == (op->address + op->size - 1) / REPLAY_STORE_MAX);
		w->atomics[op->source][op->destination] += op->kind == REPLAY_ATOMIC;
	}
	if (w->marks && op->kind != REPLAY_ATOMIC)
		mark(w, op, op->kind == REPLAY_COPY ? COPIED : STORED);
}

static int take(void *user, const struct replay_op *ops, size_t count)
{
	struct watch *w = user;

	for (size_t i = 0; i < count; i++) {
		assert_int_equal(ops[i].reserved, 0);
		watch_op(w, &ops[i]);
		w->count[ops[i].kind]++;
		w->last_kind = ops[i].kind;
		for (unsigned j = 0; j < 4; j++) {
			const uint64_t part[4] = {ops[i].time_ps, ops[i].address, ops[i].size,
						  (uint64_t)ops[i].kind << 16 | (uint64_t)ops[i].source << 8 |
							  ops[i].destination};

			w->hash = (w->hash ^ part[j]) * UINT64_C(0x9e3779b97f4a7c15);
			w->hash ^= w->hash >> 29;
		}
	}
	return 0;
}

static void run(const struct small *s, unsigned gpus, struct watch *w, struct replay_workload_info *info)
{
	char path[512];
	struct failure error;
	struct replay_workload_options options = small_options(s, data, path, gpus);
	const struct replay_workload *workload = replay_workload_find(s->name);

	assert_non_null(workload);
	options.halo_copies = w->halo_copies;
	w->gpus = gpus;
	w->packed = s->packed;
	w->denser = s->denser;
	if (replay_workload_run(workload, &options, (struct replay_sink){ take, w }, info, &error))
		fail_msg("%s on %u GPUs: %s", s->name, gpus, error.text);
	assert_string_equal(error.text, "");
}

/* Once to see how large it is, and once more with marks; both must be the same. Returns the stream's hash. */
static uint64_t run_twice_with(const struct small *s, unsigned gpus, bool halo_copies, uint64_t *copied)
{
	struct watch *first = calloc(1, sizeof(*first)), *again = calloc(1, sizeof(*again));
	struct replay_workload_info info;
	uint64_t hash;

	assert_true(first && again);
	first->halo_copies = again->halo_copies = halo_copies;
	run(s, gpus, first, &info);
	assert_int_equal(info.phases, first->count[REPLAY_BARRIER]);
	assert_int_equal(first->last_kind, REPLAY_BARRIER);
	assert_int_equal(info.compute_ps, first->last_ps[0]);
	assert_true(info.elements && info.iterations && info.phases && info.compute_ps && info.compared);
	assert_true(info.residual <= info.allowed);
	again->memory_bytes = info.memory_bytes;
	again->marks = calloc((uint64_t)gpus * gpus, info.memory_bytes);
	assert_non_null(again->marks);
	run(s, gpus, again, &info);
	assert_int_equal(first->hash, again->hash);
	assert_memory_equal(first->count, again->count, sizeof(first->count));
	assert_int_equal(gpus > 1, first->count[REPLAY_STORE] + first->count[REPLAY_ATOMIC] != 0);
	assert_int_equal(gpus > 1, first->count[REPLAY_COPY] != 0);
	printf("# %s, %u GPUs: %llu stores, %llu atomics, %llu copies, %u phases, stream %016llx\n", s->name, gpus,
	       (unsigned long long)first->count[REPLAY_STORE], (unsigned long long)first->count[REPLAY_ATOMIC],
	       (unsigned long long)first->count[REPLAY_COPY], info.phases, (unsigned long long)first->hash);
	free(again->marks);
	free(again);
	hash = first->hash;
	*copied = first->copied_bytes;
	free(first);
	return hash;
}

static uint64_t run_twice(const struct small *s, unsigned gpus)
{
	uint64_t copied;

	return run_twice_with(s, gpus, false, &copied);
}

/* They still cover what is stored, which run_twice_with() checks, with at most as many bytes; jacobi's are halos. */
static void test_halo_copies(void **state)
{
	static const char *const names[] = {"jacobi", "pagerank", "sssp", "mis"};
	uint64_t whole, halo;

	(void)state;
	for (unsigned i = 0; i < SMALL; i++)
		for (unsigned n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
			if (strcmp(small[i].name, names[n]))
				continue;
			run_twice_with(&small[i], 3, false, &whole);
			run_twice_with(&small[i], 3, true, &halo);
			assert_true(halo <= whole);
		}
	run_twice_with(&(struct small){.name = "jacobi", .size = 1200}, 3, false, &whole);
	run_twice_with(&(struct small){.name = "jacobi", .size = 1200}, 3, true, &halo);
	assert_int_equal(whole % (4 * 400), 0); /* two ends have one neighbour, the middle two: 64 rows each way, of 400 */
	assert_int_equal(halo * 400, whole * 64);
}

static void test_all(void **state)
{
	unsigned changed = 0;

	(void)state;
	for (const struct replay_workload *w = replay_workloads; w->name; w++) {
		bool known = false;

		for (unsigned i = 0; i < SMALL; i++)
			known |= !strcmp(small[i].name, w->name);
		assert_true(known); /* none is left out here */
	}
	for (unsigned i = 0; i < SMALL; i++) {
		uint64_t streams = 0;

		for (unsigned gpus = 1; gpus <= 4; gpus++)
			streams = (streams ^ run_twice(&small[i], gpus)) * UINT64_C(0x9e3779b97f4a7c15);
		if (streams == small[i].streams)
			continue;
		printf("# %s %s: the streams are 0x%016" PRIx64 ", not 0x%016" PRIx64 "\n", small[i].name,
		       small[i].input ? small[i].input : "", streams, small[i].streams);
		changed++;
	}
	assert_int_equal(changed, 0);
}

/* 64 GPUs, some of them idle. */
static void test_many(void **state)
{
	static const char *const names[] = {"pagerank", "sssp", "gups", "dnn-lenet"};
	struct replay_workload_info info;

	(void)state;
	for (unsigned i = 0; i < SMALL; i++)
		for (unsigned n = 0; n < sizeof(names) / sizeof(names[0]); n++)
			if (!strcmp(small[i].name, names[n])) {
				struct watch *w = calloc(1, sizeof(*w));

				assert_non_null(w);
				run(&small[i], 64, w, &info);
				free(w);
			}
	run_twice(&(struct small){.name = "jacobi", .size = 3}, 5);
	run_twice(&(struct small){.name = "transpose", .size = 2}, 5);
	run_twice(&(struct small){.name = "atax", .size = 3}, 5);
}

static void test_elements_and_seed(void **state)
{
	static const char *const names[] = {"jacobi", "eqwp", "diffusion", "mvt"};
	const struct small jacobi = {.name = "jacobi", .size = 500};
	struct replay_workload_info info;
	struct failure error;

	(void)state;
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		for (unsigned element = 4; element <= 8; element += 4) {
			struct replay_workload_options options = {
				.gpus = 2, .size = 12, .element = element, .seed = UINT64_MAX};
			struct watch *w = calloc(1, sizeof(*w));

			assert_non_null(w);
			w->gpus = 2;
			if (replay_workload_run(replay_workload_find(names[i]), &options, (struct replay_sink){ take, w },
						&info, &error))
				fail_msg("%s, elements of %u bytes: %s", names[i], element, error.text);
			free(w);
		}
	run_twice(&jacobi, 2);
}

static int refuse_all(void *user, const struct replay_op *ops, size_t count)
{
	(void)ops;
	(void)count;
	++*(unsigned *)user;
	return -EPIPE;
}

static void test_sink_fails(void **state)
{
	struct replay_workload_info info;
	char path[512];
	struct failure error;

	(void)state;
	for (unsigned i = 0; i < SMALL; i++) {
		struct replay_workload_options options = small_options(&small[i], data, path, 2);
		unsigned calls = 0;

		assert_int_equal(replay_workload_run(replay_workload_find(small[i].name), &options,
						     (struct replay_sink){ refuse_all, &calls }, &info, &error),
				 -EPIPE);
		assert_int_equal(calls, 1);
		assert_string_equal(error.text, "");
	}
}

struct bad {
	const char *name, *error;
	struct replay_workload_options options;
	int result;
};

static void test_bad_options(void **state)
{
	static const struct bad bad[] = {
		{"jacobi", "jacobi: 0 GPUs: must be 1 to 64", {0}, -EINVAL},
		{"jacobi", "jacobi: 65 GPUs: must be 1 to 64", {.gpus = 65}, -EINVAL},
		{"jacobi",
		 "jacobi: elements of 2 bytes: must be 4 or 8, default 8",
		 {.gpus = 2, .element = 2},
		 -EINVAL},
		{"ct", "ct: elements of 8 bytes: must be 4", {.gpus = 2, .element = 8}, -EINVAL},
		{"ct", "ct: size 7: must be 8 to 1024 (pixels along a side)", {.gpus = 2, .size = 7}, -EINVAL},
		{"ct", "ct takes no input", {.gpus = 2, .input = "x"}, -EINVAL},
		{"pagerank", "pagerank needs an input", {.gpus = 2}, -EINVAL},
		{"pagerank", "/nowhere/x: cannot be opened", {.gpus = 2, .input = "/nowhere/x"}, -EBADMSG},
		{"pagerank", "pagerank: size 4; the input determines", {.gpus = 2, .size = 4, .input = "x"}, -EINVAL},
		{"jacobi", "jacobi: size 4; the input determines", {.gpus = 2, .size = 4, .input = "x"}, -EINVAL},
		{"hit", "a side of 12: must be a power of two", {.gpus = 2, .size = 12}, -EINVAL},
		{"hit", "a side of 16: must be a power of two, at least", {.gpus = 17, .size = 16}, -EINVAL},
		{"eqwp", "a side of 4 cells over 3 GPUs: must be at least 6", {.gpus = 3, .size = 4}, -EINVAL},
		{"gups", "64 GPUs with this workload size exceed", {.gpus = 64, .size = 1 << 28}, -EFBIG},
	};
	struct replay_workload_info info;
	struct failure error;

	(void)state;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		unsigned calls = 0;

		assert_int_equal(replay_workload_run(replay_workload_find(bad[i].name), &bad[i].options,
						     (struct replay_sink){ refuse_all, &calls }, &info, &error),
				 bad[i].result);
		if (strncmp(error.text, bad[i].error, strlen(bad[i].error)) != 0)
			fail_msg("'%s' should be '%s'", error.text, bad[i].error);
		assert_int_equal(calls, 0);
	}
	assert_null(replay_workload_find("none"));
}

/* cage8 is not diagonally dominant; and three rounds are too few for its shortest paths. */
static void test_wrong_input(void **state)
{
	struct replay_workload_options options = {.gpus = 2};
	struct replay_workload_info info;
	char path[512];
	struct failure error;
	struct watch *w = calloc(1, sizeof(*w));

	(void)state;
	assert_non_null(w);
	w->gpus = 2;
	snprintf(path, sizeof(path), "%s/cage8.mtx.gz", data);
	options.input = path;
	assert_int_equal(
		replay_workload_run(replay_workload_find("jacobi"), &options, (struct replay_sink){ take, w }, &info, &error),
		-EBADMSG);
	assert_non_null(strstr(error.text, "cage8.mtx.gz: row 726 has"));
	options.iterations = 3;
	assert_int_equal(
		replay_workload_run(replay_workload_find("sssp"), &options, (struct replay_sink){ take, w }, &info, &error),
		-EINVAL);
	assert_non_null(strstr(error.text, "not converged after 3 rounds"));
	free(w);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_elements_and_seed),
		cmocka_unit_test(test_halo_copies),
		cmocka_unit_test(test_sink_fails),
		cmocka_unit_test(test_bad_options),
		cmocka_unit_test(test_wrong_input),
	};

	if (argc != 2)
		return 2;
	data = argv[1];
	return cmocka_run_group_tests_name("replay-workload", tests, NULL, NULL);
}
