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
  input  logic               arrival_valid,
  input  logic [RW-1:0]      arrival_region,
  input  logic [KW-1:0]      arrival_chunk,
  input  logic [1:0]         arrival_epoch,
  input  logic [15:0]        arrival_count,
  output logic               arrival_done,
  output logic               arrival_ok,
  output logic               arrival_listed,
  input  logic               take_valid,
  input  logic [RW-1:0]      take_region,
  input  logic [1:0]         take_epoch,
  output logic               take_done,
  output logic [KW-1:0]      take_chunk,
  output logic               take_complete,
  output logic [REGIONS-1:0] some,
  input  logic               finish,
  input  logic               drop,
  input  logic [RW-1:0]      finish_region,
  input  logic               walk_start,
  input  logic               walk_restart,
  input  logic [RW-1:0]      walk_region,
  input  logic [1:0]         walk_epoch,
  input  logic [KW-1:0]      walk_first,
  input  logic [KW:0]        walk_chunks,
  output logic               walk_busy,
  input  logic               chunk_reg_valid,
  input  logic               chunk_reg_write,
  input  logic [KW-1:0]      chunk_reg_chunk,
  input  logic [15:0]        chunk_reg_initial,
  output logic               chunk_reg_done,
  output logic [35:0]        chunk_reg_counter,
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
  assign q_valid   = chunks.op_q_valid;
  assign q_kind    = chunks.op_q_kind;
  assign q_chunk   = chunks.op_q_chunk;
  assign q_counter = chunks.op_q_counter;
endmodule
`default_nettype wire
