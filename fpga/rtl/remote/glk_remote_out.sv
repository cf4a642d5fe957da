// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Request packets to flits. A request of up to two flits is accepted whole, so its source may withdraw it at any clock
// before that, and no packet is truncated. Fixed priority: releases, translations, loads.
module glk_remote_out (
  input  logic         clk,
  input  logic         rst,

  // First 12 bytes of a packet, without the kind in its header (docs/link-format.md, "Packets")
  input  logic [95:0]  release_data,
  input  logic         release_valid,
  output logic         release_ready,
  input  logic [95:0]  translate_data,
  input  logic         translate_valid,
  output logic         translate_ready,
  input  logic         load_atomic, // atomic: 28 bytes; otherwise 12, zero-padded
  input  logic [223:0] load_data,
  input  logic         load_valid,
  output logic         load_ready,

  output logic [3:0]   m_kind,
  output logic [127:0] m_data,   // zero-padded past the packet's end
  output logic         m_last,
  output logic         m_valid,
  input  logic         m_ready
);
  localparam logic [3:0] RELEASE     = 4'(glk_flit::RELEASE);
  localparam logic [3:0] TRANSLATION = 4'(glk_flit::TRANSLATION_REQUEST);
  localparam logic [3:0] READ        = 4'(glk_flit::READ_REQUEST);
  localparam logic [3:0] ATOMIC      = 4'(glk_flit::ATOMIC_REQUEST);

  logic [95:0] rest; // second flit

  assign release_ready = !m_valid;
  assign translate_ready = !m_valid && !release_valid;
  assign load_ready = !m_valid && !release_valid && !translate_valid;

  always_ff @(posedge clk) begin
    if (!m_valid) begin
      m_valid <= release_valid || translate_valid || load_valid;
      m_kind  <= release_valid ? RELEASE : translate_valid ? TRANSLATION : load_atomic ? ATOMIC : READ;
      m_last  <= release_valid || translate_valid || !load_atomic;
      m_data  <= release_valid ? {32'b0, release_data} : translate_valid ? {32'b0, translate_data} : load_data[127:0];
      rest    <= load_data[223:128];
      m_data[3:0] <= release_valid ? RELEASE : translate_valid ? TRANSLATION : load_atomic ? ATOMIC : READ;
    end else if (m_ready) begin
      m_valid <= !m_last;
      m_last  <= 1'b1;
      m_data  <= {32'b0, rest};
    end
    if (rst)
      m_valid <= 1'b0;
  end
endmodule
`default_nettype wire
