// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Input stage of the cluster queue: accepts packets, one flit per clock. A packet is accepted whole: its first flit waits
// until enough slots for the whole packet are free. Assigns packet order numbers per kind and inserts the number into
// headers.
module glk_cluster_input #(
  parameter int FLITS = 1024,
  parameter int PW      = $clog2(FLITS + 1),
  parameter int OW      = 11
) (
  input  logic          clk,
  input  logic          rst,

  input  logic [3:0]    s_kind,
  input  logic [10:0]   s_words, // packet length in words, valid with its first flit
  input  logic [127:0]  s_data,  // bytes past the end of the packet are ignored
  input  logic          s_valid,

  input  logic          back, // a slot is released: free from the next clock on

  output logic          flit_put,   // the offered flit is accepted
  output logic [3:0]    flit_kind,
  output logic          flit_first,
  output logic          flit_full,  // no room: a full flit
  output logic [1:0]    flit_words, // its length, otherwise
  output logic          flit_tail,
  output logic [OW-1:0] flit_order,
  output logic [127:0]  flit_data,

  output logic          flit_wait, // a packet waits for slots
  output logic [PW-1:0] places     // free slots
);
  logic          begun; // inside a packet
  logic [10:0]   left;
  logic          given;  // `back`, delayed by one clock
  logic [PW-1:0] kept;   // free slots, without `given`

  wire [10:0]   words = begun ? left : s_words;
  wire [8:0]    flits = 9'((s_words + 11'd3) >> 2);
  assign        places = kept + PW'(given);
  wire          fits   = 32'(flits) <= 32'(places);

  assign flit_put   = s_valid && (begun || fits);
  assign flit_wait  = s_valid && !begun && !fits;
  assign flit_kind  = s_kind;
  assign flit_first = !begun;
  assign flit_full  = words >= 11'd4;
  assign flit_words = words[1:0];
  assign flit_tail  = begun;

  // --- order numbers ---
  // Next order number per kind, in distributed RAM; valid once `counted`.
  (* ram_style = "distributed" *) logic [OW-1:0] orders [0:15];
  logic [15:0]   counted;
  logic [OW-1:0] order; // of the packet in progress
  wire  [OW-1:0] next_order = counted[s_kind] ? orders[s_kind] : '0;
  assign flit_order = begun ? order : next_order;

  always_comb begin
    flit_data = s_data;
    if (!begun && 32'(s_kind) != glk_flit::FINEPACK)
      flit_data[11:5] = flit_order[6:0];
    for (int w = 1; w < 4; w = w + 1)
      if (!flit_full && w >= 32'(words[1:0]))
        flit_data[32*w +: 32] = '0;
  end

  always_ff @(posedge clk) begin
    given <= back;
    kept  <= places - ((flit_put && !begun) ? PW'(flits) : '0);
    if (flit_put) begin
      begun <= words > 11'd4;
      left   <= words - 11'd4;
    end
    if (flit_put && !begun) begin
      orders[s_kind]  <= next_order + OW'(1);
      counted[s_kind] <= 1'b1;
      order           <= next_order;
    end
    if (rst) begin
      begun  <= 1'b0;
      given   <= 1'b0;
      kept    <= PW'(FLITS);
      counted <= '0;
    end
  end

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk)
    if (checks && s_valid && !begun)
      begin : flits_fit assert (s_words != 11'd0 && 32'(flits) <= FLITS); end
`endif
endmodule
`default_nettype wire
