/* SPDX-License-Identifier: (GPL-2.0-only OR Apache-2.0) */
/* Generated from fpga/regs by fpga/regs/generate.py: edit the description there, not this. */
#ifndef GPULINK_TABLES_H
#define GPULINK_TABLES_H

/* A counter. */
struct glk_counter_row {
	const char *name;
	unsigned int reg;		/* in an array: from the start of an element */
};

/* A setting: a register, or one bit of it. */
struct glk_setting_row {
	const char *name;
	unsigned int reg, slot;		/* the register, and its place in the _SETTING_REGISTERS */
	unsigned long long mask;	/* the bit; 0: all of the register */
	unsigned long long features;	/* bits of CARD.FEATURES with which it exists; 0: always */
	unsigned long long least, most;
	unsigned int power_of_two;	/* nonzero: only such values */
};

/* What users read of one. */
struct glk_setting_text {
	const char *allowed;		/* to follow "must be" */
	int needs;			/* the setting without which it has no effect; -1: none */
};

/* A register that holds settings. */
struct glk_setting_register {
	const char *name;
	unsigned int reg;
	unsigned long long reset;
};

/* A setting of a policy. */
struct glk_policy_row {
	const char *policy;
	unsigned int setting;		/* enum gpulink_setting */
	unsigned long long value;
};

static inline int glk_setting_allows(const struct glk_setting_row *setting, unsigned long long value)
{
	return value >= setting->least && value <= setting->most &&
	       (!setting->power_of_two || !(value & (value - 1)));
}

/* Counters of a card, in register order: struct glk_counter_row. */
#define GLK_CARD_COUNTER_ROWS \
	{ "err_window", 0x80U }, \
	{ "err_packet", 0x88U }, \
	{ "err_config", 0x90U }, \
	{ "err_dma", 0x98U }, \
	{ "err_entry", 0xa0U }, \
	{ "dropped_stores", 0xa8U }, \
	{ "packets_received", 0xb0U }, \
	{ "region_arrivals", 0xb8U }, \
	{ "region_chunks", 0xc0U }, \
	{ "region_partial", 0xc8U }, \
	{ "region_epochs", 0xd0U }, \
	{ "err_arrive", 0xd8U }

/* Counters of a partition, in register order: struct glk_counter_row. */
#define GLK_PARTITION_COUNTER_ROWS \
	{ "stores", 0x80U }, \
	{ "store_bytes", 0x88U }, \
	{ "packets", 0x90U }, \
	{ "sub_packets", 0x98U }, \
	{ "payload_bytes", 0xa0U }, \
	{ "wire_bytes", 0xa8U }, \
	{ "raw_wire_bytes", 0xb0U }, \
	{ "overwritten_bytes", 0xb8U }, \
	{ "flush_window_miss", 0xc0U }, \
	{ "flush_payload_full", 0xc8U }, \
	{ "flush_entries_full", 0xd0U }, \
	{ "flush_release", 0xd8U }, \
	{ "flush_timeout", 0xe0U }, \
	{ "flush_load_hit", 0xe8U }, \
	{ "flush_atomic", 0xf0U }, \
	{ "flush_config", 0xf8U }, \
	{ "flush_drain", 0x100U }, \
	{ "loads", 0x108U }, \
	{ "atomics", 0x110U }, \
	{ "endpoint_writes", 0x118U }, \
	{ "endpoint_bytes", 0x120U }, \
	{ "err_endpoint", 0x128U }, \
	{ "flush_region", 0x130U }, \
	{ "region_bytes", 0x138U }

