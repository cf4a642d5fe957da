// SPDX-License-Identifier: Apache-2.0
/*
 * libgpulink-opencl: which way it chooses, and kernels that store with gpulink_device.h, on an OpenCL device of this machine,
 * into
 * ordinary memory in place of a window. clGetDeviceInfo() is wrapped, so that the device can claim to be of another kind.
 * Without
 * an OpenCL device the tests that need one are skipped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include <gpulink_opencl.h>
#include <gpulink_regs.h>

enum { PAGE = 4096 };

static struct {
	cl_device_id id;
	cl_context context;
	cl_command_queue commands;
} device;

/* What the device claims. */
static struct {
	bool gpu, svm, dmabuf;
} claims;

cl_int __real_clGetDeviceInfo(cl_device_id id, cl_device_info what, size_t room, void *value, size_t *bytes);
cl_int __wrap_clGetDeviceInfo(cl_device_id id, cl_device_info what, size_t room, void *value, size_t *bytes);

cl_int __wrap_clGetDeviceInfo(cl_device_id id, cl_device_info what, size_t room, void *value, size_t *bytes)
{
	static const char extensions[] = "cl_khr_external_memory_dma_buffer cl_khr_external_memory_dma_buf";
	cl_int error = __real_clGetDeviceInfo(id, what, room, value, bytes);

	if (what == CL_DEVICE_TYPE && claims.gpu)
		*(cl_device_type *)value = CL_DEVICE_TYPE_GPU;
	if (what == CL_DEVICE_SVM_CAPABILITIES)
		*(cl_device_svm_capabilities *)value =
			claims.svm ? CL_DEVICE_SVM_FINE_GRAIN_SYSTEM : CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
	if (what == CL_DEVICE_EXTENSIONS && claims.dmabuf) {
		if (bytes)
			*bytes = sizeof(extensions);
		if (value)
			memcpy(value, extensions, sizeof(extensions));
		return CL_SUCCESS;
	}
	return error;
}

static int open_device(void **state)
{
	cl_platform_id platforms[16];
	cl_uint count = 0;
	cl_int error;

	(void)state;
	if (clGetPlatformIDs(16, platforms, &count))
		return 0;
	for (cl_uint i = 0; !device.id && i < count && i < 16; i++)
		clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device.id, NULL);
	if (!device.id)
		return 0;
	device.context = clCreateContext(NULL, 1, &device.id, NULL, NULL, &error);
	device.commands = clCreateCommandQueueWithProperties(device.context, device.id, NULL, &error);
	return error;
}

static int close_device(void **state)
{
	(void)state;
	if (device.context) {
		clReleaseCommandQueue(device.commands);
		clReleaseContext(device.context);
	}
	return 0;
}

static int reset(void **state)
{
	(void)state;
	memset(&claims, 0, sizeof(claims));
	return 0;
}

static uint8_t *new_page(void)
{
	uint8_t *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(page != MAP_FAILED);
	return page;
}

static cl_program build(const char *standard)
{
	const char *source = "#include \"device.cl\"\n";
	char options[1024], log[4096] = "";
	cl_program program;
	cl_int error;

	snprintf(options, sizeof(options), "%s -I" GPU_FOLDER " -I" HEADER_FOLDER, standard);
	program = clCreateProgramWithSource(device.context, 1, &source, NULL, &error);
	assert_int_equal(error, 0);
	error = clBuildProgram(program, 1, &device.id, options, NULL, NULL);
	clGetProgramBuildInfo(program, device.id, CL_PROGRAM_BUILD_LOG, sizeof(log) - 1, log, NULL);
	if (error)
		print_message("%s\n", log);
	assert_int_equal(error, 0);
	return program;
}

static void run_once(cl_kernel kernel)
{
	const size_t one = 1;

	assert_int_equal(clEnqueueNDRangeKernel(device.commands, kernel, 1, NULL, &one, &one, 0, NULL, NULL), 0);
	assert_int_equal(clFinish(device.commands), 0);
}

static struct gpulink_opencl_memory take(void *page)
{
	struct gpulink_opencl_memory memory;
	int error = gpulink_opencl_memory(device.context, device.id, page, PAGE, -1, &memory);

	if (error)
		print_message("%s\n", memory.reason);
	assert_int_equal(error, 0);
	return memory;
}

