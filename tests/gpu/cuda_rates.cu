/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a GPU's stores, launches, copies and tracking cost over PCIe, with memory of the host as their destination: figures of
 * docs/papers.md. Prints one JSON object; nanoseconds unless a name says otherwise. Nothing here is a test.
 *
 * cuda_rates
 * cuda_rates hold BYTES WINDOW   stores 4, 32 or 128 bytes to random lines of a window, for a look at the GPU's counters
 */
#include <gpulink_region_device.h>

#include "cuda_host.h"

enum { REPEATS = 1001, THREADS = 256, BLOCKS = 1056 };
static const size_t WINDOW = (size_t)256 << 20, RESULTS = (size_t)1 << 30;

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *all, unsigned n)
{
	qsort(all, n, sizeof(*all), ascending);
	return all[n / 2];
}

static void await(const gpulink_u64 *word, gpulink_u64 value)
{
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) < value)
		;
}

__global__ void nothing(void) {}
__global__ void mark(gpulink_u64 *word, gpulink_u64 value) { gpulink_device_store64(word, value); }

/* Launches and copies, from the call: to the first store on the host, to the end of the wait; and in a row. */
static void starts(void)
{
	void *there, *from;
	gpulink_u64 *word = (gpulink_u64 *)mapped(4096, &there), value;
	double store[REPEATS], wait[REPEATS], copy[REPEATS], begin;

	CUDA(cudaMalloc(&from, 4096));
	for (unsigned i = 0; i < REPEATS; i++) {
		*word = 0;
		begin = now();
		mark<<<1, 1>>>((gpulink_u64 *)there, 1);
		await(word, 1);
		store[i] = now() - begin;
		CUDA(cudaDeviceSynchronize());
		begin = now();
		nothing<<<1, 1>>>();
		CUDA(cudaDeviceSynchronize());
		wait[i] = now() - begin;
		value = i + 1;
		CUDA(cudaMemcpy(from, &value, sizeof(value), cudaMemcpyHostToDevice));
		CUDA(cudaDeviceSynchronize());
		*word = 0;
		begin = now();
		CUDA(cudaMemcpyAsync(word, from, sizeof(value), cudaMemcpyDeviceToHost));
		await(word, 1);
		copy[i] = now() - begin;
		CUDA(cudaDeviceSynchronize());
	}
	begin = now();
	for (unsigned i = 0; i < 10 * REPEATS; i++)
		nothing<<<1, 1>>>();
	CUDA(cudaDeviceSynchronize());
	printf("\"kernel_to_store\": %.0f, \"kernel_and_wait\": %.0f, \"kernel_in_a_row\": %.0f, \"copy_to_byte\": %.0f,\n",
	       median(store, REPEATS), median(wait, REPEATS), (now() - begin) / (10 * REPEATS), median(copy, REPEATS));
	begin = now();
	for (unsigned i = 0; i < 10 * REPEATS; i++)
		CUDA(cudaMemcpyAsync(word, from, 8, cudaMemcpyDeviceToHost));
	CUDA(cudaDeviceSynchronize());
	printf("\"copy_in_a_row\": %.0f,\n", (now() - begin) / (10 * REPEATS));
	CUDA(cudaFree(from));
	unmapped(word, 4096);
}

__global__ void answer(const gpulink_u64 *from, gpulink_u64 *to, gpulink_u64 last)
{
	for (gpulink_u64 i = 1; i <= last; i++) {
		while (!gpulink_device_released(from, i))
			;
		gpulink_device_store64(to, i);
	}
}

__global__ void chase(const gpulink_u64 *from, unsigned steps, gpulink_u64 *clocks)
{
	gpulink_u64 at = 0, begin = clock64();

	for (unsigned i = 0; i < steps; i++)
		at = *(const volatile gpulink_u64 *)(from + at);
	*clocks = (gpulink_u64)clock64() - begin + at;
}

