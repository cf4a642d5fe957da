// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Window aperture (BAR 2): looks up the slice of an access in the window table, checks it, and converts it into a store to
// a partition, or into a probe of the partition's queue followed by a load.
//
// Beats are held in a FIFO during the table lookup; lookup results are in a second FIFO. Both have space for every accepted
// beat, so the lookup pipeline never stalls. Accesses do not cross a 4 KiB boundary, so bounds are compared in pages.
//
// Stores never wait for a load: a load has a register of its own, and only one is outstanding.
module glk_aperture #(
  parameter int DATA_W      = 512,
  parameter int PARTITIONS  = 16,
  parameter int CONTEXTS    = 32,
  parameter int SLICES      = 1024,
  parameter int SLICE_SHIFT = 20,
  parameter int PW          = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1,
  parameter int CW          = (CONTEXTS > 1) ? $clog2(CONTEXTS) : 1,
  parameter int SW          = (SLICES > 1) ? $clog2(SLICES) : 1
) (
  input  logic              clk,
  input  logic              rst,

  input  logic              enable,
  input  logic [PARTITIONS*2-1:0]  ep_kind,
  input  logic [PARTITIONS*37-1:0] ep_bytes, // in units of 4 KiB

  // Accesses
  input  logic              access_write,
  input  logic [47:0]       access_offset,
  input  logic [12:0]       access_length,
  input  logic              access_poisoned, // valid with the first beat
  input  logic [DATA_W-1:0] access_data,
  input  logic              access_last,
  input  logic              access_valid,
  output logic              access_ready,
  output logic              idle,            // no accepted access is left

  // Window table: window_entry is valid two clocks after window_look
  output logic              window_look,
  output logic [SW-1:0]     window_slice,
  input  logic [88:0]       window_entry,

  // Stores and probes
  output logic              store_probe,
  output logic [PW-1:0]     store_partition,
  output logic [47:0]       store_offset,
  output logic [12:0]       store_length,
  output logic [CW-1:0]     store_context,
  output logic [DATA_W-1:0] store_data,
  output logic              store_last,
  output logic              store_valid,
  input  logic              store_ready,

  // A load, after its probe was accepted; or a refused one
  output logic              load_error,
  output logic [PW-1:0]     load_partition,
  output logic [47:0]       load_offset,
  output logic [12:0]       load_length,
  output logic [CW-1:0]     load_context,
  output logic              load_valid,
  input  logic              load_ready,

  // Event pulses
  output logic              e_window,
  output logic              e_window_owned,
  output logic [CW-1:0]     e_window_context,
  output logic              e_dropped,
  output logic              e_load,
  output logic [PW-1:0]     e_load_partition
);
  localparam int DEPTH = 16; // beats in flight; more than the pipeline latency
  localparam int DB    = $clog2(DEPTH) + 1;
  localparam int ITEM_W = 2 + 13 + 30 + 31 + 1 + 79;

  initial if (SLICE_SHIFT < 12 || SLICE_SHIFT > 30) $fatal;

  // --- input: accepts while a FIFO entry is free ---
  logic [DB-1:0] places;
  logic          all_free, given; // given: a beat leaves the FIFO
  wire           taken = access_valid && access_ready;
  wire [DB-1:0]  places_next = places - DB'(taken) + DB'(given);

  logic              i_valid, i_within, i_first, i_write, i_poisoned, i_last, i_inside;
  logic [29:0]       i_in_slice;
  logic [12:0]       i_length;
  logic [DATA_W-1:0] i_data;

  always_ff @(posedge clk) begin
    places         <= places_next;
    access_ready   <= places_next != '0;
    all_free       <= places_next == DB'(DEPTH);
    i_valid        <= taken;
    i_first        <= taken && !i_within;
    if (taken)
      i_within <= !access_last;
    i_write      <= access_write;
    i_poisoned   <= access_poisoned;
    i_length     <= access_length;
    i_data       <= access_data;
    i_last       <= access_last;
    i_inside     <= (access_offset >> SLICE_SHIFT) < 48'(SLICES);
    i_in_slice   <= access_offset[29:0] & 30'((64'd1 << SLICE_SHIFT) - 64'd1);
    window_slice <= access_offset[SLICE_SHIFT +: SW];
    if (rst) begin
      places       <= DB'(DEPTH);
      access_ready <= 1'b0;
      all_free     <= 1'b1;
      i_valid      <= 1'b0;
      i_first      <= 1'b0;
      i_within     <= 1'b0;
    end
  end
  assign window_look = i_first;

  // --- table lookup ---
  logic        j_valid, j_write, j_poisoned, j_inside, k_valid, k_write, k_poisoned, k_inside;
  logic [12:0] j_length, k_length;
  logic [29:0] j_in_slice, k_in_slice;
  logic [30:0] j_end, k_end;

  always_ff @(posedge clk) begin
    j_valid <= i_first;
    {j_write, j_poisoned, j_inside, j_length, j_in_slice} <= {i_write, i_poisoned, i_inside, i_length, i_in_slice};
    j_end   <= 31'(i_in_slice) + 31'(i_length);
    k_valid <= j_valid;
    {k_write, k_poisoned, k_inside, k_length, k_in_slice, k_end} <= {j_write, j_poisoned, j_inside, j_length, j_in_slice,
        j_end};
    if (rst) begin
      j_valid <= 1'b0;
      k_valid <= 1'b0;
    end
  end

  // --- join beats and lookup results; an access's result is held until its last beat ---
  logic              d_valid, d_last, t_valid, t_write, t_poisoned, t_inside;
  logic              unused_beats_ready, unused_found_ready;
  logic [DATA_W-1:0] d_data;
  logic [12:0]       t_length;
  logic [29:0]       t_in_slice;
  logic [30:0]       t_end, t_q2;
  logic [35:0]       t_q1;
  logic [4:0]        t_context;
  logic [3:0]        t_partition;
  logic              t_may_write, t_may_read, t_entry;
  wire [9:0]         unused_first = window_entry[21:12];
  logic              p_ready; // the next stage advances
  wire               join_both = d_valid && t_valid && p_ready;
  assign given = join_both;

  glk_fifo #(.W(DATA_W + 1), .DEPTH(DEPTH)) beats (
    .clk, .rst, .s_data({i_data, i_last}), .s_valid(i_valid), .s_ready(unused_beats_ready),
    .m_data({d_data, d_last}), .m_valid(d_valid), .m_ready(t_valid && p_ready));
  glk_fifo #(.W(ITEM_W), .DEPTH(DEPTH)) found (
    .clk, .rst, .s_data({k_write, k_poisoned, k_length, k_in_slice, k_end, k_inside, window_entry[88:22], window_entry[11:0]}),
    .s_valid(k_valid), .s_ready(unused_found_ready),
    .m_data({t_write, t_poisoned, t_length, t_in_slice, t_end, t_inside, t_q2, t_q1, t_context, t_partition, t_may_write,
    t_may_read, t_entry}),
    .m_valid(t_valid), .m_ready(d_valid && d_last && p_ready));

  // --- stage P: destination, and properties of its partition ---
  logic              p_valid, p_last, p_write, p_poisoned, p_owned, p_fits, p_right, p_present;
  logic [DATA_W-1:0] p_data;
  logic [12:0]       p_length;
  logic [35:0]       p_page;
  logic [36:0]       p_pages;
  logic [11:0]       p_low;
  logic [PW-1:0]     p_partition;
  logic [CW-1:0]     p_context;
  logic              go;
  wire [PW-1:0]      t_at = t_partition[PW-1:0];
  wire               unused_entry = &{1'b0, t_partition, t_context}; // unused with few partitions or contexts
  assign p_ready = !p_valid || go;

  always_ff @(posedge clk) begin
    if (p_ready) begin
      p_valid     <= d_valid && t_valid;
      p_last      <= d_last;
      p_data      <= d_data;
      p_write     <= t_write;
      p_poisoned  <= t_poisoned;
      p_length    <= t_length;
      p_owned     <= t_inside && t_entry;
      p_fits      <= t_end <= t_q2;
      p_right     <= t_write ? t_may_write : t_may_read;
      p_partition <= t_at;
      p_context   <= t_context[CW-1:0];
      p_page      <= t_q1 + 36'(t_in_slice[29:12]);
      p_low       <= t_in_slice[11:0];
      p_present   <= ep_kind[t_at*2 +: 2] != 2'(glk_regs::EP_NONE);
      p_pages     <= ep_bytes[t_at*37 +: 37];
    end
    if (rst)
      p_valid <= 1'b0;
  end

  // --- decision at the first beat of an access; output ---
  logic o_valid, o_first, begun, keep;
  logic enabled; // delayed enable, which gates the output
  wire  allowed = p_owned && p_fits && p_right && p_present && {1'b0, p_page} < p_pages && !p_poisoned;
  wire  decide  = p_valid && go && !begun;
  // A reset discards an access held here. It has not been accepted by a queue yet, because the queues are paused.
  wire  forget  = o_valid && o_first && !enabled;
  wire  probed  = store_valid && store_ready && store_probe;
  assign store_valid = o_valid && !forget;
  assign go          = !o_valid || (store_ready && !forget);
  assign idle        = all_free && !p_valid && !o_valid && !load_valid;

  always_ff @(posedge clk) begin
    enabled          <= enable;
    e_window         <= decide && enabled && !allowed;
    e_window_owned   <= p_owned;
    e_window_context <= p_context;
    e_dropped        <= (decide && !enabled && p_write) || (forget && !store_probe);
    e_load           <= decide && enabled && allowed && !p_write;
    e_load_partition <= p_partition;
    if (go) begin
      o_valid         <= p_valid && (begun ? keep : enabled && allowed);
      o_first         <= !begun;
      store_probe     <= !p_write;
      store_partition <= p_partition;
      store_offset    <= {p_page, p_low};
      store_length    <= p_length;
      store_context   <= p_context;
      store_data      <= p_data;
      store_last      <= p_last;
      if (p_valid) begin
        begun <= !p_last;
        keep   <= begun ? keep : enabled && allowed;
      end
    end
    if (forget) begin
      o_valid <= 1'b0;
      keep    <= 1'b0;
    end
    if (load_ready)
      load_valid <= 1'b0;
    if (probed || (forget && store_probe) || (decide && !p_write && !(enabled && allowed))) begin
      load_valid     <= 1'b1;
      load_error     <= !probed;
      load_partition <= store_partition;
      load_offset    <= store_offset;
      load_length    <= store_length;
      load_context   <= store_context;
    end
    if (rst) begin
      e_window  <= 1'b0;
      e_dropped <= 1'b0;
      e_load    <= 1'b0;
      o_valid   <= 1'b0;
      begun    <= 1'b0;
      load_valid   <= 1'b0;
    end
  end
endmodule
`default_nettype wire
