/* SPDX-License-Identifier: Apache-2.0 */
/* Where the things of a context are in host memory. */
#ifndef GLK_LINKED_PLACES_H
#define GLK_LINKED_PLACES_H

#include "linked_work.h"

#define PLACE_ENTRIES	16u /* of a ring */
#define PLACE_SQ(c)	(MEMORY_HOST + (c) * UINT64_C(0x800))
#define PLACE_CQ(c)	(MEMORY_HOST + 0x10000 + (c) * UINT64_C(0x200))
#define PLACE_RECORD(c) (MEMORY_HOST + 0x14000 + (c) * UINT64_C(16))
#define PLACE_LIST(c)	(MEMORY_HOST + 0x18000 + (c) * UINT64_C(0x200))
#define PLACE_DATA(c)	(MEMORY_HOST + 0x20000 + (c) * UINT64_C(0x4000)) /* registered: pages that follow each other */
#define PLACE_PAGES	2u

/* The windows of a context's shared words, own and far, behind all lanes'. */
#define PLACE_SHARED_SLICE(w, c, remote) ((w)->contexts * WORK_ROLES + (c) * 2 + (remote))

void work_step(void *user, unsigned side);

#endif /* GLK_LINKED_PLACES_H */
