// SPDX-License-Identifier: Apache-2.0
// The replay memory: the flits of the frames that are kept, and their types.
module glk_link_replay #(
  parameter int FRAMES = 64, // power of two
  parameter int FLITS  = 11,
  parameter int A      = $clog2(FRAMES)
) (
  input  logic               clk,

  // A flit, into the frame that is open.
  input  logic               put,
  input  logic [A-1:0]       put_frame,
  input  logic [3:0]         put_flit,
  input  logic [127:0]       put_data,

  // The frame is complete.
  input  logic               close,
  input  logic [A-1:0]       close_frame,
  input  logic [3:0]         close_count,
  input  logic [5*FLITS-1:0] close_types,

  input  logic [A-1:0]       frame,
  output logic [3:0]         count,
  output logic [5*FLITS-1:0] types,

  input  logic [A-1:0]       get_frame,
  input  logic [3:0]         get_flit,
  output logic [127:0]       data       // a clock later
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
