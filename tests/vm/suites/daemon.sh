#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In the guest: gpulinkd and gpulinkctl with the real driver, without systemd and udevd. The daemon starts before the
# driver, detects the card, configures it, loses it, and configures it again.
. /suite/lib.sh

conf=/etc/gpulink/gpulinkd.conf
socket=/run/gpulink/gpulinkd.sock
mkdir -p /etc/gpulink /var/lib
cat >$conf <<CONF
[defaults]
policy = paper
subheader_bytes = 4
flush_timeout_ns = 5000
[card serial:$(cat $class/serial)]
max_payload_bytes = 512
[card gpulink0 partition 2]
endpoint = 0000:00:0A.0 0
policy = best
compact = 1
range mine = 1M 64K rw user=1000
range all = 0 all r group=2000
CONF
value() { cat "$class/partitions/$1"; }
holds() { is "$(value "$1")" "$2"; }
ctl() {
	wanted=$1
	shift
	gpulinkctl "$@"
	is $? "$wanted"
}
says() {
	text=$1
	shift
	"$@" 2>&1 | tee /tmp/says | grep -qF -e "$text" || { cat /tmp/says; return 1; }
}
configured() {
	wait_until 10 holds 0/subheader_bytes 4 && wait_until 10 holds 2/endpoint "0000:00:0a.0 0" &&
		holds 2/subheader_bytes 6 && wait_until 10 holds 2/ranges/all/bytes 67108864 && holds 2/ranges/mine/user 1000 && holds 0/max_payload_bytes 512 && holds 2/packing 1 && holds 2/compact 1 && holds 0/packing 0 && holds 5/flush_timeout_ns 5000
}

