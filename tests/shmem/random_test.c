// SPDX-License-Identifier: Apache-2.0
/*
 * random_test [SEED [ROUNDS [heap] [default]]]: every PE stores into its own part of every PE's memory, by all kinds of puts
 * and atomics, and into a copy of what it expects there; both are compared. Signals: who sees a flag sees the data before it.
 * Prints the seed; status 1: an error. "heap": no signals in static memory, and none that are polled by test: Open MPI 4.1.4
 * orders neither by a fence on one machine, and its test makes no progress. "default": no context but the default one: over tcp
 * its end hangs with another.
 */
#include <shmem.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "chance.h"
#include "types.h"

#define PES_MAX	  16
#define AREA	  16384u /* bytes of heap of each PE in each */
#define FIXED	  2048u	 /* and of static memory */
#define PART	  (AREA + FIXED)
#define WORDS	  32u /* for atomics */
#define SOURCES	  (1u << 20)
#define OPS	  400u
#define DEFAULT	  1	/* contexts that touched a byte since the last quiet; NOW: since the last fence, too */
#define OTHER	  2
#define NOW	  4
#define STAMP	  64u /* words of data behind a signal */

static uint8_t fixed[PES_MAX][FIXED];
static long signals_fixed[PES_MAX], stamps_fixed[PES_MAX][STAMP];

static struct {
	int me, pes;
	struct chance chance;
	shmem_ctx_t context;
	uint8_t *heap;	  /* [source][AREA] */
	uint8_t *expected; /* [target][PART] */
	long *words, *words_expected; /* [source][WORDS], [target][WORDS] */
	long *counters, *added;	      /* one a PE; and what this PE added to each */
	long *signals, *stamps;
	uint8_t *source;  /* sources of nonblocking puts, until a quiet */
	size_t used;
	uint8_t *touched;	      /* [target][PART]: by which context since the last fence or quiet, see before_bytes() */
	enum { NOTHING, PUT, ATOMIC } last[PES_MAX]; /* kind of operation on words since the last fence */
	unsigned errors;
	int only_heap;
} t;

static void quiet(void)
{
	bool first = below(&t.chance, 2);

	if (first)
		shmem_quiet();
	if (t.context != SHMEM_CTX_DEFAULT)
		shmem_ctx_quiet(t.context);
	if (!first)
		shmem_quiet();
	memset(t.touched, 0, (unsigned)t.pes * PART);
	memset(t.last, 0, sizeof(t.last));
	t.used = 0;
}

static void fence(void)
{
	shmem_fence();
	if (t.context != SHMEM_CTX_DEFAULT)
		shmem_ctx_fence(t.context);
	for (size_t i = 0; i < (unsigned)t.pes * PART; i++)
		t.touched[i] &= (uint8_t)~NOW;
	memset(t.last, 0, sizeof(t.last));
}

/* Stores to the same bytes are ordered by a fence if they are of one context, else by a quiet. Most of the others are not
 * ordered. */
static void before_bytes(uint8_t *copy, size_t bytes, uint8_t context)
{
	uint8_t *touched = t.touched + (copy - t.expected), all = 0;

	for (size_t i = 0; i < bytes; i++)
		all |= touched[i];
	if (all & (uint8_t)~(context | NOW))
		quiet();
	else if (all & NOW)
		fence();
	memset(touched, context | NOW, bytes);
}

/* So are operations of different kinds on a word. */
static void before_word(int pe, int kind)
{
	if (t.last[pe] != NOTHING && (int)t.last[pe] != kind)
		fence();
	t.last[pe] = kind;
}

/* `bytes` of random data that stay as they are until the next quiet. */
static uint8_t *data_of(size_t bytes)
{
	uint8_t *data;

	if (t.used + bytes + 16 > SOURCES)
		quiet();
	data = t.source + t.used;
	t.used += (bytes + 31) & ~(size_t)15;
	for (size_t i = 0; i < bytes; i++)
		data[i] = (uint8_t)draw(&t.chance);
	return data;
}

