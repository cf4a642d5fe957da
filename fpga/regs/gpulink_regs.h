/* SPDX-License-Identifier: (GPL-2.0-only OR Apache-2.0) */
/* Generated from fpga/regs by fpga/regs/generate.py: edit the description there, not this. */
#ifndef GPULINK_REGS_H
#define GPULINK_REGS_H

/* Constants */
#define GLK_PCI_VENDOR				0x1234U /* PCI vendor of the card */
#define GLK_PCI_DEVICE				0x6c6bU /* PCI device of the card */
#define GLK_PCI_CLASS				0x120000U /* PCI class code: processing accelerator */
#define GLK_MAGIC				0x6b6e696c75706700ULL /* value of CARD.MAGIC: "\\0gpulink" as little-endian bytes */
#define GLK_BAR0_SIZE				0x100000U /* bytes of BAR 0, the registers */
#define GLK_MSIX_TABLE_OFFSET			0xf0000U /* MSI-X table in BAR 0 */
#define GLK_MSIX_PBA_OFFSET			0xf8000U /* MSI-X pending bits in BAR 0 */
#define GLK_EVENT_VECTOR			0U /* MSI-X vector of errors and link events; the others belong to rings */
#define GLK_PAGE_SIZE				0x1000U /* page size of doorbell pages, of a registration's page list and of its tables */
#define GLK_LARGE_PAGE_SIZE			0x200000U /* page size of a registration's page list with large pages */
#define GLK_LINE_BYTES				0x80U /* bytes of a write queue entry (FinePack IV-B) */
#define GLK_SUBHEADER_MIN			2U /* minimum sub-header bytes (FinePack Table II) */
#define GLK_SUBHEADER_MAX			6U /* maximum sub-header bytes (FinePack Table II) */
#define GLK_SUBHEADER_LENGTH_BITS		0xaU /* length bits of a sub-header; the rest is the offset */
#define GLK_PAYLOAD_MIN				0x80U /* minimum payload limit of a packet; limits are powers of two */
#define GLK_PAYLOAD_MAX				0x1000U /* maximum payload limit of a packet */
#define GLK_TIMEOUT_MAX_NS			0x3b9aca00U /* maximum inactivity timeout in nanoseconds; 0 disables it */
#define GLK_LINK_TIMEOUT_MAX_NS			0x2540be400ULL /* maximum LINK.TIMEOUT_NS */
#define GLK_TLP_OVERHEAD_BYTES			0x18U /* bytes of a TLP in addition to its payload: 4-DW header 16, sequence 2, LCRC 4, framing 2 */
#define GLK_PUT_MAX_BYTES			0x1000000U /* maximum bytes of one put or get */
#define GLK_PUTV_MAX_BYTES			0x10000U /* maximum bytes of one put vector, including record headers */
#define GLK_INLINE_MAX_BYTES			0x20U /* maximum inline bytes of a ring entry */
#define GLK_RING_ORDER_MIN			4U /* minimum log2 of a ring's entries */
#define GLK_CAPTURE_ORDER_MIN			4U /* minimum log2 of a capture ring's records */
#define GLK_CAPTURE_ORDER_MAX			0x10U /* maximum log2 of a capture ring's records */
#define GLK_REGION_ORDER_MIN			0xcU /* minimum log2 of a chunk's bytes (PROACT II-B: chunks of 4 kB to 16 MB) */
#define GLK_REGION_ORDER_MAX			0x18U /* maximum log2 of a chunk's bytes */
#define GLK_REGION_TARGETS			8U /* maximum targets of a region */
#define GLK_REGION_EPOCHS			0xffU /* ARRIVE.EPOCH of an epoch is (epoch - 1) mod REGION_EPOCHS + 1 */
#define GLK_POOL_SLOTS				0x40U /* slots of the pool, each with its grain (TSU.GRAIN) */
#define GLK_GRAIN_ORDER_MIN			6U /* minimum log2 of a line's bytes, the unit of leases */
#define GLK_GRAIN_ORDER_MAX			0xcU /* maximum log2 of a line's bytes */
#define GLK_RENEW_MAX				0x100U /* maximum renewals of one pool_renew */
#define GLK_NO_REGISTRATION			0xffffU /* registration handle of an atomic that discards the old value */

/* Identity, capabilities, control and card-wide counters. Mapped by the kernel only. */
#define GLK_BLOCK_CARD				0U /* HEADER: type 15:0, version 31:16, offset of the next block 63:32 */
#define GLK_BLOCK_CARD_TYPE			1U
#define GLK_BLOCK_CARD_VERSION			1U
#define GLK_BLOCK_CARD_NEXT			0x1000U
#define GLK_CARD_MAGIC				8U /* ro */
#define GLK_CARD_HW_VERSION			0x10U /* ro */
#define GLK_CARD_HW_VERSION_PATCH_MASK		0x000000000000ffffULL
#define GLK_CARD_HW_VERSION_PATCH_SHIFT		0U
#define GLK_CARD_HW_VERSION_MINOR_MASK		0x00000000ffff0000ULL
#define GLK_CARD_HW_VERSION_MINOR_SHIFT		0x10U
#define GLK_CARD_HW_VERSION_MAJOR_MASK		0x0000ffff00000000ULL
#define GLK_CARD_HW_VERSION_MAJOR_SHIFT		0x20U
#define GLK_CARD_CAPS0				0x18U /* ro */
#define GLK_CARD_CAPS0_PARTITIONS_MASK		0x00000000000000ffULL /* partitions (destinations) */
#define GLK_CARD_CAPS0_PARTITIONS_SHIFT		0U
#define GLK_CARD_CAPS0_CONTEXTS_MASK		0x000000000000ff00ULL /* contexts */
#define GLK_CARD_CAPS0_CONTEXTS_SHIFT		8U
#define GLK_CARD_CAPS0_QUEUE_ENTRIES_MASK	0x0000000000ff0000ULL /* write queue entries of a partition */
#define GLK_CARD_CAPS0_QUEUE_ENTRIES_SHIFT	0x10U
#define GLK_CARD_CAPS0_SUBHEADER_WIDTHS_MASK	0x00000000ff000000ULL /* bit N set: a sub-header may have N bytes */
#define GLK_CARD_CAPS0_SUBHEADER_WIDTHS_SHIFT	0x18U
#define GLK_CARD_CAPS0_VECTORS_MASK		0x0000ffff00000000ULL /* MSI-X vectors */
#define GLK_CARD_CAPS0_VECTORS_SHIFT		0x20U
#define GLK_CARD_CAPS0_RING_ORDER_MAX_MASK	0x00ff000000000000ULL /* maximum log2 of a ring's entries */
#define GLK_CARD_CAPS0_RING_ORDER_MAX_SHIFT	0x30U
#define GLK_CARD_CAPS1				0x20U /* ro */
#define GLK_CARD_CAPS1_SLICES_MASK		0x000000000000ffffULL /* slices of the window aperture (BAR 2) */
#define GLK_CARD_CAPS1_SLICES_SHIFT		0U
#define GLK_CARD_CAPS1_SLICE_SHIFT_MASK		0x0000000000ff0000ULL /* log2 of the bytes of a slice */
#define GLK_CARD_CAPS1_SLICE_SHIFT_SHIFT	0x10U
#define GLK_CARD_CAPS1_REGISTRATIONS_MASK	0x000000ffff000000ULL /* entries of the registration table */
#define GLK_CARD_CAPS1_REGISTRATIONS_SHIFT	0x18U
#define GLK_CARD_CAPS1_CLOCK_MHZ_MASK		0x00ffff0000000000ULL /* clock of the logic in MHz */
#define GLK_CARD_CAPS1_CLOCK_MHZ_SHIFT		0x28U
#define GLK_CARD_FEATURES			0x28U /* ro */
#define GLK_CARD_FEATURES_FINEPACK_MASK		0x0000000000000001ULL /* write queues, packetizer, de-packetizer */
#define GLK_CARD_FEATURES_FINEPACK_SHIFT	0U
#define GLK_CARD_FEATURES_LOOPBACK_MASK		0x0000000000000002ULL /* the link is looped onto the card itself */
#define GLK_CARD_FEATURES_LOOPBACK_SHIFT	1U
#define GLK_CARD_FEATURES_POOL_MASK		0x0000000000000004ULL /* pool memory behind BAR 4 */
#define GLK_CARD_FEATURES_POOL_SHIFT		2U
#define GLK_CARD_FEATURES_ATOMICS_MASK		0x0000000000000008ULL /* ring operations fetch_add, swap, cas */
#define GLK_CARD_FEATURES_ATOMICS_SHIFT		3U
#define GLK_CARD_FEATURES_LINK_MASK		0x0000000000000010ULL /* a link to another card: block LINK, endpoints of kind link */
#define GLK_CARD_FEATURES_LINK_SHIFT		4U
#define GLK_CARD_FEATURES_CAPTURE_MASK		0x0000000000000020ULL /* link captures: block CAPTURE; only with LINK */
#define GLK_CARD_FEATURES_CAPTURE_SHIFT		5U
#define GLK_CARD_FEATURES_REGION_MASK		0x0000000000000040ULL /* regions, sent by chunks when their last writer arrives: blocks REGION and CHUNK */
#define GLK_CARD_FEATURES_REGION_SHIFT		6U
#define GLK_CARD_FEATURES_LEASE_MASK		0x0000000000000080ULL /* leases on the pool's lines: block TSU, ring operations pool_read, pool_renew, pool_write, timed atomics */
#define GLK_CARD_FEATURES_LEASE_SHIFT		7U
#define GLK_CARD_FEATURES_PACKING_MASK		0x0000000000000100ULL /* PARTITION.MODE.PACKING; packets of a single run are accepted */
#define GLK_CARD_FEATURES_PACKING_SHIFT		8U
#define GLK_CARD_FEATURES_COMPACT_MASK		0x0000000000000200ULL /* PARTITION.MODE.COMPACT; packets in the compact form are accepted */
#define GLK_CARD_FEATURES_COMPACT_SHIFT		9U
#define GLK_CARD_FEATURES_ARRAY_MASK		0x0000000000000800ULL /* packets in the array form are accepted */
#define GLK_CARD_FEATURES_ARRAY_SHIFT		0xbU
#define GLK_CARD_CONTROL			0x30U /* rw */
#define GLK_CARD_CONTROL_ENABLE_MASK		0x0000000000000001ULL /* 1: stores, rings and link traffic are accepted; 0: stores are dropped and counted, doorbells are ignored */
#define GLK_CARD_CONTROL_ENABLE_SHIFT		0U
#define GLK_CARD_CONTROL_RESET_MASK		0x0000000000000002ULL /* write 1: drops queued stores (counted in DROPPED_STORES), clears tables and configuration, and increments GENERATION; the bit then reads 0. Writes are ignored until STATUS.READY is 1 */
#define GLK_CARD_CONTROL_RESET_SHIFT		1U
#define GLK_CARD_CONTROL_FIELDS_MASK		0x0000000000000003ULL /* all of its fields */
#define GLK_CARD_STATUS				0x38U /* ro */
#define GLK_CARD_STATUS_READY_MASK		0x0000000000000001ULL /* registers are usable; 0 only during a reset: then only reads of this register complete, other reads wait for the end of the reset, and writes are ignored. Poll it after every reset */
#define GLK_CARD_STATUS_READY_SHIFT		0U
#define GLK_CARD_STATUS_IDLE_MASK		0x0000000000000002ULL /* no partition holds a store and every endpoint write is acknowledged */
#define GLK_CARD_STATUS_IDLE_SHIFT		1U
#define GLK_CARD_STATUS_LINK_UP_MASK		0x0000000000000004ULL /* the link carries packets: always 1 for a looped link; LINK.STATUS.UP with FEATURES.LINK */
#define GLK_CARD_STATUS_LINK_UP_SHIFT		2U
#define GLK_CARD_GENERATION			0x40U /* ro */
#define GLK_CARD_SCRATCH			0x48U /* rw */
#define GLK_CARD_SERIAL				0x50U /* ro */
#define GLK_CARD_POOL_BYTES			0x58U /* ro */
#define GLK_CARD_ERROR_CAUSE			0x60U /* w1c */
#define GLK_CARD_ERROR_CAUSE_WINDOW_MASK	0x0000000000000001ULL /* an aperture access that no window permits */
#define GLK_CARD_ERROR_CAUSE_WINDOW_SHIFT	0U
#define GLK_CARD_ERROR_CAUSE_PACKET_MASK	0x0000000000000002ULL /* a malformed packet from the link */
#define GLK_CARD_ERROR_CAUSE_PACKET_SHIFT	1U
#define GLK_CARD_ERROR_CAUSE_CONFIG_MASK	0x0000000000000004ULL /* a rejected register write */
#define GLK_CARD_ERROR_CAUSE_CONFIG_SHIFT	2U
#define GLK_CARD_ERROR_CAUSE_DMA_MASK		0x0000000000000008ULL /* a failed read or write of host memory */
#define GLK_CARD_ERROR_CAUSE_DMA_SHIFT		3U
#define GLK_CARD_ERROR_CAUSE_ENDPOINT_MASK	0x0000000000000010ULL /* an endpoint rejected a write or read */
#define GLK_CARD_ERROR_CAUSE_ENDPOINT_SHIFT	4U
#define GLK_CARD_ERROR_CAUSE_RING_MASK		0x0000000000000020ULL /* a ring stopped (see the context's STATUS) */
#define GLK_CARD_ERROR_CAUSE_RING_SHIFT		5U
#define GLK_CARD_ERROR_CAUSE_LINK_MASK		0x0000000000000040ULL /* the link to the other card changed state: see LINK.STATUS, LINK.UPS and LINK.DOWNS */
#define GLK_CARD_ERROR_CAUSE_LINK_SHIFT		6U
#define GLK_CARD_DRAIN				0x68U /* rw */
#define GLK_CARD_DRAIN_KIND_MASK		0x000000000000000fULL /* 0 the card, 1 a window (ID = its first slice), 2 a context, 3 a partition */
#define GLK_CARD_DRAIN_KIND_SHIFT		0U
#define GLK_CARD_DRAIN_ID_MASK			0x00000000ffff0000ULL
#define GLK_CARD_DRAIN_ID_SHIFT			0x10U
#define GLK_CARD_DRAIN_BUSY_MASK		0x8000000000000000ULL /* read only */
#define GLK_CARD_DRAIN_BUSY_SHIFT		0x3fU
#define GLK_CARD_DRAIN_FIELDS_MASK		0x80000000ffff000fULL /* all of its fields */
#define GLK_CARD_SNAPSHOT			0x70U /* rw */
#define GLK_CARD_CAPS2				0x78U /* ro */
#define GLK_CARD_CAPS2_REGIONS_MASK		0x000000000000ffffULL /* regions */
#define GLK_CARD_CAPS2_REGIONS_SHIFT		0U
#define GLK_CARD_CAPS2_CHUNKS_MASK		0x000000ffffff0000ULL /* readiness counters: chunks of all regions together */
#define GLK_CARD_CAPS2_CHUNKS_SHIFT		0x10U
#define GLK_CARD_CAPS2_TARGETS_MASK		0x0000ff0000000000ULL /* targets per region */
#define GLK_CARD_CAPS2_TARGETS_SHIFT		0x28U
#define GLK_CARD_ERR_WINDOW			0x80U /* ro */
#define GLK_CARD_ERR_PACKET			0x88U /* ro */
#define GLK_CARD_ERR_CONFIG			0x90U /* ro */
#define GLK_CARD_ERR_DMA			0x98U /* ro */
#define GLK_CARD_ERR_ENTRY			0xa0U /* ro */
#define GLK_CARD_DROPPED_STORES			0xa8U /* ro */
#define GLK_CARD_PACKETS_RECEIVED		0xb0U /* ro */
#define GLK_CARD_REGION_ARRIVALS		0xb8U /* ro */
#define GLK_CARD_REGION_CHUNKS			0xc0U /* ro */
#define GLK_CARD_REGION_PARTIAL			0xc8U /* ro */
#define GLK_CARD_REGION_EPOCHS			0xd0U /* ro */
#define GLK_CARD_ERR_ARRIVE			0xd8U /* ro */
#define GLK_CARD_COUNTERS			0xcU /* number of counters */
#define GLK_CARD_COUNTER_FIRST			0x80U
#define GLK_CARD_COUNTER_LAST			0xd8U
#define GLK_CARD_COUNTER_SPAN			0xcU /* registers from the first to the last */

