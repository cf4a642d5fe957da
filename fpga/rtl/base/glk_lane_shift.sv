// SPDX-License-Identifier: Apache-2.0
// Moves packets of DWs between two layouts of a beat: behind a descriptor (the first DW stands at lane `from` of the first
// beat) and address lanes (at lane `to`), or the other way. What is not a DW of the packet has any value.
//
// All lanes turn by the same number; a beat out is then made of the lanes of the last two beats in. A packet that moves
// down needs two beats before it gives one, and one that moves up may give a beat more than came: such a last beat goes out
// while the next packet's first beat is taken in, if that one gives nothing yet. So this keeps the rate of the fuller side.
// The user field of a beat out is that of the latest beat in.
module glk_lane_shift #(
  parameter int DATA_W = 512,
  parameter int USER_W = 8,
  parameter int LANES  = DATA_W / 32,
  parameter int LB     = $clog2(LANES)
) (
  input  logic              clk,
  input  logic              rst,
  input  logic [LB-1:0]     s_from,   // on every beat, as the next two
  input  logic [LB-1:0]     s_to,
  input  logic [LB-1:0]     s_dwords, // of the packet, low bits; without data: from = to
  input  logic [DATA_W-1:0] s_data,
  input  logic [USER_W-1:0] s_user,
  input  logic              s_first,
  input  logic              s_last,
  input  logic              s_valid,
  output logic              s_ready,
  output logic [DATA_W-1:0] m_data,
  output logic [USER_W-1:0] m_user,
  output logic              m_first,
  output logic              m_last,
  output logic              m_valid,
  input  logic              m_ready
);
  logic go; // the output stage can take a beat
  logic step;

  // --- what is to be done ---
  logic              a_valid, a_first, a_last, a_down;
  logic [LB-1:0]     a_shift, a_end;
  logic [DATA_W-1:0] a_data;
  logic [USER_W-1:0] a_user;

  always_ff @(posedge clk) begin
    if (step) begin
      a_valid <= s_valid;
      a_first <= s_first;
      a_last  <= s_last;
      a_down  <= s_to < s_from;
      a_shift <= s_to - s_from;
      a_end   <= s_from + s_dwords - LB'(1); // lane of the last DW, of its beat in
      a_data  <= s_data;
      a_user  <= s_user;
    end
    if (rst)
      a_valid <= 1'b0;
  end

  // --- turned ---
  logic              b_valid, b_last, b_absorb, b_extra;
  logic [LANES-1:0]  b_old; // lanes that come from the beat before
  logic [DATA_W-1:0] b_data;
  logic [USER_W-1:0] b_user;
  wire [LB:0]        a_sum = {1'b0, a_end} + {1'b0, a_shift};

  always_ff @(posedge clk) begin
    if (step) begin
      b_valid  <= a_valid;
      b_last   <= a_last;
      b_absorb <= a_first && a_down && !a_last;
      b_extra  <= a_last && a_sum[LB] && !(a_down && a_first);
      b_user   <= a_user;
      for (int k = 0; k < LANES; k = k + 1) begin
        b_old[k]          <= !a_first && LB'(k) < a_shift;
        b_data[32*k+:32]  <= a_data[{LB'(k) - a_shift, 5'b0} +: 32];
      end
    end
    if (rst)
      b_valid <= 1'b0;
  end

  // --- joined ---
  logic              tail, open; // one more beat of a packet is to go out; the packet has given a beat
  logic [DATA_W-1:0] older;
  logic [USER_W-1:0] tail_user;
  logic              o_valid, o_first, o_last;
  logic [DATA_W-1:0] o_data;
  logic [USER_W-1:0] o_user;

  assign step    = go && !(tail && b_valid && !b_absorb);
  assign s_ready = step;

  always_ff @(posedge clk) begin
    if (go) begin
      o_valid <= tail || (b_valid && !b_absorb);
      o_first <= !tail && !open;
      o_last  <= tail || (b_last && !b_extra);
      o_user  <= tail ? tail_user : b_user;
      for (int k = 0; k < LANES; k = k + 1)
        o_data[32*k+:32] <= (tail || b_old[k]) ? older[32*k+:32] : b_data[32*k+:32];
      if (tail) begin
        tail <= 1'b0;
        open <= 1'b0;
      end else if (b_valid && !b_absorb) begin
        tail <= b_extra;
        open <= !b_last || b_extra;
      end
    end
    if (step && b_valid) begin
      older    <= b_data;
      tail_user <= b_user;
    end
    if (rst) begin
      o_valid <= 1'b0;
      tail    <= 1'b0;
      open    <= 1'b0;
    end
  end

  glk_skid #(.W(DATA_W + USER_W + 2)) skid (
    .clk, .rst, .s_data({o_data, o_user, o_first, o_last}), .s_valid(o_valid), .s_ready(go),
    .m_data({m_data, m_user, m_first, m_last}), .m_valid, .m_ready);
endmodule