check "gpulinkctl reports a missing daemon" ctl 3 list
check "--direct works without a daemon" says "gpulink0" gpulinkctl --direct list
check "--direct changes a setting" ctl 0 --direct --partition 1 set-payload 256
check "the setting is in sysfs" holds 1/max_payload_bytes 256
check "the driver unloads" rmmod gpulink
gpulinkd 2>/tmp/gpulinkd.log &
daemon=$!
check "the daemon starts without a card and creates its socket's folder" wait_until 10 test -S $socket
check "info without a card exits with 4" ctl 4 info
check "the driver loads" modprobe gpulink
check "the daemon detects the card and configures it" configured
# monitored TEXT: `gpulinkctl monitor`, started here, shows it.
monitored() { wait_until 10 grep -qF -e "$1" $watched || { cat $watched; return 1; }; }
check "monitor watches the card" begin "watching 1 card" gpulinkctl monitor
monitor=$pid watched=$said
check "list" says "gpulink0  $pci" gpulinkctl list
check "info shows the serial number" says "$(cat $class/serial)" gpulinkctl info
# Columns from the end, because an endpoint has blanks.
last_columns() {
	is "$(gpulinkctl --partition "$1" partitions |
		awk 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = NF - i } { print $(NF - at["packing"]), $(NF - at["compact"]) }')" "$2"
}
check "partitions shows packing and the compact form" last_columns 2 "packing compact
1 1"
check "and where they are off" last_columns 3 "packing compact
0 0"
check "as JSON, too" sh -c "gpulinkctl -o json --partition 2 partitions | grep -q '\"compact\": *1'"
check "traffic through packing and the compact form" traffic /dev/gpulink0 1 ok 2
check "set-subheader 5" ctl 0 set-subheader 5
check "the width is in sysfs" holds 7/subheader_bytes 5
check "monitor shows the change" monitored " gpulink0 partition 7 subheader_bytes: 4 -> 5"
check "set-subheader 7 is refused" ctl 2 set-subheader 7
check "the message names the allowed values" says "subheader_bytes '7': must be 2 to 6" gpulinkctl set-subheader 7
check "the width is unchanged" holds 7/subheader_bytes 5
check "set-timeout" ctl 0 set-timeout 10us --partition 3
check "the timeout is in sysfs, in nanoseconds" holds 3/flush_timeout_ns 10000
check "set-packing" ctl 0 set-packing 1 --partition 3
check "packing is in sysfs" holds 3/packing 1
check "monitor shows that, too" monitored " gpulink0 partition 3 packing: 0 -> 1"
check "set-packing 2 is refused" says "packing '2': must be 0 or 1" gpulinkctl set-packing 2 --partition 3
check "set-format" ctl 0 set-format compact --partition 3
check "set-format without packing is refused" says "compact 1 has no effect while packing is 0" gpulinkctl set-format compact --partition 4
check "and exits with 2" ctl 2 set-format compact --partition 4
check "the form is in sysfs" holds 3/compact 1
check "set-format 1 is refused" says "format '1': must be subheader or compact" gpulinkctl set-format 1 --partition 3
check "set-keep was removed" says "command 'set-keep': removed" gpulinkctl set-keep 1 --partition 3
check "set-endpoint" ctl 0 set-endpoint 0 "0000:00:08.0 0"
check "the endpoint is in sysfs" holds 0/endpoint "0000:00:08.0 0"
check "monitor shows it" monitored " gpulink0 partition 0 endpoint: none -> 0000:00:08.0 0"
check "set-endpoint without a device at the address exits with 4" ctl 4 set-endpoint 0 "0000:00:1e.7 0"
check "set-endpoint with a missing BAR exits with 2" ctl 2 set-endpoint 0 "0000:00:08.0 3"
check "set-endpoint with the card itself exits with 2" ctl 2 set-endpoint 0 "$pci 2"
check "the endpoint is unchanged" holds 0/endpoint "0000:00:08.0 0"
check "add-range" ctl 0 add-range 0 some 4K 8K w user=1000 group=0
check "the range is in sysfs" is "$(cat $class/partitions/0/ranges/some/*)" "8192
0
4096
w
1000"
check "monitor shows it" monitored " gpulink0 partition 0 range some: 4096 8192 w user=1000 group=0"
check "add-range of an existing name exits with 1" ctl 1 add-range 0 some 4K 8K w user=1000
check "add-range beyond the endpoint exits with 2" ctl 2 add-range 0 x 64M 4K w user=1000
check "add-range of all bytes warns" says WARNING gpulinkctl add-range 0 whole 0 all w user=1000
check "ranges shows them" says "0          some" gpulinkctl ranges
check "monitor shows that range" monitored " gpulink0 partition 0 range whole: 0 67108864 w user=1000"
check "remove-range" ctl 0 remove-range 0 whole
check "monitor shows that it is gone" monitored " gpulink0 partition 0 range whole: removed"
check "the range is gone from sysfs" test ! -e $class/partitions/0/ranges/whole
check "remove-range of no range exits with 2" ctl 2 remove-range 0 whole
check "a range beside configured ones" ctl 0 add-range 2 more 4K 8K w user=1000
check "a partition out of range exits with 2" ctl 2 --partition 4000 set-subheader 5
gpulinkctl -o json partitions >/tmp/a
gpulinkctl -o json --direct partitions >/tmp/b
check "daemon and --direct show the same partitions" cmp /tmp/a /tmp/b
check "traffic" traffic /dev/gpulink0 1 ok
check "counters match sysfs" says "stores $(value 0/counters/stores)" sh -c "gpulinkctl counters --partition 0 | tr -s ' '"
generation=$(cat $class/generation)
check "reset" ctl 0 reset
check "reset increments the generation" is "$(cat $class/generation)" $((generation + 1))
check "monitor shows the new generation" monitored " gpulink0 generation: $generation -> $((generation + 1))"
check "reset keeps settings" holds 7/subheader_bytes 5
check "and packing" holds 3/packing 1
check "and the form" holds 3/compact 1
check "reset keeps endpoints" holds 0/endpoint "0000:00:08.0 0"
# A card without memory decoding does not answer those who wait for it: the driver declares it lost.
stop_decoding() { printf '\0\0' | dd of=/sys/bus/pci/devices/$pci/config bs=1 seek=4 count=2 2>/dev/null; }
lost() { is "$(cat $class/state)" lost; }
lose() { stop_decoding && wait_until 10 lost; }
check "the card is lost under traffic" under_traffic nodev lose
check "list shows it" says "  lost   unknown     16" gpulinkctl list
check "info shows it" says "state           lost" gpulinkctl info
check "counters fail" ctl 1 counters
check "and say why" says "gpulink0 is lost: it does not answer; a reset may recover it" gpulinkctl counters
check "monitor shows it" monitored " gpulink0 state: live -> lost"
check "doctor shows it" says "the card is lost: it does not answer the driver" gpulinkctl doctor
check "the daemon's log has it" wait_until 10 grep -q "gpulink0: lost: it does not answer" /tmp/gpulinkd.log
lived=$(grep -c "gpulink0 state: .* -> live" $watched)
check "a reset recovers it, with its memory decoding" ctl 0 reset
check "list shows that" says "  live   loopback    16" gpulinkctl list
lives() { [ "$(grep -c "gpulink0 state: .* -> live" $watched)" -gt "$lived" ]; }
check "and monitor" wait_until 10 lives
check "it keeps settings" holds 7/subheader_bytes 5
check "traffic after it" traffic /dev/gpulink0 1 ok
echo "[defaults]
subheader_bytes = 9" >/tmp/wrong
check "--check-config reports an invalid value with its line" sh -c "gpulinkd --check-config --config /tmp/wrong 2>&1 | grep -q 'wrong:2:.*must be 2 to 6'"
kill -HUP $daemon
check "SIGHUP applies the configuration again" configured
check "the log says who changed what" grep -q 'uid 0, pid [0-9]*: done: {"op":"set","card":"gpulink0","partition":3,"setting":"packing","value":1}' /tmp/gpulinkd.log
cp $conf /tmp/conf
printf '[daemon]\ngroup = 4711\n[card gpulink0 partition 4]\nendpoint = pool\nrange none = 0 4K rw user=nobody-has-this-name\nrange one = 4K 4K rw user=7\n' >>$conf
chgrp 4711 /dev/gpulink0
chmod 660 /dev/gpulink0
check "--reload with a user that does not exist" gpulinkd --reload
check "grants the other range" wait_until 10 holds 4/ranges/one/user 7
check "but not his" test ! -e $class/partitions/4/ranges/none
check "and says so" grep -q "partition 4: range none is not granted: user=nobody-has-this-name does not exist" /tmp/gpulinkd.log
check "a group that may open the card and change settings is warned of" grep -q "INSECURE: group 4711 may open /dev/gpulink0" /tmp/gpulinkd.log
echo "subheader_bytes = 9" >>$conf
check "--reload with an invalid line fails" refused gpulinkd --reload
cp /tmp/conf $conf
check "--reload of the previous configuration" gpulinkd --reload
check "the endpoint as before" ctl 0 set-endpoint 4 none
check "SIGHUP removes ranges that are not configured" wait_until 10 test ! -e $class/partitions/2/ranges/more
check "SIGHUP keeps ranges of partitions that are not configured" holds 0/ranges/some/offset 4096
check "SIGHUP keeps settings that are not configured" holds 0/endpoint "0000:00:08.0 0"
check "the driver unloads while the daemon runs" rmmod gpulink
check "the daemon keeps running" ctl 4 info
check "monitor shows the removal" monitored " gpulink0 card: removed"
check "the driver loads again" modprobe gpulink
check "the daemon configures the card again" configured
check "monitor shows the card" monitored " gpulink0 card: added"
kill $monitor
wait $monitor
check "SIGTERM ends monitor with 0" is $? 0
# Loading logic. The images are made by fpga/emu/make-image (tests/vm/run-suite).
images=/images
partitions_are() { is "$(ls $class/partitions | wc -l)" "$1"; }
stored() { cmp /var/lib/gpulink/$pci.xclbin "$images/$1"; }
bad_images() {
	for size in 0 1 455 456 500 600 700 1000 2000; do
		head -c $size $images/eight >/tmp/cut
		ctl 2 program /tmp/cut $images/sixteen || return 1
	done
	says "truncated: 1000 bytes of" gpulinkctl program /tmp/cut.1000 $images/sixteen || return 1
	says "no xclbin2 container" gpulinkctl program /bin/busybox $images/sixteen &&
		says "must be a file of 1 byte" gpulinkctl program /dev/null $images/sixteen &&
		says "for another part, gpulink:xcvu9p:card:1.0" gpulinkctl program $images/part $images/sixteen &&
		says "platform 'xilinx:u250:1.0': must be" gpulinkctl program $images/platform $images/sixteen &&
		says "logic of version 2.0.0: must be of the major version" gpulinkctl program $images/version $images/sixteen &&
		says "the previous image: for another part" gpulinkctl program $images/eight $images/part &&
		says "no image to put back" gpulinkctl program $images/eight
}
head -c 1000 $images/eight >/tmp/cut.1000
check "an endpoint for traffic" ctl 0 set-endpoint 0 "0000:00:08.0 0"
generation=$(cat $class/generation)
check "images that are cut, foreign, of another part or version are refused under traffic" under_traffic ok bad_images
check "the card was not reset" is "$(cat $class/generation)" "$generation"
check "nothing is stored" test ! -e /var/lib/gpulink/$pci.xclbin
check "program loads logic without packing" says "gpulink0: new logic" gpulinkctl program $images/plain $images/sixteen
check "the card has no file for packing" test ! -e $class/partitions/0/packing
check "and none for the compact form" test ! -e $class/partitions/0/compact
check "the card accepted all that the driver wrote" is "$(cat $class/counters/err_config)" 0
check "the daemon reports what cannot be configured" wait_until 10 grep -q "partition 2: compact 1: operation not supported" /tmp/gpulinkd.log
check "but not what a policy has" refused grep -q "packing [01]: operation not supported" /tmp/gpulinkd.log
check "set-policy leaves it out, too" says "subheader_bytes is now 5 on partition 3" gpulinkctl set-policy paper --partition 3
check "set-packing is refused" ctl 1 set-packing 1
check "set-format is refused" ctl 1 set-format compact
check "program loads logic with 8 partitions" says "gpulink0: new logic, version 1.0.0, 8 partitions of 64 entries" gpulinkctl program $images/eight $images/sixteen
check "the driver has 8 partitions" partitions_are 8
check "the daemon configures the card again" configured
check "traffic through the new logic" traffic /dev/gpulink0 1 ok 2
check "the image is stored" stored eight
check "logic that does not answer is replaced by the previous one" says "the driver rejects it (see the kernel log); the previous logic is back in gpulink0" gpulinkctl program $images/dead
check "the driver has 8 partitions again" partitions_are 8
check "a bitstream that the card does not accept" says "the part does not accept its bitstream; the previous logic is back in gpulink0" gpulinkctl program $images/wrong
check "a bitstream that ends early" says "the part does not accept its bitstream; the previous logic is back in gpulink0" gpulinkctl program $images/early
check "the daemon configures the card again" configured
check "traffic through the previous logic" traffic /dev/gpulink0 1 ok 2
check "the stored image is unchanged" stored eight
if [ -e $images/rtl ]; then
	check "program loads the Verilog" says "16 partitions of 64 entries" gpulinkctl program $images/rtl
	check "the daemon configures the card again" configured
	check "traffic through the Verilog" traffic /dev/gpulink0 1 ok 2
