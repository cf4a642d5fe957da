// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Packs a link word without its CRC (docs/link-format.md, "The link layer"). Combinational.
module glk_link_word_put (
  input  logic [3:0]  flits,
  input  logic [54:0] types,
  input  logic [1:0]  credit_class,
  input  logic [11:0] credit,
  input  logic [9:0]  number,
  input  logic [9:0]  acknowledge,
  input  logic        pass,
  input  logic [1:0]  wanted,
  output logic [95:0] word
);
  assign word = {wanted, pass, acknowledge, number, credit, credit_class, types, flits};
endmodule
`default_nettype wire
