// SPDX-License-Identifier: Apache-2.0
#include "objects.h"

#include <gpulink_admin.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct _cl_platform_id {
	const cl_icd_dispatch *dispatch;
};

struct _cl_device_id {
	const cl_icd_dispatch *dispatch;
	char name[32]; /* "gpulink 0000:04:00.0" */
};

struct _cl_context {
	const cl_icd_dispatch *dispatch;
	atomic_uint references;
	icd_notify notify;
	void *user;
	cl_uint count;
	cl_device_id devices[];
};

struct _cl_program {
	const cl_icd_dispatch *dispatch;
	atomic_uint references;
	cl_context context;
	cl_uint count;
	cl_device_id devices[];
};

static struct _cl_platform_id platform;

/* Devices seen so far; they stay. Under the lock. */
static struct _cl_device_id known[ICD_DEVICES];
static unsigned known_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

cl_platform_id icd_platform_open(const cl_icd_dispatch *table)
{
	bool any = gpulink_admin_list(NULL, 0) > 0;

	pthread_mutex_lock(&lock);
	platform.dispatch = table;
	any = any || known_count;
	pthread_mutex_unlock(&lock);
	return any ? &platform : NULL;
}

bool icd_is_platform(cl_platform_id candidate)
{
	return candidate == &platform;
}

static cl_device_id find_device(const char *pci_address)
{
	char name[32] = "gpulink ";

	strncat(name, pci_address, sizeof(name) - strlen(name) - 1);
	for (unsigned i = 0; i < known_count; i++)
		if (!strcmp(known[i].name, name))
			return &known[i];
	if (known_count == ICD_DEVICES)
		return NULL;
	known[known_count].dispatch = platform.dispatch;
	memcpy(known[known_count].name, name, sizeof(name));
	return &known[known_count++];
}

unsigned icd_devices(cl_device_id *devices, unsigned room)
{
	char names[ICD_DEVICES][16];
	int listed = gpulink_admin_list(names, ICD_DEVICES);
	unsigned count = 0;

	pthread_mutex_lock(&lock);
	for (int i = 0; i < listed && i < (int)ICD_DEVICES; i++) {
		struct gpulink_admin_info info;
		cl_device_id device;

		if (gpulink_admin_get_info(names[i], &info, sizeof(info)))
			continue;
		device = find_device(info.pci_address);
		if (device && devices && count < room)
			devices[count] = device;
		count += device != NULL;
	}
	pthread_mutex_unlock(&lock);
	return count;
}

bool icd_is_device(cl_device_id device)
{
	bool found = false;

	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < known_count; i++)
		found = found || device == &known[i];
	pthread_mutex_unlock(&lock);
	return found;
}

const char *icd_device_name(cl_device_id device)
{
	return device->name;
}

cl_context icd_context_new(cl_uint count, const cl_device_id *devices, icd_notify notify, void *user)
{
	cl_context context = calloc(1, sizeof(*context) + count * sizeof(*devices));

	if (!context)
		return NULL;
	context->dispatch = platform.dispatch;
	atomic_init(&context->references, 1);
	context->notify = notify;
	context->user = user;
	context->count = count;
	memcpy(context->devices, devices, count * sizeof(*devices));
	return context;
}

void icd_context_retain(cl_context context)
{
	atomic_fetch_add(&context->references, 1);
}

void icd_context_release(cl_context context)
{
	if (atomic_fetch_sub(&context->references, 1) == 1)
		free(context);
}

const cl_device_id *icd_context_devices(cl_context context, cl_uint *count)
{
	*count = context->count;
	return context->devices;
}

bool icd_context_has(cl_context context, cl_device_id device)
{
	for (cl_uint i = 0; i < context->count; i++)
		if (context->devices[i] == device)
			return true;
	return false;
}

void icd_context_notify(cl_context context, const char *message)
{
	if (context->notify)
		context->notify(message, NULL, 0, context->user);
}

cl_program icd_program_new(cl_context context, cl_uint count, const cl_device_id *devices)
{
	cl_program program = calloc(1, sizeof(*program) + count * sizeof(*devices));

	if (!program)
		return NULL;
	icd_context_retain(context);
	program->dispatch = platform.dispatch;
	atomic_init(&program->references, 1);
	program->context = context;
	program->count = count;
	memcpy(program->devices, devices, count * sizeof(*devices));
	return program;
}

void icd_program_retain(cl_program program)
{
	atomic_fetch_add(&program->references, 1);
}

void icd_program_release(cl_program program)
{
	if (atomic_fetch_sub(&program->references, 1) != 1)
		return;
	icd_context_release(program->context);
	free(program);
}

const cl_device_id *icd_program_devices(cl_program program, cl_uint *count)
{
	*count = program->count;
	return program->devices;
}

cl_context icd_program_context(cl_program program)
{
	return program->context;
}
