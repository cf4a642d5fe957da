// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Transmit window of the replay protocol: frames from the oldest unacknowledged one to the open or next one. A received
// acknowledgement is applied after the transmit decision of the same clock.
module glk_link_window #(
  parameter int FRAMES = 64 // window size; power of two, 2..512
) (
  input  logic       clk,
  input  logic       clear,       // end of session

  output logic [9:0] oldest,
  output logic [9:0] next,
  output logic       some,        // unacknowledged frames exist
  output logic       room,        // window not full

  input  logic       close,       // the open frame is complete and enters the window

  // Received acknowledgement
  input  logic [9:0] acknowledge,
  input  logic       take,        // the link word is valid: apply
  output logic       right,       // does not exceed the frames sent
  output logic       news,        // acknowledges new frames
  output logic       some_behind  // unacknowledged frames remain afterwards
);
  localparam int A = $clog2(FRAMES);

  logic [9:0] kept;
  wire  [9:0] one_more = kept + 10'd1;
  wire  [9:0] after = next + 10'd1;
  wire  [9:0] progress = acknowledge - oldest;
  wire        covered = close ? progress <= one_more : progress <= kept; // else stale or invalid
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
`default_nettype wire
