#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# end-to-end.sh GPULINKD GPULINKCTL: gpulinkctl with a running gpulinkd, both over made-up cards (folders), as TAP.
# shellcheck disable=SC2317 # functions are called through check
set -u
gpulinkd=$1 gpulinkctl=$2
temporary=${TMPDIR:-/tmp}
# Another user has to get there, and the names of sockets are short.
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
# ctl CODE TEXT ARGUMENT...: exit code and a part of the output are as they should be; one line of error at most.
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
# Valid JSON whose member paths give the values: json PYTHON-EXPRESSION ARGUMENT...
json() {
	expression=$1
	shift
	"$gpulinkctl" --socket "$socket" -o json "$@" >"$work/out" || return 1
	python3 -c "import json, sys; r = json.load(sys.stdin); print(r); sys.exit(0 if $expression else 1)" <"$work/out"
}
# until COMMAND...: tries for 10 s.
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
check "without a daemon: says so, offers --direct" ctl 3 "--direct" list
check "without a daemon and without a socket's folder" ctl 3 "gpulinkd at $work/none/socket: No such" list --socket "$work/none/socket"
check "a wrong value is refused before the daemon is missed" ctl 2 "subheader_bytes '7': must be 2 to 6" set-subheader 7
check "--direct without cards" ctl 4 "no card found" --direct info
make_card gpulink0 00000000000000a0
check "--direct lists" ctl 0 "gpulink0  0000:00:04.0  00000000000000a0" --direct list
check "--direct sets" ctl 0 "subheader_bytes is now 2 on partitions 0 to 3" --direct set-subheader 2
check "--direct has set" holds gpulink0/partitions/3/subheader_bytes 2

# --- the daemon starts
"$gpulinkd" --config "$work/gpulinkd.conf" --socket "$socket" 2>"$work/log" &
daemon=$!
check "the daemon opens its socket" until_true test -S "$socket"
check "the daemon has applied its configuration" holds gpulink0/partitions/2/subheader_bytes 3
check "and the endpoint" holds gpulink0/partitions/1/endpoint "0000:00:09.0 0"
check "a second daemon is refused" sh -c "! '$gpulinkd' --config '$work/gpulinkd.conf' --socket '$socket'"
check "the first goes on" ctl 0 gpulink0 list

# --- looking
check "list" ctl 0 "gpulink0  0000:00:04.0  00000000000000a0  loopback" list
check "list as JSON" json "r[0]['name'] == 'gpulink0' and r[0]['partitions'] == 4" list
check "info" ctl 0 "serial          00000000000000a0" info
check "info as JSON" json "r['serial'] == '00000000000000a0'" info
check "partitions" ctl 0 "1          0000:00:09.0 0  67108864        3" partitions
check "partitions as JSON" json "[p['partition'] for p in r] == [0, 1, 2, 3]" partitions
check "one partition" json "len(r) == 1 and r[0]['endpoint'] == '0000:00:09.0 0'" partitions --partition 1
check "the daemon and --direct say the same" sh -c "
	'$gpulinkctl' --socket '$socket' -o json partitions >'$work/a' &&
	'$gpulinkctl' --direct -o json partitions >'$work/b' && cmp '$work/a' '$work/b'"
echo 77 >"$work/cards/gpulink0/partitions/1/stores"
check "counters" ctl 0 "stores                               77                   77" counters --partition 1
first_line() { "$gpulinkctl" --socket "$socket" counters | head -n 1 | tee "$work/out"; grep -qx "$1" "$work/out"; }
check "counters leave out what is idle" first_line "partition  *1  *all"
check "counters as JSON" json "r[1]['stores'] == 77 and r[1]['err_endpoint'] == 2**64 - 1 and r[0]['err_endpoint'] == 0" counters

"$gpulinkctl" --socket "$socket" counters --watch 1 --partition 1 >"$work/watch" 2>&1 &
watch=$!
check "counters --watch: totals come first" until_true grep -q '^stores  *77' "$work/watch"
echo 100 >"$work/cards/gpulink0/partitions/1/stores"
check "counters --watch: then what was gained" until_true grep -q '^        1             23 ' "$work/watch"
kill $watch
wait $watch 2>/dev/null

