// SPDX-License-Identifier: Apache-2.0
#include "gpulink_opencl.h"

#include <CL/cl_ext.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DMABUF_EXTENSION "cl_khr_external_memory_dma_buf"

/* Newer headers declare it as a property, older ones as a list of tokens. */
#ifndef CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR
#define CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR 0x2067
#endif

/* The parts of the device that decide. */
struct ability {
	char name[64];
	bool svm, dmabuf, cpu;
	cl_uint align; /* bytes */
};

__attribute__((format(printf, 3, 4))) static int opencl_fail(struct gpulink_opencl_memory *memory, int code, const char *format,
							     ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(memory->reason, sizeof(memory->reason), format, arguments);
	va_end(arguments);
	return -code;
}

/* A word of a list that is separated by spaces. */
static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += length)
		if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
			return true;
	return false;
}

static bool has_extension(cl_device_id device, const char *name)
{
	size_t bytes = 0;
	char *list;
	bool has;

	if (clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, NULL, &bytes) || !bytes)
		return false;
	list = calloc(1, bytes + 1);
	has = list && !clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, bytes, list, NULL) && has_word(list, name);
	free(list);
	return has;
}

static int opencl_look(cl_device_id device, struct ability *a, struct gpulink_opencl_memory *memory)
{
	cl_device_svm_capabilities svm = 0;
	cl_device_type type = 0;
	cl_uint bits = 0;
	char name[256] = "";
	cl_int error;

	/* A name that is longer is no reason to fail. */
	if (clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof(name) - 1, name, NULL))
		strcpy(name, "?");
	snprintf(a->name, sizeof(a->name), "%.60s", name);
	error = clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof(type), &type, NULL);
	if (!error)
		error = clGetDeviceInfo(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof(bits), &bits, NULL);
	if (error)
		return opencl_fail(memory, GPULINK_EIO, "clGetDeviceInfo: error %d", error);
	/* Unknown to devices before OpenCL 2.0. */
	if (clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof(svm), &svm, NULL))
		svm = 0;
	a->svm = svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;
	a->dmabuf = has_extension(device, DMABUF_EXTENSION);
	a->cpu = type & CL_DEVICE_TYPE_CPU;
	a->align = bits / 8;
	return 0;
}

/* A successful import takes over the descriptor: hence the copy. */
static int import(cl_context context, size_t bytes, int dmabuf, struct gpulink_opencl_memory *memory)
{
	int own = dup(dmabuf);
	cl_mem_properties properties[] = { CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, (cl_mem_properties)own, 0 };
	cl_int error;

	if (own < 0)
		return opencl_fail(memory, GPULINK_EINVAL, "dma-buf descriptor %d is not open", dmabuf);
	memory->buffer = clCreateBufferWithProperties(context, properties, CL_MEM_READ_WRITE, bytes, NULL, &error);
	if (!memory->buffer) {
		close(own);
		return opencl_fail(memory, GPULINK_EIO, "import of the dma-buf: clCreateBufferWithProperties returned error %d",
				   error);
	}
	memory->way = GPULINK_OPENCL_DMABUF;
	snprintf(memory->reason, sizeof(memory->reason), "dma-buf: the device imports it");
	return 0;
}

static int use_pointer(cl_context context, const struct ability *a, size_t bytes, struct gpulink_opencl_memory *memory)
{
	cl_int error;

	if (a->align && (uintptr_t)memory->address % a->align)
		return opencl_fail(memory, GPULINK_EINVAL, "address %p: must be a multiple of %u for device %s",
				   memory->address, a->align, a->name);
	memory->buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, memory->address, &error);
	if (!memory->buffer)
		return opencl_fail(memory, GPULINK_EIO, "clCreateBuffer on the mapping returned error %d", error);
	memory->way = GPULINK_OPENCL_HOST_POINTER;
	snprintf(memory->reason, sizeof(memory->reason), "host pointer: device %s is a CPU", a->name);
	return 0;
}

