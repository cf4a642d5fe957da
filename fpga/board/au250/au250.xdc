# SPDX-License-Identifier: Apache-2.0
# Constraints of gpulink_au250. CHECK EVERY PIN against the board file (xilinx.com:au250) and UG1289 before the first power-up: the
# pins below were taken from public designs for this board (corundum), and nothing here was run. The memory's pins are not here:
# they come with the controller, from the board file (ip/ddr4.tcl). Of differential pairs the other pin follows.

# --- clocks ---
set_property -dict {LOC AW20 IOSTANDARD LVDS} [get_ports clk_300mhz_1_p]
set_property -dict {LOC AW19 IOSTANDARD LVDS} [get_ports clk_300mhz_1_n]
create_clock -period 3.333 -name clk_300mhz_1 [get_ports clk_300mhz_1_p]
set_property LOC AM11 [get_ports pcie_refclk_p]
create_clock -period 10.000 -name pcie_refclk [get_ports pcie_refclk_p]
set_property LOC K11 [get_ports qsfp0_refclk_p]
create_clock -period 6.206 -name qsfp0_refclk [get_ports qsfp0_refclk_p]

# --- PCIe: x16, quads 227 to 224 ---
set_property -dict {LOC BD21 IOSTANDARD LVCMOS12 PULLUP true} [get_ports pcie_reset_n]
set_false_path -from [get_ports pcie_reset_n]
set_property LOC AF2  [get_ports {pcie_rx_p[0]}]
set_property LOC AF7  [get_ports {pcie_tx_p[0]}]
set_property LOC AG4  [get_ports {pcie_rx_p[1]}]
set_property LOC AG9  [get_ports {pcie_tx_p[1]}]
set_property LOC AH2  [get_ports {pcie_rx_p[2]}]
set_property LOC AH7  [get_ports {pcie_tx_p[2]}]
set_property LOC AJ4  [get_ports {pcie_rx_p[3]}]
set_property LOC AJ9  [get_ports {pcie_tx_p[3]}]
set_property LOC AK2  [get_ports {pcie_rx_p[4]}]
set_property LOC AK7  [get_ports {pcie_tx_p[4]}]
set_property LOC AL4  [get_ports {pcie_rx_p[5]}]
set_property LOC AL9  [get_ports {pcie_tx_p[5]}]
set_property LOC AM2  [get_ports {pcie_rx_p[6]}]
set_property LOC AM7  [get_ports {pcie_tx_p[6]}]
set_property LOC AN4  [get_ports {pcie_rx_p[7]}]
set_property LOC AN9  [get_ports {pcie_tx_p[7]}]
set_property LOC AP2  [get_ports {pcie_rx_p[8]}]
set_property LOC AP7  [get_ports {pcie_tx_p[8]}]
set_property LOC AR4  [get_ports {pcie_rx_p[9]}]
set_property LOC AR9  [get_ports {pcie_tx_p[9]}]
set_property LOC AT2  [get_ports {pcie_rx_p[10]}]
set_property LOC AT7  [get_ports {pcie_tx_p[10]}]
set_property LOC AU4  [get_ports {pcie_rx_p[11]}]
set_property LOC AU9  [get_ports {pcie_tx_p[11]}]
set_property LOC AV2  [get_ports {pcie_rx_p[12]}]
set_property LOC AV7  [get_ports {pcie_tx_p[12]}]
set_property LOC AW4  [get_ports {pcie_rx_p[13]}]
set_property LOC BB5  [get_ports {pcie_tx_p[13]}]
set_property LOC BA2  [get_ports {pcie_rx_p[14]}]
set_property LOC BD5  [get_ports {pcie_tx_p[14]}]
set_property LOC BC2  [get_ports {pcie_rx_p[15]}]
set_property LOC BF5  [get_ports {pcie_tx_p[15]}]

# --- QSFP0: two lanes, quad 231 ---
set_property LOC N4   [get_ports {qsfp0_rx_p[0]}]
set_property LOC N9   [get_ports {qsfp0_tx_p[0]}]
set_property LOC M2   [get_ports {qsfp0_rx_p[1]}]
set_property LOC M7   [get_ports {qsfp0_tx_p[1]}]
set_property -dict {LOC BE16 IOSTANDARD LVCMOS12} [get_ports qsfp0_modsell]
set_property -dict {LOC BE17 IOSTANDARD LVCMOS12} [get_ports qsfp0_resetl]
set_property -dict {LOC BD18 IOSTANDARD LVCMOS12} [get_ports qsfp0_lpmode]
set_property -dict {LOC AT22 IOSTANDARD LVCMOS12} [get_ports qsfp0_refclk_reset]
set_property -dict {LOC AT20 IOSTANDARD LVCMOS12} [get_ports {qsfp0_fs[0]}]
set_property -dict {LOC AU22 IOSTANDARD LVCMOS12} [get_ports {qsfp0_fs[1]}]
set_property -dict {LOC BC21 IOSTANDARD LVCMOS12} [get_ports {led[0]}]
set_property -dict {LOC BB21 IOSTANDARD LVCMOS12} [get_ports {led[1]}]
set_property -dict {LOC BA20 IOSTANDARD LVCMOS12} [get_ports {led[2]}]
set_false_path -to [get_ports {qsfp0_modsell qsfp0_resetl qsfp0_lpmode qsfp0_refclk_reset qsfp0_fs[*] led[*]}]

# --- clock domains: the card, the memory, the transceivers, and the 100 MHz that never stop ---
# Each crossing is in a glk_synchronizer or a glk_async_fifo, with the constraints of that module (build.tcl).
# The virtual input/output core is in the card's domain; what it drives elsewhere stands still.
set_false_path -to [get_pins -hierarchical -filter {NAME =~ aurora/loopback*}]

# --- configuration ---
set_property CONFIG_VOLTAGE 1.8 [current_design]
set_property BITSTREAM.GENERAL.COMPRESS true [current_design]
set_property BITSTREAM.CONFIG.UNUSEDPIN Pullup [current_design]
set_operating_conditions -design_power_budget 160