# --- changing
check "set-subheader" ctl 0 "gpulink0: subheader_bytes is now 5 on partitions 0 to 3" set-subheader 5
check "set-subheader has set" holds gpulink0/partitions/0/subheader_bytes 5
check "set-subheader of one partition" ctl 0 "is now 6 on partition 2" set-subheader 6 --partition 2
check "set-subheader of one partition leaves the others" holds gpulink0/partitions/1/subheader_bytes 5
for value in 7 1 0 5x '' 4294967301; do
	check "set-subheader '$value' is refused" ctl 2 ": must be 2 to 6" set-subheader "$value"
done
check "set-subheader -1 is refused" sh -c "'$gpulinkctl' --socket '$socket' set-subheader -1; [ \$? = 2 ]"
check "refused values change nothing" holds gpulink0/partitions/0/subheader_bytes 5
check "set-payload" ctl 0 "max_payload_bytes is now 256" set-payload 256
check "set-payload 257 is refused" ctl 2 "must be 128, 256" set-payload 257
check "set-timeout" ctl 0 "flush_timeout_ns is now 10000 on" set-timeout 10us
check "set-timeout to never" ctl 0 "flush_timeout_ns is now 0 on" set-timeout 0
check "set-timeout of the longest" ctl 0 "flush_timeout_ns is now 1000000000 on" set-timeout 1s
for value in 2s 1001ms 5 5m 1.5us 18446744073709551616s 18446744074s -1us; do
	check "set-timeout $value is refused" ctl 2 "" -- set-timeout "$value"
done
check "set-coalesce" ctl 0 "coalesce is now 0" set-coalesce 0
check "set-endpoint" ctl 0 "endpoint of partition 0 is now 0000:00:08.0 0" set-endpoint 0 "0000:00:08.0 0"
check "set-endpoint has set" holds gpulink0/partitions/0/endpoint "0000:00:08.0 0"
check "set-endpoint: an address is refused" ctl 2 "pool" set-endpoint 0 0x80000000
check "set-endpoint: not memory is refused" ctl 2 "not memory" set-endpoint 0 "0000:00:08.0 5"
check "set-endpoint: no such device" ctl 4 "no such device" set-endpoint 0 "0000:00:1e.0 0"
check "set-endpoint: no such partition" ctl 2 "must be 0 to 3" set-endpoint 4 pool
check "reset" ctl 0 "generation is now 1" reset

# --- the link
check "link of a card without one" ctl 1 "has no link" link
mkdir "$work/cards/gpulink0/link"
echo up >"$work/cards/gpulink0/link/state"
for s in enable stitching pooling selective_pooling yielding sequencing trimming pool_cycles burst trim_bytes timeout_ns; do
	echo 1 >"$work/cards/gpulink0/link/$s"
done
for k in 0 1 2 3; do echo 0 >"$work/cards/gpulink0/partitions/$k/open"; done
check "link" ctl 0 "peer_serial        00000000000000b2" link
check "link as JSON" json "r['state'] == 'up' and r['queue_flits'] == 1024 and r['burst'] == 1" link
check "link-counters" json "len(r) == 62 and r['flits_in'] == 1000 and r['waited_atomic_response'] == 1061" link-counters
check "set-link" ctl 0 "gpulink0: pool_cycles of the link is now 64" set-link pool_cycles 64
check "set-link yielding" ctl 0 "gpulink0: yielding of the link is now 0" set-link yielding 0
check "set-link has set" holds gpulink0/link/pool_cycles 64
check "set-link: a wrong value is refused" ctl 2 "must be 4, 8, 16 or 32" set-link trim_bytes 12
check "set-link: the longest timeout" ctl 0 "timeout_ns of the link is now 10000000000" set-link timeout_ns 10000000000
check "set-link: a longer one is refused" ctl 2 "must be 1000 to 10000000000" set-link timeout_ns 10000000001
check "set-link: a wrong name is refused" ctl 2 "must be one of enable stitching" set-link colour 1
check "set-open" ctl 0 "open is now 1 on partition 2" set-open 1 --partition 2
check "set-open has set" holds gpulink0/partitions/2/open 1
check "an endpoint beyond the link" ctl 0 "endpoint of partition 3 is now link 11" set-endpoint 3 "link 11"
check "there are 16 at most" ctl 2 'link 15' set-endpoint 3 "link 16"

