// SPDX-License-Identifier: Apache-2.0
#include "gpu.h"

#include "pagerank.h"

#include <gpulink_opencl.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* One size for all launches of a kernel: PoCL compiles a kernel again for each. */
enum { GROUP = 64 };
#define WAIT_NS UINT64_C(30000000000)

struct gpu {
	struct gpu_make make;
	cl_device_id device;
	cl_context context;
	cl_command_queue commands;
	cl_program program;
	cl_kernel compute, push, release;
	cl_mem first, sources, out_degree, readers, next;
	struct gpulink_opencl_memory replica[PAGERANK_MOST_ENDPOINTS], window[PAGERANK_MOST_CARDS][PAGERANK_MOST_ENDPOINTS];
	struct gpulink_opencl_memory doorbell[PAGERANK_MOST_CARDS];
	const void *record[PAGERANK_MOST_CARDS];
	cl_ulong releases[PAGERANK_MOST_CARDS];
};

__attribute__((format(printf, 2, 3))) static int fail(struct gpu *gpu, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(gpu->make.reason, PAGERANK_REASON_BYTES, format, arguments);
	va_end(arguments);
	return -1;
}

/* 0, or -1 for an error of OpenCL. */
static int check(struct gpu *gpu, const char *call, cl_int error)
{
	return error ? fail(gpu, "%s: OpenCL error %d", call, error) : 0;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The first one that computes: accelerators are cards. */
static int find_device(struct gpu *gpu)
{
	cl_platform_id platforms[16];
	cl_uint count = 0;
	cl_int error = clGetPlatformIDs(16, platforms, &count);

	for (cl_uint i = 0; !error && !gpu->device && i < count && i < 16; i++)
		clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU, 1, &gpu->device, NULL);
	if (!gpu->device)
		return fail(gpu, "%u OpenCL platforms, none with a CPU or GPU (error %d): the package pocl-opencl-icd has one",
			    count, error);
	gpu->context = clCreateContext(NULL, 1, &gpu->device, NULL, NULL, &error);
	if (check(gpu, "clCreateContext", error))
		return -1;
	gpu->commands = clCreateCommandQueueWithProperties(gpu->context, gpu->device, NULL, &error);
	return check(gpu, "clCreateCommandQueueWithProperties", error);
}

static cl_kernel find_kernel(struct gpu *gpu, const char *name)
{
	cl_int error = 0;
	cl_kernel kernel = clCreateKernel(gpu->program, name, &error);

	check(gpu, name, error);
	return kernel;
}

static int build(struct gpu *gpu)
{
	const char *source = "#include <pagerank.cl>\n";
	char options[512], log[2048] = "";
	cl_int error;

	snprintf(options, sizeof(options), "-cl-std=CL1.2 -DDAMPING=%.17g -I%.400s", gpu->make.damping, gpu->make.folder);
	gpu->program = clCreateProgramWithSource(gpu->context, 1, &source, NULL, &error);
	if (check(gpu, "clCreateProgramWithSource", error))
		return -1;
	error = clBuildProgram(gpu->program, 1, &gpu->device, options, NULL, NULL);
	if (error) {
		clGetProgramBuildInfo(gpu->program, gpu->device, CL_PROGRAM_BUILD_LOG, sizeof(log) - 1, log, NULL);
		return fail(gpu, "the kernels of %.60s do not compile: OpenCL error %d: %.*s", gpu->make.folder, error,
			    (int)strcspn(log, "\n"), log);
	}
	gpu->compute = find_kernel(gpu, "compute");
	gpu->push = find_kernel(gpu, "push");
	gpu->release = find_kernel(gpu, "release");
	return gpu->compute && gpu->push && gpu->release ? 0 : -1;
}

static cl_mem copy_of(struct gpu *gpu, const void *data, size_t count, size_t size)
{
	cl_int error;
	cl_mem memory = clCreateBuffer(gpu->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, (count ? count : 1) * size,
				       (void *)(uintptr_t)data, &error);

	check(gpu, "clCreateBuffer", error);
	return memory;
}

