/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses with a time, to endpoints on pool memory with leases. Internal to the model. */
#ifndef GLK_TIMED_H
#define GLK_TIMED_H

#include "window/endpoint.h"

/* Bytes of the line at an offset of the endpoint, which holds it; 0: the endpoint is not on pool memory with leases. */
uint64_t glk_endpoint_line_bytes(const struct glk_endpoints *endpoints, unsigned partition, uint64_t offset);

/* As glk_pool_lease() and glk_pool_write_timed(). False: the time is refused, and nothing has changed. */
bool glk_timed_read(struct glk_endpoints *endpoints, unsigned partition, uint64_t offset, uint64_t time, uint64_t wts,
		    struct glk_lease *lease, bool *same);
bool glk_timed_write(struct glk_endpoints *endpoints, unsigned partition, uint64_t offset, uint64_t time, const void *data,
		     size_t len, struct glk_lease *lease);
/* An atomic of 4 or 8 bytes. *written: it was more than a read. */
bool glk_timed_update(struct glk_endpoints *endpoints, unsigned partition, uint64_t offset, size_t len,
		      const struct glk_update *update, uint64_t time, uint64_t *old, bool *written, struct glk_lease *lease);

#endif /* GLK_TIMED_H */
