// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Interface of the virtual input/output core as ip/vio.tcl configures it, without its function: for elaboration only. Written
// from PG159 (VIO, v3.0). Not compared with a generated instantiation template.
/* verilator lint_off UNUSEDSIGNAL */
module vio_0 (
  input  logic         clk,
  input  logic [255:0] probe_in0,
  input  logic [255:0] probe_in1,
  input  logic [127:0] probe_in2,
  output logic [0:0]   probe_out0,
  output logic [2:0]   probe_out1
);
  assign {probe_out0, probe_out1} = '0;
endmodule
`default_nettype wire
