// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// BAR 0 register file. Accesses are processed one at a time: decode; read the current value; for a narrow write, merge;
// check; act, which may first flush the queues. A refused write has no effect and is counted.
//
// Deadlock avoidance: PCIe requires that a write never waits for data the card reads from the host, because the completion
// may be behind that write. So writes wait only for writes of the card. Reads may wait: a read is set aside and writes pass
// it. Reads also wait until no effect of table and context state from before a write can occur any more (`ring_stale`,
// `release_stale`), so a completed read guarantees that.
//
// During a reset, writes are ignored and of the reads only STATUS is answered; others wait for the end of the reset.
module glk_registers #(
  parameter int PARTITIONS     = 16,
  parameter int ENTRIES        = 64,
  parameter int CONTEXTS       = 32,
  parameter int SLICES         = 1024,
  parameter int SLICE_SHIFT    = 20,
  parameter int REGISTRATIONS  = 1024,
  parameter int VECTORS        = 33,
  parameter int REGIONS        = 64,
  parameter int CHUNKS         = 16384,
  parameter int WINDOW_W       = 89,
  parameter int REGISTRATION_W = 133,
  parameter int PW             = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1,
  parameter int CW             = (CONTEXTS > 1) ? $clog2(CONTEXTS) : 1,
  parameter int SW             = (SLICES > 1) ? $clog2(SLICES) : 1,
  parameter int HW             = (REGISTRATIONS > 1) ? $clog2(REGISTRATIONS) : 1
) (
  input  logic              clk,
  input  logic              rst,
  input  logic              flr,        // function-level reset requested; held until flr_done
  output logic              flr_done,
  input  logic [63:0]       serial,
  input  logic [63:0]       pool_bytes,
  input  logic              link,       // a link exists; constant
  input  logic              link_up,
  input  logic              leases,     // block TSU exists; constant

  // Accesses: 1 << reg_size bytes, aligned, data in the low bits. A read is answered on reg_q some time after it was accepted;
  // no other read is accepted until then.
  input  logic              reg_write,
  input  logic [19:0]       reg_offset,
  input  logic [1:0]        reg_size,
  input  logic [63:0]       reg_data,
  input  logic              reg_poisoned,
  input  logic              reg_valid,
  output logic              reg_ready,
  output logic [63:0]       reg_q_data,
  output logic              reg_q_valid,

  // Settings
  output logic                     enabled,
  output logic [PARTITIONS*3-1:0]  cfg_subheader_bytes,
  output logic [PARTITIONS*13-1:0] cfg_max_payload_bytes,
  output logic [PARTITIONS-1:0]    cfg_coalesce,
  output logic [PARTITIONS-1:0]    cfg_self_describe,
  output logic [PARTITIONS-1:0]    cfg_packing,
  output logic [PARTITIONS-1:0]    cfg_compact,
  output logic [PARTITIONS*30-1:0] cfg_flush_timeout_ns,
  output logic [PARTITIONS*2-1:0]  ep_kind,
  output logic [PARTITIONS*52-1:0] ep_base,
  output logic [PARTITIONS*37-1:0] ep_bytes,
  output logic              ep_changed, // one of these is being written
  output logic [PARTITIONS-1:0]    ep_open,       // accessible to the other card
  output logic [PARTITIONS-1:0]    remote,           // endpoint of kind link
  output logic [PARTITIONS-1:0]    remote_bound,     // or last was, until it becomes of another kind
  output logic [PARTITIONS*4-1:0]  remote_partition, // partition of the other card it is bound to
  output logic              ask_valid,            // pulse: query the other card for its size
  output logic [PW-1:0]            ask_partition,
  output logic [63:0]              generation,

  // Quiescing for setting changes and resets
  output logic              pause,
  output logic [PW-1:0]     flush_partition,
  output logic [3:0]        flush_reason,
  output logic              flush_valid,
  input  logic              flush_ready,
  input  logic              quiet,
  output logic              halt,
  input  logic              ring_halted,
  input  logic              ring_stale,
  input  logic              release_stale,
  input  logic              others_idle,
  output logic              clear,
  input  logic [31:0]       queued_stores,
  output logic              dropped_valid,
  output logic [31:0]       dropped_count,

  // STATUS of the card and of a partition
  input  logic [PARTITIONS-1:0] holds,
  input  logic              all_acknowledged,
  output logic [PW-1:0]     look_partition,
  input  logic [6:0]        look_entries,
  input  logic [14:0]       look_payload,
  input  logic [31:0]       look_unacknowledged,
  input  logic [63:0]       look_remote_bytes,
  input  logic [PARTITIONS-1:0] under_way, // posted writes not acknowledged

  // Window table, registration table
  output logic              window_valid,
  input  logic              window_ready,
  output logic              window_write,
  output logic [SW-1:0]     window_row,
  output logic [WINDOW_W-1:0] window_data,
  input  logic              window_done,
  input  logic [WINDOW_W-1:0] window_q,
  output logic              registration_valid,
  input  logic              registration_ready,
  output logic              registration_write,
  output logic [HW-1:0]     registration_row,
  output logic [REGISTRATION_W-1:0] registration_data,
  input  logic              registration_done,
  input  logic [REGISTRATION_W-1:0] registration_q,

  // Contexts, see glk_contexts; commands to the ring engine and glk_release
  output logic              reg_cx_write,
  output logic [2:0]        reg_cx_which,
  output logic [CW-1:0]     reg_cx_context,
  output logic [63:0]       reg_cx_data,
  input  logic [63:0]       reg_cx_sq_base,
  input  logic [63:0]       reg_cx_cq_base,
  input  logic [63:0]       reg_cx_record,
  input  logic [7:0]        reg_cx_sq_order,
  input  logic [7:0]        reg_cx_cq_order,
  input  logic [5:0]        reg_cx_vector,
  input  logic [15:0]       reg_cx_sq_tail,
  input  logic [15:0]       reg_cx_cq_head,
  input  logic [15:0]       reg_cx_sq_head,
  input  logic [15:0]       reg_cx_cq_tail,
  input  logic [3:0]        reg_cx_status,
  output logic [CONTEXTS-1:0] ctx_enable,
  output logic [CONTEXTS-1:0] bell,
  output logic              command_start, // start, otherwise stop
  output logic [CW-1:0]     command_context,
  output logic              command_valid,
  input  logic              command_ready,
  output logic [CW-1:0]     bell_context,
  output logic [63:0]       bell_value,
  output logic              bell_valid,
  input  logic              bell_ready,
  output logic [CW-1:0]     released_context,
  input  logic [63:0]       released,
  output logic [PARTITIONS-1:0] drain_partitions,
  output logic              drain_owned,
  output logic [CW-1:0]     drain_context,
  output logic              drain_valid,
  input  logic              drain_ready,
  input  logic              drain_busy,

  // Blocks REGION and CHUNK, doorbells ARRIVE and START, see glk_region_state; disabling the card waits until no region's turn
  // is storing
  output logic              region_valid,
  output logic [1:0]        region_kind,
  output logic              region_of_chunk,
  output logic [13:0]       region_element,
  output logic [5:0]        region_word,
  output logic [63:0]       region_value,
  output logic [CW-1:0]     region_context,
  input  logic              region_done,
  input  logic              region_refused,
  input  logic [63:0]       region_shown,
  input  logic              region_swept,
  input  logic              region_stale,
  output logic              region_hold,
  input  logic              region_storing,

  // Blocks LINK and TSU: word and value to be written
  output logic [8:0]        block_word,
  output logic [63:0]       block_value,

  // Block LINK, see glk_link_registers
  input  logic [63:0]       link_shown,
  input  logic              link_allowed,
  output logic              link_take,
  input  logic              link_snapshot_done, // if a link exists; not before snapshot_done

  // Block TSU and DOORBELL.CLOCK, see glk_pool_registers
  input  logic [63:0]       tsu_shown,
  input  logic              tsu_allowed,
  output logic              tsu_valid,
  output logic              tsu_write,
  input  logic              tsu_done,
  input  logic              tsu_swept,

  // Counters
  output logic              snapshot,
  input  logic              snapshot_done,
  output logic              counter_read,
  output logic [11:0]       counter_at,
  input  logic [63:0]       counter_value,
  input  logic              counter_done,
  output logic              e_config,
  output logic              errors_clear,
  output logic [CW-1:0]     errors_of,
  input  logic [63:0]       errors_shown,

  // Error causes and the event interrupt
  input  logic [6:0]        e_cause,
  output logic              event_valid,
  input  logic              event_ready,
  output logic              idle
);
  // Word indices.
  localparam logic [8:0] CONTROL     = 9'(glk_regs::CARD_CONTROL / 8);
  localparam logic [8:0] SCRATCH     = 9'(glk_regs::CARD_SCRATCH / 8);
  localparam logic [8:0] ERROR_CAUSE = 9'(glk_regs::CARD_ERROR_CAUSE / 8);
  localparam logic [8:0] DRAIN       = 9'(glk_regs::CARD_DRAIN / 8);
  localparam logic [8:0] CARD_FIRST  = 9'(glk_regs::CARD_COUNTER_FIRST / 8);
  localparam logic [8:0] CARD_LAST   = 9'(glk_regs::CARD_COUNTER_LAST / 8);
  localparam logic [8:0] P_STATUS    = 9'(glk_regs::PARTITION_STATUS / 8);
  localparam logic [8:0] P_REMOTE_BYTES = 9'(glk_regs::PARTITION_REMOTE_BYTES / 8);
  localparam logic [8:0] P_FIRST     = 9'(glk_regs::PARTITION_COUNTER_FIRST / 8);
  localparam logic [8:0] P_LAST      = 9'(glk_regs::PARTITION_COUNTER_LAST / 8);
  localparam logic [8:0] C_FIRST     = 9'(glk_regs::CONTEXT_COUNTER_FIRST / 8);
  localparam logic [8:0] C_LAST      = 9'(glk_regs::CONTEXT_COUNTER_LAST / 8);
  localparam logic [8:0] C_CONTROL   = 9'(glk_regs::CONTEXT_CONTROL / 8);
  localparam logic [8:0] C_SQ_TAIL   = 9'(glk_regs::CONTEXT_SQ_TAIL / 8);
  localparam logic [8:0] C_CQ_HEAD   = 9'(glk_regs::CONTEXT_CQ_HEAD / 8);
  localparam logic [8:0] D_SQ_TAIL   = 9'(glk_regs::DOORBELL_SQ_TAIL / 8);
  localparam logic [8:0] D_CQ_HEAD   = 9'(glk_regs::DOORBELL_CQ_HEAD / 8);
  localparam logic [8:0] D_RELEASE   = 9'(glk_regs::DOORBELL_RELEASE / 8);
  localparam logic [8:0] D_ARRIVE    = 9'(glk_regs::DOORBELL_ARRIVE / 8);
  localparam logic [8:0] D_START     = 9'(glk_regs::DOORBELL_START / 8);
  localparam logic [8:0] D_CLOCK     = 9'(glk_regs::DOORBELL_CLOCK / 8); // also the word of TSU.CLOCK
  initial if (glk_regs::DOORBELL_CLOCK != glk_regs::TSU_CLOCK - glk_regs::BLOCK_TSU) $fatal;
  localparam logic [2:0] SET_SQ_TAIL = 3'd5; // reg_cx_which values
  localparam logic [2:0] SET_CQ_HEAD = 3'd6;

  // Block types.
  localparam logic [3:0] CARD         = 4'(glk_regs::BLOCK_CARD_TYPE);
  localparam logic [3:0] PARTITION    = 4'(glk_regs::BLOCK_PARTITION_TYPE);
  localparam logic [3:0] WINDOW       = 4'(glk_regs::BLOCK_WINDOW_TYPE);
  localparam logic [3:0] REGISTRATION = 4'(glk_regs::BLOCK_REGISTRATION_TYPE);
  localparam logic [3:0] CONTEXT      = 4'(glk_regs::BLOCK_CONTEXT_TYPE);
  localparam logic [3:0] DOORBELL     = 4'(glk_regs::BLOCK_DOORBELL_TYPE);
  localparam logic [3:0] LINK         = 4'(glk_regs::BLOCK_LINK_TYPE);
  localparam logic [3:0] REGION       = 4'(glk_regs::BLOCK_REGION_TYPE);
  localparam logic [3:0] CHUNK        = 4'(glk_regs::BLOCK_CHUNK_TYPE);
  localparam logic [3:0] TSU          = 4'(glk_regs::BLOCK_TSU_TYPE);

  // Clocks of a lookup: of settings and contexts; and of queues, long enough for a store ahead of the read to have entered
  // them, if nothing holds it up. So is the delay before a snapshot, for stores to have been counted. Nothing depends on these
  // two: registers show one instant (docs/registers.md), and software that needs a store to be counted releases it first.
  localparam logic [4:0] NEAR  = 5'd6;
  localparam logic [4:0] FAR   = 5'd20;
  localparam logic [4:0] BEFORE_SNAPSHOT = 5'd31;

  typedef enum logic [5:0] {
    IDLE, PLACE, DECODE, LOOK, TABLE, TABLE_WAIT, COUNTER, COLLECT, MERGE, AIM, DRAINED_WINDOW, CHECK, ACT,
    BEFORE, LATCH, DRAINING, QUIESCE, APPLY, TABLE_WRITE, AFTER, RESUME, START_HEAD, START_TAIL, COMMAND, STARTED, RELEASE,
        FINISH,
    REGION_READ, REGION_WRITE, REGION_BELL, HOLD, STAMP_READ, STAMP_WRITE, STAMPED
  } state_t;
  state_t     state;
  logic [4:0] clocks;

  // --- current access, and a waiting read ---
  logic        r_write, r_poisoned;
  logic [19:0] r_offset;
  logic [1:0]  r_size;
  logic [63:0] r_data;
  logic        held, held_status, held_may;
  logic [19:0] held_offset;
  logic [1:0]  held_size;

  // --- decoded register ---
  logic [3:0]  place;
  logic [13:0] element;
  logic [8:0]  word;
  logic        header;
  logic [63:0] header_value;
  glk_register_decode #(.PARTITIONS(PARTITIONS), .CONTEXTS(CONTEXTS), .SLICES(SLICES), .REGISTRATIONS(REGISTRATIONS),
                        .REGIONS(REGIONS), .CHUNKS(CHUNKS)) decode (
    .clk, .link, .leases, .offset(r_offset), .place, .element, .word, .header, .header_value);

  wire is_counter = (place == CARD && word >= CARD_FIRST && word <= CARD_LAST) ||
                    (place == PARTITION && word >= P_FIRST && word <= P_LAST) ||
                    (place == CONTEXT && word >= C_FIRST && word <= C_LAST);
  wire is_table   = place == WINDOW || place == REGISTRATION;
  wire is_drain   = place == CARD && word == DRAIN;
  wire of_stamps  = (place == TSU || (leases && place == DOORBELL && word == D_CLOCK)) && !header;
  wire of_region  = place == REGION || place == CHUNK;

  logic [63:0] old;   // current value; merged into the unwritten bytes of a narrow write
  logic [63:0] value; // value to be written
  logic [4:0]  shift;
  logic [63:0] mask;  // accessed bytes, in the low bits

  // --- resets ---
  logic          start_reset, resetting, flr_running, drop, reset_pause;
  logic          sweep_w_valid, sweep_h_valid;
  logic [SW-1:0] sweep_w_row;
  logic [HW-1:0] sweep_h_row;
  glk_reset_sequence #(.SLICES(SLICES), .REGISTRATIONS(REGISTRATIONS), .CONTEXTS(CONTEXTS)) reset_sequence (
    .clk, .rst, .start(start_reset), .running(resetting), .halt, .pause(reset_pause), .clear, .halted(ring_halted), .quiet,
    .others_idle, .others_swept(region_swept && tsu_swept), .drop,
    .window_row(sweep_w_row), .window_valid(sweep_w_valid), .window_ready, .registration_row(sweep_h_row),
    .registration_valid(sweep_h_valid), .registration_ready);

  always_ff @(posedge clk) begin
    dropped_valid <= drop;
    dropped_count <= queued_stores;
    if (clear)
      generation <= generation + 64'd1;
    if (rst) begin
      dropped_valid <= 1'b0;
      generation    <= '0;
    end
  end

  // --- partitions ---
  logic [63:0] p_value;
  logic        p_allowed, p_flushes, p_drains, apply_partition;
  glk_partition_settings #(.PARTITIONS(PARTITIONS)) settings (
    .clk, .rst, .clear, .link, .pool_bytes, .look_remote_bytes,
    .partition(element[PW-1:0]), .word(word[3:0]), .value(p_value), .unacknowledged(look_unacknowledged != '0),
    .new_value(value), .allowed(p_allowed), .flushes(p_flushes), .drains(p_drains),
    .take(apply_partition), .cfg_subheader_bytes, .cfg_max_payload_bytes, .cfg_coalesce, .cfg_self_describe, .cfg_packing,
    .cfg_compact, .cfg_flush_timeout_ns, .ep_kind, .ep_base, .ep_bytes, .under_way, .ep_open, .remote, .remote_bound,
    .remote_partition, .ask_valid, .ask_partition);
  assign look_partition = element[PW-1:0];

  logic          quiesce, quiesced, quiesce_all, change_pause;
  logic [PW-1:0] quiesce_partition;
  logic [3:0]    quiesce_reason;
  glk_quiesce #(.PARTITIONS(PARTITIONS)) quiescer (
    .clk, .rst, .start(quiesce), .all(quiesce_all), .partition(quiesce_partition), .reason(quiesce_reason), .empty(quiesced),
    .finish(state == RESUME), .pause(change_pause), .flush_partition, .flush_reason, .flush_valid, .flush_ready, .quiet);
  assign pause = change_pause || reset_pause;

  // --- tables ---
  logic [REGISTRATION_W-1:0] entry; // of either table
  logic [63:0]               window_shown, registration_shown;
  logic                      window_allowed, window_drains, registration_allowed;
  logic [WINDOW_W-1:0]       window_changed;
  logic [REGISTRATION_W-1:0] registration_changed;
  glk_window_rules #(.PARTITIONS(PARTITIONS), .CONTEXTS(CONTEXTS), .SLICE_SHIFT(SLICE_SHIFT), .W(WINDOW_W)) window_rules (
    .clk, .slice(element[9:0]), .word(word[1:0]), .entry(entry[WINDOW_W-1:0]), .shown(window_shown), .value,
    .allowed(window_allowed), .drains(window_drains), .changed(window_changed));
  glk_registration_rules #(.CONTEXTS(CONTEXTS), .W(REGISTRATION_W)) registration_rules (
    .clk, .word(word[1:0]), .entry, .shown(registration_shown), .value, .allowed(registration_allowed),
    .changed(registration_changed));

  logic table_valid, table_write, of_window; // table access; to the window table
  wire  table_ready = of_window ? window_ready : registration_ready;
  wire  table_done  = of_window ? window_done : registration_done;
  assign window_valid       = resetting ? sweep_w_valid : table_valid && of_window;
  assign window_write       = resetting || table_write;
  assign window_row         = resetting ? sweep_w_row : is_drain ? value[16 +: SW] : element[SW-1:0];
  assign window_data        = resetting ? '0 : window_changed;
  assign registration_valid = resetting ? sweep_h_valid : table_valid && !of_window;
  assign registration_write = resetting || table_write;
  assign registration_row   = resetting ? sweep_h_row : element[HW-1:0];
  assign registration_data  = resetting ? '0 : registration_changed;

  // --- contexts ---
  logic [CONTEXTS-1:0] user_doorbell, released_word_set;
  (* ram_style = "distributed" *) logic [63:0] release_words [0:(1<<CW)-1]; // value last written to RELEASE
  logic [63:0] release_word;
  logic        c_enabled, c_user; // of the selected context

  assign reg_cx_context   = element[CW-1:0];
  assign released_context = element[CW-1:0];
  assign errors_of        = element[CW-1:0];
  assign command_context  = element[CW-1:0];
  assign bell_context     = element[CW-1:0];

  integer c;
  always_ff @(posedge clk) begin
    c_enabled    <= 1'b0;
    c_user       <= 1'b0;
    release_word <= '0;
    for (c = 0; c < CONTEXTS; c = c + 1)
      if (element[CW-1:0] == CW'(c)) begin
        c_enabled <= ctx_enable[c];
        c_user    <= user_doorbell[c];
        if (released_word_set[c])
          release_word <= release_words[element[CW-1:0]];
      end
    if (state == RELEASE)
      release_words[element[CW-1:0]] <= value;
  end

  // --- errors ---
  logic [6:0] cause, cause_clear;
  glk_error_cause errors (
    .clk, .rst, .clear_all(clear), .clear(cause_clear), .e_cause, .cause, .event_valid, .event_ready);

  // --- card ---
  logic [63:0] scratch, snapshots, card_value;
  logic [31:0] drain_written;
  logic        card_allowed;
  glk_card_rules #(.PARTITIONS(PARTITIONS), .ENTRIES(ENTRIES), .CONTEXTS(CONTEXTS), .SLICES(SLICES), .SLICE_SHIFT(SLICE_SHIFT),
                   .REGISTRATIONS(REGISTRATIONS), .VECTORS(VECTORS), .REGIONS(REGIONS), .CHUNKS(CHUNKS)) card_rules (
    .clk, .rst, .word, .link, .leases, .link_up, .serial, .pool_bytes, .enabled, .resetting,
    .some(holds != '0 || !all_acknowledged || !quiet), .generation, .scratch, .cause, .drain_busy, .drain_written, .snapshots,
    .for_write(r_write), .shown(card_value), .value, .drains_window(entry[0]), .allowed(card_allowed));

  // Current value, from the lookups.
  logic [63:0] context_shown, doorbell_shown, partition_seen;
  logic        context_allowed;
  glk_context_rules #(.VECTORS(VECTORS)) context_rules (
    .clk, .word, .enabled(c_enabled), .user_doorbell(c_user), .reg_cx_sq_base, .reg_cx_cq_base, .reg_cx_record,
    .reg_cx_sq_order, .reg_cx_cq_order, .reg_cx_vector, .reg_cx_sq_tail, .reg_cx_cq_head, .reg_cx_sq_head, .reg_cx_cq_tail,
    .reg_cx_status, .errors(errors_shown), .released, .release_word, .generation,
    .for_write(r_write), .shown(context_shown), .doorbell_shown, .value, .allowed(context_allowed));
  always_ff @(posedge clk) begin
    partition_seen <= is_counter ? '0 : (word == P_STATUS) ? {look_unacknowledged, 1'b0, look_payload, 9'b0, look_entries} :
                      (word <= P_REMOTE_BYTES) ? p_value : '0;
  end

  // --- write check ---
  logic allowed;
  always_comb begin
    case (place)
      CARD:         allowed = card_allowed;
      PARTITION:    allowed = p_allowed && word <= P_REMOTE_BYTES;
      WINDOW:       allowed = window_allowed;
      REGISTRATION: allowed = registration_allowed;
      CONTEXT:      allowed = context_allowed;
      LINK:         allowed = link_allowed;
      TSU:          allowed = tsu_allowed && !header;
      DOORBELL:     allowed = 1'b1; // user-writable: invalid values affect only the user's context
      default:      allowed = 1'b0;
    endcase
    if (r_poisoned)
      allowed = 1'b0;
  end

  // --- state machine ---
  wire [CONTEXTS-1:0] this_context = CONTEXTS'(1) << element[CW-1:0];

  assign shift = {r_offset[2:0], 2'b0}; // in units of 2 bits
  always_comb
    case (r_size)
      2'd0:    mask = 64'hff;
      2'd1:    mask = 64'hffff;
      2'd2:    mask = 64'hffff_ffff;
      default: mask = '1;
    endcase

  assign idle            = state == IDLE && !held && !resetting && !event_valid;
  assign table_valid     = state == TABLE || state == TABLE_WRITE;
  assign table_write     = state == TABLE_WRITE;
  assign of_window       = place != REGISTRATION;
  assign counter_at      = {place == CONTEXT, place == CARD, element[4:0],
                            5'(word - ((place == CARD) ? CARD_FIRST : (place == CONTEXT) ? C_FIRST : P_FIRST))};
  assign apply_partition = state == APPLY && place == PARTITION;
  assign ep_changed      = apply_partition;
  assign region_valid    = state == REGION_READ || state == REGION_WRITE || state == REGION_BELL;
  assign region_kind     = (state == REGION_READ) ? 2'd0 : (state == REGION_WRITE) ? 2'd1 : (word == D_ARRIVE) ? 2'd2 : 2'd3;
  assign region_of_chunk = place == CHUNK;
  assign region_element  = element;
  assign region_word     = word[5:0];
  assign region_value    = value;
  assign region_context  = element[CW-1:0];
  assign region_hold     = state == HOLD || (quiesce_all && change_pause) || (state == QUIESCE && place == CARD);
  assign tsu_valid       = state == STAMP_READ || state == STAMP_WRITE || state == STAMPED;
  assign tsu_write       = r_write && state != STAMPED;
  assign block_word      = word;
  assign block_value     = value;
  assign command_valid   = state == COMMAND;
  assign command_start   = value[0];
  assign bell_valid      = state == RELEASE;
  assign bell_value      = value;
  assign drain_valid     = state == DRAINING;
  assign quiesce_all       = place == CARD;
  assign quiesce_partition = (place == WINDOW) ? entry[3 +: PW] : element[PW-1:0];
  assign quiesce_reason    = (place == PARTITION && !p_drains) ? 4'(glk_regs::FLUSH_CONFIG) : 4'(glk_regs::FLUSH_DRAIN);

  wire drain_of_window = value[3:0] == 4'(glk_regs::DRAIN_WINDOW);
  integer p;
  always_ff @(posedge clk) begin
    drain_owned   <= value[3:0] == 4'(glk_regs::DRAIN_CONTEXT);
    drain_context <= value[16 +: CW];
    for (p = 0; p < PARTITIONS; p = p + 1)
      drain_partitions[p] <= (value[3:0] == 4'(glk_regs::DRAIN_PARTITION)) ? value[16 +: PW] == PW'(p) :
                             drain_of_window ? entry[3 +: PW] == PW'(p) : 1'b1;
  end

  always_ff @(posedge clk) begin
    clocks       <= clocks - 5'd1;
    reg_ready    <= 1'b0;
    reg_q_valid  <= 1'b0;
    counter_read <= 1'b0;
    e_config     <= 1'b0;
    snapshot     <= 1'b0;
    link_take    <= 1'b0;
    start_reset  <= 1'b0;
    quiesce      <= 1'b0;
    reg_cx_write <= 1'b0;
    errors_clear <= 1'b0;
    bell         <= '0;
    cause_clear  <= '0;
    held_may     <= resetting ? held_status : !(ring_stale || release_stale || region_stale);
    if (flr_running && !resetting && !start_reset) begin
      flr_running <= 1'b0;
      flr_done    <= 1'b1;
    end else if (!flr) begin
      flr_done <= 1'b0;
    end

    case (state)
      IDLE: begin
        if (flr && !flr_done && !flr_running && !resetting && !start_reset) begin
          start_reset <= 1'b1;
          flr_running <= 1'b1;
          enabled     <= 1'b0;
        end else if (held && held_may && !start_reset && (!resetting || held_status)) begin
          held     <= 1'b0;
          r_write  <= 1'b0;
          r_offset <= held_offset;
          r_size   <= held_size;
          state    <= PLACE;
        end else if (reg_valid && !reg_ready && !reg_write) begin
          held        <= 1'b1;
          held_may    <= 1'b0;
          held_status <= reg_offset[19:3] == 17'(glk_regs::CARD_STATUS / 8);
          held_offset <= reg_offset;
          held_size   <= reg_size;
          reg_ready   <= 1'b1;
        end else if (reg_valid && !reg_ready && (resetting || start_reset)) begin
          reg_ready <= 1'b1;
        end else if (reg_valid && !reg_ready) begin
          r_write    <= 1'b1;
          r_offset   <= reg_offset;
          r_size     <= reg_size;
          r_data     <= reg_data;
          r_poisoned <= reg_poisoned;
          state      <= PLACE;
        end
      end

      PLACE:
        state <= DECODE;
      DECODE: begin
        clocks       <= (place == PARTITION) ? FAR : NEAR;
        counter_read <= is_counter;
        state        <= (of_stamps && !r_write) ? STAMP_READ : is_counter ? COUNTER : is_table ? TABLE :
            (of_region && !header) ? REGION_READ : LOOK;
      end
      LOOK:
        if (clocks == '0)
          state <= COLLECT;
      TABLE: // also of the window to drain
        if (table_ready)
          state <= TABLE_WAIT;
      TABLE_WAIT: begin
        if (of_window)
          entry[WINDOW_W-1:0] <= window_q;
        else
          entry <= registration_q;
        if (table_done)
          state <= is_drain ? DRAINED_WINDOW : COLLECT;
      end
      REGION_READ:
        if (region_done)
          state <= COLLECT;
      COUNTER:
        if (counter_done)
          state <= COLLECT;
      STAMP_READ: // behind the writes that the pool has taken
        if (tsu_done)
          state <= COLLECT;

      COLLECT: begin
        case (place)
          CARD:         old <= is_counter ? counter_value : card_value;
          PARTITION:    old <= is_counter ? counter_value : partition_seen;
          WINDOW:       old <= window_shown;
          REGISTRATION: old <= registration_shown;
          CONTEXT:      old <= is_counter ? counter_value : context_shown;
          DOORBELL:     old <= (of_stamps && !r_write) ? tsu_shown : doorbell_shown;
          TSU:          old <= tsu_shown;
          LINK:         old <= link_shown;
          REGION, CHUNK: old <= region_shown;
          default:      old <= '0;
        endcase
        if (header)
          old <= header_value;
        state <= MERGE;
      end
      MERGE: begin
        value      <= (old & ~(mask << {shift, 1'b0})) | ((r_data & mask) << {shift, 1'b0});
        reg_q_data <= (old >> {shift, 1'b0}) & mask;
        state      <= !r_write ? FINISH : (of_region && !header && !r_poisoned) ? REGION_WRITE : AIM;
      end

      // Check the new value.
      AIM: // the rules evaluate it
        state <= (is_drain && drain_of_window) ? TABLE : CHECK;
      DRAINED_WINDOW:
        state <= CHECK;
      CHECK:
        if (allowed) begin
          state <= ACT;
        end else begin
          e_config <= 1'b1;
          state    <= FINISH;
        end

      REGION_WRITE:
        if (region_done) begin
          e_config <= region_refused;
          state    <= FINISH;
        end

      // Apply the new value.
      ACT: begin
        state <= FINISH;
        clocks <= BEFORE_SNAPSHOT;
        case (place)
          CARD:
            case (word)
              CONTROL:
                if (value[1]) begin
                  start_reset <= 1'b1;
                  enabled     <= 1'b0;
                end else if (value[0]) begin
                  enabled <= 1'b1;
                  bell    <= '1;
                end else begin
                  clocks <= 5'd4; // until a turn that begins to store is visible
                  state  <= HOLD;
                end
              SCRATCH:     scratch     <= value;
              ERROR_CAUSE: cause_clear <= value[6:0];
              DRAIN:       state       <= DRAINING;
              default:     state       <= BEFORE;
            endcase
          PARTITION: begin
            quiesce <= p_flushes;
            state   <= p_flushes ? QUIESCE : APPLY;
          end
          WINDOW: begin
            quiesce <= window_drains;
            state   <= window_drains ? QUIESCE : TABLE_WRITE;
          end
          REGISTRATION:
            state <= TABLE_WRITE;
          CONTEXT: begin
            reg_cx_data  <= value;
            reg_cx_which <= 3'(word - 9'd1);
            if (word == C_CONTROL) begin
              state <= value[0] ? START_HEAD : COMMAND;
              if (!value[0]) begin
                ctx_enable        <= ctx_enable & ~this_context;
                user_doorbell     <= user_doorbell & ~this_context;
                released_word_set <= released_word_set & ~this_context;
              end
            end else if (word != C_SQ_TAIL || enabled) begin
              reg_cx_write <= 1'b1;
              bell         <= (word == C_SQ_TAIL || word == C_CQ_HEAD) ? this_context : '0;
              clocks       <= 5'd3;
              state        <= AFTER;
            end
          end
          LINK:
            link_take <= 1'b1;
          TSU:
            state <= STAMP_WRITE;
          default: begin
            reg_cx_data  <= 64'(value[15:0]);
            reg_cx_which <= (word == D_CQ_HEAD) ? SET_CQ_HEAD : SET_SQ_TAIL;
            if (enabled && (word == D_SQ_TAIL || word == D_CQ_HEAD) && c_user) begin
              reg_cx_write <= 1'b1;
              bell         <= this_context;
              clocks       <= 5'd3;
              state        <= AFTER;
            end else if (enabled && word == D_RELEASE && c_enabled) begin
              state <= RELEASE;
            end else if (REGIONS != 0 && enabled && (word == D_ARRIVE || word == D_START) && c_enabled) begin
              state <= REGION_BELL;
            end
          end
        endcase
      end

      REGION_BELL:
        if (region_done)
          state <= FINISH;
      STAMP_WRITE:
        if (tsu_done)
          state <= FINISH;
      HOLD: begin
        if (clocks == '0)
          clocks <= '0;
        if (clocks == '0 && !region_storing) begin
          quiesce <= 1'b1;
          state   <= QUIESCE;
        end
      end
      BEFORE: // until earlier stores are counted
        if (clocks == '0 && leases)
          state <= STAMPED;
        else if (clocks == '0) begin
          snapshot  <= 1'b1;
          snapshots <= snapshots + 64'd1;
          state     <= LATCH;
        end
      STAMPED: // and those to the pool are stamped
        if (tsu_done) begin
          snapshot  <= 1'b1;
          snapshots <= snapshots + 64'd1;
          state     <= LATCH;
        end
      LATCH:
        if (link ? link_snapshot_done : snapshot_done)
          state <= FINISH;
      DRAINING:
        if (drain_ready) begin
          drain_written <= value[31:0];
          clocks        <= 5'd3; // until BUSY is visible
          state         <= AFTER;
        end

      QUIESCE:
        if (quiesced)
          state <= (place == WINDOW) ? TABLE_WRITE : APPLY;
      APPLY: begin // partitions: see apply_partition
        if (place == CARD)
          enabled <= 1'b0;
        clocks <= 5'd3;
        state  <= AFTER;
      end
      TABLE_WRITE:
        if (table_ready) begin
          clocks <= 5'd3;
          state  <= AFTER;
        end
      AFTER: // until it has taken effect everywhere
        if (clocks == '0)
          state <= change_pause ? RESUME : FINISH;
      RESUME:
        state <= FINISH;

      // Starting a context: clear tail and head before the ring engine may read them.
      START_HEAD: begin
        reg_cx_data  <= '0;
        reg_cx_which <= SET_CQ_HEAD;
        reg_cx_write <= 1'b1;
        errors_clear <= 1'b1;
        state        <= START_TAIL;
      end
      START_TAIL: begin
        reg_cx_which <= SET_SQ_TAIL;
        reg_cx_write <= 1'b1;
        state        <= COMMAND;
      end
      COMMAND: begin
        clocks <= 5'd3;
        if (command_ready)
          state <= value[0] ? STARTED : AFTER;
      end
      STARTED: begin
        ctx_enable <= ctx_enable | this_context;
        if (value[1])
          user_doorbell <= user_doorbell | this_context;
        bell  <= this_context;
        state <= AFTER;
      end

      RELEASE: begin
        released_word_set <= released_word_set | this_context;
        if (bell_ready)
          state <= FINISH;
      end

      default: begin // FINISH
        reg_ready   <= r_write;
        reg_q_valid <= !r_write;
        state       <= IDLE;
      end
    endcase

    if (clear) begin
      ctx_enable        <= '0;
      user_doorbell     <= '0;
      released_word_set <= '0;
      scratch           <= '0;
      drain_written     <= '0;
    end
    if (rst) begin
      state             <= IDLE;
      held              <= 1'b0;
      enabled           <= 1'b0;
      reg_ready         <= 1'b0;
      counter_read      <= 1'b0;
      snapshot          <= 1'b0;
      link_take         <= 1'b0;
      quiesce           <= 1'b0;
      start_reset       <= 1'b0;
      flr_done          <= 1'b0;
      flr_running       <= 1'b0;
      ctx_enable        <= '0;
      user_doorbell     <= '0;
      released_word_set <= '0;
      scratch           <= '0;
      snapshots         <= '0;
      drain_written     <= '0;
    end
  end
endmodule
`default_nettype wire
