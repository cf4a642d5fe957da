// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Regions (PROACT III): memory of registrations in chunks with readiness counters; a chunk is stored to all targets when its last
// writer has arrived. Blocks REGION and CHUNK, doorbells ARRIVE and START, operations of rings, the stage of releases that waits
// for ready chunks, records.
//
// glk_region_state executes operations; glk_region_chunks has counters and ready lists; glk_region_engine transfers chunks, reading
// by glk_region_source and storing by a glk_ring_mover.
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
  input  logic                      x_valid,
  input  logic [1:0]                x_kind,
  input  logic                      x_of_chunk,
  input  logic [13:0]               x_element,
  input  logic [5:0]                x_word,
  input  logic [63:0]               x_value,
  input  logic [CW-1:0]             x_context,
  output logic                      x_done,
  output logic                      x_refused,
  output logic [63:0]               x_shown,

  // Ring operations
  input  logic                      n_valid,
  input  logic [1:0]                n_kind,
  input  logic [CW-1:0]             n_context,
  input  logic [15:0]               n_region,
  input  logic [63:0]               n_chunk,
  input  logic [31:0]               n_count,
  output logic                      n_done,
  output logic [4:0]                n_status,

  // Releases, see glk_region_fence; batches of epochs
  input  logic [CONTEXTS-1:0]       ask,
  input  logic [CONTEXTS-1:0]       ask_only,
  output logic [CONTEXTS-1:0]       pass,
  output logic                      v_valid,
  input  logic                      v_ready,
  input  logic                      v_done,
  input  logic                      fail_valid,
  input  logic [PW-1:0]             fail_partition,

  // Tables
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
  output logic [CW-1:0]             gx_context, // vector one clock later
  input  logic [5:0]                gx_vector,

  // Stores and flushes
  output logic                      s_flush,
  output logic [PW-1:0]             s_partition,
  output logic [47:0]               s_offset,
  output logic [12:0]               s_length,
  output logic [CW-1:0]             s_context,
  output logic [DATA_W-1:0]         s_data,
  output logic                      s_last,
  output logic                      s_valid,
  input  logic                      s_ready,

  // Host memory: kind 0 write of 8 bytes, 1 read, 2 interrupt
  output logic [1:0]                m_kind,
  output logic [63:0]               m_address,
  output logic [12:0]               m_length,
  output logic [TW-1:0]             m_tag,
  output logic [63:0]               m_data,
  output logic                      m_valid,
  input  logic                      m_ready,
  input  logic [TW-1:0]             d_tag,
  input  logic                      d_error,
  input  logic [DATA_W-1:0]         d_data,
  input  logic                      d_last,
  input  logic                      d_valid,

  // Event pulses
  output logic                      e_dma,
  output logic [15:0]               e_arrivals,
  output logic                      e_chunk,
  output logic                      e_partial,
  output logic                      e_epoch,
  output logic                      e_reject,
  output logic                      e_error,
  output logic [CW-1:0]             e_error_context,
  output logic                      c_valid,
  output logic [PW-1:0]             c_partition,
  output logic [12:0]               c_bytes
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
    .clk, .a_write(word_write), .a_region(region), .a_slot(slot), .a_data(word_data), .a_q(word), .b_region(turn_region), .b_slot(turn_slot),
    .b_q(turn_word));

  // --- operations ---
  logic                  a_valid, a_done, a_ok, finish, drop, walk_start, walk_restart, walk_busy, k_valid, k_write, k_done, fresh, look_dirty;
  logic                  chunks_swept, kill, r_start, r_interrupt, r_busy, state_idle, fence_idle, f_valid, f_done;
  logic [RW-1:0]         f_region;
  logic [KW-1:0]         a_chunk, walk_first, k_chunk;
  logic [KW:0]           walk_chunks, look_listed, look_finished;
  logic [15:0]           a_count, k_initial;
  logic [35:0]           k_counter;
  logic [1:0]            epoch_low;
  logic [REGIONS-1:0]    valid, waiting, some;
  logic [REGIONS*CW-1:0] contexts;
  logic [63:0]           turn_epoch;
  logic [7:0]            turn_lost;
  logic [63:5]           r_address;
  logic [255:0]          r_record;
  logic                  e_valid, e_taken, e_failed, e_last, e_complete;
  logic [4:0]            e_code;
  logic [7:0]            e_lost, e_stored;
  logic [8*PW-1:0]       e_places;
  glk_region_state #(.REGIONS(REGIONS), .CHUNKS(CHUNKS), .CONTEXTS(CONTEXTS), .PARTITIONS(PARTITIONS)) states (
    .clk, .rst, .clear, .swept, .idle(state_idle), .generation,
    .x_valid, .x_kind, .x_of_chunk, .x_element, .x_word, .x_value, .x_context, .x_done, .x_refused, .x_shown,
    .n_valid, .n_kind, .n_context, .n_region, .n_chunk, .n_count, .n_done, .n_status,
    .f_valid, .f_region, .f_done,
    .e_valid, .e_taken, .e_region(turn_region), .e_failed, .e_last, .e_complete, .e_code, .e_lost, .e_stored, .e_places,
    .v_valid, .v_ready, .v_done, .fail_valid, .fail_partition,
    .a_valid, .a_chunk, .a_count, .a_done, .a_ok, .finish, .drop, .w_start(walk_start), .w_restart(walk_restart), .w_first(walk_first),
    .w_chunks(walk_chunks), .w_busy(walk_busy), .k_valid, .k_write, .k_chunk, .k_initial, .k_done, .k_counter, .fresh,
    .look_dirty, .look_listed, .look_finished, .chunks_swept,
    .word_write, .slot, .word_data, .word, .region, .epoch_low, .valid, .contexts, .waiting, .kill,
    .see_region(turn_region), .see_epoch(turn_epoch), .see_lost(turn_lost),
    .r_start, .r_address, .r_record, .r_interrupt, .r_context(gx_context), .r_busy,
    .e_arrivals, .e_chunk, .e_partial, .e_epoch, .e_reject, .e_error, .e_error_context);

  logic          t_valid, t_done, t_complete, a_listed;
  logic [KW-1:0] t_chunk;
  glk_region_chunks #(.REGIONS(REGIONS), .CHUNKS(CHUNKS)) chunks (
    .clk, .rst, .clear, .swept(chunks_swept),
    .a_valid, .a_region(region), .a_chunk, .a_epoch(epoch_low), .a_count, .a_done, .a_ok, .a_listed,
    .t_valid, .t_region(turn_region), .t_epoch(turn_epoch[1:0]), .t_done, .t_chunk, .t_complete, .some,
    .finish, .drop, .finish_region(region),
    .w_start(walk_start), .w_restart(walk_restart), .w_region(region), .w_epoch(epoch_low), .w_first(walk_first), .w_chunks(walk_chunks),
    .w_busy(walk_busy), .k_valid, .k_write, .k_chunk, .k_initial, .k_done, .k_counter,
    .fresh, .fresh_region(region), .look_region(region), .look_dirty, .look_listed, .look_finished);

  // --- releases ---
  glk_region_fence #(.REGIONS(REGIONS), .CONTEXTS(CONTEXTS)) fence (
    .clk, .rst(rst || clear), .ask, .ask_only, .pass, .idle(fence_idle), .valid, .contexts, .waiting, .f_valid, .f_region, .f_done);

  // --- records ---
  logic        record_interrupt, record_valid, record_ready;
  logic [63:0] record_address, record_data;
  glk_region_record records (
    .clk, .rst, .start(r_start), .address(r_address), .record(r_record), .interrupt(r_interrupt), .vector(gx_vector), .busy(r_busy),
    .m_interrupt(record_interrupt), .m_address(record_address), .m_data(record_data), .m_valid(record_valid), .m_ready(record_ready));

  // --- turns ---
  logic          b_valid, v_store_valid, v_store_ready, v_store_idle, engine_idle, engine_resting, engine_stale, abandon;
  logic [LINE_W-1:0] b_line;
  logic [1:0]    v_kind;
  logic [15:0]   v_place;
  logic [12:0]   v_length;
  logic [63:0]   v_address;
  logic [PW-1:0] v_partition;
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
    .clk, .rst, .clear, .enabled, .hold, .halt, .storing, .idle(engine_idle), .resting(engine_resting), .stale(engine_stale), .ep_kind, .ep_bytes,
    .valid, .some, .kill, .kill_region(region), .region(turn_region), .slot(turn_slot), .word(turn_word), .excluded(turn_lost),
    .t_valid, .t_done, .t_chunk, .t_complete,
    .r_start(source_start), .r_handle(source_handle), .r_offset(source_offset), .r_length(source_length), .abandon, .r_done(source_done),
    .r_status(source_status), .r_place(source_place), .w_changed, .w_valid, .w_ready, .w_row, .w_done, .w_q,
    .b_valid, .b_line, .context_number(s_context), .v_kind, .v_place, .v_length, .v_address, .v_partition, .v_valid(v_store_valid),
    .v_ready(v_store_ready), .v_idle(v_store_idle),
    .e_valid, .e_taken, .e_failed, .e_last, .e_complete, .e_code, .e_lost, .e_stored, .e_places, .c_valid, .c_partition, .c_bytes);

  glk_region_source #(.DATA_W(DATA_W), .REGISTRATIONS(REGISTRATIONS), .READ_BYTES(READ_BYTES), .READ_TAGS(READ_TAGS),
                      .REGISTRATION_W(REGISTRATION_W)) source (
    .clk, .rst, .start(source_start), .context_number(5'(s_context)), .handle(source_handle), .offset(source_offset), .length(source_length),
    .abandon, .done(source_done), .status(source_status), .place(source_place), .stale(source_stale), .e_dma,
    .h_changed, .h_valid, .h_ready, .h_row, .h_done, .h_q,
    .m_address(reads_address), .m_length(reads_length), .m_tag(reads_tag), .m_valid(reads_valid), .m_ready(reads_ready),
    .d_tag, .d_error, .d_data, .d_last, .d_valid, .o_valid(source_valid), .o_line(source_line), .o_data(source_data));

  logic [1:0]  u_kind;
  logic [63:0] u_address;
  glk_ring_mover #(.DATA_W(DATA_W), .PW(PW), .BUFFER(BUFFER)) mover (
    .clk, .rst, .w_valid(source_valid || b_valid), .w_line(b_valid ? b_line : source_line[LINE_W-1:0]), .w_enables({(DATA_W/8){1'b1}}),
    .w_data(b_valid ? {(DATA_W/64){turn_epoch}} : source_data),
    .r_kind(v_kind), .r_place(v_place), .r_length(v_length), .r_address(v_address), .r_partition(v_partition), .r_valid(v_store_valid),
    .r_ready(v_store_ready), .idle(v_store_idle),
    .m_kind(u_kind), .m_partition(s_partition), .m_address(u_address), .m_length(s_length), .m_data(s_data), .m_last(s_last),
    .m_valid(s_valid), .m_ready(s_ready));
  assign s_flush  = u_kind[0];
  assign s_offset = u_address[47:0];

  // --- host memory ---
  logic out_ready;
  assign record_ready = out_ready;
  assign reads_ready  = out_ready && !record_valid;
  glk_skid #(.W(2 + 64 + 13 + TW + 64)) out (
    .clk, .rst,
    .s_data({!record_valid ? READ : record_interrupt ? INTERRUPT : WRITE, record_valid ? record_address : reads_address,
             !record_valid ? reads_length : record_interrupt ? 13'd0 : 13'd8, reads_tag, record_data}),
    .s_valid(record_valid || reads_valid), .s_ready(out_ready),
    .m_data({m_kind, m_address, m_length, m_tag, m_data}), .m_valid, .m_ready);

  // Records on their way to glk_memory_mux; from there on, completions do not pass them.
  logic [1:0] records_out;
  always_ff @(posedge clk) begin
    records_out <= records_out + 2'(record_valid && record_ready) - 2'(m_valid && m_ready && m_kind != READ);
    stale  <= engine_stale || source_stale || records_out != 2'd0;
    idle   <= state_idle && fence_idle && engine_idle && v_store_idle && !m_valid;
    halted <= halt && engine_resting && v_store_idle && state_idle && !m_valid;
    if (rst) begin
      stale  <= 1'b0;
      idle   <= 1'b0;
      halted <= 1'b0;
      records_out <= 2'd0;
    end
  end

  wire unused = &{1'b0, a_listed, u_kind[1], u_address[63:48], source_line};
endmodule
`default_nettype wire
