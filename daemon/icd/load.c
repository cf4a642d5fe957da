// SPDX-License-Identifier: Apache-2.0
/* From a binary in memory to a request of gpulinkd. */
#include "objects.h"

#include <ask.h>
#include <gpulink_admin.h>
#include <json-c/json.h>
#include <json_put.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define DEFAULT_SOCKET "/run/gpulink/gpulinkd.sock"
#define LOAD_SECONDS   600

/* The card's name now: another number may follow a change of its logic. */
static int find_card(cl_device_id device, char name[16], struct failure *failure)
{
	char names[ICD_DEVICES][16];
	int count = gpulink_admin_list(names, ICD_DEVICES);

	for (int i = 0; i < count && i < (int)ICD_DEVICES; i++) {
		struct gpulink_admin_info info;

		if (!gpulink_admin_get_info(names[i], &info, sizeof(info)) &&
		    !strcmp(info.pci_address, icd_device_name(device) + strlen("gpulink "))) {
			memcpy(name, names[i], sizeof(names[i]));
			return 0;
		}
	}
	return failure_set(failure, -GPULINK_ENODEV, "%s is not there", icd_device_name(device));
}

/* The daemon reads files: a copy without a name is one. */
static int file_of(const void *image, size_t bytes, struct failure *failure)
{
	int fd = memfd_create("gpulink-image", MFD_CLOEXEC);
	size_t done = 0;

	while (fd >= 0 && done < bytes) {
		ssize_t put = write(fd, (const char *)image + done, bytes - done);

		if (put <= 0) {
			close(fd);
			fd = -1;
		} else {
			done += (size_t)put;
		}
	}
	if (fd < 0)
		failure_set(failure, -GPULINK_EIO, "cannot copy the image of %zu bytes", bytes);
	return fd;
}

static cl_int icd_load_code_of(int error)
{
	switch (error) {
	case 0: return CL_SUCCESS;
	case -GPULINK_EINVAL: return CL_INVALID_BINARY;
	case -GPULINK_ENODEV: return CL_DEVICE_NOT_AVAILABLE;
	case -GPULINK_EACCES:
	case -ECONNREFUSED: return CL_INVALID_OPERATION;
	default:
		return CL_OUT_OF_RESOURCES;
	}
}

static int request_load(const char *card, int fd, struct failure *failure)
{
	const char *path = getenv("GPULINK_SOCKET");
	struct asker asker = { .socket_path = path ? path : DEFAULT_SOCKET,
			       .socket = -1,
			       .files = { fd },
			       .file_count = 1,
			       .seconds = LOAD_SECONDS };
	struct json_object *request = json_object_new_object(), *result = NULL;
	int error;

	if (!request || !json_put_text(request, "op", "program") || !json_put_text(request, "card", card)) {
		json_object_put(request);
		return failure_set(failure, -GPULINK_ENOMEM, "out of memory");
	}
	error = ask(&asker, request, &result, failure);
	json_object_put(result);
	asker_close(&asker);
	return error;
}

cl_int icd_load(cl_context context, cl_device_id device, const void *image, size_t bytes)
{
	struct failure failure = { 0 };
	char card[16];
	int fd;

	if (!find_card(device, card, &failure)) {
		fd = file_of(image, bytes, &failure);
		if (fd >= 0) {
			request_load(card, fd, &failure);
			close(fd);
		}
	}
	if (failure.code)
		icd_context_notify(context, failure.text);
	return icd_load_code_of(failure.code);
}
