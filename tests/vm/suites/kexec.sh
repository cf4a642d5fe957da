#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In the guest: another kernel takes this one's place while traffic flows. It must find a card that was quiet since.
# The new kernel's initramfs is this one's, so this script runs in both.
. /suite/lib.sh

counter() { cat $class/counters/$1; }

if ! grep -q second /proc/cmdline; then
	check "endpoints named" name_endpoints
	check "traffic before" traffic /dev/gpulink0 1 ok
	errors=$(counter err_dma)
	(cd / && find . -xdev ! -path './tmp/*' | cpio -o -H newc) >/tmp/initrd 2>/dev/null
	check "traffic flows" begin flowing traffic /dev/gpulink0 60 ok
	kexec /vmlinuz /tmp/initrd "$(cat /proc/cmdline) second=$number,$errors"
	check "another kernel is started" false
	finish
fi
second=$(sed 's/.*second=//; s/ .*//' /proc/cmdline)
number=${second%,*}
check "another kernel was started, and has the card" test -c /dev/gpulink0
check "nothing kept the card from memory meanwhile, as it asked for none" is "$(counter err_dma)" "${second#*,}"
check "endpoints named" name_endpoints
check "traffic" traffic /dev/gpulink0 1 ok
finish
