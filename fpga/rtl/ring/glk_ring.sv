// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Ring engine: executes the entries of the contexts' submission rings and writes completions.
//
// glk_ring_scheduler arbitrates between contexts; glk_ring_engine executes an entry; glk_ring_reader reads host memory;
// glk_ring_mover buffers that data and issues it as stores or host writes, realigned to the destination's lanes. Entries
// are prefetched, up to eight at a time, into an eight-entry buffer per context (software must not modify submitted
// entries, so the time of the fetch does not matter).
//
// Host memory writes are posted, so only reads can fail.
//
// Commands are accepted within a few clocks, whatever the engine waits for. Accesses checked against a table entry before
// it changed may still be issued afterwards, and reads for a stopped context may still complete: `stale` is high while that
// is possible.
module glk_ring #(
  parameter int DATA_W         = 512,
  parameter int PARTITIONS     = 16,
  parameter int CONTEXTS       = 32,
  parameter int SLICES         = 1024,
  parameter int SLICE_SHIFT    = 20,
  parameter int REGISTRATIONS  = 1024,
  parameter int REGIONS        = 64,
  parameter int READ_BYTES     = 512,
  parameter int READ_TAGS      = 32,  // outstanding reads of host memory
  parameter int WINDOW_W       = 89,
  parameter int REGISTRATION_W = 133,
  parameter int PW             = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1,
  parameter int CW             = (CONTEXTS > 1) ? $clog2(CONTEXTS) : 1,
  parameter int SW             = (SLICES > 1) ? $clog2(SLICES) : 1,
  parameter int HW             = (REGISTRATIONS > 1) ? $clog2(REGISTRATIONS) : 1,
  parameter int TW             = (READ_TAGS > 1) ? $clog2(READ_TAGS) : 1
) (
  input  logic                      clk,
  input  logic                      rst,
  input  logic                      clear,
  input  logic                      enabled,
  input  logic                      halt,
  output logic                      halted,
  output logic                      idle,
  output logic                      stale,
  input  logic [63:0]               generation,
  input  logic [PARTITIONS*2-1:0]   ep_kind,
  input  logic [PARTITIONS*37-1:0]  ep_bytes,
  input  logic [PARTITIONS*52-1:0]  ep_base,
  input  logic                      leases,
  input  logic [5:0]                slot_shift,
  input  logic [255:0]              grains,

  // Contexts
  input  logic [CONTEXTS-1:0]       ctx_enable,
  input  logic [CONTEXTS-1:0]       bell,
  input  logic                      command_start,
  input  logic [CW-1:0]             command_context,
  input  logic                      command_valid,
  output logic                      command_ready,
  output logic [CW-1:0]             nx_context,
  input  logic [63:0]               nx_sq_base,
  input  logic [63:0]               nx_cq_base,
  input  logic [3:0]                nx_sq_order,
  input  logic [3:0]                nx_cq_order,
  input  logic [3:0]                nx_status,
  input  logic [5:0]                nx_vector,
  input  logic [15:0]               nx_sq_tail,
  input  logic [15:0]               nx_cq_head,
  input  logic [15:0]               nx_sq_head,
  input  logic [15:0]               nx_cq_tail,
  output logic                      nx_write,
  output logic [CW-1:0]             nx_write_context,
  output logic [15:0]               nx_new_sq_head,
  output logic [15:0]               nx_new_cq_tail,
  output logic [3:0]                nx_new_status,

  // Tables; `changed`: the table is being written
  input  logic                      w_changed,
  output logic                      w_valid,
  input  logic                      w_ready,
  output logic [SW-1:0]             w_row,
  input  logic                      w_done,
  input  logic [WINDOW_W-1:0]       w_q,
  input  logic                      h_changed,
  output logic                      h_valid,
  input  logic                      h_ready,
  output logic [HW-1:0]             h_row,
  input  logic                      h_done,
  input  logic [REGISTRATION_W-1:0] h_q,

  // Stores, and probes ahead of a load
  output logic                      s_probe,
  output logic [3:0]                s_reason,
  output logic [PW-1:0]             s_partition,
  output logic [47:0]               s_offset,
  output logic [12:0]               s_length,
  output logic [CW-1:0]             s_context,
  output logic [DATA_W-1:0]         s_data,
  output logic                      s_last,
  output logic                      s_valid,
  input  logic                      s_ready,

  // Loads
  output logic [PW-1:0]             l_partition,
  output logic [47:0]               l_offset,
  output logic [12:0]               l_length,
  output logic                      l_wait,
  output logic                      l_atomic,
  output logic [1:0]                l_operation,
  output logic [63:0]               l_operand,
  output logic [63:0]               l_compare,
  output logic                      l_valid,
  input  logic                      l_ready,
  input  logic                      g_whole,
  input  logic                      g_error,
  input  logic [DATA_W-1:0]         g_data,
  input  logic                      g_last,
  input  logic                      g_valid,

  // lock: no new atomic on a local endpoint; atomic_busy: one is in progress
  input  logic                      lock,
  output logic                      atomic_busy,

  // New values of atomics
  output logic [PW-1:0]             o_partition,
  output logic [47:0]               o_offset,
  output logic [3:0]                o_length,
  output logic [63:0]               o_data,
  output logic                      o_valid,
  input  logic                      o_ready,

  // Accesses to the pool with a time, see glk_pool; event pulses
  output logic [1:0]                t_kind,
  output logic [47:0]               t_offset,
  output logic [12:0]               t_length,
  output logic [DATA_W-1:0]         t_data,
  output logic                      t_last,
  output logic                      t_port_valid,
  input  logic                      t_port_ready,
  output logic [63:0]               t_time,
  output logic [63:0]               t_wts,
  input  logic [DATA_W-1:0]         t_q_data,
  input  logic                      t_q_last,
  input  logic                      t_q_valid,
  input  logic                      t_lease_valid,
  input  logic                      t_lease_ok,
  input  logic                      t_lease_same,
  input  logic [63:0]               t_lease_wts,
  input  logic [63:0]               t_lease_rts,
  input  logic [63:0]               t_limit,
  output logic                      e_refuse,
  output logic                      e_timed_write,
  output logic [12:0]               e_timed_bytes,
  output logic                      e_timed_atomic,

  // Operations of regions
  output logic                      i_valid,
  output logic [1:0]                i_kind,
  output logic [15:0]               i_region,
  output logic [63:0]               i_chunk,
  output logic [31:0]               i_count,
  input  logic                      i_done,
  input  logic [4:0]                i_status,

  // Releases
  output logic                      z_only,
  output logic [CW-1:0]             z_context,
  output logic                      z_valid,
  input  logic                      z_ready,
  input  logic [CONTEXTS-1:0]       z_done,
  input  logic [CONTEXTS-1:0]       z_failed,
  output logic                      z_take,

  // Host memory
  output logic [1:0]                m_kind,
  output logic [63:0]               m_address,
  output logic [12:0]               m_length,
  output logic [TW-1:0]             m_tag, // of a read
  output logic [DATA_W-1:0]         m_data,
  output logic                      m_last,
  output logic                      m_valid,
  input  logic                      m_ready,
  input  logic [TW-1:0]             d_tag,
  input  logic                      d_error,
  input  logic [DATA_W-1:0]         d_data,
  input  logic                      d_last,
  input  logic                      d_valid,

  // Event pulses
  output logic                      e_entry,
  output logic                      e_dma,
  output logic                      e_ring,
  output logic                      n_atomic,
  output logic [PW-1:0]             n_partition,
  output logic [CW-1:0]             n_context,
  output logic                      n_valid,
  input  logic                      n_ready
);
  localparam int LANES  = DATA_W / 8;
  localparam int LB     = $clog2(LANES);
  localparam int LINE_W = 16 - LB;
  localparam int ENTRY_LINE_W = CW + 9 - LB;
  localparam logic [1:0] STORE = 2'd0, PROBE = 2'd1, HOST = 2'd2, HEADER = 2'd3;
  localparam logic [1:0] WRITE = 2'd0, READ = 2'd1, INTERRUPT = 2'd2;

  initial if (LANES < 16 || LANES > 64 || READ_BYTES < LANES || READ_BYTES > 4096 || CONTEXTS > 32 || REGISTRATION_W != 133 || WINDOW_W != 89) $fatal;

  // --- scheduler ---
  logic          t_valid, t_protocol, t_held, t_first_lap, t_asked, t_mine, abandon, commanded;
  logic [CW-1:0] t_context;
  logic [63:0]   t_sq_address, t_cq_address;
  logic [3:0]    t_sq_head, t_entries, r_upto, r_status;
  logic [5:0]    t_vector;
  logic          r_fetched, r_asked, r_taken, r_done, r_advance, r_sleep, r_stop, resting;

  glk_ring_scheduler #(.CONTEXTS(CONTEXTS)) scheduler (
    .clk, .rst, .clear, .enabled, .halt, .idle, .resting, .ctx_enable, .bell, .command_start, .command_context, .command_valid,
    .command_ready, .z_done, .nx_context, .nx_sq_base, .nx_cq_base, .nx_sq_order, .nx_cq_order, .nx_status, .nx_vector,
    .nx_sq_tail, .nx_cq_head, .nx_sq_head, .nx_cq_tail, .nx_write, .nx_write_context, .nx_new_sq_head, .nx_new_cq_tail,
    .nx_new_status, .t_valid, .t_context, .t_protocol, .t_sq_address, .t_sq_head, .t_entries, .t_held, .t_cq_address,
    .t_first_lap, .t_vector, .t_asked, .t_mine, .abandon, .commanded, .r_fetched, .r_upto, .r_asked, .r_taken,
    .r_done, .r_advance, .r_sleep, .r_stop, .r_status);

  assign s_context = t_context;
  assign z_context = t_context;
  assign n_context = t_context;

  // --- entry buffer ---
  logic                    rd_entries, rd_start, rd_busy, rd_failed, rd_o_valid;
  logic [63:0]             rd_address;
  logic [12:0]             rd_length;
  logic [LINE_W-1:0]       rd_line, rd_o_line;
  logic [DATA_W-1:0]       rd_o_data, entry_q;
  logic [ENTRY_LINE_W-1:0] entry_line;
  (* ram_style = "block" *) logic [DATA_W-1:0] entries [0:(1<<ENTRY_LINE_W)-1];

  always_ff @(posedge clk) begin
    if (rd_o_valid && rd_entries)
      entries[rd_o_line[ENTRY_LINE_W-1:0]] <= rd_o_data;
    entry_q <= entries[entry_line];
  end

  // --- engine ---
  logic              b_valid, v_valid, v_ready, v_idle, head_now, c_interrupt, c_valid, c_ready;
  logic [LINE_W-1:0] b_line;
  logic [LANES-1:0]  b_enables;
  logic [DATA_W-1:0] b_data;
  logic [1:0]        v_kind;
  logic [15:0]       v_place;
  logic [12:0]       v_length;
  logic [63:0]       v_address, c_address;
  logic [PW-1:0]     v_partition;
  logic [127:0]      c_data;
  logic [1:0]        u_kind;
  logic [PW-1:0]     u_partition;
  logic [63:0]       u_address;
  logic [12:0]       u_length;
  logic [DATA_W-1:0] u_data;
  logic              u_last, u_valid, u_ready;

  logic              t_range, k_ask;
  logic [1:0]        k_kind;
  logic [47:0]       k_offset;
  logic [12:0]       k_length;
  logic [63:0]       k_data;

  glk_ring_engine #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS), .CONTEXTS(CONTEXTS), .SLICES(SLICES), .SLICE_SHIFT(SLICE_SHIFT),
                    .REGISTRATIONS(REGISTRATIONS), .REGIONS(REGIONS), .WINDOW_W(WINDOW_W), .REGISTRATION_W(REGISTRATION_W)) engine (
    .clk, .rst, .generation(generation[7:0]), .ep_kind, .ep_bytes, .ep_base, .leases, .slot_shift, .grains,
    .t_valid, .t_context, .t_protocol, .t_sq_address, .t_sq_head, .t_entries, .t_held, .t_cq_address, .t_first_lap,
    .t_vector, .t_asked, .t_mine, .abandon, .commanded, .out_idle(!m_valid), .stale, .r_fetched, .r_upto, .r_asked,
    .r_taken, .r_done, .r_advance, .r_sleep, .r_stop, .r_status, .entry_line, .entry_q,
    .rd_start, .rd_address, .rd_length, .rd_line, .rd_entries, .rd_busy, .rd_failed, .rd_o_line, .rd_o_data,
    .rd_o_valid, .b_valid, .b_line, .b_enables, .b_data, .v_kind, .v_place, .v_length, .v_address, .v_partition, .v_valid,
    .v_ready, .v_idle, .head_data(u_data[63:0]), .head_now,
    .w_changed, .w_valid, .w_ready, .w_row, .w_done, .w_q, .h_changed, .h_valid, .h_ready, .h_row, .h_done, .h_q,
    .probe_reason(s_reason), .l_partition, .l_offset, .l_length, .l_wait, .l_atomic, .l_operation, .l_operand, .l_compare, .l_valid, .l_ready, .g_whole, .g_error, .g_data, .g_last, .g_valid,
    .o_partition, .o_offset, .o_length, .o_data, .o_valid, .o_ready, .lock, .atomic_busy,
    .t_range, .t_kind(k_kind), .t_offset(k_offset), .t_length(k_length), .t_data(k_data), .t_ask(k_ask), .t_asked_ready(t_port_ready), .t_time, .t_wts,
    .t_q_data, .t_q_last, .t_q_valid, .t_lease_valid, .t_lease_ok, .t_lease_same, .t_lease_wts, .t_lease_rts, .t_limit, .e_refuse, .e_timed_write,
    .i_valid, .i_kind, .i_region, .i_chunk, .i_count, .i_done, .i_status, .z_only, .z_valid, .z_ready, .z_done, .z_failed, .z_take,
    .c_interrupt, .c_address, .c_data, .c_valid, .c_ready, .e_entry, .e_dma, .e_ring, .n_atomic, .n_partition, .n_valid, .n_ready);

  // --- data mover ---
  glk_ring_mover #(.DATA_W(DATA_W), .PW(PW)) mover (
    .clk, .rst, .w_valid(b_valid), .w_line(b_line), .w_enables(b_enables), .w_data(b_data),
    .r_kind(v_kind), .r_place(v_place), .r_length(v_length), .r_address(v_address), .r_partition(v_partition),
    .r_valid(v_valid), .r_ready(v_ready), .idle(v_idle),
    .m_kind(u_kind), .m_partition(u_partition), .m_address(u_address), .m_length(u_length), .m_data(u_data), .m_last(u_last),
    .m_valid(u_valid), .m_ready(u_ready));

  // Stores of a range with a time go to the pool; the engine's own accesses there are single beats.
  wire u_timed = u_kind == STORE && t_range;
  wire u_store = (u_kind == STORE && !t_range) || u_kind == PROBE;
  assign t_kind       = k_ask ? k_kind : 2'd2;
  assign t_offset     = k_ask ? k_offset : u_address[47:0];
  assign t_length     = k_ask ? k_length : u_length;
  assign t_data       = k_ask ? {(DATA_W/64){k_data}} : u_data;
  assign t_last       = k_ask || u_last;
  assign t_port_valid = k_ask || (u_valid && u_timed);
  always_ff @(posedge clk) begin
    e_timed_atomic <= k_ask && k_kind == 2'd2;
    e_timed_bytes  <= k_ask ? k_length : v_length;
  end

  wire u_host  = u_valid && u_kind == HOST;

  assign s_probe     = u_kind == PROBE;
  assign s_partition = u_partition;
  assign s_offset    = u_address[47:0];
  assign s_length    = u_length;
  assign s_data      = u_data;
  assign s_last      = u_last;
  assign s_valid     = u_valid && u_store;
  assign head_now    = u_valid && u_kind == HEADER;

  // --- host memory: mover writes, whole; reads; completions and interrupts. Only one source is active at a time. ---
  logic        rd_m_valid, rd_m_ready, out_ready, moving;
  logic [63:0] rd_m_address;
  logic [12:0] rd_m_length;
  logic [TW-1:0] rd_m_tag;
  wire         mover_out = moving || u_host;

  glk_ring_reader #(.DATA_W(DATA_W), .READ_BYTES(READ_BYTES), .TAGS(READ_TAGS)) reader (
    .clk, .rst, .start(rd_start), .address(rd_address), .length(rd_length), .line(rd_line), .busy(rd_busy), .failed(rd_failed),
    .m_address(rd_m_address), .m_length(rd_m_length), .m_tag(rd_m_tag), .m_valid(rd_m_valid), .m_ready(rd_m_ready),
    .d_tag, .d_error, .d_data, .d_last, .d_valid, .o_line(rd_o_line), .o_data(rd_o_data), .o_valid(rd_o_valid));

  assign rd_m_ready = out_ready && !mover_out;
  assign c_ready    = out_ready && !mover_out && !rd_m_valid;
  assign u_ready    = u_timed ? t_port_ready && !k_ask : u_store ? s_ready : (u_kind == HEADER || out_ready);

  always_ff @(posedge clk) begin
    if (u_host && out_ready)
      moving <= !u_last;
    if (rst)
      moving <= 1'b0;
  end

  glk_skid #(.W(2 + 64 + 13 + TW + 1 + DATA_W)) out (
    .clk, .rst,
    .s_data({mover_out ? WRITE : rd_m_valid ? READ : c_interrupt ? INTERRUPT : WRITE,
             mover_out ? u_address : rd_m_valid ? rd_m_address : c_address,
             mover_out ? u_length : rd_m_valid ? rd_m_length : c_interrupt ? 13'd0 : 13'd16,
             rd_m_tag, !mover_out || u_last,
             mover_out ? u_data : {(LANES/16){c_data}}}),
    .s_valid(mover_out ? u_host : (rd_m_valid || c_valid)), .s_ready(out_ready),
    .m_data({m_kind, m_address, m_length, m_tag, m_last, m_data}), .m_valid, .m_ready);

  always_ff @(posedge clk) begin
    halted <= halt && resting && !m_valid;
    if (rst)
      halted <= 1'b0;
  end

  wire unused = &{1'b0, generation[63:8]};
endmodule
`default_nettype wire
