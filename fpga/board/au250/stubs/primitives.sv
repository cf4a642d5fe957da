// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Primitives of UltraScale+ that the top instantiates, as much of their function as elaboration needs. Written from UG974
// (UltraScale architecture libraries guide) and UG570 (DNA_PORTE2).
/* verilator lint_off DECLFILENAME */
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off UNUSEDPARAM */
module IBUFDS (
  input  logic I,
  input  logic IB,
  output logic O
);
  assign O = I;
endmodule
module BUFGCE_DIV #(
  parameter int BUFGCE_DIVIDE = 1
) (
  input  logic I,
  input  logic CE,
  input  logic CLR,
  output logic O
);
  assign O = I && CE && !CLR;
endmodule
module IBUFDS_GTE4 #(
  parameter logic [1:0] REFCLK_HROW_CK_SEL = 2'b00
) (
  input  logic I,
  input  logic IB,
  input  logic CEB,
  output logic O,
  output logic ODIV2
);
  assign O     = I && !CEB;
  assign ODIV2 = I && !CEB;
endmodule
module DNA_PORTE2 (
  input  logic CLK,
  input  logic DIN,
  input  logic READ,
  input  logic SHIFT,
  output logic DOUT
);
  assign DOUT = DIN;
endmodule
`default_nettype wire
