// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// CRC-32C of the link layer, one 128-bit block per clock. For a control block, `check` (one clock of latency) covers the
// data blocks since the previous control block and the first 12 bytes of the control block itself.
//
// The contribution of the input data is pipelined; the feedback loop contains only the 32-bit state, advanced by one block.
module glk_link_crc (
  input  logic         clk,
  input  logic         rst,
  input  logic [127:0] s_data,
  input  logic         s_control,
  input  logic         s_valid,
  input  logic         forget, // discards the data blocks received until one clock ago
  output logic [31:0]  check   // CRC for the block of the previous clock, if that was a control block
);
  localparam logic [31:0] POLYNOMIAL = 32'h82f63b78; // Castagnoli, reflected

  // CRC of each single-bit 16-byte block with a zero initial state, 32 bits each, bit 0 of the block lowest.
  function [32*128-1:0] columns(input logic [31:0] last);
    logic [31:0] c;
    begin
      c = last;
      for (int n = 127; n >= 0; n = n - 1) begin
        columns[32*n +: 32] = c;
        c = {1'b0, c[31:1]} ^ (c[0] ? last : 32'd0);
      end
    end
  endfunction
  localparam logic [32*128-1:0] COLUMNS = columns(POLYNOMIAL);

  logic [31:0] of_block, of_word;        // contribution of the full block and of its first 12 bytes
  logic [31:0] state, moved, moved_word; // state advanced by 16 and by 12 bytes; the state is XORed into the first 4 bytes
  logic [31:0] add_block, add_word;
  logic        control, valid;
  generate
    for (genvar b = 0; b < 32; b = b + 1) begin : bit_of
      wire [127:0] row;
      for (genvar n = 0; n < 128; n = n + 1) begin : from
        assign row[n] = COLUMNS[32*n + b];
      end
      assign add_block[b]  = ^(s_data & row);
      assign add_word[b]   = ^(s_data[95:0] & row[127:32]);
      assign moved[b]      = ^(state & row[31:0]);
      assign moved_word[b] = ^(state & row[63:32]);
    end
  endgenerate

  assign check = ~(of_word ^ moved_word);

  always_ff @(posedge clk) begin
    of_block <= add_block;
    of_word  <= add_word;
    control  <= s_control;
    valid    <= s_valid;
    if (valid)
      state <= control ? '1 : of_block ^ moved;
    if (forget)
      state <= '1;
    if (rst) begin
      valid <= 1'b0;
      state <= '1;
    end
  end
endmodule
`default_nettype wire
