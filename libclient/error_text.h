/* SPDX-License-Identifier: Apache-2.0 */
/* What gpulink_error_text() returns: the cause of an error, by the function that finds it. */
#ifndef GLK_ERROR_TEXT_H
#define GLK_ERROR_TEXT_H

#include <inttypes.h>

#include "gpulink.h"

/**
 * Sets the calling thread's text for an error, one line: what failed, the value, the allowed values. Returns the error; errno
 * is kept. Not for what the library handles itself, such as a look that finds nothing yet.
 */
__attribute__((cold, format(printf, 2, 3))) int glk_error(int error, const char *format, ...);

/* The same with the text of errno behind it. */
__attribute__((cold, format(printf, 2, 3))) int glk_error_errno(int error, const char *format, ...);

/* An error that has no text of its own, for example a timeout of a poll: gpulink_strerror()'s. */
__attribute__((cold)) int glk_error_plain(int error);

/*
 * Around calls that may find the cause themselves: glk_error_else() sets a text, followed by that of gpulink_strerror(), or of
 * errno for EIO, unless the error got one since glk_error_begin(). Returns the error, which may be 0.
 */
void glk_error_begin(void);
__attribute__((cold, format(printf, 2, 3))) int glk_error_else(int error, const char *format, ...);

/* [offset, offset + bytes) is beyond the `room` bytes of an object: ERANGE. */
__attribute__((cold)) int glk_error_range(const char *object, uint64_t offset, uint64_t bytes, uint64_t room);

/* A partition of a device that has `partitions`: EINVAL. */
__attribute__((cold)) int glk_error_partition(unsigned partition, unsigned partitions);

/* A word to wait for is not aligned, or the comparison is none: EINVAL. */
__attribute__((cold)) int glk_error_word(uint64_t at, unsigned compare);

/* Neither 4 nor 8 bytes, not aligned, or operands that do not fit: EINVAL. */
__attribute__((cold)) int glk_error_atomic(uint64_t offset, uint64_t bytes);

/* An object is without the rights (GPULINK_READ, GPULINK_WRITE) that the call needs: EACCES. */
__attribute__((cold)) int glk_error_rights(const char *object, unsigned has, unsigned needs);

/* Options smaller than `least`, or with members set that this library does not have: EINVAL. */
__attribute__((cold)) int glk_error_options(size_t least);

/* A required argument is NULL or 0: EINVAL. */
__attribute__((cold)) int glk_error_null(const char *argument);

/* The object is NULL, or of another device: EINVAL. */
__attribute__((cold)) int glk_error_object(const char *object);

/* A device, or what belongs to one, is NULL: EINVAL; else it was opened by the parent process: EFORK. */
__attribute__((cold)) int glk_error_device(const void *device);

/* The thread's text if it is of this error, else NULL. */
const char *glk_error_last(int error);

/* "READ", "WRITE", "READ and WRITE" or "none". */
const char *glk_rights_text(unsigned rights);

#endif /* GLK_ERROR_TEXT_H */
