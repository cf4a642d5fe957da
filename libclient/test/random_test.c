// SPDX-License-Identifier: Apache-2.0
/*
 * Random operations of all kinds through overlapping windows, on soft devices of every sub-header width and maximum payload:
 * loads, gets, atomics and the final endpoint memory are compared with the same operations on plain memory. Several queues take
 * turns, each behind a release of the one before.
 *
 * random_test [--seed=N] [--local] [OPERATIONS]: 300000 by default; --local: on devices whose stores take lanes. SEED in the
 * environment replays a run too.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <chance.h>
#include <gpulink.h>

enum {
	ENDPOINTS = 2, /* of four */
	MEMORY = 3 << 20, /* three slices of the aperture */
	SLICE = 1 << 20,
	PAGE = 4096,
	WINDOWS = 6,
	QUEUES = 3,	/* with the default queue */
	HOST = 96 << 10,
	HISTORY = 1 << 10, /* maximum operations without a completion taken */
};

struct view {
	struct gpulink_window *window;
	unsigned partition;
	uint64_t offset, bytes;
};

struct pending {
	uint64_t tag;
	uint32_t bytes;
};

/* A queue, and its operations without a completion taken. */
struct lane {
	struct gpulink_queue *queue;
	struct pending pending[HISTORY];
	unsigned first, count;
};

struct bench {
	struct chance chance;
	struct gpulink *device;
	struct lane lanes[QUEUES], *lane; /* the one whose turn it is */
	unsigned width;
	bool packing;
	struct view views[WINDOWS];
	uint8_t *direct[ENDPOINTS]; /* expected endpoint memory */
	uint8_t *actual[ENDPOINTS];
	uint64_t store_bytes[ENDPOINTS], atomics[ENDPOINTS], atomic_bytes[ENDPOINTS];
	struct gpulink_memory *memory;
	uint8_t host[HOST], host_direct[HOST];
	uint64_t hot; /* centre of much of the traffic */
	char wrong[160];
};

/* A number below n, which may exceed 31 bits. */
static uint64_t pick(struct bench *b, uint64_t n)
{
	return (draw(&b->chance) >> 20) % n;
}

/* Records the first error. */
__attribute__((format(printf, 2, 3))) static void fail(struct bench *b, const char *format, ...)
{
	va_list arguments;

	if (b->wrong[0])
		return;
	va_start(arguments, format);
	vsnprintf(b->wrong, sizeof(b->wrong), format, arguments);
	va_end(arguments);
}

static void must(struct bench *b, int code, const char *what)
{
	if (code)
		fail(b, "%s: %s", what, gpulink_strerror(code));
}

static void fill(struct bench *b, uint8_t *to, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += 8) {
		uint64_t r = draw(&b->chance);

		memcpy(to + i, &r, bytes - i < 8 ? bytes - i : 8);
	}
}

static size_t random_length(struct bench *b, size_t most)
{
	static const size_t usual[] = { 1, 2, 4, 4, 8, 8, 8, 16, 24, 32, 64, 128 };
	size_t bytes = pick(b, 4) ? usual[pick(b, sizeof(usual) / sizeof(usual[0]))] : 1 + pick(b, most);

	return bytes < most ? bytes : most;
}

/* Near the hot spot if it is in the window, or anywhere. */
static uint64_t random_place(struct bench *b, const struct view *v, size_t bytes)
{
	uint64_t at = b->hot + pick(b, 6000);

	if (pick(b, 8) && at >= v->offset && at - v->offset <= v->bytes - bytes)
		return at - v->offset;
	return pick(b, v->bytes - bytes + 1);
}

static uint8_t *direct_at(struct bench *b, const struct view *v, uint64_t offset)
{
	return b->direct[v->partition] + v->offset + offset;
}

/* --- windows --- */

