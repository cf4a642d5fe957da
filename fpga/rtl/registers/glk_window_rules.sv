// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Read values and write rules of window table entries: a valid entry can only be cleared, and an entry becomes valid as a
// whole. Outputs follow entry and value by one clock; `fits` follows the entry by two, which is stable long before the
// value.
module glk_window_rules #(
  parameter int PARTITIONS  = 16,
  parameter int CONTEXTS    = 32,
  parameter int SLICE_SHIFT = 20,
  parameter int W           = 89
) (
  input  logic         clk,
  input  logic [9:0]   slice,
  input  logic [1:0]   word,
  input  logic [W-1:0] entry,
  output logic [63:0]  shown,   // register value, combinational
  input  logic [63:0]  value,   // value to be written
  output logic         allowed,
  output logic         drains,  // removes a window: its partition is drained first
  output logic [W-1:0] changed  // new entry
);
  localparam logic [63:0] Q0_DEFINED = glk_regs::WINDOW_Q0_VALID_MASK | glk_regs::WINDOW_Q0_READ_MASK |
      glk_regs::WINDOW_Q0_WRITE_MASK |
                                       glk_regs::WINDOW_Q0_PARTITION_MASK | glk_regs::WINDOW_Q0_CONTEXT_MASK |
                                           glk_regs::WINDOW_Q0_FIRST_MASK;
  localparam logic [31:0] SLICE_BYTES = 32'd1 << SLICE_SHIFT;

  wire [30:0] q2 = entry[88:58];
  wire [35:0] q1 = entry[57:22];
  wire        is_valid = entry[0];

  always_comb
    case (word)
      2'd0:    shown = {22'b0, entry[21:12], 11'b0, entry[11:7], 4'b0, entry[6:3], 5'b0, entry[2:0]};
      2'd1:    shown = {16'b0, q1, 12'b0};
      2'd2:    shown = {33'b0, q2};
      default: shown = '0;
    endcase

  // Endpoint memory ends at 2^48.
  logic        fits;
  logic [48:0] ends;
  always_ff @(posedge clk) begin
    ends <= {1'b0, q1, 12'b0} + 49'(q2);
    fits <= q2 != '0 && !(ends[48] && ends[47:0] != '0);
  end

  wire q0_allowed = (value & ~Q0_DEFINED) == '0 && value[0] && value[2:1] != 2'b00 && 32'(value[15:8]) < PARTITIONS &&
                    32'(value[31:16]) < CONTEXTS && value[47:32] <= 16'(slice) && fits;
  wire zero       = word == 2'd0 && value == '0;

  always_ff @(posedge clk) begin
    changed <= entry;
    case (word)
      2'd0: begin
        allowed       <= zero || (!is_valid && q0_allowed);
        changed[21:0] <= {value[41:32], value[20:16], value[11:8], value[2:0]};
      end
      2'd1: begin
        allowed        <= !is_valid && value[63:48] == '0 && value[11:0] == '0;
        changed[57:22] <= value[47:12];
      end
      2'd2: begin
        allowed        <= !is_valid && value != '0 && value <= 64'(SLICE_BYTES);
        changed[88:58] <= value[30:0];
      end
      default: allowed <= 1'b0;
    endcase
    drains <= zero && is_valid;
  end
endmodule
`default_nettype wire
