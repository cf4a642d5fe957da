// SPDX-License-Identifier: Apache-2.0
#include "pci_config.h"

#include <errno.h>
#include <string.h>

enum {
	VENDOR = 0x00,
	DEVICE = 0x02,
	COMMAND = 0x04,
	STATUS = 0x06,
	REVISION = 0x08,
	BAR0 = 0x10,
	SUBSYSTEM_VENDOR = 0x2c,
	SUBSYSTEM_DEVICE = 0x2e,
	CAPABILITIES = 0x34,
	INTERRUPT_LINE = 0x3c,
	/* capabilities */
	POWER = 0x40,
	MSIX = 0x50,
	EXPRESS = 0x60,
	MSI = 0xa0,
};

#define COMMAND_MEMORY	   0x0002u
#define COMMAND_MASTER	   0x0004u
#define COMMAND_WRITABLE   0x0546u /* memory, master, parity, SERR, INTx disable */
#define STATUS_CAPABILITIES 0x0010u
#define BAR_64BIT	   0x4u
#define BAR_PREFETCHABLE   0x8u
#define CAPABILITY_POWER   0x01u
#define CAPABILITY_MSI	   0x05u
#define CAPABILITY_MSIX	   0x11u
#define MSI_VECTORS_MAX	   32u
#define MSI_64BIT	   0x0080u
#define CAPABILITY_EXPRESS 0x10u
#define DEVICE_CAPABILITIES_FLR (UINT32_C(1) << 28)
#define DEVICE_CAPABILITIES_ROLE (UINT32_C(1) << 15)
#define DEVICE_CONTROL_FLR UINT16_C(0x8000)
#define DEVICE_CONTROL_WRITABLE 0x7fffu
#define DEVICE_CONTROL_RESET	0x2810u /* reads of 512, payload of 128, relaxed ordering, no snoop */

static void put16(uint8_t *at, unsigned value)
{
	at[0] = (uint8_t)value;
	at[1] = (uint8_t)(value >> 8);
}

static void put32(uint8_t *at, uint32_t value)
{
	put16(at, value & 0xffff);
	put16(at + 2, value >> 16);
}

static unsigned get16(const uint8_t *at)
{
	return at[0] | (unsigned)at[1] << 8;
}

static uint32_t get32(const uint8_t *at)
{
	return get16(at) | (uint32_t)get16(at + 2) << 16;
}

void pci_config_init(struct pci_config *config, uint16_t vendor, uint16_t device, uint32_t class_code)
{
	*config = (struct pci_config){ 0 };
	put16(config->value + VENDOR, vendor);
	put16(config->value + DEVICE, device);
	put32(config->value + REVISION, class_code << 8 | 1);
	put16(config->value + SUBSYSTEM_VENDOR, vendor);
	put16(config->value + SUBSYSTEM_DEVICE, device);
	put16(config->writable + COMMAND, COMMAND_WRITABLE);
	config->writable[INTERRUPT_LINE] = 0xff;
}

void pci_config_add_bar(struct pci_config *config, unsigned bar, uint64_t bytes, bool prefetchable)
{
	uint64_t mask = ~(bytes - 1);

	put32(config->value + BAR0 + 4 * bar, BAR_64BIT | (prefetchable ? BAR_PREFETCHABLE : 0));
	put32(config->writable + BAR0 + 4 * bar, (uint32_t)mask);
	put32(config->writable + BAR0 + 4 * bar + 4, (uint32_t)(mask >> 32));
}

/* Puts a capability at the head of the list. */
static uint8_t *add_capability(struct pci_config *config, uint8_t offset, uint8_t id)
{
	put16(config->value + STATUS, STATUS_CAPABILITIES);
	config->value[offset] = id;
	config->value[offset + 1] = config->value[CAPABILITIES];
	config->value[CAPABILITIES] = offset;
	return config->value + offset;
}

