// SPDX-License-Identifier: Apache-2.0
#include "error_text.h"

#include "../common/failure.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* Freed with the thread by the C library. A call that succeeds does not look at it. */
static _Thread_local struct {
	struct failure failure;
	bool found; /* since glk_error_begin() */
} last;

__attribute__((format(printf, 2, 0))) static int error_text_set(int error, const char *format, va_list arguments)
{
	int cause = errno;

	last.found = true;
	failure_set_list(&last.failure, error, format, arguments);
	errno = cause;
	return error;
}

static void error_text_add(const char *reason)
{
	size_t length = strlen(last.failure.text);
	int cause = errno;

	snprintf(last.failure.text + length, sizeof(last.failure.text) - length, ": %s", reason);
	errno = cause;
}

/* In the language of the other texts, whatever the program's is. */
static const char *system_text(int cause)
{
	const char *text = strerrordesc_np(cause);

	return text ? text : "unknown cause";
}

int glk_error(int error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	error_text_set(error, format, arguments);
	va_end(arguments);
	return error;
}

int glk_error_errno(int error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	error_text_set(error, format, arguments);
	va_end(arguments);
	error_text_add(system_text(errno));
	return error;
}

int glk_error_plain(int error)
{
	last.failure.code = 0;
	return error;
}

void glk_error_begin(void)
{
	last.found = false;
}

int glk_error_else(int error, const char *format, ...)
{
	va_list arguments;

	if (!error || (last.failure.code == error && last.found))
		return error;
	va_start(arguments, format);
	error_text_set(error, format, arguments);
	va_end(arguments);
	error_text_add(error == -GPULINK_EIO ? system_text(errno) : gpulink_strerror(error));
	return error;
}

const char *glk_rights_text(unsigned rights)
{
	static const char *const names[] = { "none", "READ", "WRITE", "READ and WRITE" };

	return names[rights & (GPULINK_READ | GPULINK_WRITE)];
}

int glk_error_range(const char *object, uint64_t offset, uint64_t bytes, uint64_t room)
{
	return glk_error(-GPULINK_ERANGE,
			 "offset %" PRIu64 ", %" PRIu64 " bytes: must be within the %" PRIu64 " bytes of the %s", offset, bytes,
			 room, object);
}

int glk_error_rights(const char *object, unsigned has, unsigned needs)
{
	return glk_error(-GPULINK_EACCES, "rights of the %s are %s: must contain %s", object, glk_rights_text(has),
			 glk_rights_text(needs));
}

int glk_error_partition(unsigned partition, unsigned partitions)
{
	return glk_error(-GPULINK_EINVAL, "partition %u: must be 0 to %u", partition, partitions - 1);
}

int glk_error_word(uint64_t at, unsigned compare)
{
	return glk_error(-GPULINK_EINVAL,
			 "word at %#" PRIx64 ", comparison %u: must be a multiple of 8 and enum gpulink_compare, 0 to %u", at,
			 compare, GPULINK_COMPARE_LE);
}

int glk_error_atomic(uint64_t offset, uint64_t bytes)
{
	return glk_error(-GPULINK_EINVAL,
			 "atomic of %" PRIu64 " bytes at offset %" PRIu64 ": must be 4 or 8, aligned, and operands fit", bytes,
			 offset);
}

int glk_error_object(const char *object)
{
	return glk_error(-GPULINK_EINVAL, "%s: must not be NULL, nor of another device", object);
}

int glk_error_options(size_t least)
{
	return glk_error(-GPULINK_EINVAL, "options.size: must be %zu or more, and members beyond these 0", least);
}

int glk_error_null(const char *argument)
{
	return glk_error(-GPULINK_EINVAL, "%s: must not be NULL or 0", argument);
}

int glk_error_device(const void *device)
{
	return device ? glk_error(-GPULINK_EFORK, "the device was opened by the parent process: open it again behind fork()") :
			glk_error(-GPULINK_EINVAL, "device, queue, region or pool: must not be NULL");
}

const char *glk_error_last(int error)
{
	return error && error == last.failure.code ? last.failure.text : NULL;
}

const char *gpulink_error_text(int error)
{
	const char *text = glk_error_last(error > 0 ? -error : error);

	return text ? text : gpulink_strerror(error);
}