/* The write queues: one partition per destination endpoint, CAPS0.PARTITIONS of them. */
#define GLK_BLOCK_PARTITION			0x1000U /* HEADER: type 15:0, version 31:16, offset of the next block 63:32 */
#define GLK_BLOCK_PARTITION_TYPE		2U
#define GLK_BLOCK_PARTITION_VERSION		1U
#define GLK_BLOCK_PARTITION_NEXT		0x4000U
#define GLK_PARTITION_ARRAY			0x2000U /* first element */
#define GLK_PARTITION_STRIDE			0x200U /* bytes between elements */
#define GLK_PARTITION_COUNT			0x10U /* maximum number of elements */
#define GLK_PARTITION_SUBHEADER_BYTES		0U /* rw */
#define GLK_PARTITION_SUBHEADER_BYTES_RESET	6U
#define GLK_PARTITION_SUBHEADER_BYTES_PAPER	5U /* FinePack as published */
#define GLK_PARTITION_MAX_PAYLOAD_BYTES		8U /* rw */
#define GLK_PARTITION_MAX_PAYLOAD_BYTES_RESET	0x1000U
#define GLK_PARTITION_FLUSH_TIMEOUT_NS		0x10U /* rw */
#define GLK_PARTITION_MODE			0x18U /* rw */
#define GLK_PARTITION_MODE_RESET		0x1bU
#define GLK_PARTITION_MODE_PAPER		3U /* FinePack as published */
#define GLK_PARTITION_MODE_COALESCE_MASK	0x0000000000000001ULL /* 1: stores are queued and packed; 0: every store is sent immediately in its own packet, over the link as write requests of at most 64 bytes, or as FinePack packets of one store (the Verilog card) */
#define GLK_PARTITION_MODE_COALESCE_SHIFT	0U
#define GLK_PARTITION_MODE_SELF_DESCRIBE_MASK	0x0000000000000002ULL /* 1: First BE carries the sub-header width; 0: First BE is 0, the paper's own form */
#define GLK_PARTITION_MODE_SELF_DESCRIBE_SHIFT	1U
#define GLK_PARTITION_MODE_OPEN_MASK		0x0000000000000004ULL /* 1: the remote card may read and write this endpoint (kind bus or pool); 0: its requests are rejected. FEATURES.LINK only */
#define GLK_PARTITION_MODE_OPEN_SHIFT		2U
#define GLK_PARTITION_MODE_PACKING_MASK		0x0000000000000008ULL /* 0: a queue leaves as one packet, at the latest when its payload is full; 1: when its entries are full, in as many packets as it takes, adjacent lines as one run. FEATURES.PACKING only */
#define GLK_PARTITION_MODE_PACKING_SHIFT	3U
#define GLK_PARTITION_MODE_COMPACT_MASK		0x0000000000000010ULL /* 1: with PACKING, packets leave in the compact form where it takes less; over a link only if the other card accepts it. FEATURES.COMPACT only */
#define GLK_PARTITION_MODE_COMPACT_SHIFT	4U
#define GLK_PARTITION_MODE_FIELDS_MASK		0x000000000000001fULL /* all of its fields */
#define GLK_PARTITION_EP_KIND			0x20U /* rw */
#define GLK_PARTITION_EP_BASE			0x28U /* rw */
#define GLK_PARTITION_EP_BASE_REMOTE_PARTITION_MASK	0x000000000000f000ULL /* kind link: the remote card's partition that this one represents; no two partitions of kind link may represent the same */
#define GLK_PARTITION_EP_BASE_REMOTE_PARTITION_SHIFT	0xcU
#define GLK_PARTITION_EP_BASE_FIELDS_MASK	0x000000000000f000ULL /* all of its fields */
#define GLK_PARTITION_EP_BYTES			0x30U /* rw */
#define GLK_PARTITION_STATUS			0x38U /* ro */
#define GLK_PARTITION_STATUS_ENTRIES_MASK	0x000000000000ffffULL /* entries in use */
#define GLK_PARTITION_STATUS_ENTRIES_SHIFT	0U
#define GLK_PARTITION_STATUS_PAYLOAD_MASK	0x00000000ffff0000ULL /* payload bytes of a flush at this moment */
#define GLK_PARTITION_STATUS_PAYLOAD_SHIFT	0x10U
#define GLK_PARTITION_STATUS_UNACKNOWLEDGED_MASK	0xffffffff00000000ULL /* endpoint writes not yet acknowledged; for kind link, packets not yet confirmed; releases and drains request the confirmation */
#define GLK_PARTITION_STATUS_UNACKNOWLEDGED_SHIFT	0x20U
#define GLK_PARTITION_REMOTE_BYTES		0x40U /* rw */
#define GLK_PARTITION_REMOTE_BYTES_BYTES_MASK	0x0000ffffffffffffULL /* bytes of its endpoint; 0: no endpoint, or not open to the link */
#define GLK_PARTITION_REMOTE_BYTES_BYTES_SHIFT	0U
#define GLK_PARTITION_REMOTE_BYTES_READ_MASK	0x0001000000000000ULL /* readable */
#define GLK_PARTITION_REMOTE_BYTES_READ_SHIFT	0x30U
#define GLK_PARTITION_REMOTE_BYTES_WRITE_MASK	0x0002000000000000ULL /* writable */
#define GLK_PARTITION_REMOTE_BYTES_WRITE_SHIFT	0x31U
#define GLK_PARTITION_REMOTE_BYTES_ANSWERED_MASK	0x8000000000000000ULL /* the remote card has responded */
#define GLK_PARTITION_REMOTE_BYTES_ANSWERED_SHIFT	0x3fU
#define GLK_PARTITION_REMOTE_BYTES_FIELDS_MASK	0x8003ffffffffffffULL /* all of its fields */
#define GLK_PARTITION_STORES			0x80U /* ro */
#define GLK_PARTITION_STORE_BYTES		0x88U /* ro */
#define GLK_PARTITION_PACKETS			0x90U /* ro */
#define GLK_PARTITION_SUB_PACKETS		0x98U /* ro */
#define GLK_PARTITION_PAYLOAD_BYTES		0xa0U /* ro */
#define GLK_PARTITION_WIRE_BYTES		0xa8U /* ro */
#define GLK_PARTITION_RAW_WIRE_BYTES		0xb0U /* ro */
#define GLK_PARTITION_OVERWRITTEN_BYTES		0xb8U /* ro */
#define GLK_PARTITION_FLUSH_WINDOW_MISS		0xc0U /* ro */
#define GLK_PARTITION_FLUSH_PAYLOAD_FULL	0xc8U /* ro */
#define GLK_PARTITION_FLUSH_ENTRIES_FULL	0xd0U /* ro */
#define GLK_PARTITION_FLUSH_RELEASE		0xd8U /* ro */
#define GLK_PARTITION_FLUSH_TIMEOUT		0xe0U /* ro */
#define GLK_PARTITION_FLUSH_LOAD_HIT		0xe8U /* ro */
#define GLK_PARTITION_FLUSH_ATOMIC		0xf0U /* ro */
#define GLK_PARTITION_FLUSH_CONFIG		0xf8U /* ro */
#define GLK_PARTITION_FLUSH_DRAIN		0x100U /* ro */
#define GLK_PARTITION_LOADS			0x108U /* ro */
#define GLK_PARTITION_ATOMICS			0x110U /* ro */
#define GLK_PARTITION_ENDPOINT_WRITES		0x118U /* ro */
#define GLK_PARTITION_ENDPOINT_BYTES		0x120U /* ro */
#define GLK_PARTITION_ERR_ENDPOINT		0x128U /* ro */
#define GLK_PARTITION_FLUSH_REGION		0x130U /* ro */
#define GLK_PARTITION_REGION_BYTES		0x138U /* ro */
#define GLK_PARTITION_COUNTERS			0x18U /* number of counters */
#define GLK_PARTITION_COUNTER_FIRST		0x80U
#define GLK_PARTITION_COUNTER_LAST		0x138U
#define GLK_PARTITION_COUNTER_SPAN		0x18U /* registers from the first to the last */

