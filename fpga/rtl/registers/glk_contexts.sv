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
  input  logic          xc_write,
  input  logic [2:0]    xc_which, // 0 sq_base, 1 cq_base, 2 order, 3 record, 4 vector, 5 sq_tail, 6 cq_head
  input  logic [CW-1:0] xc_context,
  input  logic [63:0]   xc_data,
  output logic [63:0]   xc_sq_base,
  output logic [63:0]   xc_cq_base,
  output logic [63:0]   xc_record,
  output logic [7:0]    xc_sq_order,
  output logic [7:0]    xc_cq_order,
  output logic [5:0]    xc_vector,
  output logic [15:0]   xc_sq_tail,
  output logic [15:0]   xc_cq_head,
  output logic [15:0]   xc_sq_head,
  output logic [15:0]   xc_cq_tail,
  output logic [3:0]    xc_status,

  // Ring engine
  input  logic [CW-1:0] nx_context,
  output logic [63:0]   nx_sq_base,
  output logic [63:0]   nx_cq_base,
  output logic [3:0]    nx_sq_order,
  output logic [3:0]    nx_cq_order,
  output logic [3:0]    nx_status,
  output logic [5:0]    nx_vector,
  output logic [15:0]   nx_sq_tail,
  output logic [15:0]   nx_cq_head,
  output logic [15:0]   nx_sq_head,
  output logic [15:0]   nx_cq_tail,
  input  logic          nx_write,
  input  logic [CW-1:0] nx_write_context,
  input  logic [15:0]   nx_new_sq_head,
  input  logic [15:0]   nx_new_cq_tail,
  input  logic [3:0]    nx_new_status,

  // Releases
  input  logic [CW-1:0] zx_context,
  output logic [63:0]   zx_record,
  output logic [5:0]    zx_vector,
  output logic [15:0]   zx_sq_head,
  output logic [3:0]    zx_status,

  // Regions
  input  logic [CW-1:0] gx_context,
  output logic [5:0]    gx_vector
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

  wire [CW-1:0]      xw = sweeping ? sweep : xc_context;
  wire [63:0]        xd = sweeping ? 64'b0 : xc_data;
  wire [CW-1:0]      nw = sweeping ? sweep : nx_write_context;
  wire [PLACE_W-1:0] nd = sweeping ? PLACE_W'(0) : {nx_new_sq_head, nx_new_cq_tail, nx_new_status};

  always_ff @(posedge clk) begin
    if (sweeping || (xc_write && xc_which == 3'd0))
      sq_base[xw] <= xd[63:6];
    if (sweeping || (xc_write && xc_which == 3'd1))
      cq_base[xw] <= xd[63:6];
    if (sweeping || (xc_write && xc_which == 3'd2))
      order[xw] <= {xd[11:8], xd[3:0]};
    if (sweeping || (xc_write && xc_which == 3'd3))
      record[xw] <= xd[63:4];
    if (sweeping || (xc_write && xc_which == 3'd4))
      vector[xw] <= xd[5:0];
    if (sweeping || (xc_write && xc_which == 3'd5))
      sq_tail[xw] <= xd[15:0];
    if (sweeping || (xc_write && xc_which == 3'd6))
      cq_head[xw] <= xd[15:0];
    if (sweeping || nx_write)
      place[nw] <= nd;
  end

  always_ff @(posedge clk) begin
    xc_sq_base  <= {sq_base[xc_context], 6'b0};
    xc_cq_base  <= {cq_base[xc_context], 6'b0};
    xc_record   <= {record[xc_context], 4'b0};
    {xc_cq_order[3:0], xc_sq_order[3:0]} <= order[xc_context];
    {xc_cq_order[7:4], xc_sq_order[7:4]} <= 8'b0;
    xc_vector   <= vector[xc_context];
    xc_sq_tail  <= sq_tail[xc_context];
    xc_cq_head  <= cq_head[xc_context];
    {xc_sq_head, xc_cq_tail, xc_status} <= place[xc_context];

    nx_sq_base  <= {sq_base[nx_context], 6'b0};
    nx_cq_base  <= {cq_base[nx_context], 6'b0};
    {nx_cq_order, nx_sq_order} <= order[nx_context];
    nx_vector   <= vector[nx_context];
    nx_sq_tail  <= sq_tail[nx_context];
    nx_cq_head  <= cq_head[nx_context];
    {nx_sq_head, nx_cq_tail, nx_status} <= place[nx_context];

    zx_record   <= {record[zx_context], 4'b0};
    zx_vector   <= vector[zx_context];
    {zx_sq_head, zx_status} <= {place[zx_context][35:20], place[zx_context][3:0]};
    gx_vector   <= vector[gx_context];

    if (rst || clear || sweeping) begin
      xc_sq_base  <= '0;
      xc_cq_base  <= '0;
      xc_record   <= '0;
      xc_sq_order <= '0;
      xc_cq_order <= '0;
      xc_vector   <= '0;
      xc_sq_tail  <= '0;
      xc_cq_head  <= '0;
      {xc_sq_head, xc_cq_tail, xc_status} <= '0;
      nx_sq_base  <= '0;
      nx_cq_base  <= '0;
      {nx_cq_order, nx_sq_order} <= '0;
      nx_vector   <= '0;
      nx_sq_tail  <= '0;
      nx_cq_head  <= '0;
      {nx_sq_head, nx_cq_tail, nx_status} <= '0;
      zx_record   <= '0;
      zx_vector   <= '0;
      {zx_sq_head, zx_status} <= '0;
      gx_vector   <= '0;
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
