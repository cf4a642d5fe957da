// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Completer request (CQ) interface of the PCIe hard block (DW-aligned behind a 128-bit descriptor, no straddling) to the card's
// r stream.
//
// Store and forward: a bad write is flagged (`discontinue`) only in its last beat, but r reports it in the first. PG213
// defines no other indication of a poisoned request on this interface.
//
// Byte enables may be non-contiguous in writes of one DW, or of two DWs within one QW: such a write is split into one write
// per run of enabled bytes. A read covers the first to the last enabled byte, as its completion's byte count does. Writes
// without enabled bytes are dropped.
//
// The card accepts one read at a time, and writes must pass waiting reads. So the hard block is granted one non-posted
// request at a time (pcie_cq_np_req), the next one when that is completed; posted requests are not limited. Unsupported
// requests (I/O, atomics, locked reads) go to glk_pcie_cc to be completed as such; messages are dropped. Memory requests
// that cross a 4 KiB boundary, which PCIe forbids, are handled likewise: the card checks only the page of the first byte.
module glk_pcie_cq #(
  parameter int DATA_W = 512 // at least 256: the descriptor is in the first beat
) (
  input  logic              clk,
  input  logic              rst,

  // Hard block
  input  logic [DATA_W-1:0] cq_tdata,
  input  logic [7:0]        cq_enables, // fields of tuser: byte enables {last, first}
  input  logic [10:0]       cq_hint,    // {TPH tag, TPH type, TPH present}
  input  logic              cq_discontinue,
  input  logic              cq_tlast,
  input  logic              cq_tvalid,
  output logic              cq_tready,
  output logic [1:0]        np_req,

  // Requests to the card
  output logic              req_write,
  output logic [1:0]        req_bar,
  output logic [47:0]       req_offset,
  output logic [12:0]       req_length,
  output logic [31:0]       req_id, // {attributes, traffic class, address type, tag, requester}
  output logic              req_poisoned,
  output logic [DATA_W-1:0] req_data,
  output logic              req_last,
  output logic              req_valid,
  input  logic              req_ready,
  input  logic              req_read_ready,

  // Unsupported non-posted request: descriptor and tuser fields {TPH tag, TPH type, TPH present, byte enables}
  output logic [127:0]      ur_descriptor,
  output logic [18:0]       ur_user,
  output logic              ur_valid,
  input  logic              ur_ready,
  input  logic              np_done // a non-posted request is completed
);
  localparam logic [3:0] MEM_READ = 4'd0, MEM_WRITE = 4'd1, LAST_NON_POSTED = 4'd11;
  localparam int LB    = $clog2(DATA_W / 32);
  localparam int BEATS = 256 * 512 / DATA_W; // buffer depth: four writes of 4 KiB
  localparam int BW    = $clog2(BEATS);
  localparam int UW    = 1 + 2 + 48 + 3 + 4 + 4 + 32 + 1;
  localparam int HW    = 1 + 2 + 48 + 13 + 1 + 8 + 32 + 1;

  // --- input register ---
  logic              x_valid, x_last, x_ready, x_discontinue;
  logic [DATA_W-1:0] x_data;
  logic [18:0]       x_user;
  glk_skid #(.W(DATA_W + 19 + 2)) skid_in (
    .clk, .rst, .s_data({cq_tdata, cq_hint, cq_enables, cq_discontinue, cq_tlast}), .s_valid(cq_tvalid), .s_ready(cq_tready),
    .m_data({x_data, x_user, x_discontinue, x_last}), .m_valid(x_valid), .m_ready(x_ready));

  // --- descriptor, in the first beat of a packet ---
  logic         amid;
  wire [3:0]    x_type = x_data[78:75];
  wire [10:0]   x_dwords = x_data[74:64];
  wire          x_single = x_dwords == 11'd1;
  wire          x_empty = x_user[3:0] == 4'b0 && (x_single || x_user[7:4] == 4'b0);
  wire [11:0]   x_end = {2'b0, x_data[11:2]} + {1'b0, x_dwords};
  wire          x_crosses = x_end > 12'd1024;
  wire          x_bad_np = (x_type > MEM_WRITE && x_type <= LAST_NON_POSTED) || (x_type == MEM_READ && x_crosses);
  wire          x_take = x_valid && x_ready;

  logic              d_valid, d_first, d_last, d_discontinue, d_forward;
  logic [DATA_W-1:0] d_data;
  logic              d_write;
  logic [2:0]        d_bar, d_attr, d_class;
  logic [5:0]        d_aperture;
  logic [47:0]       d_address;
  logic [10:0]       d_dwords;
  logic [7:0]        d_tag;
  logic [15:0]       d_requester;
  logic [1:0]        d_at;
  logic [3:0]        d_first_be, d_last_be;
  logic              d_ready;

  assign x_ready = d_ready;

  always_ff @(posedge clk) begin
    if (d_ready) begin
      d_valid       <= x_valid;
      d_first       <= !amid;
      d_last        <= x_last;
      d_discontinue <= x_discontinue;
      d_data        <= x_data;
      if (!amid) begin
        d_forward   <= !x_crosses && (x_type == MEM_READ || (x_type == MEM_WRITE && !x_empty));
        d_write     <= x_type == MEM_WRITE;
        d_address   <= {x_data[47:2], 2'b0};
        d_at        <= x_data[1:0];
        d_dwords    <= x_dwords;
        d_requester <= x_data[95:80];
        d_tag       <= x_data[103:96];
        d_bar       <= x_data[114:112];
        d_aperture  <= x_data[120:115];
        d_class     <= x_data[123:121];
        d_attr      <= x_data[126:124];
        d_first_be  <= x_user[3:0];
        d_last_be   <= x_single ? 4'b0 : x_user[7:4];
      end
    end
    if (x_take)
      amid <= !x_last;
    if (ur_ready)
      ur_valid <= 1'b0;
    if (x_take && !amid && x_bad_np) begin
      ur_valid      <= 1'b1;
      ur_descriptor <= x_data[127:0];
      ur_user       <= x_user;
    end
    if (rst) begin
      d_valid <= 1'b0;
      amid  <= 1'b0;
      ur_valid <= 1'b0;
    end
  end

  // --- shift to address lanes; request attributes travel along ---
  logic [47:2]   d_inside_bar;
  always_comb
    for (int k = 2; k < 48; k = k + 1)
      d_inside_bar[k] = d_address[k] && 6'(k) < d_aperture;
  wire [1:0]     d_bar_of_card = d_bar[0] || d_bar == 3'd6 ? 2'd3 : d_bar[2:1]; // 64-bit BARs: 0, 2, 4
  wire [2:0]     d_size = |d_dwords[10:2] ? 3'd4 : {1'b0, d_dwords[1:0]};       // 1, 2, 3, or 4: more
  wire [UW-1:0]  d_known = {d_write, d_bar_of_card, d_inside_bar, d_dwords[1:0], d_size, d_first_be, d_last_be,
                            d_attr, d_class, d_at, d_tag, d_requester, d_discontinue};

  logic              w_valid, w_last, w_ready, unused_first;
  logic [DATA_W-1:0] w_data;
  logic [UW-1:0]     w_known;
  logic [10:0]       w_dwords;
  logic              s_valid, s_ready;
  assign s_valid = d_valid && d_forward;
  assign d_ready = s_ready;
  glk_lane_shift #(.DATA_W(DATA_W), .USER_W(UW + 9)) shift (
    .clk, .rst, .s_from(LB'(4)), .s_to(d_write ? d_address[2 +: LB] : LB'(4)), .s_dwords(d_dwords[LB-1:0]), .s_data(d_data),
    .s_user({d_known, d_dwords[10:2]}), .s_first(d_first), .s_last(d_last), .s_valid, .s_ready,
    .m_data(w_data), .m_user({w_known, w_dwords[10:2]}), .m_first(unused_first), .m_last(w_last), .m_valid(w_valid),
    .m_ready(w_ready));

  // --- byte enables: to offset and length, or to a byte mask over one QW ---
  logic         w_write, w_discontinue;
  logic [1:0]   w_bar;
  logic [45:0]  w_offset; // in DWs
  logic [2:0]   w_size;
  logic [3:0]   w_first_be, w_last_be;
  logic [31:0]  w_id;
  assign {w_write, w_bar, w_offset, w_dwords[1:0], w_size, w_first_be, w_last_be, w_id, w_discontinue} = w_known;

  function [1:0] lowest(input [3:0] be);
    casez (be)
      4'b???1: lowest = 2'd0;
      4'b??10: lowest = 2'd1;
      4'b?100: lowest = 2'd2;
      default: lowest = 2'd3;
    endcase
  endfunction
  function [1:0] above(input [3:0] be); // disabled bytes above the highest enabled one
    casez (be)
      4'b1???: above = 2'd0;
      4'b01??: above = 2'd1;
      4'b001?: above = 2'd2;
      default: above = 2'd3;
    endcase
  endfunction

  wire          w_masked = w_size == 3'd1 || (w_size == 3'd2 && !w_offset[0]);
  wire [7:0]    w_mask   = w_size == 3'd2 ? {w_last_be, w_first_be} : w_offset[0] ? {w_first_be, 4'b0} : {4'b0, w_first_be};
  wire [2:0]    w_low    = w_mask[3:0] != 4'b0 ? {1'b0, lowest(w_mask[3:0])} : {1'b1, lowest(w_mask[7:4])};
  wire [2:0]    w_above  = w_mask[7:4] != 4'b0 ? {1'b0, above(w_mask[7:4])} : {1'b1, above(w_mask[3:0])};
  wire          w_none   = w_mask == 8'b0;

  logic          h_put, h_room, g_write, g_masked, g_poisoned;
  logic [1:0]    g_bar;
  logic [47:0]   g_offset;
  logic [12:0]   g_length;
  logic [7:0]    g_mask;
  logic [31:0]   g_id;

  // --- request buffer: data, and a header once the request is complete ---
  logic [BW:0]   used; // beats
  logic          full;
  logic          take_beat, fifo_ready;
  wire           put_beat = w_valid && w_ready && w_write;
  logic [DATA_W-1:0] q_data;
  logic              q_last, q_valid;

  assign w_ready = !full && h_room;
  glk_block_fifo #(.W(DATA_W + 1), .DEPTH(BEATS)) buffer (
    .clk, .rst, .s_data({w_last, w_data}), .s_valid(put_beat), .s_ready(fifo_ready),
    .m_data({q_last, q_data}), .m_valid(q_valid), .m_ready(take_beat));

  always_ff @(posedge clk) begin
    used    <= used + (BW+1)'(put_beat) - (BW+1)'(take_beat);
    full    <= used >= (BW+1)'(BEATS - 4);

    h_put      <= w_valid && w_ready && w_last;
    g_write    <= w_write;
    g_bar      <= w_bar;
    g_masked   <= w_masked && w_write;
    g_mask     <= w_mask;
    g_id       <= w_id;
    g_poisoned <= w_discontinue;
    if (!w_masked) begin
      g_offset <= {w_offset, lowest(w_first_be)};
      g_length <= {w_dwords, 2'b0} - 13'(lowest(w_first_be)) - 13'(above(w_last_be));
    end else begin
      g_offset <= w_none ? {w_offset, 2'b0} : {w_offset[45:1], w_low};
      g_length <= w_none ? 13'd0 : 13'd8 - 13'(w_low) - 13'(w_above);
    end
    if (rst) begin
      used    <= '0;
      full    <= 1'b0;
      h_put   <= 1'b0;
    end
  end

  logic          h_valid, h_take, h_write, h_masked, h_poisoned, h_never_full;
  logic [1:0]    h_bar;
  logic [47:0]   h_offset;
  logic [12:0]   h_length;
  logic [7:0]    h_mask;
  logic [31:0]   h_id;
  logic [5:0]    waiting; // headers, including the one in g
  glk_fifo #(.W(HW), .DEPTH(32)) headers (
    .clk, .rst, .s_data({g_write, g_bar, g_offset, g_length, g_masked, g_mask, g_id, g_poisoned}), .s_valid(h_put),
    .s_ready(h_never_full), .m_data({h_write, h_bar, h_offset, h_length, h_masked, h_mask, h_id, h_poisoned}),
    .m_valid(h_valid), .m_ready(h_take));

  always_ff @(posedge clk) begin
    waiting <= waiting + 6'(w_valid && w_ready && w_last) - 6'(h_take);
    h_room  <= waiting < 6'd28;
    if (rst) begin
      waiting <= '0;
      h_room  <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk)
    if (checks) begin
      begin : beat_has_room assert (!put_beat || fifo_ready); end
      begin : header_has_room assert (!h_put || h_never_full); end
    end
