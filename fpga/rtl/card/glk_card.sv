// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Card top level: all logic between PCIe, link and pool. Architecture: fpga/README.md; register behaviour:
// docs/registers.md.
//
// PCIe side: four vendor-independent streams (glk_pcie_us adapts them to the hard block). All data is in address lanes:
// byte lane i of a beat carries a byte whose address is i modulo LANES; a beat is one aligned line of LANES bytes, and a
// byte range takes one beat per line it touches. Sideband fields are constant over all beats of a transaction.
//   req  requests to the card: BAR writes and reads, contiguous bytes, not across a 4 KiB boundary. A read is one beat,
//        allowed only while req_read_ready, so that writes never wait behind a read (a PCIe requirement).
//   cpl  completions of these reads; the beats of a completion come without gaps
//   mem  requests of the card, in order: writes, reads (length 0: a flush read, whose completion proves that earlier writes
//        have arrived) and MSI-X vectors; at most WRITE_BYTES or READ_BYTES each, not across multiples of these
//   rd   completions of the card's reads: data in address order; beats of different tags may interleave
// Nets have the names of the ports that they connect; behind the name of the block where several blocks have such ports:
// ring_load_valid is `load_valid` of the ring. reg_: of glk_registers; reg_window_row is a row of the window table.
module glk_card #(
  parameter int DATA_W        = 512,
  parameter int PARTITIONS    = 16,
  parameter int ENTRIES       = 64,
  parameter int BANKS         = 4,
  parameter int CONTEXTS      = 32,
  parameter int SLICES        = 1024,
  parameter int SLICE_SHIFT   = 20,
  parameter int REGISTRATIONS = 1024,
  parameter int VECTORS       = 33,
  parameter int REGIONS       = 64,    // 0: none, without their logic
  parameter int CHUNKS        = 16384, // readiness counters of all regions together
  parameter int READ_BYTES    = 512, // maximum read request; at least LANES, a power of two
  parameter int WRITE_BYTES   = 256, // maximum write request; at least LANES, a power of two
  parameter int TSU_SETS      = 1024, // timestamps of the pool's lines: sets (0: none), entries of a set, bits of a timestamp
  parameter int TSU_WAYS      = 8,
  parameter int TSU_TS_BITS   = 32,
  parameter int LINK          = 1,   // 0: without the logic of a card-to-card link; `link` must be 0
  parameter int LINK_REPLAY   = 1024, // replay timer: clocks without an acknowledgement
  parameter int LINK_HELLO    = 4096, // keep-alive interval of an idle link, in clocks
  parameter int LANES         = DATA_W / 8,
  parameter int KW            = $clog2(LANES + 1)
) (
  input  logic              clk,
  input  logic              rst,
  input  logic              flr,        // function-level reset request, held until flr_done
  output logic              flr_done,
  input  logic [63:0]       now_ns,     // monotonic time
  input  logic [63:0]       serial,
  input  logic [63:0]       pool_bytes,
  input  logic              link,       // connected to another card; constant, as are cluster and session
  input  logic [7:0]        cluster,    // number of this cluster
  input  logic [15:0]       link_session, // initial session number: nonzero, and different after every `rst`
  output logic              busy,       // work is in flight that advances with the clock
  output logic              holding,    // a write queue holds data that a timeout may flush

  // Requests to the card
  input  logic              req_write,
  input  logic [1:0]        req_bar,      // 0 registers, 1 window aperture (BAR 2), 2 pool (BAR 4)
  input  logic [47:0]       req_offset,
  input  logic [12:0]       req_length,   // 1..4096; reads also 0
  input  logic [31:0]       req_id,       // of a read, returned with its completion
  input  logic              req_poisoned, // of a write, on any beat
  input  logic [DATA_W-1:0] req_data,
  input  logic              req_last,
  input  logic              req_valid,
  output logic              req_ready,
  output logic              req_read_ready,

  // Completions of these requests
  output logic [31:0]       cpl_id,
  output logic [11:0]       cpl_offset, // low bits of req_offset
  output logic [12:0]       cpl_length,
  output logic [DATA_W-1:0] cpl_data,
  output logic              cpl_last,
  output logic              cpl_valid,
  input  logic              cpl_ready,

  // Requests of the card
  output logic [1:0]        mem_kind,    // 0 write, 1 read, 2 interrupt
  output logic [63:0]       mem_address, // vector number of an interrupt
  output logic [12:0]       mem_length,
  output logic [5:0]        mem_tag,     // of a read
  output logic [DATA_W-1:0] mem_data,
  output logic              mem_last,
  output logic              mem_valid,
  input  logic              mem_ready,

  // Completions of these reads
  input  logic [5:0]        rd_tag,
  input  logic              rd_error, // the read failed: no data, and its last beat
  input  logic [DATA_W-1:0] rd_data,
  input  logic              rd_last,  // of the read
  input  logic              rd_valid,
  output logic              rd_ready,

  // Pool memory: writes and reads in order, responses in order. Not across a 4 KiB boundary
  output logic              pool_write,
  output logic [47:0]       pool_offset,
  output logic [12:0]       pool_length,
  output logic [DATA_W-1:0] pool_data,
  output logic              pool_last,
  output logic              pool_valid,
  input  logic              pool_ready,
  input  logic [DATA_W-1:0] pool_q_data,
  input  logic              pool_q_last,
  input  logic              pool_q_valid,
  output logic              pool_q_ready,

  // Link to another card, at most one block per clock (docs/link-format.md, "The link layer")
  input  logic [127:0]      link_in_data,
  input  logic              link_in_control,
  input  logic              link_in_valid,
  input  logic              link_in_cut, // loss of signal after this block
  output logic [127:0]      link_out_data,
  output logic              link_out_control,
  output logic              link_out_valid,
  input  logic              link_out_go, // the wire has room for the blocks of six clocks: this one and five behind it

  // Packets to the own endpoints loop back inside the card. `tap` observes and delays them; `inject` brings packets from
  // elsewhere, if there is no link.
  output logic [DATA_W-1:0] tap_data,
  output logic [KW-1:0]     tap_bytes,
  output logic              tap_last,
  output logic              tap_valid,
  input  logic              tap_ready,
  input  logic [DATA_W-1:0] inject_data,
  input  logic [KW-1:0]     inject_bytes,
  input  logic              inject_last,
  input  logic              inject_valid,
  output logic              inject_ready
);
  localparam int PW = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1;
  localparam int CW = (CONTEXTS > 1) ? $clog2(CONTEXTS) : 1;
  localparam int SW = (SLICES > 1) ? $clog2(SLICES) : 1;
  localparam int HW = (REGISTRATIONS > 1) ? $clog2(REGISTRATIONS) : 1;
  // window table entry: {q2[30:0], q1[47:12], first[9:0], context[4:0], partition[3:0], write, read, valid}
  localparam int WINDOW_W       = 89;
  // registration entry: {q3[33:32], q3[20:0], q2[63:3], q1[40:0], context[4:0], write, read, valid}
  localparam int REGISTRATION_W = 133;

  initial if (PARTITIONS < 1 || PARTITIONS > 16 || BANKS < 2 || CONTEXTS < 1 || CONTEXTS > 32 || SLICES < 1 || SLICES > 1024 ||
              REGISTRATIONS < 1 || REGISTRATIONS > 1024 || VECTORS < 1 || VECTORS > 64 || REGIONS < 0 || REGIONS > 64 ||
                  CHUNKS < 1 ||
              CHUNKS > 16384) $fatal;
  initial if (READ_BYTES < LANES || READ_BYTES > 4096 || WRITE_BYTES < LANES || WRITE_BYTES > 4096) $fatal;
  initial if (LINK != 0 && READ_BYTES < 64) $fatal; // a line of the other card is one read
  initial if ((READ_BYTES & (READ_BYTES - 1)) != 0 || (WRITE_BYTES & (WRITE_BYTES - 1)) != 0) $fatal;

  // --- settings, from glk_registers ---
  logic                     enabled;
  logic [PARTITIONS*3-1:0]  cfg_subheader_bytes;
  logic [PARTITIONS*13-1:0] cfg_max_payload_bytes;
  logic [PARTITIONS-1:0]    cfg_coalesce, cfg_self_describe, cfg_packing, cfg_compact;
  logic [PARTITIONS*30-1:0] cfg_flush_timeout_ns;
  logic [PARTITIONS*2-1:0]  ep_kind;
  logic [PARTITIONS*52-1:0] ep_base;  // bits 63:12
  logic [PARTITIONS*37-1:0] ep_bytes; // in units of 4 KiB
  logic [PARTITIONS-1:0]    ep_open;       // accessible to the other card
  logic [PARTITIONS-1:0]    ep_remote;        // endpoint of kind link
  logic [PARTITIONS-1:0]    ep_beyond;     // or last was
  logic [PARTITIONS*4-1:0]  remote_partition; // partition of the other card it is bound to
  logic                     ask_valid, link_take;
  logic [PW-1:0]            ask_partition;
  logic [8:0]               block_word;
  logic [63:0]              block_value;
  logic                     ep_changed;
  logic [63:0]              generation;
  logic                     clear;    // one clock in which a reset discards all state; everything is idle then
  logic                     halt;     // stops the rings for a reset
  logic                     pause;    // only flushes of glk_registers enter the queues

  logic [PARTITIONS*49-1:0] cfg_endpoint_bytes;
  genvar g;
  generate
    for (g = 0; g < PARTITIONS; g = g + 1) begin : endpoint_bytes
      assign cfg_endpoint_bytes[g*49 +: 49] = (ep_kind[g*2 +: 2] == 2'(glk_regs::EP_NONE)) ? 49'b0 :
          {ep_bytes[g*37 +: 37], 12'b0};
    end
  endgenerate

  // --- requests, by BAR ---
  logic              reg_write, reg_valid, reg_ready, reg_q_valid;
  logic [19:0]       reg_offset;
  logic [1:0]        reg_size; // log2(bytes): 1, 2, 4, 8
  logic [63:0]       reg_data, reg_q_data;
  logic              reg_poisoned;
  logic              aperture_write, aperture_poisoned, aperture_last, aperture_valid, aperture_ready, aperture_idle;
  logic [47:0]       aperture_offset;
  logic [12:0]       aperture_length;
  logic [DATA_W-1:0] aperture_data, aperture_q_data;
  logic              aperture_q_error, aperture_q_last, aperture_q_valid;
  logic              bar4_write, bar4_last, bar4_valid, bar4_ready, bar4_q_last, bar4_q_valid, bar4_q_ready;
  logic [47:0]       bar4_offset;
  logic [12:0]       bar4_length;
  logic [DATA_W-1:0] bar4_data, bar4_q_data;
  logic              requests_idle, e_pool_poisoned;

  glk_requests #(.DATA_W(DATA_W)) requests (
    .clk, .rst, .pool_bytes,
    .req_write, .req_bar, .req_offset, .req_length, .req_id, .req_poisoned, .req_data, .req_last, .req_valid, .req_ready,
    .req_read_ready,
    .cpl_id, .cpl_offset, .cpl_length, .cpl_data, .cpl_last, .cpl_valid, .cpl_ready,
    // Registers: accesses of 1, 2, 4 or 8 bytes, aligned, data in the low bits. Reads are answered on reg_q.
    .reg_write, .reg_offset, .reg_size, .reg_data, .reg_poisoned, .reg_valid, .reg_ready, .reg_q_data, .reg_q_valid,
    // Aperture, as req. Loads are answered on aperture_q; an error is one beat without data.
    .aperture_write, .aperture_offset, .aperture_length, .aperture_poisoned, .aperture_data, .aperture_last, .aperture_valid,
    .aperture_ready, .aperture_idle, .aperture_q_error, .aperture_q_data, .aperture_q_last, .aperture_q_valid,
    // Pool.
    .bar4_write, .bar4_offset, .bar4_length, .bar4_data, .bar4_last, .bar4_valid, .bar4_ready, .bar4_q_data, .bar4_q_last,
    .bar4_q_valid, .bar4_q_ready,
    .e_pool_poisoned, .idle(requests_idle));

  // --- tables ---
  logic                window_look; // aperture lookup: window_entry is valid two clocks later
  logic [SW-1:0]       window_slice;
  logic [WINDOW_W-1:0] window_entry;
  // Three users share the other port: valid/ready per access; a read's entry comes with `done`, some clocks later.
  logic                reg_window_valid, reg_window_ready, reg_window_write, reg_window_done, ring_window_valid,
                       ring_window_ready, ring_window_done, region_window_valid, region_window_ready, region_window_done;
  logic [SW-1:0]       reg_window_row, ring_window_row, region_window_row;
  logic [WINDOW_W-1:0] reg_window_data, window_q;
  logic                reg_registration_valid, reg_registration_ready, reg_registration_write, reg_registration_done,
                       ring_registration_valid, ring_registration_ready, ring_registration_done, region_registration_valid,
                       region_registration_ready, region_registration_done;
  logic [HW-1:0]       reg_registration_row, ring_registration_row, region_registration_row;
  logic [REGISTRATION_W-1:0] reg_registration_data, registration_q, unused_look;

  glk_table #(.W(WINDOW_W), .ROWS(SLICES)) window_table (
    .clk, .rst, .look(window_look), .look_row(window_slice), .look_q(window_entry),
    .p0_valid(reg_window_valid), .p0_ready(reg_window_ready), .p0_write(reg_window_write), .p0_row(reg_window_row),
    .p0_data(reg_window_data), .p0_done(reg_window_done), .p1_valid(ring_window_valid), .p1_ready(ring_window_ready),
    .p1_row(ring_window_row), .p1_done(ring_window_done), .p2_valid(region_window_valid), .p2_ready(region_window_ready),
    .p2_row(region_window_row), .p2_done(region_window_done), .q(window_q));
  glk_table #(.W(REGISTRATION_W), .ROWS(REGISTRATIONS)) registrations (
    .clk, .rst, .look(1'b0), .look_row({HW{1'b0}}), .look_q(unused_look),
    .p0_valid(reg_registration_valid), .p0_ready(reg_registration_ready), .p0_write(reg_registration_write),
    .p0_row(reg_registration_row), .p0_data(reg_registration_data), .p0_done(reg_registration_done),
    .p1_valid(ring_registration_valid), .p1_ready(ring_registration_ready), .p1_row(ring_registration_row),
    .p1_done(ring_registration_done), .p2_valid(region_registration_valid), .p2_ready(region_registration_ready),
    .p2_row(region_registration_row), .p2_done(region_registration_done), .q(registration_q));

  // --- aperture stores and loads ---
  // Queue items, kind: 0 store, 1 flush, 2 probe (flush if the range is queued). `owned`: flush only if the queue holds a
  // store of the context. `token` is returned when the item has passed the queue: 0 none, 1 release, 2 aperture load, 3
  // ring load.
  logic              aperture_store_probe, aperture_store_last, aperture_store_valid, aperture_store_ready;
  logic [PW-1:0]     aperture_store_partition;
  logic [47:0]       aperture_store_offset;
  logic [12:0]       aperture_store_length;
  logic [CW-1:0]     aperture_store_context;
  logic [DATA_W-1:0] aperture_store_data;
  logic              aperture_load_valid, aperture_load_error, aperture_load_ready;
  logic [PW-1:0]     aperture_load_partition;
  logic [47:0]       aperture_load_offset;
  logic [12:0]       aperture_load_length;
  logic [CW-1:0]     aperture_load_context;
  logic              e_window, e_window_owned, e_dropped, e_load;
  logic [CW-1:0]     e_window_context;
  logic [PW-1:0]     e_load_partition;

  glk_aperture #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS), .CONTEXTS(CONTEXTS), .SLICES(SLICES),
                 .SLICE_SHIFT(SLICE_SHIFT)) aperture (
    .clk, .rst, .enable(enabled), .ep_kind, .ep_bytes,
    .access_write(aperture_write), .access_offset(aperture_offset), .access_length(aperture_length),
    .access_poisoned(aperture_poisoned), .access_data(aperture_data), .access_last(aperture_last),
    .access_valid(aperture_valid), .access_ready(aperture_ready), .idle(aperture_idle),
    .window_look, .window_slice, .window_entry,
    // Stores, and the probe ahead of a load (reason load_hit, token 2).
    .store_probe(aperture_store_probe), .store_partition(aperture_store_partition), .store_offset(aperture_store_offset),
    .store_length(aperture_store_length), .store_context(aperture_store_context), .store_data(aperture_store_data),
    .store_last(aperture_store_last), .store_valid(aperture_store_valid), .store_ready(aperture_store_ready),
    // The load itself; `error`: not permitted by a window, or the card is not enabled.
    .load_error(aperture_load_error), .load_partition(aperture_load_partition), .load_offset(aperture_load_offset),
    .load_length(aperture_load_length), .load_context(aperture_load_context), .load_valid(aperture_load_valid),
    .load_ready(aperture_load_ready),
    // Event pulses: refused (in a context if `owned`), dropped, load accepted.
    .e_window, .e_window_owned, .e_window_context, .e_dropped, .e_load, .e_load_partition);

  // --- rings ---
  logic              ring_store_probe, ring_store_last, ring_store_valid, ring_store_ready;
  logic [3:0]        ring_store_reason;
  logic [PW-1:0]     ring_store_partition;
  logic [47:0]       ring_store_offset;
  logic [12:0]       ring_store_length;
  logic [CW-1:0]     ring_store_context;
  logic [DATA_W-1:0] ring_store_data;
  logic              ring_load_valid, ring_load_ready, ring_load_q_error, ring_load_q_last, ring_load_q_valid;
  logic [PW-1:0]     ring_load_partition;
  logic [47:0]       ring_load_offset;
  logic [12:0]       ring_load_length;
  logic [DATA_W-1:0] ring_load_q_data;
  logic [1:0]        ring_load_operation;
  logic [63:0]       ring_load_operand, ring_load_compare;
  logic              ring_load_atomic, ring_load_q_whole, atomic_busy, lock, locked;
  logic              ring_atomic_valid, ring_atomic_ready;
  logic [PW-1:0]     ring_atomic_partition;
  logic [47:0]       ring_atomic_offset;
  logic [3:0]        ring_atomic_length;
  logic [63:0]       ring_atomic_data;
  logic              ring_load_wait;
  logic              ring_release_only, ring_release_valid, ring_release_ready;
  logic              ring_region_valid, ring_region_done;
  logic [1:0]        ring_region_kind;
  logic [15:0]       ring_region_region;
  logic [63:0]       ring_region_chunk;
  logic [31:0]       ring_region_count;
  logic [4:0]        ring_region_status;
  logic [CW-1:0]     ring_release_context;
  logic [CONTEXTS-1:0] ring_release_done, ring_release_failed;
  logic              ring_release_take;
  logic              ring_mem_valid, ring_mem_ready, ring_mem_last;
  logic [1:0]        ring_mem_kind;
  logic [63:0]       ring_mem_address;
  logic [12:0]       ring_mem_length;
  logic [DATA_W-1:0] ring_mem_data;
  logic              ring_rd_valid;
  logic [4:0]        ring_mem_tag;
  logic              command_valid, command_start, command_ready;
  logic [CW-1:0]     command_context;
  logic [CONTEXTS-1:0] bell;
  logic              e_entry, e_dma, e_ring;
  logic              ring_count_valid, ring_count_atomic, ring_count_ready;
  logic [PW-1:0]     ring_count_partition;
  logic [CW-1:0]     ring_count_context;
  logic              ring_idle, ring_halted, ring_stale;
  // Context register file: settings are written by glk_registers, the rest by the ring engine.
  logic              reg_cx_write; // writes a setting of reg_cx_context
  logic [2:0]        reg_cx_which; // 0 sq_base, 1 cq_base, 2 order, 3 record, 4 vector, 5 sq_tail, 6 cq_head
  logic [CW-1:0]     reg_cx_context;
  logic [63:0]       reg_cx_data;
  logic [CONTEXTS-1:0] ctx_enable;   // CONTROL.ENABLE, by glk_registers
  logic [63:0]       reg_cx_sq_base, reg_cx_cq_base, reg_cx_record; // of reg_cx_context, one clock of latency
  logic [7:0]        reg_cx_sq_order, reg_cx_cq_order;
  logic [5:0]        reg_cx_vector;
  logic [15:0]       reg_cx_sq_tail, reg_cx_cq_head, reg_cx_sq_head, reg_cx_cq_tail;
  logic [3:0]        reg_cx_status;
  logic [CW-1:0]     ring_cx_context; // ring engine's read port, one clock of latency
  logic [63:0]       ring_cx_sq_base, ring_cx_cq_base;
  logic [3:0]        ring_cx_sq_order, ring_cx_cq_order, ring_cx_status;
  logic [5:0]        ring_cx_vector;
  logic [15:0]       ring_cx_sq_tail, ring_cx_cq_head, ring_cx_sq_head, ring_cx_cq_tail;
  logic              ring_cx_write; // writes sq_head, cq_tail and status of ring_cx_write_context
  logic [CW-1:0]     ring_cx_write_context;
  logic [15:0]       ring_cx_new_sq_head, ring_cx_new_cq_tail;
  logic [3:0]        ring_cx_new_status;
  logic [CW-1:0]     release_cx_context; // glk_release's read port, one clock of latency
  logic [63:0]       release_cx_record;
  logic [5:0]        release_cx_vector;
  logic [15:0]       release_cx_sq_head;
  logic [3:0]        release_cx_status;
  logic [CW-1:0]     region_cx_context; // glk_region's read port, one clock of latency
  logic [5:0]        region_cx_vector;

  glk_contexts #(.CONTEXTS(CONTEXTS)) contexts (
    .clk, .rst, .clear,
    .reg_cx_write, .reg_cx_which, .reg_cx_context, .reg_cx_data, .reg_cx_sq_base, .reg_cx_cq_base, .reg_cx_record,
    .reg_cx_sq_order, .reg_cx_cq_order, .reg_cx_vector, .reg_cx_sq_tail, .reg_cx_cq_head, .reg_cx_sq_head, .reg_cx_cq_tail,
    .reg_cx_status, .ring_cx_context, .ring_cx_sq_base, .ring_cx_cq_base, .ring_cx_sq_order, .ring_cx_cq_order, .ring_cx_status,
    .ring_cx_vector, .ring_cx_sq_tail, .ring_cx_cq_head, .ring_cx_sq_head, .ring_cx_cq_tail, .ring_cx_write,
    .ring_cx_write_context, .ring_cx_new_sq_head, .ring_cx_new_cq_tail, .ring_cx_new_status,
    .release_cx_context, .release_cx_record, .release_cx_vector, .release_cx_sq_head, .release_cx_status, .region_cx_context,
    .region_cx_vector);

  logic              timed_valid, timed_ready, timed_last, timed_q_last, timed_q_valid, timed_lease_valid, timed_lease_ok,
                     timed_lease_same, e_refuse, e_timed_write, e_timed_atomic, leases;
  logic [1:0]        timed_kind;
  logic [47:0]       timed_offset;
  logic [12:0]       timed_length, e_timed_bytes;
  logic [DATA_W-1:0] timed_data, timed_q_data;
  logic [63:0]       timed_time, timed_wts, timed_lease_wts, timed_lease_rts, timed_limit;
  logic [5:0]        slot_shift;
  logic [255:0]      grains;

  glk_ring #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS), .CONTEXTS(CONTEXTS), .SLICES(SLICES), .SLICE_SHIFT(SLICE_SHIFT),
             .REGISTRATIONS(REGISTRATIONS), .REGIONS(REGIONS), .READ_BYTES(READ_BYTES), .READ_TAGS(32)) ring (
    .clk, .rst, .clear, .enabled, .halt, .halted(ring_halted), .idle(ring_idle), .stale(ring_stale), .generation, .ep_kind,
    .ep_bytes, .ep_base, .leases, .slot_shift, .grains, .ctx_enable, .bell, .command_start, .command_context, .command_valid,
    .command_ready, .ring_cx_context, .ring_cx_sq_base, .ring_cx_cq_base, .ring_cx_sq_order, .ring_cx_cq_order, .ring_cx_status,
    .ring_cx_vector, .ring_cx_sq_tail, .ring_cx_cq_head, .ring_cx_sq_head, .ring_cx_cq_tail, .ring_cx_write,
    .ring_cx_write_context, .ring_cx_new_sq_head, .ring_cx_new_cq_tail, .ring_cx_new_status,
    .window_changed((reg_window_valid && reg_window_write) || ep_changed), .window_valid(ring_window_valid),
    .window_ready(ring_window_ready), .window_row(ring_window_row), .window_done(ring_window_done), .window_q,
    .registration_changed(reg_registration_valid && reg_registration_write), .registration_valid(ring_registration_valid),
    .registration_ready(ring_registration_ready), .registration_row(ring_registration_row),
    .registration_done(ring_registration_done), .registration_q,
    // Stores, and probes ahead of a load (token 3).
    .store_probe(ring_store_probe), .store_reason(ring_store_reason), .store_partition(ring_store_partition),
    .store_offset(ring_store_offset), .store_length(ring_store_length), .store_context(ring_store_context),
    .store_data(ring_store_data), .store_last(ring_store_last), .store_valid(ring_store_valid),
    .store_ready(ring_store_ready),
    // Loads; data is in the endpoint's lanes and always accepted.
    .load_partition(ring_load_partition), .load_offset(ring_load_offset), .load_length(ring_load_length),
    .load_wait(ring_load_wait), .load_atomic(ring_load_atomic), .load_operation(ring_load_operation),
    .load_operand(ring_load_operand), .load_compare(ring_load_compare), .load_valid(ring_load_valid),
    .load_ready(ring_load_ready), .load_q_whole(ring_load_q_whole), .load_q_error(ring_load_q_error),
    .load_q_data(ring_load_q_data), .load_q_last(ring_load_q_last), .load_q_valid(ring_load_q_valid),
    // New value of an atomic, directly to the endpoint; not while an atomic of the other card is in progress.
    .lock, .atomic_busy,
    .atomic_partition(ring_atomic_partition), .atomic_offset(ring_atomic_offset), .atomic_length(ring_atomic_length),
    .atomic_data(ring_atomic_data), .atomic_valid(ring_atomic_valid), .atomic_ready(ring_atomic_ready),
    // Accesses to the pool with a time.
    .timed_kind, .timed_offset, .timed_length, .timed_data, .timed_last,
    .timed_port_valid(timed_valid), .timed_port_ready(timed_ready), .timed_time, .timed_wts, .timed_q_data,
    .timed_q_last, .timed_q_valid, .timed_lease_valid, .timed_lease_ok,
    .timed_lease_same, .timed_lease_wts, .timed_lease_rts, .timed_limit, .e_refuse,
    .e_timed_write, .e_timed_bytes, .e_timed_atomic,
    // Operations of regions.
    .region_valid(ring_region_valid), .region_kind(ring_region_kind), .region_region(ring_region_region),
    .region_chunk(ring_region_chunk), .region_count(ring_region_count),
    .region_done(ring_region_done), .region_status(ring_region_status),
    // Releases.
    .release_only(ring_release_only), .release_context(ring_release_context), .release_valid(ring_release_valid),
    .release_ready(ring_release_ready), .release_done(ring_release_done), .release_failed(ring_release_failed),
    .release_take(ring_release_take),
    // Host memory: reads, whose data is always accepted; writes; interrupts.
    .mem_kind(ring_mem_kind), .mem_address(ring_mem_address), .mem_length(ring_mem_length), .mem_tag(ring_mem_tag),
    .mem_data(ring_mem_data), .mem_last(ring_mem_last), .mem_valid(ring_mem_valid), .mem_ready(ring_mem_ready),
    .rd_tag(rd_tag[4:0]), .rd_error, .rd_data, .rd_last, .rd_valid(ring_rd_valid),
    // Event pulses: an entry completed with an error; host memory access failed; a ring stopped. Loads and atomics, for the
    // counters.
    .e_entry, .e_dma, .e_ring, .count_atomic(ring_count_atomic), .count_partition(ring_count_partition),
    .count_context(ring_count_context), .count_valid(ring_count_valid), .count_ready(ring_count_ready));

  // --- regions ---
  logic              region_store_flush, region_store_last, region_store_valid, region_store_ready;
  logic [PW-1:0]     region_store_partition, region_stored_partition;
  logic [47:0]       region_store_offset;
  logic [12:0]       region_store_length, region_stored_bytes;
  logic [CW-1:0]     region_store_context, e_region_context;
  logic [DATA_W-1:0] region_store_data;
  logic [1:0]        region_mem_kind;
  logic [63:0]       region_mem_address, region_mem_data;
  logic [12:0]       region_mem_length;
  logic [2:0]        region_mem_tag;
  logic              region_mem_valid, region_mem_ready, region_rd_valid;
  logic              reg_region_valid, reg_region_of_chunk, reg_region_done, reg_region_refused, region_swept, region_hold,
                     region_storing, region_halted, region_idle, region_stale;
  logic [1:0]        reg_region_kind;
  logic [13:0]       reg_region_element;
  logic [5:0]        reg_region_word;
  logic [63:0]       reg_region_value, reg_region_shown;
  logic [CW-1:0]     reg_region_context;
  logic [CONTEXTS-1:0] region_ask, region_ask_only, region_pass;
  logic              region_batch_valid, region_batch_ready, region_batch_done;
  logic              region_stored_valid, e_region_dma, e_region_chunk, e_region_partial, e_region_epoch, e_region_reject,
                     e_region_error;
  logic [15:0]       e_region_arrivals;
  logic              fail_valid;
  logic [PW-1:0]     fail_partition;
  generate
    if (REGIONS != 0) begin : with_regions
      glk_region #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS), .CONTEXTS(CONTEXTS), .SLICES(SLICES), .SLICE_SHIFT(SLICE_SHIFT),
                   .REGISTRATIONS(REGISTRATIONS), .READ_BYTES(READ_BYTES), .READ_TAGS(8), .REGIONS(REGIONS), .CHUNKS(CHUNKS),
                   .WINDOW_W(WINDOW_W), .REGISTRATION_W(REGISTRATION_W)) regions (
        .clk, .rst, .clear, .swept(region_swept), .enabled, .hold(region_hold), .storing(region_storing), .halt,
        .halted(region_halted), .idle(region_idle), .stale(region_stale), .generation(generation[7:0]), .ep_kind, .ep_bytes,
        .reg_valid(reg_region_valid), .reg_kind(reg_region_kind), .reg_of_chunk(reg_region_of_chunk),
        .reg_element(reg_region_element), .reg_word(reg_region_word), .reg_value(reg_region_value),
        .reg_context(reg_region_context), .reg_done(reg_region_done), .reg_refused(reg_region_refused),
        .reg_shown(reg_region_shown), .ring_valid(ring_region_valid), .ring_kind(ring_region_kind),
        .ring_context(ring_release_context), .ring_region(ring_region_region), .ring_chunk(ring_region_chunk),
        .ring_count(ring_region_count), .ring_done(ring_region_done), .ring_status(ring_region_status), .ask(region_ask),
        .ask_only(region_ask_only), .pass(region_pass), .batch_valid(region_batch_valid), .batch_ready(region_batch_ready),
        .batch_done(region_batch_done), .fail_valid, .fail_partition,
        .window_changed((reg_window_valid && reg_window_write) || ep_changed), .window_valid(region_window_valid),
        .window_ready(region_window_ready), .window_row(region_window_row), .window_done(region_window_done), .window_q,
        .registration_changed(reg_registration_valid && reg_registration_write), .registration_valid(region_registration_valid),
        .registration_ready(region_registration_ready), .registration_row(region_registration_row),
        .registration_done(region_registration_done), .registration_q, .region_cx_context, .region_cx_vector,
        .store_flush(region_store_flush), .store_partition(region_store_partition), .store_offset(region_store_offset),
        .store_length(region_store_length), .store_context(region_store_context), .store_data(region_store_data),
        .store_last(region_store_last), .store_valid(region_store_valid), .store_ready(region_store_ready),
        .mem_kind(region_mem_kind), .mem_address(region_mem_address), .mem_length(region_mem_length), .mem_tag(region_mem_tag),
        .mem_data(region_mem_data), .mem_valid(region_mem_valid), .mem_ready(region_mem_ready),
        .rd_tag(rd_tag[2:0]), .rd_error, .rd_data, .rd_last, .rd_valid(region_rd_valid),
        .e_dma(e_region_dma), .e_arrivals(e_region_arrivals), .e_chunk(e_region_chunk), .e_partial(e_region_partial),
        .e_epoch(e_region_epoch), .e_reject(e_region_reject), .e_error(e_region_error), .e_error_context(e_region_context),
        .stored_valid(region_stored_valid), .stored_partition(region_stored_partition),
        .stored_bytes(region_stored_bytes));
    end else begin : without_regions
      assign {region_swept, region_storing, region_halted, region_idle, region_stale} = 5'b10110;
      assign {reg_region_done, reg_region_refused, reg_region_shown, ring_region_done, ring_region_status, region_batch_valid} =
              {2'b11, 64'd0, 1'b1, 5'd0, 1'b0};
      assign region_pass = '1;
      assign {region_window_valid, region_window_row, region_registration_valid, region_registration_row, region_cx_context} =
              '0;
      assign {region_store_flush, region_store_partition, region_store_offset, region_store_length, region_store_context,
              region_store_data, region_store_last, region_store_valid} = '0;
      assign {region_mem_kind, region_mem_address, region_mem_length, region_mem_tag, region_mem_data, region_mem_valid} = '0;
      assign {e_region_dma, e_region_arrivals, e_region_chunk, e_region_partial, e_region_epoch, e_region_reject,
              e_region_error, e_region_context, region_stored_valid, region_stored_partition, region_stored_bytes} = '0;
      wire unused_by_none = &{1'b0, reg_region_valid, reg_region_kind, reg_region_of_chunk, reg_region_element, reg_region_word,
                              reg_region_value, reg_region_context, region_hold, ring_region_valid, ring_region_kind,
                              ring_region_region,
                            ring_region_chunk, ring_region_count, region_ask, region_ask_only, region_batch_ready,
                                region_batch_done, region_window_ready, region_window_done, region_registration_ready,
                                region_registration_done, region_cx_vector, region_store_ready,
                            region_mem_ready, region_rd_valid};
    end
  endgenerate

  // A failed read of the ring engine and one of a region may coincide; then that of the region is counted later.
  logic              dma_waits;
  wire               e_any_dma = e_dma || dma_waits;
  always_ff @(posedge clk)
    dma_waits <= (e_region_dma || (dma_waits && e_dma)) && !rst;

  // --- store multiplexer ---
  logic [1:0]        s_kind, s_token;
  logic [PW-1:0]     s_partition;
  logic [47:0]       s_address;
  logic [12:0]       s_length;
  logic [3:0]        s_reason;
  logic [CW-1:0]     s_context;
  logic              s_owned, s_valid, s_ready, mux_idle;
  logic [DATA_W-1:0] s_data;
  logic              release_flush_owned, release_flush_valid, release_flush_ready, reg_flush_valid, reg_flush_ready,
                     timeout_flush_valid, timeout_flush_ready;
  logic [PW-1:0]     release_flush_partition, reg_flush_partition, timeout_flush_partition;
  logic [CW-1:0]     release_flush_context;
  logic [3:0]        release_flush_reason, reg_flush_reason;
  logic              release_flush_none, release_flush_token;
  logic              store_valid;
  logic [PW-1:0]     store_partition;
  logic [CW-1:0]     store_context;
  logic              cost_valid;
  logic [PW-1:0]     cost_partition;
  logic [CW-1:0]     cost_context;
  logic [12:0]       cost_length, cost_raw;

  glk_store_mux #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS), .CONTEXTS(CONTEXTS)) store_mux (
    .clk, .rst, .pause, .cfg_max_payload_bytes,
    .aperture_probe(aperture_store_probe), .aperture_partition(aperture_store_partition),
    .aperture_offset(aperture_store_offset), .aperture_length(aperture_store_length),
    .aperture_context(aperture_store_context), .aperture_data(aperture_store_data), .aperture_last(aperture_store_last),
    .aperture_valid(aperture_store_valid), .aperture_ready(aperture_store_ready),
    .ring_probe(ring_store_probe), .ring_reason(ring_store_reason), .ring_partition(ring_store_partition),
    .ring_offset(ring_store_offset), .ring_length(ring_store_length), .ring_context(ring_store_context),
    .ring_data(ring_store_data), .ring_last(ring_store_last), .ring_valid(ring_store_valid), .ring_ready(ring_store_ready),
    .region_flush(region_store_flush), .region_partition(region_store_partition), .region_offset(region_store_offset),
    .region_length(region_store_length), .region_context(region_store_context), .region_data(region_store_data),
    .region_last(region_store_last), .region_valid(region_store_valid), .region_ready(region_store_ready),
    // Flushes: of releases (`none`: token only), of registers, of timeouts.
    .release_none(release_flush_none), .release_token(release_flush_token), .release_owned(release_flush_owned),
    .release_partition(release_flush_partition), .release_context(release_flush_context), .release_reason(release_flush_reason),
    .release_valid(release_flush_valid), .release_ready(release_flush_ready),
    .register_partition(reg_flush_partition), .register_reason(reg_flush_reason), .register_valid(reg_flush_valid),
    .register_ready(reg_flush_ready), .timeout_partition(timeout_flush_partition), .timeout_valid(timeout_flush_valid),
    .timeout_ready(timeout_flush_ready), .m_kind(s_kind), .m_partition(s_partition), .m_address(s_address), .m_length(s_length),
    .m_reason(s_reason), .m_context(s_context), .m_owned(s_owned), .m_token(s_token), .m_data(s_data), .m_valid(s_valid),
    .m_ready(s_ready), .idle(mux_idle),
    // A store has entered the queue; and later, its cost as individual TLPs.
    .store_valid, .store_partition, .store_context, .cost_valid, .cost_partition, .cost_context, .cost_length, .cost_raw);

  logic [PARTITIONS-1:0] holds; // of the write queues, below
  glk_timeout #(.PARTITIONS(PARTITIONS)) timeout (
    .clk, .rst, .clear, .now_ns, .cfg_flush_timeout_ns, .holds, .store_valid, .store_partition,
    .flush_partition(timeout_flush_partition), .flush_valid(timeout_flush_valid), .flush_ready(timeout_flush_ready));

  // --- FinePack transmit ---
  logic [DATA_W-1:0] packet_data;
  logic [KW-1:0]     packet_bytes;
  logic              packet_last, packet_valid, packet_ready;
  logic              e_overwrite, made_valid, made_final, tx_idle;
  logic [PW-1:0]     e_overwrite_partition, made_partition;
  logic [7:0]        e_overwritten;
  logic [12:0]       made_payload;
  logic [10:0]       made_runs;
  logic [3:0]        made_reason;
  logic              token_valid, e_flush;
  logic [1:0]        token;
  logic [31:0]       queued_stores;
  logic [PW-1:0]     look_partition;
  logic [6:0]        look_entries;
  logic [14:0]       look_payload;

  logic                  peer_compact;
  logic [PARTITIONS-1:0] may_compact; // what receives their packets accepts the compact form
  always_ff @(posedge clk)
    may_compact <= cfg_compact & ~(ep_remote & {PARTITIONS{!peer_compact}});

  glk_finepack_tx #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS), .ENTRIES(ENTRIES), .BANKS(BANKS), .CONTEXTS(CONTEXTS)) tx (
    .clk, .rst(rst || clear), .cfg_subheader_bytes, .cfg_max_payload_bytes, .cfg_coalesce, .cfg_self_describe, .cfg_packing,
    .cfg_compact(may_compact), .s_kind, .s_partition, .s_address, .s_length, .s_reason, .s_context, .s_owned,
    .s_token, .s_data, .s_valid, .s_ready, .m_data(packet_data), .m_bytes(packet_bytes), .m_last(packet_last),
    .m_valid(packet_valid), .m_ready(packet_ready), .e_valid(e_overwrite), .e_partition(e_overwrite_partition), .e_overwritten,
    .made_valid, .made_partition, .made_payload, .made_runs, .made_reason, .made_final,
    .idle(tx_idle), .holds,
    // A flush occurred; an item's token, one clock after its flush, if any; stores that a reset would drop.
    .e_flush, .token_valid, .token, .queued_stores, .look_partition, .look_entries, .look_payload);

  // --- packets to partitions of the other card leave here ---
  logic              own_last, own_valid, own_ready;
  logic [DATA_W-1:0] own_data, remote_data, in_data;
  logic [KW-1:0]     own_bytes, remote_bytes, in_bytes;
  logic              remote_last, remote_valid, remote_ready, in_last, in_valid, in_ready;
  assign in_data   = link ? remote_data : inject_data;
  assign in_bytes  = link ? remote_bytes : inject_bytes;
  assign in_last   = link ? remote_last : inject_last;
  assign in_valid  = link ? remote_valid : inject_valid;
  assign remote_ready = in_ready;
  assign inject_ready  = in_ready && !link;

  // --- other packets are looped back, and merged with received ones; access rights of the other card are already checked
  // ---
  logic [DATA_W-1:0] receiver_data;
  logic [KW-1:0]     receiver_bytes;
  logic              receiver_last, receiver_own, receiver_valid, receiver_ready;
  glk_link_loop #(.DATA_W(DATA_W)) link_loop (
    .clk, .rst, .enabled(enabled || link), .packet_data(own_data), .packet_bytes(own_bytes), .packet_last(own_last),
    .packet_valid(own_valid), .packet_ready(own_ready),
    .tap_data, .tap_bytes, .tap_last, .tap_valid, .tap_ready, .inject_data(in_data), .inject_bytes(in_bytes),
    .inject_last(in_last), .inject_valid(in_valid), .inject_ready(in_ready),
    .receiver_data, .receiver_bytes, .receiver_last, .receiver_own, .receiver_valid, .receiver_ready);

  // --- FinePack receive ---
  logic [PW-1:0]     write_partition;
  logic [47:0]       write_offset;
  logic [12:0]       write_length;
  logic [LANES-1:0]  write_enables;
  logic [DATA_W-1:0] write_data;
  logic              write_first, write_last, write_packet_last, write_valid, write_ready, e_accepted, e_refused;
  glk_finepack_rx #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS)) rx (
    .clk, .rst, .cfg_subheader_bytes, .cfg_endpoint_bytes,
    .s_data(receiver_data), .s_bytes(receiver_bytes), .s_last(receiver_last), .s_valid(receiver_valid),
    .s_ready(receiver_ready), .m_partition(write_partition), .m_offset(write_offset), .m_length(write_length),
    .m_enables(write_enables), .m_data(write_data), .m_first(write_first), .m_last(write_last),
    .m_packet_last(write_packet_last), .m_valid(write_valid), .m_ready(write_ready),
    .e_accepted, .e_refused);

  // Arrival of the card's own packets: flushes made, and packets completely applied or refused, since the last clear.
  logic              packet_done;
  logic [15:0]       sent, arrived;
  logic              arrivals_full, e_passed, e_passed_remote, e_remote, e_other, e_other_refused;
  glk_arrivals arrivals (
    .clk, .rst, .clear, .e_flush, .e_packet(made_valid), .e_packet_final(made_final),
    .receiver_taken(receiver_valid && receiver_ready && receiver_last), .receiver_own, .e_accepted, .e_refused, .packet_done,
    .e_passed, .e_passed_remote, .e_remote, .full(arrivals_full), .sent, .arrived,
    .e_other, .e_other_refused);

  // --- plain writes to endpoints ---
  logic              endpoint_mem_valid, endpoint_mem_ready, endpoint_mem_last, endpoint_pool_valid, endpoint_pool_ready,
                     endpoint_pool_last;
  logic [63:0]       endpoint_mem_address;
  logic [12:0]       endpoint_mem_length, endpoint_pool_length;
  logic [PW-1:0]     endpoint_mem_partition;
  logic [DATA_W-1:0] endpoint_mem_data, endpoint_pool_data;
  logic [47:0]       endpoint_pool_offset;
  logic              e_write, posted_valid, endpoint_idle;
  logic [PW-1:0]     e_write_partition;
  logic [12:0]       e_write_bytes;
  logic              any_atomic_valid;
  logic [PW-1:0]     serve_atomic_partition, any_atomic_partition;
  logic [47:0]       serve_atomic_offset, any_atomic_offset;
  logic [3:0]        serve_atomic_length, any_atomic_length;
  logic [63:0]       serve_atomic_data, any_atomic_data;
  logic              serve_atomic_valid;
  // Writes of atomics: the rings issue none while they are locked for an atomic of the other card.
  assign any_atomic_valid     = ring_atomic_valid || serve_atomic_valid;
  assign any_atomic_partition = serve_atomic_valid ? serve_atomic_partition : ring_atomic_partition;
  assign any_atomic_offset    = serve_atomic_valid ? serve_atomic_offset : ring_atomic_offset;
  assign any_atomic_length    = serve_atomic_valid ? serve_atomic_length : ring_atomic_length;
  assign any_atomic_data      = serve_atomic_valid ? serve_atomic_data : ring_atomic_data;
  always_ff @(posedge clk)
    locked <= lock && !atomic_busy && !rst;
  glk_endpoint #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS)) endpoint (
    .clk, .rst, .ep_kind, .ep_base, .ep_bytes,
    .write_partition, .write_offset, .write_length, .write_enables, .write_data, .write_first, .write_last, .write_packet_last,
    .write_valid, .write_ready,
    .atomic_partition(any_atomic_partition), .atomic_offset(any_atomic_offset), .atomic_length(any_atomic_length),
    .atomic_data(any_atomic_data), .atomic_valid(any_atomic_valid), .atomic_ready(ring_atomic_ready),
    .mem_address(endpoint_mem_address), .mem_length(endpoint_mem_length), .mem_partition(endpoint_mem_partition),
    .mem_data(endpoint_mem_data), .mem_last(endpoint_mem_last), .mem_valid(endpoint_mem_valid), .mem_ready(endpoint_mem_ready),
    .posted(posted_valid), .pool_offset(endpoint_pool_offset), .pool_length(endpoint_pool_length),
    .pool_data(endpoint_pool_data), .pool_last(endpoint_pool_last), .pool_valid(endpoint_pool_valid),
    .pool_ready(endpoint_pool_ready),
    // Event pulses: a plain write is completely issued; the last write of a packet is.
    .e_write, .e_write_partition, .e_write_bytes, .packet_done, .idle(endpoint_idle));

  // A write with a time may coincide with one of an endpoint; then it is counted later.
  logic              timed_write_waits;
  logic [PW-1:0]     timed_write_partition;
  logic [12:0]       timed_write_length;
  wire               any_write = e_write || timed_write_waits;
  wire [PW-1:0]      any_write_partition = e_write ? e_write_partition : timed_write_partition;
  wire [12:0]        any_write_bytes     = e_write ? e_write_bytes : timed_write_length;
  always_ff @(posedge clk) begin
    if (e_timed_write) begin
      timed_write_partition <= ring_atomic_partition;
      timed_write_length    <= e_timed_bytes;
    end
    timed_write_waits <= (e_timed_write || (timed_write_waits && e_write)) && !rst;
  end

  // --- loads ---
  logic              load_mem_valid, load_mem_ready, load_rd_valid;
  logic [63:0]       load_mem_address;
  logic [12:0]       load_mem_length;
  logic              load_pool_valid, load_pool_ready, load_pool_q_last, load_pool_q_valid, load_pool_q_ready;
  logic [47:0]       load_pool_offset;
  logic [12:0]       load_pool_length;
  logic [DATA_W-1:0] load_pool_q_data;
  logic              load_failed_valid, load_failed_ready, load_failed_owned, load_idle;
  logic [PW-1:0]     load_failed_partition;
  logic [CW-1:0]     load_failed_context;
  logic [PW-1:0]     away_partition;
  logic [47:0]       away_offset;
  logic [12:0]       away_length;
  logic [1:0]        away_operation;
  logic [63:0]       away_operand, away_compare;
  logic [DATA_W-1:0] away_q_data;
  logic              away_atomic, away_valid, away_ready, away_q_error, away_q_last, away_q_valid;
  glk_load #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS), .CONTEXTS(CONTEXTS), .READ_BYTES(READ_BYTES)) load (
    .clk, .rst, .ep_kind, .ep_base, .ep_bytes, .token_valid, .token, .sent, .arrived,
    .aperture_error(aperture_load_error), .aperture_partition(aperture_load_partition), .aperture_offset(aperture_load_offset),
    .aperture_length(aperture_load_length), .aperture_context(aperture_load_context), .aperture_valid(aperture_load_valid),
    .aperture_ready(aperture_load_ready), .aperture_q_error, .aperture_q_data,
    .aperture_q_last, .aperture_q_valid,
    .ring_partition(ring_load_partition), .ring_offset(ring_load_offset), .ring_length(ring_load_length),
    .ring_wait(ring_load_wait), .ring_atomic(ring_load_atomic), .ring_operation(ring_load_operation),
    .ring_operand(ring_load_operand), .ring_compare(ring_load_compare), .ring_valid(ring_load_valid),
    .ring_ready(ring_load_ready), .ring_q_whole(ring_load_q_whole), .ring_q_error(ring_load_q_error),
    .ring_q_data(ring_load_q_data), .ring_q_last(ring_load_q_last), .ring_q_valid(ring_load_q_valid),
    // Endpoints on the bus: reads with tag 16. In the pool: pool reads.
    .mem_address(load_mem_address), .mem_length(load_mem_length), .mem_valid(load_mem_valid), .mem_ready(load_mem_ready),
    .rd_error, .rd_data, .rd_last, .rd_valid(load_rd_valid),
    .pool_offset(load_pool_offset), .pool_length(load_pool_length), .pool_valid(load_pool_valid), .pool_ready(load_pool_ready),
    .pool_q_data(load_pool_q_data), .pool_q_last(load_pool_q_last), .pool_q_valid(load_pool_q_valid),
    .pool_q_ready(load_pool_q_ready),
    // Endpoints of the other card: over the link.
    .away_partition, .away_offset, .away_length, .away_atomic,
    .away_operation, .away_operand, .away_compare, .away_valid,
    .away_ready, .away_q_error, .away_q_data, .away_q_last, .away_q_valid,
    // A read failed: of the partition, and of the context if it was an aperture load.
    .load_failed_partition, .load_failed_owned, .load_failed_context,
    .load_failed_valid, .load_failed_ready, .idle(load_idle));

  // Loads of the other card: reads with tags 17 to 23.
  logic [PW-1:0]     serve_load_partition, serve_failed_partition;
  logic [47:0]       serve_load_offset, serve_pool_offset;
  logic [6:0]        serve_load_length;
  logic [12:0]       serve_mem_length, serve_pool_length;
  logic [2:0]        serve_mem_slot;
  logic [63:0]       serve_mem_address;
  logic [511:0]      serve_load_q_line;
  logic [DATA_W-1:0] serve_pool_q_data;
  logic              serve_load_valid, serve_load_ready, serve_load_q_error, serve_load_q_valid, serve_load_q_ready,
                     serve_mem_valid, serve_mem_ready, serve_rd_valid, serve_pool_valid, serve_pool_ready, serve_pool_q_last,
                     serve_pool_q_valid;
  logic              serve_failed_valid, serve_failed_ready, serve_load_idle;
  glk_serve_load #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS)) serve_load (
    .clk, .rst, .ep_kind, .ep_base, .ep_bytes, .load_partition(serve_load_partition), .load_offset(serve_load_offset),
    .load_length(serve_load_length), .load_valid(serve_load_valid), .load_ready(serve_load_ready),
    .load_q_error(serve_load_q_error), .load_q_line(serve_load_q_line), .load_q_valid(serve_load_q_valid),
    .load_q_ready(serve_load_q_ready),
    .mem_address(serve_mem_address), .mem_length(serve_mem_length), .mem_slot(serve_mem_slot), .mem_valid(serve_mem_valid),
    .mem_ready(serve_mem_ready), .rd_slot(rd_tag[2:0]), .rd_error, .rd_data, .rd_last, .rd_valid(serve_rd_valid),
    .pool_offset(serve_pool_offset), .pool_length(serve_pool_length), .pool_valid(serve_pool_valid),
    .pool_ready(serve_pool_ready), .pool_q_data(serve_pool_q_data), .pool_q_last(serve_pool_q_last),
    .pool_q_valid(serve_pool_q_valid), .load_failed_partition(serve_failed_partition), .load_failed_valid(serve_failed_valid),
    .load_failed_ready(serve_failed_ready), .idle(serve_load_idle));

  // --- write acknowledgement ---
  logic              flush_mem_valid, flush_mem_ready, flush_rd_valid;
  logic [PW-1:0]     posted_partition, flush_mem_partition;
  logic [63:0]       posted_address, flush_mem_address;
  logic              mark_take, mark_reached, all_acknowledged;
  logic [31:0]       fail_count, look_unacknowledged;
  logic              fail_lost;
  logic [PW-1:0]     remote_posted_partition, flush_partition, flush_q_partition;
  logic              remote_posted_valid, remote_posted_ready, flush_valid, flush_ready, flush_q_error, flush_q_one,
                     flush_q_lost, flush_q_valid, flush_q_ready, failed_ready;
  logic [PARTITIONS-1:0] each_take, each_reached, under_way;
  assign load_failed_ready = failed_ready;
  assign serve_failed_ready = failed_ready && !load_failed_valid;
  glk_acknowledge #(.PARTITIONS(PARTITIONS)) acknowledge (
    .clk, .rst,
    .posted_valid, .posted_partition, .posted_address, .remote_posted_partition, .remote_posted_valid, .remote_posted_ready,
    // Flush reads: length 0, tag = partition.
    .mem_partition(flush_mem_partition), .mem_address(flush_mem_address), .mem_valid(flush_mem_valid),
    .mem_ready(flush_mem_ready), .rd_partition(rd_tag[PW-1:0]), .rd_error, .rd_valid(flush_rd_valid),
    .ep_beyond, .flush_partition, .flush_valid, .flush_ready, .flush_q_partition, .flush_q_error,
    .flush_q_one, .flush_q_lost, .flush_q_valid, .flush_q_ready,
    // Failed loads, arbitrated.
    .load_failed_partition(load_failed_valid ? load_failed_partition : serve_failed_partition),
    .load_failed_valid(load_failed_valid || serve_failed_valid), .load_failed_ready(failed_ready), .each_take, .each_reached,
    .under_way, .mark_take, .mark_reached, .all_acknowledged, .fail_valid, .fail_partition, .fail_count, .fail_lost,
    .look_partition, .look_unacknowledged);

  // --- releases and drains ---
  logic              bell_valid, bell_ready;
  logic [CW-1:0]     bell_context;
  logic [63:0]       bell_value;
  logic              drain_valid, drain_ready, drain_owned, drain_busy;
  logic [PARTITIONS-1:0] drain_partitions;
  logic [CW-1:0]     drain_context;
  logic              release_mem_valid, release_mem_ready, release_mem_interrupt;
  logic [63:0]       release_mem_address, release_mem_data;
  logic              release_failed_valid, release_failed_ready, release_idle, release_stale;
  logic [CW-1:0]     release_failed_context, released_context;
  logic [63:0]       released, context_errors;
  logic [CW-1:0]     errors_context;
  glk_release #(.PARTITIONS(PARTITIONS), .CONTEXTS(CONTEXTS)) releases (
    .clk, .rst, .clear, .generation, .ctx_enable,
    // Doorbell releases.
    .bell_context, .bell_value, .bell_target(reg_cx_sq_tail), .bell_valid, .bell_ready,
    // Ring releases: done and failed are held until taken.
    .ring_context(ring_release_context), .ring_only(ring_release_only), .ring_valid(ring_release_valid),
    .ring_ready(ring_release_ready), .ring_done(ring_release_done), .ring_failed(ring_release_failed),
    .ring_take(ring_release_take),
    // Regions: ahead of the flushes; epochs that were sent.
    .ask(region_ask), .ask_only(region_ask_only), .pass(region_pass), .batch_valid(region_batch_valid),
    .batch_ready(region_batch_ready), .batch_done(region_batch_done),
    // Drains of partitions, or of a context's stores in them.
    .drain_partitions, .drain_owned, .drain_context, .drain_valid, .drain_ready, .drain_busy,
    .release_cx_context, .release_cx_record, .release_cx_vector, .release_cx_sq_head, .release_cx_status, .ring_cx_write,
    .ring_cx_write_context,
    // Stores; atomics, which use a partition only for their write.
    .store_valid, .store_partition, .store_context, .atomic_valid(ring_count_valid && ring_count_atomic),
    .atomic_context(ring_count_context), .atomic_write_valid(ring_atomic_valid || e_timed_atomic),
    .atomic_write_partition(ring_atomic_partition), .fail_valid, .fail_partition,
    .flush_none(release_flush_none), .flush_token(release_flush_token), .flush_owned(release_flush_owned),
    .flush_partition(release_flush_partition), .flush_context(release_flush_context), .flush_reason(release_flush_reason),
    .flush_valid(release_flush_valid), .flush_ready(release_flush_ready),
    .token_valid, .token, .sent, .arrived, .mark_take, .mark_reached,
    // Record and interrupt: 8-byte writes, with the data replicated in every 8-byte lane.
    .mem_interrupt(release_mem_interrupt), .mem_address(release_mem_address), .mem_data(release_mem_data),
    .mem_valid(release_mem_valid), .mem_ready(release_mem_ready),
    // A release found a failed write: increments ERRORS of the context; read port of ERRORS.
    .failed_context(release_failed_context), .failed_valid(release_failed_valid), .failed_ready(release_failed_ready),
    .errors_context, .errors(context_errors), .look_context(released_context), .look_released(released),
    // A context was stopped while its release completes.
    .stale(release_stale), .idle(release_idle));

  // Some packets of the other card are refused ahead of the receiver; one at a time is counted.
  logic              e_other_malformed, bad_waits;
  wire               e_bad_packet = e_refused || bad_waits;
  always_ff @(posedge clk)
    bad_waits <= (e_other_malformed || (bad_waits && e_refused)) && !rst;

  // --- counters ---
  logic              snapshot;
  logic [11:0]       counter_at; // see glk_counters
  logic [63:0]       counter_value; // valid with counter_done, some clocks later
  logic              counter_read, counter_done, snapshot_done;
  logic              e_config;
  logic              dropped_valid;
  logic [31:0]       dropped_count;
  logic              errors_clear;
  logic [CW-1:0]     errors_of;
  logic [63:0]       errors_shown;
  glk_counters #(.PARTITIONS(PARTITIONS), .CONTEXTS(CONTEXTS)) counters (
    .clk, .rst,
    .cost_valid, .cost_partition, .cost_context, .cost_length, .cost_raw,
    .e_overwrite, .e_overwrite_partition, .e_overwritten,
    .made_valid, .made_partition, .made_payload, .made_runs, .made_reason,
    .e_load, .e_load_partition, .count_atomic(ring_count_atomic), .count_partition(ring_count_partition),
    .count_valid(ring_count_valid), .count_ready(ring_count_ready),
    .e_write(any_write), .e_write_partition(any_write_partition), .e_write_bytes(any_write_bytes), .fail_valid, .fail_partition,
    .fail_count, .e_window(e_window || e_pool_poisoned), .e_refused(e_bad_packet), .e_config, .e_dma(e_any_dma), .e_entry,
    .e_dropped, .dropped_valid, .dropped_count, .e_accepted, .stored_valid(region_stored_valid),
    .stored_partition(region_stored_partition), .stored_bytes(region_stored_bytes), .e_arrivals(e_region_arrivals),
    .e_chunk(e_region_chunk), .e_partial(e_region_partial), .e_epoch(e_region_epoch), .e_reject(e_region_reject), .snapshot,
    .snapshot_done, .counter_read, .counter_at, .counter_value, .counter_done,
    // ERRORS of the contexts.
    .refused_valid(e_window && e_window_owned), .refused_context(e_window_context),
    .load_failed_valid(load_failed_valid && load_failed_ready && load_failed_owned),
    .load_failed_context,
    .reject_valid(e_region_error), .reject_context(e_region_context), .release_failed_valid, .release_failed_ready,
    .release_failed_context, .errors_clear, .errors_clear_all(clear), .errors_of, .errors_shown,
    .record_context(errors_context), .record_errors(context_errors));

  // --- link to another card ---
  logic              link_up, link_idle, e_link, link_allowed, link_snapshot_done;
  logic [63:0]       link_shown, look_remote_bytes;
  generate
    if (LINK != 0) begin : linked
      glk_card_link #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS), .REPLAY(LINK_REPLAY), .HELLO(LINK_HELLO)) card_link (
        .clk, .rst, .clear, .halt(halt || !link), .now_ns, .serial, .cluster, .first_session(link_session),
        .enabled, .ep_kind, .ep_bytes, .ep_open, .ep_remote, .remote_partition, .ask_valid, .ask_partition, .look_partition,
        .look_remote_bytes, .up(link_up), .peer_compact, .idle(link_idle),
        .packet_data, .packet_bytes, .packet_last, .packet_valid, .packet_ready, .own_data, .own_bytes, .own_last, .own_valid,
        .own_ready,
        .posted_valid(remote_posted_valid), .posted_partition(remote_posted_partition), .posted_ready(remote_posted_ready),
        .hold(arrivals_full), .e_passed, .e_passed_remote, .e_arrived(e_remote),
        .flush_partition, .flush_valid, .flush_ready, .flush_q_partition, .flush_q_error,
        .flush_q_one, .flush_q_lost, .flush_q_valid, .flush_q_ready,
        .under_way(under_way & ep_beyond), .each_take, .each_reached, .fail_valid, .fail_partition, .fail_count, .fail_lost,
        .away_partition, .away_offset, .away_length, .away_atomic,
        .away_operation, .away_operand, .away_compare, .away_valid,
        .away_ready, .away_q_error, .away_q_data, .away_q_last, .away_q_valid,
        .inject_data(remote_data), .inject_bytes(remote_bytes), .inject_last(remote_last), .inject_valid(remote_valid),
        .inject_ready(remote_ready),
        .other_done(link && e_other && !e_other_refused), .other_refused(link && e_other && e_other_refused),
        .serve_partition(serve_load_partition), .serve_offset(serve_load_offset), .serve_length(serve_load_length),
        .serve_valid(serve_load_valid), .serve_ready(serve_load_ready), .serve_q_error(serve_load_q_error),
        .serve_q_line(serve_load_q_line), .serve_q_valid(serve_load_q_valid),
        .serve_q_ready(serve_load_q_ready), .lock, .locked,
        .atomic_partition(serve_atomic_partition), .atomic_offset(serve_atomic_offset), .atomic_length(serve_atomic_length),
        .atomic_data(serve_atomic_data), .atomic_valid(serve_atomic_valid), .atomic_ready(ring_atomic_ready),
        .link_in_data, .link_in_control, .link_in_valid(link_in_valid && link), .link_in_cut, .link_out_data, .link_out_control,
        .link_out_valid, .link_out_go, .link_word(block_word), .link_shown, .link_value(block_value), .link_allowed, .link_take,
        .snapshot, .link_snapshot_done, .e_link, .e_malformed(e_other_malformed));
    end else begin : alone
      assign {look_remote_bytes, link_up, link_idle, link_shown, link_allowed, link_snapshot_done, e_link, e_other_malformed} =
              {64'd0, 2'b01, 64'd0, 4'b0100};
      assign peer_compact = 1'b0;
      assign {own_data, own_bytes, own_last, own_valid, packet_ready} =
              {packet_data, packet_bytes, packet_last, packet_valid, own_ready};
      assign {e_passed, e_passed_remote} = {packet_valid && packet_ready && packet_last, 1'b0};
      assign {remote_posted_valid, remote_posted_partition, e_remote, flush_ready, flush_q_partition, flush_q_error,
              flush_q_one, flush_q_lost, flush_q_valid, each_take} = '0;
      assign {away_ready, away_q_error, away_q_data, away_q_last, away_q_valid, remote_data, remote_bytes, remote_last,
              remote_valid} = '0;
      assign {serve_load_partition, serve_load_offset, serve_load_length, serve_load_valid, serve_load_q_ready, lock,
              serve_atomic_partition, serve_atomic_offset, serve_atomic_length, serve_atomic_data, serve_atomic_valid} = '0;
      assign {link_out_data, link_out_control, link_out_valid} = '0;
      wire unused_by_none = &{1'b0, cluster, link_session, link_in_data, link_in_control, link_in_valid, link_in_cut,
                              link_out_go, ep_open, ep_remote,
                            remote_partition, ask_valid, link_take, ask_partition, block_word, block_value, locked,
                                remote_ready,
                            e_other, e_other_refused, away_partition, away_offset, away_length, away_operation, away_operand,
                            away_compare, away_atomic, away_valid, serve_load_q_line, serve_load_ready, serve_load_q_error,
                                serve_load_q_valid, fail_lost,
                            flush_partition, remote_posted_ready, arrivals_full, flush_valid, flush_q_ready, each_reached};
    end
  endgenerate

  // --- registers ---
  logic              event_valid, event_ready; // raises the event vector
  logic              quiet, registers_idle, mem_idle;
  logic              pool_idle, pool_swept, reg_tsu_allowed, reg_tsu_valid, reg_tsu_write, reg_tsu_done;
  logic [63:0]       reg_tsu_shown;
  assign quiet = mux_idle && tx_idle && sent == arrived;
  glk_registers #(.PARTITIONS(PARTITIONS), .ENTRIES(ENTRIES), .CONTEXTS(CONTEXTS), .SLICES(SLICES), .SLICE_SHIFT(SLICE_SHIFT),
                  .REGISTRATIONS(REGISTRATIONS), .VECTORS(VECTORS), .REGIONS(REGIONS), .CHUNKS(CHUNKS), .WINDOW_W(WINDOW_W),
                  .REGISTRATION_W(REGISTRATION_W)) registers (
    .clk, .rst, .flr, .flr_done, .serial, .pool_bytes, .link, .link_up, .leases,
    .reg_write, .reg_offset, .reg_size, .reg_data, .reg_poisoned, .reg_valid, .reg_ready, .reg_q_data, .reg_q_valid,
    .enabled, .cfg_subheader_bytes, .cfg_max_payload_bytes, .cfg_coalesce, .cfg_self_describe, .cfg_packing, .cfg_compact,
    .cfg_flush_timeout_ns, .ep_kind, .ep_base, .ep_bytes, .ep_changed, .ep_open, .remote(ep_remote),
    .remote_bound(ep_beyond), .remote_partition, .ask_valid, .ask_partition, .generation,
    // Changes that require empty queues: pause, flush, wait for quiet. Resets also halt the rings and wait for all blocks.
    .pause, .flush_partition(reg_flush_partition), .flush_reason(reg_flush_reason), .flush_valid(reg_flush_valid),
    .flush_ready(reg_flush_ready), .quiet, .halt, .ring_halted(ring_halted && region_halted), .ring_stale, .release_stale,
    .others_idle(load_idle && serve_load_idle && link_idle && endpoint_idle && all_acknowledged && mem_idle && pool_idle),
    .clear, .queued_stores, .dropped_valid, .dropped_count,
    .holds, .all_acknowledged, .look_partition, .look_entries, .look_payload, .look_unacknowledged, .look_remote_bytes,
    .under_way, .window_valid(reg_window_valid), .window_ready(reg_window_ready), .window_write(reg_window_write),
    .window_row(reg_window_row), .window_data(reg_window_data), .window_done(reg_window_done), .window_q,
    .registration_valid(reg_registration_valid), .registration_ready(reg_registration_ready),
    .registration_write(reg_registration_write), .registration_row(reg_registration_row),
    .registration_data(reg_registration_data), .registration_done(reg_registration_done), .registration_q,
    .reg_cx_write, .reg_cx_which, .reg_cx_context, .reg_cx_data, .reg_cx_sq_base, .reg_cx_cq_base, .reg_cx_record,
    .reg_cx_sq_order, .reg_cx_cq_order, .reg_cx_vector, .reg_cx_sq_tail, .reg_cx_cq_head, .reg_cx_sq_head, .reg_cx_cq_tail,
    .reg_cx_status, .ctx_enable,
    .bell, .command_start, .command_context, .command_valid, .command_ready,
    .bell_context, .bell_value, .bell_valid, .bell_ready, .released_context, .released,
    .drain_partitions, .drain_owned, .drain_context, .drain_valid, .drain_ready, .drain_busy,
    .region_valid(reg_region_valid), .region_kind(reg_region_kind), .region_of_chunk(reg_region_of_chunk),
    .region_element(reg_region_element), .region_word(reg_region_word), .region_value(reg_region_value),
    .region_context(reg_region_context), .region_done(reg_region_done), .region_refused(reg_region_refused),
    .region_shown(reg_region_shown), .region_swept, .region_stale, .region_hold, .region_storing, .block_word, .block_value,
    .link_shown, .link_allowed, .link_take, .link_snapshot_done,
    .tsu_shown(reg_tsu_shown), .tsu_allowed(reg_tsu_allowed), .tsu_valid(reg_tsu_valid), .tsu_write(reg_tsu_write),
    .tsu_done(reg_tsu_done), .tsu_swept(pool_swept),
    .snapshot, .snapshot_done, .counter_read, .counter_at, .counter_value, .counter_done, .e_config, .errors_clear, .errors_of,
    .errors_shown,
    // ERROR_CAUSE: window, packet, config, dma, endpoint, ring, link.
    .e_cause({e_link, e_ring, fail_valid, e_any_dma, e_config, e_bad_packet, e_window || e_pool_poisoned}), .event_valid,
    .event_ready, .idle(registers_idle));

  // --- PCIe requests ---
  glk_memory_mux #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS), .WRITE_BYTES(WRITE_BYTES)) memory_mux (
    .clk, .rst,
    .write_address(endpoint_mem_address), .write_length(endpoint_mem_length), .write_partition(endpoint_mem_partition),
    .write_data(endpoint_mem_data), .write_last(endpoint_mem_last), .write_valid(endpoint_mem_valid),
    .write_ready(endpoint_mem_ready), .ring_kind(ring_mem_kind), .ring_address(ring_mem_address), .ring_length(ring_mem_length),
    .ring_tag(ring_mem_tag), .ring_data(ring_mem_data), .ring_last(ring_mem_last), .ring_valid(ring_mem_valid),
    .ring_ready(ring_mem_ready), .region_kind(region_mem_kind), .region_address(region_mem_address),
    .region_length(region_mem_length), .region_tag(region_mem_tag), .region_data(region_mem_data),
    .region_valid(region_mem_valid), .region_ready(region_mem_ready),
    .load_address(load_mem_address), .load_length(load_mem_length), .load_valid(load_mem_valid), .load_ready(load_mem_ready),
    .serve_address(serve_mem_address), .serve_length(serve_mem_length), .serve_slot(serve_mem_slot),
    .serve_valid(serve_mem_valid), .serve_ready(serve_mem_ready), .record_interrupt(release_mem_interrupt),
    .record_address(release_mem_address), .record_data(release_mem_data), .record_valid(release_mem_valid),
    .record_ready(release_mem_ready),
    .flush_partition(flush_mem_partition), .flush_address(flush_mem_address), .flush_valid(flush_mem_valid),
    .flush_ready(flush_mem_ready), .event_valid, .event_ready,
    .mem_kind, .mem_address, .mem_length, .mem_tag, .mem_data, .mem_last, .mem_valid, .mem_ready,
    .posted_valid, .posted_partition, .posted_address, .idle(mem_idle));

  // --- PCIe read completions, routed by tag ---
  wire for_ring = rd_tag[5];
  wire for_load = rd_tag == 6'd16;
  assign rd_ready = 1'b1; // requesters reserve buffer space for the whole completion
  assign ring_rd_valid = rd_valid && for_ring;
  assign load_rd_valid = rd_valid && for_load;
  assign serve_rd_valid = rd_valid && rd_tag[5:3] == 3'b010 && !for_load;
  assign region_rd_valid = rd_valid && rd_tag[5:3] == 3'b011;
  assign flush_rd_valid = rd_valid && !rd_tag[4] && !rd_tag[5];

  // --- pool ---
  glk_pool #(.DATA_W(DATA_W), .SETS(TSU_SETS), .WAYS(TSU_WAYS), .TS_BITS(TSU_TS_BITS)) pool (
    .clk, .rst, .clear, .pool_bytes, .leases, .idle(pool_idle), .swept(pool_swept),
    .bar4_write, .bar4_offset, .bar4_length, .bar4_data, .bar4_last, .bar4_valid, .bar4_ready,
    .bar4_q_data, .bar4_q_last, .bar4_q_valid, .bar4_q_ready,
    .write_offset(endpoint_pool_offset), .write_length(endpoint_pool_length), .write_data(endpoint_pool_data),
    .write_last(endpoint_pool_last), .write_valid(endpoint_pool_valid),
    .write_ready(endpoint_pool_ready),
    .load_offset(load_pool_offset), .load_length(load_pool_length), .load_valid(load_pool_valid), .load_ready(load_pool_ready),
    .load_q_data(load_pool_q_data), .load_q_last(load_pool_q_last), .load_q_valid(load_pool_q_valid),
    .load_q_ready(load_pool_q_ready), .serve_offset(serve_pool_offset), .serve_length(serve_pool_length),
    .serve_valid(serve_pool_valid), .serve_ready(serve_pool_ready), .serve_q_data(serve_pool_q_data),
    .serve_q_last(serve_pool_q_last), .serve_q_valid(serve_pool_q_valid),
    // Accesses of the rings with a time.
    .timed_kind, .timed_offset, .timed_length, .timed_data, .timed_last,
    .timed_valid, .timed_ready, .timed_time, .timed_wts, .timed_q_data,
    .timed_q_last, .timed_q_valid, .timed_lease_valid, .timed_lease_ok,
    .timed_lease_same, .timed_lease_wts, .timed_lease_rts, .limit(timed_limit), .write_refuse(e_refuse),
    .slot_shift, .grains, .word(block_word), .shown(reg_tsu_shown), .value(block_value), .allowed(reg_tsu_allowed),
    .reg_valid(reg_tsu_valid), .reg_write(reg_tsu_write), .reg_done(reg_tsu_done), .snapshot,
    .pool_write, .pool_offset, .pool_length, .pool_data, .pool_last, .pool_valid, .pool_ready,
    .pool_q_data, .pool_q_last, .pool_q_valid, .pool_q_ready);

  always_ff @(posedge clk) begin
    busy    <= req_valid || flr || !(requests_idle && aperture_idle && quiet && endpoint_idle && load_idle &&
        all_acknowledged && release_idle &&
                            ring_idle && region_idle && registers_idle && mem_idle && pool_idle);
    holding <= |holds;
    if (rst)
      busy <= 1'b0;
  end
endmodule
`default_nettype wire
