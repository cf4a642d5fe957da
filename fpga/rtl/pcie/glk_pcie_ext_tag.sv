// SPDX-License-Identifier: Apache-2.0
`default_nettype none
// Reads Extended Tag Field Enable through the configuration management interface of the PCIE4 block (PG213), again and again:
// bit 8 of Device Control, at 8 in the PCI Express capability, which is at 0x70. 0 until the first answer.
module glk_pcie_ext_tag #(
  parameter int PERIOD = 1024 // clocks between two reads; a power of two
) (
  input  logic        clk,
  input  logic        rst,
  output logic [9:0]  cfg_mgmt_addr, // in DWs
  output logic        cfg_mgmt_read, // until done
  input  logic [31:0] cfg_mgmt_read_data,
  input  logic        cfg_mgmt_read_write_done,
  output logic        cfg_ext_tag
);
  localparam int A = $clog2(PERIOD);
  localparam logic [9:0] DEVICE_CONTROL = 10'h78 >> 2;

  logic [A-1:0] count;
  assign cfg_mgmt_addr = DEVICE_CONTROL;
  always_ff @(posedge clk) begin
    count <= count + A'(1);
    if (count == '1)
      cfg_mgmt_read <= 1'b1;
    if (cfg_mgmt_read && cfg_mgmt_read_write_done) begin
      cfg_mgmt_read <= 1'b0;
      cfg_ext_tag   <= cfg_mgmt_read_data[8];
      count         <= '0;
    end
    if (rst) begin
      count         <= '0;
      cfg_mgmt_read <= 1'b0;
      cfg_ext_tag   <= 1'b0;
    end
  end
  wire unused = &{1'b0, cfg_mgmt_read_data[31:9], cfg_mgmt_read_data[7:0]};
endmodule
`default_nettype wire