/* The window table: one entry per slice of the aperture. A window is a range of slices that name
 * the same first slice. Write Q1 and Q2 first; Q0 validates the entry. A valid entry can only be
 * cleared (Q0 = 0), which flushes the window's partition first (reason drain); a subsequent
 * drain waits for the arrival of that data. */
#define GLK_BLOCK_WINDOW			0x4000U /* HEADER: type 15:0, version 31:16, offset of the next block 63:32 */
#define GLK_BLOCK_WINDOW_TYPE			3U
#define GLK_BLOCK_WINDOW_VERSION		1U
#define GLK_BLOCK_WINDOW_NEXT			0x5000U
#define GLK_WINDOW_ARRAY			0x10000U /* first element */
#define GLK_WINDOW_STRIDE			0x20U /* bytes between elements */
#define GLK_WINDOW_COUNT			0x400U /* maximum number of elements */
#define GLK_WINDOW_Q0				0U /* rw */
#define GLK_WINDOW_Q0_VALID_MASK		0x0000000000000001ULL
#define GLK_WINDOW_Q0_VALID_SHIFT		0U
#define GLK_WINDOW_Q0_READ_MASK			0x0000000000000002ULL /* loads and gets are permitted */
#define GLK_WINDOW_Q0_READ_SHIFT		1U
#define GLK_WINDOW_Q0_WRITE_MASK		0x0000000000000004ULL /* stores, puts and atomics are permitted (atomics also require read) */
#define GLK_WINDOW_Q0_WRITE_SHIFT		2U
#define GLK_WINDOW_Q0_PARTITION_MASK		0x000000000000ff00ULL
#define GLK_WINDOW_Q0_PARTITION_SHIFT		8U
#define GLK_WINDOW_Q0_CONTEXT_MASK		0x00000000ffff0000ULL
#define GLK_WINDOW_Q0_CONTEXT_SHIFT		0x10U
#define GLK_WINDOW_Q0_FIRST_MASK		0x0000ffff00000000ULL /* first slice of the window: the window's handle in ring entries */
#define GLK_WINDOW_Q0_FIRST_SHIFT		0x20U
#define GLK_WINDOW_Q0_FIELDS_MASK		0x0000ffffffffff07ULL /* all of its fields */
#define GLK_WINDOW_Q1				8U /* rw */
#define GLK_WINDOW_Q2				0x10U /* rw */

/* The registration table: host memory that ring entries name by handle (the index of the table
 * entry). Write Q1..Q3 first; Q0 validates the entry. */
#define GLK_BLOCK_REGISTRATION			0x5000U /* HEADER: type 15:0, version 31:16, offset of the next block 63:32 */
#define GLK_BLOCK_REGISTRATION_TYPE		4U
#define GLK_BLOCK_REGISTRATION_VERSION		1U
#define GLK_BLOCK_REGISTRATION_NEXT		0x6000U
#define GLK_REGISTRATION_ARRAY			0x18000U /* first element */
#define GLK_REGISTRATION_STRIDE			0x20U /* bytes between elements */
#define GLK_REGISTRATION_COUNT			0x400U /* maximum number of elements */
#define GLK_REGISTRATION_Q0			0U /* rw */
#define GLK_REGISTRATION_Q0_VALID_MASK		0x0000000000000001ULL
#define GLK_REGISTRATION_Q0_VALID_SHIFT		0U
#define GLK_REGISTRATION_Q0_READ_MASK		0x0000000000000002ULL /* the card may read it (source of puts) */
#define GLK_REGISTRATION_Q0_READ_SHIFT		1U
#define GLK_REGISTRATION_Q0_WRITE_MASK		0x0000000000000004ULL /* the card may write it (target of gets, old values of atomics) */
#define GLK_REGISTRATION_Q0_WRITE_SHIFT		2U
#define GLK_REGISTRATION_Q0_CONTEXT_MASK	0x00000000ffff0000ULL
#define GLK_REGISTRATION_Q0_CONTEXT_SHIFT	0x10U
#define GLK_REGISTRATION_Q0_FIELDS_MASK		0x00000000ffff0007ULL /* all of its fields */
#define GLK_REGISTRATION_Q1			8U /* rw */
#define GLK_REGISTRATION_Q2			0x10U /* rw */
#define GLK_REGISTRATION_Q3			0x18U /* rw */
#define GLK_REGISTRATION_Q3_OFFSET_MASK		0x00000000001fffffULL /* offset of the first byte in the first page, below the page size */
#define GLK_REGISTRATION_Q3_OFFSET_SHIFT	0U
#define GLK_REGISTRATION_Q3_LARGE_MASK		0x0000000100000000ULL /* pages of LARGE_PAGE_SIZE instead of PAGE_SIZE bytes */
#define GLK_REGISTRATION_Q3_LARGE_SHIFT		0x20U
#define GLK_REGISTRATION_Q3_TABLES_MASK		0x0000000200000000ULL /* list of tables of page addresses */
#define GLK_REGISTRATION_Q3_TABLES_SHIFT	0x21U
#define GLK_REGISTRATION_Q3_FIELDS_MASK		0x00000003001fffffULL /* all of its fields */

/* Contexts: rings and completion record. Mapped by the kernel only. */
#define GLK_BLOCK_CONTEXT			0x6000U /* HEADER: type 15:0, version 31:16, offset of the next block 63:32 */
#define GLK_BLOCK_CONTEXT_TYPE			5U
#define GLK_BLOCK_CONTEXT_VERSION		2U
#define GLK_BLOCK_CONTEXT_NEXT			0x7000U
#define GLK_CONTEXT_ARRAY			0x20000U /* first element */
#define GLK_CONTEXT_STRIDE			0x100U /* bytes between elements */
#define GLK_CONTEXT_COUNT			0x20U /* maximum number of elements */
#define GLK_CONTEXT_CONTROL			0U /* rw */
#define GLK_CONTEXT_CONTROL_ENABLE_MASK		0x0000000000000001ULL
#define GLK_CONTEXT_CONTROL_ENABLE_SHIFT	0U
#define GLK_CONTEXT_CONTROL_USER_DOORBELL_MASK	0x0000000000000002ULL /* also accept SQ_TAIL and CQ_HEAD of the doorbell page */
#define GLK_CONTEXT_CONTROL_USER_DOORBELL_SHIFT	1U
#define GLK_CONTEXT_CONTROL_FIELDS_MASK		0x0000000000000003ULL /* all of its fields */
#define GLK_CONTEXT_SQ_BASE			8U /* rw */
#define GLK_CONTEXT_CQ_BASE			0x10U /* rw */
#define GLK_CONTEXT_ORDER			0x18U /* rw */
#define GLK_CONTEXT_ORDER_SQ_MASK		0x00000000000000ffULL
#define GLK_CONTEXT_ORDER_SQ_SHIFT		0U
#define GLK_CONTEXT_ORDER_CQ_MASK		0x000000000000ff00ULL
#define GLK_CONTEXT_ORDER_CQ_SHIFT		8U
#define GLK_CONTEXT_ORDER_FIELDS_MASK		0x000000000000ffffULL /* all of its fields */
#define GLK_CONTEXT_RECORD			0x20U /* rw */
#define GLK_CONTEXT_VECTOR			0x28U /* rw */
#define GLK_CONTEXT_SQ_TAIL			0x30U /* rw */
#define GLK_CONTEXT_CQ_HEAD			0x38U /* rw */
#define GLK_CONTEXT_SQ_HEAD			0x40U /* ro */
#define GLK_CONTEXT_CQ_TAIL			0x48U /* ro */
#define GLK_CONTEXT_STATUS			0x50U /* ro */
#define GLK_CONTEXT_ERRORS			0x58U /* ro */
#define GLK_CONTEXT_STORES			0x60U /* ro */
#define GLK_CONTEXT_STORE_BYTES			0x68U /* ro */
#define GLK_CONTEXT_COUNTERS			2U /* number of counters */
#define GLK_CONTEXT_COUNTER_FIRST		0x60U
#define GLK_CONTEXT_COUNTER_LAST		0x68U
#define GLK_CONTEXT_COUNTER_SPAN		2U /* registers from the first to the last */

