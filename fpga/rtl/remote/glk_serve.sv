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
  input  logic [3:0]        posted_kind,
  input  logic [127:0]      posted_data,
  input  logic [4:0]        posted_bytes,
  input  logic              posted_first,
  input  logic              posted_last,
  input  logic              posted_valid,
  output logic              posted_ready,

  // Requests
  input  logic [3:0]        request_kind,
  input  logic [127:0]      request_data,
  input  logic [4:0]        request_bytes,
  input  logic              request_first,
  input  logic              request_last,
  input  logic              request_valid,
  output logic              request_ready,

  // Packets for the receiver. other_done: in order, all writes of the oldest one are posted and counted as posted;
  // other_refused: it was refused or dropped. At most one per clock, not before its last beat was taken.
  output logic [DATA_W-1:0] inject_data,
  output logic [KW-1:0]     inject_bytes,
  output logic              inject_last,
  output logic              inject_valid,
  input  logic              inject_ready,
  input  logic              other_done,
  input  logic              other_refused,

  // Visibility of writes (each_*), and failed accesses of a partition; a failure is reported before each_reached of it
  output logic [PARTITIONS-1:0] each_take,
  input  logic [PARTITIONS-1:0] each_reached, // low in the clock after each_take
  input  logic              fail_valid,
  input  logic [PW-1:0]     fail_partition,

  // Loads, which do not cross a 64-byte line, and their answers, in order; bytes are at their place in the line
  output logic [PW-1:0]     load_partition,
  output logic [47:0]       load_offset,
  output logic [6:0]        load_length,
  output logic              load_valid,
  input  logic              load_ready,
  input  logic              load_q_error,
  input  logic [511:0]      load_q_line,
  input  logic              load_q_valid,
  output logic              load_q_ready,

  // Atomics: the rings issue none while `lock` and `locked`. After its falling edge lock stays low for at least 4 clocks,
  // by when locked is low again. The new value is `ready` when it is posted.
  output logic              lock,
  input  logic              locked,
  output logic [PW-1:0]     atomic_partition,
  output logic [47:0]       atomic_offset,
  output logic [3:0]        atomic_length,
  output logic [63:0]       atomic_data,
  output logic              atomic_valid,
  input  logic              atomic_ready,

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
      open[k] <= enabled && ep_open[k] && (ep_kind[2*k +: 2] == 2'(glk_regs::EP_BUS) ||
          ep_kind[2*k +: 2] == 2'(glk_regs::EP_POOL));
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
  assign posted_ready = p_room && ready;
  glk_skid #(.W(4 + 128 + 5 + 2)) posted (
    .clk, .rst(forget), .s_data({posted_kind, posted_data, posted_bytes, posted_first, posted_last}),
    .s_valid(posted_valid && ready), .s_ready(p_room),
    .m_data({pk, pd, pb, pf, pl}), .m_valid(pv), .m_ready(finepack ? packets_ready : writes_ready));

  logic [DATA_W-1:0] k_data, write_data;
  logic [KW-1:0]     k_bytes, write_bytes;
  logic              k_last, k_valid, k_ready, write_last, write_valid, write_ready;
  logic [3:0]        denied_partition, arrived_partition;
  logic              denied_valid, denied_ready, arrived_valid, arrived_ready;
  logic              packets_idle, writes_idle, given_idle, requests_idle;
  glk_serve_packets #(.DATA_W(DATA_W)) packets (
    .clk, .rst, .session, .open, .s_data(pd), .s_bytes(pb), .s_first(pf), .s_last(pl), .s_valid(pv && finepack),
    .s_ready(packets_ready), .m_data(k_data), .m_bytes(k_bytes), .m_last(k_last), .m_valid(k_valid), .m_ready(k_ready),
    .denied_partition, .denied_valid, .denied_ready, .e_malformed, .idle(packets_idle));

  logic [3:0]        done_partition;
  logic              done_write, done_refused, done_valid;
  logic [PARTITIONS-1:0] w_take, n_take, z_take;
  logic [31:0]       wa_data, za_data;
  logic [95:0]       na_data;
  logic              wa_valid, wa_ready, za_valid, za_ready, na_valid, na_ready;
  glk_serve_writes #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS)) writes (
    .clk, .rst, .session, .open, .ep_bytes, .s_data(pd), .s_last(pl), .s_valid(pv && !finepack), .s_ready(writes_ready),
    .m_data(write_data), .m_bytes(write_bytes), .m_last(write_last), .m_valid(write_valid), .m_ready(write_ready),
    .done_valid(done_valid && done_write), .done_refused, .arrived_partition, .arrived_valid, .arrived_ready,
    .each_take(w_take), .each_reached, .fail_valid, .fail_partition,
    .answer_data(wa_data), .answer_valid(wa_valid), .answer_ready(wa_ready), .idle(writes_idle));

  glk_serve_given #(.DATA_W(DATA_W)) given (
    .clk, .rst, .session, .packet_data(k_data), .packet_bytes(k_bytes), .packet_last(k_last), .packet_valid(k_valid),
    .packet_ready(k_ready),
    .write_data, .write_bytes, .write_last, .write_valid, .write_ready, .inject_data, .inject_bytes, .inject_last,
    .inject_valid, .inject_ready, .other_done, .other_refused,
    .done_partition, .done_write, .done_refused, .done_valid, .idle(given_idle));

  // --- requests ---
  logic [3:0]   rk;
  logic [127:0] rd;
  logic         rl, rv, r_room, requests_ready;
  assign request_ready = r_room && ready;
  glk_skid #(.W(4 + 128 + 1)) requested (
    .clk, .rst(forget), .s_data({request_kind, request_data, request_last}), .s_valid(request_valid && ready), .s_ready(r_room),
    .m_data({rk, rd, rl}), .m_valid(rv), .m_ready(requests_ready));

  logic [3:0]   release_partition;
  logic [15:0]  release_tag, release_busy, fetch_tag, fetch_asked, response_tag, response_asked;
  logic [31:0]  release_count;
  logic         release_valid, fetch_atomic, fetch_refused, fetch_valid, fetch_ready, old_valid, response_valid, response_ready,
                reads_idle;
  logic [PW-1:0] fetch_partition;
  logic [47:0]  fetch_offset;
  logic [6:0]   fetch_length;
  logic [1:0]   response_status;
  glk_serve_requests #(.PARTITIONS(PARTITIONS)) requests (
    .clk, .rst, .session, .open, .ep_bytes, .s_kind(rk), .s_data(rd), .s_last(rl), .s_valid(rv), .s_ready(requests_ready),
    .release_partition, .release_tag, .release_count, .release_valid, .release_busy,
    .fetch_atomic, .fetch_refused, .fetch_tag, .fetch_asked, .fetch_partition, .fetch_offset, .fetch_length, .fetch_valid,
    .fetch_ready, .old_error(load_q_error), .old_line(load_q_line), .old_valid,
    .lock, .locked, .atomic_partition, .atomic_offset, .atomic_length, .atomic_data, .atomic_valid, .atomic_ready,
    .each_take(n_take), .each_reached, .fail_valid, .fail_partition,
    .answer_data(na_data), .answer_valid(na_valid), .answer_ready(na_ready), .idle(requests_idle));

  glk_serve_reads #(.PARTITIONS(PARTITIONS)) reads (
    .clk, .rst, .session, .s_atomic(fetch_atomic), .s_refused(fetch_refused), .s_tag(fetch_tag), .s_asked(fetch_asked),
    .s_partition(fetch_partition), .s_offset(fetch_offset), .s_length(fetch_length), .s_valid(fetch_valid),
    .s_ready(fetch_ready), .load_partition, .load_offset, .load_length, .load_valid, .load_ready, .load_q_error, .load_q_valid,
    .load_q_ready, .old_valid, .response_tag, .response_asked, .response_status, .response_valid, .response_ready,
    .idle(reads_idle));

  glk_serve_releases #(.PARTITIONS(PARTITIONS)) releases (
    .clk, .rst, .session, .ready, .done_partition, .done_write, .done_refused, .done_valid,
    .denied_partition, .denied_valid, .denied_ready, .arrived_partition, .arrived_valid, .arrived_ready,
    .fail_valid, .fail_partition,
    .s_partition(release_partition), .s_tag(release_tag), .s_count(release_count), .s_valid(release_valid), .busy(release_busy),
    .each_take(z_take), .each_reached, .answer_data(za_data), .answer_valid(za_valid), .answer_ready(za_ready));
  assign each_take = w_take | n_take | z_take;

  // --- responses ---
  logic [127:0] ta_data;
  logic         ta_last, ta_valid, ta_ready, a_served, a_denied;
  glk_trim trim (
    .clk, .rst(forget), .s_tag(response_tag), .s_asked(response_asked), .s_status(response_status), .s_line(load_q_line),
    .s_valid(response_valid), .s_ready(response_ready),
    .m_data(ta_data), .m_last(ta_last), .m_valid(ta_valid), .m_ready(ta_ready), .e_trimmed, .e_bytes(e_trimmed_bytes));
  glk_serve_answers answers (
    .clk, .rst(forget), .release_data(za_data), .release_valid(za_valid), .release_ready(za_ready), .other_data(na_data),
    .other_valid(na_valid), .other_ready(na_ready),
    .write_data(wa_data), .write_valid(wa_valid), .write_ready(wa_ready), .read_data(ta_data), .read_last(ta_last),
    .read_valid(ta_valid), .read_ready(ta_ready),
    .m_kind, .m_data, .m_last, .m_valid, .m_ready, .e_served(a_served), .e_denied(a_denied));

  glk_pulses served (.clk, .rst, .a(a_served), .b(done_valid && !done_write && !done_refused), .e(e_served));
  glk_pulses denied (.clk, .rst, .a(a_denied), .b(denied_valid && denied_ready), .e(e_denied));

  always_ff @(posedge clk)
    idle <= packets_idle && writes_idle && given_idle && requests_idle && reads_idle && !rst;

  wire unused = &{1'b0, request_bytes, request_first};
endmodule
`default_nettype wire
