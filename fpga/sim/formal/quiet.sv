// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Draining: glk_quiesce, glk_store_mux and glk_finepack_tx as glk_card connects them, scaled down: one partition, four entries,
// four banks, stores of one or two lines, of four. Stores of the aperture and flushes of releases come at any clock. In place
// of the packetizer anything takes flushes and frees banks, in any order and as late as it likes; packets arrive as late as
// they like. Asserted:
//   EMPTY  while glk_quiesce reports `empty`, the queues hold nothing, no flush is in flight and none leaves, and no store is
//          counted. So `quiet`, which nothing else delays, has no gap behind an accepted item.
// Under REACHED the negated covers are asserted; each must fail.
`define SYNTHESIS // without the blocks' own assertions: other proofs and all benches have them
module glk_packetizer #(
  parameter int DATA_W     = 128,
  parameter int PARTITIONS = 1,
  parameter int ENTRIES    = 4,
  parameter int BANKS      = 4,
  parameter int PW         = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1,
  parameter int EW         = $clog2(ENTRIES),
  parameter int BW         = $clog2(BANKS),
  parameter int LANES      = DATA_W / 8,
  parameter int KW         = $clog2(LANES + 1)
) (
  input  logic              clk,
  input  logic              rst,
  input  logic [PARTITIONS*3-1:0] cfg_subheader_bytes,
  input  logic [PARTITIONS-1:0]   cfg_self_describe,
  input  logic [PARTITIONS*13-1:0] cfg_max_payload_bytes,
  input  logic [PARTITIONS-1:0]   cfg_packing,
  input  logic [PARTITIONS-1:0]   cfg_compact,
  input  logic [PW-1:0]     flush_partition,
  input  logic [BW-1:0]     flush_bank,
  input  logic [EW:0]       flush_used,
  input  logic [47:0]       flush_base,
  input  logic [12:0]       flush_payload,
  input  logic [10:0]       flush_runs,
  input  logic [3:0]        flush_reason,
  input  logic              flush_valid,
  output logic              flush_ready,
  output logic [PW+BW+EW-1:0] read_tag_entry,
  output logic              read_tag_enable,
  input  logic [30:0]       read_tag,
  output logic [PW+BW+EW-1:0] read_entry,
  output logic              read_enable,
  input  logic [127:0]      read_enables,
  output logic [PW+BW+EW-1:0] read_data_entry,
  output logic              read_data_enable,
  input  logic [1023:0]     read_data,
  output logic              done_valid,
  output logic [PW-1:0]     done_partition,
  output logic [BW-1:0]     done_bank,
  output logic              e_packet,
  output logic [PW-1:0]     e_partition,
  output logic [12:0]       e_payload,
  output logic [10:0]       e_runs,
  output logic [3:0]        e_reason,
  output logic              e_final,
  output logic [DATA_W-1:0] m_data,
  output logic [KW-1:0]     m_bytes,
  output logic              m_last,
  output logic              m_valid,
  input  logic              m_ready
);
  (* anyseq *) logic takes, frees;
  (* anyseq *) logic [BW-1:0] which;
  logic [BANKS-1:0] waiting; // banks taken and not freed
  assign flush_ready        = takes;
  assign done_valid     = frees && waiting[which] && !rst;
  assign done_partition = '0;
  assign done_bank      = which;
  assign {read_tag_entry, read_tag_enable, read_entry, read_enable, read_data_entry, read_data_enable} = '0;
  assign {e_packet, e_partition, e_payload, e_runs, e_reason, e_final, m_data, m_bytes, m_last, m_valid} = '0;
  always_ff @(posedge clk) begin
    if (done_valid)
      waiting[which] <= 1'b0;
    if (flush_valid && flush_ready)
      waiting[flush_bank] <= 1'b1;
    if (rst)
      waiting <= '0;
  end
endmodule

module quiet (
  input logic       clk,
  input logic       start,
  input logic       finish,
  input logic [1:0] line,
  input logic       two,
  input logic       a_valid,
  input logic       z_none,
  input logic       z_valid,
  input logic       arrives
);
  logic past_reset = 1'b0;
  always_ff @(posedge clk) past_reset <= 1'b1;
  wire rst = !past_reset;
  (* anyconst *) logic coalesce, packing, config_reason;

  // --- aperture: a store of one beat, or of two ---
  logic        second = 1'b0;
  wire [47:0]  aperture_offset = {39'd0, line, 7'd112};
  wire [12:0]  aperture_length = two ? 13'd20 : 13'd4;
  wire         aperture_last   = second || !two;
  logic        aperture_ready, release_ready, register_valid, register_ready;
  logic        held = 1'b0, z_held = 1'b0, z_was;
  logic [2:0]  offered;
  always_ff @(posedge clk) begin
    held    <= a_valid && !(aperture_ready && aperture_last);
    offered <= {line, two};
    z_held  <= z_valid && !release_ready;
    z_was   <= z_none;
    if (a_valid && aperture_ready)
      second <= !aperture_last;
  end
  always_comb begin
    if (rst) assume(!a_valid && !z_valid && !start);
    if (held) assume(a_valid && {line, two} == offered);
    if (z_held) assume(z_valid && z_none == z_was);
  end

  logic [1:0]   s_kind, s_token, token;
  logic         s_partition, s_context, s_owned, s_valid, s_ready, mux_idle, pause, empty;
  logic [47:0]  s_address;
  logic [12:0]  s_length;
  logic [3:0]   s_reason, flush_reason;
  logic [127:0] s_data;
  logic         flush_partition, quiet;
  glk_quiesce #(.PARTITIONS(1)) quiesce (
    .clk, .rst, .start, .all(1'b0), .partition(1'b0), .reason(config_reason ? 4'(glk_regs::FLUSH_CONFIG) :
    4'(glk_regs::FLUSH_DRAIN)),
    .empty, .finish, .pause, .flush_partition, .flush_reason, .flush_valid(register_valid), .flush_ready(register_ready),
    .quiet);

  glk_store_mux #(.DATA_W(128), .PARTITIONS(1), .CONTEXTS(1)) store_mux (
    .clk, .rst, .pause, .cfg_max_payload_bytes(13'd128),
    .aperture_probe(1'b0), .aperture_partition(1'b0), .aperture_offset, .aperture_length, .aperture_context(1'b0),
    .aperture_data(128'd0), .aperture_last, .aperture_valid(a_valid), .aperture_ready,
    .ring_probe(1'b0), .ring_reason(4'd0), .ring_partition(1'b0), .ring_offset(48'd0), .ring_length(13'd0), .ring_context(1'b0),
    .ring_data(128'd0), .ring_last(1'b0), .ring_valid(1'b0), .ring_ready(),
    .region_flush(1'b0), .region_partition(1'b0), .region_offset(48'd0), .region_length(13'd0), .region_context(1'b0),
    .region_data(128'd0), .region_last(1'b0), .region_valid(1'b0), .region_ready(),
    .release_none(z_none), .release_token(1'b1), .release_owned(1'b1), .release_partition(1'b0), .release_context(1'b0),
    .release_reason(4'(glk_regs::FLUSH_RELEASE)), .release_valid(z_valid), .release_ready,
    .register_partition(flush_partition), .register_reason(flush_reason), .register_valid, .register_ready,
    .timeout_partition(1'b0), .timeout_valid(1'b0), .timeout_ready(),
    .m_kind(s_kind), .m_partition(s_partition), .m_address(s_address), .m_length(s_length), .m_reason(s_reason),
    .m_context(s_context), .m_owned(s_owned), .m_token(s_token), .m_data(s_data), .m_valid(s_valid), .m_ready(s_ready),
    .idle(mux_idle),
    .store_valid(), .store_partition(), .store_context(), .cost_valid(), .cost_partition(), .cost_context(), .cost_length(),
    .cost_raw());

  logic        tx_idle, holds, e_flush, token_valid, e_valid;
  logic [31:0] queued_stores;
  glk_finepack_tx #(.DATA_W(128), .PARTITIONS(1), .ENTRIES(4), .BANKS(4), .CONTEXTS(1)) tx (
    .clk, .rst, .cfg_subheader_bytes(3'd3), .cfg_max_payload_bytes(13'd128), .cfg_coalesce(coalesce), .cfg_self_describe(1'b0),
    .cfg_packing(packing), .cfg_compact(1'b0),
    .s_kind, .s_partition, .s_address, .s_length, .s_reason, .s_context, .s_owned, .s_token, .s_data, .s_valid, .s_ready,
    .m_data(), .m_bytes(), .m_last(), .m_valid(), .m_ready(1'b0), .e_valid, .e_partition(), .e_overwritten(),
    .made_valid(), .made_partition(), .made_payload(), .made_runs(), .made_reason(), .made_final(), .idle(tx_idle), .holds,
    .e_flush, .token_valid, .token, .queued_stores, .look_partition(1'b0), .look_entries(), .look_payload());

  // As in glk_arrivals and glk_card.
  logic [3:0] sent = 4'd0, arrived = 4'd0;
  always_ff @(posedge clk) begin
    sent    <= sent + 4'(e_flush && past_reset);
    arrived <= arrived + 4'(arrives && sent != arrived);
  end
  assign quiet = mux_idle && tx_idle && sent == arrived;

  logic was_empty = 1'b0; // in the clock before, too
  always_ff @(posedge clk) was_empty <= empty;

  always_ff @(posedge clk)
    if (past_reset) begin
`ifdef REACHED
      assert(!(empty && sent == 4'd1)); // of one flush
      assert(!(empty && was_empty && a_valid && !aperture_ready)); // a store waits
      assert(!(empty && sent == 4'd2)); // of two
`endif
`ifdef EMPTY
      if (empty) begin
        assert(quiet && sent == arrived);
        assert(!e_flush && !token_valid && !e_valid);
        assert(!holds && queued_stores == 32'd0);
      end
`endif
    end
endmodule
`default_nettype wire
