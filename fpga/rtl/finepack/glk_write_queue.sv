// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Write queues of all partitions (FinePack IV-B): fully associative lines of 128 bytes with byte enables; all lines of a
// partition are within one address window; the payload size of the resulting packet is tracked exactly. Accepts one item
// per clock. Each partition has BANKS banks: one fills while the others wait for the packetizer or are read out. (With two,
// the packetizer is idle from the end of one flush to the beginning of the next.)
//
// Five-stage pipeline, all stages advance together:
//   A  compare the line with the partition's tags, and with the items ahead
//   B  read the enables of the matching entry
//   C  count bytes overwritten and runs touched
//   E  compute the change in payload
//   D  decide: flush or merge; write tags and accounts. Enables and data are written one clock later (W): closely following
//      items use the forwarded mask, and a flush is read out later still.
// Only W looks at data: they wait in a small memory, not in the stages.
// Hazards: the outcome of an item depends on the decisions of the items ahead of it, of which the last flush matters. So C
// counts for three cases: no flush by the two items ahead, a flush by the second, a flush by the first; E and D select.
// Masks of items ahead in the same line are forwarded along the pipeline.
//
// The accounts of the partitions are in memories; D reads and writes them at one address. State needed for all partitions
// at once, or cleared by reset, is in flip-flops: `some`, which qualifies the rest of an account.
module glk_write_queue #(
  parameter int DATA_W     = 512,
  parameter int PARTITIONS = 4,
  parameter int ENTRIES    = 64,
  parameter int BANKS      = 4, // power of two
  parameter int CONTEXTS   = 32,
  parameter int PW         = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1,
  parameter int CW         = (CONTEXTS > 1) ? $clog2(CONTEXTS) : 1,
  parameter int EW         = $clog2(ENTRIES),
  parameter int BW         = $clog2(BANKS),
  parameter int LANES      = DATA_W / 8
) (
  input  logic              clk,
  input  logic              rst,

  input  logic [PARTITIONS*3-1:0]  cfg_subheader_bytes,
  input  logic [PARTITIONS*13-1:0] cfg_max_payload_bytes,
  input  logic [PARTITIONS-1:0]    cfg_packing, // the payload has no limit

  // Items from glk_store_cutter
  input  logic [1:0]        s_kind,
  input  logic [PW-1:0]     s_partition,
  input  logic [47:0]       s_address,
  input  logic [7:0]        s_length,
  input  logic [127:0]      s_mask,
  input  logic [5:0]        s_wanted, // entries that must be free if the line is not queued
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

  // Flushes, in order: descriptors for the packetizer
  output logic [PW-1:0]     flush_partition,
  output logic [BW-1:0]     flush_bank,
  output logic [EW:0]       flush_used,
  output logic [47:0]       flush_base,
  output logic [12:0]       flush_payload,
  output logic [10:0]       flush_runs,
  output logic [3:0]        flush_reason,
  output logic              flush_valid,
  input  logic              flush_ready,

  // Read port for flushed entries, one clock of latency; then the bank is released
  input  logic [PW+BW+EW-1:0] read_tag_entry, // {partition, bank, entry}
  input  logic              read_tag_enable,
  output logic [30:0]       read_tag,
  input  logic [PW+BW+EW-1:0] read_entry,
  input  logic              read_enable,
  output logic [127:0]      read_enables,
  input  logic [PW+BW+EW-1:0] read_data_entry,
  input  logic              read_data_enable,
  output logic [1023:0]     read_data,
  input  logic              done_valid,
  input  logic [PW-1:0]     done_partition,
  input  logic [BW-1:0]     done_bank,

  // Events and status
  output logic              e_valid,
  output logic [PW-1:0]     e_partition,
  output logic [7:0]        e_overwritten,
  output logic              idle,         // pipeline empty, and all events reported
  output logic [PARTITIONS-1:0] holds,    // the partition's queue is not empty

  // A flush is made; one clock later, the token of the item that has passed
  output logic              e_flush,
  output logic              token_valid,
  output logic [1:0]        token,
  output logic [31:0]       queued_stores, // stores whose last byte is queued
  // Queue status of a partition, some clocks later
  input  logic [PW-1:0]     look_partition,
  output logic [6:0]        look_entries,
  output logic [14:0]       look_payload
);
  localparam logic [1:0] STORE = 2'd0;
  localparam logic [1:0] PROBE = 2'd2;
  localparam int IN_W = 2 + PW + 48 + 8 + 128 + 6 + 4 + CW + 1 + 2 + 1 + 1;
  localparam int AW   = PW + BW + EW;
  localparam logic [14:0] NO_LIMIT = 15'h7fff; // more than all lines with a sub-header for every second byte
  localparam int PLACES = (PARTITIONS > 1) ? PARTITIONS : 2; // an index has at least one partition bit
  localparam int ROWS   = PLACES * BANKS * ENTRIES;

  initial if (ENTRIES > 64 || ENTRIES != 1 << EW || BANKS != 1 << BW || PARTITIONS > 16) $fatal;

  logic go;      // the pipeline advances
  logic d_needs; // the item in D flushes its partition before the pipeline advances
  logic d_flush; // in this clock

  // --- A: tag match ---
  logic              a_valid, a_first;
  logic [1:0]        a_kind;
  logic [PW-1:0]     a_partition;
  logic [47:0]       a_address;
  logic [7:0]        a_length;
  logic [127:0]      a_mask;
  logic [5:0]        a_wanted, b_wanted, c_wanted;
  logic [3:0]        a_reason;
  logic [CW-1:0]     a_context;
  logic              a_owned, a_final;
  logic [1:0]        a_token;
  logic [IN_W-1:0]   a_all;

  glk_skid #(.W(IN_W)) skid (
    .clk, .rst,
    .s_data({s_kind, s_partition, s_address, s_length, s_mask, s_wanted, s_reason, s_context, s_owned, s_token, s_final,
    s_first}),
    .s_valid, .s_ready, .m_data(a_all), .m_valid(a_valid), .m_ready(go));
  assign {a_kind, a_partition, a_address, a_length, a_mask, a_wanted, a_reason, a_context, a_owned, a_token, a_final, a_first} =
          a_all;

  logic          b_valid, c_valid, e_item, d_valid;
  logic          b_adds, c_adds, e_adds, d_adds; // first beat of a piece: adds a mask to a line
  logic [PW-1:0] b_partition, c_partition, e_partition_q, d_partition;
  logic [47:0]   b_address, c_address, e_address;
  logic [37:0]   d_address;
  logic [127:0]  b_mask, c_mask, e_mask, d_mask;
  logic [PARTITIONS-1:0] some; // the partition's queue is not empty
  (* ram_style = "distributed" *) logic [6:0] used [0:PLACES-1]; // entries in use; allocated in ascending order

  wire a_looks = a_valid && a_first && (a_kind == STORE || a_kind == PROBE);
  wire [30:0] a_tag = a_address[37:7];

  wire a_same1 = b_valid && b_partition == a_partition;
  wire a_same2 = c_valid && c_partition == a_partition;
  wire a_same3 = e_item && e_partition_q == a_partition;
  wire a_same4 = d_valid && d_partition == a_partition;
  wire a_eq1 = a_looks && b_adds && a_same1 && b_address[37:7] == a_tag;
  wire a_eq2 = a_looks && c_adds && a_same2 && c_address[37:7] == a_tag;
  wire a_eq3 = a_looks && e_adds && a_same3 && e_address[37:7] == a_tag;
  wire a_eq4 = a_looks && d_adds && a_same4 && d_address[37:7] == a_tag;

  logic             write_tag;
  logic [EW-1:0]    write_entry;
  logic [ENTRIES-1:0] a_match;
  wire [6:0]        a_used = used[a_partition];
  genvar g;
  generate
    for (g = 0; g < ENTRIES; g = g + 1) begin : entry
      (* ram_style = "distributed" *) logic [30:0] tags [0:PARTITIONS-1];
      always_ff @(posedge clk)
        if (write_tag && write_entry == EW'(g))
          tags[d_partition] <= d_address[37:7];
      assign a_match[g] = a_looks && tags[a_partition] == a_tag && 7'(g) < a_used;
    end
  endgenerate

  // --- B: enables ---
  logic               b_first, b_looks;
  logic [1:0]         b_kind;
  logic [7:0]         b_length;
  logic [3:0]         b_reason;
  logic [CW-1:0]      b_context;
  logic               b_owned, b_final;
  logic [1:0]         b_token;
  logic [ENTRIES-1:0] b_match;
  logic               b_stale;
  logic               b_eq1, b_eq2, b_eq3, b_eq4, b_same1, b_same2, b_same3;
  logic [127:0]       b_m4;

  logic [EW-1:0] b_entry;
  always_comb begin
    b_entry = '0;
    for (int k = 0; k < ENTRIES; k = k + 1)
      if (b_match[k])
        b_entry = b_entry | EW'(k); // at most one matches
  end
  wire b_hit = |b_match && !b_stale;

  // Of the bank being filled. Waiting banks have a memory of their own.
  (* ram_style = "distributed" *) logic [127:0] enables [0:PLACES*ENTRIES-1];
  wire [127:0] b_memory = enables[{b_partition, b_entry}];

  always_ff @(posedge clk) begin
    if (go) begin
      b_valid     <= a_valid;
      b_first     <= a_first;
      b_kind      <= a_kind;
      b_partition <= a_partition;
      b_address   <= a_address;
      b_length    <= a_length;
      b_mask      <= a_mask;
      b_wanted    <= a_wanted;
      b_reason    <= a_reason;
      b_context   <= a_context;
      b_owned     <= a_owned;
      b_token     <= a_token;
      b_final     <= a_final;
      b_looks     <= a_looks;
      b_adds      <= a_looks && a_kind == STORE;
      b_match     <= a_match;
      b_stale     <= !some[a_partition] || (a_same4 && d_needs);
      b_eq1       <= a_eq1;
      b_eq2       <= a_eq2;
      b_eq3       <= a_eq3;
      b_eq4       <= a_eq4;
      b_same1     <= a_same1;
      b_same2     <= a_same2;
      b_same3     <= a_same3;
      b_m4        <= a_eq4 ? d_mask : 128'b0;
    end
    if (rst) begin
      b_valid <= 1'b0;
      b_adds  <= 1'b0;
    end
  end

  // --- C: counts ---
  logic              c_first, c_looks;
  logic [1:0]        c_kind;
  logic [7:0]        c_length;
  logic [3:0]        c_reason;
  logic [CW-1:0]     c_context;
  logic              c_owned, c_final;
  logic [1:0]        c_token;
  logic [EW-1:0]     c_entry;
  logic              c_stale;
  logic              c_eq1, c_eq2, c_eq3, c_eq4, c_same1, c_same2;
  logic [127:0]      c_old, c_m3;

  always_ff @(posedge clk) begin
    if (go) begin
      c_valid     <= b_valid;
      c_first     <= b_first;
      c_kind      <= b_kind;
      c_partition <= b_partition;
      c_address   <= b_address;
      c_length    <= b_length;
      c_mask      <= b_mask;
      c_wanted    <= b_wanted;
      c_reason    <= b_reason;
      c_context   <= b_context;
      c_owned     <= b_owned;
      c_token     <= b_token;
      c_final     <= b_final;
      c_looks     <= b_looks;
      c_adds      <= b_adds;
      c_entry     <= b_entry;
      c_old       <= (b_hit ? b_memory : 128'b0) | b_m4;
      c_m3        <= b_eq3 ? d_mask : 128'b0;
      c_stale     <= b_same3 && d_needs;
      c_eq1       <= b_eq1;
      c_eq2       <= b_eq2;
      c_eq3       <= b_eq3;
      c_eq4       <= b_eq4;
      c_same1     <= b_same1;
      c_same2     <= b_same2;
    end
    if (rst) begin
      c_valid <= 1'b0;
      c_adds  <= 1'b0;
    end
  end

  wire [2:0]   c_h     = cfg_subheader_bytes[c_partition*3 +: 3];
  // Enables of the line as seen by the piece, in the three cases.
  wire [127:0] c_m2    = c_eq2 ? d_mask : 128'b0;
  wire [127:0] c_m1    = c_eq1 ? e_mask : 128'b0;
  wire [127:0] c_have0 = (c_stale ? 128'b0 : c_old) | c_m3 | c_m2 | c_m1;
  wire [127:0] c_have1 = c_m2 | c_m1;
  wire [127:0] c_have2 = c_m1;

  logic [119:0] c_bytes;
  logic [59:0] c_runs;
  logic        c_left0, c_left1, c_left2;
  glk_line_change change0 (.have(c_have0), .mask(c_mask), .overwritten(c_bytes[0*40 +: 40]), .touched(c_runs[0*20 +: 20]),
    .left(c_left0));
  glk_line_change change1 (.have(c_have1), .mask(c_mask), .overwritten(c_bytes[1*40 +: 40]), .touched(c_runs[1*20 +: 20]),
    .left(c_left1));
  glk_line_change change2 (.have(c_have2), .mask(c_mask), .overwritten(c_bytes[2*40 +: 40]), .touched(c_runs[2*20 +: 20]),
    .left(c_left2));

  // Pairwise sums here, the rest in E.
  logic [71:0] c_over;  // per case, four partial sums of 6 bits
  logic [35:0] c_touch; // per case, two partial sums
  generate
    for (g = 0; g < 12; g = g + 1) begin : two_bytes
      glk_sum #(.N(2), .W(5), .SW(6)) add (.numbers(c_bytes[g*10 +: 10]), .sum(c_over[g*6 +: 6]));
    end
    for (g = 0; g < 6; g = g + 1) begin : two_runs
      glk_sum #(.N(2), .W(5), .SW(6)) add (.numbers(c_runs[g*10 +: 10]), .sum(c_touch[g*6 +: 6]));
    end
  endgenerate

  // --- E: payload change ---
  logic [41:0]       d_window;
  logic [BW-1:0]     d_bank;
  logic              d_alone; // the piece starts a new queue
  logic              d_new;   // the piece allocates an entry
  logic              e_first, e_looks;
  logic [1:0]        e_kind;
  logic [3:0]        e_reason;
  logic [CW-1:0]     e_context;
  logic              e_owned, e_final;
  logic [1:0]        e_token;
  logic [EW-1:0]     e_entry;
  logic              e_f2, e_eq1, e_eq2, e_eq3, e_eq4, e_same1;
  logic [127:0]      e_have0, e_have1;
  logic              e_any0, e_any1, e_any2;
  logic [23:0]       e_over0, e_over1, e_over2;
  logic [11:0]       e_touch0, e_touch1, e_touch2;
  logic              e_left0, e_left1, e_left2;
  logic [2:0]        e_h;
  logic [14:0]       e_limit;
  logic [8:0]        e_fresh; // payload of the piece alone
  logic [6:0]        e_most;  // entries in use that leave those wanted

  always_ff @(posedge clk) begin
    if (go) begin
      e_item        <= c_valid;
      e_first       <= c_first;
      e_kind        <= c_kind;
      e_partition_q <= c_partition;
      e_address     <= c_address;
      e_mask        <= c_mask;
      e_most        <= 7'(ENTRIES) - 7'(c_wanted);
      e_reason      <= c_reason;
      e_context     <= c_context;
      e_owned       <= c_owned;
      e_token       <= c_token;
      e_final       <= c_final;
      e_looks       <= c_looks;
      e_adds        <= c_adds;
      e_entry       <= c_entry;
      e_f2          <= c_same2 && d_needs;
      e_eq1         <= c_eq1;
      e_eq2         <= c_eq2;
      e_eq3         <= c_eq3;
      e_eq4         <= c_eq4;
      e_same1       <= c_same1;
      e_have0       <= c_have0;
      e_have1       <= c_have1;
      e_any0        <= |c_have0;
      e_any1        <= |c_have1;
      e_any2        <= |c_have2;
      e_over0       <= c_over[0*24 +: 24];
      e_over1       <= c_over[1*24 +: 24];
      e_over2       <= c_over[2*24 +: 24];
      e_touch0      <= c_touch[0*12 +: 12];
      e_touch1      <= c_touch[1*12 +: 12];
      e_touch2      <= c_touch[2*12 +: 12];
      e_left0       <= c_left0;
      e_left1       <= c_left1;
      e_left2       <= c_left2;
      e_h           <= c_h;
      e_limit       <= cfg_packing[c_partition] ? NO_LIMIT : 15'(cfg_max_payload_bytes[c_partition*13 +: 13]);
      e_fresh       <= 9'(c_length) + 9'(c_h);
    end
    if (rst) begin
      e_item <= 1'b0;
      e_adds <= 1'b0;
    end
  end

  // Whether the queue holds a store of the item's context: if the item ahead does not flush, and if it does.
  (* ram_style = "distributed" *) logic [CONTEXTS-1:0] owners [0:PLACES-1];
  wire [CONTEXTS-1:0] e_owners = owners[e_partition_q];
  wire e_some  = some[e_partition_q];
  logic [CW-1:0] d_context; // of stage D
  wire e_own_b = e_same1 && d_adds && d_context == e_context;
  wire e_own_a = e_own_b || (e_some && e_owners[e_context]);

  wire e_tells = e_item && e_kind != STORE && e_kind != PROBE; // flush or config

  // Whether the item is within the window of its queue: of the one started by the item ahead, or of the current one.
  (* ram_style = "distributed" *) logic [41:0] base [0:PLACES-1]; // bits 47:6
  wire [41:0] e_window_mask = (e_h == 3'd2) ? {42{1'b1}} :
                              (e_h == 3'd3) ? {{34{1'b1}}, 8'b0} :
                              (e_h == 3'd4) ? {{26{1'b1}}, 16'b0} :
                              (e_h == 3'd5) ? {{18{1'b1}}, 24'b0} : {{10{1'b1}}, 32'b0};
  wire [41:0] e_window = e_address[47:6] & e_window_mask;
  wire        e_inside_ahead = e_window == d_window;
  wire        e_inside_now   = e_window == base[e_partition_q];

  logic [BW-1:0] bank [0:PARTITIONS-1]; // being filled
  (* ram_style = "distributed" *) logic [14:0] room [0:PLACES-1]; // remaining payload

  // D finds its partition's account in registers, so that `go` does not wait for a memory: read here, unless the item ahead
  // changes it.
  wire       e_behind = e_same1 && d_adds;
  wire [6:0] e_used   = used[e_partition_q];

  wire [23:0] e_parts_a = e_f2 ? e_over1 : e_over0;
  wire [11:0] e_runs_at = e_f2 ? e_touch1 : e_touch0;
  wire        e_left_a  = e_f2 ? e_left1 : e_left0;
  logic [7:0] e_over_a, e_over_b;
  logic [6:0] e_touch_a, e_touch_b;
  glk_sum #(.N(4), .W(6), .SW(8)) over_a (.numbers(e_parts_a), .sum(e_over_a));
  glk_sum #(.N(4), .W(6), .SW(8)) over_b (.numbers(e_over2), .sum(e_over_b));
  glk_sum #(.N(3), .W(6), .SW(7)) touch_a (.numbers({5'b0, e_left_a, e_runs_at}), .sum(e_touch_a));
  glk_sum #(.N(3), .W(6), .SW(7)) touch_b (.numbers({5'b0, e_left2, e_touch2}), .sum(e_touch_b));
  // Payload change: length + H - overwritten - H * touched.
  wire [9:0]  e_heads_a = (e_h[2] ? {1'b0, e_touch_a, 2'b0} : 10'd0) + (e_h[1] ? {2'b0, e_touch_a, 1'b0} : 10'd0) +
                          (e_h[0] ? 10'(e_touch_a) : 10'd0);
  wire [9:0]  e_heads_b = (e_h[2] ? {1'b0, e_touch_b, 2'b0} : 10'd0) + (e_h[1] ? {2'b0, e_touch_b, 1'b0} : 10'd0) +
                          (e_h[0] ? 10'(e_touch_b) : 10'd0);
  wire [10:0] e_base_a  = 11'(e_fresh) - 11'(e_over_a);
  wire [10:0] e_base_b  = 11'(e_fresh) - 11'(e_over_b);

  // --- D: decision ---
  logic              d_first;
  logic [1:0]        d_kind;
  logic [3:0]        d_reason;
  logic              d_final;
  logic [1:0]        d_token;
  logic [EW-1:0]     d_entry;
  logic              d_f1, d_eq1, d_eq2, d_eq3, d_eq4;
  logic [127:0]      d_have_a, d_have_b;
  logic              d_any_a, d_any_b;
  logic              d_told_a, d_told_b; // a flush item that applies
  logic              d_probe;
  logic [7:0]        d_over_a, d_over_b;
  logic signed [7:0] d_runs_a, d_runs_b;
  logic signed [10:0] d_delta_a, d_delta_b;
  logic              d_hit_a, d_hit_b; // queued bytes are hit
  logic [6:0]        d_used;           // entries in use
  logic              d_full;           // without those wanted
  logic [14:0]       d_room;           // remaining payload
  logic [14:0]       d_limit, d_begun; // maximum payload; remaining payload after the piece alone
  logic              d_some, d_inside;
  logic [PARTITIONS-1:0] d_hot; // one-hot partition
  wire [BW-1:0] d_next = d_bank + BW'(1);
  logic [6:0]   d_used_after; // with the item in D, if it is a store
  logic [14:0]  d_room_after;

  always_ff @(posedge clk) begin
    if (go) begin
      d_valid     <= e_item;
      d_first     <= e_first;
      d_kind      <= e_kind;
      d_partition <= e_partition_q;
      d_address   <= e_address[37:0];
      d_mask      <= e_mask;
      d_reason    <= e_reason;
      d_context   <= e_context;
      d_token     <= e_token;
      d_final     <= e_final;
      d_adds      <= e_adds;
      d_entry     <= e_entry;
      d_f1        <= e_same1 && d_needs;
      d_eq1       <= e_eq1;
      d_eq2       <= e_eq2;
      d_eq3       <= e_eq3;
      d_eq4       <= e_eq4;
      d_have_a    <= e_f2 ? e_have1 : e_have0;
      d_have_b    <= e_eq1 ? d_mask : 128'b0;
      d_any_a     <= e_f2 ? e_any1 : e_any0;
      d_any_b     <= e_any2;
      d_told_a    <= e_tells && (!e_owned || e_own_a);
      d_told_b    <= e_tells && (!e_owned || e_own_b);
      d_probe     <= e_item && e_looks && e_kind == PROBE;
      d_over_a    <= e_over_a;
      d_over_b    <= e_over_b;
      d_runs_a    <= 8'd1 - 8'(e_touch_a);
      d_runs_b    <= 8'd1 - 8'(e_touch_b);
      d_delta_a   <= e_base_a - 11'(e_heads_a);
      d_delta_b   <= e_base_b - 11'(e_heads_b);
      d_hit_a     <= |e_parts_a;
      d_hit_b     <= |e_over2;
      d_used      <= e_behind ? d_used_after : e_used;
      d_room      <= e_behind ? d_room_after : room[e_partition_q];
      // d_used_after > e_most, without waiting for the sum
      d_full      <= !e_behind ? e_used > e_most : d_alone ? e_most == 7'd0 : d_new ? d_used >= e_most : d_used > e_most;
      d_limit     <= e_limit;
      d_begun     <= e_limit - 15'(e_fresh);
      d_window    <= e_window;
      d_inside    <= (e_same1 && d_adds && d_alone) ? e_inside_ahead : e_inside_now;
      d_some      <= (e_same1 && d_adds) || (e_some && !(e_same1 && d_needs));
      d_bank      <= (e_same1 && d_needs) ? d_next : bank[e_partition_q];
      for (int p = 0; p < PARTITIONS; p = p + 1)
        d_hot[p]  <= e_partition_q == PW'(p);
    end
    if (rst) begin
      d_valid <= 1'b0;
      d_adds  <= 1'b0;
      d_some  <= 1'b0;
    end
  end

  // Accounts per partition.
  (* ram_style = "distributed" *) logic [10:0] runs [0:PLACES-1];
  logic [BANKS-1:0]      bank_busy [0:PARTITIONS-1];
  logic [PARTITIONS-1:0] next_busy; // the bank after the one being filled is busy
  logic                  flush_full;

  wire [41:0] d_base  = base[d_partition];
  wire [10:0] d_runs  = runs[d_partition];
  wire [CONTEXTS-1:0] d_owners = owners[d_partition];
  wire        d_empty = !d_some;

  wire               d_any   = d_f1 ? d_any_b : d_any_a;
  wire [7:0]         d_over  = d_f1 ? d_over_b : d_over_a;
  wire signed [7:0]  d_drun  = d_f1 ? d_runs_b : d_runs_a;
  wire [127:0]       d_have  = d_f1 ? d_have_b : d_have_a;
  wire signed [16:0] d_after_a = $signed({2'b0, d_room}) - 17'(d_delta_a);
  wire signed [16:0] d_after_b = $signed({2'b0, d_room}) - 17'(d_delta_b);
  wire signed [16:0] d_after   = d_f1 ? d_after_b : d_after_a; // selected late: on the way to `go`

  wire d_stores = d_adds;
  wire d_miss   = !d_inside;
  wire d_no_entry = !d_any && d_full;
  wire d_over_limit = d_after[16];
  wire d_probes = d_probe && d_inside && (d_f1 ? d_hit_b : d_hit_a);
  wire d_told   = d_f1 ? d_told_b : d_told_a;
  assign d_needs = d_some && ((d_stores && (d_miss || d_no_entry || d_over_limit)) || d_probes || d_told);
  wire d_blocked = flush_full || |(next_busy & d_hot);
  wire [3:0] d_why = !d_stores ? d_reason : d_miss ? 4'(glk_regs::FLUSH_WINDOW_MISS) :
                     d_no_entry ? 4'(glk_regs::FLUSH_ENTRIES_FULL) : 4'(glk_regs::FLUSH_PAYLOAD_FULL);

  assign go      = !(d_needs && d_blocked);
  assign d_flush = d_needs && !d_blocked;

  assign d_alone = d_empty || d_needs;
  assign d_new = d_alone || !d_any;
  assign d_used_after = d_alone ? 7'd1 : d_used + 7'(d_new);
  assign d_room_after = d_alone ? d_begun : d_after[14:0];
  wire [BW-1:0] d_to = d_needs ? d_next : d_bank; // its bank
  wire [CONTEXTS-1:0] d_context_bit = CONTEXTS'(1) << d_context;

  // Entries used by the four items before this one, which A has not seen.
  logic [EW-1:0] before1, before2, before3, before4, last_entry;
  logic [BW-1:0] last_bank;
  wire [EW-1:0] d_found = d_eq1 ? before1 : d_eq2 ? before2 : d_eq3 ? before3 : d_eq4 ? before4 : d_entry;
  wire [EW-1:0] d_goes  = d_alone ? '0 : d_any ? d_found : d_used[EW-1:0];
  wire [EW-1:0] d_slot  = d_first ? d_goes : last_entry;

  assign write_tag   = d_stores && go && d_new;
  assign write_entry = d_goes;

  always_ff @(posedge clk) begin
    if (go) begin
      before1 <= d_slot;
      before2 <= before1;
      before3 <= before2;
      before4 <= before3;
      if (d_valid && d_kind == STORE) begin
        last_entry <= d_slot;
        last_bank  <= d_to;
      end
    end
    if (go && d_stores) begin
      used[d_partition]   <= d_used_after;
      room[d_partition]   <= d_room_after;
      runs[d_partition]   <= d_alone ? 11'd1 : d_runs + 11'(d_drun);
      owners[d_partition] <= (d_alone ? '0 : d_owners) | d_context_bit;
      if (d_alone)
        base[d_partition] <= d_window;
    end
  end

  generate
    for (g = 0; g < PARTITIONS; g = g + 1) begin : banks
      wire flush = d_flush && d_hot[g];
      wire [BANKS-1:0] given = (done_valid && done_partition == PW'(g)) ? BANKS'(1) << done_bank : '0;
      wire [BANKS-1:0] busy  = bank_busy[g] & ~given;
      wire [BW-1:0]    next  = bank[g] + BW'(1);
      wire [BW-1:0]    over  = bank[g] + BW'(2);
      always_ff @(posedge clk) begin
        bank_busy[g] <= busy | (flush ? BANKS'(1) << bank[g] : '0);
        next_busy[g] <= flush ? BANKS == 2 || busy[over] : busy[next];
        if (flush)
          bank[g] <= next;
        if (go && d_stores && d_hot[g])
          some[g] <= 1'b1;
        else if (flush)
          some[g] <= 1'b0;
        if (rst) begin
          some[g]      <= 1'b0;
          bank[g]      <= '0;
          bank_busy[g] <= '0;
          next_busy[g] <= 1'b0;
        end
      end
    end
  endgenerate

  // --- W: memories ---
  // What is read is in a bank that waits or is read out, what is written is not: no row is both in one clock, when block RAM's
  // output would be undefined.
  (* ram_style = "block" *) logic [30:0]  drain_tags [0:ROWS-1];
  (* ram_style = "block" *) logic [127:0] drain_enables [0:ROWS-1];
  logic              w_piece, w_new;
  logic [AW-1:0]     w_at; // {partition, bank, entry}
  logic [30:0]       w_tag;
  logic [127:0]      w_mask;
  logic [128/LANES-1:0] w_beat; // beat within the line
  logic [LANES-1:0]  w_enables;
  logic [DATA_W-1:0] w_data;

  // Enables and data of the items from the input to D, two of which can be in the skid buffer.
  (* ram_style = "distributed" *) logic [LANES+DATA_W-1:0] waiting [0:7];
  logic [2:0] waiting_in, waiting_out;
  always_ff @(posedge clk) begin
    if (s_valid && s_ready) begin
      waiting[waiting_in] <= {s_enables, s_data};
      waiting_in          <= waiting_in + 3'd1;
    end
    {w_enables, w_data} <= waiting[waiting_out];
    if (go && d_valid)
      waiting_out <= waiting_out + 3'd1;
    if (rst) begin
      waiting_in  <= 3'd0;
      waiting_out <= 3'd0;
    end
  end

  always_ff @(posedge clk) begin
    w_piece   <= go && d_stores;
    w_new     <= write_tag;
    w_at      <= {d_partition, d_first ? d_to : last_bank, d_slot};
    w_tag     <= d_address[37:7];
    w_mask    <= (d_new ? 128'b0 : d_have) | d_mask;
    for (int b = 0; b < 128 / LANES; b = b + 1)
      w_beat[b] <= go && d_valid && d_kind == STORE && 32'(d_address[6:0]) / LANES == b;
    if (rst) begin
      w_piece <= 1'b0;
      w_new   <= 1'b0;
      w_beat  <= '0;
    end
  end

  always_ff @(posedge clk) begin
    if (w_piece) begin
      enables[{w_at[AW-1 -: PW], w_at[EW-1:0]}] <= w_mask;
      drain_enables[w_at] <= w_mask;
    end
    if (w_new)
      drain_tags[w_at] <= w_tag;
    if (read_tag_enable)
      read_tag <= drain_tags[read_tag_entry];
    if (read_enable)
      read_enables <= drain_enables[read_entry];
  end
  generate // one memory per beat of a line
    for (g = 0; g < 128 / LANES; g = g + 1) begin : beat
      (* ram_style = "block" *) logic [DATA_W-1:0] data [0:ROWS-1];
      always_ff @(posedge clk) begin
        for (int b = 0; b < LANES; b = b + 1)
          if (w_beat[g] && w_enables[b])
            data[w_at][8*b +: 8] <= w_data[8*b +: 8];
        if (read_data_enable)
          read_data[g*DATA_W +: DATA_W] <= data[read_data_entry];
      end
    end
  endgenerate

  // --- flush output ---
  localparam int F_W = PW + BW + (EW + 1) + 48 + 13 + 11 + 4;
  logic       flush_room;
  logic [F_W-1:0] flush_out;
  assign flush_full = !flush_room;
  glk_fifo #(.W(F_W), .DEPTH(16)) flushes (
    .clk, .rst,
    .s_data({d_partition, d_bank, d_used[EW:0], {d_base, 6'b0}, 13'(d_limit - d_room), d_runs, d_why}),
    .s_valid(d_flush), .s_ready(flush_room),
    .m_data(flush_out), .m_valid(flush_valid), .m_ready(flush_ready));
  assign {flush_partition, flush_bank, flush_used, flush_base, flush_payload, flush_runs, flush_reason} = flush_out;

  // --- event counters ---
  // Stores in the queues, counted one clock later, per partition and in total; a flush clears the partition's count.
  (* ram_style = "distributed" *) logic [31:0] stores [0:PLACES-1];
  logic          n_valid, n_flush, n_begins, n_final, n_changed;
  logic [PW-1:0] n_partition;
  logic [31:0]   n_change;
  wire  [31:0]   n_stores = stores[n_partition];

  logic          token_ahead_valid;
  logic [1:0]    token_ahead;
  logic [PW-1:0] look_at;

  always_ff @(posedge clk) begin
    e_valid       <= go && d_stores && !d_alone;
    e_partition   <= d_partition;
    e_overwritten <= d_over;
    e_flush       <= d_flush;
    holds         <= some;

    token_ahead_valid <= go && d_valid && d_token != 2'd0;
    token_ahead       <= d_token;
    token_valid       <= token_ahead_valid;
    token             <= token_ahead;

    n_valid     <= go && d_valid;
    n_flush     <= d_flush;
    n_begins    <= d_alone;
    n_final     <= d_stores && d_final;
    n_partition <= d_partition;
    if (n_valid)
      stores[n_partition] <= (n_begins ? 32'd0 : n_stores) + 32'(n_final);
    n_changed <= n_valid;
    n_change  <= 32'(n_final) - (n_flush ? n_stores : 32'd0);
    if (n_changed)
      queued_stores <= queued_stores + n_change;

    look_at      <= look_partition;
    look_entries <= some[look_at] ? used[look_at] : 7'd0;
    look_payload <= !some[look_at] ? 15'd0 :
                    (cfg_packing[look_at] ? NO_LIMIT : 15'(cfg_max_payload_bytes[look_at*13 +: 13])) - room[look_at];
    if (rst) begin
      e_valid           <= 1'b0;
      e_flush           <= 1'b0;
      token_ahead_valid <= 1'b0;
      token_valid       <= 1'b0;
      n_valid           <= 1'b0;
      n_changed         <= 1'b0;
      queued_stores     <= 32'd0;
    end
  end
  assign idle = !(a_valid || b_valid || c_valid || e_item || d_valid || n_valid || n_changed || e_flush);

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst, .on(checks));
  wire [BANKS-1:0] d_bank_busy = bank_busy[d_partition];
  wire [BW-1:0]    d_fills     = d_first ? d_to : last_bank;
  wire [BANKS-1:0] look_busy   = bank_busy[done_partition];
  wire [PW-1:0]    w_partition = w_at[AW-1 -: PW];
  wire [BANKS-1:0] w_busy      = bank_busy[w_partition];
  always_ff @(posedge clk)
    if (checks) begin
      if (d_valid && d_some) begin
        begin : used_in_range assert(d_used != 7'd0 && d_used <= 7'(ENTRIES)); end
        begin : room_within_limit assert(d_room <= d_limit); end
        begin : bank_as_in_memory assert(d_some == some[d_partition] && d_bank == bank[d_partition]); end
        begin : room_as_in_memory assert(d_used == used[d_partition] && d_room == room[d_partition]); end
        begin : window_as_in_memory assert(d_inside == (d_window == d_base)); end
      end
      if (d_flush)
        begin : flush_has_room assert(flush_room && d_valid && d_some && !d_bank_busy[d_next]); end
      if (go && d_valid && d_kind == STORE)
        begin : fills_free_bank assert(!d_bank_busy[d_fills] && !(d_flush && d_fills == d_bank)); end
      if (done_valid)
        begin : done_was_busy assert(look_busy[done_bank]); end
      if (w_piece || |w_beat)
        begin : writes_no_busy_bank assert(!w_busy[w_at[EW +: BW]]); end
    end
`endif
endmodule
`default_nettype wire
