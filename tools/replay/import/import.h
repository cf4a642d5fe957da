/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of other tools, made into the stream (docs/trace-import.md). Each reader fills the events or the stores of `struct
 * import`, refuses what it does not understand, and trusts nothing that it reads.
 *
 * Functions return 0 or the code of *error.
 */
#ifndef REPLAY_IMPORT_H
#define REPLAY_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../stream.h"

enum { IMPORT_RANGES_MAX = 256 };

/** Addresses that are in the memory of a GPU. */
struct import_range {
	uint64_t first, end;
	unsigned gpu;
};

/** What the command line says. Values. */
struct import_options {
	unsigned gpus;	 /**< 0: as the records say */
	unsigned source; /**< GPU whose accesses a record of one GPU has */
	unsigned ranges;
	struct import_range range[IMPORT_RANGES_MAX];
};

enum import_kind {
	IMPORT_COPY,	       /**< from `source` to `destination` */
	IMPORT_ALL_REDUCE,     /**< `bytes` at each GPU */
	IMPORT_BROADCAST,      /**< from `source` to all */
	IMPORT_REDUCE,	       /**< to `source` */
	IMPORT_ALL_GATHER,     /**< `bytes` of each GPU to all */
	IMPORT_REDUCE_SCATTER, /**< `bytes` for each GPU, from all */
	IMPORT_ALL_TO_ALL,     /**< `bytes` of each GPU, divided among all */
	IMPORT_KINDS
};

/** A transfer of whole buffers. */
struct import_event {
	uint64_t time_ps, bytes;
	enum import_kind kind;
	unsigned source, destination, group; /**< group: GPUs of a collective, from 0 */
};

struct import_events {
	struct import_event *event;
	size_t count, room;
	unsigned gpus;	/**< the highest number of a GPU, and 1 */
	size_t skipped; /**< records that transfer something in a way that is not known */
};

/** Adds an event, if it moves anything. -ENOMEM; -EINVAL: more than 64 GPUs, or more bytes than memory can have. */
int import_add(struct import_events *events, const struct import_event *event, struct failure *error);

/** The collective of a name: "allreduce", "all_reduce", "AllReduce". False: unknown. */
bool import_collective(const char *name, enum import_kind *kind);

/** Bytes of an element of this type: "Float", "c10::BFloat16", "long"; or of an ncclDataType_t. 0: unknown. */
unsigned import_type_bytes(const char *name);
unsigned import_nccl_type_bytes(unsigned type);

/** Sorts events by time, the first at 0, and pushes what they move: stores of lines, a copy, a barrier or release behind each.
 */
int import_push(struct import_events *events, struct replay_sink sink);

/** Reads FILE into events. */
int import_nsys(const char *path, struct import_events *events, struct failure *error);
int import_json(const char *path, struct import_events *events, struct failure *error);
int import_nccl(const char *path, struct import_events *events, struct failure *error);

/** Reads the accesses of warps, and pushes those to the memory of other GPUs. */
int import_nvbit(const char *path, const struct import_options *options, struct replay_sink sink, struct failure *error);
int import_accelsim(const char *path, const struct import_options *options, struct replay_sink sink, struct failure *error);

/** Converts IN to OUT. -ENOTSUP, without a message: IN is a trace, or nothing that is known here. */
int import_convert(const char *in, const char *out, const struct import_options *options, struct failure *error);

#endif /* REPLAY_IMPORT_H */
