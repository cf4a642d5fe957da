// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Card-to-card link (docs/link-format.md): cluster queue, link layer and unstitching; requester side (glk_remote_send,
// glk_remote_ask) and completer side (glk_serve); session control.
//
// `session` is the session state seen by these blocks. It falls when the link layer's session ends, and stays low until all
// blocks and buffers are flushed, except for packets that wait in glk_remote_send and before: those leave in the next session.
// Flits of a new session are held in the link layer meanwhile, and its credits are held here.
module glk_card_link #(
  parameter int DATA_W     = 512,
  parameter int PARTITIONS = 16,
  parameter int REPLAY     = 1024, // replay timer: clocks without an acknowledgement
  parameter int ACK        = 16,   // maximum delay of an acknowledgement
  parameter int HELLO      = 4096, // keep-alive interval
  parameter int LANES      = DATA_W / 8,
  parameter int KW         = $clog2(LANES + 1),
  parameter int PW         = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1
) (
  input  logic              clk,
  input  logic              rst,
  input  logic              clear,      // the reset of the card is done
  input  logic              halt,       // a reset is in progress: ends the session
  input  logic [63:0]       now_ns,
  input  logic [63:0]       serial,
  input  logic [7:0]        cluster,
  input  logic [15:0]       first_session,

  // Card settings
  input  logic              enabled,
  input  logic [PARTITIONS*2-1:0]  ep_kind,
  input  logic [PARTITIONS*37-1:0] ep_bytes,
  input  logic [PARTITIONS-1:0]    ep_open,
  input  logic [PARTITIONS-1:0]    ep_remote,
  input  logic [PARTITIONS*4-1:0]  remote_partition,
  input  logic              ask_valid,
  input  logic [PW-1:0]     ask_partition,
  input  logic [PW-1:0]     look_partition,
  output logic [63:0]       look_remote_bytes,

  // Link status
  output logic              up,
  output logic              peer_compact, // the other card accepts the compact form
  output logic              idle,

  // Packets of the card, and those of them to its own endpoints
  input  logic [DATA_W-1:0] packet_data,
  input  logic [KW-1:0]     packet_bytes,
  input  logic              packet_last,
  input  logic              packet_valid,
  output logic              packet_ready,
  output logic [DATA_W-1:0] own_data,
  output logic [KW-1:0]     own_bytes,
  output logic              own_last,
  output logic              own_valid,
  input  logic              own_ready,
  output logic              posted_valid,
  output logic [PW-1:0]     posted_partition,
  input  logic              posted_ready,
  input  logic              hold,
  output logic              e_passed,
  output logic              e_passed_remote,
  output logic              e_arrived,

  // Flush reads, marks, failures: see glk_acknowledge
  input  logic [PW-1:0]     flush_partition,
  input  logic              flush_valid,
  output logic              flush_ready,
  output logic [PW-1:0]     flush_q_partition,
  output logic              flush_q_error,
  output logic              flush_q_one,
  output logic              flush_q_lost,
  output logic              flush_q_valid,
  input  logic              flush_q_ready,
  input  logic [PARTITIONS-1:0] under_way,
  output logic [PARTITIONS-1:0] each_take,
  input  logic [PARTITIONS-1:0] each_reached,
  input  logic              fail_valid,
  input  logic [PW-1:0]     fail_partition,
  input  logic [31:0]       fail_count,
  input  logic              fail_lost,

  // Loads from the other card: see glk_load
  input  logic [PW-1:0]     away_partition,
  input  logic [47:0]       away_offset,
  input  logic [12:0]       away_length,
  input  logic              away_atomic,
  input  logic [1:0]        away_operation,
  input  logic [63:0]       away_operand,
  input  logic [63:0]       away_compare,
  input  logic              away_valid,
  output logic              away_ready,
  output logic              away_q_error,
  output logic [DATA_W-1:0] away_q_data,
  output logic              away_q_last,
  output logic              away_q_valid,

  // Packets of the other card, to the receiver
  output logic [DATA_W-1:0] inject_data,
  output logic [KW-1:0]     inject_bytes,
  output logic              inject_last,
  output logic              inject_valid,
  input  logic              inject_ready,
  input  logic              other_done,
  input  logic              other_refused,

  // Loads of the other card, and writes of its atomics
  output logic [PW-1:0]     serve_partition,
  output logic [47:0]       serve_offset,
  output logic [6:0]        serve_length,
  output logic              serve_valid,
  input  logic              serve_ready,
  input  logic              serve_q_error,
  input  logic [511:0]      serve_q_line,
  input  logic              serve_q_valid,
  output logic              serve_q_ready,
  output logic              lock,
  input  logic              locked,
  output logic [PW-1:0]     atomic_partition,
  output logic [47:0]       atomic_offset,
  output logic [3:0]        atomic_length,
  output logic [63:0]       atomic_data,
  output logic              atomic_valid,
  input  logic              atomic_ready,

  // Wire
  input  logic [127:0]      link_in_data,
  input  logic              link_in_control,
  input  logic              link_in_valid,
  input  logic              link_in_cut,
  output logic [127:0]      link_out_data,
  output logic              link_out_control,
  output logic              link_out_valid,
  input  logic              link_out_go,

  // Registers of block LINK
  input  logic [8:0]        link_word,
  output logic [63:0]       link_shown,
  input  logic [63:0]       link_value,
  output logic              link_allowed,
  input  logic              link_take,
  input  logic              snapshot,
  output logic              link_snapshot_done,
  output logic              e_link,     // link up or down
  output logic              e_malformed // malformed packet of the other card
);
  localparam int FLITS = 1024; // cluster queue capacity: 16 KiB, as in the paper
  localparam int ROOM  = 512; // receive buffer in pieces, per class

  // --- settings and counters ---
  logic       alive; // the link layer has a session
  logic       cfg_enable, cfg_stitching, cfg_pooling, cfg_selective, cfg_sequencing, cfg_trimming, cfg_yielding;
  logic [7:0] cfg_pool_cycles, cfg_burst;
  logic [1:0] cfg_trim_code;
  logic [33:0] cfg_timeout_ns;
  logic       session;
  logic [63:0] peer_serial;
  logic [7:0] peer_cluster;
  logic [10:0] places;
  logic       e_down, e_flit, e_packet, e_out, e_padded, e_parent, e_stitched, e_partial, e_pooled, e_pool_timed_out, e_refused;
  logic [3:0] e_kind, waited_kind;
  logic [1:0] e_pool_stitched;
  logic       waited_valid;
  logic [14:0] waited_clocks;
  logic       e_trimmed, e_flit_received, e_frame_sent, e_frame_received, e_replay, e_frame_replayed, e_frame_repeated;
  logic [5:0] e_trimmed_bytes;
  logic       e_crc, e_sequence, e_protocol, e_version, e_credit_stall, e_stray, e_served, e_denied;
  logic       ask_timeout, lost_valid, gives_up, x_up, x_ended, x_resumed, x_lost;
  glk_link_registers #(.FLITS(FLITS)) registers (
    .clk, .rst, .clear, .word(link_word), .shown(link_shown), .value(link_value), .allowed(link_allowed), .take(link_take),
    .snapshot, .snapshot_done(link_snapshot_done),
    .cfg_enable, .cfg_stitching, .cfg_pooling, .cfg_selective, .cfg_sequencing, .cfg_trimming, .cfg_yielding, .cfg_pool_cycles,
    .cfg_burst, .cfg_trim_code, .cfg_timeout_ns, .cluster, .up, .session(alive), .peer_cluster, .peer_compact, .peer_serial,
    .places, .e_flit, .e_packet, .e_kind, .e_refused, .e_stitched, .e_partial, .e_parent, .e_out, .e_padded, .e_pooled,
    .e_pool_stitched, .e_pool_timed_out, .wait_valid(waited_valid), .wait_kind(waited_kind), .wait_clocks(waited_clocks),
    .e_up(x_up), .e_resumed(x_resumed), .e_down, .e_frame_sent, .e_frame_received, .e_replay, .e_frame_replayed,
    .e_frame_repeated, .e_crc, .e_sequence, .e_protocol, .e_version, .e_flit_received, .e_credit_stall, .e_stray,
    .e_timeout(ask_timeout), .e_given_up(gives_up), .e_lost(fail_valid && fail_lost), .e_lost_packets(fail_count[15:0]),
    .e_served, .e_denied, .e_trimmed, .e_trimmed_bytes, .e_link);

  // --- session ---
  logic       ended;
  logic [7:0] forgetting;
  assign ended = x_ended;
  always_ff @(posedge clk) begin
    if (x_up)
      alive <= 1'b1;
    else if (x_ended)
      alive <= 1'b0;
    if (x_ended)
      forgetting <= '1;
    else if (forgetting != '0)
      forgetting <= forgetting - 8'd1;
    session <= alive && !x_ended && forgetting == '0;
    if (rst) begin
      alive      <= 1'b0;
      forgetting <= '1;
      session    <= 1'b0;
    end
  end

  // --- transmit packets ---
  logic [127:0] fs_data, fa_data, sv_data, in_data;
  logic [3:0]   fa_kind, sv_kind, in_kind;
  logic         fs_last, fs_valid, fs_ready, fa_last, fa_valid, fa_ready, sv_last, sv_valid, sv_ready, in_valid, in_ready;
  logic         sent_valid;
  logic [3:0]   sent_remote;
  logic [PW-1:0] lost_partition;
  glk_remote_send #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS)) remote_send (
    .clk, .rst, .session, .peer_compact, .hold, .ep_remote, .remote_partition,
    .packet_data, .packet_bytes, .packet_last, .packet_valid, .packet_ready, .own_data, .own_bytes, .own_last, .own_valid,
    .own_ready,
    .m_data(fs_data), .m_last(fs_last), .m_valid(fs_valid), .m_ready(fs_ready),
    .sent_valid, .sent_remote, .lost_valid, .lost_partition, .posted_valid, .posted_partition, .posted_ready, .e_passed,
    .e_passed_remote, .e_arrived);

  logic [3*4-1:0]   r_kind;
  logic [3*128-1:0] r_data;
  logic [3*5-1:0]   r_bytes;
  logic [2:0]       r_first, r_last, r_valid, r_ready;
  logic [PARTITIONS-1:0] remote_take, own_take;
  logic             ask_idle, serve_idle;
  assign each_take = remote_take | own_take; // remote and local partitions
  glk_remote_ask #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS)) remote_ask (
    .clk, .rst(rst || clear), .session, .now_ns, .cfg_trimming, .cfg_trim_code, .cfg_timeout_ns, .remote_partition,
    .sent_valid, .sent_remote, .lost_valid, .lost_partition, .under_way,
    .flush_partition, .flush_valid, .flush_ready, .flush_q_partition, .flush_q_error, .flush_q_one, .flush_q_lost,
    .flush_q_valid, .flush_q_ready,
    .load_partition(away_partition), .load_offset(away_offset), .load_length(away_length), .load_atomic(away_atomic),
    .load_operation(away_operation), .load_operand(away_operand), .load_compare(away_compare), .load_valid(away_valid),
    .load_ready(away_ready), .load_q_error(away_q_error), .load_q_data(away_q_data), .load_q_last(away_q_last),
    .load_q_valid(away_q_valid),
    .each_take(remote_take), .each_reached, .is_remote(ep_remote), .ask_valid, .ask_partition, .look_partition,
    .look_remote_bytes, .m_kind(fa_kind), .m_data(fa_data), .m_last(fa_last), .m_valid(fa_valid), .m_ready(fa_ready),
    .s_kind(r_kind[11:8]), .s_data(r_data[383:256]), .s_bytes(r_bytes[14:10]), .s_first(r_first[2]), .s_last(r_last[2]),
    .s_valid(r_valid[2]), .s_ready(r_ready[2]), .e_stray, .e_timeout(ask_timeout), .idle(ask_idle));

  glk_serve #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS)) serve (
    .clk, .rst, .session, .enabled, .ep_kind, .ep_bytes, .ep_open,
    .posted_kind(r_kind[3:0]), .posted_data(r_data[127:0]), .posted_bytes(r_bytes[4:0]), .posted_first(r_first[0]),
    .posted_last(r_last[0]), .posted_valid(r_valid[0]), .posted_ready(r_ready[0]),
    .request_kind(r_kind[7:4]), .request_data(r_data[255:128]), .request_bytes(r_bytes[9:5]), .request_first(r_first[1]),
    .request_last(r_last[1]), .request_valid(r_valid[1]), .request_ready(r_ready[1]),
    .inject_data, .inject_bytes, .inject_last, .inject_valid, .inject_ready, .other_done, .other_refused,
    .each_take(own_take), .each_reached, .fail_valid, .fail_partition,
    .load_partition(serve_partition), .load_offset(serve_offset), .load_length(serve_length), .load_valid(serve_valid),
    .load_ready(serve_ready), .load_q_error(serve_q_error), .load_q_line(serve_q_line), .load_q_valid(serve_q_valid),
    .load_q_ready(serve_q_ready),
    .lock, .locked, .atomic_partition, .atomic_offset, .atomic_length, .atomic_data, .atomic_valid,
    .atomic_ready, .m_kind(sv_kind), .m_data(sv_data), .m_last(sv_last), .m_valid(sv_valid), .m_ready(sv_ready),
    .e_served, .e_denied, .e_malformed, .e_trimmed, .e_trimmed_bytes, .idle(serve_idle));

  glk_flit_mux #(.N(3)) flits (
    .clk, .rst(!session), .s_kind({sv_kind, fa_kind, 4'(glk_flit::FINEPACK)}), .s_data({sv_data, fa_data, fs_data}),
    .s_last({sv_last, fa_last, fs_last}), .s_valid({sv_valid, fa_valid, fs_valid}), .s_ready({sv_ready, fa_ready, fs_ready}),
    .m_kind(in_kind), .m_data(in_data), .m_valid(in_valid), .m_ready(in_ready));

  // --- credits are held until the session is visible ---
  logic          credit_valid, more_valid;
  logic [1:0]    credit_class, more_class, at;
  logic [11:0]   credit_pieces, more_pieces;
  logic [3*12-1:0] waiting, waiting_next;
  always_comb begin
    for (int k = 0; k < 3; k = k + 1)
      waiting_next[12*k +: 12] = ((ended || (session && at == 2'(k))) ? 12'd0 : waiting[12*k +: 12]) +
                                 ((credit_valid && credit_class == 2'(k)) ? credit_pieces : 12'd0);
  end
  always_ff @(posedge clk) begin
    waiting     <= waiting_next;
    at          <= (at == 2'd2) ? 2'd0 : at + 2'd1;
    more_valid  <= session && !ended && waiting[12*at +: 12] != '0;
    more_class  <= at;
    more_pieces <= waiting[12*at +: 12];
    if (rst) begin
      waiting    <= '0;
      at         <= '0;
      more_valid <= 1'b0;
    end
  end

  // --- cluster queue ---
  logic         q_valid_out, s_ready;
  logic [4:0]   s_type;
  logic [127:0] s_data;
  logic [8:0]   s_pieces;
  logic [4:0]   unused_bytes;
  logic [3:0]   unused_kind;
  glk_cluster_tx #(.FLITS(FLITS)) queue (
    .clk, .rst(rst || !session), .cfg_stitching, .cfg_pooling, .cfg_selective, .cfg_yielding, .cfg_sequencing, .cfg_pool_cycles,
    .cfg_burst, .s_kind(in_kind), .s_data(in_data), .s_valid(in_valid), .s_ready(in_ready), .places,
    .credit_valid(more_valid), .credit_class(more_class), .credit_pieces(more_pieces),
    .m_type(s_type), .m_data(s_data), .m_pieces(s_pieces), .m_valid(q_valid_out), .m_ready(s_ready && session),
    .e_flit, .e_packet, .e_kind, .e_bytes(unused_bytes), .e_refused, .e_stitched, .e_stitched_kind(unused_kind), .e_partial,
    .e_parent, .e_out, .e_padded, .e_pooled, .e_pool_stitched, .e_pool_timed_out, .e_starved(e_credit_stall),
    .wait_valid(waited_valid), .wait_kind(waited_kind), .wait_clocks(waited_clocks));

  // --- link layer ---
  logic [4:0]   f_type;
  logic [127:0] f_data;
  logic         f_valid, f_ready, wrong, ll_valid, unused_word;
  logic [3*12-1:0] freed;
  always_comb
    for (int k = 0; k < 3; k = k + 1)
      freed[12*k +: 12] = 12'(r_valid[k] && r_ready[k]);
  glk_link_layer layer (
    .clk, .rst, .cfg_serial(serial), .cfg_compact(1'b1), .cfg_cluster(cluster), .cfg_session(first_session),
    .cfg_room({3{12'(ROOM)}}), .cfg_replay(32'(REPLAY)), .cfg_ack(32'(ACK)), .cfg_hello(32'(HELLO)),
    .s_type, .s_data, .s_pieces, .s_valid(q_valid_out && session), .s_ready, .credit_valid, .credit_class, .credit_pieces,
    .m_type(f_type), .m_data(f_data), .m_valid(f_valid), .m_ready(f_ready && session), .m_refused(wrong && session),
    .m_freed(freed), .link_in_data, .link_in_control, .link_in_valid(link_in_valid && cfg_enable), .link_in_cut,
    .link_in_reset(!cfg_enable || halt || gives_up), .link_out_data, .link_out_control, .link_out_valid(ll_valid), .link_out_go,
    .up, .peer_serial, .peer_cluster, .peer_compact,
    .e_up(x_up), .e_resumed(x_resumed), .e_lost(x_lost), .e_ended(x_ended), .e_down, .e_frame_sent, .e_frame_received,
    .e_word_sent(unused_word), .e_replay, .e_frame_replayed, .e_frame_repeated, .e_crc, .e_sequence, .e_protocol, .e_version);
  assign link_out_valid  = ll_valid && cfg_enable;
  assign e_flit_received = f_valid && f_ready && session;

  // --- received pieces ---
  glk_cluster_rx #(.ROOM(ROOM)) pieces (
    .clk, .rst(rst || !session), .s_type(f_type), .s_data(f_data), .s_valid(f_valid && session), .s_ready(f_ready),
    .m_kind(r_kind), .m_data(r_data), .m_bytes(r_bytes), .m_first(r_first), .m_last(r_last), .m_valid(r_valid),
    .m_ready(r_ready), .error(wrong));

  // --- link timeout: the session ends if the link is down, or accepts no packet, for too long ---
  logic        waits, waited, late;
  logic [63:0] until_ns;
  always_ff @(posedge clk) begin
    waits    <= (alive && !up) || (in_valid && !in_ready);
    waited   <= waits;
    if (!waits || !waited || gives_up)
      until_ns <= now_ns + 64'(cfg_timeout_ns);
    late     <= waits && waited && !late && !gives_up && now_ns >= until_ns;
    gives_up <= late && waits;
    if (rst) begin
      waits    <= 1'b0;
      waited   <= 1'b0;
      late     <= 1'b0;
      gives_up <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  wire        checks;
  logic [3:0] given_up; // clocks since the timeout
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk) begin
    given_up <= rst ? 4'd0 : gives_up ? 4'd15 : given_up - 4'(given_up != 4'd0);
    if (checks)
      begin : gives_up_once assert (!(gives_up && given_up != 4'd0)); end // only once until the session has ended
  end
`endif
  assign idle       = ask_idle && serve_idle;
  wire unused = &{1'b0, fail_count[31:16], x_lost, unused_word, unused_bytes, unused_kind};
endmodule
`default_nettype wire
