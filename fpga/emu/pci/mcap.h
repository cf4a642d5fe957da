/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The port through which software loads logic over PCIe: a vendor-specific extended capability with the registers of AMD's
 * Media Configuration Access Port (PG213, UG570). Words that are written to it are a stream; here the stream is text
 * (docs/program.md), which selects the emulated logic. As on a board, the first word takes the running logic away.
 */
#ifndef GPULINK_EMU_MCAP_H
#define GPULINK_EMU_MCAP_H

#include <stdbool.h>
#include <stdint.h>

#include "pci_config.h"

#define MCAP_OFFSET	 0x100u /* of the capability in configuration space */
#define MCAP_IMAGE_BYTES 4096u

/** What an image describes. 0: the default of the logic. */
struct mcap_image {
	bool rtl;
	bool dead; /* logic whose registers read all ones */
	unsigned partitions, queue_entries;
	bool no_packing;
};

enum mcap_event {
	MCAP_NONE,
	MCAP_CLEARED, /* the stream has begun: there is no logic now */
	MCAP_LOADED,  /* it is complete: mcap->image */
};

struct mcap {
	bool streaming;
	unsigned bytes; /* received; more than MCAP_IMAGE_BYTES: overflow */
	char text[MCAP_IMAGE_BYTES + 1];
	struct mcap_image image;
};

/** Adds the capability. */
void mcap_add(struct pci_config *config);

/** After a write of `len` bytes at `offset` of configuration space. */
enum mcap_event mcap_written(struct mcap *mcap, struct pci_config *config, uint64_t offset, unsigned len);

/** The logic of a complete image could not be started: reports an error in the status register. */
void mcap_failed(struct pci_config *config);

#endif /* GPULINK_EMU_MCAP_H */
