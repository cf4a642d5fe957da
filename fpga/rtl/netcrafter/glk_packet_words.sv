// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Packet length in words of 4 bytes, from kind and first word; 0 if the header is invalid. Combinational.
module glk_packet_words (
  input  logic [3:0]  kind,
  input  logic [31:0] start,
  output logic [10:0] words
);
  wire [9:0] dwords = {start[17:16], start[31:24]}; // payload length of a FinePack packet in DWs; 0: 1024
  wire [3:0] status = start[15:12];

  logic [4:0] own; // length of the other kinds
  always_comb begin
    own = 5'd0;
    case (32'(kind))
      glk_flit::READ_RESPONSE:
        case (status)
          4'd0:       own = 5'd17; // full line
          4'd1, 4'd2: own = 5'd1;  // refused or failed: no data
          4'd8:       own = 5'd5;  // trimmed to 16, 4, 8 or 32 bytes
          4'd9:       own = 5'd2;
          4'd10:      own = 5'd3;
          4'd11:      own = 5'd9;
          default:    own = 5'd0;
        endcase
      glk_flit::WRITE_REQUEST:  own = 5'd19;
      glk_flit::ATOMIC_REQUEST: own = 5'd7;
      glk_flit::READ_REQUEST, glk_flit::TRANSLATION_REQUEST, glk_flit::TRANSLATION_RESPONSE, glk_flit::RELEASE,
      glk_flit::ATOMIC_RESPONSE: own = 5'd3;
      glk_flit::WRITE_RESPONSE, glk_flit::RELEASED: own = 5'd1;
      default: own = 5'd0;
    endcase
    if (32'(kind) == glk_flit::FINEPACK)
      words = {dwords == 10'd0, dwords} + 11'd4;
    else
      words = (start[4:0] == {1'b0, kind}) ? 11'(own) : 11'd0;
  end
endmodule
`default_nettype wire
