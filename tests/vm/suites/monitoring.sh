#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In the guest: what administrators see of the card: tracepoints, debugfs, the PMU, the error log, and that docs/ABI names
# every file. Two CPUs.
. /suite/lib.sh

tracing=/sys/kernel/tracing
debug=/sys/kernel/debug/gpulink/gpulink0
pmu=/sys/bus/event_source/devices/gpulink0
[ -d $tracing/events ] || mount -t tracefs trace $tracing
mkfifo /tmp/go

# --- tracepoints --------------------------------------------------------------------------------------------------
trace_on() { echo >$tracing/trace && echo 1 >$tracing/events/gpulink/enable; }
# What was traced since, without times.
traced() {
	echo 0 >$tracing/events/gpulink/enable
	sed -n 's/^.*[0-9]: \(gpulink_[a-z_]*: \)/\1/p' $tracing/trace | sed 's/ns=[0-9]*/ns=N/'
}
same() { diff "$1" "$2"; }

check "there is a tracepoint for each thing" is "$(ls $tracing/events/gpulink | grep -c '^gpulink_')" 12
check "an endpoint named" put "0000:00:08.0 0" $class/partitions/0/endpoint
check "another one" put "0000:00:09.0 0" $class/partitions/1/endpoint

trace_on
known-traffic /dev/gpulink0 steps <&- >/dev/null
check "the known steps go well" is $? 0
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
check "their trace is as it should be" same /tmp/want /tmp/got

generation=$(cat $class/generation)
trace_on
check "a reset" put 1 $class/reset
traced >/tmp/got
cat >/tmp/want <<END
gpulink_state: card=0 from=live to=resetting generation=$generation
gpulink_drain: card=0 kind=card id=0 result=0 ns=N
gpulink_state: card=0 from=resetting to=live generation=$((generation + 1))
END
check "is traced as states and a drain" same /tmp/want /tmp/got

# --- errors -------------------------------------------------------------------------------------------------------
trace_on
known-traffic /dev/gpulink0 forbidden
check "a forbidden store is survived" is $? 0
traced >/tmp/got
check "it is traced" grep -qx 'gpulink_error: card=0 cause=window' /tmp/got
check "it is in the log, with its code" sh -c "dmesg | grep -q 'gpulink $pci: error 0 (window): '"
refused put "$pci 2" $class/partitions/0/endpoint
check "and so is a name that is no endpoint" sh -c "dmesg | grep -q 'gpulink $pci: error 24 (endpoint_name): '"

# --- debugfs ------------------------------------------------------------------------------------------------------
for f in rings windows registrations; do
	check "nobody is in $f" is "$(cat $debug/$f)" ""
done
check "debugfs is root's alone" is "$(stat -c %a $debug/rings)" 400
known-traffic /dev/gpulink0 steps </tmp/go >/tmp/said &
pid=$!
exec 9>/tmp/go
check "somebody is there" wait_until 5 grep -q ready /tmp/said
who="context 0 pid $pid (known-traffic)"
kernels="rings kernel entries 512 completions 512 status 0"
check "his window is shown" is "$(cat $debug/windows)" \
	"window 0 slices 1 $who partition 0 offset 4096 bytes 8192 rights rw"
check "his registration" is "$(cat $debug/registrations)" "registration 0 $who bytes 5000 pages 2 rights r-"
check "his rings" is "$(cat $debug/rings)" \
	"$who $kernels driver: sq_tail 4 cq_head 4 in_flight 0 user_entries 0 unread 0 card: sq_tail 4 sq_head 4 cq_tail 4 cq_head 4 status 0 errors 0"
check "the state" grep -qx 'state live' $debug/state
check "how many there are" grep -q '^contexts 1 of ' $debug/state
check "the partitions" sh -c "grep '^partition 1 endpoint 0000:00:09.0 0 bytes 67108864 ' $debug/partitions | grep -q ' entries 0 '"
check "no address of the kernel" refused grep -rqE 'ffff[0-9a-f]{8}' $debug
check "the endpoint is taken from him" put none $class/partitions/0/endpoint
check "his window is shown as revoked" grep -q ' revoked$' $debug/windows
check "an endpoint named again" put "0000:00:08.0 0" $class/partitions/0/endpoint
exec 9>&-
wait $pid
check "he ends well" is $? 0
for f in rings windows registrations; do
	check "nobody is left in $f" is "$(cat $debug/$f)" ""
done

# Rings that a process has in its own hands. do_it LINE: it does that, and says so.
do_it() {
	: >/tmp/said
	echo "$1" >&9
	wait_until 5 grep -q ready /tmp/said
}
: >/tmp/said
known-traffic /dev/gpulink0 rings </tmp/go >>/tmp/said &
pid=$!
exec 9>/tmp/go
check "somebody has rings of his own" wait_until 5 grep -q ready /tmp/said
who="context 0 pid $pid (known-traffic)"
process="rings process entries 32 completions 16"
check "they are shown, as far as they are known" is "$(cat $debug/rings)" \
	"$who $process status 0 card: sq_tail 3 sq_head 3 cq_tail 3 cq_head 2 status 0 errors 0"
