// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Reassembly buffer of a load over the link: read responses arrive in any order, one flit at a time, and are stored at the
// position of their bytes within the 4 KiB page. A full-line response (4 + 64 bytes) completes one 16-byte row with every
// flit except the first. A 4- or 8-byte sector is replicated over its row, since only the requested bytes are used.
//
// The first and last line of a load may be sectors; all others are full lines.
module glk_remote_lines #(
  parameter int DATA_W = 512,
  parameter int AW     = $clog2(32768 / DATA_W) // beats of a page
) (
  input  logic              clk,
  input  logic              rst,

  // Load descriptor: stable while active. `begins` marks all lines as missing.
  input  logic              begins,
  input  logic              active,
  input  logic [15:0]       tag,         // of the first line
  input  logic [5:0]        line,        // its index in the page
  input  logic [5:0]        last,        // number of the last line, from 0
  input  logic [3:0]        head_status, // expected status of the first line's response, or of the last one's
  input  logic [1:0]        head_row,    // its row within the line
  input  logic [3:0]        tail_status,
  input  logic [1:0]        tail_row,
  input  logic              asked,       // this line is being requested
  input  logic [5:0]        asked_number,
  output logic              all,         // all lines have arrived
  output logic              failed,      // a response did not have the expected status

  // Flits of read responses; `known` reports two clocks after a packet's last flit whether it was expected
  input  logic [127:0]      s_data,
  input  logic              s_first,
  input  logic              s_last,
  input  logic              s_valid,
  output logic              known,

  input  logic [AW-1:0]     look,
  output logic [DATA_W-1:0] look_data // one clock of latency
);
  localparam int BANKS = DATA_W / 128;

  // --- flit input and line number ---
  logic         b_valid, b_first, b_last;
  logic [127:0] b_data;
  logic [95:0]  b_held;   // of the previous flit
  logic [3:0]   b_status;
  logic [15:0]  b_number;
  logic [1:0]   b_row;    // row of the packet that ends with this flit

  always_ff @(posedge clk) begin
    b_valid <= s_valid && !rst;
    if (s_valid) begin
      b_first <= s_first;
      b_last  <= s_last;
      b_data  <= s_data;
      b_held  <= b_data[127:32];
      b_row   <= b_row + 2'd1;
      if (s_first) begin
        b_status <= s_data[15:12];
        b_number <= s_data[31:16] - tag;
        b_row    <= 2'd3;
      end
    end
  end

  // --- match ---
  logic [63:0] waits;
  logic        of_load;  // packet in progress belongs to the load
  wire  [5:0]  number = b_number[5:0];
  wire         is_head = number == 6'd0;
  wire         is_tail = number == last;
  wire         mine    = active && (b_first ? b_number[15:6] == 10'd0 && waits[number] : of_load);
  wire  [3:0]  status  = is_head ? head_status : is_tail ? tail_status : 4'd0;
  wire  [1:0]  row     = is_head ? head_row : is_tail ? tail_row : 2'd0;
  wire         tiny    = b_status == 4'd9 || b_status == 4'd10; // 4 or 8 bytes

  logic         c_write, c_done, c_wrong;
  logic [7:0]   c_row; // row within the page
  logic [127:0] c_data;
  logic [6:0]   left;

  always_ff @(posedge clk) begin
    if (b_valid)
      of_load <= mine && !b_last;
    if (!active)
      of_load <= 1'b0;
    c_write <= b_valid && mine && (!b_first || tiny);
    c_done  <= b_valid && mine && b_last;
    c_wrong <= b_valid && mine && b_status != status;
    c_row   <= {line + number, row + (b_first ? 2'd0 : b_row)};
    c_data  <= !b_first ? {b_data[31:0], b_held} : b_status[0] ? {4{b_data[63:32]}} : {2{b_data[95:32]}};

    if (begins) begin
      waits  <= '0;
      left   <= {1'b0, last} + 7'd1;
      all    <= 1'b0;
      failed <= 1'b0;
    end else begin
      if (asked)
        waits[asked_number] <= 1'b1;
      if (b_valid && mine && b_first)
        waits[number] <= 1'b0;
      if (c_done)
        left <= left - 7'd1;
      all    <= left == 7'd0;
      failed <= failed || c_wrong;
    end
    if (rst) begin
      of_load <= 1'b0;
      c_write <= 1'b0;
      c_done  <= 1'b0;
      c_wrong <= 1'b0;
    end
  end
  assign known = c_done;

  // --- page buffer ---
  generate
    for (genvar b = 0; b < BANKS; b = b + 1) begin : bank
      (* ram_style = "block" *) logic [127:0] memory [0:(1<<AW)-1];
      always_ff @(posedge clk) begin
        if (c_write && (c_row & 8'(BANKS - 1)) == 8'(b))
          memory[c_row[7 -: AW]] <= c_data;
        look_data[128*b +: 128] <= memory[look];
      end
    end
  endgenerate
endmodule
`default_nettype wire
