#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In the guest: monitoring and tracing: tracepoints, debugfs, the PMU, the error log, and docs/ABI's list of files. Two CPUs.
. /suite/lib.sh

tracing=/sys/kernel/tracing
debug=/sys/kernel/debug/gpulink/gpulink0
pmu=/sys/bus/event_source/devices/gpulink0
[ -d $tracing/events ] || mount -t tracefs trace $tracing
mkfifo /tmp/go

# --- tracepoints --------------------------------------------------------------------------------------------------
trace_on() { echo >$tracing/trace && echo 1 >$tracing/events/gpulink/enable; }
# Prints the trace since trace_on, without durations.
traced() {
	echo 0 >$tracing/events/gpulink/enable
	sed -n 's/^.*[0-9]: \(gpulink_[a-z_]*: \)/\1/p' $tracing/trace | sed 's/ns=[0-9]*/ns=N/'
}
same() { diff "$1" "$2"; }

check "all 16 tracepoints exist" is "$(ls $tracing/events/gpulink | grep -c '^gpulink_')" 16
check "an endpoint assigned" put "0000:00:08.0 0" $class/partitions/0/endpoint
check "another endpoint assigned" put "0000:00:09.0 0" $class/partitions/1/endpoint

trace_on
known-traffic /dev/gpulink0 steps <&- >/dev/null
check "the known steps succeed" is $? 0
traced >/tmp/got
cat >/tmp/want <<END
gpulink_window_map: card=0 context=0 handle=0 partition=0 offset=4096 bytes=8192 rights=read|write
gpulink_register: card=0 context=0 handle=0 bytes=5000 pages=2 rights=read
gpulink_submit: card=0 context=0 count=3 tail=3
gpulink_complete: card=0 context=0 tag=77 status=0 length=0
gpulink_complete: card=0 context=0 tag=78 status=0 length=8
gpulink_complete: card=0 context=0 tag=79 status=1 length=0
gpulink_release_begin: card=0 context=0
gpulink_complete: card=0 context=0 tag=0 status=0 length=0
gpulink_release_end: card=0 context=0 result=0 ns=N
gpulink_unregister: card=0 context=0 handle=0
gpulink_window_revoke: card=0 context=0 handle=0
gpulink_drain: card=0 kind=context id=0 result=0 ns=N
gpulink_window_unmap: card=0 context=0 handle=0
gpulink_drain: card=0 kind=context id=0 result=0 ns=N
END
check "their trace is as expected" same /tmp/want /tmp/got

generation=$(cat $class/generation)
trace_on
check "the card is reset" put 1 $class/reset
traced >/tmp/got
cat >/tmp/want <<END
gpulink_state: card=0 from=live to=resetting generation=$generation
gpulink_drain: card=0 kind=card id=0 result=0 ns=N
gpulink_state: card=0 from=resetting to=live generation=$((generation + 1))
END
check "the reset is traced as state changes and a drain" same /tmp/want /tmp/got

# --- errors -------------------------------------------------------------------------------------------------------
trace_on
known-traffic /dev/gpulink0 forbidden
check "a forbidden store does not kill the process" is $? 0
traced >/tmp/got
check "the store is traced as error window" grep -qx 'gpulink_error: card=0 cause=window' /tmp/got
check "the log has error 0 (window)" sh -c "dmesg | grep -q 'gpulink $pci: error 0 (window): '"
refused put "$pci 2" $class/partitions/0/endpoint
check "an invalid endpoint logs error 24 (endpoint_name)" sh -c "dmesg | grep -q 'gpulink $pci: error 24 (endpoint_name): '"

# --- debugfs ------------------------------------------------------------------------------------------------------
for f in rings windows registrations; do
	check "$f is empty" is "$(cat $debug/$f)" ""
