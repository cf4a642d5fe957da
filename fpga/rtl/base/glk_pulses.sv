// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Merges the pulses of two sources that may coincide into one pulse per clock. The average rate must stay below one per
// clock; up to 255 are pending.
module glk_pulses (
  input  logic clk,
  input  logic rst,
  input  logic a,
  input  logic b,
  output logic e
);
  logic [7:0] owed;
  wire  [7:0] due = owed + 8'(a) + 8'(b);

  always_ff @(posedge clk) begin
    e    <= due != 8'd0;
    owed <= due - 8'(due != 8'd0);
    if (rst) begin
      e    <= 1'b0;
      owed <= '0;
    end
  end
endmodule
`default_nettype wire
