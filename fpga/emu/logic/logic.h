/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The logic behind the card's BARs: the model (logic_model.c) or the Verilated RTL (logic_rtl.c).
 */
#ifndef GPULINK_EMU_LOGIC_H
#define GPULINK_EMU_LOGIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct glk_block;

/** The bus, for the logic; all take the `bus` pointer. They must not call back into the logic. */

struct logic_bus_ops {
	/** Accesses memory at a bus address; `len` is 1 or more. Return 0 or a negative errno. */
	int (*read)(void *bus, uint64_t address, void *data, size_t len);
	int (*write)(void *bus, uint64_t address, const void *data, size_t len);
	/** Whether the address is writable: 0 or a negative errno. */
	int (*reach)(void *bus, uint64_t address);
	void (*interrupt)(void *bus, unsigned vector);
	/** Runs the link, with the link_ functions below, until a block arrives or its clock reaches `until`, and returns the
	 *  clock. */
	uint64_t (*link_wait)(void *bus, uint64_t until);
};

struct logic_config {
	uint64_t serial;
	unsigned partitions, queue_entries; /* 0: the default; the RTL has no other */
	bool no_packing;  /* the card lacks FEATURES.PACKING, COMPACT and ARRAY; only the model */
	bool link;	  /* the card has a link */
	uint8_t cluster;
	uint16_t session; /* of the link: different at each start, not 0 */
	const struct logic_bus_ops *ops;
	void *bus;
};

/** The card's side of the bus. Accesses are complete when these return; failed writes are not reported, as on a bus. The RTL
 * returns within some seconds also where the machine is too slow for it: reads then return all ones, and writes and resets are
 * completed later. */
struct logic_ops {
	/** `size` 1, 2, 4 or 8, `offset` a multiple of it, inside the BAR. */
	uint64_t (*register_read)(void *state, uint64_t offset, unsigned size);
	void (*register_write)(void *state, uint64_t offset, unsigned size, uint64_t value);
	/** `len` 1 or more, not crossing 4 KiB, inside the BAR. A failed load returns all ones. */
	void (*aperture_store)(void *state, uint64_t offset, const void *data, size_t len);
	void (*aperture_load)(void *state, uint64_t offset, void *data, size_t len);
	void (*pool_write)(void *state, uint64_t offset, const void *data, size_t len);
	void (*pool_read)(void *state, uint64_t offset, void *data, size_t len);
	/** Function-level reset. */
	void (*reset)(void *state);
	/** Sets the current time in nanoseconds. */
	void (*advance)(void *state, uint64_t now_ns);
	/** Does a bounded amount of pending work. True: more is pending. */
	bool (*serve)(void *state);
	/** When the next timeout is due; UINT64_MAX: none. */
	uint64_t (*deadline)(void *state);
	/** The link, as glk_card_link_clock() and related functions. */
	bool (*link_clock)(void *state, uint64_t now, bool ready, struct glk_block *block);
	void (*link_block)(void *state, uint64_t now, const struct glk_block *block);
	void (*link_cut)(void *state, uint64_t now);
	uint64_t (*link_next)(void *state, uint64_t now);
	void (*destroy)(void *state);
};

struct logic {
	const char *name;
	bool slow; /* a client that does not wait for its writes gets ahead of it by seconds */
	const struct logic_ops *ops;
	void *state;
	unsigned vectors;
	unsigned link_clocks; /* maximum link clocks in a row; small if they are slow, since the other card waits meanwhile */
	uint64_t aperture_bytes, pool_bytes;
};

/** Create a card in its power-on state. Return 0, -ENOMEM, -ENOTSUP (not in this build), or -EINVAL (not with these
 *  parameters). */
int logic_model_create(const struct logic_config *config, struct logic *logic);
int logic_rtl_create(const struct logic_config *config, struct logic *logic);

#endif /* GPULINK_EMU_LOGIC_H */
