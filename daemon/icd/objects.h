/* SPDX-License-Identifier: Apache-2.0 */
/* The objects of the client driver, and the way to gpulinkd. Each begins with the loader's table, as cl_khr_icd requires. */
#ifndef GPULINK_ICD_OBJECTS_H
#define GPULINK_ICD_OBJECTS_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl_icd.h>

#include <stdbool.h>

#define ICD_DEVICES 64u /* cards of a machine */

typedef void(CL_CALLBACK *icd_notify)(const char *message, const void *data, size_t bytes, void *user);

/** The platform, with the loader's table for this and all other objects; the same one for each call. NULL: the machine has no
 *  card, and the loader no platform. */
cl_platform_id icd_platform_open(const cl_icd_dispatch *table);
bool icd_is_platform(cl_platform_id platform);

/** Fills in up to `room` devices (devices may be NULL). Returns the number of cards. A card is the same device for the life of
 *  the process, named by its PCI address: it keeps it when its logic changes. */
unsigned icd_devices(cl_device_id *devices, unsigned room);
bool icd_is_device(cl_device_id device);
const char *icd_device_name(cl_device_id device);

/** Contexts and programs count their references; thread-safe. NULL: out of memory. */
cl_context icd_context_new(cl_uint count, const cl_device_id *devices, icd_notify notify, void *user);
void icd_context_retain(cl_context context);
void icd_context_release(cl_context context);
const cl_device_id *icd_context_devices(cl_context context, cl_uint *count);
/** Calls the application's callback, if the context has one. */
void icd_context_notify(cl_context context, const char *message);
bool icd_context_has(cl_context context, cl_device_id device);
cl_program icd_program_new(cl_context context, cl_uint count, const cl_device_id *devices);
void icd_program_retain(cl_program program);
void icd_program_release(cl_program program);
const cl_device_id *icd_program_devices(cl_program program, cl_uint *count);
cl_context icd_program_context(cl_program program);

/** Loads an image into a card through gpulinkd. A failure is also reported to the context's callback. */
cl_int icd_load(cl_context context, cl_device_id device, const void *image, size_t bytes);

#endif /* GPULINK_ICD_OBJECTS_H */
