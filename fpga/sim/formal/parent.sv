// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Progress of the parent in a cluster queue of four flits, for packets of four kinds (two of one flit, two of a flit and a
// tail), all settings with pooling of up to three clocks, unlimited credits, and arbitrary link back-pressure. Asserted under
// REST:
//   with a parent and the link ready, in every clock a piece is taken, or the parent is pooled, or it leaves; a parent takes
//   three pieces at most; so a turn ends within four clocks of the link;
//   without a parent, a non-empty queue waits only for pooled flits, for less than POOL_CYCLES, and when yielding not at all
//   once there are two flits of a kind.
// With the number of turns that other kinds may have first (turn.sv), this bounds the time a kind waits.
// Under REACHED the negated covers are asserted; each must fail.
module parent (
  input logic       clk,
  input logic [1:0] pick, // kind of the packet that begins
  input logic       offer,
  input logic       link_go
);
  (* anyconst *) logic stitching, pooling, selective, yielding, sequencing;
  (* anyconst *) logic [1:0] pool_cycles;
  logic past_reset = 1'b0;
  always_ff @(posedge clk) past_reset <= 1'b1;

  // --- input: packets without gaps ---
  function automatic logic [3:0] kind_of(input logic [1:0] which);
    kind_of = (which == 2'd0) ? 4'(glk_flit::READ_REQUEST) : (which == 2'd1) ? 4'(glk_flit::RELEASED) :
              (which == 2'd2) ? 4'(glk_flit::READ_RESPONSE) : 4'(glk_flit::FINEPACK);
  endfunction
  logic       tail = 1'b0, held = 1'b0;
  logic [1:0] held_pick;
  wire  [1:0] now_pick = (held || tail) ? held_pick : pick;
  wire        long     = now_pick[1];
  logic       s_ready;
  wire        s_valid  = past_reset && (held || tail || offer);
  wire        taken    = s_valid && s_ready;
  always_ff @(posedge clk) begin
    held      <= s_valid && !s_ready;
    held_pick <= now_pick;
    if (taken)
      tail <= long && !tail;
  end

  logic [2:0] credit_take, credit_back;
  logic       m_leaves, m_valid, e_stitched;
  logic [3:0] e_stitched_kind;
  logic [4:0] m_type;
  glk_cluster_queue #(.FLITS(4)) dut (
    .clk, .rst(!past_reset), .cfg_stitching(stitching), .cfg_pooling(pooling), .cfg_selective(selective),
    .cfg_yielding(yielding), .cfg_sequencing(sequencing), .cfg_pool_cycles({6'b0, pool_cycles}), .cfg_burst(8'd1),
    .s_kind(kind_of(now_pick)), .s_words(long ? 11'd5 : now_pick[0] ? 11'd1 : 11'd3), .s_data('0), .s_valid, .s_ready,
    .places(), .credit(3'b111), .credit_take, .credit_back, .m_ready(link_go), .m_leaves, .m_valid, .m_type, .m_data(),
    .e_flit(), .e_packet(), .e_kind(), .e_bytes(), .e_refused(), .e_stitched, .e_stitched_kind, .e_partial(), .e_parent(),
    .e_out(), .e_padded(), .e_pooled(), .e_pool_stitched(), .e_pool_timed_out(), .wait_valid(), .wait_kind(), .wait_clocks());

  // --- the parent and its pieces; flits in the queue, theirs included ---
  logic [2:0] pieces = 3'd0, inside = 3'd0;
  logic [1:0] idle = 2'd0; // clocks without a parent while the queue is not empty
  wire        takes  = |credit_take;
  wire        pools  = |credit_back;
  wire        stuck  = pieces == 3'd0 && !takes && inside != 3'd0;
  always_ff @(posedge clk) begin
    pieces <= ((m_leaves || pools) ? 3'd0 : pieces) + 3'(takes);
    inside <= inside + 3'(taken) - (m_leaves ? pieces : 3'd0);
    idle   <= !stuck ? 2'd0 : idle + 2'(idle != 2'd3);
  end

  // --- one kind, any ---
  (* anyconst *) logic [1:0] w_pick;
  logic [2:0] count = 3'd0; // its flits in the queue; those taken as pieces are reported two clocks late
  wire        w_left  = m_valid && m_type[3:0] == kind_of(w_pick);
  wire        w_piece = e_stitched && e_stitched_kind == kind_of(w_pick);
  always_ff @(posedge clk)
    count <= count + 3'(taken && now_pick == w_pick) - 3'(w_left) - 3'(w_piece);

  always_ff @(posedge clk)
    if (past_reset) begin
`ifdef REST
      assert(pieces == 3'd0 || !link_go || takes || pools || m_leaves);
      assert(pieces <= 3'd4);
      assert(idle == 2'd0 || 32'(idle) < 32'(pool_cycles));
      assert(!(yielding && stuck && idle != 2'd0 && count >= 3'd2));
`endif
`ifdef REACHED
      assert(pieces != 3'd4);
      assert(!(stuck && idle != 2'd0 && count >= 3'd2));
      assert(!(yielding && pools && takes && inside == 3'd2));
      assert(!(yielding && pools && takes && count == 3'd4));
`endif
    end
endmodule
`default_nettype wire
