#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In the guest: what the driver does with the devices that are endpoints: peer checks, power management, memory decoding, failed
# drains, and a device whose driver moves its BAR.
. /suite/lib.sh

gpu=/sys/bus/pci/devices/0000:00
endpoint=$class/partitions/0/endpoint
refused_with() { printf '%s\n' "$1" | dd of=$endpoint bs=4096 2>&1 | grep "$2"; }
said() { dmesg | grep -q "gpulink $pci: $1"; }
alive() { traffic /dev/gpulink0 1 ok; }
command_has() { [ $((0x$(dd if=$gpu:$1.0/config bs=1 skip=4 count=1 2>/dev/null | od -An -tx1 | tr -d ' ') & $2)) = $2 ]; }
decodes() { command_has $1 2; }
masters() { command_has 04 4; }
decode_off() { printf '\0\0' | dd of=$gpu:$1.0/config bs=1 seek=4 count=2 2>/dev/null && refused decodes $1; }
fail_drains() { test-gpu-call /dev/gpulink-test-gpu-0000:00:0a.0 fail-drains "$1"; }
stays_reserved() { refused put none $endpoint && refused put "0000:00:09.0 0" $endpoint && refused put pool $endpoint; }
power_is() { is "$(cat $gpu:08.0/power/runtime_status)" "$1"; }
linked() { [ -e $gpu:08.0/consumer:pci:$pci ]; }

if ! kernel_has_p2pdma; then
	put 0 $class/unchecked_peers
	check "without PCI_P2PDMA a GPU is refused as an endpoint" refused_with "0000:00:08.0 0" 'No route to host'
	check "the log says why" said 'error 27 (peer): endpoint 0000:00:08.0: the kernel has no PCI_P2PDMA'
	check "the administrator allows unchecked peers" put 1 $class/unchecked_peers
	check "endpoints are accepted then" name_endpoints
	check "the log says what was not checked" said 'endpoint 0000:00:08.0: not checked whether the bridges forward'
fi

check "a GPU's memory decoding is off, as firmware may leave it" decode_off 08
check "endpoints are assigned" name_endpoints
check "the driver has enabled it" decodes 08
check "traffic" alive
check "the card is bus master" masters
check "the card depends on the GPU: it sleeps first" linked
check "the GPU may sleep when nobody uses it" put auto $gpu:08.0/power/control
sleep 1
check "an endpoint does not" power_is active
check "an endpoint is removed" put none $endpoint
check "the card no longer depends on the GPU" refused linked
check "the GPU sleeps" wait_until 5 power_is suspended
check "the endpoint is assigned again" put "0000:00:08.0 0" $endpoint
check "the GPU wakes up" power_is active
check "traffic after it" alive

check "GPU drivers bind, one moves its BAR" modprobe gpulink-test-gpu move_bar=0000:00:0b.0
check "the BAR moved" sh -c "dmesg | grep '0000:00:0b.0: BAR 0 moved from'"
check "the card did not write to it meanwhile" refused sh -c "dmesg | grep 'the card may write to it'"
check "its partition has no endpoint" is "$(cat $class/partitions/3/endpoint)" none
check "the log says why" said 'error 25 (endpoint_gone): endpoint 0000:00:0b.0 of partition 3: BAR 0 was moved or resized'
check "the other partitions keep theirs" is "$(cat $class/partitions/2/endpoint)" "0000:00:0a.0 0"
check "it is assigned again" put "0000:00:0b.0 0" $class/partitions/3/endpoint
check "traffic to the new address" alive

shift_bar() { test-gpu-call /dev/gpulink-test-gpu-0000:00:0b.0 shift-bar 0; }
check "a BAR moves at some time" shift_bar
check "the card loses it as its endpoint" wait_until 20 grep -qx none $class/partitions/3/endpoint
check "the log says so" is "$(dmesg | grep -c 'endpoint 0000:00:0b.0 of partition 3: BAR 0 was moved')" 2
check "it is assigned once more" put "0000:00:0b.0 0" $class/partitions/3/endpoint
check "traffic to the third address" alive

check "drains fail" fail_drains 1000
check "the endpoint of a partition that does not drain is not replaced" stays_reserved
check "the partition has no endpoint" is "$(cat $endpoint)" none
check "the log says why" said 'error 17 (drain): endpoint 0000:00:08.0 0: stores of partition 0 may still be under way'
check "the driver still holds the GPU" linked
check "drains succeed" fail_drains 0
check "the partition gets an endpoint" put "0000:00:09.0 0" $endpoint
check "the driver no longer holds the GPU" refused linked
check "endpoints are assigned once more" name_endpoints
check "drains fail again" fail_drains 1000
check "an endpoint is removed, and stays reserved" refused put none $endpoint
check "a reset empties the card" put 1 $class/reset
check "the reset lets go of the GPU" refused linked
check "drains succeed again" fail_drains 0
check "the endpoint is assigned after the reset" put "0000:00:08.0 0" $endpoint
check "traffic after the reset" alive
check "drains fail once more" fail_drains 1000
check "a GPU whose stores cannot be drained leaves the bus" put 1 $gpu:09.0/remove
check "the card is stopped: the address may be another device's soon" is "$(cat $class/state)" lost
check "it is not bus master" refused masters
fail_drains 0
check "the card is reset" put 1 $class/reset
check "the other endpoints work" alive
check "the GPU drivers unload" rmmod gpulink-test-gpu

# The card as a crashed kernel leaves it. Whether it can write to memory is decided before the driver looks at it.
trace=/sys/kernel/tracing
mount -t tracefs none $trace 2>/dev/null
probed() { sed -n 's/.* \(clear\|identify\): .*/\1/p' $trace/trace | head -n 1; }
if [ -e $trace/kprobe_events ]; then
	check "the card is unbound" put $pci /sys/bus/pci/drivers/gpulink/unbind
	check "it is bus master nevertheless" sh -c "printf '\6\0' | dd of=/sys/bus/pci/devices/$pci/config bs=1 seek=4 count=2"
	check "that can be seen" masters
	check "a probe is traced" sh -c "echo 'p:gpulink_test/clear pci_clear_master' >$trace/kprobe_events &&
		echo 'p:gpulink_test/identify gpulink:glk_card_identify' >>$trace/kprobe_events && echo 1 >$trace/events/gpulink_test/enable"
	check "the card is bound" put $pci /sys/bus/pci/drivers/gpulink/bind
	check "the driver turned bus mastering off first" is "$(probed)" clear
	check "the trace ends" sh -c "echo 0 >$trace/events/gpulink_test/enable && echo >$trace/kprobe_events"
fi
check "the module unloads" rmmod gpulink
finish
