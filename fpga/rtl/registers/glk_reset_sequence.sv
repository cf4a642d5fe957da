// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Reset state machine for CONTROL.RESET, function-level reset and power-on. Halts the rings; waits until everything in
// flight to the endpoints has arrived, so that no write from before the reset can land afterwards; pulses `clear`, which
// discards all state; then clears the tables. Power-on only clears the tables.
module glk_reset_sequence #(
  parameter int SLICES        = 1024,
  parameter int REGISTRATIONS = 1024,
  parameter int CONTEXTS      = 32,
  parameter int SW            = (SLICES > 1) ? $clog2(SLICES) : 1,
  parameter int HW            = (REGISTRATIONS > 1) ? $clog2(REGISTRATIONS) : 1
) (
  input  logic          clk,
  input  logic          rst,
  input  logic          start,
  output logic          running,

  output logic          halt,
  output logic          pause,
  output logic          clear,
  input  logic          halted,
  input  logic          quiet,
  input  logic          others_idle,
  input  logic          others_swept, // their tables are cleared
  output logic          drop,        // discard the contents of the queues and count them

  // Table rows to clear
  output logic [SW-1:0] window_row,
  output logic          window_valid,
  input  logic          window_ready,
  output logic [HW-1:0] registration_row,
  output logic          registration_valid,
  input  logic          registration_ready
);
  // Consecutive idle clocks required: work that moves between two blocks may be invisible for some clocks. It was never seen to
  // be for half of them (below). SWEEP lasts as long at least: glk_contexts clears a row a clock from `clear` on.
  localparam logic [5:0] STEADY = 6'd40;
  initial if ((1 << $clog2(CONTEXTS)) + 2 > 32'(STEADY)) $fatal;

  typedef enum logic [2:0] {OFF, HALT, SETTLE, ARRIVE, DROP, CLEAR, SWEEP} state_t;
  state_t     state;
  logic [5:0] clocks;
  wire        steady = clocks == STEADY;

  assign running = state != OFF;
  assign drop    = state == DROP;
  assign clear   = state == CLEAR;

  always_ff @(posedge clk) begin
    clocks <= steady ? STEADY : clocks + 6'd1;
    case (state)
      OFF: begin
        clocks <= '0;
        if (start) begin
          state <= HALT;
          halt  <= 1'b1;
        end
      end
      HALT: begin // what rings and aperture have started enters the queues
        if (!halted)
          clocks <= '0;
        if (steady) begin
          state  <= SETTLE;
          clocks <= '0;
        end
      end
      SETTLE: begin
        if (!quiet)
          clocks <= '0;
        if (steady) begin
          state  <= ARRIVE;
          pause  <= 1'b1;
          clocks <= '0;
        end
      end
      ARRIVE: begin
        if (!quiet || !others_idle)
          clocks <= '0;
        if (steady)
          state <= DROP;
      end
      DROP:
        state <= CLEAR;
      CLEAR: begin
        state              <= SWEEP;
        clocks             <= '0;
        window_valid       <= 1'b1;
        registration_valid <= 1'b1;
        window_row         <= '0;
        registration_row   <= '0;
      end
      default: begin
        if (window_valid && window_ready) begin
          window_row   <= window_row + SW'(1);
          window_valid <= window_row != SW'(SLICES - 1);
        end
        if (registration_valid && registration_ready) begin
          registration_row   <= registration_row + HW'(1);
          registration_valid <= registration_row != HW'(REGISTRATIONS - 1);
        end
        if (!window_valid && !registration_valid && steady && others_swept) begin
          state <= OFF;
          halt  <= 1'b0;
          pause <= 1'b0;
        end
      end
    endcase
    if (rst) begin
      state              <= SWEEP;
      clocks             <= '0;
      halt               <= 1'b1;
      pause              <= 1'b1;
      window_valid       <= 1'b1;
      registration_valid <= 1'b1;
      window_row         <= '0;
      registration_row   <= '0;
    end
  end

`ifndef SYNTHESIS
  wire checks;
  // Not in SETTLE: without `pause` timeouts and releases may still begin flushes.
  wire seen = (state == HALT && !halted) || (state == ARRIVE && !(quiet && others_idle));
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk)
    if (checks && seen)
      begin : steady_in_time assert(clocks <= STEADY / 6'd2); end
`endif
endmodule
`default_nettype wire
