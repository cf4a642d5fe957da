// SPDX-License-Identifier: Apache-2.0
/* Chunks and when they are ready, against a map of bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "chance.h"
#include "chunks.h"

enum { GPUS = 3, PAIRS = GPUS * GPUS, BYTES = 1 << 14, LINE = 128, PAGE = 4096 };

/* What is known of each byte of a pair's memory. */
struct map {
	bool region[BYTES];
	uint32_t first[BYTES / LINE], end[BYTES / LINE]; /* stored bytes of each line */
	uint64_t last_ps[BYTES / LINE];
};

static struct map map[PAIRS];

static bool known(const struct map *m, uint64_t at)
{
	uint64_t line = at / LINE;

	return m->end[line] && at % LINE >= m->first[line] && at % LINE < m->end[line];
}

/* The chunk of a byte: of the region that it lies in, or what is left of its page. */
static void place(const struct map *m, uint64_t at, uint32_t chunk_bytes, uint64_t *begin, uint64_t *end)
{
	uint64_t low = at, high = at;

	while (low > 0 && m->region[low - 1] == m->region[at])
		low--;
	while (high < BYTES && m->region[high] == m->region[at])
		high++;
	if (!m->region[at]) {
		*begin = at / PAGE * PAGE > low ? at / PAGE * PAGE : low;
		*end = (at / PAGE + 1) * PAGE < high ? (at / PAGE + 1) * PAGE : high;
		return;
	}
	*begin = low + (at - low) / chunk_bytes * chunk_bytes;
	*end = *begin + chunk_bytes < high ? *begin + chunk_bytes : high;
}

/* What the chunk should say, from all pairs of its source. */
static struct chunk expected(unsigned source, uint64_t begin, uint64_t end, uint32_t chunk_bytes)
{
	struct chunk chunk = { .source = source, .address = begin, .bytes = (uint32_t)(end - begin) };

	for (unsigned d = 0; d < GPUS; d++) {
		const struct map *m = &map[source * GPUS + d];

		for (uint64_t at = begin; at < end; at++) {
			uint64_t low, high;

			if (!known(m, at))
				continue;
			place(m, at, chunk_bytes, &low, &high);
			if (low != begin || high != end)
				break;
			chunk.destinations |= UINT64_C(1) << d;
			if (m->last_ps[at / LINE] > chunk.ready_ps)
				chunk.ready_ps = m->last_ps[at / LINE];
		}
	}
	return chunk;
}

/* Each stored byte is in one chunk for its destination. */
static void check_cover(const struct chunk *list, size_t count, uint32_t chunk_bytes)
{
	uint64_t stored = 0, covered = 0;

	for (unsigned pair = 0; pair < PAIRS; pair++)
		for (uint64_t at = 0; at < BYTES; at++)
			stored += (uint64_t)known(&map[pair], at);
	for (size_t i = 0; i < count; i++) {
		const struct chunk *c = &list[i];
		struct chunk right = expected(c->source, c->address, c->address + c->bytes, chunk_bytes);

		assert_true(c->address == right.address && c->destinations == right.destinations &&
			    c->ready_ps == right.ready_ps);
		assert_true(c->bytes <= (chunk_bytes > PAGE ? chunk_bytes : PAGE));
		if (i && list[i - 1].source == c->source)
			assert_true(list[i - 1].ready_ps <= c->ready_ps);
		for (unsigned d = 0; d < GPUS; d++)
			for (uint64_t at = c->address; c->destinations >> d & 1 && at < c->address + c->bytes; at++)
				covered += (uint64_t)known(&map[c->source * GPUS + d], at);
	}
	assert_int_equal(covered, stored);
}

static void gather(struct chunks *c, struct chance *r)
{
	memset(map, 0, sizeof(map));
	for (unsigned i = 0; i < 300; i++) {
		unsigned pair = below(r, 2) ? 1 : below(r, PAIRS), size = 1 + below(r, LINE);
		struct replay_op op = { .kind = REPLAY_STORE,
					.source = (uint8_t)(pair / GPUS),
					.destination = (uint8_t)(pair % GPUS),
					.address = below(r, BYTES),
					.time_ps = i + 1 };
		struct map *m = &map[pair];
		uint64_t line = op.address / LINE, first = op.address % LINE;

		op.size = size > LINE - first ? (uint32_t)(LINE - first) : size;
		assert_int_equal(chunks_store(c, &op), 0);
		m->first[line] = !m->end[line] || first < m->first[line] ? (uint32_t)first : m->first[line];
		m->end[line] = first + op.size > m->end[line] ? (uint32_t)(first + op.size) : m->end[line];
		m->last_ps[line] = op.time_ps;
	}
	for (unsigned i = below(r, 8); i; i--) {
		unsigned pair = below(r, 2) ? 1 : below(r, PAIRS);
		uint32_t address = below(r, BYTES), size = 1 + below(r, BYTES - address);
		struct replay_op op = { .kind = REPLAY_COPY,
					.source = (uint8_t)(pair / GPUS),
					.destination = (uint8_t)(pair % GPUS),
					.address = address,
					.size = size };

		assert_int_equal(chunks_copy(c, &op), 0);
		memset(map[pair].region + address, true, size);
	}
}

