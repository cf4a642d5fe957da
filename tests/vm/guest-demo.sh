#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In the guest: what an administrator and an application do. The daemon configures the card, gpulinkctl changes it,
# and PageRank pushes its updates through it.
. /guest-lib.sh

mkdir -p /run/gpulink
gpulinkd --config /etc/gpulink/gpulinkd.conf --socket /run/gpulink/gpulinkd.sock 2>/tmp/gpulinkd.log &
wait_until 10 test -S /run/gpulink/gpulinkd.sock || { cat /tmp/gpulinkd.log; echo "demo: FAILED gpulinkd did not start"; exit 1; }
for c in "gpulinkctl list" "gpulinkctl set-subheader 5" "gpulinkctl partitions"; do
	echo "\$ $c"
	$c || { cat /tmp/gpulinkd.log; echo "demo: FAILED $c"; exit 1; }
done
gpulink-pagerank --device /dev/gpulink0 "$1"
