// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Link layer of one card (docs/link-format.md, "The link layer"): framing, CRC, acknowledgement and replay, per-class
// credits, sessions.
//
// Cycle-accurate to the reference model, fpga/model/link: in each clock, the transmit decision depends on registers and on
// s_valid, and received blocks take effect after it. Receive latency: three clocks from i_* to the decision. Transmit latency:
// four clocks from the decision to link_out_*. Without link_out_go nothing is sent from the next clock on: five more blocks may
// follow.
module glk_link_layer #(
  parameter int FRAMES = 64,   // replay buffer depth: unacknowledged frames; power of two, 2..512
  parameter int BUFFER = 2048, // receive buffer in flits, at least the sum of cfg_room; power of two
  parameter int W      = 32    // width of timer settings
) (
  input  logic         clk,
  input  logic         rst,          // clears all state

  // Contents of hello. cfg_session: nonzero, and different after every `rst`. Constant while out of reset; the timers may
  // change.
  input  logic [63:0]  cfg_serial,
  input  logic         cfg_compact, // accepts the compact form
  input  logic [7:0]   cfg_cluster,
  input  logic [15:0]  cfg_session,
  input  logic [3*12-1:0] cfg_room,  // receive buffer in pieces by class, posted lowest
  input  logic [W-1:0] cfg_replay,   // timers in clocks, each at least 1
  input  logic [W-1:0] cfg_ack,
  input  logic [W-1:0] cfg_hello,

  // Transmit flits, with their number of pieces per class (3 bits each)
  input  logic [4:0]   s_type,
  input  logic [127:0] s_data,
  input  logic [8:0]   s_pieces,
  input  logic         s_valid,
  output logic         s_ready,

  // Transmit credits returned for a class
  output logic         credit_valid,
  output logic [1:0]   credit_class,
  output logic [11:0]  credit_pieces,

  // Received flits
  output logic [4:0]   m_type,
  output logic [127:0] m_data,
  output logic         m_valid,
  input  logic         m_ready,
  // m_refused: level, rises when a delivered flit is a protocol error: resets the link if a session exists
  input  logic         m_refused,
  input  logic [3*12-1:0] m_freed,   // pieces freed by the receiver, by class

  // Wire: a data block is a flit, a control block is a link word
  input  logic [127:0] link_in_data,
  input  logic         link_in_control,
  input  logic         link_in_valid,
  input  logic         link_in_cut,   // loss of signal after this block
  input  logic         link_in_reset, // ends the session; a block in the same clock is lost
  output logic [127:0] link_out_data,
  output logic         link_out_control,
  output logic         link_out_valid,
  input  logic         link_out_go,   // the wire has room

  // Status
  output logic         up,
  output logic [63:0]  peer_serial,
  output logic [7:0]   peer_cluster,
  output logic         peer_compact,

  // Event pulses. Order within one clock: lost, ended, up or resumed. No flit of a session is delivered after e_ended.
  output logic         e_up,
  output logic         e_resumed,
  output logic         e_lost,
  output logic         e_ended,
  output logic         e_down,
  output logic         e_frame_sent,
  output logic         e_frame_received,
  output logic         e_word_sent,
  output logic         e_replay,
  output logic         e_frame_replayed,
  output logic         e_frame_repeated,
  output logic         e_crc,
  output logic         e_sequence,
  output logic         e_protocol,
  output logic         e_version
);
  localparam int A = $clog2(FRAMES);

  // --- receive: pipeline and link word decode ---
  logic         begun;
  logic [127:0] received_data;
  logic [3:0]   received_index;
  logic         received_flit, received_word, received_fits, received_some, received_cut, received_reset, received_refused,
                overrun;
  logic [31:0]  received_differs;
  wire          refuse = m_refused || overrun; // level, until reset
  logic         refused;
  always_ff @(posedge clk)
    refused <= refuse && !rst;
  glk_link_in in (
    .clk, .rst, .link_in_data, .link_in_control, .link_in_valid, .link_in_cut, .link_in_reset,
    .link_in_refused(refuse && !refused && begun),
    .received_data, .received_index, .received_flit, .received_word, .received_fits, .received_some, .received_differs,
    .received_cut, .received_reset, .received_refused);

  logic [3:0]  w_flits;
  logic [54:0] w_types;
  logic [1:0]  w_class, w_wanted;
  logic [11:0] w_credit;
  logic [9:0]  w_number, w_acknowledge;
  logic        w_pass, w_types_right, w_plain;
  glk_link_word_get fields (
    .word(received_data[95:0]), .flits(w_flits), .types(w_types), .credit_class(w_class), .credit(w_credit), .number(w_number),
    .acknowledge(w_acknowledge), .pass(w_pass), .wanted(w_wanted), .types_right(w_types_right), .plain(w_plain));

  logic         answer, hello_due, greet, lost, stop, clear, comes_up, resumes, strange, bad;
  logic [15:0]  own, other;
  logic [3*12-1:0] room;
  wire          of_session = w_wanted != 2'd3; // else a hello or ready
  wire          is_up = up && !lost;
  wire          same  = received_differs == (of_session ? {own, other} : 32'd0);
  wire          right = received_word && of_session && is_up && received_fits && same;
  wire          crc_wrong = received_word && (!of_session || is_up) && !(received_fits && same);
  logic         acknowledge_right, credit_right;
  wire          wrong = right && !(w_types_right && acknowledge_right && credit_right);

  glk_link_session #(.W(W)) sessions (
    .clk, .rst, .cfg_session, .cfg_hello, .received_data, .received_flit, .received_index,
    .received_hello(received_word && !of_session && received_fits && same), .received_flits(w_flits), .received_ready(w_pass),
    .received_plain(w_plain), .received_cut, .received_reset, .received_refused, .received_wrong(wrong), .greet, .lost, .up,
    .begun, .answer, .hello_due, .own, .other, .stop, .clear, .comes_up, .resumes, .peer_serial, .peer_cluster, .peer_compact,
    .room, .e_protocol(bad), .e_version(strange));

  // --- receive: frames ---
  logic        take, ask_now, ask_soon, early, again, missing, missing_pass;
  logic [9:0]  expected;
  glk_link_receive receive (
    .clk, .clear(clear || rst), .stop(stop || rst), .word(right), .wrong(crc_wrong && is_up && received_some), .flits(w_flits),
    .number(w_number), .pass(w_pass), .take, .now(ask_now), .soon(ask_soon), .e_early(early), .e_again(again), .expected,
    .missing, .missing_pass);

  logic         go;
  always_ff @(posedge clk)
    go <= link_out_go;

  logic         forget; // a session ended in the previous clock
  logic [4:0]   d_type;
  logic [127:0] d_data;
  logic         d_valid;
  glk_link_deliver deliver (
    .clk, .rst, .clear(forget), .s_data(received_data), .s_index(received_index), .s_flit(received_flit), .take,
    .count(w_flits), .types(w_types),
    .m_type(d_type), .m_data(d_data), .m_valid(d_valid));
  glk_piece_buffer #(.W(5 + 128), .ROOM(BUFFER)) buffer (
    .clk, .rst(rst || forget), .s_data({d_type, d_data}), .s_valid(d_valid), .overrun,
    .m_data({m_type, m_data}), .m_valid, .m_ready);

  // --- transmit ---
  logic         sent, close, some, window_room, acknowledged, some_behind, replay_over, replay_begin, word_due;
  logic [9:0]   oldest, next;
  logic [3:0]   close_count, frame_count, get_flit, put_flit;
  logic [54:0]  close_types, frame_types;
  logic [A-1:0] frame, get_frame;
  logic         send_flit, send_again, send_hello, send_ready, send_break, send_word, send_pass, replays, replayed;
  logic [1:0]   send_block;
  logic [3:0]   send_count;
  logic [54:0]  send_types;
  logic [9:0]   send_number;
  glk_link_window #(.FRAMES(FRAMES)) window (
    .clk, .clear(clear || rst), .oldest, .next, .some, .room(window_room), .close,
    .acknowledge(w_acknowledge), .take(right), .right(acknowledge_right), .news(acknowledged), .some_behind);
  glk_link_send #(.FRAMES(FRAMES)) send (
    .clk, .rst, .clear(clear || rst), .stop(stop || rst), .go, .s_type, .s_valid, .s_ready, .take(sent), .up, .answer,
    .hello_due, .greet, .lost, .oldest, .next, .some, .room(window_room), .close, .close_count, .close_types, .frame,
    .frame_count, .frame_types, .get_frame, .get_flit, .put_flit, .acknowledged(right && acknowledged),
    .wanted(right && (w_wanted == 2'd1 || w_wanted == 2'd2)), .wanted_pass(w_wanted[1]), .wanted_some(some_behind),
    .resumed(resumes), .resumed_some(some), .word_due, .replay_over, .replay_begin,
    .send_flit, .send_again, .send_hello, .send_ready, .send_block, .send_break, .send_word, .send_count, .send_types,
    .send_number, .send_pass,
    .e_replay(replays), .e_frame(replayed));
  glk_link_timer #(.W(W)) timeout (
    .clk, .set(replay_begin), .clocks(cfg_replay), .finish(rst), .over(replay_over));

  logic         put;
  logic [A-1:0] put_frame;
  logic [3:0]   put_at;
  logic [127:0] put_data, again_data;
  glk_link_replay #(.FRAMES(FRAMES)) replay (
    .clk, .put, .put_frame, .put_flit(put_at), .put_data, .close, .close_frame(next[A-1:0]), .close_count, .close_types,
    .frame, .count(frame_count), .types(frame_types), .get_frame, .get_flit, .data(again_data));
  always_ff @(posedge clk) begin
    put       <= sent;
    put_frame <= next[A-1:0];
    put_at    <= put_flit;
    put_data  <= s_data;
  end

  // --- credits: each word carries the credit of one class, round robin ---
  logic [1:0]      reported;
  logic [2:0]      reports, c_right, c_more_valid, news;
  logic [3*12-1:0] freed, c_more, freed_now;
  assign reports     = (reported == 2'd0) ? 3'b010 : (reported == 2'd1) ? 3'b100 : 3'b001;
  assign freed_now = begun ? m_freed : '0;
  generate
    for (genvar c = 0; c < 3; c = c + 1) begin : of_class
      glk_link_credits credits (
        .clk, .clear(clear || rst), .sent(sent ? s_pieces[3*c +: 3] : 3'd0), .credit(w_credit),
        .take(right && w_class == 2'(c)), .right(c_right[c]), .more(c_more[12*c +: 12]), .more_valid(c_more_valid[c]),
        .freed_more(freed_now[12*c +: 12]), .fresh(comes_up), .reported(send_word && reports[c]), .freed(freed[12*c +: 12]),
        .news(news[c]));
    end
  endgenerate
  assign credit_right = (w_class == 2'd3) ? w_credit == '0 : c_right[w_class];

  glk_link_due #(.W(W)) word_timer (
    .clk, .cfg_ack, .cfg_hello, .word(send_word), .word_news((news & ~reports) != '0), .now(ask_now || comes_up),
    .soon(ask_soon || freed_now != '0), .due(word_due));

  // Initial transmit credits of a new session, one class per clock; complete before any credit can return.
  logic [1:0]      starting; // classes left
  logic [3*12-1:0] start;
  always_ff @(posedge clk) begin
    if (send_word)
      reported <= (reported == 2'd2) ? 2'd0 : reported + 2'd1;
    if (clear || rst)
      reported <= 2'd2;

    credit_valid  <= starting != 2'd0 || (c_more_valid != '0 && !clear);
    credit_class  <= (starting != 2'd0) ? 2'd3 - starting : w_class;
    credit_pieces <= (starting != 2'd0) ? start[11:0] : c_more[11:0];
    if (starting == 2'd0 && w_class == 2'd1)
      credit_pieces <= c_more[23:12];
    if (starting == 2'd0 && w_class == 2'd2)
      credit_pieces <= c_more[35:24];
    start <= start >> 12;
    if (starting != 2'd0)
      starting <= starting - 2'd1;
    if (clear)
      starting <= 2'd0;
    if (comes_up && !resumes) begin
      starting <= 2'd3;
      start    <= room;
    end
    if (rst) begin
      starting     <= 2'd0;
      credit_valid <= 1'b0;
    end
  end

  // --- transmit: hello and link words ---
  logic [1:0]   p_class, p_wanted;
  logic [95:0]  p_word;
  logic [127:0] p_data;
  wire          p_control = send_hello && send_block == 2'd2;
  wire  [11:0]  p_credit = reports[0] ? freed[11:0] : reports[1] ? freed[23:12] : freed[35:24];
  assign p_class  = reports[0] ? 2'd0 : reports[1] ? 2'd1 : 2'd2;
  assign p_wanted = !missing ? 2'd0 : missing_pass ? 2'd2 : 2'd1;
  glk_link_word_put pack (
    .flits(p_control ? 4'd2 : send_count), .types(p_control ? 55'd0 : send_types), .credit_class(p_control ? 2'd3 : p_class),
    .credit(p_control ? 12'd0 : p_credit), .number(p_control ? 10'd0 : send_number), .acknowledge(p_control ? 10'd0 : expected),
    .pass(p_control ? send_ready : send_pass), .wanted(p_control ? 2'd3 : p_wanted), .word(p_word));
  always_comb begin
    p_data = {32'd0, p_word};
    if (send_flit)
      p_data = s_data;
    if (send_hello && send_block == 2'd0)
      p_data = {15'd0, cfg_compact, other, own, cfg_cluster, 8'd1, cfg_serial};
    if (send_hello && send_block == 2'd1)
      p_data = {80'd0, 4'd0, cfg_room[35:24], 4'd0, cfg_room[23:12], 4'd0, cfg_room[11:0]};
  end
  glk_link_out out (
    .clk, .rst, .s_flit(send_flit || (send_hello && !p_control)), .s_word(send_word || p_control), .s_again(send_again),
    .s_break(send_break), .s_data(p_data), .s_pair(p_control ? 32'd0 : {other, own}), .again(again_data), .link_out_data,
    .link_out_control, .link_out_valid);

  // --- events; those that take effect after the block of a clock are reported one clock later ---
  wire  ends_late = (received_reset || received_refused) && begun;
  wire  was_up_behind = (is_up && (!clear || ends_late)) || comes_up;
  logic x_up, x_resumed, x_lost, x_ended, x_down, late_lost, late_ended, late_down;
  always_ff @(posedge clk) begin
    forget     <= clear;
    x_up       <= comes_up && !resumes;
    x_resumed  <= resumes;
    x_lost     <= lost;
    x_ended    <= clear && begun && !ends_late;
    x_down     <= lost || (is_up && clear && !ends_late);
    late_lost  <= received_cut && was_up_behind;
    late_ended <= ends_late;
    late_down  <= (received_cut || ends_late) && was_up_behind;
    if (rst)
      {forget, x_up, x_resumed, x_lost, x_ended, x_down, late_lost, late_ended, late_down} <= '0;
  end

  logic y_lost, y_ended, y_down;
  always_ff @(posedge clk) begin
    y_lost    <= late_lost;
    y_ended   <= late_ended;
    y_down    <= late_down;
    e_up      <= x_up;
    e_resumed <= x_resumed;
    e_lost    <= x_lost || y_lost;
    e_ended   <= x_ended || y_ended;
    e_down    <= x_down || y_down;

    e_frame_sent     <= close || (clear && (sent || close_count != 4'd0));
    e_frame_received <= take && !wrong;
    e_word_sent      <= send_word || p_control;
    e_replay         <= replays;
    e_frame_replayed <= replayed;
    e_frame_repeated <= again && !wrong;
    e_crc            <= crc_wrong;
    e_sequence       <= early && !wrong;
    e_protocol       <= bad;
    e_version        <= strange;
    if (rst) begin
      {y_lost, y_ended, y_down, e_up, e_resumed, e_lost, e_ended, e_down} <= '0;
      {e_frame_sent, e_frame_received, e_word_sent, e_replay, e_frame_replayed} <= '0;
      {e_frame_repeated, e_crc, e_sequence, e_protocol, e_version} <= '0;
    end
  end
endmodule
`default_nettype wire
