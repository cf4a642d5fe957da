/* SPDX-License-Identifier: Apache-2.0 */
/* Loads from and atomics on other processes' memory, and their answers. Under the device's lock. */
#ifndef GLK_UCX_REQUEST_H
#define GLK_UCX_REQUEST_H

#include "ucx.h"

/* Who asks. `done` is called once, with a status of the card, unless the request is cancelled. */
struct ucx_asker {
	void (*done)(void *owner, uint64_t place, uint32_t status);
	void *owner;
	uint64_t place;
};

struct ucx_atomic {
	uint32_t operation, bytes;
	uint64_t operand, compare;
};

/* Whether a request may be sent now. Always, if the process is lost. */
bool glk_request_has_room(const struct ucx *u, uint32_t process);

/* Loads up to GLK_LOAD_MAX bytes to `to`. Returns a status: not GLK_ST_OK: it will not be done. */
uint32_t glk_request_load(struct ucx *u, uint32_t process, uint64_t offset, void *to, size_t bytes,
			  const struct ucx_asker *asker);
/* `to`: where the old value goes, or NULL. */
uint32_t glk_request_atomic(struct ucx *u, uint32_t process, uint64_t offset, const struct ucx_atomic *atomic, void *to,
			    const struct ucx_asker *asker);

/* With routing: what the process passes on for this one. */
uint32_t glk_request_release(struct ucx *u, uint32_t process, const struct ucx_asker *asker);

/* The body of an answer. Returns whether it is one. */
bool glk_request_answer(struct ucx *u, uint32_t process, const uint8_t *body, size_t bytes);

/* Those to lost processes are done. */
void glk_requests_fail(struct ucx *u);
/* Those of an owner are not any more. */
void glk_requests_cancel(struct ucx *u, const void *owner);
/* Their results are not written to this memory. */
void glk_requests_discard(struct ucx *u, const uint8_t *memory, uint64_t bytes);

#endif /* GLK_UCX_REQUEST_H */
