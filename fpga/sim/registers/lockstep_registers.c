// SPDX-License-Identifier: Apache-2.0
/*
 * Lock-step co-simulation of the registers: random accesses to the blocks CARD, PARTITION and LINK of a card with a link and of
 * one without. Model and RTL must read the same values, refuse the same accesses, send requests to the other card at the same
 * accesses, and hold the same settings of partitions of kind link. Effects of an active link (writes in flight, answers, ups
 * and downs) are injected into both.
 *
 * lockstep-registers [--seed N] [--accesses N] [--round N] [--wave FILE]
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <base/options.h>
#include <card/state.h>
#include <chance.h>
#include <tap.h>

#include "quiet_card.h"
#include "registers_dut.h"

enum { PATIENCE = 2000, STILL = 48 /* clocks until STATUS.IDLE is set */, P = REGISTERS_PARTITIONS };

#define FIRST_COUNTER ((GLK_LINK_COUNTER_FIRST - GLK_BLOCK_LINK) / 8)

static struct {
	struct registers_dut *dut;
	struct glk_card *card;
	struct chance chance;
	struct registers_in in;
	struct registers_out out;
	unsigned asks[P], turns[P];
	uint64_t refused, crc, ups, downs, latched[3];
	uint64_t clocks, reads, writes, all_refused, all_asks, links;
	char failure[256];
} t;

static void fail(const char *what, unsigned where, uint64_t expected, uint64_t got)
{
	if (!t.failure[0])
		snprintf(t.failure, sizeof(t.failure), "link %u, clock %" PRIu64 ", %x: %s: expected %" PRIx64 ", got %" PRIx64, t.in.link,
			 t.clocks, where, what, expected, got);
}

static void clock_once(void)
{
	registers_dut_clock(t.dut, &t.in, &t.out);
	t.clocks++;
	t.refused += t.out.refused;
	if (t.out.ask)
		t.asks[t.out.ask_partition]++;
	t.in.e_up = t.in.e_down = t.in.e_crc = false;
}

/* State of the model, applied to the RTL inputs. */
static void show_state(void)
{
	for (unsigned p = 0; p < P; p++) {
		const struct glk_endpoint *e = &t.card->endpoints.of[p];

		t.in.unacknowledged[p] = (uint32_t)(e->posted - e->acknowledged);
		t.in.remote_bytes[p] = t.in.link && e->kind == GLK_EP_LINK ? t.card->remote.of[p].bytes : draw(&t.chance);
	}
}

/* --- accesses --- */

static uint64_t access_logic(bool write, bool poisoned, unsigned offset, unsigned size, uint64_t data)
{
	unsigned waited;

	t.in.x.valid = true;
	t.in.x.write = write;
	t.in.x.poisoned = poisoned;
	t.in.x.offset = offset;
	t.in.x.size = size;
	t.in.x.data = data;
	for (waited = 0; waited < PATIENCE; waited++) {
		clock_once();
		if (t.out.x_ready)
			t.in.x.valid = false;
		if (write ? t.out.x_ready : t.out.y_valid)
			break;
	}
	if (waited == PATIENCE)
		fail("clocks of an access", offset, 0, waited);
	return t.out.y_data;
}

static bool is_counter(unsigned offset, uint64_t *count)
{
	unsigned whole = offset & ~7u;

	*count = 0;
	if (!t.in.link || offset / GLK_PAGE_SIZE != GLK_BLOCK_LINK / GLK_PAGE_SIZE ||
	    (whole - GLK_BLOCK_LINK) / 8 < FIRST_COUNTER)
		return false;
	*count = whole == GLK_LINK_CRC_ERRORS ? t.latched[0] :
		 whole == GLK_LINK_UPS	      ? t.latched[1] :
		 whole == GLK_LINK_DOWNS      ? t.latched[2] :
						0;
	return true;
}