static int opencl_make(cl_context context, const struct ability *a, size_t bytes, int dmabuf,
		       struct gpulink_opencl_memory *memory)
{
	if (a->svm) {
		memory->way = GPULINK_OPENCL_SVM;
		snprintf(memory->reason, sizeof(memory->reason), "shared virtual memory: device %s has it for all memory",
			 a->name);
		return 0;
	}
	if (a->dmabuf && dmabuf >= 0)
		return import(context, bytes, dmabuf, memory);
	if (a->cpu)
		return use_pointer(context, a, bytes, memory);
	return opencl_fail(memory, GPULINK_ENOTSUP, "device %s is not a CPU, has no fine-grain system SVM, and %s", a->name,
			   a->dmabuf ? "there is no dma-buf of the memory" : "no " DMABUF_EXTENSION);
}

static void clear(struct gpulink_opencl_memory *memory, void *address)
{
	memset(memory, 0, sizeof(*memory));
	memory->address = address;
}

int gpulink_opencl_memory(cl_context context, cl_device_id device, void *address, size_t bytes, int dmabuf,
			  struct gpulink_opencl_memory *memory)
{
	struct ability a;
	int error;

	if (!memory)
		return -GPULINK_EINVAL;
	clear(memory, address);
	if (!context || !device || !address || !bytes)
		return opencl_fail(memory, GPULINK_EINVAL, "no context, device, address or size");
	error = opencl_look(device, &a, memory);
	return error ? error : opencl_make(context, &a, bytes, dmabuf, memory);
}

int gpulink_opencl_window(cl_context context, cl_device_id device, struct gpulink_queue *queue, struct gpulink_window *window,
			  size_t bytes, struct gpulink_opencl_memory *memory)
{
	void *address = NULL;
	int dmabuf = -1, error, no_export = 0;
	struct ability a;

	if (!memory)
		return -GPULINK_EINVAL;
	clear(memory, NULL);
	error = gpulink_queue_window_address(queue, window, &address);
	if (error)
		return opencl_fail(memory, -error, "%s",
				   error == -GPULINK_ENOTSUP ? "a soft device has no mapping that a kernel could store to" :
							       gpulink_error_text(error));
	clear(memory, address);
	if (!context || !device || !bytes)
		return opencl_fail(memory, GPULINK_EINVAL, "no context, device or size");
	error = opencl_look(device, &a, memory);
	if (error)
		return error;
	/* The dma-buf is that of the default queue's view. */
	if (a.dmabuf && !a.svm && address == gpulink_window_address(window))
		no_export = gpulink_window_export(window, &dmabuf);
	error = opencl_make(context, &a, bytes, dmabuf, memory);
	if (error == -GPULINK_ENOTSUP && no_export)
		opencl_fail(memory, GPULINK_ENOTSUP, "device %s imports dma-bufs, but the driver cannot export the window: %s",
			    a.name, gpulink_error_text(no_export));
	if (dmabuf >= 0)
		close(dmabuf);
	return error;
}

cl_int gpulink_opencl_argument(cl_kernel kernel, cl_uint index, const struct gpulink_opencl_memory *memory)
{
	if (memory->way == GPULINK_OPENCL_SVM)
		return clSetKernelArgSVMPointer(kernel, index, memory->address);
	return clSetKernelArg(kernel, index, sizeof(memory->buffer), &memory->buffer);
}

const char *gpulink_opencl_way_name(enum gpulink_opencl_way way)
{
	static const char *const names[] = { "shared virtual memory", "dma-buf", "host pointer" };

	return (unsigned)way < sizeof(names) / sizeof(*names) ? names[way] : "unknown";
}

void gpulink_opencl_close(struct gpulink_opencl_memory *memory)
{
	if (!memory || !memory->buffer)
		return;
	clReleaseMemObject(memory->buffer);
	memory->buffer = NULL;
}
