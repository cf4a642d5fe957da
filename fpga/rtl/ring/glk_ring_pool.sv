// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Pool operations of the ring engine: the line at an address, the lease that an access with a time got, and what of both goes into
// the data buffer: bytes that were read, and records of leases.
module glk_ring_pool #(
  parameter int DATA_W     = 512,
  parameter int PARTITIONS = 16,
  parameter int PW         = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1,
  parameter int LANES      = DATA_W / 8,
  parameter int LINE_W     = 16 - $clog2(LANES)
) (
  input  logic                     clk,
  input  logic                     leases,   // constant
  input  logic [PARTITIONS*2-1:0]  ep_kind,
  input  logic [PARTITIONS*52-1:0] ep_base,
  input  logic [5:0]               slot_shift,
  input  logic [255:0]             grains,

  // Line of an address; four clocks of latency
  input  logic [PW-1:0]            partition,
  input  logic [47:0]              target,
  output logic                     on_pool,
  output logic [12:0]              bytes,    // of the line
  output logic [11:0]              in_line,   // offset of the address in it
  output logic [47:0]              offset,   // in the pool

  // Lease of an access: known from its answer until `forget`
  input  logic                     forget,
  input  logic                     t_valid,
  input  logic                     t_ok,
  input  logic                     t_same,
  input  logic [63:0]              t_wts,
  input  logic [63:0]              t_rts,
  input  logic                     t_q_valid,
  input  logic                     t_q_last,
  output logic                     known,
  output logic                     read,     // so are all bytes
  output logic                     ok,
  output logic                     same,
  input  logic [63:0]              limit_time,
  input  logic [63:0]              limit,
  output logic                     late,     // limit_time is after it; one clock of latency

  // Records, 16 aligned bytes a clock
  input  logic                     put,
  input  logic                     renewal,  // a RENEW_RECORD, else half of a LEASE_RECORD:
  input  logic                     second,
  input  logic [63:0]              old,
  input  logic [15:0]              place,
  output logic [LINE_W-1:0]        b_line,
  output logic [LANES-1:0]         b_enables,
  output logic [DATA_W-1:0]        b_data,
  output logic                     b_valid
);
  localparam int LB = $clog2(LANES);

  // --- line ---
  logic        pool_a, pool_b, pool_c;
  logic [47:0] at_a, at_b, at_c;
  logic [5:0]  slot;
  logic [3:0]  grain;
  always_ff @(posedge clk) begin
    pool_a  <= leases && ep_kind[32'(partition)*2 +: 2] == 2'(glk_regs::EP_POOL);
    at_a    <= {ep_base[32'(partition)*52 +: 36], 12'b0} + target;
    pool_b  <= pool_a;
    at_b    <= at_a;
    slot    <= 6'(at_a >> slot_shift);
    pool_c  <= pool_b;
    at_c    <= at_b;
    grain   <= grains[slot*4 +: 4];
    on_pool <= pool_c;
    offset  <= at_c;
    bytes   <= 13'd64 << grain;
    in_line  <= at_c[11:0] & ((12'd64 << grain) - 12'd1);
  end

  // --- lease ---
  logic [63:0] wts, rts;
  always_ff @(posedge clk) begin
    late <= limit_time > limit;
    if (t_valid) begin
      known <= 1'b1;
      ok    <= t_ok;
      same  <= t_same;
      wts   <= t_wts;
      rts   <= t_rts;
    end
    if (t_q_valid && t_q_last)
      read <= 1'b1;
    if (forget) begin
      known <= 1'b0;
      read  <= 1'b0;
    end
  end

  // --- records ---
  wire [127:0] words = renewal ? {wts, same ? rts : 64'd0} : second ? {63'd0, same, old} : {rts, wts};
  always_ff @(posedge clk) begin
    b_valid <= put;
    b_line  <= place[15:LB];
    b_data  <= {(LANES/16){words}};
    for (int k = 0; k < LANES; k = k + 1)
      b_enables[k] <= (LB == 4) || (k >> 4) == 32'(place[LB-1:4]);
  end
  wire unused = &{1'b0, place[3:0]};
endmodule
`default_nettype wire
