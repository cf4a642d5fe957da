// SPDX-License-Identifier: Apache-2.0
/* Programs: generated at random, mutated, printed, parsed. */
#include <linux/gpulink.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

/* Operations of ring entries, and one that there is not. */
enum { GLK_OPS = 16 };

/* The last one stands for all calls that are not in this list. */
const struct shape shapes[] = {
	{ "query",
	  GPULINK_IOCTL_QUERY,
	  { { 4, SIZE },
	    { 4, FLAGS },
	    { 4, ANY },
	    { 4, ANY },
	    { 8, ANY },
	    { 8, ANY },
	    { 24, ANY },
	    { 8, OFFSET_OUT },
	    { 8, OFFSET_OUT } } },
	{ "endpoint", GPULINK_IOCTL_ENDPOINT, { { 4, SIZE }, { 4, FLAGS }, { 4, PARTITION }, { 44, ANY } } },
	{ "window_map",
	  GPULINK_IOCTL_WINDOW_MAP,
	  { { 4, SIZE }, { 4, FLAGS }, { 4, PARTITION }, { 4, HANDLE_OUT }, { 8, PAGES }, { 8, BYTES }, { 8, OFFSET_OUT } } },
	{ "window_unmap", GPULINK_IOCTL_WINDOW_UNMAP, { { 4, SIZE }, { 4, FLAGS }, { 4, HANDLE_IN }, { 4, ANY } } },
	{ "register",
	  GPULINK_IOCTL_REGISTER,
	  { { 4, SIZE }, { 4, FLAGS }, { 8, MEMORY }, { 8, BYTES }, { 4, HANDLE_OUT }, { 4, ANY } } },
	{ "unregister", GPULINK_IOCTL_UNREGISTER, { { 4, SIZE }, { 4, FLAGS }, { 4, HANDLE_IN }, { 4, ANY } } },
	{ "submit", GPULINK_IOCTL_SUBMIT, { { 4, SIZE }, { 4, FLAGS }, { 8, ENTRIES }, { 4, COUNT }, { 4, ANY } } },
	{ "wait",
	  GPULINK_IOCTL_WAIT,
	  { { 4, SIZE }, { 4, FLAGS }, { 8, MEMORY }, { 4, COUNT }, { 4, COUNT }, { 8, TIMEOUT }, { 4, ANY }, { 4, ANY } } },
	{ "release", GPULINK_IOCTL_RELEASE, { { 4, SIZE }, { 4, FLAGS }, { 8, TIMEOUT }, { 4, ANY }, { 4, ANY } } },
	{ "counters", GPULINK_IOCTL_COUNTERS, { { 4, SIZE }, { 4, FLAGS }, { 4, PARTITION }, { 4, COUNT }, { 8, MEMORY } } },
	{ "register_dmabuf",
	  GPULINK_IOCTL_REGISTER_DMABUF,
	  { { 4, SIZE }, { 4, FLAGS }, { 4, FILE_IN }, { 4, HANDLE_OUT }, { 8, PAGES }, { 8, BYTES } } },
	{ "window_export", GPULINK_IOCTL_WINDOW_EXPORT, { { 4, SIZE }, { 4, FLAGS }, { 4, HANDLE_IN }, { 4, ANY } } },
	{ "window_dmabuf",
	  GPULINK_IOCTL_WINDOW_DMABUF,
	  { { 4, SIZE },
	    { 4, FLAGS },
	    { 4, FILE_IN },
	    { 4, HANDLE_OUT },
	    { 8, PAGES },
	    { 8, PAGES },
	    { 8, OFFSET_OUT },
	    { 4, ANY },
	    { 4, ANY } } },
	{ "ring_map",
	  GPULINK_IOCTL_RING_MAP,
	  { { 4, SIZE },
	    { 4, FLAGS },
	    { 4, ORDER },
	    { 4, ORDER },
	    { 8, OFFSET_OUT },
	    { 8, ANY },
	    { 8, OFFSET_OUT },
	    { 8, ANY } } },
	{ "ring_unmap", GPULINK_IOCTL_RING_UNMAP, { { 4, SIZE }, { 4, FLAGS } } },
	{ "ring_wait", GPULINK_IOCTL_RING_WAIT, { { 4, SIZE }, { 4, FLAGS }, { 4, COUNT }, { 4, ANY }, { 8, TIMEOUT } } },
	{ "region_create",
	  GPULINK_IOCTL_REGION_CREATE,
	  { { 4, SIZE },
	    { 4, FLAGS },
	    { 4, HANDLE_IN },
	    { 4, COUNT },
	    { 8, COUNT },
	    { 4, HANDLE_OUT },
	    { 12, ANY },
	    { 8, BYTES },
	    { 8, MEMORY },
	    { 16, ANY } } },
	{ "region_destroy", GPULINK_IOCTL_REGION_DESTROY, { { 4, SIZE }, { 4, FLAGS }, { 4, HANDLE_IN }, { 4, ANY } } },
	{ "region_wait",
	  GPULINK_IOCTL_REGION_WAIT,
	  { { 4, SIZE }, { 4, FLAGS }, { 4, HANDLE_IN }, { 4, FLAGS }, { 8, COUNT }, { 8, TIMEOUT }, { 32, ANY } } },
	{ "pool_create", GPULINK_IOCTL_POOL_CREATE, { { 4, SIZE }, { 4, FLAGS }, { 8, BYTES }, { 4, GRAIN }, { 4, ANY } } },
	{ "pool_share", GPULINK_IOCTL_POOL_SHARE, { { 4, SIZE }, { 4, FLAGS }, { 4, FILE_IN }, { 4, ANY } } },
	{ "pool_attach",
	  GPULINK_IOCTL_POOL_ATTACH,
	  { { 4, SIZE }, { 4, FLAGS }, { 4, FILE_IN }, { 4, HANDLE_OUT }, { 8, ANY }, { 8, OFFSET_OUT }, { 8, ANY } } },
	{ "pool_query",
	  GPULINK_IOCTL_POOL_QUERY,
	  { { 4, SIZE }, { 4, FLAGS }, { 4, FILE_IN }, { 4, ANY }, { 32, ANY }, { 8, OFFSET_OUT } } },
	{ "other",
	  0,
	  { { 4, COUNT },
	    { 4, FLAGS },
	    { 8, HANDLE_IN },
	    { 8, MEMORY },
	    { 8, BYTES },
	    { 8, TIMEOUT },
	    { 8, COUNT },
	    { 8, PAGES },
	    { 8, ANY } } },
};
const unsigned shape_count = LENGTH(shapes);

