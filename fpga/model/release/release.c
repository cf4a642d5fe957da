// SPDX-License-Identifier: Apache-2.0
#include "release/release.h"

#include <errno.h>
#include <string.h>

#include "base/bytes.h"

/* Flushes those of the partitions whose queue holds stores of the context. */
static void flush_owned(struct glk_releases *releases, uint32_t partitions, unsigned context, unsigned reason)
{
	for (unsigned p = 0; p < releases->common->config.partitions; p++)
		if (partitions & (1u << p))
			glk_partition_flush_owned(&releases->endpoints->partitions[p], context, reason);
}

/* Later stores belong to the next release, since their writes may fail after this one completes. */
void glk_release_flush(struct glk_releases *releases, unsigned context)
{
	struct glk_context *c = &releases->contexts[context];
	uint32_t flushes = c->touched;

	releases->of[context].fenced |= flushes;
	c->touched = 0;
	flush_owned(releases, flushes, context, GLK_FLUSH_RELEASE);
}

bool glk_release_failed(struct glk_releases *releases, unsigned context)
{
	struct glk_release_context *of = &releases->of[context];
	uint32_t mine = of->fenced | releases->contexts[context].touched;
	bool failed = false;

	for (unsigned p = 0; p < releases->common->config.partitions; p++) {
		if ((mine & (1u << p)) && of->failed_before[p] != releases->endpoints->of[p].failed)
			failed = true;
		of->failed_before[p] = releases->endpoints->of[p].failed;
	}
	/* A release of the ring may still wait when one of the doorbell page completes; never the other way round. */
	if (!of->ring_waits)
		of->fenced = 0;
	return failed;
}

static void write_record(struct glk_releases *releases, const struct glk_context *c, uint64_t value)
{
	uint8_t errors[8], released[8];

	if (!c->record)
		return;
	glk_put_le64(errors, (c->errors & GLK_COMPLETION_RECORD_ERRORS_MASK) |
				     (releases->common->generation & 0xff) << GLK_COMPLETION_RECORD_GENERATION_SHIFT);
	glk_put_le64(released, value);
	if (!glk_dma_write(releases->common, c->record + 8, errors, sizeof(errors)))
		glk_dma_write(releases->common, c->record, released, sizeof(released));
}

static void note_pending(struct glk_releases *releases, unsigned context)
{
	uint32_t bit = 1u << context;

	releases->pending = releases->of[context].current.pending ? releases->pending | bit : releases->pending & ~bit;
}

static bool ring_reached(const struct glk_context *c, const struct glk_release *release)
{
	return c->status || (int16_t)(uint16_t)(c->sq_head - release->sq_target) >= 0;
}

void glk_release_progress(struct glk_releases *releases, unsigned context)
{
	struct glk_context *c = &releases->contexts[context];
	struct glk_release_context *of = &releases->of[context];
	struct glk_release *release = &of->current;

	/* An endpoint that acknowledges during the flush calls this function again. */
	while (release->pending && release->stage != GLK_RELEASE_FLUSHES && ring_reached(c, release)) {
		if (release->stage == GLK_RELEASE_WAITS_FOR_RING) {
			glk_regions_fence(releases->regions, context);
			release->stage = GLK_RELEASE_WAITS_FOR_REGIONS;
		}
		if (release->stage == GLK_RELEASE_WAITS_FOR_REGIONS) {
			if (!glk_regions_passed(releases->regions, context))
				return;
			release->stage = GLK_RELEASE_FLUSHES;
			glk_release_flush(releases, context);
			glk_mark_take(releases->endpoints, releases->remote, &release->mark);
			release->stage = GLK_RELEASE_WAITS_FOR_ENDPOINTS;
		}
		if (!glk_mark_reached(releases->endpoints, &release->mark))
			return;
		if (glk_release_failed(releases, context))
			c->errors++;
		of->released = release->value;
		*release = of->next;
		of->next.pending = false;
		note_pending(releases, context);
		write_record(releases, c, of->released);
		glk_raise(releases->common, (unsigned)c->vector);
	}
}

