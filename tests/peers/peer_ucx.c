// SPDX-License-Identifier: Apache-2.0
/* peer_ucx STORES PATTERN ROUNDS: ucp_put_nbx() of each word; MPI exchanges addresses and keys, and is the barrier. */
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <ucp/api/ucp.h>

#define EVERY 64u /* puts between looks for progress */

static ucp_worker_h worker;
static ucp_ep_h *ends;
static ucp_rkey_h *keys;
static uint64_t *bases;
static unsigned made;
static const ucp_request_param_t plain = { 0 };

static inline int wait_for(ucs_status_ptr_t request)
{
	ucs_status_t status = UCS_OK;

	if (!request)
		return 0;
	if (UCS_PTR_IS_ERR(request))
		return 1;
	while ((status = ucp_request_check_status(request)) == UCS_INPROGRESS)
		ucp_worker_progress(worker);
	ucp_request_free(request);
	return status != UCS_OK;
}

static inline int peer_store(unsigned to, uint64_t word, const uint64_t *value)
{
	ucs_status_ptr_t request = ucp_put_nbx(ends[to], value, 8, bases[to] + 8 * word, keys[to], &plain);

	if (UCS_PTR_IS_ERR(request))
		return 1;
	if (request)
		ucp_request_free(request); /* it goes on; the flush waits for it */
	if (++made % EVERY == 0)
		ucp_worker_progress(worker);
	return 0;
}

static int peer_complete(void)
{
	int error = wait_for(ucp_worker_flush_nbx(worker, &plain)), arrived = 0;
	MPI_Request barrier;

	if (MPI_Ibarrier(MPI_COMM_WORLD, &barrier))
		return 1;
	while (!arrived && !error) { /* others' puts may need this worker */
		ucp_worker_progress(worker);
		error = MPI_Test(&barrier, &arrived, MPI_STATUS_IGNORE);
	}
	return error;
}

#include "peer.h"

/* Everybody's bytes, one behind the other at multiples of *most. */
static uint8_t *gather(const void *own, size_t bytes, int count, size_t *most)
{
	uint64_t mine = bytes, largest = 0;
	uint8_t *padded, *all;

	MPI_Allreduce(&mine, &largest, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
	*most = largest;
	padded = calloc(1, largest);
	all = calloc((size_t)count, largest);
	if (!padded || !all)
		MPI_Abort(MPI_COMM_WORLD, 1);
	memcpy(padded, own, bytes);
	MPI_Allgather(padded, (int)largest, MPI_BYTE, all, (int)largest, MPI_BYTE, MPI_COMM_WORLD);
	free(padded);
	return all;
}

static int open_all(struct peer *p)
{
	const ucp_params_t params = { .field_mask = UCP_PARAM_FIELD_FEATURES, .features = UCP_FEATURE_RMA };
	const ucp_worker_params_t single = { .field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
					     .thread_mode = UCS_THREAD_MODE_SINGLE };
	ucp_mem_map_params_t map = {
		.field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS, .length = 8 * PEER_WORDS,
		.flags = UCP_MEM_MAP_ALLOCATE,
	};
	ucp_mem_attr_t attr = { .field_mask = UCP_MEM_ATTR_FIELD_ADDRESS };
	ucp_address_t *address;
	ucp_context_h context;
	ucp_mem_h memory;
	size_t bytes, most;
	uint8_t *all;
	uint64_t base;
	void *key;

	if (ucp_init(&params, NULL, &context) || ucp_worker_create(context, &single, &worker) ||
	    ucp_mem_map(context, &map, &memory) || ucp_mem_query(memory, &attr) ||
	    ucp_worker_get_address(worker, &address, &bytes))
		return 1;
	p->memory = attr.address;
	memset(attr.address, 0, 8 * PEER_WORDS);
	ends = calloc(p->count, sizeof(*ends));
	keys = calloc(p->count, sizeof(*keys));
	bases = calloc(p->count, sizeof(*bases));
	if (!ends || !keys || !bases)
		return 1;
	all = gather(address, bytes, (int)p->count, &most);
	for (unsigned i = 0; i < p->count; i++) {
		const ucp_ep_params_t to = { .field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS,
					     .address = (const ucp_address_t *)(all + i * most) };

		if (ucp_ep_create(worker, &to, &ends[i]))
			return 1;
	}
	free(all);
	base = (uintptr_t)attr.address;
	MPI_Allgather(&base, 1, MPI_UINT64_T, bases, 1, MPI_UINT64_T, MPI_COMM_WORLD);
	if (ucp_rkey_pack(context, memory, &key, &bytes))
		return 1;
	all = gather(key, bytes, (int)p->count, &most);
	for (unsigned i = 0; i < p->count; i++)
		if (ucp_ep_rkey_unpack(ends[i], all + i * most, &keys[i]))
			return 1;
	free(all);
	ucp_rkey_buffer_release(key);
	return 0;
}

int main(int argc, char **argv)
{
	struct peer p = { 0 };
	int error = 2, me, count;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &count);
	p.me = (unsigned)me;
	p.count = (unsigned)count;
	if (argc == 4 && !open_all(&p))
		error = peer_run(&p, argv + 1);
	if (error)
		MPI_Abort(MPI_COMM_WORLD, error);
	MPI_Finalize(); /* UCX's objects end with the process */
	return 0;
}
