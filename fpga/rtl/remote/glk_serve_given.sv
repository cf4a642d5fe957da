// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Arbiter in front of the card's receiver, round robin: FinePack packets of the other card, and packets made from its write
// requests. The receiver reports completion or refusal in order, which refers to the oldest packet. Packets given to it in
// a previous session are ignored.
module glk_serve_given #(
  parameter int DATA_W = 512,
  parameter int LANES  = DATA_W / 8,
  parameter int KW     = $clog2(LANES + 1)
) (
  input  logic              clk,
  input  logic              rst,
  input  logic              session,

  input  logic [DATA_W-1:0] packet_data,
  input  logic [KW-1:0]     packet_bytes,
  input  logic              packet_last,
  input  logic              packet_valid,
  output logic              packet_ready,
  input  logic [DATA_W-1:0] write_data,
  input  logic [KW-1:0]     write_bytes,
  input  logic              write_last,
  input  logic              write_valid,
  output logic              write_ready,

  output logic [DATA_W-1:0] inject_data,
  output logic [KW-1:0]     inject_bytes,
  output logic              inject_last,
  output logic              inject_valid,
  input  logic              inject_ready,
  input  logic              other_done,
  input  logic              other_refused,

  output logic [3:0]        done_partition,
  output logic              done_write, // it was a write request
  output logic              done_refused,
  output logic              done_valid,
  output logic              idle
);
  localparam int MOST = 32; // more than the receiver can hold

  // --- arbiter ---
  logic held;      // inside a packet
  logic write_was; // its source, also of the last one
  logic room, out_ready;
  wire  write = held ? write_was : write_valid && !(packet_valid && write_was);
  wire  go    = out_ready && (held || room);
  wire  begins = (write ? write_valid : packet_valid) && go && !held;
  wire  valid  = (write ? write_valid : packet_valid) && (held || room);
  wire [DATA_W-1:0] data = write ? write_data : packet_data;
  wire  last   = write ? write_last : packet_last;

  assign packet_ready = !write && go;
  assign write_ready = write && go;

  always_ff @(posedge clk) begin
    if (valid && out_ready) begin
      held      <= !last;
      write_was <= write;
    end
    if (rst) begin
      held      <= 1'b0;
      write_was <= 1'b0;
    end
  end
  glk_skid #(.W(DATA_W + KW + 1)) out (
    .clk, .rst, .s_data({data, write ? write_bytes : packet_bytes, last}), .s_valid(valid), .s_ready(out_ready),
    .m_data({inject_data, inject_bytes, inject_last}), .m_valid(inject_valid), .m_ready(inject_ready));

  // --- packets in the receiver ---
  logic       oldest_valid, oldest_write, over;
  logic [3:0] oldest_partition;
  logic [5:0] number, passed; // outstanding; of these the oldest, from a previous session
  wire        ends = other_done || other_refused;
  wire  [5:0] number_next = number + 6'(begins) - 6'(over);
  glk_fifo #(.W(5), .DEPTH(MOST), .BYPASS(1)) given (
    .clk, .rst, .s_data({write, data[75:72]}), .s_valid(begins), .s_ready(room),
    .m_data({oldest_write, oldest_partition}), .m_valid(oldest_valid), .m_ready(ends));
  assign over = ends && oldest_valid;

  always_ff @(posedge clk) begin
    number         <= number_next;
    passed         <= !session ? number_next : passed - 6'(over && passed != 6'd0);
    done_valid     <= over && passed == 6'd0 && session;
    done_refused   <= other_refused;
    done_write     <= oldest_write;
    done_partition <= oldest_partition;
    idle           <= number == 6'd0 && !begins;
    if (rst) begin
      number     <= '0;
      passed     <= '0;
      done_valid <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk)
    if (checks)
      begin : ends_in_order assert (!(ends && !oldest_valid) && !(other_done && other_refused)); end
`endif
endmodule
`default_nettype wire
