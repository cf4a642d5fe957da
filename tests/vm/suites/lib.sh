# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Shared by the guest's test scripts: TAP output, paths and helpers. Runs in busybox sh.

number=0
bad=0
# check NAME COMMAND...: one test; passes when the command succeeds.
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
# refused COMMAND...: succeeds when the command fails without being killed by a signal.
refused() {
	"$@"
	code=$?
	[ $code -ne 0 ] && [ $code -lt 126 ]
}
is() { [ "$1" = "$2" ] || { echo "is '$1', should be '$2'"; return 1; }; }
# tap NAME COMMAND...: runs a program that prints TAP, and adds its results.
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
	check "$what exits with 0" is $code 0
}
log_is_clean() { ! dmesg | grep -E -A 30 -f /complaints; }
loaded() { grep -q '^gpulink ' /proc/modules; }
# kmemleak reports only allocations older than 5 s, and a single scan may miss a pointer that is being moved: hence the delay
# and two scans. Stock kernels have no kmemleak.
leaks=/sys/kernel/debug/kmemleak
no_leaks() {
	sleep 6
	echo scan >$leaks && echo scan >$leaks && ! grep . $leaks
}
# Ends every suite: checks for leaks, with the module loaded and unloaded, and for defects in the kernel log.
finish() {
	if [ -e $leaks ]; then
		check "kmemleak finds no leaks" no_leaks
		if loaded; then
			check "the module unloads at the end" rmmod gpulink
			check "kmemleak finds no leaks after the unload" no_leaks
		fi
	fi
	check "the kernel log reports no defects" log_is_clean
	echo "1..$number"
	[ $bad = 0 ]
	exit
}
# wait_until SECONDS COMMAND...: retries the command until it succeeds or the time is up.
wait_until() {
	left=$(($1 * 10))
	shift
	while ! "$@" 2>/dev/null; do
		left=$((left - 1))
		[ $left -gt 0 ] || return 1
		sleep 0.1
	done
}

# begin WORD COMMAND...: starts a command in the background, as $pid, with its output in $said, and waits until it prints WORD.
# A fixed delay would be too short on a busy machine. Each command has its own output file, so that output of an earlier one is
# not mistaken for its own. Kills the command if WORD does not appear.
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

# keep NAME FILE: sends the file to the host, which saves it with the logs of the run.
keep() {
	echo "@@keep $1"
	base64 "$2"
	echo "@@kept"
}

pci=0000:00:04.0
class=/sys/class/gpulink/gpulink0
kernel_has_p2pdma() { zcat /proc/config.gz 2>/dev/null | grep -q '^CONFIG_PCI_P2PDMA=y' || grep -q ' pci_p2pdma_distance_many$' /proc/kallsyms; }
# put VALUE FILE: writes a sysfs file; not every shell's echo reports write errors.
put() { printf '%s\n' "$1" | dd of="$2" bs=4096 2>/dev/null; }
# Assigns the four emulated GPU endpoints to partitions 0..3, as the administrator would.
name_endpoints() {
	for k in 0 1 2 3; do
		put "0000:00:$(printf %02x $((8 + k))).0 0" $class/partitions/$k/endpoint || return 1
	done
}
# With two cards: endpoints 0 and 1 are local to card 0; 2 and 3 are local to card 1, and reached over the link.
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
# under_traffic EXPECT COMMAND...: runs the command under traffic; the traffic must end as expected.
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
