// SPDX-License-Identifier: Apache-2.0
#include "way.h"

enum { STORE_MAX = 4096, INLINE_MAX = 32, LINE = 128 };

const char *const measure_way_names[MEASURE_WAYS] = {
	[MEASURE_WINDOW] = "window", [MEASURE_SCATTER] = "scatter", [MEASURE_INLINE] = "inline",
	[MEASURE_PUT] = "put",	     [MEASURE_PUTV] = "putv",	    [MEASURE_GET] = "get",
};

/* Operations go to places in a row, from the first again when the window ends. */
static uint64_t way_place(const struct site *site, unsigned number, size_t span)
{
	return number % (site->room / span) * span;
}

static int way_store(const struct site *site, struct gpulink_queue *queue, unsigned number, size_t bytes)
{
	uint64_t offset = way_place(site, number, bytes);

	for (size_t done = 0, part; done < bytes; done += part) {
		int error;

		part = bytes - done < STORE_MAX ? bytes - done : STORE_MAX;
		error = gpulink_queue_store(queue, site->window, offset + done, site->data + done, part);
		if (error)
			return error;
	}
	return 0;
}

static int scatter(const struct site *site, struct gpulink_queue *queue, unsigned number, size_t bytes)
{
	return gpulink_queue_store(queue, site->window, way_place(site, number, WAY_APART_MAX), site->data, bytes);
}

static int put_inline(const struct site *site, struct gpulink_queue *queue, unsigned number, size_t bytes)
{
	return gpulink_queue_put(queue, site->window, way_place(site, number, bytes), site->data, bytes, GPULINK_NO_TAG);
}

static int way_put(const struct site *site, struct gpulink_queue *queue, unsigned number, size_t bytes)
{
	uint64_t offset = way_place(site, number, bytes);

	return gpulink_queue_put_memory(queue, site->window, offset, site->memory, offset, bytes, GPULINK_NO_TAG);
}

static int put_vector(const struct site *site, struct gpulink_queue *queue, unsigned number, size_t bytes)
{
	uint64_t offset = way_place(site, number, 2 * bytes);
	size_t count = 0;

	for (size_t done = 0, part; done < bytes; done += part) {
		part = bytes - done < WAY_PIECE_BYTES ? bytes - done : WAY_PIECE_BYTES;
		site->vector[count++] = (struct gpulink_vector){ offset + 2 * done, site->data + done, part };
	}
	return gpulink_queue_put_vector(queue, site->window, site->vector, count, GPULINK_NO_TAG);
}

static int way_get(const struct site *site, struct gpulink_queue *queue, unsigned number, size_t bytes)
{
	uint64_t offset = way_place(site, number, bytes);

	return gpulink_queue_get(queue, site->window, offset, site->memory, offset, bytes, GPULINK_NO_TAG);
}

const struct way measure_ways[MEASURE_WAYS] = {
	[MEASURE_WINDOW] = { MEASURE_BYTES_MAX, 1, true, true, way_store },
	[MEASURE_SCATTER] = { LINE, 1, true, true, scatter },
	[MEASURE_INLINE] = { INLINE_MAX, 1, false, true, put_inline },
	[MEASURE_PUT] = { MEASURE_BYTES_MAX, 1, false, true, way_put },
	[MEASURE_PUTV] = { (uint64_t)WAY_PIECE_BYTES * WAY_PIECES_MAX, 2, false, false, put_vector },
	[MEASURE_GET] = { MEASURE_BYTES_MAX, 1, false, true, way_get },
};
