// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Executes one ring entry per turn: fetch, check completely, move data, write the completion.
//
// Sequential, with a few overlaps: the table lookups of a check; the stores of a chunk and the reads of the next; a
// put-vector record and the header of the next. Every wait is bounded. `abandon` is honoured before every new request and
// before the completion.
//
// When a table entry changes, accesses checked against the old one may still be in flight. `stale` is high until they have
// been issued, and the next check waits for that, too.
module glk_ring_engine #(
  parameter int DATA_W         = 512,
  parameter int PARTITIONS     = 16,
  parameter int CONTEXTS       = 32,
  parameter int SLICES         = 1024,
  parameter int SLICE_SHIFT    = 20,
  parameter int REGISTRATIONS  = 1024,
  parameter int REGIONS        = 64,
  parameter int WINDOW_W       = 89,
  parameter int REGISTRATION_W = 133,
  parameter int PW             = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1,
  parameter int CW             = (CONTEXTS > 1) ? $clog2(CONTEXTS) : 1,
  parameter int SW             = (SLICES > 1) ? $clog2(SLICES) : 1,
  parameter int HW             = (REGISTRATIONS > 1) ? $clog2(REGISTRATIONS) : 1,
  parameter int LANES          = DATA_W / 8,
  parameter int LINE_W         = 16 - $clog2(LANES),
  parameter int ENTRY_LINE_W   = CW + 9 - $clog2(LANES)
) (
  input  logic                     clk,
  input  logic                     rst,
  input  logic [7:0]               generation,
  input  logic [PARTITIONS*2-1:0]  ep_kind,
  input  logic [PARTITIONS*37-1:0] ep_bytes,
  input  logic [PARTITIONS*52-1:0] ep_base,
  input  logic                     leases,     // operations with times exist; constant
  input  logic [5:0]               slot_shift,
  input  logic [255:0]             grains,

  // Turn, from glk_ring_scheduler
  input  logic                     turn_valid,
  input  logic [CW-1:0]            turn_context,
  input  logic                     turn_protocol,
  input  logic [63:0]              turn_sq_address,
  input  logic [3:0]               turn_sq_head,
  input  logic [3:0]               turn_entries,
  input  logic                     turn_held,
  input  logic [63:0]              turn_cq_address,
  input  logic                     turn_first_lap,
  input  logic [5:0]               turn_vector,
  input  logic                     turn_asked,
  input  logic                     turn_mine,
  input  logic                     abandon,
  input  logic                     commanded,
  input  logic                     out_idle,   // host memory writes have been issued
  output logic                     stale,
  output logic                     result_fetched,
  output logic [3:0]               result_upto,
  output logic                     result_asked,
  output logic                     result_taken,
  output logic                     result_done,
  output logic                     result_advance,
  output logic                     result_sleep,
  output logic                     result_stop,
  output logic [3:0]               result_status,

  // Entry buffer; one clock of latency
  output logic [ENTRY_LINE_W-1:0]  entry_line,
  input  logic [DATA_W-1:0]        entry_q,

  // Reads of host memory by glk_ring_reader: entries, a page address, or data into the mover's buffer
  output logic                     reader_start,
  output logic [63:0]              reader_address,
  output logic [12:0]              reader_length,
  output logic [LINE_W-1:0]        reader_line,
  output logic                     reader_entries, // reads entries
  input  logic                     reader_busy,
  input  logic                     reader_failed,
  input  logic [LINE_W-1:0]        read_line,
  input  logic [DATA_W-1:0]        read_data,
  input  logic                     read_valid,

  // Data mover: input data, ranges to issue; record headers are returned
  output logic                     buffer_valid,
  output logic [LINE_W-1:0]        buffer_line,
  output logic [LANES-1:0]         buffer_enables,
  output logic [DATA_W-1:0]        buffer_data,
  output logic [1:0]               range_kind,
  output logic [15:0]              range_place,
  output logic [12:0]              range_length,
  output logic [63:0]              range_address,
  output logic [PW-1:0]            range_partition,
  output logic                     range_valid,
  input  logic                     range_ready,
  input  logic                     range_idle,
  input  logic [63:0]              head_data,
  input  logic                     head_now,

  // Tables
  input  logic                     window_changed,
  output logic                     window_valid,
  input  logic                     window_ready,
  output logic [SW-1:0]            window_row,
  input  logic                     window_done,
  input  logic [WINDOW_W-1:0]      window_q,
  input  logic                     registration_changed,
  output logic                     registration_valid,
  input  logic                     registration_ready,
  output logic [HW-1:0]            registration_row,
  input  logic                     registration_done,
  input  logic [REGISTRATION_W-1:0] registration_q,

  // Loads
  output logic [3:0]               probe_reason,
  output logic [PW-1:0]            load_partition,
  output logic [47:0]              load_offset,
  output logic [12:0]              load_length,
  output logic                     load_wait, // only the wait for earlier stores
  output logic                     load_atomic,
  output logic [1:0]               load_operation,
  output logic [63:0]              load_operand,
  output logic [63:0]              load_compare,
  output logic                     load_valid,
  input  logic                     load_ready,
  input  logic                     load_q_whole, // the atomic was executed by the other card
  input  logic                     load_q_error,
  input  logic [DATA_W-1:0]        load_q_data,
  input  logic                     load_q_last,
  input  logic                     load_q_valid,

  // Atomics of the other card on local endpoints: the rings start none while `lock`; atomic_busy: one is in progress
  input  logic                     lock,
  output logic                     atomic_busy,

  // New values of atomics
  output logic [PW-1:0]            atomic_partition,
  output logic [47:0]              atomic_offset,
  output logic [3:0]               atomic_length,
  output logic [63:0]              atomic_data,
  output logic                     atomic_valid,
  input  logic                     atomic_ready,

  // Accesses to the pool with a time, see glk_pool; `t_range`: the stores of the data mover are such a write
  output logic                     timed_range,
  output logic [1:0]               timed_kind,
  output logic [47:0]              timed_offset,
  output logic [12:0]              timed_length,
  output logic [63:0]              timed_data,
  output logic                     timed_ask,
  input  logic                     timed_asked_ready,
  output logic [63:0]              timed_time,
  output logic [63:0]              timed_wts,
  input  logic [DATA_W-1:0]        timed_q_data,
  input  logic                     timed_q_last,
  input  logic                     timed_q_valid,
  input  logic                     timed_lease_valid,
  input  logic                     timed_lease_ok,
  input  logic                     timed_lease_same,
  input  logic [63:0]              timed_lease_wts,
  input  logic [63:0]              timed_lease_rts,
  input  logic [63:0]              timed_limit,
  output logic                     e_refuse, // a write was refused for its time
  output logic                     e_timed_write, // one was made, of timed_length bytes

  // Operations of regions, see glk_region_state
  output logic                     region_valid,
  output logic [1:0]               region_kind,
  output logic [15:0]              region_region,
  output logic [63:0]              region_chunk,
  output logic [31:0]              region_count,
  input  logic                     region_done,
  input  logic [4:0]               region_status,

  // Releases
  output logic                     release_only,
  output logic                     release_valid,
  input  logic                     release_ready,
  input  logic [CONTEXTS-1:0]      release_done,
  input  logic [CONTEXTS-1:0]      release_failed,
  output logic                     release_take,

  // Completions (16 bytes) and interrupts
  output logic                     completion_interrupt,
  output logic [63:0]              completion_address,
  output logic [127:0]             completion_data,
  output logic                     completion_valid,
  input  logic                     completion_ready,

  // Event pulses
  output logic                     e_entry,
  output logic                     e_dma,
  output logic                     e_ring,
  output logic                     count_atomic,
  output logic [PW-1:0]            count_partition,
  output logic                     count_valid,
  input  logic                     count_ready
);
  localparam int LB = $clog2(LANES);
  localparam int ENTRY_LINES = 64 / LANES;
  localparam logic [1:0] STORE = 2'd0, PROBE = 2'd1, HOST = 2'd2, HEADER = 2'd3;
  localparam logic [12:0] TRANSFER_BYTES = 13'd4096;

  typedef enum logic [4:0] {
    IDLE, FETCH, FETCH_WAIT, LOAD, CHECK, REGISTRATION, BEGIN, INLINE, CHUNK, PAGES, AIM, AIM_WAIT, PUSH, QUEUE,
    LOADING, OLD_VALUE, NEW_VALUE, MODIFY, RECORD, RELEASE, FINISH, COMPLETE, INTERRUPT, DONE, REGION, LINE, LEASE
  } state_t;
  state_t state;

  // --- entry ---
  logic [511:0] entry;
  wire  [7:0]   opcode       = entry[7:0];
  wire  [15:0]  window       = entry[31:16];
  wire  [31:0]  length       = entry[63:32];
  wire  [15:0]  registration = entry[207:192];
  logic [3:0]   pace;         // clocks since the first beat of the entry
  logic [4:0]   field_status;
  logic         single;       // fetch only one entry
  logic         is_inline, is_put, is_putv, is_get, is_atomic, is_cas, is_add, is_release, is_region, is_flush, moves,
                registered;
  logic         is_pool_read, is_pool_write, is_renew, of_pool, is_timed, leased; // from glk_ring_pool
  wire  [3:0]   fetch_entries = single ? 4'd1 : turn_entries;

  glk_ring_check #(.REGIONS(REGIONS)) check (.clk, .leases, .entry, .status(field_status));

  always_ff @(posedge clk) begin
    is_inline  <= opcode == 8'(glk_regs::OP_PUT_INLINE);
    is_put     <= opcode == 8'(glk_regs::OP_PUT);
    is_putv    <= opcode == 8'(glk_regs::OP_PUTV);
    is_get     <= opcode == 8'(glk_regs::OP_GET);
    is_add     <= opcode == 8'(glk_regs::OP_FETCH_ADD);
    is_cas     <= opcode == 8'(glk_regs::OP_CAS);
    is_atomic  <= opcode == 8'(glk_regs::OP_FETCH_ADD) || opcode == 8'(glk_regs::OP_SWAP) || opcode == 8'(glk_regs::OP_CAS);
    is_release <= opcode == 8'(glk_regs::OP_RELEASE);
    is_region  <= REGIONS != 0 && opcode > 8'(glk_regs::OP_RELEASE) && opcode <= 8'(glk_regs::OP_REGION_FLUSH);
    is_flush   <= opcode == 8'(glk_regs::OP_REGION_FLUSH);
    moves      <= opcode != 8'(glk_regs::OP_NOP) && (opcode < 8'(glk_regs::OP_RELEASE) ||
        opcode > 8'(glk_regs::OP_REGION_FLUSH));
    registered <= opcode != 8'(glk_regs::OP_PUT_INLINE) && (opcode <= 8'(glk_regs::OP_GET) ||
        opcode > 8'(glk_regs::OP_REGION_FLUSH) || registration != 16'(glk_regs::NO_REGISTRATION));
  end

  // --- window range: being checked, or left to move ---
  typedef enum logic [1:0] {ENTRY, RECORDS, MOVE} stage_t; // entry and record checks precede all data movement
  stage_t       stage;
  logic [63:0]  at;           // offset in the window
  logic [31:0]  left;
  logic [15:0]  place;        // position of the data in the buffer
  logic [31:0]  todo;         // bytes of the entry after these
  logic         w_answered;
  logic [3:0]   w_status;
  logic [31:0]  w_part;
  logic [PW-1:0] w_partition;
  logic [47:0]  w_target;
  wire  [12:0]  part = w_part[12:0];

  // --- table changes since the check ---
  logic         dirty;
  wire          settled = range_idle && out_idle; // no reads are in flight where this is used
  wire          go_on   = !dirty || settled;
  wire          aims    = state == AIM && !abandon && go_on;
  assign stale = dirty;

  glk_ring_window #(.PARTITIONS(PARTITIONS), .SLICES(SLICES), .SLICE_SHIFT(SLICE_SHIFT), .WINDOW_W(WINDOW_W)) windows (
    .clk, .rst, .ep_kind, .ep_bytes, .start(aims), .all(stage != MOVE),
    .context_number(5'(turn_context)), .handle(window), .offset(at), .length(left),
    .need_read(is_get || is_atomic || is_pool_read || is_renew), .need_write(!is_get && !is_pool_read && !is_renew),
    .done(w_answered), .status(w_status), .part(w_part), .partition(w_partition), .target(w_target), .window_changed,
    .window_valid, .window_ready, .window_row, .window_done, .window_q);

  // --- registration range: read or written page by page ---
  logic         registration_answered, h_known;
  logic [3:0]   registration_status;
  logic [60:0]  list;
  logic [20:0]  first;
  logic         wide, tables;
  logic         pg_asks, pg_waits, pg_over, pg_looks, pg_reads, pg_writes, pg_fills;
  logic [4:0]   pg_status;
  logic [63:0]  pg_address;
  logic [12:0]  pg_length;
  logic [15:0]  pg_at, pg_from;
  wire          from_host = is_put || is_putv || is_pool_write || is_renew;
  wire          ask_registration = (state == PAGES && pg_asks) || (aims && stage == ENTRY && registered);

  wire [31:0]   of_registration = is_renew ? {length[27:0], 4'b0} : is_timed ? 32'd32 : of_pool ? length + 32'd32 : length;

  glk_ring_registration #(.REGISTRATIONS(REGISTRATIONS), .REGISTRATION_W(REGISTRATION_W)) registrations (
    .clk, .rst, .start(ask_registration), .context_number(5'(turn_context)), .handle(registration),
    .offset(entry[255:208]), .length(of_registration), .need_read(from_host),
    .need_write(is_get || is_atomic || of_pool),
    .done(registration_answered), .status(registration_status), .list, .first, .wide, .tables, .registration_changed,
    .registration_valid, .registration_ready, .registration_row, .registration_done, .registration_q);

  // --- records of put vectors and renewals ---
  logic [15:0]  vector_place; // of the first in the buffer
  wire  [16:0]  in_bytes = is_renew ? {4'b0, length[8:0], 4'b0} : length[16:0]; // of all, or of other data from host memory
  logic         rec_waits, rec_over, rec_bad, rec_found, rec_second, rec_asks;
  logic [15:0]  rec_at;
  logic [63:0]  rec_head;

  glk_ring_records records (
    .clk, .rst, .start(state == BEGIN), .renews(is_renew), .bytes(in_bytes), .run(state == RECORD), .waits(rec_waits),
    .over(rec_over), .bad(rec_bad), .found(rec_found), .at(rec_at), .head(rec_head), .second(rec_second), .asks(rec_asks),
    .range_ready, .head_data, .head_now);

  // --- result ---
  logic [4:0]   status;
  logic         counted;      // the load is counted
  logic         release_ended, release_fails;
  logic         may_queue; // a probe may be issued: for an atomic, if not locked
  logic         beyond;    // the destination is on the other card
  logic         whole;     // so was the whole atomic
  logic [63:0]  word, old, value;
  logic         modifies;
  logic         advance, sleep, stop;
  logic         t_asked_now; // turn_asked, until taken

  // --- leases ---
  logic         answers;      // what is written to host memory is the answer
  logic         data_due;     // with the bytes of a line behind it
  logic         line_checked, line_whole, asks, granted, same, refused, read_again, stores, recording, recorded, p_valid;
  logic [4:0]   line_status;
  logic [12:0]  line_bytes;
  logic [11:0]  in_line;
  logic [LINE_W-1:0] p_line;
  logic [LANES-1:0]  p_enables;
  logic [DATA_W-1:0] p_data;
  wire  [15:0]  answer_place = is_renew ? {~vector_place[15], vector_place[14:12], 12'b0} :
      {~w_target[15], w_target[14:12], 12'b0};
  wire          answered = (state == LEASE && recorded && !is_renew) ||
      (state == RECORD && rec_over && is_renew && stage == MOVE && !abandon);

  glk_ring_pool #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS)) pool (
    .clk, .idle(state == IDLE), .leases, .ep_kind, .ep_base, .slot_shift, .grains,
    .entry(entry[63:0]), .is_read(is_pool_read), .is_write(is_pool_write), .is_renew, .of_pool, .is_timed, .leased,
    .check(state == LINE), .partition(w_partition), .target(w_target), .bytes(line_bytes), .in_line, .checked(line_checked),
    .whole(line_whole), .status(line_status), .modifies, .modify(state == MODIFY), .settled(range_idle), .asks,
    .asked(timed_ask && timed_asked_ready), .timed_kind, .timed_offset, .timed_length, .timed_time, .timed_limit,
    .timed_q_valid, .timed_q_last, .timed_valid(timed_lease_valid), .timed_ok(timed_lease_ok), .timed_same(timed_lease_same),
    .timed_wts(timed_lease_wts), .timed_rts(timed_lease_rts), .granted, .same, .refused, .read(read_again), .stores, .recorded,
    .e_refuse, .e_timed_write, .old, .place(is_renew ? place : answer_place), .records(recording), .buffer_line(p_line),
    .buffer_enables(p_enables), .buffer_data(p_data), .buffer_valid(p_valid));

  assign timed_range = is_pool_write;
  assign timed_data  = length[3] ? value : {2{value[31:0]}};
  assign timed_ask   = state == LEASE && asks;
  assign timed_time  = is_timed ? entry[447:384] : entry[319:256];
  assign timed_wts   = is_renew ? rec_head : is_pool_read ? entry[383:320] : '1;

  // --- pages: of what is read at first, of a chunk, or of the answer ---
  wire  [12:0]  chunk      = (todo > 32'(TRANSFER_BYTES)) ? TRANSFER_BYTES : todo[12:0];
  wire          more_pages = state == PAGES && pg_over && data_due;
  wire  [40:0]  start_at   = {1'b0, entry[247:208]} + 41'(first) + ((is_pool_write && state == BEGIN) ? 41'd32 : 41'd0);

  glk_ring_pages #(.DATA_W(DATA_W)) pages (
    .clk, .idle(state == IDLE), .list, .first, .wide, .tables, .registration_changed, .asks(pg_asks), .registration_answered,
    .registration_status,
    .load(state == BEGIN || state == CHUNK || state == QUEUE || answered || more_pages),
    .checked(state == BEGIN || state == PAGES), .bytes((state == CHUNK) ? 17'(chunk) : (state == QUEUE) ? 17'(part) :
    (answered && !is_renew) ? 17'd32 : in_bytes),
    .place(answered ? answer_place : w_target[15:0]), .start(state == BEGIN || answered), .start_at,
    .run(state == PAGES), .fetches(from_host && !answers), .waits(pg_waits), .over(pg_over), .status(pg_status),
    .looks(pg_looks), .dirty, .settled, .reads(pg_reads), .writes(pg_writes), .fills(pg_fills), .address(pg_address),
    .length(pg_length), .at(pg_at), .from(pg_from), .reader_busy, .reader_failed, .read_data, .read_valid, .range_ready);

  // --- buffer input: from host memory, from the endpoint, or inline data ---
  logic [LINE_W-1:0] g_line;
  // The first line of a piece may hold the end of the previous chunk, possibly not stored yet. And 64 KiB that start in the
  // middle of a line end in the same line.
  wire  fills   = state == PAGES && pg_fills;
  wire  begins  = fills && read_line == pg_at[15:LB];
  wire  wrapped = fills && is_putv && pg_at != vector_place && read_line == vector_place[15:LB];

  always_ff @(posedge clk) begin
    buffer_valid <= (read_valid && fills) || (load_q_valid && !load_q_error && !load_wait) || timed_q_valid || p_valid ||
        state == INLINE;
    buffer_line  <= p_valid ? p_line : timed_q_valid ? g_line : fills ? read_line : (state == INLINE) ? LINE_W'(pace) : g_line;
    buffer_data  <= p_valid ? p_data : timed_q_valid ? timed_q_data : fills ? read_data :
        (state == INLINE) ? DATA_W'({256'b0, entry[511:256]} >> (pace[0] ? DATA_W : 0)) : load_q_data;
    for (int k = 0; k < LANES; k = k + 1)
      buffer_enables[k] <= p_valid ? p_enables[k] : timed_q_valid || (!begins || LB'(k) >= pg_at[LB-1:0]) &&
          (!wrapped || LB'(k) < vector_place[LB-1:0]);
    if ((load_q_valid && !load_wait) || timed_q_valid)
      g_line <= g_line + LINE_W'(1);
    if (state == QUEUE)
      g_line <= w_target[15:LB];
    if (rst)
      buffer_valid <= 1'b0;
  end

  // --- requests, decoded from the state ---
  assign reader_start   = !abandon && (state == FETCH || (state == PAGES && pg_reads));
  assign reader_address = (state == FETCH) ? turn_sq_address : pg_address;
  assign reader_length  = (state == FETCH) ? {3'b0, fetch_entries, 6'b0} : pg_length;
  assign reader_line    = (state == FETCH) ? LINE_W'(16'({turn_context, turn_sq_head[2:0], 6'b0}) >> LB) : pg_at[15:LB];
  assign entry_line     = ENTRY_LINE_W'({turn_context, turn_sq_head[2:0], 6'b0} >> LB) + ENTRY_LINE_W'(pace);

  assign range_valid     = !abandon && (state == PUSH || (state == QUEUE && may_queue) || (state == PAGES && pg_writes) ||
                                    (state == RECORD && rec_asks));
  assign range_kind      = (state == PUSH) ? STORE : (state == QUEUE) ? PROBE : (state == PAGES) ? HOST : HEADER;
  assign range_place     = (state == PUSH) ? place : (state == PAGES) ? pg_from : vector_place + rec_at;
  assign range_length    = (state == PAGES) ? pg_length : (state == RECORD) ? 13'd8 : (state == QUEUE && leased) ? line_bytes :
      part;
  assign range_address   = (state == PAGES) ? pg_address : (state == RECORD) ? 64'd0 :
                       (state == QUEUE && leased) ? {16'b0, w_target - 48'(in_line)} :
                           (state == PUSH && is_pool_write) ? {16'b0, timed_offset} :
                       {16'b0, w_target};
  assign range_partition = w_partition;

  assign load_partition = w_partition;
  assign load_offset    = w_target;
  assign load_length    = part;
  assign load_wait      = of_pool;
  assign load_atomic    = is_atomic;
  assign load_operation = is_cas ? 2'd2 : is_add ? 2'd0 : 2'd1;
  assign load_operand   = length[3] ? entry[319:256] : {32'b0, entry[287:256]};
  assign load_compare   = entry[383:320];
  assign probe_reason   = (is_get || is_pool_read || is_renew) ? 4'(glk_regs::FLUSH_LOAD_HIT) : 4'(glk_regs::FLUSH_ATOMIC);
  assign count_atomic   = is_atomic;
  assign atomic_busy    = is_atomic && !beyond && ((state == QUEUE && may_queue) || state == LOADING || state == OLD_VALUE ||
                                                 state == NEW_VALUE || state == MODIFY ||
                                                     (is_timed && state == LEASE && !recording));
  assign count_partition   = w_partition;
  assign atomic_partition  = w_partition;
  assign atomic_offset     = w_target;
  assign atomic_length     = length[3:0];
  assign atomic_data       = value;
  assign atomic_valid      = state == MODIFY && modifies && !is_timed;

  assign region_valid  = state == REGION; // until done, also when abandoned
  assign region_kind   = opcode[1:0] - 2'(glk_regs::OP_REGION_START);
  assign region_region = registration;
  assign region_chunk  = entry[191:128];
  assign region_count  = length;

  assign release_only  = is_flush;
  assign release_valid = state == RELEASE && !t_asked_now;
  assign release_take  = state == RELEASE && t_asked_now && release_ended;

  assign result_fetched = state == FETCH_WAIT && !reader_busy && !reader_failed && !abandon;
  assign result_upto    = turn_sq_head + fetch_entries;
  assign result_asked   = release_valid && release_ready;
  assign result_taken   = release_take;
  // Software that sees the entry consumed also finds its completion, because that has been issued.
  wire   over           = state == DONE && (!advance || out_idle);
  assign result_done    = over;
  assign result_advance = advance;
  assign result_sleep   = sleep;
  assign result_stop    = stop;
  assign result_status  = status[3:0]; // of a ring that stops

  assign completion_valid     = (state == COMPLETE || state == INTERRUPT) && !abandon;
  assign completion_interrupt = state == INTERRUPT;
  assign completion_address   = (state == INTERRUPT) ? {58'b0, turn_vector} : turn_cq_address;
  assign completion_data      = {7'b0, turn_first_lap, generation, 11'b0, status,
      (moves && status == 5'd0 && !(is_pool_read && same)) ? length : 32'd0, entry[127:64]};

  always_ff @(posedge clk) begin
    e_entry <= 1'b0;
    e_dma   <= 1'b0;
    e_ring  <= 1'b0;
    if (load_ready)
      load_valid <= 1'b0;
    if (count_ready)
      count_valid <= 1'b0;
    if (registration_answered)
      h_known <= 1'b1;
    if (window_changed || registration_changed || commanded)
      dirty <= 1'b1;
    else if (settled && (state == IDLE || aims || (state == PAGES && pg_looks && !abandon)))
      dirty <= 1'b0;
    if (load_q_valid || timed_q_valid)
      word <= timed_q_valid ? timed_q_data[32'(w_target[LB-1:3]) * 64 +: 64] : load_q_data[32'(w_target[LB-1:3]) * 64 +: 64];
    beyond    <= ep_kind[32'(w_partition)*2 +: 2] == 2'(glk_regs::EP_LINK);
    may_queue <= state == QUEUE && !(may_queue && range_ready) && (may_queue || !is_atomic || beyond || !lock);
    release_ended <= release_done[turn_context];
    release_fails <= release_failed[turn_context];

    unique case (state)
      // --- fetch and check ---
      IDLE: begin
        pace           <= 4'd0;
        single         <= 1'b0;
        stage          <= ENTRY;
        status         <= 5'd0;
        advance        <= 1'b0;
        sleep          <= 1'b0;
        stop           <= 1'b0;
        counted        <= 1'b0;
        h_known        <= 1'b0;
        t_asked_now    <= turn_asked;
        reader_entries <= 1'b1;
        answers        <= 1'b0;
        data_due       <= 1'b0;
        if (turn_valid && turn_protocol) begin
          status <= 5'(glk_regs::ST_PROTOCOL);
          stop   <= 1'b1;
          e_ring <= 1'b1;
          state  <= INTERRUPT;
        end else if (turn_valid)
          state <= turn_held ? LOAD : FETCH;
      end
      FETCH:
        state <= abandon ? DONE : FETCH_WAIT;
      FETCH_WAIT:
        if (!reader_busy) begin
          state <= LOAD;
          if (abandon) begin
            state <= DONE;
          end else if (reader_failed && fetch_entries != 4'd1) begin
            // The failure may belong to a later entry: retry with one entry.
            single <= 1'b1;
            state  <= FETCH;
          end else if (reader_failed) begin
            status <= 5'(glk_regs::ST_DMA);
            stop   <= 1'b1;
            e_dma  <= 1'b1;
            e_ring <= 1'b1;
            state  <= INTERRUPT;
          end
        end
      LOAD: begin
        reader_entries <= 1'b0;
        pace           <= pace + 4'd1;
        if (pace != 4'd0)
          entry <= 512'({entry_q, entry} >> DATA_W);
        if (pace == 4'(ENTRY_LINES))
          state <= CHECK;
      end
      CHECK: begin
        pace <= pace + 4'd1;
        at   <= is_putv ? 64'd0 : entry[191:128];
        left <= (is_putv || of_pool) ? 32'd1 : length;
        if (pace == 4'(ENTRY_LINES + 3)) begin
          status <= field_status;
          state  <= (field_status != 5'd0) ? FINISH : (is_release || (is_flush && t_asked_now)) ? RELEASE : is_region ? REGION :
              moves ? AIM : FINISH;
        end
      end
      REGISTRATION:
        if (h_known || registration_answered) begin
          status <= {1'b0, registration_status};
          state  <= (registration_status != 4'd0) ? FINISH : BEGIN;
        end

      // --- start of data movement ---
      BEGIN: begin
        stage        <= MOVE;
        at           <= entry[191:128];
        left         <= length;
        todo         <= length;
        place        <= is_pool_write ? start_at[15:0] : 16'd0;
        pace         <= 4'd0;
        vector_place <= entry[223:208] + 16'(first);
        state        <= is_inline ? INLINE : (is_putv || is_pool_write || is_renew) ? PAGES :
            (is_atomic || is_pool_read) ? AIM : CHUNK;
      end
      INLINE: begin
        pace <= pace + 4'd1;
        if (LANES >= 32 || pace == 4'd1)
          state <= AIM;
      end
      CHUNK: if (!count_valid) begin
        left  <= 32'(chunk);
        place <= pg_at;
        if (is_put)
          todo <= (todo > 32'(TRANSFER_BYTES)) ? todo - 32'(TRANSFER_BYTES) : 32'd0;
        state <= abandon ? FINISH : is_put ? PAGES : AIM;
      end

      // --- pages ---
      PAGES: begin
        status <= pg_status;
        e_dma  <= pg_status == 5'(glk_regs::ST_DMA);
        if (pg_status != 5'd0 || (abandon && !pg_waits))
          state <= FINISH;
        else if (more_pages) // behind the record
          data_due <= 1'b0;
        else if (pg_over && (is_putv || (is_renew && !answers))) begin
          stage <= RECORDS;
          state <= RECORD;
        end else if (pg_over)
          state <= (is_put || (leased && !answers)) ? AIM : (is_get && todo != 32'd0) ? CHUNK : FINISH;
      end

      // --- window: checks, stores, loads ---
      AIM:
        if (abandon)
          state <= FINISH;
        else if (go_on)
          state <= AIM_WAIT;
      AIM_WAIT:
        if (w_answered) begin
          status <= {1'b0, w_status};
          state  <= (w_status != 4'd0) ? FINISH :
                    (leased && !(is_renew && stage == ENTRY)) ? LINE :
                    (stage == ENTRY) ? (registered ? REGISTRATION : BEGIN) :
                    (stage == RECORDS) ? RECORD :
                    (is_get || is_atomic) ? QUEUE : PUSH;
        end
      PUSH:
        if (abandon)
          state <= FINISH;
        else if (range_ready) begin
          at    <= at + 64'(part);
          left  <= left - 32'(part);
          place <= place + 16'(part);
          state <= is_pool_write ? LEASE : (left != 32'(part)) ? AIM : is_putv ? RECORD : (is_put && todo != 32'd0) ? CHUNK :
              FINISH;
        end
      QUEUE:
        if (abandon)
          state <= FINISH;
        else if (range_ready && may_queue) begin
          load_valid <= 1'b1;
          counted <= 1'b1;
          if (!counted && !is_pool_write && !is_renew)
            count_valid <= 1'b1;
          at      <= at + 64'(part);
          todo    <= todo - 32'(part);
          state   <= LOADING;
        end
      LOADING:
        if (load_q_valid && (load_q_last || load_q_error)) begin
          whole  <= load_q_whole;
          status <= load_q_error ? 5'(glk_regs::ST_ENDPOINT) : 5'd0;
          state  <= load_q_error ? FINISH : is_get ? PAGES : of_pool ? LEASE : OLD_VALUE;
        end

      // --- atomics ---
      OLD_VALUE: begin
        old   <= length[3] ? word : w_target[2] ? {32'b0, word[63:32]} : {32'b0, word[31:0]};
        state <= NEW_VALUE;
      end
      NEW_VALUE: begin
        value    <= is_add ? old + entry[319:256] : entry[319:256];
        modifies <= !is_cas || old == entry[383:320];
        at       <= entry[191:128];
        left     <= length;
        todo     <= length;
        // The window may have changed since the read: check again.
        state    <= abandon ? FINISH : whole ? (registered ? PAGES : FINISH) : ((dirty && !granted) || beyond) ? AIM : MODIFY;
      end
      MODIFY:
        if (is_timed)
          state <= LEASE;
        else if (!modifies || atomic_ready)
          state <= registered ? PAGES : FINISH;

      // --- lines and leases; their answer is written to host memory when all are done ---
      LINE: begin
        left <= is_renew ? 32'(line_bytes) : length;
        if (line_checked) begin
          status <= line_status;
          state  <= (line_status != 5'd0) ? FINISH : (stage == MOVE) ? QUEUE : !line_whole ? AIM : is_renew ? RECORD :
              REGISTRATION;
        end
      end
      LEASE:
        if (range_idle && refused) begin
          status <= 5'(glk_regs::ST_TIME);
          state  <= FINISH;
        end else if (range_idle && read_again)
          state <= OLD_VALUE;
        else if (stores)
          state <= PUSH;
        else if (recorded && is_renew)
          state <= RECORD;

      // --- put vectors and renewals: all records are checked before any is executed ---
      RECORD: begin
        if (!rec_second) begin
          at   <= is_renew ? rec_head : {16'b0, rec_head[47:0]};
          left <= is_renew ? 32'd1 : {16'b0, rec_head[63:48]};
        end
        if (rec_waits) // place of a vector's data, or of a renewal's answer
          place <= (is_renew ? answer_place : vector_place + 16'd8) + rec_at;
        if (abandon && !rec_waits)
          state <= FINISH;
        else if (rec_over) begin
          stage <= MOVE;
          if (stage == MOVE)
            state <= FINISH;
        end else if (rec_bad) begin
          status <= 5'(glk_regs::ST_VECTOR);
          state  <= FINISH;
        end else if (rec_found && (range_ready || !rec_asks))
          state <= AIM;
      end

      // --- releases ---
      RELEASE:
        if (!t_asked_now) begin
          if (release_ready) begin
            sleep <= 1'b1;
            state <= DONE;
          end
        end else if (!release_ended) begin
          sleep <= 1'b1;
          state <= DONE;
        end else begin
          t_asked_now <= 1'b0;
          status      <= release_fails ? 5'(glk_regs::ST_ENDPOINT) : 5'd0;
          state       <= turn_mine ? FINISH : is_flush ? REGION : RELEASE;
        end

      // --- regions; a flush then waits like a release ---
      REGION:
        if (region_done) begin
          status <= region_status;
          state  <= (region_status == 5'd0 && is_flush && !abandon) ? RELEASE : FINISH;
        end

      // --- completion ---
      FINISH:
        if (range_idle && !count_valid)
          state <= abandon ? DONE : COMPLETE;
      COMPLETE:
        if (abandon)
          state <= DONE;
        else if (completion_ready) begin
          advance <= 1'b1;
          e_entry <= status != 5'd0;
          state   <= (status != 5'd0 || entry[8]) ? INTERRUPT : DONE;
        end
      INTERRUPT:
        if (completion_ready || abandon)
          state <= DONE;
      DONE:
        if (over)
          state <= IDLE;
      default: state <= IDLE;
    endcase
    if (answered) begin
      answers  <= 1'b1;
      data_due <= is_pool_read && !same;
      state    <= PAGES;
    end
    if (rst) begin
      state          <= IDLE;
      dirty          <= 1'b0;
      load_valid     <= 1'b0;
      count_valid    <= 1'b0;
      reader_entries <= 1'b0;
    end
  end

  wire unused = &{1'b0, w_part[31:13]};
endmodule
`default_nettype wire
