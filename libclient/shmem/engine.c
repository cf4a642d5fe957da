// SPDX-License-Identifier: Apache-2.0
#include "engine.h"

#include <stdio.h>
#include <stdlib.h>

#include <gpulink_regs.h>

#include "real.h"
#include "shmem_ring.h"

#define MARKS_BYTES ((size_t)1 << (GLK_MARK_BITS - 3))
#define TURN_EVERY  16u
#define LINE	    64u
#define LINES_MAX   64u /* longer operations count as hits */

#define g glk_shmem

static bool is(atomic_bool *flag)
{
	return atomic_load_explicit(flag, memory_order_relaxed);
}

static void engine_set(atomic_bool *flag, bool value)
{
	if (is(flag) != value)
		atomic_store_explicit(flag, value, memory_order_relaxed);
}

/* --- packing --- */

static void engine_send_packet(void *to, const uint8_t *packet, size_t bytes)
{
	glk_ring_append((int)((struct glk_peer *)to - g.peers), packet, bytes);
}

static bool open_ring(int pe)
{
	struct glk_peer *p = &g.peers[pe];

	p->mirror = malloc(g.ring);
	p->marks = calloc(1, MARKS_BYTES);
	p->refused = !p->mirror || !p->marks;
	if (p->refused) {
		free(p->mirror);
		free(p->marks);
		p->mirror = NULL;
		p->marks = NULL;
		return false;
	}
	glk_lock(&g.activating);
	g.active[g.actives] = pe;
	atomic_fetch_add_explicit(&g.actives, 1, memory_order_release);
	glk_unlock(&g.activating);
	return true;
}

/* Whether a line has, perhaps, stores that are not complete; if not, `set`: it has now. */
static bool mark(struct glk_peer *p, uint64_t line, bool set)
{
	uint64_t bit = line * UINT64_C(0x9e3779b97f4a7c15) >> (64 - GLK_MARK_BITS), mask = UINT64_C(1) << (bit & 63);
	bool was = p->marks[bit / 64] & mask;

	if (set)
		p->marks[bit / 64] |= mask;
	return was;
}

/* So for the lines of [at, at + bytes). */
static bool mark_all(struct glk_peer *p, const void *at, size_t bytes, bool set)
{
	uint64_t first = (uintptr_t)at / LINE, last = ((uintptr_t)at + bytes - 1) / LINE;
	bool some = false;

	if (last - first >= LINES_MAX && !set)
		return true;
	for (uint64_t line = first; line <= last; line++)
		some |= mark(p, line, set);
	return some;
}

static void flush_lane(struct glk_peer *p)
{
	if (p->lane[p->segment])
		glk_lane_flush(p->lane[p->segment], GLK_FLUSH_RELEASE);
}

/* Only one lane of a PE holds stores: those before a fence must not be overtaken by the other's. */
static struct glk_lane *lane_of(int pe, int segment)
{
	struct glk_peer *p = &g.peers[pe];

	if (!p->mirror && (p->refused || !open_ring(pe)))
		return NULL;
	if (!p->lane[segment])
		p->lane[segment] = glk_lane_new(&(struct glk_lane_shape){ .partition = (unsigned)segment,
									  .width = 5,
									  .payload = g.payload,
									  .send = engine_send_packet,
									  .to = p });
	if (p->segment != segment && p->lane[segment]) {
		flush_lane(p);
		p->segment = segment;
	}
	return p->lane[segment];
}

bool glk_pack(void *to, const void *from, size_t bytes, int pe)
{
	int segment = glk_segment_of(to, bytes);
	struct glk_lane *lane;
	struct glk_peer *p;

	if (segment < 0 || !g.packs || bytes > g.small || (unsigned)pe >= (unsigned)g.pes)
		return false;
	p = &g.peers[pe];
	glk_lock(&p->lock);
	lane = lane_of(pe, segment);
	if (lane) {
		glk_lane_store(lane, (uint64_t)((uint8_t *)to - g.segments[segment].base), from, bytes);
		mark_all(p, to, bytes, true);
		engine_set(&p->busy, true);
		engine_set(&g.held, true);
		engine_set(&g.unfenced, true);
	}
	glk_unlock(&p->lock);
	return lane;
}

bool glk_put(void *to, const void *from, size_t bytes, int pe)
{
	void *at;

	if (!g.peers)
		return false;
	if (!bytes)
		return true;
	at = glk_direct(to, bytes, pe);
	if (!at)
		return glk_pack(to, from, bytes, pe);
	memmove(at, from, bytes);
	glk_count(&g.stores);
	return true;
}

