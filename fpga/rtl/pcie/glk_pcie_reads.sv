// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Read requests of the card: splits them at multiples of the max read request size, builds descriptors, and throttles. The
// parts of a split read go one at a time under the read's tag, each after the previous one is completed. Meanwhile, and while a
// read's tag is in use by another, the read returns to the end of the queue, so that reads of other tags go on.
//
// Reads wait for non-posted header credit (pcie_tfc_nph_av); without it they would block the writes behind them in the hard
// block. The credit count is some clocks old, so reads are spaced unless credit is plentiful. The queue here holds all
// reads that the card may have outstanding, so a read never blocks a write on m.
//
// The hard block grants the link unlimited credit for completions and has room for COMPLETIONS of them, and for 256 bytes of
// data each (PG213, "Completion Space", at its only performance level). A host may complete a read in parts of 64 bytes, and
// faster than they leave on RC. So a part is sent only when there is room for as many completions as it may get; the room is
// given back when it is completed.
//
// Bus tags equal card tags. If the host has not enabled extended (8-bit) tags, tags above 31 are mapped to 16..31 and may
// have to wait for each other; `own` reports the mapping to glk_pcie_rc.
//
// A function-level reset waits for all reads, which perhaps nothing ends any more. After LOST clocks of it all reads fail:
// those here, and those that the host has not completed. The tags of the latter are not used again before a completion arrives,
// which is dropped, or QUARANTINE clocks have passed; so a late completion is never the answer to a later read. The defaults
// are 17 and 67 ms at 250 MHz: a function must complete such a reset within 100 ms, and a read times out after at most 50 ms.
module glk_pcie_reads #(
  parameter int READS      = 64,      // outstanding reads of the card: 16 flush reads, 8 loads, 8 of regions, 32 of the rings
  parameter int DEPTH      = 128,     // queue depth; a power of two
  parameter int COMPLETIONS = 128,    // for which the hard block has room; a read request of 4096 bytes may get 64
  parameter int LOST       = 1 << 22, // powers of two
  parameter int QUARANTINE = 1 << 24
) (
  input  logic         clk,
  input  logic         rst,
  input  logic [2:0]   cfg_max_read_req,
  input  logic         ext_tag,    // Device Control: Extended Tag Field Enable
  input  logic         bus_master,
  input  logic         flr,        // a function-level reset is in process
  input  logic [3:0]   nph_av,

  // Reads from the request stream
  input  logic [63:0]  read_address,
  input  logic [12:0]  read_length,
  input  logic [5:0]   read_tag,
  input  logic         read_valid,
  output logic         read_room,

  // Read packets
  output logic [127:0] packet_descriptor,
  output logic [7:0]   packet_enables,
  output logic         packet_valid,
  input  logic         packet_ready,
  input  logic         stalled,    // the hard block does not accept packets

  // Read that fails; from here on, tags are bus tags. fail_sure: it is not sent; otherwise it fails unless it has ended
  output logic [5:0]   fail_tag,
  output logic         fail_sure,
  output logic         fail_valid,
  input  logic         fail_ready,

  output logic [63:0]  more,       // by tag: the read continues after this part
  input  logic [5:0]   part_tag,   // a part is completed
  input  logic         part_done,
  output logic         own,        // bus tag own_tag now belongs to card tag own_card
  output logic         own_sent,   // and a part of its read is sent
  output logic [5:0]   own_tag,
  output logic [5:0]   own_card
);
  initial if (READS > DEPTH - 4 || COMPLETIONS < 64) $fatal;
  localparam logic [3:0] MEM_READ = 4'd0;
  localparam int CW = $clog2(DEPTH) + 2;
  localparam int LW = $clog2(LOST), QW = $clog2(QUARANTINE);
  localparam int RW = $clog2(COMPLETIONS + 1);

  typedef enum logic [2:0] {IDLE, CUT, MAKE, WAIT, OFFER, BACK, FAIL} state_t;
  state_t      state;
  logic [63:0] busy;    // tags of reads of which something was sent
  logic [63:0] flight;  // a part is outstanding
  logic [63:0] dead;    // the read has failed, and its part is still outstanding
  logic [63:12] base;
  logic [11:0] start, stop, bound;
  logic        none, going_on, last, tag_busy, tag_waits, pause_over; // going_on: not the first part
  logic [5:0]  tag;       // bus tag
  logic [5:0]  card_tag;
  logic        extended;
  logic [3:0]  pause, credit;
  logic        master;

  // --- queue ---
  logic          h_valid, h_take, h_going_on, never_full;
  logic [63:0]   h_address;
  logic [12:0]   h_length;
  logic [5:0]    h_tag;
  logic [CW-1:0] waiting;
  wire           back = state == BACK && !read_valid;
  wire  [11:0]   left = stop - start + 12'd1; // 0: 4096
  wire  [12:0]   back_length = none ? 13'd0 : {left == 12'd0, left};
  glk_fifo #(.W(64 + 13 + 6 + 1), .DEPTH(DEPTH)) fifo (
    .clk, .rst, .s_data(read_valid ? {read_address, read_length, read_tag, 1'b0} :
    {base, start, back_length, card_tag, going_on}),
    .s_valid(read_valid || back), .s_ready(never_full),
    .m_data({h_address, h_length, h_tag, h_going_on}), .m_valid(h_valid), .m_ready(h_take));

  // --- end of reads in a function-level reset ---
  logic [LW:0] silent; // clocks of it, saturating at LOST
  logic [QW:0] age;    // clocks since
  logic        gone;
  logic [5:0]  scan;   // the last part of its read is looked for among these
  wire         found = gone && flight[scan] && !more[scan] && !dead[scan];

  wire [11:7]  ones = ~(5'b11111 << (cfg_max_read_req > 3'd5 ? 3'd5 : cfg_max_read_req));
  wire         one  = ((start[11:7] ^ stop[11:7]) & ~ones) == 5'b0;
  // --- room for completions: of each tag as many as its part may get, until that is completed or given up ---
  (* ram_style = "distributed" *) logic [6:0] costs [0:63];
  logic [6:0]    cost, given;
  logic [RW-1:0] room;
  logic          fits, send;
  logic [63:0]   owed; // given up, and not given back yet
  logic [5:0]    sweep;
  wire           ends   = part_done && flight[part_tag]; // not what comes after it was given up
  wire           sweeps = owed[sweep] && !ends;
  wire [11:6]    bound_block = one ? stop[11:6] : start[11:6] | {ones, 1'b1};
  always_ff @(posedge clk) begin
    if (send)
      costs[tag] <= cost;
    given <= (ends || sweeps) ? costs[ends ? part_tag : sweep] : 7'd0;
    room  <= room + RW'(given) - (send ? RW'(cost) : RW'(0));
    fits  <= RW'(cost) <= room;
    sweep <= sweep + 6'(!ends);
    owed  <= owed & ~(64'(sweeps) << sweep);
    if (age[QW])
      owed <= dead & ~(64'(ends) << part_tag);
    if (rst) begin
      given <= 7'd0;
      room  <= RW'(COMPLETIONS);
      owed  <= 64'd0;
    end
  end

  wire [10:0]  dwords = {1'b0, bound[11:2]} - {1'b0, start[11:2]} + 11'd1;
  logic [3:0]  first_be, last_be;
  glk_pcie_enables enables (
    .none(none), .single(start[11:2] == bound[11:2]), .from(start[1:0]), .to(bound[1:0]), .first(first_be), .last(last_be));

  assign h_take = h_valid && state == IDLE && !found;
  assign send   = state == WAIT && !tag_waits && !gone && master && pause_over && fits;

  always_ff @(posedge clk) begin
    extended   <= ext_tag;
    credit     <= nph_av;
    own        <= 1'b0;
    own_sent   <= 1'b0;
    own_tag    <= tag;
    own_card   <= card_tag;
    master     <= bus_master;
    tag_waits  <= (going_on ? flight[tag] : busy[tag]) || owed[tag];
    tag_busy   <= busy[tag] && !dead[tag];
    pause_over <= credit == 4'd15 || (credit != 4'd0 && pause == 4'd0);
    if (pause != 4'd0 && !stalled)
      pause <= pause - 4'd1;
    silent <= flr ? silent + (LW+1)'(!silent[LW]) : '0;
    gone   <= silent[LW] && flr;
    age    <= (gone || age[QW]) ? '0 : age + (QW+1)'(dead != 64'd0);
    scan   <= scan + 6'(state == IDLE);
    case (state)
      IDLE: begin
        base  <= h_address[63:12];
        start <= h_address[11:0];
        stop  <= h_address[11:0] + h_length[11:0] - 12'(h_length != 13'd0);
        none  <= h_length == 13'd0;
        going_on <= h_going_on;
        tag      <= (extended || !h_tag[5]) ? h_tag : {2'b01, h_tag[3:0]};
        card_tag <= h_tag;
        if (found) begin
          tag        <= scan;
          going_on   <= 1'b1;
          fail_tag   <= scan;
          fail_sure  <= 1'b0;
          fail_valid <= 1'b1;
          dead[scan] <= 1'b1;
          state      <= FAIL;
        end else if (h_valid)
          state <= CUT;
      end
      CUT: begin
        bound <= one ? stop : start | {ones, 7'h7f};
        last  <= one;
        cost  <= {1'b0, bound_block} - {1'b0, start[11:6]} + 7'd1;
        state <= MAKE;
      end
      MAKE: begin
        packet_descriptor <= {1'b0, 3'b0, 3'b0, 1'b0, 16'b0, 2'b0, tag, 16'b0, 1'b0, MEM_READ, dwords, base, start[11:2], 2'b0};
        packet_enables    <= {last_be, first_be};
        state             <= WAIT;
      end
      WAIT:
        if (gone ? !going_on && tag_busy : tag_waits)
          state <= BACK;
        else if (gone || !master) begin
          fail_tag   <= tag;
          fail_sure  <= !going_on;
          fail_valid <= 1'b1;
          own        <= 1'b1;
          if (going_on)
            dead[tag] <= flight[tag];
          state      <= FAIL;
        end else if (send) begin
          packet_valid <= 1'b1;
          busy[tag]    <= 1'b1;
          flight[tag]  <= 1'b1;
          more[tag]    <= !last;
          own          <= 1'b1;
          own_sent     <= 1'b1;
          state        <= OFFER;
        end
      OFFER:
        if (packet_ready) begin
          packet_valid <= 1'b0;
          pause        <= 4'd15;
          start        <= bound + 12'd1;
          going_on     <= 1'b1;
          state        <= last ? IDLE : BACK;
        end
      BACK:
        if (!read_valid)
          state <= IDLE;
      default: // FAIL
        if (fail_ready) begin
          fail_valid <= 1'b0;
          if (going_on) begin
            more[tag] <= 1'b0;
            busy[tag] <= flight[tag];
          end
          state <= IDLE;
        end
    endcase
    if (part_done) begin
      flight[part_tag] <= 1'b0;
      dead[part_tag]   <= 1'b0;
      if (!more[part_tag] || dead[part_tag])
        busy[part_tag] <= 1'b0;
    end
    if (age[QW]) begin
      busy   <= busy & ~dead;
      flight <= flight & ~dead;
      dead   <= 64'd0;
    end
    waiting   <= waiting + CW'(read_valid) + CW'(back) - CW'(h_take);
    read_room <= waiting < CW'(DEPTH - 4);
    if (rst) begin
      state        <= IDLE;
      busy         <= 64'd0;
      flight       <= 64'd0;
      dead         <= 64'd0;
      more         <= 64'd0;
      packet_valid <= 1'b0;
      fail_valid   <= 1'b0;
      pause        <= 4'd0;
      pause_over   <= 1'b0;
      waiting      <= '0;
      read_room    <= 1'b1;
      own          <= 1'b0;
      silent       <= '0;
      gone         <= 1'b0;
      age          <= '0;
      scan         <= 6'd0;
    end
  end

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk)
    if (checks) begin
      begin : read_has_room assert (read_room && (!read_valid || never_full)); end
      begin : room_in_range assert (room <= RW'(COMPLETIONS)); end
      begin : none_owed_when_old assert (!(age[QW] && owed != 64'd0)); end
    end
`endif
endmodule
`default_nettype wire
