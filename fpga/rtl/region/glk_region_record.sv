// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Writes the record of a region, Q1 to Q3 and then Q0, and raises a vector. All inputs are stable while busy.
module glk_region_record (
  input  logic         clk,
  input  logic         rst,
  input  logic         start,
  input  logic [63:5]  address,    // 0: no record
  input  logic [255:0] record,
  input  logic         interrupt,
  input  logic [5:0]   vector,
  output logic         busy,       // low in the clock after start

  // 8-byte writes and interrupts
  output logic         mem_interrupt,
  output logic [63:0]  mem_address,
  output logic [63:0]  mem_data,
  output logic         mem_valid,
  input  logic         mem_ready
);
  typedef enum logic [2:0] {IDLE, Q1, Q2, Q3, Q0, RAISE} state_t;
  state_t     state;
  logic [1:0] q;

  always_comb
    case (state)
      Q1:      q = 2'd1;
      Q2:      q = 2'd2;
      Q3:      q = 2'd3;
      default: q = 2'd0;
    endcase
  assign busy          = state != IDLE;
  assign mem_valid     = state != IDLE && (state != RAISE || interrupt);
  assign mem_interrupt = state == RAISE;
  assign mem_address   = (state == RAISE) ? 64'(vector) : {address, q, 3'b000};
  assign mem_data      = record[q*64 +: 64];

  always_ff @(posedge clk) begin
    case (state)
      IDLE:
        if (start)
          state <= (address != '0) ? Q1 : RAISE;
      Q1: if (mem_ready) state <= Q2;
      Q2: if (mem_ready) state <= Q3;
      Q3: if (mem_ready) state <= Q0;
      Q0: if (mem_ready) state <= RAISE;
      default:
        if (mem_ready || !interrupt)
          state <= IDLE;
    endcase
    if (rst)
      state <= IDLE;
  end
endmodule
`default_nettype wire
