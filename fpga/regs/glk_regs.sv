// SPDX-License-Identifier: Apache-2.0
// Generated from fpga/regs/gpulink.toml by fpga/regs/generate.py: edit that, not this.
package glk_regs;

  // Constants
  localparam int PCI_VENDOR = 4660; // PCI vendor of the card
  localparam int PCI_DEVICE = 27755; // PCI device of the card
  localparam int PCI_CLASS = 1179648; // PCI class code: processing accelerator
  localparam logic [63:0] MAGIC = 64'h6b6e696c75706700; // what CARD.MAGIC reads: "\\0gpulink" as little-endian bytes
  localparam int BAR0_SIZE = 1048576; // bytes of BAR 0, the registers
  localparam int MSIX_TABLE_OFFSET = 983040; // MSI-X table in BAR 0
  localparam int MSIX_PBA_OFFSET = 1015808; // MSI-X pending bits in BAR 0
  localparam int EVENT_VECTOR = 0; // MSI-X vector of errors and link events; rings have the others
  localparam int PAGE_SIZE = 4096; // page of a registration's page list, and of a doorbell page
  localparam int LINE_BYTES = 128; // bytes a write queue entry holds (FinePack IV-B)
  localparam int SUBHEADER_MIN = 2; // least sub-header bytes (FinePack Table II)
  localparam int SUBHEADER_MAX = 6; // most sub-header bytes (FinePack Table II)
  localparam int SUBHEADER_LENGTH_BITS = 10; // length bits of a sub-header; the rest is the offset
  localparam int PAYLOAD_MIN = 128; // least payload limit of a packet; limits are powers of two
  localparam int PAYLOAD_MAX = 4096; // greatest payload limit of a packet
  localparam int TIMEOUT_MAX_NS = 1000000000; // greatest inactivity timeout in nanoseconds; 0 switches it off
  localparam logic [63:0] LINK_TIMEOUT_MAX_NS = 64'h00000002540be400; // greatest LINK.TIMEOUT_NS
  localparam int TLP_OVERHEAD_BYTES = 24; // bytes a TLP costs over its payload: 4-DW header 16, sequence 2, LCRC 4, framing 2
  localparam int PUT_MAX_BYTES = 16777216; // most bytes one put or get moves
  localparam int PUTV_MAX_BYTES = 65536; // most bytes of one put vector, record headers included
  localparam int INLINE_MAX_BYTES = 32; // most bytes a ring entry carries itself
  localparam int RING_ORDER_MIN = 4; // least log2 of a ring's entries
  localparam int CAPTURE_ORDER_MIN = 4; // least log2 of a capture ring's records
  localparam int CAPTURE_ORDER_MAX = 16; // greatest log2 of a capture ring's records
  localparam int NO_REGISTRATION = 65535; // registration handle of an atomic whose old value is not wanted

  // Identity, capabilities, control and card-wide counters. Mapped by the kernel alone.
  localparam int BLOCK_CARD = 0; // HEADER: type 15:0, version 31:16, offset of the next block 63:32
  localparam int BLOCK_CARD_TYPE = 1;
  localparam int BLOCK_CARD_VERSION = 1;
  localparam int BLOCK_CARD_NEXT = 4096;
  localparam int CARD_MAGIC = 8; // ro
  localparam int CARD_HW_VERSION = 16; // ro
  localparam logic [63:0] CARD_HW_VERSION_PATCH_MASK = 64'h000000000000ffff;
  localparam int CARD_HW_VERSION_PATCH_SHIFT = 0;
  localparam logic [63:0] CARD_HW_VERSION_MINOR_MASK = 64'h00000000ffff0000;
  localparam int CARD_HW_VERSION_MINOR_SHIFT = 16;
  localparam logic [63:0] CARD_HW_VERSION_MAJOR_MASK = 64'h0000ffff00000000;
  localparam int CARD_HW_VERSION_MAJOR_SHIFT = 32;
  localparam int CARD_CAPS0 = 24; // ro
  localparam logic [63:0] CARD_CAPS0_PARTITIONS_MASK = 64'h00000000000000ff; // partitions (destinations)
  localparam int CARD_CAPS0_PARTITIONS_SHIFT = 0;
  localparam logic [63:0] CARD_CAPS0_CONTEXTS_MASK = 64'h000000000000ff00; // contexts
  localparam int CARD_CAPS0_CONTEXTS_SHIFT = 8;
  localparam logic [63:0] CARD_CAPS0_QUEUE_ENTRIES_MASK = 64'h0000000000ff0000; // write queue entries of a partition
  localparam int CARD_CAPS0_QUEUE_ENTRIES_SHIFT = 16;
  localparam logic [63:0] CARD_CAPS0_SUBHEADER_WIDTHS_MASK = 64'h00000000ff000000; // bit N set: a sub-header may have N bytes
  localparam int CARD_CAPS0_SUBHEADER_WIDTHS_SHIFT = 24;
  localparam logic [63:0] CARD_CAPS0_VECTORS_MASK = 64'h0000ffff00000000; // MSI-X vectors
  localparam int CARD_CAPS0_VECTORS_SHIFT = 32;
  localparam logic [63:0] CARD_CAPS0_RING_ORDER_MAX_MASK = 64'h00ff000000000000; // greatest log2 of a ring's entries
  localparam int CARD_CAPS0_RING_ORDER_MAX_SHIFT = 48;
  localparam int CARD_CAPS1 = 32; // ro
  localparam logic [63:0] CARD_CAPS1_SLICES_MASK = 64'h000000000000ffff; // slices of the window aperture (BAR 2)
  localparam int CARD_CAPS1_SLICES_SHIFT = 0;
  localparam logic [63:0] CARD_CAPS1_SLICE_SHIFT_MASK = 64'h0000000000ff0000; // log2 of the bytes of a slice
  localparam int CARD_CAPS1_SLICE_SHIFT_SHIFT = 16;
  localparam logic [63:0] CARD_CAPS1_REGISTRATIONS_MASK = 64'h000000ffff000000; // entries of the registration table
  localparam int CARD_CAPS1_REGISTRATIONS_SHIFT = 24;
  localparam logic [63:0] CARD_CAPS1_CLOCK_MHZ_MASK = 64'h00ffff0000000000; // clock of the logic in MHz
  localparam int CARD_CAPS1_CLOCK_MHZ_SHIFT = 40;
  localparam int CARD_FEATURES = 40; // ro
  localparam logic [63:0] CARD_FEATURES_FINEPACK_MASK = 64'h0000000000000001; // write queues, packetizer, de-packetizer
  localparam int CARD_FEATURES_FINEPACK_SHIFT = 0;
  localparam logic [63:0] CARD_FEATURES_LOOPBACK_MASK = 64'h0000000000000002; // the link is looped onto the card itself
  localparam int CARD_FEATURES_LOOPBACK_SHIFT = 1;
  localparam logic [63:0] CARD_FEATURES_POOL_MASK = 64'h0000000000000004; // pool memory behind BAR 4
  localparam int CARD_FEATURES_POOL_SHIFT = 2;
  localparam logic [63:0] CARD_FEATURES_ATOMICS_MASK = 64'h0000000000000008; // ring operations fetch_add, swap, cas
  localparam int CARD_FEATURES_ATOMICS_SHIFT = 3;
  localparam logic [63:0] CARD_FEATURES_LINK_MASK = 64'h0000000000000010; // a link to another card: block LINK, endpoints of kind link
  localparam int CARD_FEATURES_LINK_SHIFT = 4;
  localparam logic [63:0] CARD_FEATURES_CAPTURE_MASK = 64'h0000000000000020; // what goes over that link can be captured: block CAPTURE; only with LINK
  localparam int CARD_FEATURES_CAPTURE_SHIFT = 5;
  localparam int CARD_CONTROL = 48; // rw
  localparam logic [63:0] CARD_CONTROL_ENABLE_MASK = 64'h0000000000000001; // stores, rings and link traffic are taken; cleared, stores are dropped and counted and doorbells ignored
  localparam int CARD_CONTROL_ENABLE_SHIFT = 0;
  localparam logic [63:0] CARD_CONTROL_RESET_MASK = 64'h0000000000000002; // written 1: the card drops what is queued (counted in DROPPED_STORES), clears tables and configuration, adds 1 to GENERATION, and reads 0 here again; until STATUS.READY is 1, writes are ignored
  localparam int CARD_CONTROL_RESET_SHIFT = 1;
  localparam int CARD_STATUS = 56; // ro
  localparam logic [63:0] CARD_STATUS_READY_MASK = 64'h0000000000000001; // registers may be used; 0 only while a reset runs: then this register alone is answered, other reads wait until the reset is done, and writes are ignored. To be polled after every reset
  localparam int CARD_STATUS_READY_SHIFT = 0;
  localparam logic [63:0] CARD_STATUS_IDLE_MASK = 64'h0000000000000002; // no partition holds a store and no endpoint write is unacknowledged
  localparam int CARD_STATUS_IDLE_SHIFT = 1;
  localparam logic [63:0] CARD_STATUS_LINK_UP_MASK = 64'h0000000000000004; // the link carries packets: to the card itself always; with FEATURES.LINK it is LINK.STATUS.UP
  localparam int CARD_STATUS_LINK_UP_SHIFT = 2;
  localparam int CARD_GENERATION = 64; // ro
  localparam int CARD_SCRATCH = 72; // rw
  localparam int CARD_SERIAL = 80; // ro
  localparam int CARD_POOL_BYTES = 88; // ro
  localparam int CARD_ERROR_CAUSE = 96; // w1c
  localparam logic [63:0] CARD_ERROR_CAUSE_WINDOW_MASK = 64'h0000000000000001; // an access to the aperture that no window allows
  localparam int CARD_ERROR_CAUSE_WINDOW_SHIFT = 0;
  localparam logic [63:0] CARD_ERROR_CAUSE_PACKET_MASK = 64'h0000000000000002; // a malformed packet from the link
  localparam int CARD_ERROR_CAUSE_PACKET_SHIFT = 1;
  localparam logic [63:0] CARD_ERROR_CAUSE_CONFIG_MASK = 64'h0000000000000004; // a register write that was refused
  localparam int CARD_ERROR_CAUSE_CONFIG_SHIFT = 2;
  localparam logic [63:0] CARD_ERROR_CAUSE_DMA_MASK = 64'h0000000000000008; // host memory could not be read or written
  localparam int CARD_ERROR_CAUSE_DMA_SHIFT = 3;
  localparam logic [63:0] CARD_ERROR_CAUSE_ENDPOINT_MASK = 64'h0000000000000010; // an endpoint refused a write or read
  localparam int CARD_ERROR_CAUSE_ENDPOINT_SHIFT = 4;
  localparam logic [63:0] CARD_ERROR_CAUSE_RING_MASK = 64'h0000000000000020; // a ring stopped (see the context's STATUS)
  localparam int CARD_ERROR_CAUSE_RING_SHIFT = 5;
  localparam logic [63:0] CARD_ERROR_CAUSE_LINK_MASK = 64'h0000000000000040; // the link to the other card came up or went down: LINK.STATUS tells how it is, LINK.UPS and LINK.DOWNS how often
  localparam int CARD_ERROR_CAUSE_LINK_SHIFT = 6;
  localparam int CARD_DRAIN = 104; // rw
  localparam logic [63:0] CARD_DRAIN_KIND_MASK = 64'h000000000000000f; // 0 the card, 1 a window (ID = its first slice), 2 a context, 3 a partition
  localparam int CARD_DRAIN_KIND_SHIFT = 0;
  localparam logic [63:0] CARD_DRAIN_ID_MASK = 64'h00000000ffff0000;
  localparam int CARD_DRAIN_ID_SHIFT = 16;
  localparam logic [63:0] CARD_DRAIN_BUSY_MASK = 64'h8000000000000000; // read only
  localparam int CARD_DRAIN_BUSY_SHIFT = 63;
  localparam int CARD_SNAPSHOT = 112; // rw
  localparam int CARD_ERR_WINDOW = 128; // ro
  localparam int CARD_ERR_PACKET = 136; // ro
  localparam int CARD_ERR_CONFIG = 144; // ro
  localparam int CARD_ERR_DMA = 152; // ro
  localparam int CARD_ERR_ENTRY = 160; // ro
  localparam int CARD_DROPPED_STORES = 168; // ro
  localparam int CARD_PACKETS_RECEIVED = 176; // ro

  // The write queues, one partition a destination endpoint. CAPS0.PARTITIONS of them.
  localparam int BLOCK_PARTITION = 4096; // HEADER: type 15:0, version 31:16, offset of the next block 63:32
  localparam int BLOCK_PARTITION_TYPE = 2;
  localparam int BLOCK_PARTITION_VERSION = 1;
  localparam int BLOCK_PARTITION_NEXT = 16384;
  localparam int PARTITION_ARRAY = 8192; // first element
  localparam int PARTITION_STRIDE = 512; // bytes from one element to the next
  localparam int PARTITION_COUNT = 16; // most elements
  localparam int PARTITION_SUBHEADER_BYTES = 0; // rw
  localparam int PARTITION_SUBHEADER_BYTES_RESET = 5;
  localparam int PARTITION_MAX_PAYLOAD_BYTES = 8; // rw
  localparam int PARTITION_MAX_PAYLOAD_BYTES_RESET = 4096;
  localparam int PARTITION_FLUSH_TIMEOUT_NS = 16; // rw
  localparam int PARTITION_MODE = 24; // rw
  localparam int PARTITION_MODE_RESET = 3;
  localparam logic [63:0] PARTITION_MODE_COALESCE_MASK = 64'h0000000000000001; // 1: stores are queued and packed; 0: every store leaves at once in a packet of its own, over the link as write requests of at most 64 bytes, or as FinePack packets of one store (the card in Verilog)
  localparam int PARTITION_MODE_COALESCE_SHIFT = 0;
  localparam logic [63:0] PARTITION_MODE_SELF_DESCRIBE_MASK = 64'h0000000000000002; // 1: First BE carries the sub-header width; 0: First BE is 0, the paper's own form
  localparam int PARTITION_MODE_SELF_DESCRIBE_SHIFT = 1;
  localparam logic [63:0] PARTITION_MODE_OPEN_MASK = 64'h0000000000000004; // 1: the card beyond the link may read and write this endpoint (kind bus or pool); 0: its requests are refused. FEATURES.LINK only
  localparam int PARTITION_MODE_OPEN_SHIFT = 2;
  localparam int PARTITION_EP_KIND = 32; // rw
  localparam int PARTITION_EP_BASE = 40; // rw
  localparam logic [63:0] PARTITION_EP_BASE_FAR_PARTITION_MASK = 64'h000000000000f000; // kind link: which partition of the card beyond the link this one stands for. No two partitions of kind link stand for the same
  localparam int PARTITION_EP_BASE_FAR_PARTITION_SHIFT = 12;
  localparam int PARTITION_EP_BYTES = 48; // rw
  localparam int PARTITION_STATUS = 56; // ro
  localparam logic [63:0] PARTITION_STATUS_ENTRIES_MASK = 64'h000000000000ffff; // entries in use
  localparam int PARTITION_STATUS_ENTRIES_SHIFT = 0;
  localparam logic [63:0] PARTITION_STATUS_PAYLOAD_MASK = 64'h00000000ffff0000; // payload bytes that a flush would send now
  localparam int PARTITION_STATUS_PAYLOAD_SHIFT = 16;
  localparam logic [63:0] PARTITION_STATUS_UNACKNOWLEDGED_MASK = 64'hffffffff00000000; // endpoint writes not yet acknowledged; of kind link, packets not yet known to have arrived, which releases and drains ask for
  localparam int PARTITION_STATUS_UNACKNOWLEDGED_SHIFT = 32;
  localparam int PARTITION_FAR_BYTES = 64; // rw
  localparam logic [63:0] PARTITION_FAR_BYTES_BYTES_MASK = 64'h0000ffffffffffff; // bytes of its endpoint; 0: there is none, or it is not open to the link
  localparam int PARTITION_FAR_BYTES_BYTES_SHIFT = 0;
  localparam logic [63:0] PARTITION_FAR_BYTES_READ_MASK = 64'h0001000000000000; // it may be read
  localparam int PARTITION_FAR_BYTES_READ_SHIFT = 48;
  localparam logic [63:0] PARTITION_FAR_BYTES_WRITE_MASK = 64'h0002000000000000; // it may be written
  localparam int PARTITION_FAR_BYTES_WRITE_SHIFT = 49;
  localparam logic [63:0] PARTITION_FAR_BYTES_ANSWERED_MASK = 64'h8000000000000000; // the other card has answered
  localparam int PARTITION_FAR_BYTES_ANSWERED_SHIFT = 63;
  localparam int PARTITION_STORES = 128; // ro
  localparam int PARTITION_STORE_BYTES = 136; // ro
  localparam int PARTITION_PACKETS = 144; // ro
  localparam int PARTITION_SUB_PACKETS = 152; // ro
  localparam int PARTITION_PAYLOAD_BYTES = 160; // ro
  localparam int PARTITION_WIRE_BYTES = 168; // ro
  localparam int PARTITION_RAW_WIRE_BYTES = 176; // ro
  localparam int PARTITION_OVERWRITTEN_BYTES = 184; // ro
  localparam int PARTITION_FLUSH_WINDOW_MISS = 192; // ro
  localparam int PARTITION_FLUSH_PAYLOAD_FULL = 200; // ro
  localparam int PARTITION_FLUSH_ENTRIES_FULL = 208; // ro
  localparam int PARTITION_FLUSH_RELEASE = 216; // ro
  localparam int PARTITION_FLUSH_TIMEOUT = 224; // ro
  localparam int PARTITION_FLUSH_LOAD_HIT = 232; // ro
  localparam int PARTITION_FLUSH_ATOMIC = 240; // ro
  localparam int PARTITION_FLUSH_CONFIG = 248; // ro
  localparam int PARTITION_FLUSH_DRAIN = 256; // ro
  localparam int PARTITION_LOADS = 264; // ro
  localparam int PARTITION_ATOMICS = 272; // ro
  localparam int PARTITION_ENDPOINT_WRITES = 280; // ro
  localparam int PARTITION_ENDPOINT_BYTES = 288; // ro
  localparam int PARTITION_ERR_ENDPOINT = 296; // ro

  // The window table: one entry a slice of the aperture. A window is a row of slices that name the same
  // first slice. Q1 and Q2 are written first; Q0 makes the entry valid. A valid entry is only ever cleared
  // (Q0 = 0), which flushes the window's partition first (reason drain); a drain after it waits until that
  // has arrived.
  localparam int BLOCK_WINDOW = 16384; // HEADER: type 15:0, version 31:16, offset of the next block 63:32
  localparam int BLOCK_WINDOW_TYPE = 3;
  localparam int BLOCK_WINDOW_VERSION = 1;
  localparam int BLOCK_WINDOW_NEXT = 20480;
  localparam int WINDOW_ARRAY = 65536; // first element
  localparam int WINDOW_STRIDE = 32; // bytes from one element to the next
  localparam int WINDOW_COUNT = 1024; // most elements
  localparam int WINDOW_Q0 = 0; // rw
  localparam logic [63:0] WINDOW_Q0_VALID_MASK = 64'h0000000000000001;
  localparam int WINDOW_Q0_VALID_SHIFT = 0;
  localparam logic [63:0] WINDOW_Q0_READ_MASK = 64'h0000000000000002; // loads and gets are allowed
  localparam int WINDOW_Q0_READ_SHIFT = 1;
  localparam logic [63:0] WINDOW_Q0_WRITE_MASK = 64'h0000000000000004; // stores, puts and atomics are allowed (atomics need read too)
  localparam int WINDOW_Q0_WRITE_SHIFT = 2;
  localparam logic [63:0] WINDOW_Q0_PARTITION_MASK = 64'h000000000000ff00;
  localparam int WINDOW_Q0_PARTITION_SHIFT = 8;
  localparam logic [63:0] WINDOW_Q0_CONTEXT_MASK = 64'h00000000ffff0000;
  localparam int WINDOW_Q0_CONTEXT_SHIFT = 16;
  localparam logic [63:0] WINDOW_Q0_FIRST_MASK = 64'h0000ffff00000000; // first slice of the window: the window's handle in ring entries
  localparam int WINDOW_Q0_FIRST_SHIFT = 32;
  localparam int WINDOW_Q1 = 8; // rw
  localparam int WINDOW_Q2 = 16; // rw

  // The registration table: host memory that ring entries may name by handle (the entry's index). Q1..Q3 are
  // written first; Q0 makes the entry valid.
  localparam int BLOCK_REGISTRATION = 20480; // HEADER: type 15:0, version 31:16, offset of the next block 63:32
  localparam int BLOCK_REGISTRATION_TYPE = 4;
  localparam int BLOCK_REGISTRATION_VERSION = 1;
  localparam int BLOCK_REGISTRATION_NEXT = 24576;
  localparam int REGISTRATION_ARRAY = 98304; // first element
  localparam int REGISTRATION_STRIDE = 32; // bytes from one element to the next
  localparam int REGISTRATION_COUNT = 1024; // most elements
  localparam int REGISTRATION_Q0 = 0; // rw
  localparam logic [63:0] REGISTRATION_Q0_VALID_MASK = 64'h0000000000000001;
  localparam int REGISTRATION_Q0_VALID_SHIFT = 0;
  localparam logic [63:0] REGISTRATION_Q0_READ_MASK = 64'h0000000000000002; // the card may read it (source of puts)
  localparam int REGISTRATION_Q0_READ_SHIFT = 1;
  localparam logic [63:0] REGISTRATION_Q0_WRITE_MASK = 64'h0000000000000004; // the card may write it (target of gets, old values of atomics)
  localparam int REGISTRATION_Q0_WRITE_SHIFT = 2;
  localparam logic [63:0] REGISTRATION_Q0_CONTEXT_MASK = 64'h00000000ffff0000;
  localparam int REGISTRATION_Q0_CONTEXT_SHIFT = 16;
  localparam int REGISTRATION_Q1 = 8; // rw
  localparam int REGISTRATION_Q2 = 16; // rw
  localparam int REGISTRATION_Q3 = 24; // rw

  // Contexts: rings and completion record. Mapped by the kernel alone.
  localparam int BLOCK_CONTEXT = 24576; // HEADER: type 15:0, version 31:16, offset of the next block 63:32
  localparam int BLOCK_CONTEXT_TYPE = 5;
  localparam int BLOCK_CONTEXT_VERSION = 1;
  localparam int BLOCK_CONTEXT_NEXT = 28672;
  localparam int CONTEXT_ARRAY = 131072; // first element
  localparam int CONTEXT_STRIDE = 256; // bytes from one element to the next
  localparam int CONTEXT_COUNT = 32; // most elements
  localparam int CONTEXT_CONTROL = 0; // rw
  localparam logic [63:0] CONTEXT_CONTROL_ENABLE_MASK = 64'h0000000000000001;
  localparam int CONTEXT_CONTROL_ENABLE_SHIFT = 0;
  localparam logic [63:0] CONTEXT_CONTROL_USER_DOORBELL_MASK = 64'h0000000000000002; // SQ_TAIL and CQ_HEAD of the doorbell page are obeyed too
  localparam int CONTEXT_CONTROL_USER_DOORBELL_SHIFT = 1;
  localparam int CONTEXT_SQ_BASE = 8; // rw
  localparam int CONTEXT_CQ_BASE = 16; // rw
  localparam int CONTEXT_ORDER = 24; // rw
  localparam logic [63:0] CONTEXT_ORDER_SQ_MASK = 64'h00000000000000ff;
  localparam int CONTEXT_ORDER_SQ_SHIFT = 0;
  localparam logic [63:0] CONTEXT_ORDER_CQ_MASK = 64'h000000000000ff00;
  localparam int CONTEXT_ORDER_CQ_SHIFT = 8;
  localparam int CONTEXT_RECORD = 32; // rw
  localparam int CONTEXT_VECTOR = 40; // rw
  localparam int CONTEXT_SQ_TAIL = 48; // rw
  localparam int CONTEXT_CQ_HEAD = 56; // rw
  localparam int CONTEXT_SQ_HEAD = 64; // ro
  localparam int CONTEXT_CQ_TAIL = 72; // ro
  localparam int CONTEXT_STATUS = 80; // ro
  localparam int CONTEXT_ERRORS = 88; // ro

  // Doorbell pages: page N may be mapped by the owner of context N, and holds nothing of another context.
  localparam int BLOCK_DOORBELL = 28672; // HEADER: type 15:0, version 31:16, offset of the next block 63:32
  localparam int BLOCK_DOORBELL_TYPE = 6;
  localparam int BLOCK_DOORBELL_VERSION = 2;
  localparam int BLOCK_DOORBELL_NEXT = 0;
  localparam int DOORBELL_ARRAY = 524288; // first element
  localparam int DOORBELL_STRIDE = 4096; // bytes from one element to the next
  localparam int DOORBELL_COUNT = 32; // most elements
  localparam int DOORBELL_SQ_TAIL = 0; // wo
  localparam int DOORBELL_RELEASE = 8; // wo
  localparam int DOORBELL_RELEASED = 16; // ro
  localparam int DOORBELL_GENERATION = 24; // ro
  localparam int DOORBELL_CQ_HEAD = 32; // wo

  // The link to another card (docs/link-format.md): state, settings and counters. Mapped by the kernel
  // alone.
  localparam int BLOCK_LINK = 32768; // HEADER: type 15:0, version 31:16, offset of the next block 63:32
  localparam int BLOCK_LINK_TYPE = 7;
  localparam int BLOCK_LINK_VERSION = 1;
  localparam int BLOCK_LINK_NEXT = 0;
  localparam int LINK_STATUS = 32776; // ro
  localparam logic [63:0] LINK_STATUS_UP_MASK = 64'h0000000000000001; // packets go both ways
  localparam int LINK_STATUS_UP_SHIFT = 0;
  localparam logic [63:0] LINK_STATUS_SESSION_MASK = 64'h0000000000000002; // there is a session: 1 while UP, and while the link is down but may go on where it was
  localparam int LINK_STATUS_SESSION_SHIFT = 1;
  localparam logic [63:0] LINK_STATUS_PEER_CLUSTER_MASK = 64'h000000000000ff00; // cluster of the other card; 0 while not UP
  localparam int LINK_STATUS_PEER_CLUSTER_SHIFT = 8;
  localparam logic [63:0] LINK_STATUS_PEER_VERSION_MASK = 64'h0000000000ff0000; // version of the link's format that it speaks; 0 while not UP
  localparam int LINK_STATUS_PEER_VERSION_SHIFT = 16;
  localparam logic [63:0] LINK_STATUS_QUEUED_MASK = 64'h0000ffff00000000; // flits in the cluster queue
  localparam int LINK_STATUS_QUEUED_SHIFT = 32;
  localparam int LINK_CAPS = 32784; // ro
  localparam logic [63:0] LINK_CAPS_ENTRIES_MASK = 64'h000000000000ffff; // flits that the cluster queue holds
  localparam int LINK_CAPS_ENTRIES_SHIFT = 0;
  localparam logic [63:0] LINK_CAPS_POOL_CYCLES_MASK = 64'h00000000ffff0000; // greatest value of POOL_CYCLES
  localparam int LINK_CAPS_POOL_CYCLES_SHIFT = 16;
  localparam logic [63:0] LINK_CAPS_TRIM_BYTES_MASK = 64'h000000ff00000000; // bit N set: TRIM_BYTES may be 2^N
  localparam int LINK_CAPS_TRIM_BYTES_SHIFT = 32;
  localparam logic [63:0] LINK_CAPS_VERSION_MASK = 64'h0000ff0000000000; // version of the link's format
  localparam int LINK_CAPS_VERSION_SHIFT = 40;
  localparam int LINK_CONTROL = 32792; // rw
  localparam int LINK_CONTROL_RESET = 127;
  localparam logic [63:0] LINK_CONTROL_ENABLE_MASK = 64'h0000000000000001; // 0: the session ends and the link stays down
  localparam int LINK_CONTROL_ENABLE_SHIFT = 0;
  localparam logic [63:0] LINK_CONTROL_STITCHING_MASK = 64'h0000000000000002; // flits with room take further pieces
  localparam int LINK_CONTROL_STITCHING_SHIFT = 1;
  localparam logic [63:0] LINK_CONTROL_POOLING_MASK = 64'h0000000000000004; // flits with room that found none wait POOL_CYCLES for one
  localparam int LINK_CONTROL_POOLING_SHIFT = 2;
  localparam logic [63:0] LINK_CONTROL_SELECTIVE_MASK = 64'h0000000000000008; // flits of latency-critical packets do not
  localparam int LINK_CONTROL_SELECTIVE_SHIFT = 3;
  localparam logic [63:0] LINK_CONTROL_SEQUENCING_MASK = 64'h0000000000000010; // latency-critical packets go first
  localparam int LINK_CONTROL_SEQUENCING_SHIFT = 4;
  localparam logic [63:0] LINK_CONTROL_TRIMMING_MASK = 64'h0000000000000020; // loads of no more than a sector ask for that alone
  localparam int LINK_CONTROL_TRIMMING_SHIFT = 5;
  localparam logic [63:0] LINK_CONTROL_YIELDING_MASK = 64'h0000000000000040; // a pooled flit gives way when others of its kind wait and the link has nothing else to send
  localparam int LINK_CONTROL_YIELDING_SHIFT = 6;
  localparam int LINK_CLUSTER = 32800; // ro
  localparam int LINK_PEER_SERIAL = 32808; // ro
  localparam int LINK_POOL_CYCLES = 32816; // rw
  localparam int LINK_POOL_CYCLES_RESET = 32;
  localparam int LINK_BURST = 32824; // rw
  localparam int LINK_BURST_RESET = 16;
  localparam int LINK_TRIM_BYTES = 32832; // rw
  localparam int LINK_TRIM_BYTES_RESET = 16;
  localparam int LINK_TIMEOUT_NS = 32840; // rw
  localparam int LINK_TIMEOUT_NS_RESET = 1000000000;
  localparam int LINK_FLITS_IN = 32896; // ro
  localparam int LINK_FLITS_OUT = 32904; // ro
  localparam int LINK_FLITS_PADDED = 32912; // ro
  localparam int LINK_PARENTS = 32920; // ro
  localparam int LINK_STITCHED = 32928; // ro
  localparam int LINK_PARTIAL = 32936; // ro
  localparam int LINK_POOLED = 32944; // ro
  localparam int LINK_POOL_STITCHED = 32952; // ro
  localparam int LINK_POOL_TIMED_OUT = 32960; // ro
  localparam int LINK_QUEUE_FULL = 32968; // ro
  localparam int LINK_TRIMMED_BYTES = 32976; // ro
  localparam int LINK_FLITS_RECEIVED = 32984; // ro
  localparam int LINK_FRAMES_SENT = 32992; // ro
  localparam int LINK_FRAMES_RECEIVED = 33000; // ro
  localparam int LINK_REPLAYS = 33008; // ro
  localparam int LINK_FRAMES_REPLAYED = 33016; // ro
  localparam int LINK_FRAMES_REPEATED = 33024; // ro
  localparam int LINK_CRC_ERRORS = 33032; // ro
  localparam int LINK_SEQUENCE_ERRORS = 33040; // ro
  localparam int LINK_PROTOCOL_ERRORS = 33048; // ro
  localparam int LINK_VERSION_ERRORS = 33056; // ro
  localparam int LINK_CREDIT_STALLS = 33064; // ro
  localparam int LINK_UPS = 33072; // ro
  localparam int LINK_DOWNS = 33080; // ro
  localparam int LINK_STRAYS = 33088; // ro
  localparam int LINK_TIMEOUTS = 33096; // ro
  localparam int LINK_LOST_PACKETS = 33104; // ro
  localparam int LINK_SERVED = 33112; // ro
  localparam int LINK_DENIED = 33120; // ro
  localparam int LINK_PACKETS_READ_REQUEST = 33152; // ro
  localparam int LINK_PACKETS_READ_RESPONSE = 33160; // ro
  localparam int LINK_PACKETS_WRITE_REQUEST = 33168; // ro
  localparam int LINK_PACKETS_WRITE_RESPONSE = 33176; // ro
  localparam int LINK_PACKETS_TRANSLATION_REQUEST = 33184; // ro
  localparam int LINK_PACKETS_TRANSLATION_RESPONSE = 33192; // ro
  localparam int LINK_PACKETS_FINEPACK = 33200; // ro
  localparam int LINK_PACKETS_RELEASE = 33208; // ro
  localparam int LINK_PACKETS_RELEASED = 33216; // ro
  localparam int LINK_PACKETS_ATOMIC_REQUEST = 33224; // ro
  localparam int LINK_PACKETS_ATOMIC_RESPONSE = 33232; // ro
  localparam int LINK_FLITS_READ_REQUEST = 33280; // ro
  localparam int LINK_FLITS_READ_RESPONSE = 33288; // ro
  localparam int LINK_FLITS_WRITE_REQUEST = 33296; // ro
  localparam int LINK_FLITS_WRITE_RESPONSE = 33304; // ro
  localparam int LINK_FLITS_TRANSLATION_REQUEST = 33312; // ro
  localparam int LINK_FLITS_TRANSLATION_RESPONSE = 33320; // ro
  localparam int LINK_FLITS_FINEPACK = 33328; // ro
  localparam int LINK_FLITS_RELEASE = 33336; // ro
  localparam int LINK_FLITS_RELEASED = 33344; // ro
  localparam int LINK_FLITS_ATOMIC_REQUEST = 33352; // ro
  localparam int LINK_FLITS_ATOMIC_RESPONSE = 33360; // ro
  localparam int LINK_WAITED_READ_REQUEST = 33408; // ro
  localparam int LINK_WAITED_READ_RESPONSE = 33416; // ro
  localparam int LINK_WAITED_WRITE_REQUEST = 33424; // ro
  localparam int LINK_WAITED_WRITE_RESPONSE = 33432; // ro
  localparam int LINK_WAITED_TRANSLATION_REQUEST = 33440; // ro
  localparam int LINK_WAITED_TRANSLATION_RESPONSE = 33448; // ro
  localparam int LINK_WAITED_FINEPACK = 33456; // ro
  localparam int LINK_WAITED_RELEASE = 33464; // ro
  localparam int LINK_WAITED_RELEASED = 33472; // ro
  localparam int LINK_WAITED_ATOMIC_REQUEST = 33480; // ro
  localparam int LINK_WAITED_ATOMIC_RESPONSE = 33488; // ro

  // The link's frames, both ways, written as records to a ring in host memory. The link never waits for it:
  // a frame for whose record there is no room is lost to the capture, and counted. Mapped by the kernel
  // alone.
  localparam int BLOCK_CAPTURE = 36864; // HEADER: type 15:0, version 31:16, offset of the next block 63:32
  localparam int BLOCK_CAPTURE_TYPE = 8;
  localparam int BLOCK_CAPTURE_VERSION = 1;
  localparam int BLOCK_CAPTURE_NEXT = 0;
  localparam int CAPTURE_CONTROL = 36872; // rw
  localparam logic [63:0] CAPTURE_CONTROL_ENABLE_MASK = 64'h0000000000000001; // it becomes 1: PRODUCED, CONSUMED and LOST begin at 0; refused while RING_ORDER is 0. Cleared, the ring is not written to any more
  localparam int CAPTURE_CONTROL_ENABLE_SHIFT = 0;
  localparam int CAPTURE_RING_BASE = 36880; // rw
  localparam int CAPTURE_RING_ORDER = 36888; // rw
  localparam int CAPTURE_PRODUCED = 36896; // ro
  localparam int CAPTURE_CONSUMED = 36904; // rw
  localparam int CAPTURE_LOST = 36912; // ro
  localparam int CAPTURE_TIME = 36920; // rw

  // Submission ring entry. Reserved bits, and words an operation does not use, are 0; an entry with one set
  // completes with status reserved.
  localparam int SQE_BYTES = 64;
  localparam int SQE_OPCODE_Q = 0; // enum opcode
  localparam logic [63:0] SQE_OPCODE_MASK = 64'h00000000000000ff;
  localparam int SQE_OPCODE_SHIFT = 0;
  localparam int SQE_FLAGS_Q = 0; // bit 0 (FLAG_INTERRUPT): raise the vector when this entry completes; an error raises it always
  localparam logic [63:0] SQE_FLAGS_MASK = 64'h000000000000ff00;
  localparam int SQE_FLAGS_SHIFT = 8;
  localparam int SQE_WINDOW_Q = 0; // handle of the window (its first slice)
  localparam logic [63:0] SQE_WINDOW_MASK = 64'h00000000ffff0000;
  localparam int SQE_WINDOW_SHIFT = 16;
  localparam int SQE_LENGTH_Q = 0; // bytes to move; put_inline 1..32, put and get 1..PUT_MAX_BYTES, putv the bytes of its records, atomics 4 or 8
  localparam logic [63:0] SQE_LENGTH_MASK = 64'hffffffff00000000;
  localparam int SQE_LENGTH_SHIFT = 32;
  localparam int SQE_TAG_Q = 1; // user tag, returned in the completion
  localparam logic [63:0] SQE_TAG_MASK = 64'hffffffffffffffff;
  localparam int SQE_TAG_SHIFT = 0;
  localparam int SQE_WINDOW_OFFSET_Q = 2; // first byte in the window; 0 for putv, whose records have their own
  localparam logic [63:0] SQE_WINDOW_OFFSET_MASK = 64'hffffffffffffffff;
  localparam int SQE_WINDOW_OFFSET_SHIFT = 0;
  localparam int SQE_REGISTRATION_Q = 3; // handle of the registration
  localparam logic [63:0] SQE_REGISTRATION_MASK = 64'h000000000000ffff;
  localparam int SQE_REGISTRATION_SHIFT = 0;
  localparam int SQE_REGISTRATION_OFFSET_Q = 3; // first byte in the registration
  localparam logic [63:0] SQE_REGISTRATION_OFFSET_MASK = 64'hffffffffffff0000;
  localparam int SQE_REGISTRATION_OFFSET_SHIFT = 16;
  localparam int SQE_DATA_Q = 4; // Q4..Q7: the data of put_inline (bytes past LENGTH are 0); of atomics Q4 the operand and, for cas, Q5 the compare value
  localparam logic [63:0] SQE_DATA_MASK = 64'hffffffffffffffff;
  localparam int SQE_DATA_SHIFT = 0;

  // Completion ring entry. Entries of a ring complete in the order of submission. An ok put is accepted, not
  // yet visible: a release makes it so. A write to an endpoint that failed is told of to each context that
  // may have stored it, once: by the first of its releases that completes behind the failure, whether the
  // store was made before that release or behind it.
  localparam int CQE_BYTES = 16;
  localparam int CQE_TAG_Q = 0; // user tag of the entry
  localparam logic [63:0] CQE_TAG_MASK = 64'hffffffffffffffff;
  localparam int CQE_TAG_SHIFT = 0;
  localparam int CQE_LENGTH_Q = 1; // bytes moved; 0 with an error
  localparam logic [63:0] CQE_LENGTH_MASK = 64'h00000000ffffffff;
  localparam int CQE_LENGTH_SHIFT = 0;
  localparam int CQE_STATUS_Q = 1; // enum status
  localparam logic [63:0] CQE_STATUS_MASK = 64'h0000ffff00000000;
  localparam int CQE_STATUS_SHIFT = 32;
  localparam int CQE_GENERATION_Q = 1; // low bits of CARD.GENERATION
  localparam logic [63:0] CQE_GENERATION_MASK = 64'h00ff000000000000;
  localparam int CQE_GENERATION_SHIFT = 48;
  localparam int CQE_PHASE_Q = 1; // 1 on the ring's first lap, 0 on the second, and so on
  localparam logic [63:0] CQE_PHASE_MASK = 64'h0100000000000000;
  localparam int CQE_PHASE_SHIFT = 56;

  // Head of one record of a put vector; LENGTH data bytes follow, padded with bytes of any value to a
  // multiple of 8. All records are checked before the first is stored.
  localparam int PUTV_RECORD_BYTES = 8;
  localparam int PUTV_RECORD_WINDOW_OFFSET_Q = 0; // first byte in the window
  localparam logic [63:0] PUTV_RECORD_WINDOW_OFFSET_MASK = 64'h0000ffffffffffff;
  localparam int PUTV_RECORD_WINDOW_OFFSET_SHIFT = 0;
  localparam int PUTV_RECORD_LENGTH_Q = 0; // data bytes, 1..4096
  localparam logic [63:0] PUTV_RECORD_LENGTH_MASK = 64'hffff000000000000;
  localparam int PUTV_RECORD_LENGTH_SHIFT = 48;

  // Where releases of the doorbell page are reported. Q1 is written before Q0.
  localparam int COMPLETION_RECORD_BYTES = 16;
  localparam int COMPLETION_RECORD_RELEASED_Q = 0; // value of the release completed last
  localparam logic [63:0] COMPLETION_RECORD_RELEASED_MASK = 64'hffffffffffffffff;
  localparam int COMPLETION_RECORD_RELEASED_SHIFT = 0;
  localparam int COMPLETION_RECORD_ERRORS_Q = 1; // low bits of the context's ERRORS
  localparam logic [63:0] COMPLETION_RECORD_ERRORS_MASK = 64'h00000000ffffffff;
  localparam int COMPLETION_RECORD_ERRORS_SHIFT = 0;
  localparam int COMPLETION_RECORD_GENERATION_Q = 1; // low bits of CARD.GENERATION
  localparam logic [63:0] COMPLETION_RECORD_GENERATION_MASK = 64'h000000ff00000000;
  localparam int COMPLETION_RECORD_GENERATION_SHIFT = 32;

  // A frame of the link, captured. Words and bits that have no field are 0.
  localparam int CAPTURE_RECORD_BYTES = 256;
  localparam int CAPTURE_RECORD_TIME_Q = 0; // CAPTURE.TIME at its link word
  localparam logic [63:0] CAPTURE_RECORD_TIME_MASK = 64'hffffffffffffffff;
  localparam int CAPTURE_RECORD_TIME_SHIFT = 0;
  localparam int CAPTURE_RECORD_RECEIVED_Q = 1; // 0: sent by this card, 1: come from the other
  localparam logic [63:0] CAPTURE_RECORD_RECEIVED_MASK = 64'h00000000000000ff;
  localparam int CAPTURE_RECORD_RECEIVED_SHIFT = 0;
  localparam int CAPTURE_RECORD_BLOCKS_Q = 1; // blocks that are here, 1..12
  localparam logic [63:0] CAPTURE_RECORD_BLOCKS_MASK = 64'h000000000000ff00;
  localparam int CAPTURE_RECORD_BLOCKS_SHIFT = 8;
  localparam int CAPTURE_RECORD_DROPPED_Q = 1; // the card dropped the frame: its check was wrong, or its word told of other flits than had come
  localparam logic [63:0] CAPTURE_RECORD_DROPPED_MASK = 64'h0000000000010000;
  localparam int CAPTURE_RECORD_DROPPED_SHIFT = 16;
  localparam int CAPTURE_RECORD_CUT_Q = 1; // more than 11 flits came, of which the first 11 are here; the card dropped it
  localparam logic [63:0] CAPTURE_RECORD_CUT_MASK = 64'h0000000000020000;
  localparam int CAPTURE_RECORD_CUT_SHIFT = 17;
  localparam int CAPTURE_RECORD_LOST_Q = 1; // records that were lost between the one before and this one; 2^32 - 1: so many or more
  localparam logic [63:0] CAPTURE_RECORD_LOST_MASK = 64'hffffffff00000000;
  localparam int CAPTURE_RECORD_LOST_SHIFT = 32;
  localparam int CAPTURE_RECORD_FRAME_Q = 8; // Q8..Q31: the flits and their link word, 16 bytes each; zeros behind them
  localparam logic [63:0] CAPTURE_RECORD_FRAME_MASK = 64'hffffffffffffffff;
  localparam int CAPTURE_RECORD_FRAME_SHIFT = 0;

  // Operations of a submission ring entry.
  localparam int OP_NOP = 0; // completes
  localparam int OP_PUT_INLINE = 1; // store the entry's own data
  localparam int OP_PUT = 2; // store from a registration
  localparam int OP_PUTV = 3; // store every record of a put vector that lies in a registration
  localparam int OP_GET = 4; // load into a registration
  localparam int OP_FETCH_ADD = 5; // add the operand; the old value goes to the registration
  localparam int OP_SWAP = 6; // replace by the operand; the old value goes to the registration
  localparam int OP_CAS = 7; // replace by the operand if equal to the compare value; the old value goes to the registration
  localparam int OP_RELEASE = 8; // completes when every earlier store of the context, by ring or window, is visible
  localparam int OP_COUNT = 9; // number of values

  // Flags of a submission ring entry.
  localparam int FLAG_INTERRUPT = 1; // raise the vector on completion

  // Kinds of endpoint.
  localparam int EP_NONE = 0; // no endpoint: the partition takes no store
  localparam int EP_BUS = 1; // memory on the PCI bus (a GPU's BAR, host memory)
  localparam int EP_POOL = 2; // the card's pool
  localparam int EP_LINK = 3; // a partition of the card beyond the link (FEATURES.LINK)
  localparam int EP_COUNT = 4; // number of values

  // Why a packet left; the order is that of the counters.
  localparam int FLUSH_WINDOW_MISS = 0;
  localparam int FLUSH_PAYLOAD_FULL = 1;
  localparam int FLUSH_ENTRIES_FULL = 2;
  localparam int FLUSH_RELEASE = 3;
  localparam int FLUSH_TIMEOUT = 4;
  localparam int FLUSH_LOAD_HIT = 5;
  localparam int FLUSH_ATOMIC = 6;
  localparam int FLUSH_CONFIG = 7;
  localparam int FLUSH_DRAIN = 8;
  localparam int FLUSH_COUNT = 9; // number of values

  // What CARD.DRAIN drains.
  localparam int DRAIN_CARD = 0;
  localparam int DRAIN_WINDOW = 1;
  localparam int DRAIN_CONTEXT = 2;
  localparam int DRAIN_PARTITION = 3;
  localparam int DRAIN_COUNT = 4; // number of values

  // Status of a completion, and of a context.
  localparam int ST_OK = 0; // done
  localparam int ST_OPCODE = 1; // unknown operation
  localparam int ST_RESERVED = 2; // a reserved bit or an unused word is set
  localparam int ST_WINDOW = 3; // no such window of this context
  localparam int ST_WINDOW_BOUNDS = 4; // beyond the end of the window
  localparam int ST_REGISTRATION = 5; // no such registration of this context
  localparam int ST_REGISTRATION_BOUNDS = 6; // beyond the end of the registration
  localparam int ST_PERMISSION = 7; // the window or registration does not allow it
  localparam int ST_LENGTH = 8; // length not allowed for the operation
  localparam int ST_ALIGNMENT = 9; // an atomic that is not aligned to its length
  localparam int ST_DMA = 10; // host memory could not be read or written
  localparam int ST_ENDPOINT = 11; // the endpoint is absent, or a write or read of it failed since the last release
  localparam int ST_VECTOR = 12; // a malformed record in a put vector
  localparam int ST_PROTOCOL = 13; // the ring's indices make no sense
  localparam int ST_RESET = 14; // the card was reset before the entry completed (made by the driver)
  localparam int ST_COUNT = 15; // number of values

endpackage
