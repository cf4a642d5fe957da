#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In a Debian guest with the packages installed, under systemd: only the test itself comes from a build folder.
set -u
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
. /gpulink-test/suite/lib.sh

says() {
	text=$1
	shift
	"$@" 2>&1 | tee /tmp/says | grep -qF -e "$text" || { cat /tmp/says; return 1; }
}
# as_user GROUPS COMMAND...: runs a command as user nobody.
as_user() {
	groups=$1
	shift
	setpriv --reuid nobody --regid nogroup --groups "$groups" "$@"
}
journal_is_quiet() { [ -z "$(journalctl -q -b -p warning _SYSTEMD_UNIT=gpulinkd.service | tee /tmp/check.journal)" ] || { cat /tmp/check.journal; return 1; }; }

check "udev loaded the module" wait_until 20 test -e /sys/module/gpulink
check "the module is the one that DKMS built" says "/updates/dkms/gpulink.ko" modinfo -F filename gpulink
check "the device node exists" wait_until 20 test -c /dev/gpulink0
check "udev gave it to group gpulink" wait_until 20 says "660 root gpulink" stat -c '%a %U %G' /dev/gpulink0
check "gpulinkd runs" wait_until 20 systemctl is-active --quiet gpulinkd
check "its socket answers" says "gpulink0" gpulinkctl list
check "set-endpoint through gpulinkd" gpulinkctl set-endpoint 0 "0000:00:08.0 0"
check "set-subheader through gpulinkd" gpulinkctl set-subheader 4
check "the width is in sysfs" is "$(cat $class/partitions/3/subheader_bytes)" 4
check "the socket is that of gpulink-admin" says "660 root gpulink-admin" stat -c '%a %U %G' /run/gpulink/gpulinkd.sock
check "a member of gpulink-admin may change settings" as_user gpulink-admin gpulinkctl set-subheader 5
check "the width is in sysfs" is "$(cat $class/partitions/3/subheader_bytes)" 5
check "who may use the card may not" refused as_user gpulink gpulinkctl set-subheader 4
check "without a range a member of the group cannot use the endpoint" refused as_user gpulink /gpulink-app /dev/gpulink0
check "a range for the group" put "app 0 1048576 - $(getent group gpulink | cut -d: -f3) rw" $class/partitions/0/ranges/add
check "a member of the group can use the card" as_user gpulink /gpulink-app /dev/gpulink0
check "the stores are counted" test "$(cat $class/partitions/0/counters/stores)" -gt 0
check "another user cannot" refused as_user nogroup /gpulink-app /dev/gpulink0
# completes PROGRAM WORD TO: what bash offers for the word, with the installed file.
completes() {
	is "$(bash -c ". /usr/share/bash-completion/completions/$1.bash; COMP_WORDS=($1 $2) COMP_CWORD=1; _$1; echo \${COMPREPLY[*]}")" "$3"
}
check "bash completes commands of gpulinkctl" completes gpulinkctl set-sub set-subheader
check "bash completes options of gpulinkd" completes gpulinkd --check --check-config
check "zsh has the completions of all seven programs" is "$(ls /usr/share/zsh/vendor-completions | grep -c '^_gpulink')" 7
check "gpulinkd reloads" systemctl reload gpulinkd
check "gpulinkd restarts" systemctl restart gpulinkd
check "gpulinkd answers again" wait_until 20 says "gpulink0" gpulinkctl list
check "its journal has no warnings" journal_is_quiet
check "its journal says who changed what" sh -c "journalctl -q -b _SYSTEMD_UNIT=gpulinkd.service | grep -q 'uid 65534, pid [0-9]*: done: .*subheader_bytes'"
mkdir -p /etc/gpulink/conf.d
# reload_fails TEXT LINE...: a reload with these lines fails, and says TEXT.
reload_fails() {
	text=$1
	shift
	printf '%s\n' "$@" >/etc/gpulink/conf.d/test.conf
	refused systemctl reload gpulinkd && says "$text" journalctl -q -b -n 20 -u gpulinkd
}
check "a reload with an invalid line fails" reload_fails "subheader_bytes '9': must be" "[defaults]" "subheader_bytes = 9"
check "a reload with a user that does not exist fails" reload_fails "user=nobody-has-this-name does not exist" "[card gpulink0 partition 5]" \
	"range x = 0 4K rw user=nobody-has-this-name"
check "gpulinkd starts with it" systemctl restart gpulinkd
check "and says that the range is not granted" wait_until 20 says "range x is not granted: user=nobody-has-this-name" journalctl -q -b -u gpulinkd
check "a reload with the group of users fails" reload_fails "group 'gpulink': must not be gpulink" "[daemon]" "group = gpulink"
check "gpulinkd does not start with it" refused systemctl restart gpulinkd
rm /etc/gpulink/conf.d/test.conf
check "gpulinkd starts without it" sh -c "systemctl reset-failed gpulinkd && systemctl restart gpulinkd"
check "gpulinkd answers" wait_until 20 says "gpulink0" gpulinkctl list
check "the module unloads" modprobe -r gpulink
check "the module loads again" modprobe gpulink
check "udev gives the device node to the group again" wait_until 20 says "660 root gpulink" stat -c '%a %U %G' /dev/gpulink0
check "no unit has failed" is "$(systemctl list-units --failed --no-legend | grep -c gpulink)" 0
finish
