// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Merges packets of several sources into the cluster queue: round robin, whole packets, one flit per clock. `rst` aborts
// the packet in progress; all sources are reset with it.
module glk_flit_mux #(
  parameter int N = 3
) (
  input  logic             clk,
  input  logic             rst,
  input  logic [4*N-1:0]   s_kind,
  input  logic [128*N-1:0] s_data,
  input  logic [N-1:0]     s_last,
  input  logic [N-1:0]     s_valid,
  output logic [N-1:0]     s_ready,
  output logic [3:0]       m_kind,
  output logic [127:0]     m_data,
  output logic             m_valid,
  input  logic             m_ready
);
  logic [N-1:0] turn; // one-hot
  logic         mid, go, some, last;
  logic [3:0]   kind;
  logic [127:0] data;

  assign s_ready = turn & {N{go}};
  always_comb begin
    some = |(turn & s_valid);
    last = |(turn & s_last);
    kind = '0;
    data = '0;
    for (int k = 0; k < N; k = k + 1) begin
      kind = kind | (s_kind[4*k +: 4] & {4{turn[k]}});
      data = data | (s_data[128*k +: 128] & {128{turn[k]}});
    end
  end

  // Search order: the other sources after the current one, cyclically.
  logic [2*N-1:0] order;
  logic [N-1:0]   others;
  always_comb begin
    others = s_valid & ~turn;
    order  = {others, others & ~((turn - N'(1)) | turn)};
    order  = order & (~order + (2*N)'(1));
  end

  always_ff @(posedge clk) begin
    if (some && go)
      mid <= !last;
    if ((some ? go && last : !mid) && |others)
      turn <= order[N-1:0] | order[2*N-1:N];
    if (rst) begin
      mid  <= 1'b0;
      turn <= N'(1);
    end
  end

  glk_skid #(.W(4 + 128)) out (
    .clk, .rst, .s_data({kind, data}), .s_valid(some), .s_ready(go), .m_data({m_kind, m_data}), .m_valid, .m_ready);
endmodule
`default_nettype wire
