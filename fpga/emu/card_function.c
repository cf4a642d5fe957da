// SPDX-License-Identifier: Apache-2.0
#include "card_function.h"

#include <errno.h>
#include <string.h>

#include <gpulink_regs.h>

#include "guarded_copy.h"

enum { REGISTERS = 0, APERTURE = 2, POOL = 4 };

/* --- what the model asks for --- */

static int on_dma_read(void *platform, uint64_t address, void *data, size_t len)
{
	struct card_function *card = platform;

	return pci_config_bus_master(&card->config) ? dma_read(&card->dma, address, data, len) : -EACCES;
}

static int on_dma_write(void *platform, uint64_t address, const void *data, size_t len)
{
	struct card_function *card = platform;

	return pci_config_bus_master(&card->config) ? dma_write(&card->dma, address, data, len) : -EACCES;
}

static uint8_t *find_peer(const struct card_function *card, uint64_t address, size_t len)
{
	uint8_t *memory = NULL;

	for (unsigned i = 0; i < card->peer_count && !memory; i++)
		memory = fabric_find(&card->peers[i], address, len);
	return memory;
}

/* Neighbours first, as in a switch; else it goes up to host memory. Both are shared memory: visible when written. */
static void on_endpoint_write(void *platform, unsigned partition, uint64_t address, const void *data, size_t len)
{
	struct card_function *card = platform;
	int error = -EACCES;

	if (pci_config_bus_master(&card->config)) {
		uint8_t *memory = find_peer(card, address, len);

		error = memory ? guarded_copy(memory, data, len) : dma_write(&card->dma, address, data, len);
	}
	glk_card_endpoint_acknowledge(card->model, partition, 1, error ? 1 : 0);
}

static int on_endpoint_read(void *platform, unsigned partition, uint64_t address, void *data, size_t len)
{
	struct card_function *card = platform;
	uint8_t *memory;

	(void)partition;
	if (!pci_config_bus_master(&card->config))
		return -EACCES;
	memory = find_peer(card, address, len);
	return memory ? guarded_copy(data, memory, len) : dma_read(&card->dma, address, data, len);
}

static void on_link_send(void *platform, const uint8_t *packet, size_t len)
{
	struct card_function *card = platform;

	glk_card_link_receive(card->model, packet, len); /* the loop; what is wrong with it the model counts */
}

static void on_interrupt(void *platform, unsigned vector)
{
	struct card_function *card = platform;

	irq_raise(&card->irq, vector);
}

static const struct glk_card_ops model_ops = {
	.dma_read = on_dma_read,
	.dma_write = on_dma_write,
	.endpoint_write = on_endpoint_write,
	.endpoint_read = on_endpoint_read,
	.link_send = on_link_send,
	.interrupt = on_interrupt,
};

/* --- what software does --- */

static void reset(void *device)
{
	struct card_function *card = device;

	glk_card_reset(card->model);
	irq_clear(&card->irq);
	pci_config_reset(&card->config);
	irq_enable(&card->irq, pci_config_bus_master(&card->config));
}

static int config_write(struct card_function *card, uint64_t offset, const void *data, size_t len)
{
	bool flr;
	int error = pci_config_write(&card->config, offset, data, len, &flr);

	if (flr)
		reset(card);
	irq_enable(&card->irq, pci_config_bus_master(&card->config));
	return error;
}

static int register_read(struct card_function *card, uint64_t offset, void *data, size_t len)
{
	uint64_t value = 0;
	int error = len > 8 ? -EINVAL : glk_card_register_read(card->model, offset, (unsigned)len, &value);

	memcpy(data, &value, len <= 8 ? len : 0);
	return error;
}

static int register_write(struct card_function *card, uint64_t offset, const void *data, size_t len)
{
	uint64_t value = 0;

	if (len > 8)
		return -EINVAL;
	memcpy(&value, data, len);
	return glk_card_register_write(card->model, offset, (unsigned)len, value);
}

/* The model takes at most a page, within a slice. Refused accesses are the model's to count: a bus has no answer for
 * posted writes, and all ones for reads. */
static size_t aperture_part(uint64_t offset, size_t len)
{
	size_t left = GLK_PAGE_SIZE - offset % GLK_PAGE_SIZE;

	return len < left ? len : left;
}

static void aperture_store(struct card_function *card, uint64_t offset, const uint8_t *data, size_t len)
{
	size_t part;

	for (; len; len -= part, offset += part, data += part) {
		part = aperture_part(offset, len);
		glk_card_aperture_store(card->model, offset, data, part);
	}
}

