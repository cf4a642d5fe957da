// SPDX-License-Identifier: Apache-2.0
#include "serve_card.h"

#include <string.h>

#define LINE 64u

void serve_card_start(struct serve_card *card, struct chance *chance, const struct serve_user *user, unsigned lanes)
{
	*card = (struct serve_card){ .chance = chance, .user = *user, .lanes = lanes, .reached = 0xffff };
}

static void fault(struct serve_card *card, const char *what)
{
	card->user.fault(card->user.user, what);
}

static bool lets(struct serve_card *card)
{
	return below(card->chance, 256) >= card->gap;
}

/* --- writes: posted, visible, failed --- */

static void post(struct serve_card *card, unsigned partition, unsigned writes)
{
	if (card->posted[partition] == card->acknowledged[partition])
		card->next[partition] = card->now + 1 + below(card->chance, card->visible_most);
	card->posted[partition] += writes;
}

static void report_failure(struct serve_card *card, unsigned partition, unsigned writes)
{
	unsigned at = (card->reported_first + card->reported_count++) % SERVE_REPORTED;

	card->reported[at].partition = partition;
	card->reported[at].writes = writes;
	card->failing[partition] += writes;
}

static void acknowledge(struct serve_card *card, struct serve_in *in)
{
	for (unsigned p = 0; p < SERVE_PARTITIONS; p++) {
		uint64_t left = card->posted[p] - card->acknowledged[p];
		unsigned n;

		if (card->local[p] && card->now >= card->local[p]) {
			card->local[p] = 0;
			report_failure(card, p, 0);
		}
		if (!left || card->failing[p] || card->now < card->next[p])
			continue;
		n = 1 + below(card->chance, (unsigned)left);
		if (below(card->chance, 1024) < card->fails)
			report_failure(card, p, n);
		else
			card->acknowledged[p] += n;
		card->next[p] = card->now + 1 + below(card->chance, card->visible_most);
	}
	in->fail = card->reported_count != 0;
	if (!in->fail)
		return;
	in->fail_partition = card->reported[card->reported_first].partition;
	card->failing[in->fail_partition] -= card->reported[card->reported_first].writes;
	card->acknowledged[in->fail_partition] += card->reported[card->reported_first].writes;
	card->reported_first = (card->reported_first + 1) % SERVE_REPORTED;
	card->reported_count--;
	if (card->failed[in->fail_partition] < SERVE_FAILS)
		card->failed_at[in->fail_partition][card->failed[in->fail_partition]++] = card->now;
	else
		fault(card, "too many failures for the bench");
}

/* Around the clock in which a release sees its mark reached, a load fails. */
static void see_marks(struct serve_card *card, const struct serve_out *out)
{
	uint16_t before = card->reached;

	card->reached = 0;
	for (unsigned p = 0; p < SERVE_PARTITIONS; p++) {
		if (out->take >> p & 1)
			card->mark[p] = card->posted[p];
		else if (card->acknowledged[p] >= card->mark[p])
			card->reached |= (uint16_t)(1u << p);
		if ((card->reached & ~before) >> p & 1 && card->fails && !below(card->chance, 2))
			card->local[p] = card->now + 1 + below(card->chance, 20);
	}
}

/* --- the receiver --- */

static void drive_receiver(struct serve_card *card, struct serve_in *in)
{
	struct serve_verdict *verdict = &card->given[card->given_first].verdict;

	in->receiver_ready = card->given_count < 16 && lets(card);
	in->done = in->refused = false;
	if (!card->given_count || card->given[card->given_first].due > card->now)
		return;
	in->done = verdict->writes != 0;
	in->refused = !in->done;
	post(card, verdict->partition, verdict->writes);
	card->user.over(card->user.user, verdict);
	card->given_first = (card->given_first + 1) % SERVE_GIVEN;
	card->given_count--;
}

static void see_receiver(struct serve_card *card, const struct serve_in *in, const struct serve_out *out)
{
	unsigned at;

	if (!out->beat_valid || !in->receiver_ready)
		return;
	if (card->length + card->lanes > sizeof(card->packet)) {
		fault(card, "packet for the receiver too long");
		return;
	}
	if (!out->beat_last && out->beat_bytes != card->lanes)
		fault(card, "partial beat for the receiver before the last");
	memcpy(card->packet + card->length, out->beat, card->lanes);
	card->length += out->beat_bytes;
	if (!out->beat_last)
		return;
	at = (card->given_first + card->given_count++) % SERVE_GIVEN;
	card->given[at].verdict = card->user.packet(card->user.user, card->packet, card->length);
	card->given[at].due = card->now + 1 + below(card->chance, card->done_most);
	card->length = 0;
}

/* --- loads --- */

static void drive_load(struct serve_card *card, struct serve_in *in)
{
	unsigned at = card->load_first;

	in->load_ready = card->load_count < card->loads_most && lets(card);
	if (!card->giving && card->load_count && card->now >= card->loads[at].due && lets(card)) {
		card->giving = true;
		if (card->loads[at].fails)
			report_failure(card, card->loads[at].partition, 0);
	}
	in->data_valid = card->giving;
	in->data_error = card->loads[at].fails;
	for (unsigned i = 0; i < LINE; i++)
		in->line[i] = card->giving && !in->data_error ? card->loads[at].line[i] : (uint8_t)draw(card->chance);
}

