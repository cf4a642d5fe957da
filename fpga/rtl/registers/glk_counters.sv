// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Event counters. Counters of partitions and contexts are in RAM banks, one per event source, so that each accepts one event
// per clock; card counters are in registers, because several kinds of events may coincide; ERRORS of the contexts. Reads return
// the values at the last snapshot, except ERRORS, which are live.
module glk_counters #(
  parameter int PARTITIONS = 16,
  parameter int CONTEXTS   = 32,
  parameter int PW         = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1,
  parameter int CW         = (CONTEXTS > 1) ? $clog2(CONTEXTS) : 1
) (
  input  logic          clk,
  input  logic          rst,

  // Stores accepted, and their cost as individual TLPs
  input  logic          cost_valid,
  input  logic [PW-1:0] cost_partition,
  input  logic [CW-1:0] cost_context,
  input  logic [12:0]   cost_length,
  input  logic [12:0]   cost_raw,
  // Queued bytes overwritten
  input  logic          e_overwrite,
  input  logic [PW-1:0] e_overwrite_partition,
  input  logic [7:0]    e_overwritten,
  // Packets sent
  input  logic          made_valid,
  input  logic [PW-1:0] made_partition,
  input  logic [12:0]   made_payload,
  input  logic [10:0]   made_runs,
  input  logic [3:0]    made_reason,
  // Aperture loads; ring loads and atomics
  input  logic          e_load,
  input  logic [PW-1:0] e_load_partition,
  input  logic          count_atomic,
  input  logic [PW-1:0] count_partition,
  input  logic          count_valid,
  output logic          count_ready,
  // Bytes of regions stored
  input  logic          stored_valid,
  input  logic [PW-1:0] stored_partition,
  input  logic [12:0]   stored_bytes,
  // Plain writes to endpoints; failed endpoint writes and reads
  input  logic          e_write,
  input  logic [PW-1:0] e_write_partition,
  input  logic [12:0]   e_write_bytes,
  input  logic          fail_valid,
  input  logic [PW-1:0] fail_partition,
  input  logic [31:0]   fail_count,
  // Card events
  input  logic          e_window,
  input  logic          e_refused,
  input  logic          e_config,
  input  logic          e_dma,
  input  logic          e_entry,
  input  logic          e_dropped,
  input  logic          dropped_valid,
  input  logic [31:0]   dropped_count,
  input  logic          e_accepted,
  // Regions: accepted arrivals; chunks sent, whole and partial; epochs; rejected doorbells and entries
  input  logic [15:0]   e_arrivals,
  input  logic          e_chunk,
  input  logic          e_partial,
  input  logic          e_epoch,
  input  logic          e_reject,

  // Snapshot of all counters; reads may begin in the clock of snapshot_done
  input  logic          snapshot,
  output logic          snapshot_done,
  input  logic          counter_read,
  // bit 11: of a context; 10: of the card; 9:5 partition or context; 4:0 counter: register index in its row
  input  logic [11:0]   counter_at,
  output logic [63:0]   counter_value, // valid from counter_done until the next one
  output logic          counter_done,

  // ERRORS of the contexts
  input  logic          refused_valid,
  input  logic [CW-1:0] refused_context,
  input  logic          load_failed_valid,
  input  logic [CW-1:0] load_failed_context,
  input  logic          reject_valid,
  input  logic [CW-1:0] reject_context,
  input  logic          release_failed_valid,
  output logic          release_failed_ready,
  input  logic [CW-1:0] release_failed_context,
  input  logic          errors_clear,
  input  logic          errors_clear_all,
  input  logic [CW-1:0] errors_of,
  output logic [63:0]   errors_shown,
  input  logic [CW-1:0] record_context,
  output logic [63:0]   record_errors
);
  // Counter indices within a partition's row.
  localparam int BASE        = glk_regs::PARTITION_COUNTER_FIRST;
  localparam int STORES      = (glk_regs::PARTITION_STORES - BASE) / 8;
  localparam int STORE_BYTES = (glk_regs::PARTITION_STORE_BYTES - BASE) / 8;
  localparam int PACKETS     = (glk_regs::PARTITION_PACKETS - BASE) / 8;
  localparam int SUB_PACKETS = (glk_regs::PARTITION_SUB_PACKETS - BASE) / 8;
  localparam int PAYLOAD     = (glk_regs::PARTITION_PAYLOAD_BYTES - BASE) / 8;
  localparam int WIRE        = (glk_regs::PARTITION_WIRE_BYTES - BASE) / 8;
  localparam int RAW         = (glk_regs::PARTITION_RAW_WIRE_BYTES - BASE) / 8;
  localparam int OVERWRITTEN = (glk_regs::PARTITION_OVERWRITTEN_BYTES - BASE) / 8;
  localparam int REASON      = (glk_regs::PARTITION_FLUSH_WINDOW_MISS - BASE) / 8;
  localparam int LOADS       = (glk_regs::PARTITION_LOADS - BASE) / 8;
  localparam int ATOMICS     = (glk_regs::PARTITION_ATOMICS - BASE) / 8;
  localparam int WRITES      = (glk_regs::PARTITION_ENDPOINT_WRITES - BASE) / 8;
  localparam int WRITE_BYTES = (glk_regs::PARTITION_ENDPOINT_BYTES - BASE) / 8;
  localparam int FAILED      = (glk_regs::PARTITION_ERR_ENDPOINT - BASE) / 8;
  localparam int REASONS     = LOADS - REASON;
  localparam int OF_REGION   = (glk_regs::PARTITION_FLUSH_REGION - BASE) / 8; // reason region, apart from the others
  localparam int REGION_BYTES = (glk_regs::PARTITION_REGION_BYTES - BASE) / 8;
  localparam int COUNTERS    = glk_regs::PARTITION_COUNTER_SPAN;
  localparam int CONTEXT     = glk_regs::CONTEXT_COUNTER_SPAN;
  localparam int CARD        = glk_regs::CARD_COUNTER_SPAN;

  wire [PW-1:0] row = counter_at[5 +: PW];
  logic [COUNTERS*64-1:0] seen; // of the row, one clock of latency

  // --- partition counters ---
  logic [3*64-1:0] store_seen;
  glk_counter_bank #(.ROWS(PARTITIONS), .COLUMNS(3), .ADD_W(13)) stores (
    .clk, .rst, .update_valid(cost_valid), .update_row(cost_partition), .update_add({cost_raw, cost_length, 13'd1}), .snapshot,
    .look_row(row), .look_q(store_seen));
  assign seen[STORES*64 +: 64]      = store_seen[0 +: 64];
  assign seen[STORE_BYTES*64 +: 64] = store_seen[64 +: 64];
  assign seen[RAW*64 +: 64]         = store_seen[128 +: 64];

  glk_counter_bank #(.ROWS(PARTITIONS), .COLUMNS(1), .ADD_W(8)) overwritten (
    .clk, .rst, .update_valid(e_overwrite), .update_row(e_overwrite_partition), .update_add(e_overwritten), .snapshot,
    .look_row(row), .look_q(seen[OVERWRITTEN*64 +: 64]));

  // Bytes on the wire: payload padded to DWs, plus TLP overhead.
  wire [12:0] p_padded = (made_payload + 13'd3) & ~13'd3;
  logic          q_valid;
  logic [PW-1:0] q_partition;
  logic [4*13-1:0] q_add;
  logic [3:0]    q_reason;
  logic [REASONS*13-1:0] q_add_reason;
  wire  [12:0]     q_of_region = 13'(q_reason == 4'(glk_regs::FLUSH_REGION));
  always_ff @(posedge clk) begin
    q_valid     <= made_valid;
    q_partition <= made_partition;
    q_reason    <= made_reason;
    q_add       <= {p_padded + 13'(glk_regs::TLP_OVERHEAD_BYTES), made_payload, 13'(made_runs), 13'd1};
    if (rst)
      q_valid <= 1'b0;
  end
  genvar g;
  generate
    for (g = 0; g < REASONS; g = g + 1) begin : reason
      assign q_add_reason[g*13 +: 13] = 13'(q_reason == 4'(g));
    end
  endgenerate
  // Delayed to match the pipeline ahead of the packet bank.
  logic q_snapshot;
  always_ff @(posedge clk)
    q_snapshot <= snapshot && !rst;
  logic [(5+REASONS)*64-1:0] packet_seen;
  glk_counter_bank #(.ROWS(PARTITIONS), .COLUMNS(5 + REASONS), .ADD_W(13)) packets (
    .clk, .rst, .update_valid(q_valid), .update_row(q_partition), .update_add({q_of_region, q_add_reason, q_add}),
    .snapshot(q_snapshot),
    .look_row(row), .look_q(packet_seen));
  assign seen[PACKETS*64 +: 64]        = packet_seen[0 +: 64];
  assign seen[SUB_PACKETS*64 +: 64]    = packet_seen[64 +: 64];
  assign seen[PAYLOAD*64 +: 64]        = packet_seen[128 +: 64];
  assign seen[WIRE*64 +: 64]           = packet_seen[192 +: 64];
  assign seen[REASON*64 +: REASONS*64] = packet_seen[256 +: REASONS*64];
  assign seen[OF_REGION*64 +: 64]      = packet_seen[256 + REASONS*64 +: 64];

  // Aperture loads cannot be stalled; ring loads can.
  logic          kept, kept_atomic;
  logic [PW-1:0] kept_partition;
  wire  atomic = !e_load && kept_atomic;
  assign count_ready = !kept;
  always_ff @(posedge clk) begin
    if (count_ready) begin
      kept           <= count_valid;
      kept_atomic    <= count_atomic;
      kept_partition <= count_partition;
    end else if (!e_load) begin
      kept <= 1'b0;
    end
    if (rst)
      kept <= 1'b0;
  end
  logic [2*64-1:0] load_seen;
  glk_counter_bank #(.ROWS(PARTITIONS), .COLUMNS(2), .ADD_W(1)) loads (
    .clk, .rst, .update_valid(e_load || kept), .update_row(e_load ? e_load_partition : kept_partition),
    .update_add({atomic, !atomic}), .snapshot,
    .look_row(row), .look_q(load_seen));
  assign seen[LOADS*64 +: 64]   = load_seen[0 +: 64];
  assign seen[ATOMICS*64 +: 64] = load_seen[64 +: 64];

  logic [2*64-1:0] write_seen;
  glk_counter_bank #(.ROWS(PARTITIONS), .COLUMNS(2), .ADD_W(13)) writes (
    .clk, .rst, .update_valid(e_write), .update_row(e_write_partition), .update_add({e_write_bytes, 13'd1}), .snapshot,
    .look_row(row), .look_q(write_seen));
  assign seen[WRITES*64 +: 64]      = write_seen[0 +: 64];
  assign seen[WRITE_BYTES*64 +: 64] = write_seen[64 +: 64];

  glk_counter_bank #(.ROWS(PARTITIONS), .COLUMNS(1), .ADD_W(32)) failures (
    .clk, .rst, .update_valid(fail_valid), .update_row(fail_partition), .update_add(fail_count), .snapshot,
    .look_row(row), .look_q(seen[FAILED*64 +: 64]));

  glk_counter_bank #(.ROWS(PARTITIONS), .COLUMNS(1), .ADD_W(13)) region_bytes (
    .clk, .rst, .update_valid(stored_valid), .update_row(stored_partition), .update_add(stored_bytes), .snapshot,
    .look_row(row), .look_q(seen[REGION_BYTES*64 +: 64]));

  // --- context counters ---
  logic [CONTEXT*64-1:0] context_seen;
  glk_counter_bank #(.ROWS(CONTEXTS), .COLUMNS(CONTEXT), .ADD_W(13)) contexts (
    .clk, .rst, .update_valid(cost_valid), .update_row(cost_context), .update_add({cost_length, 13'd1}), .snapshot,
    .look_row(counter_at[5 +: CW]), .look_q(context_seen));

  // --- card counters ---
  logic [CARD-1:0]    c_one;     // increment by 1
  logic [31:0]        c_dropped; // increment of DROPPED_STORES
  logic [15:0]        c_arrivals; // of REGION_ARRIVALS
  logic               c_snapshot;
  logic [CARD*64-1:0] c_count, c_latched;
  localparam int ARRIVALS = (glk_regs::CARD_REGION_ARRIVALS - glk_regs::CARD_COUNTER_FIRST) / 8;
  localparam int DROPPED  = (glk_regs::CARD_DROPPED_STORES - glk_regs::CARD_COUNTER_FIRST) / 8;

  always_ff @(posedge clk) begin
    c_one      <= {e_reject, e_epoch, e_partial, e_chunk, 1'b0, e_accepted, e_dropped, e_entry, e_dma, e_config, e_refused,
        e_window};
    c_dropped  <= dropped_valid ? dropped_count : '0;
    c_arrivals <= e_arrivals;
    c_snapshot <= snapshot;
    if (c_snapshot)
      c_latched <= c_count;
    if (rst) begin
      c_one      <= '0;
      c_dropped  <= '0;
      c_arrivals <= '0;
      c_snapshot <= 1'b0;
      c_latched  <= '0;
    end
  end
  generate
    for (g = 0; g < CARD; g = g + 1) begin : card
      always_ff @(posedge clk) begin
        if (g == DROPPED)
          c_count[g*64 +: 64] <= c_count[g*64 +: 64] + 64'(c_dropped) + 64'(c_one[g]);
        else if (g == ARRIVALS)
          c_count[g*64 +: 64] <= c_count[g*64 +: 64] + 64'(c_arrivals);
        else
          c_count[g*64 +: 64] <= c_count[g*64 +: 64] + 64'(c_one[g]);
        if (rst)
          c_count[g*64 +: 64] <= '0;
      end
    end
  endgenerate

  // --- read port ---
  logic [11:0] at1, at2;
  logic        read1, read2;
  logic [63:0] value2a, value2b, value2c, value2d;
  logic [2:0]  snapshot_late;

  // One of eight counters, starting at index `from`.
  function [63:0] one_of(input [COUNTERS*64-1:0] values, input integer from, input [2:0] which);
    integer i;
    one_of = '0;
    for (i = 0; i < 8; i = i + 1)
      if (from + i < COUNTERS && which == 3'(i))
        one_of = values[(from+i)*64 +: 64];
  endfunction
  function [63:0] card_of(input [CARD*64-1:0] values, input [3:0] which);
    integer i;
    card_of = '0;
    for (i = 0; i < CARD; i = i + 1)
      if (which == 4'(i))
        card_of = values[i*64 +: 64];
  endfunction

  always_ff @(posedge clk) begin
    at1     <= counter_at;
    read1   <= counter_read;
    at2     <= at1;
    read2   <= read1;
    value2a <= at1[10] ? card_of(c_latched, at1[3:0]) : one_of(seen, 0, at1[2:0]);
    value2b <= one_of(seen, 8, at1[2:0]);
    value2c <= one_of(seen, 16, at1[2:0]);
    value2d <= context_seen[at1[0]*64 +: 64];
    if (read2)
      counter_value <= at2[11] ? value2d : (at2[10] || at2[4:3] == 2'd0) ? value2a : at2[4:3] == 2'd1 ? value2b : value2c;
    counter_done  <= read2;
    snapshot_late <= {snapshot_late[1:0], snapshot};
    snapshot_done <= snapshot_late[2];
    if (rst) begin
      read1         <= 1'b0;
      read2         <= 1'b0;
      counter_done  <= 1'b0;
      snapshot_late <= '0;
      snapshot_done <= 1'b0;
    end
  end
  wire unused = &{1'b0, at2[9:5], at2[2:0]};

  // --- ERRORS ---
  // Releases are rare and failing loads rarer, so a release is always accepted.
  assign release_failed_ready = 1'b1;
  glk_context_errors #(.CONTEXTS(CONTEXTS)) errors (
    .clk, .rst, .refused_valid, .refused_context, .load_failed_valid, .load_failed_context, .reject_valid, .reject_context,
    .release_failed_valid, .release_failed_context,
    .clear_all(errors_clear_all), .clear(errors_clear), .clear_context(errors_of),
    .errors_of, .errors_shown, .record_context, .record_errors);
endmodule
`default_nettype wire
