// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// FinePack receive path: packets in, plain writes out.
module glk_finepack_rx #(
  parameter int DATA_W     = 512,
  parameter int PARTITIONS = 4,
  parameter int PW         = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1,
  parameter int LANES      = DATA_W / 8,
  parameter int KW         = $clog2(LANES + 1)
) (
  input  logic              clk,
  input  logic              rst,
  input  logic [PARTITIONS*3-1:0]  cfg_subheader_bytes,
  input  logic [PARTITIONS*49-1:0] cfg_endpoint_bytes,

  input  logic [DATA_W-1:0] s_data,
  input  logic [KW-1:0]     s_bytes,
  input  logic              s_last,
  input  logic              s_valid,
  output logic              s_ready,

  output logic [PW-1:0]     m_partition,
  output logic [47:0]       m_offset,
  output logic [12:0]       m_length,
  output logic [LANES-1:0]  m_enables,
  output logic [DATA_W-1:0] m_data,
  output logic              m_first,
  output logic              m_last,
  output logic              m_packet_last, // end of the last write of its packet
  output logic              m_valid,
  input  logic              m_ready,

  output logic              e_accepted,
  output logic              e_refused
);
  localparam int BUFFER_W = $clog2(4096 / LANES);

  logic              w_enable, d_valid, g_valid, free_valid;
  logic [1:0]        p_buffer, free_buffer;
  logic [BUFFER_W+1:0] w_at;
  logic [DATA_W-1:0] w_data;
  logic [11:0]       d_position, p_data_at;
  logic [12:0]       d_length;
  logic [47:0]       g_offset;
  logic [12:0]       g_length;
  logic [PW-1:0]     p_partition;

  glk_depacketizer #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS)) depacketizer (
    .clk, .rst, .cfg_subheader_bytes, .cfg_endpoint_bytes, .s_data, .s_bytes, .s_last, .s_valid, .s_ready,
    .w_enable, .w_at, .w_data, .d_valid, .d_position, .d_length, .g_valid, .g_offset, .g_length,
    .p_accept(e_accepted), .p_refuse(e_refused), .p_partition, .p_buffer, .p_data_at, .free_valid, .free_buffer);

  glk_scatter #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS)) scatter (
    .clk, .rst, .w_enable, .w_at, .w_data, .d_valid, .d_position, .d_length, .g_valid, .g_offset, .g_length,
    .p_accept(e_accepted), .p_refuse(e_refused), .p_partition, .p_buffer, .p_data_at, .free_valid, .free_buffer,
    .m_partition, .m_offset, .m_length, .m_enables, .m_data, .m_first, .m_last, .m_packet_last, .m_valid, .m_ready);
endmodule
`default_nettype wire