check "he rings a senseless doorbell" do_it stop
check "the ring is shown as stopped" is "$(cat $debug/rings)" \
	"$who $process status 13 card: sq_tail 1003 sq_head 3 cq_tail 3 cq_head 2 status 13 errors 0"
check "he gives the rings back" do_it back
check "the kernel's are shown" is "$(cat $debug/rings)" \
	"$who $kernels driver: sq_tail 0 cq_head 0 in_flight 0 user_entries 0 unread 0 card: sq_tail 0 sq_head 0 cq_tail 0 cq_head 0 status 0 errors 0"
exec 9>&-
wait $pid
check "he ends well, too" is $? 0

# In one snapshot, every packet has its one reason; and other readers take snapshots of their own all the while.
reasons_add_up() {
	for i in $(seq 10); do
		awk '$1 == "partition" && $3 == "packets" { packets = $4; sum = 0 }
		     $1 == "partition" && $3 ~ /^flush_/ { sum += $4 }
		     $1 == "partition" && $3 == "err_endpoint" { seen++; if (packets != sum) { print; bad = 1 } }
		     END { exit bad || seen < 16 }' $debug/counters || return 1
	done
}
traffic /dev/gpulink0 12 ok >/tmp/traffic.out &
user=$!
pmu-test spin 12 &
spinner=$!
sleep 1
check "all counters are of one snapshot, beside traffic and perf" reasons_add_up
wait $user
check "the traffic ends well" is $? 0
wait $spinner
check "an event never goes back" is $? 0
check "a counter's line is the counter's file" is "$(sed -n 's/^partition 0 stores //p' $debug/counters)" \
	"$(cat $class/partitions/0/counters/stores)"

# --- perf ---------------------------------------------------------------------------------------------------------
check "an event names its partition" is "$(cat $pmu/events/stores)" "event=0x00,partition=?"
check "an event of the card none" is "$(cat $pmu/events/packets_received)" "event=0x86"
# tap NAME COMMAND...: the results of a program that speaks TAP itself.
tap() {
	what=$1
	shift
	"$@" >/tmp/tap 2>&1
	code=$?
	sed 's/^/# /' /tmp/tap
	while read -r line; do
		case $line in
		ok*) check "$what: ${line#*- }" true ;;
		"not ok"*) check "$what: ${line#*- }" false ;;
		esac
	done </tmp/tap
	check "$what ended well" is $code 0
}
tap perf pmu-test counts /dev/gpulink0

# With events held open: ask LINE WANT
ask() {
	: >/tmp/said
	echo "$1" >&9
	wait_until 5 grep -q . /tmp/said
	is "$(tr '\n' ' ' </tmp/said)" "$2 "
}
check "the module leaves" rmmod gpulink
check "its PMU with it" refused test -e $pmu
check "it is loaded on CPU 1" taskset 2 modprobe gpulink
check "perf reads there" is "$(cat $pmu/cpumask)" 1
check "endpoint named" put "0000:00:08.0 0" $class/partitions/0/endpoint
# Appends, so that emptying the file is seen.
pmu-test hold /dev/gpulink0 </tmp/go >>/tmp/said &
holder=$!
exec 9>/tmp/go
check "events count" ask store "50 400"
check "CPU 1 goes" put 0 /sys/devices/system/cpu/cpu1/online
check "perf reads on CPU 0" is "$(cat $pmu/cpumask)" 0
check "events went along" ask store "100 800"
check "CPU 1 comes back" put 1 /sys/devices/system/cpu/cpu1/online
check "a reset" put 1 $class/reset
check "leaves events what they are" ask store "150 1200"
check "rmmod is refused while events are open" refused rmmod gpulink
check "the card is unbound" put $pci /sys/bus/pci/drivers/gpulink/unbind
check "events keep what they counted" ask look "150 1200"
pmu-test open
check "none can be opened then" is $? 19
check "debugfs is clean" refused test -e $debug
check "the card comes back" put $pci /sys/bus/pci/drivers/gpulink/bind
check "endpoint named again" put "0000:00:08.0 0" $class/partitions/0/endpoint
check "events go on" ask store "200 1600"
check "the card is unbound once more" put $pci /sys/bus/pci/drivers/gpulink/unbind
exec 9>&-
wait $holder
check "events are closed without a card" is $? 0
check "the module leaves then" rmmod gpulink
check "and is back for the rest" modprobe gpulink

# --- docs/ABI -----------------------------------------------------------------------------------------------------
# Files of the kernel's own making are its documents' business.
files() {
	find "$1/" -type f | grep -vE '/(uevent|dev|type|perf_event_mux_interval_ms|power/.*)$' |
		sed "s|//*|/|g; s|gpulink0|gpulinkN|; s|/partitions/[0-9]*/|/partitions/K/|" | sort -u
}
named() { sed -n 's/^What:[[:space:]]*//p' "$1" | sort; }
for doc in "sysfs-class-gpulink $class" "sysfs-bus-event_source-devices-gpulink $pmu" "debugfs-gpulink $debug"; do
	files "${doc#* }" >/tmp/files
	named "/ABI/${doc% *}" >/tmp/named
	check "docs/ABI: ${doc% *} names every file, and no other" same /tmp/named /tmp/files
done
finish
