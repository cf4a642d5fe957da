// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Sum of N unsigned numbers as an adder tree. Combinational.
module glk_sum #(
  parameter int N  = 8,
  parameter int W  = 5,
  parameter int SW = W + $clog2(N)
) (
  input  logic [N*W-1:0] numbers,
  output logic [SW-1:0]  sum
);
  generate
    if (N == 1) begin : one
      assign sum = SW'(numbers);
    end else begin : more
      localparam int LOW = N / 2;
      logic [SW-1:0] a, b;
      glk_sum #(.N(LOW), .W(W), .SW(SW)) low (.numbers(numbers[LOW*W-1:0]), .sum(a));
      glk_sum #(.N(N-LOW), .W(W), .SW(SW)) high (.numbers(numbers[N*W-1:LOW*W]), .sum(b));
      assign sum = a + b;
    end
  endgenerate
endmodule
`default_nettype wire
