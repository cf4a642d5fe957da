/* SPDX-License-Identifier: Apache-2.0 */
/* What follows "ucx:" in a device's name. */
#ifndef GLK_UCX_OPTIONS_H
#define GLK_UCX_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#define GLK_UCX_PROCESSES_MAX 65536u
#define GLK_UCX_DIRECT_MAX    1024u /* processes: lanes of 13 MB for each queue */

struct glk_ucx_options {
	bool by_launcher;	     /* neither rank nor processes: a launcher has them */
	uint64_t process, processes; /* else */
	char host[128], port[8];     /* of process 0 */
	uint64_t memory, payload;
	uint64_t timeout;	     /* seconds */
	bool caller;		     /* calls make progress, no thread */
	enum { GLK_ROUTE_AUTO, GLK_ROUTE_OFF, GLK_ROUTE_ON } route;
};

/* Whether stores take two hops: by default where lanes to all processes would take too much memory. */
static inline bool glk_ucx_routes(const struct glk_ucx_options *options, uint64_t processes)
{
	return options->route == GLK_ROUTE_ON || (options->route == GLK_ROUTE_AUTO && processes > GLK_UCX_DIRECT_MAX);
}

/* 0 or EINVAL. */
int glk_ucx_options_parse(const char *text, struct glk_ucx_options *options);

#endif /* GLK_UCX_OPTIONS_H */
