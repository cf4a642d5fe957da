#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In a guest with an IOMMU between the card and memory: rings, records and registrations have addresses that only the DMA API
# knows. Endpoints are the pool, for the emulated card reaches other devices' memory by its PCI address only.
. /suite/lib.sh

no_faults() { ! dmesg | grep -E 'DMAR.*(fault|\[DMA)'; }

check "the card is behind the IOMMU" test -e /sys/bus/pci/devices/$pci/iommu_group
check "endpoint 0 is the pool" put pool $class/partitions/0/endpoint
check "endpoint 1 too" put pool $class/partitions/1/endpoint
tap ioctl /bin/kmod-ioctl-test /dev/gpulink0
check "the IOMMU saw no access that it had to refuse" no_faults
check "the module unloads" rmmod gpulink
check "nor then" no_faults
finish
