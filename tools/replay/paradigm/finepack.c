// SPDX-License-Identifier: Apache-2.0
/*
 * Six paradigms that use the card model's partition:
 * finepack: FinePack as published: one window per destination, one sub-header width.
 * packing: the same with MODE.PACKING: the queue leaves when its lines are full, in as many packets as it takes.
 * packing-compact: packing with MODE.COMPACT: the same packets, in the compact form where that takes less; what a card sends
 * out of the box.
 * config-packet: the alternative of the paper's discussion (VI-B). A configuration packet sets the fields that the following
 * store packets share. Each of these still carries an address and a length, like a sub-header, and its own sequence number,
 * LCRC and ECRC: 10 bytes more.
 * compact (model only): the compact form (compact.h). The queue collects in the widest window, in twice as many lines of half
 * the size; each run is encoded by its distance from the previous one, or as a repetition.
 * narrow (model only): the widest window, and per packet the smallest sub-header width that covers its stores.
 */
#include <stdlib.h>

#include "direct.h"
#include "finepack/depacketizer.h"
#include "finepack/partition.h"
#include "hops.h"

enum { CONFIG_PACKET_EXTRA = 10 };
_Static_assert((unsigned)TALLY_REASONS == GLK_FLUSH_COUNT, "a tally has all flush reasons");

struct finepack {
	struct direct direct; /* first: direct_tally() is used on this */
	struct glk_partition partition;
	unsigned sub_packet_extra; /* wire bytes of each sub-packet, beside those of the packet */
	bool card;		   /* which writes the packets' runs */
};

static void finepack_written(void *user, unsigned partition, uint64_t offset, const void *data, size_t length)
{
	struct direct *d = user;

	(void)partition;
	(void)data;
	d->tally.writes.bytes += link_write(&d->link, offset, length, &d->tally.writes.transactions);
	d->tally.written_beats += card_beats(offset, length);
}

/* As the card that gets the packet: all that these partitions send is accepted. */
static void finepack_write(struct finepack *f, const uint8_t *packet, size_t length)
{
	const struct glk_destination destination = {
		.bytes = 1ULL << GLK_LINK_PARTITION_SHIFT,
		.subheader_bytes = (unsigned)glk_partition_get(&f->partition, GLK_PARTITION_SUBHEADER_BYTES),
		.compact = true,
	};
	struct glk_accepted accepted;

	if (glk_depacketizer_check(packet, length, &destination, 1, &accepted) == GLK_REFUSED_NOT)
		glk_depacketizer_apply(&accepted, finepack_written, &f->direct);
}

static void finepack_packet_out(void *user, const uint8_t *packet, size_t length, unsigned reason)
{
	struct finepack *f = user;
	const uint64_t *counted = f->partition.counters.value;
	uint64_t sub_packets = counted[GLK_PARTITION_COUNTER(SUB_PACKETS)] - f->direct.tally.sub_packets;

	if (f->card)
		finepack_write(f, packet, length);
	f->direct.tally.packed_bytes += length;
	if (f->direct.flits)
		f->direct.tally.flit_bytes += hops_flits_of_packet(length);
	f->direct.tally.packets++;
	f->direct.tally.left[reason]++;
	f->direct.tally.sub_packets += sub_packets;
	f->direct.tally.wire_bytes += link_packet(&f->direct.link, length - GLK_PACKET_HEADER_BYTES);
	if (f->sub_packet_extra) {
		f->direct.tally.wire_bytes += f->sub_packet_extra * sub_packets;
		f->direct.tally.packets += sub_packets;
		if (f->direct.flits)
			f->direct.tally.flit_bytes += f->sub_packet_extra * sub_packets;
	}
}

static struct finepack *finepack_make(const struct setting *setting, unsigned width, enum glk_packet_form form)
{
	struct finepack *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->direct = (struct direct){ .link = setting->link, .flits = setting->flits };
	f->card = topology_has_card(setting->topology);
	glk_partition_init(&f->partition, setting->queue_entries, finepack_packet_out, f);
	if (glk_partition_set(&f->partition, GLK_PARTITION_MODE, GLK_PARTITION_MODE_PAPER) ||
	    glk_partition_set(&f->partition, GLK_PARTITION_SUBHEADER_BYTES, width) ||
	    glk_partition_set(&f->partition, GLK_PARTITION_MAX_PAYLOAD_BYTES, setting->link.payload_bytes)) {
		free(f);
		return NULL;
	}
	glk_partition_set_form(&f->partition, form);
	return f;
}

