// SPDX-License-Identifier: Apache-2.0
`default_nettype none
module fifo_bypass (
  input logic clk, input logic rst, input logic [3:0] s_data, input logic s_valid, input logic m_ready
);
  logic [3:0] m_data;
  logic       s_ready, m_valid;
  glk_fifo #(.W(4), .DEPTH(4), .BYPASS(1)) dut (.clk, .rst, .s_data, .s_valid, .s_ready, .m_data, .m_valid, .m_ready);
  stream_check #(.W(4), .PATIENCE(2)) check (.clk, .rst, .s_data, .s_valid, .s_ready, .m_data, .m_valid, .m_ready);
endmodule
`default_nettype wire
