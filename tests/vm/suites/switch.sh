#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In a guest with an IOMMU, and card and GPUs behind one PCIe switch: the card reaches the GPUs by bus address, which the IOMMU
# does not see. The emulated card reaches other devices' memory by no other.
. /suite/lib.sh

card=$(basename "$(readlink -f $class/device)")
gpus=$(for d in /sys/bus/pci/devices/*; do [ "$(cat $d/vendor $d/device | tr '\n' ' ')" != "0x1234 0x6c65 " ] || basename $d; done)
assign() {
	p=0
	for gpu in $gpus; do
		put "$gpu 0" $class/partitions/$p/endpoint || return 1
		p=$((p + 1))
	done
	[ $p = 2 ]
}

check "the card is behind the IOMMU" test -e /sys/bus/pci/devices/$card/iommu_group
check "endpoints are assigned" assign
if kernel_has_p2pdma; then
	check "their distance is that of ports of a switch" is "$(cat $class/partitions/0/endpoint_distance)" 4
fi
check "traffic reaches them" traffic /dev/gpulink0 1 ok
check "the IOMMU reports no faults" sh -c "! dmesg | grep -E 'DMAR.*(fault|\[DMA)'"
check "the module unloads" rmmod gpulink
finish
