// SPDX-License-Identifier: Apache-2.0
/* test-gpu-call DEVICE fail-drains COUNT: calls the test GPU driver from a suite. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "test-gpu/gpulink-test-gpu.h"

int main(int argc, char **argv)
{
	int fd = argc == 4 && !strcmp(argv[2], "fail-drains") ? open(argv[1], O_RDWR | O_CLOEXEC) : -1;

	if (fd < 0 || ioctl(fd, TEST_GPU_FAIL_DRAINS, strtoul(argv[3], NULL, 10))) {
		perror("test-gpu-call");
		return 1;
	}
	return 0;
}
