// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Read values and write rules of registration table entries; interface as glk_window_rules.
module glk_registration_rules #(
  parameter int CONTEXTS = 32,
  parameter int W        = 133
) (
  input  logic         clk,
  input  logic [1:0]   word,
  input  logic [W-1:0] entry,
  output logic [63:0]  shown,
  input  logic [63:0]  value,
  output logic         allowed,
  output logic [W-1:0] changed
);
  localparam logic [63:0] Q0_DEFINED = glk_regs::REGISTRATION_Q0_VALID_MASK | glk_regs::REGISTRATION_Q0_READ_MASK |
                                       glk_regs::REGISTRATION_Q0_WRITE_MASK | glk_regs::REGISTRATION_Q0_CONTEXT_MASK;
  localparam logic [63:0] Q3_DEFINED = glk_regs::REGISTRATION_Q3_OFFSET_MASK | glk_regs::REGISTRATION_Q3_LARGE_MASK |
                                       glk_regs::REGISTRATION_Q3_TABLES_MASK;

  wire [22:0] q3 = entry[132:110]; // {tables, large, offset}
  wire [60:0] q2 = entry[109:49];
  wire [40:0] q1 = entry[48:8];
  wire        is_valid = entry[0];

  always_comb
    case (word)
      2'd0:    shown = {43'b0, entry[7:3], 13'b0, entry[2:0]};
      2'd1:    shown = {23'b0, q1};
      2'd2:    shown = {q2, 3'b0};
      default: shown = {30'b0, q3[22:21], 11'b0, q3[20:0]};
    endcase

  wire q0_allowed = (value & ~Q0_DEFINED) == '0 && value[0] && value[2:1] != 2'b00 && 32'(value[31:16]) < CONTEXTS && q1 != '0;

  always_ff @(posedge clk) begin
    changed <= entry;
    case (word)
      2'd0: begin
        allowed      <= value == '0 || (!is_valid && q0_allowed);
        changed[7:0] <= {value[20:16], value[2:0]};
      end
      2'd1: begin // up to 2^40
        allowed       <= !is_valid && value != '0 && value[63:41] == '0 && !(value[40] && value[39:0] != '0);
        changed[48:8] <= value[40:0];
      end
      2'd2: begin
        allowed         <= !is_valid && value[2:0] == '0;
        changed[109:49] <= value[63:3];
      end
      default: begin
        allowed          <= !is_valid && (value & ~Q3_DEFINED) == '0 && (value[32] || value[20:12] == '0);
        changed[132:110] <= {value[33:32], value[20:0]};
      end
    endcase
  end
endmodule
`default_nettype wire
