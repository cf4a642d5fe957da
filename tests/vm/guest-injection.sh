#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In the guest, on the debug kernel: every call with every allocation and copy in it failing once.
. /guest-lib.sh

# Also where the allocator might sleep, one page as well as many, and without a word.
for f in failslab fail_page_alloc fail_usercopy; do
	for setting in "ignore-gfp-wait N" "ignore-gfp-highmem N" "min-order 0" "verbose 0"; do
		file=/sys/kernel/debug/$f/${setting% *}
		test ! -e "$file" || check "$f: $setting" put "${setting#* }" "$file"
	done
done
check "endpoints named" name_endpoints
tap injection /bin/injection-test /dev/gpulink0 $class $pci
check "traffic after it" traffic /dev/gpulink0 1 ok
finish
