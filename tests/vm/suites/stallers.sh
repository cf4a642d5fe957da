#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In the guest: users who stall in their calls, and another who must not wait for them (docs/recovery.md, "Time bounds").
. /suite/lib.sh

gpu() { echo "/dev/gpulink-test-gpu-0000:00:$1.0"; }
check "endpoints are assigned" name_endpoints
check "users may use some of the first" put "users 0 65536 - 2000 rw" $class/partitions/0/ranges/add
check "the GPU driver loads" modprobe gpulink-test-gpu
chmod 666 /dev/gpulink0 /dev/gpulink-test-gpu-*
tap stallers stallers /dev/gpulink0 $class "$(gpu 08)" "$(gpu 09)" "$(gpu 0a)" "$(gpu 0b)"
check "traffic after it" traffic /dev/gpulink0 1 ok
check "the GPU driver unloads" rmmod gpulink-test-gpu
check "the module unloads" rmmod gpulink
finish
