// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Free list of the cluster queue's memory. A slot released in a clock may be allocated in the same clock; the requester
// ensures that one is free.
module glk_flit_places #(
  parameter int FLITS = 1024,
  parameter int AW      = $clog2(FLITS)
) (
  input  logic          clk,
  input  logic          rst,
  input  logic          back,
  input  logic [AW-1:0] back_at,
  input  logic          get,
  output logic [AW-1:0] at
);
  logic          kept, kept_ready;
  logic [AW-1:0] kept_at;
  logic [AW:0]   fresh; // slots never used so far are allocated first

  wire unused = 32'(fresh) != FLITS;
  wire direct = get && !unused && !kept;
  assign at = unused ? fresh[AW-1:0] : kept ? kept_at : back_at;

  glk_fifo #(.W(AW), .DEPTH(1 << AW), .BYPASS(1)) given_back (
    .clk, .rst, .s_data(back_at), .s_valid(back && !direct), .s_ready(kept_ready),
    .m_data(kept_at), .m_valid(kept), .m_ready(get && !unused));

  always_ff @(posedge clk) begin
    if (get && unused)
      fresh <= fresh + (AW+1)'(1);
    if (rst)
      fresh <= '0;
  end

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk)
    if (checks)
      begin : place_given_back_is_kept assert (!(direct && !back) && !(back && !kept_ready)); end
`endif
endmodule
`default_nettype wire
