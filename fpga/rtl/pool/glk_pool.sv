// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// The pool's port: glk_pool_mux, and behind it the timestamps of lines, which no write gets round: glk_pool_stamps. SETS 0: without
// timestamps.
module glk_pool #(
  parameter int DATA_W  = 512,
  parameter int SETS    = 1024,
  parameter int WAYS    = 8,
  parameter int TS_BITS = 32
) (
  input  logic              clk,
  input  logic              rst,
  input  logic              clear,   // a reset: the next epoch
  input  logic [63:0]       pool_bytes,
  output logic              leases,  // there are timestamps; constant
  output logic              idle,
  output logic              swept,

  // BAR 4 accesses; do not cross a 4 KiB boundary
  input  logic              b_write,
  input  logic [47:0]       b_offset,
  input  logic [12:0]       b_length,
  input  logic [DATA_W-1:0] b_data,
  input  logic              b_last,
  input  logic              b_valid,
  output logic              b_ready,
  output logic [DATA_W-1:0] b_q_data,
  output logic              b_q_last,
  output logic              b_q_valid,
  input  logic              b_q_ready,

  // Endpoint writes; may cross one 4 KiB boundary
  input  logic [47:0]       e_offset,
  input  logic [12:0]       e_length,
  input  logic [DATA_W-1:0] e_data,
  input  logic              e_last,
  input  logic              e_valid,
  output logic              e_ready,

  // Loads of this card; do not cross a 4 KiB boundary
  input  logic [47:0]       l_offset,
  input  logic [12:0]       l_length,
  input  logic              l_valid,
  output logic              l_ready,
  output logic [DATA_W-1:0] l_q_data,
  output logic              l_q_last,
  output logic              l_q_valid,
  input  logic              l_q_ready,
  // Loads of the other card, whose data are always accepted; do not cross a 4 KiB boundary
  input  logic [47:0]       k_offset,
  input  logic [12:0]       k_length,
  input  logic              k_valid,
  output logic              k_ready,
  output logic [DATA_W-1:0] k_q_data,
  output logic              k_q_last,
  output logic              k_q_valid,

  // Accesses with a time, within a line: its lease alone, a read (whose data is always accepted), a write, a mark, 0 to 3. One at a time;
  // t_time and t_wts stay until its lease is given, or refused.
  input  logic [1:0]        t_kind,
  input  logic [47:0]       t_offset,
  input  logic [12:0]       t_length,
  input  logic [DATA_W-1:0] t_data,
  input  logic              t_last,
  input  logic              t_valid,
  output logic              t_ready,
  input  logic [63:0]       t_time,
  input  logic [63:0]       t_wts,
  output logic [DATA_W-1:0] t_q_data,
  output logic              t_q_last,
  output logic              t_q_valid,
  output logic              t_lease_valid,
  output logic              t_lease_ok,
  output logic              t_lease_same,
  output logic [63:0]       t_lease_wts,
  output logic [63:0]       t_lease_rts,
  output logic [63:0]       limit,   // a later time is refused
  input  logic              e_refuse, // one that did not come here was
  output logic [5:0]        slot_shift,
  output logic [255:0]      grains,

  // Registers of block TSU, see glk_pool_registers
  input  logic [8:0]        word,
  output logic [63:0]       shown,
  input  logic [63:0]       value,
  output logic              allowed,
  input  logic              x_valid,
  input  logic              x_write,
  output logic              x_done,
  input  logic              snapshot,

  output logic              pool_write,
  output logic [47:0]       pool_offset,
  output logic [12:0]       pool_length,
  output logic [DATA_W-1:0] pool_data,
  output logic              pool_last,
  output logic              pool_valid,
  input  logic              pool_ready,
  input  logic [DATA_W-1:0] pool_q_data,
  input  logic              pool_q_last,
  input  logic              pool_q_valid,
  output logic              pool_q_ready
);
  logic              z_last, z_valid, z_ready, z_busy, stamp_valid, stamp_room;
  logic [35:0]       z_page;
  logic [1:0]        stamp_kind;
  logic [47:0]       stamp_offset;
  logic [12:0]       stamp_length;
  glk_pool_mux #(.DATA_W(DATA_W)) mux (
    .clk, .rst, .b_write, .b_offset, .b_length, .b_data, .b_last, .b_valid, .b_ready, .b_q_data, .b_q_last, .b_q_valid, .b_q_ready,
    .e_offset, .e_length, .e_data, .e_last, .e_valid, .e_ready,
    .l_offset, .l_length, .l_valid, .l_ready, .l_q_data, .l_q_last, .l_q_valid, .l_q_ready,
    .k_offset, .k_length, .k_valid, .k_ready, .k_q_data, .k_q_last, .k_q_valid,
    .t_kind, .t_offset, .t_length, .t_data, .t_last, .t_valid, .t_ready, .t_q_data, .t_q_last, .t_q_valid,
    .z_page, .z_last, .z_valid, .z_ready, .stamp_valid, .stamp_kind, .stamp_offset, .stamp_length, .stamp_room,
    .pool_write, .pool_offset, .pool_length, .pool_data, .pool_last, .pool_valid, .pool_ready, .pool_q_data, .pool_q_last, .pool_q_valid,
    .pool_q_ready);

  generate
    if (SETS != 0) begin : stamped
      logic [15:0] read_lease, write_lease;
      logic        adapt, c_valid, c_take, c_done, z_start, stamps_idle, commands_over;
      logic [2:0]  c_kind;
      logic [23:0] z_first, z_pages;
      logic [31:0] epoch, floor;
      logic [63:0] clock, greatest;
      logic        e_read, e_same, e_write, e_untimed, e_refused, e_eviction, e_epoch, e_error;
      glk_pool_registers #(.SETS(SETS), .WAYS(WAYS), .TS_BITS(TS_BITS)) registers (
        .clk, .rst, .clear, .pool_bytes, .slot_shift, .word, .shown, .value, .allowed, .x_valid, .x_write, .x_done, .swept(commands_over),
        .read_lease, .write_lease, .adapt, .grains, .c_valid, .c_kind, .c_take, .c_done, .z_start, .z_first, .z_pages, .z_busy,
        .epoch, .floor, .clock, .greatest,
        .events({e_error, e_refused || e_refuse, e_epoch, e_eviction, e_untimed, e_write, e_same, e_read}), .snapshot);
      glk_pool_zero #(.DATA_W(DATA_W)) zero (
        .clk, .rst, .start(z_start), .first(z_first), .pages(z_pages), .busy(z_busy), .z_page, .z_last, .z_valid, .z_ready);
      glk_pool_stamps #(.SETS(SETS), .WAYS(WAYS), .TS_BITS(TS_BITS)) stamps (
        .clk, .rst, .pool_bytes, .slot_shift, .read_lease, .write_lease, .adapt, .grains,
        .s_valid(stamp_valid && leases), .s_kind(stamp_kind), .s_offset(stamp_offset), .s_length(stamp_length), .s_room(stamp_room),
        .t_time, .t_wts, .t_valid(t_lease_valid), .t_ok(t_lease_ok), .t_same(t_lease_same), .t_first(t_lease_wts), .t_end(t_lease_rts),
        .limit, .x_valid(c_valid), .x_kind(c_kind), .x_take(c_take), .x_done(c_done), .epoch, .floor, .clock, .greatest,
        .e_read, .e_same, .e_write, .e_untimed, .e_refused, .e_eviction, .e_epoch, .e_error, .idle(stamps_idle));
      always_ff @(posedge clk)
        leases <= pool_bytes != '0;
      assign idle   = stamps_idle && commands_over && !z_busy;
      assign swept  = stamps_idle && commands_over;
    end else begin : plain
      assign {leases, idle, swept, z_page, z_last, z_valid, z_busy, stamp_room} = {3'b011, 36'd0, 4'b0001};
      assign {t_lease_valid, t_lease_ok, t_lease_same, t_lease_wts, t_lease_rts, limit, slot_shift, grains} = '0;
      assign {shown, allowed, x_done} = {64'd0, 2'b01};
      wire unused = &{1'b0, clear, pool_bytes, t_time, t_wts, e_refuse, word, value, x_valid, x_write, snapshot, z_ready, z_busy, stamp_valid, stamp_kind,
                      stamp_offset, stamp_length};
    end
  endgenerate
endmodule
`default_nettype wire
