// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Stateless checks of a ring entry, in order of error priority: known operation, unused fields zero, length and alignment.
// Latency two clocks.
module glk_ring_check #(
  parameter int REGIONS = 64 // 0: their operations are unknown
) (
  input  logic         clk,
  input  logic         leases, // operations on leases are known; constant
  input  logic [511:0] entry,
  output logic [4:0]   status
);
  wire [7:0]  opcode        = entry[7:0];
  wire [7:0]  flags         = entry[15:8];
  wire [31:0] length        = entry[63:32];
  wire        is_nop        = opcode == 8'(glk_regs::OP_NOP);
  wire        is_put_inline = opcode == 8'(glk_regs::OP_PUT_INLINE);
  wire        is_put        = opcode == 8'(glk_regs::OP_PUT);
  wire        is_putv       = opcode == 8'(glk_regs::OP_PUTV);
  wire        is_get        = opcode == 8'(glk_regs::OP_GET);
  wire        is_cas        = opcode == 8'(glk_regs::OP_CAS);
  wire        is_atomic     = opcode == 8'(glk_regs::OP_FETCH_ADD) || opcode == 8'(glk_regs::OP_SWAP) || is_cas;
  wire        is_release    = opcode == 8'(glk_regs::OP_RELEASE);
  wire        is_arrive     = opcode == 8'(glk_regs::OP_REGION_ARRIVE);
  wire        of_region     = opcode == 8'(glk_regs::OP_REGION_START) || is_arrive || opcode == 8'(glk_regs::OP_REGION_FLUSH);
  wire        is_pool_read  = opcode == 8'(glk_regs::OP_POOL_READ);
  wire        is_renew      = opcode == 8'(glk_regs::OP_POOL_RENEW);
  wire        is_pool_write = opcode == 8'(glk_regs::OP_POOL_WRITE);
  wire        of_pool       = leases && (is_pool_read || is_renew || is_pool_write);
  wire        timed         = leases && is_atomic && (flags & 8'(glk_regs::FLAG_TIMED)) != '0;
  wire        moves         = !is_nop && !is_release && !of_region;

  // --- stage 1 ---
  logic        known, no_move, may_window, may_offset, may_registration, atomic, put_inline, short_atomic;
  logic        flags_set, window_set, offset_set, registration_set, unwanted_offset, length_bad, high_set, unaligned;
  logic [3:0]  data_set, data_allowed;
  logic [31:0] byte_set, byte_allowed;

  always_ff @(posedge clk) begin
    known            <= of_pool || opcode <= 8'((REGIONS != 0) ? glk_regs::OP_REGION_FLUSH : glk_regs::OP_RELEASE);
    no_move          <= !moves;
    may_window       <= moves;
    may_offset       <= (moves && !is_putv && !is_renew) || is_arrive;
    may_registration <= (moves && !is_put_inline) || of_region;
    put_inline       <= is_put_inline;
    atomic           <= is_atomic;
    flags_set        <= |(flags & ~(8'(glk_regs::FLAG_INTERRUPT) | (timed ? 8'(glk_regs::FLAG_TIMED) : 8'd0)));
    window_set       <= |entry[31:16];
    offset_set       <= |entry[191:128];
    registration_set <= |entry[255:192];
    // An atomic without destination for the old value must not have an offset for it. REGISTRATION may number a region.
    unwanted_offset  <= (((is_atomic && entry[207:192] == 16'(glk_regs::NO_REGISTRATION)) || of_region) && |entry[255:208]) ||
                        (timed && entry[207:192] == 16'(glk_regs::NO_REGISTRATION));
    data_set         <= {|entry[511:448], |entry[447:384], |entry[383:320], |entry[319:256]};
    data_allowed     <= is_put_inline ? 4'b1111 : is_cas ? {1'b0, timed, 2'b11} : is_atomic ? {1'b0, timed, 2'b01} :
                        is_pool_read ? 4'b0011 : (is_renew || is_pool_write) ? 4'b0001 : 4'b0000;
    for (int k = 0; k < 32; k = k + 1) begin
      byte_set[k]     <= |entry[256 + 8*k +: 8];
      byte_allowed[k] <= 32'(k) < length;
    end
    high_set         <= |entry[319:288] || |entry[383:352];
    short_atomic     <= length == 32'd4;
    unaligned        <= |entry[129:128] || (entry[130] && length != 32'd4);
    length_bad       <= !moves ? length != 32'd0 && !is_arrive :
                        is_atomic ? (length != 32'd4 && length != 32'd8) :
                        (length == 32'd0 && !is_pool_read) || (is_renew && length > 32'(glk_regs::RENEW_MAX)) ||
                            (is_put_inline && length > 32'(glk_regs::INLINE_MAX_BYTES)) ||
                        ((is_put || is_get) && length > 32'(glk_regs::PUT_MAX_BYTES)) ||
                        (is_putv && length > 32'(glk_regs::PUTV_MAX_BYTES));
  end

  // --- stage 2 ---
  wire reserved = flags_set || (window_set && !may_window) || (offset_set && !may_offset) ||
                  (registration_set && !may_registration) || unwanted_offset || |(data_set & ~data_allowed);
  wire late_reserved = (put_inline && |(byte_set & ~byte_allowed)) || (atomic && short_atomic && high_set);

  always_ff @(posedge clk)
    status <= !known ? 5'(glk_regs::ST_OPCODE) :
              (reserved || (no_move && length_bad)) ? 5'(glk_regs::ST_RESERVED) :
              length_bad ? 5'(glk_regs::ST_LENGTH) :
              late_reserved ? 5'(glk_regs::ST_RESERVED) :
              (atomic && unaligned) ? 5'(glk_regs::ST_ALIGNMENT) : 5'(glk_regs::ST_OK);

  wire unused = &{1'b0, entry[127:64]};
endmodule
`default_nettype wire
