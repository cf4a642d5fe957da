// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// FIFO between two clock domains, in distributed RAM with a registered output. Pointers cross in Gray code. No combinational
// path from an input to an output. One word per clock of the slower side if DEPTH is at least 16.
//
// Either side's reset empties the FIFO: the side stops at once, the other one when it notices, and both start again when both
// stand still with pointers of zero. Until then s_ready and m_valid are 0, and words that were accepted before are lost; an
// offered word may be withdrawn. After that, every accepted word is delivered, in order. Resets need not overlap, and may end
// while the other side's clock stands still. At power-up each side needs three clocks of reset.
module glk_async_fifo #(
  parameter int W     = 8,
  parameter int DEPTH = 16, // words, in addition to the output register; a power of two, at least 4
  parameter int A     = $clog2(DEPTH)
) (
  input  logic         s_clk,
  input  logic         s_rst,
  input  logic [W-1:0] s_data,
  input  logic         s_valid,
  output logic         s_ready,
  output logic [A:0]   s_room, // at least as many words are free
  output logic         s_up,   // both sides run
  input  logic         m_clk,
  input  logic         m_rst,
  output logic [W-1:0] m_data,
  output logic         m_valid,
  input  logic         m_ready,
  output logic         m_up    // the output runs
);
  initial if (DEPTH < 4 || (DEPTH & (DEPTH - 1)) != 0) $fatal;

  (* ram_style = "distributed" *) logic [W-1:0] memory [0:DEPTH-1];
  // Of the input's domain: pointer, and whether it lets the output run. Of the output's: pointer, whether it runs, and whether
  // it asks the input to stop.
  logic [A:0] tail, s_gray, head, m_gray;
  logic       run, zero, m_run, hold;

  // --- input ---
  logic [A:0] head_gray, head_seen, head_bits;
  logic       m_runs, m_holds;
  glk_synchronizer #(.W(A + 1)) of_head (.clk(s_clk), .d(m_gray), .q(head_gray));
  glk_synchronizer #(.W(2)) of_output (.clk(s_clk), .d({m_run, hold}), .q({m_runs, m_holds}));

  always_comb begin
    head_bits[A] = head_gray[A];
    for (int i = A - 1; i >= 0; i = i - 1)
      head_bits[i] = head_bits[i+1] ^ head_gray[i];
  end

  wire        put       = s_valid && s_ready;
  wire [A:0]  tail_next = tail + (A+1)'(put);
  wire [A:0]  room_next = (A+1)'(DEPTH) - (tail_next - head_seen);
  wire        stopped   = !run && !m_runs;

  always_ff @(posedge s_clk) begin
    if (put)
      memory[tail[A-1:0]] <= s_data;
    tail      <= tail_next;
    s_gray    <= tail_next ^ (tail_next >> 1);
    head_seen <= head_bits;
    s_room    <= room_next;
    s_ready   <= s_up && room_next != '0;
    zero      <= stopped;
    if (stopped) begin
      tail   <= '0;
      s_gray <= '0;
    end
    if (stopped && zero) // all bits of the pointer are 0 before the output hears of it
      run <= 1'b1;
    if (run && m_runs)
      s_up <= 1'b1;
    if (!s_up) begin
      s_ready <= 1'b0;
      s_room  <= '0;
    end
    if (m_holds || s_rst) begin
      run     <= 1'b0;
      zero    <= 1'b0;
      s_up    <= 1'b0;
      s_ready <= 1'b0;
      s_room  <= '0;
    end
  end

  // --- output ---
  logic [A:0] tail_gray;
  logic       runs;
  glk_synchronizer #(.W(A + 1)) of_tail (.clk(m_clk), .d(s_gray), .q(tail_gray));
  glk_synchronizer #(.W(1)) of_input (.clk(m_clk), .d(run), .q(runs));

  assign m_up = m_run;
  wire        free      = m_ready || !m_valid;
  wire        take      = m_run && free && m_gray != tail_gray;
  wire [A:0]  head_next = head + (A+1)'(take);

  always_ff @(posedge m_clk) begin
    head   <= head_next;
    m_gray <= head_next ^ (head_next >> 1);
    if (free) begin
      m_data  <= memory[head[A-1:0]];
      m_valid <= take;
    end
    m_run <= runs && !hold;
    if (!runs) begin
      hold    <= 1'b0;
      head    <= '0;
      m_gray  <= '0;
      m_valid <= 1'b0;
    end
    if (m_rst) begin
      hold    <= 1'b1;
      m_run   <= 1'b0;
      m_valid <= 1'b0;
    end
  end
endmodule
`default_nettype wire