/* Bits that may differ: the model has block CAPTURE. */
static uint64_t ignored(unsigned offset)
{
	switch (offset & ~7u) {
	case GLK_CARD_FEATURES:
		return GLK_CARD_FEATURES_CAPTURE_MASK;
	case GLK_BLOCK_LINK:
		return UINT64_MAX << 32; /* NEXT */
	case GLK_CARD_ERR_CONFIG: /* the bench has only the link's counters */
		return UINT64_MAX;
	default:
		return 0;
	}
}

static void read_both(unsigned offset, unsigned size)
{
	uint64_t expected, got, mask, counter;

	if ((offset & ~7u) == GLK_CARD_STATUS)
		for (unsigned i = 0; i < STILL; i++)
			clock_once();
	glk_card_register_read(t.card, offset, 1u << size, &expected);
	if (is_counter(offset, &counter))
		expected = size == 3 ? counter : counter >> (8 * (offset % 8)) & ((UINT64_C(1) << (8u << size)) - 1);
	got = access_logic(false, false, offset, size, 0);
	mask = ~(ignored(offset) >> (8 * (offset % 8)));
	t.reads++;
	if ((expected & mask) != (got & mask))
		fail("reads", offset, expected, got);
}

static void check_partitions(unsigned offset)
{
	for (unsigned p = 0; p < P; p++) {
		const struct glk_remote_partition *remote = t.in.link ? &t.card->remote.of[p] : NULL;
		unsigned asks = remote ? (uint16_t)(remote->turn - t.turns[p]) : 0;

		if (t.out.partitions[p].kind != t.card->endpoints.of[p].kind)
			fail("endpoint kind", offset, t.card->endpoints.of[p].kind, t.out.partitions[p].kind);
		if (t.out.partitions[p].remote != (t.card->endpoints.of[p].kind == GLK_EP_LINK))
			fail("partition is of kind link", offset, !t.out.partitions[p].remote, t.out.partitions[p].remote);
		if (t.out.partitions[p].open != t.card->partitions[p].open)
			fail("partition is open", offset, t.card->partitions[p].open, t.out.partitions[p].open);
		if (t.out.partitions[p].bound != (remote && remote->bound))
			fail("partition is bound", offset, remote && remote->bound, t.out.partitions[p].bound);
		if (remote && remote->bound && t.out.partitions[p].remote_partition != remote->partition)
			fail("remote partition", offset, remote->partition, t.out.partitions[p].remote_partition);
		if (t.asks[p] != asks)
			fail("asks", offset, asks, t.asks[p]);
		t.all_asks += asks;
		t.asks[p] = 0;
		t.turns[p] = remote ? remote->turn : 0;
	}
}

static void end_reset(void)
{
	for (unsigned i = 0; i < PATIENCE && !(access_logic(false, false, GLK_CARD_STATUS, 3, 0) & GLK_CARD_STATUS_READY_MASK);
	     i++)
		;
	if (!t.in.up)
		return;
	t.in.up = t.card->link.up = t.in.session = t.card->link.session = false;
	t.in.e_down = true; /* by the reset: sets no cause bit */
	t.downs++;
	clock_once();
}

static void write_both(unsigned offset, unsigned size, uint64_t value, bool poisoned)
{
	uint64_t refused = t.card->common.counters.value[GLK_CARD_COUNTER(ERR_CONFIG)], generation = t.card->common.generation;

	t.refused = 0;
	if (poisoned)
		glk_card_register_poisoned(t.card, offset, 1u << size);
	else
		glk_card_register_write(t.card, offset, 1u << size, value);
	refused = t.card->common.counters.value[GLK_CARD_COUNTER(ERR_CONFIG)] - refused;
	access_logic(true, poisoned, offset, size, value);
	if (t.card->common.generation != generation)
		end_reset();
	if ((offset & ~7u) == GLK_CARD_SNAPSHOT && !poisoned) {
		t.latched[0] = t.crc;
		t.latched[1] = t.ups;
		t.latched[2] = t.downs;
	}
	clock_once();
	clock_once();
	t.writes++;
	t.all_refused += refused;
	t.links += t.card->endpoints.of[0].kind == GLK_EP_LINK;
	if (t.refused != refused)
		fail("refused", offset, refused, t.refused);
	check_partitions(offset);
	if (t.in.link && t.out.control != t.card->link.control)
		fail("LINK.CONTROL", offset, t.card->link.control, t.out.control);
}

