#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In the guest, booted with swiotlb=force: devices reach memory by bounce buffers only.
. /suite/lib.sh

check "bounce buffers are in use" grep -q swiotlb=force /proc/cmdline
check "endpoints get their names" name_endpoints
tap bounce /bin/bounce-test /dev/gpulink0 $class
check "the log says why, with its code" sh -c 'dmesg | grep -q "error 29 (coherence)"'
check "the module unloads" rmmod gpulink
finish
