/* SPDX-License-Identifier: Apache-2.0 */
/* What the BPF programs share. */
#ifndef GPULINKCTL_TRACE_COMMON_BPF_H
#define GPULINKCTL_TRACE_COMMON_BPF_H

#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/usdt.bpf.h>

/* <stdint.h> of the C library does not support this target. */
typedef __u16 uint16_t;
typedef __u32 uint32_t;
typedef __s32 int32_t;
typedef __u64 uint64_t;

#include "shared.h"

/* What the programs read of the kernel's type; its layout comes from the running kernel's BTF (CO-RE). */
struct task_struct {
	struct task_struct *group_leader;
	__u64 start_time;
	char comm[WATCH_NAME_BYTES];
} __attribute__((preserve_access_index));

__u64 lost[WATCH_LOSSES];
const volatile __u32 only_pid; /* 0: all processes */

const volatile bool by_process;

static __always_inline void lose(enum watch_loss why)
{
	__sync_fetch_and_add(&lost[why], 1);
}

static __always_inline bool watched(void)
{
	return !only_pid || only_pid == bpf_get_current_pid_tgid() >> 32;
}

static __always_inline struct watch_id identify(__u32 kind)
{
	struct watch_id id = {.kind = kind};

	if (by_process) {
		id.start_ns = BPF_CORE_READ((struct task_struct *)bpf_get_current_task(), group_leader, start_time);
		id.pid = (__u32)(bpf_get_current_pid_tgid() >> 32);
	}
	return id;
}

#endif /* GPULINKCTL_TRACE_COMMON_BPF_H */
