// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// ERROR_CAUSE: sticky error bits, cleared by software. A bit that becomes set raises the event vector; bits set before that
// interrupt is sent are covered by it.
module glk_error_cause (
  input  logic       clk,
  input  logic       rst,
  input  logic       clear_all,
  input  logic [6:0] clear,   // bits to clear; a simultaneous error takes precedence
  input  logic [6:0] e_cause, // pulses
  output logic [6:0] cause,
  output logic       event_valid,
  input  logic       event_ready
);
  wire [6:0] left = cause & ~clear;

  always_ff @(posedge clk) begin
    cause <= left | e_cause;
    if ((e_cause & ~left) != '0)
      event_valid <= 1'b1;
    else if (event_ready)
      event_valid <= 1'b0;
    if (clear_all)
      cause <= '0;
    if (rst) begin
      cause       <= '0;
      event_valid <= 1'b0;
    end
  end
endmodule
`default_nettype wire