static int copy_graph(struct gpu *gpu)
{
	const struct graph *graph = gpu->make.graph;
	cl_int error;

	_Static_assert(sizeof(*graph->first) == sizeof(cl_ulong), "of the kernels");
	gpu->first = copy_of(gpu, graph->first, graph->vertices + 1, sizeof(*graph->first));
	gpu->sources = copy_of(gpu, graph->sources, graph->edges, sizeof(*graph->sources));
	gpu->out_degree = copy_of(gpu, graph->out_degree, graph->vertices, sizeof(*graph->out_degree));
	gpu->readers = copy_of(gpu, gpu->make.readers, graph->vertices, sizeof(*gpu->make.readers));
	gpu->next = clCreateBuffer(gpu->context, CL_MEM_READ_WRITE, graph->vertices * sizeof(double), NULL, &error);
	return gpu->first && gpu->sources && gpu->out_degree && gpu->readers && gpu->next ? 0 :
											    check(gpu, "clCreateBuffer", error);
}

struct gpu *gpu_new(const struct gpu_make *make)
{
	struct gpu *gpu = calloc(1, sizeof(*gpu));
	double start = seconds();
	char name[128] = "";

	if (!gpu) {
		snprintf(make->reason, PAGERANK_REASON_BYTES, "out of memory");
		return NULL;
	}
	gpu->make = *make;
	if (find_device(gpu) || build(gpu) || copy_graph(gpu)) {
		gpu_free(gpu);
		return NULL;
	}
	clGetDeviceInfo(gpu->device, CL_DEVICE_NAME, sizeof(name) - 1, name, NULL);
	printf("kernels for OpenCL device %s built in %.1f s\n", name, seconds() - start);
	return gpu;
}

void gpu_free(struct gpu *gpu)
{
	if (!gpu)
		return;
	const cl_mem buffers[] = { gpu->first, gpu->sources, gpu->out_degree, gpu->readers, gpu->next };
	const cl_kernel kernels[] = { gpu->compute, gpu->push, gpu->release };

	for (unsigned e = 0; e < PAGERANK_MOST_ENDPOINTS; e++)
		gpulink_opencl_close(&gpu->replica[e]);
	for (unsigned c = 0; c < PAGERANK_MOST_CARDS; c++) {
		gpulink_opencl_close(&gpu->doorbell[c]);
		for (unsigned e = 0; e < PAGERANK_MOST_ENDPOINTS; e++)
			gpulink_opencl_close(&gpu->window[c][e]);
	}
	for (unsigned i = 0; i < sizeof(buffers) / sizeof(*buffers); i++)
		if (buffers[i])
			clReleaseMemObject(buffers[i]);
	for (unsigned i = 0; i < sizeof(kernels) / sizeof(*kernels); i++)
		if (kernels[i])
			clReleaseKernel(kernels[i]);
	if (gpu->program)
		clReleaseProgram(gpu->program);
	if (gpu->commands)
		clReleaseCommandQueue(gpu->commands);
	if (gpu->context)
		clReleaseContext(gpu->context);
	free(gpu);
}

int gpu_add_replica(struct gpu *gpu, unsigned endpoint, void *memory, size_t bytes)
{
	struct gpulink_opencl_memory *m = &gpu->replica[endpoint];

	return gpulink_opencl_memory(gpu->context, gpu->device, memory, bytes, -1, m) ?
		       fail(gpu, "memory of endpoint %u: %s", endpoint, m->reason) : 0;
}

int gpu_add_window(struct gpu *gpu, unsigned card, unsigned endpoint, struct gpulink *device, struct gpulink_window *window,
		   size_t bytes)
{
	struct gpulink_opencl_memory *m = &gpu->window[card][endpoint];

	if (gpulink_opencl_window(gpu->context, gpu->device, gpulink_default_queue(device), window, bytes, m))
		return fail(gpu, "window onto endpoint %u: %s", endpoint, m->reason);
	if (!card && !endpoint)
		printf("windows by %s\n", m->reason);
	return 0;
}

