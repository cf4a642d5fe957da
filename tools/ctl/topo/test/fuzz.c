// SPDX-License-Identifier: Apache-2.0
/*
 * Random changes of dumps: each is read, judged and printed as JSON, or refused with a message of one printable line.
 *
 * topo_fuzz [--seed=N] [--rounds=N] [--round=N] DUMP...: 400 rounds of a random seed by default. A round depends on the seed
 * and its number alone; --round=N does that one.
 */
#include "../findings.h"
#include "../read.h"
#include "../show.h"

#include <chance.h>
#include <tap.h>

#include <json-c/json.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { TEXT_LIMIT = 1 << 20, ROUND_SECONDS = 20 };

struct text {
	char bytes[TEXT_LIMIT];
	size_t length;
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void load(struct text *text, const char *path)
{
	FILE *file = fopen(path, "r");

	if (!file)
		die(path);
	text->length = fread(text->bytes, 1, TEXT_LIMIT / 2, file);
	fclose(file);
}

static size_t place(struct chance *c, const struct text *text)
{
	return text->length ? below(c, (unsigned)text->length) : 0;
}

/* Start of the line after a place. */
static size_t next_line(const struct text *text, size_t at)
{
	const char *end = memchr(text->bytes + at, '\n', text->length - at);

	return end ? (size_t)(end - text->bytes) + 1 : text->length;
}

static void remove_part(struct text *text, size_t from, size_t to)
{
	if (from > to)
		return;
	memmove(text->bytes + from, text->bytes + to, text->length - to);
	text->length -= to - from;
}

/* Repeats a part of up to 4096 bytes elsewhere. */
static void repeat_part(struct chance *c, struct text *text)
{
	size_t from = next_line(text, place(c, text)), to = next_line(text, place(c, text)), length = below(c, 4096);
	char part[4096];

	if (length > text->length - from)
		length = text->length - from;
	if (text->length + length > TEXT_LIMIT)
		return;
	memcpy(part, text->bytes + from, length);
	memmove(text->bytes + to + length, text->bytes + to, text->length - to);
	memcpy(text->bytes + to, part, length);
	text->length += length;
}

/* Another hexadecimal digit: the form stays, the registers change. */
static void change_digits(struct chance *c, struct text *text)
{
	for (unsigned i = below(c, 200); i--;) {
		char *byte = &text->bytes[place(c, text)];

		if (strchr("0123456789abcdef", *byte) && *byte)
			*byte = "0123456789abcdef"[below(c, 16)];
	}
}

static void mutate(struct chance *c, struct text *text)
{
	size_t at = place(c, text);

	if (!text->length)
		return;
	switch (below(c, 7)) {
	case 0: text->length = at; break;
	case 1: text->bytes[at] = (char)draw(c); break;
	case 2: remove_part(text, at, next_line(text, at)); break;
	case 3: remove_part(text, next_line(text, at), next_line(text, place(c, text))); break;
	case 4: repeat_part(c, text); break;
	default: change_digits(c, text);
	}
}

static bool printable(const char *message)
{
	for (const char *at = message; *at; at++) {
		if (*at < ' ' || *at > '~')
			return false;
	}
	return *message;
}

/* Judges and prints; NULL: good. */
static const char *use(struct tree *tree)
{
	struct findings findings = findings_make(tree);
	struct json_object *shown = json_tree(tree, NULL), *found = json_findings(&findings);
	const char *wrong = !shown || !found ? "no JSON" : NULL;

	for (size_t i = 0; i < findings.count; i++) {
		const struct finding *f = &findings.list[i];

		if (!printable(f->where) || !printable(f->what) || !printable(f->cost) || !printable(f->fix))
			wrong = "a finding lacks a text, or is not printable";
	}
	json_object_put(shown);
	json_object_put(found);
	findings_free(&findings);
	return wrong;
}

static const char *do_round(struct chance *c, struct text *text)
{
	struct failure failure = { 0 };
	char path[32];
	struct tree tree = {0};
	const char *wrong;
	int file = memfd_create("fuzz", 0);

	for (unsigned i = 1 + below(c, 4); i--;)
		mutate(c, text);
	if (file < 0 || write(file, text->bytes, text->length) != (ssize_t)text->length)
		die("memfd");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	if (!read_dump(path, &tree, &failure))
		wrong = use(&tree);
	else
		wrong = printable(failure.text) && !strncmp(failure.text, path, strlen(path)) ?
				NULL :
				"the message is not printable, or without the file";
	tree_free(&tree);
	close(file);
	return wrong;
}

int main(int argc, char **argv)
{
	static struct text text;
	uint64_t seed = (uint64_t)time(NULL), first = 0, rounds = 400;
	struct chance chance;
	int files = 1;

	for (; files < argc && argv[files][0] == '-'; files++) {
		if (sscanf(argv[files], "--seed=%" SCNu64, &seed) == 1 ||
		    sscanf(argv[files], "--rounds=%" SCNu64, &rounds) == 1)
			continue;
		if (sscanf(argv[files], "--round=%" SCNu64, &first) != 1)
			return 2;
		rounds = 1;
	}
	if (files == argc)
		return 2;
	printf("# seed %" PRIu64 "\n", seed);
	tap_plan(1);
	for (uint64_t round = first; round < first + rounds; round++) {
		const char *wrong;

		chance_start(&chance, seed, round);
		load(&text, argv[(unsigned)files + below(&chance, (unsigned)(argc - files))]);
		alarm(ROUND_SECONDS);
		wrong = do_round(&chance, &text);
		alarm(0);
		if (wrong) {
			tap_ok(false, "--seed=%" PRIu64 " --round=%" PRIu64 ": %s", seed, round, wrong);
			return tap_end();
		}
	}
	check(true, "random changes of dumps");
	return tap_end();
}
