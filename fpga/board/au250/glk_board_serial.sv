// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Serial number of the part: the last 64 of the 96 bits of its device identifier that DNA_PORTE2 shifts out, once after
// power-up. In the card's clock it is 0 until all of it is known.
module glk_board_serial (
  input  logic        dna_clk, // at most the frequency that UG570 permits; it never stops
  input  logic        dna_rst, // at power-up
  input  logic        clk,
  output logic [63:0] serial
);
  localparam logic [6:0] BITS = 7'd96;

  logic [6:0]  count;
  logic        dna, load, done;
  logic [63:0] bits;
  DNA_PORTE2 dna_port (.CLK(dna_clk), .DIN(1'b0), .READ(load), .SHIFT(!load && !done), .DOUT(dna));

  always_ff @(posedge dna_clk) begin
    load <= 1'b0;
    if (!load && !done) begin
      bits  <= {dna, bits[63:1]};
      count <= count + 7'd1;
      done  <= count == BITS - 7'd1;
    end
    if (dna_rst) begin
      load  <= 1'b1;
      done  <= 1'b0;
      count <= 7'd0;
    end
  end

  // The last bit may come a clock after `done`, with which it changes.
  logic        done_seen, known;
  logic [63:0] bits_seen;
  glk_synchronizer #(.W(65)) crossing (.clk, .d({done, bits}), .q({done_seen, bits_seen}));
  always_ff @(posedge clk) begin
    known  <= done_seen;
    serial <= known ? bits_seen : '0;
  end
endmodule
`default_nettype wire
