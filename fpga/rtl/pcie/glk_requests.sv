// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Routes host requests by BAR, in order, and completes reads. Accesses outside the implemented ranges are dropped; reads of
// them return all ones.
//
// One read is outstanding at a time, and writes pass it: a read leaves the request pipeline once it is forwarded. Its data
// is buffered until complete, because a load may fail midway and then returns all ones.
module glk_requests #(
  parameter int DATA_W = 512,
  parameter int LANES  = DATA_W / 8
) (
  input  logic              clk,
  input  logic              rst,
  input  logic [63:0]       pool_bytes, // a multiple of 4 KiB

  // Requests
  input  logic              req_write,
  input  logic [1:0]        req_bar,      // 0 registers, 1 aperture, 2 pool
  input  logic [47:0]       req_offset,
  input  logic [12:0]       req_length,
  input  logic [31:0]       req_id,
  input  logic              req_poisoned, // valid with the first beat
  input  logic [DATA_W-1:0] req_data,
  input  logic              req_last,
  input  logic              req_valid,
  output logic              req_ready,
  output logic              req_read_ready,

  // Completions
  output logic [31:0]       cpl_id,
  output logic [11:0]       cpl_offset,
  output logic [12:0]       cpl_length,
  output logic [DATA_W-1:0] cpl_data,
  output logic              cpl_last,
  output logic              cpl_valid,
  input  logic              cpl_ready,

  // Register access: 1, 2, 4 or 8 bytes, naturally aligned, in the low bits. A read is answered by a pulse of reg_q_valid.
  output logic              reg_write,
  output logic [19:0]       reg_offset,
  output logic [1:0]        reg_size, // log2(bytes)
  output logic [63:0]       reg_data,
  output logic              reg_poisoned,
  output logic              reg_valid,
  input  logic              reg_ready,
  input  logic [63:0]       reg_q_data,
  input  logic              reg_q_valid,

  // Aperture
  output logic              aperture_write,
  output logic [47:0]       aperture_offset,
  output logic [12:0]       aperture_length,
  output logic              aperture_poisoned,
  output logic [DATA_W-1:0] aperture_data,
  output logic              aperture_last,
  output logic              aperture_valid,
  input  logic              aperture_ready,
  input  logic              aperture_idle,
  input  logic              aperture_q_error, // the load failed: one beat without data
  input  logic [DATA_W-1:0] aperture_q_data,
  input  logic              aperture_q_last,
  input  logic              aperture_q_valid,

  // Pool
  output logic              bar4_write,
  output logic [47:0]       bar4_offset,
  output logic [12:0]       bar4_length,
  output logic [DATA_W-1:0] bar4_data,
  output logic              bar4_last,
  output logic              bar4_valid,
  input  logic              bar4_ready,
  input  logic [DATA_W-1:0] bar4_q_data,
  input  logic              bar4_q_last,
  input  logic              bar4_q_valid,
  output logic              bar4_q_ready,

  // Event pulse
  output logic              e_pool_poisoned,
  output logic              idle
);
  localparam int LB    = $clog2(LANES);
  localparam int LINES = 4096 / LANES; // beats of the largest access
  localparam int IN_W  = 1 + 2 + 48 + 13 + 32 + 1 + DATA_W + 1;

  typedef enum logic [2:0] {NOWHERE, REGISTER, APERTURE, POOL, POISONED} route_t;
  typedef enum logic [2:0] {NONE, REGISTERS, LOAD, POOLED, PRIME, PLAY, ONES} reading_t;

  // --- stage H: address decode ---
  logic              h_valid, h_ready, h_write, h_poisoned, h_last;
  logic [1:0]        h_bar;
  logic [47:0]       h_offset;
  logic [12:0]       h_length;
  logic [31:0]       h_id;
  logic [DATA_W-1:0] h_data;
  route_t            h_route;

  glk_skid #(.W(IN_W)) skid (
    .clk, .rst, .s_data({req_write, req_bar, req_offset, req_length, req_id, req_poisoned, req_data, req_last}),
    .s_valid(req_valid), .s_ready(req_ready),
    .m_data({h_write, h_bar, h_offset, h_length, h_id, h_poisoned, h_data, h_last}), .m_valid(h_valid), .m_ready(h_ready));

  wire h_sized   = h_length == 13'd1 || (h_length == 13'd2 && !h_offset[0]) || (h_length == 13'd4 && h_offset[1:0] == 2'd0) ||
                   (h_length == 13'd8 && h_offset[2:0] == 3'd0);
  wire h_in_pool = {16'b0, h_offset[47:12]} < pool_bytes[63:12]; // requests do not cross a 4 KiB boundary
  wire unused_pool = &{1'b0, pool_bytes[11:0]};

  always_comb begin
    h_route = NOWHERE;
    if (h_length != 13'd0)
      case (h_bar)
        2'd0: if (h_sized && h_offset < 48'(glk_regs::BAR0_SIZE)) h_route = REGISTER;
        2'd1: h_route = APERTURE;
        2'd2:
          if (h_in_pool && h_write && h_poisoned)
            h_route = POISONED;
          else if (h_in_pool)
            h_route = POOL;
        default: h_route = NOWHERE;
      endcase
  end

  // --- stage D: dispatch ---
  logic              d_valid, d_write, d_poisoned, d_last, d_begun;
  logic [47:0]       d_offset;
  logic [12:0]       d_length;
  logic [31:0]       d_id;
  logic [DATA_W-1:0] d_data;
  route_t            d_route;
  reading_t          reading;
  logic              d_take;
  wire               d_free  = d_write || reading == NONE; // a second read would be a protocol violation
  wire               x_begin = d_valid && d_route == REGISTER && d_free && !reg_valid && aperture_idle;
  wire               x_taken = reg_valid && reg_ready;
  assign h_ready = !d_valid || d_take;

  always_comb
    case (d_route)
      REGISTER: d_take = d_write ? x_taken && reg_write : x_begin;
      APERTURE: d_take = d_free && aperture_ready;
      POOL:     d_take = d_free && bar4_ready;
      POISONED: d_take = 1'b1;
      default:  d_take = d_write || (d_free && aperture_idle); // a zero-length read also waits for earlier stores
    endcase

  always_ff @(posedge clk) begin
    e_pool_poisoned <= h_valid && h_ready && !d_begun && h_route == POISONED;
    if (h_ready) begin
      d_valid  <= h_valid;
      d_write  <= h_write;
      d_offset <= h_offset;
      d_length <= h_length;
      d_id     <= h_id;
      d_data   <= h_data;
      d_last   <= h_last;
      if (!d_begun) begin
        d_poisoned <= h_poisoned;
        d_route    <= h_route;
      end
      if (h_valid)
        d_begun <= !h_last;
    end
    if (rst) begin
      d_valid         <= 1'b0;
      d_begun        <= 1'b0;
      e_pool_poisoned <= 1'b0;
    end
  end

  assign aperture_write    = d_write;
  assign aperture_offset   = d_offset;
  assign aperture_length   = d_length;
  assign aperture_poisoned = d_poisoned;
  assign aperture_data     = d_data;
  assign aperture_last     = d_last;
  assign aperture_valid    = d_valid && d_route == APERTURE && d_free;
  assign bar4_write        = d_write;
  assign bar4_offset       = d_offset;
  assign bar4_length       = d_length;
  assign bar4_data         = d_data;
  assign bar4_last         = d_last;
  assign bar4_valid        = d_valid && d_route == POOL && d_free;

  // --- register access ---
  wire [63:0] d_word  = d_data[d_offset[LB-1:3]*64 +: 64] >> {d_offset[2:0], 3'b0};
  wire [63:0] d_bytes = {{32{d_length[3]}}, {16{d_length[3] || d_length[2]}}, {8{d_length[3:1] != 3'd0}}, 8'hff};

  always_ff @(posedge clk) begin
    if (!reg_valid) begin
      reg_write    <= d_write;
      reg_offset   <= d_offset[19:0];
      reg_size     <= {d_length[3] || d_length[2], d_length[3] || d_length[1]};
      reg_data     <= d_word & d_bytes;
      reg_poisoned <= d_poisoned;
    end
    reg_valid <= x_begin || (reg_valid && !reg_ready);
    if (rst)
      reg_valid <= 1'b0;
  end

  // --- outstanding read: beats are indexed by their address within 4 KiB ---
  logic [11-LB:0] line, last_line;
  logic           cs_ready;
  wire [12:0]     d_end     = {1'b0, d_offset[11:0]} + d_length - 13'd1;
  wire            is_last   = line == last_line;
  wire            unused_end = &{1'b0, d_end};

  (* ram_style = "block" *) logic [DATA_W-1:0] buffer [0:LINES-1];
  logic [DATA_W-1:0] played;
  wire               fill    = (reading == LOAD && aperture_q_valid) || (reading == POOLED && bar4_q_valid);
  wire [11-LB:0]     play_at = line + (12-LB)'(reading == PLAY && cs_ready);
  assign bar4_q_ready = reading == POOLED;

  always_ff @(posedge clk) begin
    if (fill)
      buffer[line] <= (reading == POOLED) ? bar4_q_data : aperture_q_data;
    played <= buffer[play_at];
  end

  always_ff @(posedge clk) begin
    unique case (reading)
      NONE:
        if (d_valid && d_take && !d_write) begin
          cpl_id     <= d_id;
          cpl_offset <= d_offset[11:0];
          cpl_length <= d_length;
          line       <= d_offset[11:LB];
          last_line  <= (d_length == 13'd0) ? d_offset[11:LB] : d_end[11:LB];
          case (d_route)
            REGISTER: reading <= REGISTERS;
            APERTURE: reading <= LOAD;
            POOL:     reading <= POOLED;
            default:  reading <= ONES;
          endcase
        end
      REGISTERS:
        if (reg_q_valid)
          reading <= NONE;
      LOAD, POOLED:
        if (fill) begin
          line <= line + (12-LB)'(1);
          if (reading == LOAD ? aperture_q_last || aperture_q_error : bar4_q_last) begin
            line    <= cpl_offset[11:LB];
            reading <= (reading == LOAD && aperture_q_error) ? ONES : PRIME;
          end
        end
      PRIME: reading <= PLAY;
      default: // PLAY, ONES
        if (cs_ready) begin
          line <= line + (12-LB)'(1);
          if (is_last)
            reading <= NONE;
        end
    endcase
    if (rst)
      reading <= NONE;
  end

  // --- completion ---
  wire               cs_valid = (reading == REGISTERS && reg_q_valid) || reading == PLAY || reading == ONES;
  wire               cs_last  = reading == REGISTERS || is_last;
  wire [63:0]        y_placed = reg_q_data << {cpl_offset[2:0], 3'b0};
  wire [DATA_W-1:0]  cs_data  = (reading == REGISTERS) ? {(LANES/8){y_placed}} : played | {DATA_W{reading == ONES}};
  glk_skid #(.W(DATA_W + 1)) out (
    .clk, .rst, .s_data({cs_data, cs_last}), .s_valid(cs_valid), .s_ready(cs_ready),
    .m_data({cpl_data, cpl_last}), .m_valid(cpl_valid), .m_ready(cpl_ready));

  logic busy; // from the clock after a read is accepted until its completion has been transferred
  assign req_read_ready = !busy;
  assign idle = !h_valid && !d_valid && !reg_valid && !busy;

  always_ff @(posedge clk) begin
    if (req_valid && req_ready && !req_write)
      busy <= 1'b1;
    else if (cpl_valid && cpl_ready && cpl_last)
      busy <= 1'b0;
    if (rst)
      busy <= 1'b0;
  end

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst, .on(checks));
  // Load data arrives only while it is awaited, so the stream needs no ready.
  always_ff @(posedge clk)
    if (checks && aperture_q_valid)
      begin : answers_a_load assert(reading == LOAD); end
`endif
endmodule
`default_nettype wire
