// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Sessions: two cards, connected by a channel each way that delays up to two hello or ready messages for any time, in order,
// and may lose them, the arriving one included; a message may have another version or be malformed. At any time a channel is
// cut, a card is reset, detects a protocol error, or gives up after its replays. An epoch of a card ends when it clears its
// state; epochs are counted here. Asserted:
//   EPOCHS  A card comes up only with a peer that has seen its present epoch. It resumes only a session begun in this epoch,
//           with the peer's epoch in which it began, and begins a new one only if none began in this epoch. When both are up,
//           each holds the other's session number and epoch. A frame of another session is never accepted. A reset, a protocol
//           error, a malformed hello and a hello of a card that has cleared its state end the session. No session number is 0.
//   MEET    Without faults and resets both come up within 20 clocks, with a hello of 2 clocks sent every one or two clocks, and
//           stay up.
// To keep the proof short, a hello takes 2 clocks, session numbers start at FFFE and FFFF, and no card clears its state more
// than three times. Under REACHED the negated covers are asserted; each must fail.
module session (
  input logic        clk,
  input logic        rst,
  input logic [1:0]  hello_a, // clocks between two hellos, less 1
  input logic [1:0]  hello_b,
  input logic [1:0]  busy,    // the transmitter is busy: no hello can begin
  input logic [1:0]  late,    // the message to this card is delayed
  input logic [1:0]  lose,    // it is lost, on the wire or while it arrives
  input logic [1:0]  strange, // it has another version
  input logic [1:0]  bad,     // it is malformed
  input logic [1:0]  cut,
  input logic [1:0]  reset,
  input logic [1:0]  refused,
  input logic [1:0]  wrong,
  input logic [1:0]  lost,
  input logic        look,    // the frame that card a sends now is the watched one
  input logic        good     // no faults from now on
);
  logic past_valid = 1'b0, was_good = 1'b0;
  logic [1:0]  clocks_a, clocks_b;
  logic [1:0]  up, begun;
  always_ff @(posedge clk) begin
    past_valid <= 1'b1;
    was_good   <= good;
    clocks_a   <= hello_a;
    clocks_b   <= hello_b;
  end
  always_comb begin
    assume(rst == !past_valid);
    if (past_valid) assume(hello_a == clocks_a && hello_b == clocks_b);
    if (rst) assume(!good);
    if (was_good) assume(good);
    if (good) assume((busy | late | lose | strange | bad | cut | reset | refused | wrong | lost) == 2'd0);
`ifdef MEET
    assume((busy | strange | bad | refused | wrong | {hello_b[1], hello_a[1]}) == 2'd0); // subsumed by loss or reset
`else
    assume(!good);
    assume(hello_a == 2'd0 && hello_b == 2'd0); // `busy` delays them
`endif
    assume((lost & ~up) == 2'd0);
    assume((wrong & (~up | lost)) == 2'd0);
    assume((refused & ~begun) == 2'd0);
  end

  // --- the cards ---
  logic [1:0]  some, get;
  logic [10:0] a_hello, b_hello;
  logic [15:0] a_own, a_other, b_own, b_other;
  logic [1:0]  a_epoch, a_knows, a_with, b_epoch, b_knows, b_with;
  logic [1:0]  once_lost, ended, resumed;
  session_card a (
    .clk, .rst, .first(16'hfffe), .hello({1'b0, hello_a} + 3'd1), .busy(busy[0]), .late(late[0]), .lose(lose[0]),
    .strange(strange[0]),
    .bad(bad[0]), .cut(cut[0]), .reset(reset[0]), .refused(refused[0]), .wrong(wrong[0]), .lost(lost[0]),
    .up(up[0]), .begun(begun[0]), .own(a_own), .other(a_other), .epoch(a_epoch), .knows(a_knows), .w_epoch(a_with),
    .once_lost(once_lost[0]), .ended(ended[0]), .resumed(resumed[0]),
    .i_hello(b_hello), .i_some(some[1]), .i_get(get[0]), .o_hello(a_hello), .o_some(some[0]), .o_get(get[1]));
  session_card b (
    .clk, .rst, .first(16'hffff), .hello({1'b0, hello_b} + 3'd1), .busy(busy[1]), .late(late[1]), .lose(lose[1]),
    .strange(strange[1]),
    .bad(bad[1]), .cut(cut[1]), .reset(reset[1]), .refused(refused[1]), .wrong(wrong[1]), .lost(lost[1]),
    .up(up[1]), .begun(begun[1]), .own(b_own), .other(b_other), .epoch(b_epoch), .knows(b_knows), .w_epoch(b_with),
    .once_lost(once_lost[1]), .ended(ended[1]), .resumed(resumed[1]),
    .i_hello(a_hello), .i_some(some[0]), .i_get(get[1]), .o_hello(b_hello), .o_some(some[1]), .o_get(get[0]));

  // --- a frame of card a, sent at any time: the session numbers in its CRC, and its epochs ---
  logic        f_some = 1'b0;
  logic [15:0] f_own, f_other;
  logic [1:0]  f_epoch, f_with;
  always_ff @(posedge clk) begin
    if (look && up[0]) begin
      f_some <= 1'b1;
      {f_own, f_other, f_epoch, f_with} <= {a_own, a_other, a_epoch, a_with};
    end
    if (rst)
      f_some <= 1'b0;
  end

  logic [5:0] still = 6'd0; // clocks without faults
  logic [1:0] old = 2'd0;   // the session of the watched frame has ended
  always_ff @(posedge clk) begin
    still <= !good ? 6'd0 : still + 6'(still != 6'd63);
    if (past_valid && !rst) begin
`ifdef REACHED
      assert(!(up == 2'd3 && once_lost == 2'd3));
      assert(!(up == 2'd3 && resumed == 2'd3 && a_epoch == 2'd2));
      assert(!(up == 2'd3 && ended == 2'd1 && a_epoch == 2'd1)); // b was notified, and ended its session too
      assert(!(up == 2'd3 && a_epoch != 2'd0 && b_epoch != 2'd0 && f_some && f_own != a_own));
`endif
`ifdef EPOCHS
      if (up == 2'd3) begin
        assert(a_own == b_other && b_own == a_other);
        assert(a_with == b_epoch && b_with == a_epoch);
      end
      if (f_some && up[1] && f_own == b_other && f_other == b_own)
        assert(f_epoch == b_with && f_with == b_epoch);
`endif
`ifdef MEET
      assert(still < 6'd20 || up == 2'd3);
`endif
    end
  end
endmodule

// A card: its session, its transmitter, the channel to the other card, and the injected faults.
module session_card (
  input  logic        clk,
  input  logic        rst,
  input  logic [15:0] first,
  input  logic [2:0]  hello,
  input  logic        busy,
  input  logic        late,
  input  logic        lose,
  input  logic        strange,
  input  logic        bad,
  input  logic        cut,
  input  logic        reset,
  input  logic        refused,
  input  logic        wrong,
  input  logic        lost,
  output logic        up,
  output logic        begun,
  output logic [15:0] own,
  output logic [15:0] other,
  output logic [1:0]  epoch,     // its own
  output logic [1:0]  knows,     // the peer's, as last heard
  output logic [1:0]  w_epoch,   // the peer's when the session began
  output logic        once_lost,
  output logic        ended,
  output logic        resumed,
  input  logic [10:0] i_hello,
  input  logic        i_some,
  output logic        i_get,
  output logic [10:0] o_hello,   // the first in the channel
  output logic        o_some,
  input  logic        o_get
);
  // --- input: a data block and the control word; the second data block (buffer sizes) was given once, during reset ---
  logic        i_on = 1'b0;  // the control word is next
  logic [4:0]  held;         // ready; epoch of the session it names; epoch of its sender
  wire         gone  = reset || refused;
  wire         shown = i_on ? !lose : (i_some && !late && !lose);
  wire         whole = shown && i_on && !gone;
  assign i_get = !i_on && i_some && (lose || !late);
  always_ff @(posedge clk) begin
    i_on <= shown && !i_on && !gone && !cut && !rst;
    if (!i_on)
      held <= {i_hello[10], i_hello[3:0]};
  end
  logic [127:0] data;
  always_comb begin
    data = {16'd0, {13{i_hello[9]}}, i_hello[9:7], {13{i_hello[6]}}, i_hello[6:4], 8'd3, strange ? 8'd2 : 8'd1, 64'd9};
    if (rst)
      data = {80'd0, 16'd132, 16'd2, 16'd388};
  end

  // --- session ---
  logic       answer, hello_due, stop, clear, comes_up, resumes, e_protocol, e_version;
  logic       sends = 1'b0; // the rest of a hello
  wire        greet = !sends && !busy && (answer || (!up && hello_due));
  glk_link_session #(.W(3)) dut (
    .clk, .rst, .cfg_session(first), .cfg_hello(hello), .received_data(data), .received_flit(rst || (shown && !i_on && !gone)),
    .received_index({3'd0, rst}), .received_hello(whole), .received_flits(4'd2), .received_ready(held[4]),
    .received_plain(!bad), .received_cut(cut), .received_reset(reset), .received_refused(refused),
    .received_wrong(wrong && !whole), .greet, .lost, .up, .begun, .answer, .hello_due, .own, .other, .stop, .clear,
    .comes_up, .resumes, .peer_serial(), .peer_cluster(), .peer_compact(), .room(), .e_protocol, .e_version);

  // --- output; the channel carries 3 bits of session numbers ---
  logic [10:0] wire_0, wire_1;
  wire  [10:0] said = {answer, other[2:0], own[2:0], knows, epoch};
  logic [1:0]  number = 2'd0; // messages in the channel
  wire  [1:0]  left = number - 2'(o_get);
  assign o_some  = number != 2'd0;
  assign o_hello = wire_0;
  always_ff @(posedge clk) begin
    sends <= greet && !rst;
    if (o_get)
      wire_0 <= wire_1;
    number <= left + 2'(greet && left != 2'd2);
    if (greet && left == 2'd0)
      wire_0 <= said;
    if (greet && left == 2'd1)
      wire_1 <= said;
    if (rst)
      number <= 2'd0;
  end

  // --- epochs ---
  logic        was; // a session has begun in this epoch
  logic        whose_strange;
  wire  [1:0]  now = epoch + 2'(clear);
  always_comb
    assume(rst || !clear || epoch != '1);
  wire         heard = whole && !bad && !whose_strange;
  always_ff @(posedge clk) begin
    if (!i_on)
      whose_strange <= strange;
    epoch <= now;
    was   <= (was && !clear) || comes_up;
    if (heard)
      knows <= held[1:0];
    if (comes_up && !(was && !clear))
      w_epoch <= held[1:0];
    once_lost <= once_lost || (lost && was);
    ended     <= ended || ((reset || refused) && begun);
    resumed   <= resumed || resumes;
    if (rst)
      {epoch, was, knows, w_epoch, once_lost, ended, resumed} <= '0;
    if (!rst) begin
`ifdef EPOCHS
      assert(own != '0 && own == {{13{own[2]}}, own[2:0]} && other == {{13{other[2]}}, other[2:0]});
      if (comes_up)
        assert(heard && held[3:2] == now);
      if (resumes)
        assert(was && !clear && held[1:0] == w_epoch);
      if (comes_up && !resumes)
        assert(!was || clear);
      if (reset || refused || (wrong && !whole) || (up && !lost && whole && (bad || whose_strange)) ||
          (was && heard && held[1:0] != w_epoch))
        assert(clear);
`endif
    end
  end
endmodule
`default_nettype wire
