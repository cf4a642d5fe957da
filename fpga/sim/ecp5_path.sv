// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// The FinePack path, transmitter and receiver chained, with few pins: inputs come from a shift register, outputs are reduced to
// one bit. Place and route then sees only register-to-register paths, and the part has enough pins.
module ecp5_path #(
  parameter int DATA_W  = 128,
  parameter int ENTRIES = 16
) (
  input  logic clk,
  input  logic rst,
  input  logic pin_in,
  output logic pin_out
);
  localparam int LANES = DATA_W / 8;
  localparam int KW    = $clog2(LANES + 1);
  localparam int IN_W  = 2 + 48 + 13 + 4 + 1 + DATA_W + 1 + 3 + 13 + 4 + 49;

  logic [IN_W-1:0]   in;
  logic [1:0]        s_kind;
  logic [47:0]       s_address;
  logic [12:0]       s_length, max_payload;
  logic [3:0]        s_reason;
  logic [DATA_W-1:0] s_data;
  logic              s_valid, m_ready;
  logic [2:0]        subheader;
  logic              coalesce, self_describe, packing, compact;
  logic [48:0]       bytes;
  assign {s_kind, s_address, s_length, s_reason, s_valid, s_data, m_ready, subheader, max_payload, coalesce, self_describe,
          packing, compact, bytes} = in;
  always_ff @(posedge clk)
    in <= {in[IN_W-2:0], pin_in};

  logic [DATA_W-1:0] t_data, m_data;
  logic [KW-1:0]     t_bytes;
  logic              t_last, t_valid, t_ready, s_ready, m_first, m_last, m_valid, e_accepted, e_refused, e_valid, made_valid,
                     idle, holds;
  logic [7:0]        e_overwritten;
  logic [12:0]       made_payload, m_length;
  logic [10:0]       made_runs;
  logic [3:0]        made_reason;
  logic [47:0]       m_offset;
  logic [LANES-1:0]  m_enables;
  logic              e_flush, token_valid, packet_last;
  logic [1:0]        token;
  logic [31:0]       queued_stores;
  logic [6:0]        look_entries;
  logic [14:0]       look_payload;

  glk_finepack_tx #(.DATA_W(DATA_W), .PARTITIONS(1), .ENTRIES(ENTRIES), .CONTEXTS(2)) tx (
    .clk, .rst, .cfg_subheader_bytes(subheader), .cfg_max_payload_bytes(max_payload), .cfg_coalesce(coalesce),
    .cfg_self_describe(self_describe), .cfg_packing(packing), .cfg_compact(compact), .s_kind,
    .s_partition(1'b0), .s_address, .s_length, .s_reason, .s_context(s_address[47]),
    .s_owned(s_address[46]), .s_token(s_address[45:44]), .s_data, .s_valid, .s_ready,
    .m_data(t_data), .m_bytes(t_bytes), .m_last(t_last), .m_valid(t_valid), .m_ready(t_ready),
    .e_valid, .e_partition(), .e_overwritten, .made_valid, .made_partition(), .made_payload, .made_runs, .made_reason, .idle,
    .holds,
    .e_flush, .token_valid, .token, .queued_stores, .look_partition(1'b0), .look_entries, .look_payload);
  glk_finepack_rx #(.DATA_W(DATA_W), .PARTITIONS(1)) rx (
    .clk, .rst, .cfg_subheader_bytes(subheader), .cfg_endpoint_bytes(bytes), .s_data(t_data), .s_bytes(t_bytes),
    .s_last(t_last), .s_valid(t_valid), .s_ready(t_ready), .m_partition(), .m_offset, .m_length, .m_enables, .m_data, .m_first,
    .m_last, .m_packet_last(packet_last), .m_valid, .m_ready, .e_accepted, .e_refused);

  logic [15:0] folded;
  always_ff @(posedge clk) begin
    folded  <= {^m_data, ^m_offset, ^m_enables, ^m_length, m_first, m_last, m_valid, e_accepted, e_refused, packet_last,
        s_ready,
                ^{e_valid, e_overwritten}, ^{made_valid, made_payload, made_runs, made_reason},
                    ^{idle, holds, e_flush, token_valid, token},
                ^queued_stores, ^{look_entries, look_payload}};
    pin_out <= ^folded;
  end
endmodule
`default_nettype wire
