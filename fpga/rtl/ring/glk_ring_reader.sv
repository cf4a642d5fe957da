// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Reads a range of host memory, as PCIe reads split at multiples of READ_BYTES, with up to TAGS outstanding. Completions
// are in order per tag and unordered between tags.
//
// Output is by line: `line` is the number of the range's first line, the following lines count up. After a failure no
// further reads are issued; `busy` falls when all completions have arrived.
module glk_ring_reader #(
  parameter int DATA_W     = 512,
  parameter int READ_BYTES = 512,
  parameter int TAGS       = 1,
  parameter int LANES      = DATA_W / 8,
  parameter int TW         = (TAGS > 1) ? $clog2(TAGS) : 1,
  parameter int LINE_W     = 16 - $clog2(LANES)
) (
  input  logic              clk,
  input  logic              rst,

  input  logic              start,   // only while not busy
  input  logic [63:0]       address,
  input  logic [12:0]       length,  // 1..4096
  input  logic [LINE_W-1:0] line,
  output logic              busy,
  output logic              failed,  // valid from the falling edge of busy until the next start

  // PCIe reads and their completions
  output logic [63:0]       mem_address,
  output logic [12:0]       mem_length,
  output logic [TW-1:0]     mem_tag,
  output logic              mem_valid,
  input  logic              mem_ready,

  input  logic [TW-1:0]     rd_tag,
  input  logic              rd_error,
  input  logic [DATA_W-1:0] rd_data,
  input  logic              rd_last,
  input  logic              rd_valid,

  // Lines read
  output logic [LINE_W-1:0] read_line,
  output logic [DATA_W-1:0] read_data,
  output logic              read_valid
);
  localparam int LB = $clog2(LANES);
  localparam int RB = $clog2(READ_BYTES);

  // --- requests ---
  logic [63:0]       next;
  logic [12:0]       left;
  logic [LINE_W-1:0] next_line;
  logic              asking;
  logic [TW-1:0]     tag;
  logic [TAGS-1:0]   out;             // outstanding
  logic [TAGS*LINE_W-1:0] lines;      // next line of each tag

  wire [RB:0]        to_cut  = (RB+1)'(READ_BYTES) - (RB+1)'(next[RB-1:0]);
  wire               is_last = left <= 13'(to_cut);
  wire [12:0]        part    = is_last ? left : 13'(to_cut);
  wire [LINE_W-1:0]  lines_to_cut = LINE_W'(16'(READ_BYTES / LANES) - (16'(next[RB-1:0]) >> LB));
  wire               ask     = asking && !failed && !out[tag] && (!mem_valid || mem_ready);
  wire               answer  = rd_valid && (rd_last || rd_error);

  wire [TAGS-1:0] tag_bit   = TAGS'(1) << tag;
  wire [TAGS-1:0] d_tag_bit = TAGS'(1) << rd_tag;
  wire [TAGS-1:0] out_next  = (out & ~(answer ? d_tag_bit : TAGS'(0))) | (ask ? tag_bit : TAGS'(0));

  always_ff @(posedge clk) begin
    if (mem_ready)
      mem_valid <= 1'b0;
    if (ask) begin
      mem_valid   <= 1'b1;
      mem_address <= next;
      mem_length  <= part;
      mem_tag     <= tag;
      next        <= {next[63:RB] + (64-RB)'(1), RB'(0)};
      left        <= left - part;
      next_line   <= next_line + lines_to_cut;
      tag         <= (tag == TW'(TAGS - 1)) ? TW'(0) : tag + TW'(1);
      asking      <= !is_last;
    end
    out  <= out_next;
    busy <= (asking && !failed && !(ask && is_last)) || |out_next;
    if (rd_valid && rd_error)
      failed <= 1'b1;
    for (int t = 0; t < TAGS; t = t + 1)
      if (ask && tag == TW'(t))
        lines[t*LINE_W +: LINE_W] <= next_line;
      else if (rd_valid && rd_tag == TW'(t))
        lines[t*LINE_W +: LINE_W] <= lines[t*LINE_W +: LINE_W] + LINE_W'(1);
    if (start) begin
      next      <= address;
      left      <= length;
      next_line <= line;
      asking    <= 1'b1;
      failed    <= 1'b0;
      busy      <= 1'b1;
    end
    if (rst) begin
      mem_valid <= 1'b0;
      asking    <= 1'b0;
      failed    <= 1'b0;
      busy      <= 1'b0;
      out       <= '0;
      tag       <= '0;
    end
  end

  // --- completions ---
  always_ff @(posedge clk) begin
    read_valid <= rd_valid && !rd_error;
    read_line  <= lines[32'(rd_tag)*LINE_W +: LINE_W];
    read_data  <= rd_data;
    if (rst)
      read_valid <= 1'b0;
  end
endmodule
`default_nettype wire
