// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Access check for the link, in two clocks: partition lookup, then bounds comparison.
module glk_serve_reach #(
  parameter int PARTITIONS = 16
) (
  input  logic                     clk,
  input  logic [15:0]              open,     // by partition
  input  logic [PARTITIONS*37-1:0] ep_bytes, // in units of 4 KiB

  input  logic [3:0]               partition, // stable for two clocks, as page
  input  logic [35:0]              page,
  output logic                     opened,   // one clock later
  output logic                     holds,   // two clocks later: open, and the page is within the endpoint
  output logic [36:0]              left      // two clocks later: pages from there to its end
);
  logic [36:0] bytes, looked;

  always_comb begin
    looked = '0;
    for (int p = 0; p < PARTITIONS; p = p + 1)
      if (partition == 4'(p))
        looked = looked | ep_bytes[p*37 +: 37];
  end

  always_ff @(posedge clk) begin
    opened <= open[partition];
    bytes  <= looked;
    holds <= opened && {1'b0, page} < bytes;
    left   <= bytes - {1'b0, page};
  end
endmodule
`default_nettype wire
