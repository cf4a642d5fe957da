// SPDX-License-Identifier: Apache-2.0
// Takes packets apart that glk_depacketizer has accepted: plain writes, a beat a clock. Holds the payloads and the lists,
// four of each, so that packets are taken apart while others are checked.
//
// Out: beats in address lanes, a write after the other; `first` begins a write and has its length. Where sub-packets meet
// in the middle of a beat, that beat comes in two, each with its own enables.
module glk_scatter #(
  parameter int DATA_W     = 512,
  parameter int PARTITIONS = 4,
  parameter int PW         = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1,
  parameter int LANES      = DATA_W / 8,
  parameter int BUFFER_W   = $clog2(4096 / LANES)
) (
  input  logic              clk,
  input  logic              rst,

  // From glk_depacketizer.
  input  logic              w_enable,
  input  logic [BUFFER_W+1:0] w_at,
  input  logic [DATA_W-1:0] w_data,
  input  logic              d_valid,
  input  logic [11:0]       d_position,
  input  logic [10:0]       d_length,
  input  logic              g_valid,
  input  logic [47:0]       g_offset,
  input  logic [12:0]       g_length,
  input  logic              p_accept,
  input  logic              p_refuse,
  input  logic [PW-1:0]     p_partition,
  input  logic [1:0]        p_buffer,
  input  logic [10:0]       p_writes,
  output logic              free_valid,
  output logic [1:0]        free_buffer,

  output logic [PW-1:0]     m_partition,
  output logic [47:0]       m_offset,  // of the beat's first byte
  output logic [12:0]       m_length,  // of the write, on its first beat
  output logic [LANES-1:0]  m_enables,
  output logic [DATA_W-1:0] m_data,
  output logic              m_first,
  output logic              m_last,    // of the write
  output logic              m_packet_last, // ends the last write of its packet
  output logic              m_valid,
  input  logic              m_ready
);
  localparam int LB = $clog2(LANES);
  localparam int HALF_W = BUFFER_W + 1; // address of half of the beats, of all buffers

  // --- memories: even and odd beats apart, for a write's bytes may come from two ---
  (* ram_style = "block" *) logic [DATA_W-1:0] even [0:(1<<HALF_W)-1];
  (* ram_style = "block" *) logic [DATA_W-1:0] odd  [0:(1<<HALF_W)-1];
  (* ram_style = "block" *) logic [22:0] subs   [0:8191]; // buffer, number: position, length
  (* ram_style = "block" *) logic [60:0] writes [0:8191]; // offset, length

  logic [1:0]  filling; // the buffer whose lists grow
  logic [10:0] subs_put, writes_put;

  always_ff @(posedge clk) begin
    if (w_enable && !w_at[0])
      even[w_at[BUFFER_W+1:1]] <= w_data;
    if (w_enable && w_at[0])
      odd[w_at[BUFFER_W+1:1]] <= w_data;
    if (d_valid) begin
      subs[{filling, subs_put}] <= {d_position, d_length};
      subs_put <= subs_put + 11'd1;
    end
    if (g_valid) begin
      writes[{filling, writes_put}] <= {g_offset, g_length};
      writes_put <= writes_put + 11'd1;
    end
    if (p_accept || p_refuse) begin
      subs_put   <= 11'd0;
      writes_put <= 11'd0;
    end
    if (p_accept || p_refuse)
      filling <= p_buffer + 2'd1; // packets use the buffers in turn
    if (rst) begin
      filling    <= '0;
      subs_put   <= 11'd0;
      writes_put <= 11'd0;
    end
  end

  // --- packets that wait: at most one a buffer ---
  logic          q_valid, q_ready;
  logic [PW-1:0] q_partition;
  logic [1:0]    q_buffer;
  logic [10:0]   q_writes;
  logic          unused_ready;
  glk_fifo #(.W(PW + 2 + 11), .DEPTH(4)) waiting (
    .clk, .rst, .s_data({p_partition, p_buffer, p_writes}), .s_valid(p_accept), .s_ready(unused_ready),
    .m_data({q_partition, q_buffer, q_writes}), .m_valid(q_valid), .m_ready(q_ready));

  // --- lists out: what is read stands in a register, the next one is read as it is taken ---
  logic          go, running;
  logic [PW-1:0] partition;
  logic [1:0]    buffer;
  logic [10:0]   writes_left, sub_at, write_at;
  logic [22:0]   sub_now;
  logic [60:0]   write_now;
  logic          take_sub, take_write, ends_packet;
  wire           begins     = q_valid && (!running || ends_packet);
  wire [1:0]     read_from  = begins ? q_buffer : buffer;
  wire [10:0]    sub_next   = begins ? 11'd0 : sub_at + 11'(take_sub);
  wire [10:0]    write_next = begins ? 11'd0 : write_at + 11'(take_write);

  assign q_ready = begins;

  always_ff @(posedge clk) begin
    sub_now   <= subs[{read_from, sub_next}];
    write_now <= writes[{read_from, write_next}];
    sub_at    <= sub_next;
    write_at  <= write_next;
  end

  // --- beats: what is left of a write and of a sub-packet ---
  logic        in_write, in_sub;
  logic [47:0] offset;
  logic [12:0] write_left;
  logic [11:0] position;
  logic [10:0] sub_left;

  wire [47:0] o_now = in_write ? offset : write_now[60:13];
  wire [12:0] wl    = in_write ? write_left : write_now[12:0];
  wire [11:0] p_now = in_sub ? position : sub_now[22:11];
  wire [10:0] sl    = in_sub ? sub_left : sub_now[10:0];
  wire [LB:0] room  = (LB+1)'(LANES) - (LB+1)'(o_now[LB-1:0]);
  wire        sub_ends = sl <= 11'(room);
  wire [LB:0] bytes = sub_ends ? sl[LB:0] : room;
  wire        write_ends = wl == 13'(bytes);
  wire        step = running && go;
  assign ends_packet = step && write_ends && writes_left == 11'd1;

  assign take_sub   = step && sub_ends;
  assign take_write = step && !in_write;

  logic          a_valid, a_first, a_last, a_end;
  logic [PW-1:0] a_partition;
  logic [1:0]    a_buffer;
  logic [47:0]   a_offset;
  logic [12:0]   a_length;
  logic [11:0]   a_position;
  logic [LB:0]   a_bytes;

  always_ff @(posedge clk) begin
    if (step) begin
      in_write   <= !write_ends;
      in_sub     <= !sub_ends;
      offset     <= o_now + 48'(bytes);
      write_left <= wl - 13'(bytes);
      position   <= p_now + 12'(bytes);
      sub_left   <= sl - 11'(bytes);
      if (write_ends)
        writes_left <= writes_left - 11'd1;
    end
    if (begins) begin
      running     <= 1'b1;
      partition   <= q_partition;
      buffer      <= q_buffer;
      writes_left <= q_writes;
      in_write    <= 1'b0;
      in_sub      <= 1'b0;
    end else if (ends_packet)
      running <= 1'b0;
    if (go) begin
      a_valid     <= running;
      a_first     <= !in_write;
      a_last      <= write_ends;
      a_end       <= ends_packet;
      a_partition <= partition;
      a_buffer    <= buffer;
      a_offset    <= o_now;
      a_length    <= wl;
      a_position  <= p_now;
      a_bytes     <= bytes;
    end
    if (rst) begin
      running <= 1'b0;
      a_valid <= 1'b0;
      a_end   <= 1'b0;
    end
  end

  // --- read: the beat where the bytes begin, and the one behind it ---
  logic          b_valid, b_first, b_last, b_end, b_swap;
  logic [PW-1:0] b_partition;
  logic [1:0]    b_buffer;
  logic [47:0]   b_offset;
  logic [12:0]   b_length;
  logic [LB-1:0] b_from;
  logic [LB:0]   b_bytes;
  logic [DATA_W-1:0] b_even, b_odd;
  wire [BUFFER_W-1:0] a_beat = a_position[11:LB];
  wire [HALF_W-1:0]   even_at = {a_buffer, a_beat[BUFFER_W-1:1] + (BUFFER_W-1)'(a_beat[0])};
  wire [HALF_W-1:0]   odd_at  = {a_buffer, a_beat[BUFFER_W-1:1]};

  always_ff @(posedge clk) begin
    free_valid  <= 1'b0;
    free_buffer <= b_buffer;
    if (go) begin
      b_valid     <= a_valid;
      b_first     <= a_first;
      b_last      <= a_last;
      b_end       <= a_end;
      b_partition <= a_partition;
      b_buffer    <= a_buffer;
      b_offset    <= a_offset;
      b_length    <= a_length;
      b_from      <= a_position[LB-1:0];
      b_bytes     <= a_bytes;
      b_swap      <= a_beat[0];
      b_even      <= even[even_at];
      b_odd       <= odd[odd_at];
      free_valid  <= b_end; // its last bytes have been read
    end
    if (rst) begin
      b_valid    <= 1'b0;
      b_end      <= 1'b0;
      free_valid <= 1'b0;
    end
  end

  // --- down to lane 0, then up to where the address says ---
  logic          c_valid, c_first, c_last, c_ends;
  logic [PW-1:0] c_partition;
  logic [47:0]   c_offset;
  logic [12:0]   c_length;
  logic [LB:0]   c_bytes;
  logic [DATA_W-1:0] c_data;
  wire [2*DATA_W-1:0] pair = b_swap ? {b_even, b_odd} : {b_odd, b_even};
  wire [2*DATA_W-1:0] down = pair >> {b_from, 3'b0};
  wire [LB:0]    c_end = (LB+1)'(c_offset[LB-1:0]) + c_bytes;

  logic o_valid, o_ready;
  logic [PW+48+13+LANES+DATA_W+2:0] o_data;
  logic          e_first, e_last, e_ends;
  logic [PW-1:0] e_partition;
  logic [47:0]   e_offset;
  logic [12:0]   e_length;
  logic [LANES-1:0]  e_enables;
  logic [DATA_W-1:0] e_data;
  assign go = o_ready;

  always_ff @(posedge clk) begin
    if (go) begin
      c_valid     <= b_valid;
      c_first     <= b_first;
      c_last      <= b_last;
      c_ends      <= b_end;
      c_partition <= b_partition;
      c_offset    <= b_offset;
      c_length    <= b_length;
      c_bytes     <= b_bytes;
      c_data      <= down[DATA_W-1:0];
      o_valid     <= c_valid;
      e_first     <= c_first;
      e_last      <= c_last;
      e_ends      <= c_ends;
      e_partition <= c_partition;
      e_offset    <= c_offset;
      e_length    <= c_length;
      e_data      <= c_data << {c_offset[LB-1:0], 3'b0};
      for (int k = 0; k < LANES; k = k + 1)
        e_enables[k] <= k >= 32'(c_offset[LB-1:0]) && k < 32'(c_end);
    end
    if (rst) begin
      c_valid <= 1'b0;
      o_valid <= 1'b0;
    end
  end

  assign o_data = {e_partition, e_offset, e_length, e_enables, e_data, e_first, e_last, e_ends};
  glk_skid #(.W(PW + 48 + 13 + LANES + DATA_W + 3)) skid (
    .clk, .rst, .s_data(o_data), .s_valid(o_valid), .s_ready(o_ready),
    .m_data({m_partition, m_offset, m_length, m_enables, m_data, m_first, m_last, m_packet_last}), .m_valid, .m_ready);
endmodule
