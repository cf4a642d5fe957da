// SPDX-License-Identifier: Apache-2.0
// Credits of a class: the pieces that one card sends and the other deals with, of a room of any size up to 15, over words
// that say the credit. Of the words that went out two are kept, each for as long as it likes; either comes, again, late,
// out of order, or not at all, as does one that goes out at this clock. The sender takes a piece when glk_class_credits
// says that there is credit, and sends up to 3 at once. The link goes down and up, and the session ends. Proven:
//   CREDITS: what was sent and not dealt with is never more than the room; the sender's credits are the room less what was
//   sent and not heard of, so none is lost for good; what is true is right, and heard; a word that says what was not sent
//   is not right, one of so much less that it is late is; and what was not said since the link came up is news, until a
//   word says it.
// That is what is asserted; or REACHED: that what it speaks of cannot be.
module credits (
  input logic        clk,
  input logic        rst,
  input logic [3:0]  of_room,
  input logic        take,    // a piece, if there is credit
  input logic        flit,    // those taken are sent
  input logic [2:0]  free,    // pieces dealt with
  input logic        word,    // a word goes out with the credit
  input logic [1:0]  keep,    // in this place
  input logic        come,    // a word comes:
  input logic [1:0]  which,   // of which place, or what goes out now
  input logic [11:0] any,     // what another word would say
  input logic        fresh,   // the link comes up
  input logic        down,
  input logic        clear    // the session is over
);
  logic       past_valid = 1'b0, up = 1'b0;
  logic [3:0] room;
  always_ff @(posedge clk) begin
    past_valid <= 1'b1;
    room       <= of_room;
    up         <= (up && !down && !clear) || fresh;
    if (rst)
      up <= 1'b0;
  end

  // --- the sender: its credits, and pieces taken that are not sent ---
  logic        some, more_valid, right;
  logic [11:0] more, credit, given;
  logic        give = 1'b0;
  logic [1:0]  taken = 2'd0;
  wire         takes = take && some && taken != 2'd3;
  wire         sends = flit && up && !down;
  wire  [2:0]  sent  = sends ? {1'b0, taken} : 3'd0;
  glk_class_credits pieces (
    .clk, .rst(rst || clear), .add(give), .more(given), .take(takes), .back(1'b0), .some);
  logic [11:0] unused_freed;
  logic        unused_news;
  logic        hears;
  glk_link_credits sender (
    .clk, .clear(clear || rst), .sent, .credit, .take(hears), .right, .more, .more_valid, .freed_more(12'd0), .fresh(1'b0),
    .told(1'b0), .freed(unused_freed), .news(unused_news));
  always_ff @(posedge clk) begin
    give  <= more_valid;
    given <= more;
    taken <= (sends ? 2'd0 : taken) + 2'(takes);
    if (clear || rst) begin // it begins with the room of the other
      give  <= 1'b1;
      given <= {8'd0, of_room};
      taken <= 2'd0;
    end
  end

  // --- the receiver ---
  logic [11:0] freed, unused_more;
  logic        news, unused_right, unused_valid;
  wire         told = word && up;
  glk_link_credits receiver (
    .clk, .clear(clear || rst), .sent(3'd0), .credit(12'd0), .take(1'b0), .right(unused_right), .more(unused_more),
    .more_valid(unused_valid), .freed_more({9'd0, free}), .fresh, .told, .freed, .news);

  // --- words ---
  logic [11:0] said_0, said_1;
  logic [1:0]  said = 2'd0; // the places that have one
  assign hears  = come && (which[1] ? told : said[which[0]]) && !rst;
  assign credit = !hears ? any : which[1] ? freed : which[0] ? said_1 : said_0;

  // --- in truth ---
  logic [7:0] all_sent = '0, all_freed = '0, all_heard = '0, last = '0;
  logic       told_once = 1'b0; // since the link came up
  wire  [11:0] ahead = credit - {4'd0, all_heard};
  wire  [7:0]  sent_now = all_sent + {5'd0, sent};
  wire  [7:0]  unheard = sent_now - all_heard;
  logic [7:0]  has;             // credits that the sender has, wherever they are
  logic        come_late = 1'b0, full = 1'b0;
  always_comb begin
    assume(rst == !past_valid);
    if (past_valid) assume(of_room == room);
    assume(of_room != 4'd0);
    assume({5'd0, free} <= all_sent - all_freed);
    if (rst) assume(!fresh && !down && !clear && free == 3'd0);
    if (up && !clear && !down) assume(!fresh);
  end
  always_ff @(posedge clk) begin
    if (told && keep[0])
      said_0 <= freed;
    if (told && keep[1])
      said_1 <= freed;
    said      <= said | (told ? keep : 2'd0);
    all_sent  <= sent_now;
    all_freed <= all_freed + {5'd0, free};
    if (hears && ahead <= {4'd0, unheard})
      all_heard <= credit[7:0];
    has <= has - 8'(takes) + (more_valid ? more[7:0] : 8'd0);
    if (told)
      last <= all_freed;
    told_once <= (told_once || told) && !fresh;
    come_late <= come_late || (hears && ahead > 12'd2048);
    full      <= full || (all_sent - all_freed == {4'd0, of_room} && room > 4'd4);
    if (clear || rst) begin
      said      <= 2'd0;
      all_sent  <= '0;
      all_freed <= '0;
      all_heard <= '0;
      last      <= '0;
      told_once <= 1'b0;
      has       <= {4'd0, of_room};
      come_late <= 1'b0;
      full      <= 1'b0;
    end
    if (past_valid && !rst) begin
`ifdef REACHED
      assert(!(come_late && full && all_heard == 8'd4 && all_sent > 8'd6));
      assert(!(all_sent > 8'd4 && all_freed == all_sent && has == {4'd0, of_room}));
      assert(!(hears && more_valid && up && !told_once && all_sent != '0)); // again up, with what had been said before
      assert(!(all_sent == {5'd0, room[2:0]} && room == 4'd7 && !some && has == '0));
`endif
`ifdef CREDITS
      assert(all_sent - all_freed <= {4'd0, of_room});
      assert(has + {6'd0, taken} + (all_sent - all_heard) == {4'd0, of_room});
      assert(all_heard <= all_freed);
      assert(right == (ahead <= {4'd0, unheard} || ahead > 12'd2048));
      if (hears)
        assert(right && (ahead > 12'd2048 || more_valid == (credit[7:0] != all_heard)));
      if (up)
        assert(news == (!told_once || last != all_freed));
      assert(freed == {4'd0, all_freed});
`endif
    end
  end

  // --- what glk_class_credits makes of it: with nothing on the way, and nothing taken, there is some when there is some ---
  logic [1:0] quiet = 2'd0;
  always_ff @(posedge clk) begin
    quiet <= (takes || more_valid || clear || rst) ? 2'd0 : quiet + 2'(quiet != 2'd3);
`ifdef CREDITS
    if (past_valid && !rst && quiet == 2'd3)
      assert(some == (has != '0));
`endif
  end
endmodule
