// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Flush reads of partitions of kind link: each becomes a release over the link, which is answered when all packets sent
// before have arrived. One per partition is in flight.
//
// Writes posted when a session ends, or while there is none, are lost. A flush read in flight or arriving without a session
// fails. Losses that no flush read has covered by the start of the next session are reported by the next flush read. To
// keep the two apart, no flush read is accepted in the first clocks of a session, while earlier ones are being failed.
module glk_remote_release #(
  parameter int PARTITIONS = 16,
  parameter int PW         = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1
) (
  input  logic                    clk,
  input  logic                    rst,
  input  logic                    session,
  input  logic [63:0]             now_ns,
  input  logic [33:0]             cfg_timeout_ns,
  input  logic [PARTITIONS*4-1:0] remote_partition,

  input  logic                    sent_valid, // packet posted to a remote partition
  input  logic [3:0]              sent_remote,
  input  logic                    lost_valid, // not before it is counted as posted
  input  logic [PW-1:0]           lost_partition,
  input  logic [PARTITIONS-1:0]   under_way,  // posted and not acknowledged, of kind link

  // Flush reads; accepted in the clock that determines which writes they cover
  input  logic [PW-1:0]           flush_partition,
  input  logic                    flush_valid,
  output logic                    flush_ready,
  output logic [PW-1:0]           flush_q_partition,
  output logic                    flush_q_error,
  output logic                    flush_q_one,  // one failure, otherwise all covered writes
  output logic                    flush_q_lost, // all are in doubt: the session ended, or there was none
  output logic                    flush_q_valid,
  input  logic                    flush_q_ready,

  // Releases
  output logic [95:0]             m_data,
  output logic                    m_valid,
  input  logic                    m_ready,

  // Released response; `known` reports two clocks later whether it was expected
  input  logic [31:0]             s_data,
  input  logic                    s_valid,
  output logic                    known,

  output logic                    e_timeout,
  output logic                    idle
);
  localparam int P = PARTITIONS;

  // Flush reads: accepted, to be sent, in flight, to be answered, and the result.
  logic [P-1:0] busy, unsent, waits, due, due_error, due_one, due_lost;
  logic [P-1:0] spoilt; // a covered write was lost
  logic [P-1:0] lost;   // a write that the next one will cover was lost, without a session
  logic [P-1:0] failed; // likewise, when the last session ended
  (* ram_style = "distributed" *) logic [63:0] taken [0:(1<<PW)-1]; // time of the request
  (* ram_style = "distributed" *) logic [11:0] turn  [0:(1<<PW)-1]; // sequence number in the last tag
  (* ram_style = "distributed" *) logic [31:0] sent  [0:15];        // packets sent in this session

  // --- packet counts and tag sequence numbers, cleared when a session begins ---
  logic [3:0] sweep;
  logic [3:0] m_remote;
  always_ff @(posedge clk) begin
    sweep <= rst ? 4'd0 : sweep + 4'd1;
    if (!session || sent_valid)
      sent[session ? sent_remote : sweep] <= session ? sent[sent_remote] + 32'd1 : 32'd0;
  end

  // --- session start and end: `under_way` lags by some clocks ---
  logic [2:0] clocks;
  logic [4:0] ended;
  wire        up   = clocks[2];
  wire        ends = !session && !ended[4];
  always_ff @(posedge clk) begin
    if (!up)
      clocks <= clocks + 3'd1;
    if (ends)
      ended <= ended + 5'd1;
    flush_ready <= !session || up;
    if (session)
      ended <= 5'd0;
    if (rst || !session)
      clocks <= 3'd0;
    if (rst) begin
      flush_ready <= 1'b0;
      ended       <= 5'd16;
    end
  end

  // --- release requests: partitions round robin ---
  typedef enum logic [1:0] {PICK, COUNT, OFFER} state_t;
  state_t        state;
  logic [PW-1:0] at, m_partition;
  logic [3:0]    at_remote;
  logic [11:0]   m_turn;
  logic [31:0]   m_count;
  wire [PW-1:0]  at_next = (at == PW'(P - 1)) ? '0 : at + PW'(1);
  wire           take = flush_valid && flush_ready;
  wire [11:0]    next = turn[at] + 12'd1;
  wire           pick = state == PICK && unsent[at] && up && session;
  always_comb begin
    at_remote = '0;
    for (int p = 0; p < P; p = p + 1)
      if (at == PW'(p))
        at_remote = remote_partition[p*4 +: 4];
  end
  assign m_data  = {32'b0, m_count, m_turn, 4'(m_partition), m_remote, 12'b0};
  assign m_valid = state == OFFER;

  always_ff @(posedge clk) begin
    if (!session || pick)
      turn[at] <= session ? next : 12'd0;
    unique case (state)
      PICK:
        if (pick) begin
          m_partition <= at;
          m_remote       <= at_remote;
          m_turn      <= next;
          state       <= COUNT;
        end
      COUNT: begin
        m_count <= sent[m_remote];
        state   <= OFFER;
      end
      default:
        if (m_ready || due[m_partition] || !busy[m_partition])
          state <= PICK;
    endcase
    if (rst || !session)
      state <= PICK;
  end

  // --- responses ---
  logic          s_fits, s_bad;
  logic [PW-1:0] s_at;
  wire [PW-1:0]  s_partition = s_data[16 +: PW];
  wire           answers = s_fits && waits[s_at] && busy[s_at] && !due[s_at];
  always_ff @(posedge clk) begin
    s_fits <= s_valid && 32'(s_data[19:16]) < P && s_data[31:20] == turn[s_partition] && !rst;
    s_at   <= s_partition;
    s_bad  <= s_data[15:12] != 4'd0;
    known  <= answers;
  end

  // --- timeouts ---
  logic          b_valid, c_valid, c_expired;
  logic [PW-1:0] b_at, c_at;
  logic [63:0]   b_passed;
  wire           expires = c_valid && c_expired && busy[c_at] && !due[c_at] && !(answers && s_at == c_at);
  always_ff @(posedge clk) begin
    if (take)
      taken[flush_partition] <= now_ns;
    b_valid   <= busy[at] && !rst;
    b_at      <= at;
    b_passed  <= now_ns - taken[at];
    c_valid   <= b_valid && busy[b_at] && !rst;
    c_at      <= b_at;
    c_expired <= b_passed >= 64'(cfg_timeout_ns);
    e_timeout <= expires && up && !rst;
  end

  // --- partition state ---
  always_ff @(posedge clk) begin
    if (!(flush_q_valid && due[at])) // round robin
      at <= at_next;
    if (pick)
      unsent[at] <= 1'b0;
    if (m_valid && m_ready)
      waits[m_partition] <= 1'b1;

    if (!up) begin
      due       <= due | busy;
      due_error <= due_error | (busy & ~due);
      due_one   <= due_one & ~(busy & ~due);
      due_lost  <= due_lost | (busy & ~due);
      unsent    <= '0;
    end

    // Results, one per clock.
    if (flush_q_ready)
      flush_q_valid <= 1'b0;
    if (!flush_q_valid && due[at]) begin
      flush_q_valid     <= 1'b1;
      flush_q_partition <= at;
      flush_q_error     <= due_error[at];
      flush_q_one       <= due_one[at];
      flush_q_lost      <= due_lost[at];
      busy[at]          <= 1'b0;
      due[at]           <= 1'b0;
    end

    if (expires) begin
      unsent[c_at]    <= 1'b0;
      due[c_at]       <= 1'b1;
      due_error[c_at] <= 1'b1;
      due_one[c_at]   <= 1'b0;
      due_lost[c_at]  <= 1'b0;
    end
    if (answers) begin
      due[s_at]       <= 1'b1;
      due_error[s_at] <= s_bad || spoilt[s_at];
      due_one[s_at]   <= s_bad && !spoilt[s_at];
      due_lost[s_at]  <= spoilt[s_at];
    end

    failed <= (failed & under_way) | (ends ? under_way : '0);
    if (take) begin
      busy[flush_partition]   <= 1'b1;
      unsent[flush_partition] <= 1'b1;
      waits[flush_partition]  <= 1'b0;
      spoilt[flush_partition] <= lost[flush_partition] || failed[flush_partition];
      lost[flush_partition]   <= 1'b0;
      failed[flush_partition] <= 1'b0;
    end
    if (lost_valid) begin
      lost[lost_partition]   <= 1'b1;
      spoilt[lost_partition] <= 1'b1;
    end
    idle <= busy == '0 && !flush_valid && !flush_q_valid;

    if (rst) begin
      at            <= '0;
      busy          <= '0;
      unsent        <= '0;
      waits         <= '0;
      due           <= '0;
      lost          <= '0;
      failed        <= '0;
      flush_q_valid <= 1'b0;
      idle          <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk)
    if (checks)
      begin : one_flush_a_partition assert (!(take && busy[flush_partition])); end // one per partition
`endif
  wire unused = &{1'b0, s_data[11:0]};
endmodule
`default_nettype wire
