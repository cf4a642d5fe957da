// SPDX-License-Identifier: Apache-2.0
/* region DEVICE: results that leave chunk by chunk, while the rest is computed, to two endpoints. */
#include <stdio.h>

#include <gpulink_region.h>

enum { WORDS = 65536, BYTES = 8 * WORDS, PARTS = 8 };

static uint64_t results[WORDS];

static int compute(struct gpulink_region *region)
{
	int error = gpulink_region_start(region);

	for (uint32_t part = 0; part < PARTS && !error; part++) {
		for (unsigned i = 0; i < WORDS / PARTS; i++)
			results[part * (WORDS / PARTS) + i] = part + 1;
		error = gpulink_region_ready(region, part); /* complete chunks leave */
	}
	return error ? error : gpulink_region_wait(region, GPULINK_LEVEL_VISIBLE, UINT64_C(10000000000));
}

int main(int argc, char **argv)
{
	const struct gpulink_region_options options = {
		.size = sizeof(options), .partition_bytes = BYTES / PARTS, .chunk_bytes = 65536,
	};
	struct gpulink_region_target targets[2] = {{ 0 }};
	struct gpulink_memory *memory;
	struct gpulink_region *region;
	struct gpulink *device = NULL;
	uint64_t last = 0;
	int error;

	error = gpulink_open(argc > 1 ? argv[1] : "soft:", &device);
	for (unsigned t = 0; t < 2 && !error; t++)
		error = gpulink_window_open(device, t, 0, BYTES, GPULINK_READ | GPULINK_WRITE, &targets[t].window);
	if (!error)
		error = gpulink_memory_register(device, results, BYTES, GPULINK_READ, &memory);
	if (!error)
		error = gpulink_region_open(device, memory, 0, BYTES, targets, 2, &options, &region);
	if (!error)
		error = compute(region);
	if (!error)
		error = gpulink_load(targets[1].window, BYTES - 8, &last, sizeof(last));
	printf("region: %s, the last word of the second endpoint is %llu\n", gpulink_error_text(error),
	       (unsigned long long)last);
	gpulink_close(device);
	return error != 0 || last != PARTS;
}