/* Doorbell pages: the owner of context N can map page N, which contains no state of other
 * contexts. */
#define GLK_BLOCK_DOORBELL			0x7000U /* HEADER: type 15:0, version 31:16, offset of the next block 63:32 */
#define GLK_BLOCK_DOORBELL_TYPE			6U
#define GLK_BLOCK_DOORBELL_VERSION		2U
#define GLK_BLOCK_DOORBELL_NEXT			0U
#define GLK_DOORBELL_ARRAY			0x80000U /* first element */
#define GLK_DOORBELL_STRIDE			0x1000U /* bytes between elements */
#define GLK_DOORBELL_COUNT			0x20U /* maximum number of elements */
#define GLK_DOORBELL_SQ_TAIL			0U /* wo */
#define GLK_DOORBELL_RELEASE			8U /* wo */
#define GLK_DOORBELL_RELEASED			0x10U /* ro */
#define GLK_DOORBELL_GENERATION			0x18U /* ro */
#define GLK_DOORBELL_CQ_HEAD			0x20U /* wo */
#define GLK_DOORBELL_ARRIVE			0x28U /* wo */
#define GLK_DOORBELL_ARRIVE_REGION_MASK		0x000000000000ffffULL
#define GLK_DOORBELL_ARRIVE_REGION_SHIFT	0U
#define GLK_DOORBELL_ARRIVE_CHUNK_MASK		0x000000ffffff0000ULL
#define GLK_DOORBELL_ARRIVE_CHUNK_SHIFT		0x10U
#define GLK_DOORBELL_ARRIVE_COUNT_MASK		0x00ffff0000000000ULL
#define GLK_DOORBELL_ARRIVE_COUNT_SHIFT		0x28U
#define GLK_DOORBELL_ARRIVE_EPOCH_MASK		0xff00000000000000ULL /* 0: any, otherwise the epoch (see REGION_EPOCHS) */
#define GLK_DOORBELL_ARRIVE_EPOCH_SHIFT		0x38U
#define GLK_DOORBELL_START			0x30U /* wo */
#define GLK_DOORBELL_START_REGION_MASK		0x000000000000ffffULL
#define GLK_DOORBELL_START_REGION_SHIFT		0U
#define GLK_DOORBELL_CLOCK			0x38U /* ro */

/* The link to another card (docs/link-format.md): state, settings and counters. Mapped by the
 * kernel only. */
#define GLK_BLOCK_LINK				0x8000U /* HEADER: type 15:0, version 31:16, offset of the next block 63:32 */
#define GLK_BLOCK_LINK_TYPE			7U
#define GLK_BLOCK_LINK_VERSION			1U
#define GLK_BLOCK_LINK_NEXT			0U
#define GLK_LINK_STATUS				0x8008U /* ro */
#define GLK_LINK_STATUS_UP_MASK			0x0000000000000001ULL /* the link carries packets in both directions */
#define GLK_LINK_STATUS_UP_SHIFT		0U
#define GLK_LINK_STATUS_SESSION_MASK		0x0000000000000002ULL /* a session exists: 1 while UP, and while the link is down but can resume */
#define GLK_LINK_STATUS_SESSION_SHIFT		1U
#define GLK_LINK_STATUS_PEER_COMPACT_MASK	0x0000000000000004ULL /* the remote card accepts the compact form (PARTITION.MODE.COMPACT); 0 while not UP */
#define GLK_LINK_STATUS_PEER_COMPACT_SHIFT	2U
#define GLK_LINK_STATUS_PEER_CLUSTER_MASK	0x000000000000ff00ULL /* cluster of the remote card; 0 while not UP */
#define GLK_LINK_STATUS_PEER_CLUSTER_SHIFT	8U
#define GLK_LINK_STATUS_PEER_VERSION_MASK	0x0000000000ff0000ULL /* link format version of the remote card; 0 while not UP */
#define GLK_LINK_STATUS_PEER_VERSION_SHIFT	0x10U
#define GLK_LINK_STATUS_QUEUED_MASK		0x0000ffff00000000ULL /* flits in the cluster queue */
#define GLK_LINK_STATUS_QUEUED_SHIFT		0x20U
#define GLK_LINK_CAPS				0x8010U /* ro */
#define GLK_LINK_CAPS_ENTRIES_MASK		0x000000000000ffffULL /* capacity of the cluster queue in flits */
#define GLK_LINK_CAPS_ENTRIES_SHIFT		0U
#define GLK_LINK_CAPS_POOL_CYCLES_MASK		0x00000000ffff0000ULL /* maximum value of POOL_CYCLES */
#define GLK_LINK_CAPS_POOL_CYCLES_SHIFT		0x10U
#define GLK_LINK_CAPS_TRIM_BYTES_MASK		0x000000ff00000000ULL /* bit N set: TRIM_BYTES may be 2^N */
#define GLK_LINK_CAPS_TRIM_BYTES_SHIFT		0x20U
#define GLK_LINK_CAPS_VERSION_MASK		0x0000ff0000000000ULL /* link format version */
#define GLK_LINK_CAPS_VERSION_SHIFT		0x28U
#define GLK_LINK_CONTROL			0x8018U /* rw */
#define GLK_LINK_CONTROL_RESET			0x7fU
#define GLK_LINK_CONTROL_ENABLE_MASK		0x0000000000000001ULL /* link enable; 0: the session ends and the link stays down */
#define GLK_LINK_CONTROL_ENABLE_SHIFT		0U
#define GLK_LINK_CONTROL_STITCHING_MASK		0x0000000000000002ULL /* stitching: flits with free bytes take pieces of others */
#define GLK_LINK_CONTROL_STITCHING_SHIFT	1U
#define GLK_LINK_CONTROL_POOLING_MASK		0x0000000000000004ULL /* pooling: flits with free bytes that found no piece wait POOL_CYCLES for one */
#define GLK_LINK_CONTROL_POOLING_SHIFT		2U
#define GLK_LINK_CONTROL_SELECTIVE_MASK		0x0000000000000008ULL /* selective pooling: flits of latency-critical packets do not wait */
#define GLK_LINK_CONTROL_SELECTIVE_SHIFT	3U
#define GLK_LINK_CONTROL_SEQUENCING_MASK	0x0000000000000010ULL /* sequencing: latency-critical packets are sent first */
#define GLK_LINK_CONTROL_SEQUENCING_SHIFT	4U
#define GLK_LINK_CONTROL_TRIMMING_MASK		0x0000000000000020ULL /* trimming: loads within one sector request only that sector */
#define GLK_LINK_CONTROL_TRIMMING_SHIFT		5U
#define GLK_LINK_CONTROL_YIELDING_MASK		0x0000000000000040ULL /* yielding: a pooled flit stops waiting when others of its kind wait and the link is idle */
#define GLK_LINK_CONTROL_YIELDING_SHIFT		6U
#define GLK_LINK_CONTROL_FIELDS_MASK		0x000000000000007fULL /* all of its fields */
#define GLK_LINK_CLUSTER			0x8020U /* ro */
#define GLK_LINK_PEER_SERIAL			0x8028U /* ro */
#define GLK_LINK_POOL_CYCLES			0x8030U /* rw */
#define GLK_LINK_POOL_CYCLES_RESET		0x20U
#define GLK_LINK_BURST				0x8038U /* rw */
#define GLK_LINK_BURST_RESET			0x10U
#define GLK_LINK_TRIM_BYTES			0x8040U /* rw */
#define GLK_LINK_TRIM_BYTES_RESET		0x10U
#define GLK_LINK_TIMEOUT_NS			0x8048U /* rw */
#define GLK_LINK_TIMEOUT_NS_RESET		0x3b9aca00U
#define GLK_LINK_FLITS_IN			0x8080U /* ro */
#define GLK_LINK_FLITS_OUT			0x8088U /* ro */
#define GLK_LINK_FLITS_PADDED			0x8090U /* ro */
#define GLK_LINK_PARENTS			0x8098U /* ro */
#define GLK_LINK_STITCHED			0x80a0U /* ro */
#define GLK_LINK_PARTIAL			0x80a8U /* ro */
#define GLK_LINK_POOLED				0x80b0U /* ro */
#define GLK_LINK_POOL_STITCHED			0x80b8U /* ro */
#define GLK_LINK_POOL_TIMED_OUT			0x80c0U /* ro */
#define GLK_LINK_QUEUE_FULL			0x80c8U /* ro */
#define GLK_LINK_TRIMMED_BYTES			0x80d0U /* ro */
#define GLK_LINK_FLITS_RECEIVED			0x80d8U /* ro */
#define GLK_LINK_FRAMES_SENT			0x80e0U /* ro */
#define GLK_LINK_FRAMES_RECEIVED		0x80e8U /* ro */
#define GLK_LINK_REPLAYS			0x80f0U /* ro */
#define GLK_LINK_FRAMES_REPLAYED		0x80f8U /* ro */
#define GLK_LINK_FRAMES_REPEATED		0x8100U /* ro */
#define GLK_LINK_CRC_ERRORS			0x8108U /* ro */
#define GLK_LINK_SEQUENCE_ERRORS		0x8110U /* ro */
#define GLK_LINK_PROTOCOL_ERRORS		0x8118U /* ro */
#define GLK_LINK_VERSION_ERRORS			0x8120U /* ro */
#define GLK_LINK_CREDIT_STALLS			0x8128U /* ro */
#define GLK_LINK_UPS				0x8130U /* ro */
#define GLK_LINK_DOWNS				0x8138U /* ro */
#define GLK_LINK_STRAYS				0x8140U /* ro */
#define GLK_LINK_TIMEOUTS			0x8148U /* ro */
#define GLK_LINK_LOST_PACKETS			0x8150U /* ro */
#define GLK_LINK_SERVED				0x8158U /* ro */
#define GLK_LINK_DENIED				0x8160U /* ro */
#define GLK_LINK_PACKETS_READ_REQUEST		0x8180U /* ro */
#define GLK_LINK_PACKETS_READ_RESPONSE		0x8188U /* ro */
#define GLK_LINK_PACKETS_WRITE_REQUEST		0x8190U /* ro */
#define GLK_LINK_PACKETS_WRITE_RESPONSE		0x8198U /* ro */
#define GLK_LINK_PACKETS_TRANSLATION_REQUEST	0x81a0U /* ro */
#define GLK_LINK_PACKETS_TRANSLATION_RESPONSE	0x81a8U /* ro */
#define GLK_LINK_PACKETS_FINEPACK		0x81b0U /* ro */
#define GLK_LINK_PACKETS_RELEASE		0x81b8U /* ro */
#define GLK_LINK_PACKETS_RELEASED		0x81c0U /* ro */
#define GLK_LINK_PACKETS_ATOMIC_REQUEST		0x81c8U /* ro */
#define GLK_LINK_PACKETS_ATOMIC_RESPONSE	0x81d0U /* ro */
#define GLK_LINK_FLITS_READ_REQUEST		0x8200U /* ro */
#define GLK_LINK_FLITS_READ_RESPONSE		0x8208U /* ro */
#define GLK_LINK_FLITS_WRITE_REQUEST		0x8210U /* ro */
#define GLK_LINK_FLITS_WRITE_RESPONSE		0x8218U /* ro */
#define GLK_LINK_FLITS_TRANSLATION_REQUEST	0x8220U /* ro */
#define GLK_LINK_FLITS_TRANSLATION_RESPONSE	0x8228U /* ro */
#define GLK_LINK_FLITS_FINEPACK			0x8230U /* ro */
#define GLK_LINK_FLITS_RELEASE			0x8238U /* ro */
#define GLK_LINK_FLITS_RELEASED			0x8240U /* ro */
#define GLK_LINK_FLITS_ATOMIC_REQUEST		0x8248U /* ro */
#define GLK_LINK_FLITS_ATOMIC_RESPONSE		0x8250U /* ro */
#define GLK_LINK_WAITED_READ_REQUEST		0x8280U /* ro */
#define GLK_LINK_WAITED_READ_RESPONSE		0x8288U /* ro */
#define GLK_LINK_WAITED_WRITE_REQUEST		0x8290U /* ro */
#define GLK_LINK_WAITED_WRITE_RESPONSE		0x8298U /* ro */
#define GLK_LINK_WAITED_TRANSLATION_REQUEST	0x82a0U /* ro */
#define GLK_LINK_WAITED_TRANSLATION_RESPONSE	0x82a8U /* ro */
#define GLK_LINK_WAITED_FINEPACK		0x82b0U /* ro */
#define GLK_LINK_WAITED_RELEASE			0x82b8U /* ro */
#define GLK_LINK_WAITED_RELEASED		0x82c0U /* ro */
#define GLK_LINK_WAITED_ATOMIC_REQUEST		0x82c8U /* ro */
#define GLK_LINK_WAITED_ATOMIC_RESPONSE		0x82d0U /* ro */
#define GLK_LINK_COUNTERS			0x3eU /* number of counters */
#define GLK_LINK_COUNTER_FIRST			0x8080U
#define GLK_LINK_COUNTER_LAST			0x82d0U
#define GLK_LINK_COUNTER_SPAN			0x4bU /* registers from the first to the last */

