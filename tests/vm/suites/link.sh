#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In the guest: two cards that are joined by a link that loses, changes, repeats and reorders; card 0 has endpoints 0 and 1
# beside it, card 1 has 2 and 3.
. /suite/lib.sh
# The argument: what the cards' logic is, model or rtl. Captures are the model's alone, and write requests are sent by it alone.
logic=${1:-model}
model() { [ "$logic" = model ]; }

state_is() { is "$(cat "$1/link/state")" "$2"; }
up() { state_is $class up && state_is $far up; }
count() { cat "$1/link_counters/$2"; }
downs() { dmesg | grep -c 'error 6 (link): link down'; }

check "two cards" test -c /dev/gpulink0 -a -c /dev/gpulink1
check "the link comes up" wait_until 20 up
check "link_state says so too" is "$(cat $class/link_state)" up
check "who is beyond it" is "$(cat $class/link/peer_cluster $class/link/peer_serial $far/link/cluster)" "1
0000000000000002
1"
check "the log says so" sh -c "dmesg | grep -q 'link up: peer card 0000000000000002, cluster 1'"

# --- settings
for setting in enable stitching pooling selective_pooling yielding sequencing trimming; do
	check "$setting is on at first" is "$(cat $class/link/$setting)" 1
	check "$setting can be switched" sh -c "echo 0 > $class/link/$setting && grep -qx 0 $class/link/$setting &&
		echo 1 > $class/link/$setting && grep -qx 1 $class/link/$setting"
done
check "it comes up again after it was switched off" wait_until 20 up
for pair in "pool_cycles 129" "burst 0" "burst 256" "trim_bytes 12" "trim_bytes 64" "timeout_ns 999" "timeout_ns 10000000001" "stitching 2" "yielding 2"; do
	check "${pair% *} ${pair#* } is refused" refused put "${pair#* }" "$class/link/${pair% *}"
done
check "timeout_ns 10000000000 is taken" sh -c "echo 10000000000 > $class/link/timeout_ns && grep -qx 10000000000 $class/link/timeout_ns"
# Cards that are simulated take longer on a busy machine. But who loads waits for as long, and QEMU for 5 s at most.
timeout=1000000000
model || timeout=2000000000
put $timeout $class/link/timeout_ns
put $timeout $far/link/timeout_ns
check "pool_cycles 128 is taken" sh -c "echo 128 > $class/link/pool_cycles && grep -qx 128 $class/link/pool_cycles"

# --- endpoints beyond the link
check "closed, it is refused" refused put "link 2" $class/partitions/2/endpoint
for k in 2 3; do
	check "far endpoint $k" put "0000:00:$(printf %02x $((8 + k))).0 0" $far/partitions/$k/endpoint
	check "is opened" put 1 $far/partitions/$k/open
	check "and taken" put "link $k" $class/partitions/$k/endpoint
	check "with its size" is "$(cat $class/partitions/$k/endpoint_bytes)" "$(cat $far/partitions/$k/endpoint_bytes)"
done
check "it reads back" is "$(cat $class/partitions/2/endpoint)" "link 2"
check "twice is refused" refused put "link 2" $class/partitions/5/endpoint
check "one that is not there is refused" refused put "link 9" $class/partitions/5/endpoint
for name in "link" "link 16" "link -1" "link 2x" "link 9 5000" "link 9 0" "link 9 4096 1" "link 4294967298" \
	"link 9 18446744073709555712" "100000000:00:08.0 0" "0000:00:08.0 4294967296"; do
	check "'$name' is refused" refused put "$name" $class/partitions/5/endpoint
done
check "near endpoints work beside it" sh -c "echo 0000:00:08.0 0 > $class/partitions/0/endpoint && traffic /dev/gpulink0 1 ok"

# --- traffic
for k in 2 3; do tap "traffic to far endpoint $k" link-test /dev/gpulink0 /dev/gpulink1 $k 4; done
check "without coalescing: write requests" put 0 $class/partitions/2/coalesce
tap "without coalescing" link-test /dev/gpulink0 /dev/gpulink1 2 2
sent=$(count $class packets_write_request)
if model; then check "write requests were sent" test "$sent" -gt 0; else check "none were sent" is "$sent" 0; fi
put 1 $class/partitions/2/coalesce
for width in 2 6; do
	check "sub-headers of $width bytes" put $width $class/partitions/2/subheader_bytes
	tap "width $width" link-test /dev/gpulink0 /dev/gpulink1 2 1
