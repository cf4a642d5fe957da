// SPDX-License-Identifier: Apache-2.0
/*
 * Releases and drains: flush, then wait until every endpoint write posted so far is acknowledged (FinePack IV-B).
 * Waiting is a mark of the counts of posted writes; acknowledgements come in order, so a mark once reached stays so.
 */
#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "card/state.h"

void glk_mark_take(struct glk_card *card, struct glk_mark *mark)
{
	for (unsigned p = 0; p < card->config.partitions; p++) {
		mark->posted[p] = card->endpoints[p].posted;
		glk_remote_want(card, p);
	}
}

bool glk_mark_reached(const struct glk_card *card, const struct glk_mark *mark)
{
	for (unsigned p = 0; p < card->config.partitions; p++)
		if (card->endpoints[p].acknowledged < mark->posted[p])
			return false;
	return true;
}

/* Of these partitions, those that hold something of the context. */
static void flush_owned(struct glk_card *card, uint32_t partitions, unsigned context, unsigned reason)
{
	for (unsigned p = 0; p < card->config.partitions; p++)
		if ((partitions & (1u << p)) && (card->partitions[p].owners & (1u << context)))
			glk_partition_flush(&card->partitions[p], reason);
}

/* What is stored from now on is the next release's, wherever it is by then: its writes may fail after this one is over. */
void glk_release_flush(struct glk_card *card, unsigned context)
{
	struct glk_context *c = &card->contexts[context];
	uint32_t flushes = c->touched;

	c->fenced |= flushes;
	c->touched = 0;
	flush_owned(card, flushes, context, GLK_FLUSH_RELEASE);
}

bool glk_release_failed(struct glk_card *card, unsigned context)
{
	struct glk_context *c = &card->contexts[context];
	uint32_t mine = c->fenced | c->touched;
	bool failed = false;

	for (unsigned p = 0; p < card->config.partitions; p++) {
		if ((mine & (1u << p)) && c->failed_before[p] != card->endpoints[p].failed)
			failed = true;
		c->failed_before[p] = card->endpoints[p].failed;
	}
	/* That of the ring may wait behind that of the doorbell page, which is never behind one of the ring that waits. */
	if (!c->ring_release)
		c->fenced = 0;
	return failed;
}

static void write_record(struct glk_card *card, struct glk_context *c)
{
	uint8_t errors[8], released[8];

	if (!c->record)
		return;
	glk_put_le64(errors, (c->errors & GLK_COMPLETION_RECORD_ERRORS_MASK) |
				     (card->generation & 0xff) << GLK_COMPLETION_RECORD_GENERATION_SHIFT);
	glk_put_le64(released, c->released);
	if (!glk_dma_write(card, c->record + 8, errors, sizeof(errors)))
		glk_dma_write(card, c->record, released, sizeof(released));
}

static bool ring_got_there(const struct glk_context *c, const struct glk_release *release)
{
	return c->status || (int16_t)(uint16_t)(c->sq_head - release->sq_target) >= 0;
}

void glk_release_progress(struct glk_card *card, unsigned context)
{
	struct glk_context *c = &card->contexts[context];
	struct glk_release *release = &c->release;

	/* While it flushes, endpoints that acknowledge at once lead back here. */
	while (release->pending && release->stage != GLK_RELEASE_FLUSHES && ring_got_there(c, release)) {
		if (release->stage == GLK_RELEASE_WAITS_FOR_RING) {
			release->stage = GLK_RELEASE_FLUSHES;
			glk_release_flush(card, context);
			glk_mark_take(card, &release->mark);
			release->stage = GLK_RELEASE_WAITS_FOR_ENDPOINTS;
		}
		if (!glk_mark_reached(card, &release->mark))
			return;
		if (glk_release_failed(card, context))
			c->errors++;
		c->released = release->value;
		*release = c->next_release;
		c->next_release.pending = false;
		write_record(card, c);
		glk_raise(card, (unsigned)c->vector);
	}
}

void glk_release_forget(struct glk_card *card, unsigned context)
{
	struct glk_context *c = &card->contexts[context];

	c->release.pending = c->next_release.pending = false;
	c->release_word = c->released = 0;
	c->touched = c->fenced = 0;
}

void glk_release_start(struct glk_card *card, unsigned context)
{
	for (unsigned p = 0; p < card->config.partitions; p++)
		card->contexts[context].failed_before[p] = card->endpoints[p].failed;
}

void glk_release_request(struct glk_card *card, unsigned context, uint64_t value)
{
	struct glk_context *c = &card->contexts[context];
	struct glk_release *slot = c->release.pending ? &c->next_release : &c->release;

	*slot = (struct glk_release){ .pending = true, .value = value, .sq_target = c->sq_tail };
	glk_release_progress(card, context);
}

static void drain_flush(struct glk_card *card, unsigned kind, unsigned id)
{
	if (kind == GLK_DRAIN_CONTEXT) {
		flush_owned(card, UINT32_MAX, id, GLK_FLUSH_DRAIN);
		return;
	}
	if (kind == GLK_DRAIN_WINDOW)
		id = (unsigned)GLK_FIELD(card->windows[id].q[0], GLK_WINDOW_Q0_PARTITION);
	for (unsigned p = 0; p < card->config.partitions; p++)
		if (kind == GLK_DRAIN_CARD || p == id)
			glk_partition_flush(&card->partitions[p], GLK_FLUSH_DRAIN);
}

static bool drain_valid(const struct glk_card *card, uint64_t value)
{
	uint64_t id = GLK_FIELD(value, GLK_CARD_DRAIN_ID);

	if (value & ~(GLK_CARD_DRAIN_KIND_MASK | GLK_CARD_DRAIN_ID_MASK))
		return false;
	switch (GLK_FIELD(value, GLK_CARD_DRAIN_KIND)) {
	case GLK_DRAIN_CARD:
		return id == 0;
	case GLK_DRAIN_WINDOW:
		return id < card->config.slices && (card->windows[id].q[0] & GLK_WINDOW_Q0_VALID_MASK);
	case GLK_DRAIN_CONTEXT:
		return id < card->config.contexts;
	case GLK_DRAIN_PARTITION:
		return id < card->config.partitions;
	default:
		return false;
	}
}

bool glk_drain_busy(struct glk_card *card)
{
	if (card->drain.busy && glk_mark_reached(card, &card->drain.mark))
		card->drain.busy = false;
	return card->drain.busy;
}

int glk_drain_begin(struct glk_card *card, uint64_t value)
{
	if (glk_drain_busy(card) || !drain_valid(card, value))
		return -EINVAL;
	drain_flush(card, (unsigned)GLK_FIELD(value, GLK_CARD_DRAIN_KIND),
		    (unsigned)GLK_FIELD(value, GLK_CARD_DRAIN_ID));
	glk_mark_take(card, &card->drain.mark);
	card->drain.busy = true;
	card->drain_written = value;
	return 0;
}
