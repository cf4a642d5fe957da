/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies to and from shared memory. If another process truncates the file behind a mapping, an access raises SIGBUS, which
 * must not terminate the card.
 */
#ifndef GPULINK_EMU_GUARDED_COPY_H
#define GPULINK_EMU_GUARDED_COPY_H

#include <stddef.h>

/** Installs the SIGBUS handler, once at start. Returns 0 or a negative errno. */
int guarded_copy_init(void);

/** Copies in ascending order, with naturally aligned words of 8 bytes written atomically, as a PCIe write is observed (a phase
 *  bit in the last word becomes visible last). Returns 0, or -EFAULT after SIGBUS. Not thread-safe. */
int guarded_copy(void *to, const void *from, size_t len);

#endif /* GPULINK_EMU_GUARDED_COPY_H */
