#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# life.sh LOOPS [KIND[:LOOPS]...]: in the guest: whatever a card can live through, again and again, with its users
# at work (tests/vm/guest/life.c). KIND: one of those below.
# life.sh event KIND: does it once, to the card alone.
. /suite/lib.sh

# Without a process: each takes 10 ms here, and this is done in every loop.
find_card() {
	for d in /sys/bus/pci/devices/*; do
		{ read -r vendor <$d/vendor && read -r device <$d/device; } 2>/dev/null || continue
		[ "$vendor $device" != "0x1234 0x6c6b" ] || pci=${d##*/}
	done
}
present() { find_card && [ -d /sys/bus/pci/devices/$pci ] && [ -c /dev/gpulink0 ]; }
absent() { ! [ -e /dev/gpulink0 ] && ! [ -e /sys/bus/pci/devices/$pci ]; }
in_state() { is "$(cat $class/state)" "$1"; }
host() { echo "@@host $*" >/dev/ttyS0; }
# A new card, or one that the driver has anew, knows no endpoints.
again() { wait_until 20 present && name_endpoints; }

alarm() { put 0 /sys/class/rtc/rtc0/wakealarm && put +2 /sys/class/rtc/rtc0/wakealarm; }
command() { printf "$1" | dd of=/sys/bus/pci/devices/$pci/config bs=1 seek=4 count=2 2>/dev/null; }
# Not gone, but without memory decode: who believes it lost must take it back when it is reset.
silence() {
	command '\0\0' && wait_until 10 in_state lost && ! cat $class/counters/err_dma && command '\2\0' &&
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
	# A machine that has slept cannot be switched off any more, only restarted: tools/vm/run looks for the file.
	suspend) : >/run/slept && alarm && put deep /sys/power/mem_sleep && put mem /sys/power/state ;;
	silence) silence ;;
	fatal) host bus-error DLP ;;
	not-fatal) host bus-error COMP_TIME ;;
	unplug) put 0 /sys/bus/pci/slots/1/power && absent && host plug-card && again ;;
	# As the slot's button does it, which takes five seconds.
	button) host unplug-card && wait_until 30 absent && host plug-card && again ;;
	# Dead first, then taken out, and another one put in.
	replace)
		host kill-card && wait_until 10 in_state lost && put 0 /sys/bus/pci/slots/1/power && absent &&
			host plug-card && again ;;
	esac
}
if [ "$1" = event ]; then
	event "$2"
	exit
fi

# Refused while one has it open, who notices nothing; possible when he has left.
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
# What is still reserved in the name of the driver.
reserved() { grep -c -E 'gpulink' /proc/iomem /proc/interrupts; }
# 4 MiB are less than a context of each user leaked every time, of twenty; a page each time shows in a thousand.
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
# Mappings from before lead nowhere: the card sees none of what is stored there.
live() {
	life /dev/gpulink0 /sys/bus/pci/devices/0000:00:08.0/resource0 "$1" sh /suite/life.sh event "$2" &&
		is "$(cat $class/counters/err_window)" 0
}

loops=$1
shift
[ $# -gt 0 ] || set -- reset administrator rebind rescan sleep-test fatal not-fatal silence unload:3
find_card
echo 0 >/sys/module/suspend/parameters/pm_test_delay
check "endpoints named" name_endpoints
check "once, for what is allocated at first use and kept" live 1 reset
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
check "it works" traffic /dev/gpulink0 1 ok
check "memory is as free as before" no_less_memory "$before"
check "the driver holds what it held" is "$(reserved)" "$lines"
if [ -e /sys/kernel/debug/kmemleak ]; then
	check "kmemleak finds nothing" kmemleak
fi
finish
