// SPDX-License-Identifier: Apache-2.0
// The credits of a class, both ways: pieces sent and not known to have been dealt with, and pieces of the other that were.
module glk_link_credits (
  input  logic        clk,
  input  logic        clear,      // a session is over

  input  logic [2:0]  sent,       // pieces, at this clock

  // A word that comes has a credit of this class.
  input  logic [11:0] credit,
  input  logic        take,       // it is right
  output logic        right,      // it says nothing of pieces that were not sent
  output logic [11:0] more,       // so many may be sent again,
  output logic        more_valid,

  input  logic [11:0] freed_more, // pieces dealt with at this clock
  input  logic        fresh,      // the link comes up: all is news
  input  logic        told,       // a word goes out with the credit of this class
  output logic [11:0] freed,      // since the session began
  output logic        news        // which has not been said
);
  logic [11:0] heard, used;
  assign more = credit - heard;
  // Of the pieces sent until the clock before it may say less, of those of this clock in all so many more.
  wire [12:0] spare = {1'b0, used} - {1'b0, more};
  wire        covered = !spare[12] || (&spare[11:3] && sent > ~spare[2:0]);

  assign right      = covered || more > 12'd2048; // it is late
  assign more_valid = take && covered && more != '0;

  always_ff @(posedge clk) begin
    used <= used + 12'(sent) - ((take && covered) ? more : 12'd0);
    if (take && covered)
      heard <= credit;
    freed <= freed + freed_more;
    if (freed_more != '0 || fresh)
      news <= 1'b1;
    else if (told)
      news <= 1'b0;
    if (clear) begin
      heard <= '0;
      used  <= '0;
      freed <= '0;
      if (!fresh)
        news <= 1'b0;
    end
  end
endmodule
