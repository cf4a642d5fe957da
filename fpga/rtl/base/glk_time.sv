// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Time in nanoseconds from a clock that never stops, in another clock domain: monotonic, in steps of a tick. The tick counter
// crosses in Gray code. Some clocks behind.
module glk_time #(
  parameter int TICK_NS = 10, // period of time_clk
  parameter int TICKS_W = 56
) (
  input  logic        time_clk,
  input  logic        time_rst, // at power-up
  input  logic        clk,
  output logic [63:0] now_ns
);
  logic [TICKS_W-1:0] ticks, ticks_gray, gray, bits, now;
  always_ff @(posedge time_clk) begin
    ticks      <= ticks + TICKS_W'(1);
    ticks_gray <= ticks ^ (ticks >> 1);
    if (time_rst) begin
      ticks      <= '0;
      ticks_gray <= '0;
    end
  end

  glk_synchronizer #(.W(TICKS_W)) crossing (.clk, .d(ticks_gray), .q(gray));

  always_comb begin // each bit is the parity of the bits above
    bits = gray;
    for (int i = 0; i < $clog2(TICKS_W); i = i + 1)
      bits = bits ^ (bits >> (1 << i));
  end
  always_ff @(posedge clk) begin
    now    <= bits;
    now_ns <= 64'(now) * 64'(TICK_NS);
  end
endmodule
`default_nettype wire
