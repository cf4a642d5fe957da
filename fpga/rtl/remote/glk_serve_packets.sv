// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// FinePack packets of the other card, from pieces to beats, store and forward: pieces of a packet may interleave with those
// of write requests, so a receiver waiting for the rest of a packet could block a write, and that write the pieces. The
// buffer exceeds the longest packet. Packets to partitions not open to the link are dropped.
module glk_serve_packets #(
  parameter int DATA_W = 512,
  parameter int LANES  = DATA_W / 8,
  parameter int KW     = $clog2(LANES + 1)
) (
  input  logic              clk,
  input  logic              rst,
  input  logic              session,
  input  logic [15:0]       open, // by partition

  input  logic [127:0]      s_data,
  input  logic [4:0]        s_bytes,
  input  logic              s_first,
  input  logic              s_last,
  input  logic              s_valid,
  output logic              s_ready,

  output logic [DATA_W-1:0] m_data,
  output logic [KW-1:0]     m_bytes,
  output logic              m_last,
  output logic              m_valid,
  input  logic              m_ready,

  // A packet was dropped
  output logic [3:0]        denied_partition,
  output logic              denied_valid,
  input  logic              denied_ready,
  output logic              e_malformed, // invalid partition number
  output logic              idle
);
  localparam int PIECES = DATA_W / 128; // of a beat
  localparam int SW     = (PIECES > 1) ? $clog2(PIECES) : 1;
  localparam int ROOM   = 8192 / LANES;
  localparam int RW     = $clog2(ROOM);

  // --- end of session: flush, except a packet that is partly sent ---
  logic mid, forgetting, clear;
  wire  m_taken  = m_valid && m_ready;
  wire  mid_next = m_taken ? !m_last : mid;
  assign clear = rst || (forgetting && !mid);

  always_ff @(posedge clk) begin
    mid        <= mid_next && !rst;
    forgetting <= !session || rst || (forgetting && mid);
  end

  // --- pieces to beats; drop packets without access right ---
  logic [DATA_W-1:0] beat;
  logic [KW-1:0]     beat_bytes;
  logic              beat_last, beat_valid, drops, drops_malformed, room;
  logic [3:0]        drops_partition;
  logic [SW-1:0]     slot;
  wire  [7:0]        names     = s_data[79:72];
  wire               malformed = s_first ? |names[7:4] : drops_malformed;
  wire               drop      = s_first ? |names[7:4] || !open[names[3:0]] : drops;
  wire               taken     = s_valid && s_ready;
  wire               full      = s_last || 32'(slot) == PIECES - 1;

  assign s_ready = room && !denied_valid && !forgetting;

  always_ff @(posedge clk) begin
    if (taken) begin
      drops           <= drop;
      drops_malformed <= malformed;
      if (s_first)
        drops_partition <= names[3:0];
    end
    beat_valid <= taken && !drop && full;
    e_malformed <= taken && malformed && s_last;
    if (taken && !drop) begin
      for (int k = 0; k < PIECES; k = k + 1)
        if (32'(slot) == k)
          beat[128*k +: 128] <= s_data;
      beat_bytes <= KW'({slot, 4'b0}) + KW'(s_bytes);
      beat_last  <= s_last;
      slot       <= full ? '0 : slot + SW'(1);
    end
    if (denied_ready)
      denied_valid <= 1'b0;
    if (taken && drop && !malformed && s_last) begin
      denied_valid     <= 1'b1;
      denied_partition <= s_first ? names[3:0] : drops_partition;
    end
    if (rst || forgetting) begin
      slot         <= '0;
      beat_valid   <= 1'b0;
      denied_valid <= 1'b0;
      e_malformed  <= 1'b0;
    end
  end

  // --- packet buffer ---
  logic        buffer_valid, overrun;
  logic [RW:0] used, whole; // beats; complete packets
  glk_piece_buffer #(.W(DATA_W + KW + 1), .ROOM(ROOM)) buffer (
    .clk, .rst(clear), .s_data({beat, beat_bytes, beat_last}), .s_valid(beat_valid), .overrun,
    .m_data({m_data, m_bytes, m_last}), .m_valid(buffer_valid), .m_ready(m_taken));
  assign m_valid = buffer_valid && (mid || (whole != '0 && !forgetting));

  always_ff @(posedge clk) begin
    used  <= used + (RW+1)'(beat_valid) - (RW+1)'(m_taken);
    whole <= whole + (RW+1)'(beat_valid && beat_last) - (RW+1)'(m_taken && m_last);
    room  <= 32'(used) < ROOM - 4; // margin: one beat being counted, one being assembled
    idle  <= whole == '0 && !mid && !beat_valid;
    if (clear) begin
      used  <= '0;
      whole <= '0;
      room  <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk)
    if (checks)
      begin : no_overrun assert (!overrun); end
`endif
  wire unused = &{1'b0, overrun};
endmodule
`default_nettype wire
