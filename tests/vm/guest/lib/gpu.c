// SPDX-License-Identifier: Apache-2.0
#include "gpu.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool gpu_open(struct gpu *g, const char *address)
{
	struct stat status = { 0 };
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "/dev/gpulink-test-gpu-%s", address);
	g->fd = open(path, O_RDWR | O_CLOEXEC);
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/resource0", address);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (g->fd < 0 || fd < 0 || fstat(fd, &status))
		return false;
	g->bytes = (size_t)status.st_size;
	g->memory = mmap(NULL, g->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return g->memory != MAP_FAILED;
}