done
check "only root may read debugfs" is "$(stat -c %a $debug/rings)" 400
known-traffic /dev/gpulink0 steps </tmp/go >/tmp/said &
pid=$!
exec 9>/tmp/go
check "a process opens a context" wait_until 5 grep -q ready /tmp/said
who="context 0 pid $pid (known-traffic)"
kernels="rings kernel entries 512 completions 512 status 0"
check "its window is shown" is "$(cat $debug/windows)" \
	"window 0 slices 1 $who partition 0 offset 4096 bytes 8192 rights rw"
check "its registration is shown" is "$(cat $debug/registrations)" "registration 0 $who bytes 5000 pages 2 rights r-"
check "its rings are shown" is "$(cat $debug/rings)" \
	"$who $kernels driver: sq_tail 4 cq_head 4 in_flight 0 user_entries 0 unread 0 card: sq_tail 4 sq_head 4 cq_tail 4 cq_head 4 status 0 errors 0"
check "the state is shown" grep -qx 'state live' $debug/state
check "the number of contexts is shown" grep -q '^contexts 1 of ' $debug/state
check "the partitions are shown" sh -c "grep '^partition 1 endpoint 0000:00:09.0 0 bytes 67108864 ' $debug/partitions | grep -q ' entries 0 '"
check "no kernel addresses are shown" refused grep -rqE 'ffff[0-9a-f]{8}' $debug
check "the endpoint is removed from its partition" put none $class/partitions/0/endpoint
check "its window is shown as revoked" grep -q ' revoked$' $debug/windows
check "the endpoint assigned again" put "0000:00:08.0 0" $class/partitions/0/endpoint
exec 9>&-
wait $pid
check "the process exits with 0" is $? 0
for f in rings windows registrations; do
	check "$f is empty again" is "$(cat $debug/$f)" ""
done

# User rings. do_it LINE: sends the line to known-traffic and waits for "ready".
do_it() {
	: >/tmp/said
	echo "$1" >&9
	wait_until 5 grep -q ready /tmp/said
}
: >/tmp/said
known-traffic /dev/gpulink0 rings </tmp/go >>/tmp/said &
pid=$!
exec 9>/tmp/go
check "a process maps user rings" wait_until 5 grep -q ready /tmp/said
who="context 0 pid $pid (known-traffic)"
process="rings process entries 32 completions 16"
check "user rings are shown, without driver indices" is "$(cat $debug/rings)" \
	"$who $process status 0 card: sq_tail 3 sq_head 3 cq_tail 3 cq_head 2 status 0 errors 0"
check "the process writes an invalid doorbell value" do_it stop
check "the ring is shown as stopped" is "$(cat $debug/rings)" \
	"$who $process status 13 card: sq_tail 1003 sq_head 3 cq_tail 3 cq_head 2 status 13 errors 0"
check "the process unmaps the rings" do_it back
check "the kernel rings are shown" is "$(cat $debug/rings)" \
	"$who $kernels driver: sq_tail 0 cq_head 0 in_flight 0 user_entries 0 unread 0 card: sq_tail 0 sq_head 0 cq_tail 0 cq_head 0 status 0 errors 0"
exec 9>&-
wait $pid
check "the second process exits with 0" is $? 0

# Within one snapshot the flush reasons of a partition add up to its packets. Concurrent readers take their own snapshots.
reasons_add_up() {
	for i in $(seq 10); do
		awk '$1 == "partition" && $3 == "packets" { packets = $4; sum = 0 }
		     $1 == "partition" && $3 ~ /^flush_/ { sum += $4 }
		     $1 == "partition" && $3 == "region_bytes" { seen++; if (packets != sum) { print; bad = 1 } }
		     END { exit bad || seen < 16 }' $debug/counters || return 1
	done
}
traffic /dev/gpulink0 12 ok >/tmp/traffic.out &
user=$!
pmu-test spin 12 &
spinner=$!
sleep 1
check "all counters are from one snapshot, under traffic and perf" reasons_add_up
wait $user
check "the traffic exits with 0" is $? 0
wait $spinner
check "an event never decreases" is $? 0
check "debugfs and sysfs show the same counter value" is "$(sed -n 's/^partition 0 stores //p' $debug/counters)" \
	"$(cat $class/partitions/0/counters/stores)"