/* Programs refer to them by number: append new ones. */
const char *const sysfs_files[] = {
	"partitions/0/endpoint", "partitions/1/endpoint", "partitions/2/subheader_bytes", "partitions/1/max_payload_bytes",
	"partitions/0/flush_timeout_ns", "partitions/1/coalesce", "reset", "partitions/2/endpoint", "partitions/1/open",
	"link/enable", "link/stitching", "link/pool_cycles", "link/trim_bytes", "link/timeout_ns", "partitions/0/ranges/add",
	"partitions/0/ranges/remove", "pool/read_lease", "pool/adapt", "partitions/7/endpoint", "partitions/0/packing",
	"partitions/0/compact", "partitions/0/keep", NULL,
};
const char *const sysfs_values[] = { "none", "pool", "0000:00:08.0 0", "0000:00:09.0 0", "0000:00:09.0 7", "0",
				     "1", "3", "256", "4096", "18446744073709551615", "link 2", "link 3", "link 3 65536",
				     "32", "100000", "x 0 4096 0 - rw",
				     "y 4096 65536 - 0 r", "x", NULL };
const char *const looked_files[] = {
	"state",
	"rings",
	"windows",
	"registrations",
	"counters",
	"partitions",
	"link_capture", /* in debugfs */
	"partitions/2/endpoint",
	"partitions/2/counters/stores",
	"partitions/0/endpoint_distance",
	"link/state",
	"link/queued_flits",
	"link_counters/flits_out",
	"state",
	"generation",
	"limits/windows_per_context",
	"pool/clock",
	"pool/free",
	"pool_counters/reads",
	NULL,
};

