// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Block LINK: settings, read values, write rules, and counters, which read as of the last snapshot.
module glk_link_registers #(
  parameter int FLITS = 1024, // capacity of the cluster queue
  parameter int PW    = $clog2(FLITS + 1)
) (
  input  logic          clk,
  input  logic          rst,
  input  logic          clear, // restores power-on defaults; ends the session

  // Register `word`. `shown` follows a change of it by three clocks; `allowed` follows `value` and `word` by one clock.
  input  logic [8:0]    word,
  output logic [63:0]   shown,
  input  logic [63:0]   value,
  output logic          allowed,
  input  logic          take, // write the value
  input  logic          snapshot,
  output logic          snapshot_done,

  // Settings
  output logic          cfg_enable,
  output logic          cfg_stitching,
  output logic          cfg_pooling,
  output logic          cfg_selective,
  output logic          cfg_sequencing,
  output logic          cfg_trimming,
  output logic          cfg_yielding,
  output logic [7:0]    cfg_pool_cycles,
  output logic [7:0]    cfg_burst,
  output logic [1:0]    cfg_trim_code,   // sector size: 0: 16 bytes, 1: 4, 2: 8, 3: 32
  output logic [33:0]   cfg_timeout_ns,

  // Link status
  input  logic [7:0]    cluster,
  input  logic          up,
  input  logic          session,
  input  logic [7:0]    peer_cluster,
  input  logic          peer_compact,
  input  logic [63:0]   peer_serial,
  input  logic [PW-1:0] places,          // free slots in the cluster queue

  // Events of glk_cluster_tx
  input  logic          e_flit,
  input  logic          e_packet,
  input  logic [3:0]    e_kind,
  input  logic          e_refused,       // counted on its rising edge
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
  // Events of glk_link_layer
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
  input  logic          e_flit_received, // flit delivered
  input  logic          e_credit_stall,  // flits wait for credits only
  // Events of requests and services
  input  logic          e_stray,
  input  logic          e_timeout,
  input  logic          e_given_up,      // also a wait that timed out
  input  logic          e_lost,
  input  logic [15:0]   e_lost_packets,
  input  logic          e_served,
  input  logic          e_denied,
  input  logic          e_trimmed,
  input  logic [5:0]    e_trimmed_bytes,

  output logic          e_link           // link came up or went down, for ERROR_CAUSE
);
  localparam int VERSION         = 1;
  localparam int POOL_CYCLES_MAX = 128;
  localparam int TRIM_SIZES      = 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5;
  localparam logic [63:0] TIMEOUT_MIN = 64'd1000;
  localparam logic [63:0] CAPS = {16'b0, 8'(VERSION), 8'(TRIM_SIZES), 16'(POOL_CYCLES_MAX), 16'(FLITS)};

  // Word indices of the block.
  localparam int BASE = glk_regs::BLOCK_LINK;
  localparam logic [8:0] CONTROL     = 9'((glk_regs::LINK_CONTROL - BASE) / 8);
  localparam logic [8:0] POOL_CYCLES = 9'((glk_regs::LINK_POOL_CYCLES - BASE) / 8);
  localparam logic [8:0] BURST       = 9'((glk_regs::LINK_BURST - BASE) / 8);
  localparam logic [8:0] TRIM_BYTES  = 9'((glk_regs::LINK_TRIM_BYTES - BASE) / 8);
  localparam logic [8:0] TIMEOUT_NS  = 9'((glk_regs::LINK_TIMEOUT_NS - BASE) / 8);

  // --- settings ---
  always_ff @(posedge clk) begin
    if (take)
      case (word)
        CONTROL:
          {cfg_yielding, cfg_trimming, cfg_sequencing, cfg_selective, cfg_pooling, cfg_stitching, cfg_enable} <= value[6:0];
        POOL_CYCLES: cfg_pool_cycles <= value[7:0];
        BURST:       cfg_burst       <= value[7:0];
        TRIM_BYTES:  cfg_trim_code   <= {value[3] || value[5], value[2] || value[5]};
        TIMEOUT_NS:  cfg_timeout_ns  <= value[33:0];
        default: ;
      endcase
    if (rst || clear) begin
      {cfg_yielding, cfg_trimming, cfg_sequencing, cfg_selective, cfg_pooling, cfg_stitching, cfg_enable} <=
          7'(glk_regs::LINK_CONTROL_RESET);
      cfg_pool_cycles <= 8'(glk_regs::LINK_POOL_CYCLES_RESET);
      cfg_burst       <= 8'(glk_regs::LINK_BURST_RESET);
      cfg_trim_code   <= 2'd0;
      cfg_timeout_ns  <= 34'(glk_regs::LINK_TIMEOUT_NS_RESET);
    end
  end
  initial if (glk_regs::LINK_TRIM_BYTES_RESET != 16) $fatal;

  always_ff @(posedge clk)
    case (word)
      CONTROL:     allowed <= value[63:7] == '0;
      POOL_CYCLES: allowed <= value <= 64'(POOL_CYCLES_MAX);
      BURST:       allowed <= value[63:8] == '0 && value[7:0] != '0;
      TRIM_BYTES:  allowed <= value == 64'd4 || value == 64'd8 || value == 64'd16 || value == 64'd32;
      TIMEOUT_NS:  allowed <= value >= TIMEOUT_MIN && value <= glk_regs::LINK_TIMEOUT_MAX_NS;
      default:     allowed <= 1'b0;
    endcase

  // --- read values ---
  logic [63:0] setting, count;
  logic        count_there;
  logic [15:0] queued;
  logic [63:0] status;
  always_ff @(posedge clk) begin
    queued <= 16'(FLITS) - 16'(places);
    status <= {16'b0, queued, 8'b0, up ? {8'(VERSION), peer_cluster} : 16'b0, 5'b0, up && peer_compact, session, up};
    case (word)
      9'((glk_regs::LINK_STATUS - BASE) / 8):      setting <= status;
      9'((glk_regs::LINK_CAPS - BASE) / 8):        setting <= CAPS;
      CONTROL:
        setting <= 64'({cfg_yielding, cfg_trimming, cfg_sequencing, cfg_selective, cfg_pooling, cfg_stitching, cfg_enable});
      9'((glk_regs::LINK_CLUSTER - BASE) / 8):     setting <= 64'(cluster);
      9'((glk_regs::LINK_PEER_SERIAL - BASE) / 8): setting <= up ? peer_serial : '0;
      POOL_CYCLES: setting <= 64'(cfg_pool_cycles);
      BURST:       setting <= 64'(cfg_burst);
      TRIM_BYTES:  setting <= (cfg_trim_code == 2'd0) ? 64'd16 : (cfg_trim_code == 2'd3) ? 64'd32 : 64'({cfg_trim_code, 2'b0});
      TIMEOUT_NS:  setting <= 64'(cfg_timeout_ns);
      default:     setting <= '0;
    endcase
    shown <= count_there ? count : setting;
  end

  glk_link_counters #(.PW(PW)) counters (
    .clk, .rst, .word, .there(count_there), .count, .snapshot, .snapshot_done,
    .e_flit, .e_packet, .e_kind, .e_refused, .e_stitched, .e_partial, .e_parent, .e_out, .e_padded, .e_pooled, .e_pool_stitched,
    .e_pool_timed_out, .wait_valid, .wait_kind, .wait_clocks, .e_up, .e_resumed, .e_down, .e_frame_sent, .e_frame_received,
    .e_replay, .e_frame_replayed, .e_frame_repeated, .e_crc, .e_sequence, .e_protocol, .e_version, .e_flit_received,
    .e_credit_stall, .e_stray, .e_timeout, .e_given_up, .e_lost, .e_lost_packets, .e_served, .e_denied, .e_trimmed,
    .e_trimmed_bytes);

  // --- link event ---
  logic forgets; // going down because of a reset, which clears ERROR_CAUSE too
  always_ff @(posedge clk) begin
    e_link <= e_up || e_resumed || (e_down && !forgets);
    if (e_up || e_resumed || e_down)
      forgets <= 1'b0;
    if (clear)
      forgets <= up;
    if (rst) begin
      e_link  <= 1'b0;
      forgets <= 1'b0;
    end
  end
endmodule
`default_nettype wire
