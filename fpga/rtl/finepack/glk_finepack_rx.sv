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

  logic              write_enable, subpacket_valid, plain_valid, free_valid;
  logic [1:0]        packet_buffer, free_buffer;
  logic [BUFFER_W+1:0] write_at;
  logic [DATA_W-1:0] write_data;
  logic [11:0]       subpacket_position, packet_data_at;
  logic [12:0]       subpacket_length;
  logic [47:0]       plain_offset;
  logic [12:0]       plain_length;
  logic [PW-1:0]     packet_partition;

  glk_depacketizer #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS)) depacketizer (
    .clk, .rst, .cfg_subheader_bytes, .cfg_endpoint_bytes, .s_data, .s_bytes, .s_last, .s_valid, .s_ready,
    .write_enable, .write_at, .write_data, .subpacket_valid, .subpacket_position, .subpacket_length, .plain_valid,
    .plain_offset, .plain_length,
    .packet_accept(e_accepted), .packet_refuse(e_refused), .packet_partition, .packet_buffer, .packet_data_at, .free_valid,
    .free_buffer);

  glk_scatter #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS)) scatter (
    .clk, .rst, .write_enable, .write_at, .write_data, .subpacket_valid, .subpacket_position, .subpacket_length, .plain_valid,
    .plain_offset, .plain_length,
    .packet_accept(e_accepted), .packet_refuse(e_refused), .packet_partition, .packet_buffer, .packet_data_at, .free_valid,
    .free_buffer,
    .m_partition, .m_offset, .m_length, .m_enables, .m_data, .m_first, .m_last, .m_packet_last, .m_valid, .m_ready);
endmodule
`default_nettype wire
