#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In the guest: probe, sysfs, ioctls, window and ring, unload.
. /suite/lib.sh

check "the card is bound" test -L /sys/bus/pci/devices/$pci/driver
check "the class device exists" test -d $class
check "the character device exists" test -c /dev/gpulink0
check "only root may open it" is "$(stat -c '%a %u' /dev/gpulink0)" "600 0"
check "modinfo is complete" sh -c 'for f in license description author version; do modinfo -F $f gpulink | grep -q . || exit 1; done'
check "serial is one value" sh -c "is() { [ \$# = 1 ]; }; is \$(cat $class/serial)"
check "link_state is readable" sh -c "grep -q . $class/link_state"
check "sub-header width after probe is 6" is "$(cat $class/partitions/0/subheader_bytes)" 6
for w in 2 3 4 5 6; do
	check "sub-header width $w is accepted" sh -c "echo $w > $class/partitions/1/subheader_bytes && grep -qx $w $class/partitions/1/subheader_bytes"
done
for w in 1 7 0 -1 5x 4294967301 ''; do
	check "sub-header width '$w' is refused" refused put "$w" $class/partitions/1/subheader_bytes
done
check "a refused width changed nothing" is "$(cat $class/partitions/1/subheader_bytes)" 6
for p in 64 100 129 8192; do
	check "payload limit $p is refused" refused put $p $class/partitions/1/max_payload_bytes
done
check "payload limit 256 is accepted" sh -c "echo 256 > $class/partitions/1/max_payload_bytes && grep -qx 256 $class/partitions/1/max_payload_bytes"
for setting in packing compact; do
	check "$setting after probe is 1" is "$(cat $class/partitions/1/$setting)" 1
	for v in 2 -1 x ''; do
		check "$setting '$v' is refused" refused put "$v" $class/partitions/1/$setting
	done
	for v in 1 0; do
		check "$setting $v is accepted" sh -c "echo $v > $class/partitions/1/$setting && grep -qx $v $class/partitions/1/$setting"
	done
done
check "they leave coalesce as it is" is "$(cat $class/partitions/1/coalesce)" 1
check "timeout of 2 s is refused" refused put 2000000000 $class/partitions/1/flush_timeout_ns
check "an endpoint at a PCI address without a device is refused" refused put "0000:00:1e.7 0" $class/partitions/0/endpoint
check "an endpoint BAR that does not exist is refused" refused put "0000:00:08.0 3" $class/partitions/0/endpoint
check "a memory address is refused as an endpoint" refused put "0x80000000" $class/partitions/0/endpoint
check "the card itself is refused as an endpoint" refused put "$pci 2" $class/partitions/0/endpoint
check "four endpoints are accepted" name_endpoints
check "the endpoint reads back" is "$(cat $class/partitions/0/endpoint)" "0000:00:08.0 0"
check "endpoint memory is 64 MiB" is "$(cat $class/partitions/0/endpoint_bytes)" 67108864
check "the pool is accepted as an endpoint" put pool $class/partitions/4/endpoint
# x86: a page is mapped with the memory type reserved for its range, regardless of the type that the mapping requests.
memtypes=/sys/kernel/debug/x86/pat_memtype_list
aperture_type() { sed -n "s/.*mem $(sed -n '3s/ .*//p' /sys/bus/pci/devices/$pci/resource)-[^ ]* //p" $memtypes; }
if [ -e $memtypes ]; then
	check "windows are write-combining" is "$(aperture_type)" write-combining
fi
check "counters start at 0" is "$(cat $class/partitions/0/counters/stores)" 0

tap ioctl /bin/kmod-ioctl-test /dev/gpulink0
if [ -e /bin/kmod-ioctl-test-32 ]; then
	tap "ioctl from 32 bits" /bin/kmod-ioctl-test-32 /dev/gpulink0
fi
tap mapping /bin/mapping-test /dev/gpulink0 $class
tap packing packing-test /dev/gpulink0 $class
check "traffic through windows and ring, read back" traffic /dev/gpulink0 2 ok
check "stores were counted" test "$(cat $class/partitions/0/counters/stores)" -gt 0
check "rmmod removes the device node" sh -c "rmmod gpulink && ! test -e /dev/gpulink0"
if [ -e $memtypes ]; then
	check "rmmod releases the memory type" is "$(aperture_type)" ""
fi
check "modprobe brings the device node back" sh -c "modprobe gpulink && test -c /dev/gpulink0"
check "packing and compact are 1 again" is "$(cat $class/partitions/1/packing $class/partitions/1/compact)" "1
1"
finish