/* The stores of tests/gpu/device.cl, by a real compiler and device. */
static void stores(cl_program program)
{
	static const uint64_t value = 0x1122334455667788;
	uint8_t *page = new_page(), expected[PAGE];
	struct gpulink_opencl_memory memory = take(page);
	const uint64_t second = value + 1;
	cl_kernel kernel;
	cl_int error;

	memset(page, 0xa5, PAGE);
	memcpy(expected, page, PAGE);
	memcpy(expected, &value, 8);
	memcpy(expected + 8, &second, 8);
	memcpy(expected + 16, &value, 8);
	memcpy(expected + 24, &value, 4);
	memcpy(expected + 28, &value, 2);
	memcpy(expected + 30, &value, 1);
	kernel = clCreateKernel(program, "store_all", &error);
	assert_int_equal(error, 0);
	assert_int_equal(gpulink_opencl_argument(kernel, 0, &memory), 0);
	assert_int_equal(clSetKernelArg(kernel, 1, sizeof(value), &value), 0);
	run_once(kernel);
	assert_memory_equal(page, expected, PAGE);
	clReleaseKernel(kernel);
	gpulink_opencl_close(&memory);
	munmap(page, PAGE);
}

static void releases(cl_program program)
{
	uint8_t *doorbell = new_page(), *record = new_page(), *seen = new_page(), expected[PAGE] = { 0 };
	struct gpulink_opencl_memory memory[3] = { take(doorbell), take(record), take(seen) };
	static const uint64_t completed = 41;
	cl_kernel kernel;
	cl_int error;

	memcpy(record, &completed, 8);
	kernel = clCreateKernel(program, "release", &error);
	assert_int_equal(error, 0);
	for (cl_uint i = 0; i < 3; i++)
		assert_int_equal(gpulink_opencl_argument(kernel, i, &memory[i]), 0);
	for (uint64_t value = 40; value < 43; value++) {
		assert_int_equal(clSetKernelArg(kernel, 3, sizeof(value), &value), 0);
		run_once(kernel);
		memcpy(expected + 8, &value, 8); /* docs/registers.md, DOORBELL.RELEASE */
		assert_memory_equal(doorbell, expected, PAGE);
		assert_int_equal(seen[0], value <= completed);
	}
	clReleaseKernel(kernel);
	for (unsigned i = 0; i < 3; i++)
		gpulink_opencl_close(&memory[i]);
	munmap(doorbell, PAGE);
	munmap(record, PAGE);
	munmap(seen, PAGE);
}

/* Two arrivals at a chunk of region 3, and a look at its signal: epoch 7. */
static void regions(cl_program program)
{
	static const uint64_t word = 3 | UINT64_C(1) << GLK_DOORBELL_ARRIVE_COUNT_SHIFT;
	uint8_t *where = new_page(), *words = new_page(), *seen = new_page(), expected[PAGE] = { 0 };
	struct gpulink_opencl_memory memory[3] = { take(where), take(words), take(seen) };
	cl_kernel kernel;
	cl_int error;

	kernel = clCreateKernel(program, "region", &error);
	assert_int_equal(error, 0);
	for (cl_uint i = 0; i < 3; i++)
		assert_int_equal(gpulink_opencl_argument(kernel, i, &memory[i]), 0);
	assert_int_equal(clSetKernelArg(kernel, 3, sizeof(word), &word), 0);
	for (uint32_t chunk = 100; chunk < 103; chunk++) {
		const uint64_t epoch = chunk - 94, arrival = 3 | (uint64_t)chunk << GLK_DOORBELL_ARRIVE_CHUNK_SHIFT |
							     UINT64_C(2) << GLK_DOORBELL_ARRIVE_COUNT_SHIFT;

		memcpy(words + 8 * (size_t)chunk, &epoch, 8);
		assert_int_equal(clSetKernelArg(kernel, 4, sizeof(chunk), &chunk), 0);
		run_once(kernel);
		memcpy(expected, &arrival, 8);
		assert_memory_equal(where, expected, PAGE);
		assert_int_equal(seen[0], epoch >= 7);
	}
	clReleaseKernel(kernel);
	for (unsigned i = 0; i < 3; i++)
		gpulink_opencl_close(&memory[i]);
	munmap(where, PAGE);
	munmap(words, PAGE);
	munmap(seen, PAGE);
}

static void kernels(void **state)
{
	cl_program program;

	(void)state;
	if (!device.context)
		skip();
	program = build("");
	stores(program);
	releases(program);
	regions(program);
	clReleaseProgram(program);
}

static void way_of_a_cpu(void **state)
{
	struct gpulink_opencl_memory memory;
	uint8_t *page = new_page();

	(void)state;
	if (!device.context)
		skip();
	memory = take(page);
	assert_int_equal(memory.way, GPULINK_OPENCL_HOST_POINTER);
	assert_non_null(memory.buffer);
	assert_non_null(strstr(memory.reason, "is a CPU"));
	gpulink_opencl_close(&memory);
	assert_null(memory.buffer);
	gpulink_opencl_close(&memory);
	gpulink_opencl_close(NULL);
	assert_int_equal(gpulink_opencl_memory(device.context, device.id, page + 8, PAGE - 8, -1, &memory), -GPULINK_EINVAL);
	assert_non_null(strstr(memory.reason, "must be a multiple of"));
	munmap(page, PAGE);
}

