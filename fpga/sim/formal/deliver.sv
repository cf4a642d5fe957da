// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// glk_link_deliver: back-to-back frames of any length, some rejected. Data and type of a flit hold its number among the
// accepted ones. Asserted under DELIVER: flits come out in order, each once, within the time that a frame of 11 takes.
// Under REACHED the negated covers are asserted; each must fail.
module deliver (
  input logic clk,
  input logic rst,
  input logic flit, // a data block arrives
  input logic word, // a control block arrives
  input logic right // and its frame is accepted
);
  logic past_valid = 1'b0;
  always_ff @(posedge clk)
    past_valid <= 1'b1;
  always_comb begin
    assume(rst == !past_valid);
    assume(!(flit && word));
    if (rst) assume(!flit && !word);
  end

  logic [4:0] first = 5'd0, out = 5'd0; // numbers of the arriving frame's first flit and of the next flit out
  logic [3:0] index = 4'd0;
  wire        take = word && right && index != 4'd0 && index <= 4'd11;
  wire [4:0]  number = first + {1'b0, index};
  logic [54:0] types;
  always_comb
    for (int n = 0; n < 11; n = n + 1)
      types[5*n +: 5] = first + 5'(n);

  logic [4:0]   m_type;
  logic [127:0] m_data;
  logic         m_valid;
  glk_link_deliver dut (
    .clk, .rst, .clear(1'b0), .s_data({123'b0, number}), .s_index(index), .s_flit(flit), .take, .count(index), .types, .m_type,
    .m_data, .m_valid);

  wire [4:0]  waits = first - out;
  logic [4:0] late = 5'd0; // clocks in which flits waited and none came out
  always_ff @(posedge clk) begin
    if (word)
      index <= 4'd0;
    else if (flit && index != 4'd12)
      index <= index + 4'd1;
    if (take)
      first <= first + {1'b0, index};
    if (m_valid && past_valid)
      out <= out + 5'd1;
    late <= (rst || m_valid || waits == 5'd0) ? 5'd0 : late + 5'd1;
    if (past_valid && !rst) begin
`ifdef REACHED
      assert(waits != 5'd12);
      assert(!(m_valid && m_type == 5'd12));
`endif
`ifdef DELIVER
      if (m_valid)
        assert(waits != 5'd0 && m_data[4:0] == out && m_type == out);
      assert(waits <= 5'd12 && late <= 5'd3);
`endif
    end
  end
endmodule
`default_nettype wire
