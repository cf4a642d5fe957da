/* SPDX-License-Identifier: Apache-2.0 */
/* Un-stitching: flits back into packets (docs/link-format.md, "Stitching"; NetCrafter 4.4). */
#ifndef GLK_UNSTITCH_H
#define GLK_UNSTITCH_H

#include "netcrafter/flit.h"

struct glk_unstitch;

/** Receives each packet, in order within its kind; `packet` is valid only during the call. `pieces`: the number of pieces that
 *  it arrived in, which are credits of the kind's class to return once it is processed. */
typedef void (*glk_unstitch_packet)(void *user, enum glk_kind kind, const uint8_t *packet, size_t length, unsigned pieces);

/** `flit_bytes`: as in the cluster queue. Returns 0, -EINVAL or -ENOMEM. */
int glk_unstitch_create(unsigned flit_bytes, glk_unstitch_packet packet, void *user, struct glk_unstitch **unstitch);
void glk_unstitch_destroy(struct glk_unstitch *unstitch);
/** Other kinds are protocol errors: those below `kinds` are defined, GLK_KIND_COUNT (as created) or GLK_KIND_ALL. */
void glk_unstitch_define(struct glk_unstitch *unstitch, unsigned kinds);
/** Discards incomplete packets; packet numbers restart at 0. */
void glk_unstitch_reset(struct glk_unstitch *unstitch);

/** Processes the next flit. Returns 0, or -EBADMSG on a protocol error, after which only reset is allowed. */
int glk_unstitch_flit(struct glk_unstitch *unstitch, const struct glk_flit *flit);

#endif /* GLK_UNSTITCH_H */