/* Most contain the hot spot and overlap there; some have minimum size. */
static void open_view(struct bench *b, struct view *v)
{
	uint64_t pages = pick(b, 3) ? 1 + pick(b, MEMORY / PAGE) : 1 + pick(b, 4);
	uint64_t room = MEMORY / PAGE - pages, hot = b->hot / PAGE;
	uint64_t first = hot > pages / 2 ? hot - pages / 2 : 0;

	v->partition = (unsigned)pick(b, ENDPOINTS);
	v->offset = (pick(b, 5) ? first < room ? first : room : pick(b, room + 1)) * PAGE;
	v->bytes = pages * PAGE;
	must(b, gpulink_window_open(b->device, v->partition, v->offset, v->bytes, GPULINK_READ | GPULINK_WRITE, &v->window),
	     "window_open");
}

static void reopen(struct bench *b, struct view *v)
{
	gpulink_window_close(v->window);
	v->window = NULL;
	open_view(b, v);
}

/* --- operations --- */

static void submitted(struct bench *b, int code, const char *what, uint64_t tag, uint32_t bytes)
{
	struct lane *l = b->lane;

	must(b, code, what);
	l->pending[(l->first + l->count++) % HISTORY] = (struct pending){ tag, bytes };
}

static void take_completions(struct bench *b, unsigned least)
{
	struct gpulink_completion done[100];
	unsigned room = 1 + (unsigned)pick(b, 100);
	struct lane *l = b->lane;
	int got = gpulink_queue_wait(l->queue, done, room, least < room ? least : room, UINT64_C(1000000000));

	if (got < 0 || (unsigned)got > l->count)
		fail(b, "wait gave %d of %u", got, l->count);
	for (int i = 0; i < got && !b->wrong[0]; i++) {
		const struct pending *p = &l->pending[l->first];

		if (done[i].tag != p->tag || done[i].bytes != p->bytes || done[i].error || done[i].status)
			fail(b, "completion: tag %" PRIu64 " for %" PRIu64 ", %" PRIu32 " bytes for %" PRIu32 ", error %d",
			     done[i].tag, p->tag, done[i].bytes, p->bytes, done[i].error);
		l->first = (l->first + 1) % HISTORY;
		l->count--;
	}
}

/* Another queue's turn: the release orders it behind. The release may be one without waiting. */
static void change_lane(struct bench *b)
{
	uint64_t tag = draw(&b->chance);

	if (b->lane->count < HISTORY && pick(b, 2)) {
		submitted(b, gpulink_queue_post_release(b->lane->queue, tag), "post_release", tag, 0);
		while (b->lane->count && !b->wrong[0])
			take_completions(b, 1);
	} else {
		must(b, gpulink_queue_release(b->lane->queue, UINT64_C(1000000000)), "release");
	}
	b->lane = &b->lanes[pick(b, QUEUES)];
	if (b->lane != b->lanes && !b->lane->count && pick(b, 4) == 0) {
		gpulink_queue_close(b->lane->queue);
		must(b, gpulink_queue_open(b->device, &b->lane->queue), "queue_open");
	}
}

static void do_store(struct bench *b, const struct view *v)
{
	size_t bytes = random_length(b, PAGE);
	uint64_t at = random_place(b, v, bytes);
	uint8_t data[PAGE + 8];

	fill(b, data, bytes);
	memcpy(direct_at(b, v, at), data, bytes);
	b->store_bytes[v->partition] += bytes;
	must(b, gpulink_queue_store(b->lane->queue, v->window, at, data, bytes), "store");
}

static void do_load(struct bench *b, const struct view *v)
{
	size_t bytes = random_length(b, PAGE);
	uint64_t at = random_place(b, v, bytes);
	uint8_t data[PAGE];

	must(b, gpulink_queue_load(b->lane->queue, v->window, at, data, bytes), "load");
	if (memcmp(data, direct_at(b, v, at), bytes))
		fail(b, "load of %zu at %" PRIu64 " of partition %u", bytes, v->offset + at, v->partition);
}

