// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Loads and atomics on partitions of kind link, one at a time. To preserve ordering, all posted writes are acknowledged
// first. A load then requests all of its lines at once; if the bytes needed of a line lie within one sector and trimming is
// on, it requests only that sector. Every wait is bounded by the configured timeout.
module glk_remote_load #(
  parameter int DATA_W     = 512,
  parameter int PARTITIONS = 16,
  parameter int LANES      = DATA_W / 8,
  parameter int PW         = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1
) (
  input  logic                    clk,
  input  logic                    rst,
  input  logic                    session,
  input  logic [63:0]             now_ns,
  input  logic                    cfg_trimming,
  input  logic [1:0]              cfg_trim_code, // 0: 16 bytes, 1: 4, 2: 8, 3: 32
  input  logic [33:0]             cfg_timeout_ns,
  input  logic [PARTITIONS*4-1:0] remote_partition,

  // Load or atomic, and its response: see glk_remote_ask
  input  logic [PW-1:0]           load_partition,
  input  logic [47:0]             load_offset,
  input  logic [12:0]             load_length,
  input  logic                    load_atomic,
  input  logic [1:0]              load_operation,
  input  logic [63:0]             load_operand,
  input  logic [63:0]             load_compare,
  input  logic                    load_valid,
  output logic                    load_ready,
  output logic                    load_q_error,
  output logic [DATA_W-1:0]       load_q_data,
  output logic                    load_q_last,
  output logic                    load_q_valid,
  output logic [PARTITIONS-1:0]   each_take,
  input  logic [PARTITIONS-1:0]   each_reached,

  // Requests
  output logic                    m_atomic,
  output logic [223:0]            m_data,
  output logic                    m_valid,
  input  logic                    m_ready,

  // Flits of read responses, and atomic responses; `known` reports two clocks after a packet's last flit whether it was
  // expected
  input  logic [127:0]            s_data,
  input  logic                    s_first,
  input  logic                    s_last,
  input  logic                    s_read,
  input  logic                    s_atomic,
  output logic                    known,

  output logic                    e_timeout,
  output logic                    idle
);
  localparam int P  = PARTITIONS;
  localparam int LB = $clog2(LANES);
  localparam int AW = 12 - LB; // beats of a page

  typedef enum logic [3:0] {IDLE, LOOK, SECTOR, PAUSE, REACH, ASK, WAIT, GIVE, FAIL} state_t;
  state_t state;

  // --- request ---
  logic [PW-1:0] partition;
  logic [47:0]   offset;
  logic [12:0]   length;
  logic          is_atomic;
  logic [1:0]    operation;
  logic [63:0]   operand, compare;
  logic          trimming;
  logic [1:0]    code;
  logic [3:0]    remote_number;
  logic [11:0]   final_byte;
  wire  [11:0]   end_byte = offset[11:0] + length[11:0] - 12'd1;
  assign load_ready = state == IDLE;

  // --- first and last line: byte range, and the sector as encoded in a read request ---
  wire         single   = offset[11:6] == final_byte[11:6];
  wire  [5:2]  head_end = single ? final_byte[5:2] : 4'd15;
  logic [6:0]  head_asks, tail_asks;
  logic [3:0]  head_status, tail_status;
  logic [1:0]  head_row, tail_row;
  logic [5:0]  last; // number of the last line, from 0
  logic [8:0]  head, tail;

  // Sector covering words from..to of a line: its first 16-byte row, and bits 54:48 of the request's "where" field.
  function automatic logic [8:0] sector(input logic [5:2] from, input logic [5:2] to, input logic trims,
      input logic [1:0] size);
    logic       one;
    logic [3:0] which;
    logic [1:0] row;
    case (size)
      2'd0:    {one, which, row} = {from[5:4] == to[5:4], 2'b0, from[5:4], from[5:4]};
      2'd1:    {one, which, row} = {from[5:2] == to[5:2], from[5:2], from[5:4]};
      2'd2:    {one, which, row} = {from[5:3] == to[5:3], 1'b0, from[5:3], from[5:4]};
      default: {one, which, row} = {from[5] == to[5], 3'b0, from[5], from[5], 1'b0};
    endcase
    sector = (one && trims) ? {row, which, size, 1'b1} : 9'd0;
  endfunction
  assign head = sector(offset[5:2], head_end, trimming, code);
  assign tail = sector(4'd0, final_byte[5:2], trimming, code);

  // --- timeout ---
  logic [63:0] start, passed;
  logic [1:0]  fresh; // restarted just now
  logic        expired;
  wire         sent = m_valid && m_ready;
  logic        reached; // earlier writes are acknowledged
  wire         anew = state == PAUSE || (state == REACH && reached) || sent;

  always_ff @(posedge clk) begin
    passed  <= now_ns - start;
    expired <= passed >= 64'(cfg_timeout_ns) && fresh == 2'd0 && !anew;
    fresh   <= anew ? 2'b11 : {1'b0, fresh[1]};
    if (anew)
      start <= now_ns;
    if (rst)
      fresh <= 2'b11;
  end

  // --- requests ---
  logic [15:0] tag, first_tag; // of the next request; of the load's first
  logic [5:0]  number;         // next line, from 0
  wire         at_head = number == 6'd0;
  wire         at_last = number == last;
  wire  [6:0]  asks    = at_head ? head_asks : at_last ? tail_asks : 7'd0;
  wire  [5:0]  line    = offset[11:6] + number;
  wire  [63:0] where   = is_atomic ? {12'b0, length[3], 1'b0, operation, offset} : {9'b0, asks, offset[47:12], line, 6'b0};
  assign m_valid  = state == ASK;
  assign m_atomic = is_atomic;
  assign m_data   = {is_atomic ? compare : 64'b0, is_atomic ? operand : 64'b0, where, tag, remote_number, 12'b0};

  // --- atomic responses ---
  logic        t_valid, t_bad, t_known, old_there, old_failed;
  logic [63:0] t_data, old;
  always_ff @(posedge clk) begin
    t_valid <= s_atomic && s_data[31:16] == first_tag && !rst;
    t_bad   <= s_data[15:12] != 4'd0;
    t_data  <= s_data[95:32];
    t_known <= t_valid && state == WAIT && is_atomic && !old_there;
    if (t_valid && state == WAIT && !old_there) begin
      old_there  <= is_atomic;
      old_failed <= t_bad;
      old        <= t_data;
    end
    if (state == LOOK)
      old_there <= 1'b0;
    if (rst)
      t_known <= 1'b0;
  end

  // --- read responses ---
  logic              all, failed, r_known;
  logic [AW-1:0]     beat;
  logic [DATA_W-1:0] look_data;
  glk_remote_lines #(.DATA_W(DATA_W)) lines (
    .clk, .rst, .begins(state == PAUSE), .active((state == ASK || state == WAIT) && !is_atomic), .tag(first_tag),
    .line(offset[11:6]), .last, .head_status, .head_row, .tail_status, .tail_row, .asked(sent && !is_atomic),
    .asked_number(number), .all, .failed, .s_data, .s_first, .s_last, .s_valid(s_read), .known(r_known), .look(beat),
    .look_data);
  assign known = t_known || r_known;

  // --- state machine ---
  wire fails = !session || expired;
  wire done  = is_atomic ? old_there : all;
  wire bad   = is_atomic ? old_failed : failed;
  always_ff @(posedge clk) begin
    each_take <= '0;
    reached   <= each_reached[partition];
    e_timeout <= 1'b0;
    unique case (state)
      IDLE: begin
        partition <= load_partition;
        offset    <= load_offset;
        length    <= load_length;
        is_atomic <= load_atomic;
        operation <= load_operation;
        operand   <= load_operand;
        compare   <= load_compare;
        trimming  <= cfg_trimming;
        code      <= cfg_trim_code;
        if (load_valid)
          state <= LOOK;
      end
      LOOK: begin
        for (int p = 0; p < P; p = p + 1)
          if (partition == PW'(p)) begin
            each_take[p] <= session;
            remote_number   <= remote_partition[p*4 +: 4];
          end
        final_byte <= end_byte;
        first_tag  <= tag;
        state      <= session ? SECTOR : FAIL;
      end
      SECTOR: begin // each_take
        {head_row, head_asks} <= head;
        {tail_row, tail_asks} <= tail;
        head_status <= head[0] ? {2'b10, head[2:1]} : 4'd0;
        tail_status <= tail[0] ? {2'b10, tail[2:1]} : 4'd0;
        last   <= final_byte[11:6] - offset[11:6];
        number <= 6'd0;
        state  <= session ? PAUSE : FAIL;
      end
      PAUSE: // each_reached is valid from here on
        state <= session ? REACH : FAIL;
      REACH:
        if (fails)
          state <= FAIL;
        else if (reached)
          state <= ASK;
      ASK: begin
        if (m_ready) begin
          tag    <= tag + 16'd1;
          number <= number + 6'd1;
          if (is_atomic || at_last)
            state <= WAIT;
        end
        if (fails) begin
          state     <= FAIL;
          e_timeout <= session;
        end
      end
      WAIT:
        if (session && done) begin
          state <= bad ? FAIL : GIVE;
        end else if (fails) begin
          state     <= FAIL;
          e_timeout <= session;
        end
      GIVE:
        if (is_atomic || beat == final_byte[11 -: AW])
          state <= IDLE;
      default: // FAIL
        state <= IDLE;
    endcase
    beat <= (state == GIVE) ? beat + AW'(1) : offset[11 -: AW];
    if (rst) begin
      state     <= IDLE;
      tag       <= '0;
      each_take <= '0;
      e_timeout <= 1'b0;
    end
  end

  wire unused = &{1'b0, length[12], final_byte[1:0]};

  // --- response; a beat is available one clock after its lookup ---
  logic o_valid, o_error, o_last, o_atomic;
  always_ff @(posedge clk) begin
    o_valid      <= state == GIVE || state == FAIL;
    o_error      <= state == FAIL;
    o_last       <= state == FAIL || is_atomic || beat == final_byte[11 -: AW];
    o_atomic     <= is_atomic;
    load_q_valid <= o_valid;
    load_q_error <= o_error;
    load_q_last  <= o_last;
    load_q_data  <= !o_atomic ? look_data : length[3] ? {(DATA_W/64){old}} : {(DATA_W/32){old[31:0]}};
    idle         <= state == IDLE && !load_valid && !o_valid;
    if (rst) begin
      o_valid      <= 1'b0;
      load_q_valid <= 1'b0;
      idle         <= 1'b0;
    end
  end
endmodule
`default_nettype wire
