// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Deadline of the next link word: immediately, cfg_ack clocks after an acknowledgement or credit became pending, or
// cfg_hello clocks after the previous word; the earliest wins, and any word sent satisfies all of them. `due` has no
// meaning while the link is down: coming up requests a word immediately.
module glk_link_due #(
  parameter int W = 32
) (
  input  logic         clk,
  input  logic [W-1:0] cfg_ack,   // clocks, at least 1
  input  logic [W-1:0] cfg_hello,
  input  logic         word,      // a word is sent in this clock
  input  logic         word_news, // and leaves credit of another class to announce
  input  logic         now,       // event in this clock: a word is due in the next clock
  input  logic         soon,      // event in this clock: a word is due within cfg_ack clocks
  output logic         due
);
  // Clocks until the word is due; 0: in the next clock.
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
`default_nettype wire
