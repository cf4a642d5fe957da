// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Loads from endpoints for the aperture and the rings, one at a time. Ordering: a load must not pass an earlier store. A
// probe ahead of it flushes the queued bytes of its range; `token` reports that the probe has passed the queue, and the
// load waits until every packet sent by then has arrived. Then it is issued as a read, which stays behind these writes.
//
// Each user has its own request register, so neither blocks the other. Responses are always accepted: the requester
// reserves buffer space. So read completions never see back-pressure.
//
// Loads from partitions of the other card are delegated to `away`, as are atomics on them, whose old value is the response.
module glk_load #(
  parameter int DATA_W     = 512,
  parameter int PARTITIONS = 16,
  parameter int CONTEXTS   = 32,
  parameter int READ_BYTES = 512,
  parameter int PW         = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1,
  parameter int CW         = (CONTEXTS > 1) ? $clog2(CONTEXTS) : 1
) (
  input  logic              clk,
  input  logic              rst,

  input  logic [PARTITIONS*2-1:0]  ep_kind,
  input  logic [PARTITIONS*52-1:0] ep_base,  // bits 63:12
  input  logic [PARTITIONS*37-1:0] ep_bytes, // in units of 4 KiB
  input  logic              token_valid,    // 2: the aperture's probe has passed, 3: the rings'
  input  logic [1:0]        token,
  input  logic [15:0]       sent,
  input  logic [15:0]       arrived,

  // Aperture. `error`: refused load, without probe and token, which requires only a response
  input  logic              aperture_error,
  input  logic [PW-1:0]     aperture_partition,
  input  logic [47:0]       aperture_offset,
  input  logic [12:0]       aperture_length,
  input  logic [CW-1:0]     aperture_context,
  input  logic              aperture_valid,
  output logic              aperture_ready,
  output logic              aperture_q_error, // one beat without data; earlier beats are invalid
  output logic [DATA_W-1:0] aperture_q_data,
  output logic              aperture_q_last,
  output logic              aperture_q_valid,

  // Rings
  input  logic [PW-1:0]     ring_partition,
  input  logic [47:0]       ring_offset,
  input  logic [12:0]       ring_length,
  input  logic              ring_wait,      // only the wait for earlier stores: answered without data
  input  logic              ring_atomic,    // first part of an atomic; ring_operation .. ring_compare apply if it is remote
  input  logic [1:0]        ring_operation, // 0 add, 1 swap, 2 compare and swap
  input  logic [63:0]       ring_operand,
  input  logic [63:0]       ring_compare,
  input  logic              ring_valid,
  output logic              ring_ready,
  output logic              ring_q_whole, // the atomic is already completed
  output logic              ring_q_error,
  output logic [DATA_W-1:0] ring_q_data,
  output logic              ring_q_last,
  output logic              ring_q_valid,

  // Reads on the bus
  output logic [63:0]       mem_address,
  output logic [12:0]       mem_length,
  output logic              mem_valid,
  input  logic              mem_ready,
  input  logic              rd_error,
  input  logic [DATA_W-1:0] rd_data,
  input  logic              rd_last,
  input  logic              rd_valid,

  // Reads of the pool
  output logic [47:0]       pool_offset,
  output logic [12:0]       pool_length,
  output logic              pool_valid,
  input  logic              pool_ready,
  input  logic [DATA_W-1:0] pool_q_data,
  input  logic              pool_q_last,
  input  logic              pool_q_valid,
  output logic              pool_q_ready,

  // Loads from and atomics on partitions of the other card; not across a 4 KiB boundary
  output logic [PW-1:0]     away_partition,
  output logic [47:0]       away_offset,
  output logic [12:0]       away_length,
  output logic              away_atomic,
  output logic [1:0]        away_operation,
  output logic [63:0]       away_operand,
  output logic [63:0]       away_compare,
  output logic              away_valid,
  input  logic              away_ready,
  input  logic              away_q_error,
  input  logic [DATA_W-1:0] away_q_data,
  input  logic              away_q_last,
  input  logic              away_q_valid,

  // A load failed, in a context if it was the aperture's. Reported before its response
  output logic [PW-1:0]     load_failed_partition,
  output logic              load_failed_owned,
  output logic [CW-1:0]     load_failed_context,
  output logic              load_failed_valid,
  input  logic              load_failed_ready,
  output logic              idle
);
  localparam int RB = $clog2(READ_BYTES);

  typedef enum logic [3:0] {IDLE, LOOK, SUM, ROOM, CUT, ASK, TAKE, FAIL, SAY, WAITED} state_t;
  state_t state;

  // --- request registers ---
  logic          aperture_held, aperture_refused, aperture_passed, aperture_reached;
  logic [PW-1:0] aperture_held_partition;
  logic [47:0]   aperture_held_offset;
  logic [12:0]   aperture_held_length;
  logic [CW-1:0] aperture_held_context;
  logic [15:0]   aperture_mark;
  logic          ring_held, ring_held_atomic, ring_held_wait, ring_passed, ring_reached;
  logic [PW-1:0] ring_held_partition;
  logic [47:0]   ring_held_offset;
  logic [12:0]   ring_held_length;
  logic [15:0]   ring_mark;
  logic          for_ring; // the current load is the rings'
  wire           aperture_go = aperture_held && (aperture_refused || aperture_reached);
  wire           ring_go = ring_held && ring_reached;
  wire           pick_ring = ring_go && !(aperture_go && for_ring); // round robin
  wire           pick_aperture = aperture_go && !pick_ring;
  wire           aperture_before, ring_before; // `arrived` has not reached the mark
  wire [14:0]    unused_aperture, unused_ring;
  assign {aperture_before, unused_aperture} = arrived - aperture_mark;
  assign {ring_before, unused_ring} = arrived - ring_mark;

  assign aperture_ready = !aperture_held;
  assign ring_ready = !ring_held;

  always_ff @(posedge clk) begin
    if (aperture_valid && aperture_ready) begin
      aperture_held           <= 1'b1;
      aperture_refused        <= aperture_error;
      aperture_held_partition <= aperture_partition;
      aperture_held_offset    <= aperture_offset;
      aperture_held_length    <= aperture_length;
      aperture_held_context   <= aperture_context;
    end
    if (ring_valid && ring_ready) begin
      ring_held           <= 1'b1;
      ring_held_partition <= ring_partition;
      ring_held_offset    <= ring_offset;
      ring_held_length    <= ring_length;
      ring_held_atomic    <= ring_atomic;
      ring_held_wait      <= ring_wait;
      away_operation      <= ring_operation;
      away_operand        <= ring_operand;
      away_compare        <= ring_compare;
    end
    // The token may precede the request.
    if (token_valid && token == 2'd2) begin
      aperture_passed <= 1'b1;
      aperture_mark   <= sent;
    end
    if (token_valid && token == 2'd3) begin
      ring_passed <= 1'b1;
      ring_mark   <= sent;
    end
    aperture_reached <= aperture_reached || (aperture_passed && !aperture_before);
    ring_reached     <= ring_reached || (ring_passed && !ring_before);
    if (state == IDLE && pick_aperture) begin
      aperture_held    <= 1'b0;
      aperture_passed  <= 1'b0;
      aperture_reached <= 1'b0;
    end
    if (state == IDLE && pick_ring) begin
      ring_held    <= 1'b0;
      ring_passed  <= 1'b0;
      ring_reached <= 1'b0;
    end
    if (rst) begin
      aperture_held    <= 1'b0;
      aperture_passed  <= 1'b0;
      aperture_reached <= 1'b0;
      ring_held        <= 1'b0;
      ring_passed      <= 1'b0;
      ring_reached     <= 1'b0;
    end
  end

  // --- current load ---
  logic [PW-1:0] partition;
  logic [CW-1:0] context_q;
  logic [47:0]   offset;
  logic [12:0]   left, size, room;
  logic          final_q;  // current read is the last one
  logic [1:0]    kind;
  logic [51:0]   base;
  logic [63:0]   address;
  logic [90:0]   endpoint; // endpoint of the partition: {bytes, base, kind}
  logic [36:0]   bytes;
  logic [47:0]   last_byte;
  wire           pool = kind == 2'(glk_regs::EP_POOL);
  wire           beyond = kind == 2'(glk_regs::EP_LINK);
  wire           from_bus  = state == TAKE && !pool && !beyond && rd_valid;
  wire           from_away = state == TAKE && beyond && away_q_valid;
  wire           from_pool = state == TAKE && pool && pool_q_valid;
  wire           ends      = (from_bus && (rd_last || rd_error)) || (from_pool && pool_q_last) ||
      (from_away && (away_q_last || away_q_error));
  wire           fails     = (from_bus && rd_error) || (from_away && away_q_error);

  always_comb begin
    endpoint = '0;
    for (int p = 0; p < PARTITIONS; p = p + 1)
      if (partition == PW'(p))
        endpoint = endpoint | {ep_bytes[p*37 +: 37], ep_base[p*52 +: 52], ep_kind[p*2 +: 2]};
  end

  always_ff @(posedge clk) begin
    unique case (state)
      IDLE: begin
        partition <= pick_ring ? ring_held_partition : aperture_held_partition;
        offset    <= pick_ring ? ring_held_offset : aperture_held_offset;
        left      <= pick_ring ? ring_held_length : aperture_held_length;
        context_q <= aperture_held_context;
        if (pick_ring || pick_aperture) begin
          for_ring <= pick_ring;
          state    <= (pick_aperture && aperture_refused) ? SAY : LOOK;
        end
      end
      LOOK: begin
        {bytes, base, kind} <= endpoint;
        last_byte <= offset + 48'(left) - 48'd1;
        state     <= SUM;
      end
      SUM: begin // checked by the requester, but the endpoint may have changed since
        address <= (beyond ? 64'd0 : {base, 12'b0}) + 64'(offset);
        state   <= (kind == 2'(glk_regs::EP_NONE) || {1'b0, last_byte[47:12]} >= bytes) ? FAIL :
            (for_ring && ring_held_wait) ? WAITED : ROOM;
      end
      // Bus reads end at multiples of READ_BYTES, others at multiples of 4 KiB.
      ROOM: begin
        room  <= (pool || beyond) ? 13'd4096 - 13'(address[11:0]) : 13'(READ_BYTES) - 13'(address[RB-1:0]);
        state <= CUT;
      end
      CUT: begin
        final_q <= left <= room;
        size    <= (left <= room) ? left : room;
        state   <= ASK;
      end
      ASK:
        if (pool ? pool_ready : beyond ? away_ready : mem_ready)
          state <= TAKE;
      TAKE:
        if (ends) begin
          address <= address + 64'(size);
          left    <= left - size;
          state   <= fails ? FAIL : final_q ? IDLE : ROOM;
        end
      FAIL:
        if (load_failed_ready)
          state <= SAY;
      default:
        state <= IDLE;
    endcase
    if (rst) begin
      state    <= IDLE;
      for_ring <= 1'b0;
    end
  end

  assign mem_address = address;
  assign mem_length  = size;
  assign mem_valid   = state == ASK && !pool && !beyond;
  assign away_partition = partition;
  assign away_offset   = address[47:0];
  assign away_length   = size;
  assign away_atomic   = for_ring && ring_held_atomic;
  assign away_valid    = state == ASK && beyond;
  assign pool_offset   = address[47:0];
  assign pool_length   = size;
  assign pool_valid    = state == ASK && pool;
  assign pool_q_ready  = state == TAKE && pool;
  assign load_failed_partition = partition;
  assign load_failed_owned   = !for_ring;
  assign load_failed_context = context_q;
  assign load_failed_valid   = state == FAIL;

  // --- responses ---
  logic              answer_for_ring, answer_whole, answer_error, answer_last, answer_valid;
  logic [DATA_W-1:0] answer_data;
  wire               next_error  = state == SAY;
  wire               next_waited = state == WAITED;
  wire               next_last   = next_error || next_waited || (final_q &&
      (pool ? pool_q_last : beyond ? away_q_last : rd_last));
  wire               next_valid  = next_error || next_waited || (from_bus && !rd_error) || from_pool ||
      (from_away && !away_q_error);

  always_ff @(posedge clk) begin
    answer_valid    <= next_valid;
    answer_for_ring <= for_ring;
    answer_whole    <= away_atomic && beyond && !next_error;
    answer_error    <= next_error;
    answer_last     <= next_last;
    answer_data     <= pool ? pool_q_data : beyond ? away_q_data : rd_data;
    if (rst)
      answer_valid <= 1'b0;
  end
  assign aperture_q_error = answer_error;
  assign aperture_q_data  = answer_data;
  assign aperture_q_last  = answer_last;
  assign aperture_q_valid = answer_valid && !answer_for_ring;
  assign ring_q_whole     = answer_whole;
  assign ring_q_error     = answer_error;
  assign ring_q_data      = answer_data;
  assign ring_q_last      = answer_last;
  assign ring_q_valid     = answer_valid && answer_for_ring;

  assign idle = state == IDLE && !aperture_held && !ring_held && !answer_valid;
  wire unused = &{1'b0, last_byte[11:0]};
endmodule
`default_nettype wire
