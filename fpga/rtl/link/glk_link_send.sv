// SPDX-License-Identifier: Apache-2.0
// The sending side: what goes out at a clock. Of what could, the first of these does:
//   what has begun goes on: a hello or ready; a frame that is sent again; the open frame, which is the flit taken at this clock
//     or, when there is none or it is full, its word
//   a ready that is owed, or a hello that is due
//   the first block of the next frame of a replay
//   a word that is due
// All is decided by the registers and by whether there is a flit; what comes in at the clock comes behind it.
// fpga/model/link/link_send.c says the same.
module glk_link_send #(
  parameter int FRAMES = 64, // kept; power of two
  parameter int FLITS  = 11, // of a frame
  parameter int A      = $clog2(FRAMES),
  parameter int TW     = 5 * FLITS
) (
  input  logic          clk,
  input  logic          rst,
  input  logic          clear,        // a session is over
  input  logic          stop,         // the link goes down

  input  logic [4:0]    s_type,
  input  logic          s_valid,
  output logic          s_ready,
  output logic          take,

  // The session.
  input  logic          up,
  input  logic          answer,       // a ready is owed
  input  logic          hello_due,    // while down
  output logic          greet,        // a hello or ready begins
  output logic          lost,         // a 17th replay would begin: down from this clock on

  // The frames that are kept.
  input  logic [9:0]    oldest,
  input  logic [9:0]    next,
  input  logic          some,
  input  logic          room,
  output logic          close,        // one more is
  output logic [3:0]    close_count,
  output logic [TW-1:0] close_types,
  output logic [A-1:0]  frame,        // asked of the replay memory: how many flits it has, and their types
  input  logic [3:0]    frame_count,
  input  logic [TW-1:0] frame_types,
  output logic [A-1:0]  get_frame,
  output logic [3:0]    get_flit,
  output logic [3:0]    put_flit,     // the flit taken is this one of the open frame

  // What came in at this clock.
  input  logic          acknowledged, // something new
  input  logic          wanted,       // all again of which something is missing,
  input  logic          wanted_pass,  // in this pass,
  input  logic          wanted_some,  // if something is kept
  input  logic          resumed,      // the session goes on:
  input  logic          resumed_some, // with something kept

  input  logic          word_due,
  input  logic          replay_over,  // nothing was acknowledged for so long
  output logic          replay_begin, // that begins anew

  // What goes out.
  output logic          o_flit,       // the one taken
  output logic          o_again,      // what was asked of the replay memory
  output logic          o_hello,      // of a hello or ready
  output logic          o_ready,      // a ready
  output logic [1:0]    o_block,      // block 0, 1, or the word
  output logic          o_break,
  output logic          o_word,
  output logic [3:0]    o_count,
  output logic [TW-1:0] o_types,
  output logic [9:0]    o_number,
  output logic          o_pass,

  output logic          e_replay,
  output logic          e_frame       // sent again
);
  localparam logic [4:0] REPLAYS = 5'd16; // in a row without progress

  logic [3:0]    open;        // flits of the open frame
  logic [TW-1:0] types;
  logic [1:0]    hello;       // next block of a hello or ready, 0: none is on its way
  logic          hello_ready; // it is a ready
  logic          broken;      // data blocks went out that no word has followed
  logic          replaying, replay_wanted;
  logic [9:0]    replay;      // the frame that is sent again,
  logic [3:0]    replay_flit; // its next flit, 0: none has gone out,
  logic [3:0]    replay_count;
  logic [TW-1:0] replay_types;
  logic [4:0]    replays;     // in a row without progress
  logic          pass;

  // --- what has begun ---
  wire in_hello  = hello != 2'd0;
  wire in_replay = !in_hello && replay_flit != 4'd0;
  wire in_open   = up && !in_hello && !in_replay && open != 4'd0;
  wire full      = open == 4'(FLITS);

  assign s_ready = up && !answer && !in_hello && !replaying && !replay_wanted && (open != 4'd0 ? !full : room);
  assign take    = s_valid && s_ready;
  // A frame that was open when the link went down is complete as it is.
  assign close       = (in_open && !take) || (!up && open != 4'd0);
  assign close_count = open;
  assign close_types = types;
  assign put_flit    = open;

  wire [9:0] replay_next = replay + 10'd1;
  wire replay_word = in_replay && replay_flit == replay_count;
  wire replay_end  = replay_word && replay_next == next;

  // --- what begins ---
  wire   idle  = !in_hello && !in_replay && !in_open;
  wire   meet  = idle && (answer || (!up && hello_due));
  assign greet = meet && !broken;

  // At the border of two frames: where does the replay go on? What lies before the oldest has come meanwhile.
  wire   step   = up && idle && !answer && (replaying || replay_wanted);
  wire   anew   = step && replay_wanted;
  assign lost   = anew && replays == REPLAYS;
  wire   behind = replay - oldest > next - oldest;
  wire   from_oldest = replay_wanted || behind;
  wire [9:0] from = from_oldest ? oldest : replay;
  wire   begins = step && !lost && (from_oldest ? some : replay != next);
  assign frame  = from[A-1:0];

  wire   word_alone = up && idle && !take && !answer && !begins && !lost && word_due;

  assign get_frame = begins ? from[A-1:0] : replay[A-1:0];
  assign get_flit  = begins ? 4'd0 : replay_flit;

  assign o_flit   = take;
  assign o_again  = begins || (in_replay && !replay_word);
  assign o_hello  = greet || in_hello;
  assign o_ready  = hello_ready;
  assign o_block  = hello;
  assign o_break  = meet && broken;
  assign o_word   = (in_open && !take) || replay_word || word_alone;
  assign o_count  = in_open ? open : replay_word ? replay_count : 4'd0;
  assign o_types  = in_open ? types : replay_word ? replay_types : '0;
  assign o_number = replay_word ? replay : next;
  assign o_pass   = pass ^ anew;
  assign e_replay = anew;
  assign e_frame  = replay_word;

  assign replay_begin = (close && !some) || replay_end || acknowledged;
  wire   timed_out    = up && some && !replaying && !replay_wanted && replay_over;

  always_ff @(posedge clk) begin
    if (take) begin
      open <= open + 4'd1;
      for (int n = 0; n < FLITS; n = n + 1)
        if (open == 4'(n))
          types[5*n +: 5] <= s_type;
        else if (open == 4'd0)
          types[5*n +: 5] <= '0;
    end else if (close)
      open <= 4'd0;

    if (greet)
      hello_ready <= answer;
    if (o_hello)
      hello <= hello == 2'd2 ? 2'd0 : hello + 2'd1;
    if (take || o_again || (o_hello && hello != 2'd2))
      broken <= 1'b1;
    else if (o_word || o_hello || o_break)
      broken <= 1'b0;

    if (begins) begin
      replay       <= from;
      replay_flit  <= 4'd1;
      replay_count <= frame_count;
      replay_types <= frame_types;
    end else if (replay_word) begin
      replay      <= replay_next;
      replay_flit <= 4'd0;
    end else if (in_replay)
      replay_flit <= replay_flit + 4'd1;
    if (step)
      replaying <= begins;
    else if (replay_end)
      replaying <= 1'b0;
    pass <= o_pass;

    if (step)
      replay_wanted <= 1'b0;
    if (timed_out || (wanted && wanted_pass == o_pass && wanted_some))
      replay_wanted <= 1'b1;
    if (acknowledged)
      replays <= 5'd0;
    else if (anew)
      replays <= replays + 5'd1;

    if (stop) begin
      hello         <= 2'd0;
      replay_flit   <= 4'd0;
      replaying     <= 1'b0;
      replay_wanted <= 1'b0;
      replays       <= 5'd0;
    end
    if (resumed && resumed_some)
      replay_wanted <= 1'b1;
    if (clear) begin
      open <= 4'd0;
      pass <= 1'b0;
    end
    if (rst) begin
      broken        <= 1'b0;
      replay_wanted <= 1'b0;
    end
  end
endmodule
