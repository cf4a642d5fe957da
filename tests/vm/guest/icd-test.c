// SPDX-License-Identifier: Apache-2.0
/*
 * icd-test GOOD BAD: loads logic with OpenCL calls, through the ICD loader and gpulink's client driver. BAD is an image for
 * another part. TAP.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tap.h>

/* What the driver said. */
static char said[1024];

static void CL_CALLBACK hear(const char *message, const void *data, size_t bytes, void *user)
{
	(void)data;
	(void)bytes;
	snprintf(said, sizeof(said), "%s", message);
	*(unsigned *)user += 1;
	printf("# %s\n", message);
}

static unsigned char *read_file(const char *path, size_t *bytes)
{
	unsigned char *data = malloc(1 << 20);
	FILE *file = fopen(path, "rb");

	*bytes = file && data ? fread(data, 1, 1 << 20, file) : 0;
	if (file)
		fclose(file);
	return data;
}

static cl_int load(cl_context context, cl_device_id device, const char *path, size_t most, cl_program *program)
{
	size_t bytes;
	unsigned char *data = read_file(path, &bytes);
	const unsigned char *binary = data;
	cl_int status = -1, error = -1;

	if (bytes > most)
		bytes = most;
	*program = clCreateProgramWithBinary(context, 1, &device, &bytes, &binary, &status, &error);
	free(data);
	check(status == error && !*program == (error != 0), "status, error and program agree");
	return error;
}

static void test_program(cl_program program, cl_device_id device)
{
	char name[64] = "";
	size_t kernels = 7;
	cl_int error;

	check(clBuildProgram(program, 1, &device, "", NULL, NULL) == CL_SUCCESS, "clBuildProgram");
	check(!clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof(kernels), &kernels, NULL) && !kernels, "it has no kernels");
	check(!clCreateKernel(program, "gpulink", &error) && error == CL_INVALID_KERNEL_NAME, "clCreateKernel is refused");
	check(clReleaseProgram(program) == CL_SUCCESS, "clReleaseProgram");
	check(!clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof(name), name, NULL) && !strcmp(name, "gpulink 0000:00:04.0"),
	      "the device is the same");
}

static void test_refusals(cl_context context, cl_device_id device)
{
	cl_int error = 0;

	check(!clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, &error) && error == CL_INVALID_OPERATION,
	      "clCreateBuffer is refused");
	error = 0;
	check(!clCreateCommandQueue(context, device, 0, &error) && error == CL_INVALID_OPERATION, "clCreateCommandQueue is refused");
}

int main(int argc, char **argv)
{
	cl_platform_id platform;
	cl_device_id device;
	cl_program program;
	cl_context context;
	unsigned messages = 0;
	char name[64] = "";
	cl_uint count = 0;
	cl_int error;

	if (argc != 3)
		return 2;
	if (!check(!clGetPlatformIDs(1, &platform, &count) && count == 1, "the loader finds the platform"))
		return 1;
	check(!clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof(name), name, NULL) && !strcmp(name, "gpulink"), "its name");
	check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL) == CL_DEVICE_NOT_FOUND, "it has no GPU");
	check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &device, NULL) == CL_DEVICE_NOT_FOUND, "nor a default device");
	if (!check(!clGetDeviceIDs(platform, CL_DEVICE_TYPE_ACCELERATOR, 1, &device, &count) && count == 1, "one accelerator"))
		return 1;
	context = clCreateContext(NULL, 1, &device, hear, &messages, &error);
	if (!check(context && !error, "a context"))
		return 1;
	check(load(context, device, argv[2], 1 << 20, &program) == CL_INVALID_BINARY && messages == 1, "a bad image is an invalid binary");
	check(strstr(said, "for another part") != NULL, "the callback hears why");
	check(load(context, device, argv[1], 1000, &program) == CL_INVALID_BINARY && strstr(said, "truncated"), "a truncated one too");
	check(!load(context, device, argv[1], 1 << 20, &program) && messages == 2, "clCreateProgramWithBinary loads an image");
	if (program)
		test_program(program, device);
	test_refusals(context, device);
	check(clReleaseContext(context) == CL_SUCCESS, "clReleaseContext");
	return tap_end();
}
