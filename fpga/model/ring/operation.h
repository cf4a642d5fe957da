/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of ring entries. Everything is checked before anything is moved. Internal to the model. */
#ifndef GLK_OPERATION_H
#define GLK_OPERATION_H

#include "ring/ring.h"

#define GLK_NOT_YET GLK_ST_COUNT

/* Carries out an entry. Returns GLK_ST_... and the bytes moved, or GLK_NOT_YET: a release that waits. */
unsigned glk_operation(struct glk_rings *rings, unsigned context, const uint64_t sqe[8], uint32_t *moved);

#endif /* GLK_OPERATION_H */
