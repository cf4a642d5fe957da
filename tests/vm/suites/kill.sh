#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In the guest: surprise removal of the card under traffic; its emulator is killed.
. /suite/lib.sh

check "endpoints assigned" name_endpoints
check "the emulator is killed under traffic" under_traffic nodev sh -c 'echo "@@host kill-card" >/dev/host'
check "the dead card cannot be opened" refused traffic /dev/gpulink0 1 ok
check "its counters cannot be read" refused cat $class/partitions/0/counters/stores
# Of a card that is dead, its configuration space too.
says() {
	text=$1
	shift
	"$@" 2>&1 | tee /tmp/says | grep -qF -e "$text" || { cat /tmp/says; return 1; }
}
check "gpulinkctl lists it as lost" says "  lost   unknown     16" gpulinkctl --direct list
check "topo shows it" says "$pci  card gpulink0: gpulink card, lost" gpulinkctl topo
check "doctor finds it lost" says "the card is lost: it does not answer the driver" gpulinkctl doctor
check "and not absent" refused says "no gpulink card" gpulinkctl doctor
check "a reset says that it has left the bus" says "gpulink0: reset: the card has left the bus" gpulinkctl --direct reset
dump=/sys/bus/pci/devices/$pci/devcoredump/data
if [ -e /sys/class/devcoredump ]; then
	check "the kernel keeps a dump" cat $dump
	check "without registers: they cannot be read" grep -qE '^registers status - control - ' $dump
fi
check "its state is lost" wait_until 10 grep -qx lost $class/state
for f in serial features hw_version generation partitions/0/coalesce partitions/0/endpoint_bytes partitions/0/endpoint_distance; do
	check "sysfs still says its $f" test -n "$(cat $class/$f)"
done
check "and its endpoint" is "$(cat $class/partitions/0/endpoint)" "0000:00:08.0 0"
reset_says() { printf 1 | dd of=$class/reset bs=4096 2>&1 | grep "$1"; }
check "a reset says that it has left the bus" reset_says 'No such device'
check "the dead card can be unbound" put $pci /sys/bus/pci/drivers/gpulink/unbind
check "the device node is gone" refused test -c /dev/gpulink0
check "the module unloads" rmmod gpulink
finish
