// SPDX-License-Identifier: Apache-2.0
// Which partitions stand for one of the card beyond the link, and for which. Of a remote partition no two may: releases name how
// much was sent to it. A partition that was of kind link still stands for it while packets to it are under way, and answers for
// them are its own until it becomes of another kind.
module glk_remote_settings #(
  parameter int PARTITIONS = 16,
  parameter int PW         = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1
) (
  input  logic          clk,
  input  logic          rst,
  input  logic          clear, // as after power-on

  // The partition whose settings are looked at, and its EP_BASE, bits 63:12: it may stand for what that names. A clock later.
  input  logic [PW-1:0] partition,
  input  logic [51:0]   base,
  output logic          free,
  input  logic [PARTITIONS-1:0] under_way, // writes of them are not known to have arrived

  input  logic          take_kind, // its EP_KIND becomes `kind`, another one than before
  input  logic [1:0]    kind,
  input  logic          ask,       // the other card is to be asked what it is

  output logic [PARTITIONS-1:0]   remote,       // of kind link
  output logic [PARTITIONS-1:0]   remote_bound, // or was last, before it became none
  output logic [PARTITIONS*4-1:0] remote_partition,
  output logic          ask_valid, // a pulse, when the above is so
  output logic [PW-1:0] ask_partition
);
  integer p;
  logic   taken;
  always_comb begin
    taken = 1'b0;
    for (p = 0; p < PARTITIONS; p = p + 1)
      if (partition != PW'(p) && remote_partition[p*4 +: 4] == base[3:0] && (remote[p] || (remote_bound[p] && under_way[p])))
        taken = 1'b1;
  end

  integer i;
  always_ff @(posedge clk) begin
    free          <= base[51:4] == '0 && !taken;
    ask_valid     <= ask;
    ask_partition <= partition;
    for (i = 0; i < PARTITIONS; i = i + 1) begin
      if (take_kind && partition == PW'(i)) begin
        remote[i] <= kind == 2'(glk_regs::EP_LINK);
        if (kind == 2'(glk_regs::EP_LINK)) begin
          remote_bound[i]            <= 1'b1;
          remote_partition[i*4 +: 4] <= base[3:0];
        end else if (kind != 2'(glk_regs::EP_NONE)) begin
          remote_bound[i] <= 1'b0;
        end
      end
      if (rst || clear) begin
        remote[i]                  <= 1'b0;
        remote_bound[i]            <= 1'b0;
        remote_partition[i*4 +: 4] <= '0;
      end
    end
    if (rst)
      ask_valid <= 1'b0;
  end
endmodule
