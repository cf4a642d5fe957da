/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpulink_device.h and gpulink_region_device.h on a real GPU: stores of each width, releases and arrivals, into memory of the
 * host in place of a window, of a doorbell page and of a region's source; the CPU is in the card's place. So the order in
 * which a GPU's stores arrive over PCIe is real, and what the card makes of them is not tested here. Then a region of a soft
 * device, whose results a GPU computes. TAP; exit code 77 without a GPU. cuda_test [SEED]
 */
#include <gpulink_region.h>

#include "cuda_host.h"
#include "device.cl"

enum {
	SLOTS = 1 << 20, /* of 16 bytes */
	BLOCKS = 32, THREADS = 256, WORDS = 4, /* a round of releases: words of a thread */
	ROUNDS = 50000,
	CHUNK_WORDS = 2048, CHUNKS = 256, EPOCHS = 2000,
	SECONDS = 60, /* the longest wait */
};

static unsigned number, failures;

static void result(int good, const char *what)
{
	printf("%sok %u - %s\n", good ? "" : "not ", ++number, what);
	fflush(stdout);
	failures += !good;
}

/* Waits until the word is at least `value`; what was stored before it can be read then. */
static bool reaches(const gpulink_u64 *word, gpulink_u64 value)
{
	double end = now() + 1e9 * SECONDS;

	for (unsigned i = 1; __atomic_load_n(word, __ATOMIC_ACQUIRE) < value; i++)
		if (i % 4096 == 0 && now() > end)
			return false;
	return true;
}

/* splitmix64 */
__host__ __device__ static gpulink_u64 mix(gpulink_u64 x)
{
	x += 0x9e3779b97f4a7c15;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return x ^ (x >> 31);
}

/* A slot gets one store, of a width and at a multiple of it that the seed decides. An odd factor permutes the slots. */
__host__ __device__ static unsigned width_of(gpulink_u64 seed, unsigned slot) { return 1u << mix(seed + slot) % 5; }
__host__ __device__ static unsigned place_of(gpulink_u64 seed, unsigned slot)
{
	unsigned width = width_of(seed, slot);

	return (unsigned)(mix(seed + slot) >> 8) % (16 / width) * width;
}

__global__ void scatter(gpulink_u8 *window, gpulink_u64 seed, unsigned odd)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, slot = (i * odd) % SLOTS;
	gpulink_u8 *to = window + 16 * (size_t)slot + place_of(seed, slot);
	gpulink_u64 value = mix(~seed + slot);

	switch (width_of(seed, slot)) {
	case 1: gpulink_device_store8(to, (gpulink_u8)value); break;
	case 2: gpulink_device_store16(to, (gpulink_u16)value); break;
	case 4: gpulink_device_store32(to, (gpulink_u32)value); break;
	case 8: gpulink_device_store64(to, value); break;
	default: gpulink_device_store128(to, value, ~value);
	}
	gpulink_device_fence();
}

static void test_stores(gpulink_u64 seed)
{
	void *there;
	gpulink_u8 *window = (gpulink_u8 *)mapped(16 * (size_t)SLOTS, &there), all[32];
	unsigned different = 0;
	gpulink_u64 value = mix(seed);

	store_all<<<1, 1>>>((gpulink_u8 *)there, value);
	CUDA(cudaGetLastError());
	CUDA(cudaDeviceSynchronize());
	gpulink_u64 values[4] = {value, value + 1, value};

	memcpy(all, values, 24);
	for (unsigned at = 24, width = 4; width; at += width, width /= 2)
		memcpy(all + at, &value, width);
	all[31] = 0;
	result(!memcmp(window, all, sizeof(all)), "a store of each width");

	memset(window, 0, 32);
	scatter<<<SLOTS / THREADS, THREADS>>>((gpulink_u8 *)there, seed, (unsigned)mix(~seed) | 1);
	CUDA(cudaDeviceSynchronize());
	for (unsigned slot = 0; slot < SLOTS; slot++) {
		gpulink_u64 pair[2] = {mix(~seed + slot), ~mix(~seed + slot)};
		gpulink_u8 expected[16] = {0};

		memcpy(expected + place_of(seed, slot), pair, width_of(seed, slot));
		different += memcmp(window + 16 * (size_t)slot, expected, 16) != 0;
	}
	printf("# %u of %u slots differ, seed %llu\n", different, (unsigned)SLOTS, seed);
	result(!different, "stores of random widths by a million threads: each byte and no other");
	unmapped(window, 16 * (size_t)SLOTS);
}

