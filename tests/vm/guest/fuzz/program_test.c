// SPDX-License-Identifier: Apache-2.0
/*
 * program_test CORPUS [SEED]: mutated programs stay within bounds, and survive a round trip through text; the corpus parses.
 * TAP.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fuzz.h"

enum { ROUNDS = 2000 };

static bool in_bounds(const struct program *p)
{
	if (p->count < 1 || p->count > OPS_MAX)
		return false;
	for (unsigned i = 0; i < p->count; i++)
		if (p->ops[i].kind >= OP_KINDS)
			return false;
	return true;
}

static bool same(const struct program *a, const struct program *b)
{
	if (a->count != b->count)
		return false;
	for (unsigned i = 0; i < a->count; i++) {
		if (a->ops[i].kind != b->ops[i].kind)
			return false;
		for (unsigned k = 0; k < VALUES; k++)
			if (a->ops[i].values[k].source != b->ops[i].values[k].source ||
			    a->ops[i].values[k].v != b->ops[i].values[k].v)
				return false;
	}
	return true;
}

/* Text round trip. */
static bool comes_back(const struct program *p)
{
	struct program again;
	char *text = NULL;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);
	bool good;

	if (!f)
		return false;
	program_print(p, f);
	fclose(f);
	f = fmemopen(text, bytes, "r");
	good = f && program_read(&again, f) == 1 && same(p, &again) && program_read(&again, f) == 0;
	if (f)
		fclose(f);
	free(text);
	return good;
}

static int read_text(const char *text)
{
	struct program p;
	FILE *f = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	int ret = f ? program_read(&p, f) : -2;

	if (f)
		fclose(f);
	return ret;
}

static bool one_seed_one_program(uint64_t seed)
{
	struct program a, b, other;

	random_seed(seed);
	program_draw(&a);
	program_draw(&b);
	program_mutate(&a, &b);
	random_seed(seed);
	program_draw(&other);
	program_draw(&b);
	program_mutate(&other, &b);
	return same(&a, &other);
}

/* Parses to the end, with at least one program. */
static bool corpus_is_read(const char *path)
{
	unsigned count = 0;
	struct program p;
	FILE *in = path ? fopen(path, "re") : NULL;
	int more = -1;

	while (in && (more = program_read(&p, in)) > 0)
		count++;
	if (in)
		fclose(in);
	printf("# %u programs\n", count);
	return !more && count;
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : (uint64_t)time(NULL);
	struct program p, other;
	bool bounds = true, back = true, refused, corpus = corpus_is_read(argv[1]), same_program;

	printf("# seed %" PRIu64 "\n", seed);
	refused = read_text("opens =0\n\n") == -1 && read_text(" \n\n") == -1 && read_text("open x0\n\n") == -1 &&
		  read_text("open =0g\n\n") == -1 && read_text("open =0 =0 =0 =0 =0 =0 =0 =0 =0 =0 =0 =0 =0 =0\n\n") == -1;
	random_seed(seed);
	program_draw(&p);
	for (unsigned i = 0; i < ROUNDS; i++) {
		program_draw(&other);
		program_mutate(&p, &other);
		bounds = bounds && in_bounds(&p) && in_bounds(&other);
		back = back && comes_back(&p) && comes_back(&other);
	}
	same_program = one_seed_one_program(seed);
	printf("1..5\n");
	printf("%sok 1 - programs stay within bounds\n", bounds ? "" : "not ");
	printf("%sok 2 - programs survive a text round trip\n", back ? "" : "not ");
	printf("%sok 3 - invalid text is refused\n", refused ? "" : "not ");
	printf("%sok 4 - the same seed gives the same program\n", same_program ? "" : "not ");
	printf("%sok 5 - the corpus parses\n", corpus ? "" : "not ");
	return !(bounds && back && refused && same_program && corpus);
}
