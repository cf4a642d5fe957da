// SPDX-License-Identifier: Apache-2.0
#include "lease_threads.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "card/state.h"

/* --- the card --- */

static uint64_t offset_of(unsigned word)
{
	unsigned cell = word / 2;

	return ((uint64_t)cell << CELL_SHIFT) + 64 * (cell % 7) + 8 * (word % 2);
}

static uint64_t line_of(const struct threads *t, unsigned word)
{
	return offset_of(word) & ~(t->line_bytes - 1);
}

void threads_start(struct threads *t)
{
	bench_write(&t->b, GLK_CARD_CONTROL, GLK_CARD_CONTROL_ENABLE_MASK);
	bench_write(&t->b, bench_partition(LEASE_PARTITION, GLK_PARTITION_EP_BASE), LEASE_BASE);
	bench_write(&t->b, bench_partition(LEASE_PARTITION, GLK_PARTITION_EP_BYTES), LEASE_BYTES);
	bench_write(&t->b, bench_partition(LEASE_PARTITION, GLK_PARTITION_EP_KIND), GLK_EP_POOL);
	for (unsigned c = 0; c < THREADS; c++) {
		t->of[c].entries = 0;
		bench_window(&t->b, THREAD_SLICE + c, LEASE_PARTITION, c, THREAD_SLICE + c, 0, LEASE_BYTES, BENCH_RW);
		bench_register(&t->b, THREAD_SLICE + c, c, LEASE_REGISTERED, 0,
			       GLK_REGISTRATION_Q0_READ_MASK | GLK_REGISTRATION_Q0_WRITE_MASK);
		memset(t->b.host + BENCH_CQ(c), 0, 16 * GLK_CQE_BYTES);
		bench_context_start(&t->b, c);
	}
}

static void wrong(struct threads *t, const char *what)
{
	if (!t->wrong)
		t->wrong = what;
}

/* Runs an entry on the thread's ring. What should be done is done, or something is wrong. */
static void run(struct threads *t, unsigned thread, const uint64_t sqe[8])
{
	unsigned at = t->of[thread].entries++, last = at % 16;
	uint64_t cqe[2];

	memcpy(t->b.host + BENCH_SQ(thread) + last * GLK_SQE_BYTES, sqe, GLK_SQE_BYTES);
	bench_write(&t->b, bench_context(thread, GLK_CONTEXT_SQ_TAIL), (at + 1) & 0xffff);
	assert_false(glk_card_service(t->b.card, 100));
	memcpy(cqe, t->b.host + BENCH_CQ(thread) + last * GLK_CQE_BYTES, sizeof(cqe));
	bench_write(&t->b, bench_context(thread, GLK_CONTEXT_CQ_HEAD), (at + 1) & 0xffff);
	assert_int_equal((cqe[1] & GLK_CQE_PHASE_MASK) != 0, (at / 16 & 1) == 0);
	if (cqe[1] & GLK_CQE_STATUS_MASK)
		wrong(t, "an operation failed");
}

#define ENTRY(op, flags, thread, length, offset)                                    \
	SQE0((op), (flags), THREAD_SLICE + (thread), (length)), 0, (offset), REGISTERED(THREAD_SLICE + (thread), 0)

static uint64_t clock_now(struct threads *t, unsigned thread)
{
	return bench_read(&t->b, GLK_DOORBELL_ARRAY + thread * GLK_DOORBELL_STRIDE + GLK_DOORBELL_CLOCK);
}

static int pool_word(struct threads *t, unsigned word)
{
	uint64_t value;

	glk_card_pool_read(t->b.card, LEASE_BASE + offset_of(word), &value, 8);
	return (int)value;
}

/* --- the log --- */

static void note(struct threads *t, unsigned thread, uint64_t time, unsigned word, int value, bool store,
		 enum access_stream stream)
{
	access_note(&t->log, &(struct access){ .thread = thread,
					       .time = time,
					       .line = word / 2,
					       .word = word % 2,
					       .value = value,
					       .store = store,
					       .stream = stream });
}

/* A store is in memory from now on. */
static void arrives(struct threads *t, unsigned thread, uint64_t time, unsigned word, int value, enum access_stream stream)
{
	t->replaced[t->memory[word]] = ++t->now;
	t->memory[word] = value;
	t->of[thread].stored[word] = t->now;
	note(t, thread, time, word, value, true, stream);
}

static void arrives_from_queue(struct threads *t, unsigned word, uint64_t time)
{
	struct queued *q = &t->queued[word];

	arrives(t, q->thread, time, word, q->value, ACCESS_ALONE);
	q->value = 0;
	t->sums.arrived++;
}

