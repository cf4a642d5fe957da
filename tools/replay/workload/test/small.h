/* SPDX-License-Identifier: Apache-2.0 */
/* Every workload at a size that takes milliseconds. */
#ifndef REPLAY_TEST_SMALL_H
#define REPLAY_TEST_SMALL_H

#include "../workload.h"

#include <stdio.h>

struct small {
	const char *name;
	uint64_t size;	   /* 0 where the input says it */
	bool packed;	   /* memcpy would copy packed buffers, not what is stored */
	bool denser;	   /* and these may be smaller than what is stored */
	const char *input; /* in tests/data */
	/* A hash of its streams on 1 to 4 GPUs, the same on every machine and from every compiler. Whoever changes what a
	 * workload stores, or when, changes it here too: the test prints the new one. */
	uint64_t streams;
};

static const struct small small[] = {
	{.name = "pagerank", .input = "cage8.mtx.gz", .streams = 0x487d816801901324},
	{.name = "jacobi", .size = 500, .streams = 0x064617441737045d},
	{.name = "sssp", .input = "cage8.mtx.gz", .streams = 0xd70a8ecf5b098155},
	{.name = "bfs", .input = "wiki-Vote.txt.gz", .packed = true, .denser = true, .streams = 0xac5f737435de7ecf},
	{.name = "mis", .input = "cage8.mtx.gz", .streams = 0x29e53d5eb8ddda47},
	{.name = "spmv", .input = "cage8.mtx.gz", .streams = 0x51eb23df22812b73},
	{.name = "als", .input = "cage8.mtx.gz", .streams = 0x4a79020a56f46273},
	{.name = "eqwp", .size = 13, .packed = true, .streams = 0x4aa8039442fa4037},
	{.name = "diffusion", .size = 13, .streams = 0xebc38b7c5aa734ba},
	{.name = "hit", .size = 16, .packed = true, .streams = 0x611f5867136bc067},
	{.name = "ct", .size = 16, .streams = 0xb7e7ebbbde40365b},
	{.name = "gups", .size = 300, .streams = 0x54e6ddfbc675c400},
	{.name = "transpose", .size = 70, .streams = 0xc4c1d82f6fcc1c38},
	{.name = "atax", .size = 90, .streams = 0xf9823bafd27a7f7c},
	/* has dangling vertices, and is not symmetric as cage8 is */
	{.name = "pagerank", .input = "wiki-Vote.txt.gz", .streams = 0x2a6cc5ae5bc11daf},
	{.name = "sssp", .input = "wiki-Vote.txt.gz", .streams = 0xd5cfc1aac4dd35f2},
	{.name = "mis", .input = "wiki-Vote.txt.gz", .streams = 0x3042dbdb62b2a612},
	{.name = "mvt", .size = 90, .streams = 0xc386b76e18f7ff7d},
	{.name = "dnn-lenet", .size = 16, .streams = 0x35915aefdf7e78b1},
	{.name = "dnn-vgg16", .size = 32768, .streams = 0x663967346ecd428e},
	{.name = "dnn-resnet18", .size = 1024, .streams = 0x4b7a7c3183ff4d61},
	{.name = "hit-direct", .size = 16, .packed = true, .streams = 0xc74dcde5085ebbf1},
};

enum { SMALL = sizeof(small) / sizeof(small[0]) };

/* Its options; the path of its input goes into `path`. */
static inline struct replay_workload_options small_options(const struct small *s, const char *data, char path[512],
							   unsigned gpus)
{
	snprintf(path, 512, "%s/%s", data, s->input ? s->input : "");
	return (struct replay_workload_options){.input = s->input ? path : NULL, .gpus = gpus, .size = s->size, .seed = 7};
}

#endif /* REPLAY_TEST_SMALL_H */
