#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In the guest, booted with swiotlb=512,force: all DMA goes through bounce buffers.
. /suite/lib.sh

check "bounce buffers are in use" grep -q swiotlb=512,force /proc/cmdline
check "endpoints are assigned" name_endpoints
tap bounce /bin/bounce-test /dev/gpulink0 $class
check "the log has error 29 (coherence)" sh -c 'dmesg | grep -q "error 29 (coherence)"'
check "the module unloads" rmmod gpulink
finish
