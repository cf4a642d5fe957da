// SPDX-License-Identifier: Apache-2.0
#include "card_function.h"

#include <errno.h>
#include <string.h>

#include <gpulink_regs.h>

#include "process/guarded_copy.h"

enum { REGISTERS = 0, APERTURE = 2, POOL = 4 };

/* --- bus accesses by the logic --- */

/* Peers first, as in a switch; other addresses are host memory. */
static uint8_t *find_peer(const struct card_function *card, uint64_t address, size_t len)
{
	uint8_t *memory = NULL;

	for (unsigned i = 0; i < card->peer_count && !memory; i++)
		memory = fabric_find(&card->peers[i], address, len);
	return memory;
}

static int on_bus_read(void *bus, uint64_t address, void *data, size_t len)
{
	struct card_function *card = bus;
	uint8_t *memory;

	if (!pci_config_bus_master(&card->config))
		return -EACCES;
	memory = find_peer(card, address, len);
	return memory ? guarded_copy(data, memory, len) : dma_read(&card->dma, address, data, len);
}

static int on_bus_write(void *bus, uint64_t address, const void *data, size_t len)
{
	struct card_function *card = bus;
	uint8_t *memory;

	if (!pci_config_bus_master(&card->config))
		return -EACCES;
	memory = find_peer(card, address, len);
	return memory ? guarded_copy(memory, data, len) : dma_write(&card->dma, address, data, len);
}

static int on_bus_reach(void *bus, uint64_t address)
{
	struct card_function *card = bus;
	uint8_t *memory, byte;

	if (!pci_config_bus_master(&card->config))
		return -EACCES;
	memory = find_peer(card, address, 1);
	return memory ? guarded_copy(&byte, memory, 1) : dma_reach(&card->dma, address);
}

static void on_interrupt(void *bus, unsigned vector)
{
	struct card_function *card = bus;

	irq_raise(&card->irq, vector);
}

static uint64_t on_link_wait(void *bus, uint64_t until)
{
	struct card_function *card = bus;

	return link_wait(card->link, until);
}

static const struct logic_bus_ops bus_ops = {
	.read = on_bus_read,
	.write = on_bus_write,
	.reach = on_bus_reach,
	.interrupt = on_interrupt,
	.link_wait = on_link_wait,
};

/* --- accesses by software --- */

static void start_other_logic(struct card_function *card)
{
	struct logic other;

	card->reprogram = 0;
	card->logic_config.serial++;
	if (card->create(&card->logic_config, &other))
		return;
	card->logic.ops->destroy(card->logic.state);
	card->logic = other;
}

/* The image's logic takes the place of the running one, if its BARs are as large. */
static int start_image(struct card_function *card)
{
	const struct mcap_image *image = &card->mcap.image;
	struct logic_config config = card->logic_config;
	struct logic other;
	int error;

	config.partitions = image->partitions;
	config.queue_entries = image->queue_entries;
	config.no_packing = image->no_packing;
	error = image->rtl ? logic_rtl_create(&config, &other) : logic_model_create(&config, &other);
	if (error)
		return error;
	if (other.aperture_bytes != card->logic.aperture_bytes || other.pool_bytes != card->logic.pool_bytes ||
	    other.vectors != card->logic.vectors) {
		other.ops->destroy(other.state);
		return -EINVAL;
	}
	card->logic.ops->destroy(card->logic.state);
	card->logic = other;
	card->no_logic = image->dead;
	return 0;
}

static void take_stream(struct card_function *card, uint64_t offset, size_t len)
{
	enum mcap_event event = card->link ? MCAP_NONE : mcap_written(&card->mcap, &card->config, offset, (unsigned)len);

	if (event == MCAP_CLEARED)
		card->no_logic = true;
	else if (event == MCAP_LOADED && start_image(card))
		mcap_failed(&card->config);
}

static void card_function_reset(void *device)
{
	struct card_function *card = device;

	card->logic.ops->reset(card->logic.state);
	if (card->reprogram)
		start_other_logic(card);
	irq_clear(&card->irq);
	pci_config_reset(&card->config);
	irq_enable(&card->irq, pci_config_bus_master(&card->config));
}

static int config_write(struct card_function *card, uint64_t offset, const void *data, size_t len)
{
	bool flr;
	int error = pci_config_write(&card->config, offset, data, len, &flr);

	if (!error)
		take_stream(card, offset, len);
	if (flr)
		card_function_reset(card);
	irq_enable(&card->irq, pci_config_bus_master(&card->config));
	return error;
}

/* Register accesses are naturally aligned, of up to 8 bytes. */
static bool register_access_valid(uint64_t offset, size_t len)
{
	return (len == 1 || len == 2 || len == 4 || len == 8) && offset % len == 0;
}

static int register_read(struct card_function *card, uint64_t offset, void *data, size_t len)
{
	uint64_t value;

	if (!register_access_valid(offset, len))
		return -EINVAL;
	value = card->logic.ops->register_read(card->logic.state, offset, (unsigned)len);
	memcpy(data, &value, len);
	return 0;
}

