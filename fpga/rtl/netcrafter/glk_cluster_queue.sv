// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Cluster queue and stitching engine of one destination cluster (docs/link-format.md, "Flits"; NetCrafter 4.2, 4.4):
// packets in, flits out, at most one flit or piece leaves the queue per clock.
//
// Each kind has two FIFOs, flits with room and flits without; only the FIFO heads are candidates. The decision of a clock
// depends on heads, parent and arbiter state; slot numbers and data follow in later pipeline stages. Cycle-accurate to the
// reference model, fpga/model/netcrafter/cluster_queue.c.
module glk_cluster_queue #(
  parameter int FLITS = 1024,
  parameter int PW      = $clog2(FLITS + 1)
) (
  input  logic          clk,
  input  logic          rst,     // discards queued flits and restarts packet numbers at 0

  // Configuration; may change in any clock
  input  logic          cfg_stitching,
  input  logic          cfg_pooling,
  input  logic          cfg_selective,
  input  logic          cfg_yielding,
  input  logic          cfg_sequencing,
  input  logic [7:0]    cfg_pool_cycles, // 0..128
  input  logic [7:0]    cfg_burst,       // 1..255

  // Packet input, one flit per clock; the first flit of a packet waits until slots for the whole packet are free
  input  logic [3:0]    s_kind,
  input  logic [10:0]   s_words,     // packet length in words of 4 bytes, valid with the first flit
  input  logic [127:0]  s_data,
  input  logic          s_valid,
  output logic          s_ready,
  output logic [PW-1:0] places,      // free slots, net of those reserved by packets in progress

  // Credits by class (posted, request, response). credit: enough for one piece more than the parent holds; credit_take: a
  // piece is taken; credit_back: the parent is pooled and returns its credit.
  input  logic [2:0]    credit,
  output logic [2:0]    credit_take,
  output logic [2:0]    credit_back,

  // Flit output: m_ready grants a departure, m_leaves announces it, the flit follows one clock later
  input  logic          m_ready,
  output logic          m_leaves,
  output logic          m_valid,
  output logic [4:0]    m_type,
  output logic [127:0]  m_data,

  // Event counters
  output logic          e_flit,         // flit accepted
  output logic          e_packet,       // first flit of a packet
  output logic [3:0]    e_kind,
  output logic [4:0]    e_bytes,
  output logic          e_refused,      // packet waits for slots
  output logic          e_stitched,     // flit stitched into a parent
  output logic [3:0]    e_stitched_kind,
  output logic          e_partial,      // as a tail, with number and size
  output logic          e_parent,       // first piece of its parent
  output logic          e_out,          // flit sent
  output logic          e_padded,       // with unused bytes
  output logic          e_pooled,
  output logic [1:0]    e_pool_stitched,
  output logic          e_pool_timed_out,
  output logic          e_starved,  // flits wait for credits only
  output logic          wait_valid, // waiting time of one kind's flits, in clocks
  output logic [3:0]    wait_kind,
  output logic [PW+3:0] wait_clocks
);
  localparam int AW = $clog2(FLITS);
  // Range of order comparisons: all queued packets of one kind, and 127 for tails.
  localparam int OW = (AW > 8) ? AW + 1 : 9;
  localparam int MW = OW + 3; // {tail, words, order}
  localparam logic [11:0] POSTED   = 12'(glk_flit::POSTED);
  localparam logic [11:0] REQUEST  = 12'(glk_flit::REQUEST);
  localparam logic [11:0] RESPONSE = 12'(glk_flit::RESPONSE);
  localparam logic [11:0] CRITICAL = 12'(glk_flit::CRITICAL);
  localparam logic [11:0] LONG     = 12'(glk_flit::LONG);
  localparam logic [11:0] FOUR     = 12'(glk_flit::FOUR);
  localparam int RR = glk_flit::READ_RESPONSE;
  localparam int FP = glk_flit::FINEPACK;
  localparam logic [4:0] RR_TAIL = 5'(16 + RR);
  localparam logic [4:0] FP_TAIL = 5'(16 + FP);

  // FIFO of a kind's flits without room.
  function automatic int full_list(input int kind);
    full_list = (kind == 2) ? 11 : (kind == 3) ? 12 : (kind == 7) ? 13 : 14;
  endfunction

  // ---- Packet input ----

  logic          flit_put, flit_first, flit_full, flit_tail, flit_wait, back;
  logic [3:0]    flit_kind;
  logic [1:0]    flit_words;
  logic [OW-1:0] flit_order;
  logic [127:0]  flit_data;
  logic [AW-1:0] f_at, back_at;
  logic          given_back; // `back`, delayed by one clock; back_at is valid then

  glk_cluster_input #(.FLITS(FLITS), .PW(PW), .OW(OW)) in (
    .clk, .rst, .s_kind, .s_words, .s_data, .s_valid, .back,
    .flit_put, .flit_kind, .flit_first, .flit_full, .flit_words, .flit_tail, .flit_order, .flit_data, .flit_wait, .places);
  assign s_ready = flit_put;
  glk_flit_places #(.FLITS(FLITS)) places_free (.clk, .rst, .back(given_back), .back_at, .get(flit_put), .at(f_at));

  logic [14:0]      put_list, some, take, look;
  logic [15*MW-1:0] meta, taken_meta;
  logic [AW-1:0]    taken_at;
  always_comb begin
    put_list = '0;
    for (int k = 1; k <= 11; k = k + 1)
      if (32'(flit_kind) == k) begin
        put_list[k-1] = !flit_full;
        if (LONG[k])
          put_list[full_list(k)] = flit_full;
      end
  end
  glk_flit_lists #(.FLITS(FLITS), .MW(MW)) lists (
    .clk, .rst, .put(flit_put), .put_list, .put_at(f_at), .put_meta({flit_tail, flit_words, flit_order}),
    .some, .meta, .take, .look, .taken_at, .taken_meta);

  // ---- Parent and pooled flits ----

  logic        p_valid, p_alone, p_pooled, p_stitched; // parent present; nothing stitched yet; was pooled; stitched
  logic [11:1] p_kind;                                 // one-hot: kind of its first piece
  logic [6:1]  p_room;                                 // thermometer code, bit n: room for 2 n bytes; 0 without parent
  logic [11:1] pooled, pool_over;                      // kind has a pooled flit; its pooling time is over
  logic [11:1] credits;                                // by kind
  always_comb
    for (int k = 1; k <= 11; k = k + 1)
      credits[k] = (POSTED[k] && credit[0]) || (REQUEST[k] && credit[1]) || (RESPONSE[k] && credit[2]);

  // ---- Stitching ----

  // Each kind has one candidate: its pooled flit, or else the head of its FIFO with room. The pooled flit is the one last
  // taken from that FIFO, and is in order.
  logic [11:1] earlier, in_order; // head with room precedes the head without, by packet; may be taken now
  generate
    for (genvar k = 1; k <= 11; k = k + 1) begin : order
      if (LONG[k]) begin : compare
        localparam int ROOM = MW * (k - 1), FULL = MW * full_list(k);
        wire [OW-1:0] ahead = meta[ROOM +: OW] - meta[FULL +: OW];
        assign earlier[k]  = ahead[OW-1] || !some[full_list(k)];
        assign in_order[k] = pooled[k] || earlier[k] || (meta[ROOM+MW-1] && ~|ahead[OW-2:7]);
      end else begin : alone
        assign earlier[k]  = 1'b1;
        assign in_order[k] = 1'b1;
      end
    end
  endgenerate

  wire [1:0] rr_words = pooled[RR] ? taken_meta[MW*(RR-1)+OW +: 2] : meta[MW*(RR-1)+OW +: 2];
  wire       rr_tail  = pooled[RR] ? taken_meta[MW*RR-1] : meta[MW*RR-1];
  wire [1:0] fp_words = pooled[FP] ? taken_meta[MW*(FP-1)+OW +: 2] : meta[MW*(FP-1)+OW +: 2];
  wire [11:1] offered = (some[10:0] | pooled) & in_order & credits & {11{cfg_stitching}};

  logic        found;
  logic [11:1] piece;
  logic [5:2]  size;
  glk_piece_find find (
    .room(p_room[6:2]), .sequencing(cfg_sequencing), .offered, .response_words(rr_words), .response_tail(rr_tail),
    .finepack_words(fp_words), .found, .piece, .size);

  // ---- Parent leaves or is pooled ----

  wire        p_critical = |(p_kind & CRITICAL[11:1]);
  wire        to_pool    = cfg_stitching && cfg_pooling && cfg_pool_cycles != 8'd0 && p_alone && !p_pooled && p_room[2] &&
                           !(cfg_selective && p_critical); // if no piece fits
  wire        pool       = p_valid && to_pool && !found;
  wire        leave      = p_valid && !to_pool && !found && m_ready;
  assign      back       = leave || found;

  // ---- Next parent ----

  // The flit pooled in this clock returns its credit, and its kind is not eligible.
  wire [11:1] pooling = {11{p_valid && to_pool}} & p_kind;
  logic [2:0] pool_class;
  always_comb
    pool_class = {|(pooling & RESPONSE[11:1]), |(pooling & REQUEST[11:1]), |(pooling & POSTED[11:1])};
  logic [11:1] full, listed, granted, due, yields, wanting;
  always_comb
    for (int k = 1; k <= 11; k = k + 1) begin
      full[k]    = LONG[k] && !pooled[k] && !pooling[k] && some[full_list(k)] && (!some[k-1] || !earlier[k]);
      listed[k]  = some[k-1] || (LONG[k] && some[full_list(k)]);
      granted[k] = credits[k] || (POSTED[k] && pool_class[0]) || (REQUEST[k] && pool_class[1]) ||
          (RESPONSE[k] && pool_class[2]);
      due[k]     = !pooling[k] && (pooled[k] ? pool_over[k] : listed[k]) && granted[k];
      wanting[k] = pooled[k] ? pool_over[k] : listed[k];
      yields[k]  = cfg_yielding && (pooling[k] || pooled[k]) && listed[k] && granted[k];
    end

  logic        any, begins;
  logic [11:1] turn;
  assign begins = any && !found && (!p_valid || to_pool || m_ready);
  glk_cluster_turn turns (
    .clk, .rst, .sequencing(cfg_sequencing), .burst(cfg_burst), .due, .yields, .some(any), .turn, .chosen(begins));

  // Room left beside each candidate as parent; a flit that is pooled and yields in the same clock keeps its room.
  wire again = |(turn & pooling);
  logic [6:1] turn_room;
  always_comb begin
    turn_room = '0;
    for (int k = 1; k <= 11; k = k + 1)
      if (turn[k] && !full[k]) begin
        if (FOUR[k] || (k == RR && rr_words == 2'd1) || (k == FP && fp_words == 2'd1))
          turn_room = turn_room | 6'b111111;
        else if ((k == RR && rr_words == 2'd2) || (k == FP && fp_words == 2'd2))
          turn_room = turn_room | 6'b001111;
        else
          turn_room = turn_room | 6'b000011;
      end
  end

  // ---- State update ----

  wire [11:1] taken = (piece & {11{found}}) | (turn & {11{begins}});
  always_comb begin
    take = '0;
    for (int k = 1; k <= 11; k = k + 1) begin
      take[k-1] = !pooled[k] && ((found && piece[k]) || (begins && turn[k] && !full[k] && !pooling[k]));
      if (LONG[k])
        take[full_list(k)] = begins && turn[k] && full[k];
    end
  end

  generate
    for (genvar c = 0; c < 3; c = c + 1) begin : of_class
      wire [11:1] kinds = (c == 0) ? POSTED[11:1] : (c == 1) ? REQUEST[11:1] : RESPONSE[11:1];
      assign credit_take[c] = |(taken & kinds);
      assign credit_back[c] = pool && |(p_kind & kinds);
    end
    for (genvar k = 1; k <= 11; k = k + 1) begin : of_kind
      logic [7:0] wait_left;
      always_ff @(posedge clk) begin
        pooled[k]    <= (pooled[k] || (pool && p_kind[k])) && !taken[k];
        pool_over[k] <= (pool && p_kind[k]) ? cfg_pool_cycles == 8'd1 : wait_left <= 8'd1;
        wait_left    <= (pool && p_kind[k]) ? cfg_pool_cycles - 8'd1 : wait_left - 8'(wait_left != 8'd0);
        if (rst)
          pooled[k] <= 1'b0;
      end
    end
  endgenerate

  // Second stage: a flit becomes the parent, or a piece of it. Its slot and prefix are looked up here.
  logic        d_begin, d_add, d_full, d_leave, d_pool;
  logic [11:1] d_kind;
  logic [6:3]  d_room;
  logic [4:0]  d_type;
  logic        d_padded, d_parent, d_timed_out;
  logic [1:0]  d_pool_stitched;

  always_ff @(posedge clk) begin
    if (found) begin
      p_alone    <= 1'b0;
      p_stitched <= 1'b1;
      for (int n = 1; n <= 5; n = n + 1) begin
        p_room[n] <= (size[2] && n <= 4 && p_room[(n <= 4) ? n + 2 : 6]) ||
            (size[3] && n <= 3 && p_room[(n <= 3) ? n + 3 : 6]) ||
                     (size[4] && n <= 2 && p_room[(n <= 2) ? n + 4 : 6]) || (size[5] && n == 1 && p_room[6]);
      end
      p_room[6] <= 1'b0;
    end else if (!p_valid || to_pool || m_ready) begin
      p_valid    <= any;
      p_alone    <= 1'b1;
      p_stitched <= 1'b0;
      p_pooled   <= again || |(turn & pooled);
      p_kind     <= turn;
      if (!again)
        p_room <= turn_room;
    end

    d_begin <= begins;
    d_add   <= found;
    d_kind  <= found ? piece : turn;
    d_full  <= !found && |(turn & full);
    d_room  <= p_room[6:3];
    d_leave <= leave;
    d_pool  <= pool;
    d_type  <= {p_stitched, 4'b0};
    for (int k = 1; k <= 11; k = k + 1)
      if (p_kind[k])
        d_type[3:0] <= 4'(k);
    d_padded        <= p_room[1];
    d_timed_out     <= p_pooled && p_alone;
    d_parent        <= p_alone;
    d_pool_stitched <= 2'(p_pooled && p_alone) + 2'(|(piece & pooled));
    given_back      <= back;
    if (rst) begin
      p_valid    <= 1'b0;
      p_room     <= '0;
      d_begin    <= 1'b0;
      d_add      <= 1'b0;
      d_leave    <= 1'b0;
      d_pool     <= 1'b0;
      given_back <= 1'b0;
    end
  end

  // ---- Slot lookup and tail prefix ----

  logic [AW-1:0] parent_at;
  logic [15:0]   prefix;
  logic          tail;
  always_comb begin
    look = '0;
    for (int k = 1; k <= 11; k = k + 1) begin
      look[k-1] = d_kind[k] && !d_full;
      if (LONG[k])
        look[full_list(k)] = d_kind[k] && d_full;
    end
    // Tail prefix: 16 + kind; its length less 1: 3 or 7; its packet number.
    tail   = d_kind[FP] || (d_kind[RR] && taken_meta[MW*RR-1]);
    prefix = d_kind[FP] ? {taken_meta[MW*(FP-1) +: 7], 1'b0, taken_meta[MW*(FP-1)+OW+1], 2'b11, FP_TAIL}
                        : {taken_meta[MW*(RR-1) +: 7], 4'd3, RR_TAIL};
    back_at = d_add ? taken_at : parent_at;
  end
  always_ff @(posedge clk)
    if (d_begin)
      parent_at <= taken_at;

  glk_stitch #(.FLITS(FLITS)) stitch (
    .clk, .put(flit_put), .put_at(f_at), .put_data(flit_data),
    .parent_begin(d_begin), .parent_add(d_add), .parent_at(taken_at), .parent_room(d_room), .parent_tail(tail),
    .parent_prefix(prefix), .parent(m_data));
  assign m_leaves = leave;
  assign m_valid  = d_leave;
  assign m_type   = d_type;

  // ---- Event counters ----

  always_ff @(posedge clk) begin
    e_flit          <= flit_put;
    e_packet        <= flit_put && flit_first;
    e_kind          <= flit_kind;
    e_bytes         <= flit_full ? 5'd16 : {1'b0, flit_words, 2'b00};
    e_refused       <= flit_wait;
    e_starved       <= m_ready && !p_valid && |wanting && !(|(wanting & credits));
    e_stitched      <= d_add;
    e_stitched_kind <= '0;
    for (int k = 1; k <= 11; k = k + 1)
      if (d_kind[k])
        e_stitched_kind <= 4'(k);
    e_partial        <= d_add && tail;
    e_parent         <= d_add && d_parent;
    e_out            <= d_leave;
    e_padded         <= d_leave && d_padded;
    e_pooled         <= d_pool;
    e_pool_stitched  <= d_add ? d_pool_stitched : 2'd0;
    e_pool_timed_out <= d_leave && d_timed_out;
    if (rst) begin
      e_flit           <= 1'b0;
      e_packet         <= 1'b0;
      e_refused        <= 1'b0;
      e_starved        <= 1'b0;
      e_stitched       <= 1'b0;
      e_partial        <= 1'b0;
      e_parent         <= 1'b0;
      e_out            <= 1'b0;
      e_padded         <= 1'b0;
      e_pooled         <= 1'b0;
      e_pool_stitched  <= 2'd0;
      e_pool_timed_out <= 1'b0;
    end
  end
  glk_cluster_waits #(.PW(PW)) waits (
    .clk, .rst, .put(e_flit), .put_kind(e_kind), .piece(d_kind & {11{d_begin || d_add}}), .leave(d_leave), .pool(d_pool),
    .wait_valid, .wait_kind, .wait_clocks);
endmodule
`default_nettype wire