/* Captures the link's frames in both directions as records in a ring in host memory. The link
 * never waits for the capture: a frame without room for its record is not captured, and counted.
 * Mapped by the kernel only. */
#define GLK_BLOCK_CAPTURE			0x9000U /* HEADER: type 15:0, version 31:16, offset of the next block 63:32 */
#define GLK_BLOCK_CAPTURE_TYPE			8U
#define GLK_BLOCK_CAPTURE_VERSION		1U
#define GLK_BLOCK_CAPTURE_NEXT			0U
#define GLK_CAPTURE_CONTROL			0x9008U /* rw */
#define GLK_CAPTURE_CONTROL_ENABLE_MASK		0x0000000000000001ULL /* on a change to 1, PRODUCED, CONSUMED and LOST restart at 0; rejected while RING_ORDER is 0. After a change to 0 the ring is no longer written */
#define GLK_CAPTURE_CONTROL_ENABLE_SHIFT	0U
#define GLK_CAPTURE_CONTROL_FIELDS_MASK		0x0000000000000001ULL /* all of its fields */
#define GLK_CAPTURE_RING_BASE			0x9010U /* rw */
#define GLK_CAPTURE_RING_ORDER			0x9018U /* rw */
#define GLK_CAPTURE_PRODUCED			0x9020U /* ro */
#define GLK_CAPTURE_CONSUMED			0x9028U /* rw */
#define GLK_CAPTURE_LOST			0x9030U /* ro */
#define GLK_CAPTURE_TIME			0x9038U /* rw */

/* Regions (PROACT III-B): memory of a registration in chunks of 2^ORDER bytes. A chunk is stored
 * to all targets, as stores of the region's context, when its last writer has arrived. Mapped by
 * the kernel only. */
#define GLK_BLOCK_REGION			0xa000U /* HEADER: type 15:0, version 31:16, offset of the next block 63:32 */
#define GLK_BLOCK_REGION_TYPE			9U
#define GLK_BLOCK_REGION_VERSION		1U
#define GLK_BLOCK_REGION_NEXT			0U
#define GLK_REGION_ARRAY			0xa0000U /* first element */
#define GLK_REGION_STRIDE			0x200U /* bytes between elements */
#define GLK_REGION_COUNT			0x40U /* maximum number of elements */
#define GLK_REGION_CONTROL			0U /* rw */
#define GLK_REGION_CONTROL_VALID_MASK		0x0000000000000001ULL
#define GLK_REGION_CONTROL_VALID_SHIFT		0U
#define GLK_REGION_CONTROL_FLUSH_ON_RELEASE_MASK	0x0000000000000002ULL /* releases of the context first send chunks that have arrivals since they were last sent (PROACT III-C) */
#define GLK_REGION_CONTROL_FLUSH_ON_RELEASE_SHIFT	1U
#define GLK_REGION_CONTROL_REARM_MASK		0x0000000000000004ULL /* the next epoch starts when an epoch is sent; EXPECTED must not be 0 */
#define GLK_REGION_CONTROL_REARM_SHIFT		2U
#define GLK_REGION_CONTROL_INTERRUPT_MASK	0x0000000000000008ULL /* raise the context's vector when an epoch is sent and when it is visible; a failure always raises it */
#define GLK_REGION_CONTROL_INTERRUPT_SHIFT	3U
#define GLK_REGION_CONTROL_ORDER_MASK		0x000000000000ff00ULL /* log2 of a chunk's bytes, REGION_ORDER_MIN..REGION_ORDER_MAX; the last chunk may be shorter */
#define GLK_REGION_CONTROL_ORDER_SHIFT		8U
#define GLK_REGION_CONTROL_TARGETS_MASK		0x0000000000ff0000ULL /* number of targets, 1..CAPS2.TARGETS */
#define GLK_REGION_CONTROL_TARGETS_SHIFT	0x10U
#define GLK_REGION_CONTROL_CONTEXT_MASK		0x0000ffff00000000ULL
#define GLK_REGION_CONTROL_CONTEXT_SHIFT	0x20U
#define GLK_REGION_CONTROL_FIELDS_MASK		0x0000ffff00ffff0fULL /* all of its fields */
#define GLK_REGION_SOURCE			8U /* rw */
#define GLK_REGION_SOURCE_REGISTRATION_MASK	0x000000000000ffffULL /* handle of the registration; the card checks it, its owner, bounds and rights, at each access */
#define GLK_REGION_SOURCE_REGISTRATION_SHIFT	0U
#define GLK_REGION_SOURCE_OFFSET_MASK		0xffffffffffff0000ULL /* offset of the first byte in the registration */
#define GLK_REGION_SOURCE_OFFSET_SHIFT		0x10U
#define GLK_REGION_SOURCE_FIELDS_MASK		0xffffffffffffffffULL /* all of its fields */
#define GLK_REGION_BYTES			0x10U /* rw */
#define GLK_REGION_CHUNKS			0x18U /* rw */
#define GLK_REGION_CHUNKS_FIRST_MASK		0x0000000000ffffffULL /* index in block CHUNK of the first chunk's counter */
#define GLK_REGION_CHUNKS_FIRST_SHIFT		0U
#define GLK_REGION_CHUNKS_COUNT_MASK		0x0000ffffff000000ULL /* number of chunks: BYTES divided by 2^ORDER, rounded up */
#define GLK_REGION_CHUNKS_COUNT_SHIFT		0x18U
#define GLK_REGION_CHUNKS_FIELDS_MASK		0x0000ffffffffffffULL /* all of its fields */
#define GLK_REGION_EXPECTED			0x20U /* rw */
#define GLK_REGION_RECORD			0x28U /* rw */
#define GLK_REGION_EPOCH			0x30U /* ro */
#define GLK_REGION_STATUS			0x38U /* ro */
#define GLK_REGION_STATUS_LEFT_MASK		0x0000000000ffffffULL /* chunks that are still to be sent */
#define GLK_REGION_STATUS_LEFT_SHIFT		0U
#define GLK_REGION_STATUS_STATE_MASK		0x0000000300000000ULL /* enum region_state */
#define GLK_REGION_STATUS_STATE_SHIFT		0x20U
#define GLK_REGION_STATUS_CODE_MASK		0x0000ff0000000000ULL /* enum status: the first error of the epoch */
#define GLK_REGION_STATUS_CODE_SHIFT		0x28U
#define GLK_REGION_STATUS_FAILED_TARGETS_MASK	0x00ff000000000000ULL /* bit N: target N is not complete */
#define GLK_REGION_STATUS_FAILED_TARGETS_SHIFT	0x30U
#define GLK_REGION_TARGET_WINDOW_0		0x100U /* rw */
#define GLK_REGION_TARGET_WINDOW_0_WINDOW_MASK	0x000000000000ffffULL /* handle of the window (its first slice) */
#define GLK_REGION_TARGET_WINDOW_0_WINDOW_SHIFT	0U
#define GLK_REGION_TARGET_WINDOW_0_SIGNAL_MASK	0x0000000000010000ULL /* behind each chunk's last byte, store the epoch, 8 bytes, at TARGET_SIGNAL plus 8 times the number of the chunk (put with signal) */
#define GLK_REGION_TARGET_WINDOW_0_SIGNAL_SHIFT	0x10U
#define GLK_REGION_TARGET_WINDOW_0_FIELDS_MASK	0x000000000001ffffULL /* all of its fields */
#define GLK_REGION_TARGET_WINDOW_1		0x108U /* rw */
#define GLK_REGION_TARGET_WINDOW_1_WINDOW_MASK	0x000000000000ffffULL /* handle of the window (its first slice) */
#define GLK_REGION_TARGET_WINDOW_1_WINDOW_SHIFT	0U
#define GLK_REGION_TARGET_WINDOW_1_SIGNAL_MASK	0x0000000000010000ULL /* behind each chunk's last byte, store the epoch, 8 bytes, at TARGET_SIGNAL plus 8 times the number of the chunk (put with signal) */
#define GLK_REGION_TARGET_WINDOW_1_SIGNAL_SHIFT	0x10U
#define GLK_REGION_TARGET_WINDOW_1_FIELDS_MASK	0x000000000001ffffULL /* all of its fields */
#define GLK_REGION_TARGET_WINDOW_2		0x110U /* rw */
#define GLK_REGION_TARGET_WINDOW_2_WINDOW_MASK	0x000000000000ffffULL /* handle of the window (its first slice) */
#define GLK_REGION_TARGET_WINDOW_2_WINDOW_SHIFT	0U
#define GLK_REGION_TARGET_WINDOW_2_SIGNAL_MASK	0x0000000000010000ULL /* behind each chunk's last byte, store the epoch, 8 bytes, at TARGET_SIGNAL plus 8 times the number of the chunk (put with signal) */
#define GLK_REGION_TARGET_WINDOW_2_SIGNAL_SHIFT	0x10U
#define GLK_REGION_TARGET_WINDOW_2_FIELDS_MASK	0x000000000001ffffULL /* all of its fields */
#define GLK_REGION_TARGET_WINDOW_3		0x118U /* rw */
#define GLK_REGION_TARGET_WINDOW_3_WINDOW_MASK	0x000000000000ffffULL /* handle of the window (its first slice) */
#define GLK_REGION_TARGET_WINDOW_3_WINDOW_SHIFT	0U
#define GLK_REGION_TARGET_WINDOW_3_SIGNAL_MASK	0x0000000000010000ULL /* behind each chunk's last byte, store the epoch, 8 bytes, at TARGET_SIGNAL plus 8 times the number of the chunk (put with signal) */
#define GLK_REGION_TARGET_WINDOW_3_SIGNAL_SHIFT	0x10U
#define GLK_REGION_TARGET_WINDOW_3_FIELDS_MASK	0x000000000001ffffULL /* all of its fields */
#define GLK_REGION_TARGET_WINDOW_4		0x120U /* rw */
#define GLK_REGION_TARGET_WINDOW_4_WINDOW_MASK	0x000000000000ffffULL /* handle of the window (its first slice) */
#define GLK_REGION_TARGET_WINDOW_4_WINDOW_SHIFT	0U
#define GLK_REGION_TARGET_WINDOW_4_SIGNAL_MASK	0x0000000000010000ULL /* behind each chunk's last byte, store the epoch, 8 bytes, at TARGET_SIGNAL plus 8 times the number of the chunk (put with signal) */
#define GLK_REGION_TARGET_WINDOW_4_SIGNAL_SHIFT	0x10U
#define GLK_REGION_TARGET_WINDOW_4_FIELDS_MASK	0x000000000001ffffULL /* all of its fields */
#define GLK_REGION_TARGET_WINDOW_5		0x128U /* rw */
#define GLK_REGION_TARGET_WINDOW_5_WINDOW_MASK	0x000000000000ffffULL /* handle of the window (its first slice) */
#define GLK_REGION_TARGET_WINDOW_5_WINDOW_SHIFT	0U
#define GLK_REGION_TARGET_WINDOW_5_SIGNAL_MASK	0x0000000000010000ULL /* behind each chunk's last byte, store the epoch, 8 bytes, at TARGET_SIGNAL plus 8 times the number of the chunk (put with signal) */
#define GLK_REGION_TARGET_WINDOW_5_SIGNAL_SHIFT	0x10U
#define GLK_REGION_TARGET_WINDOW_5_FIELDS_MASK	0x000000000001ffffULL /* all of its fields */
#define GLK_REGION_TARGET_WINDOW_6		0x130U /* rw */
#define GLK_REGION_TARGET_WINDOW_6_WINDOW_MASK	0x000000000000ffffULL /* handle of the window (its first slice) */
#define GLK_REGION_TARGET_WINDOW_6_WINDOW_SHIFT	0U
#define GLK_REGION_TARGET_WINDOW_6_SIGNAL_MASK	0x0000000000010000ULL /* behind each chunk's last byte, store the epoch, 8 bytes, at TARGET_SIGNAL plus 8 times the number of the chunk (put with signal) */
#define GLK_REGION_TARGET_WINDOW_6_SIGNAL_SHIFT	0x10U
#define GLK_REGION_TARGET_WINDOW_6_FIELDS_MASK	0x000000000001ffffULL /* all of its fields */
#define GLK_REGION_TARGET_WINDOW_7		0x138U /* rw */
#define GLK_REGION_TARGET_WINDOW_7_WINDOW_MASK	0x000000000000ffffULL /* handle of the window (its first slice) */
#define GLK_REGION_TARGET_WINDOW_7_WINDOW_SHIFT	0U
#define GLK_REGION_TARGET_WINDOW_7_SIGNAL_MASK	0x0000000000010000ULL /* behind each chunk's last byte, store the epoch, 8 bytes, at TARGET_SIGNAL plus 8 times the number of the chunk (put with signal) */
#define GLK_REGION_TARGET_WINDOW_7_SIGNAL_SHIFT	0x10U
#define GLK_REGION_TARGET_WINDOW_7_FIELDS_MASK	0x000000000001ffffULL /* all of its fields */
#define GLK_REGION_TARGET_OFFSET_0		0x140U /* rw */
#define GLK_REGION_TARGET_OFFSET_1		0x148U /* rw */
#define GLK_REGION_TARGET_OFFSET_2		0x150U /* rw */
#define GLK_REGION_TARGET_OFFSET_3		0x158U /* rw */
#define GLK_REGION_TARGET_OFFSET_4		0x160U /* rw */
#define GLK_REGION_TARGET_OFFSET_5		0x168U /* rw */
#define GLK_REGION_TARGET_OFFSET_6		0x170U /* rw */
#define GLK_REGION_TARGET_OFFSET_7		0x178U /* rw */
#define GLK_REGION_TARGET_SIGNAL_0		0x180U /* rw */
#define GLK_REGION_TARGET_SIGNAL_1		0x188U /* rw */
#define GLK_REGION_TARGET_SIGNAL_2		0x190U /* rw */
#define GLK_REGION_TARGET_SIGNAL_3		0x198U /* rw */
#define GLK_REGION_TARGET_SIGNAL_4		0x1a0U /* rw */
#define GLK_REGION_TARGET_SIGNAL_5		0x1a8U /* rw */
#define GLK_REGION_TARGET_SIGNAL_6		0x1b0U /* rw */
#define GLK_REGION_TARGET_SIGNAL_7		0x1b8U /* rw */

