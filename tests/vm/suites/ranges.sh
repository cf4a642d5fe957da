#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In the guest: ranges of endpoints, and users who try to leave theirs: on a local endpoint, and on one behind the link.
. /suite/lib.sh

ranges=$class/partitions/0/ranges
said() { dmesg | grep -q "gpulink $pci: $1"; }
empty() { [ "$(ls $ranges)" = "add
remove" ]; }
resource() { echo "/sys/bus/pci/devices/0000:00:$1.0/resource0"; }

check "a range without an endpoint is refused" refused put "x 0 4096 1000 - rw" $ranges/add
check "local and remote endpoints assigned" name_endpoints_of_two
check "an endpoint has no ranges at first" empty
tap "local endpoint" ranges-test /dev/gpulink0 $class 0 "$(resource 08)" 0
check "a range of a part is granted quietly" refused said "range alice grants"
check "ranges survive a reset" sh -c "echo 1 >$class/reset && grep -qx 262144 $ranges/bob/offset"
check "a range of all bytes is granted" put "whole 0 67108864 - 2000 rw" $ranges/add
check "the log says what it grants" said "range whole grants ALL 67108864 bytes of endpoint 0000:00:08.0 0 to user -1, group 2000: on a GPU,"
check "another endpoint in its place has no ranges" sh -c "echo none >$class/partitions/0/endpoint && echo 0000:00:08.0 0 >$class/partitions/0/endpoint"
check "the directories of ranges are gone" empty
check "the pool has ranges, too" sh -c "echo pool >$class/partitions/4/endpoint && echo a 0 4096 1 - r >$class/partitions/4/ranges/add"
check "the log does not warn of the pool" refused said "range a grants"
check "a range is added before its endpoint leaves the bus" put "x 0 4096 1000 - rw" $class/partitions/1/ranges/add
put 1 /sys/bus/pci/devices/0000:00:09.0/remove
check "its directory leaves with the endpoint" test ! -e $class/partitions/1/ranges/x
tap "remote endpoint" ranges-test /dev/gpulink0 $class 2 "$(resource 0a)" 0
# A part of a BAR, open to the remote card; the local one claims more.
part() { put "0000:00:0b.0 0 $1" $far/partitions/5/endpoint; }
for wrong in "4096" "4096 0" "1 4096" "4096 4097" "-4096 8192" "67108864 4096" "4096 67108864" "18446744073709547520 8192" "0 4096 4096" "0  4096"; do
	check "the part '$wrong' is refused" refused part "$wrong"
done
check "a partition that is open as a whole is logged" sh -c "dmesg | grep -q 'partition 2 is open: the remote card may read and write ALL 67108864 bytes of BAR 0 of 0000:00:0a.0'"
put 1 $far/partitions/6/open
put "0000:00:0b.0 0" $far/partitions/6/endpoint
check "also when it is opened before" sh -c "dmesg | grep -q 'partition 6 is open: .* of BAR 0 of 0000:00:0b.0'"
put none $far/partitions/6/endpoint
check "a part of a BAR is an endpoint" part "1048576 65536"
check "it reads back" is "$(cat $far/partitions/5/endpoint)" "0000:00:0b.0 0 1048576 65536"
check "it has its size" is "$(cat $far/partitions/5/endpoint_bytes)" 65536
check "it is open to the remote card" put 1 $far/partitions/5/open
check "that is not logged" refused sh -c "dmesg | grep -q 'partition 5 is open'"
check "the other card learns its size" sh -c "echo link 5 >$class/partitions/5/endpoint && grep -qx 65536 $class/partitions/5/endpoint_bytes"
check "the other card claims more" put "link 5 4194304" $class/partitions/5/endpoint
denied=$(cat $far/link_counters/denied)
tap "part" link-part-test /dev/gpulink0 5 "$(resource 0b)" 1048576 65536
check "what was refused is counted" test "$(cat $far/link_counters/denied)" -gt "$denied"
check "a range of all of a part is granted quietly" put "part 0 65536 1000 - rw" $far/partitions/5/ranges/add
check "and not logged" refused sh -c "dmesg | grep -q 'range part grants'"
check "the card is unbound with ranges" put $pci /sys/bus/pci/drivers/gpulink/unbind
check "the card is bound again" put $pci /sys/bus/pci/drivers/gpulink/bind
check "it has no ranges" empty
check "the module unloads" rmmod gpulink
finish
