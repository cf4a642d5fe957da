// SPDX-License-Identifier: Apache-2.0
/*
 * An installable client driver (cl_khr_icd) for the OpenCL ICD loader: each card is an accelerator device, and
 * clCreateProgramWithBinary() loads its logic through gpulinkd. Logic has no kernels, and the device no memory for OpenCL:
 * other objects than contexts and programs are refused. Applications store into windows (gpulink.h); this is for tools that
 * load accelerators by OpenCL.
 */
#include "objects.h"

#include <stdlib.h>
#include <string.h>

static const cl_icd_dispatch dispatch;

/* --- answers to clGet...Info() --- */

static cl_int give(const void *data, size_t bytes, size_t room, void *value, size_t *needed)
{
	if (value && room < bytes)
		return CL_INVALID_VALUE;
	if (value && bytes)
		memcpy(value, data, bytes);
	if (needed)
		*needed = bytes;
	return CL_SUCCESS;
}

static cl_int give_text(const char *text, size_t room, void *value, size_t *needed)
{
	return give(text, strlen(text) + 1, room, value, needed);
}

#define GIVE(type, expression) give(&(type){ expression }, sizeof(type), room, value, needed)

/* --- platform --- */

static cl_int CL_API_CALL platform_info(cl_platform_id platform, cl_platform_info what, size_t room, void *value,
					size_t *needed)
{
	if (!icd_is_platform(platform))
		return CL_INVALID_PLATFORM;
	switch (what) {
	case CL_PLATFORM_PROFILE:
		return give_text("EMBEDDED_PROFILE", room, value, needed);
	case CL_PLATFORM_VERSION:
		return give_text("OpenCL 1.2 gpulink " GLK_VERSION, room, value, needed);
	case CL_PLATFORM_NAME:
	case CL_PLATFORM_VENDOR:
		return give_text("gpulink", room, value, needed);
	case CL_PLATFORM_EXTENSIONS:
		return give_text("cl_khr_icd", room, value, needed);
	case CL_PLATFORM_ICD_SUFFIX_KHR:
		return give_text("GPULINK", room, value, needed);
	default:
		return CL_INVALID_VALUE;
	}
}

/* --- devices --- */

/* A card is never the default device of programs that compute. */
static cl_int CL_API_CALL device_ids(cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *devices,
				     cl_uint *count)
{
	unsigned found;

	if (!icd_is_platform(platform))
		return CL_INVALID_PLATFORM;
	if ((!room && devices) || (!devices && !count))
		return CL_INVALID_VALUE;
	if (type != CL_DEVICE_TYPE_ALL && !(type & CL_DEVICE_TYPE_ACCELERATOR))
		return CL_DEVICE_NOT_FOUND;
	found = icd_devices(devices, room);
	if (count)
		*count = found;
	return found ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

static cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info what, size_t room, void *value, size_t *needed)
{
	if (!icd_is_device(device))
		return CL_INVALID_DEVICE;
	switch (what) {
	case CL_DEVICE_TYPE:
		return GIVE(cl_device_type, CL_DEVICE_TYPE_ACCELERATOR);
	case CL_DEVICE_NAME:
		return give_text(icd_device_name(device), room, value, needed);
	case CL_DEVICE_VENDOR:
		return give_text("gpulink", room, value, needed);
	case CL_DEVICE_VENDOR_ID:
		return GIVE(cl_uint, 0x1234);
	case CL_DEVICE_VERSION:
		return give_text("OpenCL 1.2 gpulink", room, value, needed);
	case CL_DEVICE_OPENCL_C_VERSION:
		return give_text("OpenCL C 1.2 ", room, value, needed);
	case CL_DRIVER_VERSION:
		return give_text(GLK_VERSION, room, value, needed);
	case CL_DEVICE_PROFILE:
		return give_text("EMBEDDED_PROFILE", room, value, needed);
	case CL_DEVICE_EXTENSIONS:
	case CL_DEVICE_BUILT_IN_KERNELS:
		return give_text("", room, value, needed);
	case CL_DEVICE_PLATFORM:
		return GIVE(cl_platform_id, icd_platform_open(&dispatch));
	case CL_DEVICE_AVAILABLE:
	case CL_DEVICE_ENDIAN_LITTLE:
		return GIVE(cl_bool, CL_TRUE);
	case CL_DEVICE_COMPILER_AVAILABLE:
	case CL_DEVICE_LINKER_AVAILABLE:
	case CL_DEVICE_IMAGE_SUPPORT:
		return GIVE(cl_bool, CL_FALSE);
	case CL_DEVICE_MAX_COMPUTE_UNITS:
		return GIVE(cl_uint, 1);
	case CL_DEVICE_GLOBAL_MEM_SIZE:
	case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
		return GIVE(cl_ulong, 0);
	case CL_DEVICE_PARENT_DEVICE:
		return GIVE(cl_device_id, NULL);
	case CL_DEVICE_REFERENCE_COUNT:
		return GIVE(cl_uint, 1);
	default:
		return CL_INVALID_VALUE;
	}
}

