// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// FIFO of flits in the cluster queue's memory, one put and one take per clock. The first two entries are held in registers,
// so that the head can be taken in every clock; the others are a linked list in a memory shared by all FIFOs. A take is
// followed by a read of the linked list; since only one FIFO is popped per clock, one read port suffices.
module glk_flit_list #(
  parameter int AW = 10, // width of a slot number
  parameter int MW = 1   // width of the metadata of a flit
) (
  input  logic          clk,
  input  logic          rst,

  // Input; `link` appends it to the entry last_at of the linked list
  input  logic          put,
  input  logic [AW-1:0] put_at,
  input  logic [MW-1:0] put_meta,
  output logic          link,
  output logic [AW-1:0] last_at,

  // Read port of the linked list
  output logic          read,
  output logic [AW-1:0] read_at,
  input  logic [AW-1:0] row_next,
  input  logic [MW-1:0] row_meta,

  output logic          some,
  output logic [MW-1:0] meta, // of the head
  input  logic          take,
  // Entry taken last
  output logic [AW-1:0] taken_at,
  output logic [MW-1:0] taken_meta
);
  logic          second, rows, refill; // second entry valid; linked list not empty; taken in the previous clock
  logic [AW-1:0] first_at, second_at;
  logic [MW-1:0] second_meta;

  assign read = refill && rows;
  wire   one  = read_at == last_at;

  // Refill of the two registers: from the linked list, or from the input if the list is empty.
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
    if (comes) begin // also written, without effect, when it becomes the first entry
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
  end

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk)
    if (checks)
      begin : takes_what_is_there assert (!(take && !some) && !(comes && second)); end
`endif
endmodule
`default_nettype wire
