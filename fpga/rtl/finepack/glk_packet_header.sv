// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// The header of a packet (docs/wire-format.md, "The packet"), byte 0 lowest. Combinational.
module glk_packet_header (
  input  logic [12:0]  payload,
  input  logic [47:0]  base,            // of the window
  input  logic [7:0]   partition,
  input  logic [2:0]   subheader_bytes, // as First BE has it
  input  logic         compact,         // the compact form, or a single run
  input  logic [8:0]   code,            // then bits 2:0 of First BE, bits 5:0 of Tag
  input  logic [37:0]  first,           // and the address of the first run, in the window
  output logic [127:0] header
);
  wire [10:0] dwords   = 11'((payload + 13'd3) >> 2);
  wire [1:0]  tail     = payload[1:0];
  wire [3:0]  last_be  = (tail == 2'd0) ? 4'hf : (tail == 2'd1) ? 4'h1 : (tail == 2'd2) ? 4'h3 : 4'h7;
  wire [47:0] address  = compact ? {base[47:38], first[37:2], 2'b0} : base;
  wire [7:0]  tag      = compact ? {first[1:0], code[5:0]} : 8'h00;
  wire [3:0]  first_be = compact ? {1'b1, code[8:6]} : {1'b0, subheader_bytes};
  // The address is big-endian.
  assign header = {address[7:0], address[15:8], address[23:16], address[31:24], address[39:32], address[47:40], partition,
                   8'h00,
                   last_be, first_be, tag, 16'h0000,
                   dwords[7:0], 6'b0, dwords[9:8], 8'h00, 8'h7c};
endmodule
`default_nettype wire
