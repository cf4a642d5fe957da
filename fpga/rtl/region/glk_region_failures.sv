// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Which targets of a region were stored to in partitions that have had failures since the region last noted them.
module glk_region_failures #(
  parameter int REGIONS    = 64,
  parameter int PARTITIONS = 16,
  parameter int RW         = (REGIONS > 1) ? $clog2(REGIONS) : 1,
  parameter int PW         = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1
) (
  input  logic            clk,
  input  logic            rst,
  input  logic            fail_valid,
  input  logic [PW-1:0]   fail_partition,

  input  logic [RW-1:0]   region,
  input  logic            sample, // takes the failures of now, which the next two refer to
  input  logic            note,   // remembers them for the region
  input  logic [7:0]      stored, // its targets, and their partitions
  input  logic [8*PW-1:0] places,
  output logic [7:0]      failed  // four clocks after `sample`
);
  localparam int FW = 16; // failures of a partition are compared modulo 2^FW

  (* ram_style = "distributed" *) logic [PARTITIONS*FW-1:0] notes [0:(1<<RW)-1];
  logic [PARTITIONS*FW-1:0] failures, noted, sampled;
  logic [(1<<PW)-1:0]       changed; // padded for the lookup

  always_ff @(posedge clk) begin
    if (sample)
      sampled <= failures;
    if (note)
      notes[region] <= sampled;
    noted   <= notes[region];
    changed <= '0;
    for (int p = 0; p < PARTITIONS; p = p + 1) begin
      changed[p] <= sampled[p*FW +: FW] != noted[p*FW +: FW];
      if (fail_valid && 32'(fail_partition) == p)
        failures[p*FW +: FW] <= failures[p*FW +: FW] + FW'(1);
    end
    for (int t = 0; t < 8; t = t + 1)
      failed[t] <= stored[t] && changed[places[t*PW +: PW]];
    if (rst)
      failures <= '0;
  end
endmodule
`default_nettype wire
