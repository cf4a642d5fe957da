// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Counts, for each of some ready/valid streams, clocks in which a beat moved and clocks in which one waited. Counters stop at
// their maximum.
module glk_stalls #(
  parameter int N = 1,
  parameter int W = 32
) (
  input  logic           clk,
  input  logic           rst,
  input  logic           clear,
  input  logic [N-1:0]   valid,
  input  logic [N-1:0]   ready,
  output logic [N*W-1:0] moved,
  output logic [N*W-1:0] waited
);
  logic [N-1:0] moves, waits;
  always_ff @(posedge clk) begin
    moves <= valid & ready;
    waits <= valid & ~ready;
    for (int i = 0; i < N; i = i + 1) begin
      if (moves[i] && moved[W*i +: W] != '1)
        moved[W*i +: W] <= moved[W*i +: W] + W'(1);
      if (waits[i] && waited[W*i +: W] != '1)
        waited[W*i +: W] <= waited[W*i +: W] + W'(1);
    end
    if (rst || clear) begin
      moves  <= '0;
      waits  <= '0;
      moved  <= '0;
      waited <= '0;
    end
  end
endmodule
`default_nettype wire
