// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Simulation and proofs only: `on` after the first reset and outside of one, when assertions hold. A clock may run before.
module glk_after_reset (
  input  logic clk,
  input  logic rst,
  output logic on
);
  logic seen = 1'b0;
  always_ff @(posedge clk)
    if (rst)
      seen <= 1'b1;
  assign on = seen && !rst;
endmodule
`default_nettype wire
