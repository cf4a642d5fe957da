// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Pool operations of the ring engine: the kind of an entry, the line at an address, an access with a time from its request to
// its lease, and what goes into the data buffer: records of leases.
module glk_ring_pool #(
  parameter int DATA_W     = 512,
  parameter int PARTITIONS = 16,
  parameter int PW         = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1,
  parameter int LANES      = DATA_W / 8,
  parameter int LINE_W     = 16 - $clog2(LANES)
) (
  input  logic                     clk,
  input  logic                     idle,     // between entries
  input  logic                     leases,   // constant
  input  logic [PARTITIONS*2-1:0]  ep_kind,
  input  logic [PARTITIONS*52-1:0] ep_base,
  input  logic [5:0]               slot_shift,
  input  logic [255:0]             grains,

  // Entry; one clock of latency
  input  logic [63:0]              entry,
  output logic                     is_read,
  output logic                     is_write,
  output logic                     is_renew,
  output logic                     of_pool,  // one of these
  output logic                     is_timed, // an atomic with a time
  output logic                     leased,   // one of all these

  // Line of an address: checked in five clocks, first for the first byte, then for the whole range
  input  logic                     check,
  input  logic [PW-1:0]            partition,
  input  logic [47:0]              target,
  output logic [12:0]              bytes,    // of the line
  output logic [11:0]              in_line,  // offset of the address in it
  output logic                     checked,
  output logic                     whole,    // nothing is left to check
  output logic [4:0]               status,

  // Access. A write's time is checked before the write is requested; an atomic that may write nothing gets a lease first.
  input  logic                     modifies, // an atomic writes
  input  logic                     modify,   // it is decided; the access begins in the next clock
  // the data buffer's output is idle: a record could overwrite data that is being written
  input  logic                     settled,
  output logic                     asks,
  input  logic                     asked,    // and the request is taken
  output logic [1:0]               timed_kind,
  output logic [47:0]              timed_offset,
  output logic [12:0]              timed_length,
  input  logic [63:0]              timed_time,
  input  logic [63:0]              timed_limit,
  input  logic                     timed_q_valid,
  input  logic                     timed_q_last,
  input  logic                     timed_valid,
  input  logic                     timed_ok,
  input  logic                     timed_same,
  input  logic [63:0]              timed_wts,
  input  logic [63:0]              timed_rts,
  output logic                     granted,  // a lease is known, of an atomic that may write nothing
  output logic                     same,     // the copy is the line's bytes
  // How it ends, once `settled`
  output logic                     refused,
  output logic                     read,     // an atomic: compute again
  output logic                     stores,   // the engine stores the data, and comes back for the lease
  output logic                     recorded, // the last clock of the record
  output logic                     e_refuse,
  output logic                     e_timed_write,

  // Records, 16 aligned bytes a clock
  input  logic [63:0]              old,
  input  logic [15:0]              place,
  output logic                     records,
  output logic [LINE_W-1:0]        buffer_line,
  output logic [LANES-1:0]         buffer_enables,
  output logic [DATA_W-1:0]        buffer_data,
  output logic                     buffer_valid
);
  localparam int LB = $clog2(LANES);
  localparam logic [1:0] RENEW = 2'd0, READ = 2'd1, WRITE = 2'd2, MARK = 2'd3;

  typedef enum logic [2:0] {ASK, WAIT, LATE, RECORD, SECOND} state_t;
  state_t state;
  logic [2:0] pace;
  wire        last = pace == 3'd4;

  // --- entry ---
  wire [7:0]  opcode = entry[7:0];
  wire [31:0] length = entry[63:32];
  wire        timed  = leases && opcode < 8'(glk_regs::OP_RELEASE) && (entry[15:8] & 8'(glk_regs::FLAG_TIMED)) != '0;
  always_ff @(posedge clk) begin
    is_read  <= opcode == 8'(glk_regs::OP_POOL_READ);
    is_write <= opcode == 8'(glk_regs::OP_POOL_WRITE);
    is_renew <= opcode == 8'(glk_regs::OP_POOL_RENEW);
    of_pool  <= opcode > 8'(glk_regs::OP_REGION_FLUSH);
    is_timed <= timed;
    leased   <= timed || opcode > 8'(glk_regs::OP_REGION_FLUSH);
  end

  // --- line ---
  logic        pool_a, pool_b, pool_c, on_pool, full;
  logic [47:0] at_a, at_b, at_c, offset;
  logic [5:0]  slot;
  logic [3:0]  grain;
  always_ff @(posedge clk) begin
    pool_a  <= leases && ep_kind[32'(partition)*2 +: 2] == 2'(glk_regs::EP_POOL);
    at_a    <= {ep_base[32'(partition)*52 +: 36], 12'b0} + target;
    pool_b  <= pool_a;
    at_b    <= at_a;
    slot    <= 6'(at_a >> slot_shift);
    pool_c  <= pool_b;
    at_c    <= at_b;
    grain   <= grains[slot*4 +: 4];
    on_pool <= pool_c;
    offset  <= at_c;
    bytes   <= 13'd64 << grain;
    in_line <= at_c[11:0] & ((12'd64 << grain) - 12'd1);
    status  <= !on_pool ? 5'(glk_regs::ST_NOT_POOL) :
               (is_read && length != 32'(bytes)) ? 5'(glk_regs::ST_LENGTH) :
               ((is_write && length > 32'(bytes) - 32'(in_line)) || ((is_read || is_renew) && in_line != 12'd0)) ?
                   5'(glk_regs::ST_ALIGNMENT) :
               5'(glk_regs::ST_OK);
    if (check && last)
      full <= !full;
    if (idle)
      full <= 1'b0;
  end

  // --- lease ---
  logic        known, complete, ok, late;
  logic        reads;  // the access is a read
  logic        marked; // a write's time is checked
  logic [63:0] wts, rts;
  wire         answered = state == WAIT && known && (complete || !reads);
  wire         passes   = state == LATE && last && !late;

  assign timed_kind   = reads ? READ : is_renew ? RENEW : marked ? WRITE : MARK;
  assign timed_offset = {offset[47:3], (is_timed && reads) ? 3'd0 : offset[2:0]};
  assign checked      = last;
  assign whole        = is_timed || full;
  assign asks         = state == ASK;
  assign refused      = (answered && !ok) || (state == LATE && last && late);
  assign read         = answered && ok && is_timed && reads;
  assign stores       = passes && is_write;
  assign records      = state == RECORD || state == SECOND;
  assign recorded     = state == SECOND || (state == RECORD && is_renew);

  always_ff @(posedge clk) begin
    reads         <= is_read || (is_timed && !modifies);
    timed_length  <= is_read ? bytes : !is_timed ? 13'd1 : modifies ? 13'(length[3:0]) : 13'd8;
    late          <= timed_time > timed_limit;
    e_refuse      <= state == LATE && last && late;
    e_timed_write <= (asked && timed_kind == WRITE) || stores;
    pace          <= ((check || state == LATE) && !last) ? pace + 3'd1 : 3'd0;
    if (timed_valid) begin
      known <= 1'b1;
      ok    <= timed_ok;
      same  <= timed_same;
      wts   <= timed_wts;
      rts   <= timed_rts;
    end
    if (timed_q_valid && timed_q_last)
      complete <= 1'b1;
    if (state == ASK || state == LATE) begin
      known    <= 1'b0;
      complete <= 1'b0;
    end

    unique case (state)
      ASK: begin
        if (asked)
          state <= WAIT;
        if (modify && granted && !modifies) // the lease is known
          state <= RECORD;
      end
      WAIT:
        if (answered && settled) begin
          granted <= is_timed && reads;
          state   <= (!ok || (is_timed && reads)) ? ASK : (is_renew || is_read || marked) ? RECORD : LATE;
        end
      LATE: // a time that is not refused now is not refused when the write is stamped
        if (last) begin
          marked <= 1'b1;
          state  <= stores ? WAIT : ASK;
        end
      RECORD: state <= is_renew ? ASK : SECOND;
      default: state <= ASK;
    endcase
    if (idle) begin
      state   <= ASK;
      granted <= 1'b0;
      marked  <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  wire checks;
  glk_after_reset checking (.clk, .rst(idle), .on(checks));
  always_ff @(posedge clk)
    if (checks) begin
      begin : asked_when_asking assert (!asked || state == ASK); end
      begin : settled_with_records assert (settled || !(state == LATE || records)); end
    end
`endif

  // --- records ---
  wire [127:0] words = is_renew ? {wts, same ? rts : 64'd0} : (state == SECOND) ? {63'd0, same, is_timed ? old : 64'd0} :
                       {rts, wts};
  wire [15:0]  at    = place + {11'b0, state == SECOND, 4'b0};
  always_ff @(posedge clk) begin
    buffer_valid <= records;
    buffer_line  <= at[15:LB];
    buffer_data  <= {(LANES/16){words}};
    for (int k = 0; k < LANES; k = k + 1)
      buffer_enables[k] <= (LB == 4) || (k >> 4) == 32'(at[LB-1:4]);
  end
  wire unused = &{1'b0, entry[31:16], at[3:0]};
endmodule
`default_nettype wire
