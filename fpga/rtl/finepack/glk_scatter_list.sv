// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// List memory of glk_scatter, for four packets: filled while a packet is validated, read at one item per clock after it is
// accepted. Items are prefetched into a FIFO, so block RAM outputs feed only registers and its address depends only on
// registers.
module glk_scatter_list #(
  parameter int W     = 8, // width of an item
  parameter int TAG_W = 1  // width of the tag shared by the items of a packet
) (
  input  logic             clk,
  input  logic             rst,

  input  logic [W-1:0]     s_data,
  input  logic             s_valid,
  // End of packet, including this clock's item, if any. Buffers are used in turn. An accepted packet has at least one item
  input  logic             packet_accept,
  input  logic             packet_refuse,
  input  logic [1:0]       packet_buffer,
  input  logic [TAG_W-1:0] packet_tag,

  output logic [W-1:0]     m_data,
  output logic [TAG_W-1:0] m_tag,
  output logic             m_last,  // of its packet
  output logic             m_valid,
  input  logic             m_ready
);
  localparam int DEPTH = 8; // prefetch depth, at least the round trip from read to the returned entry
  localparam int DB    = $clog2(DEPTH) + 1;

  (* ram_style = "block" *) logic [W-1:0] items [0:16383]; // {buffer, number}. A packet of 4096 bytes has up to 3640 runs

  // --- write ---
  logic [1:0]  filling;
  logic [11:0] put;
  wire  [11:0] last_put = s_valid ? put : put - 12'd1;

  always_ff @(posedge clk) begin
    if (s_valid) begin
      items[{filling, put}] <= s_data;
      put <= put + 12'd1;
    end
    if (packet_accept || packet_refuse) begin
      put     <= 12'd0;
      filling <= packet_buffer + 2'd1;
    end
    if (rst) begin
      put     <= 12'd0;
      filling <= '0;
    end
  end

  // --- accepted packets, at most one per buffer ---
  logic             q_valid, waiting_ready;
  logic [1:0]       q_buffer;
  logic [TAG_W-1:0] q_tag;
  logic [11:0]      q_last; // number of the last item
  logic             fetch, fetch_last;
  glk_fifo #(.W(TAG_W + 2 + 12), .DEPTH(4), .BYPASS(1)) waiting (
    .clk, .rst, .s_data({packet_tag, packet_buffer, last_put}), .s_valid(packet_accept), .s_ready(waiting_ready),
    .m_data({q_tag, q_buffer, q_last}), .m_valid(q_valid), .m_ready(fetch && fetch_last));

  // --- prefetch while FIFO entries are free ---
  logic [11:0]      at;
  logic [DB-1:0]    places;
  logic             place, given, ahead_ready;
  wire  [DB-1:0]    places_next = places - DB'(fetch) + DB'(given);
  logic             x_valid, x_last;
  logic [TAG_W-1:0] x_tag;
  logic [W-1:0]     x_item;
  assign fetch      = q_valid && place;
  assign fetch_last = at == q_last;

  always_ff @(posedge clk) begin
    x_item  <= items[{q_buffer, at}];
    x_valid <= fetch;
    x_last  <= fetch_last;
    x_tag   <= q_tag;
    if (fetch)
      at <= fetch_last ? 12'd0 : at + 12'd1;
    given  <= m_valid && m_ready;
    places <= places_next;
    place  <= places_next != '0;
    if (rst) begin
      x_valid <= 1'b0;
      at      <= 12'd0;
      given   <= 1'b0;
      places  <= DB'(DEPTH);
      place   <= 1'b0;
    end
  end

  glk_fifo #(.W(W + TAG_W + 1), .DEPTH(DEPTH), .BYPASS(1)) ahead (
    .clk, .rst, .s_data({x_item, x_tag, x_last}), .s_valid(x_valid), .s_ready(ahead_ready),
    .m_data({m_data, m_tag, m_last}), .m_valid, .m_ready);

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk)
    if (checks) begin
      begin : packet_has_room assert(!packet_accept || (waiting_ready && (s_valid || put != 12'd0))); end
      begin : ahead_has_room assert(!x_valid || ahead_ready); end
    end
`endif
endmodule
`default_nettype wire
