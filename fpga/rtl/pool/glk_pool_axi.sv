// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Pool memory on AXI4: a transaction of the pool port (glk_card) becomes one INCR burst of aligned lines, at most 4 KiB, with
// byte strobes. Accepts a beat per clock.
//
// Order: all bursts have ID 0, so AXI4 keeps writes in order, and reads. Between writes and reads it does not: a read waits for
// the answers of all writes to its page of 4 KiB, and a write for those of all reads. At most WRITES and READS are unanswered.
// Errors: each is reported (e_write, e_read), the lines of a failed read are ones, and its transaction is complete.
// Reset: `rst` may come in the middle of a burst; its remaining beats are sent without strobes, and answers to earlier reads
// are discarded. Only mem_rst, together with the memory's, clears what is under way.
module glk_pool_axi #(
  parameter int DATA_W = 512,
  parameter int WRITES = 16, // powers of two
  parameter int READS  = 16,
  parameter int LANES  = DATA_W / 8
) (
  input  logic              clk,
  input  logic              rst,     // of the card
  input  logic              mem_rst, // of the memory

  // Pool port (glk_card)
  input  logic              pool_write,
  input  logic [47:0]       pool_offset,
  input  logic [12:0]       pool_length,
  input  logic [DATA_W-1:0] pool_data,
  input  logic              pool_last,
  input  logic              pool_valid,
  output logic              pool_ready,
  output logic [DATA_W-1:0] pool_q_data,
  output logic              pool_q_last,
  output logic              pool_q_valid,
  input  logic              pool_q_ready,

  output logic              e_write, // the answer to a write, or a line of a read, is an error
  output logic              e_read,
  output logic [35:0]       error_write_page,
  output logic [35:0]       error_read_page,

  // AXI4
  output logic [47:0]       awaddr,
  output logic [7:0]        awlen,
  output logic              awvalid,
  input  logic              awready,
  output logic [DATA_W-1:0] wdata,
  output logic [LANES-1:0]  wstrb,
  output logic              wlast,
  output logic              wvalid,
  input  logic              wready,
  input  logic [1:0]        bresp,
  input  logic              bvalid,
  output logic              bready,
  output logic [47:0]       araddr,
  output logic [7:0]        arlen,
  output logic              arvalid,
  input  logic              arready,
  input  logic [DATA_W-1:0] rdata,
  input  logic [1:0]        rresp,
  input  logic              rlast,
  input  logic              rvalid,
  output logic              rready
);
  localparam int L  = $clog2(LANES);
  localparam int WA = $clog2(WRITES);
  localparam int RA = $clog2(READS);
  initial if (LANES < 16 || LANES > 64 || (WRITES & (WRITES - 1)) != 0 || (READS & (READS - 1)) != 0) $fatal;

  // --- the transaction, its next beat, and that beat's number from the end ---
  logic              t_valid, t_issued, t_write, t_first, full, pad;
  logic [47:0]       t_offset;
  logic [L-1:0]      t_end;   // lane behind the last byte; 0: the line's end
  logic [7:0]        t_lines; // minus 1
  logic [7:0]        t_left;
  logic [DATA_W-1:0] t_data;

  // --- unanswered transactions, oldest at head ---
  logic [35:0]       write_page [0:WRITES-1];
  logic [35:0]       read_page [0:READS-1];
  logic [WRITES-1:0] writing, write_hit;
  logic [READS-1:0]  reading, read_hit, dropped;
  logic [WA-1:0]     write_head, write_tail;
  logic [RA-1:0]     read_head, read_tail;
  always_comb begin
    for (int i = 0; i < WRITES; i = i + 1)
      write_hit[i] = writing[i] && write_page[i] == t_offset[47:12];
    for (int i = 0; i < READS; i = i + 1)
      read_hit[i] = reading[i] && read_page[i] == t_offset[47:12];
  end

  logic aw_room, w_room, ar_room, q_room, closed;
  wire  may_write   = aw_room && !writing[write_tail] && read_hit == '0;
  wire  may_read    = ar_room && !reading[read_tail] && write_hit == '0;
  wire  may         = t_valid && !t_issued && !pad && (t_write ? may_write : may_read);
  wire  last        = t_left == 8'd0;
  wire  goes        = t_valid && t_write && (t_issued || may) && full && w_room && !pad; // the beat, in any clock without rst
  wire  done        = (may && !t_write) || (goes && last);
  wire  next        = t_valid && t_write && (!full || (goes && !last));
  wire  open        = !pad && !closed && (!t_valid || done || next);
  wire  issue       = may && !rst;
  wire  beat        = goes && !rst;
  wire  padding     = pad && w_room;
  wire  take        = pool_valid && open && !rst;
  wire  begins      = take && !next;
  assign pool_ready = open;

  wire [12:0]      span  = 13'(pool_offset[L-1:0]) + pool_length;
  wire [12:0]      lines = (span == 13'd0) ? 13'd0 : (span - 13'd1) >> L; // minus 1
  wire [LANES-1:0] from  = t_first ? {LANES{1'b1}} << t_offset[L-1:0] : {LANES{1'b1}};
  wire [LANES-1:0] upto  = (last && t_end != '0) ? ~({LANES{1'b1}} << t_end) : {LANES{1'b1}};

  always_ff @(posedge clk) begin
    if (issue)
      t_issued <= 1'b1;
    if (beat || padding) begin
      t_first <= 1'b0;
      t_left  <= t_left - 8'd1;
      full    <= 1'b0;
    end
    if (done && !rst)
      t_valid <= 1'b0;
    if (padding && last)
      pad <= 1'b0;
    if (take) begin
      full   <= 1'b1;
      t_data <= pool_data;
    end
    if (begins) begin
      t_valid  <= 1'b1;
      t_issued <= 1'b0;
      t_write  <= pool_write;
      t_first  <= 1'b1;
      t_offset <= pool_offset;
      t_end    <= span[L-1:0];
      t_lines  <= lines[7:0];
      t_left   <= lines[7:0];
    end
    if (rst) begin
      t_valid <= 1'b0;
      full    <= 1'b0;
      if (t_valid && t_write && t_issued)
        pad <= 1'b1;
    end
    closed <= mem_rst;
    if (mem_rst) begin
      t_valid <= 1'b0;
      pad     <= 1'b0;
    end
  end

  glk_skid #(.W(48 + 8)) aw (
    .clk, .rst(mem_rst), .s_data({t_offset[47:L], {L{1'b0}}, t_lines}), .s_valid(issue && t_write), .s_ready(aw_room),
    .m_data({awaddr, awlen}), .m_valid(awvalid), .m_ready(awready));
  glk_skid #(.W(DATA_W + LANES + 1)) w (
    .clk, .rst(mem_rst), .s_data({t_data, pad ? {LANES{1'b0}} : from & upto, last}), .s_valid(beat || padding),
    .s_ready(w_room), .m_data({wdata, wstrb, wlast}), .m_valid(wvalid), .m_ready(wready));
  glk_skid #(.W(48 + 8)) ar (
    .clk, .rst(mem_rst), .s_data({t_offset[47:L], {L{1'b0}}, t_lines}), .s_valid(issue && !t_write), .s_ready(ar_room),
    .m_data({araddr, arlen}), .m_valid(arvalid), .m_ready(arready));

  // --- answers ---
  wire drop = dropped[read_head];
  assign bready = 1'b1;
  assign rready = q_room || drop;
  glk_skid #(.W(DATA_W + 1)) q (
    .clk, .rst(rst || mem_rst), .s_data({rresp[1] ? {DATA_W{1'b1}} : rdata, rlast}), .s_valid(rvalid && !drop),
    .s_ready(q_room), .m_data({pool_q_data, pool_q_last}), .m_valid(pool_q_valid), .m_ready(pool_q_ready));

  always_ff @(posedge clk) begin
    if (issue && t_write) begin
      writing[write_tail]    <= 1'b1;
      write_page[write_tail] <= t_offset[47:12];
      write_tail             <= write_tail + WA'(1);
    end
    if (issue && !t_write) begin
      reading[read_tail]   <= 1'b1;
      dropped[read_tail]   <= 1'b0;
      read_page[read_tail] <= t_offset[47:12];
      read_tail            <= read_tail + RA'(1);
    end
    if (bvalid && writing[write_head]) begin
      writing[write_head] <= 1'b0;
      write_head          <= write_head + WA'(1);
    end
    if (rvalid && rready && rlast && reading[read_head]) begin
      reading[read_head] <= 1'b0;
      read_head          <= read_head + RA'(1);
    end
    if (rst)
      dropped <= '1;
    e_write          <= bvalid && bresp[1];
    e_read           <= rvalid && rready && rresp[1];
    error_write_page <= write_page[write_head];
    error_read_page  <= read_page[read_head];
    if (mem_rst) begin
      writing    <= '0;
      reading    <= '0;
      write_head <= '0;
      write_tail <= '0;
      read_head  <= '0;
      read_tail  <= '0;
      e_write    <= 1'b0;
      e_read     <= 1'b0;
    end
  end
  wire unused = &{1'b0, pool_last, bresp[0], rresp[0], lines[12:8]}; // the length says which beat is the last
endmodule
`default_nettype wire
