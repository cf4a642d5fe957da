// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// The arbiter of the cluster queue, for arbitrary sets of kinds that are due or yield, with a `burst` of 2. Asserted under
// TURNS:
// it grants one kind that is due, or one that yields when none is due. A kind that stays due gets its turn: without sequencing
// after at most 10 turns of others; with sequencing an ordinary kind after at most 20 (the six others, and two latency-critical
// ones before each of them and before its own), a latency-critical one after at most 5 (the three others, and an ordinary one
// before and between them). REACHED asserts that these bounds are never met, which must fail.
module turn (
  input logic        clk,
  input logic [11:1] due,
  input logic [11:1] yields,
  input logic        chosen
);
  localparam logic [11:0] CRITICAL = 12'(glk_flit::CRITICAL);

  (* anyconst *) logic sequencing;
  logic past_reset = 1'b0;
  always_ff @(posedge clk) past_reset <= 1'b1;

  logic        some;
  logic [11:1] turn;
  glk_cluster_turn dut (
    .clk, .rst(!past_reset), .sequencing, .burst(8'd2), .due, .yields, .some, .turn, .chosen(chosen && some && past_reset));

  (* anyconst *) logic [3:0] w_kind;
  always_comb
    assume(w_kind >= 4'd1 && w_kind <= 4'd11);
  wire [15:0] due_of = {4'b0, due, 1'b0}, turn_of = {4'b0, turn, 1'b0};
  logic [5:0] passed = 6'd0; // turns of others since it became due
  always_ff @(posedge clk)
    if (!past_reset || !due_of[w_kind] || (chosen && turn_of[w_kind]))
      passed <= 6'd0;
    else
      passed <= passed + 6'(chosen);

  always_ff @(posedge clk)
    if (past_reset) begin
`ifdef TURNS
      assert(some == (|due || |yields));
      if (some) begin
        assert(|turn && (turn & ~(|due ? due : yields)) == '0);
        assert((turn & (turn - 11'd1)) == '0);
      end
      assert(passed <= (!sequencing ? 6'd10 : CRITICAL[w_kind] ? 6'd5 : 6'd20));
`endif
`ifdef REACHED
      assert(!(passed == 6'd5 && CRITICAL[w_kind] && sequencing));
      assert(!(passed == 6'd20 && !CRITICAL[w_kind] && sequencing));
      assert(!(passed == 6'd10 && !sequencing));
`endif
    end
endmodule
`default_nettype wire