/* Counters of a link, in register order: struct glk_counter_row. */
#define GLK_LINK_COUNTER_ROWS \
	{ "flits_in", 0x8080U }, \
	{ "flits_out", 0x8088U }, \
	{ "flits_padded", 0x8090U }, \
	{ "parents", 0x8098U }, \
	{ "stitched", 0x80a0U }, \
	{ "partial", 0x80a8U }, \
	{ "pooled", 0x80b0U }, \
	{ "pool_stitched", 0x80b8U }, \
	{ "pool_timed_out", 0x80c0U }, \
	{ "queue_full", 0x80c8U }, \
	{ "trimmed_bytes", 0x80d0U }, \
	{ "flits_received", 0x80d8U }, \
	{ "frames_sent", 0x80e0U }, \
	{ "frames_received", 0x80e8U }, \
	{ "replays", 0x80f0U }, \
	{ "frames_replayed", 0x80f8U }, \
	{ "frames_repeated", 0x8100U }, \
	{ "crc_errors", 0x8108U }, \
	{ "sequence_errors", 0x8110U }, \
	{ "protocol_errors", 0x8118U }, \
	{ "version_errors", 0x8120U }, \
	{ "credit_stalls", 0x8128U }, \
	{ "ups", 0x8130U }, \
	{ "downs", 0x8138U }, \
	{ "strays", 0x8140U }, \
	{ "timeouts", 0x8148U }, \
	{ "lost_packets", 0x8150U }, \
	{ "served", 0x8158U }, \
	{ "denied", 0x8160U }, \
	{ "packets_read_request", 0x8180U }, \
	{ "packets_read_response", 0x8188U }, \
	{ "packets_write_request", 0x8190U }, \
	{ "packets_write_response", 0x8198U }, \
	{ "packets_translation_request", 0x81a0U }, \
	{ "packets_translation_response", 0x81a8U }, \
	{ "packets_finepack", 0x81b0U }, \
	{ "packets_release", 0x81b8U }, \
	{ "packets_released", 0x81c0U }, \
	{ "packets_atomic_request", 0x81c8U }, \
	{ "packets_atomic_response", 0x81d0U }, \
	{ "flits_read_request", 0x8200U }, \
	{ "flits_read_response", 0x8208U }, \
	{ "flits_write_request", 0x8210U }, \
	{ "flits_write_response", 0x8218U }, \
	{ "flits_translation_request", 0x8220U }, \
	{ "flits_translation_response", 0x8228U }, \
	{ "flits_finepack", 0x8230U }, \
	{ "flits_release", 0x8238U }, \
	{ "flits_released", 0x8240U }, \
	{ "flits_atomic_request", 0x8248U }, \
	{ "flits_atomic_response", 0x8250U }, \
	{ "waited_read_request", 0x8280U }, \
	{ "waited_read_response", 0x8288U }, \
	{ "waited_write_request", 0x8290U }, \
	{ "waited_write_response", 0x8298U }, \
	{ "waited_translation_request", 0x82a0U }, \
	{ "waited_translation_response", 0x82a8U }, \
	{ "waited_finepack", 0x82b0U }, \
	{ "waited_release", 0x82b8U }, \
	{ "waited_released", 0x82c0U }, \
	{ "waited_atomic_request", 0x82c8U }, \
	{ "waited_atomic_response", 0x82d0U }

/* Counters of a pool, in register order: struct glk_counter_row. */
#define GLK_POOL_COUNTER_ROWS \
	{ "reads", 0xc080U }, \
	{ "same", 0xc088U }, \
	{ "writes", 0xc090U }, \
	{ "untimed", 0xc098U }, \
	{ "evictions", 0xc0a0U }, \
	{ "epochs", 0xc0a8U }, \
	{ "refused", 0xc0b0U }, \
	{ "errors", 0xc0b8U }

