#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In the guest, on the debug kernel: fuzz.sh [SECONDS [SEED]]. Runs the fuzzer, starting from the programs of
# tests/vm/guest/fuzz/corpus.
. /suite/lib.sh

# An oops must kill only the worker: the fuzzer then reports the program.
echo 0 >/proc/sys/kernel/panic_on_oops
fuzzed() {
	fuzz /dev/gpulink0 $class /dev/gpulink1 --seconds "${1:-20}" ${2:+--seed "$2"} --corpus /corpus --print-corpus >/tmp/fuzz.log 2>&1
	code=$?
	sed 's/^/# /' /tmp/fuzz.log >/dev/host
	is $code 0
}
check "local and remote endpoints assigned" name_endpoints_of_two
check "fuzzed for ${1:-20} s" fuzzed "$@"
check "traffic after it" traffic /dev/gpulink0 1 ok
finish
