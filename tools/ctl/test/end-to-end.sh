#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# end-to-end.sh GPULINKD GPULINKCTL: tests gpulinkctl with a running gpulinkd, both with fake cards (directories). TAP.
# shellcheck disable=SC2317 # functions are called through check
set -u
gpulinkd=$1 gpulinkctl=$2
temporary=${TMPDIR:-/tmp}
# Must be accessible to another user, and short enough for socket paths.
[ ${#temporary} -le 48 ] && [ -n "$(find "$temporary" -maxdepth 0 -perm -o=x)" ] || temporary=/tmp
work=$(mktemp -d "$temporary/gpulinkctl-test.XXXXXX")
daemon=
finish() {
	[ -z "$daemon" ] || { kill "$daemon" && wait "$daemon"; }
	rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM
chmod 755 "$work"
socket=$work/socket
export MADE_UP_CARDS="$work/cards"

number=0
check() {
	name=$1
	shift
	number=$((number + 1))
	if "$@" >"$work/check" 2>&1; then
		echo "ok $number - $name"
	else
		echo "not ok $number - $name"
		sed 's/^/# /' "$work/check"
	fi
}
# ctl CODE TEXT ARGUMENT...: gpulinkctl exits with CODE, prints TEXT, and at most one line of error.
ctl() {
	code=$1 text=$2
	shift 2
	"$gpulinkctl" --socket "$socket" "$@" >"$work/out" 2>"$work/err"
	got=$?
	cat "$work/out" "$work/err"
	[ $got = "$code" ] || { echo "exit code $got, should be $code"; return 1; }
	grep -qF -e "$text" "$work/out" "$work/err" || { echo "lacks: $text"; return 1; }
	[ "$(wc -l <"$work/err")" -le 1 ] || { echo "more than one line of error"; return 1; }
}
holds() { [ "$(cat "$work/cards/$1")" = "$2" ] || { echo "$1 is $(cat "$work/cards/$1"), should be $2"; return 1; }; }
# json PYTHON-EXPRESSION ARGUMENT...: the output is JSON, r, for which the expression is true.
json() {
	expression=$1
	shift
	"$gpulinkctl" --socket "$socket" -o json "$@" >"$work/out" || return 1
	python3 -c "import json, sys; r = json.load(sys.stdin); print(r); sys.exit(0 if $expression else 1)" <"$work/out"
}
refused() { ! "$@"; }
# until_true COMMAND...: retries for 10 s.
until_true() {
	left=100
	while ! "$@"; do
		left=$((left - 1))
		[ $left -gt 0 ] || return 1
		sleep 0.1
	done
}
make_card() {
	for k in 0 1 2 3; do
		folder=$work/cards/$1/partitions/$k
		mkdir -p "$folder"
		echo 4 >"$folder/subheader_bytes"
		echo 1024 >"$folder/max_payload_bytes"
		echo 0 >"$folder/flush_timeout_ns"
		echo 1 >"$folder/coalesce"
		echo none >"$folder/endpoint"
		echo 0 >"$folder/stores"
	done
	echo "$2" >"$work/cards/$1/serial"
}

mkdir "$work/cards"
cat >"$work/gpulinkd.conf" <<CONF
[daemon]
group = $(id -g)
[defaults]
subheader_bytes = 3
[card gpulink0 partition 1]
endpoint = 0000:00:09.0 0
CONF

# --- without a daemon
check "without a daemon: error message names --direct" ctl 3 "--direct" list
check "without a daemon and its socket's directory" ctl 3 "gpulinkd at $work/none/socket: No such" list --socket "$work/none/socket"
check "an invalid value is rejected before connecting" ctl 2 "subheader_bytes '7': must be 2 to 6" set-subheader 7
check "--direct without cards" ctl 4 "no card found" --direct info
make_card gpulink0 00000000000000a0
check "--direct lists" ctl 0 "gpulink0  0000:00:04.0  00000000000000a0" --direct list
check "--direct sets" ctl 0 "subheader_bytes is now 2 on partitions 0 to 3" --direct set-subheader 2
check "--direct set changes the card" holds gpulink0/partitions/3/subheader_bytes 2

# --- the daemon starts
"$gpulinkd" --config "$work/gpulinkd.conf" --socket "$socket" 2>"$work/log" &
daemon=$!
check "daemon: opens its socket" until_true test -S "$socket"
check "daemon: applies its configuration" holds gpulink0/partitions/2/subheader_bytes 3
check "daemon: applies endpoints" holds gpulink0/partitions/1/endpoint "0000:00:09.0 0"
check "a second daemon on the same socket fails" sh -c "! '$gpulinkd' --config '$work/gpulinkd.conf' --socket '$socket'"
check "the first daemon keeps running" ctl 0 gpulink0 list

# --- show
check "list" ctl 0 "gpulink0  0000:00:04.0  00000000000000a0  live   loopback" list
check "list as JSON" json "r[0]['name'] == 'gpulink0' and r[0]['partitions'] == 4" list
check "info" ctl 0 "serial          00000000000000a0" info
check "info as JSON" json "r['serial'] == '00000000000000a0'" info
check "partitions" ctl 0 "1          0000:00:09.0 0  67108864        3" partitions
check "partitions as JSON" json "[p['partition'] for p in r] == [0, 1, 2, 3]" partitions
check "one partition" json "len(r) == 1 and r[0]['endpoint'] == '0000:00:09.0 0'" partitions --partition 1
check "daemon and --direct give the same result" sh -c "
	'$gpulinkctl' --socket '$socket' -o json partitions >'$work/a' &&
	'$gpulinkctl' --direct -o json partitions >'$work/b' && cmp '$work/a' '$work/b'"
echo 77 >"$work/cards/gpulink0/partitions/1/stores"
check "counters" ctl 0 "stores                               77                   77" counters --partition 1
first_line() { "$gpulinkctl" --socket "$socket" counters | head -n 1 | tee "$work/out"; grep -qx "$1" "$work/out"; }
check "counters begin with stores per packet" ctl 0 "stores_per_packet                   7.0                  7.0" counters --partition 1
check "without packets there is no ratio" ctl 0 "stores_per_packet             -" counters --partition 0
check "counters show the bytes saved" ctl 0 "wire_bytes_saved                   2310                 2310" counters --partition 1
check "counters show the savings in percent" ctl 0 "saved_percent                      75.0                 75.0" counters --partition 1
check "counters omit idle partitions" first_line "partition  *1  *all"
check "counters as JSON" json "r[1]['stores'] == 77 and r[1]['err_endpoint'] == 2**64 - 2 and r[0]['err_endpoint'] == 0" counters

"$gpulinkctl" --socket "$socket" counters --watch 1 --partition 1 >"$work/watch" 2>&1 &
watch=$!
check "counters --watch: totals first" until_true grep -q '^stores  *77' "$work/watch"
echo 100 >"$work/cards/gpulink0/partitions/1/stores"
check "counters --watch: then increments" until_true grep -q '^        1           7.7       75.0             23 ' "$work/watch"
kill $watch
wait $watch 2>/dev/null

# --- monitor
monitor_says() { until_true grep -qF -e "$1" "$work/monitor" || { cat "$work/monitor"; return 1; }; }
"$gpulinkctl" --socket "$socket" monitor >"$work/monitor" 2>&1 &
monitor=$!
check "monitor: begins with the number of cards" monitor_says "watching 1 card"
check "monitor: a setting changes" ctl 0 "" set-payload 512 --partition 2
check "monitor: shows it" monitor_says " gpulink0 partition 2 max_payload_bytes: 1024 -> 512"
check "monitor: an endpoint changes" ctl 0 "" set-endpoint 3 pool
check "monitor: shows it" monitor_says " gpulink0 partition 3 endpoint: none -> pool"
check "monitor: a card is reset" ctl 0 "" reset
check "monitor: shows its generation" monitor_says " gpulink0 generation: 0 -> 1"
mv "$work/cards/gpulink0/partitions/3/coalesce" "$work/kept"
check "monitor: a card does not answer for a while" sleep 1.5
mv "$work/kept" "$work/cards/gpulink0/partitions/3/coalesce"
make_card gpulink5 05
check "monitor: shows an added card" monitor_says " gpulink5 card: added"
check "monitor: shows nothing of that" refused grep "partition.*removed" "$work/monitor"
echo lost >"$work/cards/gpulink5/state"
check "monitor: shows a lost card" monitor_says " gpulink5 state: live -> lost"
check "monitor: which is still there" refused grep "gpulink5.*removed" "$work/monitor"
check "monitor: a lost card is reset" ctl 0 "" reset --card gpulink5
check "monitor: shows that it is live" monitor_says " gpulink5 state: lost -> live"
rm -r "$work/cards/gpulink5"
check "monitor: shows a removed card" monitor_says " gpulink5 card: removed"
kill $monitor
wait $monitor
check "monitor: SIGTERM ends it" test $? = 0
"$gpulinkctl" --socket "$socket" -o json monitor --card gpulink0 --count 1 >"$work/monitor" 2>"$work/monitor.log" &
monitor=$!
check "monitor: JSON" until_true grep -q "watching 1" "$work/monitor.log"
check "monitor: a setting changes again" ctl 0 "" set-payload 1024 --partition 2
wait $monitor
check "monitor: --count ends it" test $? = 0
event() {
	python3 -c "import json, sys; e = json.loads(sys.stdin.read()); t = e.pop('time'); print(t, e); sys.exit(e != {'card': 'gpulink0',
		'what': 'partition 2 max_payload_bytes', 'from': 512, 'to': 1024} or t[10] != 'T' or t[-1] != 'Z')" <"$work/monitor"
}
check "monitor: the event as JSON" event
check "monitor: --seconds ends it" ctl 0 "watching" monitor --seconds 1
check "monitor: no such card" ctl 4 "no such card 'gpulink9'" monitor --card gpulink9
check "monitor: --once is refused" ctl 2 "--once is not supported" monitor --once
check "monitor: no daemon" ctl 3 "cannot connect" monitor --socket "$work/none"
check "monitor: the endpoint as before" ctl 0 "" set-endpoint 3 none

# --- configure
check "set-subheader" ctl 0 "gpulink0: subheader_bytes is now 5 on partitions 0 to 3" set-subheader 5
check "set-subheader changes the card" holds gpulink0/partitions/0/subheader_bytes 5
check "set-subheader of one partition" ctl 0 "is now 6 on partition 2" set-subheader 6 --partition 2
check "set-subheader of one partition does not change others" holds gpulink0/partitions/1/subheader_bytes 5
for value in 7 1 0 5x '' 4294967301; do
	check "set-subheader '$value' is rejected" ctl 2 ": must be 2 to 6" set-subheader "$value"
done
check "set-subheader -1 is rejected" sh -c "'$gpulinkctl' --socket '$socket' set-subheader -1; [ \$? = 2 ]"
check "rejected values change nothing" holds gpulink0/partitions/0/subheader_bytes 5
check "set-payload" ctl 0 "max_payload_bytes is now 256" set-payload 256
check "set-payload 257 is rejected" ctl 2 "must be 128, 256" set-payload 257
check "set-timeout" ctl 0 "flush_timeout_ns is now 10000 on" set-timeout 10us
check "set-timeout 0" ctl 0 "flush_timeout_ns is now 0 on" set-timeout 0
check "set-timeout 1s" ctl 0 "flush_timeout_ns is now 1000000000 on" set-timeout 1s
for value in 2s 1001ms 5 5m 1.5us 18446744073709551616s 18446744074s -1us; do
	check "set-timeout $value is rejected" ctl 2 "" -- set-timeout "$value"
done
check "set-coalesce" ctl 0 "coalesce is now 0" set-coalesce 0
check "set-endpoint" ctl 0 "endpoint of partition 0 is now 0000:00:08.0 0" set-endpoint 0 "0000:00:08.0 0"
check "set-endpoint changes the card" holds gpulink0/partitions/0/endpoint "0000:00:08.0 0"
check "set-endpoint: an address is rejected" ctl 2 "pool" set-endpoint 0 0x80000000
check "set-endpoint: a BAR without memory is rejected" ctl 2 "not memory" set-endpoint 0 "0000:00:08.0 5"
check "set-endpoint: no such device" ctl 4 "no such device" set-endpoint 0 "0000:00:1e.0 0"
check "set-endpoint: no such partition" ctl 2 "must be 0 to 3" set-endpoint 4 pool
range() { ctl "$1" "$2" add-range 0 "$3" $4; }
check "add-range" range 0 "65536 bytes of 0000:00:08.0 0 are open (rw)" a.1 "1M 64K rw user=0 group=7"
check "add-range: a part is granted without a warning" refused grep -q WARNING "$work/out"
check "add-range changes the card" grep -qx "a.1 1048576 65536 3 0 7" "$work/cards/gpulink0/partitions/0/ranges"
check "add-range of all bytes warns" range 0 "WARNING: these are ALL bytes of the endpoint" whole "0 all r group=7"
check "remove-range of all bytes" ctl 0 "" remove-range 0 whole
check "add-range of all bytes warns in JSON, too" json "r['warnings'][0].startswith('these are ALL bytes')" add-range 0 whole 0 all r group=7
check "add-range: a name of a user" range 0 "are open (w)" b "0x1000 4096 w user=root"
check "add-range: an existing name" range 1 "range b exists" b "0 4096 w user=0"
check "add-range: not within the endpoint" range 2 "within the 67108864 bytes" c "64M 4096 w user=0"
check "add-range: no owner" range 2 "must be OFFSET BYTES RIGHTS" c "0 4096 w"
check "add-range: an unknown user" range 2 "user=nobody-has-this-name does not exist" c "0 4096 w user=nobody-has-this-name"
check "add-range: an invalid name" range 2 "range name '../x': must be" ../x "0 4096 w user=0"
check "add-range without an endpoint" ctl 1 "partition has no endpoint" add-range 2 c 0 4096 w user=0
check "ranges" ctl 0 "0          a.1    1048576  65536     rw      0     7" ranges
check "ranges as JSON" json "[x['name'] for x in r] == ['a.1', 'whole', 'b'] and 'user' not in r[1] and r[1]['group'] == 7" ranges
check "ranges of a partition" json "r == []" ranges --partition 3
check "remove-range" ctl 0 "range a.1 of partition 0 is removed" remove-range 0 a.1
check "remove-range changes the card" json "[x['name'] for x in r] == ['whole', 'b']" ranges
check "remove-range: no such range" ctl 2 "no range a.1" remove-range 0 a.1
check "reset" ctl 0 "generation is now 2" reset

# --- the link
check "link: card without a link" ctl 1 "has no link" link
mkdir "$work/cards/gpulink0/link"
echo up >"$work/cards/gpulink0/link/state"
for s in enable stitching pooling selective_pooling yielding sequencing trimming pool_cycles burst trim_bytes timeout_ns; do
	echo 1 >"$work/cards/gpulink0/link/$s"
done
for k in 0 1 2 3; do echo 0 >"$work/cards/gpulink0/partitions/$k/open"; done
check "card-counters" json "r['err_window'] == 2000 and r['region_epochs'] == 2010" card-counters
check "card-counters as a table" ctl 0 "region_chunks     2008" card-counters
check "link" ctl 0 "peer_serial        00000000000000b2" link
check "link as JSON" json "r['state'] == 'up' and r['queue_flits'] == 1024 and r['burst'] == 1" link
check "link-counters" json "r['flits_in'] == 1000 and r['waited_atomic_response'] == 1061" link-counters
check "pool: card without leases" ctl 1 "has no leases" pool
mkdir "$work/cards/gpulink0/pool"
echo 7 >"$work/cards/gpulink0/pool/partition"
check "pool" json "r['bytes'] == 2 ** 24 and r['free'] == 2 ** 20 and r['objects'] == 3 and r['partition'] == '7'" pool
check "pool as a table" ctl 0 "read_lease   10" pool
check "pool-counters" json "r['reads'] == 3000 and r['errors'] == 3007" pool-counters
check "set-link" ctl 0 "gpulink0: pool_cycles of the link is now 64" set-link pool_cycles 64
check "set-link yielding" ctl 0 "gpulink0: yielding of the link is now 0" set-link yielding 0
check "set-link changes the card" holds gpulink0/link/pool_cycles 64
check "set-link: an invalid value is rejected" ctl 2 "must be 4, 8, 16 or 32" set-link trim_bytes 12
check "set-link: maximum timeout" ctl 0 "timeout_ns of the link is now 10000000000" set-link timeout_ns 10000000000
check "set-link: a longer timeout is rejected" ctl 2 "must be 1000 to 10000000000" set-link timeout_ns 10000000001
check "set-link: an unknown setting is rejected" ctl 2 "must be one of enable, stitching" set-link colour 1
echo 0 >"$work/cards/gpulink0/partitions/2/packing"
check "set-packing" ctl 0 "packing is now 1 on partition 2" set-packing 1 --partition 2
check "set-packing changes the card" holds gpulink0/partitions/2/packing 1
echo 0 >"$work/cards/gpulink0/partitions/2/compact"
check "set-format compact" ctl 0 "format is now compact on partition 2" set-format compact --partition 2
check "set-format changes the card" holds gpulink0/partitions/2/compact 1
check "set-format subheader" ctl 0 "format is now subheader on partition 2" set-format subheader --partition 2
check "set-format: an unknown form is rejected" ctl 2 "format '1': must be subheader or compact" set-format 1
check "set-format compact again" ctl 0 "format is now compact on partition 2" set-format compact --partition 2
check "set-packing 0 warns of what it leaves without effect" ctl 0 "WARNING: partition 2: compact 1: no effect" set-packing 0 --partition 2
check "set-format subheader without packing" ctl 0 "format is now subheader" set-format subheader --partition 2
check "set-format without packing is refused" ctl 2 "compact 1 has no effect while packing is 0" set-format compact --partition 2
check "set-keep is a command that was removed" ctl 2 "command 'set-keep': removed, because kept lines" set-keep 0
check "set: keep is a setting that was removed" ctl 2 "setting 'keep': removed, because kept lines" set keep 0
check "set" ctl 0 "flush_timeout_ns is now 4000 on partition 3" set flush_timeout_ns 4000 --partition 3
check "set changes the card" holds gpulink0/partitions/3/flush_timeout_ns 4000
check "set: a value that is not allowed is rejected" ctl 2 "max_payload_bytes '129': must be 128, 256" set max_payload_bytes 129
check "set-policy paper" ctl 0 "subheader_bytes is now 5 on partition 2" set-policy paper --partition 2
check "set-policy paper sets packing" holds gpulink0/partitions/2/packing 0
check "set-policy paper sets the form" holds gpulink0/partitions/2/compact 0
check "set-policy best" ctl 0 "format is now compact on partition 2" set-policy best --partition 2
check "set-policy best sets the width" holds gpulink0/partitions/2/subheader_bytes 6
check "set-policy best sets packing" holds gpulink0/partitions/2/packing 1
rm "$work/cards/gpulink0/partitions/2/compact" "$work/cards/gpulink0/partitions/2/packing"
check "set-policy leaves out what the card lacks" ctl 0 "subheader_bytes is now 5 on partition 2" set-policy paper --partition 2
check "set-policy: an unknown policy is rejected" ctl 2 "policy 'good': must be paper or best" set-policy good
check "set: an unknown setting is rejected" ctl 2 "must be one of subheader_bytes, max_payload_bytes" set colour 1
check "set-open" ctl 0 "open is now 1 on partition 2" set-open 1 --partition 2
check "set-open changes the card" holds gpulink0/partitions/2/open 1
check "set-endpoint: remote partition" ctl 0 "endpoint of partition 3 is now link 11" set-endpoint 3 "link 11"
check "set-endpoint: remote partitions end at 15" ctl 2 'link 15' set-endpoint 3 "link 16"

# --- a card that is lost, and a driver without some counters
echo lost >"$work/cards/gpulink0/state"
check "lost: list" ctl 0 "gpulink0  0000:00:04.0  00000000000000a0  lost   unknown     4" list
check "lost: info" ctl 0 "state           lost" info
for command in partitions counters card-counters link link-counters pool pool-counters "set-subheader 4"; do
	# shellcheck disable=SC2086
	check "lost: $command" ctl 1 "gpulink0 is lost: it does not answer; a reset may recover it" $command
done
check "lost: capture" ctl 1 "gpulink0: lost: it does not answer" capture "$work/captured"
touch "$work/cards/gpulink0/dead"
check "lost: a reset that fails says why" ctl 1 "gpulink0: reset: the card has left the bus" reset
rm "$work/cards/gpulink0/dead"
check "lost: reset" ctl 0 "gpulink0: reset, generation is now 3" reset
check "lost: a reset recovers it" ctl 0 "  live   loopback" list
touch "$work/cards/gpulink0/old" "$work/cards/gpulink0/partitions/1/old"
check "an older driver: card-counters" ctl 0 "err_arrive        -" card-counters
check "an older driver: counters" ctl 0 "region_bytes                          -" counters --partition 1
check "an older driver: JSON" json "r['err_arrive'] is None and r['region_epochs'] == 2010" card-counters
rm "$work/cards/gpulink0/old" "$work/cards/gpulink0/partitions/1/old"

# --- invalid use
check "no such card" ctl 4 "no such card 'gpulink9'" --card gpulink9 info
check "no such partition" ctl 2 "must be 0 to 3" partitions --partition 4
check "no such command" ctl 2 "unknown command 'explode'" explode
check "no command" ctl 2 "missing command"
check "too few arguments" ctl 2 "usage: gpulinkctl [OPTION...] set-payload BYTES" set-payload
check "too many arguments" ctl 2 "usage:" reset now
check "an option the command does not support" ctl 2 "list: --watch is not supported" list --watch
check "unknown output format" ctl 2 "must be table or json" list -o xml
check "output cannot be written" sh -c "! '$gpulinkctl' --socket '$socket' list >/dev/full"

# --- another user
if [ "$(id -u)" = 0 ]; then
	as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$gpulinkctl" --socket "$socket" "$@"; }
	mode_is() { [ "$(stat -c %a "$socket")" = "$1" ]; }
	denied() { as_nobody "$@"; [ $? = 5 ]; }
	check "the socket's mode is 0660" mode_is 660
	check "another user cannot connect" denied list
	printf '[daemon]\nmode = 0666\n' >"$work/gpulinkd.conf"
	kill -HUP "$daemon"
	check "SIGHUP: mode 0666 is applied" until_true mode_is 666
	check "another user may read" until_true as_nobody list
	check "another user may not change settings" denied set-subheader 2
	check "settings are unchanged" holds gpulink0/partitions/0/subheader_bytes 5
	check "another user may not reset" denied reset
fi

# --- the log, and reloading
logged() { grep -qE -e "$1" "$work/log"; }
check "daemon: logs who changed what" logged "uid $(id -u), pid [0-9]+: done: .\"op\":\"reset\",\"card\":\"gpulink0\"."
check "daemon: logs failed changes" logged "uid $(id -u), pid [0-9]+: EBUSY: .\"op\":\"add_range\",.*\"name\":\"b\""
check "daemon: does not log queries" refused logged '"op":"(list|info|partitions|ranges)"'
reload() { "$gpulinkd" --reload --socket "$socket" 2>"$work/err"; }
printf '[defaults]\nsubheader_bytes = 5\n' >"$work/gpulinkd.conf"
check "daemon: --reload" reload
printf '[card gpulink0 partition 2]\nrange r = 0 4K rw user=nobody-has-this-name\n' >>"$work/gpulinkd.conf"
check "--check-config reports an unknown user" sh -c "! '$gpulinkd' --check-config --config '$work/gpulinkd.conf' 2>'$work/err' &&
	grep -q 'gpulinkd.conf:4: range r: user=nobody-has-this-name does not exist' '$work/err'"
check "daemon: --reload grants all but its range" reload
check "daemon: and says so" logged "gpulinkd.conf:4: gpulink0 partition 2: range r is not granted: user=nobody-has-this-name does not exist"
echo "subheader_bytes = 9" >>"$work/gpulinkd.conf"
check "daemon: --reload of an invalid configuration fails" refused reload
check "daemon: it names the line" grep -q "gpulinkd.conf:5: subheader_bytes '9': must be 2 to 6" "$work/err"
check "--reload without a daemon" sh -c "! '$gpulinkd' --reload --socket '$work/none' 2>/dev/null"

# --- reload
printf '[defaults]\nsubheader_bytes = 4\nmax_payload_bytes = 129\n' >"$work/gpulinkd.conf"
kill -HUP "$daemon"
check "reload: invalid configuration is reported" until_true grep -q "gpulinkd.conf:3: max_payload_bytes '129': must be" "$work/log"
check "reload: invalid configuration is not applied" holds gpulink0/partitions/0/subheader_bytes 5
check "reload: the daemon keeps running" ctl 0 gpulink0 list
printf '[defaults]\nsubheader_bytes = 4\n' >"$work/gpulinkd.conf"
make_card gpulink1 b1
kill -HUP "$daemon"
check "reload: valid configuration is applied" until_true holds gpulink0/partitions/0/subheader_bytes 4
check "several cards: --card is required" ctl 2 "--card: gpulink0 gpulink1" info
check "several cards: --card selects one" ctl 0 "b1" info --card gpulink1

# --- termination
kill -TERM "$daemon"
wait "$daemon"
check "SIGTERM: exit status 0" test $? = 0
daemon=
check "SIGTERM: the socket is removed" test ! -e "$socket"

# --- another daemon: answers RESULT to everything
# answered RESULT
answered() {
	rm -f "$socket"
	python3 -c "import json, socket, sys
s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen()
c = s.accept()[0]; f = c.makefile('rw')
for line in f:
    f.write(json.dumps({'id': json.loads(line).get('id'), 'ok': True, 'result': json.loads(sys.argv[2])}) + chr(10)); f.flush()" \
		"$socket" "$1" &
	daemon=$!
	until_true test -S "$socket" && ctl 1 "malformed answer" --card gpulink0 set-format compact
	kill "$daemon" 2>/dev/null; wait "$daemon" 2>/dev/null; daemon=
	[ "$got" = 1 ] && grep -q "malformed answer" "$work/err"
}
check "set-format: an answer without members" answered '{}'
check "set-format: an answer with members of no value" answered \
	'{"card": null, "setting": null, "value": null, "first": null, "count": null}'
check "set-format: an answer with members of other types" answered '{"card": "gpulink0", "setting": 7, "value": {}, "first": 0, "count": 1}'
rm -f "$socket"
printf '[defaults]\nsubheader_bytes = 9\nnonsense\n' >"$work/gpulinkd.conf"
wrong() {
	"$gpulinkd" --config "$work/gpulinkd.conf" --socket "$socket" "$@" 2>&1 | tee "$work/out"
	grep -q "gpulinkd.conf:2: .*must be 2 to 6" "$work/out" && grep -q "gpulinkd.conf:3: " "$work/out"
}
check "an invalid configuration prevents the start" wrong
check "--check-config reports every error" wrong --check-config
check "--check-config: exit status of an invalid configuration" sh -c "! '$gpulinkd' --check-config --config '$work/gpulinkd.conf'"
check "--check-config: no priorities where there is no journal" grep -qx "gpulinkd: $work/gpulinkd.conf:3: .*" "$work/out"
in_journal() {
	: >"$work/journal"
	JOURNAL_STREAM=$(stat -Lc %d:%i "$work/journal") "$gpulinkd" --check-config --config "$work/gpulinkd.conf" 2>"$work/journal"
	cat "$work/journal"
	grep -qx "<3>$work/gpulinkd.conf:3: .*" "$work/journal"
}
check "--check-config: priorities in the journal" in_journal
printf '[defaults]\nsubheader_bytes = 5\n' >"$work/gpulinkd.conf"
check "--check-config: exit status of a valid configuration" "$gpulinkd" --check-config --config "$work/gpulinkd.conf"
check "unknown option of the daemon" sh -c "'$gpulinkd' --nonsense; [ \$? = 2 ]"
echo "1..$number"
