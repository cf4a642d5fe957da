// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Request packets to flits. A request of up to two flits is accepted whole, so its source may withdraw it at any clock
// before that, and no packet is truncated. Fixed priority: releases, translations, loads.
module glk_remote_out (
  input  logic         clk,
  input  logic         rst,

  // First 12 bytes of a packet, without the kind in its header (docs/link-format.md, "Packets")
  input  logic [95:0]  r_data,
  input  logic         r_valid,
  output logic         r_ready,
  input  logic [95:0]  t_data,
  input  logic         t_valid,
  output logic         t_ready,
  input  logic         l_atomic, // atomic: 28 bytes; otherwise 12, zero-padded
  input  logic [223:0] l_data,
  input  logic         l_valid,
  output logic         l_ready,

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

  assign r_ready = !m_valid;
  assign t_ready = !m_valid && !r_valid;
  assign l_ready = !m_valid && !r_valid && !t_valid;

  always_ff @(posedge clk) begin
    if (!m_valid) begin
      m_valid <= r_valid || t_valid || l_valid;
      m_kind  <= r_valid ? RELEASE : t_valid ? TRANSLATION : l_atomic ? ATOMIC : READ;
      m_last  <= r_valid || t_valid || !l_atomic;
      m_data  <= r_valid ? {32'b0, r_data} : t_valid ? {32'b0, t_data} : l_data[127:0];
      rest    <= l_data[223:128];
      m_data[3:0] <= r_valid ? RELEASE : t_valid ? TRANSLATION : l_atomic ? ATOMIC : READ;
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
