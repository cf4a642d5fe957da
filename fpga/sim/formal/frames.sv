// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Frames of the link layer, scaled down: the session is up; the transmitter of one end (replay buffer of two frames of two
// flits) and the receiver of the other, over a link that drops and corrupts blocks and turns data blocks into control blocks. A
// control word is valid when the blocks since the previous one arrived as sent. Acknowledgements leave at any time and arrive
// late, repeatedly or never. Flits are numbered in data and type in the order they are accepted. Asserted:
//   FRAMES  every accepted flit is delivered, once, in order; nothing undelivered is acknowledged;
//   REST    progress: once the link is error-free and acknowledgements arrive, within 16 clocks the replay buffer shrinks, or
//           it is empty and a flit would be accepted.
// Under REACHED the negated covers are asserted; each must fail.
module frames (
  input logic clk,
  input logic rst,
  input logic s_valid,
  input logic word_due,
  input logic replay_over,
  input logic lose,   // drops the block
  input logic harm,   // corrupts it
  input logic turn,   // a data block arrives as an invalid control word
  input logic speak,  // the other end sends an acknowledgement with its present state
  input logic listen, // the last acknowledgement sent arrives
  input logic good    // no faults from now on
);
  localparam int FLITS = 2;

  logic past_valid = 1'b0, was_good = 1'b0;
  always_ff @(posedge clk) begin
    past_valid <= 1'b1;
    was_good   <= good;
  end
  logic lost;
  always_comb begin
    assume(rst == !past_valid);
    if (rst) assume(!s_valid);
    if (was_good) assume(good);
    if (good) assume(!lose && !harm && !turn && speak && listen && replay_over);
