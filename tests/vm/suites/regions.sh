#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In the guest: regions by the kernel interface and by the library, failures, and what is left of them after a reset.
. /suite/lib.sh

check "endpoints assigned" name_endpoints
tap regions region-test /dev/gpulink0 $class
check "gpulinkctl counts them" sh -c "gpulinkctl --direct card-counters | grep -q '^region_epochs *[1-9]'"
check "debugfs lists regions" test -r /sys/kernel/debug/gpulink/gpulink0/regions
check "a reset" put 1 $class/reset
# The Verilated card takes a store in a third of a millisecond.
if [ "${1:-}" = rtl ]; then rounds=1 BYTES=20000; else rounds=2 BYTES=320000; fi
export BYTES
[ "${2:-}" = driver ] || tap "library" lib_region_test /dev/gpulink0 $rounds
[ "${1:-}${2:-}" != model ] || tap "events" region-events-test /dev/gpulink0 $class # it takes minutes
tap "regions after it" region-test /dev/gpulink0 $class
check "traffic after it" traffic /dev/gpulink0 1 ok
check "the module unloads" rmmod gpulink
finish
