// SPDX-License-Identifier: Apache-2.0
#include "start.h"

#include <stdio.h>
#include <stdlib.h>

#include "../../common/number.h"
#include "engine.h"
#include "helper.h"
#include "real.h"
#include "shmem_ring.h"
#include "segment.h"

#define MEMORY_DEFAULT (8u << 20)
#define SMALL_DEFAULT  1024u

#define g glk_shmem

/* What a PE needs to know of the others; all must have the same settings. */
struct profile {
	uint64_t below, above; /* bytes of the heap's mapping before and behind the table of these */
	uint64_t program;      /* bytes of static variables */
	uint64_t settings;
	uint64_t unused[4];
};

struct settings {
	bool off, forced, helper;
	uint64_t memory, small;
};

static int level;

static uint64_t number(const char *name, uint64_t otherwise, uint64_t most)
{
	const char *text = getenv(name);
	uint64_t value;

	if (!text || !*text)
		return otherwise;
	if (glk_number(text, 0, most, &value))
		return value;
	fprintf(stderr, "libgpulink-shmem: %s=%s: must be 0 to %llu\n", name, text, (unsigned long long)most);
	return otherwise;
}

static struct settings read_settings(void)
{
	const char *way = getenv("GPULINK_SHMEM");
	struct settings s = {
		.helper = number("GPULINK_SHMEM_HELPER", 1, 1),
		.memory = number("GPULINK_SHMEM_MEMORY", MEMORY_DEFAULT, UINT64_C(1) << 40),
		.small = number("GPULINK_SHMEM_SMALL", SMALL_DEFAULT, 4096),
	};

	if (!way || !*way || !strcmp(way, "auto"))
		return s;
	s.off = !strcmp(way, "off");
	s.forced = !strcmp(way, "packets");
	if (!s.off && !s.forced)
		fprintf(stderr, "libgpulink-shmem: GPULINK_SHMEM=%s: must be auto, packets or off\n", way);
	return s;
}

/* --- symmetric memory --- */

static struct profile profile_of(const struct profile *table, const struct settings *s)
{
	struct glk_segment heap, program;
	struct profile p = {.settings = s->off | (uint64_t)s->forced << 1 | s->small << 8 | s->memory << 24};

	if (glk_segment_mapping(table, &heap)) {
		p.below = (uint64_t)((const uint8_t *)table - heap.base);
		p.above = heap.bytes - p.below;
	}
	if (glk_segment_program(&program) && pshmem_addr_accessible(program.base + program.bytes - 1, (g.me + 1) % g.pes))
		p.program = program.bytes;
	return p;
}

/* Offsets count from the table, which is symmetric, and reach as far as all PEs' mappings do. */
static bool find_segments(const struct profile *table)
{
	const struct profile *mine = &table[g.me];
	uint64_t below = mine->below, above = mine->above;
	bool program = mine->program;

	for (int pe = 0; pe < g.pes; pe++) {
		if (table[pe].settings != mine->settings)
			return false;
		below = table[pe].below < below ? table[pe].below : below;
		above = table[pe].above < above ? table[pe].above : above;
		program = program && table[pe].program == mine->program;
	}
	below &= ~UINT64_C(63);
	g.segments[GLK_HEAP].base = (uint8_t *)(uintptr_t)table - below;
	g.segments[GLK_HEAP].bytes = below + above;
	if (program)
		glk_segment_program(&g.segments[GLK_STATIC]);
	return true;
}

static void find_direct(const struct settings *s, uint8_t *table)
{
	for (int pe = 0; pe < g.pes; pe++) {
		for (int i = 0; i < GLK_SEGMENTS; i++) {
			uint8_t *here = i == GLK_HEAP ? table : g.segments[i].base + g.segments[i].bytes - 1, *there;

			g.peers[pe].direct[i] = pe == g.me ? 0 : GLK_NO_WAY;
			g.peers[pe].near |= pe == g.me;
			if (pe == g.me || s->forced || !g.segments[i].bytes)
				continue;
			there = pshmem_ptr(here, pe);
			if (there) {
				g.peers[pe].direct[i] = there - here;
				g.peers[pe].near = true;
			}
		}
	}
}

/* --- rings --- */

static bool make_rings(const struct settings *s)
{
	uint64_t most = s->memory / (unsigned)g.pes, bytes;

	for (g.ring = GLK_RING_MAX; g.ring > most; g.ring /= 2)
		;
	if (g.ring < GLK_RING_MIN || g.pes < 2)
		return true;
	bytes = (unsigned)g.pes * (sizeof(*g.boxes) + g.ring) + 64;
	g.boxes = pshmem_align(64, bytes);
	if (!g.boxes)
		return false;
	memset(g.boxes, 0, bytes);
	g.rings = (uint8_t *)(g.boxes + g.pes);
	g.payload = glk_ring_payload(g.ring);
	g.active = malloc(sizeof(*g.active) * (unsigned)g.pes);
	g.packs = g.active;
	return g.active;
}

