// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Arbiter of the responses to the other card, whole packets, fixed priority: releases first, being latency-critical, reads
// last.
module glk_serve_answers (
  input  logic         clk,
  input  logic         rst,

  input  logic [31:0]  release_data, // of releases
  input  logic         release_valid,
  output logic         release_ready,
  input  logic [95:0]  other_data,   // of requests other than reads
  input  logic         other_valid,
  output logic         other_ready,
  input  logic [31:0]  write_data,   // of write requests
  input  logic         write_valid,
  output logic         write_ready,
  input  logic [127:0] read_data,    // of reads, flit by flit
  input  logic         read_last,
  input  logic         read_valid,
  output logic         read_ready,

  output logic [3:0]   m_kind,
  output logic [127:0] m_data,
  output logic         m_last,
  output logic         m_valid,
  input  logic         m_ready,

  output logic         e_served, // response with status done or failed
  output logic         e_denied  // response with status refused
);
  logic         held, ready; // inside a read response
  wire          z = !held && release_valid;
  wire          n = !held && !release_valid && other_valid;
  wire          w = !held && !release_valid && !other_valid && write_valid;
  wire          t = held || !(release_valid || other_valid || write_valid);
  wire          valid = t ? read_valid : 1'b1;
  wire          last  = !t || read_last;
  wire [127:0]  data  = z ? {96'b0, release_data} : n ? {32'b0, other_data} : w ? {96'b0, write_data} : read_data;
  wire [3:0]    kind  = t ? 4'(glk_flit::READ_RESPONSE) : data[3:0];
  wire          begins = valid && ready && !held;

  assign release_ready = z && ready;
  assign other_ready = n && ready;
  assign write_ready = w && ready;
  assign read_ready = t && ready;

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
    .clk, .rst, .s_data({kind, data, last}), .s_valid(valid), .s_ready(ready), .m_data({m_kind, m_data, m_last}), .m_valid,
    .m_ready);
endmodule
`default_nettype wire
