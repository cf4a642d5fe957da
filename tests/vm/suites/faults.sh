#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In the guest: reset and removal of the card and of endpoints under traffic.
. /suite/lib.sh

alive() { traffic /dev/gpulink0 1 ok; }
present() { test -c /dev/gpulink0; }
unbind_bind() { put $pci /sys/bus/pci/drivers/gpulink/unbind && sleep 1 && put $pci /sys/bus/pci/drivers/gpulink/bind; }
kill_traffic() {
	begin flowing traffic /dev/gpulink0 20 ok || return 1
	kill -9 $pid
	wait $pid
	true
}
rmmod_is_refused() {
	begin flowing traffic /dev/gpulink0 20 ok && refused rmmod gpulink && kill $pid
	wait $pid || { cat $said; return 1; }
}
# Removes the endpoint of partition 3 from the bus while stores and releases to it are in flight. Its user gets an error and
# continues; users of other endpoints are not affected.
endpoint_removed() {
	begin flowing traffic /dev/gpulink0 20 lost 3 || return 1
	user=$pid user_said=$said
	begin flowing traffic /dev/gpulink0 4 ok 1 || return 1
	put 1 /sys/bus/pci/devices/0000:00:0b.0/remove || echo "the endpoint cannot be removed"
	wait $user
	ended=$?
	wait $pid && [ $ended = 0 ] || { cat $user_said $said; return 1; }
}

# Endpoints that stop responding while one process stores to them and to partition 0.
counted() { [ "$(cat $class/partitions/$1/counters/err_endpoint)" -gt 0 ]; }
# decode 0|2: disables or enables memory decode of partition 3's endpoint.
decode() { printf "\\$1\\0" | dd of=/sys/bus/pci/devices/0000:00:0b.0/config bs=1 seek=4 count=2 2>/dev/null; }
decode_off() {
	mkfifo /tmp/go
	exec 9<>/tmp/go
	begin ready sh -c 'exec absent /dev/gpulink0 3 0 comes-back </tmp/go 9>&-' && decode 0 &&
		wait_until 20 grep -q away $said && decode 2 && echo go >&9
	exec 9>&- # the program no longer waits for the line
	wait $pid || { cat $said; return 1; }
}
endpoint_reset() {
	begin ready absent /dev/gpulink0 3 0 passes && put 1 /sys/bus/pci/devices/0000:00:0b.0/reset
	wait $pid || { cat $said; return 1; }
}
endpoint_dead() {
	begin ready absent /dev/gpulink0 2 0 stays-away && echo "@@host kill-endpoint 2" >/dev/host
	wait $pid || { cat $said; return 1; }
}

# A file opened before the unbind does not keep the card from getting its name back.
same_name() {
	sleep 60 3<>/dev/gpulink0 &
	holder=$!
	wait_until 5 test -e /proc/$holder/fd/3 && unbind_bind && present && test -e /proc/$holder/fd/3
	code=$?
	kill $holder
	wait $holder
	return $code
}

check "endpoints assigned" name_endpoints
check "traffic before" alive
for i in 1 2 3; do
	check "kill -9 in the middle of traffic, $i" kill_traffic
done
check "traffic after kill -9" alive
for i in 1 2 3; do
	check "function-level reset under traffic, $i" under_traffic reset put 1 /sys/bus/pci/devices/$pci/reset
	check "the endpoint survives the reset, $i" is "$(cat $class/partitions/0/endpoint)" "0000:00:08.0 0"
	check "traffic after the reset, $i" alive
done
check "administrator's reset under traffic" under_traffic reset put 1 $class/reset
check "traffic after it" alive
check "rmmod while open is refused" rmmod_is_refused
check "unbind and bind under traffic" under_traffic nodev unbind_bind
check "the card is back" wait_until 5 present
check "unbind and bind with an open file: the card keeps its name" same_name
check "endpoints assigned again" name_endpoints
check "traffic after it" alive
check "an endpoint with memory decode off, then on again" decode_off
check "the log has error 4 (endpoint)" sh -c "dmesg | grep -q 'gpulink $pci: error 4 (endpoint): '"
check "its partition counts err_endpoint" counted 3
check "another partition does not" refused counted 0
check "an endpoint's function-level reset" endpoint_reset
check "an endpoint that dies" endpoint_dead
check "traffic after it" alive
check "the dead endpoint is removed" put 1 /sys/bus/pci/devices/0000:00:0a.0/remove
check "its partition has no endpoint" is "$(cat $class/partitions/2/endpoint)" none
check "an endpoint removed under traffic to it, and to another" endpoint_removed
check "the partition has no endpoint afterwards" is "$(cat $class/partitions/3/endpoint)" none
check "traffic after it" alive
check "removal under traffic" under_traffic nodev put 1 /sys/bus/pci/devices/$pci/remove
check "the device node is gone" refused present
put 1 /sys/bus/pci/rescan
check "the card is back after a rescan" wait_until 10 present
check "an endpoint assigned" sh -c '. /suite/lib.sh; put "0000:00:08.0 0" $class/partitions/0/endpoint'
check "traffic after it" alive
dump=/sys/bus/pci/devices/$pci/devcoredump/data
dumped() { grep -qE "$1" /tmp/dump; }
# With a file open, which the dump must name.
reprogrammed() {
	sleep 60 3<>/dev/gpulink0 &
	holder=$!
	wait_until 5 test -e /proc/$holder/fd/3
	echo "@@host reprogram-card" >/dev/host
	sleep 1
	serial=$(cat $class/serial)
	put 1 $class/reset
}
check "a card whose logic was reprogrammed, at the next reset" reprogrammed
check "it is lost" is "$(cat $class/state)" lost
check "the log has error 21 (capabilities)" sh -c "dmesg | grep -q 'gpulink $pci: error 21 (capabilities): SERIAL is '"
if [ -e /sys/class/devcoredump ]; then
	check "the kernel keeps a dump of it" sh -c "cat $dump >/tmp/dump && [ \$(stat -Lc %a $dump) = 600 ]"
	sed 's/^/# /' /tmp/dump | grep -v ' 0$'
	check "with the reason" dumped '^reason a reset$'
	check "with registers" dumped '^registers status [0-9]+ .* serial [0-9]+'
	check "with partitions" dumped '^partition 0 endpoint 0000:00:08.0 0 bytes 67108864 .* entries [0-9]+'
	check "with rings and their positions" dumped "^context [0-9]+ pid $holder .* sq_tail [0-9]+ cq_head .* card: sq_tail [0-9]+"
	check "with counters" dumped '^partition 15 err_endpoint [0-9]+$'
	check "it is dropped" put 1 $dump
	check "it is gone" refused test -e $dump
fi
kill $holder
check "it cannot be opened" refused traffic /dev/gpulink0 1 ok
check "unbind and bind" unbind_bind
check "it is another card" refused is "$(cat $class/serial)" "$serial"
check "an endpoint assigned to it" sh -c '. /suite/lib.sh; put "0000:00:08.0 0" $class/partitions/0/endpoint'
check "traffic through it" alive
check "the module unloads" rmmod gpulink
finish
