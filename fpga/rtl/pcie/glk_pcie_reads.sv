// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Read requests of the card: splits them at multiples of the max read request size, builds descriptors, and throttles. The
// parts of a split read go one at a time under the read's tag, each after the previous one is completed; that is
// sufficient, since a host limit below READ_BYTES is rare. A read whose tag is in use waits.
//
// Reads wait for non-posted header credit (pcie_tfc_nph_av); without it they would block the writes behind them in the hard
// block. The credit count is some clocks old, so reads are spaced unless credit is plentiful. The queue here holds all
// reads that the card may have outstanding, so a read never blocks a write on m.
//
// Bus tags equal card tags. If the host has not enabled extended (8-bit) tags, tags above 31 are mapped to 16..31 and may
// have to wait for each other; `own` reports the mapping to glk_pcie_rc.
module glk_pcie_reads #(
  parameter int READS = 49, // outstanding reads of the card: 16 flush reads, a load, 32 of the rings
  parameter int DEPTH = 64  // queue depth; a power of two
) (
  input  logic         clk,
  input  logic         rst,
  input  logic [2:0]   cfg_max_read_req,
  input  logic         ext_tag,    // Device Control: Extended Tag Field Enable
  input  logic         bus_master,
  input  logic [3:0]   nph_av,

  // Reads from the request stream
  input  logic [63:0]  n_address,
  input  logic [12:0]  n_length,
  input  logic [5:0]   n_tag,
  input  logic         n_valid,
  output logic         n_room,

  // Read packets
  output logic [127:0] k_descriptor,
  output logic [7:0]   k_enables,
  output logic         k_valid,
  input  logic         k_ready,
  input  logic         stalled,    // the hard block does not accept packets

  // Read that fails without being sent; from here on, tags are bus tags
  output logic [5:0]   fail_tag,
  output logic         fail_valid,
  input  logic         fail_ready,

  output logic [63:0]  more,       // by tag: the read continues after this part
  input  logic [5:0]   part_tag,   // a part is completed
  input  logic         part_done,
  output logic         own,        // bus tag own_tag now belongs to card tag own_card
  output logic [5:0]   own_tag,
  output logic [5:0]   own_card
);
  initial if (READS > DEPTH - 4) $fatal;
  localparam logic [3:0] MEM_READ = 4'd0;
  localparam int CW = $clog2(DEPTH) + 2;

  logic          h_valid, h_take, never_full;
  logic [63:0]   h_address;
  logic [12:0]   h_length;
  logic [5:0]    h_tag;
  logic [CW-1:0] waiting;
  glk_fifo #(.W(64 + 13 + 6), .DEPTH(DEPTH)) fifo (
    .clk, .rst, .s_data({n_address, n_length, n_tag}), .s_valid(n_valid), .s_ready(never_full),
    .m_data({h_address, h_length, h_tag}), .m_valid(h_valid), .m_ready(h_take));

  typedef enum logic [2:0] {IDLE, CUT, MAKE, WAIT, OFFER, FAIL} state_t;
  state_t      state;
  logic [63:0] busy;    // tags in use
  logic [63:12] base;
  logic [11:0] start, stop, bound;
  logic        none, last, tag_busy, pause_over;
  logic [5:0]  tag;       // bus tag
  logic [5:0]  card_tag;
  logic        extended;
  logic [3:0]  pause, credit;
  logic        master;
  wire [11:7]  ones = ~(5'b11111 << (cfg_max_read_req > 3'd5 ? 3'd5 : cfg_max_read_req));
  wire         one  = ((start[11:7] ^ stop[11:7]) & ~ones) == 5'b0;
  wire [10:0]  dwords = {1'b0, bound[11:2]} - {1'b0, start[11:2]} + 11'd1;
  logic [3:0]  first_be, last_be;
  glk_pcie_enables enables (
    .none(none), .single(start[11:2] == bound[11:2]), .from(start[1:0]), .to(bound[1:0]), .first(first_be), .last(last_be));

  assign h_take = h_valid && state == IDLE;

  always_ff @(posedge clk) begin
    extended   <= ext_tag;
    credit     <= nph_av;
    own        <= state == WAIT && !tag_busy;
    own_tag    <= tag;
    own_card   <= card_tag;
    master     <= bus_master;
    tag_busy   <= busy[tag];
    pause_over <= credit == 4'd15 || (credit != 4'd0 && pause == 4'd0);
    if (pause != 4'd0 && !stalled)
      pause <= pause - 4'd1;
    case (state)
      IDLE: begin
        base  <= h_address[63:12];
        start <= h_address[11:0];
        stop  <= h_address[11:0] + h_length[11:0] - 12'(h_length != 13'd0);
        none  <= h_length == 13'd0;
        tag      <= (extended || !h_tag[5]) ? h_tag : {2'b01, h_tag[3:0]};
        card_tag <= h_tag;
        if (h_valid)
          state <= CUT;
      end
      CUT: begin
        bound <= one ? stop : start | {ones, 7'h7f};
        last  <= one;
        state <= MAKE;
      end
      MAKE: begin
        k_descriptor <= {1'b0, 3'b0, 3'b0, 1'b0, 16'b0, 2'b0, tag, 16'b0, 1'b0, MEM_READ, dwords, base, start[11:2], 2'b0};
        k_enables    <= {last_be, first_be};
        state        <= WAIT;
      end
      WAIT:
        if (!tag_busy) begin
          if (!master) begin
            fail_tag   <= tag;
            fail_valid <= 1'b1;
            more[tag]  <= 1'b0;
            state      <= FAIL;
          end else if (pause_over) begin
            k_valid   <= 1'b1;
            busy[tag] <= 1'b1;
            more[tag] <= !last;
            state     <= OFFER;
          end
        end
      OFFER:
        if (k_ready) begin
          k_valid <= 1'b0;
          pause   <= 4'd15;
          start   <= bound + 12'd1;
          state   <= last ? IDLE : CUT;
        end
      default: // FAIL
        if (fail_ready) begin
          fail_valid <= 1'b0;
          state      <= IDLE;
        end
    endcase
    if (part_done)
      busy[part_tag] <= 1'b0;
    waiting <= waiting + CW'(n_valid) - CW'(h_take);
    n_room  <= waiting < CW'(DEPTH - 4);
    if (rst) begin
      state      <= IDLE;
      busy       <= 64'd0;
      more       <= 64'd0;
      k_valid    <= 1'b0;
      fail_valid <= 1'b0;
      pause      <= 4'd0;
      pause_over <= 1'b0;
      waiting    <= '0;
      n_room     <= 1'b1;
      own        <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk)
    if (checks)
      assert (n_room && (!n_valid || never_full));
`endif
endmodule
`default_nettype wire