static void do_put(struct bench *b, const struct view *v)
{
	size_t bytes = 1 + pick(b, 32);
	uint64_t at = random_place(b, v, bytes), tag = draw(&b->chance);
	uint8_t data[32];

	fill(b, data, bytes);
	memcpy(direct_at(b, v, at), data, bytes);
	b->store_bytes[v->partition] += bytes;
	submitted(b, gpulink_queue_put(b->lane->queue, v->window, at, data, bytes, tag), "put", tag, (uint32_t)bytes);
}

static void do_move(struct bench *b, const struct view *v, bool put)
{
	size_t most = pick(b, 16) ? 300 : v->bytes < HOST ? v->bytes : HOST, bytes = random_length(b, most);
	uint64_t at = random_place(b, v, bytes), from = pick(b, HOST - bytes + 1), tag = draw(&b->chance);

	if (put) {
		memcpy(direct_at(b, v, at), b->host_direct + from, bytes);
		b->store_bytes[v->partition] += bytes;
		submitted(b, gpulink_queue_put_memory(b->lane->queue, v->window, at, b->memory, from, bytes, tag), "put_memory",
			  tag, (uint32_t)bytes);
	} else {
		memcpy(b->host_direct + from, direct_at(b, v, at), bytes);
		submitted(b, gpulink_queue_get(b->lane->queue, v->window, at, b->memory, from, bytes, tag), "get", tag,
			  (uint32_t)bytes);
	}
}

static void do_vector(struct bench *b, const struct view *v)
{
	struct gpulink_vector vectors[64];
	static uint8_t data[64 * 1024 + PAGE];
	size_t count = 1 + pick(b, 64), used = 0;
	uint64_t tag = draw(&b->chance);
	uint32_t total = 0;

	fill(b, data, sizeof(data) / 8);
	for (size_t i = 0; i < count; i++) {
		size_t bytes = random_length(b, pick(b, 20) ? 100 : PAGE), record = 8 + (bytes + 7) / 8 * 8;

		if (total + record > GPULINK_VECTOR_BYTES) {
			count = i;
			break;
		}
		vectors[i] = (struct gpulink_vector){ random_place(b, v, bytes), data + used, bytes };
		memcpy(direct_at(b, v, vectors[i].offset), data + used, bytes);
		b->store_bytes[v->partition] += bytes;
		used += bytes;
		total += (uint32_t)record;
	}
	submitted(b, gpulink_queue_put_vector(b->lane->queue, v->window, vectors, count, tag), "put_vector", tag, total);
}

static void do_atomic(struct bench *b, const struct view *v)
{
	size_t bytes = pick(b, 2) ? 4 : 8;
	uint64_t at = random_place(b, v, bytes) / bytes * bytes, tag = draw(&b->chance), to = pick(b, HOST - 8);
	uint64_t operand = draw(&b->chance) & (bytes == 4 ? UINT32_MAX : UINT64_MAX), old = 0, compare, value;
	struct gpulink_memory *memory = pick(b, 4) ? b->memory : NULL;
	unsigned kind = (unsigned)pick(b, 3);
	int code;

	memcpy(&old, direct_at(b, v, at), bytes);
	compare = pick(b, 2) ? old : operand;
	value = kind == 0 ? old + operand : kind == 1 || old == compare ? operand : old;
	if (kind == 0)
		code = gpulink_queue_fetch_add(b->lane->queue, v->window, at, bytes, operand, memory, memory ? to : 0, tag);
	else if (kind == 1)
		code = gpulink_queue_swap(b->lane->queue, v->window, at, bytes, operand, memory, memory ? to : 0, tag);
	else
		code = gpulink_queue_compare_swap(b->lane->queue, v->window, at, bytes, compare, operand, memory,
						  memory ? to : 0, tag);
	if (kind != 2 || old == compare)
		b->atomic_bytes[v->partition] += bytes;
	b->atomics[v->partition]++;
	memcpy(direct_at(b, v, at), &value, bytes);
	if (memory)
		memcpy(b->host_direct + to, &old, bytes);
	submitted(b, code, "atomic", tag, (uint32_t)bytes);
}

