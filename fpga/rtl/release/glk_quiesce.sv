// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Drains the queues ahead of a change that their contents depend on: sets `pause`, so that only its own flushes enter the
// queues; flushes one partition or all; and asserts `empty` once nothing is in flight to the endpoints, until `finish`.
module glk_quiesce #(
  parameter int PARTITIONS = 16,
  parameter int PW         = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1
) (
  input  logic          clk,
  input  logic          rst,
  input  logic          start,
  input  logic          all,
  input  logic [PW-1:0] partition,
  input  logic [3:0]    reason,
  output logic          empty,
  input  logic          finish,

  output logic          pause,
  output logic [PW-1:0] flush_partition,
  output logic [3:0]    flush_reason,
  output logic          flush_valid,
  input  logic          flush_ready,
  input  logic          quiet
);
  // `quiet` lags behind new work by some clocks, and may miss work that moves between blocks for a clock: EMPTY needs STEADY quiet
  // clocks behind the flushes, or STEADY - SETTLE after others. Work was never seen to be invisible for half of that (below).
  localparam logic [4:0] SETTLE = 5'd16;
  localparam logic [4:0] STEADY = 5'd24;

  typedef enum logic [1:0] {OFF, FLUSH, WAIT, EMPTY} state_t;
  state_t     state;
  logic       last; // last flush
  logic       several;
  logic [4:0] clocks;

  assign flush_valid = state == FLUSH;
  assign empty   = state == EMPTY;
  assign pause   = state != OFF;
  assign last    = !several || flush_partition == PW'(PARTITIONS - 1);

  always_ff @(posedge clk) begin
    case (state)
      OFF: begin
        several     <= all;
        flush_partition <= all ? '0 : partition;
        flush_reason    <= reason;
        if (start)
          state <= FLUSH;
      end
      FLUSH: begin
        clocks <= '0;
        if (flush_ready) begin
          if (last)
            state <= WAIT;
          else
            flush_partition <= flush_partition + PW'(1);
        end
      end
      WAIT: begin
        if (clocks < SETTLE || quiet)
          clocks <= clocks + 5'd1;
        else
          clocks <= SETTLE;
        if (clocks == STEADY)
          state <= EMPTY;
      end
      EMPTY:
        if (finish)
          state <= OFF;
    endcase
    if (rst)
      state <= OFF;
  end

`ifndef SYNTHESIS
  wire        checks;
  logic [4:0] calm; // quiet clocks in a row
  logic       work; // was seen
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk) begin
    calm <= (state != WAIT || !quiet) ? 5'd0 : calm + 5'(calm != 5'd31);
    work <= state == WAIT && (work || !quiet);
    if (checks && state == WAIT && !quiet)
      assert(calm <= (work ? (STEADY - SETTLE) / 5'd2 : STEADY / 5'd2));
    if (checks && state == EMPTY)
      assert(quiet);
  end
`endif
endmodule
`default_nettype wire