int gpu_add_doorbell(struct gpu *gpu, unsigned card, struct gpulink *device)
{
	struct gpulink_opencl_memory *m = &gpu->doorbell[card];
	struct gpulink_doorbell pages;
	int error = gpulink_queue_doorbell(gpulink_default_queue(device), &pages, sizeof(pages));

	if (error)
		return fail(gpu, "doorbell page: %s", gpulink_error_text(error));
	gpu->record[card] = pages.record;
	return gpulink_opencl_memory(gpu->context, gpu->device, pages.page, 4096, -1, m) ?
		       fail(gpu, "doorbell page: %s", m->reason) :
		       0;
}

int gpu_load(struct gpu *gpu, const double *next)
{
	return check(gpu, "clEnqueueWriteBuffer",
		     clEnqueueWriteBuffer(gpu->commands, gpu->next, CL_TRUE, 0, gpu->make.graph->vertices * sizeof(*next), next,
					  0, NULL, NULL));
}

static int launch(struct gpu *gpu, cl_kernel kernel, size_t items)
{
	const size_t group = items > 1 ? GROUP : 1, all = (items + group - 1) / group * group;

	if (check(gpu, "clEnqueueNDRangeKernel",
		  clEnqueueNDRangeKernel(gpu->commands, kernel, 1, NULL, &all, &group, 0, NULL, NULL)))
		return -1;
	return check(gpu, "clFinish", clFinish(gpu->commands));
}

/* The arguments of a kernel in order, each of a fixed size. */
static cl_int set(cl_kernel kernel, cl_uint *index, size_t size, const void *value)
{
	return clSetKernelArg(kernel, (*index)++, size, value);
}

int gpu_compute(struct gpu *gpu, unsigned endpoint, uint32_t begin, uint32_t end, double dangling, double *next)
{
	double n = gpu->make.graph->vertices;
	cl_kernel k = gpu->compute;
	cl_uint i = 0;

	if (begin == end)
		return 0;
	if (check(gpu, "arguments of compute",
		  gpulink_opencl_argument(k, i++, &gpu->replica[endpoint]) || set(k, &i, sizeof(cl_mem), &gpu->first) ||
			  set(k, &i, sizeof(cl_mem), &gpu->sources) || set(k, &i, sizeof(cl_mem), &gpu->out_degree) ||
			  set(k, &i, sizeof(cl_mem), &gpu->next) || set(k, &i, sizeof(begin), &begin) ||
			  set(k, &i, sizeof(end), &end) || set(k, &i, sizeof(n), &n) ||
			  set(k, &i, sizeof(dangling), &dangling)) ||
	    launch(gpu, k, end - begin))
		return -1;
	return check(gpu, "clEnqueueReadBuffer",
		     clEnqueueReadBuffer(gpu->commands, gpu->next, CL_TRUE, begin * sizeof(*next),
					 (end - begin) * sizeof(*next), next + begin, 0, NULL, NULL));
}

int gpu_push(struct gpu *gpu, unsigned card, unsigned owner, unsigned endpoint, uint32_t begin, uint32_t end)
{
	cl_uint i = 0, number = endpoint;
	cl_kernel k = gpu->push;

	if (begin == end)
		return 0;
	if (check(gpu, "arguments of push",
		  gpulink_opencl_argument(k, i++, &gpu->window[card][endpoint]) ||
			  gpulink_opencl_argument(k, i++, &gpu->replica[owner]) || set(k, &i, sizeof(cl_mem), &gpu->next) ||
			  set(k, &i, sizeof(cl_mem), &gpu->readers) || set(k, &i, sizeof(number), &number) ||
			  set(k, &i, sizeof(begin), &begin) || set(k, &i, sizeof(end), &end)))
		return -1;
	return launch(gpu, k, end - begin);
}

int gpu_release(struct gpu *gpu, unsigned card)
{
	cl_ulong value = ++gpu->releases[card], seen;
	cl_kernel k = gpu->release;
	cl_uint i = 0;

	if (check(gpu, "arguments of release",
		  gpulink_opencl_argument(k, i++, &gpu->doorbell[card]) || set(k, &i, sizeof(value), &value)) ||
	    launch(gpu, k, 1))
		return -1;
	if (gpulink_wait_until(gpu->record[card], GPULINK_COMPARE_GE, value, WAIT_NS, &seen))
		return fail(gpu,
			    "release %" PRIu64 " by the doorbell page of card %u has not completed; the last one is %" PRIu64,
			    value, card, seen);
	return 0;
}
