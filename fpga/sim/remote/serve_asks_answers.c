// SPDX-License-Identifier: Apache-2.0
/* Checks answers to the other card, in content and time, against its requests and the card's actions. */
#include "serve_asks_parts.h"

#include <string.h>

/* --- earliest answer times --- */

void serve_asks_settle(struct serve_asks *a)
{
	while (a->unsettled < a->count && (a->asks[a->unsettled].answered || a->asks[a->unsettled].settled))
		a->unsettled++;
	for (unsigned i = a->unsettled; i < a->count; i++) {
		struct ask *ask = &a->asks[i];

		if (ask->answered || ask->settled || !ask->taken || !ask->good)
			continue;
		if (ask->kind == GLK_KIND_RELEASE && !ask->counted) {
			if ((int32_t)(a->arrived[ask->partition] - (uint32_t)ask->where) < 0)
				continue;
			ask->counted = true;
			ask->visible = a->card->posted[ask->partition];
		} else if (ask->kind != GLK_KIND_RELEASE && !ask->over) {
			continue;
		}
		if (a->card->acknowledged[ask->partition] >= ask->visible) {
			ask->settled = true;
			ask->settled_at = a->card->now;
		}
	}
}

/* --- failures, and the answers that reported them --- */

static unsigned refused_before(const struct serve_asks *a, unsigned partition, uint64_t clock)
{
	unsigned n = a->refused[partition];

	while (n && a->refused_at[partition][n - 1] >= clock)
		n--;
	return n;
}

static void report(struct reported *reported, unsigned surely, unsigned perhaps)
{
	if (reported->least < surely)
		reported->least = surely;
	if (reported->most < perhaps)
		reported->most = perhaps;
}

/* --- answers --- */

static uint64_t get64(const uint8_t *from)
{
	uint64_t value = 0;

	for (unsigned i = 8; i-- > 0;)
		value = value << 8 | from[i];
	return value;
}

static void check_status(struct serve_asks *a, const char *what, unsigned expected, unsigned got)
{
	if (expected != got)
		serve_asks_fault(a, what, expected, got);
}

static void check_read(struct serve_asks *a, const struct ask *ask, unsigned status, const uint8_t *data, unsigned length)
{
	static const unsigned codes[] = { [4] = 9, [8] = 10, [16] = 8, [32] = 11, [64] = 0 };

	if (!ask->good || !ask->loaded || ask->load_failed) {
		check_status(a, "read status", ask->good ? 2 : 1, status);
		if (ask->good && !ask->loaded)
			serve_asks_wrong(a, "read answered without a load");
		if (length)
			serve_asks_fault(a, "read response length", 0, length);
		return;
	}
	check_status(a, "read status", codes[ask->bytes], status);
	if (length != ask->bytes || memcmp(data, ask->line + ask->first, length) != 0)
		serve_asks_fault(a, "read response length", ask->bytes, length);
	a->trimmed += LINE - ask->bytes;
}

static void check_translation(struct serve_asks *a, const struct ask *ask, unsigned status, const uint8_t *data)
{
	uint64_t bytes = 0;

	if (ask->good) {
		bytes = serve_asks_bytes(a, ask->partition) - ask->where;
		if (bytes > OFFSET_MASK)
			bytes -= PAGE;
		bytes |= BIT(48) | BIT(49);
	}
	check_status(a, "translation status", ask->good ? 0 : 1, status);
	if (get64(data) != bytes)
		serve_asks_fault(a, "translation", bytes, get64(data));
}

/* A failure while a write or an atomic waited is reported by its answer and by the next release. */
static void check_visible(struct serve_asks *a, struct ask *ask, const char *what, unsigned status)
{
	unsigned surely = serve_asks_failed_before(a, ask->partition, ask->settled_at),
		 perhaps = a->card->failed[ask->partition];

	if (!ask->settled)
		serve_asks_fault(a, "write or atomic answered before it is visible", ask->visible,
				 a->card->acknowledged[ask->partition]);
	for (unsigned i = 0; i < a->sending[ask->kind]; i++) {
		const struct ask *before = &a->asks[a->list[ask->kind][i]];

		if (before == ask)
			break;
		if (before->partition == ask->partition && !before->answered)
			serve_asks_wrong(a, "write or atomic answered before an earlier one");
	}
	if (ask->load_failed || surely > ask->failed_given)
		check_status(a, what, 2, status);
	if (!ask->load_failed && perhaps == ask->failed_before)
		check_status(a, what, 0, status);
}

static void check_write(struct serve_asks *a, struct ask *ask, unsigned status)
{
	if (!ask->good || (ask->over && ask->refused))
		check_status(a, "write status", 1, status);
	else
		check_visible(a, ask, "write status", status);
}

static void check_atomic(struct serve_asks *a, struct ask *ask, unsigned status, const uint8_t *data)
{
	if (!ask->good)
		check_status(a, "atomic status", 1, status);
	else
		check_visible(a, ask, "atomic status", status);
	if (get64(data) != ask->old)
		serve_asks_fault(a, "atomic's old value", ask->old, get64(data));
	if (ask->writes && !ask->written)
		serve_asks_wrong(a, "atomic answered without a write");
}

