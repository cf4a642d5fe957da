/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads logic over PCIe: AMD's Media Configuration Access Port, a vendor-specific capability in the configuration space of the
 * function (PG213, UG570). Functions return 0 or a negative errno.
 */
#ifndef GPULINKD_MCAP_H
#define GPULINKD_MCAP_H

#include <stddef.h>
#include <stdint.h>

/** The port of a function. */
struct mcap {
	int config;	 /* sysfs file of the configuration space */
	unsigned offset; /* of the capability */
	uint32_t part;	 /* JTAG identification of the part */
};

/** Opens the port of the function at a PCI address. ENOTSUP: it has none. EACCES: without CAP_SYS_ADMIN (reads) or write
 *  access. */
int mcap_open(struct mcap *mcap, const char *pci_address);
void mcap_close(struct mcap *mcap);

/** Writes a bitstream, of up to 256 MiB. The running logic ends with the first word. EIO: the part does not report its
 *  start. `progress` is called once in a while; may be NULL. */
int mcap_load(struct mcap *mcap, const void *bitstream, size_t bytes, void (*progress)(void));

#endif /* GPULINKD_MCAP_H */
