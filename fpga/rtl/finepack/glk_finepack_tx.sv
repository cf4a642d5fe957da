// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// FinePack transmit path: stores in, packets out. Store cutter, write queues, packetizer.
module glk_finepack_tx #(
  parameter int DATA_W     = 512,
  parameter int PARTITIONS = 4,
  parameter int ENTRIES    = 64,
  parameter int BANKS      = 4,
  parameter int CONTEXTS   = 32,
  parameter int PW         = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1,
  parameter int CW         = (CONTEXTS > 1) ? $clog2(CONTEXTS) : 1,
  parameter int KW         = $clog2(DATA_W / 8 + 1)
) (
  input  logic              clk,
  input  logic              rst,

  input  logic [PARTITIONS*3-1:0]  cfg_subheader_bytes,
  input  logic [PARTITIONS*13-1:0] cfg_max_payload_bytes,
  input  logic [PARTITIONS-1:0]    cfg_coalesce,
  input  logic [PARTITIONS-1:0]    cfg_self_describe,
  input  logic [PARTITIONS-1:0]    cfg_packing,
  input  logic [PARTITIONS-1:0]    cfg_compact,

  input  logic [1:0]        s_kind,
  input  logic [PW-1:0]     s_partition,
  input  logic [47:0]       s_address,
  input  logic [12:0]       s_length,
  input  logic [3:0]        s_reason,
  input  logic [CW-1:0]     s_context,
  input  logic              s_owned, // flush only if the queue holds a store of the context
  input  logic [1:0]        s_token, // returned when the item has passed the queues
  input  logic [DATA_W-1:0] s_data,
  input  logic              s_valid,
  output logic              s_ready,

  output logic [DATA_W-1:0] m_data,
  output logic [KW-1:0]     m_bytes,
  output logic              m_last,
  output logic              m_valid,
  input  logic              m_ready,

  // Events and status: bytes overwritten; packet statistics
  output logic              e_valid,
  output logic [PW-1:0]     e_partition,
  output logic [7:0]        e_overwritten,
  output logic              made_valid,
  output logic [PW-1:0]     made_partition,
  output logic [12:0]       made_payload,
  output logic [10:0]       made_runs,
  output logic [3:0]        made_reason,
  output logic              made_final, // the last of its flush
  output logic              idle,  // no items in the pipeline
  output logic [PARTITIONS-1:0] holds,

  output logic              e_flush,
  output logic              token_valid,
  output logic [1:0]        token,
  output logic [31:0]       queued_stores,
  input  logic [PW-1:0]     look_partition,
  output logic [6:0]        look_entries,
  output logic [14:0]       look_payload
);
  localparam int EW    = $clog2(ENTRIES);
  localparam int BW    = $clog2(BANKS);
  localparam int LANES = DATA_W / 8;

  // Items of the cutter
  logic [1:0]        q_kind;
  logic [PW-1:0]     q_partition;
  logic [47:0]       q_address;
  logic [7:0]        q_length;
  logic [127:0]      q_mask;
  logic [5:0]        q_wanted;
  logic [LANES-1:0]  q_enables;
  logic [3:0]        q_reason;
  logic [CW-1:0]     q_context;
  logic              q_owned, q_final, cutter_idle;
  logic [1:0]        q_token;
  logic              q_first, q_valid, q_ready;
  logic [DATA_W-1:0] q_data;

  glk_store_cutter #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS), .ENTRIES(ENTRIES), .CONTEXTS(CONTEXTS)) cutter (
    .clk, .rst, .cfg_subheader_bytes, .cfg_max_payload_bytes, .cfg_packing, .cfg_coalesce,
    .s_kind, .s_partition, .s_address, .s_length, .s_reason, .s_context, .s_owned, .s_token, .s_data, .s_valid, .s_ready,
    .m_kind(q_kind), .m_partition(q_partition), .m_address(q_address), .m_length(q_length), .m_mask(q_mask),
    .m_wanted(q_wanted), .m_enables(q_enables), .m_reason(q_reason), .m_context(q_context), .m_owned(q_owned),
    .m_token(q_token), .m_final(q_final), .m_first(q_first), .m_data(q_data), .m_valid(q_valid), .m_ready(q_ready),
    .idle(cutter_idle));

  logic [PW-1:0]  flush_partition;
  logic [BW-1:0]  flush_bank, done_bank;
  logic           flush_valid, flush_ready;
  logic [EW:0]    flush_used;
  logic [47:0]    flush_base;
  logic [12:0]    flush_payload;
  logic [PW+BW+EW-1:0] read_tag_entry, read_entry, read_data_entry;
  logic [30:0]    read_tag;
  logic [127:0]   read_enables;
  logic           read_tag_enable, read_enable, read_data_enable, done_valid, queue_idle;
  logic [1023:0]  read_data;
  logic [PW-1:0]  done_partition;
  logic [10:0]    flush_runs;
  logic [3:0]     flush_reason;

  glk_write_queue #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS), .ENTRIES(ENTRIES), .BANKS(BANKS), .CONTEXTS(CONTEXTS)) queue (
    .clk, .rst, .cfg_subheader_bytes, .cfg_max_payload_bytes, .cfg_packing,
    .s_kind(q_kind), .s_partition(q_partition), .s_address(q_address), .s_length(q_length), .s_mask(q_mask),
    .s_wanted(q_wanted), .s_enables(q_enables), .s_reason(q_reason), .s_context(q_context), .s_owned(q_owned),
    .s_token(q_token), .s_final(q_final), .s_first(q_first), .s_data(q_data),
    .s_valid(q_valid), .s_ready(q_ready),
    .flush_partition, .flush_bank, .flush_used, .flush_base, .flush_payload, .flush_runs, .flush_reason, .flush_valid,
    .flush_ready, .read_tag_entry, .read_tag_enable, .read_entry, .read_enable, .read_tag, .read_enables, .read_data_entry,
    .read_data_enable, .read_data, .done_valid, .done_partition, .done_bank,
    .e_valid, .e_partition, .e_overwritten, .idle(queue_idle), .holds,
    .e_flush, .token_valid, .token, .queued_stores, .look_partition, .look_entries, .look_payload);

  glk_packetizer #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS), .ENTRIES(ENTRIES), .BANKS(BANKS)) packetizer (
    .clk, .rst, .cfg_subheader_bytes, .cfg_self_describe, .cfg_max_payload_bytes, .cfg_packing, .cfg_compact,
    .flush_partition, .flush_bank, .flush_used, .flush_base, .flush_payload, .flush_runs, .flush_reason, .flush_valid,
    .flush_ready, .read_tag_entry, .read_tag_enable, .read_entry, .read_enable, .read_tag, .read_enables, .read_data_entry,
    .read_data_enable, .read_data, .done_valid, .done_partition, .done_bank,
    .e_packet(made_valid), .e_partition(made_partition), .e_payload(made_payload), .e_runs(made_runs), .e_reason(made_reason),
    .e_final(made_final),
    .m_data, .m_bytes, .m_last, .m_valid, .m_ready);

  always_ff @(posedge clk)
    idle <= queue_idle && cutter_idle && !s_valid;
endmodule
`default_nettype wire