/* --- checks --- */

static void compare(struct bench *b)
{
	must(b, gpulink_queue_release(b->lane->queue, UINT64_C(1000000000)), "release");
	while (b->lane->count && !b->wrong[0])
		take_completions(b, 1);
	for (unsigned p = 0; p < ENDPOINTS; p++)
		for (uint64_t at = 0; at < MEMORY && memcmp(b->direct[p], b->actual[p], MEMORY); at++)
			if (b->direct[p][at] != b->actual[p][at])
				fail(b, "memory of partition %u at %" PRIu64, p, at);
	if (memcmp(b->host, b->host_direct, HOST))
		fail(b, "memory of the host");
}

/* After a release every byte that was stored was sent or overwritten, and every byte that was sent arrived. */
static void audit(struct bench *b)
{
	struct gpulink_counters c;

	for (unsigned p = 0; p < ENDPOINTS; p++) {
		uint64_t sent;

		must(b, gpulink_get_counters(b->device, p, &c, sizeof(c)), "get_counters");
		/* With packing a run that is alone has no sub-header. */
		sent = b->packing ? c.endpoint_bytes - b->atomic_bytes[p] : c.payload_bytes - b->width * c.sub_packets;
		if (c.store_bytes != b->store_bytes[p] || c.store_bytes - c.overwritten_bytes != sent ||
		    c.endpoint_bytes != sent + b->atomic_bytes[p] || c.atomics != b->atomics[p] || c.err_endpoint)
			fail(b, "counters of partition %u", p);
		if (c.packets != c.flush_window_miss + c.flush_payload_full + c.flush_entries_full + c.flush_release +
					 c.flush_timeout + c.flush_load_hit + c.flush_atomic + c.flush_config + c.flush_drain)
			fail(b, "reasons of partition %u", p);
	}
}

static void operate(struct bench *b)
{
	struct view *v = &b->views[pick(b, WINDOWS)];
	uint64_t kind = pick(b, 1000);

	if (b->lane->count == HISTORY)
		take_completions(b, 1);
	if (kind < 400)
		do_store(b, v);
	else if (kind < 480)
		do_load(b, v);
	else if (kind < 640)
		do_put(b, v);
	else if (kind < 740)
		do_move(b, v, true);
	else if (kind < 800)
		do_move(b, v, false);
	else if (kind < 840)
		do_vector(b, v);
	else if (kind < 940)
		do_atomic(b, v);
	else if (kind < 980)
		take_completions(b, 0);
	else if (kind < 990)
		must(b, gpulink_queue_release(b->lane->queue, UINT64_C(1000000000)), "release");
	else if (kind < 995)
		reopen(b, v);
	else if (kind < 999)
		change_lane(b);
	else
		compare(b);
}

/* Hot spots: start, end, slice boundary, anywhere. */
static void move_hot(struct bench *b)
{
	static const uint64_t places[] = { 0, MEMORY - 6000, SLICE - 3000, 2 * SLICE - 3000 };
	uint64_t choice = pick(b, 6);

	b->hot = choice < 4 ? places[choice] : pick(b, MEMORY - 6000);
}

