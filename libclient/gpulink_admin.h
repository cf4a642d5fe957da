/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libgpulink, administration: enumerates cards, reads their state and changes their configuration. gpulinkd and
 * gpulinkctl --direct are built on it.
 *
 * Everything goes through /sys/class/gpulink (docs/sysfs.md); changes require root or write permission there. Functions
 * that return int return 0 or a count on success and a negative GPULINK_E code of gpulink.h on failure. Every function
 * that takes a card returns ENODEV if there is no such card. While the card is reset or suspended they return EBUSY, and EIO
 * while it is lost, except gpulink_admin_get_info(), which reports that state, and gpulink_admin_reset(), which ends it.
 * Changes return EACCES without permission. Thread-safe: no state is kept between calls.
 *
 * A driver may be older than the library. What it has no file for is reported as such: texts are "unknown", numbers
 * GPULINK_UNKNOWN, those of 32 bits UINT32_MAX. ENOTSUP: it has nothing of what was asked for.
 *
 * Structures grow at their ends in later versions: functions that fill one in take the size that the program was compiled with,
 * sizeof(*info), and fill in as much; members that the library does not know are 0. On failure nothing is written. Struct
 * gpulink_admin_range, of which there are arrays, keeps its size.
 */
#ifndef GPULINK_ADMIN_H
#define GPULINK_ADMIN_H

#include <gpulink.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A number that the driver does not have. */
#define GPULINK_UNKNOWN UINT64_MAX

/** Settings of a partition. */
enum gpulink_setting {
	/* generated from fpga/regs: settings */
	/** sub-header width in bytes: a packet then covers 64 B, 16 KB, 4 MB, 1 GB or 256 GB of addresses; 2 to 6 */
	GPULINK_SUBHEADER_BYTES,
	/** maximum payload of a packet in bytes; 128, 256, 512, 1024, 2048 or 4096 */
	GPULINK_MAX_PAYLOAD_BYTES,
	/** idle flush timeout: nanoseconds without a store until the partition is flushed; 0 (never) to 1000000000 */
	GPULINK_FLUSH_TIMEOUT_NS,
	/** 1: merge and pack stores; 0: send each store by itself */
	GPULINK_COALESCE,
	/** 1: the remote card may read and write the endpoint; 0: its requests are rejected; only on cards with
	 *  FEATURES.LINK */
	GPULINK_OPEN,
	/** 0: the queue is sent as one packet, at the latest when its payload is full; 1: when its entries are full, in as
	 *  many packets as it takes, with at most 12 bytes more than plain writes for each store that this cuts; only on
	 *  cards with FEATURES.PACKING */
	GPULINK_PACKING,
	/** 1: a packet is sent in the compact form where that takes fewer bytes, over a link only if the remote card
	 *  accepts it (peer_compact); 0: all packets have sub-headers; only on cards with FEATURES.COMPACT */
	GPULINK_COMPACT,
	/* end of settings */
	GPULINK_SETTINGS /**< number of settings */
};

/** Returns the name of a setting in sysfs, configuration and protocol, "subheader_bytes"; NULL if unknown. Static. */
const char *gpulink_setting_name(enum gpulink_setting setting);

/** Returns the allowed values of a setting as text, to follow "must be": "2 to 6"; NULL if unknown. Static. */
const char *gpulink_setting_allowed(enum gpulink_setting setting);

/** Returns 1 if the setting exists and the value is allowed, else 0. */
int gpulink_setting_valid(enum gpulink_setting setting, uint64_t value);

/** Writes the names of up to `room` cards ("gpulink0"), in numeric order. Returns the number of cards present. */
int gpulink_admin_list(char (*names)[16], unsigned room);

/** Properties and state of a card. */
struct gpulink_admin_info {
	char name[16];	       /**< "gpulink0" */
	char pci_address[16];  /**< "0000:00:04.0" */
	char serial[24];       /**< hexadecimal */
	char hw_version[24];   /**< "1.0.0" */
	char driver_version[24];
	char link_state[16];   /**< "loopback" (no link), "up" or "down"; "unknown" while the card is not live */
	uint64_t generation;   /**< number of resets */
	uint32_t partitions;
	uint32_t queue_entries; /**< write queue entries of a partition */
	uint32_t contexts;	/**< contexts of the card */
	char state[16];		/**< "live", "resetting", "suspended", "lost" or "removed" (docs/recovery.md) */
};

/** Endpoint and settings of a partition. */
struct gpulink_admin_partition {
	uint64_t settings[16];	 /**< by enum gpulink_setting; 0 of those that the card cannot */
	char endpoint[72];	 /**< "0000:00:05.0 0", with " OFFSET BYTES" for a part of it; "pool", "link 3" or "none" */
	uint64_t endpoint_bytes; /**< 0 without an endpoint */
};

/** Returns the properties of a card in *info, in any state. size: sizeof(*info). */
int gpulink_admin_get_info(const char *card, struct gpulink_admin_info *info, size_t size);

