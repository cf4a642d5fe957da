#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In the guest: pool objects by the kernel interface and by the library, what they outlive, and what is left of them.
. /suite/lib.sh

trace=/sys/kernel/tracing
mount -t tracefs none $trace 2>/dev/null
check "endpoints assigned" name_endpoints_of_two
check "tracepoints are enabled" sh -c "echo 1 >$trace/events/gpulink/gpulink_pool_create/enable && echo 1 >$trace/events/gpulink/gpulink_pool_free/enable"
tap "objects" pool-test /dev/gpulink0 $class /dev/gpulink1
check "the trace has them" sh -c "grep -q 'gpulink_pool_create: card=0 offset=[0-9]* bytes=16384 grain=64' $trace/trace && grep -q 'gpulink_pool_free: card=0' $trace/trace"
echo 0 >$trace/events/enable
tap "resets" pool-life-test reset /dev/gpulink0 $class
tap "processes" pool-life-test processes /dev/gpulink0 $class
tap "random" pool-life-test random /dev/gpulink0 $class
check "GPU drivers bind" modprobe gpulink-test-gpu
tap "drains" pool-life-test drain /dev/gpulink0 $class
tap "endless reset" pool-life-test endless /dev/gpulink0 $class
check "GPU drivers unload" rmmod gpulink-test-gpu
if [ "${1:-}" = driver ]; then # by hand: without what takes longest
	tap "removal" pool-life-test remove /dev/gpulink0 $class
	finish
fi
check "gpulinkctl shows the pool" sh -c "gpulinkctl --direct --card gpulink0 pool | grep -q '^partition  *none'"
check "gpulinkctl counts leases" sh -c "gpulinkctl --direct --card gpulink0 pool-counters | grep -q '^reads  *[1-9]'"
tap "library" lib_pool_test /dev/gpulink0
tap "library at random" lib_pool_random_test /dev/gpulink0 3 400
check "debugfs shows the pool" grep -q '^pool pages [1-9][0-9]* used 0 quarantine 0 objects 0 partition -1 epoch [0-9]' /sys/kernel/debug/gpulink/gpulink0/pool
tap "removal" pool-life-test remove /dev/gpulink0 $class
tap "objects after it" pool-test /dev/gpulink0 $class /dev/gpulink1
check "the module unloads" rmmod gpulink
finish