static cl_int CL_API_CALL device_keep(cl_device_id device)
{
	return icd_is_device(device) ? CL_SUCCESS : CL_INVALID_DEVICE;
}

/* --- contexts --- */

static cl_context failed(cl_int *error, cl_int code)
{
	if (error)
		*error = code;
	return NULL;
}

static cl_context CL_API_CALL context_create(const cl_context_properties *properties, cl_uint count,
					     const cl_device_id *devices,
					     void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user,
					     cl_int *error)
{
	cl_context context;

	(void)properties;
	if (!count || !devices || (!notify && user))
		return failed(error, CL_INVALID_VALUE);
	for (cl_uint i = 0; i < count; i++)
		if (!icd_is_device(devices[i]))
			return failed(error, CL_INVALID_DEVICE);
	context = icd_context_new(count, devices, notify, user);
	if (!context)
		return failed(error, CL_OUT_OF_HOST_MEMORY);
	if (error)
		*error = CL_SUCCESS;
	return context;
}

static cl_context CL_API_CALL context_create_from_type(const cl_context_properties *properties, cl_device_type type,
						       void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
						       void *user, cl_int *error)
{
	cl_device_id devices[ICD_DEVICES];
	cl_uint count;
	cl_int code = device_ids(icd_platform_open(&dispatch), type, ICD_DEVICES, devices, &count);

	return code ? failed(error, code) : context_create(properties, count, devices, notify, user, error);
}

static cl_int CL_API_CALL context_retain(cl_context context)
{
	icd_context_retain(context);
	return CL_SUCCESS;
}

static cl_int CL_API_CALL context_release(cl_context context)
{
	icd_context_release(context);
	return CL_SUCCESS;
}

static cl_int CL_API_CALL context_info(cl_context context, cl_context_info what, size_t room, void *value, size_t *needed)
{
	cl_uint count;
	const cl_device_id *devices = icd_context_devices(context, &count);

	switch (what) {
	case CL_CONTEXT_NUM_DEVICES:
		return give(&count, sizeof(count), room, value, needed);
	case CL_CONTEXT_DEVICES:
		return give(devices, count * sizeof(*devices), room, value, needed);
	case CL_CONTEXT_PROPERTIES:
		return give(NULL, 0, room, value, needed);
	default:
		return CL_INVALID_VALUE;
	}
}

/* --- programs --- */

static cl_program CL_API_CALL program_create(cl_context context, cl_uint count, const cl_device_id *devices,
					     const size_t *lengths, const unsigned char **binaries, cl_int *status,
					     cl_int *error)
{
	cl_program program = NULL;
	cl_int code = CL_SUCCESS;

	if (!count || !devices || !lengths || !binaries)
		code = CL_INVALID_VALUE;
	for (cl_uint i = 0; !code && i < count; i++) {
		if (!lengths[i] || !binaries[i])
			code = CL_INVALID_VALUE;
		else if (!icd_context_has(context, devices[i]))
			code = CL_INVALID_DEVICE;
		else
			code = icd_load(context, devices[i], binaries[i], lengths[i]);
		if (status)
			status[i] = code;
	}
	if (!code) {
		program = icd_program_new(context, count, devices);
		code = program ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
	}
	if (error)
		*error = code;
	return program;
}

static cl_int CL_API_CALL program_retain(cl_program program)
{
	icd_program_retain(program);
	return CL_SUCCESS;
}

static cl_int CL_API_CALL program_release(cl_program program)
{
	icd_program_release(program);
	return CL_SUCCESS;
}

/* Logic is complete when it is loaded. */
static cl_int CL_API_CALL program_build(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
					void(CL_CALLBACK *notify)(cl_program, void *), void *user)
{
	(void)options;
	if ((!count) != (!devices) || (!notify && user))
		return CL_INVALID_VALUE;
	if (notify)
		notify(program, user);
	return CL_SUCCESS;
}

