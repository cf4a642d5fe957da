// SPDX-License-Identifier: Apache-2.0
/* peer_mpi STORES PATTERN ROUNDS: MPI_Put() in a passive epoch. */
#include <mpi.h>
#include <stdint.h>

static MPI_Win window;

static inline int peer_store(unsigned to, uint64_t word, const uint64_t *value)
{
	return MPI_Put(value, 1, MPI_UINT64_T, (int)to, (MPI_Aint)word, 1, MPI_UINT64_T, window);
}

static int peer_complete(void)
{
	int error = MPI_Win_flush_all(window);

	return error ? error : MPI_Barrier(MPI_COMM_WORLD);
}

#include "peer.h"

int main(int argc, char **argv)
{
	struct peer p = { 0 };
	int error = 2, me, count;
	void *memory;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &count);
	MPI_Win_allocate(8 * PEER_WORDS, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
	MPI_Win_lock_all(0, window);
	p.me = (unsigned)me;
	p.count = (unsigned)count;
	p.memory = memory;
	if (argc == 4)
		error = peer_run(&p, argv + 1);
	if (error)
		MPI_Abort(MPI_COMM_WORLD, error);
	MPI_Win_unlock_all(window);
	MPI_Win_free(&window);
	MPI_Finalize();
	return 0;
}
