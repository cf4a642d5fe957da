// SPDX-License-Identifier: Apache-2.0
/*
 * Accesses of warps, as NVBit's tools record them: an address for each active thread, and no times. Threads that touch one line
 * make one store for each run of bytes, as a GPU's coalescer does. Only accesses to the memory of another GPU go into the
 * stream; whose memory an address is in, the command line says. A barrier ends each kernel.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/number.h"
#include "../trace/line_mask.h"
#include "../trace/message.h"
#include "import.h"
#include "lines.h"

enum { WARP = 32, CONTEXTS_MAX = REPLAY_GPUS_MAX };

struct warps {
	struct lines lines;
	const struct import_options *options;
	struct replay_sink sink;
	size_t count;
	uint32_t phase;
	bool any; /* since the last barrier */
	struct replay_op op[REPLAY_BATCH];
	/* NVBit: */
	uint64_t context[CONTEXTS_MAX]; /* GPU g's, in the order in which they appear */
	unsigned contexts;
	long kernel[CONTEXTS_MAX]; /* that each runs */
	/* Accel-Sim: */
	int version;
	bool line_numbers;
};

/* What a warp's instruction does. */
struct access {
	uint8_t kind; /* of enum replay_kind; 0: nothing in global memory */
	unsigned bytes; /* of a thread */
};

static int warps_flush(struct warps *w)
{
	size_t count = w->count;

	w->count = 0;
	return count ? w->sink.take(w->sink.user, w->op, count) : 0;
}

static int warps_push(struct warps *w, const struct replay_op *op)
{
	w->op[w->count++] = *op;
	return w->count == REPLAY_BATCH ? warps_flush(w) : 0;
}

static int barrier(struct warps *w)
{
	if (!w->any)
		return 0;
	w->any = false;
	return warps_push(w, &(struct replay_op){ .kind = REPLAY_BARRIER, .size = w->phase++ });
}

/* LD, LDG, ST, STG, RED, ATOM, ATOMG; not of shared, local or constant memory. Widths are modifiers: .64, .128, .U8, .S16. */
static struct access access_of(const char *opcode)
{
	static const struct {
		const char *name;
		uint8_t kind;
	} names[] = { { "LD", REPLAY_LOAD }, { "LDG", REPLAY_LOAD }, { "ST", REPLAY_STORE }, { "STG", REPLAY_STORE },
		      { "RED", REPLAY_ATOMIC }, { "ATOM", REPLAY_ATOMIC }, { "ATOMG", REPLAY_ATOMIC } };
	struct access a = { .bytes = 4 };
	size_t length = strcspn(opcode, ".");

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i].name) == length && strncmp(opcode, names[i].name, length) == 0)
			a.kind = names[i].kind;
	if (strstr(opcode, ".128"))
		a.bytes = 16;
	else if (strstr(opcode, ".64") || strstr(opcode, "64."))
		a.bytes = 8;
	else if (strstr(opcode, ".U16") || strstr(opcode, ".S16"))
		a.bytes = 2;
	else if (strstr(opcode, ".U8") || strstr(opcode, ".S8"))
		a.bytes = 1;
	if (a.kind == REPLAY_ATOMIC && a.bytes != 8)
		a.bytes = 4;
	return a;
}

/* Whose memory it is in: NULL: nobody's. */
static const struct import_range *range_of(const struct import_options *o, uint64_t address)
{
	for (unsigned i = 0; i < o->ranges; i++)
		if (address >= o->range[i].first && address < o->range[i].end)
			return &o->range[i];
	return NULL;
}

/* Sends the bytes of a line, run by run. */
static int send_line(struct warps *w, const struct replay_op *line, const struct line_mask *mask)
{
	struct replay_op op = *line;
	unsigned begin, end = 0, size;
	int rc = 0;

	while (!rc && line_mask_run(mask, end, &begin, &size)) {
		end = begin + size;
		op.address = line->address + begin;
		op.size = size;
		w->any = true;
		rc = warps_push(w, &op);
	}
	return rc;
}

/* Adds what of an access lies in the line to the mask, from `at` on, and returns its end there. */
static uint64_t add_bytes(struct line_mask *mask, uint64_t at, uint64_t end)
{
	uint64_t line_end = at / REPLAY_STORE_MAX * REPLAY_STORE_MAX + REPLAY_STORE_MAX;
	uint64_t to = end < line_end ? end : line_end;

	line_mask_add(mask, (unsigned)(at % REPLAY_STORE_MAX), (unsigned)(to - at));
	return to;
}

/* An offset in the memory of a GPU: ranges of one GPU must not overlap there, so they keep their low 48 bits. */
static bool remote(const struct warps *w, unsigned gpu, uint64_t address, unsigned *owner)
{
	const struct import_range *range = range_of(w->options, address);

	if (!range || range->gpu == gpu || address >= REPLAY_ADDRESS_END - REPLAY_STORE_MAX)
		return false;
	*owner = range->gpu;
	return true;
}

