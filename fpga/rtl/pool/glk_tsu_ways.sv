// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// The entries of glk_tsu, and the search of a set: the entry of a line, and the one that a new line takes: the first free one,
// or that with the lease that ends first.
//
// A search takes 2 + TREE clocks; one may begin per clock. `run` 0 stops all of them where they are. Writes are independent of
// `run`; a set must not be read in the clock of its write.
module glk_tsu_ways #(
  parameter int SETS    = 1024, // powers of two
  parameter int WAYS    = 8,
  parameter int TS_BITS = 32,
  parameter int TAG_W   = 32,
  parameter int SB      = (SETS > 1) ? $clog2(SETS) : 1,
  parameter int WB      = (WAYS > 1) ? $clog2(WAYS) : 1
) (
  input  logic               clk,
  input  logic               run,

  input  logic [SB-1:0]      read_set,
  input  logic [TAG_W-1:0]   read_tag,

  output logic               read_q_error, // parity error in an entry of the set
  output logic               read_q_hit,
  output logic [WB-1:0]      read_q_way,   // of the line
  output logic [TS_BITS-1:0] read_q_wts,
  output logic [TS_BITS-1:0] read_q_rts,
  output logic [2:0]         read_q_order,
  output logic [WB-1:0]      read_q_victim,
  output logic               read_q_used,  // the victim is an entry
  output logic [TS_BITS-1:0] read_q_ends,  // its rts

  input  logic               write_valid, // write
  input  logic               write_all,   // all ways
  input  logic               write_some,  // an entry, not its absence
  input  logic [SB-1:0]      write_set,
  input  logic [WB-1:0]      write_way,
  input  logic [TAG_W-1:0]   write_tag,
  input  logic [TS_BITS-1:0] write_wts,
  input  logic [TS_BITS-1:0] write_rts,
  input  logic [2:0]         write_order
);
  localparam int LEVELS = $clog2(WAYS);
  localparam int TREE   = (LEVELS > 0) ? LEVELS : 1;
  localparam int TIMES  = 2 * TS_BITS + 3;
  localparam int BITS   = 2 + TAG_W + TIMES; // {parity, valid, tag, order, wts, rts}
  localparam int CANDIDATE = WB + 1 + TS_BITS;

  wire [BITS-2:0] w_entry = {write_some, write_tag, write_order, write_wts, write_rts};
  wire [BITS-1:0] w_row   = {^w_entry, w_entry};

  // --- entries, tags, parity ---
  logic [TAG_W-1:0]          tag;
  logic [WAYS-1:0]           hits, wrongs;
  logic [WAYS*TIMES-1:0]     times;
  logic [WAYS*CANDIDATE-1:0] leaves; // {way, valid, rts if valid}
  always_ff @(posedge clk)
    if (run)
      tag <= read_tag;
  genvar w;
  generate
    for (w = 0; w < WAYS; w = w + 1) begin : way
      (* ram_style = "block" *) logic [BITS-1:0] rows [0:SETS-1];
      logic [BITS-1:0] row;
      wire             valid = row[BITS-2];
      always_ff @(posedge clk) begin
        if (write_valid && (write_all || write_way == WB'(w)))
          rows[write_set] <= w_row;
        if (run)
          row <= rows[read_set];
      end
      always_ff @(posedge clk)
        if (run) begin
          hits[w]                                <= valid && row[TIMES +: TAG_W] == tag;
          wrongs[w]                              <= ^row;
          times[w*TIMES +: TIMES]                <= row[TIMES-1:0];
          leaves[w*CANDIDATE +: CANDIDATE]       <= {WB'(w), valid, row[TS_BITS-1:0] & {TS_BITS{valid}}};
        end
    end
  endgenerate

  // --- the line's entry ---
  logic [WB-1:0]    hit_way;
  logic [TIMES-1:0] hit_times;
  always_comb begin
    hit_way   = '0;
    hit_times = '0;
    for (int k = 0; k < WAYS; k = k + 1) begin
      hit_way   = hit_way | (WB'(k) & {WB{hits[k]}});
      hit_times = hit_times | (times[k*TIMES +: TIMES] & {TIMES{hits[k]}});
    end
  end
  localparam int FOUND = 2 + WB + TIMES;
  logic [TREE*FOUND-1:0] found; // the latest in the low bits
  always_ff @(posedge clk)
    if (run)
      found <= (TREE*FOUND)'({found, |wrongs, |hits, hit_way, hit_times});
  assign {read_q_error, read_q_hit, read_q_way, read_q_order, read_q_wts, read_q_rts} = found[(TREE-1)*FOUND +: FOUND];

  // --- the least of all, of equals the first: a tree with a level a clock; node k is the lesser of 2 k and 2 k + 1 ---
  logic [2*WAYS*CANDIDATE-1:CANDIDATE] nodes;
  logic [CANDIDATE-1:0]                only;
  assign nodes[WAYS*CANDIDATE +: WAYS*CANDIDATE] = leaves;
  generate
    for (w = 1; w < WAYS; w = w + 1) begin : pair
      wire [CANDIDATE-1:0] a = nodes[2*w*CANDIDATE +: CANDIDATE];
      wire [CANDIDATE-1:0] b = nodes[(2*w+1)*CANDIDATE +: CANDIDATE];
      logic [CANDIDATE-1:0] least;
      assign nodes[w*CANDIDATE +: CANDIDATE] = least;
      always_ff @(posedge clk)
        if (run)
          least <= (b[TS_BITS:0] < a[TS_BITS:0]) ? b : a;
    end
  endgenerate
  always_ff @(posedge clk)
    if (run)
      only <= leaves[CANDIDATE-1:0];
  assign {read_q_victim, read_q_used, read_q_ends} = (WAYS > 1) ? nodes[CANDIDATE +: CANDIDATE] : only;
endmodule
`default_nettype wire