/* The readiness counters (PROACT III-B): one per chunk of a region. Mapped by the kernel only. */
#define GLK_BLOCK_CHUNK				0xb000U /* HEADER: type 15:0, version 31:16, offset of the next block 63:32 */
#define GLK_BLOCK_CHUNK_TYPE			0xaU
#define GLK_BLOCK_CHUNK_VERSION			1U
#define GLK_BLOCK_CHUNK_NEXT			0U
#define GLK_CHUNK_ARRAY				0xc0000U /* first element */
#define GLK_CHUNK_STRIDE			8U /* bytes between elements */
#define GLK_CHUNK_COUNT				0x4000U /* maximum number of elements */
#define GLK_CHUNK_COUNTER			0U /* rw */
#define GLK_CHUNK_COUNTER_REMAINING_MASK	0x000000000000ffffULL /* writers of EPOCH that have not arrived; read only */
#define GLK_CHUNK_COUNTER_REMAINING_SHIFT	0U
#define GLK_CHUNK_COUNTER_INITIAL_MASK		0x00000000ffff0000ULL /* writers of the chunk in each epoch; 0: the chunk is never sent */
#define GLK_CHUNK_COUNTER_INITIAL_SHIFT		0x10U
#define GLK_CHUNK_COUNTER_EPOCH_MASK		0x0000000300000000ULL /* low bits of the epoch of REMAINING and STATE; in another epoch the chunk counts as one with INITIAL writers, in state clean; read only */
#define GLK_CHUNK_COUNTER_EPOCH_SHIFT		0x20U
#define GLK_CHUNK_COUNTER_STATE_MASK		0x0000000c00000000ULL /* enum chunk_state; read only */
#define GLK_CHUNK_COUNTER_STATE_SHIFT		0x22U
#define GLK_CHUNK_COUNTER_FIELDS_MASK		0x0000000fffffffffULL /* all of its fields */

/* Timestamps of the pool's lines (MGCC 4.2): a copy of a line has a lease in logical time, and a
 * write gets a time behind all leases of its line, so nobody has to invalidate copies. A time is
 * EPOCH * 2^32 + timestamp. Every write to the pool is stamped: those of ring operations with a
 * time at that time or later, all others at CLOCK or later. Mapped by the kernel only. */
#define GLK_BLOCK_TSU				0xc000U /* HEADER: type 15:0, version 31:16, offset of the next block 63:32 */
#define GLK_BLOCK_TSU_TYPE			0xbU
#define GLK_BLOCK_TSU_VERSION			1U
#define GLK_BLOCK_TSU_NEXT			0U
#define GLK_TSU_CAPS				0xc008U /* ro */
#define GLK_TSU_CAPS_CHANNELS_MASK		0x00000000000000ffULL /* memory channels, each with its part of the table */
#define GLK_TSU_CAPS_CHANNELS_SHIFT		0U
#define GLK_TSU_CAPS_SETS_MASK			0x0000000000ffff00ULL /* sets of the table, per channel */
#define GLK_TSU_CAPS_SETS_SHIFT			8U
#define GLK_TSU_CAPS_WAYS_MASK			0x00000000ff000000ULL /* entries of a set */
#define GLK_TSU_CAPS_WAYS_SHIFT			0x18U
#define GLK_TSU_CAPS_TS_BITS_MASK		0x000000ff00000000ULL /* bits of a timestamp; after the last one the next epoch begins */
#define GLK_TSU_CAPS_TS_BITS_SHIFT		0x20U
#define GLK_TSU_CAPS_SLOT_SHIFT_MASK		0x0000ff0000000000ULL /* log2 of the bytes of a slot: the pool divided by POOL_SLOTS, rounded up to a power of two, at least 4096 */
#define GLK_TSU_CAPS_SLOT_SHIFT_SHIFT		0x28U
#define GLK_TSU_CONTROL				0xc010U /* rw */
#define GLK_TSU_CONTROL_EXPIRE_MASK		0x0000000000000001ULL /* write 1: all leases end, and the next epoch begins; reads 0. Costs caches misses, never values */
#define GLK_TSU_CONTROL_EXPIRE_SHIFT		0U
#define GLK_TSU_CONTROL_ADAPT_MASK		0x0000000000000002ULL /* a line's lease doubles with each renewal of an unchanged copy, up to 16 * READ_LEASE, and is READ_LEASE again after a write */
#define GLK_TSU_CONTROL_ADAPT_SHIFT		1U
#define GLK_TSU_CONTROL_FIELDS_MASK		0x0000000000000003ULL /* all of its fields */
#define GLK_TSU_READ_LEASE			0xc018U /* rw */
#define GLK_TSU_READ_LEASE_RESET		0xaU
#define GLK_TSU_WRITE_LEASE			0xc020U /* rw */
#define GLK_TSU_WRITE_LEASE_RESET		5U
#define GLK_TSU_EPOCH				0xc028U /* ro */
#define GLK_TSU_FLOOR				0xc030U /* ro */
#define GLK_TSU_CLOCK				0xc038U /* ro */
#define GLK_TSU_GREATEST			0xc040U /* ro */
#define GLK_TSU_CLEAR				0xc048U /* rw */
#define GLK_TSU_CLEAR_FIRST_MASK		0x0000000000ffffffULL /* first page */
#define GLK_TSU_CLEAR_FIRST_SHIFT		0U
#define GLK_TSU_CLEAR_PAGES_MASK		0x0000ffffff000000ULL /* number of pages, at least 1 */
#define GLK_TSU_CLEAR_PAGES_SHIFT		0x18U
#define GLK_TSU_CLEAR_BUSY_MASK			0x8000000000000000ULL /* read only */
#define GLK_TSU_CLEAR_BUSY_SHIFT		0x3fU
#define GLK_TSU_CLEAR_FIELDS_MASK		0x8000ffffffffffffULL /* all of its fields */
#define GLK_TSU_GRAIN_0				0xc060U /* rw */
#define GLK_TSU_GRAIN_1				0xc068U /* rw */
#define GLK_TSU_GRAIN_2				0xc070U /* rw */
#define GLK_TSU_GRAIN_3				0xc078U /* rw */
#define GLK_TSU_READS				0xc080U /* ro */
#define GLK_TSU_SAME				0xc088U /* ro */
#define GLK_TSU_WRITES				0xc090U /* ro */
#define GLK_TSU_UNTIMED				0xc098U /* ro */
#define GLK_TSU_EVICTIONS			0xc0a0U /* ro */
#define GLK_TSU_EPOCHS				0xc0a8U /* ro */
#define GLK_TSU_REFUSED				0xc0b0U /* ro */
#define GLK_TSU_ERRORS				0xc0b8U /* ro */
#define GLK_TSU_COUNTERS			8U /* number of counters */
#define GLK_TSU_COUNTER_FIRST			0xc080U
#define GLK_TSU_COUNTER_LAST			0xc0b8U
#define GLK_TSU_COUNTER_SPAN			8U /* registers from the first to the last */

