#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# topo.sh DOCTOR PATH...: gpulinkctl topo and doctor in a guest with a PCI tree of tools/vm/trees.sh: the paths to the endpoints are
# as given ("direct" or "blocked", "root" for the root complex), the driver and the kernel agree, and doctor exits with DOCTOR.
. /suite/lib.sh

doctor=$1
[ "$doctor" != 0 ] || grep -q ' pci_p2pdma_distance_many' /proc/kallsyms || doctor=6
shift
wanted="$*"
endpoint=$class/partitions/0/endpoint
rows() { sed '1,/^CARD/d' /tmp/topo; }
verdicts() { rows | awk -F '  +' '{ split($3, word, " "); printf "%s%s", (NR > 1 ? " " : ""), word[1] }'; }
# distance NAME: of the endpoint, in the JSON.
distance() { awk -F '[:,]' -v name="\"$1\"" 'index($0, "\"endpoint\"") { mine = index($0, name) } mine && /"distance"/ { print $2 + 0 }' /tmp/topo.json; }
p2pdma() { grep -q ' pci_p2pdma_distance_many' /proc/kallsyms; }
# agree NAME VERDICT: the driver takes the endpoint by the name that topo prints, unless it is blocked; the kernel's distance is topo's.
agree() {
	if [ "$2" = blocked ]; then
		refused put "$1" $endpoint && printf '%s\n' "$1" | dd of=$endpoint bs=4096 2>&1 | grep 'No route to host'
		return
	fi
	gpulinkctl --direct set-endpoint 0 "$1" && is "$(cat $endpoint)" "$1" || return 1
	! p2pdma || is "$(cat $class/partitions/0/endpoint_distance)" "$(distance "$1")"
}
exits() {
	code=$1
	shift
	"$@"
	is $? "$code"
}

check "topo" sh -c "gpulinkctl topo >/tmp/topo"
check "topo as JSON" sh -c "gpulinkctl -o json topo >/tmp/topo.json"
cat /tmp/topo | sed 's/^/# /'
check "the paths are as wanted" is "$(verdicts)" "$wanted"
rows >/tmp/rows
while read -r line; do
	name=$(echo "$line" | awk -F '  +' '{ print $2 }')
	verdict=$(echo "$line" | awk -F '  +' '{ print $3 }')
	check "$name: driver and kernel agree on $verdict" agree "$name" "$verdict"
done </tmp/rows
check "the card is found by its address" sh -c "gpulinkctl topo --card $(sed -n 's/ *\(0000[^ ]*\)  card.*/\1/p' /tmp/topo) | grep -q '^gpulink0'"
check "another card is not found" exits 4 gpulinkctl topo --card gpulink7
check "doctor exits with $doctor" exits "$doctor" gpulinkctl doctor
gpulinkctl doctor | sed 's/^/# /'
check "a dump is written" gpulinkctl topo --dump /tmp/dump
check "it shows the same tree" sh -c "gpulinkctl topo --from /tmp/dump | cmp - /tmp/topo"
keep dump /tmp/dump
pci=$(basename "$(readlink -f $class/device)")
check "the driver is unbound" put "$pci" /sys/bus/pci/drivers/gpulink/unbind
gpulinkctl doctor >/tmp/doctor
check "doctor exits with 7" is $? 7
check "doctor misses the driver" grep -q "error \[no-driver\] $pci" /tmp/doctor
check "the module unloads" rmmod gpulink
gpulinkctl doctor >/tmp/doctor
check "doctor misses the module" grep -q 'error \[no-module\]' /tmp/doctor
finish
