// SPDX-License-Identifier: Apache-2.0
/* Checks the card's actions against the other card's requests: packets to the receiver, loads, and writes of atomics. */
#include "serve_asks_parts.h"

#include <string.h>

#include <finepack/depacketizer.h>

/* --- packets to the receiver --- */

static unsigned writes_of_packet;
static uint64_t write_offset;
static size_t write_bytes;
static uint8_t write_data[SERVE_PACKET_LONGEST];

static void count_write(void *user, unsigned partition, uint64_t offset, const void *data, size_t length)
{
	(void)user;
	(void)partition;
	writes_of_packet++;
	write_offset = offset;
	write_bytes = length;
	memcpy(write_data, data, length);
}

/* Number of plain writes of a packet; 0: refused. */
static unsigned apply(const struct serve_asks *a, const uint8_t *packet, size_t length)
{
	struct glk_destination destinations[SERVE_PARTITIONS] = { 0 };
	struct glk_accepted accepted;

	for (unsigned p = 0; p < a->partitions; p++) {
		destinations[p].bytes = serve_asks_bytes(a, p);
		destinations[p].subheader_bytes = SUBHEADER;
	}
	writes_of_packet = 0;
	if (!glk_depacketizer_check(packet, length, destinations, a->partitions, &accepted))
		glk_depacketizer_apply(&accepted, count_write, NULL);
	return writes_of_packet;
}

/* The oldest valid request of a kind that arrived and has not been given to the receiver, or loaded. */
static int next_of(const struct serve_asks *a, unsigned kind)
{
	for (unsigned i = 0; i < a->sending[kind]; i++) {
		const struct ask *ask = &a->asks[a->list[kind][i]];

		if (ask->good && !ask->given && !ask->loaded)
			return (int)a->list[kind][i];
	}
	return -1;
}

/* Whether a packet implements a write request. */
static bool is_write(const struct serve_asks *a, const struct ask *ask, const uint8_t *packet, size_t length)
{
	return apply(a, packet, length) == 1 && packet[9] == ask->partition &&
	       write_offset == (ask->where & OFFSET_MASK) + ask->first && write_bytes == ask->bytes &&
	       memcmp(write_data, ask->packet + 12 + ask->first, write_bytes) == 0;
}

static struct serve_verdict see_packet(void *user, const uint8_t *packet, size_t length)
{
	struct serve_asks *a = user;
	int finepack = next_of(a, GLK_KIND_FINEPACK), write = next_of(a, GLK_KIND_WRITE_REQUEST);
	struct serve_verdict verdict = { .ask = -1,
					 .partition = packet[9] % SERVE_PARTITIONS,
					 .writes = apply(a, packet, length) };

	if (finepack >= 0 && a->asks[finepack].length == length && memcmp(a->asks[finepack].packet, packet, length) == 0)
		verdict.ask = finepack;
	else if (write >= 0 && is_write(a, &a->asks[write], packet, length))
		verdict.ask = write;
	if (verdict.ask >= 0) {
		struct ask *ask = &a->asks[verdict.ask];

		ask->given = true;
		ask->given_at = a->card->now;
		ask->failed_given = serve_asks_failed_before(a, ask->partition, a->card->now + 1);
		a->old_packets = 0;
	} else if (a->old_packets) {
		a->old_packets--;
	} else {
		serve_asks_wrong(a, "unexpected packet for the receiver");
	}
	if (below(a->chance, 1024) < a->card->refuses)
		verdict.writes = 0;
	return verdict;
}

static void see_over(void *user, const struct serve_verdict *verdict)
{
	struct serve_asks *a = user;
	struct ask *ask;

	if (verdict->ask < 0)
		return;
	ask = &a->asks[verdict->ask];
	ask->over = true;
	ask->refused = verdict->writes == 0;
	ask->visible = a->card->posted[ask->partition];
	a->arrived[ask->partition]++;
	if (ask->kind != GLK_KIND_FINEPACK)
		return;
	if (ask->refused)
		serve_asks_note_refusal(a, ask->partition);
	else
		a->served++;
}

/* --- loads, and writes of atomics --- */

