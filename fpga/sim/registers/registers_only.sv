// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Bench top: the registers of a card with a link, without the blocks behind them: queues are empty, tables and contexts read 0,
// only the link's counters exist.
module registers_only #(
  parameter int PARTITIONS    = 4,
  parameter int ENTRIES       = 16,
  parameter int CONTEXTS      = 4,
  parameter int SLICES        = 16,
  parameter int SLICE_SHIFT   = 13,
  parameter int REGISTRATIONS = 8,
  parameter int VECTORS       = 5
) (
  input  logic        clk,
  input  logic        rst,
  input  logic [63:0] serial,
  input  logic [63:0] pool_bytes,
  input  logic        link,
  input  logic [7:0]  cluster,

  input  logic        x_write,
  input  logic [19:0] x_offset,
  input  logic [1:0]  x_size,
  input  logic [63:0] x_data,
  input  logic        x_poisoned,
  input  logic        x_valid,
  output logic        x_ready,
  output logic [63:0] y_data,
  output logic        y_valid,

  input  logic [PARTITIONS*32-1:0] unacknowledged,
  input  logic [PARTITIONS*64-1:0] remote_bytes,
  input  logic        up,
  input  logic        session,
  input  logic        e_up,
  input  logic        e_down,
  input  logic        e_crc,

  output logic        e_config,
  output logic        clear,
  output logic [6:0]  cfg_control,
  output logic [PARTITIONS*2-1:0] ep_kind,
  output logic [PARTITIONS-1:0]   ep_open,
  output logic [PARTITIONS-1:0]   ep_remote,
  output logic [PARTITIONS-1:0]   remote_bound,
  output logic [PARTITIONS*4-1:0] remote_partition,
  output logic        ask_valid,
  output logic [1:0]  ask_partition
);
  localparam int WINDOW_W       = 89;
  localparam int REGISTRATION_W = 133;
  localparam int CW = $clog2(CONTEXTS);
  localparam int LATE = 4; // clocks from selection to value

  // --- selected values ---
  logic [1:0]  look_partition;
  logic [LATE*32-1:0] late_unacknowledged;
  logic [LATE*64-1:0] late_remote_bytes;
  logic [PARTITIONS-1:0] under_way;
  integer p;
  always_ff @(posedge clk) begin
    late_unacknowledged <= {late_unacknowledged[(LATE-1)*32-1:0], unacknowledged[look_partition*32 +: 32]};
    late_remote_bytes      <= {late_remote_bytes[(LATE-1)*64-1:0], remote_bytes[look_partition*64 +: 64]};
    for (p = 0; p < PARTITIONS; p = p + 1)
      under_way[p] <= unacknowledged[p*32 +: 32] != '0;
  end

  // --- responses ---
  logic snapshot, snapshot_done, k_read, k_done, w_valid, w_write, w_done, h_valid, h_write, h_done;
  always_ff @(posedge clk) begin
    snapshot_done <= snapshot;
    k_done        <= k_read;
    w_done        <= w_valid && !w_write;
    h_done        <= h_valid && !h_write;
  end

  logic [8:0]  l_word;
  logic [63:0] l_shown, l_value;
  logic        l_allowed, l_take, l_snapshot_done, e_link;
  glk_registers #(.PARTITIONS(PARTITIONS), .ENTRIES(ENTRIES), .CONTEXTS(CONTEXTS), .SLICES(SLICES), .SLICE_SHIFT(SLICE_SHIFT),
                  .REGISTRATIONS(REGISTRATIONS), .VECTORS(VECTORS), .REGIONS(0), .WINDOW_W(WINDOW_W),
                  .REGISTRATION_W(REGISTRATION_W)) registers (
    .clk, .rst, .flr(1'b0), .flr_done(), .serial, .pool_bytes, .link, .link_up(up), .leases(1'b0),
    .x_write, .x_offset, .x_size, .x_data, .x_poisoned, .x_valid, .x_ready, .y_data, .y_valid,
    .enabled(), .cfg_subheader_bytes(), .cfg_max_payload_bytes(), .cfg_coalesce(), .cfg_self_describe(), .cfg_packing(), .cfg_compact(), .cfg_keep(), .cfg_flush_timeout_ns(),
    .ep_kind, .ep_base(), .ep_bytes(), .ep_changed(), .ep_open, .remote(ep_remote), .remote_bound, .remote_partition, .ask_valid, .ask_partition, .generation(),
    .pause(), .f_partition(), .f_reason(), .f_valid(), .f_ready(1'b1), .quiet(1'b1), .halt(), .ring_halted(1'b1), .ring_stale(1'b0),
    .release_stale(1'b0), .others_idle(1'b1), .clear, .queued_stores(32'd0), .dropped_valid(), .dropped_count(),
    .tx_holds('0), .all_acknowledged(under_way == '0), .look_partition, .look_entries(8'd0), .look_payload(16'd0),
    .look_unacknowledged(late_unacknowledged[(LATE-1)*32 +: 32]), .look_remote_bytes(late_remote_bytes[(LATE-1)*64 +: 64]), .under_way,
    .w_valid, .w_ready(1'b1), .w_write, .w_row(), .w_data(), .w_done, .w_q('0),
    .h_valid, .h_ready(1'b1), .h_write, .h_row(), .h_data(), .h_done, .h_q('0),
    .xc_write(), .xc_which(), .xc_context(), .xc_data(), .xc_sq_base('0), .xc_cq_base('0), .xc_record('0), .xc_sq_order('0), .xc_cq_order('0),
    .xc_vector('0), .xc_sq_tail('0), .xc_cq_head('0), .xc_sq_head('0), .xc_cq_tail('0), .xc_status('0), .ctx_enable(), .bell(),
    .command_start(), .command_context(), .command_valid(), .command_ready(1'b1), .z_context(), .z_value(), .z_valid(), .z_ready(1'b1),
    .xr_context(), .xr_released('0), .drain_partitions(), .drain_owned(), .drain_context(), .drain_valid(), .drain_ready(1'b1),
    .drain_busy(1'b0), .g_valid(), .g_kind(), .g_of_chunk(), .g_element(), .g_word(), .g_value(), .g_context(), .g_done(1'b1), .g_refused(1'b1),
    .g_shown('0), .g_swept(1'b1), .g_stale(1'b0), .g_hold(), .g_storing(1'b0), .l_word, .l_shown, .l_value, .l_allowed, .l_take, .l_snapshot_done,
    .u_shown('0), .u_allowed(1'b0), .u_valid(), .u_write(), .u_done(1'b1), .u_swept(1'b1), .snapshot, .snapshot_done, .k_read, .k_at(), .k_value(64'd0), .k_done, .e_config, .xe_clear(), .xe_context(), .xe_errors('0),
    .e_cause({e_link, 3'b0, e_config, 2'b0}), .i_valid(), .i_ready(1'b1), .idle());

  glk_link_registers link_registers (
    .clk, .rst, .clear, .word(l_word), .shown(l_shown), .value(l_value), .allowed(l_allowed), .take(l_take), .snapshot,
    .snapshot_done(l_snapshot_done), .cfg_enable(cfg_control[0]), .cfg_stitching(cfg_control[1]), .cfg_pooling(cfg_control[2]),
    .cfg_selective(cfg_control[3]), .cfg_sequencing(cfg_control[4]), .cfg_trimming(cfg_control[5]), .cfg_yielding(cfg_control[6]),
    .cfg_pool_cycles(), .cfg_burst(), .cfg_trim_code(), .cfg_timeout_ns(), .cluster, .up, .session, .peer_cluster(8'd0), .peer_compact(1'b0), .peer_serial(64'd0),
    .places(11'd1024), .e_flit(1'b0), .e_packet(1'b0), .e_kind(4'd1), .e_refused(1'b0), .e_stitched(1'b0), .e_partial(1'b0), .e_parent(1'b0),
    .e_out(1'b0), .e_padded(1'b0), .e_pooled(1'b0), .e_pool_stitched(2'd0), .e_pool_timed_out(1'b0), .w_valid(1'b0), .w_kind(4'd1),
    .w_clocks(15'd0), .e_up, .e_resumed(1'b0), .e_down, .e_frame_sent(1'b0), .e_frame_received(1'b0), .e_replay(1'b0),
    .e_frame_replayed(1'b0), .e_frame_repeated(1'b0), .e_crc, .e_sequence(1'b0), .e_protocol(1'b0), .e_version(1'b0),
    .e_flit_received(1'b0), .e_credit_stall(1'b0), .e_stray(1'b0), .e_timeout(1'b0), .e_given_up(1'b0), .e_lost(1'b0),
    .e_lost_packets(16'd0), .e_served(1'b0), .e_denied(1'b0), .e_trimmed(1'b0), .e_trimmed_bytes(6'd0), .e_link);
endmodule
`default_nettype wire