# --- wrong use
check "no such card" ctl 4 "no such card 'gpulink9'" --card gpulink9 info
check "no such partition" ctl 2 "must be 0 to 3" partitions --partition 4
check "no such command" ctl 2 "unknown command 'explode'" explode
check "no command" ctl 2 "missing command"
check "too few arguments" ctl 2 "usage: gpulinkctl [OPTION...] set-payload BYTES" set-payload
check "too many arguments" ctl 2 "usage:" reset now
check "an option of another command" ctl 2 "list: --watch is not supported" list --watch
check "no such format" ctl 2 "must be table or json" list -o xml
check "help" ctl 0 "set-subheader" --help
for command in list info partitions counters set-subheader set-payload set-timeout set-coalesce set-endpoint set-open link link-counters set-link \
	reset capture; do
	check "$command --help" ctl 0 "Usage: gpulinkctl [OPTION...] $command" $command --help
done
check "version" ctl 0 "gpulinkctl " --version
check "-V" ctl 0 "gpulinkctl " -V
check "-h" ctl 0 "set-subheader" -h
check "output that cannot be written" sh -c "! '$gpulinkctl' --socket '$socket' list >/dev/full"

# --- another user
if [ "$(id -u)" = 0 ]; then
	as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$gpulinkctl" --socket "$socket" "$@"; }
	mode_is() { [ "$(stat -c %a "$socket")" = "$1" ]; }
	denied() { as_nobody "$@"; [ $? = 5 ]; }
	check "the socket is closed to others" mode_is 660
	check "another user cannot open the socket" denied list
	printf '[daemon]\nmode = 0666\n' >"$work/gpulinkd.conf"
	kill -HUP "$daemon"
	check "SIGHUP opens it to all" until_true mode_is 666
	check "then another user may look" until_true as_nobody list
	check "but not change" denied set-subheader 2
	check "and has changed nothing" holds gpulink0/partitions/0/subheader_bytes 5
	check "nor reset" denied reset
fi

# --- reload
printf '[defaults]\nsubheader_bytes = 4\nmax_payload_bytes = 129\n' >"$work/gpulinkd.conf"
kill -HUP "$daemon"
check "a wrong new configuration is named" until_true grep -q "gpulinkd.conf:3: max_payload_bytes '129': must be" "$work/log"
check "and none of it applied" holds gpulink0/partitions/0/subheader_bytes 5
check "the daemon goes on" ctl 0 gpulink0 list
printf '[defaults]\nsubheader_bytes = 4\n' >"$work/gpulinkd.conf"
make_card gpulink1 b1
kill -HUP "$daemon"
check "a right one is applied" until_true holds gpulink0/partitions/0/subheader_bytes 4
check "several cards: one must be named" ctl 2 "--card: gpulink0 gpulink1" info
check "and then is found" ctl 0 "b1" info --card gpulink1

# --- the end
kill -TERM "$daemon"
wait "$daemon"
check "SIGTERM ends the daemon well" test $? = 0
daemon=
check "its socket is gone" test ! -e "$socket"
printf '[defaults]\nsubheader_bytes = 9\nnonsense\n' >"$work/gpulinkd.conf"
wrong() {
	"$gpulinkd" --config "$work/gpulinkd.conf" --socket "$socket" "$@" 2>&1 | tee "$work/out"
	grep -q "gpulinkd.conf:2: .*must be 2 to 6" "$work/out" && grep -q "gpulinkd.conf:3: " "$work/out"
}
check "the daemon does not start on a wrong configuration" wrong
check "--check-config names every wrong line" wrong --check-config
check "--check-config of a wrong one fails" sh -c "! '$gpulinkd' --check-config --config '$work/gpulinkd.conf'"
printf '[defaults]\nsubheader_bytes = 5\n' >"$work/gpulinkd.conf"
check "--check-config of a right one" "$gpulinkd" --check-config --config "$work/gpulinkd.conf"
check "a daemon's wrong option" sh -c "'$gpulinkd' --nonsense; [ \$? = 2 ]"
echo "1..$number"
