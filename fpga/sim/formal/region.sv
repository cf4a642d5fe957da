// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// glk_region_chunks, scaled down: one region of two chunks, of two writers each. For arbitrary arrivals, takes and walks, one
// watched chunk, one epoch. Under ONCE: its arrivals are accepted exactly while writers remain; it is taken whole at most once,
// and partially only behind a walk that listed it; it is never taken without an append. Under REST: a chunk whose last writer has
// arrived is taken, while takes continue. Under REACHED the negated covers are asserted; each must fail.
module region (
  input logic       clk,
  input logic       arrive_want,
  input logic       arrive_chunk,
  input logic [1:0] arrive_count,
  input logic       take_want,
  input logic       walk_want
);
  logic past_reset = 1'b0;
  always_ff @(posedge clk) past_reset <= 1'b1;
  wire rst = !past_reset;

  // --- both counters are set to two writers, then the epoch starts ---
  logic [1:0] written = 2'd0;
  logic       swept, k_done, a_done, a_ok, a_listed, t_done, t_complete, w_busy, taking = 1'b0;
  logic       t_chunk;
  logic [1:0] some;
  wire        open    = written == 2'd2;
  wire        k_valid = past_reset && swept && !open && !k_done;
  wire        arrive  = open && arrive_want && arrive_count != 2'd0;
  wire        take    = open && take_want && some[0] && !taking;
  logic       walked  = 1'b0; // w_busy follows a clock later
  wire        walk    = open && walk_want && !w_busy && !walked;

  logic [35:0] k_counter;
  logic        look_dirty;
  logic [1:0]  look_listed, look_finished;
  glk_region_chunks #(.REGIONS(2), .CHUNKS(2)) dut (
    .clk, .rst, .clear(1'b0), .swept,
    .a_valid(arrive), .a_region(1'b0), .a_chunk(arrive_chunk), .a_epoch(2'd1), .a_count({14'd0, arrive_count}), .a_done, .a_ok, .a_listed,
    .t_valid(take), .t_region(1'b0), .t_epoch(2'd1), .t_done, .t_chunk, .t_complete, .some,
    .finish(t_done), .drop(1'b0), .finish_region(1'b0),
    .w_start(walk), .w_restart(1'b0), .w_region(1'b0), .w_epoch(2'd1), .w_first(1'b0), .w_chunks(2'd2), .w_busy,
    .k_valid, .k_write(1'b1), .k_chunk(written[0]), .k_initial(16'd2), .k_done, .k_counter,
    .fresh(1'b0), .fresh_region(1'b0), .look_region(1'b0), .look_dirty, .look_listed, .look_finished);

  always_ff @(posedge clk) begin
    walked <= walk;
    if (k_done)
      written <= written + 2'd1;
    taking <= take || (taking && !t_done);
  end

  // --- a watched chunk: writers that have arrived, takes ---
  (* anyconst *) logic watched;
  logic [5:0] asked = 6'd0;        // the last arrivals: of the watched chunk, oldest in the highest bits in use
  logic [11:0] counts = 12'd0;
  logic [2:0] waiting = 3'd0;
  logic [1:0] left = 2'd2;         // writers that have not arrived
  logic       whole = 1'b0, some_walk = 1'b0;
  logic       mine, of_mine;
  logic [1:0] mine_count;
  logic [4:0] patience = 5'd0;
  always_comb begin
    mine       = asked[waiting - 3'd1];
    mine_count = counts[{waiting - 3'd1, 1'b0} +: 2];
    of_mine    = a_done && mine;
  end
  always_ff @(posedge clk) begin
    if (arrive) begin
      asked  <= {asked[4:0], arrive_chunk == watched};
      counts <= {counts[9:0], arrive_count};
    end
    waiting <= waiting + 3'(arrive) - 3'(a_done);
    if (of_mine && a_ok)
      left <= left - mine_count;
    some_walk <= some_walk || walk;
    if (t_done && t_chunk == watched && t_complete)
      whole <= 1'b1;
    patience <= (left == 2'd0 && !whole) ? patience + 5'(take_want && !arrive_want && !walk_want && patience != 5'd31) : 5'd0;
  end

  always_ff @(posedge clk)
    if (past_reset) begin
`ifdef ONCE
      if (of_mine)
        assert(a_ok == (mine_count <= left));
      if (t_done && t_chunk == watched) begin
        assert(!whole);
        assert(t_complete == (left == 2'd0));
        assert(t_complete || some_walk);
      end
`endif
`ifdef REST
      assert(patience != 5'd31);
      if (a_done && !t_done && whole)
        assert(!a_listed || !mine);
`endif
`ifdef REACHED
      assert(!whole);
      assert(!(t_done && !t_complete && t_chunk == watched)); // partial
      assert(!(of_mine && !a_ok)); // refused
      assert(!(whole && w_busy && arrive));
`endif
    end
endmodule
`default_nettype wire
