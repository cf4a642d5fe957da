// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Requests of the other card, in order: reads go on to glk_serve_reads, so that several are in flight; atomics and translations
// are executed and answered one at a time; a release goes to the slot of its partition. Malformed requests and those without
// access right are refused.
//
// Deadlock avoidance: a request never waits for a later one, and everything it waits for (loads, atomics of the rings,
// visibility of writes) completes without the other card. When the session ends, operations in progress are completed
// without a response.
module glk_serve_requests #(
  parameter int PARTITIONS = 16,
  parameter int PW         = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1
) (
  input  logic              clk,
  input  logic              rst,
  input  logic              session,
  input  logic [15:0]       open,
  input  logic [PARTITIONS*37-1:0] ep_bytes,

  // Pieces: one per request, two of an atomic
  input  logic [3:0]        s_kind,
  input  logic [127:0]      s_data,
  input  logic              s_last,
  input  logic              s_valid,
  output logic              s_ready,

  output logic [3:0]        release_partition,
  output logic [15:0]       release_tag,
  output logic [31:0]       release_count,
  output logic              release_valid,
  input  logic [15:0]       release_busy, // partitions with a release in progress

  // Loads: of reads, answered by glk_serve_reads, and of atomics, whose data come back
  output logic              fetch_atomic,
  output logic              fetch_refused,
  output logic [15:0]       fetch_tag,
  output logic [15:0]       fetch_asked,
  output logic [PW-1:0]     fetch_partition,
  output logic [47:0]       fetch_offset,
  output logic [6:0]        fetch_length,
  output logic              fetch_valid,
  input  logic              fetch_ready,
  input  logic              old_error,
  input  logic [511:0]      old_line,
  input  logic              old_valid,

  output logic              lock,
  input  logic              locked,
  output logic [PW-1:0]     atomic_partition,
  output logic [47:0]       atomic_offset,
  output logic [3:0]        atomic_length,
  output logic [63:0]       atomic_data,
  output logic              atomic_valid,
  input  logic              atomic_ready,

  output logic [PARTITIONS-1:0] each_take,
  input  logic [PARTITIONS-1:0] each_reached,
  input  logic              fail_valid,
  input  logic [PW-1:0]     fail_partition,

  // Responses except those of reads, complete packets
  output logic [95:0]       answer_data,
  output logic              answer_valid,
  input  logic              answer_ready,
  output logic              idle
);
  localparam logic [1:0] REFUSED = 2'd1, FAILED = 2'd2;

  typedef enum logic [3:0] {IDLE, LOOK, CHECK, CHOOSE, LOCK, LOAD, WAIT, PICK, MODIFY, WRITE, TAKE, SEE, ANSWER} state_t;
  state_t state;

  // --- request ---
  logic [127:12] head;  // of an atomic, until its second piece arrives
  logic [3:0]   kind, partition;
  logic [15:0]  tag;
  logic [63:0]  where, operand, compare;
  wire          two      = s_kind == 4'(glk_flit::ATOMIC_REQUEST);
  wire  [127:12] start   = two ? head : s_data[127:12];
  wire          reads    = kind == 4'(glk_flit::READ_REQUEST);
  wire          asks     = kind == 4'(glk_flit::TRANSLATION_REQUEST);
  wire          releases = kind == 4'(glk_flit::RELEASE);
  wire          atomic   = kind == 4'(glk_flit::ATOMIC_REQUEST);

  // --- format check ---
  wire  [2:0]   operation = where[50:48];
  wire          eight     = where[51];
  logic         sector_good, fits, opened, holds, place;
  logic [3:0]   first;
  logic [4:0]   words;
  logic [36:0]  pages;
  glk_trim_sector sector (.asked(where[63:48]), .good(sector_good), .first, .words);
  glk_serve_reach #(.PARTITIONS(PARTITIONS)) reach (
    .clk, .open, .ep_bytes, .partition, .page(where[47:12]), .opened, .holds, .left(pages));

  always_ff @(posedge clk) begin
    place <= !release_busy[partition];
    fits  <= reads ? sector_good && where[5:0] == 6'd0 :
             asks  ? where[63:48] == 16'd0 && where[11:0] == 12'd0 :
             atomic && where[63:52] == 12'd0 && operation < 3'd3 && where[1:0] == 2'd0 && !(eight && where[2]);
  end

  // --- load data and modified value ---
  logic [63:0]  eights, old, value;
  logic [1:0]   status;
  logic         modifies, failed, stale;
  wire          seen   = |(each_reached & PARTITIONS'(16'd1 << partition));
  wire          loaded = state == WAIT && old_valid;
  // Operation in progress, which cannot be aborted.
  wire          does   = (state == WAIT && !loaded) || (state == WRITE && modifies && !atomic_ready);
  wire          stop   = !session || stale;

  assign s_ready           = state == IDLE && session;
  assign release_partition = partition;
  assign release_tag       = tag;
  assign release_count     = where[31:0];
  assign release_valid     = state == CHOOSE && releases && opened && place && session;
  assign fetch_atomic      = atomic;
  assign fetch_refused     = reads && !(holds && fits);
  assign fetch_tag         = tag;
  assign fetch_asked       = where[63:48];
  assign fetch_partition   = PW'(partition);
  assign fetch_offset      = {where[47:6], reads ? {first, 2'b0} : where[5:0]};
  assign fetch_length      = reads ? {words, 2'b0} : eight ? 7'd8 : 7'd4;
  assign fetch_valid       = ((state == CHOOSE && reads) || state == LOAD) && session;
  assign atomic_partition  = PW'(partition);
  assign atomic_offset     = where[47:0];
  assign atomic_length     = eight ? 4'd8 : 4'd4;
  assign atomic_data       = value;
  assign atomic_valid      = state == WRITE && modifies;
  assign each_take         = (state == TAKE) ? PARTITIONS'(16'd1 << partition) : '0;
  assign answer_valid      = state == ANSWER;
  assign answer_data       = {releases ? 64'd0 : old, tag, 2'b0, status, 8'b0, releases ? 4'(glk_flit::RELEASED) :
                        asks ? 4'(glk_flit::TRANSLATION_RESPONSE) : 4'(glk_flit::ATOMIC_RESPONSE)};

  always_ff @(posedge clk) begin
    if (fail_valid && 4'(fail_partition) == partition)
      failed <= 1'b1;
    unique case (state)
      IDLE: begin
        status    <= 2'd0;
        failed    <= 1'b0;
        old       <= '0;
        kind      <= s_kind;
        partition <= start[15:12];
        tag       <= start[31:16];
        where     <= start[95:32];
        operand   <= {s_data[31:0], start[127:96]};
        compare   <= s_data[95:32];
        if (s_valid && s_ready) begin
          if (s_last)
            state <= LOOK;
          else
            head <= s_data[127:12];
        end
      end
      LOOK:
        state <= CHECK;
      CHECK:
        state <= CHOOSE;
      CHOOSE: begin
        if (releases ? !(opened && place) : !(holds && fits))
          status <= REFUSED;
        else if (asks) // a size of 2^48 bytes saturates
          old <= {14'b0, 2'b11, pages[36] ? {36{1'b1}} : pages[35:0], 12'b0};
        if (releases)
          state <= (opened && place) ? IDLE : ANSWER;
        else if (reads)
          state <= fetch_ready ? IDLE : CHOOSE;
        else
          state <= (holds && fits && atomic) ? LOCK : ANSWER;
        lock <= atomic && holds && fits;
      end
      LOCK:
        if (locked)
          state <= LOAD;
      LOAD:
        if (fetch_ready)
          state <= WAIT;
      WAIT: begin
        eights <= old_line[64*where[5:3] +: 64];
        if (loaded) begin
          if (old_error)
            status <= FAILED;
          state <= old_error ? TAKE : PICK;
        end
        if (loaded && old_error)
          lock <= 1'b0;
      end
      PICK: begin
        old   <= eight ? eights : {32'b0, where[2] ? eights[63:32] : eights[31:0]};
        state <= MODIFY;
      end
      MODIFY: begin
        value    <= (operation == 3'd0) ? old + operand : operand;
        modifies <= operation != 3'd2 || old == compare;
        state    <= WRITE;
      end
      WRITE:
        if (!modifies || atomic_ready) begin
          lock  <= 1'b0;
          state <= TAKE;
        end
      TAKE:
        state <= SEE;
      SEE:
        if (seen) begin
          if (failed)
            status <= FAILED;
          state <= ANSWER;
        end
      default: // ANSWER
        if (answer_ready)
          state <= IDLE;
    endcase
    // End of session.
    stale <= stop && does;
    if (stop && !does) begin
      state <= IDLE;
      lock  <= 1'b0;
    end
    idle <= state == IDLE;
    if (rst) begin
      state <= IDLE;
      lock  <= 1'b0;
      stale <= 1'b0;
    end
  end
endmodule
`default_nettype wire
