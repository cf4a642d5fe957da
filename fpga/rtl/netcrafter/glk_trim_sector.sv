// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Decodes the sector of a line from bits 63:48 of a read request's "where" field (docs/link-format.md, "Where"), in words
// of 4 bytes. Combinational.
module glk_trim_sector (
  input  logic [15:0] asked,
  output logic        good,  // no reserved bits set
  output logic [3:0]  first, // of the sector; 0 for a full line
  output logic [4:0]  words
);
  wire       all = asked == 16'd0;
  wire [1:0] code = asked[2:1]; // 16, 4, 8, 32 bytes
  wire [3:0] which = asked[6:3];
  logic      fits;

  always_comb begin
    case (code)
      2'd0:    {fits, first, words} = {which[3:2] == 2'd0, which[1:0], 2'b0, 5'd4};
      2'd1:    {fits, first, words} = {1'b1, which, 5'd1};
      2'd2:    {fits, first, words} = {!which[3], which[2:0], 1'b0, 5'd2};
      default: {fits, first, words} = {which[3:1] == 3'd0, which[0], 3'b0, 5'd8};
    endcase
    if (all)
      words = 5'd16;
  end
  assign good = all || (asked[0] && asked[15:7] == 9'd0 && fits);
endmodule
`default_nettype wire
