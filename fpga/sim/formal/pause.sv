// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// The multiplexer of the queues while a drain or a reset pauses it, with any sources, requests and back-pressure. Asserted
// under PAUSED: from the second clock of `pause` on, items begin only if they are flushes of the registers. Without
// back-pressure a beat of an item in progress, or else such a flush, waits for at most one clock.
// Under REACHED the negated covers are asserted; each must fail.
module pause (
  input logic       clk,
  input logic       paused,
  input logic [5:0] valid,
  input logic [2:0] last,
  input logic       out
);
  localparam logic [5:0] REGISTERS = 6'b010000;
  logic past_reset = 1'b0;
  always_ff @(posedge clk) past_reset <= 1'b1;

  logic [5:0] ready;
  glk_store_mux #(.DATA_W(128), .PARTITIONS(1), .CONTEXTS(1)) dut (
    .clk, .rst(!past_reset), .pause(paused), .cfg_max_payload_bytes(13'd128),
    .aperture_probe(1'b0), .aperture_partition(1'b0), .aperture_offset(48'd0), .aperture_length(13'd4), .aperture_context(1'b0),
    .aperture_data(128'd0), .aperture_last(last[0]), .aperture_valid(valid[0]), .aperture_ready(ready[0]),
    .ring_probe(1'b0), .ring_reason(4'd0), .ring_partition(1'b0), .ring_offset(48'd0), .ring_length(13'd4), .ring_context(1'b0),
    .ring_data(128'd0), .ring_last(last[1]), .ring_valid(valid[1]), .ring_ready(ready[1]),
    .region_flush(1'b0), .region_partition(1'b0), .region_offset(48'd0), .region_length(13'd4), .region_context(1'b0),
    .region_data(128'd0), .region_last(last[2]), .region_valid(valid[2]), .region_ready(ready[2]),
    .release_none(1'b0), .release_token(1'b1), .release_owned(1'b1), .release_partition(1'b0), .release_context(1'b0),
    .release_reason(4'd0), .release_valid(valid[3]), .release_ready(ready[3]),
    .register_partition(1'b0), .register_reason(4'd0), .register_valid(valid[4]), .register_ready(ready[4]),
    .timeout_partition(1'b0), .timeout_valid(valid[5]), .timeout_ready(ready[5]),
    .m_kind(), .m_partition(), .m_address(), .m_length(), .m_reason(), .m_context(), .m_owned(), .m_token(), .m_data(),
    .m_valid(), .m_ready(out), .idle(),
    .store_valid(), .store_partition(), .store_context(), .cost_valid(), .cost_partition(), .cost_context(), .cost_length(),
    .cost_raw());

  wire  [5:0] taken = valid & ready & {6{past_reset}};
  logic [5:0] source  = 6'd0;    // of the item in progress: more beats of it follow
  wire        inside = |source;
  logic       was_paused = 1'b0; // in the clock before
  logic [2:0] waited  = 3'd0;    // clocks, a flush
  logic [2:0] stopped = 3'd0;    // clocks, a beat of the item in progress
  always_ff @(posedge clk) begin
    was_paused <= paused && past_reset;
    waited     <= (valid[4] && !ready[4] && paused && was_paused && !inside && out) ? waited + 3'd1 : 3'd0;
    stopped    <= (|(source & valid & ~ready) && out) ? stopped + 3'd1 : 3'd0;
    if (|taken)
      source <= taken & {3'd0, ~last};
  end

  always_ff @(posedge clk)
    if (past_reset) begin
`ifdef PAUSED
      assert(waited <= 3'd1);
      assert(stopped <= 3'd1);
      assert(!was_paused || inside || (taken & ~REGISTERS) == '0);
`endif
`ifdef REACHED
      assert(!(was_paused && inside && |taken));
      assert(!(was_paused && |(taken & REGISTERS)));
      assert(!(was_paused && paused && valid == ~REGISTERS && !inside));
`endif
    end
endmodule
`default_nettype wire
