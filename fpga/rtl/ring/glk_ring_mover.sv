// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Data buffer of the ring engine, and its output: ranges are issued as stores, host writes, or a header for the engine. Regions
// have one, too.
//
// 64 KiB, the longest put vector; positions wrap. Input data keeps its lanes; output is realigned to the destination's lanes:
// the buffer position of lane 0 of a destination line is the range start less the destination's lane, so every output line is
// two adjacent buffer lines shifted by a constant byte count, one line per clock. Even and odd lines are in separate memories,
// so that two adjacent lines can be read at once. Lanes outside the range are undefined.
module glk_ring_mover #(
  parameter int DATA_W = 512,
  parameter int PW     = 4,
  parameter int BUFFER = 16, // log2 of its bytes
  parameter int LANES  = DATA_W / 8,
  parameter int LINE_W = BUFFER - $clog2(LANES)
) (
  input  logic              clk,
  input  logic              rst,

  // Buffer write port
  input  logic              buffer_valid,
  input  logic [LINE_W-1:0] buffer_line,
  input  logic [LANES-1:0]  buffer_enables,
  input  logic [DATA_W-1:0] buffer_data,

  // Ranges, in order; a probe has no data and is one beat
  input  logic [1:0]        range_kind,    // 0 store, 1 probe, 2 write to host memory, 3 header
  input  logic [15:0]       range_place,   // buffer position of its first byte
  input  logic [12:0]       range_length,  // 1..4096
  input  logic [63:0]       range_address, // destination
  input  logic [PW-1:0]     range_partition,
  input  logic              range_valid,
  output logic              range_ready,
  output logic              idle,          // all ranges have been issued

  // Output
  output logic [1:0]        m_kind,
  output logic [PW-1:0]     m_partition,
  output logic [63:0]       m_address,
  output logic [12:0]       m_length,
  output logic [DATA_W-1:0] m_data,
  output logic              m_last,
  output logic              m_valid,
  input  logic              m_ready
);
  localparam int LB = $clog2(LANES);
  localparam int META_W = 2 + PW + 64 + 13; // {kind, partition, address, length}
  localparam logic [1:0] PROBE = 2'd1;

  // --- buffer ---
  (* ram_style = "block" *) logic [DATA_W-1:0] even [0:(1<<(LINE_W-1))-1];
  (* ram_style = "block" *) logic [DATA_W-1:0] odd  [0:(1<<(LINE_W-1))-1];

  always_ff @(posedge clk)
    for (int k = 0; k < LANES; k = k + 1)
      if (buffer_valid && !buffer_line[0] && buffer_enables[k])
        even[buffer_line[LINE_W-1:1]][8*k +: 8] <= buffer_data[8*k +: 8];

  always_ff @(posedge clk)
    for (int k = 0; k < LANES; k = k + 1)
      if (buffer_valid && buffer_line[0] && buffer_enables[k])
        odd[buffer_line[LINE_W-1:1]][8*k +: 8] <= buffer_data[8*k +: 8];

  // --- range queue ---
  logic              q_valid, q_ready;
  logic [15:0]       q_place;
  logic [META_W-1:0] q_meta;
  glk_fifo #(.W(META_W + 16), .DEPTH(4)) waiting (
    .clk, .rst, .s_data({range_kind, range_partition, range_address, range_length, range_place}), .s_valid(range_valid),
    .s_ready(range_ready),
    .m_data({q_meta, q_place}), .m_valid(q_valid), .m_ready(q_ready));
  wire [1:0]    q_kind   = q_meta[META_W-1 -: 2];
  wire [LB-1:0] q_lane   = q_meta[13 +: LB];
  wire [12:0]   q_length = q_meta[12:0];

  // --- stage A: address of the next line ---
  logic              go;
  logic              a_valid;
  logic [META_W-1:0] a_meta;
  logic [15:0]       a_place; // buffer position of the line's lane 0
  logic [13-LB:0]    a_left;  // remaining lines, including this one
  wire               a_last = a_left == (14-LB)'(1);
  wire [13:0]        q_end  = 14'(q_lane) + 14'(q_length) + 14'(LANES - 1);

  assign q_ready = go && (!a_valid || a_last);

  always_ff @(posedge clk) begin
    if (go) begin
      a_place <= a_place + 16'(LANES);
      a_left  <= a_left - (14-LB)'(1);
      if (!a_valid || a_last) begin
        a_valid <= q_valid;
        a_meta  <= q_meta;
        a_place <= q_place - 16'(q_lane);
        a_left  <= (q_kind == PROBE) ? (14-LB)'(1) : q_end[13:LB];
      end
    end
    if (rst)
      a_valid <= 1'b0;
  end

  // --- stage B: this line and the next ---
  logic              b_valid, b_last;
  logic [META_W-1:0] b_meta;
  logic [LB:0]       b_shift; // in bytes, rotating {odd, even}
  logic [DATA_W-1:0] b_even, b_odd;
  wire [LINE_W-1:0]  a_line = a_place[LB +: LINE_W];

  always_ff @(posedge clk) begin
    if (go) begin
      b_valid <= a_valid;
      b_last  <= a_last;
      b_meta  <= a_meta;
      b_shift <= a_place[LB:0];
      b_even  <= even[a_line[LINE_W-1:1] + (LINE_W-1)'(a_line[0])];
      b_odd   <= odd[a_line[LINE_W-1:1]];
    end
    if (rst)
      b_valid <= 1'b0;
  end

  // --- stage C: shift by multiples of 8 bytes ---
  logic                c_valid, c_last;
  logic [META_W-1:0]   c_meta;
  logic [2:0]          c_shift;
  logic [DATA_W+55:0]  c_data;
  wire [2*DATA_W-1:0]  ring = {b_odd, b_even};

  always_ff @(posedge clk) begin
    if (go) begin
      c_valid <= b_valid;
      c_last  <= b_last;
      c_meta  <= b_meta;
      c_shift <= b_shift[2:0];
      c_data  <= (DATA_W+56)'({ring, ring} >> {b_shift[LB:3], 6'b0}); // byte b_shift to lane 0
    end
    if (rst)
      c_valid <= 1'b0;
  end

  // --- stage D: shift by 0 to 7 bytes ---
  logic              d_valid, d_last, d_ready;
  logic [META_W-1:0] d_meta;
  logic [DATA_W-1:0] d_data;

  always_ff @(posedge clk) begin
    if (go) begin
      d_valid <= c_valid;
      d_last  <= c_last;
      d_meta  <= c_meta;
      d_data  <= DATA_W'(c_data >> {c_shift, 3'b000});
    end
    if (rst)
      d_valid <= 1'b0;
  end
  assign go = d_ready || !d_valid;

  glk_skid #(.W(META_W + DATA_W + 1)) out (
    .clk, .rst, .s_data({d_meta, d_last, d_data}), .s_valid(d_valid), .s_ready(d_ready),
    .m_data({m_kind, m_partition, m_address, m_length, m_last, m_data}), .m_valid, .m_ready);

  // --- number of ranges in the pipeline ---
  logic [3:0] count;
  wire        enters = range_valid && range_ready;
  wire        leaves = m_valid && m_ready && m_last;

  assign idle = count == 4'd0;

  always_ff @(posedge clk) begin
    count <= count + 4'(enters) - 4'(leaves);
    if (rst)
      count <= 4'd0;
  end
endmodule
`default_nettype wire
