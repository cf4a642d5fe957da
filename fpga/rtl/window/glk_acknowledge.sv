// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Tracks which writes to endpoints have arrived. Posted writes are not acknowledged, but a read behind them is, and pushes
// them: while a partition has unacknowledged writes, one zero-length flush read of it is in flight. Its completion
// acknowledges all writes accepted before it; if it fails, all of them count as failed.
//
// Per partition there are three running counts: writes posted, writes covered by the last flush read, writes acknowledged.
// A mark needs no count: everything posted before it has arrived with the completion of the next flush read or, if one that
// does not cover everything is in flight, of the one after it.
module glk_acknowledge #(
  parameter int PARTITIONS = 4,
  parameter int PW         = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1
) (
  input  logic          clk,
  input  logic          rst,

  // Writes posted to the bus or the pool
  input  logic          posted_valid,
  input  logic [PW-1:0] posted_partition,
  input  logic [63:0]   posted_address,
  // Packets posted to the other card; accepted when posted_valid is low, with ready one clock later
  input  logic [PW-1:0] remote_posted_partition,
  input  logic          remote_posted_valid,
  output logic          remote_posted_ready,

  // Flush reads and their completions. Those of the other card (`flush`) yield to completions on the bus; flush_q_ready comes
  // one clock later
  output logic [PW-1:0] mem_partition,
  output logic [63:0]   mem_address,
  output logic          mem_valid,
  input  logic          mem_ready,
  input  logic [PW-1:0] rd_partition,
  input  logic          rd_error,
  input  logic          rd_valid,
  input  logic [PARTITIONS-1:0] ep_beyond, // is or last was of kind link
  output logic [PW-1:0] flush_partition,
  output logic          flush_valid,
  input  logic          flush_ready,
  input  logic [PW-1:0] flush_q_partition,
  input  logic          flush_q_error,
  input  logic          flush_q_one,  // one failure, otherwise all covered writes
  input  logic          flush_q_lost, // all are in doubt
  input  logic          flush_q_valid,
  output logic          flush_q_ready,

  // A load failed
  input  logic [PW-1:0] load_failed_partition,
  input  logic          load_failed_valid,
  output logic          load_failed_ready,

  // Marks: the writes posted before *_take are acknowledged
  input  logic          mark_take,
  output logic          mark_reached,     // low in the clock after mark_take
  output logic          all_acknowledged,
  input  logic [PARTITIONS-1:0] each_take,
  output logic [PARTITIONS-1:0] each_reached, // low in the clock after each_take
  output logic [PARTITIONS-1:0] under_way,    // posted and not acknowledged

  // Failed writes and reads; status
  output logic          fail_valid,
  output logic [PW-1:0] fail_partition,
  output logic [31:0]   fail_count,
  output logic          fail_lost,
  input  logic [PW-1:0] look_partition,
  output logic [31:0]   look_unacknowledged
);
  localparam int P = PARTITIONS;

  // --- counts, each with one writer; cleared row by row after reset ---
  (* ram_style = "distributed" *) logic [31:0] posted  [0:(1<<PW)-1];
  (* ram_style = "distributed" *) logic [31:0] covered [0:(1<<PW)-1];
  (* ram_style = "distributed" *) logic [31:0] known   [0:(1<<PW)-1];
  (* ram_style = "distributed" *) logic [63:0] address [0:(1<<PW)-1];
  logic          sweep;
  logic [PW-1:0] sweep_at;
  logic          answered, answer_failed, answer_one, answer_lost;
  logic [PW-1:0] answer_partition;
  logic          f_valid, f_beyond; // flush read pending; over the link
  wire           sent = f_valid && (f_beyond ? flush_ready : mem_ready);
  wire           remote_posts = remote_posted_valid && !remote_posted_ready && !posted_valid;
  wire           remote_answers = flush_q_valid && !flush_q_ready && !rd_valid;
  wire           posts = posted_valid || remote_posts;
  wire  [PW-1:0] posts_partition = posted_valid ? posted_partition : remote_posted_partition;
  assign mem_valid       = f_valid && !f_beyond;
  assign flush_valid     = f_valid && f_beyond;
  assign flush_partition = mem_partition;

  wire [PW-1:0]  posted_at  = sweep ? sweep_at : posts_partition;
  wire [PW-1:0]  covered_at = sweep ? sweep_at : mem_partition;
  wire [PW-1:0]  known_at   = sweep ? sweep_at : answer_partition;
  wire [31:0]    covers     = covered[answer_partition];

  always_ff @(posedge clk) begin
    if (sweep || posts)
      posted[posted_at] <= sweep ? 32'd0 : posted[posts_partition] + 32'd1;
    if (posted_valid)
      address[posted_partition] <= posted_address;
    if (sweep || sent)
      covered[covered_at] <= sweep ? 32'd0 : posted[mem_partition];
    if (sweep || answered)
      known[known_at] <= sweep ? 32'd0 : covers;
    look_unacknowledged <= posted[look_partition] - known[look_partition];
    sweep_at <= sweep ? sweep_at + PW'(1) : '0;
    if (&sweep_at)
      sweep <= 1'b0;
    if (rst) begin
      sweep    <= 1'b1;
      sweep_at <= '0;
    end
  end

  // --- per partition: posted since the last flush read; flush read in flight; completions that a mark waits for ---
  logic [P-1:0]   since, since_next, out, out_next, waits;
  logic [2*P-1:0] awaited, awaited_next, each, each_next; // of the common mark, and of each partition's own
  always_comb begin
    for (int k = 0; k < P; k = k + 1) begin
      since_next[k] = (since[k] && !(sent && 32'(mem_partition) == k)) || (posts && 32'(posts_partition) == k);
      out_next[k]   = (out[k] && !(answered && 32'(answer_partition) == k)) || (sent && 32'(mem_partition) == k);
      waits[k]      = awaited[2*k +: 2] != 2'd0;
      awaited_next[2*k +: 2] = awaited[2*k +: 2];
      if (mark_take)
        awaited_next[2*k +: 2] = {since_next[k] && out_next[k], since_next[k] ^ out_next[k]};
      else if (waits[k] && answered && 32'(answer_partition) == k)
        awaited_next[2*k +: 2] = awaited[2*k +: 2] - 2'd1;
      each_next[2*k +: 2] = each[2*k +: 2];
      if (each_take[k])
        each_next[2*k +: 2] = {since_next[k] && out_next[k], since_next[k] ^ out_next[k]};
      else if (each[2*k +: 2] != 2'd0 && answered && 32'(answer_partition) == k)
        each_next[2*k +: 2] = each[2*k +: 2] - 2'd1;
    end
  end

  // --- flush read arbiter: partitions round robin ---
  logic [PW-1:0] at;
  wire [PW-1:0]  at_next = (32'(at) == P - 1) ? '0 : at + PW'(1);
  logic          l_held;
  logic [PW-1:0] l_held_partition;
  assign load_failed_ready = !l_held;

  always_ff @(posedge clk) begin
    since   <= since_next;
    out     <= out_next;
    awaited <= awaited_next;
    each    <= each_next;
    for (int k = 0; k < P; k = k + 1)
      each_reached[k] <= !each_take[k] && each[2*k +: 2] == 2'd0;
    under_way <= since_next | out_next;
    if (sent)
      f_valid <= 1'b0;
    if (!f_valid) begin
      at <= at_next;
      if (since[at] && !out[at]) begin
        f_valid       <= 1'b1;
        f_beyond      <= ep_beyond[at];
        mem_partition <= at;
        mem_address   <= address[at];
      end
    end

    remote_posted_ready <= remote_posts && !rst;
    flush_q_ready    <= remote_answers && !rst;
    answered         <= rd_valid || remote_answers;
    answer_failed    <= rd_valid ? rd_error : flush_q_error;
    answer_one       <= !rd_valid && flush_q_one;
    answer_lost      <= !rd_valid && flush_q_lost;
    answer_partition <= rd_valid ? rd_partition : flush_q_partition;

    // Failures, one at a time; a failed load waits behind a failed flush read.
    fail_valid <= 1'b0;
    if (answered && answer_failed) begin
      fail_valid     <= 1'b1;
      fail_partition <= answer_partition;
      fail_lost      <= answer_lost;
      fail_count     <= answer_one ? 32'd1 : covers - known[answer_partition];
    end else if (l_held) begin
      fail_valid     <= 1'b1;
      fail_partition <= l_held_partition;
      fail_count     <= 32'd1;
      fail_lost      <= 1'b0;
      l_held         <= 1'b0;
    end
    if (load_failed_valid && load_failed_ready) begin
      l_held           <= 1'b1;
      l_held_partition <= load_failed_partition;
    end

    mark_reached     <= !mark_take && !(|waits);
    all_acknowledged <= !posts && !(|since) && !(|out) && !answered && !l_held && !load_failed_valid;

    if (rst) begin
      since        <= '0;
      out          <= '0;
      awaited      <= '0;
      each         <= '0;
      each_reached <= '0;
      under_way    <= '0;
      at           <= '0;
      f_valid      <= 1'b0;
      answered     <= 1'b0;
      fail_valid   <= 1'b0;
      l_held       <= 1'b0;
      mark_reached <= 1'b0;
      all_acknowledged <= 1'b0;
    end
  end
endmodule
`default_nettype wire