/* Where `bytes` at a place of this PE's part are: here, as an address of PE `pe`, and in the copy. */
static void *place_of(int pe, size_t bytes, size_t align, bool other, uint8_t **copy)
{
	size_t at = below(&t.chance, (unsigned)(PART - bytes)) / align * align;

	if (at < AREA && at + bytes > AREA)
		at = AREA - (bytes + align - 1) / align * align;
	*copy = t.expected + (size_t)pe * PART + at;
	before_bytes(*copy, bytes, other && t.context != SHMEM_CTX_DEFAULT ? OTHER : DEFAULT);
	return at < AREA ? t.heap + (size_t)t.me * AREA + at : fixed[t.me] + (at - AREA);
}

/* --- puts, of each type --- */

#define TYPED(name, type)                                                                                       \
	static void store_##name(int pe, unsigned kind)                                                         \
	{                                                                                                       \
		size_t count = kind < 2 ? 1 : 1 + below(&t.chance, 8), stride = 1 + below(&t.chance, 5);        \
		type *from = (type *)data_of(sizeof(type) * count);                                             \
		uint8_t *copy;                                                                                  \
		type *to = place_of(pe, sizeof(type) * count * stride, sizeof(type), kind & 1, &copy);          \
                                                                                                                \
		for (size_t i = 0; i < count; i++)                                                              \
			from[i] = (type)below(&t.chance, 100);                                                  \
		switch (kind) {                                                                                 \
		case 0: shmem_##name##_p(to, *from, pe); break;                                                 \
		case 1: shmem_ctx_##name##_p(t.context, to, *from, pe); break;                                  \
		case 2: shmem_##name##_put(to, from, count, pe); break;                                         \
		case 3: shmem_ctx_##name##_put(t.context, to, from, count, pe); break;                          \
		case 4: shmem_##name##_put_nbi(to, from, count, pe); break;                                     \
		case 5: shmem_ctx_##name##_put_nbi(t.context, to, from, count, pe); break;                      \
		case 6: shmem_##name##_iput(to, from, (ptrdiff_t)stride, 1, count, pe); break;                  \
		default: shmem_ctx_##name##_iput(t.context, to, from, (ptrdiff_t)stride, 1, count, pe); break;  \
		}                                                                                               \
		for (size_t i = 0; i < count; i++)                                                              \
			memcpy(copy + i * (kind < 6 ? 1 : stride) * sizeof(type), &from[i], sizeof(type));      \
	}
SHMEM_TYPES(TYPED)

#define SIZED(bits, bytes)                                                                                 \
	static void sized_##bits(int pe, unsigned kind)                                                    \
	{                                                                                                  \
		size_t count = 1 + below(&t.chance, 8), stride = 1 + below(&t.chance, 5);                  \
		uint8_t *copy, *from = data_of((bytes) * count);                                           \
		void *to = place_of(pe, (bytes) * count * stride, bytes, kind & 1, &copy);                 \
                                                                                                           \
		switch (kind) {                                                                            \
		case 0: case 2: shmem_put##bits(to, from, count, pe); break;                               \
		case 1: case 3: shmem_ctx_put##bits(t.context, to, from, count, pe); break;                \
		case 4: shmem_put##bits##_nbi(to, from, count, pe); break;                                 \
		case 5: shmem_ctx_put##bits##_nbi(t.context, to, from, count, pe); break;                  \
		case 6: shmem_iput##bits(to, from, (ptrdiff_t)stride, 1, count, pe); break;                \
		default: shmem_ctx_iput##bits(t.context, to, from, (ptrdiff_t)stride, 1, count, pe); break; \
		}                                                                                          \
		for (size_t i = 0; i < count; i++)                                                         \
			memcpy(copy + i * (kind < 6 ? 1 : stride) * (bytes), from + i * (bytes), bytes);   \
	}
SHMEM_SIZES(SIZED)

#define ROW(name, type) store_##name,
#define SIZE_ROW(bits, bytes) sized_##bits,
static void (*const stores[])(int pe, unsigned kind) = {SHMEM_TYPES(ROW) SHMEM_SIZES(SIZE_ROW)};

static void store_large(int pe)
{
	size_t bytes = 1 + below(&t.chance, FIXED - 1) + below(&t.chance, 2) * below(&t.chance, AREA - FIXED);
	uint8_t *copy, *from = data_of(bytes);
	unsigned kind = below(&t.chance, 4);
	void *to = place_of(pe, bytes, 1, kind & 1, &copy);

	switch (kind) {
	case 0: shmem_putmem(to, from, bytes, pe); break;
	case 2: shmem_putmem_nbi(to, from, bytes, pe); break;
	case 1: shmem_ctx_putmem(t.context, to, from, bytes, pe); break;
	default: shmem_ctx_putmem_nbi(t.context, to, from, bytes, pe); break;
	}
	memcpy(copy, from, bytes);
}

