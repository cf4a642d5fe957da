// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Card top level: all logic between PCIe, link and pool. Architecture: fpga/README.md; register behaviour:
// docs/registers.md.
//
// PCIe side: four vendor-independent streams (glk_pcie_us adapts them to the hard block). All data is in address lanes:
// byte lane i of a beat carries a byte whose address is i modulo LANES; a beat is one aligned line of LANES bytes, and a
// byte range takes one beat per line it touches. Sideband fields are constant over all beats of a transaction.
//   r  requests to the card: BAR writes and reads, contiguous bytes, not across a 4 KiB boundary. A read is one beat,
//      allowed only while r_read_ready, so that writes never wait behind a read (a PCIe requirement).
//   c  completions of these reads; the beats of a completion come without gaps
//   m  requests of the card, in order: writes, reads (length 0: a flush read, whose completion proves that earlier writes
//      have arrived) and MSI-X vectors; at most WRITE_BYTES or READ_BYTES each, not across multiples of these
//   d  completions of the card's reads: data in address order; beats of different tags may interleave
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
  input  logic              r_write,
  input  logic [1:0]        r_bar,      // 0 registers, 1 window aperture (BAR 2), 2 pool (BAR 4)
  input  logic [47:0]       r_offset,
  input  logic [12:0]       r_length,   // 1..4096; reads also 0
  input  logic [31:0]       r_id,       // of a read, returned with its completion
  input  logic              r_poisoned, // of a write, on any beat
  input  logic [DATA_W-1:0] r_data,
  input  logic              r_last,
  input  logic              r_valid,
  output logic              r_ready,
  output logic              r_read_ready,

  // Completions of these requests
  output logic [31:0]       c_id,
  output logic [11:0]       c_offset,   // low bits of r_offset
  output logic [12:0]       c_length,
  output logic [DATA_W-1:0] c_data,
  output logic              c_last,
  output logic              c_valid,
  input  logic              c_ready,

  // Requests of the card
  output logic [1:0]        m_kind,     // 0 write, 1 read, 2 interrupt
  output logic [63:0]       m_address,  // vector number of an interrupt
  output logic [12:0]       m_length,
  output logic [5:0]        m_tag,      // of a read
  output logic [DATA_W-1:0] m_data,
  output logic              m_last,
  output logic              m_valid,
  input  logic              m_ready,

  // Completions of these reads
  input  logic [5:0]        d_tag,
  input  logic              d_error,    // the read failed: no data, and its last beat
  input  logic [DATA_W-1:0] d_data,
  input  logic              d_last,     // of the read
  input  logic              d_valid,
  output logic              d_ready,

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
  input  logic [127:0]      li_data,
  input  logic              li_control,
  input  logic              li_valid,
  input  logic              li_cut,     // loss of signal after this block
  output logic [127:0]      lo_data,
  output logic              lo_control,
  output logic              lo_valid,
  input  logic              lo_go,      // the wire has room for the blocks of six clocks: this one and five behind it

  // Packets to the own endpoints loop back inside the card. lt observes and delays them; lr injects packets from elsewhere,
  // if there is no link.
  output logic [DATA_W-1:0] lt_data,
  output logic [KW-1:0]     lt_bytes,
  output logic              lt_last,
  output logic              lt_valid,
  input  logic              lt_ready,
  input  logic [DATA_W-1:0] lr_data,
  input  logic [KW-1:0]     lr_bytes,
  input  logic              lr_last,
  input  logic              lr_valid,
  output logic              lr_ready
);
  localparam int PW = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1;
  localparam int CW = (CONTEXTS > 1) ? $clog2(CONTEXTS) : 1;
  localparam int SW = (SLICES > 1) ? $clog2(SLICES) : 1;
  localparam int HW = (REGISTRATIONS > 1) ? $clog2(REGISTRATIONS) : 1;
  // window table entry: {q2[30:0], q1[47:12], first[9:0], context[4:0], partition[3:0], write, read, valid}
  localparam int WINDOW_W       = 89;
  localparam int REGISTRATION_W = 133; // registration entry: {q3[33:32], q3[20:0], q2[63:3], q1[40:0], context[4:0], write, read, valid}

  initial if (PARTITIONS < 1 || PARTITIONS > 16 || BANKS < 2 || CONTEXTS < 1 || CONTEXTS > 32 || SLICES < 1 || SLICES > 1024 ||
              REGISTRATIONS < 1 || REGISTRATIONS > 1024 || VECTORS < 1 || VECTORS > 64 || REGIONS < 0 || REGIONS > 64 || CHUNKS < 1 ||
              CHUNKS > 16384) $fatal;
  initial if (READ_BYTES < LANES || READ_BYTES > 4096 || WRITE_BYTES < LANES || WRITE_BYTES > 4096) $fatal;
  initial if (LINK != 0 && READ_BYTES < 64) $fatal; // a line of the other card is one read
  initial if ((READ_BYTES & (READ_BYTES - 1)) != 0 || (WRITE_BYTES & (WRITE_BYTES - 1)) != 0) $fatal;

  // --- settings, from glk_registers ---
  logic                     enabled;
  logic [PARTITIONS*3-1:0]  cfg_subheader_bytes;
  logic [PARTITIONS*13-1:0] cfg_max_payload_bytes;
  logic [PARTITIONS-1:0]    cfg_coalesce, cfg_self_describe, cfg_packing, cfg_compact, cfg_keep;
  logic [PARTITIONS*30-1:0] cfg_flush_timeout_ns;
  logic [PARTITIONS*2-1:0]  ep_kind;
  logic [PARTITIONS*52-1:0] ep_base;  // bits 63:12
  logic [PARTITIONS*37-1:0] ep_bytes; // in units of 4 KiB
  logic [PARTITIONS-1:0]    ep_open;       // accessible to the other card
  logic [PARTITIONS-1:0]    ep_remote;        // endpoint of kind link
  logic [PARTITIONS-1:0]    ep_beyond;     // or last was
  logic [PARTITIONS*4-1:0]  remote_partition; // partition of the other card it is bound to
  logic                     ask_valid, l_take;
  logic [PW-1:0]            ask_partition;
  logic [8:0]               l_word;
  logic [63:0]              l_value;
  logic                     ep_changed;
  logic [63:0]              generation;
  logic                     clear;    // one clock in which a reset discards all state; everything is idle then
  logic                     halt;     // stops the rings for a reset
  logic                     pause;    // only flushes of glk_registers enter the queues

  logic [PARTITIONS*49-1:0] cfg_endpoint_bytes;
  genvar g;
  generate
    for (g = 0; g < PARTITIONS; g = g + 1) begin : endpoint_bytes
      assign cfg_endpoint_bytes[g*49 +: 49] = (ep_kind[g*2 +: 2] == 2'(glk_regs::EP_NONE)) ? 49'b0 : {ep_bytes[g*37 +: 37], 12'b0};
    end
  endgenerate

  // --- requests, by BAR ---
  logic              x_write, x_valid, x_ready, y_valid;
  logic [19:0]       x_offset;
  logic [1:0]        x_size; // log2(bytes): 1, 2, 4, 8
  logic [63:0]       x_data, y_data;
  logic              x_poisoned;
  logic              a_write, a_poisoned, a_last, a_valid, a_ready, aperture_idle;
  logic [47:0]       a_offset;
  logic [12:0]       a_length;
  logic [DATA_W-1:0] a_data, b_data;
  logic              b_error, b_last, b_valid;
  logic              bp_write, bp_last, bp_valid, bp_ready, bq_last, bq_valid, bq_ready;
  logic [47:0]       bp_offset;
  logic [12:0]       bp_length;
  logic [DATA_W-1:0] bp_data, bq_data;
  logic              requests_idle, e_pool_poisoned;

  glk_requests #(.DATA_W(DATA_W)) requests (
    .clk, .rst, .pool_bytes,
    .r_write, .r_bar, .r_offset, .r_length, .r_id, .r_poisoned, .r_data, .r_last, .r_valid, .r_ready, .r_read_ready,
    .c_id, .c_offset, .c_length, .c_data, .c_last, .c_valid, .c_ready,
    // Registers: accesses of 1, 2, 4 or 8 bytes, aligned, data in the low bits. Reads are answered on y.
    .x_write, .x_offset, .x_size, .x_data, .x_poisoned, .x_valid, .x_ready, .y_data, .y_valid,
    // Aperture, as r. Loads are answered on b; an error is one beat without data.
    .a_write, .a_offset, .a_length, .a_poisoned, .a_data, .a_last, .a_valid, .a_ready, .aperture_idle,
    .b_error, .b_data, .b_last, .b_valid,
    // Pool.
    .bp_write, .bp_offset, .bp_length, .bp_data, .bp_last, .bp_valid, .bp_ready, .bq_data, .bq_last, .bq_valid, .bq_ready,
    .e_pool_poisoned, .idle(requests_idle));

  // --- tables ---
  logic                wt_look; // aperture lookup: wt_entry is valid two clocks later
  logic [SW-1:0]       wt_slice;
  logic [WINDOW_W-1:0] wt_entry;
  // Three users share the other port: valid/ready per access; a read's entry comes with `done`, some clocks later.
  logic                xw_valid, xw_ready, xw_write, xw_done, nw_valid, nw_ready, nw_done, gw_valid, gw_ready, gw_done;
  logic [SW-1:0]       xw_row, nw_row, gw_row;
  logic [WINDOW_W-1:0] xw_data, w_q;
  logic                xh_valid, xh_ready, xh_write, xh_done, nh_valid, nh_ready, nh_done, gh_valid, gh_ready, gh_done;
  logic [HW-1:0]       xh_row, nh_row, gh_row;
  logic [REGISTRATION_W-1:0] xh_data, h_q, unused_look;

  glk_table #(.W(WINDOW_W), .ROWS(SLICES)) window_table (
    .clk, .rst, .look(wt_look), .look_row(wt_slice), .look_q(wt_entry),
    .p0_valid(xw_valid), .p0_ready(xw_ready), .p0_write(xw_write), .p0_row(xw_row), .p0_data(xw_data), .p0_done(xw_done),
    .p1_valid(nw_valid), .p1_ready(nw_ready), .p1_row(nw_row), .p1_done(nw_done),
    .p2_valid(gw_valid), .p2_ready(gw_ready), .p2_row(gw_row), .p2_done(gw_done), .q(w_q));
  glk_table #(.W(REGISTRATION_W), .ROWS(REGISTRATIONS)) registrations (
    .clk, .rst, .look(1'b0), .look_row({HW{1'b0}}), .look_q(unused_look),
    .p0_valid(xh_valid), .p0_ready(xh_ready), .p0_write(xh_write), .p0_row(xh_row), .p0_data(xh_data), .p0_done(xh_done),
    .p1_valid(nh_valid), .p1_ready(nh_ready), .p1_row(nh_row), .p1_done(nh_done),
    .p2_valid(gh_valid), .p2_ready(gh_ready), .p2_row(gh_row), .p2_done(gh_done), .q(h_q));

  // --- aperture stores and loads ---
  // Queue items, kind: 0 store, 1 flush, 2 probe (flush if the range is queued). `owned`: flush only if the queue holds a
  // store of the context. `token` is returned when the item has passed the queue: 0 none, 1 release, 2 aperture load, 3
  // ring load.
  logic              sa_probe, sa_last, sa_valid, sa_ready;
  logic [PW-1:0]     sa_partition;
  logic [47:0]       sa_offset;
  logic [12:0]       sa_length;
  logic [CW-1:0]     sa_context;
  logic [DATA_W-1:0] sa_data;
  logic              la_valid, la_error, la_ready;
  logic [PW-1:0]     la_partition;
  logic [47:0]       la_offset;
  logic [12:0]       la_length;
  logic [CW-1:0]     la_context;
  logic              e_window, ew_owned, e_dropped, e_load;
  logic [CW-1:0]     ew_context;
  logic [PW-1:0]     e_load_partition;

  glk_aperture #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS), .CONTEXTS(CONTEXTS), .SLICES(SLICES), .SLICE_SHIFT(SLICE_SHIFT)) aperture (
    .clk, .rst, .enable(enabled), .ep_kind, .ep_bytes,
    .a_write, .a_offset, .a_length, .a_poisoned, .a_data, .a_last, .a_valid, .a_ready, .idle(aperture_idle),
    .wt_look, .wt_slice, .wt_entry,
    // Stores, and the probe ahead of a load (reason load_hit, token 2).
    .s_probe(sa_probe), .s_partition(sa_partition), .s_offset(sa_offset), .s_length(sa_length), .s_context(sa_context),
    .s_data(sa_data), .s_last(sa_last), .s_valid(sa_valid), .s_ready(sa_ready),
    // The load itself; `error`: not permitted by a window, or the card is not enabled.
    .l_error(la_error), .l_partition(la_partition), .l_offset(la_offset), .l_length(la_length), .l_context(la_context),
    .l_valid(la_valid), .l_ready(la_ready),
    // Event pulses: refused (in a context if `owned`), dropped, load accepted.
    .e_window, .e_window_owned(ew_owned), .e_window_context(ew_context), .e_dropped, .e_load, .e_load_partition);

  // --- rings ---
  logic              sn_probe, sn_last, sn_valid, sn_ready;
  logic [3:0]        sn_reason;
  logic [PW-1:0]     sn_partition;
  logic [47:0]       sn_offset;
  logic [12:0]       sn_length;
  logic [CW-1:0]     sn_context;
  logic [DATA_W-1:0] sn_data;
  logic              ln_valid, ln_ready, gn_error, gn_last, gn_valid;
  logic [PW-1:0]     ln_partition;
  logic [47:0]       ln_offset;
  logic [12:0]       ln_length;
  logic [DATA_W-1:0] gn_data;
  logic [1:0]        ln_operation;
  logic [63:0]       ln_operand, ln_compare;
  logic              ln_atomic, gn_whole, atomic_busy, lock, locked;
  logic              wn_valid, wn_ready;
  logic [PW-1:0]     wn_partition;
  logic [47:0]       wn_offset;
  logic [3:0]        wn_length;
  logic [63:0]       wn_data;
  logic              ln_wait;
  logic              rn_only, rn_valid, rn_ready;
  logic              ng_valid, ng_done;
  logic [1:0]        ng_kind;
  logic [15:0]       ng_region;
  logic [63:0]       ng_chunk;
  logic [31:0]       ng_count;
  logic [4:0]        ng_status;
  logic [CW-1:0]     rn_context;
  logic [CONTEXTS-1:0] rn_done, rn_failed;
  logic              rn_take;
  logic              mn_valid, mn_ready, mn_last;
  logic [1:0]        mn_kind;
  logic [63:0]       mn_address;
  logic [12:0]       mn_length;
  logic [DATA_W-1:0] mn_data;
  logic              dn_valid;
  logic [4:0]        mn_tag;
  logic              command_valid, command_start, command_ready;
  logic [CW-1:0]     command_context;
  logic [CONTEXTS-1:0] bell;
  logic              e_entry, e_dma, e_ring;
  logic              nc_valid, nc_atomic, nc_ready;
  logic [PW-1:0]     nc_partition;
  logic [CW-1:0]     nc_context;
  logic              ring_idle, ring_halted, ring_stale;
  // Context register file: settings are written by glk_registers, the rest by the ring engine.
  logic              xc_write;       // writes a setting of xc_context
  logic [2:0]        xc_which;       // 0 sq_base, 1 cq_base, 2 order, 3 record, 4 vector, 5 sq_tail, 6 cq_head
  logic [CW-1:0]     xc_context;
  logic [63:0]       xc_data;
  logic [CONTEXTS-1:0] ctx_enable;   // CONTROL.ENABLE, by glk_registers
  logic [63:0]       xc_sq_base, xc_cq_base, xc_record;   // of xc_context, one clock of latency
  logic [7:0]        xc_sq_order, xc_cq_order;
  logic [5:0]        xc_vector;
  logic [15:0]       xc_sq_tail, xc_cq_head, xc_sq_head, xc_cq_tail;
  logic [3:0]        xc_status;
  logic [CW-1:0]     nx_context;     // ring engine's read port, one clock of latency
  logic [63:0]       nx_sq_base, nx_cq_base;
  logic [3:0]        nx_sq_order, nx_cq_order, nx_status;
  logic [5:0]        nx_vector;
  logic [15:0]       nx_sq_tail, nx_cq_head, nx_sq_head, nx_cq_tail;
  logic              nx_write;       // writes sq_head, cq_tail and status of nx_write_context
  logic [CW-1:0]     nx_write_context;
  logic [15:0]       nx_new_sq_head, nx_new_cq_tail;
  logic [3:0]        nx_new_status;
  logic [CW-1:0]     zx_context;     // glk_release's read port, one clock of latency
  logic [63:0]       zx_record;
  logic [5:0]        zx_vector;
  logic [15:0]       zx_sq_head;
  logic [3:0]        zx_status;
  logic [CW-1:0]     gx_context;     // glk_region's read port, one clock of latency
  logic [5:0]        gx_vector;

  glk_contexts #(.CONTEXTS(CONTEXTS)) contexts (
    .clk, .rst, .clear,
    .xc_write, .xc_which, .xc_context, .xc_data, .xc_sq_base, .xc_cq_base, .xc_record, .xc_sq_order, .xc_cq_order, .xc_vector,
    .xc_sq_tail, .xc_cq_head, .xc_sq_head, .xc_cq_tail, .xc_status,
    .nx_context, .nx_sq_base, .nx_cq_base, .nx_sq_order, .nx_cq_order, .nx_status, .nx_vector, .nx_sq_tail, .nx_cq_head,
    .nx_sq_head, .nx_cq_tail, .nx_write, .nx_write_context, .nx_new_sq_head, .nx_new_cq_tail, .nx_new_status,
    .zx_context, .zx_record, .zx_vector, .zx_sq_head, .zx_status, .gx_context, .gx_vector);

  logic              tp_valid, tp_ready, tp_last, tq_last, tq_valid, tl_valid, tl_ok, tl_same, tp_refuse, te_write, te_atomic, leases;
  logic [1:0]        tp_kind;
  logic [47:0]       tp_offset;
  logic [12:0]       tp_length, te_bytes;
  logic [DATA_W-1:0] tp_data, tq_data;
  logic [63:0]       tp_time, tp_wts, tl_wts, tl_rts, tp_limit;
  logic [5:0]        slot_shift;
  logic [255:0]      grains;

  glk_ring #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS), .CONTEXTS(CONTEXTS), .SLICES(SLICES), .SLICE_SHIFT(SLICE_SHIFT),
             .REGISTRATIONS(REGISTRATIONS), .REGIONS(REGIONS), .READ_BYTES(READ_BYTES), .READ_TAGS(32)) ring (
    .clk, .rst, .clear, .enabled, .halt, .halted(ring_halted), .idle(ring_idle), .stale(ring_stale), .generation, .ep_kind, .ep_bytes, .ep_base, .leases, .slot_shift, .grains,
    .ctx_enable, .bell, .command_start, .command_context, .command_valid, .command_ready,
    .nx_context, .nx_sq_base, .nx_cq_base, .nx_sq_order, .nx_cq_order, .nx_status, .nx_vector, .nx_sq_tail, .nx_cq_head,
    .nx_sq_head, .nx_cq_tail, .nx_write, .nx_write_context, .nx_new_sq_head, .nx_new_cq_tail, .nx_new_status,
    .w_changed((xw_valid && xw_write) || ep_changed), .w_valid(nw_valid), .w_ready(nw_ready), .w_row(nw_row), .w_done(nw_done), .w_q,
    .h_changed(xh_valid && xh_write), .h_valid(nh_valid), .h_ready(nh_ready), .h_row(nh_row), .h_done(nh_done), .h_q,
    // Stores, and probes ahead of a load (token 3).
    .s_probe(sn_probe), .s_reason(sn_reason), .s_partition(sn_partition), .s_offset(sn_offset), .s_length(sn_length),
    .s_context(sn_context), .s_data(sn_data), .s_last(sn_last), .s_valid(sn_valid), .s_ready(sn_ready),
    // Loads; data is in the endpoint's lanes and always accepted.
    .l_partition(ln_partition), .l_offset(ln_offset), .l_length(ln_length), .l_wait(ln_wait), .l_atomic(ln_atomic), .l_operation(ln_operation),
    .l_operand(ln_operand), .l_compare(ln_compare), .l_valid(ln_valid), .l_ready(ln_ready), .g_whole(gn_whole),
    .g_error(gn_error), .g_data(gn_data), .g_last(gn_last), .g_valid(gn_valid),
    // New value of an atomic, directly to the endpoint; not while an atomic of the other card is in progress.
    .lock, .atomic_busy,
    .o_partition(wn_partition), .o_offset(wn_offset), .o_length(wn_length), .o_data(wn_data), .o_valid(wn_valid), .o_ready(wn_ready),
    // Accesses to the pool with a time.
    .t_kind(tp_kind), .t_offset(tp_offset), .t_length(tp_length), .t_data(tp_data), .t_last(tp_last), .t_port_valid(tp_valid), .t_port_ready(tp_ready),
    .t_time(tp_time), .t_wts(tp_wts), .t_q_data(tq_data), .t_q_last(tq_last), .t_q_valid(tq_valid), .t_lease_valid(tl_valid), .t_lease_ok(tl_ok),
    .t_lease_same(tl_same), .t_lease_wts(tl_wts), .t_lease_rts(tl_rts), .t_limit(tp_limit), .e_refuse(tp_refuse), .e_timed_write(te_write),
    .e_timed_bytes(te_bytes), .e_timed_atomic(te_atomic),
    // Operations of regions.
    .i_valid(ng_valid), .i_kind(ng_kind), .i_region(ng_region), .i_chunk(ng_chunk), .i_count(ng_count), .i_done(ng_done), .i_status(ng_status),
    // Releases.
    .z_only(rn_only), .z_context(rn_context), .z_valid(rn_valid), .z_ready(rn_ready), .z_done(rn_done), .z_failed(rn_failed), .z_take(rn_take),
    // Host memory: reads, whose data is always accepted; writes; interrupts.
    .m_kind(mn_kind), .m_address(mn_address), .m_length(mn_length), .m_tag(mn_tag), .m_data(mn_data), .m_last(mn_last), .m_valid(mn_valid), .m_ready(mn_ready),
    .d_tag(d_tag[4:0]), .d_error, .d_data, .d_last, .d_valid(dn_valid),
    // Event pulses: an entry completed with an error; host memory access failed; a ring stopped. Loads and atomics, for the
    // counters.
    .e_entry, .e_dma, .e_ring, .n_atomic(nc_atomic), .n_partition(nc_partition), .n_context(nc_context), .n_valid(nc_valid), .n_ready(nc_ready));

  // --- regions ---
  logic              sg_flush, sg_last, sg_valid, sg_ready;
  logic [PW-1:0]     sg_partition, cg_partition;
  logic [47:0]       sg_offset;
  logic [12:0]       sg_length, cg_bytes;
  logic [CW-1:0]     sg_context, eg_context;
  logic [DATA_W-1:0] sg_data;
  logic [1:0]        mg_kind;
  logic [63:0]       mg_address, mg_data;
  logic [12:0]       mg_length;
  logic [2:0]        mg_tag;
  logic              mg_valid, mg_ready, dg_valid;
  logic              xg_valid, xg_of_chunk, xg_done, xg_refused, region_swept, region_hold, region_storing, region_halted, region_idle, region_stale;
  logic [1:0]        xg_kind;
  logic [13:0]       xg_element;
  logic [5:0]        xg_word;
  logic [63:0]       xg_value, xg_shown;
  logic [CW-1:0]     xg_context;
  logic [CONTEXTS-1:0] region_ask, region_ask_only, region_pass;
  logic              vg_valid, vg_ready, vg_done;
  logic              cg_valid, eg_dma, eg_chunk, eg_partial, eg_epoch, eg_reject, eg_error;
  logic [15:0]       eg_arrivals;
  logic              fail_valid;
  logic [PW-1:0]     fail_partition;
  generate
    if (REGIONS != 0) begin : with_regions
      glk_region #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS), .CONTEXTS(CONTEXTS), .SLICES(SLICES), .SLICE_SHIFT(SLICE_SHIFT),
                   .REGISTRATIONS(REGISTRATIONS), .READ_BYTES(READ_BYTES), .READ_TAGS(8), .REGIONS(REGIONS), .CHUNKS(CHUNKS),
                   .WINDOW_W(WINDOW_W), .REGISTRATION_W(REGISTRATION_W)) regions (
        .clk, .rst, .clear, .swept(region_swept), .enabled, .hold(region_hold), .storing(region_storing), .halt, .halted(region_halted),
        .idle(region_idle), .stale(region_stale), .generation(generation[7:0]), .ep_kind, .ep_bytes,
        .x_valid(xg_valid), .x_kind(xg_kind), .x_of_chunk(xg_of_chunk), .x_element(xg_element), .x_word(xg_word), .x_value(xg_value),
        .x_context(xg_context), .x_done(xg_done), .x_refused(xg_refused), .x_shown(xg_shown),
        .n_valid(ng_valid), .n_kind(ng_kind), .n_context(rn_context), .n_region(ng_region), .n_chunk(ng_chunk), .n_count(ng_count), .n_done(ng_done),
        .n_status(ng_status), .ask(region_ask), .ask_only(region_ask_only), .pass(region_pass), .v_valid(vg_valid), .v_ready(vg_ready), .v_done(vg_done),
        .fail_valid, .fail_partition,
        .w_changed((xw_valid && xw_write) || ep_changed), .w_valid(gw_valid), .w_ready(gw_ready), .w_row(gw_row), .w_done(gw_done), .w_q,
        .h_changed(xh_valid && xh_write), .h_valid(gh_valid), .h_ready(gh_ready), .h_row(gh_row), .h_done(gh_done), .h_q, .gx_context, .gx_vector,
        .s_flush(sg_flush), .s_partition(sg_partition), .s_offset(sg_offset), .s_length(sg_length), .s_context(sg_context), .s_data(sg_data),
        .s_last(sg_last), .s_valid(sg_valid), .s_ready(sg_ready),
        .m_kind(mg_kind), .m_address(mg_address), .m_length(mg_length), .m_tag(mg_tag), .m_data(mg_data), .m_valid(mg_valid), .m_ready(mg_ready),
        .d_tag(d_tag[2:0]), .d_error, .d_data, .d_last, .d_valid(dg_valid),
        .e_dma(eg_dma), .e_arrivals(eg_arrivals), .e_chunk(eg_chunk), .e_partial(eg_partial), .e_epoch(eg_epoch), .e_reject(eg_reject),
        .e_error(eg_error), .e_error_context(eg_context), .c_valid(cg_valid), .c_partition(cg_partition), .c_bytes(cg_bytes));
    end else begin : without_regions
      assign {region_swept, region_storing, region_halted, region_idle, region_stale} = 5'b10110;
      assign {xg_done, xg_refused, xg_shown, ng_done, ng_status, vg_valid} = {2'b11, 64'd0, 1'b1, 5'd0, 1'b0};
      assign region_pass = '1;
      assign {gw_valid, gw_row, gh_valid, gh_row, gx_context} = '0;
      assign {sg_flush, sg_partition, sg_offset, sg_length, sg_context, sg_data, sg_last, sg_valid} = '0;
      assign {mg_kind, mg_address, mg_length, mg_tag, mg_data, mg_valid} = '0;
      assign {eg_dma, eg_arrivals, eg_chunk, eg_partial, eg_epoch, eg_reject, eg_error, eg_context, cg_valid, cg_partition, cg_bytes} = '0;
      wire unused_by_none = &{1'b0, xg_valid, xg_kind, xg_of_chunk, xg_element, xg_word, xg_value, xg_context, region_hold, ng_valid, ng_kind, ng_region,
                            ng_chunk, ng_count, region_ask, region_ask_only, vg_ready, vg_done, gw_ready, gw_done, gh_ready, gh_done, gx_vector, sg_ready,
                            mg_ready, dg_valid};
    end
  endgenerate

  // A failed read of the ring engine and one of a region may coincide; then that of the region is counted later.
  logic              dma_waits;
  wire               e_any_dma = e_dma || dma_waits;
  always_ff @(posedge clk)
    dma_waits <= (eg_dma || (dma_waits && e_dma)) && !rst;

  // --- store multiplexer ---
  logic [1:0]        s_kind, s_token;
  logic [PW-1:0]     s_partition;
  logic [47:0]       s_address;
  logic [12:0]       s_length;
  logic [3:0]        s_reason;
  logic [CW-1:0]     s_context;
  logic              s_owned, s_valid, s_ready, mux_idle;
  logic [DATA_W-1:0] s_data;
  logic              fz_owned, fz_valid, fz_ready, fx_valid, fx_ready, ft_valid, ft_ready;
  logic [PW-1:0]     fz_partition, fx_partition, ft_partition;
  logic [CW-1:0]     fz_context;
  logic [3:0]        fz_reason, fx_reason;
  logic              fz_none, fz_token;
  logic              st_valid;
  logic [PW-1:0]     st_partition;
  logic [CW-1:0]     st_context;
  logic              sc_valid;
  logic [PW-1:0]     sc_partition;
  logic [CW-1:0]     sc_context;
  logic [12:0]       sc_length, sc_raw;

  glk_store_mux #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS), .CONTEXTS(CONTEXTS)) store_mux (
    .clk, .rst, .pause, .cfg_max_payload_bytes,
    .a_probe(sa_probe), .a_partition(sa_partition), .a_offset(sa_offset), .a_length(sa_length), .a_context(sa_context),
    .a_data(sa_data), .a_last(sa_last), .a_valid(sa_valid), .a_ready(sa_ready),
    .n_probe(sn_probe), .n_reason(sn_reason), .n_partition(sn_partition), .n_offset(sn_offset), .n_length(sn_length),
    .n_context(sn_context), .n_data(sn_data), .n_last(sn_last), .n_valid(sn_valid), .n_ready(sn_ready),
    .g_flush(sg_flush), .g_partition(sg_partition), .g_offset(sg_offset), .g_length(sg_length), .g_context(sg_context), .g_data(sg_data),
    .g_last(sg_last), .g_valid(sg_valid), .g_ready(sg_ready),
    // Flushes: of releases (`none`: token only), of registers, of timeouts.
    .z_none(fz_none), .z_token(fz_token), .z_owned(fz_owned), .z_partition(fz_partition), .z_context(fz_context), .z_reason(fz_reason),
    .z_valid(fz_valid), .z_ready(fz_ready),
    .x_partition(fx_partition), .x_reason(fx_reason), .x_valid(fx_valid), .x_ready(fx_ready),
    .t_partition(ft_partition), .t_valid(ft_valid), .t_ready(ft_ready),
    .s_kind, .s_partition, .s_address, .s_length, .s_reason, .s_context, .s_owned, .s_token, .s_data, .s_valid, .s_ready, .idle(mux_idle),
    // A store has entered the queue; and later, its cost as individual TLPs.
    .st_valid, .st_partition, .st_context, .sc_valid, .sc_partition, .sc_context, .sc_length, .sc_raw);

  logic [PARTITIONS-1:0] tx_holds; // of the write queues, below
  glk_timeout #(.PARTITIONS(PARTITIONS)) timeout (
    .clk, .rst, .clear, .now_ns, .cfg_flush_timeout_ns, .holds(tx_holds), .st_valid, .st_partition,
    .f_partition(ft_partition), .f_valid(ft_valid), .f_ready(ft_ready));

  // --- FinePack transmit ---
  logic [DATA_W-1:0] t_data;
  logic [KW-1:0]     t_bytes;
  logic              t_last, t_valid, t_ready;
  logic              e_overwrite, p_valid, p_final, tx_idle;
  logic [PW-1:0]     e_overwrite_partition, p_partition;
  logic [7:0]        e_overwritten;
  logic [12:0]       p_payload;
  logic [10:0]       p_runs;
  logic [3:0]        p_reason;
  logic              token_valid, e_flush;
  logic [1:0]        token;
  logic [31:0]       queued_stores;
  logic [PW-1:0]     look_partition;
  logic [7:0]        look_entries;
  logic [15:0]       look_payload;

  logic                  peer_compact;
  logic [PARTITIONS-1:0] may_compact; // what receives their packets accepts the compact form
  always_ff @(posedge clk)
    may_compact <= cfg_compact & ~(ep_remote & {PARTITIONS{!peer_compact}});

  glk_finepack_tx #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS), .ENTRIES(ENTRIES), .BANKS(BANKS), .CONTEXTS(CONTEXTS)) tx (
    .clk, .rst(rst || clear), .cfg_subheader_bytes, .cfg_max_payload_bytes, .cfg_coalesce, .cfg_self_describe, .cfg_packing, .cfg_compact(may_compact), .cfg_keep,
    .s_kind, .s_partition, .s_address, .s_length, .s_reason, .s_context, .s_owned, .s_token, .s_data, .s_valid, .s_ready,
    .m_data(t_data), .m_bytes(t_bytes), .m_last(t_last), .m_valid(t_valid), .m_ready(t_ready),
    .e_valid(e_overwrite), .e_partition(e_overwrite_partition), .e_overwritten, .p_valid, .p_partition, .p_payload, .p_runs, .p_reason, .p_final,
    .idle(tx_idle), .holds(tx_holds),
    // A flush occurred; an item's token, one clock after its flush, if any; stores that a reset would drop.
    .e_flush, .token_valid, .token, .queued_stores, .look_partition, .look_entries, .look_payload);

  // --- packets to partitions of the other card leave here ---
  logic              own_last, own_valid, own_ready;
  logic [DATA_W-1:0] own_data, remote_data, in_data;
  logic [KW-1:0]     own_bytes, remote_bytes, in_bytes;
  logic              remote_last, remote_valid, remote_ready, in_last, in_valid, in_ready;
  assign in_data   = link ? remote_data : lr_data;
  assign in_bytes  = link ? remote_bytes : lr_bytes;
  assign in_last   = link ? remote_last : lr_last;
  assign in_valid  = link ? remote_valid : lr_valid;
  assign remote_ready = in_ready;
  assign lr_ready  = in_ready && !link;

  // --- other packets are looped back, and merged with received ones; access rights of the other card are already checked
  // ---
  logic [DATA_W-1:0] u_data;
  logic [KW-1:0]     u_bytes;
  logic              u_last, u_own, u_valid, u_ready;
  glk_link_loop #(.DATA_W(DATA_W)) link_loop (
    .clk, .rst, .enabled(enabled || link), .t_data(own_data), .t_bytes(own_bytes), .t_last(own_last), .t_valid(own_valid), .t_ready(own_ready),
    .lt_data, .lt_bytes, .lt_last, .lt_valid, .lt_ready, .lr_data(in_data), .lr_bytes(in_bytes), .lr_last(in_last), .lr_valid(in_valid), .lr_ready(in_ready),
    .u_data, .u_bytes, .u_last, .u_own, .u_valid, .u_ready);

  // --- FinePack receive ---
  logic [PW-1:0]     v_partition;
  logic [47:0]       v_offset;
  logic [12:0]       v_length;
  logic [LANES-1:0]  v_enables;
  logic [DATA_W-1:0] v_data;
  logic              v_first, v_last, v_packet_last, v_valid, v_ready, e_accepted, e_refused;
  glk_finepack_rx #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS)) rx (
    .clk, .rst, .cfg_subheader_bytes, .cfg_endpoint_bytes,
    .s_data(u_data), .s_bytes(u_bytes), .s_last(u_last), .s_valid(u_valid), .s_ready(u_ready),
    .m_partition(v_partition), .m_offset(v_offset), .m_length(v_length), .m_enables(v_enables), .m_data(v_data),
    .m_first(v_first), .m_last(v_last), .m_packet_last(v_packet_last), .m_valid(v_valid), .m_ready(v_ready), .e_accepted, .e_refused);

  // Arrival of the card's own packets: flushes made, and packets completely applied or refused, since the last clear.
  logic              packet_done;
  logic [15:0]       sent, arrived;
  logic              arrivals_full, e_passed, e_passed_remote, e_remote, e_other, e_other_refused;
  glk_arrivals arrivals (
    .clk, .rst, .clear, .e_flush, .e_packet(p_valid), .e_packet_final(p_final), .u_taken(u_valid && u_ready && u_last), .u_own, .e_accepted, .e_refused, .packet_done, .e_passed,
    .e_passed_remote, .e_remote, .full(arrivals_full), .sent, .arrived,
    .e_other, .e_other_refused);

  // --- plain writes to endpoints ---
  logic              me_valid, me_ready, me_last, ep_valid, ep_ready, ep_last;
  logic [63:0]       me_address;
  logic [12:0]       me_length, ep_length;
  logic [PW-1:0]     me_partition;
  logic [DATA_W-1:0] me_data, ep_data;
  logic [47:0]       ep_offset;
  logic              e_write, endpoint_idle;
  logic [PW-1:0]     e_write_partition;
  logic [12:0]       e_write_bytes;
  logic              wo_valid;
  logic [PW-1:0]     ws_partition, wo_partition;
  logic [47:0]       ws_offset, wo_offset;
  logic [3:0]        ws_length, wo_length;
  logic [63:0]       ws_data, wo_data;
  logic              ws_valid;
  // Writes of atomics: the rings issue none while they are locked for an atomic of the other card.
  assign wo_valid     = wn_valid || ws_valid;
  assign wo_partition = ws_valid ? ws_partition : wn_partition;
  assign wo_offset    = ws_valid ? ws_offset : wn_offset;
  assign wo_length    = ws_valid ? ws_length : wn_length;
  assign wo_data      = ws_valid ? ws_data : wn_data;
  always_ff @(posedge clk)
    locked <= lock && !atomic_busy && !rst;
  glk_endpoint #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS)) endpoint (
    .clk, .rst, .ep_kind, .ep_base, .ep_bytes,
    .v_partition, .v_offset, .v_length, .v_enables, .v_data, .v_first, .v_last, .v_packet_last, .v_valid, .v_ready,
    .o_partition(wo_partition), .o_offset(wo_offset), .o_length(wo_length), .o_data(wo_data), .o_valid(wo_valid), .o_ready(wn_ready),
    .m_address(me_address), .m_length(me_length), .m_partition(me_partition), .m_data(me_data), .m_last(me_last), .m_valid(me_valid), .m_ready(me_ready),
    .p_offset(ep_offset), .p_length(ep_length), .p_data(ep_data), .p_last(ep_last), .p_valid(ep_valid), .p_ready(ep_ready),
    // Event pulses: a plain write is completely issued; the last write of a packet is.
    .e_write, .e_write_partition, .e_write_bytes, .packet_done, .idle(endpoint_idle));

  // A write with a time may coincide with one of an endpoint; then it is counted later.
  logic              te_waits;
  logic [PW-1:0]     te_partition;
  logic [12:0]       te_length;
  wire               any_write = e_write || te_waits;
  wire [PW-1:0]      any_write_partition = e_write ? e_write_partition : te_partition;
  wire [12:0]        any_write_bytes     = e_write ? e_write_bytes : te_length;
  always_ff @(posedge clk) begin
    if (te_write) begin
      te_partition <= wn_partition;
      te_length    <= te_bytes;
    end
    te_waits <= (te_write || (te_waits && e_write)) && !rst;
  end

  // --- loads ---
  logic              ml_valid, ml_ready, dl_valid;
  logic [63:0]       ml_address;
  logic [12:0]       ml_length;
  logic              lp_valid, lp_ready, lq_last, lq_valid, lq_ready;
  logic [47:0]       lp_offset;
  logic [12:0]       lp_length;
  logic [DATA_W-1:0] lq_data;
  logic              lf_valid, lf_ready, lf_owned, load_idle;
  logic [PW-1:0]     lf_partition;
  logic [CW-1:0]     lf_context;
  logic [PW-1:0]     by_partition;
  logic [47:0]       by_offset;
  logic [12:0]       by_length;
  logic [1:0]        by_operation;
  logic [63:0]       by_operand, by_compare;
  logic [DATA_W-1:0] bz_data;
  logic              by_atomic, by_valid, by_ready, bz_error, bz_last, bz_valid;
  glk_load #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS), .CONTEXTS(CONTEXTS), .READ_BYTES(READ_BYTES)) load (
    .clk, .rst, .ep_kind, .ep_base, .ep_bytes, .token_valid, .token, .sent, .arrived,
    .a_error(la_error), .a_partition(la_partition), .a_offset(la_offset), .a_length(la_length), .a_context(la_context), .a_valid(la_valid), .a_ready(la_ready),
    .b_error, .b_data, .b_last, .b_valid,
    .n_partition(ln_partition), .n_offset(ln_offset), .n_length(ln_length), .n_wait(ln_wait), .n_atomic(ln_atomic), .n_operation(ln_operation), .n_operand(ln_operand),
    .n_compare(ln_compare), .n_valid(ln_valid), .n_ready(ln_ready), .g_whole(gn_whole), .g_error(gn_error), .g_data(gn_data),
    .g_last(gn_last), .g_valid(gn_valid),
    // Endpoints on the bus: reads with tag 16. In the pool: pool reads.
    .m_address(ml_address), .m_length(ml_length), .m_valid(ml_valid), .m_ready(ml_ready), .d_error, .d_data, .d_last, .d_valid(dl_valid),
    .p_offset(lp_offset), .p_length(lp_length), .p_valid(lp_valid), .p_ready(lp_ready), .q_data(lq_data), .q_last(lq_last),
    .q_valid(lq_valid), .q_ready(lq_ready),
    // Endpoints of the other card: over the link.
    .y_partition(by_partition), .y_offset(by_offset), .y_length(by_length), .y_atomic(by_atomic), .y_operation(by_operation),
    .y_operand(by_operand), .y_compare(by_compare), .y_valid(by_valid), .y_ready(by_ready), .z_error(bz_error), .z_data(bz_data),
    .z_last(bz_last), .z_valid(bz_valid),
    // A read failed: of the partition, and of the context if it was an aperture load.
    .f_partition(lf_partition), .f_owned(lf_owned), .f_context(lf_context), .f_valid(lf_valid), .f_ready(lf_ready), .idle(load_idle));

  // Loads of the other card: reads with tags 17 to 23.
  logic [PW-1:0]     ls_partition, fs_partition;
  logic [47:0]       ls_offset, ps_offset;
  logic [6:0]        ls_length;
  logic [12:0]       ms_length, ps_length;
  logic [2:0]        ms_slot;
  logic [63:0]       ms_address;
  logic [511:0]      gs_line;
  logic [DATA_W-1:0] qs_data;
  logic              ls_valid, ls_ready, gs_error, gs_valid, gs_ready, ms_valid, ms_ready, ds_valid, ps_valid, ps_ready, qs_last, qs_valid;
  logic              fs_valid, fs_ready, serve_load_idle;
  glk_serve_load #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS)) serve_load (
    .clk, .rst, .ep_kind, .ep_base, .ep_bytes, .l_partition(ls_partition), .l_offset(ls_offset), .l_length(ls_length), .l_valid(ls_valid), .l_ready(ls_ready),
    .g_error(gs_error), .g_line(gs_line), .g_valid(gs_valid), .g_ready(gs_ready),
    .m_address(ms_address), .m_length(ms_length), .m_slot(ms_slot), .m_valid(ms_valid), .m_ready(ms_ready),
    .d_slot(d_tag[2:0]), .d_error, .d_data, .d_last, .d_valid(ds_valid),
    .p_offset(ps_offset), .p_length(ps_length), .p_valid(ps_valid), .p_ready(ps_ready), .q_data(qs_data), .q_last(qs_last), .q_valid(qs_valid),
    .f_partition(fs_partition), .f_valid(fs_valid), .f_ready(fs_ready), .idle(serve_load_idle));

  // --- write acknowledgement ---
  logic              posted_valid, mf_valid, mf_ready, dk_valid;
  logic [PW-1:0]     posted_partition, mf_partition;
  logic [63:0]       posted_address, mf_address;
  logic              mark_take, mark_reached, all_acknowledged;
  logic [31:0]       fail_count, look_unacknowledged;
  logic              fail_lost;
  logic [PW-1:0]     remote_posted_partition, q_partition, ak_partition;
  logic              remote_posted_valid, remote_posted_ready, q_valid, q_ready, ak_error, ak_one, ak_lost, ak_valid, ak_ready, failed_ready;
  logic [PARTITIONS-1:0] each_take, each_reached, under_way;
  assign lf_ready = failed_ready;
  assign fs_ready = failed_ready && !lf_valid;
  glk_acknowledge #(.PARTITIONS(PARTITIONS)) acknowledge (
    .clk, .rst,
    .posted_valid, .posted_partition, .posted_address, .remote_posted_partition, .remote_posted_valid, .remote_posted_ready,
    // Flush reads: length 0, tag = partition.
    .m_partition(mf_partition), .m_address(mf_address), .m_valid(mf_valid), .m_ready(mf_ready), .d_partition(d_tag[PW-1:0]), .d_error, .d_valid(dk_valid),
    .ep_beyond, .q_partition, .q_valid, .q_ready, .a_partition(ak_partition), .a_error(ak_error), .a_one(ak_one), .a_lost(ak_lost),
    .a_valid(ak_valid), .a_ready(ak_ready),
    // Failed loads, arbitrated.
    .l_partition(lf_valid ? lf_partition : fs_partition), .l_valid(lf_valid || fs_valid), .l_ready(failed_ready), .each_take, .each_reached, .under_way,
    .mark_take, .mark_reached, .all_acknowledged, .fail_valid, .fail_partition, .fail_count, .fail_lost, .look_partition, .look_unacknowledged);

  // --- releases and drains ---
  logic              zb_valid, zb_ready;
  logic [CW-1:0]     zb_context;
  logic [63:0]       zb_value;
  logic              drain_valid, drain_ready, drain_owned, drain_busy;
  logic [PARTITIONS-1:0] drain_partitions;
  logic [CW-1:0]     drain_context;
  logic              mz_valid, mz_ready, mz_interrupt;
  logic [63:0]       mz_address, mz_data;
  logic              ze_valid, ze_ready, release_idle, release_stale;
  logic [CW-1:0]     ze_context, xr_context;
  logic [63:0]       xr_released, context_errors;
  logic [CW-1:0]     errors_context;
  glk_release #(.PARTITIONS(PARTITIONS), .CONTEXTS(CONTEXTS)) releases (
    .clk, .rst, .clear, .generation, .ctx_enable,
    // Doorbell releases.
    .b_context(zb_context), .b_value(zb_value), .b_target(xc_sq_tail), .b_valid(zb_valid), .b_ready(zb_ready),
    // Ring releases: done and failed are held until taken.
    .n_context(rn_context), .n_only(rn_only), .n_valid(rn_valid), .n_ready(rn_ready), .n_done(rn_done), .n_failed(rn_failed), .n_take(rn_take),
    // Regions: ahead of the flushes; epochs that were sent.
    .ask(region_ask), .ask_only(region_ask_only), .pass(region_pass), .v_valid(vg_valid), .v_ready(vg_ready), .v_done(vg_done),
    // Drains of partitions, or of a context's stores in them.
    .drain_partitions, .drain_owned, .drain_context, .drain_valid, .drain_ready, .drain_busy,
    .zx_context, .zx_record, .zx_vector, .zx_sq_head, .zx_status, .nx_write, .nx_write_context,
    // Stores; atomics, which use a partition only for their write.
    .st_valid, .st_partition, .st_context, .at_valid(nc_valid && nc_atomic), .at_context(nc_context), .aw_valid(wn_valid || te_atomic), .aw_partition(wn_partition),
    .fail_valid, .fail_partition,
    .f_none(fz_none), .f_token(fz_token), .f_owned(fz_owned), .f_partition(fz_partition), .f_context(fz_context), .f_reason(fz_reason),
    .f_valid(fz_valid), .f_ready(fz_ready),
    .token_valid, .token, .sent, .arrived, .mark_take, .mark_reached,
    // Record and interrupt: 8-byte writes, with the data replicated in every 8-byte lane.
    .m_interrupt(mz_interrupt), .m_address(mz_address), .m_data(mz_data), .m_valid(mz_valid), .m_ready(mz_ready),
    // A release found a failed write: increments ERRORS of the context; read port of ERRORS.
    .e_context(ze_context), .e_valid(ze_valid), .e_ready(ze_ready), .errors_context, .errors(context_errors),
    .look_context(xr_context), .look_released(xr_released),
    // A context was stopped while its release completes.
    .stale(release_stale), .idle(release_idle));

  // Some packets of the other card are refused ahead of the receiver; one at a time is counted.
  logic              e_other_malformed, bad_waits;
  wire               e_bad_packet = e_refused || bad_waits;
  always_ff @(posedge clk)
    bad_waits <= (e_other_malformed || (bad_waits && e_refused)) && !rst;

  // --- counters ---
  logic              snapshot;
  logic [11:0]       k_at; // see glk_counters
  logic [63:0]       k_value; // valid with k_done, some clocks later
  logic              k_read, k_done, snapshot_done;
  logic              e_config;
  logic              dropped_valid;
  logic [31:0]       dropped_count;
  logic              xe_clear;
  logic [CW-1:0]     xe_context;
  logic [63:0]       xe_errors;
  glk_counters #(.PARTITIONS(PARTITIONS), .CONTEXTS(CONTEXTS)) counters (
    .clk, .rst,
    .sc_valid, .sc_partition, .sc_context, .sc_length, .sc_raw,
    .e_overwrite, .e_overwrite_partition, .e_overwritten,
    .p_valid, .p_partition, .p_payload, .p_runs, .p_reason,
    .a_load(e_load), .a_partition(e_load_partition), .n_atomic(nc_atomic), .n_partition(nc_partition), .n_valid(nc_valid), .n_ready(nc_ready),
    .e_write(any_write), .e_write_partition(any_write_partition), .e_write_bytes(any_write_bytes), .fail_valid, .fail_partition, .fail_count,
    .e_window(e_window || e_pool_poisoned), .e_refused(e_bad_packet), .e_config, .e_dma(e_any_dma), .e_entry, .e_dropped, .dropped_valid, .dropped_count, .e_accepted,
    .g_valid(cg_valid), .g_partition(cg_partition), .g_bytes(cg_bytes), .e_arrivals(eg_arrivals), .e_chunk(eg_chunk), .e_partial(eg_partial), .e_epoch(eg_epoch),
    .e_reject(eg_reject), .snapshot, .snapshot_done, .k_read, .k_at, .k_value, .k_done,
    // ERRORS of the contexts.
    .w_valid(e_window && ew_owned), .w_context(ew_context), .l_valid(lf_valid && lf_ready && lf_owned), .l_context(lf_context),
    .r_valid(eg_error), .r_of(eg_context), .z_valid(ze_valid), .z_ready(ze_ready), .z_context(ze_context), .c_clear(xe_clear), .c_clear_all(clear), .c_context(xe_context), .c_errors(xe_errors),
    .r_context(errors_context), .r_errors(context_errors));

  // --- link to another card ---
  logic              link_up, link_idle, e_link, l_allowed, l_snapshot_done;
  logic [63:0]       l_shown, look_remote_bytes;
  generate
    if (LINK != 0) begin : linked
      glk_card_link #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS), .REPLAY(LINK_REPLAY), .HELLO(LINK_HELLO)) card_link (
        .clk, .rst, .clear, .halt(halt || !link), .now_ns, .serial, .cluster, .first_session(link_session),
        .enabled, .ep_kind, .ep_bytes, .ep_open, .ep_remote, .remote_partition, .ask_valid, .ask_partition, .look_partition, .look_remote_bytes,
        .up(link_up), .peer_compact, .idle(link_idle),
        .t_data, .t_bytes, .t_last, .t_valid, .t_ready, .o_data(own_data), .o_bytes(own_bytes), .o_last(own_last), .o_valid(own_valid), .o_ready(own_ready),
        .posted_valid(remote_posted_valid), .posted_partition(remote_posted_partition), .posted_ready(remote_posted_ready), .hold(arrivals_full),
        .e_passed, .e_passed_remote, .e_arrived(e_remote),
        .q_partition, .q_valid, .q_ready, .a_partition(ak_partition), .a_error(ak_error), .a_one(ak_one), .a_lost(ak_lost),
        .a_valid(ak_valid), .a_ready(ak_ready),
        .under_way(under_way & ep_beyond), .each_take, .each_reached, .fail_valid, .fail_partition, .fail_count, .fail_lost,
        .y_partition(by_partition), .y_offset(by_offset), .y_length(by_length), .y_atomic(by_atomic), .y_operation(by_operation),
        .y_operand(by_operand), .y_compare(by_compare), .y_valid(by_valid), .y_ready(by_ready), .z_error(bz_error), .z_data(bz_data),
        .z_last(bz_last), .z_valid(bz_valid),
        .lr_data(remote_data), .lr_bytes(remote_bytes), .lr_last(remote_last), .lr_valid(remote_valid), .lr_ready(remote_ready),
        .other_done(link && e_other && !e_other_refused), .other_refused(link && e_other && e_other_refused),
        .l_partition(ls_partition), .l_offset(ls_offset), .l_length(ls_length), .l_valid(ls_valid), .l_ready(ls_ready),
        .g_error(gs_error), .g_line(gs_line), .g_valid(gs_valid), .g_ready(gs_ready), .lock, .locked,
        .w_partition(ws_partition), .w_offset(ws_offset), .w_length(ws_length), .w_data(ws_data), .w_valid(ws_valid), .w_ready(wn_ready),
        .li_data, .li_control, .li_valid(li_valid && link), .li_cut, .lo_data, .lo_control, .lo_valid, .lo_go,
        .l_word, .l_shown, .l_value, .l_allowed, .l_take, .snapshot, .l_snapshot_done, .e_link, .e_malformed(e_other_malformed));
    end else begin : alone
      assign {look_remote_bytes, link_up, link_idle, l_shown, l_allowed, l_snapshot_done, e_link, e_other_malformed} = {64'd0, 2'b01, 64'd0, 4'b0100};
      assign peer_compact = 1'b0;
      assign {own_data, own_bytes, own_last, own_valid, t_ready} = {t_data, t_bytes, t_last, t_valid, own_ready};
      assign {e_passed, e_passed_remote} = {t_valid && t_ready && t_last, 1'b0};
      assign {remote_posted_valid, remote_posted_partition, e_remote, q_ready, ak_partition, ak_error, ak_one, ak_lost, ak_valid, each_take} = '0;
      assign {by_ready, bz_error, bz_data, bz_last, bz_valid, remote_data, remote_bytes, remote_last, remote_valid} = '0;
      assign {ls_partition, ls_offset, ls_length, ls_valid, gs_ready, lock, ws_partition, ws_offset, ws_length, ws_data, ws_valid} = '0;
      assign {lo_data, lo_control, lo_valid} = '0;
      wire unused_by_none = &{1'b0, cluster, link_session, li_data, li_control, li_valid, li_cut, lo_go, ep_open, ep_remote,
                            remote_partition, ask_valid, l_take, ask_partition, l_word, l_value, locked, remote_ready,
                            e_other, e_other_refused, by_partition, by_offset, by_length, by_operation, by_operand,
                            by_compare, by_atomic, by_valid, gs_line, ls_ready, gs_error, gs_valid, fail_lost,
                            q_partition, remote_posted_ready, arrivals_full, q_valid, ak_ready, each_reached};
    end
  endgenerate

  // --- registers ---
  logic              mx_valid, mx_ready; // raises the event vector
  logic              quiet, registers_idle, mem_idle;
  logic              pool_idle, pool_swept, xu_allowed, xu_valid, xu_write, xu_done;
  logic [63:0]       xu_shown;
  assign quiet = mux_idle && tx_idle && sent == arrived;
  glk_registers #(.PARTITIONS(PARTITIONS), .ENTRIES(ENTRIES), .CONTEXTS(CONTEXTS), .SLICES(SLICES), .SLICE_SHIFT(SLICE_SHIFT),
                  .REGISTRATIONS(REGISTRATIONS), .VECTORS(VECTORS), .REGIONS(REGIONS), .CHUNKS(CHUNKS), .WINDOW_W(WINDOW_W),
                  .REGISTRATION_W(REGISTRATION_W)) registers (
    .clk, .rst, .flr, .flr_done, .serial, .pool_bytes, .link, .link_up, .leases,
    .x_write, .x_offset, .x_size, .x_data, .x_poisoned, .x_valid, .x_ready, .y_data, .y_valid,
    .enabled, .cfg_subheader_bytes, .cfg_max_payload_bytes, .cfg_coalesce, .cfg_self_describe, .cfg_packing, .cfg_compact, .cfg_keep, .cfg_flush_timeout_ns,
    .ep_kind, .ep_base, .ep_bytes, .ep_changed, .ep_open, .remote(ep_remote), .remote_bound(ep_beyond), .remote_partition, .ask_valid, .ask_partition, .generation,
    // Changes that require empty queues: pause, flush, wait for quiet. Resets also halt the rings and wait for all blocks.
    .pause, .f_partition(fx_partition), .f_reason(fx_reason), .f_valid(fx_valid), .f_ready(fx_ready), .quiet,
    .halt, .ring_halted(ring_halted && region_halted), .ring_stale, .release_stale,
    .others_idle(load_idle && serve_load_idle && link_idle && endpoint_idle && all_acknowledged && mem_idle && pool_idle), .clear, .queued_stores,
    .dropped_valid, .dropped_count,
    .tx_holds, .all_acknowledged, .look_partition, .look_entries, .look_payload, .look_unacknowledged, .look_remote_bytes, .under_way,
    .w_valid(xw_valid), .w_ready(xw_ready), .w_write(xw_write), .w_row(xw_row), .w_data(xw_data), .w_done(xw_done), .w_q,
    .h_valid(xh_valid), .h_ready(xh_ready), .h_write(xh_write), .h_row(xh_row), .h_data(xh_data), .h_done(xh_done), .h_q,
    .xc_write, .xc_which, .xc_context, .xc_data, .xc_sq_base, .xc_cq_base, .xc_record, .xc_sq_order, .xc_cq_order, .xc_vector,
    .xc_sq_tail, .xc_cq_head, .xc_sq_head, .xc_cq_tail, .xc_status, .ctx_enable,
    .bell, .command_start, .command_context, .command_valid, .command_ready,
    .z_context(zb_context), .z_value(zb_value), .z_valid(zb_valid), .z_ready(zb_ready), .xr_context, .xr_released,
    .drain_partitions, .drain_owned, .drain_context, .drain_valid, .drain_ready, .drain_busy,
    .g_valid(xg_valid), .g_kind(xg_kind), .g_of_chunk(xg_of_chunk), .g_element(xg_element), .g_word(xg_word), .g_value(xg_value), .g_context(xg_context),
    .g_done(xg_done), .g_refused(xg_refused), .g_shown(xg_shown), .g_swept(region_swept), .g_stale(region_stale), .g_hold(region_hold),
    .g_storing(region_storing), .l_word, .l_shown, .l_value, .l_allowed, .l_take, .l_snapshot_done,
    .u_shown(xu_shown), .u_allowed(xu_allowed), .u_valid(xu_valid), .u_write(xu_write), .u_done(xu_done), .u_swept(pool_swept),
    .snapshot, .snapshot_done, .k_read, .k_at, .k_value, .k_done, .e_config, .xe_clear, .xe_context, .xe_errors,
    // ERROR_CAUSE: window, packet, config, dma, endpoint, ring, link.
    .e_cause({e_link, e_ring, fail_valid, e_any_dma, e_config, e_bad_packet, e_window || e_pool_poisoned}), .i_valid(mx_valid),
    .i_ready(mx_ready), .idle(registers_idle));

  // --- PCIe requests ---
  glk_memory_mux #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS), .WRITE_BYTES(WRITE_BYTES)) memory_mux (
    .clk, .rst,
    .e_address(me_address), .e_length(me_length), .e_partition(me_partition), .e_data(me_data), .e_last(me_last), .e_valid(me_valid), .e_ready(me_ready),
    .n_kind(mn_kind), .n_address(mn_address), .n_length(mn_length), .n_tag(mn_tag), .n_data(mn_data), .n_last(mn_last), .n_valid(mn_valid), .n_ready(mn_ready),
    .g_kind(mg_kind), .g_address(mg_address), .g_length(mg_length), .g_tag(mg_tag), .g_data(mg_data), .g_valid(mg_valid), .g_ready(mg_ready),
    .l_address(ml_address), .l_length(ml_length), .l_valid(ml_valid), .l_ready(ml_ready),
    .k_address(ms_address), .k_length(ms_length), .k_slot(ms_slot), .k_valid(ms_valid), .k_ready(ms_ready),
    .z_interrupt(mz_interrupt), .z_address(mz_address), .z_data(mz_data), .z_valid(mz_valid), .z_ready(mz_ready),
    .f_partition(mf_partition), .f_address(mf_address), .f_valid(mf_valid), .f_ready(mf_ready),
    .x_valid(mx_valid), .x_ready(mx_ready),
    .m_kind, .m_address, .m_length, .m_tag, .m_data, .m_last, .m_valid, .m_ready,
    .posted_valid, .posted_partition, .posted_address, .idle(mem_idle));

  // --- PCIe read completions, routed by tag ---
  wire for_ring = d_tag[5];
  wire for_load = d_tag == 6'd16;
  assign d_ready  = 1'b1; // requesters reserve buffer space for the whole completion
  assign dn_valid = d_valid && for_ring;
  assign dl_valid = d_valid && for_load;
  assign ds_valid = d_valid && d_tag[5:3] == 3'b010 && !for_load;
  assign dg_valid = d_valid && d_tag[5:3] == 3'b011;
  assign dk_valid = d_valid && !d_tag[4] && !d_tag[5];

  // --- pool ---
  glk_pool #(.DATA_W(DATA_W), .SETS(TSU_SETS), .WAYS(TSU_WAYS), .TS_BITS(TSU_TS_BITS)) pool (
    .clk, .rst, .clear, .pool_bytes, .leases, .idle(pool_idle), .swept(pool_swept),
    .b_write(bp_write), .b_offset(bp_offset), .b_length(bp_length), .b_data(bp_data), .b_last(bp_last), .b_valid(bp_valid), .b_ready(bp_ready),
    .b_q_data(bq_data), .b_q_last(bq_last), .b_q_valid(bq_valid), .b_q_ready(bq_ready),
    .e_offset(ep_offset), .e_length(ep_length), .e_data(ep_data), .e_last(ep_last), .e_valid(ep_valid), .e_ready(ep_ready),
    .l_offset(lp_offset), .l_length(lp_length), .l_valid(lp_valid), .l_ready(lp_ready),
    .l_q_data(lq_data), .l_q_last(lq_last), .l_q_valid(lq_valid), .l_q_ready(lq_ready),
    .k_offset(ps_offset), .k_length(ps_length), .k_valid(ps_valid), .k_ready(ps_ready),
    .k_q_data(qs_data), .k_q_last(qs_last), .k_q_valid(qs_valid),
    // Accesses of the rings with a time.
    .t_kind(tp_kind), .t_offset(tp_offset), .t_length(tp_length), .t_data(tp_data), .t_last(tp_last), .t_valid(tp_valid), .t_ready(tp_ready),
    .t_time(tp_time), .t_wts(tp_wts), .t_q_data(tq_data), .t_q_last(tq_last), .t_q_valid(tq_valid), .t_lease_valid(tl_valid), .t_lease_ok(tl_ok),
    .t_lease_same(tl_same), .t_lease_wts(tl_wts), .t_lease_rts(tl_rts), .limit(tp_limit), .e_refuse(tp_refuse), .slot_shift, .grains,
    .word(l_word), .shown(xu_shown), .value(l_value), .allowed(xu_allowed), .x_valid(xu_valid), .x_write(xu_write), .x_done(xu_done), .snapshot,
    .pool_write, .pool_offset, .pool_length, .pool_data, .pool_last, .pool_valid, .pool_ready,
    .pool_q_data, .pool_q_last, .pool_q_valid, .pool_q_ready);

  always_ff @(posedge clk) begin
    busy    <= r_valid || flr || !(requests_idle && aperture_idle && quiet && endpoint_idle && load_idle && all_acknowledged && release_idle &&
                            ring_idle && region_idle && registers_idle && mem_idle && pool_idle);
    holding <= |tx_holds;
    if (rst)
      busy <= 1'b0;
  end
endmodule
`default_nettype wire
