// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Receive half of the NetCrafter controller: unstitches flits from the link and buffers their pieces in one FIFO per class
// (0 posted, 1 request, 2 response), sized to the credits granted to the other card. Each piece taken frees one credit. A
// class may interleave packets of different kinds; packets of one kind arrive one after the other.
module glk_cluster_rx #(
  parameter int ROOM = 512 // buffer depth in pieces, per class; power of two
) (
  input  logic           clk,
  input  logic           rst, // discards received flits; s_ready returns some 130 clocks later

  input  logic [4:0]     s_type,
  input  logic [127:0]   s_data,
  input  logic           s_valid,
  output logic           s_ready,

  // Pieces by class
  output logic [3*4-1:0]   m_kind,
  output logic [3*128-1:0] m_data,  // zero-padded
  output logic [3*5-1:0]   m_bytes,
  output logic [2:0]       m_first, // first and last piece of its packet
  output logic [2:0]       m_last,
  output logic [2:0]       m_valid,
  input  logic [2:0]       m_ready,

  output logic           error // protocol error or buffer overrun; stops until reset
);
  localparam logic [11:0] POSTED   = 12'(glk_flit::POSTED);
  localparam logic [11:0] REQUEST  = 12'(glk_flit::REQUEST);
  localparam logic [11:0] RESPONSE = 12'(glk_flit::RESPONSE);

  logic [3:0]   p_kind;
  logic [127:0] p_data;
  logic [4:0]   p_bytes;
  logic         p_first, p_last, p_valid, p_error;
  glk_unstitch unstitch (
    .clk, .rst, .s_type, .s_data, .s_valid, .s_ready,
    .m_kind(p_kind), .m_data(p_data), .m_bytes(p_bytes), .m_first(p_first), .m_last(p_last), .m_valid(p_valid),
    .error(p_error));

  logic [2:0] overrun;
  generate
    for (genvar c = 0; c < 3; c = c + 1) begin : of_class
      localparam logic [11:0] KINDS = (c == 0) ? POSTED : (c == 1) ? REQUEST : RESPONSE;
      wire [15:0] kinds = {4'b0, KINDS};
      glk_piece_buffer #(.W(4 + 128 + 5 + 2), .ROOM(ROOM)) buffer (
        .clk, .rst, .s_data({p_kind, p_data, p_bytes, p_first, p_last}), .s_valid(p_valid && kinds[p_kind] && overrun == '0),
        .overrun(overrun[c]),
        .m_data({m_kind[4*c +: 4], m_data[128*c +: 128], m_bytes[5*c +: 5], m_first[c], m_last[c]}),
        .m_valid(m_valid[c]), .m_ready(m_ready[c]));
    end
  endgenerate

  always_ff @(posedge clk)
    error <= (p_error || overrun != '0) && !rst;
endmodule
`default_nettype wire
