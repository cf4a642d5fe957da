# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034 # used by tools/vm/run, which sources this file
# PCI trees of tools/vm/run --tree. A function adds QEMU options to `devices`, and sets the places ("BUS ADDRESS") of the card in
# `card_at` and of the endpoints in `endpoint_at`; further endpoints are on the root bus. `machine` gets options of -machine.

# port ID BUS ADDRESS SLOT SPEED WIDTH: a root port.
tree_port() {
	devices+=(-device "pcie-root-port,id=$1,bus=$2,addr=$3,chassis=$4,slot=$4,x-speed=$5,x-width=$6")
}

# A switch with the card and two endpoints; an endpoint below another root port; one below another host bridge; a NIC.
tree_switch() {
	local i
	tree_port rp0 pcie.0 0x4 1 16 16
	tree_port rp1 pcie.0 0x5 2 16 8
	devices+=(-device pxb-pcie,id=pxb0,bus=pcie.0,addr=0x6,bus_nr=0x40)
	tree_port rp2 pxb0 0x0 3 8 4
	devices+=(-device x3130-upstream,id=up0,bus=rp0)
	for i in 0 1 2 3; do devices+=(-device "xio3130-downstream,id=down$i,bus=up0,chassis=$((10 + i)),slot=$((10 + i))"); done
	devices+=(-device e1000e,bus=down3,romfile=)
	card_at="down0 0x0"
	endpoint_at=("down1 0x0" "down2 0x0" "rp1 0x0" "rp2 0x0")
}

# Root ports with ACS below an Intel IOMMU; one endpoint is integrated into the root complex.
tree_iommu() {
	local i
	devices=(-device intel-iommu,caching-mode=on,device-iotlb=on,intremap=on "${devices[@]}")
	machine+=,kernel-irqchip=split
	words+=(intel_iommu=on)
	for i in 0 1 2 3; do tree_port "rp$i" pcie.0 "0x$((4 + i))" "$((1 + i))" 32 16; done
	card_at="rp0 0x0"
	endpoint_at=("rp1 0x0" "rp2 0x0" "rp3 0x0")
}

# The same with AMD's IOMMU, and a switch.
tree_amd() {
	devices=(-device amd-iommu,intremap=on "${devices[@]}")
	machine+=,kernel-irqchip=split
	tree_switch
}

# Host bridge, ports and switch of CXL.
tree_cxl() {
	machine+=,cxl=on
	devices+=(-device pxb-cxl,bus_nr=0x40,bus=pcie.0,addr=0x4,id=cxl0 -device cxl-rp,port=0,bus=cxl0,id=rp0,chassis=0,slot=2)
	devices+=(-device cxl-upstream,bus=rp0,id=up0 -device cxl-downstream,port=0,bus=up0,id=down0,chassis=0,slot=4)
	devices+=(-device cxl-downstream,port=1,bus=up0,id=down1,chassis=0,slot=5)
	tree_port rp1 pcie.0 0x5 9 16 16
	card_at="rp1 0x0"
	endpoint_at=("down0 0x0" "down1 0x0")
}
