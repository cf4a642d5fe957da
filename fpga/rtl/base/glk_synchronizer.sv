// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Two flip-flops that bring bits of another clock domain into this one. The input is the output of a flip-flop, and at most one
// bit of a vector changes per clock of its domain, or its value does not matter while more do. No reset: the output is defined
// two clocks after the input. Timing constraint: glk_synchronizer.xdc.
module glk_synchronizer #(
  parameter int W = 1
) (
  input  logic         clk,
  input  logic [W-1:0] d, // of another clock domain
  output logic [W-1:0] q
);
  (* ASYNC_REG = "TRUE", shreg_extract = "no" *) logic [W-1:0] first, second;

  always_ff @(posedge clk) begin
    first  <= d;
    second <= first;
  end
  assign q = second;
endmodule
`default_nettype wire
