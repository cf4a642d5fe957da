// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Releases and drains: flush what is queued, wait until it has arrived, report.
//
// Requests are processed in batches: all eligible ones at one instant share a batch, and later ones wait for the next. A
// batch issues its flushes, followed by an item with a token. When the token returns, all flushes are made and counted in
// `sent`; when `arrived` reaches that count, their writes are posted; a mark in glk_acknowledge then reports that they have
// arrived. So no packets or writes are counted here.
//
// Failures of a context: `touched` holds the partitions it stored to, `failed` those with a failed write since its last
// report. A batch saves `touched` as `fenced` and restarts it; partitions touched since then also count, so that no failure
// is lost between two releases.
//
// Doorbell releases wait until the ring has reached the tail known at their doorbell. A context has one release being
// waited for and one behind it, which later ones overwrite; the two slots swap roles when the first completes.
//
// Before a release is eligible, it waits until ready chunks of the context's regions are stored (`ask`, `pass`; see
// glk_region_fence). Epochs of regions that were sent take part in batches, to learn when everything has arrived.
//
// Stopping a context (`ctx_enable`) discards its pending releases and all state visible to the next owner. Only a release
// being reported cannot be cancelled: `stale` is high until its writes have been issued.
module glk_release #(
  parameter int PARTITIONS = 4,
  parameter int CONTEXTS   = 32,
  parameter int PW         = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1,
  parameter int CW         = (CONTEXTS > 1) ? $clog2(CONTEXTS) : 1
) (
  input  logic                  clk,
  input  logic                  rst,
  input  logic                  clear,
  input  logic [63:0]           generation,
  input  logic [CONTEXTS-1:0]   ctx_enable,

  // Doorbell releases: complete with `value` once sq_head has reached `target`
  input  logic [CW-1:0]         bell_context,
  input  logic [63:0]           bell_value,
  input  logic [15:0]           bell_target,
  input  logic                  bell_valid,
  output logic                  bell_ready,

  // Ring releases
  input  logic [CW-1:0]         ring_context,
  input  logic                  ring_only, // a flush of a region: waits for the context's regions, flushes nothing
  input  logic                  ring_valid,
  output logic                  ring_ready,
  output logic [CONTEXTS-1:0]   ring_done,
  output logic [CONTEXTS-1:0]   ring_failed,
  input  logic                  ring_take, // of ring_context

  // Regions: releases that begin, those that may go on; a batch of epochs, done when all that was sent before has arrived
  output logic [CONTEXTS-1:0]   ask,
  output logic [CONTEXTS-1:0]   ask_only,
  input  logic [CONTEXTS-1:0]   pass,
  input  logic                  batch_valid,
  output logic                  batch_ready,
  output logic                  batch_done,

  // Drains
  input  logic [PARTITIONS-1:0] drain_partitions,
  input  logic                  drain_owned,
  input  logic [CW-1:0]         drain_context,
  input  logic                  drain_valid,
  output logic                  drain_ready,
  output logic                  drain_busy,

  // Context registers, one clock after release_cx_context; ring_cx_write: the ring engine updates sq_head or status
  output logic [CW-1:0]         release_cx_context,
  input  logic [63:0]           release_cx_record,
  input  logic [5:0]            release_cx_vector,
  input  logic [15:0]           release_cx_sq_head,
  input  logic [3:0]            release_cx_status,
  input  logic                  ring_cx_write,
  input  logic [CW-1:0]         ring_cx_write_context,

  // Activity: a store; start of an atomic; its write, for the context of the last atomic; a failed write
  input  logic                  store_valid,
  input  logic [PW-1:0]         store_partition,
  input  logic [CW-1:0]         store_context,
  input  logic                  atomic_valid,
  input  logic [CW-1:0]         atomic_context,
  input  logic                  atomic_write_valid,
  input  logic [PW-1:0]         atomic_write_partition,
  input  logic                  fail_valid,
  input  logic [PW-1:0]         fail_partition,

  // Flushes
  output logic                  flush_none,
  output logic                  flush_token,
  output logic                  flush_owned,
  output logic [PW-1:0]         flush_partition,
  output logic [CW-1:0]         flush_context,
  output logic [3:0]            flush_reason,
  output logic                  flush_valid,
  input  logic                  flush_ready,

  // Arrival
  input  logic                  token_valid,
  input  logic [1:0]            token,
  input  logic [15:0]           sent,
  input  logic [15:0]           arrived,
  output logic                  mark_take,
  input  logic                  mark_reached,

  // Records and interrupts
  output logic                  mem_interrupt,
  output logic [63:0]           mem_address,
  output logic [63:0]           mem_data,
  output logic                  mem_valid,
  input  logic                  mem_ready,

  // Failed releases: ERRORS of the context
  output logic [CW-1:0]         failed_context,
  output logic                  failed_valid,
  input  logic                  failed_ready,
  output logic [CW-1:0]         errors_context,
  input  logic [63:0]           errors,

  // Status
  input  logic [CW-1:0]         look_context,
  output logic [63:0]           look_released,
  output logic                  stale,
  output logic                  idle
);
  localparam int C = CONTEXTS;
  localparam int P = PARTITIONS;
  localparam int R = 1 << CW;
  localparam logic [1:0] TOKEN = 2'd1;

  typedef enum logic [4:0] {
    IDLE,
    PICK, TOUCHED, FLUSH, DRAIN, LAST, SENT, ARRIVES, MARK, ACKNOWLEDGES, // flushes and their arrival
    NEXT, READ, SAMPLE, JUDGE, DECIDE, ERROR, COUNTED, RELEASED, RECORD, VALUE, INTERRUPT, RING // completions
  } state_e;
  state_e state;

  // --- pending requests, and the current batch ---
  logic [C-1:0]  pending, next, slot;  // doorbells: first pending, second pending, slot of the first
  logic [C-1:0]  eligible, bell_batch; // first pending ones: eligible, in the batch
  logic [C-1:0]  unchecked;            // whether their rings have reached the target is to be checked
  logic [C-1:0]  bell_stage, ring_stage; // waiting for regions
  logic [C-1:0]  ring_fences;
  logic [C-1:0]  ring_waits, ring_batch;
  logic          epochs_wait, epochs_batch;
  logic          drain_waits, drain_batch, drain_of_context;
  logic [P-1:0]  drain_mask;
  logic [CW-1:0] drain_of;
  logic [CW-1:0] c;     // context being processed, and one-hot
  logic [C-1:0]  c_one;
  logic [C-1:0]  todo;  // contexts still to process
  logic [P-1:0]  flushes; // partitions of c still to flush
  logic          draining, asked;

  assign ring_ready  = 1'b1;
  assign drain_ready = !drain_busy;
  assign batch_ready = 1'b1;
  assign bell_ready  = state != RELEASED; // the slots swap roles in RELEASED
  wire   b_taken     = bell_valid && bell_ready;
  wire   begins      = state == IDLE && asked;
  logic  gone;          // c was stopped since its completion began

  // --- arbitration: lowest first ---
  localparam int CP = (C + 7) / 8 * 8;
  localparam int PP = (P + 7) / 8 * 8;
  logic [CP-1:0] todo_lowest, scan_lowest;
  logic [PP-1:0] flush_lowest;
  logic [CW-1:0] todo_first, scan_first;
  logic [PW-1:0] flush_first;
  wire  [C-1:0]  to_scan = pending & unchecked & ~bell_stage & ~eligible & ~bell_batch;
  glk_lowest #(.W(CP)) lowest_todo (.bits(CP'(todo)), .lowest(todo_lowest));
  glk_lowest #(.W(CP)) lowest_scan (.bits(CP'(to_scan)), .lowest(scan_lowest));
  glk_lowest #(.W(PP)) lowest_flush (.bits(PP'(flushes)), .lowest(flush_lowest));
  always_comb begin
    todo_first  = '0;
    scan_first  = '0;
    flush_first = '0;
    for (int k = 0; k < C; k = k + 1) begin
      todo_first = todo_first | (CW'(k) & {CW{todo_lowest[k]}});
      scan_first = scan_first | (CW'(k) & {CW{scan_lowest[k]}});
    end
    for (int k = 0; k < P; k = k + 1)
      flush_first = flush_first | (PW'(k) & {PW{flush_lowest[k]}});
  end

  // --- doorbell values and targets, two slots per context; last released values ---
  (* ram_style = "distributed" *) logic [79:0] slots [0:2*R-1];
  (* ram_style = "distributed" *) logic [63:0] released [0:R-1];
  logic [79:0]  slot_q;
  logic [63:0]  value;
  logic [C-1:0] released_once;
  // Updated when the record's writes have been issued: a reader of the register also finds the record.
  wire          reported = state == INTERRUPT && mem_ready && !gone;
  always_ff @(posedge clk) begin
    if (b_taken)
      slots[{bell_context, slot[bell_context] ^ pending[bell_context]}] <= {bell_target, bell_value};
    slot_q <= slots[{release_cx_context, slot[release_cx_context]}];
    if (reported)
      released[c] <= value;
    look_released <= released_once[look_context] ? released[look_context] : 64'd0;
  end

  // --- touched and failed partitions per context ---
  logic [C*P-1:0] touched, touched_next, failed, failed_next;
  (* ram_style = "distributed" *) logic [P-1:0] fences [0:R-1];
  logic [P-1:0]   c_touched, c_failed; // of c
  logic [P-1:0]   fence, found, again; // of c: touched before the batch; failed; touched since
  logic [C-1:0]   st_c, at_c, aw_c;
  logic [P-1:0]   st_p, aw_p, fail_p;
  wire            newer   = |((ring_waits | (ring_stage & ~ring_fences)) & c_one) ||
      (ring_valid && !ring_only && ring_context == c);
  wire            restore = state == RING && newer && !gone; // a newer release of the ring inherits the failures
  always_comb begin
    c_touched = '0;
    c_failed  = '0;
    for (int k = 0; k < C; k = k + 1) begin
      c_touched = c_touched | (touched[k*P +: P] & {P{c_one[k]}});
      c_failed  = c_failed | (failed[k*P +: P] & {P{c_one[k]}});
      touched_next[k*P +: P] = ((touched[k*P +: P] & {P{!(state == TOUCHED && c_one[k])}}) | (st_p & {P{st_c[k]}}) |
                                (aw_p & {P{aw_c[k]}}) | (fence & {P{restore && c_one[k]}})) & {P{ctx_enable[k]}};
      failed_next[k*P +: P]  = ((failed[k*P +: P] & {P{!(state == SAMPLE && c_one[k])}}) | fail_p |
                                (found & {P{restore && c_one[k]}})) & {P{ctx_enable[k]}};
    end
  end
  always_ff @(posedge clk) begin
    for (int k = 0; k < C; k = k + 1) begin
      st_c[k] <= store_valid && 32'(store_context) == k;
      aw_c[k] <= atomic_write_valid && at_c[k];
      if (atomic_valid)
        at_c[k] <= 32'(atomic_context) == k;
    end
    for (int k = 0; k < P; k = k + 1) begin
      st_p[k]   <= 32'(store_partition) == k;
      aw_p[k]   <= 32'(atomic_write_partition) == k;
      fail_p[k] <= fail_valid && 32'(fail_partition) == k;
    end
    touched <= touched_next;
    failed  <= failed_next;
    // A failure is reported once; the ring's release in the same batch does not repeat it.
    if (state == TOUCHED || state == RELEASED)
      fences[c] <= (state == TOUCHED) ? c_touched : '0;
    if (rst || clear) begin
      st_c    <= '0;
      aw_c    <= '0;
      fail_p  <= '0;
      touched <= '0;
      failed  <= '0;
    end
    if (rst)
      at_c <= '0;
  end

  // --- has the ring reached the target? Checked when a release is requested and when the ring advances ---
  logic [1:0]   scan_step;
  logic         got_there;
  wire          completes = state >= NEXT; // release_cx_context belongs to the batch in these states
  wire          scans     = scan_step == 2'd0 && !completes && |to_scan;
  wire [15:0]   ahead     = release_cx_sq_head - slot_q[79:64];
  wire [C-1:0]  zx_one    = C'(1) << release_cx_context;

  // --- arrival ---
  logic [15:0]  mark;
  logic         there;
  logic         of_bell, of_ring, bad;
  logic [63:4]  record;
  logic [5:0]   vector;
  logic [2:0]   wait_count;
  logic [3:0]   quiet;
  wire  [15:0]  beyond = arrived - mark;

  always_ff @(posedge clk) begin
    // Doorbells.
    if (b_taken) begin
      if (pending[bell_context])
        next[bell_context] <= 1'b1;
      pending[bell_context]   <= 1'b1;
      unchecked[bell_context] <= 1'b1;
    end
    for (int k = 0; k < C; k = k + 1)
      if (ring_cx_write && 32'(ring_cx_write_context) == k)
        unchecked[k] <= 1'b1;
      else if (scans && scan_lowest[k])
        unchecked[k] <= b_taken && 32'(bell_context) == k;

    scan_step <= (scans || scan_step != 2'd0) ? scan_step + 2'd1 : 2'd0;
    if (scans)
      release_cx_context <= scan_first;
    got_there <= release_cx_status != 4'd0 || !ahead[15];
    eligible   <= (begins ? '0 : eligible) | (bell_stage & pass);
    bell_stage <= bell_stage & ~pass;
    ask        <= '0;
    if (scan_step == 2'd3 && got_there) begin
      bell_stage <= (bell_stage & ~pass) | zx_one;
      ask        <= zx_one;
    end

    // Rings and drains.
    ring_waits  <= (begins ? '0 : ring_waits) | (ring_stage & pass & ~ring_fences);
    ring_stage  <= ring_stage & ~pass;
    ring_done   <= ring_done | (ring_stage & pass & ring_fences);
    ring_failed <= ring_failed & ~(ring_stage & pass & ring_fences);
    ask_only    <= '0;
    if (begins) begin
      drain_waits <= 1'b0;
      epochs_wait <= 1'b0;
    end
    if (ring_valid) begin
      ring_stage[ring_context]  <= 1'b1;
      ring_fences[ring_context] <= ring_only;
      ring_done[ring_context]   <= 1'b0;
      if (!ring_only)
        ask[ring_context] <= 1'b1;
      ask_only[ring_context]   <= ring_only;
    end
    batch_done <= 1'b0;
    if (batch_valid)
      epochs_wait <= 1'b1;
    if (ring_take)
      ring_done[ring_context] <= 1'b0;
    if (drain_valid && drain_ready) begin
      drain_busy       <= 1'b1;
      drain_waits      <= 1'b1;
      drain_mask       <= drain_partitions;
      drain_of_context <= drain_owned;
      drain_of         <= drain_context;
    end
    asked <= |eligible || |ring_waits || drain_waits || epochs_wait;

    // Batches.
    if (flush_ready)
      flush_valid <= 1'b0;
    if (mem_ready)
      mem_valid <= 1'b0;
    mark_take <= 1'b0;
    there     <= state == ARRIVES && !beyond[15];
    case (state)
      IDLE: begin
        draining <= 1'b0;
        if (asked) begin
          bell_batch  <= eligible;
          ring_batch  <= ring_waits;
          todo        <= eligible | ring_waits;
          drain_batch <= drain_waits;
          epochs_batch <= epochs_wait;
          state       <= PICK;
        end
      end

      PICK: begin
        c     <= todo_first;
        c_one <= todo_lowest[C-1:0];
        todo  <= todo & ~todo_lowest[C-1:0];
        state <= |todo ? TOUCHED : DRAIN;
      end
      TOUCHED: begin
        flushes <= c_touched;
        state   <= FLUSH;
      end
      FLUSH: if (flush_ready || !flush_valid) begin
        flush_valid     <= |flushes;
        flush_none      <= 1'b0;
        flush_token     <= 1'b0;
        flush_owned     <= !draining || drain_of_context;
        flush_partition <= flush_first;
        flush_context   <= c;
        flush_reason    <= draining ? 4'(glk_regs::FLUSH_DRAIN) : 4'(glk_regs::FLUSH_RELEASE);
        flushes         <= flushes & ~flush_lowest[P-1:0];
        if (!(|flushes))
          state <= draining ? LAST : PICK;
      end
      DRAIN: begin
        draining <= drain_batch;
        c        <= drain_of;
        flushes  <= drain_mask;
        state    <= drain_batch ? FLUSH : LAST;
      end
      LAST: begin
        flush_valid     <= 1'b1;
        flush_none      <= 1'b1;
        flush_token     <= 1'b1;
        flush_partition <= '0;
        state           <= SENT;
      end
      SENT: if (token_valid && token == TOKEN) begin
        mark  <= sent;
        state <= ARRIVES;
      end
      ARRIVES: if (there) begin
        mark_take <= 1'b1;
        state     <= MARK;
      end
      MARK: state <= ACKNOWLEDGES;
      ACKNOWLEDGES: if (mark_reached) begin
        todo  <= ring_batch | bell_batch;
        state <= NEXT;
      end

      NEXT: begin
        c     <= todo_first;
        c_one <= todo_lowest[C-1:0];
        gone  <= 1'b0;
        if (!(|todo)) begin // the owner of a drain may now free its memory
          if (drain_batch)
            drain_busy <= 1'b0;
          drain_batch <= 1'b0;
          batch_done  <= epochs_batch;
          state       <= IDLE;
        end else if (scan_step == 2'd0) begin
          release_cx_context <= todo_first;
          state              <= READ;
        end
      end
      READ: begin
        fence   <= fences[c];
        of_bell <= |(bell_batch & c_one);
        of_ring <= |(ring_batch & c_one);
        state   <= SAMPLE;
      end
      SAMPLE: begin
        found <= c_failed;
        again <= c_touched;
        value <= slot_q[63:0];
        state <= JUDGE;
      end
      JUDGE: begin
        bad    <= |((fence | again) & found);
        record <= release_cx_record[63:4];
        vector <= release_cx_vector;
        state  <= DECIDE;
      end
      DECIDE: begin
        wait_count   <= '0;
        failed_valid <= of_bell && bad && !gone;
        if (of_bell && !gone)
          state <= bad ? ERROR : RELEASED;
        else if (of_ring)
          state <= RING;
        else begin
          todo  <= todo & ~c_one;
          state <= NEXT;
        end
      end
      ERROR: if (failed_ready) begin
        failed_valid <= 1'b0;
        state        <= COUNTED;
      end
      COUNTED: begin
        wait_count <= wait_count + 3'd1;
        if (&wait_count)
          state <= RELEASED;
      end
      RELEASED: begin
        bell_batch    <= bell_batch & ~c_one;
        todo          <= todo & ~(c_one & ~ring_batch);
        mem_interrupt <= !(|record);
        mem_address   <= |record ? {record, 4'h8} : 64'(vector);
        mem_data      <= {24'd0, generation[7:0], errors[31:0]};
        if (gone) begin // pending requests belong to the next owner
          state <= NEXT;
        end else begin
          pending      <= (pending & ~c_one) | (next & c_one);
          slot         <= slot ^ (next & c_one);
          next         <= next & ~c_one;
          unchecked[c] <= 1'b1;
          mem_valid    <= 1'b1;
          state        <= |record ? RECORD : INTERRUPT;
        end
      end
      RECORD: if (mem_ready) begin
        mem_valid   <= 1'b1;
        mem_address <= {record, 4'h0};
        mem_data    <= value;
        state       <= VALUE;
      end
      VALUE: if (mem_ready) begin
        mem_valid     <= 1'b1;
        mem_interrupt <= 1'b1;
        mem_address   <= 64'(vector);
        state         <= INTERRUPT;
      end
      INTERRUPT: if (mem_ready) begin
        if (reported)
          released_once[c] <= 1'b1;
        state <= NEXT;
      end
      RING: begin
        if (!newer) begin
          ring_done[c]   <= 1'b1;
          ring_failed[c] <= bad;
        end
        ring_batch <= ring_batch & ~c_one;
        todo       <= todo & ~c_one;
        state      <= NEXT;
      end
      default: state <= IDLE;
    endcase

    // Context stopped.
    for (int k = 0; k < C; k = k + 1)
      if (!ctx_enable[k]) begin
        pending[k]       <= 1'b0;
        next[k]          <= 1'b0;
        bell_stage[k]    <= 1'b0;
        eligible[k]      <= 1'b0;
        bell_batch[k]    <= 1'b0;
        released_once[k] <= 1'b0;
      end
    if (completes && state != NEXT && |(c_one & ~ctx_enable))
      gone <= 1'b1;

    // idle: nothing can proceed, for some clocks, because a doorbell precedes the ring's movement
    if (state != IDLE || asked || |eligible || |ring_waits || drain_waits || epochs_wait || scan_step != 2'd0 || |to_scan ||
        ring_cx_write ||
        |ask || |ask_only || bell_valid || ring_valid || drain_valid || batch_valid) begin
      quiet <= '0;
      idle  <= 1'b0;
    end else begin
      quiet <= quiet + 4'(!(&quiet));
      idle  <= &quiet;
    end

    if (rst || clear) begin
      state         <= IDLE;
      pending       <= '0;
      next          <= '0;
      slot          <= '0;
      eligible      <= '0;
      bell_batch    <= '0;
      unchecked     <= '0;
      scan_step     <= 2'd0;
      bell_stage    <= '0;
      ring_stage    <= '0;
      ring_fences   <= '0;
      ask           <= '0;
      ask_only      <= '0;
      batch_done    <= 1'b0;
      epochs_wait   <= 1'b0;
      epochs_batch  <= 1'b0;
      ring_waits    <= '0;
      ring_batch    <= '0;
      ring_done     <= '0;
      ring_failed   <= '0;
      drain_waits   <= 1'b0;
      drain_batch   <= 1'b0;
      drain_busy    <= 1'b0;
      asked         <= 1'b0;
      flush_valid   <= 1'b0;
      mem_valid     <= 1'b0;
      failed_valid  <= 1'b0;
      mark_take     <= 1'b0;
      released_once <= '0;
      quiet         <= '0;
      idle          <= 1'b0;
    end
    if (rst) begin
      release_cx_context <= '0;
      gone               <= 1'b0;
      c                  <= '0;
      c_one              <= '0;
    end
  end

  assign stale          = gone;
  assign failed_context = c;
  assign errors_context = c;
  wire unused = &{1'b0, todo_lowest, scan_lowest, flush_lowest, generation[63:8], errors[63:32], release_cx_record[3:0],
                        ahead[14:0], beyond[14:0]};
endmodule
`default_nettype wire
