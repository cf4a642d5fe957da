// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Divides the runs of a flush among packets (docs/wire-format.md, "Packing"), so that the header of a packet is known before
// its first run. Runs come line by line, and leave as pieces of runs, which span lines with packing. Without packing a flush is
// one packet, whose payload is known from the start, and every run is that of a line.
//   A  joins what adjoins; pieces wait in a FIFO
//   B  adds runs to a packet until one does not fit; their lengths wait in a second FIFO, packets in a third
//   M  puts the three together again
// With `set_compact` packets go through glk_compact between B and M, which finds their form; the description of a packet in the
// compact form leaves before its first piece.
module glk_packing #(
  parameter int EW      = 6,
  parameter int RUNS    = 256, // most of a packet with packing
  parameter int PIECES  = 512, // more than RUNS and the lines of two runs
  parameter int COMPACT = 1    // 0: without the compact form, for proofs
) (
  input  logic          clk,
  input  logic          rst,

  // Settings of the four flushes under way, and payload and runs of those without packing
  input  logic [3:0]    set_packing,
  input  logic [3:0]    set_compact, // only with packing
  input  logic [4*3-1:0]  set_h,
  input  logic [4*13-1:0] set_limit,
  input  logic [4*13-1:0] set_payload,
  input  logic [4*11-1:0] set_runs,

  input  logic [30:0]   s_tag,
  input  logic [6:0]    s_begin,
  input  logic [7:0]    s_length,
  input  logic [EW-1:0] s_entry,
  input  logic [1:0]    s_sel,
  input  logic          s_last,   // of its flush
  input  logic          s_valid,
  output logic          s_ready,

  output logic [30:0]   m_tag,
  output logic [6:0]    m_begin,
  output logic [7:0]    m_length,
  output logic [EW-1:0] m_entry,
  output logic [1:0]    m_sel,
  output logic          m_head,    // the piece begins a run
  output logic [9:0]    m_run,     // of that many bytes, 1024 written as 0
  output logic          m_first,   // of the packet
  output logic          m_last,
  output logic          m_compact, // the packet has no sub-headers
  output logic [8:0]    m_code,    // then bits 2:0 of First BE, bits 5:0 of Tag
  output logic          m_words,   // no piece yet, but m_length bytes of the description; address and payload are the packet's
  output logic [127:0]  m_word,
  output logic          m_final,   // the packet is the last of its flush
  output logic [12:0]   m_payload, // of the packet
  output logic          m_valid,
  input  logic          m_ready,

  // A packet is complete, or known without packing
  output logic          e_packet,
  output logic [1:0]    e_sel,
  output logic [12:0]   e_payload,
  output logic [10:0]   e_runs,
  output logic          e_final
);
  localparam logic [12:0] LONGEST = 13'd1024; // that a sub-header describes

  // --- A: join ---
  logic        a_open, a_closing;
  logic [37:0] a_begin, a_end;
  logic [12:0] a_run;
  logic [1:0]  a_sel;
  wire  [37:0] s_at    = {s_tag, s_begin};
  wire  [12:0] s_limit = set_limit[s_sel*13 +: 13];
  wire         s_cut   = ~|(s_at[11:0] & 12'(s_limit - 13'd1)); // plain writes end there too
  wire         s_joins = a_open && set_packing[s_sel] && s_at == a_end && !s_cut;

  logic        piece_ready, run_ready;
  wire         take = s_valid && s_ready;
  assign s_ready = piece_ready && run_ready && !a_closing;
  wire         run_given = (take && a_open && !s_joins) || (a_closing && run_ready);

  always_ff @(posedge clk) begin
    if (take) begin
      a_open    <= 1'b1;
      a_closing <= s_last;
      if (!s_joins)
        a_begin <= s_at;
      a_end     <= s_at + 38'(s_length);
      a_run     <= s_joins ? a_run + 13'(s_length) : 13'(s_length);
      a_sel     <= s_sel;
    end else if (a_closing && run_ready) begin
      a_open    <= 1'b0;
      a_closing <= 1'b0;
    end
    if (rst) begin
      a_open    <= 1'b0;
      a_closing <= 1'b0;
    end
  end

  localparam int P_W = 31 + 7 + 8 + EW + 2 + 1;
  logic [P_W-1:0] p_all;
  logic           p_valid, p_take;
  glk_fifo #(.W(P_W), .DEPTH(PIECES), .BYPASS(1)) pieces (
    .clk, .rst, .s_data({s_tag, s_begin, s_length, s_entry, s_sel, !s_joins}), .s_valid(take), .s_ready(piece_ready),
    .m_data(p_all), .m_valid(p_valid), .m_ready(p_take));

  logic [37:0] c_begin;
  logic [12:0] c_run;
  logic [1:0]  c_sel;
  logic        c_last, c_valid, c_take;
  glk_fifo #(.W(38 + 13 + 2 + 1), .DEPTH(4), .BYPASS(1)) runs (
    .clk, .rst, .s_data({a_begin, a_run, a_sel, a_closing}), .s_valid(run_given), .s_ready(run_ready),
    .m_data({c_begin, c_run, c_sel, c_last}), .m_valid(c_valid), .m_ready(c_take));

  // --- B: packets ---
  logic [10:0] b_runs;    // of the open packet
  logic [12:0] b_payload; // with a sub-header for each
  logic signed [14:0] b_left; // bytes that the next run may have
  logic [10:0] b_headers; // bytes of these
  logic [12:0] b_alone;   // the first one's length
  logic        b_long;    // it has no sub-header
  logic        b_final;   // the packet is complete, and the last of its flush
  logic [1:0]  b_sel;
  wire  [2:0]  c_h      = set_h[c_sel*3 +: 3];
  wire  [12:0] c_limit  = set_limit[c_sel*13 +: 13];
  wire         c_packs  = set_packing[c_sel];
  wire  [12:0] c_bytes  = 13'(c_h) + c_run; // at most the limit and a sub-header
  wire         c_fits   = !b_long && c_run <= LONGEST && $signed({2'b0, c_run}) <= b_left && b_runs < 11'(RUNS);
  wire         b_some   = b_runs != 11'd0;
  logic        known_ready, packet_ready, form_ready, form_idle;
  // Without packing the packet is given with its first run.
  wire         c_gives  = !c_packs && !b_some;
  wire         c_closes = c_valid && !b_final && c_packs && b_some && !c_fits;
  wire         c_coded  = COMPACT != 0 && set_compact[c_sel];
  // A packet that cannot be in the compact form bypasses glk_compact while that is empty.
  wire         b_coded  = COMPACT != 0 && set_compact[b_sel];
  wire         b_room   = (b_coded || !form_idle) ? form_ready : packet_ready;
  wire         c_room   = form_idle ? packet_ready : form_ready;
  assign c_take = c_valid && !b_final && !c_closes && known_ready && (c_room || !c_gives) && (form_ready || !c_coded);
  wire         b_gives  = (b_final || c_closes) && b_room;
  wire         gives    = b_gives || (c_take && c_gives);
  wire         b_single = b_runs == 11'd1;
  // The packet that is given
  wire  [1:0]  g_sel     = b_gives ? b_sel : c_sel;
  wire         g_coded   = b_gives && b_coded;
  wire         g_single  = b_gives && b_single;
  wire         g_final   = b_final || !b_gives;
  wire  [12:0] g_payload = !b_gives ? set_payload[c_sel*13 +: 13] : b_single ? b_alone : b_payload;
  wire  [10:0] g_runs    = b_gives ? b_runs : set_runs[c_sel*11 +: 11];
  wire         g_passes  = gives && form_idle && !g_coded;

  always_ff @(posedge clk) begin
    if (c_take) begin
      b_sel     <= c_sel;
      b_runs    <= (c_last && !c_packs) ? 11'd0 : b_runs + 11'd1;
      b_payload <= (b_some ? b_payload : 13'd0) + c_bytes;
      b_left    <= (b_some ? b_left : $signed({2'b0, c_limit}) - $signed(15'(c_h))) - $signed({2'b0, c_bytes});
      b_headers <= b_some ? b_headers + 11'(c_h) : 11'(c_h);
      b_final   <= c_last && c_packs;
      if (!b_some) begin
        b_alone <= c_run;
        b_long  <= c_run > LONGEST;
      end
    end else if (b_gives) begin
      b_runs  <= 11'd0;
      b_final <= 1'b0;
    end
    if (rst) begin
      b_runs   <= 11'd0;
      b_final  <= 1'b0;
    end
  end

  // --- the form ---
  logic         o_valid, o_compact, o_single, o_final, desc_last, desc_valid, w_take;
  logic [1:0]   o_sel;
  logic [8:0]   o_code;
  logic [12:0]  o_payload;
  logic [10:0]  o_runs;
  logic [3:0]   desc_bytes;
  logic [127:0] desc_data;
  generate
    if (COMPACT != 0) begin : compact
      glk_compact #(.RUNS(RUNS), .TAIL_W(4)) form (
        .clk, .rst, .s_run(c_take && c_coded), .s_packet(gives && !g_passes), .s_begins(!b_some), .s_at(c_begin),
        .s_length(c_run[10:0]), .s_coded(g_coded), .s_headers(b_headers), .s_payload(g_payload), .s_runs(g_runs),
        .s_tail({g_sel, g_single, g_final}), .s_ready(form_ready),
        .m_compact(o_compact), .m_code(o_code), .m_payload(o_payload), .m_runs(o_runs), .m_tail({o_sel, o_single, o_final}),
        .m_valid(o_valid), .m_ready(packet_ready), .idle(form_idle),
        .desc_data, .desc_bytes, .desc_last, .desc_valid, .desc_ready(w_take));
    end else begin : plain
      assign {o_valid, o_compact, o_single, o_final, o_sel, o_code, o_payload, o_runs} = '0;
      assign {desc_data, desc_bytes, desc_last, desc_valid} = '0;
      assign form_ready = 1'b0;
      assign form_idle  = 1'b1;
    end
  endgenerate

  // The packet whose form is known
  wire         known_packet = o_valid || g_passes;
  wire  [1:0]  e_sel_next   = o_valid ? o_sel : g_sel;
  wire         k_single     = o_valid ? o_single : g_single;
  wire         k_final      = o_valid ? o_final : g_final;
  wire  [12:0] k_payload    = o_valid ? o_payload : g_payload;
  wire  [10:0] k_runs       = o_valid ? o_runs : g_runs;
  always_ff @(posedge clk) begin
    e_packet  <= known_packet && packet_ready;
    e_sel     <= e_sel_next;
    e_payload <= k_payload;
    e_runs    <= k_runs;
    e_final   <= k_final;
    if (rst)
      e_packet <= 1'b0;
  end

  logic [12:0] k_run;
  logic        k_valid, k_take;
  glk_fifo #(.W(13), .DEPTH(PIECES), .BYPASS(1)) known (
    .clk, .rst, .s_data(c_run), .s_valid(c_take), .s_ready(known_ready), .m_data(k_run), .m_valid(k_valid), .m_ready(k_take));

  localparam logic [8:0] SINGLE = 9'h00f;
  logic [12:0] q_payload;
  logic [10:0] q_runs;
  logic [8:0]  q_code;
  logic        q_compact, q_described, q_final, q_valid, q_take;
  glk_fifo #(.W(13 + 11 + 9 + 3), .DEPTH(16), .BYPASS(1)) packets (
    .clk, .rst,
    .s_data({k_payload, k_runs, k_single ? SINGLE : o_code, k_single || (o_valid && o_compact), o_valid && o_compact, k_final}),
    .s_valid(known_packet), .s_ready(packet_ready),
    .m_data({q_payload, q_runs, q_code, q_compact, q_described, q_final}), .m_valid(q_valid), .m_ready(q_take));

  // --- M ---
  logic [30:0]   p_tag;
  logic [6:0]    p_begin;
  logic [7:0]    p_length;
  logic [EW-1:0] p_entry;
  logic [1:0]    p_sel;
  logic          p_head;
  assign {p_tag, p_begin, p_length, p_entry, p_sel, p_head} = p_all;

  logic        begun;    // the packet has begun
  logic        words_sent, words_begun; // all words of its description have left; some have
  logic [10:0] runs_left; // of it, with the current one
  logic [12:0] run_left;
  wire  [10:0] p_runs  = begun ? runs_left : q_runs;
  wire  [12:0] p_run   = p_head ? k_run : run_left;
  wire         p_ends  = p_run == 13'(p_length);
  wire         p_last  = p_ends && p_runs == 11'd1;
  wire         words_due = q_described && !begun && !words_sent;
  wire         w_moves   = words_due && desc_valid && p_valid && q_valid && (!m_valid || m_ready);
  wire         p_moves   = !words_due && p_valid && q_valid && (k_valid || !p_head) && (!m_valid || m_ready);
  assign w_take = w_moves;
  assign p_take = p_moves;
  assign k_take = p_moves && p_head;
  assign q_take = p_moves && p_last;

  always_ff @(posedge clk) begin
    if (p_moves) begin
      begun     <= !p_last;
      runs_left <= p_runs - 11'(p_ends);
      run_left  <= p_run - 13'(p_length);
    end
    if (w_moves) begin
      words_sent  <= desc_last;
      words_begun <= !desc_last;
    end else if (p_moves)
      words_sent <= 1'b0;
    if (!m_valid || m_ready) begin
      m_tag     <= p_tag;
      m_begin   <= p_begin;
      m_length  <= words_due ? 8'(desc_bytes) + 8'd1 : p_length;
      m_entry   <= p_entry;
      m_sel     <= p_sel;
      m_head    <= p_head && !words_due;
      m_run     <= k_run[9:0];
      m_first   <= !begun && !words_sent && !words_begun;
      m_last    <= p_last && !words_due;
      m_compact <= q_compact;
      m_code    <= q_code;
      m_words   <= words_due;
      m_word    <= desc_data;
      m_final   <= q_final;
      m_payload <= q_payload;
      m_valid   <= p_moves || w_moves;
    end
    if (rst) begin
      begun   <= 1'b0;
      words_sent  <= 1'b0;
      words_begun <= 1'b0;
      m_valid <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk)
    if (checks) begin
      if (p_moves)
        begin : run_covers_piece assert(p_run >= 13'(p_length) && p_runs != 11'd0); end
      if (b_gives)
        begin : within_limit assert(b_some && b_payload != 13'd0 && (b_single || b_payload <= set_limit[b_sel*13 +: 13])); end
      if (take && a_open)
        begin : same_packet assert(s_sel == a_sel); end
      begin : passes_when_empty assert(!(o_valid && g_passes)); end
      if (w_moves)
        begin : begins_with_head assert(p_head); end
    end
`endif
endmodule
`default_nettype wire