static void way_of_svm(void **state)
{
	struct gpulink_opencl_memory memory;
	uint8_t *page = new_page();

	(void)state;
	if (!device.context)
		skip();
	claims.svm = claims.gpu = claims.dmabuf = true;
	memory = take(page);
	assert_int_equal(memory.way, GPULINK_OPENCL_SVM);
	assert_null(memory.buffer);
	assert_ptr_equal(memory.address, page);
	gpulink_opencl_close(&memory);
	munmap(page, PAGE);
}

/* A GPU with its own memory would store into a copy. */
static void no_way(void **state)
{
	struct gpulink_opencl_memory memory;
	uint8_t *page = new_page();

	(void)state;
	if (!device.context)
		skip();
	claims.gpu = true;
	assert_int_equal(gpulink_opencl_memory(device.context, device.id, page, PAGE, -1, &memory), -GPULINK_ENOTSUP);
	assert_non_null(strstr(memory.reason, "no cl_khr_external_memory_dma_buf"));
	assert_null(memory.buffer);
	claims.dmabuf = true;
	assert_int_equal(gpulink_opencl_memory(device.context, device.id, page, PAGE, -1, &memory), -GPULINK_ENOTSUP);
	assert_non_null(strstr(memory.reason, "no dma-buf of the memory"));
	munmap(page, PAGE);
}

/* The device cannot do what it claims: the error is reported, and the copy of the descriptor closed. */
static void import_fails(void **state)
{
	int fd = memfd_create("memory", 0), next;
	struct gpulink_opencl_memory memory;
	uint8_t *page = new_page();

	(void)state;
	if (!device.context)
		skip();
	claims.gpu = claims.dmabuf = true;
	next = dup(fd);
	close(next);
	assert_int_equal(gpulink_opencl_memory(device.context, device.id, page, PAGE, fd, &memory), -GPULINK_EIO);
	assert_non_null(strstr(memory.reason, "import of the dma-buf"));
	assert_int_equal(dup(fd), next);
	close(next);
	assert_int_equal(gpulink_opencl_memory(device.context, device.id, page, PAGE, 9999, &memory), -GPULINK_EINVAL);
	close(fd);
	munmap(page, PAGE);
}

static void soft_device(void **state)
{
	struct gpulink_opencl_memory memory;
	struct gpulink_window *window;
	struct gpulink_doorbell pages;
	struct gpulink *soft;
	int fd = -1;

	(void)state;
	assert_int_equal(gpulink_open("soft:", &soft), 0);
	assert_int_equal(gpulink_window_open(soft, 0, 0, PAGE, GPULINK_WRITE, &window), 0);
	assert_int_equal(gpulink_opencl_window(device.context, device.id, gpulink_default_queue(soft), window, PAGE, &memory),
			 -GPULINK_ENOTSUP);
	assert_non_null(strstr(memory.reason, "soft device"));
	assert_int_equal(gpulink_opencl_window(NULL, NULL, NULL, window, PAGE, &memory), -GPULINK_EINVAL);
	assert_int_equal(gpulink_opencl_window(NULL, NULL, NULL, NULL, PAGE, NULL), -GPULINK_EINVAL);
	assert_int_equal(gpulink_opencl_memory(NULL, NULL, &pages, 8, -1, &memory), -GPULINK_EINVAL);
	assert_int_equal(gpulink_queue_doorbell(gpulink_default_queue(soft), &pages, sizeof(pages)), -GPULINK_ENOTSUP);
	assert_int_equal(gpulink_queue_doorbell(NULL, &pages, sizeof(pages)), -GPULINK_EINVAL);
	assert_int_equal(gpulink_window_export(window, &fd), -GPULINK_ENOTSUP);
	assert_int_equal(gpulink_window_export(window, NULL), -GPULINK_EINVAL);
	assert_int_equal(fd, -1);
	assert_string_equal(gpulink_opencl_way_name(GPULINK_OPENCL_HOST_POINTER), "host pointer");
	assert_string_equal(gpulink_opencl_way_name((enum gpulink_opencl_way)7), "unknown");
	gpulink_close(soft);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(kernels, reset),
		cmocka_unit_test_setup(way_of_a_cpu, reset),
		cmocka_unit_test_setup(way_of_svm, reset),
		cmocka_unit_test_setup(no_way, reset),
		cmocka_unit_test_setup(import_fails, reset),
		cmocka_unit_test_setup(soft_device, reset),
	};

	return cmocka_run_group_tests(tests, open_device, close_device);
}
