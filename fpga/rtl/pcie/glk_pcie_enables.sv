// SPDX-License-Identifier: Apache-2.0
// Byte enables of a PCIe request's first and last DW. Combinational.
module glk_pcie_enables (
  input  logic       none,   // no byte: a flush read
  input  logic       single, // first and last byte are in one DW: then `last` has to be 0
  input  logic [1:0] from,   // low address bits of the first byte
  input  logic [1:0] to,     // and of the last
  output logic [3:0] first,
  output logic [3:0] last
);
  wire [3:0] up   = 4'b1111 << from;
  wire [3:0] down = 4'b1111 >> ~to;
  assign first = none ? 4'b0 : single ? up & down : up;
  assign last  = (none || single) ? 4'b0 : down;
endmodule
