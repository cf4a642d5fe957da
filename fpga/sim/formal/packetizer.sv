// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// The packetizer, scaled down: 128 bits wide, one partition, flushes of one or two lines, each with any of its first three
// bytes. One bit per byte and one per line tag are free; sub-headers have five bytes, so a packet has two or three beats.
// Flushes and back-pressure are arbitrary; a bank is refilled as soon as it is freed. Asserted:
//   CONTENT  every packet matches its flush, in order, byte by byte: header, sub-headers and data of the runs, each once and in
//            order, padding; so its length is that of the flush, which is within the queue's limit;
//   REST     progress: while packets are accepted, within 24 clocks something goes in or comes out, or the block is idle; a
//            bank is freed once, before its packet is out.
// Under REACHED the negated covers are asserted; each must fail.
module packetizer (
  input logic       clk,
  input logic       rst,
  input logic       f_valid,
  input logic       two,
  input logic [2:0] bytes0,
  input logic [2:0] bytes1,
  input logic [2:0] data0, // bit 0 of each byte
  input logic [2:0] data1,
  input logic       tag0,
  input logic       tag1,
  input logic       m_ready
);
  localparam int H = 5;

  // --- expected: {bytes, payload} of a run, of a line, of a flush ---
  // Appends a run.
  function [196:0] with_run(input [196:0] ahead, input tag, input [1:0] from, input [1:0] length, input [2:0] data);
    logic [63:0] run;
    begin
      run = {7'b0, data[2], 7'b0, data[1], 7'b0, data[0], 22'b0, tag, 5'b0, from, 8'b0, length};
      with_run = {ahead[196:192] + 5'(H) + 5'(length), ahead[191:0] | (192'(run) << {ahead[196:192], 3'b0})};
    end
  endfunction
  function [196:0] line(input tag, input [2:0] bytes, input [2:0] data);
    case (bytes)
      3'b001:  line = with_run(197'b0, tag, 2'd0, 2'd1, {2'b0, data[0]});
      3'b010:  line = with_run(197'b0, tag, 2'd1, 2'd1, {2'b0, data[1]});
      3'b100:  line = with_run(197'b0, tag, 2'd2, 2'd1, {2'b0, data[2]});
      3'b011:  line = with_run(197'b0, tag, 2'd0, 2'd2, {1'b0, data[1:0]});
      3'b110:  line = with_run(197'b0, tag, 2'd1, 2'd2, {1'b0, data[2:1]});
      3'b111:  line = with_run(197'b0, tag, 2'd0, 2'd3, data);
      default: line = with_run(with_run(197'b0, tag, 2'd0, 2'd1, {2'b0, data[0]}), tag, 2'd2, 2'd1, {2'b0, data[2]});
    endcase
  endfunction
  function [196:0] content(input [14:0] flush); // {two, tag1, tag0, data1, data0, bytes1, bytes0}
    logic [196:0] line0, line1;
    begin
      line0   = line(flush[12], flush[2:0], flush[8:6]);
      line1   = line(flush[13], flush[5:3], flush[11:9]);
      content = flush[14] ? {line0[196:192] + line1[196:192], line0[191:0] | (line1[191:0] << {line0[196:192], 3'b0})} : line0;
    end
  endfunction
  wire [14:0]  flush = {two, tag1, tag0, data1, data0, bytes1, bytes0};
  wire [196:0] flush_content = content(flush);
  wire [10:0]  flush_runs = 11'd1 + 11'(bytes0 == 3'b101) + (two ? 11'd1 + 11'(bytes1 == 3'b101) : 11'd0);

  // --- the flushing queue: two banks, whose entries stay until the bank is freed ---
  logic        flush_ready, done_valid, done_bank, m_valid, m_last;
  logic        flush_bank = 1'b0;
  logic [4:0]  m_bytes;
  logic [127:0] m_data;
  logic [2:0]  read_tag_entry, read_entry, read_data_entry;
  logic        read_tag_enable, read_enable, read_data_enable;
  logic [14:0] bank0, bank1;
  logic [1:0]  busy = 2'b0;
  wire [14:0]  t_bank = read_tag_entry[1] ? bank1 : bank0;
  wire [14:0]  r_bank = read_entry[1] ? bank1 : bank0;
  wire [14:0]  r_data_bank = read_data_entry[1] ? bank1 : bank0;
  logic        r_tag;
  logic [2:0]  r_enables, r_data;
  always_ff @(posedge clk) begin // read data hold until the next read, as in glk_write_queue
    if (read_tag_enable)
      r_tag <= read_tag_entry[0] ? t_bank[13] : t_bank[12];
    if (read_enable)
      r_enables <= read_entry[0] ? r_bank[5:3] : r_bank[2:0];
    if (read_data_enable)
      r_data <= read_data_entry[0] ? r_data_bank[11:9] : r_data_bank[8:6];
  end

  glk_packetizer #(.DATA_W(128), .PARTITIONS(1), .ENTRIES(2), .BANKS(2), .PIECES(4), .COMPACT(0)) dut (
    .clk, .rst, .cfg_subheader_bytes(3'(H)), .cfg_self_describe(1'b0), .cfg_max_payload_bytes(13'd128), .cfg_packing(1'b0),
    .cfg_compact(1'b0), .flush_partition(1'b0), .flush_bank, .flush_used({two, !two}), .flush_base(48'b0),
    .flush_payload({8'b0, flush_content[196:192]}), .flush_runs, .flush_reason(4'd0), .flush_valid(f_valid), .flush_ready,
    .read_tag_entry, .read_tag_enable, .read_entry, .read_enable, .read_tag({30'b0, r_tag}), .read_enables({125'b0, r_enables}),
    .read_data_entry, .read_data_enable, .read_data({1000'b0, 7'b0, r_data[2], 7'b0, r_data[1], 7'b0, r_data[0]}),
    .done_valid, .done_partition(), .done_bank, .e_packet(), .e_partition(), .e_payload(), .e_runs(), .e_reason(), .e_final(),
    .m_data, .m_bytes, .m_last, .m_valid, .m_ready);

  logic        past_valid = 1'b0, held = 1'b0;
  logic [14:0] offered;
  logic [14:0] want [0:3]; // flushes whose packets are not out
  logic [1:0]  in_at = 2'd0, out_at = 2'd0;
  logic [2:0]  under = 3'd0; // their count
  logic [1:0]  beat = 2'd0;  // of the outgoing packet: 0 the header, then the payload
  logic [4:0]  still = 5'd0;
  always_comb begin
    assume(rst == !past_valid);
    if (rst) assume(!f_valid);
    assume(bytes0 != 3'd0 && bytes1 != 3'd0);
    if (held) assume(f_valid && flush == offered);
    if (busy[flush_bank] || under[2]) assume(!f_valid);
  end
  wire in  = f_valid && flush_ready && !rst;
  wire out = m_valid && m_ready && !rst && past_valid;

  // --- the outgoing packet ---
  wire [196:0] out_content = content(want[out_at]);
  wire [4:0]   out_payload = out_content[196:192];
  wire [4:0]   out_rounded = (out_payload + 5'd3) & 5'h1c;
  wire [3:0]   last_be = ~(4'he << (2'(out_payload) - 2'd1)) & 4'hf;
  wire [127:0] header = {64'b0, last_be, 4'b0, 24'b0, 5'b0, out_rounded[4:2], 24'h00007c};
  wire [127:0] expected = beat == 2'd0 ? header : beat == 2'd1 ? out_content[127:0] : {64'b0, out_content[191:128]};
  wire         is_last = beat == 2'd1 ? out_rounded <= 5'd16 : beat == 2'd2;
  wire [4:0]   bytes = !is_last ? 5'd16 : beat == 2'd1 ? out_rounded : out_rounded - 5'd16;
  logic [1:0]  packets = 2'd0;

  always_ff @(posedge clk) begin
    past_valid <= 1'b1;
    held       <= f_valid && !flush_ready && !rst;
    offered    <= flush;
    if (in) begin
      if (flush_bank) bank1 <= flush; else bank0 <= flush;
      flush_bank  <= !flush_bank;
      want[in_at] <= flush;
      in_at       <= in_at + 2'd1;
    end
    busy  <= (busy | (in ? 2'b1 << flush_bank : 2'b0)) & ~((done_valid && past_valid) ? 2'b1 << done_bank : 2'b0);
    under <= under + 3'(in) - 3'(out && m_last);
    still <= (rst || in || out || !m_ready || (under == 3'd0 && !f_valid)) ? 5'd0 : still + 5'(still != 5'd31);
    if (out) begin
      beat <= m_last ? 2'd0 : beat + 2'd1;
      if (m_last) begin
        out_at  <= out_at + 2'd1;
        packets <= packets + 2'(packets != 2'd3);
      end
    end
    if (past_valid && !rst) begin
`ifdef REACHED
      assert(!(out && m_last && packets == 2'd1 && beat == 2'd2 && m_bytes == 5'd8));
      assert(!(out && m_last && packets == 2'd1 && beat == 2'd1 && m_bytes == 5'd16));
      assert(!(f_valid && !busy[flush_bank] && under == 3'd3)); // a bank freed before its packet is out
`endif
`ifdef CONTENT
      if (m_valid) begin
        assert(under != 3'd0);
        assert(m_last == is_last && m_bytes == bytes);
        for (int k = 0; k < 16; k = k + 1)
          if (5'(k) < m_bytes)
            assert(m_data[8*k +: 8] == expected[8*k +: 8]);
      end
`endif
`ifdef REST
      assert(still < 5'd24);
      assert(under != 3'd0 || busy == 2'd0);
      if (done_valid)
        assert(busy[done_bank]);
`endif
    end
  end
endmodule
`default_nettype wire
