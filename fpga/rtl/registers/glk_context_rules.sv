// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Read values and write rules of a context's registers and doorbell page. Settings are writable only while the context is
// disabled, and it can be enabled only once. Outputs follow their inputs by one clock.
module glk_context_rules #(
  parameter int VECTORS = 33
) (
  input  logic        clk,
  input  logic [8:0]  word,
  input  logic        enabled,      // CONTROL.ENABLE of the context
  input  logic        user_doorbell,
  input  logic [63:0] reg_cx_sq_base,
  input  logic [63:0] reg_cx_cq_base,
  input  logic [63:0] reg_cx_record,
  input  logic [7:0]  reg_cx_sq_order,
  input  logic [7:0]  reg_cx_cq_order,
  input  logic [5:0]  reg_cx_vector,
  input  logic [15:0] reg_cx_sq_tail,
  input  logic [15:0] reg_cx_cq_head,
  input  logic [15:0] reg_cx_sq_head,
  input  logic [15:0] reg_cx_cq_tail,
  input  logic [3:0]  reg_cx_status,
  input  logic [63:0] errors,
  input  logic [63:0] released,
  input  logic [63:0] release_word, // value last written to RELEASE
  input  logic [63:0] generation,

  input  logic        for_write,    // read for the merge of a narrow write
  output logic [63:0] shown,
  output logic [63:0] doorbell_shown,
  input  logic [63:0] value,        // value to be written to a context register
  output logic        allowed
);
  localparam int RING_ORDER_MAX = 15;
  localparam logic [8:0] CONTROL = 9'(glk_regs::CONTEXT_CONTROL / 8);
  localparam logic [8:0] SQ_BASE = 9'(glk_regs::CONTEXT_SQ_BASE / 8);
  localparam logic [8:0] CQ_BASE = 9'(glk_regs::CONTEXT_CQ_BASE / 8);
  localparam logic [8:0] ORDER   = 9'(glk_regs::CONTEXT_ORDER / 8);
  localparam logic [8:0] RECORD  = 9'(glk_regs::CONTEXT_RECORD / 8);
  localparam logic [8:0] VECTOR  = 9'(glk_regs::CONTEXT_VECTOR / 8);
  localparam logic [8:0] SQ_TAIL = 9'(glk_regs::CONTEXT_SQ_TAIL / 8);
  localparam logic [8:0] CQ_HEAD = 9'(glk_regs::CONTEXT_CQ_HEAD / 8);

  always_ff @(posedge clk) begin
    case (word)
      CONTROL: shown <= 64'({user_doorbell, enabled});
      SQ_BASE: shown <= reg_cx_sq_base;
      CQ_BASE: shown <= reg_cx_cq_base;
      ORDER:   shown <= 64'({reg_cx_cq_order, reg_cx_sq_order});
      RECORD:  shown <= reg_cx_record;
      VECTOR:  shown <= 64'(reg_cx_vector);
      SQ_TAIL: shown <= 64'(reg_cx_sq_tail);
      CQ_HEAD: shown <= 64'(reg_cx_cq_head);
      9'(glk_regs::CONTEXT_SQ_HEAD / 8): shown <= 64'(reg_cx_sq_head);
      9'(glk_regs::CONTEXT_CQ_TAIL / 8): shown <= 64'(reg_cx_cq_tail);
      9'(glk_regs::CONTEXT_STATUS / 8):  shown <= 64'(reg_cx_status);
      9'(glk_regs::CONTEXT_ERRORS / 8):  shown <= errors;
      default: shown <= '0;
    endcase
    // RELEASE reads as 0, but a narrow write merges with the value last written.
    case (word)
      9'(glk_regs::DOORBELL_RELEASE / 8):    doorbell_shown <= for_write ? release_word : '0;
      9'(glk_regs::DOORBELL_RELEASED / 8):   doorbell_shown <= for_write ? '0 : released;
      9'(glk_regs::DOORBELL_GENERATION / 8): doorbell_shown <= for_write ? '0 : generation;
      default:                               doorbell_shown <= '0;
    endcase
  end

  function order_allowed(input [7:0] order);
    order_allowed = order >= 8'(glk_regs::RING_ORDER_MIN) && order <= 8'(RING_ORDER_MAX);
  endfunction

  wire no_order = reg_cx_sq_order == '0 && reg_cx_cq_order == '0;
  always_ff @(posedge clk)
    case (word)
      CONTROL:          allowed <= value[63:2] == '0 && (!value[0] || (!enabled && !no_order));
      SQ_BASE, CQ_BASE: allowed <= !enabled && value[5:0] == '0;
      ORDER:            allowed <= !enabled && value[63:16] == '0 && order_allowed(value[7:0]) && order_allowed(value[15:8]);
      RECORD:           allowed <= !enabled && value[3:0] == '0;
      VECTOR:           allowed <= !enabled && value < 64'(VECTORS);
      SQ_TAIL, CQ_HEAD: allowed <= value[63:16] == '0;
      default:          allowed <= 1'b0;
    endcase
endmodule
`default_nettype wire
