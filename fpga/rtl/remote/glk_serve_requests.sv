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

  output logic [3:0]        z_partition,
  output logic [15:0]       z_tag,
  output logic [31:0]       z_count,
  output logic              z_valid,
  input  logic [15:0]       z_busy, // partitions with a release in progress

  // Loads: of reads, answered by glk_serve_reads, and of atomics, whose data come back
  output logic              n_atomic,
  output logic              n_refused,
  output logic [15:0]       n_tag,
  output logic [15:0]       n_asked,
  output logic [PW-1:0]     n_partition,
  output logic [47:0]       n_offset,
  output logic [6:0]        n_length,
  output logic              n_valid,
  input  logic              n_ready,
  input  logic              h_error,
  input  logic [511:0]      h_line,
  input  logic              h_valid,

  output logic              lock,
  input  logic              locked,
  output logic [PW-1:0]     o_partition,
  output logic [47:0]       o_offset,
  output logic [3:0]        o_length,
  output logic [63:0]       o_data,
  output logic              o_valid,
  input  logic              o_ready,

  output logic [PARTITIONS-1:0] each_take,
  input  logic [PARTITIONS-1:0] each_reached,
  input  logic              fail_valid,
  input  logic [PW-1:0]     fail_partition,

  // Responses except those of reads, complete packets
  output logic [95:0]       a_data,
  output logic              a_valid,
  input  logic              a_ready,
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
    place <= !z_busy[partition];
    fits  <= reads ? sector_good && where[5:0] == 6'd0 :
             asks  ? where[63:48] == 16'd0 && where[11:0] == 12'd0 :
             atomic && where[63:52] == 12'd0 && operation < 3'd3 && where[1:0] == 2'd0 && !(eight && where[2]);
  end

  // --- load data and modified value ---
  logic [63:0]  eights, old, value;
  logic [1:0]   status;
  logic         modifies, failed, stale;
  wire          seen   = |(each_reached & PARTITIONS'(16'd1 << partition));
  wire          loaded = state == WAIT && h_valid;
  // Operation in progress, which cannot be aborted.
  wire          does   = (state == WAIT && !loaded) || (state == WRITE && modifies && !o_ready);
  wire          stop   = !session || stale;

  assign s_ready     = state == IDLE && session;
  assign z_partition = partition;
  assign z_tag       = tag;
  assign z_count     = where[31:0];
  assign z_valid     = state == CHOOSE && releases && opened && place && session;
  assign n_atomic    = atomic;
  assign n_refused   = reads && !(holds && fits);
  assign n_tag       = tag;
  assign n_asked     = where[63:48];
  assign n_partition = PW'(partition);
  assign n_offset    = {where[47:6], reads ? {first, 2'b0} : where[5:0]};
  assign n_length    = reads ? {words, 2'b0} : eight ? 7'd8 : 7'd4;
  assign n_valid     = ((state == CHOOSE && reads) || state == LOAD) && session;
  assign o_partition = PW'(partition);
  assign o_offset    = where[47:0];
  assign o_length    = eight ? 4'd8 : 4'd4;
  assign o_data      = value;
  assign o_valid     = state == WRITE && modifies;
  assign each_take   = (state == TAKE) ? PARTITIONS'(16'd1 << partition) : '0;
  assign a_valid     = state == ANSWER;
  assign a_data      = {releases ? 64'd0 : old, tag, 2'b0, status, 8'b0, releases ? 4'(glk_flit::RELEASED) :
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
          state <= n_ready ? IDLE : CHOOSE;
        else
          state <= (holds && fits && atomic) ? LOCK : ANSWER;
        lock <= atomic && holds && fits;
      end
      LOCK:
        if (locked)
          state <= LOAD;
      LOAD:
        if (n_ready)
          state <= WAIT;
      WAIT: begin
        eights <= h_line[64*where[5:3] +: 64];
        if (loaded) begin
          if (h_error)
            status <= FAILED;
          state <= h_error ? TAKE : PICK;
        end
        if (loaded && h_error)
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
        if (!modifies || o_ready) begin
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
        if (a_ready)
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
