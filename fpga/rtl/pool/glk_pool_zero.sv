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

  output logic [35:0] z_page,
  output logic        z_last,
  output logic        z_valid,
  input  logic        z_ready
);
  localparam int BEATS = 4096 / LANES;
  localparam int BW    = $clog2(BEATS);

  logic [BW-1:0] beat;
  logic [23:0]   left;
  assign z_valid = busy;
  assign z_last  = beat == BW'(BEATS - 1);

  always_ff @(posedge clk) begin
    if (z_valid && z_ready) begin
      beat <= beat + BW'(1);
      if (z_last) begin
        z_page <= z_page + 36'd1;
        left   <= left - 24'd1;
        busy   <= left != 24'd1;
      end
    end
    if (start) begin
      busy   <= 1'b1;
      beat   <= '0;
      z_page <= 36'(first);
      left   <= pages;
    end
    if (rst)
      busy <= 1'b0;
  end
endmodule
`default_nettype wire