static const char *const kind_names[OP_KINDS] = {
	"open",	    "close",   "dup",	 "ioctl", "entry", "mmap", "touch",  "munmap",
	"mprotect", "madvise", "mremap", "uring", "file",  "fork", "beside", "sysfs", "ring",  "look",
};
/* Weight of each operation. */
static const unsigned char weights[OP_KINDS] = {
	[OP_OPEN] = 8, [OP_CLOSE] = 5, [OP_DUP] = 1, [OP_IOCTL] = 60, [OP_ENTRY] = 15, [OP_MMAP] = 15, [OP_TOUCH] = 15,
	[OP_MUNMAP] = 4, [OP_MPROTECT] = 1, [OP_MADVISE] = 2, [OP_MREMAP] = 1, [OP_URING] = 6, [OP_FILE] = 2, [OP_FORK] = 3,
	[OP_BESIDE] = 8, [OP_SYSFS] = 3, [OP_RING] = 8, [OP_LOOK] = 2,
};

/* --- random numbers --- */

static uint64_t random_state;

void random_seed(uint64_t seed) { random_state = seed; }

static uint64_t random_word(void)
{
	uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

uint64_t random_below(uint64_t bound) { return random_word() % bound; }

static bool one_in(unsigned n) { return random_below(n) == 0; }

static struct value literal(uint64_t v) { return (struct value){ LITERAL, v }; }

/* Boundary values. */
static uint64_t edge(void)
{
	uint64_t v = UINT64_C(1) << random_below(64);

	switch (random_below(6)) {
	case 0: return v;
	case 1: return v - 1;
	case 2: return v + 1;
	case 3: return -v;
	case 4: return random_below(300);
	default: return random_word();
	}
}

static struct value draw_value(enum hint hint)
{
	static const uint64_t timeouts[] = { 0, 1, 1000000, 1000000, 20000000, 20000000, UINT64_C(61000000000) };
	static const uint64_t counts[] = { 1, 1, 1, 2, 8, 16, 17, 64, 65, 255, 256, 257 };

	if (one_in(25))
		return literal(edge());
	switch (hint) {
	case FLAGS: return literal(one_in(3) ? 0 : random_below(4));
	case PARTITION:
		return literal(one_in(8) ? (one_in(2) ? 0xffffffff - random_below(2) : random_below(20)) : random_below(4));
	case PAGES: return literal(one_in(3) ? random_below(64) * 4096 : 0);
	case BYTES: return literal(one_in(12) ? UINT64_C(1) << random_below(34) : (1 + random_below(12)) * 4096);
	case COUNT: return literal(counts[random_below(LENGTH(counts))]);
	case TIMEOUT: return literal(timeouts[random_below(LENGTH(timeouts))]);
	case MEMORY:
		return (struct value){ ADDRESS, ENTRIES_BYTES + random_below(ARENA_BYTES - ENTRIES_BYTES) / 512 * 512 +
							random_below(3) };
	case ENTRIES: return (struct value){ ADDRESS, random_below(8) * 64 };
	case ORDER: return literal(4 + random_below(4));
	case GRAIN: return literal(one_in(3) ? 0 : UINT64_C(32) << random_below(9));
	case FILE_IN: return (struct value){ DESCRIPTOR, random_below(FILES) };
	case HANDLE_IN: return (struct value){ HANDLE, random_below(RESULTS) };
	default: return literal(0);
	}
}

/* --- generation --- */

static unsigned size_of(const struct shape *s)
{
	unsigned bytes = 0;

	for (unsigned i = 0; i < LENGTH(s->fields); i++)
		bytes += s->fields[i].width;
	return bytes;
}

static void draw_ioctl(struct op *op)
{
	unsigned number = (unsigned)random_below(shape_count);
	const struct shape *s = &shapes[number];

	op->values[1] = literal(number);
	op->values[2] = literal(one_in(12) ? random_below(4) : 0);
	for (unsigned i = 0; i < LENGTH(s->fields) && s->fields[i].width; i++)
		op->values[IOCTL_FIELDS + i] = s->fields[i].hint == SIZE && !one_in(25) ? literal(size_of(s)) :
											  draw_value(s->fields[i].hint);
	if (!s->call) { /* its number is in the last value; its size is a random structure's */
		op->values[VALUES - 1] = literal(random_below(64));
		op->values[IOCTL_FIELDS] = literal(16 + 8 * random_below(10));
	}
}

/* A ring entry: operation, flags, window, length, tag, offset, registration and offset in it, two words more. */
static void draw_entry(struct op *op)
{
	op->values[0] = literal(random_below(8));
	op->values[1] = literal(random_below(GLK_OPS));
	op->values[2] = literal(one_in(6) ? random_below(4) : 0);
	op->values[3] = draw_value(HANDLE_IN);
	op->values[4] = literal(one_in(4) ? edge() : 1 + random_below(32));
	op->values[5] = literal(random_below(100));
	op->values[6] = literal(one_in(4) ? edge() : random_below(512) * 8);
	op->values[7] = one_in(3) ? draw_value(HANDLE_IN) : literal(0);
	op->values[8] = literal(one_in(3) ? edge() : 0);
	op->values[9] = literal(one_in(8) ? edge() : 0);
}

static void draw_mapping(struct op *op)
{
	op->values[1] = literal(random_below(FILES));
	op->values[2] = one_in(10) ? literal(edge() & ~UINT64_C(4095)) : (struct value){ OFFSET, random_below(RESULTS) };
	op->values[3] = one_in(2) ? literal(4096) : draw_value(BYTES);
	op->values[4] = literal(one_in(6) ? random_below(8) : one_in(3) ? 1 : 3);
	op->values[5] = literal(one_in(12) ? edge() : one_in(4) ? 0x8001 : 1); /* MAP_POPULATE | MAP_SHARED */
}

static void draw_ring(struct op *op)
{
	uint64_t count = 1 + random_below(8), from = one_in(3) ? random_below(64) : 0;

	op->values[0] = literal(random_below(FILES));
	op->values[1] = literal(random_below(8));
	op->values[2] = literal(count);
	op->values[3] = literal(from);
	op->values[4] = literal(random_below(FILES));
	op->values[5] = literal(one_in(3) ? random_below(6) : 0);
	op->values[6] = literal(one_in(6) ? edge() : from + count);
}

static void draw_op(struct op *op)
{
	unsigned sum = 0, at, kind = 0;

	for (unsigned i = 0; i < OP_KINDS; i++)
		sum += weights[i];
	for (at = (unsigned)random_below(sum); at >= weights[kind]; kind++)
		at -= weights[kind];
	*op = (struct op){ .kind = kind };
	op->values[0] = literal(one_in(3) ? random_below(FILES) : 0);
	switch (op->kind) {
	case OP_OPEN: op->values[1] = literal(one_in(3) ? random_below(3) : 0); break;
	case OP_IOCTL: draw_ioctl(op); break;
	case OP_ENTRY: draw_entry(op); break;
	case OP_MMAP: draw_mapping(op); break;
	case OP_TOUCH:
		op->values[1] = literal(one_in(3) ? random_below(16384) : random_below(4) * 4096);
		op->values[2] = literal(random_below(4));
		op->values[3] = literal(random_below(2));
		break;
	case OP_URING:
		op->values[1] = literal(one_in(4) ? edge() : random_below(16));
		op->values[2] = literal(one_in(6) ? edge() : 0);
		op->values[3] = one_in(2) ? draw_value(ENTRIES) : draw_value(MEMORY);
		for (unsigned i = 4; i < VALUES; i++)
			op->values[i] = draw_value((enum hint)random_below(HANDLE_OUT));
		break;
	case OP_FORK:
		op->values[0] = literal(random_below(5));
		op->values[1] = literal(random_below(2));
		break;
	case OP_SYSFS:
		op->values[0] = literal(random_below(LENGTH(sysfs_files) - 1));
		op->values[1] = literal(random_below(LENGTH(sysfs_values) - 1));
		break;
	case OP_RING: draw_ring(op); break;
	case OP_LOOK: op->values[0] = literal(random_below(LENGTH(looked_files) - 1)); break;
	default:
		op->values[1] = literal(random_below(FILES + 1));
		op->values[2] = draw_value(BYTES);
	}
}

/* Every program starts with an open file and a query for its mmap offsets. */
void program_draw(struct program *p)
{
	*p = (struct program){ .count = 2 };
	p->ops[0].kind = OP_OPEN;
	p->ops[1].kind = OP_IOCTL;
	p->ops[1].values[IOCTL_FIELDS] = literal(size_of(&shapes[0]));
	for (unsigned wanted = 3 + (unsigned)random_below(OPS_MAX - 3); p->count < wanted; p->count++)
		draw_op(&p->ops[p->count]);
}

/* --- mutation --- */

static void remove_op(struct program *p, unsigned at)
{
	p->count--;
	memmove(&p->ops[at], &p->ops[at + 1], (p->count - at) * sizeof(p->ops[0]));
}

static void insert_op(struct program *p, unsigned at, const struct op *op)
{
	if (p->count == OPS_MAX)
		p->count--;
	if (at > p->count)
		at = p->count;
	memmove(&p->ops[at + 1], &p->ops[at], (p->count - at) * sizeof(p->ops[0]));
	p->ops[at] = *op;
	p->count++;
}

static void mutate_value(struct op *op)
{
	struct value *v = &op->values[random_below(VALUES)];

	switch (random_below(5)) {
	case 0: v->v ^= UINT64_C(1) << random_below(64); break;
	case 1: v->v += random_below(9) - 4; break;
	case 2: *v = literal(edge()); break;
	case 3: *v = draw_value((enum hint)random_below(HANDLE_OUT)); break;
	default: v->source = (enum source)random_below(SOURCES); break;
	}
}

void program_mutate(struct program *p, const struct program *other)
{
	unsigned times = 1 + (unsigned)random_below(4);
	struct op op;

	while (times--) {
		unsigned at = (unsigned)random_below(p->count);

		switch (random_below(6)) {
		case 0:
			if (p->count > 1)
				remove_op(p, at);
			break;
		case 1:
			draw_op(&op);
			insert_op(p, at + 1, &op);
			break;
		case 2: insert_op(p, at + 1, &other->ops[random_below(other->count)]); break;
		case 3:
			op = p->ops[at]; /* repeated, perhaps elsewhere */
			insert_op(p, (unsigned)random_below(p->count) + 1, &op);
			break;
		default: mutate_value(&p->ops[at]); break;
		}
	}
}

/* --- text: one line per operation, its values as =literal, h, o, a or d and hexadecimal digits; an empty line ends a program
 * --- */

static const char source_marks[] = "=hoad";

void program_print(const struct program *p, FILE *out)
{
	for (unsigned i = 0; i < p->count; i++) {
		const struct op *op = &p->ops[i];
		unsigned last = VALUES;

		while (last && !op->values[last - 1].v && op->values[last - 1].source == LITERAL)
			last--;
		fputs(kind_names[op->kind], out);
		for (unsigned k = 0; k < last; k++)
			fprintf(out, " %c%" PRIx64, source_marks[op->values[k].source], op->values[k].v);
		fputc('\n', out);
	}
	fputc('\n', out);
}

static bool read_op(struct op *op, char *line)
{
	char *word = strtok(line, " \n"), *end;
	const char *mark;

	*op = (struct op){ 0 };
	while (word && op->kind < OP_KINDS && strcmp(word, kind_names[op->kind]) != 0)
		op->kind++;
	if (!word || op->kind == OP_KINDS)
		return false;
	for (unsigned i = 0; (word = strtok(NULL, " \n")); i++) {
		mark = strchr(source_marks, word[0]);
		if (i == VALUES || !word[0] || !mark)
			return false;
		op->values[i] = (struct value){ (enum source)(mark - source_marks), strtoull(word + 1, &end, 16) };
		if (*end)
			return false;
	}
	return true;
}

int program_read(struct program *p, FILE *in)
{
	char line[512];

	p->count = 0;
	while (fgets(line, sizeof(line), in)) {
		if (line[0] == '#')
			continue;
		if (line[0] == '\n') {
			if (p->count)
				return 1;
			continue;
		}
		if (p->count == OPS_MAX || !read_op(&p->ops[p->count], line))
			return -1;
		p->count++;
	}
	return p->count > 0;
}