static cl_int CL_API_CALL program_info(cl_program program, cl_program_info what, size_t room, void *value, size_t *needed)
{
	cl_uint count;
	const cl_device_id *devices = icd_program_devices(program, &count);

	switch (what) {
	case CL_PROGRAM_CONTEXT:
		return GIVE(cl_context, icd_program_context(program));
	case CL_PROGRAM_NUM_DEVICES:
		return give(&count, sizeof(count), room, value, needed);
	case CL_PROGRAM_DEVICES:
		return give(devices, count * sizeof(*devices), room, value, needed);
	case CL_PROGRAM_NUM_KERNELS:
		return GIVE(size_t, 0);
	case CL_PROGRAM_KERNEL_NAMES:
	case CL_PROGRAM_SOURCE:
		return give_text("", room, value, needed);
	default:
		return CL_INVALID_VALUE;
	}
}

static cl_int CL_API_CALL program_build_info(cl_program program, cl_device_id device, cl_program_build_info what, size_t room,
					     void *value, size_t *needed)
{
	(void)program;
	if (!icd_is_device(device))
		return CL_INVALID_DEVICE;
	switch (what) {
	case CL_PROGRAM_BUILD_STATUS:
		return GIVE(cl_build_status, CL_BUILD_SUCCESS);
	case CL_PROGRAM_BUILD_OPTIONS:
	case CL_PROGRAM_BUILD_LOG:
		return give_text("", room, value, needed);
	case CL_PROGRAM_BINARY_TYPE:
		return GIVE(cl_program_binary_type, CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
	default:
		return CL_INVALID_VALUE;
	}
}

static cl_kernel CL_API_CALL kernel_create(cl_program program, const char *name, cl_int *error)
{
	(void)program;
	if (error)
		*error = name ? CL_INVALID_KERNEL_NAME : CL_INVALID_VALUE;
	return NULL;
}

/* --- what contexts and platforms of this driver do not have. The loader calls the table without a check. --- */

static cl_command_queue CL_API_CALL no_queue(cl_context context, cl_device_id device, cl_command_queue_properties properties,
					     cl_int *error)
{
	(void)context, (void)device, (void)properties;
	return (cl_command_queue)(void *)failed(error, CL_INVALID_OPERATION);
}

static cl_command_queue CL_API_CALL no_queue_with_properties(cl_context context, cl_device_id device,
							     const cl_queue_properties *properties, cl_int *error)
{
	(void)context, (void)device, (void)properties;
	return (cl_command_queue)(void *)failed(error, CL_INVALID_OPERATION);
}

static cl_mem CL_API_CALL no_buffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host, cl_int *error)
{
	(void)context, (void)flags, (void)bytes, (void)host;
	return (cl_mem)(void *)failed(error, CL_INVALID_OPERATION);
}

static cl_mem CL_API_CALL no_image(cl_context context, cl_mem_flags flags, const cl_image_format *format,
				   const cl_image_desc *image, void *host, cl_int *error)
{
	(void)context, (void)flags, (void)format, (void)image, (void)host;
	return (cl_mem)(void *)failed(error, CL_INVALID_OPERATION);
}

static cl_sampler CL_API_CALL no_sampler(cl_context context, cl_bool normalized, cl_addressing_mode addressing,
					 cl_filter_mode filter, cl_int *error)
{
	(void)context, (void)normalized, (void)addressing, (void)filter;
	return (cl_sampler)(void *)failed(error, CL_INVALID_OPERATION);
}

static cl_event CL_API_CALL no_event(cl_context context, cl_int *error)
{
	(void)context;
	return (cl_event)(void *)failed(error, CL_INVALID_OPERATION);
}

static cl_program CL_API_CALL no_source(cl_context context, cl_uint count, const char **texts, const size_t *lengths,
					cl_int *error)
{
	(void)context, (void)count, (void)texts, (void)lengths;
	return (cl_program)(void *)failed(error, CL_INVALID_OPERATION);
}

static cl_program CL_API_CALL no_built_in(cl_context context, cl_uint count, const cl_device_id *devices, const char *names,
					  cl_int *error)
{
	(void)context, (void)count, (void)devices, (void)names;
	return (cl_program)(void *)failed(error, CL_INVALID_OPERATION);
}

static cl_int CL_API_CALL no_compile(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
				     cl_uint headers, const cl_program *programs, const char **names,
				     void(CL_CALLBACK *notify)(cl_program, void *), void *user)
{
	(void)program, (void)count, (void)devices, (void)options, (void)headers, (void)programs, (void)names, (void)notify,
		(void)user;
	return CL_COMPILER_NOT_AVAILABLE;
}