/* Metrics of a partition: name, help, value of the label reason or NULL, and the offset. */
#define GLK_PARTITION_METRIC_ROWS \
	{ "stores", "Accepted stores.", NULL, offsetof(struct gpulink_counters, stores) }, \
	{ "store_bytes", "Bytes of the accepted stores.", NULL, offsetof(struct gpulink_counters, store_bytes) }, \
	{ "packets", "Sent packets; for kind link with MODE.COALESCE 0, write requests where the card sends these.", NULL, offsetof(struct gpulink_counters, packets) }, \
	{ "sub_packets", "Sent sub-packets (runs of bytes); a write request counts as one.", NULL, offsetof(struct gpulink_counters, sub_packets) }, \
	{ "payload_bytes", "Payload bytes of the sent packets, including sub-headers or the description of the compact form, without padding to a DW; of a write request, the bytes that it writes.", NULL, offsetof(struct gpulink_counters, payload_bytes) }, \
	{ "wire_bytes", "Wire bytes of the sent packets, on the link between cards or, with one card, inside it: payload padded to DWs, plus TLP_OVERHEAD_BYTES each; of a write request 76, its size on the link.", NULL, offsetof(struct gpulink_counters, wire_bytes) }, \
	{ "raw_wire_bytes", "Wire bytes of the same stores as plain memory writes, as window stores cross the source's hop: DWs touched, plus TLP_OVERHEAD_BYTES per TLP, split at MAX_PAYLOAD_BYTES.", NULL, offsetof(struct gpulink_counters, raw_wire_bytes) }, \
	{ "overwritten_bytes", "Store bytes that overwrote a queued byte.", NULL, offsetof(struct gpulink_counters, overwritten_bytes) }, \
	{ "flushes", "Packets by the reason why they were sent.", "window_miss", offsetof(struct gpulink_counters, flush_window_miss) }, \
	{ "flushes", "Packets by the reason why they were sent.", "payload_full", offsetof(struct gpulink_counters, flush_payload_full) }, \
	{ "flushes", "Packets by the reason why they were sent.", "entries_full", offsetof(struct gpulink_counters, flush_entries_full) }, \
	{ "flushes", "Packets by the reason why they were sent.", "release", offsetof(struct gpulink_counters, flush_release) }, \
	{ "flushes", "Packets by the reason why they were sent.", "timeout", offsetof(struct gpulink_counters, flush_timeout) }, \
	{ "flushes", "Packets by the reason why they were sent.", "load_hit", offsetof(struct gpulink_counters, flush_load_hit) }, \
	{ "flushes", "Packets by the reason why they were sent.", "atomic", offsetof(struct gpulink_counters, flush_atomic) }, \
	{ "flushes", "Packets by the reason why they were sent.", "config", offsetof(struct gpulink_counters, flush_config) }, \
	{ "flushes", "Packets by the reason why they were sent.", "drain", offsetof(struct gpulink_counters, flush_drain) }, \
	{ "flushes", "Packets by the reason why they were sent.", "region", offsetof(struct gpulink_counters, flush_region) }, \
	{ "loads", "Completed loads and gets.", NULL, offsetof(struct gpulink_counters, loads) }, \
	{ "atomics", "Executed atomics.", NULL, offsetof(struct gpulink_counters, atomics) }, \
	{ "endpoint_writes", "Plain writes posted to the endpoint, on the destination's hop.", NULL, offsetof(struct gpulink_counters, endpoint_writes) }, \
	{ "endpoint_bytes", "Bytes of the plain writes to the endpoint, without the 24 of each TLP.", NULL, offsetof(struct gpulink_counters, endpoint_bytes) }, \
	{ "endpoint_errors", "Failed endpoint writes and reads; for kind link: failed reads, atomics and write requests, failed releases (one each), and packets whose delivery was unconfirmed at the end of a session.", NULL, offsetof(struct gpulink_counters, err_endpoint) }, \
	{ "region_bytes", "Bytes of chunks stored to the partition; they count in STORES and STORE_BYTES, too.", NULL, offsetof(struct gpulink_counters, region_bytes) }

#define GLK_PARTITION_SETTING_COUNT 7U
#define GLK_PARTITION_SETTING_REGISTER_COUNT 4U
#define GLK_PARTITION_SLOT_SUBHEADER_BYTES 0U
#define GLK_PARTITION_SLOT_MAX_PAYLOAD_BYTES 1U
#define GLK_PARTITION_SLOT_FLUSH_TIMEOUT_NS 2U
#define GLK_PARTITION_SLOT_MODE 3U
/* Registers of the settings of a partition: struct glk_setting_register. */
#define GLK_PARTITION_SETTING_REGISTERS \
	{ "subheader_bytes", 0x0U, 0x6ULL }, \
	{ "max_payload_bytes", 0x8U, 0x1000ULL }, \
	{ "flush_timeout_ns", 0x10U, 0x0ULL }, \
	{ "mode", 0x18U, 0x1bULL }

