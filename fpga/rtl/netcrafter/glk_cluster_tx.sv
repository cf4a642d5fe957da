// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Transmit half of the NetCrafter controller: the cluster queue behind stream interfaces. A FIFO of up to three flits
// decouples the queue from the link; the queue sees the link as not ready while it is full.
module glk_cluster_tx #(
  parameter int FLITS = 1024,
  parameter int PW    = $clog2(FLITS + 1)
) (
  input  logic          clk,
  input  logic          rst,     // discards queued flits and credits; packet numbers restart at 0

  // Configuration; may change in any clock
  input  logic          cfg_stitching,
  input  logic          cfg_pooling,
  input  logic          cfg_selective,
  input  logic          cfg_yielding,
  input  logic          cfg_sequencing,
  input  logic [7:0]    cfg_pool_cycles, // 0..128
  input  logic [7:0]    cfg_burst,       // 1..255

  // Packet input, flit by flit; the length follows from the header, bytes past the end are ignored
  input  logic [3:0]    s_kind,
  input  logic [127:0]  s_data,
  input  logic          s_valid,
  output logic          s_ready,
  // Free slots
  output logic [PW-1:0] places,

  // Credits returned for a class (0 posted, 1 request, 2 response)
  input  logic          credit_valid,
  input  logic [1:0]    credit_class,
  input  logic [11:0]   credit_pieces,

  output logic [4:0]    m_type,
  output logic [127:0]  m_data,
  output logic [8:0]    m_pieces, // pieces by class, 3 bits each
  output logic          m_valid,
  input  logic          m_ready,

  // Event counters, see glk_cluster_queue
  output logic          e_flit,
  output logic          e_packet,
  output logic [3:0]    e_kind,
  output logic [4:0]    e_bytes,
  output logic          e_refused,
  output logic          e_stitched,
  output logic [3:0]    e_stitched_kind,
  output logic          e_partial,
  output logic          e_parent,
  output logic          e_out,
  output logic          e_padded,
  output logic          e_pooled,
  output logic [1:0]    e_pool_stitched,
  output logic          e_pool_timed_out,
  output logic          e_starved,
  output logic          wait_valid,
  output logic [3:0]    wait_kind,
  output logic [PW+3:0] wait_clocks
);
  logic [10:0]  s_words, i_words;
  logic [3:0]   i_kind;
  logic [127:0] i_data;
  logic         i_valid, i_ready;
  glk_packet_words length (.kind(s_kind), .start(s_data[31:0]), .words(s_words));
  glk_skid #(.W(4 + 11 + 128)) in (
    .clk, .rst, .s_data({s_kind, s_words, s_data}), .s_valid, .s_ready,
    .m_data({i_kind, i_words, i_data}), .m_valid(i_valid), .m_ready(i_ready));

  logic [2:0] credit, credit_take, credit_back;
  generate
    for (genvar c = 0; c < 3; c = c + 1) begin : of_class
      glk_class_credits credits (
        .clk, .rst, .add(credit_valid && credit_class == 2'(c)), .more(credit_pieces), .take(credit_take[c]),
        .back(credit_back[c]), .some(credit[c]));
    end
  endgenerate

  logic         leaves, f_valid, f_ready;
  logic [4:0]   f_type;
  logic [127:0] f_data;
  logic         ready;
  glk_cluster_queue #(.FLITS(FLITS), .PW(PW)) queue (
    .clk, .rst, .cfg_stitching, .cfg_pooling, .cfg_selective, .cfg_yielding, .cfg_sequencing, .cfg_pool_cycles, .cfg_burst,
    .s_kind(i_kind), .s_words(i_words), .s_data(i_data), .s_valid(i_valid), .s_ready(i_ready), .places,
    .credit, .credit_take, .credit_back,
    .m_ready(ready), .m_leaves(leaves), .m_valid(f_valid), .m_type(f_type), .m_data(f_data),
    .e_flit, .e_packet, .e_kind, .e_bytes, .e_refused, .e_stitched, .e_stitched_kind, .e_partial, .e_parent, .e_out, .e_padded,
    .e_pooled, .e_pool_stitched, .e_pool_timed_out, .e_starved, .wait_valid, .wait_kind, .wait_clocks);

  // --- pieces by class: of the parent, and of the flit that left ---
  logic [8:0] f_pieces;
  generate
    for (genvar c = 0; c < 3; c = c + 1) begin : pieces_of_class
      logic [2:0] pieces;
      always_ff @(posedge clk) begin
        pieces <= (leaves ? 3'd0 : pieces) + 3'(credit_take[c]) - 3'(credit_back[c]);
        if (leaves)
          f_pieces[3*c +: 3] <= pieces;
        if (rst)
          pieces <= 3'd0;
      end
    end
  endgenerate

  // --- output FIFO: deep enough for one flit per clock ---
  logic [1:0] sent; // in flight to or in the FIFO
  wire  [1:0] kept = sent - 2'(m_valid && m_ready);
  glk_fifo #(.W(5 + 128 + 9), .DEPTH(4), .BYPASS(1)) out (
    .clk, .rst, .s_data({f_type, f_data, f_pieces}), .s_valid(f_valid), .s_ready(f_ready),
    .m_data({m_type, m_data, m_pieces}), .m_valid, .m_ready);

  always_ff @(posedge clk) begin
    sent  <= kept + 2'(leaves);
    ready <= !kept[1] || (!kept[0] && !leaves);
    if (rst) begin
      sent  <= 2'd0;
      ready <= 1'b1;
    end
  end

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk)
    if (checks)
      begin : flit_has_room assert (!(f_valid && !f_ready)); end
`endif
endmodule
`default_nettype wire
