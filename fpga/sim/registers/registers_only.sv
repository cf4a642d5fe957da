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
  logic snapshot, snapshot_done, counter_read, counter_done, window_valid, window_write, window_done, registration_valid,
        registration_write, registration_done;
  always_ff @(posedge clk) begin
    snapshot_done     <= snapshot;
    counter_done      <= counter_read;
    window_done       <= window_valid && !window_write;
    registration_done <= registration_valid && !registration_write;
  end

  logic [8:0]  block_word;
  logic [63:0] link_shown, block_value;
  logic        link_allowed, link_take, link_snapshot_done, e_link;
  glk_registers #(.PARTITIONS(PARTITIONS), .ENTRIES(ENTRIES), .CONTEXTS(CONTEXTS), .SLICES(SLICES), .SLICE_SHIFT(SLICE_SHIFT),
                  .REGISTRATIONS(REGISTRATIONS), .VECTORS(VECTORS), .REGIONS(0), .WINDOW_W(WINDOW_W),
                  .REGISTRATION_W(REGISTRATION_W)) registers (
    .clk, .rst, .flr(1'b0), .flr_done(), .serial, .pool_bytes, .link, .link_up(up), .leases(1'b0),
    .reg_write(x_write), .reg_offset(x_offset), .reg_size(x_size), .reg_data(x_data), .reg_poisoned(x_poisoned),
    .reg_valid(x_valid), .reg_ready(x_ready), .reg_q_data(y_data), .reg_q_valid(y_valid),
    .enabled(), .cfg_subheader_bytes(), .cfg_max_payload_bytes(), .cfg_coalesce(), .cfg_self_describe(), .cfg_packing(),
    .cfg_compact(), .cfg_flush_timeout_ns(), .ep_kind, .ep_base(), .ep_bytes(), .ep_changed(), .ep_open,
    .remote(ep_remote), .remote_bound, .remote_partition, .ask_valid, .ask_partition, .generation(),
    .pause(), .flush_partition(), .flush_reason(), .flush_valid(), .flush_ready(1'b1), .quiet(1'b1), .halt(),
    .ring_halted(1'b1), .ring_stale(1'b0),
    .release_stale(1'b0), .others_idle(1'b1), .clear, .queued_stores(32'd0), .dropped_valid(), .dropped_count(),
    .holds('0), .all_acknowledged(under_way == '0), .look_partition, .look_entries(7'd0), .look_payload(15'd0),
    .look_unacknowledged(late_unacknowledged[(LATE-1)*32 +: 32]), .look_remote_bytes(late_remote_bytes[(LATE-1)*64 +: 64]),
    .under_way, .window_valid, .window_ready(1'b1), .window_write, .window_row(), .window_data(), .window_done, .window_q('0),
    .registration_valid, .registration_ready(1'b1), .registration_write, .registration_row(), .registration_data(),
    .registration_done, .registration_q('0),
    .reg_cx_write(), .reg_cx_which(), .reg_cx_context(), .reg_cx_data(), .reg_cx_sq_base('0), .reg_cx_cq_base('0),
    .reg_cx_record('0), .reg_cx_sq_order('0), .reg_cx_cq_order('0), .reg_cx_vector('0), .reg_cx_sq_tail('0),
    .reg_cx_cq_head('0), .reg_cx_sq_head('0), .reg_cx_cq_tail('0), .reg_cx_status('0), .ctx_enable(), .bell(),
    .command_start(), .command_context(), .command_valid(), .command_ready(1'b1), .bell_context(), .bell_value(), .bell_valid(),
    .bell_ready(1'b1),
    .released_context(), .released('0), .drain_partitions(), .drain_owned(), .drain_context(), .drain_valid(),
    .drain_ready(1'b1), .drain_busy(1'b0), .region_valid(), .region_kind(), .region_of_chunk(), .region_element(),
    .region_word(), .region_value(), .region_context(), .region_done(1'b1), .region_refused(1'b1), .region_shown('0),
    .region_swept(1'b1), .region_stale(1'b0), .region_hold(), .region_storing(1'b0), .block_word, .block_value, .link_shown,
    .link_allowed, .link_take, .link_snapshot_done, .tsu_shown('0), .tsu_allowed(1'b0), .tsu_valid(), .tsu_write(),
    .tsu_done(1'b1), .tsu_swept(1'b1), .snapshot, .snapshot_done, .counter_read, .counter_at(), .counter_value(64'd0),
    .counter_done, .e_config, .errors_clear(), .errors_of(), .errors_shown('0),
    .e_cause({e_link, 3'b0, e_config, 2'b0}), .event_valid(), .event_ready(1'b1), .idle());

  glk_link_registers link_registers (
    .clk, .rst, .clear, .word(block_word), .shown(link_shown), .value(block_value), .allowed(link_allowed), .take(link_take),
    .snapshot,
    .snapshot_done(link_snapshot_done), .cfg_enable(cfg_control[0]), .cfg_stitching(cfg_control[1]),
    .cfg_pooling(cfg_control[2]), .cfg_selective(cfg_control[3]), .cfg_sequencing(cfg_control[4]),
    .cfg_trimming(cfg_control[5]), .cfg_yielding(cfg_control[6]), .cfg_pool_cycles(), .cfg_burst(), .cfg_trim_code(),
    .cfg_timeout_ns(), .cluster, .up, .session, .peer_cluster(8'd0), .peer_compact(1'b0), .peer_serial(64'd0),
    .places(11'd1024), .e_flit(1'b0), .e_packet(1'b0), .e_kind(4'd1), .e_refused(1'b0), .e_stitched(1'b0), .e_partial(1'b0),
    .e_parent(1'b0), .e_out(1'b0), .e_padded(1'b0), .e_pooled(1'b0), .e_pool_stitched(2'd0), .e_pool_timed_out(1'b0),
    .wait_valid(1'b0), .wait_kind(4'd1), .wait_clocks(15'd0), .e_up, .e_resumed(1'b0), .e_down, .e_frame_sent(1'b0),
    .e_frame_received(1'b0), .e_replay(1'b0), .e_frame_replayed(1'b0), .e_frame_repeated(1'b0), .e_crc, .e_sequence(1'b0),
    .e_protocol(1'b0), .e_version(1'b0), .e_flit_received(1'b0), .e_credit_stall(1'b0), .e_stray(1'b0), .e_timeout(1'b0),
    .e_given_up(1'b0), .e_lost(1'b0), .e_lost_packets(16'd0), .e_served(1'b0), .e_denied(1'b0), .e_trimmed(1'b0),
    .e_trimmed_bytes(6'd0), .e_link);
endmodule
`default_nettype wire
