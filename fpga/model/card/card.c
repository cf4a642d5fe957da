// SPDX-License-Identifier: Apache-2.0
/* The card: its parts and how they are connected, and the functions of card.h, which each call one part. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "card/state.h"
#include "finepack/depacketizer.h"
#include "window/aperture.h"

#define SLICE_SHIFT_MIN 12u
#define SLICE_SHIFT_MAX 30u
#define VECTORS_MAX	64u
#define TSU_SETS_MAX	32768u
#define TSU_WAYS_MAX	128u
#define TSU_TS_BITS_MIN 5u /* the reset values of the leases fit */
#define PACKING_MODES	(GLK_PARTITION_MODE_PACKING_MASK | GLK_PARTITION_MODE_COMPACT_MASK)

void glk_card_config_default(struct glk_card_config *config)
{
	*config = (struct glk_card_config){
		.partitions = 16,
		.queue_entries = 64,
		.contexts = 32,
		.slices = 1024,
		.slice_shift = 20,
		.registrations = 1024,
		.regions = GLK_REGION_COUNT,
		.chunks = GLK_CHUNK_COUNT,
		.vectors = 33,
		.loopback = true,
		.pool_bytes = 16u << 20,
		.tsu_sets = 1024,
		.tsu_ways = 8,
		.tsu_ts_bits = 32,
		.serial = 1,
	};
}

static bool between(unsigned value, unsigned least, unsigned most)
{
	return value >= least && value <= most;
}

static bool power_of_two(unsigned value, unsigned most)
{
	return value && value <= most && !(value & (value - 1));
}

static bool tsu_valid(const struct glk_card_config *c)
{
	return !c->tsu_sets || (power_of_two(c->tsu_sets, TSU_SETS_MAX) && power_of_two(c->tsu_ways, TSU_WAYS_MAX) &&
				between(c->tsu_ts_bits, TSU_TS_BITS_MIN, GLK_TSU_TS_BITS_MAX));
}

static bool config_valid(const struct glk_card_config *c)
{
	const struct glk_card_ops *ops = c->ops;

	return between(c->partitions, 1, GLK_PARTITION_COUNT) &&
	       (c->queue_entries == 16 || c->queue_entries == 32 || c->queue_entries == 64) &&
	       between(c->contexts, 1, GLK_CONTEXT_COUNT) && between(c->slices, 1, GLK_WINDOW_COUNT) &&
	       between(c->slice_shift, SLICE_SHIFT_MIN, SLICE_SHIFT_MAX) &&
	       between(c->registrations, 1, GLK_REGISTRATION_COUNT) && c->regions <= GLK_REGION_COUNT &&
	       (c->regions == 0 || between(c->chunks, 1, GLK_CHUNK_COUNT)) && between(c->vectors, 1, VECTORS_MAX) &&
	       c->pool_bytes % GLK_PAGE_SIZE == 0 && tsu_valid(c) && ops && ops->dma_read && ops->dma_write &&
	       ops->endpoint_write && ops->endpoint_read && ops->link_send && ops->interrupt &&
	       (!c->link || (ops->link_wait && c->link_session));
}

/* --- how the parts are connected --- */

static void card_packet_out(void *user, const uint8_t *packet, size_t length, unsigned reason)
{
	struct glk_card *card = user;
	unsigned partition = packet[GLK_PACKET_PARTITION];

	(void)reason; /* the partition counts it; packets do not carry it */
	if (glk_endpoint_is_link(&card->endpoints, partition)) {
		glk_remote_send(&card->remote, partition, packet, length);
		return;
	}
	card->common.config.ops->link_send(card->common.config.platform, packet, length);
}

static void on_acknowledged(void *user, unsigned partition)
{
	struct glk_card *card = user;

	glk_regions_acknowledged(&card->regions);
	glk_releases_progress(&card->releases);
	if (card->common.config.link)
		glk_serve_acknowledged(&card->serve, partition);
}

