// SPDX-License-Identifier: Apache-2.0
/* test-gpu-call DEVICE fail-drains COUNT, or shift-bar 0: calls the test GPU driver from a suite. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "test-gpu/gpulink-test-gpu.h"

static const struct {
	const char *name;
	unsigned long call;
} calls[] = {
	{ "fail-drains", TEST_GPU_FAIL_DRAINS },
	{ "shift-bar", TEST_GPU_SHIFT_BAR },
};

int main(int argc, char **argv)
{
	int fd = argc == 4 ? open(argv[1], O_RDWR | O_CLOEXEC) : -1;

	for (unsigned i = 0; fd >= 0 && i < sizeof(calls) / sizeof(calls[0]); i++)
		if (!strcmp(argv[2], calls[i].name) && !ioctl(fd, calls[i].call, strtoul(argv[3], NULL, 10)))
			return 0;
	perror("test-gpu-call");
	return 1;
}