/* A store to the GPU and one back; a load of the host's memory. */
static void trips(void)
{
	void *there;
	gpulink_u64 *words = (gpulink_u64 *)mapped(4096, &there), last = 20000;
	double begin;
	cudaEvent_t from, to;
	float ms;

	answer<<<1, 1>>>((gpulink_u64 *)there, (gpulink_u64 *)there + 64, last);
	__atomic_store_n(words, 1, __ATOMIC_RELEASE);
	await(words + 64, 1);
	begin = now();
	for (gpulink_u64 i = 2; i <= last; i++) {
		__atomic_store_n(words, i, __ATOMIC_RELEASE);
		await(words + 64, i);
	}
	printf("\"round_trip\": %.0f,", (now() - begin) / (double)(last - 1));
	CUDA(cudaDeviceSynchronize());
	memset(words, 0, 4096);
	CUDA(cudaEventCreate(&from));
	CUDA(cudaEventCreate(&to));
	CUDA(cudaEventRecord(from));
	chase<<<1, 1>>>((gpulink_u64 *)there, 20000, (gpulink_u64 *)there + 64);
	CUDA(cudaEventRecord(to));
	CUDA(cudaEventSynchronize(to));
	CUDA(cudaEventElapsedTime(&ms, from, to));
	printf(" \"load\": %.0f,\n", 1e6 * (double)ms / 20000);
	unmapped(words, 4096);
}

/*
 * Stores of LANES times WORD, each to a line of its own: neighbouring lanes store neighbouring words, so that one instruction
 * of the warp makes 32 / LANES transactions. SEQUENTIAL: the lines follow each other, as those of a warp that writes an array
 * of structures.
 */
template <typename WORD, unsigned LANES, bool SEQUENTIAL> __global__ void stores(gpulink_u8 *window, gpulink_u64 lines, gpulink_u64 each)
{
	gpulink_u64 group = (blockIdx.x * (gpulink_u64)blockDim.x + threadIdx.x) / LANES, groups = gridDim.x * (gpulink_u64)blockDim.x / LANES;
	unsigned lane = threadIdx.x % LANES;

	for (gpulink_u64 i = 0; i < each; i++) {
		gpulink_u64 line = i * groups + group;

		if (!SEQUENTIAL)
			line = (line * 0x9e3779b97f4a7c15) >> 20;
		gpulink_u8 *to = window + line % lines * 128 + lane * sizeof(WORD);
		if (sizeof(WORD) == 16)
			gpulink_device_store128(to, i, line);
		else if (sizeof(WORD) == 8)
			gpulink_device_store64(to, i);
		else
			gpulink_device_store32(to, (gpulink_u32)i);
	}
}

struct pair { gpulink_u64 low, high; };

/* Nanoseconds of a store. */
template <typename WORD, unsigned LANES, bool SEQUENTIAL> static double store_ns(gpulink_u8 *window, size_t bytes)
{
	gpulink_u64 each = 64 * LANES, count = (gpulink_u64)BLOCKS * THREADS / LANES * each;
	double best = 1e9;
	cudaEvent_t from, to;
	float ms;

	CUDA(cudaEventCreate(&from));
	CUDA(cudaEventCreate(&to));
	for (unsigned i = 0; i < 5; i++) {
		CUDA(cudaEventRecord(from));
		stores<WORD, LANES, SEQUENTIAL><<<BLOCKS, THREADS>>>(window, bytes / 128, each);
		CUDA(cudaGetLastError());
		CUDA(cudaEventRecord(to));
		CUDA(cudaEventSynchronize(to));
		CUDA(cudaEventElapsedTime(&ms, from, to));
		best = ms < best ? (double)ms : best;
	}
	CUDA(cudaEventDestroy(from));
	CUDA(cudaEventDestroy(to));
	return best * 1e6 / (double)count;
}

