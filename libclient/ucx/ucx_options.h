/* SPDX-License-Identifier: Apache-2.0 */
/* What follows "ucx:" in a device's name. */
#ifndef GLK_UCX_OPTIONS_H
#define GLK_UCX_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#define GLK_UCX_PROCESSES_MAX 65536u /* partition numbers have 16 bits */

struct glk_ucx_options {
	bool by_launcher;	     /* neither rank nor processes: a launcher has them */
	uint64_t process, processes; /* else */
	char host[128], port[8];     /* of process 0 */
	uint64_t memory, payload;
	uint64_t timeout;	     /* seconds */
	bool caller;		     /* calls make progress, no thread */
};

/* 0 or EINVAL. */
int glk_ucx_options_parse(const char *text, struct glk_ucx_options *options);

#endif /* GLK_UCX_OPTIONS_H */
