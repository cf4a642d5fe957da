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
  input  logic [CW-1:0]         b_context,
  input  logic [63:0]           b_value,
  input  logic [15:0]           b_target,
  input  logic                  b_valid,
  output logic                  b_ready,

  // Ring releases
  input  logic [CW-1:0]         n_context,
  input  logic                  n_only,  // a flush of a region: waits for the context's regions, flushes nothing
  input  logic                  n_valid,
  output logic                  n_ready,
  output logic [CONTEXTS-1:0]   n_done,
  output logic [CONTEXTS-1:0]   n_failed,
  input  logic                  n_take, // of n_context

  // Regions: releases that begin, those that may go on; a batch of epochs, done when all that was sent before has arrived
  output logic [CONTEXTS-1:0]   ask,
  output logic [CONTEXTS-1:0]   ask_only,
  input  logic [CONTEXTS-1:0]   pass,
  input  logic                  v_valid,
  output logic                  v_ready,
  output logic                  v_done,

  // Drains
  input  logic [PARTITIONS-1:0] drain_partitions,
  input  logic                  drain_owned,
  input  logic [CW-1:0]         drain_context,
  input  logic                  drain_valid,
  output logic                  drain_ready,
  output logic                  drain_busy,

  // Context registers, one clock after zx_context; nx_write: the ring engine updates sq_head or status
  output logic [CW-1:0]         zx_context,
  input  logic [63:0]           zx_record,
  input  logic [5:0]            zx_vector,
  input  logic [15:0]           zx_sq_head,
  input  logic [3:0]            zx_status,
  input  logic                  nx_write,
  input  logic [CW-1:0]         nx_write_context,

  // Activity: a store; start of an atomic; its write, for the context of the last atomic; a failed write
  input  logic                  st_valid,
  input  logic [PW-1:0]         st_partition,
  input  logic [CW-1:0]         st_context,
  input  logic                  at_valid,
  input  logic [CW-1:0]         at_context,
  input  logic                  aw_valid,
  input  logic [PW-1:0]         aw_partition,
  input  logic                  fail_valid,
  input  logic [PW-1:0]         fail_partition,

  // Flushes
  output logic                  f_none,
  output logic                  f_token,
  output logic                  f_owned,
  output logic [PW-1:0]         f_partition,
  output logic [CW-1:0]         f_context,
  output logic [3:0]            f_reason,
  output logic                  f_valid,
  input  logic                  f_ready,

  // Arrival
  input  logic                  token_valid,
  input  logic [1:0]            token,
  input  logic [15:0]           sent,
  input  logic [15:0]           arrived,
  output logic                  mark_take,
  input  logic                  mark_reached,

  // Records and interrupts
  output logic                  m_interrupt,
  output logic [63:0]           m_address,
  output logic [63:0]           m_data,
  output logic                  m_valid,
  input  logic                  m_ready,

  // Failed releases: ERRORS of the context
  output logic [CW-1:0]         e_context,
  output logic                  e_valid,
  input  logic                  e_ready,
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
  logic [C-1:0]  ring_only;
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

  assign n_ready     = 1'b1;
  assign drain_ready = !drain_busy;
  assign v_ready     = 1'b1;
  assign b_ready     = state != RELEASED; // the slots swap roles in RELEASED
  wire   b_taken     = b_valid && b_ready;
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
  wire          reported = state == INTERRUPT && m_ready && !gone;
  always_ff @(posedge clk) begin
    if (b_taken)
      slots[{b_context, slot[b_context] ^ pending[b_context]}] <= {b_target, b_value};
    slot_q <= slots[{zx_context, slot[zx_context]}];
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
  wire            newer   = |((ring_waits | (ring_stage & ~ring_only)) & c_one) || (n_valid && !n_only && n_context == c);
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
      st_c[k] <= st_valid && 32'(st_context) == k;
      aw_c[k] <= aw_valid && at_c[k];
      if (at_valid)
        at_c[k] <= 32'(at_context) == k;
    end
    for (int k = 0; k < P; k = k + 1) begin
      st_p[k]   <= 32'(st_partition) == k;
      aw_p[k]   <= 32'(aw_partition) == k;
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
  wire          completes = state >= NEXT; // zx_context belongs to the batch in these states
  wire          scans     = scan_step == 2'd0 && !completes && |to_scan;
  wire [15:0]   ahead     = zx_sq_head - slot_q[79:64];
  wire [C-1:0]  zx_one    = C'(1) << zx_context;

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
      if (pending[b_context])
        next[b_context] <= 1'b1;
      pending[b_context]   <= 1'b1;
      unchecked[b_context] <= 1'b1;
    end
    for (int k = 0; k < C; k = k + 1)
      if (nx_write && 32'(nx_write_context) == k)
        unchecked[k] <= 1'b1;
      else if (scans && scan_lowest[k])
        unchecked[k] <= b_taken && 32'(b_context) == k;

    scan_step <= (scans || scan_step != 2'd0) ? scan_step + 2'd1 : 2'd0;
    if (scans)
      zx_context <= scan_first;
    got_there <= zx_status != 4'd0 || !ahead[15];
    eligible   <= (begins ? '0 : eligible) | (bell_stage & pass);
    bell_stage <= bell_stage & ~pass;
    ask        <= '0;
    if (scan_step == 2'd3 && got_there) begin
      bell_stage <= (bell_stage & ~pass) | zx_one;
      ask        <= zx_one;
    end

    // Rings and drains.
    ring_waits <= (begins ? '0 : ring_waits) | (ring_stage & pass & ~ring_only);
    ring_stage <= ring_stage & ~pass;
    n_done     <= n_done | (ring_stage & pass & ring_only);
    n_failed   <= n_failed & ~(ring_stage & pass & ring_only);
    ask_only   <= '0;
    if (begins) begin
      drain_waits <= 1'b0;
      epochs_wait <= 1'b0;
    end
    if (n_valid) begin
      ring_stage[n_context] <= 1'b1;
      ring_only[n_context]  <= n_only;
      n_done[n_context]     <= 1'b0;
      if (!n_only)
        ask[n_context] <= 1'b1;
      ask_only[n_context]   <= n_only;
    end
    v_done <= 1'b0;
    if (v_valid)
      epochs_wait <= 1'b1;
    if (n_take)
      n_done[n_context] <= 1'b0;
    if (drain_valid && drain_ready) begin
      drain_busy       <= 1'b1;
      drain_waits      <= 1'b1;
      drain_mask       <= drain_partitions;
      drain_of_context <= drain_owned;
      drain_of         <= drain_context;
    end
    asked <= |eligible || |ring_waits || drain_waits || epochs_wait;

    // Batches.
    if (f_ready)
      f_valid <= 1'b0;
    if (m_ready)
      m_valid <= 1'b0;
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
      FLUSH: if (f_ready || !f_valid) begin
        f_valid     <= |flushes;
        f_none      <= 1'b0;
        f_token     <= 1'b0;
        f_owned     <= !draining || drain_of_context;
        f_partition <= flush_first;
        f_context   <= c;
        f_reason    <= draining ? 4'(glk_regs::FLUSH_DRAIN) : 4'(glk_regs::FLUSH_RELEASE);
        flushes     <= flushes & ~flush_lowest[P-1:0];
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
        f_valid     <= 1'b1;
        f_none      <= 1'b1;
        f_token     <= 1'b1;
        f_partition <= '0;
        state       <= SENT;
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
          v_done      <= epochs_batch;
          state       <= IDLE;
        end else if (scan_step == 2'd0) begin
          zx_context <= todo_first;
          state      <= READ;
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
        record <= zx_record[63:4];
        vector <= zx_vector;
        state  <= DECIDE;
      end
      DECIDE: begin
        wait_count <= '0;
        e_valid    <= of_bell && bad && !gone;
        if (of_bell && !gone)
          state <= bad ? ERROR : RELEASED;
        else if (of_ring)
          state <= RING;
        else begin
          todo  <= todo & ~c_one;
          state <= NEXT;
        end
      end
      ERROR: if (e_ready) begin
        e_valid <= 1'b0;
        state   <= COUNTED;
      end
      COUNTED: begin
        wait_count <= wait_count + 3'd1;
        if (&wait_count)
          state <= RELEASED;
      end
      RELEASED: begin
        bell_batch  <= bell_batch & ~c_one;
        todo        <= todo & ~(c_one & ~ring_batch);
        m_interrupt <= !(|record);
        m_address   <= |record ? {record, 4'h8} : 64'(vector);
        m_data      <= {24'd0, generation[7:0], errors[31:0]};
        if (gone) begin // pending requests belong to the next owner
          state <= NEXT;
        end else begin
          pending      <= (pending & ~c_one) | (next & c_one);
          slot         <= slot ^ (next & c_one);
          next         <= next & ~c_one;
          unchecked[c] <= 1'b1;
          m_valid      <= 1'b1;
          state        <= |record ? RECORD : INTERRUPT;
        end
      end
      RECORD: if (m_ready) begin
        m_valid   <= 1'b1;
        m_address <= {record, 4'h0};
        m_data    <= value;
        state     <= VALUE;
      end
      VALUE: if (m_ready) begin
        m_valid     <= 1'b1;
        m_interrupt <= 1'b1;
        m_address   <= 64'(vector);
        state       <= INTERRUPT;
      end
      INTERRUPT: if (m_ready) begin
        if (reported)
          released_once[c] <= 1'b1;
        state <= NEXT;
      end
      RING: begin
        if (!newer) begin
          n_done[c]   <= 1'b1;
          n_failed[c] <= bad;
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
    if (state != IDLE || asked || |eligible || |ring_waits || drain_waits || epochs_wait || scan_step != 2'd0 || |to_scan || nx_write ||
        |ask || |ask_only || b_valid || n_valid || drain_valid || v_valid) begin
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
      ring_only     <= '0;
      ask           <= '0;
      ask_only      <= '0;
      v_done        <= 1'b0;
      epochs_wait   <= 1'b0;
      epochs_batch  <= 1'b0;
      ring_waits    <= '0;
      ring_batch    <= '0;
      n_done        <= '0;
      n_failed      <= '0;
      drain_waits   <= 1'b0;
      drain_batch   <= 1'b0;
      drain_busy    <= 1'b0;
      asked         <= 1'b0;
      f_valid       <= 1'b0;
      m_valid       <= 1'b0;
      e_valid       <= 1'b0;
      mark_take     <= 1'b0;
      released_once <= '0;
      quiet         <= '0;
      idle          <= 1'b0;
    end
    if (rst) begin
      zx_context <= '0;
      gone       <= 1'b0;
      c          <= '0;
      c_one      <= '0;
    end
  end

  assign stale          = gone;
  assign e_context      = c;
  assign errors_context = c;
  wire unused = &{1'b0, todo_lowest, scan_lowest, flush_lowest, generation[63:8], errors[63:32], zx_record[3:0], ahead[14:0], beyond[14:0]};
endmodule
`default_nettype wire
