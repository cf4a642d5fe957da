// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Unpacks packets accepted by glk_depacketizer into plain writes, one beat per clock. Holds four payload buffers and lists,
// so that unpacking overlaps with validation.
//
// Output beats are in address lanes, one write after the other; m_first marks the first beat of a write and qualifies its
// length. Where sub-packets meet within a line, the line is output as two beats with disjoint enables.
module glk_scatter #(
  parameter int DATA_W     = 512,
  parameter int PARTITIONS = 4,
  parameter int PW         = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1,
  parameter int LANES      = DATA_W / 8,
  parameter int BUFFER_W   = $clog2(4096 / LANES)
) (
  input  logic              clk,
  input  logic              rst,

  // From glk_depacketizer
  input  logic              write_enable,
  input  logic [BUFFER_W+1:0] write_at,
  input  logic [DATA_W-1:0] write_data,
  input  logic              subpacket_valid,
  input  logic [11:0]       subpacket_position,
  input  logic [12:0]       subpacket_length,
  input  logic              plain_valid,
  input  logic [47:0]       plain_offset,
  input  logic [12:0]       plain_length,
  input  logic              packet_accept,
  input  logic              packet_refuse,
  input  logic [PW-1:0]     packet_partition,
  input  logic [1:0]        packet_buffer,
  input  logic [11:0]       packet_data_at, // where positions are from
  output logic              free_valid,
  output logic [1:0]        free_buffer,

  output logic [PW-1:0]     m_partition,
  output logic [47:0]       m_offset,  // of the beat's first byte
  output logic [12:0]       m_length,  // of the write, valid with its first beat
  output logic [LANES-1:0]  m_enables,
  output logic [DATA_W-1:0] m_data,
  output logic              m_first,
  output logic              m_last,    // of the write
  output logic              m_packet_last, // end of the last write of its packet
  output logic              m_valid,
  input  logic              m_ready
);
  localparam int LB = $clog2(LANES);
  localparam int HALF_W = BUFFER_W + 1; // address of an even or odd beat, over all buffers

  // --- payload memories: even and odd beats, because an output beat may span two ---
  (* ram_style = "block" *) logic [DATA_W-1:0] even [0:(1<<HALF_W)-1];
  (* ram_style = "block" *) logic [DATA_W-1:0] odd  [0:(1<<HALF_W)-1];

  always_ff @(posedge clk) begin
    if (write_enable && !write_at[0])
      even[write_at[BUFFER_W+1:1]] <= write_data;
    if (write_enable && write_at[0])
      odd[write_at[BUFFER_W+1:1]] <= write_data;
  end

  // --- lists of sub-packets and writes ---
  logic          sub_valid, sub_ready, write_valid, write_ready, write_last, unused_last;
  logic [11:0]   sub_position, sub_data_at;
  logic [12:0]   sub_length;
  logic [47:0]   write_offset;
  logic [12:0]   write_length;
  logic [1:0]    write_buffer;
  logic [PW-1:0] write_partition;
  glk_scatter_list #(.W(12 + 13), .TAG_W(12)) subs (
    .clk, .rst, .s_data({subpacket_position, subpacket_length}), .s_valid(subpacket_valid), .packet_accept, .packet_refuse,
    .packet_buffer, .packet_tag(packet_data_at),
    .m_data({sub_position, sub_length}), .m_tag(sub_data_at), .m_last(unused_last), .m_valid(sub_valid), .m_ready(sub_ready));
  glk_scatter_list #(.W(48 + 13), .TAG_W(PW + 2)) writes (
    .clk, .rst, .s_data({plain_offset, plain_length}), .s_valid(plain_valid), .packet_accept, .packet_refuse, .packet_buffer,
    .packet_tag({packet_partition, packet_buffer}),
    .m_data({write_offset, write_length}), .m_tag({write_partition, write_buffer}), .m_last(write_last),
    .m_valid(write_valid), .m_ready(write_ready));

  // --- beat generation: remainders of the current write and sub-packet. Writes consist of whole, consecutive sub-packets
  // ---
  logic          go;
  logic          in_write, in_sub; // valid
  logic          first, final_q;   // first beat of the write; last write of its packet
  logic [PW-1:0] partition;
  logic [1:0]    buffer;
  logic [47:LB]  line;
  logic [LB-1:0] low;              // offset: line and lane
  logic [LB:0]   room;             // lanes from there on
  logic [12:0]   write_left;
  logic [11:0]   position;
  logic [12:0]   sub_left;

  wire step       = in_write && in_sub && go;
  wire sub_ends   = sub_left <= 13'(room);
  wire fills      = sub_left >= 13'(room); // reaches the end of the line
  wire write_ends = sub_ends && write_left == sub_left;
  assign sub_ready   = !in_sub || (step && sub_ends);
  assign write_ready = !in_write || (step && write_ends);

  logic          a_valid, a_first, a_last, a_end;
  logic [PW-1:0] a_partition;
  logic [1:0]    a_buffer;
  logic [47:0]   a_offset;
  logic [12:0]   a_length;
  logic [11:0]   a_position;
  logic [LB:0]   a_bytes;

  always_ff @(posedge clk) begin
    if (sub_ready) begin
      in_sub   <= sub_valid;
      position <= sub_data_at + sub_position;
      sub_left <= sub_length;
    end else if (step) begin
      position <= position + 12'(room);
      sub_left <= sub_left - 13'(room);
    end
    if (write_ready) begin
      in_write    <= write_valid;
      first       <= 1'b1;
      final_q     <= write_last;
      partition   <= write_partition;
      buffer      <= write_buffer;
      {line, low} <= write_offset;
      room        <= (LB+1)'(LANES) - (LB+1)'(write_offset[LB-1:0]);
      write_left  <= write_length;
    end else if (step) begin
      first      <= 1'b0;
      line       <= line + (48-LB)'(fills);
      low        <= fills ? '0 : low + sub_left[LB-1:0];
      room       <= fills ? (LB+1)'(LANES) : room - sub_left[LB:0];
      write_left <= sub_ends ? write_left - sub_left : write_left - 13'(room);
    end
    if (go) begin
      a_valid     <= in_write && in_sub;
      a_first     <= first;
      a_last      <= write_ends;
      a_end       <= step && write_ends && final_q;
      a_partition <= partition;
      a_buffer    <= buffer;
      a_offset    <= {line, low};
      a_length    <= write_left;
      a_position  <= position;
      a_bytes     <= sub_ends ? sub_left[LB:0] : room;
    end
    if (rst) begin
      in_sub   <= 1'b0;
      in_write <= 1'b0;
      a_valid  <= 1'b0;
      a_end    <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk)
    if (checks && step)
      begin : piece_within_write assert(write_left >= sub_left); end
