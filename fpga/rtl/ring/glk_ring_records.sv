// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Walks over the records of an entry in the data buffer, twice: in the first pass all are checked, in the second they are
// executed.
//
// Records of a put vector are headers with data behind them; while one is executed the header of the next is read. Those of a
// renewal are two words, the second read only in the second pass.
module glk_ring_records (
  input  logic        clk,
  input  logic        rst,

  // Entry
  input  logic        start,
  input  logic        renews,  // a renewal, otherwise a put vector
  input  logic [16:0] bytes,   // of all records

  // Next record, while `run`; `run` may end without one unless `waits`
  input  logic        run,
  output logic        waits,  // for a header, and checks it
  output logic        over,   // the pass is
  output logic        bad,    // the header
  output logic        found,  // in this clock, or when `asks` and range_ready
  output logic [15:0] at,     // of the header, from the first record
  output logic [63:0] head,   // a renewal's stays until its next record
  output logic        second, // head is the second word

  // Headers, from the data mover
  output logic        asks,
  input  logic        range_ready,
  input  logic [63:0] head_data,
  input  logic        head_now
);
  typedef enum logic [1:0] {REST, HEAD, CHECK, AHEAD} state_t;
  state_t state;

  logic        renewal, executes;
  logic        asked, valid;
  logic        following;    // the requested header is of the next record
  logic [16:0] begun, left, span;
  wire  [16:0] size   = {span[16:3], 3'b000};
  wire         wanted = !following || left >= 17'd8;
  wire         read   = state == HEAD && valid && renewal && (second || !executes); // of a renewal: all that this pass needs

  assign waits = state == HEAD || state == CHECK;
  assign over  = state == REST && left == 17'd0;
  assign bad   = (state == REST && left != 17'd0 && left < 17'd8) ||
                 (state == CHECK && (head[63:48] == 16'd0 || head[63:48] > 16'd4096 || size > left));
  assign found = read || (state == AHEAD && following);
  assign asks  = (state == AHEAD && wanted) || (state == REST && renewal && left != 17'd0);
  assign at    = begun[15:0] | {12'd0, second, 3'd0};

  always_ff @(posedge clk) begin
    if (head_now) begin
      head  <= head_data;
      valid <= 1'b1;
    end
    span <= renewal ? 17'd16 : {1'b0, head[63:48]} + 17'd15; // header and data, rounded up
    if (read || (state == CHECK && run)) begin
      begun <= begun + size;
      left  <= left - size;
    end
    if (run)
      unique case (state)
        REST: begin
          following <= 1'b0;
          if (left == 17'd0) begin
            executes <= 1'b1;
            begun    <= 17'd0;
            left     <= bytes;
          end else if (!renewal)
            state <= asked ? HEAD : AHEAD;
          else if (range_ready)
            state <= HEAD;
        end
        HEAD:
          if (valid) begin
            valid  <= 1'b0;
            asked  <= 1'b0;
            second <= renewal && executes && !second;
            state  <= renewal ? REST : CHECK;
          end
        CHECK: begin
          following <= 1'b1;
          state     <= AHEAD;
        end
        AHEAD: // the header at `at` is requested: of the first record, or of the one after the current
          if (!wanted || range_ready) begin
            asked <= wanted;
            state <= following ? REST : HEAD;
          end
        default: state <= REST;
      endcase
    if (start || rst) begin
      state    <= REST;
      renewal  <= renews;
      executes <= 1'b0;
      asked    <= 1'b0;
      valid    <= 1'b0;
      second   <= 1'b0;
      begun    <= 17'd0;
      left     <= bytes;
    end
  end

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk)
    if (checks)
      begin : head_when_empty assert (!head_now || !valid); end
`endif

  wire unused = &{1'b0, begun[16], span[2:0]};
endmodule
`default_nettype wire
