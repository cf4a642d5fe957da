#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In the guest: two cards joined by a lossy link that drops, corrupts, duplicates and reorders. Endpoints 0 and 1 are local to
# card 0, 2 and 3 to card 1.
. /suite/lib.sh
# Argument: the cards' logic, model or rtl. Only the model supports captures and sends write requests.
logic=${1:-model}
model() { [ "$logic" = model ]; }

state_is() { is "$(cat "$1/link/state")" "$2"; }
up() { state_is $class up && state_is $far up; }
count() { cat "$1/link_counters/$2"; }
downs() { dmesg | grep -c 'error 6 (link): link down'; }

check "both device nodes exist" test -c /dev/gpulink0 -a -c /dev/gpulink1
check "the link comes up" wait_until 20 up
check "link_state is up" is "$(cat $class/link_state)" up
check "peer cluster and serial number are shown" is "$(cat $class/link/peer_cluster $class/link/peer_serial $far/link/cluster)" "1
0000000000000002
1"
check "both cards accept the compact form" is "$(cat $class/link/peer_compact $far/link/peer_compact)" "1
1"
check "the log names the peer" sh -c "dmesg | grep -q 'link up: peer card 0000000000000002, cluster 1'"

# --- settings
for setting in enable stitching pooling selective_pooling yielding sequencing trimming; do
	check "$setting is on by default" is "$(cat $class/link/$setting)" 1
	check "$setting can be switched off and on" sh -c "echo 0 > $class/link/$setting && grep -qx 0 $class/link/$setting &&
		echo 1 > $class/link/$setting && grep -qx 1 $class/link/$setting"
done
check "the link comes up again after enable was switched off" wait_until 20 up
for pair in "pool_cycles 129" "burst 0" "burst 256" "trim_bytes 12" "trim_bytes 64" "timeout_ns 999" "timeout_ns 10000000001" "stitching 2" "yielding 2"; do
	check "${pair% *} ${pair#* } is refused" refused put "${pair#* }" "$class/link/${pair% *}"
done
check "timeout_ns 10000000000 is accepted" sh -c "echo 10000000000 > $class/link/timeout_ns && grep -qx 10000000000 $class/link/timeout_ns"
# Simulated cards are slower on a busy machine, so they get a longer timeout. Loads can block that long, and QEMU waits 5 s at most.
timeout=1000000000
model || timeout=4000000000
put $timeout $class/link/timeout_ns
put $timeout $far/link/timeout_ns
check "pool_cycles 128 is accepted" sh -c "echo 128 > $class/link/pool_cycles && grep -qx 128 $class/link/pool_cycles"

# --- remote endpoints
check "a remote endpoint that is not open is refused" refused put "link 2" $class/partitions/2/endpoint
for k in 2 3; do
	check "remote card: endpoint $k assigned" put "0000:00:$(printf %02x $((8 + k))).0 0" $far/partitions/$k/endpoint
	check "remote card: endpoint $k opened" put 1 $far/partitions/$k/open
	check "remote endpoint $k is accepted" put "link $k" $class/partitions/$k/endpoint
	check "remote endpoint $k has the right size" is "$(cat $class/partitions/$k/endpoint_bytes)" "$(cat $far/partitions/$k/endpoint_bytes)"
done
check "the remote endpoint reads back" is "$(cat $class/partitions/2/endpoint)" "link 2"
check "the same remote endpoint in a second partition is refused" refused put "link 2" $class/partitions/5/endpoint
check "a remote endpoint that does not exist is refused" refused put "link 9" $class/partitions/5/endpoint
for name in "link" "link 16" "link -1" "link 2x" "link 9 5000" "link 9 0" "link 9 4096 1" "link 4294967298" \
	"link 9 18446744073709555712" "100000000:00:08.0 0" "0000:00:08.0 4294967296"; do
	check "'$name' is refused" refused put "$name" $class/partitions/5/endpoint
done
check "local endpoints work alongside" sh -c "echo 0000:00:08.0 0 > $class/partitions/0/endpoint && traffic /dev/gpulink0 1 ok"

# --- traffic
for k in 2 3; do tap "traffic to remote endpoint $k" link-test /dev/gpulink0 /dev/gpulink1 $k 4; done
if model; then tap "regions over the link" lib_region_test /dev/gpulink0 1 /dev/gpulink1 2; fi
check "coalescing is switched off" put 0 $class/partitions/2/coalesce
tap "without coalescing" link-test /dev/gpulink0 /dev/gpulink1 2 2
sent=$(count $class packets_write_request)
if model; then check "write requests are sent" test "$sent" -gt 0; else check "no write requests are sent" is "$sent" 0; fi
put 1 $class/partitions/2/coalesce
for width in 2 6; do
	check "sub-headers of $width bytes" put $width $class/partitions/2/subheader_bytes
	tap "width $width" link-test /dev/gpulink0 /dev/gpulink1 2 1
