// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Packetizer: builds FinePack packets from flushed banks (docs/wire-format.md, "The packet"), one beat per clock.
//
// A packet is a sequence of chunks, one per clock: the sub-header of a run with up to LANES bytes of its data, or up to
// LANES further bytes. The packet header accompanies the first chunk, or is a chunk of its own if beats are too narrow.
// Chunks are shifted to the end of the previous one and leave when a beat is full. Pipeline:
//   F  read tags, sort, read enables         D  register the entry's data
//   P  find run boundaries                   X  shift the run's bytes down
//   R  pick one run per clock                Y  prepend sub-header, or packet header
//   N  encode its first and last byte        Z  shift to the position in the beat
//   G  cut into chunks, read data            W  merge with the rest of the previous chunk
// Between N and G glk_packing divides runs among packets. The description of a packet in the compact form comes with its
// header, as chunks whose data are not from an entry.
module glk_packetizer #(
  parameter int DATA_W     = 512,
  parameter int PARTITIONS = 4,
  parameter int ENTRIES    = 64,
  parameter int BANKS      = 4,
  parameter int PIECES     = 512, // see glk_packing, as of the next
  parameter int COMPACT    = 1,
  parameter int PW         = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1,
  parameter int EW         = $clog2(ENTRIES),
  parameter int BW         = $clog2(BANKS),
  parameter int LANES      = DATA_W / 8,
  parameter int KW         = $clog2(LANES + 1)
) (
  input  logic              clk,
  input  logic              rst,

  input  logic [PARTITIONS*3-1:0] cfg_subheader_bytes,
  input  logic [PARTITIONS-1:0]   cfg_self_describe,
  input  logic [PARTITIONS*13-1:0] cfg_max_payload_bytes,
  input  logic [PARTITIONS-1:0]   cfg_packing,
  input  logic [PARTITIONS-1:0]   cfg_compact, // has an effect only with packing

  input  logic [PW-1:0]     flush_partition,
  input  logic [BW-1:0]     flush_bank,
  input  logic [EW:0]       flush_used,
  input  logic [47:0]       flush_base,
  input  logic [12:0]       flush_payload, // without packing, as the next
  input  logic [10:0]       flush_runs,
  input  logic [3:0]        flush_reason,
  input  logic              flush_valid,
  output logic              flush_ready,

  output logic [PW+BW+EW-1:0] read_tag_entry,
  output logic              read_tag_enable, // read_tag holds the last value read
  input  logic [30:0]       read_tag,
  output logic [PW+BW+EW-1:0] read_entry,
  output logic              read_enable,     // so does read_enables
  input  logic [127:0]      read_enables,
  output logic [PW+BW+EW-1:0] read_data_entry,
  output logic              read_data_enable,
  input  logic [1023:0]     read_data,
  output logic              done_valid,
  output logic [PW-1:0]     done_partition,
  output logic [BW-1:0]     done_bank,

  // A packet is made, the last of its flush or not
  output logic              e_packet,
  output logic [PW-1:0]     e_partition,
  output logic [12:0]       e_payload,
  output logic [10:0]       e_runs,
  output logic [3:0]        e_reason,
  output logic              e_final,

  // Packets: header and padded payload, lowest byte first
  output logic [DATA_W-1:0] m_data,
  output logic [KW-1:0]     m_bytes, // of this beat, a multiple of 4
  output logic              m_last,
  output logic              m_valid,
  input  logic              m_ready
);
  localparam int LB     = $clog2(LANES);
  localparam int BESIDE = (LANES >= 32) ? LANES - 16 : 0; // data bytes in the same chunk as a header
  localparam int WIDE   = LANES + 8;                      // a chunk plus the bytes kept from previous ones

  logic go; // all stages advance

  // --- flushes in the pipeline, from fetch to chunk generation ---
  logic [PW-1:0] set_partition [0:3];
  logic [BW-1:0] set_bank      [0:3];
  logic [47:0]   set_base      [0:3];
  logic [3:0]    set_reason    [0:3];
  logic [3:0]    set_packing, set_compact;
  logic [4*13-1:0] set_limit, set_payload;
  logic [4*11-1:0] set_runs;
  logic [4*3-1:0]  set_h;
  logic          set_self      [0:3];
  logic [3:0]    set_busy;
  logic [1:0]    fetch_set;           // next to be filled
  logic          fetching;
  logic [EW:0]   fetch_used, fetch_at;
  logic [PW-1:0] fetch_partition;
  logic [BW-1:0] fetch_bank;
  logic [1:0]    fetch_sel;
  logic          g_done;              // the last chunk of a packet is generated, of set g_sel
  logic [1:0]    g_sel;

  // --- F: fetch entries ---
  logic          o_valid; // a tag is read
  logic [EW-1:0] o_entry;
  logic          o_last;
  logic [1:0]    o_sel;
  // and in a register, since block RAM is slow and the sorter has a comparator for each entry
  logic          u_valid, sort_ready;
  logic [30:0]   u_tag;
  logic [EW-1:0] u_entry;
  logic          u_last;
  logic [1:0]    u_sel;
  wire  u_take     = !u_valid || sort_ready;
  wire fetch_step = fetching && read_tag_enable;
  wire fetch_end  = fetch_at + (EW+1)'(1) == fetch_used;

  assign read_tag_entry  = {fetch_partition, fetch_bank, fetch_at[EW-1:0]};
  assign read_tag_enable = !o_valid || u_take;

  logic          i_valid, i_last;
  logic [30:0]   i_tag;
  logic [EW-1:0] i_entry;
  logic [1:0]    i_sel;
  glk_line_sorter #(.ENTRIES(ENTRIES)) sorter (
    .clk, .rst, .s_sorts(set_packing[u_sel]), .s_tag(u_tag), .s_entry(u_entry), .s_sel(u_sel), .s_last(u_last),
    .s_valid(u_valid), .s_ready(sort_ready),
    .m_tag(i_tag), .m_entry(i_entry), .m_sel(i_sel), .m_last(i_last), .m_valid(i_valid), .m_ready(read_enable));

  logic          p_valid;
  logic          p_take;
  wire  [127:0]  p_enables = read_enables;
  logic [30:0]   p_tag;
  logic [EW-1:0] p_entry;
  logic          p_last;
  logic [1:0]    p_sel;
  assign read_entry  = {set_partition[i_sel], set_bank[i_sel], i_entry};
  assign read_enable = !p_valid || p_take;

  // A flush that comes while another is fetched waits in `next`; acceptance does not depend on the inputs.
  logic          ready_q, next_valid;
  logic [BW-1:0] next_bank;
  logic [EW:0]   next_used;
  logic [PW-1:0] next_partition;
  logic [1:0]    next_sel;
  wire  fetch_free = !fetching || (fetch_step && fetch_end);
  wire  accept     = flush_valid && ready_q;
  assign flush_ready = ready_q;

  always_ff @(posedge clk) begin
    if (accept) begin
      set_partition[fetch_set] <= flush_partition;
      set_bank[fetch_set]      <= flush_bank;
      set_base[fetch_set]      <= flush_base;
      set_reason[fetch_set]    <= flush_reason;
      set_packing[fetch_set]   <= cfg_packing[flush_partition];
      set_compact[fetch_set]   <= cfg_packing[flush_partition] && cfg_compact[flush_partition];
      set_limit[fetch_set*13 +: 13]   <= cfg_max_payload_bytes[flush_partition*13 +: 13];
      set_payload[fetch_set*13 +: 13] <= flush_payload;
      set_runs[fetch_set*11 +: 11]    <= flush_runs;
      set_h[fetch_set*3 +: 3]  <= cfg_subheader_bytes[flush_partition*3 +: 3];
      set_self[fetch_set]      <= cfg_self_describe[flush_partition];
      set_busy[fetch_set]      <= 1'b1;
      fetch_set      <= fetch_set + 2'd1;
      next_used      <= flush_used;
      next_partition <= flush_partition;
      next_bank      <= flush_bank;
      next_sel       <= fetch_set;
      ready_q        <= 1'b0;
    end else
      ready_q <= (!next_valid || fetch_free) && !set_busy[fetch_set];
    if (fetch_free) begin
      fetching        <= next_valid || accept; // never both
      fetch_at        <= '0;
      fetch_used      <= next_valid ? next_used : flush_used;
      fetch_partition <= next_valid ? next_partition : flush_partition;
      fetch_bank      <= next_valid ? next_bank : flush_bank;
      fetch_sel       <= next_valid ? next_sel : fetch_set;
      next_valid      <= 1'b0;
    end else begin
      if (accept)
        next_valid <= 1'b1;
      if (fetch_step)
        fetch_at <= fetch_at + (EW+1)'(1);
    end
    if (g_done)
      set_busy[g_sel] <= 1'b0;
    if (read_tag_enable) begin
      o_valid <= fetching;
      o_entry <= fetch_at[EW-1:0];
      o_last  <= fetch_end;
      o_sel   <= fetch_sel;
    end
    if (u_take) begin
      u_valid <= o_valid;
      u_tag   <= read_tag;
      u_entry <= o_entry;
      u_last  <= o_last;
      u_sel   <= o_sel;
    end
    if (read_enable) begin
      p_valid <= i_valid;
      p_tag   <= i_tag;
      p_entry <= i_entry;
      p_last  <= i_last;
      p_sel   <= i_sel;
    end
    if (rst) begin
      set_busy   <= '0;
      fetch_set  <= '0;
      fetching   <= 1'b0;
      next_valid <= 1'b0;
      o_valid    <= 1'b0;
      u_valid    <= 1'b0;
      p_valid    <= 1'b0;
      ready_q    <= 1'b0;
    end
  end

  // --- P: run boundaries ---
  logic          q_valid, q_take;
  logic [127:0]  q_begins, q_ends;
  logic [47:0]   q_runs;  // sixteen partial sums of 3 bits, added one stage later: enables are late, from block RAM
  logic [30:0]   q_tag;
  logic [EW-1:0] q_entry;
  logic          q_last;
  logic [1:0]    q_sel;

  wire [127:0] p_begins = p_enables & ~(p_enables << 1);
  logic [63:0] p_pairs;
  logic [47:0] p_runs;
  always_comb
    for (int k = 0; k < 64; k = k + 1)
      p_pairs[k] = p_begins[2*k] | p_begins[2*k+1];
  genvar g;
  generate
    for (g = 0; g < 16; g = g + 1) begin : part
      glk_popcount #(.W(4)) count_runs (.bits(p_pairs[4*g +: 4]), .count(p_runs[3*g +: 3]));
    end
  endgenerate

  assign p_take = p_valid && (!q_valid || q_take);
  always_ff @(posedge clk) begin
    if (!q_valid || q_take) begin
      q_valid  <= p_valid;
      q_begins <= p_begins;
      q_ends   <= p_enables & ~(p_enables >> 1);
      q_runs   <= p_runs;
      q_tag    <= p_tag;
      q_entry  <= p_entry;
      q_last   <= p_last;
      q_sel    <= p_sel;
    end
    if (rst)
      q_valid <= 1'b0;
  end

  // --- R: pick a run ---
  logic          c_valid;
  logic [127:0]  c_begins, c_ends;
  logic [6:0]    c_runs;
  logic [30:0]   c_tag;
  logic [EW-1:0] c_entry;
  logic          c_last;
  logic [1:0]    c_sel;
  logic          n_valid, n_take;
  logic [127:0]  n_begin, n_end;

  logic [6:0]   q_count;
  glk_sum #(.N(16), .W(3), .SW(7)) add_runs (.numbers(q_runs), .sum(q_count));

  logic [127:0] c_begin, c_end;
  glk_lowest #(.W(128)) lowest_begin (.bits(c_begins), .lowest(c_begin));
  glk_lowest #(.W(128)) lowest_end (.bits(c_ends), .lowest(c_end));
  wire c_one  = c_runs == 7'd1;
  wire c_pop  = c_valid && (!n_valid || n_take);
  assign q_take = q_valid && (!c_valid || (c_pop && c_one));

  always_ff @(posedge clk) begin
    if (!c_valid || (c_pop && c_one)) begin
      c_valid  <= q_valid;
      c_begins <= q_begins;
      c_ends   <= q_ends;
      c_runs   <= q_count;
      c_tag    <= q_tag;
      c_entry  <= q_entry;
      c_last   <= q_last;
      c_sel    <= q_sel;
    end else if (c_pop) begin
      c_begins <= c_begins & ~c_begin;
      c_ends   <= c_ends & ~c_end;
      c_runs   <= c_runs - 7'd1;
    end
    if (rst)
      c_valid <= 1'b0;
  end

  // --- N: first and last byte ---
  logic [30:0]   n_tag;
  logic [EW-1:0] n_entry;
  logic          n_last;
  logic [1:0]    n_sel;
  logic [6:0]    n_begin_at, n_end_at;
  always_comb begin
    n_begin_at = 7'd0;
    n_end_at   = 7'd0;
    for (int k = 0; k < 128; k = k + 1) begin
      n_begin_at = n_begin_at | (n_begin[k] ? 7'(k) : 7'd0);
      n_end_at   = n_end_at | (n_end[k] ? 7'(k) : 7'd0);
    end
  end

  logic          j_valid, j_ready;
  logic [30:0]   j_tag;
  logic [EW-1:0] j_entry;
  logic          j_last;
  logic [1:0]    j_sel;
  logic [6:0]    j_begin_at;
  logic [7:0]    j_length;

  assign n_take = n_valid && (!j_valid || j_ready);
  always_ff @(posedge clk) begin
    if (!n_valid || n_take) begin
      n_valid <= c_valid;
      n_begin <= c_begin;
      n_end   <= c_end;
      n_tag   <= c_tag;
      n_entry <= c_entry;
      n_last  <= c_last && c_one;
      n_sel   <= c_sel;
    end
    if (!j_valid || j_ready) begin
      j_valid    <= n_valid;
      j_begin_at <= n_begin_at;
      j_length   <= 8'(n_end_at) - 8'(n_begin_at) + 8'd1;
      j_tag      <= n_tag;
      j_entry    <= n_entry;
      j_last     <= n_last;
      j_sel      <= n_sel;
    end
    if (rst) begin
      n_valid <= 1'b0;
      j_valid <= 1'b0;
    end
  end

  logic          g_valid, g_take, g_starts, g_compact, g_words, g_final;
  logic [8:0]    g_code;
  logic [127:0]  g_word;
  logic [30:0]   g_tag;
  logic [EW-1:0] g_entry;
  logic          g_last, g_first;
  logic [6:0]    g_begin_at;
  logic [7:0]    g_length;
  logic [12:0]   g_payload;
  logic [9:0]    g_run;
  logic [1:0]    made_sel;
  glk_packing #(.EW(EW), .PIECES(PIECES), .COMPACT(COMPACT)) packing (
    .clk, .rst, .set_packing, .set_compact, .set_h, .set_limit, .set_payload, .set_runs,
    .s_tag(j_tag), .s_begin(j_begin_at), .s_length(j_length), .s_entry(j_entry), .s_sel(j_sel), .s_last(j_last),
    .s_valid(j_valid), .s_ready(j_ready),
    .m_tag(g_tag), .m_begin(g_begin_at), .m_length(g_length), .m_entry(g_entry), .m_sel(g_sel), .m_head(g_starts),
    .m_run(g_run), .m_first(g_first), .m_last(g_last), .m_compact(g_compact), .m_code(g_code), .m_words(g_words),
    .m_word(g_word), .m_final(g_final), .m_payload(g_payload), .m_valid(g_valid), .m_ready(go && g_take),
    .e_packet, .e_sel(made_sel), .e_payload, .e_runs, .e_final);
  assign e_partition = set_partition[made_sel];
  assign e_reason    = set_reason[made_sel];

  // --- G: chunks ---
  logic       head_sent; // of the current packet
  logic       in_run;    // the sub-header has been sent
  logic [6:0] run_at;    // next byte of the run
  logic [7:0] run_left;

  wire [2:0]  g_h      = set_h[g_sel*3 +: 3];
  wire        g_head   = g_first && !head_sent && !in_run;
  wire [7:0]  g_left   = in_run ? run_left : g_length;
  wire [7:0]  g_room   = g_head ? 8'(BESIDE) : 8'(LANES);
  wire        g_ends   = g_left <= g_room;
  wire [7:0]  g_bytes  = g_ends ? g_left : g_room;
  wire [6:0]  g_at     = in_run ? run_at : g_begin_at;

  wire        g_alone  = g_head && BESIDE == 0; // header-only chunk

  assign g_take = g_valid && !g_alone && g_ends;
  assign g_done = go && g_take && g_last && g_final;
  assign read_data_entry  = {set_partition[g_sel], set_bank[g_sel], g_entry};
  assign read_data_enable = go;

  logic          d_valid, d_head, d_sub, d_last, d_words;
  logic [6:0]    d_at;
  logic [7:0]    d_bytes;
  logic [2:0]    d_h;
  logic [47:0]   d_subheader;
  logic [127:0]  d_header, d_word;

  logic [127:0] header;
  glk_packet_header packet_header (
    .payload(g_payload), .base(set_base[g_sel]), .partition(8'(set_partition[g_sel])),
    .subheader_bytes(set_self[g_sel] ? g_h : 3'd0),
    .compact(g_compact), .code(g_code), .first({g_tag, g_begin_at}), .header);

  always_ff @(posedge clk) begin
    if (go) begin
      d_valid     <= g_valid;
      d_head      <= g_head;
      d_sub       <= g_starts && !g_compact && !in_run && !g_alone;
      d_words     <= g_words;
      d_word      <= g_word;
      d_last      <= g_take && g_last;
      d_at        <= g_at;
      d_bytes     <= g_alone ? 8'd0 : g_bytes;
      d_h         <= g_h;
      d_subheader <= {g_tag, g_begin_at, g_run};
      d_header    <= header;
      if (g_valid) begin
        head_sent <= g_head || (head_sent && !(g_take && g_last));
        if (g_head && g_take && g_last)
          head_sent <= 1'b0;
        if (!g_alone) begin
          in_run   <= !g_ends;
          run_at   <= g_at + 7'(g_bytes);
          run_left <= g_left - g_bytes;
        end
      end
    end
    done_valid     <= g_done;
    done_partition <= set_partition[g_sel];
    done_bank      <= set_bank[g_sel];
    if (rst) begin
      d_valid    <= 1'b0;
      head_sent  <= 1'b0;
      in_run     <= 1'b0;
      done_valid <= 1'b0;
    end
  end

  // --- D: block RAM output register ---
  logic          x_valid, x_head, x_sub, x_last, x_words;
  logic [6:0]    x_at;
  logic [7:0]    x_bytes;
  logic [2:0]    x_h;
  logic [47:0]   x_subheader;
  logic [127:0]  x_header, x_word;
  logic [1023:0] x_data;

  always_ff @(posedge clk) begin
    if (go) begin
      x_valid     <= d_valid;
      x_head      <= d_head;
      x_sub       <= d_sub;
      x_last      <= d_last;
      x_at        <= d_at;
      x_bytes     <= d_bytes;
      x_h         <= d_h;
      x_subheader <= d_subheader;
      x_header    <= d_header;
      x_words     <= d_words;
      x_word      <= d_word;
      x_data      <= read_data;
    end
    if (rst)
      x_valid <= 1'b0;
  end

  // --- X: shift down ---
  logic              y_valid, y_head, y_sub, y_last;
  logic [DATA_W-1:0] y_data;
  logic [LANES-1:0]  y_mask;
  logic [7:0]        y_length;
  logic [2:0]        y_h;
  logic [47:0]       y_subheader;
  logic [127:0]      y_header;
  wire [1023:0] x_shifted = x_data >> {x_at, 3'b0};

  always_ff @(posedge clk) begin
    if (go) begin
      y_valid     <= x_valid;
      y_head      <= x_head;
      y_sub       <= x_sub;
      y_last      <= x_last;
      y_data      <= x_words ? DATA_W'(x_word) : x_shifted[DATA_W-1:0];
      for (int k = 0; k < LANES; k = k + 1)
        y_mask[k] <= k < 32'(x_bytes);
      y_length    <= x_bytes + (x_sub ? 8'(x_h) : 8'd0) + (x_head ? 8'd16 : 8'd0);
      y_h         <= x_h;
      y_subheader <= x_subheader;
      y_header    <= x_header;
    end
    if (rst)
      y_valid <= 1'b0;
  end

  // --- Y: headers; position of the chunk in the beat ---
  logic              z_valid, z_last;
  logic [WIDE*8-1:0] z_data;
  logic [LB-1:0]     z_fill, fill;
  logic [LB+1:0]     z_end;
  logic [DATA_W-1:0] y_masked;
  logic [WIDE*8-1:0] y_run, y_chunk;
  always_comb begin
    for (int k = 0; k < LANES; k = k + 1)
      y_masked[8*k +: 8] = y_mask[k] ? y_data[8*k +: 8] : 8'h00;
    unique case (y_h)
      3'd2:    y_run = {48'b0, y_masked, y_subheader[15:0]};
      3'd3:    y_run = {40'b0, y_masked, y_subheader[23:0]};
      3'd4:    y_run = {32'b0, y_masked, y_subheader[31:0]};
      3'd5:    y_run = {24'b0, y_masked, y_subheader[39:0]};
      default: y_run = {16'b0, y_masked, y_subheader};
    endcase
    if (!y_sub)
      y_run = {64'b0, y_masked};
    y_chunk = y_head ? {y_run[WIDE*8-129:0], y_header} : y_run;
  end
  wire [LB+1:0] y_end = (LB+2)'(fill) + (LB+2)'(y_length); // at most 2 * LANES + 5

  always_ff @(posedge clk) begin
    if (go) begin
      z_valid <= y_valid;
      z_last  <= y_last;
      z_data  <= y_chunk;
      z_fill  <= fill;
      z_end   <= y_end;
      if (y_valid)
        fill <= y_last ? '0 : y_end[LB-1:0];
    end
    if (rst) begin
      z_valid <= 1'b0;
      fill    <= '0;
    end
  end

  // --- Z: shift into position ---
  logic                   w_valid, w_last;
  logic [WIDE*8+DATA_W-1:0] w_data; // at its position
  logic [LB+1:0]          w_end;

  always_ff @(posedge clk) begin
    if (go) begin
      w_valid <= z_valid;
      w_last  <= z_last;
      w_end   <= z_end;
      w_data  <= (WIDE*8+DATA_W)'(z_data) << {z_fill, 3'b0};
    end
    if (rst)
      w_valid <= 1'b0;
  end

  // --- W: output beats. Excess bytes follow in a later beat: at the end of a packet, or when they fill one ---
  logic [WIDE*8-1:0] kept; // zero past its end
  logic              owes, owes_last;
  logic [LB:0]       owed; // bytes kept
  wire [DATA_W-1:0]  merged = kept[DATA_W-1:0] | w_data[DATA_W-1:0];
  wire               w_full = w_end >= (LB+2)'(LANES);
  wire [LB:0]        w_rest = w_full ? (LB+1)'(w_end - (LB+2)'(LANES)) : (LB+1)'(w_end);
  wire               w_more = w_full && w_rest != '0;
  wire               owes_full = owed >= (LB+1)'(LANES);
  wire [LB:0]        owed_rest = owes_full ? owed - (LB+1)'(LANES) : '0;

  logic [DATA_W+KW:0] out_data;
  logic               out_valid, out_ready;
  wire [KW-1:0] owed_bytes = (KW'(owed) + KW'(3)) & ~(KW'(3));
  wire [KW-1:0] last_bytes = (KW'(w_end) + KW'(3)) & ~(KW'(3));

  assign go = out_ready && !owes;
  assign out_valid = owes || (w_valid && (w_full || w_last));
  assign out_data  = owes ? {kept[DATA_W-1:0], owes_full ? KW'(LANES) : owed_bytes, owes_last && owed_rest == '0}
                          : {merged, w_full ? KW'(LANES) : last_bytes, w_last && !w_more};

  always_ff @(posedge clk) begin
    if (owes) begin
      if (out_ready) begin
        owes <= owes_last && owed_rest != '0;
        owed <= owed_rest;
        kept <= (owes_full && owed_rest != '0) ? (WIDE*8)'(kept[WIDE*8-1:DATA_W]) : '0;
      end
    end else if (go && w_valid) begin
      kept      <= w_full ? w_data[WIDE*8+DATA_W-1:DATA_W] : w_last ? '0 : (WIDE*8)'(merged);
      owes      <= w_full && (w_last ? w_rest != '0 : w_rest >= (LB+1)'(LANES));
      owes_last <= w_last;
      owed      <= w_rest;
    end
    if (rst) begin
      owes <= 1'b0;
      kept <= '0;
    end
  end

  glk_skid #(.W(DATA_W + KW + 1)) skid (
    .clk, .rst, .s_data(out_data), .s_valid(out_valid), .s_ready(out_ready),
    .m_data({m_data, m_bytes, m_last}), .m_valid, .m_ready);
endmodule
`default_nettype wire
