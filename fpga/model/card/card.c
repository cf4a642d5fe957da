// SPDX-License-Identifier: Apache-2.0
/* The card as a whole: making it, resetting it, its clock, its pool, its link. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "finepack/depacketizer.h"
#include "card/state.h"

void glk_card_config_default(struct glk_card_config *config)
{
	*config = (struct glk_card_config){
		.partitions = 16,
		.queue_entries = 64,
		.contexts = 32,
		.slices = 1024,
		.slice_shift = 20,
		.registrations = 1024,
		.vectors = 33,
		.loopback = true,
		.pool_bytes = 16u << 20,
		.serial = 1,
	};
}

static bool between(unsigned value, unsigned least, unsigned most)
{
	return value >= least && value <= most;
}

static bool config_valid(const struct glk_card_config *c)
{
	const struct glk_card_ops *ops = c->ops;

	return between(c->partitions, 1, GLK_PARTITION_COUNT) &&
	       (c->queue_entries == 16 || c->queue_entries == 32 || c->queue_entries == 64) &&
	       between(c->contexts, 1, GLK_CONTEXT_COUNT) && between(c->slices, 1, GLK_WINDOW_COUNT) &&
	       between(c->slice_shift, GLK_SLICE_SHIFT_MIN, GLK_SLICE_SHIFT_MAX) &&
	       between(c->registrations, 1, GLK_REGISTRATION_COUNT) && between(c->vectors, 1, GLK_VECTORS_MAX) &&
	       c->pool_bytes % GLK_PAGE_SIZE == 0 && ops && ops->dma_read && ops->dma_write && ops->endpoint_write &&
	       ops->endpoint_read && ops->link_send && ops->interrupt &&
	       (!c->link || (ops->link_wait && c->link_session));
}

static void packet_out(void *user, const uint8_t *packet, size_t length, unsigned reason)
{
	struct glk_card *card = user;
	unsigned partition = packet[GLK_PACKET_PARTITION];

	(void)reason; /* counted by the partition; the wire does not tell it */
	if (glk_remote_is(card, partition)) {
		glk_remote_send(card, partition, packet, length);
		return;
	}
	card->config.ops->link_send(card->config.platform, packet, length);
}

int glk_card_create(const struct glk_card_config *config, struct glk_card **out)
{
	struct glk_card *card;

	if (!config_valid(config) || config->pool_bytes > SIZE_MAX / 2)
		return -EINVAL;
	card = calloc(1, sizeof(*card) + (size_t)config->pool_bytes);
	if (!card)
		return -ENOMEM;
	card->config = *config;
	for (unsigned p = 0; p < config->partitions; p++)
		glk_partition_init(&card->partitions[p], config->queue_entries, packet_out, card);
	if (config->link && glk_card_link_create(card)) {
		free(card);
		return -ENOMEM;
	}
	*out = card;
	return 0;
}

void glk_card_destroy(struct glk_card *card)
{
	if (card && card->link)
		glk_card_link_destroy(card);
	free(card);
}

void glk_card_reset(struct glk_card *card)
{
	for (unsigned p = 0; p < card->config.partitions; p++)
		card->counters.value[GLK_CARD_COUNTER(DROPPED_STORES)] += glk_partition_reset(&card->partitions[p]);
	memset(card->windows, 0, sizeof(card->windows));
	memset(card->registrations, 0, sizeof(card->registrations));
	memset(card->contexts, 0, sizeof(card->contexts));
	if (card->link)
		glk_card_link_reset(card);
	memset(card->endpoints, 0, sizeof(card->endpoints));
	memset(&card->drain, 0, sizeof(card->drain));
	card->drain_written = 0;
	card->control = 0;
	card->scratch = 0;
	card->error_cause = 0;
	card->generation++;
}

void glk_raise(struct glk_card *card, unsigned vector)
{
	card->config.ops->interrupt(card->config.platform, vector);
}

void glk_note_error(struct glk_card *card, uint64_t cause)
{
	uint64_t fresh = cause & ~card->error_cause;

	card->error_cause |= cause;
	if (fresh)
		glk_raise(card, GLK_EVENT_VECTOR);
}

static void plain_write(void *user, unsigned partition, uint64_t offset, const void *data, size_t len)
{
	glk_endpoint_write(user, partition, offset, data, len);
}

int glk_card_link_receive(struct glk_card *card, const uint8_t *packet, size_t len)
{
	struct glk_destination destinations[GLK_PARTITION_COUNT];
	struct glk_accepted accepted;

	if (!(card->control & GLK_CARD_CONTROL_ENABLE_MASK))
		return -ENODEV;
	for (unsigned p = 0; p < card->config.partitions; p++) {
		destinations[p] = (struct glk_destination){
			.bytes = glk_endpoint_own(card, p) ? card->endpoints[p].bytes : 0,
			.subheader_bytes = card->partitions[p].queue.subheader_bytes,
		};
	}
	if (glk_depacketizer_check(packet, len, destinations, card->config.partitions, &accepted)) {
		glk_count(card, GLK_CARD_COUNTER(ERR_PACKET));
		glk_note_error(card, GLK_CARD_ERROR_CAUSE_PACKET_MASK);
		return -EBADMSG;
	}
	glk_count(card, GLK_CARD_COUNTER(PACKETS_RECEIVED));
	glk_depacketizer_apply(&accepted, plain_write, card);
	return 0;
}

static bool pool_range(const struct glk_card *card, uint64_t offset, size_t len)
{
	return len <= card->config.pool_bytes && offset <= card->config.pool_bytes - len;
}

int glk_card_pool_write(struct glk_card *card, uint64_t offset, const void *data, size_t len)
{
	if (!pool_range(card, offset, len))
		return -EINVAL;
	memcpy(card->pool + offset, data, len);
	return 0;
}

int glk_card_pool_poisoned(struct glk_card *card, uint64_t offset, size_t len)
{
	if (!pool_range(card, offset, len))
		return -EINVAL;
	glk_count(card, GLK_CARD_COUNTER(ERR_WINDOW));
	glk_note_error(card, GLK_CARD_ERROR_CAUSE_WINDOW_MASK);
	return -EBADMSG;
}

int glk_card_pool_read(struct glk_card *card, uint64_t offset, void *data, size_t len)
{
	if (!pool_range(card, offset, len))
		return -EINVAL;
	memcpy(data, card->pool + offset, len);
	return 0;
}

void glk_card_advance(struct glk_card *card, uint64_t now_ns)
{
	card->now_ns = now_ns;
	for (unsigned p = 0; p < card->config.partitions; p++)
		if (glk_partition_deadline(&card->partitions[p]) <= now_ns)
			glk_partition_flush(&card->partitions[p], GLK_FLUSH_TIMEOUT);
	if (card->link)
		glk_card_link_advance(card, now_ns / GLK_LINK_CLOCK_NS);
}

uint64_t glk_card_deadline(const struct glk_card *card)
{
	uint64_t first = card->link ? glk_card_link_deadline(card) : UINT64_MAX;

	for (unsigned p = 0; p < card->config.partitions; p++) {
		uint64_t deadline = glk_partition_deadline(&card->partitions[p]);

		if (deadline < first)
			first = deadline;
	}
	return first;
}
