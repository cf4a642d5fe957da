// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Storage for tails that arrive ahead of their packets, indexed by packet number. After reset it is cleared one entry per
// clock; `ready` is low until then.
module glk_unstitch_tails #(
  parameter int NUMBERS = 128 // power of two
) (
  input  logic        clk,
  input  logic        rst,
  output logic        ready,

  input  logic        put,
  input  logic [6:0]  put_number,
  input  logic        put_long,   // 8 bytes, not 4
  input  logic [63:0] put_data,
  output logic        put_there,  // entry is occupied

  input  logic [6:0]  number,     // current or next packet
  output logic        there,
  output logic        long,
  output logic [63:0] data,
  input  logic        take        // removes it
);
  (* ram_style = "distributed" *) logic [65:0] tails [0:NUMBERS-1]; // {valid, long, data}
  (* ram_style = "distributed" *) logic        known [0:NUMBERS-1]; // valid

  localparam int NW = $clog2(NUMBERS);

  logic [NW:0] cleared;
  assign ready = cleared[NW];

  wire [NW-1:0] here = NW'(number), put_here = NW'(put_number);
  assign {there, long, data} = tails[here];
  assign put_there           = known[put_here];

  wire          write = put || take || !ready;
  wire [NW-1:0] at    = !ready ? cleared[NW-1:0] : put ? put_here : here;

  always_ff @(posedge clk) begin
    if (write) begin
      tails[at] <= {ready && put, put_long, put_data};
      known[at] <= ready && put;
    end
    if (!ready)
      cleared <= cleared + (NW+1)'(1);
    if (rst)
      cleared <= '0;
  end
endmodule
`default_nettype wire