static int bind_remote(void *user, unsigned partition)
{
	struct glk_card *card = user;

	return glk_remote_bind(&card->remote, partition);
}

static void unbind_remote(void *user, unsigned partition)
{
	struct glk_card *card = user;

	glk_remote_unbind(&card->remote, partition);
}

static void make_way(void *user, unsigned partition)
{
	struct glk_card *card = user;

	glk_remote_make_way(&card->remote, partition);
}

static int load_remote(void *user, unsigned partition, uint64_t offset, void *data, size_t len)
{
	struct glk_card *card = user;

	return glk_remote_load(&card->remote, partition, offset, data, len);
}

static const struct glk_endpoint_ops endpoint_ops = {
	.acknowledged = on_acknowledged,
	.bind = bind_remote,
	.unbind = unbind_remote,
	.make_way = make_way,
	.load = load_remote,
};

static void on_link_packet(void *user, enum glk_kind kind, const uint8_t *packet, size_t length, unsigned pieces)
{
	struct glk_card *card = user;

	if (glk_kind_class(kind) == GLK_CLASS_RESPONSE)
		glk_remote_packet(&card->remote, packet, length, pieces);
	else
		glk_serve_packet(&card->serve, kind, packet, length, pieces);
}

static void card_push(void *user)
{
	struct glk_card *card = user;

	glk_serve_push(&card->serve);
	glk_remote_push(&card->remote);
}

static void on_session_begins(void *user)
{
	struct glk_card *card = user;

	glk_serve_reset(&card->serve);
	glk_remote_session_begins(&card->remote);
}

static void on_session_ends(void *user)
{
	struct glk_card *card = user;

	glk_serve_reset(&card->serve);
	glk_remote_session_ends(&card->remote);
}

static const struct glk_card_link_ops link_ops = {
	.packet = on_link_packet,
	.push = card_push,
	.session_begins = on_session_begins,
	.session_ends = on_session_ends,
};

static void card_reset(void *user)
{
	glk_card_reset(user);
}

static void connect(struct glk_card *card)
{
	struct glk_common *common = &card->common;

	card->endpoints.common = common;
	card->endpoints.partitions = card->partitions;
	card->endpoints.pool = &card->pool;
	card->endpoints.ops = &endpoint_ops;
	card->endpoints.user = card;

	card->windows.common = common;
	card->windows.endpoints = &card->endpoints;
	card->windows.contexts = card->contexts;

	card->remote.common = common;
	card->remote.link = &card->link;
	card->remote.endpoints = &card->endpoints;

	card->serve.common = common;
	card->serve.link = &card->link;
	card->serve.endpoints = &card->endpoints;

	card->releases.common = common;
	card->releases.endpoints = &card->endpoints;
	card->releases.remote = &card->remote;
	card->releases.regions = &card->regions;
	card->releases.windows = &card->windows;
	card->releases.contexts = card->contexts;

	card->registrations.common = common;

	card->rings.common = common;
	card->rings.contexts = card->contexts;
	card->rings.releases = &card->releases;
	card->rings.windows = &card->windows;
	card->rings.registrations = &card->registrations;
	card->rings.remote = &card->remote;
	card->rings.regions = &card->regions;

	card->regions.common = common;
	card->regions.endpoints = &card->endpoints;
	card->regions.remote = &card->remote;
	card->regions.windows = &card->windows;
	card->regions.registrations = &card->registrations;
	card->regions.contexts = card->contexts;

	card->registers.common = common;
	card->registers.regions = &card->regions;
	card->registers.endpoints = &card->endpoints;
	card->registers.windows = &card->windows;
	card->registers.remote = &card->remote;
	card->registers.releases = &card->releases;
	card->registers.rings = &card->rings;
	card->registers.link = &card->link;
	card->registers.reset = card_reset;
	card->registers.user = card;
}

/* --- creation and reset --- */