/* Another release of the partition is in flight; `surely`: it cannot have been answered by then. */
static bool is_second(const struct serve_asks *a, const struct ask *ask, bool *surely)
{
	bool second = false;

	*surely = false;
	for (unsigned i = 0; i < a->sending[GLK_KIND_RELEASE]; i++) {
		const struct ask *other = &a->asks[a->list[GLK_KIND_RELEASE][i]];

		if (other == ask)
			break;
		if (other->partition != ask->partition || other->refused)
			continue;
		second = second || !other->answered || other->given_at >= ask->taken;
		*surely = *surely || (!other->answered && !other->settled);
	}
	return second;
}

static void check_released(struct serve_asks *a, struct ask *ask, unsigned status)
{
	struct reported *failures = &a->failures[ask->partition], *refusals = &a->refusals[ask->partition];
	unsigned failed, refused, failed_all = a->card->failed[ask->partition], refused_all = a->refused[ask->partition];
	bool surely, second = is_second(a, ask, &surely);

	if (!ask->good || surely || (second && status == 1)) {
		check_status(a, "release status", 1, status);
		ask->refused = true;
		return;
	}
	ask->given_at = a->card->now; /* at the latest: its slot was free again */
	if (!ask->settled) {
		serve_asks_fault(a, "release answered too early", ask->where, a->arrived[ask->partition]);
		return;
	}
	failed = serve_asks_failed_before(a, ask->partition, ask->settled_at);
	refused = refused_before(a, ask->partition, ask->settled_at);
	if (failed > failures->most || refused > refusals->most)
		check_status(a, "release status after a failure", 2, status);
	if (failed_all <= failures->least && refused_all <= refusals->least)
		check_status(a, "release status", 0, status);
	if (status == 1)
		serve_asks_wrong(a, "release refused");
	if (status == 2) {
		report(failures, failed, failed_all);
		report(refusals, refused, refused_all);
	}
}

static struct ask *asked_by(struct serve_asks *a, uint16_t tag, unsigned kind)
{
	for (unsigned i = 0; i < a->count; i++)
		if (a->asks[i].tag == tag && a->asks[i].kind == kind && a->asks[i].taken && !a->asks[i].answered)
			return &a->asks[i];
	return NULL;
}

static void check_answer(struct serve_asks *a, unsigned kind, const uint8_t *packet, unsigned flits)
{
	static const unsigned requests[GLK_KIND_COUNT] = {
		[GLK_KIND_READ_RESPONSE] = GLK_KIND_READ_REQUEST,
		[GLK_KIND_WRITE_RESPONSE] = GLK_KIND_WRITE_REQUEST,
		[GLK_KIND_RELEASED] = GLK_KIND_RELEASE,
		[GLK_KIND_TRANSLATION_RESPONSE] = GLK_KIND_TRANSLATION_REQUEST,
		[GLK_KIND_ATOMIC_RESPONSE] = GLK_KIND_ATOMIC_REQUEST,
	};
	size_t length = glk_link_packet_bytes((enum glk_kind)kind, packet);
	unsigned status = packet[1] >> 4;
	struct ask *ask;

	if (kind >= GLK_KIND_COUNT || !requests[kind] || (packet[0] & 31) != kind || !length) {
		serve_asks_fault(a, "answer header, kind", kind, packet[0]);
		return;
	}
	ask = asked_by(a, (uint16_t)(packet[2] | packet[3] << 8), requests[kind]);
	if (!ask) {
		serve_asks_fault(a, "unexpected answer", 0, (uint64_t)kind << 16 | packet[2] | (uint64_t)packet[3] << 8);
		return;
	}
	if (flits != (length + 15) / 16)
		serve_asks_fault(a, "answer flits", (length + 15) / 16, flits);
	for (size_t i = length; i < 16u * flits && i < sizeof(a->answer); i++)
		if (packet[i])
			serve_asks_fault(a, "byte after the end of an answer", 0, packet[i]);
	switch (kind) {
	case GLK_KIND_READ_RESPONSE:
		check_read(a, ask, status, packet + 4, (unsigned)length - 4);
		break;
	case GLK_KIND_TRANSLATION_RESPONSE:
		check_translation(a, ask, status, packet + 4);
		break;
	case GLK_KIND_WRITE_RESPONSE:
		check_write(a, ask, status);
		break;
	case GLK_KIND_ATOMIC_RESPONSE:
		check_atomic(a, ask, status, packet + 4);
		break;
	default:
		check_released(a, ask, status);
		break;
	}
	ask->answered = true;
	a->answers++;
	a->by_status[status]++;
	if (status == 1)
		a->denied++;
	else
		a->served++;
}

void serve_asks_take_answer(struct serve_asks *a, const struct serve_out *out)
{
	if (!a->in->session) {
		a->answer_length = 0;
		return;
	}
	if (!out->answer_valid || !a->in->answer_ready)
		return;
	if (a->answer_length + 16 > sizeof(a->answer)) {
		serve_asks_wrong(a, "answer too long");
		return;
	}
	memcpy(a->answer + a->answer_length, out->answer, 16);
	a->answer_length += 16;
	if (!out->answer_last)
		return;
	check_answer(a, out->answer_kind, a->answer, a->answer_length / 16);
	a->answer_length = 0;
}