/*
 * Open MPI looks a PE's memory up when it is used first, and puts it into a table that other threads read: now, before there
 * are any.
 */
static void touch(const struct profile *table)
{
	const struct glk_segment *program = &g.segments[GLK_STATIC];
	uint8_t byte;

	for (int pe = 0; pe < g.pes; pe++) {
		pshmem_getmem(&byte, table, 1, pe);
		if (program->bytes)
			pshmem_getmem(&byte, program->base + program->bytes - 1, 1, pe);
	}
}

/* The table is allocated first, so that PEs with different settings do not allocate different rings. */
static bool shmem_start_prepare(const struct settings *s, struct profile **table)
{
	*table = pshmem_align(64, sizeof(**table) * (unsigned)g.pes);
	if (!*table)
		return false;
	(*table)[g.me] = profile_of(*table, s);
	for (int pe = 0; pe < g.pes; pe++)
		if (pe != g.me)
			pshmem_putmem(&(*table)[g.me], &(*table)[g.me], sizeof(**table), pe);
	pshmem_barrier_all();
	if (!find_segments(*table)) {
		if (!g.me)
			fprintf(stderr, "libgpulink-shmem: PEs have different settings GPULINK_SHMEM*: off\n");
		return false;
	}
	if (s->off)
		return false;
	touch(*table);
	return true;
}

static void print_counters(void)
{
	struct gpulink_counters c = {0};
	int count = g.actives;

	for (int i = 0; i < count; i++)
		for (int k = 0; k < GLK_SEGMENTS; k++)
			if (g.peers[g.active[i]].lane[k])
				glk_lane_count(g.peers[g.active[i]].lane[k], &c);
	fprintf(stderr,
		"gpulink-shmem: pe=%d direct_stores=%lu direct_loads=%lu packed_stores=%llu packed_bytes=%llu packets=%llu wire_bytes=%lu"
		" passed=%lu\n",
		g.me, g.stores, g.loads, (unsigned long long)c.stores, (unsigned long long)c.store_bytes,
		(unsigned long long)c.packets, g.wire, g.passed);
}

/* --- begin and end --- */

void glk_stop(void)
{
	if (!g.peers)
		return;
	glk_quiet();
	glk_meet(0, 0, g.pes, NULL); /* nobody waits for this PE any more */
	pshmem_quiet(); /* nor does the implementation read the copies of rings */
	glk_helper_stop();
	if (g.prints)
		print_counters();
	for (int pe = 0; pe < g.pes; pe++) {
		free(g.peers[pe].mirror);
		free(g.peers[pe].marks);
		free(g.peers[pe].keys);
		for (int i = 0; i < GLK_SEGMENTS; i++)
			glk_lane_free(g.peers[pe].lane[i]);
	}
	memset(g.segments, 0, sizeof(g.segments)); /* later calls, and the implementation's own, are passed on */
	g.actives = 0;
	free(g.active);
	free(g.peers);
	g.peers = NULL;
	g.packs = false;
}

/* A program may end without finalize; after a failure the others do not come, but the helper must not outlive the
 * implementation. */
static void stop_at_exit(int status, void *unused)
{
	(void)unused;
	if (status)
		glk_helper_stop();
	else
		glk_stop();
}

static void shmem_start_begin(const struct settings *s, int provided)
{
	struct profile *table;
	struct glk_peer *peers;

	g.me = pshmem_my_pe();
	g.pes = pshmem_n_pes();
	g.small = s->small;
	g.forced = s->forced;
	g.multiple = level == SHMEM_THREAD_MULTIPLE;
	g.locks = g.multiple || (s->helper && provided == SHMEM_THREAD_MULTIPLE);
	if (!shmem_start_prepare(s, &table))
		return;
	peers = calloc((unsigned)g.pes, sizeof(*peers));
	if (!peers || !make_rings(s)) {
		fprintf(stderr, "libgpulink-shmem: PE %d: no memory\n", g.me);
		pshmem_global_exit(1);
		return;
	}
	g.peers = peers;
	find_direct(s, (uint8_t *)table);
	g.prints = number("GPULINK_SHMEM_STATS", 0, 1);
	pshmem_barrier_all();
	if (g.packs && s->helper && provided == SHMEM_THREAD_MULTIPLE)
		glk_helper_start();
	on_exit(stop_at_exit, NULL);
}

int glk_start(int requested, int *provided)
{
	struct settings s = read_settings();
	int wanted = s.helper && !s.off ? SHMEM_THREAD_MULTIPLE : requested, given = requested, result;

	if (g.peers) { /* again: the implementation counts or ignores it */
		*provided = level;
		return pshmem_init_thread(requested, &given);
	}
	result = pshmem_init_thread(wanted, &given);
	level = given < requested ? given : requested;
	*provided = level;
	if (!result)
		shmem_start_begin(&s, given);
	return result;
}

int glk_thread_level(void)
{
	return level;
}
