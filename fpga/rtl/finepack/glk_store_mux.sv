// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Arbiter in front of the write queues: stores and probes of aperture and rings; stores and flushes of regions; flushes of
// releases, registers and timeouts. Whole items, round robin, one beat per clock.
//
// Ordering: an accepted item is ahead of every item accepted later from any source. So nothing is accepted ahead of
// arbitration: `ready` is asserted to one source at a time, from a register set one clock ahead. A single active source
// keeps its grant and transfers a beat per clock.
module glk_store_mux #(
  parameter int DATA_W     = 512,
  parameter int PARTITIONS = 4,
  parameter int CONTEXTS   = 32,
  parameter int PW         = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1,
  parameter int CW         = (CONTEXTS > 1) ? $clog2(CONTEXTS) : 1
) (
  input  logic              clk,
  input  logic              rst,
  input  logic              pause, // only flushes of registers are granted; items in progress complete
  input  logic [PARTITIONS*13-1:0] cfg_max_payload_bytes,

  // Aperture: stores, and probes ahead of loads
  input  logic              aperture_probe,
  input  logic [PW-1:0]     aperture_partition,
  input  logic [47:0]       aperture_offset,
  input  logic [12:0]       aperture_length,
  input  logic [CW-1:0]     aperture_context,
  input  logic [DATA_W-1:0] aperture_data,
  input  logic              aperture_last,
  input  logic              aperture_valid,
  output logic              aperture_ready,

  // Rings: likewise
  input  logic              ring_probe,
  input  logic [3:0]        ring_reason,
  input  logic [PW-1:0]     ring_partition,
  input  logic [47:0]       ring_offset,
  input  logic [12:0]       ring_length,
  input  logic [CW-1:0]     ring_context,
  input  logic [DATA_W-1:0] ring_data,
  input  logic              ring_last,
  input  logic              ring_valid,
  output logic              ring_ready,

  // Regions: stores and flushes
  input  logic              region_flush,
  input  logic [PW-1:0]     region_partition,
  input  logic [47:0]       region_offset,
  input  logic [12:0]       region_length,
  input  logic [CW-1:0]     region_context,
  input  logic [DATA_W-1:0] region_data,
  input  logic              region_last,
  input  logic              region_valid,
  output logic              region_ready,

  // Releases: flushes, or only a token
  input  logic              release_none,
  input  logic              release_token,
  input  logic              release_owned,
  input  logic [PW-1:0]     release_partition,
  input  logic [CW-1:0]     release_context,
  input  logic [3:0]        release_reason,
  input  logic              release_valid,
  output logic              release_ready,

  // Registers: flushes
  input  logic [PW-1:0]     register_partition,
  input  logic [3:0]        register_reason,
  input  logic              register_valid,
  output logic              register_ready,

  // Timeouts: flushes
  input  logic [PW-1:0]     timeout_partition,
  input  logic              timeout_valid,
  output logic              timeout_ready,

  // Items for glk_finepack_tx
  output logic [1:0]        m_kind,
  output logic [PW-1:0]     m_partition,
  output logic [47:0]       m_address,
  output logic [12:0]       m_length,
  output logic [3:0]        m_reason,
  output logic [CW-1:0]     m_context,
  output logic              m_owned,
  output logic [1:0]        m_token,
  output logic [DATA_W-1:0] m_data,
  output logic              m_valid,
  input  logic              m_ready,
  output logic              idle,

  // A store has been accepted
  output logic              store_valid,
  output logic [PW-1:0]     store_partition,
  output logic [CW-1:0]     store_context,
  // Some clocks later: its cost in bytes on the wire as plain memory writes
  output logic              cost_valid,
  output logic [PW-1:0]     cost_partition,
  output logic [CW-1:0]     cost_context,
  output logic [12:0]       cost_length,
  output logic [12:0]       cost_raw
);
  localparam logic [1:0] STORE = 2'd0;
  localparam logic [1:0] FLUSH = 2'd1;
  localparam logic [1:0] PROBE = 2'd2;
  localparam logic [1:0] TOKEN_NONE = 2'd0;
  localparam logic [1:0] TOKEN_RELEASE = 2'd1;
  localparam logic [1:0] TOKEN_APERTURE = 2'd2;
  localparam logic [1:0] TOKEN_RING = 2'd3;
  localparam int HEAD_W = 2 + PW + 48 + 13 + 4 + CW + 1 + 2;
  localparam int OUT_W  = HEAD_W + DATA_W;
  localparam logic [5:0] A = 6'b000001;
  localparam logic [5:0] X = 6'b010000; // order: aperture, rings, regions, releases, registers, timeouts

  // --- arbiter ---
  logic [5:0] turn;    // one-hot
  logic       in_item; // more beats of the item follow
  logic       paused;
  logic       out_ready;

  wire [5:0] valid   = {timeout_valid, register_valid, release_valid, region_valid, ring_valid, aperture_valid};
  wire [5:0] may     = turn & {6{out_ready}} & ((in_item || !paused) ? 6'b111111 : X);
  wire [5:0] takes   = may & valid;
  wire       take    = |takes;
  wire       last    = turn[0] ? aperture_last : turn[1] ? ring_last : turn[2] ? region_last : 1'b1;
  wire [5:0] wants   = valid & ((pause || paused) ? X : 6'b111111);
  wire       stays   = take ? !last : in_item || |(turn & wants);
  wire [5:0] others  = wants & ~turn;
  wire [5:0] behind  = others & ~(turn | (turn - 6'd1));
  wire [5:0] next    = (|behind) ? behind & (~behind + 6'd1) : others & (~others + 6'd1);

  assign {timeout_ready, register_ready, release_ready, region_ready, ring_ready, aperture_ready} = may;

  always_ff @(posedge clk) begin
    paused <= pause;
    if (take)
      in_item <= !last;
    if (!stays && |others)
      turn <= next;
    if (rst) begin
      turn    <= A;
      in_item <= 1'b0;
      paused  <= 1'b0;
    end
  end

  // --- item ---
  wire [HEAD_W-1:0] a_head = {aperture_probe ? PROBE : STORE, aperture_partition, aperture_offset, aperture_length,
                          4'(glk_regs::FLUSH_LOAD_HIT),
                              aperture_context, 1'b0, aperture_probe ? TOKEN_APERTURE : TOKEN_NONE};
  wire [HEAD_W-1:0] n_head = {ring_probe ? PROBE : STORE, ring_partition, ring_offset, ring_length, ring_reason,
                              ring_context, 1'b0, ring_probe ? TOKEN_RING : TOKEN_NONE};
  wire [HEAD_W-1:0] g_head = {region_flush ? FLUSH : STORE, region_partition, region_offset, region_length,
                          4'(glk_regs::FLUSH_REGION), region_context, 1'b0, TOKEN_NONE};
  // A zero-length probe hits nothing: it only carries the token.
  wire [HEAD_W-1:0] z_head = {release_none ? PROBE : FLUSH, release_partition, 48'b0, 13'b0, release_reason,
                              release_context, release_owned, release_token ? TOKEN_RELEASE : TOKEN_NONE};
  wire [HEAD_W-1:0] x_head = {FLUSH, register_partition, 48'b0, 13'b0, register_reason, CW'(0), 1'b0, TOKEN_NONE};
  wire [HEAD_W-1:0] t_head = {FLUSH, timeout_partition, 48'b0, 13'b0, 4'(glk_regs::FLUSH_TIMEOUT), CW'(0), 1'b0, TOKEN_NONE};

  wire [HEAD_W-1:0] head = ({HEAD_W{turn[0]}} & a_head) | ({HEAD_W{turn[1]}} & n_head) | ({HEAD_W{turn[2]}} & g_head) |
                           ({HEAD_W{turn[3]}} & z_head) | ({HEAD_W{turn[4]}} & x_head) | ({HEAD_W{turn[5]}} & t_head);
  wire [DATA_W-1:0] data = turn[0] ? aperture_data : turn[1] ? ring_data : region_data; // don't care for flushes

  glk_skid #(.W(OUT_W)) skid (
    .clk, .rst, .s_data({head, data}), .s_valid(take), .s_ready(out_ready),
    .m_data({m_kind, m_partition, m_address, m_length, m_reason, m_context, m_owned, m_token, m_data}), .m_valid, .m_ready);
  assign idle = !m_valid && !in_item;

  // --- cost as plain writes: per part between multiples of the maximum payload, 24 bytes plus its DWs ---
  wire store = take && !in_item && |(turn[2:0] & {!region_flush, !ring_probe, !aperture_probe});

  logic [11:0]   st_from;
  logic          p1_valid, p2_valid, p3_valid;
  logic [PW-1:0] p1_partition, p2_partition, p3_partition;
  logic [CW-1:0] p1_context, p2_context, p3_context;
  logic [12:0]   p1_length, p2_length, p3_length;
  logic [11:2]   p1_from;
  logic [12:0]   p1_end; // last byte, relative to the 4 KiB page of the first
  logic [12:8]   p1_limit;
  logic [10:0]   p2_dwords; // 1..1025
  logic [5:0]    p2_parts;  // 1..33
  logic [5:0]    p1_first, p1_last;
  logic [12:0]   p3_dwords, p3_parts;
  logic [12:0]   st_length;

  wire unused = &{1'b0, p1_end[1:0]};

  logic [PARTITIONS*8-1:0] limits; // upper bits, padded to a power of two for the lookup
  always_comb
    for (int p = 0; p < PARTITIONS; p = p + 1)
      limits[p*8 +: 8] = {3'b0, cfg_max_payload_bytes[p*13 + 8 +: 5]};

  // Multiples of 128 << k differ in bits 12:(7+k). At most one bit of the limit is set.
  wire p1_least = p1_limit == 5'd0;
  assign p1_first = ({6{p1_least}} & {1'b0, p1_from[11:7]}) | ({6{p1_limit[8]}} & {2'b0, p1_from[11:8]}) |
                    ({6{p1_limit[9]}} & {3'b0, p1_from[11:9]}) | ({6{p1_limit[10]}} & {4'b0, p1_from[11:10]}) |
                    {5'b0, p1_limit[11] & p1_from[11]};
  assign p1_last  = ({6{p1_least}} & p1_end[12:7]) | ({6{p1_limit[8]}} & {1'b0, p1_end[12:8]}) |
                    ({6{p1_limit[9]}} & {2'b0, p1_end[12:9]}) | ({6{p1_limit[10]}} & {3'b0, p1_end[12:10]}) |
                    ({6{p1_limit[11]}} & {4'b0, p1_end[12:11]}) | {5'b0, p1_limit[12] & p1_end[12]};

  always_ff @(posedge clk) begin
    store_valid     <= store;
    store_partition <= turn[0] ? aperture_partition : turn[1] ? ring_partition : region_partition;
    store_context   <= turn[0] ? aperture_context : turn[1] ? ring_context : region_context;
    st_length       <= turn[0] ? aperture_length : turn[1] ? ring_length : region_length;
    st_from         <= turn[0] ? aperture_offset[11:0] : turn[1] ? ring_offset[11:0] : region_offset[11:0];

    p1_valid     <= store_valid;
    p1_partition <= store_partition;
    p1_context   <= store_context;
    p1_length    <= st_length;
    p1_from      <= st_from[11:2];
    p1_end       <= 13'(st_from) + st_length - 13'd1;
    p1_limit     <= limits[store_partition*8 +: 5];

    p2_valid     <= p1_valid;
    p2_partition <= p1_partition;
    p2_context   <= p1_context;
    p2_length    <= p1_length;
    p2_dwords    <= p1_end[12:2] - {1'b0, p1_from} + 11'd1;
    p2_parts     <= p1_last - p1_first + 6'd1;

    p3_valid     <= p2_valid;
    p3_partition <= p2_partition;
    p3_context   <= p2_context;
    p3_length    <= p2_length;
    p3_dwords    <= {p2_dwords, 2'b0};
    p3_parts     <= {3'b0, p2_parts, 4'b0} + {4'b0, p2_parts, 3'b0};

    cost_valid     <= p3_valid;
    cost_partition <= p3_partition;
    cost_context   <= p3_context;
    cost_length    <= p3_length;
    cost_raw       <= p3_dwords + p3_parts;
    if (rst) begin
      store_valid <= 1'b0;
      p1_valid <= 1'b0;
      p2_valid <= 1'b0;
      p3_valid <= 1'b0;
      cost_valid <= 1'b0;
    end
  end
endmodule
`default_nettype wire
