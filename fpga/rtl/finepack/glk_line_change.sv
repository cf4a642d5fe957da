// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Effect of merging a piece (one contiguous run) into a line: bytes overwritten, and existing runs touched, which merge
// with it into one. Both are returned as partial sums, added one stage later. Combinational, for glk_write_queue.
module glk_line_change (
  input  logic [127:0] have, // enabled bytes of the line
  input  logic [127:0] mask, // bytes of the piece
  output logic [39:0]  overwritten, // eight partial sums of 5 bits
  output logic [19:0]  touched,     // four partial sums of 5 bits
  output logic         left         // one more run, ending where the piece begins
);
  // Runs that begin within the piece or directly after it, and one that reaches it from the left.
  wire [127:0] begins  = have & ~(have << 1);
  wire [127:0] touches = begins & (mask | (mask << 1));
  wire [127:0] starts  = mask & ~(mask << 1);
  wire [127:0] both    = have & mask;
  assign left = |(have & (starts >> 1));
  // Adjacent bytes cannot both begin a run, which halves the bits to count.
  logic [63:0] pairs;
  always_comb
    for (int k = 0; k < 64; k = k + 1)
      pairs[k] = touches[2*k] | touches[2*k+1];

  genvar g;
  generate
    for (g = 0; g < 8; g = g + 1) begin : part
      glk_popcount #(.W(16)) count_bytes (.bits(both[16*g +: 16]), .count(overwritten[5*g +: 5]));
    end
    for (g = 0; g < 4; g = g + 1) begin : half
      glk_popcount #(.W(16)) count_runs (.bits(pairs[16*g +: 16]), .count(touched[5*g +: 5]));
    end
  endgenerate
endmodule
`default_nettype wire