/* The time of a line's last write, asked for without one. */
static uint64_t written_at(struct threads *t, unsigned word)
{
	const uint64_t sqe[8] = { ENTRY(GLK_OP_POOL_READ, 0, 0, t->line_bytes, line_of(t, word)), 0, LEASE_NONE };

	run(t, 0, sqe);
	return lease_record(&t->b).wts;
}

/* Logs what has left the queue. An operation has given the line of `word` the time `wts`; WORDS: none. */
static void look_for_arrivals(struct threads *t, unsigned word, uint64_t wts)
{
	bool more = true;

	while (more) { /* asking may make more of them leave */
		more = false;
		for (unsigned k = 0; k < WORDS; k++) {
			if (!t->queued[k].value || pool_word(t, k) != t->queued[k].value)
				continue;
			arrives_from_queue(t, k, word < WORDS && line_of(t, k) == line_of(t, word) ? wts : written_at(t, k));
			more = true;
		}
	}
}

/* A load is of the last value that the thread may expect to see, or of a later one. */
static void check_age(struct threads *t, unsigned thread, unsigned word, int value)
{
	uint64_t replaced = t->replaced[value];

	if (value && replaced && replaced <= t->of[thread].acquired)
		wrong(t, "a load has a value that was replaced before the acquire");
	if (value && replaced && replaced <= t->of[thread].stored[word])
		wrong(t, "a load has a value that was replaced before the thread's own store");
}

/* --- the caches --- */

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* A lease of a later epoch ends all of earlier ones. */
static void enter_epoch(const struct threads *t, struct thread *c, uint64_t rts)
{
	if (rts >> 32 <= later(c->lts, c->sts) >> 32)
		return;
	for (unsigned i = 0; i < CELLS && t->plant != LEASE_PLANT_EPOCHS; i++)
		c->copy[i].valid = false;
	c->lts = c->sts = rts >> 32 << 32;
}

static bool hit(const struct threads *t, const struct thread *c, const struct copy *copy)
{
	uint64_t end = copy->rts + (t->plant == LEASE_PLANT_LATE_HIT);

	if (t->plant == LEASE_PLANT_EPOCHS)
		return copy->valid && (uint32_t)c->lts <= (uint32_t)end;
	return copy->valid && c->lts <= end;
}

static void fill(struct threads *t, struct thread *c, unsigned cell, const struct lease_record *record, int value[CELLS][2])
{
	for (unsigned i = 0; i < CELLS; i++) {
		struct copy *copy = &c->copy[i];

		if (record->same ? i != cell : line_of(t, 2 * i) != line_of(t, 2 * cell))
			continue;
		if (!record->same && !(copy->valid && t->plant == LEASE_PLANT_SAME))
			memcpy(copy->value, value[i], sizeof(copy->value));
		copy->valid = true;
		copy->wts = record->wts;
		copy->rts = record->rts;
	}
}

static void fetch(struct threads *t, unsigned thread, unsigned cell)
{
	struct thread *c = &t->of[thread];
	struct lease_record record;
	int value[CELLS][2];

	c->hits = 0;
	do {
		uint64_t time = t->plant == LEASE_PLANT_NO_TIME ? 0 : c->lts, line = line_of(t, 2 * cell);
		const uint64_t sqe[8] = {
			ENTRY(GLK_OP_POOL_READ, 0, thread, t->line_bytes, line),
			time,
			c->copy[cell].valid ? c->copy[cell].wts : LEASE_NONE,
		};

		run(t, thread, sqe);
		record = lease_record(&t->b);
		for (unsigned k = 0; k < WORDS; k++) {
			uint64_t at = offset_of(k) - line;

			if (line_of(t, k) == line)
				memcpy(&value[k / 2][k % 2], lease_registered(&t->b, (unsigned)(GLK_LEASE_RECORD_BYTES + at)),
				       sizeof(int));
		}
		look_for_arrivals(t, 2 * cell, record.wts);
		enter_epoch(t, c, record.rts);
	} while (record.rts < c->lts && !t->wrong && t->plant != LEASE_PLANT_NO_TIME);
	t->sums.same += record.same;
	fill(t, c, cell, &record, value);
}

