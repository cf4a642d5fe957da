// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Card-to-card link (docs/link-format.md): cluster queue, link layer and unstitching; requester side (glk_remote_send,
// glk_remote_ask) and completer side (glk_serve); session control.
//
// `session` is the session state seen by these blocks. It falls when the link layer's session ends, and stays low until all
// blocks and buffers are flushed, except for packets that wait in glk_remote_send and before: those leave in the next session. Flits of a new session are held in the link layer meanwhile, and its credits are held
// here.
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
  input  logic [DATA_W-1:0] t_data,
  input  logic [KW-1:0]     t_bytes,
  input  logic              t_last,
  input  logic              t_valid,
  output logic              t_ready,
  output logic [DATA_W-1:0] o_data,
  output logic [KW-1:0]     o_bytes,
  output logic              o_last,
  output logic              o_valid,
  input  logic              o_ready,
  output logic              posted_valid,
  output logic [PW-1:0]     posted_partition,
  input  logic              posted_ready,
  input  logic              hold,
  output logic              e_passed,
  output logic              e_passed_remote,
  output logic              e_arrived,

  // Flush reads, marks, failures: see glk_acknowledge
  input  logic [PW-1:0]     q_partition,
  input  logic              q_valid,
  output logic              q_ready,
  output logic [PW-1:0]     a_partition,
  output logic              a_error,
  output logic              a_one,
  output logic              a_lost,
  output logic              a_valid,
  input  logic              a_ready,
  input  logic [PARTITIONS-1:0] under_way,
  output logic [PARTITIONS-1:0] each_take,
  input  logic [PARTITIONS-1:0] each_reached,
  input  logic              fail_valid,
  input  logic [PW-1:0]     fail_partition,
  input  logic [31:0]       fail_count,
  input  logic              fail_lost,

  // Loads from the other card: see glk_load
  input  logic [PW-1:0]     y_partition,
  input  logic [47:0]       y_offset,
  input  logic [12:0]       y_length,
  input  logic              y_atomic,
  input  logic [1:0]        y_operation,
  input  logic [63:0]       y_operand,
  input  logic [63:0]       y_compare,
  input  logic              y_valid,
  output logic              y_ready,
  output logic              z_error,
  output logic [DATA_W-1:0] z_data,
  output logic              z_last,
  output logic              z_valid,

  // Packets of the other card, to the receiver
  output logic [DATA_W-1:0] lr_data,
  output logic [KW-1:0]     lr_bytes,
  output logic              lr_last,
  output logic              lr_valid,
  input  logic              lr_ready,
  input  logic              other_done,
  input  logic              other_refused,

  // Loads of the other card, and writes of its atomics
  output logic [PW-1:0]     l_partition,
  output logic [47:0]       l_offset,
  output logic [6:0]        l_length,
  output logic              l_valid,
  input  logic              l_ready,
  input  logic              g_error,
  input  logic [511:0]      g_line,
  input  logic              g_valid,
  output logic              g_ready,
  output logic              lock,
  input  logic              locked,
  output logic [PW-1:0]     w_partition,
  output logic [47:0]       w_offset,
  output logic [3:0]        w_length,
  output logic [63:0]       w_data,
  output logic              w_valid,
  input  logic              w_ready,

  // Wire
  input  logic [127:0]      li_data,
  input  logic              li_control,
  input  logic              li_valid,
  input  logic              li_cut,
  output logic [127:0]      lo_data,
  output logic              lo_control,
  output logic              lo_valid,
  input  logic              lo_go,

  // Registers of block LINK
  input  logic [8:0]        l_word,
  output logic [63:0]       l_shown,
  input  logic [63:0]       l_value,
  output logic              l_allowed,
  input  logic              l_take,
  input  logic              snapshot,
  output logic              l_snapshot_done,
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
    .clk, .rst, .clear, .word(l_word), .shown(l_shown), .value(l_value), .allowed(l_allowed), .take(l_take), .snapshot, .snapshot_done(l_snapshot_done),
    .cfg_enable, .cfg_stitching, .cfg_pooling, .cfg_selective, .cfg_sequencing, .cfg_trimming, .cfg_yielding, .cfg_pool_cycles, .cfg_burst,
    .cfg_trim_code, .cfg_timeout_ns, .cluster, .up, .session(alive), .peer_cluster, .peer_compact, .peer_serial, .places,
    .e_flit, .e_packet, .e_kind, .e_refused, .e_stitched, .e_partial, .e_parent, .e_out, .e_padded, .e_pooled, .e_pool_stitched, .e_pool_timed_out,
    .w_valid(waited_valid), .w_kind(waited_kind), .w_clocks(waited_clocks), .e_up(x_up), .e_resumed(x_resumed), .e_down,
    .e_frame_sent, .e_frame_received, .e_replay, .e_frame_replayed, .e_frame_repeated, .e_crc, .e_sequence, .e_protocol, .e_version,
    .e_flit_received, .e_credit_stall, .e_stray, .e_timeout(ask_timeout), .e_given_up(gives_up), .e_lost(fail_valid && fail_lost), .e_lost_packets(fail_count[15:0]),
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
    .t_data, .t_bytes, .t_last, .t_valid, .t_ready, .o_data, .o_bytes, .o_last, .o_valid, .o_ready,
    .m_data(fs_data), .m_last(fs_last), .m_valid(fs_valid), .m_ready(fs_ready),
    .sent_valid, .sent_remote, .lost_valid, .lost_partition, .posted_valid, .posted_partition, .posted_ready, .e_passed, .e_passed_remote, .e_arrived);

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
    .q_partition, .q_valid, .q_ready, .a_partition, .a_error, .a_one, .a_lost, .a_valid, .a_ready,
    .l_partition(y_partition), .l_offset(y_offset), .l_length(y_length), .l_atomic(y_atomic), .l_operation(y_operation),
    .l_operand(y_operand), .l_compare(y_compare), .l_valid(y_valid), .l_ready(y_ready),
    .b_error(z_error), .b_data(z_data), .b_last(z_last), .b_valid(z_valid),
    .each_take(remote_take), .each_reached, .is_remote(ep_remote), .ask_valid, .ask_partition, .look_partition, .look_remote_bytes,
    .m_kind(fa_kind), .m_data(fa_data), .m_last(fa_last), .m_valid(fa_valid), .m_ready(fa_ready),
    .s_kind(r_kind[11:8]), .s_data(r_data[383:256]), .s_bytes(r_bytes[14:10]), .s_first(r_first[2]), .s_last(r_last[2]),
    .s_valid(r_valid[2]), .s_ready(r_ready[2]), .e_stray, .e_timeout(ask_timeout), .idle(ask_idle));

  glk_serve #(.DATA_W(DATA_W), .PARTITIONS(PARTITIONS)) serve (
    .clk, .rst, .session, .enabled, .ep_kind, .ep_bytes, .ep_open,
    .p_kind(r_kind[3:0]), .p_data(r_data[127:0]), .p_bytes(r_bytes[4:0]), .p_first(r_first[0]), .p_last(r_last[0]),
    .p_valid(r_valid[0]), .p_ready(r_ready[0]),
    .r_kind(r_kind[7:4]), .r_data(r_data[255:128]), .r_bytes(r_bytes[9:5]), .r_first(r_first[1]), .r_last(r_last[1]),
    .r_valid(r_valid[1]), .r_ready(r_ready[1]),
    .lr_data, .lr_bytes, .lr_last, .lr_valid, .lr_ready, .other_done, .other_refused,
    .each_take(own_take), .each_reached, .fail_valid, .fail_partition,
    .l_partition, .l_offset, .l_length, .l_valid, .l_ready, .g_error, .g_line, .g_valid, .g_ready,
    .lock, .locked, .o_partition(w_partition), .o_offset(w_offset), .o_length(w_length), .o_data(w_data), .o_valid(w_valid),
    .o_ready(w_ready), .m_kind(sv_kind), .m_data(sv_data), .m_last(sv_last), .m_valid(sv_valid), .m_ready(sv_ready),
    .e_served, .e_denied, .e_malformed, .e_trimmed, .e_trimmed_bytes, .idle(serve_idle));

  glk_flit_mux #(.N(3)) flits (
    .clk, .rst(!session), .s_kind({sv_kind, fa_kind, 4'(glk_flit::FINEPACK)}), .s_data({sv_data, fa_data, fs_data}),
    .s_last({sv_last, fa_last, fs_last}), .s_valid({sv_valid, fa_valid, fs_valid}), .s_ready({sv_ready, fa_ready, fs_ready}),
    .m_kind(in_kind), .m_data(in_data), .m_valid(in_valid), .m_ready(in_ready));

  // --- credits are held until the session is visible ---
  logic          c_valid, more_valid;
  logic [1:0]    c_class, more_class, at;
  logic [11:0]   c_pieces, more_pieces;
  logic [3*12-1:0] waiting, waiting_next;
  always_comb begin
    for (int k = 0; k < 3; k = k + 1)
      waiting_next[12*k +: 12] = ((ended || (session && at == 2'(k))) ? 12'd0 : waiting[12*k +: 12]) +
                                 ((c_valid && c_class == 2'(k)) ? c_pieces : 12'd0);
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
    .clk, .rst(rst || !session), .cfg_stitching, .cfg_pooling, .cfg_selective, .cfg_yielding, .cfg_sequencing, .cfg_pool_cycles, .cfg_burst,
    .s_kind(in_kind), .s_data(in_data), .s_valid(in_valid), .s_ready(in_ready), .places,
    .c_valid(more_valid), .c_class(more_class), .c_pieces(more_pieces),
    .m_type(s_type), .m_data(s_data), .m_pieces(s_pieces), .m_valid(q_valid_out), .m_ready(s_ready && session),
    .e_flit, .e_packet, .e_kind, .e_bytes(unused_bytes), .e_refused, .e_stitched, .e_stitched_kind(unused_kind), .e_partial, .e_parent, .e_out,
    .e_padded, .e_pooled, .e_pool_stitched, .e_pool_timed_out, .e_starved(e_credit_stall), .w_valid(waited_valid), .w_kind(waited_kind), .w_clocks(waited_clocks));

  // --- link layer ---
  logic [4:0]   f_type;
  logic [127:0] f_data;
  logic         f_valid, f_ready, wrong, ll_valid, unused_word;
  logic [3*12-1:0] freed;
  always_comb
    for (int k = 0; k < 3; k = k + 1)
      freed[12*k +: 12] = 12'(r_valid[k] && r_ready[k]);
  glk_link_layer layer (
    .clk, .rst, .cfg_serial(serial), .cfg_compact(1'b1), .cfg_cluster(cluster), .cfg_session(first_session), .cfg_room({3{12'(ROOM)}}),
    .cfg_replay(32'(REPLAY)), .cfg_ack(32'(ACK)), .cfg_hello(32'(HELLO)),
    .s_type, .s_data, .s_pieces, .s_valid(q_valid_out && session), .s_ready, .c_valid, .c_class, .c_pieces,
    .m_type(f_type), .m_data(f_data), .m_valid(f_valid), .m_ready(f_ready && session), .m_refused(wrong && session), .m_freed(freed),
    .i_data(li_data), .i_control(li_control), .i_valid(li_valid && cfg_enable), .i_cut(li_cut), .i_reset(!cfg_enable || halt || gives_up),
    .o_data(lo_data), .o_control(lo_control), .o_valid(ll_valid), .o_go(lo_go), .up, .peer_serial, .peer_cluster, .peer_compact,
    .e_up(x_up), .e_resumed(x_resumed), .e_lost(x_lost), .e_ended(x_ended), .e_down, .e_frame_sent, .e_frame_received,
    .e_word_sent(unused_word), .e_replay, .e_frame_replayed, .e_frame_repeated, .e_crc, .e_sequence, .e_protocol, .e_version);
  assign lo_valid        = ll_valid && cfg_enable;
  assign e_flit_received = f_valid && f_ready && session;

  // --- received pieces ---
  glk_cluster_rx #(.ROOM(ROOM)) pieces (
    .clk, .rst(rst || !session), .s_type(f_type), .s_data(f_data), .s_valid(f_valid && session), .s_ready(f_ready),
    .m_kind(r_kind), .m_data(r_data), .m_bytes(r_bytes), .m_first(r_first), .m_last(r_last), .m_valid(r_valid), .m_ready(r_ready),
    .error(wrong));

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
      assert (!(gives_up && given_up != 4'd0)); // only once until the session has ended
  end
`endif
  assign idle       = ask_idle && serve_idle;
  wire unused = &{1'b0, fail_count[31:16], x_lost, unused_word, unused_bytes, unused_kind};
endmodule
`default_nettype wire
