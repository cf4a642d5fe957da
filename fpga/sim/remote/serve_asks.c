// SPDX-License-Identifier: Apache-2.0
/* Cycle-by-cycle emulation of the other card: the pieces it sends, sessions and counters. */
#include "serve_asks_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- pieces: kinds of a class interleave at random, packets of one kind are sequential --- */

static void show(struct serve_asks *a, struct serve_piece *piece, unsigned class)
{
	unsigned kinds[GLK_KIND_COUNT], n = 0;
	const struct ask *ask;

	if (piece->valid || below(a->chance, 256) < a->gap)
		return;
	for (unsigned k = 1; k < GLK_KIND_COUNT; k++)
		if (glk_kind_class((enum glk_kind)k) == class && a->sending[k] < a->made[k])
			kinds[n++] = k;
	if (!n)
		return;
	piece->kind = kinds[below(a->chance, n)];
	ask = &a->asks[a->list[piece->kind][a->sending[piece->kind]]];
	piece->first = a->at[piece->kind] == 0;
	piece->bytes = ask->length - a->at[piece->kind] < 16 ? ask->length - a->at[piece->kind] : 16;
	piece->last = a->at[piece->kind] + piece->bytes == ask->length;
	memset(piece->data, 0, sizeof(piece->data));
	memcpy(piece->data, ask->packet + a->at[piece->kind], piece->bytes);
	piece->valid = true;
}

static void arrive(struct serve_asks *a, struct ask *ask)
{
	if (ask->good)
		return;
	if (ask->kind == GLK_KIND_WRITE_REQUEST) {
		a->arrived[ask->partition]++;
	} else if (ask->kind == GLK_KIND_FINEPACK) {
		if (ask->partition < SERVE_PARTITIONS) {
			a->arrived[ask->partition]++;
			a->denied++;
			serve_asks_note_refusal(a, ask->partition);
		} else {
			a->malformed++;
		}
	}
}

static void taken(struct serve_asks *a, struct serve_piece *piece)
{
	struct ask *ask = &a->asks[a->list[piece->kind][a->sending[piece->kind]]];

	a->at[piece->kind] += piece->bytes;
	piece->valid = false;
	if (!piece->last)
		return;
	a->at[piece->kind] = 0;
	a->sending[piece->kind]++;
	ask->taken = a->card->now;
	if (ask->partition < SERVE_PARTITIONS)
		ask->failed_before = serve_asks_failed_before(a, ask->partition, ask->taken);
	arrive(a, ask);
}

void serve_asks_drive(struct serve_asks *a)
{
	show(a, &a->in->posted, GLK_CLASS_POSTED);
	show(a, &a->in->request, GLK_CLASS_REQUEST);
}

void serve_asks_see(struct serve_asks *a, const struct serve_out *out)
{
	if (a->session_was && !a->in->session) {
		a->old_load = out->load_valid;
		a->old_write = out->write_valid;
	}
	a->session_was = a->in->session;
	serve_asks_settle(a);
	if (a->in->posted.valid && out->posted_ready)
		taken(a, &a->in->posted);
	if (a->in->request.valid && out->request_ready)
		taken(a, &a->in->request);
	a->e_served += out->served;
	a->e_denied += out->denied;
	a->e_malformed += out->malformed;
	a->e_trimmed += out->trimmed ? out->trimmed_bytes : 0;
	serve_asks_take_answer(a, out);
}

/* --- sessions --- */

void serve_asks_begin(struct serve_asks *a)
{
	for (unsigned i = 0; i < SERVE_GIVEN; i++)
		a->card->given[i].verdict.ask = -1;
	for (unsigned i = 0; i < SERVE_LOADS; i++)
		a->card->loads[i].ask = -1;
	a->loading = NULL;
	a->count = a->unsettled = 0;
	memset(a->made, 0, sizeof(a->made));
	memset(a->sending, 0, sizeof(a->sending));
	memset(a->at, 0, sizeof(a->at));
	memset(a->sent, 0, sizeof(a->sent));
	memset(a->arrived, 0, sizeof(a->arrived));
	memset(a->refused, 0, sizeof(a->refused));
	memset(a->refusals, 0, sizeof(a->refusals));
	for (unsigned p = 0; p < SERVE_PARTITIONS; p++)
		a->failures[p] = (struct reported){ a->card->failed[p], a->card->failed[p] };
	a->in->posted.valid = a->in->request.valid = false;
	a->answer_length = 0;
}

bool serve_asks_quiet(const struct serve_asks *a)
{
	for (unsigned k = 0; k < GLK_KIND_COUNT; k++)
		if (a->sending[k] != a->made[k])
			return false;
	for (unsigned i = 0; i < a->count; i++) {
		const struct ask *ask = &a->asks[i];

		if (ask->kind == GLK_KIND_FINEPACK ? ask->good && !ask->over : !ask->answered)
			return false;
	}
	return true;
}

void serve_asks_check_counters(struct serve_asks *a)
{
	if (a->served != a->e_served)
		serve_asks_fault(a, "served", a->served, a->e_served);
	if (a->denied != a->e_denied)
		serve_asks_fault(a, "denied", a->denied, a->e_denied);
	if (a->malformed != a->e_malformed)
		serve_asks_fault(a, "malformed", a->malformed, a->e_malformed);
	if (a->trimmed != a->e_trimmed)
		serve_asks_fault(a, "trimmed bytes", a->trimmed, a->e_trimmed);
}
