// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// A block FIFO whose words become readable when they are committed, and may be dropped before. The writer must keep within the room. No
// combinational path from an input to an output. Latency four clocks from the commit.
module glk_commit_fifo #(
  parameter int W     = 8,
  parameter int DEPTH = 512 // words; a power of two. The output holds a few more
) (
  input  logic         clk,
  input  logic         rst,
  input  logic [W-1:0] s_data,
  input  logic         s_valid,
  input  logic         s_commit, // all words that were written before this clock
  input  logic         s_drop,   // all of them since the last commit
  output logic         s_room,   // of half the depth

  output logic [W-1:0] m_data,
  output logic         m_valid,
  input  logic         m_ready
);
  localparam int A     = $clog2(DEPTH);
  localparam int AHEAD = 8; // as in glk_block_fifo

  (* ram_style = "block" *) logic [W-1:0] memory [0:DEPTH-1];
  logic [A-1:0] head;
  logic [A:0]   tail, committed;  // with a bit for the turn
  logic [A:0]   used;             // with words that are not committed
  logic [A:0]   left;             // committed ones that are not read
  logic [3:0]   held;
  logic         some, room, a_valid, b_valid, never_full;
  logic [W-1:0] a_data, b_data;

  wire          get  = some && room;
  wire          take = m_valid && m_ready;
  wire [A:0]    open = tail - committed;
  wire [A:0]    left_next = left + (s_commit ? open : '0) - (A+1)'(get);
  wire [3:0]    held_next = held + 4'(get) - 4'(take);

  always_ff @(posedge clk) begin
    if (s_valid)
      memory[tail[A-1:0]] <= s_data;
    a_data <= memory[head];
    b_data <= a_data;
  end

  always_ff @(posedge clk) begin
    if (s_drop)
      tail <= committed;
    else
      tail <= tail + (A+1)'(s_valid);
    if (s_commit)
      committed <= tail;
    head    <= head + A'(get);
    left    <= left_next;
    used    <= left + open;
    some    <= left_next != '0;
    s_room  <= used < (A+1)'(DEPTH / 2);
    held    <= held_next;
    room    <= held_next < 4'(AHEAD);
    a_valid <= get;
    b_valid <= a_valid;
    if (rst) begin
      tail      <= '0;
      committed <= '0;
      head      <= '0;
      left      <= '0;
      used      <= '0;
      some      <= 1'b0;
      s_room    <= 1'b0;
      held      <= '0;
      room      <= 1'b1;
      a_valid   <= 1'b0;
      b_valid   <= 1'b0;
    end
  end

  glk_fifo #(.W(W), .DEPTH(AHEAD), .BYPASS(1)) out (
    .clk, .rst, .s_data(b_data), .s_valid(b_valid), .s_ready(never_full), .m_data, .m_valid, .m_ready);

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk)
    if (checks) begin
      assert(!b_valid || never_full);
      assert(left + open <= (A+1)'(DEPTH) && !(s_valid && left + open == (A+1)'(DEPTH)));
      assert(!s_drop || !(s_valid || s_commit));
    end
`endif
endmodule
`default_nettype wire