void glk_releases_progress(struct glk_releases *releases)
{
	for (uint32_t left = releases->pending; left; left &= left - 1)
		glk_release_progress(releases, (unsigned)__builtin_ctz(left));
}

void glk_releases_reset(struct glk_releases *releases)
{
	memset(releases->of, 0, sizeof(releases->of));
	releases->pending = 0;
	memset(&releases->drain, 0, sizeof(releases->drain));
}

void glk_release_forget(struct glk_releases *releases, unsigned context)
{
	struct glk_release_context *of = &releases->of[context];

	of->current.pending = of->next.pending = false;
	note_pending(releases, context);
	of->ring_fenced = of->ring_waits = false;
	of->word = of->released = 0;
	of->fenced = 0;
	releases->contexts[context].touched = 0;
}

void glk_release_start(struct glk_releases *releases, unsigned context)
{
	for (unsigned p = 0; p < releases->common->config.partitions; p++)
		releases->of[context].failed_before[p] = releases->endpoints->of[p].failed;
}

void glk_release_request(struct glk_releases *releases, unsigned context, uint64_t value)
{
	struct glk_release_context *of = &releases->of[context];
	struct glk_release *slot = of->current.pending ? &of->next : &of->current;

	of->word = value;
	*slot = (struct glk_release){ .pending = true, .value = value, .sq_target = releases->contexts[context].sq_tail };
	note_pending(releases, context);
	glk_release_progress(releases, context);
}

static void drain_flush(struct glk_releases *releases, unsigned kind, unsigned id)
{
	if (kind == GLK_DRAIN_CONTEXT) {
		flush_owned(releases, UINT32_MAX, id, GLK_FLUSH_DRAIN);
		return;
	}
	if (kind == GLK_DRAIN_WINDOW)
		id = (unsigned)GLK_FIELD(releases->windows->entries[id].q[0], GLK_WINDOW_Q0_PARTITION);
	for (unsigned p = 0; p < releases->common->config.partitions; p++)
		if (kind == GLK_DRAIN_CARD || p == id)
			glk_partition_flush(&releases->endpoints->partitions[p], GLK_FLUSH_DRAIN);
}

static bool drain_valid(const struct glk_releases *releases, uint64_t value)
{
	uint64_t id = GLK_FIELD(value, GLK_CARD_DRAIN_ID);

	if (value & ~(GLK_CARD_DRAIN_KIND_MASK | GLK_CARD_DRAIN_ID_MASK))
		return false;
	switch (GLK_FIELD(value, GLK_CARD_DRAIN_KIND)) {
	case GLK_DRAIN_CARD:
		return id == 0;
	case GLK_DRAIN_WINDOW:
		return id < releases->common->config.slices && (releases->windows->entries[id].q[0] & GLK_WINDOW_Q0_VALID_MASK);
	case GLK_DRAIN_CONTEXT:
		return id < releases->common->config.contexts;
	case GLK_DRAIN_PARTITION:
		return id < releases->common->config.partitions;
	default:
		return false;
	}
}

bool glk_drain_busy(struct glk_releases *releases)
{
	if (releases->drain.busy && glk_mark_reached(releases->endpoints, &releases->drain.mark))
		releases->drain.busy = false;
	return releases->drain.busy;
}

int glk_drain_begin(struct glk_releases *releases, uint64_t value)
{
	if (glk_drain_busy(releases) || !drain_valid(releases, value))
		return -EINVAL;
	drain_flush(releases, (unsigned)GLK_FIELD(value, GLK_CARD_DRAIN_KIND),
		    (unsigned)GLK_FIELD(value, GLK_CARD_DRAIN_ID));
	glk_mark_take(releases->endpoints, releases->remote, &releases->drain.mark);
	releases->drain.busy = true;
	releases->drain.written = value;
	return 0;
}
