// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// glk_tsu, scaled down: an entry, four lines, times of three bits. For arbitrary operations, of a watched line. Under
// ORDER: the time of a write is behind the end of every lease that was given for its line, and not before the clock or its own
// time; a read's lease begins at the last write and contains its time. Under BOUND: no lease ends after GREATEST, and none is
// given for a time later than the one behind it. Under REACHED the negated covers are asserted; each must fail.
module tsu (
  input logic       clk,
  input logic       want,
  input logic [2:0] kind,
  input logic [1:0] line,
  input logic [4:0] when,
  input logic [4:0] had
);
  logic past_reset = 1'b0;
  always_ff @(posedge clk) past_reset <= 1'b1;
  wire rst = !past_reset;

  (* anyconst *) logic [1:0] watched;
  (* anyconst *) logic       adapt;
  wire [2:0]   op_kind  = (kind > 3'd4) ? 3'd0 : kind;
  wire [63:0]  op_time  = {30'd0, when[4:3], 29'd0, when[2:0]};
  wire [63:0]  op_wts   = {30'd0, had[4:3], 29'd0, had[2:0]};
  logic        op_ready, op_q_ok, op_q_same, op_q_valid, e_eviction, e_epoch, e_error, idle;
  logic [2:0]  op_q_kind;
  logic [63:0] op_q_wts, op_q_rts, clock, greatest;
  logic [31:0] epoch, floor;
  logic [63:0] limit;
  glk_tsu #(.SETS(1), .WAYS(1), .TS_BITS(3), .LINE_W(8)) dut (
    .clk, .rst, .read_lease(16'd2), .write_lease(16'd1), .adapt,
    .op_kind, .op_line({6'd0, line}), .op_time, .op_wts, .op_valid(want), .op_ready,
    .op_q_ok, .op_q_same, .op_q_wts, .op_q_rts, .op_q_kind, .op_q_valid, .epoch, .floor, .clock, .greatest, .limit, .e_eviction,
    .e_epoch, .e_error, .idle);

  // --- operations under way, the oldest at `waiting` - 1: of the watched line, with their times ---
  logic [7:0]  mines = 8'd0;
  logic [39:0] times = 40'd0;
  logic [3:0]  waiting = 4'd0;
  logic        mine;
  logic [4:0]  its_when;
  wire         taken = want && op_ready && past_reset;
  always_comb begin
    mine     = mines[3'(waiting - 4'd1)];
    its_when = times[5 * 3'(waiting - 4'd1) +: 5];
  end
  wire [63:0] its_time = {30'd0, its_when[4:3], 29'd0, its_when[2:0]};
  always_ff @(posedge clk) begin
    if (taken) begin
      mines <= {mines[6:0], line == watched};
      times <= {times[34:0], when};
    end
    waiting <= waiting + 4'(taken) - 4'(op_q_valid);
  end

  // --- what was given ---
  wire         writes = op_q_valid && op_q_ok && op_q_kind < 3'd2;
  wire         reads  = op_q_valid && op_q_ok && op_q_kind == 3'd2;
  logic        some = 1'b0, evicted = 1'b0, begun = 1'b0, was_lease = 1'b0;
  logic [63:0] latest = 64'd0, last = 64'd0, before = 64'd0, was_greatest = 64'd0, was_rts = 64'd0, was_clock = 64'd0;
  always_ff @(posedge clk) begin
    was_lease    <= writes || reads;
    was_rts      <= op_q_rts;
    if (op_q_valid)
      was_greatest <= greatest; // before this result; a time is compared when all earlier ones have theirs
    if ((writes || reads) && mine) begin
      some <= 1'b1;
      if (!some || op_q_rts > latest)
        latest <= op_q_rts;
    end
    if (writes && mine)
      last <= op_q_wts;
    if (writes && op_q_wts > before)
      before <= op_q_wts;
    evicted <= evicted || e_eviction;
    begun   <= begun || e_epoch;
  end

  wire         its_last   = greatest[2:0] == 3'd7;
  wire [63:0]  its_limit  = its_last ? {greatest[63:32] + 32'd1, 32'd0} : greatest + 64'd1;
  always_ff @(posedge clk)
    if (past_reset) begin
`ifdef ORDER
      assert(waiting <= 4'd8);
      if (writes && mine)
        assert(!some || op_q_wts > latest);
      if (writes && op_q_kind == 3'd0)
        assert(op_q_wts >= before);
      if (writes && op_q_kind == 3'd1)
        assert(op_q_wts >= its_time);
      if (reads && mine)
        assert(op_q_wts >= last);
      if (reads)
        assert(op_q_rts >= its_time && op_q_rts >= op_q_wts);
`endif
`ifdef BOUND
      assert(!was_lease || was_rts <= greatest);
      if (op_q_valid && (op_q_kind == 3'd1 || op_q_kind == 3'd2))
        assert(op_q_ok == (its_time <= its_limit));
`endif
`ifdef REACHED
      assert(!(writes && mine && some && evicted && op_q_kind == 3'd1));
      assert(!(writes && mine && some && begun && op_q_kind == 3'd0));
      assert(!(reads && mine && op_q_same && some));
      assert(!(op_q_valid && !op_q_ok));
`endif
    end
endmodule
`default_nettype wire
