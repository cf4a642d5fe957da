// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Regions (PROACT III): memory of registrations in chunks with readiness counters; a chunk is stored to all targets when its
// last writer has arrived. Blocks REGION and CHUNK, doorbells ARRIVE and START, operations of rings, the stage of releases that
// waits for ready chunks, records.
//
// glk_region_state executes operations; glk_region_chunks has counters and ready lists; glk_region_engine transfers chunks,
// reading by glk_region_source and storing by a glk_ring_mover.
module glk_region #(
  parameter int DATA_W         = 512,
  parameter int PARTITIONS     = 16,
  parameter int CONTEXTS       = 32,
  parameter int SLICES         = 1024,
  parameter int SLICE_SHIFT    = 20,
  parameter int REGISTRATIONS  = 1024,
  parameter int READ_BYTES     = 512,
  parameter int READ_TAGS      = 8,
  parameter int REGIONS        = 64,
  parameter int CHUNKS         = 16384,
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
  output logic                      swept,    // the tables are cleared after a reset
  input  logic                      enabled,
  input  logic                      hold,     // the card is about to be disabled
  output logic                      storing,
  input  logic                      halt,
  output logic                      halted,
  output logic                      idle,
  output logic                      stale,    // accesses from before a change of a table or region may follow
  input  logic [7:0]                generation,
  input  logic [PARTITIONS*2-1:0]   ep_kind,
  input  logic [PARTITIONS*37-1:0]  ep_bytes,

  // Registers and doorbells, see glk_region_state
  input  logic                      reg_valid,
  input  logic [1:0]                reg_kind,
  input  logic                      reg_of_chunk,
  input  logic [13:0]               reg_element,
  input  logic [5:0]                reg_word,
  input  logic [63:0]               reg_value,
  input  logic [CW-1:0]             reg_context,
  output logic                      reg_done,
  output logic                      reg_refused,
  output logic [63:0]               reg_shown,

  // Ring operations
  input  logic                      ring_valid,
  input  logic [1:0]                ring_kind,
  input  logic [CW-1:0]             ring_context,
  input  logic [15:0]               ring_region,
  input  logic [63:0]               ring_chunk,
  input  logic [31:0]               ring_count,
  output logic                      ring_done,
  output logic [4:0]                ring_status,

  // Releases, see glk_region_fence; batches of epochs
  input  logic [CONTEXTS-1:0]       ask,
  input  logic [CONTEXTS-1:0]       ask_only,
  output logic [CONTEXTS-1:0]       pass,
  output logic                      batch_valid,
  input  logic                      batch_ready,
  input  logic                      batch_done,
  input  logic                      fail_valid,
  input  logic [PW-1:0]             fail_partition,

  // Tables
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
  output logic [CW-1:0]             region_cx_context, // vector one clock later
  input  logic [5:0]                region_cx_vector,

  // Stores and flushes
  output logic                      store_flush,
  output logic [PW-1:0]             store_partition,
  output logic [47:0]               store_offset,
  output logic [12:0]               store_length,
  output logic [CW-1:0]             store_context,
  output logic [DATA_W-1:0]         store_data,
  output logic                      store_last,
  output logic                      store_valid,
  input  logic                      store_ready,

  // Host memory: kind 0 write of 8 bytes, 1 read, 2 interrupt
  output logic [1:0]                mem_kind,
  output logic [63:0]               mem_address,
  output logic [12:0]               mem_length,
  output logic [TW-1:0]             mem_tag,
  output logic [63:0]               mem_data,
  output logic                      mem_valid,
  input  logic                      mem_ready,
  input  logic [TW-1:0]             rd_tag,
  input  logic                      rd_error,
  input  logic [DATA_W-1:0]         rd_data,
  input  logic                      rd_last,
  input  logic                      rd_valid,

  // Event pulses
  output logic                      e_dma,
  output logic [15:0]               e_arrivals,
  output logic                      e_chunk,
  output logic                      e_partial,
  output logic                      e_epoch,
  output logic                      e_reject,
  output logic                      e_error,
  output logic [CW-1:0]             e_error_context,
  output logic                      stored_valid,
  output logic [PW-1:0]             stored_partition,
  output logic [12:0]               stored_bytes
);
  localparam int RW     = (REGIONS > 1) ? $clog2(REGIONS) : 1;
  localparam int KW     = (CHUNKS > 1) ? $clog2(CHUNKS) : 1;
  localparam int LANES  = DATA_W / 8;
  localparam int BUFFER = 13;
  localparam int LINE_W = BUFFER - $clog2(LANES);
  localparam logic [1:0] WRITE = 2'd0, READ = 2'd1, INTERRUPT = 2'd2;

  initial if (REGIONS < 1 || REGIONS > 64 || CHUNKS < 1 || CHUNKS > 16384) $fatal;

  // --- words ---
  logic          word_write;
  logic [RW-1:0] region, turn_region;
  logic [4:0]    slot, turn_slot;
  logic [63:0]   word_data, word, turn_word;
  glk_region_table #(.REGIONS(REGIONS)) texts (
    .clk, .a_write(word_write), .a_region(region), .a_slot(slot), .a_data(word_data), .a_q(word), .b_region(turn_region),
    .b_slot(turn_slot), .b_q(turn_word));

  // --- operations ---
  logic                  arrival_valid, arrival_done, arrival_ok, finish, drop, walk_start, walk_restart, walk_busy,
                         chunk_reg_valid, chunk_reg_write, chunk_reg_done, fresh, look_dirty;
  logic                  chunks_swept, kill, record_start, r_interrupt, record_busy, state_idle, fence_idle, fence_valid,
                         fence_done;
  logic [RW-1:0]         fence_region;
  logic [KW-1:0]         arrival_chunk, walk_first, chunk_reg_chunk;
  logic [KW:0]           walk_chunks, look_listed, look_finished;
  logic [15:0]           arrival_count, chunk_reg_initial;
  logic [35:0]           chunk_reg_counter;
  logic [1:0]            epoch_low;
  logic [REGIONS-1:0]    valid, waiting, some;
  logic [REGIONS*CW-1:0] contexts;
  logic [63:0]           turn_epoch;
  logic [7:0]            turn_lost;
  logic [63:5]           r_address;
  logic [255:0]          record_record;
  logic                  end_valid, end_taken, end_failed, end_last, end_complete;
  logic [4:0]            end_code;
  logic [7:0]            end_lost, end_stored;
  logic [8*PW-1:0]       end_places;
  glk_region_state #(.REGIONS(REGIONS), .CHUNKS(CHUNKS), .CONTEXTS(CONTEXTS), .PARTITIONS(PARTITIONS)) states (
    .clk, .rst, .clear, .swept, .idle(state_idle), .generation,
    .reg_valid, .reg_kind, .reg_of_chunk, .reg_element, .reg_word, .reg_value, .reg_context, .reg_done, .reg_refused,
    .reg_shown, .ring_valid, .ring_kind, .ring_context, .ring_region, .ring_chunk, .ring_count, .ring_done, .ring_status,
    .fence_valid, .fence_region, .fence_done,
    .end_valid, .end_taken, .end_region(turn_region), .end_failed, .end_last, .end_complete, .end_code, .end_lost, .end_stored,
    .end_places,
    .batch_valid, .batch_ready, .batch_done, .fail_valid, .fail_partition,
    .arrival_valid, .arrival_chunk, .arrival_count, .arrival_done, .arrival_ok, .finish, .drop, .walk_start, .walk_restart,
    .walk_first, .walk_chunks, .walk_busy, .chunk_reg_valid, .chunk_reg_write, .chunk_reg_chunk, .chunk_reg_initial,
    .chunk_reg_done, .chunk_reg_counter, .fresh,
    .look_dirty, .look_listed, .look_finished, .chunks_swept,
    .word_write, .slot, .word_data, .word, .region, .epoch_low, .valid, .contexts, .waiting, .kill,
    .see_region(turn_region), .see_epoch(turn_epoch), .see_lost(turn_lost),
    .record_start, .record_address(r_address), .record_record, .record_interrupt(r_interrupt),
    .record_context(region_cx_context), .record_busy,
    .e_arrivals, .e_chunk, .e_partial, .e_epoch, .e_reject, .e_error, .e_error_context);

  logic          take_valid, take_done, take_complete, arrival_listed;
  logic [KW-1:0] take_chunk;
  glk_region_chunks #(.REGIONS(REGIONS), .CHUNKS(CHUNKS)) chunks (
    .clk, .rst, .clear, .swept(chunks_swept),
    .arrival_valid, .arrival_region(region), .arrival_chunk, .arrival_epoch(epoch_low), .arrival_count, .arrival_done,
    .arrival_ok, .arrival_listed,
    .take_valid, .take_region(turn_region), .take_epoch(turn_epoch[1:0]), .take_done, .take_chunk, .take_complete, .some,
    .finish, .drop, .finish_region(region),
    .walk_start, .walk_restart, .walk_region(region), .walk_epoch(epoch_low), .walk_first, .walk_chunks,
    .walk_busy, .chunk_reg_valid, .chunk_reg_write, .chunk_reg_chunk, .chunk_reg_initial, .chunk_reg_done, .chunk_reg_counter,
    .fresh, .fresh_region(region), .look_region(region), .look_dirty, .look_listed, .look_finished);

  // --- releases ---
  glk_region_fence #(.REGIONS(REGIONS), .CONTEXTS(CONTEXTS)) fence (
    .clk, .rst(rst || clear), .ask, .ask_only, .pass, .idle(fence_idle), .valid, .contexts, .waiting, .fence_valid,
    .fence_region, .fence_done);

  // --- records ---
  logic        record_interrupt, record_valid, record_ready;
  logic [63:0] record_address, record_data;
  glk_region_record records (
    .clk, .rst, .start(record_start), .address(r_address), .record(record_record), .interrupt(r_interrupt),
    .vector(region_cx_vector), .busy(record_busy),
    .mem_interrupt(record_interrupt), .mem_address(record_address), .mem_data(record_data), .mem_valid(record_valid),
    .mem_ready(record_ready));

  // --- turns ---
  logic          buffer_valid, v_store_valid, v_store_ready, v_store_idle, engine_idle, engine_resting, engine_stale, abandon;
  logic [LINE_W-1:0] buffer_line;
  logic [1:0]    range_kind;
  logic [15:0]   range_place;
  logic [12:0]   range_length;
  logic [63:0]   range_address;
  logic [PW-1:0] range_partition;
  logic          source_start, source_done, source_stale, source_valid, reads_valid, reads_ready;
  logic [15:0]   source_handle;
  logic [47:0]   source_offset;
  logic [12:0]   source_length, source_place, reads_length;
  logic [3:0]    source_status;
  logic [63:0]   reads_address;
  logic [TW-1:0] reads_tag;
  logic [15-$clog2(LANES):0] source_line;
  logic [DATA_W-1:0] source_data;
  glk_region_engine #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS), .CONTEXTS(CONTEXTS), .SLICES(SLICES), .SLICE_SHIFT(SLICE_SHIFT),
                      .WINDOW_W(WINDOW_W), .REGIONS(REGIONS), .CHUNKS(CHUNKS), .BUFFER(BUFFER)) engine (
    .clk, .rst, .clear, .enabled, .hold, .halt, .storing, .idle(engine_idle), .resting(engine_resting), .stale(engine_stale),
    .ep_kind, .ep_bytes, .valid, .some, .kill, .kill_region(region), .region(turn_region), .slot(turn_slot), .word(turn_word),
    .excluded(turn_lost), .take_valid, .take_done, .take_chunk, .take_complete,
    .source_start, .source_handle, .source_offset, .source_length, .abandon, .source_done,
    .source_status, .source_place, .window_changed, .window_valid, .window_ready, .window_row, .window_done, .window_q,
    .buffer_valid, .buffer_line, .context_number(store_context), .range_kind, .range_place, .range_length, .range_address,
    .range_partition, .range_valid(v_store_valid), .range_ready(v_store_ready), .range_idle(v_store_idle),
    .end_valid, .end_taken, .end_failed, .end_last, .end_complete, .end_code, .end_lost, .end_stored, .end_places,
    .stored_valid, .stored_partition, .stored_bytes);

  glk_region_source #(.DATA_W(DATA_W), .REGISTRATIONS(REGISTRATIONS), .READ_BYTES(READ_BYTES), .READ_TAGS(READ_TAGS),
                      .REGISTRATION_W(REGISTRATION_W)) source (
    .clk, .rst, .start(source_start), .context_number(5'(store_context)), .handle(source_handle), .offset(source_offset),
    .length(source_length), .abandon, .done(source_done), .status(source_status), .place(source_place), .stale(source_stale),
    .e_dma,
    .registration_changed, .registration_valid, .registration_ready, .registration_row, .registration_done, .registration_q,
    .mem_address(reads_address), .mem_length(reads_length), .mem_tag(reads_tag), .mem_valid(reads_valid),
    .mem_ready(reads_ready), .rd_tag, .rd_error, .rd_data, .rd_last, .rd_valid, .buffer_valid(source_valid),
    .buffer_line(source_line), .buffer_data(source_data));

  logic [1:0]  u_kind;
  logic [63:0] u_address;
  glk_ring_mover #(.DATA_W(DATA_W), .PW(PW), .BUFFER(BUFFER)) mover (
    .clk, .rst, .buffer_valid(source_valid || buffer_valid), .buffer_line(buffer_valid ? buffer_line : source_line[LINE_W-1:0]),
    .buffer_enables({(DATA_W/8){1'b1}}), .buffer_data(buffer_valid ? {(DATA_W/64){turn_epoch}} : source_data),
    .range_kind, .range_place, .range_length, .range_address, .range_partition, .range_valid(v_store_valid),
    .range_ready(v_store_ready), .idle(v_store_idle),
    .m_kind(u_kind), .m_partition(store_partition), .m_address(u_address), .m_length(store_length), .m_data(store_data),
    .m_last(store_last), .m_valid(store_valid), .m_ready(store_ready));
  assign store_flush  = u_kind[0];
  assign store_offset = u_address[47:0];

  // --- host memory ---
  logic out_ready;
  assign record_ready = out_ready;
  assign reads_ready  = out_ready && !record_valid;
  glk_skid #(.W(2 + 64 + 13 + TW + 64)) out (
    .clk, .rst,
    .s_data({!record_valid ? READ : record_interrupt ? INTERRUPT : WRITE, record_valid ? record_address : reads_address,
             !record_valid ? reads_length : record_interrupt ? 13'd0 : 13'd8, reads_tag, record_data}),
    .s_valid(record_valid || reads_valid), .s_ready(out_ready),
    .m_data({mem_kind, mem_address, mem_length, mem_tag, mem_data}), .m_valid(mem_valid), .m_ready(mem_ready));

  // Records on their way to glk_memory_mux; from there on, completions do not pass them.
  logic [1:0] records_out;
  always_ff @(posedge clk) begin
    records_out <= records_out + 2'(record_valid && record_ready) - 2'(mem_valid && mem_ready && mem_kind != READ);
    stale  <= engine_stale || source_stale || records_out != 2'd0;
    idle   <= state_idle && fence_idle && engine_idle && v_store_idle && !mem_valid;
    halted <= halt && engine_resting && v_store_idle && state_idle && !mem_valid;
    if (rst) begin
      stale  <= 1'b0;
      idle   <= 1'b0;
      halted <= 1'b0;
      records_out <= 2'd0;
    end
  end

  wire unused = &{1'b0, arrival_listed, u_kind[1], u_address[63:48], source_line};
endmodule
`default_nettype wire
