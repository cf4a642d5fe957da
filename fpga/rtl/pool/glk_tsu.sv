// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Timestamps of the pool's lines (MGCC 4.2.5): leases for reads, and a time behind all leases of its line for each write. The
// rules are those of fpga/model/pool/tsu.h. A time is {epoch, ts}; ts has TS_BITS.
//
// Operations take effect in order. A write without a time takes a clock, another one some ten; one whose set is that of an
// operation ahead waits for it. A new epoch, and `forget`, clear all entries, a set a clock, while the operations behind wait.
// What these have read of the table is void then: all their sets are empty (`fresh`).
module glk_tsu #(
  parameter int SETS    = 1024, // powers of two
  parameter int WAYS    = 8,
  parameter int TS_BITS = 32,   // 3..32
  parameter int LINE_W  = 42
) (
  input  logic              clk,
  input  logic              rst,

  // Settings: leases 1..2^15, below 2^(TS_BITS - 1)
  input  logic [15:0]       read_lease,
  input  logic [15:0]       write_lease,
  input  logic              adapt,

  // Operations: 0 write without a time, 1 write, 2 read, 3 forget all entries, 4 next epoch, 5 and 6 none
  input  logic [2:0]        op_kind,
  input  logic [LINE_W-1:0] op_line,
  input  logic [63:0]       op_time,
  input  logic [63:0]       op_wts, // of a read: the copy's, or all ones
  input  logic              op_valid,
  output logic              op_ready,

  // Their results, in order
  output logic              op_q_ok,   // not refused for its time
  output logic              op_q_same, // the copy is the line's bytes
  output logic [63:0]       op_q_wts,
  output logic [63:0]       op_q_rts,
  output logic [2:0]        op_q_kind,
  output logic              op_q_valid,

  // State; pulses of events
  output logic [31:0]       epoch,
  output logic [31:0]       floor,
  output logic [63:0]       clock,
  output logic [63:0]       greatest,
  output logic [63:0]       limit,   // the time behind `greatest`: a later one is refused
  output logic              e_eviction,
  output logic              e_epoch,
  output logic              e_error,
  output logic              idle
);
  localparam int SET_BITS = $clog2(SETS);
  localparam int SB       = (SETS > 1) ? SET_BITS : 1;
  localparam int WB       = (WAYS > 1) ? $clog2(WAYS) : 1;
  localparam int TAG_W    = LINE_W - SET_BITS;
  localparam int STAGES   = 2 + ((WAYS > 1) ? $clog2(WAYS) : 1); // of a search; then D, E, and the result
  localparam int SUM_W    = ((TS_BITS > 20) ? TS_BITS : 20) + 1;
  localparam logic [TS_BITS-1:0] LAST = {TS_BITS{1'b1}};
  localparam logic [2:0] UNTIMED = 3'd0, WRITE = 3'd1, READ = 3'd2, FORGET = 3'd3, EPOCH = 3'd4;

  initial if (TS_BITS < 3 || TS_BITS > 32 || SETS < 1 || WAYS < 1 || (SETS & (SETS - 1)) != 0 ||
              (WAYS & (WAYS - 1)) != 0) $fatal;

  // --- input; at most one operation with a time is under way ---
  logic [2:0]        i_kind;
  logic [LINE_W-1:0] i_line;
  logic [63:0]       i_time, i_wts;
  logic              i_valid, i_ready;
  glk_skid #(.W(3 + LINE_W + 128)) in (
    .clk, .rst, .s_data({op_kind, op_line, op_time, op_wts}), .s_valid(op_valid), .s_ready(op_ready),
    .m_data({i_kind, i_line, i_time, i_wts}), .m_valid(i_valid), .m_ready(i_ready));
  // All bits of the line count, folded: lines of coarse grains, whose lower bits are 0, are spread over all sets.
  logic [SB-1:0]   i_set;
  always_comb begin
    i_set = '0;
    if (SETS > 1)
      for (int k = 0; k < LINE_W; k = k + 1)
        i_set[k % SB] = i_set[k % SB] ^ i_line[k];
  end
  wire [TAG_W-1:0] i_tag = i_line[LINE_W-1:SET_BITS];

  // --- search ---
  localparam int OP = 3 + SB + TAG_W;
  logic [STAGES*OP-1:0]  ops;    // stage k at k*OP
  logic [STAGES-1:0]     valids, freshs;
  logic [STAGES+2:0]     sames;  // the set of the next operation is in use: by a stage, D, E, the result
  logic                  run, ready_to_go, timed, emptied;
  logic [63:0]           t_time, t_wts;

  logic                  d_valid, e_valid, f_write;
  logic [SB-1:0]         d_set, e_set, f_set;
  always_comb begin
    for (int k = 0; k < STAGES; k = k + 1)
      sames[k] = valids[k] && ops[k*OP +: SB] == i_set;
    sames[STAGES]   = d_valid && d_set == i_set;
    sames[STAGES+1] = e_valid && e_set == i_set;
    sames[STAGES+2] = f_write && f_set == i_set;
  end
  assign ready_to_go = run && sames == '0 && (i_kind == UNTIMED || !timed);
  assign i_ready     = ready_to_go;
  wire   starts      = i_valid && ready_to_go;

  logic                  s_error, s_hit, s_used;
  logic [WB-1:0]         s_way, s_victim;
  logic [TS_BITS-1:0]    s_wts, s_rts, s_ends;
  logic [2:0]            s_order;
  logic                  write_valid, write_all;
  logic [SB-1:0]         write_set;
  logic [WB-1:0]         f_way;
  logic [TAG_W-1:0]      f_tag;
  logic [TS_BITS-1:0]    f_wts, f_rts;
  logic [2:0]            f_order;
  glk_tsu_ways #(.SETS(SETS), .WAYS(WAYS), .TS_BITS(TS_BITS), .TAG_W(TAG_W)) ways (
    .clk, .run, .read_set(i_set), .read_tag(i_tag),
    .read_q_error(s_error), .read_q_hit(s_hit), .read_q_way(s_way), .read_q_wts(s_wts), .read_q_rts(s_rts),
    .read_q_order(s_order), .read_q_victim(s_victim), .read_q_used(s_used), .read_q_ends(s_ends),
    .write_valid, .write_all, .write_some(!write_all), .write_set, .write_way(f_way), .write_tag(f_tag), .write_wts(f_wts),
    .write_rts(f_rts), .write_order(f_order));

  always_ff @(posedge clk) begin
    if (run) begin
      ops    <= (STAGES*OP)'({ops, i_kind, i_tag, i_set});
      valids <= STAGES'({valids, starts});
      freshs <= STAGES'({freshs, 1'b0});
    end
    if (emptied)
      freshs <= '1;
    if (starts && i_kind != UNTIMED) begin
      t_time <= i_time;
      t_wts  <= i_wts;
    end
    if (rst)
      valids <= '0;
  end

  // --- the operation whose time is determined (D): the last stage's, with a clock for what its time depends on ---
  typedef enum logic [3:0] {FLOW, DRAIN, SORT, TAKE, ENTRY, BEGINS, ENDS, GIVE, CLEAR, CLEARED} state_t;
  state_t             state, resume;
  logic               d_error, d_hit, d_used, d_last, d_simple;
  logic [2:0]         d_kind, d_order;
  logic [TAG_W-1:0]   d_tag;
  logic [WB-1:0]      d_way;
  logic [TS_BITS-1:0] d_wts, d_end, d_after; // d_end: of the line's lease, or the evicted entry's; and the one behind it
  wire  [OP-1:0]      s_op    = ops[(STAGES-1)*OP +: OP];
  wire                s_fresh = freshs[STAGES-1];
  wire                s_found = s_hit && !s_fresh;
  wire [TS_BITS-1:0]  s_end   = s_found ? s_rts : s_ends;

  // Floor and clock, the latter's ts in this epoch; times behind them.
  logic [TS_BITS-1:0] floor_now, floor_after, clock_now;
  logic [31:0]        clock_epoch;
  logic [TS_BITS-1:0] clock_ts;
  logic               floor_last;
  assign floor = 32'(floor_now);
  assign clock = {clock_epoch, 32'(clock_ts)};

  wire   evicts    = !d_hit && d_used;
  wire   by_entry  = d_hit || (d_used && !(floor_now > d_end)); // the line's time depends on d_end, not on the floor
  wire   is_last   = by_entry ? d_last : floor_last;            // its lease ends with the epoch
  wire   flows     = d_valid && d_simple && !is_last && state == FLOW;
  assign run       = !d_valid || flows;
  wire [TS_BITS-1:0] flow_wts = by_entry ? ((clock_now > d_after) ? clock_now : d_after) :
                                ((clock_now > floor_after) ? clock_now : floor_after);

  logic [1:0]         pace;
  logic [SB-1:0]      sweep;
  logic               refused, later, earlier, same;
  logic [TS_BITS-1:0] ts, x_wts, x_rts, begins;
  logic [2:0]         x_order;
  logic [SUM_W-1:0]   sum;
  wire                sum_over = |sum[SUM_W-1:TS_BITS];
  wire [TS_BITS-1:0]  sum_end  = sum_over ? LAST : sum[TS_BITS-1:0];
  wire [2:0]          grown    = (adapt && same && x_order != 3'd4) ? x_order + 3'd1 : x_order;

  // E: a write's lease ends.
  logic               e_ok, e_same, e_given;
  logic [2:0]         e_kind, e_order;
  logic [31:0]        e_epoch_number;
  logic [TAG_W-1:0]   e_tag;
  logic [WB-1:0]      e_way;
  logic [TS_BITS-1:0] e_wts, e_rts;
  wire [SUM_W-1:0]    e_sum    = SUM_W'(e_wts) + SUM_W'(write_lease) - SUM_W'(1);
  wire                e_over   = |e_sum[SUM_W-1:TS_BITS];

  assign emptied     = state == CLEAR;
  assign write_all   = state == CLEAR;
  assign write_valid = write_all || f_write;
  assign write_set   = write_all ? sweep : f_set;

  always_ff @(posedge clk) begin
    e_eviction <= 1'b0;
    e_epoch    <= 1'b0;
    e_error    <= 1'b0;
    e_valid    <= 1'b0;

    if (run) begin
      d_valid  <= valids[STAGES-1];
      {d_kind, d_tag, d_set} <= s_op;
      d_error  <= s_error && !s_fresh;
      d_hit    <= s_found;
      d_used   <= s_used && !s_fresh;
      d_way    <= s_fresh ? '0 : s_hit ? s_way : s_victim;
      d_wts    <= s_wts;
      d_order  <= s_order;
      d_end    <= s_end;
      d_after  <= s_end + TS_BITS'(1);
      d_last   <= s_end == LAST;
      d_simple <= s_op[OP-1 -: 3] == UNTIMED && !(s_error && !s_fresh);
    end

    e_kind         <= d_kind;
    e_set          <= d_set;
    e_tag          <= d_tag;
    e_way          <= d_way;
    e_epoch_number <= epoch;
    pace           <= pace + 2'd1;

    if (flows || (state == ENTRY && evicts)) begin
      e_eviction <= evicts;
      if (evicts && by_entry) begin
        floor_now   <= d_end;
        floor_after <= d_after;
        floor_last  <= d_last;
      end
    end
    if (flows) begin
      clock_epoch <= epoch;
      clock_now   <= flow_wts;
      clock_ts    <= flow_wts;
      e_valid     <= 1'b1;
      e_ok        <= 1'b1;
      e_same      <= 1'b0;
      e_given     <= 1'b0;
      e_wts       <= flow_wts;
      e_order     <= 3'd0;
    end

    unique case (state)
      FLOW: begin
        pace   <= 2'd0;
        resume <= FLOW;
        if (d_valid && !flows) // until what is ahead has its result
          state <= DRAIN;
      end
      DRAIN:
        if (pace == 2'd3)
          state <= SORT;
      SORT: begin
        refused <= t_time > limit;
        later   <= t_time[63:32] > epoch;
        earlier <= t_time[63:32] < epoch;
        state   <= TAKE;
        if (d_kind == FORGET) begin
          if (greatest[63:32] == epoch) begin
            floor_now   <= greatest[TS_BITS-1:0];
            floor_after <= greatest[TS_BITS-1:0] + TS_BITS'(1);
            floor_last  <= greatest[TS_BITS-1:0] == LAST;
          end
          resume <= GIVE;
          state  <= CLEAR;
        end else if (d_kind > EPOCH) begin
          state <= GIVE;
        end else if (d_kind == EPOCH) begin
          epoch   <= epoch + 32'd1;
          e_epoch <= 1'b1;
          resume  <= GIVE;
          state   <= CLEARED;
        end else if (d_kind == UNTIMED) begin // a parity error, or its line's lease ends with the epoch
          e_error    <= d_error;
          e_eviction <= evicts && !d_error;
          epoch      <= epoch + 32'd1;
          e_epoch    <= 1'b1;
          resume     <= FLOW;
          state      <= CLEARED;
        end
      end
      TAKE: begin
        ts <= earlier ? '0 : t_time[TS_BITS-1:0];
        if (refused) begin
          state <= GIVE;
        end else if (later) begin
          epoch   <= t_time[63:32];
          e_epoch <= 1'b1;
          resume  <= ENTRY;
          state   <= CLEARED;
        end else if (d_error) begin
          e_error <= 1'b1;
          epoch   <= epoch + 32'd1;
          e_epoch <= 1'b1;
          ts      <= '0;
          resume  <= ENTRY;
          state   <= CLEARED;
        end else
          state <= ENTRY;
      end
      ENTRY: begin
        x_wts   <= d_hit ? d_wts : by_entry ? d_end : floor_now;
        x_rts   <= by_entry ? d_end : floor_now;
        x_order <= d_hit ? d_order : 3'd0;
        state   <= BEGINS;
        if (d_kind == WRITE && is_last) begin
          epoch   <= epoch + 32'd1;
          e_epoch <= 1'b1;
          ts      <= '0;
          resume  <= ENTRY;
          state   <= CLEARED;
        end
      end
      BEGINS: begin
        begins <= (ts > x_wts) ? ts : x_wts;
        same   <= d_kind == READ && t_wts == {epoch, 32'(x_wts)};
        state  <= ENDS;
      end
      ENDS: begin
        sum     <= SUM_W'(begins) + (adapt ? SUM_W'(read_lease) << grown : SUM_W'(read_lease));
        x_order <= grown;
        state   <= GIVE;
      end
      GIVE: begin
        e_valid <= 1'b1;
        e_ok    <= !refused || d_kind[2] || d_kind == FORGET;
        e_same  <= same && !refused && d_kind == READ;
        e_given <= d_kind != WRITE;
        e_wts   <= (d_kind == READ) ? x_wts : (ts > x_rts) ? ts : x_rts + TS_BITS'(1);
        e_rts   <= (sum_end > x_rts) ? sum_end : x_rts;
        e_order <= (d_kind == READ) ? x_order : 3'd0;
        d_valid <= 1'b0;
        state   <= FLOW;
      end

      // --- a new epoch, and an empty table ---
      CLEARED: begin
        floor_now   <= '0;
        floor_after <= TS_BITS'(1);
        floor_last  <= 1'b0;
        clock_now   <= '0;
        state       <= CLEAR;
      end
      CLEAR: begin
        sweep   <= sweep + SB'(1);
        d_hit   <= 1'b0;
        d_used  <= 1'b0;
        d_way   <= '0;
        d_error <= 1'b0;
        if (d_kind == UNTIMED)
          d_simple <= 1'b1;
        if (sweep == SB'(SETS - 1)) begin
          sweep <= '0;
          state <= resume;
        end
      end
      default: state <= FLOW;
    endcase

    // A write with a time moves the clock; its lease ends a clock later.
    if (e_valid && e_kind == WRITE && e_ok && {e_epoch_number, e_wts} > {clock_epoch, clock_ts}) begin
      clock_epoch <= e_epoch_number;
      clock_ts    <= e_wts;
      clock_now   <= e_wts;
    end

    if (starts && i_kind != UNTIMED)
      timed <= 1'b1;
    else if (op_q_valid && op_q_kind != UNTIMED)
      timed <= 1'b0;

    if (rst) begin
      state       <= CLEARED;
      resume      <= FLOW;
      sweep       <= '0;
      d_valid     <= 1'b0;
      d_kind      <= FORGET;
      epoch       <= 32'd0;
      clock_epoch <= 32'd0;
      clock_ts    <= '0;
      timed       <= 1'b0;
    end
  end

  // --- the result; the entry is written ---
  assign f_write = op_q_valid && op_q_ok && (op_q_kind == UNTIMED || op_q_kind == WRITE || op_q_kind == READ);
  logic [31:0] f_epoch;
  assign op_q_wts   = {f_epoch, 32'(f_wts)};
  assign op_q_rts   = {f_epoch, 32'(f_rts)};
  always_ff @(posedge clk) begin
    op_q_valid <= e_valid;
    op_q_ok    <= e_ok;
    op_q_same  <= e_same;
    op_q_kind  <= e_kind;
    f_epoch    <= e_epoch_number;
    f_set      <= e_set;
    f_tag      <= e_tag;
    f_way      <= e_way;
    f_wts      <= e_wts;
    f_rts      <= e_given ? e_rts : e_over ? LAST : e_sum[TS_BITS-1:0];
    f_order    <= e_order;
    if (f_write && op_q_rts > greatest)
      greatest <= op_q_rts;
    limit <= (greatest[TS_BITS-1:0] == LAST) ? {greatest[63:32] + 32'd1, 32'd0} : greatest + 64'd1;
    idle  <= !i_valid && !op_valid && valids == '0 && !d_valid && !e_valid && !op_q_valid && state == FLOW;
    if (rst) begin
      op_q_valid <= 1'b0;
      greatest   <= 64'd0;
      idle       <= 1'b0;
    end
  end

  wire unused = &{1'b0, i_line};
endmodule
`default_nettype wire
