// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Drains the queues ahead of a change that their contents depend on: sets `pause`, so that only its own flushes enter the
// queues; flushes one partition or all; and asserts `empty` once nothing is in flight to the endpoints, until `finish`.
// `quiet` covers an item without a gap, from glk_store_mux until its packets have arrived. So no clocks are counted here.
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
  input  logic          quiet // nothing is in flight; low from the clock behind the acceptance of a flush
);
  typedef enum logic [1:0] {OFF, FLUSH, WAIT, EMPTY} state_t;
  state_t     state;
  logic       last; // last flush
  logic       several;

  assign flush_valid = state == FLUSH;
  assign empty       = state == EMPTY;
  assign pause       = state != OFF;
  assign last        = !several || flush_partition == PW'(PARTITIONS - 1);

  always_ff @(posedge clk) begin
    case (state)
      OFF: begin
        several         <= all;
        flush_partition <= all ? '0 : partition;
        flush_reason    <= reason;
        if (start)
          state <= FLUSH;
      end
      FLUSH:
        if (flush_ready) begin
          if (last)
            state <= WAIT;
          else
            flush_partition <= flush_partition + PW'(1);
        end
      WAIT:
        if (quiet)
          state <= EMPTY;
      EMPTY:
        if (finish)
          state <= OFF;
    endcase
    if (rst)
      state <= OFF;
  end

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk)
    if (checks && state == EMPTY)
      begin : nothing_follows_pause assert(quiet); end // `pause` lets nothing follow (proof: fpga/sim/formal/quiet.sv)
`endif
endmodule
`default_nettype wire
