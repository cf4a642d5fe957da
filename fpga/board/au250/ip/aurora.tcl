# SPDX-License-Identifier: Apache-2.0
# Aurora 64B/66B (PG074): two lanes of QSFP0, a block of 16 bytes per beat, each frame ended by the link's control block.
# Not run by a vendor's tool yet.
create_ip -name aurora_64b66b -vendor xilinx.com -library ip -module_name aurora_64b66b_0
set_property -dict [list \
	CONFIG.interface_mode Framing \
	CONFIG.C_AURORA_LANES 2 \
	CONFIG.CHANNEL_ENABLE {X1Y44 X1Y45} \
	CONFIG.C_START_QUAD Quad_X1Y11 \
	CONFIG.C_START_LANE X1Y44 \
	CONFIG.C_REFCLK_SOURCE MGTREFCLK1_of_Quad_X1Y11 \
	CONFIG.C_LINE_RATE 10.3125 \
	CONFIG.C_REFCLK_FREQUENCY 161.1328125 \
	CONFIG.C_INIT_CLK 100 \
	CONFIG.C_USE_BYTESWAP true \
	CONFIG.SupportLevel 1 \
	CONFIG.drp_mode Disabled \
] [get_ips aurora_64b66b_0]
