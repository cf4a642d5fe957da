// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Isolates the lowest set bit (one-hot, or 0 if none is set). Two-level search: groups of 8 and bits within a group in
// parallel. Combinational.
module glk_lowest #(
  parameter int W = 128 // multiple of 8
) (
  input  logic [W-1:0] bits,
  output logic [W-1:0] lowest
);
  localparam int GROUPS = W / 8;
  logic [GROUPS-1:0] any, first;
  always_comb begin
    for (int k = 0; k < GROUPS; k = k + 1)
      any[k] = |bits[8*k +: 8];
    for (int k = 0; k < GROUPS; k = k + 1)
      first[k] = ~|(any & GROUPS'((64'd1 << k) - 64'd1));
    for (int k = 0; k < W; k = k + 1)
      lowest[k] = bits[k] & first[k/8] & ~|(bits[8*(k/8) +: 8] & 8'((16'd1 << (k % 8)) - 16'd1));
  end
endmodule
`default_nettype wire
