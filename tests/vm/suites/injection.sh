#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In the guest, on the debug kernel: every call with every allocation and copy in it failing once.
. /suite/lib.sh

# Also where the allocator might sleep, one page as well as many, and without a word.
for f in failslab fail_page_alloc fail_usercopy; do
	for setting in "ignore-gfp-wait N" "ignore-gfp-highmem N" "min-order 0" "verbose 0"; do
		file=/sys/kernel/debug/$f/${setting% *}
		test ! -e "$file" || check "$f: $setting" put "${setting#* }" "$file"
	done
done
# When there is no memory for an interrupt's files in /proc, the kernel goes on without, and warns when it cannot find them to
# remove: that is its own. So all slab caches fail but the one for such files.
for cache in /sys/kernel/slab/*/failslab; do
	case $cache in
	*/proc_dir_entry/*) ;;
	*) echo 1 > "$cache" 2> /dev/null || : ;; # caches that are one by several names refuse
	esac
done
check "failslab: cache-filter Y" put Y /sys/kernel/debug/failslab/cache-filter
check "endpoints named, before and beyond the link" name_endpoints_of_two
tap injection /bin/injection-test /dev/gpulink0 $class $pci
check "traffic after it" traffic /dev/gpulink0 1 ok
finish