enum fences { EACH_THREAD, EACH_BLOCK, NONE };

/* Round r: every thread stores r to its words, scattered over the window, and the block that comes last releases. The next
 * round begins when the record has r. */
template <enum fences FENCES>
__global__ void rounds(gpulink_u64 *window, gpulink_u8 *doorbell, const gpulink_u64 *record, unsigned *arrived, gpulink_u64 last)
{
	unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;

	for (gpulink_u64 round = 1; round <= last; round++) {
		for (unsigned i = 0; i < WORDS; i++)
			gpulink_device_store64(window + (thread * 2654435761u + i * (BLOCKS * THREADS)) % (BLOCKS * THREADS * WORDS), round);
		if (FENCES == EACH_THREAD)
			gpulink_device_fence();
		__syncthreads();
		if (threadIdx.x == 0) {
			if (FENCES == EACH_BLOCK)
				gpulink_device_fence();
			if (atomicAdd(arrived, 1) == (unsigned)(round * BLOCKS - 1)) {
				if (FENCES == NONE)
					gpulink_device_store64(doorbell + GPULINK_DEVICE_RELEASE_WORD, round);
				else
					gpulink_device_release(doorbell, round);
			}
			while (!gpulink_device_released(record, round))
				;
		}
		__syncthreads();
	}
}

/* Returns in how many rounds an older word was seen behind the release, or -1 if a release did not come. */
template <enum fences FENCES> static int stale_rounds(void)
{
	size_t words = BLOCKS * THREADS * WORDS;
	void *there, *bell_there, *record_there;
	gpulink_u64 *window = (gpulink_u64 *)mapped(8 * words, &there), *bell = (gpulink_u64 *)mapped(4096, &bell_there),
		    *record = (gpulink_u64 *)mapped(4096, &record_there);
	unsigned *arrived;
	int stale = 0;

	CUDA(cudaMalloc(&arrived, sizeof(*arrived)));
	CUDA(cudaMemset(arrived, 0, sizeof(*arrived)));
	rounds<FENCES><<<BLOCKS, THREADS>>>((gpulink_u64 *)there, (gpulink_u8 *)bell_there, (gpulink_u64 *)record_there, arrived, ROUNDS);
	CUDA(cudaGetLastError());
	for (gpulink_u64 round = 1; round <= ROUNDS && stale >= 0; round++) {
		bool old = false;

		if (!reaches(bell + GPULINK_DEVICE_RELEASE_WORD / 8, round)) {
			stale = -1;
			round = ROUNDS; /* lets the kernel end */
		}
		for (size_t i = 0; i < words && stale >= 0; i++)
			old |= __atomic_load_n(window + i, __ATOMIC_RELAXED) != round;
		stale += old;
		__atomic_store_n(record, round, __ATOMIC_RELEASE);
	}
	CUDA(cudaDeviceSynchronize());
	CUDA(cudaFree(arrived));
	unmapped(window, 8 * words);
	unmapped(bell, 4096);
	unmapped(record, 4096);
	return stale;
}

static void test_release(void)
{
	int thread = stale_rounds<EACH_THREAD>(), block = stale_rounds<EACH_BLOCK>(), none = stale_rounds<NONE>();

	printf("# %d rounds of %d stores; stale: %d with a fence of each thread, %d of each block, %d without\n", ROUNDS,
	       BLOCKS * THREADS * WORDS, thread, block, none);
	result(!thread, "behind a release all stores of all threads are there");
	result(!block, "also when a thread of each block fences behind a barrier");
	if (none <= 0)
		printf("# this GPU keeps the order without fences too: the two tests show nothing of them\n");
}

/* SHARE blocks write a chunk of the source, as any kernel writes memory, and count each other; the last one arrives for all. */
template <unsigned SHARE>
__global__ void produce(gpulink_u32 *source, gpulink_u64 *arrivals, unsigned *counters, gpulink_u64 word, gpulink_u32 epoch)
{
	unsigned chunk = blockIdx.x % CHUNKS, part = blockIdx.x / CHUNKS;

	for (unsigned i = threadIdx.x * SHARE + part; i < CHUNK_WORDS; i += blockDim.x * SHARE)
		source[chunk * CHUNK_WORDS + i] = epoch + chunk + i;
	__syncthreads();
	if (threadIdx.x == 0) {
		if (SHARE > 1)
			gpulink_region_device_fence();
		if (SHARE == 1 || atomicAdd(counters + chunk, 1) % SHARE == SHARE - 1)
			gpulink_region_device_arrive(arrivals + chunk, word, chunk, 3);
	}
}