int glk_card_create(const struct glk_card_config *config, struct glk_card **out)
{
	struct glk_card *card;

	if (!config_valid(config) || config->pool_bytes > SIZE_MAX / 2)
		return -EINVAL;
	card = calloc(1, sizeof(*card) + (size_t)config->pool_bytes);
	if (!card)
		return -ENOMEM;
	card->common.config = *config;
	if (!config->pool_bytes)
		card->common.config.tsu_sets = 0;
	card->tsu_entries = calloc((size_t)config->tsu_sets * config->tsu_ways + 1, sizeof(*card->tsu_entries));
	if (!card->tsu_entries) {
		free(card);
		return -ENOMEM;
	}
	glk_pool_init(&card->pool, &card->common.config, card->pool_bytes, card->tsu_entries);
	connect(card);
	for (unsigned p = 0; p < config->partitions; p++) {
		glk_partition_init(&card->partitions[p], config->queue_entries, card_packet_out, card);
		glk_partition_lack(&card->partitions[p], (config->link ? 0 : GLK_PARTITION_MODE_OPEN_MASK) |
								 (config->no_packing ? PACKING_MODES : 0));
	}
	glk_serve_reset(&card->serve);
	if (config->link && glk_card_link_create(&card->link, &card->common, &link_ops, card)) {
		free(card->tsu_entries);
		free(card);
		return -ENOMEM;
	}
	*out = card;
	return 0;
}

void glk_card_destroy(struct glk_card *card)
{
	if (!card)
		return;
	if (card->common.config.link)
		glk_card_link_destroy(&card->link);
	free(card->tsu_entries);
	free(card);
}

void glk_card_reset(struct glk_card *card)
{
	for (unsigned p = 0; p < card->common.config.partitions; p++)
		card->common.counters.value[GLK_CARD_COUNTER(DROPPED_STORES)] += glk_partition_reset(&card->partitions[p]);
	memset(card->windows.entries, 0, sizeof(card->windows.entries));
	memset(card->registrations.entries, 0, sizeof(card->registrations.entries));
	memset(card->contexts, 0, sizeof(card->contexts));
	glk_regions_reset(&card->regions);
	glk_releases_reset(&card->releases);
	if (card->common.config.link) {
		glk_card_link_reset(&card->link);
		for (unsigned p = 0; p < card->common.config.partitions; p++)
			glk_remote_unbind(&card->remote, p);
	}
	memset(card->endpoints.of, 0, sizeof(card->endpoints.of));
	glk_pool_reset(&card->pool);
	card->registers.scratch = 0;
	card->common.control = 0;
	card->common.error_cause = 0;
	card->common.generation++;
}

/* --- the BARs --- */

int glk_card_register_read(struct glk_card *card, uint64_t offset, unsigned size, uint64_t *value)
{
	return glk_registers_read(&card->registers, offset, size, value);
}

int glk_card_register_write(struct glk_card *card, uint64_t offset, unsigned size, uint64_t value)
{
	return glk_registers_write(&card->registers, offset, size, value);
}

int glk_card_register_poisoned(struct glk_card *card, uint64_t offset, unsigned size)
{
	return glk_registers_poisoned(&card->registers, offset, size);
}

int glk_card_aperture_store(struct glk_card *card, uint64_t offset, const void *data, size_t len)
{
	return glk_aperture_store(&card->windows, offset, data, len);
}

int glk_card_aperture_load(struct glk_card *card, uint64_t offset, void *data, size_t len)
{
	return glk_aperture_load(&card->windows, offset, data, len);
}

int glk_card_aperture_poisoned(struct glk_card *card, uint64_t offset)
{
	return glk_aperture_poisoned(&card->windows, offset);
}

int glk_card_pool_write(struct glk_card *card, uint64_t offset, const void *data, size_t len)
{
	return glk_pool_write(&card->pool, offset, data, len);
}

int glk_card_pool_read(struct glk_card *card, uint64_t offset, void *data, size_t len)
{
	return glk_pool_read(&card->pool, offset, data, len);
}

