// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// The write queue, scaled down: one partition, two entries, the first three bytes of a line, four lines in two windows, two
// contexts, memories initially zero. Stores, probes and flushes are arbitrary; the drain accepts flushes with arbitrary
// back-pressure and reads each completely. Asserted, besides the queue's own assertions (no overflow inside or at its outputs):
//   ACCOUNT  payload and run count of a flush equal the sums over its entries; the payload is within the limit; its lines
//            differ and belong to its window;
//   DATA     a byte of any one store is in at most one flush, with its data, and in exactly one after a flush or probe that
//            covers it, unless another store overwrote it before; no byte is flushed more often than it was stored;
//   REST     progress: while the drain runs, within 12 clocks something goes in or out, or the queue is idle; then all tokens
//            are out, and without queued lines there are no queued stores.
// Under REACHED the negated covers are asserted; each must fail.
module queue (
  input logic         clk,
  input logic         rst,
  input logic [1:0]   s_kind,
  input logic [1:0]   line,
  input logic [1:0]   first,
  input logic [1:0]   more, // bytes, less 1
  input logic [1:0]   data,
  input logic         context_bit,
  input logic         owned,
  input logic         with_token,
  input logic         s_valid,
  input logic         drain_go
);
  localparam int BANKS = 2;
  localparam int BW    = $clog2(BANKS);
  localparam int H     = 3;
  localparam int LIMIT = 11;

  wire [2:0]   bytes = 3'(more) + 3'd1;
  wire [47:0]  s_address = {33'b0, line[1], 6'b0, line[0], 5'b0, first};
  wire [7:0]   s_length = {5'b0, bytes};
  wire [127:0] s_data = {118'b0, data, 8'b0};
  wire [4:0]   ones = (5'd1 << bytes) - 5'd1;
  wire [3:0]   covered = ones[3:0] << first;
  wire         store = s_kind == 2'd0;
  wire         probe = s_kind == 2'd2;
  wire [127:0] s_mask = {124'b0, (store || probe) ? covered : 4'b0};
  wire [15:0]  s_enables = {12'b0, store ? covered : 4'b0};

  logic         s_ready, flush_partition, flush_valid, flush_ready, done_valid;
  logic [BW-1:0] flush_bank, d_bank;
  logic [1:0]   flush_used;
  logic [47:0]  flush_base;
  logic [12:0]  flush_payload;
  logic [10:0]  flush_runs;
  logic [BW+1:0] read_entry;
  logic [30:0]  read_tag;
  logic [127:0] read_enables;
  logic [1023:0] read_data;
  logic         e_flush, token_valid, idle, holds;
  logic [1:0]   token;
  logic [31:0]  queued_stores;

  glk_write_queue #(.DATA_W(128), .PARTITIONS(1), .ENTRIES(2), .BANKS(BANKS), .CONTEXTS(2)) dut (
    .clk, .rst, .cfg_subheader_bytes(3'(H)), .cfg_max_payload_bytes(13'(LIMIT)), .cfg_packing(1'b0),
    .s_kind, .s_partition(1'b0), .s_address, .s_length, .s_mask, .s_wanted(6'd1), .s_enables, .s_reason(4'd3),
    .s_context(context_bit), .s_owned(owned), .s_token({1'b0, with_token}), .s_final(store), .s_first(1'b1), .s_data, .s_valid,
    .s_ready, .flush_partition, .flush_bank, .flush_used, .flush_base, .flush_payload, .flush_runs, .flush_reason(),
    .flush_valid, .flush_ready,
    .read_tag_entry(read_entry), .read_tag_enable(1'b1), .read_entry, .read_enable(1'b1), .read_tag, .read_enables,
    .read_data_entry(read_entry), .read_data_enable(1'b1), .read_data,
    .done_valid, .done_partition(1'b0), .done_bank(d_bank), .e_valid(), .e_partition(), .e_overwritten(), .idle, .holds,
    .e_flush, .token_valid, .token, .queued_stores, .look_partition(1'b0), .look_entries(), .look_payload());

  // --- input ---
  logic past_valid = 1'b0;
  initial assume(rst);
  always_ff @(posedge clk) past_valid <= 1'b1;
  logic held = 1'b0;
  logic [11:0] offer, offered;
  assign offer = {s_kind, line, first, more, data, context_bit, owned};
  logic offered_token;
  always_ff @(posedge clk) begin
    held          <= s_valid && !s_ready && !rst;
    offered       <= offer;
    offered_token <= with_token;
  end
  always_comb begin
    if (past_valid) assume(!rst);
    if (rst) assume(!s_valid);
    if (held) begin
      assume(s_valid);
      assume(offer == offered && with_token == offered_token);
    end
    assume(3'(first) + 3'(more) <= 3'd2);
    if (store || probe) assume(!owned);
  end
  wire taken = s_valid && s_ready && !rst;

  // --- the watched store, to byte 1 of a line ---
  (* anyconst *) logic [1:0] w_line;
  (* anyconst *) logic       w_context;
  localparam logic [1:0] W_VALUE = 2'd3; // written by no other store
  wire here   = line == w_line && covered[1];
  wire covers = taken && store && here;
  wire reports  = taken && ((!store && !probe && (!owned || context_bit == w_context)) || (probe && here));
  logic stored = 1'b0, replaced = 1'b0, reported = 1'b0;
  logic [4:0] ins = 5'd0;
  logic [3:0] tokens = 4'd0;
  always_comb
    if (covers && data == W_VALUE) assume(!stored && context_bit == w_context);
  always_ff @(posedge clk) begin
    if (covers && data == W_VALUE)
      stored <= 1'b1;
    else if (covers && stored && !reported)
      replaced <= 1'b1;
    if (stored && reports)
      reported <= 1'b1;
    if (covers)
      ins <= ins + 5'd1;
    tokens <= tokens + 4'(taken && with_token) - 4'(token_valid && past_valid);
  end

  // --- flushes ---
  logic [1:0]  step = 2'd0, d_used;
  logic        d_window, tag0_line, there;
  logic [4:0]  d_payload, sum, cost;
  logic [2:0]  d_runs, runs, run_count;
  logic [1:0]  seen = 2'd0;
  logic [4:0]  outs = 5'd0;
  wire         reads = step == 2'd1 || (step == 2'd2 && d_used[1]);
  wire [3:0]   bits = read_enables[3:0];
  wire [3:0]   begins = bits & ~(bits << 1);
  assign run_count   = 3'(begins[0]) + 3'(begins[1]) + 3'(begins[2]) + 3'(begins[3]);
  assign cost        = 5'(bits[0]) + 5'(bits[1]) + 5'(bits[2]) + 5'(bits[3]) + 5'(run_count) * 5'(H);
  assign there       = reads && {read_tag[7], read_tag[0]} == w_line && bits[1];
  assign flush_ready = step == 2'd0 && drain_go;
  assign read_entry  = {1'b0, step == 2'd0 ? flush_bank : d_bank, step != 2'd0}; // read a clock ahead
  assign done_valid  = step == 2'd3;
  always_ff @(posedge clk) begin
    if (step != 2'd0)
      step <= step + 2'd1;
    else if (flush_valid && flush_ready && !rst) begin
      step      <= 2'd1;
      d_bank    <= flush_bank;
      d_used    <= flush_used;
      d_payload <= flush_payload[4:0];
      d_runs    <= flush_runs[2:0];
      d_window  <= flush_base[14];
      sum       <= 5'd0;
      runs      <= 3'd0;
    end
    if (step == 2'd1)
      tag0_line <= read_tag[0];
    if (reads) begin
      sum  <= sum + cost;
      runs <= runs + run_count;
    end
    if (there)
      outs <= outs + 5'd1;
    if (there && read_data[9:8] == W_VALUE)
      seen <= seen + 2'(seen != 2'd3);
  end

  // --- progress: clocks in which the drain was ready and nothing went in or out ---
  logic [3:0] still = 4'd0;
  wire empty = idle && !flush_valid && step == 2'd0;
  always_ff @(posedge clk)
    still <= (taken || (flush_valid && flush_ready) || !drain_go || rst) ? 4'd0 : still + 4'(still != 4'd15);
  logic quiet = 1'b0;
  always_ff @(posedge clk) quiet <= past_valid && empty && !s_valid;

  always_ff @(posedge clk)
    if (past_valid && !rst) begin
`ifdef REACHED
      assert(!(step == 2'd3 && d_used[1] && d_payload == 5'(LIMIT))); // a flush of two lines, of maximum size
      assert(!(step == 2'd3 && !d_used[1] && d_runs == 3'd2)); // a flush of two runs of one line
      assert(!(quiet && reported && !replaced && seen == 2'd1)); // the watched store came out
      assert(!(s_valid && !s_ready && flush_valid && tokens == 4'd4)); // no bank is free
`endif
`ifdef ACCOUNT
      if (flush_valid) begin
        assert(flush_payload <= 13'(LIMIT) && flush_payload >= 13'(H + 1));
        assert(flush_used == 2'd1 || flush_used == 2'd2);
        assert(flush_runs[10:3] == 8'd0);
      end
      if (reads) begin
        assert(read_enables[127:4] == '0 && bits != 4'd0);
        assert(read_tag[7] == d_window);
      end
      if (step == 2'd2 && d_used[1])
        assert(read_tag[0] != tag0_line);
      if (step == 2'd3)
        assert(sum == d_payload && runs == d_runs);
`endif
`ifdef DATA
      assert(seen <= 2'(stored));
      assert(outs <= ins);
      if (quiet && reported && !replaced)
        assert(seen == 2'd1);
`endif
`ifdef REST
      assert(still < 4'd12 || (empty && s_ready));
      if (quiet) begin
        assert(tokens == 4'd0);
        if (!holds)
          assert(queued_stores == 32'd0);
      end
`endif
    end
endmodule
`default_nettype wire
