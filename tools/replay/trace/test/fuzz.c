// SPDX-License-Identifier: Apache-2.0
/*
 * Random changes of valid traces of every format, plain and compressed: each ends in success or in an error with a message,
 * soon, and whatever is pushed before obeys stream.h; what is read without an error can be written and read again.
 *
 * replay_trace_fuzz [--seed=N] [--rounds=N | --seconds=N]: 2000 rounds of a random seed by default. A round depends on the
 * seed and its number alone; --round=N does that one. SEED in the environment is a seed too.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <tap.h>

#include "files.h"
#include "ops.h"
#include "packets.h"

enum {
	ROUND_SECONDS = 20, /* far more than any round takes, with sanitizers, on a busy machine */
};

struct fuzz {
	struct chance chance;
	struct files files;
	uint8_t *bytes;
	size_t count, room;
	uint64_t pushed;
	unsigned gpus;
	uint64_t last[REPLAY_GPUS_MAX], phases;
	uint64_t sum; /* of what was pushed, in its order */
	uint64_t taken;
	char wrong[640];
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void note(struct fuzz *f, const char *what)
{
	if (!f->wrong[0])
		snprintf(f->wrong, sizeof(f->wrong), "%s", what);
}

static bool in_time(struct fuzz *f, unsigned first, unsigned end, const struct replay_op *op)
{
	bool good = true;

	for (unsigned gpu = first; gpu < end; gpu++) {
		good = good && op->time_ps >= f->last[gpu];
		f->last[gpu] = op->time_ps;
	}
	return good;
}

/* The rules of stream.h once more, in other words than the reader's. */
static bool obeys(struct fuzz *f, const struct replay_op *op)
{
	static const unsigned least[] = {0, 1, 1, 4, 0, 1, 0};
	static const unsigned most[] = {0, 128, 128, 8, 0, UINT32_MAX, UINT32_MAX};

	if (op->reserved || op->kind < 1 || op->kind > 6 || op->size < least[op->kind] || op->size > most[op->kind])
		return false;
	if (op->kind == REPLAY_BARRIER)
		return !op->source && !op->destination && !op->address && op->size == f->phases++ &&
		       in_time(f, 0, f->gpus, op);
	if (op->source >= f->gpus || op->destination >= f->gpus || op->source == op->destination)
		return false;
	if (!in_time(f, op->source, op->source + 1u, op))
		return false;
	if (op->kind == REPLAY_RELEASE)
		return op->address == 0;
	return op->address < REPLAY_ADDRESS_END && op->size <= REPLAY_ADDRESS_END - op->address &&
	       (op->kind == REPLAY_COPY || op->address / 128 == (op->address + op->size - 1) / 128);
}

static int look(void *user, const struct replay_op *ops, size_t count)
{
	struct fuzz *f = user;

	for (size_t i = 0; i < count; i++) {
		if (!obeys(f, &ops[i]))
			note(f, "an operation that stream.h does not allow was pushed");
		f->sum = f->sum * 31 + ops[i].time_ps + 3 * ops[i].address + 5 * ops[i].size + 7u * ops[i].kind +
			 11u * ops[i].source + 13u * ops[i].destination;
	}
	if (count == 0 || count > REPLAY_BATCH)
		note(f, "a batch is empty or too large");
	f->pushed += count;
	return 0;
}

static void put(struct fuzz *f, const void *bytes, size_t count)
{
	f->count = count < f->room ? count : f->room;
	memcpy(f->bytes, bytes, f->count);
}

static void make_written(struct fuzz *f, const char *name)
{
	struct ops ops = {0};
	struct failure error;
	uint8_t *bytes;
	size_t count;
	unsigned gpus = 1 + below(&f->chance, below(&f->chance, 4) ? 4 : REPLAY_GPUS_MAX);

	ops_make(&ops, &f->chance, below(&f->chance, below(&f->chance, 8) ? 60 : 3000), gpus);
	if (ops_write(&ops, files_path(&f->files, name), gpus, &error)) {
		fprintf(stderr, "%s\n", error.text);
		exit(1);
	}
	ops_free(&ops);
	bytes = files_read(&f->files, name, &count);
	put(f, bytes, count);
	free(bytes);
}

static void make_packets(struct fuzz *f)
{
	unsigned gpus = 2 + below(&f->chance, 5), requests = below(&f->chance, 60), phases = 1 + below(&f->chance, 3);
	size_t count;
	uint8_t *bytes = packets_make(&f->chance, gpus, requests, phases, &count);

	put(f, bytes, count);
	free(bytes);
}

static void pack(struct fuzz *f)
{
	uint8_t *bytes;
	size_t count;

	bytes = (below(&f->chance, 2) ? files_zstd : files_gzip)(f->bytes, f->count, &count);
	put(f, bytes, count);
	free(bytes);
}

/* Bytes that mean something somewhere, and any others. */
static uint8_t some_byte(struct chance *c)
{
	static const uint8_t special[] = {0,   1,   2,	3,    6,   7,	63,  64,  127, 128, 129,
					  255, ',', '\n', '#', '0', 'x', '9', '-', 'R', 'D'};

	return below(c, 2) ? special[below(c, sizeof(special))] : (uint8_t)draw(c);
}

/* Moves, doubles or removes a piece; pieces are often whole records. */
static void change_piece(struct fuzz *f)
{
	static const unsigned units[] = {1, 24, 40};
	struct chance *c = &f->chance;
	size_t unit = units[below(c, 3)];
	size_t bytes = unit * (1 + below(c, 4)), at, to;

	if (f->count < bytes)
		return;
	at = below(c, (unsigned)(f->count - bytes + 1)) / unit * unit;
	to = below(c, (unsigned)(f->count - bytes + 1)) / unit * unit;
	switch (below(c, 3)) {
	case 0:
		memmove(f->bytes + to, f->bytes + at, bytes);
		break;
	case 1:
		if (f->count + bytes > f->room)
			return;
		memmove(f->bytes + at + bytes, f->bytes + at, f->count - at);
		f->count += bytes;
		break;
	default:
		memmove(f->bytes + at, f->bytes + at + bytes, f->count - at - bytes);
		f->count -= bytes;
	}
}

static void change(struct fuzz *f)
{
	struct chance *c = &f->chance;
	size_t at;

	if (f->count == 0)
		return;
	at = below(c, (unsigned)f->count);
	switch (below(c, 6)) {
	case 0:
		f->bytes[at] ^= (uint8_t)(1u << below(c, 8));
		break;
	case 1:
		f->bytes[at] = (uint8_t)(f->bytes[at] + (below(c, 2) ? 1 : -1));
		break;
	case 2:
		if (below(c, 8) == 0)
			f->count = at;
		break;
	case 3:
		change_piece(f);
		break;
	default:
		f->bytes[at] = some_byte(c);
	}
}

static void make(struct fuzz *f)
{
	bool changed_before = below(&f->chance, 2), packed = below(&f->chance, 3) == 0;
	unsigned changes = below(&f->chance, 1u << below(&f->chance, 6));

	switch (below(&f->chance, 3)) {
	case 0:
		make_written(f, "made.glt");
		break;
	case 1:
		make_written(f, "made.csv");
		break;
	default:
		make_packets(f);
	}
	for (unsigned i = 0; i < changes && changed_before; i++)
		change(f);
	if (packed)
		pack(f);
	for (unsigned i = 0; i < changes && !changed_before; i++)
		change(f);
}

/* Reads a file; what is pushed is looked at. */
static int read_it(struct fuzz *f, const char *path)
{
	struct failure error = { 0 };
	struct replay_trace *trace;
	int rc = replay_trace_open(&trace, path, &error);

	f->pushed = f->phases = f->sum = 0;
	memset(f->last, 0, sizeof(f->last));
	if (rc == 0) {
		f->gpus = replay_trace_info(trace)->gpus;
		rc = replay_trace_run(trace, (struct replay_sink){ look, f }, &error);
		if (replay_trace_info(trace)->operations != f->pushed)
			note(f, "info.operations is not what was pushed");
		replay_trace_close(trace);
	}
	if (rc > 0 || (rc && !error.text[0]))
		note(f, "an error without a message");
	return rc;
}

static bool round_is_good(struct fuzz *f, uint64_t seed, uint64_t round)
{
	char path[FILES_PATH];
	struct failure error;
	uint64_t sum;

	chance_start(&f->chance, seed, round);
	f->wrong[0] = '\0';
	make(f);
	files_write(&f->files, "changed", f->bytes, f->count);
	snprintf(path, sizeof(path), "%s", files_path(&f->files, "changed"));
	alarm(ROUND_SECONDS);
	if (read_it(f, path) == 0) {
		sum = f->sum;
		f->taken++;
		if (replay_trace_convert(path, files_path(&f->files, "again.glt"), &error))
			note(f, error.text);
		else if (read_it(f, files_path(&f->files, "again.glt")) || f->sum != sum)
			note(f, "what was written again is not read, or is not the same");
	}
	alarm(0);
	return !f->wrong[0];
}

struct wish {
	uint64_t seed, first, rounds, seconds;
};

static bool number_of(const char *argument, const char *name, uint64_t *number)
{
	size_t length = strlen(name);
	char *end;

	if (strncmp(argument, name, length) != 0)
		return false;
	*number = strtoull(argument + length, &end, 0);
	return end != argument + length && *end == '\0';
}

static bool parse(int argc, char **argv, struct wish *wish)
{
	const char *seed = getenv("SEED");

	*wish = (struct wish){seed ? strtoull(seed, NULL, 0) : (uint64_t)time(NULL), 0, 2000, 0};
	for (int i = 1; i < argc; i++) {
		if (number_of(argv[i], "--round=", &wish->first))
			wish->rounds = 1;
		else if (!number_of(argv[i], "--seed=", &wish->seed) && !number_of(argv[i], "--rounds=", &wish->rounds) &&
			 !number_of(argv[i], "--seconds=", &wish->seconds))
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	struct fuzz f = {.room = 1 << 20};
	struct wish wish;
	uint64_t round, bad = 0;
	time_t begin = time(NULL);

	if (!parse(argc, argv, &wish)) {
		fprintf(stderr, "usage: %s [--seed=N] [--rounds=N | --seconds=N | --round=N]\n", argv[0]);
		return 2;
	}
	f.bytes = malloc(f.room);
	if (!f.bytes)
		die("malloc");
	files_open(&f.files);
	printf("# seed %" PRIu64 "; a round that hangs ends in SIGALRM and leaves its file in %s\n", wish.seed, f.files.folder);
	tap_plan(1);
	for (round = wish.first; !bad; round++) {
		if (wish.seconds ? time(NULL) - begin >= (time_t)wish.seconds : round - wish.first == wish.rounds)
			break;
		if (!round_is_good(&f, wish.seed, round)) {
			printf("# --seed=%" PRIu64 " --round=%" PRIu64 ": %s\n", wish.seed, round, f.wrong);
			bad++;
		}
	}
	tap_ok(!bad, "%" PRIu64 " changed traces, %" PRIu64 " of them sound", round - wish.first, f.taken);
	files_close(&f.files);
	free(f.bytes);
	return tap_end();
}
