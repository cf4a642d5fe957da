#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In a guest whose bridges do not promise to forward what one device writes to another: card and GPUs cannot reach each
# other, as far as the kernel knows. For kernels with PCI_P2PDMA; others ask nobody.
. /suite/lib.sh

endpoint=$class/partitions/0/endpoint
said() { dmesg | grep -q "gpulink $pci: error 27 (peer): $1"; }
unreachable() {
	refused put "0000:00:08.0 0" $endpoint &&
		printf '0000:00:08.0 0\n' | dd of=$endpoint bs=4096 2>&1 | grep 'No route to host'
}

check "a GPU is refused as an endpoint, and says why" unreachable
check "so does the log" said 'endpoint 0000:00:08.0: the bridges to the card do not guarantee'
check "there is none then" is "$(cat $endpoint)" none
check "the administrator knows better" put 1 $class/unchecked_peers
check "endpoints get their names then" name_endpoints
check "at a distance that nobody knows" is "$(cat $class/partitions/0/endpoint_distance)" unknown
check "the GPUs' driver loads" modprobe gpulink-test-gpu
tap peers /bin/peers-test /dev/gpulink0 0000:00:08.0 apart
check "the log says why a dma-buf is not reached" said 'dma-buf of gpulink.test.gpu is not reachable'
check "the GPUs' driver unloads" rmmod gpulink-test-gpu
check "the module unloads" rmmod gpulink
finish
