// SPDX-License-Identifier: Apache-2.0
#include "serve_asks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <depacketizer.h>

#define PAGE	     4096u
#define LINE	     64u
#define OFFSET_MASK  ((UINT64_C(1) << 48) - 1)
#define BIT(n)	     (UINT64_C(1) << (n))
#define SUBHEADER    4u /* of packets that do not tell; what the bench's receiver is set to */

void serve_asks_fault(struct serve_asks *a, const char *what, uint64_t expected, uint64_t got)
{
	if (!a->failure[0])
		snprintf(a->failure, sizeof(a->failure), "clock %" PRIu64 ": %s: expected %" PRIx64 ", got %" PRIx64, a->card->now, what, expected, got);
}

static void wrong(struct serve_asks *a, const char *what)
{
	serve_asks_fault(a, what, 0, 1);
}

static bool one_in(struct serve_asks *a, unsigned n)
{
	return below(a->chance, n) == 0;
}

static bool is_wrong(struct serve_asks *a)
{
	return below(a->chance, 64) < a->wrong;
}

/* --- what may be reached --- */

static bool is_open(const struct serve_asks *a, unsigned partition)
{
	return partition < a->partitions && a->in->enabled && (a->in->open >> partition & 1) &&
	       (a->in->kind[partition] == 1 || a->in->kind[partition] == 2);
}

static uint64_t endpoint_bytes(const struct serve_asks *a, unsigned partition)
{
	return partition < a->partitions ? a->in->pages[partition] * PAGE : 0;
}

static bool may_reach(const struct serve_asks *a, unsigned partition, uint64_t offset, uint64_t length)
{
	uint64_t bytes = endpoint_bytes(a, partition);

	return is_open(a, partition) && length <= bytes && offset <= bytes - length;
}

/* --- failures, and who has told of them --- */

static unsigned failed_before(const struct serve_asks *a, unsigned partition, uint64_t clock)
{
	unsigned n = a->card->failed[partition];

	while (n && a->card->failed_at[partition][n - 1] >= clock)
		n--;
	return n;
}

static unsigned refused_before(const struct serve_asks *a, unsigned partition, uint64_t clock)
{
	unsigned n = a->refused[partition];

	while (n && a->refused_at[partition][n - 1] >= clock)
		n--;
	return n;
}

static void tell(struct told *told, unsigned surely, unsigned perhaps)
{
	if (told->least < surely)
		told->least = surely;
	if (told->most < perhaps)
		told->most = perhaps;
}

static void note_refusal(struct serve_asks *a, unsigned partition)
{
	a->refused_at[partition][a->refused[partition]++] = a->card->now;
}

/* --- making requests --- */

static unsigned any_partition(struct serve_asks *a)
{
	unsigned p = below(a->chance, a->partitions);

	for (unsigned i = 0; i < 8 && !is_open(a, p); i++) /* mostly open ones */
		p = below(a->chance, a->partitions);
	return one_in(a, 12) ? below(a->chance, SERVE_PARTITIONS) : p;
}

/* An offset at or about a partition's end, or anywhere in it. */
static uint64_t any_offset(struct serve_asks *a, unsigned partition, unsigned align)
{
	uint64_t bytes = endpoint_bytes(a, partition), offset;

	if (!bytes)
		bytes = PAGE;
	offset = one_in(a, 4) ? bytes - (below(a->chance, 256) + 1) : draw(a->chance) % bytes;
	if (is_wrong(a))
		offset = one_in(a, 2) ? bytes + below(a->chance, 8192) : draw(a->chance);
	if (offset > OFFSET_MASK)
		offset &= OFFSET_MASK;
	return is_wrong(a) ? offset : offset / align * align;
}

static struct ask *new_ask(struct serve_asks *a, unsigned kind, unsigned partition)
{
	struct ask *ask = &a->asks[a->count];

	*ask = (struct ask){ .kind = kind, .partition = partition, .tag = a->tag++ };
	a->list[kind][a->made[kind]++] = a->count++;
	return ask;
}

