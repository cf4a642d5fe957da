// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Simulation and proofs only: `on` after the first reset and outside of one, when assertions hold. Clocks may run before.
// There, the reset of an inner block may also be the pulse of an outer one that is not reset yet: in simulation it takes three
// clocks.
module glk_after_reset (
  input  logic clk,
  input  logic rst,
  output logic on
);
`ifdef FORMAL
  localparam logic [1:0] CLOCKS = 2'd0;
`else
  localparam logic [1:0] CLOCKS = 2'd2;
`endif
  logic       seen = 1'b0;
  logic [1:0] clocks = 2'd0; // of this reset, so far
  always_ff @(posedge clk) begin
    clocks <= rst ? clocks + 2'(clocks != 2'd3) : 2'd0;
    if (rst && clocks >= CLOCKS)
      seen <= 1'b1;
  end
  assign on = seen && !rst;
endmodule
`default_nettype wire
