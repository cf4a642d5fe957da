// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Context register file: settings and doorbells, written by glk_registers; ring indices and status, written by the ring
// engine.
//
// Distributed RAM, replicated for the readers: registers (x), ring engine (n), releases (z), regions (g). One clock of read
// latency. After a reset the memories are cleared row by row; until then all reads return 0.
module glk_contexts #(
  parameter int CONTEXTS = 32,
  parameter int CW       = (CONTEXTS > 1) ? $clog2(CONTEXTS) : 1
) (
  input  logic          clk,
  input  logic          rst,
  input  logic          clear,

  // Registers
  input  logic          reg_cx_write,
  input  logic [2:0]    reg_cx_which, // 0 sq_base, 1 cq_base, 2 order, 3 record, 4 vector, 5 sq_tail, 6 cq_head
  input  logic [CW-1:0] reg_cx_context,
  input  logic [63:0]   reg_cx_data,
  output logic [63:0]   reg_cx_sq_base,
  output logic [63:0]   reg_cx_cq_base,
  output logic [63:0]   reg_cx_record,
  output logic [7:0]    reg_cx_sq_order,
  output logic [7:0]    reg_cx_cq_order,
  output logic [5:0]    reg_cx_vector,
  output logic [15:0]   reg_cx_sq_tail,
  output logic [15:0]   reg_cx_cq_head,
  output logic [15:0]   reg_cx_sq_head,
  output logic [15:0]   reg_cx_cq_tail,
  output logic [3:0]    reg_cx_status,

  // Ring engine
  input  logic [CW-1:0] ring_cx_context,
  output logic [63:0]   ring_cx_sq_base,
  output logic [63:0]   ring_cx_cq_base,
  output logic [3:0]    ring_cx_sq_order,
  output logic [3:0]    ring_cx_cq_order,
  output logic [3:0]    ring_cx_status,
  output logic [5:0]    ring_cx_vector,
  output logic [15:0]   ring_cx_sq_tail,
  output logic [15:0]   ring_cx_cq_head,
  output logic [15:0]   ring_cx_sq_head,
  output logic [15:0]   ring_cx_cq_tail,
  input  logic          ring_cx_write,
  input  logic [CW-1:0] ring_cx_write_context,
  input  logic [15:0]   ring_cx_new_sq_head,
  input  logic [15:0]   ring_cx_new_cq_tail,
  input  logic [3:0]    ring_cx_new_status,

  // Releases
  input  logic [CW-1:0] release_cx_context,
  output logic [63:0]   release_cx_record,
  output logic [5:0]    release_cx_vector,
  output logic [15:0]   release_cx_sq_head,
  output logic [3:0]    release_cx_status,

  // Regions
  input  logic [CW-1:0] region_cx_context,
  output logic [5:0]    region_cx_vector
);
  localparam int BASE_W = 58; // ring bases are multiples of 64
  localparam int RECORD_W = 60; // multiples of 16
  localparam int PLACE_W = 36; // sq_head, cq_tail, status

  (* ram_style = "distributed" *) logic [BASE_W-1:0]   sq_base [0:(1<<CW)-1];
  (* ram_style = "distributed" *) logic [BASE_W-1:0]   cq_base [0:(1<<CW)-1];
  (* ram_style = "distributed" *) logic [7:0]          order   [0:(1<<CW)-1]; // at most 15 each
  (* ram_style = "distributed" *) logic [RECORD_W-1:0] record  [0:(1<<CW)-1];
  (* ram_style = "distributed" *) logic [5:0]          vector  [0:(1<<CW)-1];
  (* ram_style = "distributed" *) logic [15:0]         sq_tail [0:(1<<CW)-1];
  (* ram_style = "distributed" *) logic [15:0]         cq_head [0:(1<<CW)-1];
  (* ram_style = "distributed" *) logic [PLACE_W-1:0]  place   [0:(1<<CW)-1];

  logic          sweeping;
  logic [CW-1:0] sweep;

  wire [CW-1:0]      xw = sweeping ? sweep : reg_cx_context;
  wire [63:0]        xd = sweeping ? 64'b0 : reg_cx_data;
  wire [CW-1:0]      nw = sweeping ? sweep : ring_cx_write_context;
  wire [PLACE_W-1:0] nd = sweeping ? PLACE_W'(0) : {ring_cx_new_sq_head, ring_cx_new_cq_tail, ring_cx_new_status};

  always_ff @(posedge clk) begin
    if (sweeping || (reg_cx_write && reg_cx_which == 3'd0))
      sq_base[xw] <= xd[63:6];
    if (sweeping || (reg_cx_write && reg_cx_which == 3'd1))
      cq_base[xw] <= xd[63:6];
    if (sweeping || (reg_cx_write && reg_cx_which == 3'd2))
      order[xw] <= {xd[11:8], xd[3:0]};
    if (sweeping || (reg_cx_write && reg_cx_which == 3'd3))
      record[xw] <= xd[63:4];
    if (sweeping || (reg_cx_write && reg_cx_which == 3'd4))
      vector[xw] <= xd[5:0];
    if (sweeping || (reg_cx_write && reg_cx_which == 3'd5))
      sq_tail[xw] <= xd[15:0];
    if (sweeping || (reg_cx_write && reg_cx_which == 3'd6))
      cq_head[xw] <= xd[15:0];
    if (sweeping || ring_cx_write)
      place[nw] <= nd;
  end

  always_ff @(posedge clk) begin
    reg_cx_sq_base  <= {sq_base[reg_cx_context], 6'b0};
    reg_cx_cq_base  <= {cq_base[reg_cx_context], 6'b0};
    reg_cx_record   <= {record[reg_cx_context], 4'b0};
    {reg_cx_cq_order[3:0], reg_cx_sq_order[3:0]} <= order[reg_cx_context];
    {reg_cx_cq_order[7:4], reg_cx_sq_order[7:4]} <= 8'b0;
    reg_cx_vector   <= vector[reg_cx_context];
    reg_cx_sq_tail  <= sq_tail[reg_cx_context];
    reg_cx_cq_head  <= cq_head[reg_cx_context];
    {reg_cx_sq_head, reg_cx_cq_tail, reg_cx_status} <= place[reg_cx_context];

    ring_cx_sq_base  <= {sq_base[ring_cx_context], 6'b0};
    ring_cx_cq_base  <= {cq_base[ring_cx_context], 6'b0};
    {ring_cx_cq_order, ring_cx_sq_order} <= order[ring_cx_context];
    ring_cx_vector   <= vector[ring_cx_context];
    ring_cx_sq_tail  <= sq_tail[ring_cx_context];
    ring_cx_cq_head  <= cq_head[ring_cx_context];
    {ring_cx_sq_head, ring_cx_cq_tail, ring_cx_status} <= place[ring_cx_context];

    release_cx_record   <= {record[release_cx_context], 4'b0};
    release_cx_vector   <= vector[release_cx_context];
    {release_cx_sq_head, release_cx_status} <= {place[release_cx_context][35:20], place[release_cx_context][3:0]};
    region_cx_vector   <= vector[region_cx_context];

    if (rst || clear || sweeping) begin
      reg_cx_sq_base  <= '0;
      reg_cx_cq_base  <= '0;
      reg_cx_record   <= '0;
      reg_cx_sq_order <= '0;
      reg_cx_cq_order <= '0;
      reg_cx_vector   <= '0;
      reg_cx_sq_tail  <= '0;
      reg_cx_cq_head  <= '0;
      {reg_cx_sq_head, reg_cx_cq_tail, reg_cx_status} <= '0;
      ring_cx_sq_base  <= '0;
      ring_cx_cq_base  <= '0;
      {ring_cx_cq_order, ring_cx_sq_order} <= '0;
      ring_cx_vector   <= '0;
      ring_cx_sq_tail  <= '0;
      ring_cx_cq_head  <= '0;
      {ring_cx_sq_head, ring_cx_cq_tail, ring_cx_status} <= '0;
      release_cx_record   <= '0;
      release_cx_vector   <= '0;
      {release_cx_sq_head, release_cx_status} <= '0;
      region_cx_vector   <= '0;
    end
  end

  always_ff @(posedge clk) begin
    if (sweeping)
      sweep <= sweep + CW'(1);
    if (sweep == '1)
      sweeping <= 1'b0;
    if (rst || clear) begin
      sweeping <= 1'b1;
      sweep    <= '0;
    end
  end
endmodule
`default_nettype wire
