// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Bench top: glk_region_chunks, with the operations on its counters in the order in which they take effect.
module region_chunks_bench #(
  parameter int REGIONS = 4,
  parameter int CHUNKS  = 32,
  parameter int RW      = (REGIONS > 1) ? $clog2(REGIONS) : 1,
  parameter int KW      = (CHUNKS > 1) ? $clog2(CHUNKS) : 1
) (
  input  logic               clk,
  input  logic               rst,
  input  logic               clear,
  output logic               swept,
  input  logic               a_valid,
  input  logic [RW-1:0]      a_region,
  input  logic [KW-1:0]      a_chunk,
  input  logic [1:0]         a_epoch,
  input  logic [15:0]        a_count,
  output logic               a_done,
  output logic               a_ok,
  output logic               a_listed,
  input  logic               t_valid,
  input  logic [RW-1:0]      t_region,
  input  logic [1:0]         t_epoch,
  output logic               t_done,
  output logic [KW-1:0]      t_chunk,
  output logic               t_complete,
  output logic [REGIONS-1:0] some,
  input  logic               finish,
  input  logic               drop,
  input  logic [RW-1:0]      finish_region,
  input  logic               w_start,
  input  logic               w_restart,
  input  logic [RW-1:0]      w_region,
  input  logic [1:0]         w_epoch,
  input  logic [KW-1:0]      w_first,
  input  logic [KW:0]        w_chunks,
  output logic               w_busy,
  input  logic               k_valid,
  input  logic               k_write,
  input  logic [KW-1:0]      k_chunk,
  input  logic [15:0]        k_initial,
  output logic               k_done,
  output logic [35:0]        k_counter,
  input  logic               fresh,
  input  logic [RW-1:0]      fresh_region,
  input  logic [RW-1:0]      look_region,
  output logic               look_dirty,
  output logic [KW:0]        look_listed,
  output logic [KW:0]        look_finished,
  output logic               q_valid,
  output logic [2:0]         q_kind,
  output logic [KW-1:0]      q_chunk,
  output logic [35:0]        q_counter
);
  glk_region_chunks #(.REGIONS(REGIONS), .CHUNKS(CHUNKS)) chunks (.*);
  assign q_valid   = chunks.q_valid;
  assign q_kind    = chunks.q_kind;
  assign q_chunk   = chunks.q_chunk;
  assign q_counter = chunks.q_counter;
endmodule
`default_nettype wire
