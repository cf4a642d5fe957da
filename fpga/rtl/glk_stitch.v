// SPDX-License-Identifier: Apache-2.0
// The stitching engine's data: the queued flits, the parent, and what becomes of it as pieces are added. Told what to do a clock
// after it was decided: `p_*` read a flit that begins a parent or becomes a piece of the one there is; `leave` sends the
// parent as the decisions before made it. A flit sent is offered from the next clock on. Of flits sent and not yet
// taken there are three at most; `ready` tells the one who decides.
module glk_stitch #(
  parameter int FLITS = 1024,
  parameter int AW      = $clog2(FLITS)
) (
  input  logic          clk,
  input  logic          rst,

  // A flit comes in. Behind its bytes are zeros.
  input  logic          put,
  input  logic [AW-1:0] put_at,
  input  logic [127:0]  put_data,

  input  logic          p_begin,
  input  logic          p_add,
  input  logic [AW-1:0] p_at,
  input  logic [6:3]    p_room,   // bit n: the parent had room for 2 n bytes
  input  logic          p_tail,   // needs a prefix,
  input  logic [15:0]   p_prefix, // this one
  input  logic          leave,
  input  logic [4:0]    leave_type,
  input  logic          leaving,  // `leave` will be 1 in the next clock
  output logic          ready,    // and may

  output logic [127:0]  m_data,
  output logic [4:0]    m_type,
  output logic          m_valid,
  input  logic          m_ready
);
  (* ram_style = "block" *) logic [127:0] flits [0:FLITS-1];

  logic [127:0] read, parent;
  logic         is_begin, is_add, is_tail;
  logic [6:3]   is_room;
  logic [15:0]  is_prefix;

  always_ff @(posedge clk) begin
    if (put)
      flits[put_at] <= put_data;
    read      <= flits[p_at];
    is_begin  <= p_begin;
    is_add    <= p_add;
    is_room   <= p_room;
    is_tail   <= p_tail;
    is_prefix <= p_prefix;
  end

  // The more room, the fewer bytes the parent has: 4, 6, 8, 10 or 12.
  wire [127:0] piece = is_tail ? {read[111:0], is_prefix} : read;
  logic [127:0] merged;
  always_comb begin
    merged = parent;
    if (is_begin)
      merged = read;
    else if (is_add)
      merged = parent | ((is_room[6] ? piece : '0) << 32) | ((is_room[5] && !is_room[6] ? piece : '0) << 48) |
               ((is_room[4] && !is_room[5] ? piece : '0) << 64) | ((is_room[3] && !is_room[4] ? piece : '0) << 80) |
               ((is_room[3] ? '0 : piece) << 96);
  end
  always_ff @(posedge clk)
    parent <= merged;

  // --- out ---
  logic       out_ready;
  logic [1:0] sent;      // and not yet taken
  wire        taken = m_valid && m_ready;
  wire  [1:0] kept  = sent - 2'(taken);

  glk_fifo #(.W(128 + 5), .DEPTH(4), .BYPASS(1)) out (
    .clk, .rst, .s_data({merged, leave_type}), .s_valid(leave), .s_ready(out_ready),
    .m_data({m_data, m_type}), .m_valid, .m_ready);

  always_ff @(posedge clk) begin
    sent  <= kept + 2'(leaving);
    ready <= !kept[1] || (!kept[0] && !leaving);
    if (rst) begin
      sent  <= 2'd0;
      ready <= 1'b1;
    end
`ifndef SYNTHESIS
    if (!rst)
      assert (!(leave && !out_ready) && !(leaving && !ready));
`endif
  end
endmodule