static void store_rates(void)
{
	void *there, *from;
	void *here = mapped(WINDOW, &there);
	gpulink_u8 *window = (gpulink_u8 *)there;
	double begin, copied;

	printf("\"stores_random\": {");
	for (size_t bytes = 8192; bytes <= WINDOW; bytes *= 8)
		printf("%s\"%zu\": {\"4\": %.3f, \"8\": %.3f, \"16\": %.3f, \"32\": %.3f, \"64\": %.3f, \"128\": %.3f}", bytes > 8192 ? ",\n" : "", bytes,
		       store_ns<gpulink_u32, 1, false>(window, bytes), store_ns<gpulink_u64, 1, false>(window, bytes),
		       store_ns<pair, 1, false>(window, bytes), store_ns<pair, 2, false>(window, bytes), store_ns<pair, 4, false>(window, bytes),
		       store_ns<pair, 8, false>(window, bytes));
	printf("},\n");
	printf("\"stores_lines_in_order\": {\"4\": %.3f, \"8\": %.3f, \"16\": %.3f, \"32\": %.3f, \"64\": %.3f, \"128\": %.3f},\n",
	       store_ns<gpulink_u32, 1, true>(window, WINDOW), store_ns<gpulink_u64, 1, true>(window, WINDOW),
	       store_ns<pair, 1, true>(window, WINDOW), store_ns<pair, 2, true>(window, WINDOW), store_ns<pair, 4, true>(window, WINDOW),
	       store_ns<pair, 8, true>(window, WINDOW));
	CUDA(cudaMalloc(&from, WINDOW));
	for (unsigned i = 0; i < 3; i++) {
		begin = now();
		CUDA(cudaMemcpy(here, from, WINDOW, cudaMemcpyDeviceToHost));
		copied = now() - begin;
	}
	printf("\"copy_bytes_a_ns\": %.2f,\n", (double)WINDOW / copied);
	CUDA(cudaFree(from));
	unmapped(here, WINDOW);
}

/* `work` multiply-adds for each of the results. */
__device__ static float4 worked(float4 v, int work)
{
	for (int k = 0; k < work; k++) {
		v.x = v.x * 0.999f + 0.5f;
		v.y = v.y * 0.999f + 0.5f;
		v.z = v.z * 0.999f + 0.5f;
		v.w = v.w * 0.999f + 0.5f;
	}
	return v;
}

enum tracked { NOT, FENCES, FENCES_AND_ARRIVAL, ARRIVAL, ARRIVAL_OF_CHUNK };

/* One pass over an array: a thread reads 16 bytes and writes 16 results. A block's 4 KiB belong to a chunk of 64 KiB.
 * Tracked by fences of all threads and a barrier; with an arrival of each block; by a barrier and an arrival, with the fence in
 * it; by a count of the chunk's blocks on the GPU and one arrival. */
template <enum tracked WAY> __global__ void pass(const float4 *in, float4 *out, gpulink_u64 *doorbell, unsigned *counters, int work)
{
	size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
	unsigned chunk = blockIdx.x / 16 % 16384;
	float4 v = worked(in[i], work);

	out[i] = v;
	if (WAY == FENCES || WAY == FENCES_AND_ARRIVAL)
		gpulink_region_device_fence();
	if (WAY != NOT)
		__syncthreads();
	if (WAY < FENCES_AND_ARRIVAL || threadIdx.x)
		return;
	if (WAY == ARRIVAL_OF_CHUNK) {
		gpulink_region_device_fence();
		if (atomicAdd(counters + chunk, 1) % 16 == 15)
			gpulink_region_device_arrive(doorbell, 1, chunk, 16);
	} else {
		gpulink_region_device_arrive(doorbell, 1, chunk, 1);
	}
}

template <enum tracked WAY>
static double pass_ns(const float4 *in, float4 *out, gpulink_u64 *doorbell, unsigned *counters, int work)
{
	double best = 1e9;
	cudaEvent_t from, to;
	float ms;

	CUDA(cudaEventCreate(&from));
	CUDA(cudaEventCreate(&to));
	for (unsigned i = 0; i < 10; i++) {
		CUDA(cudaEventRecord(from));
		pass<WAY><<<(unsigned)(RESULTS / sizeof(float4) / THREADS), THREADS>>>(in, out, doorbell, counters, work);
		CUDA(cudaGetLastError());
		CUDA(cudaEventRecord(to));
		CUDA(cudaEventSynchronize(to));
		CUDA(cudaEventElapsedTime(&ms, from, to));
		best = ms < best ? (double)ms : best;
	}
	return best * 1e6;
}