/* --- completion --- */

static bool holds(struct glk_peer *p)
{
	return p->pushed != p->produced || (p->lane[p->segment] && !glk_lane_is_empty(p->lane[p->segment]));
}

static void send_all(int pe, bool want)
{
	struct glk_peer *p = &g.peers[pe];

	glk_lock(&p->lock);
	flush_lane(p);
	if (p->pushed != p->produced || (want && p->wanted != p->produced && glk_ring_acknowledged(pe) != p->produced))
		glk_ring_push(pe, want);
	glk_unlock(&p->lock);
}

/* Waits until what is in the ring now is applied. */
static void engine_await(int pe)
{
	struct glk_peer *p = &g.peers[pe];
	unsigned idle = 0;
	uint64_t end;

	glk_lock(&p->lock);
	end = p->pushed;
	glk_unlock(&p->lock);
	atomic_fetch_add_explicit(&g.waiting, 1, memory_order_relaxed);
	while ((int64_t)(glk_ring_acknowledged(pe) - end) < 0)
		glk_ring_turn(&idle);
	atomic_fetch_sub_explicit(&g.waiting, 1, memory_order_relaxed);
	glk_lock(&p->lock);
	if (!holds(p) && glk_ring_acknowledged(pe) == p->produced) {
		engine_set(&p->busy, false);
		engine_set(&p->fenced, false);
		memset(p->marks, 0, MARKS_BYTES);
	}
	glk_unlock(&p->lock);
}

static void drain(int pe)
{
	send_all(pe, true);
	engine_await(pe);
}

/* Calls `what` for the PEs whose stores are not complete. */
static void for_busy(void (*what)(int pe))
{
	int count = atomic_load_explicit(&g.actives, memory_order_acquire);

	for (int i = 0; i < count; i++)
		if (is(&g.peers[g.active[i]].busy))
			what(g.active[i]);
}

static void send_wanting(int pe)
{
	send_all(pe, true);
}

void glk_send_all(void)
{
	engine_set(&g.held, false);
	for_busy(send_wanting);
}

void glk_finish(void)
{
	for_busy(engine_await);
	atomic_thread_fence(memory_order_seq_cst);
}

void glk_quiet(void)
{
	bool real = is(&g.real) || !g.peers;

	glk_send_all();
	engine_set(&g.real, false);
	if (real) /* else it would wait for the counters of packets, which are acknowledged anyway */
		pshmem_quiet();
	glk_finish();
}

/* --- order --- */

/* A packet is put at a fence if putting takes no more than half of the time; so a lone signal leaves at once, and many are
 * packed. */
static bool due(const struct glk_peer *p)
{
	return glk_now() - p->pushed_at >= p->push_took;
}

static void fence_peer(int pe)
{
	struct glk_peer *p = &g.peers[pe];

	if (p->near) { /* direct stores and packets go different ways */
		drain(pe);
		return;
	}
	glk_lock(&p->lock);
	engine_set(&p->fenced, true);
	if (due(p)) {
		flush_lane(p);
		if (p->pushed != p->produced)
			glk_ring_push(pe, false);
	} else {
#if defined(__x86_64__) || defined(__i386__)
		if (p->lane[p->segment])
			glk_lane_fence(p->lane[p->segment]);
#else /* the receiver's stores are ordered from packet to packet */
		flush_lane(p);
#endif
	}
	glk_unlock(&p->lock);
}

bool glk_fence(void)
{
	bool real = is(&g.real);

	atomic_thread_fence(memory_order_release);
	if (is(&g.unfenced)) {
		engine_set(&g.unfenced, false);
		for_busy(fence_peer);
	}
	engine_set(&g.real, false);
	return real;
}

/* Receives now and then: the PE that is called may wait for an acknowledgement. */
static void help(void)
{
	unsigned idle = 0;

	if (g.packs && !(atomic_load_explicit(&g.passed, memory_order_relaxed) % TURN_EVERY))
		glk_ring_turn(&idle);
}

static void before_real(const void *at, size_t bytes, int pe, bool ordered)
{
	struct glk_peer *p = &g.peers[pe];

	if (is(&p->busy)) {
		bool behind = ordered && is(&p->fenced);

		if (!behind) {
			glk_lock(&p->lock);
			behind = bytes && mark_all(p, at, bytes, false);
			glk_unlock(&p->lock);
		}
		if (behind)
			drain(pe);
	}
	engine_set(&g.real, true);
	glk_count(&g.passed);
	help();
}

