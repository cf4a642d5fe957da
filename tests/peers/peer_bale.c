// SPDX-License-Identifier: Apache-2.0
/*
 * peer_bale exstack|exstack2|conveyor STORES PATTERN ROUNDS: bale's aggregation libraries over OpenSHMEM. bench-peers compiles
 * it with an installed bale. An item is a word's number and its value, applied by the destination.
 */
#include <convey.h>
#include <exstack.h>
#include <shmem.h>
#include <stdint.h>

struct item {
	uint64_t word, value;
};
enum { BUFFER = 1024 }; /* items, as bale's programs by default */

static volatile uint64_t *words;
static exstack_t *stack;
static exstack2_t *stack2;
static convey_t *conveyor;

static void apply(const struct item *item)
{
	words[item->word] = item->value;
}

/* Takes what has come. Returns whether there is more to do. */
static int go_on(int last)
{
	const struct item *item;

	if (stack) {
		exstack_exchange(stack);
		while ((item = exstack_pull(stack, NULL)))
			apply(item);
		return exstack_proceed(stack, last) != 0;
	}
	if (stack2) {
		while ((item = exstack2_pull(stack2, NULL)))
			apply(item);
		return exstack2_proceed(stack2, last) != 0;
	}
	while ((item = convey_apull(conveyor, NULL)))
		apply(item);
	return convey_advance(conveyor, last) != convey_DONE;
}

static int begin(void)
{
	if (stack)
		return !exstack_proceed(stack, 0);
	if (stack2)
		return !exstack2_proceed(stack2, 0);
	return convey_begin(conveyor, sizeof(struct item), _Alignof(struct item)) < 0 || convey_advance(conveyor, 0) < 0;
}

static inline int peer_store(unsigned to, uint64_t word, const uint64_t *value)
{
	struct item item = { word, *value };

	if (stack)
		while (!exstack_push(stack, &item, to))
			go_on(0);
	else if (stack2)
		while (!exstack2_push(stack2, &item, to))
			go_on(0);
	else
		while (convey_push(conveyor, &item, to) != convey_OK)
			go_on(0);
	return 0;
}

static int peer_complete(void)
{
	while (go_on(1))
		;
	if (stack)
		exstack_reset(stack);
	else if (stack2)
		exstack2_reset(stack2);
	else
		convey_reset(conveyor);
	shmem_barrier_all();
	return begin();
}

#include "peer.h"

int main(int argc, char **argv)
{
	struct peer p = { 0 };
	int error = 2;

	shmem_init();
	p.me = (unsigned)shmem_my_pe();
	p.count = (unsigned)shmem_n_pes();
	words = shmem_malloc(8 * PEER_WORDS);
	p.memory = words;
	if (argc == 5 && words) {
		if (!strcmp(argv[1], "exstack"))
			stack = exstack_init(BUFFER, sizeof(struct item));
		else if (!strcmp(argv[1], "exstack2"))
			stack2 = exstack2_init(BUFFER, sizeof(struct item));
		else
			conveyor = convey_new(SIZE_MAX, 0, NULL, 0);
		if ((stack || stack2 || conveyor) && !begin())
			error = peer_run(&p, argv + 2);
	}
	if (error)
		shmem_global_exit(error);
	shmem_finalize();
	return 0;
}
