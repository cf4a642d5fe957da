// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Plain writes to endpoints: memory on the bus, or the pool.
//
// glk_scatter may deliver a line in several beats where sub-packets meet; they are merged here, so that a write has one
// beat per line. Whether more of a line follows is known only from the next beat: a beat that does not end its write waits
// for it. Writes of atomics are inserted between writes.
//
// The endpoint is looked up when a write begins, for the whole write; a write beyond the endpoint's end is dropped. Writes
// are checked at their source, but for an atomic or a received packet the endpoint may have changed since.
//
// Both destinations share one output register, so writes are issued in order. An issued write waits until glk_memory_mux has
// reported it to glk_acknowledge (`posted`), and completes then: `packet_done` follows a packet's last write, atomic_ready that
// of an atomic, for which no packet reports completion. By then the write counts as unacknowledged, so "packet done and all
// acknowledged" never holds too early, nor does "idle and all acknowledged".
module glk_endpoint #(
  parameter int DATA_W     = 512,
  parameter int PARTITIONS = 4,
  parameter int PW         = (PARTITIONS > 1) ? $clog2(PARTITIONS) : 1,
  parameter int LANES      = DATA_W / 8
) (
  input  logic              clk,
  input  logic              rst,

  input  logic [PARTITIONS*2-1:0]  ep_kind,
  input  logic [PARTITIONS*52-1:0] ep_base,  // bits 63:12
  input  logic [PARTITIONS*37-1:0] ep_bytes, // in units of 4 KiB

  // From glk_scatter
  input  logic [PW-1:0]     write_partition,
  input  logic [47:0]       write_offset,
  input  logic [12:0]       write_length,
  input  logic [LANES-1:0]  write_enables,
  input  logic [DATA_W-1:0] write_data,
  input  logic              write_first,
  input  logic              write_last,
  input  logic              write_packet_last,
  input  logic              write_valid,
  output logic              write_ready,

  // Atomics: 4 or 8 bytes, aligned, in the low bits
  input  logic [PW-1:0]     atomic_partition,
  input  logic [47:0]       atomic_offset,
  input  logic [3:0]        atomic_length,
  input  logic [63:0]       atomic_data,
  input  logic              atomic_valid,
  output logic              atomic_ready,

  // Bus
  output logic [63:0]       mem_address,
  output logic [12:0]       mem_length,
  output logic [PW-1:0]     mem_partition,
  output logic [DATA_W-1:0] mem_data,
  output logic              mem_last,
  output logic              mem_valid,
  input  logic              mem_ready,
  input  logic              posted, // one of these writes, in order, counts as unacknowledged from this clock on

  // Pool
  output logic [47:0]       pool_offset,
  output logic [12:0]       pool_length,
  output logic [DATA_W-1:0] pool_data,
  output logic              pool_last,
  output logic              pool_valid,
  input  logic              pool_ready,

  // Event pulses
  output logic              e_write,
  output logic [PW-1:0]     e_write_partition,
  output logic [12:0]       e_write_bytes,
  output logic              packet_done,
  output logic              idle
);
  localparam int LB    = $clog2(LANES);
  localparam int DEPTH = 8; // issued writes that wait for `posted`

  // --- merge lines; offset and length of the write are latched ---
  logic              go; // the following stages advance
  logic              h_valid, h_begins, h_last, h_packet_last, h_atomic;
  logic [PW-1:0]     h_partition;
  logic [47:0]       h_offset, h_end; // of its first and last byte
  logic [12:0]       h_length;
  logic [DATA_W-1:0] h_data;
  logic              turn_o, inside_o, mid;

  wire h_free   = !h_valid || go;
  wire merges   = !write_first && write_offset[LB-1:0] != '0;
  wire v_taken  = write_valid && write_ready;
  wire o_taken  = turn_o && h_free;
  wire mid_next = v_taken ? !write_last : mid;
  wire emit     = h_valid && (h_last || (write_valid && !merges));

  assign write_ready = !turn_o && h_free;

  always_ff @(posedge clk) begin
    if (v_taken) begin
      h_valid       <= 1'b1;
      h_last        <= write_last;
      h_packet_last <= write_packet_last;
      h_atomic      <= 1'b0;
      h_begins      <= write_first || (merges && h_begins);
      if (write_first) begin
        h_partition <= write_partition;
        h_offset    <= write_offset;
        h_end       <= write_offset + 48'(write_length) - 48'd1;
        h_length    <= write_length;
      end
      for (int k = 0; k < LANES; k = k + 1)
        if (!merges || write_enables[k])
          h_data[8*k +: 8] <= write_data[8*k +: 8];
    end else if (o_taken) begin
      h_valid       <= 1'b1;
      h_last        <= 1'b1;
      h_packet_last <= 1'b0;
      h_begins      <= 1'b1;
      h_atomic      <= 1'b1;
      h_partition   <= atomic_partition;
      h_offset      <= atomic_offset;
      h_end         <= atomic_offset; // aligned: the last byte is in the same page
      h_length      <= 13'(atomic_length);
      h_data        <= {LANES/8{atomic_length[3] ? atomic_data : {2{atomic_data[31:0]}}}};
    end else if (emit && go)
      h_valid <= 1'b0;
    mid <= mid_next;
    if (turn_o) begin
      turn_o   <= !h_free;
      inside_o <= h_free;
    end else if (atomic_valid && !inside_o && !mid_next)
      turn_o <= 1'b1;
    if (atomic_ready)
      inside_o <= 1'b0;
    if (rst) begin
      h_valid  <= 1'b0;
      mid      <= 1'b0;
      turn_o   <= 1'b0;
      inside_o <= 1'b0;
    end
  end

  // --- endpoint lookup ---
  logic              a_valid, a_last, a_packet_last, a_atomic;
  logic [PW-1:0]     a_partition;
  logic [47:0]       a_offset;
  logic [12:0]       a_length;
  logic [DATA_W-1:0] a_data;
  logic [1:0]        a_kind;
  logic [51:0]       a_base;
  logic [36:0]       a_bytes;
  logic [35:0]       a_end; // page of its last byte
  wire [63:0]        a_address = {a_base + 52'(a_offset[47:12]), a_offset[11:0]};

  always_ff @(posedge clk) begin
    if (go) begin
      a_valid       <= emit;
      a_last        <= h_last;
      a_packet_last <= h_packet_last;
      a_atomic      <= h_atomic;
      a_partition   <= h_partition;
      a_offset      <= h_offset;
      a_length      <= h_length;
      a_data        <= h_data;
      if (h_begins) begin
        a_kind      <= ep_kind[h_partition*2 +: 2];
        a_base      <= ep_base[h_partition*52 +: 52];
        a_bytes     <= ep_bytes[h_partition*37 +: 37];
        a_end       <= h_end[47:12];
      end
    end
    if (rst)
      a_valid <= 1'b0;
  end

  // --- output register, shared by both destinations; drops writes outside the endpoint ---
  logic        out_valid, out_bus, out_pool, out_packet_last, out_atomic;
  logic        room; // for another issued write
  wire         out_taken = out_valid && room && (out_bus ? mem_ready : pool_ready || !out_pool);
  wire         a_fits = {1'b0, a_end} < a_bytes;
  wire         a_bus  = a_fits && a_kind == 2'(glk_regs::EP_BUS);
  wire         a_pool = a_fits && a_kind == 2'(glk_regs::EP_POOL);
  wire         unused = &{1'b0, h_end[11:0]};

  glk_skid #(.W(DATA_W + 64 + 13 + PW + 5)) skid (
    .clk, .rst, .s_data({a_data, a_address, a_length, a_partition, a_bus, a_pool, a_last, a_packet_last, a_atomic}),
    .s_valid(a_valid), .s_ready(go),
    .m_data({mem_data, mem_address, mem_length, mem_partition, out_bus, out_pool, mem_last, out_packet_last, out_atomic}),
    .m_valid(out_valid), .m_ready(out_taken));

  assign mem_valid   = out_valid && room && out_bus;
  assign pool_valid  = out_valid && room && out_pool;
  assign pool_offset = mem_address[47:0];
  assign pool_length = mem_length;
  assign pool_data   = mem_data;
  assign pool_last   = mem_last;

  // --- completion, in order: of a write on the bus once it is reported ---
  logic                   w_valid, w_bus, w_packet_last, w_atomic;
  logic [$clog2(DEPTH):0] reports; // of writes that have not completed
  wire                    completes = w_valid && (!w_bus || reports != '0);
  glk_fifo #(.W(3), .DEPTH(DEPTH), .BYPASS(1)) issued (
    .clk, .rst, .s_data({out_bus, out_packet_last, out_atomic}), .s_valid(out_taken && mem_last), .s_ready(room),
    .m_data({w_bus, w_packet_last, w_atomic}), .m_valid(w_valid), .m_ready(completes));

  always_ff @(posedge clk) begin
    e_write           <= out_taken && mem_last;
    e_write_partition <= mem_partition;
    e_write_bytes     <= mem_length;
    packet_done       <= completes && w_packet_last;
    atomic_ready      <= completes && w_atomic;
    reports           <= reports + ($clog2(DEPTH)+1)'(posted) - ($clog2(DEPTH)+1)'(completes && w_bus);
    idle              <= !(write_valid || h_valid || a_valid || out_valid || turn_o || inside_o || atomic_valid || w_valid);
    if (rst) begin
      e_write      <= 1'b0;
      packet_done  <= 1'b0;
      atomic_ready <= 1'b0;
      reports      <= '0;
      idle         <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  wire checks;
  logic [$clog2(DEPTH):0] owed; // issued on the bus and not reported
  glk_after_reset checking (.clk, .rst, .on(checks));
  always_ff @(posedge clk) begin
    owed <= rst ? '0 : owed + ($clog2(DEPTH)+1)'(mem_valid && mem_ready && mem_last) - ($clog2(DEPTH)+1)'(posted);
    if (checks) begin
      begin : report_has_write assert(!(posted && owed == '0)); end // a report without a write
      begin : reports_fit assert(!(completes && w_bus && reports == '0) && 32'(reports) <= DEPTH + 1); end
      begin : idle_owes_nothing assert(!(idle && owed != '0)); end
    end
  end
`endif
endmodule
`default_nettype wire
