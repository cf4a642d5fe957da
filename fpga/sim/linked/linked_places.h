/* SPDX-License-Identifier: Apache-2.0 */
/* Host memory layout of a context. */
#ifndef GLK_LINKED_PLACES_H
#define GLK_LINKED_PLACES_H

#include "linked_work.h"

#define PLACE_ENTRIES	16u /* per ring */
#define PLACE_SQ(c)	(MEMORY_HOST + (c) * UINT64_C(0x800))
#define PLACE_CQ(c)	(MEMORY_HOST + 0x10000 + (c) * UINT64_C(0x200))
#define PLACE_RECORD(c) (MEMORY_HOST + 0x14000 + (c) * UINT64_C(16))
#define PLACE_LIST(c)	(MEMORY_HOST + 0x18000 + (c) * UINT64_C(0x200))
#define PLACE_DATA(c)	(MEMORY_HOST + 0x20000 + (c) * UINT64_C(0x4000)) /* registered: contiguous pages */
#define PLACE_PAGES	2u

/* The windows of a context's shared words, local and remote, after those of all lanes. */
#define PLACE_SHARED_SLICE(w, c, remote) ((w)->contexts * WORK_ROLES + (c) * 2 + (remote))

void work_step(void *user, unsigned side);

#endif /* GLK_LINKED_PLACES_H */
