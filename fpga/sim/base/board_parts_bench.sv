// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// What a board adds to the card, but for the FIFOs: time, stall counters, extended tags, serial number.
/* verilator lint_off DECLFILENAME */
module board_parts_bench (
  input  logic        clk,
  input  logic        rst,
  input  logic        t_clk,
  input  logic        t_rst,
  input  logic        clear,
  input  logic [2:0]  valid,
  input  logic [2:0]  ready,
  input  logic [31:0] cfg_mgmt_read_data,
  input  logic        cfg_mgmt_read_write_done,
  output logic [63:0] now_ns,
  output logic [17:0] moved,
  output logic [17:0] waited,
  output logic [9:0]  cfg_mgmt_addr,
  output logic        cfg_mgmt_read,
  output logic        cfg_ext_tag,
  output logic [63:0] serial
);
  glk_time #(.TICK_NS(10), .TICKS_W(9)) time_ns (.time_clk(t_clk), .time_rst(t_rst), .clk, .now_ns);
  glk_stalls #(.N(3), .W(6)) stalls (.clk, .rst, .clear, .valid, .ready, .moved, .waited);
  glk_pcie_ext_tag #(.PERIOD(16)) tags (
    .clk, .rst, .cfg_mgmt_addr, .cfg_mgmt_read, .cfg_mgmt_read_data, .cfg_mgmt_read_write_done, .cfg_ext_tag);
  glk_board_serial number (.dna_clk(t_clk), .dna_rst(t_rst), .clk, .serial);
endmodule

// The primitive as UG570 describes it: READ loads the identifier, SHIFT brings its next bit, the lowest first.
module DNA_PORTE2 (
  input  logic CLK,
  input  logic DIN,
  input  logic READ,
  input  logic SHIFT,
  output logic DOUT
);
  localparam logic [95:0] IDENTIFIER = 96'hfedc_ba98_7654_3210_0f1e_2d3c;
  logic [95:0] bits;
  assign DOUT = bits[0];
  always_ff @(posedge CLK)
    if (READ)
      bits <= IDENTIFIER;
    else if (SHIFT)
      bits <= {DIN, bits[95:1]};
endmodule
`default_nettype wire
