// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Serial number of the part: the last 64 of the 96 bits of its device identifier that DNA_PORTE2 shifts out, once after power-up.
module glk_board_serial (
  input  logic        clk, // at most the frequency that UG570 permits
  input  logic        rst,
  output logic [63:0] serial,
  output logic        done
);
  localparam logic [6:0] BITS = 7'd96;

  logic [6:0] count;
  logic       dna, load;
  DNA_PORTE2 dna_port (.CLK(clk), .DIN(1'b0), .READ(load), .SHIFT(!load && !done), .DOUT(dna));

  always_ff @(posedge clk) begin
    load <= 1'b0;
    if (!load && !done) begin
      serial <= {dna, serial[63:1]};
      count  <= count + 7'd1;
      done   <= count == BITS - 7'd1;
    end
    if (rst) begin
      load  <= 1'b1;
      done  <= 1'b0;
      count <= 7'd0;
    end
  end
endmodule
`default_nettype wire
