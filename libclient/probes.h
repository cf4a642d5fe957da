/* SPDX-License-Identifier: Apache-2.0 */
/*
 * USDT probes of the library, provider gpulink (docs/monitoring.md). A probe that nobody attached to costs one test of a
 * semaphore, which the kernel increments in the processes that it watches. Without <sys/sdt.h> there are none.
 *
 * GLK_PROBE2(NAME, A, B), GLK_PROBE4(NAME, A, B, C, D): the arguments are evaluated only while the probe is attached.
 * GLK_PROBED(NAME): whether it is.
 */
#ifndef GLK_PROBES_H
#define GLK_PROBES_H

#ifdef GLK_SDT
#define _SDT_HAS_SEMAPHORES	1
#define STAP_SDT_ARG_CONSTRAINT nr /* BPF programs read constants and registers, not every address mode */
#include <sys/sdt.h>

#define GLK_PROBE_SEMAPHORE(name) extern unsigned short gpulink_##name##_semaphore __attribute__((visibility("hidden")))
GLK_PROBE_SEMAPHORE(store);
GLK_PROBE_SEMAPHORE(put);
GLK_PROBE_SEMAPHORE(atomic);
GLK_PROBE_SEMAPHORE(load);
GLK_PROBE_SEMAPHORE(get);
GLK_PROBE_SEMAPHORE(window_address);
GLK_PROBE_SEMAPHORE(release_begin);
GLK_PROBE_SEMAPHORE(release_end);
GLK_PROBE_SEMAPHORE(release_post);
GLK_PROBE_SEMAPHORE(failed);
GLK_PROBE_SEMAPHORE(wait_begin);
GLK_PROBE_SEMAPHORE(wait_end);

#define GLK_PROBED(name) __builtin_expect(*(volatile unsigned short *)&gpulink_##name##_semaphore, 0)
#define GLK_PROBE2(name, a, b)                                    \
	do {                                                      \
		if (GLK_PROBED(name))                             \
			STAP_PROBE2(gpulink, name, (a), (b));     \
	} while (0)
#define GLK_PROBE4(name, a, b, c, d)                                        \
	do {                                                                \
		if (GLK_PROBED(name))                                       \
			STAP_PROBE4(gpulink, name, (a), (b), (c), (d));     \
	} while (0)
#else
#define GLK_PROBED(name)	     0
#define GLK_PROBE2(name, a, b)	     ((void)(a), (void)(b))
#define GLK_PROBE4(name, a, b, c, d) ((void)(a), (void)(b), (void)(c), (void)(d))
#endif

#endif /* GLK_PROBES_H */