static bool set_up(struct bench *b, const char *name)
{
	size_t bytes;
	void *at;

	b->wrong[0] = '\0';
	if (gpulink_open(name, &b->device)) {
		fail(b, "open %s", name);
		return false;
	}
	b->lane = b->lanes;
	for (unsigned q = 0; q < QUEUES; q++)
		b->lanes[q].count = b->lanes[q].first = 0;
	b->lane->queue = gpulink_default_queue(b->device);
	for (unsigned q = 1; q < QUEUES; q++)
		must(b, gpulink_queue_open(b->device, &b->lanes[q].queue), "queue_open");
	for (unsigned p = 0; p < ENDPOINTS; p++) {
		must(b, gpulink_endpoint_memory(b->device, p, &at, &bytes), "endpoint_memory");
		b->actual[p] = at;
		fill(b, b->actual[p], MEMORY / 4); /* not all zero initially */
		memcpy(b->direct[p], b->actual[p], MEMORY);
		b->store_bytes[p] = b->atomics[p] = b->atomic_bytes[p] = 0;
	}
	fill(b, b->host, HOST);
	memcpy(b->host_direct, b->host, HOST);
	must(b, gpulink_memory_register(b->device, b->host, HOST, GPULINK_READ | GPULINK_WRITE, &b->memory), "memory_open");
	move_hot(b);
	for (unsigned w = 0; w < WINDOWS; w++)
		open_view(b, &b->views[w]);
	return true;
}

static void run(struct bench *b, const char *name, uint64_t operations)
{
	uint64_t n = 0;

	if (!set_up(b, name))
		return;
	for (; n < operations && !b->wrong[0]; n++) {
		if (n % 500 == 499)
			move_hot(b);
		operate(b);
	}
	if (!b->wrong[0]) {
		compare(b);
		audit(b);
	} else {
		printf("# operation %" PRIu64 "\n", n - 1);
	}
	gpulink_close(b->device);
}

static uint64_t find_seed(int argc, char **argv)
{
	const char *given = getenv("SEED");
	struct timespec now;

	for (int i = 1; i < argc; i++)
		if (!strncmp(argv[i], "--seed=", 7))
			return strtoull(argv[i] + 7, NULL, 0);
	if (given && *given)
		return strtoull(given, NULL, 0);
	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000003u ^ (uint64_t)now.tv_nsec;
}

int main(int argc, char **argv)
{
	enum { CASES = 5 * 6 * 2 };
	uint64_t seed = find_seed(argc, argv), operations = 300000;
	struct bench *b = calloc(1, sizeof(*b));
	unsigned failed = 0;
	bool local = false;
	char name[80];

	for (int i = 1; i < argc; i++)
		local |= !strcmp(argv[i], "--local");
	for (int i = 1; i < argc; i++)
		if (argv[i][0] != '-')
			operations = strtoull(argv[i], NULL, 0);
	for (unsigned p = 0; b && p < ENDPOINTS; p++)
		if (!(b->direct[p] = malloc(MEMORY)))
			return 2;
	if (!b)
		return 2;
	printf("# SEED=%" PRIu64 "\n1..%u\n", seed, CASES);
	for (unsigned number = 0; number < CASES; number++) {
		static const char *const modes[] = {
			"", ",packing=0", ",packing=0,timeout=2000", ",packing=0", ",timeout=2000", ",coalesce=0", ""
		};
		unsigned mode = (number + number / 30 * 2) % 7;

		b->packing = !local && !strstr(modes[mode], "packing");
		b->width = local ? 5 : 2 + number % 5;
		b->chance.state = (seed + number + 1) * UINT64_C(0x9e3779b97f4a7c15) | 1;
		snprintf(name, sizeof(name), "soft:memory=3M,subheader=%u,payload=%u%s%s", b->width, 128u << number / 5 % 6,
			 modes[mode], b->packing && number / 7 % 2 ? ",compact=0" : "");
		if (local)
			snprintf(name, sizeof(name), "local:random-%ld,memory=3M,payload=%u", (long)getpid(),
				 128u << number % 6);
		run(b, name, operations / CASES);
		failed += b->wrong[0] != '\0';
		printf("%sok %u - %s %s\n", b->wrong[0] ? "not " : "", number + 1, name, b->wrong);
	}
	for (unsigned p = 0; p < ENDPOINTS; p++)
		free(b->direct[p]);
	free(b);
	return failed != 0;
}
