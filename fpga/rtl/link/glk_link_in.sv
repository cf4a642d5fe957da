// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Receive pipeline of the link layer, latency three clocks: numbers data blocks since the last control block, and
// pre-decodes control blocks and their CRC. Loss of signal and link reset travel through the same pipeline.
module glk_link_in (
  input  logic         clk,
  input  logic         rst,

  input  logic [127:0] link_in_data,
  input  logic         link_in_control,
  input  logic         link_in_valid,
  // loss of signal after this block: discards what was received since the last control block
  input  logic         link_in_cut,
  input  logic         link_in_reset, // link reset, takes the place of a block; discards likewise
  input  logic         link_in_refused,

  // Pipeline output
  output logic [127:0] received_data,
  output logic [3:0]   received_index,   // of a data block in its frame; 11 or more: frame too long
  output logic         received_flit,    // data block
  output logic         received_word,    // control block
  output logic         received_fits,    // its flit count matches the data blocks received
  output logic         received_some,    // at least one data block was received
  output logic [31:0]  received_differs, // received CRC XOR computed CRC; equals the XORed session numbers if valid
  output logic         received_cut,
  output logic         received_reset,
  output logic         received_refused
);
  // --- pipeline ---
  logic [127:0] a_data, b_data;
  logic         a_control, a_valid, a_cut, a_reset, a_refused, b_control, b_valid, b_cut, b_reset, b_refused;
  wire          b_forget = b_cut || b_reset || b_refused;
  logic [31:0]  check;
  logic [3:0]   count; // data blocks before b, saturates at 12

  glk_link_crc crc (.clk, .rst, .s_data(a_data), .s_control(a_control), .s_valid(a_valid), .forget(b_forget), .check);

  always_ff @(posedge clk) begin
    a_data    <= link_in_data;
    a_control <= link_in_control;
    a_valid   <= link_in_valid && !link_in_reset && !link_in_refused;
    a_cut     <= link_in_cut;
    a_reset   <= link_in_reset;
    a_refused <= link_in_refused;

    b_data    <= a_data;
    b_control <= a_control;
    b_valid   <= a_valid;
    b_cut     <= a_cut;
    b_reset   <= a_reset;
    b_refused <= a_refused;
    if (b_forget || (b_valid && b_control))
      count <= 4'd0;
    else if (b_valid && count != 4'd12)
      count <= count + 4'd1;

    received_data    <= b_data;
    received_index   <= count;
    received_flit    <= b_valid && !b_control;
    received_word    <= b_valid && b_control;
    received_fits    <= b_data[3:0] == count && count != 4'd12;
    received_some    <= count != 4'd0;
    received_differs <= check ^ b_data[127:96];
    received_cut     <= b_cut;
    received_reset   <= b_reset;
    received_refused <= b_refused;
    if (rst) begin
      {a_valid, a_cut, a_reset, a_refused} <= '0;
      {b_valid, b_cut, b_reset, b_refused} <= '0;
      {received_flit, received_word, received_cut, received_reset, received_refused} <= '0;
      count <= 4'd0;
    end
  end
endmodule
`default_nettype wire
