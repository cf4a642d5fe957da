// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Population count. A first level of 6-input LUTs reduces six bits to a 3-bit count (written as tables, so that tools do
// not infer adders); the three weights are then counted recursively. Combinational.
module glk_popcount #(
  parameter int W  = 128,
  parameter int CW = $clog2(W + 1)
) (
  input  logic [W-1:0]  bits,
  output logic [CW-1:0] count
);
  localparam int GROUPS = (W + 5) / 6;
  // Bit x of each table: the respective bit of popcount(x).
  localparam logic [63:0] ONES  = 64'h6996966996696996;
  localparam logic [63:0] TWOS  = 64'h8117177e177e7ee8;
  localparam logic [63:0] FOURS = 64'hfee8e880e8808000;
  wire [GROUPS*6-1:0] padded = (GROUPS*6)'(bits);
  logic [GROUPS-1:0]  ones, twos, fours;
  always_comb
    for (int k = 0; k < GROUPS; k = k + 1) begin
      ones[k]  = ONES[padded[6*k +: 6]];
      twos[k]  = TWOS[padded[6*k +: 6]];
      fours[k] = FOURS[padded[6*k +: 6]];
    end

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
`default_nettype wire
