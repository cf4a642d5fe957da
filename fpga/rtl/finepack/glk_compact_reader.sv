// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Reads the description of a packet in the compact form (docs/wire-format.md, "The compact form"), one run per clock, and
// outputs its runs. If the code of the gap or that of the length begins with more than 3 zeros, each takes a clock of its own;
// one with 16 zeros takes three more, or four, or five.
//
// Only the number of bits of a code is in the loop from clock to clock; its value, the run's shape, and offset and end follow
// in three stages. So the reader goes on behind the end of the description, in the data, until the last run has come through.
module glk_compact_reader (
  input  logic        clk,
  input  logic        rst,

  // A packet, while not busy
  input  logic        s_start,
  input  logic        s_repeats,
  input  logic [1:0]  s_unit,         // log2, in bytes
  input  logic [1:0]  s_length_order,
  input  logic [3:0]  s_gap_order,
  input  logic [12:0] s_payload,      // bytes

  // Its payload from the beginning, then zeros
  input  logic [63:0] s_word,
  input  logic        s_valid,
  output logic        s_ready,

  // Runs
  output logic        m_valid,
  output logic [47:0] m_offset,       // from the base
  output logic [12:0] m_length,
  output logic [11:0] m_place,        // of its data, from the first data byte
  // The end, no earlier than the last run
  output logic        m_busy,
  output logic        m_fine,         // description and data fill the payload
  output logic [11:0] m_data_at       // bytes of the description
);
  localparam int WIDTH_MAX = 48; // of a number

  logic        repeats;
  logic [1:0]  unit, length_order;
  logic [3:0]  gap_order;
  logic [12:0] payload;

  // --- window: two words, and one waiting ---
  logic [63:0] w0, w1, w2;
  logic        w0_valid, w1_valid, w2_valid;
  logic [5:0]  at;      // bits of w0 that have been read
  logic [9:0]  words;   // before w0
  logic        running; // no invalid number yet
  logic        ends;    // the last run has come through, or an invalid one
  logic [6:0]  at_next;
  wire         take  = m_busy && s_valid && s_ready;
  wire         step  = running && w0_valid && (w1_valid || at[5:4] == 2'd0); // no code takes more than 48 bits at once
  wire         shift = step && at_next[6];
  assign s_ready = !w2_valid;

  always_ff @(posedge clk) begin
    if (shift) begin
      w0       <= w1;
      w1       <= w2_valid ? w2 : s_word;
      w1_valid <= w2_valid || take;
      w2_valid <= 1'b0;
      words    <= words + 10'd1;
    end else if (take) begin
      if (!w0_valid)
        w0 <= s_word;
      if (!w1_valid)
        w1 <= s_word;
      w2       <= s_word;
      w0_valid <= 1'b1;
      w1_valid <= w0_valid;
      w2_valid <= w1_valid;
    end
    if (step)
      at <= at_next[5:0];
    if (s_start) begin
      at       <= 6'd0;
      words    <= 10'd0;
      w0_valid <= 1'b0;
      w1_valid <= 1'b0;
      w2_valid <= 1'b0;
    end
    if (rst)
      w2_valid <= 1'b0;
  end

  // --- the next code: zeros, a 1, and as many bits as zeros and order together; or a repetition ---
  logic        in_first, in_gap; // otherwise the length of a further run
  logic        marked;           // a mark comes first: its two zeros count as zeros of the gap
  logic        far;              // after 16 zeros. Then the other zeros and the 1 are skipped, and the bits behind it follow
  logic        skip, low;
  logic [6:0]  zeros;            // so far
  logic [6:0]  low_width;
  logic [6:0]  advance;          // in skip and low
  logic signed [4:0] more;       // width of a number, less the zeros in front of it
  wire [3:0]   order  = in_gap ? gap_order : {2'b0, length_order};
  wire [127:0] window = {w1, w0};
  wire [47:0]  field  = 48'(window >> at);

  // Leading zeros of the first 16 bits.
  wire         none = field[15:0] == 16'd0;
  wire         none0 = field[3:0] == 4'd0, none1 = field[7:4] == 4'd0, none2 = field[11:8] == 4'd0;
  wire [1:0]   lead0 = {field[1:0] == 2'd0, !field[0] && (field[1] || !field[2])};
  wire [1:0]   lead1 = {field[5:4] == 2'd0, !field[4] && (field[5] || !field[6])};
  wire [1:0]   lead2 = {field[9:8] == 2'd0, !field[8] && (field[9] || !field[10])};
  wire [1:0]   lead3 = {field[13:12] == 2'd0, !field[12] && (field[13] || !field[14])};
  wire [3:0]   lead = !none0 ? {2'd0, lead0} : !none1 ? {2'd1, lead1} : !none2 ? {2'd2, lead2} : {2'd3, lead3};

  wire         repetition = marked && field[1:0] != 2'd0;
  wire [5:0]   width      = 6'($signed({2'b0, lead}) + 6'(more));
  wire [6:0]   zeros_next = zeros + (marked ? 7'd14 : 7'd16);
  wire         too_wide   = low ? low_width > 7'(WIDTH_MAX) : !skip && none && zeros_next > 7'(WIDTH_MAX);
  // Gap and length in one clock, of at most 3 zeros each. `behind`: where the length's code begins, if that of the gap has no
  // zeros; for each number of zeros of the gap, those of the length, and both.
  logic        may_both;
  logic [4:0]  gap_skip;  // mark and lower bits of a gap without zeros
  wire [4:0]   both_bits = gap_skip + {3'b0, length_order} + 5'd2;
  wire [9:0]   behind    = 10'({15'd0, field[25:1]} >> gap_skip[3:0]);
  wire [3:0]   gap_field = repeats ? field[5:2] : field[3:0];
  wire [1:0]   gap_zeros = {gap_field[1:0] == 2'd0, !gap_field[0] && (gap_field[1] || !gap_field[2])};
  logic [3:0]  behind_fine;
  logic [4*2-1:0] behind_zeros;
  logic [4*3-1:0] behind_sum;
  logic [8*7-1:0] at_sum;

  always_comb begin
    for (int z = 0; z < 4; z = z + 1) begin
      behind_fine[z] = behind[2*z +: 4] != 4'd0;
      behind_zeros[2*z +: 2] = behind[2*z] ? 2'd0 : behind[2*z+1] ? 2'd1 : behind[2*z+2] ? 2'd2 : 2'd3;
      behind_sum[3*z +: 3] = behind[2*z] ? 3'(z) : behind[2*z+1] ? 3'(z + 1) : behind[2*z+2] ? 3'(z + 2) : 3'(z + 3);
    end
    for (int i = 0; i < 8; i = i + 1)
      at_sum[7*i +: 7] = {1'b0, at} + ({2'b0, both_bits} + 7'(2*i));
  end

  wire         both       = may_both && !repetition && gap_field != 4'd0 && behind_fine[gap_zeros];
  wire [2:0]   both_zeros = behind_sum[3*gap_zeros +: 3];
  wire [6:0]   at_both    = at_sum[7*both_zeros +: 7];
  wire         token      = low || too_wide || (!none && !far);
  // Where the next code may begin, for each number of leading zeros: no adder is behind `field`.
  wire [6:0]   at_more    = {1'b0, at} + 7'(more) + 7'd1;
  wire [6:0]   at_ahead   = {1'b0, at} + advance;
  logic [16*7-1:0] at_lead;

  always_comb
    for (int i = 0; i < 16; i = i + 1)
      at_lead[7*i +: 7] = (skip || low) ? at_ahead : far ? {1'b0, at} : (marked && i < 2) ? {1'b0, at} + 7'(i + 1) :
                          at_more + 7'(2*i);

  assign at_next = both ? at_both : none ? ((skip || low) ? at_ahead : {1'b0, at} + 7'd16) : at_lead[7*lead +: 7];

  wire signed [4:0] more_gap    = $signed({1'b0, gap_order}) - (repeats ? 5'sd2 : 5'sd0);
  wire signed [4:0] more_length = $signed({3'b0, length_order});
  wire              to_gap      = repetition || both || !in_gap;

  logic        x_valid, x_bad, x_first, x_gap, x_both, x_last, x_other, x_low;
  logic [47:0] x_field;
  logic [3:0]  x_lead, x_order;
  logic [5:0]  x_width, x_skip; // of the gap; from there to the length
  logic [1:0]  x_zeros;         // of the length

  always_ff @(posedge clk) begin
    x_valid <= step && token;
    x_bad   <= too_wide;
    x_first <= in_first;
    x_gap   <= in_gap && !repetition && !both;
    x_both  <= both;
    x_last  <= repetition && field[0];
    x_other <= repetition && !field[0];
    x_low   <= low;
    x_field <= field;
    x_lead  <= lead;
    x_width <= low ? low_width[5:0] : width;
    x_order <= order;
    x_skip  <= 6'(gap_skip) + {3'b0, gap_zeros, 1'b0} + 6'd2;
    x_zeros <= behind_zeros[2*gap_zeros +: 2];
    if (step) begin
      if (token) begin
        in_first <= 1'b0;
        in_gap   <= to_gap;
        marked   <= to_gap && repeats;
        may_both <= to_gap && !gap_skip[4];
        more     <= to_gap ? more_gap : more_length;
        zeros    <= 7'd0;
        far      <= 1'b0;
        skip     <= 1'b0;
        low      <= 1'b0;
        running  <= !too_wide;
      end else begin
        marked   <= 1'b0;
        may_both <= 1'b0;
        far      <= 1'b1;
        skip     <= !none && !skip;
        low      <= skip;
        zeros    <= zeros_next;
      end
      if (!skip)
        low_width <= zeros + {3'b0, lead} + {3'b0, order};
      advance <= skip ? low_width : {3'b0, lead} + 7'd1;
    end
    if (s_start) begin
      in_first <= 1'b1;
      in_gap   <= 1'b0;
      marked   <= 1'b0;
      may_both <= 1'b0;
      more     <= $signed({3'b0, s_length_order});
      zeros    <= 7'd0;
      far      <= 1'b0;
      skip     <= 1'b0;
      low      <= 1'b0;
      running  <= 1'b1;
    end
    if (rst || ends) begin
      running <= 1'b0;
      x_valid <= 1'b0;
    end
  end

  // --- its value, and what the description leaves of the payload if it ends here: `at` is behind the code now ---
  logic        v_valid, v_bad, v_first, v_gap, v_both, v_last, v_other, v_pad;
  logic [48:0] v_value;
  logic [6:0]  v_length; // beside a gap
  logic [11:0] v_bytes;
  logic signed [13:0] v_rest;
  logic [47:0] mask, order_mask;
  logic [6:0]  pad_mask; // bits in front of the next byte
  wire [47:0]  x_bits  = x_low ? x_field : {4'd0, x_field[44:1]} >> x_lead;
  wire [47:0]  x_lower = x_bits & mask;
  wire [47:0]  x_ones  = mask & ~order_mask; // 2^width - 2^order
  wire [8:0]   x_behind = 9'(x_field >> x_skip); // the length's code without its first bit
  wire [5:0]   length_lower = 6'(x_behind >> x_zeros);
  wire [2:0]   length_width = {1'b0, x_zeros} + {1'b0, length_order};
  logic [5:0]  length_mask, length_order_mask;
  wire [5:0]   length_ones = length_mask & ~length_order_mask;
  wire [12:0]  x_bytes = {words, at[5:3]} + 13'(at[2:0] != 3'd0);

  always_comb begin
    for (int i = 0; i < 48; i = i + 1) begin
      mask[i]       = 6'(i) < x_width;
      order_mask[i] = i < 32'(x_order);
    end
    for (int i = 0; i < 6; i = i + 1) begin
      length_mask[i]       = 3'(i) < length_width;
      length_order_mask[i] = i < 32'(length_order);
    end
    for (int i = 0; i < 7; i = i + 1)
      pad_mask[i] = at[2:0] != 3'd0 && i < 8 - 32'(at[2:0]);
  end

  always_ff @(posedge clk) begin
    v_valid <= x_valid;
    v_bad   <= x_bad;
    v_first <= x_first;
    v_gap   <= x_gap;
    v_both  <= x_both;
    v_last  <= x_last;
    v_other <= x_other;
    v_pad   <= (field[6:0] & pad_mask) != 7'd0;
    v_value <= 49'(x_lower) + 49'(x_ones) + 49'd1;
    v_length <= {1'b0, length_lower & length_mask} + {1'b0, length_ones} + 7'd1;
    v_bytes <= x_bytes[11:0];
    v_rest  <= $signed({1'b0, payload}) - $signed({1'b0, x_bytes});
    if (rst || ends)
      v_valid <= 1'b0;
  end

  // --- the run's shape, in bytes, and the last two different shapes: length 0, no such shape ---
  logic [47:0] gap, last_gap, other_gap;
  logic [12:0] last_length, other_length;
  logic        r_valid, r_bad, r_pad;
  logic [47:0] r_gap;
  logic [12:0] r_length;
  logic [11:0] r_bytes;
  logic [48:0] r_span;
  logic signed [13:0] r_before; // data of earlier runs, if this is the last one
  wire [51:0]  v_scaled = {3'b0, v_value} << unit;
  wire         v_far    = |v_scaled[51:48];
  wire         v_long   = |v_scaled[51:13] || (v_scaled[12] && |v_scaled[11:0]); // above 4096: `r_before` could overflow
  wire         v_repeat = v_last || v_other;
  wire [47:0]  new_gap    = v_both ? v_scaled[47:0] : gap;
  wire [12:0]  new_length = v_both ? 13'(v_length) << unit : v_scaled[12:0];
  wire [47:0]  run_gap    = v_first ? 48'd0 : v_last ? last_gap : v_other ? other_gap : new_gap;
  wire [12:0]  run_length = v_last ? last_length : v_other ? other_length : new_length;
  wire         like_last  = new_gap == last_gap && new_length == last_length;

  always_ff @(posedge clk) begin
    if (v_valid && v_gap)
      gap <= v_scaled[47:0];
    if (v_valid && (v_other || (!v_first && !v_gap && !v_last && !like_last))) begin
      last_gap     <= run_gap;
      last_length  <= run_length;
      other_gap    <= last_gap;
      other_length <= last_length;
    end
    r_bad    <= v_bad || (v_gap || v_both ? v_far : v_repeat ? run_length == 13'd0 : v_long);
    r_valid  <= v_valid && (!v_gap || v_bad || v_far);
    r_pad    <= v_pad;
    r_gap    <= run_gap;
    r_length <= run_length;
    r_span   <= 49'(run_gap) + 49'(run_length);
    r_bytes  <= v_bytes;
    r_before <= v_rest - $signed({1'b0, run_length});
    if (s_start) begin
      last_length  <= 13'd0;
      other_length <= 13'd0;
    end
    if (rst || ends)
      r_valid <= 1'b0;
  end

  // --- its offset; whether it is the last one ---
  logic [48:0] end_at; // of the previous run
  logic [12:0] data;   // of the runs so far
  wire [49:0]  offset  = 50'(end_at) + 50'(r_gap);
  wire         run_bad = r_bad || |offset[49:48] || $signed({1'b0, data}) > r_before;
  assign ends = r_valid && (run_bad || $signed({1'b0, data}) == r_before);

  always_ff @(posedge clk) begin
    m_valid  <= r_valid && !run_bad;
    m_offset <= offset[47:0];
    m_length <= r_length;
    m_place  <= data[11:0];
    if (r_valid) begin
      end_at <= end_at + r_span;
      data   <= data + r_length;
    end
    if (ends) begin
      m_busy    <= 1'b0;
      m_fine    <= !run_bad && !r_pad;
      m_data_at <= r_bytes;
    end
    if (s_start) begin
      m_busy       <= 1'b1;
      m_fine       <= 1'b0;
      repeats      <= s_repeats;
      unit         <= s_unit;
      length_order <= s_length_order;
      gap_order    <= s_gap_order;
      gap_skip     <= {1'b0, s_gap_order} + (s_repeats ? 5'd2 : 5'd0);
      payload      <= s_payload;
      end_at       <= 49'd0;
      data         <= 13'd0;
    end
    if (rst) begin
      m_valid <= 1'b0;
      m_busy  <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk)
    if (checks) begin
      begin : starts_when_idle assert(!s_start || !m_busy); end
      begin : busy_while_running assert(m_busy || !(running || x_valid || v_valid || r_valid)); end
      begin : within_payload assert(!m_valid || (m_length != 13'd0 && 13'(m_place) + m_length < payload)); end
    end
`endif
endmodule
`default_nettype wire