done
check "a near endpoint" put "0000:00:09.0 0" $class/partitions/1/endpoint
put 1 $class/partitions/1/open
check "is taken by the far card" put "link 1" $far/partitions/1/endpoint
both() {
	link-test /dev/gpulink0 /dev/gpulink1 2 3 >/tmp/one &
	link-test /dev/gpulink1 /dev/gpulink0 1 3 >/tmp/other
	code=$?
	wait $! && is $code 0 || { cat /tmp/one /tmp/other; return 1; }
}
check "traffic both ways" both
for c in flits_out stitched packets_finepack packets_release packets_read_request packets_atomic_request replays crc_errors; do
	check "$c were counted" test "$(count $class $c)" -gt 0
done
check "what was served and what was sent agree" test "$(count $far served)" -ge "$(count $class packets_finepack)"
check "nothing was wrong with the protocol" is "$(count $class protocol_errors) $(count $far protocol_errors)" "0 0"
check "nothing was lost" is "$(count $class lost_packets) $(count $far lost_packets)" "0 0"
check "gpulinkctl link" sh -c "gpulinkctl --direct --card gpulink0 link | grep -q 'state  *up'"
check "gpulinkctl link-counters" sh -c "gpulinkctl --direct --card gpulink0 link-counters | grep -q '^stitched '"
check "gpulinkctl set-link" sh -c "gpulinkctl --direct --card gpulink0 set-link stitching 0 && grep -qx 0 $class/link/stitching &&
	gpulinkctl --direct --card gpulink0 set-link stitching 1"

# --- captures of both cards, from before a session; what is in them tests/vm/capture-check looks at
stream=/sys/kernel/debug/gpulink/gpulink0/link_capture
# capture CARD FILE: begins; $pid is who does it.
capture() {
	rm -f "$2" # of an earlier one
	gpulinkctl --card "$1" capture "$2" >"$2.said" 2>"$2.errors" &
	pid=$!
	wait_until 20 test -s "$2"
}
# ends PID STATUS: it does within 20 s, so.
ends() {
	wait_until 20 refused kill -0 "$1"
	wait "$1"
	is $? "$2"
}
if model; then
	check "link_capture is root's alone" is "$(stat -c %a $stream)" 400
	check "and not for writing" refused dd if=/dev/zero of=$stream bs=256 count=1 conv=notrunc
	check "less than a record is refused" refused dd if=$stream of=/dev/null bs=255 count=1
	check "a read waits for a record" dd if=$stream of=/tmp/record bs=256 count=1
	check "and gives it whole" is "$(stat -c %s /tmp/record)" 256
	check "the near card is captured" capture gpulink0 /tmp/near.pcapng
	near=$pid
	check "by nobody else at the same time" refused dd if=$stream of=/dev/null bs=256 count=1
	check "nor can the module go" refused rmmod gpulink
	check "the far card is, too" capture gpulink1 /tmp/far.pcapng
	put 0 $class/link/enable
	check "the session ends" wait_until 20 state_is $far down
	put 1 $class/link/enable
	check "and another begins" wait_until 20 up
	check "known traffic" link-known /dev/gpulink0 2
	tap "traffic that is captured" link-test /dev/gpulink0 /dev/gpulink1 2 1
	sleep 1
	kill $near $pid
	check "the one capture ends" ends $near 0
	check "and the other" ends $pid 0
	for f in near far; do check "nothing is lost of $f: $(cat /tmp/$f.pcapng.said)" grep -q '; 0 lost$' /tmp/$f.pcapng.said; done
	keep near.pcapng /tmp/near.pcapng
	keep far.pcapng /tmp/far.pcapng
	# Nobody takes what comes: the link goes on, and the loss is told. The ring has 4096 records.
	exec 8<$stream
	tap "traffic that nobody captures" link-test /dev/gpulink0 /dev/gpulink1 2 8
	check "what the ring holds and one more" dd bs=256 count=4097 of=/tmp/records <&8
	exec 8<&-
	lost_before() { od -An -tu4 -j$(($1 * 256 + 12)) -N4 /tmp/records | tr -d ' '; }
	check "the last that it holds follows the one before" is "$(lost_before 4095)" 0
	check "before the next some are lost" test "$(lost_before 4096)" -gt 0
	check "another capture begins" capture gpulink0 /tmp/again.pcapng
	check "a reset" put 1 $class/reset
	check "ends a capture" ends $pid 1
	check "and says so" grep -q 'reset' /tmp/again.pcapng.errors
	check "it comes up after it" wait_until 20 up
	check "and can be captured again" gpulinkctl --card gpulink0 --count 3 capture /tmp/again.pcapng