/* Settings of a partition: struct glk_setting_row. */
#define GLK_PARTITION_SETTING_ROWS \
	{ "subheader_bytes", 0x0U, 0U, 0x0ULL, 0x0ULL, 2ULL, 6ULL, 0U }, \
	{ "max_payload_bytes", 0x8U, 1U, 0x0ULL, 0x0ULL, 128ULL, 4096ULL, 1U }, \
	{ "flush_timeout_ns", 0x10U, 2U, 0x0ULL, 0x0ULL, 0ULL, 1000000000ULL, 0U }, \
	{ "coalesce", 0x18U, 3U, 0x1ULL, 0x0ULL, 0ULL, 1ULL, 0U }, \
	{ "open", 0x18U, 3U, 0x4ULL, 0x10ULL, 0ULL, 1ULL, 0U }, \
	{ "packing", 0x18U, 3U, 0x8ULL, 0x100ULL, 0ULL, 1ULL, 0U }, \
	{ "compact", 0x18U, 3U, 0x10ULL, 0x200ULL, 0ULL, 1ULL, 0U }

/* Texts of these: struct glk_setting_text. */
#define GLK_PARTITION_SETTING_TEXTS \
	{ "2 to 6", -1 }, \
	{ "128, 256, 512, 1024, 2048 or 4096", -1 }, \
	{ "0 (never) to 1000000000", -1 }, \
	{ "0 or 1", -1 }, \
	{ "0 or 1", -1 }, \
	{ "0 or 1", -1 }, \
	{ "0 or 1", 5 }

#define GLK_LINK_SETTING_COUNT 11U
#define GLK_LINK_SETTING_REGISTER_COUNT 5U
#define GLK_LINK_SLOT_CONTROL 0U
#define GLK_LINK_SLOT_POOL_CYCLES 1U
#define GLK_LINK_SLOT_BURST 2U
#define GLK_LINK_SLOT_TRIM_BYTES 3U
#define GLK_LINK_SLOT_TIMEOUT_NS 4U
/* Registers of the settings of a link: struct glk_setting_register. */
#define GLK_LINK_SETTING_REGISTERS \
	{ "control", 0x8018U, 0x7fULL }, \
	{ "pool_cycles", 0x8030U, 0x20ULL }, \
	{ "burst", 0x8038U, 0x10ULL }, \
	{ "trim_bytes", 0x8040U, 0x10ULL }, \
	{ "timeout_ns", 0x8048U, 0x3b9aca00ULL }

/* Settings of a link: struct glk_setting_row. */
#define GLK_LINK_SETTING_ROWS \
	{ "enable", 0x8018U, 0U, 0x1ULL, 0x0ULL, 0ULL, 1ULL, 0U }, \
	{ "stitching", 0x8018U, 0U, 0x2ULL, 0x0ULL, 0ULL, 1ULL, 0U }, \
	{ "pooling", 0x8018U, 0U, 0x4ULL, 0x0ULL, 0ULL, 1ULL, 0U }, \
	{ "selective_pooling", 0x8018U, 0U, 0x8ULL, 0x0ULL, 0ULL, 1ULL, 0U }, \
	{ "yielding", 0x8018U, 0U, 0x40ULL, 0x0ULL, 0ULL, 1ULL, 0U }, \
	{ "sequencing", 0x8018U, 0U, 0x10ULL, 0x0ULL, 0ULL, 1ULL, 0U }, \
	{ "trimming", 0x8018U, 0U, 0x20ULL, 0x0ULL, 0ULL, 1ULL, 0U }, \
	{ "pool_cycles", 0x8030U, 1U, 0x0ULL, 0x0ULL, 0ULL, 128ULL, 0U }, \
	{ "burst", 0x8038U, 2U, 0x0ULL, 0x0ULL, 1ULL, 255ULL, 0U }, \
	{ "trim_bytes", 0x8040U, 3U, 0x0ULL, 0x0ULL, 4ULL, 32ULL, 1U }, \
	{ "timeout_ns", 0x8048U, 4U, 0x0ULL, 0x0ULL, 1000ULL, 10000000000ULL, 0U }