/* Results in the GPU's memory, arrivals to a doorbell page on the host. */
static void tracking(void)
{
	void *in_there, *out_there, *doorbell_there;
	void *here = mapped(4096, &doorbell_there);
	gpulink_u64 *doorbell = (gpulink_u64 *)doorbell_there;
	unsigned *counters;

	CUDA(cudaMalloc(&in_there, RESULTS));
	CUDA(cudaMalloc(&out_there, RESULTS));
	CUDA(cudaMalloc(&counters, 16384 * sizeof(*counters)));
	CUDA(cudaMemset(in_there, 0, RESULTS));
	CUDA(cudaMemset(counters, 0, 16384 * sizeof(*counters)));
	const float4 *in = (float4 *)in_there;
	float4 *out = (float4 *)out_there;

	printf("\"tracking\": {");
	for (int work = 0; work <= 512; work = work ? work * 8 : 8)
		printf("%s\"%d\": {\"not\": %.0f, \"fences\": %.0f, \"fences_and_arrival\": %.0f, \"arrival\": %.0f, \"arrival_of_chunk\": %.0f}",
		       work ? ",\n" : "", work, pass_ns<NOT>(in, out, doorbell, counters, work), pass_ns<FENCES>(in, out, doorbell, counters, work),
		       pass_ns<FENCES_AND_ARRIVAL>(in, out, doorbell, counters, work), pass_ns<ARRIVAL>(in, out, doorbell, counters, work),
		       pass_ns<ARRIVAL_OF_CHUNK>(in, out, doorbell, counters, work));
	printf("},\n");
	CUDA(cudaFree(in_there));
	CUDA(cudaFree(out_there));
	CUDA(cudaFree(counters));
	unmapped(here, 4096);
}

/* Results that are computed in about the time that they take over PCIe. Block b's 4 KiB belong to chunk b / share; the last one of a
 * chunk arrives at a word of its own. INLINE: the results go to the host at once. */
template <bool INLINE>
__global__ void produce(const float4 *in, float4 *out, gpulink_u64 *arrivals, unsigned *counters, unsigned share, gpulink_u64 epoch, int work)
{
	size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
	float4 v = worked(in[i], work);

	if (INLINE) {
		gpulink_u64 pair[2];

		memcpy(pair, &v, sizeof(pair));
		gpulink_device_store128(out + i, pair[0], pair[1]);
		return;
	}
	out[i] = v;
	if (!share)
		return;
	__syncthreads();
	if (threadIdx.x == 0) {
		unsigned chunk = blockIdx.x / share;

		gpulink_region_device_fence();
		if (atomicAdd(counters + chunk, 1) % share == share - 1)
			gpulink_region_device_arrive(arrivals + chunk, epoch - ((gpulink_u64)chunk << 16), chunk, 1);
	}
}

/* Copies each chunk when its arrival is there. */
static void send_chunks(char *here, const char *out, const gpulink_u64 *arrivals, size_t chunks, size_t bytes, gpulink_u64 epoch, cudaStream_t copies)
{
	for (size_t chunk = 0; chunk < chunks; chunk++) {
		await(arrivals + chunk, epoch);
		CUDA(cudaMemcpyAsync(here + chunk * bytes, out + chunk * bytes, bytes, cudaMemcpyDeviceToHost, copies));
	}
}

/* Ends the program unless all results are there: each is the same, and not 0. Forgets them. */
static void expect_all(char *here)
{
	const float *results = (const float *)here;

	for (size_t i = 0; i < WINDOW / sizeof(float); i++)
		if (results[i] == 0 || results[i] != results[0]) {
			fprintf(stderr, "cuda_rates: result %zu is missing\n", i);
			exit(1);
		}
	memset(here, 0, WINDOW);
}

/* PROACT's Fig. 6: the time from a kernel's launch until all results are in the host's memory, by one copy behind it, by stores at
 * once, and by chunks that a thread of the host copies as they arrive, in order. */
