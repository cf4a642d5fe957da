# SPDX-License-Identifier: Apache-2.0
# DDR4 controller (PG150) of channel 0. Pins, clock and DIMM come from the board file. Not run by a vendor's tool yet.
create_ip -name ddr4 -vendor xilinx.com -library ip -module_name ddr4_0
set_property -dict [list \
	CONFIG.C0_DDR4_BOARD_INTERFACE ddr4_sdram_c0 \
	CONFIG.C0_CLOCK_BOARD_INTERFACE default_300mhz_clk0 \
	CONFIG.C0.DDR4_AxiSelection true \
	CONFIG.C0.DDR4_AxiDataWidth 512 \
	CONFIG.C0.DDR4_AxiAddressWidth 34 \
	CONFIG.C0.DDR4_AxiIDWidth 1 \
	CONFIG.C0.DDR4_Mem_Add_Map ROW_COLUMN_BANK_INTLV \
] [get_ips ddr4_0]