done
for setting in compact packing; do put 0 $class/partitions/2/$setting; done
sent=$(cat $class/partitions/2/counters/payload_bytes)
tap "FinePack as published" link-test /dev/gpulink0 /dev/gpulink1 2 2
check "packets left" test "$(cat $class/partitions/2/counters/payload_bytes)" -gt "$sent"
for setting in packing compact; do put 1 $class/partitions/2/$setting; done
check "a local endpoint assigned" put "0000:00:09.0 0" $class/partitions/1/endpoint
put 1 $class/partitions/1/open
check "the remote card accepts it as its remote endpoint" put "link 1" $far/partitions/1/endpoint
both() {
	link-test /dev/gpulink0 /dev/gpulink1 2 3 >/tmp/one &
	link-test /dev/gpulink1 /dev/gpulink0 1 3 >/tmp/other
	code=$?
	wait $! && is $code 0 || { cat /tmp/one /tmp/other; return 1; }
}
check "traffic in both directions" both
for c in flits_out stitched packets_finepack packets_release packets_read_request packets_atomic_request replays crc_errors; do
	check "counter $c is not 0" test "$(count $class $c)" -gt 0
done
check "the remote card served at least the FinePack packets sent" test "$(count $far served)" -ge "$(count $class packets_finepack)"
check "no protocol errors" is "$(count $class protocol_errors) $(count $far protocol_errors)" "0 0"
check "no packets lost" is "$(count $class lost_packets) $(count $far lost_packets)" "0 0"
check "gpulinkctl link" sh -c "gpulinkctl --direct --card gpulink0 link | grep -q 'state  *up'"
check "gpulinkctl link-counters" sh -c "gpulinkctl --direct --card gpulink0 link-counters | grep -q '^stitched '"
check "gpulinkctl set-link" sh -c "gpulinkctl --direct --card gpulink0 set-link stitching 0 && grep -qx 0 $class/link/stitching &&
	gpulinkctl --direct --card gpulink0 set-link stitching 1"

# --- captures of both cards, started before a session; tests/vm/capture-check checks their content
stream=/sys/kernel/debug/gpulink/gpulink0/link_capture
# capture CARD FILE: starts a capture, as $pid.
capture() {
	rm -f "$2" # from an earlier capture
	gpulinkctl --card "$1" capture "$2" >"$2.said" 2>"$2.errors" &
	pid=$!
	wait_until 20 test -s "$2"
}
# ends PID STATUS: the process exits within 20 s with the status.
ends() {
	wait_until 20 refused kill -0 "$1"
	wait "$1"
	is $? "$2"
}
if model; then
	check "only root may read link_capture" is "$(stat -c %a $stream)" 400
	check "link_capture is not writable" refused dd if=/dev/zero of=$stream bs=256 count=1 conv=notrunc
	check "reading less than a record is refused" refused dd if=$stream of=/dev/null bs=255 count=1
	check "a read blocks until a record arrives" dd if=$stream of=/tmp/record bs=256 count=1
	check "the read returns a whole record" is "$(stat -c %s /tmp/record)" 256
	check "monitor watches both cards" begin "watching 2 cards" gpulinkctl --direct monitor
	monitor=$pid monitored=$said
	check "a capture of the local card starts" capture gpulink0 /tmp/near.pcapng
	near=$pid
	check "a second reader is refused" refused dd if=$stream of=/dev/null bs=256 count=1
	check "rmmod is refused during a capture" refused rmmod gpulink
	check "a capture of the remote card starts" capture gpulink1 /tmp/far.pcapng
	put 0 $class/link/enable
	check "the session ends" wait_until 20 state_is $far down
	put 1 $class/link/enable
	check "another session begins" wait_until 20 up
	check "known traffic" link-known /dev/gpulink0 2
	tap "captured traffic" link-test /dev/gpulink0 /dev/gpulink1 2 1
	sleep 1
	kill $near $pid
	check "the local card's capture ends" ends $near 0
	check "the remote card's capture ends" ends $pid 0
	for shows in "gpulink0 capture: on" "gpulink0 capture: off" "gpulink1 capture: on" "gpulink1 capture: off"; do
		check "monitor shows $shows" wait_until 5 grep -q " $shows" $monitored
	done
	kill $monitor
	for f in near far; do check "no records are lost, $f: $(cat /tmp/$f.pcapng.said)" grep -q '; 0 lost$' /tmp/$f.pcapng.said; done
	keep near.pcapng /tmp/near.pcapng
	keep far.pcapng /tmp/far.pcapng
	# A reader that does not keep up: the link continues, and records report the loss. The ring has 4096 records.
	exec 8<$stream
	tap "traffic with a reader that does not read" link-test /dev/gpulink0 /dev/gpulink1 2 8
	check "the records in the ring and one more are read" dd bs=256 count=4097 of=/tmp/records <&8
	exec 8<&-
	lost_before() { od -An -tu4 -j$(($1 * 256 + 12)) -N4 /tmp/records | tr -d ' '; }
	check "the last record in the ring follows its predecessor without loss" is "$(lost_before 4095)" 0
	check "the next record reports lost records" test "$(lost_before 4096)" -gt 0
	check "another capture starts" capture gpulink0 /tmp/again.pcapng
	check "the card is reset" put 1 $class/reset
	check "a reset ends a capture" ends $pid 1
	check "the capture reports the reset" grep -q 'reset' /tmp/again.pcapng.errors
	check "the link comes up after the reset" wait_until 20 up
	check "the link can be captured again" gpulinkctl --card gpulink0 --count 3 capture /tmp/again.pcapng
