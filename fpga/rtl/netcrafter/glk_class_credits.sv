// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Transmit credit counter of one class, net of the credits held by the parent flit. `take` and `back` arrive late in the
// clock, so only `some` is updated from them directly; the count follows one clock later.
module glk_class_credits #(
  parameter int W = 12
) (
  input  logic         clk,
  input  logic         rst,
  input  logic         add,
  input  logic [W-1:0] more,
  input  logic         take,
  input  logic         back,
  output logic         some
);
  logic [W-1:0] number, added;
  logic         taken, given;

  wire [W-1:0] now  = number - W'(taken) + W'(given);
  wire [W-1:0] next = now + added; // excludes take and back of this clock
  wire         one  = |next;
  wire         two  = |next[W-1:1];

  always_ff @(posedge clk) begin
    added  <= add ? more : '0;
    number <= next;
    taken  <= take;
    given  <= back;
    some   <= (take == back) ? one : back || two;
    if (rst) begin
      added  <= '0;
      number <= '0;
      taken  <= 1'b0;
      given  <= 1'b0;
      some   <= 1'b0;
    end
  end
endmodule
`default_nettype wire
