// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Whether a word of block REGION may be written, two clocks after its inputs. `valid`, and that CONTROL may always become 0,
// are left to the caller.
module glk_region_rules #(
  parameter int CHUNKS   = 16384,
  parameter int CONTEXTS = 32
) (
  input  logic        clk,
  input  logic [4:0]  slot,     // see glk_region_table
  input  logic [63:0] value,
  input  logic [63:0] bytes,    // registers BYTES, CHUNKS, EXPECTED
  input  logic [47:0] chunks,
  input  logic [14:0] expected,
  output logic        allowed
);
  localparam logic [63:0] CONTROL_DEFINED =
    glk_regs::REGION_CONTROL_VALID_MASK | glk_regs::REGION_CONTROL_FLUSH_ON_RELEASE_MASK | glk_regs::REGION_CONTROL_REARM_MASK |
    glk_regs::REGION_CONTROL_INTERRUPT_MASK | glk_regs::REGION_CONTROL_ORDER_MASK | glk_regs::REGION_CONTROL_TARGETS_MASK |
    glk_regs::REGION_CONTROL_CONTEXT_MASK;
  localparam logic [63:0] WINDOW_DEFINED = glk_regs::REGION_TARGET_WINDOW_0_WINDOW_MASK |
      glk_regs::REGION_TARGET_WINDOW_0_SIGNAL_MASK;

  wire [23:0] first = chunks[23:0];
  wire [23:0] count = chunks[47:24];
  wire [7:0]  order = value[15:8];

  logic [40:0] last;      // number of the last chunk
  logic [23:0] count_less;
  logic        fields, shape, word_allowed;
  always_ff @(posedge clk) begin
    last       <= 41'((bytes - 64'd1) >> order[4:0]);
    count_less <= count - 24'd1;
    fields     <= (value & ~CONTROL_DEFINED) == '0 && value[0] && value[23:16] != 8'd0 &&
        value[23:16] <= 8'(glk_regs::REGION_TARGETS) &&
                  32'(value[47:32]) < CONTEXTS && order >= 8'(glk_regs::REGION_ORDER_MIN) &&
                      order <= 8'(glk_regs::REGION_ORDER_MAX) &&
                  !(value[2] && expected == '0);
    shape      <= bytes != '0 && count != '0 && count <= 24'(CHUNKS) && first <= 24'(CHUNKS) - count && 24'(expected) <= count;
    case (slot)
      5'd1: word_allowed <= 1'b1;
      5'd2: word_allowed <= value != '0 && value[63:41] == '0 && !(value[40] && value[39:0] != '0);
      5'd3: word_allowed <= value[63:48] == '0;
      5'd4: word_allowed <= value <= 64'(glk_regs::CHUNK_COUNT);
      5'd5: word_allowed <= value[4:0] == '0;
      default:
        word_allowed <= slot[4:3] != 2'd0 && (slot[4] ? value[63:48] == '0 && !(slot[3] && value[2:0] != '0) :
                                                         (value & ~WINDOW_DEFINED) == '0);
    endcase
    allowed <= (slot == 5'd0) ? fields && shape && last == 41'(count_less) : word_allowed;
  end
endmodule
`default_nettype wire
