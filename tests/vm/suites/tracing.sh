#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In the guest: gpulinkctl latency, top and record, with programs that make a known number of calls.
. /suite/lib.sh

tracing=/sys/kernel/tracing
[ -d $tracing/events ] || mount -t tracefs trace $tracing
echo 'u:x:1000:1000::/:/bin/sh' >/etc/passwd
mkfifo /tmp/go

# number_of OBJECT KEY: prints a number of the result in /tmp/result: the first KEY after the first OBJECT.
number_of() {
	awk -v object="\"$1\"" -v key="\"$2\":" '
		index($0, object) { found = 1 }
		found { at = index($0, key); if (at) { sub(/^ */, "", $0); split(substr($0, index($0, key) + length(key)), v, /[ ,]+/)
			print v[1] != "" ? v[1] : v[2]; exit } }' /tmp/result
}
# watch COMMAND...: starts it; end_watch interrupts it, with its output in /tmp/result.
watch() {
	: >/tmp/watched
	"$@" >/tmp/result 2>/tmp/watched &
	watcher=$!
	wait_until 60 grep -q watching /tmp/watched || { cat /tmp/watched; return 1; }
}
end_watch() {
	kill -TERM $watcher
	wait $watcher
	code=$?
	cat /tmp/result /tmp/watched
	return $code
}
# start_traced ARGUMENT...: it waits; traced_line lets it go on to its next line.
start_traced() {
	traced "$@" </tmp/go >/tmp/traced &
	program=$!
	exec 9>/tmp/go
	wait_until 30 grep -q ready /tmp/traced
}
traced_line() {
	echo >&9
	wait_until 60 grep -q "$1" /tmp/traced
}
end_traced() {
	echo >&9
	exec 9>&-
	wait $program
}
# fails CODE TEXT COMMAND...: it exits with CODE and reports TEXT.
fails() {
	want=$1 text=$2
	shift 2
	"$@" >/tmp/out 2>&1
	code=$?
	cat /tmp/out
	is $code "$want" && grep -q -- "$text" /tmp/out
}
adds_up() {
	[ "$(number_of "$1" p50_ns)" -gt 0 ] && [ "$(number_of "$1" p50_ns)" -le "$(number_of "$1" p99_ns)" ] &&
		[ "$(number_of "$1" p99_ns)" -le "$(number_of "$1" max_ns)" ] &&
		[ "$(number_of "$1" max_ns)" -le "$(number_of "$1" sum_ns)" ]
}
# Whether the sum of the durations lies between the sums of the slots' limits, and the slots have all calls.
slots_fit() {
	awk -v object="\"$1\"" '
		function value() { sub(/.*: */, ""); return $0 + 0 }
		index($0, object) { found = 1 }
		!found { next }
		/"sum_ns"/ { sum = value() }
		/"from_ns"/ { from = value() }
		/"to_ns"/ { to = value() }
		/"count"/ { if (to) { n = value(); low += from * n; high += to * n; all += n } else count = value() }
		/\]/ { exit }
		END { print count, all, low, sum, high; exit !(all == count && low <= sum && sum < high) }' /tmp/result
}

# --- latency ------------------------------------------------------------------------------------------------------
check "endpoints assigned" name_endpoints
check "a program of the library starts" start_traced /dev/gpulink0 20 10 8
check "latency attaches to it and to the driver" watch gpulinkctl -o json latency
check "it attached to both" grep -q 'watching 1 libgpulink and the driver' /tmp/watched
check "20 rounds of the program" traced_line done
known-traffic /dev/gpulink0 steps <&- >/dev/null
check "calls by ioctl" is $? 0
check "the module cannot be unloaded while it is watched" refused rmmod gpulink
check "latency ends when interrupted" end_watch
check "20 releases" is "$(number_of release count)" 20
check "20 waits" is "$(number_of wait count)" 20
check "1 release by ioctl" is "$(number_of release_ioctl count)" 1
check "2 drains" is "$(number_of drain count)" 2
for kind in release wait release_ioctl drain; do
	check "$kind: none failed" is "$(number_of $kind failed)" 0
	check "$kind: times are in order" adds_up $kind
	check "$kind: slots have them" slots_fit $kind
done
for loss in processes starts skipped; do check "nothing lost: $loss" is "$(number_of lost $loss)" 0; done
check "the program goes on" end_traced

check "another program" start_traced /dev/gpulink0 5 1 1
check "latency of one process" watch gpulinkctl -o json latency $program
traced soft: 3 1 1 2
check "calls of other processes" is $? 0
check "its rounds" traced_line done
check "it ends while it is watched" end_traced
check "latency ends" end_watch
check "only the process's releases" is "$(number_of release count)" 5
check "the table" watch gpulinkctl latency
traced soft: 30 1 1 2
check "30 rounds of two processes" is $? 0
check "latency ends" end_watch
check "the table counts the calls" grep -q '^gpulink_release(): 60 calls, 0 failed, p50 .*, p99 .*, max ' /tmp/result
check "the table has histograms" \
	is "$(sed -n 's/^\[.*) *\([0-9]*\) |[@ ]*|$/\1/p' /tmp/result | awk '{ n += $1 } END { print n }')" 120

# --- top ----------------------------------------------------------------------------------------------------------
mkdir -p /sys/fs/cgroup && mount -t cgroup2 cgroup /sys/fs/cgroup && mkdir /sys/fs/cgroup/job
check "a program starts" start_traced /dev/gpulink0 10 20 8
check "it is in a cgroup" put $program /sys/fs/cgroup/job/cgroup.procs
check "top attaches" watch gpulinkctl -o json top --once --watch=3600
check "10 rounds" traced_line done
traced soft: 1 1 0 1
check "another process, which has ended when the table is made" is $? 0
check "top ends when interrupted" end_watch
check "the program comes first" is "$(number_of processes pid)" $program
for want in "stores 200" "puts 110" "bytes 4400" "card_stores 310" "card_bytes 4400" "loads 10" "atomics 0" "releases 10" "errors 0"; do
	check "its ${want% *}" is "$(number_of traced "${want% *}")" "${want#* }"