static int send_atomics(struct warps *w, unsigned gpu, const struct access *a, const uint64_t *address, unsigned threads)
{
	unsigned owner;
	int rc = 0;

	for (unsigned t = 0; t < threads && !rc; t++) {
		if (!remote(w, gpu, address[t], &owner) || address[t] % a->bytes)
			continue;
		w->any = true;
		rc = warps_push(w, &(struct replay_op){ .address = address[t],
							.size = a->bytes,
							.kind = a->kind,
							.source = (uint8_t)gpu,
							.destination = (uint8_t)owner });
	}
	return rc;
}

/* Line by line, in the order in which threads touch them first. An access that crosses a line's end is of both. */
static int send_warp(struct warps *w, unsigned gpu, const struct access *a, const uint64_t *address, unsigned threads)
{
	uint64_t at[2 * WARP], end[2 * WARP], first;
	bool done[2 * WARP] = { false };
	unsigned parts = 0, owner;
	int rc = 0;

	if (a->kind == REPLAY_ATOMIC)
		return send_atomics(w, gpu, a, address, threads);
	for (unsigned t = 0; t < threads; t++) {
		for (first = address[t]; remote(w, gpu, first, &owner) && first < address[t] + a->bytes; first = end[parts++]) {
			struct line_mask ignored = { { 0 } };

			at[parts] = first;
			end[parts] = add_bytes(&ignored, first, address[t] + a->bytes);
		}
	}
	for (unsigned i = 0; i < parts && !rc; i++) {
		struct line_mask mask = { { 0 } };
		struct replay_op line = { .address = at[i] / REPLAY_STORE_MAX * REPLAY_STORE_MAX,
					  .kind = a->kind,
					  .source = (uint8_t)gpu };

		if (done[i] || !remote(w, gpu, at[i], &owner))
			continue;
		line.destination = (uint8_t)owner;
		for (unsigned k = i; k < parts; k++) {
			if (done[k] || at[k] / REPLAY_STORE_MAX != at[i] / REPLAY_STORE_MAX)
				continue;
			add_bytes(&mask, at[k], end[k]);
			done[k] = true;
		}
		rc = send_line(w, &line, &mask);
	}
	return rc;
}

/* The words of a line, one after the other. */
static const char *word(char **rest)
{
	char *w;

	do
		w = strsep(rest, " \t\r");
	while (w && !*w);
	return w;
}

static bool number(char **rest, unsigned base, long long *value)
{
	const char *w = word(rest);
	bool minus = w && base == 10 && *w == '-';
	uint64_t size;

	if (!w || !glk_number(w + minus, base, base == 16 ? UINT64_MAX : INT64_MAX, &size))
		return false;
	*value = minus ? -(long long)size : (long long)size;
	return true;
}

/* GPUs are the contexts in their order. */
static int gpu_of(struct warps *w, uint64_t context, unsigned *gpu, struct failure *error)
{
	for (*gpu = 0; *gpu < w->contexts; ++*gpu)
		if (w->context[*gpu] == context)
			return 0;
	if (w->contexts == w->options->gpus)
		return lines_wrong(&w->lines, error, "a context of a further GPU: name its memory with --memory");
	w->context[w->contexts] = context;
	w->kernel[w->contexts++] = -1;
	return 0;
}

/* MEMTRACE: CTX 0x.. - grid_launch_id 0 - CTA 0,0,0 - warp 0 - STG.E - 0x.. 0x.. (32; 0 for threads that do nothing) */
static int nvbit_line(struct warps *w, char *text, struct failure *error)
{
	unsigned long long context;
	uint64_t active[WARP];
	unsigned gpu = 0, threads = 0;
	struct access access;
	long long address;
	long kernel = 0;
	char opcode[64];
	int used = 0, rc;

	if (sscanf(text, "MEMTRACE: CTX %18llx - grid_launch_id %18ld - CTA %*d,%*d,%*d - warp %*d - %63s - %n", &context,
		   &kernel, opcode, &used) < 3 &&
	    sscanf(text, "MEMTRACE: CTX %18llx - CTA %*d,%*d,%*d - warp %*d - %63s - %n", &context, opcode, &used) < 2)
		return lines_wrong(&w->lines, error,
				   "must be MEMTRACE: CTX 0x.. - grid_launch_id N - CTA X,Y,Z - warp N - OPCODE - ADDRESSES");
	rc = used ? gpu_of(w, context, &gpu, error) : lines_wrong(&w->lines, error, "has no addresses");
	if (rc)
		return rc;
	if (w->kernel[gpu] != kernel && w->kernel[gpu] >= 0)
		rc = barrier(w);
	w->kernel[gpu] = kernel < 0 ? 0 : kernel;
	access = access_of(opcode);
	text += used;
	for (unsigned t = 0; t < WARP && number(&text, 16, &address); t++) {
		active[threads] = (uint64_t)address;
		threads += address != 0;
	}
	return rc || !access.kind ? rc : send_warp(w, gpu, &access, active, threads);
}

