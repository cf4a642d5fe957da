// SPDX-License-Identifier: Apache-2.0
// Which places of the cluster queue's memory are free. A place given back in a clock can be had in the same one; who asks
// knows that there is one.
module glk_flit_places #(
  parameter int ENTRIES = 1024, // power of two
  parameter int AW      = $clog2(ENTRIES)
) (
  input  logic          clk,
  input  logic          rst,
  input  logic          back,
  input  logic [AW-1:0] back_at,
  input  logic          get,
  output logic [AW-1:0] at
);
  (* ram_style = "distributed" *) logic [AW-1:0] free [0:ENTRIES-1];
  logic [AW:0] head, tail, fresh; // first come the places that were never used

  wire         unused = !fresh[AW];
  wire         none   = head == tail;

  assign at = unused ? fresh[AW-1:0] : none ? back_at : free[head[AW-1:0]];

  always_ff @(posedge clk) begin
    if (back)
      free[tail[AW-1:0]] <= back_at;
    if (back)
      tail <= tail + (AW+1)'(1);
    if (get && !unused)
      head <= head + (AW+1)'(1);
    if (get && unused)
      fresh <= fresh + (AW+1)'(1);
    if (rst) begin
      head  <= '0;
      tail  <= '0;
      fresh <= '0;
    end
`ifndef SYNTHESIS
    if (!rst)
      assert (!(get && !unused && none && !back));
`endif
  end
endmodule
