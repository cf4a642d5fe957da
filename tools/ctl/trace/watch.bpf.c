// SPDX-License-Identifier: Apache-2.0
/* Counts operations by process, and how long calls take. The sums are made in the kernel: no event is passed to the reader. */
#include "common.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL"; /* helpers for tracing require a GPL-compatible license */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WATCH_PROCESSES);
	__type(key, struct watch_id);
	__type(value, struct watch_process);
} processes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, WATCH_PROCESSES * WATCH_KINDS);
	__type(key, struct watch_id);
	__type(value, struct watch_latency);
} latencies SEC(".maps");

/* When a thread's calls began. The kernel frees it with the thread. */
struct started {
	__u64 ns[WATCH_KINDS];
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct started);
} starts SEC(".maps");

/* New entries are copied from here: they are larger than a program's stack. */
static const struct watch_latency no_latency;

/* --- operations --- */

static __always_inline struct watch_process *find_process(void)
{
	struct watch_id id = identify(0);
	struct watch_process *process = bpf_map_lookup_elem(&processes, &id), new = {0};

	if (process)
		return process;
	BPF_CORE_READ_INTO(&new.name, (struct task_struct *)bpf_get_current_task(), group_leader, comm);
	new.cgroup = bpf_get_current_cgroup_id();
	bpf_map_update_elem(&processes, &id, &new, BPF_NOEXIST); /* another thread may have been first */
	return bpf_map_lookup_elem(&processes, &id);
}

/* Arguments of a probe: queue, partition, address, bytes. Those that are not used are not read. */
#define COUNT(probe, member)                                                       \
	SEC("usdt")                                                                \
	int on_##probe(void *ctx)                                                  \
	{                                                                          \
		struct watch_process *process = watched() ? find_process() : NULL; \
                                                                                   \
		if (process)                                                       \
			__sync_fetch_and_add(&process->member, 1);                 \
		else if (watched())                                                \
			lose(WATCH_LOST_PROCESS);                                  \
		return 0;                                                          \
	}
#define COUNT_BYTES(probe, member, bytes_member)                                   \
	SEC("usdt")                                                                \
	int on_##probe(struct pt_regs *ctx)                                        \
	{                                                                          \
		struct watch_process *process = watched() ? find_process() : NULL; \
		long bytes;                                                        \
                                                                                   \
		if (!process) {                                                    \
			if (watched())                                             \
				lose(WATCH_LOST_PROCESS);                          \
			return 0;                                                  \
		}                                                                  \
		__sync_fetch_and_add(&process->member, 1);                         \
		if (!bpf_usdt_arg(ctx, 3, &bytes))                                 \
			__sync_fetch_and_add(&process->bytes_member, bytes);       \
		return 0;                                                          \
	}

COUNT_BYTES(store, stores, store_bytes)
COUNT_BYTES(put, puts, put_bytes)
COUNT(load, loads)
COUNT(get, gets)
COUNT(atomic, atomics)
COUNT(failed, failed)

/* --- latencies --- */

static __always_inline __u32 octave_of(__u64 value)
{
	__u32 octave = 0;

#pragma unroll
	for (int shift = 32; shift; shift >>= 1) {
		if (value >> shift) {
			value >>= shift;
			octave += shift;
		}
	}
	return octave;
}

/* histogram_low() is the reverse. */
static __always_inline __u32 watch_slot_of(__u64 ns)
{
	__u32 octave = octave_of(ns);

	if (octave < WATCH_SLOT_BITS)
		return (__u32)ns;
	if (octave >= WATCH_OCTAVES_MAX)
		return WATCH_SLOTS - 1;
	return (octave - WATCH_SLOT_BITS + 1) << WATCH_SLOT_BITS |
	       (__u32)(ns >> (octave - WATCH_SLOT_BITS) & ((1 << WATCH_SLOT_BITS) - 1));
}

static __always_inline void add_latency(enum watch_kind kind, __u64 ns, bool failed)
{
	struct watch_id id = identify(kind);
	struct watch_latency *latency = bpf_map_lookup_elem(&latencies, &id);
	__u32 slot = watch_slot_of(ns);
	__u64 most;

	if (!latency) {
		bpf_map_update_elem(&latencies, &id, &no_latency, BPF_NOEXIST);
		latency = bpf_map_lookup_elem(&latencies, &id);
	}
	if (!latency || (by_process && !find_process())) {
		lose(WATCH_LOST_PROCESS);
		return;
	}
	__sync_fetch_and_add(&latency->count, 1);
	__sync_fetch_and_add(&latency->failed, failed);
	__sync_fetch_and_add(&latency->sum_ns, ns);
	if (slot < WATCH_SLOTS)
		__sync_fetch_and_add(&latency->slots[slot], 1);
	most = latency->max_ns;
	for (int tries = 0; tries < 8 && ns > most; tries++) {
		__u64 seen = __sync_val_compare_and_swap(&latency->max_ns, most, ns);

		if (seen == most)
			break;
		most = seen;
	}
}

static __always_inline void trace_watch_begin(enum watch_kind kind)
{
	struct started *started =
		bpf_task_storage_get(&starts, bpf_get_current_task_btf(), NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (started)
		started->ns[kind] = bpf_ktime_get_ns();
	else
		lose(WATCH_LOST_START);
}

/* A call that began before the probes were attached is not counted. */
static __always_inline void end(enum watch_kind kind, bool failed)
{
	struct started *started = bpf_task_storage_get(&starts, bpf_get_current_task_btf(), NULL, 0);
	__u64 begun = started ? started->ns[kind] : 0;

	if (!begun)
		return;
	started->ns[kind] = 0;
	add_latency(kind, bpf_ktime_get_ns() - begun, failed);
}

SEC("usdt")
int on_release_begin(void *ctx)
{
	if (watched())
		trace_watch_begin(WATCH_RELEASE);
	return 0;
}

SEC("usdt")
int BPF_USDT(on_release_end, void *queue, int result)
{
	if (watched())
		end(WATCH_RELEASE, result < 0);
	return 0;
}

SEC("usdt")
int on_wait_begin(void *ctx)
{
	if (watched())
		trace_watch_begin(WATCH_WAIT);
	return 0;
}

SEC("usdt")
int BPF_USDT(on_wait_end, void *queue, int result)
{
	if (watched())
		end(WATCH_WAIT, result < 0);
	return 0;
}

SEC("tracepoint/gpulink/gpulink_release_end")
int on_driver_release(struct watch_tp_release_end *event)
{
	if (watched())
		add_latency(WATCH_RELEASE_DRIVER, event->ns, event->result != 0);
	return 0;
}

SEC("tracepoint/gpulink/gpulink_drain")
int on_drain(struct watch_tp_drain *event)
{
	if (watched())
		add_latency(WATCH_DRAIN, event->ns, event->result != 0);
	return 0;
}
