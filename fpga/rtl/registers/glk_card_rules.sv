// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Read values and write rules of the registers of block CARD, except its counters. Outputs follow their inputs by one
// clock.
module glk_card_rules #(
  parameter int PARTITIONS    = 16,
  parameter int ENTRIES       = 64,
  parameter int CONTEXTS      = 32,
  parameter int SLICES        = 1024,
  parameter int SLICE_SHIFT   = 20,
  parameter int REGISTRATIONS = 1024,
  parameter int VECTORS       = 33,
  parameter int REGIONS       = 64,
  parameter int CHUNKS        = 16384
) (
  input  logic        clk,
  input  logic        rst,
  input  logic [8:0]  word,

  input  logic        link,
  input  logic        leases,
  input  logic        link_up,
  input  logic [63:0] serial,
  input  logic [63:0] pool_bytes,
  input  logic        enabled,
  input  logic        resetting,
  input  logic        some,          // stores are queued or in flight to an endpoint
  input  logic [63:0] generation,
  input  logic [63:0] scratch,
  input  logic [6:0]  cause,
  input  logic        drain_busy,
  input  logic [31:0] drain_written,
  input  logic [63:0] snapshots,

  input  logic        for_write,     // read for the merge of a narrow write
  output logic [63:0] shown,
  input  logic [63:0] value,
  input  logic        drains_window, // DRAIN names a slice with a valid window
  output logic        allowed
);
  localparam int RING_ORDER_MAX = 15; // 16-bit indices must distinguish full from empty
  localparam int CLOCK_MHZ      = 250;
  localparam logic [63:0] HW_VERSION = 64'd1 << glk_regs::CARD_HW_VERSION_MAJOR_SHIFT;
  localparam logic [7:0]  WIDTHS = 8'((1 << (glk_regs::SUBHEADER_MAX + 1)) - (1 << glk_regs::SUBHEADER_MIN));
  localparam logic [63:0] CAPS0 = {8'b0, 8'(RING_ORDER_MAX), 16'(VECTORS), WIDTHS, 8'(ENTRIES), 8'(CONTEXTS), 8'(PARTITIONS)};
  localparam logic [63:0] CAPS1 = {8'b0, 16'(CLOCK_MHZ), 16'(REGISTRATIONS), 8'(SLICE_SHIFT), 16'(SLICES)};
  localparam logic [63:0] FEATURES = glk_regs::CARD_FEATURES_FINEPACK_MASK | glk_regs::CARD_FEATURES_LOOPBACK_MASK |
                                     glk_regs::CARD_FEATURES_ATOMICS_MASK | glk_regs::CARD_FEATURES_PACKING_MASK |
                                     glk_regs::CARD_FEATURES_COMPACT_MASK | glk_regs::CARD_FEATURES_ARRAY_MASK |
                                     ((REGIONS != 0) ? glk_regs::CARD_FEATURES_REGION_MASK : 64'd0);
  localparam logic [63:0] CAPS2 = (REGIONS != 0) ? {16'b0, 8'(glk_regs::REGION_TARGETS), 24'(CHUNKS), 16'(REGIONS)} : 64'd0;

  // Work that moves between two blocks may be invisible for some clocks.
  logic [5:0] still; // clocks since the last activity
  logic       idle;
  always_ff @(posedge clk) begin
    if (some)
      still <= '0;
    else if (!still[5])
      still <= still + 6'd1;
    idle <= still[5];
    if (rst) begin
      still <= '0;
      idle  <= 1'b0;
    end
  end

  always_ff @(posedge clk)
    case (word)
      9'(glk_regs::CARD_MAGIC / 8):      shown <= glk_regs::MAGIC;
      9'(glk_regs::CARD_HW_VERSION / 8): shown <= HW_VERSION;
      9'(glk_regs::CARD_CAPS0 / 8):      shown <= CAPS0;
      9'(glk_regs::CARD_CAPS1 / 8):      shown <= CAPS1;
      9'(glk_regs::CARD_CAPS2 / 8):      shown <= CAPS2;
      9'(glk_regs::CARD_FEATURES / 8):
        shown <= FEATURES | ((pool_bytes != '0) ? glk_regs::CARD_FEATURES_POOL_MASK : 64'd0) |
                 (link ? glk_regs::CARD_FEATURES_LINK_MASK : 64'd0) | (leases ? glk_regs::CARD_FEATURES_LEASE_MASK : 64'd0);
      9'(glk_regs::CARD_CONTROL / 8):     shown <= 64'(enabled);
      9'(glk_regs::CARD_STATUS / 8):      shown <= 64'({!link || link_up, idle, !resetting});
      9'(glk_regs::CARD_GENERATION / 8):  shown <= generation;
      9'(glk_regs::CARD_SCRATCH / 8):     shown <= scratch;
      9'(glk_regs::CARD_SERIAL / 8):      shown <= serial;
      9'(glk_regs::CARD_POOL_BYTES / 8):  shown <= pool_bytes;
      9'(glk_regs::CARD_ERROR_CAUSE / 8): shown <= for_write ? '0 : 64'(cause);
      9'(glk_regs::CARD_DRAIN / 8):       shown <= for_write ? '0 : {drain_busy, 31'b0, drain_written};
      9'(glk_regs::CARD_SNAPSHOT / 8):    shown <= snapshots;
      default:                            shown <= '0;
    endcase

  wire [15:0] drain_id = value[31:16];
  always_ff @(posedge clk) begin
    allowed <= 1'b0;
    case (word)
      9'(glk_regs::CARD_CONTROL / 8): allowed <= value[63:2] == '0;
      9'(glk_regs::CARD_SCRATCH / 8), 9'(glk_regs::CARD_ERROR_CAUSE / 8), 9'(glk_regs::CARD_SNAPSHOT / 8): allowed <= 1'b1;
      9'(glk_regs::CARD_DRAIN / 8):
        if (!drain_busy && value[63:32] == '0 && value[15:4] == '0)
          case (value[3:0])
            4'(glk_regs::DRAIN_CARD):      allowed <= drain_id == '0;
            4'(glk_regs::DRAIN_WINDOW):    allowed <= 32'(drain_id) < SLICES && drains_window;
            4'(glk_regs::DRAIN_CONTEXT):   allowed <= 32'(drain_id) < CONTEXTS;
            4'(glk_regs::DRAIN_PARTITION): allowed <= 32'(drain_id) < PARTITIONS;
            default: ;
          endcase
      default: ;
    endcase
  end
endmodule
`default_nettype wire
