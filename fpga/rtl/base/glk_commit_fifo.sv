// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// A block FIFO whose words become readable when they are committed, and may be dropped before. The writer must keep within the
// room. No combinational path from an input to an output. Latency four clocks from the commit.
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
  localparam int A = $clog2(DEPTH);

  logic [A:0]   tail, committed;  // with a bit for the turn
  logic [A:0]   used;             // with words that are not committed
  logic [A:0]   left;             // committed ones that are not read
  logic         some, room;

  wire          get  = some && room;
  wire [A:0]    open = tail - committed;
  wire [A:0]    left_next = left + (s_commit ? open : '0) - (A+1)'(get);

  glk_block_output #(.W(W), .DEPTH(DEPTH)) words (
    .clk, .rst, .put(s_valid), .put_at(tail[A-1:0]), .put_data(s_data), .room, .get, .m_data, .m_valid, .m_ready);

  always_ff @(posedge clk) begin
    if (s_drop)
      tail <= committed;
    else
      tail <= tail + (A+1)'(s_valid);
    if (s_commit)
      committed <= tail;
    left   <= left_next;
    used   <= left + open;
    some   <= left_next != '0;
    s_room <= used < (A+1)'(DEPTH / 2);
    if (rst) begin
      tail      <= '0;
      committed <= '0;
      left      <= '0;
      used      <= '0;
      some      <= 1'b0;
      s_room    <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk)
    if (checks) begin
      begin : words_fit assert(left + open <= (A+1)'(DEPTH) && !(s_valid && left + open == (A+1)'(DEPTH))); end
      begin : drop_comes_alone assert(!s_drop || !(s_valid || s_commit)); end
    end
`endif
endmodule
`default_nettype wire