/* --- random choice of accesses --- */

static uint64_t partition_value(unsigned reg)
{
	switch (reg) {
	case GLK_PARTITION_EP_KIND:
		if (below(&t.chance, 3))
			return below(&t.chance, 2) ? GLK_EP_LINK : GLK_EP_NONE;
		return below(&t.chance, 8) ? below(&t.chance, 4) : draw(&t.chance) % 64;
	case GLK_PARTITION_EP_BASE:
		return below(&t.chance, 8) ? (uint64_t)below(&t.chance, 4) << 12 : UINT64_C(1) << (8 + below(&t.chance, 56));
	case GLK_PARTITION_EP_BYTES:
		return below(&t.chance, 8) ? 4096 * (1 + below(&t.chance, 16)) : UINT64_C(1) << (8 + below(&t.chance, 56));
	case GLK_PARTITION_MODE:
		return below(&t.chance, 40);
	case GLK_PARTITION_SUBHEADER_BYTES:
		return below(&t.chance, 8);
	case GLK_PARTITION_MAX_PAYLOAD_BYTES:
		return UINT64_C(1) << below(&t.chance, 16);
	default:
		return draw(&t.chance) % (GLK_TIMEOUT_MAX_NS + GLK_TIMEOUT_MAX_NS / 2);
	}
}

static unsigned some_offset(uint64_t *value)
{
	static const unsigned headers[] = { GLK_BLOCK_CARD,    GLK_BLOCK_PARTITION, GLK_BLOCK_WINDOW, GLK_BLOCK_REGISTRATION,
					    GLK_BLOCK_CONTEXT, GLK_BLOCK_DOORBELL,  GLK_BLOCK_LINK,   GLK_BLOCK_LINK + 0x1000 };
	unsigned word;

	*value = draw(&t.chance) >> below(&t.chance, 64);
	switch (below(&t.chance, 20)) {
	case 0:
		return headers[below(&t.chance, t.in.link ? 7 : 8)];
	case 1:
		word = below(&t.chance, 24);
		return 8 * (word == GLK_CARD_DRAIN / 8 ? 1 : word);
	case 2:
		*value = below(&t.chance, 8) ? below(&t.chance, 2) : below(&t.chance, 4);
		return GLK_CARD_CONTROL;
	case 3:
		return GLK_CARD_ERROR_CAUSE;
	case 4:
		return GLK_CARD_SNAPSHOT;
	case 5:
	case 6:
	case 7:
		word = below(&t.chance, 4) ? below(&t.chance, 12) : below(&t.chance, 512);
		return GLK_BLOCK_LINK + 8 * word == GLK_LINK_STATUS || GLK_BLOCK_LINK + 8 * word == GLK_LINK_PEER_SERIAL
			       ? GLK_LINK_CONTROL /* the model has no peer: test_link_registers.c covers these */
			       : GLK_BLOCK_LINK + 8 * word;
	case 8:
		word = below(&t.chance, 64);
		return GLK_PARTITION_ARRAY + below(&t.chance, 16) * GLK_PARTITION_STRIDE + 8 * word;
	default:
		word = below(&t.chance, 2) ? below(&t.chance, 3) + GLK_PARTITION_EP_KIND / 8 : below(&t.chance, 9);
		*value = partition_value(8 * word);
		return GLK_PARTITION_ARRAY + below(&t.chance, P) * GLK_PARTITION_STRIDE + 8 * word;
	}
}

static void access_both(void)
{
	uint64_t value;
	unsigned offset = some_offset(&value), size = below(&t.chance, 4) ? 3 : below(&t.chance, 4);

	if (size < 3)
		offset += below(&t.chance, 8) & ~((1u << size) - 1);
	if (below(&t.chance, 3))
		write_both(offset, size, value, below(&t.chance, 64) == 0);
	else
		read_both(offset, size);
	if (t.in.link && (offset & ~7u) == GLK_CARD_SNAPSHOT) /* immediately: the counters must be valid */
		read_both(below(&t.chance, 2) ? GLK_LINK_CRC_ERRORS : GLK_LINK_UPS, 3);
}