/* Reads and atomics arrive one behind the other, and are loaded in this order. */
static struct ask *next_load(struct serve_asks *a)
{
	int read = next_of(a, GLK_KIND_READ_REQUEST), atomic = next_of(a, GLK_KIND_ATOMIC_REQUEST);

	if (read >= 0 && atomic >= 0)
		return &a->asks[a->asks[read].taken < a->asks[atomic].taken ? read : atomic];
	return read >= 0 || atomic >= 0 ? &a->asks[read >= 0 ? read : atomic] : NULL;
}

static int see_load(void *user, unsigned partition, uint64_t offset, unsigned length, bool locked, bool fails, uint8_t line[64])
{
	struct serve_asks *a = user;
	struct ask *ask = next_load(a);

	if (a->old_load) {
		a->old_load = false;
		return -1;
	}
	if (!ask) {
		serve_asks_wrong(a, "unexpected load");
		return -1;
	}
	if (ask->partition != partition)
		serve_asks_fault(a, "load partition", ask->partition, partition);
	if (ask->kind == GLK_KIND_ATOMIC_REQUEST) {
		ask->first = (unsigned)(ask->where & (LINE - 1));
		if (!locked)
			serve_asks_wrong(a, "load of an atomic without the lock");
	}
	if (offset != ((ask->where & OFFSET_MASK) / LINE * LINE) + ask->first)
		serve_asks_fault(a, "load offset", ((ask->where & OFFSET_MASK) / LINE * LINE) + ask->first, offset);
	if (length != ask->bytes)
		serve_asks_fault(a, "load length", ask->bytes, length);
	/* Makes compare and swap succeed often. */
	if (ask->kind == GLK_KIND_ATOMIC_REQUEST && below(a->chance, 2) == 0)
		for (unsigned i = 0; i < ask->bytes; i++)
			line[ask->first + i] = (uint8_t)(ask->compare >> (8 * i));
	memcpy(ask->line, line, LINE);
	ask->failed_given = serve_asks_failed_before(a, ask->partition, a->card->now + 1);
	ask->loaded = true;
	ask->load_failed = fails;
	return (int)(ask - a->asks);
}

static void see_loaded(void *user, int at)
{
	struct serve_asks *a = user;
	struct ask *ask = at < 0 ? NULL : &a->asks[at];
	unsigned operation;

	a->loading = ask;
	if (!ask || ask->kind != GLK_KIND_ATOMIC_REQUEST)
		return;
	operation = ask->where >> 48 & 7;
	if (!ask->load_failed)
		for (unsigned i = 0; i < ask->bytes; i++)
			ask->old |= (uint64_t)ask->line[ask->first + i] << (8 * i);
	ask->writes = !ask->load_failed && (operation != 2 || ask->old == ask->compare);
	if (!ask->writes) {
		ask->over = true;
		ask->visible = a->card->posted[ask->partition];
	}
}

static void see_write(void *user, unsigned partition, uint64_t offset, unsigned length, uint64_t data)
{
	struct serve_asks *a = user;
	uint64_t mask = length == 8 ? UINT64_MAX : UINT32_MAX, value;

	if (a->old_write) { /* it began before its session ended */
		a->old_write = false;
		return;
	}
	if (!a->loading || !a->loading->writes || a->loading->written) {
		serve_asks_wrong(a, "unexpected write of an atomic");
		return;
	}
	value = (a->loading->where >> 48 & 7) == 0 ? a->loading->old + a->loading->operand : a->loading->operand;
	if (partition != a->loading->partition || offset != (a->loading->where & OFFSET_MASK) || length != a->loading->bytes)
		serve_asks_fault(a, "offset of an atomic's write", a->loading->where & OFFSET_MASK, offset);
	if ((data & mask) != (value & mask))
		serve_asks_fault(a, "an atomic's new value", value & mask, data & mask);
	a->loading->written = a->loading->over = true;
	a->loading->visible = a->card->posted[partition];
}

/* --- callbacks of the card --- */

static void see_fault(void *user, const char *what)
{
	serve_asks_wrong(user, what);
}

void serve_asks_user(struct serve_asks *a, struct serve_user *user)
{
	*user = (struct serve_user){ a, see_packet, see_over, see_load, see_loaded, see_write, see_fault };
}
