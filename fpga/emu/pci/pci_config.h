/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The configuration space of an emulated PCI Express function: header, BARs, and the capabilities that gpulink's
 * functions have. Offsets and fields are those of the PCI Express Base Specification, chapter 7.
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

/** Makes a type 0 header for an endpoint function, no BAR and no capability yet. */
void pci_config_init(struct pci_config *config, uint16_t vendor, uint16_t device, uint32_t class_code);

/** Adds a 64-bit memory BAR (two registers): `bar` is 0, 2 or 4; bytes a power of two. */
void pci_config_add_bar(struct pci_config *config, unsigned bar, uint64_t bytes, bool prefetchable);

/** Adds the capabilities: power management, PCI Express (endpoint, function-level reset). */
void pci_config_add_express(struct pci_config *config);
/** Adds MSI-X with table and pending bits in BAR `bar`. */
void pci_config_add_msix(struct pci_config *config, unsigned vectors, unsigned bar, uint32_t table, uint32_t pending);

/** Adds MSI with as many of the vectors as it can have: a power of two, at most 32. Returns how many. */
unsigned pci_config_add_msi(struct pci_config *config, unsigned vectors);

/** Access by software; inside the space, else -EINVAL. */
int pci_config_read(const struct pci_config *config, uint64_t offset, void *data, size_t len);
/** Sets *reset when the write asks for a function-level reset. */
int pci_config_write(struct pci_config *config, uint64_t offset, const void *data, size_t len, bool *reset);

/** What a function-level reset does to it: all that software wrote is gone, but the BARs. Those QEMU keeps itself: the
 *  guest reads its old values back after the reset and sees no need to write them again. */
void pci_config_reset(struct pci_config *config);

/** Command register: may the function answer memory accesses, may it make its own. */
bool pci_config_memory_enabled(const struct pci_config *config);
bool pci_config_bus_master(const struct pci_config *config);
/** The bus address that software gave to a BAR. */
uint64_t pci_config_bar_address(const struct pci_config *config, unsigned bar);

#endif /* GPULINK_EMU_PCI_CONFIG_H */