void pci_config_add_express(struct pci_config *config)
{
	uint8_t *power = add_capability(config, POWER, CAPABILITY_POWER);
	uint8_t *express;

	put16(power + 2, 0x0003); /* version 1.2, D0 and D3hot */
	put16(power + 4, 0x0008); /* no soft reset from D3hot to D0 */
	put16(config->writable + POWER + 4, 0x0003);

	express = add_capability(config, EXPRESS, CAPABILITY_EXPRESS);
	config->express = EXPRESS;
	put16(express + 0x02, 0x0002);	   /* version 2, endpoint */
	put32(express + 0x04, DEVICE_CAPABILITIES_FLR | DEVICE_CAPABILITIES_ROLE | 5); /* payload up to 4096 */
	put16(express + 0x08, DEVICE_CONTROL_RESET);
	put32(express + 0x0c, 0x00000104); /* capability: x16, 16 GT/s */
	put16(express + 0x12, 0x0104);	   /* status */
	put16(config->writable + EXPRESS + 0x08, DEVICE_CONTROL_WRITABLE);
	put16(config->writable + EXPRESS + 0x10, 0x00c3); /* link control: ASPM, common clock */
	put16(config->writable + EXPRESS + 0x28, 0x001f); /* device control 2: completion timeout */
}

void pci_config_add_msix(struct pci_config *config, unsigned vectors, unsigned bar, uint32_t table, uint32_t pending)
{
	uint8_t *msix = add_capability(config, MSIX, CAPABILITY_MSIX);

	put16(msix + 2, vectors - 1);
	put32(msix + 4, table | bar);
	put32(msix + 8, pending | bar);
	put16(config->writable + MSIX + 2, 0xc000); /* enable, mask all */
}

unsigned pci_config_add_msi(struct pci_config *config, unsigned vectors)
{
	uint8_t *msi = add_capability(config, MSI, CAPABILITY_MSI);
	unsigned order = 0;

	while (2u << order <= vectors && 2u << order <= MSI_VECTORS_MAX)
		order++;
	put16(msi + 2, MSI_64BIT | order << 1);
	put16(config->writable + MSI + 2, 0x0071); /* enable, vectors granted */
	put32(config->writable + MSI + 4, 0xfffffffc);
	put32(config->writable + MSI + 8, 0xffffffff);
	put16(config->writable + MSI + 12, 0xffff);
	return 1u << order;
}

static bool inside(uint64_t offset, size_t len)
{
	return offset <= PCI_CONFIG_BYTES && len <= PCI_CONFIG_BYTES - offset;
}

int pci_config_read(const struct pci_config *config, uint64_t offset, void *data, size_t len)
{
	if (!inside(offset, len))
		return -EINVAL;
	memcpy(data, config->value + offset, len);
	return 0;
}

int pci_config_write(struct pci_config *config, uint64_t offset, const void *data, size_t len, bool *reset)
{
	const uint8_t *bytes = data;
	uint64_t flr = config->express + 0x09; /* the byte of device control with the bit */

	*reset = false;
	if (!inside(offset, len))
		return -EINVAL;
	for (size_t i = 0; i < len; i++) {
		uint8_t mask = config->writable[offset + i];
		uint8_t *value = &config->value[offset + i];

		*value = (uint8_t)((*value & ~mask) | (bytes[i] & mask));
		if (config->express && offset + i == flr && (bytes[i] & DEVICE_CONTROL_FLR >> 8))
			*reset = true;
	}
	return 0;
}

void pci_config_reset(struct pci_config *config)
{
	for (unsigned i = 0; i < PCI_CONFIG_BYTES; i++)
		if (i < BAR0 || i >= BAR0 + 4 * PCI_BARS)
			config->value[i] = (uint8_t)(config->value[i] & ~config->writable[i]);
	if (config->express)
		put16(config->value + config->express + 0x08, DEVICE_CONTROL_RESET);
}

bool pci_config_memory_enabled(const struct pci_config *config)
{
	return get16(config->value + COMMAND) & COMMAND_MEMORY;
}

bool pci_config_bus_master(const struct pci_config *config)
{
	return get16(config->value + COMMAND) & COMMAND_MASTER;
}

uint64_t pci_config_bar_address(const struct pci_config *config, unsigned bar)
{
	uint64_t low = get32(config->value + BAR0 + 4 * bar) & ~UINT32_C(0xf);

	return low | (uint64_t)get32(config->value + BAR0 + 4 * bar + 4) << 32;
}
