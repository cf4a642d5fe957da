/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The configuration space of an emulated PCI Express function: header, BARs, and the capabilities of
 * gpulink's functions. Offsets and fields are those of the PCI Express Base Specification, chapter 7.
 */
#ifndef GPULINK_EMU_PCI_CONFIG_H
#define GPULINK_EMU_PCI_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PCI_CONFIG_BYTES 4096u
#define PCI_BARS	 6u

struct pci_config {
	uint8_t value[PCI_CONFIG_BYTES];
	uint8_t writable[PCI_CONFIG_BYTES]; /* bits that software may change */
	unsigned express;		    /* offset of the PCI Express capability */
};

/** Initialises a type 0 header without BARs and capabilities. */
void pci_config_init(struct pci_config *config, uint16_t vendor, uint16_t device, uint32_t class_code);

/** Adds a 64-bit memory BAR (two registers); `bar` is 0, 2 or 4, `bytes` a power of two. */
void pci_config_add_bar(struct pci_config *config, unsigned bar, uint64_t bytes, bool prefetchable);

/** Adds the capabilities: power management, PCI Express (endpoint, function-level reset). */
void pci_config_add_express(struct pci_config *config);
/** Adds MSI-X with table and pending bits in BAR `bar`. */
void pci_config_add_msix(struct pci_config *config, unsigned vectors, unsigned bar, uint32_t table, uint32_t pending);

/** Adds MSI with up to `vectors` vectors: a power of two, at most 32. Returns their number. */
unsigned pci_config_add_msi(struct pci_config *config, unsigned vectors);

/** Accesses by software. -EINVAL: outside configuration space. */
int pci_config_read(const struct pci_config *config, uint64_t offset, void *data, size_t len);
/** *reset: the write initiates a function-level reset. */
int pci_config_write(struct pci_config *config, uint64_t offset, const void *data, size_t len, bool *reset);

/** Function-level reset: resets everything that software wrote except the BARs. QEMU keeps its own copy of these: the guest
 *  reads the old values back after the reset and does not write them again. */
void pci_config_reset(struct pci_config *config);

/** Command register: memory space enable, bus master enable. */
bool pci_config_memory_enabled(const struct pci_config *config);
bool pci_config_bus_master(const struct pci_config *config);
/** The bus address of a BAR. */
uint64_t pci_config_bar_address(const struct pci_config *config, unsigned bar);

#endif /* GPULINK_EMU_PCI_CONFIG_H */
