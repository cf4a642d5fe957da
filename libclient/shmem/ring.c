// SPDX-License-Identifier: Apache-2.0
#include "shmem_ring.h"

#include <endian.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../lane/packet.h"
#include "real.h"

#define RECORD	8u	     /* bytes before a packet: its bytes, and the record's place in the stream */
#define SKIP	UINT32_MAX   /* instead of a packet's bytes: the next record is at the ring's start */
#define SYNC	(SKIP - 1)   /* a message of glk_sync() with a key: this */
#define BATCH	(32u << 10)  /* bytes that are put without being asked for */
#define TURNS	64u	     /* without a pause */
#define WANT	UINT64_C(1)

#define g glk_shmem

/* What makes progress in Open MPI: its test and wait_until of a true condition need not. Other implementations lack it. */
extern void opal_progress(void) __attribute__((weak));

void glk_lock(atomic_bool *lock)
{
	while (g.locks && atomic_exchange_explicit(lock, true, memory_order_acquire))
		sched_yield();
}

bool glk_try_lock(atomic_bool *lock)
{
	return !g.locks || !atomic_exchange_explicit(lock, true, memory_order_acquire);
}

void glk_unlock(atomic_bool *lock)
{
	if (g.locks)
		atomic_store_explicit(lock, false, memory_order_release);
}

uint64_t glk_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* A record's second word, by its place in the stream: not what the ring has there before. */
static uint32_t stamp(uint64_t place)
{
	return ~(uint32_t)place;
}

static uint64_t record_bytes(size_t packet)
{
	return RECORD + ((packet + 7) & ~UINT64_C(7));
}

unsigned glk_ring_payload(uint64_t ring)
{
	uint64_t payload = ring / 4 - RECORD - GLK_PACKET_HEADER;

	return payload < GLK_PAYLOAD_MAX ? (unsigned)(payload & ~UINT64_C(7)) : GLK_PAYLOAD_MAX;
}

/* --- sending --- */

uint64_t glk_ring_acknowledged(int pe)
{
	return __atomic_load_n(&g.boxes[pe].ack, __ATOMIC_ACQUIRE);
}

static void shmem_ring_put(int pe, uint64_t from, uint64_t to)
{
	uint64_t at = from & (g.ring - 1), bytes = to - from;

	if (!bytes)
		return;
	pshmem_putmem_nbi(g.rings + (uint64_t)g.me * g.ring + at, g.peers[pe].mirror + at, bytes, pe);
	atomic_fetch_add_explicit(&g.wire, bytes, memory_order_relaxed);
}

void glk_ring_push(int pe, bool want)
{
	struct glk_peer *p = &g.peers[pe];
	uint64_t start = glk_now(), wrap = (p->pushed | (g.ring - 1)) + 1;

	shmem_ring_put(pe, p->pushed, p->produced < wrap ? p->produced : wrap);
	if (p->produced > wrap)
		shmem_ring_put(pe, wrap, p->produced);
	want |= (int64_t)(p->wanted - glk_ring_acknowledged(pe)) > 0; /* somebody still waits */
	pshmem_fence();
	pshmem_uint64_p(&g.boxes[g.me].head, p->produced | (want ? WANT : 0), pe);
	atomic_fetch_add_explicit(&g.wire, 8, memory_order_relaxed);
	p->pushed = p->produced;
	if (want)
		p->wanted = p->produced;
	p->aged = false;
	p->pushed_at = glk_now();
	p->push_took = p->pushed_at - start;
}

bool glk_ring_has_room(int pe)
{
	return g.peers[pe].produced + 2 * record_bytes(GLK_PACKET_HEADER + g.payload) - glk_ring_acknowledged(pe) <= g.ring;
}

static void shmem_ring_make_room(int pe, uint64_t end)
{
	unsigned idle = 0;

	if (end - glk_ring_acknowledged(pe) <= g.ring)
		return;
	if (g.peers[pe].pushed != g.peers[pe].produced)
		glk_ring_push(pe, false);
	atomic_fetch_add_explicit(&g.waiting, 1, memory_order_relaxed);
	while (end - glk_ring_acknowledged(pe) > g.ring)
		glk_ring_turn(&idle);
	atomic_fetch_sub_explicit(&g.waiting, 1, memory_order_relaxed);
}

/* `what`: the bytes of a packet, or SYNC. */
static void shmem_ring_append(int pe, uint32_t what, const void *data, size_t bytes)
{
	struct glk_peer *p = &g.peers[pe];
	uint64_t record = record_bytes(bytes), at = p->produced & (g.ring - 1);
	uint64_t skipped = at + record > g.ring ? g.ring - at : 0;
	uint32_t words[2] = {SKIP, stamp(p->produced)};

	shmem_ring_make_room(pe, p->produced + skipped + record);
	if (skipped) {
		memcpy(p->mirror + at, words, RECORD);
		p->produced += skipped;
		at = 0;
	}
	words[0] = what;
	words[1] = stamp(p->produced);
	memcpy(p->mirror + at, words, RECORD);
	memcpy(p->mirror + at + RECORD, data, bytes);
	p->produced += record;
}

