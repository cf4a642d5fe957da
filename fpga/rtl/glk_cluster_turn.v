// SPDX-License-Identifier: Apache-2.0
// Whose turn it is among the kinds that are due: with sequencing the latency-critical ones first, but not more than `burst` in a
// row while others wait. In turn: the lowest kind above the one that was last, else the lowest.
module glk_cluster_turn (
  input  logic        clk,
  input  logic        rst,
  input  logic        sequencing,
  input  logic [7:0]  burst,
  input  logic [11:1] due,
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

  wire [11:1] critical = sequencing ? due & CRITICAL[11:1] : '0;
  wire [11:1] others   = sequencing ? due & ~CRITICAL[11:1] : due;
  wire        first    = |critical && (!(|others) || run < burst);

  assign some = |due;
  assign turn = first ? next_in_turn(critical, last_critical) : next_in_turn(others, last_other);

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
