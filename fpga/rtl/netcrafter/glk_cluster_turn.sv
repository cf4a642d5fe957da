// SPDX-License-Identifier: Apache-2.0
// Whose turn it is among the kinds that are due: with sequencing the latency-critical ones first, but not more than `burst` in a
// row while others wait. In turn: the lowest kind above the one that was last, else the lowest. When none is due, those that
// yield are looked at instead; both are, at the same time, as whether one is due is known late.
module glk_cluster_turn (
  input  logic        clk,
  input  logic        rst,
  input  logic        sequencing,
  input  logic [7:0]  burst,
  input  logic [11:1] due,
  input  logic [11:1] yields, // looked at when none is due
  output logic        some,
  output logic [11:1] turn,   // one of them
  input  logic        chosen  // it has its turn
);
  localparam logic [11:0] CRITICAL = 12'(glk_flit::CRITICAL);

  logic [11:1] last_critical, last_other; // none before the first turn
  logic [7:0]  run;

  // One of `kinds`, which is the next behind `last`.
  function automatic logic [11:1] next_in_turn(input logic [11:1] kinds, input logic [11:1] last);
    logic [11:1] behind;
    for (int k = 1; k <= 11; k = k + 1)
      behind[k] = kinds[k] && |(last & 11'((12'd1 << (k - 1)) - 12'd1));
    for (int k = 1; k <= 11; k = k + 1)
      if (|behind)
        next_in_turn[k] = behind[k] && ~|(behind & 11'((12'd1 << (k - 1)) - 12'd1));
      else
        next_in_turn[k] = kinds[k] && ~|(kinds & 11'((12'd1 << (k - 1)) - 12'd1));
  endfunction

  wire        more = run < burst;
  wire [11:1] critical_due = sequencing ? due & CRITICAL[11:1] : '0;
  wire [11:1] others_due   = sequencing ? due & ~CRITICAL[11:1] : due;
  wire        first_due    = |critical_due && (!(|others_due) || more);
  wire [11:1] turn_due     = first_due ? next_in_turn(critical_due, last_critical) : next_in_turn(others_due, last_other);

  wire [11:1] critical_yields = sequencing ? yields & CRITICAL[11:1] : '0;
  wire [11:1] others_yields   = sequencing ? yields & ~CRITICAL[11:1] : yields;
  wire        first_yields    = |critical_yields && (!(|others_yields) || more);
  wire [11:1] turn_yields     = first_yields ? next_in_turn(critical_yields, last_critical) :
                                               next_in_turn(others_yields, last_other);

  wire some_due = |due;
  wire first    = some_due ? first_due : first_yields; // it is a latency-critical kind's
  assign some   = some_due || |yields;
  assign turn   = some_due ? turn_due : turn_yields;

  always_ff @(posedge clk) begin
    if (chosen && first)
      last_critical <= turn;
    if (chosen && !first)
      last_other <= turn;
    if (chosen)
      run <= !first ? 8'd0 : (run == 8'd255) ? run : run + 8'd1;
    if (rst) begin
      last_critical <= '0;
      last_other    <= '0;
      run           <= 8'd0;
    end
  end
endmodule
