// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Synchronous FIFO in block RAM, with the RAM's output register, one word per clock. No combinational path from an input to
// an output. Latency four clocks; then a word follows each clock while there are any.
module glk_block_fifo #(
  parameter int W     = 8,
  parameter int DEPTH = 512 // words; a power of two. The output holds a few more
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
  localparam int A     = $clog2(DEPTH);
  localparam int AHEAD = 8; // words read and not yet taken: more than the clocks from room to output

  (* ram_style = "block" *) logic [W-1:0] memory [0:DEPTH-1];
  logic [A-1:0] head, tail;
  logic [A:0]   used;
  logic [3:0]   held; // words read and not yet taken
  logic         some, full, room, a_valid, b_valid, never_full;
  logic [W-1:0] a_data, b_data;

  wire          put  = s_valid && !full;
  wire          get  = some && room;
  wire          take = m_valid && m_ready;
  wire [A:0]    used_next = used + (A+1)'(put) - (A+1)'(get);
  wire [3:0]    held_next = held + 4'(get) - 4'(take);
  assign s_ready = !full;

  always_ff @(posedge clk) begin
    if (put)
      memory[tail] <= s_data;
    a_data <= memory[head];
    b_data <= a_data;
  end

  always_ff @(posedge clk) begin
    tail    <= tail + A'(put);
    head    <= head + A'(get);
    used    <= used_next;
    some    <= used_next != '0;
    full    <= used_next[A];
    held    <= held_next;
    room    <= held_next < 4'(AHEAD);
    a_valid <= get;
    b_valid <= a_valid;
    if (rst) begin
      tail    <= '0;
      head    <= '0;
      used    <= '0;
      some    <= 1'b0;
      full    <= 1'b0;
      held    <= '0;
      room    <= 1'b1;
      a_valid <= 1'b0;
      b_valid <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk)
    if (checks)
      assert (!b_valid || never_full);
`endif

  glk_fifo #(.W(W), .DEPTH(AHEAD), .BYPASS(1)) out (
    .clk, .rst, .s_data(b_data), .s_valid(b_valid), .s_ready(never_full), .m_data, .m_valid, .m_ready);
endmodule
`default_nettype wire
