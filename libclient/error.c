// SPDX-License-Identifier: Apache-2.0
#include "gpulink.h"

const char *gpulink_strerror(int code)
{
	switch (code < 0 ? -(int64_t)code : code) {
	case 0:
		return "success";
	case GPULINK_EINVAL:
		return "invalid argument";
	case GPULINK_ENOMEM:
		return "out of memory, or locked memory limit exceeded";
	case GPULINK_ENODEV:
		return "no such device, or device removed";
	case GPULINK_EACCES:
		return "permission denied";
	case GPULINK_ENOENDPOINT:
		return "partition has no endpoint";
	case GPULINK_ERANGE:
		return "out of range of the endpoint, window or memory";
	case GPULINK_ENOSPC:
		return "no free context, window space or registration, or a limit reached";
	case GPULINK_ETIMEDOUT:
		return "timed out";
	case GPULINK_ERESET:
		return "card was reset after the device was opened";
	case GPULINK_EENDPOINT:
		return "write to an endpoint failed";
	case GPULINK_ENOTSUP:
		return "operation not supported by this device";
	case GPULINK_EPROTO:
		return "protocol violation by card or driver";
	case GPULINK_EABI:
		return "incompatible interface version of the driver or of the program's header";
	case GPULINK_EINTR:
		return "interrupted by a signal";
	case GPULINK_EIO:
		return "system call failed";
	case GPULINK_EFAULT:
		return "card rejected accesses through a window";
	case GPULINK_EBUSY:
		return "card is busy, or too many completions not taken";
	case GPULINK_EUNREACHABLE:
		return "memory not reachable by the card";
	case GPULINK_ECANCELED:
		return "cancelled, because the command before it failed";
	case GPULINK_EFORK:
		return "device was opened by the parent process";
	default:
		return "unknown error code";
	}
}

const char *gpulink_version(void)
{
	return GLK_VERSION;
}
