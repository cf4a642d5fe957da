// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Receive side of the frame sequence: accepts the expected frame, detects gaps and duplicates, and requests a replay.
// Reference model: fpga/model/link/link_receive.c.
module glk_link_receive (
  input  logic       clk,
  input  logic       clear,   // end of session
  input  logic       stop,    // link goes down

  input  logic       word,    // valid link word of the session
  input  logic       wrong,   // invalid link word after data blocks: a frame was lost
  input  logic [3:0] flits,
  input  logic [9:0] number,
  input  logic       pass,

  output logic       take,    // accept the flits of its frame
  output logic       now,     // a word has to be sent in the next clock
  output logic       soon,    // a word has to be sent within cfg_ack clocks
  output logic       e_early, // sequence gap: frame is ahead
  output logic       e_again, // duplicate frame

  // Acknowledgement and replay request of outgoing words
  output logic [9:0] expected,
  output logic       missing,
  output logic       missing_pass
);
  logic       last_pass; // replay pass of the last valid word
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
`default_nettype wire
