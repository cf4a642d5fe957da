// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Bank of 64-bit counters in RAM, one row of COLUMNS counters per partition. Accepts one row update per clock as a
// single-cycle read-modify-write of the distributed RAM, so no forwarding is needed.
//
// A snapshot captures all rows in one clock by clearing a per-row `saved` flag. The first update of a row after the
// snapshot copies the old values aside; a snapshot read returns that copy, or the live row if no update has come since.
module glk_counter_bank #(
  parameter int ROWS    = 16,
  parameter int COLUMNS = 1,
  parameter int ADD_W   = 16,
  parameter int RW      = (ROWS > 1) ? $clog2(ROWS) : 1
) (
  input  logic                     clk,
  input  logic                     rst,

  input  logic                     update_valid,
  input  logic [RW-1:0]            update_row,
  input  logic [COLUMNS*ADD_W-1:0] update_add,
  input  logic                     snapshot, // includes all updates of earlier clocks

  // Snapshot read port: values of a row, one clock of latency
  input  logic [RW-1:0]            look_row,
  output logic [COLUMNS*64-1:0]    look_q
);
  localparam int W = COLUMNS * 64;

  (* ram_style = "distributed" *) logic [W-1:0] rows  [0:(1<<RW)-1];
  (* ram_style = "distributed" *) logic [W-1:0] aside [0:(1<<RW)-1];
  logic [ROWS-1:0] used;  // row written since power-on; an unused row reads as 0
  logic [ROWS-1:0] saved; // values at the last snapshot are in `aside`

  logic                     n_valid, n_snapshot;
  logic [RW-1:0]            n_row;
  logic [COLUMNS*ADD_W-1:0] n_add;
  logic [W-1:0]             sum;

  // Out-of-range rows are neither counted nor read.
  function row_in(input [ROWS-1:0] bits, input [RW-1:0] row);
    integer i;
    row_in = 1'b0;
    for (i = 0; i < ROWS; i = i + 1)
      if (row == RW'(i))
        row_in = bits[i];
  endfunction

  wire [W-1:0] old = rows[n_row] & {W{row_in(used, n_row)}};
  wire         save   = n_valid && (n_snapshot || !row_in(saved, n_row));

  genvar c;
  generate
    for (c = 0; c < COLUMNS; c = c + 1) begin : column
      assign sum[c*64 +: 64] = old[c*64 +: 64] + 64'(n_add[c*ADD_W +: ADD_W]);
    end
  endgenerate

  integer r;
  always_ff @(posedge clk) begin
    n_valid    <= update_valid;
    n_row      <= update_row;
    n_add      <= update_add;
    n_snapshot <= snapshot;
    if (n_valid)
      rows[n_row] <= sum;
    if (save)
      aside[n_row] <= old;
    for (r = 0; r < ROWS; r = r + 1) begin
      if (n_valid && n_row == RW'(r))
        {used[r], saved[r]} <= 2'b11;
      else if (n_snapshot)
        saved[r] <= 1'b0;
    end
    if (rst) begin
      n_valid    <= 1'b0;
      n_snapshot <= 1'b0;
      used       <= '0;
      saved      <= '0;
    end
  end

  logic [W-1:0] look_rows, look_aside;
  logic         look_used, look_saved;
  always_ff @(posedge clk) begin
    look_rows  <= rows[look_row];
    look_aside <= aside[look_row];
    look_used  <= row_in(used, look_row);
    look_saved <= row_in(saved, look_row);
  end
  assign look_q = look_saved ? look_aside : look_used ? look_rows : '0;
endmodule
`default_nettype wire
