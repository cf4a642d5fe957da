// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Realigns packets of DWs between two beat layouts: descriptor-aligned (first DW at lane `from` of the first beat) and
// address-aligned (first DW at lane `to`), in either direction. Lanes outside the packet are undefined.
//
// All lanes rotate by the same amount; an output beat merges lanes of the last two input beats. A packet that shifts down
// needs two input beats for its first output beat; one that shifts up may produce one beat more than it consumes. Such an
// extra last beat is sent while the first beat of the next packet is taken, if that beat produces no output yet. So
// throughput is one beat per clock on the side with more beats. The user field of an output beat is that of the latest
// input beat.
module glk_lane_shift #(
  parameter int DATA_W = 512,
  parameter int USER_W = 8,
  parameter int LANES  = DATA_W / 32,
  parameter int LB     = $clog2(LANES)
) (
  input  logic              clk,
  input  logic              rst,
  input  logic [LB-1:0]     s_from,   // s_from, s_to, s_dwords: constant over all beats of a packet
  input  logic [LB-1:0]     s_to,
  input  logic [LB-1:0]     s_dwords, // packet length, low bits; without data: from = to
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
  logic go; // the output stage accepts a beat
  logic step;

  // --- stage 1: shift amounts ---
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
      a_end   <= s_from + s_dwords - LB'(1); // lane of the last DW in its input beat
      a_data  <= s_data;
      a_user  <= s_user;
    end
    if (rst)
      a_valid <= 1'b0;
  end

  // --- stage 2: rotate ---
  logic              b_valid, b_last, b_absorb, b_extra;
  logic [LANES-1:0]  b_old; // lanes taken from the previous beat
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

  // --- stage 3: merge ---
  logic              tail, open; // an extra last beat is pending; the packet has produced a beat
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
`default_nettype wire
