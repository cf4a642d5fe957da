// SPDX-License-Identifier: Apache-2.0
// Counts flushes that were made, and packets of the card's own that came round the loop and are done with: all of their
// plain writes given away, or refused. The two are equal when nothing is on its way.
//
// Packets enter the receiver in an order; they are decided on in that order, and those that were accepted end in that order.
// Three events of a packet, each counted or noted for itself, so that it does not matter how far they lie apart.
//
// Packets to the other card's partitions go another way, and are done with sooner or later than those around them. Who compares the
// counts wants to know of all before one of its own: so they are counted in the order in which they left the packetizer. As one way
// may stand still while the other does not, `full` tells when no more may leave.
module glk_arrivals #(
  parameter int DEPTH = 32, // most packets between entering and being done with; power of two
  parameter int ORDER = 128 // most of the card's own between leaving the packetizer and being done with, more than the loop and the
                            // receiver hold; power of two
) (
  input  logic        clk,
  input  logic        rst,
  input  logic        clear,       // both counts are 0 again; packets of others may be under way
  input  logic        e_flush,
  input  logic        u_taken,     // a packet has entered the receiver
  input  logic        u_own,
  input  logic        e_accepted,
  input  logic        e_refused,
  input  logic        packet_done, // the last plain write of an accepted packet was given away
  input  logic        e_passed,    // one of the card's own is on its way: over the link, or round the loop
  input  logic        e_passed_remote,
  input  logic        e_remote,       // one has gone over the link
  output logic        full,        // some more may pass, up to SLACK
  output logic [15:0] sent,
  output logic [15:0] arrived,
  output logic        e_other,         // a packet that is not its own is done with
  output logic        e_other_refused  // it was refused
);
  localparam int W = $clog2(DEPTH);

  logic [DEPTH-1:0] own, refused;
  logic [W:0]       entered, decided, finished; // packets; the low bits are their place
  logic [W:0]       done;                       // accepted packets that ended and are not finished yet

  wire [W-1:0] at     = finished[W-1:0];
  wire         finish = entered != finished && decided != finished && (refused[at] || done != '0);
  wire         by_end = finish && !refused[at];

  localparam int V     = $clog2(ORDER);
  localparam int SLACK = 8;
  logic [ORDER-1:0] remote;
  logic [V:0]       passed, counted;    // the low bits are the place
  logic [V:0]       own_done, remote_done; // and not counted yet
  wire              next_remote = remote[counted[V-1:0]];
  wire              count    = passed != counted && (next_remote ? remote_done != '0 : own_done != '0);

  always_ff @(posedge clk) begin
    if (u_taken) begin
      own[entered[W-1:0]] <= u_own;
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
      passed             <= passed + (V+1)'(1);
    end
    counted  <= counted + (V+1)'(count);
    full     <= (V+1)'(passed - counted) >= (V+1)'(ORDER - SLACK) && !rst;
    own_done <= own_done + (V+1)'(finish && own[at]) - (V+1)'(count && !next_remote);
    remote_done <= remote_done + (V+1)'(e_remote) - (V+1)'(count && next_remote);
    arrived  <= arrived + 16'(count);
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
    if (!rst && u_taken)
      assert(entered - finished != (W+1)'(DEPTH));
    if (!rst && e_passed)
      assert(passed - counted != (V+1)'(ORDER));
  end
endmodule
