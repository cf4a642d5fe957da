/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libgpulink, the administrator's half: which cards there are, and how they are configured. What gpulinkd and
 * gpulinkctl --direct are made of. Everything goes through /sys/class/gpulink (docs/sysfs.md); changes need root
 * or write permission there. Codes are those of gpulink.h; calls that meet a reset of the card give EBUSY.
 * Thread-safe: no state is kept between calls.
 */
#ifndef GPULINK_ADMIN_H
#define GPULINK_ADMIN_H

#include <gpulink.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Settings of one partition that the administrator may change. */
enum gpulink_setting {
	GPULINK_SUBHEADER_BYTES,  /**< 2..6 */
	GPULINK_MAX_PAYLOAD_BYTES, /**< 128, 256, 512, 1024, 2048, 4096 */
	GPULINK_FLUSH_TIMEOUT_NS, /**< 0 (never) .. 1000000000 */
	GPULINK_COALESCE,	  /**< 0 or 1 */
	GPULINK_OPEN,		  /**< 0 or 1: cards beyond the link may use the endpoint; cards with a link only */
};

/** Name of the setting as in sysfs, configuration file and protocol ("subheader_bytes"), and which values it may
 *  have, in words ("2, 3, 4, 5 or 6"). Static text; NULL for an unknown setting. */
const char *gpulink_setting_name(enum gpulink_setting setting);
const char *gpulink_setting_allowed(enum gpulink_setting setting);

/** 1 if the value is allowed, else 0. */
int gpulink_setting_valid(enum gpulink_setting setting, uint64_t value);

/** Lists cards: fills names ("gpulink0") in numeric order, at most `room`; returns how many there are. */
int gpulink_admin_list(char (*names)[16], unsigned room);

struct gpulink_admin_info {
	char name[16];	       /**< "gpulink0" */
	char pci_address[16];  /**< "0000:00:04.0" */
	char serial[24];       /**< hexadecimal */
	char hw_version[24];   /**< "1.0.0" */
	char driver_version[24];
	char link_state[16];   /**< "loopback", "up", "down" */
	uint64_t generation;
	uint32_t partitions;
	uint32_t queue_entries;
	uint32_t contexts;
};

struct gpulink_admin_partition {
	uint64_t settings[5]; /**< by enum gpulink_setting */
	char endpoint[32];    /**< "0000:00:05.0 0", "pool", "link 3", or "none" */
	uint64_t endpoint_bytes;
};

/** ENODEV: no such card. */
int gpulink_admin_get_info(const char *card, struct gpulink_admin_info *info);
int gpulink_admin_get_partition(const char *card, unsigned partition, struct gpulink_admin_partition *out);
int gpulink_admin_get_counters(const char *card, unsigned partition, struct gpulink_counters *counters);

/** Changes a setting of a partition. EINVAL: value or partition not allowed, nothing changed; EACCES; ENOTSUP: not on
 *  this card. */
int gpulink_admin_set(const char *card, unsigned partition, enum gpulink_setting setting, uint64_t value);

/** Gives a partition its endpoint: "0000:00:05.0 0" (PCI address and BAR), "pool", "none"; or "link 3", partition 3 of
 *  the card beyond the link, whose size that one tells, or "link 3 BYTES" without asking it. EINVAL: malformed or not
 *  memory; ENODEV: no such card or device; EACCES; of a link: ENOTSUP the card has none, ETIMEDOUT nobody answers,
 *  ENOENDPOINT the other card has no such partition or keeps it to itself, EBUSY another partition stands for it already.
 *  Existing windows onto the old endpoint are revoked. */
int gpulink_admin_set_endpoint(const char *card, unsigned partition, const char *endpoint);

/** Settings of a card's link (docs/link-format.md; NetCrafter 4.2 to 4.4); 0 or 1 where nothing else is said. */
enum gpulink_link_setting {
	GPULINK_LINK_ENABLE,		/**< 0: the link stays down */
	GPULINK_LINK_STITCHING,
	GPULINK_LINK_POOLING,
	GPULINK_LINK_SELECTIVE_POOLING,
	GPULINK_LINK_YIELDING,		/**< what is pooled gives way to its own kind */
	GPULINK_LINK_SEQUENCING,
	GPULINK_LINK_TRIMMING,
	GPULINK_LINK_POOL_CYCLES,	/**< clocks, 0..128 */
	GPULINK_LINK_BURST,		/**< flits, 1..255 */
	GPULINK_LINK_TRIM_BYTES,	/**< 4, 8, 16 or 32 */
	GPULINK_LINK_TIMEOUT_NS,	/**< 1000..10000000000 */
	GPULINK_LINK_SETTINGS
};

/** As gpulink_setting_name(), gpulink_setting_allowed(), gpulink_setting_valid(). */
const char *gpulink_link_setting_name(enum gpulink_link_setting setting);
const char *gpulink_link_setting_allowed(enum gpulink_link_setting setting);
int gpulink_link_setting_valid(enum gpulink_link_setting setting, uint64_t value);

struct gpulink_admin_link {
	char state[16];	       /**< "up", "interrupted" (may go on), "down" */
	char peer_cluster[16]; /**< a number, or "none" */
	char peer_serial[24];  /**< hexadecimal, or "none" */
	uint32_t cluster;
	uint32_t queue_flits;  /**< that the cluster queue holds */
	uint32_t queued_flits; /**< that it has now */
	uint64_t settings[GPULINK_LINK_SETTINGS];
};

/** ENOTSUP: the card has no link; ENODEV: no such card. */
int gpulink_admin_get_link(const char *card, struct gpulink_admin_link *link);
int gpulink_admin_set_link(const char *card, enum gpulink_link_setting setting, uint64_t value);

/** Counters of a link: how many there are, the name of each (NULL: no such one), and their values. docs/sysfs.md says
 *  what they count; each is read by itself. */
#define GPULINK_LINK_COUNTERS 62
const char *gpulink_link_counter_name(unsigned index);
int gpulink_admin_get_link_counters(const char *card, uint64_t values[GPULINK_LINK_COUNTERS]);

/** Resets the card: open contexts end with ERESET; configuration is kept. EBUSY: it could not be done now. */
int gpulink_admin_reset(const char *card);

#ifdef __cplusplus
}
#endif

#endif /* GPULINK_ADMIN_H */
