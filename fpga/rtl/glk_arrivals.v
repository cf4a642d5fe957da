// SPDX-License-Identifier: Apache-2.0
// Counts flushes that were made, and packets of the card's own that came round the loop and are done with: all of their
// plain writes given away, or refused. The two are equal when nothing is on its way.
//
// Packets enter the receiver in an order; they are decided on in that order, and those that were accepted end in that order.
// Three events of a packet, each counted or noted for itself, so that it does not matter how far they lie apart.
module glk_arrivals #(
  parameter int DEPTH = 32 // most packets between entering and being done with; power of two
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
  input  logic        e_far,       // a packet of the card's own has gone over the link, and will not come here
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
    arrived <= arrived + 16'(finish && own[at]) + 16'(e_far);
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
      sent     <= 16'd0;
      arrived  <= 16'd0;
    end
    if (!rst && u_taken)
      assert(entered - finished != (W+1)'(DEPTH));
  end
endmodule
