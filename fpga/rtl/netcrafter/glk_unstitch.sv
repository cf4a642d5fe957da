// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Unstitching (docs/link-format.md, "Stitching"; NetCrafter 4.4): splits flits into pieces, one piece per clock; an output
// piece is one flit of its packet. Packets of different kinds may interleave; packets of one kind are sequential, each with
// its flits in order. A tail that arrives ahead of its packet is held until the rest has been sent.
//
// After a protocol error the output stops until reset. Reference model: fpga/model/netcrafter/unstitch.c.
module glk_unstitch #(
  parameter int NUMBERS = 128 // packet numbers per kind; reduced in formal proofs
) (
  input  logic         clk,
  input  logic         rst,

  input  logic [4:0]   s_type,
  input  logic [127:0] s_data,
  input  logic         s_valid,
  output logic         s_ready,

  output logic [3:0]   m_kind,
  output logic [127:0] m_data,  // zero-padded
  output logic [4:0]   m_bytes,
  output logic         m_first, // first and last piece of its packet
  output logic         m_last,
  output logic         m_valid,

  output logic         error
);
  localparam logic [11:0] LONG = 12'(glk_flit::LONG);
  localparam int RR = glk_flit::READ_RESPONSE;
  localparam int WR = glk_flit::WRITE_REQUEST;
  localparam int FP = glk_flit::FINEPACK;
  localparam int AR = glk_flit::ATOMIC_REQUEST;

  // --- flit register; the next piece is in the low bytes ---
  logic [4:0]   i_type;
  logic [127:0] i_data;
  logic         i_valid, i_take;
  glk_skid #(.W(5 + 128)) in (
    .clk, .rst, .s_data({s_type, s_data}), .s_valid, .s_ready, .m_data({i_type, i_data}), .m_valid(i_valid), .m_ready(i_take));

  logic         f_valid, f_begin, f_stitched; // f_begin: first piece of the flit
  logic [3:0]   f_kind;
  logic [127:0] f_data;
  // Per 16-bit offset: no further piece begins here; nonzero bytes from here on.
  logic [8:2]   f_stop, f_rest, i_stop, i_rest;
  assign i_stop[8] = 1'b1;
  assign i_rest[8] = 1'b0;
  generate
    for (genvar n = 2; n <= 7; n = n + 1) begin : at
      assign i_stop[n] = i_data[16*n +: 5] == 5'd0;
      assign i_rest[n] = |i_data[127:16*n];
    end
  endgenerate
  logic [3:0]   f_room; // remaining, in units of 2 bytes

  // --- packet state per kind: packet in progress, packet number (current or next), remaining words of long packets ---
  logic [11:1]    busy;   // packet in progress
  logic [11*7-1:0] number;
  logic [3:0]     left_rr, left_wr; // remaining words
  logic [10:0]    left_fp;
  logic [1:0]     left_ar;
  logic           due_rr, due_fp; // only the tail is left, and has already arrived: output it next

  // --- current piece ---
  wire        is_tail = !f_begin && f_data[4];
  wire [3:0]  kind    = f_begin ? f_kind : f_data[3:0];
  wire [6:0]  tail_number = f_data[15:9];
  wire        tail_long   = f_data[7];
  logic [11:1] of_kind;
  logic [6:0]  now_number;
  logic [10:0] left, words, total;
  always_comb begin
    now_number = '0;
    for (int k = 1; k <= 11; k = k + 1) begin
      of_kind[k] = 32'(kind) == k;
      now_number = now_number | (number[7*(k-1) +: 7] & {7{of_kind[k]}});
    end
  end
  assign left = ({11{of_kind[RR]}} & 11'(left_rr)) | ({11{of_kind[WR]}} & 11'(left_wr)) | ({11{of_kind[FP]}} & left_fp) |
                ({11{of_kind[AR]}} & 11'(left_ar));
  wire under_way = |(busy & of_kind);
  glk_packet_words length (.kind, .start(f_data[31:0]), .words(total));
  assign words = under_way ? left : total;
  wire        more   = words > 11'd4;      // its packet has further flits
  wire [10:0] behind = words - 11'd4;      // remaining words after this piece
  wire [2:0]  part   = is_tail ? (tail_long ? 3'd2 : 3'd1) : (|words[10:2]) ? 3'd4 : {1'b0, words[1:0]};
  wire [3:0]  size   = {part, 1'b0} + 4'(is_tail); // in units of 2 bytes

  // Stored tails: for the current packet, and for the number of a tail piece.
  logic        tails_ready_rr, tails_ready_fp, there_rr, there_fp, long_rr, long_fp, known_rr, known_fp;
  logic [63:0] tail_rr, tail_fp;
  wire         current = under_way && tail_number == now_number; // tail of the packet in progress
  wire         there   = (of_kind[RR] && there_rr) || (of_kind[FP] && there_fp);
  wire         long    = (of_kind[RR] && long_rr) || (of_kind[FP] && long_fp);

  wire goes  = f_valid && !due_rr && !due_fp && !error;
  wire ends  = is_tail ? current && left <= 11'd3 : !more; // this piece completes its packet
  wire joins = !is_tail && more && words < 11'd8 && there; // a stored tail completes its packet

  glk_unstitch_tails #(.NUMBERS(NUMBERS)) tails_rr (
    .clk, .rst, .ready(tails_ready_rr), .put(goes && is_tail && of_kind[RR] && !ends), .put_number(tail_number),
    .put_long(1'b0), .put_data({32'b0, f_data[47:16]}), .put_there(known_rr), .number(number[7*(RR-1) +: 7]), .there(there_rr),
    .long(long_rr), .data(tail_rr), .take(due_rr));
  glk_unstitch_tails #(.NUMBERS(NUMBERS)) tails_fp (
    .clk, .rst, .ready(tails_ready_fp), .put(goes && is_tail && of_kind[FP] && !ends), .put_number(tail_number),
    .put_long(tail_long), .put_data({tail_long ? f_data[79:48] : 32'b0, f_data[47:16]}), .put_there(known_fp),
    .number(number[7*(FP-1) +: 7]), .there(there_fp), .long(long_fp), .data(tail_fp), .take(due_fp));

  // --- protocol checks ---
  logic bad_kind, bad_header, bad_number, bad_piece, bad_tail, bad_size;
  wire  begins = !is_tail && !under_way;
  always_comb begin
    bad_kind   = f_begin && of_kind == '0;
    bad_header = begins && total == 11'd0;
    bad_number = begins && !of_kind[FP] && f_data[11:5] != now_number;
    bad_piece  = !f_begin && ((!is_tail && (under_way || more)) || size > f_room);
    bad_size   = begins && there && (words < 11'd4 || words[1:0] != (long ? 2'd2 : 2'd1));
    bad_tail   = is_tail && (!(f_data[8:5] == 4'd3 && (of_kind[RR] || of_kind[FP])) && !(f_data[8:5] == 4'd7 && of_kind[FP]) ||
                             (of_kind[RR] && known_rr) || (of_kind[FP] && known_fp) ||
                             (current && left[1:0] != part[1:0]));
  end

  // --- end of flit ---
  logic stops, rest;
  always_comb begin
    stops = 1'b1;
    rest  = 1'b0;
    for (int n = 2; n <= 8; n = n + 1)
      if (size == 4'(n)) begin
        stops = f_stop[n];
        rest  = f_rest[n];
      end
  end
  wire done = stops || !f_stitched;

  assign i_take = tails_ready_rr && tails_ready_fp && !error && (!f_valid || (goes && done));

  always_ff @(posedge clk) begin
    if (i_take) begin
      f_valid    <= i_valid;
      f_begin    <= 1'b1;
      f_kind     <= i_type[3:0];
      f_stitched <= i_type[4];
      f_data     <= i_data;
      f_stop     <= i_stop;
      f_rest     <= i_rest;
      f_room     <= 4'd8;
    end else if (goes) begin
      f_begin <= 1'b0;
      f_room  <= f_room - size;
      for (int s = 2; s <= 6; s = s + 1)
        if (size == 4'(s)) begin
          f_data <= f_data >> (16 * s);
          for (int n = 2; n <= 8; n = n + 1) begin
            f_stop[n] <= (n + s <= 8) ? f_stop[(n + s <= 8) ? n + s : 8] : 1'b1;
            f_rest[n] <= (n + s <= 8) ? f_rest[(n + s <= 8) ? n + s : 8] : 1'b0;
          end
        end
    end

    for (int k = 1; k <= 11; k = k + 1) begin
      if (goes && of_kind[k] && LONG[k] && (!is_tail || ends))
        busy[k] <= !ends;
      if (goes && of_kind[k] && ends)
        number[7*(k-1) +: 7] <= number[7*(k-1) +: 7] + 7'd1;
    end
    if (goes && !is_tail) begin
      if (of_kind[RR])
        left_rr <= behind[3:0];
      if (of_kind[WR])
        left_wr <= behind[3:0];
      if (of_kind[FP])
        left_fp <= behind;
      if (of_kind[AR])
        left_ar <= behind[1:0];
    end
    due_rr <= goes && joins && of_kind[RR];
    due_fp <= goes && joins && of_kind[FP];
    if (due_rr) begin
      busy[RR] <= 1'b0;
      number[7*(RR-1) +: 7] <= number[7*(RR-1) +: 7] + 7'd1;
    end
    if (due_fp) begin
      busy[FP] <= 1'b0;
      number[7*(FP-1) +: 7] <= number[7*(FP-1) +: 7] + 7'd1;
    end
    if (rst) begin
      f_valid <= 1'b0;
      busy    <= '0;
      number  <= '0;
      due_rr  <= 1'b0;
      due_fp  <= 1'b0;
    end
  end

  // --- output; suppressed by a protocol error in the piece. An error after the piece does not suppress the piece's packet
  // ---
  logic       o_valid, o_joined;
  logic [5:0] o_bad;
  logic [1:0] o_bad_behind;

  assign m_valid = o_valid && o_bad == '0 && (!error || o_joined);

  always_ff @(posedge clk) begin
    o_joined <= (due_rr || due_fp) && o_bad == '0 && !error;
    o_valid <= (goes && (!is_tail || ends)) || due_rr || due_fp;
    m_kind  <= due_rr ? 4'(RR) : due_fp ? 4'(FP) : kind;
    m_first <= begins && !due_rr && !due_fp;
    m_last  <= ends || due_rr || due_fp;
    m_bytes <= due_rr ? 5'd4 : due_fp ? (long_fp ? 5'd8 : 5'd4) : {part, 2'b00};
    m_data  <= '0;
    if (due_rr || due_fp)
      m_data[63:0] <= due_rr ? tail_rr : tail_fp;
    else
      for (int w = 0; w < 4; w = w + 1)
        if (w < 32'(part))
          m_data[32*w +: 32] <= is_tail ? f_data[(w < 2 ? 32*w + 16 : 0) +: 32] : f_data[32*w +: 32];

    o_bad        <= {6{goes}} & {bad_kind, bad_header, bad_number, bad_piece, bad_tail, bad_size};
    o_bad_behind <= {2{goes && done}} & {rest, f_begin && f_stitched};
    error        <= error || o_bad != '0 || o_bad_behind != '0;
    if (rst) begin
      o_valid      <= 1'b0;
      o_joined     <= 1'b0;
      o_bad        <= '0;
      o_bad_behind <= '0;
      error        <= 1'b0;
    end
  end
endmodule
`default_nettype wire