static cl_program CL_API_CALL no_link(cl_context context, cl_uint count, const cl_device_id *devices, const char *options,
				      cl_uint inputs, const cl_program *programs, void(CL_CALLBACK *notify)(cl_program, void *),
				      void *user, cl_int *error)
{
	(void)context, (void)count, (void)devices, (void)options, (void)inputs, (void)programs, (void)notify, (void)user;
	return (cl_program)(void *)failed(error, CL_LINKER_NOT_AVAILABLE);
}

static cl_int CL_API_CALL no_kernels(cl_program program, cl_uint room, cl_kernel *kernels, cl_uint *count)
{
	(void)program, (void)room, (void)kernels;
	if (count)
		*count = 0;
	return CL_SUCCESS;
}

static cl_int CL_API_CALL no_formats(cl_context context, cl_mem_flags flags, cl_mem_object_type type, cl_uint room,
				     cl_image_format *formats, cl_uint *count)
{
	(void)context, (void)flags, (void)type, (void)room, (void)formats;
	if (count)
		*count = 0;
	return CL_SUCCESS;
}

static cl_int CL_API_CALL no_parts(cl_device_id device, const cl_device_partition_property *properties, cl_uint room,
				   cl_device_id *devices, cl_uint *count)
{
	(void)device, (void)properties, (void)room, (void)devices, (void)count;
	return CL_INVALID_VALUE;
}

static cl_int CL_API_CALL no_compiler(cl_platform_id platform)
{
	(void)platform;
	return CL_SUCCESS;
}

static void *CL_API_CALL no_shared_memory(cl_context context, cl_svm_mem_flags flags, size_t bytes, cl_uint alignment)
{
	(void)context, (void)flags, (void)bytes, (void)alignment;
	return NULL;
}

static void *CL_API_CALL function_of_platform(cl_platform_id platform, const char *name)
{
	(void)platform;
	return clGetExtensionFunctionAddress(name);
}

static const cl_icd_dispatch dispatch = {
	.clGetPlatformIDs = clIcdGetPlatformIDsKHR,
	.clGetPlatformInfo = platform_info,
	.clGetDeviceIDs = device_ids,
	.clGetDeviceInfo = device_info,
	.clRetainDevice = device_keep,
	.clReleaseDevice = device_keep,
	.clCreateSubDevices = no_parts,
	.clCreateContext = context_create,
	.clCreateContextFromType = context_create_from_type,
	.clRetainContext = context_retain,
	.clReleaseContext = context_release,
	.clGetContextInfo = context_info,
	.clCreateProgramWithBinary = program_create,
	.clRetainProgram = program_retain,
	.clReleaseProgram = program_release,
	.clBuildProgram = program_build,
	.clGetProgramInfo = program_info,
	.clGetProgramBuildInfo = program_build_info,
	.clCreateKernel = kernel_create,
	.clCreateKernelsInProgram = no_kernels,
	.clCreateCommandQueue = no_queue,
	.clCreateCommandQueueWithProperties = no_queue_with_properties,
	.clCreateBuffer = no_buffer,
	.clCreateImage = no_image,
	.clCreateSampler = no_sampler,
	.clCreateUserEvent = no_event,
	.clCreateProgramWithSource = no_source,
	.clCreateProgramWithBuiltInKernels = no_built_in,
	.clCompileProgram = no_compile,
	.clLinkProgram = no_link,
	.clGetSupportedImageFormats = no_formats,
	.clUnloadPlatformCompiler = no_compiler,
	.clSVMAlloc = no_shared_memory,
	.clGetExtensionFunctionAddress = clGetExtensionFunctionAddress,
	.clGetExtensionFunctionAddressForPlatform = function_of_platform,
};

/* What the loader looks up by name. */
CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint room, cl_platform_id *platforms, cl_uint *count)
{
	cl_platform_id platform = icd_platform_open(&dispatch);

	if ((!room && platforms) || (!platforms && !count))
		return CL_INVALID_VALUE;
	if (count)
		*count = platform ? 1 : 0;
	if (platforms && platform)
		platforms[0] = platform;
	return platform ? CL_SUCCESS : CL_PLATFORM_NOT_FOUND_KHR;
}

CL_API_ENTRY cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t room, void *value,
						  size_t *needed)
{
	return platform_info(platform, what, room, value, needed);
}

CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
	if (!strcmp(name, "clIcdGetPlatformIDsKHR"))
		return (void *)clIcdGetPlatformIDsKHR;
	return !strcmp(name, "clGetPlatformInfo") ? (void *)clGetPlatformInfo : NULL;
}