done
check "durations of its releases" \
	[ "$(number_of traced p50_ns)" -gt 0 -a "$(number_of traced p99_ns)" -le "$(number_of traced max_ns)" ]
check "two processes" is "$(grep -c '"name":"traced"\|"name": *"traced"' /tmp/result)" 2
check "its cgroup" grep -q '"cgroup": *"/job"' /tmp/result
check "two cgroups, with the other at the root" \
	is "$(sed -n '/"cgroups"/,/"cards"/p' /tmp/result | grep -c '"cgroup": *"/\(job\)*"')" 2
check "the card's stores are the program's" is "$(number_of gpulink0 stores)" 310
check "the card's bytes are the program's" is "$(number_of gpulink0 store_bytes)" 4400
check "the program ends" end_traced
check "top attaches for a table" watch gpulinkctl top --once --watch=3600
traced soft: 2 3 4 1
check "a process" is $? 0
check "top ends" end_watch
check "its row" grep -q '^[0-9]* *traced *6 *14 *352 *0 *0 *2 *0 *2 *[0-9]* *[0-9]* *[0-9]* *0 */' /tmp/result
check "a program without the library" begin flowing ring-traffic /dev/gpulink0 user 60 ok
check "top attaches" watch gpulinkctl -o json top --once --watch=3600
check "the program stores" sleep 1
check "top ends" end_watch
check "its stores are those that the card received" is "$(number_of ring-traffic stores)" 0
check "they are the card's" [ "$(number_of ring-traffic card_stores)" -gt 0 ]
kill $pid
wait $pid
check "top attaches for more processes than fit" watch gpulinkctl -o json top --once --watch=3600
traced soft: 1 1 0 518
check "518 processes" is $? 0
check "top ends again" end_watch
check "512 of them are shown" is "$(sed -n '/"processes"/,/"cgroups"/p' /tmp/result | grep -c '"pid"')" 512
check "the 36 operations and calls of 6 of them are lost" is "$(number_of lost processes)" 36

# --- record -------------------------------------------------------------------------------------------------------
check "a program starts" start_traced /dev/gpulink0 3 4 2
check "record attaches" watch gpulinkctl -o json record /tmp/one.csv $program
traced soft: 1 5 5 1
check "a process that is not recorded" is $? 0
check "3 rounds" traced_line done
check "record ends" end_watch
check "its operations: 4 stores, 5 puts, a load, 2 releases a round" \
	is "$(cat /tmp/result)" '{"operations": 36, "processes": 1, "partitions": 2, "lost": 0, "left_out": 0, "addresses": 0}'
check "it has two partitions" is "$(head -n 1 /tmp/one.csv)" gpus,3
check "its stores and puts" is "$(grep -c ',store,0,[12],' /tmp/one.csv)" 27
check "bytes of its stores" \
	is "$(awk -F, '$2 == "store" { n += $6 } END { print n }' /tmp/one.csv)" $((3 * (4 * 8 + 2 * 32 + 3 * 8)))
check "the program ends" end_traced
check "record attaches again" watch gpulinkctl record /tmp/two.glt.zst
traced soft: 2 30 4 2
check "two processes" is $? 0
check "record ends again" end_watch
check "its sums" grep -q '^operations: 160, processes: 2, partitions: 2; lost: 0, left out: 0, addresses of windows taken: 0' /tmp/result
check "gpulink-replay reads it" sh -c "gpulink-replay run --trace /tmp/two.glt.zst --no-time | grep '^stores *148 '"
check "a name of no format" fails 1 "/tmp/x.txt" gpulinkctl record /tmp/x.txt
check "a folder that does not exist" fails 1 "/nowhere/x.glt" gpulinkctl record /nowhere/x.glt

# --- what cannot be watched ---------------------------------------------------------------------------------------
check "without rights it names the capabilities" fails 5 "missing CAP_BPF and CAP_PERFMON" su u -c "gpulinkctl latency --once"
check "top too" fails 5 "missing CAP_BPF and CAP_PERFMON" su u -c "gpulinkctl top --once"
check "record too" fails 5 "missing CAP_BPF and CAP_PERFMON" su u -c "gpulinkctl record /tmp/u.glt"
check "an invalid process" fails 2 "process 'x': must be 1 to" gpulinkctl latency x
check "no such process" fails 1 "process 4000000: No such process" gpulinkctl latency 4000000
mount -t tmpfs none /sys/kernel/btf
check "a kernel without BTF" fails 1 "requires a kernel with BTF" gpulinkctl latency --once
umount /sys/kernel/btf
sed 's/s64 ns/s64 nanoseconds/; s/u64 ns/u64 nanoseconds/' $tracing/events/gpulink/gpulink_drain/format >/tmp/format
mount --bind /tmp/format $tracing/events/gpulink/gpulink_drain/format
check "a driver of another version" fails 0 "not watched: no field ns of 8 bytes at offset 24" gpulinkctl latency --once
umount $tracing/events/gpulink/gpulink_drain/format

# --- nothing stays attached ---------------------------------------------------------------------------------------
check "latency starts" watch gpulinkctl latency
kill -KILL $watcher
wait $watcher 2>/dev/null
check "the module unloads after latency was killed" wait_until 5 rmmod gpulink
check "without the driver only the library is watched" fails 0 "the driver is not watched" gpulinkctl latency --once
check "the module loads again" modprobe gpulink
finish
