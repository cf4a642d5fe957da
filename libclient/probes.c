// SPDX-License-Identifier: Apache-2.0
/* Semaphores of the probes, where tools that attach to them find them. */
#include "probes.h"

#ifdef GLK_SDT
#define SEMAPHORE(name)                                                            \
	unsigned short gpulink_##name##_semaphore __attribute__((section(".probes"), used))

SEMAPHORE(store);
SEMAPHORE(put);
SEMAPHORE(atomic);
SEMAPHORE(load);
SEMAPHORE(get);
SEMAPHORE(window_address);
SEMAPHORE(release_begin);
SEMAPHORE(release_end);
SEMAPHORE(release_post);
SEMAPHORE(failed);
SEMAPHORE(wait_begin);
SEMAPHORE(wait_end);
#else
typedef int glk_no_probes; /* ISO C has no empty files */
#endif
