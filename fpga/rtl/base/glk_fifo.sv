// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Synchronous FIFO in distributed RAM with a registered output; the output register is in addition to DEPTH. No
// combinational path from an input to an output. Latency through an empty FIFO: two clocks, or one with BYPASS.
module glk_fifo #(
  parameter int W      = 8,
  parameter int DEPTH  = 16, // words; a power of two
  parameter int BYPASS = 0   // 1: input goes straight to the output register of an empty FIFO
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
  localparam int A = $clog2(DEPTH);

  (* ram_style = "distributed" *) logic [W-1:0] memory [0:DEPTH-1];
  logic [A-1:0] head, tail;
  logic         some, full; // distinguish empty from full when head == tail

  assign s_ready = !full;

  wire free = m_ready || !m_valid;
  wire pass = BYPASS != 0 && !some && free; // bypass the memory
  wire put  = s_valid && !full && !pass;
  wire take = some && free;
  wire one  = tail == head + A'(1);
  wire most = head == tail + A'(1);

  always_ff @(posedge clk) begin
    if (put)
      memory[tail] <= s_data;
    if (free) begin
      m_data  <= pass ? s_data : memory[head];
      m_valid <= take || (pass && s_valid);
    end
    if (take)
      head <= head + A'(1);
    if (put)
      tail <= tail + A'(1);
    if (put != take) begin
      some <= put || !one;
      full <= put && most;
    end
    if (rst) begin
      head    <= '0;
      tail    <= '0;
      some    <= 1'b0;
      full    <= 1'b0;
      m_valid <= 1'b0;
    end
  end
endmodule
`default_nettype wire
