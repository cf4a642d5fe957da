/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of a card, and the functions that its platform provides. Part of the public interface, card/card.h. */
#ifndef GLK_CONFIG_H
#define GLK_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** An atomic operation. */
struct glk_update {
	unsigned opcode; /**< GLK_OP_FETCH_ADD .. GLK_OP_CAS */
	uint64_t operand, compare;
};

/** The new value of a word, 64 bits of which those of the word count. Returns whether it is written. */
bool glk_update_value(const struct glk_update *update, uint64_t old, uint64_t *value);

/** What the platform does for the card. Every function gets the `platform` pointer of the configuration. */
struct glk_card_ops {
	/**
	 * Reads or writes host memory at a DMA address (rings, page lists, registered memory, completion
	 * records). Returns 0, or a negative value if the address is not accessible: the card counts it
	 * (ERR_DMA) and completes the operation with status dma. `len` is at least 1.
	 */
	int (*dma_read)(void *platform, uint64_t address, void *data, size_t len);
	int (*dma_write)(void *platform, uint64_t address, const void *data, size_t len);

	/** Where [address, address + len) of host memory can be read during the call that asks, instead of by dma_read. NULL,
	 * or returns NULL: nowhere. */
	const void *(*dma_view)(void *platform, uint64_t address, size_t len);

	/**
	 * Posts a plain write to an endpoint of kind bus: address is EP_BASE plus the offset. `data` is valid only
	 * during the call. The platform calls glk_card_endpoint_acknowledge() once for every write, in order, when the
	 * write is visible at the endpoint; it may do so during this call.
	 */
	void (*endpoint_write)(void *platform, unsigned partition, uint64_t address, const void *data, size_t len);

	/** Reads an endpoint of kind bus, behind every write posted to it. Returns 0 or a negative value. */
	int (*endpoint_read)(void *platform, unsigned partition, uint64_t address, void *data, size_t len);

	/**
	 * Executes an atomic of 4 or 8 bytes, little endian, on an endpoint of kind bus, behind every write posted to it. *old:
	 * the word before; *written: it was written, which needs no acknowledgement. Returns 0 or a negative value. NULL: the
	 * card reads the word and posts a write, which is atomic against its own accesses only.
	 */
	int (*endpoint_update)(void *platform, unsigned partition, uint64_t address, size_t len,
			       const struct glk_update *update, uint64_t *old, bool *written);

	/**
	 * Takes a store to an endpoint of kind bus in place of the partition, whose counters do not have it: writes it, visible
	 * when the call returns. `len` is 1..4096. NULL: the partition queues it.
	 */
	void (*endpoint_store)(void *platform, unsigned partition, uint64_t address, const void *data, size_t len);

	/** Takes one packet (header and padded payload, docs/wire-format.md) for an endpoint of the same cluster. `packet` is
	 *  valid only during the call. */
	void (*link_send)(void *platform, const uint8_t *packet, size_t len);

	/**
	 * A load, an atomic or a store waits for the other card: runs the link (clocks it and carries its blocks both ways, and
	 * touches nothing else of this card) until a block has arrived or the clock `until`, whichever is first. Returns the
	 * clock at that time, which must increase from call to call. NULL on a card without a link.
	 */
	uint64_t (*link_wait)(void *platform, uint64_t until);

	/** Raises an MSI-X vector. */
	void (*interrupt)(void *platform, unsigned vector);
};

/** Parameters that are fixed when the card is created; the capability registers report them. */
struct glk_card_config {
	unsigned partitions;	/**< 1..16 */
	unsigned queue_entries; /**< write queue entries of a partition: 16, 32 or 64 */
	unsigned contexts;	/**< 1..32 */
	unsigned slices;	/**< slices of the aperture, 1..1024 */
	unsigned slice_shift;	/**< log2 of the bytes of a slice, 12..30 */
	unsigned registrations; /**< 1..1024 */
	unsigned regions;	/**< 0..64; 0: no FEATURES.REGION */
	unsigned chunks;	/**< readiness counters of all regions together, 1..16384 if there are regions */
	unsigned vectors;	/**< MSI-X vectors, 1..64 */
	bool loopback;		/**< reported in FEATURES: the platform loops link_send to glk_card_link_receive() */
	bool no_packing;	/**< no FEATURES.PACKING, COMPACT, ARRAY */
	bool link;		/**< a link to another card, see glk_card_link_clock() */
	uint8_t cluster;	/**< number of the card's own cluster */
	uint16_t link_session;	/**< number of the first session: not 0, and different at each start */
	/** Clocks, for a wire slower than the logic's; 0: the logic's values. */
	unsigned link_replay_cycles, link_ack_cycles, link_hello_cycles;
	uint64_t pool_bytes;	/**< multiple of 4096, 0 for none */
	/** The table of the pool's timestamps; 0 sets, or no pool: no FEATURES.LEASE. */
	unsigned tsu_sets, tsu_ways; /**< powers of two, 1..32768 and 1..128 */
	unsigned tsu_ts_bits;	     /**< bits of a timestamp, 5..32 */
	uint64_t serial;
	const struct glk_card_ops *ops;
	void *platform;
};

#endif /* GLK_CONFIG_H */
