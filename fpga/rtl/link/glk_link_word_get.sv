// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Unpacks a link word without its CRC, and checks its format (docs/link-format.md, "The link layer"). Combinational.
module glk_link_word_get (
  input  logic [95:0] word,
  output logic [3:0]  flits,
  output logic [54:0] types,
  output logic [1:0]  credit_class,
  output logic [11:0] credit,
  output logic [9:0]  number,
  output logic [9:0]  acknowledge,
  output logic        pass,
  output logic [1:0]  wanted,
  output logic        types_right, // type fields of absent flits are 0
  output logic        plain        // fields as in a hello: no types, no credit, no numbers
);
  assign {wanted, pass, acknowledge, number, credit, credit_class, types, flits} = word;

  logic [10:0] beyond;
  always_comb
    for (int n = 0; n < 11; n = n + 1)
      beyond[n] = 4'(n) >= flits && types[5*n +: 5] != 5'd0;
  assign types_right = beyond == '0;
  assign plain = types == '0 && credit_class == 2'd3 && credit == '0 && number == '0 && acknowledge == '0;
endmodule
`default_nettype wire
