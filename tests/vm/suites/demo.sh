#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# demo.sh GRAPH CARDS POLICY [FOLDER]: in the guest: an administrator's and an application's work. The daemon configures the cards, gpulinkctl
# changes settings, and PageRank pushes its updates through the cards. GRAPH /region: Jacobi by regions
# instead; /pool-GRAPH: an embedding of the graph in a pool object.
. /suite/lib.sh
graph=$1 cards=$2 policy=$3
gpu=${4:+--gpu $4}

# show COMMAND...: prints a command and its output.
show() {
	echo "\$ $*"
	"$@" || { cat /tmp/gpulinkd.log; echo "demo: FAILED $*"; exit 1; }
}
# settings [--card CARD]
settings() {
	show gpulinkctl "$@" set-policy "$policy"
	show gpulinkctl "$@" partitions
}
# Each card has the other's endpoints; the daemon assigns them once the link is up.
joined() { [ "$(cat /sys/class/gpulink/gpulink*/partitions/[0-3]/endpoint | grep -c '^link ')" = 4 ]; }

export OCL_ICD_VENDORS=/tmp/vendors POCL_CACHE_DIR=/tmp/pocl
mkdir -p /run/gpulink /tmp/vendors
echo /usr/lib/x86_64-linux-gnu/libpocl.so.2 >/tmp/vendors/pocl.icd # PoCL finds its files from there
gpulinkd --config /etc/gpulink/gpulinkd.conf --socket /run/gpulink/gpulinkd.sock 2>/tmp/gpulinkd.log &
wait_until 10 test -S /run/gpulink/gpulinkd.sock || { cat /tmp/gpulinkd.log; echo "demo: FAILED gpulinkd did not start"; exit 1; }
show gpulinkctl list
if [ "$cards" = 1 ]; then
	settings
	case $graph in
	/region) exec gpulink-jacobi --device /dev/gpulink0 ;;
	/pool-*) exec gpulink-embed --device /dev/gpulink0 --processes 3 --rounds 4 "$graph" ;;
	esac
	exec gpulink-pagerank --device /dev/gpulink0 $gpu "$graph"
fi
wait_until 20 joined || { cat /tmp/gpulinkd.log; echo "demo: FAILED the cards do not have each other's endpoints"; exit 1; }
settings --card gpulink0
settings --card gpulink1
show gpulinkctl --card gpulink0 link
exec gpulink-pagerank --device /dev/gpulink0 --device /dev/gpulink1 $gpu "$graph"
