// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Writes the descriptions of packets in the compact form (docs/wire-format.md, "The compact form"), one run per clock, and
// decides whether a packet leaves so: if that takes less than its sub-headers. Otherwise its words are dropped.
//   1  numbers              4  codes                           7  words
//   2  logarithms           5  of gap and length as one        8  the packet's end: decision
//   3  zeros and low bits   6  at its position in the word
module glk_compact_writer #(
  parameter int TAIL_W = 8 // of a record, which is passed on
) (
  input  logic        clk,
  input  logic        rst,

  // Packets
  input  logic [1:0]  choice_unit,
  input  logic        choice_repeats,
  input  logic [3:0]  choice_gap_order,
  input  logic [1:0]  choice_length_order,
  input  logic        choice_adjoins,
  input  logic        choice_coded,   // it has shapes
  input  logic [10:0] choice_headers, // bytes of its sub-headers
  input  logic [12:0] choice_payload, // with them, or without if it has only one run
  input  logic [10:0] choice_runs,
  input  logic [TAIL_W-1:0] choice_tail,
  input  logic        choice_valid,
  output logic        choice_ready,
  // and their shapes
  input  logic [37:0] s_gap,
  input  logic [10:0] s_length,
  input  logic        s_like,
  input  logic        s_other,
  input  logic        s_first,
  input  logic        s_valid,
  output logic        s_ready,

  // Descriptions, in words of 16 bytes
  output logic [127:0] desc_data,
  output logic [3:0]  desc_bytes, // less one
  output logic        desc_last,
  output logic        desc_valid,
  output logic        desc_commit,
  output logic        desc_drop,
  input  logic        desc_room,  // for two descriptions

  output logic        m_compact,
  output logic [8:0]  m_code,     // bits 2:0 of First BE, bits 5:0 of Tag
  output logic [12:0] m_payload,
  output logic [10:0] m_runs,
  output logic [TAIL_W-1:0] m_tail,
  output logic        m_valid,
  input  logic        m_ready
);
  // A description that leaves has less than 6 bytes a run, 256 runs at most.
  localparam int WORDS = 6 * 256 / 16;

  wire go = !m_valid || m_ready;

  // --- the packet whose runs are taken ---
  logic        busy, repeats;
  logic [10:0] left;
  logic [1:0]  unit, length_order;
  logic [3:0]  gap_order;
  localparam int REST_W = 1 + 9 + 11 + 13 + 11 + TAIL_W;
  logic [REST_W-1:0] rest;
  wire         run_step = go && busy && left != 11'd0 && s_valid;
  wire         end_step = go && busy && left == 11'd0;
  assign s_ready = go && busy && left != 11'd0;
  assign choice_ready = desc_room && (!busy || end_step);

  always_ff @(posedge clk) begin
    if (choice_valid && choice_ready) begin
      busy         <= 1'b1;
      left         <= choice_coded ? choice_runs : 11'd0;
      unit         <= choice_unit;
      repeats      <= choice_repeats;
      gap_order    <= choice_gap_order;
      length_order <= choice_length_order;
      rest         <= {choice_coded && choice_runs != 11'd1 && !choice_adjoins, choice_repeats, choice_unit,
          choice_length_order, choice_gap_order, choice_headers, choice_payload,
                       choice_runs, choice_tail};
    end else if (end_step)
      busy <= 1'b0;
    if (run_step)
      left <= left - 11'd1;
    if (rst)
      busy <= 1'b0;
  end

  // --- 1: value - 1 + 2^order ---
  logic        n_run, n_end, n_new, n_first, n_like, n_other, n_repeats;
  logic [38:0] n_gap;
  logic [10:0] n_length;
  logic [3:0]  n_gap_order;
  logic [1:0]  n_length_order;
  wire [13:0]  gap_add    = 14'((15'd1 << gap_order) - 15'd1);
  wire [2:0]   length_add = 3'((4'd1 << length_order) - 4'd1);
  always_ff @(posedge clk) begin
    if (go) begin
      n_run          <= run_step;
      n_end          <= end_step;
      n_first        <= s_first;
      n_like         <= !s_first && repeats && s_like;
      n_new          <= !s_first && !(repeats && s_like);
      n_other        <= s_other;
      n_repeats      <= repeats;
      n_gap          <= ({1'b0, s_gap} >> unit) + 39'(gap_add);
      n_length       <= (s_length >> unit) + 11'(length_add);
      n_gap_order    <= gap_order;
      n_length_order <= length_order;
    end
    if (rst) begin
      n_run <= 1'b0;
      n_end <= 1'b0;
    end
  end

  // --- 2 ---
  logic        f_run, f_end, f_new, f_first, f_like, f_other;
  logic [38:0] f_gap;
  logic [10:0] f_length;
  logic [5:0]  n_gap_log, f_gap_log;
  logic [3:0]  n_length_log, f_length_log;
  logic [5:0]  f_gap_less;    // zeros are the logarithm less that: the mark of a new shape are two zeros more
  logic [1:0]  f_length_less;
  glk_log2 #(.W(39)) gap_log (.bits(n_gap), .log2(n_gap_log));
  glk_log2 #(.W(11)) length_log (.bits(n_length), .log2(n_length_log));
  always_ff @(posedge clk) begin
    if (go) begin
      f_run         <= n_run;
      f_end         <= n_end;
      f_new         <= n_new;
      f_first       <= n_first;
      f_like        <= n_like;
      f_other       <= n_other;
      f_gap         <= n_gap;
      f_length      <= n_length;
      f_gap_log     <= n_gap_log;
      f_length_log  <= n_length_log;
      f_gap_less    <= 6'(n_gap_order) - (n_repeats ? 6'd2 : 6'd0);
      f_length_less <= n_length_order;
    end
    if (rst) begin
      f_run <= 1'b0;
      f_end <= 1'b0;
    end
  end

  // --- 3: a code is zeros, a one, and the number without its highest bit. A repetition is like a number without low bits ---
  logic        b_run, b_end, b_first, b_long; // has a gap; has a length
  logic [37:0] b_gap, gap_low;
  logic [9:0]  b_length, length_low;
  logic [5:0]  b_gap_zeros, b_gap_log;
  logic [3:0]  b_length_zeros, b_length_log;
  always_comb begin
    for (int k = 0; k < 38; k = k + 1)
      gap_low[k] = f_gap[k] && f_gap_log != 6'(k);
    for (int k = 0; k < 10; k = k + 1)
      length_low[k] = f_length[k] && f_length_log != 4'(k);
  end
  always_ff @(posedge clk) begin
    if (go) begin
      b_run          <= f_run;
      b_end          <= f_end;
      b_first        <= f_first;
      b_long         <= !f_like;
      b_gap          <= f_new ? gap_low : '0;
      b_gap_log      <= f_new ? f_gap_log : '0;
      b_gap_zeros    <= f_new ? f_gap_log - f_gap_less : {5'b0, f_other};
      b_length       <= length_low;
      b_length_log   <= f_length_log;
      b_length_zeros <= f_length_log - 4'(f_length_less);
    end
    if (rst) begin
      b_run <= 1'b0;
      b_end <= 1'b0;
    end
  end

  // --- 4 ---
  logic        g_run, g_end;
  logic [78:0] g_gap;
  logic [6:0]  g_gap_bits;
  logic [20:0] g_length;
  logic [4:0]  g_length_bits;
  always_ff @(posedge clk) begin
    if (go) begin
      g_run         <= b_run;
      g_end         <= b_end;
      g_gap         <= b_first ? '0 : 79'({b_gap, 1'b1}) << b_gap_zeros;
      g_gap_bits    <= b_first ? '0 : 7'(b_gap_zeros) + 7'(b_gap_log) + 7'd1;
      g_length      <= b_long ? 21'({b_length, 1'b1}) << b_length_zeros : '0;
      g_length_bits <= b_long ? 5'(b_length_zeros) + 5'(b_length_log) + 5'd1 : '0;
    end
    if (rst) begin
      g_run <= 1'b0;
      g_end <= 1'b0;
    end
  end

  // --- 5 ---
  logic        j_run, j_end;
  logic [99:0] j_code;
  logic [6:0]  j_bits;
  always_ff @(posedge clk) begin
    if (go) begin
      j_run  <= g_run;
      j_end  <= g_end;
      j_code <= 100'(g_gap) | (100'(g_length) << g_gap_bits);
      j_bits <= g_gap_bits + 7'(g_length_bits);
    end
    if (rst) begin
      j_run <= 1'b0;
      j_end <= 1'b0;
    end
  end

  // --- 6: behind the last bit written, so the last word is never empty ---
  logic         p_run, p_end, p_over;
  logic [227:0] p_code;
  logic [6:0]   at;       // of the last bit
  logic [3:0]   p_byte;   // of it
  wire  [7:0]   j_at = {1'b0, at} + {1'b0, j_bits};
  always_ff @(posedge clk) begin
    if (go) begin
      p_run  <= j_run;
      p_end  <= j_end;
      p_over <= j_at[7];
      p_code <= 228'({j_code, 1'b0}) << at;
      p_byte <= at[6:3];
      if (j_run)
        at <= j_at[6:0];
      if (j_end)
        at <= '1;
    end
    if (rst) begin
      p_run <= 1'b0;
      p_end <= 1'b0;
      at    <= '1;
    end
  end

  // --- 7: the first code begins a word, and nothing comes before ---
  logic         begun;
  logic [7:0]   words;   // before the current one
  logic [127:0] kept;
  wire          over = p_run && p_over;
  wire          fits = words < 8'(WORDS);
  assign desc_data  = kept | (p_end ? '0 : p_code[127:0]);
  assign desc_bytes = p_end ? p_byte : 4'd15;
  assign desc_last  = p_end;
  assign desc_valid = go && begun && fits && (over || p_end);

  logic [REST_W-1:0] late [0:6];
  logic              v_end;
  logic signed [12:0] v_less; // bytes that the compact form saves
  always_ff @(posedge clk) begin
    if (go) begin
      if (p_run) begin
        kept  <= over ? {28'b0, p_code[227:128]} : desc_data;
        begun <= 1'b1;
        words <= (over && begun) ? words + 8'd1 : words;
      end
      if (p_end) begin
        kept  <= '0;
        begun <= 1'b0;
        words <= '0;
      end
      v_end  <= p_end;
      v_less <= $signed({2'b0, late[5][TAIL_W+11+13 +: 11]}) - $signed({1'b0, words, p_byte}) - 13'sd1;
      late[0] <= rest; // of the end, in the clock after end_step
      for (int k = 1; k < 7; k = k + 1)
        late[k] <= late[k-1];
    end
    if (rst) begin
      kept  <= '0;
      begun <= 1'b0;
      words <= '0;
      v_end <= 1'b0;
    end
  end

  // --- 8 ---
  logic        v_can;
  logic [8:0]  v_code;
  logic [10:0] v_headers, v_runs;
  logic [12:0] v_payload;
  logic [TAIL_W-1:0] v_tail;
  assign {v_can, v_code, v_headers, v_payload, v_runs, v_tail} = late[6];
  wire v_compact = v_can && v_less > 13'sd0;
  assign desc_commit = go && v_end && v_compact;
  assign desc_drop   = go && v_end && !v_compact;
  always_ff @(posedge clk) begin
    if (go) begin
      m_valid   <= v_end;
      m_compact <= v_compact;
      m_code    <= v_code;
      m_payload <= v_compact ? v_payload - 13'(v_less) : v_payload;
      m_runs    <= v_runs;
      m_tail    <= v_tail;
    end
    if (rst)
      m_valid <= 1'b0;
  end

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk)
    if (checks) begin
      if (run_step)
        begin : first_of_packet assert(s_first == (left == rest[TAIL_W +: 11])); end
      if (v_end && v_compact)
        begin : headers_within_payload assert(v_less < $signed({2'b0, v_headers}) && v_payload >= 13'(v_headers)); end
      if (p_run && !begun)
        begin : packet_over assert(p_over); end
    end
`endif
endmodule
`default_nettype wire
