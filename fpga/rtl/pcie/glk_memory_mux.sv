// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Arbiter of all PCIe requests of the card: round robin between sources, whole transactions; splits writes at multiples of
// WRITE_BYTES.
//
// Order is preserved: transactions leave on mem in the order in which they are accepted here. There are no pipeline registers
// ahead of the arbiter, so an accepted transaction is ordered: a flush read accepted later is behind all writes accepted
// before it. The grant is a register; it moves at the end of a transaction, or while its source is idle, so a single active
// source streams without gaps.
module glk_memory_mux #(
  parameter int DATA_W      = 512,
  parameter int PARTITIONS  = 4,
  parameter int WRITE_BYTES = 256,
  parameter int TW          = 5, // width of the ring engine's tags
  parameter int PW          = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1,
  parameter int LANES       = DATA_W / 8
) (
  input  logic              clk,
  input  logic              rst,

  // Endpoint writes
  input  logic [63:0]       write_address,
  input  logic [12:0]       write_length,
  input  logic [PW-1:0]     write_partition,
  input  logic [DATA_W-1:0] write_data,
  input  logic              write_last,
  input  logic              write_valid,
  output logic              write_ready,

  // Ring engine; kind: 0 write, 1 read, 2 interrupt
  input  logic [1:0]        ring_kind,
  input  logic [63:0]       ring_address,
  input  logic [12:0]       ring_length,
  input  logic [TW-1:0]     ring_tag,
  input  logic [DATA_W-1:0] ring_data,
  input  logic              ring_last,
  input  logic              ring_valid,
  output logic              ring_ready,

  // Regions; kind as above, a write is 8 bytes
  input  logic [1:0]        region_kind,
  input  logic [63:0]       region_address,
  input  logic [12:0]       region_length,
  input  logic [2:0]        region_tag,
  input  logic [63:0]       region_data,
  input  logic              region_valid,
  output logic              region_ready,

  // Load reads of this card
  input  logic [63:0]       load_address,
  input  logic [12:0]       load_length,
  input  logic              load_valid,
  output logic              load_ready,
  // Load reads for the other card
  input  logic [63:0]       serve_address,
  input  logic [12:0]       serve_length,
  input  logic [2:0]        serve_slot, // 1 to 7
  input  logic              serve_valid,
  output logic              serve_ready,

  // Release records: an 8-byte write or an interrupt
  input  logic              record_interrupt,
  input  logic [63:0]       record_address,
  input  logic [63:0]       record_data,
  input  logic              record_valid,
  output logic              record_ready,

  // Flush reads (length 0)
  input  logic [PW-1:0]     flush_partition,
  input  logic [63:0]       flush_address,
  input  logic              flush_valid,
  output logic              flush_ready,

  // Event interrupt
  input  logic              event_valid,
  output logic              event_ready,

  // PCIe request stream
  output logic [1:0]        mem_kind,
  output logic [63:0]       mem_address,
  output logic [12:0]       mem_length,
  output logic [5:0]        mem_tag,
  output logic [DATA_W-1:0] mem_data,
  output logic              mem_last,
  output logic              mem_valid,
  input  logic              mem_ready,

  // A complete endpoint write was accepted: address of its last DW
  output logic              posted_valid,
  output logic [PW-1:0]     posted_partition,
  output logic [63:0]       posted_address,
  output logic              idle
);
  localparam int LB = $clog2(LANES);
  localparam int WB = $clog2(WRITE_BYTES);
  initial if (TW > 5) $fatal;
  localparam logic [1:0] WRITE = 2'd0, READ = 2'd1, INTERRUPT = 2'd2;
  // Flush reads use tags 0..15, loads of the other card 17..23, regions 24..31, rings 32..63.
  localparam logic [5:0] TAG_LOAD = 6'd16;

  // --- arbiter ---
  localparam int SOURCES = 8;
  logic [SOURCES-1:0] turn; // one-hot
  logic               mid, go;
  wire [SOURCES-1:0]  valids = {region_valid, serve_valid, event_valid, flush_valid, record_valid, load_valid, ring_valid,
                          write_valid};
  wire [SOURCES-1:0]  lasts  = {6'b111111, ring_last, write_last};
  wire                some   = |(turn & valids);
  wire                last   = |(turn & lasts);
  wire                taken  = some && go;
  assign {region_ready, serve_ready, event_ready, flush_ready, record_ready, load_ready, ring_ready, write_ready} = turn &
          {SOURCES{go}};

  // Round robin: the next other source with a request.
  logic [2*SOURCES-1:0] order;
  logic [SOURCES-1:0]   others, next_turn;
  always_comb begin
    others = valids & ~turn;
    order  = {others, others & ~((turn - SOURCES'(1)) | turn)};
    order  = order & (~order + (2*SOURCES)'(1));
    next_turn = order[SOURCES-1:0] | order[2*SOURCES-1:SOURCES];
  end

  always_ff @(posedge clk) begin
    if (taken)
      mid <= !last;
    if ((taken ? last : !some && !mid) && |others)
      turn <= next_turn;
    if (rst) begin
      mid  <= 1'b0;
      turn <= SOURCES'(1);
    end
  end

  // --- accepted transaction ---
  logic              a_valid, a_first, a_last;
  logic [1:0]        a_kind;
  logic [63:0]       a_address;
  logic [12:0]       a_length;
  logic [5:0]        a_tag;
  logic [DATA_W-1:0] a_data;
  wire [1:0]         kind = ({2{turn[1]}} & ring_kind) | ({2{turn[2] || turn[4] || turn[6]}} & READ) |
                          ({2{turn[7]}} & region_kind) |
                            ({2{(turn[3] && record_interrupt) || turn[5]}} & INTERRUPT);

  always_ff @(posedge clk) begin
    if (go) begin
      a_valid <= some;
      a_first <= !mid;
      a_last  <= last;
      a_data  <= turn[0] ? write_data : turn[1] ? ring_data : {LANES/8{turn[7] ? region_data : record_data}};
      a_kind    <= kind;
      a_address <= ({64{turn[0]}} & write_address) | ({64{turn[1]}} & ring_address) | ({64{turn[2]}} & load_address) |
          ({64{turn[3]}} & record_address) |
                   ({64{turn[4]}} & flush_address) | ({64{turn[5]}} & 64'(glk_regs::EVENT_VECTOR)) |
                       ({64{turn[6]}} & serve_address) |
                   ({64{turn[7]}} & region_address);
      a_length  <= ({13{turn[0]}} & write_length) | ({13{turn[1]}} & ring_length) | ({13{turn[2]}} & load_length) |
          {9'b0, turn[3], 3'b0} |
                   ({13{turn[6]}} & serve_length) | ({13{turn[7]}} & region_length);
      a_tag     <= ({6{turn[1]}} & {1'b1, 5'(ring_tag)}) | ({6{turn[2]}} & TAG_LOAD) | ({6{turn[4]}} & 6'(flush_partition)) |
                   ({6{turn[6]}} & {3'b010, serve_slot}) | ({6{turn[7]}} & {3'b011, region_tag});
    end
    if (rst)
      a_valid <= 1'b0;
  end

  // --- split writes: a part starts at the first byte and at every multiple of WRITE_BYTES ---
  logic        begins;       // the next beat starts a part
  logic [63:LB] line;        // beat address of the next beat
  logic [12:0] left, part_length;
  logic [63:0] part_address;
  logic        b_ends, b_last;
  logic [63:0] b_address, c_address;
  logic [12:0] b_left, b_length, c_length;
  wire         b_begins = a_first || begins;

  always_comb begin
    c_address = a_first ? a_address : {line, {LB{1'b0}}};
    b_left    = a_first ? a_length : left;
    c_length  = 13'(WRITE_BYTES) - 13'(c_address[WB-1:0]); // bytes up to the next multiple
    b_ends    = &(c_address[WB-1:0] | WB'(LANES - 1)); // last beat of the part
    b_last    = a_last || (a_kind == WRITE && b_ends);
    b_address = b_begins ? c_address : part_address;
    b_length  = !b_begins ? part_length : a_kind == WRITE && b_left > c_length ? c_length : b_left;
  end

  always_ff @(posedge clk) begin
    if (a_valid && go) begin
      begins       <= b_ends;
      line         <= c_address[63:LB] + (64-LB)'(1);
      part_address <= b_address;
      part_length  <= b_length;
      if (b_begins)
        left <= b_left - c_length; // used only if another part follows
    end
  end

  glk_skid #(.W(2 + 64 + 13 + 6 + DATA_W + 1)) skid (
    .clk, .rst, .s_data({a_kind, b_address, b_length, a_tag, a_data, b_last}), .s_valid(a_valid), .s_ready(go),
    .m_data({mem_kind, mem_address, mem_length, mem_tag, mem_data, mem_last}), .m_valid(mem_valid), .m_ready(mem_ready));

  // --- report to glk_acknowledge and glk_endpoint, whatever the back-pressure on m ---
  logic          w_valid;
  logic [PW-1:0] w_partition;
  logic [63:0]   w_address, w_end;
  logic [12:0]   w_length; // minus 1
  assign w_end = w_address + 64'(w_length);
  wire unused = &{1'b0, w_end[1:0]};

  always_ff @(posedge clk) begin
    w_valid          <= write_valid && write_ready && write_last;
    w_partition      <= write_partition;
    w_address        <= write_address;
    w_length         <= write_length - 13'd1;
    posted_valid     <= w_valid;
    posted_partition <= w_partition;
    posted_address   <= {w_end[63:2], 2'b0};
    idle             <= !(|valids || a_valid || mem_valid || w_valid || posted_valid);
    if (rst) begin
      w_valid      <= 1'b0;
      posted_valid <= 1'b0;
      idle         <= 1'b0;
    end
  end
endmodule
`default_nettype wire
