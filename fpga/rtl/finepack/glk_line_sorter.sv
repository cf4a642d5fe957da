// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Sorts the entries of a flush by address, for packing; entries with equal tags, and those of flushes without packing, keep
// their order. One entry in and one out per clock: each of ENTRIES places holds an entry, smallest first, and compares its tag
// with that of the next one in, so that all behind it make room at once. While the entries of a flush leave, those of the next
// one enter behind them.
module glk_line_sorter #(
  parameter int ENTRIES = 64,
  parameter int EW      = $clog2(ENTRIES)
) (
  input  logic          clk,
  input  logic          rst,

  input  logic          s_sorts, // constant over a flush; without it an entry may leave before all have entered
  input  logic [30:0]   s_tag,
  input  logic [EW-1:0] s_entry,
  input  logic [1:0]    s_sel,   // of the flush
  input  logic          s_last,
  input  logic          s_valid,
  output logic          s_ready,

  output logic [30:0]   m_tag,
  output logic [EW-1:0] m_entry,
  output logic [1:0]    m_sel,
  output logic          m_last,
  output logic          m_valid,
  input  logic          m_ready
);
  // --- places, the smallest first; a flush is marked by a bit that alternates ---
  logic [ENTRIES-1:0] valid, turn, ahead; // ahead: the next one in goes behind it
  logic [30:0]        tag   [0:ENTRIES-1];
  logic [EW-1:0]      entry [0:ENTRIES-1];
  logic               now;                // the mark of the flush that enters
  logic [1:0]         sel   [0:1];
  logic [1:0]         sorts;
  logic [1:0]         whole;              // all of the flush have entered
  logic [EW:0]        left  [0:1];        // entries of the flush in the places
  logic               out_ready;

  wire first   = turn[0];
  wire pop     = valid[0] && out_ready && (whole[first] || !sorts[first]);
  wire last    = whole[first] && left[first] == (EW+1)'(1);
  // A third flush waits until the first has left.
  assign s_ready = !valid[ENTRIES-1] && !whole[now];
  wire push    = s_valid && s_ready;

  always_comb
    for (int i = 0; i < ENTRIES; i = i + 1)
      ahead[i] = valid[i] && (turn[i] != now || !s_sorts || tag[i] <= s_tag);

  always_ff @(posedge clk) begin
    for (int i = 0; i < ENTRIES; i = i + 1) begin
      // With `pop` a place takes over from the next one, if that stays ahead of what enters.
      if (pop) begin
        if (push && ahead[i] && (i == ENTRIES - 1 || !ahead[(i + 1) % ENTRIES])) begin
          valid[i] <= 1'b1;
          turn[i]  <= now;
          tag[i]   <= s_tag;
          entry[i] <= s_entry;
        end else if (!push || ahead[i]) begin
          valid[i] <= (i != ENTRIES - 1) && valid[(i + 1) % ENTRIES];
          turn[i]  <= turn[(i + 1) % ENTRIES];
          tag[i]   <= tag[(i + 1) % ENTRIES];
          entry[i] <= entry[(i + 1) % ENTRIES];
        end
      end else if (push && !ahead[i]) begin
        if (i == 0 || ahead[(i + ENTRIES - 1) % ENTRIES]) begin
          valid[i] <= 1'b1;
          turn[i]  <= now;
          tag[i]   <= s_tag;
          entry[i] <= s_entry;
        end else begin
          valid[i] <= valid[(i + ENTRIES - 1) % ENTRIES];
          turn[i]  <= turn[(i + ENTRIES - 1) % ENTRIES];
          tag[i]   <= tag[(i + ENTRIES - 1) % ENTRIES];
          entry[i] <= entry[(i + ENTRIES - 1) % ENTRIES];
        end
      end
    end
    for (int k = 0; k < 2; k = k + 1)
      left[k] <= left[k] + (EW+1)'(push && now == 1'(k)) - (EW+1)'(pop && first == 1'(k));
    if (pop && last)
      whole[first] <= 1'b0;
    if (push) begin
      sel[now]   <= s_sel;
      sorts[now] <= s_sorts;
      if (s_last) begin
        whole[now] <= 1'b1;
        now        <= !now;
      end
    end
    if (rst) begin
      valid <= '0;
      whole <= '0;
      now   <= 1'b0;
      for (int k = 0; k < 2; k = k + 1)
        left[k] <= '0;
    end
  end

  glk_fifo #(.W(31 + EW + 3), .DEPTH(4), .BYPASS(1)) out (
    .clk, .rst, .s_data({tag[0], entry[0], sel[first], last}), .s_valid(pop), .s_ready(out_ready),
    .m_data({m_tag, m_entry, m_sel, m_last}), .m_valid, .m_ready);

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk)
    if (checks) begin
      // Places are filled from the first; those of a flush are in order.
      for (int i = 0; i < ENTRIES - 1; i = i + 1)
        begin : no_gaps assert(valid[i] || !valid[i + 1]); end
      for (int i = 0; i < ENTRIES - 1; i = i + 1)
        begin : in_order assert(!valid[i + 1] || turn[i] != turn[i + 1] || !sorts[turn[i]] || tag[i] <= tag[i + 1]); end
    end
`endif
endmodule
`default_nettype wire
