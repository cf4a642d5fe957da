// SPDX-License-Identifier: Apache-2.0
// Tails that came on their own, each in a place that its packet's number names. What was there before a reset is forgotten a place a
// clock; until then it is not ready.
module glk_unstitch_tails (
  input  logic        clk,
  input  logic        rst,
  output logic        ready,

  input  logic        put,
  input  logic [6:0]  put_number,
  input  logic        put_long,   // 8 bytes, not 4
  input  logic [63:0] put_data,
  output logic        put_there,  // there is one already

  input  logic [6:0]  number,     // of the packet under way, or the next
  output logic        there,
  output logic        long,
  output logic [63:0] data,
  input  logic        take        // it is gone in the next clock
);
  (* ram_style = "distributed" *) logic [65:0] tails [0:127]; // there, long, data
  (* ram_style = "distributed" *) logic        known [0:127]; // there

  logic [7:0] cleared;
  assign ready = cleared[7];

  assign {there, long, data} = tails[number];
  assign put_there           = known[put_number];

  wire       write = put || take || !ready;
  wire [6:0] at    = !ready ? cleared[6:0] : put ? put_number : number;

  always_ff @(posedge clk) begin
    if (write) begin
      tails[at] <= {ready && put, put_long, put_data};
      known[at] <= ready && put;
    end
    if (!ready)
      cleared <= cleared + 8'd1;
    if (rst)
      cleared <= 8'd0;
  end
endmodule
