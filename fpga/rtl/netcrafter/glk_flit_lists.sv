// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// All FIFOs of the cluster queue in one shared memory: lists 0..10 hold the flits with room of kinds 1..11, lists 11..14
// the flits without room of the kinds with long packets (2, 3, 7, 10). One put and one take per clock.
module glk_flit_lists #(
  parameter int FLITS = 1024,
  parameter int MW      = 14,
  parameter int AW      = $clog2(FLITS)
) (
  input  logic             clk,
  input  logic             rst,

  input  logic             put,
  input  logic [14:0]      put_list, // one-hot
  input  logic [AW-1:0]    put_at,
  input  logic [MW-1:0]    put_meta,

  output logic [14:0]      some,
  output logic [15*MW-1:0] meta,
  input  logic [14:0]      take, // one-hot or 0
  // Entry last taken from the list in `look` (one-hot)
  input  logic [14:0]      look,
  output logic [AW-1:0]    taken_at,
  output logic [15*MW-1:0] taken_meta
);
  localparam int LISTS = 15;

  (* ram_style = "distributed" *) logic [AW-1:0] next [0:(1<<AW)-1];
  (* ram_style = "distributed" *) logic [MW-1:0] metas [0:(1<<AW)-1];

  logic [LISTS-1:0]    link, read;
  logic [LISTS*AW-1:0] last_at, read_at, taken;
  logic [AW-1:0]       link_row, read_row, row_next;
  logic [MW-1:0]       row_meta;

  // AND-OR multiplexers over the lists.
  always_comb begin
    link_row = '0;
    read_row = '0;
    taken_at = '0;
    for (int l = 0; l < LISTS; l = l + 1) begin
      link_row = link_row | ({AW{put_list[l]}} & last_at[l*AW +: AW]);
      read_row = read_row | ({AW{read[l]}} & read_at[l*AW +: AW]);
      taken_at = taken_at | ({AW{look[l]}} & taken[l*AW +: AW]);
    end
    row_next = next[read_row];
    row_meta = metas[read_row];
  end

  always_ff @(posedge clk) begin
    if (|link)
      next[link_row] <= put_at;
    if (put)
      metas[put_at] <= put_meta;
  end

  generate
    for (genvar l = 0; l < LISTS; l = l + 1) begin : list
      glk_flit_list #(.AW(AW), .MW(MW)) flits (
        .clk, .rst, .put(put && put_list[l]), .put_at, .put_meta, .link(link[l]), .last_at(last_at[l*AW +: AW]),
        .read(read[l]), .read_at(read_at[l*AW +: AW]), .row_next, .row_meta,
        .some(some[l]), .meta(meta[l*MW +: MW]), .take(take[l]), .taken_at(taken[l*AW +: AW]),
        .taken_meta(taken_meta[l*MW +: MW]));
    end
  endgenerate
endmodule
`default_nettype wire
