// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Completer completion (CC) interface of the PCIe hard block: DW-aligned behind a 96-bit descriptor, no straddling. Sends the
// card's read completions, and Unsupported Request completions for requests the card does not implement. Completions are split
// at multiples of the max payload size, which are multiples of the read completion boundary. A completion starts only when
// `order_ok` confirms that earlier writes are ahead of it (glk_pcie_order): completions must not pass posted writes.
//
// The beats of a transaction on c must come without gaps (glk_requests plays them from a buffer), so tvalid never drops
// inside a packet; the hard block would nullify such a packet.
//
// Behind the descriptor of an Unsupported Request completion come five DWs about the request, for the hard block's error log
// (PG213, "Completions with Error Status"). They are no payload, so its dword count is 0: PG213 demands that of UR and CA in
// the table of the descriptor's fields (which we know only as others quote it), and a completion that is not successful has no
// data in the PCIe specification. The vendor's example design has 5 there, and a byte count of 20. The byte count is the
// specification's: of a memory read the bytes from the first to the last that is enabled, at least 1, of all others 4. Not
// tried on a board.
module glk_pcie_cc #(
  parameter int DATA_W = 512, // at least 256: an Unsupported Request completion is one beat
  parameter int DWORDS = DATA_W / 32,
  parameter int LB     = $clog2(DWORDS)
) (
  input  logic              clk,
  input  logic              rst,
  input  logic [1:0]        cfg_max_payload,

  // Read completions
  input  logic [31:0]       cpl_id, // {attributes, traffic class, address type, tag, requester}
  input  logic [11:0]       cpl_offset,
  input  logic [12:0]       cpl_length,
  input  logic [DATA_W-1:0] cpl_data,
  input  logic              cpl_last,
  input  logic              cpl_valid,
  output logic              cpl_ready,

  // Requests to complete as Unsupported Request
  input  logic [127:0]      ur_descriptor,
  input  logic [18:0]       ur_user,
  input  logic              ur_valid,
  output logic              ur_ready, // pulse
  output logic              np_done,  // pulse: a non-posted request is completed

  output logic              order_ask, // a completion waits
  input  logic              order_ok,
  output logic              order_taken, // it starts, if order_ok

  // Hard block
  output logic [DATA_W-1:0] cc_tdata,
  output logic [DWORDS-1:0] cc_tkeep,
  output logic              cc_first, // fields of tuser: first beat of a packet
  output logic [LB-1:0]     cc_end,   // lane of the last DW, in the last beat
  output logic              cc_tlast,
  output logic              cc_tvalid,
  input  logic              cc_tready
);
  localparam logic [2:0] SUCCESS = 3'b000, UNSUPPORTED = 3'b001;
  localparam logic [3:0] MEMORY_READ = 4'd0, LOCKED_READ = 4'd7;
  localparam logic [10:0] REFUSAL_DWORDS = 11'd0;
  localparam int UW = 32 + 7 + 13 + 11 + 1;

  // --- split at max payload size, shift behind the descriptor ---
  logic              p_first, p_last, p_final, p_valid, p_ready;
  logic [11:0]       p_offset;
  logic [1:0]        unused_end;
  logic [10:0]       p_dwords;
  logic [12:0]       p_left;
  logic [DATA_W-1:0] p_data;
  logic [31:0]       p_id;
  wire          unused = &{1'b0, p_offset[11:7]};
  glk_pcie_cut #(.DATA_W(DATA_W), .USER_W(32)) cut (
    .clk, .rst, .limit({1'b0, cfg_max_payload}), .s_address(cpl_offset), .s_length(cpl_length), .s_data(cpl_data),
    .s_user(cpl_id), .s_last(cpl_last), .s_valid(cpl_valid), .s_ready(cpl_ready),
    .m_address(p_offset), .m_end(unused_end), .m_dwords(p_dwords), .m_left(p_left), .m_first(p_first), .m_last(p_last),
    .m_final(p_final), .m_data(p_data), .m_user(p_id), .m_valid(p_valid), .m_ready(p_ready));

  logic              y_first, y_last, y_final, y_valid, y_ready;
  logic [6:0]        y_lower;
  logic [10:0]       y_dwords;
  logic [12:0]       y_left;
  logic [DATA_W-1:0] y_data;
  logic [31:0]       y_id;
  glk_lane_shift #(.DATA_W(DATA_W), .USER_W(UW)) shift (
    .clk, .rst, .s_from(p_offset[2 +: LB]), .s_to(LB'(3)), .s_dwords(p_dwords[LB-1:0]), .s_data(p_data),
    .s_user({p_id, p_offset[6:0], p_left, p_dwords, p_final}), .s_first(p_first), .s_last(p_last), .s_valid(p_valid),
    .s_ready(p_ready), .m_data(y_data), .m_user({y_id, y_lower, y_left, y_dwords, y_final}), .m_first(y_first), .m_last(y_last),
    .m_valid(y_valid), .m_ready(y_ready));

  // --- byte count of a refused request: valid from the clock after ur_valid ---
  logic [12:0] u_bytes;
  wire  [3:0]  u_first = ur_user[3:0];
  wire  [3:0]  u_ends  = ur_descriptor[74:64] == 11'd1 ? u_first : ur_user[7:4]; // enables of the last DW
  wire  [1:0]  u_below = u_first[0] ? 2'd0 : u_first[1] ? 2'd1 : u_first[2] ? 2'd2 : 2'd3;
  wire  [1:0]  u_above = u_ends[3] ? 2'd0 : u_ends[2] ? 2'd1 : u_ends[1] ? 2'd2 : 2'd3;
  wire         u_reads = ur_descriptor[78:75] == MEMORY_READ || ur_descriptor[78:75] == LOCKED_READ;
  always_ff @(posedge clk)
    u_bytes <= !u_reads ? 13'd4 : u_ends == 4'd0 ? 13'd1 : {ur_descriptor[74:64], 2'b0} - 13'(u_below) - 13'(u_above);

  // --- descriptors ---
  logic         o_ready;
  logic         begun;   // inside a completion, between its packets
  logic         refuse;  // send a UR completion, between packets
  logic         amid;
  wire          y_open = amid || begun || order_ok;
  assign order_ask = y_valid && !amid && !begun;
  assign y_ready   = o_ready && y_open && !refuse;
  assign ur_ready  = refuse && o_ready;
  wire          y_take = y_valid && y_ready;
  assign order_taken = order_ask && o_ready && !refuse;

  wire [95:0]   y_descriptor = {1'b0, y_id[31:29], y_id[28:26], 1'b0, 16'b0, y_id[23:16],
                                y_id[15:0], 1'b0, 1'b0, SUCCESS, y_dwords,
                                3'b0, y_left, 6'b0, y_id[25:24], 1'b0, y_lower};
  wire [95:0]   u_head       = {1'b0, ur_descriptor[126:124], ur_descriptor[123:121], 1'b0, 16'b0, ur_descriptor[103:96],
                                ur_descriptor[95:80], 1'b0, 1'b0, UNSUPPORTED, REFUSAL_DWORDS,
                                2'b0, ur_descriptor[78:75] == LOCKED_READ, u_bytes, 6'b0, ur_descriptor[1:0], 8'b0};
  wire [255:0]  u_packet     = {ur_descriptor, 8'b0, ur_user[18:11], 5'b0, ur_user[10:9], ur_user[8], ur_user[7:0], u_head};
  wire [LB-1:0] y_end        = y_dwords[LB-1:0] + LB'(2); // lane of the last DW
  wire [LB-1:0] o_end        = refuse ? LB'(7) : y_end;
  wire          o_first      = refuse || y_first;
  wire          o_last       = refuse || y_last;
  wire          o_valid      = refuse || (y_valid && y_open);
  wire [DWORDS-1:0] o_keep   = o_last ? {DWORDS{1'b1}} >> ~o_end : '1;
  wire [DATA_W-1:0] o_data   = refuse ? DATA_W'(u_packet) : {y_data[DATA_W-1:96], y_first ? y_descriptor : y_data[95:0]};

  always_ff @(posedge clk) begin
    // Only one non-posted request is outstanding, so no other completion competes.
    refuse <= refuse ? !o_ready : ur_valid && !y_valid && !amid && !begun;
    if (y_take) begin
      amid <= !y_last;
      begun  <= !(y_last && y_final);
    end
    np_done <= (y_take && y_last && y_final) || ur_ready;
    if (rst) begin
      refuse  <= 1'b0;
      amid  <= 1'b0;
      begun   <= 1'b0;
      np_done <= 1'b0;
    end
  end

  logic c_open;
  always_ff @(posedge clk) begin
    if (cpl_valid && cpl_ready)
      c_open <= !cpl_last;
    if (rst)
      c_open <= 1'b0;
  end

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk)
    if (checks)
      begin : completion_without_gaps assert (!c_open || cpl_valid); end
`endif

  glk_skid #(.W(DATA_W + DWORDS + LB + 2)) skid (
    .clk, .rst, .s_data({o_data, o_keep, o_end, o_first, o_last}), .s_valid(o_valid), .s_ready(o_ready),
    .m_data({cc_tdata, cc_tkeep, cc_end, cc_first, cc_tlast}), .m_valid(cc_tvalid), .m_ready(cc_tready));
endmodule
`default_nettype wire
