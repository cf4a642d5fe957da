// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// The stage of releases ahead of their flushes: a release of a context waits until the chunks that its regions have ready are
// stored. First each region lists its dirty chunks, if it is to, and notes what is listed (a fence, see glk_region_state).
module glk_region_fence #(
  parameter int REGIONS  = 64,
  parameter int CONTEXTS = 32,
  parameter int RW       = (REGIONS > 1) ? $clog2(REGIONS) : 1,
  parameter int CW       = (CONTEXTS > 1) ? $clog2(CONTEXTS) : 1
) (
  input  logic                  clk,
  input  logic                  rst,
  input  logic [CONTEXTS-1:0]   ask,      // pulses: a release begins
  input  logic [CONTEXTS-1:0]   ask_only, // pulses: waits for fences already made
  output logic [CONTEXTS-1:0]   pass,     // pulses: what was asked at least a clock before may go on
  output logic                  idle,     // no fence is to be made

  input  logic [REGIONS-1:0]    valid,
  input  logic [REGIONS*CW-1:0] contexts,
  input  logic [REGIONS-1:0]    waiting,  // regions whose fence is not reached

  output logic                  fence_valid,
  output logic [RW-1:0]         fence_region,
  input  logic                  fence_done
);
  localparam int C  = CONTEXTS;
  localparam int R  = REGIONS;
  localparam int CP = (C + 7) / 8 * 8;
  localparam int RP = (R + 7) / 8 * 8;

  // --- fences, a context at a time ---
  typedef enum logic [2:0] {IDLE, OWN, PICK, FENCE, NEXT} state_t;
  state_t        state;
  logic [C-1:0]  todo, fenced, c_one;
  logic [R-1:0]  own;      // regions of the context still to be fenced
  logic [CW-1:0] c;
  logic [CP-1:0] todo_lowest;
  logic [RP-1:0] own_lowest;
  logic [CW-1:0] todo_first;
  logic [RW-1:0] own_first;
  glk_lowest #(.W(CP)) lowest_todo (.bits(CP'(todo)), .lowest(todo_lowest));
  glk_lowest #(.W(RP)) lowest_own (.bits(RP'(own)), .lowest(own_lowest));
  always_comb begin
    todo_first = '0;
    own_first  = '0;
    for (int k = 0; k < C; k = k + 1)
      todo_first = todo_first | (CW'(k) & {CW{todo_lowest[k]}});
    for (int k = 0; k < R; k = k + 1)
      own_first = own_first | (RW'(k) & {RW{own_lowest[k]}});
  end
  assign fence_valid = state == FENCE;

  // --- contexts whose fences are made, in turn: are they reached? ---
  logic [CW-1:0] at;
  logic [C-1:0]  seen_one, passes;
  logic          seen, blocked;
  assign pass = passes & ~todo;

  always_ff @(posedge clk) begin
    case (state)
      IDLE: begin
        c     <= todo_first;
        c_one <= todo_lowest[C-1:0];
        if (|todo)
          state <= OWN;
      end
      OWN: begin
        for (int r = 0; r < R; r = r + 1)
          own[r] <= valid[r] && contexts[r*CW +: CW] == c;
        state <= PICK;
      end
      PICK: begin
        fence_region <= own_first;
        own          <= own & ~own_lowest[R-1:0];
        state        <= |own ? FENCE : NEXT;
      end
      FENCE:
        if (fence_done)
          state <= PICK;
      default:
        state <= IDLE;
    endcase
    todo   <= (todo & ~((state == OWN) ? c_one : '0)) | ask;
    fenced <= (fenced & ~pass) | ((state == NEXT) ? c_one : '0) | ask_only;
    idle   <= state == IDLE && !(|todo) && !(|ask);

    at       <= (32'(at) == C - 1) ? '0 : at + CW'(1);
    blocked  <= 1'b0;
    for (int r = 0; r < R; r = r + 1)
      if (waiting[r] && contexts[r*CW +: CW] == at)
        blocked <= 1'b1;
    for (int k = 0; k < C; k = k + 1) begin
      seen_one[k] <= 32'(at) == k;
      if (32'(at) == k)
        seen <= fenced[k] && !todo[k] && !(state != IDLE && c_one[k]);
    end
    passes <= (seen && !blocked) ? seen_one & fenced : '0;
    if (rst) begin
      state  <= IDLE;
      todo   <= '0;
      fenced <= '0;
      at     <= '0;
      seen   <= 1'b0;
      passes <= '0;
      idle   <= 1'b0;
    end
  end
  wire unused = &{1'b0, todo_lowest, own_lowest};
endmodule
`default_nettype wire
