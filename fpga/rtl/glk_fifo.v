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
  logic [A:0] head, tail; // one bit more than the index: full and empty differ
  logic       full;

  assign s_ready = !full;

  wire empty   = head == tail;
  wire pass    = BYPASS != 0 && empty && (m_ready || !m_valid); // past the memory
  wire put     = s_valid && s_ready && !pass;
  wire take    = !empty && (m_ready || !m_valid);
  wire [A:0] head_next = head + (A+1)'(take);
  wire [A:0] tail_next = tail + (A+1)'(put);

  always_ff @(posedge clk) begin
    if (put)
      memory[tail[A-1:0]] <= s_data;
    if (m_ready || !m_valid) begin
      m_data  <= pass ? s_data : memory[head[A-1:0]];
      m_valid <= take || (pass && s_valid);
    end
    head <= head_next;
    tail <= tail_next;
    full <= (tail_next - head_next) == (A+1)'(DEPTH);
    if (rst) begin
      head    <= '0;
      tail    <= '0;
      full    <= 1'b0;
      m_valid <= 1'b0;
    end
  end
endmodule
