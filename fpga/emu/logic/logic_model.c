// SPDX-License-Identifier: Apache-2.0
/* The card's logic: the C model, with loopback for its own cluster. */
#include <errno.h>
#include <stdlib.h>

#include <card/card.h>

#include "logic.h"

#define SERVICE_BUDGET 64u   /* ring entries between two polls of the socket */
#define LINK_CLOCKS    4096u /* link clocks in a row */

/* In link clocks of 4 ns. Two processes that share a processor answer each other within milliseconds. */
#define REPLAY_CYCLES 12500000u /* 50 ms */
#define ACK_CYCLES    2500u	/* 10 us */
#define HELLO_CYCLES  25000000u /* 100 ms */

/* Times of few bits, so that programs meet ends of epochs. */
#define TSU_TS_BITS 16u

struct model {
	struct glk_card *card;
	struct logic_config config;
};

static int on_dma_read(void *platform, uint64_t address, void *data, size_t len)
{
	struct model *m = platform;

	return m->config.ops->read(m->config.bus, address, data, len);
}

static int on_dma_write(void *platform, uint64_t address, const void *data, size_t len)
{
	struct model *m = platform;

	return m->config.ops->write(m->config.bus, address, data, len);
}

/* All targets are shared memory: a write is visible at once. */
static void on_endpoint_write(void *platform, unsigned partition, uint64_t address, const void *data, size_t len)
{
	struct model *m = platform;
	int error = m->config.ops->write(m->config.bus, address, data, len);

	glk_card_endpoint_acknowledge(m->card, partition, 1, error ? 1 : 0);
}

static int on_endpoint_read(void *platform, unsigned partition, uint64_t address, void *data, size_t len)
{
	struct model *m = platform;

	(void)partition;
	return m->config.ops->read(m->config.bus, address, data, len);
}

static void on_link_send(void *platform, const uint8_t *packet, size_t len)
{
	struct model *m = platform;

	glk_card_link_receive(m->card, packet, len); /* loopback; the model counts errors */
}

static uint64_t on_link_wait(void *platform, uint64_t until)
{
	struct model *m = platform;

	return m->config.ops->link_wait(m->config.bus, until);
}

static void on_interrupt(void *platform, unsigned vector)
{
	struct model *m = platform;

	m->config.ops->interrupt(m->config.bus, vector);
}

static const struct glk_card_ops card_ops = {
	.dma_read = on_dma_read,
	.dma_write = on_dma_write,
	.endpoint_write = on_endpoint_write,
	.endpoint_read = on_endpoint_read,
	.link_send = on_link_send,
	.link_wait = on_link_wait,
	.interrupt = on_interrupt,
};

static uint64_t register_read(void *state, uint64_t offset, unsigned size)
{
	struct model *m = state;
	uint64_t value;

	glk_card_register_read(m->card, offset, size, &value);
	return value;
}

static void register_write(void *state, uint64_t offset, unsigned size, uint64_t value)
{
	struct model *m = state;

	glk_card_register_write(m->card, offset, size, value);
}

static void aperture_store(void *state, uint64_t offset, const void *data, size_t len)
{
	struct model *m = state;

	glk_card_aperture_store(m->card, offset, data, len);
}

static void aperture_load(void *state, uint64_t offset, void *data, size_t len)
{
	struct model *m = state;

	glk_card_aperture_load(m->card, offset, data, len);
}

static void pool_write(void *state, uint64_t offset, const void *data, size_t len)
{
	struct model *m = state;

	glk_card_pool_write(m->card, offset, data, len);
}

static void pool_read(void *state, uint64_t offset, void *data, size_t len)
{
	struct model *m = state;

	glk_card_pool_read(m->card, offset, data, len);
}

static void model_reset(void *state)
{
	struct model *m = state;

	glk_card_reset(m->card);
}

static void advance(void *state, uint64_t now_ns)
{
	struct model *m = state;

	glk_card_advance(m->card, now_ns);
}

static bool model_serve(void *state)
{
	struct model *m = state;

	return glk_card_service(m->card, SERVICE_BUDGET);
}

static uint64_t deadline(void *state)
{
	struct model *m = state;

	return glk_card_deadline(m->card);
}

static bool link_clock(void *state, uint64_t now, bool ready, struct glk_block *block)
{
	struct model *m = state;

	return glk_card_link_clock(m->card, now, ready, block);
}

static void link_block(void *state, uint64_t now, const struct glk_block *block)
{
	struct model *m = state;

	glk_card_link_block(m->card, now, block);
}

static void link_cut(void *state, uint64_t now)
{
	struct model *m = state;

	glk_card_link_cut(m->card, now);
}

static uint64_t link_next(void *state, uint64_t now)
{
	struct model *m = state;

	return glk_card_link_next(m->card, now);
}

static void model_destroy(void *state)
{
	struct model *m = state;

	glk_card_destroy(m->card);
	free(m);
}

static const struct logic_ops ops = {
	.register_read = register_read,
	.register_write = register_write,
	.aperture_store = aperture_store,
	.aperture_load = aperture_load,
	.pool_write = pool_write,
	.pool_read = pool_read,
	.reset = model_reset,
	.advance = advance,
	.serve = model_serve,
	.deadline = deadline,
	.link_clock = link_clock,
	.link_block = link_block,
	.link_cut = link_cut,
	.link_next = link_next,
	.destroy = model_destroy,
};

int logic_model_create(const struct logic_config *config, struct logic *logic)
{
	struct model *m = calloc(1, sizeof(*m));
	struct glk_card_config card;
	int error;

	if (!m)
		return -ENOMEM;
	m->config = *config;
	glk_card_config_default(&card);
	if (config->partitions)
		card.partitions = config->partitions;
	if (config->queue_entries)
		card.queue_entries = config->queue_entries;
	card.no_packing = config->no_packing;
	card.tsu_ts_bits = TSU_TS_BITS;
	card.serial = config->serial;
	card.link = config->link;
	card.cluster = config->cluster;
	card.link_session = config->session;
	card.link_replay_cycles = REPLAY_CYCLES;
	card.link_ack_cycles = ACK_CYCLES;
	card.link_hello_cycles = HELLO_CYCLES;
	card.ops = &card_ops;
	card.platform = m;
	error = glk_card_create(&card, &m->card);
	if (error) {
		free(m);
		return error;
	}
	*logic = (struct logic){
		.name = "model",
		.ops = &ops,
		.state = m,
		.vectors = card.vectors,
		.link_clocks = LINK_CLOCKS,
		.aperture_bytes = (uint64_t)card.slices << card.slice_shift,
		.pool_bytes = card.pool_bytes,
	};
	return 0;
}
