#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# life.sh LOOPS [KIND[:LOOPS]...]: in the guest: life-cycle stress test. Repeats each event LOOPS times under the traffic of
# tests/vm/guest/life.c. KIND: an event of event() below, or unload.
# life.sh event KIND: triggers the event once, without traffic.
. /suite/lib.sh

# Shell built-ins only: a process takes 10 ms here, and this runs in every loop.
find_card() {
	for d in /sys/bus/pci/devices/*; do
		{ read -r vendor <$d/vendor && read -r device <$d/device; } 2>/dev/null || continue
		[ "$vendor $device" != "0x1234 0x6c6b" ] || pci=${d##*/}
	done
}
present() { find_card && [ -d /sys/bus/pci/devices/$pci ] && [ -c /dev/gpulink0 ]; }
absent() { ! [ -e /dev/gpulink0 ] && ! [ -e /sys/bus/pci/devices/$pci ]; }
in_state() { is "$(cat $class/state)" "$1"; }
host() { echo "@@host $*" >/dev/host; }
# After a replacement or rebind the card has no endpoints.
again() { wait_until 20 present && name_endpoints; }

alarm() { put 0 /sys/class/rtc/rtc0/wakealarm && put +2 /sys/class/rtc/rtc0/wakealarm; }
command() { printf "$1" | dd of=/sys/bus/pci/devices/$pci/config bs=1 seek=4 count=2 2>/dev/null; }
# Memory decode off, and the BARs gone, as after a reset behind the driver's back: it declares the card lost, still says what it
# is, and recovers it on reset.
described() { cat $class/serial $class/features $class/partitions/0/endpoint $class/partitions/0/endpoint_bytes $class/partitions/0/coalesce $class/partitions/0/max_payload_bytes; }
silence() {
	described >/tmp/described
	command '\0\0' && dd if=/dev/zero of=/sys/bus/pci/devices/$pci/config bs=1 seek=16 count=24 2>/dev/null &&
		wait_until 10 in_state lost && ! cat $class/counters/err_dma && ! cat $class/link_state && described | diff - /tmp/described &&
		put 1 $class/reset && in_state live
}

event() {
	find_card
	case $1 in
	reset) put 1 /sys/bus/pci/devices/$pci/reset ;;
	administrator) put 1 $class/reset ;;
	rebind)
		put $pci /sys/bus/pci/drivers/gpulink/unbind && put $pci /sys/bus/pci/drivers/gpulink/bind && again ;;
	rescan)
		put 1 /sys/bus/pci/devices/$pci/remove && absent && put 1 /sys/bus/pci/rescan && again ;;
	sleep-test) put devices /sys/power/pm_test && put mem /sys/power/state && put none /sys/power/pm_test ;;
	# After suspend the VM cannot power off, only reboot: the init script of tools/vm/run checks for this file.
	suspend) : >/run/slept && alarm && put deep /sys/power/mem_sleep && put mem /sys/power/state ;;
	silence) silence ;;
	fatal) host bus-error DLP ;;
	not-fatal) host bus-error COMP_TIME ;;
	unplug) put 0 /sys/bus/pci/slots/1/power && absent && host plug-card && again ;;
	# Through the slot's attention button, which takes five seconds.
	button) host unplug-card && wait_until 30 absent && host plug-card && again ;;
	# Surprise death, then slot power-off, then another card.
	replace)
		host kill-card && wait_until 10 in_state lost && put 0 /sys/bus/pci/slots/1/power && absent &&
			host plug-card && again ;;
	esac
}
if [ "$1" = event ]; then
	event "$2"
	exit
fi

# rmmod fails while the device is open, without affecting its user; it succeeds once the user has exited.
unload() {
	traffic /dev/gpulink0 60 ok &
	user=$!
	wait_until 20 sh -c 'grep -q "^gpulink [0-9]* [1-9]" /proc/modules' && ! rmmod gpulink && kill $user && wait $user &&
		rmmod gpulink && ! [ -e /dev/gpulink0 ] && modprobe gpulink && again
}
unloads() {
	for i in $(seq "$1"); do
		unload || { echo "the ${i}th time"; return 1; }
	done
}
available() { awk '/^MemAvailable/ { print $2 }' /proc/meminfo; }
# Resources still reserved by the driver.
reserved() { grep -c -E 'gpulink' /proc/iomem /proc/interrupts; }
# 4 MiB is less than one leaked context per user and loop in 20 loops; a leaked page per loop shows in 1000 loops.
no_less_memory() {
	echo 3 >/proc/sys/vm/drop_caches
	now=$(available)
	echo "$1 kB before, $now kB now"
	[ $((now + 4096)) -ge "$1" ]
}
kmemleak() {
	echo scan >/sys/kernel/debug/kmemleak && sleep 6 && echo scan >/sys/kernel/debug/kmemleak
	cat /sys/kernel/debug/kmemleak
	is "$(grep -c . /sys/kernel/debug/kmemleak)" 0
}
# Stores to stale mappings must not reach the card.
live() {
	life /dev/gpulink0 /sys/bus/pci/devices/0000:00:08.0/resource0 "$1" sh /suite/life.sh event "$2" &&
		is "$(cat $class/counters/err_window)" 0
}

loops=$1
shift
[ $# -gt 0 ] || set -- reset administrator rebind rescan sleep-test fatal not-fatal silence unload:3
find_card
echo 0 >/sys/module/suspend/parameters/pm_test_delay
check "endpoints assigned" name_endpoints
check "once, for allocations that are made at first use and kept" live 1 reset
before=$(available) lines=$(reserved)
for kind in "$@"; do
	times=$loops
	case $kind in *:*) times=${kind#*:} kind=${kind%:*} ;; esac
	if [ "$kind" = unload ]; then
		check "unloading while in use, $times times" unloads "$times"
	else
		check "$kind, $times times" live "$times" "$kind"
	fi
	grep ' times, ' /tmp/check.out | sed 's/^/# /'
done
check "traffic afterwards" traffic /dev/gpulink0 1 ok
check "as much memory is available as before" no_less_memory "$before"
check "the driver has as many reservations as before" is "$(reserved)" "$lines"
if [ -e /sys/kernel/debug/kmemleak ]; then
	check "kmemleak reports nothing" kmemleak
fi
finish
