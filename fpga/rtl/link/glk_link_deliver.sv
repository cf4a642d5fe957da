// SPDX-License-Identifier: Apache-2.0
// Flits that have come wait for their frame's word; those of a frame that is taken go on, one a clock. There is room for what can
// come meanwhile: a frame, and those that become complete while one goes on, which has taken as long to come.
module glk_link_deliver (
  input  logic         clk,
  input  logic         rst,
  input  logic         clear,   // forgets all

  input  logic [127:0] s_data,
  input  logic [3:0]   s_index, // in its frame
  input  logic         s_flit,
  input  logic         take,    // the frame has come
  input  logic [3:0]   count,   // of so many flits, 1 at least,
  input  logic [54:0]  types,   // of these types

  output logic [4:0]   m_type,
  output logic [127:0] m_data,
  output logic         m_valid
);
  (* ram_style = "distributed" *) logic [127:0] flits [0:31];
  logic [4:0] first; // of the frame that comes
  wire  [4:0] place = first + {1'b0, s_index};

  // --- frames that were taken ---
  logic [3:0]  q_count;
  logic [54:0] q_types;
  logic        q_valid, q_ready, q_room;
  glk_fifo #(.W(4 + 55), .DEPTH(16), .BYPASS(1)) frames (
    .clk, .rst(rst || clear), .s_data({count, types}), .s_valid(take), .s_ready(q_room),
    .m_data({q_count, q_types}), .m_valid(q_valid), .m_ready(q_ready));

  logic [4:0]  next;  // flit to go on
  logic [3:0]  left;  // of its frame
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
`ifndef SYNTHESIS
    if (!rst && !clear)
      assert (!(take && !q_room));
`endif
  end
endmodule
