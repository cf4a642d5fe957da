// SPDX-License-Identifier: Apache-2.0
/* pool DEVICE: a table that a process updates and others read from coherent copies. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gpulink_pool.h>

enum { TABLE = 4096, FLAG = TABLE, ROUNDS = 100, READERS = 2 };

#define PATIENCE UINT64_C(30000000000)

/* Opens its own device, and the object by its descriptor. Each round's table is whole. */
static int read_table(const char *name, int descriptor)
{
	struct gpulink_pool *pool;
	struct gpulink *device = NULL;
	int error = gpulink_open(name, &device);

	if (error)
		return error;
	error = gpulink_pool_open(device, descriptor, NULL, &pool);
	for (uint64_t round = 1; round <= ROUNDS && !error; round++) {
		error = gpulink_pool_wait(pool, FLAG, GPULINK_COMPARE_GE, round, PATIENCE, NULL); /* contains the acquire */
		for (uint64_t at = 0; at < TABLE && !error; at += 8) {
			uint64_t value;

			error = gpulink_pool_load(pool, at, &value, sizeof(value));
			if (!error && value < round)
				error = -GPULINK_EPROTO;
		}
	}
	gpulink_close(device);
	return error;
}

static int write_table(struct gpulink *device, struct gpulink_pool *pool)
{
	int error = 0;

	for (uint64_t round = 1; round <= ROUNDS && !error; round++) {
		for (uint64_t at = 0; at < TABLE && !error; at += 8)
			error = gpulink_pool_store(pool, at, &round, sizeof(round));
		if (!error)
			error = gpulink_release(device, PATIENCE);
		if (!error)
			error = gpulink_pool_store(pool, FLAG, &round, sizeof(round));
		if (!error)
			error = gpulink_release(device, PATIENCE);
	}
	return error;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "soft:";
	struct gpulink_pool *pool;
	struct gpulink *device = NULL;
	int descriptor, error, status, failed = 0;

	error = gpulink_open(name, &device);
	if (!error)
		error = gpulink_pool_create(device, 2 * TABLE, 256, NULL, &pool);
	if (!error)
		error = gpulink_pool_share(pool, GPULINK_READ, &descriptor);
	for (unsigned r = 0; r < READERS && !error; r++) {
		pid_t child = fork();

		if (child == 0)
			_exit(read_table(name, descriptor) != 0);
		failed |= child < 0;
	}
	if (!error)
		error = write_table(device, pool);
	while (wait(&status) > 0)
		failed |= status != 0;
	printf("pool: %s, readers %s\n", gpulink_error_text(error), error || failed ? "failed" : "saw each round");
	gpulink_close(device);
	return error || failed;
}
