/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is behind the card's BARs: the model (logic_model.c), or the Verilog as Verilator made it (logic_rtl.c). Both see
 * the same bus.
 */
#ifndef GPULINK_EMU_LOGIC_H
#define GPULINK_EMU_LOGIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What the logic sees of the bus; all get the `bus` pointer. They must not call back into the logic. */
struct glk_block;

struct logic_bus_ops {
	/** Memory at a bus address, `len` 1 or more. Returns 0 or a negative errno. */
	int (*read)(void *bus, uint64_t address, void *data, size_t len);
	int (*write)(void *bus, uint64_t address, const void *data, size_t len);
	/** Whether writes arrive there: 0 or a negative errno. */
	int (*reach)(void *bus, uint64_t address);
	void (*interrupt)(void *bus, unsigned vector);
	/** Moves the link, by the link_ functions below, until a block came or its clock is `until`. Returns the clock. */
	uint64_t (*link_wait)(void *bus, uint64_t until);
};

struct logic_config {
	uint64_t serial;
	bool link;	  /* to another card */
	uint8_t cluster;
	uint16_t session; /* of the link: another at each start, not 0 */
	const struct logic_bus_ops *ops;
	void *bus;
};

/** Who has taken a write, and answers a read, when these return; a bus has no answer for a write that fails. */
struct logic_ops {
	/** `size` 1, 2, 4 or 8, `offset` a multiple of it, inside the BAR. */
	uint64_t (*register_read)(void *state, uint64_t offset, unsigned size);
	void (*register_write)(void *state, uint64_t offset, unsigned size, uint64_t value);
	/** `len` 1 or more, not across 4 KiB, inside the BAR. Loads that fail give all ones. */
	void (*aperture_store)(void *state, uint64_t offset, const void *data, size_t len);
	void (*aperture_load)(void *state, uint64_t offset, void *data, size_t len);
	void (*pool_write)(void *state, uint64_t offset, const void *data, size_t len);
	void (*pool_read)(void *state, uint64_t offset, void *data, size_t len);
	/** Function-level reset. */
	void (*reset)(void *state);
	/** Tells the time in nanoseconds: what is stored from now on is stored then. */
	void (*advance)(void *state, uint64_t now_ns);
	/** Does some of what there is to do. True: there is more, now. */
	bool (*serve)(void *state);
	/** When time alone brings it something to do; UINT64_MAX: never as things stand. */
	uint64_t (*deadline)(void *state);
	/** Of a card with a link: as glk_card_link_clock() and its neighbours. */
	bool (*link_clock)(void *state, uint64_t now, bool ready, struct glk_block *block);
	void (*link_block)(void *state, uint64_t now, const struct glk_block *block);
	void (*link_cut)(void *state, uint64_t now);
	uint64_t (*link_next)(void *state, uint64_t now);
	void (*destroy)(void *state);
};

struct logic {
	const char *name;
	const struct logic_ops *ops;
	void *state;
	unsigned vectors;
	unsigned link_clocks; /* of the link that run in a row: few if they take long, for the other card waits meanwhile */
	uint64_t aperture_bytes, pool_bytes;
};

/** Make a card as after power-on. Return 0, -ENOMEM, or -ENOTSUP: this program was built without it. */
int logic_model_create(const struct logic_config *config, struct logic *logic);
int logic_rtl_create(const struct logic_config *config, struct logic *logic);

#endif /* GPULINK_EMU_LOGIC_H */