/* Submission ring entry. Reserved bits and unused words must be 0, otherwise the entry completes
 * with status reserved. */
#define GLK_SQE_BYTES				0x40U
#define GLK_SQE_OPCODE_Q			0U /* enum opcode */
#define GLK_SQE_OPCODE_MASK			0x00000000000000ffULL
#define GLK_SQE_OPCODE_SHIFT			0U
#define GLK_SQE_FLAGS_Q				0U /* bit 0 (FLAG_INTERRUPT): raise the vector when this entry completes; an error always raises it */
#define GLK_SQE_FLAGS_MASK			0x000000000000ff00ULL
#define GLK_SQE_FLAGS_SHIFT			8U
#define GLK_SQE_WINDOW_Q			0U /* handle of the window (its first slice) */
#define GLK_SQE_WINDOW_MASK			0x00000000ffff0000ULL
#define GLK_SQE_WINDOW_SHIFT			0x10U
#define GLK_SQE_LENGTH_Q			0U /* number of bytes; put_inline 1..32, put and get 1..PUT_MAX_BYTES, putv the bytes of its records, atomics 4 or 8, pool operations as in enum opcode */
#define GLK_SQE_LENGTH_MASK			0xffffffff00000000ULL
#define GLK_SQE_LENGTH_SHIFT			0x20U
#define GLK_SQE_TAG_Q				1U /* user tag, returned in the completion */
#define GLK_SQE_TAG_MASK			0xffffffffffffffffULL
#define GLK_SQE_TAG_SHIFT			0U
#define GLK_SQE_WINDOW_OFFSET_Q			2U /* offset in the window; 0 for putv, whose records have their own */
#define GLK_SQE_WINDOW_OFFSET_MASK		0xffffffffffffffffULL
#define GLK_SQE_WINDOW_OFFSET_SHIFT		0U
#define GLK_SQE_REGISTRATION_Q			3U /* handle of the registration */
#define GLK_SQE_REGISTRATION_MASK		0x000000000000ffffULL
#define GLK_SQE_REGISTRATION_SHIFT		0U
#define GLK_SQE_REGISTRATION_OFFSET_Q		3U /* offset in the registration */
#define GLK_SQE_REGISTRATION_OFFSET_MASK	0xffffffffffff0000ULL
#define GLK_SQE_REGISTRATION_OFFSET_SHIFT	0x10U
#define GLK_SQE_DATA_Q				4U /* Q4..Q7: the data of put_inline (bytes past LENGTH are 0); of atomics Q4 the operand and, for cas, Q5 the compare value; times as in enum opcode and FLAG_TIMED */
#define GLK_SQE_DATA_MASK			0xffffffffffffffffULL
#define GLK_SQE_DATA_SHIFT			0U

/* Completion ring entry. Entries of a ring complete in submission order. A put with status ok is
 * accepted, but not yet visible; a release makes it visible. A failed endpoint write is reported
 * once to each context that may have stored it: by its first release that completes after the
 * failure, whether the store was made before or after that release. */
#define GLK_CQE_BYTES				0x10U
#define GLK_CQE_TAG_Q				0U /* user tag of the entry */
#define GLK_CQE_TAG_MASK			0xffffffffffffffffULL
#define GLK_CQE_TAG_SHIFT			0U
#define GLK_CQE_LENGTH_Q			1U /* transferred bytes; 0 on error */
#define GLK_CQE_LENGTH_MASK			0x00000000ffffffffULL
#define GLK_CQE_LENGTH_SHIFT			0U
#define GLK_CQE_STATUS_Q			1U /* enum status */
#define GLK_CQE_STATUS_MASK			0x0000ffff00000000ULL
#define GLK_CQE_STATUS_SHIFT			0x20U
#define GLK_CQE_GENERATION_Q			1U /* low bits of CARD.GENERATION */
#define GLK_CQE_GENERATION_MASK			0x00ff000000000000ULL
#define GLK_CQE_GENERATION_SHIFT		0x30U
#define GLK_CQE_PHASE_Q				1U /* 1 on the ring's first lap, 0 on the second, and so on */
#define GLK_CQE_PHASE_MASK			0x0100000000000000ULL
#define GLK_CQE_PHASE_SHIFT			0x38U

/* Header of a put vector record; LENGTH data bytes follow, padded with arbitrary bytes to a
 * multiple of 8. All records are validated before the first is stored. */
#define GLK_PUTV_RECORD_BYTES			8U
#define GLK_PUTV_RECORD_WINDOW_OFFSET_Q		0U /* offset in the window */
#define GLK_PUTV_RECORD_WINDOW_OFFSET_MASK	0x0000ffffffffffffULL
#define GLK_PUTV_RECORD_WINDOW_OFFSET_SHIFT	0U
#define GLK_PUTV_RECORD_LENGTH_Q		0U /* data bytes, 1..4096 */
#define GLK_PUTV_RECORD_LENGTH_MASK		0xffff000000000000ULL
#define GLK_PUTV_RECORD_LENGTH_SHIFT		0x30U

/* Completion record of doorbell page releases. The card writes Q1 before Q0. */
#define GLK_COMPLETION_RECORD_BYTES		0x10U
#define GLK_COMPLETION_RECORD_RELEASED_Q	0U /* value of the last completed release */
#define GLK_COMPLETION_RECORD_RELEASED_MASK	0xffffffffffffffffULL
#define GLK_COMPLETION_RECORD_RELEASED_SHIFT	0U
#define GLK_COMPLETION_RECORD_ERRORS_Q		1U /* low bits of the context's ERRORS */
#define GLK_COMPLETION_RECORD_ERRORS_MASK	0x00000000ffffffffULL
#define GLK_COMPLETION_RECORD_ERRORS_SHIFT	0U
#define GLK_COMPLETION_RECORD_GENERATION_Q	1U /* low bits of CARD.GENERATION */
#define GLK_COMPLETION_RECORD_GENERATION_MASK	0x000000ff00000000ULL
#define GLK_COMPLETION_RECORD_GENERATION_SHIFT	0x20U

/* Record of a region, written when an epoch is sent or visible, when it fails, and for rejected
 * arrivals. The card writes Q0 last. */
#define GLK_REGION_RECORD_BYTES			0x20U
#define GLK_REGION_RECORD_SENT_Q		0U /* the last epoch of which all chunks are read: the source can be overwritten */
#define GLK_REGION_RECORD_SENT_MASK		0xffffffffffffffffULL
#define GLK_REGION_RECORD_SENT_SHIFT		0U
#define GLK_REGION_RECORD_VISIBLE_Q		1U /* the last epoch of which all writes are acknowledged */
#define GLK_REGION_RECORD_VISIBLE_MASK		0xffffffffffffffffULL
#define GLK_REGION_RECORD_VISIBLE_SHIFT		0U
#define GLK_REGION_RECORD_CHUNKS_Q		2U /* chunks sent since the region became valid, low bits */
#define GLK_REGION_RECORD_CHUNKS_MASK		0x00000000ffffffffULL
#define GLK_REGION_RECORD_CHUNKS_SHIFT		0U
#define GLK_REGION_RECORD_CODE_Q		2U /* enum status: the first error since the last START; 0: none */
#define GLK_REGION_RECORD_CODE_MASK		0x000000ff00000000ULL
#define GLK_REGION_RECORD_CODE_SHIFT		0x20U
#define GLK_REGION_RECORD_FAILED_TARGETS_Q	2U /* bit N: target N is not complete */
#define GLK_REGION_RECORD_FAILED_TARGETS_MASK	0x0000ff0000000000ULL
#define GLK_REGION_RECORD_FAILED_TARGETS_SHIFT	0x28U
#define GLK_REGION_RECORD_GENERATION_Q		2U /* low bits of CARD.GENERATION */
#define GLK_REGION_RECORD_GENERATION_MASK	0x00ff000000000000ULL
#define GLK_REGION_RECORD_GENERATION_SHIFT	0x30U
#define GLK_REGION_RECORD_STATE_Q		2U /* enum region_state */
#define GLK_REGION_RECORD_STATE_MASK		0x0300000000000000ULL
#define GLK_REGION_RECORD_STATE_SHIFT		0x38U
#define GLK_REGION_RECORD_REJECTED_Q		3U /* arrivals and starts rejected since the region became valid, low bits */
#define GLK_REGION_RECORD_REJECTED_MASK		0x00000000ffffffffULL
#define GLK_REGION_RECORD_REJECTED_SHIFT	0U
#define GLK_REGION_RECORD_WHERE_Q		3U /* chunk of the last one rejected; all ones: a start */
#define GLK_REGION_RECORD_WHERE_MASK		0x00ffffff00000000ULL
#define GLK_REGION_RECORD_WHERE_SHIFT		0x20U

/* Answer of pool_read, pool_write and timed atomics, at REGISTRATION_OFFSET. Data of pool_read
 * and pool_write follow it. */
