/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of docs/protocol.md, once their members have been checked. */
#ifndef GPULINKD_OPERATIONS_H
#define GPULINKD_OPERATIONS_H

#include "../../common/failure.h"
#include "requests.h"

#include <gpulink_admin.h>

#include <limits.h>
#include <stdbool.h>

struct json_object;
struct program_files;

#define ALL_PARTITIONS UINT_MAX

/* A request being run. */
struct run {
	const char *card;
	unsigned partition; /* or ALL_PARTITIONS */
	uint64_t asked;	    /* the partition as in the request, which may exceed all */
	unsigned setting; /* enum gpulink_setting, or of set_link enum gpulink_link_setting */
	uint64_t value;
	char endpoint[72];
	struct gpulink_admin_range range;

	enum request_right right;
	const struct program_files *files; /* of the request, or NULL */
	struct gpulink_admin_info info;
	unsigned first, end; /* its partitions */

	struct json_object *result; /* NULL: failed */
	struct json_object *warnings; /* strings for the result, or NULL */
	struct failure failure;
};

/** Sets code and message of a failed request, printf-like. Returns false. */
bool operation_fail(struct run *run, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/** Adds a line to the result's member "warnings", printf-like. False: out of memory. */
bool operation_warn(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Whether the client may load logic; fails the request if not. */
bool operation_may_program(struct run *run);

/** Each fills in run->result, or fails. */
bool operation_list(struct run *run);
bool operation_info(struct run *run);
bool operation_partitions(struct run *run);
bool operation_counters(struct run *run);
bool operation_set(struct run *run);
bool operation_set_endpoint(struct run *run);
bool operation_ranges(struct run *run);
bool operation_add_range(struct run *run);
bool operation_remove_range(struct run *run);
bool operation_reset(struct run *run);
bool operation_program(struct run *run);
bool operation_reload(struct run *run);
bool operation_link(struct run *run);
bool operation_card_counters(struct run *run);
bool operation_link_counters(struct run *run);
bool operation_set_link(struct run *run);
bool operation_pool(struct run *run);
bool operation_pool_counters(struct run *run);

#endif /* GPULINKD_OPERATIONS_H */
