// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Arbiter among the kinds of packets, round robin. With sequencing, latency-critical kinds have priority, but for at most
// `burst` grants in a row while others wait. If no kind is due, the kinds in `yields` are arbitrated instead; both
// arbitrations run in parallel, because `due` arrives late.
module glk_cluster_turn (
  input  logic        clk,
  input  logic        rst,
  input  logic        sequencing,
  input  logic [7:0]  burst,
  input  logic [11:1] due,
  input  logic [11:1] yields, // considered only if none is due
  output logic        some,
  output logic [11:1] turn,   // one-hot
  input  logic        chosen  // the grant is used
);
  localparam logic [11:0] CRITICAL = 12'(glk_flit::CRITICAL);

  logic [11:1] last_critical, last_other; // all zero before the first grant
  logic [7:0]  run;

  // Round robin: the next of `kinds` after `last`, one-hot.
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
  wire first    = some_due ? first_due : first_yields; // a latency-critical kind is granted
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
`default_nettype wire