template <unsigned SHARE> static void test_arrive(const char *what)
{
	size_t words = CHUNKS * CHUNK_WORDS;
	void *there, *arrivals_there;
	gpulink_u32 *source = (gpulink_u32 *)mapped(4 * words, &there);
	gpulink_u64 *arrivals = (gpulink_u64 *)mapped(4096, &arrivals_there);
	unsigned stale = 0, foreign = 0, late = 0, *counters;

	CUDA(cudaMalloc(&counters, CHUNKS * sizeof(*counters)));
	CUDA(cudaMemset(counters, 0, CHUNKS * sizeof(*counters)));
	for (gpulink_u32 epoch = 1; epoch <= EPOCHS && !late; epoch++) {
		gpulink_u64 word = (gpulink_u64)(epoch % 65536) << 48 | 5;

		memset(arrivals, 0, 4096);
		produce<SHARE><<<CHUNKS * SHARE, THREADS>>>((gpulink_u32 *)there, (gpulink_u64 *)arrivals_there, counters, word, epoch);
		CUDA(cudaGetLastError());
		for (unsigned chunk = 0; chunk < CHUNKS && !late; chunk++) {
			bool old = !reaches(arrivals + chunk, 1);

			late = old;
			foreign += arrivals[chunk] != word + ((gpulink_u64)chunk << 16) + (2ull << 40);
			for (unsigned i = 0; i < CHUNK_WORDS; i++)
				old |= source[chunk * CHUNK_WORDS + i] != epoch + chunk + i;
			stale += old;
		}
		CUDA(cudaDeviceSynchronize());
	}
	printf("# %u of %u chunks were stale when they arrived, %u arrivals wrong\n", stale, (unsigned)CHUNKS * EPOCHS, foreign);
	result(!stale && !foreign, what);
	CUDA(cudaFree(counters));
	unmapped(source, 4 * words);
	unmapped(arrivals, 4096);
}

/* Block b consumes chunk b of each epoch, by plain loads, when its signal has arrived, and says that it has. */
__global__ void consume(const gpulink_u32 *target, const gpulink_u64 *signals, gpulink_u64 *consumed, unsigned *stale, gpulink_u32 epochs)
{
	for (gpulink_u32 epoch = 1; epoch <= epochs; epoch++) {
		unsigned old = 0;

		while (!gpulink_region_device_arrived(signals, blockIdx.x, epoch))
			;
		for (unsigned i = threadIdx.x; i < CHUNK_WORDS; i += blockDim.x)
			old |= target[blockIdx.x * CHUNK_WORDS + i] != epoch + blockIdx.x + i;
		if (__syncthreads_or(old) && threadIdx.x == 0)
			atomicAdd(stale, 1);
		if (threadIdx.x == 0)
			gpulink_device_store64(consumed + blockIdx.x, epoch);
	}
}

static void test_arrived(void)
{
	enum { FEW = 16 }; /* chunks, so that all blocks run at once */
	void *there, *signals_there, *consumed_there;
	gpulink_u32 *target = (gpulink_u32 *)mapped(4 * FEW * CHUNK_WORDS, &there);
	gpulink_u64 *signals = (gpulink_u64 *)mapped(4096, &signals_there), *consumed = (gpulink_u64 *)mapped(4096, &consumed_there);
	unsigned *stale_there, stale = 0, late = 0;

	CUDA(cudaMalloc(&stale_there, sizeof(stale)));
	CUDA(cudaMemset(stale_there, 0, sizeof(stale)));
	consume<<<FEW, THREADS>>>((gpulink_u32 *)there, (gpulink_u64 *)signals_there, (gpulink_u64 *)consumed_there, stale_there, EPOCHS);
	CUDA(cudaGetLastError());
	for (gpulink_u32 epoch = 1; epoch <= EPOCHS; epoch++) {
		for (unsigned chunk = 0; chunk < FEW; chunk++) {
			late += !late && !reaches(consumed + chunk, epoch - 1);
			for (unsigned i = 0; i < CHUNK_WORDS; i++)
				target[chunk * CHUNK_WORDS + i] = epoch + chunk + i;
			__atomic_store_n(signals + chunk, epoch, __ATOMIC_RELEASE);
		}
	}
	CUDA(cudaDeviceSynchronize());
	CUDA(cudaMemcpy(&stale, stale_there, sizeof(stale), cudaMemcpyDeviceToHost));
	printf("# %u of %u chunks were stale when their signal had arrived\n", stale, (unsigned)FEW * EPOCHS);
	result(!stale && !late, "a GPU that consumes reads what came before the signal");
	CUDA(cudaFree(stale_there));
	unmapped(target, 4 * FEW * CHUNK_WORDS);
	unmapped(signals, 4096);
	unmapped(consumed, 4096);
}

