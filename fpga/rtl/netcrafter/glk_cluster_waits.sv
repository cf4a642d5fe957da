// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Measures the time that flits wait in the cluster queue, by kind: accumulates the number of queued flits in every clock.
// Kinds are reported round robin, each every sixteen clocks.
module glk_cluster_waits #(
  parameter int PW = 11
) (
  input  logic          clk,
  input  logic          rst,
  input  logic          put,     // flit enters
  input  logic [3:0]    put_kind,
  input  logic [11:1]   piece,   // becomes the parent or a piece of it; one-hot kind
  input  logic          leave,   // the previous parent leaves with its pieces, before `piece` applies
  input  logic          pool,    // or is returned to the pool
  output logic          wait_valid,
  output logic [3:0]    wait_kind,
  output logic [PW+3:0] wait_clocks
);
  logic [3:0] turn;

  logic [15:0]        has;    // kind has a nonzero sum to report
  logic [16*(PW+4)-1:0] waited; // -
  assign has[0]     = 1'b0;
  assign has[15:12] = 4'b0;
  assign waited[0 +: PW+4] = '0;
  assign waited[12*(PW+4) +: 4*(PW+4)] = '0;

  generate
    for (genvar k = 1; k <= 11; k = k + 1) begin : of_kind
      logic [PW-1:0] number;  // queued flits
      logic [2:0]    pieces;  // of these, in the parent
      logic [PW+3:0] sum;
      wire           mine = turn == 4'(k);

      assign has[k] = mine && |sum;
      assign waited[k*(PW+4) +: PW+4] = sum;
      always_ff @(posedge clk) begin
        number <= number + PW'(put && put_kind == 4'(k)) - (leave ? PW'(pieces) : '0);
        pieces <= (leave || pool ? 3'd0 : pieces) + 3'(piece[k]);
        sum    <= (mine ? '0 : sum) + (PW+4)'(number);
        if (rst) begin
          number <= '0;
          pieces <= 3'd0;
          sum    <= '0;
        end
      end
    end
  endgenerate

  always_ff @(posedge clk) begin
    turn        <= turn + 4'd1;
    wait_valid  <= |has;
    wait_kind   <= turn;
    wait_clocks <= waited[turn*(PW+4) +: PW+4];
    if (rst) begin
      turn       <= 4'd0;
      wait_valid <= 1'b0;
    end
  end
endmodule
`default_nettype wire