/* --- atomics, and stores to the same words --- */

static void change_word(int pe)
{
	unsigned i = below(&t.chance, WORDS), kind = below(&t.chance, 9);
	long *to = t.words + (unsigned)t.me * WORDS + i, *copy = t.words_expected + (unsigned)pe * WORDS + i,
	     value = (long)below(&t.chance, 1000);
	long was = *copy, seen = was;

	before_word(pe, kind == 8 ? PUT : ATOMIC);
	switch (kind) {
	case 0: shmem_long_atomic_inc(to, pe); *copy += 1; break;
	case 1: shmem_long_atomic_add(to, value, pe); *copy += value; break;
	case 2: shmem_long_atomic_set(to, value, pe); *copy = value; break;
	case 3: shmem_ulong_atomic_and((unsigned long *)to, (unsigned long)value, pe); *copy &= value; break;
	case 4: shmem_ulong_atomic_or((unsigned long *)to, (unsigned long)value, pe); *copy |= value; break;
	case 5: shmem_ulong_atomic_xor((unsigned long *)to, (unsigned long)value, pe); *copy ^= value; break;
	case 6: seen = shmem_long_atomic_fetch_add(to, value, pe); *copy += value; break;
	case 7: seen = shmem_long_atomic_swap(to, value, pe); *copy = value; break;
	default: shmem_long_p(to, value, pe); *copy = value; break;
	}
	if (seen != was && t.errors++ < 10)
		printf("# PE %d: word %u of PE %d was %ld, not %ld\n", t.me, i, pe, seen, was);
	if (!below(&t.chance, 4)) {
		shmem_long_atomic_inc(t.counters, pe);
		t.added[pe]++;
	}
}

/* --- comparison --- */

static void compare(const char *what, int pe, const uint8_t *is, const uint8_t *expected, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		if (is[i] == expected[i])
			continue;
		if (t.errors++ < 10)
			printf("# PE %d: %s of PE %d: byte %zu is %02x, not %02x\n", t.me, what, pe, i, is[i], expected[i]);
		return;
	}
}

/* After a quiet, this PE's part in PE `pe`. */
static void read_back(int pe)
{
	static uint8_t back[PART];

	quiet();
	shmem_getmem(back, t.heap + (size_t)t.me * AREA, AREA, pe);
	shmem_getmem(back + AREA, fixed[t.me], FIXED, pe);
	compare("read back", pe, back, t.expected + (size_t)pe * PART, PART);
	if (shmem_long_g(t.words + (unsigned)t.me * WORDS, pe) != t.words_expected[(unsigned)pe * WORDS] && t.errors++ < 10)
		printf("# PE %d: word 0 of PE %d read back\n", t.me, pe);
}

/* After a barrier, all parts here. */
static void compare_all(void)
{
	static uint8_t expected[PART];
	static long words[WORDS];
	long sum = 0;

	for (int pe = 0; pe < t.pes; pe++) {
		shmem_getmem(expected, t.expected + (size_t)t.me * PART, PART, pe);
		shmem_getmem(words, t.words_expected + (unsigned)t.me * WORDS, sizeof(words), pe);
		sum += shmem_long_g(t.added + t.me, pe);
		compare("heap", pe, t.heap + (size_t)pe * AREA, expected, AREA);
		compare("static memory", pe, fixed[pe], expected + AREA, FIXED);
		compare("words", pe, (uint8_t *)(t.words + (unsigned)pe * WORDS), (uint8_t *)words, sizeof(words));
	}
	if (*t.counters != sum && t.errors++ < 10)
		printf("# PE %d: counter %ld, not %ld\n", t.me, *t.counters, sum);
}

/* --- signals --- */

