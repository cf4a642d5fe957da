# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# What the guest's test scripts share: TAP, and the names of things. Runs in busybox sh.

number=0
bad=0
# check NAME COMMAND...: one test, passed when the command succeeds.
check() {
	name=$1
	shift
	number=$((number + 1))
	if "$@" >/tmp/check.out 2>&1; then
		echo "ok $number - $name"
	else
		echo "not ok $number - $name (status $?)"
		sed 's/^/# /' /tmp/check.out
		bad=$((bad + 1))
	fi
}
# refused COMMAND...: succeeds when the command fails in an orderly way (not killed by a signal).
refused() {
	"$@"
	code=$?
	[ $code -ne 0 ] && [ $code -lt 126 ]
}
is() { [ "$1" = "$2" ] || { echo "is '$1', should be '$2'"; return 1; }; }
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
log_is_clean() { ! dmesg | grep -E -A 30 -f /complaints; }
loaded() { grep -q '^gpulink ' /proc/modules; }
# What nothing points to any more. kmemleak speaks only of what is older than 5 s, and one scan may miss a pointer that is on
# the move. Nothing to ask on a stock kernel.
leaks=/sys/kernel/debug/kmemleak
no_leaks() {
	sleep 6
	echo scan >$leaks && echo scan >$leaks && ! grep . $leaks
}
# The end of every suite: memory that nothing points to, with the module and without it, and the kernel's log.
finish() {
	if [ -e $leaks ]; then
		check "no memory is lost" no_leaks
		if loaded; then
			check "the module unloads at the end" rmmod gpulink
			check "no memory is lost without the module" no_leaks
		fi
	fi
	check "the kernel's log is clean" log_is_clean
	echo "1..$number"
	[ $bad = 0 ]
	exit
}
# wait_until SECONDS COMMAND...: tries again until it succeeds.
wait_until() {
	left=$(($1 * 10))
	shift
	while ! "$@" 2>/dev/null; do
		left=$((left - 1))
		[ $left -gt 0 ] || return 1
		sleep 0.1
	done
}

# begin WORD COMMAND...: in the background, as $pid. Returns when it has said the word; what else it says is in $said.
# How long that takes is the machine's business: a fixed time would be too short on a busy one, and what an earlier one
# said must not be taken for it. When it does not come the program is killed.
begin() {
	word=$1
	shift
	begun=$((${begun:-0} + 1))
	said=/tmp/said.$begun
	: >$said
	"$@" >>$said 2>&1 &
	pid=$!
	wait_until 30 grep -q "$word" $said || { echo "no '$word' of: $*"; cat $said; kill -9 $pid; return 1; }
}

# keep NAME FILE: the file will be with the host's logs of this run.
keep() {
	echo "@@keep $1"
	base64 "$2"
	echo "@@kept"
}

pci=0000:00:04.0
class=/sys/class/gpulink/gpulink0
# put VALUE FILE: writes a sysfs file; the shell's own echo does not tell of write errors everywhere.
put() { printf '%s\n' "$1" | dd of="$2" bs=4096 2>/dev/null; }
# Endpoints 0..3 are the four emulated GPU endpoints, as the administrator would name them.
name_endpoints() {
	for k in 0 1 2 3; do
		put "0000:00:$(printf %02x $((8 + k))).0 0" $class/partitions/$k/endpoint || return 1
	done
}
# With two cards: 0 and 1 are beside card 0; 2 and 3, beside card 1, are reached over the link.
far=/sys/class/gpulink/gpulink1
name_endpoints_of_two() {
	wait_until 5 grep -qx up $class/link_state || return 1
	for k in 0 1; do
		put "0000:00:$(printf %02x $((8 + k))).0 0" $class/partitions/$k/endpoint || return 1
	done
	for k in 2 3; do
		put "0000:00:$(printf %02x $((8 + k))).0 0" $far/partitions/$k/endpoint && put 1 $far/partitions/$k/open &&
			put "link $k" $class/partitions/$k/endpoint || return 1
	done
}
# under_traffic EXPECT COMMAND...: runs the command while traffic flows; the traffic must end as expected.
under_traffic() {
	expect=$1
	shift
	begin flowing traffic /dev/gpulink0 20 "$expect" || return 1
	"$@" || { echo "command failed: $*"; kill -9 $pid; return 1; }
	wait $pid
	code=$?
	cat $said
	return $code
}
