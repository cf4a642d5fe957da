// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Skid buffer: a ready/valid pipeline stage with both directions registered, so no combinational path goes through it.
// Latency one clock, throughput one beat per clock.
module glk_skid #(
  parameter int W = 8
) (
  input  logic         clk,
  input  logic         rst,
  input  logic [W-1:0] s_data,
  input  logic         s_valid,
  output logic         s_ready,
  output logic [W-1:0] m_data,
  output logic         m_valid,
  input  logic         m_ready
);
  logic [W-1:0] spare;
  logic         spare_full;

  assign s_ready = !spare_full;

  always_ff @(posedge clk) begin
    if (m_ready || !m_valid) begin
      m_data     <= spare_full ? spare : s_data;
      m_valid    <= spare_full || s_valid;
      spare_full <= 1'b0;
    end else if (s_valid && s_ready) begin
      spare      <= s_data;
      spare_full <= 1'b1;
    end
    if (rst) begin
      m_valid    <= 1'b0;
      spare_full <= 1'b0;
    end
  end
endmodule
`default_nettype wire
