// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Settings of the partitions and their endpoints. In flip-flops, because queues, receiver and lookups use all of them in
// parallel. One register at a time can be read and a new value for it checked.
module glk_partition_settings #(
  parameter int PARTITIONS = 16,
  parameter int PW         = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1
) (
  input  logic          clk,
  input  logic          rst,
  input  logic          clear, // restores power-on defaults
  input  logic          link, // a link exists: endpoints may be of kind link, and open to it
  input  logic [63:0]   pool_bytes,

  // Register `word` of a partition (SUBHEADER_BYTES .. EP_BYTES, REMOTE_BYTES). `value` follows a change of these, or of
  // look_remote_bytes, by two clocks. The check of a new value is valid one clock after any of them changed, but not before
  // the fourth clock.
  input  logic [PW-1:0] partition,
  input  logic [3:0]    word,
  output logic [63:0]   value,
  input  logic [63:0]   look_remote_bytes, // REMOTE_BYTES of a partition of kind link
  input  logic          unacknowledged, // writes to its endpoint are not acknowledged
  input  logic [63:0]   new_value,
  output logic          allowed,
  output logic          flushes, // the change requires an empty queue
  output logic          drains,  // and is reported with flush reason drain, not config
  input  logic          take,    // write the new value

  output logic [PARTITIONS*3-1:0]  cfg_subheader_bytes,
  output logic [PARTITIONS*13-1:0] cfg_max_payload_bytes,
  output logic [PARTITIONS-1:0]    cfg_coalesce,
  output logic [PARTITIONS-1:0]    cfg_self_describe,
  output logic [PARTITIONS-1:0]    cfg_packing,
  output logic [PARTITIONS-1:0]    cfg_compact,
  output logic [PARTITIONS*30-1:0] cfg_flush_timeout_ns,
  output logic [PARTITIONS*2-1:0]  ep_kind,
  output logic [PARTITIONS*52-1:0] ep_base,
  output logic [PARTITIONS*37-1:0] ep_bytes,

  // See glk_remote_settings
  input  logic [PARTITIONS-1:0]    under_way,
  output logic [PARTITIONS-1:0]    ep_open,
  output logic [PARTITIONS-1:0]    remote,
  output logic [PARTITIONS-1:0]    remote_bound,
  output logic [PARTITIONS*4-1:0]  remote_partition,
  output logic          ask_valid,
  output logic [PW-1:0] ask_partition
);
  localparam logic [3:0] SUBHEADER = 4'(glk_regs::PARTITION_SUBHEADER_BYTES / 8);
  localparam logic [3:0] PAYLOAD   = 4'(glk_regs::PARTITION_MAX_PAYLOAD_BYTES / 8);
  localparam logic [3:0] TIMEOUT   = 4'(glk_regs::PARTITION_FLUSH_TIMEOUT_NS / 8);
  localparam logic [3:0] MODE      = 4'(glk_regs::PARTITION_MODE / 8);
  localparam logic [3:0] KIND      = 4'(glk_regs::PARTITION_EP_KIND / 8);
  localparam logic [3:0] EP_BASE   = 4'(glk_regs::PARTITION_EP_BASE / 8);
  localparam logic [3:0] EP_BYTES  = 4'(glk_regs::PARTITION_EP_BYTES / 8);
  localparam logic [3:0] REMOTE_BYTES = 4'(glk_regs::PARTITION_REMOTE_BYTES / 8);

  localparam int MODE_W = $clog2(glk_regs::PARTITION_MODE_FIELDS_MASK + 1);
  logic [PARTITIONS*MODE_W-1:0] cfg_mode;
  genvar g;
  generate
    for (g = 0; g < PARTITIONS; g = g + 1) begin : mode_of
      assign cfg_coalesce[g]      = cfg_mode[g*MODE_W + glk_regs::PARTITION_MODE_COALESCE_SHIFT];
      assign cfg_self_describe[g] = cfg_mode[g*MODE_W + glk_regs::PARTITION_MODE_SELF_DESCRIBE_SHIFT];
      assign ep_open[g]           = cfg_mode[g*MODE_W + glk_regs::PARTITION_MODE_OPEN_SHIFT];
      assign cfg_packing[g]       = cfg_mode[g*MODE_W + glk_regs::PARTITION_MODE_PACKING_SHIFT];
      assign cfg_compact[g]       = cfg_mode[g*MODE_W + glk_regs::PARTITION_MODE_COMPACT_SHIFT];
    end
  endgenerate

  integer p;
  always_ff @(posedge clk) begin
    for (p = 0; p < PARTITIONS; p = p + 1) begin
      if (take && partition == PW'(p)) begin
        case (word)
          SUBHEADER: cfg_subheader_bytes[p*3 +: 3]     <= new_value[2:0];
          PAYLOAD:   cfg_max_payload_bytes[p*13 +: 13] <= new_value[12:0];
          TIMEOUT:   cfg_flush_timeout_ns[p*30 +: 30]  <= new_value[29:0];
          MODE:      cfg_mode[p*MODE_W +: MODE_W]      <= new_value[MODE_W-1:0];
          KIND:      ep_kind[p*2 +: 2]                 <= new_value[1:0];
          EP_BASE:   ep_base[p*52 +: 52]               <= new_value[63:12];
          EP_BYTES:  ep_bytes[p*37 +: 37]              <= new_value[48:12];
          default: ;
        endcase
      end
      if (rst || clear) begin
        cfg_subheader_bytes[p*3 +: 3]              <= 3'(glk_regs::PARTITION_SUBHEADER_BYTES_RESET);
        cfg_max_payload_bytes[p*13 +: 13]          <= 13'(glk_regs::PARTITION_MAX_PAYLOAD_BYTES_RESET);
        cfg_mode[p*MODE_W +: MODE_W]               <= MODE_W'(glk_regs::PARTITION_MODE_RESET);
        cfg_flush_timeout_ns[p*30 +: 30]           <= '0;
        ep_kind[p*2 +: 2]                          <= 2'(glk_regs::EP_NONE);
        ep_base[p*52 +: 52]                        <= '0;
        ep_bytes[p*37 +: 37]                       <= '0;
      end
    end
  end

  // --- selected register ---
  logic [2:0]  subheader;
  logic [12:0] payload;
  logic [29:0] timeout;
  logic [MODE_W-1:0] mode;
  logic [1:0]  kind;
  logic [51:0] base;
  logic [36:0] bytes;

  integer i;
  always_ff @(posedge clk)
    for (i = 0; i < PARTITIONS; i = i + 1)
      if (partition == PW'(i)) begin
        subheader <= cfg_subheader_bytes[i*3 +: 3];
        payload   <= cfg_max_payload_bytes[i*13 +: 13];
        timeout   <= cfg_flush_timeout_ns[i*30 +: 30];
        mode      <= cfg_mode[i*MODE_W +: MODE_W];
        kind      <= ep_kind[i*2 +: 2];
        base      <= ep_base[i*52 +: 52];
        bytes     <= ep_bytes[i*37 +: 37];
      end

  always_ff @(posedge clk)
    case (word)
      SUBHEADER: value <= 64'(subheader);
      PAYLOAD:   value <= 64'(payload);
      TIMEOUT:   value <= 64'(timeout);
      MODE:      value <= 64'(mode);
      KIND:      value <= 64'(kind);
      EP_BASE:   value <= {base, 12'b0};
      EP_BYTES:  value <= {15'b0, bytes, 12'b0};
      REMOTE_BYTES: value <= (kind == 2'(glk_regs::EP_LINK)) ? look_remote_bytes : '0;
      default:   value <= '0;
    endcase

  // --- check of the new value ---
  // An endpoint must have a size, and end within bus or pool addresses. No writes to the previous endpoint may be in
  // flight: an answer of the new one would acknowledge them.
  logic        some, bus_fits, pool_fits, remote_free, vacant;
  logic [52:0] ends;
  always_ff @(posedge clk) begin
    some      <= bytes != '0;
    ends      <= {1'b0, base} + 53'(bytes);
    bus_fits  <= some && !ends[52];
    pool_fits <= some && ends <= {1'b0, pool_bytes[63:12]};
    vacant    <= kind == 2'(glk_regs::EP_NONE) && !unacknowledged;
  end
  wire unused = &{1'b0, pool_bytes[11:0]};
  wire remote_fits = some && remote_free && link;

  wire becomes = take && word == KIND && flushes; // its kind changes
  glk_remote_settings #(.PARTITIONS(PARTITIONS)) remote_settings (
    .clk, .rst, .clear, .partition, .base, .free(remote_free), .under_way,
    .take_kind(becomes), .kind(new_value[1:0]), .ask((becomes && new_value[1:0] == 2'(glk_regs::EP_LINK)) ||
    (take && word == REMOTE_BYTES)),
    .remote, .remote_bound, .remote_partition, .ask_valid, .ask_partition);

  wire whole_pages = new_value[11:0] == '0;
  always_ff @(posedge clk) begin
    flushes <= 1'b0;
    drains  <= word == KIND;
    allowed <= 1'b0;
    case (word)
      SUBHEADER: allowed <= new_value >= 64'(glk_regs::SUBHEADER_MIN) && new_value <= 64'(glk_regs::SUBHEADER_MAX);
      PAYLOAD:
        allowed <= new_value[63:13] == '0 && new_value[6:0] == '0 &&
                   (new_value[12:7] == 6'd1 || new_value[12:7] == 6'd2 || new_value[12:7] == 6'd4 || new_value[12:7] == 6'd8 ||
                    new_value[12:7] == 6'd16 || new_value[12:7] == 6'd32);
      TIMEOUT:   allowed <= new_value <= 64'(glk_regs::TIMEOUT_MAX_NS);
      MODE:      allowed <= (new_value & ~glk_regs::PARTITION_MODE_FIELDS_MASK) == '0 &&
                            (link || !new_value[glk_regs::PARTITION_MODE_OPEN_SHIFT]);
      KIND:
        allowed <= new_value == 64'(glk_regs::EP_NONE) || new_value == value ||
                   (vacant && ((new_value == 64'(glk_regs::EP_BUS) && bus_fits) ||
                       (new_value == 64'(glk_regs::EP_POOL) && pool_fits) ||
                               (new_value == 64'(glk_regs::EP_LINK) && remote_fits)));
      EP_BASE:   allowed <= kind == 2'(glk_regs::EP_NONE) && whole_pages;
      EP_BYTES:
        allowed <= kind == 2'(glk_regs::EP_NONE) && whole_pages && new_value[63:49] == '0 &&
            !(new_value[48] && new_value[47:12] != '0);
      REMOTE_BYTES: allowed <= kind == 2'(glk_regs::EP_LINK);
      default: ;
    endcase
    if (word != EP_BASE && word != EP_BYTES && word != REMOTE_BYTES)
      flushes <= new_value != value;
  end
endmodule
`default_nettype wire
