// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Array of 64-bit counters, each of which may count in every clock. Every counter accumulates in a few flip-flops of its
// own; a round-robin scan adds them to the totals in RAM.
//
// A snapshot captures the accumulators of all counters in one clock. The following scan round adds these captured values,
// after which the RAM holds the state at the snapshot; snapshot_done then pulses.
module glk_counter_turns #(
  parameter int COUNTERS = 29, // 1..32
  parameter int ADD_W    = 16,
  parameter logic [COUNTERS*5-1:0] WIDTHS = {COUNTERS{5'd1}} // increment width of each counter, 1..ADD_W bits
) (
  input  logic                      clk,
  input  logic                      rst,

  input  logic [COUNTERS*ADD_W-1:0] add,
  input  logic                      snapshot, // includes increments of earlier clocks; not before the previous snapshot is done
  output logic                      snapshot_done,

  // Snapshot read port, one clock of latency
  input  logic [4:0]                look,
  output logic [63:0]               look_q
);
  localparam int ROUND = 32; // clocks per scan round; a power of two
  // A counter accumulates for at most two rounds between two visits of the scan.
  localparam int W = 32;
  initial if (ADD_W + 6 > W) $fatal;

  (* ram_style = "distributed" *) logic [63:0] counts [0:ROUND-1];
  (* ram_style = "distributed" *) logic [63:0] seen   [0:ROUND-1];

  logic [4:0] turn;
  logic [5:0] fresh;  // clear pass after reset: this many counters read as 0, whatever the RAM holds
  logic [5:0] saving; // snapshot values still to be saved
  wire        save = saving != '0;

  logic [ROUND*W-1:0] given; // value added at the counter's turn
  genvar g;
  generate
    for (g = 0; g < ROUND; g = g + 1) begin : counter
      if (g < COUNTERS) begin : there
        localparam int BITS = 32'(WIDTHS[5*g +: 5]) + 6;
        logic [BITS-1:0] bits, bits_aside;
        wire  [BITS-1:0] left = (turn == 5'(g) && !save) ? '0 : bits; // remainder that this turn does not collect
        always_ff @(posedge clk) begin
          bits <= left + BITS'(add[g*ADD_W +: ADD_W]);
          if (snapshot) begin
            bits       <= BITS'(add[g*ADD_W +: ADD_W]);
            bits_aside <= left;
          end
          if (rst)
            bits <= '0;
        end
        assign given[g*W +: W] = save ? W'(bits_aside) : W'(bits);
      end else begin : absent
        assign given[g*W +: W] = '0;
      end
    end
  endgenerate

  logic [4:0]   n_turn;
  logic         n_fresh, n_save, n_last;
  logic [W-1:0] n_add;
  wire [63:0]   sum = (n_fresh ? 64'd0 : counts[n_turn]) + 64'(n_add);
  logic         some; // a snapshot has been taken
  logic [63:0]  look_seen;
  always_ff @(posedge clk) begin
    turn    <= turn + 5'd1;
    n_turn  <= turn;
    n_add   <= given[{turn, 5'd0} +: W];
    n_fresh <= fresh != '0;
    n_save  <= save;
    n_last  <= saving == 6'd1;
    if (fresh != '0)
      fresh <= fresh - 6'd1;
    if (save)
      saving <= saving - 6'd1;
    if (snapshot) begin
      saving <= 6'(ROUND);
      some   <= 1'b1;
    end

    counts[n_turn] <= sum;
    if (n_save)
      seen[n_turn] <= sum;
    snapshot_done <= n_last;
    look_seen     <= seen[look];
    if (rst) begin
      turn          <= '0;
      fresh         <= 6'(ROUND);
      saving        <= '0;
      n_save        <= 1'b0;
      n_last        <= 1'b0;
      some          <= 1'b0;
      snapshot_done <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk)
    if (checks)
      begin : one_snapshot_at_a_time assert (!(snapshot && saving != '0)); end
`endif
  assign look_q = some ? look_seen : '0;
endmodule
`default_nettype wire