static void *create(const struct setting *setting)
{
	return finepack_make(setting, setting->subheader_bytes, GLK_FORM_PLAIN);
}

static struct finepack *make_packing(const struct setting *setting, uint64_t more)
{
	struct finepack *f = finepack_make(setting, setting_packing_subheader(setting), GLK_FORM_PLAIN);

	if (f)
		glk_partition_set(&f->partition, GLK_PARTITION_MODE,
				  GLK_PARTITION_MODE_PAPER | GLK_PARTITION_MODE_PACKING_MASK | more);
	return f;
}

static void *create_packing(const struct setting *setting)
{
	return make_packing(setting, 0);
}

static void *create_packing_compact(const struct setting *setting)
{
	return make_packing(setting, GLK_PARTITION_MODE_COMPACT_MASK);
}

/* A configuration packet replaces each FinePack packet's header, and every sub-packet adds its own link overhead. */
static void *create_config_packet(const struct setting *setting)
{
	struct finepack *f = finepack_make(setting, setting->subheader_bytes, GLK_FORM_PLAIN);

	if (f)
		f->sub_packet_extra = CONFIG_PACKET_EXTRA;
	return f;
}

static void *create_compact(const struct setting *setting)
{
	return finepack_make(setting, GLK_SUBHEADER_MAX, GLK_FORM_COMPACT);
}

static void *create_narrow(const struct setting *setting)
{
	return finepack_make(setting, GLK_SUBHEADER_MAX, GLK_FORM_NARROW);
}

/* The tally counts bytes only; their values do not matter. */
static const uint8_t data[GLK_LINE_BYTES];

static void finepack_store(void *state, uint64_t address, uint32_t size)
{
	struct finepack *f = state;

	glk_partition_store(&f->partition, address, data, size, 0, 0);
}

static void finepack_load(void *state, uint64_t address, uint32_t size)
{
	struct finepack *f = state;

	glk_partition_flush_hit(&f->partition, address, size, GLK_FLUSH_LOAD_HIT);
}

static void finepack_release(void *state)
{
	struct finepack *f = state;

	glk_partition_flush(&f->partition, GLK_FLUSH_RELEASE);
	f->direct.tally.data_bytes = f->partition.counters.value[GLK_PARTITION_COUNTER(STORE_BYTES)] -
				     f->partition.counters.value[GLK_PARTITION_COUNTER(OVERWRITTEN_BYTES)];
}

#define FINEPACK(name_, label_, summary_, create_)                                                                             \
	.name = (name_), .label = (label_), .summary = (summary_), .create = (create_), .free = free, .store = finepack_store, \
	.load = finepack_load, .copy = direct_nothing, .release = finepack_release, .tally = direct_tally,                     \
	.packer = PACKER_LOGIC

const struct paradigm paradigm_finepack = {
	FINEPACK("finepack", "finepack", "FinePack as published: one address window, one sub-header width", create)
};
const struct paradigm paradigm_packing = {
	FINEPACK("packing", "packing",
		 "what a card sends with set-format subheader: when its lines are full, in several packets", create_packing),
	.form = CARD_PACKING
};
const struct paradigm paradigm_packing_compact = {
	FINEPACK("packing-compact", "packing-compact",
		 "what a card sends by default: packing, in the compact form where that takes less", create_packing_compact),
	.form = CARD_COMPACT
};
const struct paradigm paradigm_compact = {
	FINEPACK("compact", "compact (model only)", "sorted runs encoded by distance, in queue lines of 64 bytes",
		 create_compact),
	.form = CARD_COMPACT,
	.alias = "gpulink",
	.model_only = true,
};
const struct paradigm paradigm_config_packet = {
	FINEPACK("config-packet", "config-packet", "a stateful configuration packet, then small packets", create_config_packet)
};
const struct paradigm paradigm_narrow = {
	FINEPACK("narrow", "narrow (model only)", "FinePack with the smallest sufficient sub-header width per packet",
		 create_narrow),
	.model_only = true,
};