`endif

  // --- output: a masked write becomes one write per run of bytes, lowest first ---
  logic        o_ready, midway;
  logic [7:0]  mask_left;
  wire [7:0]   mask = midway ? mask_left : h_mask;
  logic [7:0]  run; // lowest run
  logic        seen, over;
  always_comb begin
    seen = 1'b0;
    over = 1'b0;
    for (int k = 0; k < 8; k = k + 1) begin
      over   = over || (seen && !mask[k]);
      seen   = seen || mask[k];
      run[k] = mask[k] && !over;
    end
  end
  wire [7:0]   rest = mask & ~run;
  wire         run_only = rest == 8'b0;
  wire         step = h_valid && o_ready && (h_write ? q_valid : req_read_ready);
  wire [2:0]   run_at = run[3:0] != 4'b0 ? {1'b0, lowest(run[3:0])} : {1'b1, lowest(run[7:4])};
  wire [3:0]   run_bytes = {3'b0, run[0]} + {3'b0, run[1]} + {3'b0, run[2]} + {3'b0, run[3]} + {3'b0, run[4]} + {3'b0, run[5]} +
                           {3'b0, run[6]} + {3'b0, run[7]};
  wire         o_last = !h_write || h_masked || q_last;
  assign take_beat = step && h_write && (!h_masked || run_only);
  assign h_take    = step && (h_masked ? run_only : o_last);

  always_ff @(posedge clk) begin
    if (step && h_masked) begin
      midway    <= !run_only;
      mask_left <= rest;
    end
    if (rst)
      midway <= 1'b0;
  end

  glk_skid #(.W(1 + 2 + 48 + 13 + 32 + 1 + DATA_W + 1)) skid_out (
    .clk, .rst,
    .s_data({h_write, h_bar, h_masked ? {h_offset[47:3], run_at} : h_offset, h_masked ? 13'(run_bytes) : h_length, h_id,
             h_write && h_poisoned, q_data, o_last}),
    .s_valid(step), .s_ready(o_ready),
    .m_data({req_write, req_bar, req_offset, req_length, req_id, req_poisoned, req_data, req_last}), .m_valid(req_valid),
    .m_ready(req_ready));

  // --- non-posted credit: one request at a time; the first some clocks after reset ---
  logic [4:0] after_reset;
  always_ff @(posedge clk) begin
    np_req      <= {1'b0, np_done || after_reset == 5'd30};
    after_reset <= after_reset + 5'(after_reset != 5'd31);
    if (rst) begin
      np_req      <= 2'b0;
      after_reset <= 5'd0;
    end
  end
endmodule
`default_nettype wire