# --- perf ---------------------------------------------------------------------------------------------------------
check "a partition event takes a partition parameter" is "$(cat $pmu/events/stores)" "event=0x00,partition=?"
check "a card event takes no parameter" is "$(cat $pmu/events/packets_received)" "event=0x86"
tap perf pmu-test counts /dev/gpulink0

# With events held open. ask LINE WANT: sends the line to pmu-test hold and compares its answer.
ask() {
	: >/tmp/said
	echo "$1" >&9
	wait_until 5 grep -q . /tmp/said
	is "$(tr '\n' ' ' </tmp/said)" "$2 "
}
check "the module unloads" rmmod gpulink
check "the PMU is gone with the module" refused test -e $pmu
check "the module loads on CPU 1" taskset 2 modprobe gpulink
check "perf reads on CPU 1" is "$(cat $pmu/cpumask)" 1
check "the endpoint assigned, first load" put "0000:00:08.0 0" $class/partitions/0/endpoint
# Append mode, so that ask can truncate the file.
pmu-test hold /dev/gpulink0 </tmp/go >>/tmp/said &
holder=$!
exec 9>/tmp/go
check "events count" ask store "50 400"
check "CPU 1 goes offline" put 0 /sys/devices/system/cpu/cpu1/online
check "perf reads on CPU 0" is "$(cat $pmu/cpumask)" 0
check "events move to CPU 0" ask store "100 800"
check "CPU 1 comes online" put 1 /sys/devices/system/cpu/cpu1/online
check "the card is reset with open events" put 1 $class/reset
check "events keep counting after the reset" ask store "150 1200"
check "rmmod is refused while events are open" refused rmmod gpulink
check "the card is unbound" put $pci /sys/bus/pci/drivers/gpulink/unbind
check "events keep their counts" ask look "150 1200"
pmu-test open
check "opening an event fails with ENODEV" is $? 19
check "the debugfs folder is removed" refused test -e $debug
check "the card is bound again" put $pci /sys/bus/pci/drivers/gpulink/bind
check "the endpoint assigned after the bind" put "0000:00:08.0 0" $class/partitions/0/endpoint
check "events continue counting" ask store "200 1600"
check "the card is unbound once more" put $pci /sys/bus/pci/drivers/gpulink/unbind
exec 9>&-
wait $holder
check "open events are closed while the card is unbound" is $? 0
check "the module unloads without open events" rmmod gpulink
check "the module loads again" modprobe gpulink

# --- docs/ABI -----------------------------------------------------------------------------------------------------
check "a range is added" sh -c "echo pool >$class/partitions/1/endpoint && echo known 0 4096 0 - r >$class/partitions/1/ranges/add"
# Excludes files that the kernel creates for every device.
files() {
	find "$1/" -type f | grep -vE '/(uevent|dev|type|perf_event_mux_interval_ms|power/.*)$' |
		sed "s|//*|/|g; s|gpulink0|gpulinkN|; s|/partitions/[0-9]*/|/partitions/K/|; s|/ranges/known/|/ranges/NAME/|" | sort -u
}
named() { sed -n 's/^What:[[:space:]]*//p' "$1" | sort; }
for doc in "sysfs-class-gpulink $class" "sysfs-bus-event_source-devices-gpulink $pmu" "debugfs-gpulink $debug" \
	"sysfs-module-gpulink /sys/module/gpulink/parameters"; do
	files "${doc#* }" >/tmp/files
	named "/ABI/${doc% *}" >/tmp/named
	check "docs/ABI: ${doc% *} documents exactly the existing files" same /tmp/named /tmp/files
done
finish
