// SPDX-License-Identifier: Apache-2.0
// The receiving side: of the words of a session that come, which frames are taken, and what is missing.
// fpga/model/link/link_receive.c says the same.
module glk_link_receive (
  input  logic       clk,
  input  logic       clear,   // a session is over
  input  logic       stop,    // the link goes down

  input  logic       word,    // one that is right
  input  logic       wrong,   // one that is not, behind data blocks
  input  logic [3:0] flits,
  input  logic [9:0] number,
  input  logic       pass,

  output logic       take,    // its frame has flits, and is the next one
  output logic       now,     // a word has to go out at once,
  output logic       soon,    // or before long
  output logic       e_early, // it is a later one
  output logic       e_again, // it has come before

  // For the words that go out.
  output logic [9:0] expected,
  output logic       missing,
  output logic       missing_pass
);
  logic       last_pass; // of the last right word
  wire [9:0]  after = number - expected;
  wire        is_next = after == '0;

  assign take    = word && is_next && flits != 4'd0;
  assign e_early = word && !is_next && !after[9];
  assign e_again = word && after[9] && flits != 4'd0;

  wire  misses      = e_early || wrong;
  wire  misses_pass = wrong ? last_pass : pass;
  wire  news        = !missing || missing_pass != misses_pass;

  assign now  = misses && news;
  assign soon = take || e_again || misses;

  always_ff @(posedge clk) begin
    if (word)
      last_pass <= pass;
    if (take)
      expected <= expected + 10'd1;
    if (word && is_next)
      missing <= 1'b0;
    if (misses) begin
      missing      <= 1'b1;
      missing_pass <= misses_pass;
    end
    if (stop)
      missing <= 1'b0;
    if (clear) begin
      expected  <= '0;
      last_pass <= 1'b0;
    end
  end
endmodule
