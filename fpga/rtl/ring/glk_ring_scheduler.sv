// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Ring scheduler: examines contexts with pending doorbells, round robin, and gives each that has an entry (or inconsistent
// indices) a turn of one entry with the engine. Also starts and stops contexts.
//
// `active` has a bit per context that may have work. It is cleared when the examination begins, so that a doorbell during
// it is not lost, and set again after a turn. A context waiting for a release is examined when that completes.
//
// Commands never wait for what the engine waits for: that may be the host, which may wait for the command. The turn of a
// stopped context continues without effect until the engine ends it (`killed`).
//
// Entries are fetched several at a time; `held` and `upto` track which ones a context has.
module glk_ring_scheduler #(
  parameter int CONTEXTS = 32,
  parameter int CW       = (CONTEXTS > 1) ? $clog2(CONTEXTS) : 1
) (
  input  logic                clk,
  input  logic                rst,
  input  logic                clear,
  input  logic                enabled,
  input  logic                halt,
  output logic                idle,    // no work is possible
  output logic                resting, // no work is in progress

  input  logic [CONTEXTS-1:0] ctx_enable,
  input  logic [CONTEXTS-1:0] bell,
  input  logic                command_start,
  input  logic [CW-1:0]       command_context,
  input  logic                command_valid,
  output logic                command_ready,
  input  logic [CONTEXTS-1:0] release_done,

  // Context registers
  output logic [CW-1:0]       ring_cx_context,
  input  logic [63:0]         ring_cx_sq_base,
  input  logic [63:0]         ring_cx_cq_base,
  input  logic [3:0]          ring_cx_sq_order,
  input  logic [3:0]          ring_cx_cq_order,
  input  logic [3:0]          ring_cx_status,
  input  logic [5:0]          ring_cx_vector,
  input  logic [15:0]         ring_cx_sq_tail,
  input  logic [15:0]         ring_cx_cq_head,
  input  logic [15:0]         ring_cx_sq_head,
  input  logic [15:0]         ring_cx_cq_tail,
  output logic                ring_cx_write,
  output logic [CW-1:0]       ring_cx_write_context,
  output logic [15:0]         ring_cx_new_sq_head,
  output logic [15:0]         ring_cx_new_cq_tail,
  output logic [3:0]          ring_cx_new_status,

  // Turn, until `r_done`
  output logic                turn_valid,
  output logic [CW-1:0]       turn_context,
  output logic                turn_protocol,   // inconsistent indices
  output logic [63:0]         turn_sq_address, // of the entry
  output logic [3:0]          turn_sq_head,    // low bits of its index
  output logic [3:0]          turn_entries,    // entries available from there on, 1..8
  output logic                turn_held,       // already fetched
  output logic [63:0]         turn_cq_address, // of the completion
  output logic                turn_first_lap,
  output logic [5:0]          turn_vector,
  output logic                turn_asked,      // a release of the context is in progress
  output logic                turn_mine,       // requested by this entry
  output logic                abandon,         // drop the entry
  output logic                commanded,       // a command is being executed

  // Results
  input  logic                result_fetched, // fetched up to result_upto
  input  logic [3:0]          result_upto,
  input  logic                result_asked,   // release requested for this entry
  input  logic                result_taken,   // its result is taken
  input  logic                result_done,    // end of the turn
  input  logic                result_advance, // the entry is completed
  input  logic                result_sleep,   // the entry waits for a release
  input  logic                result_stop,    // the ring stops
  input  logic [3:0]          result_status
);
  // --- state per context, one bit each ---
  logic [CONTEXTS-1:0] active, runs, waits, woken, asked, mine, held;
  logic [CONTEXTS-1:0] picked;           // context being examined
  logic [CONTEXTS-1:0] turn_bit, command_bit;
  wire  [CONTEXTS-1:0] wakes = waits & release_done & ~woken;

  // --- examination ---
  typedef enum logic [2:0] {IDLE, PICK, READ, LOOK, COUNT, DECIDE, TURN, WRITE} state_t;
  typedef enum logic [1:0] {NONE, ADDRESS, VALUES, APPLY} command_t;
  state_t   state;
  command_t command;

  logic [CONTEXTS-1:0] list, above, after; // active contexts; those of them after the last one; mask of the latter
  wire  [CONTEXTS-1:0] from   = |above ? above : list;
  wire  [CONTEXTS-1:0] lowest = from & (~from + CONTEXTS'(1));
  logic [CW-1:0]       lowest_number;
  always_comb begin
    lowest_number = '0;
    for (int k = 0; k < CONTEXTS; k = k + 1)
      if (lowest[k])
        lowest_number = lowest_number | CW'(k);
  end

  (* ram_style = "distributed" *) logic [3:0] upto [0:(1<<CW)-1];

  logic [15:0] sq_used, cq_used, sq_slot, cq_slot, sq_head, cq_tail;
  logic [16:0] sq_entries, cq_entries;
  logic [63:0] sq_base, cq_base;
  logic        may_run, cq_lap, asleep;
  logic [3:0]  held_upto;
  wire  [16:0] sq_size = 17'd1 << ring_cx_sq_order;
  wire  [16:0] cq_size = 17'd1 << ring_cx_cq_order;
  wire  [16:0] cq_laps = {1'b0, ring_cx_cq_tail} & cq_size;
  wire  [3:0]  to_eight = 4'd8 - {1'b0, sq_head[2:0]};

  logic advance, stop, halting;
  logic killed; // the turn's context was stopped or started
  // The completion is being issued, or the status about to be written: the turn ends once that is done, which waits only
  // for writes, and the command follows.
  wire  over    = result_advance || result_stop;
  wire  of_turn = state == TURN && command_context == turn_context;
  logic [3:0] stop_status;

  assign command_ready = command == APPLY;
  assign commanded     = command != NONE;
  assign abandon       = halting || killed;
  assign resting       = state == IDLE && command == NONE && !ring_cx_write;
  assign turn_valid    = state == TURN;
  assign turn_sq_head  = sq_head[3:0];

  always_ff @(posedge clk) begin
    idle    <= state == IDLE && command == NONE && !command_valid && !(|(active | bell) && enabled && !halt);
    halting <= halt;
    ring_cx_write <= 1'b0;

    unique case (state)
      IDLE: begin
        list  <= active;
        above <= active & after;
        if (|active && enabled && !halt && !command_valid && command == NONE)
          state <= PICK;
      end
      PICK: begin
        picked          <= lowest;
        after           <= ~(lowest | (lowest - CONTEXTS'(1)));
        ring_cx_context <= lowest_number;
        turn_context    <= lowest_number;
        state           <= READ;
      end
      READ:
        state <= LOOK;
      LOOK: begin
        sq_used     <= ring_cx_sq_tail - ring_cx_sq_head;
        cq_used     <= ring_cx_cq_tail - ring_cx_cq_head;
        sq_entries  <= sq_size;
        cq_entries  <= cq_size;
        sq_slot     <= ring_cx_sq_head & 16'(sq_size - 17'd1);
        cq_slot     <= ring_cx_cq_tail & 16'(cq_size - 17'd1);
        cq_lap      <= |cq_laps;
        sq_head     <= ring_cx_sq_head;
        cq_tail     <= ring_cx_cq_tail;
        sq_base     <= ring_cx_sq_base;
        cq_base     <= ring_cx_cq_base;
        turn_vector <= ring_cx_vector;
        may_run     <= ring_cx_status == 4'd0 && |(picked & runs & ctx_enable);
        asleep      <= |(picked & waits & ~release_done);
        turn_asked  <= |(picked & asked);
        turn_mine   <= |(picked & mine);
        turn_held   <= |(picked & held);
        held_upto   <= upto[turn_context];
        state       <= COUNT;
      end
      COUNT: begin
        turn_protocol   <= {1'b0, sq_used} > sq_entries || {1'b0, cq_used} > cq_entries;
        asleep          <= asleep || sq_used == 16'd0 || {1'b0, cq_used} == cq_entries;
        turn_sq_address <= sq_base + {42'b0, sq_slot, 6'b0};
        turn_cq_address <= cq_base + {44'b0, cq_slot, 4'b0};
        turn_first_lap  <= !cq_lap;
        turn_entries    <= (sq_used < 16'(to_eight)) ? sq_used[3:0] : to_eight;
        turn_held       <= turn_held && held_upto != sq_head[3:0];
        state           <= DECIDE;
      end
      DECIDE:
        state <= (may_run && (turn_protocol || !asleep)) ? TURN : IDLE;
      TURN:
        if (result_done) begin
          advance     <= result_advance;
          stop        <= result_stop;
          stop_status <= result_status;
          state       <= WRITE;
        end
      WRITE:
        if (command == NONE) begin
          ring_cx_write         <= advance || stop;
          ring_cx_write_context <= turn_context;
          ring_cx_new_sq_head   <= sq_head + 16'(advance);
          ring_cx_new_cq_tail   <= cq_tail + 16'(advance);
          ring_cx_new_status    <= stop ? stop_status : 4'd0;
          killed                <= 1'b0;
          state                 <= IDLE;
        end
      default: state <= IDLE;
    endcase

    // Commands are executed between turns, or within a turn, when the registers are not being read. The engine may have
    // ended its turn in the clock in which the turn was killed.
    unique case (command)
      NONE: begin
        if (command_valid && of_turn)
          killed <= 1'b1;
        if (command_valid && (state == IDLE || (state == TURN && !result_done && !(of_turn && over)))) begin
          ring_cx_context <= command_context;
          command         <= ADDRESS;
        end
      end
      ADDRESS:
        command <= (of_turn && over) ? NONE : VALUES;
      VALUES: begin
        ring_cx_write         <= 1'b1;
        ring_cx_write_context <= command_context;
        ring_cx_new_sq_head   <= command_start ? 16'd0 : ring_cx_sq_head;
        ring_cx_new_cq_tail   <= command_start ? 16'd0 : ring_cx_cq_tail;
        ring_cx_new_status    <= 4'd0;
        command               <= APPLY;
      end
      APPLY:
        command <= NONE;
      default: command <= NONE;
    endcase
    if (rst || clear) begin
      state         <= IDLE;
      command       <= NONE;
      ring_cx_write <= 1'b0;
      after         <= '0;
      idle          <= 1'b1;
      halting       <= 1'b0;
      killed        <= 1'b0;
    end
  end

  always_comb
    for (int k = 0; k < CONTEXTS; k = k + 1) begin
      turn_bit[k]    = turn_context == CW'(k);
      command_bit[k] = command == APPLY && command_context == CW'(k);
    end

  // Masks, because several events of different contexts may coincide.
  wire [CONTEXTS-1:0] none     = '0;
  wire [CONTEXTS-1:0] starts   = command_start ? command_bit : none;
  wire [CONTEXTS-1:0] looked   = (state == PICK) ? lowest : none;
  wire [CONTEXTS-1:0] again    = (state == WRITE && advance) ? turn_bit : none;
  wire [CONTEXTS-1:0] asks     = result_asked ? turn_bit : none;
  wire [CONTEXTS-1:0] takes    = result_taken ? turn_bit : none;
  wire [CONTEXTS-1:0] turns    = (state == TURN && result_done) ? turn_bit : none;
  wire [CONTEXTS-1:0] sleeps   = (result_sleep && !killed) ? turns : none;
  wire [CONTEXTS-1:0] fetches  = result_fetched ? turn_bit : none;

  always_ff @(posedge clk) begin
    active <= (active & ~looked) | bell | wakes | again | starts;
    runs   <= (runs & ~command_bit) | starts;
    waits  <= ((waits & ~turns) | sleeps) & ~command_bit;
    woken  <= (woken | wakes) & ~turns;
    asked  <= (asked & ~takes) | asks;
    mine   <= ((mine & ~takes) | (killed ? none : asks)) & ~command_bit;
    held   <= (held | fetches) & ~command_bit;
    if (rst || clear) begin
      active <= '0;
      runs   <= '0;
      waits  <= '0;
      woken  <= '0;
      asked  <= '0;
      mine   <= '0;
      held   <= '0;
    end
  end

  always_ff @(posedge clk)
    if (result_fetched)
      upto[turn_context] <= result_upto;

endmodule
`default_nettype wire
