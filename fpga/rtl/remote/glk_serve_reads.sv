// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Loads of the requests: up to READS in flight, answered in order. A read is answered with its line, or refused in its turn;
// the data of an atomic go back to glk_serve_requests. Loads of an ended session are completed, and their data dropped.
module glk_serve_reads #(
  parameter int PARTITIONS = 16,
  parameter int READS      = 8, // a power of two
  parameter int PW         = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1
) (
  input  logic          clk,
  input  logic          rst,
  input  logic          session,

  input  logic          s_atomic,
  input  logic          s_refused, // without a load
  input  logic [15:0]   s_tag,
  input  logic [15:0]   s_asked,   // bits 63:48 of a read's "where" field
  input  logic [PW-1:0] s_partition,
  input  logic [47:0]   s_offset,
  input  logic [6:0]    s_length,
  input  logic          s_valid,
  output logic          s_ready,

  // Loads within a line, and their answers, in order
  output logic [PW-1:0] load_partition,
  output logic [47:0]   load_offset,
  output logic [6:0]    load_length,
  output logic          load_valid,
  input  logic          load_ready,
  input  logic          load_q_error,
  input  logic          load_q_valid,
  output logic          load_q_ready,

  // g_line is the data of an atomic
  output logic          old_valid,

  // Read responses, input of glk_trim; the line is g_line
  output logic [15:0]   response_tag,
  output logic [15:0]   response_asked,
  output logic [1:0]    response_status,
  output logic          response_valid,
  input  logic          response_ready,
  output logic          idle
);
  localparam int CW = $clog2(READS) + 1;
  localparam logic [1:0] DONE = 2'd0, REFUSED = 2'd1, FAILED = 2'd2;

  // --- loads in flight, and refused reads among them ---
  logic          room, h_any, atomic, refused;
  logic [CW-1:0] count, count_next, old; // old: the first ones are of an ended session
  wire           drops = old != '0;
  wire           comes = s_valid && s_ready;
  wire           done  = h_any && (refused || load_q_valid) && (atomic || drops || response_ready);

  assign s_ready         = room && !load_valid;
  assign load_q_ready    = h_any && !refused && (atomic || drops || response_ready);
  assign old_valid       = h_any && atomic && load_q_valid;
  assign response_valid  = h_any && !atomic && !drops && (refused || load_q_valid);
  assign response_status = refused ? REFUSED : load_q_error ? FAILED : DONE;
  glk_fifo #(.W(2 + 32), .DEPTH(READS)) fifo (
    .clk, .rst, .s_data({s_atomic, s_refused, s_tag, s_asked}), .s_valid(s_valid && !load_valid), .s_ready(room),
    .m_data({atomic, refused, response_tag, response_asked}), .m_valid(h_any), .m_ready(done));

  assign idle       = count == '0 && !load_valid;
  assign count_next = count + CW'(comes) - CW'(done);
  always_ff @(posedge clk) begin
    count <= count_next;
    old   <= !session ? count_next : old - CW'(done && drops);
    if (load_ready)
      load_valid <= 1'b0;
    if (comes) begin
      load_valid     <= !s_refused;
      load_partition <= s_partition;
      load_offset    <= s_offset;
      load_length    <= s_length;
    end
    if (rst) begin
      count      <= '0;
      old        <= '0;
      load_valid <= 1'b0;
    end
  end
endmodule
`default_nettype wire
