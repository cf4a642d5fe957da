// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Stores zeros to pages of the pool (TSU.CLEAR).
module glk_pool_zero #(
  parameter int DATA_W = 512,
  parameter int LANES  = DATA_W / 8
) (
  input  logic        clk,
  input  logic        rst,
  input  logic        start,
  input  logic [23:0] first,
  input  logic [23:0] pages,
  output logic        busy,

  output logic [35:0] zero_page,
  output logic        zero_last,
  output logic        zero_valid,
  input  logic        zero_ready
);
  localparam int BEATS = 4096 / LANES;
  localparam int BW    = $clog2(BEATS);

  logic [BW-1:0] beat;
  logic [23:0]   left;
  assign zero_valid = busy;
  assign zero_last  = beat == BW'(BEATS - 1);

  always_ff @(posedge clk) begin
    if (zero_valid && zero_ready) begin
      beat <= beat + BW'(1);
      if (zero_last) begin
        zero_page <= zero_page + 36'd1;
        left      <= left - 24'd1;
        busy      <= left != 24'd1;
      end
    end
    if (start) begin
      busy      <= 1'b1;
      beat      <= '0;
      zero_page <= 36'(first);
      left      <= pages;
    end
    if (rst)
      busy <= 1'b0;
  end
endmodule
`default_nettype wire