void thread_load(struct threads *t, unsigned thread, unsigned word)
{
	struct thread *c = &t->of[thread];
	struct copy *copy = &c->copy[word / 2];

	if (hit(t, c, copy) && t->tick && ++c->hits > t->tick)
		c->lts = glk_tsu_after(&t->b.card->pool.tsu, copy->rts);
	if (hit(t, c, copy))
		t->sums.hits++;
	else
		fetch(t, thread, word / 2);
	c->lts = later(c->lts, copy->wts);
	note(t, thread, c->lts, word, copy->value[word % 2], false, ACCESS_IN_ORDER);
	check_age(t, thread, word, copy->value[word % 2]);
}

void thread_renew(struct threads *t, unsigned thread)
{
	uint64_t sqe[8] = { ENTRY(GLK_OP_POOL_RENEW, 0, thread, 0, 0), t->of[thread].lts }, record[CELLS][2];
	struct thread *c = &t->of[thread];
	unsigned cell[CELLS], count = 0;

	for (unsigned i = 0; i < CELLS; i++) {
		if (!c->copy[i].valid || below(&t->chance, 2))
			continue;
		record[count][0] = line_of(t, 2 * i);
		record[count][1] = c->copy[i].wts;
		memcpy(lease_registered(&t->b, 16 * count), record[count], 16);
		cell[count++] = i;
	}
	if (!count)
		return;
	sqe[0] |= (uint64_t)count << GLK_SQE_LENGTH_SHIFT;
	run(t, thread, sqe);
	memcpy(record, lease_registered(&t->b, 0), sizeof(record[0]) * count);
	look_for_arrivals(t, WORDS, 0);
	for (unsigned i = 0; i < count; i++) {
		struct copy *copy = &c->copy[cell[i]];

		enter_epoch(t, c, later(record[i][0], record[i][1]));
		if (!record[i][0])
			copy->valid = false;
		copy->rts = record[i][0];
	}
}

static void drop_line(struct threads *t, unsigned thread, unsigned word)
{
	for (unsigned i = 0; i < CELLS && t->plant != LEASE_PLANT_OWN_COPY; i++)
		if (line_of(t, 2 * i) == line_of(t, word))
			t->of[thread].copy[i].valid = false;
}

/* --- stores with a time --- */

static uint64_t store_time(const struct threads *t, const struct thread *c)
{
	return t->plant == LEASE_PLANT_NO_TIME ? 0 : later(c->lts, c->sts);
}

/* The word's own line has left the queue before the write of time `wts`. */
static void arrivals_before_write(struct threads *t, unsigned word, uint64_t wts)
{
	if (t->queued[word].value)
		arrives_from_queue(t, word, wts);
	look_for_arrivals(t, word, wts);
}

static void written(struct threads *t, unsigned thread, unsigned word, const struct lease_record *record, int value)
{
	struct thread *c = &t->of[thread];

	if (record->wts < store_time(t, c) || record->wts < c->released || record->rts < record->wts)
		wrong(t, "a store's time is before one that it must follow");
	enter_epoch(t, c, record->rts);
	drop_line(t, thread, word);
	c->sts = later(c->sts, record->wts);
	if (t->in_order)
		c->lts = c->sts;
	arrives(t, thread, record->wts, word, value, t->in_order ? ACCESS_IN_ORDER : ACCESS_STORES);
}

void thread_store(struct threads *t, unsigned thread, unsigned word)
{
	const uint64_t sqe[8] = { ENTRY(GLK_OP_POOL_WRITE, 0, thread, 8, offset_of(word)), store_time(t, &t->of[thread]) };
	uint64_t value = (uint64_t)++t->value;
	struct lease_record record;

	memcpy(lease_data(&t->b), &value, 8);
	run(t, thread, sqe);
	record = lease_record(&t->b);
	arrivals_before_write(t, word, record.wts);
	written(t, thread, word, &record, (int)value);
}

/* An acquire and release at once. */
void thread_atomic(struct threads *t, unsigned thread, unsigned word)
{
	bool writes = below(&t->chance, 3), swap = below(&t->chance, 2) && writes;
	struct thread *c = &t->of[thread];
	int known = t->queued[word].value ? t->queued[word].value : t->memory[word];
	uint64_t value = writes ? (uint64_t)++t->value : 0, time = store_time(t, c);
	const uint64_t sqe[8] = {
		ENTRY(swap ? GLK_OP_SWAP : GLK_OP_CAS, GLK_FLAG_TIMED, thread, 8, offset_of(word)), value,
		swap ? 0 : writes ? (uint64_t)known : (uint64_t)known + 1, time,
	};
	struct lease_record record;

	run(t, thread, sqe);
	record = lease_record(&t->b);
	arrivals_before_write(t, word, record.wts);
	if ((int)record.old != known)
		wrong(t, "an atomic finds another value than the last one");
	enter_epoch(t, c, record.rts);
	c->lts = later(later(c->lts, c->sts), record.wts);
	note(t, thread, c->lts, word, (int)record.old, false, ACCESS_IN_ORDER);
	c->sts = c->lts;
	if (writes)
		written(t, thread, word, &record, (int)value);
}

