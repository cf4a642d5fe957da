// SPDX-License-Identifier: Apache-2.0
// The frames that are kept: from the oldest that is not acknowledged to the one that is open or will be. What an acknowledgement
// says is said of the frames behind a clock's sending.
module glk_link_window #(
  parameter int FRAMES = 64 // power of two, 2..512
) (
  input  logic       clk,
  input  logic       clear,       // a session is over

  output logic [9:0] oldest,
  output logic [9:0] next,
  output logic       some,        // frames are kept
  output logic       room,        // for one more

  input  logic       close,       // the open frame is complete: it is kept

  // A word that comes.
  input  logic [9:0] acknowledge,
  input  logic       take,        // it is right
  output logic       right,       // it says nothing of frames that were not sent
  output logic       news,        // and something new
  output logic       some_behind  // frames are kept behind it
);
  localparam int A = $clog2(FRAMES);

  logic [9:0] kept;
  wire  [9:0] one_more = kept + 10'd1;
  wire  [9:0] after = next + 10'd1;
  wire  [9:0] progress = acknowledge - oldest;
  wire        covered = close ? progress <= one_more : progress <= kept; // more: it is late, or wrong
  wire        none_behind = close ? acknowledge == after : acknowledge == next;

  assign some        = kept != '0;
  assign room        = !kept[A];
  assign right       = covered || progress[9];
  assign news        = covered && progress != '0;
  assign some_behind = covered ? !none_behind : some || close;

  always_ff @(posedge clk) begin
    if (take && covered) begin
      oldest <= acknowledge;
      kept   <= (close ? after : next) - acknowledge;
    end else if (close)
      kept <= one_more;
    if (close)
      next <= after;
    if (clear) begin
      oldest <= '0;
      next   <= '0;
      kept   <= '0;
    end
  end
endmodule
