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
  logic          af, a_bad, a_passed, a_reached;
  logic [PW-1:0] ap;
  logic [47:0]   ao;
  logic [12:0]   al;
  logic [CW-1:0] ac;
  logic [15:0]   a_mark;
  logic          nf, n_is_atomic, n_only_waits, n_passed, n_reached;
  logic [PW-1:0] np;
  logic [47:0]   no;
  logic [12:0]   nl;
  logic [15:0]   n_mark;
  logic          mine;    // current load is the rings'
  wire           a_go = af && (a_bad || a_reached);
  wire           n_go = nf && n_reached;
  wire           pick_n = n_go && !(a_go && mine); // round robin
  wire           pick_a = a_go && !pick_n;
  wire           a_before, n_before; // `arrived` has not reached the mark
  wire [14:0]    unused_a, unused_n;
  assign {a_before, unused_a} = arrived - a_mark;
  assign {n_before, unused_n} = arrived - n_mark;

  assign aperture_ready = !af;
  assign ring_ready = !nf;

  always_ff @(posedge clk) begin
    if (aperture_valid && aperture_ready) begin
      af    <= 1'b1;
      a_bad <= aperture_error;
      ap    <= aperture_partition;
      ao    <= aperture_offset;
      al    <= aperture_length;
      ac    <= aperture_context;
    end
    if (ring_valid && ring_ready) begin
      nf <= 1'b1;
      np <= ring_partition;
      no <= ring_offset;
      nl <= ring_length;
      n_is_atomic <= ring_atomic;
      n_only_waits <= ring_wait;
      away_operation <= ring_operation;
      away_operand   <= ring_operand;
      away_compare   <= ring_compare;
    end
    // The token may precede the request.
    if (token_valid && token == 2'd2) begin
      a_passed <= 1'b1;
      a_mark   <= sent;
    end
    if (token_valid && token == 2'd3) begin
      n_passed <= 1'b1;
      n_mark   <= sent;
    end
    a_reached <= a_reached || (a_passed && !a_before);
    n_reached <= n_reached || (n_passed && !n_before);
    if (state == IDLE && pick_a) begin
      af        <= 1'b0;
      a_passed  <= 1'b0;
      a_reached <= 1'b0;
    end
    if (state == IDLE && pick_n) begin
      nf        <= 1'b0;
      n_passed  <= 1'b0;
      n_reached <= 1'b0;
    end
    if (rst) begin
      af        <= 1'b0;
      a_passed  <= 1'b0;
      a_reached <= 1'b0;
      nf        <= 1'b0;
      n_passed  <= 1'b0;
      n_reached <= 1'b0;
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
  wire           from_d = state == TAKE && !pool && !beyond && rd_valid;
  wire           from_z = state == TAKE && beyond && away_q_valid;
  wire           from_q = state == TAKE && pool && pool_q_valid;
  wire           ends   = (from_d && (rd_last || rd_error)) || (from_q && pool_q_last) || (from_z && (away_q_last || away_q_error));
  wire           fails  = (from_d && rd_error) || (from_z && away_q_error);

  always_comb begin
    endpoint = '0;
    for (int p = 0; p < PARTITIONS; p = p + 1)
      if (partition == PW'(p))
        endpoint = endpoint | {ep_bytes[p*37 +: 37], ep_base[p*52 +: 52], ep_kind[p*2 +: 2]};
  end

  always_ff @(posedge clk) begin
    unique case (state)
      IDLE: begin
        partition <= pick_n ? np : ap;
        offset    <= pick_n ? no : ao;
        left      <= pick_n ? nl : al;
        context_q <= ac;
        if (pick_n || pick_a) begin
          mine  <= pick_n;
          state <= (pick_a && a_bad) ? SAY : LOOK;
        end
      end
      LOOK: begin
        {bytes, base, kind} <= endpoint;
        last_byte           <= offset + 48'(left) - 48'd1;
        state               <= SUM;
      end
      SUM: begin // checked by the requester, but the endpoint may have changed since
        address <= (beyond ? 64'd0 : {base, 12'b0}) + 64'(offset);
        state   <= (kind == 2'(glk_regs::EP_NONE) || {1'b0, last_byte[47:12]} >= bytes) ? FAIL : (mine && n_only_waits) ? WAITED : ROOM;
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
      state <= IDLE;
      mine  <= 1'b0;
    end
  end

  assign mem_address = address;
  assign mem_length  = size;
  assign mem_valid   = state == ASK && !pool && !beyond;
  assign away_partition = partition;
  assign away_offset   = address[47:0];
  assign away_length   = size;
  assign away_atomic   = mine && n_is_atomic;
  assign away_valid    = state == ASK && beyond;
  assign pool_offset   = address[47:0];
  assign pool_length   = size;
  assign pool_valid    = state == ASK && pool;
  assign pool_q_ready  = state == TAKE && pool;
  assign load_failed_partition = partition;
  assign load_failed_owned   = !mine;
  assign load_failed_context = context_q;
  assign load_failed_valid   = state == FAIL;

  // --- responses ---
  logic              s_mine, s_whole, s_error, s_last, s_valid;
  logic [DATA_W-1:0] s_data;
  wire               o_error = state == SAY;
  wire               o_waited = state == WAITED;
  wire               o_last  = o_error || o_waited || (final_q && (pool ? pool_q_last : beyond ? away_q_last : rd_last));
  wire               o_valid = o_error || o_waited || (from_d && !rd_error) || from_q || (from_z && !away_q_error);

  always_ff @(posedge clk) begin
    s_valid <= o_valid;
    s_mine  <= mine;
    s_whole <= away_atomic && beyond && !o_error;
    s_error <= o_error;
    s_last  <= o_last;
    s_data  <= pool ? pool_q_data : beyond ? away_q_data : rd_data;
    if (rst)
      s_valid <= 1'b0;
  end
  assign aperture_q_error = s_error;
  assign aperture_q_data  = s_data;
  assign aperture_q_last  = s_last;
  assign aperture_q_valid = s_valid && !s_mine;
  assign ring_q_whole     = s_whole;
  assign ring_q_error     = s_error;
  assign ring_q_data      = s_data;
  assign ring_q_last      = s_last;
  assign ring_q_valid     = s_valid && s_mine;

  assign idle = state == IDLE && !af && !nf && !s_valid;
  wire unused = &{1'b0, last_byte[11:0]};
endmodule
`default_nettype wire