/* Chunks of a kernel's results leave for two endpoints while it computes the others: this thread passes on its arrivals. */
static int region_epoch(struct gpulink_region *region, gpulink_u32 *there, gpulink_u64 *arrivals, gpulink_u64 *arrivals_there, gpulink_u32 epoch)
{
	int error = gpulink_region_start(region);

	memset(arrivals, 0, 4096);
	produce<1><<<CHUNKS, THREADS>>>(there, arrivals_there, NULL, 1, epoch);
	CUDA(cudaGetLastError());
	for (unsigned chunk = 0; chunk < CHUNKS && !error; chunk++)
		error = reaches(arrivals + chunk, 1) ? gpulink_region_ready(region, chunk) : -GPULINK_ETIMEDOUT;
	if (!error)
		error = gpulink_region_wait(region, GPULINK_LEVEL_VISIBLE, SECONDS * 1000000000ull);
	CUDA(cudaDeviceSynchronize());
	return error;
}

static void test_region(void)
{
	size_t words = CHUNKS * CHUNK_WORDS, bytes = 4 * words;
	struct gpulink_region_options options = {};
	struct gpulink_region_target targets[2] = {};
	void *there, *arrivals_there;
	gpulink_u32 *source = (gpulink_u32 *)mapped(bytes, &there), *copy = (gpulink_u32 *)malloc(bytes);
	gpulink_u64 *arrivals = (gpulink_u64 *)mapped(4096, &arrivals_there);
	struct gpulink *device = NULL;
	struct gpulink_memory *memory;
	struct gpulink_region *region;
	unsigned different = 0;
	int error = gpulink_open("soft:", &device);

	options.size = sizeof(options);
	options.partition_bytes = 4 * CHUNK_WORDS;
	options.chunk_bytes = 65536;
	for (unsigned t = 0; t < 2 && !error; t++)
		error = gpulink_window_open(device, t, 0, bytes, GPULINK_READ | GPULINK_WRITE, &targets[t].window);
	if (!error)
		error = gpulink_memory_register(device, source, bytes, GPULINK_READ, &memory);
	if (!error)
		error = gpulink_region_open(device, memory, 0, bytes, targets, 2, &options, &region);
	for (gpulink_u32 epoch = 1; epoch <= 20 && !error && copy; epoch++) {
		error = region_epoch(region, (gpulink_u32 *)there, arrivals, (gpulink_u64 *)arrivals_there, epoch);
		for (unsigned t = 0; t < 2 && !error; t++) {
			for (size_t at = 0; at < bytes && !error; at += 4096)
				error = gpulink_load(targets[t].window, at, (char *)copy + at, 4096);
			for (unsigned i = 0; i < words && !error; i++)
				different += copy[i] != epoch + i / CHUNK_WORDS + i % CHUNK_WORDS;
		}
	}
	printf("# %s, %u words differ\n", gpulink_strerror(error), different);
	result(copy && !error && !different, "a GPU's results, by a region of a soft device, at two endpoints");
	gpulink_close(device);
	free(copy);
	unmapped(source, bytes);
	unmapped(arrivals, 4096);
}

int main(int argc, char **argv)
{
	gpulink_u64 seed = argc > 1 ? strtoull(argv[1], NULL, 0) : (gpulink_u64)time(NULL);
	struct cudaDeviceProp device;
	int count;

	if (cudaGetDeviceCount(&count) != cudaSuccess || !count)
		return 77;
	CUDA(cudaGetDeviceProperties(&device, 0));
	printf("1..8\n# %s, seed %llu\n", device.name, seed);
	test_stores(seed);
	test_release();
	test_arrive<1>("a chunk is complete when its arrival, behind a barrier, is there");
	test_arrive<4>("also when the last of four blocks arrives for all");
	test_arrived();
	test_region();
	return failures != 0;
}
