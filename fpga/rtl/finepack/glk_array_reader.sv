// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Reads the offsets of a packet in the array form (docs/wire-format.md, "The array form"), one record per clock, and outputs
// its records as runs. Offsets of 3 bytes are in two parts: the first one is kept, a beat per clock, until the second comes.
module glk_array_reader #(
  parameter int DATA_W = 512,
  parameter int LANES  = DATA_W / 8
) (
  input  logic              clk,
  input  logic              rst,

  // A packet, while not busy
  input  logic              s_start,
  input  logic [9:0]        s_count,   // records, at least 1
  input  logic [1:0]        s_unit,    // log2 of the unit, less 2: 0 to 2
  input  logic [1:0]        s_width,   // bytes of an offset, less 2: 0 to 2
  input  logic [12:0]       s_payload, // bytes

  // Its payload from the beginning, then zeros
  input  logic [DATA_W-1:0] s_data,
  input  logic              s_valid,
  output logic              s_ready,

  // Records
  output logic              m_valid,
  output logic [47:0]       m_offset,  // from the base
  output logic [12:0]       m_length,
  output logic [11:0]       m_place,   // of its value, from the first one
  // The end, no earlier than the last record
  output logic              m_busy,
  output logic              m_fine,    // the parts fill the payload, and their padding is zero
  output logic [11:0]       m_data_at  // bytes of the offsets
);
  localparam int LB     = $clog2(LANES);
  localparam int BEAT_W = 11 - LB; // of the lower parts: 1184 bytes at most

  logic [9:0]  count;
  logic [1:0]  unit, width;
  logic [12:0] payload;
  wire         split = width == 2'd1;

  // --- sizes, in the two clocks behind the start ---
  logic        sizing, sized;
  logic [12:0] offsets;      // bytes
  logic [13:0] values;
  logic [10:0] low_end;      // the lower part's end, of at most 2 * 682 bytes where it is used
  logic [9:0]  slots;        // records and padding, in the part that is read last
  wire [8:0]   low_rows     = width == 2'd2 ? {1'b0, count[9:2]} + 9'(|count[1:0]) : {2'b0, count[9:3]} + 9'(|count[2:0]);
  wire [6:0]   high_rows    = {1'b0, count[9:4]} + 7'(|count[3:0]);
  wire [12:0]  offset_bytes = {low_rows, 4'b0} + (split ? {2'b0, high_rows, 4'b0} : 13'd0); // rows of 16
  wire         size_fine    = {2'b0, offsets} + {1'b0, values} == {2'b0, payload};
  assign m_data_at = offsets[11:0];

  // --- slots ---
  logic             filling;  // a beat of the lower part is kept per clock
  logic             running;
  logic [BEAT_W-1:0] fill_at;
  logic [9:0]       slot;
  logic [LB-1:0]    lane;     // of the beat at hand, where the slot's bytes are
  wire [LB:0]       lane_next = {1'b0, lane} + (width == 2'd0 ? (LB+1)'(2) : split ? (LB+1)'(1) : (LB+1)'(4));
  wire              filled  = fill_at == low_end[10:LB]; // the higher part begins in this beat
  wire              step    = running && s_valid;
  wire              last    = slot == slots - 10'd1;
  assign s_ready = filling ? !filled : running && lane_next[LB];

  (* ram_style = "distributed" *) logic [DATA_W-1:0] lows [0:2**BEAT_W-1];
  wire [10:0]       low_at  = {slot, 1'b0};
  wire [DATA_W-1:0] low_beat = lows[low_at[10:LB]];
  wire [15:0]       low     = low_beat[{low_at[LB-1:1], 4'b0} +: 16];
  wire [31:0]       word    = s_data[{lane[LB-1:2], 5'b0} +: 32];
  wire [31:0]       field   = width == 2'd2 ? word : {16'd0, 16'(word >> {lane[1:0], 3'b0})};
  wire              low_pad = low_at >= low_end; // behind the lower part and its padding

  // --- the slot's offset; then a record, or padding ---
  logic        a_valid, a_last, a_record;
  logic [9:0]  a_slot;
  logic [31:0] a_units;
  logic        pad_wrong;
  wire         a_wrong = a_valid && !a_record && a_units != 32'd0;
  wire [2:0]   shift   = 3'd2 + {1'b0, unit};

  always_ff @(posedge clk) begin
    if (filling && s_valid) begin
      lows[fill_at] <= s_data;
      fill_at       <= fill_at + BEAT_W'(1);
      if (filled) begin
        filling <= 1'b0;
        running <= 1'b1;
        lane    <= low_end[LB-1:0];
      end
    end
    if (step) begin
      slot <= slot + 10'd1;
      lane <= lane_next[LB-1:0];
      if (last)
        running <= 1'b0;
    end

    a_valid  <= step;
    a_last   <= last;
    a_record <= slot < count;
    a_slot   <= slot;
    a_units  <= width == 2'd0 ? {16'd0, field[15:0]} : split ? {8'd0, field[7:0], low_pad ? 16'd0 : low} : field;

    m_valid  <= a_valid && a_record;
    m_offset <= {16'd0, a_units} << shift;
    m_length <= 13'd1 << shift;
    m_place  <= {2'b0, a_slot} << shift;
    if (a_wrong)
      pad_wrong <= 1'b1;
    if (a_valid && a_last) begin
      m_busy <= 1'b0;
      m_fine <= !pad_wrong && !a_wrong;
    end

    if (sizing) begin
      offsets   <= offset_bytes;
      values    <= {4'b0, count} << shift;
      low_end   <= {low_rows[6:0], 4'b0};
      slots     <= width == 2'd0 ? {low_rows[6:0], 3'b0} : split ? {high_rows[5:0], 4'b0} : {low_rows[7:0], 2'b0};
    end
    sizing <= s_start;
    sized  <= sizing;
    if (sized) begin
      filling <= size_fine && split;
      running <= size_fine && !split;
      m_busy  <= size_fine;
    end
    if (s_start) begin
      m_busy    <= 1'b1;
      m_fine    <= 1'b0;
      count     <= s_count;
      unit      <= s_unit;
      width     <= s_width;
      payload   <= s_payload;
      fill_at   <= '0;
      slot      <= 10'd0;
      lane      <= '0;
      pad_wrong <= 1'b0;
    end
    if (rst) begin
      sizing  <= 1'b0;
      sized   <= 1'b0;
      filling <= 1'b0;
      running <= 1'b0;
      a_valid <= 1'b0;
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
      begin : counted assert(!s_start || (s_count != 10'd0 && s_unit != 2'd3 && s_width != 2'd3)); end
      begin : busy_while_running assert(m_busy || !(sizing || sized || filling || running || a_valid)); end
      begin : within_payload assert(!m_valid || 13'(m_data_at) + 13'(m_place) + m_length <= payload); end
      begin : one_part assert(!(filling && running)); end
    end
`endif
endmodule
`default_nettype wire
