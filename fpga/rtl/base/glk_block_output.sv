// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Memory and output of a FIFO in block RAM: words are written anywhere and read in order, through the RAM's output register,
// ahead of m_ready. No combinational path from an input to an output. Latency three clocks from `get`.
module glk_block_output #(
  parameter int W     = 8,
  parameter int DEPTH = 512, // words; a power of two. The output holds a few more
  parameter int A     = $clog2(DEPTH)
) (
  input  logic         clk,
  input  logic         rst,
  input  logic         put,
  input  logic [A-1:0] put_at,
  input  logic [W-1:0] put_data,

  output logic         room,  // for a word
  input  logic         get,   // the next one; only with room
  output logic [W-1:0] m_data,
  output logic         m_valid,
  input  logic         m_ready
);
  localparam int AHEAD = 8; // words read and not yet taken: more than the clocks from room to output

  (* ram_style = "block" *) logic [W-1:0] memory [0:DEPTH-1];
  logic [A-1:0] head;
  logic [3:0]   held; // words read and not yet taken
  logic         a_valid, b_valid, never_full;
  logic [W-1:0] a_data, b_data;

  wire          take = m_valid && m_ready;
  wire [3:0]    held_next = held + 4'(get) - 4'(take);

  always_ff @(posedge clk) begin
    if (put)
      memory[put_at] <= put_data;
    a_data <= memory[head];
    b_data <= a_data;
  end

  always_ff @(posedge clk) begin
    head    <= head + A'(get);
    held    <= held_next;
    room    <= held_next < 4'(AHEAD);
    a_valid <= get;
    b_valid <= a_valid;
    if (rst) begin
      head    <= '0;
      held    <= '0;
      room    <= 1'b1;
      a_valid <= 1'b0;
      b_valid <= 1'b0;
    end
  end

  glk_fifo #(.W(W), .DEPTH(AHEAD), .BYPASS(1)) out (
    .clk, .rst, .s_data(b_data), .s_valid(b_valid), .s_ready(never_full), .m_data, .m_valid, .m_ready);

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk)
    if (checks) begin
      begin : input_has_room assert(!b_valid || never_full); end
      begin : get_has_room assert(!get || room); end
    end
`endif
endmodule
`default_nettype wire
