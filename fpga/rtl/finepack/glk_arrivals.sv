// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Counts flushes made (`sent`) and those whose packets are done (`arrived`): refused, or all their plain writes issued. The
// counts are equal when nothing is in flight.
//
// Packets enter the receiver in order, are decided in that order, and accepted ones complete in that order. These three
// events are tracked separately, so the latency between them does not matter.
//
// Packets to the other card take a different path and complete out of order with others. Since a waiter compares the counts
// to cover everything before its own packet, packets are counted in the order in which they left the packetizer. One path
// may stall while the other does not, so `full` limits how many may leave.
module glk_arrivals #(
  parameter int DEPTH = 32, // maximum of packets between entering the receiver and completion; power of two
  parameter int MADE  = 128, // maximum of packets between glk_packing and that; power of two
  parameter int ORDER = 128 // maximum of own packets between the packetizer and completion, more than loop and receiver
                            // hold; power of two
) (
  input  logic        clk,
  input  logic        rst,
  input  logic        clear,       // clears both counts; packets of others may be in flight
  input  logic        e_flush,
  input  logic        e_packet,       // one of its packets is made: packets leave in this order
  input  logic        e_packet_final, // the last one
  input  logic        receiver_taken, // a packet has entered the receiver
  input  logic        receiver_own,
  input  logic        e_accepted,
  input  logic        e_refused,
  input  logic        packet_done, // the last plain write of an accepted packet is issued
  input  logic        e_passed,    // an own packet has left, over the link or into the loop
  input  logic        e_passed_remote,
  input  logic        e_remote,       // one has been sent over the link
  output logic        full,        // at most SLACK more may pass
  output logic [15:0] sent,
  output logic [15:0] arrived,
  output logic        e_other,         // a packet of the other card is done
  output logic        e_other_refused  // it was refused
);
  localparam int W = $clog2(DEPTH);

  logic [DEPTH-1:0] own, refused;
  logic [W:0]       entered, decided, finished; // packets; the low bits index the arrays
  logic [W:0]       done;                       // accepted packets that are complete and not yet finished

  wire [W-1:0] at     = finished[W-1:0];
  wire         finish = entered != finished && decided != finished && (refused[at] || done != '0);
  wire         by_end = finish && !refused[at];

  localparam int V     = $clog2(ORDER);
  localparam int SLACK = 8;
  logic [ORDER-1:0] remote, final_one;
  logic             made_ready, made_final, made_valid; // packets made and not left yet
  logic [V:0]       passed, counted;    // the low bits index the array
  logic [V:0]       own_done, remote_done; // and not counted yet
  wire              next_remote = remote[counted[V-1:0]];
  wire              count    = passed != counted && (next_remote ? remote_done != '0 : own_done != '0);

  glk_fifo #(.W(1), .DEPTH(MADE)) made (
    .clk, .rst(rst || clear), .s_data(e_packet_final), .s_valid(e_packet), .s_ready(made_ready),
    .m_data(made_final), .m_valid(made_valid), .m_ready(e_passed));

  always_ff @(posedge clk) begin
    if (receiver_taken) begin
      own[entered[W-1:0]] <= receiver_own;
      entered             <= entered + (W+1)'(1);
    end
    if (e_accepted || e_refused) begin
      refused[decided[W-1:0]] <= e_refused;
      decided                 <= decided + (W+1)'(1);
    end
    if (finish)
      finished <= finished + (W+1)'(1);
    done    <= done + (W+1)'(packet_done) - (W+1)'(by_end);
    sent    <= sent + 16'(e_flush);
    if (e_passed) begin
      remote[passed[V-1:0]] <= e_passed_remote;
      final_one[passed[V-1:0]] <= made_final;
      passed             <= passed + (V+1)'(1);
    end
    counted  <= counted + (V+1)'(count);
    full     <= (V+1)'(passed - counted) >= (V+1)'(ORDER - SLACK) && !rst;
    own_done <= own_done + (V+1)'(finish && own[at]) - (V+1)'(count && !next_remote);
    remote_done <= remote_done + (V+1)'(e_remote) - (V+1)'(count && next_remote);
    arrived  <= arrived + 16'(count && final_one[counted[V-1:0]]);
    e_other         <= finish && !own[at];
    e_other_refused <= refused[at];
    if (clear) begin
      sent    <= 16'd0;
      arrived <= 16'd0;
    end
    if (rst) begin
      entered  <= '0;
      decided  <= '0;
      finished <= '0;
      done     <= '0;
      e_other  <= 1'b0;
      passed   <= '0;
      counted  <= '0;
      own_done <= '0;
      remote_done <= '0;
      sent     <= 16'd0;
      arrived  <= 16'd0;
    end
  end

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk)
    if (checks) begin
      if (receiver_taken)
        begin : packets_fit assert(entered - finished != (W+1)'(DEPTH)); end
      begin : made_fifo_fits assert((!e_packet || made_ready) && (!e_passed || made_valid)); end
      if (e_passed)
        begin : order_fits assert(passed - counted != (V+1)'(ORDER)); end
    end
`endif
endmodule
`default_nettype wire