`endif

  // --- read: the beat with the first byte, and the next. Then the buffer may be refilled ---
  logic          b_valid, b_first, b_last, b_end, b_swap;
  logic [PW-1:0] b_partition;
  logic [47:0]   b_offset;
  logic [12:0]   b_length;
  logic [LB-1:0] b_from;
  logic [LB:0]   b_bytes;
  logic [DATA_W-1:0] b_even, b_odd;
  wire [BUFFER_W-1:0] a_beat = a_position[11:LB];
  wire [HALF_W-1:0]   even_at = {a_buffer, a_beat[BUFFER_W-1:1] + (BUFFER_W-1)'(a_beat[0])};
  wire [HALF_W-1:0]   odd_at  = {a_buffer, a_beat[BUFFER_W-1:1]};

  always_ff @(posedge clk) begin
    free_valid  <= go && a_end;
    free_buffer <= a_buffer;
    if (go) begin
      b_valid     <= a_valid;
      b_first     <= a_first;
      b_last      <= a_last;
      b_end       <= a_end;
      b_partition <= a_partition;
      b_offset    <= a_offset;
      b_length    <= a_length;
      b_from      <= a_position[LB-1:0];
      b_bytes     <= a_bytes;
      b_swap      <= a_beat[0];
      b_even      <= even[even_at];
      b_odd       <= odd[odd_at];
    end
    if (rst) begin
      b_valid    <= 1'b0;
      free_valid <= 1'b0;
    end
  end

  // --- order the two beats ---
  logic          r_valid, r_first, r_last, r_end;
  logic [PW-1:0] r_partition;
  logic [47:0]   r_offset;
  logic [12:0]   r_length;
  logic [LB-1:0] r_from;
  logic [LB:0]   r_bytes;
  logic [DATA_W-1:0] r_begin, r_behind;

  always_ff @(posedge clk) begin
    if (go) begin
      r_valid     <= b_valid;
      r_first     <= b_first;
      r_last      <= b_last;
      r_end       <= b_end;
      r_partition <= b_partition;
      r_offset    <= b_offset;
      r_length    <= b_length;
      r_from      <= b_from;
      r_bytes     <= b_bytes;
      r_begin     <= b_swap ? b_odd : b_even;
      r_behind    <= b_swap ? b_even : b_odd;
    end
    if (rst)
      r_valid <= 1'b0;
  end

  // --- shift down to lane 0, then up to the address lane ---
  logic          c_valid, c_first, c_last, c_ends;
  logic [PW-1:0] c_partition;
  logic [47:0]   c_offset;
  logic [12:0]   c_length;
  logic [LB:0]   c_bytes;
  logic [DATA_W-1:0] c_data;
  wire [2*DATA_W-1:0] down = {r_behind, r_begin} >> {r_from, 3'b0};
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
      c_valid     <= r_valid;
      c_first     <= r_first;
      c_last      <= r_last;
      c_ends      <= r_end;
      c_partition <= r_partition;
      c_offset    <= r_offset;
      c_length    <= r_length;
      c_bytes     <= r_bytes;
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
`default_nettype wire
