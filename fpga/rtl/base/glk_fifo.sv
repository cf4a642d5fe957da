// SPDX-License-Identifier: Apache-2.0
// A short first-in first-out queue in distributed RAM; its output is registered.
module glk_fifo #(
  parameter int W      = 8,
  parameter int DEPTH  = 16, // power of two
  parameter int BYPASS = 0   // 1: through an empty queue in one clock, not in two
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
  logic         some, full; // head and tail are the same in both

  assign s_ready = !full;

  wire free = m_ready || !m_valid;
  wire pass = BYPASS != 0 && !some && free; // past the memory
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
