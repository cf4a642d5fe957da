/* SPDX-License-Identifier: Apache-2.0 */
/* Where symmetric memory is: OpenSHMEM has no call for it. */
#ifndef GLK_SHMEM_SEGMENT_H
#define GLK_SHMEM_SEGMENT_H

#include "state.h"

/** The mapping around an address. Returns false if there is none, or it cannot be read. */
bool glk_segment_mapping(const void *inside, struct glk_segment *segment);

/** The program's static and global variables. Returns false if it has none. */
bool glk_segment_program(struct glk_segment *segment);

#endif /* GLK_SHMEM_SEGMENT_H */
