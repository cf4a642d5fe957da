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
	uint64_t settings[4]; /**< by enum gpulink_setting */
	char endpoint[32];    /**< "0000:00:05.0 0", "pool", or "none" */
	uint64_t endpoint_bytes;
};

/** ENODEV: no such card. */
int gpulink_admin_get_info(const char *card, struct gpulink_admin_info *info);
int gpulink_admin_get_partition(const char *card, unsigned partition, struct gpulink_admin_partition *out);
int gpulink_admin_get_counters(const char *card, unsigned partition, struct gpulink_counters *counters);

/** Changes a setting of a partition. EINVAL: value or partition not allowed, nothing changed; EACCES. */
int gpulink_admin_set(const char *card, unsigned partition, enum gpulink_setting setting, uint64_t value);

/** Gives a partition its endpoint: "0000:00:05.0 0" (PCI address and BAR), "pool", or "none". EINVAL: malformed or
 *  not memory; ENODEV: no such card or device; EACCES. Existing windows onto the old endpoint are revoked. */
int gpulink_admin_set_endpoint(const char *card, unsigned partition, const char *endpoint);

/** Resets the card: open contexts end with ERESET; configuration is kept. EBUSY: it could not be done now. */
int gpulink_admin_reset(const char *card);

#ifdef __cplusplus
}
#endif

#endif /* GPULINK_ADMIN_H */
