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
  input  logic              r_write,
  input  logic [1:0]        r_bar,      // 0 registers, 1 aperture, 2 pool
  input  logic [47:0]       r_offset,
  input  logic [12:0]       r_length,
  input  logic [31:0]       r_id,
  input  logic              r_poisoned, // valid with the first beat
  input  logic [DATA_W-1:0] r_data,
  input  logic              r_last,
  input  logic              r_valid,
  output logic              r_ready,
  output logic              r_read_ready,

  // Completions
  output logic [31:0]       c_id,
  output logic [11:0]       c_offset,
  output logic [12:0]       c_length,
  output logic [DATA_W-1:0] c_data,
  output logic              c_last,
  output logic              c_valid,
  input  logic              c_ready,

  // Register access: 1, 2, 4 or 8 bytes, naturally aligned, in the low bits. A read is answered by a pulse of y_valid.
  output logic              x_write,
  output logic [19:0]       x_offset,
  output logic [1:0]        x_size,     // log2(bytes)
  output logic [63:0]       x_data,
  output logic              x_poisoned,
  output logic              x_valid,
  input  logic              x_ready,
  input  logic [63:0]       y_data,
  input  logic              y_valid,

  // Aperture
  output logic              a_write,
  output logic [47:0]       a_offset,
  output logic [12:0]       a_length,
  output logic              a_poisoned,
  output logic [DATA_W-1:0] a_data,
  output logic              a_last,
  output logic              a_valid,
  input  logic              a_ready,
  input  logic              aperture_idle,
  input  logic              b_error,    // the load failed: one beat without data
  input  logic [DATA_W-1:0] b_data,
  input  logic              b_last,
  input  logic              b_valid,

  // Pool
  output logic              bp_write,
  output logic [47:0]       bp_offset,
  output logic [12:0]       bp_length,
  output logic [DATA_W-1:0] bp_data,
  output logic              bp_last,
  output logic              bp_valid,
  input  logic              bp_ready,
  input  logic [DATA_W-1:0] bq_data,
  input  logic              bq_last,
  input  logic              bq_valid,
  output logic              bq_ready,

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
    .clk, .rst, .s_data({r_write, r_bar, r_offset, r_length, r_id, r_poisoned, r_data, r_last}), .s_valid(r_valid), .s_ready(r_ready),
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
  wire               x_begin = d_valid && d_route == REGISTER && d_free && !x_valid && aperture_idle;
  wire               x_taken = x_valid && x_ready;
  assign h_ready = !d_valid || d_take;

  always_comb
    case (d_route)
      REGISTER: d_take = d_write ? x_taken && x_write : x_begin;
      APERTURE: d_take = d_free && a_ready;
      POOL:     d_take = d_free && bp_ready;
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

  assign a_write    = d_write;
  assign a_offset   = d_offset;
  assign a_length   = d_length;
  assign a_poisoned = d_poisoned;
  assign a_data     = d_data;
  assign a_last     = d_last;
  assign a_valid    = d_valid && d_route == APERTURE && d_free;
  assign bp_write   = d_write;
  assign bp_offset  = d_offset;
  assign bp_length  = d_length;
  assign bp_data    = d_data;
  assign bp_last    = d_last;
  assign bp_valid   = d_valid && d_route == POOL && d_free;

  // --- register access ---
  wire [63:0] d_word  = d_data[d_offset[LB-1:3]*64 +: 64] >> {d_offset[2:0], 3'b0};
  wire [63:0] d_bytes = {{32{d_length[3]}}, {16{d_length[3] || d_length[2]}}, {8{d_length[3:1] != 3'd0}}, 8'hff};

  always_ff @(posedge clk) begin
    if (!x_valid) begin
      x_write    <= d_write;
      x_offset   <= d_offset[19:0];
      x_size     <= {d_length[3] || d_length[2], d_length[3] || d_length[1]};
      x_data     <= d_word & d_bytes;
      x_poisoned <= d_poisoned;
    end
    x_valid <= x_begin || (x_valid && !x_ready);
    if (rst)
      x_valid <= 1'b0;
  end

  // --- outstanding read: beats are indexed by their address within 4 KiB ---
  logic [11-LB:0] line, last_line;
  logic           cs_ready;
  wire [12:0]     d_end     = {1'b0, d_offset[11:0]} + d_length - 13'd1;
  wire            is_last   = line == last_line;
  wire            unused_end = &{1'b0, d_end};

  (* ram_style = "block" *) logic [DATA_W-1:0] buffer [0:LINES-1];
  logic [DATA_W-1:0] played;
  wire               fill    = (reading == LOAD && b_valid) || (reading == POOLED && bq_valid);
  wire [11-LB:0]     play_at = line + (12-LB)'(reading == PLAY && cs_ready);
  assign bq_ready = reading == POOLED;

  always_ff @(posedge clk) begin
    if (fill)
      buffer[line] <= (reading == POOLED) ? bq_data : b_data;
    played <= buffer[play_at];
  end

  always_ff @(posedge clk) begin
    unique case (reading)
      NONE:
        if (d_valid && d_take && !d_write) begin
          c_id      <= d_id;
          c_offset  <= d_offset[11:0];
          c_length  <= d_length;
          line      <= d_offset[11:LB];
          last_line <= (d_length == 13'd0) ? d_offset[11:LB] : d_end[11:LB];
          case (d_route)
            REGISTER: reading <= REGISTERS;
            APERTURE: reading <= LOAD;
            POOL:     reading <= POOLED;
            default:  reading <= ONES;
          endcase
        end
      REGISTERS:
        if (y_valid)
          reading <= NONE;
      LOAD, POOLED:
        if (fill) begin
          line <= line + (12-LB)'(1);
          if (reading == LOAD ? b_last || b_error : bq_last) begin
            line    <= c_offset[11:LB];
            reading <= (reading == LOAD && b_error) ? ONES : PRIME;
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
  wire               cs_valid = (reading == REGISTERS && y_valid) || reading == PLAY || reading == ONES;
  wire               cs_last  = reading == REGISTERS || is_last;
  wire [63:0]        y_placed = y_data << {c_offset[2:0], 3'b0};
  wire [DATA_W-1:0]  cs_data  = (reading == REGISTERS) ? {(LANES/8){y_placed}} : played | {DATA_W{reading == ONES}};
  glk_skid #(.W(DATA_W + 1)) out (
    .clk, .rst, .s_data({cs_data, cs_last}), .s_valid(cs_valid), .s_ready(cs_ready),
    .m_data({c_data, c_last}), .m_valid(c_valid), .m_ready(c_ready));

  logic busy; // from the clock after a read is accepted until its completion has been transferred
  assign r_read_ready = !busy;
  assign idle = !h_valid && !d_valid && !x_valid && !busy;

  always_ff @(posedge clk) begin
    if (r_valid && r_ready && !r_write)
      busy <= 1'b1;
    else if (c_valid && c_ready && c_last)
      busy <= 1'b0;
    if (rst)
      busy <= 1'b0;
  end

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst, .on(checks));
  // Load data arrives only while it is awaited, so the stream needs no ready.
  always_ff @(posedge clk)
    if (checks && b_valid)
      assert(reading == LOAD);
`endif
endmodule
`default_nettype wire
