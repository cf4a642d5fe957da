// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Chooses unit, orders and repetitions of a packet's compact form (docs/wire-format.md, "The compact form"), one run per clock;
// the shape of each run leaves at once. Everything is counted in bytes here: division by the unit changes no repetition, and
// lowers each logarithm by that of the unit.
//   A  gap       B  repetition, logarithms       C  sums       D  divides them while the next packet is in A to C
module glk_compact_choice #(
  parameter int RECORD_W = 8
) (
  input  logic        clk,
  input  logic        rst,

  // A run, or a packet behind its runs
  input  logic        s_run,
  input  logic        s_packet,
  input  logic        s_begins,  // the packet
  input  logic [37:0] s_at,
  input  logic [10:0] s_length,
  input  logic        s_coded,   // the packet has runs
  input  logic [RECORD_W-1:0] s_record,
  output logic        s_ready,

  output logic [37:0] m_gap,     // not of the first run
  output logic [10:0] m_length,
  output logic        m_like,    // the shape is one of the last two
  output logic        m_other,   // that before the last
  output logic        m_first,
  output logic        m_valid,
  input  logic        m_ready,

  output logic [1:0]  choice_unit, // log2
  output logic        choice_repeats,
  output logic [3:0]  choice_gap_order,
  output logic [1:0]  choice_length_order,
  output logic        choice_adjoins, // two runs do: there is no compact form
  output logic [RECORD_W-1:0] choice_record,
  output logic        choice_valid,
  input  logic        choice_ready
);
  localparam int STEPS = 5; // of a division

  logic d_valid, b_packet;
  wire  go = m_ready && !(b_packet && d_valid);
  assign s_ready = go;

  // --- A ---
  logic        a_run, a_packet, a_begins, a_coded;
  logic [37:0] a_gap, a_end;
  logic [10:0] a_length;
  logic [RECORD_W-1:0] a_record;
  always_ff @(posedge clk) begin
    if (go) begin
      a_run    <= s_run;
      a_packet <= s_packet;
      a_begins <= s_begins;
      a_gap    <= s_begins ? '0 : s_at - a_end;
      a_length <= s_length;
      a_coded  <= s_coded;
      a_record <= s_record;
      if (s_run)
        a_end <= s_at + 38'(s_length);
    end
    if (rst) begin
      a_run    <= 1'b0;
      a_packet <= 1'b0;
    end
  end

  // --- B: the last two shapes, the most recently used first ---
  logic        last_valid, other_valid;
  logic [48:0] last_shape, other_shape;
  logic        b_run, b_begins, b_coded, b_like, b_other, b_adjoins;
  logic [37:0] b_gap;
  logic [10:0] b_length;
  logic [5:0]  a_gap_log, b_gap_log;
  logic [3:0]  a_length_log, b_length_log;
  logic [RECORD_W-1:0] b_record;
  wire [48:0]  a_shape = {a_gap, a_length};
  wire         is_last  = last_valid && !a_begins && a_shape == last_shape;
  wire         is_other = other_valid && !a_begins && a_shape == other_shape;
  glk_log2 #(.W(38)) gap_log (.bits(a_gap), .log2(a_gap_log));
  glk_log2 #(.W(11)) length_log (.bits(a_length), .log2(a_length_log));
  always_ff @(posedge clk) begin
    if (go) begin
      if (a_run) begin
        if (a_begins) begin
          last_valid  <= 1'b0;
          other_valid <= 1'b0;
        end else if (!is_last) begin
          last_valid  <= 1'b1;
          last_shape  <= a_shape;
          other_valid <= last_valid;
          other_shape <= last_shape;
        end
      end
      b_run    <= a_run;
      b_packet <= a_packet;
      b_begins <= a_begins;
      b_coded  <= a_coded;
      b_gap    <= a_gap;
      b_length <= a_length;
      b_like   <= is_last || is_other;
      b_other  <= is_other;
      b_adjoins    <= !a_begins && a_gap == '0;
      b_gap_log    <= a_gap_log;
      b_length_log <= a_length_log;
      b_record <= a_record;
    end
    if (rst) begin
      b_run    <= 1'b0;
      b_packet <= 1'b0;
    end
  end
  assign m_gap    = b_gap;
  assign m_length = b_length;
  assign m_like   = b_like;
  assign m_other  = b_other;
  assign m_first  = b_begins;
  assign m_valid  = b_run; // then m_ready is go

  // --- C: sums over all runs but the first, and over those that repeat no shape ---
  logic [7:0]  count, likes;
  logic [13:0] gaps, new_gaps;
  logic [11:0] lengths, new_lengths;
  logic [2:0]  low;
  logic        adjoins;
  wire  [2:0]  b_low = b_gap[2:0] | b_length[2:0];
  always_ff @(posedge clk)
    if (go && b_run) begin
      if (b_begins) begin
        count       <= '0;
        likes       <= '0;
        gaps        <= '0;
        lengths     <= '0;
        new_gaps    <= '0;
        new_lengths <= '0;
        low         <= b_low;
        adjoins     <= 1'b0;
      end else begin
        count       <= count + 8'd1;
        likes       <= likes + 8'(b_like);
        gaps        <= gaps + 14'(b_gap_log);
        lengths     <= lengths + 12'(b_length_log);
        new_gaps    <= new_gaps + (b_like ? 14'd0 : 14'(b_gap_log));
        new_lengths <= new_lengths + (b_like ? 12'd0 : 12'(b_length_log));
        low         <= low | b_low;
        adjoins     <= adjoins || b_adjoins;
      end
    end

  // --- D: the means, bit by bit ---
  logic [2:0]  steps;
  logic [11:0] divisor;
  logic [13:0] gap_rest;
  logic [11:0] length_rest;
  logic [4:0]  gap_mean;
  logic [4:0]  length_mean;
  wire         repeats = {likes, 2'b0} >= 10'(count);
  wire         gap_bit    = gap_rest >= 14'(divisor);
  wire         length_bit = length_rest >= divisor;
  always_ff @(posedge clk) begin
    if (go && b_packet) begin
      d_valid        <= 1'b1;
      steps          <= (b_coded && count != 8'd0) ? 3'(STEPS) : 3'd0;
      divisor        <= {repeats ? count - likes : count, 4'b0};
      gap_rest       <= repeats ? new_gaps : gaps;
      length_rest    <= repeats ? new_lengths : lengths;
      gap_mean       <= '0;
      length_mean    <= '0;
      choice_repeats <= repeats;
      choice_unit    <= low[0] ? 2'd0 : low[1] ? 2'd1 : low[2] ? 2'd2 : 2'd3;
      choice_adjoins <= adjoins;
      choice_record  <= b_record;
    end else if (steps != 3'd0) begin
      steps       <= steps - 3'd1;
      divisor     <= divisor >> 1;
      gap_mean    <= {gap_mean[3:0], gap_bit};
      length_mean <= {length_mean[3:0], length_bit};
      if (gap_bit)
        gap_rest <= gap_rest - 14'(divisor);
      if (length_bit)
        length_rest <= length_rest - divisor;
    end else if (choice_ready)
      d_valid <= 1'b0;
    if (rst)
      d_valid <= 1'b0;
  end

  wire [4:0] gap_units    = gap_mean - 5'(choice_unit);
  wire [4:0] length_units = length_mean - 5'(choice_unit);
  assign choice_gap_order    = gap_units > 5'd14 ? 4'd14 : gap_units[3:0];
  assign choice_length_order = length_units > 5'd3 ? 2'd3 : length_units[1:0];
  assign choice_valid        = d_valid && steps == 3'd0;

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk)
    if (checks) begin
      begin : run_or_packet assert(!(s_run && s_packet)); end
      if (go && b_run && !b_begins)
        begin : runs_countable assert(count != 8'd255); end
    end
`endif
endmodule
`default_nettype wire
