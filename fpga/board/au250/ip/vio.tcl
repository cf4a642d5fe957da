# SPDX-License-Identifier: Apache-2.0
# Virtual input/output core (PG159): counters and states to read over JTAG, and two outputs. Not run by a vendor's tool yet.
create_ip -name vio -vendor xilinx.com -library ip -module_name vio_0
set_property -dict [list \
	CONFIG.C_NUM_PROBE_IN 3 \
	CONFIG.C_PROBE_IN0_WIDTH 256 \
	CONFIG.C_PROBE_IN1_WIDTH 256 \
	CONFIG.C_PROBE_IN2_WIDTH 128 \
	CONFIG.C_EN_PROBE_IN_ACTIVITY 0 \
	CONFIG.C_NUM_PROBE_OUT 2 \
	CONFIG.C_PROBE_OUT0_WIDTH 1 \
	CONFIG.C_PROBE_OUT1_WIDTH 3 \
] [get_ips vio_0]
