// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Requester completion (RC) interface of the PCIe hard block (DW-aligned behind a 96-bit descriptor, no straddling, which is an
// option of the block also with 256 bits) to the card's d stream.
//
// Completers may split completions at multiples of 64 bytes, which are whole beats, so parts never share a beat. The first part
// starts at the descriptor's address, later ones at lane 0. A read fails as a whole, in its last beat: a part with an error
// returns no data and is recorded until the part that completes the request, whose last beat reports the error. `more`: the
// request is only a part of the card's read (glk_pcie_reads).
//
// Completions without a matching request (error codes 4 and 6) are dropped, unless they complete one nonetheless. So are those
// of a read that has failed meanwhile (glk_pcie_reads), but they still end its use of the tag.
module glk_pcie_rc #(
  parameter int DATA_W = 512 // 128 to 512: the descriptor is in the first beat, and a beat has at most 64 bytes
) (
  input  logic              clk,
  input  logic              rst,

  // Hard block
  input  logic [DATA_W-1:0] rc_tdata,
  input  logic              rc_discontinue, // field of tuser
  input  logic              rc_tlast,
  input  logic              rc_tvalid,
  output logic              rc_tready,

  // Tag state, see glk_pcie_reads
  input  logic [63:0]       more,
  output logic [5:0]        part_tag,
  output logic              part_done,
  input  logic              own,      // maps a bus tag to a card tag; arrives before its completion can,
  input  logic              own_sent, // and no later than its failure
  input  logic [5:0]        own_tag,
  input  logic [5:0]        own_card,
  input  logic [5:0]        fail_tag, // a read that fails; unless fail_sure, only if it is still open
  input  logic              fail_sure,
  input  logic              fail_valid,
  output logic              fail_ready,

  // Completions to the card
  output logic [5:0]        rd_tag,
  output logic              rd_error,
  output logic [DATA_W-1:0] rd_data,
  output logic              rd_last,
  output logic              rd_valid,
  input  logic              rd_ready
);
  localparam logic [3:0] NO_ERROR = 4'd0, MISMATCH = 4'd4, INVALID_TAG = 4'd6;
  localparam int LB = $clog2(DATA_W / 32);

  // --- input register ---
  logic              x_valid, x_last, x_ready, x_discontinue;
  logic [DATA_W-1:0] x_data;
  glk_skid #(.W(DATA_W + 2)) skid_in (
    .clk, .rst, .s_data({rc_tdata, rc_discontinue, rc_tlast}), .s_valid(rc_tvalid), .s_ready(rc_tready),
    .m_data({x_data, x_discontinue, x_last}), .m_valid(x_valid), .m_ready(x_ready));

  // --- descriptor, in the first beat of a packet ---
  logic         amid;
  wire [3:0]    x_code = x_data[15:12];
  wire [10:0]   x_dwords = x_data[42:32];
  wire          x_completed = x_data[30];
  wire          x_bad = x_code != NO_ERROR || x_data[45:43] != 3'b0 || x_data[46] || x_dwords == 11'd0;
  wire          x_stray = x_data[71:70] != 2'b0 || ((x_code == MISMATCH || x_code == INVALID_TAG) && !x_completed);

  logic              d0_valid, d0_first, d0_last, d0_discontinue, d0_forward, d0_bad, d0_completed;
  logic [DATA_W-1:0] d0_data;
  logic [LB-1:0]     d0_at; // lane of the first DW
  logic [LB-1:0]     d0_dwords;
  logic [5:0]        d0_tag;
  logic [63:0]       begun; // tags with a partly received completion
  logic              step;
  assign x_ready = step;

  always_ff @(posedge clk) begin
    if (step) begin
      d0_valid       <= x_valid;
      d0_first       <= !amid;
      d0_discontinue <= x_discontinue;
      d0_data        <= x_data;
      d0_last        <= x_last || (!amid && x_bad); // of a failed completion only the first beat is used
      if (!amid) begin
        d0_forward   <= !x_stray;
        d0_bad       <= x_bad;
        d0_completed <= x_completed;
        d0_at        <= x_bad ? LB'(3) : x_data[2 +: LB];
        d0_dwords    <= x_dwords[LB-1:0];
        d0_tag       <= x_data[69:64];
      end else if (d0_bad)
        d0_forward   <= 1'b0;
      if (x_valid)
        amid <= !x_last;
    end
    if (rst) begin
      d0_valid <= 1'b0;
      amid   <= 1'b0;
    end
  end

  wire  [LB-1:0] d0_to = begun[d0_tag] && !d0_bad ? '0 : d0_at;
  logic [LB-1:0] s_to_held;
  wire  [LB-1:0] s_to = d0_first ? d0_to : s_to_held;
  wire          s_valid = d0_valid && d0_forward;

  logic              y_last, y_bad, y_completed, y_discontinue, y_valid, y_ready, unused_first;
  logic [DATA_W-1:0] y_data;
  logic [5:0]        y_tag;
  glk_lane_shift #(.DATA_W(DATA_W), .USER_W(9)) shift (
    .clk, .rst, .s_from(LB'(3)), .s_to, .s_dwords(d0_dwords), .s_data(d0_data),
    .s_user({d0_tag, d0_bad, d0_completed, d0_discontinue}), .s_first(d0_first), .s_last(d0_last), .s_valid, .s_ready(step),
    .m_data(y_data), .m_user({y_tag, y_bad, y_completed, y_discontinue}), .m_first(unused_first), .m_last(y_last),
    .m_valid(y_valid), .m_ready(y_ready));

  always_ff @(posedge clk) begin
    if (step && s_valid && d0_first) begin
      s_to_held     <= d0_to;
      begun[d0_tag] <= !d0_completed;
    end
    if (own_sent)
      begun[own_tag] <= 1'b0; // an earlier read may have ended in the middle of its completions
    if (rst)
      begun <= 64'd0;
  end

  // --- completion status ---
  logic         o_ready, held;  // held: inside a packet, where no failed read may be inserted
  logic [63:0]  failed;
  logic [63:0]  open;          // sent, and not ended
  wire          y_failed = failed[y_tag] || y_bad;
  wire          y_wrong  = y_failed || (y_last && y_discontinue);
  wire          y_ends   = y_last && y_completed;
  wire          y_final  = y_ends && !more[y_tag];
  wire          y_show   = open[y_tag] && (y_final || !y_failed);
  (* ram_style = "distributed" *) logic [5:0] owners [0:63]; // card tag by bus tag
  // Evaluated one clock later, when the owner is in the table.
  logic         fail_seen, fail_sure_q;
  logic [5:0]   fail_tag_q;
  wire          use_fail = fail_seen && !y_valid && !held;
  wire          tell_fail = use_fail && (fail_sure_q || open[fail_tag_q]);
  wire [5:0]    owner = owners[use_fail ? fail_tag_q : y_tag];
  wire          y_take   = y_valid && y_ready;
  assign y_ready    = o_ready;
  assign fail_ready = use_fail && o_ready;

  always_ff @(posedge clk) begin
    part_done <= y_take && y_ends;
    fail_seen  <= fail_valid && !fail_ready;
    fail_tag_q  <= fail_tag;
    fail_sure_q <= fail_sure;
    part_tag  <= y_tag;
    if (own)
      owners[own_tag] <= own_card;
    if (own_sent)
      open[own_tag] <= 1'b1;
    if (y_take) begin
      held          <= !y_last;
      failed[y_tag] <= open[y_tag] && y_wrong && !y_final;
      if (y_final)
        open[y_tag] <= 1'b0;
    end
    if (fail_ready) begin
      failed[fail_tag_q] <= 1'b0;
      open[fail_tag_q]   <= 1'b0;
    end
    if (rst) begin
      part_done <= 1'b0;
      fail_seen <= 1'b0;
      held      <= 1'b0;
      failed    <= 64'd0;
      open      <= 64'd0;
    end
  end

  glk_skid #(.W(6 + 1 + DATA_W + 1)) skid_out (
    .clk, .rst, .s_data({owner, use_fail || (y_final && y_wrong), y_data, use_fail || y_final}),
    .s_valid(tell_fail || (y_valid && y_show)), .s_ready(o_ready),
    .m_data({rd_tag, rd_error, rd_data, rd_last}), .m_valid(rd_valid), .m_ready(rd_ready));
endmodule
`default_nettype wire
