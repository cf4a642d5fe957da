/* SPDX-License-Identifier: Apache-2.0 */
/* Pins of the UltraScale+ integrated block for PCI Express (PG213: 512 or 256 bits) used by glk_pcie_us. */
#ifndef GLK_PCIE_PINS_H
#define GLK_PCIE_PINS_H

#include <stdbool.h>
#include <stdint.h>

#define PCIE_BEAT_MAX	64u /* of data; a bench's width is in struct pcie_bench */
#define PCIE_USER_BYTES 24u

struct pcie_axis { /* one of its streams */
	bool valid, last;
	uint8_t data[PCIE_BEAT_MAX];
	uint8_t user[PCIE_USER_BYTES];
	uint16_t keep;
};

struct pcie_pins_in { /* from the RTL */
	struct pcie_axis cq, rc;
	bool cc_ready, rq_ready;
	bool seq_valid[2];
	unsigned seq[2];
	unsigned nph_av, max_payload, max_read_req;
	bool ext_tag, bus_master, flr_in_process, msix_enable, msi_sent, msi_fail;
};

struct pcie_pins_out {
	struct pcie_axis cc, rq;
	bool cq_ready, rc_ready;
	unsigned np_req;
	bool msix_int, flr_done;
	uint32_t msi_int;
};

#endif /* GLK_PCIE_PINS_H */