int glk_card_pool_poisoned(struct glk_card *card, uint64_t offset, size_t len)
{
	if (!glk_pool_holds(&card->pool, offset, len))
		return -EINVAL;
	glk_count(&card->common, GLK_CARD_COUNTER(ERR_WINDOW));
	glk_note_error(&card->common, GLK_CARD_ERROR_CAUSE_WINDOW_MASK);
	return -EBADMSG;
}

/* --- packets, acknowledgements and the link --- */

static void plain_write(void *user, unsigned partition, uint64_t offset, const void *data, size_t len)
{
	glk_endpoint_write(user, partition, offset, data, len);
}

int glk_card_link_receive(struct glk_card *card, const uint8_t *packet, size_t len)
{
	struct glk_destination destinations[GLK_PARTITION_COUNT];
	struct glk_accepted accepted;

	if (!glk_enabled(&card->common))
		return -ENODEV;
	for (unsigned p = 0; p < card->common.config.partitions; p++) {
		destinations[p] = (struct glk_destination){
			.bytes = glk_endpoint_own(&card->endpoints, p) ? card->endpoints.of[p].bytes : 0,
			.subheader_bytes = card->partitions[p].queue.subheader_bytes,
			.compact = !card->common.config.no_packing,
			.array = !card->common.config.no_packing,
		};
	}
	if (glk_depacketizer_check(packet, len, destinations, card->common.config.partitions, &accepted)) {
		glk_note_malformed_packet(&card->common);
		return -EBADMSG;
	}
	glk_count(&card->common, GLK_CARD_COUNTER(PACKETS_RECEIVED));
	glk_depacketizer_apply(&accepted, plain_write, &card->endpoints);
	return 0;
}

void glk_card_endpoint_acknowledge(struct glk_card *card, unsigned partition, unsigned count, unsigned failed)
{
	glk_endpoint_acknowledge(&card->endpoints, partition, count, failed);
}

bool glk_card_link_clock(struct glk_card *card, uint64_t now, bool ready, struct glk_block *block)
{
	return glk_link_clock(&card->link, now, ready, block);
}

void glk_card_link_block(struct glk_card *card, uint64_t now, const struct glk_block *block)
{
	glk_link_block(&card->link, now, block);
}

void glk_card_link_cut(struct glk_card *card, uint64_t now)
{
	glk_link_cut(&card->link, now);
}

uint64_t glk_card_link_next(const struct glk_card *card, uint64_t now)
{
	return glk_link_next(&card->link, now);
}

/* --- time and work --- */

void glk_card_advance(struct glk_card *card, uint64_t now_ns)
{
	card->common.now_ns = now_ns;
	for (unsigned p = 0; p < card->common.config.partitions; p++)
		if (glk_partition_deadline(&card->partitions[p]) <= now_ns)
			glk_partition_flush(&card->partitions[p], GLK_FLUSH_TIMEOUT);
	if (card->common.config.link)
		glk_remote_advance(&card->remote, now_ns / GLK_LINK_CLOCK_NS);
}

static uint64_t link_deadline(const struct glk_card *card)
{
	uint64_t clock = card->common.config.link ? glk_remote_deadline(&card->remote) : UINT64_MAX;

	return clock > UINT64_MAX / GLK_LINK_CLOCK_NS ? UINT64_MAX : clock * GLK_LINK_CLOCK_NS;
}

uint64_t glk_card_deadline(const struct glk_card *card)
{
	uint64_t first = link_deadline(card);

	for (unsigned p = 0; p < card->common.config.partitions; p++) {
		uint64_t deadline = glk_partition_deadline(&card->partitions[p]);

		if (deadline < first)
			first = deadline;
	}
	return first;
}

bool glk_card_service(struct glk_card *card, unsigned budget)
{
	bool more = glk_rings_service(&card->rings, budget);

	if (!glk_regions_service(&card->regions, budget))
		return more;
	glk_releases_progress(&card->releases);
	return true;
}