void glk_before_store(const void *at, size_t bytes, int pe, bool other)
{
	if (!g.peers || (unsigned)pe >= (unsigned)g.pes)
		return;
	before_real(at, bytes, pe, true);
	if (other)
		engine_set(&g.real_context, true);
}

void glk_before_load(const void *at, size_t bytes, int pe)
{
	if (g.peers && (unsigned)pe < (unsigned)g.pes)
		before_real(at, bytes, pe, false);
}

/* --- waiting --- */

static void send_quietly(int pe)
{
	send_all(pe, false);
}

void glk_before_wait(void)
{
	if (is(&g.held)) {
		engine_set(&g.held, false);
		for_busy(send_quietly);
	}
}

void glk_before_block(void)
{
	glk_before_wait();
	engine_set(&g.real, true);
	atomic_fetch_add_explicit(&g.blocked, 1, memory_order_relaxed);
}

void glk_after_block(void)
{
	atomic_fetch_sub_explicit(&g.blocked, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_acquire);
}

void glk_push_aged(void)
{
	int count = atomic_load_explicit(&g.actives, memory_order_acquire);

	for (int i = 0; i < count; i++) {
		int pe = g.active[i];
		struct glk_peer *p = &g.peers[pe];

		if (!is(&p->busy) || !glk_try_lock(&p->lock))
			continue;
		if (holds(p) && p->aged && glk_ring_has_room(pe)) {
			flush_lane(p);
			if (p->pushed != p->produced) /* a batch was put at once */
				glk_ring_push(pe, false);
		} else {
			p->aged = holds(p);
		}
		glk_unlock(&p->lock);
	}
}

/*
 * Several threads may meet in sets at the same time: then messages carry a key, the place of the set's `sync` in symmetric
 * memory. Otherwise, and where all PEs meet, the key is 0: they are counted. Returns false if `sync` is in no memory that this
 * library knows.
 */
static bool find_key(const long *sync, uint64_t *key)
{
	int segment = g.multiple && sync ? glk_segment_of(sync, sizeof(*sync)) : 0;

	*key = 0;
	if (g.multiple && sync && segment >= 0)
		*key = ((uint64_t)(uintptr_t)sync - (uint64_t)(uintptr_t)g.segments[segment].base + 1) * GLK_SEGMENTS +
		       (unsigned)segment;
	return segment >= 0;
}

static void send_sync(int pe, uint64_t key)
{
	struct glk_peer *p = &g.peers[pe];

	if (!key) {
		pshmem_fence(); /* behind the message before */
		pshmem_uint64_p(&g.boxes[g.me].sync, ++p->sync_out, pe);
		return;
	}
	glk_lock(&p->lock);
	if (!p->mirror && (p->refused || !open_ring(pe))) {
		fprintf(stderr, "libgpulink-shmem: PE %d: no memory\n", g.me);
		pshmem_global_exit(1);
	} else {
		glk_ring_sync(pe, key);
	}
	glk_unlock(&p->lock);
}

static void await_sync(int pe, uint64_t key)
{
	uint64_t expected = key ? 0 : ++g.peers[pe].sync_in;
	unsigned idle = 0;

	while (key ? !glk_ring_take_sync(pe, key) :
		     (int64_t)(__atomic_load_n(&g.boxes[pe].sync, __ATOMIC_ACQUIRE) - expected) < 0)
		glk_ring_turn(&idle);
}

bool glk_sync(int start, int log, int size, const long *sync)
{
	int stride = 1 << log, rank = (g.me - start) / stride;
	uint64_t key;

	if (!g.packs || g.me < start || (g.me - start) % stride || rank >= size || start + (size - 1) * stride >= g.pes ||
	    !find_key(sync, &key))
		return false;
	atomic_thread_fence(memory_order_seq_cst);
	atomic_fetch_add_explicit(&g.waiting, 1, memory_order_relaxed);
	for (int step = 1; step < size; step *= 2) {
		send_sync(start + (rank + step) % size * stride, key);
		await_sync(start + (rank + size - step) % size * stride, key);
	}
	atomic_fetch_sub_explicit(&g.waiting, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
	return true;
}

void glk_meet(int start, int log, int size, const long *sync)
{
	glk_before_wait();
	(void)glk_sync(start, log, size, sync);
}
