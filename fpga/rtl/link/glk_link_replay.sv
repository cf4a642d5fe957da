// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Replay buffer: flits and flit types of the frames that are not acknowledged.
module glk_link_replay #(
  parameter int FRAMES = 64, // power of two
  parameter int FLITS  = 11,
  parameter int A      = $clog2(FRAMES)
) (
  input  logic               clk,

  // Writes a flit of the open frame
  input  logic               put,
  input  logic [A-1:0]       put_frame,
  input  logic [3:0]         put_flit,
  input  logic [127:0]       put_data,

  // Closes the open frame
  input  logic               close,
  input  logic [A-1:0]       close_frame,
  input  logic [3:0]         close_count,
  input  logic [5*FLITS-1:0] close_types,

  input  logic [A-1:0]       frame,
  output logic [3:0]         count,
  output logic [5*FLITS-1:0] types,

  input  logic [A-1:0]       get_frame,
  input  logic [3:0]         get_flit,
  output logic [127:0]       data       // one clock of latency
);
  (* ram_style = "block" *)       logic [127:0]       flits [0:16*FRAMES-1];
  (* ram_style = "distributed" *) logic [5*FLITS+3:0] words [0:FRAMES-1];

  assign {count, types} = words[frame];

  always_ff @(posedge clk) begin
    if (put)
      flits[{put_frame, put_flit}] <= put_data;
    data <= flits[{get_frame, get_flit}];
    if (close)
      words[close_frame] <= {close_count, close_types};
  end
endmodule
`default_nettype wire
