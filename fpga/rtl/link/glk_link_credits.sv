// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Credit counters of one class, both directions: pieces sent for which no credit has returned, and pieces received and
// freed. Counters are mod 4096 and restart with each session. Reference model: fpga/model/link.
module glk_link_credits (
  input  logic        clk,
  input  logic        clear,      // end of session

  input  logic [2:0]  sent,       // pieces sent in this clock

  // Received credit of this class
  input  logic [11:0] credit,
  input  logic        take,       // the link word is valid: apply
  output logic        right,      // the credit does not exceed the pieces sent
  output logic [11:0] more,       // newly returned credits
  output logic        more_valid,

  input  logic [11:0] freed_more, // pieces freed in this clock
  input  logic        fresh,      // link comes up: credit has to be announced
  input  logic        reported,   // a word with the credit of this class is being sent
  output logic [11:0] freed,      // pieces freed since the session began
  output logic        news        // not announced yet
);
  logic [11:0] heard, used;
  assign more = credit - heard;
  // All pieces sent before this clock may be credited, and those of this clock on top.
  wire [12:0] spare = {1'b0, used} - {1'b0, more};
  wire        covered = !spare[12] || (&spare[11:3] && sent > ~spare[2:0]);

  assign right      = covered || more > 12'd2048; // else stale: no effect
  assign more_valid = take && covered && more != '0;

  always_ff @(posedge clk) begin
    used <= used + 12'(sent) - ((take && covered) ? more : 12'd0);
    if (take && covered)
      heard <= credit;
    freed <= freed + freed_more;
    if (freed_more != '0 || fresh)
      news <= 1'b1;
    else if (reported)
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
`default_nettype wire
