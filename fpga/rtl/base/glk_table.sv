// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Table in block RAM, written by registers and read by lookups. One RAM port serves the aperture, one lookup per clock; the
// other is shared by the registers (p0, highest priority), the ring engine (p1) and the regions (p2). The memory is not cleared
// by reset: the register block writes every row afterwards.
module glk_table #(
  parameter int W    = 89,
  parameter int ROWS = 1024,
  parameter int RW   = (ROWS > 1) ? $clog2(ROWS) : 1
) (
  input  logic          clk,
  input  logic          rst,

  // Lookup port: look_q is valid two clocks after look
  input  logic          look,
  input  logic [RW-1:0] look_row,
  output logic [W-1:0]  look_q,

  // Access ports: q holds a read's row from its `done` until the next one
  input  logic          p0_valid,
  output logic          p0_ready,
  input  logic          p0_write,
  input  logic [RW-1:0] p0_row,
  input  logic [W-1:0]  p0_data,
  output logic          p0_done,
  input  logic          p1_valid,
  output logic          p1_ready,
  input  logic [RW-1:0] p1_row,
  output logic          p1_done,
  input  logic          p2_valid,
  output logic          p2_ready,
  input  logic [RW-1:0] p2_row,
  output logic          p2_done,
  output logic [W-1:0]  q
);
  // Depth covers every row index: an out-of-range lookup returns undefined data, which the requester ignores.
  (* ram_style = "block" *) logic [W-1:0] memory [0:(1<<RW)-1];

  // --- lookup port ---
  logic [W-1:0] look_first;
  always_ff @(posedge clk) begin
    if (look)
      look_first <= memory[look_row];
    look_q <= look_first;
  end

  // --- access ports: requests are registered before arbitration, so no combinational path connects them ---
  logic          kept0, kept0_write, kept1, kept2;
  logic [RW-1:0] kept0_row, kept1_row, kept2_row;
  logic [W-1:0]  kept0_data, read_first;
  logic          first0, first1, first2;

  assign p0_ready = !kept0;
  assign p1_ready = !kept1;
  assign p2_ready = !kept2;

  wire          take1 = kept1 && !kept0;
  wire          take2 = kept2 && !kept0 && !kept1;
  wire [RW-1:0] row   = kept0 ? kept0_row : kept1 ? kept1_row : kept2_row;

  always_ff @(posedge clk) begin
    if (p0_ready) begin
      kept0       <= p0_valid;
      kept0_write <= p0_write;
      kept0_row   <= p0_row;
      kept0_data  <= p0_data;
    end else begin
      kept0 <= 1'b0;
    end
    if (p1_ready) begin
      kept1     <= p1_valid;
      kept1_row <= p1_row;
    end else if (take1) begin
      kept1 <= 1'b0;
    end
    if (p2_ready) begin
      kept2     <= p2_valid;
      kept2_row <= p2_row;
    end else if (take2) begin
      kept2 <= 1'b0;
    end

    if (kept0 && kept0_write)
      memory[row] <= kept0_data;
    read_first <= memory[row];
    first0     <= kept0 && !kept0_write;
    first1     <= take1;
    first2     <= take2;

    if (first0 || first1 || first2)
      q <= read_first;
    p0_done <= first0;
    p1_done <= first1;
    p2_done <= first2;
    if (rst) begin
      kept0   <= 1'b0;
      kept1   <= 1'b0;
      first0  <= 1'b0;
      first1  <= 1'b0;
      kept2   <= 1'b0;
      first2  <= 1'b0;
      p0_done <= 1'b0;
      p1_done <= 1'b0;
      p2_done <= 1'b0;
    end
  end
endmodule
`default_nettype wire