/* --- without a time --- */

void thread_post(struct threads *t, unsigned thread, unsigned word)
{
	uint64_t value = (uint64_t)++t->value;

	assert_int_equal(
		glk_card_aperture_store(t->b.card, ((uint64_t)(THREAD_SLICE + thread) << 20) + offset_of(word), &value, 8), 0);
	if (t->queued[word].value && pool_word(t, word) == t->queued[word].value) /* it had to leave first */
		arrives_from_queue(t, word, clock_now(t, thread));
	t->queued[word] = (struct queued){ .value = (int)value, .thread = thread };
	drop_line(t, thread, word);
	look_for_arrivals(t, WORDS, 0);
}

void thread_write_pool(struct threads *t, unsigned thread, unsigned word)
{
	uint64_t value = (uint64_t)++t->value;

	if (t->plant == LEASE_PLANT_UNSTAMPED)
		memcpy(t->b.card->pool.data + LEASE_BASE + offset_of(word), &value, 8);
	else
		glk_card_pool_write(t->b.card, LEASE_BASE + offset_of(word), &value, 8);
	drop_line(t, thread, word);
	arrives(t, thread, clock_now(t, thread), word, (int)value, ACCESS_POSTED);
}

void thread_untimed_atomic(struct threads *t, unsigned thread, unsigned word)
{
	uint64_t value = (uint64_t)++t->value, old, time;
	const uint64_t sqe[8] = { ENTRY(GLK_OP_SWAP, 0, thread, 8, offset_of(word)), value };

	run(t, thread, sqe);
	memcpy(&old, lease_registered(&t->b, 0), 8);
	time = clock_now(t, thread);
	arrivals_before_write(t, word, time);
	if ((int)old != t->memory[word])
		wrong(t, "an atomic finds another value than the last one");
	drop_line(t, thread, word);
	arrives(t, thread, time, word, (int)value, ACCESS_POSTED);
}

void thread_release(struct threads *t, unsigned thread)
{
	const uint64_t sqe[8] = { SQE0(GLK_OP_RELEASE, 0, 0, 0) };
	struct thread *c = &t->of[thread];

	run(t, thread, sqe);
	c->released = clock_now(t, thread);
	look_for_arrivals(t, WORDS, 0);
	for (unsigned k = 0; k < WORDS; k++)
		if (t->queued[k].value && t->queued[k].thread == thread)
			wrong(t, "a store has not arrived with its release");
	enter_epoch(t, c, c->released);
	c->sts = later(c->sts, c->released);
	if (t->in_order)
		c->lts = c->sts = later(c->lts, c->sts);
}

void thread_acquire(struct threads *t, unsigned thread)
{
	uint64_t clock = clock_now(t, thread);
	struct thread *c = &t->of[thread];

	c->acquired = t->now;
	if (t->plant == LEASE_PLANT_NO_CLOCK)
		return;
	enter_epoch(t, c, clock);
	c->lts = later(c->lts, clock);
}

void thread_plain_load(struct threads *t, unsigned thread, unsigned word)
{
	uint64_t value;

	glk_card_aperture_load(t->b.card, ((uint64_t)(THREAD_SLICE + thread) << 20) + offset_of(word), &value, 8);
	look_for_arrivals(t, WORDS, 0);
	if ((int)value != t->memory[word] || t->queued[word].value)
		wrong(t, "a plain load is not current");
}

void threads_clear(struct threads *t, unsigned page)
{
	bench_write(&t->b, GLK_TSU_CLEAR, (LEASE_BASE / 4096 + page) | 1 << GLK_TSU_CLEAR_PAGES_SHIFT);
	for (unsigned k = 0; k < WORDS; k++)
		if (offset_of(k) / 4096 == page && pool_word(t, k))
			wrong(t, "a page that was cleared is not");
	for (unsigned k = 0; k < WORDS; k++) {
		if (offset_of(k) / 4096 != page)
			continue;
		t->replaced[t->memory[k]] = ++t->now;
		t->memory[k] = 0;
		note(t, 0, written_at(t, k), k, 0, true, ACCESS_ALONE);
	}
	look_for_arrivals(t, WORDS, 0);
}
