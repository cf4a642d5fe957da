// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// FIFO in block RAM with credit-based flow control: always accepts; the sender counts the free entries.
module glk_piece_buffer #(
  parameter int W    = 8,
  parameter int ROOM = 512 // depth; power of two
) (
  input  logic         clk,
  input  logic         rst,
  input  logic [W-1:0] s_data,
  input  logic         s_valid,
  output logic         overrun, // sticky: input while full
  output logic [W-1:0] m_data,
  output logic         m_valid,
  input  logic         m_ready
);
  localparam int A     = $clog2(ROOM);
  localparam int AHEAD = 4; // prefetch depth, at least the round trip from fetch to the returned entry

  (* ram_style = "block" *) logic [W-1:0] pieces [0:ROOM-1];
  logic [A:0]   put, next; // next entry to fetch
  logic [A:0]   number;    // entries in the buffer
  logic [2:0]   ahead;     // fetched and not yet taken
  logic [W-1:0] read;
  logic         reads, reads_ready;
  wire          taken = m_valid && m_ready;
  wire          keep  = s_valid && !number[A];
  wire          fetch = next != put && ahead != 3'(AHEAD);

  always_ff @(posedge clk) begin
    if (keep)
      pieces[put[A-1:0]] <= s_data;
    read   <= pieces[next[A-1:0]];
    reads  <= fetch;
    put    <= put + (A+1)'(keep);
    next   <= next + (A+1)'(fetch);
    number <= number + (A+1)'(keep) - (A+1)'(taken);
    ahead  <= ahead + 3'(fetch) - 3'(taken);
    overrun <= overrun || (s_valid && number[A]);
    if (rst) begin
      put     <= '0;
      next    <= '0;
      number  <= '0;
      ahead   <= '0;
      reads   <= 1'b0;
      overrun <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk)
    if (checks)
      begin : read_has_room assert (!(reads && !reads_ready)); end
`endif

  glk_fifo #(.W(W), .DEPTH(AHEAD), .BYPASS(1)) out (
    .clk, .rst, .s_data(read), .s_valid(reads), .s_ready(reads_ready), .m_data, .m_valid, .m_ready);
endmodule
`default_nettype wire