/* Texts of these: struct glk_setting_text. */
#define GLK_LINK_SETTING_TEXTS \
	{ "0 or 1", -1 }, \
	{ "0 or 1", -1 }, \
	{ "0 or 1", -1 }, \
	{ "0 or 1", -1 }, \
	{ "0 or 1", -1 }, \
	{ "0 or 1", -1 }, \
	{ "0 or 1", -1 }, \
	{ "0 to 128", -1 }, \
	{ "1 to 255", -1 }, \
	{ "4, 8, 16 or 32", -1 }, \
	{ "1000 to 10000000000", -1 }

#define GLK_POOL_SETTING_COUNT 3U
#define GLK_POOL_SETTING_REGISTER_COUNT 3U
#define GLK_POOL_SLOT_CONTROL 0U
#define GLK_POOL_SLOT_READ_LEASE 1U
#define GLK_POOL_SLOT_WRITE_LEASE 2U
/* Registers of the settings of a pool: struct glk_setting_register. */
#define GLK_POOL_SETTING_REGISTERS \
	{ "control", 0xc010U, 0x0ULL }, \
	{ "read_lease", 0xc018U, 0xaULL }, \
	{ "write_lease", 0xc020U, 0x5ULL }

/* Settings of a pool: struct glk_setting_row. */
#define GLK_POOL_SETTING_ROWS \
	{ "read_lease", 0xc018U, 1U, 0x0ULL, 0x0ULL, 1ULL, 32768ULL, 0U }, \
	{ "write_lease", 0xc020U, 2U, 0x0ULL, 0x0ULL, 1ULL, 32768ULL, 0U }, \
	{ "adapt", 0xc010U, 0U, 0x2ULL, 0x0ULL, 0ULL, 1ULL, 0U }

/* Texts of these: struct glk_setting_text. */
#define GLK_POOL_SETTING_TEXTS \
	{ "1 to 32768", -1 }, \
	{ "1 to 32768", -1 }, \
	{ "0 or 1", -1 }

/* Error codes of libgpulink: the code, its name and its text. */
#define GLK_CODE_ROWS \
	{ GPULINK_EINVAL, "EINVAL", "invalid argument" }, \
	{ GPULINK_ENOMEM, "ENOMEM", "out of memory, or locked memory limit exceeded" }, \
	{ GPULINK_ENODEV, "ENODEV", "no such device, or device removed" }, \
	{ GPULINK_EACCES, "EACCES", "permission denied" }, \
	{ GPULINK_ERANGE, "ERANGE", "out of range of the endpoint, window or memory" }, \
	{ GPULINK_ENOSPC, "ENOSPC", "no free context, window space or registration, or a limit reached" }, \
	{ GPULINK_ETIMEDOUT, "ETIMEDOUT", "timed out" }, \
	{ GPULINK_ENOTSUP, "ENOTSUP", "operation not supported by this device" }, \
	{ GPULINK_EPROTO, "EPROTO", "protocol violation by card or driver" }, \
	{ GPULINK_EINTR, "EINTR", "interrupted by a signal" }, \
	{ GPULINK_EIO, "EIO", "system call failed" }, \
	{ GPULINK_EFAULT, "EFAULT", "card rejected accesses through a window" }, \
	{ GPULINK_EBUSY, "EBUSY", "card is busy, or too many completions not taken" }, \
	{ GPULINK_ECANCELED, "ECANCELED", "cancelled, because the command before it failed" }, \
	{ GPULINK_ENOENDPOINT, "ENOENDPOINT", "partition has no endpoint" }, \
	{ GPULINK_ERESET, "ERESET", "card was reset after the device was opened" }, \
	{ GPULINK_EENDPOINT, "EENDPOINT", "write to an endpoint failed" }, \
	{ GPULINK_EABI, "EABI", "incompatible interface version of the driver or of the program's header" }, \
	{ GPULINK_EUNREACHABLE, "EUNREACHABLE", "memory not reachable by the card" }, \
	{ GPULINK_EFORK, "EFORK", "device was opened by the parent process" }

