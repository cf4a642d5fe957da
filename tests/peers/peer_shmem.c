// SPDX-License-Identifier: Apache-2.0
/* peer_shmem STORES PATTERN ROUNDS: OpenSHMEM, with or without libgpulink-shmem before it. */
#include <shmem.h>
#include <stdint.h>

static int64_t *words;

static inline int peer_store(unsigned to, uint64_t word, const uint64_t *value)
{
	shmem_int64_p(words + word, (int64_t)*value, (int)to);
	return 0;
}

static int peer_complete(void)
{
	shmem_barrier_all();
	return 0;
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
	p.memory = (const volatile uint64_t *)words;
	if (argc == 4 && words)
		error = peer_run(&p, argv + 1);
	if (error)
		shmem_global_exit(error);
	shmem_free(words);
	shmem_finalize();
	return 0;
}
