// SPDX-License-Identifier: Apache-2.0
// Number of set bits. Six bits give three in one level of 6-input LUTs; the threes are added in a tree. Combinational.
module glk_popcount #(
  parameter int W  = 128,
  parameter int CW = $clog2(W + 1)
) (
  input  logic [W-1:0]  bits,
  output logic [CW-1:0] count
);
  localparam int GROUPS = (W + 5) / 6;
  wire [GROUPS*6-1:0] padded = (GROUPS*6)'(bits);
  logic [GROUPS-1:0]  ones, twos, fours;
  always_comb
    for (int k = 0; k < GROUPS; k = k + 1)
      {fours[k], twos[k], ones[k]} = 3'(padded[6*k]) + 3'(padded[6*k+1]) + 3'(padded[6*k+2]) +
                                     3'(padded[6*k+3]) + 3'(padded[6*k+4]) + 3'(padded[6*k+5]);

  // The three weights are counted for themselves, then added.
  generate
    if (GROUPS > 1) begin : more
      localparam int GW = $clog2(GROUPS + 1);
      logic [GW-1:0] n1, n2, n4;
      glk_popcount #(.W(GROUPS)) p1 (.bits(ones), .count(n1));
      glk_popcount #(.W(GROUPS)) p2 (.bits(twos), .count(n2));
      glk_popcount #(.W(GROUPS)) p4 (.bits(fours), .count(n4));
      assign count = CW'(n1) + (CW'(n2) << 1) + (CW'(n4) << 2);
    end else begin : last
      assign count = CW'({fours, twos, ones});
    end
  endgenerate
endmodule