static void put64(uint8_t *to, uint64_t value)
{
	for (unsigned i = 0; i < 8; i++)
		to[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t get64(const uint8_t *from)
{
	uint64_t value = 0;

	for (unsigned i = 8; i-- > 0;)
		value = value << 8 | from[i];
	return value;
}

static void put_header(struct serve_asks *a, struct ask *ask, unsigned length)
{
	uint32_t word = ask->kind | below(a->chance, 128) << 5 | ask->partition << 12 | (uint32_t)ask->tag << 16;

	ask->length = length;
	for (unsigned i = 0; i < 4; i++)
		ask->packet[i] = (uint8_t)(word >> (8 * i));
	put64(ask->packet + 4, ask->where);
}

static void make_finepack(struct serve_asks *a, unsigned partition, bool spoils)
{
	struct packet_maker *m = &a->maker;
	uint64_t range, bytes;
	struct ask *ask;
	size_t length;

	m->partition = partition;
	m->h = 2 + below(a->chance, 5);
	range = glk_subheader_range(m->h);
	bytes = endpoint_bytes(a, partition) ? endpoint_bytes(a, partition) : PAGE;
	m->base = draw(a->chance) % bytes / range * range;
	packet_maker_fill(m, a->chance, bytes - m->base < 4096 ? bytes - m->base : 4096);
	length = packet_maker_close(m, !one_in(a, 4) || m->h != SUBHEADER);
	if (spoils) { /* but so that the link takes it: its length tells how long it is */
		uint8_t size[2] = { m->packet[2], m->packet[3] };

		m->packet[one_in(a, 2) ? below(a->chance, 16) : below(a->chance, (unsigned)length)] ^= (uint8_t)(1u << below(a->chance, 8));
		m->packet[2] = (uint8_t)((m->packet[2] & 0xfc) | (size[0] & 3));
		m->packet[3] = size[1];
	}
	ask = new_ask(a, GLK_KIND_FINEPACK, m->packet[9]);
	memcpy(ask->packet, m->packet, length);
	ask->length = (unsigned)length;
	ask->good = is_open(a, ask->partition);
	if (ask->partition < SERVE_PARTITIONS)
		a->sent[ask->partition]++;
}

void serve_asks_make_up(struct serve_asks *a, unsigned partition)
{
	make_finepack(a, partition, false);
}

static void make_write(struct serve_asks *a, unsigned partition)
{
	struct ask *ask = new_ask(a, GLK_KIND_WRITE_REQUEST, partition);
	uint64_t offset = any_offset(a, partition, LINE), first = below(a->chance, 64), bytes = 1 + below(a->chance, 64);

	if (!is_wrong(a) && first + bytes > LINE)
		bytes = LINE - first;
	ask->where = offset | first << 48 | (bytes - 1) << 54 | (is_wrong(a) ? draw(a->chance) << 60 : 0);
	put_header(a, ask, 76);
	for (unsigned i = 0; i < LINE; i++)
		ask->packet[12 + i] = (i >= first && i < first + bytes) || is_wrong(a) ? (uint8_t)(draw(a->chance) >> 9) : 0;
	ask->first = (unsigned)first;
	ask->bytes = (unsigned)bytes;
	ask->good = ask->where >> 60 == 0 && offset % LINE == 0 && first + bytes <= LINE && may_reach(a, partition, offset + first, bytes);
	a->sent[partition]++;
}

static void make_read(struct serve_asks *a, unsigned partition)
{
	static const unsigned sizes[] = { 16, 4, 8, 32 };
	struct ask *ask = new_ask(a, GLK_KIND_READ_REQUEST, partition);
	uint64_t offset = any_offset(a, partition, LINE), asked = 0;
	unsigned code = below(a->chance, 4);

	if (!one_in(a, 3))
		asked = 1 | code << 1 | below(a->chance, LINE / sizes[code]) << 3;
	if (is_wrong(a))
		asked = one_in(a, 2) ? draw(a->chance) & 0xffff : asked ^ BIT(below(a->chance, 16));
	ask->where = offset | asked << 48;
	put_header(a, ask, 12);
	code = asked >> 1 & 3;
	ask->bytes = asked ? sizes[code] : LINE;
	ask->first = asked ? (unsigned)(asked >> 3 & 15) * sizes[code] : 0;
	ask->good = (!asked || ((asked & 1) && asked >> 7 == 0 && ask->first < LINE)) && offset % LINE == 0 && may_reach(a, partition, offset, LINE);
}

static void make_translation(struct serve_asks *a, unsigned partition)
{
	struct ask *ask = new_ask(a, GLK_KIND_TRANSLATION_REQUEST, partition);

	ask->where = any_offset(a, partition, PAGE) | (is_wrong(a) ? draw(a->chance) << 48 : 0);
	if (one_in(a, 3))
		ask->where = 0;
	put_header(a, ask, 12);
	ask->good = ask->where >> 48 == 0 && ask->where % PAGE == 0 && may_reach(a, partition, ask->where, PAGE);
}

static void make_atomic(struct serve_asks *a, unsigned partition)
{
	struct ask *ask = new_ask(a, GLK_KIND_ATOMIC_REQUEST, partition);
	unsigned bytes = one_in(a, 2) ? 8 : 4, operation = is_wrong(a) ? below(a->chance, 8) : below(a->chance, 3);
	uint64_t offset = any_offset(a, partition, bytes);

	ask->where = offset | (uint64_t)operation << 48 | (bytes == 8 ? BIT(51) : 0) | (is_wrong(a) ? draw(a->chance) << 52 : 0);
	ask->operand = draw(a->chance);
	ask->compare = draw(a->chance) >> (bytes == 4 && !is_wrong(a) ? 32 : 0);
	put_header(a, ask, 28);
	put64(ask->packet + 12, ask->operand);
	put64(ask->packet + 20, ask->compare);
	ask->bytes = bytes;
	ask->good = ask->where >> 52 == 0 && operation < 3 && offset % bytes == 0 && may_reach(a, partition, offset, bytes);
}

/* The release of the partition that waits, or NULL. */
static const struct ask *waiting_release(const struct serve_asks *a, unsigned partition)
{
	for (unsigned i = 0; i < a->made[GLK_KIND_RELEASE]; i++) {
		const struct ask *ask = &a->asks[a->list[GLK_KIND_RELEASE][i]];

		if (ask->partition == partition && !ask->answered)
			return ask;
	}
	return NULL;
}

static void make_release(struct serve_asks *a, unsigned partition)
{
	struct ask *ask;
	uint32_t count = a->sent[partition];

	if (!one_in(a, 3))
		for (unsigned i = 0; i < 4 && waiting_release(a, partition); i++)
			partition = below(a->chance, a->partitions);
	count = a->sent[partition];
	if (one_in(a, 3))
		count -= below(a->chance, 4);
	else if (one_in(a, 3))
		count += below(a->chance, 4);
	if (one_in(a, 32))
		count -= below(a->chance, UINT32_MAX / 2);
	ask = new_ask(a, GLK_KIND_RELEASE, partition);
	ask->where = count;
	ask->good = is_open(a, partition);
	put_header(a, ask, 12);
}

void serve_asks_make(struct serve_asks *a)
{
	unsigned total = 0, pick, kind = 0, partition = any_partition(a);

	for (unsigned k = 0; k < GLK_KIND_COUNT; k++)
		total += a->mix[k];
	for (pick = below(a->chance, total); pick >= a->mix[kind]; kind++)
		pick -= a->mix[kind];
	switch (kind) {
	case GLK_KIND_FINEPACK:
		make_finepack(a, partition, is_wrong(a));
		break;
	case GLK_KIND_WRITE_REQUEST:
		make_write(a, partition);
		break;
	case GLK_KIND_READ_REQUEST:
		make_read(a, partition);
		break;
	case GLK_KIND_TRANSLATION_REQUEST:
		make_translation(a, partition);
		break;
	case GLK_KIND_ATOMIC_REQUEST:
		make_atomic(a, partition);
		break;
	default:
		make_release(a, partition);
		break;
	}
}

uint32_t serve_asks_ahead(const struct serve_asks *a, unsigned partition)
{
	const struct ask *release = waiting_release(a, partition);
	uint32_t ahead = release && is_open(a, partition) ? (uint32_t)release->where - a->sent[partition] : 0;

	return ahead >> 31 ? 0 : ahead;
}

/* --- pieces: of each class the kinds in any order, of a kind one packet behind the other --- */

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
			note_refusal(a, ask->partition);
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
		ask->failed_before = failed_before(a, ask->partition, ask->taken);
	arrive(a, ask);
}

void serve_asks_drive(struct serve_asks *a)
{
	show(a, &a->in->posted, GLK_CLASS_POSTED);
	show(a, &a->in->request, GLK_CLASS_REQUEST);
}

/* --- what the card is asked to do --- */

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

/* Plain writes of a packet; 0: it is refused. */
static unsigned apply(const struct serve_asks *a, const uint8_t *packet, size_t length)
{
	struct glk_destination destinations[SERVE_PARTITIONS] = { 0 };
	struct glk_accepted accepted;

	for (unsigned p = 0; p < a->partitions; p++) {
		destinations[p].bytes = endpoint_bytes(a, p);
		destinations[p].subheader_bytes = SUBHEADER;
	}
	writes_of_packet = 0;
	if (!glk_depacketizer_check(packet, length, destinations, a->partitions, &accepted))
		glk_depacketizer_apply(&accepted, count_write, NULL);
	return writes_of_packet;
}

/* The oldest of a kind that came, is good and has not been given to the receiver, or loaded. */
static int next_of(const struct serve_asks *a, unsigned kind)
{
	for (unsigned i = 0; i < a->sending[kind]; i++) {
		const struct ask *ask = &a->asks[a->list[kind][i]];

		if (ask->good && !ask->given && !ask->loaded)
			return (int)a->list[kind][i];
	}
	return -1;
}

static bool is_write(const struct serve_asks *a, const struct ask *ask, const uint8_t *packet, size_t length)
{
	return apply(a, packet, length) == 1 && packet[9] == ask->partition && write_offset == (ask->where & OFFSET_MASK) + ask->first &&
	       write_bytes == ask->bytes && memcmp(write_data, ask->packet + 12 + ask->first, write_bytes) == 0;
}

static struct serve_verdict see_packet(void *user, const uint8_t *packet, size_t length)
{
	struct serve_asks *a = user;
	int finepack = next_of(a, GLK_KIND_FINEPACK), write = next_of(a, GLK_KIND_WRITE_REQUEST);
	struct serve_verdict verdict = { .ask = -1, .partition = packet[9] % SERVE_PARTITIONS, .writes = apply(a, packet, length) };

	if (finepack >= 0 && a->asks[finepack].length == length && memcmp(a->asks[finepack].packet, packet, length) == 0)
		verdict.ask = finepack;
	else if (write >= 0 && is_write(a, &a->asks[write], packet, length))
		verdict.ask = write;
	if (verdict.ask >= 0) {
		struct ask *ask = &a->asks[verdict.ask];

		ask->given = true;
		ask->given_at = a->card->now;
		ask->failed_given = failed_before(a, ask->partition, a->card->now + 1);
		a->old_packets = 0;
	} else if (a->old_packets) {
		a->old_packets--;
	} else {
		wrong(a, "a packet for the receiver that none has sent");
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
	ask->over_at = a->card->now;
	ask->refused = verdict->writes == 0;
	ask->visible = a->card->posted[ask->partition];
	a->arrived[ask->partition]++;
	if (ask->kind != GLK_KIND_FINEPACK)
		return;
	if (ask->refused)
		note_refusal(a, ask->partition);
	else
		a->served++;
}

static struct ask *loading; /* a request, or NULL: of a session that is over */

static bool see_load(void *user, unsigned partition, uint64_t offset, unsigned length, bool locked, uint8_t line[64])
{
	struct serve_asks *a = user;
	int at = next_of(a, locked ? GLK_KIND_ATOMIC_REQUEST : GLK_KIND_READ_REQUEST);
	bool fails = below(a->chance, 1024) < a->card->fails;
	struct ask *ask = at < 0 ? NULL : &a->asks[at];

	loading = NULL;
	if (a->old_load) {
		a->old_load = false;
		return fails;
	}
	if (!ask) {
		wrong(a, "a load that nobody asked for");
		return fails;
	}
	if (ask->partition != partition)
		serve_asks_fault(a, "partition of a load", ask->partition, partition);
	if (ask->kind == GLK_KIND_ATOMIC_REQUEST)
		ask->first = (unsigned)(ask->where & (LINE - 1));
	if (offset != ((ask->where & OFFSET_MASK) / LINE * LINE) + ask->first)
		serve_asks_fault(a, "offset of a load", ((ask->where & OFFSET_MASK) / LINE * LINE) + ask->first, offset);
	if (length != ask->bytes)
		serve_asks_fault(a, "length of a load", ask->bytes, length);
	/* So that compare and swap often finds what it wants. */
	if (ask->kind == GLK_KIND_ATOMIC_REQUEST && one_in(a, 2))
		for (unsigned i = 0; i < ask->bytes; i++)
			line[ask->first + i] = (uint8_t)(ask->compare >> (8 * i));
	memcpy(ask->line, line, LINE);
	ask->failed_given = failed_before(a, ask->partition, a->card->now + 1);
	ask->loaded = true;
	ask->load_failed = fails;
	loading = ask;
	return fails;
}

static void see_loaded(void *user)
{
	struct serve_asks *a = user;
	struct ask *ask = loading;
	unsigned operation;

	if (!ask || ask->kind != GLK_KIND_ATOMIC_REQUEST)
		return;
	operation = ask->where >> 48 & 7;
	if (!ask->load_failed)
		for (unsigned i = 0; i < ask->bytes; i++)
			ask->old |= (uint64_t)ask->line[ask->first + i] << (8 * i);
	ask->writes = !ask->load_failed && (operation != 2 || ask->old == ask->compare);
	if (!ask->writes) {
		ask->over = true;
		ask->over_at = a->card->now;
		ask->visible = a->card->posted[ask->partition];
	}
}

static void see_write(void *user, unsigned partition, uint64_t offset, unsigned length, uint64_t data)
{
	struct serve_asks *a = user;
	uint64_t mask = length == 8 ? UINT64_MAX : UINT32_MAX, value;

	if (a->old_write) { /* begun before its session ended */
		a->old_write = false;
		return;
	}
	if (!loading || !loading->writes || loading->written) {
		wrong(a, "an atomic's write that nobody asked for");
		return;
	}
	value = (loading->where >> 48 & 7) == 0 ? loading->old + loading->operand : loading->operand;
	if (partition != loading->partition || offset != (loading->where & OFFSET_MASK) || length != loading->bytes)
		serve_asks_fault(a, "offset of an atomic's write", loading->where & OFFSET_MASK, offset);
	if ((data & mask) != (value & mask))
		serve_asks_fault(a, "an atomic's new value", value & mask, data & mask);
	loading->written = loading->over = true;
	loading->over_at = a->card->now;
	loading->visible = a->card->posted[partition];
}

static void see_fault(void *user, const char *what)
{
	wrong(user, what);
}

void serve_asks_user(struct serve_asks *a, struct serve_user *user)
{
	*user = (struct serve_user){ a, see_packet, see_over, see_load, see_loaded, see_write, see_fault };
}

/* --- when what waits can be answered --- */

static void settle(struct serve_asks *a)
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
			ask->counted_at = a->card->now;
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

/* --- answers --- */

static void check_status(struct serve_asks *a, const char *what, unsigned expected, unsigned got)
{
	if (expected != got)
		serve_asks_fault(a, what, expected, got);
}

static void check_read(struct serve_asks *a, const struct ask *ask, unsigned status, const uint8_t *data, unsigned length)
{
	static const unsigned codes[] = { [4] = 9, [8] = 10, [16] = 8, [32] = 11, [64] = 0 };

	if (!ask->good || !ask->loaded || ask->load_failed) {
		check_status(a, "status of a read", ask->good ? 2 : 1, status);
		if (ask->good && !ask->loaded)
			wrong(a, "a read is answered that did not load");
		if (length)
			serve_asks_fault(a, "bytes of a read's answer", 0, length);
		return;
	}
	check_status(a, "status of a read", codes[ask->bytes], status);
	if (length != ask->bytes || memcmp(data, ask->line + ask->first, length) != 0)
		serve_asks_fault(a, "bytes of a read's answer", ask->bytes, length);
	a->trimmed += LINE - ask->bytes;
}

static void check_translation(struct serve_asks *a, const struct ask *ask, unsigned status, const uint8_t *data)
{
	uint64_t bytes = 0;

	if (ask->good) {
		bytes = endpoint_bytes(a, ask->partition) - ask->where;
		if (bytes > OFFSET_MASK)
			bytes -= PAGE;
		bytes |= BIT(48) | BIT(49);
	}
	check_status(a, "status of a translation", ask->good ? 0 : 1, status);
	if (get64(data) != bytes)
		serve_asks_fault(a, "a translation", bytes, get64(data));
}

/* A failure that happened while a write or an atomic waited is told by it; by whom, is a question of a clock. */
static void check_visible(struct serve_asks *a, struct ask *ask, const char *what, unsigned status)
{
	unsigned surely = failed_before(a, ask->partition, ask->settled_at), perhaps = a->card->failed[ask->partition];

	if (!ask->settled)
		serve_asks_fault(a, "a write or an atomic is answered before it is visible", ask->visible, a->card->acknowledged[ask->partition]);
	for (unsigned i = 0; i < a->sending[ask->kind]; i++) {
		const struct ask *before = &a->asks[a->list[ask->kind][i]];

		if (before == ask)
			break;
		if (before->partition == ask->partition && !before->answered)
			wrong(a, "a write or an atomic is answered before an earlier one");
	}
	if (ask->load_failed || surely > ask->failed_given)
		check_status(a, what, 2, status);
	if (!ask->load_failed && perhaps == ask->failed_before)
		check_status(a, what, 0, status);
	if (status == 2)
		tell(&a->failures[ask->partition], surely, perhaps);
}

static void check_write(struct serve_asks *a, struct ask *ask, unsigned status)
{
	if (!ask->good || (ask->over && ask->refused))
		check_status(a, "status of a write", 1, status);
	else
		check_visible(a, ask, "status of a write", status);
}

static void check_atomic(struct serve_asks *a, struct ask *ask, unsigned status, const uint8_t *data)
{
	if (!ask->good)
		check_status(a, "status of an atomic", 1, status);
	else
		check_visible(a, ask, "status of an atomic", status);
	if (get64(data) != ask->old)
		serve_asks_fault(a, "an atomic's old value", ask->old, get64(data));
	if (ask->writes && !ask->written)
		wrong(a, "an atomic is answered that did not write");
}

/* Another release of the partition is under way; `surely`: it cannot have been answered by then. */
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

/* A release lets go first who waited for what it wrote before it was counted, give or take some clocks: who tells of failures too. */
static void check_turn(struct serve_asks *a, const struct ask *release)
{
	for (unsigned i = 0; i < a->count; i++) {
		const struct ask *ask = &a->asks[i];

		if ((ask->kind == GLK_KIND_WRITE_REQUEST || ask->kind == GLK_KIND_ATOMIC_REQUEST) && ask->partition == release->partition &&
		    ask->over && !ask->answered && !ask->refused && ask->over_at + 4 <= release->counted_at)
			serve_asks_fault(a, "a release is answered before a write that it waits with", ask->tag, release->tag);
	}
}

static void check_released(struct serve_asks *a, struct ask *ask, unsigned status)
{
	struct told *failures = &a->failures[ask->partition], *refusals = &a->refusals[ask->partition];
	unsigned failed, refused, failed_all = a->card->failed[ask->partition], refused_all = a->refused[ask->partition];
	bool surely, second = is_second(a, ask, &surely);

	if (!ask->good || surely || (second && status == 1)) {
		check_status(a, "status of a release", 1, status);
		ask->refused = true;
		return;
	}
	ask->given_at = a->card->now; /* when its place was free again, at the latest */
	if (!ask->settled) {
		serve_asks_fault(a, "a release is answered too early", ask->where, a->arrived[ask->partition]);
		return;
	}
	check_turn(a, ask);
	failed = failed_before(a, ask->partition, ask->settled_at);
	refused = refused_before(a, ask->partition, ask->settled_at);
	if (failed > failures->most || refused > refusals->most)
		check_status(a, "status of a release behind a failure", 2, status);
	if (failed_all <= failures->least && refused_all <= refusals->least)
		check_status(a, "status of a release", 0, status);
	if (status == 1)
		wrong(a, "a release is refused");
	if (status == 2) {
		tell(failures, failed, failed_all);
		tell(refusals, refused, refused_all);
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
		[GLK_KIND_READ_RESPONSE] = GLK_KIND_READ_REQUEST,     [GLK_KIND_WRITE_RESPONSE] = GLK_KIND_WRITE_REQUEST,
		[GLK_KIND_RELEASED] = GLK_KIND_RELEASE,		      [GLK_KIND_TRANSLATION_RESPONSE] = GLK_KIND_TRANSLATION_REQUEST,
		[GLK_KIND_ATOMIC_RESPONSE] = GLK_KIND_ATOMIC_REQUEST,
	};
	size_t length = glk_link_packet_bytes((enum glk_kind)kind, packet);
	unsigned status = packet[1] >> 4;
	struct ask *ask;

	if (kind >= GLK_KIND_COUNT || !requests[kind] || (packet[0] & 31) != kind || !length) {
		serve_asks_fault(a, "header of an answer", kind, packet[0]);
		return;
	}
	ask = asked_by(a, (uint16_t)(packet[2] | packet[3] << 8), requests[kind]);
	if (!ask) {
		serve_asks_fault(a, "an answer that nobody waits for", 0, (uint64_t)kind << 16 | packet[2] | (uint64_t)packet[3] << 8);
		return;
	}
	if (flits != (length + 15) / 16)
		serve_asks_fault(a, "flits of an answer", (length + 15) / 16, flits);
	for (size_t i = length; i < 16u * flits && i < sizeof(a->answer); i++)
		if (packet[i])
			serve_asks_fault(a, "behind the end of an answer", 0, packet[i]);
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

void serve_asks_see(struct serve_asks *a, const struct serve_out *out)
{
	if (a->session_was && !a->in->session) {
		a->old_load = out->load_valid;
		a->old_write = out->write_valid;
	}
	a->session_was = a->in->session;
	settle(a);
	if (a->in->posted.valid && out->posted_ready)
		taken(a, &a->in->posted);
	if (a->in->request.valid && out->request_ready)
		taken(a, &a->in->request);
	a->e_served += out->served;
	a->e_denied += out->denied;
	a->e_malformed += out->malformed;
	a->e_trimmed += out->trimmed ? out->trimmed_bytes : 0;
	if (!a->in->session) {
		a->answer_length = 0;
		return;
	}
	if (!out->answer_valid || !a->in->answer_ready)
		return;
	if (a->answer_length + 16 > sizeof(a->answer)) {
		wrong(a, "an answer is too long");
		return;
	}
	memcpy(a->answer + a->answer_length, out->answer, 16);
	a->answer_length += 16;
	if (!out->answer_last)
		return;
	check_answer(a, out->answer_kind, a->answer, a->answer_length / 16);
	a->answer_length = 0;
}

/* --- sessions --- */

void serve_asks_begin(struct serve_asks *a)
{
	for (unsigned i = 0; i < SERVE_GIVEN; i++)
		a->card->given[i].verdict.ask = -1;
	loading = NULL;
	a->count = a->unsettled = 0;
	memset(a->made, 0, sizeof(a->made));
	memset(a->sending, 0, sizeof(a->sending));
	memset(a->at, 0, sizeof(a->at));
	memset(a->sent, 0, sizeof(a->sent));
	memset(a->arrived, 0, sizeof(a->arrived));
	memset(a->refused, 0, sizeof(a->refused));
	memset(a->refusals, 0, sizeof(a->refusals));
	for (unsigned p = 0; p < SERVE_PARTITIONS; p++)
		a->failures[p] = (struct told){ a->card->failed[p], a->card->failed[p] };
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
		serve_asks_fault(a, "bytes trimmed", a->trimmed, a->e_trimmed);
}
