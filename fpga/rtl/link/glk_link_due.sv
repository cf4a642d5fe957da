// SPDX-License-Identifier: Apache-2.0
// When a word has to go out at the latest: at once, so many clocks after something is owed, or so many after the word before. The
// earliest counts, any word does for all. While the link is down it says nothing: a link that comes up owes a word at once.
module glk_link_due #(
  parameter int W = 32
) (
  input  logic         clk,
  input  logic [W-1:0] cfg_ack,   // clocks, 1 at least
  input  logic [W-1:0] cfg_hello,
  input  logic         word,      // one goes out at this clock,
  input  logic         word_news, // and has not said all that is news
  input  logic         now,       // what comes at this clock: a word has to go out at the next,
  input  logic         soon,      // or `cfg_ack` clocks later at the latest
  output logic         due
);
  // What is due after this many clocks, the next being 0.
  logic [W-1:0] ack, hello, both, left;
  wire  [W-1:0] less = left - W'(!due);

  assign due = left == '0;

  always_ff @(posedge clk) begin
    ack   <= cfg_ack - W'(1);
    hello <= cfg_hello - W'(1);
    both  <= (cfg_hello < cfg_ack ? cfg_hello : cfg_ack) - W'(1);
    if (now)
      left <= '0;
    else if (word)
      left <= word_news ? ack : soon ? both : hello;
    else
      left <= (soon && less > ack) ? ack : less;
  end
endmodule