`ifndef REST
    assume(!good);
`endif
    assume(!lost); // the 17th replay would take the link down
  end

  // --- transmitter ---
  logic [2:0] taken = 3'd0;
  logic       s_ready, take, close, some, room, close_right, acknowledged, some_behind, replay_begin;
  logic [9:0] oldest, next, send_number;
  logic [3:0] close_count, frame_count, get_flit, put_flit, send_count;
  logic [9:0] close_types, frame_types, send_types;
  logic       frame, get_frame, send_flit, send_again, send_word, send_pass, send_break, send_hello;
  logic [9:0] b_acknowledge;
  logic [1:0] b_wanted;
  logic       b_valid = 1'b0;
  wire        heard = b_valid && listen && !rst;
  glk_link_window #(.FRAMES(2)) window (
    .clk, .clear(rst), .oldest, .next, .some, .room, .close, .acknowledge(b_acknowledge), .take(heard),
    .right(close_right), .news(acknowledged), .some_behind);
  glk_link_send #(.FRAMES(2), .FLITS(FLITS)) send (
    .clk, .rst, .clear(rst), .stop(rst), .go(1'b1), .s_type({2'b0, taken}), .s_valid, .s_ready, .take, .up(!rst && past_valid),
    .answer(1'b0), .hello_due(1'b0), .greet(), .lost, .oldest, .next, .some, .room, .close, .close_count, .close_types,
    .frame, .frame_count, .frame_types, .get_frame, .get_flit, .put_flit, .acknowledged(heard && acknowledged),
    .wanted(heard && b_wanted != 2'd0), .wanted_pass(b_wanted[1]), .wanted_some(some_behind), .resumed(1'b0),
    .resumed_some(1'b0), .word_due, .replay_over, .replay_begin, .send_flit, .send_again, .send_hello, .send_ready(),
    .send_block(), .send_break, .send_word, .send_count, .send_types, .send_number, .send_pass, .e_replay(), .e_frame());

  logic         put = 1'b0, put_frame;
  logic [3:0]   put_at;
  logic [2:0]   put_data;
  logic [127:0] again;
  glk_link_replay #(.FRAMES(2), .FLITS(FLITS)) replay (
    .clk, .put, .put_frame, .put_flit(put_at), .put_data({125'b0, put_data}), .close, .close_frame(next[0]), .close_count,
    .close_types, .frame, .count(frame_count), .types(frame_types), .get_frame, .get_flit, .data(again));
  logic       a_flit = 1'b0, a_again, a_word = 1'b0, a_pass;
  logic [9:0] a_types, a_number;
  logic [3:0] a_count;
  always_ff @(posedge clk) begin
    put       <= take;
    put_frame <= next[0];
    put_at    <= put_flit;
    put_data  <= taken;
    taken     <= taken + 3'(take);
    a_flit    <= send_flit || send_again;
    a_again   <= send_again;
    a_word    <= send_word;
    a_pass    <= send_pass;
    a_types   <= send_types;
    a_number  <= send_number;
    a_count   <= send_count;
    if (rst) begin
      a_flit <= 1'b0;
      a_word <= 1'b0;
    end
  end

  // --- the link ---
  wire        comes    = (a_flit || a_word) && !lose;
  wire [2:0]  a_data   = a_again ? again[2:0] : put_data;
  logic [1:0] count = 2'd0; // data blocks at the receiver; 3: more than 2
  logic       dirty = 1'b0; // they differ from those sent
  wire        is_word = comes && (a_word || turn);
  wire        right   = is_word && a_word && !dirty && !harm;
  wire        wrong   = is_word && !right && count != 2'd0;
  logic [2:0] flits [0:1];
  always_ff @(posedge clk) begin
    if (is_word)
      count <= 2'd0;
    else if (comes && count != 2'd3) begin
      count <= count + 2'd1;
      if (!count[1])
        flits[count[0]] <= a_data;
    end
    if (a_flit && (lose || harm || turn))
      dirty <= 1'b1;
    if (a_word && (is_word || count == 2'd0))
      dirty <= 1'b0;
    else if (a_word)
      dirty <= 1'b1;
  end

  // --- receiver ---
  logic       r_take, missing, missing_pass;
  logic [9:0] expected;
  glk_link_receive receive (
    .clk, .clear(rst), .stop(rst), .word(right), .wrong, .flits(a_count), .number(a_number), .pass(a_pass), .take(r_take),
    .now(), .soon(), .e_early(), .e_again(), .expected, .missing, .missing_pass);
  always_ff @(posedge clk) begin
    if (speak) begin
      b_valid       <= 1'b1;
      b_acknowledge <= expected;
      b_wanted      <= missing ? (missing_pass ? 2'd2 : 2'd1) : 2'd0;
    end
    if (rst)
      b_valid <= 1'b0;
  end

  // --- checks ---
  logic [2:0] come = 3'd0;
  logic [5:0] still = 6'd0;
  logic       replayed = 1'b0;
  always_ff @(posedge clk) begin
    if (r_take)
      come <= come + a_count[2:0];
    still <= (rst || !good || (!some && s_ready) || (heard && acknowledged)) ? 6'd0 : still + 6'(still != 6'd63);
    replayed <= replayed || (right && a_pass && r_take && a_count == 4'd2 && come != 3'd0);
    if (past_valid && !rst) begin
`ifdef REACHED
      assert(!replayed);
      assert(!(heard && acknowledged && missing));
      assert(!(replayed && come == 3'd6));
      assert(!(right && a_count != 4'd0 && a_number + 10'd1 == expected)); // received again
`endif
`ifdef FRAMES
      if (r_take) begin
        assert(a_count <= 4'd2 && count == a_count[1:0]);
        assert(flits[0] == come && a_types[4:0] == {2'b0, come});
        if (a_count[1])
          assert(flits[1] == come + 3'd1 && a_types[9:5] == {2'b0, come + 3'd1});
      end
      if (heard)
        assert(close_right);
      assert(expected - oldest <= 10'd2);
      assert(!send_break && !send_hello);
`endif
`ifdef REST
      assert(still < 6'd16);
`endif
    end
  end
endmodule
`default_nettype wire
