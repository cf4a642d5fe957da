// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// glk_kept_lines, scaled down: two partitions, sets of up to four lines, an evaluation after two pieces for other lines, kept
// on by a hit; eight lines in two windows; without data. For all items, settings of the partitions and back-pressure. Beside it
// a queue of the items under way and the rules of docs/wire-format.md, "Keeping lines", one item at a time. Asserted:
// RULES what comes out: each item once, unchanged, in order; with MODE.KEEP a flush or probe for both queues, the kept one
// first, its
// token with the second; two flushes ahead of a store with which a set is given up; the queue of each item as the rules say;
//   LINE   with H = 3 no line has pieces in both queues, of which each is emptied by flushes for it only;
//   REST   progress: while there are items, one is offered within three clocks; idle says whether there are.
// The block's own assertions are with LINE. Under REACHED the negated covers are asserted; each must fail.
`ifndef LINE
`define SYNTHESIS
`endif
module lines (
  input logic       clk,
  input logic [1:0] kind,
  input logic       partition,
  input logic       window,
  input logic [1:0] line,
  input logic       half,
  input logic       wanted,
  input logic       config_reason,
  input logic       owned,
  input logic       token,
  input logic       last,
  input logic       more,
  input logic       s_valid,
  input logic       m_ready
);
  localparam logic [1:0] STORE = 2'd0, FLUSH = 2'd1, PROBE = 2'd2;
  localparam int PASSED = 2;
  localparam int LEAST  = 1;
  logic past_reset = 1'b0;
  always_ff @(posedge clk) past_reset <= 1'b1;
  wire rst = !past_reset;
  (* anyconst *) logic [1:0] keep, packing, narrow; // narrow: H = 2, windows of 64 bytes

  // --- items: a store is pieces of one partition, with flushes between, and a piece is a beat or two ---
  logic [1:0] item_kind;
  logic       inside = 1'b0, second = 1'b0, of = 1'b0, held = 1'b0, s_ready; // between a store's pieces, a piece's beats
  logic [13:0] offer, offered;
  logic [3:0]  number = 4'd0;
  assign item_kind = second ? STORE : (kind == 2'd3) ? PROBE : (inside && kind == PROBE) ? FLUSH : kind;
  wire        of_item = (inside || second) ? of : partition;
  assign offer = {kind, partition, window, line, half, wanted, config_reason, owned, token, last, more, 1'b0};
  always_ff @(posedge clk) begin
    held    <= s_valid && !s_ready;
    offered <= offer;
    if (s_valid && s_ready) begin
      number <= number + 4'd1;
      of     <= of_item;
      if (item_kind == STORE) begin
        second <= more && !second;
        if (!second)
          inside <= !last;
      end
    end
  end
  always_comb begin
    if (rst) assume(!s_valid);
    assume(!(config_reason && owned)); // flushes of a change are of all contexts
    if (held) assume(s_valid && offer == offered);
  end
  wire [3:0]  reason = config_reason ? 4'(glk_regs::FLUSH_CONFIG) : 4'(glk_regs::FLUSH_DRAIN);
  wire [47:0] address = {33'd0, window, 5'd0, line, half, 6'd0};

  logic [1:0]   m_kind, m_token;
  logic         m_partition, m_kept, m_owned, m_final, m_first, m_valid, idle, m_context;
  logic [47:0]  m_address;
  logic [7:0]   m_length;
  logic [127:0] m_mask, m_data;
  logic [5:0]   m_wanted;
  logic [15:0]  m_enables;
  logic [3:0]   m_reason;
  glk_kept_lines #(.DATA_W(128), .PARTITIONS(2), .ENTRIES(4), .CONTEXTS(1), .PASSED(PASSED), .LEAST(LEAST)) dut (
    .clk, .rst, .cfg_subheader_bytes({2'b01, !narrow[1], 2'b01, !narrow[0]}), .cfg_packing(packing), .cfg_keep(keep),
    .s_kind(item_kind), .s_partition(of_item), .s_address(address), .s_length(8'd0), .s_mask(128'd0),
    .s_wanted({5'd0, wanted} + 6'd1), .s_enables(16'd0), .s_reason(reason), .s_context(1'b0), .s_owned(owned),
    .s_token({1'b0, token}), .s_final(last), .s_first(!second), .s_data({124'd0, number}), .s_valid, .s_ready,
    .m_kind, .m_partition, .m_kept, .m_address, .m_length, .m_mask, .m_wanted, .m_enables, .m_reason, .m_context, .m_owned,
    .m_token, .m_final, .m_first, .m_data, .m_valid, .m_ready, .idle);

  // --- items under way, the oldest in the low bits ---
  localparam int W = 2 + 1 + 1 + 2 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 4;
  logic [4*W-1:0] queue = '0;
  logic [2:0]     count = 3'd0;
  wire  [W-1:0]   put = {item_kind, of_item, window, line, half, wanted, config_reason, owned, token, last, !second, number};
  logic           leaves;
  wire  [4*W-1:0] shifted = leaves ? queue >> W : queue;
  wire  [2:0]     after = count - 3'(leaves);
  wire            taken = s_valid && s_ready;
  always_ff @(posedge clk) begin
    queue <= taken ? (shifted & ~((4*W)'({W{1'b1}}) << (W * 32'(after)))) | ((4*W)'(put) << (W * 32'(after))) : shifted;
    count <= after + 3'(taken);
  end
  logic [1:0] i_kind, i_line;
  logic       i_partition, i_window, i_half, i_wanted, i_config, i_owned, i_token, i_final, i_first;
  logic [3:0] i_number;
  assign {i_kind, i_partition, i_window, i_line, i_half, i_wanted, i_config, i_owned, i_token, i_final, i_first, i_number} =
          queue[W-1:0];

  // --- the rules: of each partition the set of lines, by {window, line}, its window, and the counts ---
  logic [15:0] set = '0;
  logic [1:0]  complete = 2'd0;
  logic [7:0]  windows = '0; // {window, line, half}, of which H = 3 leaves the first
  logic [3:0]  hits = '0, passed = '0;
  logic        amid = 1'b0, chosen = 1'b0; // inside a store; queue of the piece whose beats follow
  logic [1:0]  step = 2'd0;
  logic [7:0]  its_set, old_set;
  logic [2:0]  its_lines;
  logic [1:0]  its_hits, its_passed;
  wire         keeps = keep[i_partition] && packing[i_partition];
  wire         piece = i_kind == STORE && i_first;
  wire  [3:0]  its_window = narrow[i_partition] ? {i_window, i_line, i_half} : {i_window, 3'd0};
  wire  [2:0]  its_line = {i_window, i_line};
  assign old_set = set[8*i_partition +: 8];
  wire         due   = keeps && piece && !amid && old_set != '0 && passed[2*i_partition +: 2] == 2'(PASSED);
  wire         gives = due && hits[2*i_partition +: 2] < 2'(LEAST);
  always_comb begin
    its_set    = gives ? 8'd0 : old_set;
    its_hits   = due ? 2'd0 : hits[2*i_partition +: 2];
    its_passed = due ? 2'd0 : passed[2*i_partition +: 2];
    its_lines  = 3'd0;
    for (int k = 0; k < 8; k = k + 1)
      its_lines = its_lines + 3'(its_set[k]);
  end
  wire         begins  = its_set == 8'd0;
  wire         there   = windows[4*i_partition +: 4] == its_window;
  wire         hit     = !begins && there && its_set[its_line];
  wire         full    = 4'(its_lines) + 4'(i_wanted) + 4'd1 > 4'd4;
  wire         adds    = begins || (!hit && there && !full && !complete[i_partition]);
  wire         to_kept = hit || adds;
  wire         twice   = keeps && i_kind != STORE;
  wire         ends    = gives ? step == 2'd2 : twice ? step == 2'd1 : step == 2'd0;
  wire         extra   = gives && step != 2'd2;
  wire         out     = m_valid && m_ready && past_reset;
  assign leaves = out && ends;
  always_ff @(posedge clk) begin
    if (out)
      step <= ends ? 2'd0 : step + 2'd1;
    if (leaves && piece) begin
      amid   <= !i_final;
      chosen <= keeps && to_kept;
    end
    if (leaves && piece && keeps) begin
      set[8*i_partition +: 8] <= its_set | (8'(adds) << its_line);
      if (begins) begin
        windows[4*i_partition +: 4] <= its_window;
        complete[i_partition]       <= 1'b0;
        hits[2*i_partition +: 2]    <= 2'd0;
        passed[2*i_partition +: 2]  <= 2'd0;
      end else begin
        if (there && !hit && full)
          complete[i_partition] <= 1'b1;
        hits[2*i_partition +: 2]   <= its_hits + 2'(hit && its_hits != 2'(LEAST));
        passed[2*i_partition +: 2] <= its_passed + 2'(!to_kept && its_passed != 2'(PASSED));
      end
    end
    if (leaves && i_kind == FLUSH && i_config)
      set[8*i_partition +: 8] <= 8'd0;
  end

  // --- a line of a partition: whether it has pieces in the queues ---
  (* anyconst *) logic       w_partition;
  (* anyconst *) logic [2:0] w_line;
  logic in_kept = 1'b0, in_other = 1'b0;
  wire  of_line = out && m_partition == w_partition && m_kind == STORE && m_first && {m_address[14], m_address[8:7]} == w_line;
  wire  flushes = out && m_partition == w_partition && m_kind == FLUSH && !m_owned;
  always_ff @(posedge clk) begin
    in_kept  <= (in_kept && !(flushes && m_kept)) || (of_line && m_kept);
    in_other <= (in_other && !(flushes && !m_kept)) || (of_line && !m_kept);
  end

  logic [1:0] waits = 2'd0;
  always_ff @(posedge clk) waits <= (m_valid || count == 3'd0) ? 2'd0 : waits + 2'd1;

  always_ff @(posedge clk)
    if (past_reset) begin
`ifdef REACHED
      assert(!(m_valid && extra)); // a set is given up
      assert(!(m_valid && due && !gives && hit)); // one stays
      assert(!(m_valid && keeps && piece && !to_kept && there && complete[i_partition] && !full)); // a line without room
      assert(!(in_kept && of_line && passed[2*w_partition +: 2] == 2'd1 && keeps));
`endif
`ifdef RULES
      assert(count <= 3'd3);
      if (m_valid) begin
        assert(count != 3'd0);
        assert(m_kind == (extra ? FLUSH : i_kind) && m_partition == i_partition);
        assert(m_kept == (keeps && (extra || twice ? step == 2'd0 : piece ? to_kept : chosen)));
        assert(m_reason == (extra ? 4'(glk_regs::FLUSH_ENTRIES_FULL) : i_config ? 4'(glk_regs::FLUSH_CONFIG) :
            4'(glk_regs::FLUSH_DRAIN)));
        assert(m_owned == (!extra && i_owned) && m_token == {1'b0, ends && i_token});
        if (!extra) begin
          assert(m_address == {33'd0, i_window, 5'd0, i_line, i_half, 6'd0} && m_data[3:0] == i_number);
          assert(m_first == i_first && m_final == i_final);
          if (piece)
            assert(m_wanted == ((keeps && to_kept) ? 6'd1 : {5'd0, i_wanted} + 6'd1));
        end
      end
`endif
`ifdef LINE
      assert(!(in_kept && in_other && !narrow[w_partition]));
`endif
`ifdef REST
      assert(waits < 2'd3 && idle == (count == 3'd0));
`endif
    end
endmodule
`default_nettype wire
