// SPDX-License-Identifier: Apache-2.0
/*
 * peer_gpulink DEVICE lane|plain STORES PATTERN ROUNDS: "ucx:", or "local:NAME", below Open MPI's mpirun. plain: direct stores
 * to the shared memory of a local device, which is the limit.
 */
#include <gpulink_lane.h>

enum { MOST = 64 };

static struct gpulink *device;
static struct gpulink_queue *queue;
static struct gpulink_window *windows[MOST];
static struct gpulink_lane lanes[MOST];
static volatile uint64_t *memories[MOST];
static const volatile uint64_t *counter; /* behind the words: how often others came */
static unsigned processes, meetings;
static int plain;

static inline int peer_store(unsigned to, uint64_t word, const uint64_t *value)
{
	if (!plain)
		return gpulink_lane_store(&lanes[to], 8 * word, value, 8);
	memories[to][word] = *value;
	return 0;
}

static int peer_complete(void);

#include "peer.h"

static int peer_complete(void)
{
	int error = gpulink_queue_release(queue, UINT64_C(60000000000));

	for (unsigned p = 0; p < processes && !error; p++)
		error = gpulink_queue_fetch_add(queue, windows[p], 8 * PEER_WORDS, 8, 1, NULL, 0, GPULINK_NO_TAG);
	if (!error)
		error = gpulink_queue_release(queue, UINT64_C(60000000000));
	meetings++;
	return error ? error :
		       gpulink_wait_until(counter, GPULINK_COMPARE_GE, (uint64_t)meetings * processes, UINT64_C(60000000000),
					  NULL);
}

static int open_all(const char *name, struct peer *p)
{
	const uint64_t bytes = 8 * PEER_WORDS + 4096;
	struct gpulink_info info;
	void *memory;
	size_t size;
	int error = gpulink_open(name, &device);

	if (error)
		return error;
	gpulink_get_info(device, &info, sizeof(info));
	p->me = info.process;
	processes = p->count = info.processes;
	error = p->count > MOST ? -GPULINK_EINVAL : gpulink_queue_open(device, &queue);
	for (unsigned i = 0; i < p->count && !error; i++) {
		error = gpulink_window_open(device, i, 0, bytes, GPULINK_READ | GPULINK_WRITE, &windows[i]);
		if (!error)
			error = gpulink_lane_open(queue, windows[i], &lanes[i]);
		if (!error && (plain || i == p->me))
			error = gpulink_endpoint_memory(device, i, &memory, &size);
		if (!error && (plain || i == p->me))
			memories[i] = memory;
	}
	if (!error) {
		p->memory = memories[p->me];
		counter = p->memory + PEER_WORDS;
	}
	return error;
}

int main(int argc, char **argv)
{
	const char *rank = getenv("OMPI_COMM_WORLD_RANK"), *size = getenv("OMPI_COMM_WORLD_SIZE");
	struct peer p = { 0 };
	char name[128];
	int error;

	if (argc != 6)
		return 2;
	plain = !strcmp(argv[2], "plain");
	if (rank && size && !strncmp(argv[1], "local:", strlen("local:")))
		snprintf(name, sizeof(name), "%s,rank=%s,processes=%s", argv[1], rank, size);
	else
		snprintf(name, sizeof(name), "%s", argv[1]);
	error = open_all(name, &p);
	if (error) {
		fprintf(stderr, "%s: %s\n", argv[1], gpulink_error_text(error));
		return 1;
	}
	error = peer_run(&p, argv + 3);
	gpulink_close(device);
	return error;
}
