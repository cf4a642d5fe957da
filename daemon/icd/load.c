// SPDX-License-Identifier: Apache-2.0
/* From a binary in memory to a request of gpulinkd. */
#include "objects.h"

#include <ask.h>
#include <gpulink_admin.h>
#include <json-c/json.h>
#include <json_put.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define DEFAULT_SOCKET "/run/gpulink/gpulinkd.sock"
#define LOAD_SECONDS   600

/* What the last request of this thread complained of. */
static _Thread_local char message[512];

void complain(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
}

/* The card's name now: another number may follow a change of its logic. */
static bool find_card(cl_device_id device, char name[16])
{
	char names[ICD_DEVICES][16];
	int count = gpulink_admin_list(names, ICD_DEVICES);

	for (int i = 0; i < count && i < (int)ICD_DEVICES; i++) {
		struct gpulink_admin_info info;

		if (!gpulink_admin_get_info(names[i], &info, sizeof(info)) &&
		    !strcmp(info.pci_address, icd_device_name(device) + strlen("gpulink "))) {
			memcpy(name, names[i], sizeof(names[i]));
			return true;
		}
	}
	complain("%s is not there", icd_device_name(device));
	return false;
}

/* The daemon reads files: a copy without a name is one. */
static int file_of(const void *image, size_t bytes)
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
		complain("cannot copy the image of %zu bytes", bytes);
	return fd;
}

static cl_int code_of(enum exit_code code)
{
	switch (code) {
	case EXIT_OK:
		return CL_SUCCESS;
	case EXIT_USAGE:
		return CL_INVALID_BINARY;
	case EXIT_NO_CARD:
		return CL_DEVICE_NOT_AVAILABLE;
	case EXIT_NOT_PERMITTED:
	case EXIT_NO_DAEMON:
		return CL_INVALID_OPERATION;
	default:
		return CL_OUT_OF_RESOURCES;
	}
}

static enum exit_code request_load(const char *card, int fd)
{
	const char *path = getenv("GPULINK_SOCKET");
	struct asker asker = { .socket_path = path ? path : DEFAULT_SOCKET, .socket = -1, .files = { fd, -1 }, .has_files = true, .seconds = LOAD_SECONDS };
	struct json_object *request = json_object_new_object(), *result = NULL;
	enum exit_code code;

	if (!request || !json_put_text(request, "op", "program") || !json_put_text(request, "card", card)) {
		json_object_put(request);
		complain("out of memory");
		return EXIT_FAILED;
	}
	code = ask(&asker, request, &result);
	json_object_put(result);
	asker_close(&asker);
	return code;
}

cl_int icd_load(cl_context context, cl_device_id device, const void *image, size_t bytes)
{
	enum exit_code code = EXIT_NO_CARD;
	char card[16];
	int fd;

	*message = '\0';
	if (find_card(device, card)) {
		code = EXIT_FAILED;
		fd = file_of(image, bytes);
		if (fd >= 0) {
			code = request_load(card, fd);
			close(fd);
		}
	}
	if (code != EXIT_OK)
		icd_context_notify(context, message);
	return code_of(code);
}