/* Data and flag of one round to the next PE, in one of the ways; then those of the PE before. */
static void signal_round(long round)
{
	int right = (t.me + 1) % t.pes, left = (t.me + t.pes - 1) % t.pes;
	unsigned way = (unsigned)round % 8 & (t.only_heap ? 4 : 7), count = way & 4 ? STAMP : 4;
	long *data = way & 1 ? stamps_fixed[t.me] : t.stamps + (unsigned)t.me * STAMP;
	long *flag = way & 2 ? signals_fixed + t.me : t.signals + t.me;
	const long *seen = way & 1 ? stamps_fixed[left] : t.stamps + (unsigned)left * STAMP;
	long *seen_flag = way & 2 ? signals_fixed + left : t.signals + left;
	static long from[STAMP];

	for (unsigned i = 0; i < count; i++)
		from[i] = round;
	if (way & 4)
		shmem_long_put(data, from, count, right);
	else
		for (unsigned i = 0; i < count; i++)
			shmem_long_p(data + i, round, right);
	shmem_fence();
	if (round % 3)
		shmem_long_p(flag, round, right);
	else
		shmem_long_atomic_set(flag, round, right);
	if (round % 5 || t.only_heap)
		shmem_long_wait_until(seen_flag, SHMEM_CMP_GE, round);
	else
		while (!shmem_long_test(seen_flag, SHMEM_CMP_GE, round))
			;
	for (unsigned i = 0; i < count; i++)
		if (((const volatile long *)seen)[i] < round && t.errors++ < 10)
			printf("# PE %d: flag of round %ld before its data, way %u\n", t.me, round, way);
}

/* --- rounds --- */

static void round_of(unsigned round)
{
	for (unsigned i = 0; i < OPS; i++) {
		int pe = (int)below(&t.chance, (unsigned)t.pes);
		unsigned what = below(&t.chance, 100);

		if (what < 85)
			stores[below(&t.chance, sizeof(stores) / sizeof(*stores))](pe, below(&t.chance, 8));
		else if (what < 92)
			change_word(pe);
		else if (what < 95)
			store_large(pe);
		else if (what < 97)
			fence();
		else if (what < 98)
			read_back(pe);
	}
	for (unsigned i = 0; i < 8; i++)
		signal_round((long)round * 8 + i + 1);
	if (round % 2) {
		quiet();
		shmem_sync_all();
	} else {
		if (t.context != SHMEM_CTX_DEFAULT)
			shmem_ctx_quiet(t.context);
		shmem_barrier_all();
	}
	compare_all();
	shmem_barrier_all();
	memset(t.touched, 0, (unsigned)t.pes * PART);
	memset(t.last, 0, sizeof(t.last));
	t.used = 0;
}

static void *zeroed(size_t bytes)
{
	void *memory = shmem_calloc(1, bytes);

	if (!memory) {
		printf("no symmetric memory\n");
		shmem_global_exit(2);
	}
	return memory;
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : (uint64_t)time(NULL) / 8;
	unsigned rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 20;
	unsigned pes;

	t.only_heap = argc > 3 && !strcmp(argv[3], "heap");
	shmem_init();
	t.context = SHMEM_CTX_DEFAULT;
	t.me = shmem_my_pe();
	t.pes = shmem_n_pes();
	pes = (unsigned)t.pes;
	if (t.pes > PES_MAX || (strcmp(argv[argc - 1], "default") && shmem_ctx_create(0, &t.context)))
		return 2;
	chance_start(&t.chance, seed, (uint64_t)t.me);
	t.heap = zeroed(pes * AREA);
	t.expected = zeroed(pes * PART);
	t.words = zeroed(pes * WORDS * sizeof(long));
	t.words_expected = zeroed(pes * WORDS * sizeof(long));
	t.counters = zeroed(sizeof(long));
	t.added = zeroed(pes * sizeof(long));
	t.signals = zeroed(pes * sizeof(long));
	t.stamps = zeroed(pes * STAMP * sizeof(long));
	t.source = malloc(SOURCES);
	t.touched = calloc(pes, PART);
	if (!t.source || !t.touched)
		return 2;
	shmem_barrier_all();
	for (unsigned round = 0; round < rounds; round++)
		round_of(round);
	if (!t.me || t.errors)
		printf("# PE %d of %d: seed=%llu rounds=%u errors=%u\n", t.me, t.pes, (unsigned long long)seed, rounds,
		       t.errors);
	if (t.context != SHMEM_CTX_DEFAULT)
		shmem_ctx_destroy(t.context);
	shmem_finalize();
	free(t.source);
	free(t.touched);
	return t.errors ? 1 : 0;
}