static void aperture_load(struct card_function *card, uint64_t offset, uint8_t *data, size_t len)
{
	size_t part;

	for (; len; len -= part, offset += part, data += part) {
		part = aperture_part(offset, len);
		glk_card_aperture_load(card->model, offset, data, part);
	}
}

static int on_region_read(void *device, unsigned region, uint64_t offset, void *data, size_t len)
{
	struct card_function *card = device;

	if (region == VFU_REGION_CONFIG)
		return pci_config_read(&card->config, offset, data, len);
	if (!pci_config_memory_enabled(&card->config)) {
		memset(data, 0xff, len);
		return 0;
	}
	if (region == REGISTERS)
		return register_read(card, offset, data, len);
	if (region == POOL)
		return glk_card_pool_read(card->model, offset, data, len);
	aperture_load(card, offset, data, len);
	return 0;
}

static int on_region_write(void *device, unsigned region, uint64_t offset, const void *data, size_t len)
{
	struct card_function *card = device;

	if (region == VFU_REGION_CONFIG)
		return config_write(card, offset, data, len);
	if (!pci_config_memory_enabled(&card->config))
		return 0;
	if (region == REGISTERS)
		return register_write(card, offset, data, len);
	if (region == POOL)
		return glk_card_pool_write(card->model, offset, data, len);
	aperture_store(card, offset, data, len);
	return 0;
}

static int on_dma_map(void *device, const struct vfu_dma_map *map, int fd)
{
	struct card_function *card = device;

	return dma_map(&card->dma, map, fd);
}

static int on_dma_unmap(void *device, uint64_t address, uint64_t size)
{
	struct card_function *card = device;

	return dma_unmap(&card->dma, address, size);
}

static void on_dma_unmap_all(void *device)
{
	struct card_function *card = device;

	dma_unmap_all(&card->dma);
}

static int on_set_vectors(void *device, unsigned start, unsigned count, const int *fds)
{
	struct card_function *card = device;

	return irq_set(&card->irq, start, count, fds);
}

static const struct vfu_ops vfu_ops = {
	.region_read = on_region_read,
	.region_write = on_region_write,
	.dma_map = on_dma_map,
	.dma_unmap = on_dma_unmap,
	.dma_unmap_all = on_dma_unmap_all,
	.set_vectors = on_set_vectors,
	.reset = reset,
};

int card_function_create(struct card_function *card, uint64_t serial)
{
	struct glk_card_config model;
	int error;

	*card = (struct card_function){ 0 };
	glk_card_config_default(&model);
	model.serial = serial;
	model.ops = &model_ops;
	model.platform = card;
	error = glk_card_create(&model, &card->model);
	if (error)
		return error;
	irq_init(&card->irq);
	card->vfu = (struct vfu_function){ .ops = &vfu_ops, .device = card, .vectors = model.vectors };
	card->vfu.regions[VFU_REGION_CONFIG].size = PCI_CONFIG_BYTES;
	card->vfu.regions[REGISTERS].size = GLK_BAR0_SIZE;
	card->vfu.regions[APERTURE].size = (uint64_t)model.slices << model.slice_shift;
	card->vfu.regions[POOL].size = model.pool_bytes;
	pci_config_init(&card->config, GLK_PCI_VENDOR, GLK_PCI_DEVICE, GLK_PCI_CLASS);
	pci_config_add_bar(&card->config, REGISTERS, card->vfu.regions[REGISTERS].size, false);
	pci_config_add_bar(&card->config, APERTURE, card->vfu.regions[APERTURE].size, true);
	pci_config_add_bar(&card->config, POOL, card->vfu.regions[POOL].size, true);
	pci_config_add_express(&card->config);
	pci_config_add_msix(&card->config, model.vectors, REGISTERS, GLK_MSIX_TABLE_OFFSET, GLK_MSIX_PBA_OFFSET);
	return 0;
}

void card_function_disconnected(void *device)
{
	struct card_function *card = device;

	dma_unmap_all(&card->dma);
	irq_set(&card->irq, 0, card->vfu.vectors, NULL);
	reset(card);
}

void card_function_destroy(struct card_function *card)
{
	card_function_disconnected(card);
	for (unsigned i = 0; i < card->peer_count; i++)
		fabric_disconnect(&card->peers[i]);
	glk_card_destroy(card->model);
}
