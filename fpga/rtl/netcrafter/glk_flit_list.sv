// SPDX-License-Identifier: Apache-2.0
// A list of flits in the cluster queue's memory: first in, first out, one of each a clock. Its first two stand in registers, so
// that the second is the head in the clock behind the one in which the first is taken; the others stand in rows of a memory that all lists
// share. Behind a flit taken one is read from there; as only one list's head is taken in a clock, one list reads.
module glk_flit_list #(
  parameter int AW = 10, // of a place
  parameter int MW = 1   // of what is known of a flit
) (
  input  logic          clk,
  input  logic          rst,

  // A flit comes in; if others wait in rows, it is `link`ed to the last of them.
  input  logic          put,
  input  logic [AW-1:0] put_at,
  input  logic [MW-1:0] put_meta,
  output logic          link,
  output logic [AW-1:0] last_at,

  // The row that is read, and what stands there.
  output logic          read,
  output logic [AW-1:0] read_at,
  input  logic [AW-1:0] row_next,
  input  logic [MW-1:0] row_meta,

  output logic          some,
  output logic [MW-1:0] meta, // of the head
  input  logic          take,
  // The one taken last.
  output logic [AW-1:0] taken_at,
  output logic [MW-1:0] taken_meta
);
  logic          second, rows, refill; // there is one; there are some; one was taken in the clock before
  logic [AW-1:0] first_at, second_at;
  logic [MW-1:0] second_meta;

  assign read = refill && rows;
  wire   one  = read_at == last_at;

  // What comes to the two: out of a row, or, when none waits there, from outside.
  wire          direct   = put && !rows && !second;
  wire          comes    = read || direct;
  wire [AW-1:0] comes_at   = rows ? read_at : put_at;
  wire [MW-1:0] comes_meta = rows ? row_meta : put_meta;

  assign link = put && rows;

  always_ff @(posedge clk) begin
    if (take || (comes && !some)) begin
      first_at <= second ? second_at : comes_at;
      meta     <= second ? second_meta : comes_meta;
    end
    if (comes) begin // with one taken and none behind it, it is the first instead
      second_at   <= comes_at;
      second_meta <= comes_meta;
    end
    some   <= second || comes || (some && !take);
    second <= (second || (comes && some)) && !take;
    refill <= take;
    if (take) begin
      taken_at   <= first_at;
      taken_meta <= meta;
    end

    if (put && !direct) begin
      last_at <= put_at;
      rows    <= 1'b1;
    end else if (read && one) begin
      rows <= 1'b0;
    end
    if ((put && !direct && !rows) || (read && one))
      read_at <= put_at;
    else if (read)
      read_at <= row_next;

    if (rst) begin
      some   <= 1'b0;
      second <= 1'b0;
      rows   <= 1'b0;
      refill <= 1'b0;
    end
`ifndef SYNTHESIS
    if (!rst)
      assert (!(take && !some) && !(comes && second));
`endif
  end
endmodule
