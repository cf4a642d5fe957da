/* SPDX-License-Identifier: Apache-2.0 */
/* Leases that the other card asks for, and its writes with a time: checked, carried out and answered. Internal to the model. */
#ifndef GLK_SERVE_LEASE_H
#define GLK_SERVE_LEASE_H

#include "remote/serve.h"

/* Bits of `where` (docs/link-format.md, "Leases"). */
#define GLK_LEASE_GRAIN_SHIFT 48u
#define GLK_LEASE_WHAT_SHIFT  52u
#define GLK_TIMED_BYTES_SHIFT 48u
#define GLK_TIMED_WHAT_SHIFT  54u

enum glk_lease_what { GLK_LEASE_READ, GLK_LEASE_RENEW, GLK_LEASE_CLOCK, GLK_LEASE_WHATS };

/* Keeps a lease request; it is carried out when it can be answered. */
void glk_serve_lease(struct glk_request *request, const uint8_t *body);
/* Carries out a timed request. */
void glk_serve_timed(struct glk_serve *serve, struct glk_request *request, const uint8_t *body);
/* Queue the answers, whose tag is set. As glk_link_push(). */
int glk_serve_answer_lease(struct glk_serve *serve, const struct glk_request *request, struct glk_link_header *header);
int glk_serve_answer_timed(struct glk_serve *serve, const struct glk_request *request, struct glk_link_header *header);

#endif /* GLK_SERVE_LEASE_H */
