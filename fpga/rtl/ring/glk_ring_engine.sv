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
  input  logic                     t_valid,
  input  logic [CW-1:0]            t_context,
  input  logic                     t_protocol,
  input  logic [63:0]              t_sq_address,
  input  logic [3:0]               t_sq_head,
  input  logic [3:0]               t_entries,
  input  logic                     t_held,
  input  logic [63:0]              t_cq_address,
  input  logic                     t_first_lap,
  input  logic [5:0]               t_vector,
  input  logic                     t_asked,
  input  logic                     t_mine,
  input  logic                     abandon,
  input  logic                     commanded,
  input  logic                     out_idle,   // host memory writes have been issued
  output logic                     stale,
  output logic                     r_fetched,
  output logic [3:0]               r_upto,
  output logic                     r_asked,
  output logic                     r_taken,
  output logic                     r_done,
  output logic                     r_advance,
  output logic                     r_sleep,
  output logic                     r_stop,
  output logic [3:0]               r_status,

  // Entry buffer; one clock of latency
  output logic [ENTRY_LINE_W-1:0]  entry_line,
  input  logic [DATA_W-1:0]        entry_q,

  // Reads of host memory by glk_ring_reader: entries, a page address, or data into the mover's buffer
  output logic                     rd_start,
  output logic [63:0]              rd_address,
  output logic [12:0]              rd_length,
  output logic [LINE_W-1:0]        rd_line,
  output logic                     rd_entries, // reads entries
  input  logic                     rd_busy,
  input  logic                     rd_failed,
  input  logic [LINE_W-1:0]        rd_o_line,
  input  logic [DATA_W-1:0]        rd_o_data,
  input  logic                     rd_o_valid,

  // Data mover: input data, ranges to issue; record headers are returned
  output logic                     b_valid,
  output logic [LINE_W-1:0]        b_line,
  output logic [LANES-1:0]         b_enables,
  output logic [DATA_W-1:0]        b_data,
  output logic [1:0]               v_kind,
  output logic [15:0]              v_place,
  output logic [12:0]              v_length,
  output logic [63:0]              v_address,
  output logic [PW-1:0]            v_partition,
  output logic                     v_valid,
  input  logic                     v_ready,
  input  logic                     v_idle,
  input  logic [63:0]              head_data,
  input  logic                     head_now,

  // Tables
  input  logic                     w_changed,
  output logic                     w_valid,
  input  logic                     w_ready,
  output logic [SW-1:0]            w_row,
  input  logic                     w_done,
  input  logic [WINDOW_W-1:0]      w_q,
  input  logic                     h_changed,
  output logic                     h_valid,
  input  logic                     h_ready,
  output logic [HW-1:0]            h_row,
  input  logic                     h_done,
  input  logic [REGISTRATION_W-1:0] h_q,

  // Loads
  output logic [3:0]               probe_reason,
  output logic [PW-1:0]            l_partition,
  output logic [47:0]              l_offset,
  output logic [12:0]              l_length,
  output logic                     l_wait,   // only the wait for earlier stores
  output logic                     l_atomic,
  output logic [1:0]               l_operation,
  output logic [63:0]              l_operand,
  output logic [63:0]              l_compare,
  output logic                     l_valid,
  input  logic                     l_ready,
  input  logic                     g_whole, // the atomic was executed by the other card
  input  logic                     g_error,
  input  logic [DATA_W-1:0]        g_data,
  input  logic                     g_last,
  input  logic                     g_valid,

  // Atomics of the other card on local endpoints: the rings start none while `lock`; atomic_busy: one is in progress
  input  logic                     lock,
  output logic                     atomic_busy,

  // New values of atomics
  output logic [PW-1:0]            o_partition,
  output logic [47:0]              o_offset,
  output logic [3:0]               o_length,
  output logic [63:0]              o_data,
  output logic                     o_valid,
  input  logic                     o_ready,

  // Accesses to the pool with a time, see glk_pool; `t_range`: the stores of the data mover are such a write
  output logic                     t_range,
  output logic [1:0]               t_kind,
  output logic [47:0]              t_offset,
  output logic [12:0]              t_length,
  output logic [63:0]              t_data,
  output logic                     t_ask,
  input  logic                     t_asked_ready,
  output logic [63:0]              t_time,
  output logic [63:0]              t_wts,
  input  logic [DATA_W-1:0]        t_q_data,
  input  logic                     t_q_last,
  input  logic                     t_q_valid,
  input  logic                     t_lease_valid,
  input  logic                     t_lease_ok,
  input  logic                     t_lease_same,
  input  logic [63:0]              t_lease_wts,
  input  logic [63:0]              t_lease_rts,
  input  logic [63:0]              t_limit,
  output logic                     e_refuse, // a write was refused for its time
  output logic                     e_timed_write, // one was made, of t_length bytes

  // Operations of regions, see glk_region_state
  output logic                     i_valid,
  output logic [1:0]               i_kind,
  output logic [15:0]              i_region,
  output logic [63:0]              i_chunk,
  output logic [31:0]              i_count,
  input  logic                     i_done,
  input  logic [4:0]               i_status,

  // Releases
  output logic                     z_only,
  output logic                     z_valid,
  input  logic                     z_ready,
  input  logic [CONTEXTS-1:0]      z_done,
  input  logic [CONTEXTS-1:0]      z_failed,
  output logic                     z_take,

  // Completions (16 bytes) and interrupts
  output logic                     c_interrupt,
  output logic [63:0]              c_address,
  output logic [127:0]             c_data,
  output logic                     c_valid,
  input  logic                     c_ready,

  // Event pulses
  output logic                     e_entry,
  output logic                     e_dma,
  output logic                     e_ring,
  output logic                     n_atomic,
  output logic [PW-1:0]            n_partition,
  output logic                     n_valid,
  input  logic                     n_ready
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
  logic         is_inline, is_put, is_putv, is_get, is_atomic, is_cas, is_add, is_release, is_region, is_flush, moves, registered;
  logic         is_pool_read, is_pool_write, is_renew, of_pool, is_timed, leased; // from glk_ring_pool
  wire  [3:0]   fetch_entries = single ? 4'd1 : t_entries;

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
    moves      <= opcode != 8'(glk_regs::OP_NOP) && (opcode < 8'(glk_regs::OP_RELEASE) || opcode > 8'(glk_regs::OP_REGION_FLUSH));
    registered <= opcode != 8'(glk_regs::OP_PUT_INLINE) && (opcode <= 8'(glk_regs::OP_GET) || opcode > 8'(glk_regs::OP_REGION_FLUSH) || registration != 16'(glk_regs::NO_REGISTRATION));
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
  wire          settled = v_idle && out_idle; // no reads are in flight where this is used
  wire          go_on   = !dirty || settled;
  wire          aims    = state == AIM && !abandon && go_on;
  assign stale = dirty;

  glk_ring_window #(.PARTITIONS(PARTITIONS), .SLICES(SLICES), .SLICE_SHIFT(SLICE_SHIFT), .WINDOW_W(WINDOW_W)) windows (
    .clk, .rst, .ep_kind, .ep_bytes, .start(aims), .all(stage != MOVE),
    .context_number(5'(t_context)), .handle(window), .offset(at), .length(left),
    .need_read(is_get || is_atomic || is_pool_read || is_renew), .need_write(!is_get && !is_pool_read && !is_renew), .done(w_answered), .status(w_status), .part(w_part),
    .partition(w_partition), .target(w_target), .w_changed, .w_valid, .w_ready, .w_row, .w_done, .w_q);

  // --- registration range: read or written page by page ---
  logic         h_answered, h_known;
  logic [3:0]   h_status;
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
    .clk, .rst, .start(ask_registration), .context_number(5'(t_context)), .handle(registration),
    .offset(entry[255:208]), .length(of_registration), .need_read(from_host),
    .need_write(is_get || is_atomic || of_pool),
    .done(h_answered), .status(h_status), .list, .first, .wide, .tables, .h_changed, .h_valid, .h_ready, .h_row, .h_done, .h_q);

  // --- records of put vectors and renewals ---
  logic [15:0]  vector_place; // of the first in the buffer
  wire  [16:0]  in_bytes = is_renew ? {4'b0, length[8:0], 4'b0} : length[16:0]; // of all, or of other data from host memory
  logic         rec_waits, rec_over, rec_bad, rec_found, rec_second, rec_asks;
  logic [15:0]  rec_at;
  logic [63:0]  rec_head;

  glk_ring_records records (
    .clk, .rst, .start(state == BEGIN), .renews(is_renew), .bytes(in_bytes), .run(state == RECORD), .waits(rec_waits), .over(rec_over), .bad(rec_bad),
    .found(rec_found), .at(rec_at), .head(rec_head), .second(rec_second), .asks(rec_asks), .v_ready, .head_data, .head_now);

  // --- result ---
  logic [4:0]   status;
  logic         counted;      // the load is counted
  logic         release_done, release_failed;
  logic         may_queue; // a probe may be issued: for an atomic, if not locked
  logic         beyond;    // the destination is on the other card
  logic         whole;     // so was the whole atomic
  logic [63:0]  word, old, value;
  logic         modifies;
  logic         advance, sleep, stop;
  logic         t_asked_now; // t_asked, until taken

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
  wire  [15:0]  answer_place = is_renew ? {~vector_place[15], vector_place[14:12], 12'b0} : {~w_target[15], w_target[14:12], 12'b0};
  wire          answered = (state == LEASE && recorded && !is_renew) || (state == RECORD && rec_over && is_renew && stage == MOVE && !abandon);

  glk_ring_pool #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS)) pool (
    .clk, .idle(state == IDLE), .leases, .ep_kind, .ep_base, .slot_shift, .grains,
    .entry(entry[63:0]), .is_read(is_pool_read), .is_write(is_pool_write), .is_renew, .of_pool, .is_timed, .leased,
    .check(state == LINE), .partition(w_partition), .target(w_target), .bytes(line_bytes), .in_line, .checked(line_checked), .whole(line_whole), .status(line_status),
    .modifies, .modify(state == MODIFY), .settled(v_idle), .asks, .asked(t_ask && t_asked_ready), .t_kind, .t_offset, .t_length, .t_time, .t_limit,
    .t_q_valid, .t_q_last, .t_valid(t_lease_valid), .t_ok(t_lease_ok), .t_same(t_lease_same), .t_wts(t_lease_wts), .t_rts(t_lease_rts),
    .granted, .same, .refused, .read(read_again), .stores, .recorded, .e_refuse, .e_timed_write,
    .old, .place(is_renew ? place : answer_place), .records(recording), .b_line(p_line), .b_enables(p_enables), .b_data(p_data), .b_valid(p_valid));

  assign t_range = is_pool_write;
  assign t_data  = length[3] ? value : {2{value[31:0]}};
  assign t_ask   = state == LEASE && asks;
  assign t_time  = is_timed ? entry[447:384] : entry[319:256];
  assign t_wts   = is_renew ? rec_head : is_pool_read ? entry[383:320] : '1;

  // --- pages: of what is read at first, of a chunk, or of the answer ---
  wire  [12:0]  chunk      = (todo > 32'(TRANSFER_BYTES)) ? TRANSFER_BYTES : todo[12:0];
  wire          more_pages = state == PAGES && pg_over && data_due;
  wire  [40:0]  start_at   = {1'b0, entry[247:208]} + 41'(first) + ((is_pool_write && state == BEGIN) ? 41'd32 : 41'd0);

  glk_ring_pages #(.DATA_W(DATA_W)) pages (
    .clk, .idle(state == IDLE), .list, .first, .wide, .tables, .h_changed, .asks(pg_asks), .h_answered, .h_status,
    .load(state == BEGIN || state == CHUNK || state == QUEUE || answered || more_pages), .checked(state == BEGIN || state == PAGES),
    .bytes((state == CHUNK) ? 17'(chunk) : (state == QUEUE) ? 17'(part) : (answered && !is_renew) ? 17'd32 : in_bytes),
    .place(answered ? answer_place : w_target[15:0]), .start(state == BEGIN || answered), .start_at,
    .run(state == PAGES), .fetches(from_host && !answers), .waits(pg_waits), .over(pg_over), .status(pg_status), .looks(pg_looks), .dirty, .settled,
    .reads(pg_reads), .writes(pg_writes), .fills(pg_fills), .address(pg_address), .length(pg_length), .at(pg_at), .from(pg_from),
    .rd_busy, .rd_failed, .rd_o_data, .rd_o_valid, .v_ready);

  // --- buffer input: from host memory, from the endpoint, or inline data ---
  logic [LINE_W-1:0] g_line;
  // The first line of a piece may hold the end of the previous chunk, possibly not stored yet. And 64 KiB that start in the
  // middle of a line end in the same line.
  wire  fills   = state == PAGES && pg_fills;
  wire  begins  = fills && rd_o_line == pg_at[15:LB];
  wire  wrapped = fills && is_putv && pg_at != vector_place && rd_o_line == vector_place[15:LB];

  always_ff @(posedge clk) begin
    b_valid <= (rd_o_valid && fills) || (g_valid && !g_error && !l_wait) || t_q_valid || p_valid || state == INLINE;
    b_line  <= p_valid ? p_line : t_q_valid ? g_line : fills ? rd_o_line : (state == INLINE) ? LINE_W'(pace) : g_line;
    b_data  <= p_valid ? p_data : t_q_valid ? t_q_data : fills ? rd_o_data : (state == INLINE) ? DATA_W'({256'b0, entry[511:256]} >> (pace[0] ? DATA_W : 0)) : g_data;
    for (int k = 0; k < LANES; k = k + 1)
      b_enables[k] <= p_valid ? p_enables[k] : t_q_valid || (!begins || LB'(k) >= pg_at[LB-1:0]) && (!wrapped || LB'(k) < vector_place[LB-1:0]);
    if ((g_valid && !l_wait) || t_q_valid)
      g_line <= g_line + LINE_W'(1);
    if (state == QUEUE)
      g_line <= w_target[15:LB];
    if (rst)
      b_valid <= 1'b0;
  end

  // --- requests, decoded from the state ---
  assign rd_start   = !abandon && (state == FETCH || (state == PAGES && pg_reads));
  assign rd_address = (state == FETCH) ? t_sq_address : pg_address;
  assign rd_length  = (state == FETCH) ? {3'b0, fetch_entries, 6'b0} : pg_length;
  assign rd_line    = (state == FETCH) ? LINE_W'(16'({t_context, t_sq_head[2:0], 6'b0}) >> LB) : pg_at[15:LB];
  assign entry_line = ENTRY_LINE_W'({t_context, t_sq_head[2:0], 6'b0} >> LB) + ENTRY_LINE_W'(pace);

  assign v_valid     = !abandon && (state == PUSH || (state == QUEUE && may_queue) || (state == PAGES && pg_writes) ||
                                    (state == RECORD && rec_asks));
  assign v_kind      = (state == PUSH) ? STORE : (state == QUEUE) ? PROBE : (state == PAGES) ? HOST : HEADER;
  assign v_place     = (state == PUSH) ? place : (state == PAGES) ? pg_from : vector_place + rec_at;
  assign v_length    = (state == PAGES) ? pg_length : (state == RECORD) ? 13'd8 : (state == QUEUE && leased) ? line_bytes : part;
  assign v_address   = (state == PAGES) ? pg_address : (state == RECORD) ? 64'd0 :
                       (state == QUEUE && leased) ? {16'b0, w_target - 48'(in_line)} : (state == PUSH && is_pool_write) ? {16'b0, t_offset} :
                       {16'b0, w_target};
  assign v_partition = w_partition;

  assign l_partition  = w_partition;
  assign l_offset     = w_target;
  assign l_length     = part;
  assign l_wait       = of_pool;
  assign l_atomic     = is_atomic;
  assign l_operation  = is_cas ? 2'd2 : is_add ? 2'd0 : 2'd1;
  assign l_operand    = length[3] ? entry[319:256] : {32'b0, entry[287:256]};
  assign l_compare    = entry[383:320];
  assign probe_reason = (is_get || is_pool_read || is_renew) ? 4'(glk_regs::FLUSH_LOAD_HIT) : 4'(glk_regs::FLUSH_ATOMIC);
  assign n_atomic     = is_atomic;
  assign atomic_busy  = is_atomic && !beyond && ((state == QUEUE && may_queue) || state == LOADING || state == OLD_VALUE ||
                                                 state == NEW_VALUE || state == MODIFY || (is_timed && state == LEASE && !recording));
  assign n_partition  = w_partition;
  assign o_partition  = w_partition;
  assign o_offset     = w_target;
  assign o_length     = length[3:0];
  assign o_data       = value;
  assign o_valid      = state == MODIFY && modifies && !is_timed;

  assign i_valid  = state == REGION; // until done, also when abandoned
  assign i_kind   = opcode[1:0] - 2'(glk_regs::OP_REGION_START);
  assign i_region = registration;
  assign i_chunk  = entry[191:128];
  assign i_count  = length;

  assign z_only  = is_flush;
  assign z_valid = state == RELEASE && !t_asked_now;
  assign z_take  = state == RELEASE && t_asked_now && release_done;

  assign r_fetched = state == FETCH_WAIT && !rd_busy && !rd_failed && !abandon;
  assign r_upto    = t_sq_head + fetch_entries;
  assign r_asked   = z_valid && z_ready;
  assign r_taken   = z_take;
  // Software that sees the entry consumed also finds its completion, because that has been issued.
  wire   over      = state == DONE && (!advance || out_idle);
  assign r_done    = over;
  assign r_advance = advance;
  assign r_sleep   = sleep;
  assign r_stop    = stop;
  assign r_status  = status[3:0]; // of a ring that stops

  assign c_valid     = (state == COMPLETE || state == INTERRUPT) && !abandon;
  assign c_interrupt = state == INTERRUPT;
  assign c_address   = (state == INTERRUPT) ? {58'b0, t_vector} : t_cq_address;
  assign c_data      = {7'b0, t_first_lap, generation, 11'b0, status, (moves && status == 5'd0 && !(is_pool_read && same)) ? length : 32'd0, entry[127:64]};

  always_ff @(posedge clk) begin
    e_entry <= 1'b0;
    e_dma   <= 1'b0;
    e_ring  <= 1'b0;
    if (l_ready)
      l_valid <= 1'b0;
    if (n_ready)
      n_valid <= 1'b0;
    if (h_answered)
      h_known <= 1'b1;
    if (w_changed || h_changed || commanded)
      dirty <= 1'b1;
    else if (settled && (state == IDLE || aims || (state == PAGES && pg_looks && !abandon)))
      dirty <= 1'b0;
    if (g_valid || t_q_valid)
      word <= t_q_valid ? t_q_data[32'(w_target[LB-1:3]) * 64 +: 64] : g_data[32'(w_target[LB-1:3]) * 64 +: 64];
    beyond    <= ep_kind[32'(w_partition)*2 +: 2] == 2'(glk_regs::EP_LINK);
    may_queue <= state == QUEUE && !(may_queue && v_ready) && (may_queue || !is_atomic || beyond || !lock);
    release_done   <= z_done[t_context];
    release_failed <= z_failed[t_context];

    unique case (state)
      // --- fetch and check ---
      IDLE: begin
        pace        <= 4'd0;
        single      <= 1'b0;
        stage       <= ENTRY;
        status      <= 5'd0;
        advance     <= 1'b0;
        sleep       <= 1'b0;
        stop        <= 1'b0;
        counted     <= 1'b0;
        h_known     <= 1'b0;
        t_asked_now <= t_asked;
        rd_entries  <= 1'b1;
        answers     <= 1'b0;
        data_due    <= 1'b0;
        if (t_valid && t_protocol) begin
          status <= 5'(glk_regs::ST_PROTOCOL);
          stop   <= 1'b1;
          e_ring <= 1'b1;
          state  <= INTERRUPT;
        end else if (t_valid)
          state <= t_held ? LOAD : FETCH;
      end
      FETCH:
        state <= abandon ? DONE : FETCH_WAIT;
      FETCH_WAIT:
        if (!rd_busy) begin
          state <= LOAD;
          if (abandon) begin
            state <= DONE;
          end else if (rd_failed && fetch_entries != 4'd1) begin
            // The failure may belong to a later entry: retry with one entry.
            single <= 1'b1;
            state  <= FETCH;
          end else if (rd_failed) begin
            status <= 5'(glk_regs::ST_DMA);
            stop   <= 1'b1;
            e_dma  <= 1'b1;
            e_ring <= 1'b1;
            state  <= INTERRUPT;
          end
        end
      LOAD: begin
        rd_entries <= 1'b0;
        pace       <= pace + 4'd1;
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
          state  <= (field_status != 5'd0) ? FINISH : (is_release || (is_flush && t_asked_now)) ? RELEASE : is_region ? REGION : moves ? AIM : FINISH;
        end
      end
      REGISTRATION:
        if (h_known || h_answered) begin
          status <= {1'b0, h_status};
          state  <= (h_status != 4'd0) ? FINISH : BEGIN;
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
        state        <= is_inline ? INLINE : (is_putv || is_pool_write || is_renew) ? PAGES : (is_atomic || is_pool_read) ? AIM : CHUNK;
      end
      INLINE: begin
        pace <= pace + 4'd1;
        if (LANES >= 32 || pace == 4'd1)
          state <= AIM;
      end
      CHUNK: if (!n_valid) begin
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
        else if (v_ready) begin
          at    <= at + 64'(part);
          left  <= left - 32'(part);
          place <= place + 16'(part);
          state <= is_pool_write ? LEASE : (left != 32'(part)) ? AIM : is_putv ? RECORD : (is_put && todo != 32'd0) ? CHUNK : FINISH;
        end
      QUEUE:
        if (abandon)
          state <= FINISH;
        else if (v_ready && may_queue) begin
          l_valid <= 1'b1;
          counted <= 1'b1;
          if (!counted && !is_pool_write && !is_renew)
            n_valid <= 1'b1;
          at      <= at + 64'(part);
          todo    <= todo - 32'(part);
          state   <= LOADING;
        end
      LOADING:
        if (g_valid && (g_last || g_error)) begin
          whole  <= g_whole;
          status <= g_error ? 5'(glk_regs::ST_ENDPOINT) : 5'd0;
          state  <= g_error ? FINISH : is_get ? PAGES : of_pool ? LEASE : OLD_VALUE;
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
        else if (!modifies || o_ready)
          state <= registered ? PAGES : FINISH;

      // --- lines and leases; their answer is written to host memory when all are done ---
      LINE: begin
        left <= is_renew ? 32'(line_bytes) : length;
        if (line_checked) begin
          status <= line_status;
          state  <= (line_status != 5'd0) ? FINISH : (stage == MOVE) ? QUEUE : !line_whole ? AIM : is_renew ? RECORD : REGISTRATION;
        end
      end
      LEASE:
        if (v_idle && refused) begin
          status <= 5'(glk_regs::ST_TIME);
          state  <= FINISH;
        end else if (v_idle && read_again)
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
        end else if (rec_found && (v_ready || !rec_asks))
          state <= AIM;
      end

      // --- releases ---
      RELEASE:
        if (!t_asked_now) begin
          if (z_ready) begin
            sleep <= 1'b1;
            state <= DONE;
          end
        end else if (!release_done) begin
          sleep <= 1'b1;
          state <= DONE;
        end else begin
          t_asked_now <= 1'b0;
          status      <= release_failed ? 5'(glk_regs::ST_ENDPOINT) : 5'd0;
          state       <= t_mine ? FINISH : is_flush ? REGION : RELEASE;
        end

      // --- regions; a flush then waits like a release ---
      REGION:
        if (i_done) begin
          status <= i_status;
          state  <= (i_status == 5'd0 && is_flush && !abandon) ? RELEASE : FINISH;
        end

      // --- completion ---
      FINISH:
        if (v_idle && !n_valid)
          state <= abandon ? DONE : COMPLETE;
      COMPLETE:
        if (abandon)
          state <= DONE;
        else if (c_ready) begin
          advance <= 1'b1;
          e_entry <= status != 5'd0;
          state   <= (status != 5'd0 || entry[8]) ? INTERRUPT : DONE;
        end
      INTERRUPT:
        if (c_ready || abandon)
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
      state      <= IDLE;
      dirty      <= 1'b0;
      l_valid    <= 1'b0;
      n_valid    <= 1'b0;
      rd_entries <= 1'b0;
    end
  end

  wire unused = &{1'b0, w_part[31:13]};
endmodule
`default_nettype wire