fi
check "an endpoint for traffic" ctl 0 set-endpoint 0 "0000:00:08.0 0"
check "programs that use the card lose it" under_traffic nodev gpulinkctl program $images/sixteen
class=$(echo /sys/class/gpulink/gpulink*)
check "the driver has 16 partitions" partitions_are 16
put "0000:00:08.0 0" $class/partitions/0/endpoint
check "traffic through the model" traffic "/dev/${class##*/}" 1 ok
if [ -e /icd ]; then
	mkdir -p /tmp/vendors
	echo /icd/libgpulink-icd.so >/tmp/vendors/gpulink.icd
	OCL_ICD_VENDORS=/tmp/vendors tap "OpenCL" icd-test $images/eight $images/part
	check "the driver has 8 partitions" partitions_are 8
	check "program by gpulinkctl after it" says "16 partitions" gpulinkctl program $images/sixteen
fi
if [ -e $images/signed ]; then
	cp $conf /tmp/conf
	printf "[daemon]\nlogic_certificate = $images/certificate\n" >>$conf
	reloads=$(grep -c "configuration reloaded" /tmp/gpulinkd.log)
	kill -HUP $daemon
	reloaded() { [ "$(grep -c "configuration reloaded" /tmp/gpulinkd.log)" -gt "$reloads" ]; }
	check "the daemon reads a configuration that demands signatures" wait_until 5 reloaded
	check "an image that is not signed is refused" says "the image: not signed; the configuration demands" gpulinkctl program $images/eight
	check "the driver still has 16 partitions" partitions_are 16
	check "a signed image is loaded" says "4 partitions" gpulinkctl program $images/signed
	cp /tmp/conf $conf
	kill -HUP $daemon
