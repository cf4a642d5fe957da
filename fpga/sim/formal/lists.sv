// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// The cluster queue's lists and free-slot allocator, scaled down: four slots, two of the fifteen lists, one mark bit per flit.
// For arbitrary insertions, removals and frees, asserted under ORDER: each list returns its flits in order, once, unchanged,
// with the slot they were stored in; no slot is allocated while in use. Under REACHED the negated covers are asserted; each
// must fail.
module lists (
  input logic clk,
  input logic put_want,
  input logic put_full,  // into the second list
  input logic watch,     // this flit is the watched one; no other is marked
  input logic take_want,
  input logic take_full,
  input logic keep       // the slot of the flit taken is not freed now
);
  logic past_reset = 1'b0;
  always_ff @(posedge clk) past_reset <= 1'b1;
  wire rst = !past_reset;

  // --- slots: the free ones, and one kept after its flit was taken, as a parent's is ---
  logic [2:0] free = 3'd4;
  logic       kept = 1'b0, looks = 1'b0, look_full;
  logic [1:0] kept_at, put_at, taken_at, back_at;
  wire        keeps = looks && !kept && keep;
  wire        back  = past_reset && (looks ? !keeps : kept && !keep);
  wire  [2:0] free_now = free + 3'(back); // a slot can be reused in the clock that frees it
  wire        put   = past_reset && put_want && free_now != 3'd0;
  assign back_at = looks ? taken_at : kept_at;

  logic        mark;
  logic [14:0] some, take, put_list, look;
  logic [14:0] meta, taken_meta;
  assign put_list = put_full ? 15'b1 << 12 : 15'b1;
  assign take     = !past_reset || !take_want ? 15'b0 : take_full ? {2'b0, some[12], 12'b0} : {14'b0, some[0]};
  assign look     = !looks ? 15'b0 : look_full ? 15'b1 << 12 : 15'b1;

  glk_flit_places #(.FLITS(4)) places (.clk, .rst, .back, .back_at, .get(put), .at(put_at));
  glk_flit_lists #(.FLITS(4), .MW(1)) dut (
    .clk, .rst, .put, .put_list, .put_at, .put_meta(mark), .some, .meta, .take, .look, .taken_at, .taken_meta);

  always_ff @(posedge clk) begin
    looks     <= |take;
    look_full <= take_full;
    if (keeps)
      kept_at <= taken_at;
    kept <= keeps || (kept && !(back && !looks));
    if (past_reset)
      free <= free_now - 3'(put);
  end

  // --- one watched flit, in either list ---
  (* anyconst *) logic w_full;
  logic       watched = 1'b0, inside = 1'b0, w_due = 1'b0;
  logic [2:0] count = 3'd0, ahead; // flits in its list; those ahead of it
  logic [1:0] w_at;
  wire        w_in   = put && put_full == w_full;
  wire        w_out  = w_full ? take[12] : take[0];
  wire        w_some = w_full ? some[12] : some[0];
  wire        w_meta = w_full ? meta[12] : meta[0];
  wire        w_last = inside && ahead == 3'd0;
  logic [3:0] used = 4'd0; // slots in use
  assign mark = watch && w_in && !watched;
  always_ff @(posedge clk) begin
    count <= count + 3'(w_in) - 3'(w_out);
    w_due <= w_out && w_last;
    if (mark) begin
      watched <= 1'b1;
      ahead   <= count - 3'(w_out);
      w_at    <= put_at;
    end else begin
      ahead <= ahead - 3'(w_out);
    end
    inside <= mark || (inside && !(w_out && w_last));
    for (int p = 0; p < 4; p = p + 1)
      used[p] <= (put && put_at == 2'(p)) || (used[p] && !(back && back_at == 2'(p)));
  end

  always_ff @(posedge clk)
    if (past_reset) begin
`ifdef ORDER
      assert(w_some == (count != 3'd0));
      if (w_out)
        assert(w_meta == w_last);
      if (take_full != w_full && |take)
        assert(!(take_full ? meta[12] : meta[0]));
      if (w_due)
        assert(taken_at == w_at);
      if (put)
        assert(!used[put_at] || (back && back_at == put_at));
`endif
`ifdef REACHED
      assert(!(w_out && w_last && count == 3'd4)); // three behind it
      assert(!(mark && count == 3'd3)); // three before it
      assert(!(put && free == 3'd0)); // the last slot is freed and allocated in one clock
      assert(!(w_due && kept)); // its slot is freed while another is kept
`endif
    end
endmodule
`default_nettype wire