/* The code of each status of a completion, by number; 0: none. */
#define GLK_STATUS_CODES \
	0, \
	GPULINK_EPROTO, \
	GPULINK_EPROTO, \
	GPULINK_EINVAL, \
	GPULINK_ERANGE, \
	GPULINK_EINVAL, \
	GPULINK_ERANGE, \
	GPULINK_EACCES, \
	GPULINK_EINVAL, \
	GPULINK_EINVAL, \
	GPULINK_EIO, \
	GPULINK_EENDPOINT, \
	GPULINK_EPROTO, \
	GPULINK_EPROTO, \
	GPULINK_ERESET, \
	GPULINK_EINVAL, \
	GPULINK_EBUSY, \
	GPULINK_ERANGE, \
	GPULINK_ERANGE, \
	GPULINK_ENOTSUP

/* Names of the errors in the driver's log, by number. */
#define GLK_ERROR_NAMES \
	[0] = "window", \
	[1] = "packet", \
	[2] = "config", \
	[3] = "dma", \
	[4] = "endpoint", \
	[5] = "ring", \
	[6] = "link", \
	[16] = "lost", \
	[17] = "drain", \
	[18] = "reset", \
	[19] = "foreign", \
	[20] = "block", \
	[21] = "capabilities", \
	[22] = "bar", \
	[23] = "vectors", \
	[24] = "endpoint_name", \
	[25] = "endpoint_gone", \
	[26] = "perf", \
	[27] = "peer", \
	[28] = "dmabuf", \
	[29] = "coherence"

/* Policies, in the order in which to set them: struct glk_policy_row. */
#define GLK_POLICY_ROWS \
	{ "paper", 6U, 0ULL }, \
	{ "paper", 5U, 0ULL }, \
	{ "paper", 0U, 5ULL }, \
	{ "best", 0U, 6ULL }, \
	{ "best", 5U, 1ULL }, \
	{ "best", 6U, 1ULL }

#define GLK_POLICY_HELP \
	"paper: FinePack as published, compact 0, packing 0, subheader_bytes 5.\n" \
	"best: the defaults, subheader_bytes 6, packing 1, compact 1.\n"

#define GLK_PARTITION_SETTING_HELP \
	"SETTING is subheader_bytes (2 to 6), max_payload_bytes (128, 256, 512, 1024, 2048 or 4096),\n" \
	"flush_timeout_ns (0 to 1000000000), coalesce (0 or 1), open (0 or 1), packing (0 or 1) or compact (0 or 1).\n"

#define GLK_LINK_SETTING_HELP \
	"SETTING is enable (0 or 1), stitching (0 or 1), pooling (0 or 1), selective_pooling (0 or 1), yielding (0\n" \
	"or 1), sequencing (0 or 1), trimming (0 or 1), pool_cycles (0 to 128), burst (1 to 255), trim_bytes (4, 8,\n" \
	"16 or 32) or timeout_ns (1000 to 10000000000).\n"

/* Keys of the link's settings in gpulinkd.conf. */
#define GLK_LINK_SETTING_KEYS \
	"link_enable", \
	"link_stitching", \
	"link_pooling", \
	"link_selective_pooling", \
	"link_yielding", \
	"link_sequencing", \
	"link_trimming", \
	"link_pool_cycles", \
	"link_burst", \
	"link_trim_bytes", \
	"link_timeout_ns"

#endif /* GPULINK_TABLES_H */
