// SPDX-License-Identifier: Apache-2.0
// A number of clocks that runs out: `over` from the clock on that is so many behind the one at which it was set; or at once when it
// was ended.
module glk_link_timer #(
  parameter int W = 32
) (
  input  logic         clk,
  input  logic         set,
  input  logic [W-1:0] clocks, // 1 at least
  input  logic         finish,
  output logic         over
);
  logic [W-1:0] left; // until then
  assign over = left == '0;

  always_ff @(posedge clk)
    if (finish)
      left <= '0;
    else if (set)
      left <= clocks - W'(1);
    else if (!over)
      left <= left - W'(1);
endmodule
