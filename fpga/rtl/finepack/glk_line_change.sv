// SPDX-License-Identifier: Apache-2.0
// What merging a piece into a line changes: how many bytes it overwrites, and how many of the line's runs it touches
// (they and it become one). A piece is one run. Both come as parts that are still to be added, a stage later.
// Combinational, for glk_write_queue.
module glk_line_change (
  input  logic [127:0] have, // enabled bytes
  input  logic [127:0] mask, // the piece's
  output logic [39:0]  overwritten, // eight numbers of 5 bits
  output logic [19:0]  touched,     // four
  output logic         left         // and one more run, that ends where the piece begins
);
  // Runs that begin in the piece or right behind it, and one that reaches it from the left.
  wire [127:0] begins  = have & ~(have << 1);
  wire [127:0] touches = begins & (mask | (mask << 1));
  wire [127:0] starts  = mask & ~(mask << 1);
  wire [127:0] both    = have & mask;
  assign left = |(have & (starts >> 1));
  // No two neighbouring bytes both begin a run: halves the bits to count.
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
