// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Registers of the regions that software writes, 32 words each, in block RAM: 0 CONTROL, 1 SOURCE, 2 BYTES, 3 CHUNKS, 4
// EXPECTED, 5 RECORD, 8 to 15 windows of the targets, 16 to 23 their offsets, 24 to 31 their signals.
module glk_region_table #(
  parameter int REGIONS = 64,
  parameter int RW      = (REGIONS > 1) ? $clog2(REGIONS) : 1
) (
  input  logic          clk,

  // Two ports; words one clock later
  input  logic          a_write,
  input  logic [RW-1:0] a_region,
  input  logic [4:0]    a_slot,
  input  logic [63:0]   a_data,
  output logic [63:0]   a_q,
  input  logic [RW-1:0] b_region,
  input  logic [4:0]    b_slot,
  output logic [63:0]   b_q
);
  (* ram_style = "block" *) logic [63:0] words [0:(1<<(RW+5))-1];

  always_ff @(posedge clk) begin
    if (a_write)
      words[{a_region, a_slot}] <= a_data;
    a_q <= words[{a_region, a_slot}];
    b_q <= words[{b_region, b_slot}];
  end
endmodule
`default_nettype wire
