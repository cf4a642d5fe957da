# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced: runs OpenSHMEM programs. $library: libgpulink-shmem.

shmem_found() {
	command -v oshrun >/dev/null
}

# shmem_run PES MODE [VAR=VALUE...] -- PROGRAM ARGUMENT...: MODE is off (no library), or GPULINK_SHMEM. $shmem_limit: seconds.
# Open MPI: as root and on fewer cores than PEs. The oshmem of 4.1.4 crashes in finalize with osc/rdma, and reads freed memory there over tcp
# (MALLOC_PERTURB_, which meson sets). Its heap is in AddressSanitizer's shadow by default.
shmem_run() {
	local pes=$1 mode=$2 options=()
	shift 2
	[ "$mode" = off ] || options=(-x "LD_PRELOAD=$library" -x "GPULINK_SHMEM=$mode" -x GPULINK_SHMEM_STATS=1)
	while [ "$1" != -- ]; do
		options+=(-x "$1")
		shift
	done
	shift
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
		MALLOC_PERTURB_=0 ASAN_OPTIONS=detect_leaks=0:replace_intrin=0 OMPI_MCA_sshmem_base_start_address=0x200000000000 timeout "${shmem_limit:-60}" oshrun --oversubscribe --mca osc ^rdma ${shmem_more:-} \
		"${options[@]}" -n "$pes" "$@"
}
