#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In the guest: GPU memory, by dma-buf and by PCI address.
. /suite/lib.sh

check "endpoints are assigned" name_endpoints
if kernel_has_p2pdma; then
	check "the distance to an endpoint is known" is "$(cat $class/partitions/0/endpoint_distance)" 2
else
	check "the distance to an endpoint is unknown" is "$(cat $class/partitions/0/endpoint_distance)" unknown
fi
check "the distance without an endpoint is unknown" is "$(cat $class/partitions/9/endpoint_distance)" unknown
check "the GPU driver loads" modprobe gpulink-test-gpu
check "users may map more than 16 times the memory of this small machine" \
	put $((1 << 40)) /sys/module/gpulink/parameters/max_dmabuf_bytes_per_user
tap large /bin/large-test /dev/gpulink0 0000:00:08.0 0000:00:09.0
tap dmabuf /bin/dmabuf-test /dev/gpulink0 0000:00:08.0 0000:00:09.0
check "endpoints are assigned again" name_endpoints # the card was unbound
tap "region moves" /bin/region-move-test /dev/gpulink0 0000:00:08.0 0000:00:09.0
proof() { proof-test /dev/gpulink0 $class /dev/gpulink-test-gpu-0000:00:08.0 /sys/bus/pci/devices/0000:00:08.0/resource0; }
tap proof proof
check "the log says why a dma-buf is refused" sh -c "dmesg | grep -q 'dma-buf of gpulink.test.gpu is scattered: page '"
check "endpoints are assigned after it" name_endpoints
tap peers /bin/peers-test /dev/gpulink0 0000:00:08.0 together
check "the GPU driver unloads" rmmod gpulink-test-gpu
check "the module unloads" rmmod gpulink
finish
