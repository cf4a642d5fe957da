// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Transfers chunks (PROACT III-D), round robin over the regions, a turn of at most 4096 bytes each: reads the source once,
// stores it to all targets, and behind the last byte of a chunk flushes their partitions and stores the signals.
//
// A turn that ends before its stores begin (the region or its card is disabled) leaves no trace and is repeated. A region that
// becomes invalid (`kill`) during its turn causes no further accesses; `stale` is high until those under way are done, and
// after a change of the window table until stores checked against the old one have been issued.
module glk_region_engine #(
  parameter int DATA_W      = 512,
  parameter int PARTITIONS  = 16,
  parameter int CONTEXTS    = 32,
  parameter int SLICES      = 1024,
  parameter int SLICE_SHIFT = 20,
  parameter int WINDOW_W    = 89,
  parameter int REGIONS     = 64,
  parameter int CHUNKS      = 16384,
  parameter int BUFFER      = 13, // log2 of its bytes
  parameter int PW          = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1,
  parameter int CW          = (CONTEXTS > 1) ? $clog2(CONTEXTS) : 1,
  parameter int SW          = (SLICES > 1) ? $clog2(SLICES) : 1,
  parameter int RW          = (REGIONS > 1) ? $clog2(REGIONS) : 1,
  parameter int KW          = (CHUNKS > 1) ? $clog2(CHUNKS) : 1,
  parameter int LANES       = DATA_W / 8,
  parameter int LINE_W      = BUFFER - $clog2(LANES)
) (
  input  logic                     clk,
  input  logic                     rst,
  input  logic                     clear,
  input  logic                     enabled,
  input  logic                     hold,     // the card is about to be disabled: no stores begin
  input  logic                     halt,     // for a reset
  output logic                     storing,
  output logic                     idle,     // no turn, and none can begin
  output logic                     resting,  // no turn
  output logic                     stale,
  input  logic [PARTITIONS*2-1:0]  ep_kind,
  input  logic [PARTITIONS*37-1:0] ep_bytes,

  // Regions
  input  logic [REGIONS-1:0]       valid,
  input  logic [REGIONS-1:0]       some,     // with ready chunks
  input  logic                     kill,
  input  logic [RW-1:0]            kill_region,
  output logic [RW-1:0]            region,   // whose turn it is
  output logic [4:0]               slot,     // of its words
  input  logic [63:0]              word,     // one clock later
  input  logic [7:0]               excluded, // failed targets

  // Take of its first ready chunk
  output logic                     take_valid,
  input  logic                     take_done,
  input  logic [KW-1:0]            take_chunk,
  input  logic                     take_complete,

  // Source, see glk_region_source
  output logic                     source_start,
  output logic [15:0]              source_handle,
  output logic [47:0]              source_offset,
  output logic [12:0]              source_length,
  output logic                     abandon,
  input  logic                     source_done,
  input  logic [3:0]               source_status,
  input  logic [12:0]              source_place,

  // Window table
  input  logic                     window_changed,
  output logic                     window_valid,
  input  logic                     window_ready,
  output logic [SW-1:0]            window_row,
  input  logic                     window_done,
  input  logic [WINDOW_W-1:0]      window_q,

  // Mover: the epoch into its buffer; stores and flushes (kind 1)
  output logic                     buffer_valid,
  output logic [LINE_W-1:0]        buffer_line,
  output logic [CW-1:0]            context_number,
  output logic [1:0]               range_kind,
  output logic [15:0]              range_place,
  output logic [12:0]              range_length,
  output logic [63:0]              range_address,
  output logic [PW-1:0]            range_partition,
  output logic                     range_valid,
  input  logic                     range_ready,
  input  logic                     range_idle,

  // End of a turn, held until taken
  output logic                     end_valid,
  input  logic                     end_taken,
  output logic                     end_failed,   // the source could not be read
  output logic                     end_last,     // the chunk is stored
  output logic                     end_complete, // all its writers had arrived
  output logic [4:0]               end_code,     // first error of the turn
  output logic [7:0]               end_lost,     // targets that failed
  output logic [7:0]               end_stored,   // targets stored to
  output logic [8*PW-1:0]          end_places,   // and their partitions

  // Bytes stored to a partition
  output logic                     stored_valid,
  output logic [PW-1:0]            stored_partition,
  output logic [12:0]              stored_bytes
);
  localparam logic [1:0] STORE = 2'd0, FLUSH = 2'd1;
  localparam int LB = $clog2(LANES);
  localparam int RP = (REGIONS + 7) / 8 * 8;
  localparam int SIGNAL_AT = 6144; // position of the signal in the buffer, behind the first byte of the data

  typedef enum logic [4:0] {
    IDLE, PICK, WORDS, PROGRESS, TAKE, BEGIN, PLACE, LIMIT, LEFT, PART, SOURCE, SOURCE_WAIT, TARGET, TARGET_WORDS, AIM,
        AIM_WAIT, STEP,
    STEP_WAIT, PUSH, STORED, SEND, SIGNAL, NEXT, SETTLE, REPORT
  } state_t;
  state_t state;

  // --- whose turn: the next region after the last one that has something to move ---
  logic [REGIONS-1:0] moving, wants, after, region_bit;
  logic [RP-1:0]      lowest;
  logic [RW-1:0]      lowest_number;
  logic               dead, halting;
  wire  [REGIONS-1:0] behind = wants & after;
  glk_lowest #(.W(RP)) find (.bits(|behind ? RP'(behind) : RP'(wants)), .lowest);
  always_comb begin
    lowest_number = '0;
    for (int r = 0; r < REGIONS; r = r + 1)
      lowest_number = lowest_number | (RW'(r) & {RW{lowest[r]}});
  end
  wire begins = enabled && !hold && !halt;
  assign resting = state == IDLE;
  assign abandon = dead || halting;

  // --- the chunk: of `moving` regions, its number, blocks of 4 KiB moved and whether it is complete ---
  (* ram_style = "distributed" *) logic [KW+12:0] progress [0:(1<<RW)-1];
  logic          was_moving, complete;
  logic [KW-1:0] chunk, first;
  logic [11:0]   moved;
  logic [2:0]    step;

  // --- the part of it that is moved in this turn ---
  logic [63:0]   control, source;
  logic [40:0]   bytes, begin_, end_, offset, left;
  logic          last;
  wire  [48:0]   source_at = 49'(source[63:16]) + 49'(offset);
  wire  [4:0]    order     = control[12:8];
  assign context_number = control[32 +: CW];
  assign source_handle  = source[15:0];
  assign source_start   = state == SOURCE && !abandon;

  // --- targets ---
  logic [2:0]    target;
  logic [7:0]    target_bit;
  logic [16:0]   window;
  logic [47:0]   at_target, at_signal;
  logic          of_signal, several; // the signal is being stored; not the first part
  logic [63:0]   at;
  logic [12:0]   to_store;
  logic [15:0]   place;
  logic          w_answered, w_dirty;
  logic [3:0]    w_status;
  logic [31:0]   w_part;
  logic [PW-1:0] w_partition, partition;
  logic [47:0]   w_target;
  glk_ring_window #(.PARTITIONS(PARTITIONS), .SLICES(SLICES), .SLICE_SHIFT(SLICE_SHIFT), .WINDOW_W(WINDOW_W)) windows (
    .clk, .rst, .ep_kind, .ep_bytes, .start(state == AIM || state == STEP), .all(state == AIM || state == AIM_WAIT),
    .context_number(5'(context_number)), .handle(window[15:0]), .offset(at), .length(32'(to_store)), .need_read(1'b0),
    .need_write(1'b1), .done(w_answered), .status(w_status), .part(w_part), .partition(w_partition), .target(w_target),
    .window_changed, .window_valid, .window_ready, .window_row, .window_done, .window_q);

  assign buffer_valid    = state == TARGET && last && complete;
  assign buffer_line     = source_place[BUFFER-1:LB] + LINE_W'(SIGNAL_AT / LANES);
  assign range_valid     = !abandon && (state == PUSH || state == SEND);
  assign range_kind      = (state == SEND) ? FLUSH : STORE;
  assign range_place     = place;
  assign range_length    = w_part[12:0];
  assign range_address   = {16'b0, w_target};
  assign range_partition = (state == SEND) ? partition : w_partition;
  assign end_valid       = state == REPORT && !dead;
  assign end_last        = last;
  assign end_complete    = complete;
  assign stale           = dead || w_dirty;
  assign take_valid      = state == PROGRESS && !was_moving && !abandon;

  always_ff @(posedge clk) begin
    if (state == IDLE)
      wants <= valid & (some | moving);
    idle           <= state == IDLE && !(begins && |(valid & (some | moving)));
    halting        <= halt;
    storing        <= state >= TARGET && state <= SETTLE;
    stored_valid   <= 1'b0;
    step           <= step + 3'd1;
    source_offset  <= source_at[48] ? '1 : source_at[47:0];
    case (state)
      IDLE: begin
        step <= 3'd0;
        slot <= 5'd0;
        dead <= 1'b0;
        if (begins && |wants)
          state <= PICK;
      end
      PICK: begin
        region     <= lowest_number;
        region_bit <= lowest[REGIONS-1:0];
        was_moving <= |(moving & lowest[REGIONS-1:0]);
        after      <= ~(lowest[REGIONS-1:0] | (lowest[REGIONS-1:0] - REGIONS'(1)));
        step       <= 3'd0;
        state      <= (lowest == '0) ? IDLE : WORDS;
      end
      WORDS: begin
        slot <= slot + 5'd1;
        case (step)
          3'd1: control <= word;
          3'd2: source  <= word;
          3'd3: bytes   <= word[40:0];
          3'd4: first   <= word[KW-1:0];
          default: ;
        endcase
        {complete, moved, chunk} <= progress[region];
        if (step == 3'd4)
          state <= PROGRESS;
      end
      PROGRESS:
        state <= abandon ? IDLE : was_moving ? BEGIN : TAKE;
      TAKE: begin
        complete <= take_complete;
        moved    <= '0;
        chunk    <= take_chunk - first;
        if (take_done)
          state <= BEGIN;
      end
      BEGIN: begin
        begin_ <= 41'(chunk) << order;
        end_   <= 41'd1 << order;
        state  <= PLACE;
      end
      PLACE: begin
        offset <= begin_ + {17'b0, moved, 12'b0};
        end_   <= begin_ + end_;
        state  <= LIMIT;
      end
      LIMIT: begin
        if (end_ > bytes)
          end_ <= bytes;
        state <= LEFT;
      end
      LEFT: begin
        left  <= end_ - offset;
        state <= PART;
      end
      PART: begin
        last          <= left <= 41'd4096;
        source_length <= (left <= 41'd4096) ? left[12:0] : 13'd4096;
        state         <= SOURCE;
      end
      SOURCE:
        state <= abandon ? IDLE : SOURCE_WAIT;
      SOURCE_WAIT: begin
        target     <= 3'd0;
        target_bit <= 8'd1;
        end_failed <= source_status != 4'd0;
        end_code   <= {1'b0, source_status};
        end_lost   <= '0;
        end_stored <= '0;
        of_signal  <= 1'b0;
        if (source_done)
          state <= (abandon || !begins) ? IDLE : (source_status != 4'd0) ? REPORT : TARGET;
      end

      // --- a target ---
      TARGET: begin
        slot  <= {2'b01, target};
        step  <= 3'd0;
        several <= 1'b0;
        state <= abandon ? SETTLE : |(excluded & target_bit) ? NEXT : TARGET_WORDS;
      end
      TARGET_WORDS: begin
        slot <= slot + 5'd8;
        case (step)
          3'd1: window    <= word[16:0];
          3'd2: at_target <= word[47:0];
          3'd3: at_signal <= word[47:0];
          default: ;
        endcase
        at       <= 64'(at_target) + 64'(offset);
        to_store <= source_length;
        place    <= 16'(source_place);
        if (step == 3'd4)
          state <= AIM;
      end
      AIM:
        state <= AIM_WAIT;
      AIM_WAIT:
        if (w_answered) begin
          state <= STEP;
          if (w_status != 4'd0) begin
            end_lost <= end_lost | target_bit;
            end_code <= (end_code == 5'd0) ? {1'b0, w_status} : end_code;
            state    <= NEXT;
          end
        end
      STEP:
        state <= abandon ? SETTLE : STEP_WAIT;
      STEP_WAIT:
        if (w_answered) begin
          state <= PUSH;
          if (w_status != 4'd0) begin
            end_lost <= end_lost | target_bit;
            end_code <= (end_code == 5'd0) ? {1'b0, w_status} : end_code;
            state    <= NEXT;
          end
        end
      PUSH:
        if (abandon)
          state <= SETTLE;
        else if (range_ready) begin
          several <= 1'b1;
          if (!several) begin
            partition  <= w_partition;
            end_stored <= end_stored | target_bit;
            for (int t = 0; t < 8; t = t + 1)
              if (target_bit[t])
                end_places[t*PW +: PW] <= w_partition;
          end
          at       <= at + 64'(w_part);
          to_store <= to_store - w_part[12:0];
          place    <= place + w_part[15:0];
          state    <= (to_store == w_part[12:0]) ? STORED : STEP;
        end
      STORED: begin
        stored_valid     <= !of_signal;
        stored_partition <= partition;
        stored_bytes     <= source_length;
        state            <= last ? SEND : NEXT;
      end
      SEND:
        if (abandon)
          state <= SETTLE;
        else if (range_ready)
          state <= (of_signal || !complete || !window[16]) ? NEXT : SIGNAL;
      SIGNAL: begin
        of_signal <= 1'b1;
        several   <= 1'b0;
        at        <= 64'(at_signal) + {45'b0, 16'(chunk), 3'b000};
        to_store  <= 13'd8;
        place     <= {3'b0, source_place[12:LB], LB'(0)} + 16'(SIGNAL_AT);
        state     <= AIM;
      end
      NEXT: begin
        of_signal  <= 1'b0;
        target     <= target + 3'd1;
        target_bit <= target_bit << 1;
        state      <= (abandon || 8'(target) + 8'd1 == control[23:16]) ? SETTLE : TARGET;
      end
      SETTLE:
        if (range_idle)
          state <= REPORT;
      REPORT:
        if (dead || halting || end_taken)
          state <= IDLE;
      default: state <= IDLE;
    endcase

    if (state == TAKE && take_done && !dead)
      moving <= moving | region_bit;
    if (state == REPORT && end_taken && !dead && (end_failed || last))
      moving <= moving & ~region_bit;
    for (int r = 0; r < REGIONS; r = r + 1)
      if (kill && kill_region == RW'(r))
        moving[r] <= 1'b0;
    if (kill && state != IDLE && state != PICK && kill_region == region)
      dead <= 1'b1;
    if (kill && state == PICK)
      state <= IDLE;
    if (window_changed && storing)
      w_dirty <= 1'b1;
    else if (state == IDLE)
      w_dirty <= 1'b0;
    if (rst || clear) begin
      state        <= IDLE;
      moving       <= '0;
      wants        <= '0;
      after        <= '0;
      dead         <= 1'b0;
      w_dirty      <= 1'b0;
      stored_valid <= 1'b0;
      storing      <= 1'b0;
    end
  end

  // Written behind a take and at the end of a turn.
  always_ff @(posedge clk)
    if (state == BEGIN || (state == REPORT && end_taken))
      progress[region] <= {complete, (state == BEGIN) ? moved : moved + 12'd1, chunk};

  wire unused = &{1'b0, w_part[31:16], after, lowest, control};
endmodule
`default_nettype wire
