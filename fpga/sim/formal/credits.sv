// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Credits of one class: pieces that one card sends and the other consumes from a receiver buffer of 1 to 15, with the credit
// returned in control words. The link stores two sent words for any time; each arrives never, late, repeatedly or out of order,
// and so does the word that is sent in this clock. The sender takes a piece when glk_class_credits has credit and sends up to 3
// at once. The link goes down and up, and the session ends. Asserted under CREDITS:
//   pieces sent and not consumed never exceed the buffer;
//   the sender's credits are the buffer size less the pieces not yet acknowledged, so no credit is lost for good;
//   a valid word is accepted and evaluated; a word that acknowledges unsent pieces is invalid; one so far behind that it must
//   be late is valid;
//   a count not announced since the link came up is marked as news until a word announces it.
// Under REACHED the negated covers are asserted; each must fail.
module credits (
  input logic        clk,
  input logic        rst,
  input logic [3:0]  of_room,
  input logic        take,    // takes a piece, if there is credit
  input logic        flit,    // sends the pieces taken
  input logic [2:0]  free,    // pieces consumed
  input logic        word,    // a word with the credit is sent
  input logic [1:0]  keep,    // and stored in this slot
  input logic        come,    // a word arrives:
  input logic [1:0]  which,   // from this slot, or the one being sent
  input logic [11:0] any,     // an arbitrary other count
  input logic        fresh,   // the link comes up
  input logic        down,
  input logic        clear    // the session ends
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

  // --- the sender: its credits, and pieces taken but not sent ---
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
    .reported(1'b0), .freed(unused_freed), .news(unused_news));
  always_ff @(posedge clk) begin
    give  <= more_valid;
    given <= more;
    taken <= (sends ? 2'd0 : taken) + 2'(takes);
    if (clear || rst) begin // starts with the size of the other's buffer
      give  <= 1'b1;
      given <= {8'd0, of_room};
      taken <= 2'd0;
    end
  end

  // --- the receiver ---
  logic [11:0] freed, unused_more;
  logic        news, unused_right, unused_valid;
  wire         reported = word && up;
  glk_link_credits receiver (
    .clk, .clear(clear || rst), .sent(3'd0), .credit(12'd0), .take(1'b0), .right(unused_right), .more(unused_more),
    .more_valid(unused_valid), .freed_more({9'd0, free}), .fresh, .reported, .freed, .news);

  // --- control words ---
  logic [11:0] said_0, said_1;
  logic [1:0]  said = 2'd0; // slots in use
  assign hears  = come && (which[1] ? reported : said[which[0]]) && !rst;
  assign credit = !hears ? any : which[1] ? freed : which[0] ? said_1 : said_0;

  // --- reference counts ---
  logic [7:0] all_sent = '0, all_freed = '0, all_heard = '0, last = '0;
  logic       reported_once = 1'b0; // since the link came up
  wire  [11:0] ahead = credit - {4'd0, all_heard};
  wire  [7:0]  sent_now = all_sent + {5'd0, sent};
  wire  [7:0]  unheard = sent_now - all_heard;
  logic [7:0]  has;             // credits of the sender, wherever they are
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
    if (reported && keep[0])
      said_0 <= freed;
    if (reported && keep[1])
      said_1 <= freed;
    said      <= said | (reported ? keep : 2'd0);
    all_sent  <= sent_now;
    all_freed <= all_freed + {5'd0, free};
    if (hears && ahead <= {4'd0, unheard})
      all_heard <= credit[7:0];
    has <= has - 8'(takes) + (more_valid ? more[7:0] : 8'd0);
    if (reported)
      last <= all_freed;
    reported_once <= (reported_once || reported) && !fresh;
    come_late <= come_late || (hears && ahead > 12'd2048);
    full      <= full || (all_sent - all_freed == {4'd0, of_room} && room > 4'd4);
    if (clear || rst) begin
      said      <= 2'd0;
      all_sent  <= '0;
      all_freed <= '0;
      all_heard <= '0;
      last      <= '0;
      reported_once <= 1'b0;
      has       <= {4'd0, of_room};
      come_late <= 1'b0;
      full      <= 1'b0;
    end
    if (past_valid && !rst) begin
`ifdef REACHED
      assert(!(come_late && full && all_heard == 8'd4 && all_sent > 8'd6));
      assert(!(all_sent > 8'd4 && all_freed == all_sent && has == {4'd0, of_room}));
      assert(!(hears && more_valid && up && !reported_once && all_sent != '0)); // up again; an earlier count arrives
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
        assert(news == (!reported_once || last != all_freed));
      assert(freed == {4'd0, all_freed});
`endif
    end
  end

  // --- glk_class_credits: when nothing is pending, `some` is exact ---
  logic [1:0] quiet = 2'd0;
  always_ff @(posedge clk) begin
    quiet <= (takes || more_valid || clear || rst) ? 2'd0 : quiet + 2'(quiet != 2'd3);
`ifdef CREDITS
    if (past_valid && !rst && quiet == 2'd3)
      assert(some == (has != '0));
`endif
  end
endmodule
`default_nettype wire
