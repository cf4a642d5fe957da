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
};

static const struct small small[] = {
	{.name = "pagerank", .input = "cage8.mtx.gz"}, {.name = "jacobi", .size = 500},
	{.name = "sssp", .input = "cage8.mtx.gz"},     {.name = "bfs", .input = "wiki-Vote.txt.gz", .packed = true, .denser = true},
	{.name = "mis", .input = "cage8.mtx.gz"},      {.name = "spmv", .input = "cage8.mtx.gz"},
	{.name = "als", .input = "cage8.mtx.gz"},      {.name = "eqwp", .size = 13, .packed = true},
	{.name = "diffusion", .size = 13},	       {.name = "hit", .size = 16, .packed = true},
	{.name = "ct", .size = 16},		       {.name = "gups", .size = 300},
	{.name = "transpose", .size = 70},	       {.name = "atax", .size = 90},
	{.name = "pagerank", .input = "wiki-Vote.txt.gz"}, /* has dangling vertices, and is not symmetric as cage8 is */
	{.name = "sssp", .input = "wiki-Vote.txt.gz"}, {.name = "mis", .input = "wiki-Vote.txt.gz"},
	{.name = "mvt", .size = 90},		       {.name = "dnn-lenet", .size = 16},
	{.name = "dnn-vgg16", .size = 32768},	       {.name = "dnn-resnet18", .size = 1024},
	{.name = "hit-direct", .size = 16, .packed = true},
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
