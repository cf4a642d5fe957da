#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In the guest: kexec under traffic. The new kernel must find a card that has made no DMA since. It uses the same initramfs, so
# this script runs in both kernels.
. /suite/lib.sh

counter() { cat $class/counters/$1; }

if ! grep -q second /proc/cmdline; then
	check "endpoints assigned" name_endpoints
	check "traffic before" traffic /dev/gpulink0 1 ok
	errors=$(counter err_dma)
	(cd / && find . -xdev ! -path './tmp/*' | cpio -o -H newc) >/tmp/initrd 2>/dev/null
	check "traffic is running" begin flowing traffic /dev/gpulink0 60 ok
	kexec /vmlinuz /tmp/initrd "$(cat /proc/cmdline) second=$number,$errors"
	check "kexec starts another kernel" false
	finish
fi
second=$(sed 's/.*second=//; s/ .*//' /proc/cmdline)
number=${second%,*}
check "the second kernel has the card" test -c /dev/gpulink0
check "the card had no DMA error meanwhile: it accessed no memory" is "$(counter err_dma)" "${second#*,}"
check "endpoints assigned" name_endpoints
check "traffic" traffic /dev/gpulink0 1 ok
finish
