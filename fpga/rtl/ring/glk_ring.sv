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
  output logic [CW-1:0]             ring_cx_context,
  input  logic [63:0]               ring_cx_sq_base,
  input  logic [63:0]               ring_cx_cq_base,
  input  logic [3:0]                ring_cx_sq_order,
  input  logic [3:0]                ring_cx_cq_order,
  input  logic [3:0]                ring_cx_status,
  input  logic [5:0]                ring_cx_vector,
  input  logic [15:0]               ring_cx_sq_tail,
  input  logic [15:0]               ring_cx_cq_head,
  input  logic [15:0]               ring_cx_sq_head,
  input  logic [15:0]               ring_cx_cq_tail,
  output logic                      ring_cx_write,
  output logic [CW-1:0]             ring_cx_write_context,
  output logic [15:0]               ring_cx_new_sq_head,
  output logic [15:0]               ring_cx_new_cq_tail,
  output logic [3:0]                ring_cx_new_status,

  // Tables; `changed`: the table is being written
  input  logic                      window_changed,
  output logic                      window_valid,
  input  logic                      window_ready,
  output logic [SW-1:0]             window_row,
  input  logic                      window_done,
  input  logic [WINDOW_W-1:0]       window_q,
  input  logic                      registration_changed,
  output logic                      registration_valid,
  input  logic                      registration_ready,
  output logic [HW-1:0]             registration_row,
  input  logic                      registration_done,
  input  logic [REGISTRATION_W-1:0] registration_q,

  // Stores, and probes ahead of a load
  output logic                      store_probe,
  output logic [3:0]                store_reason,
  output logic [PW-1:0]             store_partition,
  output logic [47:0]               store_offset,
  output logic [12:0]               store_length,
  output logic [CW-1:0]             store_context,
  output logic [DATA_W-1:0]         store_data,
  output logic                      store_last,
  output logic                      store_valid,
  input  logic                      store_ready,

  // Loads
  output logic [PW-1:0]             load_partition,
  output logic [47:0]               load_offset,
  output logic [12:0]               load_length,
  output logic                      load_wait,
  output logic                      load_atomic,
  output logic [1:0]                load_operation,
  output logic [63:0]               load_operand,
  output logic [63:0]               load_compare,
  output logic                      load_valid,
  input  logic                      load_ready,
  input  logic                      load_q_whole,
  input  logic                      load_q_error,
  input  logic [DATA_W-1:0]         load_q_data,
  input  logic                      load_q_last,
  input  logic                      load_q_valid,

  // lock: no new atomic on a local endpoint; atomic_busy: one is in progress
  input  logic                      lock,
  output logic                      atomic_busy,

  // New values of atomics
  output logic [PW-1:0]             atomic_partition,
  output logic [47:0]               atomic_offset,
  output logic [3:0]                atomic_length,
  output logic [63:0]               atomic_data,
  output logic                      atomic_valid,
  input  logic                      atomic_ready,

  // Accesses to the pool with a time, see glk_pool; event pulses
  output logic [1:0]                timed_kind,
  output logic [47:0]               timed_offset,
  output logic [12:0]               timed_length,
  output logic [DATA_W-1:0]         timed_data,
  output logic                      timed_last,
  output logic                      timed_port_valid,
  input  logic                      timed_port_ready,
  output logic [63:0]               timed_time,
  output logic [63:0]               timed_wts,
  input  logic [DATA_W-1:0]         timed_q_data,
  input  logic                      timed_q_last,
  input  logic                      timed_q_valid,
  input  logic                      timed_lease_valid,
  input  logic                      timed_lease_ok,
  input  logic                      timed_lease_same,
  input  logic [63:0]               timed_lease_wts,
  input  logic [63:0]               timed_lease_rts,
  input  logic [63:0]               timed_limit,
  output logic                      e_refuse,
  output logic                      e_timed_write,
  output logic [12:0]               e_timed_bytes,
  output logic                      e_timed_atomic,

  // Operations of regions
  output logic                      region_valid,
  output logic [1:0]                region_kind,
  output logic [15:0]               region_region,
  output logic [63:0]               region_chunk,
  output logic [31:0]               region_count,
  input  logic                      region_done,
  input  logic [4:0]                region_status,

  // Releases
  output logic                      release_only,
  output logic [CW-1:0]             release_context,
  output logic                      release_valid,
  input  logic                      release_ready,
  input  logic [CONTEXTS-1:0]       release_done,
  input  logic [CONTEXTS-1:0]       release_failed,
  output logic                      release_take,

  // Host memory
  output logic [1:0]                mem_kind,
  output logic [63:0]               mem_address,
  output logic [12:0]               mem_length,
  output logic [TW-1:0]             mem_tag, // of a read
  output logic [DATA_W-1:0]         mem_data,
  output logic                      mem_last,
  output logic                      mem_valid,
  input  logic                      mem_ready,
  input  logic [TW-1:0]             rd_tag,
  input  logic                      rd_error,
  input  logic [DATA_W-1:0]         rd_data,
  input  logic                      rd_last,
  input  logic                      rd_valid,

  // Event pulses
  output logic                      e_entry,
  output logic                      e_dma,
  output logic                      e_ring,
  output logic                      count_atomic,
  output logic [PW-1:0]             count_partition,
  output logic [CW-1:0]             count_context,
  output logic                      count_valid,
  input  logic                      count_ready
);
  localparam int LANES  = DATA_W / 8;
  localparam int LB     = $clog2(LANES);
  localparam int LINE_W = 16 - LB;
  localparam int ENTRY_LINE_W = CW + 9 - LB;
  localparam logic [1:0] STORE = 2'd0, PROBE = 2'd1, HOST = 2'd2, HEADER = 2'd3;
  localparam logic [1:0] WRITE = 2'd0, READ = 2'd1, INTERRUPT = 2'd2;

  initial if (LANES < 16 || LANES > 64 || READ_BYTES < LANES || READ_BYTES > 4096 || CONTEXTS > 32 || REGISTRATION_W != 133 ||
              WINDOW_W != 89) $fatal;

  // --- scheduler ---
  logic          turn_valid, turn_protocol, turn_held, turn_first_lap, turn_asked, turn_mine, abandon, commanded;
  logic [CW-1:0] turn_context;
  logic [63:0]   turn_sq_address, turn_cq_address;
  logic [3:0]    turn_sq_head, turn_entries, result_upto, result_status;
  logic [5:0]    turn_vector;
  logic          result_fetched, result_asked, result_taken, result_done, result_advance, result_sleep, result_stop, resting;

  glk_ring_scheduler #(.CONTEXTS(CONTEXTS)) scheduler (
    .clk, .rst, .clear, .enabled, .halt, .idle, .resting, .ctx_enable, .bell, .command_start, .command_context, .command_valid,
    .command_ready, .release_done, .ring_cx_context, .ring_cx_sq_base, .ring_cx_cq_base, .ring_cx_sq_order, .ring_cx_cq_order,
    .ring_cx_status, .ring_cx_vector, .ring_cx_sq_tail, .ring_cx_cq_head, .ring_cx_sq_head, .ring_cx_cq_tail, .ring_cx_write,
    .ring_cx_write_context, .ring_cx_new_sq_head, .ring_cx_new_cq_tail, .ring_cx_new_status, .turn_valid, .turn_context,
    .turn_protocol, .turn_sq_address, .turn_sq_head, .turn_entries, .turn_held, .turn_cq_address, .turn_first_lap, .turn_vector,
    .turn_asked, .turn_mine, .abandon, .commanded, .result_fetched, .result_upto, .result_asked, .result_taken, .result_done,
    .result_advance, .result_sleep, .result_stop, .result_status);

  assign store_context = turn_context;
  assign release_context = turn_context;
  assign count_context = turn_context;

  // --- entry buffer ---
  logic                    reader_entries, reader_start, reader_busy, reader_failed, read_valid;
  logic [63:0]             reader_address;
  logic [12:0]             reader_length;
  logic [LINE_W-1:0]       reader_line, read_line;
  logic [DATA_W-1:0]       read_data, entry_q;
  logic [ENTRY_LINE_W-1:0] entry_line;
  (* ram_style = "block" *) logic [DATA_W-1:0] entries [0:(1<<ENTRY_LINE_W)-1];

  always_ff @(posedge clk) begin
    if (read_valid && reader_entries)
      entries[read_line[ENTRY_LINE_W-1:0]] <= read_data;
    entry_q <= entries[entry_line];
  end

  // --- engine ---
  logic              buffer_valid, range_valid, range_ready, range_idle, head_now, completion_interrupt, completion_valid,
                     completion_ready;
  logic [LINE_W-1:0] buffer_line;
  logic [LANES-1:0]  buffer_enables;
  logic [DATA_W-1:0] buffer_data;
  logic [1:0]        range_kind;
  logic [15:0]       range_place;
  logic [12:0]       range_length;
  logic [63:0]       range_address, completion_address;
  logic [PW-1:0]     range_partition;
  logic [127:0]      completion_data;
  logic [1:0]        u_kind;
  logic [PW-1:0]     u_partition;
  logic [63:0]       u_address;
  logic [12:0]       u_length;
  logic [DATA_W-1:0] u_data;
  logic              u_last, u_valid, u_ready;

  logic              timed_range, k_ask;
  logic [1:0]        k_kind;
  logic [47:0]       k_offset;
  logic [12:0]       k_length;
  logic [63:0]       k_data;

  glk_ring_engine #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS), .CONTEXTS(CONTEXTS), .SLICES(SLICES), .SLICE_SHIFT(SLICE_SHIFT),
                    .REGISTRATIONS(REGISTRATIONS), .REGIONS(REGIONS), .WINDOW_W(WINDOW_W),
                    .REGISTRATION_W(REGISTRATION_W)) engine (
    .clk, .rst, .generation(generation[7:0]), .ep_kind, .ep_bytes, .ep_base, .leases, .slot_shift, .grains,
    .turn_valid, .turn_context, .turn_protocol, .turn_sq_address, .turn_sq_head, .turn_entries, .turn_held, .turn_cq_address,
    .turn_first_lap, .turn_vector, .turn_asked, .turn_mine, .abandon, .commanded, .out_idle(!mem_valid), .stale,
    .result_fetched, .result_upto, .result_asked, .result_taken, .result_done, .result_advance, .result_sleep, .result_stop,
    .result_status, .entry_line, .entry_q,
    .reader_start, .reader_address, .reader_length, .reader_line, .reader_entries, .reader_busy, .reader_failed, .read_line,
    .read_data, .read_valid, .buffer_valid, .buffer_line, .buffer_enables, .buffer_data, .range_kind, .range_place,
    .range_length, .range_address, .range_partition, .range_valid, .range_ready, .range_idle, .head_data(u_data[63:0]),
    .head_now, .window_changed, .window_valid, .window_ready, .window_row, .window_done, .window_q, .registration_changed,
    .registration_valid, .registration_ready, .registration_row, .registration_done, .registration_q,
    .probe_reason(store_reason), .load_partition, .load_offset, .load_length, .load_wait, .load_atomic, .load_operation,
    .load_operand, .load_compare, .load_valid, .load_ready, .load_q_whole, .load_q_error, .load_q_data, .load_q_last,
    .load_q_valid, .atomic_partition, .atomic_offset, .atomic_length, .atomic_data, .atomic_valid, .atomic_ready, .lock,
    .atomic_busy, .timed_range, .timed_kind(k_kind), .timed_offset(k_offset), .timed_length(k_length), .timed_data(k_data),
    .timed_ask(k_ask), .timed_asked_ready(timed_port_ready), .timed_time, .timed_wts, .timed_q_data, .timed_q_last,
    .timed_q_valid, .timed_lease_valid, .timed_lease_ok, .timed_lease_same, .timed_lease_wts, .timed_lease_rts, .timed_limit,
    .e_refuse, .e_timed_write, .region_valid, .region_kind, .region_region, .region_chunk, .region_count, .region_done,
    .region_status, .release_only, .release_valid, .release_ready, .release_done, .release_failed, .release_take,
    .completion_interrupt, .completion_address, .completion_data, .completion_valid, .completion_ready, .e_entry, .e_dma,
    .e_ring, .count_atomic, .count_partition, .count_valid, .count_ready);

  // --- data mover ---
  glk_ring_mover #(.DATA_W(DATA_W), .PW(PW)) mover (
    .clk, .rst, .buffer_valid, .buffer_line, .buffer_enables, .buffer_data,
    .range_kind, .range_place, .range_length, .range_address, .range_partition,
    .range_valid, .range_ready, .idle(range_idle),
    .m_kind(u_kind), .m_partition(u_partition), .m_address(u_address), .m_length(u_length), .m_data(u_data), .m_last(u_last),
    .m_valid(u_valid), .m_ready(u_ready));

  // Stores of a range with a time go to the pool; the engine's own accesses there are single beats.
  wire u_timed = u_kind == STORE && timed_range;
  wire u_store = (u_kind == STORE && !timed_range) || u_kind == PROBE;
  assign timed_kind       = k_ask ? k_kind : 2'd2;
  assign timed_offset     = k_ask ? k_offset : u_address[47:0];
  assign timed_length     = k_ask ? k_length : u_length;
  assign timed_data       = k_ask ? {(DATA_W/64){k_data}} : u_data;
  assign timed_last       = k_ask || u_last;
  assign timed_port_valid = k_ask || (u_valid && u_timed);
  always_ff @(posedge clk) begin
    e_timed_atomic <= k_ask && k_kind == 2'd2;
    e_timed_bytes  <= k_ask ? k_length : range_length;
  end

  wire u_host  = u_valid && u_kind == HOST;

  assign store_probe     = u_kind == PROBE;
  assign store_partition = u_partition;
  assign store_offset    = u_address[47:0];
  assign store_length    = u_length;
  assign store_data      = u_data;
  assign store_last      = u_last;
  assign store_valid     = u_valid && u_store;
  assign head_now        = u_valid && u_kind == HEADER;

  // --- host memory: mover writes, whole; reads; completions and interrupts. Only one source is active at a time. ---
  logic        rd_m_valid, rd_m_ready, out_ready, moving;
  logic [63:0] rd_m_address;
  logic [12:0] rd_m_length;
  logic [TW-1:0] rd_m_tag;
  wire         mover_out = moving || u_host;

  glk_ring_reader #(.DATA_W(DATA_W), .READ_BYTES(READ_BYTES), .TAGS(READ_TAGS)) reader (
    .clk, .rst, .start(reader_start), .address(reader_address), .length(reader_length), .line(reader_line), .busy(reader_busy),
    .failed(reader_failed),
    .mem_address(rd_m_address), .mem_length(rd_m_length), .mem_tag(rd_m_tag), .mem_valid(rd_m_valid), .mem_ready(rd_m_ready),
    .rd_tag, .rd_error, .rd_data, .rd_last, .rd_valid, .read_line, .read_data, .read_valid);

  assign rd_m_ready       = out_ready && !mover_out;
  assign completion_ready = out_ready && !mover_out && !rd_m_valid;
  assign u_ready          = u_timed ? timed_port_ready && !k_ask : u_store ? store_ready : (u_kind == HEADER || out_ready);

  always_ff @(posedge clk) begin
    if (u_host && out_ready)
      moving <= !u_last;
    if (rst)
      moving <= 1'b0;
  end

  glk_skid #(.W(2 + 64 + 13 + TW + 1 + DATA_W)) out (
    .clk, .rst,
    .s_data({mover_out ? WRITE : rd_m_valid ? READ : completion_interrupt ? INTERRUPT : WRITE,
             mover_out ? u_address : rd_m_valid ? rd_m_address : completion_address,
             mover_out ? u_length : rd_m_valid ? rd_m_length : completion_interrupt ? 13'd0 : 13'd16,
             rd_m_tag, !mover_out || u_last,
             mover_out ? u_data : {(LANES/16){completion_data}}}),
    .s_valid(mover_out ? u_host : (rd_m_valid || completion_valid)), .s_ready(out_ready),
    .m_data({mem_kind, mem_address, mem_length, mem_tag, mem_last, mem_data}), .m_valid(mem_valid), .m_ready(mem_ready));

  always_ff @(posedge clk) begin
    halted <= halt && resting && !mem_valid;
    if (rst)
      halted <= 1'b0;
  end

  wire unused = &{1'b0, generation[63:8]};
endmodule
`default_nettype wire
