// SPDX-License-Identifier: Apache-2.0
// Checks a packet from the link, the whole of it, and only then lets it be taken apart (docs/wire-format.md, "What a
// receiver refuses"). Its payload goes into one of two buffers, while its sub-headers are walked, one a clock; what each
// sub-packet is, and which of them make one plain write, goes into lists. At the end of the packet the lists are released
// to glk_scatter, or forgotten.
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

  input  logic [PARTITIONS*3-1:0]  cfg_subheader_bytes, // for packets that do not tell
  input  logic [PARTITIONS*49-1:0] cfg_endpoint_bytes,  // 0: there is none

  // Packets, header first.
  input  logic [DATA_W-1:0] s_data,
  input  logic [KW-1:0]     s_bytes,
  input  logic              s_last,
  input  logic              s_valid,
  output logic              s_ready,

  // Payload, to be written into buffer w_at[BUFFER_W].
  output logic              w_enable,
  output logic [BUFFER_W:0] w_at,
  output logic [DATA_W-1:0] w_data,

  // A sub-packet: where its data lie in the buffer, and how many.
  output logic              d_valid,
  output logic [11:0]       d_position,
  output logic [10:0]       d_length,
  // A plain write: so many bytes, of one sub-packet or several.
  output logic              g_valid,
  output logic [47:0]       g_offset,
  output logic [12:0]       g_length,
  // The packet ends: its sub-packets and writes count, or they do not.
  output logic              p_accept,
  output logic              p_refuse,
  output logic [PW-1:0]     p_partition,
  output logic              p_buffer,
  output logic [10:0]       p_writes,
  // A buffer has been emptied. Both are empty at reset.
  input  logic              free_valid,
  input  logic              free_buffer
);
  localparam int LB = $clog2(LANES);

  // --- in ---
  logic [DATA_W-1:0] i_all, i_data;
  logic [KW-1:0]     i_bytes;
  logic              i_last, i_valid, i_take;
  glk_skid #(.W(DATA_W + KW + 1)) skid (
    .clk, .rst, .s_data({s_data, s_bytes, s_last}), .s_valid, .s_ready,
    .m_data({i_all, i_bytes, i_last}), .m_valid(i_valid), .m_ready(i_take));
  always_comb
    for (int k = 0; k < LANES; k = k + 1)
      i_data[8*k +: 8] = (k < 32'(i_bytes)) ? i_all[8*k +: 8] : 8'h00;

  typedef enum logic [2:0] {IDLE, HEAD, WALK, SKIP, SETTLE, JUDGE} state_t;
  state_t state;

  logic        buffer;       // that is written
  logic [1:0]  buffer_busy;
  logic        bad;
  logic [12:0] received;     // bytes of the packet, until now; stops growing beyond what is allowed
  logic        too_long, seen_last;

  // --- the header, from the first beat or (beats of 16 bytes) all of it ---
  logic [127:0] head;
  wire [47:0] head_base  = {head[87:80], head[95:88], head[103:96], head[111:104], head[119:112], head[127:120]};
  wire [7:0]  head_dest  = head[79:72];
  wire [3:0]  first_be   = head[59:56];
  wire [3:0]  last_be    = head[63:60];
  wire [9:0]  dwords     = {head[17:16], head[31:24]};
  wire [12:0] padded     = (dwords == 10'd0) ? 13'd4096 : {1'b0, dwords, 2'b0};
  wire [1:0]  short_by   = (last_be == 4'hf) ? 2'd0 : (last_be == 4'h7) ? 2'd1 : (last_be == 4'h3) ? 2'd2 : 2'd3;
  wire        be_wrong   = !(last_be == 4'hf || last_be == 4'h7 || last_be == 4'h3 || last_be == 4'h1) ||
                           first_be == 4'd1 || first_be > 4'd6;
  wire        field_wrong = head[7:0] != 8'h7c || head[15:8] != 8'h0 || head[23:18] != 6'h0 || head[55:32] != 24'h0 ||
                           head[71:64] != 8'h0;
  wire        dest_wrong = head_dest >= 8'(PARTITIONS);

  logic [PW-1:0] partition;
  logic [2:0]    h;
  logic [47:0]   base;
  logic [48:0]   endpoint_bytes;
  logic [12:0]   payload, padded_q;
  wire  [2:0]    head_h = (first_be == 4'd0) ? cfg_subheader_bytes[head_dest[PW-1:0]*3 +: 3] : first_be[2:0];
  // Offset bits of a sub-header: 8 * H - 10.
  wire  [47:0]   low_bits = (h == 3'd2) ? 48'h3f : (h == 3'd3) ? 48'h3fff : (h == 3'd4) ? 48'h3fffff :
                            (h == 3'd5) ? 48'h3fffffff : 48'h3fffffffff;

  // --- the window: two beats of payload, of which the next sub-header begins in the first ---
  logic [DATA_W-1:0] now, ahead;
  logic              now_valid, ahead_valid, ahead_last, now_last;
  logic [LB:0]       at;           // in the window; beyond the first beat: to be reached
  logic [12:0]       jump;         // bytes from the window's beginning to the next sub-header, while it is farther
  logic              far;
  logic [12:0]       left;         // payload bytes from the next sub-header on
  logic signed [13:0] spare;
  logic [12:0]       position;     // of the next sub-header in the payload
  logic [BUFFER_W-1:0] fill;       // next beat of the buffer
  // Beats of payload begin 16 bytes into the packet: the part of the beat before is carried over.
  logic [DATA_W-1:0] carry;
  logic              carry_valid, carry_last;
  logic              all_made;     // what comes now is the next packet

  wire head_done = state == HEAD && i_valid;
  // A beat of payload can be made of the carry and the beat that comes; the last one may be of the carry alone.
  wire make_wait  = !now_valid || !ahead_valid;
  wire carry_ends = carry_valid && carry_last;
  wire make       = (state == WALK || state == SKIP) && make_wait && !all_made && (carry_ends || (i_valid && (carry_valid || LANES == 16)));
  wire [DATA_W-1:0] made = (LANES == 16) ? i_data : carry_ends ? carry : (carry | (i_data << (DATA_W - 128)));
  wire made_last  = (LANES == 16) ? i_last : carry_ends ? 1'b1 : (i_last && i_bytes <= KW'(16));
  assign i_take = head_done || (make && !carry_ends);

  // The next sub-header, if all of it is in the window.
  wire [2*DATA_W-1:0] window = {ahead, now};
  wire [47:0] word48   = 48'(window >> {at[LB-1:0], 3'b0});
  wire [47:0] h_mask   = (h == 3'd2) ? 48'hffff : (h == 3'd3) ? 48'hffffff : (h == 3'd4) ? 48'hffffffff :
                         (h == 3'd5) ? 48'hffffffffff : 48'hffffffffffff;
  wire [47:0] word     = word48 & h_mask;
  wire [10:0] length   = (word[9:0] == 10'd0) ? 11'd1024 : {1'b0, word[9:0]};
  wire [12:0] step     = 13'(h) + 13'(length);
  wire        near     = now_valid && !far && at < (LB+1)'(LANES);
  wire        whole    = ahead_valid || now_last || ({1'b0, at} + (LB+2)'(h) <= (LB+2)'(LANES));
  wire        can_walk = state == WALK && near && whole && left != 13'd0;
  // Sub-header and data end inside the payload: `spare` is what is left behind the sub-header, or below 0.
  wire        cut_off  = (word[9:0] == 10'd0) ? spare < 14'sd1024 : $signed({4'b0, word[9:0]}) > spare;
  wire [12:0] reach    = 13'(at) + step; // of the one behind, in the window
  // The first beat of the window is done with.
  wire        pass     = now_valid && (state == SKIP || (state == WALK && (far || at >= (LB+1)'(LANES) || left == 13'd0)));

  always_ff @(posedge clk) begin
    w_enable <= 1'b0;
    p_accept <= 1'b0;
    p_refuse <= 1'b0;
    if (free_valid)
      buffer_busy[free_buffer] <= 1'b0;

    unique case (state)
      IDLE:
        if (!buffer_busy[buffer])
          state <= HEAD;
      HEAD:
        if (i_valid) begin
          head        <= i_data[127:0];
          carry       <= i_data >> 128;
          carry_valid <= LANES != 16;
          carry_last  <= i_last;
          seen_last   <= i_last;
          received    <= 13'(i_bytes);
          too_long    <= 1'b0;
          // Of fewer bytes than a header and a DW there is nothing to look at.
          bad         <= (LANES == 16) ? (i_last || i_bytes != KW'(16)) : i_bytes < KW'(20);
          now_valid   <= 1'b0;
          ahead_valid <= 1'b0;
          now_last    <= 1'b0;
          ahead_last  <= 1'b0;
          fill        <= '0;
          at          <= '0;
          far         <= 1'b0;
          position    <= 13'd0;
          all_made    <= 1'b0;
          state       <= SETTLE;
        end
      SETTLE: begin
        partition      <= head_dest[PW-1:0];
        h              <= head_h;
        base           <= head_base;
        endpoint_bytes <= cfg_endpoint_bytes[head_dest[PW-1:0]*49 +: 49];
        payload        <= padded - 13'(short_by);
        padded_q       <= padded;
        left           <= padded - 13'(short_by);
        spare          <= $signed({1'b0, padded}) - $signed({12'b0, short_by}) - $signed({11'b0, head_h});
        bad            <= bad || be_wrong || field_wrong || dest_wrong;
        state          <= (bad || be_wrong || field_wrong || dest_wrong) ? SKIP : WALK;
        if (seen_last && (LANES == 16))
          state <= JUDGE;
      end
      WALK, SKIP: begin
        if (make) begin
          fill     <= fill + BUFFER_W'(1);
          all_made <= made_last;
          w_enable <= state == WALK;
          w_at     <= {buffer, fill};
          w_data   <= made;
          if (!carry_ends) begin
            carry       <= i_data >> 128;
            carry_valid <= (LANES != 16) && !(i_last && i_bytes <= KW'(16));
            carry_last  <= i_last;
            if (received > 13'd4112)
              too_long <= 1'b1;
            else
              received <= received + 13'(i_bytes);
          end else
            carry_valid <= 1'b0;
        end
        // The window moves on when its first beat is done with, and takes what was made.
        if (pass || !now_valid) begin
          now         <= (ahead_valid) ? ahead : made;
          now_valid   <= ahead_valid || make;
          now_last    <= ahead_valid ? ahead_last : (make && made_last);
          ahead       <= made;
          ahead_valid <= ahead_valid && make;
          ahead_last  <= ahead_valid && make && made_last;
        end else if (make) begin
          ahead       <= made;
          ahead_valid <= 1'b1;
          ahead_last  <= made_last;
        end
        if (can_walk) begin
          at       <= reach[LB:0];
          far      <= reach >= 13'(2 * LANES);
          jump     <= reach;
          left     <= left - step;
          spare    <= spare - $signed({1'b0, step});
          position <= position + step;
          if (cut_off) begin
            bad   <= 1'b1;
            state <= SKIP;
          end
        end else if (pass && state == WALK && left != 13'd0) begin
          jump <= (far ? jump : 13'(at)) - 13'(LANES);
          at   <= (LB+1)'((far ? jump : 13'(at)) - 13'(LANES));
          far  <= ((far ? jump : 13'(at)) - 13'(LANES)) >= 13'(2 * LANES);
        end
        if (pass && now_last && !can_walk) begin
          bad   <= bad || left != 13'd0;
          state <= JUDGE;
        end
      end
      default: // JUDGE: the walk's checks come a few clocks behind it
        if (settled)
          begin
            p_accept    <= !refuse;
            p_refuse    <= refuse;
            p_partition <= partition;
            p_buffer    <= buffer;
            if (!refuse) begin
              buffer_busy[buffer] <= 1'b1;
              buffer              <= !buffer;
            end
            state <= IDLE;
          end
    endcase
    if (rst) begin
      state       <= IDLE;
      buffer      <= 1'b0;
      buffer_busy <= 2'b0;
      w_enable    <= 1'b0;
    end
  end

  // --- behind the walk: bounds, and which sub-packets are one write ---
  logic        c_valid, b_valid, open;
  logic [37:0] c_offset;
  logic [10:0] c_length;
  logic [11:0] c_position;
  logic [38:0] b_end;
  logic [37:0] b_offset;
  logic [10:0] b_length;
  logic        outside;
  logic [37:0] open_offset;
  logic [38:0] open_end;
  logic [12:0] open_length;
  logic [10:0] writes;
  logic [2:0]  wait_left;
  wire         settled = wait_left == 3'd0;
  wire [48:0]  b_reach = 49'(base) + 49'(b_end);
  wire         starts  = state == HEAD;
  // Size, alignment and padding, when all of the packet is there.
  logic        pad_wrong;
  wire         size_wrong = too_long || received != padded_q + 13'd16;
  wire         base_wrong = |(base & low_bits) || endpoint_bytes == 49'd0;
  wire         refuse     = bad || outside || size_wrong || base_wrong || pad_wrong;

  // Bytes of the beat that is made which are padding.
  logic [12:0] made_at;
  logic [LANES-1:0] pad_lanes;
  logic [DATA_W-1:0] pad_data;
  logic        pad_valid;

  always_ff @(posedge clk) begin
    c_valid    <= can_walk && !cut_off;
    c_offset   <= word[47:10];
    c_length   <= length;
    c_position <= position[11:0] + 12'(h);
    b_valid    <= c_valid;
    b_offset   <= c_offset;
    b_length   <= c_length;
    b_end      <= 39'(c_offset) + 39'(c_length);
    d_valid    <= c_valid;
    d_position <= c_position;
    d_length   <= c_length;

    g_valid <= 1'b0;
    if (b_valid) begin
      if (b_end > 39'(low_bits) + 39'd1 || b_reach > endpoint_bytes)
        outside <= 1'b1;
      open <= 1'b1;
      if (open && 39'(b_offset) == open_end) begin
        open_length <= open_length + 13'(b_length);
        open_end    <= b_end;
      end else begin
        open_offset <= b_offset;
        open_end    <= b_end;
        open_length <= 13'(b_length);
        g_valid     <= open;
        g_offset    <= base + 48'(open_offset);
        g_length    <= open_length;
        if (open)
          writes <= writes + 11'd1;
      end
    end else if (state == JUDGE && open && wait_left == 3'd1) begin
      g_valid  <= 1'b1;
      g_offset <= base + 48'(open_offset);
      g_length <= open_length;
      writes   <= writes + 11'd1;
      open     <= 1'b0;
    end
    p_writes  <= writes;
    wait_left <= (state == JUDGE) ? (settled ? 3'd0 : wait_left - 3'd1) : 3'd6;

    pad_valid <= make && state == WALK;
    pad_data  <= made;
    for (int k = 0; k < LANES; k = k + 1)
      pad_lanes[k] <= made_at + 13'(k) >= payload;
    if (make)
      made_at <= made_at + 13'(LANES);
    if (pad_valid)
      for (int k = 0; k < LANES; k = k + 1)
        if (pad_lanes[k] && pad_data[8*k +: 8] != 8'h00)
          pad_wrong <= 1'b1;
    if (starts || rst) begin
      outside   <= 1'b0;
      open      <= 1'b0;
      writes    <= 11'd0;
      pad_wrong <= 1'b0;
      made_at   <= 13'd0;
    end
    if (rst) begin
      c_valid   <= 1'b0;
      b_valid   <= 1'b0;
      d_valid   <= 1'b0;
      pad_valid <= 1'b0;
      g_valid   <= 1'b0;
    end
  end
endmodule
