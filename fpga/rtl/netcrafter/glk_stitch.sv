// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Data path of the stitching engine: flit memory, and the parent flit as pieces are added. Commands arrive one clock after
// the decision and take effect one clock later, so that `parent` is complete in the clock in which it is reported to leave.
module glk_stitch #(
  parameter int FLITS = 1024,
  parameter int AW      = $clog2(FLITS)
) (
  input  logic          clk,

  // Flit write port; data is zero-padded
  input  logic          put,
  input  logic [AW-1:0] put_at,
  input  logic [127:0]  put_data,

  // Command: parent_begin makes the flit at parent_at the parent, parent_add appends it
  input  logic          parent_begin,
  input  logic          parent_add,
  input  logic [AW-1:0] parent_at,
  input  logic [6:3]    parent_room, // thermometer code, bit n: the parent has room for 2 n bytes
  input  logic          parent_tail, // a tail: insert parent_prefix
  input  logic [15:0]   parent_prefix,
  output logic [127:0]  parent
);
  (* ram_style = "block" *) logic [127:0] flits [0:(1<<AW)-1];

  logic [127:0] read, kept;
  logic         is_begin, is_add, is_tail;
  logic [6:3]   is_room;
  logic [15:0]  is_prefix;

  always_ff @(posedge clk) begin
    if (put)
      flits[put_at] <= put_data;
    read      <= flits[parent_at];
    is_begin  <= parent_begin;
    is_add    <= parent_add;
    is_room   <= parent_room;
    is_tail   <= parent_tail;
    is_prefix <= parent_prefix;
  end

  // Append position: the more room, the fewer bytes the parent has (4, 6, 8, 10 or 12).
  wire [127:0] piece = is_tail ? {read[111:0], is_prefix} : read;
  always_comb begin
    parent = kept;
    if (is_begin)
      parent = read;
    else if (is_add)
      parent = kept | ((is_room[6] ? piece : '0) << 32) | ((is_room[5] && !is_room[6] ? piece : '0) << 48) |
               ((is_room[4] && !is_room[5] ? piece : '0) << 64) | ((is_room[3] && !is_room[4] ? piece : '0) << 80) |
               ((is_room[3] ? '0 : piece) << 96);
  end
  always_ff @(posedge clk)
    kept <= parent;
endmodule
`default_nettype wire
