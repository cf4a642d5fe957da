// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// De-packetizer: validates a whole packet before any of it takes effect (docs/wire-format.md, "Packet validation").
// The payload is written to one of four buffers while the sub-headers are parsed, one per clock; lists of sub-packets and
// of the plain writes they form are built. At the end of the packet the lists are committed to glk_scatter, or discarded.
// Packets are parsed back to back.
module glk_depacketizer #(
  parameter int DATA_W     = 512,
  parameter int PARTITIONS = 4,
  parameter int PW         = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1,
  parameter int LANES      = DATA_W / 8,
  parameter int KW         = $clog2(LANES + 1),
  parameter int BUFFER_W   = $clog2(4096 / LANES) // a buffer in beats
) (
  input  logic              clk,
  input  logic              rst,

  input  logic [PARTITIONS*3-1:0]  cfg_subheader_bytes, // for packets that do not carry it
  input  logic [PARTITIONS*49-1:0] cfg_endpoint_bytes,  // 0: no endpoint

  // Packets, header first
  input  logic [DATA_W-1:0] s_data,
  input  logic [KW-1:0]     s_bytes,
  input  logic              s_last,
  input  logic              s_valid,
  output logic              s_ready,

  // Payload write port: buffer, beat
  output logic              write_enable,
  output logic [BUFFER_W+1:0] write_at,
  output logic [DATA_W-1:0] write_data,

  // A sub-packet: position of its data in the buffer, from packet_data_at on, and length
  output logic              subpacket_valid,
  output logic [11:0]       subpacket_position,
  output logic [12:0]       subpacket_length,
  // A plain write, of one or more sub-packets
  output logic              plain_valid,
  output logic [47:0]       plain_offset,
  output logic [12:0]       plain_length,
  // End of packet: commits or discards its sub-packets and writes. Packets use the buffers in turn
  output logic              packet_accept,
  output logic              packet_refuse,
  output logic [PW-1:0]     packet_partition,
  output logic [1:0]        packet_buffer,
  output logic [11:0]       packet_data_at,
  // A buffer has been emptied. All are empty at reset
  input  logic              free_valid,
  input  logic [1:0]        free_buffer
);
  localparam int LB = $clog2(LANES);

  logic [127:0]      head;
  logic              head_valid, head_take;
  logic [DATA_W-1:0] in_data;
  logic              in_last, in_valid, in_take;
  logic [12:0]       in_total;
  glk_packet_aligner #(.DATA_W(DATA_W)) aligner (
    .clk, .rst, .s_data, .s_bytes, .s_last, .s_valid, .s_ready,
    .header(head), .header_valid(head_valid), .header_ready(head_take),
    .m_data(in_data), .m_last(in_last), .m_total(in_total), .m_valid(in_valid), .m_ready(in_take));

  // --- header of the next packet, prefetched ---
  wire [47:0] head_base   = {head[87:80], head[95:88], head[103:96], head[111:104], head[119:112], head[127:120]};
  wire [7:0]  head_dest   = head[79:72];
  wire [3:0]  first_be    = head[59:56];
  wire [3:0]  last_be     = head[63:60];
  wire [9:0]  dwords      = {head[17:16], head[31:24]};
  wire [12:0] padded      = (dwords == 10'd0) ? 13'd4096 : {1'b0, dwords, 2'b0};
  wire [1:0]  short_by    = (last_be == 4'hf) ? 2'd0 : (last_be == 4'h7) ? 2'd1 : (last_be == 4'h3) ? 2'd2 : 2'd3;
  // Without sub-headers: the base is the address of the first run, whose low bits are in Tag. A single run has no description.
  wire        no_subs     = first_be[3];
  wire        single      = head[51:48] == 4'd15;
  // Values have 4 bytes at least, so the array form's payload fills its last DW. More records than 1023 fit in no packet.
  wire        array       = first_be == 4'd7;
  wire [15:0] records     = {head[39:32], head[47:40]};
  wire        array_wrong = last_be != 4'hf || records[9:0] == 10'd0 || records[15:10] != 6'd0 || head[49:48] == 2'd3 ||
                            head[51:50] == 2'd3 || head[55:53] != 3'd0 || head[123:120] != 4'd0;
  wire        be_wrong    = !(last_be == 4'hf || last_be == 4'h7 || last_be == 4'h3 || last_be == 4'h1) || first_be == 4'd1;
  wire        field_wrong = head[7:0] != 8'h7c || head[15:8] != 8'h0 || head[23:18] != 6'h0 || head[71:64] != 8'h0 ||
                            (array   ? array_wrong :
                             no_subs ? records != 16'h0 || head[121:120] != 2'd0 ||
                                       (single && (first_be[2:0] != 3'd0 || head[53:52] != 2'd0)) :
                                       records != 16'h0 || head[55:48] != 8'h0);
  wire        dest_wrong  = head_dest >= 8'(PARTITIONS);
  wire [2:0]  own_h       = cfg_subheader_bytes[head_dest[PW-1:0]*3 +: 3];
  wire [2:0]  head_h      = no_subs || array ? 3'd0 : (first_be == 4'd0) ? own_h : first_be[2:0];

  logic          n_valid, load;
  logic          n_bad, n_compact, n_array, n_repeats;
  logic [9:0]    n_records;
  logic [1:0]    n_unit, n_length_order, n_array_unit, n_array_width;
  logic [3:0]    n_gap_order;
  logic [PW-1:0] n_partition;
  logic [2:0]    n_h;
  logic [47:0]   n_base;
  logic [48:0]   n_endpoint_bytes;
  logic [12:0]   n_payload, n_size;
  logic signed [13:0] n_spare;
  assign head_take = !n_valid || load;

  always_ff @(posedge clk) begin
    if (head_take) begin
      n_valid          <= head_valid;
      n_bad            <= be_wrong || field_wrong || dest_wrong;
      n_partition      <= head_dest[PW-1:0];
      n_h              <= head_h;
      n_compact        <= no_subs && !single;
      n_array          <= array;
      n_records        <= records[9:0];
      n_repeats        <= first_be[2];
      n_unit           <= first_be[1:0];
      n_array_unit     <= head[49:48];
      n_array_width    <= head[51:50];
      n_length_order   <= head[53:52];
      n_gap_order      <= head[51:48];
      n_base           <= head_base | (no_subs ? 48'(head[55:54]) : 48'd0);
      n_endpoint_bytes <= cfg_endpoint_bytes[head_dest[PW-1:0]*49 +: 49];
      n_payload        <= padded - 13'(short_by);
      n_size           <= padded + 13'd16;
      n_spare          <= $signed({1'b0, padded}) - $signed({12'b0, short_by}) - $signed({11'b0, head_h});
    end
    if (rst)
      n_valid <= 1'b0;
  end

  // --- parse window: two beats of payload; `now` belongs to the current packet ---
  logic [DATA_W-1:0] now, ahead;
  logic              now_valid, now_last, ahead_valid, ahead_last;
  logic [12:0]       now_total, ahead_total;

  // --- current packet ---
  logic          active, dead;   // dead: the rest is not parsed for sub-headers
  logic          described;      // the compact or the array form: runs come from a reader, and always dead
  logic          may_pass;       // described: see below
  logic [PW-1:0] partition;
  logic [2:0]    h;
  logic [7:0]    h_room;         // data bytes of a beat beside a sub-header
  logic [47:0]   base;
  logic [48:0]   endpoint_bytes;
  logic [12:0]   payload, size;
  logic [12:0]   jump;           // from the start of the window to the next sub-header
  logic [12:0]   left, position; // payload remaining from there on, and before it
  logic signed [13:0] spare;     // left - h
  logic          fresh;          // no sub-packet parsed yet
  logic [1:0]    buffer;         // being written
  logic [3:0]    buffer_busy;
  logic [BUFFER_W-1:0] beat;     // of the payload, in `now`
  // Offset bits of a sub-header: 8 * H - 10. Of a run: all.
  wire [47:0]    low_bits = (h == 3'd2) ? 48'h3f : (h == 3'd3) ? 48'h3fff : (h == 3'd4) ? 48'h3fffff :
                            (h == 3'd5) ? 48'h3fffffff : (h == 3'd6) ? 48'h3fffffffff : 48'hffffffffffff;
  wire           whole_run = h == 3'd0;

  wire [2*DATA_W-1:0] window = {ahead, now};
  wire [47:0] word48   = 48'(window >> {jump[LB-1:0], 3'b0});
  wire [47:0] h_mask   = (h == 3'd2) ? 48'hffff : (h == 3'd3) ? 48'hffffff : (h == 3'd4) ? 48'hffffffff :
                         (h == 3'd5) ? 48'hffffffffff : 48'hffffffffffff;
  wire [47:0] word     = word48 & h_mask;
  wire [12:0] length   = whole_run ? left : (word[9:0] == 10'd0) ? 13'd1024 : {3'b0, word[9:0]};
  wire [12:0] step     = 13'(h) + length;
  wire        near     = ~|jump[12:LB];
  wire        whole    = ahead_valid || now_last || 8'(jump[LB-1:0]) <= h_room;
  wire        walk     = active && !dead && now_valid && near && whole && left != 13'd0;
  // Sub-header and data must end within the payload.
  wire        cut_off  = !whole_run && ((word[9:0] == 10'd0) ? spare < 14'sd1024 : $signed({4'b0, word[9:0]}) > spare);
  wire        last_sub = whole_run || $signed({1'b0, length}) == spare;
  wire [12:0] reach    = jump + step;
  // Whether `reach` is beyond the first beat, without an adder: the data exceeds its space in the beat.
  wire signed [8:0] gap = 9'(h_room) - 9'(jump[LB-1:0]);
  wire        beyond   = gap[8] || whole_run || word[9:0] == 10'd0 || |word[9:7] || {1'b0, word[6:0]} >= gap[7:0];
  wire        can_pass = active && now_valid && (ahead_valid || now_last) && may_pass;
  wire        through  = walk ? (last_sub || beyond) : (dead || left == 13'd0 || !near); // for a cut-off packet one clock later
  wire        pass     = can_pass && through;
  wire        finish   = pass && now_last;
  wire        fine     = walk ? (last_sub && !cut_off) : (!dead && left == 13'd0);

  // --- the compact and the array form: beats go to the reader too, and the last one waits for its result ---
  localparam int WORDS = DATA_W / 64;
  localparam int WB    = $clog2(WORDS);
  logic          compact_busy, compact_fine, compact_valid, array_busy, array_fine, array_valid, array_ready;
  logic [47:0]   compact_offset, array_offset;
  logic [12:0]   compact_length, array_length;
  logic [11:0]   compact_place, compact_data_at, array_place, array_data_at;
  logic          arrayed;        // described: in the array form
  wire           reading      = compact_busy || array_busy;
  wire           read_fine    = arrayed ? array_fine : compact_fine;
  wire           run_valid    = compact_valid || array_valid;
  wire [47:0]    run_offset   = arrayed ? array_offset : compact_offset;
  wire [12:0]    run_length   = arrayed ? array_length : compact_length;
  wire [11:0]    run_place    = arrayed ? array_place : compact_place;
  wire [11:0]    read_data_at = arrayed ? array_data_at : compact_data_at;
  logic          copy_ready, copied; // copied: the last beat
  logic [DATA_W-1:0] copy_data;
  logic          copy_valid, word_ready;
  logic [WB-1:0] word_at;
  wire           last_word  = word_at == WB'(WORDS - 1);
  wire           word_valid = copy_valid || copied; // zeros behind the payload
  wire           word_taken = compact_busy && copy_valid && word_ready;
  wire           beat_taken = array_busy && copy_valid && array_ready;
  wire           copy       = reading && now_valid && (now_last ? !copied : ahead_valid);
  assign may_pass = !reading || (!now_last && copy_ready);

  glk_fifo #(.W(DATA_W), .DEPTH(4096 / LANES), .BYPASS(1)) copies (
    .clk, .rst(rst || !reading), .s_data(now), .s_valid(copy), .s_ready(copy_ready),
    .m_data(copy_data), .m_valid(copy_valid), .m_ready((word_taken && last_word) || beat_taken));
  glk_compact_reader reader (
    .clk, .rst, .s_start(load && n_compact && !n_bad), .s_repeats(n_repeats), .s_unit(n_unit),
    .s_length_order(n_length_order), .s_gap_order(n_gap_order), .s_payload(n_payload),
    .s_word(copy_valid ? copy_data[{word_at, 6'd0} +: 64] : 64'd0), .s_valid(word_valid), .s_ready(word_ready),
    .m_valid(compact_valid), .m_offset(compact_offset), .m_length(compact_length), .m_place(compact_place),
    .m_busy(compact_busy), .m_fine(compact_fine), .m_data_at(compact_data_at));
  glk_array_reader #(.DATA_W(DATA_W)) array_reader (
    .clk, .rst, .s_start(load && n_array && !n_bad), .s_count(n_records), .s_unit(n_array_unit), .s_width(n_array_width),
    .s_payload(n_payload), .s_data(copy_valid ? copy_data : '0), .s_valid(word_valid), .s_ready(array_ready),
    .m_valid(array_valid), .m_offset(array_offset), .m_length(array_length), .m_place(array_place),
    .m_busy(array_busy), .m_fine(array_fine), .m_data_at(array_data_at));

  always_ff @(posedge clk) begin
    if (word_taken)
      word_at <= word_at + WB'(1);
    if (copy && copy_ready)
      copied <= now_last;
    if (load) begin
      word_at <= '0;
      copied  <= 1'b0;
    end
  end

  wire [1:0]  to_load  = buffer + 2'(active);
  assign load    = n_valid && !buffer_busy[to_load] && (!active || finish);
  assign in_take = !ahead_valid || pass || !now_valid;

  always_ff @(posedge clk) begin
    // Advance the window. The beat ahead of a packet's last beat belongs to the next packet.
    if (pass || !now_valid) begin
      now         <= ahead_valid ? ahead : in_data;
      now_last    <= ahead_valid ? ahead_last : in_last;
      now_total   <= ahead_valid ? ahead_total : in_total;
      now_valid   <= ahead_valid || in_valid;
      ahead       <= in_data;
      ahead_last  <= in_last;
      ahead_total <= in_total;
      ahead_valid <= ahead_valid && in_valid;
    end else if (!ahead_valid) begin
      ahead       <= in_data;
      ahead_last  <= in_last;
      ahead_total <= in_total;
      ahead_valid <= in_valid;
    end

    write_enable <= pass;
    write_at     <= {buffer, beat};
    write_data   <= now;
    if (pass)
      beat <= beat + BUFFER_W'(1);
    if (walk) begin
      fresh    <= 1'b0;
      left     <= left - step;
      spare    <= spare - $signed({1'b0, step});
      position <= position + step;
      jump     <= pass ? reach - 13'(LANES) : reach;
      dead     <= cut_off;
    end else if (pass && !near)
      jump <= jump - 13'(LANES);

    if (run_valid)
      fresh <= 1'b0;

    if (free_valid)
      buffer_busy[free_buffer] <= 1'b0;
    if (packet_refuse)
      buffer_busy[packet_buffer] <= 1'b0;
    if (finish) begin
      active <= 1'b0;
      buffer <= buffer + 2'd1;
    end
    if (load) begin
      active         <= 1'b1;
      dead           <= n_bad || n_compact || n_array;
      described      <= (n_compact || n_array) && !n_bad;
      arrayed        <= n_array;
      partition      <= n_partition;
      h              <= n_h;
      h_room         <= 8'(LANES) - 8'(n_h);
      base           <= n_base;
      endpoint_bytes <= n_endpoint_bytes;
      payload        <= n_payload;
      size           <= n_size;
      left           <= n_payload;
      spare          <= n_spare;
      jump           <= 13'd0;
      position       <= 13'd0;
      fresh          <= 1'b1;
      beat           <= '0;
      buffer_busy[to_load] <= 1'b1;
    end
    if (rst) begin
      active       <= 1'b0;
      buffer       <= '0;
      buffer_busy  <= '0;
      now_valid    <= 1'b0;
      ahead_valid  <= 1'b0;
      write_enable <= 1'b0;
    end
  end

  // --- pipeline behind the parser: C latches the sub-packet, B its end, X decides on the packet ---
  logic          c_sub, c_first, c_finish, c_bad;
  logic [1:0]    c_buffer, b_buffer, x_buffer;
  logic [47:0]   c_offset, c_low_bits;
  logic [12:0]   c_length;
  logic [11:0]   c_position, c_data_at;
  logic [PW-1:0] c_partition;
  logic [47:0]   c_base;
  logic [48:0]   c_endpoint_bytes;
  logic          b_sub, b_first, b_finish, b_bad;
  logic [47:0]   b_offset, b_low_bits;
  logic [48:0]   b_end;
  logic [12:0]   b_length;
  logic [11:0]   b_position, b_data_at;
  logic [PW-1:0] b_partition;
  logic [47:0]   b_base;
  logic [48:0]   b_endpoint_bytes;
  logic          x_sub, x_finish, x_bad;
  logic [12:0]   x_length;
  logic [11:0]   x_position, x_data_at;
  logic [PW-1:0] x_partition;
  logic [47:0]   x_base;

  logic          open, outside;
  logic [47:0]   open_offset;
  logic [48:0]   open_end;
  logic [12:0]   open_length;
  wire           b_open = open && !b_first;
  wire           b_join = b_open && 49'(b_offset) == open_end;
  wire [49:0]    b_reach = 50'(b_base) + 50'(b_end);
  wire           b_outside = b_sub && (b_end > 49'(b_low_bits) + 49'd1 || b_reach > 50'(b_endpoint_bytes));

  // Padding: bytes after the payload, in the last beats, must be zero.
  logic              p1_valid, p1_first, p2_valid, p2_first, p2_any, pad_wrong;
  logic [DATA_W-1:0] p1_data;
  logic [LANES-1:0]  p1_lanes;
  logic [12:0]       pass_at;
  wire [12:0]        payload_from = payload - pass_at; // payload lanes of this beat, if in range

  always_ff @(posedge clk) begin
    c_sub            <= (walk && !cut_off) || run_valid;
    c_first          <= fresh;
    c_finish         <= finish;
    c_bad            <= !(described ? read_fine : fine) || now_total != size || endpoint_bytes == 49'd0 ||
                        (!whole_run && |(base & low_bits));
    c_buffer         <= buffer;
    c_offset         <= described ? run_offset : whole_run ? 48'd0 : {10'd0, word[47:10]};
    c_low_bits       <= low_bits;
    c_length         <= described ? run_length : length;
    c_position       <= described ? run_place : position[11:0] + 12'(h);
    c_data_at        <= described ? read_data_at : 12'd0;
    c_partition      <= partition;
    c_base           <= base;
    c_endpoint_bytes <= endpoint_bytes;

    b_sub            <= c_sub;
    b_first          <= c_first;
    b_finish         <= c_finish;
    b_bad            <= c_bad;
    b_buffer         <= c_buffer;
    b_offset         <= c_offset;
    b_low_bits       <= c_low_bits;
    b_end            <= 49'(c_offset) + 49'(c_length);
    b_length         <= c_length;
    b_position       <= c_position;
    b_data_at        <= c_data_at;
    b_partition      <= c_partition;
    b_base           <= c_base;
    b_endpoint_bytes <= c_endpoint_bytes;

    x_sub            <= b_sub;
    x_finish         <= b_finish;
    x_bad            <= b_bad;
    x_buffer         <= b_buffer;
    x_length         <= b_length;
    x_position       <= b_position;
    x_data_at        <= b_data_at;
    x_partition      <= b_partition;
    x_base           <= b_base;

    subpacket_valid    <= x_sub;
    subpacket_position <= x_position;
    subpacket_length   <= x_length;

    // Writes: a sub-packet closes the previous write or joins it; the end of the packet closes the last.
    plain_valid  <= (b_sub && b_open && !b_join) || (x_finish && open);
    plain_offset <= (x_finish ? x_base : b_base) + open_offset;
    plain_length <= open_length;
    if (x_finish) begin
      open    <= 1'b0;
      outside <= 1'b0;
    end
    if (b_sub) begin
      open        <= 1'b1;
      outside     <= b_outside || (outside && !b_first);
      open_end    <= b_end;
      open_length <= b_join ? open_length + b_length : b_length;
      if (!b_join)
        open_offset <= b_offset;
    end

    p1_valid <= pass;
    p1_first <= beat == '0;
    p1_data  <= now;
    for (int k = 0; k < LANES; k = k + 1)
      p1_lanes[k] <= $signed({1'b0, payload_from}) <= $signed(14'(k)) || pass_at > payload;
    pass_at  <= load ? 13'd0 : pass ? pass_at + 13'(LANES) : pass_at;
    p2_valid <= p1_valid;
    p2_first <= p1_first;
    p2_any   <= 1'b0;
    for (int k = 0; k < LANES; k = k + 1)
      if (p1_valid && p1_lanes[k] && p1_data[8*k +: 8] != 8'h00)
        p2_any <= 1'b1;
    if (p2_valid)
      pad_wrong <= p2_any || (!p2_first && pad_wrong); // of X's packet, at its end

    packet_accept    <= x_finish && !(x_bad || outside || pad_wrong);
    packet_refuse    <= x_finish && (x_bad || outside || pad_wrong);
    packet_partition <= x_partition;
    packet_buffer    <= x_buffer;
    packet_data_at   <= x_data_at;
    if (rst) begin
      c_sub           <= 1'b0;
      c_finish        <= 1'b0;
      b_sub           <= 1'b0;
      b_finish        <= 1'b0;
      x_sub           <= 1'b0;
      x_finish        <= 1'b0;
      subpacket_valid <= 1'b0;
      plain_valid     <= 1'b0;
      open            <= 1'b0;
      p1_valid        <= 1'b0;
      p2_valid        <= 1'b0;
      packet_accept   <= 1'b0;
      packet_refuse   <= 1'b0;
    end
  end
endmodule
`default_nettype wire