else
	check "the RTL has no link_capture" refused test -e $stream
fi

# --- gpulinkd assigns a remote endpoint when the link comes up
mkdir -p /run/gpulink
printf '[card gpulink0 partition 7]\nendpoint = link 7\n[card gpulink1 partition 7]\nendpoint = 0000:00:0a.0 0\nopen = 1\n' >/tmp/gpulinkd.conf
gpulinkd --config /tmp/gpulinkd.conf --socket /run/gpulink/gpulinkd.sock 2>/tmp/gpulinkd.log &
daemon=$!
named() { is "$(cat $class/partitions/7/endpoint)" "link 7"; }
check "gpulinkd assigns a remote endpoint" wait_until 10 named
put none $class/partitions/7/endpoint
check "the remote card switches the link off" put 0 $far/link/enable
check "the local card's link is down" wait_until 20 state_is $class down
check "the remote card switches the link on" put 1 $far/link/enable
check "the link is up again" wait_until 20 up
check "gpulinkd assigns the endpoint again" wait_until 10 named
kill $daemon

# --- link down under traffic
show_counters() { grep . $class/link_counters/* $far/link_counters/* | sed "s|^|# |"; }
down_in_traffic() {
	begin flowing link-test /dev/gpulink0 /dev/gpulink1 2 20 || return 1
	put 0 $far/link/enable
	! wait $pid || { cat $said; return 1; }
	grep 'not ok' $said
}
before=$(downs)
check "traffic ends with an error when the link is switched off" down_in_traffic
check "the log reports the link down" test "$(downs)" -gt "$before"
# The link may go down during a load, with no packets in flight: try again.
lost_some() {
	for k in 1 2 3 4 5; do
		[ "$(count $class lost_packets)" = 0 ] || return 0
		put 1 $far/link/enable
		wait_until 20 up && down_in_traffic || return 1
	done
	return 1
}
check "lost packets are counted" lost_some
check "local traffic continues" traffic /dev/gpulink0 1 ok || show_counters
put 1 $far/link/enable
check "the link comes up again" wait_until 20 up
tap "traffic after link down" link-test /dev/gpulink0 /dev/gpulink1 2 1
[ "$code" = 0 ] || show_counters
check "the local card is reset" put 1 $class/reset
check "the link comes up after the local reset" wait_until 20 up
check "settings survive the reset" is "$(cat $class/link/pool_cycles) $(cat $class/partitions/2/endpoint)" "128 link 2"
tap "traffic after the local reset" link-test /dev/gpulink0 /dev/gpulink1 2 1
[ "$code" = 0 ] || show_counters
check "the remote card is reset" put 1 $far/reset
check "the link comes up after the remote reset" wait_until 20 up
tap "traffic after the remote reset" link-test /dev/gpulink0 /dev/gpulink1 2 1

# --- docs/ABI
check "a range is added" put "known 0 4096 0 - r" $class/partitions/0/ranges/add
files() {
	find "$class/" /sys/kernel/debug/gpulink/gpulink0/ -type f | grep -vE '/(uevent|dev|type|power/.*)$' |
		sed "s|//*|/|g; s|gpulink0|gpulinkN|; s|/partitions/[0-9]*/|/partitions/K/|; s|/ranges/known/|/ranges/NAME/|" | sort -u
}
files >/tmp/files
model && cannot='^$' || cannot=link_capture
sed -n 's/^What:[[:space:]]*//p' /ABI/* | grep -v "$cannot" | sort >/tmp/named
check "docs/ABI documents exactly the existing files" cmp /tmp/named /tmp/files

# --- surprise removal of the remote card
if model; then
	check "a capture of the remote card starts again" capture gpulink1 /tmp/far.pcapng
	gone=$pid
	check "a capture of the local card starts again" capture gpulink0 /tmp/near.pcapng
fi
put 10000000000 $class/link/timeout_ns
echo "@@host kill-card 1"
check "the local card reports the link interrupted" wait_until 10 state_is $class interrupted
model && check "the removed card's capture ends" ends $gone 4
check "local traffic continues without the remote card" traffic /dev/gpulink0 1 ok
check "the local card is unbound" put $pci /sys/bus/pci/drivers/gpulink/unbind
model && check "the unbind ends its capture" ends $pid 4
check "the local card is bound again" put $pci /sys/bus/pci/drivers/gpulink/bind
model && check "a capture without link traffic exits with 0" gpulinkctl --card gpulink0 --seconds 1 capture /tmp/near.pcapng
finish
