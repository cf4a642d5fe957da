// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Write requests of the other card, one at a time: each is converted to a FinePack packet of one sub-packet, so that all
// writes use one path, and answered when its bytes are visible. Malformed requests and those without access right are
// refused, and count as arrived.
module glk_serve_writes #(
  parameter int DATA_W     = 512,
  parameter int PARTITIONS = 16,
  parameter int LANES      = DATA_W / 8,
  parameter int KW         = $clog2(LANES + 1),
  parameter int PW         = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1
) (
  input  logic              clk,
  input  logic              rst,
  input  logic              session,
  input  logic [15:0]       open,
  input  logic [PARTITIONS*37-1:0] ep_bytes,

  // Pieces: five per request
  input  logic [127:0]      s_data,
  input  logic              s_last,
  input  logic              s_valid,
  output logic              s_ready,

  output logic [DATA_W-1:0] m_data,
  output logic [KW-1:0]     m_bytes,
  output logic              m_last,
  output logic              m_valid,
  input  logic              m_ready,
  input  logic              done_valid, // the packet's writes are posted, or it was refused
  input  logic              done_refused,

  // A request was refused here
  output logic [3:0]        arrived_partition,
  output logic              arrived_valid,
  input  logic              arrived_ready,

  output logic [PARTITIONS-1:0] each_take,
  input  logic [PARTITIONS-1:0] each_reached,
  input  logic              fail_valid,
  input  logic [PW-1:0]     fail_partition,

  output logic [31:0]       answer_data,
  output logic              answer_valid,
  input  logic              answer_ready,
  output logic              idle
);
  localparam int PACKET = 656; // bits: header, sub-header, line
  typedef enum logic [3:0] {FILL, LOOK, CHECK, CHOOSE, ALIGN, PACK, SEND, POST, TAKE, SEE, COUNT, ANSWER} state_t;
  state_t state;

  // --- request; its line is moved behind a packet header ---
  logic [PACKET-1:0] packet;
  logic [15:0]  tag;
  logic [3:0]   partition;
  logic [63:0]  where;
  logic [5:0]   shift;  // remaining shift of the line in bytes
  logic [6:0]   left;   // remaining bytes of the packet
  logic [1:0]   status;
  logic         failed, stale, begun;
  wire  [5:0]   first = where[53:48];
  wire  [6:0]   bytes = {1'b0, where[59:54]} + 7'd1;
  wire  [7:0]   end_byte = {2'b0, first} + {1'b0, bytes};
  wire          fits = where[63:60] == 4'd0 && where[5:0] == 6'd0 && end_byte <= 8'd64;
  logic         fits_q, opened, holds;
  logic [36:0]  pages_left;
  glk_serve_reach #(.PARTITIONS(PARTITIONS)) reach (
    .clk, .open, .ep_bytes, .partition, .page(where[47:12]), .opened, .holds, .left(pages_left));

  // --- packet: sub-header width 2, base address is the line ---
  wire  [6:0]   payload = bytes + 7'd2;
  wire  [4:0]   dwords  = 5'((payload + 7'd3) >> 2);
  wire  [3:0]   last_be = (payload[1:0] == 2'd0) ? 4'hf : (payload[1:0] == 2'd1) ? 4'h1 : (payload[1:0] == 2'd2) ? 4'h3 : 4'h7;
  wire  [127:0] header  = {where[7:0], where[15:8], where[23:16], where[31:24], where[39:32], where[47:40], 4'b0, partition,
      8'h00,
                           last_be, 4'h2, 24'h0, 3'b0, dwords, 16'h0, 8'h7c};
  logic [511:0] line; // masked to the written bytes
  always_comb
    for (int k = 0; k < 64; k = k + 1)
      line[8*k +: 8] = (7'(k) < bytes) ? packet[96 + 8*k +: 8] : 8'h00;

  wire          stop   = !session || stale;
  wire          m_taken = m_valid && m_ready;
  wire          sends  = state == SEND && (begun || m_taken) && !(m_taken && m_last); // partly sent
  wire          seen   = |(each_reached & PARTITIONS'(16'd1 << partition));

  assign s_ready = state == FILL && session;
  assign m_data  = packet[DATA_W-1:0];
  assign m_last  = left <= 7'(LANES);
  assign m_bytes = m_last ? KW'(left) : KW'(LANES);
  assign m_valid = state == SEND;
  assign each_take = (state == TAKE) ? PARTITIONS'(16'd1 << partition) : '0;
  assign arrived_partition = partition;
  assign arrived_valid     = state == COUNT;
  assign answer_data  = {tag, 2'b0, status, 8'b0, 4'(glk_flit::WRITE_RESPONSE)};
  assign answer_valid = state == ANSWER;

  always_ff @(posedge clk) begin
    if (fail_valid && 4'(fail_partition) == partition)
      failed <= 1'b1;
    unique case (state)
      FILL: begin
        failed <= 1'b0;
        begun  <= 1'b0;
        status <= 2'd0;
        if (s_valid && s_ready) begin
          packet <= {16'b0, s_data, packet[639:128]};
          if (s_last)
            state <= LOOK;
        end
        {where, tag, partition} <= {packet[223:160], packet[159:144], packet[143:140]}; // valid with the last piece
      end
      LOOK:
        state <= CHECK;
      CHECK: begin
        fits_q <= fits;
        shift  <= first;
        state  <= CHOOSE;
      end
      CHOOSE: begin
        if (!(holds && fits_q))
          status <= 2'd1;
        state <= (holds && fits_q) ? ALIGN : COUNT;
      end
      ALIGN:
        if (|shift[5:3]) begin
          packet[96 +: 512] <= {64'b0, packet[160 +: 448]};
          shift <= shift - 6'd8;
        end else if (|shift[2:0]) begin
          packet[96 +: 512] <= {8'b0, packet[104 +: 504]};
          shift <= shift - 6'd1;
        end else
          state <= PACK;
      PACK: begin
        packet <= {line, first, 3'b0, bytes, header};
        left   <= 7'd16 + {dwords, 2'b0};
        state  <= SEND;
      end
      SEND:
        if (m_taken) begin
          packet <= packet >> DATA_W;
          left   <= left - 7'(LANES);
          begun  <= 1'b1;
          if (m_last)
            state <= POST;
        end
      POST:
        if (done_valid) begin
          if (done_refused)
            status <= 2'd1;
          state <= done_refused ? ANSWER : TAKE;
        end
      TAKE:
        state <= SEE;
      SEE:
        if (seen) begin
          if (failed)
            status <= 2'd2;
          state <= ANSWER;
        end
      COUNT:
        if (arrived_ready)
          state <= ANSWER;
      default: // ANSWER
        if (answer_ready)
          state <= FILL;
    endcase
    // End of session: a packet in transfer to the receiver is completed.
    stale <= stop && sends;
    if (stop && !sends)
      state <= FILL;
    idle <= state == FILL;
    if (rst) begin
      state <= FILL;
      stale <= 1'b0;
    end
  end
  wire unused = &{1'b0, opened, pages_left};
endmodule
`default_nettype wire
