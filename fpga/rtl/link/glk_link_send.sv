// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Transmit scheduler of the link layer. Per clock with `go`, the first applicable of:
//   1. the next block of what has begun: hello or ready; replayed frame; open frame (the flit taken in this clock, or its
//      link word if there is none or the frame is full)
//   2. a pending ready, or a hello that is due
//   3. the first block of the next frame of a replay
//   4. a link word that is due
// The decision depends on registers and s_valid only; what is received in the same clock takes effect afterwards.
// Reference model: fpga/model/link/link_send.c.
module glk_link_send #(
  parameter int FRAMES = 64, // replay buffer depth; power of two
  parameter int FLITS  = 11, // maximum of a frame
  parameter int A      = $clog2(FRAMES),
  parameter int TW     = 5 * FLITS
) (
  input  logic          clk,
  input  logic          rst,
  input  logic          clear,        // end of session
  input  logic          stop,         // link goes down
  input  logic          go,           // the wire takes a block of this clock

  input  logic [4:0]    s_type,
  input  logic          s_valid,
  output logic          s_ready,
  output logic          take,

  // Session
  input  logic          up,
  input  logic          answer,       // a ready is pending
  input  logic          hello_due,    // only while down
  output logic          greet,        // a hello or ready begins
  output logic          lost,         // the 17th replay without progress would begin: link down from this clock on

  // Replay buffer
  input  logic [9:0]    oldest,
  input  logic [9:0]    next,
  input  logic          some,
  input  logic          room,
  output logic          close,        // the open frame is complete
  output logic [3:0]    close_count,
  output logic [TW-1:0] close_types,
  output logic [A-1:0]  frame,        // lookup of a frame's flit count and types
  input  logic [3:0]    frame_count,
  input  logic [TW-1:0] frame_types,
  output logic [A-1:0]  get_frame,
  output logic [3:0]    get_flit,
  output logic [3:0]    put_flit,     // index of the taken flit in the open frame

  // Events received in this clock
  input  logic          acknowledged, // progress: an acknowledgement of new frames
  input  logic          wanted,       // replay request,
  input  logic          wanted_pass,  // for this pass,
  input  logic          wanted_some,  // with unacknowledged frames
  input  logic          resumed,      // the session resumes
  input  logic          resumed_some, // with unacknowledged frames

  input  logic          word_due,
  input  logic          replay_over,  // REPLAY_CYCLES without an acknowledgement
  output logic          replay_begin, // restarts that timer

  // Transmit decision
  output logic          send_flit,  // the flit taken
  output logic          send_again, // block from the replay buffer
  output logic          send_hello, // block of a hello or ready
  output logic          send_ready, // it is a ready
  output logic [1:0]    send_block, // block 0, 1, or 2: the word
  output logic          send_break,
  output logic          send_word,
  output logic [3:0]    send_count,
  output logic [TW-1:0] send_types,
  output logic [9:0]    send_number,
  output logic          send_pass,

  output logic          e_replay,
  output logic          e_frame       // a frame was replayed
);
  localparam logic [4:0] REPLAYS = 5'd16; // maximum in a row without progress

  logic [3:0]    open;        // flits in the open frame
  logic [TW-1:0] types;
  logic [1:0]    hello;       // next block of a hello or ready; 0: none in progress
  logic          hello_ready; // it is a ready
  logic          broken;      // data blocks were sent without a link word after them
  logic          replaying, replay_wanted;
  logic [9:0]    replay;      // frame being replayed
  logic [3:0]    replay_flit; // its next flit; 0: none sent
  logic [3:0]    replay_count;
  logic [TW-1:0] replay_types;
  logic [4:0]    replays;     // replays in a row without progress
  logic          pass;

  // --- in progress ---
  wire in_hello  = hello != 2'd0;
  wire in_replay = !in_hello && replay_flit != 4'd0;
  wire in_open   = up && !in_hello && !in_replay && open != 4'd0;
  wire full      = open == 4'(FLITS);

  assign s_ready = go && up && !answer && !in_hello && !replaying && !replay_wanted && (open != 4'd0 ? !full : room);
  assign take    = s_valid && s_ready;
  // A frame left open when the link went down is closed with the flits it has.
  assign close       = (go && in_open && !take) || (!up && open != 4'd0);
  assign close_count = open;
  assign close_types = types;
  assign put_flit    = open;

  wire [9:0] replay_next = replay + 10'd1;
  wire replay_word = go && in_replay && replay_flit == replay_count;
  wire replay_end  = replay_word && replay_next == next;

  // --- arbitration between frames ---
  wire   idle  = go && !in_hello && !in_replay && !in_open;
  wire   meet  = idle && (answer || (!up && hello_due));
  assign greet = meet && !broken;

  // Next frame of the replay; frames acknowledged meanwhile are skipped.
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

  assign send_flit   = take;
  assign send_again  = begins || (go && in_replay && !replay_word);
  assign send_hello  = greet || (go && in_hello);
  assign send_ready  = hello_ready;
  assign send_block  = hello;
  assign send_break  = meet && broken;
  assign send_word   = (go && in_open && !take) || replay_word || word_alone;
  assign send_count  = in_open ? open : replay_word ? replay_count : 4'd0;
  assign send_types  = in_open ? types : replay_word ? replay_types : '0;
  assign send_number = replay_word ? replay : next;
  assign send_pass   = pass ^ anew;
  assign e_replay    = anew;
  assign e_frame     = replay_word;

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
    if (send_hello)
      hello <= hello == 2'd2 ? 2'd0 : hello + 2'd1;
    if (take || send_again || (send_hello && hello != 2'd2))
      broken <= 1'b1;
    else if (send_word || send_hello || send_break)
      broken <= 1'b0;

    if (begins) begin
      replay       <= from;
      replay_flit  <= 4'd1;
      replay_count <= frame_count;
      replay_types <= frame_types;
    end else if (replay_word) begin
      replay      <= replay_next;
      replay_flit <= 4'd0;
    end else if (go && in_replay)
      replay_flit <= replay_flit + 4'd1;
    if (step)
      replaying <= begins;
    else if (replay_end)
      replaying <= 1'b0;
    pass <= send_pass;

    if (step)
      replay_wanted <= 1'b0;
    if (timed_out || (wanted && wanted_pass == send_pass && wanted_some))
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
`default_nettype wire
