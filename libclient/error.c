// SPDX-License-Identifier: Apache-2.0
#include "gpulink.h"

const char *gpulink_strerror(int code)
{
	static const char *const texts[] = {
		[0] = "success",
		[GPULINK_EINVAL] = "an argument is not allowed",
		[GPULINK_ENOMEM] = "out of memory, or over the limit of locked memory",
		[GPULINK_ENODEV] = "no such device, or it was removed",
		[GPULINK_EACCES] = "permission denied",
		[GPULINK_ENOENDPOINT] = "the partition has no endpoint",
		[GPULINK_ERANGE] = "beyond the end of the endpoint, window or memory",
		[GPULINK_ENOSPC] = "the card has no context, window space or registration left",
		[GPULINK_ETIMEDOUT] = "the time passed",
		[GPULINK_ERESET] = "the card was reset since the device was opened",
		[GPULINK_EENDPOINT] = "a write to an endpoint failed",
		[GPULINK_ENOTSUP] = "the device cannot do this",
		[GPULINK_EPROTO] = "the card or driver answered what it must not",
		[GPULINK_EABI] = "the driver speaks another version of the interface",
		[GPULINK_EINTR] = "interrupted by a signal",
		[GPULINK_EIO] = "a system call failed",
		[GPULINK_EFAULT] = "the card refused accesses through a window",
		[GPULINK_EBUSY] = "the card is busy, try again",
		[GPULINK_EUNREACHABLE] = "the card cannot reach this memory",
	};
	const int last = (int)(sizeof(texts) / sizeof(texts[0])) - 1;

	if (code < -last || code > last)
		return "unknown error code";
	return texts[code < 0 ? -code : code];
}

const char *gpulink_version(void)
{
	return GLK_VERSION;
}