#define GLK_LEASE_RECORD_BYTES			0x20U
#define GLK_LEASE_RECORD_WTS_Q			0U /* time of the line's last write */
#define GLK_LEASE_RECORD_WTS_MASK		0xffffffffffffffffULL
#define GLK_LEASE_RECORD_WTS_SHIFT		0U
#define GLK_LEASE_RECORD_RTS_Q			1U /* last time at which a copy may be read */
#define GLK_LEASE_RECORD_RTS_MASK		0xffffffffffffffffULL
#define GLK_LEASE_RECORD_RTS_SHIFT		0U
#define GLK_LEASE_RECORD_OLD_Q			2U /* previous value, of an atomic; else 0 */
#define GLK_LEASE_RECORD_OLD_MASK		0xffffffffffffffffULL
#define GLK_LEASE_RECORD_OLD_SHIFT		0U
#define GLK_LEASE_RECORD_SAME_Q			3U /* pool_read: the copy of time Q5 is still the line's bytes, and no data were written */
#define GLK_LEASE_RECORD_SAME_MASK		0x0000000000000001ULL
#define GLK_LEASE_RECORD_SAME_SHIFT		0U

/* A renewal of pool_renew, in the registration. The card overwrites it with its answer. */
#define GLK_RENEW_RECORD_BYTES			0x10U
#define GLK_RENEW_RECORD_LINE_Q			0U /* in: offset in the window of the line's first byte; out: end of the lease (rts), or 0: the copy is not the line's bytes any more */
#define GLK_RENEW_RECORD_LINE_MASK		0xffffffffffffffffULL
#define GLK_RENEW_RECORD_LINE_SHIFT		0U
#define GLK_RENEW_RECORD_WTS_Q			1U /* in: wts of the copy; out: of the line */
#define GLK_RENEW_RECORD_WTS_MASK		0xffffffffffffffffULL
#define GLK_RENEW_RECORD_WTS_SHIFT		0U

/* A captured frame of the link. Words and bits without a field are 0. */
#define GLK_CAPTURE_RECORD_BYTES		0x100U
#define GLK_CAPTURE_RECORD_TIME_Q		0U /* CAPTURE.TIME at its link word */
#define GLK_CAPTURE_RECORD_TIME_MASK		0xffffffffffffffffULL
#define GLK_CAPTURE_RECORD_TIME_SHIFT		0U
#define GLK_CAPTURE_RECORD_RECEIVED_Q		1U /* 0: sent by this card, 1: received */
#define GLK_CAPTURE_RECORD_RECEIVED_MASK	0x00000000000000ffULL
#define GLK_CAPTURE_RECORD_RECEIVED_SHIFT	0U
#define GLK_CAPTURE_RECORD_BLOCKS_Q		1U /* number of blocks in the record, 1..12 */
#define GLK_CAPTURE_RECORD_BLOCKS_MASK		0x000000000000ff00ULL
#define GLK_CAPTURE_RECORD_BLOCKS_SHIFT		8U
#define GLK_CAPTURE_RECORD_DROPPED_Q		1U /* the card dropped the frame: CRC error, or a link word that does not match the received flits */
#define GLK_CAPTURE_RECORD_DROPPED_MASK		0x0000000000010000ULL
#define GLK_CAPTURE_RECORD_DROPPED_SHIFT	0x10U
#define GLK_CAPTURE_RECORD_CUT_Q		1U /* more than 11 flits were received, the first 11 are in the record; the card dropped the frame */
#define GLK_CAPTURE_RECORD_CUT_MASK		0x0000000000020000ULL
#define GLK_CAPTURE_RECORD_CUT_SHIFT		0x11U
#define GLK_CAPTURE_RECORD_LOST_Q		1U /* records lost between the previous one and this one; saturates at 2^32 - 1 */
#define GLK_CAPTURE_RECORD_LOST_MASK		0xffffffff00000000ULL
#define GLK_CAPTURE_RECORD_LOST_SHIFT		0x20U
#define GLK_CAPTURE_RECORD_FRAME_Q		8U /* Q8..Q31: the flits and their link word, 16 bytes each, then zeros */
#define GLK_CAPTURE_RECORD_FRAME_MASK		0xffffffffffffffffULL
#define GLK_CAPTURE_RECORD_FRAME_SHIFT		0U

/* Operations of a submission ring entry. */
#define GLK_OP_NOP				0U /* no operation */
#define GLK_OP_PUT_INLINE			1U /* store the entry's own data */
#define GLK_OP_PUT				2U /* store from a registration */
#define GLK_OP_PUTV				3U /* store every record of a put vector in a registration */
#define GLK_OP_GET				4U /* load into a registration */
#define GLK_OP_FETCH_ADD			5U /* add the operand; the old value goes to the registration */
#define GLK_OP_SWAP				6U /* write the operand; the old value goes to the registration */
#define GLK_OP_CAS				7U /* write the operand if equal to the compare value; the old value goes to the registration */
#define GLK_OP_RELEASE				8U /* completes when every earlier store of the context, by ring or window, is visible */
#define GLK_OP_REGION_START			9U /* start the next epoch of region REGISTRATION (its number); see DOORBELL.START */
#define GLK_OP_REGION_ARRIVE			0xaU /* LENGTH writers of chunk WINDOW_OFFSET of region REGISTRATION are done; see DOORBELL.ARRIVE */
#define GLK_OP_REGION_FLUSH			0xbU /* send the chunks of region REGISTRATION that have arrivals since they were last sent; completes when they are queued */
#define GLK_OP_POOL_READ			0xcU /* read the line at WINDOW_OFFSET, LENGTH bytes (the line's), at time Q4 with a copy of wts Q5 (all ones: none): a LEASE_RECORD, and the line's bytes unless the copy is the same */
#define GLK_OP_POOL_RENEW			0xdU /* renew the leases of LENGTH lines, 1..RENEW_MAX, at time Q4: RENEW_RECORDs; WINDOW_OFFSET is 0 */
#define GLK_OP_POOL_WRITE			0xeU /* write LENGTH bytes within a line at time Q4 or later; visible when it completes. On the remote card's pool: within a page, in blocks of 64 bytes, each at a time of its own */
#define GLK_OP_POOL_CLOCK			0xfU /* read the clock of the window's pool, which may be the remote card's: a LEASE_RECORD whose WTS and RTS are it; LENGTH and WINDOW_OFFSET are 0 */
#define GLK_OP_COUNT				0x10U /* number of values */

/* Flags of a submission ring entry. */
#define GLK_FLAG_INTERRUPT			1U /* raise the vector on completion */
#define GLK_FLAG_TIMED				2U /* atomics: at time Q6 or later; the registration, which is required, receives a LEASE_RECORD */

/* Kinds of endpoint. */
#define GLK_EP_NONE				0U /* no endpoint: the partition accepts no stores */
#define GLK_EP_BUS				1U /* memory on the PCI bus (a GPU's BAR, host memory) */
#define GLK_EP_POOL				2U /* the card's pool */
#define GLK_EP_LINK				3U /* a partition of the remote card (FEATURES.LINK) */
#define GLK_EP_COUNT				4U /* number of values */

/* Flush reasons, in the order of their counters. */
#define GLK_FLUSH_WINDOW_MISS			0U
#define GLK_FLUSH_PAYLOAD_FULL			1U
#define GLK_FLUSH_ENTRIES_FULL			2U
#define GLK_FLUSH_RELEASE			3U
#define GLK_FLUSH_TIMEOUT			4U
#define GLK_FLUSH_LOAD_HIT			5U
#define GLK_FLUSH_ATOMIC			6U
#define GLK_FLUSH_CONFIG			7U
#define GLK_FLUSH_DRAIN				8U
#define GLK_FLUSH_REGION			9U /* counted in FLUSH_REGION, apart from the others */
#define GLK_FLUSH_COUNT				0xaU /* number of values */

/* States of a region. */
#define GLK_REGION_STATE_IDLE			0U /* no epoch was started, or the last one is sent */
#define GLK_REGION_STATE_STARTED		1U /* an epoch is in progress */
#define GLK_REGION_STATE_FAILED			2U /* the source could not be read: nothing more of the epoch is sent */
#define GLK_REGION_STATE_COUNT			3U /* number of values */

/* States of a chunk in an epoch. */
#define GLK_CHUNK_STATE_CLEAN			0U /* no arrival since it was last sent */
#define GLK_CHUNK_STATE_DIRTY			1U /* arrivals since it was last sent, and writers left */
#define GLK_CHUNK_STATE_LISTED			2U /* waits for its transfer */
#define GLK_CHUNK_STATE_SENT			3U /* no writers left, and its transfer has begun */
#define GLK_CHUNK_STATE_COUNT			4U /* number of values */

/* Objects that CARD.DRAIN drains. */
#define GLK_DRAIN_CARD				0U
#define GLK_DRAIN_WINDOW			1U
#define GLK_DRAIN_CONTEXT			2U
#define GLK_DRAIN_PARTITION			3U
#define GLK_DRAIN_COUNT				4U /* number of values */

/* Status of a completion, and of a context, and the error of libgpulink for it. */
#define GLK_ST_OK				0U /* success */
#define GLK_ST_OPCODE				1U /* unknown operation */
#define GLK_ST_RESERVED				2U /* a reserved bit or an unused word is set */
#define GLK_ST_WINDOW				3U /* the context has no such window */
#define GLK_ST_WINDOW_BOUNDS			4U /* beyond the end of the window */
#define GLK_ST_REGISTRATION			5U /* the context has no such registration */
#define GLK_ST_REGISTRATION_BOUNDS		6U /* beyond the end of the registration */
#define GLK_ST_PERMISSION			7U /* the window or registration does not permit the access */
#define GLK_ST_LENGTH				8U /* invalid length for the operation */
#define GLK_ST_ALIGNMENT			9U /* an atomic not aligned to its length; a pool operation that is not on a line, or exceeds one */
#define GLK_ST_DMA				0xaU /* a failed read or write of host memory */
#define GLK_ST_ENDPOINT				0xbU /* no endpoint, or a failed write or read of it since the last release */
#define GLK_ST_VECTOR				0xcU /* a malformed record in a put vector */
#define GLK_ST_PROTOCOL				0xdU /* inconsistent ring indices */
#define GLK_ST_RESET				0xeU /* the card was reset before the entry completed (generated by the driver) */
#define GLK_ST_REGION				0xfU /* the context has no such region */
#define GLK_ST_REGION_STATE			0x10U /* the region is not started, is still sending, or is in another epoch */
#define GLK_ST_REGION_COUNT			0x11U /* no such chunk, or more arrivals than the chunk has writers left */
#define GLK_ST_TIME				0x12U /* a time later than all leases given out */
#define GLK_ST_NOT_POOL				0x13U /* the window is not on pool memory with leases */
#define GLK_ST_COUNT				0x14U /* number of values */

#endif /* GPULINK_REGS_H */
