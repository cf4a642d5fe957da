// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Binding of partitions to partitions of the other card. Bindings are exclusive, because a release names how much was sent
// to its partition. A binding persists while packets to it are in flight, and answers belong to it, until the partition's
// kind changes.
module glk_remote_settings #(
  parameter int PARTITIONS = 16,
  parameter int PW         = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1
) (
  input  logic          clk,
  input  logic          rst,
  input  logic          clear, // restores power-on defaults

  // Check of the selected partition and its EP_BASE, bits 63:12: whether the named remote partition is free. One clock of
  // latency.
  input  logic [PW-1:0] partition,
  input  logic [51:0]   base,
  output logic          free,
  input  logic [PARTITIONS-1:0] under_way, // posted writes not acknowledged

  input  logic          take_kind, // EP_KIND changes to `kind`
  input  logic [1:0]    kind,
  input  logic          ask,       // query the other card for its size

  output logic [PARTITIONS-1:0]   remote,       // of kind link
  output logic [PARTITIONS-1:0]   remote_bound, // or last was
  output logic [PARTITIONS*4-1:0] remote_partition,
  output logic          ask_valid, // pulse, once the outputs above are valid
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
`default_nettype wire
