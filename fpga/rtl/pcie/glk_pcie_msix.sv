// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Interrupt controller for the hard block's built-in MSI-X table (PG213: 8 vectors per function, so VECTORS is at most 8).
// A raised vector waits until nothing can pass the writes posted before it; raising it again meanwhile is merged. Vectors
// raised while a batch waits form the next batch, so none starves. Interrupts that the hard block could not send are
// retried; while MSI-X is disabled, pending ones are discarded. Masking is handled by the hard block.
module glk_pcie_msix #(
  parameter int VECTORS = 8
) (
  input  logic        clk,
  input  logic        rst,
  input  logic        raise,
  input  logic [5:0]  vector,
  input  logic [7:0]  packets_given, // write packets handed to the hard block
  input  logic [7:0]  packets_past,  // write packets that nothing can pass any more
  input  logic        msix_enable,
  output logic [31:0] msi_int,       // one-hot pulse, with msix_int
  output logic        msix_int,
  input  logic        msi_sent,
  input  logic        msi_fail
);
  initial if (VECTORS < 1 || VECTORS > 8) $fatal;

  logic [7:0] waiting, batch, now; // now: vector being sent by the hard block
  logic       reached;
  logic [7:0] mark;
  wire [7:0]  past   = packets_past - mark;
  wire        unused = &{1'b0, past[6:0]};
  wire [7:0]  raised = (raise && vector < 6'(VECTORS)) ? 8'd1 << vector[2:0] : 8'd0;
  wire [7:0]  lowest = batch & (~batch + 8'd1);

  always_ff @(posedge clk) begin
    msix_int <= 1'b0;
    msi_int  <= 32'd0;
    waiting  <= waiting | raised;
    if (batch == 8'd0 && now == 8'd0) begin
      batch   <= waiting;
      waiting <= raised;
      mark    <= packets_given;
      reached <= 1'b0;
    end else if (!reached)
      reached <= !past[7];
    else if (now == 8'd0) begin
      now      <= lowest;
      batch    <= batch & ~lowest;
      msi_int  <= {24'b0, lowest};
      msix_int <= 1'b1;
    end else if (msi_sent)
      now <= 8'd0;
    else if (msi_fail) begin
      now   <= 8'd0;
      batch <= batch | now;
    end
    if (rst || !msix_enable) begin
      waiting  <= 8'd0;
      batch    <= 8'd0;
      now      <= 8'd0;
      reached  <= 1'b0;
      msi_int  <= 32'd0;
      msix_int <= 1'b0;
    end
  end
endmodule
`default_nettype wire
