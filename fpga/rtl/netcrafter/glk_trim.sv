// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Trimming, completer side (docs/link-format.md; NetCrafter 4.3): builds read responses, flit by flit, and sends only the
// requested sector of a line. Requests with reserved bits set are refused.
module glk_trim (
  input  logic         clk,
  input  logic         rst,

  input  logic [15:0]  s_tag,
  input  logic [15:0]  s_asked,  // bits 63:48 of the request's "where" field
  input  logic [1:0]   s_status, // 0 done, 1 refused, 2 failed
  input  logic [511:0] s_line,   // valid if done
  input  logic         s_valid,
  output logic         s_ready,

  output logic [127:0] m_data,   // zero-padded past the packet's end
  output logic         m_last,
  output logic         m_valid,
  input  logic         m_ready,

  // Event counters: a line was trimmed, by e_bytes
  output logic         e_trimmed,
  output logic [5:0]   e_bytes
);
  localparam logic [3:0] KIND = 4'(glk_flit::READ_RESPONSE);
  localparam logic [3:0] REFUSED = 4'd1;

  logic       good;
  logic [3:0] first; // first word of the sector
  logic [4:0] words;
  glk_trim_sector sector_of (.asked(s_asked), .good, .first, .words);

  // --- stage 1: shift the line by halves and by quarters of halves; response header ---
  logic         a_valid, a_take;
  logic [511:0] a_line;
  logic [15:0]  a_tag;
  logic [3:0]   a_status, a_first;
  logic [4:0]   a_words; // packet length
  wire [1:0]    code = s_asked[2:1];

  assign s_ready = !a_valid || a_take;

  always_ff @(posedge clk) begin
    if (s_ready) begin
      a_valid <= s_valid;
      a_tag   <= s_tag;
      a_line  <= s_line;
      a_first <= first;
      if (s_status != 2'd0) begin
        a_status <= {2'b0, s_status};
        a_words  <= 5'd1;
      end else if (!good) begin
        a_status <= REFUSED;
        a_words  <= 5'd1;
      end else begin
        a_status <= s_asked[0] ? {2'b10, code} : 4'd0;
        a_words  <= words + 5'd1;
      end
    end
    if (rst)
      a_valid <= 1'b0;
  end

  // --- stage 2: the packet shifts out from the low end ---
  logic [511:0] b_rest; // remainder after the current flit
  logic [4:0]   b_words; // remaining length, including the current flit
  logic [127:0] b_data;
  logic         b_valid, b_ready;
  wire          b_last = b_words <= 5'd4;
  wire  [511:0] sector = a_line >> {a_first, 5'b0};

  assign a_take = a_valid && (!b_valid || (b_ready && b_last));

  logic [543:0] packet;
  always_comb begin
    packet = {sector, a_tag, a_status, 8'b0, KIND};
    for (int w = 1; w < 17; w = w + 1)
      if (w >= 32'(a_words))
        packet[32*w +: 32] = '0;
  end

  always_ff @(posedge clk) begin
    if (a_take) begin
      {b_rest, b_data} <= {96'b0, packet};
      b_words          <= a_words;
      b_valid          <= 1'b1;
    end else if (b_valid && b_ready) begin
      {b_rest, b_data} <= {128'b0, b_rest};
      b_words          <= b_words - 5'd4;
      b_valid          <= !b_last;
    end
    e_trimmed <= a_take && a_status[3];
    e_bytes   <= 6'(7'd68 - {a_words, 2'b0});
    if (rst) begin
      b_valid   <= 1'b0;
      e_trimmed <= 1'b0;
    end
  end
  glk_skid #(.W(129)) out (
    .clk, .rst, .s_data({b_data, b_last}), .s_valid(b_valid), .s_ready(b_ready), .m_data({m_data, m_last}), .m_valid, .m_ready);
endmodule
`default_nettype wire
