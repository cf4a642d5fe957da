// SPDX-License-Identifier: Apache-2.0
/* Waits for a word of memory that another writes. */
#include <endian.h>
#include <sched.h>
#include <stdbool.h>
#include <time.h>

#include "device.h"

#define SPINS	     4000u /* before the CPU is given to others */
#define YIELDS	     100u
#define SLEEP_MAX_NS 100000u

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

bool glk_meets(uint64_t word, enum gpulink_compare compare, uint64_t value)
{
	switch (compare) {
	case GPULINK_COMPARE_EQ:
		return word == value;
	case GPULINK_COMPARE_NE:
		return word != value;
	case GPULINK_COMPARE_GT:
		return word > value;
	case GPULINK_COMPARE_GE:
		return word >= value;
	case GPULINK_COMPARE_LT:
		return word < value;
	default:
		return word <= value;
	}
}

void glk_pause(unsigned round, uint64_t left)
{
	uint64_t sleep = (uint64_t)(round - SPINS) * 50; /* longer and longer */

	if (round < SPINS) {
		relax();
	} else if (round < SPINS + YIELDS) {
		sched_yield();
	} else {
		sleep = sleep < SLEEP_MAX_NS ? sleep : SLEEP_MAX_NS;
		nanosleep(&(struct timespec){ .tv_nsec = (long)(sleep < left ? sleep : left) }, NULL);
	}
}

int gpulink_wait_until(const volatile void *address, enum gpulink_compare compare, uint64_t value, uint64_t timeout_ns,
		       uint64_t *seen)
{
	uint64_t deadline = glk_deadline(timeout_ns), now, word;

	if (!address || (uintptr_t)address % sizeof(word) || (unsigned)compare > GPULINK_COMPARE_LE)
		return address ? glk_error_word((uintptr_t)address, compare) : glk_error_null("address");
	for (unsigned round = 0;; round += round < UINT32_MAX) {
		word = le64toh(__atomic_load_n((const volatile uint64_t *)address, __ATOMIC_ACQUIRE));
		if (seen)
			*seen = word;
		if (glk_meets(word, compare, value))
			return 0;
		now = round % 64 && round < SPINS ? 0 : glk_now_ns();
		if (now >= deadline)
			return glk_error_plain(-GPULINK_ETIMEDOUT);
		glk_pause(round, deadline - now);
	}
}
