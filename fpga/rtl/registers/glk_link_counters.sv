// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Counters of block LINK. Per-kind flit events, at most one per clock, are counted in RAM banks by kind; all other events
// may coincide. Inputs: see glk_link_registers.
module glk_link_counters #(
  parameter int PW = 11
) (
  input  logic          clk,
  input  logic          rst,

  // Snapshot read port: whether register `word` is a counter, and its value, two clocks later
  input  logic [8:0]    word,
  output logic          there,
  output logic [63:0]   count,
  input  logic          snapshot,
  output logic          snapshot_done,

  input  logic          e_flit,
  input  logic          e_packet,
  input  logic [3:0]    e_kind,
  input  logic          e_refused,
  input  logic          e_stitched,
  input  logic          e_partial,
  input  logic          e_parent,
  input  logic          e_out,
  input  logic          e_padded,
  input  logic          e_pooled,
  input  logic [1:0]    e_pool_stitched,
  input  logic          e_pool_timed_out,
  input  logic          wait_valid,
  input  logic [3:0]    wait_kind,
  input  logic [PW+3:0] wait_clocks,
  input  logic          e_up,
  input  logic          e_resumed,
  input  logic          e_down,
  input  logic          e_frame_sent,
  input  logic          e_frame_received,
  input  logic          e_replay,
  input  logic          e_frame_replayed,
  input  logic          e_frame_repeated,
  input  logic          e_crc,
  input  logic          e_sequence,
  input  logic          e_protocol,
  input  logic          e_version,
  input  logic          e_flit_received,
  input  logic          e_credit_stall,
  input  logic          e_stray,
  input  logic          e_timeout,
  input  logic          e_given_up,
  input  logic          e_lost,
  input  logic [15:0]   e_lost_packets,
  input  logic          e_served,
  input  logic          e_denied,
  input  logic          e_trimmed,
  input  logic [5:0]    e_trimmed_bytes
);
  // Word indices: single counters start at 16; rows by kind, starting with kind 1, at 48, 64 and 80.
  localparam int BASE  = glk_regs::BLOCK_LINK;
  localparam int FIRST = glk_regs::LINK_COUNTER_FIRST;
  localparam int KINDS         = glk_flit::ATOMIC_RESPONSE;
  localparam int SINGLE        = glk_regs::LINK_COUNTERS - 3 * KINDS;
  localparam int POOL_STITCHED = (glk_regs::LINK_POOL_STITCHED - FIRST) / 8;
  localparam int TRIMMED       = (glk_regs::LINK_TRIMMED_BYTES - FIRST) / 8;
  localparam int TIMEOUTS      = (glk_regs::LINK_TIMEOUTS - FIRST) / 8;
  localparam int LOST          = (glk_regs::LINK_LOST_PACKETS - FIRST) / 8;
  initial if (FIRST != BASE + 16 * 8 || SINGLE > 32 || glk_regs::LINK_PACKETS_READ_REQUEST != BASE + 48 * 8 ||
              glk_regs::LINK_FLITS_READ_REQUEST != BASE + 64 * 8 || glk_regs::LINK_WAITED_READ_REQUEST != BASE + 80 * 8 ||
              glk_regs::LINK_COUNTER_LAST != BASE + (80 + KINDS - 1) * 8) $fatal;

  logic was_refused;
  always_ff @(posedge clk)
    was_refused <= e_refused && !rst;

  // --- single counters, in register order ---
  localparam int W = 16;
  function automatic [SINGLE*5-1:0] widths();
    integer i;
    for (i = 0; i < SINGLE; i = i + 1)
      widths[5*i +: 5] = (i == POOL_STITCHED || i == TIMEOUTS) ? 5'd2 : (i == TRIMMED) ? 5'd6 : (i == LOST) ? 5'd16 : 5'd1;
  endfunction
  wire [SINGLE*W-1:0] add = {
    W'(e_denied), W'(e_served), e_lost ? e_lost_packets : W'(0), W'(e_timeout) + W'(e_given_up), W'(e_stray), W'(e_down),
    W'(e_up || e_resumed), W'(e_credit_stall), W'(e_version), W'(e_protocol), W'(e_sequence), W'(e_crc), W'(e_frame_repeated),
    W'(e_frame_replayed), W'(e_replay), W'(e_frame_received), W'(e_frame_sent), W'(e_flit_received),
    e_trimmed ? W'(e_trimmed_bytes) : W'(0), W'(e_refused && !was_refused), W'(e_pool_timed_out), W'(e_pool_stitched),
        W'(e_pooled),
    W'(e_partial), W'(e_stitched), W'(e_parent), W'(e_padded), W'(e_out), W'(e_flit)};
  logic [63:0] single;
  glk_counter_turns #(.COUNTERS(SINGLE), .ADD_W(W), .WIDTHS(widths())) singles (
    .clk, .rst, .add, .snapshot, .snapshot_done, .look({word[5], word[3:0]}), .look_q(single));

  // --- counters by kind ---
  wire [3:0]    row = word[3:0] + 4'd1;
  logic [127:0] come;
  logic [63:0]  waited;
  glk_counter_bank #(.ROWS(16), .COLUMNS(2), .ADD_W(1)) of_kind (
    .clk, .rst, .update_valid(e_flit), .update_row(e_kind), .update_add({e_packet, 1'b1}), .snapshot, .look_row(row),
    .look_q(come));
  glk_counter_bank #(.ROWS(16), .COLUMNS(1), .ADD_W(PW + 4)) waits (
    .clk, .rst, .update_valid(wait_valid), .update_row(wait_kind), .update_add(wait_clocks), .snapshot, .look_row(row),
    .look_q(waited));

  // --- read multiplexer ---
  logic [2:0] group; // 1, 2: single; 3..5: packets, flits, clocks
  logic       row_there, single_there;
  always_ff @(posedge clk) begin
    group        <= (word[8:7] == '0) ? word[6:4] : '0;
    row_there    <= 32'(word[3:0]) < KINDS;
    single_there <= 32'(word) < 16 + SINGLE;
    case (group)
      3'd1, 3'd2: {there, count} <= {single_there, single};
      3'd3:       {there, count} <= {row_there, come[64 +: 64]};
      3'd4:       {there, count} <= {row_there, come[0 +: 64]};
      3'd5:       {there, count} <= {row_there, waited};
      default:    {there, count} <= '0;
    endcase
  end
endmodule
`default_nettype wire
