// SPDX-License-Identifier: Apache-2.0
// When may a completion go? PCIe lets no completion pass a posted write of the same device: who reads a register that says
// that data were written must find the data. Registers of the card say so when the write has been taken by glk_memory_mux,
// in which at most SLACK transactions stand in line before m. Requests and completions enter the hard block on two interfaces,
// which it does not order (PG213), so this waits, from when the completion is here, until
//  1. the card has given what stood there: m was empty once, and not between the beats of a transaction, or SLACK more
//     transactions were taken,
//  2. all writes taken by then have entered the hard block,
//  3. and the hard block has said of the last of them that no completion can pass it.
// None of this waits for a read, which would be a deadlock: completions have to be able to pass those.
module glk_pcie_order #(
  parameter int SLACK = 8
) (
  input  logic       clk,
  input  logic       rst,
  input  logic       m_valid,
  input  logic       m_ready,
  input  logic       m_last,
  input  logic [7:0] writes_taken,
  input  logic [7:0] writes_given, // of them, wholly given to the hard block, and
  input  logic [7:0] packets_given, // the packets of them
  input  logic [7:0] packets_past,  // which no completion can pass any more
  input  logic       ask,
  input  logic       taken,
  output logic       ok
);
  typedef enum logic [2:0] {IDLE, SETTLE, GIVEN, PAST, OK} state_t;
  state_t     state;
  logic       m_open, m_busy; // m is in a transaction; was, or had one, a clock ago
  logic [7:0] mark;
  logic [3:0] more;
  wire [7:0]  given = writes_given - mark;
  wire [7:0]  past  = packets_past - mark;
  wire        unused = &{1'b0, given[6:0], past[6:0]};

  always_ff @(posedge clk) begin
    if (m_valid && m_ready)
      m_open <= !m_last;
    m_busy <= m_valid || m_open;
    more   <= more + 4'(m_valid && m_ready && m_last);
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
