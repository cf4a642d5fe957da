// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// PCIe ordering of completions behind posted writes. A completion must not pass an earlier posted write of the card:
// software that reads a register which reports data as written must find that data. The registers report a write once
// glk_memory_mux has accepted it, and up to SLACK transactions are queued between glk_memory_mux and the adapter. Requests and
// completions enter the hard block through two interfaces that it does not order (PG213). So a completion waits until
// 1. the transactions queued at its arrival have left the card: the stream was idle once (not inside a transaction), or SLACK
// more
//    transactions have been transferred,
// 2. all writes transferred by then have entered the hard block,
// 3. the hard block has reported that no completion can pass the last of them.
// None of these steps waits for a read; that would deadlock, because completions must be able to pass reads.
module glk_pcie_order #(
  parameter int SLACK = 8
) (
  input  logic       clk,
  input  logic       rst,
  input  logic       cpl_valid,
  input  logic       cpl_ready,
  input  logic       cpl_last,
  input  logic [7:0] writes_taken,
  input  logic [7:0] writes_given,  // of these, completely handed to the hard block
  input  logic [7:0] packets_given, // their packets
  input  logic [7:0] packets_past,  // packets that no completion can pass any more
  input  logic       ask,
  input  logic       taken,
  output logic       ok
);
  typedef enum logic [2:0] {IDLE, SETTLE, GIVEN, PAST, OK} state_t;
  state_t     state;
  logic       m_open, m_busy; // inside a transaction; active in the previous clock
  logic [7:0] mark;
  logic [3:0] more;
  wire [7:0]  given = writes_given - mark;
  wire [7:0]  past  = packets_past - mark;
  wire        unused = &{1'b0, given[6:0], past[6:0]};

  always_ff @(posedge clk) begin
    if (cpl_valid && cpl_ready)
      m_open <= !cpl_last;
    m_busy <= cpl_valid || m_open;
    more   <= more + 4'(cpl_valid && cpl_ready && cpl_last);
    unique case (state)
      IDLE: begin
        more <= 4'd0;
        if (ask)
          state <= SETTLE;
      end
      SETTLE:
        if (!m_busy || more >= 4'(SLACK)) begin
          mark  <= writes_taken;
          state <= GIVEN;
        end
      GIVEN:
        if (!given[7]) begin
          mark  <= packets_given;
          state <= PAST;
        end
      PAST:
        if (!past[7]) begin
          ok    <= 1'b1;
          state <= OK;
        end
      default:
        if (taken) begin
          ok    <= 1'b0;
          state <= IDLE;
        end
    endcase
    if (rst) begin
      state  <= IDLE;
      ok     <= 1'b0;
      m_open <= 1'b0;
      m_busy <= 1'b1;
    end
  end
endmodule
`default_nettype wire
