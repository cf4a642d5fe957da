/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies to and from memory that somebody else may take away: a file that another process truncates under a mapping
 * raises SIGBUS here, which must not end the card.
 */
#ifndef GPULINK_EMU_GUARDED_COPY_H
#define GPULINK_EMU_GUARDED_COPY_H

#include <stddef.h>

/** Installs the SIGBUS handler of this process; once, at start. Returns 0 or a negative errno. */
int guarded_copy_init(void);

/** Copies upwards; naturally aligned words of 8 bytes are written whole and in order, as a PCIe write is seen (a phase
 *  bit in the last word is seen last). Returns 0, or -EFAULT when memory was not there. One thread only. */
int guarded_copy(void *to, const void *from, size_t len);

#endif /* GPULINK_EMU_GUARDED_COPY_H */
