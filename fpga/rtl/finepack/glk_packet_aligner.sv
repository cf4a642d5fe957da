// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Separates header and payload of a packet, and shifts the payload down by the 16-byte header, so that it starts at lane 0.
// Every packet produces one header and at least one beat; the last beat carries the packet's total length.
module glk_packet_aligner #(
  parameter int DATA_W = 512,
  parameter int LANES  = DATA_W / 8,
  parameter int KW     = $clog2(LANES + 1)
) (
  input  logic              clk,
  input  logic              rst,

  input  logic [DATA_W-1:0] s_data,
  input  logic [KW-1:0]     s_bytes,
  input  logic              s_last,
  input  logic              s_valid,
  output logic              s_ready,

  output logic [127:0]      header,
  output logic              header_valid,
  input  logic              header_ready,

  output logic [DATA_W-1:0] m_data,
  output logic              m_last,
  output logic [12:0]       m_total, // with the last beat: bytes of the packet; 8191: too long
  output logic              m_valid,
  input  logic              m_ready
);
  localparam logic [12:0] MOST = 13'd4112;

  logic [DATA_W-1:0] i_all, i_data;
  logic [KW-1:0]     i_bytes;
  logic              i_last, i_valid, i_take;
  glk_skid #(.W(DATA_W + KW + 1)) skid (
    .clk, .rst, .s_data({s_data, s_bytes, s_last}), .s_valid, .s_ready,
    .m_data({i_all, i_bytes, i_last}), .m_valid(i_valid), .m_ready(i_take));
  // Zero the lanes past the packet's end.
  always_comb
    for (int k = 0; k < LANES; k = k + 1)
      i_data[8*k +: 8] = (k < 32'(i_bytes)) ? i_all[8*k +: 8] : 8'h00;

  logic              in_packet;   // the header has been taken
  logic              tail;        // `carry` is the last beat and still to be sent
  logic [DATA_W-1:0] carry;       // payload of the previous input beat
  logic [12:0]       total, tail_total;
  logic              head_ready, beat_ready;

  // A header produces no beat, so it may be taken while a tail is sent.
  wire takes_head = i_valid && !in_packet && head_ready && (!tail || beat_ready);
  wire takes_beat = i_valid && in_packet && !tail && beat_ready;
  assign i_take = takes_head || takes_beat;

  wire [12:0] total_next = (total > MOST) ? 13'd8191 : total + 13'(i_bytes);
  wire        fits       = LANES == 16 || i_bytes <= KW'(16); // the last input beat completes the last output beat
  wire        beat_valid = takes_beat || tail;
  wire        beat_last  = tail || (i_last && fits);
  wire [DATA_W-1:0] beat_data = tail ? carry : (LANES == 16) ? i_data : (carry | (i_data << (DATA_W - 128)));

  always_ff @(posedge clk) begin
    if (tail && beat_ready)
      tail <= 1'b0;
    if (takes_head) begin
      in_packet  <= !i_last;
      total      <= 13'(i_bytes);
      carry      <= i_data >> 128;
      tail       <= i_last;
      if (i_last)
        tail_total <= 13'(i_bytes);
    end
    if (takes_beat) begin
      in_packet  <= !i_last;
      total      <= total_next;
      carry      <= i_data >> 128;
      tail       <= i_last && !fits;
      tail_total <= total_next;
    end
    if (rst) begin
      in_packet <= 1'b0;
      tail      <= 1'b0;
    end
  end

  glk_fifo #(.W(128), .DEPTH(4)) heads (
    .clk, .rst, .s_data(i_data[127:0]), .s_valid(takes_head), .s_ready(head_ready),
    .m_data(header), .m_valid(header_valid), .m_ready(header_ready));
  glk_fifo #(.W(DATA_W + 1 + 13), .DEPTH(16)) beats (
    .clk, .rst, .s_data({beat_data, beat_last, tail ? tail_total : total_next}), .s_valid(beat_valid), .s_ready(beat_ready),
    .m_data({m_data, m_last, m_total}), .m_valid, .m_ready);
endmodule
`default_nettype wire
