// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// glk_region_chunks, scaled down: one region of two chunks, of two writers each. For arbitrary arrivals, takes and walks, one
// watched chunk, one epoch. Under ONCE: its arrivals are accepted exactly while writers remain; it is taken whole at most once,
// and partially only behind a walk that listed it; it is never taken without an append. Under REST: a chunk whose last writer
// has arrived is taken, while takes continue. Under REACHED the negated covers are asserted; each must fail.
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
  logic       swept, chunk_reg_done, arrival_done, arrival_ok, arrival_listed, take_done, take_complete, walk_busy,
              taking = 1'b0;
  logic       take_chunk;
  logic [1:0] some;
  wire        open            = written == 2'd2;
  wire        chunk_reg_valid = past_reset && swept && !open && !chunk_reg_done;
  wire        arrive          = open && arrive_want && arrive_count != 2'd0;
  wire        take            = open && take_want && some[0] && !taking;
  logic       walked          = 1'b0; // walk_busy follows a clock later
  wire        walk            = open && walk_want && !walk_busy && !walked;

  logic [35:0] chunk_reg_counter;
  logic        look_dirty;
  logic [1:0]  look_listed, look_finished;
  glk_region_chunks #(.REGIONS(2), .CHUNKS(2)) dut (
    .clk, .rst, .clear(1'b0), .swept,
    .arrival_valid(arrive), .arrival_region(1'b0), .arrival_chunk(arrive_chunk), .arrival_epoch(2'd1),
    .arrival_count({14'd0, arrive_count}), .arrival_done, .arrival_ok, .arrival_listed,
    .take_valid(take), .take_region(1'b0), .take_epoch(2'd1), .take_done, .take_chunk, .take_complete, .some,
    .finish(take_done), .drop(1'b0), .finish_region(1'b0),
    .walk_start(walk), .walk_restart(1'b0), .walk_region(1'b0), .walk_epoch(2'd1), .walk_first(1'b0), .walk_chunks(2'd2),
    .walk_busy,
    .chunk_reg_valid, .chunk_reg_write(1'b1), .chunk_reg_chunk(written[0]), .chunk_reg_initial(16'd2), .chunk_reg_done,
    .chunk_reg_counter,
    .fresh(1'b0), .fresh_region(1'b0), .look_region(1'b0), .look_dirty, .look_listed, .look_finished);

  always_ff @(posedge clk) begin
    walked <= walk;
    if (chunk_reg_done)
      written <= written + 2'd1;
    taking <= take || (taking && !take_done);
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
    of_mine    = arrival_done && mine;
  end
  always_ff @(posedge clk) begin
    if (arrive) begin
      asked  <= {asked[4:0], arrive_chunk == watched};
      counts <= {counts[9:0], arrive_count};
    end
    waiting <= waiting + 3'(arrive) - 3'(arrival_done);
    if (of_mine && arrival_ok)
      left <= left - mine_count;
    some_walk <= some_walk || walk;
    if (take_done && take_chunk == watched && take_complete)
      whole <= 1'b1;
    patience <= (left == 2'd0 && !whole) ? patience + 5'(take_want && !arrive_want && !walk_want && patience != 5'd31) : 5'd0;
  end

  always_ff @(posedge clk)
    if (past_reset) begin
`ifdef ONCE
      if (of_mine)
        assert(arrival_ok == (mine_count <= left));
      if (take_done && take_chunk == watched) begin
        assert(!whole);
        assert(take_complete == (left == 2'd0));
        assert(take_complete || some_walk);
      end
`endif
`ifdef REST
      assert(patience != 5'd31);
      if (arrival_done && !take_done && whole)
        assert(!arrival_listed || !mine);
`endif
`ifdef REACHED
      assert(!whole);
      assert(!(take_done && !take_complete && take_chunk == watched)); // partial
      assert(!(of_mine && !arrival_ok)); // refused
      assert(!(whole && walk_busy && arrive));
`endif
    end
endmodule
`default_nettype wire
