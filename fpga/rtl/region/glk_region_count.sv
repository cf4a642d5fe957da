// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Readiness counters of chunks (PROACT III-B, III-D) in block RAM: an operation a clock, results in order three clocks later.
//
// A counter of another epoch reads as {remaining: initial, clean}, so that starting an epoch touches none. Operations up to two
// ahead are not yet in the RAM when an operation reads it: their results are forwarded.
module glk_region_count #(
  parameter int CHUNKS = 16384,
  parameter int KW     = (CHUNKS > 1) ? $clog2(CHUNKS) : 1,
  parameter int TW     = 8
) (
  input  logic          clk,
  input  logic          rst,

  // Operations: 0 arrive, 1 take (of a listed chunk), 2 list if dirty, 3 back to the beginning of the epoch, 4 set, 5 look, 6
  // clear
  input  logic [2:0]    op_kind,
  input  logic [KW-1:0] op_chunk,
  input  logic [1:0]    op_epoch,
  input  logic [15:0]   op_count, // arrive: writers; set: INITIAL
  input  logic [TW-1:0] op_tag,
  input  logic          op_valid,

  // Results
  output logic [2:0]    op_q_kind,
  output logic [KW-1:0] op_q_chunk,
  output logic [TW-1:0] op_q_tag,
  output logic          op_q_ok,       // an arrival was accepted
  output logic          op_q_listed,   // the chunk is to be appended to its list
  output logic          op_q_dirtied,  // the chunk became dirty
  output logic          op_q_undirtied,// it was, and is no longer
  output logic          op_q_complete, // of a chunk taken: all writers have arrived
  output logic [35:0]   op_q_counter,  // before the operation
  output logic          op_q_valid
);
  localparam logic [2:0] ARRIVE = 3'd0, TAKE = 3'd1, LIST = 3'd2, RESTART = 3'd3, SET = 3'd4, CLEAR = 3'd6;
  localparam logic [1:0] CLEAN  = 2'(glk_regs::CHUNK_STATE_CLEAN), DIRTY = 2'(glk_regs::CHUNK_STATE_DIRTY),
      LISTED = 2'(glk_regs::CHUNK_STATE_LISTED),
                         SENT   = 2'(glk_regs::CHUNK_STATE_SENT);

  (* ram_style = "block" *) logic [35:0] memory [0:(1<<KW)-1]; // {state, epoch, initial, remaining}

  // --- a: RAM address; b: RAM output ---
  logic          a_valid, b_valid, c_valid;
  logic [2:0]    a_kind, b_kind, c_kind;
  logic [KW-1:0] a_chunk, b_chunk, c_chunk, d_chunk;
  logic [1:0]    a_epoch, b_epoch, c_epoch;
  logic [15:0]   a_count, b_count, c_count;
  logic [TW-1:0] a_tag, b_tag, c_tag;
  logic [35:0]   b_counter, c_counter, c_new, d_new, e_new;
  logic          c_by_one, c_by_two, d_valid; // results to forward: of the operation ahead, of the one before it

  always_ff @(posedge clk) begin
    b_counter <= memory[a_chunk];
    if (c_valid)
      memory[c_chunk] <= c_new;
  end

  // --- c: new value ---
  wire [35:0] old       = c_by_one ? d_new : c_by_two ? e_new : c_counter;
  wire [15:0] initial_  = old[31:16];
  wire        other     = old[33:32] != c_epoch;
  wire [15:0] remaining = other ? initial_ : old[15:0];
  wire [1:0]  state     = other ? CLEAN : old[35:34];
  wire [15:0] after     = remaining - c_count;
  wire        none      = c_count == remaining; // none remain after an arrival
  wire        fits      = c_count <= remaining && c_count != 16'd0;
  logic       ok, listed, dirtied, undirtied, complete;

  always_comb begin
    c_new     = old;
    ok        = c_kind == ARRIVE && fits;
    complete  = remaining == 16'd0;
    listed    = 1'b0;
    dirtied   = 1'b0;
    undirtied = 1'b0;
    case (c_kind)
      ARRIVE: if (fits) begin
        listed    = none && state != LISTED;
        dirtied   = !none && state == CLEAN;
        undirtied = none && state == DIRTY;
        c_new     = {listed ? LISTED : dirtied ? DIRTY : state, c_epoch, initial_, after};
      end
      TAKE:
        c_new = {complete ? SENT : CLEAN, c_epoch, initial_, remaining};
      LIST: if (state == DIRTY) begin
        listed    = 1'b1;
        undirtied = 1'b1;
        c_new     = {LISTED, c_epoch, initial_, remaining};
      end
      RESTART: begin
        undirtied = state == DIRTY;
        c_new     = {CLEAN, c_epoch, initial_, initial_};
      end
      SET, CLEAR:
        c_new = {CLEAN, 2'd0, (c_kind == SET) ? c_count : 16'd0, 16'd0};
      default: ;
    endcase
  end

  always_ff @(posedge clk) begin
    {a_kind, a_chunk, a_epoch, a_count, a_tag} <= {op_kind, op_chunk, op_epoch, op_count, op_tag};
    {b_kind, b_chunk, b_epoch, b_count, b_tag} <= {a_kind, a_chunk, a_epoch, a_count, a_tag};
    {c_kind, c_chunk, c_epoch, c_count, c_tag} <= {b_kind, b_chunk, b_epoch, b_count, b_tag};
    a_valid   <= op_valid;
    b_valid   <= a_valid;
    c_valid   <= b_valid;
    c_counter <= b_counter;
    c_by_one  <= c_valid && c_chunk == b_chunk;
    c_by_two  <= d_valid && d_chunk == b_chunk;
    d_valid   <= c_valid;
    d_chunk   <= c_chunk;
    d_new     <= c_new;
    e_new     <= d_new;

    op_q_valid     <= c_valid;
    op_q_kind      <= c_kind;
    op_q_chunk     <= c_chunk;
    op_q_tag       <= c_tag;
    op_q_ok        <= ok;
    op_q_listed    <= listed;
    op_q_dirtied   <= dirtied;
    op_q_undirtied <= undirtied;
    op_q_complete  <= complete;
    op_q_counter   <= old;
    if (rst) begin
      a_valid <= 1'b0;
      b_valid <= 1'b0;
      c_valid <= 1'b0;
      d_valid <= 1'b0;
      op_q_valid <= 1'b0;
    end
  end
endmodule
`default_nettype wire
