// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Stamps of the pool's lines, in the order of glk_pool_mux: an operation of glk_tsu for each line that a write touches, and for
// the line of an access with a time. A line's bytes are those of its slot's grain.
//
// Commands of the registers (new epoch, other grains) and marks take their place in this order: no stamp is under way when the
// grains change, so every line that was named by the old ones is behind GREATEST.
module glk_pool_stamps #(
  parameter int SETS    = 1024,
  parameter int WAYS    = 8,
  parameter int TS_BITS = 32
) (
  input  logic         clk,
  input  logic         rst,
  input  logic [63:0]  pool_bytes,
  output logic [5:0]   slot_shift,

  // Settings
  input  logic [15:0]  read_lease,
  input  logic [15:0]  write_lease,
  input  logic         adapt,
  input  logic [255:0] grains,

  // From glk_pool_mux
  input  logic         s_valid,
  // 0 write without a time, 1 write, 2 lease, 3 mark: answered when all stamps ahead of it are made
  input  logic [1:0]   s_kind,
  input  logic [47:0]  s_offset,
  input  logic [12:0]  s_length,
  output logic         s_room,

  // Time of the access with a time, stable from before its stamp until its answer; a time later than `limit` is refused
  input  logic [63:0]  timed_time,
  input  logic [63:0]  timed_wts,
  output logic         timed_valid,
  output logic         timed_ok,
  output logic         timed_same,
  output logic [63:0]  timed_first, // wts
  output logic [63:0]  timed_end,   // rts
  output logic [63:0]  limit,

  // Commands: 3 other grains, which are taken over in the clock of command_take, 4 next epoch, 5 mark: all stamps ahead of it
  // are made
  input  logic         command_valid, // until command_done
  input  logic [2:0]   command_kind,
  output logic         command_take,
  output logic         command_done,

  output logic [31:0]  epoch,
  output logic [31:0]  floor,
  output logic [63:0]  clock,
  output logic [63:0]  greatest,
  output logic         e_read,
  output logic         e_same,
  output logic         e_write,
  output logic         e_untimed,
  output logic         e_refused,
  output logic         e_eviction,
  output logic         e_epoch,
  output logic         e_error,
  output logic         idle
);
  localparam int LINE_W = 42;
  localparam int DEPTH  = 32;

  // --- log2 of a slot's bytes ---
  always_ff @(posedge clk) begin
    slot_shift <= 6'd12;
    for (int k = 12; k < 42; k = k + 1)
      if (pool_bytes > (64'd64 << k))
        slot_shift <= 6'(k + 1);
  end

  // --- queue; `s_room` 0 while it has fewer than eight places left ---
  logic        f_valid, f_ready, f_room, f_some;
  logic [1:0]  f_kind;
  logic [47:0] f_offset;
  logic [12:0] f_length;
  logic [5:0]  count;
  glk_fifo #(.W(63), .DEPTH(DEPTH)) queue (
    .clk, .rst, .s_data({s_kind, s_offset, s_length}), .s_valid(s_valid), .s_ready(f_room),
    .m_data({f_kind, f_offset, f_length}), .m_valid(f_valid), .m_ready(f_ready));
  always_ff @(posedge clk) begin
    count  <= count + 6'(s_valid) - 6'(f_valid && f_ready);
    s_room <= count < 6'(DEPTH - 8) && !command_valid;
    if (rst) begin
      count  <= '0;
      s_room <= 1'b0;
    end
  end
  assign f_some = count != '0;

  // --- slot, grain, first and last line ---
  logic              a_valid, b_valid, c_valid, d_valid, a_go, b_go, c_go, d_go;
  logic [1:0]        a_kind, b_kind, c_kind, d_kind;
  logic [LINE_W-1:0] a_first, a_last, b_first, b_last, c_first, c_last, d_line, d_last;
  logic [47:0]       f_end;
  logic [5:0]        a_slot;
  logic [3:0]        b_grain;
  logic [2:0]        c_grain, d_grain;
  logic              held;    // a command waits, or is under way
  assign f_end   = f_offset + 48'(f_length) - 48'd1;
  assign a_go    = !a_valid || b_go;
  assign b_go    = !b_valid || c_go;
  assign c_go    = !c_valid || d_go;
  assign f_ready = a_go;
  wire [LINE_W-1:0] c_mask = ~((LINE_W'(1) << c_grain) - LINE_W'(1));
  wire [LINE_W-1:0] d_next = d_line + (LINE_W'(1) << d_grain);
  logic              op_valid, op_ready, d_issue;
  logic [2:0]        op_kind;
  assign d_issue = d_valid && op_ready;
  assign d_go    = !d_valid || (op_ready && d_line == d_last);

  always_ff @(posedge clk) begin
    if (a_go) begin
      a_valid <= f_valid;
      a_kind  <= f_kind;
      a_first <= f_offset[47:6];
      a_last  <= f_end[47:6];
      a_slot  <= 6'(f_offset >> slot_shift);
    end
    if (b_go) begin
      b_valid <= a_valid;
      b_kind  <= a_kind;
      b_first <= a_first;
      b_last  <= a_last;
      b_grain <= grains[a_slot*4 +: 4];
    end
    if (c_go) begin
      c_valid <= b_valid;
      c_kind  <= b_kind;
      c_first <= b_first;
      c_last  <= b_last;
      c_grain <= b_grain[2:0];
    end
    if (d_go) begin
      d_valid <= c_valid;
      d_kind  <= c_kind;
      d_line  <= c_first & c_mask;
      d_last  <= c_last & c_mask;
      d_grain <= c_grain;
    end else if (d_issue)
      d_line <= d_next;
    if (rst) begin
      a_valid <= 1'b0;
      b_valid <= 1'b0;
      c_valid <= 1'b0;
      d_valid <= 1'b0;
    end
  end

  // --- operations; commands between stamps ---
  logic        op_q_valid, op_q_ok, op_q_same, tsu_idle;
  logic [63:0] op_q_wts, op_q_rts;
  logic [2:0]  op_q_kind;
  logic [3:0]  settled; // clocks without stamps since the command waits: none enters any more
  logic        asked;
  wire         offers = command_valid && &settled && !asked;
  assign op_valid     = d_valid || offers;
  assign op_kind      = !d_valid ? command_kind : (d_kind == 2'd3) ? 3'd6 : {1'b0, d_kind};
  assign command_take = offers && !d_valid && op_ready;

  always_ff @(posedge clk) begin
    settled <= (held && !s_valid && !f_some && !f_valid && !a_valid && !b_valid && !c_valid && !d_valid) ?
        settled + 4'(!(&settled)) : '0;
    held    <= command_valid && !command_done;
    asked   <= (asked || command_take) && command_valid && !command_done;
    if (rst) begin
      settled <= '0;
      held    <= 1'b0;
      asked   <= 1'b0;
    end
  end

  glk_tsu #(.SETS(SETS), .WAYS(WAYS), .TS_BITS(TS_BITS), .LINE_W(LINE_W)) tsu (
    .clk, .rst, .read_lease, .write_lease, .adapt,
    .op_kind, .op_line(d_line), .op_time(timed_time), .op_wts(timed_wts), .op_valid, .op_ready,
    .op_q_ok, .op_q_same, .op_q_wts, .op_q_rts, .op_q_kind, .op_q_valid, .epoch, .floor, .clock, .greatest, .limit, .e_eviction,
    .e_epoch, .e_error, .idle(tsu_idle));

  assign timed_valid  = op_q_valid && (op_q_kind == 3'd1 || op_q_kind == 3'd2 || op_q_kind == 3'd6);
  assign timed_ok     = op_q_ok;
  assign timed_same   = op_q_same;
  assign timed_first  = op_q_wts;
  assign timed_end    = op_q_rts;
  assign command_done = op_q_valid && op_q_kind >= 3'd3 && op_q_kind != 3'd6;

  always_ff @(posedge clk) begin
    e_untimed <= op_q_valid && op_q_kind == 3'd0;
    e_write   <= op_q_valid && op_q_kind == 3'd1 && op_q_ok;
    e_read    <= op_q_valid && op_q_kind == 3'd2 && op_q_ok;
    e_same    <= op_q_valid && op_q_kind == 3'd2 && op_q_ok && op_q_same;
    e_refused <= timed_valid && !op_q_ok;
    idle      <= tsu_idle && !s_valid && !f_some && !f_valid && !a_valid && !b_valid && !c_valid && !d_valid && !command_valid;
    if (rst)
      idle <= 1'b0;
  end

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk)
    if (checks)
      begin : stamp_has_room assert (!s_valid || f_room); end
`endif
  wire unused = &{1'b0, b_grain[3], f_end[5:0]};
endmodule
`default_nettype wire
