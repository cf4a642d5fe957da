// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Splits stores into pieces (docs/wire-format.md, "Write queue and flush rules"): at lines, address windows, and the
// capacity of a packet; and pieces into beats. Throughput one input beat per clock.
//
// Input: beats in address lanes: byte lane i carries a byte whose address is i modulo LANES. Sideband fields are constant
// over a store. Flush, probe and config items are one beat without data; a probe has a length.
//
// Output: items, one beat each. m_first marks the first beat of a piece, which carries its mask within the line.
module glk_store_cutter #(
  parameter int DATA_W     = 512,
  parameter int PARTITIONS = 4,
  parameter int ENTRIES    = 64,
  parameter int CONTEXTS   = 32,
  parameter int PW         = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1,
  parameter int CW         = (CONTEXTS > 1) ? $clog2(CONTEXTS) : 1,
  parameter int LANES      = DATA_W / 8
) (
  input  logic              clk,
  input  logic              rst,

  // Settings per partition, constant while a store is cut
  input  logic [PARTITIONS*3-1:0]  cfg_subheader_bytes,
  input  logic [PARTITIONS*13-1:0] cfg_max_payload_bytes,
  input  logic [PARTITIONS-1:0]    cfg_packing,
  input  logic [PARTITIONS-1:0]    cfg_coalesce, // 0: every piece is followed by a flush

  input  logic [1:0]        s_kind,
  input  logic [PW-1:0]     s_partition,
  input  logic [47:0]       s_address,
  input  logic [12:0]       s_length, // 1..4096; for a probe also 0
  input  logic [3:0]        s_reason,
  input  logic [CW-1:0]     s_context,
  input  logic              s_owned,
  input  logic [1:0]        s_token,  // travels with the item's last beat
  input  logic [DATA_W-1:0] s_data,
  input  logic              s_valid,
  output logic              s_ready,

  output logic [1:0]        m_kind,
  output logic [PW-1:0]     m_partition,
  output logic [47:0]       m_address, // of the item's first byte
  output logic [7:0]        m_length,  // of the piece, valid with its first beat
  output logic [127:0]      m_mask,    // of the piece within its line, valid with its first beat
  output logic [5:0]        m_wanted,  // entries that must be free if the line is not queued, valid with its first beat
  output logic [LANES-1:0]  m_enables, // of this beat
  output logic [3:0]        m_reason,
  output logic [CW-1:0]     m_context,
  output logic              m_owned,
  output logic [1:0]        m_token,
  output logic              m_final,   // the piece ends its store; valid with its first beat
  output logic              m_first,
  output logic [DATA_W-1:0] m_data,
  output logic              m_valid,
  input  logic              m_ready,
  output logic              idle       // pipeline empty
);
  localparam int LB   = $clog2(LANES);
  localparam int IN_W = 2 + PW + 48 + 13 + 4 + CW + 1 + 2 + DATA_W;
  localparam logic [1:0] STORE = 2'd0;
  localparam logic [1:0] FLUSH = 2'd1;
  localparam logic [1:0] PROBE = 2'd2;

  initial if (LANES < 16 || LANES > 64) $fatal;

  // --- input: settings are looked up one clock ahead ---
  logic [IN_W-1:0]   in_data;
  logic              in_valid, in_ready;
  logic [1:0]        in_kind;
  logic [PW-1:0]     in_partition;
  logic [47:0]       in_address;
  logic [12:0]       in_length;
  logic [3:0]        in_reason;
  logic [CW-1:0]     in_context;
  logic              in_owned;
  logic [1:0]        in_token;
  logic [DATA_W-1:0] in_beat;

  glk_skid #(.W(IN_W)) skid (
    .clk, .rst,
    .s_data({s_kind, s_partition, s_address, s_length, s_reason, s_context, s_owned, s_token, s_data}), .s_valid, .s_ready,
    .m_data(in_data), .m_valid(in_valid), .m_ready(in_ready));
  assign {in_kind, in_partition, in_address, in_length, in_reason, in_context, in_owned, in_token, in_beat} = in_data;

  // Maximum piece length per partition; registered for timing, settings change rarely.
  logic [PARTITIONS*13-1:0] most_all;
  logic [PARTITIONS-1:0]    unit64_all; // 64-byte address windows
  logic [PARTITIONS*5-1:0]  block_all;
  always_ff @(posedge clk)
    for (int p = 0; p < PARTITIONS; p = p + 1) begin
      most_all[p*13 +: 13] <= cfg_max_payload_bytes[p*13 +: 13] - 13'(cfg_subheader_bytes[p*3 +: 3]);
      block_all[p*5 +: 5]  <= 5'((cfg_max_payload_bytes[p*13 +: 13] - 13'd1) >> 7) & 5'(ENTRIES - 1);
      unit64_all[p]        <= cfg_subheader_bytes[p*3 +: 3] == 3'd2;
    end

  logic              i_valid;
  logic [1:0]        i_kind;
  logic [PW-1:0]     i_partition;
  logic [47:0]       i_address;
  logic [12:0]       i_length;
  logic [3:0]        i_reason;
  logic [CW-1:0]     i_context;
  logic              i_owned;
  logic [1:0]        i_token;
  logic [DATA_W-1:0] i_beat;
  logic [7:0]        i_unit;      // length of a piece that starts at a line or window
  logic [7:0]        i_room;      // maximum length of a piece at i_address
  logic              i_room_unit; // which is limited by a line or window
  logic              i_unit64;    // 64-byte address windows
  logic [7:0]        i_beat_room; // lanes from i_address on
  logic [7:0]        i_most;      // maximum length of a piece at any address
  logic              consume;

  assign in_ready = !i_valid || consume;
  wire [12:0] in_most   = most_all[in_partition*13 +: 13];
  wire        in_unit64 = unit64_all[in_partition];
  wire [7:0]  in_room   = in_unit64 ? 8'd64 - 8'(in_address[5:0]) : 8'd128 - 8'(in_address[6:0]);
  wire [7:0]  in_unit   = in_unit64 ? 8'd64 : 8'd128;

  always_ff @(posedge clk) begin
    if (in_ready) begin
      i_valid     <= in_valid;
      i_kind      <= in_kind;
      i_partition <= in_partition;
      i_address   <= in_address;
      i_length    <= in_length;
      i_reason    <= in_reason;
      i_context   <= in_context;
      i_owned     <= in_owned;
      i_token     <= in_token;
      i_beat      <= in_beat;
      i_unit      <= (in_most < 13'(in_unit)) ? in_most[7:0] : in_unit;
      i_room      <= (in_most < 13'(in_room)) ? in_most[7:0] : in_room;
      i_room_unit <= in_most >= 13'(in_room);
      i_unit64    <= in_unit64;
      i_beat_room <= 8'(LANES) - 8'(in_address[LB-1:0]);
      i_most      <= (in_most > 13'd128) ? 8'd128 : in_most[7:0];
    end
    if (rst)
      i_valid <= 1'b0;
  end

  // --- cut ---
  logic        busy, in_piece;     // inside a store, inside a piece
  logic        aside;              // the next piece starts inside a line: one extra clock to compute its maximum length
  logic [47:0] next_address;
  logic [12:0] next_left;
  logic [7:0]  piece_left, next_room, next_beat_room;
  logic        next_room_unit;
  logic        piece_unit; // the current piece ends at a line or window
  logic        o_valid, advance;
  logic        drain; // the next output item is the flush after a piece
  logic [PW-1:0] drain_partition;

  wire [47:0] address   = busy ? next_address : i_address;
  wire [12:0] left      = busy ? next_left : i_length;
  wire [7:0]  room      = busy ? next_room : i_room;
  wire        room_unit = busy ? next_room_unit : i_room_unit;
  wire        last_new  = left <= 13'(room); // the piece is the whole remainder
  wire [7:0]  piece     = in_piece ? piece_left : last_new ? left[7:0] : room;
  wire        last      = in_piece ? left == 13'(piece_left) : last_new;
  wire [7:0]  part      = in_piece ? piece_left : room; // length of the piece, if something follows it
  wire [7:0]  beat_room = busy ? next_beat_room : i_beat_room; // lanes left in the beat
  wire        is_store  = i_kind == STORE;
  // Computed without the piece length, which is the minimum of the two.
  wire        over_beat = in_piece ? piece_left > beat_room : left > 13'(beat_room) && room > beat_room;
  wire        ends_beat = in_piece ? piece_left >= beat_room : left >= 13'(beat_room) && room >= beat_room;
  wire        beat_only = is_store && over_beat; // the piece extends beyond the beat
  wire [7:0]  bytes     = beat_only ? beat_room : piece;
  wire        ends      = i_kind[0] || (last && !beat_only); // flush and config have no range
  wire        cut       = advance && i_valid && !drain && !aside;
  // Maximum length of a piece that starts inside a line, one clock after its address is known.
  wire [7:0]  inner_room  = (i_unit64 ? 8'd64 - 8'(next_address[5:0]) : 8'd128 - 8'(next_address[6:0]));

  assign consume = cut && (ends || (is_store && ends_beat));

  always_ff @(posedge clk) begin
    if (advance) begin
      drain           <= cut && is_store && !over_beat && !cfg_coalesce[i_partition];
      drain_partition <= i_partition;
    end
    if (cut) begin
      busy           <= !ends;
      in_piece       <= !ends && beat_only;
      aside          <= !ends && !beat_only && !in_piece && !room_unit;
      next_address   <= beat_only ? {address[47:LB] + (48-LB)'(1), {LB{1'b0}}} : address + 48'(part);
      next_left      <= beat_only ? left - 13'(beat_room) : left - 13'(part);
      next_beat_room <= ends_beat ? 8'(LANES) : beat_room - part;
      piece_left     <= piece - beat_room; // used only if the piece extends beyond the beat
      next_room      <= i_unit;
      next_room_unit <= i_unit == (i_unit64 ? 8'd64 : 8'd128);
      if (in_piece && !ends && !over_beat)
        aside <= !piece_unit;
      if (!in_piece)
        piece_unit <= room_unit;
    end else if (aside) begin
      aside          <= 1'b0;
      next_room      <= (i_most < inner_room) ? i_most : inner_room;
      next_room_unit <= i_most >= inner_room;
    end
    if (rst) begin
      busy     <= 1'b0;
      in_piece <= 1'b0;
      aside    <= 1'b0;
      drain    <= 1'b0;
    end
  end
  // --- output: masks ---
  logic [1:0]        o_kind;
  logic [PW-1:0]     o_partition;
  logic [47:0]       o_address;
  logic [7:0]        o_piece, o_bytes;
  logic [12:0]       o_left;
  logic [4:0]        o_block; // lines at whose multiples plain writes end, less one
  logic              o_packs;
  logic [3:0]        o_reason;
  logic [CW-1:0]     o_context;
  logic              o_owned, o_final;
  logic [1:0]        o_token;
  logic              o_first;
  logic [DATA_W-1:0] o_data;

  assign advance = !o_valid || !m_valid || m_ready;
  wire   move    = !m_valid || m_ready;
  assign idle    = !(in_valid || i_valid || drain || o_valid || m_valid);
  // With packing all lines that the store has up to where a plain write would end, so that no flush comes between them.
  wire [13:0] o_end   = 14'(o_address[6:0]) + 14'(o_left) + 14'd127;
  wire [5:0] o_inside = {1'b0, o_block & ~o_address[11:7]} + 6'd1;
  wire [5:0] o_lines  = (6'(o_end[13:7]) < o_inside) ? 6'(o_end[13:7]) : o_inside;
  wire [8:0] line_end = 9'(o_address[6:0]) + 9'(o_piece);
  wire [LB+1:0] beat_end = (LB+2)'(o_address[LB-1:0]) + (LB+2)'(o_bytes);

  always_ff @(posedge clk) begin
    if (advance) begin
      o_valid     <= cut || drain;
      o_kind      <= drain ? FLUSH : i_kind;
      o_partition <= drain ? drain_partition : i_partition;
      o_address   <= address;
      o_piece     <= piece;
      o_left      <= left;
      o_block     <= block_all[i_partition*5 +: 5];
      o_packs     <= cfg_packing[i_partition];
      o_bytes     <= bytes;
      o_reason    <= drain ? 4'(glk_regs::FLUSH_DRAIN) : i_reason;
      o_context   <= i_context;
      o_owned     <= !drain && i_owned;
      o_token     <= (drain || !ends) ? 2'd0 : i_token;
      o_final     <= last;
      o_first     <= !in_piece;
      o_data      <= i_beat;
    end
    if (move) begin
      m_valid     <= o_valid;
      m_kind      <= o_kind;
      m_partition <= o_partition;
      m_address   <= o_address;
      m_length    <= o_piece;
      m_wanted    <= o_packs ? o_lines : 6'd1;
      m_reason    <= o_reason;
      m_context   <= o_context;
      m_owned     <= o_owned;
      m_token     <= o_token;
      m_final     <= o_final;
      m_first     <= o_first;
      m_data      <= o_data;
      for (int b = 0; b < 128; b = b + 1)
        m_mask[b] <= (o_kind == STORE || o_kind == PROBE) && b >= 32'(o_address[6:0]) && b < 32'(line_end);
      for (int b = 0; b < LANES; b = b + 1)
        m_enables[b] <= o_kind == STORE && b >= 32'(o_address[LB-1:0]) && b < 32'(beat_end);
    end
    if (rst) begin
      o_valid <= 1'b0;
      m_valid <= 1'b0;
    end
  end
endmodule
`default_nettype wire
