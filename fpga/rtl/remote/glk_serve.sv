// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Completer side of the link (docs/link-format.md): FinePack packets and write requests of the other card go to the card's
// receiver, loads and atomics are executed, releases wait for posted packets.
//
// Deadlock avoidance: FinePack packets wait only for the receiver and for earlier write requests, so posted packets always
// make progress, and with them writes and releases. When a session ends, received but not yet executed requests are
// discarded; operations in progress are completed.
module glk_serve #(
  parameter int DATA_W     = 512,
  parameter int PARTITIONS = 16,
  parameter int LANES      = DATA_W / 8,
  parameter int KW         = $clog2(LANES + 1),
  parameter int PW         = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1
) (
  input  logic              clk,
  input  logic              rst,
  input  logic              session, // low between two sessions: flushes

  // Access rights: local partitions that are open, while the card is enabled
  input  logic              enabled,
  input  logic [PARTITIONS*2-1:0]  ep_kind,
  input  logic [PARTITIONS*37-1:0] ep_bytes, // in units of 4 KiB
  input  logic [PARTITIONS-1:0]    ep_open,

  // Posted packets: FinePack packets, in pieces of 16 bytes except the last, and write requests
  input  logic [3:0]        p_kind,
  input  logic [127:0]      p_data,
  input  logic [4:0]        p_bytes,
  input  logic              p_first,
  input  logic              p_last,
  input  logic              p_valid,
  output logic              p_ready,

  // Requests
  input  logic [3:0]        r_kind,
  input  logic [127:0]      r_data,
  input  logic [4:0]        r_bytes,
  input  logic              r_first,
  input  logic              r_last,
  input  logic              r_valid,
  output logic              r_ready,

  // Packets for the receiver. other_done: in order, all writes of the oldest one are posted and counted as posted;
  // other_refused: it was refused or dropped. At most one per clock, not before its last beat was taken.
  output logic [DATA_W-1:0] lr_data,
  output logic [KW-1:0]     lr_bytes,
  output logic              lr_last,
  output logic              lr_valid,
  input  logic              lr_ready,
  input  logic              other_done,
  input  logic              other_refused,

  // Visibility of writes (each_*), and failed accesses of a partition; a failure is reported before each_reached of it
  output logic [PARTITIONS-1:0] each_take,
  input  logic [PARTITIONS-1:0] each_reached, // low in the clock after each_take
  input  logic              fail_valid,
  input  logic [PW-1:0]     fail_partition,

  // Loads, which do not cross a 64-byte line, and their answers, in order; bytes are at their place in the line
  output logic [PW-1:0]     l_partition,
  output logic [47:0]       l_offset,
  output logic [6:0]        l_length,
  output logic              l_valid,
  input  logic              l_ready,
  input  logic              g_error,
  input  logic [511:0]      g_line,
  input  logic              g_valid,
  output logic              g_ready,

  // Atomics: the rings issue none while `lock` and `locked`. After its falling edge lock stays low for at least 4 clocks,
  // by when locked is low again. The new value is `ready` when it is posted.
  output logic              lock,
  input  logic              locked,
  output logic [PW-1:0]     o_partition,
  output logic [47:0]       o_offset,
  output logic [3:0]        o_length,
  output logic [63:0]       o_data,
  output logic              o_valid,
  input  logic              o_ready,

  // Responses, flit by flit
  output logic [3:0]        m_kind,
  output logic [127:0]      m_data,
  output logic              m_last,
  output logic              m_valid,
  input  logic              m_ready,

  // Event pulses: served; refused, or dropped as not open to the link; FinePack packet with an invalid partition; response
  // trimmed by e_trimmed_bytes. FinePack packets refused by the receiver are counted there.
  output logic              e_served,
  output logic              e_denied,
  output logic              e_malformed,
  output logic              e_trimmed,
  output logic [5:0]        e_trimmed_bytes,
  output logic              idle // no load, atomic, write request or packet for the receiver is in progress
);
  // --- access rights ---
  logic [15:0] open;
  always_ff @(posedge clk) begin
    open <= '0;
    for (int k = 0; k < PARTITIONS; k = k + 1)
      open[k] <= enabled && ep_open[k] && (ep_kind[2*k +: 2] == 2'(glk_regs::EP_BUS) || ep_kind[2*k +: 2] == 2'(glk_regs::EP_POOL));
  end

  // --- input is blocked until the counts are cleared, and flushed when the session ends ---
  logic ready, forget;
  assign forget = rst || !session;

  // --- posted packets, by kind ---
  logic [3:0]   pk;
  logic [127:0] pd;
  logic [4:0]   pb;
  logic         pf, pl, pv, p_room, packets_ready, writes_ready;
  wire          finepack = pk == 4'(glk_flit::FINEPACK);
  assign p_ready = p_room && ready;
  glk_skid #(.W(4 + 128 + 5 + 2)) posted (
    .clk, .rst(forget), .s_data({p_kind, p_data, p_bytes, p_first, p_last}), .s_valid(p_valid && ready), .s_ready(p_room),
    .m_data({pk, pd, pb, pf, pl}), .m_valid(pv), .m_ready(finepack ? packets_ready : writes_ready));

  logic [DATA_W-1:0] k_data, w_data;
  logic [KW-1:0]     k_bytes, w_bytes;
  logic              k_last, k_valid, k_ready, w_last, w_valid, w_ready;
  logic [3:0]        denied_partition, arrived_partition;
  logic              denied_valid, denied_ready, arrived_valid, arrived_ready;
  logic              packets_idle, writes_idle, given_idle, requests_idle;
  glk_serve_packets #(.DATA_W(DATA_W)) packets (
    .clk, .rst, .session, .open, .s_data(pd), .s_bytes(pb), .s_first(pf), .s_last(pl), .s_valid(pv && finepack), .s_ready(packets_ready),
    .m_data(k_data), .m_bytes(k_bytes), .m_last(k_last), .m_valid(k_valid), .m_ready(k_ready),
    .denied_partition, .denied_valid, .denied_ready, .e_malformed, .idle(packets_idle));

  logic [3:0]        done_partition;
  logic              done_write, done_refused, done_valid;
  logic [PARTITIONS-1:0] w_take, n_take, z_take;
  logic [31:0]       wa_data, za_data;
  logic [95:0]       na_data;
  logic              wa_valid, wa_ready, za_valid, za_ready, na_valid, na_ready;
  glk_serve_writes #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS)) writes (
    .clk, .rst, .session, .open, .ep_bytes, .s_data(pd), .s_last(pl), .s_valid(pv && !finepack), .s_ready(writes_ready),
    .m_data(w_data), .m_bytes(w_bytes), .m_last(w_last), .m_valid(w_valid), .m_ready(w_ready),
    .done_valid(done_valid && done_write), .done_refused, .arrived_partition, .arrived_valid, .arrived_ready,
    .each_take(w_take), .each_reached, .fail_valid, .fail_partition,
    .a_data(wa_data), .a_valid(wa_valid), .a_ready(wa_ready), .idle(writes_idle));

  glk_serve_given #(.DATA_W(DATA_W)) given (
    .clk, .rst, .session, .p_data(k_data), .p_bytes(k_bytes), .p_last(k_last), .p_valid(k_valid), .p_ready(k_ready),
    .w_data, .w_bytes, .w_last, .w_valid, .w_ready, .lr_data, .lr_bytes, .lr_last, .lr_valid, .lr_ready, .other_done, .other_refused,
    .done_partition, .done_write, .done_refused, .done_valid, .idle(given_idle));

  // --- requests ---
  logic [3:0]   rk;
  logic [127:0] rd;
  logic         rl, rv, r_room, requests_ready;
  assign r_ready = r_room && ready;
  glk_skid #(.W(4 + 128 + 1)) requested (
    .clk, .rst(forget), .s_data({r_kind, r_data, r_last}), .s_valid(r_valid && ready), .s_ready(r_room),
    .m_data({rk, rd, rl}), .m_valid(rv), .m_ready(requests_ready));

  logic [3:0]   z_partition;
  logic [15:0]  z_tag, z_busy, n_tag, n_asked, t_tag, t_asked;
  logic [31:0]  z_count;
  logic         z_valid, n_atomic, n_refused, n_valid, n_ready, h_valid, t_valid, t_ready, reads_idle;
  logic [PW-1:0] n_partition;
  logic [47:0]  n_offset;
  logic [6:0]   n_length;
  logic [1:0]   t_status;
  glk_serve_requests #(.PARTITIONS(PARTITIONS)) requests (
    .clk, .rst, .session, .open, .ep_bytes, .s_kind(rk), .s_data(rd), .s_last(rl), .s_valid(rv), .s_ready(requests_ready),
    .z_partition, .z_tag, .z_count, .z_valid, .z_busy,
    .n_atomic, .n_refused, .n_tag, .n_asked, .n_partition, .n_offset, .n_length, .n_valid, .n_ready, .h_error(g_error), .h_line(g_line), .h_valid,
    .lock, .locked, .o_partition, .o_offset, .o_length, .o_data, .o_valid, .o_ready,
    .each_take(n_take), .each_reached, .fail_valid, .fail_partition,
    .a_data(na_data), .a_valid(na_valid), .a_ready(na_ready), .idle(requests_idle));

  glk_serve_reads #(.PARTITIONS(PARTITIONS)) reads (
    .clk, .rst, .session, .s_atomic(n_atomic), .s_refused(n_refused), .s_tag(n_tag), .s_asked(n_asked), .s_partition(n_partition),
    .s_offset(n_offset), .s_length(n_length), .s_valid(n_valid), .s_ready(n_ready),
    .l_partition, .l_offset, .l_length, .l_valid, .l_ready, .g_error, .g_valid, .g_ready, .h_valid,
    .t_tag, .t_asked, .t_status, .t_valid, .t_ready, .idle(reads_idle));

  glk_serve_releases #(.PARTITIONS(PARTITIONS)) releases (
    .clk, .rst, .session, .ready, .done_partition, .done_write, .done_refused, .done_valid,
    .denied_partition, .denied_valid, .denied_ready, .arrived_partition, .arrived_valid, .arrived_ready,
    .fail_valid, .fail_partition,
    .s_partition(z_partition), .s_tag(z_tag), .s_count(z_count), .s_valid(z_valid), .busy(z_busy),
    .each_take(z_take), .each_reached, .a_data(za_data), .a_valid(za_valid), .a_ready(za_ready));
  assign each_take = w_take | n_take | z_take;

  // --- responses ---
  logic [127:0] ta_data;
  logic         ta_last, ta_valid, ta_ready, a_served, a_denied;
  glk_trim trim (
    .clk, .rst(forget), .s_tag(t_tag), .s_asked(t_asked), .s_status(t_status), .s_line(g_line), .s_valid(t_valid), .s_ready(t_ready),
    .m_data(ta_data), .m_last(ta_last), .m_valid(ta_valid), .m_ready(ta_ready), .e_trimmed, .e_bytes(e_trimmed_bytes));
  glk_serve_answers answers (
    .clk, .rst(forget), .z_data(za_data), .z_valid(za_valid), .z_ready(za_ready), .n_data(na_data), .n_valid(na_valid), .n_ready(na_ready),
    .w_data(wa_data), .w_valid(wa_valid), .w_ready(wa_ready), .t_data(ta_data), .t_last(ta_last), .t_valid(ta_valid), .t_ready(ta_ready),
    .m_kind, .m_data, .m_last, .m_valid, .m_ready, .e_served(a_served), .e_denied(a_denied));

  glk_pulses served (.clk, .rst, .a(a_served), .b(done_valid && !done_write && !done_refused), .e(e_served));
  glk_pulses denied (.clk, .rst, .a(a_denied), .b(denied_valid && denied_ready), .e(e_denied));

  always_ff @(posedge clk)
    idle <= packets_idle && writes_idle && given_idle && requests_idle && reads_idle && !rst;

  wire unused = &{1'b0, r_bytes, r_first};
endmodule
`default_nettype wire
