#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In a guest with an IOMMU between the card and memory: rings, records and registrations have I/O virtual addresses. Endpoints
# are the pool, because the emulated card reaches other devices' memory only by PCI address.
. /suite/lib.sh

no_faults() { ! dmesg | grep -E 'DMAR.*(fault|\[DMA)'; }

check "the card is behind the IOMMU" test -e /sys/bus/pci/devices/$pci/iommu_group
check "endpoint 0 is the pool" put pool $class/partitions/0/endpoint
check "endpoint 1 is the pool" put pool $class/partitions/1/endpoint
tap ioctl /bin/kmod-ioctl-test /dev/gpulink0
check "the IOMMU reports no faults" no_faults
check "the module unloads" rmmod gpulink
check "no faults after the unload" no_faults
finish
