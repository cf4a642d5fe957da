# SPDX-License-Identifier: Apache-2.0
# Integrated block for PCI Express (PG213), as glk_pcie_us needs it. Not run by a vendor's tool yet.
create_ip -name pcie4_uscale_plus -vendor xilinx.com -library ip -module_name pcie4_uscale_plus_0
set gpulink_pcie [dict create]
proc pcie {name value} { dict set ::gpulink_pcie CONFIG.$name $value }

pcie mode_selection Advanced
pcie PL_LINK_CAP_MAX_LINK_SPEED 8.0_GT/s
pcie PL_LINK_CAP_MAX_LINK_WIDTH X16
pcie axisten_freq 250
pcie axisten_if_width 512_bit
# A TLP begins in the first byte of a beat, and no beat has two of them.
pcie AXISTEN_IF_EXT_512_CQ_STRADDLE false
pcie AXISTEN_IF_EXT_512_RQ_STRADDLE false
pcie AXISTEN_IF_EXT_512_RC_4TLP_STRADDLE false
# glk_pcie_reads chooses the tags.
pcie axisten_if_enable_client_tag true
pcie extended_tag_field true
pcie pf0_dev_cap_max_payload 512_bytes

pcie vendor_id 1234
pcie PF0_DEVICE_ID 6c6b
pcie PF0_SUBSYSTEM_VENDOR_ID 1234
pcie PF0_SUBSYSTEM_ID 6c6b
pcie PF0_CLASS_CODE 120000
pcie PF0_Use_Class_Code_Lookup_Assistant false

# BAR 0: registers, and the MSI-X table. BAR 2: SLICES x 2^SLICE_SHIFT. BAR 4: POOL_BYTES of gpulink_au250.
foreach {bar scale size prefetchable} {0 Megabytes 1 false  2 Gigabytes 1 true  4 Gigabytes 16 true} {
	pcie pf0_bar${bar}_enabled true
	pcie pf0_bar${bar}_type Memory
	pcie pf0_bar${bar}_64bit true
	pcie pf0_bar${bar}_prefetchable $prefetchable
	pcie pf0_bar${bar}_scale $scale
	pcie pf0_bar${bar}_size $size
}

# The block's own table of 8 vectors (the size is the number minus 1).
pcie pf0_msi_enabled false
pcie pf0_msix_enabled true
pcie MSI_X_OPTIONS MSI-X_Internal
pcie PF0_MSIX_CAP_TABLE_SIZE 007
pcie PF0_MSIX_CAP_TABLE_BIR BAR_1:0
pcie PF0_MSIX_CAP_TABLE_OFFSET 000f0000
pcie PF0_MSIX_CAP_PBA_BIR BAR_1:0
pcie PF0_MSIX_CAP_PBA_OFFSET 000f8000

set_property -dict $gpulink_pcie [get_ips pcie4_uscale_plus_0]

# Function level reset: the name of this property differs between versions of the block.
set flr [lsearch -all -inline -regexp [list_property [get_ips pcie4_uscale_plus_0]] {(?i)^CONFIG\.pf0.*(function_level_reset|_flr)}]
if {[llength $flr] != 1} {
	error "gpulink: which of these properties enables function level resets? {$flr} Set it here."
}
set_property $flr true [get_ips pcie4_uscale_plus_0]
