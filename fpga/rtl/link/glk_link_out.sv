// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Transmit pipeline of the link layer, latency four clocks: selects the block and inserts the CRC into link words.
module glk_link_out (
  input  logic         clk,
  input  logic         rst,

  // Transmit decision of this clock, at most one
  input  logic         s_flit,   // data block s_data
  input  logic         s_word,   // link word s_data[95:0]; its CRC is XORed with s_pair
  input  logic         s_again,  // data block from the replay buffer, which arrives in the next clock
  input  logic         s_break,  // control block of zeros: terminates a broken-off frame
  input  logic [127:0] s_data,
  input  logic [31:0]  s_pair,   // session numbers, own in the low half; 0 for hello and ready
  input  logic [127:0] again,

  output logic [127:0] link_out_data,
  output logic         link_out_control,
  output logic         link_out_valid
);
  logic [127:0] a_data, b_data, c_data;
  logic         a_control, a_break, a_valid, a_again, b_control, b_break, b_valid, c_control, c_break, c_valid;
  logic [31:0]  a_pair, b_pair, c_pair, check;

  glk_link_crc crc (.clk, .rst, .s_data(b_data), .s_control(b_control), .s_valid(b_valid), .forget(1'b0), .check);

  always_ff @(posedge clk) begin
    a_data    <= s_data;
    a_pair    <= s_pair;
    a_control <= s_word || s_break;
    a_break   <= s_break;
    a_again   <= s_again;
    a_valid   <= s_flit || s_word || s_again || s_break;

    b_data    <= a_again ? again : a_break ? '0 : a_data;
    b_pair    <= a_pair;
    b_control <= a_control;
    b_break   <= a_break;
    b_valid   <= a_valid;

    c_data    <= b_data;
    c_pair    <= b_pair;
    c_control <= b_control;
    c_break   <= b_break;
    c_valid   <= b_valid;

    link_out_data    <= c_data;
    if (c_control && !c_break)
      link_out_data[127:96] <= check ^ c_pair;
    link_out_control <= c_control;
    link_out_valid   <= c_valid;
    if (rst) begin
      a_valid <= 1'b0;
      b_valid <= 1'b0;
      c_valid <= 1'b0;
      link_out_valid <= 1'b0;
    end
  end
endmodule
`default_nettype wire
