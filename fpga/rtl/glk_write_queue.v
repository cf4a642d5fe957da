// SPDX-License-Identifier: Apache-2.0
// The write queues of all partitions (FinePack IV-B): lines of 128 bytes with an enable bit for each byte, found by
// address, all of a partition inside one address window, with exact accounting of the payload that a packet of them
// would have. Takes an item a clock; a partition has BANKS banks: one fills while the others wait for the packetizer
// or are drained. (With two, the packetizer stands still from the end of one flush to the beginning of the next.)
//
// An item goes through five stages, all of which move together:
//   A  its line is compared with the tags of its partition, and with the items ahead of it;
//   B  the enables of the entry that was found are read;
//   C  bytes overwritten and runs touched are counted;
//   E  what they change in the payload is worked out;
//   D  it is decided: flush or merge. Tags, enables, data and accounts are written.
// The items ahead decide too, while this one is on its way. What it will find depends on which of them flushes last. So C
// counts three times: no flush by the two ahead, a flush by the second, a flush by the first; E and D choose. What the
// items ahead of the same line add is their masks, which travel with them.
module glk_write_queue #(
  parameter int DATA_W     = 512,
  parameter int PARTITIONS = 4,
  parameter int ENTRIES    = 64,
  parameter int BANKS      = 4, // power of two
  parameter int PW         = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1,
  parameter int EW         = $clog2(ENTRIES),
  parameter int BW         = $clog2(BANKS),
  parameter int LANES      = DATA_W / 8
) (
  input  logic              clk,
  input  logic              rst,

  input  logic [PARTITIONS*3-1:0]  cfg_subheader_bytes,
  input  logic [PARTITIONS*13-1:0] cfg_max_payload_bytes,

  // Items, as glk_store_cutter makes them.
  input  logic [1:0]        s_kind,
  input  logic [PW-1:0]     s_partition,
  input  logic [47:0]       s_address,
  input  logic [7:0]        s_length,
  input  logic [127:0]      s_mask,
  input  logic [LANES-1:0]  s_enables,
  input  logic [3:0]        s_reason,
  input  logic              s_first,
  input  logic [DATA_W-1:0] s_data,
  input  logic              s_valid,
  output logic              s_ready,

  // Flushes, in their order: what a packet is to be made of.
  output logic [PW-1:0]     f_partition,
  output logic [BW-1:0]     f_bank,
  output logic [EW:0]       f_used,
  output logic [47:0]       f_base,
  output logic [12:0]       f_payload,
  output logic [10:0]       f_runs,
  output logic [3:0]        f_reason,
  output logic              f_valid,
  input  logic              f_ready,

  // Reading what was flushed: tag and enables at once, data a clock later. Then the bank is given back.
  input  logic [PW+BW+EW-1:0] r_entry, // partition, bank, entry
  output logic [30:0]       r_tag,
  output logic [127:0]      r_enables,
  input  logic [PW+BW+EW-1:0] r_data_entry,
  input  logic              r_data_enable,
  output logic [1023:0]     r_data,
  input  logic              done_valid,
  input  logic [PW-1:0]     done_partition,
  input  logic [BW-1:0]     done_bank,

  // What happened, for the counters.
  output logic              e_valid,
  output logic [PW-1:0]     e_partition,
  output logic [7:0]        e_overwritten,
  output logic              idle,         // no item is on its way
  output logic [PARTITIONS-1:0] holds     // the partition has something queued
);
  localparam logic [1:0] STORE = 2'd0;
  localparam logic [1:0] PROBE = 2'd2;
  localparam int LB   = $clog2(LANES);
  localparam int IN_W = 2 + PW + 48 + 8 + 128 + LANES + 4 + 1 + DATA_W;
  localparam int AW   = PW + BW + EW;
  localparam int ROWS = PARTITIONS * BANKS * ENTRIES;

  initial if (ENTRIES > 64 || PARTITIONS > 16) $fatal;

  logic go;      // the stages move
  logic d_flush; // the item in D flushes its partition, now

  // --- A ---
  logic              a_valid, a_first;
  logic [1:0]        a_kind;
  logic [PW-1:0]     a_partition;
  logic [47:0]       a_address;
  logic [7:0]        a_length;
  logic [127:0]      a_mask;
  logic [LANES-1:0]  a_enables;
  logic [3:0]        a_reason;
  logic [DATA_W-1:0] a_data;
  logic [IN_W-1:0]   a_all;

  glk_skid #(.W(IN_W)) skid (
    .clk, .rst,
    .s_data({s_kind, s_partition, s_address, s_length, s_mask, s_enables, s_reason, s_first, s_data}),
    .s_valid, .s_ready, .m_data(a_all), .m_valid(a_valid), .m_ready(go));
  assign {a_kind, a_partition, a_address, a_length, a_mask, a_enables, a_reason, a_first, a_data} = a_all;

  logic          b_valid, c_valid, e_item, d_valid;
  logic          b_adds, c_adds, e_adds, d_adds; // begins a piece: adds a mask to a line
  logic [PW-1:0] b_partition, c_partition, e_partition_q, d_partition;
  logic [47:0]   b_address, c_address, e_address, d_address;
  logic [127:0]  b_mask, c_mask, e_mask, d_mask;
  logic [6:0]    used [0:PARTITIONS-1]; // entries in use; entries are taken in their order

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

  // --- B ---
  logic               b_first, b_looks;
  logic [1:0]         b_kind;
  logic [7:0]         b_length;
  logic [LANES-1:0]   b_enables;
  logic [3:0]         b_reason;
  logic [DATA_W-1:0]  b_data;
  logic [ENTRIES-1:0] b_match;
  logic               b_stale;
  logic               b_eq1, b_eq2, b_eq3, b_eq4, b_same1, b_same2, b_same3;
  logic [127:0]       b_m4;
  logic [BW-1:0]      bank [0:PARTITIONS-1]; // that fills

  logic [EW-1:0] b_entry;
  always_comb begin
    b_entry = '0;
    for (int k = 0; k < ENTRIES; k = k + 1)
      if (b_match[k])
        b_entry = b_entry | EW'(k); // at most one matches
  end
  wire b_hit = |b_match && !b_stale;

  (* ram_style = "distributed" *) logic [127:0] enables [0:ROWS-1];
  wire [127:0] b_memory = enables[{b_partition, bank[b_partition], b_entry}];

  always_ff @(posedge clk) begin
    if (go) begin
      b_valid     <= a_valid;
      b_first     <= a_first;
      b_kind      <= a_kind;
      b_partition <= a_partition;
      b_address   <= a_address;
      b_length    <= a_length;
      b_mask      <= a_mask;
      b_enables   <= a_enables;
      b_reason    <= a_reason;
      b_data      <= a_data;
      b_looks     <= a_looks;
      b_adds      <= a_looks && a_kind == STORE;
      b_match     <= a_match;
      b_stale     <= a_same4 && d_flush;
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

  // --- C ---
  logic              c_first, c_looks;
  logic [1:0]        c_kind;
  logic [7:0]        c_length;
  logic [LANES-1:0]  c_enables;
  logic [3:0]        c_reason;
  logic [DATA_W-1:0] c_data;
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
      c_enables   <= b_enables;
      c_reason    <= b_reason;
      c_data      <= b_data;
      c_looks     <= b_looks;
      c_adds      <= b_adds;
      c_entry     <= b_entry;
      c_old       <= (b_hit ? b_memory : 128'b0) | b_m4;
      c_m3        <= b_eq3 ? d_mask : 128'b0;
      c_stale     <= b_same3 && d_flush;
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
  // The line's enables as the piece will find them, in the three cases.
  wire [127:0] c_m2    = c_eq2 ? d_mask : 128'b0;
  wire [127:0] c_m1    = c_eq1 ? e_mask : 128'b0;
  wire [127:0] c_have0 = (c_stale ? 128'b0 : c_old) | c_m3 | c_m2 | c_m1;
  wire [127:0] c_have1 = c_m2 | c_m1;
  wire [127:0] c_have2 = c_m1;

  logic [39:0] c_over0, c_over1, c_over2;
  logic [19:0] c_touch0, c_touch1, c_touch2;
  logic        c_left0, c_left1, c_left2;
  glk_line_change change0 (.have(c_have0), .mask(c_mask), .overwritten(c_over0), .touched(c_touch0), .left(c_left0));
  glk_line_change change1 (.have(c_have1), .mask(c_mask), .overwritten(c_over1), .touched(c_touch1), .left(c_left1));
  glk_line_change change2 (.have(c_have2), .mask(c_mask), .overwritten(c_over2), .touched(c_touch2), .left(c_left2));

  // --- E ---
  logic              e_first, e_looks;
  logic [1:0]        e_kind;
  logic [LANES-1:0]  e_enables;
  logic [3:0]        e_reason;
  logic [DATA_W-1:0] e_data;
  logic [EW-1:0]     e_entry;
  logic              e_f2, e_eq1, e_eq2, e_eq3, e_eq4, e_same1;
  logic [127:0]      e_have0, e_have1;
  logic              e_any0, e_any1, e_any2;
  logic [39:0]       e_over0, e_over1, e_over2;
  logic [19:0]       e_touch0, e_touch1, e_touch2;
  logic              e_left0, e_left1, e_left2;
  logic [2:0]        e_h;
  logic [8:0]        e_fresh; // payload of the piece alone

  always_ff @(posedge clk) begin
    if (go) begin
      e_item        <= c_valid;
      e_first       <= c_first;
      e_kind        <= c_kind;
      e_partition_q <= c_partition;
      e_address     <= c_address;
      e_mask        <= c_mask;
      e_enables     <= c_enables;
      e_reason      <= c_reason;
      e_data        <= c_data;
      e_looks       <= c_looks;
      e_adds        <= c_adds;
      e_entry       <= c_entry;
      e_f2          <= c_same2 && d_flush;
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
      e_over0       <= c_over0;
      e_over1       <= c_over1;
      e_over2       <= c_over2;
      e_touch0      <= c_touch0;
      e_touch1      <= c_touch1;
      e_touch2      <= c_touch2;
      e_left0       <= c_left0;
      e_left1       <= c_left1;
      e_left2       <= c_left2;
      e_h           <= c_h;
      e_fresh       <= 9'(c_length) + 9'(c_h);
    end
    if (rst) begin
      e_item <= 1'b0;
      e_adds <= 1'b0;
    end
  end

  wire [39:0] e_parts_a = e_f2 ? e_over1 : e_over0;
  wire [19:0] e_runs_at = e_f2 ? e_touch1 : e_touch0;
  wire        e_left_a  = e_f2 ? e_left1 : e_left0;
  logic [7:0] e_over_a, e_over_b;
  logic [6:0] e_touch_a, e_touch_b;
  glk_sum #(.N(8), .W(5), .SW(8)) over_a (.numbers(e_parts_a), .sum(e_over_a));
  glk_sum #(.N(8), .W(5), .SW(8)) over_b (.numbers(e_over2), .sum(e_over_b));
  glk_sum #(.N(5), .W(5), .SW(7)) touch_a (.numbers({4'b0, e_left_a, e_runs_at}), .sum(e_touch_a));
  glk_sum #(.N(5), .W(5), .SW(7)) touch_b (.numbers({4'b0, e_left2, e_touch2}), .sum(e_touch_b));
  // Bytes more in the payload: length + H - overwritten - H * touched.
  wire [9:0]  e_heads_a = (e_h[2] ? {1'b0, e_touch_a, 2'b0} : 10'd0) + (e_h[1] ? {2'b0, e_touch_a, 1'b0} : 10'd0) +
                          (e_h[0] ? 10'(e_touch_a) : 10'd0);
  wire [9:0]  e_heads_b = (e_h[2] ? {1'b0, e_touch_b, 2'b0} : 10'd0) + (e_h[1] ? {2'b0, e_touch_b, 1'b0} : 10'd0) +
                          (e_h[0] ? 10'(e_touch_b) : 10'd0);
  wire [10:0] e_base_a  = 11'(e_fresh) - 11'(e_over_a);
  wire [10:0] e_base_b  = 11'(e_fresh) - 11'(e_over_b);

  // --- D ---
  logic              d_first, d_looks;
  logic [1:0]        d_kind;
  logic [LANES-1:0]  d_enables;
  logic [3:0]        d_reason;
  logic [DATA_W-1:0] d_data;
  logic [EW-1:0]     d_entry;
  logic              d_f1, d_eq1, d_eq2, d_eq3, d_eq4;
  logic [127:0]      d_have_a, d_have_b;
  logic              d_any_a, d_any_b;
  logic [7:0]        d_over_a, d_over_b;
  logic signed [7:0] d_runs_a, d_runs_b;
  logic signed [10:0] d_delta_a, d_delta_b;
  logic [12:0]       d_fresh; // payload of the piece alone

  always_ff @(posedge clk) begin
    if (go) begin
      d_valid     <= e_item;
      d_first     <= e_first;
      d_kind      <= e_kind;
      d_partition <= e_partition_q;
      d_address   <= e_address;
      d_mask      <= e_mask;
      d_enables   <= e_enables;
      d_reason    <= e_reason;
      d_data      <= e_data;
      d_looks     <= e_looks;
      d_adds      <= e_adds;
      d_entry     <= e_entry;
      d_f1        <= e_same1 && d_flush;
      d_eq1       <= e_eq1;
      d_eq2       <= e_eq2;
      d_eq3       <= e_eq3;
      d_eq4       <= e_eq4;
      d_have_a    <= e_f2 ? e_have1 : e_have0;
      d_have_b    <= e_eq1 ? d_mask : 128'b0;
      d_any_a     <= e_f2 ? e_any1 : e_any0;
      d_any_b     <= e_any2;
      d_over_a    <= e_over_a;
      d_over_b    <= e_over_b;
      d_runs_a    <= 8'd1 - 8'(e_touch_a);
      d_runs_b    <= 8'd1 - 8'(e_touch_b);
      d_delta_a   <= e_base_a - 11'(e_heads_a);
      d_delta_b   <= e_base_b - 11'(e_heads_b);
      d_fresh     <= 13'(e_fresh);
    end
    if (rst) begin
      d_valid <= 1'b0;
      d_adds  <= 1'b0;
    end
  end

  // Accounts of each partition. `room` is what the payload may still grow by.
  logic [12:0] room [0:PARTITIONS-1];
  logic [10:0] runs [0:PARTITIONS-1];
  logic [41:0] base [0:PARTITIONS-1]; // bits 47:6
  logic [BANKS-1:0] bank_busy [0:PARTITIONS-1];
  logic        flush_full;

  wire [6:0]  d_used  = used[d_partition];
  wire [12:0] d_room  = room[d_partition];
  wire [41:0] d_base  = base[d_partition];
  wire [BW-1:0] d_bank = bank[d_partition];
  wire [BW-1:0] d_next = d_bank + BW'(1);
  wire [2:0]  d_h     = cfg_subheader_bytes[d_partition*3 +: 3];
  wire [12:0] d_limit = cfg_max_payload_bytes[d_partition*13 +: 13];
  wire        d_empty = d_used == 7'd0;
  wire        d_full  = d_used == 7'(ENTRIES);
  wire [41:0] d_window_mask = (d_h == 3'd2) ? {42{1'b1}} :
                              (d_h == 3'd3) ? {{34{1'b1}}, 8'b0} :
                              (d_h == 3'd4) ? {{26{1'b1}}, 16'b0} :
                              (d_h == 3'd5) ? {{18{1'b1}}, 24'b0} : {{10{1'b1}}, 32'b0};
  wire [41:0] d_window = d_address[47:6] & d_window_mask;
  wire        d_inside = d_window == d_base;

  wire               d_any   = d_f1 ? d_any_b : d_any_a;
  wire [7:0]         d_over  = d_f1 ? d_over_b : d_over_a;
  wire signed [7:0]  d_drun  = d_f1 ? d_runs_b : d_runs_a;
  wire signed [10:0] d_delta = d_f1 ? d_delta_b : d_delta_a;
  wire [127:0]       d_have  = d_f1 ? d_have_b : d_have_a;
  wire signed [14:0] d_after = $signed({2'b0, d_room}) - 15'(d_delta);

  wire d_stores = d_valid && d_adds;
  wire d_miss   = !d_inside;
  wire d_no_entry = !d_any && d_full;
  wire d_over_limit = d_after[14];
  wire d_probes = d_valid && d_looks && d_kind == PROBE && d_inside && d_over != 8'd0;
  wire d_told   = d_valid && (d_kind != STORE && d_kind != PROBE); // flush or config
  wire d_needs  = !d_empty && ((d_stores && (d_miss || d_no_entry || d_over_limit)) || d_probes || d_told);
  wire d_blocked = flush_full || bank_busy[d_partition][d_next];
  wire [3:0] d_why = !d_stores ? d_reason : d_miss ? 4'(glk_regs::FLUSH_WINDOW_MISS) :
                     d_no_entry ? 4'(glk_regs::FLUSH_ENTRIES_FULL) : 4'(glk_regs::FLUSH_PAYLOAD_FULL);

  assign go      = !(d_needs && d_blocked);
  assign d_flush = d_needs && !d_blocked;

  wire d_alone = d_empty || d_flush;   // the piece begins a queue
  wire d_new   = d_alone || !d_any;    // the piece begins an entry
  wire [BW-1:0] d_to = d_flush ? d_next : d_bank; // the bank it goes to

  // Entries that the four items before this one went to: newer than what A saw.
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
      used[d_partition] <= d_alone ? 7'd1 : d_used + 7'(d_new);
      room[d_partition] <= d_alone ? d_limit - d_fresh : d_after[12:0];
      runs[d_partition] <= d_alone ? 11'd1 : runs[d_partition] + 11'(d_drun);
      if (d_alone)
        base[d_partition] <= d_window;
    end else if (d_flush)
      used[d_partition] <= 7'd0;
    if (d_flush) begin
      bank[d_partition] <= d_next;
      bank_busy[d_partition][d_bank] <= 1'b1;
    end
    if (done_valid)
      bank_busy[done_partition][done_bank] <= 1'b0;
    if (rst) begin
      for (int p = 0; p < PARTITIONS; p = p + 1) begin
        used[p]      <= 7'd0;
        bank[p]      <= '0;
        bank_busy[p] <= '0;
      end
    end
  end

  // --- memories ---
  (* ram_style = "distributed" *) logic [30:0] drain_tags [0:ROWS-1];
  wire [AW-1:0] write_at = {d_partition, d_first ? d_to : last_bank, d_slot};

  always_ff @(posedge clk) begin
    if (go && d_stores)
      enables[write_at] <= (d_new ? 128'b0 : d_have) | d_mask;
    if (write_tag)
      drain_tags[write_at] <= d_address[37:7];
  end
  generate // a memory for each beat of a line
    for (g = 0; g < 128 / LANES; g = g + 1) begin : beat
      (* ram_style = "block" *) logic [DATA_W-1:0] data [0:ROWS-1];
      wire write = go && d_valid && d_kind == STORE && d_address[6:0] >> LB == 7'(g);
      always_ff @(posedge clk) begin
        for (int b = 0; b < LANES; b = b + 1)
          if (write && d_enables[b])
            data[write_at][8*b +: 8] <= d_data[8*b +: 8];
        if (r_data_enable)
          r_data[g*DATA_W +: DATA_W] <= data[r_data_entry];
      end
    end
  endgenerate
  assign r_tag     = drain_tags[r_entry];
  assign r_enables = enables[r_entry];

  // --- flushes out ---
  localparam int F_W = PW + BW + (EW + 1) + 48 + 13 + 11 + 4;
  logic       flush_ready;
  logic [F_W-1:0] flush_out;
  assign flush_full = !flush_ready;
  glk_fifo #(.W(F_W), .DEPTH(16)) flushes (
    .clk, .rst,
    .s_data({d_partition, d_bank, d_used[EW:0], {d_base, 6'b0}, d_limit - d_room, runs[d_partition], d_why}),
    .s_valid(d_flush), .s_ready(flush_ready),
    .m_data(flush_out), .m_valid(f_valid), .m_ready(f_ready));
  assign {f_partition, f_bank, f_used, f_base, f_payload, f_runs, f_reason} = flush_out;

  // --- what happened ---
  always_ff @(posedge clk) begin
    e_valid       <= go && d_stores && !d_alone;
    e_partition   <= d_partition;
    e_overwritten <= d_over;
    idle          <= !(s_valid || a_valid || b_valid || c_valid || e_item || d_valid);
    for (int p = 0; p < PARTITIONS; p = p + 1)
      holds[p] <= used[p] != 7'd0;
    if (rst)
      e_valid <= 1'b0;
  end
endmodule
