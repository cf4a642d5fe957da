#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In the guest, on the debug kernel: fault injection, each allocation and user copy of every call failing once.
. /suite/lib.sh

# Also fail allocations that may sleep, and allocations of any order; without log messages.
for f in failslab fail_page_alloc fail_usercopy; do
	for setting in "ignore-gfp-wait N" "ignore-gfp-highmem N" "min-order 0" "verbose 0"; do
		file=/sys/kernel/debug/$f/${setting% *}
		test ! -e "$file" || check "$f: $setting" put "${setting#* }" "$file"
	done
done
# If creating an interrupt's /proc files fails, the kernel continues, and later warns when it cannot find them to remove. That
# is a kernel issue, so all slab caches except the one for /proc entries fail.
for cache in /sys/kernel/slab/*/failslab; do
	case $cache in
	*/proc_dir_entry/*) ;;
	*) echo 1 > "$cache" 2> /dev/null || : ;; # aliases of merged caches refuse
	esac
done
check "failslab: cache-filter Y" put Y /sys/kernel/debug/failslab/cache-filter
check "local and remote endpoints assigned" name_endpoints_of_two
tap injection /bin/injection-test /dev/gpulink0 $class $pci
check "traffic after it" traffic /dev/gpulink0 1 ok
finish
