/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leases on lines of the other card's pool, and writes with a time to them: the other card keeps the times. Each is behind all
 * stores posted to the partition. All return GLK_ST_...; not_pool also if the other card has no leases. Internal to the model.
 */
#ifndef GLK_REMOTE_LEASE_H
#define GLK_REMOTE_LEASE_H

#include "remote/remote.h"

/* A lease on a line of `length` bytes, and its bytes unless *same. status length: it is not as long. */
unsigned glk_remote_lease_read(struct glk_remote *remote, unsigned partition, uint64_t offset, unsigned length, uint64_t time,
			       uint64_t wts, uint8_t *data, struct glk_lease *lease, bool *same);
/* The lease alone. status alignment: no line begins there. */
unsigned glk_remote_lease_renew(struct glk_remote *remote, unsigned partition, uint64_t offset, uint64_t time, uint64_t wts,
				struct glk_lease *lease, bool *same);
/* The other card's clock. */
unsigned glk_remote_clock(struct glk_remote *remote, unsigned partition, uint64_t offset, uint64_t *clock);
/* Writes up to a page, in blocks of 64 bytes, each at its own time; *lease is the last one's. */
unsigned glk_remote_timed_write(struct glk_remote *remote, unsigned partition, uint64_t offset, uint64_t time,
				const uint8_t *data, size_t length, struct glk_lease *lease);
unsigned glk_remote_timed_update(struct glk_remote *remote, unsigned partition, uint64_t offset, size_t length,
				 const struct glk_update *update, uint64_t time, uint64_t *old, struct glk_lease *lease);

/* The responses. Return false if nothing waits for them. */
bool glk_remote_on_lease_response(struct glk_remote *remote, const struct glk_link_header *header, const uint8_t *body,
				  size_t bytes);
bool glk_remote_on_timed_response(struct glk_remote *remote, const struct glk_link_header *header, const uint8_t *body);
/* The session has ended: what is in progress has failed. */
void glk_remote_leases_fail(struct glk_remote *remote);

#endif /* GLK_REMOTE_LEASE_H */
