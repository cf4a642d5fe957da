// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Synchronous FIFO in block RAM, one word per clock. No combinational path from an input to an output. Latency four clocks;
// then a word follows each clock while there are any.
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
  localparam int A = $clog2(DEPTH);

  logic [A-1:0] tail;
  logic [A:0]   used;
  logic         some, full, room;

  wire          put = s_valid && !full;
  wire          get = some && room;
  wire [A:0]    used_next = used + (A+1)'(put) - (A+1)'(get);
  assign s_ready = !full;

  glk_block_output #(.W(W), .DEPTH(DEPTH)) words (
    .clk, .rst, .put, .put_at(tail), .put_data(s_data), .room, .get, .m_data, .m_valid, .m_ready);

  always_ff @(posedge clk) begin
    tail <= tail + A'(put);
    used <= used_next;
    some <= used_next != '0;
    full <= used_next[A];
    if (rst) begin
      tail <= '0;
      used <= '0;
      some <= 1'b0;
      full <= 1'b0;
    end
  end
endmodule
`default_nettype wire
