/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of the typed calls, which generate.py writes from the prototypes in <shmem.h>. `real` is the implementation's call. */
#ifndef GLK_SHMEM_CALLS_H
#define GLK_SHMEM_CALLS_H

#include <string.h>

#include "engine.h"
#include "shmem_ring.h"

/* Without the helper, a program that polls another PE's memory has to receive. */
static inline void glk_loaded(void)
{
	unsigned idle = 0;

	atomic_thread_fence(memory_order_acquire);
	glk_count(&glk_shmem.loads);
	if (__builtin_expect(glk_shmem.packs && !glk_shmem.helped, 0))
		glk_ring_turn(&idle);
}

/* One element: a store of its type, so that it is whole. */
#define GLK_P(to, value, pe, other, real)                                                 \
	do {                                                                              \
		__typeof__(to) at_ = glk_direct(to, sizeof(*(to)), pe);                   \
		if (__builtin_expect(at_ != NULL, 1)) {                                   \
			*(volatile __typeof__(*(to)) *)at_ = value;                       \
			glk_count(&glk_shmem.stores);                                     \
		} else if (!glk_pack(to, &(value), sizeof(*(to)), pe)) {                  \
			glk_before_store(to, sizeof(*(to)), pe, other);                    \
			real;                                                             \
		}                                                                         \
	} while (0)

#define GLK_PUT(to, from, bytes, pe, other, real)                                         \
	do {                                                                              \
		if (!glk_put(to, from, bytes, pe)) {                                      \
			glk_before_store(to, bytes, pe, other);                           \
			real;                                                             \
		}                                                                         \
	} while (0)

#define GLK_IPUT(to, from, to_stride, from_stride, count, bytes, pe, other, real)         \
	do {                                                                              \
		size_t i_ = 0;                                                            \
		for (; i_ < (count); i_++)                                                \
			if (!glk_put((char *)(to) + (ptrdiff_t)i_ * (to_stride) * (ptrdiff_t)(bytes), \
				     (const char *)(from) + (ptrdiff_t)i_ * (from_stride) * (ptrdiff_t)(bytes), bytes, pe)) \
				break;                                                    \
		if (i_ < (count)) { /* all of them, some perhaps twice */                 \
			glk_before_store(to, SIZE_MAX / 2, pe, other);                    \
			real;                                                             \
		}                                                                         \
	} while (0)

#define GLK_G(from, pe, real)                                                             \
	do {                                                                              \
		const void *at_ = glk_direct(from, sizeof(*(from)), pe);                  \
		if (__builtin_expect(at_ != NULL, 1)) {                                   \
			__typeof__(*(from)) value_ = *(const volatile __typeof__(*(from)) *)at_; \
			glk_loaded();                                                     \
			return value_;                                                    \
		}                                                                         \
		glk_before_load(from, sizeof(*(from)), pe);                               \
		return real;                                                              \
	} while (0)

#define GLK_GET(to, from, bytes, pe, real)                                                \
	do {                                                                              \
		const void *at_ = glk_direct(from, bytes, pe);                            \
		if (at_) {                                                                \
			memmove(to, at_, bytes);                                          \
			glk_loaded();                                                     \
		} else {                                                                  \
			glk_before_load(from, bytes, pe);                                 \
			real;                                                             \
		}                                                                         \
	} while (0)

#define GLK_WAIT(test)                                                                    \
	do {                                                                              \
		unsigned idle_ = 0;                                                       \
		glk_before_wait();                                                        \
		atomic_fetch_add(&glk_shmem.waiting, 1);                                         \
		while (!(test))                                                           \
			glk_ring_turn(&idle_);                                            \
		atomic_fetch_sub(&glk_shmem.waiting, 1);                                         \
	} while (0)

#define GLK_TEST(test)                                                                    \
	do {                                                                              \
		unsigned idle_ = 0;                                                       \
		int true_ = test;                                                         \
		if (!true_) {                                                             \
			glk_before_wait();                                                \
			glk_ring_turn(&idle_);                                            \
			true_ = test;                                                     \
		}                                                                         \
		atomic_thread_fence(memory_order_acquire);                                \
		return true_;                                                             \
	} while (0)

#endif /* GLK_SHMEM_CALLS_H */
