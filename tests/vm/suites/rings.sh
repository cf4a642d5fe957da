#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In the guest: the three submission paths (ioctl, io_uring, user ring), hostile processes, limits, and cleanup after SIGKILL.
. /suite/lib.sh

device=/dev/gpulink0
nothing_left() { cat $class/usage/* | grep -vx 0 && return 1; true; }
# Kills a process under its own traffic, after a varying delay.
kill_in_traffic() {
	begin flowing ring-traffic $device "$1" 20 ok || return 1
	sleep "$2"
	kill -9 $pid
	wait $pid
	wait_until 3 nothing_left
}
# Traffic on all three paths at once; each must end with the error within 2 s of the command.
end_of_all() {
	expected=$1
	shift
	for way in ioctl uring user; do
		begin flowing ring-traffic $device $way 60 "$expected" || return 1
		eval "$way=$pid ${way}_said=$said"
	done
	"$@"
	wait $ioctl && wait $uring && wait $user || { cat $ioctl_said $uring_said $user_said; return 1; }
}
limits_refuse_nonsense() { ! put -1 $class/limits/windows_per_context && ! put x $class/limits/contexts_per_user; }

check "endpoints assigned" name_endpoints
check "nothing is in use" nothing_left
tap "user ring" user-ring-test $device $class
if [ -e /bin/user-ring-test-32 ]; then
	tap "user ring from 32 bits" user-ring-test-32 $device $class
fi
tap "io_uring" uring-test $device $class
tap "library" lib_promise_test $device
tap "queues" lib_queue_test $device 40
tap "event loop" lib_uring_loop_test $device $class
for example in store ring signal threads region; do
	check "example $example" example-$example $device
done
check "example pagerank, 256 rows" example-pagerank $device 8
check "the examples left nothing" wait_until 3 nothing_left
tap "isolation" isolation-test $device $class
for way in ioctl uring user; do
	check "traffic by $way" ring-traffic $device $way 1 ok
	for after in 0.3 0.61 0.47; do
		check "kill -9 in traffic by $way after $after s: nothing is left" kill_in_traffic $way $after
	done
done
# Direct stores on five paths, put vectors on those with a ring in user space, the others on four. What takes seconds on a busy host
# is left out.
measure() {
	gpulink-bench loggop --device $device --most 64 --repetitions 2 -o csv >/tmp/loggop || return 1
	all=$(((5 + 5 + 4 + 2 + 4) * 7 * 4 + 4 * 6 * 4)) found=$(grep -c ^$device /tmp/loggop)
	[ $found -le $all ] && [ $found -ge $((all * 9 / 10)) ] || { echo "# $found of $all"; return 1; }
	is "$(cut -d, -f3,4 /tmp/loggop | sort -u | wc -l)" 25
}
check "all ways are measured on all paths" measure
ratios() { gpulink-bench loggop --device $device --most 1 --way inline --path ioctl | grep -q "virtual machine: only ratios"; }
check "times of a virtual machine are marked" ratios
tap "limits" limits-test $device $class
check "limits refuse invalid values" limits_refuse_nonsense
check "a reset ends traffic on all three paths" end_of_all reset put 1 $class/reset
check "traffic after it" traffic $device 1 ok
check "nothing is left" wait_until 3 nothing_left
check "surprise removal ends traffic on all three paths" end_of_all nodev sh -c 'echo "@@host kill-card" >/dev/host'
check "the dead card is unbound" put $pci /sys/bus/pci/drivers/gpulink/unbind
check "the module unloads" rmmod gpulink
finish
