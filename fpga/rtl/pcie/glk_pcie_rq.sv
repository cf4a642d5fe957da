// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// The card's m stream to the requester request (RQ) interface of the PCIe hard block: DW-aligned behind a 128-bit descriptor,
// no straddling, client tags.
//
// Writes are split at multiples of the max payload size. Reads and interrupts travel through the same pipeline, to stay
// behind earlier writes, and leave it at packet generation: interrupts to glk_pcie_msix, reads to glk_pcie_reads, which may
// delay them. So nothing on m waits for a read, and writes may pass reads, as PCIe allows.
//
// Write packets carry a sequence number, which the hard block returns (pcie_rq_seq_num*) when nothing can pass the packet
// any more. Bit 5 is set to distinguish them from reads. At most 31 write packets are in flight.
//
// While bus mastering is disabled, writes are dropped and reads fail. Sequence numbers of packets then in the hard block
// may never return: after LOST clocks of that, or of a function-level reset, these packets count as past.
module glk_pcie_rq #(
  parameter int DATA_W = 512, // at least 256: the descriptor is in the first beat
  parameter int LOST   = 4096, // a power of two
  parameter int DWORDS = DATA_W / 32,
  parameter int LB     = $clog2(DWORDS)
) (
  input  logic              clk,
  input  logic              rst,
  input  logic [1:0]        cfg_max_payload,
  input  logic              bus_master,
  input  logic              flr,

  // Request stream of the card
  input  logic [1:0]        mem_kind,
  input  logic [63:0]       mem_address,
  input  logic [12:0]       mem_length,
  input  logic [5:0]        mem_tag,
  input  logic [DATA_W-1:0] mem_data,
  input  logic              mem_last,
  input  logic              mem_valid,
  output logic              mem_ready,

  // Reads in order, to glk_pcie_reads, and the resulting packets
  output logic [63:0]       read_address,
  output logic [12:0]       read_length,
  output logic [5:0]        read_tag,
  output logic              read_valid,
  input  logic              read_room, // for at least 2 more reads
  input  logic [127:0]      packet_descriptor,
  input  logic [7:0]        packet_enables, // {last, first}
  input  logic              packet_valid,
  output logic              packet_ready,

  // Interrupts
  output logic              raise,
  output logic [5:0]        vector,

  output logic [7:0]        writes_taken, // running counts, see glk_pcie_order
  output logic [7:0]        writes_given,
  output logic [7:0]        packets_given,
  output logic [7:0]        packets_past,

  // Hard block
  output logic [DATA_W-1:0] rq_tdata,
  output logic [DWORDS-1:0] rq_tkeep,
  output logic [7:0]        rq_enables, // fields of tuser: byte enables {last, first}
  output logic [5:0]        rq_seq,     // sequence number
  output logic              rq_first,   // first beat of a packet
  output logic [LB-1:0]     rq_end,     // lane of the last DW
  output logic              rq_tlast,
  output logic              rq_tvalid,
  input  logic              rq_tready,
  input  logic [5:0]        seq_num0,
  input  logic              seq_num_vld0,
  input  logic [5:0]        seq_num1,
  input  logic              seq_num_vld1
);
  localparam logic [1:0] WRITE = 2'd0, READ = 2'd1;
  localparam logic [3:0] MEM_WRITE = 4'd1;

  // --- split at max payload size, shift behind the descriptor ---
  logic              p_first, p_last, p_final, p_valid, p_ready;
  logic [11:0]       p_address;
  logic [1:0]        p_end, p_kind;
  logic [10:0]       p_dwords;
  logic [12:0]       p_length, unused_left;
  logic [DATA_W-1:0] p_data;
  logic [51:0]       p_page;
  logic [5:0]        p_tag;
  glk_pcie_cut #(.DATA_W(DATA_W), .USER_W(52 + 13 + 6 + 2)) cut (
    .clk, .rst, .limit({1'b0, cfg_max_payload}), .s_address(mem_address[11:0]), .s_length(mem_length), .s_data(mem_data),
    .s_user({mem_address[63:12], mem_length, mem_tag, mem_kind}), .s_last(mem_last), .s_valid(mem_valid), .s_ready(mem_ready),
    .m_address(p_address), .m_end(p_end), .m_dwords(p_dwords), .m_left(unused_left), .m_first(p_first), .m_last(p_last),
    .m_final(p_final), .m_data(p_data), .m_user({p_page, p_length, p_tag, p_kind}), .m_valid(p_valid), .m_ready(p_ready));

  logic              y_first, y_last, y_final, y_valid, y_ready;
  logic [63:0]       y_address;
  logic [1:0]        y_end, y_kind;
  logic [10:0]       y_dwords;
  logic [12:0]       y_length;
  logic [DATA_W-1:0] y_data;
  logic [5:0]        y_tag;
  glk_lane_shift #(.DATA_W(DATA_W), .USER_W(64 + 2 + 11 + 13 + 6 + 2 + 1)) shift (
    .clk, .rst, .s_from(p_kind == WRITE ? p_address[2 +: LB] : LB'(4)), .s_to(LB'(4)), .s_dwords(p_dwords[LB-1:0]),
    .s_data(p_data), .s_user({p_page, p_address, p_end, p_dwords, p_length, p_tag, p_kind, p_final}), .s_first(p_first),
    .s_last(p_last), .s_valid(p_valid), .s_ready(p_ready),
    .m_data(y_data), .m_user({y_address, y_end, y_dwords, y_length, y_tag, y_kind, y_final}), .m_first(y_first),
    .m_last(y_last), .m_valid(y_valid), .m_ready(y_ready));

  // --- store and forward ---
  // PG213 nullifies a packet in which tvalid drops, so packets leave this buffer only when complete. Reads and interrupts
  // pass through it in order, with their fields in place of the descriptor.
  localparam int BEATS = 64 * 512 / DATA_W; // buffer depth; more than three packets of maximum size
  localparam int BW    = $clog2(BEATS);
  localparam int YW    = 2 + 3 + LB + 8 + DATA_W;
  logic [3:0]    y_first_be, y_last_be;
  glk_pcie_enables enables (
    .none(1'b0), .single(y_dwords == 11'd1), .from(y_address[1:0]), .to(y_end), .first(y_first_be), .last(y_last_be));
  wire [127:0]   y_descriptor = {1'b0, 3'b0, 3'b0, 1'b0, 16'b0, 8'b0, 16'b0, 1'b0, MEM_WRITE, y_dwords, y_address[63:2], 2'b0};
  wire [127:0]   y_told   = (y_kind == WRITE) ? y_descriptor : {45'b0, y_tag, y_length, y_address};
  wire [LB-1:0]  y_lane   = y_last ? y_dwords[LB-1:0] + LB'(3) : '1; // lane of the last DW

  logic              fifo_ready, full, z_take;
  logic [3:0]        ended; // a packet's last beat was put in, up to here
  logic [BW:0]       whole; // complete packets that have reached the output
  logic [BW:0]       used;  // beats
  logic              z_first, z_last, z_final, z_valid, z_ready, z_some;
  logic [1:0]        z_kind;
  logic [LB-1:0]     z_lane;
  logic [7:0]        z_enables;
  logic [DATA_W-1:0] z_data;
  wire           put = y_valid && y_ready;
  assign y_ready = !full;
  assign z_valid = z_some && whole != '0;
  assign z_take  = z_valid && z_ready;

  glk_block_fifo #(.W(YW), .DEPTH(BEATS)) buffer (
    .clk, .rst,
    .s_data({y_kind, y_first, y_last, y_final, y_lane, y_last_be, y_first_be, y_data[DATA_W-1:128],
    y_first ? y_told : y_data[127:0]}),
    .s_valid(put), .s_ready(fifo_ready),
    .m_data({z_kind, z_first, z_last, z_final, z_lane, z_enables, z_data}), .m_valid(z_some), .m_ready(z_ready && whole != '0));

  always_ff @(posedge clk) begin
    used  <= used + (BW+1)'(put) - (BW+1)'(z_take);
    full  <= used >= (BW+1)'(BEATS - 4);
    ended <= {ended[2:0], put && y_last};
    whole <= whole + (BW+1)'(ended[3]) - (BW+1)'(z_take && z_last);
    if (rst) begin
      used  <= '0;
      full  <= 1'b0;
      ended <= '0;
      whole <= '0;
    end
  end

  // --- packets ---
  logic         o_ready, room, master;
  logic         midway, dropping; // inside a write packet; dropping it
  wire          z_write    = z_kind == WRITE;
  wire          z_dropped  = midway ? dropping : !master;
  wire          writing    = midway && !dropping;
  wire          z_give     = z_write && !z_dropped;
  wire          read       = packet_valid && !writing; // reads have priority; they are rare
  wire          may_write  = writing || (room && !packet_valid);
  assign packet_ready = o_ready && !writing;
  assign z_ready = z_write ? (z_dropped ? 1'b1 : o_ready && may_write) : read_room;
  wire          z_begins   = z_take && z_give && z_first;

  wire          o_valid    = read || (z_valid && z_give && may_write);
  wire          o_first    = read || z_first;
  wire          o_last     = read || z_last;
  wire [LB-1:0] o_lane     = read ? LB'(3) : z_lane;
  wire [DATA_W-1:0] o_data = {z_data[DATA_W-1:128], read ? packet_descriptor : z_data[127:0]};
  wire [7:0]    o_enables  = read ? packet_enables : z_enables;
  wire [5:0]    o_seq      = read ? 6'd0 : {1'b1, packets_given[4:0]};

  always_ff @(posedge clk) begin
    if (z_take && z_write) begin
      midway   <= !z_last;
      dropping <= z_dropped;
    end
    master       <= bus_master;
    read_valid   <= z_take && z_kind == READ;
    {read_tag, read_length, read_address} <= z_data[82:0];
    raise     <= z_take && z_kind[1];
    vector    <= z_data[5:0];
    if (rst) begin
      midway     <= 1'b0;
      master     <= 1'b0;
      read_valid <= 1'b0;
      raise      <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk)
    if (checks) begin
      begin : put_has_room assert (!put || fifo_ready); end
      begin : packet_without_gaps assert (!midway || z_valid); end // a packet starts only when complete
    end
`endif

  assign rq_tkeep = {DWORDS{1'b1}} >> ~rq_end;
  glk_skid #(.W(DATA_W + 8 + 6 + LB + 2)) skid (
    .clk, .rst, .s_data({o_data, o_enables, o_seq, o_lane, o_first, o_last}), .s_valid(o_valid), .s_ready(o_ready),
    .m_data({rq_tdata, rq_enables, rq_seq, rq_end, rq_first, rq_tlast}), .m_valid(rq_tvalid), .m_ready(rq_tready));

  // --- progress of write packets ---
  logic       past0, past1;
  logic [$clog2(LOST):0] off; // clocks, saturating at LOST
  wire        lost = off[$clog2(LOST)];
  logic [4:0] number0, number1;
  logic [4:0] given_before;
  wire [4:0]  on_way = given_before - packets_past[4:0];
  wire [4:0]  step0  = number0 - packets_past[4:0] + 5'd1; // 1: the next packet
  wire [4:0]  step1  = number1 - packets_past[4:0] + 5'd1;
  wire        good0  = past0 && step0 != 5'd0 && step0 <= on_way;
  wire        good1  = past1 && step1 != 5'd0 && step1 <= on_way;
  wire [4:0]  steps  = good1 && (!good0 || step1 > step0) ? step1 : good0 ? step0 : 5'd0;

  always_ff @(posedge clk) begin
    past0   <= seq_num_vld0 && seq_num0[5];
    past1   <= seq_num_vld1 && seq_num1[5];
    number0 <= seq_num0[4:0];
    number1 <= seq_num1[4:0];
    given_before  <= packets_given[4:0];
    packets_past  <= lost ? packets_given : packets_past + 8'(steps);
    off           <= (master && !flr) ? '0 : off + ($clog2(LOST)+1)'(!lost);
    packets_given <= packets_given + 8'(z_begins);
    writes_given  <= writes_given + 8'(z_take && z_write && z_last && z_final);
    writes_taken  <= writes_taken + 8'(mem_valid && mem_ready && mem_last && mem_kind == WRITE);
    room          <= (packets_given - packets_past) + 8'(z_begins) < 8'd31;
    if (rst) begin
      past0         <= 1'b0;
      past1         <= 1'b0;
      off           <= '0;
      given_before  <= 5'd0;
      packets_past  <= 8'd0;
      packets_given <= 8'd0;
      writes_given  <= 8'd0;
      writes_taken  <= 8'd0;
      room          <= 1'b0;
    end
  end
endmodule
`default_nettype wire
