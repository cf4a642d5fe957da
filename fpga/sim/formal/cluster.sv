// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Cluster queue, stitching and un-stitching, chained, with a queue of four flits: packets of four kinds (two of one flit, two
// of a flit and a tail), arbitrary packets, settings and link back-pressure. Asserted under CONTENT:
//   the un-stitcher never refuses a sent flit;
//   per kind, the flits come out as they went in, in order, with their data and packet ends: no loss, duplication, corruption
//   or exchange, whatever a flit was stitched to.
// The un-stitcher has eight packet numbers and accepts nothing in its first eight clocks; input waits until then.
// Under REACHED the negated covers are asserted; each must fail.
module cluster (
  input logic       clk,
  input logic [1:0] pick,     // kind of the packet that begins
  input logic       offer,
  input logic       link_go
);
  (* anyconst *) logic stitching, pooling, selective, yielding, sequencing;
  (* anyconst *) logic [1:0] pool_cycles;
  localparam int RR = glk_flit::READ_RESPONSE;
  localparam int FP = glk_flit::FINEPACK;

  // --- reset and initialization ---
  logic       past_reset = 1'b0;
  logic [3:0] since = 4'd0;
  wire        go = since == 4'd10;
  always_ff @(posedge clk) begin
    past_reset <= 1'b1;
    since      <= since + 4'(!go);
  end
  wire rst = !past_reset;

  // --- input ---
  logic       tail = 1'b0, held = 1'b0;
  logic [1:0] held_pick;
  wire  [1:0] now_pick = (held || tail) ? held_pick : pick;
  wire        now_mark; // the data of a flit: marks the watched one
  wire        long     = now_pick[1];
  wire  [3:0] kind     = (now_pick == 2'd0) ? 4'(glk_flit::READ_REQUEST) : (now_pick == 2'd1) ? 4'(glk_flit::RELEASED) :
                         (now_pick == 2'd2) ? 4'(RR) : 4'(FP);
  logic [127:0] s_data;
  logic         s_valid, s_ready;
  assign s_valid = go && (held || offer);
  always_comb begin
    s_data = '0;
    if (tail) begin
      s_data[16] = now_mark;
    end else if (kind == 4'(FP)) begin
      s_data[8]  = now_mark;
      s_data[24] = 1'b1; // 4 bytes of payload
    end else begin
      s_data[3:0] = kind;
      s_data[15]  = kind == 4'(RR); // trimmed to 16 bytes
      s_data[16]  = now_mark;
    end
  end
  wire taken = s_valid && s_ready;
  always_ff @(posedge clk) begin
    held      <= s_valid && !s_ready;
    held_pick <= now_pick;
    if (taken)
      tail <= long && !tail;
  end

  // --- the chain; the link is not ready directly after a flit, which the un-stitcher might stall ---
  logic         f_valid, u_ready, m_first, m_last, m_valid, error;
  logic [4:0]   f_type;
  logic [127:0] f_data, m_data;
  logic [3:0]   m_kind;
  logic [2:0]   places;
  glk_cluster_queue #(.FLITS(4)) queue (
    .clk, .rst, .cfg_stitching(stitching), .cfg_pooling(pooling), .cfg_selective(selective), .cfg_yielding(yielding),
    .cfg_sequencing(sequencing), .cfg_pool_cycles({6'b0, pool_cycles}), .cfg_burst(8'd1),
    .s_kind(kind), .s_words(long ? 11'd5 : now_pick[0] ? 11'd1 : 11'd3), .s_data, .s_valid, .s_ready, .places,
    .credit(3'b111), .credit_take(), .credit_back(), .m_ready(link_go && u_ready && !f_valid), .m_leaves(), .m_valid(f_valid),
    .m_type(f_type), .m_data(f_data), .e_flit(), .e_packet(), .e_kind(), .e_bytes(), .e_refused(), .e_stitched(),
    .e_stitched_kind(), .e_partial(), .e_parent(), .e_out(), .e_padded(), .e_pooled(), .e_pool_stitched(),
    .e_pool_timed_out(), .wait_valid(), .wait_kind(), .wait_clocks());
  glk_unstitch #(.NUMBERS(8)) unstitch (
    .clk, .rst, .s_type(f_type), .s_data(f_data), .s_valid(f_valid), .s_ready(u_ready),
    .m_kind, .m_data, .m_bytes(), .m_first, .m_last, .m_valid, .error);

  // --- the watched flit, of any kind and number ---
  (* anyconst *) logic [1:0] w_pick;
  (* anyconst *) logic [3:0] w_number;
  wire [3:0] w_kind = (w_pick == 2'd0) ? 4'(glk_flit::READ_REQUEST) : (w_pick == 2'd1) ? 4'(glk_flit::RELEASED) :
                      (w_pick == 2'd2) ? 4'(RR) : 4'(FP);
  logic [3:0] ins = 4'd0, outs = 4'd0, all = 4'd0; // flits of that kind; flits of all kinds inside
  logic       w_tail;
  assign now_mark = now_pick == w_pick && ins == w_number;
  wire        w_in  = taken && now_pick == w_pick;
  wire        w_out = m_valid && m_kind == w_kind;
  wire        m_mark = (m_kind == 4'(FP) && m_first) ? m_data[8] : m_data[16];
  always_ff @(posedge clk) begin
    ins  <= ins + 4'(w_in);
    outs <= outs + 4'(w_out);
    all  <= all + 4'(taken) - 4'(m_valid);
    if (w_in && now_mark)
      w_tail <= tail;
  end
  always_comb
    assume(ins != 4'd15);

  // --- a FinePack tail is stitched to a "released" flit and sent before its packet ---
  logic ahead = 1'b0;
  always_ff @(posedge clk)
    ahead <= ahead || (f_valid && f_type == 5'd25 && f_data[36:32] == 5'd23 && outs == 4'd0 && w_kind == 4'(FP));

  always_ff @(posedge clk)
    if (past_reset) begin
`ifdef CONTENT
      assert(!(f_valid && !u_ready));
      assert(!error);
      assert(!(w_out && ins == outs));
      if (m_valid)
        assert(m_mark == (w_out && outs == w_number));
      if (w_out && outs == w_number) begin
        assert(m_first == !w_tail && m_last == (w_tail || !w_pick[1]));
      end
      assert(32'(places) <= 4);
`endif
`ifdef REACHED
      assert(!(m_valid && all == 4'd1 && ins == 4'd4)); // everything came out
      assert(!(m_valid && m_last && m_kind == 4'(FP) && ahead)); // a tail that arrived ahead of its packet came out
      assert(!(places == 3'd0 && s_valid && !s_ready)); // queue full
`endif
    end
endmodule
`default_nettype wire
