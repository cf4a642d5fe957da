// SPDX-License-Identifier: Apache-2.0
#include "gpulink.h"

const char *gpulink_strerror(int code)
{
	static const char *const texts[] = {
		[0] = "success",
		[GPULINK_EINVAL] = "invalid argument",
		[GPULINK_ENOMEM] = "out of memory, or locked memory limit exceeded",
		[GPULINK_ENODEV] = "no such device, or device removed",
		[GPULINK_EACCES] = "permission denied",
		[GPULINK_ENOENDPOINT] = "partition has no endpoint",
		[GPULINK_ERANGE] = "out of range of the endpoint, window or memory",
		[GPULINK_ENOSPC] = "no free context, window space or registration on the card",
		[GPULINK_ETIMEDOUT] = "timed out",
		[GPULINK_ERESET] = "card was reset after the device was opened",
		[GPULINK_EENDPOINT] = "write to an endpoint failed",
		[GPULINK_ENOTSUP] = "operation not supported by this device",
		[GPULINK_EPROTO] = "protocol violation by card or driver",
		[GPULINK_EABI] = "incompatible interface version of the driver",
		[GPULINK_EINTR] = "interrupted by a signal",
		[GPULINK_EIO] = "system call failed",
		[GPULINK_EFAULT] = "card rejected accesses through a window",
		[GPULINK_EBUSY] = "card is busy, try again",
		[GPULINK_EUNREACHABLE] = "memory not reachable by the card",
		[GPULINK_EFORK] = "device was opened by the parent process",
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
