// SPDX-License-Identifier: Apache-2.0
// What merging a piece into a line changes: how many bytes it overwrites, and how many of the line's runs it touches
// (they and it become one). A piece is one run. Combinational, for glk_write_queue.
module glk_line_change (
  input  logic [127:0] have, // enabled bytes
  input  logic [127:0] mask, // the piece's
  output logic [7:0]   overwritten,
  output logic [6:0]   touched
);
  // Runs that begin in the piece or right behind it, and one that reaches it from the left.
  wire [127:0] begins  = have & ~(have << 1);
  wire [127:0] touches = begins & (mask | (mask << 1));
  wire [127:0] starts  = mask & ~(mask << 1);
  wire         left    = |(have & (starts >> 1));
  // No two neighbouring bytes both begin a run: halves the bits to count.
  logic [63:0] pairs;
  logic [6:0]  begun;
  always_comb
    for (int k = 0; k < 64; k = k + 1)
      pairs[k] = touches[2*k] | touches[2*k+1];

  glk_popcount #(.W(128)) count_bytes (.bits(have & mask), .count(overwritten));
  glk_popcount #(.W(64))  count_runs  (.bits(pairs), .count(begun));
  assign touched = begun + 7'(left);
endmodule
