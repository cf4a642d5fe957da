// SPDX-License-Identifier: Apache-2.0
/*
 * xrt_test IMAGE: whether AMD's XRT takes gpulink's containers: in its noop mode, which checks the container and drops the
 * bitstream,
 * through the ICD loader. The environment is that of tests/gpu/xrt-check. TAP.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tap.h>

int main(int argc, char **argv)
{
	cl_int error = -1, status = -1;
	unsigned char *data = malloc(1 << 20);
	const unsigned char *binary = data;
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_program program;
	char name[64] = "";
	size_t bytes;

	if (!file || !data)
		return 2;
	bytes = fread(data, 1, 1 << 20, file);
	fclose(file);
	if (!check(!clGetPlatformIDs(1, &platform, NULL), "a platform") ||
	    !check(!clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof(name), name, NULL) && !strcmp(name, "Xilinx"), "it is XRT's") ||
	    !check(!clGetDeviceIDs(platform, CL_DEVICE_TYPE_ACCELERATOR, 1, &device, NULL), "an accelerator"))
		return 1;
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
	if (!check(context && !error, "a context"))
		return 1;
	data[0] = 'X';
	check(!clCreateProgramWithBinary(context, 1, &device, &bytes, &binary, &status, &error) && error, "not without its magic");
	data[0] = 'x';
	program = clCreateProgramWithBinary(context, 1, &device, &bytes, &binary, &status, &error);
	if (check(program && !error && !status, "clCreateProgramWithBinary takes the image")) {
		check(!clBuildProgram(program, 1, &device, NULL, NULL, NULL), "clBuildProgram");
		check(clCreateKernel(program, "gpulink", &error) && !error, "clCreateKernel finds the kernel of its metadata");
	} else {
		printf("# error %d, status %d\n", error, status);
	}
	_Exit(tap_end()); /* XRT's threads */
}
