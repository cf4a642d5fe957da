// SPDX-License-Identifier: Apache-2.0
#include "guarded_copy.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>

/* Static, for the signal handler. */
static sigjmp_buf way_back;
static volatile sig_atomic_t guarded;

static void on_bus_error(int number)
{
	if (guarded)
		siglongjmp(way_back, 1);
	signal(number, SIG_DFL); /* not a guarded access: terminate on returning to it */
}

int guarded_copy_init(void)
{
	/* Not blocked in the handler, so that siglongjmp() need not restore the mask. */
	struct sigaction action = { .sa_handler = on_bus_error, .sa_flags = SA_NODEFER };

	return sigaction(SIGBUS, &action, NULL) ? -errno : 0;
}

/* Not inlined, so that no variable of the caller is in a register across the jump. Not memcpy(), which stores the end of a
 * block before its middle. */
static __attribute__((noinline)) void copy(void *to, const void *from, size_t len)
{
	uint8_t *t = to;
	const uint8_t *f = from;

	while (len) {
		if (len >= 8 && (uintptr_t)t % 8 == 0) {
			uint64_t word;

			memcpy(&word, f, 8);
			__atomic_store_n((uint64_t *)(void *)t, word, __ATOMIC_RELEASE);
			t += 8;
			f += 8;
			len -= 8;
		} else {
			__atomic_store_n(t++, *f++, __ATOMIC_RELEASE);
			len--;
		}
	}
}

int guarded_copy(void *to, const void *from, size_t len)
{
	if (sigsetjmp(way_back, 0)) {
		guarded = 0;
		return -EFAULT;
	}
	guarded = 1;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	copy(to, from, len);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	guarded = 0;
	return 0;
}
