// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Position of the highest set bit; 0 if none is set. Two-level search as in glk_lowest. Combinational.
module glk_log2 #(
  parameter int W  = 38,
  parameter int LW = $clog2(W)
) (
  input  logic [W-1:0]  bits,
  output logic [LW-1:0] log2
);
  localparam int GROUPS = (W + 7) / 8;
  wire [GROUPS*8-1:0]  padded = (GROUPS*8)'(bits);
  logic [GROUPS-1:0]   any, last;
  logic [GROUPS*3-1:0] place; // the highest of each group
  logic [GROUPS*8-1:0] one;    // and as one bit
  logic [LW-1:0]       sum;
  always_comb begin
    for (int g = 0; g < GROUPS; g = g + 1)
      any[g] = |padded[8*g +: 8];
    for (int g = 0; g < GROUPS; g = g + 1)
      last[g] = ~|(any >> (g + 1));
    for (int k = 0; k < GROUPS*8; k = k + 1)
      one[k] = padded[k] & ~|(padded[8*(k/8) +: 8] >> (k % 8 + 1));
    for (int g = 0; g < GROUPS; g = g + 1)
      place[3*g +: 3] = {|one[8*g+4 +: 4], |(one[8*g +: 8] & 8'hcc), |(one[8*g +: 8] & 8'haa)};
    sum = '0;
    for (int g = 0; g < GROUPS; g = g + 1)
      sum = sum | ((any[g] && last[g]) ? LW'({g, place[3*g +: 3]}) : '0);
    log2 = sum;
  end
endmodule
`default_nettype wire