static int with_lines(const char *path, const struct import_options *options, struct replay_sink sink,
		      int (*take)(struct warps *w, char *text, struct failure *error), struct failure *error)
{
	struct warps *w = calloc(1, sizeof(*w));
	int rc;

	if (!w)
		return failure_set(error, -ENOMEM, "out of memory");
	w->options = options;
	w->sink = sink;
	w->version = 3;
	rc = lines_open(&w->lines, path, error);
	if (rc) {
		free(w);
		return rc;
	}
	while ((rc = lines_next(&w->lines, error)) > 0) {
		rc = take(w, w->lines.text, error);
		if (rc)
			break;
	}
	if (!rc)
		rc = barrier(w);
	if (!rc)
		rc = warps_flush(w);
	lines_close(&w->lines);
	free(w);
	return rc;
}

static int nvbit_take(struct warps *w, char *text, struct failure *error)
{
	text = strstr(text, "MEMTRACE: "); /* other lines are NVBit's and the program's own */
	return text ? nvbit_line(w, text, error) : 0;
}

int import_nvbit(const char *path, const struct import_options *options, struct replay_sink sink, struct failure *error)
{
	return with_lines(path, options, sink, nvbit_take, error);
}

/* A count, and so many registers. */
static bool registers(char **rest)
{
	long long count;

	if (!number(rest, 10, &count) || count < 0 || count > 64)
		return false;
	while (count-- > 0)
		if (!word(rest))
			return false;
	return true;
}

/* Address modes: 0: all of them; 1: first and stride; 2: first, and the distance of each from the one before. */
static bool addresses(char **rest, unsigned threads, uint64_t *address)
{
	long long mode, value, step = 0;

	if (!number(rest, 10, &mode) || mode < 0 || mode > 2 || !threads || !number(rest, 16, &value) ||
	    (mode == 1 && !number(rest, 10, &step)))
		return false;
	address[0] = (uint64_t)value;
	for (unsigned t = 1; t < threads; t++) {
		if (mode != 1 && !number(rest, mode == 0 ? 16 : 10, &step))
			return false;
		address[t] = mode == 0 ? (uint64_t)step : address[t - 1] + (uint64_t)step;
	}
	return true;
}

/* [LINE] PC MASK REGISTERS OPCODE REGISTERS WIDTH [MODE ADDRESSES] */
static int accelsim_line(struct warps *w, char *text, struct failure *error)
{
	static const char wrong[] = "must be PC MASK REGISTERS OPCODE REGISTERS WIDTH [MODE ADDRESSES], of a .traceg file";
	long long pc, mask, width;
	uint64_t address[WARP];
	struct access access;
	const char *opcode;
	unsigned threads;

	if ((w->line_numbers && !number(&text, 10, &pc)) || !number(&text, 16, &pc) || !number(&text, 16, &mask) || mask < 0 ||
	    mask > UINT32_MAX || !registers(&text))
		return lines_wrong(&w->lines, error, wrong);
	opcode = word(&text);
	if (!opcode || !registers(&text))
		return lines_wrong(&w->lines, error, wrong);
	access = access_of(opcode);
	threads = (unsigned)__builtin_popcountll((unsigned long long)mask);
	if (!access.kind || !threads)
		return 0;
	if (!number(&text, 10, &width))
		return lines_wrong(&w->lines, error, wrong);
	if (!width)
		return 0;
	if (!addresses(&text, threads, address))
		return lines_wrong(&w->lines, error, wrong);
	return send_warp(w, w->options->source, &access, address, threads);
}

static int accelsim_take(struct warps *w, char *text, struct failure *error)
{
	int value;

	if (strncmp(text, "-kernel name", 12) == 0) /* kernels, one after the other */
		return barrier(w);
	if (sscanf(text, "-accelsim tracer version = %9d", &w->version) == 1 && w->version < 3)
		return lines_wrong(&w->lines, error, "tracer versions from 3 are supported");
	if (sscanf(text, "-enable lineinfo = %9d", &value) == 1)
		w->line_numbers = value;
	if (text[0] == '#' && strstr(text, "threadblock_x"))
		return lines_wrong(&w->lines, error, "is a raw .trace file: run post-traces-processing first");
	if (!((*text >= '0' && *text <= '9') || (*text >= 'a' && *text <= 'f' && strspn(text, "0123456789abcdef") >= 4)))
		return 0;
	return accelsim_line(w, text, error);
}

int import_accelsim(const char *path, const struct import_options *options, struct replay_sink sink, struct failure *error)
{
	return with_lines(path, options, sink, accelsim_take, error);
}
