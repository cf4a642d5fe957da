# SPDX-License-Identifier: Apache-2.0
# Batch build without a project directory to keep: vivado -mode batch -source build.tcl -tclargs OUT. Stops at the first error, and
# before the bitstream if a path misses its time or a port lacks a pin. Not run by a vendor's tool yet.
set here [file normalize [file dirname [info script]]]
set out [file normalize [lindex $argv 0]]
file mkdir $out

create_project -in_memory -part xcu250-figd2104-2L-e
set boards [lsort -dictionary [get_board_parts -quiet xilinx.com:au250:part0:*]]
if {[llength $boards] == 0} {
	error "gpulink: this installation has no board file of the Alveo U250 (xilinx.com:au250)"
}
set_property board_part [lindex $boards end] [current_project]
set_property source_mgmt_mode None [current_project]

# The list of fpga/file_lists: paths relative to it, comments at the beginning of a line.
set rtl [file normalize $here/../../rtl]
set list [open $rtl/gpulink.f]
foreach line [split [read $list] "\n"] {
	if {$line ne "" && ![string match "//*" $line]} {
		read_verilog -sv $rtl/$line
	}
}
close $list
read_verilog -sv $here/glk_board_serial.sv $here/gpulink_au250.sv
foreach ip {pcie ddr4 aurora vio} {
	source $here/ip/$ip.tcl
}
generate_target all [get_ips]
synth_ip [get_ips]
read_xdc $here/au250.xdc
# Crossings, for all instances of a module. Their flip-flops are there after synthesis.
read_xdc -ref glk_synchronizer $rtl/base/glk_synchronizer.xdc
read_xdc -ref glk_async_fifo $rtl/base/glk_async_fifo.xdc
set_property used_in_synthesis false [get_files [list $rtl/base/glk_synchronizer.xdc $rtl/base/glk_async_fifo.xdc]]

synth_design -top gpulink_au250
write_checkpoint -force $out/synthesized.dcp
report_utilization -hierarchical -file $out/utilization.txt
report_cdc -details -file $out/cdc.txt
opt_design
place_design
phys_opt_design
route_design
phys_opt_design
write_checkpoint -force $out/routed.dcp
report_timing_summary -file $out/timing.txt
report_drc -file $out/drc.txt
set slack [get_property SLACK [get_timing_paths -delay_type min_max -max_paths 1]]
if {$slack < 0} {
	error "gpulink: a path misses its time by [expr {-$slack}] ns, see $out/timing.txt"
}
write_bitstream -force $out/gpulink_au250.bit
write_debug_probes -force $out/gpulink_au250.ltx