/* --- events --- */

static void change_link(void)
{
	bool up = !t.in.up;

	t.in.up = t.card->link.up = up;
	t.in.session = t.card->link.session = up || below(&t.chance, 2);
	t.card->common.error_cause |= GLK_CARD_ERROR_CAUSE_LINK_MASK;
	*(up ? &t.in.e_up : &t.in.e_down) = true;
	*(up ? &t.ups : &t.downs) += 1;
	clock_once();
}

static void happen(void)
{
	unsigned p = below(&t.chance, P);
	struct glk_endpoint *e = &t.card->endpoints.of[p];

	if (below(&t.chance, 4) == 0)
		e->posted = e->acknowledged + (below(&t.chance, 2) ? 1 + below(&t.chance, 1000) : 0);
	if (!t.in.link)
		return;
	if (below(&t.chance, 16) == 0)
		change_link();
	if (below(&t.chance, 4) == 0 && e->kind == GLK_EP_LINK)
		t.card->remote.of[p].bytes = GLK_PARTITION_REMOTE_BYTES_ANSWERED_MASK | draw(&t.chance) >> 16;
	t.in.e_crc = below(&t.chance, 2);
	t.crc += t.in.e_crc;
	clock_once();
}

/* The chain of block headers contains block LINK if there is a link. */
static void follow_blocks(void)
{
	unsigned offset = 0, blocks = 0;

	do {
		offset = (unsigned)(access_logic(false, false, offset, 3, 0) >> 32);
		blocks++;
	} while (offset && blocks < 16);
	if (blocks != (t.in.link ? 7u : 6u))
		fail("blocks", 0, t.in.link ? 7 : 6, blocks);
}

static void run(bool link, uint64_t accesses, const char *wave)
{
	struct glk_card_config config;

	quiet_card_config(&config, link);
	config.partitions = P;
	config.queue_entries = 16;
	config.contexts = 4;
	config.slices = 16;
	config.slice_shift = 13;
	config.registrations = 8;
	config.vectors = 5;
	config.cluster = (uint8_t)below(&t.chance, 256);
	config.serial = draw(&t.chance);
	config.pool_bytes = 1 << 16;
	t.card = quiet_card_create(&config);
	memset(&t.in, 0, sizeof(t.in));
	memset(t.turns, 0, sizeof(t.turns));
	memset(t.latched, 0, sizeof(t.latched));
	t.crc = t.ups = t.downs = 0;
	t.in.link = link;
	t.in.cluster = config.cluster;
	t.in.serial = config.serial;
	t.in.pool_bytes = config.pool_bytes;
	t.dut = registers_dut_create(&t.in, wave);
	show_state();
	while (!(access_logic(false, false, GLK_CARD_STATUS, 3, 0) & GLK_CARD_STATUS_READY_MASK) && t.clocks < PATIENCE)
		;
	follow_blocks();
	for (uint64_t i = 0; i < accesses && !t.failure[0]; i++) {
		happen();
		show_state();
		access_both();
	}
	registers_dut_destroy(t.dut);
	glk_card_destroy(t.card);
}

int main(int argc, char **argv)
{
	const struct bench_options o = bench_options(argc, argv, "accesses", 40000);

	chance_start(&t.chance, o.seed, o.first);
	run(false, o.amount, o.wave);
	if (!t.failure[0])
		run(true, o.amount, o.wave);
	printf("# seed %" PRIu64 ": %" PRIu64 " clocks, %" PRIu64 " reads, %" PRIu64 " writes, %" PRIu64 " refused, %" PRIu64 " asks, partition 0 of kind link after %" PRIu64
	       "\n", o.seed, t.clocks, t.reads, t.writes, t.all_refused, t.all_asks, t.links);
	if (t.failure[0])
		bench_reproduce(&o, o.first, t.failure);
	check(!t.failure[0], "model and RTL registers match");
	return tap_end();
}
