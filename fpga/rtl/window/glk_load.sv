// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Loads from endpoints for the aperture and the rings, one at a time. Ordering: a load must not pass an earlier store. A
// probe ahead of it flushes the queued bytes of its range; `token` reports that the probe has passed the queue, and the
// load waits until every packet sent by then has arrived. Then it is issued as a read, which stays behind these writes.
//
// Each user has its own request register, so neither blocks the other. Responses are always accepted: the requester
// reserves buffer space. So read completions never see back-pressure.
//
// Loads from partitions of the other card are delegated to y/z, as are atomics on them, whose old value is the response.
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
  input  logic              a_error,
  input  logic [PW-1:0]     a_partition,
  input  logic [47:0]       a_offset,
  input  logic [12:0]       a_length,
  input  logic [CW-1:0]     a_context,
  input  logic              a_valid,
  output logic              a_ready,
  output logic              b_error, // one beat without data; earlier beats are invalid
  output logic [DATA_W-1:0] b_data,
  output logic              b_last,
  output logic              b_valid,

  // Rings
  input  logic [PW-1:0]     n_partition,
  input  logic [47:0]       n_offset,
  input  logic [12:0]       n_length,
  input  logic              n_wait,      // only the wait for earlier stores: answered without data
  input  logic              n_atomic,    // first part of an atomic; n_operation .. n_compare apply if it is remote
  input  logic [1:0]        n_operation, // 0 add, 1 swap, 2 compare and swap
  input  logic [63:0]       n_operand,
  input  logic [63:0]       n_compare,
  input  logic              n_valid,
  output logic              n_ready,
  output logic              g_whole, // the atomic is already completed
  output logic              g_error,
  output logic [DATA_W-1:0] g_data,
  output logic              g_last,
  output logic              g_valid,

  // Reads on the bus
  output logic [63:0]       m_address,
  output logic [12:0]       m_length,
  output logic              m_valid,
  input  logic              m_ready,
  input  logic              d_error,
  input  logic [DATA_W-1:0] d_data,
  input  logic              d_last,
  input  logic              d_valid,

  // Reads of the pool
  output logic [47:0]       p_offset,
  output logic [12:0]       p_length,
  output logic              p_valid,
  input  logic              p_ready,
  input  logic [DATA_W-1:0] q_data,
  input  logic              q_last,
  input  logic              q_valid,
  output logic              q_ready,

  // Loads from and atomics on partitions of the other card; not across a 4 KiB boundary
  output logic [PW-1:0]     y_partition,
  output logic [47:0]       y_offset,
  output logic [12:0]       y_length,
  output logic              y_atomic,
  output logic [1:0]        y_operation,
  output logic [63:0]       y_operand,
  output logic [63:0]       y_compare,
  output logic              y_valid,
  input  logic              y_ready,
  input  logic              z_error,
  input  logic [DATA_W-1:0] z_data,
  input  logic              z_last,
  input  logic              z_valid,

  // A load failed, in a context if it was the aperture's. Reported before its response
  output logic [PW-1:0]     f_partition,
  output logic              f_owned,
  output logic [CW-1:0]     f_context,
  output logic              f_valid,
  input  logic              f_ready,
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

  assign a_ready = !af;
  assign n_ready = !nf;

  always_ff @(posedge clk) begin
    if (a_valid && a_ready) begin
      af    <= 1'b1;
      a_bad <= a_error;
      ap    <= a_partition;
      ao    <= a_offset;
      al    <= a_length;
      ac    <= a_context;
    end
    if (n_valid && n_ready) begin
      nf <= 1'b1;
      np <= n_partition;
      no <= n_offset;
      nl <= n_length;
      n_is_atomic <= n_atomic;
      n_only_waits <= n_wait;
      y_operation <= n_operation;
      y_operand   <= n_operand;
      y_compare   <= n_compare;
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
  wire           from_d = state == TAKE && !pool && !beyond && d_valid;
  wire           from_z = state == TAKE && beyond && z_valid;
  wire           from_q = state == TAKE && pool && q_valid;
  wire           ends   = (from_d && (d_last || d_error)) || (from_q && q_last) || (from_z && (z_last || z_error));
  wire           fails  = (from_d && d_error) || (from_z && z_error);

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
        if (pool ? p_ready : beyond ? y_ready : m_ready)
          state <= TAKE;
      TAKE:
        if (ends) begin
          address <= address + 64'(size);
          left    <= left - size;
          state   <= fails ? FAIL : final_q ? IDLE : ROOM;
        end
      FAIL:
        if (f_ready)
          state <= SAY;
      default:
        state <= IDLE;
    endcase
    if (rst) begin
      state <= IDLE;
      mine  <= 1'b0;
    end
  end

  assign m_address = address;
  assign m_length  = size;
  assign m_valid   = state == ASK && !pool && !beyond;
  assign y_partition = partition;
  assign y_offset  = address[47:0];
  assign y_length  = size;
  assign y_atomic  = mine && n_is_atomic;
  assign y_valid   = state == ASK && beyond;
  assign p_offset  = address[47:0];
  assign p_length  = size;
  assign p_valid   = state == ASK && pool;
  assign q_ready   = state == TAKE && pool;
  assign f_partition = partition;
  assign f_owned   = !mine;
  assign f_context = context_q;
  assign f_valid   = state == FAIL;

  // --- responses ---
  logic              s_mine, s_whole, s_error, s_last, s_valid;
  logic [DATA_W-1:0] s_data;
  wire               o_error = state == SAY;
  wire               o_waited = state == WAITED;
  wire               o_last  = o_error || o_waited || (final_q && (pool ? q_last : beyond ? z_last : d_last));
  wire               o_valid = o_error || o_waited || (from_d && !d_error) || from_q || (from_z && !z_error);

  always_ff @(posedge clk) begin
    s_valid <= o_valid;
    s_mine  <= mine;
    s_whole <= y_atomic && beyond && !o_error;
    s_error <= o_error;
    s_last  <= o_last;
    s_data  <= pool ? q_data : beyond ? z_data : d_data;
    if (rst)
      s_valid <= 1'b0;
  end
  assign b_error = s_error;
  assign b_data  = s_data;
  assign b_last  = s_last;
  assign b_valid = s_valid && !s_mine;
  assign g_whole = s_whole;
  assign g_error = s_error;
  assign g_data  = s_data;
  assign g_last  = s_last;
  assign g_valid = s_valid && s_mine;

  assign idle = state == IDLE && !af && !nf && !s_valid;
  wire unused = &{1'b0, last_byte[11:0]};
endmodule
`default_nettype wire
