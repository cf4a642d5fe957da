#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In a guest whose host bridge the kernel does not list for peer-to-peer writes: it considers card and GPUs unreachable from
# each other. For kernels with PCI_P2PDMA; others do not check.
. /suite/lib.sh

endpoint=$class/partitions/0/endpoint
said() { dmesg | grep -q "gpulink $pci: error 27 (peer): $1"; }
unreachable() {
	refused put "0000:00:08.0 0" $endpoint &&
		printf '0000:00:08.0 0\n' | dd of=$endpoint bs=4096 2>&1 | grep 'No route to host'
}

check "a GPU is refused as an endpoint, with EHOSTUNREACH" unreachable
check "the log says why" said 'endpoint 0000:00:08.0: the bridges to the card do not guarantee'
check "the endpoint stays none" is "$(cat $endpoint)" none
check "the administrator allows unchecked peers" put 1 $class/unchecked_peers
check "endpoints are assigned then" name_endpoints
check "their distance is unknown" is "$(cat $class/partitions/0/endpoint_distance)" unknown
check "the GPU driver loads" modprobe gpulink-test-gpu
tap peers /bin/peers-test /dev/gpulink0 0000:00:08.0 apart
check "the log says why a dma-buf is not reachable" said 'dma-buf of gpulink.test.gpu is not reachable'
check "the GPU driver unloads" rmmod gpulink-test-gpu
check "the module unloads" rmmod gpulink
finish