static void see_load(struct serve_card *card, const struct serve_in *in, const struct serve_out *out)
{
	unsigned at = (card->load_first + card->load_count) % SERVE_LOADS;

	if (in->data_valid && out->data_ready) {
		card->user.loaded(card->user.user, card->loads[card->load_first].ask);
		card->load_first = (card->load_first + 1) % SERVE_LOADS;
		card->load_count--;
		card->giving = false;
	}
	if (!out->load_valid || !in->load_ready)
		return;
	if (!out->load_length || out->load_offset % LINE + out->load_length > LINE) {
		fault(card, "load crosses a line, or is empty");
		return;
	}
	for (unsigned i = 0; i < LINE; i++)
		card->loads[at].line[i] = (uint8_t)(draw(card->chance) >> 20);
	card->loads[at].partition = out->load_partition;
	card->loads[at].fails = below(card->chance, 1024) < card->fails;
	card->loads[at].ask = card->user.load(card->user.user, out->load_partition, out->load_offset, out->load_length,
					      out->lock && in->locked, card->loads[at].fails, card->loads[at].line);
	card->loads[at].due = card->now + 1 + below(card->chance, card->load_most);
	card->load_count++;
	if (card->load_peak < card->load_count)
		card->load_peak = card->load_count;
}

/* --- writes of atomics, and the lock --- */

static void drive_write(struct serve_card *card, struct serve_in *in)
{
	in->write_ready = card->writing && card->now >= card->write_due;
	if (in->write_ready)
		post(card, card->was.write_partition, 1);
	in->locked = card->locked;
}

static void see_write(struct serve_card *card, const struct serve_in *in, const struct serve_out *out)
{
	if (out->write_valid && !card->writing) {
		card->writing = true;
		card->write_due = card->now + 1 + below(card->chance, card->load_most);
	}
	if (out->write_valid && !(in->locked && out->lock))
		fault(card, "write of an atomic without the lock");
	if (in->write_ready) {
		card->writing = false;
		card->user.write(card->user.user, out->write_partition, out->write_offset, out->write_length, out->write_data);
	}
	/* The rings grant the lock when no atomic of theirs is in progress, and see its release some clocks later. */
	if (out->lock && !card->lock_was) {
		if (card->locked)
			fault(card, "lock taken again too soon");
		card->lock_due = card->now + below(card->chance, card->load_most);
	}
	if (!out->lock && card->lock_was)
		card->linger = below(card->chance, 3);
	card->locked = out->lock ? card->locked || card->now >= card->lock_due : card->locked && card->linger != 0;
	card->linger -= card->linger != 0;
	card->lock_was = out->lock;
}

/* Outputs must hold until accepted; answers may be withdrawn when the session ends. */
static void see_stay(struct serve_card *card, const struct serve_in *in, const struct serve_out *out)
{
	const struct serve_in *i = &card->in_was;
	const struct serve_out *o = &card->was;

	if (o->beat_valid && !i->receiver_ready &&
	    (!out->beat_valid || out->beat_bytes != o->beat_bytes || out->beat_last != o->beat_last ||
	     memcmp(out->beat, o->beat, o->beat_bytes) != 0))
		fault(card, "beat for the receiver did not hold");
	if (o->load_valid && !i->load_ready &&
	    (!out->load_valid || out->load_partition != o->load_partition || out->load_offset != o->load_offset ||
	     out->load_length != o->load_length))
		fault(card, "load did not hold");
	if (o->write_valid && !i->write_ready &&
	    (!out->write_valid || out->write_partition != o->write_partition || out->write_offset != o->write_offset ||
	     out->write_length != o->write_length || out->write_data != o->write_data))
		fault(card, "write of an atomic did not hold");
	if (i->session && in->session && o->answer_valid && !i->answer_ready &&
	    (!out->answer_valid || out->answer_last != o->answer_last || out->answer_kind != o->answer_kind ||
	     memcmp(out->answer, o->answer, 16) != 0))
		fault(card, "answer did not hold");
}

/* --- */

void serve_card_drive(struct serve_card *card, struct serve_in *in)
{
	drive_receiver(card, in);
	drive_write(card, in);
	drive_load(card, in);
	acknowledge(card, in);
	in->reached = card->reached;
	in->answer_ready = lets(card);
}

void serve_card_see(struct serve_card *card, const struct serve_in *in, const struct serve_out *out)
{
	if (card->any_was)
		see_stay(card, in, out);
	see_marks(card, out);
	see_receiver(card, in, out);
	see_load(card, in, out);
	see_write(card, in, out);
	if (out->idle && card->now > 16 && (card->given_count || card->load_count) && card->was.idle)
		fault(card, "idle with a load or packet in flight");
	card->in_was = *in;
	card->was = *out;
	card->any_was = true;
	card->now++;
}

bool serve_card_quiet(const struct serve_card *card)
{
	if (card->given_count || card->length || card->load_count || card->writing || card->reported_count)
		return false;
	for (unsigned p = 0; p < SERVE_PARTITIONS; p++)
		if (card->posted[p] != card->acknowledged[p] || card->local[p])
			return false;
	return true;
}
