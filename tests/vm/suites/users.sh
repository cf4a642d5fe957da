#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In the guest, with two cards: what a user may take, over processes, files and cards; what a reset gives back; what
# waits for a drain; error storms.
. /suite/lib.sh

device=/dev/gpulink0
check "an endpoint is assigned" put "0000:00:08.0 0" $class/partitions/0/endpoint
check "a user may use some of it" put "users 0 65536 1000 - rw" $class/partitions/0/ranges/add
check "a second card" test -c /dev/gpulink1
check "the GPU driver loads" modprobe gpulink-test-gpu
tap account account-test $device $class /dev/gpulink1 /dev/gpulink-test-gpu-0000:00:08.0
tap reuse reuse-test $device $class /dev/gpulink-test-gpu-0000:00:08.0
tap stale stale-test $device $class
tap storm storm-test $device $class
check "traffic after it" traffic $device 1 ok
check "the GPU driver unloads" rmmod gpulink-test-gpu
check "the module unloads" rmmod gpulink
finish