static int register_write(struct card_function *card, uint64_t offset, const void *data, size_t len)
{
	uint64_t value = 0;

	if (!register_access_valid(offset, len))
		return -EINVAL;
	memcpy(&value, data, len);
	card->logic.ops->register_write(card->logic.state, offset, (unsigned)len, value);
	return 0;
}

/* No access on a bus crosses 4 KiB. */
static size_t part_of(uint64_t offset, size_t len)
{
	size_t left = GLK_PAGE_SIZE - offset % GLK_PAGE_SIZE;

	return len < left ? len : left;
}

static void memory_write(struct card_function *card, unsigned region, uint64_t offset, const uint8_t *data, size_t len)
{
	const struct logic_ops *ops = card->logic.ops;
	size_t part;

	for (; len; len -= part, offset += part, data += part) {
		part = part_of(offset, len);
		(region == POOL ? ops->pool_write : ops->aperture_store)(card->logic.state, offset, data, part);
	}
}

static void memory_read(struct card_function *card, unsigned region, uint64_t offset, uint8_t *data, size_t len)
{
	const struct logic_ops *ops = card->logic.ops;
	size_t part;

	for (; len; len -= part, offset += part, data += part) {
		part = part_of(offset, len);
		(region == POOL ? ops->pool_read : ops->aperture_load)(card->logic.state, offset, data, part);
	}
}

static int on_region_read(void *device, unsigned region, uint64_t offset, void *data, size_t len)
{
	struct card_function *card = device;

	if (region == VFU_REGION_CONFIG)
		return pci_config_read(&card->config, offset, data, len);
	if (!pci_config_memory_enabled(&card->config) || card->no_logic) {
		memset(data, 0xff, len);
		return 0;
	}
	if (region == REGISTERS)
		return register_read(card, offset, data, len);
	memory_read(card, region, offset, data, len);
	return 0;
}

static int on_region_write(void *device, unsigned region, uint64_t offset, const void *data, size_t len)
{
	struct card_function *card = device;

	if (region == VFU_REGION_CONFIG)
		return config_write(card, offset, data, len);
	if (!pci_config_memory_enabled(&card->config) || card->no_logic)
		return 0;
	if (region == REGISTERS)
		return register_write(card, offset, data, len);
	memory_write(card, region, offset, data, len);
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
	.reset = card_function_reset,
};

static void add_interrupts(struct card_function *card, bool msi)
{
	card->vfu.irq = msi ? VFU_IRQ_MSI : VFU_IRQ_MSIX;
	card->vfu.vectors = card->logic.vectors;
	if (msi)
		card->vfu.vectors = pci_config_add_msi(&card->config, card->logic.vectors);
	else
		pci_config_add_msix(&card->config, card->logic.vectors, REGISTERS, GLK_MSIX_TABLE_OFFSET,
				    GLK_MSIX_PBA_OFFSET);
}

int card_function_create(struct card_function *card, const struct card_make *make)
{
	int error;

	*card = (struct card_function){ .link = make->link, .create = make->create };
	card->logic_config = (struct logic_config){
		.serial = make->serial,
		.link = make->link,
		.cluster = make->link ? make->link->config.cluster : 0,
		.session = make->link ? link_new_session() : 0,
		.ops = &bus_ops,
		.bus = card,
	};
	error = make->create(&card->logic_config, &card->logic);
	if (error)
		return error;
	if (card->link)
		link_attach(card->link, &card->logic);
	irq_init(&card->irq);
	card->vfu = (struct vfu_function){ .ops = &vfu_ops, .device = card, .waits = card->logic.slow };
	card->vfu.regions[VFU_REGION_CONFIG].size = PCI_CONFIG_BYTES;
	card->vfu.regions[REGISTERS].size = GLK_BAR0_SIZE;
	card->vfu.regions[APERTURE].size = card->logic.aperture_bytes;
	card->vfu.regions[POOL].size = card->logic.pool_bytes;
	pci_config_init(&card->config, GLK_PCI_VENDOR, GLK_PCI_DEVICE, GLK_PCI_CLASS);
	pci_config_add_bar(&card->config, REGISTERS, card->vfu.regions[REGISTERS].size, false);
	pci_config_add_bar(&card->config, APERTURE, card->vfu.regions[APERTURE].size, true);
	pci_config_add_bar(&card->config, POOL, card->vfu.regions[POOL].size, true);
	pci_config_add_express(&card->config);
	if (!card->link)
		mcap_add(&card->config);
	add_interrupts(card, make->msi);
	return 0;
}

void card_function_reprogram(struct card_function *card)
{
	card->reprogram = !card->link;
}

void card_function_disconnected(void *device)
{
	struct card_function *card = device;

	dma_unmap_all(&card->dma);
	irq_set(&card->irq, 0, card->vfu.vectors, NULL);
	card_function_reset(card);
}

void card_function_destroy(struct card_function *card)
{
	card_function_disconnected(card);
	for (unsigned i = 0; i < card->peer_count; i++)
		fabric_disconnect(&card->peers[i]);
	if (card->link)
		link_close(card->link);
	card->logic.ops->destroy(card->logic.state);
}
