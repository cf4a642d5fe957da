// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Holds received flits until the link word of their frame arrives, then forwards those of an accepted frame, one per clock.
// The 32-flit buffer holds the frame being received and the frames accepted while another one is forwarded, which takes no
// longer than receiving it.
module glk_link_deliver (
  input  logic         clk,
  input  logic         rst,
  input  logic         clear,   // flush

  input  logic [127:0] s_data,
  input  logic [3:0]   s_index, // position within its frame
  input  logic         s_flit,
  input  logic         take,    // the frame is accepted
  input  logic [3:0]   count,   // its number of flits, 1..11
  input  logic [54:0]  types,   // its flit types

  output logic [4:0]   m_type,
  output logic [127:0] m_data,
  output logic         m_valid
);
  (* ram_style = "distributed" *) logic [127:0] flits [0:31];
  logic [4:0] first; // buffer slot of the first flit of the frame being received
  wire  [4:0] place = first + {1'b0, s_index};

  // --- accepted frames ---
  logic [3:0]  q_count;
  logic [54:0] q_types;
  logic        q_valid, q_ready, q_room;
  glk_fifo #(.W(4 + 55), .DEPTH(16), .BYPASS(1)) frames (
    .clk, .rst(rst || clear), .s_data({count, types}), .s_valid(take), .s_ready(q_room),
    .m_data({q_count, q_types}), .m_valid(q_valid), .m_ready(q_ready));

  logic [4:0]  next;  // slot of the next flit to forward
  logic [3:0]  left;  // remaining flits of its frame
  logic [54:0] kinds;
  assign q_ready = left <= 4'd1;

  always_ff @(posedge clk) begin
    if (s_flit && s_index < 4'd11)
      flits[place] <= s_data;
    if (take)
      first <= first + {1'b0, count};

    if (q_ready) begin
      left  <= q_valid ? q_count : 4'd0;
      kinds <= q_types;
    end else begin
      left  <= left - 4'd1;
      kinds <= kinds >> 5;
    end
    m_valid <= left != 4'd0;
    m_type  <= kinds[4:0];
    m_data  <= flits[next];
    if (left != 4'd0)
      next <= next + 5'd1;
    if (rst || clear) begin
      first   <= '0;
      next    <= '0;
      left    <= '0;
      m_valid <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk)
    if (checks && !clear)
      begin : take_has_room assert (!(take && !q_room)); end
`endif
endmodule
`default_nettype wire