static void overlap(void)
{
	enum { SIZES = 9, REPEAT = 7, WORK = 2048 };
	size_t blocks = WINDOW / sizeof(float4) / THREADS;
	double kernel = 1e18, copy = 1e18, behind = 1e18, at_once = 1e18, chunked[SIZES], begin;
	void *in, *out, *there, *arrivals_there;
	char *here = (char *)mapped(WINDOW, &there);
	gpulink_u64 *arrivals = (gpulink_u64 *)mapped(8 * blocks, &arrivals_there);
	unsigned *counters;
	cudaStream_t kernels, copies;

	CUDA(cudaMalloc(&in, WINDOW));
	CUDA(cudaMalloc(&out, WINDOW));
	CUDA(cudaMalloc(&counters, blocks * sizeof(*counters)));
	CUDA(cudaMemset(in, 0, WINDOW));
	CUDA(cudaDeviceSynchronize());
	CUDA(cudaStreamCreateWithFlags(&kernels, cudaStreamNonBlocking));
	CUDA(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
	const float4 *from = (float4 *)in;
	gpulink_u64 *words = (gpulink_u64 *)arrivals_there;

#define TIMED(best, ...)                                                                                                       \
	do {                                                                                                                   \
		begin = now();                                                                                                 \
		__VA_ARGS__;                                                                                                   \
		CUDA(cudaDeviceSynchronize());                                                                                 \
		best = now() - begin < best ? now() - begin : best;                                                            \
	} while (0)
	for (unsigned i = 0; i < REPEAT; i++) {
		TIMED(kernel, (produce<false><<<(unsigned)blocks, THREADS, 0, kernels>>>(from, (float4 *)out, words, counters, 0, 0, WORK)));
		TIMED(copy, CUDA(cudaMemcpyAsync(here, out, WINDOW, cudaMemcpyDeviceToHost, kernels)));
		TIMED(behind, (produce<false><<<(unsigned)blocks, THREADS, 0, kernels>>>(from, (float4 *)out, words, counters, 0, 0, WORK));
		      CUDA(cudaMemcpyAsync(here, out, WINDOW, cudaMemcpyDeviceToHost, kernels)));
		expect_all(here);
		TIMED(at_once, (produce<true><<<(unsigned)blocks, THREADS, 0, kernels>>>(from, (float4 *)there, words, counters, 0, 0, WORK)));
		expect_all(here);
	}
	for (unsigned size = 0; size < SIZES; size++) {
		size_t bytes = (size_t)16384 << size;

		chunked[size] = 1e18;
		CUDA(cudaMemset(counters, 0, blocks * sizeof(*counters)));
		CUDA(cudaDeviceSynchronize());
		for (gpulink_u64 epoch = 1; epoch <= REPEAT; epoch++) {
			memset(arrivals, 0, 8 * blocks);
			TIMED(chunked[size],
			      (produce<false><<<(unsigned)blocks, THREADS, 0, kernels>>>(from, (float4 *)out, words, counters,
											 (unsigned)(bytes / 4096), epoch, WORK));
			      send_chunks(here, (char *)out, arrivals, WINDOW / bytes, bytes, epoch, copies));
			expect_all(here);
		}
	}
#undef TIMED
	printf("\"overlap\": {\"kernel\": %.0f, \"copy\": %.0f, \"copy_behind\": %.0f, \"stores_at_once\": %.0f, \"chunks\": {", kernel, copy, behind,
	       at_once);
	for (unsigned size = 0; size < SIZES; size++)
		printf("%s\"%zu\": %.0f", size ? ", " : "", (size_t)16384 << size, chunked[size]);
	printf("}},\n");
	CUDA(cudaStreamDestroy(kernels));
	CUDA(cudaStreamDestroy(copies));
	CUDA(cudaFree(in));
	CUDA(cudaFree(out));
	CUDA(cudaFree(counters));
	unmapped(here, WINDOW);
	unmapped(arrivals, 8 * blocks);
}

static int hold(unsigned bytes, size_t size)
{
	void *there;
	void *here = mapped(size, &there);
	gpulink_u8 *window = (gpulink_u8 *)there;

	printf("{\"bytes\": %u, \"window\": %zu, \"store\": %.3f}\n", bytes, size,
	       bytes == 4 ? store_ns<gpulink_u32, 1, false>(window, size) : bytes == 32 ? store_ns<pair, 2, false>(window, size)
											: store_ns<pair, 8, false>(window, size));
	unmapped(here, size);
	return 0;
}

int main(int argc, char **argv)
{
	struct cudaDeviceProp device;

	if (argc == 4 && !strcmp(argv[1], "hold")) {
		int bytes = atoi(argv[2]);
		size_t window = strtoul(argv[3], NULL, 0);

		if ((bytes == 4 || bytes == 32 || bytes == 128) && window >= 4096 && window % 4096 == 0)
			return hold((unsigned)bytes, window);
		argc = 0;
	}
	if (argc != 1) {
		fprintf(stderr, "usage: cuda_rates [hold 4|32|128 WINDOW], WINDOW a multiple of 4096 bytes\n");
		return 2;
	}
	CUDA(cudaGetDeviceProperties(&device, 0));
	printf("{\n");
	starts();
	trips();
	store_rates();
	tracking();
	overlap();
	printf("\"device\": \"%s\"\n}\n", device.name);
	return 0;
}
