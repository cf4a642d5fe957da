// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Arbiter of the responses to the other card, whole packets, fixed priority: releases first, being latency-critical, reads
// last.
module glk_serve_answers (
  input  logic         clk,
  input  logic         rst,

  input  logic [31:0]  z_data, // of releases
  input  logic         z_valid,
  output logic         z_ready,
  input  logic [95:0]  n_data, // of requests other than reads
  input  logic         n_valid,
  output logic         n_ready,
  input  logic [31:0]  w_data, // of write requests
  input  logic         w_valid,
  output logic         w_ready,
  input  logic [127:0] t_data, // of reads, flit by flit
  input  logic         t_last,
  input  logic         t_valid,
  output logic         t_ready,

  output logic [3:0]   m_kind,
  output logic [127:0] m_data,
  output logic         m_last,
  output logic         m_valid,
  input  logic         m_ready,

  output logic         e_served, // response with status done or failed
  output logic         e_denied  // response with status refused
);
  logic         held, ready; // inside a read response
  wire          z = !held && z_valid;
  wire          n = !held && !z_valid && n_valid;
  wire          w = !held && !z_valid && !n_valid && w_valid;
  wire          t = held || !(z_valid || n_valid || w_valid);
  wire          valid = t ? t_valid : 1'b1;
  wire          last  = !t || t_last;
  wire [127:0]  data  = z ? {96'b0, z_data} : n ? {32'b0, n_data} : w ? {96'b0, w_data} : t_data;
  wire [3:0]    kind  = t ? 4'(glk_flit::READ_RESPONSE) : data[3:0];
  wire          begins = valid && ready && !held;

  assign z_ready = z && ready;
  assign n_ready = n && ready;
  assign w_ready = w && ready;
  assign t_ready = t && ready;

  always_ff @(posedge clk) begin
    if (valid && ready)
      held <= !last;
    e_served <= begins && data[15:12] != 4'd1;
    e_denied <= begins && data[15:12] == 4'd1;
    if (rst) begin
      held     <= 1'b0;
      e_served <= 1'b0;
      e_denied <= 1'b0;
    end
  end
  glk_skid #(.W(4 + 128 + 1)) out (
    .clk, .rst, .s_data({kind, data, last}), .s_valid(valid), .s_ready(ready), .m_data({m_kind, m_data, m_last}), .m_valid, .m_ready);
endmodule
`default_nettype wire