fi
# A load that does not end: the bitstream is cut, and the daemon dies while it waits for the rest.
interrupt_load() {
	gpulinkctl program $images/early &
	wait_until 5 test ! -e /sys/bus/pci/devices/$pci/driver || return 1
	sleep 0.2
	kill -9 $daemon
	wait
	[ ! -e /sys/bus/pci/devices/$pci/driver ] && [ -e /var/lib/gpulink/$pci.xclbin.new ]
}
partitions=$(ls $class/partitions | wc -l)
check "a load is interrupted" interrupt_load
check "the card has no logic" refused put "$pci" /sys/bus/pci/drivers/gpulink/bind
gpulinkd 2>/tmp/gpulinkd.log &
daemon=$!
check "the daemon loads the previous logic when it starts" wait_until 10 grep -q "$pci: an interrupted load left the card without logic: the previous logic is loaded" /tmp/gpulinkd.log
class=$(echo /sys/class/gpulink/gpulink*)
check "the driver has it" partitions_are "$partitions"
check "nothing is left of the load" test ! -e /var/lib/gpulink/$pci.xclbin.new
check "program without the daemon" says "8 partitions" gpulinkctl --direct program $images/eight
class=/sys/class/gpulink/gpulink0
kill $daemon
wait $daemon
check "the daemon exits with 0" is $? 0
check "its socket is removed" test ! -e $socket
sed 's/^/# gpulinkd: /' /tmp/gpulinkd.log
finish