/** Returns endpoint and settings of a partition in *out. EINVAL: no such partition. size: sizeof(*out). */
int gpulink_admin_get_partition(const char *card, unsigned partition, struct gpulink_admin_partition *out, size_t size);

/** Returns the counters of a partition, read one after the other. EINVAL: no such partition. size: sizeof(*counters). */
int gpulink_admin_get_counters(const char *card, unsigned partition, struct gpulink_counters *counters, size_t size);

/** Number of counters of a card: errors, and arrivals, chunks and epochs of regions. */
/* generated from fpga/regs: card counters */
#define GPULINK_CARD_COUNTERS 12
/* end of card counters */

/** Returns the name of a counter of a card, 0 to GPULINK_CARD_COUNTERS - 1; NULL if unknown. docs/registers.md, block CARD.
 * Static. */
const char *gpulink_card_counter_name(unsigned index);

/**
 * Returns the first `count` counters of a card since power-on, read one after the other; those that the library does not know
 * are 0. Those of regions are 0 on a card without regions.
 */
int gpulink_admin_get_card_counters(const char *card, uint64_t *values, unsigned count);

/** Changes a setting of a partition. Errors: EINVAL (invalid value or partition; nothing is changed), EACCES, ENOTSUP (not
 *  supported by this card). */
int gpulink_admin_set(const char *card, unsigned partition, enum gpulink_setting setting, uint64_t value);

/**
 * Sets the endpoint of a partition, removes the ranges of the previous one and revokes the windows onto it.
 *
 * endpoint  "0000:00:05.0 0" (PCI address and BAR), "0000:00:05.0 0 4096 8192" (8192 bytes of it from 4096 on), "pool" (the card's memory), "none", or "link 3": partition 3 of the
 *           remote card, which is asked for its size. "link 3 BYTES" sets the size without asking.
 *
 * Errors: EINVAL (malformed, or not memory), ENODEV (no such card or PCI device), EACCES; for links ENOTSUP (the card has no
 * link), ETIMEDOUT (the remote card does not answer), ENOENDPOINT (the remote partition does not exist or is not open),
 * EBUSY (another partition already stands for that remote partition).
 */
int gpulink_admin_set_endpoint(const char *card, unsigned partition, const char *endpoint);

/** Owner of a range: no user, or no group. */
#define GPULINK_NO_OWNER UINT32_MAX

/** Size of a range: up to the end of the endpoint's memory. */
#define GPULINK_RANGE_ALL UINT64_MAX

/** A part of an endpoint's memory that a user, a group, or both may open windows on. */
struct gpulink_admin_range {
	char name[32];	 /**< 1 to 31 letters, digits, '_', '-' and '.'; the first is a letter or digit */
	uint64_t offset; /**< in the endpoint's memory, multiple of 4096 */
	uint64_t bytes;	 /**< multiple of 4096, or GPULINK_RANGE_ALL */
	uint32_t rights; /**< GPULINK_READ, GPULINK_WRITE or both */
	uint32_t user;	 /**< user ID, or GPULINK_NO_OWNER */
	uint32_t group;	 /**< group ID, or GPULINK_NO_OWNER */
};

/**
 * Adds a range to a partition's endpoint. A window must lie in ranges of the user who opens it; an endpoint without ranges
 * admits none but the administrator's. A range of all bytes of a GPU's BAR grants the memory of all of the GPU's users, and
 * its page tables (docs/install.md).
 *
 * Errors: EINVAL (malformed, without an owner, or not within the endpoint), ENOENDPOINT, EBUSY (the name exists), ENOSPC (64
 * ranges), EACCES.
 */
int gpulink_admin_add_range(const char *card, unsigned partition, const struct gpulink_admin_range *range);

/** Removes a range, and revokes the windows that were opened through it. Errors: EINVAL (no such range), EACCES. */
int gpulink_admin_remove_range(const char *card, unsigned partition, const char *name);

/** Writes up to `room` ranges of a partition's endpoint, by name. Returns their number. EINVAL: no such partition. */
int gpulink_admin_list_ranges(const char *card, unsigned partition, struct gpulink_admin_range *ranges, unsigned room);

