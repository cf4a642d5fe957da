// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// What happens to the regions, one operation at a time: accesses of registers, starts, arrivals, flushes, ends of turns of the
// engine, fences of releases, epochs that become visible. No operation waits for a read of the card, only for its posted writes
// (records) and, a clock per chunk, for walks over a region's counters.
//
// Epochs become visible in batches: glk_release confirms that everything sent before the batch has arrived. An epoch that is
// sent meanwhile is in the next one.
module glk_region_state #(
  parameter int REGIONS    = 64,
  parameter int CHUNKS     = 16384,
  parameter int CONTEXTS   = 32,
  parameter int PARTITIONS = 16,
  parameter int RW         = (REGIONS > 1) ? $clog2(REGIONS) : 1,
  parameter int KW         = (CHUNKS > 1) ? $clog2(CHUNKS) : 1,
  parameter int CW         = (CONTEXTS > 1) ? $clog2(CONTEXTS) : 1,
  parameter int PW         = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1
) (
  input  logic                  clk,
  input  logic                  rst,
  input  logic                  clear,
  output logic                  swept,
  output logic                  idle,
  input  logic [7:0]            generation,

  // Accesses of blocks REGION and CHUNK, and doorbells ARRIVE and START; stable until done
  input  logic                  reg_valid,
  input  logic [1:0]            reg_kind,     // 0 read, 1 write, 2 arrive, 3 start
  input  logic                  reg_of_chunk, // block CHUNK
  input  logic [13:0]           reg_element,
  input  logic [5:0]            reg_word,
  input  logic [63:0]           reg_value,
  input  logic [CW-1:0]         reg_context,
  output logic                  reg_done,
  output logic                  reg_refused,
  output logic [63:0]           reg_shown,

  // Ring operations; stable until done
  input  logic                  ring_valid,
  input  logic [1:0]            ring_kind, // 0 start, 1 arrive, 2 flush
  input  logic [CW-1:0]         ring_context,
  input  logic [15:0]           ring_region,
  input  logic [63:0]           ring_chunk,
  input  logic [31:0]           ring_count,
  output logic                  ring_done,
  output logic [4:0]            ring_status,

  // Fences of releases
  input  logic                  fence_valid,
  input  logic [RW-1:0]         fence_region,
  output logic                  fence_done,

  // Ends of turns
  input  logic                  end_valid,
  output logic                  end_taken,
  input  logic [RW-1:0]         end_region,
  input  logic                  end_failed,
  input  logic                  end_last,
  input  logic                  end_complete,
  input  logic [4:0]            end_code,
  input  logic [7:0]            end_lost,
  input  logic [7:0]            end_stored,
  input  logic [8*PW-1:0]       end_places,

  // Batches
  output logic                  batch_valid,
  input  logic                  batch_ready,
  input  logic                  batch_done,
  input  logic                  fail_valid,
  input  logic [PW-1:0]         fail_partition,

  // Chunks, see glk_region_chunks
  output logic                  arrival_valid,
  output logic [KW-1:0]         arrival_chunk,
  output logic [15:0]           arrival_count,
  input  logic                  arrival_done,
  input  logic                  arrival_ok,
  output logic                  finish,
  output logic                  drop,
  output logic                  walk_start,
  output logic                  walk_restart,
  output logic [KW-1:0]         walk_first,
  output logic [KW:0]           walk_chunks,
  input  logic                  walk_busy,
  output logic                  chunk_reg_valid,
  output logic                  chunk_reg_write,
  output logic [KW-1:0]         chunk_reg_chunk,
  output logic [15:0]           chunk_reg_initial,
  input  logic                  chunk_reg_done,
  input  logic [35:0]           chunk_reg_counter,
  output logic                  fresh,
  input  logic                  look_dirty,
  input  logic [KW:0]           look_listed,
  input  logic [KW:0]           look_finished,
  input  logic                  chunks_swept,

  // Words, see glk_region_table
  output logic                  word_write,
  output logic [4:0]            slot,
  output logic [63:0]           word_data,
  input  logic [63:0]           word,

  // Regions
  output logic [RW-1:0]         region,   // of the operation
  output logic [1:0]            epoch_low,
  output logic [REGIONS-1:0]    valid,
  output logic [REGIONS*CW-1:0] contexts,
  output logic [REGIONS-1:0]    waiting,  // their fences are not reached
  output logic                  kill,     // with `region`: it has become valid or invalid
  input  logic [RW-1:0]         see_region,
  output logic [63:0]           see_epoch,
  output logic [7:0]            see_lost,

  // Record
  output logic                  record_start,
  output logic [63:5]           record_address,
  output logic [255:0]          record_record,
  output logic                  record_interrupt,
  output logic [CW-1:0]         record_context,
  input  logic                  record_busy,

  // Event pulses
  output logic [15:0]           e_arrivals, // accepted
  output logic                  e_chunk,
  output logic                  e_partial,
  output logic                  e_epoch,
  output logic                  e_reject,
  output logic                  e_error,    // a doorbell was rejected: ERRORS of the context
  output logic [CW-1:0]         e_error_context
);
  localparam int LW = KW + 1;
  localparam logic [23:0] EVERY = 24'hffffff; // REGION_RECORD.WHERE of a start

  typedef enum logic [3:0] {READ, WRITE, ARRIVE, START, FLUSH, FENCE, TURN, SEEN} op_t;
  typedef enum logic [4:0] {
    SWEEP, IDLE, LOAD, ACT, RULE, COUNTER, ARRIVING, WALK, WALKING, MARK, FINISHED, FAILED, SENT, BEGIN, VISIBLE, REJECT, SAVE,
        REPORT, REPORTING, DONE
  } state_t;
  op_t        op;
  state_t     state;
  logic [2:0] step;
  logic       by_ring, reports; // a record is to be written

  // --- the request ---
  logic [CW-1:0] of_context;
  logic          exists;
  logic [63:0]   of_chunk;
  logic [31:0]   of_count;
  logic [7:0]    of_epoch;
  wire           has_slot = !reg_word[5] ? reg_word < 6'd6 : reg_word[4:3] != 2'd3;
  wire  [4:0]    own_slot = reg_word[5] ? reg_word[4:0] + 5'd8 : reg_word[4:0];

  // --- its region ---
  logic [63:0]   control, bytes, requested;
  logic [47:0]   chunks;
  logic [14:0]   expected;
  logic [63:5]   record;
  logic [63:0]   epoch, sent, visible, marked;
  logic [7:0]    lap;        // of ARRIVE.EPOCH
  logic [1:0]    status;
  logic [LW-1:0] left;
  logic [4:0]    code;
  logic [7:0]    lost, stored;
  logic [8*PW-1:0] places;
  logic [31:0]   chunks_sent, rejected;
  logic [23:0]   where;
  logic          is_valid, pending, in_batch, again;
  logic [4:0]    result;
  wire           rearm      = control[2];
  wire           interrupts = control[3];
  wire           mine       = exists && is_valid && control[32 +: CW] == of_context;
  wire           is_started = status == 2'(glk_regs::REGION_STATE_STARTED);

  localparam int ROW_W = 4*64 + 8 + 2 + LW + 5 + 8 + 8 + 8*PW + 32 + 32 + 24;
  (* ram_style = "distributed" *) logic [ROW_W-1:0] rows [0:(1<<RW)-1];
  logic [ROW_W-1:0] row;
  wire  [ROW_W-1:0] new_row = {epoch, sent, visible, marked, lap, status, left, code, lost, stored, places, chunks_sent,
      rejected, where};
  (* ram_style = "distributed" *) logic [71:0] sights [0:(1<<RW)-1]; // for the engine
  (* ram_style = "distributed" *) logic [KW:0] targets [0:(1<<RW)-1]; // of fences
  logic [KW:0] fence;
  always_ff @(posedge clk) begin
    if (state == SAVE || state == SWEEP) begin
      rows[region]   <= (state == SWEEP) ? '0 : new_row;
      sights[region] <= (state == SWEEP) ? '0 : {epoch, lost};
    end
    row <= rows[region];
    {see_epoch, see_lost} <= sights[see_region];
    if (state == MARK)
      targets[region] <= look_listed;
    fence <= targets[region];
  end

  // --- failures of targets ---
  logic [7:0] failed_targets;
  glk_region_failures #(.REGIONS(REGIONS), .PARTITIONS(PARTITIONS)) noted_failures (
    .clk, .rst, .fail_valid, .fail_partition, .region, .sample(state == LOAD && step == 3'd0),
    .note((state == BEGIN && !pending) || state == VISIBLE), .stored, .places, .failed(failed_targets));

  // --- rules ---
  logic allowed;
  glk_region_rules #(.CHUNKS(CHUNKS), .CONTEXTS(CONTEXTS)) rules (
    .clk, .slot(own_slot), .value(reg_value), .bytes, .chunks, .expected, .allowed);

  // --- batches ---
  logic [REGIONS-1:0] asks, batch, one; // sent since the last batch; in the batch; of `region`
  logic [(REGIONS+7)/8*8-1:0] batch_lowest;
  logic [RW-1:0]      batch_first;
  logic               batching, confirmed; // a batch is under way; what it covers has arrived
  glk_lowest #(.W((REGIONS + 7) / 8 * 8)) of_batch (.bits(((REGIONS + 7) / 8 * 8)'(batch)), .lowest(batch_lowest));
  always_comb begin
    batch_first = '0;
    for (int r = 0; r < REGIONS; r = r + 1)
      batch_first = batch_first | (RW'(r) & {RW{batch_lowest[r]}});
  end

  function some_of(input [REGIONS-1:0] bits, input [RW-1:0] which);
    integer i;
    some_of = 1'b0;
    for (i = 0; i < REGIONS; i = i + 1)
      if (which == RW'(i))
        some_of = bits[i];
  endfunction

  assign epoch_low           = epoch[1:0];
  assign arrival_chunk       = KW'(chunks[KW-1:0] + of_chunk[KW-1:0]);
  assign arrival_count       = of_count[15:0];
  assign walk_first          = chunks[KW-1:0];
  assign walk_chunks         = chunks[24 +: LW];
  assign chunk_reg_chunk     = reg_element[KW-1:0];
  assign chunk_reg_initial   = reg_value[31:16];
  assign chunk_reg_write     = reg_kind == 2'd1;
  assign record_address      = record;
  assign record_context      = control[32 +: CW];
  assign record_record       = {8'd0, where, rejected, 6'd0, status, generation, lost, 3'd0, code, chunks_sent, visible, sent};

  always_ff @(posedge clk) begin
    step          <= step + 3'd1;
    reg_done      <= 1'b0;
    ring_done     <= 1'b0;
    fence_done    <= 1'b0;
    end_taken     <= 1'b0;
    arrival_valid <= 1'b0;
    finish        <= 1'b0;
    drop          <= 1'b0;
    fresh         <= 1'b0;
    kill          <= 1'b0;
    walk_start    <= 1'b0;
    word_write    <= 1'b0;
    record_start  <= 1'b0;
    e_arrivals    <= '0;
    e_chunk       <= 1'b0;
    e_partial     <= 1'b0;
    e_epoch       <= 1'b0;
    e_reject      <= 1'b0;
    e_error       <= 1'b0;
    if (batch_ready)
      batch_valid <= 1'b0;
    if (batch_done)
      confirmed <= 1'b1;
    is_valid <= some_of(valid, region);
    pending  <= some_of(asks | batch, region);
    in_batch <= some_of(batch, region);
    again    <= some_of(asks, region);
    for (int r = 0; r < REGIONS; r = r + 1)
      one[r] <= region == RW'(r);

    case (state)
      SWEEP: begin // rows and words
        slot       <= slot + 5'd1;
        word_write <= 1'b1;
        word_data  <= '0;
        if (word_write && slot == 5'd31) begin
          region <= region + RW'(1);
          if (region == RW'(REGIONS - 1)) begin
            word_write <= 1'b0;
            state      <= IDLE;
          end
        end
      end

      IDLE: begin
        step        <= 3'd0;
        slot        <= 5'd0;
        result      <= 5'd0;
        exists      <= 1'b1;
        by_ring     <= 1'b0;
        reports     <= 1'b0;
        reg_refused <= 1'b0;
        record_interrupt <= 1'b0;
        if (!batching && |asks) begin
          batch       <= asks;
          asks        <= '0;
          batching    <= 1'b1;
          confirmed   <= 1'b0;
          batch_valid <= 1'b1;
        end else if (batching && confirmed && !(|batch))
          batching <= 1'b0;
        if (end_valid && !end_taken && !kill) begin
          op     <= TURN;
          region <= end_region;
          state  <= LOAD;
        end else if (batching && confirmed && |batch) begin
          op     <= SEEN;
          region <= batch_first;
          state  <= LOAD;
        end else if (fence_valid && !fence_done) begin
          op     <= FENCE;
          region <= fence_region;
          state  <= LOAD;
        end else if (ring_valid && !ring_done) begin
          op         <= (ring_kind == 2'd0) ? START : (ring_kind == 2'd1) ? ARRIVE : FLUSH;
          by_ring    <= 1'b1;
          region     <= ring_region[RW-1:0];
          exists     <= 32'(ring_region) < REGIONS;
          of_context <= ring_context;
          of_chunk   <= ring_chunk;
          of_count   <= ring_count;
          of_epoch   <= 8'd0;
          state      <= LOAD;
        end else if (reg_valid && !reg_done && chunks_swept) begin
          op         <= (reg_kind == 2'd0) ? READ : (reg_kind == 2'd1) ? WRITE : (reg_kind == 2'd2) ? ARRIVE : START;
          region     <= reg_kind[1] ? reg_value[RW-1:0] : reg_element[RW-1:0];
          exists     <= !reg_kind[1] || 32'(reg_value[15:0]) < REGIONS;
          of_context <= reg_context;
          of_chunk   <= {40'd0, reg_value[39:16]};
          of_count   <= {16'd0, reg_value[55:40]};
          of_epoch   <= reg_value[63:56];
          state      <= (!reg_kind[1] && reg_of_chunk) ? COUNTER : LOAD;
        end
      end

      LOAD: begin // a word every clock, two clocks after its slot
        case (step)
          3'd0: slot <= 5'd2;
          3'd1: slot <= 5'd3;
          3'd2: slot <= 5'd4;
          3'd3: slot <= 5'd5;
          default: slot <= own_slot;
        endcase
        case (step)
          3'd1: control   <= word;
          3'd2: bytes     <= word;
          3'd3: chunks    <= word[47:0];
          3'd4: expected  <= word[14:0];
          3'd5: record    <= word[63:5];
          3'd6: requested <= word;
          default: ;
        endcase
        {epoch, sent, visible, marked, lap, status, left, code, lost, stored, places, chunks_sent, rejected, where} <= row;
        if (step == 3'd7)
          state <= ACT;
      end

      ACT:
        case (op)
          READ: begin
            reg_shown <= has_slot ? requested : (reg_word == 6'd6) ? epoch :
                       (reg_word == 6'd7) ? {8'd0, lost, 3'd0, code, 6'd0, status, 8'd0, 24'(left)} : 64'd0;
            state   <= DONE;
          end
          WRITE: begin // the rules follow their inputs by two clocks
            slot        <= own_slot;
            word_data   <= reg_value;
            state       <= RULE;
            reg_refused <= 1'b1;
          end
          START:
            if (!mine || is_started) begin
              of_chunk[23:0] <= EVERY;
              result         <= mine ? 5'(glk_regs::ST_REGION_STATE) : 5'(glk_regs::ST_REGION);
              state          <= REJECT;
            end else begin
              code  <= 5'd0;
              lost  <= 8'd0;
              state <= BEGIN;
            end
          ARRIVE:
            if (!mine || !is_started || (of_epoch != 8'd0 && of_epoch != lap) || of_chunk >= 64'(chunks[47:24]) ||
                of_count[31:16] != '0) begin
              result <= !mine ? 5'(glk_regs::ST_REGION) : (!is_started || (of_epoch != 8'd0 && of_epoch != lap)) ?
                  5'(glk_regs::ST_REGION_STATE) :
                        5'(glk_regs::ST_REGION_COUNT);
              state  <= REJECT;
            end else begin
              arrival_valid <= 1'b1;
              state         <= ARRIVING;
            end
          FLUSH: begin
            result <= !mine ? 5'(glk_regs::ST_REGION) : 5'(glk_regs::ST_REGION_STATE);
            state  <= DONE;
            if (mine && is_started) begin
              result <= 5'd0;
              state  <= look_dirty ? WALK : MARK;
            end
          end
          FENCE:
            state <= !is_valid ? DONE : (look_dirty && control[1]) ? WALK : MARK;
          TURN: begin
            stored <= stored | end_stored;
            for (int t = 0; t < 8; t = t + 1)
              if (end_stored[t])
                places[t*PW +: PW] <= end_places[t*PW +: PW];
            lost  <= lost | end_lost;
            code  <= (code == 5'd0) ? end_code : code;
            state <= end_failed ? WALK : end_last ? FINISHED : SAVE;
            if (!end_failed && end_last) begin
              finish      <= 1'b1;
              chunks_sent <= chunks_sent + 32'd1;
              e_chunk     <= end_complete;
              e_partial   <= !end_complete;
            end
          end
          default: // SEEN
            state <= VISIBLE;
        endcase

      // --- writes of words ---
      RULE:
        if (step == 3'd2) begin
          state <= DONE;
          if (reg_word == 6'd0 && (reg_value == '0 || (allowed && !is_valid))) begin
            reg_refused <= 1'b0;
            word_write  <= 1'b1;
            kill        <= 1'b1;
            drop        <= 1'b1;
            fresh       <= 1'b1;
            valid       <= (valid & ~one) | (reg_value[0] ? one : '0);
            waiting     <= waiting & ~one;
            asks        <= asks & ~one;
            batch       <= batch & ~one;
            for (int r = 0; r < REGIONS; r = r + 1)
              if (one[r])
                contexts[r*CW +: CW] <= reg_value[32 +: CW];
            {epoch, sent, visible, marked, lap, status, left, code, lost, stored, places, chunks_sent, rejected, where} <= '0;
            state      <= SAVE;
          end else if (has_slot && reg_word != 6'd0 && allowed && !is_valid) begin
            reg_refused <= 1'b0;
            word_write  <= 1'b1;
          end
        end

      // --- block CHUNK ---
      COUNTER: begin
        reg_shown <= {28'd0, chunk_reg_counter};
        if (chunk_reg_write && (reg_value[63:32] != '0 || reg_value[15:0] != '0)) begin
          reg_refused <= 1'b1;
          state       <= DONE;
        end else begin
          chunk_reg_valid <= !chunk_reg_done;
          if (chunk_reg_done)
            state <= DONE;
        end
      end

      // --- arrivals ---
      ARRIVING:
        if (arrival_done) begin
          e_arrivals <= arrival_ok ? of_count[15:0] : 16'd0;
          result     <= arrival_ok ? 5'd0 : 5'(glk_regs::ST_REGION_COUNT);
          state      <= arrival_ok ? DONE : REJECT;
        end
      REJECT: begin
        e_reject        <= 1'b1;
        e_error         <= !by_ring;
        e_error_context <= of_context;
        state           <= DONE;
        if (mine) begin
          reports  <= 1'b1;
          rejected <= rejected + 32'd1;
          where    <= of_chunk[23:0];
          state    <= SAVE;
        end
      end

      // --- walks and fences ---
      WALK: begin
        walk_start   <= 1'b1;
        walk_restart <= op == TURN;
        step         <= 3'd0;
        state        <= WALKING;
      end
      WALKING: // the counts follow the end of the walk by some clocks
        if (step >= 3'd3 && walk_busy)
          step <= 3'd3;
        else if (step == 3'd7)
          state <= (op == TURN) ? FAILED : MARK;
      MARK: begin
        waiting <= (look_listed != look_finished) ? waiting | one : waiting & ~one;
        state   <= DONE;
      end

      // --- ends of turns ---
      FINISHED: begin // the counts follow by two clocks
        if (step == 3'd4) begin
          if (look_finished == fence)
            waiting <= waiting & ~one;
          left  <= end_complete ? left - LW'(1) : left;
          state <= (end_complete && left == LW'(1)) ? SENT : SAVE;
        end
      end
      FAILED: begin
        drop             <= 1'b1;
        waiting          <= waiting & ~one;
        status           <= 2'(glk_regs::REGION_STATE_FAILED);
        reports          <= 1'b1;
        record_interrupt <= 1'b1;
        state            <= SAVE;
      end

      // --- epochs ---
      BEGIN: begin
        epoch  <= epoch + 64'd1;
        lap    <= (lap == 8'(glk_regs::REGION_EPOCHS)) ? 8'd1 : lap + 8'd1;
        left   <= LW'(expected);
        status <= 2'(glk_regs::REGION_STATE_STARTED);
        state  <= (op == START && expected == '0) ? SENT : SAVE;
      end
      SENT: begin
        status           <= 2'(glk_regs::REGION_STATE_IDLE);
        reports          <= 1'b1;
        sent             <= epoch;
        e_epoch          <= 1'b1;
        record_interrupt <= interrupts;
        asks             <= asks | one;
        pending          <= 1'b1;
        if (!in_batch)
          marked <= epoch;
        state <= rearm ? BEGIN : SAVE;
      end
      VISIBLE: begin
        visible          <= marked;
        reports          <= 1'b1;
        lost             <= lost | failed_targets;
        record_interrupt <= interrupts;
        batch            <= batch & ~one;
        if (failed_targets != '0 && code == 5'd0)
          code <= 5'(glk_regs::ST_ENDPOINT);
        if (again)
          marked <= sent;
        state <= SAVE;
      end

      SAVE:
        state <= reports ? REPORT : DONE;
      REPORT: begin
        record_start <= 1'b1;
        state        <= REPORTING;
      end
      REPORTING:
        if (!record_start && !record_busy)
          state <= DONE;

      default: begin // DONE
        reg_done    <= !by_ring && op <= START;
        ring_done   <= by_ring;
        ring_status <= result;
        fence_done  <= op == FENCE;
        end_taken   <= op == TURN;
        state       <= IDLE;
      end
    endcase
    swept <= state != SWEEP && chunks_swept;
    idle  <= state == IDLE && !(end_valid || fence_valid || ring_valid || reg_valid || batching || |asks);

    if (rst || clear) begin
      state           <= SWEEP;
      slot            <= 5'd31;
      region          <= '0;
      valid           <= '0;
      waiting         <= '0;
      asks            <= '0;
      batch           <= '0;
      batching        <= 1'b0;
      confirmed       <= 1'b0;
      batch_valid     <= 1'b0;
      chunk_reg_valid <= 1'b0;
      record_start    <= 1'b0;
      e_reject        <= 1'b0;
      e_error         <= 1'b0;
      e_epoch         <= 1'b0;
      e_chunk         <= 1'b0;
      e_partial       <= 1'b0;
      e_arrivals      <= '0;
      reg_done        <= 1'b0;
      ring_done       <= 1'b0;
      fence_done      <= 1'b0;
      end_taken       <= 1'b0;
      word_write      <= 1'b0;
      swept           <= 1'b0;
      idle            <= 1'b0;
    end
  end
  wire unused = &{1'b0, batch_lowest, control, chunks, reg_element};
endmodule
`default_nettype wire