else
	check "there are no captures" refused test -e $stream
fi

# --- the daemon gives an endpoint when the link comes up
mkdir -p /run/gpulink
printf '[card gpulink0 partition 7]\nendpoint = link 7\n[card gpulink1 partition 7]\nendpoint = pool\nopen = 1\n' >/tmp/gpulinkd.conf
gpulinkd --config /tmp/gpulinkd.conf --socket /run/gpulink/gpulinkd.sock 2>/tmp/gpulinkd.log &
daemon=$!
named() { is "$(cat $class/partitions/7/endpoint)" "link 7"; }
check "gpulinkd names an endpoint beyond the link" wait_until 10 named
put none $class/partitions/7/endpoint
check "off" put 0 $far/link/enable
check "the other side notices" wait_until 20 state_is $class down
check "on" put 1 $far/link/enable
check "up again" wait_until 20 up
check "and gpulinkd names it again" wait_until 10 named
kill $daemon

# --- a link that goes down in traffic
down_in_traffic() {
	begin flowing link-test /dev/gpulink0 /dev/gpulink1 2 20 || return 1
	put 0 $far/link/enable
	! wait $pid || { cat $said; return 1; }
	grep 'not ok' $said
}
before=$(downs)
check "traffic ends with an error when the link is switched off" down_in_traffic
check "the log tells" test "$(downs)" -gt "$before"
# It may be off in the middle of a load, when nothing is under way.
lost_some() {
	for k in 1 2 3 4 5; do
		[ "$(count $class lost_packets)" = 0 ] || return 0
		put 1 $far/link/enable
		wait_until 20 up && down_in_traffic || return 1
	done
	return 1
}
check "packets were counted as lost" lost_some
check "near traffic goes on" traffic /dev/gpulink0 1 ok
put 1 $far/link/enable
check "it comes up again" wait_until 20 up
tap "traffic after it" link-test /dev/gpulink0 /dev/gpulink1 2 1
check "a reset of the near card" put 1 $class/reset
check "it comes up after the reset" wait_until 20 up
check "settings stayed" is "$(cat $class/link/pool_cycles) $(cat $class/partitions/2/endpoint)" "128 link 2"
tap "traffic after the near reset" link-test /dev/gpulink0 /dev/gpulink1 2 1
check "a reset of the far card" put 1 $far/reset
check "it comes up after that reset too" wait_until 20 up
tap "traffic after the far reset" link-test /dev/gpulink0 /dev/gpulink1 2 1

# --- docs/ABI
files() {
	find "$class/" /sys/kernel/debug/gpulink/gpulink0/ -type f | grep -vE '/(uevent|dev|type|power/.*)$' |
		sed "s|//*|/|g; s|gpulink0|gpulinkN|; s|/partitions/[0-9]*/|/partitions/K/|" | sort -u
}
files >/tmp/files
model && cannot='^$' || cannot=link_capture
sed -n 's/^What:[[:space:]]*//p' /ABI/* | grep -v "$cannot" | sort >/tmp/named
check "docs/ABI names every file, and no other" cmp /tmp/named /tmp/files

# --- the other card goes away
if model; then
	check "the far card is captured" capture gpulink1 /tmp/far.pcapng
	gone=$pid
	check "and the near one" capture gpulink0 /tmp/near.pcapng
fi
put 10000000000 $class/link/timeout_ns
echo "@@host kill-card 1"
check "the near card notices that the other is gone" wait_until 10 state_is $class interrupted
model && check "the capture of the one that is gone ends" ends $gone 4
check "near traffic goes on without it" traffic /dev/gpulink0 1 ok
check "the near card is unbound" put $pci /sys/bus/pci/drivers/gpulink/unbind
model && check "which ends its capture" ends $pid 4
check "it is bound again" put $pci /sys/bus/pci/drivers/gpulink/bind
model && check "and can be captured, though there is nothing" gpulinkctl --card gpulink0 --seconds 1 capture /tmp/near.pcapng
finish
