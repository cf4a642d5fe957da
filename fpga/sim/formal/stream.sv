// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Properties of a block that only forwards a stream: items come out once, unchanged and in order; an offered item holds until
// it is taken; no deadlock. One item, of any number, is watched from input to output.
module stream_check #(
  parameter int W = 4,
  parameter int PATIENCE = 4 // clocks within which an item is offered
) (
  input logic         clk,
  input logic         rst,
  input logic [W-1:0] s_data,
  input logic         s_valid,
  input logic         s_ready,
  input logic [W-1:0] m_data,
  input logic         m_valid,
  input logic         m_ready
);
  (* anyconst *) logic [4:0] watched;
  logic [4:0]   in_count, out_count, waited;
  logic [W-1:0] expected, offered;
  logic         past_valid = 1'b0, stalled;

  initial assume(rst);
  always_ff @(posedge clk) begin
    past_valid <= 1'b1;
    stalled    <= m_valid && !m_ready && !rst;
    offered    <= m_data;
    if (s_valid && s_ready) begin
      in_count <= in_count + 5'd1;
      if (in_count == watched)
        expected <= s_data;
    end
    if (m_valid && m_ready)
      out_count <= out_count + 5'd1;
    waited <= (m_valid || in_count == out_count) ? 5'd0 : waited + 5'd1;
    if (rst) begin
      in_count  <= 5'd0;
      out_count <= 5'd0;
      waited    <= 5'd0;
    end
    if (past_valid && !rst) begin
      assume(in_count != 5'd31);
      assert(out_count <= in_count);
      assert(!(m_valid && out_count == in_count));
      if (m_valid && out_count == watched)
        assert(m_data == expected);
      if (stalled) begin
        assert(m_valid);
        assert(m_data == offered);
      end
      assert(waited < 5'(PATIENCE));
    end
    cover(past_valid && out_count == 5'd5);
  end
endmodule
`default_nettype wire
