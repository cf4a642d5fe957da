// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Transmit path of FinePack packets to remote partitions: separates them from the packets to local endpoints, rewrites the
// partition number, and cuts them into flits. Other packets pass through.
//
// A packet is posted (in glk_acknowledge, as a write of its partition) when its last flit has entered the cluster queue,
// and has arrived (in glk_arrivals) when glk_acknowledge has counted it as unacknowledged, which posted_ready reports. A packet
// without a session, or whose session ends before that, is lost: it is posted too, and reported as lost. So is one in the
// compact form if the other card does not accept it: it was made for another card, whose session has ended meanwhile.
module glk_remote_send #(
  parameter int DATA_W     = 512,
  parameter int PARTITIONS = 16,
  parameter int WAITING    = 512, // beats of packets that wait for the link: what the block RAMs of a beat's width hold
  parameter int KW         = $clog2(DATA_W / 8 + 1),
  parameter int PW         = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1
) (
  input  logic              clk,
  input  logic              rst,
  input  logic              session,
  input  logic              peer_compact,     // the other card accepts the compact form
  input  logic              hold,             // stalls packets ahead of this block
  input  logic [PARTITIONS-1:0]   ep_remote,           // of kind link; changes only while it has no packet in this block
  input  logic [PARTITIONS*4-1:0] remote_partition,

  // Packets of the card; those to local endpoints are passed on
  input  logic [DATA_W-1:0] packet_data,
  input  logic [KW-1:0]     packet_bytes,
  input  logic              packet_last,
  input  logic              packet_valid,
  output logic              packet_ready,
  output logic [DATA_W-1:0] own_data,
  output logic [KW-1:0]     own_bytes,
  output logic              own_last,
  output logic              own_valid,
  input  logic              own_ready,

  // Flits to the cluster queue
  output logic [127:0]      m_data,
  output logic              m_last,
  output logic              m_valid,
  input  logic              m_ready,

  output logic              sent_valid, // packet sent to partition sent_remote of the other card
  output logic [3:0]        sent_remote,
  output logic              lost_valid, // packet lost
  output logic [PW-1:0]     lost_partition,
  output logic              posted_valid,
  output logic [PW-1:0]     posted_partition,
  input  logic              posted_ready,
  output logic              e_passed,     // a packet has passed, in packet order; it goes to the other card
  output logic              e_passed_remote,
  output logic              e_arrived
);
  localparam int FLITS = DATA_W / 128;
  localparam int FW    = (FLITS > 1) ? $clog2(FLITS) : 1;
  localparam int BYTE  = 9;  // header byte with the partition number of the address

  logic [PARTITIONS-1:0]   remote_q;
  logic [PARTITIONS*4-1:0] remote_partition_q;
  always_ff @(posedge clk) begin
    remote_q           <= ep_remote;
    remote_partition_q <= remote_partition;
  end

  // --- routing, by a packet's first beat ---
  logic [DATA_W-1:0] i_data;
  logic [KW-1:0]     i_bytes;
  logic              i_last, i_valid, i_ready, in_ready;
  logic              held;
  always_ff @(posedge clk)
    held <= hold;
  assign packet_ready = in_ready && !held;
  glk_skid #(.W(DATA_W + KW + 1)) in (
    .clk, .rst, .s_data({packet_data, packet_bytes, packet_last}), .s_valid(packet_valid && !held), .s_ready(in_ready),
    .m_data({i_data, i_bytes, i_last}), .m_valid(i_valid), .m_ready(i_ready));

  logic          amid, was_remote; // inside a packet; it is remote
  wire  [PW-1:0] i_partition = i_data[8*BYTE +: PW];
  wire           of_remote   = amid ? was_remote : remote_q[i_partition];
  logic          q_ready;

  assign own_data  = i_data;
  assign own_bytes = i_bytes;
  assign own_last  = i_last;
  assign own_valid = i_valid && !of_remote;
  assign i_ready   = of_remote ? q_ready : own_ready;

  always_ff @(posedge clk) begin
    if (i_valid && i_ready) begin
      amid       <= !i_last;
      was_remote <= of_remote;
    end
    if (rst)
      amid <= 1'b0;
  end

  // Packets that wait for the link, so that those behind them go on.
  logic [DATA_W-1:0] j_data;
  logic [KW-1:0]     j_bytes;
  logic              j_last, j_valid, free;
  glk_block_fifo #(.W(DATA_W + KW + 1), .DEPTH(WAITING)) waiting (
    .clk, .rst, .s_data({i_data, i_bytes, i_last}), .s_valid(i_valid && of_remote), .s_ready(q_ready),
    .m_data({j_data, j_bytes, j_last}), .m_valid(j_valid), .m_ready(free));

  logic          going_on, dropping; // inside a packet; discard its rest
  logic [PW-1:0] was_partition;
  wire  [PW-1:0] first_partition = j_data[8*BYTE +: PW];
  wire  [PW-1:0] partition = going_on ? was_partition : first_partition;
  logic [FW:0]   left;     // flits left of the current beat
  logic          beat_last;
  logic          room;     // for the next beat
  logic          ended;    // the end of the last packet is not reported yet
  // Bit 3 of First BE, and not the Tag of a single run.
  wire           described = !going_on && j_data[8*7+3] && j_data[8*6 +: 4] != 4'hf;
  wire           drops     = (going_on && dropping) || !session || (described && !peer_compact);
  assign         free      = !ended && (drops ? left == '0 || !beat_last : room);
  wire           take      = j_valid && free;

  // --- cut into flits ---
  logic [DATA_W-1:0] beat;
  logic [PW-1:0]     beat_partition;
  logic [127:0]      f_data;
  logic              f_valid, f_last, f_ready, out_valid;
  wire               gone    = f_valid && f_ready;
  wire [DATA_W-1:0]  readdressed = going_on ? j_data :
                       {j_data[DATA_W-1:8*BYTE+8], 4'b0, remote_partition_q[4*first_partition +: 4], j_data[8*BYTE-1:0]};
  wire [KW-1:0]      full    = KW'(DATA_W / 8);
  wire [KW-1:0]      bytes   = j_last ? j_bytes : full;
  // No beat follows the last beat of a packet until the packet's end is reported.
  assign room    = left == '0 || (left == (FW+1)'(1) && gone && !beat_last);
  assign f_data  = beat[127:0];
  assign f_last  = beat_last && left == (FW+1)'(1);
  assign f_valid = left != '0;

  always_ff @(posedge clk) begin
    if (take) begin
      going_on      <= !j_last;
      was_partition <= partition;
      dropping      <= drops;
    end
    if (going_on && !session)
      dropping <= 1'b1;
    if (gone) begin
      beat <= beat >> 128;
      left <= left - (FW+1)'(1);
    end
    if (take && !drops) begin
      beat           <= readdressed;
      left           <= (FW+1)'((bytes + KW'(15)) >> 4);
      beat_last      <= j_last;
      beat_partition <= partition;
    end
    if (!session)
      left <= '0;
    if (rst) begin
      going_on <= 1'b0;
      left   <= '0;
    end
  end

  // Count only flits accepted by the cluster queue; one flit may wait in front of it.
  glk_skid #(.W(129)) out (
    .clk, .rst(rst || !session), .s_data({f_data, f_last}), .s_valid(f_valid), .s_ready(f_ready),
    .m_data({m_data, m_last}), .m_valid(out_valid), .m_ready);
  assign m_valid = out_valid;

  // --- outcome ---
  logic          lost;  // of the packet that ended
  logic [PW-1:0] end_partition;
  wire           ends_lost = (take && drops && j_last) ||        // no session at its end
                             (left != '0 && beat_last && !session); // or while its last flits wait
  wire           ends_well = gone && f_last && session;
  assign posted_valid     = ended;
  assign posted_partition = end_partition;

  always_ff @(posedge clk) begin
    e_passed     <= i_valid && i_ready && i_last && !rst;
    e_passed_remote <= of_remote;
    sent_valid <= 1'b0;
    lost_valid <= 1'b0;
    e_arrived  <= posted_valid && posted_ready;
    if (ends_lost || ends_well) begin
      ended         <= 1'b1;
      lost          <= ends_lost;
      end_partition <= (left != '0) ? beat_partition : partition;
      sent_valid    <= ends_well;
      sent_remote      <= remote_partition_q[4*beat_partition +: 4];
      lost_valid    <= ends_lost;
    end
    if (posted_valid && posted_ready) begin
      ended      <= 1'b0;
      lost_valid <= !session && !lost; // sent, but the session ended before this is reported
    end
    lost_partition <= ended ? end_partition : (left != '0) ? beat_partition : partition;
    if (rst) begin
      ended      <= 1'b0;
      e_arrived  <= 1'b0;
      sent_valid <= 1'b0;
      lost_valid <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk)
    if (checks)
      begin : ends_once assert (!(ended && (ends_lost || ends_well))); end
`endif
endmodule
`default_nettype wire
