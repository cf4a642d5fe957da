// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Requester side of the link (docs/link-format.md): loads and atomics, releases, and size queries of remote partitions.
// Responses are matched by kind and tag; one that matches no request is counted as stray. Reference model:
// fpga/model/remote/remote.c, remote_load.c.
//
// Stores use a separate path, as FinePack packets; this block counts them, because a release names that count.
module glk_remote_ask #(
  parameter int DATA_W     = 512,
  parameter int PARTITIONS = 16,
  parameter int LANES      = DATA_W / 8,
  parameter int PW         = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1
) (
  input  logic                    clk,
  input  logic                    rst,
  input  logic                    session, // requests do not survive the session; low for 200 clocks between sessions
  input  logic [63:0]             now_ns,
  input  logic                    cfg_trimming,
  input  logic [1:0]              cfg_trim_code, // sector size: 0: 16 bytes, 1: 4, 2: 8, 3: 32
  input  logic [33:0]             cfg_timeout_ns,
  input  logic [PARTITIONS*4-1:0] remote_partition, // partition of the other card that each is bound to

  // A FinePack packet to a remote partition is sent; or one of lost_partition is lost, because there is no session. Both in
  // the clock in which the packet is counted as posted.
  input  logic                    sent_valid,
  input  logic [3:0]              sent_remote,
  input  logic                    lost_valid,
  input  logic [PW-1:0]           lost_partition,
  input  logic [PARTITIONS-1:0]   under_way,     // of kind link, up to 15 clocks old: posted and not acknowledged

  // Flush reads of partitions of kind link, one per partition at a time; accepted in the clock that determines which writes
  // they cover. flush_q_error reports one failure (flush_q_one), or that of all covered writes.
  input  logic [PW-1:0]           flush_partition,
  input  logic                    flush_valid,
  output logic                    flush_ready,
  output logic [PW-1:0]           flush_q_partition,
  output logic                    flush_q_error,
  output logic                    flush_q_one,
  output logic                    flush_q_lost, // all are in doubt: the session ended, or there was none
  output logic                    flush_q_valid,
  input  logic                    flush_q_ready,

  // Loads of 1..4096 bytes, not across a 4 KiB boundary, and atomics of 4 or 8 bytes; one at a time
  input  logic [PW-1:0]           load_partition,
  input  logic [47:0]             load_offset,
  input  logic [12:0]             load_length,
  input  logic                    load_atomic,
  input  logic [1:0]              load_operation, // 0 add, 1 swap, 2 compare and swap
  input  logic [63:0]             load_operand,
  input  logic [63:0]             load_compare,
  input  logic                    load_valid,
  output logic                    load_ready,
  // Response. Lane i of a beat is a byte whose offset is i modulo LANES; for an atomic, every unit of its size is the old
  // value. An error is one beat.
  output logic                    load_q_error,
  output logic [DATA_W-1:0]       load_q_data,
  output logic                    load_q_last,
  output logic                    load_q_valid,
  output logic [PARTITIONS-1:0]   each_take,     // marks the posted writes
  input  logic [PARTITIONS-1:0]   each_reached,  // these are acknowledged; low in the clock after each_take

  // REMOTE_BYTES: size of a remote partition
  input  logic [PARTITIONS-1:0]   is_remote,        // of kind link
  input  logic                    ask_valid,
  input  logic [PW-1:0]           ask_partition,
  input  logic [PW-1:0]           look_partition,
  output logic [63:0]             look_remote_bytes, // one clock of latency

  // Requests, flit by flit
  output logic [3:0]              m_kind,
  output logic [127:0]            m_data,
  output logic                    m_last,
  output logic                    m_valid,
  input  logic                    m_ready,

  // Responses, piece by piece
  input  logic [3:0]              s_kind,
  input  logic [127:0]            s_data,
  input  logic [4:0]              s_bytes,
  input  logic                    s_first,
  input  logic                    s_last,
  input  logic                    s_valid,
  output logic                    s_ready,

  output logic                    e_stray,
  output logic                    e_timeout,
  output logic                    idle // no load, atomic or flush read is in flight
);
  wire forget = rst || !session;

  // --- responses by kind; each handler reports a match two clocks later ---
  logic         p_last, p_first, p_ends, p_late_ends, p_ended;
  logic [127:0] p_data;
  logic         p_read, p_atomic, p_released, p_translation;
  logic         l_known, r_known, t_known;

  assign s_ready = 1'b1;
  always_ff @(posedge clk) begin
    p_data        <= s_data;
    p_first       <= s_first;
    p_last        <= s_last;
    p_read        <= s_valid && s_kind == 4'(glk_flit::READ_RESPONSE);
    p_atomic      <= s_valid && s_kind == 4'(glk_flit::ATOMIC_RESPONSE);
    p_released    <= s_valid && s_kind == 4'(glk_flit::RELEASED);
    p_translation <= s_valid && s_kind == 4'(glk_flit::TRANSLATION_RESPONSE);
    p_ends        <= s_valid && s_last;
    p_late_ends   <= p_ends;
    p_ended       <= p_late_ends;
    e_stray       <= p_ended && !l_known && !r_known && !t_known;
    if (forget) begin
      p_read        <= 1'b0;
      p_atomic      <= 1'b0;
      p_released    <= 1'b0;
      p_translation <= 1'b0;
      p_ends        <= 1'b0;
      p_late_ends   <= 1'b0;
      p_ended       <= 1'b0;
      e_stray       <= 1'b0;
    end
  end

  // --- request sources ---
  logic         l_m_atomic, l_m_valid, l_m_ready, l_timeout, l_idle;
  logic [223:0] l_m_data;
  glk_remote_load #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS), .LANES(LANES), .PW(PW)) load (
    .clk, .rst, .session, .now_ns, .cfg_trimming, .cfg_trim_code, .cfg_timeout_ns, .remote_partition,
    .load_partition, .load_offset, .load_length, .load_atomic, .load_operation, .load_operand, .load_compare, .load_valid,
    .load_ready, .load_q_error, .load_q_data, .load_q_last, .load_q_valid, .each_take, .each_reached,
    .m_atomic(l_m_atomic), .m_data(l_m_data), .m_valid(l_m_valid), .m_ready(l_m_ready),
    .s_data(p_data), .s_first(p_first), .s_last(p_last), .s_read(p_read), .s_atomic(p_atomic), .known(l_known),
    .e_timeout(l_timeout), .idle(l_idle));

  logic        r_m_valid, r_m_ready, r_timeout, r_idle;
  logic [95:0] r_m_data;
  glk_remote_release #(.PARTITIONS(PARTITIONS), .PW(PW)) release_ (
    .clk, .rst, .session, .now_ns, .cfg_timeout_ns, .remote_partition, .sent_valid, .sent_remote, .lost_valid, .lost_partition,
    .under_way, .flush_partition, .flush_valid, .flush_ready, .flush_q_partition, .flush_q_error, .flush_q_one, .flush_q_lost,
    .flush_q_valid, .flush_q_ready,
    .m_data(r_m_data), .m_valid(r_m_valid), .m_ready(r_m_ready),
    .s_data(p_data[31:0]), .s_valid(p_released), .known(r_known), .e_timeout(r_timeout), .idle(r_idle));

  logic        t_m_valid, t_m_ready;
  logic [95:0] t_m_data;
  glk_remote_translate #(.PARTITIONS(PARTITIONS), .PW(PW)) translate (
    .clk, .rst, .session, .remote_partition, .is_remote, .ask_valid, .ask_partition, .look_partition, .look_remote_bytes,
    .m_data(t_m_data), .m_valid(t_m_valid), .m_ready(t_m_ready),
    .s_data(p_data[95:0]), .s_valid(p_translation), .known(t_known));

  // A packet in progress is completed even if the card is reset within a session.
  glk_remote_out out (
    .clk, .rst(!session), .release_data(r_m_data), .release_valid(r_m_valid), .release_ready(r_m_ready),
    .translate_data(t_m_data), .translate_valid(t_m_valid), .translate_ready(t_m_ready),
    .load_atomic(l_m_atomic), .load_data(l_m_data), .load_valid(l_m_valid), .load_ready(l_m_ready), .m_kind, .m_data, .m_last,
    .m_valid, .m_ready);

  // --- event counters: a load timeout is delayed behind a release timeout ---
  logic late;
  always_ff @(posedge clk) begin
    e_timeout <= r_timeout || l_timeout || late;
    late      <= r_timeout && (l_timeout || late);
    idle      <= l_idle && r_idle;
    if (rst) begin
      e_timeout <= 1'b0;
      late      <= 1'b0;
      idle      <= 1'b0;
    end
  end
  wire unused = &{1'b0, s_bytes};
endmodule
`default_nettype wire