/** Settings of a card's link (docs/link-format.md; NetCrafter, 4.2 to 4.4). 0 or 1 unless noted. */
enum gpulink_link_setting {
	/* generated from fpga/regs: link settings */
	/** 1: use the link; 0: end the session and keep the link down, everything not acknowledged fails */
	GPULINK_LINK_ENABLE,
	/** 1: flits with free space carry further packet pieces (NetCrafter, 4.2) */
	GPULINK_LINK_STITCHING,
	/** 1: flits with free space for which no piece is available wait pool_cycles for one (NetCrafter, 4.2) */
	GPULINK_LINK_POOLING,
	/** 1: flits of latency-critical packets are not pooled (NetCrafter, 4.2) */
	GPULINK_LINK_SELECTIVE_POOLING,
	/** 1: a pooled flit is sent early when flits of the same kind wait behind it and the link is otherwise idle; 0: as
	 *  in the paper */
	GPULINK_LINK_YIELDING,
	/** 1: latency-critical packets are sent first (NetCrafter, 4.4) */
	GPULINK_LINK_SEQUENCING,
	/** 1: loads of at most one sector request only that sector from the remote card (NetCrafter, 4.3) */
	GPULINK_LINK_TRIMMING,
	/** maximum pooling time of a flit in clock cycles; 0 to 128 */
	GPULINK_LINK_POOL_CYCLES,
	/** maximum consecutive latency-critical flits while others wait; 1 to 255 */
	GPULINK_LINK_BURST,
	/** sector size to which loads are trimmed, in bytes; 4, 8, 16 or 32 */
	GPULINK_LINK_TRIM_BYTES,
	/** timeout of every wait for the remote card in nanoseconds; drains by the driver time out after 1.5 s even if
	 *  this is longer; 1000 to 10000000000 */
	GPULINK_LINK_TIMEOUT_NS,
	/* end of link settings */
	GPULINK_LINK_SETTINGS /**< number of link settings */
};

/** As gpulink_setting_name(), gpulink_setting_allowed() and gpulink_setting_valid(), for link settings. */
const char *gpulink_link_setting_name(enum gpulink_link_setting setting);
const char *gpulink_link_setting_allowed(enum gpulink_link_setting setting);
int gpulink_link_setting_valid(enum gpulink_link_setting setting, uint64_t value);

/** State and settings of a link. */
struct gpulink_admin_link {
	char state[16];	       /**< "up", "interrupted" (may resume) or "down" */
	char peer_cluster[16]; /**< decimal, or "none" */
	char peer_serial[24];  /**< hexadecimal, or "none" */
	uint32_t cluster;
	uint32_t queue_flits;  /**< capacity of the cluster queue, in flits */
	uint32_t queued_flits; /**< flits in the cluster queue */
	uint64_t settings[32]; /**< by enum gpulink_link_setting */
	uint32_t peer_compact; /**< 1: the remote card accepts packets in the compact form; 0 while the link is not up */
};

/** Returns state and settings of a card's link in *link. ENOTSUP: the card has no link. size: sizeof(*link). */
int gpulink_admin_get_link(const char *card, struct gpulink_admin_link *link, size_t size);

/** Changes a setting of a card's link. Errors: EINVAL, EACCES, ENOTSUP (the card has no link). */
int gpulink_admin_set_link(const char *card, enum gpulink_link_setting setting, uint64_t value);

/** Number of counters of a link. */
/* generated from fpga/regs: link counters */
#define GPULINK_LINK_COUNTERS 62
/* end of link counters */

/** Returns the name of a link counter, 0 to GPULINK_LINK_COUNTERS - 1; NULL if unknown. docs/sysfs.md defines each. Static. */
const char *gpulink_link_counter_name(unsigned index);

/**
 * Returns the first `count` counters of a card's link, read one after the other; those that the library does not know are 0.
 * ENOTSUP: the card has no link.
 */
int gpulink_admin_get_link_counters(const char *card, uint64_t *values, unsigned count);

/** The pool of a card, with its objects (gpulink_pool.h). */
struct gpulink_admin_pool {
	char partition[16];   /**< of the objects, decimal, or "none" */
	uint64_t bytes, free; /**< size of the pool; bytes that are not in use */
	uint64_t objects;
	uint64_t read_lease, write_lease; /**< length of leases that reads and writes get, in logical time */
	uint64_t adapt;			  /**< 1: leases of lines that are only read become longer */
	uint64_t epoch, clock;		  /**< greatest time of any write, and its epoch */
};

/** Returns the state of a card's pool in *pool. ENOTSUP: the card has no leases. size: sizeof(*pool). */
int gpulink_admin_get_pool(const char *card, struct gpulink_admin_pool *pool, size_t size);

/** Number of counters of a pool's timestamps. */
/* generated from fpga/regs: pool counters */
#define GPULINK_POOL_COUNTERS 8
/* end of pool counters */

/** Returns the name of such a counter, 0 to GPULINK_POOL_COUNTERS - 1; NULL if unknown. docs/sysfs.md defines each. Static. */
const char *gpulink_pool_counter_name(unsigned index);

/** As gpulink_admin_get_link_counters(), of the pool's timestamps. ENOTSUP: the card has no leases. */
int gpulink_admin_get_pool_counters(const char *card, uint64_t *values, unsigned count);

/**
 * Resets a card, also one that is lost. Open contexts end with ERESET; configuration is kept. EBUSY: not possible now, try
 * again. EIO or ENODEV: it has left the bus.
 */
int gpulink_admin_reset(const char *card);

#ifdef __cplusplus
}
#endif

#endif /* GPULINK_ADMIN_H */
