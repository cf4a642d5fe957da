// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Block TSU: settings, state and counters of the pool's timestamps. `shown` is the value of `word` when reg_done of a read
// comes: all writes that the pool took before it are stamped. `allowed` follows word and value by a clock.
module glk_pool_registers #(
  parameter int SETS    = 1024,
  parameter int WAYS    = 8,
  parameter int TS_BITS = 32
) (
  input  logic         clk,
  input  logic         rst,
  input  logic         clear,      // a reset: settings, and the next epoch
  input  logic [63:0]  pool_bytes,
  input  logic [5:0]   slot_shift,

  // Accesses, one at a time: valid until done
  input  logic [8:0]   word,
  output logic [63:0]  shown,
  input  logic [63:0]  value,
  output logic         allowed,
  input  logic         reg_valid,
  input  logic         reg_write,
  output logic         reg_done,
  output logic         swept,      // no command is under way

  // Settings
  output logic [15:0]  read_lease,
  output logic [15:0]  write_lease,
  output logic         adapt,
  output logic [255:0] grains,

  // Commands to glk_pool_stamps
  output logic         command_valid,
  output logic [2:0]   command_kind,
  input  logic         command_take,
  input  logic         command_done,

  output logic         zero_start,
  output logic [23:0]  zero_first,
  output logic [23:0]  zero_pages,
  input  logic         zero_busy,

  input  logic [31:0]  epoch,
  input  logic [31:0]  floor,
  input  logic [63:0]  clock,
  input  logic [63:0]  greatest,
  input  logic [7:0]   events,     // in the order of the counters
  input  logic         snapshot
);
  localparam logic [2:0] FORGET = 3'd3, EPOCH = 3'd4, MARK = 3'd5;
  localparam logic [8:0] CONTROL = 9'((glk_regs::TSU_CONTROL - glk_regs::BLOCK_TSU) / 8);
  localparam logic [8:0] READ    = 9'((glk_regs::TSU_READ_LEASE - glk_regs::BLOCK_TSU) / 8);
  localparam logic [8:0] WRITE   = 9'((glk_regs::TSU_WRITE_LEASE - glk_regs::BLOCK_TSU) / 8);
  localparam logic [8:0] CLEAR   = 9'((glk_regs::TSU_CLEAR - glk_regs::BLOCK_TSU) / 8);
  localparam logic [8:0] GRAIN   = 9'((glk_regs::TSU_GRAIN_0 - glk_regs::BLOCK_TSU) / 8);
  localparam logic [8:0] FIRST   = 9'((glk_regs::TSU_COUNTER_FIRST - glk_regs::BLOCK_TSU) / 8);
  localparam logic [63:0] CAPS = 64'd1 << glk_regs::TSU_CAPS_CHANNELS_SHIFT | 64'(SETS) << glk_regs::TSU_CAPS_SETS_SHIFT |
                                 64'(WAYS) << glk_regs::TSU_CAPS_WAYS_SHIFT | 64'(TS_BITS) << glk_regs::TSU_CAPS_TS_BITS_SHIFT;

  initial if (glk_regs::TSU_GRAIN_0 % 32 != 0 || glk_regs::TSU_COUNTER_FIRST % 64 != 0 || glk_regs::TSU_COUNTER_SPAN != 8 ||
              TS_BITS < 5) $fatal;

  wire       of_grain   = word[8:2] == GRAIN[8:2];
  wire       of_counter = word[8:3] == FIRST[8:3];
  wire [7:0] at_grain   = {word[1:0], 6'b0};

  // --- counters ---
  logic [511:0] counts, latched;
  genvar g;
  generate
    for (g = 0; g < 8; g = g + 1) begin : counter
      always_ff @(posedge clk) begin
        counts[g*64 +: 64] <= counts[g*64 +: 64] + 64'(events[g]);
        if (rst)
          counts[g*64 +: 64] <= '0;
      end
    end
  endgenerate
  always_ff @(posedge clk) begin
    if (snapshot)
      latched <= counts;
    if (rst)
      latched <= '0;
  end

  // --- values ---
  logic [63:0] setting;
  always_ff @(posedge clk) begin
    case (word)
      9'((glk_regs::TSU_CAPS - glk_regs::BLOCK_TSU) / 8):     setting <= CAPS |
          64'(slot_shift) << glk_regs::TSU_CAPS_SLOT_SHIFT_SHIFT;
      CONTROL: setting <= {62'd0, adapt, 1'b0};
      READ:    setting <= 64'(read_lease);
      WRITE:   setting <= 64'(write_lease);
      CLEAR:   setting <= {zero_busy && !reg_write, 63'd0};
      9'((glk_regs::TSU_EPOCH - glk_regs::BLOCK_TSU) / 8):    setting <= 64'(epoch);
      9'((glk_regs::TSU_FLOOR - glk_regs::BLOCK_TSU) / 8):    setting <= 64'(floor);
      9'((glk_regs::TSU_CLOCK - glk_regs::BLOCK_TSU) / 8):    setting <= clock;
      9'((glk_regs::TSU_GREATEST - glk_regs::BLOCK_TSU) / 8): setting <= greatest;
      default: setting <= '0;
    endcase
    shown <= of_grain ? grains[at_grain +: 64] : of_counter ? latched[word[2:0]*64 +: 64] : setting;
  end

  // --- rules ---
  logic [15:0] big;  // nibbles above 6
  logic        lease_fits, clear_fits;
  wire [24:0]  beyond = {1'b0, value[23:0]} + {1'b0, value[47:24]};
  always_comb
    for (int k = 0; k < 16; k = k + 1)
      big[k] = value[4*k +: 4] > 4'(glk_regs::GRAIN_ORDER_MAX - glk_regs::GRAIN_ORDER_MIN);
  assign lease_fits = value != '0 && value <= 64'd32768 && (value >> (TS_BITS - 1)) == '0;
  assign clear_fits = value[63:48] == '0 && value[47:24] != '0 && 52'(beyond) <= pool_bytes[63:12] && !zero_busy;
  always_ff @(posedge clk)
    allowed <= of_grain ? big == '0 : (word == CONTROL) ? value[63:2] == '0 : (word == READ || word == WRITE) ? lease_fits :
               word == CLEAR && clear_fits;

  wire unused = &{1'b0, pool_bytes[11:0]};

  // --- accesses: a read marks its place among the stamps; a write may need a command ---
  typedef enum logic [2:0] {IDLE, COMMAND, SETTLE, LAST, RESET} state_t;
  state_t     state;
  logic [2:0] pace;
  logic       reset_due;
  assign zero_first = value[23:0];
  assign zero_pages = value[47:24];
  assign swept      = state == IDLE && !reset_due;

  always_ff @(posedge clk) begin
    reg_done   <= 1'b0;
    zero_start <= 1'b0;
    pace       <= pace + 3'd1;
    case (state)
      IDLE: begin
        pace <= '0;
        if (reset_due) begin
          command_kind  <= EPOCH;
          command_valid <= 1'b1;
          state         <= RESET;
        end else if (reg_valid && !reg_done && !reg_write) begin
          command_kind  <= MARK;
          command_valid <= 1'b1;
          state         <= COMMAND;
        end else if (reg_valid && !reg_done) begin
          state <= LAST;
          if (word == READ)
            read_lease <= value[15:0];
          if (word == WRITE)
            write_lease <= value[15:0];
          if (word == CONTROL) begin
            adapt <= value[1];
            command_kind <= EPOCH;
            if (value[0]) begin
              command_valid <= 1'b1;
              state         <= COMMAND;
            end
          end
          if (word == CLEAR)
            zero_start <= 1'b1;
          if (of_grain && grains[at_grain +: 64] != value) begin
            command_kind  <= FORGET;
            command_valid <= 1'b1;
            state         <= COMMAND;
          end
        end
      end
      COMMAND: begin
        pace <= '0;
        if (command_take && command_kind == FORGET)
          grains[at_grain +: 64] <= value;
        if (command_done) begin
          command_valid <= 1'b0;
          state         <= SETTLE;
        end
      end
      SETTLE: // until the state after it is shown
        if (&pace)
          state <= LAST;
      LAST: begin
        reg_done <= 1'b1;
        state    <= IDLE;
      end
      default: // RESET
        if (command_done) begin
          command_valid <= 1'b0;
          reset_due     <= 1'b0;
          state         <= IDLE;
        end
    endcase
    if (clear) begin
      reset_due   <= 1'b1;
      read_lease  <= 16'(glk_regs::TSU_READ_LEASE_RESET);
      write_lease <= 16'(glk_regs::TSU_WRITE_LEASE_RESET);
      adapt       <= 1'b0;
      grains      <= '0;
    end
    if (rst) begin
      state         <= IDLE;
      reg_done      <= 1'b0;
      command_valid <= 1'b0;
      zero_start    <= 1'b0;
      reset_due     <= 1'b0;
      read_lease    <= 16'(glk_regs::TSU_READ_LEASE_RESET);
      write_lease   <= 16'(glk_regs::TSU_WRITE_LEASE_RESET);
      adapt         <= 1'b0;
      grains        <= '0;
    end
  end
endmodule
`default_nettype wire
