// SPDX-License-Identifier: Apache-2.0
/* Passes each operation of the library to the reader. */
#include "common.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL"; /* helpers for tracing require a GPL-compatible license */

#define BUFFER_BYTES (1 << 24)

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, BUFFER_BYTES);
} records SEC(".maps");

static __always_inline void pass(struct pt_regs *ctx, enum watch_operation operation, bool range)
{
	struct watch_id id = identify(0);
	struct watch_record *record;
	long queue = 0, partition = 0, address = 0, bytes = 0;

	record = bpf_ringbuf_reserve(&records, sizeof(*record), 0);
	if (!record) {
		lose(WATCH_LOST_RECORD);
		return;
	}
	bpf_usdt_arg(ctx, 0, &queue);
	if (range) {
		bpf_usdt_arg(ctx, 1, &partition);
		bpf_usdt_arg(ctx, 2, &address);
		bpf_usdt_arg(ctx, 3, &bytes);
	}
	record->time_ns = bpf_ktime_get_ns();
	record->start_ns = id.start_ns;
	record->pid = id.pid;
	record->queue = queue;
	record->partition = partition;
	record->operation = operation;
	record->address = address;
	record->bytes = bytes;
	/* The reader looks ten times a second; waking it for each record would cost more than the record. */
	bpf_ringbuf_submit(record, bpf_ringbuf_query(&records, BPF_RB_AVAIL_DATA) > BUFFER_BYTES / 4 ? BPF_RB_FORCE_WAKEUP
												      : BPF_RB_NO_WAKEUP);
}

#define PASS(probe, operation, range)                 \
	SEC("usdt")                                   \
	int on_##probe(struct pt_regs *ctx)           \
	{                                             \
		if (watched())                        \
			pass(ctx, operation, range);  \
		return 0;                             \
	}

PASS(store, WATCH_STORE, true)
PASS(put, WATCH_STORE, true)
PASS(load, WATCH_LOAD, true)
PASS(get, WATCH_LOAD, true)
PASS(atomic, WATCH_ATOMIC, true)
PASS(release_begin, WATCH_OP_RELEASE, false)
PASS(release_post, WATCH_OP_RELEASE, false)
PASS(window_address, WATCH_OP_ADDRESS, false)