void glk_ring_append(int pe, const uint8_t *packet, size_t bytes)
{
	const struct glk_peer *p = &g.peers[pe];
	uint64_t batch = g.ring / 4 < BATCH ? g.ring / 4 : BATCH;
	unsigned idle = 0;

	shmem_ring_append(pe, (uint32_t)bytes, packet, bytes);
	if (p->produced - p->pushed < batch)
		return;
	glk_ring_push(pe, false);
	glk_ring_turn(&idle); /* who sends receives: others send too */
}

void glk_ring_sync(int pe, uint64_t key)
{
	shmem_ring_append(pe, SYNC, &key, sizeof(key));
	glk_ring_push(pe, false);
}

/* --- receiving --- */

static void shmem_ring_apply(int pe, const uint8_t *packet, size_t bytes)
{
	unsigned segment = GLK_SEGMENTS;

	if (bytes > GLK_PACKET_HEADER && bytes <= GLK_PACKET_MAX)
		segment = (unsigned)packet[8] << 8 | packet[9];
	if (segment < GLK_SEGMENTS &&
	    glk_packet_receive(packet, bytes, segment, g.segments[segment].base, g.segments[segment].bytes) >= 0)
		return;
	fprintf(stderr, "libgpulink-shmem: PE %d: invalid packet from PE %d: bytes=%zu (%u..%u)\n", g.me, pe, bytes,
		GLK_PACKET_HEADER + 1, (unsigned)GLK_PACKET_MAX);
	pshmem_global_exit(1);
}

/* Grows with the sets of PEs that meet at the same time. */
static void add_sync(struct glk_peer *p, uint64_t key)
{
	glk_lock(&p->syncing);
	if (p->syncs == p->syncs_max) {
		unsigned more = 2 * p->syncs_max + 4;
		uint64_t *keys = realloc(p->keys, more * sizeof(*keys));

		if (!keys) {
			fprintf(stderr, "libgpulink-shmem: PE %d: no memory\n", g.me);
			pshmem_global_exit(1);
			return;
		}
		p->keys = keys;
		p->syncs_max = more;
	}
	p->keys[p->syncs++] = key;
	glk_unlock(&p->syncing);
}

bool glk_ring_take_sync(int pe, uint64_t key)
{
	struct glk_peer *p = &g.peers[pe];
	unsigned i = 0;
	bool found;

	if (!p->syncs)
		return false;
	glk_lock(&p->syncing);
	while (i < p->syncs && p->keys[i] != key)
		i++;
	found = i < p->syncs;
	if (found)
		p->keys[i] = p->keys[--p->syncs];
	glk_unlock(&p->syncing);
	return found;
}

/* The record of a message, or of a packet. Returns its bytes. */
static uint64_t take_record(int pe, uint32_t what, const uint8_t *data)
{
	uint64_t key;

	if (what != SYNC) {
		shmem_ring_apply(pe, data, what);
		return record_bytes(what);
	}
	memcpy(&key, data, sizeof(key));
	add_sync(&g.peers[pe], key);
	return record_bytes(sizeof(key));
}

/* Applies what PE `pe` has put, and acknowledges it if it waits or a quarter of the ring is free again. */
static bool receive_from(int pe)
{
	struct glk_peer *p = &g.peers[pe];
	uint64_t word = __atomic_load_n(&g.boxes[pe].head, __ATOMIC_ACQUIRE), head = word & ~WANT;
	const uint8_t *ring = g.rings + (uint64_t)pe * g.ring;
	bool some = p->consumed != head;

	while (p->consumed != head) {
		uint64_t at = p->consumed & (g.ring - 1);
		uint32_t words[2];

		memcpy(words, ring + at, RECORD);
		if (words[1] != stamp(p->consumed))
			break; /* the counter overtook the record, against the fence */
		if (words[0] == SKIP) {
			p->consumed += g.ring - at;
			continue;
		}
		p->consumed += take_record(pe, words[0], ring + at + RECORD);
		atomic_thread_fence(memory_order_release); /* between packets is a fence of the sender, perhaps */
	}
	if (p->consumed != p->acknowledged && (word & WANT || p->consumed - p->acknowledged >= g.ring / 4)) {
		pshmem_fence(); /* behind the acknowledgement before */
		pshmem_uint64_p(&g.boxes[g.me].ack, p->consumed, pe);
		p->acknowledged = p->consumed;
		atomic_fetch_add_explicit(&g.wire, 8, memory_order_relaxed);
	}
	return some;
}

bool glk_ring_receive(void)
{
	bool some = false;

	if (!g.packs || !glk_try_lock(&g.receiving))
		return false;
	for (int pe = 0; pe < g.pes; pe++)
		some |= receive_from(pe);
	glk_unlock(&g.receiving);
	return some;
}

void glk_ring_turn(unsigned *idle)
{
	static volatile int never;

	bool some = glk_ring_receive();

	*idle = some ? 0 : *idle + 1;
	atomic_fetch_add_explicit(&g.turns, 1, memory_order_relaxed);
	if (opal_progress)
		opal_progress();
	else
		(void)pshmem_int_test(&never, SHMEM_CMP_EQ, 1);
	if (*idle >= TURNS)
		sched_yield();
}
