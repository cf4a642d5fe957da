// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Idle flush timer: flushes queues without a store for FLUSH_TIMEOUT_NS. Scans one partition per clock.
module glk_timeout #(
  parameter int PARTITIONS = 4,
  parameter int PW         = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1
) (
  input  logic                     clk,
  input  logic                     rst,
  input  logic                     clear, // discards pending timeouts
  input  logic [63:0]              now_ns,
  input  logic [PARTITIONS*30-1:0] cfg_flush_timeout_ns, // 0: off
  input  logic [PARTITIONS-1:0]    holds,
  input  logic                     store_valid, // a store to the partition
  input  logic [PW-1:0]            store_partition,
  output logic [PW-1:0]            flush_partition,
  output logic                     flush_valid,
  input  logic                     flush_ready
);
  (* ram_style = "distributed" *) logic [63:0] last [0:(1<<PW)-1]; // time of the last store
  // Set by a store, cleared by the flush issued here. Other flushes clear `holds` instead.
  logic [PARTITIONS-1:0] armed;

  logic [PARTITIONS*32-1:0] timeouts; // padded to a power of two for the lookup
  always_comb
    for (int p = 0; p < PARTITIONS; p = p + 1)
      timeouts[p*32 +: 32] = {2'b0, cfg_flush_timeout_ns[p*30 +: 30]};

  // Pipeline: lookup, elapsed time, comparison. A store in between restarts the timeout.
  logic          a_valid, b_valid;
  logic [PW-1:0] at, a_at, b_at;
  logic [63:0]   a_passed;
  logic [29:0]   a_timeout;
  logic          b_expired;

  wire offer = b_valid && b_expired && holds[b_at] && armed[b_at] && !(store_valid && store_partition == b_at) && !flush_valid;

  always_ff @(posedge clk) begin
    at        <= (at == PW'(PARTITIONS - 1)) ? '0 : at + PW'(1);
    a_valid   <= armed[at] && !(store_valid && store_partition == at);
    a_at      <= at;
    a_passed  <= now_ns - last[at];
    a_timeout <= timeouts[at*32 +: 30];
    b_valid   <= a_valid && a_timeout != 30'd0 && !(store_valid && store_partition == a_at);
    b_at      <= a_at;
    b_expired <= a_passed >= 64'(a_timeout);

    if (flush_ready)
      flush_valid <= 1'b0;
    if (offer) begin
      flush_valid      <= 1'b1;
      flush_partition  <= b_at;
      armed[b_at]      <= 1'b0;
    end
    if (store_valid) begin
      armed[store_partition] <= 1'b1;
      last[store_partition]  <= now_ns;
    end
    if (rst || clear) begin
      armed       <= '0;
      flush_valid <= 1'b0;
      a_valid     <= 1'b0;
      b_valid     <= 1'b0;
    end
    if (rst)
      at <= '0;
  end
endmodule
`default_nettype wire
