// SPDX-License-Identifier: Apache-2.0
#include "quiet_card.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gpulink_regs.h>

static int dma_read(void *platform, uint64_t address, void *data, size_t len)
{
	(void)platform;
	(void)address;
	memset(data, 0, len);
	return 0;
}

static int dma_write(void *platform, uint64_t address, const void *data, size_t len)
{
	(void)platform;
	(void)address;
	(void)data;
	(void)len;
	return 0;
}

static void endpoint_write(void *platform, unsigned partition, uint64_t address, const void *data, size_t len)
{
	(void)partition;
	dma_write(platform, address, data, len);
}

static int endpoint_read(void *platform, unsigned partition, uint64_t address, void *data, size_t len)
{
	(void)partition;
	return dma_read(platform, address, data, len);
}

static void link_send(void *platform, const uint8_t *packet, size_t len)
{
	dma_write(platform, 0, packet, len);
}

static uint64_t link_wait(void *platform, uint64_t until)
{
	(void)platform;
	return until;
}

static void interrupt(void *platform, unsigned vector)
{
	(void)platform;
	(void)vector;
}

void quiet_card_config(struct glk_card_config *config, bool link)
{
	static const struct glk_card_ops ops = {
		.dma_read = dma_read, .dma_write = dma_write, .endpoint_write = endpoint_write, .endpoint_read = endpoint_read,
		.link_send = link_send, .link_wait = link_wait, .interrupt = interrupt,
	};

	glk_card_config_default(config);
	config->regions = config->chunks = 0; /* registers_only.sv has no regions and no timestamps */
	config->tsu_sets = 0;
	config->link = link;
	config->link_session = 1;
	config->ops = &ops;
}

struct glk_card *quiet_card_create(const struct glk_card_config *config)
{
	struct glk_card *card;

	if (!glk_card_create(config, &card))
		return card;
	fprintf(stderr, "cannot create the card model\n");
	exit(2);
}

uint64_t quiet_card_read(struct glk_card *card, unsigned offset)
{
	uint64_t value;

	glk_card_register_read(card, offset, 8, &value);
	return value;
}

bool quiet_card_write(struct glk_card *card, unsigned offset, unsigned size, uint64_t value)
{
	glk_card_register_write(card, GLK_CARD_ERROR_CAUSE, 8, GLK_CARD_ERROR_CAUSE_CONFIG_MASK);
	glk_card_register_write(card, offset, size, value);
	return quiet_card_read(card, GLK_CARD_ERROR_CAUSE) & GLK_CARD_ERROR_CAUSE_CONFIG_MASK;
}
