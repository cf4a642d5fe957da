// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// One-shot timer: `over` is high from `clocks` clocks after `set` on, or from the clock after `finish`.
module glk_link_timer #(
  parameter int W = 32
) (
  input  logic         clk,
  input  logic         set,
  input  logic [W-1:0] clocks, // at least 1
  input  logic         finish,
  output logic         over
);
  logic [W-1:0] left; // clocks until then
  assign over = left == '0;

  always_ff @(posedge clk)
    if (finish)
      left <= '0;
    else if (set)
      left <= clocks - W'(1);
    else if (!over)
      left <= left - W'(1);
endmodule
`default_nettype wire