static void by_chance(void **state)
{
	const char *given = getenv("SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 1;
	struct chunks *c = chunks_create(GPUS);
	struct chance r;

	(void)state;
	printf("# SEED=%llu\n", (unsigned long long)seed);
	assert_non_null(c);
	chance_start(&r, seed, 0);
	for (unsigned phase = 0; phase < 15; phase++) {
		gather(c, &r);
		assert_int_equal(chunks_end(c, CHUNKS_ALL_PAIRS), 0);
		for (uint32_t bytes = 4096; bytes <= BYTES; bytes *= 2) {
			const struct chunk *list;
			size_t count;

			assert_int_equal(chunks_cut(c, bytes, &list, &count), 0);
			check_cover(list, count, bytes);
		}
		chunks_forget(c);
	}
	chunks_free(c);
}

/* A release of one pair takes its chunks, and leaves the others' and the regions. */
static void one_pair(void **state)
{
	struct chunks *c = chunks_create(2);
	const struct replay_op there = {
		.kind = REPLAY_STORE, .source = 0, .destination = 1, .address = 9000, .size = 8, .time_ps = 5
	};
	const struct replay_op back = {
		.kind = REPLAY_STORE, .source = 1, .destination = 0, .address = 64, .size = 8, .time_ps = 7
	};
	const struct replay_op region = { .kind = REPLAY_COPY, .source = 0, .destination = 1, .address = 8192, .size = 20000 };
	const struct chunk *list;
	size_t count;

	(void)state;
	assert_non_null(c);
	for (unsigned round = 0; round < 2; round++) {
		assert_int_equal(chunks_store(c, &there), 0);
		if (!round) {
			assert_int_equal(chunks_store(c, &back), 0);
			assert_int_equal(chunks_copy(c, &region), 0);
		}
		assert_int_equal(chunks_end(c, 1), 0);
		assert_int_equal(chunks_cut(c, 8192, &list, &count), 0);
		assert_int_equal(count, 1);
		assert_true(list->source == 0 && list->destinations == 2 && list->address == 8192 && list->bytes == 8192);
		chunks_forget(c);
	}
	assert_int_equal(chunks_end(c, CHUNKS_ALL_PAIRS), 0);
	assert_int_equal(chunks_cut(c, 8192, &list, &count), 0);
	assert_int_equal(count, 1);
	assert_true(list->source == 1 && list->address == 0 && list->bytes == PAGE && list->ready_ps == 7);
	chunks_forget(c);
	assert_int_equal(chunks_end(c, CHUNKS_ALL_PAIRS), 0);
	assert_int_equal(chunks_cut(c, 8192, &list, &count), 0);
	assert_int_equal(count, 0);
	chunks_free(c);
}

/* Ranges that touch each other are one region. */
static void adjacent_ranges(void **state)
{
	struct chunks *c = chunks_create(2);
	const struct replay_op store = { .kind = REPLAY_STORE, .destination = 1, .address = 12000, .size = 8 };
	const struct chunk *list;
	size_t count;

	(void)state;
	assert_non_null(c);
	assert_int_equal(chunks_store(c, &store), 0);
	for (uint64_t at = 16384; at > 0; at -= 4096)
		assert_int_equal(
			chunks_copy(c,
				    &(struct replay_op){ .kind = REPLAY_COPY, .destination = 1, .address = at, .size = 4096 }),
			0);
	assert_int_equal(chunks_end(c, CHUNKS_ALL_PAIRS), 0);
	assert_int_equal(chunks_cut(c, 16384, &list, &count), 0);
	assert_int_equal(count, 1);
	assert_true(list->address == 4096 && list->bytes == 16384);
	chunks_free(c);
}

/* A border in the middle of a line that was stored to whole, and then in part: both sides are known. */
static void divided_line(void **state)
{
	struct chunks *c = chunks_create(2);
	const struct replay_op whole = { .kind = REPLAY_STORE, .destination = 1, .address = PAGE, .size = LINE };
	const struct replay_op part = { .kind = REPLAY_STORE, .destination = 1, .address = PAGE + 8, .size = 8 };
	const struct replay_op region = { .kind = REPLAY_COPY, .destination = 1, .size = PAGE + LINE / 2 };
	const struct chunk *list;
	size_t count;

	(void)state;
	assert_non_null(c);
	assert_int_equal(chunks_store(c, &whole), 0);
	assert_int_equal(chunks_store(c, &part), 0);
	assert_int_equal(chunks_copy(c, &region), 0);
	assert_int_equal(chunks_end(c, CHUNKS_ALL_PAIRS), 0);
	assert_int_equal(chunks_cut(c, PAGE, &list, &count), 0);
	assert_int_equal(count, 2);
	assert_true(list[0].address == PAGE && list[0].bytes == LINE / 2);
	assert_true(list[1].address == PAGE + LINE / 2 && list[1].bytes == PAGE - LINE / 2);
	chunks_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(by_chance), cmocka_unit_test(one_pair),
					    cmocka_unit_test(adjacent_ranges), cmocka_unit_test(divided_line) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
