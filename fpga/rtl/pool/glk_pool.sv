// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// The pool's port: glk_pool_mux, and behind it the timestamps of lines, which no write gets round: glk_pool_stamps. SETS 0:
// without timestamps.
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
  input  logic              bar4_write,
  input  logic [47:0]       bar4_offset,
  input  logic [12:0]       bar4_length,
  input  logic [DATA_W-1:0] bar4_data,
  input  logic              bar4_last,
  input  logic              bar4_valid,
  output logic              bar4_ready,
  output logic [DATA_W-1:0] bar4_q_data,
  output logic              bar4_q_last,
  output logic              bar4_q_valid,
  input  logic              bar4_q_ready,

  // Endpoint writes; may cross one 4 KiB boundary
  input  logic [47:0]       write_offset,
  input  logic [12:0]       write_length,
  input  logic [DATA_W-1:0] write_data,
  input  logic              write_last,
  input  logic              write_valid,
  output logic              write_ready,

  // Loads of this card; do not cross a 4 KiB boundary
  input  logic [47:0]       load_offset,
  input  logic [12:0]       load_length,
  input  logic              load_valid,
  output logic              load_ready,
  output logic [DATA_W-1:0] load_q_data,
  output logic              load_q_last,
  output logic              load_q_valid,
  input  logic              load_q_ready,
  // Loads of the other card, whose data are always accepted; do not cross a 4 KiB boundary
  input  logic [47:0]       serve_offset,
  input  logic [12:0]       serve_length,
  input  logic              serve_valid,
  output logic              serve_ready,
  output logic [DATA_W-1:0] serve_q_data,
  output logic              serve_q_last,
  output logic              serve_q_valid,

  // Accesses with a time, within a line: its lease alone, a read (whose data is always accepted), a write, a mark, 0 to 3. One
  // at a time; timed_time and timed_wts stay until its lease is given, or refused.
  input  logic [1:0]        timed_kind,
  input  logic [47:0]       timed_offset,
  input  logic [12:0]       timed_length,
  input  logic [DATA_W-1:0] timed_data,
  input  logic              timed_last,
  input  logic              timed_valid,
  output logic              timed_ready,
  input  logic [63:0]       timed_time,
  input  logic [63:0]       timed_wts,
  output logic [DATA_W-1:0] timed_q_data,
  output logic              timed_q_last,
  output logic              timed_q_valid,
  output logic              timed_lease_valid,
  output logic              timed_lease_ok,
  output logic              timed_lease_same,
  output logic [63:0]       timed_lease_wts,
  output logic [63:0]       timed_lease_rts,
  output logic [63:0]       limit,   // a later time is refused
  input  logic              write_refuse, // one that did not come here was
  output logic [5:0]        slot_shift,
  output logic [255:0]      grains,

  // Registers of block TSU, see glk_pool_registers
  input  logic [8:0]        word,
  output logic [63:0]       shown,
  input  logic [63:0]       value,
  output logic              allowed,
  input  logic              reg_valid,
  input  logic              reg_write,
  output logic              reg_done,
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
  logic              zero_last, zero_valid, zero_ready, zero_busy, stamp_valid, stamp_room;
  logic [35:0]       zero_page;
  logic [1:0]        stamp_kind;
  logic [47:0]       stamp_offset;
  logic [12:0]       stamp_length;
  glk_pool_mux #(.DATA_W(DATA_W)) mux (
    .clk, .rst, .bar4_write, .bar4_offset, .bar4_length, .bar4_data, .bar4_last, .bar4_valid, .bar4_ready, .bar4_q_data,
    .bar4_q_last, .bar4_q_valid, .bar4_q_ready,
    .write_offset, .write_length, .write_data, .write_last, .write_valid, .write_ready,
    .load_offset, .load_length, .load_valid, .load_ready, .load_q_data, .load_q_last, .load_q_valid, .load_q_ready,
    .serve_offset, .serve_length, .serve_valid, .serve_ready, .serve_q_data, .serve_q_last, .serve_q_valid,
    .timed_kind, .timed_offset, .timed_length, .timed_data, .timed_last, .timed_valid, .timed_ready, .timed_q_data,
    .timed_q_last, .timed_q_valid,
    .zero_page, .zero_last, .zero_valid, .zero_ready, .stamp_valid, .stamp_kind, .stamp_offset, .stamp_length, .stamp_room,
    .pool_write, .pool_offset, .pool_length, .pool_data, .pool_last, .pool_valid, .pool_ready, .pool_q_data, .pool_q_last,
    .pool_q_valid, .pool_q_ready);

  generate
    if (SETS != 0) begin : stamped
      logic [15:0] read_lease, write_lease;
      logic        adapt, command_valid, command_take, command_done, zero_start, stamps_idle, commands_over;
      logic [2:0]  command_kind;
      logic [23:0] zero_first, zero_pages;
      logic [31:0] epoch, floor;
      logic [63:0] clock, greatest;
      logic        e_read, e_same, e_write, e_untimed, e_refused, e_eviction, e_epoch, e_error;
      glk_pool_registers #(.SETS(SETS), .WAYS(WAYS), .TS_BITS(TS_BITS)) registers (
        .clk, .rst, .clear, .pool_bytes, .slot_shift, .word, .shown, .value, .allowed, .reg_valid, .reg_write, .reg_done,
        .swept(commands_over),
        .read_lease, .write_lease, .adapt, .grains, .command_valid, .command_kind, .command_take, .command_done, .zero_start,
        .zero_first, .zero_pages, .zero_busy,
        .epoch, .floor, .clock, .greatest,
        .events({e_error, e_refused || write_refuse, e_epoch, e_eviction, e_untimed, e_write, e_same, e_read}), .snapshot);
      glk_pool_zero #(.DATA_W(DATA_W)) zero (
        .clk, .rst, .start(zero_start), .first(zero_first), .pages(zero_pages), .busy(zero_busy), .zero_page, .zero_last,
        .zero_valid, .zero_ready);
      glk_pool_stamps #(.SETS(SETS), .WAYS(WAYS), .TS_BITS(TS_BITS)) stamps (
        .clk, .rst, .pool_bytes, .slot_shift, .read_lease, .write_lease, .adapt, .grains,
        .s_valid(stamp_valid && leases), .s_kind(stamp_kind), .s_offset(stamp_offset), .s_length(stamp_length),
        .s_room(stamp_room), .timed_time, .timed_wts, .timed_valid(timed_lease_valid), .timed_ok(timed_lease_ok),
        .timed_same(timed_lease_same), .timed_first(timed_lease_wts), .timed_end(timed_lease_rts),
        .limit, .command_valid, .command_kind, .command_take, .command_done, .epoch, .floor, .clock, .greatest,
        .e_read, .e_same, .e_write, .e_untimed, .e_refused, .e_eviction, .e_epoch, .e_error, .idle(stamps_idle));
      always_ff @(posedge clk)
        leases <= pool_bytes != '0;
      assign idle   = stamps_idle && commands_over && !zero_busy;
      assign swept  = stamps_idle && commands_over;
    end else begin : plain
      assign {leases, idle, swept, zero_page, zero_last, zero_valid, zero_busy, stamp_room} = {3'b011, 36'd0, 4'b0001};
      assign {timed_lease_valid, timed_lease_ok, timed_lease_same, timed_lease_wts, timed_lease_rts, limit, slot_shift,
              grains} = '0;
      assign {shown, allowed, reg_done} = {64'd0, 2'b01};
      wire unused = &{1'b0, clear, pool_bytes, timed_time, timed_wts, write_refuse, word, value, reg_valid, reg_write, snapshot,
                            zero_ready, zero_busy, stamp_valid, stamp_kind,
                      stamp_offset, stamp_length};
    end
  endgenerate
endmodule
`default_nettype wire
