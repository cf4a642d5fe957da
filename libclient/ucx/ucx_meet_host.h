/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GLK_UCX_MEET_HOST_H
#define GLK_UCX_MEET_HOST_H

#include <netdb.h>

#include "ucx_meet.h"

/* Process 0's part of glk_meet_tcp(): listens at an address of the list until all have come, and gives all to each. */
int glk_meet_host(const struct glk_ucx_options *options, const struct addrinfo *list, const struct glk_meet_item *own,
		  struct glk_meet_item *items, uint64_t deadline);

#endif /* GLK_UCX_MEET_HOST_H */
