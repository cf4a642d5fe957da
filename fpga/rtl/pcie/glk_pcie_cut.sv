// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Splits transactions at multiples of a packet size limit. Data is address-aligned and the limit is a multiple of a beat,
// so data passes unchanged and only packet boundaries are added. A transaction lies within 4 KiB; a zero-length one yields
// one packet that looks like one of 1 byte, which is also how PCIe counts it. Latency three clocks after the input skid
// buffer.
module glk_pcie_cut #(
  parameter int DATA_W = 512, // at most 1024: a beat must not exceed the smallest limit
  parameter int USER_W = 8,
  parameter int LANES  = DATA_W / 8,
  parameter int LB     = $clog2(LANES)
) (
  input  logic              clk,
  input  logic              rst,
  input  logic [2:0]        limit,     // 128 bytes << limit, limit <= 5; a change applies to the next transaction
  input  logic [11:0]       s_address, // s_address, s_length: constant over all beats
  input  logic [12:0]       s_length,
  input  logic [DATA_W-1:0] s_data,
  input  logic [USER_W-1:0] s_user,
  input  logic              s_last,
  input  logic              s_valid,
  output logic              s_ready,
  output logic [11:0]       m_address, // packet address; likewise the following outputs are of the packet
  output logic [1:0]        m_end,     // low address bits of its last byte
  output logic [10:0]       m_dwords,  // DWs touched
  output logic [12:0]       m_left,    // bytes from its start to the end of the transaction
  output logic              m_first,
  output logic              m_last,
  output logic              m_final,   // with m_last: last packet of the transaction
  output logic [DATA_W-1:0] m_data,
  output logic [USER_W-1:0] m_user,
  output logic              m_valid,
  input  logic              m_ready
);
  logic              x_valid, x_last;
  logic [11:0]       x_address;
  logic [12:0]       x_length;
  logic [DATA_W-1:0] x_data;
  logic [USER_W-1:0] x_user;
  glk_skid #(.W(12 + 13 + DATA_W + USER_W + 1)) skid (
    .clk, .rst, .s_data({s_address, s_length, s_data, s_user, s_last}), .s_valid, .s_ready,
    .m_data({x_address, x_length, x_data, x_user, x_last}), .m_valid(x_valid), .m_ready(m_ready));

  // --- packet start ---
  logic              amid, cut_before;
  logic [11:LB]      line_next;
  logic [11:7]       ones_held;
  wire [4:0]         ones_of_limit = ~(5'b11111 << limit);
  wire [11:7]        ones = amid ? ones_held : ones_of_limit;
  wire [11:LB]       line = amid ? line_next : x_address[11:LB];
  wire [11:LB]       inner = (12-LB)'({ones, 7'h7f} >> LB); // address bits within a packet
  wire               cuts = &(line | ~inner); // a packet ends with this beat

  logic              p_valid, p_first, p_last, p_final;
  logic [11:0]       p_start, p_stop;
  logic [11:7]       p_ones;
  logic [DATA_W-1:0] p_data;
  logic [USER_W-1:0] p_user;

  // --- packet end ---
  logic              q_valid, q_first, q_last, q_final;
  logic [11:0]       q_start, q_stop, q_left;
  logic [DATA_W-1:0] q_data;
  logic [USER_W-1:0] q_user;
  wire               p_one = ((p_start[11:7] ^ p_stop[11:7]) & ~p_ones) == 5'b0; // the remainder fits one packet

  always_ff @(posedge clk) begin
    if (m_ready) begin
      if (x_valid) begin
        amid     <= !x_last;
        cut_before <= cuts;
        line_next  <= line + (12-LB)'(1);
        ones_held  <= ones;
      end
      p_valid <= x_valid;
      p_first <= !amid || cut_before;
      p_last  <= x_last || cuts;
      p_final <= x_last;
      if (!amid)
        p_start <= x_address;
      else if (cut_before)
        p_start <= {line, LB'(0)};
      p_stop  <= x_address + x_length[11:0] - 12'(x_length != 13'd0);
      p_ones  <= ones;
      p_data  <= x_data;
      p_user  <= x_user;

      q_valid <= p_valid;
      q_first <= p_first;
      q_last  <= p_last;
      q_final <= p_final;
      q_start <= p_start;
      q_stop  <= p_one ? p_stop : p_start | {p_ones, 7'h7f};
      q_left  <= p_stop - p_start;
      q_data  <= p_data;
      q_user  <= p_user;

      m_valid   <= q_valid;
      m_first   <= q_first;
      m_last    <= q_last;
      m_final   <= q_final;
      m_address <= q_start;
      m_end     <= q_stop[1:0];
      m_dwords  <= {1'b0, q_stop[11:2]} - {1'b0, q_start[11:2]} + 11'd1;
      m_left    <= {1'b0, q_left} + 13'd1;
      m_data    <= q_data;
      m_user    <= q_user;
    end
    if (rst) begin
      amid  <= 1'b0;
      p_valid <= 1'b0;
      q_valid <= 1'b0;
      m_valid <= 1'b0;
    end
  end
endmodule
`default_nettype wire
