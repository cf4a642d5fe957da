// SPDX-License-Identifier: Apache-2.0
#include "pool/tsu.h"

#include <stddef.h>
#include <string.h>

static uint32_t ts_max(const struct glk_tsu *t)
{
	return (uint32_t)(UINT64_MAX >> (64 - t->shape.ts_bits));
}

static uint32_t epoch_of(uint64_t time)
{
	return (uint32_t)(time >> 32);
}

static uint64_t time_of(const struct glk_tsu *t, uint32_t ts)
{
	return (uint64_t)t->epoch << 32 | ts;
}

static void clear(struct glk_tsu *t)
{
	memset(t->entries, 0, (size_t)t->shape.sets * t->shape.ways * sizeof(*t->entries));
}

void glk_tsu_init(struct glk_tsu *t, const struct glk_tsu_shape *shape, struct glk_tsu_entry *entries)
{
	*t = (struct glk_tsu){ .shape = *shape, .entries = entries };
	clear(t);
}

static void enter_epoch(struct glk_tsu *t, uint32_t epoch)
{
	t->epoch = epoch;
	t->floor = 0;
	t->epochs++;
	clear(t);
}

void glk_tsu_next_epoch(struct glk_tsu *t)
{
	enter_epoch(t, t->epoch + 1);
}

void glk_tsu_forget(struct glk_tsu *t)
{
	clear(t);
	if (epoch_of(t->greatest) == t->epoch)
		t->floor = (uint32_t)t->greatest;
}

void glk_tsu_damage(struct glk_tsu *t, unsigned entry)
{
	t->entries[entry].damaged = true;
}

uint64_t glk_tsu_after(const struct glk_tsu *t, uint64_t time)
{
	return (uint32_t)time < ts_max(t) ? time + 1 : ((time >> 32) + 1) << 32;
}

/* Makes an entry for an absent line, in the place of the one whose lease ends first. */
static struct glk_tsu_entry *tsu_make(struct glk_tsu *t, struct glk_tsu_entry *set, uint64_t line)
{
	struct glk_tsu_entry *e = set;

	for (unsigned w = 1; w < t->shape.ways && e->valid; w++)
		if (!set[w].valid || set[w].rts < e->rts)
			e = &set[w];
	if (e->valid) {
		t->evictions++;
		if (e->rts > t->floor)
			t->floor = e->rts;
	}
	*e = (struct glk_tsu_entry){ .line = line, .wts = t->floor, .rts = t->floor, .valid = true };
	return e;
}

/* All bits of the line's number count, folded: so lines of coarse grains, whose lower bits are 0, are spread over all sets. */
static struct glk_tsu_entry *set_of(struct glk_tsu *t, uint64_t line)
{
	unsigned bits = (unsigned)__builtin_ctz(t->shape.sets);
	uint64_t set = 0;

	for (; bits && line; line >>= bits)
		set ^= line;
	return &t->entries[(set & (t->shape.sets - 1)) * t->shape.ways];
}

/* A line's entry. A parity error in its set begins the next epoch, in which the request's time *ts is the first. */
static struct glk_tsu_entry *tsu_find(struct glk_tsu *t, uint64_t line, uint32_t *ts)
{
	struct glk_tsu_entry *set = set_of(t, line);
	bool damaged = false;

	for (unsigned w = 0; w < t->shape.ways; w++)
		damaged |= set[w].damaged;
	if (damaged) {
		t->errors++;
		enter_epoch(t, t->epoch + 1);
		*ts = 0;
	}
	for (unsigned w = 0; w < t->shape.ways; w++)
		if (set[w].valid && set[w].line == line)
			return &set[w];
	return tsu_make(t, set, line);
}

/* A request's time in this epoch. A later one begins it: its leases have all ended for that cache. An earlier one asks for any.
 */
static bool take_time(struct glk_tsu *t, uint64_t time, uint32_t *ts)
{
	if (time > glk_tsu_after(t, t->greatest)) {
		t->refused++;
		return false;
	}
	if (epoch_of(time) > t->epoch)
		enter_epoch(t, epoch_of(time));
	*ts = epoch_of(time) < t->epoch ? 0 : (uint32_t)time;
	return true;
}

static uint32_t later(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* A lease's end, at most the epoch's. */
static uint32_t lease_end(const struct glk_tsu *t, uint32_t begin, uint32_t length)
{
	return length < ts_max(t) - begin ? begin + length : ts_max(t);
}

static void give(struct glk_tsu *t, const struct glk_tsu_entry *e, struct glk_lease *lease)
{
	*lease = (struct glk_lease){ .wts = time_of(t, e->wts), .rts = time_of(t, e->rts) };
	if (lease->rts > t->greatest)
		t->greatest = lease->rts;
}

bool glk_tsu_read(struct glk_tsu *t, uint64_t line, uint64_t time, uint64_t wts, struct glk_lease *lease, bool *same)
{
	struct glk_tsu_entry *e;
	uint32_t ts;

	if (!take_time(t, time, &ts))
		return false;
	e = tsu_find(t, line, &ts);
	*same = wts == time_of(t, e->wts);
	if (*same && t->shape.adapt && e->stretch < GLK_TSU_STRETCH_MAX)
		e->stretch++;
	e->rts = later(e->rts, lease_end(t, later(ts, e->wts), t->shape.read_lease << (t->shape.adapt ? e->stretch : 0)));
	give(t, e, lease);
	t->reads++;
	t->same += *same;
	return true;
}

/* A write at `ts` or later, behind all leases of its line. */
static void write(struct glk_tsu *t, uint64_t line, uint32_t ts, struct glk_lease *lease)
{
	struct glk_tsu_entry *e = tsu_find(t, line, &ts);

	if (e->rts == ts_max(t)) {
		enter_epoch(t, t->epoch + 1);
		ts = 0;
		e = tsu_find(t, line, &ts);
	}
	e->stretch = 0;
	e->wts = later(e->rts + 1, ts);
	e->rts = lease_end(t, e->wts - 1, t->shape.write_lease);
	give(t, e, lease);
	if (lease->wts > t->clock)
		t->clock = lease->wts;
}

bool glk_tsu_write(struct glk_tsu *t, uint64_t line, uint64_t time, struct glk_lease *lease)
{
	uint32_t ts;

	if (!take_time(t, time, &ts))
		return false;
	write(t, line, ts, lease);
	t->writes++;
	return true;
}

uint64_t glk_tsu_write_untimed(struct glk_tsu *t, uint64_t line)
{
	struct glk_lease lease;

	write(t, line, epoch_of(t->clock) == t->epoch ? (uint32_t)t->clock : 0, &lease);
	t->untimed++;
	return lease.wts;
}
