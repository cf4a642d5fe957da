// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// With MODE.KEEP (docs/wire-format.md, "Keeping lines"): which of a partition's two queues an item is for. Lines stored to
// first are kept, as many as a queue has entries; pieces for them go to the kept queue as long as they are frequent. What is
// queued does not matter here: a line is for one queue from the time it is kept until both queues are flushed.
//
// Items as from glk_store_cutter, with m_kept. A flush or probe becomes two, for the kept queue first; the token stays with the
// second. Throughput an item per clock. Two stages: A compares the line with the partition's kept lines, B decides. A
// partition's account is in memories; B writes it, and A takes what B is about to write.
module glk_kept_lines #(
  parameter int DATA_W     = 512,
  parameter int PARTITIONS = 4,
  parameter int ENTRIES    = 64,
  parameter int CONTEXTS   = 32,
  parameter int PASSED     = 64, // pieces for other lines between two evaluations; others only in proofs
  parameter int LEAST      = 16, // pieces for kept lines that justify keeping them; likewise
  parameter int PW         = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1,
  parameter int CW         = (CONTEXTS > 1) ? $clog2(CONTEXTS) : 1,
  parameter int EW         = $clog2(ENTRIES),
  parameter int LANES      = DATA_W / 8
) (
  input  logic              clk,
  input  logic              rst,

  input  logic [PARTITIONS*3-1:0] cfg_subheader_bytes,
  input  logic [PARTITIONS-1:0]   cfg_packing,
  input  logic [PARTITIONS-1:0]   cfg_keep,

  input  logic [1:0]        s_kind,
  input  logic [PW-1:0]     s_partition,
  input  logic [47:0]       s_address,
  input  logic [7:0]        s_length,
  input  logic [127:0]      s_mask,
  input  logic [5:0]        s_wanted,
  input  logic [LANES-1:0]  s_enables,
  input  logic [3:0]        s_reason,
  input  logic [CW-1:0]     s_context,
  input  logic              s_owned,
  input  logic [1:0]        s_token,
  input  logic              s_final,
  input  logic              s_first,
  input  logic [DATA_W-1:0] s_data,
  input  logic              s_valid,
  output logic              s_ready,

  output logic [1:0]        m_kind,
  output logic [PW-1:0]     m_partition,
  output logic              m_kept,   // for the kept queue
  output logic [47:0]       m_address,
  output logic [7:0]        m_length,
  output logic [127:0]      m_mask,
  output logic [5:0]        m_wanted,
  output logic [LANES-1:0]  m_enables,
  output logic [3:0]        m_reason,
  output logic [CW-1:0]     m_context,
  output logic              m_owned,
  output logic [1:0]        m_token,
  output logic              m_final,
  output logic              m_first,
  output logic [DATA_W-1:0] m_data,
  output logic              m_valid,
  input  logic              m_ready,
  output logic              idle
);
  localparam logic [1:0] STORE = 2'd0;
  localparam logic [1:0] FLUSH = 2'd1;
  localparam int REST_W = 8 + 128 + LANES + CW + 1 + 1 + DATA_W; // what no decision depends on
  localparam int IN_W   = 2 + PW + 48 + 6 + 4 + 2 + 1 + REST_W;
  localparam int PLACES = (PARTITIONS > 1) ? PARTITIONS : 2; // an index has at least one partition bit

  // --- A: compare ---
  logic              a_valid, a_take, a_first;
  logic [1:0]        a_kind, a_token;
  logic [PW-1:0]     a_partition;
  logic [47:0]       a_address;
  logic [5:0]        a_wanted;
  logic [3:0]        a_reason;
  logic [REST_W-1:0] a_rest;

  glk_skid #(.W(IN_W)) skid (
    .clk, .rst,
    .s_data({s_kind, s_partition, s_address, s_wanted, s_reason, s_token, s_first,
             s_length, s_mask, s_enables, s_context, s_owned, s_final, s_data}), .s_valid, .s_ready,
    .m_data({a_kind, a_partition, a_address, a_wanted, a_reason, a_token, a_first, a_rest}), .m_valid(a_valid),
    .m_ready(a_take));

  logic [PARTITIONS-1:0] some; // the partition keeps lines; else the rest of its account does not count
  (* ram_style = "distributed" *) logic [EW:0] used [0:PLACES-1];
  (* ram_style = "distributed" *) logic [4:0]  hits [0:PLACES-1]; // up to LEAST, since the last evaluation
  (* ram_style = "distributed" *) logic [6:0]  passed [0:PLACES-1]; // up to PASSED
  logic [PARTITIONS-1:0] complete; // no line is added any more
  (* ram_style = "distributed" *) logic [41:0] window [0:PLACES-1]; // bits 47:6

  wire [30:0] a_tag  = a_address[37:7];
  wire [2:0]  a_h    = cfg_subheader_bytes[a_partition*3 +: 3];
  wire [41:0] a_window = a_address[47:6] & ((a_h == 3'd2) ? {42{1'b1}} :
                                            (a_h == 3'd3) ? {{34{1'b1}}, 8'b0} :
                                            (a_h == 3'd4) ? {{26{1'b1}}, 16'b0} :
                                            (a_h == 3'd5) ? {{18{1'b1}}, 24'b0} : {{10{1'b1}}, 32'b0});
  wire        a_piece = a_kind == STORE && a_first;

  // What B writes for its partition
  logic          b_valid, b_take;
  logic [PW-1:0] b_partition;
  logic          b_writes;  // the account
  logic          b_some_after;
  logic [EW:0]   b_used_after;
  logic [4:0]    b_hits_after;
  logic [6:0]    b_passed_after;
  logic          b_complete_after;
  logic          b_begins;  // the first line of a new set
  logic          b_adds;    // a line, which has b_entry
  logic [EW-1:0] b_entry;
  logic          b_renews;  // the set from before does not count
  logic [30:0]   b_tag;
  logic [41:0]   b_window;

  wire           a_same = b_take && b_writes && b_partition == a_partition;
  wire [EW:0]    a_used = used[a_partition];
  logic [ENTRIES-1:0] a_match;
  genvar g;
  generate
    for (g = 0; g < ENTRIES; g = g + 1) begin : line
      (* ram_style = "distributed" *) logic [30:0] tags [0:PLACES-1];
      always_ff @(posedge clk)
        if (b_take && b_adds && b_entry == EW'(g))
          tags[b_partition] <= b_tag;
      assign a_match[g] = tags[a_partition] == a_tag && (EW+1)'(g) < a_used;
    end
  endgenerate

  // --- B: decide ---
  logic              b_first, b_piece, b_keeps;
  logic [1:0]        b_kind, b_token;
  logic [47:0]       b_address;
  logic [5:0]        b_wanted;
  logic [3:0]        b_reason;
  logic [REST_W-1:0] b_rest;
  logic [ENTRIES/4-1:0] b_match;
  logic              b_eq;            // its line is that of the item ahead, which has added it
  logic              b_drop;          // the match is of a set that the item ahead has ended
  // is in the window of the set; of the one that the item ahead has begun
  logic              b_inside_memory, b_inside_ahead, b_ahead;
  logic              b_some;
  logic [EW:0]       b_used;
  logic [4:0]        b_hits;
  logic [6:0]        b_passed;
  logic              b_complete;
  logic              b_due;           // to be evaluated, if the item begins a store
  logic              b_final;
  logic [1:0]        step;            // of the items that one in B becomes
  logic              inside_store;    // between a piece and the last one of its store; of no effect until there is a set
  logic              chosen;          // queue of the piece whose beats follow

  assign a_take = !b_valid || b_take;
  always_ff @(posedge clk) begin
    if (a_take) begin
      b_valid         <= a_valid;
      b_kind          <= a_kind;
      b_partition     <= a_partition;
      b_address       <= a_address;
      b_wanted        <= a_wanted;
      b_reason        <= a_reason;
      b_token         <= a_token;
      b_first         <= a_first;
      b_rest          <= a_rest;
      b_piece         <= a_piece;
      b_keeps         <= cfg_keep[a_partition] && cfg_packing[a_partition];
      b_window        <= a_window;
      for (int k = 0; k < ENTRIES / 4; k = k + 1)
        b_match[k]    <= |a_match[4*k +: 4];
      b_eq            <= a_same && b_adds && b_tag == a_tag;
      b_drop          <= a_same ? b_renews || b_begins || !b_some_after : !some[a_partition];
      b_inside_memory <= window[a_partition] == a_window;
      b_inside_ahead  <= b_window == a_window;
      b_ahead         <= a_same && b_begins;
      b_some          <= a_same ? b_some_after : some[a_partition];
      b_used          <= a_same ? b_used_after : a_used;
      b_hits          <= a_same ? b_hits_after : hits[a_partition];
      b_complete      <= a_same ? b_complete_after : complete[a_partition];
      b_passed        <= a_same ? b_passed_after : passed[a_partition];
    end
    if (rst)
      b_valid <= 1'b0;
  end
  assign b_tag   = b_address[37:7];
  assign b_final = b_rest[DATA_W];
  assign b_due   = b_some && b_passed == 7'(PASSED);

  wire b_evaluates = b_keeps && b_piece && !inside_store && b_due;
  wire b_full   = (EW+2)'(b_used) + (EW+2)'(b_wanted) > (EW+2)'(ENTRIES);
  assign b_renews = b_evaluates && b_hits != 5'(LEAST);
  wire b_kept_before = b_some && !b_renews;
  wire b_inside = b_ahead ? b_inside_ahead : b_inside_memory;
  wire b_hit    = b_kept_before && b_inside && (b_eq || (!b_drop && |b_match));
  wire b_room   = !b_kept_before || (b_inside && !b_full && !b_complete);
  wire b_to_kept = b_hit || b_room;
  wire [4:0] b_hits_now   = b_evaluates ? 5'd0 : b_hits;
  wire [6:0] b_passed_now = b_evaluates ? 7'd0 : b_passed;

  // A change of settings empties the set: what it means depends on them.
  wire b_clears = b_kind == FLUSH && b_reason == 4'(glk_regs::FLUSH_CONFIG);

  assign b_begins       = b_keeps && b_piece && !b_kept_before;
  assign b_adds         = b_keeps && b_piece && !b_hit && b_room;
  assign b_entry        = b_kept_before ? b_used[EW-1:0] : '0;
  assign b_writes       = (b_keeps && b_piece) || b_clears;
  assign b_some_after   = !b_clears;
  assign b_used_after   = b_begins ? (EW+1)'(1) : b_used + (EW+1)'(b_adds);
  assign b_hits_after   = b_begins ? 5'd0 : b_hits_now + 5'(b_hit && b_hits_now != 5'(LEAST));
  // A piece without room may be of a line for which a shorter store would have had some: its bytes are in the other queue now.
  assign b_complete_after = !b_begins && (b_complete || (b_inside && !b_hit && b_full));
  assign b_passed_after = b_begins ? 7'd0 : b_passed_now + 7'(!b_to_kept && b_passed_now != 7'(PASSED));

  always_ff @(posedge clk) begin
    if (b_take && b_writes) begin
      used[b_partition]     <= b_used_after;
      hits[b_partition]     <= b_hits_after;
      passed[b_partition]   <= b_passed_after;
      some[b_partition]     <= b_some_after;
      complete[b_partition] <= b_complete_after;
    end
    if (b_take && b_begins)
      window[b_partition] <= b_window;
    if (b_take && b_piece) begin
      inside_store <= !b_final;
      chosen       <= b_to_kept;
    end
    if (rst)
      some <= '0;
  end

  // --- the items that it becomes ---
  // Two flushes ahead of a piece with which a new set begins; a flush or probe for both queues.
  wire b_twice = b_keeps && b_kind != STORE;
  wire last_step = b_renews ? step == 2'd2 : b_twice ? step == 2'd1 : 1'b1;
  wire flushes = b_renews && step != 2'd2;
  wire moves   = b_valid && m_ready;
  assign b_take = moves && last_step;

  logic [7:0] rest_length;
  always_ff @(posedge clk)
    if (rst || b_take)
      step <= 2'd0;
    else if (moves)
      step <= step + 2'd1;

  logic b_owned;
  assign {rest_length, m_mask, m_enables, m_context, b_owned, m_final, m_data} = b_rest;
  assign m_valid     = b_valid;
  assign m_kind      = flushes ? FLUSH : b_kind;
  assign m_partition = b_partition;
  assign m_kept      = b_keeps && ((flushes || b_twice) ? step == 2'd0 : b_piece ? b_to_kept : chosen);
  assign m_address   = b_address;
  assign m_length    = rest_length;
  assign m_wanted    = (b_keeps && b_to_kept) ? 6'd1 : b_wanted; // the kept queue has an entry for each kept line
  assign m_reason    = flushes ? 4'(glk_regs::FLUSH_ENTRIES_FULL) : b_reason;
  assign m_owned     = !flushes && b_owned;
  assign m_token     = last_step ? b_token : 2'd0;
  assign m_first     = b_first;
  assign idle        = !(a_valid || b_valid);

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk)
    if (checks && b_valid) begin
      if (b_some) begin
        begin : used_in_range assert(b_used != '0 && b_used <= (EW+1)'(ENTRIES)); end
        begin : set_as_in_memory assert(b_some == some[b_partition] && b_used == used[b_partition]); end
        begin : account_as_in_memory assert(b_hits == hits[b_partition] && b_passed == passed[b_partition]); end
        begin : window_as_in_memory assert(b_inside == (window[b_partition] == b_window) || !b_piece); end
      end
      if (b_take && b_piece && b_keeps)
        begin : kept_now_or_before assert(b_to_kept || b_kept_before); end
    end
`endif
endmodule
`default_nettype wire
