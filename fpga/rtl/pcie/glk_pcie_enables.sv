// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// First and last DW byte enables of a PCIe memory request. Combinational.
module glk_pcie_enables (
  input  logic       none,   // zero-length read: no byte enabled
  input  logic       single, // first and last byte in the same DW: `last` is 0
  input  logic [1:0] from,   // low address bits of the first byte
  input  logic [1:0] to,     // low address bits of the last byte
  output logic [3:0] first,
  output logic [3:0] last
);
  wire [3:0] up   = 4'b1111 << from;
  wire [3:0] down = 4'b1111 >> ~to;
  assign first = none ? 4'b0 : single ? up & down : up;
  assign last  = (none || single) ? 4'b0 : down;
endmodule
`default_nettype wire
